"""What a glance at the bytes of a file tells."""

from __future__ import annotations

import re

from torchfix_codemods.patterns import lazy_pattern

#: What tensors have, and not much else has.
_OF_TENSORS = lazy_pattern(
    rb"\.(?:(?:expand_as|view_as|unsqueeze|topk|masked_fill_?|masked_select|index_select|backward"
    rb"|data\.(?:cpu|cuda|numpy))\(|data\[0\])"
)

#: Frameworks whose arrays have some of it, too.
_OTHER_FRAMEWORK = lazy_pattern(
    rb"^\s*(?:import|from)\s+(?:chainer|dynet|jittor|mindspore|mxnet|oneflow|paddle|tinygrad)\b",
    re.MULTILINE,
)

#: Names that are gone from other libraries. What a model's code imports fails with it.
_OF_OTHER_LIBRARIES = lazy_pattern(
    rb"\b(?:(?:np|numpy)\.(?:int0?|float_?|bool8?|object|complex_?|str|long|math|NaN|NAN|Inf"
    rb"|asscalar|Infinity|infty|[PN]INF|(?:cum)?product|alltrue|sometrue|in1d|trapz|msort"
    rb"|asfarray|lib\.pad)"
    rb"|collections\.(?:Callable|Iterable|Iterator|Mapping|MutableMapping|Sequence|Set)"
    rb"|Image\.ANTIALIAS|scipy\.misc|scipy\.signal|scipy\.integrate|binom_test"
    rb"|skimage\.measure)\b"
)


def takes_tensors(data: bytes) -> bool:
    """Whether a file that does not speak of torch may get tensors: it need not import torch."""
    return _OF_TENSORS.search(data) is not None and _OTHER_FRAMEWORK.search(data) is None


def speaks_of_libraries(data: bytes) -> bool:
    """Whether a file uses what other libraries have no more: whatever imports it fails."""
    return _OF_OTHER_LIBRARIES.search(data) is not None


def may_serve_torch(data: bytes) -> bool:
    """Whether a file that does not speak of torch may be rewritten, if others use it with torch."""
    return takes_tensors(data) or speaks_of_libraries(data) or b"patch(" in data
