"""Volatile values of which nothing records a graph: no block is written where they only move."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = "import torch\nfrom torch.autograd import Variable\n"
_LOOP = _HEAD + (
    "def score(net, loader, fit, weight):\n"
    "    outs = []\n"
    "    for x in loader:\n"
    "        {0}\n"
    "        fit(1)\n"
    "        outs.append(net(x))\n"
    "    fit(2)\n"
    "    {1}\n"
    "    return outs.data.numpy()\n"
)


@pytest.mark.parametrize(
    "made",
    [
        "x = Variable(x, volatile=True).cuda() if net is not None else None",
        "x = Variable(x, volatile=True)\n        x = x.cuda()",
        "x = torch.cat([Variable(x, volatile=True), Variable(x, volatile=True)])",
        "x = Variable(x, volatile=True)\n        x = x.cuda() * 2\n        x[0] = x[1]",
        "x = Variable(x, volatile=True)\n        x = [each.cuda() for each in [x, x]]",
        "x = Variable(x, volatile=True)\n        sizes = (2, 3)\n        x = x.view(sizes)",
    ],
)
@pytest.mark.parametrize("joined", ["outs = torch.cat(outs)", "outs = torch.stack(outs, 1)[0]"])
def test_only_what_may_record_a_graph_stands_in_a_block(made: str, joined: str) -> None:
    after = _LOOP.replace("outs.append", "with torch.no_grad():\n            outs.append")
    after = after.format(made.replace(", volatile=True", ""), joined)
    assert migrate(_LOOP.format(made, joined), "TP102").text == after
    assert migrate(after, "TP102").text == after


@pytest.mark.parametrize(
    "made",
    [
        "x = Variable(x, volatile=True) * weight",
        "x = Variable(x, volatile=True)\n        x = torch.cat([x, weight])",
        "x = Variable(x, volatile=True)\n        x = fit(x)",
        "x = fit(Variable(x, volatile=True)).data",
        "x = Variable(x, volatile=True)\n        weight += x",
        "x = Variable(x, volatile=True)\n        x = weight.forward(x)",
        "x = Variable(fit(x).data, volatile=True)",
        "x = Variable(x, volatile=True)\n        x = torch.add(x, 1, out=weight)",
        "x = Variable(torch.ones(3), volatile=True)\n"
        "        x = x + torch.ones(3, requires_grad=True)",
        "x = Variable(x, volatile=True) if fit(x) else None",
    ],
)
def test_what_may_record_a_graph_keeps_a_block_of_its_own(made: str) -> None:
    after = migrate(_LOOP.format(made, "outs = outs[0]"), "TP102").text
    first = made.split("\n")[-1].strip().replace(", volatile=True", "")
    above = after.partition(first)[0]
    assert "with torch.no_grad():" in above


_FLAGGED = _HEAD + (
    "def make(batch, net, weight, train):\n"
    "    x = Variable(batch, volatile={0})\n"
    "    x = {1}\n"
    "    return {2}\n"
)
_SAID = (
    "volatile= has no effect since 0.4: drop it; what only evaluates goes under "
    "`with torch.no_grad():`"
)
_MOVING = ["x.cuda()", "torch.cat([x, x])", "x.view(1, -1).float()", "x * 2"]


@pytest.mark.parametrize("moved", _MOVING)
@pytest.mark.parametrize("flag", ["True", "not train"])
@pytest.mark.parametrize("given", ["x", "x, 3", "x.cuda()", "torch.cat([x, x])"])
def test_what_leaves_a_function_that_records_nothing_is_told(
    moved: str, flag: str, given: str
) -> None:
    text = _FLAGGED.format(flag, moved, given)
    assert migrate(text, "TP102").text == text
    assert [found.message for found in advice("TP102", text)] == [_SAID]


@pytest.mark.parametrize("moved", _MOVING)
def test_the_flag_of_what_stays_in_a_function_just_goes(moved: str) -> None:
    text = _FLAGGED.format("not train", moved, "x.data.numpy()")
    assert migrate(text, "TP102").text == text.replace(", volatile=not train", "")


@pytest.mark.parametrize(
    "moved", ["net(x)", "x * weight", "net(x).data", "torch.mm(x, weight)", "x.net(x)"]
)
def test_a_flag_of_what_may_record_a_graph_gives_a_block(moved: str) -> None:
    after = migrate(_FLAGGED.format("not train", moved, "x"), "TP102").text
    assert after.count("with torch.set_grad_enabled(torch.is_grad_enabled() and train):") == 1


_BATCH = """import torch


