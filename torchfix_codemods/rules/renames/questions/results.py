"""Whether what is done with the result of a call is what a row's form speaks of."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from torchfix_codemods.catalogue.rows import Form, Given
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.libraries.container_methods import is_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import is_called, uses_given_by, uses_of_attribute


def is_used_as(form: Form, call: ast.Call, facts: Facts) -> bool:
    """Whether only those attributes of a result are read that a form has, and it is of its kind."""
    if form.reads and not _reads_only(form.reads, call, facts):
        return False
    return form.gives is None or _FACTS[form.gives](call, facts)


def _reads_only(names: Sequence[str], call: ast.Call, facts: Facts) -> bool:
    """Whether a result has a name of which nothing but some attributes is read."""
    read = [facts.parent(use) for use in _named_uses(call, facts)]
    return bool(read) and all(isinstance(n, ast.Attribute) and n.attr in names for n in read)


def _named_uses(call: ast.Call, facts: Facts) -> list[ast.expr]:
    """All uses of the name that a result gets; none where it has none, or others may use it."""
    statement = facts.parent(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return []
    if facts.names.scope_of(target) is facts.names.module and facts.is_used_elsewhere(target.id):
        return []
    return [*uses_given_by(facts, statement, target.id)]


def _is_read_by_element(call: ast.Call, facts: Facts) -> bool:
    """Whether single elements are all that is read of an array, where it stands or right below.

    Further down the bytes that it is a view of may be others.
    """
    is_read_at_once = isinstance(facts.parent(call), ast.Subscript)
    uses = [call] if is_read_at_once else _named_uses(call, facts)
    statement = facts.statement(call)
    block, scope = facts.block(statement), facts.names.scope_of(call)
    below = [statement] if is_read_at_once else block[block.index(statement) + 1 :][:1]
    return bool(uses) and all(
        isinstance(part := facts.parent(use), ast.Subscript)
        and part.value is use
        and isinstance(part.ctx, ast.Load)
        and isinstance(constant(part.slice), int)
        and facts.statement(use) in below
        and not isinstance(facts.statement(use), ast.While)
        and facts.names.scope_of(use) is scope
        for use in uses
    )


def _is_pickled(call: ast.Call, facts: Facts) -> bool:
    """Whether the object in an array of no dimension is taken out of it, and used as a dict is."""
    return any(
        _is_dict(use, how, facts)
        for loaded in _uses(call, facts)
        for taken, how in _taken_out(loaded, facts)
        for use in _uses(taken, facts)
    )


def _taken_out(array: ast.expr, facts: Facts) -> list[tuple[ast.expr, str]]:
    """``x.item()``, ``x.tolist()`` and ``x[()]``, each with its name."""
    parent = facts.parent(array)
    if isinstance(parent, ast.Subscript) and isinstance(parent.slice, ast.Tuple):
        return [] if parent.slice.elts else [(parent, "[()]")]
    call = None if parent is None else facts.parent(parent)
    if not isinstance(parent, ast.Attribute) or not isinstance(call, ast.Call):
        return []
    is_bare = call.func is parent and not call.args and not call.keywords
    return [(call, parent.attr)] if is_bare and parent.attr in ("item", "tolist") else []


def _is_dict(use: ast.expr, how: str, facts: Facts) -> bool:
    """Whether what was taken out of an array is asked for what only a dict has.

    Numbers, which have no elements, are what ``item()`` gives else; an array may have a field, and
    a list elements.
    """
    parent = facts.parent(use)
    if isinstance(parent, ast.Attribute):
        # Lists are what ``tolist()`` gives of any array.
        is_of_dicts = is_of("dict", parent.attr) and not is_of("list", parent.attr)
        return is_of_dicts and is_called(facts, parent)
    if not isinstance(parent, ast.Subscript) or parent.value is not use or how == "[()]":
        return False
    key = parent.slice
    if isinstance(key, ast.Constant):
        return isinstance(key.value, str)
    return how == "item" and isinstance(key, (ast.Name, ast.Attribute, ast.Subscript))


def _uses(value: ast.expr, facts: Facts) -> list[ast.expr]:
    """Where a value certainly is used: where it stands, or by the only name that it gets there."""
    statement = facts.parent(value)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return [value]
    target = statement.targets[0]
    if isinstance(target, ast.Name):
        uses = uses_given_by(facts, statement, target.id)
        return [use for use in uses if len(facts.flow.reaching(use)) == 1]
    if isinstance(target, ast.Attribute):
        stores = facts.names.attributes(target.attr)
        if sum(not isinstance(node.ctx, ast.Load) for node in stores) == 1:
            return [*uses_of_attribute(facts, target)]
    return []


#: What gives the same for an array of any shape, where it is asked for no axis.
_OF_ALL_ELEMENTS = frozenset("numpy.all numpy.any numpy.count_nonzero numpy.sum".split())


def _is_reshaped(call: ast.Call, facts: Facts) -> bool:
    """Whether the shape of an array makes no difference: ``np.all(x)``, ``x.reshape(y.shape)``.

    By ``order="F"`` other elements would come first.
    """
    parent = facts.parent(call)
    if isinstance(parent, ast.Call) and not parent.keywords:
        return facts.name(parent.func) in _OF_ALL_ELEMENTS and len(parent.args) == 1
    made = facts.parent(parent) if isinstance(parent, ast.Attribute) else None
    if not isinstance(parent, ast.Attribute) or not isinstance(made, ast.Call):
        return False
    if made.func is not parent or made.keywords:
        return False
    return parent.attr == "reshape" or (parent.attr in ("all", "any", "sum") and not made.args)


_FACTS: Mapping[Given, Callable[[ast.Call, Facts], bool]] = {
    Given.PICKLED: _is_pickled,
    Given.RESHAPED: _is_reshaped,
    Given.ELEMENT: _is_read_by_element,
}
