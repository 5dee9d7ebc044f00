"""`torch.cat(x for x in xs)`, `torch.stack(d.values())`: torch joins what lists and tuples hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.lists import as_list
from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Mapping, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

#: By the name of who joins, which is that of the library.
_JOINING = {
    "torch": frozenset({"cat", "concat", "stack"}),
    "numpy": frozenset("column_stack concatenate dstack hstack stack vstack".split()),
}
_CALLED = {"torch": "torch", "numpy": "NumPy"}

_ITERATORS = frozenset({"filter", "map", "reversed"})


class JoinedIterator(Rule):
    """
    ## What it does
    Makes a list of what `torch.cat` and `torch.stack` join, or `np.stack` and its kin, where that
    is a generator, `map(...)`, `filter(...)`, `reversed(...)` or the `values()` of a dict.

    ## Why
    `map` and `values` gave lists in Python 2, and Variables were joined by a function that went
    through anything. Today torch raises "argument 'tensors' must be tuple of Tensors, not
    generator". NumPy went through generators until 1.15, warned then, and raises today.

    ## Example
    ```python
    features = torch.cat(layer(x) for layer in layers)
    states = torch.stack(map(encode, sentences), 1)
    ```
    becomes
    ```python
    features = torch.cat([layer(x) for layer in layers])
    states = torch.stack(list(map(encode, sentences)), 1)
    ```

    ## Numbers
    Restored: the old call fails; the new one joins the same tensors.

    ## When it stays its hand
    Where `values()` may be a method of the project, where `list` or `map` is a name of the file,
    and where an iterator has a name that is read elsewhere, too: it is exhausted there.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.cat.html
    - https://numpy.org/doc/stable/release/1.16.0-notes.html
    - https://docs.python.org/3/whatsnew/3.0.html#views-and-iterators-instead-of-lists
    """

    code = "TP427"
    name = "joined-iterator"
    since = "0.1"
    numerics = Numerics.RESTORED
    words = frozenset().union(*_JOINING.values())
    message = "{1} joins what a list or a tuple holds, and can not go through {0}"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        library, _, function = (facts.name(call.func) or "").rpartition(".")
        if not call.args or is_opaque(call) or function not in _JOINING.get(library, ()):
            return
        given = call.args[0]
        what = _iterator(facts, given) or _named_iterator(facts, given)
        if what and facts.names.scope_of(call).lookup("list") is None:
            yield self.found(call, self.message.format(what, _CALLED[library]))

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        tensors = updated.args[0]
        return updated.with_changes(
            args=[tensors.with_changes(value=as_list(tensors.value)), *updated.args[1:]]
        )


def _iterator(facts: Facts, node: ast.expr) -> str | None:
    """What an expression is called that can be gone through, and is no list; None elsewhere."""
    if isinstance(node, ast.GeneratorExp):
        return "a generator"
    if not isinstance(node, ast.Call):
        return None
    builtin = facts.names.builtin(node.func)
    if builtin in _ITERATORS:
        return f"{builtin}()"
    return "the values of a dict" if _gives_values(facts, node) else None


def _gives_values(facts: Facts, call: ast.Call) -> bool:
    method = call.func
    if not isinstance(method, ast.Attribute) or method.attr != "values":
        return False
    if call.args or call.keywords or facts.name(method) is not None:
        return False
    receiver = facts.value(method.value)
    if isinstance(receiver, Mapping):
        return True
    return isinstance(receiver, Unknown) and not may_be_of_project(facts.names, "values")


def _named_iterator(facts: Facts, node: ast.expr) -> str | None:
    """The same of a name that is given nothing else, and read nowhere else unless it is a view."""
    if not isinstance(node, ast.Name):
        return None
    made = facts.assigned(node) or []
    found = facts.names.scope_of(node).lookup(node.id)
    if len(made) != 1 or found is None:
        return None
    is_view = isinstance(made[0], ast.Call) and _gives_values(facts, made[0])
    is_read_once = [*facts.names.uses_of(found[0], node.id)] == [node]
    return _iterator(facts, made[0]) if is_view or is_read_once else None