WEIGHT = torch.nn.Parameter(torch.ones(3))


class Batch({0}):
    def __init__(self, data, dims):
        if isinstance(data, list):
            raise ValueError("{{}}".format(dims))
        {1}

    @classmethod
    def of(cls, examples, dims):
        data = examples[0].new(len(examples)).zero_()
        for i, x in enumerate(examples):
            {2}
        return cls(data, dims)
"""
_MADE = """from torch.autograd import Variable

from batch import Batch


def make(kind, batch, train):
    batch = [Variable(kind(x).unsqueeze(0), volatile=not train) for x in batch]
    dims = (True,) if kind else ()
    batch = Batch.of(batch, dims)
    return batch
"""


def _made(
    folder: Path, base: str, kept: str, stored: str, text: str = _MADE
) -> tuple[str, list[str]]:
    (folder / ".git").mkdir()
    (folder / "batch.py").write_text(_BATCH.format(base, kept, stored))
    (folder / "make.py").write_text(text)
    result = migrate_file(folder / "make.py", Settings(select=("TP102",)), write=True)
    return (folder / "make.py").read_text(), [found.message for found in result.findings]


_ONE = _MADE.partition("    batch = [")[0] + "    batch = Variable(batch, volatile=not train)\n"
_HANDING = {
    "returned": _MADE,
    "returned moved": _MADE.replace("return batch", "return batch.cuda()"),
    "returned at once": _MADE.replace("batch = Batch.of", "return Batch.of"),
    "yielded": _MADE.replace("return batch", "yield batch"),
    "yielded at once": _MADE.replace("batch = Batch.of", "yield Batch.of"),
    "one is returned": _ONE + "    batch = Batch.of(batch, 3)\n    return batch\n",
    "one is returned at once": _ONE + "    return Batch.of(batch, 3)\n",
    "one is kept": _ONE + "    kind.batch = Batch.of(batch, 3)\n",
    "made where it is returned": _ONE.rpartition("    batch")[0]
    + "    return Batch.of(Variable(batch, volatile=not train), 3)\n",
    "kept": _MADE.replace("return batch", "kind.batch = batch"),
    "kept at once": _MADE.replace("batch = Batch.of", "kind.batch = Batch.of"),
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _HANDING.items()])
@pytest.mark.parametrize("flag", ["not train", "True"])
def test_a_batch_of_a_class_of_the_project_records_nothing(
    tmp_path: Path, text: str, flag: str
) -> None:
    text = text.replace("not train", flag)
    assert _made(tmp_path, "object", "self.data = data", "data[i] = x", text) == (text, [_SAID])


@pytest.mark.parametrize("flag", ["not train", "True"])
def test_the_flag_of_a_batch_that_stays_in_a_function_goes(tmp_path: Path, flag: str) -> None:
    text = _MADE.replace("return batch", "print(batch.data)").replace("not train", flag)
    after, _ = _made(tmp_path, "object", "self.data = data", "data[i] = x", text)
    assert after == text.replace(f", volatile={flag}", "")


@pytest.mark.parametrize(
    ("base", "kept", "stored"),
    [
        ("torch.nn.Module", "self.data = data", "data[i] = x"),
        ("object", "self.data = data * WEIGHT", "data[i] = x"),
        ("object", "self.data = data * self.weight", "data[i] = x"),
        ("object", "self.data = self.turned(data)", "data[i] = x"),
        ("object", "self.data = data", "data[i] = x * WEIGHT"),
        ("object", "self.data = data", "data[i] = cls.net(x)"),
        ("object", "self.data = data", "data[i] = dims(x)"),
        ("object", "self.data = data", "data[i] = dims.forward(x)"),
        ("object", "self.data = data", "data[i] = torch.ones(3, requires_grad=True)"),
        ("object", "self.data = data", "data.requires_grad_()"),
    ],
)
def test_a_class_that_may_hold_weights_may_record(
    tmp_path: Path, base: str, kept: str, stored: str
) -> None:
    text, _ = _made(tmp_path, base, kept, stored)
    assert "with torch.set_grad_enabled(torch.is_grad_enabled() and train):" in text


_RESIZED = _HEAD + (
    "import numpy as np\n"
    "import torch.nn.functional as F\n"
    "def resize(label, size, net):\n"
    "    labels = Variable(torch.from_numpy(np.asarray(label)).float(), volatile=True)\n"
    "    resized = {0}\n"
    "    return {1}\n"
)
_RESIZING = [
    "F.upsample(labels, size=size, mode='nearest')",
    "F.upsample(labels, size)",
    "F.avg_pool2d(labels, size, stride=size)",
    "labels.repeat(size, 1).view(-1, size)",
    "F.pad(labels, (size, 0))",
]


@pytest.mark.parametrize("made", _RESIZING)
def test_sizes_lead_no_graph_on_where_maps_are_resized(made: str) -> None:
    text = _RESIZED.format(made, "resized.data.numpy()")
    assert migrate(text, "TP102").text == text.replace(", volatile=True", "")
    assert not advice("TP102", text)


@pytest.mark.parametrize(
    "made",
    [
        "F.upsample(labels, size=net(size))",
        "F.upsample(labels, **size)",
        "F.linear(labels, size)",
        "F.linear(labels, weight=size)",
        "labels.clamp(0, size)",
        "size.resize(labels, 2)",
        "net(labels)",
    ],
)
def test_what_may_hold_weights_leads_a_graph_on(made: str) -> None:
    after = migrate(_RESIZED.format(made, "resized.data.numpy()"), "TP102").text
    assert "    with torch.no_grad():\n" in after


@pytest.mark.parametrize("made", _RESIZING)
@pytest.mark.parametrize("given", ["resized", "resized, 3", "[resized]", "resized.byte()"])
def test_what_is_made_of_a_map_and_returned_is_of_no_block_here(made: str, given: str) -> None:
    (found,) = advice("TP102", _RESIZED.format(made, given))
    assert found.message == _SAID


_MAPS = _RESIZED.replace("    resized = {0}\n", "    maps = []\n    {0}\n")


@pytest.mark.parametrize(
    "kept", ["maps.append(F.avg_pool2d(labels, 8))", "maps.append(labels.float())"]
)
def test_nor_is_what_a_list_is_returned_with(kept: str) -> None:
    (found,) = advice("TP102", _MAPS.format(kept, "maps"))
    assert found.message == _SAID


def test_what_is_given_to_other_code_as_well_is_named() -> None:
    text = _MAPS.format("maps.append(labels)\n    net.fit(labels)", "maps")
    (found,) = advice("TP102", text)
    assert "around what calculates with labels" in found.message


_BASE = """import torch


