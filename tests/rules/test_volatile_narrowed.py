"""The lines of a loop that run the model, where the rest of it goes on to calculate."""

from __future__ import annotations

import pytest

from tests.support.rules import keeps, migrate, rewrites

_HEAD = """
            import torch
            from torch.autograd import Variable
            def detect(net, other, loader, keep):
                x = Variable(torch.zeros(1), volatile=True)
"""
_BELOW = _HEAD.replace(", volatile=True", "")

test_rewrites = rewrites(
    "TP102",
    {
        "a holder that each batch is copied to": (
            _HEAD
            + """
                for data in loader:
                    x.data.copy_(data)
                    boxes, scores = net(x)
                    best = other(scores.data)
                    keep.append(best * 2)
            """,
            _BELOW
            + """
                for data in loader:
                    x.data.copy_(data)
                    with torch.no_grad():
                        boxes, scores = net(x)
                    best = other(scores.data)
                    keep.append(best * 2)
            """,
        ),
        "numbers that are divided behind the loop": (
            """
            import torch
            from torch.autograd import Variable
            def test(net, loader, check_recall):
                correct, total = 0, 0
                for x, y in loader:
                    x = Variable(x, volatile=True)
                    a, b = check_recall(net(x), y)
                    correct += a
                    total += b
                return_value = correct / float(total)
                return return_value
            """,
            """
            import torch
            from torch.autograd import Variable
            def test(net, loader, check_recall):
                correct, total = 0, 0
                with torch.no_grad():
                    for x, y in loader:
                        x = Variable(x)
                        a, b = check_recall(net(x), y)
                        correct += a
                        total += b
                return_value = correct / float(total)
                return return_value
            """,
        ),
        "results that are only kept": (
            _HEAD
            + """
                for data in loader:
                    story = net(x)
                    y = other(data)
                    keep["stories"].append({"story": story})
                    other.append(y * 2)
            """,
            _BELOW
            + """
                for data in loader:
                    with torch.no_grad():
                        story = net(x)
                    y = other(data)
                    keep["stories"].append({"story": story})
                    other.append(y * 2)
            """,
        ),
        "results that something is made of": (
            _HEAD
            + """
                for data in loader:
                    story = net(x)
                    y = other(data)
                    keep["stories"].append(net(story))
                    other.append(y * 2)
            """,
            _BELOW
            + """
                for data in loader:
                    with torch.no_grad():
                        story = net(x)
                    y = other(data)
                    with torch.no_grad():
                        keep["stories"].append(net(story))
                    other.append(y * 2)
            """,
        ),
        "in a branch": (
            _HEAD
            + """
                for data in loader:
                    y = other(data)
                    if keep:
                        out = net(x)
                        print(out)
                    keep.append(y * 2)
            """,
            _BELOW
            + """
                for data in loader:
                    y = other(data)
                    if keep:
                        with torch.no_grad():
                            out = net(x)
                        print(out)
                    keep.append(y * 2)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP102",
    {
        "what another is trained with": _HEAD
        + """
                for data in loader:
                    weights = other(data)
                    out = net(x)
                    out.step()
                    keep.append(weights * 2)
            """,
        "a loop that trains by it": _HEAD
        + """
                while other(x).mean() > 0:
                    other(keep).sum().backward()
            """,
        "in three places": _HEAD
        + """
                for data in loader:
                    story = net(x)
                    y = other(data)
                    lines = net(story)
                    y = other(y)
                    print(net(lines))
                    keep.append(y * 2)
            """,
        "in what is yielded": _HEAD
        + """
                for data in loader:
                    y = other(data)
                    yield net(x), y
            """,
    },
)


_PLAYS = """
import torch
from torch.autograd import Variable
class Player:
    def act(self, state):
        scores, value = self.model(state)
        if self.random:
            action = scores.data.numpy()
        else:
            action = scores.max(1)[1].data.squeeze().numpy()[0]
        return action, scores, value
    def score(self, state):
        scores, value = self.model(state)
        return scores.data if self.random else scores, scores, value
    def play(self, env, state, log):
        action, scores, value = self.{function}(Variable(state, volatile=True))
        {line}
        env.show(action)
        if env.is_done():
            {kept}
        log.append(value.data.numpy())
"""


def _played(
    line: str = "self.state = env.step(action)",
    kept: str = "env.reset()",
    function: str = "act",
) -> str:
    text = _PLAYS.format(line=line, kept=kept, function=function)
    return migrate(text, "TP102").text.partition("log):\n")[2]


_RUN = """\
        with torch.no_grad():
            action, scores, value = self.act(Variable(state))
"""


def test_a_block_ends_before_what_takes_a_part_that_a_function_cut() -> None:
    assert _played().startswith(_RUN + "        self.state = env.step(action)\n")


@pytest.mark.parametrize(
    ("line", "function"),
    [
        ("self.state = env.step(scores)", "act"),
        ("self.state = env.step(action)", "score"),
        ("self.state = env.step(value)", "act"),
    ],
)
def test_it_holds_what_takes_a_part_with_a_graph(line: str, function: str) -> None:
    run = _RUN.replace("act(", f"{function}(")
    assert _played(line, function=function).startswith(f"{run}            {line}\n")


@pytest.mark.parametrize(
    "kept",
    [
        "log.append([(scores * self.scale).log().data.numpy()])",
        "log.append(0.5 * (scores - self.scale).data)",
    ],
)
def test_what_drops_its_graph_at_once_needs_no_block_of_its_own(kept: str) -> None:
    assert _played(kept=kept).count("with torch.no_grad():") == 1


@pytest.mark.parametrize(
    "kept",
    [
        "log.append([(scores * self.scale).log()])",
        "log.append([self.model(scores).data.numpy()])",
        "log.append(self.weigh(scores).data)",
        "log.append([self.scale * scores])",
    ],
)
def test_what_may_keep_it_gets_one(kept: str) -> None:
    assert _played(kept=kept).count("with torch.no_grad():") == 2


@pytest.mark.parametrize("tail", ["return batch, target", "return batch, target, 3"])
def test_a_volatile_batch_of_a_helper_marks_what_is_calculated_with_it(tail: str) -> None:
    names = "x, y" if tail.count(",") == 1 else "x, y, n"
    text = (
        "import torch\nfrom torch.autograd import Variable\n\n\n"
        "def get_batch(source, i, evaluation=False):\n"
        "    batch = Variable(source[i], volatile=evaluation)\n"
        "    target = Variable(source[i + 1])\n"
        f"    {tail}\n\n\n"
        "def evaluate(net, criterion, source):\n    total = 0\n"
        "    for i in range(len(source)):\n"
        f"        {names} = get_batch(source, i, evaluation=True)\n"
        "        hidden = net.init_hidden(3)\n"
        "        out, hidden = net(x, hidden)\n"
        "        total += criterion(out, y).data\n"
        "    return total[0]\n"
    )
    _, _, loop = migrate(text, "TP102").text.partition("with torch.no_grad():\n")
    block = loop.partition("    return")[0]
    assert "net(x, hidden)" in block and "criterion(out, y)" in loop


_UNPACKED = """import torch
from torch.autograd import Variable


def get_batch(source, i, evaluation=False):
    input, mask, target = source[i]
    input = {input}
    mask = Variable(mask, volatile=evaluation)
    target = Variable(target)
    return input, target, mask


def evaluate(net, criterion, source):
    total = 0
    for i in range(len(source)):
        data, targets, mask = get_batch(source, i, evaluation=True)
        hidden = net.init_hidden(3)
        out, hidden = net(data, hidden)
        total += criterion(out, targets, mask).data
    return total[0]
"""


def test_a_helper_that_only_unpacks_a_batch_gets_no_block() -> None:
    text = migrate(_UNPACKED.format(input="Variable(input, volatile=evaluation)"), "TP102").text
    assert text.count("with torch.no_grad():") == 1
    before, _, block = text.partition("with torch.no_grad():\n")
    assert "data, targets, mask = get_batch(source, i)" in before
    assert "net(data, hidden)" in block and "criterion(out, targets, mask)" in block


@pytest.mark.parametrize(
    "made",
    [
        "embed(Variable(input, volatile=evaluation))",
        "Variable(embed(input).data, volatile=evaluation)",
    ],
)
def test_a_helper_that_calculates_for_a_batch_keeps_its_block(made: str) -> None:
    text = migrate(_UNPACKED.format(input=made), "TP102").text
    before, _, _ = text.partition("data, targets, mask = get_batch(source, i")
    assert before.endswith("with torch.no_grad():\n            ")


_SHOWN = """import torch
from torch import nn
from torch.autograd import Variable

net, seen = nn.Linear(3, 3), 0
fixed = Variable(torch.randn(4, 3), volatile=True)
for x, y in loader:
    made = net(fixed)
    loss = (net(x + made.data) - y).pow(2).sum()
    loss.backward()
{shown}
"""


def test_the_test_of_an_if_stays_outside() -> None:
    shown = "    if x.size(0) > 2:\n        print(loss)\n        show(net(fixed))"
    text = migrate(_SHOWN.format(shown=shown), "TP102").text
    assert (
        "    if x.size(0) > 2:\n"
        "        print(loss)\n"
        "        with torch.no_grad():\n"
        "            show(net(fixed))\n"
    ) in text


@pytest.mark.parametrize(
    "shown",
    [
        "    if net(fixed).sum() > 2:\n        print(net(fixed))",
        "    if x.size(0) > 2:\n        print(net(fixed))\n    else:\n        print(-net(fixed))",
    ],
)
def test_an_if_that_records_in_more_than_its_body_goes_under_the_block(shown: str) -> None:
    text = migrate(_SHOWN.format(shown=shown), "TP102").text
    assert "    with torch.no_grad():\n        if " in text
