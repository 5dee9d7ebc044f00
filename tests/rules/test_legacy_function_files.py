"""Legacy functions that other files of the project call."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from torchfix_codemods.finding import Numerics
from torchfix_codemods.runs.runner import migrate_bytes, migrate_file, migrate_files
from torchfix_codemods.settings.config import Settings

SCALE = """\
from torch.autograd import Function


class Scale(Function):
    def __init__(self, factor, offset=0):
        self.factor = float(factor)
        self.offset = offset

    def forward(self, x):
        return x * self.factor + self.offset

    def backward(self, grad):
        return grad * self.factor
"""

STATIC = """\
from torch.autograd import Function


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor, offset=0):
        ctx.factor = float(factor)
        ctx.offset = offset
        return x * ctx.factor + ctx.offset

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None, None
"""

DOUBLE = """\
from torch.autograd import Function


class Double(Function):
    def forward(self, x):
        return x * 2

    def backward(self, grad):
        return grad * 2
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "functions.py").write_text(SCALE)
    return tmp_path


def migrated(project: Path, *names: str, write: bool = False) -> dict[str, str]:
    """What becomes of some files, or of all, where they change."""
    paths = [project / name for name in names] or sorted(project.rglob("*.py"))
    results = migrate_files(paths, Settings(select=("TP107",)), write=write)
    return {
        Path(r.path).relative_to(project).as_posix(): r.after
        for r in results
        if r.after is not None
    }


def written(project: Path, **files: str) -> None:
    for name, text in files.items():
        (project / f"{name}.py").write_text(dedent(text))


@pytest.mark.parametrize(
    ("user", "after"),
    [
        (
            "import torch\nfrom functions import Scale\ny = Scale(3)(x)\n",
            "import torch\nfrom functions import Scale\ny = Scale.apply(x, 3)\n",
        ),
        (
            "import torch, functions\ny = functions.Scale(3, offset=1)(x)\n",
            "import torch, functions\ny = functions.Scale.apply(x, 3, 1)\n",
        ),
        (
            "import torch\nfrom functions import Scale as Times\ny = Times(n)(x)\n",
            "import torch\nfrom functions import Scale as Times\ny = Times.apply(x, n)\n",
        ),
        (
            "import torch\nfrom functions import *\ny = Scale(3)(x)\n",
            "import torch\nfrom functions import *\ny = Scale.apply(x, 3)\n",
        ),
        (
            "import torch\nfrom functions import Scale\ny = Scale(2)(Scale(3)(x))\n",
            "import torch\nfrom functions import Scale\ny = Scale.apply(Scale.apply(x, 3), 2)\n",
        ),
    ],
)
def test_a_class_and_its_calls_in_other_files_change_together(
    user: str, after: str, project: Path
) -> None:
    written(project, train=user)
    assert migrated(project) == {"functions.py": STATIC, "train.py": after}


def test_what_is_made_without_arguments_is_kept_as_apply(tmp_path: Path) -> None:
    written(
        tmp_path,
        functions=DOUBLE,
        net="""\
        import torch.nn as nn
        from functions import Double
        class Net(nn.Module):
            def __init__(self):
                self.double = Double()
            def forward(self, x):
                return self.double(x)
        """,
    )
    (tmp_path / ".git").mkdir()
    after = migrated(tmp_path)
    assert after["net.py"].count("self.double = Double.apply\n") == 1
    assert "def forward(ctx, x)" in after["functions.py"]


def test_a_package_may_hand_the_class_on(tmp_path: Path) -> None:
    package = tmp_path / "functions"
    package.mkdir()
    (tmp_path / ".git").mkdir()
    (package / "_scale.py").write_text(SCALE)
    (package / "__init__.py").write_text(
        "import torch\nfrom ._scale import Scale\n__all__ = ['Scale']\n"
        "def triple(x):\n    return Scale(3)(x)\n"
    )
    written(tmp_path, train="import torch\nfrom functions import Scale\ny = Scale(4)(x)\n")
    after = migrated(tmp_path)
    assert after["functions/_scale.py"] == STATIC
    assert "return Scale.apply(x, 3)" in after["functions/__init__.py"]
    assert "y = Scale.apply(x, 4)" in after["train.py"]


