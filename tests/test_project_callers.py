"""What a function is given by all calls of it in the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

LOGGER = """import torch
class Logger:
    def __init__(self):
        self.losses = {}
    def log(self, losses=None, batch=0):
        for name in losses.keys():
            self.losses[name] = losses[name].data[0]
"""
FUNCTION = """import torch
def report(loss, n=1):
    print(loss.data[0] / n)
"""
TRAIN = """import torch
import torch.nn as nn
from utils import *
criterion = nn.MSELoss()
logger = Logger()
for x in range(3):
    loss = criterion(model(x), x)
    other = loss + criterion(x, x)
    logger.log({"loss": loss, "sum": (loss + other)}, batch=x)
"""
CALL = """import torch
import torch.nn.functional as F
from utils import report
for x in range(3):
    report(F.mse_loss(x, x))
"""


def is_rewritten(root: Path, utils: str, **others: str) -> bool:
    """Whether ``.data[0]`` of ``utils.py`` becomes ``.item()``."""
    (root / "setup.py").write_text("")
    for name, text in others.items():
        (root / f"{name}.py").write_text(text)
    (root / "utils.py").write_text(utils)
    result = migrate_file(root / "utils.py", Settings(select=("TP103",)), write=False)
    assert not result.errors
    return ".item()" in (result.after or "")


@pytest.mark.parametrize(
    ("utils", "train"),
    [
        (LOGGER, TRAIN),
        (LOGGER, TRAIN.replace("{", "losses={")),
        (LOGGER.replace(".keys()", ""), TRAIN),
        (LOGGER, TRAIN + "import math\nprint(math.log(3), torch.log(x), 'a log')\n"),
        (FUNCTION, CALL),
        (FUNCTION + '__all__ = ["report"]\n', CALL),
        (FUNCTION, CALL + "def own(report):\n    pass\nown(torch.ones(3))\n"),
        (FUNCTION, CALL + "import numpy\nnumpy.report(torch.ones(3))\n"),
        (FUNCTION, CALL + "def own(other):\n    other.report(torch.ones(3), 1, 2)\n"),
        (FUNCTION + "def again(x):\n    report(torch.ones(3).sum(), 2)\n", CALL),
        (FUNCTION, CALL.replace("import report", "import report as r").replace("  rep", "  r#")),
        (FUNCTION, CALL + "def own(data):\n    torch.utils.data.DataLoader(data.report)\n"),
        (FUNCTION, CALL + "def own(data):\n    print(len(data.report), data.report[0])\n"),
        (FUNCTION, CALL + "def own(data):\n    return [2 * x for x in data.report]\n"),
        (FUNCTION, CALL + "def own(data):\n    return data.report + 1\n"),
    ],
)
def test_a_number_by_all_calls(tmp_path: Path, utils: str, train: str) -> None:
    assert is_rewritten(tmp_path, utils, train=train.replace("r#ort", "r"))


@pytest.mark.parametrize(
    ("utils", "train"),
    [
        (LOGGER, ""),
        (LOGGER, TRAIN.replace("(loss + other)", "(loss + torch.ones(3))")),
        (LOGGER, TRAIN.replace("logger.log", "losses = dict(a=loss)\n    logger.log(losses)#")),
        (LOGGER, TRAIN.replace("{", "*{")),
        (LOGGER, TRAIN + "logger.log(batch=3)\n"),
        (LOGGER, TRAIN + "log = logger.log\nlog({'a': torch.ones(3)})\n"),
        (LOGGER, TRAIN + "getattr(logger, 'log')({'a': torch.ones(3)})\n"),
        (LOGGER, TRAIN + "def f(logger, x):\n    logger.log(x)\n"),
        (LOGGER, TRAIN + "class Own(Logger):\n    pass\nOwn().log({'a': torch.ones(3)})\n"),
        (LOGGER, TRAIN + "print log\n"),
        (LOGGER + "Logger().log({'a': torch.ones(3)})\n", TRAIN),
        (LOGGER + "Logger().log(x)\n", TRAIN),
        (LOGGER.replace("for", "losses['b'] = self.other\n        for"), TRAIN),
        (LOGGER.replace("for", "losses.update(b=self.other)\n        for"), TRAIN),
        (LOGGER.replace("for", "fill(losses)\n        for"), TRAIN),
        (LOGGER.replace("for", "losses = fill(losses)\n        for"), TRAIN),
        (LOGGER.replace("    def log(self", "    @staticmethod\n    def log(self"), TRAIN),
        (LOGGER.replace("    def log", "    @wrapped\n    def log"), TRAIN),
        (FUNCTION, CALL.replace("F.mse_loss(x, x)", "torch.ones(3)")),
        (FUNCTION, CALL + "report(torch.ones(3))\n"),
        (FUNCTION, CALL + "report(*x)\n"),
        (FUNCTION, CALL + "def own(other):\n    other.report(torch.ones(3), n=2)\n"),
        (FUNCTION, CALL + "run(report)\n"),
        (FUNCTION, CALL + "getattr(utils, 'report')(torch.ones(3))\n"),
        (FUNCTION, CALL + "def own(data):\n    torch.utils.data.DataLoader(x, data.report)\n"),
        (FUNCTION, CALL + "def own(data):\n    return data.report\n"),
        (FUNCTION, CALL + "def own(data, x):\n    return x[data.report]\n"),
        (FUNCTION, CALL + "def own(data):\n    return '%s' % data.report\n"),
        (FUNCTION.replace("def", "@wrapped\ndef"), CALL),
        (FUNCTION + "run(report)\n", CALL),
        (FUNCTION, CALL + "import utils\nutils.report(torch.ones(3))\n"),
    ],
)
def test_not_a_number_by_all_calls(tmp_path: Path, utils: str, train: str) -> None:
    assert not is_rewritten(tmp_path, utils, train=train)


SCALED = """import torch
def report(loss, scale=1e-6):
    print(torch.sqrt(loss.norm() + scale).data[0])
