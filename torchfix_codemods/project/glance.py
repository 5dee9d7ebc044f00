"""What a glance at the bytes of a file tells."""

from __future__ import annotations

import re

#: What of all things only tensors have. A module that gets some need not import torch.
OF_TENSORS = re.compile(
    rb"\.(?:(?:expand_as|view_as|unsqueeze|topk|masked_fill_?|masked_select|index_select|backward"
    rb"|data\.(?:cpu|cuda|numpy))\(|data\[0\])"
)

#: Names that are gone from other libraries. What a model's code imports fails with it.
OF_OTHER_LIBRARIES = re.compile(
    rb"\b(?:(?:np|numpy)\.(?:int|float|bool|object|complex|str|long|math|NaN|NAN|Inf|asscalar)"
    rb"|collections\.(?:Callable|Iterable|Iterator|Mapping|MutableMapping|Sequence|Set)"
    rb"|Image\.ANTIALIAS|scipy\.misc|skimage\.measure)\b"
)
