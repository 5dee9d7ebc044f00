"""What torch's callables return where no line of a table can say it, and sets of their names.

The tables stand in ``libraries``; here is what needs the lattice, and the conventions of old
programs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchfix_codemods.facts.libraries import torch_layers
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    SCALAR,
    UNKNOWN,
    Nothing,
    Number,
    Packed,
    Sequence,
    Size,
    StateDict,
    Tensor,
    Text,
    Value,
    ndim_of,
    sequence_of,
)

#: Functions that make a tensor from sizes: ``torch.zeros(2, 3)``.
FACTORIES = frozenset("zeros ones empty rand randn full".split())

#: Functions that make a tensor from values or ranges.
MAKERS = frozenset(
    """tensor as_tensor from_numpy arange range linspace logspace randperm eye randint normal
    one_hot""".split()
)

#: Keywords that the table does not list, because they change nothing that it says.
UNIVERSAL_KEYWORDS = frozenset(
    "out layout device pin_memory requires_grad generator memory_format names".split()
)

#: Views that move dimensions about.
PERMUTING = frozenset(
    "transpose permute t swapaxes swapdims movedim moveaxis adjoint rot90".split()
)

#: ``torch.zeros_like(x)`` and friends.
LIKE = frozenset("zeros_like ones_like empty_like rand_like randn_like full_like".split())

#: Factories that take ``requires_grad=`` and make floating-point tensors.
TAKES_REQUIRES_GRAD = frozenset(
    f"torch.{name}" for name in (*FACTORIES, *LIKE, "eye", "linspace", "logspace", "tensor")
)

#: Legacy constructors: dtype by class name.
LEGACY_TYPES = {
    "Tensor": None,
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "ShortTensor": "int16",
    "CharTensor": "int8",
    "ByteTensor": "uint8",
    "BoolTensor": "bool",
}

#: Functions that make a new tensor, without the graph of what they are given.
MAKE_ANEW = frozenset(
    {"torch.autograd.Variable", "torch.nn.Parameter"}
    | {f"torch.{name}" for name in (*LEGACY_TYPES, "tensor", "as_tensor", "from_numpy")}
    | {f"torch.cuda.{name}" for name in LEGACY_TYPES}
)

#: What takes a module, and nothing else, as its first argument and gives what that gives.
MODULE_WRAPPERS = frozenset({"torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel"})

#: Modules of which only the file that builds them can tell what they hold.
MODULE_CONTAINERS = MODULE_WRAPPERS | {
    "torch.nn.Sequential",
    "torch.nn.ModuleList",
    "torch.nn.ModuleDict",
}

#: Layers that give one tensor for one.
LAYERS = torch_layers.that("maps")
_WITH_WEIGHTS = torch_layers.that("weights")
#: Layers without parameters: of what is outside of any graph they make nothing else.
WITHOUT_PARAMETERS = LAYERS - _WITH_WEIGHTS
#: Layers whose output is always fresh memory, contiguous whatever a program of old gave them.
FRESH_LAYERS = torch_layers.that("lays")
#: Layers whose first argument is a tensor and nothing else.
TAKE_TENSORS = LAYERS | torch_layers.that("takes")

RECURRENT = frozenset({"RNN", "LSTM", "GRU"})
RECURRENT_CELLS = frozenset({"RNNCell", "GRUCell"})

#: Methods of a tensor that change nothing and return what is no tensor.
TENSOR_QUERIES: dict[str, Value] = {
    "numel": Number("int"),
    "nelement": Number("int"),
    "dim": Number("int"),
    "ndimension": Number("int"),
    "item": Number(),
    "data_ptr": Number("int"),
    "get_device": Number("int"),
    "is_contiguous": Number("bool"),
    "element_size": Number("int"),
}


def recurrent_output(
    cls: str,
    tensor: Value,
    batch_first: bool = True,
    state: Callable[[], Value | None] | None = None,
) -> Value:
    """What calling a recurrent layer of torch on ``tensor`` gives; ``cls`` is its bare name.

    Args:
        cls: the name of the layer: ``LSTM``.
        tensor: what it is given.
        batch_first: False for a layer that certainly has time in front.
        state: tells the state beside a sequence without a batch, where what comes of that is not
            known; a state comes out as it went in. None where it means what it means today.
    """
    # Without a batch, one dimension less; torch takes that since 1.11.
    alone = isinstance(tensor, Tensor) and tensor.ndim == (1 if cls.endswith("Cell") else 2)
    if cls in RECURRENT:
        given = state() if alone and state is not None else None
        ndim = 3 - alone
        hidden: Value = Tensor(ndim=ndim if given is None else ndim_of(given), contiguous=True)
        if isinstance(given, Nothing):
            hidden = NOTHING
        elif cls == "LSTM":
            hidden = sequence_of((hidden, hidden))
        output: Value = UNKNOWN
        if isinstance(tensor, Packed):
            output = tensor
        elif isinstance(tensor, Tensor):
            output = Tensor(
                ndim=ndim if given is None else None,
                contiguous=not batch_first,
                strided=batch_first,
                moved=batch_first,
            )
        return sequence_of((output, hidden))
    if cls in RECURRENT_CELLS:
        return Tensor(ndim=2 - alone, contiguous=True)
    if cls == "LSTMCell":
        part = Tensor(ndim=2 - alone, contiguous=True)
        return sequence_of((part, part))
    return UNKNOWN


def query_result(method: str, argument_count: int) -> Value | None:
    """What a tensor's query method returns (``x.size()``), or None if it is not one."""
    if method == "size":
        return Size() if argument_count == 0 else Number("int")
    if method == "stride":
        return Sequence(Number("int")) if argument_count == 0 else Number("int")
    if method == "type" and argument_count == 0:
        return Text()
    return TENSOR_QUERIES.get(method)


