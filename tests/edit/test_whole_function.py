"""Long functions that calculate without a graph are decorated, so that their lines stay."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_LINES = "".join(f"        total += float(out[{i}])\n" for i in range(20))


def _function(head: str = "", tail: str = "    return total\n", name: str = "def test") -> str:
    return (
        f"{name}(net, loader):\n    net.eval()\n    total = 0\n{head}"
        "    for x in loader:\n        # forward\n        x = Variable(x, volatile=True)\n"
        f"        out = net(x)\n{_LINES}{tail}"
    )


_LAYER = "    layer = torch.nn.Linear(2, 2)\n"

_IMPORTS = "import torch\nfrom torch.autograd import Variable\n"


def _after(text: str, imports: str = _IMPORTS) -> str:
    after = migrate(imports + text).text
    assert migrate(after).text == after
    return after


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("", "    return total\n"),
        ("", "    # all of it\n    print(total)\n    return total\n"),
        ("    names = [\n        'a',\n  'b']\n", ""),
        ('    text = """\n  a\n"""\n', "    return text\n"),
    ],
)
def test_its_lines_stay(head: str, tail: str) -> None:
    expected = _function(head, tail).replace("        x = Variable(x, volatile=True)\n", "")
    assert _after(_function(head, tail)).endswith(f"@torch.no_grad()\n{expected}")


def test_lines_that_go_on_stay_where_they_were() -> None:
    head = "    size = 1 + \\\n      2\n"
    text = _function(head).replace("out = net(x)\n", "out = net(x) \\\n          + 1\n# far left\n")
    expected = text.replace("        x = Variable(x, volatile=True)\n", "")
    assert _after(text).endswith(f"@torch.no_grad()\n{expected}")


def test_comments_beside_its_lines_stay_in_their_columns() -> None:
    text = _function().replace("out = net(x)\n", "out = net(x)    # scores\n")
    expected = text.replace("        x = Variable(x, volatile=True)\n", "")
    assert _after(text).endswith(f"@torch.no_grad()\n{expected}")


def test_lines_of_blanks_come_back_with_their_code() -> None:
    text = _function().replace("out = net(x)\n", "out = net(x)\n        \n    \n")
    expected = text.replace("        x = Variable(x, volatile=True)\n", "")
    assert _after(text).endswith(f"@torch.no_grad()\n{expected}")


def test_methods() -> None:
    text = _function().replace("(net,", "(self, net,")
    after = _after("class Test:\n" + textwrap.indent(text, "    "))
    assert "    @torch.no_grad()\n    def test(self, net, loader):\n" in after


@pytest.mark.parametrize(
    "text",
    [
        # A short block is read at a glance.
        _function().replace(_LINES, _LINES[: _LINES.index("\n") + 1]),
        # These may need a graph, or train.
        _function("    start = net(first)\n"),
        _function(tail="    optimizer.step()\n"),
        _function(tail="    return out.sum() * weight\n"),
        # A part of what requires gradients requires them as well.
        _function(head=_LAYER, tail="    return layer.weight[0]\n"),
        _function(head=_LAYER, tail="    turned = layer.weight.T\n    return turned\n"),
        _function(head=_LAYER, tail="    norm = 0\n    norm += layer.weight\n    return norm\n"),
        _function(tail="    return weights[0]\n"),
        # It goes on after it was called.
        _function(tail="    yield total\n"),
        "@cached\n" + _function(),
        # What it switches stays so for who called it.
        _function(head="    torch.set_grad_enabled(False)\n"),
        _function(tail="    torch.set_grad_enabled(True)\n"),
    ],
)
def test_a_block_that_holds_a_part_stays(text: str) -> None:
    assert "@torch.no_grad()" not in _after(text)


def test_a_block_that_a_person_wrote_stays() -> None:
    text = f"import torch\ndef test(net, x):\n    with torch.no_grad():\n        out = net(x)\n{_LINES}"
    assert _after(text + "    return 1\n", "").count("@") == 0


def test_a_name_of_the_function_alone_cannot_stand_above_it() -> None:
    imports = "from torch.autograd import Variable\n"
    after = migrate(imports + _function("    import torch\n")).text
    assert "@torch.no_grad()" not in after or after.startswith("import torch\n")


_PARTS = """def translate(net, x, n):
    words = []
    h = Variable(x, volatile=True)
    h = net.first(h)
{lines}    print(words)
    h = Variable(h.data, volatile=True)
{between}    h = net.second(h)
{lines}    words.append(h.size(0))
    return words
"""
_STEPS = "".join(f"    h = net.layers[{i}](h)\n" for i in range(7))


def _parts(between: str) -> str:
    return _after(_PARTS.format(lines=_STEPS, between=between))


def test_a_function_of_several_blocks_is_decorated() -> None:
    after = _parts("")
    assert "@torch.no_grad()\ndef translate(net, x, n):\n    words = []\n" in after
    assert "with" not in after


@pytest.mark.parametrize("between", ["    n.sum().backward()\n", "    n.kept = n.scale * 2\n"])
def test_not_where_something_between_them_may_need_a_graph(between: str) -> None:
    assert "@torch.no_grad()" not in _parts(between)


_SHOWN = "shown = net.last(out).view(-1, 1, 8, 8)"


def _shown(*lines: str) -> str:
    """After a function that shows what it calculated, where that is asked for."""
    tail = "".join(f"        {line}\n" for line in (_SHOWN, *lines))
    imports = f"{_IMPORTS}from torchvision.utils import make_grid, save_image\n"
    return _after(_function(tail=f"    if show:\n{tail}"), imports)


@pytest.mark.parametrize(
    "lines",
    [
        ("save_image(shown.data, path)",),
        ("best = shown.data", "save_image(best, path)"),
        ("save_image(make_grid(shown.data, normalize=True), path)",),
    ],
)
def test_what_is_read_beside_the_block_has_nothing_to_detach(lines: tuple[str, ...]) -> None:
    after = _shown(*lines)
    assert "@torch.no_grad()\ndef test" in after
    assert ".detach()" not in after
    assert lines[0].replace(".data", "") in after


@pytest.mark.parametrize(
    "lines",
    [
        # No decorator is written, so there is a graph to leave.
        ("print(shown.data.mean(3))", "loss = shown.sum()", "loss.backward()"),
        # These may be a part of a weight under the decorator.
        ("keep(shown.data.view(3, -1).numpy())",),
        ("keep(make_grid(shown.data))",),
    ],
)
def test_what_may_have_a_graph_beside_the_block_is_detached(lines: tuple[str, ...]) -> None:
    assert lines[0].replace(".data", ".detach()") in _shown(*lines)