"""


@pytest.mark.parametrize(
    ("more", "is_number"),
    [
        ("", True),
        ("report(x, 2)\n", True),
        ("report(x, torch.ones(3))\n", False),
        ("report(x, **more)\n", False),
    ],
)
def test_what_calls_leave_out_is_the_default(tmp_path: Path, more: str, is_number: bool) -> None:
    train = CALL.replace("F.mse_loss(x, x)", "torch.ones(3)") + more
    assert is_rewritten(tmp_path, SCALED, train=train) is is_number


def test_a_function_of_a_package_may_be_called_by_anybody(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    assert not is_rewritten(tmp_path, FUNCTION, train=CALL)


@pytest.mark.parametrize(
    ("files", "is_known"),
    [
        ("README.md", True),
        (".git", True),
        ("README.md setup.py", False),
        ("README.md pyproject.toml", False),
        (".git lib/setup.cfg", False),
        ("lib/README.md", True),
        ("", False),
    ],
)
def test_what_nobody_can_install_is_called_by_its_project(
    tmp_path: Path, files: str, is_known: bool
) -> None:
    package = tmp_path / "lib" / "tools"
    package.mkdir(parents=True)
    for path in (*map(tmp_path.joinpath, files.split()), package / "__init__.py"):
        path.write_text("")
    (package / "utils.py").write_text(FUNCTION)
    (tmp_path / "lib" / "train.py").write_text(CALL.replace("utils", "tools.utils"))
    result = migrate_file(package / "utils.py", Settings(select=("TP103",)), write=False)
    assert (".item()" in (result.after or "")) is is_known


def test_another_file_sets_what_is_passed(tmp_path: Path) -> None:
    main = "import train\ntrain.loss = 3\n"
    call = CALL.replace("report(F", "loss = (F").replace("x))", "x))\n    report(loss)")
    assert is_rewritten(tmp_path, FUNCTION, train=call)
    assert not is_rewritten(tmp_path, FUNCTION, train=call, main=main)


VALIDATION = """from meters import meter
def validate(model, loader, criterion):
    for x, y in loader:
        loss = criterion(model(x), y)
        meter.update(loss.data[0], len(x))
"""
CRITERION = """import torch
import torch.nn as nn
from utils import validate
def main(args):
    criterion = nn.CrossEntropyLoss()
    validate(model, loader, criterion)
