from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_IMPORTS = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def _of(version: tuple[int, ...]) -> Options:
    return Options(era=Era(version, version))


@pytest.mark.parametrize(
    "call",
    [
        "F.cross_entropy(x, y, ignore_index=255)",
        "F.cross_entropy(x, y, None, None, ignore_index=-1, reduction='mean')",
        "F.nll_loss(x, y, ignore_index=pad, size_average=True)",
        "torch.nn.functional.nll_loss(x, y, w, True, ignore_index=0)",
        "nn.CrossEntropyLoss(ignore_index=255)",
        "nn.NLLLoss(w, ignore_index=pad, reduce=True)",
        "nn.NLLLoss2d(ignore_index=255)",
    ],
)
def test_a_mean_without_ignored_targets_is_reported(call: str) -> None:
    ignored = call.partition("ignore_index=")[2].partition(",")[0].rstrip(")")
    text = f"{_IMPORTS}loss = {call}\ny[mask] = {ignored}\n"
    (finding,) = advice("TP310", text, options=_of((1, 10)))
    assert finding.line == 4
    assert finding.message.startswith("since torch 1.11 this is nan for a batch")
    assert migrate(text, "TP310", options=_of((1, 10))).text == text


@pytest.mark.parametrize(
    ("call", "divisor"),
    [
        ("F.cross_entropy(x, y, None, ignore_index=2)", "the number of targets"),
        ("F.nll_loss(x, y, weight=w, ignore_index=2)", "the sum of the weights of the targets"),
        ("nn.CrossEntropyLoss(ignore_index=2)", "the number of targets"),
        ("nn.NLLLoss(w, ignore_index=2)", "the sum of the weights of the targets"),
    ],
)
def test_a_mean_by_weights_is_divided_by_their_sum(call: str, divisor: str) -> None:
    text = f"{_IMPORTS}y.fill_(2)\nloss = {call}\n"
    (finding,) = advice("TP310", text, options=_of((1, 10)))
    assert f'divide reduction="sum" by {divisor} that count' in finding.message


@pytest.mark.parametrize("targets", [[0, 2, 1], [2, 2, 2]])
def test_what_is_divided_is_the_mean_and_no_nan(targets: list[int]) -> None:
    torch = pytest.importorskip("torch")
    x, y, w = torch.eye(3), torch.tensor(targets), torch.tensor([0.5, 2.0, 3.0])
    counts = y[y != 2]
    for weight, divisor in ((None, max(len(counts), 1)), (w, w[counts].sum() or 1)):
        total = torch.nn.functional.nll_loss(x, y, weight, ignore_index=2, reduction="sum")
        mean = torch.nn.functional.nll_loss(x, y, weight, ignore_index=2)
        assert torch.isnan(mean) or torch.allclose(total / divisor, mean)
        assert (total / divisor == 0) == bool(torch.isnan(mean))


@pytest.mark.parametrize(
    "call",
    [
        "F.cross_entropy(x, y)",
        "F.cross_entropy(x, y, ignore_index=255, reduction='sum')",
        "F.nll_loss(x, y, ignore_index=255, reduction=how)",
        "F.nll_loss(x, y, ignore_index=255, size_average=False)",
        "F.nll_loss(x, y, w, False, ignore_index=255)",
        "F.nll_loss(x, y, w, ignore_index=0, reduce=False)",
        "nn.CrossEntropyLoss(reduction='none', ignore_index=255)",
        "nn.CrossEntropyLoss(w, False, ignore_index=255)",
        "nn.CrossEntropyLoss(w, None, ignore_index=255, reduce=by)",
        "nn.CrossEntropyLoss(**options, ignore_index=255)",
        "F.mse_loss(x, y, ignore_index=255)",
        "cross_entropy(x, y, ignore_index=255)",
        "jaccard(x, y, ignore_index=255)",
    ],
)
def test_other_losses_are_left_alone(call: str) -> None:
    text = f"{_IMPORTS}loss = {call}\ny[mask] = 255\n"
    assert not advice("TP310", text, options=_of((1, 10)))


@pytest.mark.parametrize(
    ("line", "ignored"),
    [
        ("y = y.long()", "255"),
        ("y[mask] = 254", "255"),
        ("y[mask] = 1", "-1"),
        ("y = torch.zeros(3).fill_(0)", "0"),
        ("y = torch.full((2, 3), pad)", "pad"),
        ("y = torch.LongTensor(2, 3).fill_(pad)", "pad"),
        ("y[mask] = 0", "pad"),
        ("for i, end in enumerate(ended):\n    if end: y[i] = 255", "255"),
        ("print(255)", "255"),
    ],
)
def test_what_is_padded_or_read_is_not_all_ignored(line: str, ignored: str) -> None:
    text = f"{_IMPORTS}{line}\nloss = nn.CrossEntropyLoss(ignore_index={ignored})(x, y)\n"
    assert not advice("TP310", text, options=_of((1, 10)))


