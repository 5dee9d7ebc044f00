"""Nothing is told below the call of a method that always raises, or below what unpacks too few."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facts.test_unreached import told, told_beside

_TOLD = "print(fc(h).squeeze()[0])"
_ASKS = "class A:\n    def g(self, x):\n        return nothing_binds_it.dim()\n"
_ABSTRACT = "class A:\n    def g(self, x):\n        raise NotImplementedError\n"
_ABOVE = "class B(A):\n    def g(self, x):\n        {1}\n        {0}\n"
_SUPER = _ABOVE.replace("{1}", "super().g(x)")
_OLD_SUPER = _ABOVE.replace("{1}", "super(B, self).g(x)")
_BY_CLASS = _ABOVE.replace("{1}", "A.g(self, x)")
_OWN = "    def f(self, x):\n        self.g(x)\n        {0}\n"


@pytest.mark.parametrize(
    "code",
    [
        _ASKS + _SUPER,
        _ASKS + _OLD_SUPER,
        _ASKS + _BY_CLASS,
        _ASKS.replace("A:", "A(nn.Module):") + _SUPER,
        _ABSTRACT + _SUPER,
        _ABSTRACT + _OLD_SUPER,
        _ABSTRACT + _BY_CLASS,
        _ASKS + "class M(A):\n    n = 1\n" + _SUPER.replace("(A)", "(M)"),
        _ASKS + _OWN,
        _ASKS + "a = A()\na.g(h)\n{0}\n",
        "def k(x):\n    return nothing_binds_it\n"
        "class A:\n    def g(self, x):\n        return k(x)\n" + _SUPER,
        _ASKS + "class B(A):\n    def g(self, x):\n        super().g(x)\n"
        "b = B()\nfor i in h:\n    b.g(i)\n    {0}\n",
        "class A:\n    def g(self, x):\n        y = x\n        if y:\n            y = 1\n"
        "        assert nothing_binds_it\n        return y\n" + _SUPER,
    ],
)
def test_nothing_is_told_below_the_call_of_a_method_that_raises(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.replace("{0}", _TOLD)) == 0


@pytest.mark.parametrize(
    "code",
    [
        _ABSTRACT + _OWN,
        _ABSTRACT + "a = A()\na.g(h)\n{0}\n",
        _ASKS + _OWN + "class B(A):\n    def g(self, x):\n        return x\n",
        _ASKS
        + _SUPER
        + "class M(A):\n    def g(self, x):\n        return x\nclass C(B, M):\n    n = 1\n",
        _ASKS + _SUPER.replace("(A)", "(A, dict)"),
        _ASKS + _SUPER.replace("super()", "super(A, self)"),
        _ASKS + "super = h\n" + _SUPER,
        _ASKS + "A.g = h\n" + _SUPER,
        _ASKS.replace("return n", "if x:\n            return x\n        return n") + _SUPER,
        _ASKS.replace("return n", "yield n") + _SUPER,
        _ASKS.replace("    def", "    @h.filled\n    def") + _SUPER,
        _ASKS.replace("    def", "    @property\n    def") + _SUPER.replace("g(x)", "g"),
        _ASKS.replace("A:", "A(metaclass=h):") + _SUPER,
        _ASKS.replace("class", "@h.filled\nclass") + _SUPER,
        _ASKS + _SUPER.replace("super().g(x)", "super().k(x)"),
        _ASKS + _SUPER.replace("super().g(x)", "x = lambda: super().g(x)"),
        _ASKS
        + _ABOVE.replace(
            "{1}", "try:\n            super().g(x)\n        except NameError:\n            pass"
        ),
        _ABSTRACT + "class B(A):\n    def f(self, x):\n        super().g\n        {0}\n",
        "class A:\n    def g(self, x):\n        return x\n" + _SUPER,
    ],
)
def test_what_a_method_may_come_through_stops_nothing(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.replace("{0}", _TOLD)) == 1


@pytest.mark.parametrize(
    ("beside", "code", "count"),
    [
        (_ASKS, "from utils import A\n" + _SUPER, 0),
        (_ASKS, "import utils\n" + _SUPER.replace("(A)", "(utils.A)"), 0),
        (_ASKS, "import utils\nutils.A().g(h)\n{0}\n", 0),
        ("def g(x):\n    raise ValueError(x)\n", "from utils import g\ng(h)\n{0}\n", 0),
        ("def g(x):\n    return nothing_binds_it\n", "import utils\nutils.g(h)\n{0}\n", 0),
        ("def g(x):\n    return x\n", "import utils\nutils.g(h)\n{0}\n", 1),
        ("def g(x):\n    raise x\n", "import utils\nutils.g = h\nutils.g(h)\n{0}\n", 1),
        ("def g(x):\n    raise x\ng = h(g)\n", "import utils\nutils.g(h)\n{0}\n", 1),
        (_ABSTRACT, "import utils\nutils.A().g(h)\n{0}\n", 1),
        (_ASKS, "import utils\nutils.A.g = h\nutils.A().g(h)\n{0}\n", 1),
    ],
)
def test_of_another_file_it_is_known_what_raises(
    tmp_path: Path, beside: str, code: str, count: int
) -> None:
    assert told_beside(tmp_path, beside, code.replace("{0}", _TOLD)) == count


_PAIR = "def g(x):\n    if x.any():\n        return x, 1\n    return (1, x)\n"
_TRIPLE = "a, b, c = g(h)\n{0}\n"
_NET = "class Net(nn.Module):\n    def forward(self, x):\n        return fc(x), x, 1\nnet = Net()\n"


@pytest.mark.parametrize(
    "code",
    [
        _PAIR + _TRIPLE,
        _PAIR + "[a, b, c] = g(h)\n{0}\n",
        _PAIR + "x = a, b, c = g(h)\n{0}\n",
        _PAIR + "a, b, c, *d = g(h)\n{0}\n",
        _PAIR + "def f(x):\n    while x.any():\n        a, b, c = g(x)\n        {0}\n",
        _NET + "a, b = net(h)\n{0}\n",
        _NET + "def f(model, x):\n    a, b, c, d = model(x)\n    {0}\nf(net, h)\n",
        _NET + "a, b = net.forward(h)\n{0}\n",
        "class A:\n    def g(self):\n        return 1, 2\n"
        "    def f(self):\n        a, b, c = self.g()\n        {0}\n",
    ],
)
def test_nothing_is_told_below_what_unpacks_another_number(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.replace("{0}", _TOLD)) == 0


@pytest.mark.parametrize(
    "code",
    [
        _PAIR + "a, b = g(h)\n{0}\n",
        _PAIR + "a, *b = g(h)\n{0}\n",
        _PAIR + "a = g(h)\n{0}\n",
        _PAIR + "a, b, c = h.g(h)\n{0}\n",
        _PAIR + "a, b, c = 1, *g(h)\n{0}\n",
        _PAIR + "try:\n    a, b, c = g(h)\nexcept ValueError:\n    pass\n{0}\n",
        _PAIR + "def f(x):\n    if x:\n        a, b, c = g(x)\n    {0}\n",
        _PAIR.replace("return (1, x)", "return 1, x, 2") + _TRIPLE,
        _PAIR.replace("return (1, x)", "return x") + _TRIPLE,
        _PAIR.replace("return (1, x)", "return (*x, 1)") + _TRIPLE,
        _PAIR.replace("return (1, x)", "yield x") + _TRIPLE,
        "@h.filled\n" + _PAIR + _TRIPLE,
        _PAIR + "g = h.filled(g)\n" + _TRIPLE,
        "class Net(nn.Module):\n    def forward(self, x):\n        return x, 1\n"
        "    def __call__(self, x):\n        return x, 1, 2\nnet = Net()\na, b, c = net(h)\n{0}\n",
        _NET + "net.register_forward_hook(h)\na, b = net(h)\n{0}\n",
        "class A:\n    def g(self):\n        return 1, 2\n"
        "    def f(self):\n        a, b, c = self.g()\n        {0}\n"
        "class B(A):\n    def g(self):\n        return 1, 2, 3\n",
    ],
)
def test_what_may_be_unpacked_stops_nothing(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.replace("{0}", _TOLD)) == 1


_SUMMED = (
    "from torch.autograd import Variable\ndef f(net, xs):\n    total = 0\n    for x in xs:\n        {1}\n"
    "        total += net(Variable(x, volatile=True))['loss'].data\n    return {0}\n"
)


@pytest.mark.parametrize("stop", ["print(nothing_binds_it)", "a, b, c = g(x)", "del k; continue"])
def test_of_a_sum_to_which_nothing_is_added_no_element_is_told(tmp_path: Path, stop: str) -> None:
    code = _PAIR + _SUMMED.replace("{1}", stop).replace("{0}", "total[0]")
    assert told(tmp_path, code, "TP103") == 0


@pytest.mark.parametrize(
    ("code", "asked"),
    [
        (_SUMMED.replace("{1}", "print(x)"), "total[0]"),
        (_SUMMED.replace("{1}", "a, b = g(x)"), "total[0]"),
        (_SUMMED.replace("{1}", "if x.any():\n            continue"), "total[0]"),
        (
            _SUMMED.replace("total = 0", "total = fc(h).sum()").replace("{1}", "continue"),
            "total[0]",
        ),
        (_SUMMED.replace("{1}", "print(nothing_binds_it)"), "fc(h).sum().data[0]"),
    ],
)
def test_of_a_sum_that_may_be_one_it_is(tmp_path: Path, code: str, asked: str) -> None:
    assert told(tmp_path, _PAIR + code.replace("{0}", asked), "TP103") == 1


def test_a_loop_may_have_no_round(tmp_path: Path) -> None:
    assert told(tmp_path, "for i in h:\n    print(nothing_binds_it)\n" + _TOLD + "\n") == 1
