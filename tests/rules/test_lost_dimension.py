from __future__ import annotations

import textwrap
from typing import Any

import pytest
import torch

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_HEAD = """
            import torch
            def f(x, y):
                v = torch.ones(2, 3, 4, 4)
"""

_CHAINS = (
    """
                a = v.max(2)[0].max(3)[0]
                b = v.sum(2).sqrt().sum(3).view(2, 3)
                c = torch.mean(torch.mean(v, 2), 3)
                e = v.sum(2).sum(3).sum(1)
                g = v.sum(1).data.sum(3)
                h = v.max(3)[0].squeeze(3), torch.squeeze(torch.max(v, dim=-1)[0], 3)
                j = v.kthvalue(2, 3)[0].squeeze(3)
                k = (v.var(3).sqrt().squeeze(
                    3)) + torch.squeeze(torch.mean(v, 3), 3)
                l = v.mean(3).mean(2).squeeze(3)
                i = torch.squeeze(torch.sum(v, 2).sqrt().mean(1), 2)
    """,
    """
                a = v.max(2, keepdim=True)[0].max(3, keepdim=True)[0]
                b = v.sum(2, keepdim=True).sqrt().sum(3, keepdim=True).view(2, 3)
                c = torch.mean(torch.mean(v, 2, keepdim=True), 3, keepdim=True)
                e = v.sum(2, keepdim=True).sum(3, keepdim=True).sum(1, keepdim=True)
                g = v.sum(1, keepdim=True).data.sum(3, keepdim=True)
                h = v.max(3)[0], torch.max(v, dim=-1)[0]
                j = v.kthvalue(2, 3)[0]
                k = (v.var(3).sqrt()) + torch.mean(v, 3)
                l = v.mean(3, keepdim=True).mean(2, keepdim=True).squeeze(3)
                i = torch.squeeze(torch.sum(v, 2, keepdim=True).sqrt().mean(1, keepdim=True), 2)
    """,
)

test_rewrites = rewrites("TP419", {"chains": (_HEAD + _CHAINS[0], _HEAD + _CHAINS[1])})


@pytest.mark.parametrize(
    "expanded",
    [
        "x.sum(1).expand_as(x)",
        "x / torch.sqrt(x.pow(2).sum(1).expand_as(x))",
        "x / torch.sqrt(torch.sum(x ** 2, dim=1)).expand_as(x)",
        "y.data.norm(2, 1).expand_as(y.data)",
        "(x * x).mean(dim=2).expand_as(x)",
        "x / x.sum(1).expand(x.size())",
        "torch.max(x, 1)[0].expand_as(x)",
        "x.norm(p=2, dim=1).expand(*x.size())",
        "x.norm(2, dim=1).clamp(min=1e-6).expand_as(x)",
        "torch.exp(x - x.max(1)[0].expand_as(x))",
        "x / (torch.exp(x).mean(2) + 1).expand_as(x)",
        "x - (-x).std(1).expand_as(x)",
        "x.max(2)[0].max(3)[0].expand_as(x)",
        "x * (y.unsqueeze(1) / torch.sqrt((x ** 2).sum(1) + 1e-6)).expand_as(x)",
        "(-(x.sum(1) * y)).expand_as(x)",
        "x.sum(3).sum(2).sum(0).expand_as(x)",
    ],
)
def test_what_is_expanded_is_told(expanded: str) -> None:
    text = f"{_HEAD}                return {expanded}\n"
    (finding,) = advice("TP419", text)
    assert "keepdim=True" in finding.message
    text = textwrap.dedent(text)
    assert migrate(text, "TP419").text == text


@pytest.mark.parametrize(
    ("expanded", "written"),
    [
        ("x.sum(1).expand_as(x)", "x.sum(1, keepdim=True)"),
        ("torch.max(x, 1)[0].expand_as(x)", "torch.max(x, 1, keepdim=True)"),
        (
            "x.max(2)[0].max(3)[0].expand_as(x)",
            "….max(2, keepdim=True)[0].max(3, keepdim=True)",
        ),
        (
            "x.exp().log().exp().log().exp().sum(1).expand_as(x)",
            "….sum(1, keepdim=True)",
        ),
        (
            "torch.sum(x.exp().log().exp().log().exp(), 1).expand_as(x)",
            "torch.sum(…, 1, keepdim=True)",
        ),
    ],
)
def test_says_what_to_write(expanded: str, written: str) -> None:
    (finding,) = advice("TP419", f"{_HEAD}                return {expanded}\n")
    assert finding.message.endswith(f": write {written}")


