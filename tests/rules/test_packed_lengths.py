import contextlib
from pathlib import Path

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence

from tests.support.rules import advice, keeps, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_IMPORTS = """\
import torch
from torch.nn.utils import rnn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
"""


def _pairs(*codes: tuple[str, str]) -> dict[str, tuple[str, str]]:
    return {before: (_IMPORTS + before, _IMPORTS + after) for before, after in codes}


test_rewrites = rewrites(
    "TP709",
    _pairs(
        (
            "def f(x, n):\n    n, order = torch.sort(n, 0, True)\n"
            "    return pack_padded_sequence(x[order], n, batch_first=True)\n",
            "def f(x, n):\n    n, order = torch.sort(n, 0, True)\n"
            "    return pack_padded_sequence(x[order], n.cpu(), batch_first=True)\n",
        ),
        (
            "def f(x, mask):\n    n = torch.ne(mask, 0).long()\n"
            "    return rnn.pack_padded_sequence(x, lengths=n.sum(1), batch_first=True)\n",
            "def f(x, mask):\n    n = torch.ne(mask, 0).long()\n"
            "    return rnn.pack_padded_sequence(x, lengths=n.sum(1).cpu(), batch_first=True)\n",
        ),
        (
            "def f(x, n):\n    n = torch.LongTensor(n).cuda()\n"
            "    return pack_padded_sequence(x, n)\n",
            "def f(x, n):\n    n = torch.LongTensor(n).cuda()\n"
            "    return pack_padded_sequence(x, n.cpu())\n",
        ),
        (
            "def f(x, n, device):\n    n = torch.tensor([4, 2], device=device)\n"
            "    return pack_padded_sequence(x, n + 1)\n",
            "def f(x, n, device):\n    n = torch.tensor([4, 2], device=device)\n"
            "    return pack_padded_sequence(x, (n + 1).cpu())\n",
        ),
        (
            "def f(x, n):\n    mask = torch.arange(4) < n\n"
            "    return pack_padded_sequence(x, mask.sum(1))\n",
            "def f(x, n):\n    mask = torch.arange(4) < n\n"
            "    return pack_padded_sequence(x, mask.sum(1).cpu())\n",
        ),
        (
            "def f(x, n, gpu):\n    n = torch.LongTensor([4, 2])\n    if gpu:\n        n = n.cuda()\n"
            "    return pack_padded_sequence(x, n)\n",
            "def f(x, n, gpu):\n    n = torch.LongTensor([4, 2])\n    if gpu:\n        n = n.cuda()\n"
            "    return pack_padded_sequence(x, n.cpu())\n",
        ),
    ),
)

test_keeps = keeps(
    "TP709",
    {
        name: _IMPORTS + code
        for name, code in {
            "a parameter": "def f(x, n):\n    return pack_padded_sequence(x, n)\n",
            "declared": "def f(x, n: torch.Tensor):\n    return pack_padded_sequence(x, n)\n",
            "a list": "def f(x, n):\n    return pack_padded_sequence(x, [4, 2])\n",
            "an array": "import numpy as np\ndef f(x):\n"
            "    return pack_padded_sequence(x, np.array([4, 2]))\n",
            "numbers of a tensor": "def f(x, n):\n    n = torch.sort(n)[0]\n"
            "    return pack_padded_sequence(x, n.tolist())\n",
            "a list that was made of either": "def f(x, n):\n"
            "    if not isinstance(n, list):\n        n = n.view(-1).tolist()\n"
            "    return pack_padded_sequence(x, n)\n",
            "moved already": "def f(x, n):\n    n = torch.sort(n)[0]\n"
            "    return pack_padded_sequence(x, n.cpu()), pack_padded_sequence(x, n.to('cpu'))\n",
            "moved above": "def f(x, n):\n    n = torch.sort(n)[0].cpu()\n"
            "    return pack_padded_sequence(x, n)\n",
            "made on the CPU": "def f(x, n):\n    n = torch.LongTensor([len(i) for i in n])\n"
            "    n, order = torch.sort(n, 0, True)\n    m = torch.from_numpy(n.numpy()).long()\n"
            "    return pack_padded_sequence(x, n), pack_padded_sequence(x, n[0]), "
            "pack_padded_sequence(x, m)\n",
            "what torch counted": "def f(x, y):\n    x, n = pad_packed_sequence(x)\n"
            "    return pack_padded_sequence(x * 2, n)\n",
            "arguments that are not seen": "def f(x, n):\n    n = torch.sort(n)[0]\n"
            "    return pack_padded_sequence(*x, n), pack_padded_sequence(x, **n)\n",
            "another function": "def pack_padded_sequence(x, n):\n    return x\n"
            "y = pack_padded_sequence(1, torch.sort(z)[0])\n",
        }.items()
    },
)


