from __future__ import annotations

import pytest

from tests.support.rules import keeps, migrate, rewrites

test_alike = rewrites(
    "TP104",
    {
        "what stays in another function is no matter": (
            """
            import torch
            def show(x: torch.Tensor):
                print(x.data.sum())
            def keep(x: torch.Tensor):
                return give(x.data)
            """,
            """
            import torch
            def show(x: torch.Tensor):
                print(x.detach().sum())
            def keep(x: torch.Tensor):
                return give(x.data)
            """,
        ),
        "what two lines of a loop add to": (
            """
            import torch
            def loss_of(model, batch):
                result = torch.zeros(1)
                for x in batch:
                    out = model(x)
                    result += out.sum()
                    result += out.mean()
                return result / len(batch)
            def train(model, batch):
                loss = loss_of(model, batch)
                loss.backward()
                return loss.data.cpu().numpy()[0]
            """,
            """
            import torch
            def loss_of(model, batch):
                result = torch.zeros(1)
                for x in batch:
                    out = model(x)
                    result += out.sum()
                    result += out.mean()
                return result / len(batch)
            def train(model, batch):
                loss = loss_of(model, batch)
                loss.backward()
                return loss.detach().cpu().numpy()[0]
            """,
        ),
        "what stays beside is written to": (
            """
            import torch
            def show(x: torch.Tensor, y: torch.Tensor, z):
                print(x.data.sum())
                y.data[0] = 1
                z.data = y * 2
            """,
            """
            import torch
            def show(x: torch.Tensor, y: torch.Tensor, z):
                print(x.detach().sum())
                y.data[0] = 1
                z.data = y * 2
            """,
        ),
        "weights are one thing, what is read is another": (
            """
            from torch import nn
            def train(x, scores):
                net = nn.Linear(2, 3)
                net.weight.data.clamp_(-1, 1)
                net.bias.data.zero_()
                scores.append(x.data)
            """,
            """
            import torch
            from torch import nn
            def train(x, scores):
                net = nn.Linear(2, 3)
                with torch.no_grad():
                    net.weight.clamp_(-1, 1)
                nn.init.zeros_(net.bias)
                scores.append(x.data)
            """,
        ),
        "what has to be mended goes beside what stays, and holds nothing": (
            """
            import torch
            def count(x: torch.Tensor, y: torch.Tensor, places):
                for i in range(3):
                    at = int(places.long()[i].data[0])
                    y[at] += (x.data[at] - x.data[i]).sum()
            """,
            """
            import torch
            def count(x: torch.Tensor, y: torch.Tensor, places):
                for i in range(3):
                    at = int(places.long()[i].data[0])
                    y[at] += (x.detach()[at] - x.detach()[i]).sum()
            """,
        ),
        "what is wrapped is detached all the same": (
            """
            import torch
            from torch.autograd import Variable
            def attack(x: torch.Tensor):
                y = Variable(x.data, requires_grad=True)
                return torch.clamp(y - x.data, 0, 1)
            """,
            """
            import torch
            def attack(x: torch.Tensor):
                y = x.detach().requires_grad_()
                return torch.clamp(y - x.detach(), 0, 1)
            """,
        ),
        "what stays is given to other code": (
            """
            import torch
            def mix(x: torch.Tensor, g, a):
                return (a * x.data + a * f(g.data)).sum(), g.data
            """,
            """
            import torch
            def mix(x: torch.Tensor, g, a):
                return (a * x.data + a * f(g.data)).sum(), g.data
            """,
        ),
        "all that an expression calculates with": (
            """
            import torch
            def mix(x: torch.Tensor, g: torch.Tensor, a):
                return (a * x.data + torch.mul(g.data, 3)).sum()
            """,
            """
            import torch
            def mix(x: torch.Tensor, g: torch.Tensor, a):
                return (a * x.detach() + torch.mul(g.detach(), 3)).sum()
            """,
        ),
        "updates that all go under no_grad": (
            """
            import torch
            from torch import nn
            fc = nn.Linear(2, 3)
            if scaled:
                fc.weight.data.mul_(0.1)
            else:
                fc.weight.data.mul_(0.2)
            """,
            """
            import torch
            from torch import nn
            fc = nn.Linear(2, 3)
            with torch.no_grad():
                if scaled:
                    fc.weight.mul_(0.1)
                else:
                    fc.weight.mul_(0.2)
            """,
        ),
    },
    with_rules=("TP101",),
)

