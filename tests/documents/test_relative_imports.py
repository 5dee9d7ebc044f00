from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from torchfix_codemods.cli.commands import main
from torchfix_codemods.engine.migrate import Migration
from torchfix_codemods.finding import FileError


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
        ("import vgg, layers\n", "from . import vgg, layers\n"),
        ("import vgg as v,\\\n  layers\n", "from . import vgg as v,\\\n  layers\n"),
        (
            "import vgg, layers\nlayers.double(vgg.size)\n",
            "from . import vgg, layers\nlayers.double(vgg.size)\n",
        ),
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
        "import layers.parts\nimport vgg, os\n",
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
    init = "from layers import double\nimport config\n"
    assert migrated(project, __init__=init)["__init__"] == init


@pytest.mark.parametrize(
    ("line", "dotted"),
    [
        ("from layers import double", "from .layers import double"),
        ("import layers", "from . import layers"),
        ("import layers as l; l.double(1)", "from . import layers as l; l.double(1)"),
        ("def f():\n    import layers", "def f():\n    from . import layers"),
        ("from layers import size", "from layers import size"),
        ("import layers\nlayers.size", "import layers\nlayers.size"),
        ("import random", "import random"),
    ],
)
def test_a_module_of_the_same_name_elsewhere_beside_an_import_that_python_3_cannot_do(
    project: Path, line: str, dotted: str
) -> None:
    """The file was run by Python 2 alone, which looks beside it first."""
    (project / "layers").mkdir()
    (project / "layers" / "__init__.py").write_text("double = size = 1\n")
    (project / "nets" / "random.py").write_text("double = 1\n")
    init = f"import config\nimport vgg\n{line}\n"
    now = migrated(project, __init__=init)["__init__"]
    assert now == f"import config\nfrom . import vgg\n{dotted}\n"


def test_an_import_in_a_function_does_not_show_who_ran_the_file(project: Path) -> None:
    (project / "layers.py").write_text("double = 1\n")
    init = "import layers\ndef f():\n    import vgg\n"
    now = migrated(project, __init__=init)["__init__"]
    assert now == "import layers\ndef f():\n    from . import vgg\n"


def test_nor_does_one_where_scripts_import_as_well(project: Path) -> None:
    (project / "layers.py").write_text("double = 1\n")
    (project / "nets" / "train.py").write_text("import vgg\n")
    (project / "nets" / "net.py").write_text("import vgg\nimport layers\n")
    now = migrated(project, __init__="from .net import vgg\n")
    assert written(project)["nets/net.py"] == "import vgg\nimport layers\n", now


@pytest.mark.parametrize(
    ("other", "init", "is_meant"),
    [
        ("size = 1\n", "from layers import double\n", True),
        ("size = 1\n", "from layers import double as d\nfrom layers import double\n", True),
        ("size = 1\n", "from layers import double, size\n", False),
        ("size = 1\n", "from layers import size\n", False),
        ("size = 1\n", "from layers import *\n", False),
        ("size = 1\n", "import layers\nlayers.double(1)\n", False),
        ("double = max\n", "from layers import double\n", False),
        ("from other import *\n", "from layers import double\n", False),
    ],
)
def test_the_only_module_of_that_name_with_what_is_taken(
    project: Path, other: str, init: str, is_meant: bool
) -> None:
    """Python 2 took the one beside the file, of which Python 3 finds the other."""
    (project / "setup.py").unlink()
    (project / "train.py").write_text("from layers import size\nimport nets\nimport torch\n")
    (project / "layers.py").write_text(other)
    (project / "nets" / "__init__.py").write_text(init)
    now = by_default(project)[0]["nets/__init__.py"]
    assert now == (init.replace("from layers", "from .layers") if is_meant else init)


def test_a_package_of_that_name_at_the_top(project: Path) -> None:
    (project / "layers").mkdir()
    (project / "layers" / "__init__.py").write_text("size = 1\n")
    init = "from layers import double\ndef f():\n    from vgg import size\n"
    now = init.replace("vgg", ".vgg")
    assert migrated(project, __init__=init)["__init__"] == now.replace("layers", ".layers")
    (project / "layers" / "double.py").write_text("size = 1\n")
    assert migrated(project, __init__=init)["__init__"] == now


