"""What the fix of one place brings along."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from torchfix_codemods.finding import FileError, FileResult, Finding, Numerics
from torchfix_codemods.lsp.document import Document
from torchfix_codemods.lsp.fixes import Place, certain_needs, with_needs

ASYNC = """
    import torch


    def train(net, loader):
        for x, y in loader:
            x = x.cuda(async=True)
            y = y.cuda(async=True)
            print(torch.ger(net(x), y))
    """

GUARDED = """
    import torch
    import torch.nn as nn

    net = nn.Linear(2, 2)
    if torch.cuda.is_available():
        net.cuda()
    """

GUARDED_TWICE = """
    import sys

    import torch
    import torch.nn as nn
    from torch.autograd import Variable

    use_cuda = "--cpu" not in sys.argv and torch.cuda.is_available()
    net = nn.Linear(2, 2)
    if use_cuda:
        net.cuda()


    def train(loader):
        for x, y in loader:
            if use_cuda:
                x, y = x.cuda(), y.cuda()
            x, y = Variable(x), Variable(y)
            print(nn.functional.mse_loss(net(x), y).data[0])
    """

VOLATILE = """
    import torch
    from torch.autograd import Variable


    def batch(source, i, evaluation=False):
        return Variable(source[i:i + 2], volatile=evaluation)


    def evaluate(net, source):
        net.eval()
        total = 0
        for i in range(0, source.size(0), 2):
            total += net(batch(source, i, evaluation=True)).sum().data
        return total


    net = torch.nn.Linear(3, 1)
    print(evaluate(net, torch.rand(4, 3)))
    print(torch.ger(torch.ones(2), torch.ones(2)))
    """


def document(tmp_path: Path, text: str) -> Document:
    return Document(tmp_path / "net.py", textwrap.dedent(text).lstrip())


def fixed(document: Document, code: str) -> str:
    """The text with the first finding of a rule rewritten, and what it needs."""
    finding = next(finding for finding in document.fixable if finding.code == code)
    lines = document.lines[:]
    for edit in reversed(document.fix_of([finding])):
        lines[edit.start : edit.end] = [edit.text]
    return "".join(lines)


@pytest.mark.parametrize("text", [ASYNC, GUARDED, GUARDED_TWICE, VOLATILE])
def test_no_fix_is_without_an_edit(tmp_path: Path, text: str) -> None:
    found = document(tmp_path, text)
    assert found.fixable
    for finding in found.fixable:
        after = fixed(found, finding.code)
        assert after != found.text
        ast.parse(after)


def test_a_fix_makes_the_text_readable(tmp_path: Path) -> None:
    found = document(tmp_path, ASYNC)
    assert fixed(found, "TP901") == found.text.replace("ger", "outer").replace(
        "async", "non_blocking"
    )


def test_what_makes_the_text_readable_is_all_of_it(tmp_path: Path) -> None:
    found = document(tmp_path, ASYNC)
    assert fixed(found, "TP204") == found.text.replace("async", "non_blocking")


def test_a_guard_goes_with_what_it_guards(tmp_path: Path) -> None:
    after = fixed(document(tmp_path, GUARDED), "TP202")
    assert "device = torch.device(" in after and "\nnet.to(device)\n" in after
    assert "\nif torch" not in after


def test_what_is_rewritten_beside_another_place_stays_there(tmp_path: Path) -> None:
    after = fixed(document(tmp_path, GUARDED_TWICE), "TP202")
    assert "\nif use_cuda" not in after and "\nnet.to(device)\n" in after
    assert "x, y = Variable(x), Variable(y)\n" in after and ".data[0]" in after


def test_a_fix_brings_others_of_its_rule(tmp_path: Path) -> None:
    found = document(tmp_path, VOLATILE)
    after = fixed(found, "TP102")
    assert "volatile=" not in after and "with torch.no_grad():" in after
    # That is no part of it.
    assert "torch.ger(" in after


def test_a_fix_that_stands_alone_leaves_the_rest(tmp_path: Path) -> None:
    found = document(tmp_path, VOLATILE)
    assert fixed(found, "TP901") == found.text.replace("ger", "outer")


def finding(line: int, code: str = "TP301", group: str | None = None) -> Finding:
    return Finding(line, 1, code, "name", "message", Numerics.IDENTICAL, True, group)


WHOLE = FileResult(
    "net.py",
    (finding(1), finding(2, group="g"), finding(3, "TP201", "g"), finding(4, "TP204")),
    before="a\nb\nc\nd\n",
    after="A\nB\nC\nD\n",
)


def test_the_others_of_a_group_come_along() -> None:
    assert [f.line for f in certain_needs([WHOLE.findings[0]], WHOLE)] == [1, 4]
    assert [f.line for f in certain_needs([WHOLE.findings[2]], WHOLE)] == [2, 3, 4]


def test_what_comes_of_nothing_else_comes_of_all() -> None:
    tried = []

    def again(places: frozenset[Place]) -> FileResult:
        tried.append({line for line, _ in places})
        return FileResult("net.py")

    assert with_needs([WHOLE.findings[0]], WHOLE, again) is WHOLE
    assert tried == [{1, 4}, {1, 2, 3, 4}]


def test_what_went_wrong_brings_nothing() -> None:
    failed = FileResult("net.py", errors=(FileError("timeout", "took longer than 10 seconds"),))
    assert with_needs([WHOLE.findings[0]], WHOLE, lambda places: failed) is failed


def test_what_makes_a_program_together_comes_along() -> None:
    whole = FileResult(
        "net.py",
        (finding(1), finding(4, "TP201")),
        before="x = 1\n\ny = 2\nprint(x)\n",
        after="z = 1\n\ny = 2\nprint(z)\n",
    )
    tried = []

    def again(places: frozenset[Place]) -> FileResult:
        tried.append(sorted(places))
        return whole if len(places) > 1 else FileResult("net.py")

    with_needs([whole.findings[1]], whole, again)
    assert tried == [[(4, "TP201")], [(1, "TP301"), (4, "TP201")]]


def test_what_is_on_the_same_line_comes_first_and_by_itself() -> None:
    whole = FileResult(
        "net.py",
        (finding(1), finding(1, "TP201", "g"), finding(3, "TP201", "g")),
        before="a\n\nc\n",
        after="A\n\nC\n",
    )
    tried = []

    def again(places: frozenset[Place]) -> FileResult:
        tried.append(sorted(places))
        return whole if len(places) > 1 else FileResult("net.py")

    with_needs([whole.findings[0]], whole, again)
    assert tried == [[(1, "TP301")], [(1, "TP201"), (1, "TP301")]]