class Base(torch.nn.Module):
    {0}
"""
_BEGUN = """import torch
from torch.autograd import Variable

from base import Base


class Decoder(Base):
    def begin(self, inputs, size):
        if inputs is None:
            inputs = Variable(torch.LongTensor([self.sos] * size), volatile=True).view(size, 1)
            inputs = self.put(inputs)
            length = self.length
        else:
            length = inputs.size(1)
        return inputs, length
"""
_PUTS = [
    "def put(self, x):\n        return x.cuda()",
    "@staticmethod\n    def put(x):\n"
    "        if torch.cuda.is_available():\n            return x.cuda()\n        return x",
]


def _begun(folder: Path, put: str, text: str = _BEGUN) -> tuple[str, list[str]]:
    (folder / ".git").mkdir()
    (folder / "base.py").write_text(_BASE.format(put))
    (folder / "decoder.py").write_text(text)
    result = migrate_file(folder / "decoder.py", Settings(select=("TP102",)), write=True)
    return (folder / "decoder.py").read_text(), [found.message for found in result.findings]


@pytest.mark.parametrize("put", _PUTS)
def test_what_a_method_of_a_base_only_moves_is_told(tmp_path: Path, put: str) -> None:
    assert _begun(tmp_path, put) == (_BEGUN, [_SAID])


@pytest.mark.parametrize(
    "put",
    [
        "def put(self, x):\n        return self.net(x)",
        "def put(self, x):\n        return x * self.scale",
        "@staticmethod\n    def put(x):\n        return x * SCALE",
        "put = torch.nn.Linear(2, 2)",
    ],
)
def test_what_it_calculates_with_weights_stands_in_a_block(tmp_path: Path, put: str) -> None:
    text, _ = _begun(tmp_path, put)
    assert "            with torch.no_grad():\n" in text


@pytest.mark.parametrize("put", _PUTS)
@pytest.mark.parametrize(
    "body",
    [
        "def put(self, x):\n        return self.net(x)",
        "put = torch.nn.Linear(2, 2)",
        "def __init__(self):\n        self.put = torch.nn.Linear(2, 2)",
    ],
)
def test_so_does_what_a_class_below_does_otherwise(tmp_path: Path, put: str, body: str) -> None:
    text, _ = _begun(tmp_path, put, f"{_BEGUN}\n\nclass Below(Decoder):\n    {body}\n")
    assert "            with torch.no_grad():\n" in text


_PACK = """import collections
import numpy as np
import torch
from torch.autograd import Variable
from torch.nn.utils.rnn import pack_padded_sequence