def test_what_takes_the_module_beside_it_and_is_a_script_as_well(project: Path) -> None:
    """Python 3 finds another one for the package: it raises another error."""
    (project / "setup.py").unlink()
    (project / "layers.py").write_text("size = 1\n")
    (project / "train.py").write_text("from nets.vgg import double\nimport torch\n")
    (project / "nets" / "__init__.py").write_text("")
    (project / "nets" / "vgg.py").write_text("from layers import double\n")
    (project / "nets" / "run.py").write_text("from vgg import double\n")
    texts, said = by_default(project)
    assert texts["nets/vgg.py"] == "from layers import double\n"
    assert "Python 3 raises ImportError here when it imports nets.vgg" in said


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


@pytest.mark.parametrize("as_lines", [True, False])
def test_a_module_that_a_notebook_imports(project: Path, as_lines: bool) -> None:
    """A notebook beside the package, or in a folder for examples, uses it as scripts there do."""
    (project / "examples").mkdir()
    lines = ["import os\n", "from nets.model import double"]
    cell = {"cell_type": "code", "source": lines if as_lines else "".join(lines)}
    (project / "examples" / "show.ipynb").write_text(json.dumps({"cells": [cell]}))
    assert migrated(project, __init__="", model=MODEL)["model"] == RELATIVE


def test_a_module_that_a_notebook_beside_it_imports(project: Path) -> None:
    cell = {"cell_type": "code", "source": ["from model import double\n"]}
    (project / "nets" / "model.ipynb").write_text(json.dumps({"cells": [cell]}))
    assert migrated(project, __init__="import model\n", model=MODEL)["model"] == MODEL


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


def by_default(folder: Path, *options: str) -> tuple[dict[str, str], str]:
    """What the files of a project that uses torch become, and what is said of them."""
    (folder / "main.py").write_text("import torch\nimport nets\n")
    words = ["migrate", "--no-cache", "-v", *options, str(folder)]
    output = CliRunner().invoke(main, words).output
    texts = written(folder)
    CliRunner().invoke(main, words)
    assert written(folder) == texts
    return texts, output


INIT = "from layers import *\nimport vgg\n"
DOTTED = "from .layers import *\nfrom . import vgg\n"


def test_a_project_that_uses_torch(project: Path) -> None:
    """Also where nobody asked for Python 2: the file can be read by Python 3, and not be run."""
    (project / "nets" / "__init__.py").write_text(INIT)
    command = [sys.executable, "-c", "import nets; print(nets.double(nets.vgg.size))"]
    before = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError: No module named 'layers'" in before.stderr
    texts, output = by_default(project)
    assert texts["nets/__init__.py"] == DOTTED and output.count("TP001 python-2") == 2
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout == "6\n"


def test_a_file_that_a_rule_changes_as_well(project: Path) -> None:
    text = "import torch\nfrom layers import double\nx = torch.ger(torch.ones(2), double(1))\n"
    (project / "nets" / "__init__.py").write_text(text)
    now = by_default(project)[0]["nets/__init__.py"]
    assert now == text.replace("layers", ".layers").replace("ger", "outer")


