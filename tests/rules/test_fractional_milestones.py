from __future__ import annotations

import textwrap

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_HEAD = """
            import math
            from torch.autograd import Variable
            from torch.optim.lr_scheduler import MultiStepLR
            x = Variable(x, volatile=True)
            """

_PAIRS = {
    "a share on either side": (
        "MultiStepLR(opt, milestones=[0.5 * args.epochs, n * 0.75], gamma=0.1)",
        "MultiStepLR(opt, milestones=[math.ceil(0.5 * args.epochs), math.ceil(n * 0.75)], gamma=0.1)",
    ),
    "by position, in a tuple, beside whole ones": (
        "MultiStepLR(opt, (10, (0.5 * n)))",
        "MultiStepLR(opt, (10, (math.ceil(0.5 * n))))",
    ),
    "written down": ("MultiStepLR(opt, [37.5, 60])", "MultiStepLR(opt, [math.ceil(37.5), 60])"),
}

test_rewrites = rewrites(
    "TP612",
    {name: (_HEAD + pair[0] + "\n", _HEAD + pair[1] + "\n") for name, pair in _PAIRS.items()},
)


def test_math_is_imported() -> None:
    text = textwrap.dedent(_HEAD + "MultiStepLR(opt, [0.5 * n])\n").replace("import math\n", "")
    assert "import math\n" in migrate(text, "TP612").text


_KEPT = {
    "whole numbers": "MultiStepLR(opt, [30, 60])",
    "floats that are whole": "MultiStepLR(opt, [30.0, 0.5 * 60])",
    "a share of what is written down": "n = 300\n            MultiStepLR(opt, [0.5 * n, 0.75 * n])",
    "whole numbers of it": "MultiStepLR(opt, [int(0.5 * n), 2 * n, n // 2, round(n * 0.7)])",
    "a quotient": "MultiStepLR(opt, [n / 2])",
    "something unknown": "MultiStepLR(opt, milestones), MultiStepLR(opt, [n, *m])",
    "another schedule": "from torch.optim.lr_scheduler import StepLR\n            StepLR(opt, 0.5 * n)",
    "a class of the file": (
        "class MultiStepLR:\n                pass\n            MultiStepLR(opt, [0.5 * n])"
    ),
    "already modern": "MultiStepLR(opt, [math.ceil(0.5 * n)])",
    "suppressed": "MultiStepLR(opt, [0.5 * n])  # noqa: TP612",
}

test_keeps = keeps("TP612", {name: f"{_HEAD}{text}\n" for name, text in _KEPT.items()})

_NEW = "from torch.optim.lr_scheduler import MultiStepLR\n"


def test_code_of_unknown_age_is_told_of_what_is_certain() -> None:
    text = f"{_NEW}MultiStepLR(opt, [37.5])\n"
    (finding,) = advice("TP612", text)
    assert finding.message == (
        "a milestone that is no whole number is never reached since torch 1.4, "
        "and was rounded up before"
    )
    assert not advice("TP612", f"{_NEW}MultiStepLR(opt, [0.5 * n])\n")
    new = Options(era=Era((2, 0), (2, 0)))
    assert migrate(f"{_NEW}MultiStepLR(opt, [0.5 * n])\n", "TP612", options=new).findings == ()
