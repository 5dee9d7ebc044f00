"""Tests that replace what torch calls otherwise today, and say how the code under test calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

CODE = """import torch

def schedule(optimizer, verbose=False):
    return torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", verbose=verbose)
"""
TEST = """from unittest.mock import patch
from pkg.code import schedule

class TestSchedule:
    @patch("torch.optim.lr_scheduler.ReduceLROnPlateau")
    def test_schedule(self, plateau):
        schedule("optimizer", verbose=True)
        plateau.assert_called_once_with("optimizer", mode="max", verbose=True)
"""
NEW = 'plateau.assert_called_once_with("optimizer", mode="max")\n'


def migrated(root: Path, code: str, test: str, *, together: bool = True) -> str:
    """The test after the migration of the project, or of the test alone."""
    files = {"setup.py": "", "pkg/__init__.py": "", "pkg/code.py": code, "tests/test_it.py": test}
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    path = root / "tests" / "test_it.py"
    given = [root / "pkg" / "code.py", path] if together else [path]
    settings = Settings(select=("TP902", "TP905"))
    results = list(migrate_files(given, settings, write=True, jobs=1))
    assert not any(result.errors for result in results)
    after = path.read_text()
    assert not any(result.changed for result in migrate_files(given, settings, write=True, jobs=1))
    return after


@pytest.mark.parametrize(
    "code",
    [
        CODE,
        CODE.replace("import torch\n", "from torch.optim import lr_scheduler\n").replace(
            "torch.optim.lr", "lr"
        ),
        CODE + "\ndef is_ours(x):\n"
        "    return isinstance(x, torch.optim.lr_scheduler.ReduceLROnPlateau)\n",
        CODE + "\ndef build(o):\n    return torch.optim.lr_scheduler.ReduceLROnPlateau(o)\n",
        # The code is as it should be, and the test waits.
        CODE.replace(", verbose=verbose", ""),
    ],
)
def test_an_assertion_follows_what_all_calls_give(tmp_path: Path, code: str) -> None:
    assert NEW in migrated(tmp_path, code, TEST)


def test_what_stands_in_within_a_block(tmp_path: Path) -> None:
    test = """import mock
from pkg.code import schedule
with mock.patch("torch.optim.lr_scheduler.ReduceLROnPlateau") as plateau:
    schedule("optimizer", verbose=True)