def test_what_is_expanded_by_its_name_is_told() -> None:
    text = """import torch
def normed(x):
    x = torch.exp(x)
    norms = torch.norm(x, 2, 1)
    {}return torch.div(x, norms.expand_as(x))
"""
    (finding,) = advice("TP419", text.format(""))
    assert finding.line == 5 and finding.message.endswith(": write norms.unsqueeze(1)")
    (finding,) = advice("TP419", text.format("").replace("torch.norm(x, 2, 1)", "x.sum(2).sum(1)"))
    assert finding.message.endswith(": write norms.unsqueeze(1).unsqueeze(2)")
    for line in ("x = x.sum(1)", "norms = norms.unsqueeze(1)", "if x.size(0):\n        x = 2 * x"):
        assert not advice("TP419", text.format(line + "\n    "))


@pytest.mark.parametrize(
    ("made", "reduced", "is_told"),
    [
        ("net(Variable(image.unsqueeze(0)))", "x.sum(1)", False),
        ("net(batch(image))", "x.sum(1)", False),
        ("net(other(image.unsqueeze(0)))", "torch.norm(x, p=2, dim=1)", False),
        ("net(image.unsqueeze(1))", "x.sum(1)", True),
        ("net(image)", "x.sum(1)", True),
        ("net(image)", "x.sum(-1)", True),
        ("net(image.unsqueeze(0))", "x.sum(-1)", False),
        ("net(image.unsqueeze(0)).repeat(2, 1)", "x.sum(1)", True),
        ("torch.cat([image.unsqueeze(0), image])", "x.sum(1)", True),
        ("net(image.unsqueeze(0) if image is None else image)", "x.sum(1)", True),
        ("net(image.unsqueeze(0))", "x.sum(2)", True),
    ],
)
def test_a_batch_of_one_fits_without(made: str, reduced: str, is_told: bool) -> None:
    text = f"""import torch
from torch.autograd import Variable
def batch(image):
    return Variable(image.unsqueeze(0), volatile=True)
def features(net, image, other):
    image = torch.as_tensor(image)
    x = {made}
    return x / {reduced}.expand_as(x)
"""
    assert bool(advice("TP419", text)) is is_told


@pytest.mark.parametrize("reduced", ["x.mean(-1)", "x.min(dim=-1)[0]"])
def test_the_last_dimension_is_lost_by_that_name_too(reduced: str) -> None:
    (finding,) = advice("TP419", f"def scale(x):\n    return x - {reduced}.expand_as(x)\n")
    assert "expand_as() needs it, unless there is one row: write x.m" in finding.message
    assert "-1, keepdim=True)" in finding.message


_SOFTMAX = """import torch
def softmax(image, y):
    x = torch.as_tensor(image)
    e = {made}
    {between}return e / e.sum(1).expand(*x.size())
"""


@pytest.mark.parametrize(
    "made",
    [
        "(x - x.max(1, keepdim=True)[0].expand(*x.size())).exp()",
        "torch.exp(x - x.max(1, keepdim=True)[0].expand_as(x))",
        "x * y.expand_as(x)",
    ],
)
def test_what_is_calculated_of_the_same_shape_is_told(made: str) -> None:
    (finding,) = advice("TP419", _SOFTMAX.format(made=made, between=""))
    assert finding.line == 5 and finding.message.endswith(": write e.sum(1, keepdim=True)")


@pytest.mark.parametrize(
    ("made", "between"),
    [
        ("(x - x.max(1, keepdim=True)[0].expand_as(y)).exp()", ""),
        ("(y - x.max(1, keepdim=True)[0].expand_as(x)).exp()", ""),
        ("(x - x.max(1, keepdim=True)[0]).exp()", ""),
        ("x @ y.expand_as(x)", ""),
        ("(x * y.expand_as(x)).sum(2)", ""),
        ("x * y.expand_as(x)", "x = image\n    "),
        ("x * y.expand_as(x)", "e = e.unsqueeze(1)\n    "),
    ],
)
def test_what_may_have_another_shape_is_not(made: str, between: str) -> None:
    assert not advice("TP419", _SOFTMAX.format(made=made, between=between))


def test_what_is_calculated_of_a_batch_of_one_fits() -> None:
    text = _SOFTMAX.format(made="x * y.expand_as(x)", between="")
    assert not advice("TP419", text.replace("as_tensor(image)", "as_tensor(image).unsqueeze(0)"))


