from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """
import torch
import torch.nn as nn
net = nn.Linear(3, 1)
one = torch.FloatTensor([1])
print(one)
loss = net(torch.ones(4, 3)).mean()
"""

test_rewrites = rewrites(
    "TP119",
    {
        "a name": (_HEAD + "loss.backward(one)\n", _HEAD + "loss.backward(one.squeeze())\n"),
        "a keyword": (
            _HEAD + "loss.backward(gradient=one, retain_graph=True)\n",
            _HEAD + "loss.backward(gradient=one.squeeze(), retain_graph=True)\n",
        ),
        "an expression": (
            _HEAD + "loss.backward(-one)  # away\n",
            _HEAD + "loss.backward((-one).squeeze())  # away\n",
        ),
        "one on a GPU, perhaps": (
            _HEAD + "if cuda:\n    one = one.cuda()\nmone = one * -1\nloss.backward(mone)\n",
            _HEAD
            + "if cuda:\n    one = one.cuda()\nmone = one * -1\nloss.backward(mone.squeeze())\n",
        ),
        "in a list": (
            _HEAD + "torch.autograd.backward([loss, loss], [one, 2 * one])\n",
            _HEAD + "torch.autograd.backward([loss, loss], [one.squeeze(), (2 * one).squeeze()])\n",
        ),
        "alone": (
            _HEAD + "torch.autograd.backward(loss, one, True)\n",
            _HEAD + "torch.autograd.backward(loss, one.squeeze(), True)\n",
        ),
        "ones in a list": (
            _HEAD + "torch.autograd.backward([loss, x], [torch.ones(1), torch.Tensor([1.0])])\n",
            _HEAD + "torch.autograd.backward([loss, x])\n",
        ),
        "as many ones as there are tensors": (
            _HEAD
            + "torch.autograd.backward(tensors=(loss, loss), grad_tensors=[torch.ones(1)] * 2,"
            " retain_graph=True)\n",
            _HEAD + "torch.autograd.backward(tensors=(loss, loss), retain_graph=True)\n",
        ),
        "ones before another argument": (
            _HEAD + "torch.autograd.backward([loss], [torch.ones(1)], True)\n",
            _HEAD + "torch.autograd.backward([loss], [torch.ones(1).squeeze()], True)\n",
        ),
        "ones that have a name": (
            _HEAD + "losses = [loss, 2 * loss]\nones = [torch.ones(1).cuda() for _ in losses]\n"
            "torch.autograd.backward(losses, ones)\n",
            _HEAD + "losses = [loss, 2 * loss]\n"
            "ones = [torch.ones(1).cuda().squeeze() for _ in losses]\n"
            "torch.autograd.backward(losses, ones)\n",
        ),
        "made at once": (
            _HEAD + "loss.backward(torch.ones(1))\n",
            _HEAD + "loss.backward(torch.ones(()))\n",
        ),
    },
)

test_keeps = keeps(
    "TP119",
    {
        "no gradient": _HEAD + "loss.backward()\nloss.backward(None)\nloss.backward(None, True)\n",
        "without a dimension": _HEAD + "loss.backward(torch.tensor(1.0))\n",
        "squeezed": _HEAD + "loss.backward(one.squeeze())\n",
        "several dimensions": _HEAD + "loss.backward(torch.ones(1, 1))\n",
        "as many as there are losses": _HEAD + "net(torch.ones(4, 3)).view(-1).backward(one)\n",
        "a tensor of unknown shape": _HEAD + "net(x).squeeze().backward(one)\n",
        "an unknown gradient": _HEAD + "loss.backward(gradient)\n",
        "unknown arguments": _HEAD + "loss.backward(*gradients)\nloss.backward(**options)\n",
        "another backward": _HEAD + "engine.backward(one)\nself.loss.backward(one)\n",
        "a method of the file": _HEAD
        + "class Loss:\n    def backward(self, g): pass\nLoss().backward(one)\n",
        "numpy": _HEAD + "import numpy as np\nloss.backward(np.ones(1))\n",
    },
)


def test_nothing_is_found_twice() -> None:
    text = migrate(_HEAD + "loss.backward(one)\n", "TP119").text
    assert not migrate(text, "TP119").findings


