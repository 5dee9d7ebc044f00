from tests.support.rules import advice, keeps, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_IMPORTS = """\
import torch.nn as nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pack_sequence
"""


def _text(code: str) -> str:
    return _IMPORTS + code


test_rewrites = rewrites(
    "TP708",
    {
        before.splitlines()[-1]: (_text(before), _text(after))
        for before, after in [
            (
                "def f(x, lengths):\n    data, sizes = pack_padded_sequence(x, lengths)\n",
                "def f(x, lengths):\n    data, sizes = pack_padded_sequence(x, lengths)[:2]\n",
            ),
            (
                "def f(xs):\n    p = pack_sequence(xs)\n    [data, sizes] = p\n",
                "def f(xs):\n    p = pack_sequence(xs)\n    [data, sizes] = p[:2]\n",
            ),
            (
                "def f(x):\n    if isinstance(x, PackedSequence):\n        x, sizes = x\n",
                "def f(x):\n    if isinstance(x, PackedSequence):\n        x, sizes = x[:2]\n",
            ),
            (
                "def f(x, y):\n    if y and isinstance(x, PackedSequence):\n        data, s = x\n",
                "def f(x, y):\n    if y and isinstance(x, PackedSequence):\n"
                "        data, s = x[:2]\n",
            ),
            (
                "def f(x):\n    packs = isinstance(x, PackedSequence)\n    if packs:\n"
                "        x, batch = x\n",
                "def f(x):\n    packs = isinstance(x, PackedSequence)\n    if packs:\n"
                "        x, batch = x[:2]\n",
            ),
            (
                "rnn = nn.LSTM(2, 3)\ndef f(x):\n    out, h = rnn(pack_sequence(x))\n    y, n = out\n",
                "rnn = nn.LSTM(2, 3)\ndef f(x):\n    out, h = rnn(pack_sequence(x))\n"
                "    y, n = out[:2]\n",
            ),
            (
                "def f(x, sizes):\n    x, sizes = PackedSequence(x, sizes)\n",
                "def f(x, sizes):\n    x, sizes = PackedSequence(x, sizes)[:2]\n",
            ),
        ]
    },
)

test_keeps = keeps(
    "TP708",
    {
        name: _text(code)
        for name, code in {
            "a parameter": "def f(packed):\n    data, sizes = packed\n",
            "all four": "def f(x, n):\n    a, b, c, d = pack_padded_sequence(x, n)\n",
            "with a star": "def f(x, n):\n    a, *b = pack_padded_sequence(x, n)\n",
            "first two": "def f(x, n):\n    a, b = pack_padded_sequence(x, n)[:2]\n",
            "whole": "def f(x, n):\n    packed = pack_padded_sequence(x, n)\n",
            "other functions": "def pack_sequence(x):\n    return x, x\ndata, sizes = pack_sequence(1)\n",
            "asked for another": (
                "def f(x, y):\n    if isinstance(y, PackedSequence):\n        data, sizes = x\n"
            ),
            "asked for one of two": (
                "def f(x):\n    if isinstance(x, (PackedSequence, tuple)):\n        d, sizes = x\n"
            ),
            "in the other branch": (
                "def f(x):\n    if isinstance(x, PackedSequence):\n        pass\n"
                "    else:\n        x, h = x\n"
            ),
            "another value since": (
                "def f(x):\n    if isinstance(x, PackedSequence):\n        x = g(x)\n"
                "        x, h = x\n"
            ),
            "another value since the flag": (
                "def f(x):\n    packs = isinstance(x, PackedSequence)\n    x = g(x)\n"
                "    if packs:\n        x, h = x\n"
            ),
            "on one of two ways": (
                "def f(x, n):\n    packed = x\n    if n:\n        packed = pack_sequence(x)\n"
                "    data, sizes = packed\n"
            ),
            "what is tried": (
                "def f(x, n):\n    try:\n        a, b = pack_padded_sequence(x, n)\n"
                "    except ValueError:\n        pass\n"
            ),
            "output and state": "rnn = nn.LSTM(2, 3)\ndef f(x):\n    y, h = rnn(pack_sequence(x))\n",
            "of another module": "def f(rnn, x):\n    y, h = rnn(pack_sequence(x))\n    a, b = y\n",
            "of no packed": "rnn = nn.LSTM(2, 3)\ndef f(x):\n    y, h = rnn(x)\n    a, b = y\n",
            "the state": (
                "rnn = nn.LSTM(2, 3)\ndef f(x):\n    y, h = rnn(pack_sequence(x))\n    h, c = h\n"
            ),
        }.items()
    },
)


def test_the_number_of_parts_is_told_in_old_files() -> None:
    text = _text("def f(x, n):\n    p = pack_padded_sequence(x, n)\n    return len(p)\n")
    for version, count in (((1, 0), 1), ((1, 1), 0)):
        found = advice("TP708", text, options=Options(era=Era(version, version)))
        assert len(found) == count
    assert not advice("TP708", text)
    for other in ("len(x)", "len(p.data)", "size(p)"):
        changed = text.replace("len(p)", other)
        assert not advice("TP708", changed, options=Options(era=Era((1, 0), (1, 0))))
