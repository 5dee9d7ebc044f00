"""Elements of ``x.data``, which torch 0.3 gave as numbers of Python (TP103)."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

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
        ("env.step(out.max(1)[1].data[0])", "env.step(out.max(1)[1][0].item())"),
        ("env.step(action=out.data[0, 1])", "env.step(action=out[0, 1].item())"),
        ("env.step(out.data.cpu()[0][1])", "env.step(out.data.cpu()[0][1].item())"),
        (
            "action = out.data.max(1)[1][0]\nenv.step(action)",
            "action = out.data.max(1)[1][0].item()\nenv.step(action)",
        ),
        (
            "probs = out.data\nindex = probs.topk(1)[1]\nprint(names[index[0][0]])",
            "probs = out.data\nindex = probs.topk(1)[1]\nprint(names[index[0][0].item()])",
        ),
        ("print(out.data[0][0])", "print(out[0][0].item())"),
        (
            "import numpy as np\na, b = out.data[0, 0], 1\nx = np.linspace(a, b, 5)",
            "import numpy as np\na, b = out[0, 0].item(), 1\nx = np.linspace(a, b, 5)",
        ),
        (
            "print('%.3f%% %d' % (out.data[0, 0], 1))",
            "print('%.3f%% %d' % (out[0, 0].item(), 1))",
        ),
        ("print('{:.3f}'.format(out.data[0, 0]))", "print('{:.3f}'.format(out[0, 0].item()))"),
        (
            "_, index = out.data.max(1)\nenv.step(index[0])",
            "_, index = out.data.max(1)\nenv.step(index[0].item())",
        ),
        (
            "top, index = torch.topk(out.data, 1)\nbest = index[0][0]\nprint(best)",
            "top, index = torch.topk(out.data, 1)\nbest = index[0][0].item()\nprint(best)",
        ),
        (
            "words = {3: 'a'}\nprint(out.data[0, 0] in words)",
            "words = {3: 'a'}\nprint(out[0, 0].item() in words)",
        ),
        (
            "ends = set([4])\nwhile out.data[0, 0] not in ends: other()",
            "ends = set([4])\nwhile out[0, 0].item() not in ends: other()",
        ),
        ("print(out.data[0, 0] in {3, 4})", "print(out[0, 0].item() in {3, 4})"),
        ("print('%s' % out.data[0, 0])", "print('%s' % out[0, 0].item())"),
        ("print('%s %s' % (1, out.data[0, 0]))", "print('%s %s' % (1, out[0, 0].item()))"),
        ("names['n' + str(out.data[0, 0])] = 1", "names['n' + str(out[0, 0].item())] = 1"),
        ("other((out.data[0, 0]))", "other((out[0, 0].item()))"),
        (
            "words = []\nwords.append(out.max(1)[1].data[0])",
            "words = []\nwords.append(out.max(1)[1][0].item())",
        ),
        (
            "action = out.data[0, 0]\nif env:\n    action = len(names)\nreturn action",
            "action = out[0, 0].item()\nif env:\n    action = len(names)\nreturn action",
        ),
        (
            "q = other(out).cpu()\na = q.data.max(1)[1][0]\nif env:\n    a = 0\nreturn a",
            "q = other(out).cpu()\na = q.data.max(1)[1][0].item()\nif env:\n    a = 0\nreturn a",
        ),
        (
            "import math\nn = 0\nn += out[0].data[names.get(1)]\nn /= 3\nprint(math.exp(n))",
            "import math\nn = 0\nn += out[0][names.get(1)].item()\nn /= 3\nprint(math.exp(n))",
        ),
    ],
)
def test_is_a_number(line: str, expected: str) -> None:
    assert _rewritten(line) == expected


_TOPK = "v, i = torch.exp(other(out)).topk(3)\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "t = i.data[0, 1]\nif t == 2: other()\nenv.step(t)",
            "t = i[0, 1].item()\nif t == 2: other()\nenv.step(t)",
        ),
        (
            "t, s = i.data[0, 1], v.data[0, 1]\nif t == 2: other()\nother([3] + [t], 1 + s)",
            "t, s = i[0, 1].item(), v[0, 1].item()\nif t == 2: other()\nother([3] + [t], 1 + s)",
        ),
        (
            "t = i.data[0][1]\nif t == names: other()\nenv.step(t)\nx = torch.LongTensor([[t]])",
            "t = i[0][1].item()\nif t == names: other()\nenv.step(t)\nx = torch.LongTensor([[t]])",
        ),
    ],
)
def test_what_is_tested_is_one_number(line: str, expected: str) -> None:
    assert _rewritten(_TOPK + line) == _TOPK + expected


@pytest.mark.parametrize(
    "line",
    [
        "t = i.data[0, 1]\nenv.step(t)",
        "t = i.data[0, 1]\nm = t == 2\nenv.step(t, m)",
        "t = i.data[0][1]\nenv.step(t)\nx = torch.LongTensor([[2]])",
        "t = i.data[0][1]\nenv.step(t)\nx = torch.stack([t])",
        "t = i.data[0][1]\nenv.step(t)\nx = torch.LongTensor(t)",
        "t = i.data[0][names]\nenv.step(t)\nx = torch.LongTensor([t])",
        "t = i.data[0, names]\nif t == 2: other()\nenv.step(t)",
        "t, s = i.data[0, 1], v.data[0, 2]\nif t == 2: other()\nenv.step(s)",
        "t, s = i.data[0, 1], out.max(2)[0].data[0, 1]\nif t == 2: other()\nenv.step(s)",
    ],
)
def test_what_is_not_tested_may_be_a_row(line: str) -> None:
    assert _rewritten(_TOPK + line) == _TOPK + line


_KEPT = {
    "a row": "env.step(out.data[0])",
    "parts of a Variable's maximum": "top, index = out.max(1)\nenv.step(top[0], index[0])",
    "of two things one is a Variable": "plain, kept = out.data, out\nenv.step(kept[0][0])",
    "of one call or another": "_, i = out.data.max(1) if env else out.max(1)\nenv.step(i[0])",
    "among the elements of a list": "print(out.data[0, 0] in [3, 4])",
    "among what is not known": "print(out.data[0, 0] in names)",
    "compared": "ends = set([4])\nprint(out.data[0, 0] > 3, ends in out.data[0, 0])",
    "unknown dimensions": "env.step(names(out).data[0])",
    "an array": "env.step(out.data.numpy()[0][0])",
    "part of a Variable": "env.step(out[0, 0])",
    "wrapped again": "env.step(Variable(out.data)[0, 0])",
    "asked for its number": "env.step(int(out.data[0, 0]))",
    "already one": "env.step(out.data[0, 0].item())",
    "calculated with": "total = 1 + out.data[0, 0]",
    "given to numpy": "import numpy as np\nx = np.zeros((2, 3)) / np.exp(out.data[0, 0])",
    "between rows": "import numpy as np\nx = np.linspace(out.data[0], out.data[1], 5)",
    "given to torch": "x = torch.mul(out.data, out.data[0, 0])",
    "stored": "out.data[0, 0] = 1",
    "index of a list": "print([1, 2][out.max(1)[1].data[0]])",
    "index of a tensor": "x = out.data[0][out.max(1)[1].data[0]]",
    "method of a tensor": "action = out.data[0, 0]\nenv.step(action)\naction.zero_()",
    "indexed": "action = out.data[0, 0]\nenv.step(action)\nenv.step(action[None])",
    "data of what is no tensor": "env.step(names.data.max(1)[0, 0])",
    "another value on one path": "x = out\nif env:\n    x = out.data\nenv.step(x[0, 0])",
    "handed back": "action = out.data[0, 0]\nreturn action",
    "maybe a number": "action = out.data[0, 0]\nif env:\n    action = names()\nreturn action",
    "a number before": "action = len(names)\naction = out.data[0, 0]\nreturn action",
    "a tensor in between": "x = out.data[0, 0]\nif env:\n    x = 0.5\nreturn x.view(1)",
    "kept in a list of losses": "losses = []\nlosses.append(out.data[0, 0])",
    "only kept": "env.action = out.data[0, 0]",
    "not used": "action = out.data[0, 0]",
    "unpacked": "a, b = out.data[0]\nenv.step(a)",
    "suppressed": "env.step(out.data[0, 0])  # noqa: TP103",
    "a total of what may be several": "n = 0\nn += out[0].data[names.get(1)]\nreturn n",
    "a total of rows": "import math\nn = 0\nn += out.data[names.get(1)]\nprint(math.exp(n[0]))",
    "a total that sums its parts": (
        "import math\nn = 0\nn += out[0].data[names.get(1)]\nprint(math.fsum(n))"
    ),
    "of what may be no tensor": (
        "q = other(out)\na = q.data.max(1)[1][0]\nif env:\n    a = 0\nreturn a"
    ),
    "beside no number": "q = other(out).cpu()\nenv.step(q.data.max(1)[1][0])",
    "grown in a loop": "x = out\nfor i in names:\n    x = x.data\n    x = x\n    env.step(i, x[0])",
}


@pytest.mark.parametrize("name", _KEPT)
def test_is_kept(name: str) -> None:
    assert _rewritten(_KEPT[name]) == _KEPT[name]


def test_what_may_be_several_is_told_where_its_total_is_written() -> None:
    line = "n = 0\n        n += out[0].data[names.get(1)]\n        print(n)"
    text = textwrap.dedent(_TEXT.format(line=line, volatile="False")).lstrip("\n")
    for read, many in (("print(n)", 1), ("return n", 0)):
        told = migrate(text.replace("print(n)", read), "TP103")
        assert (told.text, len(told.findings)) == (text.replace("print(n)", read), many)
        assert [each.message for each in told.findings] == [
            "out[0].data[names.get(1)] was a number until torch 0.3 if it is one element, and "
            "makes a tensor of the total today: write out[0].data[names.get(1)].item()"
        ][:many]


def test_newer_files_have_tensors_as_elements() -> None:
    line = "env.step(out.max(1)[1].data[0])"
    assert _rewritten(line, volatile="") == line


def test_torch_0_1_kept_the_dimension() -> None:
    text = textwrap.dedent(_TEXT.format(line="env.step(out.max(1)[1].data[0])", volatile=""))
    text = text.replace(", volatile=)", ")")
    for version, number in (((0, 1), False), ((0, 3), True)):
        migration = migrate(text, "TP103", options=Options(era=Era(version, version)))
        assert (".item()" in migration.text) is number


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "action = torch.LongTensor([[1]])\nenv.step(action[0, 0])",
            "action = torch.LongTensor([[1]])\nenv.step(action[0, 0].item())",
        ),
        ("print(torch.zeros(3).add(1)[0])", "print(torch.zeros(3).add(1)[0].item())"),
        (
            "print(torch.cat([out.data, out.data])[0, 1])",
            "print(torch.cat([out.data, out.data])[0, 1].item())",
        ),
        ("print(torch.mul(out.data, 2)[0, 1])", "print(torch.mul(out.data, 2)[0, 1].item())"),
        (
            "action = names(out).exp().multinomial().data\nenv.step(action[0, 0])",
            "action = names(out).exp().multinomial().data\nenv.step(action[0, 0].item())",
        ),
        (
            "action = torch.multinomial(names(out), 1)\n"
            "action = action.data[0, 0]\nenv.step(action)",
            "action = torch.multinomial(names(out), 1)\n"
            "action = action[0, 0].item()\nenv.step(action)",
        ),
    ],
)
def test_what_was_no_variable_had_numbers(line: str, expected: str) -> None:
    assert _rewritten(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "x = torch.mul(out, 2)\nenv.step(x[0, 0])",
        "x = torch.nn.functional.relu(out)\nenv.step(x[0, 0])",
        "x = out.new(1, 1).mul(out)\nenv.step(x[0, 0])",
        "x = torch.normal(out, out)\nenv.step(x[0, 0])",
        "x = torch.zeros_like(out)\nenv.step(x[0, 0])",
        "x = names(out).exp().multinomial()\nenv.step(x[0, 0])",
        "x = names(out).exp().multinomial().data\nenv.step(x[0])",
        "x = names(out).exp().multinomial().data\nenv.step(x[0, :])",
        "x = names(out).exp().multinomial().data\nenv.step(x[env, 0])",
        "x = names(out).max(1)[1].data\nenv.step(x[0, 0])",
        "x = torch.distributions.Multinomial(1, out).sample().data\nenv.step(x[0, 0])",
    ],
)
def test_what_may_have_been_a_variable_or_a_row_is_kept(line: str) -> None:
    assert _rewritten(line) == line


_CHOICE = """import random
import torch
from torch.autograd import Variable
net = torch.nn.Linear(3, 2)
def choose(state):
    if random.random() > 0.5:
        out = net(Variable(state.view(1, 3), volatile=False))
        return {returned}
    return torch.LongTensor([[random.randrange(2)]])