_GAN = """import torch
import torch.nn as nn
one = torch.FloatTensor([1])
mone = one * -1
print(one)
if torch.cuda.is_available():
    one = one.cuda(0)
netD = nn.Sequential(nn.Linear(3, 1))
def step(x, net, many, unknown):
    real = netD(x)
    real = real.mean()
    fake = net(x).mean()
    vector, y = torch.ones(3), net(x)
    {call}
"""


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("real.backward(one)", "real.backward(one.squeeze())"),
        ("real.backward(mone, True)", "real.backward(mone.squeeze(), True)"),
        ("real.backward(gradient=one * 3)", "real.backward(gradient=(one * 3).squeeze())"),
        ("fake.backward(-one)", "fake.backward((-one).squeeze())"),
        ("y.sum().backward(one)", "y.sum().backward(one.squeeze())"),
    ],
)
def test_of_networks_that_are_not_known(call: str, written: str) -> None:
    after = migrate(_GAN.format(call=call), "TP119").text
    assert after == _GAN.format(call=written)
    assert migrate(after, "TP119").text == after


@pytest.mark.parametrize(
    "call",
    [
        "real.backward(one[0])",
        "real.backward(many)",
        "real.backward(None, one)",
        "real.view(1).backward(one)",
        "y.backward(one)",
        "y.mean(0).backward(one)",
        "(vector * 2).backward(one)",
        "unknown.backward(one)",
        "real.forward(one)",
        "torch.autograd.backward([real])",
        "torch.autograd.backward([y], [one])",
        "torch.autograd.backward([real], unknown)",
        "torch.autograd.backward([real], [None])",
        "torch.autograd.backward(unknown, many)",
        "torch.autograd.backward([y, fake], [torch.ones(3, 1), torch.tensor(1.0)])",
        "torch.autograd.backward([unknown, y], [torch.ones(1), torch.ones(1)])",
        "torch.autograd.backward([real, *many], [one, one], *many)",
        "real.backward(torch.FloatTensor([[1]]))",
    ],
)
def test_other_gradients_stay(call: str) -> None:
    text = _GAN.format(call=call)
    assert migrate(text, "TP119").text == text


def test_what_may_be_no_tensor_keeps_its_gradient() -> None:
    own = "class Loss:\n    def backward(self, gradient):\n        pass\n"
    text = _GAN.format(call="fake.backward(one)") + own
    assert migrate(text, "TP119").text == text


def test_beside_a_renamed_argument() -> None:
    text = _GAN.format(call="real.backward(one, retain_variables=True)")
    written = _GAN.format(call="real.backward(one.squeeze(), retain_graph=True)")
    assert migrate(text, "TP106", "TP119").text == written


_EITHER = """import torch
one = torch.FloatTensor([1])
mone = one * -1
def step(x, net, full, {unused}):
    {made}
    loss.backward({gradient})
"""


@pytest.mark.parametrize("gradient", ["one", "mone"])
@pytest.mark.parametrize(
    ("made", "line"),
    [
        ("loss = net(x).mean() if full else net(x)", 5),
        ("loss = net(x)\n    if full:\n        loss = torch.mean(loss)", 7),
        ("if full:\n        loss = x.sum()\n    else:\n        loss = net(x)", 6),
    ],
)
def test_one_number_for_what_one_of_its_lines_makes_0_dim_is_reported(
    made: str, line: int, gradient: str
) -> None:
    text = _EITHER.format(made=made, gradient=gradient, unused="y")
    (finding,) = advice("TP119", text)
    assert finding.message == (
        f"this gradient raises where loss is 0-dim, as line {line} makes it: "
        f"write {gradient}.view_as(loss)"
    )
    assert not advice("TP119", text + "torch.tensor(1.0)\n")


@pytest.mark.parametrize(
    "made",
    [
        "loss = net(x)",
        "loss = net(x) if full else net(-x)",
        "loss = net(x).mean(0) if full else net(x)",
        "loss = net(x)\n    if full:\n        loss = loss.view(-1)",
        "for loss in net(x):\n        pass",
    ],
)
def test_nothing_is_said_of_what_no_line_makes_0_dim(made: str) -> None:
    assert not advice("TP119", _EITHER.format(made=made, gradient="one", unused="y"))
    assert not advice("TP119", _EITHER.format(made="pass", gradient="one", unused="loss"))


