from __future__ import annotations

import ast

import pytest

from tests.support.rules import migrate, rewrites
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.autograd.questions.graphless.switched_off import gives_new

_MODEL = """
            import torch
            from torch import nn

            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(3, 3)

                def decode(self, z):
                    return torch.sigmoid(self.fc(z)), z

                def forward(self, z):
                    shown, _ = self.decode(z)
                    return shown.view(-1)
"""


def _with_model(text: str) -> str:
    return _MODEL.strip("\n") + "\n\n" + text.strip("\n")


test_not_detached = rewrites(
    "TP104",
    {
        "what an operation under no_grad gives, below it": (
            """
            import torch
            def show(x, w):
                with torch.no_grad():
                    y = torch.mm(x, w)
                    best, at = torch.max(y, 1)
                print(y.data.numpy(), best.data.mean(), at.data)
            """,
            """
            import torch
            def show(x, w):
                with torch.no_grad():
                    y = torch.mm(x, w)
                    best, at = torch.max(y, 1)
                print(y.numpy(), best.mean(), at)
            """,
        ),
        "what a module of the project gives": (
            _with_model("""
            def show(z):
                net = Net()
                with torch.no_grad():
                    out = net(z)
                    print(out.data.cpu().numpy())
                print(out.data.mean())
            """),
            _with_model("""
            def show(z):
                net = Net()
                with torch.no_grad():
                    out = net(z)
                    print(out.cpu().numpy())
                print(out.mean())
            """),
        ),
        "what a module gives on one GPU or on several": (
            _with_model("""
            def show(z, several):
                net = Net()
                if several:
                    net = nn.DataParallel(net)
                with torch.no_grad():
                    out = net(z)
                print(out.data[0].numpy())
            """),
            _with_model("""
            def show(z, several):
                net = Net()
                if several:
                    net = nn.DataParallel(net)
                with torch.no_grad():
                    out = net(z)
                print(out[0].numpy())
            """),
        ),
        "what is calculated of a part or a view": (
            """
            import torch
            def show(x, w):
                y = torch.mm(x, w)
                with torch.no_grad():
                    return y.data[0].exp(), y.data.view(-1)[1:].max(0), y.data.t() + 1
            """,
            """
            import torch
            def show(x, w):
                y = torch.mm(x, w)
                with torch.no_grad():
                    return y[0].exp(), y.view(-1)[1:].max(0), y.t() + 1
            """,
        ),
    },
)