def test_a_file_that_cannot_be_migrated(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(text: str, rules: object, options: object) -> Migration:
        return Migration(text, errors=(FileError("unstable", "not finished"),))

    monkeypatch.setattr("torchfix_codemods.engine.migrate.migrate_text", fails)
    text = "import torch\nfrom layers import double\n"
    (project / "nets" / "__init__.py").write_text(text)
    assert by_default(project)[0]["nets/__init__.py"] == text


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("train.py", "import sys\nsys.path.append('nets')\n"),
        ("train.py", "import sys\nsys.path.insert(0, './nets/')\n"),
        ("train.py", "from sys import path\npath.append('nets')\n"),
        ("train.py", "import sys\nsys.path += ['nets']\n"),
        ("train.py", "import sys\nsys.path[0] = 'nets'\n"),
        ("train.py", "import site\nsite.addsitedir('nets')\n"),
        ("train.py", "import sys\nfor f in ['nets']:\n    sys.path.append(f)\n"),
        ("train.py", "import sys\nsys.path.append(sys.argv[1])\n"),
        ("train.py", "import os, sys\nsys.path.append(os.path.join(sys.argv[1], 'nets'))\n"),
        ("train.py", "import os, sys\nsys.path.append(os.path.dirname(__file__) + '/nets')\n"),
        (
            "train.py",
            "import os, sys\nhere = os.path.dirname(os.path.abspath(__file__))\n"
            "sys.path.append(os.path.join(here, 'nets'))\n",
        ),
        (
            "train.py",
            "import sys\ndef add(folder):\n    sys.path.insert(0, folder)\nadd('nets')\n",
        ),
        ("run.sh", "export PYTHONPATH=$PWD/nets\npython main.py\n"),
        ("setup.py", "setup(package_dir={'': 'nets'})\n"),
        (
            "train.py",
            "import sys\ndef add(folder, size):\n    sys.path.insert(0, folder)\nadd('nets', 1)\n",
        ),
        ("nets/setup.py", ""),
        ("requirements.txt", "torch==0.3.1\nlayers>=1.0\nvgg\n"),
        ("setup.py", "setup(install_requires=['layers>=1.0', 'vgg'])\n"),
        ("train.py", "from layers import Dense\nimport os, vgg\n"),
        ("scripts/train.py", "import layers\nimport vgg\n"),
        ("nets/train.py", "from __init__ import *\n"),
    ],
)
def test_where_python_3_may_find_it(project: Path, file: str, text: str) -> None:
    """Its folder is on the path, or a library has that name."""
    (project / "nets" / "__init__.py").write_text(INIT)
    (project / "scripts").mkdir()
    (project / ".git").mkdir()
    (project / file).write_text(text)
    assert by_default(project)[0]["nets/__init__.py"] == INIT


_UNKNOWN = "import sys\nfrom nets.eval import run\nsys.path.append(sys.argv[1])\n"
_OLD = "def double(x):\n    print x\n    return 2 * x\n"


@pytest.mark.parametrize(
    ("layers", "used"),
    [(_OLD, ""), ("def double(x):\n    return 2 * x\n", "print 1\n")],
)
def test_what_python_3_cannot_read_it_did_not_find(project: Path, layers: str, used: str) -> None:
    """Whatever the program puts on the path."""
    (project / "nets" / "__init__.py").write_text("")
    (project / "train.py").write_text(_UNKNOWN)
    (project / "nets" / "layers.py").write_text(layers)
    text = f"{used}from layers import double\nrun = double\n"
    after = migrated(project, eval=text)["eval"]
    assert after == text.replace("print 1", "print(1)").replace("layers", ".layers")


@pytest.mark.parametrize(
    ("train", "layers", "others"),
    [
        (_UNKNOWN, "def double(x):\n    return 2 * x\n", ""),
        (_UNKNOWN, "double = (1\n", ""),
        ("import sys\nsys.path.append(sys.argv[1])\n", _OLD, ""),
        (_UNKNOWN, _OLD, "from layers import double\nprint(double)\n"),
    ],
)
def test_where_python_3_may_have_found_it(
    project: Path, train: str, layers: str, others: str
) -> None:
    """Or where scripts of the folder take it, too, or nothing is seen to take the package."""
    (project / "nets" / "__init__.py").write_text("")
    (project / "train.py").write_text(train)
    (project / "nets" / "layers.py").write_text(layers)
    (project / "nets" / "show.py").write_text(others)
    text = "from layers import double\nrun = double\n"
    (project / "nets" / "eval.py").write_text(text)
    assert by_default(project)[0]["nets/eval.py"] == text


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("train.py", "import sys\nprint(sys.path)\nsys.path.append('tools')\n"),
        ("train.py", "import sys\nif 'x' not in sys.path:\n    sys.path.append('..')\n"),
        (
            "train.py",
            "import os, sys\nsys.path.append(os.path.join(os.getcwd(), 'runs', sys.argv[1]))\n",
        ),
        ("train.py", "from nets.layers import double\nimport nets.vgg\n"),
        ("run.sh", "export PYTHONPATH=$PWD\ncd nets\n"),
        ("requirements.txt", "torch==0.3.1\nvgg-loss\n"),
        ("other/__init__.py", "from .layers import x\n"),
    ],
)
def test_where_python_3_does_not(project: Path, file: str, text: str) -> None:
    (project / "nets" / "__init__.py").write_text(INIT)
    (project / "other").mkdir()
    (project / "other" / "layers.py").write_text("x = 1\n")
    (project / "other" / "__init__.py").write_text("")
    (project / file).write_text(text)
    assert by_default(project)[0]["nets/__init__.py"] == DOTTED