def test_in_files_for_torch_0_1_it_is_written() -> None:
    text = "import torch\ndef f(x: torch.Tensor):\n    return x.sum(1).expand_as(x)\n"
    old = migrate(text, "TP419", "TP906", options=Options(era=Era((0, 1), (0, 1))))
    assert old.text == text.replace("sum(1)", "sum(1, keepdim=True)")
    assert [finding.code for finding in old.findings] == ["TP906"]


test_keeps = keeps(
    "TP419",
    {
        "what fits": _HEAD
        + """
                a = x.sum(1).sum(0).expand_as(x), (y / x.mean(0)).expand_as(x)
                a = (y / x.sum(1, keepdim=True)).expand_as(x), (x.sum(1) / x.max(1)[0]).expand_as(x)
                a = (y / x.sum(1)).expand_as(y), (y @ x.sum(1)).expand_as(x)
                a = x.mean(0).expand_as(x), v.sum(-2).expand_as(v), x.sum().expand_as(x)
                line = torch.ones(3)
                line = line.sum(-1).expand_as(line)
                b = v.sum(3).sum(2), v.sum(2).sum(2), v.mean(0).mean(0), v.max(3)[0].max(2)[0]
                c = v.sum(0).sum(1), v.sum(1).sum(2)
        """,
        "the dimension is kept, or asked for in another way": _HEAD
        + """
                a = x.sum(1, True).expand_as(x), x.sum(1, keepdim=True).expand_as(x)
                b = x.sum(1).unsqueeze(1).expand_as(x), x.sum(1).view(-1, 1).expand_as(x)
                c = v.sum(2, True).sum(3), x.sum((1, 2)).expand_as(x), x.sum(n).expand_as(x)
        """,
        "another tensor": _HEAD
        + """
                a = x.sum(1).expand_as(y), x.sum(1).expand(2, 3), x.sum(1).expand(y.size())
                b = (x + y).sum(1).expand_as(x), x[0].sum(1).expand_as(x)
                c = x.norm(1).expand_as(x), x.sum(*y).expand_as(x), x.sum(1)[0].expand_as(x)
        """,
        "dimensions that are not known": _HEAD
        + """
                return x.sum(2).sum(3), x.sum(0).sum(1), x.max(2)[0].max(3)[0]
        """,
        "dimensions of one that are dropped": _HEAD
        + """
                a = v.max(2)[0].squeeze(2), v.sum(3).squeeze(-1), v.sum(3).squeeze(), v.squeeze(3)
                b = v.sum(3, True).squeeze(3), v.sum(-2).squeeze(3), v.sum(3).squeeze(4)
                c = x.max(2)[0].squeeze(2), x.sum(1).squeeze(1), v.sum(3).squeeze(n), v.sum(3).squeeze(*y)
        """,
        "no tensors": """
            import numpy as np
            class Frame:
                def expand_as(self, other):
                    return self
            def f(x):
                a = np.ones((2, 3)).sum(1)
                return x.sum(1).expand_as(x), sum(x, 1), np.zeros((2, 3, 4, 4)).max(2).max(3)
            """,
    },
)


def test_a_chain_whose_dimensions_moved_keeps_them_where_it_stands() -> None:
    text = "import torch\ndef f(x: torch.Tensor):\n    m = x.{}\n    return m.expand_as(x)\n"
    (found,) = advice("TP419", text.format("mean(1).mean(2)"))
    assert found.message.endswith("write ….mean(1, keepdim=True).mean(2, keepdim=True)")
    (found,) = advice("TP419", text.format("mean(2).mean(1)"))
    assert found.message.endswith("write m.unsqueeze(1).unsqueeze(2)")


_ACTIONS = """import random
import torch
import torch.nn as nn

net = nn.Linear(4, 2)

def act(state, eps=0.1):
    if random.random() > eps:
        return {}
    return torch.LongTensor([[random.randrange(2)]])

action = act(torch.ones(1, 4))
{}
"""


