"""What becomes of the comment beside ``x = Variable(x)``."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods import migrate_paths

_HEAD = """
import torch
from torch.autograd import Variable
from torch.utils.data import DataLoader

def run(net, device):
    for x, y in DataLoader(own(), batch_size=3):
        x = Variable(x) # (batch, 3)
"""


def _after(body: str) -> str:
    text = textwrap.dedent(_HEAD) + textwrap.indent(textwrap.dedent(body), " " * 8)
    after = migrate(text).text
    assert migrate(after).text == after
    return after.partition("batch_size=3):\n")[2]


def test_it_goes_to_the_next_line_that_gives_the_name_a_value() -> None:
    body = """
    y = y.to(device)
    x = x.to(device)
    print(net(x), y)
    """
    after = textwrap.dedent(_after(body))
    assert after.startswith("y = y.to(device)\nx = x.to(device) # (batch, 3)\nprint(")


@pytest.mark.parametrize(
    "body",
    [
        "print(x)\nx = x.to(device)\nprint(net(x))\n",
        "x = x.to(device)  # moved\nprint(net(x))\n",
        "x, y = x.to(device), y.to(device)\nprint(net(x), y)\n",
        "if y:\n    x = x.to(device)\nprint(net(x))\n",
        "x = x.to(\n    device)\nprint(net(x))\n",
        "print(net(x))\n",
    ],
    ids=["used before", "a comment of its own", "with another", "perhaps", "on two lines", "never"],
)
def test_else_it_stands_on_its_own(body: str) -> None:
    assert _after(body).lstrip("\n ").startswith("# (batch, 3)\n")


_TOLD = """
for x, y in DataLoader(own(), batch_size=3):
    x = Variable(x)  {}
    {}
    print(net(x), y)
"""


def _told(comment: str, below: str) -> str:
    head = _HEAD.partition("def run")[0] + "def run(net, device):\n"
    text = textwrap.dedent(head) + textwrap.indent(_TOLD.format(comment, below), "    ")
    after = migrate(text).text
    assert migrate(after).text == after
    return after.partition("batch_size=3):\n")[2]


@pytest.mark.parametrize(
    ("comment", "below"),
    [
        ("# volatile", "x = x.to(device)"),
        ("# tensor -> Variable", "x = x.to(device)"),
        ("# wrap in Variable", "x = x.to(device)"),
        ("# volatile", "y = y + 1  # one more"),
        ("# tensor -> Variable", "x = net(x)  # the output"),
        ("# x to Variable", "y = y + 1"),
        ("# move to GPU", "x = x.to(device)  # onto the device"),
        ("# to cuda", "y = y + 1"),
        ("# .cuda()", "y = y + 1"),
        ("#.cuda(0).float()", "x = x.to(device)"),
        ("# pack into variables", "y = y + 1"),
        ("# , volatile=True", "y = y + 1"),
        ("# requires_grad=False", "y = y + 1"),
        ("#, requires_grad = False)", "x = x.to(device)"),
        ("# volatile=True", "y = y + 1"),
    ],
)
def test_one_that_says_what_the_line_did_goes_with_it(comment: str, below: str) -> None:
    after = _told(comment, below)
    assert comment not in after
    assert below in after


@pytest.mark.parametrize(
    ("comment", "below"),
    [
        ("# (batch, 3)", "x = net(x)  # the output"),
        ("# a Variable of shape (batch, 3)", "y = y + 1"),
        ("# not volatile", "y = y + 1"),
        ("# the inputs", "y = y + 1"),
        ("# volatile: nothing is kept", "y = y + 1"),
        ("# the GPU holds them", "y = y + 1"),
        ("# move to the GPU of the teacher", "y = y + 1"),
        ("# noise variables", "y = y + 1"),
        ("# x.cuda()", "y = y + 1"),
        ("# .cuda() fails here", "y = y + 1"),
        ("# pack the two variables of the model", "y = y + 1"),
        ("# , volatile=True fails here", "y = y + 1"),
        ("# requires_grad=True", "y = y + 1"),
        ("# size=True", "y = y + 1"),
        ("# , as ever", "y = y + 1"),
    ],
)
def test_one_that_says_more_stands_on_its_own(comment: str, below: str) -> None:
    assert f"        {comment}\n        {below}\n" in _told(comment, below)


def test_one_about_a_move_goes_to_the_line_that_moves() -> None:
    assert "        x = x.to(device)  # move to GPU\n" in _told("# move to GPU", "x = x.to(device)")


def test_nothing_is_left_of_a_branch_that_only_wrapped() -> None:
    text = _HEAD.partition("    for")[0] + (
        "    for x, y in DataLoader(own(), batch_size=3):\n"
        "        if device is not None:\n"
        "            x = Variable(x)  # tensor -> Variable\n"
        "        print(net(x), y)\n"
    )
    after = migrate(textwrap.dedent(text)).text
    assert after.endswith("batch_size=3):\n        print(net(x), y)\n")


_CLASS = """
import torch
from torch.autograd import Variable
{above}
class Net(Base):
    def load(self, sizes):
        self.mask = torch.ones(3)
        self.parts = [[] for size in sizes]
        for j in range(len(sizes)):
            self.parts[j] = torch.ones(3)
            self.parts[j] = Variable(self.parts[j])
        self.mask = Variable(self.mask)
        return self.net(self.mask, self.parts[0])
