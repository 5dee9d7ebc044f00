from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

MODEL = """\
import torch
class Model:
    def losses(self, x, average=False):
        RE = foreign(x)
        KL = -(RE + 1)
        if average:
            RE = torch.mean(RE)
            KL = torch.mean(KL)
        return RE, KL
"""


def _rewritten(text: str) -> str:
    return migrate(text, "TP103").text


@pytest.mark.parametrize(
    ("call", "is_number"),
    [
        ("self.losses(x, average=True)", True),
        ("self.losses(x, True)", True),
        ("self.losses(x)", False),
        ("self.losses(x, average=False)", False),
        ("self.losses(x, average=flag)", False),
        ("self.losses(*x)", False),
        ("self.others(x, average=True)", False),
    ],
)
def test_a_constant_chooses_what_a_method_gives(call: str, is_number: bool) -> None:
    text = MODEL + f"    def run(self, x, flag):\n        a, b = {call}\n        return b.data[0]\n"
    assert _rewritten(text) == (text.replace("b.data[0]", "b.item()") if is_number else text)


@pytest.mark.parametrize(
    "changed",
    [
        ("            KL = torch.mean(KL)\n", ""),
        ("            KL = torch.mean(KL)\n", "            KL = torch.mean(KL, 0)\n"),
        ("        return RE, KL", "        KL = foreign(KL)\n        return RE, KL"),
        (
            "        return RE, KL",
            "        if x.many:\n            KL = foreign(KL)\n        return RE, KL",
        ),
        ("        return RE, KL", "        return foreign(RE, KL)"),
        ("        return RE, KL", "        return [*RE, KL]"),
        ("        return RE, KL", "        average = foreign(x)\n        return RE, KL"),
        ("        return RE, KL", "        yield RE, KL"),
        ("    def losses", "    @foreign\n    def losses"),
        (
            "class Model:\n",
            "class Other:\n    def losses(self, x, average):\n        return x, x\nclass Model:\n",
        ),
        ("if average:", "if average and foreign:"),
        ("if average:", "if not average:"),
    ],
)
def test_what_else_a_method_gives_may_have_an_index(changed: tuple[str, str]) -> None:
    assert changed[0] in MODEL
    text = MODEL.replace(*changed)
    text += "def run(model, x):\n    a, b = model.losses(x, average=True)\n    return b.data[0]\n"
    assert _rewritten(text) == text


@pytest.mark.parametrize(
    "given", ["x.sum() + x.mean()", "-x.sum()", "x.max() * 2", "torch.mean(x)", "other(x)"]
)
def test_a_function_that_gives_one_number_gives_nothing_else(given: str) -> None:
    text = (
        "import torch\ndef other(x):\n    return x.std()\n"
        f"def loss(x):\n    return {given}, x\n"
        "def run(x):\n    a, (b, c) = loss(x), x\n    first, _ = loss(x)\n    return first.data[0]\n"
    )
    assert _rewritten(text) == text.replace("first.data[0]", "first.item()")


@pytest.mark.parametrize(
    "given", ["x.sum(1)", "x.sum() + x", "x.loss()", "run(x)", "foreign(x)", "(x, x)", "x + 1"]
)
def test_a_function_that_may_give_more_is_left(given: str) -> None:
    text = (
        f"import torch\ndef loss(x):\n    return {given}, x\n"
        "def run(x):\n    first, _ = loss(x)\n    return first.data[0]\n"
    )
    assert _rewritten(text) == text


def test_minimum_of_what_is_not_known() -> None:
    text = "import torch\ndef f(x):\n    low, high = x.min(), x.max()\n"
    text += "    return float(low.data.cpu().numpy()[0]), high.data[0]\n"
    assert "return float(low.item()), high.item()" in _rewritten(text)
    own = text + "class Interval:\n    def min(self):\n        return self.low\n"
    assert "low.data.cpu().numpy()[0]), high.item()" in _rewritten(own)


def test_every_class_of_the_project_has_to_give_a_number(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "base.py").write_text("class Base:\n    def losses(self):\n        return 0.\n")
    (tmp_path / "model.py").write_text(MODEL)
    run = "import torch\ndef run(model, x):\n    a, b = model.losses(x, average=True)\n"
    run += "    return b.data[0]\n"
    (tmp_path / "run.py").write_text(run)
    settings = Settings(select=("TP103",))
    assert migrate_file(tmp_path / "run.py", settings, write=False).after == run.replace(
        "b.data[0]", "b.item()"
    )
    other = MODEL.replace("torch.mean(KL)", "torch.mean(KL, 1)")
    (tmp_path / "other.py").write_text(other)
    assert migrate_file(tmp_path / "run.py", settings, write=False).after is None


