"""The base of the rules that follow the catalogue's rows about calls."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given, Named, Row
from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import with_keywords, without_arguments
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.templates import filled, written
from torchfix_codemods.facts.age.era import parse_version
from torchfix_codemods.facts.guards import (
    is_guarded,
    is_import_guarded,
    is_signature_tried,
    is_version_checked,
)
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.classes import is_annotation, is_asked_for
from torchfix_codemods.facts.language.foreign import imports
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.scopes import Scope
from torchfix_codemods.facts.libraries.signatures import Bound, Signature, bind, parse_signature
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.made import is_made_here
from torchfix_codemods.facts.programs.stand_ins import (
    ASSERTIONS,
    Use,
    asserted,
    called_so,
    is_rewritten,
    uses_by_name,
)
from torchfix_codemods.facts.tensors.defaults import is_converted, may_change_default_type
from torchfix_codemods.facts.tensors.integers import is_float, is_used_as_index
from torchfix_codemods.facts.values.lattice import (
    Module,
    Optimizer,
    Scheduler,
    Size,
    Tensor,
    Unknown,
)
from torchfix_codemods.facts.values.lattice import Sequence as SequenceValue
from torchfix_codemods.finding import Numerics
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found, Region
from torchfix_codemods.rules.followed import Followed
from torchfix_codemods.rules.questions.changed_arguments import (
    Changed,
    about_arguments,
    about_dropped,
    called_by,
    changed_arguments,
    may_be_old,
)
from torchfix_codemods.rules.questions.elementwise_uses import meets_another
from torchfix_codemods.rules.questions.given_sizes import are_sizes_given

_KEEPS = (
    "torch 0.1 kept the dimension that it reduces: write keepdim=True if what the result is "
    "compared to or calculated with has it, too"
)

_RECEIVERS = {"Tensor": Tensor, "Module": Module, "Optimizer": Optimizer, "Scheduler": Scheduler}

CallRow = Call | Arguments
_Fact = Callable[[ast.expr, Facts], bool]

#: A file with one of these words may have complex tensors.
_COMPLEX = (
    "torch.complex complex64 complex128 cfloat cdouble view_as_complex return_complex "
    "fft.fft fft.rfft torch.polar"
).split()


@record
class _Index:
    """The rows of one rule by what is called: a qualified name, or the name of a method."""

    names: Mapping[str, Sequence[CallRow]]
    methods: Mapping[str, Sequence[tuple[str, CallRow]]]


class Rewritten(Followed):
    """Base of the rules that write calls of torch's functions and methods in another way.

    A subclass gives its code and its docstring. A row is followed where the function is called by
    its name, whichever way the file imports it, and as a method where the receiver is certainly of
    the right kind. Nothing is rewritten beside ``*args`` and ``**kwargs``, where an argument would
    be evaluated in another order or not at all, and where the file chooses by torch's version
    itself.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if any(isinstance(row, Arguments) for row in cls.rows):
            cls.words |= ASSERTIONS

    @functools.cached_property
    def _index(self) -> _Index:
        names: dict[str, list[CallRow]] = {}
        methods: dict[str, list[tuple[str, CallRow]]] = {}
        for row in self.rows:
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
        return _Index(names, methods)

    # Finding

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        candidates = [*self._called(call, facts)]
        if not candidates:
            yield from self._find_unknown(call, facts)
            yield from self._find_assertion(call, facts)
        elif not self._is_chosen(call, facts):
            yield from self._find_called(candidates, call, facts)

    def _is_chosen(self, call: ast.Call, facts: Facts) -> bool:
        """Whether the file chooses between this call and another one by itself."""
        return (
            is_version_checked(facts, call)
            or is_signature_tried(facts, call)
            or is_guarded(facts, call, _last(call.func))
            or is_import_guarded(facts, call.func)
        )

    def _find_called(
        self, candidates: Sequence[tuple[CallRow, ast.expr | None]], call: ast.Call, facts: Facts
    ) -> Iterator[Found]:
        for row, receiver in candidates:
            if not _is_for_age(row, call, facts):
                continue
            found = self._follow(row, call, receiver, facts)
            if found is not None:
                yield found
                return

    def _find_unknown(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """A method that is gone, and that nobody but tensors ever had."""
        method = call.func
        if not isinstance(method, ast.Attribute) or facts.name(method) is not None:
            return
        for _, row in self._index.methods.get(method.attr, ()):
            if (
                isinstance(row, Call)
                and row.is_distinct
                and isinstance(facts.value(method.value), Unknown)
                and bind(parse_signature(row.old), call, method.value) is not None
                and method.attr not in method_names(facts.names)
                and not facts.names.is_method_of_project(method.attr)
                and not self._is_chosen(call, facts)
                and (row.forms or not _needs_successor(row, call, facts))
            ):
                yield self.advice(call, _if_tensor(row, call, method.value, facts))

    def _find_assertion(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``mock_scheduler.assert_called_with(optimizer, verbose=True)``, as its code is called."""
        name = asserted(facts, call)
        for row in () if name is None else self._index.names.get(name, ()):
            assert name is not None
            if not isinstance(row, Arguments) or row.before is not None or row.advice:
                continue
            changed = changed_arguments(row, call, facts)
            if changed is not None and self._is_followed(row, name, facts):
                yield self._found_arguments(call, called_so(name), Numerics.IDENTICAL, changed)
                return

    def _is_followed(self, row: Arguments, name: str, facts: Facts) -> bool:
        """Whether all calls of a function in the project are, once this run is over, of today."""
        uses = uses_by_name(facts, name)
        return bool(uses) and all(self._is_of_today(row, use, facts) for use in uses or ())

    def _is_of_today(self, row: Arguments, use: Use, facts: Facts) -> bool:
        call = use.node
        assert isinstance(call, ast.Call)
        return not may_be_old(row, call) or (
            changed_arguments(row, call, use.facts) is not None
            and not self._is_chosen(call, use.facts)
            and is_rewritten(facts, use, self.code)
        )

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        yield from self._find_value(node, facts)

    def find_Name(self, node: ast.Name, facts: Facts) -> Iterator[Found]:
        yield from self._find_value(node, facts)

    def find_ImportFrom(self, node: ast.ImportFrom, facts: Facts) -> Iterator[Found]:
        scope = facts.names.scope_of(node)
        for alias in node.names:
            if any(facts.names.uses_of(scope, alias.asname or alias.name)):
                continue
            for row in self._index.names.get(f"{node.module}.{alias.name}", ()):
                is_gone = isinstance(row, Call) and _is_gone(row)
                if is_gone and not is_guarded(facts, node, alias.name):
                    yield self.advice(node, _gone(row))

    def _called(self, call: ast.Call, facts: Facts) -> Iterator[tuple[CallRow, ast.expr | None]]:
        """The rows about what is called, each with the receiver where that is a method."""
        function = call.func
        name = facts.name(function)
        if name is not None:
            yield from ((row, None) for row in self._index.names.get(name, ()))
        if name is not None or not isinstance(function, ast.Attribute):
            return
        if function.attr == "__init__":
            base = _base_constructed(function, facts)
            rows = self._index.names.get(base or "", ())
            yield from ((row, None) for row in rows if isinstance(row, Arguments) and row.bases)
        for kind, row in self._index.methods.get(function.attr, ()):
            if not _is_for_age(row, call, facts):
                continue
            value = facts.value(function.value)
            if not isinstance(value, _RECEIVERS[kind]):
                continue
            if kind != "Tensor" and function.attr in method_names(facts.names):
                continue
            yield row, function.value

    def _find_value(self, node: ast.Attribute | ast.Name, facts: Facts) -> Iterator[Found]:
        """A function that is gone, where it is not called but handed on."""
        parent = facts.parent(node)
        if isinstance(parent, ast.Call) and parent.func is node:
            return
        if not isinstance(node.ctx, ast.Load):
            return
        for row in self._index.names.get(facts.name(node) or "", ()):
            if not isinstance(row, Call) or is_guarded(facts, node, _last(node)):
                continue
            if is_import_guarded(facts, node):
                continue
            text = _as_value(row, node, facts)
            name, opening, rest = text.partition("(")
            spelled = spell(facts, name, node) if text else None
            if spelled is not None:
                yield self.found(
                    node,
                    _message(row, text),
                    numerics=row.numerics,
                    needs=spelled.needs,
                    value=spelled.text + opening + rest,
                )
            elif _is_gone(row):
                yield self.advice(node, _gone(row))
            elif row.handed and _is_handed_on(row, node, facts):
                yield self.advice(node, row.handed)
            return

    # Deciding

    def _follow(
        self, row: CallRow, call: ast.Call, receiver: ast.expr | None, facts: Facts
    ) -> Found | None:
        if isinstance(row, Arguments):
            return self._follow_arguments(row, call, facts)
        if row.after is not None and facts.era_of(call).before(parse_version(row.after)):
            if not any(keyword.arg in row.marks for keyword in call.keywords):
                return self.advice(call, row.earlier) if row.earlier else None
        if row.dtype_only and _may_want_its_dtype(call, facts):
            return None
        if row.used and not _is_used(call, facts):
            return None
        if row.unless_converted and is_converted(call, facts):
            return None
        signature = parse_signature(row.old)
        bound = bind(signature, call, receiver)
        if bound is not None:
            for part, region, target in _places(row, call, facts):
                for form in row.forms:
                    if form.part != part or not _fits(form, row, bound, facts):
                        continue
                    if not form.new:
                        return self.advice(call, _message(row, form.advice))
                    if row.keeps and meets_another(facts, call):
                        return self.advice(call, _KEEPS)
                    text = form.method if receiver is not None and form.method else form.new
                    plan = written(text, signature, call, bound, facts)
                    if plan is not None:
                        return self.found(
                            call,
                            _message(row, text),
                            region=region,
                            numerics=form.numerics or row.numerics,
                            needs=plan.needs,
                            text=plan.text,
                            places=dict(plan.places),
                            target=target,
                        )
        return self.advice(call, _gone(row)) if row.advice or _is_gone(row) else None

    def _follow_arguments(self, row: Arguments, call: ast.Call, facts: Facts) -> Found | None:
        told = about_dropped(row, call, facts)
        if told is not None:
            return self.advice(call, told)
        changed = changed_arguments(row, call, facts)
        if changed is None:
            return None
        if row.advice:
            return self.advice(call, f"{called_by(call, facts)}: {row.advice}")
        message = about_arguments(row, call, facts, changed)
        return self._found_arguments(call, message, row.numerics, changed)

    def _found_arguments(
        self, call: ast.Call, message: str, numerics: Numerics, changed: Changed
    ) -> Found:
        return self.found(
            call, message, numerics=numerics, keywords=changed.named, dropped=changed.dropped
        )

    # Rewriting

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if "text" in self.data:
            return self._filled(updated) or updated
        if max((*self.data["keywords"], *self.data["dropped"])) >= len(updated.args):
            return updated
        named = with_keywords(updated, self.data["keywords"])
        return without_arguments(named, self.data["dropped"])

    def leave_Subscript(
        self, original: cst.Subscript, updated: cst.Subscript
    ) -> cst.BaseExpression:
        return self._filled(updated.value) or updated

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        if "value" in self.data:
            return self._named(updated)
        return self._filled(updated.value) or updated

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return self._named(updated)

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        assign = updated.body[0]
        if len(updated.body) != 1 or not isinstance(assign, cst.Assign):
            return updated
        names = assign.targets[0].target
        value = self._filled(assign.value)
        if value is None or not isinstance(names, cst.Tuple):
            return updated
        target = assign.targets[0].with_changes(target=names.elements[self.data["target"]].value)
        return updated.with_changes(body=[assign.with_changes(targets=[target], value=value)])

    def _named(self, updated: cst.Attribute | cst.Name) -> cst.BaseExpression:
        new = cst.parse_expression(self.data["value"])
        return new.with_changes(lpar=updated.lpar, rpar=updated.rpar)

    def _filled(self, call: cst.BaseExpression) -> cst.BaseExpression | None:
        if not isinstance(call, cst.Call):
            return None
        return filled(call, self.data["text"], self.data["places"])


def _is_for_age(row: CallRow, call: ast.Call, facts: Facts) -> bool:
    """Whether a line is as old as those that a row is about."""
    return row.before is None or facts.era_of(call).before(parse_version(row.before))


def _needs_successor(row: Call, call: ast.Call, facts: Facts) -> bool:
    """Whether the code is certainly for a torch that lacks what a row is about."""
    return row.gone is not None and facts.era_of(call).needs(parse_version(row.gone))


def _may_want_its_dtype(call: ast.Call, facts: Facts) -> bool:
    """Whether a result is converted at once, or used as what only whole numbers can be.

    Of floats, ``torch.arange(0, 1, 0.1)``, it has the dtype that it had.
    """
    return (
        any(is_float(facts, argument) for argument in values_given(call))
        or is_converted(call, facts)
        or is_used_as_index(facts, call)
        or may_change_default_type(facts)
    )


def _is_used(call: ast.Call, facts: Facts) -> bool:
    """Whether somebody reads a result before it is made a number of Python."""
    user = facts.parent(call)
    if isinstance(user, ast.Call) and facts.names.builtin(user.func) in ("float", "int"):
        return False
    return not (isinstance(user, ast.Expr) or getattr(user, "attr", "") == "item")


def _last(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _as_value(row: Call, node: ast.Attribute | ast.Name, facts: Facts) -> str:
    """What is written where a function is not called: as a decorator, or as a type."""
    user = facts.parent(node)
    if isinstance(user, (ast.FunctionDef, ast.AsyncFunctionDef)) and node in user.decorator_list:
        return row.decorator
    is_type = is_asked_for(facts.names, node) or is_annotation(facts.names, node)
    return row.type if is_type else ""


def _is_handed_on(row: Call, node: ast.Attribute | ast.Name, facts: Facts) -> bool:
    """Whether ``node`` is a function of an old torch whose name is that of a module today.

    Uses of a name that it gets are found themselves: ``f = torch.fft; map(f, xs)``.
    """
    user = facts.parent(node)
    if isinstance(user, ast.Attribute) or imports(facts.names, row.name):
        return False
    if row.gone is None or not facts.era_of(node).before(parse_version(row.gone)):
        return False
    target = user.targets[0] if isinstance(user, ast.Assign) and user.value is node else None
    if not isinstance(target, ast.Name) or facts.is_used_elsewhere(target.id):
        return True
    uses = facts.names.uses_of(facts.names.scope_of(target), target.id)
    return any(facts.name(use) != row.name for use in uses)


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


def _fits(form: Form, row: Call, bound: Bound, facts: Facts) -> bool:
    """Whether the arguments are what a form asks, and whether it says what all of them mean."""
    signature = parse_signature(row.old)
    defaults = {p.name: p.default for p in signature.parameters}
    for name, wanted in form.when.items():
        if wanted is Given.NAMED:
            if name not in bound.named:
                return False
        elif not _is(bound.given.get(name), defaults.get(name), wanted, facts):
            return False
    if "..." in form.new.replace("=...", ""):
        return True
    if not form.new:
        return True
    used = {n.id for n in ast.walk(ast.parse(form.new)) if isinstance(n, ast.Name)}
    return all(name in used or name in form.when for name in bound.given)


def _is(given: ast.expr | None, default: str | None, wanted: object, facts: Facts) -> bool:
    if wanted is Given.NO or wanted is Given.YES:
        return (given is not None) == (wanted is Given.YES)
    if wanted in _FACTS:
        return wanted is Given.REAL if given is None else _FACTS[wanted](given, facts)
    if isinstance(wanted, Named):
        return given is not None and facts.name(given) == wanted.name
    value = _literal(given if given is not None else _expression(default))
    if wanted is Given.LITERAL:
        return value is not ...
    if wanted is Given.INTEGER:
        return type(value) is int
    if wanted is Given.FLAG:
        return type(value) is bool
    if wanted is Given.FRACTION:
        return _is_quotient(given) or (isinstance(value, float) and not value.is_integer())
    return type(value) is type(wanted) and value == wanted


def _is_quotient(node: ast.expr | None) -> bool:
    """Whether this is ``1 / scale``, unless it is a whole number as ``4 / 2``."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
        return False
    upper, lower = _literal(node.left), _literal(node.right)
    if not isinstance(upper, (int, float)) or not isinstance(lower, (int, float)):
        return True
    return lower != 0 and not float(upper / lower).is_integer()


def _has_dimensions(count: int) -> _Fact:
    return lambda node, facts: getattr(facts.value(node), "ndim", None) == count


def _is_float(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    return isinstance(value, Tensor) and (value.dtype or "").startswith("float")


def _are_parts(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor certainly holds the parts of complex numbers in its last dimension."""
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
        is_one = len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path
        value = bindings[0].value if is_one else None
        # A name for a name is not followed.
        return value is not None and not isinstance(value, ast.Name) and _are_parts(value, facts)
    if not isinstance(node, ast.Call):
        return False
    name = facts.name(node.func)
    return name == "torch.view_as_real" or (
        name == "torch.stft"
        and any(k.arg == "return_complex" and _literal(k.value) is False for k in node.keywords)
    )


def _is_real(node: ast.expr, facts: Facts) -> bool:
    """Whether an argument is no complex tensor, as far as can be seen."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.dtype is not None:
        return "complex" not in value.dtype
    return facts.era_of(node).before((1, 7)) or not any(map(facts.is_mentioned, _COMPLEX))


def _are_scalars(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    if not isinstance(value, SequenceValue):
        return False
    items = [value.element] if value.items is None else value.items
    return bool(items) and all(isinstance(i, Tensor) and i.ndim == 0 for i in items)


def _is_shape(node: ast.expr, facts: Facts) -> bool:
    if isinstance(node, ast.Call) and facts.name(node.func) == "torch.Size":
        return True
    return isinstance(node, (ast.Tuple, ast.List)) or isinstance(facts.value(node), Size)


def _is_numpy_float(node: ast.expr, facts: Facts) -> bool:
    """``numpy.mean(x)``: without an axis such functions give one float."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return False
    return facts.name(node.func) in _NUMPY_FLOATS


_NUMPY_FLOATS = frozenset(f"numpy.{name}" for name in "float64 mean median std var".split())

_FACTS: Mapping[object, _Fact] = {
    Given.NUMPY_FLOAT: _is_numpy_float,
    Given.TENSOR: lambda node, facts: facts.is_tensor(node),
    Given.MADE: lambda node, facts: facts.is_tensor(node) and is_made_here(facts, node),
    Given.VECTOR: _has_dimensions(1),
    Given.MATRIX: _has_dimensions(2),
    Given.FLOAT: _is_float,
    Given.PARTS: _are_parts,
    Given.REAL: _is_real,
    Given.SCALARS: _are_scalars,
    Given.SHAPE: _is_shape,
    Given.SIZES: lambda node, facts: are_sizes_given(facts, node),
}


def _expression(default: str | None) -> ast.expr | None:
    return None if default is None else ast.parse(default, mode="eval").body


def _literal(node: ast.expr | None) -> object:
    """The value that is written down; ``...`` where it has to be computed."""
    if node is None:
        return ...
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return ...


def _places(row: Call, call: ast.Call, facts: Facts) -> Iterator[tuple[str | None, Region, int]]:
    """The ways to write a call anew: as a whole, or together with the part that is taken of it."""
    yield None, call, 0
    parent = facts.parent(call)
    if isinstance(parent, ast.Attribute) and parent.attr in row.parts:
        yield parent.attr, parent, 0
    elif len(row.parts) == 1:
        # An attribute of something that is no tuple.
        return
    elif isinstance(parent, ast.Subscript) and parent.value is call:
        index = _literal(parent.slice)
        if isinstance(index, int) and -len(row.parts) <= index < len(row.parts):
            yield row.parts[index], parent, 0
    elif isinstance(parent, ast.Assign):
        wanted = _only_wanted(parent, row, facts)
        if wanted is not None:
            yield row.parts[wanted], parent, wanted


def _only_wanted(assign: ast.Assign, row: Call, facts: Facts) -> int | None:
    """Which part alone is used of what ``a, b = f(x)`` takes apart."""
    target = assign.targets[0]
    if len(assign.targets) != 1 or not isinstance(target, ast.Tuple):
        return None
    if len(target.elts) != len(row.parts):
        return None
    wanted = [i for i, name in enumerate(target.elts) if not _is_unread(name, facts)]
    named = [i for i, name in enumerate(target.elts) if getattr(name, "id", "_") != "_"]
    only = wanted or named
    return only[0] if len(only) == 1 else None


def _is_unread(target: ast.expr, facts: Facts) -> bool:
    """Whether nobody reads the name that is assigned here."""
    if not isinstance(target, ast.Name):
        return False
    scope: Scope = facts.names.scope_of(target)
    if scope is facts.names.module and facts.is_used_elsewhere(target.id) and target.id != "_":
        return False
    found = scope.lookup(target.id)
    return found is not None and not any(
        isinstance(use.ctx, ast.Load) for use in facts.names.uses_of(found[0], target.id)
    )


def _is_gone(row: Call) -> bool:
    """Whether torch has no function of that name any more, and not only calls it otherwise."""
    if row.gone is None or row.still:
        return False
    return not any(f"{row.name}(" in form.new for form in row.forms)


def _gone(row: Row) -> str:
    assert isinstance(row, Call)
    if row.gone is None:
        return row.advice
    return f"{row.name} {row.state}: {row.advice or _all_forms(row)}"


def _if_tensor(row: Call, call: ast.Call, receiver: ast.expr, facts: Facts) -> str:
    """What to write for a call of a method that is gone, of what may be no tensor."""
    signature = parse_signature(row.old)
    bound = bind(signature, call, receiver)
    assert bound is not None
    plans = (
        written(form.new, signature, call, bound, facts)
        for form in row.forms
        if form.part is None and form.new and _fits(form, row, bound, facts)
    )
    plan = next(filter(None, plans), None)
    if plan is not None:
        new = ast.unparse(_Given(bound.given).visit(ast.parse(plan.text, mode="eval")))
        return f"{row.name} {row.state}: write {new} if {ast.unparse(receiver)} is a tensor"
    return _gone(row)


def _all_forms(row: Call) -> str:
    """All that a call of a function may be today, with what each form is for."""
    signature = parse_signature(row.old)
    whole = [form for form in row.forms if form.part is None and form.new] or [*row.forms]
    # Of forms for literal arguments, the one without them says the same for all.
    general = [f for f in whole if all(isinstance(value, Given) for value in f.when.values())]
    forms = general or whole
    return " or ".join(_with_conditions(form, signature) for form in forms)


def _with_conditions(form: Form, signature: Signature) -> str:
    """A form, for which arguments it is, and what those are that are not given."""
    text = form.new.replace(", out=out", "")
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    parts = [
        f"{name} is {wanted.value}" if isinstance(wanted, (Given, Named)) else f"{name}={wanted}"
        for name, wanted in form.when.items()
    ]
    for parameter in signature.parameters:
        if parameter.name in used and parameter.default is not None:
            parts.append(
                f"{parameter.name} only where given"
                if parameter.default == "..."
                else f"{parameter.name}={parameter.default} unless given"
            )
    return f"{text} ({', '.join(parts)})" if parts else text


class _Given(ast.NodeTransformer):
    """Puts arguments in the place of the names that stand for them."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)


def _short(text: str, row: Call) -> str:
    """A form without the arguments that are only handed on where they are given."""
    for parameter in parse_signature(row.old).parameters:
        if parameter.default == "...":
            text = text.replace(f", {parameter.name}={parameter.name}", "")
    return text


def _message(row: Call, text: str) -> str:
    text = _short(text, row)
    if row.before is not None and row.claim is not None:
        return f"{row.name} changed in torch {row.before}: {text}"
    if row.before is not None:
        what = "something else" if row.used else "other numbers"
        return f"{row.name} gives {what} since torch {row.before}: {text}"
    if row.gone is not None:
        what = row.name if _is_gone(row) else f"this form of {row.name}"
        return f"{what} {row.state}: {text}"
    return f"{row.name} is {text} today"
