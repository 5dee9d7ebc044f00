"""Draws of random numbers."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given

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
        gone="0.4",
        advice="draw by action = m.sample(), where m is torch.distributions.Categorical(probs) for "
        "multinomial(), Bernoulli(probs) for bernoulli() and Normal(mean, std) for normal(), and "
        "back-propagate through the sum of -m.log_prob(action) * reward",
    ),
    Arguments(("torch.normal",), renames={"means": "mean", "stds": "std"}, gone="0.4"),
    Arguments(("torch.distributions.Normal",), renames={"mean": "loc", "std": "scale"}, gone="0.4"),
)
