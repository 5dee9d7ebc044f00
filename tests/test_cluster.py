"""Files worked on by a real Dask cluster of two worker processes."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from distributed import LocalCluster

from torchfix_codemods.cli.commands import main
from torchfix_codemods.runs.cluster import dask_executor
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

LEGACY = """import torch
import torch.nn as nn
from torch.autograd import Variable

loss = nn.MSELoss(size_average=False)
x = Variable(torch.ones({size}))
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as found:
        yield found


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "setup.py").write_text("")
    for number in range(100):
        (folder / f"m{number:03}.py").write_text(LEGACY.format(size=number))
    (folder / "broken.py").write_text("import torch\nx = = 1\n")
    return folder


def files(tree: Path) -> list[Path]:
    return sorted(tree.glob("*.py"))


def test_gives_what_one_process_gives(tree: Path, cluster: Any) -> None:
    settings = Settings(root=tree)
    alone = list(migrate_files(files(tree), settings, write=False))
    with dask_executor(cluster.scheduler_address) as executor:
        together = list(migrate_files(files(tree), settings, write=False, executor=executor))
    assert together == alone
    assert sum(result.changed for result in alone) == 100


def test_the_command_writes(tree: Path, cluster: Any) -> None:
    expected = {r.path: r.after for r in migrate_files(files(tree), Settings(), write=False)}
    arguments = ["migrate", "--no-cache", "--dask", cluster.scheduler_address, str(tree)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2 and "broken.py" in result.output
    for path, after in expected.items():
        assert after is None or Path(path).read_text() == after


def test_a_worker_that_is_killed_loses_nothing(tree: Path, cluster: Any) -> None:
    settings = Settings(root=tree)
    expected = list(migrate_files(files(tree), settings, write=False))
    victims = [worker.pid for worker in cluster.workers.values()][:1]
    assert victims
    with dask_executor(cluster.scheduler_address) as executor:
        started = executor.submit(time.sleep, 0)
        started.result()
        killer = threading.Timer(0.05, os.kill, (victims[0], signal.SIGKILL))
        killer.start()
        results = list(migrate_files(files(tree), settings, write=True, executor=executor))
        killer.join()
    assert [r.path for r in results] == [r.path for r in expected]
    for result in expected:
        assert result.after is None or Path(result.path).read_text() == result.after
    assert [r.errors for r in results] == [r.errors for r in expected]


def test_a_wrong_address_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchfix_codemods.runs.cluster._SECONDS", 1)
    arguments = ["migrate", "--dask", "tcp://127.0.0.1:1", str(tree)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in result.output


def test_dask_is_asked_for_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old.py").write_text("import torch.nn as nn\nnn.MSELoss(size_average=False)\n")
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = CliRunner().invoke(main, ["migrate", "--dask", "tcp://127.0.0.1:1", str(tmp_path)])
    assert result.exit_code == 2
    assert "pip install 'torchfix-codemods[dask]'" in result.output
