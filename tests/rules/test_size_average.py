from __future__ import annotations

import functools
import inspect

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.facts.libraries.losses import BETWEEN_FLAGS, FLAG_POSITIONS

test_rewrites = rewrites(
    "TP301",
    {
        "keyword": (
            """
            import torch.nn.functional as F
            loss = F.nll_loss(output, target, size_average=False)
            """,
            """
            import torch.nn.functional as F
            loss = F.nll_loss(output, target, reduction="sum")
            """,
        ),
        "single quotes where the file has them": (
            """
            import torch.nn as nn
            print('loss')
            criterion = nn.MSELoss(size_average=False)
            """,
            """
            import torch.nn as nn
            print('loss')
            criterion = nn.MSELoss(reduction='sum')
            """,
        ),
        "from import with alias": (
            """
            from torch.nn import CrossEntropyLoss as CE
            criterion = CE(reduce=False)
            """,
            """
            from torch.nn import CrossEntropyLoss as CE
            criterion = CE(reduction="none")
            """,
        ),
        "flag as a comparison is parenthesized": (
            """
            import torch.nn as nn
            criterion = nn.MSELoss(size_average=(a if b else c))
            """,
            """
            import torch.nn as nn
            criterion = nn.MSELoss(reduction="mean" if (a if b else c) is None or (a if b else c) else "sum")
            """,
        ),
        "None means True": (
            """
            import torch.nn as nn
            class MyLoss(nn.Module):
                def __init__(self, size_average=None):
                    self.ce = nn.CrossEntropyLoss(size_average=size_average)
            """,
            """
            import torch.nn as nn
            class MyLoss(nn.Module):
                def __init__(self, size_average=None):
                    self.ce = nn.CrossEntropyLoss(reduction="mean" if size_average is None or size_average else "sum")
            """,
        ),
        "a flag that is a bool": (
            """
            import torch.nn as nn
            class MyLoss(nn.Module):
                def __init__(self, size_average=True):
                    self.ce = nn.CrossEntropyLoss(size_average=size_average)
            """,
            """
            import torch.nn as nn
            class MyLoss(nn.Module):
                def __init__(self, size_average=True):
                    self.ce = nn.CrossEntropyLoss(reduction="mean" if size_average else "sum")
            """,
        ),
        "the bracket of a call stays where it was": (
            """
            import torch.nn as nn
            c = nn.CrossEntropyLoss(
                weight,
                size_average=True,
            )
            """,
            """
            import torch.nn as nn
            c = nn.CrossEntropyLoss(
                weight,
            )
            """,
        ),
        "line comment stays": (
            """
            import torch.nn as nn
            criterion = nn.NLLLoss(
                weight,
                size_average=False,  # sum
            )
            """,
            """
            import torch.nn as nn
            criterion = nn.NLLLoss(
                weight,
                reduction="sum",  # sum
            )
            """,
        ),
        "inside an f-string": (
            """
            import torch.nn.functional as F
            print(f"{epoch} {F.mse_loss(a, b, size_average=False):.2f}")
            """,
            """
            import torch.nn.functional as F
            print(f"{epoch} {F.mse_loss(a, b, reduction='sum'):.2f}")
            """,
        ),
        "eps behind the flag of the Poisson losses": (
            """
            import torch.nn as nn, torch.nn.functional as F
            criterion = nn.PoissonNLLLoss(True, False, False, 1e-6)
            loss = F.poisson_nll_loss(x, y, True, False, False, 1e-6, True)
            """,
            """
            import torch.nn as nn, torch.nn.functional as F
            criterion = nn.PoissonNLLLoss(True, False, reduction="sum", eps=1e-6)
            loss = F.poisson_nll_loss(x, y, True, False, reduction="sum", eps=1e-6)
            """,
        ),
        "ignore_index behind the flag": (
            """
            import torch.nn as nn, torch.nn.functional as F
            criterion = nn.CrossEntropyLoss(weight, False, 3)
            loss = F.nll_loss(x, y, weight, True, 3, False)
            """,
            """
            import torch.nn as nn, torch.nn.functional as F
            criterion = nn.CrossEntropyLoss(weight, reduction="sum", ignore_index=3)
            loss = F.nll_loss(x, y, weight, reduction="none", ignore_index=3)
            """,
        ),
        "a choice that may be None": (
            """
            import torch.nn as nn
            nn.MSELoss(size_average=a or b)
            nn.MSELoss(size_average=a and not b)
            nn.MSELoss(size_average=a + b)
            nn.MSELoss(size_average=not a or None)
            nn.MSELoss(size_average=True if a else None)
            """,
            """
            import torch.nn as nn
            nn.MSELoss(reduction="mean" if (a or b) is None or (a or b) else "sum")
            nn.MSELoss(reduction="mean" if (a and not b) is None or (a and not b) else "sum")
            nn.MSELoss(reduction="mean" if (a + b) is None or (a + b) else "sum")
            nn.MSELoss(reduction="mean" if (not a or None) is None or (not a or None) else "sum")
            nn.MSELoss(reduction="mean" if (True if a else None) is None or (True if a else None) else "sum")
            """,
        ),
        "a choice of bools": (
            """
            import torch.nn as nn
            nn.MSELoss(size_average=not a or b is c)
            """,
            """
            import torch.nn as nn
            nn.MSELoss(reduction="mean" if not a or b is c else "sum")
            """,
        ),
        "a name or an attribute that is None at first": (
            """
            import torch.nn as nn
            class MyLoss(nn.Module):
                def __init__(self, summed=False):
                    average = None
                    self.average = None
                    self.summed = summed
                    if summed:
                        average = self.average = False
                    nn.MSELoss(size_average=average)
                    nn.MSELoss(size_average=self.average)
                    nn.MSELoss(size_average=self.summed)
            """,
            """
            import torch.nn as nn
            class MyLoss(nn.Module):
                def __init__(self, summed=False):
                    average = None
                    self.average = None
                    self.summed = summed
                    if summed:
                        average = self.average = False
                    nn.MSELoss(reduction="mean" if average is None or average else "sum")
                    nn.MSELoss(reduction="mean" if self.average is None or self.average else "sum")
                    nn.MSELoss(reduction="mean" if self.summed else "sum")
            """,
        ),
        "elementwise_mean": (
            """
            import torch.nn as nn
            criterion = nn.MSELoss(reduction="elementwise_mean")
            """,
            """
            import torch.nn as nn
            criterion = nn.MSELoss(reduction="mean")
            """,
        ),
    },
)

