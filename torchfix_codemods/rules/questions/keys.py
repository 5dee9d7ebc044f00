"""Dicts and sets, in which no tensor is found by its number: it is hashed as an object."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.batches import is_of_batch
from torchfix_codemods.facts.tensors.integers import holds_integers
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Foreign, Mapping, Number, Tensor, Unknown

_WRITTEN = (ast.Dict, ast.DictComp, ast.Set, ast.SetComp)


def lost_key(facts: Facts, asking: ast.expr) -> ast.expr | None:
    """The tensor by which a dict or a set is asked that knows only what its number stands for.

    Args:
        facts: the facts of the module.
        asking: an expression: ``words[index]``, ``words[str(index)]``, ``index in seen``,
            ``words.get(index)``.
    """
    kept: ast.expr
    if isinstance(asking, ast.Subscript) and isinstance(asking.ctx, ast.Load):
        kept, key = asking.value, asking.slice
        if isinstance(key, ast.Call):
            written = _written_number(facts, key)
            if written is not None and _may_be_dict(facts, kept) and _is_old(facts, asking):
                return None if _is_filled_by_text(facts, kept) else written
    elif isinstance(asking, ast.Compare) and isinstance(asking.ops[0], (ast.In, ast.NotIn)):
        kept, key = asking.comparators[0], asking.left
    elif isinstance(asking, ast.Call) and isinstance(asking.func, ast.Attribute):
        if not container_methods.asks_by_key(asking.func.attr) or not asking.args:
            return None
        kept, key = asking.func.value, asking.args[0]
    else:
        return None
    if not _is_lost(facts, kept, key):
        return None
    # What is not found does not always raise: several numbers may have been looked for in vain.
    is_certain = isinstance(asking, ast.Subscript) or _is_element(facts, key)
    return key if is_certain else None


def _is_lost(facts: Facts, kept: ast.expr, key: ast.expr) -> bool:
    """Whether a tensor is looked for among numbers."""
    if isinstance(key, (ast.Constant, ast.Slice)) or not _may_be_written_down(facts, kept):
        return False
    value = facts.value(key)
    if not isinstance(value, Tensor) or not holds_integers(value):
        return False
    if value.ndim not in (None, 0) and not value.single:
        return False
    if not isinstance(facts.value(kept), Mapping) and not is_set(facts, kept):
        return False
    return _is_kept_by_numbers(facts, kept)


def is_set(facts: Facts, kept: ast.expr) -> bool:
    """Whether a set of Python is written down, or is all that a name is assigned."""
    made = (facts.assigned(kept) or []) if isinstance(kept, ast.Name) else [kept]
    return bool(made) and all(
        isinstance(value, (ast.Set, ast.SetComp))
        or _is_empty(facts, value)
        or _listed(facts, value) is not None
        for value in made
    )


def _listed(facts: Facts, made: ast.expr) -> list[ast.expr] | None:
    """The elements of ``set([1, 2])``; None of what is written in another way."""
    if not isinstance(made, ast.Call) or facts.names.builtin(made.func) != "set":
        return None
    given = made.args[0] if len(made.args) == 1 else None
    return given.elts if isinstance(given, (ast.List, ast.Tuple)) else None


def _is_empty(facts: Facts, made: ast.expr) -> bool:
    """``set()``, ``dict()``."""
    if not isinstance(made, ast.Call) or made.args or made.keywords:
        return False
    return facts.names.builtin(made.func) in ("dict", "set")


def _written_number(facts: Facts, text: ast.Call) -> ast.expr | None:
    """``index`` of ``str(index)``, an element of a tensor."""
    if facts.names.builtin(text.func) != "str" or len(text.args) != 1 or text.keywords:
        return None
    return text.args[0] if _is_element(facts, text.args[0]) else None


def _is_element(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is a tensor of no dimension, or what an index leaves of a tensor."""
    value = facts.value(node)
    if not isinstance(value, Tensor) or value.ndim not in (None, 0):
        return False
    made = facts.assigned(node) if isinstance(node, ast.Name) else [node]
    return value.ndim == 0 or (bool(made) and all(_is_part(facts, each) for each in made or ()))


def _is_part(facts: Facts, node: ast.expr) -> bool:
    """``x[i]``, ``x[i, j]``, and what is calculated of one."""
    if isinstance(node, ast.BinOp):
        return _is_part(facts, node.left) or _is_part(facts, node.right)
    return isinstance(node, ast.Subscript) and is_at_numbers(facts, node)


def is_at_numbers(facts: Facts, node: ast.Subscript) -> bool:
    """Whether numbers alone choose a part of a tensor: ``x[i]``, ``x[i, j]``."""
    return has_numbers(facts, node) and facts.is_tensor(node.value)


def has_numbers(facts: Facts, node: ast.Subscript) -> bool:
    """Whether what chooses a part is one number, or several."""
    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return all(isinstance(facts.value(index), Number) for index in indices)