def test_a_module_where_scripts_run(project: Path) -> None:
    (project / "nets" / "__init__.py").write_text("from layers import *\n")
    (project / "scripts").mkdir()
    (project / "scripts" / "layers.py").write_text("size = 1\n")
    assert by_default(project)[0]["nets/__init__.py"] == "from layers import *\n"


def test_names_that_the_module_beside_has(project: Path) -> None:
    """A library of that name has not just these; and what Python 3 never ran, only Python 2 did."""
    init = "from layers import double\nimport vgg\n"
    (project / "nets" / "__init__.py").write_text(init)
    (project / "requirements.txt").write_text("layers\nvgg\n")
    now = by_default(project)[0]["nets/__init__.py"]
    assert now == init.replace("layers", ".layers").replace("import vgg", "from . import vgg")


@pytest.mark.parametrize(
    "init",
    [
        "try:\n    from layers import double\nexcept ImportError:\n    double = None\n",
        "import random\nfrom layers import double\nif __name__ == '__main__':\n    double(1)\n",
        "from random import double\n",
        "from vgg.parts import size\n",
        "from layers import Dense\n",
        "import torch, vgg\nimport layers\nnet = layers.Dense(3)\n",
        "import layers as l\ndef net():\n    return l.double(l.Dense(3))\n",
        "# torchfix: skip-file\nfrom layers import double\n",
    ],
)
def test_what_stays_by_default(project: Path, init: str) -> None:
    (project / "nets" / "random.py").write_text("def double(x):\n    return 2 * x\n")
    (project / "nets" / "layers.py").write_text("def double(x):\n    return x.Dense * 2\n")
    (project / "nets" / "__init__.py").write_text(init)
    assert by_default(project)[0]["nets/__init__.py"] == init


def test_the_folder_of_the_project_itself(project: Path) -> None:
    """Its scripts are run there."""
    (project / "__init__.py").write_text("from helpers import double\n")
    (project / "helpers.py").write_text("def double(x):\n    return 2 * x\n")
    assert by_default(project)[0]["__init__.py"] == "from helpers import double\n"


def test_what_is_used_of_a_module(project: Path) -> None:
    (project / "nets" / "parts").mkdir()
    for file in ("parts/__init__.py", "parts/heads.py"):
        (project / "nets" / file).write_text("")
    init = "import layers\nimport parts\nx = layers.double(parts.heads)\n"
    (project / "nets" / "__init__.py").write_text(init)
    now = by_default(project)[0]["nets/__init__.py"]
    assert now == init.replace("import ", "from . import ")


@pytest.mark.parametrize("options", [("--select", "TP301"), ("--no-py2",)])
def test_it_is_not_written_unasked(project: Path, options: tuple[str, ...]) -> None:
    (project / "nets" / "__init__.py").write_text(INIT)
    texts, output = by_default(project, *options)
    assert texts["nets/__init__.py"] == INIT
    said = "only Python 2 looks for layers beside this file: with a dot, Python 3 finds it"
    assert (said in output) == ("--no-py2" in options)


