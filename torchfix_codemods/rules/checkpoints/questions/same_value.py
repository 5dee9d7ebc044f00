"""Whether an expression gives an equal value at another place, of its file or of another one."""

from __future__ import annotations

import ast
from pathlib import Path

from torchfix_codemods.facts.evaluation.classes_elsewhere import is_of_one_file
from torchfix_codemods.facts.evaluation.elsewhere import imported
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.libraries.torch_names import canonical
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import ClassObject, Module, Sequence, Tensor, Value


def gives_the_same_in(facts: Facts, node: ast.expr, there: Facts, place: ast.AST) -> bool:
    """Whether evaluating ``node`` at a place of another file certainly gives an equal value."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, (ast.Tuple, ast.List, ast.UnaryOp, ast.BinOp)):
        children = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
        return all(gives_the_same_in(facts, child, there, place) for child in children)
    if not isinstance(node, ast.Call) or any(k.arg is None for k in node.keywords):
        return False
    parts = values_given(node)
    function = node.func
    name = facts.name(function) or ""
    if name.startswith("torch.nn.") and name.count(".") == 2:
        is_same = _named_in(there, place, function) == name
    elif isinstance(function, ast.Attribute):
        is_same = torch_table.gives_its_module(function.attr) and facts.is_module(function.value)
        parts.append(function.value)
    else:
        is_same = _is_same_class(facts, function, there, place)
    return is_same and all(gives_the_same_in(facts, part, there, place) for part in parts)


def _named_in(there: Facts, place: ast.AST, written: ast.expr) -> str | None:
    """The qualified name that a dotted name has at a place of another file."""
    root, _, rest = ast.unparse(written).partition(".")
    found = there.names.scope_of(place).lookup(root)
    if found is None or len(found[1]) != 1 or found[1][0].kind != "import":
        return None
    qualified = found[1][0].qualified or ""
    return canonical(f"{qualified}.{rest}" if rest else qualified)


def _is_same_class(facts: Facts, name: ast.expr, there: Facts, place: ast.AST) -> bool:
    """Whether a name stands for the same class of the project at a place of another file."""
    found = there.names.scope_of(place).lookup(getattr(name, "id", ""))
    if found is None or len(found[1]) != 1 or found[1][0].kind != "import":
        return False
    wanted = _class_place(facts, facts.value(name))
    return wanted is not None and wanted == _class_place(there, imported(there.files, found[1][0]))


def _class_place(facts: Facts, value: Value) -> tuple[Path, int] | None:
    """The file and line of a class."""
    inference = facts.inference
    if isinstance(value, Imported):
        inference, value = value.owner, value.value
    if not isinstance(value, ClassObject) or inference.files is None:
        return None
    return inference.files.path, value.definition.lineno


def gives_the_same(facts: Facts, node: ast.expr, place: ast.AST) -> bool:
    """Whether evaluating ``node`` again at ``place`` certainly gives an equal value."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return _is_same_name(facts, node, place)
    if isinstance(node, ast.Attribute):
        return gives_the_same(facts, node.value, place) and not is_assigned(facts, node.attr)
    if isinstance(node, ast.Call):
        if any(k.arg is None for k in node.keywords) or not _builds(facts, node):
            return False
        parts = [node.func, *node.args, *(k.value for k in node.keywords)]
        return all(gives_the_same(facts, part, place) for part in parts)
    if isinstance(node, (ast.Tuple, ast.List, ast.UnaryOp, ast.BinOp)):
        children = (c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr))
        return all(gives_the_same(facts, child, place) for child in children)
    return False


def _builds(facts: Facts, call: ast.Call) -> bool:
    name = facts.name(call.func)
    if name is not None:
        return name.startswith("torch.nn.") and name.count(".") == 2
    if isinstance(call.func, ast.Attribute):
        return torch_table.gives_its_module(call.func.attr) and facts.is_module(call.func.value)
    value = facts.value(call)
    return isinstance(value, Module) and is_of_one_file(facts.inference, value)


def _is_same_name(facts: Facts, name: ast.Name, place: ast.AST) -> bool:
    here = facts.names.scope_of(name).lookup(name.id)
    there = facts.names.scope_of(place).lookup(name.id)
    if here is None or there is None or here[0] is not there[0] or len(here[1]) != 1:
        return False
    binding = here[1][0]
    if binding.kind in ("import", "class", "function"):
        return True
    is_plain = binding.kind == "assign" or (
        binding.kind == "parameter" and here[0] is facts.names.scope_of(place)
    )
    return is_plain and not isinstance(facts.value(name), (Module, Tensor, Sequence))


def is_assigned(facts: Facts, attribute: str) -> bool:
    """Whether the file assigns to an attribute of that name anywhere (``args.width = 3``)."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == attribute
        and not isinstance(node.ctx, ast.Load)
        for node in facts.names.nodes.get(ast.Attribute, ())
    )


def is_loaded_from_one_file(facts: Facts, use: ast.Name) -> bool:
    """Whether a name holds what one file holds, in whatever way it is loaded.

    ``if gpu: net = torch.load(path) else: net = torch.load(path, "cpu")``.

    Args:
        facts: the facts of the module.
        use: where the name is read.
    """
    loads = [b.value if b.kind == "assign" else None for b in facts.flow.reaching(use)]
    paths = [
        load.args[0]
        if isinstance(load, ast.Call) and facts.name(load.func) == "torch.load" and load.args
        else None
        for load in loads
    ]
    return None not in paths and len({_as_written(facts, path) for path in paths}) == 1


def _as_written(facts: Facts, path: ast.expr | None) -> object:
    """An expression, and what gave its names what they hold."""
    names = [] if path is None else [n for n in ast.walk(path) if isinstance(n, ast.Name)]
    return path and ast.dump(path), tuple(frozenset(facts.flow.reaching(n)) for n in names)
