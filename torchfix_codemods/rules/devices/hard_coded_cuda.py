"""`.cuda()` runs on machines with a GPU only; `.to(device)` runs everywhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import (
    index_of_keyword,
    keyword_argument,
    with_argument_added,
)
from torchfix_codemods.edit.devices import definition_of_device
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.evaluation.classes_elsewhere import method_of
from torchfix_codemods.facts.evidence.proofs import defines_method
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.spelling import imports_torch
from torchfix_codemods.facts.values.lattice import Module, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.devices.questions.asked_types import tensor_of_gpu_type
from torchfix_codemods.rules.devices.questions.cuda_flags import (
    flag_of_module,
    guards_of,
    is_meant_for_gpu,
)
from torchfix_codemods.rules.devices.questions.device_names import device_at, free_name, runs_after
from torchfix_codemods.rules.devices.questions.early_imports import (
    chosen_elsewhere,
    is_asked_too_early,
    place_for_device,
)
from torchfix_codemods.rules.devices.questions.gpu_choice import (
    choice_of_gpu,
    choices_of_gpu,
    chooser_after_import,
    is_chosen_by_function,
)
from torchfix_codemods.rules.devices.questions.gpu_moves import (
    MOVABLE,
    asks_for_place,
    is_of_a_module,
    moved_value,
    moves_to_default_gpu,
    tensor_on_gpu,
)
from torchfix_codemods.rules.devices.questions.neighbours import tensor_at_hand
from torchfix_codemods.rules.devices.questions.raw_memory import hands_on_memory
from torchfix_codemods.text.wording import worded

#: Factories whose values do not depend on the device they run on.
_SAME_ON_EVERY_DEVICE = frozenset(
    f"torch.{name}" for name in ("zeros", "ones", "empty", "full", "eye", "arange")
)

_OWN_MOVES = frozenset({"cuda", "to"})


class HardCodedCuda(Rule):
    """
    ## What it does
    Replaces `x.cuda()` by `x.to(device)` on tensors and modules. A `torch.device` that the file has
    is used; else the file gets one line that defines it: from the flag that guards its `.cuda()`
    calls (`args.cuda`, `use_cuda`), where there is just one, else from
    `torch.cuda.is_available()`. In the methods of a module, a new tensor follows the tensor that
    the method was given.

    ## Why
    `.cuda()` fails on a machine without a GPU, and the `if cuda:` in front of every line is easily
    forgotten once. With one `device`, the same code runs on both.

    ## Example
    ```python
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    ...
    if args.cuda:
        model.cuda()
    ```
    becomes (together with TP202)
    ```python
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    device = torch.device("cuda" if args.cuda else "cpu")
    ...
    model.to(device)
    ```

    ## Numbers
    Identical on the same device: `.to("cuda")` copies just as `.cuda()` does.

    ## When it stays its hand
    `.cuda(0)` and `.cuda(gpu)` name a device and stay. So does what follows another thing to the
    GPU, `if y.is_cuda:`, unless y is certainly a tensor: then it becomes `.to(y.device)`. So do
    receivers that are not certainly tensors or modules (reported, unless the code around it speaks
    of the GPU, as `if use_cuda:` does) and what moves in the same statement, the code of a function
    or method `cuda`, classes with a `cuda` or a `to` method of their own, and modules in which no
    name for the device is free. A new tensor follows no parameter in a method that moves its
    parameters itself, nor one that has to stay on the CPU (the lengths of a packed sequence). Where
    processes are forked that use the GPU, nothing asks whether there is CUDA before they start, nor
    does a file that is imported before a program sets CUDA_VISIBLE_DEVICES: a finding says where a
    device can be made, once in a file. Nothing is said in a file that hands the memory of what it
    moves (`x.data_ptr()`) to kernels of its own, which run on a GPU only.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("Writing device-agnostic code")
    - https://pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
    """

    code = "TP201"
    name = "hard-coded-cuda"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"cuda"})
    message = ".cuda() needs a GPU; .to(device) runs everywhere"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if not _is_move(call, facts) or hands_on_memory(facts):
            return
        assert isinstance(call.func, ast.Attribute)
        if isinstance(moved_value(call, facts), Unknown):
            yield from self._left(call, facts, _written_by_hand(call, call.func.value, facts))
        elif _is_movable(call, facts) and facts.statement(call) not in _half_known(facts):
            yield from self._place(call, facts)

    def _place(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        known = _device_at_hand(call, facts)
        if known is not None:
            inside = known.is_of_neighbour and _is_plain_factory(call, facts)
            yield self.found(call, device=known.text, inside=inside)
            return
        if any(asks_for_place(test, facts) for test in guards_of(call, facts)):
            # Under ``if next(net.parameters()).is_cuda:`` it runs everywhere as it is.
            return
        name = free_name(facts)
        spelling = spell(facts, "torch.device", facts.tree)
        if name is None or spelling is None or not imports_torch(facts):
            yield from self._without_torch(call, facts)
            return
        flag = flag_of_module(facts) or choice_of_gpu(spelling.text, facts)
        if is_asked_too_early(flag, facts):
            told, advice = place_for_device(_without_device(facts), flag, facts)
            if call is told:
                yield from self._left(call, facts, advice)
        elif flag is None or flag.after is None or runs_after(call, flag.after, facts):
            definition = definition_of_device(name, spelling.text, flag)
            needs = [*spelling.needs, definition]
            yield self.found(call, device=name, inside=False, needs=needs)
        elif facts.parent(flag.after) is facts.tree:
            line = facts.origin(flag.after.end_lineno or flag.after.lineno)
            yield from self._left(
                call, facts, f"write .to(...) with a device that is made below line {line}"
            )
        elif call is _first_without_device(facts):
            # Said once: all others need the same device.
            yield from self._left(call, facts, _below_choice(flag.after, facts))

    def _without_torch(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """Where the file itself does not import torch, or no name for a device is free."""
        choices, chooser = choices_of_gpu(facts), chooser_after_import(facts)
        if not choices and chooser is None:
            name = free_name(facts) or "..."
            made = _made_by_hand(name, call, facts)
            yield from self._left(call, facts, f"write .to({name}), with {made}")
        elif call is _first_without_device(facts):
            elsewhere = "" if chooser is None else chosen_elsewhere(chooser)
            advice = _below_choice(choices[-1], facts) if choices else elsewhere
            yield from self._left(call, facts, advice)

    def _left(self, call: ast.Call, facts: Facts, advice: str) -> Iterator[Found]:
        if not is_meant_for_gpu(call, facts):
            yield self.advice(call, f".cuda() needs a GPU: {advice}")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if not isinstance(updated.func, cst.Attribute):
            return updated
        device = cst.parse_expression(self.data["device"])
        factory = updated.func.value
        if self.data["inside"] and isinstance(factory, cst.Call):
            return _with_device(factory, device)
        flags = [arg for arg in updated.args if arg.keyword is not None]
        first = cst.Arg(device)
        if flags:
            first = cst.Arg(device, comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        return updated.with_changes(
            func=updated.func.with_changes(attr=cst.Name("to")), args=[first, *flags]
        )


@record
class _AtHand:
    """A device that need not be defined."""

    text: str
    is_of_neighbour: bool
    """Whether it is where a parameter of the method is."""


def _written_by_hand(call: ast.Call, moved: ast.expr, facts: Facts) -> str:
    """What to write for ``x.cuda()`` where x is not known."""
    known = _device_at_hand(call, facts)
    device = "device" if known is None else known.text
    text = worded(moved, "")
    method = ast.unparse(ast.Attribute(moved, "to")) if text else ".to"
    new = f"write {method}({device})"
    if defines_method(facts.names, "cuda") or facts.names.is_method_of_project("cuda"):
        what = text or "it"
        new += f", unless {what} is of a class of this project that has cuda() and no to()"
    if known is not None:
        return new
    return f"{new}, with {_made_by_hand('device', call, facts)}{_where(call, facts)}"


def _made_by_hand(name: str, call: ast.Call, facts: Facts) -> str:
    """The lines that make a device, to be written by hand; without a name, just the device."""
    spelling = spell(facts, "torch.device", call)
    is_there = spelling is not None and not spelling.needs
    made = definition_of_device(name, spelling.text if spelling else "torch.device", None).text
    line = made.removeprefix("... = ")
    return line if is_there else f"import torch and {line}"


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


def _below_choice(choice: ast.stmt, facts: Facts) -> str:
    line = facts.origin(choice.lineno)
    if all(_is_in_reach(choice, call, facts) for call in _without_device(facts)):
        return (
            f"make a device below line {line}, which sets CUDA_VISIBLE_DEVICES, and write "
            ".to(device)"
        )
    return (
        f"make a device in the functions that need one, as the function of line {line} sets "
        "CUDA_VISIBLE_DEVICES, and write .to(device)"
    )


def _is_move(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is ``x.cuda()``, and no part of what a class says its own means."""
    if not moves_to_default_gpu(call) or is_of_a_module(call, facts):
        return False
    function = facts.names.enclosing_function(call)
    return function is None or function.name != "cuda"


