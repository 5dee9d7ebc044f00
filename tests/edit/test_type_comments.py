"""Types in comments, which are uses of a name as annotations are."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate
from torchfix_codemods.edit.tidying.stale_comments import names_of_types

_HEAD = "import torch\nfrom torch.autograd import Variable\n"
_WRAPS = "def f(x, var):\n    x = Variable(x.view(-1))\n"
_IMPORT = "from torch.autograd import Variable\n"


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("    std = var.exp()  # type: Variable\n", "    std = var.exp()  # type: torch.Tensor\n"),
        (
            "    std = torch.exp(\n        var)  # type: Variable\n",
            "    std = torch.exp(\n        var)  # type: torch.Tensor\n",
        ),
        (
            "    s = 'äöüß' + var  # type:  Variable\n",
            "    s = 'äöüß' + var  # type:  torch.Tensor\n",
        ),
        (
            "    std = Variable(var.exp())  # type: Variable\n",
            "    std = var.exp().detach()  # type: torch.Tensor\n",
        ),
    ],
)
def test_a_type_beside_code_is_a_tensor(line: str, after: str) -> None:
    text = f"{_HEAD}{_WRAPS}{line}    return std\n"
    for ends in ("\n", "\r\n"):
        result = migrate(text.replace("\n", ends)).text
        assert after.replace("\n", ends) in result
        assert "Variable" not in result
        assert migrate(result).text == result


def test_a_line_that_goes_takes_its_type_along() -> None:
    text = f"{_HEAD}{_WRAPS}    x = Variable(x)  # type: Variable\n    return x\n"
    assert "Variable" not in migrate(text).text


def test_the_tensor_is_named_as_the_file_names_torch() -> None:
    text = f"import torch as th\n{_IMPORT}{_WRAPS}    y = var.exp()  # type: Variable\n"
    assert "# type: th.Tensor\n" in migrate(text).text


@pytest.mark.parametrize(
    "lines",
    [
        "    # type: (Variable, Variable) -> Variable\n    y = x\n",
        "    y = [var]  # type: List[Variable]\n",
        "    for y in var:  # type: Variable\n        print(y)\n",
        "    y = var  # type: Optional[Variable]\n",
    ],
)
def test_a_type_that_stays_keeps_its_import(lines: str) -> None:
    after = migrate(f"{_HEAD}{_WRAPS}{lines}    return x\n").text
    assert lines in after and _IMPORT in after
    assert "x = x.view(-1)" in after


@pytest.mark.parametrize(
    "lines",
    [
        "    y = var  # type: ignore[Variable]\n",
        "    y = var  # type: the type of a Variable\n",
        "    y = var  # a Variable\n",
        "    y = var  # type: torch.autograd.variable\n",
    ],
)
def test_a_comment_that_is_no_type_keeps_no_import(lines: str) -> None:
    after = migrate(f"{_HEAD}{_WRAPS}{lines}    return x\n").text
    assert lines in after and _IMPORT not in after


@pytest.mark.parametrize(
    "text",
    [
        f"{_HEAD}def f(var):\n    y = var.exp()  # type: Variable\n    return y.sum().data[0]\n",
        f"{_HEAD}{_WRAPS}    y = var  # type: Variable\n    return Variable(*x)\n",
        "import torch\nx = torch.ones(2)\ny = x.exp()  # type: Variable\nprint(x.sum().data[0])\n",
    ],
)
def test_a_type_stays_where_no_variable_was_taken_away(text: str) -> None:
    assert "# type: Variable\n" in migrate(text).text


def test_names_of_types() -> None:
    text = (
        "# type: (Tensor) -> Optional[Path]\nx = 1  # type: a.B\n# type: ignore[x]\n# type: a b\n"
    )
    assert names_of_types(text) == {"Tensor", "Optional", "Path", "a"}
