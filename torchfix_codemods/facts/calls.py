"""What calls and operators give, from what they are applied to."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts import evidence, torch_api
from torchfix_codemods.facts.layers import is_made_contiguous
from torchfix_codemods.facts.libraries import TRANSPARENT, is_foreign
from torchfix_codemods.facts.values import (
    NOTHING,
    UNKNOWN,
    Array,
    Batch,
    ClassObject,
    Device,
    Foreign,
    Function,
    Instance,
    Loader,
    LoaderIterator,
    Mapping,
    Method,
    Module,
    NoneValue,
    Nothing,
    Number,
    Optimizer,
    Packed,
    Scheduler,
    Sequence,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
    element_of,
    join,
    sequence_of,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.infer import Inference


_OPTIONS = "argparse.Namespace"


def call(inference: Inference, node: ast.Call) -> Value:
    """The value of a call expression."""
    name = inference.names.name(node.func) or _chosen_type(inference, node.func)
    if name is not None:
        return _named_call(inference, name, node)
    if isinstance(node.func, ast.Name):
        builtin = _builtin_call(inference, node)
        if builtin is not None:
            return builtin
    if isinstance(node.func, ast.Attribute):
        result = _method_call(inference, node, node.func)
        if result is not None:
            return result
    return _call_value(inference, inference.value(node.func), node)


def _chosen_type(inference: Inference, node: ast.expr) -> str | None:
    """``FloatTensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor``: one of the two."""
    if not isinstance(node, ast.Name):
        return None
    found = inference.names.scope_of(node).lookup(node.id)
    value = found[1][0].value if found is not None and len(found[1]) == 1 else None
    if not isinstance(value, ast.IfExp):
        return None
    names = [inference.names.name(part) or "" for part in (value.body, value.orelse)]
    kinds = {name.rpartition(".")[2] for name in names if name.startswith("torch.")}
    is_type = len(names) == 2 and len(kinds) == 1 and kinds <= torch_api.LEGACY_TYPES.keys()
    return names[1] if is_type and all(names) else None


def _call_value(inference: Inference, callee: Value, node: ast.Call) -> Value:
    if isinstance(callee, Function):
        return inference.returned(callee.definition)
    if isinstance(callee, ClassObject):
        kind = inference.classes.kind(callee.definition)
        if kind == "module":
            return Module(definition=callee.definition, call=node)
        return Instance(callee.definition) if kind == "plain" else UNKNOWN
    if isinstance(callee, Module):
        return _call_module(inference, callee, node)
    if isinstance(callee, Foreign):
        return Foreign()
    return UNKNOWN


def _call_module(inference: Inference, module: Module, node: ast.Call) -> Value:
    if module.definition is not None:
        forward = inference.classes.method(module.definition, "forward")
        return UNKNOWN if forward is None else inference.returned(forward)
    if module.cls is None:
        return UNKNOWN
    if module.cls in torch_api.LOSSES:
        reduced = module.call is not None and is_reduced(module.call)
        return torch_api.scalar() if reduced else Tensor()
    argument = inference.value(node.args[0]) if node.args else UNKNOWN
    if module.cls == "torch.nn.Sequential":
        return _call_sequential(inference, module, argument, node)
    if module.cls == "torch.nn.DataParallel" and module.call is not None and module.call.args:
        return _call_value(inference, inference.value(module.call.args[0]), node)
    batch_first = module.call is None or may_be_batch_first(module.call)
    return torch_api.layer_output(module.cls.rpartition(".")[2], argument, batch_first)


def may_be_batch_first(node: ast.Call) -> bool:
    """Whether the construction of a recurrent layer can ask for ``batch_first=True``."""
    if any(isinstance(argument, ast.Starred) for argument in node.args) or len(node.args) > 4:
        return True
    return any(
        k.arg is None or (k.arg == "batch_first" and not _is_false(k.value)) for k in node.keywords
    )


def _call_sequential(
    inference: Inference, module: Module, argument: Value, node: ast.Call
) -> Value:
    """Layers one after another; a starred list of unknown layers gives some tensor."""
    for layer in module.call.args if module.call is not None else ():
        if isinstance(layer, ast.Starred):
            argument = Tensor(contiguous=is_made_contiguous(inference, layer.value))
            continue
        value = inference.value(layer)
        if not isinstance(value, Module):
            argument = UNKNOWN
        elif value.cls == "torch.nn.Sequential":
            argument = _call_sequential(inference, value, argument, node)
        elif value.cls is not None:
            argument = torch_api.layer_output(value.cls.rpartition(".")[2], argument)
        else:
            argument = _call_module(inference, value, node)
    if isinstance(argument, Unknown) and module.call is not None and module.call.args:
        return Tensor()
    return argument


def is_reduced(node: ast.Call) -> bool:
    """Whether a loss (class or function) certainly returns one number: no reduction="none"."""
    for keyword in node.keywords:
        if keyword.arg is None:
            return False
        value = keyword.value
        if keyword.arg == "reduction":
            if not (isinstance(value, ast.Constant) and value.value != "none"):
                return False
        if keyword.arg == "reduce":
            if not (isinstance(value, ast.Constant) and value.value):
                return False
    return not any(isinstance(argument, ast.Starred) for argument in node.args)


# Functions by qualified name


def _named_call(inference: Inference, name: str, node: ast.Call) -> Value:
    module, _, function = name.rpartition(".")
    if name in ("torch.autograd.Variable", "torch.nn.Parameter"):
        return _wrapped(inference, name, node)
    if module == "torch.nn" and function[:1].isupper():
        if function == "DataParallel" and not node.args:
            return Module()
        return Module(cls=name, call=node)
    if module == "torch.optim" and function[:1].isupper():
        return Optimizer(name)
    if module == "torch.optim.lr_scheduler":
        return Scheduler(name)
    if name == "torch.utils.data.DataLoader":
        own = {"collate_fn", "batch_size", None} & {k.arg for k in node.keywords}
        return Loader(stacks=own <= {"batch_size"} and len(node.args) < 7)
    if name == "torch.device":
        return Device()
    if name.startswith("torchvision.models.") and function[:1].islower():
        return Module()
    if name in torch_api.RETURNS_ITS_MODULE:
        return inference.value(node.args[0]) if node.args else UNKNOWN
    if name in ("torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pack_sequence"):
        return Packed()
    if name == "torch.nn.utils.rnn.pad_packed_sequence":
        return sequence_of((Tensor(ndim=3), Tensor(ndim=1, contiguous=True, grad=False)))
    if module in ("torch", "torch.cuda", "torch.nn.functional", "torch.sparse"):
        if module == "torch.cuda" and function not in torch_api.LEGACY_TYPES:
            return UNKNOWN
        result = _make_tensor(inference, function, node)
        return _operation(inference, function, node, node.args) if result is None else result
    if name.startswith("torch."):
        return UNKNOWN
    if module == "numpy" or name.startswith("numpy.random."):
        return Array()
    if name in TRANSPARENT and node.args:
        return inference.value(node.args[0])
    return Foreign(name) if is_foreign(name) else UNKNOWN


def _wrapped(inference: Inference, name: str, node: ast.Call) -> Value:
    inner = inference.value(node.args[0]) if node.args else UNKNOWN
    source = inner if isinstance(inner, Tensor) else Tensor()
    wants_grad = any(k.arg == "requires_grad" and not _is_false(k.value) for k in node.keywords)
    if name == "torch.nn.Parameter":
        return replace(source, grad=None, leaf_module=name)
    return replace(source, grad=None if wants_grad else False, leaf_module=None)


def _make_tensor(inference: Inference, function: str, node: ast.Call) -> Value | None:
    """The result of ``torch.zeros`` and the like; None for functions that make no new tensor."""
    keywords = {keyword.arg for keyword in node.keywords}
    grad = None if "requires_grad" in keywords or None in keywords else False
    if function in torch_api.FACTORIES:
        sizes = node.args[:1] if function == "full" else node.args
        ndim = count_sizes(inference, sizes)
        return Tensor(ndim=ndim, contiguous=True, single=ndim == 0, grad=grad)
    if function in torch_api.LIKE and node.args:
        source = inference.value(node.args[0])
        ndim = source.ndim if isinstance(source, Tensor) else None
        return Tensor(
            ndim=ndim, contiguous=isinstance(source, Tensor) and source.contiguous, grad=grad
        )
    if function in torch_api.LEGACY_TYPES:
        dtype = torch_api.LEGACY_TYPES[function]
        return Tensor(ndim=_legacy_ndim(inference, node), dtype=dtype, contiguous=True, grad=grad)
    if function in torch_api.MAKERS:
        ndim = torch_api.MAKERS[function]
        if function in ("tensor", "as_tensor") and node.args:
            ndim = _literal_ndim(inference, node.args[0])
        contiguous = function not in ("as_tensor", "from_numpy")
        return Tensor(ndim=ndim, contiguous=contiguous, single=ndim == 0, grad=grad)
    return None


def count_sizes(inference: Inference, sizes: list[ast.expr]) -> int | None:
    """How many dimensions ``zeros(2, n)`` or ``view((2, n))`` asks for, if that is certain."""
    if any(isinstance(size, ast.Starred) for size in sizes):
        return None
    if len(sizes) != 1:
        return len(sizes)
    only = sizes[0]
    if isinstance(only, (ast.Tuple, ast.List)):
        return count_sizes(inference, only.elts) if len(only.elts) != 1 else 1
    value = inference.value(only)
    if isinstance(value, Number):
        return 1
    if isinstance(value, Sequence) and value.items is not None:
        return len(value.items)
    return None


def _legacy_ndim(inference: Inference, node: ast.Call) -> int | None:
    if len(node.args) == 1:
        value = inference.value(node.args[0])
        if isinstance(value, Sequence):
            return _literal_ndim(inference, node.args[0])
        return 1 if isinstance(value, Number) else None
    return count_sizes(inference, node.args)


def _literal_ndim(inference: Inference, node: ast.expr) -> int | None:
    depth = 0
    while isinstance(node, (ast.List, ast.Tuple)) and node.elts:
        depth += 1
        node = node.elts[0]
    return depth if isinstance(inference.value(node), Number) else None


# Operations on tensors, as functions and as methods


def _operation(
    inference: Inference, function: str, node: ast.Call, operands: list[ast.expr]
) -> Value:
    """The result of ``torch.f(x, …)``, ``F.f(x, …)`` or ``x.f(…)`` with x first in operands."""
    if not operands or isinstance(operands[0], ast.Starred):
        return UNKNOWN
    first = inference.value(operands[0])
    return operation_on(inference, function, node, first, operands[1:])


def operation_on(
    inference: Inference, function: str, node: ast.Call, first: Value, rest: list[ast.expr]
) -> Value:
    """The result of an operation on ``first`` with the remaining positional arguments."""
    source = first if isinstance(first, Tensor) else Tensor()
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    grad = False if _has_no_history(inference, function, node, first, rest) else None
    if function in torch_api.FUNCTIONAL_LOSSES:
        return torch_api.scalar(grad) if is_reduced(node) else Tensor(grad=grad)
    if function in torch_api.PAIRS:
        contiguous = source.contiguous or function == "topk"
        values = replace(source, single=False, leaf_module=None, contiguous=contiguous)
        return sequence_of(
            (values, Tensor(ndim=source.ndim, dtype="int64", grad=False, contiguous=contiguous))
        )
    if function in torch_api.PAIR_REDUCTIONS and not _is_tensor_argument(inference, rest):
        reduced = _reduced(inference, source, rest, keywords)
        if not rest and "dim" not in keywords:
            return replace(reduced, grad=grad, dtype=source.dtype)
        indices = replace(reduced, dtype="int64", grad=False)
        return sequence_of((replace(reduced, grad=grad, dtype=source.dtype), indices))
    if function in torch_api.REDUCTIONS:
        if function == "norm" and "p" not in keywords:
            rest = rest[1:]
        reduced = _reduced(inference, source, rest, keywords)
        if function in ("argmax", "argmin"):
            return replace(reduced, dtype="int64", grad=False)
        return replace(reduced, grad=grad)
    if function in torch_api.COMPARISONS:
        return replace(broadcast([first, *map(inference.value, rest)]), dtype="bool", grad=False)
    if function in torch_api.BROADCAST:
        return replace(broadcast([first, *map(inference.value, rest)]), grad=grad)
    if function in torch_api.SAME_SHAPE:
        dtype = torch_api.DTYPE_METHODS.get(function, source.dtype)
        contiguous = source.contiguous or function in torch_api.ALWAYS_CONTIGUOUS
        result = replace(source, dtype=dtype, leaf_module=None, grad=grad, contiguous=contiguous)
        if function in ("detach", "detach_"):
            return replace(result, grad=False)
        return replace(result, grad=None) if function == "requires_grad_" else result
    if function in torch_api.FRESH_NDIM:
        ndim: int | None = torch_api.FRESH_NDIM[function]
        return Tensor(ndim=ndim, contiguous=True, single=ndim == 0, grad=grad)
    if function in torch_api.FRESH_SAME:
        return Tensor(ndim=_ndim_of_parts(first), contiguous=True, grad=grad)
    if function in torch_api.VIEWS:
        keeps = function in ("transpose", "transpose_", "permute", "t", "t_", "narrow", "diagonal")
        return Tensor(ndim=source.ndim if keeps else None, dtype=source.dtype, grad=grad)
    return _reshaping(inference, function, node, source, rest, grad)


def _has_no_history(
    inference: Inference, function: str, node: ast.Call, first: Value, rest: list[ast.expr]
) -> bool:
    """Whether no tensor that goes into an operation can be part of an autograd graph."""
    if isinstance(first, Sequence):
        first = first.element
    if not (isinstance(first, Tensor) and first.grad is False):
        return False
    if function in torch_api.ONE_TENSOR:
        return True
    others = [*rest, *(keyword.value for keyword in node.keywords)]
    return all(_is_plain(inference, other) for other in others)


def _is_plain(inference: Inference, node: ast.expr) -> bool:
    """Whether an argument certainly brings no history into an operation."""
    value = inference.value(node)
    if isinstance(value, Sequence):
        value = value.element
    if isinstance(value, Tensor):
        return value.grad is False
    is_api = inference.names.name(node) is not None
    return is_api or isinstance(value, (Number, Text, NoneValue, Size, Device, Array))


def _reshaping(
    inference: Inference,
    function: str,
    node: ast.Call,
    source: Tensor,
    rest: list[ast.expr],
    grad: bool | None,
) -> Value:
    plain = replace(source, ndim=None, single=False, leaf_module=None, grad=grad)
    if function in ("view", "reshape", "repeat", "resize_", "flatten", "view_as"):
        ndim = count_sizes(inference, rest) if function in ("view", "reshape", "repeat") else None
        if function == "flatten" and not rest and not node.keywords:
            ndim = 1
        return replace(
            plain,
            ndim=ndim,
            contiguous=source.contiguous or function == "repeat",
            single=source.single and function != "repeat",
        )
    if function == "contiguous":
        return replace(source, contiguous=True, leaf_module=None, grad=grad)
    if function == "unsqueeze":
        ndim = None if source.ndim is None else source.ndim + 1
        return replace(source, ndim=ndim, leaf_module=None, grad=grad)
    if function == "squeeze":
        return replace(
            plain,
            contiguous=source.contiguous,
            single=source.single,
            ndim=0 if source.single and not rest else None,
        )
    if function == "stack":
        return Tensor(contiguous=True, grad=grad)
    if function in ("chunk", "split", "unbind"):
        keeps = function != "unbind"
        in_front = len(rest) == (1 if keeps else 0) and not node.keywords
        contiguous = source.contiguous and in_front
        return Sequence(
            Tensor(ndim=source.ndim if keeps else None, contiguous=contiguous, grad=grad)
        )
    if function == "multinomial":
        return Tensor(dtype="int64", contiguous=True, grad=False)
    if function == "embedding":
        return Tensor(contiguous=True)
    if function == "nonzero":
        return Tensor(ndim=2, dtype="int64", grad=False)
    return UNKNOWN


def _ndim_of_parts(first: Value) -> int | None:
    if isinstance(first, Sequence):
        first = first.element
    return first.ndim if isinstance(first, Tensor) else None


def _is_tensor_argument(inference: Inference, rest: list[ast.expr]) -> bool:
    """``torch.max(a, b)`` compares two tensors; ``torch.max(a, 1)`` reduces a dimension."""
    return bool(rest) and not isinstance(inference.value(rest[0]), Number)


def _reduced(
    inference: Inference,
    source: Tensor,
    rest: list[ast.expr],
    keywords: dict[str | None, ast.expr],
) -> Tensor:
    """A tensor after reducing the dimensions that the arguments name; all without arguments."""
    dim = rest[0] if rest else keywords.get("dim", keywords.get("axis"))
    if dim is None:
        if None in keywords:
            return Tensor()
        return Tensor(ndim=0, contiguous=True, single=True)
    keepdim = rest[1] if len(rest) > 1 else keywords.get("keepdim")
    keeps = keepdim is not None and not _is_false(keepdim)
    ndim = source.ndim
    if ndim is not None and not keeps:
        ndim = ndim - 1 if isinstance(inference.value(dim), Number) and ndim else None
    return Tensor(ndim=ndim, contiguous=True, single=ndim == 0)


def broadcast(operands: list[Value]) -> Tensor:
    """The shape of an element-wise operation on tensors and numbers."""
    tensors = [v for v in operands if isinstance(v, Tensor)]
    certain = all(isinstance(v, (Tensor, Number)) for v in operands) and bool(tensors)
    if not certain:
        return Tensor()
    ndims = [t.ndim for t in tensors]
    known = [n for n in ndims if n is not None]
    return Tensor(
        ndim=max(known) if len(known) == len(ndims) else None,
        contiguous=all(t.contiguous for t in tensors),
        single=all(t.single for t in tensors),
        grad=torch_api.combine_grad(tensors),
    )


def arithmetic(operator: ast.operator, left: Value, right: Value) -> Value:
    """The value of ``left operator right``."""
    left, right = _operand(left), _operand(right)
    if isinstance(left, Nothing) or isinstance(right, Nothing):
        return NOTHING
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        if isinstance(operator, ast.MatMult):
            return Tensor()
        if isinstance(left, (Foreign, Sequence)) or isinstance(right, (Foreign, Sequence)):
            return UNKNOWN
        return broadcast([left, right])
    if isinstance(left, Array) or isinstance(right, Array):
        return Array()
    if isinstance(left, Number) and isinstance(right, Number):
        if isinstance(operator, ast.Div):
            return Number("float")
        if left.kind == right.kind == "int":
            return Number("int")
        return Number("float") if "float" in (left.kind, right.kind) else Number()
    if isinstance(left, Sequence):
        if isinstance(operator, ast.Add) and isinstance(right, Sequence):
            return Sequence(join(left.element, right.element))
        return Sequence(left.element) if isinstance(operator, ast.Mult) else UNKNOWN
    return Text() if isinstance(left, Text) else UNKNOWN


def _operand(value: Value) -> Value:
    """An option of the command line that is calculated with is a number."""
    if isinstance(value, Method) and value.receiver == Foreign(_OPTIONS):
        return Number()
    return value


# Tensors


def tensor_attribute(tensor: Tensor, name: str) -> Value:
    """The value of ``tensor.name``."""
    if name == "data":
        return replace(tensor, grad=False, leaf_module=None)
    if name == "grad":
        return Tensor(ndim=tensor.ndim, dtype=tensor.dtype)
    if name == "shape":
        return Size()
    if name == "device":
        return Device()
    if name == "T":
        return Tensor(ndim=tensor.ndim, dtype=tensor.dtype, grad=tensor.grad)
    if name in ("is_cuda", "requires_grad", "is_leaf", "volatile"):
        return Number("bool")
    if name in ("grad_fn", "dtype", "layout", "names"):
        return UNKNOWN
    return Method(tensor, name)


def index_tensor(inference: Inference, tensor: Tensor, index: ast.expr) -> Tensor:
    """The value of ``tensor[index]``."""
    parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
    result = replace(tensor, single=False, leaf_module=None)
    ndim = tensor.ndim
    contiguous = tensor.contiguous
    for position, part in enumerate(parts):
        if isinstance(part, ast.Slice):
            contiguous = contiguous and position == 0 and part.step is None
        elif isinstance(part, ast.Constant) and part.value is None:
            ndim = None if ndim is None else ndim + 1
        elif isinstance(part, ast.Constant) and part.value is Ellipsis:
            contiguous = False
        elif isinstance(inference.value(part), Number):
            # An integer in front keeps a contiguous tensor contiguous.
            contiguous = contiguous and position == 0 and len(parts) == 1
            ndim = None if ndim is None or ndim == 0 else ndim - 1
        else:
            return replace(result, ndim=None, contiguous=False)
    single = ndim == 0 or (tensor.single and tensor.ndim is not None)
    return replace(result, ndim=ndim, contiguous=contiguous, single=single)


def _method_call(inference: Inference, node: ast.Call, function: ast.Attribute) -> Value | None:
    """The result of ``receiver.method(…)``, or None when only the callee's value can tell."""
    receiver = inference.value(function.value)
    method = function.attr
    if isinstance(receiver, Tensor):
        return _tensor_method(inference, receiver, method, node)
    if isinstance(receiver, Batch):
        if method in ("cuda", "to", "cpu"):
            return Tensor(grad=False)
        return Sequence(Batch()) if method in ("items", "values") else UNKNOWN
    if isinstance(receiver, Module):
        return _module_method(inference, receiver, method, node)
    if isinstance(receiver, Array):
        return Sequence(Number()) if method == "tolist" else Array()
    if isinstance(receiver, Mapping):
        return _mapping_method(receiver, method)
    if isinstance(receiver, Text):
        return Sequence(Text()) if method == "split" else Text()
    if isinstance(receiver, Loader) and method == "__iter__":
        return LoaderIterator()
    if isinstance(receiver, LoaderIterator) and method in ("next", "__next__"):
        return Batch(receiver.stacks)
    if isinstance(receiver, Foreign):
        parses = method == "parse_args" and receiver.name == "argparse.ArgumentParser"
        return Foreign(_OPTIONS if parses else None)
    if isinstance(receiver, Sequence) and method == "pop":
        return receiver.element
    if isinstance(receiver, Unknown):
        known = _method_of_unknown(method, node)
        if known is not None:
            return known
    if isinstance(receiver, (Packed, Device)) and method in ("cuda", "cpu", "to"):
        return receiver
    if isinstance(receiver, Unknown) and method in ("parameters", "named_parameters"):
        # Only a module has them, unless a class of this file says otherwise.
        if not node.args and not evidence.defines_method(inference.names, method):
            parameter = Tensor(leaf_module="torch.nn.Parameter")
            named = sequence_of((Text(), parameter))
            return Sequence(parameter if method == "parameters" else named)
    return None


