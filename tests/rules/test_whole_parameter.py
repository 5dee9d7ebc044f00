from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, rewrites

HEAD = """
import torch
import torch.nn as nn
"""

test_rewrites = rewrites(
    "TP714",
    {
        name: (f"{HEAD}p = {before}", f"{HEAD}p = {after}")
        for name, (before, after) in {
            "int": (
                "nn.Parameter(torch.IntTensor(n, 1 + n // 32))",
                "nn.Parameter(torch.IntTensor(n, 1 + n // 32), requires_grad=False)",
            ),
            "long": (
                "nn.Parameter(torch.LongTensor([1]))",
                "nn.Parameter(torch.LongTensor([1]), requires_grad=False)",
            ),
            "byte": (
                "nn.Parameter(torch.zeros(3).byte())",
                "nn.Parameter(torch.zeros(3).byte(), requires_grad=False)",
            ),
            "a dtype": (
                "nn.Parameter(torch.empty(3, dtype=torch.int))",
                "nn.Parameter(torch.empty(3, dtype=torch.int), requires_grad=False)",
            ),
            "by its keyword": (
                "nn.Parameter(data=torch.tensor([1, 2]))",
                "nn.Parameter(data=torch.tensor([1, 2]), requires_grad=False)",
            ),
            "filled, and in another shape": (
                "nn.Parameter(torch.LongTensor(4).zero_().view(2, 2))",
                "nn.Parameter(torch.LongTensor(4).zero_().view(2, 2), requires_grad=False)",
            ),
            "true by name": (
                "nn.Parameter(torch.LongTensor(3), requires_grad=True)",
                "nn.Parameter(torch.LongTensor(3), requires_grad=False)",
            ),
            "true by place": (
                "nn.Parameter(torch.LongTensor(3), True)",
                "nn.Parameter(torch.LongTensor(3), False)",
            ),
        }.items()
    }
    | {
        "of a name": (
            f"{HEAD}x = torch.zeros(3).long()\np = torch.nn.parameter.Parameter(x)",
            f"{HEAD}x = torch.zeros(3).long()\n"
            "p = torch.nn.parameter.Parameter(x, requires_grad=False)",
        ),
    },
)

test_keeps = keeps(
    "TP714",
    {
        name: HEAD + text
        for name, text in {
            "told already": "p = nn.Parameter(torch.LongTensor(3), requires_grad=False)",
            "told by place": "p = nn.Parameter(torch.LongTensor(3), False)",
            "told by something else": (
                "def f(train):\n    return nn.Parameter(torch.LongTensor(3), requires_grad=train)"
            ),
            "floats": "p = nn.Parameter(torch.FloatTensor(3))",
            "the default type": "p = nn.Parameter(torch.Tensor(3))",
            "cast to floats": "p = nn.Parameter(torch.LongTensor([1, 2]).float())",
            "a dtype of floats": "p = nn.Parameter(torch.zeros(3, dtype=torch.double))",
            "divided": "p = nn.Parameter(torch.LongTensor([1, 2]) / 2)",
            "unknown": "def f(x):\n    return nn.Parameter(x)",
            "either": (
                "def f(a):\n    x = torch.LongTensor(3) if a else torch.Tensor(3)\n"
                "    return nn.Parameter(x)"
            ),
            "more arguments": "def f(**more):\n    return nn.Parameter(torch.LongTensor(3), **more)",
            "another class": ("class Parameter:\n    pass\n\n\np = Parameter(torch.LongTensor(3))"),
            "another library's": (
                "from inspect import Parameter\n\np = Parameter(torch.LongTensor(3))"
            ),
            "a buffer": "nn.Module().register_buffer('p', torch.LongTensor(3))",
        }.items()
    },
)

_TOLD = (
    "this raises: only tensors of floats can require gradients, and {}: write requires_grad=False"
)


@pytest.mark.parametrize(
    ("made", "dtype"),
    [
        # Floats in torch 0.3.
        ("torch.arange(3)", "int64"),
        ("torch.arange(3).view(3, 1)", "int64"),
        ("torch.zeros(3) > 0", "bool"),
    ],
)
def test_what_names_no_type_is_told(made: str, dtype: str) -> None:
    (found,) = advice("TP714", f"{HEAD}p = nn.Parameter({made})")
    assert found.message == _TOLD.format(f"{made} is {dtype}")


def test_what_is_no_whole_number_is_not_told() -> None:
    assert not advice("TP714", f"{HEAD}p = nn.Parameter(torch.arange(3.0))")
    assert not advice("TP714", f"{HEAD}p = nn.Parameter(torch.arange(3), requires_grad=False)")


@pytest.mark.parametrize(
    ("made", "dtype"),
    [
        ("torch.tensor([2], requires_grad=True)", "int64"),
        ("torch.tensor(2, requires_grad=True)", "int64"),
        ("torch.tensor([True], requires_grad=True)", "bool"),
        ("torch.zeros(3, dtype=torch.long, requires_grad=True)", "int64"),
        ("torch.arange(3, requires_grad=True)", "int64"),
    ],
)
def test_whole_numbers_that_are_to_require_gradients(made: str, dtype: str) -> None:
    with pytest.raises(RuntimeError):
        exec(f"{HEAD}{made}\n")
    (finding,) = advice("TP714", f"{HEAD}x = {made}\n")
    assert finding.message == (
        f"this raises: only tensors of floats can require gradients, and this one is {dtype}: "
        "write dtype=torch.float, or leave requires_grad=True out where no gradient is wanted"
    )


@pytest.mark.parametrize(
    "made",
    [
        "torch.tensor([2.], requires_grad=True)",
        "torch.tensor([2], dtype=torch.float, requires_grad=True)",
        "torch.tensor([2], requires_grad=False)",
        "torch.tensor([2], requires_grad=asked)",
        "torch.tensor(given, requires_grad=True)",
        "torch.zeros(3, requires_grad=True)",
        "torch.zeros(3, dtype=given, requires_grad=True)",
        "torch.arange(3., requires_grad=True)",
        "torch.tensor([2], **given)",
        "given.tensor([2], requires_grad=True)",
    ],
)
def test_nothing_is_said_of_floats(made: str) -> None:
    assert not advice("TP714", f"{HEAD}def f(given, asked):\n    return {made}\n")


@pytest.mark.parametrize("tried", ["try", "with pytest.raises(RuntimeError)"])
def test_nothing_is_said_of_what_is_tried(tried: str) -> None:
    handler = "except RuntimeError:\n    pass\n" if tried == "try" else ""
    text = f"{HEAD}import pytest\n{tried}:\n    torch.tensor([2], requires_grad=True)\n{handler}"
    assert not advice("TP714", text)


def test_the_type_is_written_as_torch_is_imported() -> None:
    (finding,) = advice("TP714", "import torch as th\nx = th.tensor([2], requires_grad=True)\n")
    assert "write dtype=th.float, or" in finding.message