"""


def _of_class(tmp_path: Path, base: str, name: str = "base.py") -> str:
    (tmp_path / name).write_text(f"import torch\n\n{base}")
    text = _CLASS.format(above="from base import Base\n")
    (tmp_path / "net.py").write_text(text)
    migrate_paths([tmp_path], write=True)
    return (tmp_path / "net.py").read_text()


@pytest.mark.parametrize(
    "base",
    [
        "class Base(object):\n    def save(self):\n        pass\n",
        "class Root:\n    pass\n\n\nclass Base(Root):\n    pass\n",
        "class Base(torch.nn.Module):\n    pass\n",
    ],
)
def test_an_attribute_is_not_assigned_to_itself_below_a_base_of_another_file(
    tmp_path: Path, base: str
) -> None:
    after = _of_class(tmp_path, base)
    assert "self.mask = self.mask" not in after
    assert "self.parts[j] = self.parts[j]" not in after
    assert after.count("self.mask = ") == after.count("self.parts[j] = ") == 1


@pytest.mark.parametrize(
    "base",
    [
        "class Base:\n    @property\n    def mask(self):\n        return self._mask\n\n"
        "    @mask.setter\n    def mask(self, value):\n        self._mask = value * 2\n",
        "class Base:\n    def __setattr__(self, name, value):\n        print(name)\n",
        "class Root:\n    def __setattr__(self, name, value):\n        print(name)\n\n\n"
        "class Base(Root):\n    pass\n",
        "from elsewhere import Root\n\n\nclass Base(Root):\n    pass\n",
    ],
)
def test_what_setting_an_attribute_does_below_such_a_base_stays(tmp_path: Path, base: str) -> None:
    after = _of_class(tmp_path, base)
    assert after.count("        self.mask = ") == 2


def test_the_same_below_a_base_out_of_sight(tmp_path: Path) -> None:
    after = _of_class(tmp_path, "class Base:\n    pass\n", "other.py")
    assert after.count("        self.mask = ") == 2


_SIBLINGS = """
import torch
from torch.autograd import Variable


class Base(object):
    pass


class Single(Base):
    def load(self, n):
        self.noise = {single}


