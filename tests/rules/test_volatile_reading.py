"""Where the blocks of TP102 end: what only reads values without a graph stays outside."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_TEXT = """
    import numpy as np
    import torch
    import matplotlib.pyplot as plt
    from torch.autograd import Variable
    from torchvision.utils import save_image
    def test(net, loss, data, target, other, log):
        scores = []
        out = net(Variable(data, volatile=True))
        {line}
    """
_HEAD = "    with torch.no_grad():\n        out = net(Variable(data))\n"


def _below(line: str) -> str:
    """What follows ``scores = []`` once TP102 has run."""
    text = textwrap.dedent(_TEXT).lstrip("\n")
    text = text.format(line=line.replace("\n", "\n    "))
    migration = migrate(text, "TP102")
    return migration.text.partition("    scores = []\n")[2].rstrip("\n")


@pytest.mark.parametrize(
    "line",
    [
        "print(out)",
        "print('%s' % out)",
        "print('%s %s' % (other, out))",
        "print('{}'.format(out))",
        "print(f'{out}')",
        "other(out[0].data.numpy())",
        "other(out[0, :other].cpu().numpy())",
        "pred = out.max(1)[1].data",
        "other([a.cpu().data for a in out])",
        "parts = {a.data[0]: b.size(0) for a, b in out}\nother(parts)",
        "action = out.mean(dim=1).item()\nother.step(action)",
        "for a in out:\n    print(a.data.numpy().shape)",
        "for i, a in enumerate(out):\n    print(a.size())",
        "print(np.mean(out))",
        "if other:\n    print('score', np.mean(out), file=log)\n    log.flush()",
        "plt.plot(out.squeeze(), 'b')",
        "save_image(out, 'out.png')",
        "torch.save(out, 'out.pt')",
        "print(out)\nprint(len(out))",
        "for a in [out, out]:\n    print(a)",
        "for i, a in enumerate((out, out)):\n    print(i, a.data)",
    ],
)
def test_stays_outside(line: str) -> None:
    assert _below(line) == (_HEAD + textwrap.indent(line, "    ")).rstrip("\n")


@pytest.mark.parametrize(
    "line",
    [
        "err = loss(out, target)",
        "err = loss(out, target).data",
        "print(out)\nerr = loss(out, target)",
        "print(loss(out, target))",
        "for a in out:\n    print(net(a))",
        "for i, a in enumerate([out, out]):\n    print(net(a))",
        "for a in map(net, [out, out]):\n    print(a)",
        "err = (out * net.weight).sum().item()",
        "y = other(out)",
        "other([a * 2 for a in out])",
        "other([a.data for a in out if net(a)])",
        "other([b for a in out for b in a])",
    ],
)
def test_comes_under_no_grad(line: str) -> None:
    assert _below(line) == (_HEAD + textwrap.indent(line, " " * 8)).rstrip("\n")


@pytest.mark.parametrize("line", ["err = out.max(net(data), 1)[1].data", "print(out[net(data)])"])
def test_what_a_model_gives_for_an_index_is_no_reading(line: str) -> None:
    assert "volatile=True" in _below(line)


def test_what_a_list_collects_is_read_outside() -> None:
    line = (
        "for part in data:\n"
        "    score = loss(net(Variable(part, volatile=True)), target)\n"
        "    scores.append(score)\n"
        "other.train()\n"
        "print('score', np.mean(scores))"
    )
    text = textwrap.dedent(_TEXT).lstrip("\n").replace("    out = net(Variable(data", "    # (")
    text = text.replace("# (, volatile=True))", "other.start()")
    migrated = migrate(text.format(line=line.replace("\n", "\n    ")), "TP102").text
    assert "    other.train()\n    print('score', np.mean(scores))\n" in migrated
    assert migrated.count("with torch.no_grad():") == 1


def test_what_is_taken_of_each_element_for_a_list_ends_the_block() -> None:
    line = (
        "x = Variable(data, volatile=True)\n"
        "parts = {}\n"
        "err = loss(net(x), target)\n"
        "log.show(x.cpu().data, parts)"
    )
    last = "    log.show(x.cpu().data, parts)"
    assert _below(line.format("[a.cpu().data for a in net(x)]")).endswith(f"\n{last}")
    assert _below(line.format("[a.cpu() for a in net(x)]")).endswith(f"\n    {last}")


def test_a_flag_without_anything_to_record_goes() -> None:
    line = "x = Variable(data, volatile=True)\nprint(np.mean(x))"
    assert _below(line).endswith("    x = Variable(data)\n    print(np.mean(x))")


def test_each_of_two_parts_ends_with_what_records() -> None:
    line = "print(out[0])\nother.optimizer.step()\nprint(np.mean(out))\nerr = loss(out, target)"
    assert _below(line) == (
        "    with torch.no_grad():\n"
        "        out = net(Variable(data))\n"
        "    print(out[0])\n"
        "    other.optimizer.step()\n"
        "    print(np.mean(out))\n"
        "    with torch.no_grad():\n"
        "        err = loss(out, target)"
    )


_LOSSES = """
import torch
from torch.autograd import Variable
def validate(net, loader, meter):
    criterion = torch.nn.MSELoss()
    for x, y, z in loader:
        x_var = Variable(x, volatile=True)
        y_var = Variable(y, volatile=True)
        z_var = Variable(z, volatile=True)

        heat, field = net(x_var)
        a = criterion(heat, y_var)
        b = criterion(field, z_var)

        loss = a + b
        meter.update(loss.data[0])
        for i, part in enumerate([a, b]):
            {line}
