"""New tensors that a rewrite moves at once are made on the device."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_HEAD = """import torch
from torch.autograd import Variable
device = torch.device("cuda")
use_cuda = torch.cuda.is_available()
"""


def _after(text: str) -> str:
    after = migrate(_HEAD + textwrap.dedent(text)).text
    assert migrate(after).text == after
    return after.removeprefix(_HEAD)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("torch.zeros(n).cuda()", "torch.zeros(n, device=device)"),
        ("torch.FloatTensor(n, 2).zero_().cuda()", "torch.zeros(n, 2, device=device)"),
        ("torch.LongTensor([1, 2]).cuda()", "torch.tensor([1, 2], device=device)"),
        ("Variable(torch.eye(n).cuda())", "torch.eye(n, device=device)"),
        (
            "torch.FloatTensor(2).fill_(n).cuda()",
            "torch.empty(2, device=device).fill_(n)",
        ),
        ("torch.zeros(*n).cuda()", "torch.zeros(*n, device=device)"),
        (
            "torch.as_tensor(n, dtype=torch.float).cuda()",
            "torch.as_tensor(n, dtype=torch.float, device=device)",
        ),
        ("Variable(torch.zeros(1).float().cuda())", "torch.zeros(1, device=device)"),
        (
            "torch.zeros(n, dtype=torch.long).long().view(-1).cuda()",
            "torch.zeros(n, dtype=torch.long, device=device).view(-1)",
        ),
        (
            "torch.zeros(n, requires_grad=False).cuda()",
            "torch.zeros(n, requires_grad=False, device=device)",
        ),
        (
            "torch.zeros(n, 2).fill_(-1.0).type(torch.FloatTensor).cuda()",
            "torch.zeros(n, 2, device=device).fill_(-1.0)",
        ),
        (
            "torch.ones(n).type(torch.FloatTensor).view(-1).float().cuda()",
            "torch.ones(n, device=device).view(-1)",
        ),
        ("torch.ones(n).cuda().view(-1)", "torch.ones(n, device=device).view(-1)"),
        ("torch.ones(n).view(-1).t().cuda()", "torch.ones(n, device=device).view(-1).t()"),
        (
            "torch.zeros(\n        n,\n        2,\n    ).cuda()",
            "torch.zeros(\n        n,\n        2,\n        device=device,\n    )",
        ),
    ],
)
def test_in_one_expression(made: str, expected: str) -> None:
    after = _after(f"def f(n):\n    return {made}\n")
    assert after.endswith(f"    return {expected}\n")


def test_on_two_lines() -> None:
    after = _after(
        """
        def f(y, n):
            y = torch.ones(n) + y
            x = Variable(torch.zeros(n))
            if y.is_cuda:
                x = x.cuda()
            return x + y
        """
    )
    assert "    x = torch.zeros(n, device=y.device)\n    return x + y\n" in after


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (
            "torch.zeros(y.size(0), y.size(1),\n                    y.size(2), n)",
            "torch.zeros(y.size(0), y.size(1),\n                    y.size(2), n,\n"
            "                    device=y.device)",
        ),
        (
            "torch.zeros(\n        y.size(0), n)",
            "torch.zeros(\n        y.size(0), n, device=y.device)",
        ),
        (
            f"torch.zeros(y.size(0), {'n' * 56})",
            f"torch.zeros(y.size(0), {'n' * 56},\n                    device=y.device)",
        ),
        (
            f"torch.zeros(n *\n                    {'n' * 78})",
            f"torch.zeros(n *\n                    {'n' * 78},\n"
            "                    device=y.device)",
        ),
    ],
)
def test_the_device_may_stand_on_a_line_of_its_own(made: str, expected: str) -> None:
    head = f"def f({'n' * 56}, {'n' * 78}, n):\n    y = torch.ones(n, 2, 3)\n    x = {made}\n"
    after = _after(f"{head}    if y.is_cuda:\n        x = x.cuda()\n    return x + y\n")
    assert f"    x = {expected}\n    return x + y\n" in after


@pytest.mark.parametrize(("indent", "length"), [("    ", 78), ("\t", 56)])
def test_it_stays_where_no_other_line_makes_it_fit(indent: str, length: int) -> None:
    made = f"torch.zeros(y.size(0), {'n' * length}"
    body = ["y = torch.ones(n, 2, 3)", f"x = {made})", "if y.is_cuda:"]
    body += [f"{indent}x = x.cuda()", "return x + y"]
    after = _after("".join([f"def f(n, {'n' * length}):\n", *(f"{indent}{b}\n" for b in body)]))
    assert f"{indent}x = {made}, device=y.device)\n{indent}return x + y\n" in after


@pytest.mark.parametrize(
    "made",
    [
        # Other numbers are drawn, or calculated, on a GPU.
        "torch.randn(n)",
        "torch.linspace(0, 1, n)",
        # A leaf would be where none was.
        "torch.zeros(n, requires_grad=True)",
        "torch.zeros(n, requires_grad=held)",
        "torch.zeros(n, **options)",
        "torch.zeros(n, out=held)",
        "np.zeros(n)",
        "zeros(n)",
        "torch.zeros(n).half()",
        "torch.zeros(n, dtype=kind).float()",
        "torch.tensor(n).float()",
        "torch.zeros(n).fill_(n).long()",
    ],
)
def test_what_is_another_tensor_there_is_moved(made: str) -> None:
    text = (
        f"import numpy as np\ndef f(n, options, held, kind):\n    x = torch.Tensor({made}).cuda()\n"
    )
    text += f"    return {made}.cuda()\n"
    after = _after(text)
    assert f"    return {made}.to(device)\n" in after or f"    return {made}.cuda()\n" in after


@pytest.mark.parametrize(
    "between",
    [
        "x += 1\n    ",
        "print(x)\n    ",
        "# to the GPU\n    ",
        "# to the GPU\n\n    ",
        "print(x)\n\n    ",
    ],
)
def test_what_is_moved_further_below_stays(between: str) -> None:
    after = _after(
        f"def f(n):\n    x = torch.zeros(n)\n    {between}x = x.cuda()\n    return x + 1\n"
    )
    assert f"    x = torch.zeros(n)\n    {between}x = x.to(device)\n" in after


def test_what_is_moved_below_a_blank_line_is_made_there() -> None:
    lines = "    x = torch.zeros(n)\n\n    x = x.cuda()\n    # more\n    return x + 1\n"
    assert _after(f"def f(n):\n{lines}").endswith(
        "def f(n):\n    x = torch.zeros(n, device=device)\n    # more\n    return x + 1\n"
    )


@pytest.mark.parametrize(
    "lines",
    [
        "y = torch.zeros(n)\n    x = x.cuda()\n",
        "x = torch.zeros(n)\n    y = x.cuda()\n",
        "x = torch.zeros(n)  # on the CPU yet\n    x = x.cuda()\n",
        "x = torch.zeros(n)\n    x = x.cuda()  # (n,)\n",
        "x = torch.zeros(n); y = 1\n    x = x.cuda()\n",
        "x = torch.zeros(n)\n    x = x.cuda(non_blocking=True)\n",
        "x = y = torch.zeros(n)\n    x = x.cuda()\n",
    ],
)
def test_what_is_no_pair_stays(lines: str) -> None:
    after = _after(f"def f(n, x, y):\n    x = torch.ones(2)\n    {lines}    return x, y\n")
    assert lines.replace("cuda(non", "to(device, non").replace("cuda(", "to(device") in after


def test_what_its_author_moves_stays() -> None:
    text = "def f(n):\n    x = torch.zeros(n).to(device)\n    return Variable(x)\n"
    assert "x = torch.zeros(n).to(device)" in _after(text)


@pytest.mark.parametrize("given", ["other", "torch.half", "kind"])
def test_what_is_no_device_stays(given: str) -> None:
    text = f"kind = torch.half\ndef f(n, other):\n    return Variable(torch.zeros(n).to({given}))\n"
    assert f"return torch.zeros(n).to({given})" in _after(text)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("torch.randn(n).cuda()", "torch.randn(n).to(device)"),
        ("torch.zeros(n).cuda()", "torch.zeros(n, device=device)"),
        ("Variable(torch.randn(n).cuda())", "torch.randn(n).to(device)"),
    ],
)
def test_what_lies_there_already_is_not_moved_again(made: str, expected: str) -> None:
    head = "import torch\nfrom torch.autograd import Variable\n"
    text = "use_cuda = torch.cuda.is_available()\ndef f(n):\n"
    text += f"    x = {made}\n    if use_cuda:\n        x = x.cuda()\n    return Variable(x) + 1\n"
    after = migrate(head + text).text
    assert after.endswith(f"def f(n):\n    x = {expected}\n    return x + 1\n")
    assert migrate(after).text == after


_BATCHES = "def f(rows, loss):\n    for y in torch.utils.data.DataLoader(rows):\n        "


@pytest.mark.parametrize(
    ("first", "second"), [("", "non_blocking=True"), ("non_blocking=True", "")]
)
def test_what_was_moved_above_has_one_name(first: str, second: str) -> None:
    lines = f"y = y.cuda({first})\n        z = Variable(y).cuda({second})\n        "
    after = _after(f"{_BATCHES}{lines}loss(z).backward()\n")
    moved = f"y = y.to(device{', ' if first else ''}{first})\n        "
    assert after.endswith(f"{_BATCHES}{moved}loss(y).backward()\n")


@pytest.mark.parametrize(
    "lines",
    [
        "y = y.cuda(); z = y.cuda()",
        "y = y.cpu(); z = Variable(y).cuda()",
        "y = y.cuda(); y = loss(y); z = Variable(y).cuda()",
        "y = y.cuda() if rows else y; z = Variable(y).cuda()",
    ],
)
def test_what_may_lie_elsewhere_is_moved_under_another_name(lines: str) -> None:
    lines = lines.replace("; ", "\n        ")
    after = _after(f"{_BATCHES}{lines}\n        loss(z, y).backward()\n")
    assert after.count(".to(device)") + after.count(".cuda()") == lines.count(".cuda()")


@pytest.mark.parametrize(
    "lines",
    [
        "x = torch.randn(n).to(cpu)\n    x = x.cuda()\n",
        "x = torch.zeros(n, device=cpu)\n    x = x.cuda()\n",
        "x = make(n, device=device)\n    x = x.cuda()\n",
        "x = torch.randn(n).cuda() + y\n    x = x.cuda()\n",
        "x = torch.randn(n).cuda()\n    y = x.cuda()\n",
    ],
)
def test_what_may_lie_elsewhere_is_moved(lines: str) -> None:
    after = _after(f"cpu = torch.device('cpu')\ndef f(n, y, make):\n    {lines}    return x, y\n")
    assert after.count(".to(device)") + after.count(".cuda()") >= lines.count(".cuda()")


@pytest.mark.parametrize(
    ("made", "there"),
    [
        ("torch.zeros(n)  # B x 1", "torch.zeros(n, device=device)  # B x 1"),
        ("Variable(torch.zeros(n)) # B x 1", "torch.zeros(n, device=device) # B x 1"),
        ("Variable(torch.randn(n)) # noise", "torch.randn(n).to(device) # noise"),
    ],
)
def test_a_comment_stays_beside_the_line_that_makes_it(made: str, there: str) -> None:
    after = _after(f"def f(n):\n    x = {made}\n    x = x.cuda()\n    return x + 1\n")
    assert after.endswith(f"    x = {there}\n    return x + 1\n")


def test_a_comment_stays_beside_the_line_that_moves_it() -> None:
    after = _after(
        "def f(n):\n    x = torch.randn(n).cuda()  # once\n    x = x.cuda()\n    return x\n"
    )
    assert after.endswith("    x = torch.randn(n).to(device)  # once\n    return x\n")


def test_a_comment_on_what_stands_between_stays_there() -> None:
    lines = "    {}# kept here\n    z = Variable(torch.zeros(n)).cuda()\n    {}x = x.cuda()\n"
    text = "def f(n):\n    x = Variable(torch.LongTensor([1]).repeat(n))\n" + lines
    made = "x = torch.tensor([1]{}).repeat(n)\n"
    there = "    # kept here\n    z = torch.zeros(n, device=device)\n"
    after = _after(text.format("", "") + "    return x, z\n")
    assert after.endswith(f"    {made.format(', device=device')}{there}    return x, z\n")
    after = _after(text.format("", "# moved here\n    ") + "    return x, z\n")
    moved = "    # moved here\n    x = x.to(device)\n"
    assert after.endswith(f"    {made.format('')}{there}{moved}    return x, z\n")


def test_what_a_person_moves_twice_stays() -> None:
    text = "def f(n, y=Variable):\n    x = torch.randn(n).to(device)\n    x = x.to(device)\n    return x\n"
    assert _after(text) == text


_GUARDED = "    if y.is_cuda:\n        x = x.cuda()\n    return x + y\n"


@pytest.mark.parametrize("made", ["torch.randn(n)", "torch.rand(n, 2) * 2", "torch.rand(n, 2)"])
def test_a_call_that_lost_its_variable_is_moved_at_once(made: str) -> None:
    head = "def f(y, n):\n    y = torch.ones(n) + y\n"
    after = _after(f"{head}    x = Variable({made})\n{_GUARDED}")
    lines = f"{made}.to(y.device)" if made.endswith(")") else f"{made}\n    x = x.to(y.device)"
    assert after.endswith(f"{head}    x = {lines}\n    return x + y\n")


@pytest.mark.parametrize(
    "line",
    [
        "x = y.exp()\n",
        "x = Variable(torch.randn(n))  # noise of the cpu\n",
        "x = Variable(torch.randn(n)); n = 1\n",
        f"x = Variable(torch.randn(n, {'1 + ' * 18}1))\n",
        f"x = Variable(torch.randn(\n        n, {'1 + ' * 20}1))\n",
        "x = Variable(torch.randn(n,\n                             2))\n",
    ],
)
def test_what_did_not_or_is_long_is_moved_below(line: str) -> None:
    head = "def f(y, n):\n    y = torch.ones(n) + y\n"
    after = _after(f"{head}    {line}{_GUARDED}")
    assert after.endswith("    x = x.to(y.device)\n    return x + y\n")


@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros(n).half()",
        "torch.randn(n, 2)",
        "torch.arange(n).view(-1, 1).long()",
        "torch.from_numpy(n).float()",
        "torch.FloatTensor(n)",
    ],
)
def test_what_torch_makes_above_a_guard_that_goes_is_moved_at_once(made: str) -> None:
    head = "def f(y, n):\n    y = torch.ones(n) + y\n"
    after = _after(f"{head}    x = {made}\n{_GUARDED}")
    assert after.endswith(f"{head}    x = {made}.to(y.device)\n    return x + y\n")


def test_what_stands_below_its_bracket_is_moved_where_that_is_closed() -> None:
    head = "def f(y, n):\n    y = torch.ones(n) + y\n"
    made = "torch.randn(\n        n, 2)"
    after = _after(f"{head}    x = Variable({made}, requires_grad=False)\n\n{_GUARDED}")
    assert after.endswith(f"{head}    x = {made}.to(y.device)\n    return x + y\n")


@pytest.mark.parametrize(
    ("guarded", "expected"),
    [
        ("if y.is_cuda: x = x.cuda()", "x = torch.randn(n).to(y.device)\n"),
        ("if n: x = x.cuda()", "x = torch.randn(n)\n    if n: x = x.to(device)\n"),
    ],
)
def test_a_guard_may_stand_before_the_move(guarded: str, expected: str) -> None:
    head = "def f(y, n):\n    y = torch.ones(n) + y\n"
    after = _after(f"{head}    x = torch.randn(n)\n    {guarded}\n    return x + y\n")
    assert after.endswith(f"{head}    {expected}    return x + y\n")


def test_a_loss_above_a_guard_that_goes_is_moved_at_once() -> None:
    after = _after(
        "def f(y, n):\n    y = torch.ones(n) + y\n    loss = torch.nn.MSELoss()\n"
        "    if y.is_cuda:\n        loss = loss.cuda()\n    return loss(y, n)\n"
    )
    assert "    loss = torch.nn.MSELoss().to(y.device)\n    return loss(y, n)\n" in after


@pytest.mark.parametrize(
    "lines",
    [
        # Its author moves it on a line of its own.
        "x = torch.randn(n)\n    x = x.cuda()\n",
        "x = y.view(n, -1)\n    if y.is_cuda:\n        x = x.cuda()\n",
        "x = torch.randn(n)\n    # to the GPU\n    if y.is_cuda:\n        x = x.cuda()\n",
        "x = torch.randn(n)  # in host memory\n    if y.is_cuda:\n        x = x.cuda()\n",
        f"x = torch.randn(n, {'1 + ' * 18}1)\n    if y.is_cuda:\n        x = x.cuda()\n",
        "net = torch.nn.Linear(2, 3)\n    if y.is_cuda:\n        net = net.cuda()\n    x = net(y)\n",
    ],
)
def test_what_stood_on_a_line_of_its_own_or_is_no_new_tensor_stays(lines: str) -> None:
    after = _after(f"def f(y, n):\n    y = torch.ones(n) + y\n    {lines}    return x + y\n")
    name = "net" if "net" in lines else "x"
    assert f"\n    {name} = {name}.to(" in after


@pytest.mark.parametrize(
    "made",
    [
        "torch.arange(n, dtype=torch.float)",
        "torch.arange(0, n, dtype=torch.float)",
        "torch.arange(1, n, dtype=torch.double)",
        "torch.arange(0, n, dtype=torch.long)",
    ],
)
def test_whole_numbers_are_the_same_on_every_device(made: str) -> None:
    after = _after(f"def f(n):\n    return Variable({made}.cuda())\n")
    assert after.endswith(f"    return {made[:-1]}, device=device)\n")


@pytest.mark.parametrize(
    "made",
    [
        "torch.arange(0, n, 2, dtype=torch.float)",
        "torch.arange(0.5, n, dtype=torch.float)",
        "torch.arange(n, 9, dtype=torch.float)",
        "torch.arange(*n, dtype=torch.float)",
        "torch.arange(0, n, dtype=torch.half)",
        "torch.linspace(0, n, 9, dtype=torch.float)",
    ],
)
def test_numbers_that_a_device_calculates_are_moved(made: str) -> None:
    after = _after(f"def f(n):\n    return Variable({made}.cuda())\n")
    assert after.endswith(f"    return {made}.to(device)\n")


def test_a_line_may_become_as_long_as_others_of_its_function() -> None:
    lines = '    """{}"""\n    y = torch.ones(n) + y\n    x = Variable({}){}'
    made = f"torch.randn(n, {'1 + ' * 18}1)"
    for doc, is_joined in (("x" * 105, True), ("x", False)):
        after = _after("def f(y, n):\n" + lines.format(doc, made, "\n" + _GUARDED))
        assert (f"    x = {made}.to(y.device)\n" in after) is is_joined


_KEPT = """import torch
from torch.autograd import Variable
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class Net(torch.nn.Module):
    def __init__(self, alpha, beta):
        super().__init__()
        {lines}
{below}"""


def _kept(lines: str, below: str = "") -> str:
    text = _KEPT.format(lines="\n        ".join(lines.splitlines()), below=below)
    after = migrate(text).text
    assert migrate(after).text == after
    body = after[after.index("super().__init__()\n") :].partition("\n")[2]
    return textwrap.dedent(body.removesuffix(below))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            "self.a = torch.zeros(2, 3)\nself.a = self.a.cuda()\n",
            "self.a = torch.zeros(2, 3, device=device)\n",
        ),
        (
            "self.a = Variable(torch.FloatTensor([1.5]))\n"
            "if torch.cuda.is_available():\n    self.a = self.a.cuda()\n",
            "self.a = torch.tensor([1.5], device=device)\n",
        ),
        (
            "self.a = Variable(torch.FloatTensor([1.5]))\nself.b = torch.randn(2)\n"
            "if torch.cuda.is_available():\n"
            "    self.a = self.a.cuda()\n    self.b = self.b.cuda()\n",
            "self.a = torch.tensor([1.5], device=device)\nself.b = torch.randn(2).to(device)\n",
        ),
    ],
)
def test_what_an_object_keeps_is_made_where_it_goes(lines: str, expected: str) -> None:
    assert _kept(lines) == expected


@pytest.mark.parametrize(
    ("lines", "below"),
    [
        ("self.a = torch.zeros(2)\nself.b = self.a.cuda()\n", ""),
        ("alpha.a = torch.zeros(2)\nalpha.a = alpha.a.cuda()\n", ""),
        # A setter is called twice.
        (
            "self.a = torch.zeros(2)\nself.a = self.a.cuda()\n",
            "    @property\n    def a(self): return self.held\n"
            "    @a.setter\n    def a(self, a): self.held = a\n",
        ),
        (
            "self.a = torch.zeros(2)\nself.a = self.a.cuda()\n",
            "    def __setattr__(self, name, value):\n"
            "        print(name)\n        super().__setattr__(name, value)\n",
        ),
        # What is called in between may read what the object keeps.
        (
            "self.a = torch.zeros(2)\nself.b = torch.zeros(self.size())\n"
            "self.a = self.a.cuda()\nself.b = self.b.cuda()\n",
            "    def size(self): return self.a.numel()\n",
        ),
        (
            "self.a = torch.zeros(2)\nprint(self.a)\nself.b = torch.zeros(3)\n"
            "self.a = self.a.cuda()\nself.b = self.b.cuda()\n",
            "",
        ),
    ],
)
def test_what_an_object_keeps_otherwise_is_moved(lines: str, below: str) -> None:
    after = _kept(lines, below)
    written = lines.replace("cuda()", "to(device)").replace("FloatTensor([1.5])", "tensor([1.5])")
    assert after in (written, lines)


def test_a_device_that_a_property_calculates_is_asked_for_later() -> None:
    text = """import torch
