from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# What fails in what tests share is shown as well.
pytest.register_assert_rewrite("tests.support")

from tests.support.forking import Forks  # noqa: E402
from tests.support.shared import shared_folder  # noqa: E402

# How long an example takes says something about the machine; each run draws the same ones.
settings.register_profile("untimed", deadline=None, derandomize=True)
settings.load_profile("untimed")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """The tests are tens of thousands, and all are kept: the garbage collector goes through none.

    Neither while they are made, nor again and again while they run.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_xdist_auto_num_workers() -> int | None:
    """One worker more than there are cores: many tests wait for a process that they started."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Commands that tests run keep their results apart from the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHFIX_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        # Else each command that tests run compiles the package anew.
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture(scope="session")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """Starts Pythons that have torch already."""
    folder = shared_folder(tmp_path_factory) / "forks"
    folder.mkdir(exist_ok=True)
    made = Forks(folder)
    yield made
    made.close()


@pytest.fixture
def cache_dir(tmp_path: Path) -> Path:
    return tmp_path / "cache"
