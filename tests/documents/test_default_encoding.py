from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.test_python2 import converted, migrate
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

_PRINT = "print 'a'\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import sys\nreload(sys)\nsys.setdefaultencoding('utf8')\n", ""),
        ('import sys\nreload(sys)  # again\nsys.setdefaultencoding("UTF-8")\n', ""),
        ("import sys\nreload(sys); sys.setdefaultencoding('utf_8')\n", ""),
        ("import sys; reload(sys); sys.setdefaultencoding('utf8');\n", ""),
        ("import sys, os\nreload(sys)\nsys.setdefaultencoding('utf8')\n", "import os\n"),
        (
            "import os\n\n\nimport sys\n\nreload(sys)\nsys.setdefaultencoding('utf8')\n\nf()\n",
            "import os\n\n\nf()\n",
        ),
        (
            "# coding: utf8\nimport sys\nreload(sys)\nsys.setdefaultencoding('utf8')\n\n",
            "# coding: utf8\n\n",
        ),
        ("import sys\nreload(sys)\nsys.setdefaultencoding('utf8')\n\nf()\n", "f()\n"),
        ("def f():\n    reload(sys)\n    sys.setdefaultencoding('utf8')\n", "def f():\n    pass\n"),
        (
            "def f():\n\treload(sys)\n\tsys.setdefaultencoding('utf8')\n\tg()\n",
            "def f():\n\tg()\n",
        ),
    ],
)
def test_the_default_encoding_is_not_set(old: str, new: str) -> None:
    assert converted(old + _PRINT) == f"{new}print('a')\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import sys\n{}f(sys.argv)\n", "import sys\nf(sys.argv)\n"),
        ("import sys  # for all\n{}", "import sys  # for all\n"),
        ("# UTF-8 everywhere\nimport sys\n{}", "# UTF-8 everywhere\nimport sys\n"),
        ("import sys\n{}__all__ = ['sys']\n", "import sys\n__all__ = ['sys']\n"),
        ("import sys\n\n{}\n\nf(sys)\n", "import sys\n\n\nf(sys)\n"),
    ],
)
def test_sys_stays_where_more_may_read_it(old: str, new: str) -> None:
    sets = "reload(sys)\nsys.setdefaultencoding('utf8')\n"
    assert converted(old.format(sets) + _PRINT) == f"{new}print('a')\n"


def test_sys_stays_where_another_file_takes_it_from_here(tmp_path: Path) -> None:
    sets = "import sys\nreload(sys)\nsys.setdefaultencoding('utf8')\nprint 'a'\n"
    for name in ("read.py", "unread.py"):
        (tmp_path / name).write_text(f"{sets}import torch\n", "utf-8")
    (tmp_path / "run.py").write_text("from read import *\nprint(sys.argv)\n", "utf-8")
    (tmp_path / "walk.py").write_text("from unread import *\nprint(torch)\n", "utf-8")
    paths, settings = sorted(tmp_path.iterdir()), Settings(py2=True)
    results = {Path(r.path).name: r for r in migrate_files(paths, settings, write=False)}
    assert (results["read.py"].after or "").startswith("import sys\nprint(")
    assert (results["unread.py"].after or "").startswith("print(")


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nreload(sys)\nsys.setdefaultencoding('latin-1')\n",
        "import sys\nreload(sys)\nsys.setdefaultencoding(name)\n",
        "import sys\nreload(sys)\nx = sys.setdefaultencoding('utf8')\n",
        "import sys\nif sys.version_info[0] == 2:\n    reload(sys)\n"
        "    sys.setdefaultencoding('utf8')\n",
        "import sys\nif hasattr(sys, 'setdefaultencoding'):\n    sys.setdefaultencoding('utf8')\n",
        "import sys\ntry:\n    reload(sys)\n    sys.setdefaultencoding('utf8')\nexcept NameError:\n"
        "    pass\n",
        "x = '''\nsys.setdefaultencoding('utf8')\n'''\n",
    ],
)
def test_what_may_mean_something_else_stays(code: str) -> None:
    after = migrate(code + _PRINT).after
    assert after is not None
    last = next(line for line in code.split("\n") if "setdefaultencoding(" in line)
    assert last in after


def test_another_module_is_loaded_again() -> None:
    assert "importlib.reload(sys)" in converted(f"import sys\nreload(sys)\n{_PRINT}")
    after = converted(
        f"import sys\nreload(m)\nreload(sys)\nsys.setdefaultencoding('utf8')\n{_PRINT}"
    )
    assert "importlib.reload(m)" in after
    assert "sys)" not in after


def test_lines_below_keep_their_numbers_in_what_is_said() -> None:
    head = "import sys\nreload(sys)\nsys.setdefaultencoding('utf8')\n"
    result = migrate(f"{head}{_PRINT}x = unicode(text, 'utf8')\n")
    (said,) = [f for f in result.findings if "takes bytes only" in f.message]
    assert said.line == 5