from torch.autograd import Variable
class Holder(object):
    def __init__(self):
        self.a = torch.zeros(2)
        self.a = Variable(self.a.to(self.device))
    @property
    def device(self):
        return self.a.device
"""
    assert "        self.a = torch.zeros(2)\n        self.a = self.a.to(self.device)\n" in (
        migrate(text).text
    )


def test_a_device_that_the_object_keeps_is_there_before() -> None:
    text = """import torch
from torch.autograd import Variable
class Holder(object):
    def __init__(self, device):
        self.device = torch.device(device)
        self.a = torch.zeros(2)
        self.a = Variable(self.a.to(self.device))
"""
    assert "        self.a = torch.zeros(2, device=self.device)\n" in migrate(text).text


@pytest.mark.parametrize(
    "line",
    [
        "x = torch.ones(n).expand(2, n).cuda(); x[0] = 1",
        "x = torch.ones(n).expand(2, n).cuda(); x = x.view(-1)",
        "x = torch.ones(n).expand(2, n).cuda(); unheard(x)",
        "x = torch.ones(n).exp().view(2, -1).cuda()",
        "x = torch.rand(n).view(2, -1).cuda()",
        "x = torch.ones(n).view(2, -1).fill_(n).t().cuda()",
        "x = torch.ones(n).tolist().cuda()",
    ],
)
def test_what_is_calculated_first_or_repeated_in_memory_is_moved(line: str) -> None:
    after = _after(f"def f(n):\n    {line}\n    return x\n")
    assert ".to(device)" in after or ".cuda()" in after


def test_what_is_repeated_in_memory_is_made_there_where_nobody_can_tell() -> None:
    head = "def f(y, n):\n    y = torch.ones(n, 3) + 1\n"
    after = _after(
        f"{head}    x = torch.FloatTensor([-1.]).expand(n, 2).cuda()\n"
        "    y[:, :2] = torch.cat((x[:, 1:], x[:, :1]), 1)\n    return y\n"
    )
    assert "    x = torch.tensor([-1.], device=device).expand(n, 2)\n" in after


@pytest.mark.parametrize(
    "line", ["torch.set_default_dtype(kind)", "torch.set_default_tensor_type(kind)"]
)
def test_a_cast_stays_where_new_tensors_may_be_of_any_type(line: str) -> None:
    after = _after(f"{line}\ndef f():\n    return Variable(torch.zeros(1).float().cuda())\n")
    assert ".float()" in after


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (
            "Variable(torch.zeros(n - 1,n)).type(torch.cuda.LongTensor)",
            "torch.zeros(n - 1,n, dtype=torch.long, device=device)",
        ),
        (
            "torch.ones( n ).type(torch.cuda.ByteTensor).view(-1)",
            "torch.ones( n, dtype=torch.uint8, device=device ).view(-1)",
        ),
        ("torch.ones(n).type(torch.cuda.FloatTensor)", "torch.ones(n, device=device)"),
    ],
)
def test_zeros_and_ones_of_another_type_are_made_where_they_go(made: str, expected: str) -> None:
    after = _after(f"def f(n):\n    return {made}\n")
    assert after.endswith(f"    return {expected}\n")


@pytest.mark.parametrize(
    "made",
    [
        # Other numbers, other memory, or a graph that begins at the floats.
        "torch.rand(n)",
        "torch.full((n,), 0.5)",
        "torch.zeros(n, requires_grad=True)",
        "torch.zeros(n, out=kept)",
        "torch.zeros(n, dtype=torch.double)",
        "torch.zeros(n).view(-1)",
        "torch.zeros(n, " + 80 * "m" + ")",
    ],
)
def test_what_is_not_the_same_in_another_type_is_converted(made: str) -> None:
    after = _after(f"def f(n, kept):\n    return {made}.type(torch.cuda.LongTensor)\n")
    assert after.endswith(f"    return {made}.to(device, torch.long)\n")


def test_what_its_author_converts_stays() -> None:
    body = "def f(n):\n    return torch.zeros(n).to(device, torch.long)\n"
    assert _after(body) == body


def test_what_is_converted_to_another_device_and_more_stays() -> None:
    body = "def f(n, kind):\n    return Variable(torch.zeros(n).to(device, kind))\n"
    assert "torch.zeros(n).to(device, kind)" in _after(body)


def _of_batch(*lines: str) -> str:
    """What becomes of some lines in a loop over batches, for whose device there is a switch."""
    text = "import torch\nfrom torch.autograd import Variable\n\n\n"
    text += "def f(model, loader, criterion, cuda):\n    for batch in loader:\n"
    text += "".join(f"        {line}\n" for line in lines)
    return migrate(f"{text}        criterion(model(x), y).backward()\n").text


def test_what_lost_its_variable_is_moved_at_once_above_other_lines() -> None:
    after = _of_batch(
        "x = Variable(batch[0])",
        "y = Variable(batch[1])",
        "if cuda:",
        "    x = x.cuda()",
        "    y = y.cuda()",
    )
    moved = "x = batch[0].detach().to(device)\n        y = batch[1].detach().to(device)\n"
    assert moved in after
    assert "x = x." not in after
    after = _of_batch(
        "x = Variable(torch.randn(2))", "y = batch[1].view(-1)", "if cuda:", "    x = x.cuda()"
    )
    assert "x = torch.randn(2).to(device)\n        y = batch[1].view(-1)\n        crit" in after


@pytest.mark.parametrize(
    "between",
    ["y = x + 1", "y = batch.pop()", "y = batch[0].add_(1)", "# the labels", "print(batch)"],
)
def test_what_may_see_or_change_it_before_it_is_moved_stays_between(between: str) -> None:
    after = _of_batch("x = Variable(batch[0])", between, "if cuda:", "    x = x.cuda()")
    assert f"        {between}\n        x = x.to(device)\n" in after


def test_what_its_author_moves_below_other_lines_stays() -> None:
    text = "import torch\n\n\ndef f(batch, device):\n    x = batch[0]\n    y = batch[1]\n"
    text += "    x = x.to(device)\n    return x, y\n"
    assert migrate(text).text == text


@pytest.mark.parametrize(
    ("other", "is_joined"),
    [
        ("torch.from_numpy(np.repeat(b, 1, 0)).float()", True),
        ("torch.from_numpy(b[0])", True),
        ("torch.from_numpy(load(b)).float()", False),
        ("torch.from_numpy(x.resize_(3).numpy())", False),
    ],
)
def test_twins_that_torch_makes_of_arrays_are_both_moved_at_once(
    other: str, is_joined: bool
) -> None:
    made = "torch.from_numpy(np.repeat(a, 1, 0)).float()"
    head = _HEAD.replace('device = torch.device("cuda")\n', "import numpy as np\n")
    text = (
        f"{head}def f(a, b):\n"
        f"    x = Variable({made})\n    y = Variable({other})\n"
        "    if use_cuda:\n        x = x.cuda()\n        y = y.cuda()\n"
        "    return x, y\n"
    )
    after = migrate(text).text
    assert (f"    x = {made}.to(device)\n" in after) is is_joined
    assert f"    y = {other}.to(device)\n" in after or not is_joined


_BOTH_BOTH_GUARDED = """\
x = Variable(torch.randn(3))
y = Variable(torch.randn(3))
# {}
if torch.cuda.is_available():
    x = x.cuda()
    y = y.cuda()
