"""Draws of random numbers."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given

_SUM = "back-propagate through the sum of -m.log_prob(action) * reward, with {}action = m.sample()"

ROWS = (
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