def _is_movable(call: ast.Call, facts: Facts) -> bool:
    receiver = moved_value(call, facts)
    if isinstance(receiver, Module) and _moves_its_own_way(receiver, facts):
        return False
    return isinstance(receiver, MOVABLE)


def _half_known(facts: Facts) -> frozenset[ast.stmt]:
    """The statements in which something unknown moves: ``x, y = x.cuda(), y.cuda()`` of which only
    ``x`` is known stays as it is."""

    def find() -> frozenset[ast.stmt]:
        calls = facts.names.nodes.get(ast.Call, ())
        return frozenset(
            facts.statement(call)
            for call in calls
            if isinstance(call, ast.Call) and _is_move(call, facts)
            if isinstance(moved_value(call, facts), Unknown)
        )

    return facts.remembered("statements that move what is not known", find)


def _device_at_hand(call: ast.Call, facts: Facts) -> _AtHand | None:
    neighbour = tensor_at_hand(call, facts)
    if neighbour is not None:
        return _AtHand(f"{neighbour}.device", is_of_neighbour=True)
    guard = _device_of_guard(call, facts)
    if guard is None and any(asks_for_place(test, facts) for test in guards_of(call, facts)):
        return None
    known = guard or device_at(call, facts)
    return None if known is None else _AtHand(known, is_of_neighbour=False)


