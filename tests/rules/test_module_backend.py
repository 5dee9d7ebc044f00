from __future__ import annotations

import pytest
import torch

from tests.support.rules import advice, keeps, rewrites

_HEAD = "import torch.nn as nn\nimport torch.nn.functional as F\n"
_OLD = "embed._backend.Embedding.apply(words, w, {}, embed.max_norm, embed.norm_type, False, embed.sparse)"
_NEW = "F.embedding(words, w, {}, embed.max_norm, embed.norm_type, False, embed.sparse)"


def _text(call: str) -> str:
    return f"{_HEAD}def drop(embed, words, w, p):\n    return {call}\n"


test_rewrites = rewrites(
    "TP712",
    {
        "padding in a name": (
            _text(_OLD.format("p")),
            _text(_NEW.format("None if p == -1 else p")),
        ),
        "no padding": (_text(_OLD.format("-1")), _text(_NEW.format("None"))),
        "padding that is known": (_text(_OLD.format("0")), _text(_NEW.format("0"))),
        "padding that a name is certainly": (
            _text(_OLD.format("n")).replace("    return", "    n = 0\n    return"),
            _text(_NEW.format("n")).replace("    return", "    n = 0\n    return"),
        ),
        "padding that a name is on one way": (
            _text(_OLD.format("n")).replace("    return", "    n = 0 if p else -1\n    return"),
            _text(_NEW.format("None if n == -1 else n")).replace(
                "    return", "    n = 0 if p else -1\n    return"
            ),
        ),
        "padding that a name may be -1 by": (
            _text(_OLD.format("n")).replace(
                "    return", "    n = -1\n    if p: n = 0\n    return"
            ),
            _text(_NEW.format("None if n == -1 else n")).replace(
                "    return", "    n = -1\n    if p: n = 0\n    return"
            ),
        ),
        "fewer arguments": (
            _text("embed._backend.Embedding.apply(words, w, p)"),
            _text("F.embedding(words, w, None if p == -1 else p)"),
        ),
        "padding of the module": (
            _text(_OLD.format("embed.padding_idx")),
            _text(_NEW.format("embed.padding_idx")),
        ),
        "in the module itself, over lines": (
            _HEAD
            + "class Words(nn.Embedding):\n    def forward(self, x):\n"
            + "        return self._backend.Embedding.apply(\n            x, self.weight,\n"
            + "            -1, None, 2, False, False)\n",
            _HEAD
            + "class Words(nn.Embedding):\n    def forward(self, x):\n"
            + "        return F.embedding(\n            x, self.weight,\n"
            + "            None, None, 2, False, False)\n",
        ),
    },
)

test_keeps = keeps(
    "TP712",
    {
        name: _text(text)
        for name, text in {
            "already modern": _NEW.format("p"),
            "a padding that is calculated": _OLD.format("f(p)"),
            "other arguments": "embed._backend.Embedding.apply(words, w)",
            "by keyword": "embed._backend.Embedding.apply(words, weight=w)",
            "starred": "embed._backend.Embedding.apply(*words)",
            "another function": "embed._backend.Linear.apply(words, w, p, 1, 2, 3, 4)",
            "not called": "embed._backend.Embedding.apply",
            "a part of something else": "nn._backend.Embedding.apply(words, w, p, 1, 2, 3, 4)",
            "suppressed": _OLD.format("p") + "  # noqa: TP712",
        }.items()
    }
    | {
        "a backend of one's own": _HEAD
        + "class Store:\n    def __init__(self):\n        self._backend = nn\n"
        + "    def get(self, x):\n        return self._backend.Embedding.apply(x, 1, -1, 1, 2, 3, 4)\n",
    },
)


_LOSS = """
import torch.nn as nn
class Loss(nn.Module):
    def forward(self, x, y):
        return {0}(self.size_average)(x, y)
"""


@pytest.mark.parametrize("called", ["self._backend.L1Loss", 'getattr(self._backend, "L1Loss")'])
def test_modules_have_no_backend(called: str) -> None:
    (finding,) = advice("TP712", _LOSS.format(called))
    assert "call the function of torch.nn.functional" in finding.message and finding.line == 4


def test_an_embedding_of_the_backend_had_another_padding() -> None:
    (finding,) = advice("TP712", _LOSS.format("self._backend.Embedding"))
    assert "padding_idx=None) where -1 was given" in finding.message


@pytest.mark.parametrize(
    ("called", "told"),
    [
        ("self._backend.LSTMCell", "torch.lstm_cell takes the same arguments"),
        ('getattr(self._backend, "RNNTanhCell")', "torch.rnn_tanh_cell takes the same arguments"),
        ("self._backend.RNN", "torch.lstm, torch.gru, "),
    ],
)
def test_recurrent_layers_are_no_functions_of_nn_functional(called: str, told: str) -> None:
    (finding,) = advice("TP712", _LOSS.format(called))
    assert told in finding.message and "nn.functional" not in finding.message


def test_a_cell_of_torch_takes_what_that_of_the_backend_took() -> None:
    cell, x = torch.nn.LSTMCell(3, 4), torch.ones(2, 3)
    state = torch.zeros(2, 4), torch.ones(2, 4)
    weights = cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh
    assert torch.lstm_cell(x, state, *weights)[0].equal(cell(x, state)[0])


@pytest.mark.parametrize(
    "text",
    [
        _LOSS.format("self.loss._backend"),
        _LOSS.format("self._backend") + "    def __init__(self):\n        self._backend = nn\n",
        _LOSS.format("self._backend").replace("nn.Module", "Base"),
        _LOSS.format("self._backend").replace("nn.Module", "object"),
    ],
)
def test_other_backends_are_no_finding(text: str) -> None:
    assert not advice("TP712", text)
