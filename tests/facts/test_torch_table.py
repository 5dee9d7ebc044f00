"""The table of what torch's callables return, held against the torch that is installed."""

from __future__ import annotations

import ast
import functools
from typing import Any

import pytest
import torch

from benchmarks import torch_table as generator
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.dtypes import DEFAULT
from torchfix_codemods.facts.values.lattice import Number, Sequence, Size, Tensor, Unknown, Value

#: The whole table takes half a minute: ``python -m benchmarks.torch_table --check``.
SAMPLE = frozenset(
    """max sum add mul relu topk mm matmul gather zeros where cat stack std sort permute narrow split
    view expand squeeze eq div nonzero multinomial detach clone cumsum norm clamp_ add_ zero_
    unsqueeze chunk index_select arange randint mean""".split()
)
LAYERS = ("torch.nn.Conv2d", "torch.nn.Linear", "torch.nn.BatchNorm2d", "torch.nn.Dropout")


@pytest.mark.skipif(not torch.__version__.startswith("2.13."), reason="made from torch 2.13")
def test_the_table_is_what_torch_does() -> None:
    def is_sampled(name: str) -> bool:
        owner, _, bare = name.rpartition(".")
        return name in LAYERS or (owner in ("torch", "torch.Tensor") and bare in SAMPLE)

    made = generator.make_table(is_sampled)
    assert len(made) > 60
    known = {name: line for name, line in torch_table.lines().items() if is_sampled(name)}
    assert made == known, "python -m benchmarks.torch_table writes the table anew"


def test_every_name_of_the_table_is_torchs() -> None:
    assert len(torch_table.lines()) > 1300
    for name in torch_table.lines():
        functools.reduce(getattr, name.split(".")[1:], torch)


def test_every_line_can_be_read() -> None:
    for name in torch_table.lines():
        assert torch_table.forms_of(name), name
    for name in torch_table._old_lines():
        assert torch_table.forms_of_old(name), name