_GIVEN = """\
import torch
def share(output, target):
    return 100.0 * output.eq(target).float().sum() / target.size(0)
def shares(output, target):
    return output.eq(target).float(), 1
def halves(output, target):
    return output / 2
{before}
def run(loader, net, evaluation):
    for x, y in loader:
        found = evaluation(net(x), y)
        print({index})
def main(loader, net, chosen):
    measure = {given}
    run(loader, net, measure)
    {after}
"""


def _given(index: str, given: str = "share", before: str = "", after: str = "") -> str:
    return _GIVEN.format(index=index, given=given, before=before, after=after)


def _of_project(text: str, folder: Path) -> str:
    (folder / "pyproject.toml").write_text("")
    (folder / "run.py").write_text(text)
    return migrate_file(folder / "run.py", Settings(select=("TP103",)), write=False).after or text


@pytest.mark.parametrize("index", ["found.data[0]", "found[0].data[0]", "found.data.cpu()[0]"])
def test_a_function_that_is_handed_on_gives_what_it_gives(index: str, tmp_path: Path) -> None:
    written = _of_project(_given(index), tmp_path)
    assert written == _given("found.item()")


@pytest.mark.parametrize(
    "changed",
    [
        {"given": "shares"},
        {"given": "halves"},
        {"given": "chosen"},
        {"given": "chosen or share"},
        {"after": "run(loader, net, halves)"},
        {"after": "run(loader, net, chosen)"},
        {"after": "share = chosen\n    run(loader, net, share)"},
        {"after": "chosen(run)"},
        {"before": "@foreign"},
    ],
)
def test_a_function_that_may_be_another_is_left(changed: dict[str, str], tmp_path: Path) -> None:
    text = _given("found[0].data[0]", **changed)
    assert _of_project(text, tmp_path) == text


_VALIDATED = """\
import torch
from torch import nn
def val(model, loader, loss, epoch):
    for x, y in loader:
        batch_loss = loss(model(x), y)
        whole = batch_loss / (2 * 8)
        print({index})
def train(model, loader):
    loss = nn.MSELoss({reduction})
    val(model, loader, loss, 1)
"""


@pytest.mark.parametrize("beside", ["", "def unused(model, loader):\n    val(model, loader)\n"])
def test_what_is_calculated_of_a_loss_that_is_handed_on(beside: str, tmp_path: Path) -> None:
    text = _VALIDATED.format(reduction="size_average=False", index="{}")
    text += beside
    written = _of_project(text.format("whole.data[0]"), tmp_path)
    assert written == text.format("whole.item()")


@pytest.mark.parametrize(
    ("reduction", "beside"),
    [
        ("reduce=False", ""),
        ("", "def other(model, loader, loss):\n    val(model, loader, loss, 2)\n"),
    ],
)
def test_a_loss_that_may_give_more_is_left(reduction: str, beside: str, tmp_path: Path) -> None:
    text = _VALIDATED.format(reduction=reduction, index="whole.data[0]")
    assert _of_project(text + beside, tmp_path) == text + beside


_OBJECTS = """\
import torch
from torch import nn


class Loss(nn.Module):
    def forward(self, x, whole=False):
        first = second = 0
        for row in x:
            first += torch.sqrt(foreign(row).sum() + 1e-5)
            second += foreign(row).sum(){more}
        if whole:
            return second, first
        return first, x


class Share(object):
    def __call__(self, x):
        share = 100 * foreign(x).mean().exp()
        return share


def run(x):
    loss, share = {loss}, {share}
    print(loss(x)[1])
    first, _ = loss(x{given})
    return first.data[0], share(x).data[0]
"""


def _objects(more: str = "", loss: str = "Loss()", share: str = "Share()", given: str = "") -> str:
    return _OBJECTS.format(more=more, loss=loss, share=share, given=given)


