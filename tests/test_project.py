from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from torchfix_codemods.project.index import Index
from torchfix_codemods.project.paths import project_root
from torchfix_codemods.runs.runner import migrate_file, migrate_files
from torchfix_codemods.settings.config import Settings

UTILS = "import torch\nfrom torch.autograd import Variable\nx = Variable(torch.ones(1))\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "utils.py").write_text(UTILS)
    (tmp_path / "main.py").write_text(UTILS.replace("x =", "y ="))
    (tmp_path / "deep").mkdir()
    return tmp_path


def test_a_relative_folder_is_that_of_the_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name / ".git").mkdir(parents=True)
        monkeypatch.chdir(tmp_path / name)
        assert project_root(Path()) == tmp_path.resolve() / name


@pytest.mark.parametrize(
    ("there", "root"),
    [
        (["lib/setup.py", ".git/HEAD"], ""),
        (["lib/setup.py", "README.md"], ""),
        (["lib/setup.py", "lib/README.md", "README.md"], "lib"),
        (["lib/setup.py", "lib/README.md", ".git/HEAD"], ""),
        (["lib/setup.py"], "lib"),
        (["setup.py", "lib/README.md"], ""),
        (["lib/.git/HEAD", "setup.py", "README.md"], "lib"),
        (["README.md"], ""),
        (["lib/nets/__init__.py", "LICENSE"], ""),
        (["lib/nets/__init__.py"], "lib"),
        (["lib/README.md"], "lib"),
        ([], "lib/nets"),
        (["lib/__init__.py", "lib/nets/__init__.py"], ""),
        (["lib/__init__.py", "lib/nets/__init__.py", "lib/.gitignore"], "lib"),
        (["lib/__init__.py", "lib/nets/__init__.py", "lib/requirements.txt"], "lib"),
        (["lib/__init__.py", "lib/README.md"], "lib"),
        (["lib/__init__.py", "lib/nets/__init__.py", "lib/nets/README.md"], ""),
        (["lib/__init__.py", "lib/nets/__init__.py", "lib/LICENSE", "README.md"], ""),
        (["lib/__init__.py", "lib/nets/__init__.py", "lib/LICENSE", ".git/HEAD"], ""),
    ],
)
def test_what_the_whole_project_is(tmp_path: Path, there: list[str], root: str) -> None:
    """The checkout, else what introduces itself around a setup.py or a package."""
    (tmp_path / "lib" / "nets").mkdir(parents=True)
    for name in there:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert project_root(tmp_path / "lib" / "nets") == (tmp_path / root).resolve()


@pytest.mark.parametrize(("name", "is_root"), [("nets-master", True), ("nets_master", False)])
def test_a_package_that_no_name_can_import_is_a_project(
    tmp_path: Path, name: str, is_root: bool
) -> None:
    """A download has the name of its branch."""
    (tmp_path / name / "layers").mkdir(parents=True)
    for folder in (tmp_path / name, tmp_path / name / "layers"):
        (folder / "__init__.py").write_text("")
    root = (tmp_path / name if is_root else tmp_path).resolve()
    assert project_root(tmp_path / name / "layers") == root
    assert project_root(tmp_path / name) == root


def test_what_introduces_itself_further_above_is_another_thing(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "README.md").write_text("")
    assert project_root(tmp_path / "a" / "b") == tmp_path.resolve()
    assert project_root(tmp_path / "a" / "b" / "c") == (tmp_path / "a" / "b" / "c").resolve()


def test_a_checkout_that_is_a_home_is_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path.resolve()))
    (tmp_path / ".git").mkdir()
    (tmp_path / "work" / "nets").mkdir(parents=True)
    (tmp_path / "work" / "setup.py").write_text("")
    assert project_root(tmp_path / "work" / "nets") == (tmp_path / "work").resolve()


def test_calls_beside_a_folder_with_a_setup_file_keep_its_classes(tmp_path: Path) -> None:
    """As in forks of faster-rcnn, where ``lib/setup.py`` builds extensions; where the folder on
    ``sys.path`` is not known, calls of a class change together with it or not at all.
    """
    (tmp_path / "lib" / "nets").mkdir(parents=True)
    for name in ("README.md", "lib/setup.py", "lib/nets/__init__.py"):
        (tmp_path / name).write_text("")
    function = tmp_path / "lib" / "nets" / "double.py"
    function.write_text(
        "from torch.autograd import Function\n"
        "class Double(Function):\n"
        "    def forward(self, x):\n"
        "        return x * 2\n"
        "    def backward(self, grad):\n"
        "        return grad * 2\n"
    )
    script = tmp_path / "train.py"
    start = "import sys\nsys.path.insert(0, sys.argv[1])\nimport torch\n"
    script.write_text(start + "from nets.double import Double\ny = Double()(torch.ones(2))\n")
    paths = [function, script]
    results = [*migrate_files(paths, Settings(), write=True)]
    assert not any(result.errors for result in results)
    assert "@staticmethod" not in function.read_text()
    assert "y = Double()(torch.ones(2))" in script.read_text()


