"""What is known about expressions, and what must stay unknown."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tests.support.values import value_of_last
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.lattice import (
    Array,
    Batch,
    Device,
    Foreign,
    Instance,
    Loader,
    Method,
    Module,
    NoneValue,
    Number,
    Optimizer,
    Sequence,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
)

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport numpy as np\n"


SUM = "total = 0\nfor x in y:\n    total += F.nll_loss(x, x)\n"


def value_of(text: str) -> Value:
    """The value of the argument of the last ``look(…)`` of the text."""
    text = HEAD + textwrap.dedent(text)
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    looks = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look"]
    return facts.value(max(looks, key=lambda c: c.lineno).args[0])


@pytest.mark.parametrize(
    "text",
    [
        "look(torch.zeros(2, 3))",
        "x = torch.zeros(2)\nlook(x)",
        "x, y = torch.zeros(2), 1\nlook(x)",
        "if a:\n    x = torch.zeros(2)\nelse:\n    x = torch.ones(2)\nlook(x)",
        "def f(x):\n    return x.unsqueeze(0)\nlook(f(y))",
        "def f(x):\n    look(x)\nf(torch.ones(1))",
        "def f(x):\n    y = x.permute(0, 1)\n    look(x)",
        "def f(x, i):\n    y = x.gather(-1, i)\n    look(x)",
        "def f(x, i):\n    look(x.gather(1, i))",
        "def f(x, n):\n    x.expand(n, -1)\n    look(x)",
        "def f():\n    return torch.ones(1)\nlook(f())",
        "for x, y in torch.utils.data.DataLoader(d):\n    look(x)",
        "for i, (x, y) in enumerate(torch.utils.data.DataLoader(d)):\n    look(y)",
        "m = nn.Linear(2, 3)\nlook(m(z))",
        "m = nn.Sequential(nn.Linear(2, 3), nn.ReLU())\nlook(m(z))",
        "out, (h, c) = nn.LSTM(2, 3)(z)\nlook(c)",
        "class N(nn.Module):\n    def __init__(self):\n        self.f = nn.Linear(1, 2)\n"
        "    def forward(self, x):\n        return self.f(x)\nlook(N()(z))",
        "values, indices = torch.ones(2, 3).max(1)\nlook(indices)",
        "x = torch.ones(2)\nfor i in range(3):\n    x = x + 1\nlook(x)",
        "x = None\nif a:\n    x = torch.ones(2)\nif x is not None:\n    look(x)",
        "x = None\nif a:\n    x = torch.ones(2)\nif x is None:\n    x = torch.zeros(2)\nlook(x)",
        "def f(m, g):\n    m.addcmul_(2, g, g)\n    look(g)",
        "def f(m, g):\n    m.addcdiv_(g, m, value=2)\n    look(g)",
        "def f(m, g):\n    m.add_(2, g)\n    look(g)",
        "def f(m):\n    m.addmm_(2, a, b)\n    look(m)",
        "def f(x=None):\n    if x is None:\n        return\n    look(x)\nf(torch.ones(1))",
        "def f(x=None):\n    return look(x) if x is not None else 1\nf(torch.ones(1))",
        "look((h or torch.ones(1)) + 1)\nh = None",
        "x = [torch.ones(2)]\nlook(x[0])",
        "class A:\n    def __init__(self, x):\n        look(x)\nA(torch.ones(2))",
        "class A:\n    def __init__(self, x):\n        look(x)\nclass B(A):\n"
        "    def __init__(self):\n        super().__init__(torch.ones(2))",
        "class A:\n    def __init__(self):\n        self.t = 0\n    def f(self, x):\n"
        "        self.t += F.nll_loss(x, x)\n        look(self.t.data)",
        "def f(x):\n    if isinstance(x, torch.Tensor):\n        look(x)",
        "def f(x):\n    if isinstance(x, (torch.Tensor, torch.autograd.Variable)):\n        look(x)",
        "def f(x):\n    if isinstance(x, (torch.cuda.FloatTensor, torch.Tensor)):\n        look(x)",
        "look(torch.from_numpy(np.zeros(3)))",
        "look(nn.Linear(1, 2).weight)",
        "look(nn.GRUCell(1, 2).weight_hh)",
        "look(nn.Linear(1, 2).bias.data)",
        "class N(nn.Module):\n    def forward(self, x):\n        look(x)\nN()(torch.ones(2))",
        "def f(m, x, y):\n    out = m(x)\n    nn.CrossEntropyLoss()(out, y)\n    look(out)",
        "def f(x):\n    x.norm(2)\n    look(x)",
        "def f(x):\n    x.multinomial().data\n    look(x)",
        "def f(x):\n    x.multinomial().squeeze(1)\n    look(x)",
        "def f(x):\n    y = x.multinomial()\n    look(x)\n    return y.data",
        "def f(x, n):\n    x.multinomial(n, True)\n    look(x)",
        "def f(x, n):\n    x.multinomial(n, replacement=n)\n    look(x)",
        "def f(x: torch.Tensor):\n    look(x)",
        "def f(x: torch.autograd.Variable):\n    look(x)",
        "def f(x):\n    x.norm(p=1, dim=1)\n    look(x)",
        "def f(x):\n    x.norm()\n    look(x)",
    ],
)
def test_tensors(text: str) -> None:
    assert isinstance(value_of(text), Tensor)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    look(x)",
        "def f(x):\n    if isinstance(x, (torch.Tensor, list)):\n        look(x)",
        "def f(x):\n    if isinstance(x, (torch.Tensor, np.ndarray)):\n        look(x)",
        "def f(x):\n    if isinstance(x, ()):\n        look(x)",
        "def f(x):\n    if isinstance(x, (torch.Tensor, *kinds)):\n        look(x)",
        "if a:\n    x = torch.zeros(2)\nelse:\n    x = load()\nlook(x)",
        "x = torch.zeros(2)\nx = load(x)\nlook(x)",
        "def f(x):\n    look(x)\nf(torch.ones(1))\nf(3)",
        "def f(x):\n    look(x)\nmap(f, y)",
        "def f(x):\n    if isinstance(x, np.ndarray):\n        x = 1\n    x.unsqueeze(0)\n    look(x)",
        "class T:\n    def unsqueeze(self, n): pass\ndef f(x):\n    x.unsqueeze(0)\n    look(x)",
        "def f(x):\n    x.view(2, 3)\n    look(x)",
        "def f(ax):\n    ax.scatter(0, 0, 10)\n    look(ax)",
        "def f(x):\n    look(x)\ndef g():\n    return torch.zeros(2), 1\nf(*g(), *h)",
        "def f(x, y):\n    look(y)\ndef g():\n    return 1, torch.zeros(2)\nf(*g(), y=h)",
        "def f(x, y):\n    look(y)\nf(*h)",
        "def f(rng, p):\n    rng.multinomial(1, p)\n    look(rng)",
        "def f(rng, p):\n    rng.multinomial(1, p, 5)\n    look(rng)",
        "def f(rng, p):\n    rng.multinomial(n=1, pvals=p)\n    look(rng)",
        "def f(rng, p):\n    rng.multinomial(*p)\n    look(rng)",
        "def f(sampler):\n    sampler.multinomial()\n    look(sampler)",
        "def f(sampler):\n    sampler.multinomial().shape\n    look(sampler)",
        "def f(sampler):\n    y = sampler.multinomial()\n    look(sampler)\n    return y.shape",
        "def f(sampler, x):\n    y = sampler.multinomial()\n    y = x[y]\n    look(sampler)\n    y.data",
        "def f(sampler, n):\n    sampler.multinomial(n)\n    look(sampler)",
        "def f(rng, p):\n    rng.multinomial(1, True, 5)\n    look(rng)",
        "def f(comm, x):\n    comm.gather(x, root=0)\n    look(comm)",
        "def f(comm, x):\n    look(comm.gather(x, 0))",
        "def f(uniform, shape):\n    look(uniform.expand(shape))",
        "def f(shape):\n    shape.numel()\n    look(shape)",
        "def f(layers, x):\n    layers.norm(x)\n    look(layers)",
        "def f(scale, x):\n    scale.norm(2) if a else x\n    look(scale)",
        "def f(x):\n    x.sum()\n    look(x)",
        "x = None\nfor i in range(3):\n    x = torch.ones(2)\nlook(x)",
        "def f(x=None):\n    look(x)\nf(torch.ones(1))",
        "def f(x):\n    if a:\n        x.unsqueeze(0)\n    look(x)",
        "def f(x):\n    y = x.unsqueeze(0) if a else x\n    look(x)",
        "p = torch.ones(2)\nlook(p.grad)",
        "total = 0\nfor x in y:\n    total += F.nll_loss(x, x)\nlook(total)",
        "look(y.sum())",
        "look(nn.Linear(1, 2).bias)",
        "class N(nn.Module):\n    def forward(self, x):\n        look(x)\n"
        "N()(torch.ones(2))\nN()([1])",
        "class A:\n    def __init__(self, x):\n        look(x)\nA(torch.ones(2))\nA([1])",
        "class A:\n    def __init__(self, x):\n        assert isinstance(x, (list, torch.Tensor))\n"
        "        look(x)\nA(torch.ones(2))",
        "class A:\n    def __init__(self):\n        self.t = 0\n    def f(self, x):\n"
        "        self.t += F.nll_loss(x, x)\n        look(self.t)",
        "class A:\n    def f(self):\n        if type(self.x) is int:\n            return\n"
        "        self.x.backward()\n    def g(self):\n        look(self.x)",
        "def f(m, g):\n    m.addcmul_(g, 2, 2)\n    look(g)",
        "def f(m, g):\n    m.addcmul_(g, tensor1=m, tensor2=m)\n    look(g)",
        "def f(m, g):\n    m.add_(g)\n    look(g)",
        "def f(m, g):\n    torch.addmm(g, m, 2, m, m)\n    look(g)",
        "look(data)",
        "from models import make\nlook(make())",
        "import models\nlook(models.make())",
        "look(data.data)",
        "x = torch.ones(1)\ndel x\nlook(x)",
        "def f():\n    return f()\nlook(f())",
        "class A(Base):\n    pass\nlook(A())",
        "try:\n    x = torch.ones(1)\nexcept E:\n    x = other()\nlook(x)",
        "x = torch.ones(1)\nwhile a:\n    x = other(x)\nlook(x)",
        "from mine import *\nlook(ones(1))",
        SUM + "total /= n\nlook(total.data)",
    ],
)
def test_unknown(text: str) -> None:
    assert isinstance(value_of(text), Unknown)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("look(nn.Linear(1, 2).cuda().eval())", Module),
        ("class N(nn.Module): pass\nlook(N())", Module),
        ("class A: pass\nlook(A())", Instance),
        ("look(torch.optim.SGD(p, 0.1))", Optimizer),
        ("look(torch.utils.data.DataLoader(d))", Loader),
        ("look(next(iter(torch.utils.data.DataLoader(d))))", Batch),
        ("look(np.zeros(3) + 1)", Array),
        ("look(torch.ones(3).numpy())", Array),
        ("look(torch.ones(3).size(0))", Number),
        ("look(torch.ones(3).sum().item())", Number),
        ("look(len(x) * 2.0)", Number),
        ("for n in [1, 2]:\n    look(n)", Number),
        ("look(np.random.randint(3))", Number),
        ("look('a.b'.rsplit('.', 1)[0])", Text),
        (
            "k = 0\nfor x in y:\n    look(k)\n    k = k + F.nll_loss(x, x)\n    k = k.data[0]",
            Number,
        ),
        (
            "k = 0\nfor x in y:\n    look(k)\n    k = torch.zeros(1)\n    if x:\n        continue\n"
            "    k = 1",
            Unknown,
        ),
        ("look(F.nll_loss(x, y).data[0])", Number),
        ("look('ab'.find('b'))", Number),
        ("class A:\n    def __init__(self):\n        self.n = 0\n        look(self.n)", Number),
        (
            "class A:\n    def __init__(self):\n        self.n = 0\n        look(self.n)\n"
            "class B(A):\n    def f(self, x):\n        self.n += x",
            Unknown,
        ),
        ("look(np.random.randint(3, size=2))", Array),
        ("look(np.random.RandomState(0).rand(2))", Array),
        ("look(np.random.RandomState(0))", Foreign),
        ("look(np.exp(np.ones(2)))", Array),
        ("look(np.argsort(np.ones(2)))", Array),
        ("look(np.argsort(torch.ones(2)))", Unknown),
        ("look(np.repeat(torch.ones(2), 2))", Unknown),
        ("look(np.exp(x))", Unknown),
        ("def f(n=1):\n    look(n)", Unknown),
        ("import pytest\n@pytest.mark.x\ndef f(n):\n    look(n)\nf(1)", Unknown),
        ("@mine\ndef f():\n    return 1\nlook(f())", Unknown),
        ("@torch.no_grad()\ndef f():\n    return 1\nlook(f())", Number),
        ("x.parameters = stub\nlook(x.parameters())", Unknown),
        ("import torch as t\nt.unsqueeze(x, 0)\nlook(t)", Unknown),
        ("look(iter(x))", Unknown),
        (
            "from tqdm import tqdm\nfor b in tqdm(torch.utils.data.DataLoader(d)):\n    look(b)",
            Batch,
        ),
        ("import argparse\nlook(argparse.ArgumentParser())", Foreign),
        ("def f(x, y=1):\n    look(y)\ndef g():\n    return (torch.zeros(2),)\nf(*g())", Number),
    ],
)
def test_other_kinds(text: str, kind: type[Value]) -> None:
    assert isinstance(value_of(text), kind)


@pytest.mark.parametrize(
    ("text", "ndim"),
    [
        ("look(torch.zeros(2, 3))", 2),
        ("look(torch.zeros(2).new(len(n)))", 1),
        ("def f(x):\n    look(x.data.new(x.size(0), 3))", 2),
        ("look(torch.zeros(2).new(n))", None),
        ("look(torch.zeros(2).new())", None),
        ("i = torch.zeros(1, 2)\nlook(i.new(i, torch.zeros(2)))", None),
        ("look(y.sum().data)", 0),
        ("x = torch.zeros(2).sum()\nx /= n\nlook(x)", 0),
        ("x = torch.zeros(2).sum()\nx = x / n\nlook(x)", None),
        ("x = 0\nx += n * torch.zeros(2)\nlook(x)", None),
        ("look(torch.LongTensor([w for w in words if len(w)]))", None),
        ("look(torch.LongTensor([len(w) for w in words]))", 1),
        ("total = 0\nfor x in y:\n    total += F.nll_loss(x, x)\nlook(total.data)", 0),
        (SUM + "total /= len(y)\nlook(total.data)", 0),
        (SUM + "total /= 3\ntotal *= 2\nlook(total.data)", 0),
        (SUM + "total /= torch.ones(3)\nlook(total.data)", None),
        ("look(z.view(n, -1)[0].topk(3)[1].data)", 1),
        ("a = z.view(n, -1).topk(3)[1]\nlook(a)", 2),
        ("a, b = z.reshape(n, 3, k).topk(3)\nlook(b)", 3),
        ("a = z.view(*n, 3).topk(3)[1]\nlook(a)", None),
        ("a = z.view(n).topk(3)[1]\nlook(a)", None),
        (
            "class C:\n    def view(self, a, b):\n        return torch.ones(3)\n"
            "a = z.view(n, 3).topk(3)[1]\nlook(a)",
            None,
        ),
        ("look(nn.NLLLoss(reduction='mean' if mean else 'sum')(a, b))", 0),
        ("look(torch.autograd.variable([[1, 2]]))", 2),
        ("look(nn.NLLLoss(reduction='mean' if mean else 'none')(a, b))", None),
        (
            "import other\nclass A(other.B):\n    def f(self):\n        self.x = torch.zeros(2)\n"
            "        look(self.x)",
            None,
        ),
        ("look(torch.FloatTensor())", 1),
        ("look(torch.sparse.FloatTensor(i, v, shape))", None),
        ("look(torch.zeros((2, 3, 4)))", 3),
        ("look(torch.zeros(n))", None),
        ("look(torch.zeros(2, 3).sum())", 0),
        ("look(torch.zeros(2, 3).sum(1))", 1),
        ("look(torch.zeros(2, 3).sum(1, keepdim=True))", 2),
        ("look(torch.zeros(2, 3)[0])", 1),
        ("look(torch.zeros(2, 3)[0, 1])", 0),
        ("look(torch.zeros(2, 3)[:, 1:])", 2),
        ("look(torch.zeros(2, 3)[mask])", None),
        ("look(torch.zeros(2, 3).unsqueeze(0))", 3),
        ("look(torch.zeros(2, 3).squeeze())", None),
        ("look(torch.multinomial(p, num_samples=1).squeeze(1))", 1),
        ("look(torch.multinomial(p, 1).squeeze(1))", 1),
        ("look(torch.multinomial(p, 1).squeeze(0))", None),
        ("look(torch.multinomial(p, 1).squeeze())", None),
        ("look(torch.multinomial(p, n).squeeze(1))", None),
        ("look(torch.zeros(2, 3).view(6))", 1),
        ("look(torch.zeros(2, 3).view(-1, 2, 3))", 3),
        ("look(torch.zeros(2, 3) + torch.zeros(4, 2, 3))", 3),
        ("look(nn.Conv2d(1, 2, 3)(x))", 4),
        ("look(F.nll_loss(a, b))", 0),
        ("look(F.nll_loss(a, b, reduction='none'))", None),
        ("look(nn.MSELoss()(a, b))", 0),
        ("look(nn.MSELoss(reduce=False)(a, b))", None),
        ("look(nn.MSELoss()(a, b) + 0.1 * F.l1_loss(a, b))", 0),
        ("look(nn.MSELoss()(a, b) + penalty)", None),
        ("x = torch.zeros(2)\nx.unsqueeze_(0)\nlook(x)", None),
        ("x = torch.zeros(2)\nx.data.resize_(3, 4)\nlook(x)", None),
        ("x = torch.zeros(2)\nx.resize_(3)\nlook(x)", 1),
        ("x = torch.zeros(2)\nx.resize_(x.size(0) + 1).fill_(1)\nlook(x)", 1),
        ("x = torch.zeros(2, 1)\nx.data.resize_(3, n)\nlook(x)", 2),
        ("x = torch.zeros(2, 1)\nx.resize_((3, n))\nlook(x)", 2),
        ("x = torch.zeros(2, 1)\nx.resize_(torch.ones(3, 4).size())\nlook(x)", 2),
        ("x = torch.zeros(2, 1)\nx.resize_as_(torch.ones(3, 4))\nlook(x)", 2),
        ("x = torch.zeros(2, 1)\nx.resize_as_(torch.ones(3))\nlook(x)", None),
        ("x = torch.zeros(2, 1)\nx.resize_(torch.ones(3).size())\nlook(x)", None),
        ("x = torch.zeros(2)\nx.resize_(n)\nlook(x)", None),
        ("x = torch.zeros(2)\nx.resize_(*n)\nlook(x)", None),
        ("x = torch.zeros(2)\nx.resize_(3, memory_format=n)\nlook(x)", None),
        ("x = torch.zeros(2)\nx.resize_(3)\nx.resize_(n)\nlook(x)", None),
        ("x = torch.zeros(2)\nx.resize_(y.size())\nlook(x)", None),
        ("x = torch.zeros(2)\nchange(x.resize_)\nlook(x)", None),
        ("x = torch.zeros(2)\nx.data = y\nlook(x)", None),
        ("x = torch.zeros(2)\nx.data.zero_()\nlook(x)", 1),
        ("look(nn.Conv2d(1, 2, 3)(torch.zeros(1, 5, 5)))", 3),
        ("look(nn.Upsample(scale_factor=2)(torch.zeros(1, 5, 5)))", 3),
        ("look(F.max_pool2d(torch.zeros(1, 5, 5), 2))", 3),
        ("look(nn.LSTM(5, 6)(torch.zeros(4, 5))[0])", 2),
        ("look(torch.zeros(2, 3, 3).diagonal())", 2),
        ("look(torch.randn(size=(2, 3)))", 2),
        ("look(torch.randn(**sizes))", None),
        ("x = [ord(c) for c in y]\nlook(torch.LongTensor(x))", 1),
        ("x = [[1, 2], [3, 4]]\nlook(torch.tensor(x))", 2),
        ("x = [1, 2]\nx.append(y)\nlook(torch.LongTensor(x))", None),
        ("x = [index[c] for c in y]\nlook(torch.LongTensor(x))", None),
        ("x = []\nlook(torch.LongTensor(x))", None),
        ("def f(a, b):\n    look(b)\ndef g():\n    return 1, torch.zeros(2)\nf(*g())", 1),
        (
            "class T:\n    def f(self, a, b=None):\n        look(a)\n"
            "def g():\n    return torch.zeros(2), 1\nT().f(*g())",
            1,
        ),
    ],
)
def test_number_of_dimensions(text: str, ndim: int | None) -> None:
    value = value_of(text)
    assert isinstance(value, Tensor)
    assert value.ndim == ndim


@pytest.mark.parametrize(
    ("text", "grad"),
    [
        ("look(torch.zeros(2))", False),
        ("look(torch.zeros(2, requires_grad=True))", None),
        ("look(torch.zeros(2) * 2)", False),
        ("look(torch.zeros(2) * w)", None),
        ("look(torch.zeros(2).mul(w))", None),
        ("look(torch.zeros(2).mul(torch.ones(2)))", False),
        ("look(F.linear(torch.zeros(2), w))", None),
        ("look(nn.Linear(1, 2)(torch.zeros(1)))", None),
        ("look(nn.Linear(1, 2)(torch.zeros(1)).detach())", False),
        ("look(nn.Linear(1, 2)(torch.zeros(1)).data)", False),
        ("x = torch.zeros(2)\nx[0] = w\nlook(x)", None),
        ("x = torch.zeros(2)\nx.copy_(w)\nlook(x)", None),
        ("x = torch.zeros(2)\nx.fill_(1)\nlook(x)", False),
        ("x = torch.zeros(2)\nx.requires_grad = True\nlook(x)", None),
        ("look(torch.zeros(2).new().resize_as_(w))", False),
        ("look(torch.cat([torch.zeros(2), torch.ones(2)]))", False),
        ("look(torch.cat([torch.zeros(2), w.exp()]))", None),
    ],
)
def test_history(text: str, grad: bool | None) -> None:
    value = value_of(text)
    assert isinstance(value, Tensor)
    assert value.grad is grad


def test_what_is_back_propagated_without_a_gradient_holds_one_element() -> None:
    value = value_of("def f(loss):\n    loss.backward()\n    look(loss)")
    assert isinstance(value, Tensor) and value.single
    value = value_of("def f(x, g):\n    x.backward(g)\n    look(x)")
    assert not (isinstance(value, Tensor) and value.single)


def test_what_is_back_propagated_and_has_data_is_a_tensor() -> None:
    text = "def f(x, g):\n    g(x.data)\n    x.backward(g)\n    look(x)"
    assert isinstance(value_of(text), Tensor)
    own = "class Net:\n    def backward(self, g): pass\n"
    for other in (text.replace("x.data", "x"), own + text):
        assert not isinstance(value_of(other), Tensor)


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("look(torch.zeros(2) > 1)", "bool"),
        ("look((torch.zeros(2) > 1).byte())", "uint8"),
        ("look((torch.zeros(2) > 1).byte().cuda())", "uint8"),
        ("mask = (tokens == 0).byte()\nlook(mask)", "uint8"),
        ("look((torch.zeros(2) > 1).to(torch.device('cuda')))", "bool"),
        ("look((torch.zeros(2) > 1).to(torch.float32))", "float32"),
        ("look((torch.zeros(2) > 1).to(dtype=d))", None),
        ("look((torch.zeros(2) > 1).type(torch.LongTensor))", "int64"),
        ("look(torch.FloatTensor(2).type_as(x))", None),
        ("look(torch.zeros(2).argmax(0).sqrt())", "float"),
        ("look((torch.zeros(2) > 1).cumsum(0))", "int64"),
        ("look(torch.zeros(2).topk(1)[1].view(-1))", "int64"),
        ("def forward(x):\n    look(x)\nforward(torch.zeros(2) > 1)", "bool"),
        ("def f(x):\n    look(x)\nf(torch.zeros(2) > 1)", "bool"),
    ],
)
def test_dtype(text: str, dtype: str | None) -> None:
    value = value_of(text)
    assert isinstance(value, Tensor)
    assert value.dtype == dtype


def test_a_tensor_compared_with_none_gives_a_number() -> None:
    assert value_of("look(torch.zeros(2) == None)") == Number("bool")


@pytest.mark.parametrize(
    ("text", "contiguous"),
    [
        ("look(torch.FloatTensor(np.zeros((2, 3)).T))", False),
        ("look(torch.Tensor(data))", False),
        ("look(torch.Tensor([1, 2]))", True),
        ("look(torch.Tensor(2, 3))", True),
        ("look(torch.Tensor(torch.zeros(2).size()))", True),
        ("look(torch.sparse.FloatTensor(i, v, shape))", False),
        ("def f(n):\n    nn.Conv2d(1, n, 3)\n    look(torch.Tensor(n).uniform_())", True),
        ("torch.zeros(n)\nlook(torch.Tensor(n))", False),
        ("def f(n):\n    torch.zeros(n)\n    look(torch.Tensor(n))", True),
        ("def f(n):\n    torch.zeros(n)\n    n = g()\n    look(torch.Tensor(n))", False),
        ("def f(n):\n    torch.zeros(n, 2)\n    look(torch.Tensor(n))", True),
        ("def f(n):\n    torch.Tensor(n)\n    look(torch.Tensor(n))", False),
        ("def f(n):\n    torch.full(n, 2)\n    look(torch.Tensor(n))", False),
        ("def f(n):\n    type(n)\n    torch.zeros(n)\n    look(torch.Tensor(n))", False),
    ],
)
def test_new_tensors_may_lie_in_the_memory_of_an_array(text: str, contiguous: bool) -> None:
    value = value_of(text)
    assert isinstance(value, Tensor)
    assert value.contiguous is contiguous


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("look(1 + 2)", "int"),
        ("look(1 + 2.0)", "float"),
        ("look(2.0 - 1)", "float"),
        ("look(2.0 * 1.0)", "float"),
        ("look(4 / 2)", "float"),
        ("look(len(a) * 2)", "int"),
        ("look(a.item() + 1)", None),
    ],
)
def test_numbers_that_come_out_of_numbers(text: str, kind: str | None) -> None:
    assert value_of(text) == Number(kind)


@pytest.mark.parametrize(
    ("test", "cls"),
    [
        ("isinstance(m, nn.Conv2d)", "torch.nn.Conv2d"),
        ("go and isinstance(m, nn.Conv2d)", "torch.nn.Conv2d"),
    ],
)
def test_layers_that_code_asks_for(test: str, cls: str) -> None:
    assert value_of(f"def f(m):\n    if {test}:\n        look(m)") == Module(cls=cls)


@pytest.mark.parametrize(
    "test",
    ["isinstance(m, list)", "isinstance(m, (nn.Conv2d, list))", "isinstance(other, nn.ReLU)"],
)
def test_what_code_asks_for_is_no_layer(test: str) -> None:
    assert value_of(f"def f(m):\n    if {test}:\n        look(m)") == Unknown()


def test_a_list_of_the_same_name_elsewhere_adds_nothing() -> None:
    other = "    def g():\n        xs = []\n        xs.append('a')\n"
    text = f"def h():\n    xs = []\n    xs.append(torch.ones(1))\n{other}    look(xs[0])"
    assert isinstance(value_of(text), Tensor)
    assert not isinstance(value_of(text.replace("        xs = []\n", "")), Tensor)


@pytest.mark.parametrize("is_used", [False, True])
def test_other_files_may_pass_something_else(is_used: bool) -> None:
    text = "def f(n):\n    look(n)\nf(2)\n"
    facts = WholeFacts(ast.parse(text), text, used_elsewhere=lambda name: is_used)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    look = next(c for c in calls if ast.unparse(c.func) == "look")
    assert (facts.value(look.args[0]) == Number("int")) is not is_used


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a, *b, c = 'x', 'y', torch.ones(2)\nlook(c)", Tensor),
        ("a, *b, c, d = 'x', 'y', torch.ones(2), 'z'\nlook(c)", Tensor),
        ("a, *b, (c, d) = 'x', 'y', ('z', torch.ones(2))\nlook(d)", Tensor),
        ("*a, b = torch.ones(2), 'x'\nlook(b)", Text),
        ("a, *b, c = 'x', 'y', 'z', torch.ones(2)\nlook(c)", Tensor),
        ("a, *b, c = torch.ones(2), 'x'\nlook(c)", Text),
        ("*a, b = y\nlook(b)", Unknown),
        ("a, b, c = torch.ones(2), *y\nlook(c)", Unknown),
        ("a, *b = torch.ones(2), 'x'\nlook(a)", Tensor),
    ],
)
def test_what_stands_before_and_behind_a_starred_name(text: str, kind: type) -> None:
    assert isinstance(value_of(text), kind)


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("def f(x=None):\n    if x is not None and go:\n        look(x)", True),
        ("def f(x=None):\n    if x is not None or go:\n        look(x)", False),
        ("def f(x=None):\n    if x is None or go:\n        return\n    look(x)", True),
        ("def f(x=None):\n    if x is None and go:\n        return\n    look(x)", False),
        ("def f(x=None):\n    if not (go and x is not None):\n        return\n    look(x)", True),
        ("def f(x=None):\n    if not (go or x is not None):\n        return\n    look(x)", False),
    ],
)
def test_what_a_test_of_several_conditions_excludes(text: str, is_known: bool) -> None:
    assert isinstance(value_of(text + "\nf(torch.ones(1))"), Tensor) is is_known


def test_the_one_element_that_an_index_leaves() -> None:
    one, row = value_of("look(torch.zeros(3)[0])"), value_of("look(torch.zeros(3, 2)[0])")
    assert isinstance(one, Tensor) and one.single
    assert isinstance(row, Tensor) and not row.single


@pytest.mark.parametrize(
    ("made", "dtype"),
    [
        ("x.astype('uint8')", "uint8"),
        ("x.astype(dtype=np.uint8)", "uint8"),
        ("np.zeros(3, np.int64)", "int64"),
        ("np.full(3, 1, dtype=np.float32)", "float32"),
        ("np.array(x, dtype=bool)", "bool"),
        ("np.zeros(3)", "float64"),
        ("x.astype(float)", "float64"),
        ("np.uint8(x)", "uint8"),
        ("np.zeros(3, **how)", None),
        ("np.zeros(3, kind)", None),
        ("np.array(x)", None),
        ("np.zeros_like(x)", None),
        ("x.astype('uint8').transpose(1, 2, 0)", "uint8"),
        ("np.squeeze(x.astype('uint8'))", "uint8"),
        ("np.sum(x.astype('uint8'))", None),
        ("x.astype('uint8').view('float32')", None),
        ("x.transpose(1, 2, 0)", None),
        ("x.astype(kind)", None),
        ("x.astype('S8')", None),
        ("x.view('uint8')", None),
        ("np.arange(3, dtype=int)", None),
        ("make(np.zeros(3, np.uint8))", None),
    ],
)
def test_a_tensor_holds_what_its_array_held(made: str, dtype: str | None) -> None:
    for text in (f"look(torch.from_numpy({made}))", f"y = {made}\nlook(torch.from_numpy(y))"):
        tensor = value_of(text)
        assert isinstance(tensor, Tensor) and tensor.dtype == dtype


def test_arrays_on_two_ways_hold_the_same() -> None:
    text = "y = x.astype('uint8')\nif x:\n    y = x.astype('{}')\nlook(torch.from_numpy(y))"
    for other, dtype in (("uint8", "uint8"), ("int64", None)):
        tensor = value_of(text.format(other))
        assert isinstance(tensor, Tensor) and tensor.dtype == dtype


@pytest.mark.parametrize(
    ("made", "ndim"),
    [
        ("torch.from_numpy(np.arange(n))", 1),
        ("torch.from_numpy(np.arange(n).astype('float32'))", 1),
        ("torch.tensor(np.abs(np.eye(n)))", 2),
        ("torch.from_numpy(np.arange(n).reshape(2, k))", None),
        ("torch.from_numpy(np.arange(n).view(kind))", None),
        ("torch.from_numpy(np.zeros(n))", None),
        ("torch.from_numpy(np.arange(*n))", None),
        ("torch.from_numpy(made.ravel())", None),
        ("torch.from_numpy(y)", None),
    ],
)
def test_a_tensor_has_the_dimensions_of_its_array(made: str, ndim: int | None) -> None:
    tensor = value_of(f"y = np.arange(6)\ny.shape = 2, 3\nlook({made})")
    assert isinstance(tensor, Tensor) and tensor.ndim == ndim


@pytest.mark.parametrize("call", ["x.multinomial()", "torch.multinomial(x, replacement=True)"])
def test_numbers_that_are_drawn_without_saying_how_many(call: str) -> None:
    drawn = value_of(f"x = torch.rand(2, 3)\nlook({call})")
    assert isinstance(drawn, Tensor) and drawn.dtype == "int64" and drawn.ndim == 2


@pytest.mark.parametrize("cell", ["nn.LSTMCell(2, 3)(x)[1]", "nn.GRUCell(2, 3)(x)"])
def test_states_of_cells_are_new(cell: str) -> None:
    state = value_of(f"look({cell})")
    assert isinstance(state, Tensor) and state.contiguous and state.ndim == 2


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("np.random.rand(3)", Array()),
        ("np.random.rand()", Number("float")),
        ("np.random.randint(0, 3)", Number("int")),
        ("np.random.randint(0, 3, 5)", Array()),
        ("np.random.randint(3, size=5)", Array()),
        ("np.random.randint(3, **options)", Unknown()),
        ("np.random.poisson(lam=np.ones(3))", Unknown()),
        ("np.random.normal([1.0, 2.0], 0.1)", Unknown()),
        ("np.random.RandomState(0).beta(torch.ones(3), 1)", Unknown()),
        ("np.random.beta(alpha, alpha)", Number("float")),
        ("np.random.normal(0, 1)", Number("float")),
        ("np.random.normal(0, 1, 2)", Array()),
        ("np.random.RandomState(0).rand(2)", Array()),
        ("np.random.choice(a)", Unknown()),
        ("np.where(a > 1)", Sequence(Array())),
        ("np.where(np.zeros(2) > 1)", Sequence(Array())),
        ("np.zeros(2).tolist()", Sequence()),
        ("np.zeros(2).item()", Number()),
        ("np.zeros(2).tobytes()", Text()),
        ("np.zeros(2).astype(int)", Array()),
        ("np.exp(x)", Unknown()),
        ("np.exp(torch.ones(2))", Unknown()),
        ("np.load(path)", Unknown()),
        ("np.random.default_rng(0).normal(0, 1)", Number("float")),
        ("np.random.seed(0)", NoneValue()),
        ("np.random.permutation(3)", Array()),
        ("np.random.unknown(3)", Unknown()),
        ("np.zeros(2).sort()", NoneValue()),
        ("np.linalg.norm(a)", Unknown()),
        ("np.sum([1, 2])", Array()),
        ("np.sum(['a'])", Unknown()),
        ("np.sum()", Unknown()),
    ],
)
def test_what_numpy_gives(call: str, value: Value) -> None:
    assert value_of(f"look({call})") == value


@pytest.mark.parametrize(
    ("call", "ndim"),
    [
        ("torch.zeros(2, 3)", 2),
        ("torch.zeros((2, 3))", 2),
        ("torch.zeros([2])", 1),
        ("torch.zeros((n,))", 1),
        ("torch.zeros(len(a))", 1),
        ("torch.zeros(torch.ones(2, 3).size())", 2),
        ("torch.zeros(*sizes)", None),
        ("torch.zeros(2, *sizes)", None),
        ("torch.zeros(sizes)", None),
        ("torch.ones(4).view((2, 2))", 2),
        ("torch.ones(4).view(n)", None),
    ],
)
def test_how_many_dimensions_sizes_ask_for(call: str, ndim: int | None) -> None:
    value = value_of(f"look({call})")
    assert isinstance(value, Tensor) and value.ndim == ndim


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("len(a) * len(b)", Number("int")),
        ("long(a)", Number("int")),
        ("[i for i in xrange(a)]", Sequence(Number("int"))),
        ("unicode(a)", Text()),
        ("len(a) / 2", Number("float")),
        ("len(a) / len(b)", Number("float")),
        ("1.5 * len(a)", Number("float")),
        ("float(a) - 1", Number("float")),
        ("(2 > 1) + 1", Number()),
        ("(2 > 1) + 1.5", Number("float")),
        ("1.5 * unknown", Unknown()),
        ("np.zeros(2) > 1", Array()),
        ("1 > np.zeros(2)", Array()),
        ("np.zeros(2) * 2", Array()),
        ("np.zeros(2) + [1]", Array()),
        ("unknown + np.log(2.0)", Unknown()),
        ("np.zeros(2) * unknown", Unknown()),
        ("np.zeros(2) > unknown", Unknown()),
        ("'%s' % np.zeros(2)", Text()),
        ("2 > 1", Number("bool")),
        ("unknown > 1", Unknown()),
        ("[1] * 2", Sequence(Number("int"))),
        ("[1] + [2]", Sequence(Number("int"))),
        ("[1] + ['a']", Sequence(Unknown())),
        ("[1] + unknown", Unknown()),
        ("'%s' % unknown", Text()),
        ("torch.zeros(2) + [1]", Unknown()),
        ("[1] + torch.zeros(2)", Unknown()),
        ("{'a': 1} if unknown else 3", Unknown()),
        ("3 if unknown else {'a': 1}", Unknown()),
        ("({'a': 1} if unknown else load())['a']", Unknown()),
        ("({'a': 1} if unknown else {'a': 2, 'b': 'x'})['a']", Number("int")),
        ("({'a': 1} if unknown else {'a': 2, 'b': 'x'})['b']", Unknown()),
    ],
)
def test_what_operators_give(expression: str, value: Value) -> None:
    assert value_of(f"look({expression})") == value


@pytest.mark.parametrize(
    ("expression", "ndim"),
    [
        ("nn.LSTMCell(2, 3)(torch.zeros(4, 2))[1]", 2),
        ("nn.LSTMCell(2, 3)(torch.zeros(2))[1]", 1),
        ("nn.GRUCell(2, 3)(torch.zeros(4, 2))", 2),
        ("nn.GRUCell(2, 3)(torch.zeros(2))", 1),
        ("nn.GRU(2, 3)(torch.zeros(5, 4, 2))[0]", 3),
        ("nn.GRU(2, 3)(torch.zeros(4, 2))[0]", 2),
        ("nn.GRU(2, 3)(torch.zeros(4, 2))[1]", 2),
        ("nn.Flatten()(torch.zeros(2, 3, 4))", 2),
        ("nn.Flatten(0)(torch.zeros(2, 3, 4))", None),
        ("nn.Flatten(start_dim=0)(torch.zeros(2, 3, 4))", None),
        ("nn.Unflatten(0, (2, 3))(torch.zeros(6))", None),
        ("torch.zeros(2, 3, 4).flatten()", 1),
        ("torch.flatten(torch.zeros(2, 3, 4))", 1),
        ("torch.flatten(torch.zeros(2, 3, 4), 1)", 2),
        ("torch.zeros(2, 3, 4).flatten(1)", 2),
        ("torch.zeros(2, 3, 4).flatten(k)", None),
        ("torch.zeros(2, 3, 4).flatten(-2)", None),
        ("torch.zeros(2, 3, 4).flatten(0, 1)", None),
        ("torch.zeros(2, 3, 4).flatten(end_dim=1)", None),
        ("torch.tensor([1.0])", 1),
        ("torch.tensor(data=[1.0])", None),
        ("torch.ones(2, 3)[0]", 1),
        ("torch.ones(2, 3)[None]", 3),
        ("torch.ones(2, 3)[..., 0]", 1),
        ("torch.ones(2, 3)[1:]", 2),
        ("torch.ones(2, 3)[k]", None),
        ("torch.ones(2, 3) @ torch.ones(3)", 1),
        ("torch.ones(3) @ torch.ones(3)", 0),
        ("torch.ones(2, 3) @ k", None),
        ("torch.ones(2, 3) + torch.ones(3)", 2),
        ("torch.ones(2, 3) + k", None),
        ("torch.sum(torch.ones(2, 3), axis=0)", 1),
        ("torch.sum(input=torch.ones(2, 3))", 0),
        ("torch.sum(self=torch.ones(2, 3))", 0),
        ("torch.ones(2, 3).sum(1, keepdim=True)", 2),
        ("torch.ones(2, 3).sum(1, keepdim=False)", 1),
        ("torch.ones(2, 3).sum(1, keepdim=k)", None),
        ("torch.ones(2, 3).sum((0, 1))", 0),
        ("torch.ones(2, 3).sum(())", None),
        ("torch.ones(2, 3).sum(k)", None),
        ("torch.stack([torch.ones(2), torch.ones(2)])", 2),
        ("torch.stack([torch.ones(2), k])", None),
        ("torch.matmul(torch.ones(2, 3), k)", None),
        ("torch.matmul(torch.ones(3), torch.ones(3))", 0),
        ("torch.matmul(torch.tensor(1.0), torch.ones(3))", None),
        ("torch.zeros((2, *k))", None),
        ("torch.zeros(torch.ones(2, 3).shape)", 2),
        ("torch.cat(k)", None),
        ("torch.ones(2).repeat(2, 3)", 2),
        ("torch.FloatTensor()", 1),
        ("torch.FloatTensor(2, 3)", 2),
        ("torch.FloatTensor(torch.ones(2, 3).size())", None),
        ("torch.FloatTensor(2, *k)", None),
        ("torch.FloatTensor(3)", 1),
        ("torch.FloatTensor([3])", 1),
        ("torch.FloatTensor([[3, 4]])", 2),
        ("torch.FloatTensor(*k)", None),
        ("torch.FloatTensor(k)", None),
        ("MNIST('.').train_labels", 1),
        ("MNIST('.').train_data", 3),
    ],
)
def test_how_many_dimensions_there_are(expression: str, ndim: int | None) -> None:
    value = value_of(f"from torchvision.datasets import MNIST\nlook({expression})")
    assert isinstance(value, Tensor) and value.ndim == ndim


@pytest.mark.parametrize(
    ("expression", "contiguous"),
    [
        ("torch.ones(2, 3)[1:]", True),
        ("torch.ones(2, 3)[::2]", False),
        ("torch.ones(2, 3)[:, 1:]", False),
        ("torch.ones(2, 3)[0]", True),
        ("torch.ones(2, 3)[..., 0]", False),
        ("torch.ones(2, 3)[:, 0]", False),
        ("torch.ones(2, 3).t()", False),
        ("torch.tensor(3.0).t()", True),
        ("torch.ones(2, 3).t() + 1", False),
        ("torch.ones(2, 3) + 1", True),
        ("torch.ones(2, 3).t() @ torch.ones(2)", True),
        ("torch.broadcast_tensors(torch.ones(3), torch.ones(2, 3))[0]", False),
        ("torch.ones(3).expand(2, -1)", False),
        ("torch.ones(2, 3).sum(0)", True),
        ("torch.stack([torch.ones(2, 3).t(), torch.ones(3, 2)])", True),
    ],
)
def test_what_stays_in_one_piece(expression: str, contiguous: bool) -> None:
    value = value_of(f"look({expression})")
    assert isinstance(value, Tensor) and value.contiguous == contiguous


@pytest.mark.parametrize(
    ("expression", "single"),
    [
        ("torch.zeros(2).sum()", True),
        ("torch.zeros(2).sum() + 1", True),
        ("torch.zeros(2).sum()[None]", True),
        ("torch.zeros(2).sum() + torch.zeros(2)", False),
        ("torch.zeros(2)[None]", False),
        ("torch.zeros(2)[0]", True),
        ("F.mse_loss(x, y)", True),
        ("F.mse_loss(x, y, reduction='none')", False),
        ("F.mse_loss(x, y, reduction='sum' if k else 'mean')", True),
        ("F.mse_loss(x, y, reduction='sum' if k else 'none')", False),
        ("F.mse_loss(x, y, reduction=k)", False),
        ("F.mse_loss(x, y, reduce=True)", True),
        ("F.mse_loss(x, y, reduce=False)", False),
        ("F.mse_loss(x, y, True, True)", True),
        ("F.mse_loss(x, y, True, False)", False),
        ("F.mse_loss(x, y, True, k)", False),
        ("F.mse_loss(x, y, *k)", False),
        ("F.mse_loss(x, y, **k)", False),
    ],
)
def test_where_one_element_is_left(expression: str, single: bool) -> None:
    value = value_of(f"look({expression})")
    assert isinstance(value, Tensor) and value.single == single


@pytest.mark.parametrize(
    ("call", "dtype"),
    [
        ("to(torch.int64)", "int64"),
        ("to(dtype=torch.int64)", "int64"),
        ("to('cpu')", "float"),
        ("to(torch.device('cpu'))", "float"),
        ("to('cpu', torch.int64)", "int64"),
        ("to(0)", "float"),
        ("to(k)", None),
        ("to(torch.zeros(2, dtype=torch.int64))", "int64"),
        ("type(torch.LongTensor)", "int64"),
        ("type('torch.LongTensor')", "int64"),
        ("type(k)", None),
        ("data", "float"),
        ("T", "float"),
    ],
)
def test_dtype_of_what_is_converted(call: str, dtype: str | None) -> None:
    value = value_of(f"look(torch.zeros(2).{call})")
    assert isinstance(value, Tensor) and value.dtype == dtype


_EITHER = Module(either=frozenset({Module(cls="torch.nn.Linear"), Module(cls="torch.nn.Conv2d")}))


@pytest.mark.parametrize(
    ("test", "value"),
    [
        ("isinstance(m, nn.Linear)", Module(cls="torch.nn.Linear")),
        ("isinstance(m, nn.Linear) and k", Module(cls="torch.nn.Linear")),
        ("isinstance(m, (nn.Linear, nn.Conv2d))", _EITHER),
        ("isinstance(m, nn.Conv2d) or isinstance(m, nn.Linear)", _EITHER),
        ("isinstance(m, nn.Linear) or k", Unknown()),
        ("isinstance(m, Own)", Unknown()),
        ("isinstance(m, (nn.Linear, Own))", Unknown()),
        ("isinstance(k, nn.Linear)", Unknown()),
        ("check(m, nn.Linear)", Unknown()),
    ],
)
def test_what_a_test_of_the_class_tells(test: str, value: Value) -> None:
    assert value_of(f"def f(m):\n    if {test}:\n        look(m)") == value


def test_a_size_that_is_spread_out_is_one_of_a_tensor() -> None:
    assert isinstance(value_of("def f(x):\n    g(*x.size())\n    look(x)"), Tensor)
    assert isinstance(value_of("def f(x):\n    g(x.size())\n    look(x)"), Unknown)


@pytest.mark.parametrize(
    ("call", "grad"),
    [
        ("torch.relu(torch.zeros(2), *k)", False),
        ("torch.relu(nn.Linear(1, 2).weight, *k)", None),
        ("torch.relu(*k)", None),
    ],
)
def test_history_of_a_call_with_arguments_that_are_spread_out(call: str, grad: bool | None) -> None:
    value = value_of(f"look({call})")
    assert isinstance(value, Tensor) and value.grad is grad


@pytest.mark.parametrize(
    ("attribute", "kind"),
    [
        ("shape", Size),
        ("device", Device),
        ("grad.data", Tensor),
        ("grad", Unknown),
        ("is_cuda", Number),
        ("grad_fn", Unknown),
        ("dtype", Unknown),
        ("view", Method),
    ],
)
def test_attributes_of_a_tensor(attribute: str, kind: type) -> None:
    assert isinstance(value_of(f"look(torch.zeros(2).{attribute})"), kind)


def test_an_option_of_the_command_line_that_is_calculated_with_is_a_number() -> None:
    text = "import argparse\nargs = argparse.ArgumentParser().parse_args()\n"
    assert value_of(f"{text}look(args.size * 2)") == Number()
    assert value_of(f"{text}look(args.size)") != Number()


def test_what_is_changed_in_place_keeps_its_shape_but_not_as_a_product() -> None:
    added = value_of("x = torch.ones(2, 3)\nx += torch.ones(3)\nlook(x)")
    product = value_of("x = torch.ones(2, 3)\nx @= torch.ones(3)\nlook(x)")
    assert isinstance(added, Tensor) and added.ndim == 2
    assert isinstance(product, Tensor) and product.ndim == 1


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("split(',')", Sequence(Text())),
        ("strip()", Text()),
        ("encode()", Text()),
        ("find('a')", Number("int")),
        ("startswith('a')", Number("bool")),
        ("unknown()", Unknown()),
    ],
)
def test_what_methods_of_texts_give(call: str, value: Value) -> None:
    assert value_of(f"look('text'.{call})") == value


@pytest.mark.parametrize(
    ("expression", "dtype"),
    [
        ("torch.arange(3)", "int64"),
        ("torch.arange(3.0)", "float"),
        ("torch.Tensor(2, 3)", "float"),
        ("torch.Tensor([1, 2])", "float"),
        ("torch.Tensor([x for x in y])", "float"),
        ("torch.LongTensor([1, 2])", "int64"),
        ("torch.arange(n)", None),
        ("torch.full((2,), 1)", "int64"),
        ("torch.full((2,), 1.0)", "float"),
        ("torch.sum(torch.ones(2, dtype=torch.int32))", "int64"),
        ("torch.cumsum(torch.ones(2, dtype=torch.int32), 0)", "int64"),
        ("torch.sum(k, dtype=torch.int32)", "int32"),
        ("torch.ones(2).max(0)[1]", "int64"),
        ("torch.cat([torch.ones(2), torch.zeros(2)])", "float"),
        ("torch.cat([torch.ones(2), torch.arange(2)])", "float"),
        ("torch.stack((torch.ones(2) > 1, torch.arange(2)))", "int64"),
        ("torch.cat([torch.ones(2) > 1, torch.zeros(2, dtype=torch.uint8)], 0)", "uint8"),
        ("torch.cat([torch.ones(2), k])", None),
        ("torch.ones(2) * torch.ones(2, dtype=torch.float64)", "float64"),
        ("torch.arange(2) / 2", "float"),
        ("torch.arange(2) * 2", "int64"),
        ("1 - torch.arange(2)", "int64"),
        ("1 - (torch.ones(2) > 1)", None),
        ("1 + (torch.ones(2) > 1)", "int64"),
        ("torch.arange(2) * 2.5", "float"),
        ("torch.arange(2) * k", None),
        ("torch.ones(2) > 1", "bool"),
    ],
)
def test_dtype_of_what_is_calculated(expression: str, dtype: str | None) -> None:
    value = value_of(f"look({expression})")
    assert isinstance(value, Tensor) and value.dtype == dtype


@pytest.mark.parametrize(
    ("expression", "grad"),
    [
        ("torch.zeros(2)", False),
        ("torch.zeros(2, requires_grad=False)", False),
        ("torch.zeros(2, requires_grad=True)", None),
        ("torch.zeros(2, requires_grad=k)", None),
        ("torch.zeros(2, **k)", None),
        ("torch.zeros(2).requires_grad_()", None),
        ("torch.zeros(2).cuda(k)", False),
        ("torch.zeros(2).cuda(device=k, non_blocking=k)", False),
        ("nn.Linear(2, 2).bias.cuda(k)", None),
        ("torch.zeros(2) + torch.ones(2)", False),
        ("torch.zeros(2) + nn.Linear(2, 2).bias", None),
        ("nn.Linear(2, 2)(torch.zeros(2))", None),
        ("nn.Linear(2, 2).bias.data", False),
        ("nn.Linear(2, 2).bias.argmax()", False),
        ("torch.zeros(2).view(*k)", False),
        ("torch.add(torch.zeros(2), *k)", None),
    ],
)
def test_history_of_what_is_calculated(expression: str, grad: bool | None) -> None:
    value = value_of(f"look({expression})")
    assert isinstance(value, Tensor) and value.grad is grad


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("len(a)", Number("int")),
        ("round(1.5)", Number("int")),
        ("round(1.5, 1)", Number("float")),
        ("round(15, -1)", Number("int")),
        ("round(1.5, ndigits=1)", Number("float")),
        ("round(a, 1)", Unknown()),
        ("float(a)", Number("float")),
        ("bool(a)", Number("bool")),
        ("str(a)", Text()),
        ("abs(-1.5)", Number("float")),
        ("abs(np.ones(2))", Array()),
        ("abs(a)", Unknown()),
        ("max(1, 2)", Number()),
        ("max(1, a)", Unknown()),
        ("max()", Unknown()),
        ("sum([1, 2])", Number("int")),
        ("sum([1.5])", Number("float")),
        ("sum([a > b for a in 'ab'])", Unknown()),
        ("sum([1 > 2])", Number("int")),
        ("sum(a)", Unknown()),
        ("list([1])", Sequence(Number("int"))),
        ("list()", Sequence(Unknown())),
        ("iter(a)", Unknown()),
        ("next(iter([1]))", Number("int")),
        ("next(iter(torch.utils.data.DataLoader(a)))", Batch(stacks=True)),
        ("next(iter(torch.utils.data.DataLoader(a, 4)))", Batch(stacks=True)),
        ("next(iter(torch.utils.data.DataLoader(a, batch_size=None)))", Batch()),
        ("dict(a=1)['a']", Number("int")),
        ("dict({'a': 1})['a']", Number("int")),
        ("dict({'a': 1}, b=2)['a']", Unknown()),
        ("open('a')", Foreign("open")),
        ("getattr(a, 'b')", Unknown()),
        ("map(a, b)", Unknown()),
    ],
)
def test_what_builtins_give(call: str, value: Value) -> None:
    assert value_of(f"look({call})") == value


def test_what_a_builtin_makes_of_a_parameter_is_none() -> None:
    weight = "nn.Linear(1, 2).weight"
    parameter = value_of(f"look({weight})")
    assert isinstance(parameter, Tensor) and parameter.leaf_module is not None
    for call in (f"abs({weight})", f"sum([{weight}])"):
        value = value_of(f"look({call})")
        assert isinstance(value, Tensor) and value.leaf_module is None


@pytest.mark.parametrize(
    ("element", "cls"),
    [
        ("nn.ModuleList([nn.Linear(1, 2)])[0]", "torch.nn.Linear"),
        ("nn.ModuleList([nn.Linear(1, 2)])[k]", "torch.nn.Linear"),
        ("nn.Sequential(nn.Linear(1, 2))[0]", "torch.nn.Linear"),
        ("nn.ModuleList([nn.Linear(1, 2), nn.ReLU()])[k]", None),
        ("nn.ModuleList(k)[0]", None),
    ],
)
def test_elements_of_containers_of_modules(element: str, cls: str | None) -> None:
    value = value_of(f"look({element})")
    assert isinstance(value, Module) and value.cls == cls


TRANSFORMS = (
    "from torchvision import transforms\nimport torchvision.transforms as T\n"
    "normalize = T.Normalize(a, b)\ncrop = T.CenterCrop(3)\nsteps = T.Compose(listed)\n"
    "prepare = T.Compose([crop, T.ToTensor(), normalize])\n"
)


@pytest.mark.parametrize(
    "call",
    [
        "transforms.ToTensor()(image)",
        "prepare(image)",
        "T.Compose((T.Resize(2), T.ToTensor()))(image)",
        "T.Compose([prepare, T.Normalize(a, b)])(image)",
    ],
)
def test_transformations_that_end_in_a_tensor(call: str) -> None:
    value = value_of(TRANSFORMS + f"look({call})")
    assert value == Tensor(ndim=3, contiguous=True, grad=False)


@pytest.mark.parametrize(
    "call",
    [
        "crop(image)",
        "normalize(image)",
        "steps(image)",
        "T.Compose([T.ToTensor(), T.Lambda(f)])(image)",
        "T.Compose([T.ToTensor(), crop])(image)",
        "T.Compose([normalize])(image)",
        "T.Compose([*listed, T.ToPILImage()])(image)",
        "T.RandomApply([T.ToTensor()])(image)",
        "T.ToTensor(image)",
        "self.prepare(image)",
    ],
)
def test_transformations_that_may_give_anything(call: str) -> None:
    assert not isinstance(value_of(TRANSFORMS + f"look({call})"), Tensor)


def test_a_transformation_of_a_name_that_may_be_another() -> None:
    text = "if a:\n    prepare = T.Compose([crop])\nlook(prepare(image))"
    assert not isinstance(value_of(TRANSFORMS + text), Tensor)


@pytest.mark.parametrize(
    ("parameter", "ndim"),
    [
        ("nn.Linear(1, 2).weight", 2),
        ("nn.Linear(1, 2).bias.data", 1),
        ("nn.Conv3d(1, 2, 3).weight", 5),
        ("nn.ConvTranspose1d(1, 2, 3).weight", 3),
        ("nn.BatchNorm2d(3).weight", 1),
        ("nn.Embedding(3, 4).weight", 2),
        ("nn.Bilinear(1, 2, 3).weight", 3),
        ("nn.LayerNorm(shape).weight", None),
        ("nn.LayerNorm(shape).bias.data", None),
        ("nn.LSTM(1, 2).weight_hh_l0", 2),
        ("nn.PReLU().weight", 1),
    ],
)
def test_dimensions_of_the_parameters_of_layers(parameter: str, ndim: int | None) -> None:
    value = value_of(f"look({parameter})")
    assert isinstance(value, Tensor) and value.ndim == ndim
    real: dict[str, object] = {}
    exec(f"{HEAD}shape = (2, 3)\nvalue = {parameter}", real)
    assert ndim in (None, real["value"].dim())  # type: ignore[attr-defined]


def test_a_weight_that_the_file_replaces_may_have_any_dimensions() -> None:
    value = value_of("net = nn.Linear(1, 2)\nnet.weight = make()\nlook(net.weight)")
    assert not isinstance(value, Tensor) or value.ndim is None


def test_the_data_of_what_unknown_things_sum_up_to_is_that_of_a_tensor() -> None:
    assert value_of("look(x.sum().data)") == value_of("look(torch.ones(3).sum())").__class__(
        ndim=0, contiguous=True, single=True, grad=False
    )
    assert isinstance(value_of("look(x.sum().real)"), Unknown)
    assert isinstance(value_of("look(x.sum(0).data)"), Unknown)


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("nn.Sequential(nn.Linear(1, 2))", "nn.Sequential(nn.ReLU(), nn.Linear(1, 2))", Tensor),
        ("nn.Linear(1, 2)", "nn.Bilinear(1, 1, 2)", Tensor),
        ("nn.Linear(1, 2)", "nn.Sequential(*layers)", Unknown),
        ("nn.Linear(1, 2)", "make()", Unknown),
        ("nn.LSTM(1, 2)", "nn.GRU(1, 2)", Sequence),
    ],
)
def test_what_either_of_two_modules_gives(first: str, second: str, kind: type[Value]) -> None:
    call = "look(net(torch.zeros(3, 1)))"
    assert isinstance(value_of(f"net = {first} if a else {second}\n{call}"), kind)
    branches = f"if a:\n    net = {first}\nelse:\n    net = {second}\n"
    assert isinstance(value_of(f"{branches}{call}"), kind)
    third = f"{branches}if b:\n    net = nn.Linear(1, 3)\n"
    is_tensor = kind is Tensor
    assert isinstance(value_of(f"{third}{call}"), Tensor) is is_tensor


_BUFFER = """
class Encoding(nn.Module):
    def __init__(self, size):
        super().__init__()
        {registered}
    def forward(self, x):
        {change}
        look(self.table)