@pytest.mark.parametrize(
    ("made", "written"),
    [
        ("net(state).data.max(1)[1]", "….max(1, keepdim=True)[1]"),
        ("net(state).argmax(1)", "….argmax(1, keepdim=True)"),
        ("torch.ones(3, 2).sum(1)", "torch.ones(3, 2).sum(1, keepdim=True)"),
        ("torch.ones(3, 2).sum(1).mul(2)", "torch.ones(3, 2).sum(1, keepdim=True)"),
    ],
)
def test_what_is_indexed_by_too_many_is_told(made: str, written: str) -> None:
    made = made.replace("state", "torch.ones(1, 4)")
    written = written.replace("state", "torch.ones(1, 4)")
    text = _ACTIONS.format(made, "step = action[0, 0]")
    (finding,) = advice("TP419", text)
    assert finding.line == 13
    assert finding.message.startswith(f"{finding.message.split('(')[0]}() in line 9 drops")
    assert finding.message.endswith(f": write {written}")
    assert migrate(text, "TP419").text == text


@pytest.mark.parametrize("read", ["best[:, 0]", "where[0, 0]"])
def test_both_halves_of_extremes_are_indexed_by_too_many(read: str) -> None:
    text = "import torch\ndef f(n):\n    best, where = {}.max(1)\n    return {}\n"
    (finding,) = advice("TP419", text.format("torch.ones(3, n)", read))
    assert (finding.line, finding.message) == (
        4,
        f"max() in line 3 drops the dimension that it reduces since torch 0.2, and {read} needs it: "
        "write torch.ones(3, n).max(1, keepdim=True)",
    )
    for fits in ("torch.ones(3, n, n)", "n"):
        assert not advice("TP419", text.format(fits, read))


@pytest.mark.parametrize("read", ["action[0, 0]", "action[0, 0] if random.random() > eps else 0"])
def test_what_is_not_known_is_told_by_what_comes_another_way(read: str) -> None:
    """What is made of two dimensions is indexed there, too; more of them are not ruled out."""
    (finding,) = advice("TP419", _ACTIONS.format("unknown.max(1)[1].cpu()", f"step = {read}"))
    assert finding.message == (
        "max() in line 9 drops the dimension that it reduces since torch 0.2, and action[0, 0] "
        "needs it if what is reduced has two dimensions: write unknown.max(1, keepdim=True)[1]"
    )


@pytest.mark.parametrize(
    ("made", "read"),
    [
        ("torch.ones(3, 2).max(1, keepdim=True)[1]", "action[0, 0]"),
        ("torch.ones(3, 2).max(1)[1].view(1, 1)", "action[0, 0]"),
        ("torch.ones(3, 2).max(1)[1]", "action[0]"),
        ("torch.ones(3, 2).max(1)[1]", "action[:, None]"),
        ("torch.ones(3, 2).max(1)[1]", "action[..., 0]"),
        ("torch.ones(3, 2).max(1)[1]", "action[act, 0]"),
        ("torch.ones(3, 2, 2).max(1)[1]", "action[0, 0]"),
        ("net.weight.max()", "action[0, 0]"),
        ("unknown.max(1)", "action[0, 0]"),
        ("unknown.max(1, keepdim=True)[1]", "action[0, 0]"),
        ("unknown.max(1)[1]", "action[0, 0, 0]"),
        ("unknown.max(1)[1]", "action[0, 0] if len(action) else 0"),
        ("torch.ones(2)", "action[0, 0]"),
        ("torch.ones(3, 2).max(1)[1]", "action[0, 0] if action.dim() == 2 else action[0]"),
    ],
)
def test_what_fits_is_not_told(made: str, read: str) -> None:
    assert not advice("TP419", _ACTIONS.format(made, f"step = {read}"))


_CLASSES = """import torch
import torch.nn.functional as F
{}
def f(x, y, n):
    best, where = torch.max(y, 1)
    return F.cross_entropy(x, {})
"""


def test_what_a_loss_takes_for_classes_had_a_dimension_more() -> None:
    old = "x = torch.autograd.Variable(torch.ones(1), volatile=True)"
    (finding,) = advice("TP419", _CLASSES.format(old, "where[:, 0]"))
    assert finding.message == (
        "max() in line 5 drops the dimension that it reduces since torch 0.2, and where[:, 0] needs"
        " it if what is reduced has two dimensions: write torch.max(y, 1, keepdim=True)"
    )
    newer = "w = torch.where(x, x, x)"
    for head, target in [(newer, "where[:, 0]"), (old, "n[:, 0]"), (old, "n), f(where[:, 0]")]:
        assert not advice("TP419", _CLASSES.format(head, target))