test_keeps = keeps(
    "TP301",
    {
        "user class of the same name": """
            import torch.nn as nn
            class MSELoss(nn.Module):
                def __init__(self, size_average=True):
                    super().__init__()
            criterion = MSELoss(size_average=False)
            """,
        "user function with the parameter": """
            import torch
            def loss(x, size_average=True):
                return x.mean() if size_average else x.sum()
            loss(torch.ones(2), size_average=False)
            """,
        "shadowed module": """
            import torch.nn.functional as F
            def f(F):
                return F.nll_loss(a, b, size_average=False)
            """,
        "keyword arguments of unknown content": """
            import torch.nn as nn
            nn.MSELoss(size_average=False, **kwargs)
            """,
        "positional arguments of unknown content": """
            import torch.nn as nn
            nn.MSELoss(*args, size_average=False)
            """,
        "already modern": """
            import torch.nn as nn
            nn.MSELoss(reduction="sum")
            """,
        "modern positional reduction": """
            import torch.nn as nn
            nn.MSELoss(None, None, "sum")
            """,
        "modern positional reduction in a variable": """
            import torch.nn as nn
            nn.MSELoss(None, None, reduction)
            nn.BCEWithLogitsLoss(None, None, None, reduction, pos_weight)
            """,
        "comment that would be lost": """
            import torch.nn as nn
            nn.MSELoss(
                # the old default
                size_average=True)
            """,
        "suppressed": """
            import torch.nn as nn
            nn.MSELoss(size_average=False)  # noqa: TP301
            """,
    },
)


def test_two_variables_are_left_to_a_person() -> None:
    findings = advice(
        "TP301",
        """
        import torch.nn as nn
        nn.MSELoss(size_average=a, reduce=b)
        """,
    )
    assert [f.line for f in findings] == [2]
    none = "b is not None and not b"
    assert f'reduction="none" if {none} else "sum" if a is not None' in findings[0].message


