"""What a glance at the bytes of a file tells."""

from __future__ import annotations

import re

#: What of all things only tensors have. A module that gets some need not import torch.
OF_TENSORS = re.compile(
    rb"\.(?:expand_as|view_as|unsqueeze|topk|masked_fill_?|masked_select|index_select)\("
)
