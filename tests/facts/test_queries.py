"""How queries that meet themselves are answered, and at what cost."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from torchfix_codemods.facts.evaluation import answers as evaluation
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values import queries
from torchfix_codemods.facts.values.inference import Inference
from torchfix_codemods.facts.values.lattice import Tensor, Unknown, Value


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the evaluations of expressions."""
    counter: Counter[str] = Counter()
    evaluate = evaluation.expression

    def counting(inference: Inference, node: ast.AST) -> Value:
        counter["all"] += 1
        return evaluate(inference, node)

    monkeypatch.setattr(evaluation, "expression", counting)
    return counter


def value_of_last(text: str) -> Value:
    """The value of what the last statement is called with."""
    tree = ast.parse(text)
    last = tree.body[-1]
    assert isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)
    return WholeFacts(tree, text).value(last.value.args[0])


def test_names_that_go_round_a_loop_together_are_not_asked_over_and_over(
    asked: Counter[str],
) -> None:
    count = 14
    names = [f"x{i}" for i in range(count)]
    start = "".join(f"{name} = torch.zeros(3)\n" for name in names)
    sums = "".join(
        f"    {name} = {names[i - 1]} + {names[i - 2]} + {names[i - 5]}\n"
        for i, name in enumerate(names)
    )
    text = f"import torch\n{start}for i in range(3):\n{sums}look(x0)\n"
    assert isinstance(value_of_last(text), Tensor)
    assert asked["all"] < 10_000


def _added_to_by_functions(count: int) -> str:
    functions = "".join(
        f"def f{i}():\n    global total\n    total = total + torch.ones({i})\n"
        for i in range(count)
    )
    return f"import torch\ntotal = torch.zeros(3)\n{functions}look(total)\n"


def test_a_name_that_many_functions_add_to_is_known_soon(asked: Counter[str]) -> None:
    assert isinstance(value_of_last(_added_to_by_functions(16)), Tensor)
    assert asked["all"] < 2_000


def test_what_takes_too_many_questions_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "_MOST_ASKED_AGAIN", 20)
    assert isinstance(value_of_last(_added_to_by_functions(16)), Unknown)
    assert isinstance(value_of_last(_added_to_by_functions(2)), Tensor)


def test_what_a_use_of_a_name_from_nowhere_shows_does_not_hang_on_what_was_asked_first() -> None:
    text = "import torch\nx[0] = 1\nloss = torch.nn.functional.cross_entropy(x, y)\n"

    def uses() -> tuple[Facts, list[ast.Name]]:
        tree = ast.parse(text)
        found = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "x"]
        return WholeFacts(tree, text), sorted(found, key=lambda use: use.lineno)

    facts, (stored, given) = uses()
    assert isinstance(facts.value(given), Tensor)
    assert isinstance(facts.value(stored), Unknown)
    facts, (stored, given) = uses()
    assert isinstance(facts.value(stored), Unknown)
    assert isinstance(facts.value(given), Tensor)
