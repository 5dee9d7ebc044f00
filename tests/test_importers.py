"""Which files may import another one, as their import lines tell."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from torchfix_codemods.project.index import Index
from torchfix_codemods.project.vintage import project_era


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for name in ("b/utils.py", "a/utils.py", "a/train.py"):
        written(tmp_path.resolve(), name)
    return tmp_path.resolve()


def written(folder: Path, name: str, text: str = "") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def may_import(importer: Path, path: Path) -> bool:
    files = Index().texts.importers(path)
    assert files is not None
    return str(importer) in files


@pytest.mark.parametrize(
    "line",
    [
        "from utils import x",
        "import os, utils as u",
        "from .utils import x",
        "from . import utils",
        "from a.utils import (\n    x,  # the y\n    z,\n)",
        "from a import utils, train",
        "import a.utils as utils",
        "def f():\n    from utils import *",
        "import torch.utils.data",
        "from torch import \\\n    utils",
        "import numpy as utils",
        "from torch.utils.data import (DataLoader,\n    Dataset)",
    ],
)
def test_what_means_another_file_does_not_import_this_one(project: Path, line: str) -> None:
    importer = written(project, "a/train.py", f"import torch\n{line}\n")
    assert not may_import(importer, project / "b/utils.py")


@pytest.mark.parametrize(
    "line",
    ["from utils import x", "import utils", "from . import (\n    train,\n    utils)"],
)
def test_what_means_this_file_imports_it(project: Path, line: str) -> None:
    assert may_import(written(project, "a/train.py", line), project / "a/utils.py")


@pytest.mark.parametrize(
    ("line", "files"),
    [
        pytest.param("from utils import x", {"main.py": ""}, id="no such module in sight"),
        pytest.param("from b.utils import x", {}, id="in full"),
        pytest.param("from b import utils", {"b/__init__.py": ""}, id="a module of a package"),
        pytest.param("from c import utils", {"c.py": "from b import utils"}, id="by another"),
        pytest.param(
            "from c import utils",
            {"c/__init__.py": "from b import utils", "c/utils.py": ""},
            id="a package that takes it from elsewhere",
        ),
        pytest.param("from nets.utils import x", {}, id="a package out of sight"),
        pytest.param("import a.utils; import utils", {}, id="what no pattern reads"),
        pytest.param("from a.utils import x; from b import utils", {}, id="two in a line"),
        pytest.param(
            "import sys\nsys.path.insert(0, where)\nfrom utils import x",
            {"c/utils.py": ""},
            id="a search path that is not known",
        ),
    ],
)
def test_what_may_mean_this_file_may_import_it(
    project: Path, line: str, files: dict[str, str]
) -> None:
    for name, text in files.items():
        written(project, name, text)
    importer = written(project, "c/main.py" if "c.py" not in files else "main.py", line)
    assert may_import(importer, project / "b/utils.py")


def test_of_two_that_an_import_can_mean_it_may_import_both_and_no_third(project: Path) -> None:
    written(project, "utils.py")
    importer = written(project, "a/train.py", "from utils import x\n")
    assert may_import(importer, project / "a/utils.py")
    assert may_import(importer, project / "utils.py")
    assert not may_import(importer, project / "b/utils.py")


def test_a_notebook_may_run_anywhere(project: Path) -> None:
    text = '{"cells": [{"source": ["from utils import x\\n"]}]}'
    importer = written(project, "a/train.ipynb", text)
    assert may_import(importer, project / "b/utils.py")


def test_a_link_is_what_it_leads_to(project: Path) -> None:
    (project / "c").mkdir()
    (project / "c" / "utils.py").symlink_to(project / "b" / "utils.py")
    importer = written(project, "c/train.py", "from utils import x\n")
    assert may_import(importer, project / "b/utils.py")
    assert not may_import(importer, project / "a/utils.py")


def test_a_module_named_as_one_of_python_is_the_projects_where_it_has_it(project: Path) -> None:
    own, other = written(project, "a/queue.py"), written(project, "b/queue.py")
    importer = written(project, "a/train.py", "import queue\n")
    assert may_import(importer, own)
    assert not may_import(importer, other)
    assert not may_import(written(project, "main.py", "import queue\n"), own)


def test_a_statement_of_several_lines_names_all_of_them(project: Path) -> None:
    nets = written(project, "nets.py")
    assert may_import(written(project, "one.py", "from a import (\n  x,\n  nets\n)\n"), nets)
    assert may_import(written(project, "two.py", "import os, \\\n  nets\n"), nets)


def test_a_package_is_imported_with_what_is_in_it(project: Path) -> None:
    package, other = written(project, "c/d/__init__.py"), written(project, "d/__init__.py")
    importer = written(project, "main.py", "import c.d.module\n")
    written(project, "c/__init__.py")
    assert may_import(importer, package)
    assert not may_import(importer, other)


def test_the_folders_of_a_project_are_gone_through_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.py").write_text("import torch\n")
    (tmp_path / "train.py").write_text("from model import net\n")
    walked = []
    walk = os.walk
    monkeypatch.setattr(os, "walk", lambda root: walked.append(root) or walk(root))
    index = Index()
    project_era(tmp_path / "model.py", index)
    assert index.texts.importers(tmp_path / "model.py") == {str(tmp_path / "train.py")}
    assert walked == [tmp_path]


def test_a_file_is_called_by_its_path_where_its_name_is_that_of_another(project: Path) -> None:
    texts = Index().texts
    assert texts.called(project / "a/train.py") == "train.py"
    assert texts.called(project / "a/utils.py") == "a/utils.py"
    assert texts.called(project / "b/utils.py") == "b/utils.py"
    # What lies in another project is another one's.
    written(project, "c/.git/config")
    assert texts.called(written(project, "c/train.py")) == "train.py"


def test_over_how_many_imports_a_file_is_reached(project: Path) -> None:
    nets, one = written(project, "nets.py"), written(project, "one.py", "import nets\n")
    two = written(project, "two.py", "import one\n")
    three = written(project, "three.py", "import two\nimport one\n")
    # Around in a circle as well.
    written(project, "nets.py", "import three\n")
    texts = Index().texts
    assert [texts.steps(file, nets) for file in (nets, one, two, three)] == [0, 1, 2, 2]
    assert texts.steps(project / "a/train.py", nets) is None


def test_what_speaks_of_a_word_is_nearest_first(project: Path) -> None:
    names = ("b/one.py", "b/two.py", "a/one.py")
    files = [written(project, name, "word\n") for name in names]
    assert Index().texts.mentioning(project / "b/utils.py", "word") == files
