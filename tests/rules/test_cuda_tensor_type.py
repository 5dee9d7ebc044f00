from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """
            import numpy as np
            import torch
            cuda = torch.cuda.is_available()
"""
_DEVICE = '            device = torch.device("cuda" if cuda else "cpu")\n'
_ALIAS = "            Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor\n"

test_rewrites = rewrites(
    "TP203",
    {
        "a name for the type": (
            _HEAD
            + _ALIAS
            + """
            def noise(n):
                return Tensor(np.random.normal(0, 1, (n, 4))) + Tensor(5, 4).fill_(2.0)
            x = torch.ones(2).type(Tensor)
            """,
            _HEAD
            + _DEVICE
            + """
            def noise(n):
                return torch.as_tensor(np.random.normal(0, 1, (n, 4)), dtype=torch.float, device=device) + torch.full((5, 4), 2.0, device=device)
            x = torch.ones(2, device=device)
            """,
        ),
        "a device that is there": (
            _HEAD
            + _DEVICE
            + "            Long = torch.cuda.LongTensor if cuda else torch.LongTensor\n"
            + "            y = Long([1, 2])\n",
            _HEAD + _DEVICE + "            y = torch.tensor([1, 2], device=device)\n",
        ),
        "a type of the GPU": (
            """
            import torch
            device = torch.device("cuda")
            x = torch.cuda.FloatTensor(3, 2)
            y = torch.cuda.ByteTensor([1, 0])
            z = x.type(torch.cuda.HalfTensor)
            w = x.type('torch.cuda.DoubleTensor')
            """,
            """
            import torch
            device = torch.device("cuda")
            x = torch.empty(3, 2, device=device)
            y = torch.tensor([1, 0], dtype=torch.uint8, device=device)
            z = x.to(device, torch.half)
            w = x.to(device, torch.double)
            """,
        ),
        "of another default type": (
            """
            import torch
            torch.set_default_dtype(torch.double)
            device = torch.device("cuda")
            x = torch.cuda.FloatTensor(3, 2).uniform_(0, 1)
            v = torch.cuda.FloatTensor([1, 2])
            u = torch.cuda.FloatTensor(2).fill_(3)
            y = torch.cuda.LongTensor([1, 0])
            z = torch.cuda.LongTensor(2).float().zero_()
            w = torch.cuda.FloatTensor(2).double().zero_()
            """,
            """
            import torch
            torch.set_default_dtype(torch.double)
            device = torch.device("cuda")
            x = torch.rand(3, 2, dtype=torch.float, device=device)
            v = torch.tensor([1, 2], dtype=torch.float, device=device)
            u = torch.full((2,), 3, dtype=torch.float, device=device)
            y = torch.tensor([1, 0], device=device)
            z = torch.zeros(2, dtype=torch.float, device=device)
            w = torch.zeros(2, dtype=torch.double, device=device)
            """,
        ),
        "the default type": (
            """
            import torch
            torch.set_default_tensor_type('torch.DoubleTensor')
            torch.set_default_tensor_type(torch.FloatTensor)
            """,
            """
            import torch
            torch.set_default_dtype(torch.double)
            torch.set_default_dtype(torch.float)
            """,
        ),
    },
)

test_halves = rewrites(
    "TP203",
    {
        "halves of a choice by the flag of the module": (
            _HEAD
            + """
            if cuda:
                x = torch.cuda.FloatTensor(3, 2).fill_(0)
            else:
                x = torch.FloatTensor(3, 2).fill_(0)
            y = torch.cuda.LongTensor([1]) if cuda else torch.LongTensor([1])
            """,
            _HEAD
            + _DEVICE
            + """
            x = torch.zeros(3, 2, device=device)
            y = torch.tensor([1], device=device)
            """,
        ),
        "halves of a choice by where a tensor is": (
            """
            import torch
            def f(n):
                x = torch.ones(n)
                if x.is_cuda:
                    return torch.cuda.FloatTensor(n, 2).zero_()
                else:
                    return torch.FloatTensor(n, 2).zero_()
            """,
            """
            import torch
            def f(n):
                x = torch.ones(n)
                return torch.zeros(n, 2, device=x.device)
            """,
        ),
        "halves beside what a module is given": (
            """
            import torch
            class Net(torch.nn.Module):
                def sample(self, mu):
                    std = torch.exp(mu)
                    if self.use_cuda:
                        eps = torch.cuda.FloatTensor(std.size()).normal_()
                    else:
                        eps = torch.FloatTensor(std.size()).normal_()
                    return torch.exp(mu) * eps
            """,
            """
            import torch
            class Net(torch.nn.Module):
                def sample(self, mu):
                    std = torch.exp(mu)
                    eps = torch.randn(std.size(), device=mu.device)
                    return torch.exp(mu) * eps
            """,
        ),
        "halves beside what a module is given, in a file whose moves stay": (
            """
            import torch
            from other import make
            class Net(torch.nn.Module):
                def place(self):
                    self.part = make()
                    if self.use_cuda:
                        self.part.cuda().start()
                def sample(self, mu):
                    if self.use_cuda:
                        eps = torch.cuda.FloatTensor(mu.size()).normal_()
                    else:
                        eps = torch.FloatTensor(mu.size()).normal_()
                    return torch.exp(mu) * eps
            """,
            """
            import torch
            from other import make
            class Net(torch.nn.Module):
                def place(self):
                    self.part = make()
                    if self.use_cuda:
                        self.part.cuda().start()
                def sample(self, mu):
                    eps = torch.randn(mu.size(), device=mu.device)
                    return torch.exp(mu) * eps
            """,
        ),
        "halves by where a tensor is, in a file whose moves stay": (
            """
            import torch
            def make(flags, x, y):
                x = torch.exp(x)
                if x.is_cuda:
                    z = torch.cuda.FloatTensor(3, 2)
                else:
                    z = torch.FloatTensor(3, 2)
                return x + z, y.cuda()
            """,
            """
            import torch
            def make(flags, x, y):
                x = torch.exp(x)
                z = torch.empty(3, 2, device=x.device)
                return x + z, y.cuda()
            """,
        ),
        "halves by a flag that is not known": (
            """
            import torch
            def f(flags, n):
                if flags.cuda:
                    x = torch.cuda.IntTensor(n, 2).zero_()
                else:
                    x = torch.IntTensor(n, 2).zero_()
                return x
            """,
            """
            import torch
            def f(flags, n):
                if flags.cuda:
                    x = torch.zeros(n, 2, dtype=torch.int, device="cuda")
                else:
                    x = torch.zeros(n, 2, dtype=torch.int)
                return x
            """,
        ),
        "halves of a choice that asks for the CPU first": (
            """
            import torch
            def f(n, use_cuda):
                if not use_cuda:
                    return torch.FloatTensor(n, 2)
                else:
                    return torch.cuda.FloatTensor(n, 2)
            """,
            """
            import torch
            def f(n, use_cuda):
                if not use_cuda:
                    return torch.empty(n, 2)
                else:
                    return torch.empty(n, 2, device="cuda")
            """,
        ),
        "halves of a choice that a comment keeps": (
            _HEAD
            + """
            if cuda:
                x = torch.cuda.FloatTensor(3, 2)
            else:  # slow
                x = torch.FloatTensor(3, 2)
            """,
            _HEAD
            + """
            if cuda:
                x = torch.empty(3, 2, device="cuda")
            else:  # slow
                x = torch.empty(3, 2)
            """,
        ),
        "halves of a choice that have the same comment": (
            _HEAD
            + """
            if cuda:
                x = torch.cuda.FloatTensor(3, 2)  # noise
            else:
                # noise
                x = torch.FloatTensor(3, 2)
            """,
            _HEAD
            + _DEVICE
            + """
            x = torch.empty(3, 2, device=device)  # noise
            """,
        ),
        "halves of a choice of which one has a comment": (
            _HEAD
            + """
            if cuda:
                x = torch.cuda.FloatTensor(3, 2)
            else:
                # noise
                x = torch.FloatTensor(3, 2)
            """,
            _HEAD
            + """
            if cuda:
                x = torch.empty(3, 2, device="cuda")
            else:
                # noise
                x = torch.empty(3, 2)
            """,
        ),
        "halves of a choice below another one": (
            _HEAD
            + """
            if np is None:
                x = None
            elif cuda:
                x = torch.cuda.FloatTensor(3, 2)
            else:
                x = torch.FloatTensor(3, 2)
            """,
            _HEAD
            + """
            if np is None:
                x = None
            elif cuda:
                x = torch.empty(3, 2, device="cuda")
            else:
                x = torch.empty(3, 2)
            """,
        ),
        "halves that are not the same": (
            _HEAD
            + """
            if cuda:
                x = torch.cuda.FloatTensor(3, 2)
                torch.cuda.synchronize()
            else:
                x = torch.FloatTensor(3, 2)
            """,
            _HEAD
            + """
            if cuda:
                x = torch.empty(3, 2, device="cuda")
                torch.cuda.synchronize()
            else:
                x = torch.empty(3, 2)
            """,
        ),
    },
    with_rules=("TP202", "TP403"),
)

