from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods import project
from torchfix_codemods.config import Settings
from torchfix_codemods.runner import migrate_file

UTILS = "import torch\nfrom torch.autograd import Variable\nx = Variable(torch.ones(1))\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    project._imported_words.cache_clear()
    project.project_root.cache_clear()
    (tmp_path / ".git").mkdir()
    (tmp_path / "utils.py").write_text(UTILS)
    (tmp_path / "main.py").write_text(UTILS.replace("x =", "y ="))
    (tmp_path / "deep").mkdir()
    return tmp_path


def test_nobody_imports_a_script(tree: Path) -> None:
    assert not project.is_imported_elsewhere(tree / "main.py")


@pytest.mark.parametrize(
    "line",
    ["import utils", "from utils import *", "from .utils import (\n    x)", "import a.utils as u"],
)
def test_any_import_line_counts(tree: Path, line: str) -> None:
    (tree / "deep" / "other.py").write_text(f"if a:\n    {line}\n")
    assert project.is_imported_elsewhere(tree / "utils.py")


def test_a_package_is_imported(tree: Path) -> None:
    assert project.is_imported_elsewhere(tree / "__init__.py")


def test_the_import_of_a_module_that_others_import_stays(tree: Path) -> None:
    (tree / "deep" / "other.py").write_text("from utils import *\n")
    main = migrate_file(tree / "main.py", Settings(select=("TP101",)), write=False)
    utils = migrate_file(tree / "utils.py", Settings(select=("TP101",)), write=False)
    assert main.after == "import torch\ny = torch.ones(1)\n"
    assert utils.after is not None and "import Variable" in utils.after


def test_a_name_is_used_elsewhere_where_an_importer_speaks_of_it(tree: Path) -> None:
    (tree / "deep" / "other.py").write_text("from utils import x\nprint(x)\n")
    assert project.is_used_elsewhere(tree / "utils.py", "x")
    assert not project.is_used_elsewhere(tree / "utils.py", "Variable")
