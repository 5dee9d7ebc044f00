from tests.support.rules import advice, keeps, migrate, rewrites

_IMPORTS = """\
import torch
import torch.nn as nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence
"""
_WHOLE = (
    "rnn = nn.LSTM(2, 3)\ndef f(x, n):\n    p = pack_padded_sequence(x, n)\n    out, h = rnn(p)\n"
)


def _text(code: str) -> str:
    return _IMPORTS + code


test_rewrites = rewrites(
    "TP708",
    {
        before.splitlines()[-1]: (_text(before), _text(after))
        for before, after in [
            (
                f"{_WHOLE}    return pad_packed_sequence([out[0].tanh(), out[1]], True)\n",
                f"{_WHOLE}    return pad_packed_sequence(PackedSequence(out[0].tanh(), out[1]), True)\n",
            ),
            (
                f"{_WHOLE}    return pad_packed_sequence((out.data + 1, p.batch_sizes))\n",
                f"{_WHOLE}    return pad_packed_sequence(PackedSequence(out.data + 1, p.batch_sizes))\n",
            ),
            (
                f"{_WHOLE}    data, sizes = out[:2]\n"
                "    return pad_packed_sequence(sequence=[data + 1, sizes])\n",
                f"{_WHOLE}    data, sizes = out[:2]\n"
                "    return pad_packed_sequence(sequence=PackedSequence(data + 1, sizes))\n",
            ),
            (
                f"{_WHOLE}    sizes = p.batch_sizes\n"
                "    return pad_packed_sequence([out.data + 1, sizes])\n",
                f"{_WHOLE}    sizes = p.batch_sizes\n"
                "    return pad_packed_sequence(PackedSequence(out.data + 1, sizes))\n",
            ),
        ]
    },
)


def test_the_class_is_named_as_the_file_can() -> None:
    text = _text(f"{_WHOLE}    return pad_packed_sequence([out[0] + 1, out[1]])\n")
    text = text.replace("PackedSequence, ", "")
    assert "(nn.utils.rnn.PackedSequence(out[0] + 1, out[1]))" in migrate(text, "TP708").text


test_keeps = keeps(
    "TP708",
    {
        name: _text(code)
        for name, code in {
            "whole": f"{_WHOLE}    return pad_packed_sequence(out)\n",
            "made already": f"{_WHOLE}    return pad_packed_sequence(PackedSequence(*out))\n",
            "another function": (
                "def g(pad_packed_sequence, x):\n    return pad_packed_sequence([x, x])\n"
            ),
            "with a star": f"{_WHOLE}    return pad_packed_sequence(*[[out[0], out[1]]])\n",
            "what is tried": (
                f"{_WHOLE}    try:\n        return pad_packed_sequence([out[0], out[1]])\n"
                "    except AttributeError:\n        return out\n"
            ),
            "a list of sequences": f"{_WHOLE}    return pad_packed_sequence([*out])\n",
            "batch sizes that may be a list": (
                "def f(x, n):\n    return pad_packed_sequence([x, n])\n"
            ),
            "batch sizes of two ways": (
                f"{_WHOLE}    sizes = p.batch_sizes\n    if n is None:\n        sizes = [1]\n"
                "    return pad_packed_sequence([out[0], sizes])\n"
            ),
            "the data twice": f"{_WHOLE}    return pad_packed_sequence([out[0], out[0]])\n",
        }.items()
    },
)


def test_parts_that_may_be_a_list_are_told() -> None:
    text = _text("def f(x, n):\n    return pad_packed_sequence([x, n])\n")
    assert [found.message for found in advice("TP708", text)] == [
        "pad_packed_sequence takes a PackedSequence, not its parts by themselves: "
        "write PackedSequence(x, n)"
    ]
    for other in ("x", "PackedSequence(x, n)", "[x]", "[*x, n]"):
        assert not advice("TP708", text.replace("[x, n]", other))


def test_the_type_is_written_as_it_is_imported() -> None:
    text = (
        "import torch.nn as nn\nfrom torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence\n"
        "def f(x, n):\n    return pad_packed_sequence([x, n])\n"
    )
    (found,) = advice("TP708", text)
    assert found.message.endswith(": write nn.utils.rnn.PackedSequence(x, n)")
    (found,) = advice("TP708", text.replace("import torch.nn as nn\n", ""))
    assert found.message.endswith(": write torch.nn.utils.rnn.PackedSequence(x, n)")
