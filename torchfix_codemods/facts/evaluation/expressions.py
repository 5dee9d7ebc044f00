"""What an expression is: one function for each kind of node."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from torchfix_codemods.facts.evaluation import calls, classes_elsewhere, elsewhere, operations
from torchfix_codemods.facts.evaluation.bindings import no_number, number_of_class
from torchfix_codemods.facts.evaluation.idle_handlers import is_idle
from torchfix_codemods.facts.evidence import proofs
from torchfix_codemods.facts.evidence import refining as evidence
from torchfix_codemods.facts.evidence.denied import is_said_to_be_no_tensor
from torchfix_codemods.facts.evidence.module_outputs import is_call_with_data
from torchfix_codemods.facts.evidence.narrowing import is_no_number, is_not_none, is_replaced
from torchfix_codemods.facts.evidence.saved import is_function
from torchfix_codemods.facts.language.arguments import constant, whole_number
from torchfix_codemods.facts.values import options, torch_api
from torchfix_codemods.facts.values.imported import Imported, ImportedFile
from torchfix_codemods.facts.values.inference import Inference
from torchfix_codemods.facts.values.items import item_of_mapping
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    WITHOUT_HISTORY,
    Array,
    ClassObject,
    Collated,
    Distribution,
    Foreign,
    Function,
    Instance,
    Mapping,
    Maybe,
    Method,
    Module,
    NoneValue,
    Nothing,
    Number,
    Sequence,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
    element_of,
    item_at,
    join,
    may_answer_itself,
    maybe,
    of_any_caller,
    sequence_of,
    without_none,
)
from torchfix_codemods.facts.values.sequential import layers_in_order

#: What the context of a function of autograd gives to ``backward``.
_SAVED = frozenset({"saved_tensors", "saved_variables"})

_OPTIONS = Foreign(operations.OPTIONS)

#: Expressions besides names whose use may show what they are.
_PARTS = (ast.Attribute, ast.Subscript, ast.Call)


def expression(inference: Inference, node: ast.AST) -> Value:
    """What an expression is; Unknown where that is not certain."""
    result = _evaluated(inference, node)
    if isinstance(result, Tensor) and isinstance(node, (ast.Name, ast.Attribute)):
        return UNKNOWN if is_said_to_be_no_tensor(inference, node) else result
    return result


def _evaluated(inference: Inference, node: ast.AST) -> Value:
    method = _EVALUATORS.get(node.__class__)
    if method is None:
        return UNKNOWN
    result: Value = method(inference, node)
    if isinstance(result, Maybe) and is_not_none(inference, node):
        return result.value
    if isinstance(result, Unknown) and isinstance(node, _PARTS):
        if inference.names.name(node) is None and (
            proofs.proves_tensor(inference.names, node)
            or inference.is_taken_as_tensor(node)
            or is_call_with_data(inference, node)
        ):
            grad = False if isinstance(result, Collated) else None
            return Tensor(proofs.ndim_asked_for(inference.names, node), grad=grad)
    if isinstance(result, Tensor) and result.grad is None and result.dtype in WITHOUT_HISTORY:
        return replace(result, grad=False)
    return result


#: What constants are, by their class.
_CONSTANTS: dict[type, Value] = {
    type(None): NoneValue(),
    bool: Number("bool"),
    int: Number("int"),
    float: Number("float"),
    str: Text(),
    bytes: Text(),
}


def _constant(inference: Inference, node: ast.Constant) -> Value:
    return _CONSTANTS.get(node.value.__class__, UNKNOWN)


def _joined_str(inference: Inference, node: ast.JoinedStr) -> Value:
    return Text()


def _name(inference: Inference, node: ast.Name) -> Value:
    result: Value = NOTHING
    bindings = inference.flow.reaching(node)
    is_module = False
    for binding in bindings:
        is_module = is_module or isinstance(binding.node, ast.Import)
        if len(bindings) > 1 and is_idle(inference, binding):
            continue
        value = inference.bound(binding)
        if isinstance(value, (Maybe, NoneValue)) and is_replaced(inference, node, binding):
            value = without_none(value)
        if isinstance(value, (Number, Unknown)) and is_no_number(inference.names, node):
            # A sum that starts as 0 and is indexed in the end has become a tensor.
            value = no_number(inference, binding)
        result = join(result, value)
    if not bindings:
        result = elsewhere.starred(inference, node)
    elif inference.is_asked_by_others:
        result = elsewhere.changeable(inference, node, result)
    name = inference.names.name(node)
    if is_module or name:
        return calls.value_of_name(name) if name and isinstance(result, Unknown) else result
    if isinstance(result, Maybe):
        return maybe(evidence.refine_name(inference, node, bindings, result.value))
    return evidence.refine_name(inference, node, bindings, result)


def _named_expr(inference: Inference, node: ast.NamedExpr) -> Value:
    return inference.possible(node.value)


def _if_exp(inference: Inference, node: ast.IfExp) -> Value:
    return join(inference.possible(node.body), inference.possible(node.orelse))


def _bool_op(inference: Inference, node: ast.BoolOp) -> Value:
    result: Value = NOTHING
    for operand in node.values[:-1]:
        value = inference.possible(operand)
        # What ``or`` hands on is true.
        result = join(result, without_none(value) if isinstance(node.op, ast.Or) else value)
    return join(result, inference.possible(node.values[-1]))


def _lambda(inference: Inference, node: ast.Lambda) -> Value:
    return Function(node)


def _tuple(inference: Inference, node: ast.Tuple | ast.List) -> Value:
    if any(isinstance(element, ast.Starred) for element in node.elts):
        return Sequence()
    return sequence_of(tuple(inference.possible(element) for element in node.elts))


def _list_comp(inference: Inference, node: ast.ListComp | ast.GeneratorExp) -> Value:
    return Sequence(inference.possible(node.elt))


def _dict(inference: Inference, node: ast.Dict) -> Value:
    if any(key is None for key in node.keys):
        return Mapping()
    values = tuple(inference.possible(value) for value in node.values)
    if not values:
        return Mapping()
    keyed = tuple(
        (key.value, value)
        for key, value in zip(node.keys, values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    )
    return Mapping(sequence_of(values).element, keyed if len(keyed) == len(values) else ())


def _dict_comp(inference: Inference, node: ast.DictComp) -> Value:
    return Mapping(inference.possible(node.value))


def _unary_op(inference: Inference, node: ast.UnaryOp) -> Value:
    operand = inference.value(node.operand)
    if isinstance(node.op, ast.Not):
        return Number("bool")
    if isinstance(operand, Tensor):
        # What ~ makes of a mask of uint8 is none: 254 and 255.
        is_lost = isinstance(node.op, ast.Invert) and operand.dtype == "uint8"
        dtype = None if is_lost else operand.dtype
        return replace(operand, leaf_module=None, dtype=dtype)
    return operand if isinstance(operand, (Number, Array)) else UNKNOWN


def _bin_op(inference: Inference, node: ast.BinOp) -> Value:
    left, right = inference.value(node.left), inference.value(node.right)
    if isinstance(left, (Tensor, Number)) and isinstance(right, Unknown):
        right = _counted(inference, node.right)
    elif isinstance(right, (Tensor, Number)) and isinstance(left, Unknown):
        left = _counted(inference, node.left)
    return operations.arithmetic(node.op, left, right)


def _counted(inference: Inference, node: ast.expr) -> Value:
    """A number where a name of which nothing else is known is given as one elsewhere."""
    is_named = isinstance(node, (ast.Name, ast.Attribute))
    return Number("int") if is_named and inference.counts.is_count(node) else UNKNOWN


def _compare(inference: Inference, node: ast.Compare) -> Value:
    if len(node.ops) != 1 or isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
        return Number("bool")
    if any(constant(operand) is None for operand in (node.left, *node.comparators)):
        return Number("bool")
    left, right = inference.value(node.left), inference.value(node.comparators[0])
    if may_answer_itself(left) or may_answer_itself(right):
        return UNKNOWN
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        result = operations.broadcast([v for v in (left, right) if not isinstance(v, Number)])
        return replace(result, dtype="bool", grad=False)
    if isinstance(left, Array) or isinstance(right, Array):
        return operations.of_arrays(left, right)
    if isinstance(left, (Number, Text)) and isinstance(right, (Number, Text)):
        return Number("bool")
    return UNKNOWN


def _subscript(inference: Inference, node: ast.Subscript) -> Value:
    base = inference.value(node.value)
    if isinstance(base, Tensor):
        if base.ndim == 0 and isinstance(inference.value(node.slice), Number):
            # Refused since 0.5; until then, what the one element was.
            return Number()
        return operations.index_tensor(inference, base, node.slice)
    if isinstance(base, (Array, Nothing, Collated)):
        return base
    index = node.slice
    if isinstance(index, ast.Slice):
        if isinstance(base, Sequence):
            return Sequence(base.element)
        return base if isinstance(base, (Text, Size)) else UNKNOWN
    if isinstance(base, Mapping):
        return item_of_mapping(inference, base, index)
    if isinstance(base, Module) and base.cls in ("torch.nn.ModuleList", "torch.nn.Sequential"):
        return _element_of_container(inference, base)
    position = whole_number(index)
    return element_of(base) if position is None else item_at(base, position)


def _element_of_container(inference: Inference, module: Module) -> Value:
    result: Value = NOTHING
    built = module.call
    for layer in [] if built is None else layers_in_order(inference.names, built):
        value = inference.value(layer)
        result = join(result, element_of(value) if isinstance(value, Sequence) else value)
    return Module() if isinstance(result, (Nothing, Unknown)) else result


def _attribute(inference: Inference, node: ast.Attribute) -> Value:
    name = inference.names.name(node)
    if name is not None:
        found = elsewhere.named_attribute(inference, node)
        found = calls.value_of_name(name) if isinstance(found, Unknown) else found
        is_option = isinstance(found, Unknown) and inference.value(node.value) == _OPTIONS
        return options.number_option(inference, node.attr) if is_option else found
    base = inference.value(node.value)
    if isinstance(base, Tensor):
        value = operations.tensor_attribute(base, node.attr)
        return maybe(value) if node.attr == "grad" else value
    if isinstance(base, (Module, Instance)) and base.definition is not None:
        method = inference.classes.method(base.definition, node.attr)
        if method is not None:
            if inference.classes.is_property(method):
                return inference.returned(method)
            return Method(base, node.attr)
        if isinstance(base, Module) and classes_elsewhere.is_layer_parameter(
            inference, base, node.attr
        ):
            return _parameter(node.attr)
        found = inference.attribute(
            base.definition, node.attr, not is_no_number(inference.names, node)
        )
        if node.attr in _SAVED and node.attr not in inference.names.assigned_attributes:
            if is_function(inference.names, base.definition):
                return Sequence(maybe(Tensor()))
        return evidence.refine_attribute(inference, node, base.definition, found)
    if isinstance(base, (ImportedFile, Imported)) or (isinstance(base, Module) and base.origin):
        return elsewhere.attribute(base, node.attr)
    if isinstance(base, Module):
        if torch_api.is_parameter(base.cls, node.attr):
            is_replaced = node.attr in inference.names.assigned_attributes
            ndim = None if is_replaced else torch_api.parameter_ndim(base.cls, node.attr)
            return _parameter(node.attr, ndim)
        if base.either and all(torch_api.is_parameter(one.cls, node.attr) for one in base.either):
            return _parameter(node.attr)
        if base.cls is None and node.attr in ("weight", "bias"):
            # Of whichever layer it is, what is read as data is a parameter.
            is_parameter = _reads_data(inference, node)
            return Tensor(leaf_module="torch.nn.Parameter") if is_parameter else UNKNOWN
        if base.cls == "torch.nn.Module" and inference.names.attributes(node.attr):
            return _held_by_plain_module(inference, node.attr) or Method(base, node.attr)
        return Method(base, node.attr)
    if isinstance(base, Unknown) and node.attr in _SAVED:
        is_own = node.attr in inference.names.assigned_attributes
        return base if is_own else Sequence(maybe(Tensor()))
    if isinstance(base, (Unknown, Nothing)):
        return base
    if isinstance(base, ClassObject):
        number = number_of_class(inference, base.definition, node.attr)
        return Method(base, node.attr) if isinstance(number, Unknown) else number
    if isinstance(base, Foreign) and base.name in torch_api.TENSOR_DATASETS:
        if node.attr in torch_api.TENSOR_DATASET_ATTRIBUTES:
            ndim = 1 if node.attr.endswith(("labels", "targets")) else 3
            return Tensor(ndim=ndim, contiguous=True, grad=False)
    if base == _OPTIONS:
        option = options.number_option(inference, node.attr)
        return Method(base, node.attr) if isinstance(option, Unknown) else option
    return UNKNOWN if isinstance(base, Distribution) else Method(base, node.attr)


def _held_by_plain_module(inference: Inference, name: str) -> Value | None:
    """What ``nn.Module()`` holds under a name that the file gives it; None where it does
    not."""
    result: Value = NOTHING
    for node in inference.names.attributes(name):
        if isinstance(node.ctx, ast.Load):
            continue
        statement = inference.names.parents[node]
        base = inference.value(node.value)
        if isinstance(base, (Module, Instance)) and base.definition is not None:
            continue
        if not isinstance(statement, ast.Assign):
            return UNKNOWN
        result = join(result, inference.possible(statement.value))
    return None if isinstance(result, Nothing) else of_any_caller(result)


def _reads_data(inference: Inference, node: ast.AST) -> bool:
    """``m.weight.data``: of whichever layer m is, its weight is a parameter."""
    parent = inference.names.parents.get(node)
    return isinstance(parent, ast.Attribute) and parent.attr == "data"


def _parameter(name: str, ndim: int | None = None) -> Value:
    """A parameter of a layer of torch; layers can be built without a bias."""
    parameter = Tensor(ndim=ndim, contiguous=True, leaf_module="torch.nn.Parameter")
    return maybe(parameter) if name.startswith("bias") else parameter


_EVALUATORS: dict[type, Callable[[Inference, Any], Value]] = {
    ast.Constant: _constant,
    ast.JoinedStr: _joined_str,
    ast.Name: _name,
    ast.NamedExpr: _named_expr,
    ast.IfExp: _if_exp,
    ast.BoolOp: _bool_op,
    ast.Lambda: _lambda,
    ast.Tuple: _tuple,
    ast.ListComp: _list_comp,
    ast.Dict: _dict,
    ast.DictComp: _dict_comp,
    ast.UnaryOp: _unary_op,
    ast.BinOp: _bin_op,
    ast.Compare: _compare,
    ast.Subscript: _subscript,
    ast.Attribute: _attribute,
    ast.Call: calls.call,
    ast.List: _tuple,
    ast.GeneratorExp: _list_comp,
}