def act(state, env):
    action = choose(state)
    env.step({action})
"""


def test_what_a_function_of_the_file_gives_is_known() -> None:
    plain = "out.data.max(1)[1].view(1, 1)"
    before = _CHOICE.format(returned=plain, action="action[0, 0]")
    after = _CHOICE.format(returned=plain, action="action[0, 0].item()")
    assert migrate(before, "TP103").text == after
    for other in ("out.max(1)[1].view(1, 1)", "Variable(out.data[:, :1])", "None"):
        before = _CHOICE.format(returned=other, action="action[0, 0]")
        assert migrate(before, "TP103").text == before
    wrapped = before.replace("def choose", "@cached\ndef choose")
    assert migrate(wrapped, "TP103").text == wrapped
    itself = before.replace("torch.LongTensor([[random.randrange(2)]])", "choose(state)")
    assert migrate(itself, "TP103").text == itself


def test_a_key_is_written_once() -> None:
    text = """import torch
from torch.autograd import Variable
def f(state):
    index = Variable(state, volatile=False).data.topk(1)[1]
    best = torch.LongTensor([1, 2])
    names = {i: str(i) for i in range(3)}
    return names[best[0]]
"""
    assert migrate(text, "TP103").text == text.replace("best[0]]", "best[0].item()]")


def test_data_goes_while_a_variable_tells_of_the_tensor() -> None:
    text = """import torch
