"""A checkout of a library, or of a fork of it: its names are the project's own there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from torchfix_codemods.facts.age.dating import Clue, find_clues
from torchfix_codemods.facts.language.foreign import imports_torch_alone
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.finding import FileResult
from torchfix_codemods.project.imports import resolve
from torchfix_codemods.project.own_libraries import LIBRARIES, own_libraries
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

GONE = "from torchtext import data\nfrom torchtext.data import Field\nx = data.Iterator\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path.resolve()


def written(folder: Path, *names: str, text: str = "") -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def migrated(path: Path, text: str, **chosen: tuple[str, ...]) -> FileResult:
    written(path.parent, path.name, text=text)
    return migrate_file(path, Settings(**chosen), write=False)


@pytest.mark.parametrize(
    ("files", "importer", "prefix"),
    [
        (["torchtext/__init__.py"], "train.py", "."),
        (["torchtext/__init__.py"], "test/data/test_field.py", "..."),
        (["torchtext/__init__.py"], "torchtext/data/field.py", "..."),
        (["text/torchtext/__init__.py"], "text/test/test_field.py", ".."),
        (["src/torchtext/__init__.py"], "test/test_field.py", "..src."),
        (["src/torchtext/__init__.py"], "src/torchtext/data.py", ".."),
        (["test/torchtext/__init__.py", "torchtext/__init__.py"], "test/a.py", "."),
    ],
)
def test_a_package_above_a_file_is_its_own(
    project: Path, files: list[str], importer: str, prefix: str
) -> None:
    written(project, *files)
    path = project / importer
    assert own_libraries(path) == {"torchtext": prefix}
    home = resolve("torchtext", path)
    assert home in {project / file for file in files}
    assert resolve(f"{prefix}torchtext", path) == home


def test_all_of_an_own_package_is_its_own(project: Path) -> None:
    """Of torchvision's own the data sets and transforms are known to be no modules."""
    written(project, "torchvision/__init__.py", "torchvision/transforms/functional.py")
    found = resolve("torchvision.transforms.functional", project / "test" / "test.py")
    assert found == project / "torchvision/transforms/functional.py"


@pytest.mark.parametrize(
    "setup",
    ["setup(\n    name='torchtext',\n)", 'package_name = "torchtext"', "name = torchtext\n"],
)
def test_a_package_in_a_package_is_what_its_setup_names(project: Path, setup: str) -> None:
    written(project, "text/__init__.py", "text/torchtext/__init__.py")
    test = project / "text" / "test" / "test_field.py"
    assert own_libraries(test) == {}
    other = project / "other"
    written(other, "text/__init__.py", "text/torchtext/data.py")
    written(other, "text/setup.cfg", text=setup)
    test = other / "text" / "test" / "test_field.py"
    assert own_libraries(test) == {"torchtext": ".."}
    assert resolve("torchtext.data", test) == other / "text/torchtext/data.py"


@pytest.mark.parametrize(
    ("files", "importer"),
    [
        (["torchtext/data.py"], "train.py"),
        (["torchtext.py"], "train.py"),
        (["backends/__init__.py", "backends/torch/__init__.py"], "backends/torch/ops.py"),
        (["backends/__init__.py", "backends/numpy/__init__.py"], "backends/ops.py"),
        (["lib/torchvision/__init__.py"], "train.py"),
        (["torchtext_old/__init__.py"], "train.py"),
    ],
)
def test_what_python_would_not_find_is_the_library(
    project: Path, files: list[str], importer: str
) -> None:
    written(project, *files)
    assert own_libraries(project / importer) == {}
    assert [resolve(name, project / importer) for name in LIBRARIES] == [None] * len(LIBRARIES)


@pytest.mark.parametrize("setup", ['name = "torch-scatter"', "install_requires=['torch']"])
def test_a_setup_that_names_another_thing_says_nothing(project: Path, setup: str) -> None:
    written(project, "torch/cpu.py", "numpy/x.py")
    written(project, "setup.py", text=setup)
    assert own_libraries(project / "train.py") == {}


def test_nothing_is_told_of_a_library_in_its_own_checkout(project: Path) -> None:
    assert migrated(project / "test" / "test_data.py", GONE).findings
    written(project, "own/torchtext/__init__.py")
    assert not migrated(project / "own" / "test" / "test_data.py", GONE).findings


