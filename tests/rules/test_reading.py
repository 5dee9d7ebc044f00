"""Uses of what has no graph: whether they record one."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.autograd.questions.outcomes.reading import only_reads


def _only_reads(line: str) -> bool:
    text = f"import numpy as np\nimport torch\ndef f(out, y, net, kept):\n    {line}\n"
    facts = WholeFacts(ast.parse(text), text)
    names = (n for n in ast.walk(facts.tree) if isinstance(n, ast.Name) and n.id == "out")
    return only_reads(next(names), facts)


@pytest.mark.parametrize(
    "line",
    [
        "out",
        "print(out)",
        "print((out, y))",
        "print([out][0])",
        "print('%s %s' % (out, y))",
        "print(f'{out}')",
        "print(out / 2)",
        "print(100 * out / len(y))",
        "print((out + y).sum())",
        "x = float(out + y)",
        "x = out.data + y",
        "x = out.detach()",
        "x = np.mean(out[0].cpu())",
        "x = out == y",
        "x = 1 if out else 2",
        "torch.save(out, 'out.pt')",
        "for x in out:\n        pass",
        "for x, z in zip(out, y):\n        pass",
        "for x in list(enumerate([out, y])):\n        pass",
        "print(list(out)[0])",
    ],
)
def test_records_nothing(line: str) -> None:
    assert _only_reads(line)


@pytest.mark.parametrize(
    "line",
    [
        "x = out",
        "return out",
        "return out, y",
        "x = out * y",
        "x = (out * y).data",
        "x = out + net(y)",
        "print(out + net(y))",
        "x = net(out)",
        "kept.append(out)",
        "x = list(out)",
        "x = list(out)[0] * y",
        "x = [z for z in out]",
        "x = out.view(net(y))",
        "x = out[net(y)]",
        "x = torch.sum(out)",
        "for x in out * y:\n        pass",
        "out.add_(y)",
    ],
)
def test_may_record(line: str) -> None:
    assert not _only_reads(line)