"""
CHOSEN = CRITERION.replace(
    "    criterion = nn.CrossEntropyLoss()\n",
    "    if args.classes:\n        criterion = nn.CrossEntropyLoss().cuda()\n"
    "    else:\n        criterion = nn.MSELoss(size_average=False)\n",
)


@pytest.mark.parametrize("train", [CRITERION, CHOSEN, CRITERION + "validate(a, b, nn.L1Loss())\n"])
def test_a_loss_that_all_calls_give(tmp_path: Path, train: str) -> None:
    assert is_rewritten(tmp_path, VALIDATION, train=train)


@pytest.mark.parametrize(
    "train",
    [
        CRITERION.replace("Loss()", "Loss(reduce=False)"),
        CHOSEN.replace("size_average=False", "reduction='none'"),
        CHOSEN.replace("nn.MSELoss", "Own"),
        CRITERION.replace("nn.CrossEntropyLoss()", "nn.Linear(2, 3)"),
        CRITERION + "validate(model, loader, own)\n",
        CRITERION + "print(validate)\n",
        CRITERION.replace(
            "    validate", "    criterion = nn.DataParallel(criterion)\n    validate"
        ),
    ],
)
def test_a_loss_that_is_not_known(tmp_path: Path, train: str) -> None:
    assert not is_rewritten(tmp_path, VALIDATION, train=train)


TRAINER = """import torch
from torch.autograd import Variable
class Trainer(object):
    def __init__(self, model, criterion):
        super(Trainer, self).__init__()
        self.model = model
        self.criterion = criterion
    def test(self, loader):
        for x, y in loader:
            loss = self.criterion(self.model(x), Variable(y))
            print(loss.data[0])
"""
CONSTRUCTION = """import torch.nn as nn
from utils import Trainer
def main(model, args):
    criterion = nn.KLDivLoss()
    if args.cuda:
        criterion.cuda()
    Trainer(model, criterion=criterion).test([])
"""


@pytest.mark.parametrize(
    ("utils", "train"),
    [
        (TRAINER, CONSTRUCTION),
        (TRAINER + "__all__ = [Trainer]\n", CONSTRUCTION),
        (TRAINER + TRAINER.replace("Trainer", "Other"), CONSTRUCTION),
        (TRAINER, CONSTRUCTION + "import utils\nutils.Trainer(None, nn.MSELoss())\n"),
        (TRAINER, CONSTRUCTION + "class Own:\n    pass\nprint(Own().Trainer(3, 4))\n"),
    ],
)
def test_a_loss_that_all_constructions_give(tmp_path: Path, utils: str, train: str) -> None:
    assert is_rewritten(tmp_path, utils, train=train)


@pytest.mark.parametrize(
    ("utils", "train"),
    [
        (TRAINER, CONSTRUCTION.replace("Loss()", "Loss(reduce=False)")),
        (TRAINER, CONSTRUCTION + "Trainer(None, own)\n"),
        (TRAINER, CONSTRUCTION + "Trainer(None)\n"),
        (TRAINER, CONSTRUCTION + "Trainer(*own)\n"),
        (TRAINER, CONSTRUCTION + "class Own(Trainer):\n    pass\n"),
        (TRAINER, CONSTRUCTION + "build(Trainer)\n"),
        (TRAINER, CONSTRUCTION + "t = Trainer(None, nn.MSELoss())\nt.criterion = own\n"),
        (TRAINER, "print(3)\n"),
        (TRAINER + "def f(t):\n    t.criterion = None\n", CONSTRUCTION),
        (TRAINER + "class Own(Trainer):\n    pass\n", CONSTRUCTION),
        (TRAINER.replace("class", "@own\nclass"), CONSTRUCTION),
        (TRAINER.replace("object", "metaclass=Own"), CONSTRUCTION),
        (TRAINER.replace("    def __init", "    @own\n    def __init"), CONSTRUCTION),
        (TRAINER.replace("= criterion\n", "= own(criterion)\n"), CONSTRUCTION),
        (TRAINER + "    def set(self, criterion):\n        self.criterion = 3\n", CONSTRUCTION),
        (TRAINER.replace("= self.c", "= loader.c"), CONSTRUCTION),
        (TRAINER.replace("def __init__", "def build"), CONSTRUCTION),
    ],
)
def test_a_loss_that_not_all_constructions_give(tmp_path: Path, utils: str, train: str) -> None:
    assert not is_rewritten(tmp_path, utils, train=train)


def test_a_class_of_a_package_may_be_constructed_by_anybody(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    assert not is_rewritten(tmp_path, TRAINER, train=CONSTRUCTION)
