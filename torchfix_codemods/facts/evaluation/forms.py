"""Which form a call of torch takes, and what it then gives: the table, applied to known values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from torchfix_codemods.facts.evaluation.layouts import FOLLOWED, is_in_order
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.libraries.torch_table import Form, Parameter, Result, forms_of
from torchfix_codemods.facts.values import dtypes, torch_api
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    Array,
    Batch,
    Device,
    Foreign,
    Method,
    NoneValue,
    Nothing,
    Number,
    Sequence,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
    join,
    sequence_of,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

Verdict = Literal["yes", "maybe", "no"]

#: What certainly brings no history into an operation.
_PLAIN = (Number, Text, NoneValue, Size, Device, Array)

_WORDS: dict[str, Value] = {
    "int": Number("int"),
    "float": Number("float"),
    "bool": Number("bool"),
    "number": Number(),
    "str": Text(),
    "size": Size(),
    "none": NoneValue(),
}


#: Parameters that say where a tensor goes, which has nothing to do with its history.
_PLACES = frozenset({"device"})
#: Methods that draw by a probability, which need not be a tensor.
_DRAWING = frozenset({"bernoulli_"})


@dataclass
class Given:
    """One argument: its value, and the expression where there is one."""

    value: Value
    node: ast.expr | None = None


@dataclass
class Binding:
    """The arguments of a call as one form takes them."""

    form: Form
    given: dict[str, Given] = field(default_factory=dict)
    many: dict[str, list[Given]] = field(default_factory=dict)
    """What ``*args`` take."""
    is_certain: bool = True

    def tensors(self, names: tuple[str, ...] | None = None) -> Iterator[Value]:
        """The values of the parameters that take tensors; of lists, their elements.

        Args:
            names: those that are asked for, of the parameters that must be given; all without.
        """
        for parameter in self.form.parameters:
            is_optional = parameter.default is not None
            if names is not None and parameter.name not in names and not is_optional:
                continue
            if parameter.kind in "TL" and parameter.name in self.given:
                value = self.given[parameter.name].value
                if isinstance(value, NoneValue):
                    continue
                yield value.element if isinstance(value, Sequence) else value
            for given in self.many.get(parameter.name, ()) if parameter.kind == "W" else ():
                value = given.value
                yield value.element if isinstance(value, Sequence) else value


def apply(
    inference: Inference, name: str, node: ast.Call, first: Value | None = None
) -> Value | None:
    """What a call gives, or None where the table does not know the callable.

    Args:
        inference: the values of the module.
        name: the qualified name of the callable: ``torch.max``, ``torch.Tensor.max``; for the call
            of a layer, that of its class.
        node: the call.
        first: the tensor that a method is called on.
    """
    forms = forms_of(name) or torch_api.forms_of_old(name)
    if not forms:
        return None
    opaque = is_opaque(node)
    result: Value = NOTHING
    for form in forms:
        binding = None if opaque else _bind(inference, form, node, first)
        if opaque:
            binding = _of_first(inference, form, node, first)
        if binding is None:
            continue
        result = join(result, _value(inference, name, binding, node, loose=opaque))
        if binding.is_certain:
            break
    if isinstance(result, Nothing):
        # Old programs call some functions in ways that torch has forgotten.
        for form in torch_api.forms_of_old(name):
            binding = None if opaque else _bind(inference, form, node, first)
            if binding is not None:
                return _value(inference, name, binding, node, loose=False)
        if any(form.word != "tensor" for form in forms):
            return UNKNOWN
        for form in forms:
            result = join(result, _value(inference, name, Binding(form), node, loose=True))
    return result


def apply_to(inference: Inference, name: str, value: Value) -> Value | None:
    """What a layer gives for one value."""
    forms = forms_of(name)
    if not forms or not forms[0].results or not forms[0].parameters:
        return None
    binding = Binding(forms[0], {forms[0].parameters[0].name: Given(value)})
    return _value(inference, name, binding, None, loose=False)


# Arguments


def _of_first(inference: Inference, form: Form, node: ast.Call, first: Value | None) -> Binding:
    """A form with what it is certainly given, where ``*args`` may carry anything else."""
    binding = Binding(form, is_certain=False)
    if first is None and node.args and not isinstance(node.args[0], ast.Starred):
        first = inference.value(node.args[0])
    if first is not None and form.parameters and form.parameters[0].kind in "TL":
        binding.given[form.parameters[0].name] = Given(first)
    return binding


def _bind(inference: Inference, form: Form, node: ast.Call, first: Value | None) -> Binding | None:
    """The call's arguments as a form takes them; None where it certainly does not."""
    operands = [Given(inference.value(argument), argument) for argument in node.args]
    if first is not None:
        operands.insert(0, Given(first))
    keywords = {k.arg: Given(inference.value(k.value), k.value) for k in node.keywords}
    binding = Binding(form)
    for parameter in form.parameters:
        if parameter.kind in ("V", "W"):
            if not operands or (parameter.kind == "V" and _is_list(operands)):
                return None
            binding.many[parameter.name] = operands
            if not _all_fit(inference, parameter, operands, binding):
                return None
            operands = []
            continue
        if operands and not parameter.keyword_only:
            given = operands.pop(0)
        elif parameter.name in keywords:
            given = keywords.pop(parameter.name)
        elif parameter.name == "input" and "self" in keywords:
            given = keywords.pop("self")
        elif parameter.name == "dim" and "axis" in keywords:
            given = keywords.pop("axis")
        elif parameter.default is None:
            return None
        else:
            continue
        verdict = _fits(inference, parameter, given)
        if verdict == "no":
            return None
        binding.is_certain &= verdict == "yes"
        binding.given[parameter.name] = given
    if operands or not keywords.keys() <= torch_api.UNIVERSAL_KEYWORDS:
        return None
    return binding


