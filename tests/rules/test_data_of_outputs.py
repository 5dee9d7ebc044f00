"""``.data`` of what a module gives whose class is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_OUTPUT = """\
import torch
def evaluate(net, loader, values):
    net.eval()
    outs = []
    with torch.no_grad():
        for x in loader:
            {0}
    return torch.cat(outs)
"""


def _output(body: str) -> str:
    return _OUTPUT.format(body.replace("\n", "\n" + " " * 12))


test_outputs = rewrites(
    "TP104",
    {
        "what a module gives that is evaluated": (
            _output("out = net(x)\nouts.append(out.data.cpu())\nprint(out.data.cpu().numpy())"),
            _output("out = net(x)\nouts.append(out.cpu())\nprint(out.cpu().numpy())"),
        ),
        "at once": (
            _output("print(torch.max(net(x).data, 1))"),
            _output("print(torch.max(net(x), 1))"),
        ),
        "a part, and what is calculated with it": (
            _output("out = net(x)[0]\nout = out * values\nprint(torch.max(out.data, 1))"),
            _output("out = net(x)[0]\nout = out * values\nprint(torch.max(out, 1))"),
        ),
        "of a module that is an attribute": (
            """
            import torch
            class Agent:
                def act(self, x):
                    self.net.eval()
                    with torch.no_grad():
                        out = self.net(x)
                    return out.data.max(1)[1]
            """,
            """
            import torch
            class Agent:
                def act(self, x):
                    self.net.eval()
                    with torch.no_grad():
                        out = self.net(x)
                    return out.max(1)[1]
            """,
        ),
        "it may have a graph where gradients are on": (
            """
            import torch
            def evaluate(net, x):
                net.train()
                out = net(x)
                return out.data.cpu().numpy()
            """,
            """
            import torch
            def evaluate(net, x):
                net.train()
                out = net(x)
                return out.detach().cpu().numpy()
            """,
        ),
        "an attribute data of a module, or of a data set, is given by no module": (
            """
            import torch
            class Images(torch.utils.data.Dataset):
                def __init__(self, data):
                    self.data = data
                def __getitem__(self, i):
                    return self.data[i]
            def evaluate(net, x):
                net.eval()
                return torch.max(net(x).data, 1)[1]
            """,
            """
            import torch
            class Images(torch.utils.data.Dataset):
                def __init__(self, data):
                    self.data = data
                def __getitem__(self, i):
                    return self.data[i]
            def evaluate(net, x):
                net.eval()
                return torch.max(net(x), 1)[1]
            """,
        ),
    },
)

test_outputs_left = keeps(
    "TP104",
    {
        "what is called may be any function": """
            import torch
            def evaluate(net, x):
                with torch.no_grad():
                    out = net(x)
                    return torch.max(out.data, 1)
            """,
        "another one of that name is evaluated": """
            import torch
            def evaluate(net, other, x):
                net.eval()
                net = other
                with torch.no_grad():
                    out = net(x)
                    return torch.max(out.data, 1)
            """,
        "a class of the project evaluates": """
            import torch
            class Player:
                def eval(self):
                    return 1
                def __call__(self, x):
                    return Image(x)
            def evaluate(net, x):
                net.eval()
                with torch.no_grad():
                    return torch.max(net(x).data, 1)
            """,
        "what is packed has data": """
            import torch
            from torch.nn.utils.rnn import pack_padded_sequence
            def evaluate(net, x, lengths):
                net.eval()
                with torch.no_grad():
                    out = net(pack_padded_sequence(x, lengths))
                    return torch.max(out.data, 1)
            """,
        "what a class holds under that name": """
            import torch
            class Result:
                def __init__(self, data):
                    self.data = data
            def evaluate(net, x):
                net.eval()
                with torch.no_grad():
                    out = net(x)
                    return torch.max(out.data, 1)
            """,
        "what another binding gives": """
            import torch
            def evaluate(net, x, y):
                net.eval()
                with torch.no_grad():
                    out = net(x)
                    if y:
                        out = y.read()
                    return torch.max(out.data, 1)
            """,
        "what a class of the project marks is left whole": """
            import torch
            class Variable(torch.autograd.Variable):
                pass
            def evaluate(net, x):
                net.eval()
                return net(Variable(x, volatile=True)).data.max(1)[1].cpu()
            """,
        "what a method of the module gives": """
            import torch
            def evaluate(net, x):
                net.eval()
                with torch.no_grad():
                    out = net.sample(x)
                    return torch.max(out.data, 1)
            """,
    },
)


@pytest.mark.parametrize(
    ("more", "call"),
    [
        ("class Scale(torch.nn.Module):\n    w = torch.nn.Parameter(torch.ones(3))", "net(x)"),
        ("def train(net, x):\n    with torch.enable_grad():\n        return net(x)", "net(x)"),
        ("", "net()"),
        ("", "net(x)[1]"),
    ],
)
def test_what_may_require_gradients_is_detached_from_nothing(more: str, call: str) -> None:
    """A parameter that a module hands on as it is has to lose what it requires."""
    text = _output(f"out = {call}\nprint(out.data.cpu().numpy())") + more + "\n"
    migration = migrate(text, "TP104")
    assert "out.cpu()" not in migration.text


@pytest.mark.parametrize(
    "more", ["values.append(out)", "values.last = out", "values.keep(out.data)"]
)
def test_an_output_that_is_kept_by_another_name_keeps_data(more: str) -> None:
    """A graph may hold it later, and notice what is written into the memory."""
    text = _output(f"out = net(x)\nouts.append(out.data.cpu())\n{more}")
    assert migrate(text, "TP104").text == text


def test_an_output_that_is_read_where_gradients_are_on_keeps_data() -> None:
    """What is written into the memory would be noticed by the graph that holds it."""
    text = """import torch
