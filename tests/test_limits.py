"""Work that takes too long ends, with an error that nothing in between can catch."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from torchfix_codemods.cli.commands import main
from torchfix_codemods.runs import limits, runner
from torchfix_codemods.runs.limits import TimeUpError, current_limit, moved_here, time_limit
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings


def spin(seconds: float = 20) -> None:
    """Busy in Python code, as rules are, with handlers that catch what they can."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            sum(range(50))
        except Exception:
            continue


def test_work_is_interrupted() -> None:
    with pytest.raises(TimeUpError), time_limit(0.05):
        spin()


def test_work_that_is_done_in_time_is_not() -> None:
    with time_limit(20):
        value = sum(range(10))
    assert value == 45
    assert current_limit() is None


def test_a_limit_after_a_longer_one_holds() -> None:
    with time_limit(60):
        time.sleep(0.1)
    with pytest.raises(TimeUpError), time_limit(0.05):
        spin()


def test_no_limit() -> None:
    with time_limit(None):
        assert current_limit() is None


def test_limits_of_several_threads_are_apart() -> None:
    ended: list[str] = []

    def work(name: str, seconds: float) -> None:
        try:
            with time_limit(seconds):
                spin(0.5)
        except TimeUpError:
            ended.append(name)

    threads = [threading.Thread(target=work, args=pair) for pair in (("short", 0.05), ("long", 20))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ended == ["short"]


def test_a_limit_holds_in_the_thread_that_is_waited_for() -> None:
    errors: list[BaseException] = []

    def work() -> None:
        try:
            with moved_here(limit):
                spin()
        except BaseException as error:
            errors.append(error)

    with time_limit(0.05):
        limit = current_limit()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert [type(error) for error in errors] == [TimeUpError]


def test_a_limit_that_comes_at_the_end_does_no_harm_later() -> None:
    for _ in range(20):
        try:
            with time_limit(0.002):
                spin(0.002)
        except TimeUpError:
            pass
    spin(0.05)


def test_limits_hold_after_an_interruption_while_the_lock_was_waited_for() -> None:
    waiting, watch = threading.get_ident(), limits._watch
    is_held = threading.Event()

    def hold() -> None:
        with watch._lock:
            is_held.set()
            time.sleep(0.1)
            limits._interrupt(waiting)

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait()
    with pytest.raises(TimeUpError):
        watch.of_this_thread()
        spin(1)
    thread.join()
    with pytest.raises(TimeUpError), time_limit(0.05):
        spin(5)


LEGACY = "import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"


def test_one_slow_file_does_not_hold_up_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = runner._migrated_source

    def slow(source, path, *args):  # type: ignore[no-untyped-def]
        if path.name == "b.py":
            spin()
        return original(source, path, *args)

    monkeypatch.setattr(runner, "_migrated_source", slow)
    for name in "abc":
        (tmp_path / f"{name}.py").write_text(LEGACY)
    settings = Settings(root=tmp_path, timeout=2)
    results = list(migrate_files(sorted(tmp_path.glob("*.py")), settings, write=True))
    assert [[e.kind for e in result.errors] for result in results] == [[], ["timeout"], []]
    assert "2 seconds" in results[1].errors[0].message
    assert [(tmp_path / f"{name}.py").read_text() == LEGACY for name in "abc"] == [
        False,
        True,
        False,
    ]


def test_a_huge_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_MOST_BYTES", 1000)
    (tmp_path / "a.py").write_text(LEGACY)
    (tmp_path / "big.py").write_text("import torch\n" + "x = 1\n" * 1000)
    result = CliRunner().invoke(main, ["migrate", str(tmp_path)])
    assert result.exit_code == 2
    assert "big.py" in result.output and "larger than" in result.output
    assert (tmp_path / "a.py").read_text() != LEGACY