def test_losses_of_one_cause_are_told_of_together() -> None:
    loss = "F.cross_entropy(x, y, ignore_index=255)"
    text = f"{_IMPORTS}y[mask] = 255\nloss = {loss} + {loss}\nloss += {loss}\n"
    (finding,) = advice("TP310", text, options=_of((1, 10)))
    assert finding.line == 5 and ", here and in line 6: divide" in finding.message
    apart = text.replace("loss += ", "def f(x, y):\n    return ")
    found = advice("TP310", apart, options=_of((1, 10)))
    assert [(f.line, "here and in" in f.message) for f in found] == [(5, False), (7, False)]
    weighted = text.replace("loss += F.cross_entropy(x, y", "loss += F.cross_entropy(x, y, w")
    assert len(advice("TP310", weighted, options=_of((1, 10)))) == 2


@pytest.mark.parametrize("options", [Options(), _of((1, 11)), _of((2, 0))])
def test_files_that_may_know_it_are_left_alone(options: Options) -> None:
    text = f"{_IMPORTS}y[mask] = 255\nloss = F.cross_entropy(x, y, ignore_index=255)\n"
    assert not advice("TP310", text, options=options)


@pytest.mark.parametrize(
    "line",
    [
        "y[mask] = -100",
        "y.masked_fill_(mask, -100)",
        "y = y.masked_fill(mask, -100).cuda()",
        "y = torch.full((3,), -100)",
        "y = torch.tensor([[-100] * 3])",
        "y = torch.full((3,), fill_value=-100)",
        "t[mask] = -100; y = Variable(t.view(-1)).long()",
        "t[0, 1:] = -100; y = torch.LongTensor(t)[:, 0]",
        "t[0, 1:] = -100; y = torch.cat([t, s]).data.long()",
        "t = torch.full((3,), -100); p = (x, t); _, y = p",
    ],
)
def test_targets_that_are_ignored_by_default_are_reported(line: str) -> None:
    imports = f"{_IMPORTS}from torch.autograd import Variable\ny = t = load()\n"
    text = f"{imports}{line}\nloss = F.cross_entropy(x, y)\n"
    (finding,) = advice("TP310", text, options=_of((1, 10)))
    assert finding.line == 7
    assert not advice("TP310", text, options=_of((1, 11)))
    assert not advice("TP310", text.replace("y)\n", "y, reduction='sum')\n"), options=_of((1, 10)))


_MODEL = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.ce = nn.CrossEntropyLoss()
        self.out = nn.Linear(3, 2)
    def masked(self, x, mask):
        x[mask] = -100
        return x
    def loss(self, score, target, mask):
        {line}
        return self.ce(score, target)
"""


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("target[mask] = -100", True),
        ("target = self.masked(target, mask)", True),
        ("target = torch.where(mask, target, -100)", True),
        ("score[mask] = -100", False),
        ("score = self.masked(score, mask)", False),
        ("score.masked_fill_(mask, -100)", False),
        ("score[mask] = -100; target = score.argmax(1)", False),
        ("score[mask] = -100; score = torch.softmax(score, 1)", False),
        ("score[mask] = -100; target = self.out(score)", False),
        ("target = target.cuda()", False),
        ("batch['target'][mask] = -100", False),
    ],
)
def test_scores_are_masked_for_other_reasons(line: str, is_told: bool) -> None:
    found = advice("TP310", _MODEL.format(line=line), options=_of((1, 10)))
    assert [f.line for f in found] == [6] * is_told


@pytest.mark.parametrize("line", ["self.masked(score, mask)", "print(score)"])
def test_a_loss_that_another_file_calls_is_left_alone(line: str) -> None:
    text = _MODEL.format(line=line).replace("return self.ce(score, target)", "return score")
    assert not advice("TP310", text, options=_of((1, 10)))


@pytest.mark.parametrize(
    "line", ["low = -100", "y[mask] = 100", "y[mask] = -1", "clip(y, -100)", "y[-100] = 1"]
)
def test_other_numbers_ignore_nothing(line: str) -> None:
    text = f"{_IMPORTS}y = load()\n{line}\nloss = F.cross_entropy(x, y)\n"
    assert not advice("TP310", text, options=_of((1, 10)))
