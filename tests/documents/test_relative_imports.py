from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from torchfix_codemods.cli.commands import main


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a package of two modules."""
    (tmp_path / "nets").mkdir()
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "nets" / "layers.py").write_text("def double(x):\n    return 2 * x\n")
    (tmp_path / "nets" / "vgg.py").write_text("size = 3\n")
    return tmp_path


def written(folder: Path) -> dict[str, str]:
    return {str(f.relative_to(folder)): f.read_text() for f in folder.rglob("*.py")}


def migrated(folder: Path, *options: str, **modules: str) -> dict[str, str]:
    """What the modules of the package become; a second run changes nothing."""
    for name, text in modules.items():
        (folder / "nets" / f"{name}.py").write_text(text)
    result = CliRunner().invoke(main, ["migrate", "--py2", "--no-cache", *options, str(folder)])
    assert result.exit_code == 0, result.output
    texts = written(folder)
    CliRunner().invoke(main, ["migrate", "--py2", "--no-cache", *options, str(folder)])
    assert written(folder) == texts
    return {name: texts[f"nets/{name}.py"] for name in modules}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from layers import *\n", "from .layers import *\n"),
        ("from  layers import (double,\n  double as d)\n", None),
        ("import vgg\n", "from . import vgg\n"),
        ("import vgg as v, os\nimport vgg as v\n", "import vgg as v, os\nfrom . import vgg as v\n"),
        ("é = 1; import vgg; from layers import double\n", None),
        ("print 1\nimport vgg\n", "print(1)\nfrom . import vgg\n"),
        ("x.cuda(0, async=True)\nimport vgg\n", "x.cuda(0, async=True)\nfrom . import vgg\n"),
        ("def f():\n    from layers import double\n", "def f():\n    from .layers import double\n"),
    ],
)
def test_an_init_takes_what_is_beside_it(project: Path, before: str, after: str | None) -> None:
    """As Python 2 did."""
    if after is None:
        after = before.replace("layers", ".layers").replace("import vgg", "from . import vgg")
    assert migrated(project, __init__=before)["__init__"] == after


def test_it_runs_then(project: Path) -> None:
    migrated(project, __init__="from layers import double\nimport vgg\nprint double(vgg.size)\n")
    command = [sys.executable, "-c", "import nets"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout == "6\n"


@pytest.mark.parametrize(
    "init",
    [
        "from .layers import double\n",
        "from __future__ import absolute_import\nfrom layers import double\n",
        "try:\n    from layers import double\nexcept ImportError:\n    from .layers import double\n",
        "import sys\nif sys.version_info[0] == 2:\n    from layers import double\n",
        "import layers.parts\nimport vgg, layers\n",
        "from elsewhere import double\n",
        "from torch import nn\nimport numpy\nimport random\n",
        "text = 'from layers import double'\n",
    ],
)
def test_what_stays(project: Path, init: str) -> None:
    """Modules that are meant otherwise, and that another library or module may be."""
    for name in ("torch", "numpy", "random"):
        (project / "nets" / f"{name}.py").write_text("x = 1\n")
    assert migrated(project, __init__=init)["__init__"] == init


def test_a_module_of_the_same_name_elsewhere(project: Path) -> None:
    (project / "layers.py").write_text("double = 1\n")
    (project / "config.py").write_text("size = 1\n")
    init = "from layers import double\nimport config\nimport vgg\n"
    now = migrated(project, __init__=init)["__init__"]
    assert now == "from layers import double\nimport config\nfrom . import vgg\n"


def test_without_the_option(project: Path) -> None:
    init = project / "nets" / "__init__.py"
    init.write_text("from layers import double\n")
    CliRunner().invoke(main, ["migrate", "--no-cache", str(project)])
    assert init.read_text() == "from layers import double\n"


def test_a_folder_that_is_no_package(project: Path) -> None:
    text = "from layers import double\n"
    assert migrated(project, model=text)["model"] == text


MODEL = "from layers import double\n"
RELATIVE = "from .layers import double\n"


@pytest.mark.parametrize(
    "init",
    [
        "from model import *\n",
        "from .model import *\n",
        "from . import model\n",
        "from . import (vgg,\n  model)\n",
    ],
)
def test_modules_that_the_package_imports(project: Path, init: str) -> None:
    """And those that they import."""
    other = "import model\nimport vgg\n"
    texts = migrated(project, __init__=init + "import other\n", model=MODEL, other=other)
    assert texts["model"] == RELATIVE
    assert texts["other"] == "from . import model\nfrom . import vgg\n"


@pytest.mark.parametrize(
    "others",
    [
        {"__init__": ""},
        {"__init__": "import model\n", "train": "from model import double\n"},
        {"__init__": "import model\n", "train": "import layers\n"},
    ],
)
def test_modules_that_scripts_import(project: Path, others: dict[str, str]) -> None:
    """Run in their folder, as ``cd nets; python train.py``, they are no part of a package."""
    assert migrated(project, **others, model=MODEL)["model"] == MODEL


def test_a_module_that_is_a_script(project: Path) -> None:
    text = MODEL + "if __name__ == '__main__':\n    double(1)\n"
    assert migrated(project, __init__="import model\n", model=text)["model"] == text


def test_a_script_of_a_package(project: Path) -> None:
    """It imports nothing that is beside it without its package."""
    init, train = "from model import double\n", "from nets.model import double\n"
    texts = migrated(project, __init__=init, model=MODEL, train=train, unused=RELATIVE)
    assert (texts["model"], texts["train"]) == (RELATIVE, train)


def test_a_module_that_is_called_as_a_library(project: Path) -> None:
    """``nets/maze.py`` with ``import maze`` means a library, or Python 2 took the module itself."""
    text = "import maze\n"
    assert migrated(project, __init__="import maze\n", maze=text)["maze"] == text


def test_the_lines_are_told(project: Path) -> None:
    init = project / "nets" / "__init__.py"
    init.write_text("'''Nets.'''\nimport os\nimport vgg\n")
    words = ["migrate", "--py2", "--no-cache", "--diff", "-v", str(project)]
    output = CliRunner().invoke(main, words).output
    assert "__init__.py:3:1: TP001 python-2: Python 2 took the module beside this one" in output


@pytest.mark.parametrize("guard", ["", "if __name__ == '__main__':\n    size(1)\n"])
def test_a_script_beside_packages(project: Path, guard: str) -> None:
    """A checkout that has an ``__init__.py`` itself is still where its scripts run."""
    (project / "nets" / "parts").mkdir()
    (project / "nets" / "parts" / "__init__.py").write_text("size = 3\n")
    text = "from parts import size\n" + guard
    assert migrated(project, __init__="", train=text)["train"] == text


@pytest.mark.parametrize(
    ("test", "now"),
    [
        ("from nets.model import double\n", RELATIVE),
        ("import nets.model as m\n", RELATIVE),
        ("from nets import vgg, model\n", RELATIVE),
        ("from nets.vgg import model\n", MODEL),
        ("from others.model import double\n", MODEL),
        ("import nets\n", MODEL),
    ],
)
def test_a_module_that_code_around_the_package_imports(project: Path, test: str, now: str) -> None:
    (project / "test.py").write_text(test)
    assert migrated(project, __init__="", model=MODEL)["model"] == now


@pytest.mark.parametrize("file", ["nets/wrapper.py", "tools/train.py"])
def test_a_module_that_code_near_the_package_imports(project: Path, file: str) -> None:
    (project / "tools").mkdir()
    (project / file).write_text("from nets.model import double\n")
    assert migrated(project, __init__="", model=MODEL)["model"] == RELATIVE


def test_a_package_beside_a_module_of_a_package(project: Path) -> None:
    parts = project / "nets" / "parts"
    parts.mkdir()
    (parts / "__init__.py").write_text("")
    (parts / "heads.py").write_text("def head(x):\n    return x\n")
    (project / "test.py").write_text("from nets.model import net\n")
    texts = migrated(project, __init__="", model="from parts.heads import head\n")
    assert texts["model"] == "from .parts.heads import head\n"


@pytest.mark.parametrize("text", ["from layers.parts import head\n", "from layers import parts\n"])
def test_in_the_folder_of_the_project(
    project: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package elsewhere may be meant, wherever the run begins."""
    monkeypatch.chdir(project)
    (project / "layers").mkdir()
    for name in ("layers/__init__.py", "layers/parts.py"):
        (project / name).write_text("def head(x):\n    return x\n")
    (project / "test.py").write_text("from nets.model import net\n")
    assert migrated(Path(), __init__="", model=text)["model"] == text


def test_a_package_beside_without_that_module(project: Path) -> None:
    (project / "nets" / "parts").mkdir()
    (project / "nets" / "parts" / "__init__.py").write_text("")
    (project / "test.py").write_text("from nets.model import net\n")
    texts = migrated(project, __init__="", model="from parts.heads import head\n")
    assert texts["model"] == "from parts.heads import head\n"