@pytest.mark.parametrize(
    ("flags", "written"),
    [
        ("average=x > 1, reduce=n", '"none" if n is not None and not n else "sum" if not x > 1'),
        ("average=n, reduce=a == b", '"none" if (a == b) is not None and not a == b else "sum"'),
        ("average=a == 'mean', reduce=n", 'not n else "sum" if not a == \'mean\' else "mean"'),
        (
            "average=n if x else None, reduce=n",
            '"sum" if (n if x else None) is not None and not (n if x else None) else "mean"',
        ),
        (
            "average=flag(), reduce=n",
            'call them AVERAGE and REDUCE, and write reduction="none" if REDUCE is not None and '
            'not REDUCE else "sum" if AVERAGE is not None and not AVERAGE else "mean"',
        ),
    ],
)
def test_two_variables_are_asked_as_torch_asks_them(flags: str, written: str) -> None:
    text = "import torch.nn as nn\nx = 3\ndef f(n, a, b, flag):\n    nn.MSELoss(size_{})\n"
    (finding,) = advice("TP301", text.format(flags))
    assert written in finding.message


_CONSTANT_FLAG = """
import torch.nn as nn
import torch.nn.functional as F
class PixelLoss(nn.Module):
    def __init__(self, average=None):
        super().__init__()
        self.average = average
        self.reduce = {}
    def forward(self, predicted, target):
        return F.nll_loss(predicted, target, size_average=self.average, reduce=self.reduce)
"""
_ASKED = "self.average is not None and not self.average"


@pytest.mark.parametrize(
    ("flag", "written"),
    [("False", '"none"'), ("True", f'"sum" if {_ASKED} else "mean"')],
)
def test_a_flag_that_every_object_has_alike_is_not_asked(flag: str, written: str) -> None:
    (finding,) = advice("TP301", _CONSTANT_FLAG.format(flag))
    said = f"self.reduce is {flag} wherever it is set: write reduction={written}"
    assert finding.message == said


def test_a_flag_that_averages_in_every_object_is_not_asked() -> None:
    text = _CONSTANT_FLAG.format("reduce").replace("average=None", "reduce=None")
    (finding,) = advice("TP301", text.replace("self.average = average", "self.average = False"))
    asked = "self.reduce is not None and not self.reduce"
    assert finding.message.endswith(f'write reduction="none" if {asked} else "sum"')


@pytest.mark.parametrize(
    "below",
    [
        "    def keep(self):\n        self.reduce = True\n",
        "loss = PixelLoss()\nloss.reduce = True\n",
        "    def toggle(self, flag):\n        self.reduce = flag\n",
    ],
)
def test_a_flag_that_is_set_again_is_asked(below: str) -> None:
    (finding,) = advice("TP301", _CONSTANT_FLAG.format("False") + below)
    assert "are both variables" in finding.message


@pytest.mark.parametrize(
    ("flags", "written"),
    [
        ("size_average=flag()", '"mean" if FLAG is None or FLAG else "sum"'),
        ("size_average=flag(), reduce=True", '"mean" if FLAG is None or FLAG else "sum"'),
        ("size_average=flag(), reduce=False", '"none"'),
        ("reduce=flag()", '"mean" if FLAG is None or FLAG else "none"'),
        ("reduce=flag(), size_average=False", '"sum" if FLAG is None or FLAG else "none"'),
    ],
)
def test_what_a_call_gives_is_asked_beside_the_other_flag(flags: str, written: str) -> None:
    (finding,) = advice("TP301", f"import torch.nn as nn\nnn.MSELoss({flags})\n")
    assert finding.message.endswith(f"FLAG, and write reduction={written}")


@pytest.mark.parametrize("name", [name for name in FLAG_POSITIONS if not name.endswith("2d")])
def test_positions_are_those_of_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    loss = functools.reduce(getattr, name.split(".")[1:], torch)
    parameters = list(inspect.signature(loss).parameters)
    average, reduce = parameters.index("size_average"), parameters.index("reduce")
    assert (average, reduce) == FLAG_POSITIONS[name]
    assert parameters[average + 1 : reduce] == (
        [BETWEEN_FLAGS[name]] if name in BETWEEN_FLAGS else []
    )


_SURE = 'nn.MSELoss(reduction="mean" if f else "sum")'
_UNSURE = 'nn.MSELoss(reduction="mean" if f is None or f else "sum")'


