"""Flags that another file sets after it imports theirs: the module level makes no device of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.finding import FileResult
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

HEAD = "import torch\n\n"
MODELS = """
def centres(n):
    x = torch.zeros(n)
    if use_cuda:
        x = x.cuda()
    return x
"""
MODULE = "use_cuda = False\n"
DEVICE = 'device = torch.device("cuda" if use_cuda else "cpu")'


def migrated(root: Path, models: str, train: str, code: str = "TP201") -> FileResult:
    (root / ".git").mkdir()
    (root / "train.py").write_text(train)
    (root / "models.py").write_text(HEAD + models)
    result = migrate_file(root / "models.py", Settings(select=(code,)), write=False)
    assert not result.errors
    return result


@pytest.mark.parametrize(
    "train",
    [
        "import models\n\ndef main(opt):\n    if opt.cuda:\n        models.use_cuda = True\n",
        "import models as m\nm.use_cuda = True\n",
        'import models\nsetattr(models, "use_cuda", True)\n',
    ],
)
@pytest.mark.parametrize("flag", [MODULE, "use_cuda = torch.cuda.is_available()\n"])
def test_a_flag_that_is_set_after_the_import_is_asked_where_it_was(
    tmp_path: Path, train: str, flag: str
) -> None:
    assert migrated(tmp_path, flag + MODELS, train).after is None


@pytest.mark.parametrize("flag", [MODULE, "use_cuda = torch.cuda.is_available()\n"])
def test_a_constant_is_there_to_be_set_where_another_module_has_its_like_set(
    tmp_path: Path, flag: str
) -> None:
    train = "import sizes\nsizes.use_cuda = True\n"
    assert (migrated(tmp_path, flag + MODELS, train).after is None) is (flag == MODULE)


def test_an_attribute_that_is_set_after_the_import_is_asked_where_it_was(tmp_path: Path) -> None:
    models = "class Options:\n    pass\n\ncfg = Options()\ncfg.use_cuda = False\n" + MODELS
    train = "from models import cfg\ncfg.use_cuda = True\n"
    result = migrated(tmp_path, models.replace("if use_cuda", "if cfg.use_cuda"), train)
    assert result.after is None


@pytest.mark.parametrize("code", ["TP201", "TP202"])
@pytest.mark.parametrize("setter", ["import models\nmodels.use_cuda = False\n", "import models\n"])
def test_a_device_that_was_made_of_it_before_is_taken_for_its_test_only_where_nothing_sets_it(
    tmp_path: Path, code: str, setter: str
) -> None:
    body = MODELS if code == "TP201" else MODELS.replace(".cuda()", ".to(device)")
    models = f"use_cuda = torch.cuda.is_available()\n{DEVICE}\n" + body
    result = migrated(tmp_path, models, setter, code)
    assert (result.after is None) is ("False" in setter)


@pytest.mark.parametrize(
    "train",
    [
        "import models\nimport other\nprint(models.use_cuda)\n",
        # An object's own attribute.
        "import models\n\nclass Net:\n    def __init__(self):\n        self.use_cuda = True\n",
        "import models\n\ndef main(opt):\n    opt.use_cuda = True\n",
        # Its own flag of that name.
        "from models import *\nuse_cuda = True\n",
    ],
)
def test_a_flag_that_nothing_sets_later_makes_a_device(tmp_path: Path, train: str) -> None:
    after = migrated(tmp_path, MODULE + MODELS, train).after
    assert after is not None
    assert f"use_cuda = False\n{DEVICE}\n" in after
    assert "    x = x.to(device)\n" in after


_MORE = MODULE + MODELS + "\ndef more():\n    return torch.ones(3).cuda()\n"
_SETS = "import models\nmodels.use_cuda = True\n"


def _told(root: Path, train: str) -> str:
    result = migrated(root, _MORE, train)
    assert result.after is None
    [finding] = result.findings
    return finding.message


def test_a_flag_that_another_file_sets_is_not_proposed(tmp_path: Path) -> None:
    assert _told(tmp_path, f"{_SETS}models.more()\n") == (
        ".cuda() needs a GPU, though line 7 asks whether to use one: move it only then"
    )
