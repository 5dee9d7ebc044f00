"""Names of numpy, Pillow, SciPy and Python that went in the time of torch 0.x and 1.x."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping

from torchfix_codemods.catalogue.rows import Gone
from torchfix_codemods.edit import cst
from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.questions.named_lines import told_once
from torchfix_codemods.rules.questions.removed_messages import gone_message
from torchfix_codemods.rules.removed import Removed
from torchfix_codemods.rules.renames.questions.frames import FRAME, asked_of_frame, instead_of
from torchfix_codemods.rules.renames.questions.opened_modes import OPENS, old_mode

#: What gives the values of a table, which is an attribute today.
_VALUES = ("as_matrix", "get_values")


class OtherLibraries(Removed):
    """
    ## What it does
    Writes `int` for `np.int`, `np.nan` for `np.NaN`, `collections.abc.Iterable` for
    `collections.Iterable`, `Image.LANCZOS` for `Image.ANTIALIAS`, and so on for all rows of the
    [catalogue](../catalogue.md) about other libraries; `table.values` for `table.as_matrix()` of
    what pandas made; `open(path, "r")` for `open(path, "rU")`; says what to use for `table.ix[…]`,
    `scipy.misc.imread`, `time.clock` and others that have no successor by another name. What is
    imported and read nowhere goes from the import. All Python files of a project that uses torch
    are looked at, those that do not mention torch as well.

    ## Why
    The Python and the numpy that today's torch runs on do not have them: a file that is brought up
    to date for torch fails at the next line.

    ## Example
    ```python
    labels = np.zeros(n, dtype=np.int)
    if isinstance(batch, collections.Sequence):
        ...
    ```
    becomes
    ```python
    labels = np.zeros(n, dtype=int)
    if isinstance(batch, collections.abc.Sequence):
        ...
    ```

    ## Numbers
    Restored: the names fail. Identical for `np.bool` and `np.long`, which numpy 1.24 took away and
    2.0 brought back for its own types; as a `dtype` they mean the same.

    ## When it stays its hand
    In projects of which no file imports torch, where the import stands under `try`, where `int` or
    another new name is something else in the file, and where `np.bool` is called or asked for by
    `isinstance`.

    ## References
    - https://numpy.org/doc/stable/release/1.24.0-notes.html
    - https://numpy.org/doc/stable/numpy_2_0_migration_guide.html
    - https://docs.python.org/3/whatsnew/3.10.html
    """

    code = "TP907"
    name = "other-libraries"
    since = "1.0"
    numerics = Numerics.RESTORED
    message = "this name is gone from its library"

    def for_other_libraries(self) -> Rule | None:
        rule = super().for_other_libraries()
        if rule is not None:
            rule.words |= OPENS
        return rule

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        opened = old_mode(node, facts)
        if opened is not None:
            mode, new = opened
            message = (
                f'Python 3.11 took away the mode "U", which changed nothing since 3.0: "{new}"'
            )
            yield self.found(mode, message, mode=new)

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        yield from super().find_Attribute(node, facts)
        row = self._row_of(node, facts)
        if row is None:
            return
        if _is_plain(node, facts):
            message = f"{row.old} {row.state}: .values"
            reason = row.reason(Numerics.RESTORED, self.target)
            yield self.found(facts.parent(node) or node, message, reason=reason)
            return
        alike = facts.names.attributes(node.attr)
        told = told_once(node, facts, row.old, alike, lambda other: self._told_of(other, facts))
        if told is not None:
            yield self.advice(node, told)

    def _told_of(self, node: ast.AST, facts: Facts) -> str | None:
        row = self._row_of(node, facts) if isinstance(node, ast.Attribute) else None
        if row is None or not isinstance(node, ast.Attribute) or _is_plain(node, facts):
            return None
        return gone_message([row.old], row.state, instead_of(facts, node) or row.advice)

    def _row_of(self, node: ast.Attribute, facts: Facts) -> Gone | None:
        """The row about what a table of pandas is asked."""
        row = self._of_frames.get(node.attr)
        if row is None or facts.name(node) is not None or asked_of_frame(facts, node) != row.old:
            return None
        return None if is_guarded(facts, node, "loc") else row

    @functools.cached_property
    def _of_frames(self) -> Mapping[str, Gone]:
        """The rows about what tables of pandas are asked, by the name that it has there."""
        gone = [row for row in self.rows if isinstance(row, Gone)]
        return {last_part(row.old): row for row in gone if row.old.startswith(f"{FRAME}.")}

    def leave_SimpleString(
        self, original: cst.SimpleString, updated: cst.SimpleString
    ) -> cst.SimpleString:
        return updated.with_changes(value=f"{updated.quote}{self.data['mode']}{updated.quote}")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        method = updated.func
        if not isinstance(method, cst.Attribute):
            return updated
        return method.with_changes(attr=cst.Name("values"), lpar=updated.lpar, rpar=updated.rpar)


#: What opens files is no row of the catalogue.
OtherLibraries.words |= OPENS


def _is_plain(node: ast.Attribute, facts: Facts) -> bool:
    """``table.as_matrix()``, all of which ``table.values`` is."""
    call = facts.parent(node)
    is_called = isinstance(call, ast.Call) and call.func is node
    if node.attr not in _VALUES or not is_called or not isinstance(call, ast.Call):
        return False
    return not call.args and not call.keywords
