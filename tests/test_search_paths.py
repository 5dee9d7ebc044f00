"""Folders that a file puts on ``sys.path``: what it imports from there is the project's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torchfix_codemods.project.index import Index
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

OS = "import os\nimport os.path as osp\nimport sys\nfrom os.path import dirname, join\n"
OS += "from pathlib import Path\n"
ADD_PATH = "def add_path(path):\n    if path not in sys.path:\n        sys.path.insert(0, path)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for name in ("lib/nets/vgg.py", "tools/train.py", "train.py"):
        written(tmp_path / name, "")
    return tmp_path.resolve()


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


FOLLOWED = {
    "insert": "sys.path.insert(0, 'lib')",
    "append": "sys.path.append('./lib/')",
    "file": "sys.path.append(os.path.join(os.path.dirname(__file__), 'lib'))",
    "a name": "here = osp.abspath(dirname(__file__))\nlib = join(here, 'lib')\nsys.path.append(lib)",
    "two names": "here, lib = dirname(__file__), 'lib'\nsys.path.append(join(here, lib))",
    "the working folder": "sys.path.append(os.path.join(os.getcwd(), 'lib'))",
    "around": "sys.path.append(osp.join(dirname(__file__), 'tools', os.pardir, 'lib'))",
    "asked first": "if 'lib' not in sys.path:\n    sys.path.append('lib')",
    "a helper": f"{ADD_PATH}add_path('lib')",
    "a path": "sys.path.append(str(Path(__file__).resolve().parent / 'lib'))",
    "a path by its parents": "sys.path.append(str(Path(osp.abspath(__file__)).parents[0] / 'lib'))",
    "a named path": "here = Path(__file__).parent\nsys.path.insert(0, str(here / 'lib'))",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in FOLLOWED.items()])
def test_literal_folders_are_followed(project: Path, text: str) -> None:
    script = written(project / "train.py", OS + text)
    assert Index().resolve("nets.vgg", script) == project / "lib/nets/vgg.py"


KEPT = {
    "nothing": "",
    "an argument": "sys.path.insert(0, sys.argv[1])",
    "a setting": "sys.path.append(os.environ['LIB'])",
    "a name with two values": "lib = 'lib'\nlib = find(lib)\nsys.path.append(lib)",
    "a function": "def start():\n    sys.path.append('lib')",
    "a condition": "if sys.version_info[0] == 2:\n    sys.path.append('lib')",
    "another list": "paths = []\npaths.append('lib')  # not sys.path",
    "another sys": "from settings import sys\nsys.path.append('lib')",
    "part of it unknown": "sys.path.append(os.path.join(ROOT, 'lib'))",
    "a helper that does more": (
        "def add_path(path):\n    path = find(path)\n    sys.path.insert(0, path)\nadd_path('lib')"
    ),
    "a helper with another folder": "def add(path):\n    sys.path.append(lib)\nadd('lib')",
    "above a relative folder": "sys.path.append(dirname('lib/nets'))",
    "outside of the project": "sys.path.append('/usr/lib')\nsys.path.append('../../lib')",
    "no Python": "sys.path.append('lib'",
    "a keyword": "sys.path.append(path='lib')",
    "text and number": "sys.path.append(3)",
    "a path of what is not known": "sys.path.append(str(Path(sys.argv[1]).parent / 'lib'))",
    "an unknown one of its parents": "sys.path.append(str(Path(__file__).parents[at] / 'lib'))",
    "another one of its parents": "sys.path.append(str(Path(__file__).parents[1] / 'lib'))",
    "above a relative path": "sys.path.append(str(Path('lib/nets').parent))",
    "another str": "str = find\nsys.path.append(str(Path(__file__).parent / 'lib'))",
    "another way from a path": "sys.path.append(str(Path(__file__).with_name('lib')))",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in KEPT.items()])
def test_what_hangs_on_more_is_not(project: Path, text: str) -> None:
    script = written(project / "train.py", OS + text)
    assert Index().resolve("nets.vgg", script) is None


def test_a_folder_beside_the_one_above(project: Path) -> None:
    """As in ``tools/`` of many repositories, which begin with ``import _init_paths``."""
    text = (
        f"{OS}{ADD_PATH}here = osp.abspath(dirname(dirname(__file__)))\nadd_path(join(here, 'lib'))"
    )
    written(project / "tools" / "_init_paths.py", text)
    script = written(project / "tools" / "train.py", "import _init_paths  # lib\nimport nets.vgg\n")
    assert Index().resolve("nets.vgg", script) == project / "lib/nets/vgg.py"
    other = written(project / "tools" / "test.py", "import nets.vgg\n")
    assert Index().resolve("nets.vgg", other) is None


def test_two_of_one_name_stay_in_doubt(project: Path) -> None:
    written(project / "nets" / "vgg.py", "")
    script = written(project / "train.py", "import sys\nsys.path.append('lib')\n")
    assert Index().resolve("nets.vgg", script) is None


FUNCTION = """\
from torch.autograd import Function


class Double(Function):
    def forward(self, x):
        return x * 2

    def backward(self, grad):
        return grad * 2
"""


def test_a_class_changes_together_with_calls_from_there(project: Path) -> None:
    function = written(project / "lib" / "nets" / "double.py", FUNCTION)
    start = "import sys\nsys.path.insert(0, 'lib')\nimport torch\n"
    script = project / "train.py"
    written(script, start + "from nets.double import Double\ny = Double()(torch.ones(2))\n")
    results = [*migrate_files([function, script], Settings(), write=True)]
    assert not any(result.errors for result in results)
    assert "@staticmethod" in function.read_text()
    assert "y = Double.apply(torch.ones(2))" in script.read_text()


@pytest.mark.parametrize(
    ("lines", "is_followed"),
    [
        (["import sys\n", "sys.path.append('../lib')"], True),
        (["import sys\n", 'sys.path.insert(0, "../lib")\n', "x = 1"], True),
        (["import sys\nsys.path.append('../lib')\n"], True),
        (["import sys\n", "# sys.path.append('../lib')"], False),
        (["import sys\n", "if old:\n", "    sys.path.append('../lib')"], False),
        (["import sys\n", "sys.path.append(folder)"], False),
        (["import sys\n", "sys.path.append('lib')"], False),
        (["text = \"sys.path.append('../lib')\""], False),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_notebook_is_run_in_its_own_folder(
    project: Path, lines: list[str], is_followed: bool, indent: int | None
) -> None:
    cell = {"cell_type": "code", "source": lines, "metadata": {}, "outputs": []}
    text = json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 2}, indent=indent)
    notebook = written(project / "notebooks" / "train.ipynb", text)
    found = Index().resolve("nets.vgg", notebook)
    assert found == (project / "lib/nets/vgg.py" if is_followed else None)
