"""What torch's callables return: a table of kinds, and the few lines that read it.

The names are those of torch's public API, old and new; the same entry serves ``torch.relu(x)``,
``F.relu(x)`` and ``x.relu()``, because their results follow from the same input tensor.
"""

from __future__ import annotations

from dataclasses import replace

from torchfix_codemods.facts.values import (
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

#: Functions that make a tensor from values or ranges, with the number of dimensions they fix.
MAKERS: dict[str, int | None] = {
    "tensor": None,
    "as_tensor": None,
    "from_numpy": None,
    "arange": 1,
    "range": 1,
    "linspace": 1,
    "logspace": 1,
    "randperm": 1,
    "eye": 2,
    "randint": None,
    "normal": None,
    "one_hot": None,
}

#: ``torch.zeros_like(x)`` and friends.
LIKE = frozenset("zeros_like ones_like empty_like rand_like randn_like full_like".split())

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

#: Among them those whose result is contiguous whatever the input was.
ALWAYS_CONTIGUOUS = frozenset(
    "softmax log_softmax softmin gumbel_softmax layer_norm cumsum cumprod tril triu".split()
)

#: Element-wise with broadcasting between two tensors.
BROADCAST = frozenset("add sub mul div addcmul addcdiv lerp max min where atan2".split())

#: Element-wise with a number, broadcasting with a tensor.
BROADCAST_WITH_TENSOR = frozenset(
    "pow pow_ fmod fmod_ remainder remainder_ add_ sub_ mul_ div_".split()
)

COMPARISONS = frozenset("eq ne gt lt ge le equal_".split())

#: Reductions: 0-dim without a dim argument.
REDUCTIONS = frozenset("sum mean prod std var norm logsumexp all any argmax argmin".split())

#: Reductions that return (values, indices) with a dim argument, 0-dim without.
PAIR_REDUCTIONS = frozenset("max min median mode kthvalue cummax cummin".split())
PAIRS = frozenset("sort topk".split())

#: Results with a fixed number of dimensions, freshly allocated.
FRESH_NDIM: dict[str, int] = {
    "mm": 2,
    "addmm": 2,
    "addmm_": 2,
    "bmm": 3,
    "baddbmm": 3,
    "mv": 1,
    "addmv": 1,
    "ger": 2,
    "outer": 2,
    "addr": 2,
    "dot": 0,
    "conv1d": 3,
    "conv2d": 4,
    "conv3d": 5,
    "conv_transpose1d": 3,
    "conv_transpose2d": 4,
    "conv_transpose3d": 5,
    "max_pool1d": 3,
    "max_pool2d": 4,
    "max_pool3d": 5,
    "avg_pool1d": 3,
    "avg_pool2d": 4,
    "avg_pool3d": 5,
    "adaptive_avg_pool1d": 3,
    "adaptive_avg_pool2d": 4,
    "adaptive_avg_pool3d": 5,
    "adaptive_max_pool1d": 3,
    "adaptive_max_pool2d": 4,
    "adaptive_max_pool3d": 5,
    "masked_select": 1,
    "pixel_shuffle": 4,
    "grid_sample": 4,
    "affine_grid": 4,
    "trace": 0,
    "dist": 0,
    "det": 0,
    "grid_sampler": 4,
}

#: Fresh results whose number of dimensions is that of their first tensor.
FRESH_SAME = frozenset(
    """linear cat concat interpolate upsample upsample_bilinear upsample_nearest index_select
    gather take_along_dim cross histc multinomial_ bilinear""".split()
)

#: Views, or copies of another layout: nothing is known about their contiguity.
VIEWS = frozenset(
    """transpose transpose_ t t_ permute narrow select unfold expand expand_as split_ diagonal
    diag swapaxes movedim moveaxis view_as_real squeeze_ rot90 matmul""".split()
)

#: Operations whose further arguments are sizes, dimensions, types or indices: the history of the
#: result is that of their one tensor.
ONE_TENSOR = VIEWS | frozenset(
    """view reshape view_as reshape_as repeat flatten contiguous unsqueeze unsqueeze_ squeeze chunk
    split unbind expand expand_as clone detach detach_ cuda cpu to float double half long int byte
    short char bool type type_as pin_memory sum mean prod std var norm argmax argmin sort topk
    cumsum cumprod softmax log_softmax softmin gather index_select masked_select multinomial
    bernoulli zero_ fill_ normal_ uniform_ random_ resize_ resize_as_ relu sigmoid tanh exp log
    sqrt abs neg floor ceil round sign clamp dropout flip nonzero tril triu cat stack
    kthvalue mode median logsumexp all any eq ne gt lt ge le""".split()
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
    index_select index_add_ scatter_ scatter gather bmm mm addmm baddbmm requires_grad_ zero_
    fill_ normal_ uniform_ bernoulli_ add_ mul_ sub_ div_ clamp_ copy_ masked_select narrow
    log_softmax squeeze_ t_ numel expand log_ exp_ sigmoid_ tanh_ is_contiguous data_ptr new_zeros
    new_ones new_full new_empty new_tensor sigmoid topk""".split()
)

#: Layers by class: the number of dimensions of their (batched) output; "same" as the input.
LAYERS: dict[str, int | str] = {
    **dict.fromkeys(["Conv1d", "ConvTranspose1d"], 3),
    **dict.fromkeys(["Conv2d", "ConvTranspose2d", "PixelShuffle"], 4),
    **dict.fromkeys(["Conv3d", "ConvTranspose3d"], 5),
    **dict.fromkeys(["MaxPool1d", "AvgPool1d", "AdaptiveAvgPool1d", "AdaptiveMaxPool1d"], 3),
    **dict.fromkeys(["MaxPool2d", "AvgPool2d", "AdaptiveAvgPool2d", "AdaptiveMaxPool2d"], 4),
    **dict.fromkeys(["MaxPool3d", "AvgPool3d", "AdaptiveAvgPool3d", "AdaptiveMaxPool3d"], 5),
    **dict.fromkeys(
        "Upsample UpsamplingNearest2d UpsamplingBilinear2d ReflectionPad2d ReplicationPad2d "
        "ZeroPad2d ConstantPad2d".split(),
        4,
    ),
    **dict.fromkeys(
        """Linear ReLU ReLU6 ELU SELU LeakyReLU PReLU RReLU Sigmoid Tanh Hardtanh Softplus Softsign
        Softmax LogSoftmax Softmin Softmax2d LogSigmoid Threshold Dropout Dropout2d Dropout3d
        AlphaDropout BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d
        InstanceNorm3d LayerNorm GroupNorm LocalResponseNorm GELU SiLU""".split(),
        "same",
    ),
}
#: Layers whose output is always a fresh, contiguous tensor, whatever the input was.
FRESH_LAYERS = frozenset(name for name, ndim in LAYERS.items() if ndim != "same") | frozenset(
    "Linear Embedding Bilinear Softmax LogSoftmax Softmin LayerNorm".split()
)

RECURRENT = frozenset({"RNN", "LSTM", "GRU"})
RECURRENT_CELLS = frozenset({"RNNCell", "GRUCell"})

DTYPE_METHODS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
}

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


def combine_grad(tensors: list[Tensor]) -> bool | None:
    """The result of an operation has no history when none of its inputs has one."""
    return False if tensors and all(t.grad is False for t in tensors) else None


def layer_output(cls: str, tensor: Value, batch_first: bool = True) -> Value:
    """What calling a layer of torch on ``tensor`` gives; ``cls`` is the class's bare name.

    ``batch_first`` is False for a recurrent layer that certainly has time in front.
    """
    source = tensor if isinstance(tensor, Tensor) else Tensor()
    if cls in LAYERS:
        ndim = LAYERS[cls]
        fresh = cls in FRESH_LAYERS
        return Tensor(
            # A single sample without its batch dimension stays one.
            ndim=source.ndim if isinstance(ndim, str) or source.ndim is not None else ndim,
            contiguous=fresh or source.contiguous,
        )
    if cls == "Embedding":
        return Tensor(ndim=None if source.ndim is None else source.ndim + 1, contiguous=True)
    if cls in RECURRENT:
        ndim = 3 if source.ndim is None else source.ndim
        hidden: Value = Tensor(ndim=ndim, contiguous=True)
        if cls == "LSTM":
            hidden = sequence_of((hidden, hidden))
        output: Value = UNKNOWN
        if isinstance(tensor, Packed):
            output = tensor
        elif isinstance(tensor, Tensor):
            output = Tensor(ndim=ndim, contiguous=not batch_first)
        return sequence_of((output, hidden))
    if cls in RECURRENT_CELLS:
        return Tensor(ndim=2, contiguous=True)
    if cls == "LSTMCell":
        return sequence_of((Tensor(ndim=2, contiguous=True), Tensor(ndim=2, contiguous=True)))
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

#: Data sets of torchvision that keep all samples and labels as two tensors.
TENSOR_DATASETS = frozenset(
    "torchvision.datasets." + name for name in ("MNIST", "FashionMNIST", "KMNIST")
)
TENSOR_DATASET_ATTRIBUTES = frozenset(
    "data targets train_data train_labels test_data test_labels".split()
)