"""


def test_a_loop_over_some_losses_ends_the_block() -> None:
    text = _LOSSES.format(line="meter.update(i, part.data[0])")
    assert migrate(text, "TP102").text.endswith(
        "        x_var = Variable(x)\n"
        "        y_var = Variable(y)\n"
        "        z_var = Variable(z)\n"
        "\n"
        "        with torch.no_grad():\n"
        "            heat, field = net(x_var)\n"
        "            a = criterion(heat, y_var)\n"
        "            b = criterion(field, z_var)\n"
        "\n"
        "            loss = a + b\n"
        "        meter.update(loss.data[0])\n"
        "        for i, part in enumerate([a, b]):\n"
        "            meter.update(i, part.data[0])\n"
    )


def test_values_whose_parts_overlap_come_under_no_grad_in_turn() -> None:
    text = _LOSSES.format(line="print(net(part))")
    assert migrate(text, "TP102").text.endswith(
        "            loss = a + b\n"
        "        meter.update(loss.data[0])\n"
        "        for i, part in enumerate([a, b]):\n"
        "            with torch.no_grad():\n"
        "                print(net(part))\n"
    )


_GENERATES = """
    import torch
    from torch.autograd import Variable
    def generate(model, corpus, options, heat):
        word = Variable(torch.rand(1, 1).mul(9).long(), volatile=True)
        hidden = model.init_hidden(1)
        for i in range(9):
            output, hidden = model(word, hidden)
            {line}
            word.data.fill_(i)
    """


@pytest.mark.parametrize(
    "line",
    [
        "weights = other.squeeze().data.div(heat).exp().cpu()",
        "weights = (other * heat).detach().exp()",
        "name = corpus.words[i] + '.jpg'",
        "name = '<' + corpus.words[i]",
        "name = options.folder + '_%02d' % i",
        "name = options.get('folder', i)",
    ],
)
def test_what_keeps_no_graph_may_stand_inside(line: str) -> None:
    text = textwrap.dedent(_GENERATES).lstrip("\n").format(line=line)
    after = migrate(text, "TP102").text
    assert "    with torch.no_grad():\n" in after
    assert f"            {line}\n" in after


@pytest.mark.parametrize(
    "line",
    [
        "weights = other.squeeze()",
        "weights = other(i).squeeze().data",
        "weights = other.encode(heat * i).data",
        "corpus.weights = other.data + other * heat",
        "total = total + corpus.words[i]",
        "weights = options.get_scores('folder', i)",
    ],
)
def test_what_may_keep_a_graph_may_not(line: str) -> None:
    text = textwrap.dedent(_GENERATES).lstrip("\n").format(line=line)
    lines = migrate(text, "TP102").text.splitlines()
    assert lines[6:9] == [
        "        with torch.no_grad():",
        "            output, hidden = model(word, hidden)",
        f"        {line}",
    ]


_EVALUATES = """
    import torch
    from torch.autograd import Variable
    {head}
    def evaluate(model, loader):
        score = bound = 0
        for x, y, z in iter(loader):
            x = Variable(x, volatile=True).cuda()
            score += score_of(model(x), y.cuda()).sum()
            {line}
        return score, bound
    """


def _evaluated(line: str, head: str = "size = 3") -> bool:
    text = textwrap.dedent(_EVALUATES).lstrip("\n").format(line=line, head=head)
    return "with torch.no_grad():\n        for" in migrate(text, "TP102").text


@pytest.mark.parametrize(
    "line", ["bound += y.max(1)[0].sum()", "bound += z.sum()", "bound += y[0].size(0) + 3"]
)
def test_what_a_loader_gives_beside_a_variable_has_no_graph(line: str) -> None:
    assert _evaluated(line)


@pytest.mark.parametrize(
    "line",
    [
        "bound += model.bias.max(0)[0].sum()",
        "bound += y.mul(model.bias).sum()",
        "y = model.scores(z)\n        bound += y.max(1)[0].sum()",
        "for a, b in model.losses():\n                bound += b.max(1)[0].sum()",
        "for a, b in model.losses():\n                a = 3\n                v = Variable(a)"
        "\n                bound += b.max(1)[0].sum()",
    ],
)
def test_what_else_comes_may_have_a_graph(line: str) -> None:
    assert not _evaluated(line)


def test_a_name_for_a_function_of_python_records_nothing() -> None:
    loop = "for i in xrange(model.size):\n                print(i)"
    own = "try:\n    xrange\nexcept NameError:\n    xrange = {}"
    assert _evaluated(loop)
    assert _evaluated(loop, own.format("range"))
    assert not _evaluated(loop, own.format("model.layers"))
