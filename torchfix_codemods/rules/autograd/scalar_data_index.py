"""`loss.data[0]` became `loss.item()`: what holds one number has no dimension to index."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tensors.numbers import tensor_below, with_dimensions, with_item
from torchfix_codemods.facts.libraries.kept_dimensions import PLACE_OF_DIM
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.scalars import Verdict, asked_item, how_indexed, indexed_scalar
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rewritten, Rule
from torchfix_codemods.rules.autograd.questions.arrays_as_numbers import cast_of, number_of_array
from torchfix_codemods.rules.autograd.questions.cast_losses import is_cast_loss
from torchfix_codemods.rules.autograd.questions.graphless.plain_numbers import is_written_as_number
from torchfix_codemods.rules.autograd.questions.legacy.data_elements import becomes_number
from torchfix_codemods.rules.autograd.questions.legacy.lost_dimensions import (
    indexes_lost_dimension,
    joined_numbers,
    said_of_vector,
    vector_of_extreme,
)
from torchfix_codemods.rules.autograd.questions.legacy.wanted_numbers import (
    claim_of_number,
    is_used_as_tensor,
)
from torchfix_codemods.rules.autograd.questions.old_numbers import (
    is_old_term,
    may_be_old_number,
    told_of_second_index,
)
from torchfix_codemods.rules.autograd.questions.single_numbers import how_element
from torchfix_codemods.rules.autograd.questions.told_indices import said_of_indices
from torchfix_codemods.rules.autograd.questions.wanted_tensors import written_for_first
from torchfix_codemods.rules.autograd.questions.written_json import is_written_as_json
from torchfix_codemods.rules.questions.gone_through import gone_through, holds_number
from torchfix_codemods.rules.questions.keys import is_lost_key, lost_key
from torchfix_codemods.text.wording import worded, worded_operand

_OLD_NUMBER = (
    "an element of a tensor (not a Variable) was a number until torch 0.3, and is a tensor today: "
    "use .item()"
)
_NO_FIRST = "a tensor without dimensions has no index 0, which raises"
_WAS_NUMBER = (
    "{0} of one dimension was a number until torch 0.3, and is a tensor today: write {1}[0].item() "
    "for the number"
)
_MAY_BE_JOINED = (
    "torch.cat refuses tensors without dimensions, as single numbers are since torch 0.4: "
    "write .view(1) for these"
)
_OF_VECTOR = "[0] raises{0}, whose extremes have no dimension since torch 0.4: write {1}"
_JOINED = "a tensor without a dimension cannot be joined to others: view(1) gives it one"
_NOT_GONE_THROUGH = (
    "what holds one number has no dimension to {does} since torch 0.4: write {tensor}.view(-1)"
)
_NO_JSON = (
    "an element that was a number until 0.3 is a tensor today, which JSON holds not: use .item()"
)
_LOST_KEY = "what is kept by numbers, or by their text, finds no tensor: use .item()"


class ScalarDataIndex(Rule):
    """
    ## What it does
    Replaces the index 0 of a tensor that holds one number by `.item()`: `loss.data[0]`,
    `float(loss.data[0])`, `loss.data.cpu().numpy()[0]`, `loss.data.tolist()[0]`, `a[0]` of `a =
    loss.data.numpy()`, `v.max(0)[1][0]` of a vector, and `total[0]` where the total was summed up
    from such tensors. In files for torch 0.3, an element of `x.data`, or of another tensor that was
    no Variable, gets an `.item()` where it is printed, a key, or handed to code that is not
    torch's: `env.step(i.data[0])`, by a caller, or where an array calculates with it, which today
    raises: `np.ones(3) * x[0]`, `a > x[0]`, or where it is kept while its tensor changes: `old =
    x[i]`, `x += y`, `x[i] = old`. Where that is the only element, the index goes:
    `print(w.grad.item())`. A tensor gets it that is looked for in a dict or a set of numbers, also
    by `get` and `pop`, or by its text (`words[str(x[i].item())]`), and so does an element that is
    written as JSON, or an array that has to be one (`"%f" % loss.data.numpy()`), with a dimension
    or without: `float(loss.data.numpy())` and `float(loss.data)` are `loss.item()`. One number gets
    its dimension back where it is joined to a vector: `torch.cat((a, loss.view(1)))`.

    ## Why
    Until 0.3 a loss was a tensor of one dimension with one element. Since 0.4 it has no dimension,
    and since 0.5 indexing it raises `invalid index of a 0-dim tensor`. Until 0.1 a maximum along a
    dimension kept it: `indices.data[0][0]` was its first number. Until 0.3 an element of what was
    no Variable was a number of Python, and is a tensor today.

    ## Example
    ```python
    loss = criterion(output, target)
    running_loss += loss.data[0]
    ```
    becomes
    ```python
    loss = criterion(output, target)
    running_loss += loss.item()
    ```

    ## Numbers
    Restored: the old line fails on today's torch; the new one gives the number it used to give.
    Pinned for elements of `x.data`, which were numbers; identical where these are formatted.

    ## When it stays its hand
    Only what certainly holds one number is rewritten: a reduced loss, what `backward()` is called
    on without a gradient, a reduction over everything, an element of a row of `x.t()`, what a file
    for torch 0.3 asserts to be one (`assert x.shape == (1,)`). An index into a vector stays, also
    of one element: it works today, and gives a number only in files for torch 0.3. So do
    stores (`x.data[0] = 1`), lists, tuples and arrays, and `dataset[order[i]]` of
    `order = torch.randperm(len(dataset))`, which a tensor indexes as a number does. Where the
    receiver of `.data[0]` is not known, or where the graph could be wanted (`loss[0]`), a finding
    says what to write, as where what holds one number is gone through or counted: `for x in
    loss.data.numpy()`. Of an array that is said only where a number is asked for:
    `float(x.data.numpy()[0])`. Where `len(x)` or `x.size(0)` is asked, x has a dimension, and a
    finding says so where `x.data[0]` may be wanted as the number that it was. What was sorted holds
    several numbers, and nothing raises where a dimension is certain: `x.sum(1)[0]`, `torch.max(x,
    dim=1)[1].data[0]`, `torch.cat(losses)[0]`.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/
    - https://pytorch.org/docs/stable/generated/torch.Tensor.item.html
    """

    code = "TP103"
    name = "scalar-data-index"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = frozenset("data numpy tolist backward Variable cat len get pop float".split()).union(
        PLACE_OF_DIM
    )
    message = "a tensor that holds one number cannot be indexed: use .item()"

    def find_Subscript(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        yield from self._find_key(node, facts)
        if is_lost_key(facts, node):
            return
        verdict = indexed_scalar(facts, node)
        if verdict == "number":
            how, is_cast = how_indexed(facts, node), is_cast_loss(node, facts)
            cast = cast_of(node, facts) if how == "indexed" and not is_cast else None
            how = "cast" if cast is not None else how
            region = cast or asked_item(facts, node)
            yield self.found(node, region=region, gives_number=True, how=how, is_cast=is_cast)
        elif becomes_number(facts, node):
            how = how_element(facts, node)
            claim = claim_of_number(facts, node)
            yield self.found(node, _OLD_NUMBER, numerics=claim, gives_number=True, how=how)
        elif is_written_as_json(facts, node):
            yield self.found(node, _NO_JSON, gives_number=True, how="element")
        elif (verdict in ("maybe", "vector") and is_old_term(facts, node)) or (
            verdict == "graph" and is_written_as_number(facts, node)
        ):
            region = asked_item(facts, node)
            yield self.found(node, region=region, gives_number=True, how="indexed")
        else:
            yield from self._tell(node, verdict, facts)

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        yield from self._find_key(node, facts)

    def _find_key(self, asking: ast.expr, facts: Facts) -> Iterator[Found]:
        key = lost_key(facts, asking)
        if key is not None:
            yield self.found(asking, _LOST_KEY, region=key, how="key")

    def _tell(self, node: ast.Subscript, verdict: Verdict | None, facts: Facts) -> Iterator[Found]:
        """What stays as it is, and may be meant as a number."""
        if (said := said_of_indices(facts).get(node)) is not None:
            yield from [self.advice(node, said)] if said else ()
        elif verdict == "graph":
            yield self.advice(node, _NO_FIRST + written_for_first(facts, node))
        elif indexes_lost_dimension(facts, node) and not facts.era_of(node).needs((0, 4)):
            yield self.advice(node, told_of_second_index(facts, node))
        elif (
            facts.era_of(node).before((0, 4))
            and (vector := vector_of_extreme(facts, node)) is not None
        ):
            extreme = ast.unparse(node.value)
            if not is_used_as_tensor(facts, node):
                extreme += ".item() for the number"
            yield self.advice(node, _OF_VECTOR.format(said_of_vector(facts, vector), extreme))
        elif may_be_old_number(facts, node):
            tensor = worded(unwrapped(node.value)[0], "x")
            yield self.advice(node, _WAS_NUMBER.format(worded(node, "[0]"), tensor))

    def find_For(self, node: ast.For, facts: Facts) -> Iterator[Found]:
        yield from self._find_gone_through(node.iter, facts)

    def find_comprehension(self, node: ast.comprehension, facts: Facts) -> Iterator[Found]:
        yield from self._find_gone_through(node.iter, facts)

    def _find_gone_through(self, iterated: ast.expr, facts: Facts) -> Iterator[Found]:
        for node in gone_through(facts, iterated):
            yield from self._find_number(node, "go through", facts)

    def _find_number(self, node: ast.expr, does: str, facts: Facts) -> Iterator[Found]:
        """What has no dimension where one is wanted."""
        held = holds_number(facts, node)
        if held is None or (held == "on a way" and facts.era_of(node).needs((0, 4))):
            return
        tensor = worded_operand(unwrapped(node)[0], "...")
        where = "" if held == "certainly" else f" where {tensor} does"
        yield self.advice(node, _NOT_GONE_THROUGH.format(does=does, tensor=tensor) + where)

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        yield from self._find_key(node, facts)
        if len(node.args) == 1 and facts.names.builtin(node.func) == "len":
            yield from self._find_number(node.args[0], "count", facts)
        if (wanted := number_of_array(facts, node)) is not None:
            said, claim, region = wanted
            how = "array" if isinstance(region.func, ast.Attribute) else "cast"
            yield self.found(node, said, numerics=claim, region=region, how=how)
        joined = joined_numbers(facts, node)
        if joined and all(is_certain for _, is_certain in joined):
            yield self.found(node, _JOINED, how="joined", numbers=[place for place, _ in joined])
        elif joined:
            yield self.advice(node, _MAY_BE_JOINED)

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Rewritten:
        if self.data["how"] == "key" and isinstance(updated, cst.BaseExpression):
            return with_item(updated)
        return super().on_leave(original, updated)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if self.data["how"] in ("array", "cast"):
            array = updated if self.data["how"] == "array" else updated.args[0].value
            array = array.value if isinstance(array, cst.Subscript) else array
            return with_item(array, is_of_data=True)
        if self.data["how"] == "joined":
            return with_dimensions(updated, self.data["numbers"])
        element = updated.func.value if isinstance(updated.func, cst.Attribute) else None
        if not isinstance(element, cst.Subscript):
            return updated
        item = self.leave_Subscript(element, element)
        return item.with_changes(lpar=updated.lpar, rpar=updated.rpar)

    def leave_Subscript(
        self, original: cst.Subscript, updated: cst.Subscript
    ) -> cst.BaseExpression:
        how = self.data["how"]
        if how in ("element", "data"):
            return with_item(updated, is_of_data=how == "data")
        indexed = updated.value
        if how == "listed" and isinstance(indexed, cst.Call):
            indexed = indexed.args[0].value
        tensor = tensor_below(indexed, is_cast=self.data.get("is_cast", False))
        if how == "twice" and isinstance(tensor, cst.Subscript):
            tensor = tensor.value
        return with_item(tensor).with_changes(lpar=updated.lpar, rpar=updated.rpar)
