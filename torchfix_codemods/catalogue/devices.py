"""Names of `torch.cuda`."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Name

_MEMORY = {
    "memory_cached": "memory_reserved",
    "max_memory_cached": "max_memory_reserved",
    "reset_max_memory_cached": "reset_peak_memory_stats",
    "reset_max_memory_allocated": "reset_peak_memory_stats",
}

ROWS = tuple(
    Name(f"{module}.{old}", f"{module}.{new}", rule="TP208", since="1.4", warns=True)
    for module in ("torch.cuda", "torch.cuda.memory")
    for old, new in _MEMORY.items()
)