@pytest.mark.parametrize(
    ("flag", "written"),
    [
        ("f = True\n{}", _SURE),
        ("f = not a\n{}", _SURE),
        ("f = a > 1\n{}", _UNSURE),
        ("f = isinstance(a, int)\n{}", _SURE),
        ("f = a\n{}", _UNSURE),
        ("f = len(a)\n{}", _UNSURE),
        ("f, k = True, 1\n{}", _UNSURE),
        ("for f in (True, False):\n    {}", _SURE),
        ("for f in [True, False]:\n    {}", _SURE),
        ("for f in (True, None):\n    {}", _UNSURE),
        ("for f, k in [(True, 1)]:\n    {}", _UNSURE),
        ("for f in a:\n    {}", _UNSURE),
        ("with a as f:\n    {}", _UNSURE),
        ("def g(f=True):\n    {}\ng(False)", _SURE),
        ("def g(f=True):\n    {}\ng(a)", _UNSURE),
        ("def g(f=None):\n    {}\ng(True)", _UNSURE),
        ("def g(f):\n    {}\ng(True)", _UNSURE),
        ("f = e = d = True\nf = e\n{}", _SURE),
        ("f = 0.5 if a else 1\nf = f\n{}", _UNSURE),
    ],
)
def test_a_flag_that_may_be_none_is_asked_for_it(flag: str, written: str) -> None:
    text = "import torch.nn as nn\n" + flag
    before = text.format("nn.MSELoss(size_average=f)\n")
    assert migrate(before, "TP301").text == text.format(written + "\n")


def test_a_long_chain_of_names_may_be_none() -> None:
    chain = "".join(f"f{i + 1} = f{i}\n" for i in range(20))
    text = f"import torch.nn as nn\nf0 = True\n{chain}nn.MSELoss(size_average=f20)\n"
    assert "f20 is None or f20" in migrate(text, "TP301").text


@pytest.mark.parametrize(
    "arguments", ["size_average=flags.pop()", "reduce=flags.pop()", "flags.pop(), False"]
)
def test_what_a_call_gives_is_not_asked_twice(arguments: str) -> None:
    (found,) = advice("TP301", f"import torch.nn as nn\nnn.MSELoss({arguments})\n")
    assert "must not be asked twice" in found.message


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ("reduce=f", '"mean" if f is None or f else "none"'),
        ("size_average=False, reduce=f", '"sum" if f is None or f else "none"'),
        ("size_average=True, reduce=f", '"mean" if f is None or f else "none"'),
        ("size_average=f, reduce=True", '"mean" if f is None or f else "sum"'),
        ("size_average=f, reduce=False", '"none"'),
        ("reduce=not f", '"mean" if not f else "none"'),
    ],
)
def test_both_flags(arguments: str, written: str) -> None:
    before = f"import torch.nn as nn\nnn.MSELoss({arguments})\n"
    assert migrate(before, "TP301").text.split("\n")[1] == f"nn.MSELoss(reduction={written})"


_OLD = (
    "import torch.nn as nn\nfrom torch.autograd import Variable\nx = Variable(x, volatile=True)\n"
)

test_flags_that_are_set_later = rewrites(
    "TP301",
    {
        f"{flag} = {value}": (
            f"{_OLD}criterion = nn.MSELoss()\ncriterion.{flag} = {value}  # as in the paper\n",
            f'{_OLD}criterion = nn.MSELoss()\ncriterion.reduction = "{reduction}"  # as in the paper\n',
        )
        for flag, value, reduction in [
            ("size_average", "False", "sum"),
            ("size_average", "0", "sum"),
            ("reduce", "False", "none"),
        ]
    }
    | {
        "there and back": (
            f"{_OLD}class Trainer:\n"
            "    def __init__(self):\n        self.loss = nn.BCELoss()\n"
            "    def test(self):\n        self.loss.size_average = False\n"
            "    def train(self):\n        self.loss.size_average = True\n",
            f"{_OLD}class Trainer:\n"
            "    def __init__(self):\n        self.loss = nn.BCELoss()\n"
            '    def test(self):\n        self.loss.reduction = "sum"\n'
            '    def train(self):\n        self.loss.reduction = "mean"\n',
        ),
    },
)


@pytest.mark.parametrize(
    "lines",
    [
        "criterion = nn.MSELoss()\ncriterion.size_average = True",
        "criterion = nn.MSELoss()\ncriterion.size = False",
        "criterion = Own()\ncriterion.size_average = False",
        "class Own(nn.Module):\n    def __init__(self, flag):\n        self.size_average = flag",
    ],
)
def test_flags_that_mean_nothing_here_stay(lines: str) -> None:
    text = f"{_OLD}{lines}\n"
    assert migrate(text, "TP301").text == text
    assert not advice("TP301", text)


