"""What a Variable is made of is not detached where that does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = "import numpy as np\nimport torch\nfrom torch.autograd import Variable\n\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "def f(i):\n    if isinstance(i, np.ndarray):\n"
            "        return Variable(torch.Tensor(i))\n",
            "        return torch.Tensor(i)\n",
        ),
        (
            "def f(p):\n    a = torch.multinomial(p, 1)\n"
            "    return torch.gather(p, 1, Variable(a.data))\n",
            "    return torch.gather(p, 1, a)\n",
        ),
        (
            "def f(ks):\n    return [Variable(k.data.clone(), requires_grad=True) for k in ks]\n",
            "    return [k.data.clone().requires_grad_() for k in ks]\n",
        ),
        (
            "def f(x, y, labels):\n    labels = Variable(labels, requires_grad=False)\n"
            "    mask = torch.ne(labels[None, :], y[:, None])\n    return x[mask]\n",
            "def f(x, y, labels):\n"
            "    mask = torch.ne(labels[None, :], y[:, None])\n    return x[mask]\n",
        ),
        (
            "def f(x, n=500):\n    a = torch.zeros(x.size(1), n)\n"
            "    return a + Variable(torch.FloatTensor(n).uniform_())\n",
            "    return a + torch.FloatTensor(n).uniform_()\n",
        ),
    ],
)
def test_what_is_part_of_no_graph_is_written_alone(text: str, after: str) -> None:
    assert migrate(_HEAD + text, "TP101", "TP104").text.endswith(after)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "def f(i):\n    if isinstance(i, (np.ndarray, torch.Tensor)):\n"
            "        return Variable(torch.Tensor(i))\n",
            "        return torch.Tensor(i).detach()\n",
        ),
        (
            "def f(i, net):\n    if isinstance(i, np.ndarray):\n        i = net(i)\n"
            "        return Variable(torch.Tensor(i))\n",
            "        return torch.Tensor(i).detach()\n",
        ),
        (
            "def f(i):\n    if not isinstance(i, np.ndarray):\n"
            "        return Variable(torch.Tensor(i))\n",
            "        return torch.Tensor(i).detach()\n",
        ),
        (
            "def f(p):\n    a = torch.exp(p)\n    return torch.mul(p, Variable(a.data))\n",
            "    return torch.mul(p, a.detach())\n",
        ),
        (
            "def f(x, y):\n    y = Variable(y)\n    return x[y > 3] + y\n",
            "def f(x, y):\n    y = y.detach()\n    return x[y > 3] + y\n",
        ),
        (
            "def f(x, y):\n    y = Variable(y)\n    mask = y > 3\n    y += 1\n    return x[mask]\n",
            "    y = y.detach()\n    mask = y > 3\n    y += 1\n    return x[mask]\n",
        ),
        (
            "def f(x, y):\n    z = Variable(y)\n    y.data = x\n    return x[z > 3]\n",
            "    z = y.detach()\n    y.data = x\n    return x[z > 3]\n",
        ),
        (
            "def f(x, y):\n    y = Variable(y)\n    y.data = x\n    return x[y > 3]\n",
            "    y = y.detach()\n    y.data = x\n    return x[y > 3]\n",
        ),
        (
            "def f(x, y):\n    y = Variable(y)\n\n    def g():\n        return y\n"
            "    return x[y > g()]\n",
            "    y = y.detach()\n\n    def g():\n        return y\n    return x[y > g()]\n",
        ),
        (
            "y = made(3)\n\n\ndef f(x):\n    global y\n    y = Variable(y)\n    return x[y > 3]\n",
            "    y = y.detach()\n    return x[y > 3]\n",
        ),
        (
            "def f(x, n):\n    a = torch.zeros_like(n)\n"
            "    return a + Variable(torch.FloatTensor(n))\n",
            "    return a + torch.FloatTensor(n).detach()\n",
        ),
        (
            "def f(x, n):\n    a = torch.zeros(x.size(1), n)\n    n = x.mean()\n    n = made(n)\n"
            "    return a + Variable(torch.FloatTensor(n))\n",
            "    return a + torch.FloatTensor(n).detach()\n",
        ),
        (
            "class Kernel:\n    def clone(self):\n        return self.data\n\n\n"
            "def f(ks):\n    return [Variable(k.clone(), requires_grad=True) for k in ks]\n",
            "    return [k.clone().detach().requires_grad_() for k in ks]\n",
        ),
        (
            "def f(ks):\n    return [Variable(k.clone(), requires_grad=True) for k in ks]\n",
            "    return [k.clone().detach().requires_grad_() for k in ks]\n",
        ),
    ],
)
def test_what_may_be_part_of_one_is_detached(text: str, after: str) -> None:
    assert migrate(_HEAD + text, "TP101", "TP104").text.endswith(after)


_STORING = """class Bot(nn.Module):
    def __init__(self, params):
        for name in params:
            setattr(self, name, params[name])

    def reset(self, n):
        {}

    def run(self, x):
        self.h = self.cell(x, self.h)
