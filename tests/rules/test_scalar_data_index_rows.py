"""TP103 of elements that lie too deep to have a dimension, and of what is asserted to be one."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, rewrites

_HEAD = "import torch\ndef f(x, given):\n    "


def _line(before: str, after: str) -> tuple[str, str]:
    return f"{_HEAD}{before}\n", f"{_HEAD}{after}\n"


_INNER = """for row in x.t():
        for v in row:
            print({})"""

test_rewrites_elements_of_rows = rewrites(
    "TP103",
    {
        "elements": _line(_INNER.format("v.data[0]"), _INNER.format("v.item()")),
        "numbered": _line(
            "for i, row in enumerate(x.t()):\n        for j, v in enumerate(row):\n"
            "            v = v.data[0]\n            print(v)",
            "for i, row in enumerate(x.t()):\n        for j, v in enumerate(row):\n"
            "            v = v.item()\n            print(v)",
        ),
        "of what may have been a tuple": _line(
            "if isinstance(x, tuple):\n        x, n = x\n    " + _INNER.format("v.data[0]"),
            "if isinstance(x, tuple):\n        x, n = x\n    " + _INNER.format("v.item()"),
        ),
        "of a function": _line(
            _INNER.format("v.data[0]").replace("x.t()", "torch.t(x)"),
            _INNER.format("v.item()").replace("x.t()", "torch.t(x)"),
        ),
    },
)

_OPEN = {
    "a row": "for row in x.t():\n        print(row.data[0])",
    "of any tensor": _INNER.format("v.data[0]").replace("x.t()", "x.contiguous()"),
    "another method": _INNER.format("v.data[0]").replace("x.t()", "x.t(2)"),
    "a row that gets a dimension": _INNER.format("v.data[0]").replace(
        "for v", "row.unsqueeze_(0)\n        for v"
    ),
    "an element that gets one": _INNER.format("v.unsqueeze_(0).data[0]"),
    "by one way only": _INNER.format("v.data[0]").replace("in row", "in (row if given else x)"),
}

test_keeps_what_may_have_a_dimension = keeps(
    "TP103", {name: f"{_HEAD}{code}\n" for name, code in _OPEN.items()}
)


def test_a_method_of_the_users_shows_no_tensor() -> None:
    text = (
        f"{_HEAD}{_INNER.format('v.data[0]')}\nclass Own:\n    def t(self):\n        return self\n"
    )
    (finding,) = advice("TP103", text)
    assert finding.message.endswith("write v.item()")


_OLD = """\
import torch
from torch.autograd import Variable
def f(self, x, given):
    one = Variable(x, volatile=True)
    loss = self.loss(one)
    """


def _asserted(line: str, end: str = "return loss.data[0]") -> str:
    return f"{_OLD}{line}\n    {end}\n"


_ASSERTED = (
    "assert loss.shape == (1,)",
    "assert loss.size() == torch.Size([1]), 'one'",
    "assert given and [1] == list(loss.size())",
)

test_rewrites_what_is_asserted = rewrites(
    "TP103",
    {line: (_asserted(line), _asserted(line, "return loss.item()")) for line in _ASSERTED},
)

_NOT_ASSERTED = {
    "of another": "assert given.shape == (1,)",
    "of what it was": "assert loss.shape == (1,)\n    loss = self.other(one)",
    "on one way": "if given:\n        assert loss.shape == (1,)",
    "not": "assert loss.shape != (1,)",
    "or": "assert given or loss.shape == (1,)",
    "of more": "assert loss.shape == (2,)",
    "of a part": "assert loss.shape[0] == (1,)",
    "how many": "assert len(loss.shape) == 1",
}

test_keeps_what_is_not_asserted = keeps(
    "TP103", {name: _asserted(line) for name, line in _NOT_ASSERTED.items()}
)


@pytest.mark.parametrize("line", _ASSERTED)
def test_in_a_file_of_any_age_a_vector_may_be_asserted(line: str) -> None:
    text = _asserted(line).replace(", volatile=True", "")
    (finding,) = advice("TP103", text)
    assert finding.message.endswith("write loss.item()")
