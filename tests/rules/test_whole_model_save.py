from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.finding import Numerics

_NET = """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def __init__(self, width=3):
                    super().__init__()
                    self.fc = nn.Linear(width, 1)
                def forward(self, x):
                    return self.fc(x)
"""

test_rewrites = rewrites(
    "TP501",
    {
        "both ends": (
            _NET
            + """
            net = Net(width=4)
            torch.save(net, "net.pkl")
            # later
            other = torch.load("net.pkl")  # entire net
            other(torch.ones(1, 4))
            """,
            _NET
            + """
            net = Net(width=4)
            torch.save(net.state_dict(), "net.pkl")
            # later
            other = Net(width=4)
            other.load_state_dict(torch.load("net.pkl"))  # entire net
            other(torch.ones(1, 4))
            """,
        ),
        "in functions": (
            _NET
            + """
            WIDTH, PATH = 4, "net.pkl"
            SIZE = 4
            def save():
                net = Net(SIZE)
                torch.save(net, PATH + ".pt")
            def load():
                net = torch.load(PATH + ".pt", map_location="cpu", weights_only=False)
                return net
            """,
            _NET
            + """
            WIDTH, PATH = 4, "net.pkl"
            SIZE = 4
            def save():
                net = Net(SIZE)
                torch.save(net.state_dict(), PATH + ".pt")
            def load():
                net = Net(SIZE)
                net.load_state_dict(torch.load(PATH + ".pt", map_location="cpu"))
                return net
            """,
        ),
        "layers over several lines": (
            """
            import torch, torch.nn as nn
            def save():
                net = nn.Sequential(
                    nn.Linear(1, 2),
                    nn.ReLU(),
                )
                torch.save(net, "net.pkl")
            if __name__ == "__main__":
                if True:
                    net = torch.load("net.pkl")
            """,
            """
            import torch, torch.nn as nn
            def save():
                net = nn.Sequential(
                    nn.Linear(1, 2),
                    nn.ReLU(),
                )
                torch.save(net.state_dict(), "net.pkl")
            if __name__ == "__main__":
                if True:
                    net = nn.Sequential(
                        nn.Linear(1, 2),
                        nn.ReLU(),
                    )
                    net.load_state_dict(torch.load("net.pkl"))
            """,
        ),
        "numbers that are calculated": (
            """
            import torch, torch.nn as nn
            net = nn.Conv2d(1 + 2, -1 + 3, (3, 3), [1, 1])
            torch.save(net, "net.pkl")
            net = torch.load("net.pkl")
            """,
            """
            import torch, torch.nn as nn
            net = nn.Conv2d(1 + 2, -1 + 3, (3, 3), [1, 1])
            torch.save(net.state_dict(), "net.pkl")
            net = nn.Conv2d(1 + 2, -1 + 3, (3, 3), [1, 1])
            net.load_state_dict(torch.load("net.pkl"))
            """,
        ),
        "beside another file": (
            _NET
            + """
            net = Net()
            torch.save(net, "net.pkl")
            import os  # noqa: F401
            net = torch.load("net.pkl")
            other = torch.load("other.pkl")
            other(torch.ones(1, 3))
            """,
            _NET
            + """
            net = Net()
            torch.save(net.state_dict(), "net.pkl")
            import os  # noqa: F401
            net = Net()
            net.load_state_dict(torch.load("net.pkl"))
            other = torch.load("other.pkl")
            other(torch.ones(1, 3))
            """,
        ),
        "beside another model in evaluation mode": (
            _NET
            + """
            teacher = nn.Linear(3, 1)
            teacher.eval()
            net = Net()
            torch.save(net, "net.pkl")
            net = torch.load("net.pkl")
            """,
            _NET
            + """
            teacher = nn.Linear(3, 1)
            teacher.eval()
            net = Net()
            torch.save(net.state_dict(), "net.pkl")
            net = Net()
            net.load_state_dict(torch.load("net.pkl"))
            """,
        ),
        "moved where it is built": (
            _NET
            + """
            net = Net().cuda()
            torch.save(obj=net, f="net.pkl")
            net = torch.load("net.pkl")
            """,
            _NET
            + """
            net = Net().cuda()
            torch.save(obj=net.state_dict(), f="net.pkl")
            net = Net().cuda()
            net.load_state_dict(torch.load("net.pkl"))
            """,
        ),
    },
)

