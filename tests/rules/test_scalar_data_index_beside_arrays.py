"""TP103 of elements that were numbers until torch 0.3, with which arrays of numpy calculate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics

_HEAD = """\
import numpy as np
import torch
from torch.autograd import Variable
v = Variable(torch.ones(3), volatile=True)
def f(given=None):
    y = torch.LongTensor([3, 2, 1])
    a = np.arange(3.0)
    """


def _line(before: str, after: str) -> tuple[str, str]:
    return f"{_HEAD}{before}\n", f"{_HEAD}{after}\n"


_REFUSED = {
    "plus": ("return a + y[0]", "return a + y[0].item()"),
    "times": ("return np.array([1, 2]) * y[1]", "return np.array([1, 2]) * y[1].item()"),
    "in place": ("a -= y[0]\n    return a", "a -= y[0].item()\n    return a"),
    "power": ("return a ** y[0]", "return a ** y[0].item()"),
    "what was a Variable": ("return a * v.data[0]", "return a * v[0].item()"),
    "at least": ("return a >= y[0]", "return a >= y[0].item()"),
    "less, from the left": ("return v.data[0] < a", "return v[0].item() < a"),
    "compared by its name": ("n = y[0]\n    return a > n", "n = y[0].item()\n    return a > n"),
    "by its name": ("n = y[0]\n    return a * n", "n = y[0].item()\n    return a * n"),
}

test_rewrites = rewrites("TP103", {name: _line(*code) for name, code in _REFUSED.items()})


@pytest.mark.parametrize("code", [before for before, _ in _REFUSED.values()], ids=_REFUSED)
def test_it_raises_today_and_gives_the_array_of_the_number(code: str) -> None:
    text = f"{_HEAD}{code}\n".replace(", volatile=True", "")
    migration = migrate(f"{_HEAD}{code}\n", "TP103")
    assert [finding.numerics for finding in migration.findings] == [Numerics.RESTORED]
    with pytest.raises(TypeError):
        _run(text)
    assert isinstance(_run(migration.text.replace(", volatile=True", "")), np.ndarray)


def _run(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return names["f"]()


_KEPT = {
    "the tensor comes first": "return y[0] + a",
    "it is divided by": "return a / y[0]",
    "compared": "return a == y[0]",
    "no array is compared": "return a[0] > y[0], given < y[0], np.mean(a) <= y[0]",
    "compared with a tensor": "return torch.ones(3) >= y[0]",
    "compared with two": "return 0 < y[0] < 3",
    "sought": "return y[0] in a",
    "what may be one number": "return np.mean(a) * y[0], a[0] * y[0]",
    "a number": "return 2 * y[0]",
    "not known": "return given * y[0]",
    "a tensor": "return torch.ones(3) * y[0]",
    "a Variable": "return a * v[0]",
    "a name that is used as a tensor": "n = y[0]\n    return a * n, n.size()",
}

test_keeps = keeps("TP103", {name: f"{_HEAD}{code}\n" for name, code in _KEPT.items()})

test_keeps_in_a_file_of_any_age = keeps(
    "TP103", {"plus": f"{_HEAD}return a + y[0]\n".replace(", volatile=True", "")}
)