test_kept_alike = keeps(
    "TP104",
    {
        "one that is read of another tensor and in another block than what stays": """
            import torch
            def show(x: torch.Tensor, y: torch.Tensor):
                print(x.data.sum())
                if x is not y:
                    return give(y.data)
        """,
        "what is asked of no numbers, beside what stays": """
            import torch
            def show(x: torch.Tensor, y: torch.Tensor, counts):
                if counts:
                    counts.give(y, x.data)
                return y.eq(x.data), x.data.size()
        """,
        "gradients beside one that is not known": """
            from torch import nn
            def clip(net: nn.Module, other):
                for p in net.parameters():
                    p.grad.data.clamp_(-1, 1)
                for p in other.every():
                    p.grad.data.clamp_(-1, 1)
        """,
        "what is read where another tensor is stored": """
            import torch
            def scale(x: torch.Tensor, y):
                y.data = x.data * 2
                return x.data.sum()
        """,
        "a read above one of another tensor that stays": """
            import torch
            def show(x: torch.Tensor, y: torch.Tensor):
                print(x.data.sum())
                return give(y.data)
        """,
        "a view where the whole stays": """
            import torch
            def show(x: torch.Tensor, deep):
                if deep:
                    return torch.matmul(x * 2, x.t().data)
                return give(x.data)
        """,
        "what is moved of what gets another tensor": """
            import torch
            def show(x: torch.Tensor, scale):
                x.data = x.data * scale
                return x.cpu().data.numpy().sum()
        """,
        "what is compared beside the same that stays": """
            import torch
            def show(x: torch.Tensor, y: torch.Tensor, counts):
                found = y.eq(x.data)
                counts.give(y, x.data)
                return found
        """,
        "a read beside one that stays": """
            import torch
            def show(x: torch.Tensor):
                print(x.data.sum())
                return give(x.data)
        """,
        "what is calculated with one that stays": """
            import torch
            def mix(x: torch.Tensor, g, a):
                return (a * x.data + (1 - a) * g.data).sum()
        """,
        "what a function of torch gets beside one that stays": """
            import torch
            def mix(x: torch.Tensor, g, a):
                return torch.mv(torch.t(x.data), -g.data.view(-1)).sum()
        """,
        "what needs nothing detached goes only where it does nothing": """
            import torch
            def mix(x: torch.Tensor, g, a):
                return a * x.data.sum() - g.data
        """,
        "a read of what gets another tensor": """
            from torch import nn
            def prune(fc: nn.Linear, keep):
                new = fc.weight.data.cpu().numpy()
                new[keep] = 0
                shown = fc.weight.data.sum()
                fc.weight.data = torch.from_numpy(new)
                return shown
        """,
        "an update beside one that stays": """
            from torch import nn
            fc = nn.Linear(2, 3)
            if pretrained is not None:
                fc.weight.data.copy_(torch.from_numpy(pretrained))
            else:
                fc.weight.data.copy_(draw(3, 2))
        """,
        "an update of what is stored to by parts": """
            import torch
            from torch import nn
            fc = nn.Linear(2, 3)
            fc.weight.data.copy_(torch.zeros(3, 2))
            fc.weight.data[0] = 1
        """,
        "a read where what stays is not known to be a tensor": """
            import torch
            def show(x):
                y = torch.nn.Linear(2, 3)(x)
                print(y.data.sum())
                y = unknown(x)
                print(y.data)
        """,
    },
)


_PARTS = """import torch
def f(conv, other):
    parts = [x.clone() for x in conv.parameters()]
    mean = {0}.mean(1)
    other.weight.data = mean
    {1}
    return other
"""


@pytest.mark.parametrize(
    ("read", "beside"),
    [
        ("parts[0].data", "other.bias.data = parts[1].data"),
        ("parts[-1].data", "other.bias.data = parts[0].data"),
    ],
)
def test_items_of_one_list_stay_alike(read: str, beside: str) -> None:
    text = _PARTS.format(read, beside)
    assert migrate(text, "TP104").text == text


def test_an_item_of_a_list_is_detached_beside_what_has_no_data() -> None:
    text = _PARTS.format("parts[0].data", "other.bias.data = parts[1].clone()")
    assert "parts[0].detach().mean(1)" in migrate(text, "TP104").text


_GAINS = """import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)
    def reset(self, gain, other):
        self.a.weight.data.mul_(gain)
        {0}
        self.b.weight.data.mul_(gain)
"""


@pytest.mark.parametrize(
    "line",
    [
        "self.c.weight.data.mul_(gain)",
        "self.c.weight.data.mul_(other)",
        "self.c.bias.data = other(gain)",
        "if gain: self.a.bias.data.mul_(gain)",
    ],
)
def test_updates_that_one_line_among_them_interrupts_stay_alike(line: str) -> None:
    text = _GAINS.format(line)
    assert migrate(text, "TP104").text == text


@pytest.mark.parametrize(
    "line", ["print(self.c.weight.data)", "self.a.weight.mul_(gain)", "other(gain)", "gain += 1"]
)
def test_updates_around_another_line_go_under_no_grad(line: str) -> None:
    after = migrate(_GAINS.format(line), "TP104").text
    assert "self.a.weight.mul_(gain)" in after and "self.b.weight.mul_(gain)" in after


