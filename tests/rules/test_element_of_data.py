"""Elements of ``x.data``, which torch 0.3 gave as numbers of Python (TP103)."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate
from torchfix_codemods.facts.era import Era
from torchfix_codemods.migrate import Options

_TEXT = """
    import torch
    from torch.autograd import Variable
    net = torch.nn.Linear(3, 2)
    def act(state, env, names, other):
        out = net(Variable(state.view(1, 3), volatile={volatile}))
        {line}
    """


def _rewritten(line: str, volatile: str = "False") -> str:
    """What TP103 makes of a line; of a file that nothing dates where ``volatile`` is missing."""
    text = _TEXT.format(line=line.replace("\n", "\n        "), volatile=volatile)
    text = textwrap.dedent(text.replace(", volatile=)", ")")).lstrip("\n")
    migration = migrate(text, "TP103")
    head = text.index("\n    out = net")
    below = migration.text[migration.text.index("\n", head + 1) + 1 :]
    return textwrap.dedent(below).rstrip("\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("env.step(out.max(1)[1].data[0])", "env.step(out.max(1)[1].data[0].item())"),
        ("env.step(action=out.data[0, 1])", "env.step(action=out.data[0, 1].item())"),
        ("env.step(out.data.cpu()[0][1])", "env.step(out.data.cpu()[0][1].item())"),
        (
            "action = out.data.max(1)[1][0]\nenv.step(action)",
            "action = out.data.max(1)[1][0].item()\nenv.step(action)",
        ),
        (
            "probs = out.data\nindex = probs.topk(1)[1]\nprint(names[index[0][0]])",
            "probs = out.data\nindex = probs.topk(1)[1]\nprint(names[index[0][0].item()])",
        ),
        ("print(out.data[0][0])", "print(out.data[0][0].item())"),
        ("print('%s' % out.data[0, 0])", "print('%s' % out.data[0, 0].item())"),
        ("print('%s %s' % (1, out.data[0, 0]))", "print('%s %s' % (1, out.data[0, 0].item()))"),
        ("names['n' + str(out.data[0, 0])] = 1", "names['n' + str(out.data[0, 0].item())] = 1"),
        ("other((out.data[0, 0]))", "other((out.data[0, 0].item()))"),
    ],
)
def test_is_a_number(line: str, expected: str) -> None:
    assert _rewritten(line) == expected


_KEPT = {
    "a row": "env.step(out.data[0])",
    "unknown dimensions": "env.step(names(out).data[0])",
    "an array": "env.step(out.data.numpy()[0][0])",
    "part of a Variable": "env.step(out[0, 0])",
    "wrapped again": "env.step(Variable(out.data)[0, 0])",
    "asked for its number": "env.step(int(out.data[0, 0]))",
    "already one": "env.step(out.data[0, 0].item())",
    "calculated with": "total = 1 + out.data[0, 0]",
    "given to torch": "x = torch.mul(out.data, out.data[0, 0])",
    "stored": "out.data[0, 0] = 1",
    "index of a list": "print([1, 2][out.max(1)[1].data[0]])",
    "index of a tensor": "x = out.data[0][out.max(1)[1].data[0]]",
    "method of a tensor": "action = out.data[0, 0]\nenv.step(action)\naction.zero_()",
    "indexed": "action = out.data[0, 0]\nenv.step(action)\nenv.step(action[None])",
    "data of what is no tensor": "env.step(names.data.max(1)[0, 0])",
    "another value on one path": "x = out\nif env:\n    x = out.data\nenv.step(x[0, 0])",
    "only kept": "env.action = out.data[0, 0]",
    "not used": "action = out.data[0, 0]",
    "written as a number": "print('%.3f%% %d' % (out.data[0, 0], 1))",
    "formats of Python": "print('{:.3f}'.format(out.data[0, 0]))",
    "unpacked": "a, b = out.data[0]\nenv.step(a)",
    "suppressed": "env.step(out.data[0, 0])  # noqa: TP103",
    "grown in a loop": "x = out\nfor i in names:\n    x = x.data\n    x = x\n    env.step(i, x[0])",
}


@pytest.mark.parametrize("name", _KEPT)
def test_is_kept(name: str) -> None:
    assert _rewritten(_KEPT[name]) == _KEPT[name]


def test_newer_files_have_tensors_as_elements() -> None:
    line = "env.step(out.max(1)[1].data[0])"
    assert _rewritten(line, volatile="") == line


def test_torch_0_1_kept_the_dimension() -> None:
    text = textwrap.dedent(_TEXT.format(line="env.step(out.max(1)[1].data[0])", volatile=""))
    text = text.replace(", volatile=)", ")")
    for version, number in (((0, 1), False), ((0, 3), True)):
        migration = migrate(text, "TP103", options=Options(era=Era(version, version)))
        assert (".item()" in migration.text) is number