@pytest.mark.parametrize(
    ("line", "names", "more"),
    [
        ("import parts.heads", "parts", ""),
        ("import vgg as v, os", "vgg", ", write `from . import vgg as v`"),
        ("import vgg, os, layers", "vgg and layers", ", write `from . import vgg, layers`"),
        ("import vgg, parts.heads", "vgg and parts", ", write `from . import vgg`"),
    ],
)
def test_what_has_no_spelling_with_a_dot(project: Path, line: str, names: str, more: str) -> None:
    (project / "nets" / "parts").mkdir()
    for file in ("parts/__init__.py", "parts/heads.py"):
        (project / "nets" / file).write_text("")
    (project / "nets" / "__init__.py").write_text(f"{line}\n")
    texts, output = by_default(project)
    assert texts["nets/__init__.py"] == f"{line}\n"
    said = f"only Python 2 looks for {names} beside this file: Python 3 raises ModuleNotFoundError"
    assert f"__init__.py:1:1: TP005 only-python-2: {said}{more}\n" in output
    name = names.partition(" ")[0]
    command = [sys.executable, "-c", "import nets"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert f"ModuleNotFoundError: No module named '{name}'" in done.stderr


def test_a_module_below_by_another_name(project: Path) -> None:
    (project / "nets" / "parts").mkdir()
    for file in ("parts/__init__.py", "parts/heads.py"):
        (project / "nets" / file).write_text("")
    (project / "nets" / "__init__.py").write_text("import parts.heads as h\n")
    assert by_default(project)[0]["nets/__init__.py"] == "from .parts import heads as h\n"


def test_a_module_that_is_called_as_its_package(project: Path) -> None:
    (project / "nets" / "nets.py").write_text(MODEL)
    (project / "nets" / "__init__.py").write_text("")
    (project / "train.py").write_text("from nets.nets import double\n")
    assert by_default(project)[0]["nets/nets.py"] == RELATIVE


def test_a_module_that_scripts_import_as_well(project: Path) -> None:
    """A dot would stop these, and without one the package cannot be imported."""
    text = "import torch\n" + MODEL + "import vgg\nfrom layers import *\n"
    (project / "nets" / "__init__.py").write_text("from .model import double\n")
    (project / "nets" / "model.py").write_text(text)
    (project / "nets" / "train.py").write_text("from model import double\n")
    texts, output = by_default(project)
    assert texts["nets/model.py"] == text
    said = (
        "Python 3 raises ModuleNotFoundError here when it imports nets.model: `from .layers import"
        " double`, and so in lines 3, 4, works there, but not for scripts of this folder"
    )
    assert f"model.py:2:1: TP005 only-python-2: {said}\n" in output
    assert output.count("TP005") == 1 + output.count("1 TP005") and "train.py:1:1" not in output
    command = [sys.executable, "-c", "import nets.model"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError: No module named 'layers'" in done.stderr


@pytest.mark.parametrize(
    ("script", "is_run"),
    [
        ("from layers import double\n", False),
        ("from vgg import x\n", True),
        ("from layers import double\nif __name__ == '__main__':\n    from model import x\n", True),
        ("from parts.heads import x\n", True),
    ],
)
def test_scripts_are_named_where_one_comes_to_the_module(
    project: Path, script: str, is_run: bool
) -> None:
    (project / "nets" / "parts").mkdir()
    for file, text in (
        ("parts/__init__.py", ""),
        ("parts/heads.py", "from model import x\n"),
        ("__init__.py", "from .vgg import x\n"),
        ("model.py", "import torch\nfrom layers import double\nx = 1\n"),
        ("vgg.py", "from model import x\n"),
        ("train.py", script),
    ):
        (project / "nets" / file).write_text(text)
    _, output = by_default(project)
    assert ("but not for scripts of this folder" in output) is is_run
    assert ("nets.model: write `from .layers import double`" in output) is not is_run


@pytest.mark.parametrize(
    ("first", "more"),
    [
        ("", "write `from .heads import head`\n"),
        ("from nets import layers\n", "write `from .heads import head`\n"),
        ("from nets.parts.other import x\n", "import from nets.parts.heads, as line 1 does\n"),
    ],
)
def test_a_package_in_a_package_is_named_as_a_whole(project: Path, first: str, more: str) -> None:
    inner = project / "nets" / "parts"
    inner.mkdir()
    (inner / "__init__.py").write_text("from .model import double\n")
    (inner / "heads.py").write_text("head = 1\n")
    (inner / "model.py").write_text(f"{first}import torch\nfrom heads import head\ndouble = 2\n")
    (inner / "other.py").write_text("x = 1\n")
    (inner / "train.py").write_text("from heads import head\n")
    (project / "nets" / "__init__.py").write_text("")
    (project / "main.py").write_text("import torch\nfrom nets.parts.model import double\n")
    _, output = by_default(project)
    assert f"here when it imports nets.parts.model: {more}" in output


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("import vgg", "`from . import vgg`"),
        ("import vgg as v", "`from . import vgg as v`"),
        ("from vgg import *", "`from .vgg import *`"),
        ("import vgg, os", "a dot before vgg"),
        ("from vgg import double as another_name_of_it", "a dot before vgg"),
        ("import vgg, os; import layers", "a dot before vgg and layers"),
        ("from vgg import *\nfrom vgg import double", "`from .vgg import *`, and so in line 3,"),
    ],
)
def test_the_dot_that_the_package_needs_is_named(project: Path, line: str, more: str) -> None:
    (project / "nets" / "__init__.py").write_text("from .model import x\n")
    (project / "nets" / "vgg.py").write_text("double = 2\n")
    (project / "nets" / "model.py").write_text(f"import torch\n{line}\nx = 1\n")
    (project / "nets" / "train.py").write_text("from model import x\n")
    _, output = by_default(project)
    assert f"imports nets.model: {more} works there, but not for scripts of this folder\n" in output
    if more.endswith("`"):
        (project / "nets" / "model.py").write_text(f"{more.split('`')[1]}\nx = 1\n")
        subprocess.run([sys.executable, "-c", "import nets.model"], cwd=project, check=True)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "nets.model"),
        ("from . import nets\n", "nets.model"),
        ("import {}.nets.model\n", "{}.nets.model"),
        ("import nets.model, torch\nfrom {}.nets import model\n", "{}.nets.model"),
    ],
)
def test_a_folder_that_nobody_imports_from_is_no_package(
    project: Path, text: str, name: str
) -> None:
    (project / "__init__.py").write_text("")
    (project / "nets" / "__init__.py").write_text("from .model import x\n")
    (project / "nets" / "model.py").write_text("import torch\nfrom layers import double\nx = 1\n")
    (project / "nets" / "train.py").write_text("from model import x\n")
    (project.parent / "tools").mkdir(exist_ok=True)
    (project.parent / "tools" / "other.py").write_text(f"import {project.name}\n")
    (project / "run.py").write_text(text.format(project.name))
    _, output = by_default(project)
    assert f"here when it imports {name.format(project.name)}: " in output


