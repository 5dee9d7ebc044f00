"""Volatile values that an object keeps, and that its other methods calculate with."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, migrate

_DETECTOR = """\
import torch
from torch.autograd import Variable


class Detector:
    def __init__(self, net, use_gpu):
        self.net = net
        self.images = torch.FloatTensor(1)
        if use_gpu:
            self.images = self.images.cuda(0)
        self.images = Variable(self.images, volatile=True)

    def detect(self, image, y):
        self.images.data.resize_(image.size()).copy_(image)
        {uses}
"""


def _detector(uses: str) -> str:
    return _DETECTOR.format(uses=textwrap.indent(textwrap.dedent(uses), " " * 8).strip())


def test_what_calculates_with_it_goes_under_no_grad() -> None:
    text = _detector(
        """
        boxes, scores = self.net(self.images)
        best = scores.max(1)[1]
        return boxes.data, best.data
        """
    )
    after = migrate(text).text
    assert "volatile" not in after
    assert "with torch.no_grad():\n            boxes, scores = self.net(self.images)\n" in after
    assert migrate(after).text == after


def test_what_is_calculated_from_it_may_be_returned() -> None:
    after = migrate(_detector("return self.net(self.images)")).text
    assert "with torch.no_grad():\n            return self.net(self.images)\n" in after


def test_several_that_one_call_is_given() -> None:
    text = """
    import torch
    from torch.autograd import Variable
    class Sampler:
        def set_input(self, x, y):
            self.x = Variable(x, volatile=True)
            self.y = Variable(y, volatile=True)
        def test(self):
            print(self.net(self.x, self.y).sum())
    """
    after = migrate(textwrap.dedent(text)).text
    assert "volatile" not in after
    assert "with torch.no_grad():\n            print(self.net(self.x, self.y).sum())" in after


def test_one_that_is_made_in_two_branches() -> None:
    text = """
    import torch
    from torch.autograd import Variable
    class Sampler:
        def __init__(self, n, cuda):
            if cuda:
                self.x = Variable(torch.rand(n).cuda(), volatile=True)
            else:
                self.x = Variable(torch.rand(n), volatile=True)
        def test(self):
            out = self.net(self.x)
            print(out.sum())
    """
    after = migrate(textwrap.dedent(text)).text
    assert "volatile" not in after
    assert after.count("no_grad") == 1


_USES = {
    "it is returned": "return self.images",
    "it is kept in a list of the object": "self.kept.append(self.images)",
    "it is handed on among others": "out = (self.net(y), self.images)\nreturn out",
    "something beside needs its graph": "print(self.net(self.images).sum())\nself.net(y).sum().backward()",
    "a function that runs later": "self.run(lambda: self.net(self.images))",
}


@pytest.mark.parametrize("uses", _USES.values(), ids=_USES)
def test_is_told_where_a_method_does_more_with_it(uses: str) -> None:
    text = _detector(uses)
    assert "no_grad" not in migrate(text).text
    assert advice("TP102", text)


_OTHERS = {
    "another method keeps another": "    def train(self, x):\n        self.images = Variable(x)\n",
    "another class has it": "class A:\n    def f(self):\n        return self.net(self.images)\n",
    "another object has it": "def run(a):\n    a.images = 3\n",
    "it is set below as well": "    def set(self, x):\n        self.images += x\n",
}


@pytest.mark.parametrize("other", _OTHERS.values(), ids=_OTHERS)
def test_is_told_where_it_may_hold_another(other: str) -> None:
    text = _detector("print(self.net(self.images).sum())\n") + other
    assert "no_grad" not in migrate(text.replace("self.images.data.", "y.")).text


def test_is_told_where_it_is_set_on_one_way_only() -> None:
    text = _detector("print(self.net(self.images).sum())\n").replace(
        "        self.images = Variable(",
        "        if use_gpu:\n            self.images = Variable(",
    )
    assert "no_grad" not in migrate(text).text


def test_is_told_where_torch_has_its_name_in_one_method_only() -> None:
    text = """
    class Sampler:
        def set_input(self, x):
            import torch
            from torch.autograd import Variable
            self.x = Variable(x, volatile=True)
        def test(self):
            print(self.net(self.x).sum())
    """
    assert "no_grad" not in migrate(textwrap.dedent(text)).text
