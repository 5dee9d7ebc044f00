"""What torch was built with, and how it computes."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Gone

ROWS = (
    Gone("torch.has_mlc", "torch has no backend of that name any more", gone="1.12"),
    Gone(
        "torch.backends.cudnn.libpaths",
        "drop the line, torch finds the cuDNN that it was built with",
        gone="0.2",
    ),
    Gone(
        "torch.backends.cuda.sdp_kernel",
        "write `with torch.nn.attention.sdpa_kernel(...)` with the backends that may be used",
        tor="TOR101",
    ),
)