WEIGHT = torch.nn.Parameter(torch.ones(3))
Packed = collections.namedtuple("Packed", ["rows", "lengths"])


class Sorted(collections.namedtuple("Sorted", ["rows", "lengths"])):
    def __new__(cls, rows, lengths):
        self = super(Sorted, cls).__new__(cls, rows, np.array(lengths))
        self.ends = np.cumsum([0] + self.lengths.tolist())
        return self


class Scaled(collections.namedtuple("Scaled", ["rows", "lengths"])):
    def __new__(cls, rows, lengths):
        return super(Scaled, cls).__new__(cls, rows * WEIGHT, lengths)


class Held(torch.nn.Module):
    def __init__(self, rows, lengths):
        self.rows = rows


def to_array(lists, index):
    array = np.zeros((len(lists), 3), dtype=np.int64)
    for i, each in enumerate(lists):
        array[i] = index(each)
    return array


def to_tensor(array, cuda, volatile):
    rows = torch.LongTensor(array)
    if cuda:
        rows = rows.cuda()
    return Variable(rows, volatile=volatile)


def pack(lists, index, cuda, net, volatile):
    lengths = [len(each) for each in lists]
    rows = to_tensor(to_array(lists, index), cuda, volatile)
    return {0}
"""
_PACKED = "pack_padded_sequence(rows, lengths, batch_first=True)"


@pytest.mark.parametrize(
    "given",
    [
        "rows",
        "rows, net",
        _PACKED,
        f"Packed({_PACKED}, lengths)",
        f"Packed(lengths=lengths, rows={_PACKED})",
        f"Sorted({_PACKED}, lengths)",
        f"[Packed({_PACKED}, net), rows.float()]",
    ],
)
def test_what_is_made_of_lists_and_packed_is_told(given: str) -> None:
    text = _PACK.format(given)
    assert migrate(text, "TP102").text == text
    (found,) = advice("TP102", text)
    assert found.message == (
        "the volatile flag that this call passes on has no effect since 0.4: "
        "what only evaluates goes under `with torch.no_grad():`"
    )


@pytest.mark.parametrize(
    "given",
    [
        "net(rows)",
        "Packed(net(rows), lengths)",
        "pack_padded_sequence(net(rows), lengths)",
        "pack_padded_sequence(rows * WEIGHT, lengths)",
        f"Scaled({_PACKED}, lengths)",
        f"Held({_PACKED}, lengths)",
        f"net({_PACKED}, lengths)",
    ],
)
def test_what_is_calculated_before_it_is_packed_stands_in_a_block(given: str) -> None:
    after = migrate(_PACK.format(given), "TP102").text
    switch = "    with torch.set_grad_enabled(torch.is_grad_enabled() and not volatile):\n"
    assert switch in after.partition("def pack(")[2]


def test_so_does_an_array_that_is_made_of_a_volatile_value() -> None:
    array = "to_array(net(Variable(lists, volatile=True)), index)"
    text = _PACK.format("rows").replace("to_array(lists, index), c", f"{array}, c")
    assert "_grad" in migrate(text, "TP102").text.partition("def pack(")[2]


_MASKED = """
import torch
from torch.autograd import Variable

def decode(scores, mask, end, net):
    mask = Variable(1 - mask.data, volatile=True)
    points = []
    for i, one in enumerate(scores):
        best, at = torch.max(one, 1)
        {uses}
        points.append(at)
    return points
