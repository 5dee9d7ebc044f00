import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

_HEAD = "import math\nimport torch\nx = torch.rand(4, 3)\n"

test_rewrites = rewrites(
    "TP420",
    {
        before: (f"{_HEAD}print({before})\n", f"{_HEAD}print({after})\n")
        for before, after in {
            "round(x.mean())": "round(x.mean().item())",
            "round(x.mean(), 3)": "round(x.mean().item(), 3)",
            "round(x.sum() / 12, ndigits=3)": "round(x.sum().item() / 12, ndigits=3)",
            "round(100. * (x > 0.5).sum() / len(x), 2)": (
                "round(100. * (x > 0.5).sum().item() / len(x), 2)"
            ),
            "round(x.max() - x.min(), 1)": "round((x.max() - x.min()).item(), 1)",
            "round((x.max() - x.min()) * 2, 1)": "round((x.max() - x.min()).item() * 2, 1)",
            "round(-x.max(), 1)": "round((-x.max()).item(), 1)",
            "round(x.norm().data, 1)": "round(x.norm().item(), 1)",
            "round(x[0, 0], 1)": "round(x[0, 0].item(), 1)",
            "math.trunc(x.sum())": "math.trunc(x.sum().item())",
            "round(x.sum() // 2.5)": "round((x.sum() // 2.5).item())",
            "int(round(x[0, :1]))": "int(round(x[0, :1].item()))",
            "int(round(x[0, :1] - x[:1, 0] / 2))": "int(round((x[0, :1] - x[:1, 0] / 2).item()))",
            "float(math.trunc(x[:1, :1]))": "float(math.trunc(x[:1, :1].item()))",
        }.items()
    },
)

test_keeps = keeps(
    "TP420",
    {
        code: f"{_HEAD}n = len(x)\ndef f(given, round_all):\n    return {code}\n"
        for code in [
            "round(x.mean().item(), 3)",
            "round(float(x.mean()), 3)",
            "round(n / 3, 2)",
            "round(given, 3)",
            "round(given.mean(), 3)",
            "round(x.numpy().mean(), 3)",
            "round(x.size(0) / 3)",
            "torch.round(x.mean())",
            "x.mean().round()",
            "math.floor(x.mean())",
            "round_all(x.mean(), 3)",
            "int(round(given[0] - given[1] / 2))",
            "round(*given)",
        ]
    }
    | {
        "another round": f"from pictures import round\n{_HEAD}print(round(x.mean(), 3))\n",
        "numpy's": f"import numpy as np\n{_HEAD}print(np.round(x.mean(), 3))\n",
        "a variable of that name": f"{_HEAD}round = 3\nprint(round, x.mean())\n",
    },
)


@pytest.mark.parametrize(
    ("code", "one", "several"),
    [
        ("round(x)", "round(x.item())", "torch.round(x)"),
        ("round(x, None)", "round(x.item(), None)", "torch.round(x)"),
        (
            "round(x.mean(1), 2)",
            "round(x.mean(1).item(), 2)",
            "torch.round(x.mean(1), decimals=2)",
        ),
        ("round(-x, ndigits=n)", "round((-x).item(), ndigits=n)", "torch.round(-x, decimals=n)"),
        ("math.trunc(x[0])", "math.trunc(x[0].item())", "torch.trunc(x[0])"),
        ("str(round(x))", "round(x.item())", "torch.round(x)"),
        ("int(round(x), 2)", "round(x.item())", "torch.round(x)"),
    ],
)
def test_what_has_dimensions_is_told(code: str, one: str, several: str) -> None:
    with pytest.raises(TypeError):
        exec(f"{_HEAD}{code}", {"n": 2})
    (finding,) = advice("TP420", f"{_HEAD}print({code})\n")
    assert f": write {one} for one number, {several} for each of several" in finding.message


def test_after_another_rule() -> None:
    text = (
        "import torch\nimport torch.nn.functional as F\n\ndef f(x, y):\n"
        "    loss = F.mse_loss(x, y)\n    return round(loss.data[0], 3)\n"
    )
    assert "return round(loss.item(), 3)" in migrate(text, "TP103", "TP420").text