def test_what_any_file_assigns_to_an_attribute(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "options.py").write_text("def fix(opt):\n    opt.size = 3, 4\n")
    (tmp_path / "net.py").write_text("class Net:\n    def f(self):\n        self.depth = 3\n")
    index = Index()
    assert index.texts.is_assigned_anywhere(tmp_path / "train.py", "size")
    assert not index.texts.is_assigned_anywhere(tmp_path / "train.py", "depth")
    assert not index.texts.is_assigned_anywhere(tmp_path / "train.py", "width")


def test_nobody_imports_a_script(tree: Path) -> None:
    assert not Index().texts.is_imported_elsewhere(tree / "main.py")


@pytest.mark.parametrize(
    "line",
    ["import utils", "from utils import *", "from .utils import (\n    x)", "import a.utils as u"],
)
def test_any_import_line_counts(tree: Path, line: str) -> None:
    (tree / "deep" / "other.py").write_text(f"if a:\n    {line}\n")
    assert Index().texts.is_imported_elsewhere(tree / "utils.py")


def test_a_package_is_imported(tree: Path) -> None:
    assert Index().texts.is_imported_elsewhere(tree / "__init__.py")


def test_an_import_that_another_file_takes_from_here_stays(tree: Path) -> None:
    (tree / "deep" / "other.py").write_text("from utils import *\ny = Variable(x)\n")
    main = migrate_file(tree / "main.py", Settings(select=("TP101",)), write=False)
    utils = migrate_file(tree / "utils.py", Settings(select=("TP101",)), write=False)
    assert main.after == "import torch\ny = torch.ones(1)\n"
    assert utils.after is not None and "import Variable" in utils.after


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("from utils import x, Variable\n", True),
        ("from a.utils import (\n    x,\n    Variable)\n", True),
        ("import utils\nutils.Variable(1)\n", True),
        ("import a.utils as u\nu.Variable(1)\n", True),
        ("from a import utils\nutils.Variable(1)\n", True),
        ("from utils import *\nVariable(1)\n", True),
        ("from utils import x\n", False),
        ("from utils import x\nfrom torch.autograd import Variable\nVariable(x)\n", False),
        ("from utils import *\nfrom torch.autograd import Variable\nVariable(x)\n", False),
        ("from utils import *\n", False),
        # What stands behind a dot is not the name that the star brings.
        ("from utils import *\nimport old.autograd\nold.autograd.Variable(1)\n", False),
        ("from utils import *\nmake = [Variable]\n", True),
    ],
)
def test_who_takes_a_name(tree: Path, text: str, takes: bool) -> None:
    (tree / "deep" / "other.py").write_text(text)
    assert Index().texts.is_used_elsewhere(tree / "utils.py", "Variable") is takes