test_rewrites_what_nothing_loads = rewrites(
    "TP501",
    {
        "no load": (
            _NET
            + """
            def train(epochs):
                net = Net()
                for epoch in range(epochs):
                    torch.save(net, "net-%d.pt" % epoch)
            """,
            _NET
            + """
            def train(epochs):
                net = Net()
                for epoch in range(epochs):
                    torch.save(net.state_dict(), "net-%d.pt" % epoch)
            """,
        ),
        "loads of other files, and of dicts": (
            _NET
            + """
            net = Net()
            other = torch.load("data.pt")
            print(other.shape)
            net.load_state_dict(torch.load(args.resume))
            net.load_state_dict(torch.load(args.resume)["net"])
            state = torch.load(args.start)
            net.load_state_dict(state["net"])
            print(state["epoch"], state.keys())
            torch.save(net, "net.pt")
            """,
            _NET
            + """
            net = Net()
            other = torch.load("data.pt")
            print(other.shape)
            net.load_state_dict(torch.load(args.resume))
            net.load_state_dict(torch.load(args.resume)["net"])
            state = torch.load(args.start)
            net.load_state_dict(state["net"])
            print(state["epoch"], state.keys())
            torch.save(net.state_dict(), "net.pt")
            """,
        ),
        "a helper whose callers all give models": (
            _NET
            + """
            def keep(model, path):
                torch.save(model, path)
            keep(Net(), "a")
            keep(Net(4), "b")
            """,
            _NET
            + """
            def keep(model, path):
                torch.save(model.state_dict(), path)
            keep(Net(), "a")
            keep(Net(4), "b")
            """,
        ),
    },
)

test_keeps_what_a_state_dict_does_not_say = keeps(
    "TP501",
    {
        "a list that forward appends to": """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.seen = []
                def forward(self, x):
                    self.seen.append(1)
                    return x
            torch.save(Net(), "a")
            """,
    },
)


def test_says_how_to_load_what_nothing_loads() -> None:
    text = textwrap.dedent(_NET) + 'net = Net()\ntorch.save(net, "a.pt")\n'
    (found,) = migrate(text, "TP501").findings
    assert found.fixed and found.numerics is Numerics.CHANGED
    assert found.message.endswith(
        'build the model the same way, and net.load_state_dict(torch.load("a.pt"))'
    )
    safe = Options(numerics=frozenset(Numerics) - {Numerics.CHANGED})
    assert migrate(text, "TP501", options=safe).text == text


test_followed_by_load_defaults = rewrites(
    "TP501",
    {
        "no weights_only=False is left on a state dict": (
            _NET
            + """
            net = Net()
            torch.save(net, "net.pkl")
            other = torch.load("net.pkl")
            other(torch.ones(1, 3))
            """,
            _NET
            + """
            net = Net()
            torch.save(net.state_dict(), "net.pkl")
            other = Net()
            other.load_state_dict(torch.load("net.pkl"))
            other(torch.ones(1, 3))
            """,
        )
    },
    with_rules=("TP502",),
)

