"""Keeps a run from the network and from the user's files."""

from __future__ import annotations

import builtins
import functools
import io
import os
import pathlib
import shutil
import socket
import sys
from typing import Any, Callable, Sequence

#: What to ask before torch writes a file.
_AUDITS: list[Callable[[str, tuple[Any, ...]], None]] = []

#: Who wants to hear of files that are opened to be read.
_READERS: list[Callable[[Any], None]] = []

#: Who wants to hear of files that are opened to be written.
_WRITERS: list[Callable[[Any], None]] = []

#: Who wants to hear of what is about to be made.
_MAKERS: list[Callable[[str, list[Any]], None]] = []

#: Audit events of what is made, and which of their arguments are paths.
_MAKING = {
    "os.mkdir": slice(1),
    "os.rename": slice(2),
    "os.link": slice(1, 2),
    "os.symlink": slice(1, 2),
}

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

#: Audit events of the file system, and which of their arguments are paths that would change.
_CHANGES = {
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.rmdir": (0,),
    "os.mkdir": (0,),
    "os.link": (1,),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.chmod": (0,),
    "os.utime": (0,),
    "shutil.rmtree": (0,),
    "shutil.move": (0, 1),
}

#: The functions that tell of an event, where they are more than the one of its name.
_ALSO = {"os.remove": ("remove", "unlink"), "os.rename": ("rename", "replace")}


def install(protected: Sequence[str], writable: Sequence[str]) -> None:
    """Refuse connections to other machines, and changes of files in some folders.

    Args:
        protected: folders in which nothing may change.
        writable: folders in which all may. Of folders within each other the inner one counts.
    """
    folders = {os.path.join(os.path.realpath(path), ""): False for path in protected}
    folders.update({os.path.join(os.path.realpath(path), ""): True for path in writable})
    inner_first = sorted(folders, key=len, reverse=True)

    def is_protected(path: Any) -> bool:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return False
        real = os.path.join(os.path.realpath(os.fsdecode(path)), "")
        return not next(
            (folders[folder] for folder in inner_first if real.startswith(folder)), True
        )

    def refuse(path: Any) -> None:
        raise PermissionError(
            f"the verified run may not change {os.fsdecode(path)!r}: it works in a copy"
        )

    def audit(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = args
            if _reads(mode, flags):
                for tell in _READERS:
                    tell(path)
            writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (
                not isinstance(mode, str) and isinstance(flags, int) and flags & _WRITES
            )
            if writes and is_protected(path):
                refuse(path)
            if writes:
                for tell in _WRITERS:
                    tell(path)
                for make in _MAKERS:
                    make(event, [path])
        elif event in _CHANGES:
            for index in _CHANGES[event]:
                if index < len(args) and is_protected(args[index]):
                    refuse(args[index])
            for make in _MAKERS if event in _MAKING else ():
                make(event, list(args[_MAKING[event]]))
        elif event == "socket.connect":
            _check_address(args[0], args[1])
        elif event == "socket.getaddrinfo" and not _is_local(args[0]):
            raise OSError(f"the verified run has no network ({args[0]})")

    if hasattr(sys, "addaudithook"):
        sys.addaudithook(audit)
    else:
        _ask_first(audit)
    _AUDITS[:] = [audit]


def tell_of_reading(tell: Callable[[Any], None]) -> None:
    """Hear of each file that is opened to be read.

    Args:
        tell: is called with what names the file.
    """
    _READERS[:] = [tell]


def tell_of_writing(tell: Callable[[Any], None]) -> None:
    """Hear of each file that is opened to be written.

    Args:
        tell: is called with what names the file.
    """
    _WRITERS[:] = [tell]


def tell_of_making(tell: Callable[[str, list[Any]], None]) -> None:
    """Hear of each file and folder that the program may make, before it does.

    Args:
        tell: is called with the audit event, and the paths of it.
    """
    _MAKERS[:] = [tell]


def _reads(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return bool(set(mode) & set("r+"))
    return not (isinstance(flags, int) and flags & os.O_WRONLY)


def _ask_first(audit: Callable[[str, tuple[Any, ...]], None]) -> None:
    """Put the question before each function that Python 3.8 would tell of.

    What C libraries write by themselves is not seen.
    """

    def ask(owner: Any, name: str, event: str, given: Callable[..., tuple[Any, ...]]) -> None:
        original = getattr(owner, name, None)
        if original is None:
            return

        @functools.wraps(original)
        def asking(*args: Any, **kwargs: Any) -> Any:
            audit(event, given(*args, **kwargs))
            return original(*args, **kwargs)

        setattr(owner, name, staticmethod(asking) if owner is accessor else asking)

    accessor = getattr(pathlib, "_NormalAccessor", None)

    def opened(file: Any, mode: Any = "r", *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        return file, mode, 0

    def opened_low(path: Any, flags: int, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        return path, None, flags

    def paths(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
        return args or tuple(kwargs.values())

    ask(builtins, "open", "open", opened)
    ask(io, "open", "open", opened)
    ask(os, "open", "open", opened_low)
    ask(accessor, "open", "open", opened_low)
    for event in _CHANGES:
        module, name = event.split(".")
        for spelling in _ALSO.get(event, (name,)):
            ask(shutil if module == "shutil" else os, spelling, event, paths)
            if module == "os":
                ask(accessor, spelling, event, paths)
    ask(socket.socket, "connect", "socket.connect", lambda own, address: (own, address))
    ask(socket.socket, "connect_ex", "socket.connect", lambda own, address: (own, address))
    ask(socket, "getaddrinfo", "socket.getaddrinfo", paths)


def watch_torch() -> None:
    """Hear of the files that torch writes, too: it opens them by itself."""
    import torch

    classes = ("ScriptFunction", "RecursiveScriptModule")
    owners: list[Any] = [torch, torch.jit, *(getattr(torch.jit, name, None) for name in classes)]
    for owner in owners:
        if hasattr(owner, "save"):
            owner.save = _telling(owner.save)


def _telling(save: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(save, updated=())
    def telling(*args: Any, **kwargs: Any) -> Any:
        for path in (*args[1:2], kwargs.get("f"), kwargs.get("filename")):
            if isinstance(path, (str, bytes, os.PathLike)):
                for audit in _AUDITS:
                    audit("open", (path, "w", 0))
        return save(*args, **kwargs)

    return telling


def _check_address(connection: Any, address: Any) -> None:
    if connection.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
        raise OSError(f"the verified run has no network ({address[0]})")


def _is_local(host: Any) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    return host in (None, "", "localhost", "::1", "::", "0.0.0.0") or str(host).startswith("127.")