test_detached = rewrites(
    "TP104",
    {
        "what may be a parameter": (
            """
            import torch
            def show(x: torch.Tensor):
                with torch.no_grad():
                    y = x.view(-1)
                print(y.data.numpy())
            """,
            """
            import torch
            def show(x: torch.Tensor):
                with torch.no_grad():
                    y = x.view(-1)
                print(y.detach().numpy())
            """,
        ),
        "what has another value on another path": (
            """
            import torch
            def show(x, w):
                y = torch.mm(x, w)
                if quick:
                    with torch.no_grad():
                        y = torch.mm(x, w)
                print(y.data.numpy())
            """,
            """
            import torch
            def show(x, w):
                y = torch.mm(x, w)
                if quick:
                    with torch.no_grad():
                        y = torch.mm(x, w)
                print(y.detach().numpy())
            """,
        ),
        "what gets a graph later": (
            """
            import torch
            def show(x, w):
                with torch.no_grad():
                    y = torch.mm(x, w)
                y[0] = w.sum()
                print(y.data.numpy())
            """,
            """
            import torch
            def show(x, w):
                with torch.no_grad():
                    y = torch.mm(x, w)
                y[0] = w.sum()
                print(y.detach().numpy())
            """,
        ),
        "what becomes a leaf": (
            """
            import torch
            def show(x, w):
                with torch.no_grad():
                    y = torch.mm(x, w)
                y.requires_grad = True
                print(y.data.numpy())
            """,
            """
            import torch
            def show(x, w):
                with torch.no_grad():
                    y = torch.mm(x, w)
                y.requires_grad = True
                print(y.detach().numpy())
            """,
        ),
        "under a switch": (
            """
            import torch
            def show(x, w, flag):
                with torch.set_grad_enabled(flag):
                    y = torch.mm(x, w)
                print(y.data.numpy())
            """,
            """
            import torch
            def show(x, w, flag):
                with torch.set_grad_enabled(flag):
                    y = torch.mm(x, w)
                print(y.detach().numpy())
            """,
        ),
        "what a method of the project hands on": (
            _with_model("""
            def show(z):
                net = Net()
                with torch.no_grad():
                    out, given = net.decode(z)
                print(given.data.mean())
            """),
            _with_model("""
            def show(z):
                net = Net()
                with torch.no_grad():
                    out, given = net.decode(z)
                print(given.detach().mean())
            """),
        ),
        "a view of what was calculated before": (
            """
            import torch
            def show(x, w):
                y = torch.mm(x, w)
                with torch.no_grad():
                    z = y.view(-1)
                print(z.data.numpy())
            """,
            """
            import torch
            def show(x, w):
                y = torch.mm(x, w)
                with torch.no_grad():
                    z = y.view(-1)
                print(z.detach().numpy())
            """,
        ),
        "a view of what was calculated before, that stays": (
            """
            import torch
            def show(x, w):
                y = torch.mm(x, w)
                with torch.no_grad():
                    part = y.data[0]
                    row = y.data.view(-1)
                return row.numpy() + part.numpy()
            """,
            """
            import torch
            def show(x, w):
                y = torch.mm(x, w)
                with torch.no_grad():
                    part = y.detach()[0]
                    row = y.detach().view(-1)
                return row.numpy() + part.numpy()
            """,
        ),
        "what one of two modules may hand on": (
            _with_model("""
            def show(z, several):
                net = Net()
                if several:
                    net = nn.DataParallel(nn.Dropout())
                with torch.no_grad():
                    out = net(z)
                print(out.data[0].numpy())
            """),
            _with_model("""
            def show(z, several):
                net = Net()
                if several:
                    net = nn.DataParallel(nn.Dropout())
                with torch.no_grad():
                    out = net(z)
                print(out.detach()[0].numpy())
            """),
        ),
        "what a function of the project has from elsewhere": (
            """
            import torch
            w = torch.ones(3, requires_grad=True)
            table = torch.exp(w)
            def whole():
                return table
            def show():
                with torch.no_grad():
                    z = whole()
                print(z.data.numpy())
            """,
            """
            import torch
            w = torch.ones(3, requires_grad=True)
            table = torch.exp(w)
            def whole():
                return table
            def show():
                with torch.no_grad():
                    z = whole()
                print(z.detach().numpy())
            """,
        ),
    },
)

test_wrapped = rewrites(
    "TP101",
    {
        "what was calculated under no_grad": (
            """
            import torch
            from torch.autograd import Variable
            def step(x, w, net):
                with torch.no_grad():
                    target = torch.mm(x, w)
                return net(Variable(target))
            """,
            """
            import torch
            def step(x, w, net):
                with torch.no_grad():
                    target = torch.mm(x, w)
                return net(target)
            """,
        ),
        "what is given under no_grad to what calculates": (
            """
            import torch
            from torch import nn
            from torch.autograd import Variable
            net = nn.Linear(3, 3)
            def act(state, key):
                with torch.no_grad():
                    return net(Variable(state)), Variable(key).cpu() * 2
            """,
            """
            import torch
            from torch import nn
            net = nn.Linear(3, 3)
            def act(state, key):
                with torch.no_grad():
                    return net(state), key.cpu() * 2
            """,
        ),
        "what is given under no_grad to what may hand it on": (
            """
            import torch
            from torch import nn
            from torch.autograd import Variable
            net = nn.Dropout()
            def act(state, key, other):
                with torch.no_grad():
                    return net(Variable(state)), Variable(key).cpu(), other(Variable(key))
            """,
            """
            import torch
            from torch import nn
            net = nn.Dropout()
            def act(state, key, other):
                with torch.no_grad():
                    return net(state.detach()), key.detach().cpu(), other(key.detach())
            """,
        ),
        "what is handed on under no_grad": (
            """
            import torch
            from torch.autograd import Variable
            def step(x: torch.Tensor, net):
                with torch.no_grad():
                    target = x.view(-1)
                return net(Variable(target))
            """,
            """
            import torch
            def step(x: torch.Tensor, net):
                with torch.no_grad():
                    target = x.view(-1)
                return net(target.detach())
            """,
        ),
    },
)


_LISTS = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        parts = [self.fc(x)]
        {filled}
        return parts


def show(x):
    net = Net()
    with torch.no_grad():
        parts = net(x)
        print(parts[0].data.numpy())