_TWINS = """import torch
def step(x, net, other):
    one = torch.FloatTensor([1])
    loss, real = net(x).mean(), other(x)
    {first}
    {second}
"""


@pytest.mark.parametrize("given", ["one", "gradient=one", "one.squeeze()"])
def test_the_gradient_of_a_number_is_told_of_for_what_is_not_known(given: str) -> None:
    lines = [f"loss.backward({given})", "real.backward(one, retain_graph=True)"]
    for first, second in (lines, lines[::-1]):
        (finding,) = advice("TP119", _TWINS.format(first=first, second=second))
        at, beside = (6, 5) if first is lines[0] else (5, 6)
        assert finding.line == at
        assert finding.message == (
            "this gradient raises where real is 0-dim, as the loss in "
            f"line {beside} is: write one.view_as(real)"
        )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("loss.backward()", "real.backward(one)"),
        ("loss.backward(one.squeeze())", "real.backward(one.view_as(real))"),
        ("loss.backward(one)", "real = torch.ones(1) * x\n    (x[:1] * 2).backward(one)"),
        ("loss.backward(one)", "one = torch.FloatTensor([2])\n    real.backward(one)"),
        ("loss.backward(one)", "if x is None:\n        real.backward(one)"),
        ("other(x).backward(one)", "real.backward(one)"),
    ],
)
def test_nothing_is_said_of_gradients_that_no_number_gets(first: str, second: str) -> None:
    assert not advice("TP119", _TWINS.format(first=first, second=second))


@pytest.mark.parametrize(
    "call",
    [
        "y.backward(one)",
        "unknown.backward(gradient=mone, retain_graph=True)",
        "unknown(x).backward(-one)",
        "y.backward(many)",
        "y.backward(vector)",
        "y.backward(torch.FloatTensor([[1]]))",
        "(vector * 2).backward(one)",
        "y.backward(*one)",
    ],
)
def test_other_gradients_are_not_reported(call: str) -> None:
    assert not advice("TP119", _GAN.format(call=call))


_MADE = """import torch
def train(net, x, y, cuda, n):
    one = torch.FloatTensor([1])
    mone = one * -1
    if cuda:
        one = one.cuda(0)
        mone = mone.cuda(0)
    real = net(x).mean()
    real.backward(mone)
    fake = net(y).mean()
    fake.backward({given})
    {more}
"""


@pytest.mark.parametrize("given", ["one", "-one", "one * 0.5"])
def test_what_is_made_for_gradients_alone_is_made_without_a_dimension(given: str) -> None:
    text = _MADE.format(given=given, more="return net")
    after = migrate(text, "TP119").text
    assert after == text.replace("torch.FloatTensor([1])", "torch.tensor(1.0)")
    assert migrate(text).text == after
    assert migrate(after, "TP119").text == after


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ("one", "return one"),
        ("one", "net(x).view(-1).backward(one)"),
        ("one", "print(one[0])"),
        ("one", "one.fill_(2)"),
        ("one", "x + one"),
        ("one", "self.one = one"),
        ("one", "torch.cat([one, mone])"),
        ("one", "if n:\n        mone = torch.ones(1)\n    net(y).sum().backward(mone)"),
    ],
)
def test_what_is_made_for_more_is_squeezed_where_it_is_a_gradient(given: str, more: str) -> None:
    after = migrate(_MADE.format(given=given, more=more), "TP119").text
    assert "one = torch.FloatTensor([1])" in after
    assert "real.backward(mone.squeeze())" in after


_WRAPPED = """import torch
from torch.autograd import Variable
weight = 0.03
def moved(tensor):
    return tensor.cuda() if torch.cuda.is_available() else tensor
def train(net, x, y, device):
    one = {made}
    mone = {scaled}
    one = Variable(one).cuda()
    mone = moved(Variable(mone))
    real = net(x).mean()
    real.backward(mone)
    fake = net(y).mean()
    fake.backward(one)
"""