_SUMS = """import torch

def f(a, b, keep=False):
    x = torch.bmm(a, b)
    total = {made}
    return {asked}
"""


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ("torch.sum(x, 1)", "total.transpose(1, 2)"),
        ("x.mean(2)", "total.transpose(-3, 1)"),
        ("x.max(1)[0]", "torch.transpose(total, 0, 2)"),
        ("x.max(1)[0].exp()", "torch.bmm(total, torch.ones(1, 1, 2))"),
    ],
)
def test_what_is_asked_for_a_dimension_that_went_is_told(made: str, asked: str) -> None:
    text = _SUMS.format(made=made, asked=asked)
    (finding,) = advice("TP419", text)
    reduction = made.replace("torch.", "").partition("(")[0].removeprefix("x.")
    assert finding.line == 6
    assert finding.message.startswith(
        f"{reduction}() in line 5 drops the dimension that it reduces since torch 0.2, and {asked} "
        "needs it: write "
    )
    written = finding.message.rpartition("write ")[2]
    assert "keepdim=True" in written
    given: dict[str, Any] = {}
    exec(text, given)
    with pytest.raises((IndexError, RuntimeError)):
        given["f"](torch.ones(1, 1, 1), torch.ones(1, 1, 1))
    exec(text.replace(made.removesuffix(".exp()"), written), given)
    given["f"](torch.ones(1, 1, 1), torch.ones(1, 1, 1))


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ("torch.sum(x, 1)", "total.transpose(0, 1)"),
        ("torch.sum(x, 1)", "torch.mm(total, x[0])"),
        ("torch.sum(x, 1, keepdim=True)", "total.transpose(1, 2)"),
        ("torch.sum(x, 1)", "total.unsqueeze(1).transpose(1, 2)"),
        ("torch.sum(x, 1)", "total.transpose(1, 2) if total.dim() > 2 else total"),
        ("torch.sum(x, 1)", "total.transpose(2, 3)"),
        ("torch.sum(x, keep)", "total.transpose(1, 2)"),
        ("torch.sum(a, 1)", "total.transpose(1, 2)"),
        ("a.sum(1) if keep else x", "total.transpose(1, 2)"),
        ("x.numpy().sum(1)", "total.transpose(1, 0, 2)"),
    ],
)
def test_a_dimension_that_may_be_there_is_not_told(made: str, asked: str) -> None:
    if made == "torch.sum(a, 1)":
        asked = asked.replace("total", "total[None]")
    assert not advice("TP419", _SUMS.format(made=made, asked=asked))


@pytest.mark.parametrize(
    ("line", "may_fit"),
    [
        ("x.sum(1).expand_as(x)", True),
        ("torch.norm(x, 1, 1).expand_as(x)", True),
        ("torch.max(x, 1)[0].expand_as(x)", True),
        ("x.sum(2).expand_as(x)", False),
        ("x.max(2)[0].max(3)[0].expand_as(x)", False),
    ],
)
def test_one_row_fits_without_its_lost_dimension(line: str, may_fit: bool) -> None:
    (found,) = advice("TP419", f"import torch\ndef f(x: torch.Tensor):\n    return {line}\n")
    assert ("needs it, unless there is one row: write " in found.message) is may_fit
    assert ("needs it: write " in found.message) is not may_fit


@pytest.mark.parametrize(
    ("part", "written"),
    [
        ("torch.median(x[:, 0])[0][0]", "torch.median(x[:, 0], -1, keepdim=True)[0][0] "),
        ("torch.median(y)[1][0, 0]", "torch.median(y, -1, keepdim=True)[1][0, 0] "),
        ("x.median()[1]", "x.median(-1, keepdim=True)[1] "),
    ],
)
def test_a_part_of_the_one_median_is_told(part: str, written: str) -> None:
    text = f"import torch\ndef f(x: torch.Tensor, y):\n    return {part}\n"
    (found,) = advice("TP419", text)
    assert f": write {written}" in found.message
    x = torch.arange(12.0).view(4, 3)
    with pytest.raises((IndexError, TypeError)):
        eval(part, {"torch": torch, "x": x, "y": x})
    eval(written, {"torch": torch, "x": x, "y": x})


@pytest.mark.parametrize(
    "part",
    [
        "x.median()[0]",
        "y.median()[0][0]",
        "torch.median(x, 1)[0][0]",
        "torch.median(x, dim=0)[1]",
        "torch.median(*y)[0][0]",
        "x.median(0)[0][0]",
        "np.median(y)[0][0]",
        "torch.median(x)[y][0]",
    ],
)
def test_a_median_of_several_has_parts(part: str) -> None:
    text = f"import numpy as np\nimport torch\ndef f(x: torch.Tensor, y):\n    return {part}\n"
    assert not advice("TP419", text)
