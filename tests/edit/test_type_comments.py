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


_TESTS = """def f(x):
    {comment}
    if not isinstance(x, Variable):
        {told}
        raise ValueError
    return x
"""


@pytest.mark.parametrize(
    ("comment", "told"),
    [
        ("# x should be Variable", "print('x should be type: Variable')"),
        ("# x must be a Variable.", 'raise TypeError("x is not a Variable: %s" % x)'),
        ("# the input", "print('expected Variable, got', x)"),
    ],
)
def test_what_is_said_at_a_test_is_of_what_it_asks_for(comment: str, told: str) -> None:
    after = migrate(_HEAD + _TESTS.format(comment=comment, told=told)).text
    both = comment.replace("Variable", "torch.Tensor"), told.replace("Variable", "torch.Tensor")
    expected = _TESTS.format(comment=both[0], told=both[1])
    assert after.endswith(expected.replace("(x, Variable)", "(x, torch.Tensor)"))
    assert migrate(after).text == after


@pytest.mark.parametrize(
    ("comment", "told"),
    [
        ("# Variable or tensor: it must not be a Variable", "print('not Variable or tensor')"),
        ("# The Variable stays", "print('Variable', x)"),
        ("# x should be VariableLength", "log('x should be a Variable')"),
    ],
)
def test_what_else_is_said_at_a_test_stays(comment: str, told: str) -> None:
    after = migrate(_HEAD + _TESTS.format(comment=comment, told=told)).text
    assert comment in after and told in after


def test_what_is_said_stays_where_another_type_is_asked_for() -> None:
    told = _TESTS.format(comment="# x must be a Variable", told="print('x must be a Variable')")
    after = migrate(_HEAD + _WRAPS + told.replace("(x, Variable)", "(x, list)")).text
    assert "# x must be a Variable" in after and "print('x must be a Variable')" in after


_MOVES = """def f(x, use_cuda):
    y = {made}

    {comment}
    if use_cuda:
        x = x.cuda()
    return x, y
"""


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# Move new Variables to CUDA", "# Move new tensors to CUDA"),
        ("# put the variables back to the GPU.", "# put the tensors back to the GPU."),
    ],
)
def test_what_is_moved_are_tensors(comment: str, expected: str) -> None:
    text = _HEAD + _MOVES.format(made="Variable(torch.zeros(2))", comment=comment)
    after = migrate(text).text
    assert after.endswith(_MOVES.format(made="torch.zeros(2)", comment=expected))
    assert migrate(after).text == after


@pytest.mark.parametrize(
    ("made", "comment"),
    [
        ("torch.zeros(2)", "# Move new Variables to CUDA"),
        ("Variable(*x)", "# Move new Variables to CUDA"),
        ("Variable(torch.zeros(2))", "# Move new Variables to CUDA, tensors stay"),
        ("Variable(torch.zeros(2))", "# Move Variable names to CUDA"),
    ],
)
def test_other_things_moved_stay(made: str, comment: str) -> None:
    assert comment in migrate(_HEAD + _MOVES.format(made=made, comment=comment)).text