@pytest.mark.parametrize(
    "lines",
    [
        "criterion.size_average = average",
        "criterion.size_average = False\nprint(criterion.size_average)",
        "criterion.size_average = False\ncriterion.reduce = False",
        "criterion.size_average = other = False",
    ],
)
def test_other_flags_that_are_set_later_are_left_to_a_person(lines: str) -> None:
    text = f"{_OLD}criterion = nn.MSELoss()\n{lines}\n"
    assert migrate(text, "TP301").text == text
    found = advice("TP301", text)
    assert bool(found) == ("other" not in lines)
    assert all("criterion.reduction = " in finding.message for finding in found)


def test_a_file_without_a_date_only_hears_of_it() -> None:
    text = "import torch.nn as nn\ncriterion = nn.MSELoss()\ncriterion.size_average = False\n"
    assert migrate(text, "TP301").text == text
    (found,) = advice("TP301", text)
    assert found.message == (
        'no loss reads criterion.size_average since 0.4.1: write criterion.reduction = "sum"'
    )


_LOSS = "import torch.nn as nn\nimport torch.nn.functional as F\n"
_BUILT = f'{_LOSS}criterion = nn.NLLLoss(weight, reduction="sum")\n'
_CLASS = (
    f"{_LOSS}class Loss(nn.NLLLoss):\n"
    "    def __init__(self, weight=None, average=True):\n"
    "        super().__init__(weight, average)\n"
    "    def forward(self, x, y):\n"
)

test_flags_that_are_read = rewrites(
    "TP301",
    {
        "handed on": (
            f"{_BUILT}loss = F.nll_loss(x, y, size_average=criterion.size_average)\n",
            f"{_BUILT}loss = F.nll_loss(x, y, reduction=criterion.reduction)\n",
        ),
        "both handed on, of a loss that may not be reduced": (
            f"{_LOSS}c = nn.MSELoss(reduction=how)\n"
            "loss = F.mse_loss(x, y, c.size_average, c.reduce)\n",
            f"{_LOSS}c = nn.MSELoss(reduction=how)\nloss = F.mse_loss(x, y, reduction=c.reduction)\n",
        ),
        "asked": (
            f"{_BUILT}if criterion.size_average and n:\n    loss = loss / n\n",
            f'{_BUILT}if criterion.reduction == "mean" and n:\n    loss = loss / n\n',
        ),
        "asked whether it is reduced at all": (
            f"{_LOSS}c = nn.MSELoss(reduction=how)\nif c.reduce:\n    loss = 1\n",
            f'{_LOSS}c = nn.MSELoss(reduction=how)\nif c.reduction != "none":\n    loss = 1\n',
        ),
        "calculated with": (
            f"{_BUILT}factor = 2 * criterion.size_average\n",
            f'{_BUILT}factor = 2 * (criterion.reduction == "mean")\n',
        ),
        "of a class below a loss": (
            f"{_CLASS}        return F.nll_loss(x, y, self.weight, self.size_average, -1)\n",
            f"{_CLASS}        return F.nll_loss(x, y, self.weight, reduction=self.reduction,"
            " ignore_index=-1)\n",
        ),
        "of a class below the losses' own base": (
            f"{_LOSS}from torch.nn.modules.loss import _Loss\nclass Loss(_Loss):\n"
            "    def forward(self, x, y):\n"
            "        return F.mse_loss(x, y, self.size_average, self.reduce)\n",
            f"{_LOSS}from torch.nn.modules.loss import _Loss\nclass Loss(_Loss):\n"
            "    def forward(self, x, y):\n"
            "        return F.mse_loss(x, y, reduction=self.reduction)\n",
        ),
    },
)

test_flags_that_are_there_or_not_a_losss = keeps(
    "TP301",
    {
        "set by the class": f"{_CLASS}        self.size_average = y\n        if self.size_average:\n"
        "            return x\n",
        "set by a class below": f"{_CLASS}        if self.size_average:\n            return x\n"
        "class Below(Loss):\n    size_average = True\n",
        "of the class by a property": f"{_CLASS}        if self.size_average:\n            return x\n"
        "    @property\n    def size_average(self):\n        return True\n",
        "asked for": f'{_BUILT}if hasattr(criterion, "size_average") and criterion.size_average:\n'
        "    loss = 1\n",
        "tried": f"{_BUILT}try:\n    average = criterion.size_average\nexcept AttributeError:\n"
        "    average = True\n",
        "of an object that is not known": f"{_LOSS}def f(c):\n    return c.size_average\n",
        "of a class of this file": f"{_LOSS}class Own(nn.Module):\n    def f(self):\n"
        "        return self.size_average\n",
    },
)


