"""What a list holds, as elements of it are replaced or added to."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.engine.migrate import Options, facts_of
from torchfix_codemods.facts.values.lattice import Number, Sequence, Tensor, Unknown, Value


def _of(made: str, change: str) -> Value:
    facts = facts_of(
        f"import torch\nx = {made}\ndef f(i, own):\n    {change}\nlast = x[j]\n", Options()
    )
    last = facts.tree.body[-1]
    assert isinstance(last, ast.Assign)
    return facts.value(last.value)


@pytest.mark.parametrize("made", ["[0] * 10", "10 * [0]", "[0, 0]"])
@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("pass", "int"),
        ("x[i] += 1", "int"),
        ("x[i] = 3", "int"),
        ("x[i] += 1.0", None),
        ("x[i] = 0.5", None),
        ("x[0] -= float(i)", None),
    ],
)
def test_numbers_stay_of_their_kind_where_such_are_stored(
    made: str, change: str, kind: str | None
) -> None:
    assert _of(made, change) == Number(kind)


@pytest.mark.parametrize(
    "change",
    ["x[i] += own", "x[i] = own()", "x[i] /= 2", "x[i:] = own", "own(x)", "x.insert(0, own)"],
)
def test_what_may_be_stored_otherwise_leaves_nothing_certain(change: str) -> None:
    assert _of("[0] * 10", change) == Unknown()


def test_what_is_empty_first_is_not_empty_later() -> None:
    assert _of("[None] * 10", "x[i] = torch.ones(2)") == Unknown()
    assert isinstance(_of("[torch.ones(1)] * 10", "x[i] = torch.zeros(3)"), Tensor)


def _of_attribute(made: str, change: str) -> Value:
    text = (
        f"import torch\nclass A:\n    def f(self, i, own):\n        self.x = {made}\n"
        f"        {change}\n        last = self.x[i]\n"
    )
    facts = facts_of(text, Options())
    (last,) = (
        node
        for node in ast.walk(facts.tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "last"
    )
    return facts.value(last.value)


@pytest.mark.parametrize(
    "made", ["[[] for r in own]", "[None for r in own]", "[torch.ones(2), []]"]
)
def test_an_element_of_an_attribute_may_be_what_is_stored_by_its_index(made: str) -> None:
    assert not isinstance(_of_attribute(made, "self.x[i] = torch.ones(2)"), (Sequence, Tensor))


@pytest.mark.parametrize("change", ["pass", "self.x[i] = torch.zeros(3)", "print(len(self.x))"])
def test_it_stays_a_tensor_where_tensors_are_stored(change: str) -> None:
    assert isinstance(_of_attribute("[torch.ones(1) for r in own]", change), Tensor)


@pytest.mark.parametrize("change", ["self.x[i] = own()", "own(self.x)", "self.x.extend(own)"])
def test_it_may_be_anything_where_others_store(change: str) -> None:
    assert _of_attribute("[torch.ones(1) for r in own]", change) == Unknown()