test_keeps = keeps(
    "TP203",
    {
        "under a guard without another half": """
            import torch
            use_cuda = torch.cuda.is_available()
            x = torch.ones(2)
            if use_cuda:
                x = torch.cuda.FloatTensor(2, 2)
            """,
        "halves of casts, of which one would stay": """
            import torch
            use_cuda = torch.cuda.is_available()
            x = torch.ones(2)
            if use_cuda:
                x = x.type(torch.cuda.FloatTensor)
            else:
                x = x.type(torch.FloatTensor)
            """,
        "halves that are both on the GPU": """
            import torch
            def f(on_gpu, n):
                if on_gpu:
                    return torch.cuda.FloatTensor(n, 2)
                else:
                    return torch.cuda.DoubleTensor(n, 2)
            """,
        "halves of which one has a flag that a person takes away": """
            import torch
            from torch.autograd import Variable
            def f(cuda, n):
                if cuda:
                    return Variable(torch.cuda.FloatTensor(n, 2), volatile=True)
                else:
                    return Variable(torch.FloatTensor(n, 2), volatile=True)
            """,
        "under a guard, which would stay": """
            import torch
            use_cuda = torch.cuda.is_available()
            x = torch.ones(2)
            if use_cuda:
                x = x.type(torch.cuda.FloatTensor)
            """,
        "beside a move that stays": """
            import torch
            def f(x):
                return x.cuda() + torch.cuda.FloatTensor(3, 2)
            """,
        "beside a flag that it would ignore": """
            import torch
            def f(options):
                if options.gpu:
                    torch.cuda.set_device(1)
                return torch.cuda.FloatTensor(3, 2)
            """,
        "sizes or values": _HEAD + _ALIAS + "            x = Tensor(n)\n",
        "something that may be a module": _HEAD + _ALIAS + "            x = net.type(Tensor)\n",
        "a module": _HEAD + _ALIAS + "            x = torch.nn.Linear(2, 2).type(Tensor)\n",
        "one use that has to stay": _HEAD
        + _ALIAS
        + "            x = Tensor(2, 3)\n            print(isinstance(x, Tensor))\n",
        "two names, one of which has to stay": _HEAD
        + _ALIAS
        + """
            Long = torch.cuda.LongTensor if cuda else torch.LongTensor
            x, y = Tensor(2, 3), read().type(Long)
            """,
        "a name beside one of another type": _HEAD
        + _ALIAS
        + """
            Long = torch.cuda.LongTensor if cuda else torch.IntTensor
            x, y = Tensor(2, 3), Long(2, 3)
            """,
        "another type of the CPU": _HEAD
        + "            Tensor = torch.cuda.FloatTensor if cuda else torch.DoubleTensor\n"
        + "            x = Tensor(2, 3)\n",
        "a name that is bound twice": _HEAD
        + _ALIAS
        + "            Tensor = torch.FloatTensor\n            x = Tensor(2, 3)\n",
        "a name of a function": _HEAD
        + """
            def f():
                Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
                return Tensor(2, 3)
            """,
        "a device by another flag": """
            import torch
            cuda = torch.cuda.is_available()
            other = cuda and True
            device = torch.device("cuda" if other else "cpu")
            Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
            x = Tensor(2, 3)
            """,
        "two flags": _HEAD
        + """
            use_cuda = cuda and True
            Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
            Long = torch.cuda.LongTensor if use_cuda else torch.LongTensor
            x, y = Tensor(2, 3), Long(2, 3)
            """,
        "moves without the flag": _HEAD
        + _ALIAS
        + """
            net = torch.nn.Linear(2, 2)
            net.cuda()
            y = Tensor(2, 2)
            """,
        "a flag of arguments unknown": """
            import torch
            def run(cuda):
                global Tensor
                return torch.ones(2).type(torch.cuda.FloatTensor if cuda else torch.FloatTensor)
            """,
        "a question": """
            import torch
            device = torch.device("cuda")
            def forward(x):
                return isinstance(x, torch.cuda.FloatTensor)
            """,
        "a type of the CPU": "import torch\nx = torch.ones(2).type(torch.FloatTensor)\n",
        "a user's types": """
            import torch
            class types:
                FloatTensor = list
            x = types.FloatTensor([1])
            """,
        "the type is asked": "import torch\nprint(torch.ones(2).type())\n",
        "already modern": _HEAD + _DEVICE + "            x = torch.empty(2, device=device)\n",
        "a name that nobody uses": _HEAD + _ALIAS,
        "default types of both devices": """
            import torch
            if torch.cuda.is_available():
                torch.set_default_tensor_type('torch.cuda.FloatTensor')
            else:
                torch.set_default_tensor_type('torch.FloatTensor')
            """,
        "a default type that is no number of reals": """
            import torch
            torch.set_default_tensor_type(kind)
            """,
        "suppressed": _HEAD
        + _DEVICE
        + "            x = torch.cuda.LongTensor([1])  # noqa: TP203\n",
    },
)


_ASKED = """import torch
import torch.nn as nn
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4)
    def is_on_gpu(self, x):
        return {asked}
"""


