from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options, migrate_text
from torchfix_codemods.rules import select

test_rewrites = rewrites(
    "TP906",
    {
        "a file for torch 0.3": (
            """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            m = torch.full((2, 2), 1)
            """,
            """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            m = torch.full((2, 2), 1.0)
            """,
        ),
        "a project with another default": (
            """
            import torch
            from torch.autograd import Variable
            torch.set_default_tensor_type("torch.DoubleTensor")
            x = Variable(y, volatile=True)
            m = torch.full(
                (n, x.size(0)),  # rows
                -100,
            )
            """,
            """
            import torch
            from torch.autograd import Variable
            torch.set_default_tensor_type("torch.DoubleTensor")
            x = Variable(y, volatile=True)
            m = torch.full(
                (n, x.size(0)),  # rows
                -100.0,
            )
            """,
        ),
        "numbers of torch 0.3": (
            """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            m = torch.full((2, 2), True)
            steps = torch.arange(0, n)
            wider = torch.arange(0, n, step)
            index = torch.arange(0, n).long()
            column = torch.arange(0, n).view(1, n).t().long()
            chosen = torch.arange(0, n).expand(2, n).masked_select(mask).long()
            def shifted(n, y):
                offset = torch.arange(0, n) * len(y)
                return index + offset.view(n, 1).type_as(index)
            half = torch.arange(-n, n // 2 + 1)
            odd = torch.arange(int(n * 0.5), f(0.5))
            k = n * 0.5
            if n:
                k = n
            either = torch.arange(k)
            """,
            """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            m = torch.full((2, 2), 1.0)
            steps = torch.arange(0, n, dtype=torch.float)
            wider = torch.arange(0, n, step, dtype=torch.float)
            index = torch.arange(0, n).long()
            column = torch.arange(0, n).view(1, n).t().long()
            chosen = torch.arange(0, n).expand(2, n).masked_select(mask).long()
            def shifted(n, y):
                offset = torch.arange(0, n) * len(y)
                return index + offset.view(n, 1).type_as(index)
            half = torch.arange(-n, n // 2 + 1, dtype=torch.float)
            odd = torch.arange(int(n * 0.5), f(0.5), dtype=torch.float)
            k = n * 0.5
            if n:
                k = n
            either = torch.arange(k, dtype=torch.float)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP906",
    {
        "a file for any torch": """
            import torch
            m = torch.full((2, 2), 1)
            """,
        "dtypes that are given": """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            a = torch.arange(0, n, out=torch.LongTensor())
            b = torch.arange(0, n).type(kind)
            c = torch.arange(0, n).type_as(x)
            d = torch.full((2, 2), 0.5)
            e = x[torch.arange(0, n)]
            """,
        "numbers that make floats today, too": """
            import torch
            from torch.autograd import Variable
            LOW, HIGH = -10, 10
            STEP = (HIGH - LOW) / 50
            x = Variable(y, volatile=True)
            a = torch.arange(LOW, HIGH, STEP)
            b = torch.arange(0, 1, 0.1)
            c = torch.arange(0., n)
            d = torch.arange(start=0, end=1, step=1 / len(x))
            """,
        "what is calculated with floats, whatever it is": """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            def steps(limit, step, scale=None):
                half = limit * 0.5
                a = torch.arange(-limit, limit + 0.1, step)
                b = torch.arange(-half, step=2 - half)
                c = torch.arange(0, limit / step)
                if scale is None:
                    scale = limit ** 0.5
                else:
                    scale = limit / scale
                d = torch.arange(scale)
                return a, b, c, d
            """,
        "a project with another default": """
            import torch
            from torch.autograd import Variable
            torch.set_default_tensor_type("torch.DoubleTensor")
            x = Variable(y, volatile=True)
            a = torch.arange(0, n)
            """,
        "reductions of torch 0.3": """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            s = x.sum(1)
            m, i = torch.max(x, 1)
            """,
        "a file for a newer torch": """
            import torch
            x = torch.linalg.solve(a, b)
            m = torch.full((2, 2), 1)
            """,
        "what is said": """
            import torch
            from torch.autograd import Variable
            y = Variable(x, volatile=True)
            m = torch.full((2, 2), 1, dtype=torch.long)
            n = torch.full((2, 2), 1.0)
            o = torch.full((2, 2), value)
            """,
    },
)


def test_what_is_converted_or_copied_at_once_gives_no_other_numbers() -> None:
    old = "import torch\nfrom torch.autograd import Variable\nv = Variable(x, volatile=True)\n"
    kept = (
        f"{old}x.copy_(torch.arange(0, 3))\na = torch.full((2,), 1).float()\n"
        "b = torch.full((2,), 1).type(torch.DoubleTensor)\nx.view(3).copy_(torch.full((3,), 2))\n"
    )
    assert migrate(kept, "TP906").text == kept
    after = migrate(f"{old}x.add_(torch.arange(0, 3))\nf(torch.full((2,), 1)).float()\n", "TP906")
    assert "arange(0, 3, dtype=torch.float)" in after.text
    assert "full((2,), 1.0)" in after.text


def test_what_is_moved_or_wrapped_before_it_is_converted_gives_no_other_numbers() -> None:
    old = "import torch\nfrom torch.autograd import Variable\nv = Variable(x, volatile=True)\n"
    kept = (
        f"{old}y = torch.zeros(3, 3)\ny[0] = torch.full((3,), 1)\ny[0, :2] = torch.full((2,), 1)\n"
        "a = torch.full((3,), 1).cuda().type_as(y)\n"
        "b = Variable(torch.arange(0, 3)).type_as(y)\n"
        "c = torch.arange(0, 3)[1:].unsqueeze(0).cuda().float()\n"
        "d = torch.full((3,), 1).to(dtype=torch.double)\ne = torch.full((3,), 1).to(y)\n"
    )
    assert migrate(kept, "TP906").text == kept


_JOINED = """import torch
from torch.autograd import Variable
def f(x, n):
    v = Variable(x, volatile=True)
    {use}
"""


@pytest.mark.parametrize(
    ("use", "is_converted"),
    [
        ("return torch.cat([torch.arange(0, n), torch.arange(1, n)]).type_as(x).long()", True),
        ("return torch.stack((torch.arange(0, n), torch.arange(n)), dim=1).long()", True),
        ("i = [torch.arange(0, n), torch.arange(1, n)]\n    return torch.cat(i, 0).long()", True),
        ("i, j = torch.arange(0, n), torch.arange(1, n)\n    return i.long(), j.long()", True),
        ("i, j = torch.arange(0, n), torch.arange(1, n)\n    return i.long(), j", False),
        ("return torch.cat([torch.arange(0, n), torch.arange(1, n)])", False),
        ("return torch.cat([torch.arange(0, n), x]).long()", False),
        ("return torch.cat([torch.arange(0, n), torch.rand(n)]).long()", False),
        ("torch.cat([torch.arange(0, n), torch.arange(1, n)], out=x).long()", False),
        ("return torch.einsum('i,j', [torch.arange(0, n), torch.arange(1, n)]).long()", False),
        ("i = [torch.arange(0, n), torch.arange(1, n)]\n    i.append(x / 2)\n"
         "    return torch.cat(i, 0).long()", False),
    ],
)  # fmt: skip
def test_what_is_converted_as_soon_as_it_is_joined_keeps_its_numbers(
    use: str, is_converted: bool
) -> None:
    text = _JOINED.format(use=use)
    assert ("dtype=torch.float" not in migrate(text, "TP906").text) is is_converted


_NAMED = """import torch
from torch.autograd import Variable
v = Variable(x, volatile=True)
def f(x):
    i = torch.arange(0, x.size(0))
    {use}
"""


@pytest.mark.parametrize(
    ("use", "is_converted"),
    [
        ("return i.long()", True),
        ("return x[i.view(1, -1).long()], i.float()", True),
        ("if x.is_cuda: i = i.cuda()\n    return i.float()", True),
        ("i = Variable(i)\n    return i[:, None].long()", True),
        ("x.copy_(i)", True),
        ("return getattr(i, 'cuda')().long()", True),
        ("return getattr(i, ('cpu', 'cuda')[x.is_cuda])().long()", True),
        ("return getattr(i, 'cuda' if x.is_cuda else 'cpu')().view(-1).long()", True),
        ("return getattr(i, 'cuda')()", False),
        ("return getattr(i, ('cpu', name)[x.is_cuda])().long()", False),
        ("return getattr(i, ('sqrt', 'cuda')[x.is_cuda])().long()", False),
        ("return getattr(i, 'new')(2).long()", False),
        ("return getattr(x, 'add')(i).long()", False),
        ("getattr = x.get\n    return getattr(i, 'cuda')().long()", False),
        ("return i", False),
        ("return i.long(), i / 2", True),
        ("i[0] = 0.5\n    return i.long()", False),
        ("i += 0.5\n    return i.long()", False),
        ("i.mul_(0.5)\n    return i.long()", False),
        ("j = i\n    j[0] = 0.5\n    return i.long()", False),
        ("for _ in x: i = i.view(-1)\n    return i.long()", True),
        ("for _ in x: i = i * 0.5\n    return i.long()", True),
        ("def g(k): return k.view(-1).long()\n    return g(i)", True),
        ("def g(k): return k.view(-1)\n    return g(i).long()", False),
        ("def g(*k): return k[0].long()\n    return g(i)", False),
        ("global k\n    k = torch.arange(0, 2)\n    k.long()", False),
        ("return (i % 2 != 0).float() - (i % 2 == 0).float()", True),
        ("return (i == x.float()).float(), i[x.long()].nonzero(), i.shape", True),
        ("return i // 2 == 1, i < 2.5, i.eq(1), i - 0.5", True),
        ("return i % 2", False),
        ("return i % 0 == 1", False),
        ("return i ** 2 == 4, -i", False),
        ("return i.isclose(x)", False),
        ("return i.float().dtype, i.dtype", False),
        ("return i.cumsum(0) > 1", False),
        ("for k in i: k = int(k); x[k] = 0", True),
        ("return float(i[0]), int(i[1])", True),
        ("return [int(k) for k in i]", True),
        ("for k in i: print(k, int(k))", False),
        ("for k, j in zip(i, x): x[int(k)] = j", False),
        ("return [k for k in i]", False),
        ("int = x.get\n    return int(i[0])", False),
        ("pass", False),
    ],
)
def test_what_is_converted_by_its_name_gives_no_other_numbers(use: str, is_converted: bool) -> None:
    text = _NAMED.format(use=use)
    assert ("dtype=" not in migrate(text, "TP906").text) == is_converted


def test_what_is_only_moved_gives_other_numbers() -> None:
    old = "import torch\nfrom torch.autograd import Variable\nv = Variable(x, volatile=True)\n"
    after = migrate(
        f"{old}a = torch.full((3,), 1).to(y.device)\nkind = torch.full((3,), 2).type()\n"
        "outs = [0]\nouts[0] = torch.full((3,), 3)\nb = torch.full((3,), 4).to('cuda').sum()\n"
        "c = y[torch.full((3,), 5)]\nz = torch.zeros(3)\nz[z > 0] = torch.full((3,), 6)\n",
        "TP906",
    )
    assert all(f"full((3,), {i}.0" in after.text for i in range(1, 7))


def test_a_torch_that_calculates_with_one_type_alone_gets_the_range_of_floats() -> None:
    text = _NAMED.format(use="return (i == x.float()).float()")
    (rule,) = select(["TP906"])
    older, newer = rule.for_target((1, 4)), rule.for_target((1, 5))
    assert older is not None and newer is not None
    assert "dtype=torch.float" in migrate_text(text, [older], Options()).text
    assert "dtype=torch.float" not in migrate_text(text, [newer], Options()).text


_MADE = """
import torch
from torch.autograd import Variable
x = Variable(y, volatile=True)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5)
"""


@pytest.mark.parametrize(
    ("steps", "count"),
    [
        ("", 1),
        ("optimizer.step(closure)", 1),
        ("optimizer.step(closure=closure)", 1),
        ("optimizer.step()\noptimizer.step(closure)", 1),
        ("run(optimizer.step)", 1),
        ("optimizer.step()", 0),
        ("optimizer.step()\nother.step()", 0),
    ],
)
def test_lbfgs_stops_at_nothing_where_no_step_has_a_closure(steps: str, count: int) -> None:
    """Such a step raises, on each torch."""
    assert len(advice("TP906", f"{_MADE}{steps}\n")) == count
