"""Of a Variable that is given its flags in a dict, ``.data`` says nothing where none asks for grad."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """import torch
from torch.autograd import Variable
def score(x):
    return x.abs().sum()
def evaluate(loader, flag, given):
    {0}
    scores = []
    for x in loader:
        x = Variable(x.cuda(), **options)
        scores.append(x.size(0) * score(x.data))
    {1}
    return scores
"""


def _migrated(options: str, below: str = "pass") -> str:
    return migrate(_TEXT.format(options, below), "TP104").text


@pytest.mark.parametrize(
    "options",
    [
        "options = {'volatile': False, 'requires_grad': False}",
        "options = {'requires_grad': False} if flag else {}",
        "options = {}",
    ],
)
def test_what_asks_for_no_gradient_needs_no_data(options: str) -> None:
    assert "score(x)" in _migrated(options)


@pytest.mark.parametrize(
    ("options", "below"),
    [
        ("options = {'requires_grad': True}", "pass"),
        ("options = {'requires_grad': flag}", "pass"),
        ("options = {'requires_grad': False} if flag else {'requires_grad': True}", "pass"),
        ("options = {'requires_grad': False, **given}", "pass"),
        ("options = {flag: True}", "pass"),
        ("options = given", "pass"),
        ("options = {}", "options['requires_grad'] = True"),
        ("options = {}", "options = {'requires_grad': True}"),
    ],
)
def test_what_may_ask_for_one_keeps_or_detaches_it(options: str, below: str) -> None:
    text = _migrated(options, below)
    assert "score(x.data)" in text or "score(x.detach())" in text
