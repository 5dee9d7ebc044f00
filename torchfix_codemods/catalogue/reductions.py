"""Reductions kept the dimension that they take away until torch 0.1, distances until 0.3."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form, Given
from torchfix_codemods.facts.libraries.kept_dimensions import DISTANCE, PLACE_OF_DIM

#: What stands before the dimension where that is not the first argument.
_BEFORE = {"norm": "p, ", "kthvalue": "k, "}
#: What takes ``keepdim`` without a dimension today.
_WITHOUT_DIM = ("mode", "std", "var")
#: Their second argument may be another tensor.
_OF_TWO = ("max", "min")

_REDUCTIONS = tuple(
    Call(
        f"torch.{name}(input, {_BEFORE.get(name, '')}dim, *, keepdim=...)",
        (
            Form(
                f"torch.{name}(..., keepdim=True)",
                {"dim": Given.INTEGER if name in _OF_TWO else Given.YES, "keepdim": Given.NO},
                method=f"input.{name}(..., keepdim=True)",
            ),
        ),
        method=True,
        rule="TP906",
        before="0.2",
        keeps=(
            "torch 0.1 kept the dimension that it reduces: write keepdim=True if what the result is"
            " compared to or calculated with has it, too"
        ),
    )
    for name in PLACE_OF_DIM
)

#: The Variables of torch 0.2 took ``keepdim`` alone as well, and gave one element all the same.
_OF_EVERYTHING = tuple(
    Call(
        f"torch.{name}(input, *, keepdim)",
        (
            Form(
                "",
                {"keepdim": Given.YES},
                advice=(
                    "torch 0.2 took keepdim alone, and reduced everything to one element:"
                    f" write {{input}}.{name}() for that, or name the dimension, too"
                ),
            ),
        ),
        method=True,
        gone="0.4",
        still=True,
    )
    for name, place in PLACE_OF_DIM.items()
    if place == 0 and name not in _WITHOUT_DIM
)

#: Both took matrices alone, of which they gave a column.
_DISTANCES = (
    Call(
        f"{DISTANCE}(x1, x2, p=..., eps=..., keepdim=...)",
        (Form(f"{DISTANCE}(..., keepdim=True)", {"keepdim": Given.NO}),),
        rule="TP906",
        before="0.4",
        keeps=(
            "torch 0.3 gave a column, (N, 1), where (N,) is given today: write keepdim=True if an"
            " index of the result, or what it is calculated with, asks for the column"
        ),
    ),
    Call(
        "torch.nn.PairwiseDistance(p=..., eps=..., keepdim=...)",
        (
            Form(
                "",
                {"keepdim": Given.NO},
                advice=(
                    "it gave a column, (N, 1), and gives (N,): write keepdim=True if an index of"
                    " its result, or what that is calculated with, asks for the column"
                ),
            ),
        ),
        rule="TP906",
        before="0.4",
    ),
)

ROWS = (*_REDUCTIONS, *_OF_EVERYTHING, *_DISTANCES)
