"""What operations of torch and containers do stands in tables: lists elsewhere only get fewer."""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

import pytest

import torchfix_codemods
from torchfix_codemods.facts.libraries import container_methods, torch_effects

PACKAGE = Path(torchfix_codemods.__file__).parent

#: Methods of tensors and of much else; and attributes, which are no methods.
COMMON = {
    *(name for kind in (str, bytes, list, dict, set, tuple, int, float) for name in dir(kind)),
    *"data device dtype grad grad_fn is_leaf layout name names ndim real imag requires_grad "
    "shape nbytes itemsize volatile".split(),
}
METHODS = {
    name.removeprefix("torch.Tensor.")
    for name in torch_effects.lines()
    if name.startswith("torch.Tensor.")
} - COMMON

#: How many lists of five or more methods there are. A number may be lowered, and none be added: what
#: an operation does is a question to ``facts.torch_effects``, and where the table cannot answer it
#: a column is missing.
KNOWN = {
    "facts/evaluation/given_back.py": 1,
    "rules/masks/questions/masks.py": 1,
    "facts/tensors/wrappers.py": 1,
    "facts/values/torch_api.py": 1,
    "facts/libraries/scalars_first.py": 1,
    "facts/libraries/torch_names.py": 1,
    "rules/autograd/questions/written_data.py": 1,
    "rules/autograd/numpy_from_graph.py": 1,
    "rules/masks/questions/calculated_masks.py": 1,
    "rules/tensors/integer_division.py": 1,
    "rules/tensors/overlapping_write.py": 1,
}


@functools.cache
def parsed(path: Path) -> ast.Module:
    """The tree of a module, which nobody changes."""
    return ast.parse(path.read_text("utf-8"))


def lists_of(text: str, known: Set[str] = METHODS, least: int = 5) -> list[int]:
    """The lines of a text in which a list of so many methods begins: of tensors, if not said."""
    return lists_in(ast.parse(text), known, least)


def lists_in(module: ast.Module, known: Set[str] = METHODS, least: int = 5) -> list[int]:
    """The same of a module."""
    found = []
    for node in ast.walk(module):
        names: set[str] = set()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = set(node.value.split())
        elif isinstance(node, (ast.Set, ast.List, ast.Tuple)):
            values = (e.value for e in node.elts if isinstance(e, ast.Constant))
            names = {value for value in values if isinstance(value, str)}
        methods = names & known
        if len(names) < 400 and len(methods) >= least and len(methods) > 0.3 * len(names):
            found.append(node.lineno)
    return found


def test_no_new_list_of_tensor_methods() -> None:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        lines = [] if name.startswith("verify/") else lists_in(parsed(path))
        if lines:
            found[name] = lines
    more = {name: lines for name, lines in found.items() if len(lines) > KNOWN.get(name, 0)}
    assert not more, "a list of tensor methods: ask torchfix_codemods.facts.libraries.torch_effects"
    assert {name: len(lines) for name, lines in found.items()} == KNOWN, "what went stays away"


def test_no_list_of_methods_of_containers() -> None:
    kinds = ("list", "dict", "set", "deque")
    known = {
        m for m in container_methods.table() if any(container_methods.is_of(k, m) for k in kinds)
    }
    assert lists_of("X = {'append', 'extend', 'pop'}", known, 3) == [1]
    found = {
        path.name: lines
        for path in PACKAGE.rglob("*.py")
        if "verify" not in path.parts and (lines := lists_in(parsed(path), known, 3))
    }
    assert found == {}, "ask torchfix_codemods.facts.libraries.container_methods"


def test_lists_are_seen() -> None:
    methods = "view permute expand_as squeeze clone"
    assert lists_of(f'X = frozenset("{methods}".split())') == [1]
    assert lists_of(f"X = {set(methods.split())!r}") == [1]
    assert lists_of(f"X = {methods.split()[:4]!r}") == []


def test_other_lists_are_none() -> None:
    assert lists_of(f"X = {[name for name in dir(builtins) if name.islower()]!r}") == []
    assert lists_of(f"X = {dir(str)!r}\nY = {dir(dict)!r}") == []
    assert (
        lists_of('"""Whether view, permute or squeeze share memory, as detach and t do, too."""')
        == []
    )