def _is_old(facts: Facts, node: ast.expr) -> bool:
    """Whether an element that is written into a key was a number: a Variable had a long text."""
    return facts.era_of(node).before((0, 4))


def _may_be_dict(facts: Facts, kept: ast.expr) -> bool:
    return isinstance(facts.value(kept), (Foreign, Mapping, Unknown))


def _is_filled_by_text(facts: Facts, kept: ast.expr) -> bool:
    """Whether something is stored by what ``str`` writes, which may be the text of a tensor."""
    return any(
        isinstance(store, ast.Subscript)
        and isinstance(store.ctx, ast.Store)
        and isinstance(store.slice, ast.Call)
        and ast.unparse(store.value) == ast.unparse(kept)
        for store in facts.names.nodes.get(ast.Subscript, ())
    )


def _may_be_written_down(facts: Facts, kept: ast.expr) -> bool:
    """Whether it may be written down with its keys; asked first, because that is seldom so."""
    if isinstance(kept, (ast.Set, ast.SetComp)):
        return True
    if isinstance(kept, ast.Name):
        made = [binding.value for binding in facts.flow.reaching(kept)]
        return any(isinstance(v, (*_WRITTEN, ast.Call)) for v in made)
    if not isinstance(kept, ast.Attribute):
        return False
    if kept.attr not in facts.names.assigned_attributes:
        return True
    statements = (facts.parent(use) for use in facts.names.attributes(kept.attr))
    return any(isinstance(getattr(s, "value", None), _WRITTEN) for s in statements)


def _is_kept_by_numbers(facts: Facts, kept: ast.expr) -> bool:
    """Whether everything that a dict is given in its file is given for a number.

    Or that a set holds numbers alone.
    """
    if isinstance(kept, (ast.Set, ast.SetComp)):
        return _are_numbers(facts, [kept], [])
    if isinstance(kept, ast.Name):
        made = facts.assigned(kept)
        found = facts.names.scope_of(kept).lookup(kept.id)
        if made is None or found is None:
            return False
        return _are_numbers(facts, made, facts.names.uses_of(found[0], kept.id))
    if not isinstance(kept, ast.Attribute):
        return False
    receiver = facts.value(kept.value)
    home = facts_of(receiver.owner) if isinstance(receiver, Imported) else facts
    if home is None:
        return False
    uses = home.names.attributes(kept.attr)
    made = []
    for use in uses:
        if isinstance(use.ctx, ast.Store):
            statement = home.parent(use)
            if not isinstance(statement, ast.Assign):
                return False
            made.append(statement.value)
    return _are_numbers(home, made, uses)


def _are_numbers(facts: Facts, made: Iterable[ast.expr], uses: Iterable[ast.expr]) -> bool:
    """Whether dicts and sets are written down with numbers, and get nothing else; at least one."""
    keys: list[ast.expr | None] = []
    for value in made:
        if isinstance(value, ast.Dict):
            keys += value.keys
        elif isinstance(value, ast.DictComp):
            keys.append(value.key)
        elif isinstance(value, ast.Set):
            keys += value.elts
        elif isinstance(value, ast.SetComp):
            keys.append(value.elt)
        elif _is_empty(facts, value):
            continue
        elif (listed := _listed(facts, value)) is not None:
            keys += listed
        else:
            return False
    keys += filter(None, (_stored(facts.names, use) for use in uses))
    return bool(keys) and all(k is not None and isinstance(facts.value(k), Number) for k in keys)


def _stored(names: Names, use: ast.expr) -> ast.expr | None:
    """``k`` of ``words[k] = …`` and of ``seen.add(k)``; of ``seen.update(…)`` what is no number."""
    parent = names.parents.get(use)
    if isinstance(parent, ast.Attribute) and container_methods.keeps(parent.attr):
        call = names.parents.get(parent)
        is_one = parent.attr == "add" and isinstance(call, ast.Call) and len(call.args) == 1
        return call.args[0] if is_one and isinstance(call, ast.Call) else parent
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return parent.slice if isinstance(parent.ctx, ast.Store) else None
    return None


def is_lost_key(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is such a tensor: ``x.data[0]`` of ``words[x.data[0]]``."""
    around = facts.parent(node)
    places = [around, facts.parent(around)] if isinstance(around, ast.Call) else [around]
    return any(isinstance(p, ast.expr) and lost_key(facts, p) is node for p in places)


def collected(facts: Facts, call: ast.Call) -> ast.expr | None:
    """The tensor whose elements a set is made of, or are counted: ``set(x)``, ``Counter(x)``."""
    builtin = facts.names.builtin(call.func)
    if len(call.args) != 1 or call.keywords:
        return None
    if builtin not in ("frozenset", "set") and facts.name(call.func) != "collections.Counter":
        return None
    given = call.args[0]
    value = facts.value(given)
    is_tensor = isinstance(value, Tensor) and value.ndim != 0 and not is_of_batch(facts, given)
    return given if is_tensor else None