def test_the_type_of_a_tensor_tells_nothing_where_a_name_hides_the_builtin() -> None:
    text = "import torch\ndef f(x, type):\n    return 'cuda' in str(type(torch.relu(x).data))\n"
    assert migrate(text, "TP203").text == text and not advice("TP203", text)


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("'cuda' in str(type(x))", "x.is_cuda"),
        ("'cuda' in str(type(self.lstm.bias_hh_l0.data))", "self.lstm.bias_hh_l0.is_cuda"),
        ("'cuda' not in repr(type((-x).data))", "not (-x).is_cuda"),
        ("'cuda' in x.data.__class__.__module__", "x.is_cuda"),
        ("'torch.cuda' in type(x.data).__module__", "x.is_cuda"),
        ("type(x) == torch.LongTensor", "isinstance(x, torch.LongTensor)"),
        ("type(x) is not torch.cuda.FloatTensor", "not isinstance(x, torch.cuda.FloatTensor)"),
        (
            "type(x) in (torch.LongTensor, torch.IntTensor)",
            "isinstance(x, (torch.LongTensor, torch.IntTensor))",
        ),
        (
            "type(x) in [torch.LongTensor, torch.autograd.Variable]",
            "isinstance(x, (torch.LongTensor, torch.autograd.Variable))",
        ),
        (
            "type(x) is not torch.sparse.FloatTensor",
            "not isinstance(x, torch.sparse.FloatTensor)",
        ),
        (
            "type(x) in (torch.sparse.LongTensor, torch.cuda.sparse.LongTensor)",
            "isinstance(x, (torch.sparse.LongTensor, torch.cuda.sparse.LongTensor))",
        ),
    ],
)
def test_what_the_type_no_longer_tells_is_reported(asked: str, written: str) -> None:
    (finding,) = advice("TP203", _ASKED.format(asked=asked))
    assert finding.message.endswith(f"write {written}") and finding.line == 8


@pytest.mark.parametrize(
    "asserted",
    [
        "eq_(type(x), torch.LongTensor)",
        "self.assertEqual(torch.LongTensor, type(x))",
        "np.testing.assert_equal(type(x), torch.LongTensor, 'kind')",
        "self.assertIs(x.__class__, torch.LongTensor)",
    ],
)
def test_an_assertion_about_the_type_is_reported(asserted: str) -> None:
    (finding,) = advice("TP203", _ASKED.format(asked=asserted))
    assert finding.message.endswith("write assert isinstance(x, torch.LongTensor)")


@pytest.mark.parametrize(
    "asserted",
    [
        "eq_(type(x), torch.Tensor)",
        "eq_(type(x), list)",
        "eq_(x.type(), torch.LongTensor)",
        "eq_(type(x), type(torch.LongTensor))",
        "self.assertNotEqual(type(x), torch.LongTensor)",
        "convert(type(x), torch.LongTensor)",
        "x.eq_(type(x))",
    ],
)
def test_assertions_that_can_hold_are_no_finding(asserted: str) -> None:
    found = advice("TP203", _ASKED.format(asked=asserted))
    assert not [f for f in found if "isinstance" in f.message]


@pytest.mark.parametrize(
    ("beside", "count"),
    [
        ("type(x) == torch.autograd.Variable or", 0),
        ("isinstance(x, torch.Tensor) or", 0),
        ("isinstance(x, (torch.Tensor, list)) or", 0),
        ("torch.is_tensor(x) or", 0),
        ("y and torch.is_tensor(x) or", 1),
        ("isinstance(y, torch.Tensor) or", 1),
        ("isinstance(x, list) or", 1),
        ("type(x) != torch.autograd.Variable or", 1),
    ],
)
def test_a_type_is_not_asked_for_beside_what_every_tensor_is_today(beside: str, count: int) -> None:
    text = f"""
        import torch
        def f(x, y):
            return {beside} type(x) == torch.LongTensor or type(x) == torch.cuda.LongTensor
        """
    assert len(advice("TP203", text)) == count


def test_two_types_of_one_tensor_are_one_question() -> None:
    asked = "type(x) == torch.LongTensor or type(x) in (torch.IntTensor, torch.ByteTensor)"
    (finding,) = advice("TP203", _ASKED.format(asked=asked))
    written = "isinstance(x, (torch.LongTensor, torch.IntTensor, torch.ByteTensor))"
    assert finding.message.endswith(f"write {written}")
    other = f"type(self) == torch.HalfTensor or {asked}"
    assert len(advice("TP203", _ASKED.format(asked=other))) == 2


_BELOW = """
import torch
from torch.autograd import Variable
def f(x):
    if isinstance(x, {above}):
        x = x + 1
    elif {below}:
        if type(x) == torch.ByteTensor:
            x = x + 2
    return x
"""


@pytest.mark.parametrize(
    ("above", "below", "is_told"),
    [
        ("Variable", "torch.is_tensor(x)", False),
        ("torch.Tensor", "isinstance(x, torch.FloatTensor)", False),
        ("torch.Tensor", "isinstance(x, Variable)", False),
        ("(list, torch.Tensor)", "isinstance(x, Variable)", False),
        ("list) or isinstance(x, torch.Tensor", "isinstance(x, Variable)", False),
        ("(list, torch.FloatTensor)", "isinstance(x, Variable)", True),
        ("list) and isinstance(x, torch.Tensor", "isinstance(x, Variable)", True),
        ("Variable", "torch.is_tensor(y)", True),
        ("list", "torch.is_tensor(x)", True),
    ],
)
def test_nothing_is_said_in_a_branch_that_no_tensor_reaches(
    above: str, below: str, is_told: bool
) -> None:
    found = advice("TP203", _BELOW.format(above=above, below=below))
    assert [f.line for f in found if "isinstance(x, torch.ByteTensor)" in f.message] == (
        [7] if is_told else []
    )


_MADE_IN_BRANCHES = """
import torch
from torch.autograd import Variable
def f(x, y):
    if isinstance(x, {above}):
        return type(x)(y(x))
    elif isinstance(x, Variable):
        return Variable(type(x.data)(y(x.data)))
"""


@pytest.mark.parametrize(
    ("above", "lines"),
    [
        ("torch.Tensor", [5]),
        ("(torch.Tensor, torch.DoubleTensor)", [5]),
        ("(torch.FloatTensor, list)", [7]),
        ("(torch.Tensor, list)", []),
        ("list", [7]),
    ],
)
def test_what_a_type_makes_is_told_in_the_branch_that_runs(above: str, lines: list[int]) -> None:
    found = advice("TP203", _MADE_IN_BRANCHES.format(above=above))
    assert [f.line for f in found if "makes floats" in f.message] == lines


@pytest.mark.parametrize(
    "asked",
    [
        "type(x) == torch.Tensor",
        "type(x) in (torch.LongTensor, list)",
        "type(x) in (torch.LongTensor, torch.Tensor)",
        "type(x) in (torch.autograd.Variable,)",
        "type(x) in kinds",
        "x.type() == 'torch.cuda.FloatTensor'",
        "'cuda' in str(x)",
        "'cuda' in str(x.device)",
        "'tensor' in str(type(x))",
        "'cuda' in str(type(x), y)",
        "'cuda' in x.str(type(x))",
        "'cuda' in str(x.type(y))",
        "'cuda' in str(type(x)) in y",
        "'cuda' == str(type(x))",
        "isinstance(x, torch.cuda.FloatTensor)",
        "isinstance(x, torch.sparse.FloatTensor)",
        "type(x) is torch.sparse.sum",
        "type(x) in (torch.sparse.FloatTensor, list)",
        "type(x) is torch.nn.Linear",
        "type(x) == type(y) == torch.LongTensor",
        "dtype(x) == torch.LongTensor",
    ],
)
def test_questions_that_have_their_answers_are_no_finding(asked: str) -> None:
    assert not advice("TP203", _ASKED.format(asked=asked))


_MADE = """
import torch
def f(batch, *given):
    x = torch.ones(3)
    {lines}
"""