def _method_of_unknown(method: str, node: ast.Call) -> Value | None:
    """What methods give that of all things only tensors (and arrays) have."""
    if method in ("numpy", "item") and not node.args:
        return Array() if method == "numpy" else Number()
    if method == "detach" and not node.args:
        return Tensor(grad=False)
    if method == "new" or method in torch_api.NEW_METHODS:
        return Tensor(contiguous=True, grad=False)
    return None


def _tensor_method(inference: Inference, receiver: Tensor, method: str, node: ast.Call) -> Value:
    query = torch_api.query_result(method, len(node.args))
    if query is not None:
        return query
    if method == "numpy":
        return Array()
    if method == "tolist":
        return Number() if receiver.ndim == 0 else Sequence(Number())
    if method == "new":
        return Tensor(contiguous=True, grad=False, dtype=receiver.dtype)
    if method.startswith("new_"):
        ndim = count_sizes(inference, node.args[:1] if method == "new_full" else node.args)
        return Tensor(ndim=ndim, contiguous=True, grad=False)
    if method == "backward":
        return NoneValue()
    return operation_on(inference, method, node, receiver, node.args)


def _module_method(
    inference: Inference, receiver: Module, method: str, node: ast.Call
) -> Value | None:
    if receiver.definition is not None:
        own = inference.classes.method(receiver.definition, method)
        if own is not None:
            return inference.returned(own)
        if inference.classes.attribute_sources(receiver.definition, method):
            return None
    if method in torch_api.MODULE_FLUENT:
        return receiver
    if method == "forward":
        return _call_module(inference, receiver, node)
    if method == "parameters":
        return Sequence(Tensor(contiguous=True, leaf_module="torch.nn.Parameter"))
    if method == "named_parameters":
        parameter = Tensor(contiguous=True, leaf_module="torch.nn.Parameter")
        return Sequence(sequence_of((Text(), parameter)))
    if method in ("modules", "children"):
        return Sequence(Module())
    if method in ("named_modules", "named_children"):
        return Sequence(sequence_of((Text(), Module())))
    return torch_api.MODULE_METHODS.get(method, UNKNOWN)