def _is_list(operands: list[Given]) -> bool:
    return len(operands) == 1 and isinstance(operands[0].value, (Sequence, Size))


def _all_fit(
    inference: Inference, parameter: Parameter, operands: list[Given], binding: Binding
) -> bool:
    one = replace(parameter, kind="i" if parameter.kind == "V" else "T")
    verdicts = [
        "yes"
        if parameter.kind == "W" and isinstance(given.value, Sequence)
        else _fits(inference, one, given)
        for given in operands
    ]
    # Several sizes one by one are ints; a single unknown one may be a list of them.
    if len(operands) == 1:
        binding.is_certain &= verdicts[0] == "yes"
    return "no" not in verdicts


def _fits(inference: Inference, parameter: Parameter, given: Given) -> Verdict:
    """Whether an argument is of the kind that a parameter takes."""
    value, kind = given.value, parameter.kind
    if isinstance(value, (Unknown, Nothing)):
        named = given.node is not None and inference.names.name(given.node) is not None
        if kind == "d":
            known = _dtype_name(inference, given)
            return "yes" if known else _unless(named)
        # The name of something of torch, as a dtype: no tensor.
        return "no" if named and kind in "TLniIZs" else "maybe"
    if isinstance(value, NoneValue):
        return "yes" if parameter.default is not None else "no"
    if isinstance(value, (Batch, Method)):
        return "maybe"
    if kind == "o":
        return "yes"
    if kind == "T":
        return _whether(isinstance(value, Tensor))
    if kind == "L":
        return "maybe" if isinstance(value, Tensor) else _whether(isinstance(value, Sequence))
    if isinstance(value, Foreign):
        return "maybe"
    if kind in ("t", "f"):
        literal = given.node.value if isinstance(given.node, ast.Constant) else None
        if literal is None:
            return "maybe" if isinstance(value, Number) else "no"
        return _whether(literal is (kind == "t"))
    if kind in ("Z", "I") and isinstance(value, (Sequence, Size)):
        return "yes"
    if kind == "s":
        return _whether(isinstance(value, Text))
    if kind in ("Z", "d"):
        return "no"
    if isinstance(value, Tensor):
        # A tensor without dimensions does as a number.
        return "maybe" if value.ndim == 0 and kind != "b" else "no"
    if not isinstance(value, Number):
        return "no"
    if kind == "n":
        return "yes"
    if value.kind is None:
        return "maybe" if kind == "b" else "yes"
    return _whether(value.kind == ("bool" if kind == "b" else "int"))


