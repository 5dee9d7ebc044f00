from __future__ import annotations

import textwrap

import pytest

from tests.documents.books import notebook, written
from tests.support.alone import ALONE
from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.runs.runner import migrate_bytes
from torchfix_codemods.settings.config import Settings

test_rewrites = rewrites(
    "TP207",
    {
        "cuda, cpu and to": (
            """
            import torch
            x = torch.ones(2)
            x.cuda()  # to the GPU
            x.cuda(0, non_blocking=True)
            x.to(device)
            x.to("cuda",
                 torch.half)
            x.cpu()
            print(x)
            """,
            """
            import torch
            x = torch.ones(2)
            x = x.cuda()  # to the GPU
            x = x.cuda(0, non_blocking=True)
            x = x.to(device)
            x = x.to("cuda",
                     torch.half)
            x = x.cpu()
            print(x)
            """,
        ),
        "batches of a loader": (
            """
            import torch
            def train(model, dataset):
                for i, (data, target) in enumerate(torch.utils.data.DataLoader(dataset)):
                    if torch.cuda.is_available():
                        data.cuda()
                        target.cuda()
                    loss = torch.nn.functional.nll_loss(model(data), target)
            """,
            """
            import torch
            def train(model, dataset):
                for i, (data, target) in enumerate(torch.utils.data.DataLoader(dataset)):
                    if torch.cuda.is_available():
                        data = data.cuda()
                        target = target.cuda()
                    loss = torch.nn.functional.nll_loss(model(data), target)
            """,
        ),
        "a parameter of a function": (
            """
            import torch
            def forward(x, weight):
                x.cuda()
                return x.unsqueeze(0) + weight
            """,
            """
            import torch
            def forward(x, weight):
                x = x.cuda()
                return x.unsqueeze(0) + weight
            """,
        ),
        "written to, but nobody else's": (
            """
            import torch
            mask = torch.zeros(2, 3) * 2
            mask[0] = 1
            mask.cuda()
            mask[1] = 2
            mask.add_(1)
            """,
            """
            import torch
            mask = torch.zeros(2, 3) * 2
            mask[0] = 1
            mask = mask.cuda()
            mask[1] = 2
            mask.add_(1)
            """,
        ),
        "written to before": (
            """
            import torch
            def f(x):
                x.unsqueeze_(0)
                x.cuda()
                return model(x)
            """,
            """
            import torch
            def f(x):
                x.unsqueeze_(0)
                x = x.cuda()
                return model(x)
            """,
        ),
        "in a loop that goes on with it": (
            """
            import torch
            hidden = torch.zeros(2)
            while True:
                hidden.cuda()
                run(hidden)
            """,
            """
            import torch
            hidden = torch.zeros(2)
            while True:
                hidden = hidden.cuda()
                run(hidden)
            """,
        ),
        "what has a graph": (
            """
            import torch
            def f(x):
                y = torch.nn.Linear(2, 3)(x)
                y.cpu()
                return torch.cat([y, y]) * 2
            """,
            """
            import torch
            def f(x):
                y = torch.nn.Linear(2, 3)(x)
                y = y.cpu()
                return torch.cat([y, y]) * 2
            """,
        ),
        "read by a function inside": (
            """
            import torch
            x = torch.ones(2)
            def f():
                return x + 1
            x.cuda()
            """,
            """
            import torch
            x = torch.ones(2)
            def f():
                return x + 1
            x = x.cuda()
            """,
        ),
        "attributes": (
            """
            import torch
            class Storage(object):
                def __init__(self, n):
                    self.rewards = torch.zeros(n)
                    self.masks = torch.ones(n)
                def cuda(self):
                    self.rewards.cuda()
                    self.masks.cuda()
            """,
            """
            import torch
            class Storage(object):
                def __init__(self, n):
                    self.rewards = torch.zeros(n)
                    self.masks = torch.ones(n)
                def cuda(self):
                    self.rewards = self.rewards.cuda()
                    self.masks = self.masks.cuda()
            """,
        ),
        "items": (
            """
            import torch
            batch = {"x": torch.ones(2), "y": torch.ones(2)}
            batch["x"].cuda()
            pair = [torch.ones(2), torch.ones(3)]
            pair[0].cuda()
            for i in range(2):
                pair[i].cuda()
            for sample in torch.utils.data.DataLoader(dataset):
                sample["image"].cuda()
            """,
            """
            import torch
            batch = {"x": torch.ones(2), "y": torch.ones(2)}
            batch["x"] = batch["x"].cuda()
            pair = [torch.ones(2), torch.ones(3)]
            pair[0] = pair[0].cuda()
            for i in range(2):
                pair[i] = pair[i].cuda()
            for sample in torch.utils.data.DataLoader(dataset):
                sample["image"] = sample["image"].cuda()
            """,
        ),
        "a packed sequence": (
            """
            from torch.nn.utils.rnn import pack_padded_sequence
            packed = pack_padded_sequence(x, lengths)
            packed.cuda()
            rnn(packed)
            """,
            """
            from torch.nn.utils.rnn import pack_padded_sequence
            packed = pack_padded_sequence(x, lengths)
            packed = packed.cuda()
            rnn(packed)
            """,
        ),
    },
)

