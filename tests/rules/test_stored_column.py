"""TP432: a column of one in a slice of one dimension."""

from __future__ import annotations

from tests.support.rules import keeps, rewrites

_HEAD = """\
import numpy as np
import torch
import torch.nn as nn
fc = nn.Linear(8, 1)
net = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 1))
wide = nn.Linear(8, 4)
h = torch.zeros(4, 8)
def f(given, other):
    out, i = torch.zeros(4, 3), len(given)
    """


def _line(before: str, after: str) -> tuple[str, str]:
    return f"{_HEAD}{before}\n", f"{_HEAD}{after}\n"


test_rewrites = rewrites(
    "TP432",
    {
        "of a layer": _line("out[:, i] = fc(h)", "out[:, i] = fc(h).squeeze(1)"),
        "data of some layers": _line(
            "out[:, 0] = net(h).data.cpu()", "out[:, 0] = net(h).data.cpu().squeeze(1)"
        ),
        "in a row": _line("out[i] = torch.rand(3).view(3, 1)", "out[i] = torch.rand(3).view(3, 1).squeeze(1)"),
        "kept by a mean": _line(
            "out[:, i] = h.mean(1, keepdim=True)", "out[:, i] = h.mean(1, keepdim=True).squeeze(1)"
        ),
        "chosen by a column": _line(
            "j = torch.zeros(3).long().view(3, 1)\n    out[i] = torch.gather(h, 1, j)",
            "j = torch.zeros(3).long().view(3, 1)\n    out[i] = torch.gather(h, 1, j).squeeze(1)",
        ),
        "made by unsqueeze": _line("out[:, i] = h.sum(1).unsqueeze(1)", "out[:, i] = h.sum(1)"),
        "by its name": _line(
            "y = fc(h)\n    out[:, i] = y  # one\n    return y",
            "y = fc(h)\n    out[:, i] = y.squeeze(1)  # one\n    return y",
        ),
    },
)  # fmt: skip

test_keeps = keeps(
    "TP432",
    {
        name: f"{_HEAD}{code}\n"
        for name, code in {
            "a vector": "out[:, i] = fc(h).squeeze(1)\n    out[:, i] = h.sum(1)",
            "a row": "out[i] = h[:, :3].sum(0, keepdim=True)\n    out[i] = torch.rand(3).view(1, 3)",
            "several columns": "out[:, i] = wide(h)",
            "chosen by a row": "out[i] = h.gather(1, torch.zeros(3).long().view(1, 3))",
            "chosen of a column": "out[i] = fc(h).gather(0, torch.zeros(6).long().view(3, 2))",
            "a slice of columns": "out[:, 0:1] = fc(h)\n    out[:, [0]] = fc(h)",
            "the whole": "out[:] = fc(h)",
            "a slice of more dimensions": "big = torch.zeros(2, 4, 1)\n    big[i] = fc(h)",
            "an index that is not known": "out[:, other] = fc(h)",
            "of more dimensions": "out[:, i] = torch.rand(4, 2).unsqueeze(1)",
            "a slice that is not known": "given[:, i] = fc(h)",
            "what is not known": "out[:, i] = given(h)\n    out[:, i] = given",
            "an array": "a = np.zeros((4, 3))\n    a[:, i] = fc(h)",
            "a list": "rows = [0, 0]\n    rows[i] = fc(h)",
            "a name": "y = fc(h)",
            "two targets": "out[:, 0] = y = fc(h)",
            "added": "out[:, 0] += fc(h)",
        }.items()
    },
)
