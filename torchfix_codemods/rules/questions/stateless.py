"""Whether a module has no parameters, buffers and submodules: a state dict holds nothing of it."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import last_name, walk
from torchfix_codemods.facts.libraries.losses import LOSSES
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import class_named, is_self
from torchfix_codemods.facts.values.lattice import Module, Number, Text, Unknown
from torchfix_codemods.facts.values.torch_api import WITHOUT_PARAMETERS

#: What a class is derived from that keeps nothing itself.
_BASES = frozenset({"torch.nn.Module", "torch.nn.modules.loss._Loss"})
#: Methods of a module that give it state, and attributes that hold it.
_STATE = frozenset(
    "add_module register_module register_buffer register_parameter __setattr__ __dict__ _modules "
    "_buffers _parameters get_extra_state".split()
)


def is_stateless(facts: Facts, module: ast.expr) -> bool:
    """Whether a module certainly has no state: by its class, and what that is given.

    Args:
        facts: the file.
        module: an expression that gives the module.

    Returns:
        True of layers of torch without parameters, of losses that are given no weights, and of
        classes of the project that keep nothing but plain values of Python.
    """
    value = facts.value(module)
    if not isinstance(value, (Module, Unknown)):
        return False
    cls = value.cls if isinstance(value, Module) else None
    package, _, layer = (cls or "").rpartition(".")
    if package == "torch.nn" and layer in WITHOUT_PARAMETERS:
        return True
    if cls in LOSSES:
        return _is_unweighted(facts, module)
    made = facts.assigned(module) if isinstance(module, ast.Name) else [module]
    return bool(made) and all(_makes_stateless(facts, each) for each in made or ())


def _makes_stateless(facts: Facts, made: ast.expr) -> bool:
    """Whether an expression makes an object of a class of the project that has no state."""
    found = class_named(made.func, facts) if isinstance(made, ast.Call) else None
    if not isinstance(made, ast.Call) or found is None:
        return False
    return all(_is_plain(facts, each) for each in values_given(made)) and _keeps_none(*found)


def _is_unweighted(facts: Facts, loss: ast.expr) -> bool:
    """``nn.CrossEntropyLoss(reduction="sum")``, by that or by its name: weights are a buffer."""
    made = facts.assigned(loss) if isinstance(loss, ast.Name) else [loss]
    return made is not None and all(
        isinstance(call, ast.Call) and all(_is_plain(facts, given) for given in values_given(call))
        for call in made
    )


def _keeps_none(facts: Facts, definition: ast.ClassDef) -> bool:
    """Whether objects of a class keep plain values alone, if their constructor is given such."""
    for cls in facts.classes.bases(definition):
        for base in cls.bases:
            is_of_file = facts.classes.definition_of(base) is not None
            if not is_of_file and facts.name(base) not in _BASES:
                return False
        if cls.keywords or cls.decorator_list or any(_may_give(facts, n) for n in walk(cls)):
            return False
        for name in facts.classes.attribute_names(cls):
            for source in facts.classes.attribute_sources(cls, name):
                if source.value is None or not _is_plain(facts, source.value, inside=True):
                    return False
    return True


def _may_give(facts: Facts, node: ast.AST) -> bool:
    """Whether a part of a class may give its objects state, other than by an attribute."""
    if isinstance(node, (ast.FunctionDef, ast.Attribute)):
        return (node.name if isinstance(node, ast.FunctionDef) else node.attr) in _STATE
    if isinstance(node, ast.arguments):
        defaults = [*node.defaults, *filter(None, node.kw_defaults)]
        return not all(_is_plain(facts, default) for default in defaults)
    if isinstance(node, ast.Call) and last_name(node.func) == "__init__":
        given = [each for each in values_given(node) if not is_self(facts, each)]
        return not all(_is_plain(facts, each, inside=True) for each in given)
    if isinstance(node, ast.Name) and is_self(facts, node):
        holder = facts.parent(node)
        if isinstance(holder, ast.Call):
            is_super = facts.names.builtin(holder.func) == "super"
            return not is_super and last_name(holder.func) != "__init__"
        return not isinstance(holder, ast.Attribute)
    return False


def _is_plain(facts: Facts, node: ast.expr, inside: bool = False) -> bool:
    """Whether an expression is certainly no module and no parameter, nor holds one.

    Args:
        facts: its file.
        node: the expression.
        inside: whether it stands in a class whose constructor is given plain values.
    """
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(_is_plain(facts, element, inside) for element in node.elts)
    if isinstance(node, (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr)):
        return True
    if isinstance(node, ast.Call) and facts.names.builtin(node.func) is not None:
        return all(_is_plain(facts, given, inside) for given in values_given(node))
    if inside and isinstance(node, ast.Name):
        function, bindings = facts.names.enclosing_function(node), facts.flow.reaching(node)
        if function is not None and function.name == "__init__" and bindings:
            return all(binding.kind == "parameter" for binding in bindings)
    return isinstance(facts.value(node), (Number, Text))