_OLD = "from torch.autograd import Variable\n" + _IMPORTS


_MOVED = """
def f(x, n, batch):
    v = Variable(x, volatile=True)
    return pack_padded_sequence(v, {})
def train(x, n, batch, unknown):
    if unknown:
        n = n.cuda()
    batch.lengths = torch.LongTensor(n).to(unknown).cuda()
    f(x, n, batch)
"""


@pytest.mark.parametrize(("lengths", "line"), [("n", 11), ("batch.lengths", 12)])
def test_what_the_project_moves_is_told_in_old_files(lengths: str, line: int) -> None:
    text = _MOVED.format(lengths)
    (found,) = advice("TP709", _OLD + text)
    assert found.message.endswith(f"and line {line} moves {lengths} off it: write {lengths}.cpu()")
    assert not advice("TP709", _IMPORTS + text.replace(", volatile=True", ""))
    assert not advice("TP709", _OLD + text.replace(".cuda()", ""))


@pytest.mark.parametrize(
    "move",
    [
        "x, n = tuple(y.cuda() if isinstance(y, torch.LongTensor) else y for y in batch)",
        "x, n = [y.cuda() if torch.is_tensor(y) else y for y in batch]",
        "x, n = batch\n    if isinstance(n, torch.Tensor):\n        n = n.cuda()",
    ],
)
def test_what_is_moved_if_it_is_a_tensor_may_be_a_list(move: str) -> None:
    text = (
        "def f(x, n):\n    v = Variable(x, volatile=True)\n    return pack_padded_sequence(v, n)\n"
        f"def train(batch):\n    {move}\n    f(x, n)\n"
    )
    (found,) = advice("TP709", _OLD + text)
    assert "since torch 1.7: if n is a tensor, and no list, line " in found.message
    assert found.message.endswith("moves it off it, and it is to be n.cpu()")


@pytest.mark.parametrize(
    "given",
    [
        "n.cuda().tolist()",
        "n.cuda().cpu()",
        "list(n.cuda())",
        "[int(k) for k in n.cuda()]",
        "n.cuda().cpu().numpy()",
        "n, n.cuda()",
    ],
)
def test_what_comes_back_from_the_gpu_is_not_told(given: str) -> None:
    text = (
        "def f(x, n, m=None):\n    v = Variable(x, volatile=True)\n"
        f"    return pack_padded_sequence(v, n)\ndef g(x, n):\n    return f(x, {given})\n"
    )
    assert not advice("TP709", _OLD + text)


@pytest.mark.parametrize("lengths", ["n.tolist()", "list(n)", "[4, 2]", "n.cpu()"])
def test_what_is_no_tensor_of_a_gpu_is_not_told(lengths: str) -> None:
    text = f"def f(x, n):\n    v = Variable(x, volatile=True)\n    return pack_padded_sequence(v, {lengths})\n"
    assert not advice("TP709", _OLD + text)


@pytest.mark.parametrize(
    "made",
    [
        "n = np.sort(n)",
        "n = sorted(map(len, n))",
        "n = [len(s) for s in n]",
        "n.sort(reverse=True)",
        "n.append(3)",
        "order = np.argsort(n)",
        "n = n.astype('int64')",
        "if x is None:\n        n = np.ones(3)",
        "x, n = zip(*x)",
    ],
)
def test_what_is_a_list_or_an_array_is_not_told(made: str) -> None:
    text = f"import numpy as np\ndef f(x, n):\n    v = Variable(x, volatile=True)\n    {made}\n"
    assert not advice("TP709", _OLD + text + "    return pack_padded_sequence(v, n)\n")


