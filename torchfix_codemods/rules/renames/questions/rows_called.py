"""Which rows of the catalogue are about what is called."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from torchfix_codemods.catalogue.rows import Arguments, Call, Row
from torchfix_codemods.facts.age.era import parse_version
from torchfix_codemods.facts.evaluation.classes_elsewhere import super_object
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.libraries.signatures import bind, parse_signature
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Optimizer, Scheduler, Tensor, Unknown
from torchfix_codemods.record import record

_RECEIVERS = {"Tensor": Tensor, "Module": Module, "Optimizer": Optimizer, "Scheduler": Scheduler}

CallRow = Call | Arguments


@record
class Index:
    """The rows of one rule by what is called: a qualified name, or the name of a method."""

    names: Mapping[str, Sequence[CallRow]]
    methods: Mapping[str, Sequence[tuple[str, CallRow]]]


def index_of(rows: Iterable[Row]) -> Index:
    """The rows about calls among those of a rule."""
    names: dict[str, list[CallRow]] = {}
    methods: dict[str, list[tuple[str, CallRow]]] = {}
    for row in rows:
        if isinstance(row, Call):
            owner, _, last = row.name.rpartition(".")
            if not row.is_method:
                names.setdefault(row.name, []).append(row)
            if row.method or row.is_method:
                kind = "Tensor" if row.method else owner
                methods.setdefault(last, []).append((kind, row))
                names.setdefault(f"torch.{kind}.{last}", []).append(row)
        elif isinstance(row, Arguments):
            for name in row.of:
                kind, _, last = name.rpartition(".")
                if kind in _RECEIVERS:
                    methods.setdefault(last, []).append((kind, row))
                else:
                    names.setdefault(name, []).append(row)
    return Index(names, methods)


def rows_called(
    index: Index, call: ast.Call, facts: Facts
) -> Iterator[tuple[CallRow, ast.expr | None]]:
    """The rows about what is called, each with the receiver where that is a method."""
    function = call.func
    name = facts.name(function)
    if name is not None:
        yield from ((row, None) for row in index.names.get(name, ()))
    if isinstance(function, ast.Subscript):
        for row in index.names.get(facts.name(function.value) or "", ()):
            if isinstance(row, Call) and row.by_key:
                yield row, function.slice
    if name is not None or not isinstance(function, ast.Attribute):
        return
    if function.attr == "__init__":
        base = _base_constructed(function, facts)
        rows = index.names.get(base or "", ())
        yield from ((row, None) for row in rows if isinstance(row, Arguments) and row.bases)
    for kind, row in index.methods.get(function.attr, ()):
        if not is_for_age(row, call, facts):
            continue
        value = facts.value(function.value)
        if isinstance(value, Unknown):
            value = super_object(facts.inference, function.value)
        if not isinstance(value, _RECEIVERS[kind]):
            continue
        is_torchs = kind == "Tensor" or (isinstance(value, Module) and value.cls is not None)
        if not is_torchs and function.attr in method_names(facts.names):
            continue
        yield row, function.value


def rows_of_tensors_alone(
    index: Index, call: ast.Call, facts: Facts
) -> Iterator[tuple[Call, ast.expr]]:
    """The rows about a method that only tensors have, where the receiver may be anything."""
    method = call.func
    if not isinstance(method, ast.Attribute) or facts.name(method) is not None:
        return
    for _, row in index.methods.get(method.attr, ()):
        if (
            isinstance(row, Call)
            and row.is_distinct
            and isinstance(facts.value(method.value), Unknown)
            and _may_bind(row, call, method.value)
            and method.attr not in method_names(facts.names)
            and not facts.names.is_method_of_project(method.attr)
        ):
            yield row, method.value


def _may_bind(row: Call, call: ast.Call, receiver: ast.expr) -> bool:
    """Whether the arguments can be those of a method: ``b.btrisolve(*lu)`` as well."""
    if is_opaque(call):
        return bool(row.forms)
    return bind(parse_signature(row.old), call, receiver) is not None


def is_for_age(row: CallRow, call: ast.Call, facts: Facts) -> bool:
    """Whether a line is as old as those that a row is about."""
    return row.before is None or facts.numbers_before(call, parse_version(row.before))


def needs_successor(row: Call, call: ast.Call, facts: Facts) -> bool:
    """Whether the code is certainly for a torch that lacks what a row is about."""
    return row.gone is not None and facts.era_of(call).needs(parse_version(row.gone))


def _base_constructed(function: ast.Attribute, facts: Facts) -> str | None:
    """The qualified name of the only base class, whose constructor ``super().__init__`` runs."""
    owner = function.value
    if not isinstance(owner, ast.Call) or getattr(owner.func, "id", "") != "super":
        return None
    of = next((n for n in facts.names.ancestors(function) if isinstance(n, ast.ClassDef)), None)
    if of is None or len(of.bases) != 1:
        return None
    if owner.args and getattr(owner.args[0], "id", "") != of.name:
        return None
    base = of.bases[0]
    return facts.name(base.value if isinstance(base, ast.Subscript) else base)
