"""For which torch a whole project was written, where its files say so together."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.facts.era import Era, last_release
from torchfix_codemods.project.paths import project_root, python_files

if TYPE_CHECKING:
    from torchfix_codemods.project.index import Index

_OLD = (0, 3)

#: What only code for torch 0.3 and older is written with, the rarest in newer code first.
_OLD_WORDS = (
    re.compile(rb"\bvolatile\s*=|\bretain_variables\b|\b(?:data|target)_tensor\s*="),
    re.compile(rb"\.data\[0\]|\btorch\.(?:legacy|utils\.ffi)\b"),
)

#: What may be of torch 0.4 or later. One such word in the project is enough to say nothing.
_NEW_WORDS = re.compile(
    rb"""
      \b(?:no_grad | enable_grad | set_grad_enabled | inference_mode | align_corners
         | is_grad_enabled | __version__ )\b
    | \.(?:item\(\) | to\( | requires_grad_\( | new_(?:zeros|ones|tensor|full|empty)\()
    | \b(?:xavier|kaiming)_(?:uniform|normal)_\( | \binit\.\w+_\( | \bclip_grad_(?:norm|value)_\(
    | \breduction\s*= | \bdevice= | \bdtype\s*=\s*torch\b
    | \btorch\.(?:device|tensor|where|empty|full|argm(?:ax|in)|\w+_like|isnan|einsum|reshape|flip
         | logsumexp|bool|int64|long|float32|float|jit|compile|hub|amp|linalg|strided)\b
    | \b(?:torch|functional|F)[ .]+(?:import[ ]+)?(?:interpolate|one_hot|gelu|silu)\b
    | \btorch\.(?:utils\.tensorboard|distributed\.(?:elastic|fsdp))\b
    """,
    re.VERBOSE,
)


def project_era(path: Path, index: Index) -> Era:
    """The torch that the project of a file was written for, as its other files show it.

    A project runs on one torch. Where a file of it is certainly written for 0.3 or older, and no
    file holds a word that may be newer, those that nothing dates are as old.

    Args:
        path: the file.
        index: the project.

    Returns:
        ``0.3 at most``, or nothing.
    """
    root = project_root(path.parent)
    if root not in index.vintages:
        index.vintages[root] = _find_era(root, index)
    return index.vintages[root]


def _find_era(root: Path, index: Index) -> Era:
    with_torch = []
    for file in sorted(python_files(root) or ()):
        data = index.read(file)
        if b"torch" in data:
            if _NEW_WORDS.search(data) is not None:
                return Era()
            with_torch.append((file, data))
    for words in _OLD_WORDS:
        for file, data in with_torch:
            if file.endswith(".py") and words.search(data) is not None:
                evidence = _evidence(file, root, index)
                if evidence:
                    return Era(None, _OLD, (evidence,), is_shown_beside=True)
    return Era()


def _evidence(file: str, root: Path, index: Index) -> str:
    """What shows that a file is as old; empty where nothing does for certain."""
    facts = index.facts(Path(file))
    if facts is None:
        return ""
    clues = facts.clues
    if clues.newer is not None or clues.older is None:
        return ""
    if last_release(_OLD) < clues.older.until:
        return ""
    return clues.older.at(f"{os.path.relpath(file, root)}:{clues.older.line}")
