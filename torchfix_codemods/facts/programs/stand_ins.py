"""What tests replace by a ``Mock`` of ``patch("…")``, and who calls what it stands for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.classes import is_annotation, is_asked_for
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries.torch_names import canonical, last_part
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values.inference import OtherFile
from torchfix_codemods.record import record

_PATCH = frozenset({"unittest.mock.patch", "mock.patch"})

#: The methods of a mock that say how its code has called it.
ASSERTIONS = frozenset({"assert_called_with", "assert_called_once_with", "assert_any_call"})

#: The attributes of a mock that hold what it was given.
_RECORDS = frozenset({"call_args", "call_args_list", "mock_calls", "method_calls"})

#: So many names are followed from a value to the mock that it comes from.
_MOST_NAMES = 4


@record
class Use:
    """A place of the project."""

    path: Path
    """Of the file that it stands in."""
    facts: Facts
    """Of that file."""
    node: ast.expr | ast.stmt


def asserted(facts: Facts, call: ast.Call) -> str | None:
    """What the mock stands for of which ``mock.assert_called_with(…)`` says how it was called."""
    method = call.func
    if not isinstance(method, ast.Attribute) or method.attr not in ASSERTIONS:
        return None
    return replaced_by(facts, method.value)


def called_so(name: str) -> str:
    """What is said of an assertion that follows its code."""
    return f"what stands in for {last_part(name)} is called so today"


def replaced_by(facts: Facts, node: ast.expr) -> str | None:
    """What a name stands for that ``@patch`` or ``with patch(…) as name`` gives to a test.

    Of what stands in for a module, ``mock_torch.load`` stands for a function of it.

    Returns:
        the qualified name of what is replaced, torch's or another library's; None where that is
        not certain.
    """
    mock = _mock(facts, node)
    name = None if mock is None else _resolved(facts, mock[0])
    return None if name is None or mock is None else canonical(".".join([name, *mock[1]]))


def calls_replaced(facts: Facts, node: ast.expr) -> list[Use] | None:
    """The calls in the project of what a mock stands for, where it stands for it.

    Returns:
        None where some may be out of sight.
    """
    mock, name = _mock(facts, node), replaced_by(facts, node)
    if mock is None or name is None:
        return None
    module = _module_of(facts, mock[0])
    if module is None or len(module[1]) > 1:
        return uses_by_name(facts, name)
    # What stands in for a name of one file stands for nothing elsewhere.
    there = facts_of(module[0])
    return None if there is None else _uses_in(there, module[0].path, name)


def _mock(facts: Facts, node: ast.expr) -> tuple[str, list[str]] | None:
    """The text of the ``patch`` that gives a mock, and the attributes that are taken from it."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.insert(0, node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or facts.files is None:
        return None
    bindings = facts.flow.reaching(node)
    path = _replaced_path(facts, bindings[0]) if len(bindings) == 1 else None
    return None if path is None else (path, attributes)


def uses_by_name(facts: Facts, name: str) -> list[Use] | None:
    """The calls of what a qualified name means, in all files of the project.

    Returns:
        None where it may be called elsewhere: a file cannot be read, or hands the function on.
    """
    return facts.remembered(("uses by name", name), lambda: _uses_by_name(facts, name))


def is_rewritten(facts: Facts, use: Use, code: str) -> bool:
    """Whether this run applies a rule to a place as well, and no comment there asks it not to."""
    if facts.files is None or not facts.files.applies(use.path, code):
        return False
    if "torch" not in use.facts.text:
        # Nothing is looked for in such a file.
        return False
    statement = use.facts.statement(use.node)
    lines = use.facts.lines[statement.lineno - 1 : statement.end_lineno]
    is_hidden = any("noqa" in line.lower() for line in lines)
    return not is_hidden and "torchfix:" not in use.facts.text


def recorded(facts: Facts, node: ast.expr) -> str | None:
    """What the mock stands for that was given a value: ``mock.call_args[0][0]``, or its name."""
    for _ in range(_MOST_NAMES):
        last: ast.expr = node
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            last, node = node, node.value
        if not isinstance(node, ast.Name):
            return None
        if isinstance(last, ast.Attribute) and last.attr in _RECORDS:
            return replaced_by(facts, node)
        bindings = facts.flow.reaching(node)
        if len(bindings) != 1 or bindings[0].value is None:
            return None
        node = bindings[0].value
    return None


def _uses_by_name(facts: Facts, name: str) -> list[Use] | None:
    files = facts.files
    others = None if files is None else files.mentioning(last_part(name))
    if files is None or others is None:
        return None
    found: list[Use] = []
    for path, there in ((files.path, facts), *((file.path, facts_of(file)) for file in others)):
        uses = None if there is None else _uses_in(there, path, name)
        if uses is None:
            return None
        found += uses
    return found


def _uses_in(there: Facts, path: Path, name: str) -> list[Use] | None:
    """The calls in one file; None where it hands the function on."""
    found: list[Use] = []
    for node in _named(there, name):
        parent = there.parent(node)
        if isinstance(parent, ast.Call) and parent.func is node:
            found.append(Use(path, there, parent))
        elif not is_asked_for(there.names, node) and not is_annotation(there.names, node):
            return None
    return found


def _named(facts: Facts, name: str) -> Iterator[ast.expr]:
    """The expressions of a file that mean a qualified name, however it is imported."""
    for cls in (ast.Attribute, ast.Name):
        for node in facts.names.nodes.get(cls, ()):
            assert isinstance(node, (ast.Attribute, ast.Name))
            if isinstance(node.ctx, ast.Load) and facts.name(node) == name:
                yield node


def _replaced_path(facts: Facts, binding: Binding) -> str | None:
    """The text of the ``patch`` whose mock a name is bound to."""
    if binding.kind == "with" and binding.value is not None and not binding.path:
        return _path(facts, binding.value)
    arguments = facts.parent(binding.node) if binding.kind == "parameter" else None
    function = None if arguments is None else facts.parent(arguments)
    if not isinstance(arguments, ast.arguments) or not isinstance(function, ast.FunctionDef):
        return None
    is_method = isinstance(facts.parent(function), ast.ClassDef)
    given = dict(zip(arguments.args[is_method:], reversed(function.decorator_list), strict=False))
    paths = [_path(facts, decorator) for decorator in function.decorator_list]
    decorator = given.get(binding.node) if isinstance(binding.node, ast.arg) else None
    return None if decorator is None or None in paths else _path(facts, decorator)


def _path(facts: Facts, decorator: ast.expr) -> str | None:
    """The text of ``@patch("module.name")``, which gives the test a ``Mock``."""
    if not isinstance(decorator, ast.Call) or facts.name(decorator.func) not in _PATCH:
        return None
    is_plain = len(decorator.args) == 1 and not decorator.keywords
    path = constant(decorator.args[0]) if is_plain else None
    return path if isinstance(path, str) else None


def _resolved(facts: Facts, path: str) -> str | None:
    if path.startswith(("torch.", "torchvision.")):
        return canonical(path)
    module = _module_of(facts, path)
    there = None if module is None else module[0].inference
    if module is None or there is None:
        return None
    first, *more = module[1]
    name = there.names.name_left(first)
    return None if name is None else ".".join([name, *more])


def _module_of(facts: Facts, path: str) -> tuple[OtherFile, list[str]] | None:
    """The file of the project in which something is replaced, and what of its names."""
    parts = path.split(".")
    if facts.files is None or parts[0] in ("torch", "torchvision"):
        return None
    for length in range(len(parts) - 1, 0, -1):
        file = facts.files.module(".".join(parts[:length]))
        if file is not None:
            return file, parts[length:]
    return None
