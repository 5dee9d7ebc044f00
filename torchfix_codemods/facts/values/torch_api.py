"""What torch's callables return where the generated table cannot say it, and sets of their names.

The table (``torch_table.json``) is made from today's torch; here stand the names that are gone,
what depends on devices or files, and the conventions of old programs.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from torchfix_codemods.facts.libraries.torch_table import Form, parse
from torchfix_codemods.facts.values.lattice import (
    SCALAR,
    UNKNOWN,
    Number,
    Packed,
    Sequence,
    Size,
    StateDict,
    Tensor,
    Text,
    Value,
    sequence_of,
)

#: Functions that make a tensor from sizes: ``torch.zeros(2, 3)``.
FACTORIES = frozenset("zeros ones empty rand randn full".split())

#: Functions that make a tensor from values or ranges.
MAKERS = frozenset(
    """tensor as_tensor from_numpy arange range linspace logspace randperm eye randint normal
    one_hot""".split()
)

#: Functions and methods that the table leaves out, in its language, or calls it leaves out.
OLD: dict[str, str] = {
    # These need a device, a process or a back end.
    "torch.Tensor.cuda": "input:T,device:o=None,non_blocking:b=False,async:b=False"
    " > input input = s v ginput",
    "torch.Tensor.cpu": "input:T > input input = s v",
    "torch.Tensor.pin_memory": "input:T > input input = s v",
    "torch.Tensor.share_memory_": "input:T > input input = s i",
    "torch.Tensor.apply_": "input:T,callable:o > input input = s i",
    "torch.Tensor.map_": "input:T,tensor:T,callable:o > input input = s i",
    "torch.Tensor.as_strided": "input:T,size:Z,stride:Z,storage_offset:i=None > #size input ? v",
    "torch.Tensor.backward": "input:T,gradient:o=None,retain_graph:o=None,create_graph:o=None"
    " > none",
    "torch.Tensor.retain_grad": "input:T > none",
    # Their memory is grown, and what else refers to it is not known.
    "torch.Tensor.resize_": "input:T,sizes:Z > #sizes input ? i | "
    "input:T,sizes:V > #sizes input ? i",
    "torch.Tensor.resize_as_": "input:T,other:T > other input ? ginput i",
    # The equation says what comes out.
    "torch.einsum": "equation:s,operands:W > ? ? ?",
    "torch.cross": "input:T,other:T,dim:i=None > ^ ^ = s",
    "torch.nn.functional.grid_sample": "input:T,grid:T,mode:s='bilinear',padding_mode:s='zeros',"
    "align_corners:b=None > input input c u4",
    "torch.nn.functional.affine_grid": "theta:T,size:Z,align_corners:b=None > #size theta c",
    "torch.nn.functional.embedding_bag": "input:T,weight:T,offsets:T=None,max_norm:n=None,"
    "norm_type:n=2,scale_grad_by_freq:b=False,mode:s='mean',sparse:b=False > 2 weight c",
    "torch.sparse.mm": "input:T,mat2:T > 2 ? ?",
    "torch.sparse.sum": "input:T,dim:I=None~n,dtype:d=None > 0 ? ?",
    # One number was drawn until torch 0.3 where none was asked for.
    **dict.fromkeys(
        ("torch.multinomial", "torch.Tensor.multinomial"),
        "input:T,num_samples:i=1,replacement:b=False > input int64 c n s",
    ),
    # Gone from torch.
    "torch.symeig": "input:T,eigenvectors:b=False,upper:b=True > (input-1 input ?, input input ?)",
    "torch.eig": "input:T,eigenvectors:b=False > (2 input ?, 2 input ?)",
    "torch.gels": "input:T,A:T > (2 input ?, 2 input ?)",
    "torch.lstsq": "input:T,A:T > (2 input ?, 2 input ?)",
    # A vector on the right side counts as a column.
    "torch.gesv": "input:T,A:T > (A A ?, A A ?)",
    "torch.solve": "input:T,A:T > (A A ?, A A ?)",
    "torch.trtrs": "input:T,A:T,upper:b=True,transpose:b=False,unitriangular:b=False > "
    "(A A ?, A A ?)",
    "torch.potrf": "input:T,upper:b=True > 2 input ?",
    "torch.potri": "input:T,upper:b=True > 2 input ?",
    "torch.potrs": "input:T,input2:T,upper:b=True > 2 input ?",
    "torch.matrix_rank": "input:T,tol:n=None,symmetric:b=False > 0 int64 c n",
    "torch.nn.functional.grid_sampler": "input:T,grid:T,mode:s='bilinear' > input input c u4",
}
for _name in ("symeig", "eig", "gels", "lstsq", "gesv", "solve", "trtrs", "potrf", "cross"):
    OLD["torch.Tensor." + _name] = OLD["torch." + _name]

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

#: Same number of dimensions as the input; contiguous when the input is.
SAME_SHAPE = frozenset(
    """relu relu_ relu6 elu elu_ selu celu gelu silu leaky_relu leaky_relu_ prelu rrelu hardtanh
    threshold softplus softsign softmax log_softmax softmin logsigmoid gumbel_softmax hardshrink
    tanhshrink softshrink sigmoid sigmoid_ tanh tanh_ exp exp_ log log_ log1p log2 log10 sqrt
    sqrt_ rsqrt abs abs_ neg neg_ reciprocal floor ceil round trunc frac sign sin cos tan asin
    acos atan sinh cosh erf erfinv clamp clamp_ clamp_min clamp_max pow pow_ dropout dropout2d
    dropout3d alpha_dropout feature_dropout batch_norm instance_norm layer_norm group_norm
    local_response_norm normalize clone cumsum cumprod fill_ zero_ normal_ uniform_ bernoulli
    bernoulli_ random_ exponential_ log_normal_ cauchy_ geometric_ copy_ masked_fill masked_fill_
    index_fill index_fill_ index_add_ index_add index_copy index_copy_ scatter scatter_ scatter_add
    scatter_add_ masked_scatter masked_scatter_ renorm flip roll detach detach_ add_ sub_ mul_ div_
    lerp lerp_ addcmul_ addcdiv_ requires_grad_ tril triu pad floor_ ceil_ round_ erfinv_
    where_ fmod remainder fmod_ remainder_ cuda cpu to float double half long int byte
    short char bool type type_as pin_memory nan_to_num square deg2rad""".split()
)

#: ``x.new_zeros(2)`` and friends: a fresh tensor of the type of x.
NEW_METHODS = frozenset("new_zeros new_ones new_empty new_full new_tensor".split())

#: Losses of ``torch.nn.functional``: 0-dim unless the reduction is switched off.
FUNCTIONAL_LOSSES = frozenset(
    """nll_loss cross_entropy binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss
    smooth_l1_loss kl_div poisson_nll_loss gaussian_nll_loss cosine_embedding_loss
    margin_ranking_loss hinge_embedding_loss multilabel_margin_loss soft_margin_loss
    multilabel_soft_margin_loss multi_margin_loss triplet_margin_loss huber_loss ctc_loss
    triplet_margin_with_distance_loss""".split()
)

#: What takes a module, and nothing else, as its first argument and gives what that gives.
MODULE_WRAPPERS = frozenset({"torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel"})

LOSSES = frozenset(
    "torch.nn." + name
    for name in """L1Loss NLLLoss NLLLoss2d PoissonNLLLoss GaussianNLLLoss KLDivLoss MSELoss BCELoss
    BCEWithLogitsLoss CosineEmbeddingLoss MarginRankingLoss HingeEmbeddingLoss MultiLabelMarginLoss
    SoftMarginLoss SmoothL1Loss HuberLoss CrossEntropyLoss MultiLabelSoftMarginLoss MultiMarginLoss
    TripletMarginLoss TripletMarginWithDistanceLoss CTCLoss""".split()
)

#: Methods of a tensor that no other common object has: using one is evidence of a tensor.
TENSOR_ONLY_METHODS = frozenset(
    """unsqueeze unsqueeze_ permute contiguous expand_as view_as type_as masked_fill masked_fill_
    index_select index_add_ scatter_ scatter gather bmm mm addmm baddbmm zero_
    fill_ normal_ uniform_ bernoulli_ add_ mul_ sub_ div_ clamp_ copy_ masked_select narrow
    log_softmax squeeze_ t_ numel expand log_ exp_ sigmoid_ tanh_ is_contiguous data_ptr new_zeros
    new_ones new_full new_empty new_tensor sigmoid topk addmm_ addmv addmv_ addr addr_ baddbmm_
    addbmm addbmm_ addcmul addcmul_ addcdiv addcdiv_""".split()
)

#: Layers that give one tensor for one.
LAYERS = frozenset(
    """Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d PixelShuffle MaxPool1d
    MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d
    AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d Upsample
    UpsamplingNearest2d UpsamplingBilinear2d ReflectionPad2d ReplicationPad2d ZeroPad2d
    ConstantPad2d Linear ReLU ReLU6 ELU SELU LeakyReLU PReLU RReLU Sigmoid Tanh Hardtanh
    Softplus Softsign Softmax LogSoftmax Softmin Softmax2d LogSigmoid Threshold
    Dropout Dropout2d Dropout3d AlphaDropout
    BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm
    GroupNorm LocalResponseNorm GELU SiLU""".split()
)
#: Layers that have parameters, or may have some: what they give may be part of a graph.
_WITH_PARAMETERS = frozenset(
    """Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Linear PReLU BatchNorm1d
    BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm
    GroupNorm""".split()
)
#: Layers without any: of what is outside of any graph they make nothing else.
WITHOUT_PARAMETERS = LAYERS - _WITH_PARAMETERS
#: Layers whose output is always fresh memory, contiguous whatever a program of old gave them.
FRESH_LAYERS = frozenset(
    """Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d PixelShuffle MaxPool1d
    MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d
    AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d Upsample
    UpsamplingNearest2d UpsamplingBilinear2d ReflectionPad2d ReplicationPad2d ZeroPad2d
    ConstantPad2d Linear Embedding Bilinear Softmax LogSoftmax Softmin LayerNorm""".split()
)

#: Layers whose first argument is a tensor and nothing else.
TAKE_TENSORS = LAYERS | frozenset("Embedding EmbeddingBag Bilinear CosineSimilarity".split())

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


@functools.cache
def forms_of_old(name: str) -> tuple[Form, ...]:
    """The forms of what the generated table leaves out; none for unknown names."""
    line = OLD.get(name)
    return () if line is None else parse(line)


def recurrent_output(cls: str, tensor: Value, batch_first: bool = True) -> Value:
    """What calling a recurrent layer of torch on ``tensor`` gives; ``cls`` is its bare name.

    ``batch_first`` is False for a layer that certainly has time in front.
    """
    # Without a batch, one dimension less; torch takes that since 1.11.
    alone = isinstance(tensor, Tensor) and tensor.ndim == (1 if cls.endswith("Cell") else 2)
    if cls in RECURRENT:
        hidden: Value = Tensor(ndim=3 - alone, contiguous=True)
        if cls == "LSTM":
            hidden = sequence_of((hidden, hidden))
        output: Value = UNKNOWN
        if isinstance(tensor, Packed):
            output = tensor
        elif isinstance(tensor, Tensor):
            output = Tensor(ndim=3 - alone, contiguous=not batch_first, strided=batch_first)
        return sequence_of((output, hidden))
    if cls in RECURRENT_CELLS:
        return Tensor(ndim=2 - alone, contiguous=True)
    if cls == "LSTMCell":
        state = Tensor(ndim=2 - alone, contiguous=True)
        return sequence_of((state, state))
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
#: Methods of a Module that return the module itself.
MODULE_FLUENT = frozenset(
    "cuda cpu to float double half train eval apply requires_grad_ type share_memory".split()
)

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
LAYERS_WITH_WEIGHTS = frozenset(
    "torch.nn." + name
    for name in """Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
    ConvTranspose3d BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d
    InstanceNorm3d LayerNorm GroupNorm Embedding EmbeddingBag PReLU""".split()
)

#: What a function of autograd is derived from.
FUNCTION_BASES = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})

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
