from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, rewrites

test_rewrites = rewrites(
    "TP305",
    {
        "targets that are resized for each batch": (
            """
            import torch
            net = torch.nn.Sequential(torch.nn.Conv2d(3, 1, 4), torch.nn.Sigmoid())
            criterion = torch.nn.BCELoss()
            label = torch.zeros(16)
            for images in torch.zeros(2, 4, 3, 4, 4):
                label.resize_(images.size(0)).fill_(1)
                loss = criterion(net(images), label)
            """,
            """
            import torch
            net = torch.nn.Sequential(torch.nn.Conv2d(3, 1, 4), torch.nn.Sigmoid())
            criterion = torch.nn.BCELoss()
            label = torch.zeros(16)
            for images in torch.zeros(2, 4, 3, 4, 4):
                label.resize_(images.size(0)).fill_(1)
                loss = criterion(net(images).view(-1), label)
            """,
        ),
        "elements of a row of targets": (
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            def train(inputs, targets):
                loss = 0
                for i in range(len(inputs)):
                    loss += criterion(net(inputs[i].view(1, -1)), targets[i])
                return loss
            def row(text):
                return torch.LongTensor([ord(c) for c in text])
            def pair():
                return torch.zeros(3, 4), row("abc")
            criterion, net = nn.CrossEntropyLoss(), nn.Linear(4, 3)
            train(*pair())
            scores = torch.zeros(1, 3)
            for label in row("abc"):
                F.nll_loss(F.log_softmax(scores, dim=1), target=label)
                F.cross_entropy(scores, label - 1)
            """,
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            def train(inputs, targets):
                loss = 0
                for i in range(len(inputs)):
                    loss += criterion(net(inputs[i].view(1, -1)), targets[i].unsqueeze(0))
                return loss
            def row(text):
                return torch.LongTensor([ord(c) for c in text])
            def pair():
                return torch.zeros(3, 4), row("abc")
            criterion, net = nn.CrossEntropyLoss(), nn.Linear(4, 3)
            train(*pair())
            scores = torch.zeros(1, 3)
            for label in row("abc"):
                F.nll_loss(F.log_softmax(scores, dim=1), target=label.unsqueeze(0))
                F.cross_entropy(scores, (label - 1).unsqueeze(0))
            """,
        ),
        "elements of a row for scores of old files": (
            """
            import torch
            from torch.autograd import Variable
            def train(net, inputs, text):
                targets = Variable(torch.LongTensor([ord(c) for c in text]), volatile=False)
                return torch.nn.functional.cross_entropy(net(inputs), targets[0])
            """,
            """
            import torch
            from torch.autograd import Variable
            def train(net, inputs, text):
                targets = Variable(torch.LongTensor([ord(c) for c in text]), volatile=False)
                return torch.nn.functional.cross_entropy(net(inputs), targets[0].unsqueeze(0))
            """,
        ),
        "as many probabilities in another shape": (
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x, y = torch.zeros(4, 1), torch.zeros(4)
            criterion = nn.BCELoss(reduction="sum")
            criterion(x, y)
            criterion(torch.sigmoid(x), y)
            criterion(input=x.t(), target=y)
            F.binary_cross_entropy(y, x)
            F.binary_cross_entropy(x + 1, y, size_average=False)
            """,
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x, y = torch.zeros(4, 1), torch.zeros(4)
            criterion = nn.BCELoss(reduction="sum")
            criterion(x.view(-1), y)
            criterion(torch.sigmoid(x).view(-1), y)
            criterion(input=x.t().reshape(-1), target=y)
            F.binary_cross_entropy(y, x.view(-1))
            F.binary_cross_entropy((x + 1).view(-1), y, size_average=False)
            """,
        ),
        "a loss that is built alike in both branches": (
            """
            import torch
            from torch import nn
            class Trainer:
                def __init__(self, net, cuda):
                    self.net = net
                    if cuda:
                        self.loss = nn.BCELoss().cuda()
                    else:
                        self.loss = nn.BCELoss()
                def train(self):
                    return self.loss(torch.zeros(4), torch.ones(4, 1))
            if cuda:
                criterion = nn.BCELoss(reduction="sum").to("cuda")
            else:
                criterion = nn.BCELoss(reduction="sum")
            criterion(torch.zeros(4), torch.ones(4, 1))
            """,
            """
            import torch
            from torch import nn
            class Trainer:
                def __init__(self, net, cuda):
                    self.net = net
                    if cuda:
                        self.loss = nn.BCELoss().cuda()
                    else:
                        self.loss = nn.BCELoss()
                def train(self):
                    return self.loss(torch.zeros(4), torch.ones(4, 1).view(-1))
            if cuda:
                criterion = nn.BCELoss(reduction="sum").to("cuda")
            else:
                criterion = nn.BCELoss(reduction="sum")
            criterion(torch.zeros(4), torch.ones(4, 1).view(-1))
            """,
        ),
        "classes": (
            """
            import torch
            import torch.nn.functional as F
            x = torch.zeros(4, 3)
            F.nll_loss(x, torch.zeros(4))
            F.cross_entropy(x, torch.IntTensor([0, 1]), reduction="sum")
            F.cross_entropy(input=x, target=torch.ones(4) + 1)
            criterion = torch.nn.CrossEntropyLoss()
            criterion(x, torch.zeros(4).double())
            """,
            """
            import torch
            import torch.nn.functional as F
            x = torch.zeros(4, 3)
            F.nll_loss(x, torch.zeros(4).long())
            F.cross_entropy(x, torch.IntTensor([0, 1]).long(), reduction="sum")
            F.cross_entropy(input=x, target=(torch.ones(4) + 1).long())
            criterion = torch.nn.CrossEntropyLoss()
            criterion(x, torch.zeros(4).double().long())
            """,
        ),
        "an object that is called in several ways": (
            """
            import torch
            x, y = torch.zeros(4, 3), torch.zeros(4)
            criterion = torch.nn.CrossEntropyLoss()
            criterion(*batch)
            criterion(x, y, **options)
            criterion(x, torch.zeros(4))
            """,
            """
            import torch
            x, y = torch.zeros(4, 3), torch.zeros(4)
            criterion = torch.nn.CrossEntropyLoss()
            criterion(*batch)
            criterion(x, y, **options)
            criterion(x, torch.zeros(4).long())
            """,
        ),
        "classes of pixels": (
            """
            import torch
            import torch.nn.functional as F
            F.cross_entropy(torch.zeros(1, 3, 2, 2), torch.zeros(1, 2, 2))
            """,
            """
            import torch
            import torch.nn.functional as F
            F.cross_entropy(torch.zeros(1, 3, 2, 2), torch.zeros(1, 2, 2).long())
            """,
        ),
        "one-hot": (
            """
            import torch.nn.functional as F
            F.cross_entropy(net(x), F.one_hot(y, 10))
            F.nll_loss(net(x), F.one_hot(
                y + 1,
                num_classes=10,
            ))
            """,
            """
            import torch.nn.functional as F
            F.cross_entropy(net(x), y)
            F.nll_loss(net(x), y + 1)
            """,
        ),
        "probabilities": (
            """
            import torch
            import torch.nn.functional as F
            y = torch.tensor([0, 1])
            F.binary_cross_entropy(net(x), y)
            F.binary_cross_entropy(net(x), target=labels > 0)
            torch.nn.BCELoss()(net(x), y.byte())
            torch.nn.BCEWithLogitsLoss()(net(x), y == 1)
            """,
            """
            import torch
            import torch.nn.functional as F
            y = torch.tensor([0, 1])
            F.binary_cross_entropy(net(x), y.float())
            F.binary_cross_entropy(net(x), target=labels > 0)
            torch.nn.BCELoss()(net(x), y.byte().float())
            torch.nn.BCEWithLogitsLoss()(net(x), (y == 1).float())
            """,
        ),
    },
)

