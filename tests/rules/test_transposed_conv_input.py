from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

_TEXT = """
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    class Net(nn.Module):
        def __init__(self, n, width, seen):
            super().__init__()
            self.embedding = {embedding}
            self.rnn = {rnn}
            self.drop, self.conv = nn.Dropout(), {conv}
        def forward(self, tokens):
            {body}
            return x
    """


def _text(
    body: str,
    embedding: str = "nn.Embedding(n, width)",
    conv: str = "nn.Conv1d(width, 8, 3)",
    rnn: str = "nn.LSTM(8, width, batch_first=True)",
) -> str:
    return _TEXT.format(body=body, embedding=embedding, conv=conv, rnn=rnn)


@pytest.mark.parametrize(
    ("text", "given"),
    [
        (_text("x = self.conv(self.embedding(tokens))"), "self.embedding(tokens)"),
        (_text("x = self.embedding(tokens); x = self.conv(x)"), "x"),
        (_text("e = self.embedding(tokens); x = self.drop(e); x = self.conv(x)"), "x"),
        (_text("x = self.conv(F.dropout(self.embedding(tokens)))"), None),
        (_text("x, _ = self.rnn(tokens); x = self.conv(x)"), "x"),
        (
            _text("x = self.conv(self.embedding(tokens.view(2, 3)))", conv="nn.BatchNorm1d(width)"),
            None,
        ),
        (_text("x, _ = self.rnn(tokens); x = self.conv(x)", conv="nn.BatchNorm1d(width)"), None),
        (
            _text(
                "x = self.conv(self.embedding(tokens))", "nn.Embedding(9, 5)", "nn.Conv1d(5, 1, 1)"
            ),
            None,
        ),
    ],
)
def test_finds(text: str, given: str | None) -> None:
    (finding,) = advice("TP410", text)
    assert finding.message.startswith("self.conv takes (batch, channels, length)")
    if given is not None:
        assert finding.message.endswith(f"write self.conv({given}.transpose(1, 2))")


_DIRECT = "x = self.conv(self.embedding(tokens))"
_QUIET = {
    "transposed": _text("x = self.conv(self.embedding(tokens).transpose(1, 2))"),
    "permuted": _text("x = self.embedding(tokens).permute(0, 2, 1); x = self.conv(x)"),
    "transposed under its name": _text(
        "x = self.embedding(tokens); x = x.transpose(1, 2); x = self.conv(x)"
    ),
    "one index each": _text(_DIRECT, conv="nn.BatchNorm1d(width)"),
    "one index each for certain": _text(
        "x = self.conv(self.embedding(tokens.view(-1)))", conv="nn.BatchNorm1d(width)"
    ),
    "channels are words": _text(_DIRECT, conv="nn.Conv1d(n, 8, 3)"),
    "other number": _text(_DIRECT, "nn.Embedding(9, 5)", "nn.Conv1d(3, 1, 1)"),
    "two dimensions": _text(_DIRECT, conv="nn.Conv2d(width, 8, 3)"),
    "star": _text(_DIRECT, conv="nn.Conv1d(*seen)"),
    "linear": _text(_DIRECT, conv="nn.Linear(width, 8)"),
    "one of two": _text(
        "x = self.embedding(tokens)\n            if self.t: x = self.f(x)\n"
        "            x = self.conv(x)"
    ),
    "the other of two": _text(
        "x = self.f(tokens)\n            if self.t: x = self.embedding(tokens)\n"
        "            x = self.conv(x)"
    ),
    "attention": _text(
        "x, _ = self.rnn(tokens); x = self.conv(x)",
        rnn="nn.MultiheadAttention(8, width, batch_first=True)",
    ),
    "length first": _text("x, _ = self.rnn(tokens); x = self.conv(x)", rnn="nn.LSTM(8, width)"),
    "both directions": _text(
        "x, _ = self.rnn(tokens); x = self.conv(x)",
        rnn="nn.LSTM(8, width, batch_first=True, bidirectional=True)",
    ),
    "state": _text("_, x = self.rnn(tokens); x = self.conv(x)"),
    "something between": _text("x = self.conv(self.f(self.embedding(tokens)))"),
    "unknown": _text("x = self.conv(tokens)"),
    "suppressed": _text(f"{_DIRECT}  # noqa: TP410"),
}


@pytest.mark.parametrize("name", _QUIET)
def test_is_quiet(name: str) -> None:
    assert advice("TP410", _QUIET[name]) == []


test_keeps = keeps("TP410", {**_QUIET, "found": _text(_DIRECT)})
