from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import keeps, migrate

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