def _whether(fits: bool) -> Verdict:
    return "yes" if fits else "no"


def _unless(known: bool) -> Verdict:
    return "no" if known else "maybe"


def _dtype_name(inference: Inference, given: Given) -> str | None:
    name = inference.names.name(given.node) if given.node is not None else None
    return dtypes.named(name)


# Results

#: What adds a dimension of one element, which no layout depends on; the table was not made of any.
_ADDING_ONES = frozenset({"unsqueeze"})


def _value(
    inference: Inference, name: str, binding: Binding, node: ast.Call | None, loose: bool
) -> Value:
    form = binding.form
    changes = "ndl" if loose else "".join(_changes(binding))
    if "k" in changes:
        return UNKNOWN
    tensors = tuple(
        _tensor(inference, name, binding, result, changes, node) for result in form.results
    )
    if form.word == "tensor":
        return tensors[0]
    if form.word == "tuple":
        return sequence_of(tensors)
    if form.word == "list":
        return Sequence(tensors[0])
    return _WORDS.get(form.word, UNKNOWN)


def _changes(binding: Binding) -> Iterator[str]:
    """What is not known of the result, because of the options that are given."""
    for parameter in binding.form.parameters:
        given = binding.given.get(parameter.name)
        if given is None or not parameter.changes:
            continue
        is_default = (
            isinstance(given.node, ast.Constant) and repr(given.node.value) == parameter.default
        )
        if not is_default:
            yield parameter.changes


def _tensor(
    inference: Inference,
    name: str,
    binding: Binding,
    result: Result,
    changes: str,
    node: ast.Call | None,
) -> Tensor:
    function = name.rpartition(".")[2]
    ndim = None if "n" in changes else _ndim(inference, binding, result)
    dtype = None if "d" in changes else _dtype(inference, function, binding, result)
    given = list(binding.tensors())
    known = [value for value in given if isinstance(value, Tensor)]
    permuted = any(tensor.permuted for tensor in known)
    if result.layout == "c":
        contiguous, permuted = True, False
    elif result.layout == "=" or function.rstrip("_") in _ADDING_ONES:
        # What is written in place stays where it lies, whatever it is written with.
        ruling = given[:1] if "i" in result.flags else given
        contiguous = all(isinstance(v, Tensor) and v.contiguous for v in ruling)
    elif result.layout in FOLLOWED:
        contiguous = is_in_order(inference, FOLLOWED[result.layout], given, ndim)
    else:
        contiguous = False
        permuted = permuted or function.rstrip("_") in torch_api.PERMUTING
    if ndim == 0:
        contiguous, permuted = True, False
    single = ndim == 0 or (
        "s" in result.flags
        and bool(known)
        and len(known) == len(given)
        and all(tensor.single for tensor in known)
    )
    return Tensor(
        ndim=ndim,
        dtype=dtype,
        contiguous=contiguous and "l" not in changes,
        single=single and "n" not in changes,
        grad=_history(inference, function, binding, result, node),
        permuted=permuted,
    )