def test_a_class_of_the_same_name_elsewhere_is_another_one(project: Path) -> None:
    user = "import torch\nclass Scale(list):\n    pass\ny = Scale(3)(x)\n"
    written(project, other=user, train="import torch\nimport functions\nfunctions.Scale(3)(x)\n")
    after = migrated(project)
    assert sorted(after) == ["functions.py", "train.py"]


def test_a_class_of_the_same_name_may_be_imported(project: Path) -> None:
    written(
        project,
        maps="class Scale(list):\n    pass\n",
        other="import torch\nfrom maps import Scale\nhalf = Scale([0.5])\n",
        train="import torch\nfrom functions import Scale\ny = Scale(3)(x)\n",
    )
    assert sorted(migrated(project)) == ["functions.py", "train.py"]


def test_a_class_that_another_file_only_imports_changes(project: Path) -> None:
    written(project, package="from functions import Scale\n__all__ = ['Scale']\n")
    assert migrated(project, "functions.py") == {"functions.py": STATIC}


@pytest.mark.parametrize(
    "user",
    [
        "from functions import Scale\nclass Times(Scale):\n    pass\nScale(3)(x)\n",
        "from functions import Scale\nall = [Scale]\nScale(3)(x)\n",
        "from functions import Scale\nhalf = Scale(0.5)\ny = half(half(x))\n",
        "from functions import Scale\ny = Scale(3).forward(x)\n",
        "from functions import Scale\ny = Scale(*given)(x)\n",
        "from functions import Scale\ny = Scale(f())(g())\n",
        "from functions import Scale\ny = Scale(3)(x=x)\n",
        "from functions import Scale\ny = Scale(3)(x)  # noqa\n",
        "from functions import Scale\n# torchfix: off\ny = Scale(3)(x)\n",
        "import functions\nfunctions.Scale = None\ny = functions.Scale(3)(x)\n",
        "from somewhere import functions\ny = functions.Scale(3)(x)\n",
        "from functions import Scale\nScale(3)(x)\nbroken = (\n",
    ],
)
def test_nothing_changes_where_one_use_cannot(user: str, project: Path) -> None:
    written(
        project,
        other="import torch\nfrom functions import Scale\ny = Scale(3)(x)\n",
        train="import torch\n" + user,
    )
    assert migrated(project) == {}


DETECT = """\
import torch
from torch.autograd import Function


class Detect(Function):
    def __init__(self, top_k):
        self.top_k = top_k
        print("made")

    def forward(self, x):
        return x[: self.top_k]
"""