@pytest.mark.parametrize(
    ("made", "after"),
    [
        ("torch.FloatTensor([1])", "torch.tensor(1.0)"),
        ("Variable(torch.Tensor([1]))", "Variable(torch.tensor(1.0))"),
        ("torch.tensor([1.0], device=device)", "torch.tensor(1.0, device=device)"),
        ("torch.tensor([1]).float()", "torch.tensor(1).float()"),
        ("torch.ones(1)", "torch.ones(())"),
        ("torch.ones(1, device=device)", "torch.ones((), device=device)"),
    ],
)
@pytest.mark.parametrize("scaled", ["one * -1", "one * -1 * weight", "Variable(one) * -weight"])
def test_wrapped_and_scaled_gradients_are_made_without_a_dimension(
    made: str, after: str, scaled: str
) -> None:
    text = _WRAPPED.format(made=made, scaled=scaled)
    assert migrate(text, "TP119").text == text.replace(made, after)
    assert ".squeeze()" not in migrate(text).text


@pytest.mark.parametrize(
    ("made", "scaled"),
    [
        ("torch.FloatTensor([1])", "one * x"),
        ("torch.FloatTensor([1])", "Variable(one) * net.weight"),
        ("torch.FloatTensor([1])", "kept(one)"),
        ("torch.tensor([1.0]).expand(1)", "-one"),
        ("torch.zeros(1) + 1", "-one"),
    ],
)
def test_what_may_be_of_more_numbers_stays_where_it_is_made(made: str, scaled: str) -> None:
    text = _WRAPPED.format(made=made, scaled=scaled)
    assert f"one = {made}\n" in migrate(text, "TP119").text


def test_the_gradient_of_one_line_is_made_without_a_dimension() -> None:
    text = _MADE.format(given="one", more="pass").replace("fake.backward(one)", "pass")
    made = text.replace("torch.FloatTensor([1])", "torch.tensor(1.0)")
    assert migrate(text, "TP119").text == made


_SCRIPT = """import torch
import nets
one = torch.FloatTensor([1]){moved}
mone = one * -1
for x, y in batches:
    real = nets.D(x).mean()
    real.backward(mone)
    fake = nets.D(y).mean()
    fake.backward(one)
    {more}
"""


@pytest.mark.parametrize(
    ("moved", "more"),
    [
        ("", "pass"),
        (".cuda()", "print(real.item())"),
        ("", "def step(x):\n        nets.D(x).sum().backward(one)"),
    ],
)
def test_what_a_script_makes_for_gradients_alone_is_made_without_a_dimension(
    moved: str, more: str
) -> None:
    text = _SCRIPT.format(moved=moved, more=more)
    after = migrate(text, "TP119").text
    assert after == text.replace("torch.FloatTensor([1])", "torch.tensor(1.0)")
    assert migrate(after, "TP119").text == after
    everything = migrate(text).text
    assert "squeeze" not in everything and "one = torch.tensor(1.0" in everything


@pytest.mark.parametrize(
    "more",
    [
        "nets.D(x).view(-1).backward(one)",
        "print(one)",
        "nets.one = one",
        "__all__ = ['one']",
        "def step(x):\n        return x + one",
        "def step(x):\n        global one\n        one = torch.ones(1)",
        "def step(x):\n        global mone\n        mone = x",
    ],
)
def test_what_a_script_makes_for_more_is_squeezed_where_it_is_a_gradient(more: str) -> None:
    after = migrate(_SCRIPT.format(moved="", more=more), "TP119").text
    assert "one = torch.FloatTensor([1])" in after
    assert "torch.tensor(1.0" not in after


@pytest.mark.parametrize("taken", ["from train import one", "import train\nx = train.mone"])
def test_what_another_file_takes_keeps_its_dimension(tmp_path: Path, taken: str) -> None:
    (tmp_path / "train.py").write_text(_SCRIPT.format(moved="", more="pass"))
    (tmp_path / "other.py").write_text(f"{taken}\n")
    path = tmp_path / "train.py"
    migrate_file(path, Settings(select=("TP119",)), write=True)
    after = path.read_text()
    assert "one = torch.FloatTensor([1])" in after
    assert "fake.backward(one.squeeze())" in after