def f(net, x, w: torch.Tensor):
    net.eval()
    with torch.no_grad():
        out = net(x)
        low = out.data.cpu()
        low.mul_(2)
    return w * out
"""
    assert migrate(text, "TP104").text == text


@pytest.mark.parametrize(
    ("other", "is_tensor"),
    [
        ("class Images:\n    def __getitem__(self, i):\n        return self.data[i]\n", True),
        ("class Kept:\n    def __init__(self, data):\n        self.data = data\n", False),
        ("class Kept:\n    def data(self):\n        return 1\n", False),
        ("from torch.nn.utils.rnn import pack_sequence\n", False),
        ("class Loader:\n    def train(self):\n        return 1\n", True),
        ("class Loader:\n    def eval(self):\n        return 1\n", False),
    ],
)
def test_what_another_file_of_the_project_has(tmp_path: Path, other: str, is_tensor: bool) -> None:
    text = _output("out = net(x)\nprint(torch.max(out.data, 1))")
    (tmp_path / "other.py").write_text(other)
    path = tmp_path / "test_net.py"
    path.write_text(text)
    result = migrate_file(path, Settings(select=("TP104",)), write=False)
    assert (result.after or text) == (text.replace("out.data", "out") if is_tensor else text)


@pytest.mark.parametrize(
    ("read", "other", "after"),
    [
        ("out.squeeze().data.div(2)", "", "out.squeeze().div(2)"),
        ("out.max(1)[1].data.tolist()", "", "out.max(1)[1].tolist()"),
        # Nothing that has data of its own has such a method.
        ("out.squeeze().data.div(2)", "import os\n", "out.squeeze().div(2)"),
        ("out.cpu().data.div(2)", "from torch.nn.utils.rnn import pack_sequence\n", None),
        ("out.squeeze().data.div(2)", "class Kept:\n    def squeeze(self):\n        pass\n", None),
        ("out.squeezed().data.div(2)", "", None),
        ("out.cpu().numpy().data", "", None),
        ("out.numpy().squeeze().data", "", None),
    ],
)
def test_what_tensors_make_of_an_output_is_a_tensor(
    tmp_path: Path, read: str, other: str, after: str | None
) -> None:
    text = _output(f"out, _ = net(x)\nprint({read})")
    kept = "class Old:\n    def __init__(self, data):\n        self.data = data\n"
    (tmp_path / "other.py").write_text(f"{other}{kept}" if other else "")
    path = tmp_path / "test_net.py"
    path.write_text(text)
    result = migrate_file(path, Settings(select=("TP104",)), write=False)
    assert (result.after or text) == text.replace(read, after or read)


_GENERATED = """\
import torch
words, head = torch.nn.Embedding(5, 4), torch.nn.Linear(4, 5)
def generate(n, other):
    word = torch.zeros(1).long()
    with torch.no_grad():
        for i in range(n):
            best = head(words(word)).argmax(1)[0]
            word{}.fill_(best)
    {}
"""


@pytest.mark.parametrize(
    ("read", "is_plain"),
    [("print(i)", True), ("return words(word)", False), ("other.keep(word)", False)],
)
def test_whole_numbers_that_are_written_where_gradients_are_off(read: str, is_plain: bool) -> None:
    text = _GENERATED.format(".data", read)
    after = _GENERATED.format("", read) if is_plain else text
    assert migrate(text, "TP104").text == after


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ("y_true, net(x)", "loss.cpu().detach().numpy()"),
        ("net(x), y_true", "loss.cpu().detach().numpy()"),
        ("y_true, x", "loss.cpu().numpy()"),
    ],
)
def test_a_loss_whose_second_argument_has_the_graph(given: str, after: str) -> None:
    text = f"""\
import torch
import torch.nn.functional as F
net = torch.nn.Linear(2, 2)
def loss_of(n):
    x = torch.ones(n, 2)
    y_true = net(x).detach() * 0.9
    loss = F.smooth_l1_loss({given})
    return loss.cpu().data.numpy()
"""
    expected = text.replace("loss.cpu().data.numpy()", after)
    assert migrate(text, "TP104").text == expected
