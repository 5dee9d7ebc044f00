"""What calls and operators give, from what they are applied to."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from torchfix_codemods.facts import (
    dtypes,
    elsewhere,
    evidence,
    forms,
    layers,
    numpy_api,
    operations,
    standard_library,
    text_api,
    torch_api,
    transforms,
)
from torchfix_codemods.facts.array_dtypes import dtype_of_array
from torchfix_codemods.facts.chosen_types import chosen_type
from torchfix_codemods.facts.collation import loader_of
from torchfix_codemods.facts.libraries import TRANSPARENT, hands_on, holds, is_foreign
from torchfix_codemods.facts.torch_table import forms_of
from torchfix_codemods.facts.values import (
    NOTHING,
    UNKNOWN,
    Array,
    Batch,
    ClassObject,
    Device,
    Distribution,
    Foreign,
    Function,
    Imported,
    Instance,
    Loader,
    LoaderIterator,
    Mapping,
    Method,
    Module,
    NoneValue,
    Nothing,
    Number,
    Operation,
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
    maybe,
    of_any_caller,
    sequence_of,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.infer import Inference


def call(inference: Inference, node: ast.Call) -> Value:
    """The value of a call expression."""
    name = inference.names.name(node.func) or chosen_type(inference.names, node.func)
    if name is not None:
        named = _named_call(inference, name, node)
        if inference.files is None or not isinstance(named, Unknown):
            return named
        return _call_value(inference, inference.value(node.func), node)
    if isinstance(node.func, ast.Name):
        builtin = _builtin_call(inference, node)
        if builtin is not None:
            return builtin
    if isinstance(node.func, ast.Attribute):
        result = _method_call(inference, node, node.func)
        if result is not None:
            return result
    return _call_value(inference, inference.value(node.func), node)


def value_of_name(name: str) -> Value:
    """A function of torch or a constant by its qualified name; Unknown for all else."""
    module, _, function = name.rpartition(".")
    is_function = module in _WITH_FUNCTIONS and function[:1].islower() and forms_of(name)
    return Operation(name) if is_function else standard_library.constant(name)


def _call_value(inference: Inference, callee: Value, node: ast.Call) -> Value:
    if isinstance(callee, Function):
        return inference.returned_to(callee.definition, node)
    if isinstance(callee, Operation):
        return _named_call(inference, callee.name, node)
    if isinstance(callee, ClassObject):
        kind = inference.classes.kind(callee.definition)
        if kind == "module":
            return Module(definition=callee.definition, call=node)
        return Instance(callee.definition) if kind == "plain" else UNKNOWN
    if isinstance(callee, Module):
        return _call_module(inference, callee, node)
    if isinstance(callee, Foreign):
        if (callee.name or "").startswith("torchvision."):
            return transforms.result_of(inference, node.func)
        return UNKNOWN if holds(callee.name or "") else Foreign()
    if isinstance(callee, Imported):
        return elsewhere.called(callee, node)
    if isinstance(callee, Instance):
        method = elsewhere.method_for_call(inference, callee)
        return _instance_method(inference, callee.definition, method)
    if isinstance(callee, Method):
        receiver = callee.receiver
        origin = receiver.origin if isinstance(receiver, Module) else receiver
        if isinstance(origin, Imported):
            return elsewhere.method_result(origin, callee.name) or UNKNOWN
        if isinstance(receiver, Instance):
            return _instance_method(inference, receiver.definition, callee.name)
    return callee if isinstance(callee, Nothing) else UNKNOWN


def _instance_method(inference: Inference, definition: ast.ClassDef, name: str) -> Value:
    """What a method of an object of this file's gives, or the one of a class below it."""
    own = _own_method(inference, definition, name)
    return own or elsewhere.inherited_result(inference, definition, name) or UNKNOWN


def _own_method(inference: Inference, definition: ast.ClassDef, name: str) -> Value | None:
    """What a method gives that this file defines, in a class, its bases or those below it."""
    own = inference.classes.method(definition, name)
    if own is None:
        return None
    if name in inference.names.assigned_attributes:
        return UNKNOWN
    methods = [own, *inference.classes.overriding(definition, name)]
    written = [method for method in methods if not _is_left_to_others(method)]
    result: Value = NOTHING if written else UNKNOWN
    for method in written:
        result = join(result, inference.returned(method))
    return result