@pytest.mark.parametrize("made", ["n = n.sort(0, True)[0]", "n.sort_values()", "x.append(n)"])
def test_what_tensors_have_as_well_is_no_proof_of_a_list(made: str) -> None:
    text = f"def f(x, n):\n    v = Variable(x, volatile=True)\n    {made}\n"
    text += "    return pack_padded_sequence(v, n)\ndef g(x, n):\n    return f(x, n.cuda())\n"
    (found,) = advice("TP709", _OLD + text)
    assert "write n.cpu()" in found.message


def test_lists_that_all_calls_give_are_not_told(tmp_path: Path) -> None:
    model = "def pack(x, n):\n    v = Variable(x, volatile=True)\n    return pack_padded_sequence(v, n)\n"
    (tmp_path / "model.py").write_text(_OLD + model)
    (tmp_path / "main.py").write_text("from model import pack\npack(x, [len(s) for s in x])\n")
    settings = Settings(select=("TP709",))
    assert not migrate_file(tmp_path / "model.py", settings, write=False).findings
    (tmp_path / "main.py").write_text("from model import pack\npack(x, unknown)\n")
    assert not migrate_file(tmp_path / "model.py", settings, write=False).findings
    (tmp_path / "main.py").write_text("from model import pack\npack(x, unknown.cuda())\n")
    assert migrate_file(tmp_path / "model.py", settings, write=False).findings


_ENCODER = (
    _OLD
    + """
class Encoder(torch.nn.Module):
    def forward(self, x, n):
        return pack_padded_sequence(Variable(x, volatile=True), n)

class Net(torch.nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.text = Encoder()

    def forward(self, x, n):
        return self.text(x, list(n.data))
"""
)