_RUN = "if __name__ == '__main__':\n    double(1)\n"


@pytest.mark.parametrize(
    ("code", "is_script"),
    [
        (_RUN, True),
        (f"'''\n{_RUN}'''\n", False),
        (f"'''\nif __name__\n'''\n{_RUN}", True),
        (f"from vgg import x\n{_RUN}", True),
        (f"from .vgg import x\n{_RUN}", False),
        (f"from . import vgg\n{_RUN}", False),
        (f"'''\nfrom .vgg import x\n'''\n{_RUN}", True),
        (f"try:\n    from .vgg import x\nexcept ImportError:\n    from vgg import x\n{_RUN}", True),
    ],
)
def test_what_asks_if_it_is_run_is_a_script(project: Path, code: str, is_script: bool) -> None:
    """A text in it asks nothing, and what imports by a dot cannot be run."""
    text = f"import torch\nfrom layers import double\n{code}"
    (project / "nets" / "__init__.py").write_text("from .model import double\n")
    (project / "nets" / "model.py").write_text(text)
    texts, output = by_default(project)
    assert (texts["nets/model.py"] == text) == is_script
    assert ("here when it imports nets.model" in output) == is_script


def test_what_a_module_imports_as_a_script(project: Path) -> None:
    text = "import torch\nif __name__ == '__main__':\n    from layers import double\n"
    (project / "nets" / "__init__.py").write_text("from .model import *\n")
    (project / "nets" / "model.py").write_text(text)
    texts, output = by_default(project)
    assert texts["nets/model.py"] == text and "TP005" not in output