print(x, y)
"""


def _both_both_guarded(comment: str, indent: str) -> str:
    """What becomes of two that are moved under a guard below a comment, in a function or not."""
    head = "import torch\nfrom torch.autograd import Variable\n"
    head += "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
    head += "def f():\n" if indent else ""
    after = migrate(head + textwrap.indent(_BOTH_BOTH_GUARDED.format(comment), indent)).text
    assert migrate(after).text == after
    return textwrap.dedent(after[after.index(f"{indent}x =") :])


@pytest.mark.parametrize("indent", ["", "    "])
def test_code_that_was_taken_out_above_a_move_stays_where_it_was(indent: str) -> None:
    x, y = (f"{name} = torch.randn(3).to(device)\n" for name in "xy")
    assert _both_both_guarded("print(x)", indent) == f"{x}{y}# print(x)\nprint(x, y)\n"


def test_what_a_comment_says_of_a_move_keeps_it_below() -> None:
    assert "# as all others\nx = x.to(device)\n" in _both_both_guarded("as all others", "    ")


@pytest.mark.parametrize("called", ["Variable", "Variable as Var"])
def test_what_lost_a_variable_of_any_name_is_moved_at_once(called: str) -> None:
    text = f"""import torch
from torch.autograd import {called}


def f(model, samples, cuda):
    for x, y in samples:
        x = {called.split()[-1]}(x)
        target = {called.split()[-1]}(torch.LongTensor([int(y)]))
        if cuda:
            x = x.cuda()
            target = target.cuda()
        model(x, target)
