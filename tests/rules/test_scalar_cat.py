from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

EPISODE = """
import torch
from torch.autograd import Variable

def finish_episode(saved, reward):
    losses = []
    for log_prob in saved:
        losses.append(-Variable(log_prob) * 2)
    return torch.cat(losses).sum()

def train(x, y):
    saved = []
    for each in x:
        saved.append(torch.dot(each, y))
    finish_episode(saved, 2)
    finish_episode(read(), x)
"""


@pytest.mark.parametrize(
    "total",
    [
        "torch.cat(losses).sum()",
        "torch.cat(losses, 0).mean()",
        "torch.cat(losses, dim=0).sum()",
        "2 * torch.cat(losses).sum() + torch.ones(1)",
        "torch.mean(torch.cat(losses))",
    ],
)
def test_a_list_that_is_filled_step_by_step_is_reported(total: str) -> None:
    text = EPISODE.replace("torch.cat(losses).sum()", total)
    migration = migrate(text, "TP423")
    assert [f.line for f in migration.findings] == [9]
    message = migration.findings[0].message
    assert message.endswith("like that of line 14 are since torch 0.4: write torch.stack(losses)")
    assert migration.text == text


SCORES = """
import torch
from torch.autograd import Variable

class Table:
    def largest(self, rows):
        best = rows[0, pick(rows)]
        wide = best.view(1, -1).expand(1, rows.size()[1])
        return best + torch.log(torch.sum(torch.exp(rows - wide)))

    def total(self, feats):
        rows = Variable(torch.zeros(1, 3))
        for i, feat in enumerate(feats):
            found = []
            for each in feat:
                if i == 0:
                    found.append(each.view(1, -1))
                else:
                    found.append(self.largest(rows + each.view(1, -1)))
            rows = torch.cat(found).view(1, -1)
        return self.largest(rows)

def forward(feats):
    scores = Variable(torch.zeros(1, 3))
    for i, feat in enumerate(feats):
        found = []
        for each in feat:
            if i == 0:
                found.append(each.view(1, -1))
            else:
                found.append((scores + each.view(1, -1))[0][pick(each)])
        scores = torch.cat(found).view(1, -1)
    return scores
"""
PICK = "\ndef pick(rows):\n    return int(rows.max())\n"


def _said_of_scores(text: str, path: Path) -> list[tuple[int, str]]:
    (path / "pyproject.toml").write_text("")
    (path / "scores.py").write_text(text)
    (path / "use.py").write_text("from scores import Table\ntable = Table()\n")
    settings = Settings(select=("TP423",))
    found = migrate_file(path / "scores.py", settings, write=False).findings
    return [(f.line, f.message) for f in found]


def test_numbers_that_are_laid_in_a_row_are_reported(tmp_path: Path) -> None:
    (helper, branch) = _said_of_scores(SCORES + PICK, tmp_path)
    assert branch == (
        32,
        "torch.cat takes no tensors without dimensions, as single numbers like that of line 31 are "
        "since torch 0.4: write torch.cat([each.reshape(-1) for each in found])",
    )
    assert helper[0] == 20
    assert "like that of line 7 are" in helper[1]


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (".view(1, -1)\n    return scores", ".view(2, -1)\n    return scores", [20]),
        ("[0][pick(each)])", "[0][pick(each)].view(1))", [20]),
        ("cat(found).view(1", "cat(found, 1).view(1", []),
        ("int(rows.max())", "rows.long()", []),
        ("int(rows.max())", "slice(0, 2)", []),
        ("largest(rows +", "largest(each) + (", [32]),
    ],
)
def test_what_is_not_certainly_a_row_of_numbers_is_not_said_to_be(
    before: str, after: str, lines: list[int], tmp_path: Path
) -> None:
    text = SCORES + PICK
    assert before in text
    found = _said_of_scores(text.replace(before, after), tmp_path)
    assert [line for line, _ in found] == lines


KEPT = {
    "what is not summed up": EPISODE.replace(".sum()", ""),
    "a sum of rows": EPISODE.replace(".sum()", ".sum(1)"),
    "a function of rows": EPISODE.replace("cat(losses).sum()", "sum(torch.cat(losses), 1)"),
    "a product": EPISODE.replace(".sum()", ".prod()"),
    "another dimension": EPISODE.replace("cat(losses)", "cat(losses, 1)"),
    "arguments that are not known": EPISODE.replace("cat(losses)", "cat(*losses)"),
    "a result elsewhere": EPISODE.replace("cat(losses)", "cat(losses, out=total)"),
    "numbers of dimensions that are known": EPISODE.replace(
        "-Variable(log_prob) * 2", "torch.zeros(3)"
    ),
    "what nothing shows to be numbers": EPISODE.replace("torch.dot(each, y)", "pick(each, y)"),
    "rows": EPISODE.replace("torch.dot(each, y)", "torch.zeros(1)"),
    "numbers with what may have dimensions": EPISODE.replace(") * 2", ") * reward"),
    "a list that begins with something": EPISODE.replace("losses = []", "losses = [first]"),
    "a list from elsewhere": EPISODE.replace("losses = []", "losses = begin()"),
    "code for torch 0.4": EPISODE.replace(
        "losses = []", "losses = []\n    device = torch.device(0)"
    ),
    "code without Variables": EPISODE.replace("from torch.autograd import Variable", "").replace(
        "Variable(log_prob)", "log_prob"
    ),
    "a function of the file": EPISODE.replace("import torch\n", "class torch:\n    cat = sum\n"),
}

test_keeps = keeps("TP423", KEPT)


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_nothing_is_said_of(text: str) -> None:
    assert migrate(textwrap.dedent(text), "TP423").findings == ()


_PICKED = """
import torch
from torch.autograd import Variable
def loss(net, inputs, labels):
    x, target = net(Variable(inputs)).view(-1, 10), Variable(labels)
    return torch.cat([{element} for i in range(x.size(0))])
"""


def test_numbers_that_are_picked_out_of_rows_are_told() -> None:
    (finding,) = advice("TP423", _PICKED.format(element="x[i][target[i]]"))
    assert finding.message == (
        "torch.cat takes no tensors without dimensions, as x[i][target[i]] is since torch 0.4 "
        "where target[i] is one number: write torch.stack there"
    )


@pytest.mark.parametrize(
    "element",
    ["x[i][target]", "x[i][target[i].view(-1)]", "x[i][i:]", "inputs[i][target[i]]", "x[i]"],
)
def test_what_may_be_picked_as_rows_is_not(element: str) -> None:
    assert not advice("TP423", _PICKED.format(element=element))


def test_a_file_of_today_picks_what_it_means() -> None:
    text = _PICKED.replace("Variable(inputs)", "inputs").replace("Variable(labels)", "labels")
    text = text.replace("from torch.autograd import Variable\n", "")
    assert not advice("TP423", text.format(element="x[i][target[i]]"))