_KEPT = {
    "two names": 'net = Net()\ntorch.save(net, "a")\nx = y = torch.load("a")',
    "mode of who knows what": 'net = Net()\nthing.eval()\ntorch.save(net, "a")\n'
    'y = torch.load("a")\ny(torch.ones(1, 3))',
    "lines further left than their statement": "if a:\n    net = Net(\n  3)\n"
    '    torch.save(net, "a")\n    y = torch.load("a")',
    "beside a load that gives it back": "net = Net()\ntorch.save(net, path)\n"
    "def load(file):\n    return torch.load(file)",
    "beside a load that may be of it": "net = Net()\ntorch.save(net, path)\nother = torch.load(file)\n"
    "print(other)",
    "beside a load that goes on as anything": "net = Net()\ntorch.save(net, path)\n"
    'other = torch.load(file)\nprint(other["net"])\nkept.append(other)',
    "beside a load of the same that is not used": 'net = Net()\ntorch.save(net, "b/a")\n'
    'other = torch.load("a")',
    "of a class that is not known": 'net = build()\ntorch.save(net, "a")\nnet.zero_grad()',
    "of a script": 'net = torch.jit.script(Net())\ntorch.save(net, "a")',
    "nothing loads it, but it is saved both ways": 'net = Net()\ntorch.save(net, "a")\n'
    'torch.save(net.state_dict(), "b")',
    "state dict": 'net = Net()\ntorch.save(net.state_dict(), "a")\nx = torch.load("a")',
    "dict": 'net = Net()\ntorch.save({"net": net}, "a")\nx = torch.load("a")',
    "unknown object": 'def f(net):\n    torch.save(net, "a")\n    y = torch.load("a")',
    "load that is no assignment": 'net = Net()\ntorch.save(net, "a")\nrun(torch.load("a"))',
    "layer replaced": 'net = Net()\nnet.fc = nn.Linear(3, 2)\ntorch.save(net, "a")\n'
    'y = torch.load("a")',
    "moved by a statement": 'net = Net()\nnet.cuda()\ntorch.save(net, "a")\ny = torch.load("a")',
    "given to a function of another file": "from lib import prepare\nnet = Net()\nprepare(net)\n"
    'torch.save(net, "a")\ny = torch.load("a")',
    "argument that changes": 'w = 3\nnet = Net(w)\nw = 4\ntorch.save(net, "a")\n'
    'y = torch.load("a")',
    "mode that is lost": 'net = Net()\nnet.eval()\ntorch.save(net, "a")\ny = torch.load("a")\n'
    "y(torch.ones(1, 3))",
    "two models": 'net = Net()\nsecond = Net(4)\ntorch.save(net, "a")\ntorch.save(second, "a")\n'
    'y = torch.load("a")',
    "suppressed load": 'net = Net()\ntorch.save(net, "a")\ny = torch.load("a")  # noqa: TP501',
    "suppressed save of several lines": 'net = Net()\ntorch.save(\n    net,\n    "a",\n)  # noqa: TP501\n'
    'y = torch.load("a")',
    "two statements on a line": 'net = Net()\ntorch.save(net, "a")\ny = torch.load("a"); y.fc',
    "other path that may be the same file": 'net = Net()\ntorch.save(net, "a")\n'
    'y = torch.load("a")\nz = torch.load(path)\nz(1)',
    "read through an open file that another model was written to": "net = Net()\n"
    'with open("a", "wb") as f:\n    torch.save(net, f)\n'
    'torch.save(Net(4), "a")\nwith open("a", "rb") as f:\n    y = torch.load(f)',
    "own save function": 'def save(a, b):\n    return a\nnet = Net()\nsave(net, "a")\n'
    'y = torch.load("a")',
}

test_keeps = keeps(
    "TP501",
    {
        name: _NET + "\n".join(" " * 12 + line for line in code.splitlines()) + "\n"
        for name, code in _KEPT.items()
    },
)

_CHANGES_INSIDE = (
    "self.history.append(x)",
    "self.history.extend([x])",
    "self.history += [x]",
    "self.history[0] = x",
    "self.history[0].append(x)",
    "del self.history[0]",
    "self.table['a'] = 1",
    "self.table['a'] += 1",
    "self.table.update(a=1)",
    "self.names.add(x)",
    "h = self.history; h.append(x)",
    "self.log.note(x)",
    "self.log.last = x",
    "note(self.log)",
)

_CHANGES_OUTSIDE = (
    "net.fc.weight.requires_grad = False",
    "for p in net.parameters(): p.requires_grad = False",
    "net.fc.requires_grad_(False)",
    "for p in net.parameters(): p.requires_grad_(False)",
    "net.history.append(1)",
    "net.table['a'] = 1",
    "net.table['a'].b = 1",
    "net.blocks[0] = nn.Linear(2, 2)",
    "net.fc.half()",
    "net.fc.register_forward_hook(print)",
    "net.blocks.append(nn.Linear(2, 2))",
    "nn.utils.weight_norm(net.fc)",
    "layer = net.fc; layer.half()",
    "for m in net.modules(): m.inplace = True",
    "net.fc.register_buffer('x', torch.ones(1))",
    "net.fc = other",
    "change(model=net.fc)",
    "change(net)",
    "kept = net.fc",
    "kept = [net]",
)

_STATELESS = """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(1, 1)
                    self.blocks = nn.ModuleList([nn.Linear(1, 1)])
                    self.table = {}
                    self.history = []
                def forward(self, x):
                    if len(self.history) > 3 and self.table["a"]:
                        print(self.history[0], self.fc.weight)
                    return self.fc(x)
            net = Net()
            CHANGE
            torch.save(net, "a")
            y = torch.load("a")
            """

_HARMLESS = (
    "net.fc.weight.data.fill_(1)",
    "nn.init.zeros_(net.fc.weight)",
    "net.fc.weight.data = torch.ones(1, 1)",
    "print(net.fc, net.history, len(net.table))",
    "torch.optim.SGD(net.fc.parameters(), 0.1)",
    "net.zero_grad()",
    "net(torch.ones(1, 1))",
    "print(net)",
    "print(net.fc.weight[0].data)",
    "train(model=net.fc.weight)",
    "weight = net.fc.weight",
    "if net.fc.bias is None: pass",
)