@pytest.mark.parametrize(
    "text",
    [
        f"{_LOSS}c = nn.MSELoss(reduction=how)\naverage = c.size_average\n",
        f"{_LOSS}c = nn.MSELoss(reduction=how)\nF.mse_loss(x, y, size_average=c.size_average)\n",
        f"{_BUILT}c = criterion\nc.reduction = how\naverage = c.size_average\n",
    ],
)
def test_a_flag_of_a_loss_that_may_not_be_reduced_is_told_of(text: str) -> None:
    assert migrate(text, "TP301").text == text
    (found,) = advice("TP301", text)
    assert found.message == (
        'c.size_average is no attribute since torch 0.4.1, and raises: write c.reduction == "mean"'
    )


@pytest.mark.parametrize(
    ("built", "by"),
    [
        ("(nn.MSELoss if c else nn.SmoothL1Loss)(size_average=False)", "nn.SmoothL1Loss"),
        ("(nn.MSELoss if c else nn.L1Loss if d else nn.BCELoss)(size_average=False)", "nn.BCELoss"),
        ("(nn.MSELoss if c else nn.L1Loss)(False)", "nn.L1Loss"),
        ('{"a": nn.MSELoss, "b": nn.BCELoss}[c](size_average=False)', "nn.BCELoss"),
    ],
)
def test_each_of_several_losses_may_be_built(built: str, by: str) -> None:
    text = f"{_LOSS}criterion = {built}\n"
    after = text.replace("size_average=False", "False").replace("False", 'reduction="sum"')
    is_asked = "(False)" not in built
    assert migrate(text, "TP301").text == (after if is_asked else text)
    other = text.replace(by, "Own")
    assert migrate(other, "TP301").text == other
    assert not advice("TP301", other)


def test_a_name_may_stand_for_one_of_several_losses() -> None:
    text = f"{_LOSS}if c:\n    L = nn.MSELoss\nelse:\n    L = nn.BCELoss\nloss = L(size_average=False)\n"
    assert migrate(text, "TP301").text == text.replace("size_average=False", 'reduction="sum"')
    for other in ("Own", "nn.Linear", "losses()"):
        unknown = text.replace("nn.BCELoss", other)
        assert migrate(unknown, "TP301").text == unknown
    by_place = text.replace("size_average=False", "weight, False")
    assert migrate(by_place, "TP301").text == by_place


_TESTED = """
import torch.nn.functional as F
def loss(x, t, size_average, reduce=True):
    {}
    return F.nll_loss(x, t, None, size_average, -100, reduce)
"""
_AVERAGED = '"sum" if size_average is not None and not size_average else "mean"'


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("if reduce:\n        return x", 'reduce is False here: write reduction="none"'),
        ("if not reduce:\n        return x", f"True here: write reduction={_AVERAGED}"),
        ("assert reduce", f"True here: write reduction={_AVERAGED}"),
        ("if x:\n        return x", "are both variables"),
        ("if reduce:\n        x = x + 1", "are both variables"),
        ("if reduce:\n        return x\n    reduce = t", "are both variables"),
    ],
)
def test_a_flag_that_the_code_asks_for_is_known_below(above: str, said: str) -> None:
    (finding,) = advice("TP301", _TESTED.format(above))
    assert said in finding.message


def test_a_flag_that_may_be_none_is_not_known_by_a_test() -> None:
    (finding,) = advice(
        "TP301", _TESTED.format("if reduce:\n        return x").replace("=True", "")
    )
    assert "are both variables" in finding.message


def test_the_public_function_is_named_where_the_line_had_another() -> None:
    text = _TESTED.format("pass").replace("F.nll_loss", "torch._C._nn.nll_loss")
    found = migrate("import torch" + text).findings
    (message,) = [each.message for each in found if each.code == "TP301"]
    assert ": for F.nll_loss write reduction=" in message


_BUILT = (
    "from torch import nn\ndef f(logits, target, n, options):\n    return nn.NLLLoss(logits, {})\n"
)


@pytest.mark.parametrize("given", ["target.view(-1, n)", "target.long()"])
def test_a_target_is_no_flag_of_a_loss_that_is_built_where_it_was_to_be_called(given: str) -> None:
    text = _BUILT.format(given)
    assert migrate(text, "TP301").text == text


@pytest.mark.parametrize("given", ["options.average", "n", "options['average']"])
def test_what_may_be_a_flag_is_one(given: str) -> None:
    assert "reduction=" in migrate(_BUILT.format(given), "TP301").text
