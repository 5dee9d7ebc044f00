"""A class that gets a `__getitem__` in Python becomes a sequence for C; a tensor must not.

`torch.LongTensor([t])` of a tensor without dimensions asks `PySequence_Check(t)`, then fails on
its length.
"""

from __future__ import annotations

import importlib
import sys
import sysconfig
from typing import Any

# Words of 8 bytes into a type object and its table of sequence methods, CPython 3.7 to 3.13.
_AS_SEQUENCE = 13
_SQ_ITEM = 3


class _Reference:
    def __getitem__(self, index: Any) -> Any:
        raise IndexError(index)


def stay_no_sequence(cls: type) -> None:
    """Take the slot away that Python has just filled; where it is not found, do nothing."""
    ctypes = _ctypes()
    if ctypes is None:
        return

    def slot(of: type) -> Any:
        table = ctypes.c_void_p.from_address(id(of) + 8 * _AS_SEQUENCE).value
        return ctypes.c_void_p.from_address(table + 8 * _SQ_ITEM) if table else None

    filled = slot(_Reference)
    if filled is None or not filled.value:
        return
    for each in [cls, *_subclasses(cls)]:
        found = slot(each)
        if found is not None and found.value == filled.value:
            found.value = None


def _ctypes() -> Any:
    """The module, where types are laid out as the numbers above say."""
    usual = sys.implementation.name == "cpython" and sys.maxsize == 2**63 - 1
    if not usual or hasattr(sys, "getobjects") or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    try:
        return importlib.import_module("ctypes")
    except ImportError:
        return None


def _subclasses(cls: type) -> list[type]:
    found: list[type] = list(cls.__subclasses__())
    for each in list(found):
        found.extend(_subclasses(each))
    return found
