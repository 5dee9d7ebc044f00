"""One run over files: which files it is about, and what they were when it began."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

_T = TypeVar("_T")

#: The list of the files, in the folder that processes share.
_FILES = "files"


class Run:
    """What all processes of one run know of it, and whatever became of its files meanwhile.

    Sent to another process it is the same run there: the first time it gets a folder, for what
    the processes have to tell each other.

    Args:
        paths: the files that it is about.
        writes: whether it may rewrite them.
    """

    def __init__(self, paths: Sequence[Path], writes: bool) -> None:
        self.writes = writes
        self._paths = paths
        self._made: TemporaryDirectory[str] | None = None
        self._folder: Path | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._made is not None:
            self._made.cleanup()

    def __reduce__(self) -> tuple[Callable[[str, bool], Run], tuple[str, bool]]:
        return _joined, (str(self._shared()), self.writes)

    @functools.cached_property
    def files(self) -> frozenset[Path]:
        """The files that the run is about, their paths resolved."""
        return frozenset(Path(os.fsdecode(name)) for name in self._names.split(b"\0") if name)

    @functools.cached_property
    def digest(self) -> str:
        """A digest of the list of files that the run is about."""
        import hashlib

        return hashlib.sha256(self._names).hexdigest()

    @functools.cached_property
    def _names(self) -> bytes:
        if self._folder is not None and self._made is None:
            return (self._folder / _FILES).read_bytes()
        from torchfix_codemods.project.paths import resolved_name

        return b"\0".join(os.fsencode(resolved_name(path)) for path in self._paths)

    # What was rewritten

    def keep(self, path: Path, data: bytes) -> None:
        """Keep what a file is, and how old, before it is rewritten."""
        kept = self._shared() / _name_of(path)
        if kept.exists():
            return
        status = path.stat()
        partial = kept.with_suffix(f".{os.getpid()}")
        partial.write_bytes(data)
        os.utime(partial, ns=(status.st_atime_ns, status.st_mtime_ns))
        partial.replace(kept)

    def original(self, path: Path) -> bytes | None:
        """What a file was; None where it was not rewritten."""
        return self._of_copy(path, Path.read_bytes)

    def original_status(self, path: str) -> os.stat_result | None:
        """The size and time of what a file was; None where it was not rewritten."""
        return self._of_copy(Path(path), Path.stat)

    def _of_copy(self, path: Path, ask: Callable[[Path], _T]) -> _T | None:
        if self._folder is None or not self.writes:
            return None
        try:
            return ask(self._folder / _name_of(path))
        except OSError:
            return None

    def _shared(self) -> Path:
        """The folder of the run. Most runs are of one process that rewrites nothing."""
        with self._lock:
            if self._folder is None:
                from tempfile import TemporaryDirectory

                self._made = TemporaryDirectory(prefix="torchfix-")
                folder = Path(self._made.name)
                (folder / _FILES).write_bytes(self._names)
                self._folder = folder
            return self._folder


# A process that gets several pieces of a run remembers what it asked for the first.
@functools.lru_cache(maxsize=2)
def _joined(folder: str, writes: bool) -> Run:
    run = Run((), writes)
    run._folder = Path(folder)
    return run


def _name_of(path: Path) -> str:
    """The name of the copy of a file."""
    import hashlib

    from torchfix_codemods.project.paths import resolved_name

    return hashlib.sha256(os.fsencode(resolved_name(path))).hexdigest()