BASES = {
    "a": "torch.rand(4, 5)",
    "t": "torch.rand(5, 4).t()",
    "b": "torch.rand(3, 4, 5)",
    "k": "torch.zeros(3, 2, 4).transpose(0, 1)",
    "c": "torch.rand(2, 3, 6, 7)",
    "p": "torch.rand(2, 6, 7, 3).permute(0, 3, 1, 2)",
    "q": "torch.rand(4, 10)[:, ::2]",
    "e": "torch.rand(4, 1).expand(4, 5)",
    "l": "torch.randint(3, (4, 5))",
    "m": "torch.rand(4, 5) > 0.5",
    "s": "torch.rand(3).sum()",
    "o": "torch.ones(1, 1)",
    "g": "torch.rand(4, 5, requires_grad=True)",
}
EXPRESSIONS = """x.sum(); x.sum(0); x.sum((0, 1)); x.sum(-1, keepdim=True); x.max(); x.max(1); x.max(1, True)
x.argmax(1); x.topk(2); x.sort(0); x.t(); x.permute(0, 2, 3, 1); x.view(-1); x.view(x.size(0), -1)
x.reshape(-1, 1); x.unsqueeze(0); x.squeeze(); x.expand_as(x); x.repeat(2, 2); x.flatten(1)
x.long(); x.float(); x + 1; x * 0.5; x / 2; x // 2; 2 - x; x == x; x.eq(0); x.add(1, x); x @ x.t()
x.exp(); x.softmax(-1); F.dropout(x); x.clamp(max=1); x.norm(2, 1); x.cumsum(0); x.unbind(0)
x.chunk(2, 1); x.split([2, 2]); x.narrow(1, 1, 2); x.select(0, 0); x.nonzero(); x.gather(0, x.long())
x.mm(x.t()); x.matmul(x.transpose(-1, -2)); x.new_zeros(x.size()); torch.zeros(x.shape); torch.roll(x, 1, 0)
torch.cat([x, x], 1); torch.stack((x, x)); torch.where(x > 0, x, x * 2); torch.max(x, x)
torch.multinomial(x, 1); (x > 0).sum(); (x > 0).float().mean(); x.eq(x).sum().item(); x.tolist()
x.numel(); x.size(); x.fill_(1); x.copy_(x); x.to(torch.float64); x.type_as(x); x.type('torch.LongTensor')
F.normalize(x); F.pad(x, (1, 1)); F.cosine_similarity(x, x); F.mse_loss(x, x)
F.mse_loss(x, x, reduction='none'); F.interpolate(x, scale_factor=2); F.max_pool2d(x, 2)
F.max_pool2d(x, 2, return_indices=True); F.conv2d(x, torch.rand(2, 3, 2, 2)); nn.Conv2d(3, 4, 2)(x)
F.conv1d(x, torch.rand(2, 4, 2)); F.conv1d(x, torch.rand(2, 2, 4).transpose(1, 2))
F.conv1d(x.transpose(1, 2), torch.rand(2, 5, 2)); F.conv_transpose1d(x, torch.rand(4, 2, 2))
nn.BatchNorm2d(3)(x); nn.Sequential(nn.Conv2d(3, 4, 2), nn.ReLU())(x); nn.Linear(5, 2)(x)
nn.Embedding(10, 4)(x); nn.PixelShuffle(1)(x); nn.LSTM(5, 4)(x); nn.GRUCell(5, 4)(x); nn.Flatten()(x)
torch.arange(5); torch.arange(0, 1, 0.1); torch.full((2, 3), 1); torch.randperm(5); sum([x, x])
torch.tensor([[1, 2.0]]); torch.zeros(2, dtype=torch.long); x.byte() + x.long(); x.half() * x
x.double() + x; x.requires_grad_(); x.detach(); x.data; -x; x[0]; x[:, ::2]; x.view_as(x)"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("base", BASES)
def test_claims_hold(base: str) -> None:
    claims = 0
    for expression in EXPRESSIONS.replace("\n", ";").split(";"):
        program = f"x = {BASES[base]}\nresult = {expression.strip()}\n"
        space: dict[str, Any] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
        try:
            exec(program, space)
        except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError):
            continue
        head = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
        facts = WholeFacts(ast.parse(head + program + "look(result)\n"), head + program)
        (look,) = (
            node
            for node in ast.walk(facts.tree)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "look"
        )
        claims += _check(facts.value(look.args[0]), space["result"], program)
    assert claims > 20


def _check(value: Value, real: Any, program: str) -> int:
    """How much is claimed of a value; fails where it is not so."""
    if isinstance(value, Unknown):
        return 0
    if isinstance(value, Sequence):
        assert isinstance(real, (tuple, list)), program
        items = value.items or (value.element,) * len(real)
        return sum(_check(item, part, program) for item, part in zip(items, real, strict=True))
    if isinstance(value, Number):
        assert isinstance(real, (int, float)), program
        assert value.kind in (None, type(real).__name__), program
        return 1
    if isinstance(value, Size):
        assert isinstance(real, torch.Size), program
        return 1
    assert isinstance(value, Tensor) and isinstance(real, torch.Tensor), program
    assert value.ndim in (None, real.dim()), program
    dtype = str(real.dtype).removeprefix("torch.")
    of_default = [DEFAULT] if real.dtype is torch.get_default_dtype() else []
    assert value.dtype in (None, dtype, *of_default), program
    assert real.is_contiguous() or not value.contiguous, program
    assert real.numel() == 1 or not value.single, program
    assert not (real.requires_grad and value.grad is False), program
    return sum((value.ndim is not None, value.dtype is not None, value.contiguous))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look(torch.zeros(2) + torch.zeros(2).double())", "float64"),
        ("look(torch.zeros(2) + torch.zeros(2).float())", None),
        ("look(torch.zeros(2))", "float"),
        ("look(torch.zeros(2, dtype=kind))", None),
        ("look(torch.zeros(2).max(0)[1])", "int64"),
        ("look(torch.arange(n))", None),
        ("look(torch.zeros(2).to(device))", None),
        ("look(nn.Linear(2, 3)(torch.zeros(2)))", None),
    ],
)
def test_dtypes(text: str, expected: str | None) -> None:
    value = _looked_at(text)
    assert isinstance(value, Tensor) and value.dtype == expected


@pytest.mark.parametrize(
    ("text", "contiguous"),
    [
        ("def f(x):\n    look(nn.Conv2d(1, 2, 3)(x))", True),
        ("def f(x):\n    look(nn.Conv2d(1, 2, 3)(x.permute(0, 3, 1, 2)))", False),
        ("def f(x, z):\n    y = z.permute(0, 3, 1, 2)\n    look(nn.Conv2d(1, 2, 3)(x))", False),
        (
            "def f(x, z):\n    y = z.permute(0, 3, 1, 2)\n"
            "    look(nn.Conv2d(1, 2, 3)(torch.zeros(1, 1, 4, 4)))",
            True,
        ),
        ("def f(x, z):\n    y = z.movedim(3, 1)\n    look(F.max_pool2d(x, 2))", False),
        ("def f(x, z):\n    y = z.permute(1, 0)\n    look(nn.Linear(2, 3)(x))", True),
        ("def f(x):\n    look(nn.Linear(1, 2)(x.transpose(1, 2)))", True),
        ("def f(x, w):\n    look(F.conv1d(x, w))", True),
        ("def f(x, w):\n    look(F.conv1d(x.view(1, 1, -1), w.reshape(1, 1, -1)))", True),
        ("def f(x, w):\n    look(F.conv_transpose1d(x, w))", True),
        ("def f(x, w):\n    look(F.conv1d(x, w.transpose(1, 2)))", False),
        ("def f(x, w, z):\n    y = z.transpose(1, 2)\n    look(F.conv1d(x, w))", False),
        (
            "def f(x, z):\n    y = z.transpose(1, 2)\n"
            "    look(F.conv1d(torch.zeros(1, 2, 4), torch.zeros(3, 2, 2)))",
            True,
        ),
        ("def f(x):\n    look(torch.relu(x))", False),
        ("look(torch.relu(torch.zeros(2, 3)))", True),
        ("look(torch.relu(torch.zeros(2, 3).t()))", False),
        ("def f(x):\n    look(torch.zeros(2, 3).add_(x))", True),
        ("def f(x):\n    look(torch.zeros(2, 3).add(x))", False),
        ("def f(x):\n    look(torch.zeros(2, 3).t().add_(x))", False),
        ("def f(x):\n    look(x.add_(torch.zeros(2, 3)))", False),
        ("look(torch.zeros(2, 3).t_())", False),
        ("look(torch.zeros(2, 3).unsqueeze(1))", True),
        ("look(torch.zeros(2, 3).t().unsqueeze(0))", False),
        ("def f(x):\n    look(x.unsqueeze(0))", False),
        # Of matrices, torch.cat() lays what it gives out anew.
        ("def f(x):\n    look(torch.cat([x.t(), x.t()], 1))", True),
        ("def f(x):\n    look(torch.cat([x.t() * 2 for _ in x], 1))", True),
        ("def f(x):\n    look(torch.cat([x.transpose(1, 2), x], 1))", False),
        ("def f(x):\n    look(x.t() * 2)", False),
        ("def f(s):\n    look(torch.zeros(2, 3).view(*s))", True),
        ("def f(s):\n    look(torch.zeros(2, 3).t().view(*s))", False),
        ("def f(s):\n    look(torch.zeros(2, 3).add(*s))", False),
        ("def f(s):\n    look(torch.zeros(2, 3).permute(*s))", False),
        ("def f(s):\n    look(torch.zeros(2, 3).view(**s))", False),
        ("look(torch.zeros(2).nonzero())", True),
        ("look(torch.zeros(4)[::2].nonzero())", True),
        ("look(torch.zeros(2, 3).nonzero())", False),
        ("def f(x):\n    look(torch.abs(x).nonzero())", False),
    ],
)
def test_layouts(text: str, contiguous: bool) -> None:
    value = _looked_at(text)
    assert isinstance(value, Tensor) and value.contiguous is contiguous


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, dim):\n    look(x.unsqueeze(0).max(dim))",
        "def f(x, y):\n    look(torch.max(x, y))",
        "look(torch.unknown_function(torch.zeros(2)))",
        "look(nn.MaxPool2d(2, return_indices=True)(torch.zeros(1, 1, 4, 4)))",
        "look(F.max_pool2d(torch.zeros(1, 1, 4, 4), 2, **options))",
    ],
)
def test_what_may_be_a_tuple_is_not_known(text: str) -> None:
    assert isinstance(_looked_at(text), Unknown)


def test_distributions_give_tensors() -> None:
    text = "d = torch.distributions.Normal(a, b)\nlook(d.log_prob(d.sample()))"
    assert isinstance(_looked_at(text), Tensor)
    assert isinstance(_looked_at("look(torch.distributions.Normal(a, b).mean)"), Unknown)


def _looked_at(text: str) -> Value:
    text = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n" + text
    facts = WholeFacts(ast.parse(text), text)
    looks = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    return facts.value(next(c for c in looks if getattr(c.func, "id", "") == "look").args[0])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mm", True),
        ("softmax", True),
        ("linear", True),
        ("exp", False),
        ("t", False),
        ("no", False),
    ],
)
def test_what_lies_one_after_another_whatever_is_given(name: str, expected: bool) -> None:
    assert torch_table.is_always_contiguous(name) is expected


@pytest.mark.parametrize(
    ("method", "expected"),
    [("sum", True), ("max", True), ("any", True), ("mode", False), ("sort", False), ("no", False)],
)
def test_what_gives_one_number_without_arguments(method: str, expected: bool) -> None:
    assert torch_table.gives_one_number(method) is expected
