"""Draws of random numbers."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Above, Arguments, Call, Form, Given

_SUM = "back-propagate through the sum of -m.log_prob(action) * reward, with {}action = m.sample()"


def _drawn_between(
    old: str, low: str, high: str, uniform: str, normal: str, first: str = ""
) -> Call:
    """The row of a draw between two bounds, in whose place a mean and a deviation stand often."""
    bounds = f"{{{low}}} and {{{high}}}"
    drew = f"it drew between {bounds}: write {uniform}({first}{{{high}}}, {{{low}}})"
    meant = f", or {normal}({first}{{{low}}}, {{{high}}}) if {bounds} are a mean and a deviation"
    return Call(
        old,
        (
            # No deviation is below zero.
            Form("", {low: Above(high), high: Given.NEGATIVE}, advice=drew),
            Form("", {low: Above(high)}, advice=drew + meant),
        ),
        is_method=old.startswith("Tensor."),
        gone="1.2",
        still=True,
        where=", as its first bound is above its second",
        source="https://github.com/pytorch/pytorch/releases/tag/v1.2.0",
    )


ROWS = (
    _drawn_between(
        "torch.nn.init.uniform_(tensor, a=0.0, b=1.0, generator=...)",
        "a",
        "b",
        "torch.nn.init.uniform_",
        "torch.nn.init.normal_",
        "{tensor:short}, ",
    ),
    _drawn_between(
        "Tensor.uniform_(self, low=0, to=1, *, generator=...)",
        "low",
        "to",
        ".uniform_",
        ".normal_",
    ),
    Call(
        "torch.multinomial(input, *, num_samples=..., replacement=...)",
        (
            Form(
                "torch.multinomial(input, 1, replacement=replacement)",
                {"num_samples": Given.NO},
                method="input.multinomial(1, replacement=replacement)",
            ),
        ),
        method=True,
        rule="TP905",
        gone="0.4",
    ),
    Arguments(
        ("torch.multinomial", "Tensor.multinomial"),
        renames={"with_replacement": "replacement"},
        gone="0.4",
    ),
    Call(
        "Tensor.reinforce(self, reward)",
        (),
        is_method=True,
        is_distinct=True,
        gone="0.3",
        source="https://github.com/pytorch/pytorch/releases/tag/v0.3.0",
        advice=_SUM.format("a torch.distributions m of the same parameters, and "),
        by_call={
            "multinomial": _SUM.format("m = torch.distributions.Categorical(probs) and ")
            + ", which lacks the last dimension, of 1, that multinomial() gave",
            "bernoulli": _SUM.format("m = torch.distributions.Bernoulli(probs) and "),
            "torch.normal": _SUM.format("m = torch.distributions.Normal(mean, std) and "),
        },
        of_zero="drop the call, as a reward of 0 has no gradient",
    ),
    Arguments(("torch.normal",), renames={"means": "mean", "stds": "std"}, gone="0.4"),
    Arguments(("torch.distributions.Normal",), renames={"mean": "loc", "std": "scale"}, gone="0.4"),
)