def _history(
    inference: Inference, function: str, binding: Binding, result: Result, node: ast.Call | None
) -> bool | None:
    """False where no tensor that goes in can be part of a graph, or none comes out of it."""
    for keyword in node.keywords if node is not None else ():
        if keyword.arg in ("requires_grad", None):
            if not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False):
                return None
    is_layer = function[:1].isupper()
    if function == "requires_grad_" or (is_layer and function not in torch_api.WITHOUT_PARAMETERS):
        return None
    if "n" in result.flags:
        return False
    if node is not None and is_opaque(node):
        # ``x.view(*sizes)``: nothing but x brings a history.
        if any(parameter.kind in "TLWo" for parameter in binding.form.parameters[1:]):
            return None
    others = [
        given
        for parameter in binding.form.parameters
        if parameter.kind == "o"
        and parameter.name not in _PLACES
        and (given := binding.given.get(parameter.name)) is not None
        and (result.history is None or parameter.name in result.history)
    ]
    tensors = list(binding.tensors(result.history))
    if function in _DRAWING:
        tensors = [
            given.value
            for given in binding.given.values()
            if isinstance(given.value, Tensor) or not _is_number_by_default(inference, given.node)
        ]
    without = all(isinstance(v, Tensor) and v.grad is False for v in tensors)
    plain = all(
        isinstance(given.value, _PLAIN)
        or (isinstance(given.value, Tensor) and given.value.grad is False)
        or (given.node is not None and inference.names.name(given.node) is not None)
        for given in others
    )
    return False if without and plain and (tensors or others) else None


