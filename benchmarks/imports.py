"""Imports every module of legacy repositories on today's torch, before and after the migration.

Each folder is copied and migrated, then each Python file is imported in a process of its own, with
stand-ins for packages that are not installed. What stops an import and names torch, numpy, the
standard library or another package that rules know has to be gone after the migration, or told of
by a finding in the line that raises. Prints what is neither. The code of the folders is run.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import traceback
import types
import warnings
from collections import Counter
from dataclasses import asdict, dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from benchmarks.trees import source_files
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

#: Seconds that one file may take.
_LIMIT = 20

#: What is installed here, or would be where the code is run: no stand-in for a part of these.
_REAL = frozenset({"torch", "numpy", *sys.stdlib_module_names})

_OURS = re.compile(
    r"\b(torch|numpy|np|collections|scipy|inspect|async|Variable|tensor|time|string|itertools)\b",
    re.I,
)


@dataclass(frozen=True)
class Stop:
    """Why a file cannot be imported.

    Attributes:
        kind: the class of what was raised.
        message: what it says.
        path: the file of the project whose line raised last.
        line: that line.
    """

    kind: str
    message: str
    path: str
    line: int


def main() -> int:
    """Import, print, and return the exit status: 1 if something is neither gone nor told."""
    options = _parse_options()
    counts: Counter[str] = Counter()
    untold: list[tuple[str, Stop]] = []
    importlib.import_module("torch")
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as work:
            copy = Path(work, folder.name)
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git"), symlinks=True)
            # Without its own, a folder with a README would be a project by itself.
            (copy / ".git").mkdir()
            files = list(source_files(copy, (".py",)))
            before = {path: stop_of(path, copy) for path in files}
            told = _migrated(copy, files)
            for path in files:
                old = before[path]
                new = stop_of(path, copy)
                counts["files"] += 1
                counts["imported before"] += old is None
                counts["imported after"] += new is None
                if new is None:
                    continue
                if (new.path, new.line) in told:
                    counts["told"] += 1
                elif new.kind in options.kinds and _OURS.search(f"{new.kind} {new.message}"):
                    counts["neither"] += 1
                    untold.append((folder.name, new))
                else:
                    counts["something else"] += 1
                if options.all:
                    print(folder.name, new.kind, new.message, f"{new.path}:{new.line}", sep="\t")
        print(f"{folder.name:<40}", dict(counts), file=sys.stderr, flush=True)
    for (name, stop), count in Counter(untold).most_common():
        print(f"{name}: {Path(stop.path).name}:{stop.line}: {stop.kind}: {stop.message} [{count}]")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if untold else 0


def _migrated(folder: Path, files: list[Path]) -> set[tuple[str, int]]:
    """Migrate the files of a folder; the places that findings tell of afterwards."""
    list(migrate_files(files, Settings(), write=True, jobs=1))
    left = migrate_files(files, Settings(), write=False, jobs=1)
    return {
        (os.path.relpath(result.path, folder), line)
        for result in left
        for finding in (*result.findings, *result.errors)
        for line in range(
            finding.line, finding.line + (getattr(finding, "extent", None) or (0,))[0] + 1
        )
    }


def stop_of(path: Path, folder: Path) -> Stop | None:
    """Import a file in a process of its own; None where that succeeds, or takes too long."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _import_in_child(path, folder, write)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return Stop(**json.loads(text)) if text.strip() else None


def _import_in_child(path: Path, folder: Path, write: int) -> None:
    """Say through a pipe what stops an import, and end the process."""
    signal.alarm(_LIMIT)
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silent, stream)
    os.chdir(path.parent)
    sys.argv = [str(path)]
    # A file that is imported before and after may have the same size and second.
    sys.dont_write_bytecode = True
    top, name = _package_of(path)
    sys.path[:0] = [str(top), str(path.parent), str(folder)]
    warnings.simplefilter("ignore")
    sys.meta_path.append(Finder(folder))
    try:
        importlib.import_module(name)
    except SystemExit:
        pass
    except BaseException as error:
        os.write(write, json.dumps(asdict(_described(error, folder))).encode())
    finally:
        os._exit(0)


def _package_of(path: Path) -> tuple[Path, str]:
    """The folder from which a file is imported, and its name there."""
    parts = [] if path.stem == "__init__" else [path.stem]
    top = path.parent
    while (top / "__init__.py").is_file():
        parts.insert(0, top.name)
        top = top.parent
    return top, ".".join(parts)


def _described(error: BaseException, folder: Path) -> Stop:
    where = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if str(folder) in frame.filename
    ]
    place, line = (where[-1].filename, where[-1].lineno or 0) if where else (str(folder), 0)
    if isinstance(error, SyntaxError) and error.filename and str(folder) in error.filename:
        place, line = error.filename, error.lineno or 0
    relative = os.path.relpath(os.path.realpath(place), os.path.realpath(folder))
    return Stop(type(error).__name__, str(error)[:200], relative, line)


class Finder:
    """Finds a stand-in for each package that is neither installed nor one of the project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.own = {path.stem for path in source_files(folder, (".py",))}
        self.own |= {path.parent.name for path in source_files(folder, (".py",))}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        root = name.partition(".")[0]
        if (
            root in _REAL
            or root in self.own
            or not isinstance(sys.modules.get(root, self), (type(self), Package))
            # What an installed package can do without is no business of the project's.
            or not self._asks(sys._getframe(1))
        ):
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def _asks(self, frame: types.FrameType | None) -> bool:
        """Whether a file of the project imports, and not a package that is installed."""
        while frame is not None and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        return frame is not None and str(self.folder) in frame.f_code.co_filename

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return Package(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        module.__path__ = []


class _Anything(type):
    """Classes that have every attribute, and give one of their kind for whatever is asked."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(name, (), {})

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls.__bases__ == (object,) and len(args) == 1 and callable(args[0]):
            return args[0]
        return _Anything(cls.__name__, (), {}) if cls.__bases__ == (object,) else super().__call__()

    def __index__(cls) -> int:
        return 1

    __int__ = __index__

    def __float__(cls) -> float:
        return 1.0

    def __add__(cls, other: Any) -> Any:
        return cls

    __radd__ = __sub__ = __mul__ = __rmul__ = __truediv__ = __add__

    def __iter__(cls) -> Any:
        return iter(())

    def __len__(cls) -> int:
        return 0

    def __getitem__(cls, item: Any) -> Any:
        return cls


class Package(types.ModuleType):
    """A package that has every name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(name, (), {})


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--all", action="store_true", help="also print each other reason")
    parser.add_argument(
        "--kinds",
        nargs="+",
        default=[
            "ImportError",
            "ModuleNotFoundError",
            "AttributeError",
            "TypeError",
            "SyntaxError",
            "NameError",
            "RuntimeError",
            "ValueError",
        ],
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
