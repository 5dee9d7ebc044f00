from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_HEAD = "import numpy as np\nimport torch\nx = torch.ones(3)\na = np.ones(3)\n"
_INDEX = "i = np.array([1, 0, 1], dtype=np.uint8)\n"
_OLD = Options(era=Era((0, 4), (1, 0)))


@pytest.mark.parametrize(
    ("code", "index"),
    [
        (f"{_INDEX}y = x[i]", "i"),
        (f"{_INDEX}x[i] = 9", "i"),
        (f"{_INDEX}x[i] += 9", "i"),
        (f"{_INDEX}y = torch.ones(2, 3)[:, i]", "i"),
        ("y = x[a.astype('uint8')]", "a.astype('uint8')"),
        ("y = x[(a > 0).astype(np.uint8)]", "(a > 0).astype(np.uint8)"),
        ("y = x[np.zeros(3, np.uint8)]", "np.zeros(3, np.uint8)"),
        ("y = x[(x > 0).numpy()]", "(x > 0).numpy()"),
        ("k = x.gt(0).numpy()\ny = x[k]", "k"),
    ],
)
def test_an_array_of_bytes_was_indices(code: str, index: str) -> None:
    (finding,) = advice("TP405", _HEAD + code, options=_OLD)
    assert finding.message.endswith(f"write {index}.astype(int) for these")
    assert migrate(_HEAD + code, "TP405", options=_OLD).text == _HEAD + code
    assert not advice("TP405", _HEAD + code)
    assert not advice("TP405", _HEAD + code, options=Options(era=Era((1, 0), (1, 1))))


@pytest.mark.parametrize(
    "code",
    [
        f"{_INDEX}y = a[i]",
        f"{_INDEX}y = [1, 2][i]",
        f"{_INDEX}def f(x): return x[i]",
        f"{_INDEX}y = x[i.astype(int)]",
        f"{_INDEX}y = x[i.astype(bool)]",
        f"{_INDEX}if n:\n    i = np.array([1])\ny = x[i]",
        f"{_INDEX}y = x[torch.from_numpy(i)]",
        "def f(np): return x[np.zeros(3, np.uint8)]",
        "y = x[np.zeros(3, np.int64)]",
        "y = x[np.zeros(3, dtype)]",
        "y = x[np.zeros(3)]",
        "y = x[a.astype(kind)]",
        "y = x[a > 0]",
        "y = x[x.long().numpy()]",
        "y = x[0], x[1:], x[-1], x[None]",
    ],
)
def test_other_indices_are_none(code: str) -> None:
    told = advice("TP405", _HEAD + code, options=_OLD)
    assert not [finding for finding in told if "array of uint8" in finding.message]


_MEMORY = """import numpy as np
import torch
class Memory:
    def __init__(self, n):
        self.rewards = np.empty(n, dtype=np.float32)
        self.ended = np.empty(n, dtype={dtype})

    def sample(self, chosen):
        ended = self.ended[chosen]
        return self.rewards[chosen], ended

class Agent:
    def __init__(self):
        self.memory = Memory(100)

    def learn(self, chosen, values, cuda):
        rewards, ended = self.memory.sample(chosen)
        mask = torch.from_numpy({of})
        if cuda:
            mask = mask.cuda(0)
        best = torch.stack(values).max(1)[0]
        best[mask] = 0
        return best + torch.from_numpy(rewards)
"""


def test_a_mask_is_made_of_what_an_object_keeps_as_bytes() -> None:
    text = _MEMORY.format(dtype="np.uint8", of="ended")
    assert migrate(text, "TP405").text == text.replace("best[mask]", "best[mask.bool()]")
    # Positions, what is bool, and what may be of any dtype stay.
    for dtype, of in (("np.int64", "ended"), ("bool", "ended"), ("chosen", "ended")):
        text = _MEMORY.format(dtype=dtype, of=of)
        assert migrate(text, "TP405").text == text
    text = _MEMORY.format(dtype="np.uint8", of="rewards if cuda else ended")
    assert migrate(text, "TP405").text == text
    text = text.replace(
        "    def sample", "    def grow(self, ended):\n        self.ended = ended\n\n    def sample"
    )
    assert migrate(text, "TP405").text == text
