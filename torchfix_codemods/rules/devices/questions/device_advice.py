"""What is said where a device has to be made by hand."""

from __future__ import annotations

import ast

from torchfix_codemods.edit.devices import definition_of_device
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.rules.devices.questions.cuda_flags import is_cuda_available, without_not
from torchfix_codemods.rules.devices.questions.default_moves import moves_without_device
from torchfix_codemods.rules.devices.questions.device_at_hand import device_at_hand
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import (
    choices_of_gpu,
    chooser_after_import,
    is_chosen_by_function,
)
from torchfix_codemods.rules.devices.questions.plan.switches import switch_tests
from torchfix_codemods.text.wording import worded


def written_by_hand(call: ast.Call, moved: ast.expr, facts: Facts) -> str:
    """What to write for ``x.cuda()`` where x is not known."""
    known = device_at_hand(call, facts)
    device = "device" if known is None else known.text
    text = worded(moved, "")
    method = ast.unparse(ast.Attribute(moved, "to")) if text else ".to"
    new = f"write {method}({device})"
    if known is not None:
        return new
    return f"{new}, with {made_by_hand('device', call, facts)}{_where(call, facts)}"


def made_by_hand(name: str, call: ast.Call, facts: Facts) -> str:
    """The lines that make a device, to be written by hand; without a name, just the device.

    Where tests of the file choose between its devices, they are to make this one, too.
    """
    tests = [test for test in switch_tests(facts) if _asked_at(test, call, facts) is not None]
    if tests:
        lines = {made_by_test(name, test, call, facts): test for test in reversed(tests)}
        seen = [(line, test) for line, test in lines.items() if line is not None]
        if len(seen) == 1:
            return f"{seen[0][0]}, as line {facts.origin(seen[0][1].lineno)} asks"
        number, asked = facts.origin(tests[0].lineno), _asked_at(tests[0], call, facts)
        if isinstance(without_not(tests[0]), (ast.Name, ast.Attribute)):
            return f"a device that follows {asked}, which line {number} asks"
        return f"a device that follows the test of line {number}"
    spelling = spell(facts, "torch.device", call)
    is_there = spelling is not None and not spelling.needs
    made = definition_of_device(name, spelling.text if spelling else "torch.device", None).text
    line = made.removeprefix("... = ")
    return line if is_there else f"import torch and {line}"


def made_by_test(name: str, test: ast.expr, call: ast.Call, facts: Facts) -> str | None:
    """The line that makes a device by a flag of the file; None where ``call`` does not see it.

    Args:
        name: the name of the device.
        test: what a guard elsewhere in the file asks.
        call: the move that needs the device.
        facts: the facts of the module.
    """
    flag, spelling = without_not(test), spell(facts, "torch.device", call)
    is_flag = isinstance(flag, (ast.Name, ast.Attribute)) or is_cuda_available(flag, facts)
    asked = _asked_at(test, call, facts) if is_flag else None
    if spelling is None or spelling.needs or asked is None:
        return None
    return f'{name} = {spelling.text}("cuda" if {asked} else "cpu")'


def made_where_asked(name: str, test: ast.expr, setter: str, facts: Facts) -> str:
    """What to write where another file sets the flag of a test after it imports this one.

    Args:
        name: the name of the device.
        test: what a guard asks.
        setter: the name of the other file.
        facts: the facts of the module.
    """
    flag = facts.segment(without_not(test))
    return (
        f"write .to({name}) with a device that each function makes by {facts.segment(test)} as it "
        f"is called: {setter} sets {flag} after it imports this file"
    )


def _asked_at(test: ast.expr, call: ast.Call, facts: Facts) -> str | None:
    """What asks at a call what a test elsewhere does; None where its names mean another thing.

    ``self.gpu`` in the methods of a class whose ``__init__`` is given ``gpu`` and keeps it.
    """
    unseen = [
        node
        for node in ast.walk(test)
        if isinstance(node, ast.Name) and not _is_seen(node, call, facts)
    ]
    if not unseen:
        return facts.segment(test)
    flag = without_not(test)
    kept = _kept_at(unseen[0], call, facts) if unseen == [first_name(flag)] else None
    if kept is None:
        return None
    text = kept + ast.unparse(flag).removeprefix(unseen[0].id)
    return text if flag is test else f"not {text}"


def _is_seen(name: ast.Name, call: ast.Call, facts: Facts) -> bool:
    """Whether a name means the same at a call; one that is bound nowhere is Python's own."""
    there = facts.names.scope_of(name).lookup(name.id)
    here = facts.names.scope_of(call).lookup(name.id)
    if there is None or here is None:
        return there is here
    return there[0] is here[0] or (is_self(facts, name) and _is_in_class(name, call, facts))


def _kept_at(name: ast.Name, call: ast.Call, facts: Facts) -> str | None:
    """``self.gpu`` of the ``gpu`` of an ``__init__``, in another method of its class."""
    init, owner = facts.names.enclosing_function(name), facts.names.enclosing_class(call)
    method = facts.names.enclosing_function(call)
    if not isinstance(init, ast.FunctionDef) or init.name != "__init__" or init not in _own(owner):
        return None
    if not isinstance(method, ast.FunctionDef) or method not in _own(owner) or method is init:
        return None
    assert owner is not None
    for attribute in facts.classes.attribute_names(owner):
        sources = facts.classes.attribute_sources(owner, attribute)
        values = [source.value for source in sources]
        if len(values) == 1 and isinstance(value := values[0], ast.Name) and value.id == name.id:
            if not sources[0].path and facts.names.enclosing_function(value) is init:
                return f"{facts.classes.self_name(method)}.{attribute}"
    return None


def _own(owner: ast.ClassDef | None) -> list[ast.stmt]:
    return [] if owner is None else owner.body


def _is_in_class(name: ast.Name, call: ast.Call, facts: Facts) -> bool:
    """Whether a call stands in a method of the class whose ``self`` a name is."""
    method = facts.names.enclosing_function(call)
    if method is None or facts.names.enclosing_class(name) is not facts.names.enclosing_class(call):
        return False
    return isinstance(method, ast.FunctionDef) and facts.classes.self_name(method) == name.id


def _where(call: ast.Call, facts: Facts) -> str:
    """Where a device can be made by hand: not before the GPU is chosen."""
    choices, chooser = choices_of_gpu(facts), chooser_after_import(facts)
    if choices:
        line = facts.origin(choices[-1].lineno)
        if _is_in_reach(choices[-1], call, facts):
            return f" below line {line}, which sets CUDA_VISIBLE_DEVICES"
        return f" where it is needed: the function of line {line} sets CUDA_VISIBLE_DEVICES"
    if chooser is None:
        return ""
    return f" in the function: {chooser} sets CUDA_VISIBLE_DEVICES after it imports this file"


def _is_in_reach(choice: ast.stmt, call: ast.Call, facts: Facts) -> bool:
    """Whether a call sees the names that are made below a choice."""
    if not is_chosen_by_function(choice, facts):
        return True
    function = facts.names.enclosing_function(choice)
    return facts.names.enclosing_function(call) is function and call.lineno > choice.lineno


def below_choice(choice: ast.stmt, facts: Facts) -> str:
    """What to write where a statement of the file chooses the GPU."""
    line = facts.origin(choice.lineno)
    if all(_is_in_reach(choice, call, facts) for call in moves_without_device(facts)):
        return (
            f"make a device below line {line}, which sets CUDA_VISIBLE_DEVICES, and write "
            ".to(device)"
        )
    return (
        f"make a device in the functions that need one, as the function of line {line} sets "
        "CUDA_VISIBLE_DEVICES, and write .to(device)"
    )
