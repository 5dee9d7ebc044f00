"""Draws of random numbers."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given

_SUM = "and back-propagate through the sum of -m.log_prob(action) * reward"

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
        advice="draw by action = m.sample(), where m is torch.distributions.Categorical(probs) for "
        "multinomial(), Bernoulli(probs) for bernoulli() and Normal(mean, std) for normal(), "
        f"{_SUM}",
        by_word={
            "multinomial": "draw by action = m.sample() of m = torch.distributions.Categorical("
            "probs), which is (n,) where multinomial() gave (n, 1): action.item() for "
            f"action[0, 0]; {_SUM}",
            "bernoulli": "draw by action = m.sample() of m = torch.distributions.Bernoulli(probs), "
            f"{_SUM}",
            "torch.normal": "draw by action = m.sample() of m = torch.distributions.Normal(mean, "
            f"std), {_SUM}",
        },
    ),
    Arguments(("torch.normal",), renames={"means": "mean", "stds": "std"}, gone="0.4"),
    Arguments(("torch.distributions.Normal",), renames={"mean": "loc", "std": "scale"}, gone="0.4"),
)
