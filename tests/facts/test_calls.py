"""What methods, subclasses of torch's classes, fixtures, lists and dicts give, and what not."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tests.support.rules import migrate
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.lattice import Foreign, Tensor, Unknown, Value

HEAD = """
import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.distributions as td
from torch.utils.data import DataLoader
"""


def value_of(text: str) -> Value:
    """The value of the argument of ``look(…)``."""
    text = HEAD + textwrap.dedent(text)
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    (look,) = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look"]
    return facts.value(look.args[0])


METHODS = """
class A:
    def make(self):
        return torch.zeros(3)
    def left(self):
        raise NotImplementedError
    def both(self):
        return torch.zeros(3)
    def said(self):
        '''What a class below says.'''
        raise NotImplementedError
class B(A):
    def both(self):
        return 3
    def said(self):
        return torch.zeros(3)
"""
WIDE = """
class Wide(nn.Linear):
    def own(self):
        return self.weight
    def forward(self, x):
        return super(Wide, self).forward(x) * 2
class Plain(nn.Linear):
    pass
class Pool(nn.MaxPool2d):
    pass
class Own(nn.Linear):
    def __init__(self):
        self.weight = load()
"""
BETA = """
class Mixin:
    def log_prob(self, x):
        return load()
class Beta(td.Beta, Mixin):
    pass
class Odd(Mixin, td.Beta):
    pass
class Shift(td.Transform):
    def _call(self, x):
        return torch.exp(x)
"""
FIXTURES = """
@pytest.fixture()
def alpha():
    return torch.zeros(3)

@pytest.fixture
def opened(alpha):
    yield alpha + 1

@pytest.fixture(name="renamed")
def gamma():
    return torch.zeros(3)

@pytest.fixture
def either():
    if a:
        return torch.zeros(3)
    return 3
