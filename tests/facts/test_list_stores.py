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


@pytest.mark.parametrize("given", ["x", "i, x", "[x, i]", "{'x': [i, (x, i)]}"])
def test_what_is_returned_is_what_it_was_until_then(given: str) -> None:
    text = f"def f(i):\n    x = [1]\n    x.append(2)\n    look = x[i]\n    return {given}\n"
    facts = facts_of("import torch\n" + text, Options())
    (look,) = (n for n in ast.walk(facts.tree) if isinstance(n, ast.Subscript))
    assert facts.value(look) == Number("int")


@pytest.mark.parametrize("given", ["keep([x, i])", "{'x': [x]}.update(i)", "{x: i for x in i}[x]"])
def test_what_others_may_fill_is_not(given: str) -> None:
    text = f"def f(i):\n    x = [1]\n    y = [x, i]\n    look = x[i]\n    return {given}\n"
    facts = facts_of("import torch\n" + text, Options())
    look = next(n for n in ast.walk(facts.tree) if isinstance(n, ast.Subscript))
    assert facts.value(look) == Unknown()


@pytest.mark.parametrize(
    "change",
    ["x[i] += own", "x[i] = own()", "x[i] /= 2", "x[i:] = own", "own(x)", "x.insert(0, own)"],
)
def test_what_may_be_stored_otherwise_leaves_nothing_certain(change: str) -> None:
    assert _of("[0] * 10", change) == Unknown()


def _second(change: str, made: str = "[torch.ones(2), 3]") -> Value:
    head = f"import random, numpy\nimport torch\nx = {made}\n{change}\n"
    facts = facts_of(f"{head}last = x[1]\n", Options())
    last = facts.tree.body[-1]
    assert isinstance(last, ast.Assign)
    return facts.value(last.value)


@pytest.mark.parametrize(
    "change",
    [
        "x.reverse()",
        "x.sort(key=len)",
        "x.pop(0)",
        "random.shuffle(x)",
        "numpy.random.shuffle(x)",
        "def f(y):\n    y.reverse()\nf(x)",
    ],
)
def test_what_is_put_to_another_place_is_not_certain(change: str) -> None:
    assert _second(change) == Unknown()


@pytest.mark.parametrize("change", ["len(x)", "x.index(3)", "random.sample(x, 2)", "sorted(x)"])
def test_what_only_reads_leaves_each_in_its_place(change: str) -> None:
    assert isinstance(_second(change), Number)


@pytest.mark.parametrize("change", ["x.reverse()", "random.shuffle(x)"])
def test_elements_that_are_alike_are_known_in_any_order(change: str) -> None:
    assert _second(change, "[1, 2]") == Number("int")


def test_the_places_of_a_list_that_an_object_keeps_are_not_certain_either() -> None:
    assert _of_attribute("[torch.ones(2), 3]", "self.x.reverse()") == Unknown()


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


def _of_given(body: str, call: str = "read(1, x)") -> Value:
    facts = facts_of(
        "import torch\ndef main(i, own):\n    x = []\n    x.append(torch.ones(2))\n"
        f"    {call}\n    return x[0]\ndef read(n, taken):\n    {body}\n",
        Options(),
    )
    main = facts.tree.body[1]
    assert isinstance(main, ast.FunctionDef)
    last = main.body[-1]
    assert isinstance(last, ast.Return) and last.value is not None
    return facts.value(last.value)


@pytest.mark.parametrize(
    "body",
    [
        "print(taken[n])",
        "for one in taken:\n        print(one)",
        "return taken[0](n)",
        "return [one.sum() for one in taken]",
        "pass",
    ],
)
def test_a_list_is_given_to_a_function_that_only_reads_it(body: str) -> None:
    assert isinstance(_of_given(body), (Tensor, Sequence))


@pytest.mark.parametrize("taking", ["plt.plot(x, label=i)", "json.dump(x, i)", "np.mean(x)"])
def test_what_is_drawn_or_written_is_what_it_was(taking: str) -> None:
    imports = "import json\nimport matplotlib.pyplot as plt\nimport numpy as np\nimport own\n"
    for call, is_kept in [(taking, True), ("own.plot(x)", False)]:
        text = f"{imports}def f(i):\n    x = [1]\n    {call}\n    return x[i]\n"
        facts = facts_of("import torch\n" + text, Options())
        (look,) = (n for n in ast.walk(facts.tree) if isinstance(n, ast.Subscript))
        assert (facts.value(look) == Number("int")) is is_kept


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("taken.append(n)", "read(1, x)"),
        ("taken[0] = n", "read(1, x)"),
        ("taken += [n]", "read(1, x)"),
        ("other = taken", "read(1, x)"),
        ("own(taken)", "read(1, x)"),
        ("return taken", "read(1, x)"),
        ("return n, taken", "read(1, x)"),
        ("def fill():\n        taken.append(n)\n    fill()", "read(1, x)"),
        ("pass", "own.read(1, x)"),
        ("pass", "read(1, *x)\n    own(x)"),
        ("pass\nread = other", "read(1, x)"),
        ("pass\ndef again(read, x):\n    read(1, x)", "read(x, x)\n    i.x = x"),
    ],
)
def test_a_list_is_given_to_what_may_put_something_into_it(body: str, call: str) -> None:
    assert _of_given(body, call) == Unknown()