def _is_left_to_others(method: ast.FunctionDef) -> bool:
    """``raise NotImplementedError``, and no more than a text."""
    body = [s for s in method.body if not _is_text(s)]
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _call_module(inference: Inference, module: Module, node: ast.Call) -> Value:
    if module.origin is not None:
        layer = elsewhere.layer_below(inference, module)
        if layer is not None and elsewhere.inherits_forward(inference, module):
            return _inherited_forward(inference, layer, node)
        return elsewhere.called(module.origin)
    if module.definition is not None:
        if inference.classes.method(module.definition, "forward") is not None:
            return _own_method(inference, module.definition, "forward") or UNKNOWN
        if elsewhere.inherits_forward(inference, module):
            return _inherited_forward(inference, elsewhere.layer_below(inference, module), node)
        return elsewhere.inherited_result(inference, module.definition, "forward") or UNKNOWN
    if module.cls is None:
        result: Value = NOTHING
        for one in module.either:
            result = join(result, _call_module(inference, one, node))
        return UNKNOWN if isinstance(result, Nothing) else result
    if module.cls in torch_api.LOSSES:
        reduced = layers.is_reduced_loss(inference, module, node.func)
        return torch_api.scalar() if reduced else Tensor()
    argument = inference.value(node.args[0]) if node.args else UNKNOWN
    if module.cls == "torch.nn.Sequential":
        if module.call is None:
            # Built in several ways.
            result = NOTHING
            for built in module.either or layers.assigned_modules(inference, node.func) or ():
                result = join(result, _call_module(inference, built, node))
            return UNKNOWN if isinstance(result, Nothing) else result
        return _call_sequential(inference, module, argument, node)
    if module.cls == "torch.nn.DataParallel" and module.call is not None and module.call.args:
        # Each device gives its part: a loss becomes a vector of losses.
        with inference.inside(module.call) as is_new:
            wrapped = inference.value(module.call.args[0]) if is_new else UNKNOWN
            return of_any_caller(_call_value(inference, wrapped, node))
    return layer_output(inference, module, argument, node)


#: Layers whose construction says how many dimensions come out.
_SHAPED_BY_CONSTRUCTION = frozenset({"torch.nn.Flatten", "torch.nn.Unflatten"})


def layer_output(
    inference: Inference, module: Module, argument: Value, node: ast.Call | None = None
) -> Value:
    """What a layer of torch gives; ``node`` calls it, unless it stands in a Sequential."""
    cls = module.cls or ""
    bare = cls.rpartition(".")[2]
    if bare in torch_api.RECURRENT or bare.endswith("Cell"):
        batch_first = module.call is None or layers.may_be_batch_first(module.call)
        return torch_api.recurrent_output(bare, argument, batch_first)
    built = module.call
    if built is not None and any(k.arg in ("return_indices", None) for k in built.keywords):
        return UNKNOWN
    if node is not None:
        result = forms.apply(inference, cls, node)
    else:
        result = forms.apply_to(inference, cls, argument)
    if isinstance(result, Tensor) and cls in _SHAPED_BY_CONSTRUCTION:
        if built is None or built.args or built.keywords or bare == "Unflatten":
            return replace(result, ndim=None)
    return UNKNOWN if result is None else result


def _call_sequential(
    inference: Inference, module: Module, argument: Value, node: ast.Call
) -> Value:
    """Layers one after another; a starred list of unknown layers gives some tensor."""
    if module.call is None:
        return UNKNOWN
    called = partial(_call_module, inference, node=node)
    with inference.inside(module.call) as is_new:
        for layer in module.call.args if is_new else ():
            if isinstance(layer, ast.Starred):
                listed = inference.value(layer.value)
                if isinstance(listed, Sequence) and listed.items is not None:
                    for value in listed.items:
                        argument = _after_layer(inference, value, argument, node)
                else:
                    argument = layers.after_layers(inference, layer.value, called)
            else:
                argument = _after_layer(inference, inference.value(layer), argument, node)
        if not is_new:
            return UNKNOWN
        return layers.with_layers_added(inference, module.call, argument, called)