@pytest.mark.parametrize(
    ("lines", "written", "line"),
    [
        ("return type(x)(3)", "x.new_empty(3)", 4),
        ("return type(x)([1, 2])", "x.new_tensor([1, 2])", 4),
        ("return type(x.data)(x.size()).zero_()", "x.new_empty(x.size())", 4),
        (
            "kind = type(batch.data)\n    return kind(batch.data.size())",
            "batch.new_empty(batch.data.size())",
            5,
        ),
        ("kind = type(x)\n    print(kind)\n    return kind(2), kind(3)", "x.new_empty(2)", 6),
        ("return type(x)(given[0])", None, 4),
    ],
)
def test_what_the_type_of_a_tensor_makes_is_reported(
    lines: str, written: str | None, line: int
) -> None:
    (finding,) = advice("TP203", _MADE.format(lines=lines))
    fact = "the type of a tensor is torch.Tensor since 0.4, which makes floats on the CPU"
    assert finding.message == fact + ("" if written is None else f": write {written}")
    assert finding.line == line


@pytest.mark.parametrize(
    "lines",
    [
        "return type(batch)(batch)",
        "return type(batch.data)(given)",
        "return type(batch)(batch.data.size())",
        "return type(x), type(x).__name__",
        "kind = type(x)\n    return given[0](kind)",
        "kind = type(x)\n    kind = list\n    return kind(2)",
        "kind = type(x) if given else list\n    return kind(2)",
        "type = torch.Tensor.type\n    return type(x)(3)",
        "return type('A', (), {{}})(3)",
        "return x.type('torch.FloatTensor')",
        "return x.data.__class__",
        "return isinstance(x, type(x))",
    ],
)
def test_other_uses_of_types_are_no_finding(lines: str) -> None:
    assert not advice("TP203", _MADE.format(lines=lines))


def test_a_default_type_of_the_gpu_is_advice() -> None:
    (finding,) = advice(
        "TP203", "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
    )
    assert "set_default_device('cuda')" in finding.message
    assert "set_default_dtype" not in finding.message


@pytest.mark.parametrize("given", ["'torch.FloatTensor'", "torch.DoubleTensor"])
def test_the_line_that_sets_the_cpu_back_needs_its_device(given: str) -> None:
    # The default device stays where it is when a type of the CPU is set.
    set_type = "torch.set_default_tensor_type"
    text = f"import torch\nif cuda:\n    {set_type}('torch.cuda.FloatTensor')\nelse:\n"
    assert "set_default_device('cpu')" not in advice("TP203", f"{text}    pass\n")[0].message
    assert "cpu" not in advice("TP203", f"{text}    {set_type}(kind)\n")[0].message
    # Of one choice, the other branch has what holds anyway.
    (finding,) = advice("TP203", f"{text}    {set_type}({given})\n")
    assert "set_default_device('cpu')" not in finding.message
    goes = finding.message.endswith("; line 5, where nothing was set to the GPU, can go")
    assert goes is ("Float" in given)
    (finding,) = advice("TP203", f"{text}    pass\nif done:\n    {set_type}({given})\n")
    assert finding.message.endswith("; line 7 then needs set_default_device('cpu')")
    (finding,) = advice("TP203", f"{text}    pass\nif 0:\n    {set_type}({given})\n")
    assert "set_default_device('cpu')" not in finding.message
    inside = f"import torch\ndef use(cuda):\n    {text[13:].replace(chr(10), chr(10) + '    ')}"
    (finding,) = advice("TP203", f"{inside}    {set_type}({given})\n")
    assert finding.message.endswith("; line 6 then needs set_default_device('cpu')")
    # What the module binds once is the same each time.
    inside = inside.replace("use(cuda)", "use()").replace("\ndef ", "\ncuda = choose()\ndef ")
    (finding,) = advice("TP203", f"{inside}    {set_type}({given})\n")
    assert "set_default_device('cpu')" not in finding.message
    inside = inside.replace("\ndef ", "\ncuda = cuda and choose()\ndef ")
    (finding,) = advice("TP203", f"{inside}    {set_type}({given})\n")
    assert finding.message.endswith("; line 8 then needs set_default_device('cpu')")


_LOADING = """
import torch
from torch.utils.data import DataLoader
class Own(DataLoader):
    pass
torch.set_default_tensor_type('torch.cuda.FloatTensor')
loader = {loader}
"""


@pytest.mark.parametrize(
    ("loader", "told"),
    [
        ("DataLoader(data, shuffle=True)", "the DataLoader in line 6 raises, as it shuffles"),
        ("DataLoader(data, 4, True, num_workers=2)", "line 6 raises, as it shuffles"),
        ("Own(data, shuffle=True)", "line 6 raises, as it shuffles"),
        ("DataLoader(data, num_workers=args.n)", "the workers of the DataLoader in line 6 can"),
        ("[DataLoader(d, num_workers=2, shuffle=d > 1) for d in data]", "the workers of"),
    ],
)
def test_beside_a_loader_that_takes_no_default_of_the_gpu_it_has_to_go(
    loader: str, told: str
) -> None:
    (finding,) = advice("TP203", _LOADING.format(loader=loader))
    assert finding.message.startswith("with new tensors on the GPU by default the ")
    assert (
        "drop this, and move the model and what is made for it with .to(device)" in finding.message
    )
    assert told in finding.message


@pytest.mark.parametrize(
    "loader",
    [
        "DataLoader(data)",
        "DataLoader(data, shuffle=False, num_workers=0)",
        "DataLoader(data, shuffle=True, generator=torch.Generator('cuda'))",
        "DataLoader(*data, shuffle=True)",
        "shuffled(data, shuffle=True)",
        "None",
    ],
)
def test_beside_other_loaders_a_default_of_the_gpu_is_set_for_the_device(loader: str) -> None:
    (finding,) = advice("TP203", _LOADING.format(loader=loader))
    assert "set_default_device('cuda') puts new tensors on the GPU" in finding.message


@pytest.mark.parametrize(("default", "has_workers"), [(0, False), (2, True)])
def test_an_option_has_the_workers_of_its_default(default: int, has_workers: bool) -> None:
    option = f"import argparse\nparse = argparse.ArgumentParser()\nparse.add_argument('--n', default={default})\n"
    text = option + _LOADING.format(loader="DataLoader(data, num_workers=args.n)")
    (finding,) = advice("TP203", text)
    assert ("the workers of the DataLoader" in finding.message) is has_workers


@pytest.mark.parametrize(
    ("method", "is_torchs"),
    [
        ("def __init__(self, data, shuffle=False, **more): pass", False),
        ("def __init__(self, data, *, shuffle=False): pass", False),
        ("def __iter__(self): return iter(())", False),
        ("def __init__(self, *args, **more): super().__init__(*args, **more)", True),
    ],
)
def test_a_loader_that_shuffles_its_own_way_raises_nothing(method: str, is_torchs: bool) -> None:
    text = _LOADING.replace("    pass", f"    {method}")
    (finding,) = advice("TP203", text.format(loader="Own(data, shuffle=True, num_workers=2)"))
    assert ("raises, as it shuffles" in finding.message) is is_torchs
    assert finding.message.startswith("set_default_tensor_type is deprecated") is not is_torchs


_BOXES = "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\nn = 1\n"
_TRAINS = "from torch.utils.data import DataLoader\n{imports}\nfor x in DataLoader(data, {given}):\n    n\n"


