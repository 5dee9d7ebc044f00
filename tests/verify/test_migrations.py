"""What the rules write is verified; and each mutant of it is not."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

import pytest

from tests.support.rules import migrate
from tests.support.verifying import QUICK, Bench, program
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.finding import Finding
from torchfix_codemods.verify.hunks import FileChange, Hunk, hunks_of
from torchfix_codemods.verify.verdicts import FAILED, Verdict

NAMES = "cnn vae lstm gan reinforce seq2seq accumulate checkpoint evaluate custom processes compiled".split()

#: What is said of rewrites that are not equivalent, by program, code and line.
OTHERS: dict[str, dict[tuple[str, int], Verdict]] = {
    # One statement with what eval() was put in front of.
    # Nothing loads that model, so that its file now holds the state dict.
    "checkpoint": {("TP501", 68): Verdict.EXPECTED},
    "evaluate": dict.fromkeys(
        [("TP601", 30), ("TP101", 30), ("TP102", 30), ("TP302", 31)], Verdict.EXPECTED
    ),
}

_DEFAULT = "the dtype that the rule writes is the one that these values have anyway"
_GRAPHLESS = "no gradients flow there with it or without it"
_HELD = "a graph is held in memory, and every number is the same"
_PRINTED = "a 0-dim tensor is read as the number in it"

#: Mutants that no event can tell apart, by program and text of the line, and why.
SAME: dict[str, dict[str, str]] = {
    "cnn": {
        "no call: correct += pred.eq(target.view_as(pred)).sum()": _PRINTED,
        "no keyword: pred = output.argmax(1)": "view_as gives the target that shape, too",
    },
    "lstm": {
        "no keyword: corpus = torch.tensor([(i * i + 3 * i) % 11 for i in range(85)])": _DEFAULT,
    },
    "gan": {
        "no call: D_x = output.mean()": _HELD,
        "no call: D_G_z1 = output.mean()": _HELD,
        "no call: D_G_z2 = output.mean()": _HELD,
    },
    "reinforce": {
        "no keyword: returns = torch.tensor(returns)": _DEFAULT,
        "no call: reward = r - value[0, 0]": "the next line detaches it",
        "no call: policy_loss -= (log_prob * reward).sum()": _GRAPHLESS,
        "swapped: value_loss += F.smooth_l1_loss("
        "torch.tensor([[r]], dtype=torch.float), value)": "it is symmetric",
        "no keyword: value_loss += F.smooth_l1_loss(value, torch.tensor([[r]]))": _DEFAULT,
    },
    "seq2seq": {
        "swapped: output = torch.tanh(self.linear_out("
        "combined.view(2 * hidden_size, -1)))": "it has as many rows as columns",
    },
    "accumulate": {
        "no call: x = xs[i * 3:(i + 1) * 3].requires_grad_()": _GRAPHLESS,
        "no call: x = xs[:3].requires_grad_()": _GRAPHLESS,
        "no call: total_loss += loss": _HELD,
        "no call: EMA[name] = p.clone()": _HELD,
    },
    "checkpoint": {
        "no call: accuracy = (output.argmax(1) == ys).sum() * 100 // len(ys)": _PRINTED,
        "number: accuracy = (output.argmax(1) == ys).sum().item() * 101 // len(ys)": (
            "of 20 samples the floor is the same"
        ),
    },
    "processes": {
        "no keyword: x = torch.tensor([index, index * index]) / 100": "a division makes floats",
        "no call: total += F.cross_entropy(out, y, reduction='sum')": _PRINTED,
    },
}


def migrated(name: str) -> tuple[str, str, tuple[Finding, ...]]:
    text = program(name)
    migration = migrate(text, options=Options(imported_elsewhere=lambda: False))
    fixed = tuple(finding for finding in migration.findings if finding.fixed)
    return text, migration.text, fixed


@pytest.mark.parametrize("name", NAMES)
def test_what_the_rules_write(judges: Bench, name: str) -> None:
    before, after, findings = migrated(name)
    judged = judges.judge(name, before, after, findings)
    found = {
        (finding.code, finding.line): judged.single.get(
            f"{hunk.key}@{finding.line}", judged.outcomes[hunk.key].verdict
        )
        for hunk in judged.change.hunks
        for finding in hunk.findings
    }
    assert found == {**dict.fromkeys(found, Verdict.EQUIVALENT), **OTHERS.get(name, {})}
    assert not set(judged.verdicts) & FAILED


def mutants(text: str, first: int, last: int) -> Iterator[tuple[str, str]]:
    """Versions of a text with one thing changed in some of its lines (counted from 0)."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.expr) or not first <= node.lineno - 1 < last:
            continue
        if node.end_lineno != node.lineno:
            continue
        for kind, mutant in _mutations(node):
            line = lines[node.lineno - 1].encode()
            new = (
                line[: node.col_offset] + ast.unparse(mutant).encode() + line[node.end_col_offset :]
            )
            changed = [*lines[: node.lineno - 1], new.decode(), *lines[node.lineno :]]
            yield f"{kind}: {new.decode().strip()}", "".join(changed)


def _mutations(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield "number", ast.Constant(node.value + 1)
    if isinstance(node, ast.Constant) and node.value == "sum":
        yield "reduction", ast.Constant("mean")
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and not node.args and not node.keywords:
            yield "no call", node.func.value
        for position in range(len(node.keywords)):
            less = copy.deepcopy(node)
            del less.keywords[position]
            yield "no keyword", less
        if len(node.args) == 2:
            swapped = copy.deepcopy(node)
            swapped.args.reverse()
            yield "swapped", swapped
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "no sign", node.operand


def _mutants_of(name: str) -> Iterator[tuple[str, str, str]]:
    """A program with one hunk of its migration, in which something is wrong."""
    before, after, findings = migrated(name)
    file = FileChange(f"{name}.py", before, after, findings)
    for hunk in hunks_of(file):
        if not hunk.is_scaffold and not hunk.moves_numbers:
            for (_, _), (start, end) in hunk.parts:
                for what, text in mutants(after, start, end):
                    yield what, before, _only(before, text, hunk)


def _only(before: str, after: str, hunk: Hunk) -> str:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for (start, end), (new_start, new_end) in reversed(hunk.parts):
        old[start:end] = new[new_start:new_end]
    return "".join(old)


@pytest.mark.parametrize("name", NAMES)
def test_mutants_of_what_the_rules_write(judges: Bench, name: str) -> None:
    missed = {}
    for what, before, after in _mutants_of(name):
        if after == before:
            continue
        judged = judges.judge(name, before, after, options=QUICK)
        if not set(judged.verdicts) & FAILED:
            missed[what] = [(o.verdict.value, o.reason) for o in judged.outcomes.values()]
    assert missed.keys() == SAME.get(name, {}).keys(), missed