def test_objects_that_other_files_keep_need_no_change_there(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    user = "import torch, functions\ndetect = functions.Detect(top_k=3)\ny = detect(x)\n"
    written(tmp_path, functions=DETECT, train=user)
    assert sorted(migrated(tmp_path)) == ["functions.py"]
    assert sorted(migrated(tmp_path, "functions.py")) == ["functions.py"]


@pytest.mark.parametrize(
    "user",
    [
        "from functions import Detect\ny = Detect(3).forward(x)\n",
        "from functions import Detect\ny = net.detect.forward(x)\nDetect(3)\n",
        "from functions import Detect\nclass Two(Detect):\n    pass\n",
        "from functions import Detect\nbroken = (\n",
        "from functions import Detect\nwith some:\n    from somewhere import Detect\nDetect(3)\n",
    ],
)
def test_objects_stay_where_another_file_asks_more_of_them(user: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    written(tmp_path, functions=DETECT, train="import torch\n" + user)
    assert migrated(tmp_path) == {}


@pytest.mark.parametrize(
    ("use", "is_only_forwarded"),
    [
        ("self.detect.forward(x)", True),
        ("self.detect(x)", False),
        ("run(functions.Detect)", False),
    ],
)
def test_a_class_of_which_others_ask_for_forward_needs_no_call(
    use: str, is_only_forwarded: bool, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    user = (
        "import torch\nimport functions\nclass Trainer:\n    def __init__(self):\n"
        "        self.detect = functions.Detect(3)\n    def run(self, x):\n"
        "        y = self.detect.forward(x)\n"
        f"        return y, {use}\n"
    )
    written(tmp_path, functions=DETECT, train=user)
    path = tmp_path / "functions.py"
    settings = Settings(select=("TP107",))
    assert len(migrate_bytes(path.read_bytes(), path, settings).findings) == (not is_only_forwarded)
    path.write_text(DETECT.replace("print(", "super(Detect, self).__init__()\n        print("))
    (finding,) = migrate_bytes(path.read_bytes(), path, settings).findings
    assert ("with a __call__" not in finding.message) is is_only_forwarded
    assert "write `class Detect:`" in finding.message


def test_nothing_changes_where_a_file_is_not_part_of_the_run(project: Path) -> None:
    written(
        project,
        other="import torch\nfrom functions import Scale\ny = Scale(3)(x)\n",
        train="import torch\nfrom functions import Scale\ny = Scale(3)(x)\n",
    )
    assert migrated(project, "functions.py", "train.py") == {}
    assert migrated(project, "train.py", "other.py") == {}
    path = project / "train.py"
    alone = migrate_bytes(path.read_bytes(), path, Settings(select=("TP107",)))
    assert alone.after is None
    (finding,) = migrate_bytes(
        SCALE.encode(), project / "functions.py", Settings(select=("TP107",))
    ).findings
    assert finding.numerics is Numerics.ADVICE


def test_nothing_changes_where_the_class_asks_to_stay(project: Path) -> None:
    (project / "functions.py").write_text(
        SCALE.replace("(Function):", "(Function):  # noqa: TP107")
    )
    written(project, train="import torch\nfrom functions import Scale\ny = Scale(3)(x)\n")
    assert migrated(project) == {}


def test_nothing_changes_where_its_own_file_keeps_the_class(project: Path) -> None:
    (project / "functions.py").write_text(SCALE + "\n\nall_of_them = [Scale]\n")
    written(project, train="import torch\nfrom functions import Scale\ny = Scale(3)(x)\n")
    assert migrated(project) == {}


def test_what_is_remembered_of_a_run_is_of_that_run(project: Path, cache_dir: Path) -> None:
    written(project, train="import torch\nfrom functions import Scale\ny = Scale(3)(x)\n")
    settings = Settings(select=("TP107",), cache_dir=cache_dir)
    both = [project / "functions.py", project / "train.py"]
    for paths, changed in ((both, [True, True]), (both[1:], [False]), (both, [True, True])):
        results = list(migrate_files(paths, settings, write=False))
        assert [result.changed for result in results] == changed


def test_nothing_changes_where_a_file_does_not_speak_of_torch(project: Path) -> None:
    written(project, train="from functions import Scale\ny = Scale(3)(x)\n")
    assert migrated(project) == {}


def test_nothing_changes_where_a_calling_file_is_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    user = "import torch\nfrom functions import Double\n\ndef f(x):\n    g = Double()\n    return g(x)\n"
    written(tmp_path, functions=DOUBLE, train=user)
    assert migrated(tmp_path) == {}
    written(tmp_path, train=user + "\n\ny = f(x).backward()\n")
    assert sorted(migrated(tmp_path)) == ["functions.py", "train.py"]


def test_files_that_are_written_one_by_one_come_to_the_same(project: Path) -> None:
    written(
        project,
        a="import torch\nfrom functions import Scale\ny = Scale(3)(x)\n",
        z="import torch\nfrom functions import Scale\ny = Scale(4)(x)\n",
    )
    shown = migrated(project)
    assert sorted(shown) == ["a.py", "functions.py", "z.py"]
    assert migrated(project, write=True) == shown
    assert {name: (project / name).read_text() for name in shown} == shown
    assert migrated(project) == {}


def test_the_rewritten_files_give_the_old_values_and_gradients(project: Path) -> None:
    written(
        project,
        train="""\
        import torch
        from functions import Scale
        x = torch.tensor([1.0, -2.0], requires_grad=True)
        y = Scale(3, 1)(x * 2)
        y.sum().backward()
        print(y.tolist(), x.grad.tolist())
        """,
    )
    command = [sys.executable, "train.py"]
    before = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert "Legacy autograd function" in before.stderr
    migrated(project, write=True)
    after = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    assert after.stdout == "[7.0, -11.0] [6.0, 6.0]\n"


def test_a_class_that_is_called_through_its_package_stays_where_a_call_does(project: Path) -> None:
    package = project / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from . import scaling\n")
    (package / "scaling.py").write_text(SCALE)
    written(project, use="import torch, package\ny = package.scaling.Scale(3)(x)\n")
    assert migrated(project, "package/scaling.py", "use.py") == {
        "package/scaling.py": STATIC,
        "use.py": "import torch, package\ny = package.scaling.Scale.apply(x, 3)\n",
    }
    written(project, use="import torch, package\ny = package.scaling.Scale(*a)(x)\n")
    assert not migrated(project, "package/scaling.py", "use.py")


_BASE = """\
from torch.autograd import Function


class Base(Function):
    scale = staticmethod(abs)

    def forward(self, x):
        self.n = x.size(0)
        self.save_for_backward(x)
        return {hook} * self.scale(x) * self.own()

    def own(self):
        return 2

    def backward(self, grad):
        return grad
"""
_DERIVED = "from base import Base\nclass {}(Base):\n    def build(self):\n        return 3\n"
_GONE = "torch 1.5 took away functions without static methods:"
_OF_BASE = f"{_GONE} what derives from Base"


def _of_whole(below: str) -> str:
    return f"{_GONE} Base and what derives from it{below} raise where they are called"


@pytest.mark.parametrize(
    ("hook", "derived", "said"),
    [
        ("self.build()", "", f"{_OF_BASE} raises where it is called"),
        ("self.build()", "A", f"{_OF_BASE} (A) raises where it is called"),
        ("x", "AB", _of_whole(" (A and B)")),
        ("x", "ABCD", _of_whole(" (A, B, C, ...)")),
    ],
)
def test_of_the_base_of_functions_in_other_files_only_the_fact_is_told(
    tmp_path: Path, hook: str, derived: str, said: str
) -> None:
    (tmp_path / ".git").mkdir()
    for name in derived:
        (tmp_path / f"derived_{name}.py").write_text(_DERIVED.format(name))
    path = tmp_path / "base.py"
    path.write_text(_BASE.format(hook=hook))
    found = migrate_file(path, Settings(select=("TP107",)), write=False).findings
    assert [finding.message for finding in found] == [said]


def test_what_derives_from_a_function_of_a_library_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(packages=['net'])\n")
    path = tmp_path / "net" / "base.py"
    path.parent.mkdir()
    (path.parent / "__init__.py").write_text("")
    path.write_text(_BASE.format(hook="x") + _DERIVED.format("A").partition("\n")[2])
    (finding,) = migrate_file(path, Settings(select=("TP107",)), write=False).findings
    assert finding.message == _of_whole("")


def test_of_a_base_that_is_completed_in_its_file_only_the_fact_is_told(tmp_path: Path) -> None:
    path = tmp_path / "base.py"
    other = "\n\nclass Other(Base):\n    def own(self):\n        return 3\n"
    path.write_text(_BASE.format(hook="x") + other)
    (finding,) = migrate_file(path, Settings(select=("TP107",)), write=False).findings
    assert finding.message == _of_whole(" (Other)")


@pytest.mark.parametrize(
    ("base", "body"),
    [
        ("Base", "pass"),
        ("Function", "def own(self):\n        return 3"),
        ("Base", "@staticmethod\n    def forward(ctx, x):\n        return x"),
    ],
)
def test_a_function_that_nobody_completes_is_no_base(tmp_path: Path, base: str, body: str) -> None:
    path = tmp_path / "base.py"
    path.write_text(_BASE.format(hook="x") + f"\n\nclass Other({base}):\n    {body}\n")
    (finding,) = migrate_file(path, Settings(select=("TP107",)), write=False).findings
    assert "write Base.apply for Base()" in finding.message


@pytest.mark.parametrize(
    ("use", "given", "is_only_forwarded"),
    [
        ("detect.forward(x)", "detect", True),
        ("show(x, detect)", "detect", True),
        ("detect(x)", "detect", False),
        ("show(x, detect), unknown(detect)", "detect", False),
        ("[detect]", "detect", False),
        ("detect.forward(x)", "*[detect]", False),
    ],
)
def test_a_class_whose_objects_are_given_to_functions_that_ask_for_forward_needs_no_call(
    use: str, given: str, is_only_forwarded: bool, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    user = (
        "import torch\nfrom functions import Detect\n"
        "def show(x, detect):\n    return detect.forward(x)\n"
        f"def run(x, detect):\n    return {use}\n"
        f"detect = Detect(3)\nrun(torch.ones(3), {given})\n"
    )
    written(tmp_path, functions=DETECT, train=user)
    path = tmp_path / "functions.py"
    settings = Settings(select=("TP107",))
    assert len(migrate_bytes(path.read_bytes(), path, settings).findings) == (not is_only_forwarded)