@pytest.mark.parametrize(
    "old",
    [
        "import torchvision\nm = torchvision.models.resnet18(pretrained=True)\n",
        "import torchvision.models as models\nm = models.resnet18(pretrained=True)\n",
        "from torchvision import transforms\nt = transforms.Scale(8)\n",
        "from torchvision.transforms import Scale\n",
    ],
)
def test_a_fork_of_torchvision_keeps_its_names(project: Path, old: str) -> None:
    result = migrated(project / "one" / "train.py", old)
    assert result.findings
    written(project, "two/torchvision/__init__.py")
    result = migrated(project / "two" / "train.py", old)
    assert result.after is None
    assert not result.findings


@pytest.mark.parametrize(
    "old",
    [
        "import torch\ny = torch.ger(a, b)\n",
        "from torch import ger\ny = ger(a, b)\n",
        "from torch import *\ny = ger(a, b)\n",
        "import torch\nfrom mock import patch\nx = patch('torch.ger')\n",
    ],
)
def test_a_fork_of_torch_is_not_taken_for_torch(project: Path, old: str) -> None:
    assert migrated(project / "one" / "test.py", old).findings
    written(project, "two/torch/__init__.py", text="def ger(a, b): ...\n")
    result = migrated(project / "two" / "test.py", old)
    assert result.after is None
    assert not result.findings


def test_what_a_fork_of_torch_gives_is_not_known(project: Path) -> None:
    old = "import torch\nloss = torch.ones(2).sum()\nx = loss.data[0]\n"
    assert migrated(project / "one" / "test.py", old).after is not None
    written(project, "two/torch/__init__.py")
    assert migrated(project / "two" / "test.py", old).after is None


def test_what_is_imported_of_a_fork_dates_nothing_and_proves_no_tensor() -> None:
    tree = ast.parse("from torch import no_grad\n")
    of_torch, of_fork = Names(tree), Names(tree, {"torch": ".."})
    assert [clue.what for clue in _newest(of_torch)] == ["torch.no_grad"]
    assert imports_torch_alone(of_torch)
    assert not _newest(of_fork)
    assert not imports_torch_alone(of_fork)


def test_an_import_from_a_module_named_torch_dates_nothing() -> None:
    assert not _newest(Names(ast.parse("from .torch import no_grad\n")))


def _newest(names: Names) -> list[Clue]:
    newer = find_clues(names, lambda node: False, lambda node: False, lambda line: False).newer
    return [] if newer is None else [newer]


def test_a_module_of_the_project_named_torch_is_not_torch(project: Path) -> None:
    written(project, "kit/__init__.py")
    written(project, "kit/torch.py", text="def solve(a, b): ...\n")
    use = "x = solve(a, b)\n"
    assert migrated(project / "kit" / "one.py", f"from torch import solve\n{use}").findings
    assert not migrated(project / "kit" / "two.py", f"from .torch import solve\n{use}").findings


def test_other_libraries_of_a_fork_stay_what_they_are(project: Path) -> None:
    written(project, "torchvision/__init__.py")
    old = "import torch\nimport torchvision\ny = torch.ger(torch.ones(2), torch.ones(2))\n"
    result = migrated(project / "test" / "test.py", old)
    assert result.after == old.replace("ger", "outer")


def test_what_a_fork_defines_is_known(project: Path) -> None:
    written(project, "torchvision/__init__.py", text="from torch import nn\n")
    text = "import torch\n\ndef scale(x):\n    return torch.ones(2).sum()\n"
    written(project, "torchvision/ops.py", text=text)
    old = "from torchvision.ops import scale\nx = scale(3).data[0]\n"
    result = migrated(project / "test.py", old, select=("TP103",))
    assert result.after == old.replace(".data[0]", ".item()")


def test_a_library_that_came_into_the_project_is_seen_by_a_later_run(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from torchfix_codemods.project import own_libraries as module
    from torchfix_codemods.runs.cache import Cache

    cache = Cache(tmp_path_factory.mktemp("cache"), Settings())
    before = cache.key(project / "train.py", b"")
    assert cache.key(project / "train.py", b"") == before
    written(project, "torchtext/__init__.py")
    module._seen_from.cache_clear()
    module._held.cache_clear()
    assert cache.key(project / "train.py", b"") != before
