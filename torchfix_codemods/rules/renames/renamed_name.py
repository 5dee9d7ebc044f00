"""Functions, classes and constants of torch that have another name today."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.catalogue import rows_of
from torchfix_codemods.catalogue.rows import Name
from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.language.classes import question_for
from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found
from torchfix_codemods.rules.renamed import Renamed
from torchfix_codemods.rules.renames.questions.asked_classes import counts_as
from torchfix_codemods.rules.renames.questions.tensor_datasets import (
    OLD_SIZES,
    OLD_TENSORS,
    is_of_joined_datasets,
    is_tensor_dataset,
    may_be_tensor_dataset,
    only_tensor_datasets,
)
from torchfix_codemods.text.wording import worded

_WIDER = {
    row.old: row.wider_by
    for row in rows_of("TP901")
    if isinstance(row, Name) and row.wider_by is not None
}


class RenamedName(Renamed):
    """
    ## What it does
    Writes functions, classes and constants of torch by their names of today: `torch.outer` for
    `torch.ger`, `torch.hub.load_state_dict_from_url` for `torch.utils.model_zoo.load_url`, and so
    on for all rows of the [catalogue](../catalogue.md) that only rename; methods of tensors, too.
    `isinstance(s, _LRScheduler)` goes on to leave out `ReduceLROnPlateau`, which is a `LRScheduler`
    since torch 2.2. What a `TensorDataset` called `data_tensor` and `target_tensor` is in its
    `tensors`, and the `cummulative_sizes` of a `ConcatDataset` are spelt as they are today. The
    import of a name that is gone and that nothing reads goes.

    ## Why
    Old names warn, some at each call, and most are taken away in the end. Some come from private
    modules, which change without notice.

    ## Example
    ```python
    outer = torch.ger(u, v)
    ```
    becomes
    ```python
    outer = torch.outer(u, v)
    ```

    ## Numbers
    Identical where the old name is still there; restored where it is gone.

    ## When it stays its hand
    Where the file chooses between both names itself (by `try`, by `hasattr` or by a test of the
    version) or replaces the function, where the new name is something else in the file, where
    another file may import the old name from this one, where it counts which function this is
    (`{torch.ger: 2}`, `@implements(torch.ger)`), and on methods of what is not certainly a tensor.
    `loader.dataset.data_tensor` of a loader that comes from elsewhere is reported, where not all
    loaders of the project certainly hold a `TensorDataset`, and so is an import that fails today
    and stays for one of these reasons.

    ## References
    - https://github.com/pytorch/pytorch/releases
    - https://pytorch.org/docs/stable/torch.html
    """

    code = "TP901"
    name = "renamed-name"
    tor = (
        "TOR001",
        "TOR004",
        "TOR101",
        "TOR103",
        "TOR104",
        "TOR105",
    )
    since = "1.0"
    numerics = Numerics.IDENTICAL
    words = frozenset({OLD_SIZES, *OLD_TENSORS})
    message = "this has another name in today's torch"

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if node.attr in OLD_TENSORS and isinstance(node.ctx, ast.Load):
            yield from self._tensor_of_dataset(node, facts)
            return
        if node.attr == OLD_SIZES:
            yield from self._sizes_of_datasets(node, facts)
            return
        new = self.methods.get(node.attr)
        if new is None or facts.name(node) is not None:
            yield from super().find_Attribute(node, facts)
        elif facts.is_tensor(node.value) and not is_guarded(facts, node, new):
            old = f"torch.Tensor.{node.attr}"
            message = f"{node.attr} of a tensor is now {new}"
            yield self.found_by_name(old, node, message, facts, attr=new, path=None)

    def may_follow(self, use: ast.expr, old: str, facts: Facts) -> bool:
        other = _WIDER.get(old)
        question = question_for(facts.names, use) if other is not None else None
        if question is None or other is None:
            return super().may_follow(use, old, facts)
        return not counts_as(facts.names, question, other)

    def prepared(self, uses: Sequence[ast.expr], old: str, facts: Facts) -> Iterator[Found]:
        other = _WIDER.get(old)
        if other is None:
            return
        asks = f"{last_part(other)} was no {last_part(old)} and is a {last_part(self.renames[old])}"
        questions = [q for use in uses if (q := question_for(facts.names, use)) is not None]
        told = [q for q in questions if not only_computes(facts, q.args[0])]
        for question in told or questions:
            path = None if told else spell(facts, other, question)
            if path is None:
                yield self.advice(question, f"{asks}: ask for both")
                continue
            claim = self.row_of[old].asked
            yield self.found(question, asks, numerics=claim, needs=path.needs, other=path.text)

    def _tensor_of_dataset(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        index = OLD_TENSORS[node.attr]
        message = f"{node.attr} of a TensorDataset is tensors[{index}] since 0.4"
        if is_guarded(facts, node, "tensors"):
            return
        is_old = not facts.era_of(node).needs((0, 4))
        may_be = is_old and may_be_tensor_dataset(facts, node)
        if is_tensor_dataset(facts, node.value) or (may_be and only_tensor_datasets(facts)):
            yield self.found(node, message, numerics=Numerics.RESTORED, index=index)
        elif may_be:
            new = f"{worded(node.value, '…')}.tensors[{index}]"
            yield self.advice(node, f"{message}: write {new}, if this is one")

    def _sizes_of_datasets(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        """To read them by the old name warns, and to set them raises."""
        new = OLD_SIZES.replace("mm", "m")
        if is_guarded(facts, node, new) or not is_of_joined_datasets(facts):
            return
        is_read = isinstance(node.ctx, ast.Load)
        claim = Numerics.IDENTICAL if is_read else Numerics.RESTORED
        message = f"a ConcatDataset calls them {new} today"
        message += "" if is_read else ", and lets nothing set them by the old name"
        yield self.found(node, message, numerics=claim, attr=new, path=None)

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        index = self.data.get("index")
        if index is None:
            return super().leave_Attribute(original, updated)
        tensors = updated.with_changes(attr=cst.Name("tensors"), lpar=[], rpar=[])
        element = cst.SubscriptElement(cst.Index(cst.Integer(str(index))))
        return cst.Subscript(tensors, [element], lpar=updated.lpar, rpar=updated.rpar)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BooleanOperation:
        asked = updated.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        other = cst.Arg(cst.parse_expression(self.data["other"]))
        is_other = cst.Call(updated.func, [asked, other])
        return cst.BooleanOperation(updated, cst.And(), cst.UnaryOperation(cst.Not(), is_other))