_LISTED = """import torch
from torch.autograd import Variable
def train(net, x, y):
    kept = Variable(x, volatile=True)
    first, second = net(x, y)
    losses = [first, second]
    ones = [torch.ones(1).cuda() for _ in range(len(losses))]
    {call}
"""


def test_named_ones_of_what_is_not_known_are_reported() -> None:
    call = "torch.autograd.backward(losses, ones)"
    text = _LISTED.format(call=call)
    assert migrate(text, "TP119").text == text
    (finding,) = advice("TP119", text)
    assert finding.message == (
        "each gradient in ones has the shape (1,), and raises where its tensor is 0-dim, as losses "
        "are since torch 0.4: write torch.autograd.backward(losses), for which torch takes ones"
    )


def test_ones_of_what_is_not_known_go_in_old_files() -> None:
    call = "torch.autograd.backward(losses, [torch.ones(1), torch.ones(1).cuda()])"
    after = migrate(_LISTED.format(call=call), "TP119").text
    assert after == _LISTED.format(call="torch.autograd.backward(losses)")


@pytest.mark.parametrize(
    "call",
    [
        "torch.autograd.backward(losses)",
        "torch.autograd.backward(losses, [torch.ones(2), torch.ones(2)])",
        "torch.autograd.backward(losses, [torch.ones(1), torch.ones(1) * 2])",
        "torch.autograd.backward(losses, [first, second])",
        "torch.autograd.backward(losses, [torch.zeros(1), torch.ones(n)])",
        "torch.autograd.backward(losses, *ones)",
    ],
)
def test_what_is_no_1_for_what_is_not_known_stays(call: str) -> None:
    text = _LISTED.format(call=call)
    assert migrate(text, "TP119").text == text
    assert not advice("TP119", text)


@pytest.mark.parametrize(
    "more", ["ones.append(x)", "print(ones)", "ones = net.ones", "losses.append(x)"]
)
def test_a_list_that_is_more_than_gradients_of_numbers_stays(more: str) -> None:
    text = (
        _HEAD + "def step(x, net):\n    losses = [loss]\n    ones = [torch.ones(1)]\n"
        f"    {more}\n    torch.autograd.backward(losses, ones)\n"
    )
    assert migrate(text, "TP119").text == text


_RETURNED = """import torch
one = torch.FloatTensor([1])
def variation(image, wide):
    total = (image[1:] - image[:-1]).mean()
    {more}
    return total
def step(x, net):
    loss = variation(net(x), x) + variation(x, x)
    loss = loss * 0.5
    loss.backward(one)
"""


@pytest.mark.parametrize(
    "more",
    ["pass", "total += (image ** 2).mean()", "total *= 2", "total = total + image.abs().sum()"],
)
def test_what_functions_of_the_file_return_as_one_number(more: str) -> None:
    text = _RETURNED.format(more=more)
    after = migrate(text, "TP119").text
    assert after == text.replace("torch.FloatTensor([1])", "torch.tensor(1.0)")
    assert migrate(after, "TP119").text == after


_WEIGHTED = _RETURNED.format(more="total *= 2").replace("loss * 0.5", "loss * Param.weight")


@pytest.mark.parametrize(
    ("owner", "is_number"),
    [
        ("class Param:\n    weight = 0.5", True),
        ("class Param(object):\n    size = 3\n    weight = size * 2", True),
        ("class Param:\n    weight = 1\n    size, weight = 3, torch.ones(1)", False),
        ("class Param:\n    weight = 1\n    for weight in torch.ones(2):\n        pass", False),
        ("class Param:\n    weight = 1\n    weight += torch.ones(1)", False),
        ("class Param:\n    weight = torch.ones(1)", False),
        ("class Param:\n    weight = 0.5\nParam.weight = torch.ones(1)", False),
        ("class Param:\n    weight = 0.5\nsetattr(Param, 'weight', torch.ones(1))", False),
        ("class Param(Unknown):\n    weight = 0.5", False),
        ("@unknown\nclass Param:\n    weight = 0.5", False),
        ("class Param(metaclass=Unknown):\n    weight = 0.5", False),
        ("class Param:\n    size = 0.5", False),
    ],
)
def test_numbers_that_the_body_of_a_class_sets(owner: str, is_number: bool) -> None:
    text = _WEIGHTED.replace("import torch\n", f"import torch\n{owner}\n")
    after = migrate(text, "TP119").text
    assert after == (
        text.replace("torch.FloatTensor([1])", "torch.tensor(1.0)") if is_number else text
    )


