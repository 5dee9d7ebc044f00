"""Which arguments of torch's layers are whole numbers, or several of them: a float raises there."""

from __future__ import annotations

#: How many of the arguments of a layer, from the first one on, are whole numbers.
LAYERS = {
    **{f"Conv{n}d": 7 for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": 7 for n in (1, 2, 3)},
    **{f"BatchNorm{n}d": 1 for n in (1, 2, 3)},
    **{f"MaxPool{n}d": 4 for n in (1, 2, 3)},
    **{f"AvgPool{n}d": 3 for n in (1, 2, 3)},
    **{f"Adaptive{kind}Pool{n}d": 1 for kind in ("Avg", "Max") for n in (1, 2, 3)},
    **dict.fromkeys(("ReflectionPad2d", "ReplicationPad2d", "ZeroPad2d", "ConstantPad2d"), 1),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), 3),
    **dict.fromkeys(("LSTMCell", "GRUCell", "RNNCell", "Linear", "Embedding", "GroupNorm"), 2),
    "Bilinear": 3,
    "LayerNorm": 1,
    "PixelShuffle": 1,
}
#: The names of these, here and in functions.
KEYWORDS = frozenset(
    """in_channels out_channels kernel_size stride padding dilation groups output_padding
    in_features out_features in1_features in2_features num_features num_groups num_channels
    normalized_shape num_embeddings embedding_dim input_size hidden_size num_layers output_size
    upscale_factor""".split()
)