def _after_layer(inference: Inference, layer: Value, argument: Value, node: ast.Call) -> Value:
    if not isinstance(layer, Module):
        return UNKNOWN
    if layer.cls == "torch.nn.Sequential":
        return _call_sequential(inference, layer, argument, node)
    if layer.cls is not None:
        return layer_output(inference, layer, argument)
    return _call_module(inference, layer, node)


# Functions by qualified name


_WITH_FUNCTIONS = frozenset(
    """torch torch.Tensor torch.cuda torch.nn.functional torch.sparse torch.linalg torch.special
    torch.fft torch.functional""".split()
)


def _named_call(inference: Inference, name: str, node: ast.Call) -> Value:
    module, _, function = name.rpartition(".")
    if name in ("torch.autograd.Variable", "torch.nn.Parameter"):
        return _wrapped(inference, name, node)
    if name == "torch.autograd.variable":
        # What previews of 0.4 called torch.tensor.
        return _make_tensor(inference, "tensor", node) or UNKNOWN
    if module == "torch.nn" and function[:1].isupper():
        if function == "DataParallel" and not node.args:
            return Module()
        return Module(cls=name, call=node)
    if module == "torch.optim" and function[:1].isupper():
        return Optimizer(name)
    if module == "torch.optim.lr_scheduler":
        return Scheduler(name)
    if name == "torch.utils.data.DataLoader":
        return loader_of(inference.names, node)
    if module == "torch.distributions":
        known = [form.word for form in forms_of(name)]
        return Distribution() if known == ["distribution"] else UNKNOWN
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
    if module == "torch.sparse" and function in torch_api.LEGACY_TYPES:
        return Tensor()
    if module in _WITH_FUNCTIONS:
        result = _make_tensor(inference, function, node)
        return operations.operation_on(inference, name, node) if result is None else result
    if name == "torch.distributions.utils.broadcast_all" and node.args:
        return Sequence(Tensor())
    if module == "torch.nn.init" and function != "calculate_gain" and node.args:
        return inference.value(node.args[0])
    if name == "torch.autograd.grad":
        may_lack = any(k.arg in ("allow_unused", "materialize_grads", None) for k in node.keywords)
        return Sequence(maybe(Tensor()) if may_lack else Tensor())
    if name.startswith("torch."):
        return UNKNOWN
    if name.startswith("numpy."):
        given = [UNKNOWN if isinstance(a, ast.Starred) else inference.value(a) for a in node.args]
        return numpy_api.call_result(name, given, frozenset(k.arg for k in node.keywords))
    if name in TRANSPARENT and node.args:
        return inference.value(node.args[0])
    if name == "matplotlib.pyplot.subplots":
        return sequence_of((Foreign(name), Foreign(name)))
    if name.startswith("torchvision.transforms.functional."):
        return Tensor() if function in ("to_tensor", "pil_to_tensor") else UNKNOWN
    number = standard_library.call_result(name)
    if isinstance(number, Unknown) and is_foreign(name) and not hands_on(name):
        return Foreign(name)
    return number


def _wrapped(inference: Inference, name: str, node: ast.Call) -> Value:
    inner = inference.value(node.args[0]) if node.args else UNKNOWN
    source = inner if isinstance(inner, Tensor) else Tensor()
    wants_grad = any(
        k.arg == "requires_grad" and not operations.is_false(k.value) for k in node.keywords
    )
    if name == "torch.nn.Parameter":
        return replace(source, grad=None, leaf_module=name)
    return replace(source, grad=None if wants_grad else False, leaf_module=None)