@pytest.mark.parametrize("is_set", [False, True])
def test_numbers_of_a_class_that_another_file_sets(tmp_path: Path, is_set: bool) -> None:
    path, head = tmp_path / "model.py", "import torch\nclass Param:\n    weight = 0.5\n"
    path.write_text(_WEIGHTED.replace("import torch\n", head))
    store = "Param.weight = [1]" if is_set else "print(Param.weight)"
    (tmp_path / "run.py").write_text(f"from model import Param\n{store}\n")
    migrate_file(path, Settings(select=("TP119",)), write=True)
    assert ("torch.tensor(1.0)" in path.read_text()) is not is_set


@pytest.mark.parametrize(
    "more",
    [
        "total = image",
        "total = total + wide",
        "total @= image",
        "total = image.mean(0)",
        "if wide is None:\n        return image",
        "total = image\n    total += image.mean()",
        "for row in image:\n        total = wide\n        total += row.sum()",
    ],
)
def test_what_functions_may_return_with_a_dimension_stays(more: str) -> None:
    text = _RETURNED.format(more=more)
    assert migrate(text, "TP119").text == text


_ERRORS = """
import torch
def learn(net, x, action, reward, double):
    q = net(x).gather(1, action.unsqueeze(1))
    q = q.squeeze()
    if double:
        error = reward - q
    else:
        error = 2 * (reward - q)
    clipped = -1.0 * error.clamp(-1, 1)
    q.backward({})
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("clipped.data.unsqueeze(1)", "clipped.data"),
        ("clipped.unsqueeze(1).detach()", None),
        ("gradient=(-clipped.data).unsqueeze(-1)", "gradient=(-clipped.data)"),
        (
            "torch.clamp(q - reward, -1, 1).detach().unsqueeze(dim=1)",
            "torch.clamp(q - reward, -1, 1).detach()",
        ),
        ("reward.unsqueeze(1)", None),
        ("clipped.sum(0).unsqueeze(0)", None),
        ("net(clipped).unsqueeze(1)", None),
        ("clipped.data", None),
    ],
)
def test_a_gradient_of_the_tensor_itself_has_no_dimension_more(
    before: str, after: str | None
) -> None:
    text = _ERRORS.format(before)
    assert migrate(text, "TP119").text == _ERRORS.format(after or before)


def test_a_gradient_of_another_tensor_of_that_name_may_have_a_dimension_less() -> None:
    again = _ERRORS.format("clipped.data.unsqueeze(1)").replace(
        "    q.backward", "    q = q.unsqueeze(1)\n    q.backward"
    )
    assert migrate(again, "TP119").text == again
    other = _ERRORS.format("clipped.data.unsqueeze(1)").replace("2 * (reward - q)", "reward")
    assert migrate(other, "TP119").text == other


def test_a_column_may_need_the_dimension_of_its_gradient() -> None:
    """Where torch 0.1 took the numbers in their order, the difference to a vector was a vector."""
    text = _ERRORS.format("clipped.data.unsqueeze(1)").replace("    q = q.squeeze()\n", "")
    migration = migrate(text, "TP119")
    assert migration.text == text
    assert [found.message for found in migration.findings] == [
        "this gradient is calculated with q and has a dimension more, which raises: calculate it "
        "with q.squeeze(1) if q is a column beside vectors there, or else leave .unsqueeze(1) out"
    ]


def test_a_gradient_of_a_column_fits_by_the_squeezed_column() -> None:
    column, vector = torch.rand(4, 1, requires_grad=True), torch.rand(4)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (column * 1).backward((vector - column).detach().unsqueeze(1))
    (column * 1).backward((vector - column.squeeze(1)).detach().unsqueeze(1))
    (column * 1).backward((torch.rand(4, 1) - column).detach())