def imports_of(path: Path) -> set[str]:
    """The modules of the package that a file imports, those for type checkers included."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.update((node.module, *(f"{node.module}.{a.name}" for a in node.names)))
    return found


def in_circles(imports: dict[str, set[str]]) -> set[str]:
    """The modules that can be reached from themselves."""
    reached = {}
    for start in imports:
        seen, pending = set[str](), [start]
        while pending:
            new = (imports[pending.pop()] & imports.keys()) - seen
            seen |= new
            pending += new
        reached[start] = seen
    return {name for name, seen in reached.items() if name in seen}


def test_imports_run_one_way() -> None:
    paths = {
        ".".join(("torchfix_codemods", *path.relative_to(PACKAGE).with_suffix("").parts)): path
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py"
    }
    circles = in_circles({name: imports_of(path) for name, path in paths.items()})
    assert not circles


#: The rooms of ``facts``, each of which imports only those before it.
ROOMS = (
    "libraries language age values evidence evaluation module paths tensors programs recording"
).split()


def test_rooms_import_those_before_them() -> None:
    found = set()
    for path in (PACKAGE / "facts").rglob("*.py"):
        room = path.relative_to(PACKAGE / "facts").parts[0].removesuffix(".py")
        for name in imports_of(path):
            parts = name.split(".")
            if parts[:2] == ["torchfix_codemods", "facts"] and len(parts) > 2:
                found.add((room, parts[2]))
    outer = {"guards": "module", "__init__": "libraries"}
    known = {room: place for place, room in enumerate(ROOMS)}
    places = {(known[outer.get(a, a)], known[outer.get(b, b)]) for a, b in found}
    assert [(ROOMS[a], ROOMS[b]) for a, b in places if b > a] == []


def test_rooms_are_small() -> None:
    crowded = {
        folder.name: len([*folder.glob("*.py")])
        for room in ("facts", "catalogue", "documents", "edit", "rules", "verify")
        for folder in PACKAGE.glob(f"{room}/**")
        if len([*folder.glob("*.py")]) > 25
    }
    assert crowded == {}, "what belongs together in it gets a folder of its own"


#: How many lines a file may have, by room.
LONGEST = {"facts": 400, "rules": 250, "verify": 400}


@pytest.mark.parametrize(("room", "longest"), LONGEST.items())
def test_files_are_short(room: str, longest: int) -> None:
    lengths = {
        path.relative_to(PACKAGE).as_posix(): len(path.read_text("utf-8").splitlines())
        for path in (PACKAGE / room).rglob("*.py")
    }
    assert {name: lines for name, lines in lengths.items() if lines > longest} == {}


def test_circles_are_seen() -> None:
    assert in_circles({"a": {"b"}, "b": {"c", "x"}, "c": {"b"}, "d": {"a"}}) == {"b", "c"}


def test_few_modules_lie_loose() -> None:
    assert len([*PACKAGE.glob("*.py")]) <= 10


def test_the_page_names_the_rooms() -> None:
    page = (PACKAGE.parent / "docs" / "how-it-knows.md").read_text("utf-8")
    rooms = [f"{room}/" for room in ROOMS if room != "module"]
    assert [room for room in (*rooms, "module.py") if room not in page] == []
    for named in re.findall(r"`((?:[a-z_]+/)+[a-z_]+)(?:\.py)?`", page):
        found = [
            path
            for path in (PACKAGE / "facts" / named, PACKAGE / named, PACKAGE.parent / named)
            if path.with_suffix(".py").exists() or path.exists()
        ]
        assert found, named


def written_twice(modules: Mapping[str, ast.Module]) -> list[set[str]]:
    """The functions of modules that do the same, statement for statement, under whatever names."""
    alike: dict[tuple[type, ...], list[tuple[str, ast.FunctionDef]]] = {}
    for path, module in modules.items():
        for node in module.body:
            if isinstance(node, ast.FunctionDef):
                kinds = tuple(
                    type(part) for statement in _body(node) for part in ast.walk(statement)
                )
                alike.setdefault(kinds, []).append((f"{path}:{node.name}", node))
    found: dict[str, set[str]] = {}
    for place, node in (each for several in alike.values() if len(several) > 1 for each in several):
        text = "\n".join(_with_numbered_locals(copy.deepcopy(_body(node)), node))
        # Below this it is a word in other words: ``return name or ""``.
        if len(text) > 150:
            found.setdefault(text, set()).add(place)
    return [places for places in found.values() if len(places) > 1]


def _body(function: ast.FunctionDef) -> list[ast.stmt]:
    return function.body[bool(ast.get_docstring(function)) :]


def _with_numbered_locals(body: list[ast.stmt], function: ast.FunctionDef) -> Iterator[str]:
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    names = [node for part in body for node in ast.walk(part) if isinstance(node, ast.Name)]
    own = {argument.arg for argument in arguments}
    own |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    numbers: dict[str, str] = {}
    for name in names:
        if name.id in own:
            name.id = numbers.setdefault(name.id, f"name{len(numbers)}")
    return (ast.dump(statement) for statement in body)


def test_functions_written_twice_are_seen() -> None:
    first = ast.parse(
        "def a(x, y):\n    'One.'\n    z = x + y.size(0) * 2\n    return z if z else y"
    )
    second = ast.parse(
        "def b(one, two):\n    c = one + two.size(0) * 2\n    return c if c else two"
    )
    other = ast.parse("def d(x, y):\n    z = x + y.size(1) * 2\n    return z if z else y")
    assert written_twice({"f": first, "g": second, "h": other}) == [{"f:a", "g:b"}]


def test_no_function_stands_twice() -> None:
    modules = {path.relative_to(PACKAGE).as_posix(): parsed(path) for path in PACKAGE.rglob("*.py")}
    assert written_twice(modules) == []
