"""What a Variable is made of is not detached where that does nothing."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_HEAD = "import numpy as np\nimport torch\nfrom torch.autograd import Variable\n\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "def f(i):\n    if isinstance(i, np.ndarray):\n"
            "        return Variable(torch.Tensor(i))\n",
            "        return torch.Tensor(i)\n",
        ),
        (
            "def f(p):\n    a = torch.multinomial(p, 1)\n"
            "    return torch.gather(p, 1, Variable(a.data))\n",
            "    return torch.gather(p, 1, a)\n",
        ),
        (
            "def f(ks):\n    return [Variable(k.data.clone(), requires_grad=True) for k in ks]\n",
            "    return [k.data.clone().requires_grad_() for k in ks]\n",
        ),
    ],
)
def test_what_is_part_of_no_graph_is_written_alone(text: str, after: str) -> None:
    assert migrate(_HEAD + text, "TP101", "TP104").text.endswith(after)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "def f(i):\n    if isinstance(i, (np.ndarray, torch.Tensor)):\n"
            "        return Variable(torch.Tensor(i))\n",
            "        return torch.Tensor(i).detach()\n",
        ),
        (
            "def f(i, net):\n    if isinstance(i, np.ndarray):\n        i = net(i)\n"
            "        return Variable(torch.Tensor(i))\n",
            "        return torch.Tensor(i).detach()\n",
        ),
        (
            "def f(i):\n    if not isinstance(i, np.ndarray):\n"
            "        return Variable(torch.Tensor(i))\n",
            "        return torch.Tensor(i).detach()\n",
        ),
        (
            "def f(p):\n    a = torch.exp(p)\n    return torch.mul(p, Variable(a.data))\n",
            "    return torch.mul(p, a.detach())\n",
        ),
        (
            "class Kernel:\n    def clone(self):\n        return self.data\n\n\n"
            "def f(ks):\n    return [Variable(k.clone(), requires_grad=True) for k in ks]\n",
            "    return [k.clone().detach().requires_grad_() for k in ks]\n",
        ),
        (
            "def f(ks):\n    return [Variable(k.clone(), requires_grad=True) for k in ks]\n",
            "    return [k.clone().detach().requires_grad_() for k in ks]\n",
        ),
    ],
)
def test_what_may_be_part_of_one_is_detached(text: str, after: str) -> None:
    assert migrate(_HEAD + text, "TP101", "TP104").text.endswith(after)
