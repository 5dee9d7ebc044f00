"""libcst, imported in half the time: the methods of its classes are written when they are used.

It has two hundred classes of nodes, and :func:`dataclasses.dataclass` writes and compiles five
methods for each, of which libcst throws two away and one run uses few of the others: more than
half of the import. While libcst is imported, and for its nodes alone, another decorator makes the
same classes: with the fields and parameters of dataclasses, unchangeable, and equal to themselves
alone. Where that does not work with the libcst that is installed, it is imported as ever.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from torchfix_codemods.initializer import Initializer

_PACKAGE = "libcst"
#: What nodes define themselves, so that no dataclass writes it for them.
_OWN = frozenset({"__eq__", "__hash__", "__repr__"})


def libcst() -> ModuleType:
    """libcst, imported if it was not yet."""
    if _PACKAGE in sys.modules:
        return importlib.import_module(_PACKAGE)
    usual = dataclasses.dataclass
    made: list[type] = []
    dataclasses.dataclass = _decorator(usual, made)
    try:
        return importlib.import_module(_PACKAGE)
    except Exception:
        made.clear()
        for name in [n for n in sys.modules if n.partition(".")[0] == _PACKAGE]:
            del sys.modules[name]
        dataclasses.dataclass = usual
        return importlib.import_module(_PACKAGE)
    finally:
        dataclasses.dataclass = usual
        for cls in made:
            # Only now: until then dataclasses would not have them as bases of one another.
            parameters = vars(cls)["__dataclass_params__"]
            parameters.init = parameters.repr = parameters.eq = parameters.frozen = True


def _decorator(usual: Callable[..., Any], made: list[type]) -> Any:
    def dataclass(cls: Any = None, /, **options: Any) -> Any:
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        is_node = cls.__module__.startswith(f"{_PACKAGE}._nodes.") and vars(cls).keys() >= _OWN
        if not is_node or options != {"frozen": True}:
            return usual(cls, **options)
        if cls.__doc__ is None:
            # Else the signature is taken apart to make one.
            cls.__doc__ = cls.__name__
        is_first = not dataclasses.is_dataclass(cls)
        usual(cls, init=False, repr=False, eq=False)
        if "__init__" not in vars(cls):
            cls.__init__ = Initializer(is_frozen=True)
        if is_first:
            cls.__setattr__, cls.__delattr__ = _refuse_to_set, _refuse_to_delete
        made.append(cls)
        return cls

    return dataclass


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