def _make_tensor(inference: Inference, function: str, node: ast.Call) -> Value | None:
    """The result of ``torch.zeros`` and the like; None for functions that make no new tensor."""
    if function in torch_api.LEGACY_TYPES:
        grad = _history_kept(inference, node)
        return Tensor(
            ndim=_legacy_ndim(inference, node),
            dtype=torch_api.LEGACY_TYPES[function],
            contiguous=not _may_take_memory(inference, node),
            single=_is_list_of_one(inference, node),
            grad=grad,
        )
    if function in ("tensor", "as_tensor", "from_numpy"):
        keywords = {keyword.arg for keyword in node.keywords}
        grad = None if "requires_grad" in keywords or None in keywords else False
        ndim = None
        if function != "from_numpy" and node.args:
            ndim = _literal_ndim(inference, node.args[0])
        if function == "as_tensor":
            grad = _history_kept(inference, node)
        return Tensor(
            ndim=ndim,
            dtype=_dtype_of_data(inference, node),
            contiguous=function == "tensor",
            single=ndim == 0 or _is_list_of_one(inference, node),
            grad=grad,
        )
    return None


def _is_list_of_one(inference: Inference, node: ast.Call) -> bool:
    """``torch.FloatTensor([0])``, ``torch.tensor([[x]])`` of a number x."""
    given = node.args[0] if len(node.args) == 1 else None
    depth = 0
    while isinstance(given, (ast.List, ast.Tuple)) and len(given.elts) == 1:
        given, depth = given.elts[0], depth + 1
    return depth > 0 and given is not None and isinstance(inference.value(given), Number)


def _may_take_memory(inference: Inference, node: ast.Call) -> bool:
    """``torch.Tensor(array)`` lies in the memory of the array, in whatever order that is."""
    if len(node.args) != 1:
        return False
    given = node.args[0]
    if isinstance(inference.value(given), (Number, Sequence, Size)):
        return False
    is_named = isinstance(given, (ast.Name, ast.Attribute))
    return not (is_named and inference.counts.is_count_or_shape(given))


def _dtype_of_data(inference: Inference, node: ast.Call) -> str | None:
    """The dtype of ``torch.tensor([1, 2])``: that of the numbers, if no other is asked for."""
    for keyword in node.keywords:
        if keyword.arg in ("dtype", None):
            return dtypes.named(inference.names.name(keyword.value))
    if len(node.args) != 1:
        return None
    if (of_array := dtype_of_array(inference, node.args[0])) is not None:
        return of_array
    leaves = [node.args[0]]
    while leaves and all(isinstance(leaf, (ast.List, ast.Tuple)) for leaf in leaves):
        leaves = [e for leaf in leaves for e in leaf.elts]  # type: ignore[attr-defined]
    kinds = {v.kind if isinstance(v, Number) else None for v in map(inference.value, leaves)}
    if None in kinds or not kinds:
        return None
    if "float" in kinds:
        return dtypes.DEFAULT
    return "int64" if "int" in kinds else "bool"


def _history_kept(inference: Inference, node: ast.Call) -> bool | None:
    """The history of ``torch.Tensor(x)``: where x is a tensor, it is that of x."""
    if len(node.args) != 1 or node.keywords:
        is_new = len(node.args) > 1 or not (node.args or node.keywords)
        return False if is_new else None
    given = inference.value(node.args[0])
    if isinstance(given, Tensor):
        return given.grad
    return None if isinstance(given, Unknown) and isinstance(node.args[0], ast.Name) else False


def _legacy_ndim(inference: Inference, node: ast.Call) -> int | None:
    if len(node.args) == 1:
        value = inference.value(node.args[0])
        if isinstance(value, Sequence):
            return _literal_ndim(inference, node.args[0])
        return 1 if isinstance(value, Number) else None
    return None if any(isinstance(a, ast.Starred) for a in node.args) else len(node.args) or 1


def _literal_ndim(inference: Inference, node: ast.expr) -> int | None:
    depth = 0
    while isinstance(node, (ast.List, ast.Tuple, ast.ListComp)):
        if isinstance(node, ast.ListComp):
            node = node.elt
        elif node.elts:
            node = node.elts[0]
        else:
            return None
        depth += 1
    return depth if isinstance(inference.value(node), Number) else None


# Methods


#: Methods of a distribution.
_GIVE_TENSORS = frozenset(
    "sample rsample sample_n log_prob entropy cdf icdf perplexity enumerate_support".split()
)