@pytest.mark.parametrize(
    ("changed", "first", "second"),
    [
        ({}, True, True),
        ({"more": " / x"}, True, True),
        ({"given": ", whole=True"}, True, True),
        ({"given": ", whole=True", "more": " / x"}, False, True),
        ({"given": ", whole=x"}, True, True),
        ({"given": ", whole=x", "more": " / x"}, False, True),
        # Whichever way it takes then, a number is what comes first.
        ({"given": ", **x"}, True, True),
        ({"given": ", **x", "more": " / x"}, False, True),
        # Each of several devices gives a number of its own, and they are joined.
        ({"loss": "nn.DataParallel(Loss())"}, False, True),
        ({"loss": "foreign(Loss)", "share": "foreign(Share)"}, False, False),
        ({"loss": "foreign", "share": "x.share"}, False, False),
    ],
)
def test_an_object_that_is_called_gives_what_it_gives(
    changed: dict[str, str], first: bool, second: bool
) -> None:
    text = expected = _objects(**changed)
    if first:
        expected = expected.replace("first.data[0]", "first.item()")
    if second:
        expected = expected.replace("share(x).data[0]", "share(x).item()")
    assert _rewritten(text) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.sqrt(", "torch.cumsum("),
        ("torch.sqrt(", "torch.stack("),
        ("torch.sqrt(", "torch.expand_as("),
        ("torch.sqrt(", "torch.mul(row, "),
        ("torch.sqrt(", "foreign.sqrt("),
        ("first += ", "first += x + "),
        ("first += ", "first = x * "),
        ("first += torch.sqrt(foreign(row).sum() + 1e-5)", "first += 1"),
        ("first = second = 0", "first = second = x"),
        ("first = second = 0", "first = second = torch.zeros(2)"),
        (
            "def run",
            "class Rows(Loss):\n    def forward(self, x):\n        return x, x\n\n\ndef run",
        ),
        ("    def forward", "    @foreign\n    def forward"),
    ],
)
def test_what_else_an_object_gives_may_have_an_index(before: str, after: str) -> None:
    assert before in _objects()
    text = _objects().replace(before, after)
    assert "first.data[0]" in _rewritten(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (".exp()", ".repeat(2)"),
        (".exp()", ".add(x)"),
        (".exp()", ".exp(x)"),
        ("100 * ", "x * "),
        ("class Share(object)", "class Share(Foreign)"),
        ("    def __call__", "    def exp(self):\n        return 1\n\n    def __call__"),
        ("def run", "class Two(Share):\n    def __call__(self, x):\n        return x\n\n\ndef run"),
        ("return share\n", "return share if x is None else x\n"),
    ],
)
def test_what_else_another_object_gives(before: str, after: str) -> None:
    assert before in _objects()
    text = _objects().replace(before, after)
    assert "share(x).data[0]" in _rewritten(text)


_KEPT = """\
import collections
import torch
from torch.nn import functional as F


class Net(torch.nn.Module):
    def start(self):
        self._losses, self._all = {{}}, []
        self._found = {{}}

    def add(self, x, y):
        whole = F.cross_entropy(x, y)
        self._losses["class"] = whole
        self._losses["box"] = whole + foreign(x).mean()
        self._losses["rows"] = foreign(x)
        self._all.append(whole * 2)
        for key in self._losses.keys():
            self._found[key] = self._losses[key]

    def clear(self):
        for kept in [self._losses, self._found]:
            for key in list(kept):
                del kept[key]

    def show(self, i):
        {more}
        print(self._losses["class"].data[0], self._losses["box"].data[0], self._all[i].data[0])
        return self._losses["rows"].data[0]
"""
_PRINTED = {
    "class": ('self._losses["class"].data[0]', 'self._losses["class"].item()'),
    "box": ('self._losses["box"].data[0]', 'self._losses["box"].item()'),
    "all": ("self._all[i].data[0]", "self._all[i].item()"),
}


@pytest.mark.parametrize(
    ("more", "known"),
    [
        ("pass", "class box all"),
        ("print(len(self._losses), sorted(self._all))", "class box all"),
        ("if 'class' in self._losses and not self._all: return", "class box all"),
        ("self._losses['class'] += foreign.mean()", "class box all"),
        ("self._losses = None", "class box all"),
        ("self._losses = {'class': i.sum()}", "class box all"),
        ("self._losses = collections.OrderedDict()", "class box all"),
        ("self._losses.clear()", "class box all"),
        ("self._all.insert(0, foreign(i).sum())", "class box all"),
        ("self._losses['class'] = foreign(i)", "box all"),
        ("self._losses[i] = foreign(i)", "all"),
        ("self._losses['class'] += foreign(i)", "box all"),
        ("self._losses = {'class': foreign(i)}", "box all"),
        ("self._losses = {**i}", "all"),
        ("self._losses = foreign(i)", "all"),
        ("self._losses, self._all = foreign(i)", ""),
        ("self._losses.update(i)", "all"),
        ("self._losses['class'].unsqueeze_(0)", "all"),
        ("i.losses = self._losses", "all"),
        ("losses = self._losses; print(losses)", "class box all"),
        ("foreign(self._losses)", "all"),
        ("other = self._losses; other['class'] = i", "all"),
        ("for kept in [self._losses]: kept['class'] = i", "all"),
        ("return self._losses", "all"),
        ("self._all.append(foreign(i))", "class box"),
        ("self._all.extend(i)", "class box"),
        ("self._all += [i]", "class box"),
        ("self._all[0] = foreign(i)", "class box"),
        ("self._all = [foreign(i)]", "class box"),
        ("self._all = [*i]", "class box"),
        ("i._all = foreign(i)", "class box"),
    ],
)
def test_what_all_methods_put_into_a_dict_or_a_list(more: str, known: str) -> None:
    text = expected = _KEPT.format(more=more)
    for key in known.split():
        expected = expected.replace(*_PRINTED[key])
    assert _rewritten(text) == expected