@pytest.mark.parametrize(
    ("imports", "given", "told"),
    [
        ("from boxes import n", "shuffle=True", "the DataLoader in line 3 of train.py raises, as"),
        ("from layers import n", "shuffle=True", "the DataLoader in line 3 of train.py raises, as"),
        (
            "from layers import n",
            "num_workers=2",
            "the workers of the DataLoader in line 3 of train",
        ),
        ("from layers import n", "shuffle=False", None),
        ("from other import n", "shuffle=True", None),
        ("n = 1", "shuffle=True", None),
    ],
)
def test_a_loader_of_a_program_that_imports_the_file_raises_as_well(
    tmp_path: Path, imports: str, given: str, told: str | None
) -> None:
    files = {
        "boxes.py": _BOXES,
        "layers.py": "from boxes import n\n",
        "other.py": "n = 2\n",
        "train.py": _TRAINS.format(imports=imports, given=given),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    settings = Settings(select=("TP203",))
    (found,) = migrate_file(tmp_path / "boxes.py", settings, write=False).findings
    assert (told or "set_default_device('cuda') puts new tensors on the GPU") in found.message


def test_the_loader_of_a_file_that_is_imported_counts(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    loader = "from torch.utils.data import DataLoader\nload = DataLoader(data, shuffle=True)\n"
    (tmp_path / "loaders.py").write_text(loader)
    default = "import torch\n{}torch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
    found = []
    for name, imported in (("train.py", "import loaders\n"), ("test.py", "")):
        (tmp_path / name).write_text(default.format(imported))
        found += migrate_file(tmp_path / name, Settings(select=("TP203",)), write=False).findings
    assert "the DataLoader in line 2 of loaders.py raises" in found[0].message
    assert "set_default_device('cuda') puts" in found[1].message


def test_a_shuffled_loader_draws_by_a_generator_of_the_cpu() -> None:
    drawn: list[str] = []

    class Recorder(torch.overrides.TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if func is torch.randperm:
                drawn.append(kwargs["generator"].device.type)
            return func(*args, **(kwargs or {}))

    with Recorder():
        list(torch.utils.data.DataLoader([1, 2, 3], shuffle=True))
    assert drawn and set(drawn) == {"cpu"}


@pytest.mark.parametrize("kind", ["Float", "Double"])
def test_a_default_type_of_the_cpu_means_the_same(kind: str) -> None:
    text = f"import torch\ntorch.set_default_tensor_type('torch.{kind}Tensor')\nx = torch.ones(2)\n"
    results = []
    for code in (text, migrate(textwrap.dedent(text), "TP203").text):
        namespace: dict[str, torch.Tensor] = {}
        try:
            exec(code, namespace)
        finally:
            torch.set_default_dtype(torch.float)
        results.append((namespace["x"].dtype, namespace["x"].device))
    assert results[0] == results[1]


_BRANCHES = """import torch
def f(x, y):
    if {first}:
        return x.numpy()
    elif isinstance(x, dict):
        return x
    elif {second}:
        return x.cpu().numpy()
    return y
"""


@pytest.mark.parametrize("first", ["isinstance(x, torch.Tensor)", "torch.is_tensor(x)"])
@pytest.mark.parametrize("second", ["torch.cuda.FloatTensor", "torch.LongTensor"])
def test_a_branch_for_a_type_below_one_for_all_tensors_is_reported(first: str, second: str) -> None:
    text = _BRANCHES.format(first=first, second=f"isinstance(x, {second})")
    (finding,) = advice("TP203", text)
    assert finding.line == 7
    assert finding.message == (
        "every tensor takes the branch of line 3 since torch 0.4: this one never runs, drop it"
    )


def test_a_branch_that_was_for_variables_takes_all_tensors() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\ndef f(x):\n"
        "    if isinstance(x, Variable):\n        return x.data.numpy()\n"
        "    elif isinstance(x, torch.FloatTensor):\n        return {}\n"
    )
    (finding,) = [f for f in migrate(text.format("x.numpy() * 2")).findings if f.code == "TP203"]
    assert finding.message.startswith("every tensor takes the branch of line 4 since torch 0.4")
    for same in ("x.numpy()", "x.data.numpy()", "x.detach().numpy()"):
        result = migrate(text.format(same))
        assert "isinstance(x, torch.Tensor)" in result.text
        assert not [f for f in result.findings if f.code == "TP203"]
    (finding,) = [f for f in migrate(text.format("y.numpy()")).findings if f.code == "TP203"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("isinstance(x, torch.FloatTensor)", "isinstance(x, torch.cuda.FloatTensor)"),
        ("isinstance(y, torch.Tensor)", "isinstance(x, torch.cuda.FloatTensor)"),
        ("isinstance(x, torch.Tensor) and y", "isinstance(x, torch.cuda.FloatTensor)"),
        ("isinstance(x, torch.Tensor)", "isinstance(x, list)"),
        ("isinstance(x, torch.Tensor)", "not isinstance(x, torch.cuda.FloatTensor)"),
        ("isinstance(x, (torch.Tensor, list))", "isinstance(x, torch.cuda.FloatTensor)"),
        ("not torch.is_tensor(x)", "isinstance(x, torch.cuda.FloatTensor)"),
        ("is_tensor(x)", "isinstance(x, torch.cuda.FloatTensor)"),
    ],
)
def test_other_branches_for_a_type_may_run(first: str, second: str) -> None:
    assert not advice("TP203", _BRANCHES.format(first=first, second=second))


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("torch.set_default_tensor_type('torch.cuda.FloatTensor')", False),
        ("torch.set_default_tensor_type('torch.cuda.DoubleTensor')", True),
        (
            "torch.set_default_tensor_type('torch.cuda.FloatTensor')\nx = torch.DoubleTensor(2)",
            True,
        ),
    ],
)
def test_the_default_dtype_is_named_where_it_may_be_another(text: str, is_said: bool) -> None:
    (finding, *_) = advice("TP203", f"import torch\n{text}\n")
    assert ("set_default_dtype(" in finding.message) is is_said
    left = "leaves what torch.Tensor(...) makes on the CPU"
    assert left not in finding.message
    (finding, *_) = advice("TP203", f"import torch\n{text}\ny = torch.Tensor(2)\n")
    assert left in finding.message


_TYPES = "type(x) == torch.FloatTensor or type(x) == torch.cuda.FloatTensor"


@pytest.mark.parametrize(
    "first",
    [
        "type(x) == torch.autograd.Variable",
        "x.__class__ is torch.autograd.Variable",
        "isinstance(x, torch.autograd.Variable)",
        "isinstance(x, torch.Tensor)",
        "torch.is_tensor(x)",
    ],
)
@pytest.mark.parametrize("second", [_TYPES, "type(x) in (torch.FloatTensor, torch.LongTensor)"])
def test_nothing_is_to_be_written_below_a_branch_for_every_tensor(first: str, second: str) -> None:
    (finding,) = advice("TP203", _BRANCHES.format(first=first, second=second))
    assert finding.message == (
        "isinstance(x, torch.Tensor), which line 3 means, takes every tensor since 0.4: this "
        "branch never runs"
    )
    assert finding.line == 7


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ("type(y) == torch.autograd.Variable", _TYPES, 1),
        ("type(x) != torch.autograd.Variable", _TYPES, 1),
        ("type(x) == dict", _TYPES, 1),
        ("type(x) == torch.autograd.Variable", f"y and ({_TYPES})", 1),
        ("type(x) == torch.autograd.Variable", "y or not (type(x) == torch.LongTensor)", 1),
    ],
)
def test_a_branch_that_may_run_is_told_what_to_write(first: str, second: str, count: int) -> None:
    findings = advice("TP203", _BRANCHES.format(first=first, second=second))
    assert len(findings) == count
    assert all("write isinstance(x, " in finding.message for finding in findings)


