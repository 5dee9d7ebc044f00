"""Whether the arguments of a call are what a row of the catalogue writes anew."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from torchfix_codemods.catalogue.rows import Above, Form, Given, Named
from torchfix_codemods.facts.libraries.signatures import Bound, Signature
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.made import is_made_here
from torchfix_codemods.facts.tensors.pictures.axes import is_ordered
from torchfix_codemods.facts.tensors.pictures.files import is_jpeg, is_read_by_channel
from torchfix_codemods.facts.tensors.pictures.numbers import holds_bytes, holds_floats, is_image
from torchfix_codemods.facts.values.lattice import Scheduler, Size, Tensor, Value
from torchfix_codemods.facts.values.lattice import Sequence as SequenceValue
from torchfix_codemods.rules.questions.given_sizes import are_cut, are_several, are_sizes_given
from torchfix_codemods.rules.questions.listed_elements import is_flat
from torchfix_codemods.rules.questions.spoken import speaks_of
from torchfix_codemods.rules.questions.totalled import are_totalled_losses

_Fact = Callable[[ast.expr, Facts], bool]

#: A file with one of these words may have complex tensors.
_COMPLEX = (
    "torch.complex complex64 complex128 cfloat cdouble view_as_complex return_complex "
    "fft.fft fft.rfft torch.polar"
).split()


def fits(form: Form, signature: Signature, bound: Bound, facts: Facts) -> bool:
    """Whether the arguments are what a form asks, and whether it says what all of them mean."""
    if form.spoken and not speaks_of(form.spoken, facts):
        return False
    defaults = {p.name: p.default for p in signature.parameters}
    for name, wanted in form.when.items():
        if wanted is Given.NAMED:
            if name not in bound.named:
                return False
        elif isinstance(wanted, Above):
            pair = (name, wanted.other)
            upper, lower = (_number(bound.given.get(n), defaults.get(n)) for n in pair)
            if upper is None or lower is None or upper <= lower:
                return False
        elif not _is_given_as(bound.given.get(name), defaults.get(name), wanted, facts):
            return False
    if "..." in form.new.replace("=...", ""):
        return True
    if not form.new:
        return True
    used = {n.id for n in ast.walk(ast.parse(form.new)) if isinstance(n, ast.Name)}
    return all(name in used or name in form.when for name in bound.given)


def _is_given_as(given: ast.expr | None, default: str | None, wanted: object, facts: Facts) -> bool:
    """Whether an argument, or its default, is what a form asks for."""
    if wanted is Given.NO or wanted is Given.YES:
        return (given is not None) == (wanted is Given.YES)
    if wanted is Given.THERE:
        return given is not None and literal(given) is not None
    if wanted in _FACTS:
        if given is None:
            return wanted is Given.REAL
        # Many forms ask the same of an argument, some of them through the whole project.
        ask, node = _FACTS[wanted], given
        return facts.remembered(("is given as", node, wanted), lambda: ask(node, facts))
    if isinstance(wanted, Named):
        return given is not None and facts.name(given) == wanted.name
    value = literal(given if given is not None else expression_of(default))
    if wanted is Given.LITERAL:
        return value is not ...
    if wanted is Given.INTEGER:
        return type(value) is int
    if wanted is Given.FLAG:
        return type(value) is bool
    if wanted is Given.NEGATIVE:
        number = _number(given, default)
        return number is not None and number < 0
    if wanted is Given.FRACTION:
        return _is_quotient(given) or (isinstance(value, float) and not value.is_integer())
    return type(value) is type(wanted) and value == wanted


def _number(given: ast.expr | None, default: str | None) -> float | None:
    """The number that is written down for an argument, or is its default."""
    value = literal(given if given is not None else expression_of(default))
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    return value


def _is_quotient(node: ast.expr | None) -> bool:
    """Whether this is ``1 / scale``, unless it is a whole number as ``4 / 2``.

    Nor ``info[:2] / info[2]``, which has as many numbers as the slice.
    """
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
        return False
    sides = (side for side in (node.left, node.right) if isinstance(side, ast.Subscript))
    if any(isinstance(side.slice, ast.Slice) for side in sides):
        return False
    upper, lower = literal(node.left), literal(node.right)
    if not isinstance(upper, (int, float)) or not isinstance(lower, (int, float)):
        return True
    return lower != 0 and not float(upper / lower).is_integer()


def _has_dimensions(count: int) -> _Fact:
    return lambda node, facts: getattr(facts.value(node), "ndim", None) == count


def _is_no_vector(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    return isinstance(value, Tensor) and value.ndim not in (None, 1)


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
        and any(k.arg == "return_complex" and literal(k.value) is False for k in node.keywords)
    )


def _is_real(node: ast.expr, facts: Facts) -> bool:
    """Whether an argument is no complex tensor, as far as can be seen."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.dtype is not None:
        return "complex" not in value.dtype
    return facts.era_of(node).before((1, 7)) or not any(map(facts.is_mentioned, _COMPLEX))


