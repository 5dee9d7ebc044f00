from __future__ import annotations

from tests.support.rules import keeps, migrate, rewrites

_HEAD = """
import torch
import torch.nn as nn
net = nn.Linear(3, 1)
one = torch.FloatTensor([1])
loss = net(torch.ones(4, 3)).mean()
"""

test_rewrites = rewrites(
    "TP119",
    {
        "a name": (_HEAD + "loss.backward(one)\n", _HEAD + "loss.backward(one.squeeze())\n"),
        "a keyword": (
            _HEAD + "loss.backward(gradient=one, retain_graph=True)\n",
            _HEAD + "loss.backward(gradient=one.squeeze(), retain_graph=True)\n",
        ),
        "an expression": (
            _HEAD + "loss.backward(-one)  # away\n",
            _HEAD + "loss.backward((-one).squeeze())  # away\n",
        ),
        "one on a GPU, perhaps": (
            _HEAD + "if cuda:\n    one = one.cuda()\nmone = one * -1\nloss.backward(mone)\n",
            _HEAD
            + "if cuda:\n    one = one.cuda()\nmone = one * -1\nloss.backward(mone.squeeze())\n",
        ),
        "made at once": (
            _HEAD + "loss.backward(torch.ones(1))\n",
            _HEAD + "loss.backward(torch.ones(1).squeeze())\n",
        ),
    },
)

test_keeps = keeps(
    "TP119",
    {
        "no gradient": _HEAD + "loss.backward()\nloss.backward(None)\nloss.backward(None, True)\n",
        "without a dimension": _HEAD + "loss.backward(torch.tensor(1.0))\n",
        "squeezed": _HEAD + "loss.backward(one.squeeze())\n",
        "several dimensions": _HEAD + "loss.backward(torch.ones(1, 1))\n",
        "as many as there are losses": _HEAD + "net(torch.ones(4, 3)).view(-1).backward(one)\n",
        "a tensor of unknown shape": _HEAD + "net(x).squeeze().backward(one)\n",
        "an unknown gradient": _HEAD + "loss.backward(gradient)\n",
        "unknown arguments": _HEAD + "loss.backward(*gradients)\nloss.backward(**options)\n",
        "another backward": _HEAD + "engine.backward(one)\nself.loss.backward(one)\n",
        "a method of the file": _HEAD
        + "class Loss:\n    def backward(self, g): pass\nLoss().backward(one)\n",
        "numpy": _HEAD + "import numpy as np\nloss.backward(np.ones(1))\n",
    },
)


def test_nothing_is_found_twice() -> None:
    text = migrate(_HEAD + "loss.backward(one)\n", "TP119").text
    assert not migrate(text, "TP119").findings