def _first_without_device(facts: Facts) -> ast.Call | None:
    """The first ``x.cuda()`` of a file that needs a GPU, and for which no device is at hand."""
    return next(iter(_without_device(facts)), None)


def _without_device(facts: Facts) -> list[ast.Call]:
    """Every ``x.cuda()`` of a file that needs a GPU, and for which no device is at hand."""

    def find() -> list[ast.Call]:
        calls = [call for call in facts.names.nodes.get(ast.Call, ()) if isinstance(call, ast.Call)]
        return [
            call
            for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset))
            if _is_move(call, facts) and _is_movable(call, facts)
            if not is_meant_for_gpu(call, facts) and _device_at_hand(call, facts) is None
        ]

    return facts.remembered(".cuda() without a device", find)


def _moves_its_own_way(module: Module, facts: Facts) -> bool:
    """Whether a module may be of a class of the project that says itself what moving it means."""
    if module.either:
        return any(_moves_its_own_way(one, facts) for one in module.either)
    if module.definition is not None or module.origin is not None:
        return any(method_of(facts.inference, module, name) for name in _OWN_MOVES)
    return module.cls is None and bool(method_names(facts.names) & _OWN_MOVES)


def _device_of_guard(call: ast.Call, facts: Facts) -> str | None:
    """``x.device`` under ``if x.is_cuda:`` or ``if isinstance(x, torch.cuda.FloatTensor):``."""
    assert isinstance(call.func, ast.Attribute)
    for test in guards_of(call, facts):
        tensor = tensor_on_gpu(test, facts) or tensor_of_gpu_type(test, facts)
        if isinstance(tensor, (ast.Name, ast.Attribute)):
            if not same_expression(tensor, call.func.value):
                return f"{ast.unparse(tensor)}.device"
    return None


def _is_plain_factory(call: ast.Call, facts: Facts) -> bool:
    assert isinstance(call.func, ast.Attribute)
    factory = call.func.value
    return (
        isinstance(factory, ast.Call)
        and facts.name(factory.func) in _SAME_ON_EVERY_DEVICE
        and not is_opaque(factory)
        and not any(k.arg == "device" for k in factory.keywords)
        and not call.keywords
    )


def _with_device(factory: cst.Call, device: cst.BaseExpression) -> cst.Call:
    if index_of_keyword(factory, "device") is not None:
        return factory
    return with_argument_added(factory, keyword_argument("device", device))