"""


@pytest.mark.parametrize(
    "text",
    [
        METHODS + "look(A().make())",
        METHODS + "look(B().make())",
        METHODS + "look(A().said())",
        "class A:\n    def make(self):\n        return torch.zeros(3)\n"
        "    def use(self):\n        look(self.make())",
        WIDE + "look(Wide(2, 3)(x))",
        WIDE + "look(Wide(2, 3).own())",
        WIDE + "look(Plain(2, 3)(x))",
        WIDE + "look(Plain(2, 3).weight)",
        "class C(nn.Softmax):\n    def forward(self, x):\n        look(x)\n"
        "        return super().forward(x)",
        "class N(nn.Module):\n    def forward(self, x):\n        return F.relu(x)\n"
        "class C(N):\n    def forward(self, x):\n        look(super().forward(x))",
        BETA + "look(Beta(1, 2).log_prob(x))",
        BETA + "look(Beta(1, 2).sample())",
        BETA + "look(Beta(1, 2).enumerate_support())",
        BETA + "look(Odd(1, 2).sample())",
        BETA + "look(Shift()(x))",
        "a, b = td.utils.broadcast_all(x, y)\nlook(b)",
        FIXTURES + "def test_it(alpha):\n    look(alpha)",
        FIXTURES + "def test_it(opened):\n    look(opened)",
        FIXTURES + "@pytest.mark.parametrize('n', [1, 2])\ndef test_it(n, alpha):\n    look(alpha)",
        FIXTURES + "class TestIt:\n    def test_it(self, alpha):\n        look(alpha)",
        "import unittest\nclass T(unittest.TestCase):\n    @classmethod\n"
        "    def setUpClass(cls):\n        cls.x = torch.zeros(3)\n"
        "    def test_it(self):\n        look(self.x)",
        "class A:\n    def __init__(self):\n        self.m = nn.Module()\n"
        "        self.m.scale = torch.zeros(3)\n        self.m.fc = nn.Linear(1, 2)\n"
        "    def f(self, x):\n        look(self.m.fc(x) * self.m.scale)",
        "layers = [nn.Linear(1, 2), nn.ReLU()]\nnet = nn.Sequential(*layers)\nlook(net(x))",
        "class Block(nn.Module):\n    def forward(self, x):\n        return F.relu(x)\n"
        "def f():\n    Block()\n    layers = [Block(), nn.ReLU()]\n"
        "    look(nn.Sequential(*layers)(x))",
        "class N(nn.Module):\n    def __init__(self, wide):\n        if wide:\n"
        "            self.net = nn.Sequential(nn.Linear(1, 2), nn.ReLU())\n        else:\n"
        "            self.net = nn.Sequential(nn.Linear(1, 2))\n"
        "    def forward(self, x):\n        look(self.net(x))",
        "class N(nn.Module):\n    def __init__(self, wide):\n        if wide:\n"
        "            self.net = nn.Sequential(nn.Linear(1, 2), nn.ReLU())\n        else:\n"
        "            self.net = nn.Sequential(nn.ReLU())\n"
        "    def forward(self, x):\n        look(x)\n        return self.net(x)",
        "class A:\n    def __init__(self):\n        self.m = nn.Module()\n"
        "        self.m.scale = torch.zeros(3)\n        look(self.m.scale)\n"
        "class B:\n    def __init__(self):\n        self.scale = 3",
        "class N(nn.Module):\n    def __init__(self, wide):\n"
        "        layers = [nn.Linear(1, 2)]\n        if wide:\n            layers += [Own()]\n"
        "        layers.append(Own())\n        self.net = nn.Sequential(*layers)\n"
        "    def forward(self, x):\n        look(x)\n        return self.net(x)",
        "class N(nn.Module):\n    def __init__(self):\n        self.words = nn.Embedding(5, 2)\n"
        "    def forward(self, x):\n        look(x)\n        return self.words(x)",
        "class Base(nn.Module):\n    def forward(self, x):\n        raise NotImplementedError\n"
        "    def act(self, x):\n        look(self(x))\n"
        "class N(Base):\n    def forward(self, x):\n        return F.relu(x)",
        "a = [torch.zeros(1)]\nb = [torch.zeros(2)]\nfor p in a + b:\n    look(p)",
        "def f():\n    found = []\n    found.append(torch.zeros(1))\n    return found, 1\n"
        "look(f()[0][0])",
        "class D:\n    def __init__(self):\n        self.boxes = []\n"
        "        self.boxes.append(torch.zeros(4))\n    def get(self, n):\n"
        "        look(self.boxes[n])",
        "class D:\n    def __init__(self):\n        self.boxes, self.n = [], 0\n"
        "        self.boxes.append(torch.zeros(4))\n    def get(self, n):\n"
        "        look(self.boxes[n])",
        "look(dict(x=torch.zeros(1), n=3)['x'])",
        "look({'x': torch.zeros(1), 'n': 3}.get('x'))",
        "d = {'x': torch.zeros(1), 'n': 3} if a else {'x': torch.ones(1)}\nlook(d['x'])",
        "from torchvision.transforms import functional as TF\nlook(TF.to_tensor(image))",
        "def f(m):\n    nn.init.constant_(m.weight, 0)\n    look(nn.init.constant_(m.bias, 0))\n"
        "f(nn.Linear(1, 2))",
    ],
)
def test_tensors(text: str) -> None:
    assert isinstance(value_of(text), Tensor)


@pytest.mark.parametrize(
    "text",
    [
        METHODS + "look(A().left())",
        METHODS + "look(A().both())",
        "class A:\n    def byte(self):\n        return 3\nlook((x == 0).byte())",
        "def stop():\n    print(1)\n    raise ValueError\nlook(stop())",
        METHODS + "A.make = other\nlook(A().make())",
        WIDE + "look(Own().weight)",
        WIDE + "look(Pool(2)(x))",
        WIDE + "look(Plain(2, 3).bias)",
        "class C(nn.Linear, Mine):\n    def forward(self, x):\n        look(super().forward(x))",
        "class C(Mine):\n    def forward(self, x):\n        look(super().forward(x))",
        "def super(*given):\n    return mine\nclass C(nn.Linear):\n    def forward(self, x):\n"
        "        look(super(C, self).forward(x))",
        "class C(nn.Linear):\n    @property\n    def weight(self):\n        return load()\n"
        "    def f(self):\n        look(self.weight)",
        "class S(nn.Sequential):\n    pass\nlook(S(nn.Linear(1, 2))(x))",
        BETA + "look(Odd(1, 2).log_prob(x))",
        BETA + "look(Beta(1, 2).shape())",
        BETA + "look(Beta(1, 2)())",
        FIXTURES + "def test_it(gamma):\n    look(gamma)",
        FIXTURES + "def test_it(either):\n    look(either)",
        FIXTURES + "def test_it(renamed):\n    look(renamed)",
        FIXTURES + "def helper(alpha):\n    look(alpha)",
        FIXTURES + "def test_it(alpha=None):\n    look(alpha)",
        FIXTURES + "@pytest.mark.parametrize('n, alpha', [(1, 2)])\n"
        "def test_it(n, alpha):\n    look(alpha)",
        FIXTURES + "@given(numbers)\ndef test_it(alpha):\n    look(alpha)",
        FIXTURES + "pytestmark = pytest.mark.parametrize('alpha', [1])\nprint(pytestmark)\n"
        "def test_it(alpha):\n    look(alpha)",
        FIXTURES + "def test_it(alpha):\n    look(alpha)\ntest_it(3)",
        "class A:\n    def __init__(self):\n        self.m = nn.Module()\n"
        "        self.m.scale = torch.zeros(3)\n        self.m.scale = load()\n"
        "    def f(self, x):\n        look(self.m.scale)",
        "layers = [nn.Linear(1, 2), Own()]\nlook(nn.Sequential(*layers)(x))",
        "layers = [nn.Linear(1, 2)]\nlayers[0] = Own()\nlook(nn.Sequential(*layers)(x))",
        "class N(nn.Module):\n    def __init__(self, wide):\n        if wide:\n"
        "            self.net = nn.Sequential(nn.Linear(1, 2), nn.ReLU())\n        else:\n"
        "            self.net = nn.Sequential(Own())\n"
        "    def forward(self, x):\n        look(self.net(x))",
        "class N(nn.Module):\n    def __init__(self, wide):\n"
        "        layers = [nn.Linear(1, 2)]\n        layers.insert(0, Own())\n"
        "        self.net = nn.Sequential(*layers)\n"
        "    def forward(self, x):\n        look(x)\n        return self.net(x)",
        "class Base(nn.Module):\n    def forward(self, x):\n        raise NotImplementedError\n"
        "    def act(self, x):\n        look(self(x))\n"
        "class N(Base):\n    def forward(self, x):\n        return load(x)",
        "a = [torch.zeros(1)]\nfor p in a + b:\n    look(p)",
        "a = [torch.zeros(1)]\nchange(a)\nfor p in a:\n    look(p)",
        "class D:\n    def __init__(self):\n        self.boxes = []\n"
        "        self.boxes.append(torch.zeros(4))\n        self.boxes.append(load())\n"
        "    def get(self, n):\n        look(self.boxes[n])",
        "class D:\n    def __init__(self):\n        self.boxes = []\n"
        "        self.boxes.append(torch.zeros(4))\n        change(self.boxes)\n"
        "    def get(self, n):\n        look(self.boxes[n])",
        "class D:\n    def __init__(self, x):\n        self.boxes = boxes = []\n"
        "        boxes.append(x)\n        self.boxes.append(torch.zeros(4))\n"
        "    def get(self, n):\n        look(self.boxes[n])",
        "a = b = []\na.append(torch.zeros(1))\nb.append(load())\nlook(a[0])",
        "look(dict(x=torch.zeros(1), **more)['x'])",
        "look({'x': torch.zeros(1)}.get(key))",
        "d = {'x': torch.zeros(1), 'n': 3}\nd['x'] = load()\nlook(d['x'])",
        "from torchvision import transforms\nchange = transforms.Compose(steps)\nlook(change(image))",
        "from torchvision.transforms import functional as TF\nlook(TF.crop(image, 1, 2, 3, 4))",
    ],
)
def test_unknown(text: str) -> None:
    assert isinstance(value_of(text), Unknown)


def test_what_builds_a_transformation_is_still_no_tensor() -> None:
    text = "from torchvision import transforms\nlook(transforms.Compose(steps))"
    assert isinstance(value_of(text), Foreign)


LOADER = "for x, y in DataLoader(d, batch_size=4, **kwargs):\n    look(x)"


@pytest.mark.parametrize(
    ("text", "contiguous"),
    [
        ("kwargs = {'num_workers': 1} if cuda else {}\n" + LOADER, True),
        ("kwargs = {'collate_fn': mine} if cuda else {}\n" + LOADER, False),
        ("kwargs = {'num_workers': 1, **more}\n" + LOADER, False),
        ("kwargs = {'num_workers': 1}\nkwargs['collate_fn'] = mine\n" + LOADER, False),
        ("kwargs = {'num_workers': 1}\nchange(kwargs)\n" + LOADER, False),
        ("kwargs = {'num_workers': 1}\nchange(given=kwargs)\n" + LOADER, False),
        ("kwargs = load()\n" + LOADER, False),
        ("with {'num_workers': 1} as kwargs:\n    pass\n" + LOADER, False),
        ("kwargs, k = {'num_workers': 1}\n" + LOADER, False),
        ("look(x.contiguous())", True),
        (
            "class N(nn.Module):\n    def forward(self, x):\n        look(x)\n"
            "        return F.relu(x)\nN()(torch.zeros(2, 3))",
            True,
        ),
        (
            "class N(nn.Module):\n    def forward(self, x):\n        look(x)\n"
            "        return F.relu(x)\nN()(torch.zeros(2, 3))\nN()(torch.zeros(2, 3).t())",
            False,
        ),
    ],
)
def test_contiguity(text: str, contiguous: bool) -> None:
    value = value_of(text)
    assert isinstance(value, Tensor)
    assert value.contiguous is contiguous


def test_a_users_own_contiguous_may_be_anything() -> None:
    text = "class A:\n    def contiguous(self):\n        return 3\nlook(x.contiguous())"
    assert isinstance(value_of(text), Unknown)


@pytest.mark.parametrize(
    "text",
    [
        "criterion = F.mse_loss\nlook(criterion(torch.ones(2), torch.ones(2)))",
        "def f(criterion):\n    look(criterion(torch.ones(2), torch.ones(2)))\nf(F.mse_loss)",
        "def f(criterion=F.mse_loss):\n    look(criterion(torch.ones(2), torch.ones(2)))\nf()",
        "from torch.nn.functional import mse_loss\n"
        "class A:\n    def __init__(self):\n        self.c = mse_loss\n"
        "    def f(self):\n        look(self.c(torch.ones(2), torch.ones(2)))\n",
    ],
)
def test_a_function_of_torch_that_is_handed_on(text: str) -> None:
    value = value_of(text)
    assert isinstance(value, Tensor) and value.ndim == 0


@pytest.mark.parametrize(
    "text",
    [
        "def f(criterion):\n    look(criterion(torch.ones(2), torch.ones(2)))\n"
        "f(F.mse_loss)\nf(other)",
        "def f(criterion):\n    look(criterion(torch.ones(2), torch.ones(2)))\n"
        "f(F.mse_loss)\nf(F.softmax)",
        "class A:\n    def __init__(self, c):\n        self.c = F.mse_loss\n        self.c = c\n"
        "    def f(self):\n        look(self.c(torch.ones(2), torch.ones(2)))\n",
        "def f(loader):\n    look(loader(3))\nf(torch.load)",
        "look(F.mse_loss)",
    ],
)
def test_functions_that_are_not_known_or_several(text: str) -> None:
    assert not isinstance(value_of(text), Tensor)


@pytest.mark.parametrize(
    ("collate", "is_known"),
    [
        ("", True),
        (", collate_fn=None", True),
        (", collate_fn=torch.utils.data.default_collate", True),
        (", False, None, None, 0, join", False),
        (", collate_fn=data.join", False),
    ],
)
def test_what_a_function_of_the_users_collates_may_be_anything(
    collate: str, is_known: bool
) -> None:
    loop = f"for x, y in DataLoader(data, 8{collate}):\n    look(x)"
    assert isinstance(value_of(loop), Unknown) is not is_known
    first = f"x, y = next(iter(DataLoader(data, 8{collate})))\nlook(x)"
    assert isinstance(value_of(first), Unknown) is not is_known


def test_texts_of_a_batch_keep_their_index() -> None:
    text = (
        "from torch.utils.data import DataLoader\n"
        "for batch in DataLoader(data, collate_fn=data.collate):\n"
        "    lengths = [x.index('<PAD>') for x in batch[3]]\n"
    )
    assert migrate(text, "TP903").text == text


@pytest.mark.parametrize(
    ("other", "is_tensor"),
    [
        ("0.5", True),
        ("torch.ones(2)", True),
        ("unknown", True),
        ("pytest.approx(0.5)", False),
        ("Close()", False),
    ],
)
def test_what_is_compared_with_an_object_of_another_class_is_up_to_that(
    other: str, is_tensor: bool
) -> None:
    own = "class Close:\n    def __eq__(self, other): return True\n"
    for compared in (f"torch.zeros(2) == ({other})", f"({other}) == torch.zeros(2)"):
        value = value_of(own + f"def f(unknown): look({compared})")
        assert isinstance(value, Tensor if is_tensor else Unknown)