def test_what_another_file_puts_there_counts(tmp_path: Path) -> None:
    text = _KEPT.format(more="pass")
    assert _of_project(text, tmp_path).count(".item()") == 3
    (tmp_path / "other.py").write_text("def f(net, x):\n    net._losses['box'] = x\n")
    assert _of_project(text, tmp_path).count(".item()") == 2
    (tmp_path / "other.py").write_text("class Other:\n    _losses = {}\n")
    assert _of_project(text, tmp_path).count(".item()") == 1


_TRAINER = """\
import torch
class Trainer:
    def run(net, loader):
        criterion = torch.nn.{criterion}
        mean, total = Trainer.measure(net, loader, criterion)
        print(total.data[0])
    def measure(net, loader, criterion{more}):
        total = 0
        for x, y in loader:
            total += criterion(net(x), y)
        n = {count}
        {bounded}
        return 3, total / n
"""


@pytest.mark.parametrize(
    ("changed", "is_number"),
    [
        ({}, True),
        ({"criterion": "MSELoss(reduce=False)"}, False),
        ({"criterion": "Sequential()"}, False),
        ({"count": "net.numel()"}, True),
        ({"count": "net.numbers()"}, False),
        ({"count": "net.sum()", "bounded": "n = max(n, 1)"}, True),
        ({"count": "net.weights", "bounded": "n = max(n, 1)"}, False),
        ({"count": "net.sum()", "bounded": "n = max(n)"}, False),
        ({"more": ", each"}, False),
        ({"more": ", each=True", "bounded": "if not each:\n            total = loader"}, False),
    ],
)
def test_a_loss_function_that_is_handed_in_gives_numbers(
    tmp_path: Path, changed: dict[str, str], is_number: bool
) -> None:
    parts = {"criterion": "MSELoss()", "more": "", "count": "3", "bounded": "", **changed}
    text = _TRAINER.format(**parts)
    (tmp_path / ".git").mkdir()
    (tmp_path / "run.py").write_text(text)
    after = migrate_file(tmp_path / "run.py", Settings(select=("TP103",)), write=False).after
    expected = text.replace("total.data[0]", "total.item()") if is_number else text
    assert (after or text) == expected


EITHER = """\
import torch
from torch import nn
class ByWord(nn.Module):
    def forward(self, x):
        return foreign(x).sum() / 2
class BySentence(nn.Module):
    def forward(self, x):
        return -foreign(x).mean()
class Model(nn.Module):
    def __init__(self, by_word):
        super().__init__()
        if by_word:
            self.decoder = ByWord()
        else:
            self.decoder = BySentence()
    def forward(self, x):
        return self.decoder(x)
def evaluate(x):
    model = Model(True)
    return model(x).data[0]
"""


def test_one_of_two_modules_gives_what_both_give() -> None:
    assert _rewritten(EITHER) == EITHER.replace("model(x).data[0]", "model(x).item()")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("-foreign(x).mean()", "-foreign(x)"),
        ("-foreign(x).mean()", "-foreign(x).mean(0)"),
        ("= BySentence()", "= nn.Linear(2, 2)"),
        ("= BySentence()", "= foreign()"),
    ],
)
def test_one_of_two_modules_may_give_more(before: str, after: str) -> None:
    text = EITHER.replace(before, after)
    assert text != EITHER
    assert _rewritten(text) == text


HOOK = """
import torch
class Trainer:
    def watch(self):
        def hook(module, inputs, outputs):
            sizes = outputs.size()
            lost = (outputs[0] - inputs[0]).pow(2).sum().div(sizes[1] * sizes[2])
            self.lost += lost.data[0]
            self.more += inputs[0].pow(2).sum().div(sizes[1]).data[0]
        self.net.register_forward_hook(hook)
"""


def test_a_sum_that_sizes_divide_is_one_number() -> None:
    after = HOOK.replace("lost.data[0]", "lost.item()")
    assert _rewritten(HOOK) == after.replace("div(sizes[1]).data[0]", "div(sizes[1]).item()")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("outputs.size()", "outputs.sizes()"),
        (".sum()", ".sum(0)"),
        ("outputs.size()", "self.sizes"),
    ],
)
def test_a_sum_that_more_divides_may_have_dimensions(before: str, after: str) -> None:
    text = HOOK.replace(before, after)
    assert text != HOOK
    assert _rewritten(text) == text
