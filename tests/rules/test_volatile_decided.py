"""Flags that the branch around them decides: where one is off there, it just goes."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate, rewrites

_HEAD = """
        import torch
        from torch.autograd import Variable

"""


def _function(body: str, given: str = "net, x, train") -> str:
    return textwrap.dedent(_HEAD) + f"\ndef run({given}):\n" + textwrap.indent(body, "    ")


def _pair(body: str, flag: str, given: str = "net, x, train") -> tuple[str, str]:
    flagged = body.format(f", volatile={flag}")
    return _function(flagged, given), _function(body.format(""), given)


_YIELDED = "if train:\n    for _ in range(9):\n        x = Variable(x{})\n        yield x\n"
_TESTED = "if {}:\n    x = Variable(x{{}})\nreturn net(x)\n"

test_rewrites = rewrites(
    "TP102",
    {
        "in the branch that trains": _pair(_YIELDED, "not train"),
        "in the other one": _pair(
            "if not train:\n    pass\nelse:\n    yield Variable(x{})\n", "not train"
        ),
        "one of both": _pair(_TESTED.format("train and x is not None"), "not train"),
        "none of both": _pair(
            "if test or not x:\n    return\nelse:\n    yield Variable(x{})\n", "test", "x, test"
        ),
        "of a conditional expression": _pair("yield Variable(x{}) if train else x\n", "not train"),
        "by a text": _pair(_TESTED.format("phase == 'train'"), "phase != 'train'", "net, x, phase"),
        "by another text": _pair(
            _TESTED.format("phase == 'train'"), "phase == 'val'", "net, x, phase"
        ),
        "one of several texts": _pair(
            _TESTED.format("phase == 'train'"), "phase == 'val' or phase == 'test'", "net, x, phase"
        ),
    },
)


@pytest.mark.parametrize(
    ("body", "flag"),
    [
        pytest.param(_YIELDED, "train", id="it is on there"),
        pytest.param(_YIELDED, "not other", id="another one"),
        pytest.param(_YIELDED, "not (train and other)", id="one that another decides"),
        pytest.param("if train or other:\n    yield Variable(x{})\n", "not train", id="or another"),
        pytest.param(
            "if train:\n    train = other\n    yield Variable(x{})\n", "not train", id="set between"
        ),
        pytest.param(
            "for _ in x:\n    if train:\n        for _ in x:\n            yield Variable(x{})\n"
            "            train = other\n",
            "not train",
            id="set in the round before",
        ),
        pytest.param("if train():\n    yield Variable(x{})\n", "not train()", id="asked twice"),
        pytest.param(
            "if train.on:\n    train.eval()\n    yield Variable(x{})\n",
            "not train.on",
            id="of an object",
        ),
        pytest.param(
            "if train:\n    train.pop()\n    yield Variable(x{})\n", "not train", id="of a list"
        ),
        pytest.param(
            "if train:\n    return lambda train: Variable(x{})\n", "not train", id="of a lambda"
        ),
        pytest.param(
            "if train:\n    pass\nyield Variable(x{})\n", "not train", id="behind the branch"
        ),
        pytest.param(
            "if phase != 'train':\n    yield Variable(x{})\n",
            "phase == 'val'",
            id="one of other texts",
        ),
    ],
)
def test_a_flag_that_the_branch_leaves_open_is_no_less_than_before(body: str, flag: str) -> None:
    text = _function(body.format(f", volatile={flag}"), "net, x, train, other, phase")
    after = migrate(text, "TP102")
    assert "volatile" in after.text or "set_grad_enabled" in after.text


def test_a_name_of_the_module_may_be_set_by_what_is_called_between() -> None:
    text = _function("if TRAIN:\n    x = load(x)\n    yield Variable(x, volatile=not TRAIN)\n")
    assert "volatile" in migrate(text, "TP102").text
