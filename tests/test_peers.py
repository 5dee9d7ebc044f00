"""What other tools get wrong: each is a text that has to come out right, or untouched."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.support.rules import migrate

UNTOUCHED = {
    "range of floats": "import torch\ny = torch.range(0, 1, 0.1)\n",
    "pretrained by an option": (
        "from torchvision.models import resnet18\nm = resnet18(pretrained=args.pretrained)\n"
    ),
}


#: What they rewrite to something that does not run.
RIGHT = {
    "cholesky keeps its argument": (
        "import torch\ny = torch.cholesky(A, upper=True)\n",
        "import torch\ny = torch.linalg.cholesky(A, upper=True)\n",
    ),
    "cholesky with a flag": (
        "import torch\ny = torch.cholesky(A, upper=flag)\n",
        "import torch\ny = torch.linalg.cholesky(A, upper=flag)\n",
    ),
    "qr keeps its flag": (
        "import torch\nq, r = torch.qr(A, some=flag)\n",
        'import torch\nq, r = torch.linalg.qr(A, mode="reduced" if flag else "complete")\n',
    ),
    "a name imported from torch": (
        "from torch import qr\nq, r = qr(A)\n",
        "import torch\nq, r = torch.linalg.qr(A)\n",
    ),
    "chain_matmul of a list": (
        "import torch\ny = torch.chain_matmul(*ms)\n",
        "import torch\ny = torch.linalg.multi_dot([*ms])\n",
    ),
    "checkpoint keeps its default": (
        "from torch.utils.checkpoint import checkpoint\ny = checkpoint(f, x)\n",
        "from torch.utils.checkpoint import checkpoint\ny = checkpoint(f, x, use_reentrant=True)\n",
    ),
    "autocast": (
        "from torch.cuda.amp import autocast\nwith autocast(True):\n    pass\n",
        'import torch\nwith torch.amp.autocast("cuda", enabled=True):\n    pass\n',
    ),
    "a name imported under another": (
        "from torch import ger as outerp\ny = outerp(a, b)\n",
        "from torch import outer as outerp\ny = outerp(a, b)\n",
    ),
}


@pytest.mark.parametrize(
    ("before", "after"), [pytest.param(*pair, id=name) for name, pair in RIGHT.items()]
)
def test_right(before: str, after: str) -> None:
    assert migrate(before).text == after


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in UNTOUCHED.items()])
def test_untouched(text: str) -> None:
    assert migrate(text).text == text


def test_range_keeps_values_and_dtype() -> None:
    old, new = "torch.range(0, 7, 2)", "torch.arange(0, 8, 2, dtype=torch.float)"
    assert migrate(f"import torch\ny = {old}\n").text == f"import torch\ny = {new}\n"
    before, after = torch.range(0, 7, 2), torch.arange(0, 8, 2, dtype=torch.float)
    assert before.dtype == after.dtype and before.tolist() == after.tolist()


def test_a_conditional_expression_keeps_its_meaning() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "a = torch.ones(1)\nb = torch.zeros(1)\ny = Variable(a if c else b) + 1\n"
    )
    assert "y = (a if c else b) + 1\n" in migrate(text).text


def test_one_run_is_enough_for_nested_calls() -> None:
    text = (
        "import torch.nn.functional as F\n"
        "y = F.mse_loss(F.l1_loss(F.nll_loss(a, b, size_average=False), c, False), d, False)\n"
    )
    once = migrate(text).text
    assert once.count("reduction=") == 3
    assert migrate(once).text == once


def test_comments_inside_a_call_stay() -> None:
    text = (
        "import torch.nn as nn\nc = nn.NLLLoss(  # the loss\n"
        "    weight,  # of the classes\n    size_average=False,  # a sum\n)\n"
    )
    after = migrate(text).text
    assert 'reduction="sum",  # a sum' in after
    assert "# the loss" in after and "# of the classes" in after


def test_the_result_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    fixture = Path(__file__).parents[1] / "fixtures" / "programs" / "detection_trainer.py"
    program = tmp_path / fixture.name
    program.write_text(fixture.read_text("utf-8"), "utf-8")
    outputs = {
        subprocess.run(
            [sys.executable, "-m", "torchfix_codemods", "migrate", "--diff", str(program)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=False,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
    assert b"+" in outputs.pop()


def test_a_syntax_error_is_reported() -> None:
    from torchfix_codemods.engine.migrate import migrate_text
    from torchfix_codemods.rules import select

    migration = migrate_text("import torch\nx = (\n", select())
    assert migration.text == "import torch\nx = (\n"
    assert [error.kind for error in migration.errors] == ["syntax"]


@pytest.mark.parametrize("number", range(5))
def test_what_comes_out_parses(number: int) -> None:
    programs = sorted((Path(__file__).parents[1] / "fixtures" / "programs").glob("*.py"))
    ast.parse(migrate(programs[number].read_text("utf-8")).text)