"""
    after = migrate(text).text
    assert "target = torch.tensor([int(y)], dtype=torch.long, device=device)\n" in after
    assert "target.to" not in after


_TWICE = """import torch
from torch.autograd import Variable


def train(model, criterion, loader):
    for x, target in torch.utils.data.DataLoader(loader):
        {moved}
        {between}
        target_var = Variable(target).cuda()
        criterion(model(x.cuda()), target_var).backward()
"""


@pytest.mark.parametrize("given", ["", "non_blocking=True"])
def test_what_lies_on_the_gpu_has_one_name(given: str) -> None:
    after = migrate(
        _TWICE.format(moved=f"target = target.cuda({given})", between="print(x)"), "TP101"
    ).text
    assert "target_var" not in after
    assert "criterion(model(x.cuda()), target).backward()" in after


def test_what_lies_on_the_gpu_is_not_moved_again_under_its_name() -> None:
    text = _TWICE.format(moved="target = target.cuda()", between="print(x)")
    after = migrate(text.replace("target_var", "target"), "TP101").text
    assert after.count("target.cuda()") == 1


@pytest.mark.parametrize(
    ("moved", "between"),
    [
        ("print(target)", "print(x)"),
        ("target = target.cuda(1)", "print(x)"),
        ("target = target.cuda()", "torch.cuda.set_device(1)"),
        ("target = target.cuda()", "with torch.cuda.device(1): model(x)"),
        ("target = target.cuda()", "if model: target = target.cpu()"),
        ("target = target.cuda()", "target.data = x"),
    ],
)
def test_what_may_lie_on_another_gpu_is_moved_there(moved: str, between: str) -> None:
    after = migrate(_TWICE.format(moved=moved, between=between), "TP101").text
    assert "        target_var = target.cuda()\n" in after
