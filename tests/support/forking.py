"""Pythons that have torch already: forked from one that imported it once for all tests.

What they run has a process, a folder, an environment, paths and standard streams of its own. What
only a Python shows that starts (which modules it imports, and when) is no case for them.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

#: A torch that was imported on another system may have threads, which do not survive; and what is
#: measured of processes is measured from their start.
_IS_POSSIBLE = sys.platform == "linux" and not any(
    name.startswith("COVERAGE_") for name in os.environ
)

#: Variables that Python reads when it starts, or torch when it is imported.
_READ_AT_START = ("PYTHONHASHSEED", "PYTHONNOUSERSITE", "OMP_NUM_THREADS", "TORCHDYNAMO_DISABLE")

_Stream = IO[Any] | int


class Forks:
    """Starts processes.

    Args:
        folder: where all who run tests find those that are forked from.
    """

    PIPE = subprocess.PIPE
    TimeoutExpired = subprocess.TimeoutExpired

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Not as the test that is the first to need one has changed it.
        self._environment = {
            name: value
            for name, value in os.environ.items()
            if name not in (*_READ_AT_START, "PYTHONPATH")
        }
        self._environment["TMPDIR"] = str(folder)
        self._held: dict[str, socket.socket] = {}

    def close(self) -> None:
        """Let those that are forked from end, once nobody else needs them."""
        for connection in self._held.values():
            connection.close()

    def Popen(
        self,
        words: Sequence[str],
        *,
        cwd: Path | str,
        env: Mapping[str, str],
        stdin: _Stream = subprocess.DEVNULL,
        stdout: _Stream,
        stderr: _Stream = 2,
        text: bool = True,
    ) -> subprocess.Popen[str] | Forked:
        """Start a Python, as ``subprocess.Popen`` does.

        Args:
            words: Python, then ``-m``, ``-c`` or a script, then its arguments.
            cwd: the folder to start in.
            env: all of its environment.
            stdin: an open file, or how it is made.
            stdout: the same.
            stderr: the same.
            text: that pipes are for text.
        """
        if not _IS_POSSIBLE or words[0] != sys.executable:
            return subprocess.Popen(
                words, cwd=cwd, env=env, stdin=stdin, stdout=stdout, stderr=stderr, text=text
            )
        connection = self._connected({name: env[name] for name in _READ_AT_START if name in env})
        job = {"words": words[1:], "cwd": str(cwd), "environment": dict(env)}
        return Forked(connection, job, stdin, stdout, stderr)

    def run(
        self, words: Sequence[str], *, cwd: Path | str, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a Python to its end, and catch what it prints.

        Args:
            words: Python, then ``-c`` or a script, then its arguments.
            cwd: the folder to start in.
            env: all of its environment.
        """
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
            process = self.Popen(words, cwd=cwd, env=env, stdout=out, stderr=errors)
            status = process.wait()
            out.seek(0)
            errors.seek(0)
            return subprocess.CompletedProcess(words, status, out.read(), errors.read())

    def _connected(self, environment: Mapping[str, str]) -> socket.socket:
        """A connection to what has such an environment, which is started where nobody did."""
        name = hashlib.sha256(json.dumps(environment, sort_keys=True).encode()).hexdigest()[:16]
        if name not in self._held:
            with open(self._folder / f"{name}.lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                try:
                    self._held[name] = self._connection(name)
                except OSError:
                    self._start(name, environment)
                    self._held[name] = self._connection(name)
        return self._connection(name)

    def _connection(self, name: str) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _short(self._folder) as folder:
                connection.connect(f"{folder}/{name}")
        except OSError:
            connection.close()
            raise
        return connection

    def _start(self, name: str, environment: Mapping[str, str]) -> None:
        (self._folder / name).unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            with _short(self._folder) as folder:
                listening.bind(f"{folder}/{name}")
            listening.listen(64)
            subprocess.Popen(
                [
                    sys.executable,
                    str(Path(__file__).with_name("forked.py")),
                    str(listening.fileno()),
                ],
                env={**self._environment, **environment},
                pass_fds=[listening.fileno()],
                stdin=subprocess.DEVNULL,
            )


class Forked:
    """As much of a ``subprocess.Popen`` as tests need.

    Args:
        connection: to what it is forked from.
        job: what it is to do.
        streams: its standard streams, as for ``subprocess.Popen``.
    """

    def __init__(
        self, connection: socket.socket, job: Mapping[str, Any], *streams: _Stream
    ) -> None:
        self._told = connection.makefile("r")
        with contextlib.ExitStack() as handles:
            ends = [_ends(stream, number, handles) for number, stream in enumerate(streams)]
            data = json.dumps(job).encode() + b"\n"
            sent = socket.send_fds(connection, [data], [theirs for theirs, _ in ends])
            connection.sendall(data[sent:])
            self.pid = int(self._told.readline())
        connection.close()
        self.stdin, self.stdout, self.stderr = (ours for _, ours in ends)
        self.returncode: int | None = None

    def __enter__(self) -> Forked:
        return self

    def __exit__(self, *error: object) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait()

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end.

        Args:
            timeout: for how many seconds at most.
        """
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            self.returncode = int(self._told.readline())
            self._told.close()
        return self.returncode

    def kill(self) -> None:
        """Kill it, if it still runs."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


def _ends(
    stream: _Stream, number: int, handles: contextlib.ExitStack
) -> tuple[int, IO[str] | None]:
    """The end of a stream that the process gets, and the other one if that is ours."""
    if stream == subprocess.PIPE:
        read, write = os.pipe()
        theirs, ours = (read, write) if number == 0 else (write, read)
        handles.callback(os.close, theirs)
        return theirs, os.fdopen(ours, "w" if number == 0 else "r")
    if stream == subprocess.DEVNULL:
        nothing = os.open(os.devnull, os.O_RDWR)
        handles.callback(os.close, nothing)
        return nothing, None
    return stream if isinstance(stream, int) else stream.fileno(), None


@contextlib.contextmanager
def _short(folder: Path) -> Iterator[str]:
    """Another path of a folder: those of sockets may not be long."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{handle}"
    finally:
        os.close(handle)
