"""libcst, imported in less time, is the libcst that it is otherwise."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import FrozenInstanceError
from types import ModuleType

import pytest

from torchfix_codemods.edit import cst, lean_import

SHOWN = """
import dataclasses, inspect, json, re
shown = {}
for name in dir(cst):
    cls = getattr(cst, name)
    if isinstance(cls, type) and dataclasses.is_dataclass(cls):
        fields = [[f.name, repr(f.type), f.init, f.kw_only] for f in dataclasses.fields(cls)]
        methods = sorted(vars(cls).keys() - {"__setattr__", "__delattr__"})
        said = [str(inspect.signature(cls)), repr(cls.__dataclass_params__), cls.__init__.__name__]
        said += [repr(cls.__init__.__annotations__), cls.__init__.__qualname__]
        shown[name] = [fields, methods, *(re.sub("0x[0-9a-f]+", "", text) for text in said)]
print(json.dumps(shown))
"""
USUAL = "import libcst as cst\n"
LEAN = "from torchfix_codemods.edit.lean_import import libcst\ncst = libcst()\n"


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_all_classes_are_the_same() -> None:
    usual, lean = json.loads(run(USUAL + SHOWN)), json.loads(run(LEAN + SHOWN))
    assert len(usual) > 150
    assert lean == usual


def test_methods_are_written_when_they_are_used() -> None:
    code = "print([type(vars(c)['__init__']).__name__ for c in (cst.Lambda, cst.Name)])"
    assert run(f"{LEAN}cst.Name('x')\n{code}") == "['Initializer', 'function']\n"
    assert run(f"{USUAL}cst.Name('x')\n{code}") == "['function', 'function']\n"


CHANGES = """
import dataclasses
class Own(cst.Name):
    pass
@dataclasses.dataclass(frozen=True)
class Frozen(cst.Name):
    more: int = 3
for cls in (cst.Name, Own, Frozen):
    node = cls("x")
    for name in ("value", "lpar", "other"):
        for change in (lambda: setattr(node, name, 1), lambda: delattr(node, name)):
            try:
                change()
            except Exception as error:
                # What a class with slots says of names that it has not is an accident.
                print(cls.__name__, name, name == "other" or f"{type(error).__name__}: {error}")
            else:
                print(cls.__name__, name, "is set or gone")
print(Frozen("x").more, cst.Name("x") == cst.Name("x"), cst.Name("x").deep_equals(cst.Name("x")))
"""


def test_nodes_stay_as_they_are() -> None:
    said = run(LEAN + CHANGES)
    assert said == run(USUAL + CHANGES)
    assert "Name value FrozenInstanceError: cannot assign to field 'value'\n" in said
    assert "is set or gone" not in said


def test_the_package_itself_imports_it_so() -> None:
    code = "from torchfix_codemods.edit import cst\ncst.Name('x')\n"
    code += "print(type(vars(cst.Lambda)['__init__']).__name__)"
    assert run(code) == "Initializer\n"


def test_other_classes_are_made_as_ever() -> None:
    code = """
import dataclasses
usual = dataclasses.dataclass
made = []
from torchfix_codemods.edit.lean_import import _decorator
@_decorator(usual, made)(frozen=True)
class Point:
    x: int
    __eq__, __hash__, __repr__ = object.__eq__, object.__hash__, object.__repr__
print(type(vars(Point)["__init__"]).__name__, made)
"""
    assert run(code) == "function []\n"
    code = "import dataclasses\nbefore = dataclasses.dataclass\n"
    assert run(f"{code}{LEAN}print(dataclasses.dataclass is before)") == "True\n"


def test_where_it_does_not_work_the_import_is_the_usual_one() -> None:
    code = """
from torchfix_codemods.edit import lean_import
def refuses(usual, made):
    def dataclass(cls=None, **options):
        raise TypeError("cannot inherit")
    return dataclass
lean_import._decorator = refuses
cst = lean_import.libcst()
print(type(vars(cst.Lambda)["__init__"]).__name__, cst.parse_expression("f(x)").func.value)
"""
    assert run(code) == "function f\n"


def test_a_libcst_that_is_there_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    there = ModuleType("libcst")
    monkeypatch.setitem(sys.modules, "libcst", there)
    assert lean_import.libcst() is there


def test_nodes_are_frozen_here() -> None:
    with pytest.raises(FrozenInstanceError):
        cst.Name("x").value = "y"  # type: ignore[misc]
