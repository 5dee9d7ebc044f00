"""How queries that meet themselves are answered, and at what cost."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.infer import Inference
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import Tensor


def test_names_that_go_round_a_loop_together_are_not_asked_over_and_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = 14
    names = [f"x{i}" for i in range(count)]
    start = "".join(f"{name} = torch.zeros(3)\n" for name in names)
    sums = "".join(
        f"    {name} = {names[i - 1]} + {names[i - 2]} + {names[i - 5]}\n"
        for i, name in enumerate(names)
    )
    text = f"import torch\n{start}for i in range(3):\n{sums}look(x0)\n"
    asked = 0
    evaluate = Inference._evaluate

    def counting(self: Inference, node: ast.AST) -> object:
        nonlocal asked
        asked += 1
        return evaluate(self, node)

    monkeypatch.setattr(Inference, "_evaluate", counting)
    tree = ast.parse(text)
    facts = Facts(tree, text)
    look = tree.body[-1].value.args[0]  # type: ignore[attr-defined]
    assert isinstance(facts.value(look), Tensor)
    assert asked < 10_000
