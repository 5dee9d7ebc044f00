"""Checkpoints as torch 1.6 and later write them, for a torch that cannot read them.

An old torch that is asked what the program gave in its time is given the files of today.
"""

from __future__ import annotations

import functools
import os
import pickle
import zipfile
from typing import Any

import torch

#: Storages that an old torch had no class for, and the one that holds the same bytes.
_OTHERS = {"BoolStorage": "ByteStorage"}


def install() -> None:
    """Let ``torch.load`` read archives too, where it does not by itself."""
    original = torch.load
    if hasattr(torch.serialization, "_is_zipfile"):
        return

    @functools.wraps(original)
    def load_any(f: Any, *args: Any, **kwargs: Any) -> Any:
        return load(f) if _is_archive(f) else original(f, *args, **kwargs)

    torch.load = load_any


def load(f: Any) -> Any:
    """What an archive holds, on the CPU.

    Args:
        f: a path or an open file.
    """
    with zipfile.ZipFile(f) as archive:
        (described,) = (name for name in archive.namelist() if name.endswith("/data.pkl"))
        folder = described[: -len("data.pkl")]
        storages: dict[str, Any] = {}

        class Unpickler(pickle.Unpickler):
            def persistent_load(self, saved: Any) -> Any:
                _, kind, key, _, _ = saved
                if key not in storages:
                    storages[key] = _storage(kind, archive.read(f"{folder}data/{key}"))
                return storages[key]

            def find_class(self, module: str, name: str) -> Any:
                if module == "torch" and not hasattr(torch, name):
                    name = _OTHERS.get(name, name)
                return super().find_class(module, name)

        with archive.open(described) as file:
            return Unpickler(file).load()


def _is_archive(f: Any) -> bool:
    if isinstance(f, (str, bytes, os.PathLike)):
        return zipfile.is_zipfile(os.fspath(f))
    if not hasattr(f, "seek"):
        return False
    place = f.tell()
    found = zipfile.is_zipfile(f)
    f.seek(place)
    return found


def _storage(kind: Any, data: bytes) -> Any:
    if not data:
        return kind()
    return kind.from_buffer(bytearray(data), "little")
