"""``__init__`` of classes of data, written when the first object is made: most never make one."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator
from typing import Any


class _Factory:
    """The default of what is made anew for each object, as signatures show it."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Factory()


class Initializer:
    """Stands for the ``__init__`` of a class of data until somebody asks for it.

    Then it does what :func:`dataclasses.dataclass` would have done, and puts that in its place.
    """

    def __init__(self, is_frozen: bool = False) -> None:
        self.is_frozen = is_frozen
        """Whether attributes can only be set around the class."""

    def __get__(self, instance: Any, owner: type) -> Any:
        # A class may have been made once more with the same members, to give it slots.
        # `inspect` of some Pythons asks a class as if it were an object.
        asked = instance if isinstance(instance, type) else owner
        holder = next(cls for cls in asked.__mro__ if vars(cls).get("__init__") is self)
        written = _written(holder, self.is_frozen)
        holder.__init__ = written  # type: ignore[misc]
        return written.__get__(instance, owner)


def _written(cls: type, is_frozen: bool) -> Callable[..., None]:
    fields = dataclasses.fields(cls)
    names: dict[str, Any] = {"_missing": _MADE, "_set": object.__setattr__}
    for field in fields:
        names[f"_default_{field.name}"] = field.default
        names[f"_made_{field.name}"] = field.default_factory
    parameters = [_parameter(field) for field in fields if field.init and not field.kw_only]
    if any(field.init and field.kw_only for field in fields):
        parameters += ["*", *(_parameter(f) for f in fields if f.init and f.kw_only)]
    lines = [line for field in fields for line in _lines(field, is_frozen)]
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n  ".join(lines or ["pass"])
    text = (
        f"def write({', '.join(names)}):\n"
        f" def __init__({', '.join(('self', *parameters))}):\n  {body}\n"
        " return __init__"
    )
    found: dict[str, Any] = {}
    exec(text, vars(sys.modules[cls.__module__]), found)
    written: Callable[..., None] = found["write"](**names)
    written.__qualname__ = f"{cls.__qualname__}.__init__"
    written.__annotations__ = {f.name: f.type for f in fields if f.init} | {"return": None}
    return written


def _parameter(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return f"{field.name}=_default_{field.name}"
    if field.default_factory is not dataclasses.MISSING:
        return f"{field.name}=_missing"
    return field.name


def _lines(field: dataclasses.Field[Any], is_frozen: bool) -> Iterator[str]:
    name, made = field.name, f"_made_{field.name}()"
    is_made = field.default_factory is not dataclasses.MISSING
    if not field.init and not is_made:
        return
    value = name
    if is_made:
        value = f"{made} if {name} is _missing else {name}" if field.init else made
    yield f"_set(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}"
