"""A tensor that a function fills and reads only under ``no_grad`` needs no ``.data`` for that."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_HEAD = "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n\n"
_TEST = """def test(net, rows, count, use_cuda):
    batch = torch.zeros(count, 3)
    if use_cuda:
        batch = batch.cuda()
    {before}
    with torch.no_grad():
        for i in range(0, rows.size(0), count):
            batch.data[:] = rows[i:i+count]
            out = net(batch)
            {inside}
    {after}
"""


def _after(text: str, *rules: str) -> str:
    after = migrate(_HEAD + text, *rules).text
    assert migrate(after, *rules).text == after
    return after


def _test(
    before: str = "total = 0", inside: str = "print(out)", after: str = "print(total)"
) -> str:
    return _after(_TEST.format(before=before, inside=inside, after=after), "TP104")


@pytest.mark.parametrize(
    ("before", "inside", "after"),
    [
        ("total = 0", "print(out)", "print(total)"),
        ("given = batch", "print(given.view(-1).sum())", "print(given.size(0))"),
        ("size = batch.size()", "batch.data[0] += out", "print(batch.shape, size)"),
    ],
)
def test_what_is_filled_where_gradients_are_off_is_filled_itself(
    before: str, inside: str, after: str
) -> None:
    result = _test(before, inside, after)
    assert "            batch[:] = rows[i:i+count]\n" in result
    assert "batch.data" not in result


@pytest.mark.parametrize(
    ("before", "inside", "after"),
    [
        # A graph may need what it held.
        ("scores = batch * net.scale", "print(out)", "scores.sum().backward()"),
        ("scores = batch * net.scale", "print(out)", "return scores"),
        ("total = 0", "print(out)", "return batch * net.scale"),
        ("total = 0", "print(out)", "net(batch).sum().backward()"),
        ("given = batch", "print(out)", "return given * net.scale"),
        ("total = 0", "part = batch.view(-1)", "return part * net.scale"),
        ("total = 0", "part = torch.squeeze(batch)", "return part * net.scale"),
        ("total = 0", "part = batch[0]", "return part * net.scale"),
        ("def scaled(): return batch * net.scale", "print(out)", "return scaled"),
        # Others hold it as well.
        ("net.kept = batch", "print(out)", "print(total)"),
        ("total = 0", "net.kept = batch", "print(total)"),
        ("total = 0", "rows.append(batch)\n            kept = [batch]", "return kept"),
        ("batch = net.batch", "print(out)", "print(total)"),
        ("batch = batch.view(-1)", "print(out)", "print(total)"),
        ("batch.requires_grad_()", "print(out)", "print(total)"),
        ("batch = nn.Parameter(batch)", "print(out)", "print(total)"),
    ],
)
def test_what_a_graph_may_need_is_filled_through_data(before: str, inside: str, after: str) -> None:
    assert "            batch.data[:] = rows[i:i+count]\n" in _test(before, inside, after)


def test_where_gradients_are_on_data_stays() -> None:
    text = _TEST.format(before="total = 0", inside="print(out)", after="print(total)")
    assert "batch.data[:]" in _after(text.replace("torch.no_grad", "torch.enable_grad"), "TP104")


def test_what_was_volatile_is_filled_itself_in_the_same_run() -> None:
    text = _TEST.format(before="x = Variable(batch, volatile=True)", inside="0", after="return 1")
    text = text.replace("batch.data", "x.data").replace("net(batch)", "net(x)")
    text = text.replace("    with torch.no_grad():\n", "    if True:\n")
    after = _after(text)
    assert " x[:] = rows[i:i+count]\n" in after
    assert "with torch.no_grad():" in after


@pytest.mark.parametrize(
    ("made", "plain"),
    [
        ("torch.ones(n).type_as(scores)", True),
        ("torch.ones(n, 1).expand_as(scores)", True),
        ("torch.ones(n, 1).view_as(scores)", True),
        ("scores.type_as(torch.ones(n))", False),
        ("torch.ones(n).add_(scores)", False),
        ("torch.ones(n).copy_(scores)", False),
    ],
)
def test_a_tensor_that_only_shows_the_type_has_nothing_to_detach(made: str, plain: bool) -> None:
    text = (
        "class Net(nn.Module):\n    def forward(self, x):\n        return x * 2\n\n"
        f"def errors(scores):\n    n = scores.size(0)\n    right = {made}\n"
        "    right[scores.max(1)[1]] = 0\n    return right\n\n"
        "def train(net, x):\n    out = torch.sigmoid(net(x))\n    print(errors(out.data))\n"
    )
    assert ("errors(out)" in _after(text, "TP104")) is plain
