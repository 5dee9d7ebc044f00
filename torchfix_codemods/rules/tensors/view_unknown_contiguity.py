"""`.view(shape)` fails on tensors that are not contiguous; `.reshape(shape)` works on all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.writes import is_written_into
from torchfix_codemods.finding import Numerics, Reason
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.tensors.questions.read_layout import is_layout_read
from torchfix_codemods.rules.tensors.questions.shared_memory import is_nowhere_else
from torchfix_codemods.rules.tensors.questions.strided import (
    is_spelled_anew,
    may_be_strided,
    viewed_by,
)


class ViewUnknownContiguity(Rule):
    """
    ## What it does
    Replaces `x.view(shape)` by `x.reshape(shape)` where x may come from something that lays it out
    so that `view` fails: `t`, `transpose`, `permute`, `expand`, `narrow` or a slice of an inner
    dimension, an RNN with `batch_first`. A parameter is followed to the calls of its function in
    the project. A twin of such a view, which asks for the same sizes of another tensor in the same
    block, is spelled alike where its layout is not known, unless it makes a row or a column of it
    (`target.view(1, -1)`):
    its reason is `modern`, as nothing shows that it fails.

    ## Why
    `view` raises where the layout does not allow it: "view size is not compatible with input
    tensor's size and stride". The layout of many results changed between torch releases, so that
    code fails today that ran when it was written, such as the well-known
    `correct[:k].view(-1)` of the ImageNet example.

    ## Example
    ```python
    correct = pred.t().eq(target)
    hits = correct[:5].view(-1)
    ```
    becomes
    ```python
    correct = pred.t().eq(target)
    hits = correct[:5].reshape(-1)
    ```

    ## Numbers
    Identical: wherever `view` worked, `reshape` returns the same view of the same memory.

    ## When it stays its hand
    Where nothing in sight lays the tensor out so (a batch, an argument of `forward`, the output of
    a pooling, a linear layer, `cat`, a convolution of what was not permuted, a sum whose first
    tensor was repeated to its full sizes, …), and where the sizes join no dimensions
    (`x.view(n, 1, k)` of a matrix of `n` rows, `x[:, 1:3].view(-1, 1, 2)`, `x[:, 0].view(-1, 1)`,
    `a.view(-1, n, 1, 1)` of `a, b = layer(y).chunk(2, 1)`, `y.view(n, h, w)` of
    `y = x.view(n, h * w) / 2`), so that the diff shows only the places that can fail;
    where something is written through the view of a tensor that has a name
    (`x.view(-1).copy_(y)`, `out=x.view(-1)`, a function of the project that writes into its
    argument, any kernel that is launched: `kernel[grid](x.view(-1))`,
    `torch.ops.library.function(x.view(-1))`), because `view` raises where `reshape` would write
    into a copy that nobody sees; where the strides or the address of the tensor are read as well
    (`x.stride()`, `x.data_ptr()`), which a copy does not have; on `.view(dtype)` and any single
    argument that could be a dtype;
    on numpy's `.view` and that of other classes; where the receiver is not certainly a tensor.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.Tensor.view.html
    - https://github.com/pytorch/examples/issues/836
    """

    code = "TP401"
    name = "view-unknown-contiguity"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    is_spelling = True
    words = frozenset({"view"})
    message = "view fails on a tensor that is not contiguous; reshape does not"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        viewed = viewed_by(call, facts)
        if viewed is None or facts.parent(viewed) is not call.func:
            return
        if not is_spelled_anew(call, viewed, facts):
            return
        if is_layout_read(facts, viewed):
            return
        if is_nowhere_else(viewed, facts) or not is_written_into(facts, call):
            reason = Reason.FAILS if may_be_strided(viewed, facts) else Reason.MODERN
            yield self.found(call, reason=reason)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        if not isinstance(updated.func, cst.Attribute):
            return updated
        return updated.with_changes(func=updated.func.with_changes(attr=cst.Name("reshape")))