"""


def _stored(*lines: str) -> str:
    head = _HEAD.replace("import torch\n", "import torch\nimport torch.nn as nn\n")
    return migrate(head + _STORING.format("\n        ".join(lines))).text


@pytest.mark.parametrize("between", [(), ("self.h.fill_(0.0)",)])
def test_what_the_line_above_stores_is_not_detached(between: tuple[str, ...]) -> None:
    text = _stored("self.h = torch.zeros(n, 2)", *between, "self.h = Variable(self.h)")
    assert "self.h = torch.zeros(n, 2)\n" in text
    assert "detach" not in text


@pytest.mark.parametrize(
    "lines",
    [
        ("self.h = self.cell(n)", "self.h = Variable(self.h)"),
        ("self.h = torch.zeros(n, 2)", "self.run(n)", "self.h = Variable(self.h)"),
        ("self.h = torch.zeros(n, 2)", "self.h.add_(self.w)", "self.h = Variable(self.h)"),
        ("self.h = torch.zeros(n, 2)", "self.h.requires_grad_()", "self.h = Variable(self.h)"),
        ("self.h = torch.zeros(n, 2)", "self.h = max(self.run(n), Variable(self.h))"),
        ("self.h = torch.zeros(n, 2)", "return lambda: Variable(self.h)"),
    ],
)
def test_what_may_have_got_a_graph_since_is_detached(lines: tuple[str, ...]) -> None:
    assert "self.h.detach()" in _stored(*lines)


_NAMED = "def f(p):\n    a = torch.exp(p.detach())\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("    b = a.data\n    return b * p\n", "    b = a\n    return b * p\n"),
        (
            "    b = a.data\n    return torch.cat([a.data, b], 1) * p\n",
            "    b = a\n    return torch.cat([a, b], 1) * p\n",
        ),
    ],
)
def test_data_without_a_graph_under_another_name(text: str, after: str) -> None:
    assert migrate(_HEAD + _NAMED + text, "TP104").text.endswith(after)


@pytest.mark.parametrize(
    "text",
    [
        "    b = a.data\n    a += p\n    return b * p\n",
        "    b = a.data\n    b.requires_grad = True\n    return a * b * p\n",
        "    b = c = a.data\n    return b * p, c\n",
        "    return keep([a.data, p])\n",
    ],
)
def test_data_whose_name_may_tell(text: str) -> None:
    assert migrate(_HEAD + _NAMED + text, "TP104").text.endswith(text)


def test_data_of_a_tensor_that_is_asked_for_gradients() -> None:
    text = "    b = a.data\n    a.requires_grad = True\n    return b * p\n"
    after = text.replace("a.data", "a.detach()")
    head = "def f(p):\n    with torch.no_grad():\n        a = torch.exp(p)\n"
    assert migrate(_HEAD + head + text, "TP104").text.endswith(after)


_LISTED = """import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(make())

    def forward(self, x):
        for i in range(len(self.parts)):
            x = F.relu(self.parts[i](x), inplace=True)
        return x