def test_lists_that_all_calls_of_a_module_give_are_not_told(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    (tmp_path / "main.py").write_text("from model import Net\nNet()(x, n.cuda())\n")
    settings = Settings(select=("TP709",))

    def is_told(text: str) -> bool:
        model.write_text(text)
        return bool(migrate_file(model, settings, write=False).findings)

    assert not is_told(_ENCODER)
    assert not is_told(_ENCODER.replace("list(n.data)", "n=list(n.data)"))
    assert is_told(_ENCODER.replace("list(n.data)", "n"))
    assert not is_told(_ENCODER.replace("list(n.data)", "*n"))
    assert is_told(_ENCODER.replace("list(n.data))", "list(n.data)), self.text(x, n)"))
    assert not is_told(_ENCODER.replace("self.text(x,", "run(self.text, x,"))
    assert not is_told(_ENCODER.replace("self.text(x, list(n.data))", "x"))
    wrapped = _ENCODER.replace("    def forward(", "    @typed\n    def forward(", 1)
    assert not is_told(wrapped)
    assert is_told(wrapped.replace("list(n.data)", "n"))
    (tmp_path / "main.py").write_text("from model import Encoder\nEncoder()(x, n.cuda())\n")
    assert is_told(_ENCODER)


def test_what_only_has_the_same_name_is_not_told(tmp_path: Path) -> None:
    model = (
        _OLD
        + """
class Net(torch.nn.Module):
    def forward(self, x, lengths):
        return pack_padded_sequence(Variable(x, volatile=True), lengths)

    def sample(self, end):
        lengths = torch.zeros_like(end.data.cuda()).long()
        return lengths
"""
    )
    (tmp_path / "model.py").write_text(model)
    settings = Settings(select=("TP709",))
    main = "from model import Net\ndef train(model, x, lengths, end):\n    {}\n"
    (tmp_path / "main.py").write_text(main.format("return model(x, lengths), model.sample(end)"))
    assert not migrate_file(tmp_path / "model.py", settings, write=False).findings
    (tmp_path / "main.py").write_text(main.format("return Net()(x, Net().sample(end))"))
    assert migrate_file(tmp_path / "model.py", settings, write=False).findings


_SORTED = "import numpy as np\ndef f(x, n):\n    {}\n    return pack_padded_sequence(x, {})\n"


@pytest.mark.parametrize(
    ("made", "given", "copied"),
    [
        ("n = np.sort(n)[::-1]", "n", "in line 6 write np.sort(n)[::-1].copy()"),
        (
            "n, order = np.sort(n)[::-1], np.argsort(-n)",
            "n",
            "in line 6 write np.sort(n)[::-1].copy()",
        ),
        ("n = np.array([1, 2])", "n[::-1]", "write n[::-1].copy()"),
        (
            "if x.any():\n        n = np.sort(n)[::-1]\n    else:\n        n = np.array(n)[::-1]",
            "n",
            "write n.copy()",
        ),
    ],
)
def test_an_array_that_is_reversed_is_told(made: str, given: str, copied: str) -> None:
    (found,) = advice("TP709", _IMPORTS + _SORTED.format(made, given))
    assert found.message.endswith(f": {copied}")


def test_an_array_that_is_reversed_is_told_once() -> None:
    text = _SORTED.format("n = np.sort(n)[::-1]", "n)\n    return pack_padded_sequence(-x, n")
    (found,) = advice("TP709", _IMPORTS + text.replace("return", "a =", 1))
    assert found.line == 7
    first, again = "n = np.sort(n)[::-1]; a =", "n = np.sort(n)[::-1]; return"
    text = text.replace("return", first, 1).replace("return", again)
    assert [f.line for f in advice("TP709", _IMPORTS + text)] == [7, 8]


@pytest.mark.parametrize(
    ("made", "given"),
    [
        ("n = np.sort(n)[::-1].copy()", "n"),
        ("n = np.sort(n)", "n"),
        ("n = np.sort(n)[::2]", "n"),
        ("n = sorted(n)[::-1]", "n"),
        ("n = n[::-1]", "n"),
        ("n = np.sort(n)[::-1].tolist()", "n"),
        ("n = np.sort(n)[::-1] if x is None else [2, 1]", "n"),
    ],
)
def test_other_arrays_and_lists_are_not(made: str, given: str) -> None:
    assert not advice("TP709", _IMPORTS + _SORTED.format(made, given))


_TRIED = """def f(x, n):
    try:
        {}
    except {}:
        return None
"""


def test_unsorted_lengths_raise_another_error() -> None:
    text = _TRIED.format("return pack_padded_sequence(x, n)", "ValueError")
    (found,) = advice("TP709", _IMPORTS + text)
    assert found.message.endswith("write RuntimeError for the ValueError that is caught")


@pytest.mark.parametrize(
    ("lengths", "is_refused"), [([1, 2], True), ([2, 0], True), ([2, 1], False)]
)
def test_of_lengths_that_are_sorted_one_may_be_0(lengths: list[int], is_refused: bool) -> None:
    x = torch.zeros(2, 2, 1)
    with pytest.raises(RuntimeError) if is_refused else contextlib.nullcontext():
        pack_padded_sequence(x, lengths)
    text = "    n = torch.sort(n, descending=True)[0]\n" + _TRIED.split("\n", 1)[1]
    text = text.format("return pack_padded_sequence(x, n)", "ValueError")
    (found,) = advice("TP709", f"{_IMPORTS}def f(x, n):\n{text}")
    assert found.message.startswith("lengths that are 0 or not sorted raise RuntimeError")


@pytest.mark.parametrize(
    ("call", "caught"),
    [
        ("return pack_padded_sequence(x, n)", "RuntimeError"),
        ("return pack_padded_sequence(x, n)", "(ValueError, RuntimeError)"),
        ("return pack_padded_sequence(x, n)", "Exception"),
        (
            "return pack_padded_sequence(x, n)",
            "ValueError:\n        raise\n    except RuntimeError",
        ),
        ("return pack_padded_sequence(x, n, enforce_sorted=False)", "ValueError"),
        ("return lambda: pack_padded_sequence(x, n)", "ValueError"),
        ("return sorted(n)", "ValueError"),
    ],
)
def test_what_catches_it_today_is_not_told(call: str, caught: str) -> None:
    assert not advice("TP709", _IMPORTS + _TRIED.format(call, caught))


def test_a_handler_is_no_place_that_is_tried() -> None:
    text = "def f(x, n):\n    try:\n        g()\n    except ValueError:\n"
    assert not advice("TP709", _IMPORTS + text + "        return pack_padded_sequence(x, n)\n")