def _method_call(inference: Inference, node: ast.Call, function: ast.Attribute) -> Value | None:
    """The result of ``receiver.method(…)``, or None when only the callee's value can tell."""
    receiver = inference.value(function.value)
    method = function.attr
    if isinstance(receiver, Nothing):
        return receiver
    if isinstance(receiver, Tensor):
        return _tensor_method(inference, receiver, method, node)
    if isinstance(receiver, Batch):
        if method in ("cuda", "to", "cpu"):
            return Tensor(grad=False)
        return Sequence(Batch()) if method in ("items", "values") else UNKNOWN
    if isinstance(receiver, Module):
        return _module_method(inference, receiver, method, node)
    if isinstance(receiver, Array):
        return numpy_api.method_result(method)
    if isinstance(receiver, Distribution):
        return Tensor() if method in _GIVE_TENSORS else UNKNOWN
    if method in _GIVE_TENSORS and elsewhere.has_from_distribution(inference, receiver, method):
        return Tensor()
    if isinstance(receiver, Mapping):
        return _mapping_method(inference, receiver, method, node)
    if isinstance(receiver, Text):
        return text_api.method_result(method)
    if isinstance(receiver, Loader) and method == "__iter__":
        return LoaderIterator(receiver.stacks, receiver.has_own)
    if isinstance(receiver, LoaderIterator) and method in ("next", "__next__"):
        return element_of(receiver)
    if receiver == numpy_api.GENERATOR:
        keywords = frozenset(k.arg for k in node.keywords)
        return numpy_api.random_result(method, len(node.args), keywords)
    if isinstance(receiver, Foreign):
        if holds(receiver.name or ""):
            return UNKNOWN
        parses = method == "parse_args" and receiver.name == "argparse.ArgumentParser"
        return Foreign(operations.OPTIONS if parses else None)
    if isinstance(receiver, Sequence) and method == "pop":
        return receiver.element
    if isinstance(receiver, Unknown):
        base = elsewhere.super_object(inference, function.value)
        if not isinstance(base, Unknown):
            return _method_of_base(inference, base, method, node)
        known = _method_of_unknown(inference, method, node)
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


def _method_of_base(inference: Inference, base: Value, method: str, node: ast.Call) -> Value:
    """What ``super().method(…)`` gives, ``super()`` being an object of the base class."""
    if isinstance(base, Module) and method == "forward":
        layer = base.cls or elsewhere.layer_below(inference, base)
        if base.cls is not None or elsewhere.inherits_forward(inference, base):
            return _inherited_forward(inference, layer, node)
    origin = base.origin if isinstance(base, Module) else base
    if isinstance(origin, Imported):
        return elsewhere.method_result(origin, method) or UNKNOWN
    found = elsewhere.method_of(inference, base, method)
    return inference.returned(found[1]) if found and found[0] is inference else UNKNOWN


def _inherited_forward(inference: Inference, layer: str | None, node: ast.Call) -> Value:
    """What a class of torch gives whose ``__init__`` may get anything."""
    bare = (layer or "").rpartition(".")[2]
    if bare not in torch_api.LAYERS or "MaxPool" in bare:
        return UNKNOWN
    argument = inference.value(node.args[0]) if node.args else UNKNOWN
    return layer_output(inference, Module(cls=layer), argument, node)


#: What methods give without arguments that arrays do not have.
_OF_TENSORS = {
    "contiguous": Tensor(contiguous=True),
    "byte": Tensor(dtype="uint8"),
    "long": Tensor(dtype="int64"),
}


def _method_of_unknown(inference: Inference, method: str, node: ast.Call) -> Value | None:
    """What methods give that of all things only tensors (and arrays) have."""
    if method in torch_api.FULL_REDUCTIONS and not node.args and not node.keywords:
        parent = inference.names.parents.get(node)
        # Without dimensions, the data of an array is nothing that anybody asks for.
        if isinstance(parent, ast.Attribute) and parent.attr == "data":
            return torch_api.scalar()
    if method in ("numpy", "item") and not node.args:
        return Array() if method == "numpy" else Number()
    if method == "detach" and not node.args:
        return Tensor(grad=False)
    if method in _OF_TENSORS and not node.args and not node.keywords:
        return None if evidence.defines_method(inference.names, method) else _OF_TENSORS[method]
    # What else has `new`, such as loaders, is given options.
    if method in torch_api.NEW_METHODS or (method == "new" and not node.keywords):
        return Tensor(contiguous=True, grad=False)
    return None


