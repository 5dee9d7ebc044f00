"""Whether a module can be built again at another place, so that its state dict says all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts import torch_api
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import Function, Module, Sequence, Tensor

#: What may be asked of a model without changing what its constructor would give.
_HARMLESS = frozenset(
    """parameters named_parameters state_dict load_state_dict zero_grad modules named_modules
    children named_children forward train eval""".split()
)
_READING_BUILTINS = frozenset("print len type isinstance id repr str".split())


def construction_of(facts: Facts, model: ast.expr) -> ast.expr | None:
    """The expression that built a model, with all that was done to it; None if not certain.

    ``Net(4).cuda()`` is one; a model whose layers are replaced or that is moved by a statement
    of its own has none.
    """
    value = facts.value(model)
    if not isinstance(value, Module) or value.call is None:
        return None
    built: ast.expr = value.call
    while True:
        attribute = facts.parent(built)
        call = facts.parent(attribute) if attribute is not None else None
        if not (
            isinstance(attribute, ast.Attribute)
            and isinstance(call, ast.Call)
            and call.func is attribute
            and attribute.attr in torch_api.MODULE_FLUENT
        ):
            break
        built = call
    if not isinstance(facts.parent(built), ast.Assign):
        return None
    if not all(_leaves_as_built(facts, use, built) for use in _uses(facts, value.call)):
        return None
    return built if _state_dict_says_all(facts) else None


def gives_the_same(facts: Facts, node: ast.expr, place: ast.AST) -> bool:
    """Whether evaluating ``node`` again at ``place`` certainly gives an equal value."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return _is_same_name(facts, node, place)
    if isinstance(node, ast.Attribute):
        return gives_the_same(facts, node.value, place) and not _is_assigned(facts, node.attr)
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
        return call.func.attr in torch_api.MODULE_FLUENT and facts.is_module(call.func.value)
    return isinstance(facts.value(call), Module)


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


def _is_assigned(facts: Facts, attribute: str) -> bool:
    """Whether the file assigns to an attribute of that name anywhere (``args.width = 3``)."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == attribute
        and not isinstance(node.ctx, ast.Load)
        for node in facts.names.nodes.get(ast.Attribute, ())
    )


def _uses(facts: Facts, construction: ast.Call) -> Iterator[ast.expr]:
    """The names and attributes that hold the model which ``construction`` built."""
    for cls in (ast.Name, ast.Attribute):
        for node in facts.names.nodes.get(cls, ()):
            assert isinstance(node, (ast.Name, ast.Attribute))
            if isinstance(node.ctx, ast.Load):
                value = facts.value(node)
                if isinstance(value, Module) and value.call is construction:
                    yield node


def _leaves_as_built(facts: Facts, use: ast.expr, built: ast.expr) -> bool:
    """Whether a use of a model changes nothing but its parameters and its mode."""
    parent = facts.parent(use)
    if isinstance(parent, ast.keyword):
        parent = facts.parent(parent)
    if isinstance(parent, ast.Attribute):
        if not isinstance(parent.ctx, ast.Load):
            return False
        call = facts.parent(parent)
        if isinstance(call, ast.Call) and call.func is parent:
            return parent.attr in _HARMLESS
        return not isinstance(call, ast.Attribute) or isinstance(call.ctx, ast.Load)
    if isinstance(parent, ast.Call):
        if parent.func is use:
            return True
        if facts.name(parent.func) == "torch.save":
            return True
        if isinstance(parent.func, ast.Name) and parent.func.id in _READING_BUILTINS:
            return True
        return isinstance(facts.value(parent.func), Function)
    return isinstance(parent, (ast.Expr, ast.Return))


def _state_dict_says_all(facts: Facts) -> bool:
    """Whether the modules of this file hold nothing that a state dict leaves out."""
    for node in facts.names.nodes.get(ast.ClassDef, ()):
        assert isinstance(node, ast.ClassDef)
        if facts.classes.kind(node) == "plain":
            continue
        for name in facts.classes.attribute_names(node):
            for source in facts.classes.attribute_sources(node, name):
                function = facts.names.enclosing_function(source.node)
                if function is None or function.name != "__init__" or source.value is None:
                    return False
                value = facts.value(source.value)
                if isinstance(value, Tensor) and value.leaf_module is None:
                    return False
                if isinstance(value, Sequence) and isinstance(value.element, (Module, Tensor)):
                    return False
    return True