from torch.autograd import Variable
batch = Variable(given, volatile=False)
sent = bytearray()
if cuda:
    batch = batch.cuda()
for t in range(3):
    n = (batch[t]).data[0]
    sent.append(n)
    if n < 128:
        print(n)
"""
    migrated = migrate(text, "TP101", "TP103", "TP104").text
    assert ".data" not in migrated and "batch[t][0].item()" in migrated


def test_data_of_a_packed_sequence_stays() -> None:
    line = (
        "packed = torch.nn.utils.rnn.pack_padded_sequence(out, [3])\n"
        "n = packed.data[0, 0]\nenv.step(n)\nif n < 3: other()"
    )
    assert "packed.data[0, 0]" in _rewritten(line)


@pytest.mark.parametrize(
    ("named", "called"),
    [
        ("from torch.autograd import Variable", "Variable"),
        ("from torch.autograd import Variable as Var", "Var"),
        ("from torch import autograd\nVar = autograd.Variable", "Var"),
    ],
)
def test_what_was_in_a_variable_of_any_name_stays_in_its_graph(named: str, called: str) -> None:
    text = f"""import torch
{named}
def f():
    x = {called}(torch.zeros(2, 3))
    y = torch.zeros(2, 3)
    total = plain = 0
    for i in range(2):
        total += x[i, 0]
        plain += y[i, 0]
    return total, plain
"""
    after = migrate(text, options=Options(era=Era((0, 3), (0, 3)))).text
    assert "    x = torch.zeros(2, 3)\n" in after
    assert "total += x[i, 0]\n" in after and "plain += y[i, 0].item()\n" in after