_FLOATS = "import torch\ndef f(x, y):\n    return {asked}\n"
_OF_GPU = "type(x.data) == torch.cuda.FloatTensor"


@pytest.mark.parametrize("dtype", ["torch.float32", "torch.float"])
def test_a_dtype_that_is_asked_as_well_says_it(dtype: str) -> None:
    for asked in (f"{_OF_GPU} or x.data.dtype == {dtype}", f"x.data.dtype is {dtype} or {_OF_GPU}"):
        assert not advice("TP203", _FLOATS.format(asked=asked))


@pytest.mark.parametrize(
    "asked",
    [
        f"{_OF_GPU} or x.data.dtype == torch.float64",
        f"{_OF_GPU} or y.data.dtype == torch.float32",
        f"{_OF_GPU} or x.data.dtype != torch.float32",
        f"{_OF_GPU} and x.data.dtype == torch.float32",
        f"x.data.dtype == torch.FloatTensor or {_OF_GPU}",
    ],
)
def test_another_dtype_does_not_say_it(asked: str) -> None:
    (finding,) = advice("TP203", _FLOATS.format(asked=asked))
    assert finding.message.endswith("write isinstance(x.data, torch.cuda.FloatTensor)")


@pytest.mark.parametrize(
    ("given", "now"),
    [
        ("*x.size(), n", "torch.empty(*x.size(), n, device=device)"),
        ("n, *x.size()", "torch.empty(n, *x.size(), device=device)"),
        ("*x.size()", None),
        ("*sizes, n", None),
        ("*x.size(), [1, 2]", None),
        ("n", None),
    ],
)
def test_sizes_that_are_unpacked_beside_another(given: str, now: str | None) -> None:
    made = f"torch.cuda.FloatTensor({given})"
    text = f"import torch\n\ndef f(x, n, sizes):\n    x = x.data.float()\n    return {made}\n"
    assert migrate(text, "TP203").text.endswith(f"return {now or made}\n")


_CHOSEN = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
_LEFT = "import torch\n{made}\ndef f(x, y):\n    {line}\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "return torch.cuda.LongTensor(y)",
            "torch.cuda.LongTensor needs a GPU, though device may be the CPU: for a list or an array, "
            "write torch.tensor(y, dtype=torch.long, device=device)",
        ),
        (
            "return x.type('torch.cuda.FloatTensor')",
            "torch.cuda.FloatTensor needs a GPU, though device may be the CPU: for a tensor, write "
            "x.to(device, torch.float)",
        ),
        (
            "return torch.nn.Linear(2, 3).type(torch.cuda.FloatTensor)",
            "torch.cuda.FloatTensor needs a GPU, though device may be the CPU: write "
            "torch.nn.Linear(2, 3).to(device, torch.float)",
        ),
        (
            "y[x.type(torch.cuda.ByteTensor)] = 1",
            "torch.cuda.ByteTensor needs a GPU, though device may be the CPU: for a tensor, write "
            "x.to(device, torch.uint8).bool()",
        ),
        (
            "y[x.type(torch.cuda.ByteTensor), 0] = 1",
            "torch.cuda.ByteTensor needs a GPU, though device may be the CPU: for a tensor, write "
            "x.to(device, torch.uint8).bool()",
        ),
        (
            # It is read, not set.
            "return y[x.type(torch.cuda.ByteTensor)]",
            "torch.cuda.ByteTensor needs a GPU, though device may be the CPU: for a tensor, write "
            "x.to(device, torch.uint8)",
        ),
        (
            # What indexes the other side, and positions.
            "y[0] = y[x.type(torch.cuda.ByteTensor)]",
            "torch.cuda.ByteTensor needs a GPU, though device may be the CPU: for a tensor, write "
            "x.to(device, torch.uint8)",
        ),
        (
            "y[x.type(torch.cuda.LongTensor)] = 1",
            "torch.cuda.LongTensor needs a GPU, though device may be the CPU: for a tensor, write "
            "x.to(device, torch.long)",
        ),
        (
            # A size as well gets what is drawn.
            "return torch.cuda.FloatTensor(y).normal_()",
            "torch.cuda.FloatTensor needs a GPU, though device may be the CPU: write torch.empty(y, "
            "dtype=torch.float, device=device) for sizes, torch.tensor(y, dtype=torch.float, "
            "device=device) for a list or an array",
        ),
        (
            "return torch.cuda.FloatTensor(*y)",
            "torch.cuda.FloatTensor needs a GPU, though device may be the CPU: of sizes, "
            "torch.empty(*y, dtype=torch.float, device=device) makes the same",
        ),
        (
            "return torch.cuda.LongTensor(*y).random_(3)",
            "torch.cuda.LongTensor needs a GPU, though device may be the CPU: of sizes, "
            "torch.empty(*y, dtype=torch.long, device=device) makes the same",
        ),
        (
            # Only a list can be added to one.
            "return torch.cuda.LongTensor([1] + y)",
            "torch.cuda.LongTensor needs a GPU, though device may be the CPU: for a list or an array, "
            "write torch.tensor([1] + y, dtype=torch.long, device=device)",
        ),
        (
            "return torch.cuda.FloatTensor(*x, *y)",
            "torch.cuda.FloatTensor needs a GPU, though device may be the CPU",
        ),
    ],
)
def test_a_type_of_the_gpu_that_stays_beside_a_device_is_told(line: str, said: str) -> None:
    (finding,) = advice("TP203", _LEFT.format(made=_CHOSEN, line=line))
    assert finding.message == said


_SEVERAL = """import torch
import numpy as np
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def f(x, y):
    return torch.cuda.LongTensor(x["masks"])
def g(x, y):
    z = torch.cuda.FloatTensor(np.max(x["masks"]))
    return torch.cuda.LongTensor(x["images"]), x.type(torch.cuda.FloatTensor), z
def h(x, y):
    Tensor = torch.cuda.FloatTensor
    return y.type(torch.cuda.FloatTensor), torch.cuda.FloatTensor(y[0]), Tensor(y)
"""


def test_the_first_of_those_that_stay_alike_tells_of_all() -> None:
    needs = "needs a GPU, though device may be the CPU"
    for_list, floats = "for a list or an array", "dtype=torch.float, device=device)"
    found = [(f.line, f.message) for f in advice("TP203", _SEVERAL)]
    assert found == [
        (
            5,
            f"torch.cuda.LongTensor {needs}: {for_list}, write torch.tensor(..., dtype=torch.long, "
            "device=device), here and in line 8",
        ),
        (
            7,
            f"torch.cuda.FloatTensor {needs}: {for_list}, write torch.tensor(..., {floats}, here "
            "and in line 11",
        ),
        (
            8,
            f"torch.cuda.FloatTensor {needs}: for a tensor, write .to(device, torch.float), here and "
            "in line 11",
        ),
        (
            11,
            f"Tensor of line 10 (torch.cuda.FloatTensor) {needs}: {for_list}, write "
            f"torch.tensor(y, {floats}",
        ),
    ]


def test_what_is_given_alike_is_named_for_all() -> None:
    line = "return torch.cuda.LongTensor(y)\ndef g(y):\n    return torch.cuda.LongTensor(y)"
    (finding,) = advice("TP203", _LEFT.format(made=_CHOSEN, line=line))
    assert finding.message.endswith(
        "torch.tensor(y, dtype=torch.long, device=device), here and in line 6"
    )


