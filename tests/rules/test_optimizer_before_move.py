from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, rewrites

_HEAD = """
            import torch
            from torch import nn, optim
            model = nn.Linear(2, 2)
            loss = nn.MSELoss()
"""
_ADAM = "            optimizer = optim.Adam(model.parameters())\n"

_ADAGRAD = _ADAM.replace("Adam", "Adagrad")

test_rewrites = rewrites(
    "TP205",
    {
        "a statement": (
            _HEAD + _ADAGRAD + "            model.cuda()\n",
            _HEAD + "            model.cuda()\n" + _ADAGRAD,
        ),
        "assigned": (
            _HEAD + _ADAGRAD + "            model = model.to('cuda')\n",
            _HEAD + "            model = model.to('cuda')\n" + _ADAGRAD,
        ),
        "comments and blank lines": (
            _HEAD
            + """
            # how it learns
            optimizer = optim.Adagrad(model.parameters())  # Adagrad
            decay = optim.lr_scheduler.StepLR(optimizer, 3)

            # where it is
            if torch.cuda.is_available():
                model.cuda()
                loss.cuda()

            print(model)
            """,
            _HEAD
            + """
            # where it is
            if torch.cuda.is_available():
                model.cuda()
                loss.cuda()

            # how it learns
            optimizer = optim.Adagrad(model.parameters())  # Adagrad
            decay = optim.lr_scheduler.StepLR(optimizer, 3)

            print(model)
            """,
        ),
        "in a function": (
            """
            import torch
            def main():
                net = torch.nn.Linear(2, 2)
                optimizer = torch.optim.Adagrad([{"params": net.parameters()}], lr=1)
                net.cuda()
                return net
            """,
            """
            import torch
            def main():
                net = torch.nn.Linear(2, 2)
                net.cuda()
                optimizer = torch.optim.Adagrad([{"params": net.parameters()}], lr=1)
                return net
            """,
        ),
    },
)

#: A branch, and what somebody switched off in it or beside it.
_SWITCHED_OFF = """
            optimizer = optim.Adagrad(model.parameters())
            if torch.cuda.is_available():
                model.cuda()
                # loss.cuda()
            # else:
            #     print(model)
"""

_ADVISED = {
    "a line between": _HEAD + _ADAGRAD + "            print(model)\n            model.cuda()\n",
    "the device is made between": _HEAD
    + _ADAGRAD
    + "            device = torch.device('cuda')\n            model.to(device)\n",
}

test_rewrites_above_a_comment = rewrites(
    "TP205",
    {
        "the comment is none of the branch's": (
            _HEAD + _SWITCHED_OFF.replace("    # loss", "# loss"),
            _HEAD
            + """
            if torch.cuda.is_available():
                model.cuda()
            optimizer = optim.Adagrad(model.parameters())
            # loss.cuda()
            # else:
            #     print(model)
""",
        ),
    },
)

test_keeps = keeps(
    "TP205",
    {
        **_ADVISED,
        "built without state": _HEAD + _ADAM + "            model.cuda()\n",
        "built without state, under a branch": _HEAD
        + "            optimizer = optim.SGD(model.parameters(), lr=1, momentum=0.9)\n"
        + "            decay = optim.lr_scheduler.StepLR(optimizer, 3)\n"
        + "            if torch.cuda.is_available():\n                model.cuda()\n",
        "the branch ends with a comment": _HEAD + _SWITCHED_OFF,
        "built on a line with other code": """
            import torch
            from torch import nn, optim
            model = nn.Linear(2, 2); optimizer = optim.Adagrad(model.parameters())
            model = model.cuda()
        """,
        "built on a line with other code, and another below": """
            import torch
            from torch import nn, optim
            model = nn.Linear(2, 2); optimizer = optim.Adagrad(model.parameters())
            slow = optim.Adagrad(model.parameters())
            model = model.cuda()
        """,
        "moved for something else": _HEAD
        + _ADAGRAD
        + "            gpu = model.cuda()\n            run(model.cuda())\n            [model][0].cuda()\n",
        "moved or not": _HEAD
        + _ADAGRAD
        + "            if a:\n                model.cuda()\n            else:\n                model.cpu()\n",
        "moved among other things": _HEAD
        + _ADAGRAD
        + "            if a:\n                print(1)\n                model.cuda()\n",
        "moved first": _HEAD + "            model.cuda()\n" + _ADAGRAD,
        "moved when it is built": _HEAD
        + "            model = nn.Linear(2, 2).cuda()\n"
        + _ADAGRAD
        + "            model.cuda()\n",
        "moved twice": _HEAD
        + "            model.cuda()\n"
        + _ADAGRAD
        + "            model.cuda()\n",
        "another model": _HEAD + _ADAGRAD + "            loss.cuda()\n",
        "a new model": _HEAD
        + _ADAGRAD
        + "            model = nn.Linear(3, 3)\n            model.cuda()\n",
        "a tensor": _HEAD + _ADAGRAD + "            x = torch.ones(2)\n            x = x.cuda()\n",
        "an optimizer of other parameters": _HEAD
        + "            optimizer = optim.Adagrad(weights)\n            model.cuda()\n",
        "another library": """
            import torch
            from other import Adam
            model = torch.nn.Linear(2, 2)
            optimizer = Adam(model.parameters())
            model.cuda()
            """,
        "a class that moves its own way": """
            import torch
            class Net(torch.nn.Module):
                def cuda(self):
                    return self
            model = Net()
            optimizer = torch.optim.Adagrad(model.parameters())
            model.cuda()
            """,
        "something that is no module": """
            import torch
            def f(part):
                optimizer = torch.optim.Adagrad(part.weights())
                part.cuda()
            """,
        "a branch with more in it": _HEAD
        + _ADAGRAD
        + "            if ready:\n                model.cuda()\n                print(optimizer)\n",
        "suppressed": _HEAD + _ADAGRAD + "            model.cuda()  # noqa: TP205\n",
    },
)


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in _ADVISED.items()])
def test_says_what_comes_first_where_something_lies_between(text: str) -> None:
    (finding,) = advice("TP205", text)
    is_made_between = "device = " in text
    told = "build it below that" if is_made_between else "move model first"
    assert told in finding.message
    assert "the optimizer in line 5" in finding.message


def test_what_the_move_needs_may_not_be_there_yet() -> None:
    """Above the optimizer ``cuda`` has no value."""
    text = _HEAD + _ADAGRAD + "            cuda = ready()\n            if cuda:\n"
    (finding,) = advice("TP205", text + "                model = model.cuda()\n")
    assert "in line 5 is built before model is moved: build it below that" in finding.message


def test_says_nothing_where_the_model_is_moved_first() -> None:
    assert not advice("TP205", _HEAD + "            model.cuda()\n" + _ADAGRAD)
    assert not advice("TP205", _HEAD + _ADAGRAD + "            loss.cuda()\n")


def test_a_comment_stays_in_its_branch() -> None:
    (finding,) = advice("TP205", _HEAD + _SWITCHED_OFF)
    assert "move model first" in finding.message


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in _ADVISED.items()])
def test_others_keep_no_state_before_their_first_step(text: str) -> None:
    assert not advice("TP205", text.replace("Adagrad", "Adam"))