test_rewrites_what_only_parameters_change = rewrites(
    "TP501",
    {
        change: (
            _STATELESS.replace("CHANGE", change),
            _STATELESS.replace("CHANGE", change)
            .replace("torch.save(net,", "torch.save(net.state_dict(),")
            .replace(
                'y = torch.load("a")', 'y = Net()\n            y.load_state_dict(torch.load("a"))'
            ),
        )
        for change in _HARMLESS
    },
)

test_keeps_stateful = keeps(
    "TP501",
    {
        "module that remembers in forward": """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def forward(self, x):
                    self.seen = x
                    return x
            net = Net()
            torch.save(net, "a")
            y = torch.load("a")
            """,
        **{
            f"model with a part changed: {change}": f"""
            import torch, torch.nn as nn
            class Log:
                def note(self, x):
                    self.last = x
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(1, 1)
                    self.seen, self.kinds = [], {{}}
                    self.table = dict()
                    self.history = []
                    self.log = Log()
                    self.names = set()
                def forward(self, x):
                    if len(self.history) > 3 and self.table["a"]:
                        print(self.history[0], self.fc.weight)
                    {change}
                    return self.fc(x)
            net = Net()
            torch.save(net, "a")
            y = torch.load("a")
            """
            for change in _CHANGES_INSIDE
        },
        **{
            f"model changed from outside: {change}": _STATELESS.replace("CHANGE", change)
            for change in _CHANGES_OUTSIDE
        },
        "layers in a list that registers none": """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layers = [nn.Linear(1, 1)]
            net = Net()
            torch.save(net, "a")
            y = torch.load("a")
            """,
        "attribute that another method sets": """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def grow(self):
                    self.fc = nn.Linear(1, 1)
            net = Net()
            torch.save(net, "a")
            y = torch.load("a")
            """,
        "tensor that is no buffer": """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.noise = torch.randn(3)
            net = Net()
            torch.save(net, "a")
            y = torch.load("a")
            """,
    },
)


@pytest.mark.parametrize("wrap", ["pass", "net = nn.DataParallel(net)"])
def test_says_what_a_pickled_model_needs(wrap: str) -> None:
    (found,) = advice(
        "TP501",
        f"""
        import torch, torch.nn as nn
        class Net(nn.Linear):
            pass
        net = Net(2, 1)
        net.cuda()
        {wrap}
        torch.save(net, "a")
        show(torch.load(path))
        """,
    )
    assert found.line == 7
    assert found.message == (
        "torch.load needs weights_only=False for the pickled model since torch 2.6, and, as before, "
        "its class by the same module and name; a file of net.state_dict() loads without either"
    )


def test_a_model_in_memory_loads_with_the_source_it_was_saved_with() -> None:
    text = """
        import io
        import torch, torch.nn as nn
        net = nn.Linear(2, 1)
        net.cuda()
        file = io.BytesIO()
        torch.save(net, file)
        """
    assert not advice("TP501", text)
    assert not advice("TP501", text.replace(", file", ", io.BytesIO()"))
    to_disk = textwrap.dedent(text.replace("io.BytesIO()", 'open("net.pt", "wb")'))
    assert "torch.save(net.state_dict(), file)" in migrate(to_disk, "TP501").text


def test_a_model_that_is_saved_both_ways_is_pickled_on_purpose() -> None:
    text = textwrap.dedent(
        """
        import torch, torch.nn as nn
        net = nn.Linear(2, 1)
        torch.save(net, "net.pt")  # all of it
        torch.save({saved}.state_dict(), "weights.pt")
        net = torch.load("net.pt")
        """
    )
    both = text.format(saved="net")
    assert migrate(both, "TP501").text == both
    assert not advice("TP501", both)
    assert not advice("TP501", both.replace('net = torch.load("net.pt")\n', ""))
    elsewhere = 'def keep(net):\n    torch.save(net.state_dict(), "weights.pt")\n'
    for other in (
        both.replace("net.state_dict()", "other.state_dict()"),
        both.replace('torch.save(net.state_dict(), "weights.pt")\n', elsewhere),
    ):
        assert 'torch.save(net.state_dict(), "net.pt")' in migrate(other, "TP501").text


@pytest.mark.parametrize(
    ("lines", "is_both"),
    [
        ("state = net.state_dict()", True),
        ("state = convert()\nnet.load_state_dict(state)", True),
        ("state = convert()\nother.load_state_dict(state)", False),
        ("state = convert()\nnet.load_state_dict(state)\nstate = convert()", False),
        ("state = other.state_dict()", False),
        ("state = convert()", False),
    ],
)
def test_the_state_dict_that_is_saved_as_well_may_have_a_name(lines: str, is_both: bool) -> None:
    text = (
        "import torch, torch.nn as nn\nnet = nn.Linear(2, 1)\nother = nn.Linear(2, 1)\n"
        f'{lines}\ntorch.save(net, "net.pt")\ntorch.save(state, "weights.pt")\n'
    )
    assert ('torch.save(net, "net.pt")' in migrate(text, "TP501").text) is is_both
    assert not is_both or not advice("TP501", text)


