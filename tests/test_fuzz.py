"""Programs put together at random: whatever comes out parses, and a second run changes nothing."""

from __future__ import annotations

import ast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.fuzz import broken_promises, run
from torchfix_codemods.engine.migrate import Options, migrate_text
from torchfix_codemods.finding import FileError, FileResult
from torchfix_codemods.rules import select

HEAD = (
    "import torch",
    "import torch.nn as nn",
    "import torch.nn.functional as F",
    "from torch.autograd import Variable",
    "from torch.nn.init import xavier_uniform, normal",
    "use_cuda = torch.cuda.is_available()",
    "loader = torch.utils.data.DataLoader(dataset)",
    "net = nn.Sequential(nn.Linear(2, 2), nn.Dropout())",
    "criterion = nn.CrossEntropyLoss(size_average=False)",
    "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)",
    "total = 0",
    "x = torch.randn(2, 2)",
    "y = torch.LongTensor([0, 1])",
)

STATEMENTS = (
    "x = Variable(x)",
    "x, y = Variable(x), Variable(y)",
    "x = Variable(x, volatile=True)",
    "x, y = Variable(x, volatile=True), Variable(y, volatile=True)  # both",
    "out = net(x)",
    "out = net.forward(x)",
    "loss = criterion(net(x), y)",
    "loss = F.cross_entropy(net(Variable(x)), y,\n                       size_average=False)",
    "total += loss.data[0]",
    "print(f'{loss.data[0]:.3f} {total}')",
    "loss.backward()",
    "loss.backward(retain_variables=True)",
    "optimizer.step()",
    "x = x.cuda()",
    "x, y = x.cuda(), y.cuda(async=True)",
    "net.cuda()",
    "net.eval()",
    "net.train()",
    "pred = out.data.max(1)[1]",
    "z = x.transpose(0, 1).contiguous().view(-1)",
    "z = x.t().view(4)",
    "x = Variable(x.data +\n             1, requires_grad=True)",
    "xavier_uniform(net[0].weight); normal(net[0].weight)",
    "net[0].weight.data.uniform_(-1, 1)",
    "for p in net.parameters(): p.data.add_(-0.1, p.grad.data)",
    "torch.nn.utils.clip_grad_norm(net.parameters(), 1)",
    "torch.save(net, 'net.pt')",
    "net = torch.load('net.pt')",
    "x, y = iter(loader).next()",
    "if isinstance(x, Variable) and type(y) == Variable: pass",
    "# a comment",
    "text = '''\n  kept   \n'''",
)

HEADERS = (
    "if use_cuda:",
    "if x.is_cuda:",
    "for x, y in loader:",
    "for i, (x, y) in enumerate(loader):",
    "while total < 3:",
    "with torch.no_grad():",
    "def run(x, y, volatile=False):",
    "def test(model=net):",
    "try:",
)


def _block(children: list[list[str]], header: str, other: list[str] | None) -> list[str]:
    lines = [header]
    body = [line for child in children for line in child] or ["pass"]
    if all(line.lstrip().startswith("#") for line in body):
        body.append("pass")
    lines += _indented(body)
    if header == "try:":
        lines += ["except ValueError:", *_indented(other or ["pass"]), "    pass"]
    elif header.startswith("if") and other:
        lines += ["else:", *_indented(other), "    pass"]
    return lines


def _indented(lines: list[str]) -> list[str]:
    result = []
    in_string = False
    for line in "\n".join(lines).split("\n"):
        result.append(line if in_string or not line else "    " + line)
        if line.count("'''") % 2:
            in_string = not in_string
    return result


STATEMENT = st.sampled_from(STATEMENTS).map(lambda text: [text])
BLOCKS = st.recursive(
    STATEMENT,
    lambda inner: st.builds(
        _block,
        st.lists(inner, min_size=1, max_size=4),
        st.sampled_from(HEADERS),
        st.none() | inner,
    ),
    max_leaves=8,
)


@given(st.lists(BLOCKS, min_size=1, max_size=7), st.sampled_from(["\n", "\r\n"]))
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
def test_random_programs(blocks: list[list[str]], newline: str) -> None:
    lines = [*HEAD, *(line for block in blocks for line in block)]
    text = "\n".join(lines).replace("\n", newline) + newline
    options = Options(imported_elsewhere=lambda: False)
    migration = migrate_text(text, select(), options)
    assert not migration.errors, migration.errors
    ast.parse(migration.text)
    again = migrate_text(migration.text, select(), options)
    assert again.text == migration.text
    assert migration.text.count("\r\n") == (migration.text.count("\n") if newline == "\r\n" else 0)
    assert "'''" + newline + "  kept   " + newline + "'''" in migration.text or "kept" not in text


def test_programs_of_the_benchmark() -> None:
    outcome = run(range(80))
    assert not outcome.failures, [(f.seed, f.promises) for f in outcome.failures]
    assert outcome.changed > 30
    assert outcome.unparsable > 2


BEFORE = "import torch\r\na = torch.ger(x, y)  # kept\r\nb = '''\r\n'''\r\n"


@pytest.mark.parametrize(
    ("old", "new", "promise"),
    [
        ("torch.ger", "torch.outer", None),
        ("torch.ger(", "torch.outer((", "cannot be parsed"),
        ("torch.ger(x, y)", "torch.ger(y, x)", "second run"),
        ("# kept", "", "comments lost"),
        ("'''\r\n'''", "'''\r\n '''", "texts of several lines lost"),
        ("import torch\r\n", "import torch\n", "line end"),
        ("b =", "c =", "without a finding"),
    ],
)
def test_broken_promises_are_seen(old: str, new: str, promise: str | None) -> None:
    fixed = migrate_text(BEFORE, select(), Options()).findings
    assert [finding.line for finding in fixed] == [2]
    after = BEFORE.replace(old, new)
    result = FileResult("a.py", fixed, before=BEFORE, after=after)
    broken = list(broken_promises(BEFORE.encode(), result=result))
    assert (promise or "") in "; ".join(broken)
    assert bool(broken) == (promise is not None)


def test_errors_of_ours_are_told_from_those_of_the_file() -> None:
    ours = FileResult("a.py", errors=(FileError("unstable", "left as it is"),))
    assert list(broken_promises(b"import torch\n", result=ours))
    theirs = FileResult("a.py", errors=(FileError("syntax", "not valid Python"),))
    assert not list(broken_promises(b"import torch\nx = (\n", result=theirs))
    assert list(broken_promises(b"import torch\nx = (\n", result=FileResult("a.py")))
