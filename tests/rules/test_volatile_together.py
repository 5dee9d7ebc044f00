"""Several volatile values that go into one function: for each alone the others have a graph."""

from tests.support.rules import keeps, migrate, rewrites

_HEAD = """\
import torch
import torch.nn as nn
from distances import Distance
from torch.autograd import Variable


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x)


distance = Distance(2)


def test(a, b, c):
    net = Net()
"""
_MADE = (
    "    a, b = Variable(a, volatile=True), Variable(b, volatile=True)\n    x, y = net(a), net(b)\n"
)
_MAKES = """\
    a, b = Variable(a), Variable(b)
    with torch.no_grad():
        x, y = net(a), net(b)
"""

test_rewrites = rewrites(
    "TP102",
    {
        "of one statement": (
            f"{_HEAD}{_MADE}    d = distance.forward(x, y)\n    return d\n",
            f"{_HEAD}{_MAKES}        d = distance.forward(x, y)\n    return d\n",
        ),
        "one by one": (
            f"{_HEAD}    a = Variable(a, volatile=True)\n    b = Variable(b, volatile=True)\n"
            "    x = net(a)\n    y = net(b)\n    print(distance.forward(x, y))\n",
            f"{_HEAD}    a = Variable(a)\n    b = Variable(b)\n    with torch.no_grad():\n"
            "        x = net(a)\n        y = net(b)\n        print(distance.forward(x, y))\n",
        ),
        "what has its graph stays outside": (
            f"{_HEAD}{_MADE}    y = net(c)\n    return distance.forward(x, y)\n",
            f"{_HEAD}{_MAKES}    y = net(c)\n    return distance.forward(x, y)\n",
        ),
    },
)

test_keeps = keeps(
    "TP102",
    {
        "a further one has a graph": f"{_HEAD}{_MADE}    return distance.forward(x, y, net(c))\n",
        "a name of what has one": f"{_HEAD}{_MADE}    z = net(c)\n    return distance.forward(x, y, z)\n",
        "a parameter": (
            f"{_HEAD}{_MADE}    w = net.fc.weight\n    return distance.forward(x, y, w)\n"
        ),
        "one of two ways": (
            f"{_HEAD}{_MADE}    if c is not None:\n        y = net(c)\n"
            "    return distance.forward(x, y)\n"
        ),
        "one alone": (
            f"{_HEAD}    a = Variable(a, volatile=True)\n    x, y = net(a), net(c)\n"
            "    return distance.forward(x, y)\n"
        ),
    },
)


_FLAGGED = """import torch
from torch.autograd import Variable
class Net(torch.nn.Module):
    def forward(self, actions=None):
        if actions is None:
            actions = Variable(self.new(range(3)), volatile=not self.training).long()
        else:
            actions = Variable(actions, volatile=not self.training)
        tags = Variable(self.new(range(3)), volatile={other}).long()
        x = self.embed(tags.view(1, -1))
        y = self.embed(actions.view(1, -1))
        self.tags = dict(zip(tags.data.tolist(), x))
        self.actions = dict(zip(actions.data.tolist(), y))
"""


def test_values_with_one_flag_come_under_one_block() -> None:
    migration = migrate(_FLAGGED.format(other="not self.training"), "TP102")
    assert migration.text == (
        """import torch
from torch.autograd import Variable
class Net(torch.nn.Module):
    def forward(self, actions=None):
        if actions is None:
            actions = Variable(self.new(range(3))).long()
        else:
            actions = Variable(actions)
        tags = Variable(self.new(range(3))).long()
        with torch.set_grad_enabled(self.training):
            x = self.embed(tags.view(1, -1))
            y = self.embed(actions.view(1, -1))
        self.tags = dict(zip(tags.data.tolist(), x))
        self.actions = dict(zip(actions.data.tolist(), y))
"""
    )
    assert migrate(migration.text, "TP102").text == migration.text


def test_other_flags_have_blocks_of_their_own() -> None:
    head, tags, x, y, kept_tags, kept_actions = _FLAGGED.rsplit("\n", 6)[:6]
    text = "\n".join((head, y, kept_actions, tags, x, kept_tags, ""))
    after = migrate(text.format(other="not self.learns"), "TP102").text
    assert after.count("torch.set_grad_enabled(self.training)") == 1
    assert after.count("set_grad_enabled(torch.is_grad_enabled() and self.learns)") == 1


def test_no_block_of_one_flag_holds_what_another_one_decides() -> None:
    text = _FLAGGED.format(other="not self.learns")
    assert migrate(text, "TP102").text == text


def test_what_a_caller_gives_may_have_a_graph() -> None:
    text = _FLAGGED.replace("Variable(actions, volatile=not self.training)", "actions")
    after = migrate(text.format(other="not self.training"), "TP102").text
    assert "            y = self.embed(" not in after