@pytest.mark.parametrize(
    "test", ["__package__ is None", "not __package__", "__name__ == '__main__' and not __package__"]
)
def test_what_a_module_imports_where_it_has_no_package(project: Path, test: str) -> None:
    """A script has none, so a dot would raise in the very branch that is for scripts."""
    beside, dotted = "from layers import double", "from .layers import double"
    text = f"import torch\nif {test}:\n    {beside}\nelse:\n    {dotted}\n"
    (project / "nets" / "__init__.py").write_text("from .model import *\n")
    (project / "nets" / "model.py").write_text(text)
    texts, output = by_default(project)
    assert texts["nets/model.py"] == text and "TP005" not in output


def test_what_a_script_without_a_package_imports_has_no_dot_either(project: Path) -> None:
    text = "import torch\nfrom vgg import size\n"
    script = (
        "if __package__ is None:\n    from layers import size\nelse:\n    from . import layers\n"
    )
    (project / "nets" / "__init__.py").write_text("from .model import *\n")
    (project / "nets" / "model.py").write_text(script)
    (project / "nets" / "layers.py").write_text(text)
    texts, _ = by_default(project)
    assert texts["nets/layers.py"] == text


def test_another_condition_chooses_no_import(project: Path) -> None:
    text = "import torch\nif torch.cuda.is_available():\n    from layers import double\n"
    (project / "nets" / "__init__.py").write_text("from .model import *\n")
    (project / "nets" / "model.py").write_text(text)
    texts, _ = by_default(project)
    assert texts["nets/model.py"] == text.replace("from layers", "from .layers")


def test_explained(project: Path) -> None:
    """The file itself does not speak of torch."""
    init = project / "nets" / "__init__.py"
    init.write_text(INIT)
    (project / "main.py").write_text("import torch\nimport nets\n")
    output = " ".join(CliRunner().invoke(main, ["explain", f"{init}:1"]).output.split())
    assert "TP001 python-2 (restored), is rewritten" in output
    assert "No rule is asked about this file, because" in output and "never read" not in output


HELPERS = "def imwrite(path):\n    return path\n\n\ndef open(path):\n    return path\n"


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("from io import imwrite\n", "imwrite"),
        ("from io import imwrite, open\nimport torch\n", "imwrite"),
        ("import io\nprint(io.imwrite('a'))\n", "imwrite"),
    ],
)
@pytest.mark.parametrize("folder", ["nets", "scripts"])
def test_what_python_has_no_module_beside_hides(
    project: Path, folder: str, text: str, taken: str
) -> None:
    if folder == "nets":
        (project / "nets" / "__init__.py").write_text("")
    (project / folder).mkdir(exist_ok=True)
    (project / folder / "io.py").write_text(HELPERS)
    file = project / folder / "run.py"
    file.write_text(text)
    texts, output = by_default(project)
    assert texts[f"{folder}/run.py"] == text
    assert f"takes its own io here, not the io.py beside this file, and finds no {taken}" in output
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert "module 'io' has no attribute" in done.stderr or "cannot import name" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("from io import imwrite, open\n", "write `from .io import imwrite, open`"),
        ("import io\nprint(io.imwrite('a'))\n", "write `from . import io`"),
        ("from io import open as opened, imwrite as written\n", "write `from .io import …`"),
        ("from io import imwrite, StringIO\n", "give that file another name"),
    ],
)
@pytest.mark.parametrize("is_script", [True, False])
def test_what_only_its_package_imports_needs_a_dot(
    project: Path, text: str, said: str, is_script: bool
) -> None:
    (project / "nets" / "__init__.py").write_text("")
    (project / "nets" / "io.py").write_text(HELPERS)
    file = project / "nets" / "base.py"
    file.write_text(text)
    (project / "train.py").write_text("import nets.base\n")
    if is_script:
        (project / "nets" / "run.py").write_text("import base\n")
    texts, output = by_default(project)
    assert texts["nets/base.py"] == text
    assert f"in it: {'give that file another name' if is_script else said}\n" in output
    if "`" in said and "…" not in said and not is_script:
        file.write_text(text.replace(text.splitlines()[0], said.split("`")[1]))
        subprocess.run([sys.executable, "-c", "import nets.base"], cwd=project, check=True)


