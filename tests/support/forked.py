"""What tests fork Pythons from that have torch already: a script of its own, see ``forking``.

Who connects sends one job, a line of JSON, with the three standard streams; it is told the number
of the process, and how that ended. This ends when nobody is connected any more.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import tempfile
import threading
import traceback
import warnings
import weakref
from typing import Any

#: The most that a job may be.
_SIZE = 1 << 16


def serve(listening: socket.socket) -> None:
    """Fork for all who connect.

    Args:
        listening: where they do.
    """
    # A process that ends wakes the loop up.
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    selector = selectors.DefaultSelector()
    selector.register(listening, selectors.EVENT_READ)
    selector.register(woken, selectors.EVENT_READ)
    running: dict[int, socket.socket] = {}
    connected = None
    # Whoever came meanwhile is served before it ends.
    while events := selector.select(0 if connected == 0 and not running else None):
        for key, _ in events:
            if key.fileobj is listening:
                connection, _ = listening.accept()
                selector.register(connection, selectors.EVENT_READ)
                connected = (connected or 0) + 1
            elif key.fileobj == woken:
                os.read(woken, _SIZE)
                _tell_ends(running)
            else:
                assert isinstance(key.fileobj, socket.socket)
                selector.unregister(key.fileobj)
                connected = (connected or 0) - 1
                _begin(key.fileobj, running)


def _tell_ends(running: dict[int, socket.socket]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with running.pop(pid) as connection, contextlib.suppress(OSError):
            connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _begin(connection: socket.socket, running: dict[int, socket.socket]) -> None:
    """Do what somebody wants who is connected, or be left."""
    data, handles, _, _ = socket.recv_fds(connection, _SIZE, 3)
    if not data:
        connection.close()
        return
    while not data.endswith(b"\n"):
        data += connection.recv(_SIZE)
    pid = os.fork()
    if pid == 0:
        for other in (connection, *running.values()):
            other.close()
        _in_child(json.loads(data), handles)
    for handle in handles:
        os.close(handle)
    running[pid] = connection
    with contextlib.suppress(OSError):
        connection.sendall(b"%d\n" % pid)


def _in_child(job: dict[str, Any], handles: list[int]) -> None:
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, handle in enumerate(handles):
            os.dup2(handle, number)
        os.closerange(3, 256)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
        os.environ.clear()
        os.environ.update(job["environment"])
        os.chdir(job["cwd"])
        tempfile.tempdir = None
        sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
        status = _status(job["words"])
        for end in (threading._shutdown, atexit._run_exitfuncs, sys.stdout.flush):
            end()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status & 0xFF)


def _status(words: list[str]) -> int:
    """Run what the words behind ``python`` say."""
    paths = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    if not os.environ.get("PYTHONPATH"):
        paths = []
    sys.path[:0] = paths
    sys.path_importer_cache.clear()
    with contextlib.suppress(ImportError):
        sys.modules.pop("sitecustomize", None)
        importlib.import_module("sitecustomize")
    try:
        while words[0] == "-W":
            warnings.simplefilter(words[1])  # type: ignore[arg-type]
            words = words[2:]
        kind, *rest = words
        if kind == "-m":
            sys.path.insert(0, os.getcwd())
            sys.argv = rest
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        elif kind == "-c":
            sys.path.insert(0, "")
            sys.argv = ["-c", *rest[1:]]
            _execute(rest[0], "<string>", {})
        else:
            sys.path.insert(0, os.path.dirname(os.path.abspath(kind)))
            sys.argv = words
            with open(kind, encoding="utf-8") as file:
                _execute(file.read(), kind, {"__file__": kind})
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        print(error.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _execute(text: str, name: str, known: dict[str, Any]) -> None:
    main = type(sys)("__main__")
    main.__dict__.update(known)
    sys.modules["__main__"] = main
    exec(compile(text, name, "exec", dont_inherit=True), main.__dict__)


def _prepare() -> None:
    """Import what nearly all need, and leave no work to those that are forked."""
    import torch._dynamo  # noqa: F401

    for finalizer in list(getattr(weakref.finalize, "_registry", ())):
        finalizer.atexit = False
    # The script's own folder is on nobody's path.
    del sys.path[0]
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    _prepare()
    serve(socket.socket(fileno=int(sys.argv[1])))
    os._exit(0)