_STATEFUL = """
import torch, torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []
    def forward(self, x):
        self.seen.append(1)
        return x
net = Net()
def one(path):
    torch.save(net, path)
def two(path):
    torch.save(net, path)
"""


@pytest.mark.parametrize(
    "more",
    [
        "",
        "kept = torch.load(where)\nprint(kept)\n",
        "other = nn.Linear(1, 1)\nother.load_state_dict(torch.load(where))\n",
        "torch.save(net.state_dict(), where)\n",
    ],
)
def test_what_a_pickled_model_needs_is_said_once_a_file(more: str) -> None:
    (found,) = advice("TP501", _STATEFUL + more)
    assert found.line == 11
    assert found.message.endswith("the same module and name, here and in line 13")


def test_of_places_that_never_run_another_speaks_for_none() -> None:
    never = "def three(path):\n    return\n    torch.save(net, path)\n"
    (found,) = advice("TP501", _STATEFUL + never)
    assert found.message.endswith("the same module and name, here and in line 13")
    (found,) = advice("TP501", _STATEFUL.replace("one(path):\n", "one(path):\n    return\n"))
    assert found.line == 14
    assert found.message.endswith("the same module and name")


@pytest.mark.parametrize(
    "more",
    [
        "kept = torch.load(where)\nkept.eval()\n",
        "kept = torch.load(where, weights_only=False)\nprint(kept)\n",
        "kept = torch.load(where)\nkept.eval()\nprint(torch.load(other))\n",
    ],
)
def test_nothing_is_to_do_where_what_loads_the_model_gets_the_argument(more: str) -> None:
    assert not advice("TP501", _STATEFUL + more)


@pytest.mark.parametrize("made", ["nn.Embedding(9, 2)", "Words()", "nn.Sequential(Words())"])
@pytest.mark.parametrize(("use", "is_told"), [("words.eval()", False), ("show(words)", True)])
def test_a_model_whose_load_gets_the_argument_is_not_told(
    made: str, use: str, is_told: bool
) -> None:
    text = f"""
    import torch, torch.nn as nn

    class Words(nn.Module):
        pass

    words = {made}
    def save(folder, epoch):
        torch.save(words, folder + str(epoch))
    def load(folder, number):
        words = torch.load(folder + number)
        {use}
        return words
    """
    assert bool(advice("TP501", text)) is is_told


def test_a_load_of_the_same_file_that_does_not_get_the_argument_is_left() -> None:
    saved = _STATEFUL + 'torch.save(net, "net.pt")\ntorch.save(net.state_dict(), "w.pt")\n'
    load = "import os\nkept = torch.load(os.path.join(where, 'net.pt'), pickle_module=dill)\n"
    assert [f.line for f in advice("TP501", saved + load)] == [11]
    quiet = saved[: saved.index("def one")] + saved[saved.index('torch.save(net, "net') :]
    assert [f.line for f in advice("TP501", quiet + load)] == [10]
    assert not advice("TP501", quiet)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("", "nothing in the project loads the pickled model: what does needs weights_only=False"),
        ("show(torch.load(path))\n", "torch.load needs weights_only=False for the pickled model"),
    ],
)
def test_what_nothing_loads_is_told_so(more: str, said: str) -> None:
    (found,) = advice("TP501", _STATEFUL + more)
    assert found.message.startswith(said)


@pytest.mark.parametrize(
    ("opened", "is_other"),
    [
        ("'data/labels.pt'", True),
        ("'data/{}/labels.pt'.format(size)", True),
        ("'data/{}.pt'.format(size)", False),
        ("'data/' + size", False),
        ("'data/net.pt'", False),
    ],
)
def test_a_file_that_is_opened_by_another_name_is_not_the_model(
    opened: str, is_other: bool
) -> None:
    text = _STATEFUL[: _STATEFUL.index("def one")]
    text += "import os\ntorch.save(net, os.path.join(where, 'net.pt'))\n"
    text += f"with open({opened}, 'rb') as f:\n    show(torch.load(f))\n"
    (found,) = advice("TP501", text)
    assert found.message.startswith("nothing in the project loads") is is_other
