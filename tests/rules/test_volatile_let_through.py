"""``target.volatile = False``: what is calculated before is a constant for what comes behind."""

from __future__ import annotations

from tests.support.rules import keeps, migrate, rewrites

_HEAD = """
            import torch
            import torch.nn.functional as F
            from torch.autograd import Variable
            def train(net, target, batches, optimizer):
                for s, s2, r in batches:
"""
_LEARN = """
                    loss = F.mse_loss(net(Variable(s)), wanted)
                    loss.backward()
                    optimizer.step()
"""

test_rewrites = rewrites(
    "TP102",
    {
        "in a loop that trains": (
            _HEAD
            + """
                    after = Variable(s2, volatile=True)
                    wanted = target(after).max(1)[0]
                    wanted = Variable(r) + 0.9 * wanted
                    wanted.volatile = False
            """
            + _LEARN,
            _HEAD
            + """
                    after = Variable(s2)
                    with torch.no_grad():
                        wanted = target(after).max(1)[0]
                        wanted = Variable(r) + 0.9 * wanted
            """
            + _LEARN,
        ),
        "at once": (
            _HEAD
            + """
                    wanted = target(Variable(s2, volatile=True))
                    wanted.volatile = False
            """
            + _LEARN,
            _HEAD
            + """
                    with torch.no_grad():
                        wanted = target(Variable(s2))
            """
            + _LEARN,
        ),
        "with what trains in between": (
            _HEAD
            + """
                    after = Variable(s2, volatile=True)
                    out = net(Variable(s))
                    wanted = target(after)
                    wanted.volatile = False
                    F.mse_loss(out, wanted).backward()
            """,
            _HEAD
            + """
                    after = Variable(s2)
                    out = net(Variable(s))
                    with torch.no_grad():
                        wanted = target(after)
                    F.mse_loss(out, wanted).backward()
            """,
        ),
        "and returned": (
            """
            import torch
            from torch.autograd import Variable
            def wanted_of(target, s2, r):
                y = target(Variable(s2, volatile=True))
                y = y.max(1)[0]
                y.volatile = False
                return y * 0.9 + r
            """,
            """
            import torch
            from torch.autograd import Variable
            def wanted_of(target, s2, r):
                with torch.no_grad():
                    y = target(Variable(s2))
                    y = y.max(1)[0]
                return y * 0.9 + r
            """,
        ),
    },
)

test_keeps = keeps(
    "TP102",
    {
        "on one path": _HEAD
        + """
                    wanted = target(Variable(s2, volatile=True))
                    if r is not None:
                        wanted.volatile = False
            """
        + _LEARN,
        "by another name": _HEAD
        + """
                    wanted = target(Variable(s2, volatile=True))
                    other = wanted
                    wanted.volatile = False
                    net(other).sum().backward()
            """,
        "in a list": _HEAD
        + """
                    wanted = target(Variable(s2, volatile=True))
                    outs = [wanted]
                    wanted.volatile = False
                    net(outs[0]).sum().backward()
            """,
        "once for all rounds": """
            import torch
            from torch.autograd import Variable
            def train(net, target, s2, keep):
                wanted = target(Variable(s2, volatile=True))
                for _ in range(2):
                    keep.append(net(wanted))
                    wanted.volatile = False
            """,
        "of the last round": _HEAD
        + """
                    if r is not None:
                        net(wanted).sum().backward()
                    wanted = target(Variable(s2, volatile=True))
                    wanted.volatile = False
            """,
        "asked to have a gradient": _HEAD
        + """
                    wanted = target(Variable(s2, volatile=True))
                    wanted.requires_grad = True
            """
        + _LEARN,
    },
)


def test_what_is_made_of_it_before_stays_volatile() -> None:
    text = """
import torch
from torch.autograd import Variable
def train(net, target, s2):
    wanted = target(Variable(s2, volatile=True))
    double = wanted * 2
    wanted.volatile = False
    print(net(double))
    net(wanted).sum().backward()
"""
    after = migrate(text, "TP102").text
    assert "        print(net(double))" not in after and "wanted.volatile = False" in after


_HELPER = """
import torch
from torch.autograd import Variable


def var(x, volatile=False):
    if torch.cuda.is_available():
        return Variable(x, volatile=volatile).cuda()
    return Variable(x{more}, volatile=volatile)


def train(target, s2, d, learn):
    after = var(torch.FloatTensor(s2), volatile=True)
    done = var(torch.FloatTensor(1 - d))
    wanted = done * target(after)
    wanted.volatile = False
    learn(wanted)
"""


def test_a_helper_that_only_wraps_needs_no_block_of_its_own() -> None:
    after = migrate(_HELPER.format(more=""), "TP102").text
    assert "\n    after = var(torch.FloatTensor(s2))\n" in after
    assert "\n    with torch.no_grad():\n        wanted = done * target(after)\n" in after
    assert "volatile=True" not in after and ".volatile" not in after


def test_a_helper_that_may_ask_for_a_gradient_keeps_its_block() -> None:
    after = migrate(_HELPER.format(more=", True"), "TP102").text
    assert "\n    after = var(" not in after


_LOSS = """
import torch
from torch.autograd import Variable

def loss_of(net, target, states, after):
    after_v = Variable(torch.from_numpy(after), volatile=True)
    wanted = target(after_v)
    wanted.volatile = False
    off = wanted - net(Variable(torch.from_numpy(states)))
    return off.abs().sum()
"""


def test_a_loss_below_the_mark_keeps_its_graph() -> None:
    after = migrate(_LOSS).text
    assert "        wanted = target(after_v)\n    off = wanted - net(" in after
    assert after.count("no_grad") == 1 and "volatile" not in after


_MOVED = """
import torch
from torch.autograd import Variable

def loss_of(net, target, states, after, cuda=False, later=False):
    states_v = Variable(torch.from_numpy(states))
    after_v = Variable(torch.from_numpy(after), volatile=True)
    if cuda:
        states_v = states_v.cuda(non_blocking=later)
        after_v = after_v.cuda({how})
    out = net(states_v)
    wanted = target(after_v)
    wanted.volatile = False
    return (wanted - out).sum()
"""


def test_moves_need_no_block() -> None:
    for how, blocks in (("non_blocking=later", 1), ("pick(net)", 2)):
        after = migrate(_MOVED.format(how=how), "TP102").text
        assert after.count("no_grad") == blocks


_MARKED = """import torch
from torch.autograd import Variable


def targets(nets, x):
    x = Variable(x)
    y = nets["target"](x)
    y.volatile = False
    {below}
    return y
"""


def test_a_mark_of_what_requires_gradients_goes() -> None:
    text = _MARKED.format(below="y.requires_grad = True")
    assert migrate(text, "TP102").text == text.replace("    y.volatile = False\n", "")


def test_a_mark_of_what_may_be_no_tensor_stays() -> None:
    text = _MARKED.format(below="y.name = 'target'")
    assert migrate(text, "TP102").text == text