def _is_number_by_default(inference: Inference, node: ast.expr | None) -> bool:
    """``1 - dropout`` of a parameter ``dropout=0.5``: no caller makes that part of a graph."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)] if node is not None else []
    bindings = [binding for name in names for binding in inference.flow.reaching(name)]
    return bool(bindings) and all(
        binding.kind == "parameter" and _has_number_as_default(inference, binding.node)
        for binding in bindings
    )


def _has_number_as_default(inference: Inference, parameter: ast.AST) -> bool:
    arguments = inference.names.parents.get(parameter)
    if not isinstance(arguments, ast.arguments):
        return False
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    default = next((value for arg, value in defaults.items() if arg is parameter), None)
    return isinstance(default, ast.Constant) and type(default.value) in (int, float)


def _ndim(inference: Inference, binding: Binding, result: Result) -> int | None:
    text = result.ndim
    if text.isdigit():
        return int(text)
    if text == "?":
        return None
    if text in ("^", "^-1"):
        ranks = [_rank(value) for value in binding.tensors()]
        if not ranks or None in ranks:
            return None
        return max(r for r in ranks if r is not None) - (text == "^-1")
    if text == "@":
        ranks = [_rank(value) for value in binding.tensors()]
        return product_ndim(ranks[0], ranks[1]) if len(ranks) == 2 else None
    if text[0] == "#":
        return _count(inference, binding, text[1:])
    name, step, dim = _split(text)
    given = binding.given.get(name)
    rank = _rank(given.value) if given is not None else None
    if rank is None:
        # What torch takes without a batch since 1.11, programs give it with one.
        return result.batched if not step and not dim else None
    if dim:
        return _reduced(binding, rank, dim)
    if not step and any(p.name == name and p.kind == "L" for p in binding.form.parameters):
        # Numbers are not joined since torch 0.4; until then they had a dimension.
        return max(rank, 1)
    return rank + step if rank + step >= 0 else None


def _split(text: str) -> tuple[str, int, str]:
    for sign, factor in (("+", 1), ("-", -1)):
        name, found, rest = text.partition(sign)
        if found:
            return (name, factor * int(rest), "") if rest.isdigit() else (name, 0, rest)
    return text, 0, ""


def _rank(value: Value) -> int | None:
    if isinstance(value, Sequence):
        value = value.element
    return value.ndim if isinstance(value, Tensor) else None


def product_ndim(left: int | None, right: int | None) -> int | None:
    """The number of dimensions of a matrix product."""
    if left is None or right is None or not left or not right:
        return None
    if left == right == 1:
        return 0
    return max(left, right) - (left == 1) - (right == 1)


def _reduced(binding: Binding, rank: int, dim: str) -> int | None:
    keepdim = binding.given.get("keepdim")
    if keepdim is not None and not isinstance(keepdim.value, NoneValue):
        literal = keepdim.node.value if isinstance(keepdim.node, ast.Constant) else None
        if literal not in (True, False):
            return None
        if literal:
            return rank
    value = binding.given[dim].value
    if isinstance(value, NoneValue):
        return 0
    if isinstance(value, Number):
        return max(0, rank - 1)
    if isinstance(value, Sequence) and value.items is not None:
        return max(0, rank - len(value.items)) if value.items else None
    return None


def _count(inference: Inference, binding: Binding, name: str) -> int | None:
    """How many sizes are given."""
    if name in binding.many:
        return len(binding.many[name])
    given = binding.given[name]
    if isinstance(given.node, (ast.Tuple, ast.List)):
        starred = any(isinstance(element, ast.Starred) for element in given.node.elts)
        return None if starred else len(given.node.elts)
    if isinstance(given.value, Sequence) and given.value.items is not None:
        return len(given.value.items)
    return _ndim_of_size(inference, given.node)


def _ndim_of_size(inference: Inference, node: ast.expr | None) -> int | None:
    """The number of dimensions of x, for ``x.size()`` and ``x.shape``."""
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        node = node.func if isinstance(node.func, ast.Attribute) else None
        wanted = "size"
    else:
        wanted = "shape"
    if isinstance(node, ast.Attribute) and node.attr == wanted:
        return _rank(inference.value(node.value))
    return None


#: What made floats of whole numbers, too, in every torch before.
_FLOATS_BEFORE = {"arange": (0, 4, 1), "full": (1, 5)}


def _dtype(inference: Inference, function: str, binding: Binding, result: Result) -> str | None:
    for parameter in binding.form.parameters:
        given = binding.given.get(parameter.name)
        if parameter.kind == "d" and given is not None and not isinstance(given.value, NoneValue):
            # Of several results, only the first is of the dtype that is asked for.
            is_index = (
                result.dtype == "int64"
                and result.flags.startswith("n")
                and len(binding.form.results) > 1
            )
            return "int64" if is_index else _dtype_name(inference, given)
    text = result.dtype
    if function in _FLOATS_BEFORE and text == "?":
        known = _dtype_of_numbers(inference, binding)
        changed = _FLOATS_BEFORE[function]
        if known == dtypes.DEFAULT or (era := inference.era()).newest is None:
            return known
        if era.before(changed):
            return dtypes.DEFAULT
        # An old file that may be for either torch.
        return known if (era.oldest or ()) >= changed else None
    if text == "?":
        return None
    if text == "default":
        return dtypes.DEFAULT
    wrapper, _, inner = text.rpartition("(")
    inner = inner.removesuffix(")")
    if inner == "^":
        found = dtypes.promoted(_operands(binding))
    elif inner in binding.given or inner in binding.many:
        found = _dtype_of(binding, inner)
    elif any(parameter.name == inner for parameter in binding.form.parameters):
        return None
    else:
        return inner
    if wrapper == "float":
        return dtypes.floating(found)
    return dtypes.summed(found) if wrapper == "sum" else found


def _operands(binding: Binding) -> list[Value]:
    """What takes part in the promotion of dtypes: no masks, no factors."""
    return [
        binding.given[parameter.name].value
        for parameter in binding.form.parameters
        if parameter.kind in "Tn"
        and parameter.name in binding.given
        and parameter.name not in ("condition", "mask", "alpha", "beta", "value")
    ]


def _dtype_of(binding: Binding, name: str) -> str | None:
    if name in binding.many:
        found = {v.dtype if isinstance(v, Tensor) else None for v in binding.tensors()}
        return found.pop() if len(found) == 1 else None
    value = binding.given[name].value
    if isinstance(value, Sequence):
        if value.items:
            return dtypes.joined(value.items)
        value = value.element
    return value.dtype if isinstance(value, Tensor) else None


def _dtype_of_numbers(inference: Inference, binding: Binding) -> str | None:
    """``arange`` and ``full`` take their dtype from the numbers they are given."""
    values = [
        binding.given[p.name].value
        for p in binding.form.parameters
        if p.kind == "n" and p.name in binding.given
    ]
    kinds = {value.kind if isinstance(value, Number) else None for value in values}
    if None in kinds or not kinds:
        return None
    if "float" in kinds:
        return dtypes.DEFAULT
    return "bool" if kinds == {"bool"} else "int64"