test_keeps = keeps(
    "TP305",
    {
        "elements that a loss takes": """
            import torch
            import torch.nn.functional as F
            targets = torch.tensor([0, 2, 1])
            rows = torch.zeros(3, 1).long()
            scores = torch.zeros(1, 3)
            F.cross_entropy(scores[0], targets[0])
            F.cross_entropy(scores, targets[0:1])
            F.cross_entropy(scores, targets[0].view(1))
            F.cross_entropy(scores, rows[0])
            F.mse_loss(scores, targets[0].float())
            """,
        "elements for scores that are not known": """
            import torch
            import torch.nn.functional as F
            def loss(net, x, targets: torch.Tensor):
                first = torch.tensor([0, 2, 1])[0]
                return F.cross_entropy(net(x), first) + F.cross_entropy(x.view(1, -1), targets[0])
            """,
        "probabilities of the same shape, of shapes that nothing tells, or of weights": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x, y = torch.zeros(4, 1), torch.zeros(4)
            criterion = nn.BCELoss()
            criterion(x, x), criterion(x, y.unsqueeze(1)), criterion(x, z), criterion(z, y)
            criterion(x.sum(), y), criterion(*z), F.binary_cross_entropy(x, y, *z)
            F.binary_cross_entropy(x, y, w), F.binary_cross_entropy(x, y, weight=w)
            F.binary_cross_entropy(x, y, reduction="none")
            F.binary_cross_entropy(x, y, reduction=z)
            nn.BCELoss(w)(x, y), nn.BCELoss(reduction="none")(x, y), nn.BCELoss(**z)(x, y)
            nn.BCEWithLogitsLoss()(x, y), F.mse_loss(x, y), F.l1_loss(x, y)
            """,
        "a loss that may be built in another way": """
            import torch
            from torch import nn
            class Trainer:
                def __init__(self, weight, other):
                    self.loss = nn.BCELoss() if weight is None else nn.BCELoss(weight)
                    if weight is None:
                        self.best = nn.BCELoss()
                    else:
                        self.best = nn.BCELoss(weight)
                    self.last = nn.BCELoss()
                    self.last = other
                    self.other = other
                def train(self):
                    x, y = torch.zeros(4), torch.ones(4, 1)
                    return self.loss(x, y), self.best(x, y), self.last(x, y)
            class Other:
                def __init__(self, trainer):
                    self.trainer = trainer
                    self.best = nn.BCELoss()
                def train(self):
                    return self.trainer.best(torch.zeros(4), torch.ones(4, 1))
            """,
        "right targets": """
            import torch
            import torch.nn.functional as F
            x, y = torch.zeros(4, 3), torch.LongTensor([0, 1, 2, 0])
            F.nll_loss(x, y)
            F.cross_entropy(x, y.byte())
            F.binary_cross_entropy(x, torch.ones(4, 3))
            F.binary_cross_entropy_with_logits(x, y.float())
            """,
        "probability for each class": """
            import torch
            import torch.nn.functional as F
            F.cross_entropy(torch.zeros(4, 3), torch.zeros(4, 3))
            F.cross_entropy(torch.zeros(3), torch.zeros(3))
            F.cross_entropy(torch.zeros(4, 3), F.one_hot(y, 3).float())
            F.cross_entropy(torch.zeros(4, 3), F.one_hot(y, 3) * 0.9)
            """,
        "input of unknown dimensions": """
            import torch
            import torch.nn.functional as F
            F.cross_entropy(net(x), torch.zeros(3))
            F.nll_loss(net(x), torch.zeros(3))
            """,
        "target of unknown type": """
            import torch
            import torch.nn.functional as F
            for x, y in loader:
                F.cross_entropy(torch.zeros(4, 3), y)
                F.binary_cross_entropy(torch.zeros(4, 3), y)
            """,
        "losses that take integers": """
            import torch
            import torch.nn.functional as F
            y = torch.tensor([0, 1])
            F.mse_loss(net(x), y)
            F.l1_loss(net(x), y)
            torch.nn.SmoothL1Loss()(net(x), y)
            """,
        "unknown arguments": """
            import torch
            import torch.nn.functional as F
            F.nll_loss(torch.zeros(4, 3), torch.zeros(4), *args)
            F.binary_cross_entropy(x, torch.tensor([1]), **options)
            """,
        "user function and user class": """
            import torch
            import torch.nn as nn
            def nll_loss(x, y):
                return x
            class BCELoss(nn.Module):
                def forward(self, x, y):
                    return x
            nll_loss(torch.zeros(4, 3), torch.zeros(4))
            BCELoss()(x, torch.tensor([1]))
            """,
        "numpy": """
            import numpy as np
            import torch
            import torch.nn.functional as F
            F.nll_loss(torch.zeros(4, 3), np.zeros(4))
            """,
        "one-hot of sequences": """
            import torch
            import torch.nn.functional as F
            F.cross_entropy(torch.zeros(2, 3, 4), F.one_hot(y, 4))
            """,
        "user one-hot": """
            import torch
            import torch.nn.functional as F
            def one_hot(y, n):
                return y
            F.cross_entropy(torch.zeros(2, 3), one_hot(y, 4))
            """,
        "comment that would be lost": """
            import torch
            import torch.nn.functional as F
            F.cross_entropy(net(x), F.one_hot(
                y,  # from 0
                10))
            """,
    },
)


def test_integers_in_two_dimensions_are_left_to_a_person() -> None:
    text = """
        import torch
        import torch.nn.functional as F
        y = torch.zeros(4, 3).scatter_(1, index, 1).long()
        F.cross_entropy(torch.zeros(4, 3), y)
        F.nll_loss(torch.zeros(4, 3), torch.zeros(4, 1))
        """
    findings = advice("TP305", text)
    assert [f.line for f in findings] == [4, 5]
    assert "write y.argmax(1) if it is one-hot, y.squeeze(1) if" in findings[0].message
    assert "write torch.zeros(4, 1).argmax(1)" in findings[1].message


def test_a_probability_for_each_class_is_no_finding() -> None:
    text = """
        import torch
        import torch.nn.functional as F
        F.cross_entropy(torch.zeros(4, 3), torch.zeros(4, 3))
        """
    assert not advice("TP305", text)


def test_shapes_of_several_dimensions_are_reported() -> None:
    text = "import torch\nx, y = torch.zeros(4, 1), torch.zeros(2, 2, 1)\n"
    findings = advice("TP305", text + "torch.nn.functional.binary_cross_entropy(x, y)\n")
    assert [f.message for f in findings] == [
        "binary_cross_entropy takes no targets of another shape than its input today: "
        "write y.view_as(x)"
    ]


_TWO = """import torch
import torch.nn.functional as F
def loss(net, n, x: torch.Tensor):
    {}
    return F.mse_loss({})
"""


@pytest.mark.parametrize(
    ("made", "given", "is_told"),
    [
        ("y = torch.zeros(4, 1)", "y, torch.zeros(4)", True),
        ("y = torch.zeros(4)", "x.view(n, -1), y", True),
        ("y = torch.zeros(2, 2)", "y, torch.zeros(2)", False),
        ("y = torch.zeros(2)", "x.view(n, 3), y", False),
        ("y = torch.zeros(4, 1, 1)", "y, torch.zeros(4)", False),
    ],
)
def test_a_column_beside_a_row_is_told(made: str, given: str, is_told: bool) -> None:
    assert [f.code for f in advice("TP305", _TWO.format(made, given))] == ["TP305"] * is_told


_PICKED = """import torch
import torch.nn.functional as F
def loss(net, other, states, following, actions, rewards):
    {}
    return F.smooth_l1_loss({})
"""


@pytest.mark.parametrize(
    ("made", "given"),
    [
        ("q = net(states).gather(1, actions)", "q, net(following).max(1)[0]"),
        (
            "q = net(states)\n    q = q.gather(1, actions)\n    best = net(following)\n"
            "    best = best.max(1)[0].detach()\n    want = best * 0.9 + rewards",
            "q, want",
        ),
        (
            "q = net(states).gather(1, actions.unsqueeze(1))\n"
            "    want = rewards + 0.9 * torch.max(net(following), 1)[0]",
            "want, q",
        ),
        ("want = torch.zeros(4)", "net(states).gather(1, actions), want"),
    ],
)
def test_what_is_picked_beside_the_best_is_told(made: str, given: str) -> None:
    (found,) = advice("TP305", _PICKED.format(made, given))
    assert "of (N, 1) and (N) compares each with each, N times N" in found.message


@pytest.mark.parametrize(
    ("made", "given"),
    [
        ("q = net(states).gather(1, actions).squeeze(1)", "q, net(following).max(1)[0]"),
        ("q = net(states).gather(1, actions)", "q, net(following).max(1, keepdim=True)[0]"),
        ("q = net(states).gather(1, actions)", "q, net(following).max(1)[0].unsqueeze(1)"),
        ("q = net(states).gather(1, actions)", "q, other(following).max(1)[0]"),
        ("q = net(states).gather(1, actions)", "q, net(following).max(0)[0]"),
        ("q = net(states).gather(0, actions)", "q, net(following).max(1)[0]"),
        ("q = net(states).gather(1, actions)", "q, rewards"),
        ("want = torch.zeros(4, 1)", "net(states).gather(1, actions), want"),
        ("q = net(states)", "q, net(following).max(1)[0]"),
    ],
)
def test_what_may_have_as_many_dimensions_is_not_told(made: str, given: str) -> None:
    assert not advice("TP305", _PICKED.format(made, given))