net = Net()
for x, t in DataLoader(rows):
"""


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("    with torch.no_grad():\n        y = net(x).data\n    print(y.sum())\n", "net(x)"),
        ("    y = net(x).data\n    print(y.sum())\n", "net(x).detach()"),
        (
            "    x.requires_grad = True\n"
            "    with torch.no_grad():\n        y = net(x).data\n    print(y.sum())\n",
            "net(x).detach()",
        ),
        (
            "    with torch.no_grad():\n        y = net(x).data\n    y.requires_grad = True\n",
            "net(x).data",
        ),
    ],
)
def test_data_alone_in_its_block(text: str, after: str) -> None:
    written = _HEAD + _LISTED + text
    assert migrate(written, "TP104").text == written.replace("net(x).data", after)


def test_a_name_alone_in_its_block_keeps_its_assignment() -> None:
    text = (
        "def f(p, old):\n    a = torch.exp(p.data)\n    if old:\n        a = a.data\n    return a\n"
    )
    assert "        a = a\n" not in migrate(_HEAD + text, "TP104").text


_TESTED = """import torch
from torch.autograd import Variable


def run(net, loader, predict):
    {run}


def predict_all(net, loader):
    for x, y in loader:
        print(net(Variable(x.cuda())))


def check(net, loader):
    run(net, loader, predict_all)
"""
_MAIN = """from torch.utils.data import DataLoader
from torchvision import datasets, transforms
from checks import check

loader = DataLoader(datasets.MNIST("data", transform=transforms.ToTensor()), batch_size=8)
check(net, loader)
{more}
"""


@pytest.mark.parametrize(
    ("run", "more", "is_plain"),
    [
        pytest.param("predict(net, loader)", "", True, id="in one call"),
        pytest.param("predict(net, loader=loader)", "", True, id="by its name"),
        pytest.param("print(predict)", "", False, id="not in sight"),
        pytest.param("predict(net, loader), net.save(predict)", "", False, id="and kept"),
        pytest.param(
            "predict(net, loader)\n    return lambda: net.save(predict)", "", False, id="kept later"
        ),
        pytest.param("f = predict\n    f(net, loader)", "", False, id="by another name"),
        pytest.param(
            "predict(net, loader)", "from checks import run\nrun(net, xs, map)", False, id="others"
        ),
        pytest.param(
            "predict(net, loader)",
            "def test(net, xs):\n    check(net, xs)",
            True,
            id="in a function that no line names",
        ),
        pytest.param(
            "predict(net, loader)",
            "def test(net, xs):\n    check(net, xs)\nprint(test)",
            False,
            id="in a function that a line names",
        ),
    ],
)
def test_batches_of_a_function_that_is_handed_on(
    run: str, more: str, is_plain: bool, tmp_path: Path
) -> None:
    file = tmp_path / "checks.py"
    file.write_text(_TESTED.format(run=run))
    (tmp_path / "main.py").write_text(_MAIN.format(more=more))
    migrate_file(file, Settings(select=("TP101",)), write=True)
    assert ("net(x.cuda())" in file.read_text()) is is_plain
    assert ("net(x.cuda().detach())" in file.read_text()) is not is_plain


_NOISE = """import torch
from torch.autograd import Variable
def noise(net, gpu, w, seen):
    x = torch.clamp(torch.randn(1, 3, 32, 32), 0, 1)
    {between}
    inputs = Variable(x.cuda(gpu), requires_grad=True)
    {below}
    return net(inputs)
