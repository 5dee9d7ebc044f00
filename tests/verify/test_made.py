"""What a run makes outside of its copy is gone when the next one begins, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.verifying import Bench
from torchfix_codemods.verify.verdicts import Verdict

HEAD = """import datetime, os, pathlib, shutil, subprocess, sys
import torch
root = {root!r}
"""


@pytest.mark.parametrize(
    "lines",
    [
        "os.mkdir(root + '/new')",
        "os.makedirs(root + '/new/deep/' + datetime.datetime.now().strftime('%H:%M:%S'))",
        "pathlib.Path(root, 'new').mkdir(); pathlib.Path(root, 'new', 'a').write_text('a')",
        "open(root + '/new', 'x').close()",
        "assert not os.path.exists(root + '/new'); torch.save(1, root + '/new')",
        "os.symlink(root, root + '/new')",
        "os.mkdir(root + '/n'); open(root + '/n/a', 'x').close(); os.rename(root + '/n', root + '/new')",
        "subprocess.run([sys.executable, '-c', f'open({root!r} + \"/new\", \"x\")'], check=True)",
        "if os.fork(): assert os.wait()[1] == 0\nelse: os.mkdir(root + '/new'); os._exit(0)",
    ],
)
def test_a_run_finds_what_the_first_one_found(judges: Bench, tmp_path: Path, lines: str) -> None:
    (tmp_path / "kept").write_text("kept")
    text = f"{HEAD.format(root=str(tmp_path))}{lines}\nprint(@@)\n"
    found = judges.judge("script", text.replace("@@", "2"), text.replace("@@", "1 + 1"))
    assert found.only.verdict is Verdict.EQUIVALENT, (found.outcomes, found.notes)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize(
    "lines",
    [
        "os.rename(root + '/there/kept', root + '/there/moved')",
        "os.makedirs(root + '/there', exist_ok=True)",
        "open(root + '/there/kept', 'a').close()",
        "os.mkdir(root + '/new'); os.rename(root + '/there/kept', root + '/new/moved')",
    ],
)
def test_what_was_there_stays(judges: Bench, tmp_path: Path, lines: str) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "kept").write_text("kept")
    text = f"{HEAD.format(root=str(tmp_path))}{lines}\nprint(@@)\n"
    judges.judge("script", text.replace("@@", "2"), text.replace("@@", "1 + 1"))
    assert [path.read_text() for path in tmp_path.rglob("*") if path.is_file()] == ["kept"]


def test_a_run_that_is_ended_leaves_nothing(judges: Bench, tmp_path: Path) -> None:
    text = f"{HEAD.format(root=str(tmp_path))}os.mkdir(root + '/new')\nos.abort()\nprint(2)\n"
    judges.judge("script", text, text.replace("2", "1 + 1"))
    assert not list(tmp_path.iterdir())