"""


@pytest.mark.parametrize(
    ("uses", "is_named"),
    [
        ("at.masked_fill_(mask[i].view(3, 1).expand(3, 4), end)", False),
        ("at = torch.where(mask[i], at, best)", False),
        ("at[mask[i].squeeze(1)] = 0", False),
        ("at.masked_fill_(net(mask[i]), end)", True),
        ("at.masked_fill_(at.lt(1), mask[i])", True),
    ],
)
def test_what_only_says_where_records_nothing(uses: str, is_named: bool) -> None:
    text = _MASKED.format(uses=uses)
    message = " ".join(f.message for f in advice("TP102", text))
    assert "drop it" in message or "volatile" not in migrate(text, "TP102").text
    assert ("no_grad" in message) is is_named


@pytest.mark.parametrize(
    ("made", "is_wrapped"),
    [
        # Of what it is expanded as, only the sizes are read.
        ("torch.unsqueeze(threshold, 0).expand_as(output)", True),
        ("torch.unsqueeze(threshold, 0).type_as(output)", True),
        ("torch.unsqueeze(threshold, 0).mul(output)", False),
        ("threshold.expanded(output)", False),
    ],
)
def test_what_methods_only_ask_for_sizes_is_given_no_graph(made: str, is_wrapped: bool) -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def validate(model, images, threshold, is_each, show):\n"
        "    images = Variable(images, volatile=True)\n"
        "    output = model(images)\n"
        f"    if is_each:\n        limit = {made}\n"
        "    else:\n        limit = threshold\n"
        "    output = torch.sigmoid(output)\n"
        "    show(output.data, limit)\n"
    )
    assert ("with torch.no_grad():" in migrate(text, "TP102").text) is is_wrapped


_PRIOR = """import torch
from torch.autograd import Variable
def nll(params, net, prior):
    zeros = Variable(torch.zeros(1).type_as(params.data).expand({sizes}), volatile=True)

    own = net.nll(params).mean(0)
    below = prior.nll(zeros, params).mean(0)
    return own, below
"""


@pytest.mark.parametrize(
    ("sizes", "blocks"),
    [
        pytest.param("params.size()", 1, id="the size of what has a graph"),
        pytest.param("net(params).size()", 2, id="the size of what a model calculates"),
        pytest.param("net.sizes(params)", 2, id="what a model gives"),
    ],
)
def test_zeros_of_the_size_of_others_need_no_block(sizes: str, blocks: int) -> None:
    after = migrate(_PRIOR.format(sizes=sizes), "TP101", "TP102").text
    assert after.count("with torch.no_grad():") == blocks
    assert "    with torch.no_grad():\n        below = " in after


_POOLED = """import torch
from torch import nn
from torch.autograd import Variable
class Parser({base}):
    def __init__(self, layer):
        self.pool = {layer}
        self.most = 3
    def nms(self, found):
        return found * torch.eq(self.pool(found), found).float()
    def parse(self, found):
        found = Variable(torch.Tensor(found), volatile=True)
        found = {called}
        scores, places = found.view(1, -1).topk(self.most, dim=1)
        parts = {{"scores": scores, "places": places}}
        return {{name: parts[name].cpu().data.numpy() for name in parts}}
{more}"""


def _pooled(**parts: str) -> str:
    given = {"base": "object", "layer": "nn.MaxPool2d(3, 1, 1)", "called": "self.nms(found)"}
    text = _POOLED.format(**{"more": "", **given, **parts})
    after = migrate(text, "TP102").text
    assert "volatile" not in after
    return after


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"called": "self.pool(found)"},
        {"called": "self.pool(found) + nn.Softmax(dim=1)(found)"},
        {"layer": "nn.ReLU()"},
    ],
)
def test_layers_without_weights_record_nothing_nor_do_dicts(parts: dict[str, str]) -> None:
    assert "no_grad" not in _pooled(**parts)


@pytest.mark.parametrize(
    "parts",
    [
        {"layer": "nn.Conv2d(1, 1, 3)"},
        {"layer": "layer"},
        {"layer": "layer", "more": "print(Parser(nn.ReLU()).parse([[2.]]))\n"},
        {"layer": "nn.PReLU()", "called": "self.pool(found)"},
        {"called": "self.nms(found) + Parser(None).nms(found)"},
        {"called": "self.nms(self.most(found))"},
        # A class below may do otherwise.
        {"more": "class Other(Parser):\n    def nms(self, found):\n        return found * scale\n"},
        {"more": "def change(parser):\n    parser.pool = nn.Conv2d(1, 1, 3)\n"},
        {
            "more": "class Other(Parser):\n    def __init__(self):\n"
            "        self.pool = nn.Conv2d(1, 1, 3)\n"
        },
        {"more": "def change(parser):\n    parser.nms = nn.Conv2d(1, 1, 3)\n"},
        {"base": "nn.Module"},
    ],
)
def test_what_may_have_weights_stands_in_a_block(parts: dict[str, str]) -> None:
    assert "    with torch.no_grad():\n            found = self." in _pooled(**parts)


def test_a_dict_that_is_returned_with_its_graphs_is_told() -> None:
    text = _POOLED.format(base="object", layer="nn.ReLU()", called="self.nms(found)", more="")
    text = text.replace(".cpu().data.numpy()", ".cpu()")
    assert [each.fixed for each in migrate(text, "TP102").findings] == [False]
