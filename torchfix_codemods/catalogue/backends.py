"""What torch was built with, and how it computes."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Gone, Name, Value

ROWS = (
    Value("torch.has_cuda", "torch.backends.cuda.is_built()", since="1.5"),
    Value("torch.has_cudnn", "torch.backends.cudnn.is_available()"),
    Value("torch.has_mkldnn", "torch.backends.mkldnn.is_available()", since="1.4"),
    Value("torch.has_mps", "torch.backends.mps.is_built()", since="1.12"),
    Gone("torch.has_mlc", "torch has no backend of that name any more", gone="1.12"),
    Name("torch.set_deterministic", "torch.use_deterministic_algorithms", since="1.8", gone="1.10"),
    Name(
        "torch.is_deterministic",
        "torch.are_deterministic_algorithms_enabled",
        since="1.8",
        gone="1.10",
    ),
    Arguments(
        ("torch.use_deterministic_algorithms",),
        renames={"d": "mode"},
        since="1.9",
        gone="1.9",
    ),
    Gone(
        "torch.backends.cuda.sdp_kernel",
        "write `with torch.nn.attention.sdpa_kernel(...)` with the backends that may be used",
        tor="TOR101",
    ),
)