def _mapping_method(receiver: Mapping, method: str) -> Value:
    if method == "items":
        return Sequence(sequence_of((UNKNOWN, receiver.element)))
    if method == "values":
        return Sequence(receiver.element)
    if method in ("get", "pop"):
        return receiver.element
    return UNKNOWN


# Builtins


def _builtin_call(inference: Inference, node: ast.Call) -> Value | None:
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    if inference.names.scope_of(node.func).lookup(name) is not None:
        return None
    arguments = [UNKNOWN if isinstance(a, ast.Starred) else inference.value(a) for a in node.args]
    first: Value = arguments[0] if arguments else UNKNOWN
    if name in ("len", "int", "round", "ord", "id", "hash"):
        return Number("int")
    if name == "float":
        return Number("float")
    if name in ("bool", "isinstance", "hasattr", "callable", "any", "all"):
        return Number("bool")
    if name in ("str", "repr", "format", "input", "chr"):
        return Text()
    if name == "range":
        return Sequence(Number("int"))
    if name == "enumerate":
        return Sequence(sequence_of((Number("int"), element_of(first))))
    if name == "zip":
        return Sequence(sequence_of(tuple(element_of(a) for a in arguments)))
    if name in ("list", "tuple", "sorted", "reversed", "set"):
        return Sequence(element_of(first)) if arguments else Sequence(UNKNOWN)
    if name == "iter":
        return (
            LoaderIterator(first.stacks)
            if isinstance(first, Loader)
            else Sequence(element_of(first))
        )
    if name == "next":
        return element_of(first)
    if name == "abs":
        return first if isinstance(first, (Tensor, Number, Array)) else UNKNOWN
    if name == "sum":
        return _builtin_sum(first)
    if name in ("min", "max"):
        return Number() if arguments and all(isinstance(a, Number) for a in arguments) else UNKNOWN
    if name == "open":
        return Foreign("open")
    return UNKNOWN if name in ("getattr", "eval", "super", "map", "filter") else None


def _builtin_sum(iterable: Value) -> Value:
    element = element_of(iterable)
    if isinstance(element, Tensor):
        return replace(element, leaf_module=None)
    return element if isinstance(element, Number) else UNKNOWN


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value