_JOINED = """import torch, torch.nn as nn
net = nn.Linear(2, 2)
@torch.no_grad()
def collect(batches, other):
    kept = torch.zeros(0, 2)
    for i, x in enumerate(batches):
        if i:
            out = net(x)
            kept = torch.cat((kept, out.data), 0)
        else:
            out = {0}
            {1}
    return kept
"""


@pytest.mark.parametrize(
    "line",
    [
        "kept = torch.cat((kept, out.data), 0)",
        "kept = torch.stack((kept, out.data), 0)",
        "kept = give(out.data)",
    ],
)
def test_what_is_joined_stays_beside_what_stays(line: str) -> None:
    text = _JOINED.format("other(x)", line)
    assert migrate(text, "TP104").text == text


@pytest.mark.parametrize(
    ("made", "line"),
    [
        ("net(x + 1)", "kept = torch.cat((kept, out.data), 0)"),
        ("other(x)", "kept = torch.cat((kept, out), 0)"),
    ],
)
def test_what_is_joined_goes_beside_what_goes(made: str, line: str) -> None:
    after = migrate(_JOINED.format(made, line), "TP104").text
    assert "out = net(x)\n            kept = torch.cat((kept, out), 0)" in after


_COMPARED = """import torch
def count(scores: torch.Tensor, labels):
    found = torch.max(scores, 1)[1].view(labels.size(){})
    return ({}).sum()
"""


@pytest.mark.parametrize(
    ("part", "compared", "is_kept"),
    [
        ("", "found.data == labels.data", True),
        ("", "found.data == labels", False),
        ("", "(found.data > 0) == labels.data", True),
        # What has a first size is a tensor.
        ("[0]", "found.data == labels.data", False),
    ],
)
def test_both_of_a_comparison_stay_or_go(part: str, compared: str, is_kept: bool) -> None:
    text = _COMPARED.format(part, compared)
    after = migrate(text, "TP104").text
    assert ("found.data" in after) == is_kept
    assert ("labels.data" in after) == (part == "" and "labels.data" in compared)


def test_a_class_of_the_file_may_have_sizes_of_its_own() -> None:
    text = _COMPARED.format("[0]", "found.data == labels.data")
    text += "class Rows:\n    def size(self):\n        return [1]\n"
    assert migrate(text, "TP104").text == text


_WRAPPED = """from torch import nn
from torch.autograd import Variable
net = nn.Linear(2, 2)
def step(states, other, x):
    a = net(x)
    b = {0}
    {1}
    {2}
"""


@pytest.mark.parametrize(
    ("made", "first", "second"),
    [
        ("other(x)", "b = Variable(b.data)", "give(Variable(a.data))"),
        ("other(x)", "b = Variable(b.data)", "states.append(a.data.numpy())"),
        ("other(x)", "give(Variable(b.data))", "print(a.data.sum())"),
        ("other(x)", "if x:\n        give(Variable(b.data))", "print(a.data.sum())"),
    ],
)
def test_beside_what_was_wrapped_and_is_not_known_nothing_is_detached(
    made: str, first: str, second: str
) -> None:
    text = _WRAPPED.format(made, first, second)
    after = migrate(text, "TP104", "TP101").text
    plain = text.replace("from torch.autograd import Variable\n", "")
    assert after == plain.replace("Variable(b.data)", "b.data").replace(
        "Variable(a.data)", "a.data"
    )


@pytest.mark.parametrize(
    ("made", "first", "second"),
    [
        ("net(x + 1)", "give(b + 1)", "print(a.data.sum())"),
        ("net(x + 1)", "print(Variable(b.data).sum())", "print(a.data.sum())"),
    ],
)
def test_apart_from_what_was_wrapped_it_is_detached(made: str, first: str, second: str) -> None:
    after = migrate(_WRAPPED.format(made, first, second), "TP104", "TP101").text
    assert "a.detach()" in after


_PADDED = """import torch
def pad(x: torch.Tensor, lengths, n):
    longest = max(lengths.data.tolist())
    return {}, longest
"""


def test_a_tensor_that_is_made_alike_loses_it_beside_what_stays() -> None:
    text = _PADDED.format("torch.cat([x, x.data.new_zeros(n - x.size(0))])")
    assert migrate(text, "TP104").text == text.replace("x.data", "x")


@pytest.mark.parametrize("made", ["x.data.clone()", "x.data.size()", "lengths.data.new_zeros(n)"])
def test_other_reads_stay_beside_what_stays(made: str) -> None:
    text = _PADDED.format(made)
    assert migrate(text, "TP104").text == text
