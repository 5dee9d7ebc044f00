from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.support.alone import ALONE
from torchfix_codemods.engine import migrate
from torchfix_codemods.project.run import Run
from torchfix_codemods.runs import runner
from torchfix_codemods.runs.runner import migrate_bytes, migrate_files
from torchfix_codemods.settings.config import Settings

LEGACY = "import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"
MODERN = 'import torch.nn as nn\nloss = nn.MSELoss(reduction="sum")\n'


def test_a_mistake_of_the_tool_concerns_one_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = migrate.migrate_text

    def failing(text: str, *args: object) -> migrate.Migration:
        if "boom" in text:
            raise KeyError("boom")
        return original(text, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(migrate, "migrate_text", failing)
    paths = [tmp_path / "a.py", tmp_path / "b.py"]
    paths[0].write_text("boom = 1\n" + LEGACY)
    paths[1].write_text(LEGACY)
    first, second = migrate_files(paths, Settings(), write=True)
    assert [error.kind for error in first.errors] == ["internal"]
    assert "KeyError: 'boom'" in first.errors[0].message
    assert not second.errors and paths[1].read_text() == MODERN
    (error,) = migrate_bytes(b"boom\n" + LEGACY.encode(), Path("-"), Settings()).errors
    assert error.kind == "internal"


def _end_process(text: str, *args: object) -> migrate.Migration:
    os._exit(1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the patched function is inherited by fork")
def test_a_process_that_ends_leaves_errors_and_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "migrate_text", _end_process)
    paths = [tmp_path / f"{number}.py" for number in range(70)]
    for path in paths:
        path.write_text(LEGACY)
    forking = ProcessPoolExecutor(2, mp_context=get_context("fork"))
    with forking as executor:
        results = list(migrate_files(paths, Settings(), write=True, executor=executor))
    assert [result.path for result in results] == [str(path) for path in paths]
    assert all("--jobs 1" in error.message for result in results for error in result.errors)
    assert all(result.errors for result in results)


@pytest.mark.parametrize(
    "code",
    [
        "a = nn.a\nx = " + " + ".join(["a"] * 1500) + "\n",
        "if x == 0:\n    y = 0\n" + "".join(f"elif x == {n}:\n    y = {n}\n" for n in range(1500)),
        "from torch.autograd import Variable\nx = Variable("
        + " + ".join(["a"] * 1500)
        + ", volatile=True)\n",
    ],
    ids=["sum", "elif", "rewritten sum"],
)
def test_long_sums_and_chains_are_no_trouble(code: str) -> None:
    result = migrate_bytes((LEGACY + code).encode(), ALONE / "a.py", Settings())
    assert not result.errors
    assert result.after is not None and result.after.startswith(MODERN)


def test_threads_at_different_projects_do_not_forget_what_the_other_one_needs() -> None:
    settings, run = Settings(), Run((), writes=False)
    with ThreadPoolExecutor(1) as pool:
        elsewhere = pool.submit(runner._index, run, settings).result()
    own = runner._index(run, settings)
    assert own is runner._index(run, settings)
    assert own is not elsewhere