def _tensor_method(inference: Inference, receiver: Tensor, method: str, node: ast.Call) -> Value:
    query = torch_api.query_result(method, len(node.args))
    if query is not None:
        return query
    if method == "numpy":
        return Array()
    if method == "tolist":
        return _as_lists(receiver.ndim)
    if method == "new":
        return Tensor(contiguous=True, grad=False, dtype=receiver.dtype)
    return operations.operation_on(inference, "torch.Tensor." + method, node, receiver)


def _as_lists(ndim: int | None) -> Value:
    """What ``x.tolist()`` gives."""
    if ndim is None:
        return Sequence()
    return Sequence(_as_lists(ndim - 1)) if ndim else Number()


def _module_method(
    inference: Inference, receiver: Module, method: str, node: ast.Call
) -> Value | None:
    if receiver.definition is not None:
        own = _own_method(inference, receiver.definition, method)
        if own is not None:
            return own
        inherited = elsewhere.inherited_result(inference, receiver.definition, method)
        if inherited is not None:
            return inherited
    if receiver.origin is not None:
        result = elsewhere.method_result(receiver.origin, method)
        if result is not None:
            return result
    if elsewhere.has_attribute(inference, receiver, method):
        return None
    if method in inference.names.assigned_attributes:
        return None if receiver.cls == "torch.nn.Module" else UNKNOWN
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


def _mapping_method(inference: Inference, receiver: Mapping, method: str, node: ast.Call) -> Value:
    if method == "items":
        return Sequence(sequence_of((UNKNOWN, receiver.element)))
    if method == "values":
        return Sequence(receiver.element)
    if method in ("get", "pop"):
        item = inference.item_of_mapping(receiver, node.args[0]) if node.args else UNKNOWN
        key = getattr(node.args[0], "value", None) if node.args else None
        if (method == "pop" and len(node.args) == 1) or key in dict(receiver.items):
            return item
        return join(item, inference.possible(node.args[1]) if len(node.args) > 1 else NoneValue())
    return UNKNOWN


# Builtins


def _builtin_call(inference: Inference, node: ast.Call) -> Value | None:
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    if inference.names.scope_of(node.func).lookup(name) is not None:
        return None
    if isinstance(inference.value(node.func), Imported):
        return None
    arguments = [UNKNOWN if isinstance(a, ast.Starred) else inference.value(a) for a in node.args]
    first: Value = arguments[0] if arguments else UNKNOWN
    if name == "round" and (len(arguments) > 1 or node.keywords):
        return first if isinstance(first, Number) else UNKNOWN
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
    if name == "dict":
        if node.args or any(keyword.arg is None for keyword in node.keywords):
            return first if isinstance(first, Mapping) and not node.keywords else UNKNOWN
        given = [(str(k.arg), inference.possible(k.value)) for k in node.keywords]
        element = sequence_of(tuple(value for _, value in given)).element
        return Mapping(element, tuple(given))
    if name == "iter":
        if isinstance(first, Unknown):
            return UNKNOWN
        return (
            LoaderIterator(first.stacks, first.has_own)
            if isinstance(first, Loader)
            else Sequence(element_of(first))
        )
    if name == "next":
        return element_of(first)
    if name == "abs":
        if isinstance(first, Tensor):
            return replace(first, leaf_module=None)
        return first if isinstance(first, (Number, Array)) else UNKNOWN
    if name == "sum":
        return _builtin_sum(inference, first)
    if name in ("min", "max"):
        return Number() if arguments and all(isinstance(a, Number) for a in arguments) else UNKNOWN
    if name == "open":
        return Foreign("open")
    return UNKNOWN if name in ("getattr", "eval", "super", "map", "filter") else None


def _builtin_sum(inference: Inference, iterable: Value) -> Value:
    element = element_of(iterable)
    if isinstance(element, Tensor):
        # The sum starts with the number 0.
        dtype = dtypes.promoted([element, Number("int")])
        return replace(element, leaf_module=None, dtype=dtype)
    if element == Number("bool"):
        return Number("int")
    return element if isinstance(element, Number) else UNKNOWN
