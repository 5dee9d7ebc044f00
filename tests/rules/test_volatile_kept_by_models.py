"""A block of ``no_grad`` holds what a model calculates of the values that it was given to keep."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate

_HEAD = """import torch
from torch.autograd import Variable
def evaluate(bot, other, batches, optimizer):
    for batch in batches:
        x = Variable(batch, volatile=True)
"""


def _blocked(body: str) -> list[str]:
    """The lines of a body that go under ``no_grad``."""
    lines = (" " * 8 + line for line in body.splitlines(keepends=True))
    after = migrate(_HEAD + "".join(lines), "TP102").text.splitlines()
    assert "        with torch.no_grad():" in after
    return [line.strip() for line in after if line.startswith(" " * 12)]


_KEPT = "bot.eval()\nbot.observe(x)\nfound = bot.predict()\nprint(1)\nfor i in range(3):\n"
_ROUND = "    bot.observe(other.answer(i))\n"


def test_what_a_model_keeps_is_calculated_with_below() -> None:
    lines = [line.strip() for line in (_KEPT + _ROUND).splitlines()]
    assert _blocked(_KEPT.replace("    ", "") + "    pass\nbot.predict()\n")[-1] == "bot.predict()"
    assert _blocked(_KEPT + "    bot.observe(found)\n")[-4:-1] == lines[-4:-1]


@pytest.mark.parametrize(
    "below",
    [
        "bot.cuda()",
        "other.predict()",
        "bot = other\nbot.predict()",
    ],
)
def test_what_has_nothing_to_do_with_it_stays_below(below: str) -> None:
    assert _blocked(f"bot.eval()\nbot.observe(x)\n{below}\n")[-1] == "bot.observe(x)"


def test_an_attribute_is_a_model_as_well() -> None:
    body = "other.bot.eval()\nother.bot.observe(x)\nprint(1)\nother.bot.predict()\nother.eval()\n"
    assert _blocked(body)[-2:] == ["print(1)", "other.bot.predict()"]


def test_what_is_no_model_keeps_nothing() -> None:
    assert _blocked("bot.observe(x)\nbot.predict()\n")[-1] == "bot.observe(x)"


@pytest.mark.parametrize(
    "below", ["bot.predict().backward()", "y = bot.predict()\n        y.backward()"]
)
def test_what_trains_with_it_is_told(below: str) -> None:
    body = f"        bot.eval()\n        bot.observe(x)\n        {below}\n"
    assert migrate(_HEAD + body, "TP102").text == _HEAD + body
    assert [one.line for one in advice("TP102", _HEAD + body)] == [5]
