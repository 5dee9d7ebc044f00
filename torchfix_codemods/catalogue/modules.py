"""Modules and private names that torch took away."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Gone, Value

ROWS = (
    Value("torch._six.inf", "math.inf", gone="2.0"),
    Value("torch._six.string_classes", "(str, bytes)", gone="2.0"),
    Value("torch._six.int_classes", "int", gone="1.9"),
    Value("torch._six.container_abcs", "collections.abc", gone="1.9"),
    Gone("torch._six", "it held names for Python 2; use Python 3's own", gone="2.0"),
    Gone("torch.utils.ffi", "build extensions with torch.utils.cpp_extension", gone="1.0"),
)
