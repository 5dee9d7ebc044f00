"""What a rewrite makes a leaf of a graph is made so, or changed in place."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import twice_migrated

_HEAD = "import torch\nfrom torch.autograd import Variable\n"
_WRITTEN = {
    "right below": (
        """
        x = torch.tensor([1.0, 2.0])
        x = Variable(x, requires_grad=True)
        """,
        "x = torch.tensor([1.0, 2.0], requires_grad=True)",
    ),
    "moved between": (
        """
        x = torch.FloatTensor([k / (n - 1) for k in range(n)])
        if torch.cuda.is_available(): x = x.cuda()
        x = Variable(x, requires_grad=True)
        """,
        """
        x = torch.tensor([k / (n - 1) for k in range(n)], dtype=torch.float, device=device,
                         requires_grad=True)
        """,
    ),
    "below a comment": (
        """
        x = torch.zeros(2)  # rows
        x = Variable(x, requires_grad=True)
        """,
        """
        x = torch.zeros(2)  # rows
        x.requires_grad_()
        """,
    ),
    "of something else": (
        """
        x = torch.zeros(2)
        y = torch.zeros(3)
        x = Variable(x, requires_grad=True)
        """,
        """
        x = torch.zeros(2)
        y = torch.zeros(3)
        x.requires_grad_()
        """,
    ),
    "where the call says it": (
        """
        x = torch.zeros(2, requires_grad=False)
        x = Variable(x, requires_grad=True)
        """,
        """
        x = torch.zeros(2, requires_grad=False)
        x.requires_grad_()
        """,
    ),
    "under another name": (
        """
        x = torch.zeros(2)
        y = Variable(x, requires_grad=True)
        print(x, y)
        """,
        """
        x = torch.zeros(2)
        y = x.detach().requires_grad_()
        print(x, y)
        """,
    ),
    "as the file has it": (
        """
        x = torch.zeros(2)
        x = x.requires_grad_()
        y = Variable(x)
        """,
        """
        x = torch.zeros(2)
        x = x.requires_grad_()
        y = x
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), _WRITTEN.values(), ids=_WRITTEN)
def test_leaves(before: str, after: str) -> None:
    text = twice_migrated(_HEAD, before)
    assert textwrap.dedent(after).strip() in text, text