"""


@pytest.mark.parametrize(
    ("registered", "dtype"),
    [
        # net.half() and net.double() convert real numbers.
        ("self.register_buffer('table', torch.zeros(size, 3))", None),
        ("self.register_buffer('table', torch.zeros(size, 3).long())", "int64"),
        ("self.register_buffer(name='table', tensor=torch.zeros(2, 3, dtype=torch.bool))", "bool"),
        ("self.register_buffer('table', None)\n        self.table = torch.zeros(2, 3)", "float"),
    ],
)
def test_a_registered_tensor_is_an_attribute(registered: str, dtype: str | None) -> None:
    value = value_of(_BUFFER.format(registered=registered, change="pass"))
    assert value == Tensor(ndim=2, dtype=dtype, contiguous=True, grad=False)


@pytest.mark.parametrize(
    ("registered", "change"),
    [
        ("self.register_buffer('other', torch.zeros(2, 3))", "pass"),
        ("self.register_buffer(*given)", "pass"),
        ("self.register_buffer('table', size)", "pass"),
        ("self.net.register_buffer('table', torch.zeros(2, 3))", "pass"),
        ("self.register_buffer('table', torch.zeros(2, 3))", "self.table = x"),
    ],
)
def test_what_is_registered_elsewhere_or_changed_is_not_known(registered: str, change: str) -> None:
    assert value_of(_BUFFER.format(registered=registered, change=change)) == Unknown()


@pytest.mark.parametrize("change", ["self.table.copy_(self.fc(x))", "self.table[0] = x"])
def test_what_is_written_into_a_registered_tensor_may_bring_a_graph(change: str) -> None:
    registered = "self.register_buffer('table', torch.zeros(2, 3))"
    value = value_of(_BUFFER.format(registered=registered, change=change))
    assert isinstance(value, Tensor) and value.grad is None


@pytest.mark.parametrize(
    ("text", "grad"),
    [
        ("def f(n):\n    x = torch.zeros(n, 2)\n    look(x * n)", False),
        ("def f(n):\n    x = torch.zeros(n, 2)\n    look(-(3.0 / n) * x)", False),
        ("def f(n):\n    x = torch.zeros(2)\n    look(x * n)", None),
        ("def f(n):\n    x = torch.zeros(n.m, 2)\n    look(x * n)", None),
        ("def f(n):\n    x = torch.zeros(n, 2)\n    n = g()\n    look(x * n)", None),
    ],
)
def test_what_is_given_as_a_size_is_a_number_in_sums(text: str, grad: bool | None) -> None:
    value = value_of(text)
    assert isinstance(value, Tensor) and value.grad is grad


V = "from torch.autograd import Variable\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("for x, y in e(z):\n    look(y)\n    y = Variable(y.cuda())\n", Tensor),
        (
            "for x, y in e(z):\n    look(y)\n    x, y = x.cuda(), y.cuda()\n"
            "    x, y = Variable(x), Variable(y)\n",
            Tensor,
        ),
        (
            "for x, y in e(z):\n    look(y)\n    if c:\n        y = y.cuda().float()\n"
            "    y = Variable(y)\n",
            Tensor,
        ),
        # A method of the user's own may give anything.
        (
            "class A:\n    def cuda(self):\n        return self.a\n"
            "for x, y in e(z):\n    look(y)\n    y = Variable(y.cuda())\n",
            Unknown,
        ),
        (
            "class A:\n    def cuda(self):\n        return self.a\n"
            "for x, y in e(z):\n    look(y)\n    y = y.cuda()\n    y = Variable(y)\n",
            Unknown,
        ),
        # It is another thing that is wrapped.
        ("for x, y in e(z):\n    look(y)\n    y = x.cuda()\n    y = Variable(y)\n", Unknown),
        ("for x, y in e(z):\n    look(y)\n    y = y.image()\n    y = Variable(y)\n", Unknown),
        # Sometimes it is not wrapped.
        (
            "for x, y in e(z):\n    look(y)\n    if c:\n        y = y.cuda()\n"
            "        y = Variable(y)\n",
            Unknown,
        ),
    ],
)
def test_what_is_moved_before_its_use_shows_what_it_is(text: str, kind: type[Value]) -> None:
    assert type(value_of(V + text)) is kind


@pytest.mark.parametrize(
    ("calls", "known"),
    [
        ("f(torch.zeros(2, 3))", Tensor(ndim=2, contiguous=True, grad=False)),
        ("f(torch.zeros(2, 3))\nf(torch.ones(3))", Tensor(contiguous=True, grad=False)),
        ("f(torch.zeros(2, 3))\nf(torch.ones(2, 3).t())", Tensor(ndim=2, grad=False)),
        # The annotation holds, whatever is passed.
        ("", Tensor()),
        ("f(unknown)", Tensor()),
        ("f(None)", Tensor()),
        ("f(3)", Tensor()),
        ("f(torch.zeros(2))\nf(np.zeros(2))", Tensor()),
    ],
)
@pytest.mark.parametrize("annotation", ["torch.Tensor", "torch.autograd.Variable"])
def test_calls_show_more_of_a_parameter_that_is_annotated(
    annotation: str, calls: str, known: Tensor
) -> None:
    value = value_of(f"def f(x: {annotation}):\n    look(x)\n{calls}")
    assert isinstance(value, Tensor)
    told = (value.ndim, value.contiguous, value.grad)
    assert told == (known.ndim, known.contiguous, known.grad)


def test_nothing_but_its_annotation_is_known_of_a_parameter_without_calls() -> None:
    assert value_of("def f(x: torch.Tensor):\n    look(x)") == Tensor()


_APPLIED = """
import torch
class Part(torch.nn.Module):
    def forward(self, x, eps=1e-8):
        return eps
part = Part()
part(torch.ones(2){})
"""


@pytest.mark.parametrize(
    ("given", "is_number"), [("", True), (", 0", True), (", torch.ones(2)", False), (", *y", False)]
)
def test_a_default_of_a_module_that_all_calls_leave_or_replace_by_a_number(
    given: str, is_number: bool
) -> None:
    value = value_of_last(_APPLIED.format(given), "eps")
    assert isinstance(value, Number) is is_number
    seen = value_of_last(_APPLIED.format(given) + "seen(part)\n", "eps")
    assert not isinstance(seen, Number)