@pytest.mark.parametrize(
    ("init", "text", "takes"),
    [
        ("from . import utils\n", "import package\npackage.utils.Variable(1)\n", True),
        ("import package.utils\n", "import package as p\np.utils.Variable(1)\n", True),
        ("from . import utils\n", "import package\npackage.utils.other(1)\n", False),
        ("from . import utils\n", "import other\nother.utils.Variable(1)\n", False),
        ("from . import utils\n", "import package\npackage.Variable(1)\n", False),
        ("", "import package\npackage.utils.Variable(1)\n", False),
    ],
)
def test_who_takes_a_name_through_a_package(
    tmp_path: Path, init: str, text: str, takes: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text(init)
    (tmp_path / "package" / "utils.py").write_text("from torch.autograd import Variable\n")
    (tmp_path / "main.py").write_text(text)
    path = tmp_path / "package" / "utils.py"
    assert Index().texts.is_used_elsewhere(path, "Variable") is takes


@pytest.mark.parametrize(
    ("file", "text", "takes"),
    [
        ("main.py", "from package import Net\nx = net.Variable(1)\n", False),
        ("main.py", "from package import Net, Variable\n", True),
        ("main.py", "from package import *\nVariable(1)\n", True),
        ("main.py", "from package import *\nfrom torch.autograd import Variable\n", False),
        ("main.py", "import package\npackage.Variable(1)\n", True),
        ("package/nets.py", "from . import Variable\n", True),
        ("package/nets.py", "from . import (\n    Variable)\n", True),
        ("package/below/nets.py", "from .. import Net, Variable\n", True),
        ("package/nets.py", "from .utils import Net\n", False),
    ],
)
def test_who_takes_a_variable_of_torch_that_a_package_passes_on(
    tmp_path: Path, file: str, text: str, takes: bool
) -> None:
    """It is nobody's but torch's; what the package defines may be for anybody."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "package" / "below").mkdir(parents=True)
    (tmp_path / "package" / "__init__.py").write_text("from .utils import *\n")
    path = tmp_path / "package" / "utils.py"
    path.write_text("from torch.autograd import Variable\nclass Net: pass\n")
    (tmp_path / file).write_text(text)
    assert Index().texts.is_used_elsewhere(path, "Variable") is takes
    assert Index().texts.is_used_elsewhere(path, "Net")


def test_a_relative_path_in_a_folder_that_is_a_package_comes_to_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "package").mkdir()
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "package" / "__init__.py").write_text("from . import utils\n")
    (tmp_path / "package" / "utils.py").write_text("from torch.autograd import Variable\n")
    monkeypatch.chdir(tmp_path)
    assert not Index().texts.is_used_elsewhere(Path("package/utils.py"), "Variable")


@pytest.mark.parametrize(("files", "takes"), [(3, False), (4, False), (5, True)])
def test_a_chain_of_star_imports_is_followed_to_its_end(
    tmp_path: Path, files: int, takes: bool
) -> None:
    for number in range(1, files):
        (tmp_path / f"part{number}.py").write_text(f"from part{number - 1} import *\n")
    first = tmp_path / "part0.py"
    first.write_text("X = 1\n")
    assert Index().texts.is_used_elsewhere(first, "X") is takes


def test_a_star_import_passes_names_on(tree: Path) -> None:
    (tree / "middle.py").write_text("from utils import *\n")
    (tree / "deep" / "other.py").write_text("from middle import Variable\n")
    assert Index().texts.is_used_elsewhere(tree / "utils.py", "Variable")


def test_a_name_that_another_file_speaks_of(tree: Path) -> None:
    (tree / "deep" / "start.py").write_text("import torch\ntorch.set_default_device(0)\n")
    assert Index().texts.is_mentioned(tree / "main.py", "set_default_device")
    assert not Index().texts.is_mentioned(tree / "main.py", "set_default_dtype")


def test_a_default_that_another_file_sets(tree: Path) -> None:
    (tree / "deep" / "train.py").write_text("import torch\ntorch.set_default_device('cuda')\n")
    model = tree / "model.py"
    model.write_text("import torch\nx = torch.Tensor(2, 3)\n")
    assert migrate_file(model, Settings(select=("TP403",)), write=False).after is None


def test_only_the_files_of_one_project_are_kept(tree: Path, tmp_path_factory: Any) -> None:
    index, other = Index(), tmp_path_factory.mktemp("other") / "model.py"
    other.write_text("import torch\n")
    index.enter(tree / "utils.py")
    kept = index.facts(tree / "utils.py")
    index.enter(tree / "main.py")
    assert index.parsed(tree / "utils.py") is kept is not None
    index.enter(other)
    assert index.parsed(tree / "utils.py") is None


def test_too_much_of_one_project_is_not_kept(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index()
    index.enter(tree / "main.py")
    kept = index.facts(tree / "utils.py")
    assert kept is not None
    text = kept.text
    monkeypatch.setattr("torchfix_codemods.project.index._MOST_PARSED", len(text) - 1)
    # The file that is worked on goes on asking for what it has asked for.
    assert index.facts(tree / "utils.py") is kept
    index.enter(tree / "model.py")
    assert index.parsed(tree / "utils.py") is None
    again = index.facts(tree / "utils.py")
    assert again is not None and again.text == text


def test_what_is_not_kept_is_found_out_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("main.py", "test.py"):
        (tree / name).write_text("import torch\nfrom utils import x\nprint(x.sum().data[0])\n")
    paths = sorted(tree.rglob("*.py"))
    kept = [*migrate_files(paths, Settings(root=tree), write=False)]
    assert [Path(r.path).name for r in kept if r.changed] == ["main.py", "test.py", "utils.py"]
    monkeypatch.setattr("torchfix_codemods.project.index._MOST_PARSED", 0)
    assert [*migrate_files(paths, Settings(root=tree), write=False)] == kept