class Multi(Base):
    def load(self, sizes):
        self.noise = {multi}
        for j in range(len(sizes)):
            self.noise.append(torch.ones(sizes[j]))
            if self.on_gpu:
                self.noise[j] = self.noise[j].cuda()
            self.noise[j] = Variable(self.noise[j])

    def run(self, sizes):
        self.load(sizes)
        loss = sum(self.net(self.noise[k]).sum() for k in range(len(sizes)))
        loss.backward()
        print(loss.data[0])
{below}
"""


def _of_siblings(folder: Path, single: str, multi: str, below: str = "") -> str:
    (folder / "net.py").write_text(_SIBLINGS.format(single=single, multi=multi, below=below))
    migrate_paths([folder], write=True)
    return (folder / "net.py").read_text()


@pytest.mark.parametrize("single", ["torch.ones(n)", "make(n)", "[]", "None"])
def test_a_part_of_a_list_that_a_class_makes_is_not_assigned_to_itself(
    tmp_path: Path, single: str
) -> None:
    after = _of_siblings(tmp_path, single, "[]")
    assert "Variable" not in after
    assert after.count("self.noise[j] = ") == 1


@pytest.mark.parametrize(
    ("multi", "below"),
    [
        ("Parts()", ""),
        ("make(sizes)", ""),
        ("[]", "\n    def reset(self):\n        self.noise = Parts()\n"),
        ("[]", "\n\ndef reset(multi):\n    multi.noise = Parts()\n"),
        ("[]", "\n\ndef reset(multi):\n    setattr(multi, 'noise', Parts())\n"),
        ("[]", "\n\nclass Own(Multi):\n    def clear(self):\n        self.noise = Parts()\n"),
    ],
    ids=["another class", "unknown", "set later", "set by others", "by name", "below"],
)
def test_a_part_of_what_may_be_anything_is(tmp_path: Path, multi: str, below: str) -> None:
    after = _of_siblings(tmp_path, "torch.ones(n)", multi, below)
    assert after.count("self.noise[j] = ") == 2


def _moved_below(*between: str, made: str = "x = torch.zeros(y.size()).cuda()") -> str:
    lines = [made, *between, "x = Variable(x).cuda()", "return x"]
    head = 'import torch\nfrom torch.autograd import Variable\n\ndevice = torch.device("cuda")\n\n'
    return migrate(f"{head}\ndef f(y, z, n):\n" + "".join(f"    {one}\n" for one in lines)).text


def test_what_was_made_on_its_device_is_not_moved_there_once_more() -> None:
    after = _moved_below("for i in range(n):", "    x[i] = i")
    made = "    x = torch.zeros(y.size(), device=device)\n"
    assert after.endswith(f"{made}    for i in range(n):\n        x[i] = i\n    return x\n")


@pytest.mark.parametrize(
    "between",
    [
        ("if n:", "    x = z + 1"),
        ("x.data = z",),
        ("for i in range(n):", "    x = torch.zeros(i)"),
    ],
)
def test_what_may_lie_elsewhere_below_is_moved(between: tuple[str, ...]) -> None:
    assert ".to(device)\n    return x\n" in _moved_below(*between)


def test_what_was_made_on_the_device_of_another_turn_is_moved() -> None:
    lines = ["for i, device in enumerate(n):", "    if i == 0:"]
    lines += [
        "        x = torch.zeros(2, device=device)",
        "    x = Variable(x).to(device)",
        "    z(x)",
    ]
    head = "import torch\nfrom torch.autograd import Variable\n\n\n"
    text = f"{head}def f(z, n):\n" + "".join(f"    {one}\n" for one in lines)
    assert "        x = x.to(device)\n" in migrate(text).text


_SHARES = """
import torch
from torch.autograd import Variable

def shares(net, total{given}):
    {made}
    for name, weight in net.named_parameters():
        held[name] = 0 * weight.data
    for name, _ in net.named_parameters():
        held[name] = held[name] / total
        held[name] = Variable(held[name], requires_grad=False)
    return held

def total(x):
    return Variable(torch.Tensor(x), volatile=True).sum().data[0]
"""


@pytest.mark.parametrize(
    ("given", "made", "is_left"),
    [("", "held = {}", False), (", held", "pass", True), ("", "held = Held()", True)],
)
def test_an_item_of_a_dict_is_not_assigned_to_itself(
    tmp_path: Path, given: str, made: str, is_left: bool
) -> None:
    path = tmp_path / "net.py"
    path.write_text(_SHARES.format(given=given, made=made))
    migrate_paths([path], write=True)
    after = path.read_text()
    assert "Variable" not in after
    assert after.count("held[name] = held[name]") == 1 + is_left
