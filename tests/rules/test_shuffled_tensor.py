from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

_HEAD = """import random
import numpy as np
import torch
from random import shuffle
x = torch.arange(6)
class Deck:
    def __init__(self):
        self.cards = torch.zeros(3, 2)
"""

_FOUND = {
    "random.shuffle(x)": "x = x[torch.randperm(len(x))]",
    "np.random.shuffle(x)": "x = x[torch.randperm(len(x))]",
    "shuffle(x)": "x = x[torch.randperm(len(x))]",
    "deck = Deck()\nrandom.shuffle(deck.cards)": (
        "deck.cards = deck.cards[torch.randperm(len(deck.cards))]"
    ),
}


@pytest.mark.parametrize("line", _FOUND)
def test_finds(line: str) -> None:
    assert [f.message for f in advice("TP413", f"{_HEAD}{line}\n")] == [
        f"shuffling a tensor in place loses rows and doubles others: write {_FOUND[line]}"
    ]


_QUIET = {
    "list": "random.shuffle([1, 2]); shuffle(list(range(3)))",
    "list of a tensor": "y = x.tolist()\nrandom.shuffle(y)",
    "array": "np.random.shuffle(np.arange(3)); np.random.shuffle(x.numpy())",
    "list of tensors": "y = list(x)\nrandom.shuffle(y); random.shuffle([x, x])",
    "unknown": "random.shuffle(unknown)",
    "permuted": "x = x[torch.randperm(len(x))]; np.random.permutation(x)",
    "method": "deck.shuffle(x)",
    "generator": "np.random.RandomState(1).shuffle(y)",
    "function of this file": "def shuffle(x):\n    return x\nshuffle(x)",
    "suppressed": "random.shuffle(x)  # noqa: TP413",
}


@pytest.mark.parametrize("name", _QUIET)
def test_is_quiet(name: str) -> None:
    assert advice("TP413", f"{_HEAD}{_QUIET[name]}\n") == []


test_keeps = keeps("TP413", {line: f"{_HEAD}{line}\n" for line in (*_QUIET.values(), *_FOUND)})
