"""An old torch in a virtual environment of its own, built once and kept in the user's cache."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from torchfix_codemods.record import record
from torchfix_codemods.verify.command import CommandError

_T = TypeVar("_T")

#: By first release of torch: the minor versions of Python 3 that it has wheels for, newest first.
#: What runs inside of the program needs Python 3.7.
_PYTHONS: tuple[tuple[tuple[int, int], tuple[int, ...]], ...] = (
    ((1, 0), (7,)),
    ((1, 4), (8, 7)),
    ((1, 8), (9, 8, 7)),
    ((1, 11), (10, 9, 8, 7)),
    ((2, 0), (11, 10, 9, 8)),
    ((2, 2), (12, 11, 10, 9, 8)),
    ((2, 5), (13, 12, 11, 10, 9)),
    ((2, 9), (14, 13, 12, 11, 10)),
)

#: By first release of torch: the numpy that it was built for and that code of its time knows.
_NUMPYS = (((1, 0), "numpy<1.20"), ((1, 8), "numpy<1.24"), ((1, 13), "numpy<2"), ((2, 3), "numpy"))

#: By first release of torch: the Pillow that code of its time knows.
_PILLOWS = (((1, 0), "pillow<7"), ((1, 5), "pillow<10"), ((2, 0), "pillow"))

_READY = "torchfix-oracle.json"

_ASK = (
    "import json, sys\n"
    "said = {'python': list(sys.version_info[:2]), 'torch': None}\n"
    "try:\n"
    "    import torch, numpy\n"
    "    said['torch'] = torch.__version__\n"
    "except ImportError as error:\n"
    "    said['why'] = str(error)\n"
    "print(json.dumps(said))\n"
)


class OracleError(CommandError):
    """There is no old torch to run the program on; the message says why."""


@record
class _Python:
    """What an interpreter says of itself."""

    path: str
    minor: int
    torch: str | None
    """None: it has none, or no numpy."""


def oracle_python(version: str, named: str | None = None) -> str:
    """An interpreter that has an old torch, which is installed if need be.

    Args:
        version: of torch; ``1.0`` is the newest of 1.0.0, 1.0.1 and so on.
        named: the Python to use: one that has this torch is taken as it is, another one is the
            base of a new virtual environment. None: one is looked for.

    Raises:
        OracleError: there is no Python for this torch, or it cannot be installed.
    """
    release = _release(version)
    if named is not None:
        base = _asked(_path_of(named))
        if base is None:
            raise OracleError(f"--oracle-python: {named} is no Python 3.7 or newer that runs")
        if base.torch is not None and _is_of(base.torch, version):
            return base.path
        if base.minor not in _since(_PYTHONS, release):
            raise OracleError(
                f"--oracle-python: torch {version} cannot be installed for Python 3.{base.minor},"
                f" but for {_names(release)}"
            )
    else:
        base = _found(release, version)
    folder = _cache() / f"torch-{version}-python3.{base.minor}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.with_suffix(".lock")):
        if not _is_ready(folder, version):
            _build(folder, base, version, release)
    return str(_python_of(folder))


def _release(version: str) -> tuple[int, int]:
    parts = re.fullmatch(r"(\d+)\.(\d+)(?:\.\d+)?", version)
    if parts is None:
        raise OracleError(f"--oracle: {version!r} is no version of torch, as 1.0 or 1.4.0 is")
    release = int(parts[1]), int(parts[2])
    if release < (1, 0):
        raise OracleError(f"--oracle: torch {version} cannot be installed, the oldest is 1.0")
    return release


def _since(table: Sequence[tuple[tuple[int, int], _T]], release: tuple[int, int]) -> _T:
    """The last entry of a table that holds for a release."""
    return next(entry for first, entry in reversed(table) if first <= release)


def _is_of(torch: str, version: str) -> bool:
    """Whether an installed torch is the one that was asked for."""
    numbers = re.findall(r"\d+", torch)
    wanted = version.split(".")
    return numbers[: len(wanted)] == wanted


def _found(release: tuple[int, int], version: str) -> _Python:
    minors = _since(_PYTHONS, release)
    for minor in minors:
        for path in _candidates(minor):
            python = _asked(path)
            if python is not None and python.minor == minor:
                return python
    raise OracleError(
        f"torch {version} needs Python {_names(release)}, which is not found;"
        " name one by --oracle-python"
    )


def _names(release: tuple[int, int]) -> str:
    return " or ".join(f"3.{minor}" for minor in _since(_PYTHONS, release))


def _candidates(minor: int) -> Iterator[str]:
    """Where a Python may be: on the path, or among those of pyenv, whose shims may not run."""
    path = shutil.which(f"python3.{minor}")
    if path is not None:
        yield path
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(root.glob(f"versions/3.{minor}.*/bin/python"), reverse=True))


def _path_of(named: str) -> str:
    path = shutil.which(named)
    if path is None:
        raise OracleError(f"--oracle-python: {named} is not found")
    return os.path.abspath(path)


def _asked(path: str) -> _Python | None:
    """What an interpreter says of itself; None: it does not run, or is too old."""
    try:
        done = subprocess.run(
            [path, "-c", _ASK],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
            env=_environment(),
        )
        said = json.loads(done.stdout.strip().splitlines()[-1])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return None
    major, minor = said["python"]
    return _Python(path, minor, said["torch"]) if (major, minor) >= (3, 7) else None


def _environment() -> dict[str, str]:
    """What another Python must not take over from this one."""
    left_out = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    return {key: value for key, value in os.environ.items() if key not in left_out}


def _cache() -> Path:
    folder = os.environ.get("XDG_CACHE_HOME")
    return (Path(folder) if folder else Path.home() / ".cache") / "torchfix" / "oracles"


def _python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def _is_ready(folder: Path, version: str) -> bool:
    """Whether an environment was finished once and still works."""
    if not (folder / _READY).exists():
        return False
    python = _asked(str(_python_of(folder)))
    return python is not None and python.torch is not None and _is_of(python.torch, version)


def _build(folder: Path, base: _Python, version: str, release: tuple[int, int]) -> None:
    print(
        f"building a virtual environment with torch {version} in {folder} (only once) …",
        file=sys.stderr,
    )
    shutil.rmtree(folder, ignore_errors=True)
    try:
        _run([base.path, "-m", "venv", str(folder)], f"a virtual environment of {base.path}")
        wanted = f"torch=={version}" + (".*" if version.count(".") == 1 else "")
        _install(folder, f"torch {version}", wanted, _since(_NUMPYS, release))
        # Without it most programs run, too.
        with contextlib.suppress(OracleError):
            _install(folder, "pillow", _since(_PILLOWS, release))
        python = _asked(str(_python_of(folder)))
        if python is None or python.torch is None:
            raise OracleError(f"torch {version} was installed, but cannot be imported")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    (folder / _READY).write_text(json.dumps({"torch": python.torch, "base": base.path}))


def _install(folder: Path, what: str, *packages: str) -> None:
    options = ["--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    _run([str(_python_of(folder)), "-m", "pip", "install", *options, *packages], what)


def _run(command: Sequence[str], what: str) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=_environment()
        )
    except OSError as error:
        raise OracleError(f"{what} cannot be made: {error}") from error
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:] or [""]
        raise OracleError(f"{what} cannot be installed: {errors[-1].removeprefix('ERROR: ')}")


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait until no other command builds the same environment."""
    with open(path, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