"""


@pytest.mark.parametrize(
    ("between", "below", "is_alone"),
    [
        pytest.param("x[0][1] = (x[0][1] - 0.5) / 0.2", "pass", True, id="filled of its own parts"),
        pytest.param("x[0] -= 0.5", "pass", True, id="a part is lowered"),
        pytest.param("x[0] = net(w)", "pass", False, id="what may have a graph goes into it"),
        pytest.param("seen.append(x[0])", "pass", False, id="a part is kept"),
        pytest.param("seen.append(x)", "pass", False, id="it is kept itself"),
        pytest.param("x[0] = 0", "x[0] = 1", False, id="filled below"),
        pytest.param("x[0] = 0", "seen.append(x)", False, id="kept below"),
        pytest.param("seen.append(lambda: x[0] + 1)", "pass", False, id="read by what runs later"),
    ],
)
def test_samples_that_are_filled_in_parts_become_leaves_themselves(
    between: str, below: str, is_alone: bool
) -> None:
    after = migrate(_NOISE.format(between=between, below=below), "TP101").text
    assert ("x.cuda(gpu).requires_grad_()" in after) is is_alone
    assert ("x.cuda(gpu).detach().requires_grad_()" in after) is not is_alone


_LOADED = """class Test:
    def __init__(self, loader, net):
        self.loader = loader
        self.net = net

    def arrays(self):
        for i, (x, y) in enumerate(self.loader):
            print({}.numpy(), i)

    def features(self):
        for i, (x, y) in enumerate(self.loader):
            x = Variable(x).cuda()
            print(self.net(x).data, i)
"""


def _loaded(read: str, folder: Path, more: str = "") -> str:
    file = folder / "checks.py"
    file.write_text(_HEAD + _LOADED.format(read))
    (folder / "main.py").write_text("from checks import Test\n" + more)
    migrate_file(file, Settings(select=("TP101",)), write=True)
    return file.read_text()


def test_what_is_read_as_an_array_elsewhere_is_a_batch(tmp_path: Path) -> None:
    assert "x = x.cuda()\n" in _loaded("x", tmp_path)


@pytest.mark.parametrize("read", ["y", "x.data", "x.detach()", "self.net(x)"])
def test_not_by_what_else_is_read_as_an_array(read: str, tmp_path: Path) -> None:
    assert "x = x.detach().cuda()\n" in _loaded(read, tmp_path)


def test_not_where_another_file_sets_what_is_looped_through(tmp_path: Path) -> None:
    assert "x = x.detach().cuda()\n" in _loaded("x", tmp_path, "test.loader = made\n")


_STEPS = """import torch.nn.functional as F
from torch.autograd import Variable
from torchvision import transforms

steps = transforms.Compose([
    {before}
    transforms.Lambda(lambda x: F.pad(
        Variable(x.unsqueeze(0), requires_grad=False), (4, 4, 4, 4), mode="reflect").data.squeeze()),
    transforms.ToPILImage(),
])
"""


def _padded(before: str) -> str:
    return migrate(_STEPS.format(before=before), "TP101", "TP104").text


@pytest.mark.parametrize(
    "before",
    [
        "transforms.ToTensor(),",
        "shift, transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,)),",
    ],
)
def test_a_transformation_of_images_is_given_no_graph(before: str) -> None:
    assert 'F.pad(\n        x.unsqueeze(0), (4, 4, 4, 4), mode="reflect").squeeze()' in _padded(
        before
    )


@pytest.mark.parametrize(
    "before",
    [
        "",
        "transforms.RandomCrop(32),",
        "transforms.ToTensor(), shift,",
        "transforms.ToTensor(), transforms.Lambda(shift),",
    ],
)
def test_a_transformation_of_what_is_not_known_detaches_it(before: str) -> None:
    assert "x.unsqueeze(0).detach()" in _padded(before)


_LAYERS = """
import torch
from torch import nn
from torchvision import models
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        vgg = models.vgg19()
        self.features = nn.Sequential(*list(vgg.children())[:-1])

    def forward(self, x):
        x = self.features(x)
        return x.view(x.size(0), -1)