def test_a_type_that_stays_beside_a_move_that_goes_is_told() -> None:
    text = _LEFT.format(made="", line="return torch.zeros(2).cuda() + torch.cuda.FloatTensor(y)")
    # Where the move is not rewritten, there is no device.
    assert advice("TP203", text) == []
    migration = migrate(text)
    assert "torch.zeros(2, device=device) + torch.cuda" in migration.text
    assert any(
        "though device may be the CPU" in f.message for f in migrate(migration.text).findings
    )


@pytest.mark.parametrize(
    ("made", "line"),
    [
        ("", "return torch.cuda.LongTensor(y)"),
        ('device = torch.device("cuda:0")', "return torch.cuda.LongTensor(y)"),
        ("device = torch.device(given)", "return torch.cuda.LongTensor(y)"),
        ("", "return x.unknown().cuda(y) + torch.cuda.LongTensor(y)"),
        (_CHOSEN, "return torch.LongTensor(y)"),
        (_CHOSEN, "return torch.cuda.LongTensor(y) if y.is_cuda else y"),
        (_CHOSEN, "return torch.cuda.LongTensor(y) if device.type == 'cuda' else y"),
        (_CHOSEN, "if use_gpu: return torch.cuda.LongTensor(y)"),
        (_CHOSEN, "return isinstance(x, torch.cuda.LongTensor)"),
        (_CHOSEN, "with torch.cuda.device(1): return torch.cuda.LongTensor(y)"),
    ],
)
def test_a_type_that_nothing_shows_to_run_without_a_gpu_is_not_told(made: str, line: str) -> None:
    assert not advice("TP203", _LEFT.format(made=made, line=line))


@pytest.mark.parametrize(
    ("line", "now"),
    [
        ("return x.eq(y).type(torch.cuda.FloatTensor)", "x.eq(y).to(device, torch.float)"),
        ("return (x - y).type(torch.cuda.LongTensor)", "(x - y).to(device, torch.long)"),
        ("return (x == y).type(torch.cuda.LongTensor)", "(x == y).to(device, torch.long)"),
        ("return x[:, 0].type(torch.cuda.LongTensor)", "x[:, 0].to(device, torch.long)"),
        (
            "return y(x.data > 0), x.type(torch.cuda.LongTensor)",
            "y(x.data > 0), x.to(device, torch.long)",
        ),
        (
            "return x.size()[1], x.type(torch.cuda.LongTensor)",
            "x.size()[1], x.to(device, torch.long)",
        ),
        (
            "return x(y).data.max(1)[1].type(torch.cuda.FloatTensor)",
            "x(y).data.max(1)[1].to(device, torch.float)",
        ),
        (
            "return x.view(-1)[:9].type(torch.cuda.LongTensor)",
            "x.view(-1)[:9].to(device, torch.long)",
        ),
    ],
)
def test_what_no_module_does_shows_a_tensor_that_is_cast(line: str, now: str) -> None:
    text = _LEFT.format(made=_CHOSEN, line=line)
    assert migrate(text, "TP203").text.endswith(f"return {now}\n")


@pytest.mark.parametrize(
    "line",
    [
        "return x.type(torch.cuda.FloatTensor)",
        "return x[0].type(torch.cuda.FloatTensor)",
        "return x[:2].type(torch.cuda.FloatTensor)",
        "return x.eq.type(torch.cuda.FloatTensor)",
        "return x.data(y), x.type(torch.cuda.FloatTensor)",
        "return x.size, x.type(torch.cuda.FloatTensor)",
        "y(x.data)\n    x = y()\n    return x.type(torch.cuda.FloatTensor)",
        "x.data = y\n    return x.type(torch.cuda.FloatTensor)",
    ],
)
def test_what_may_be_a_module_is_told_where_it_is_cast(line: str) -> None:
    text = _LEFT.format(made=_CHOSEN, line=line)
    assert migrate(text, "TP203").text == text
    assert "for a tensor, write" in advice("TP203", text)[0].message


@pytest.mark.parametrize(
    ("made", "cast", "is_tensor"),
    [
        ("labels.view(n)", "given[:5]", True),
        ("labels.view(n, -1)", "given[0]", True),
        ("labels.max(1)", "given[1]", True),
        ("labels.mean()", "given", True),
        ("labels.view(first)", "given[:5]", True),
        ("labels.view(np.ndarray)", "given[:5]", False),
        ("labels.view('O')", "given[:5]", False),
        ("labels.view()", "given[:5]", False),
        ("labels.clone()", "given", False),
        ("labels.add(first)", "given", False),
        ("labels.reshape(n)", "given[0]", False),
        ("labels.values()", "given[0]", False),
        ("labels.pop(1)", "given[0]", False),
        ("np.max(labels)", "given[0]", False),
        ("labels", "given[0]", False),
        ("labels.max(1) if n else labels", "given[1]", False),
        ("labels.view(n)\n    if n > 2: given = labels", "given[:5]", False),
        ("labels.view(n)\n    for given in labels: break", "given", False),
    ],
)
def test_what_operations_of_tensors_give_is_cast(made: str, cast: str, is_tensor: bool) -> None:
    text = (
        f"import numpy as np\nimport torch\n{_CHOSEN}\ndef f(labels, first):\n    n = len(labels)\n"
    )
    text += f"    given = {made}\n    return {cast}.type(torch.cuda.LongTensor)\n"
    now = text.replace(".type(torch.cuda.LongTensor)", ".to(device, torch.long)")
    assert migrate(text, "TP203").text == (now if is_tensor else text)
    assert is_tensor or "for a tensor, write" in advice("TP203", text)[0].message


@pytest.mark.parametrize("method", ["max", "mean", "view"])
def test_a_method_of_a_class_of_the_file_gives_what_it_likes(method: str) -> None:
    text = _LEFT.format(made=_CHOSEN, line=f"return x.{method}(1)[0].type(torch.cuda.FloatTensor)")
    assert migrate(text, "TP203").text != text
    text += f"class A:\n    def {method}(self, y):\n        return y\n"
    assert migrate(text, "TP203").text == text


def test_a_method_of_a_class_of_the_file_compares_as_it_likes() -> None:
    text = _LEFT.format(made=_CHOSEN, line="return x.eq(y).type(torch.cuda.FloatTensor)")
    text += "class A:\n    def eq(self, y):\n        return y\n"
    assert migrate(text, "TP203").text == text


_CAST = """import torch
{imported}
net = torch.nn.Linear(2, 2)
net.cuda()
dtype = torch.cuda.FloatTensor
for x in load():
    y = {made}
    net(y)
"""
_FROM_TORCH = "from torch.autograd import Variable"


@pytest.mark.parametrize(
    "made",
    [
        "Variable(x['a'].type(dtype), requires_grad=False)",
        "Variable(x['a'].type(dtype))[None, ...]",
        "[Variable(each.type(dtype)) for each in x]",
    ],
)
def test_what_becomes_a_variable_is_a_tensor(made: str) -> None:
    after = migrate(_CAST.format(imported=_FROM_TORCH, made=made)).text
    assert ".to(device, torch.float)" in after
    assert "type(dtype)" not in after and "Variable" not in after


@pytest.mark.parametrize(
    ("imported", "made"),
    [
        ("from tensors import Variable", "Variable(x['a'].type(dtype))"),
        (_FROM_TORCH, "check(Variable(z), x['a'].type(dtype))"),
        (_FROM_TORCH, "check(x['a'].type(dtype), Variable(z))"),
        (_FROM_TORCH, "Variable(check(x['a'].type(dtype)))"),
    ],
)
def test_what_is_given_to_something_else_may_be_a_module(imported: str, made: str) -> None:
    after = migrate(_CAST.format(imported=imported, made=made)).text
    assert "x['a'].type(dtype)" in after