@pytest.mark.parametrize(("code", "number"), [("100 * x / 3", "(100 * x / 3)"), ("-x", "(-x)")])
def test_the_number_of_a_calculation_is_in_parentheses(code: str, number: str) -> None:
    (finding,) = advice("TP420", f"{_HEAD}print(round({code}))\n")
    assert f"write round({number}.item()) for one number" in finding.message


_TOTAL = """
import torch
def f(loader, model):
    correct = 0{extra}
    for x, y in loader:
        correct += (torch.relu(model(x)).argmax(1) == y).sum()
        print(round(100.0 * correct / 3, 2))
"""


def test_a_total_that_becomes_a_number_is_rounded_as_it_is() -> None:
    """The count that is added gets the item()."""
    text = _TOTAL.format(extra="")
    after = text.replace(".sum()", ".sum().item()")
    assert migrate(text, "TP420", "TP606").text == after


def test_a_total_that_stays_a_tensor() -> None:
    text = _TOTAL.format(extra="\n    keep(correct)").replace("print(", "keep(correct); print(")
    after = text.replace("* correct /", "* correct.item() /")
    assert migrate(text, "TP420", "TP606").text == after


_CASE = """
import unittest
import torch
class T({base}):
    def test(self):
        x = torch.rand(4, 3)
        {line}
"""


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("self.assertAlmostEqual(x.mean(), 0.5)", ["x.mean().item()"]),
        ("self.assertAlmostEqual(0.5, x.mean(), places=4)", ["x.mean().item()"]),
        ("self.assertNotAlmostEqual(x.mean(), 0.5, 3)", ["x.mean().item()"]),
        ("self.assertAlmostEqual(x.sum() / 12, 0.5)", ["(x.sum() / 12).item()"]),
        ("self.assertAlmostEqual(x.max(), x.min())", ["x.max().item()", "x.min().item()"]),
    ],
)
def test_what_an_assertion_rounds_is_told(line: str, written: list[str]) -> None:
    text = _CASE.format(base="unittest.TestCase", line=line)
    found = advice("TP420", text)
    assert [finding.message.partition(": write ")[2] for finding in found] == written
    assert migrate(text, "TP420").text == text


@pytest.mark.parametrize(
    ("base", "line"),
    [
        ("unittest.TestCase", "self.assertAlmostEqual(x.mean(), 0.5, delta=0.1)"),
        ("unittest.TestCase", "self.assertAlmostEqual(x.mean(), 0.5, None, None, 0.1)"),
        ("unittest.TestCase", "self.assertAlmostEqual(x.mean(), *others)"),
        ("unittest.TestCase", "self.assertAlmostEqual(x.mean().item(), 0.5)"),
        ("unittest.TestCase", "self.assertAlmostEqual(x.numpy().mean(), 0.5)"),
        ("unittest.TestCase", "self.assertAlmostEqual(given.mean(), 0.5)"),
        ("unittest.TestCase", "self.assertAlmostEqual(0.5, 0.5, msg=x.mean())"),
        ("unittest.TestCase", "self.assertEqual(x.mean(), 0.5)"),
        ("tests.TestCase", "self.assertAlmostEqual(x.mean(), 0.5)"),
        ("unittest.TestCase", "others.assertAlmostEqual(x.mean(), 0.5)"),
    ],
)
def test_other_assertions_round_nothing(base: str, line: str) -> None:
    assert not advice("TP420", _CASE.format(base=base, line=line))


_ARRAYS = """
import torch
def show(x, y):
    loss = torch.nn.functional.mse_loss(x, y)
    a = loss.data.cpu().numpy()
    print({first}, {second})
    print(round(100 * a, 2), round(y.numpy().mean(), 2))
class Test:
    def run(self):
        best, mean = self.measured()
        print(round(mean, 5), round(best, 3))
    def measured(self):
        loss = torch.nn.functional.mse_loss(self.x, self.y)
        return 1.0, loss.data.cpu().numpy()
"""


def test_an_array_of_one_number_without_a_dimension_is_not_rounded_either() -> None:
    before = _ARRAYS.format(first="round(a, 2)", second="round(x.sum().numpy(), 2)")
    after = _ARRAYS.format(first="round(a.item(), 2)", second="round(x.sum().numpy().item(), 2)")
    migration = migrate(before, "TP420")
    assert migration.text == after
    told = [finding.message for finding in migration.findings if not finding.fixed]
    assert told == [
        "Python rounds no arrays, also of one number: write round(mean.item(), 5)",
    ]