def f(dataset, model, kept):
    net = Net()
    for x, y in DataLoader(dataset):
        with torch.no_grad():
            out = net(x)
        kept = torch.cat((kept, out.cpu().data), 0)
    return kept
"""


@pytest.mark.parametrize(
    ("before", "after", "is_detached"),
    [
        ("", "", False),
        ("torch.no_grad()", "open(model)", True),
        ("net(x)", "net(model(x))", True),
        ("class Net", "w = nn.Parameter(torch.ones(2))\nclass Net", True),
    ],
)
def test_layers_that_are_not_written_out_give_no_graph_where_gradients_are_off(
    before: str, after: str, is_detached: bool
) -> None:
    text = migrate(_LAYERS.replace(before, after) if before else _LAYERS, "TP104").text
    assert ("(kept, out.cpu().detach())" in text) is is_detached
    assert ("(kept, out.cpu())" in text) is not is_detached


@pytest.mark.parametrize(
    ("lines", "is_detached"),
    [
        (["x = torch.from_numpy(a) / 255.0", "x = x.cuda()"], False),
        (["x = torch.zeros(2) + 1", "x = x.float()", "x = x.cuda()"], False),
        (["x = torch.from_numpy(a) / 255.0", "kept = x", "x = x.cuda()"], True),
        (["x = torch.from_numpy(a)", "y = x", "x = x.float()", "x = x.cuda()"], True),
        (["x = torch.zeros(2) + 1", "for i in a:", "    x = x.cuda()", "    use(x)"], True),
        (["x = given(a).view(2)", "x = x.cuda()"], True),
    ],
)
def test_what_was_made_and_moved_by_its_own_name_is_no_one_elses(
    lines: list[str], is_detached: bool
) -> None:
    body = "\n    ".join([*lines, "x = Variable(x, requires_grad=True)", "return model(x)"])
    text = migrate(f"{_HEAD}def f(a, model):\n    {body}\n", "TP101").text
    assert ("x = x.detach().requires_grad_()\n" in text) is is_detached
    assert ("    x.requires_grad_()\n" in text) is not is_detached


_DRAWN = """
import torch
from torch import nn
from torch.autograd import Variable


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x)

    def draw(self, n):
        drawn = []
        for i in range(n):
            x = torch.softmax(self.fc(torch.zeros(1, 2)), 1).multinomial(1)
            drawn.append(x)
        return torch.cat(drawn, dim=1)


def written(model, n):
    return model.draw(n).cpu().data.numpy().tolist()


net = Net()
if torch.cuda.is_available():
    net = net.cuda()
print(written(net, 3))
drawn = net.draw(4)
wanted = Variable(drawn.data).contiguous().view((-1,))
print(net(torch.zeros(2, 2))[wanted])
"""


@pytest.mark.parametrize(
    ("before", "after", "has_numbers", "has_wanted"),
    [
        ("", "", True, True),
        (".multinomial(1)", ".exp()", False, False),
        ("net = net.cuda()", "net = load(net)", False, False),
        (
            "    def forward",
            "    def cuda(self):\n        return load()\n    def forward",
            False,
            False,
        ),
        ("Variable(drawn.data).contiguous()", "Variable(drawn.data).requires_grad_()", True, False),
    ],
)
def test_what_is_drawn_of_a_module_that_was_moved_is_not_detached(
    before: str, after: str, has_numbers: bool, has_wanted: bool, tmp_path: Path
) -> None:
    path = tmp_path / "train.py"
    path.write_text(_DRAWN.replace(before, after) if before else _DRAWN)
    migrate_file(path, Settings(), write=True)
    text = path.read_text()
    assert ("model.draw(n).cpu().numpy()" in text) is has_numbers
    assert ("wanted = drawn.contiguous()" in text) is has_wanted