_CHOICE = """
import torch
class Words:
    def ids_of(self, words, net):
        ids = [self.ids[word] for word in words]
        {0}
"""


@pytest.mark.parametrize(
    ("choice", "made"),
    [
        (
            "return torch.cuda.LongTensor(ids) if self.cuda else torch.LongTensor(ids)",
            'return torch.tensor(ids, dtype=torch.long, device="cuda" if self.cuda else "cpu")',
        ),
        (
            "x = (torch.cuda.FloatTensor(2, 3).fill_(0) if self.cuda else\n"
            "             torch.FloatTensor(2, 3).fill_(0))",
            'x = (torch.zeros(2, 3, device="cuda" if self.cuda else "cpu"))',
        ),
        (
            "return net(torch.cuda.LongTensor(ids) if self.cuda and net else torch.LongTensor(ids))",
            'return net(torch.tensor(ids, dtype=torch.long, device="cuda" if self.cuda and net else'
            ' "cpu"))',
        ),
    ],
)
def test_a_choice_of_the_device_alone_becomes_one_call(choice: str, made: str) -> None:
    found = migrate(_CHOICE.format(choice), "TP203")
    assert found.text == _CHOICE.format(made)


@pytest.mark.parametrize(
    "choice",
    [
        "return torch.cuda.LongTensor(ids) if self.cuda else torch.LongTensor(words)",
        "return torch.cuda.LongTensor(ids) if self.cuda else torch.IntTensor(ids)",
        "return torch.cuda.LongTensor(ids) if self.use() else torch.LongTensor(ids)",
        "return torch.cuda.LongTensor(ids)[0] if self.cuda else torch.LongTensor(ids)[0]",
        "return torch.cuda.LongTensor(ids) if self.cuda else None",
    ],
)
def test_a_choice_of_more_than_the_device_stays(choice: str) -> None:
    after = migrate(_CHOICE.format(choice), "TP203").text
    assert "if self" in after and 'device="cuda" if' not in after


def test_it_does_so_once_both_halves_are_unwrapped() -> None:
    old = "Variable(torch.cuda.LongTensor(ids)) if self.cuda else Variable(torch.LongTensor(ids))"
    new = 'torch.tensor(ids, dtype=torch.long, device="cuda" if self.cuda else "cpu")'
    text = _CHOICE.replace("import torch", "import torch\nfrom torch.autograd import Variable")
    text = text.format(f"return {old}")
    assert f"return {new}\n" in migrate(text, "TP101", "TP203").text
    assert migrate(text, "TP203").text == text


_COLLATED = """
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def collate(batch):
    xs, ys = [], []
    for sample in batch:
        xs.append(sample[0])
        ys.append(sample[1])
    return {returned}
loader = DataLoader(data, {collates})
net = nn.Linear(2, 2).to(device)
def train():
    batches = None
    for i in range(10):
        if not batches or i % 3 == 0:
            batches = iter(loader)
        xs, ys = next(batches)
        print(net(torch.cuda.FloatTensor(xs)), ys)
    for ys, xs in loader:
        print(net(torch.cuda.FloatTensor(xs)), ys)
"""


def test_what_a_function_of_the_project_collates_is_known() -> None:
    text = _COLLATED.format(
        returned="np.concatenate(xs), np.array(ys)", collates="collate_fn=collate"
    )
    assert (
        migrate(text, "TP203").text.count("torch.as_tensor(xs, dtype=torch.float, device=device)")
        == 2
    )


@pytest.mark.parametrize(
    ("returned", "collates"),
    [
        ("np.concatenate(xs), np.array(ys)", "4"),
        ("np.concatenate(xs), np.array(ys)", "collate_fn=lambda batch: batch"),
        ("np.concatenate(xs), np.array(ys)", "collate_fn=collate, **more"),
        ("len(xs), np.max(ys)", "collate_fn=collate"),
        ("list(xs)[0], ys[0]", "collate_fn=collate"),
        ("some(xs)", "collate_fn=collate"),
    ],
)
def test_what_may_be_no_array_of_a_batch_stays(returned: str, collates: str) -> None:
    text = _COLLATED.format(returned=returned, collates=collates)
    assert migrate(text, "TP203").text.count("torch.cuda.FloatTensor(xs)") == 2


@pytest.mark.parametrize(
    ("made", "is_array"),
    [
        ("np.array(batch['image'])", True),
        ("np.random.choice(10, n // 2)", True),
        ("np.array(batch)", False),
        ("np.array(n)", False),
        ("np.random.choice(n)", False),
    ],
)
def test_what_a_loader_gives_by_a_key_is_an_array(made: str, is_array: bool) -> None:
    text = (
        "import numpy as np\nimport torch\nfrom torch.utils.data import DataLoader\n"
        'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
        "def train(net, data, n):\n    net.to(device)\n"
        f"    for batch in DataLoader(data):\n        net(torch.cuda.FloatTensor({made}))\n"
    )
    new = f"net(torch.as_tensor({made}, dtype=torch.float, device=device))"
    assert (new in migrate(text, "TP203").text) == is_array


@pytest.mark.parametrize(
    ("constants", "others", "made"),
    [
        ("SIZES = [[8, 8], [16, 16]]\n", "", "tensor"),
        ("SIZES = ((8, 8), (16, 16))\n", "", "tensor"),
        ("import numpy as np\nSIZES = np.arange(3)\n", "", "as_tensor"),
        ("import numpy as np\nSIZES = np.max(counted())\n", "", None),
        ("SIZES = counted()\n", "", None),
        ("SIZES = [[8, 8]]\nif small():\n    SIZES = 3\n", "", None),
        ("SIZES = [[8, 8]]\nfrom others import *\n", "SIZES = 3\n", None),
        ("SIZES = [[8, 8]]\n", "import constants\nconstants.SIZES = 3\n", None),
    ],
)
def test_what_another_file_lists_once_is_values(
    tmp_path: Path, constants: str, others: str, made: str | None
) -> None:
    text = (
        "import torch\nfrom constants import SIZES\n"
        'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
        "def sizes(net):\n    net.to(device)\n    return torch.cuda.FloatTensor(SIZES)\n"
    )
    for name, each in {"constants": constants, "others": others, "boxes": text}.items():
        (tmp_path / f"{name}.py").write_text(each)
    found = migrate_file(tmp_path / "boxes.py", Settings(select=("TP203",)), write=False)
    line = f"torch.{made}(SIZES, dtype=torch.float, device=device)"
    assert (line in (found.after or "")) == (made is not None)


@pytest.mark.parametrize("asked", ["torch.cuda.is_available()", "use_cuda"])
def test_the_device_stands_by_the_name_for_the_answer(asked: str) -> None:
    text = f"""\
import torch
sizes = [2, 3]
# Where it runs.
use_cuda = torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if {asked} else torch.FloatTensor
Long = torch.cuda.LongTensor if {asked} else torch.LongTensor
x, y = Tensor(2, 3), Long(2, 3).fill_(1)
"""
    after = """\
import torch
sizes = [2, 3]
# Where it runs.
use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
x, y = torch.empty(2, 3, device=device), torch.ones(2, 3, dtype=torch.long, device=device)
"""
    assert migrate(text, "TP203").text == after