def scalar(grad: bool | None = None, dtype: str | None = None) -> Tensor:
    """A 0-dim tensor."""
    return replace(SCALAR, grad=grad, dtype=dtype)


MODULE_METHODS: dict[str, Value] = {"state_dict": StateDict()}

#: Classes that every tensor is of; ``Variable`` is another name since 0.4.
TENSOR_CLASSES = frozenset(
    "torch." + name
    for name in "Tensor _TensorBase tensor._TensorBase _C._TensorBase _C.TensorBase".split()
)

#: Classes that every tensor of a dtype on a device is of; no ``Variable`` was, up to 0.3.
TYPED_CLASSES = frozenset(
    f"{module}.{name}" for module in ("torch", "torch.cuda") for name in LEGACY_TYPES
) - {"torch.Tensor", "torch.cuda.Tensor"}

#: Functions of torch that return the module they are given.
RETURNS_ITS_MODULE = frozenset(
    "torch.nn.utils." + name
    for name in """weight_norm spectral_norm remove_weight_norm remove_spectral_norm
    parametrizations.weight_norm parametrizations.spectral_norm""".split()
)

#: Layers of torch whose ``weight`` and ``bias`` are parameters.
LAYERS_WITH_WEIGHTS = frozenset(f"torch.nn.{name}" for name in _WITH_WEIGHTS)

#: What a function of autograd is derived from.
FUNCTION_BASES = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})
#: The same with those that torch itself derives from it.
ALL_FUNCTION_BASES = FUNCTION_BASES | {"torch.autograd.function.InplaceFunction"}

#: Data sets of torchvision that keep all samples and labels as two tensors.
TENSOR_DATASETS = frozenset(
    "torchvision.datasets." + name for name in ("MNIST", "FashionMNIST", "KMNIST")
)
TENSOR_DATASET_ATTRIBUTES = frozenset(
    "data targets train_data train_labels test_data test_labels".split()
)


def may_be_parameter(name: str) -> bool:
    """Whether any layer of torch has a parameter of that name."""
    return name.startswith(("weight", "bias"))


def is_parameter(cls: str | None, name: str) -> bool:
    """Whether an attribute of a layer of torch is one of its parameters.

    Args:
        cls: the qualified name of the layer's class.
        name: the attribute.
    """
    if cls in LAYERS_WITH_WEIGHTS:
        return name in ("weight", "bias")
    bare = (cls or "").rpartition(".")[2].removesuffix("Cell")
    return bare in RECURRENT and name.startswith(("weight_ih", "weight_hh", "bias_ih", "bias_hh"))


def parameter_ndim(cls: str | None, name: str) -> int | None:
    """How many dimensions a parameter of a layer of torch has; None where that depends.

    >>> parameter_ndim("torch.nn.Conv2d", "weight"), parameter_ndim("torch.nn.LSTM", "bias_ih_l0")
    (4, 1)
    """
    bare = (cls or "").rpartition(".")[2]
    if name.startswith("bias"):
        return None if bare == "LayerNorm" else 1
    if bare.startswith("Conv"):
        return int(bare[-2]) + 2
    if bare.startswith(("BatchNorm", "InstanceNorm")):
        return 1
    return {"Bilinear": 3, "GroupNorm": 1, "PReLU": 1, "LayerNorm": None}.get(bare, 2)