def _all_have_dimensions(count: int) -> _Fact:
    return lambda node, facts: _are_of_dimensions(facts.value(node), count)


def _are_scalars(node: ast.expr, facts: Facts) -> bool:
    """Whether tensors have no dimensions, or it makes no difference that some losses have one."""
    return _are_of_dimensions(facts.value(node), 0) or are_totalled_losses(node, facts)


def _are_of_dimensions(value: Value, count: int) -> bool:
    if not isinstance(value, SequenceValue):
        return False
    items = [value.element] if value.items is None else value.items
    return bool(items) and all(isinstance(i, Tensor) and i.ndim == count for i in items)


def _is_pair(node: ast.expr, facts: Facts) -> bool:
    is_sequence = isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) >= 2
    return is_sequence and not any(isinstance(n, ast.Starred) for n in ast.iter_child_nodes(node))


def _has_two(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    return isinstance(value, SequenceValue) and len(value.items or ()) == 2


def _is_compared(node: ast.expr, facts: Facts) -> bool:
    """Whether this is ``x < y``, of arrays or of tensors, or a tensor."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return isinstance(node.ops[0], _ELEMENTWISE)
    return facts.is_tensor(node)


def _is_shape(node: ast.expr, facts: Facts) -> bool:
    if isinstance(node, ast.Call) and facts.name(node.func) == "torch.Size":
        return True
    return isinstance(node, (ast.Tuple, ast.List)) or isinstance(facts.value(node), Size)


def _is_numpy_float(node: ast.expr, facts: Facts) -> bool:
    """``numpy.mean(x)``: without an axis such functions give one float."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return False
    return facts.name(node.func) in _NUMPY_FLOATS


_ELEMENTWISE = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_NUMPY_FLOATS = frozenset(f"numpy.{name}" for name in "float64 mean median std var".split())

_FORMULAS = frozenset(
    f"torch.optim.lr_scheduler.{name}" for name in ("CosineAnnealingWarmRestarts", "LambdaLR")
)


def _is_formula(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    return isinstance(value, Scheduler) and value.name in _FORMULAS


_FACTS: Mapping[object, _Fact] = {
    Given.NUMPY_FLOAT: _is_numpy_float,
    Given.BYTES: lambda node, facts: holds_bytes(facts, node),
    Given.IMAGE: lambda node, facts: is_image(facts, node),
    Given.FLOATS: lambda node, facts: holds_floats(facts, node),
    Given.ORDERED_FLOATS: lambda node, facts: holds_floats(facts, node) and is_ordered(facts, node),
    Given.ORDERED: lambda node, facts: is_ordered(facts, node),
    Given.OF_COLOURS: lambda node, facts: is_jpeg(facts, node) or is_read_by_channel(facts, node),
    Given.TENSOR: lambda node, facts: facts.is_tensor(node),
    Given.MADE: lambda node, facts: facts.is_tensor(node) and is_made_here(facts, node),
    Given.COMPARED: _is_compared,
    Given.VECTOR: _has_dimensions(1),
    Given.MATRIX: _has_dimensions(2),
    Given.NO_VECTOR: _is_no_vector,
    Given.FLOAT: _is_float,
    Given.PARTS: _are_parts,
    Given.REAL: _is_real,
    Given.SCALARS: _are_scalars,
    Given.VECTORS: _all_have_dimensions(1),
    Given.PAIR: _is_pair,
    Given.TWO: _has_two,
    Given.CUT: lambda node, facts: are_cut(node),
    Given.SEVERAL: lambda node, facts: are_several(facts, node),
    Given.SHAPE: _is_shape,
    Given.FORMULA: _is_formula,
    Given.FLAT: lambda node, facts: is_flat(facts.value(node)),
    Given.SIZES: lambda node, facts: are_sizes_given(facts, node),
    Given.DUMPED: lambda node, facts: facts.is_mentioned("yaml.dump"),
}


def expression_of(default: str | None) -> ast.expr | None:
    """The default of a signature as code."""
    return None if default is None else ast.parse(default, mode="eval").body


def literal(node: ast.expr | None) -> object:
    """The value that is written down; ``...`` where it has to be computed."""
    if node is None:
        return ...
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return ...