plateau.assert_called_once_with("optimizer", mode="max", verbose=True)
"""
    assert NEW in migrated(tmp_path, CODE, test)


def test_what_stands_in_for_the_name_of_a_file(tmp_path: Path) -> None:
    name = "from torch.optim.lr_scheduler import ReduceLROnPlateau\n"
    code = CODE.replace("import torch\n", name)
    code = code.replace("torch.optim.lr_scheduler.", "")
    # The test does not speak of torch at all.
    test = TEST.replace("torch.optim.lr_scheduler.", "pkg.code.")
    assert NEW in migrated(tmp_path, code, test)


def test_a_function_of_torch_that_is_replaced_as_a_whole(tmp_path: Path) -> None:
    test = TEST.replace("torch.optim.lr_scheduler.ReduceLROnPlateau", "pkg.code.torch").replace(
        "plateau.assert", "plateau.optim.lr_scheduler.ReduceLROnPlateau.assert"
    )
    assert 'Plateau.assert_called_once_with("optimizer", mode="max")\n' in migrated(
        tmp_path, CODE, test
    )


def test_arguments_by_position(tmp_path: Path) -> None:
    code = "import torch\ndef build(o):\n    torch.optim.lr_scheduler.StepLR(o, 3, 0.1, -1, True)\n"
    test = TEST.replace("ReduceLROnPlateau", "StepLR").replace(
        'mode="max", verbose=True', "3, 0.1, -1, True"
    )
    assert 'with("optimizer", 3, 0.1, -1)\n' in migrated(tmp_path, code, test)


@pytest.mark.parametrize(
    "code",
    [
        # Nobody knows what calls it.
        "import torch\n",
        # Calls that stay as they are, or may.
        CODE.replace("verbose=verbose", "**options"),
        CODE.replace("verbose=verbose", "verbose=verbose()"),
        CODE.replace("=verbose)", "=verbose)  # noqa"),
        "# torchfix: skip-file\n" + CODE,
        CODE + "\ndef build(o, **options):\n"
        "    return torch.optim.lr_scheduler.ReduceLROnPlateau(o, **options)\n",
        CODE.replace("    return", "    if torch.__version__ < '2.2':\n        return"),
        # Calls that cannot be seen.
        CODE + "\nKINDS = [torch.optim.lr_scheduler.ReduceLROnPlateau]\n",
        CODE + "\nbuild = torch.optim.lr_scheduler.ReduceLROnPlateau\n",
        # Another class of the same name.
        CODE.replace("import torch\n", "from mine import torch\n"),
    ],
)
def test_an_assertion_stays_where_a_call_may_be_as_it_was(tmp_path: Path, code: str) -> None:
    assert migrated(tmp_path, code, TEST) == TEST


@pytest.mark.parametrize(
    "test",
    [
        TEST.replace("ReduceLROnPlateau", "Unknown"),
        TEST.replace("plateau.assert_called_once_with", "plateau.called_with"),
        TEST.replace("plateau.assert", "other.assert"),
        TEST.replace('Plateau")', 'Plateau", Fake)'),
        TEST.replace("unittest.mock", "mine"),
        TEST.replace("verbose=True)\n", "verbose=True, **options)\n"),
        TEST.replace("verbose=True)\n", "verbose=count())\n"),
        TEST.replace("        schedule(", "        plateau = plateau.wrapped\n        schedule("),
        TEST.replace("plateau):", "plateau):\n        def other(plateau): plateau.x").replace(
            "plateau.assert", "plateau().assert"
        ),
    ],
)
def test_what_is_not_certainly_such_an_assertion_stays(tmp_path: Path, test: str) -> None:
    parts = migrated(tmp_path, CODE, test)
    assert parts == test


def test_a_test_alone_stays_as_its_code_does(tmp_path: Path) -> None:
    assert migrated(tmp_path, CODE, TEST, together=False) == TEST


def test_an_assertion_stays_beside_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("if ReduceLROnPlateau:\n")
    assert migrated(tmp_path, CODE, TEST) == TEST


@pytest.mark.parametrize(
    "test",
    [
        "from unittest.mock import patch\nwith patch('pkg.code.name') as m:\n    x = = 'no Python'\n",
        "with patch('name') as m:\n    m.assert_called_with()\n    x = = 'no Python'\n",
        "with patch('pkg.plain.name') as m:\n    m.assert_called_with()\n    x = = 'no Python'\n",
        "with patch('other.name') as m:\n    m.assert_called_with()\n    x = = 'no Python'\n",
        "with patch('pkg.name') as m:\n    m.assert_called_with()\n    x = = 'no Python'\n",
        "with patch('.name') as m:\n    m.assert_called_with()\n    x = = 'no Python'\n",
    ],
)
def test_a_test_that_has_nothing_to_do_with_torch_is_not_read(tmp_path: Path, test: str) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "plain.py").write_text("name = 1\n")
    assert migrated(tmp_path, CODE, test) == test


def test_an_assertion_keeps_what_is_only_told(tmp_path: Path) -> None:
    code = "import torch\n\ndef make():\n    return torch.zeros(2, names=('N',))\n"
    test = (
        "from unittest.mock import patch\nfrom pkg.code import make\n\n"
        "@patch('torch.zeros')\ndef test_make(zeros):\n    make()\n"
        "    zeros.assert_called_with(2, names=('N',))\n"
    )
    assert migrated(tmp_path, code, test) == test