"""


@pytest.mark.parametrize(
    "filled",
    ["parts.append(self.fc(x))", "parts.append(x + 1)", "print(len(parts))", "parts[0] = x.exp()"],
)
def test_lists_of_what_is_calculated(filled: str) -> None:
    text = _LISTS.format(filled=filled)
    assert migrate(text, "TP104").text == text.replace("].data", "]")


@pytest.mark.parametrize(
    "filled",
    [
        "parts.append(self.fc.weight)",
        "parts[0] = self.fc.weight",
        "parts.insert(0, self.fc.weight)",
        "parts.extend(self.parameters())",
        "fill(parts)",
        "kept = parts",
    ],
)
def test_lists_that_may_hold_something_else(filled: str) -> None:
    text = _LISTS.format(filled=filled)
    assert "print(parts[0].numpy())" not in migrate(text, "TP104").text


_FILLED = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, gpus, twice):
        super().__init__()
        self.gpus = gpus
        self.layers = nn.Sequential()
        {added}

    def forward(self, x):
        if self.gpus > 1:
            return nn.parallel.data_parallel(self.layers, x, range(self.gpus))
        return self.layers(x)


def show(x):
    net = Net(2, True)
    with torch.no_grad():
        made = net(x)
    print(made.data.numpy())
"""


def test_layers_that_are_added() -> None:
    text = _FILLED.format(added='self.layers.add_module("fc", nn.Linear(3, 3))')
    assert migrate(text, "TP104").text == text.replace("made.data", "made")


@pytest.mark.parametrize(
    "added",
    [
        'self.layers.add_module("drop", nn.Dropout())',
        'if twice: self.layers.add_module("fc", nn.Linear(3, 3))',
        'self.others = nn.Sequential(); self.others.add_module("fc", nn.Linear(3, 3))',
    ],
)
def test_layers_that_may_be_none(added: str) -> None:
    text = _FILLED.format(added=added)
    assert "made.detach()" in migrate(text, "TP104").text


_NESTED = """import torch
from torch import nn


class Rows(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.fc = nn.Linear(size, size)

    def forward(self, x):
        rows = x.contiguous().view(-1, self.size)
        made = {made}
        return made.contiguous().transpose(0, 1)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = Rows(4)

    def forward(self, x):
        return self.rows.forward(x)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Layer()

    def forward(self, x):
        made = self.layer(x)
        return made


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder = Decoder()

    def forward(self, x):
        made = self.decoder.forward(x)
        return x, made


def show(x):
    net = nn.DataParallel(Net())
    with torch.no_grad():
        _, made = net.forward(x)
    print(made[0].data.numpy())
"""


def test_modules_in_modules() -> None:
    text = _NESTED.format(made="self.fc(rows).view(4, -1)")
    assert migrate(text, "TP104").text == text.replace("[0].data", "[0]")


@pytest.mark.parametrize("made", ["rows.view(4, -1)", "self.fc.weight.view(4, -1)"])
def test_modules_in_modules_that_hand_on(made: str) -> None:
    text = _NESTED.format(made=made)
    assert "made[0].detach()" in migrate(text, "TP104").text


def test_a_block_that_is_made_beside_an_update() -> None:
    """The loop over the parameters gets a block of its own in the same go."""
    text = """import torch
from torch import nn
from torch.autograd import Variable

net, critic = nn.Linear(3, 3), nn.Linear(3, 1)
for x in loader:
    noise = Variable(torch.randn(4, 3), volatile=True)
    made = torch.cat([net(noise).data, net(noise).data])
    critic(made).sum().backward()
    for p in critic.parameters():
        p.data.clamp_(-1, 1)
"""
    after = migrate(text).text
    assert "with torch.no_grad():" in after
    assert "detach" not in after


_LONG = """import torch
from torch import nn


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        rows = self.fc(x)
        return {rows}.view(-1, 4).t().contiguous().view(4, -1).transpose(0, 1).t().view(-1)[0], x


net = nn.DataParallel(Rows())
look(net(3))
"""


@pytest.mark.parametrize(("rows", "is_new"), [("rows", True), ("x", False)])
def test_views_of_views_are_followed(rows: str, is_new: bool) -> None:
    text = _LONG.format(rows=rows)
    facts = WholeFacts(ast.parse(text), text)
    (look,) = (
        c
        for c in ast.walk(facts.tree.body[-1])
        if isinstance(c, ast.Call) and c.args[0:1] and isinstance(c.args[0], ast.Call)
    )
    assert gives_new(look.args[0], facts, (0,)) is is_new
