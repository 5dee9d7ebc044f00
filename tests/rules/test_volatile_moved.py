"""What Variables are made of had no graph in torch 0.3, also where it is moved or cast before."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate, rewrites

_TEXT = """
    import torch
    from torch.autograd import Variable
    def test(model, samples, criterion):
        total = 0
        for data, target in samples:
            data = Variable(data.cuda(), volatile=True)
            {line}
            total += criterion(model(data), target)
        return total
"""


def _migrated(line: str) -> str:
    return migrate(textwrap.dedent(_TEXT).lstrip("\n").format(line=line), "TP102").text


@pytest.mark.parametrize(
    "line",
    [
        "target = Variable(target.cuda())",
        "target = Variable(target.float().cuda())",
        "target = Variable(target[0].view(-1, 2).type(torch.FloatTensor))",
        "target = Variable(target.cuda(), volatile=True)",
    ],
)
def test_one_block_holds_what_is_made_one_by_one(line: str) -> None:
    migrated = _migrated(line)
    assert migrated.count("with torch.no_grad():") == 1
    assert "    with torch.no_grad():\n        for data, target in samples:\n" in migrated


@pytest.mark.parametrize(
    "line",
    [
        "target = Variable(model.sample(target).cuda())",
        "target = Variable(criterion(target.cuda()))",
        "target = Variable(target, requires_grad=flag()).cuda()",
        "target = model.sample(target).cuda()",
        "target = target.perturb(model).cuda()",
    ],
)
def test_what_other_code_does_for_a_variable_stays_outside(line: str) -> None:
    assert f"        {line}\n        with torch.no_grad():\n" in _migrated(line)


test_rewrites = rewrites(
    "TP102",
    {
        "nothing to record where the model is not called": (
            """
            import torch
            from torch.autograd import Variable
            def test(model, other, samples):
                for data, target in samples:
                    data = Variable(data.cuda(), volatile=True)
                    target = other(target).train()
                    print(model(data), target)
            """,
            """
            import torch
            from torch.autograd import Variable
            def test(model, other, samples):
                for data, target in samples:
                    data = Variable(data.cuda())
                    target = other(target).train()
                    with torch.no_grad():
                        print(model(data), target)
            """,
        ),
    },
)
