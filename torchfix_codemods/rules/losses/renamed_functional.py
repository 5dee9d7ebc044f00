"""`F.sigmoid`, `F.upsample`, `nn.NLLLoss2d` and others have got other names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.edit.spelling import spell_beside
from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics, Reason
from torchfix_codemods.rule import Found
from torchfix_codemods.rules.losses.questions.sampling import unsaid_alignment
from torchfix_codemods.rules.renamed import Renamed

_INTERPOLATE = "torch.nn.functional.interpolate"

#: What is called instead, how many arguments the old one takes, and what the new one needs to be
#: told.
_BILINEAR = "torch.nn.functional.upsample_bilinear"
_CALLS = {
    _BILINEAR: (_INTERPOLATE, 3, True),
    "torch.nn.UpsamplingBilinear2d": ("torch.nn.Upsample", 2, True),
    "torch.nn.UpsamplingNearest2d": ("torch.nn.Upsample", 2, False),
}


class RenamedFunctional(Renamed):
    """
    ## What it does
    Writes `torch.sigmoid` and `torch.tanh` for `F.sigmoid` and `F.tanh`, `F.interpolate` for
    `F.upsample`, `F.upsample_nearest` and `F.upsample_bilinear`, `nn.Upsample` for
    `nn.UpsamplingNearest2d` and `nn.UpsamplingBilinear2d`, `nn.NLLLoss` for `nn.NLLLoss2d`.

    ## Why
    The old names are deprecated since torch 0.4; those that resize warn at each call.

    ## Example
    ```python
    gate = F.sigmoid(self.gate(x))
    out = F.upsample_bilinear(score, x.size()[2:])
    ```
    becomes
    ```python
    gate = torch.sigmoid(self.gate(x))
    out = F.interpolate(score, x.size()[2:], mode="bilinear", align_corners=True)
    ```

    ## Numbers
    Identical: the old names call the new ones, with just these arguments.

    ## When it stays its hand
    Where the file chooses between both names itself or replaces the function, where the new name
    is something else in the file, where another file may import the old name from this one, where
    it counts which function this is (`{F.sigmoid: 4}`, `if f is F.tanh`), and on functions of
    these names that are not torch's. In files for torch 0.3 all that resizes waits
    while calls lack the `align_corners=True` that they had there and none has got it (rule
    align-corners): the new names would make the file look newer. `UpsamplingBilinear2d` and its
    kin are followed where they are called, without `*args` and `**kwargs`.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html
    - https://pytorch.org/docs/stable/generated/torch.sigmoid.html
    - https://github.com/pytorch/pytorch/releases/tag/v0.4.1
    """

    code = "TP306"
    name = "renamed-functional"
    since = "0.4.1"
    numerics = Numerics.IDENTICAL
    message = "functions and layers of torch.nn have got other names"
    words = frozenset(name.rpartition(".")[2] for name in _CALLS)

    def renames_in(self, facts: Facts) -> Mapping[str, str]:
        if not _waits(facts):
            return self.renames
        return {old: new for old, new in self.renames.items() if new != _INTERPOLATE}

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        old = facts.name(call.func)
        if old not in _CALLS or is_opaque(call) or _waits(facts):
            return
        new, most, is_bilinear = _CALLS[old]
        bare = new.rpartition(".")[2]
        if len(call.args) > most or is_guarded(facts, call, bare):
            return
        path = spell_beside(facts, new, call.func)
        if path is not None:
            message = f"{old} is now {bare}"
            yield self.found(
                call,
                message,
                needs=path.needs,
                reason=Reason.WARNS if old == _BILINEAR else None,
                path=path.text,
                is_bilinear=is_bilinear,
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        updated = updated.with_changes(func=cst.parse_expression(self.data["path"]))
        if not self.data["is_bilinear"]:
            return updated
        mode = keyword_argument("mode", cst.SimpleString('"bilinear"'))
        aligned = keyword_argument("align_corners", cst.Name("True"))
        return with_argument_added(with_argument_added(updated, mode), aligned)


def _waits(facts: Facts) -> bool:
    """Whether the file is for torch 0.3 and has yet to say what corners were there."""
    return facts.remembered("corners are unsaid", lambda: _are_unsaid(facts))


def _are_unsaid(facts: Facts) -> bool:
    if not facts.era.before((0, 4)) or not any(
        (unsaid := unsaid_alignment(facts, call)) is not None
        and facts.numbers_before(call, unsaid.changed_in)
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call)
    ):
        return False
    # Where another call says it by now, the file looks newer already.
    return facts.without_history(None).era.before((0, 4))