test_with_the_device_of_the_file = rewrites(
    "TP207",
    {
        "one statement, two rules": (
            """
            import torch
            x = torch.rand(2)
            x.cuda()
            print(x)
            """,
            """
            import torch

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            x = torch.rand(2)
            x = x.to(device)
            print(x)
            """,
        ),
        "under its guard": (
            """
            import torch
            use_cuda = torch.cuda.is_available()
            def f(dataset, model):
                for data, target in torch.utils.data.DataLoader(dataset):
                    if use_cuda:
                        data.cuda()
                        target.cuda()
                    model(data, target)
            """,
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(dataset, model):
                for data, target in torch.utils.data.DataLoader(dataset):
                    data = data.to(device)
                    target = target.to(device)
                    model(data, target)
            """,
        ),
    },
    with_rules=("TP201", "TP202"),
)

test_keeps = keeps(
    "TP207",
    {
        "filled in place up to a number": """
            import torch
            def f(x, is_even):
                noise = torch.empty(2)
                if is_even:
                    noise.uniform_(0, to=1)
                else:
                    noise.uniform_(-1, to=1)
                alpha = torch.empty(2)
                alpha.uniform_(0, to=1)
                return noise * alpha
            """,
        "modules": """
            import torch.nn as nn
            model = nn.Linear(2, 3)
            model.cuda()
            model.to(device)
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(2, 3)
                    self.fc.cuda()
                    self.cuda()
            criterion = nn.CrossEntropyLoss()
            criterion.cuda()
            """,
        "unknown": """
            import torch
            def f(x, batch):
                x.cuda()
                batch.to(device)
                batch[0].cuda()
                batch.text.cuda()
                return x
            """,
        "a loss that may be an object of its own": """
            import torch
            from losses import Perplexity
            loss = Perplexity()
            loss.cuda()
            loss.eval_batch(output, target)
            loss.backward()
            """,
        "a batch, which may be of a class of its own": """
            import torch
            for batch in torch.utils.data.DataLoader(dataset):
                batch.cuda()
                model(batch)
            """,
        "objects of a class with such a method": """
            import torch
            class Storage:
                def __init__(self):
                    self.x = torch.ones(2)
                def cuda(self):
                    self.x = self.x.cuda()
            storage = Storage()
            storage.cuda()
            """,
        "functions of torch.cuda": """
            import torch
            torch.cuda.synchronize()
            """,
        "already assigned": """
            import torch
            x = torch.ones(2)
            x = x.cuda()
            y = x.to(device)
            print(x.cuda(), y)
            """,
        "not moved by a name": """
            import torch
            torch.zeros(1).cuda()
            torch.zeros(1).cuda().to(device)
            (torch.zeros(1) + 1).cpu()
            """,
        "other methods without effect": """
            import torch
            x = torch.ones(2)
            x.float()
            x.view(1, 2)
            print(x)
            """,
        "a trial": """
            import pytest
            import torch
            x = torch.ones(2)
            try:
                x.cuda()
            except RuntimeError:
                cuda = False
            with pytest.raises(AssertionError):
                x.cuda()
            print(x)
            """,
        "timed in a loop": """
            import time
            import torch
            x = torch.ones(2)
            start = time.time()
            for i in range(100):
                x.cuda()
            print(time.time() - start, x)
            """,
        "suppressed": """
            import torch
            x = torch.ones(2)
            x.cuda()  # noqa: TP207
            print(x)
            """,
        "shares its line": """
            import torch
            x = torch.ones(2)
            if use_cuda: x.cuda()
            x.cuda(); print(x)
            """,
        "a property": """
            import torch
            class Batch:
                @property
                def x(self):
                    return torch.ones(2)
                def move(self):
                    self.x.cuda()
            """,
    },
)


def test_new_with_options_makes_no_tensor() -> None:
    text = "import torch\ndef f(x, device):\n    x = x.new({})\n    x.to(device)\n    return x\n"
    assert migrate(text.format("num_workers=0"), "TP207").text == text.format("num_workers=0")
    assert "x = x.to(device)" in migrate(text.format("2, 3"), "TP207").text


def test_what_is_frozen_may_be_a_module() -> None:
    text = "import torch\ndef f(m, device):\n    m.requires_grad_(False)\n    m.to(device)\n"
    assert not advice("TP207", text)
    assert advice("TP207", text.replace("m.requires_grad_(False)", "m.unsqueeze(0)"))


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (
            "x = torch.ones(2)\ndef f():\n    x.cuda()\n    return x + 1",
            "write x = x.cuda() where x is made",
        ),
        (
            "x = torch.ones(2)\ndef f():\n    global x\n    x.cuda()\n    return x + 1",
            "write x = x.cuda() where x is made",
        ),
        (
            "def f():\n    x = torch.ones(2)\n    def g():\n        x.cuda()\n        return x + 1",
            "write x = x.cuda() where x is made",
        ),
        (
            "class A:\n    x = torch.ones(2)\n    x.cuda()\n    y = x + 1",
            "write x = x.cuda() where x is made",
        ),
        (
            "xs = [torch.ones(2)]\nfor x in xs:\n    x.cuda()",
            "write xs = [x.cuda() for x in xs] for the loop",
        ),
        ("x = torch.ones(2)\nprint(x)\nx.cuda()", "write x = x.cuda() before x is used"),
        (
            "for p in torch.nn.Linear(2, 3).parameters():\n    p.cuda()\n    print(p)",
            "drop the line, as the parameter moves with its module",
        ),
        (
            "w = torch.ones(2, requires_grad=True)\nw.cuda()\nloss = f(w)",
            "write w = w.cuda() where w is made, before it requires grad",
        ),
        (
            "w = torch.autograd.Variable(x, requires_grad=True)\nw.cuda()\nf(w)\nprint(w.grad)",
            "before it requires grad",
        ),
        (
            "def f(w):\n    w.cuda()\n    w.unsqueeze(0)\n    return torch.optim.SGD([w], 0.1)",
            "before it requires grad",
        ),
        (
            "def f(w):\n    params = [w]\n    w.cuda()\n    return w.unsqueeze(0)",
            "before it requires grad",
        ),
        (
            "def f(w):\n    w.cuda()\n    w.unsqueeze(0).sum().backward()\n    return w.grad",
            "before it requires grad",
        ),
        (
            "def f(w):\n    w.cuda()\n    return torch.autograd.grad(w.unsqueeze(0).sum(), w)",
            "before it requires grad",
        ),
        (
            "def f(x, a):\n    y = torch.from_numpy(a).unsqueeze(0).detach()\n    y.cuda()\n    torch.add(x, 1, out=y)",
            "before it is written to",
        ),
        (
            "def f(a):\n    x = torch.from_numpy(a)\n    y = x.detach()\n    y.cuda()\n    y.zero_()",
            "write y = y.cuda() where y is made, before it is written to",
        ),
        (
            "def f(x, a):\n    y = torch.from_numpy(a).unsqueeze(0).detach()\n    y.cuda()\n    y[0] = 1",
            "before it is written to",
        ),
        (
            "def f(x, a):\n    y = torch.from_numpy(a).unsqueeze(0).detach()\n    y.cuda()\n    y += 1\n    return y",
            "before it is written to",
        ),
        (
            "y = torch.ones(2)\nz = y\ny.cuda()\ny.add_(1)",
            "before it is written to",
        ),
        (
            "class N(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.w = torch.nn.Parameter(torch.ones(2))\n        self.w.cuda()",
            "drop the line, as the parameter moves with its module",
        ),
        (
            "class N(torch.nn.Module):\n    def __init__(self, x):\n        super().__init__()\n"
            "        self.w = x.unsqueeze(0)\n        self.w.cuda()",
            "",
        ),
        (
            "class N:\n    def __init__(self):\n        self.w = torch.ones(2)\n"
            "        self.w.requires_grad_()\n        self.w.cuda()",
            "",
        ),
        (
            "torch.nn.Linear(2, 3).weight.cuda()",
            "drop the line, as the parameter moves with its module",
        ),
        ("pair = (torch.ones(2), 1)\npair[0].cuda()", "make a new tuple with pair[0].cuda()"),
        (
            "pair = torch.ones(2, 3).split(1)\npair[0].cuda()",
            "",
        ),
        ("x = torch.ones(2)\nx[0].cuda()", "write x = x.cuda()"),
        (
            "ws = [torch.ones(2, requires_grad=True)]\nws[0].cuda()",
            "",
        ),
        ("xs = [torch.ones(2)]\nxs[f()].cuda()", ""),
    ],
)
def test_what_cannot_be_assigned_is_left_to_a_person(text: str, remedy: str) -> None:
    text = "import torch\n" + textwrap.dedent(text) + "\n"
    findings = advice("TP207", text)
    assert len(findings) == 1
    assert findings[0].message.startswith("the moved copy is lost" + (remedy and ": "))
    assert remedy in findings[0].message


@pytest.mark.parametrize(
    ("lines", "is_told"),
    [
        pytest.param(["y = torch.zeros_like(x)", "y.cuda()", "y += 1"], False, id="made like it"),
        pytest.param(
            [
                "x, _ = torch.chunk(x, 2)",
                "x = Variable(x, requires_grad=True)",
                "x.cuda()",
                "(x * 2).sum().backward()",
                "return x.grad",
            ],
            False,
            id="a part of it",
        ),
        pytest.param(["for w in x:", "    w.unsqueeze(0)", "    w.cuda()"], False, id="elements"),
        pytest.param(
            ["ws = [Variable(w) for w in args[:2]]", "for w in ws:", "    w.cuda()"],
            False,
            id="weights that it is given",
        ),
        pytest.param(["y = torch.zeros(3)", "z = y", "y.cuda()", "y += 1"], True, id="its own"),
        pytest.param(
            ["ws = [torch.zeros(3) for w in args]", "for w in ws:", "    w.cuda()"],
            True,
            id="its own in a list",
        ),
        pytest.param(
            ["y = torch.zeros_like(x)", "z = y", "y.cpu()", "y += 1"], True, id="to the CPU"
        ),
    ],
)
def test_what_is_made_of_an_argument_lies_where_that_does(lines: list[str], is_told: bool) -> None:
    """Where the net is on the GPU, nothing is lost; where it is not, the move would part them."""
    head = "import torch\nfrom torch.autograd import Variable\ndef f(x, *args):\n    "
    assert bool(advice("TP207", head + "\n    ".join(lines) + "\n")) is is_told


@pytest.mark.parametrize(
    ("between", "is_proposed"),
    [
        ("x.mean().backward()", False),
        ("y = net(x)", False),
        ("y = x * 2", False),
        ("y = x[0]", False),
        ("print(x)", True),
        ("x.requires_grad_()", True),
        ("params = [x]", True),
        ("y = x", True),
    ],
)
@pytest.mark.parametrize("below", ["x.grad.data *= 0", "x[0] = 1"])
def test_where_a_tensor_is_used_before_its_move_none_is_proposed(
    between: str, below: str, is_proposed: bool
) -> None:
    made = "def f(a):\n    x = torch.autograd.Variable(a, requires_grad=True)\n"
    text = f"import torch\n{made}    {between}\n    x.cpu()\n    {below}\n"
    (finding,) = advice("TP207", text)
    assert ("write x = x.cpu()" in finding.message) is is_proposed
    assert is_proposed or finding.message == "the moved copy is lost"


def test_a_tensor_of_another_scope_that_is_used_above_is_left_there() -> None:
    text = "import torch\nx = torch.ones(2)\nMORE\ndef f():\n    x.cuda()\n    return x + 1\n"
    (finding,) = advice("TP207", text.replace("MORE", "y = x * 2"))
    assert finding.message == "the moved copy is lost"
    (finding,) = advice("TP207", text.replace("MORE", "print(x)"))
    assert finding.message.endswith("write x = x.cuda() where x is made")


@pytest.mark.parametrize(("above", "is_told"), [("y = y.cuda()", False), ("y = y.double()", True)])
def test_of_what_is_on_a_gpu_already_no_copy_is_made(above: str, is_told: bool) -> None:
    text = f"""
import torch
y = torch.ones(2)
{above}
x = torch.autograd.Variable(y.data.clone(), requires_grad=True)
optimizer = torch.optim.LBFGS([x])
x.cuda()
print(x)
"""
    assert bool(advice("TP207", text)) is is_told


@pytest.mark.parametrize(
    ("cells", "is_told"),
    [
        pytest.param(["x.cuda()", "y = 1"], False, id="the end of a cell"),
        pytest.param(["x.cuda()"], False, id="the end of the last cell"),
        pytest.param(["x.cuda()", "print(x)"], True, id="read in a later cell"),
        pytest.param(["x.cuda()", "x += 1"], True, id="added to in a later cell"),
        pytest.param(
            ["x = torch.ones(2, 2)[0]", "x.cuda()", "x[0] = 2\nprint(x)"],
            True,
            id="written to in a later cell",
        ),
        pytest.param(["x.cuda()\nprint(1)"], True, id="another line below"),
        pytest.param(["if n:\n    x.cuda()"], True, id="no statement of the cell itself"),
    ],
)
def test_what_a_cell_shows_is_not_lost(cells: list[str], is_told: bool) -> None:
    text = written(notebook("import torch\nx = torch.ones(2)", *cells))
    result = migrate_bytes(text.encode(), ALONE / "nb.ipynb", Settings())
    assert ("TP207" in {finding.code for finding in result.findings}) is is_told


def test_the_end_of_a_plain_file_is_no_end_of_a_cell() -> None:
    (found,) = advice("TP207", "import torch\nx = torch.ones(2)\nx.cuda()")
    assert found.message == "the moved copy is lost: write x = x.cuda() before x is used"


_PUT_IN = """
import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 2)).cuda()
fc = nn.Linear(2, 2)
def put(x):
    fc.weight = nn.Parameter(torch.ones(2, 2))
    fc.weight.cuda()
    MORE
"""


@pytest.mark.parametrize(
    ("before", "after", "is_moved"),
    [
        ("MORE", "return fc(x.cpu())", False),
        ("MORE", "net.cuda()", False),
        ("MORE", "fc.cuda()", True),
        ("MORE", "fc.to(x.device)", True),
        ("    fc.weight = nn.Parameter(torch.ones(2, 2))\n", "", True),
    ],
)
def test_a_parameter_that_is_put_in_below_the_move_is_not_said_to_move(
    before: str, after: str, is_moved: bool
) -> None:
    (found,) = advice("TP207", _PUT_IN.replace(before, after).replace("MORE", "return x"))
    assert found.message.endswith(
        "as the parameter moves with its module"
        if is_moved
        else "drop the line, which moves nothing"
    )


def test_what_a_constructor_puts_in_moves_with_its_module() -> None:
    (found,) = advice(
        "TP207",
        "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.fc = nn.Linear(2, 2)\n"
        "        self.fc.weight = nn.Parameter(torch.ones(2, 2))\n        self.fc.weight.cuda()\n",
    )
    assert found.message.endswith("as the parameter moves with its module")


_MEETS = """
import torch
from torch import nn
from torch.utils.data import DataLoader
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
    def forward(self, x):
        return self.fc(x)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
loss = nn.MSELoss()
for x, y in DataLoader(dataset):
    ABOVE
    x = x.view(-1, 2)
    x.cuda()
    BELOW
"""


@pytest.mark.parametrize(
    ("above", "below", "left"),
    [
        pytest.param("pass", "out = net(x)", "net", id="a module that nothing moves"),
        pytest.param("net.cuda()", "out = net(x)", "", id="a module that is moved"),
        pytest.param("put(net)", "out = net(x)", "", id="a module that may be moved"),
        pytest.param("pass", "out = loss(x, y)", "y", id="a target"),
        pytest.param("y = y.cuda()", "out = loss(x, y)", "", id="a target that is moved"),
        pytest.param("y.cuda()", "out = loss(x, y)", "", id="a target that is to be moved"),
        pytest.param("pass", "z = x * 2\n    out = z - torch.ones(2)", "torch.ones(2)", id="new"),
        pytest.param("pass", "z = x * 2\n    out = z - torch.tensor(1.0)", "", id="a number"),
        pytest.param("pass", "z = x * 2\n    out = z - x.mean(0)", "", id="made of it"),
        pytest.param("pass", "out = y.add(x)", "y", id="another's method"),
        pytest.param("pass", "y.copy_(x)\n    out = x.view_as(y)", "", id="copied and shaped like"),
        pytest.param("pass", "out = x - given(y)", "", id="what is not in sight"),
        pytest.param("pass", "out = x.cpu() - y", "", id="brought back"),
    ],
)
def test_a_tensor_is_not_parted_from_what_stays_on_the_cpu(
    above: str, below: str, left: str
) -> None:
    text = _MEETS.replace("ABOVE", above).replace("BELOW", below)
    said = [found.message for found in advice("TP207", text)]
    assert ("x = x.cuda()" not in migrate(text, "TP207").text) is bool(left)
    assert any(f"or move {left} as well" in message for message in said) is bool(left)