@pytest.mark.parametrize(
    ("text", "line", "when"),
    [
        ("def f():\n    from layers import double\n", 2, "f of nets.model is called"),
        (
            "class A:\n    def __init__(self):\n        if self:\n            import vgg\n",
            4,
            "A.__init__ of nets.model is called",
        ),
        ("class A:\n    from layers import double\n", 2, "it imports nets.model"),
        ("def f():\n    import vgg\nimport layers\n", 3, "it imports nets.model"),
    ],
)
def test_when_an_import_raises(project: Path, text: str, line: int, when: str) -> None:
    (project / "nets" / "__init__.py").write_text("from . import model\n")
    (project / "nets" / "model.py").write_text(text)
    (project / "nets" / "train.py").write_text("import model, torch\n")
    _, output = by_default(project)
    said = f"model.py:{line}:1: TP005 only-python-2: Python 3 raises ModuleNotFoundError here when {when}: "
    assert said in output
    command = [sys.executable, "-c", "import nets.model"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert ("ModuleNotFoundError" in done.stderr) is ("imports" in when)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("io", "from io import open, StringIO\n"),
        ("io", "import io\nio.open('a')\n"),
        ("io", "from io import missing\n"),
        ("io", "from .io import imwrite\n"),
        ("io", "from io import *\n"),
        ("io", "try:\n    from io import imwrite\nexcept ImportError:\n    pass\n"),
        ("io", "import torch.io\n"),
        ("copy", "from copy import imwrite\n"),
        ("other", "from io import imwrite\n"),
    ],
)
def test_what_python_finds_or_takes_from_beside(project: Path, name: str, text: str) -> None:
    (project / f"{name}.py").write_text(HELPERS)
    (project / "run.py").write_text(text)
    assert "takes its own" not in by_default(project)[1]


def test_a_module_that_has_a_dot_already_is_no_script(project: Path) -> None:
    (project / "nets" / "__init__.py").write_text("from .model import double\n")
    (project / "nets" / "vgg.py").write_text("double = 2\n")
    (project / "nets" / "model.py").write_text(
        "import torch\nfrom .layers import size\nfrom vgg import double\n"
    )
    (project / "nets" / "train.py").write_text("from vgg import double\n")
    _, output = by_default(project)
    said = "when it imports nets.model: write `from .vgg import double`\n"
    assert said in output and "scripts of this folder" not in output


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("import data.images as images", "import from nets.vgg, which is found where data.images"),
        ("from data import images", "import from nets.vgg, which is found where data of line 1 is"),
        ("import json", "`from .vgg import size` works there, but not for scripts of this folder"),
    ],
)
def test_a_script_that_finds_what_is_beside_its_package(
    project: Path, line: str, more: str
) -> None:
    """It only runs with the folder around the package to import from, which serves both."""
    (project / "data").mkdir()
    (project / "data" / "__init__.py").write_text("")
    (project / "data" / "images.py").write_text("")
    (project / "nets" / "__init__.py").write_text("from .model import x\n")
    main = "if __name__ == '__main__':\n    print(size)\n"
    (project / "nets" / "model.py").write_text(
        f"{line}\nimport torch\nfrom vgg import size\nx = 1\n{main}"
    )
    _, output = by_default(project)
    assert f"imports nets.model: {more}" in output
    if more.startswith("import from"):
        text = f"{line}\nfrom nets.vgg import size\nx = 1\n{main}"
        (project / "nets" / "model.py").write_text(text)
        subprocess.run([sys.executable, "-c", "import nets.model"], cwd=project, check=True)
        script = [sys.executable, "nets/model.py"]
        subprocess.run(script, cwd=project, check=True, env={"PYTHONPATH": str(project)})


@pytest.mark.parametrize(("name", "is_package"), [("nets.pytorch", False), ("my_nets", True)])
def test_a_folder_that_no_import_can_name(project: Path, name: str, is_package: bool) -> None:
    """Its modules are found from beside each other; a dot in some would not be in the others."""
    folder = (project / "nets").rename(project / name)
    (folder / "__init__.py").write_text("import torch\nfrom layers import double\n")
    (folder / "model.py").write_text("import torch\nimport vgg\nx = 1\n")
    (folder / "train.py").write_text("import torch\nimport model\n")
    texts, output = by_default(project)
    assert ("from .layers" in texts[f"{name}/__init__.py"]) is is_package
    assert "TP005" not in output
