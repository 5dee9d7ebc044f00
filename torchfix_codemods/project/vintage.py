"""For which torch a whole project was written, where its files say so together."""

from __future__ import annotations

import ast
import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.facts.age.ages import NOTHING_KEPT, Kept
from torchfix_codemods.facts.age.era import Era, last_release
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.project.paths import project_root

if TYPE_CHECKING:
    from torchfix_codemods.facts.module import Facts
    from torchfix_codemods.project.asked import ProjectFiles

_OLD = (0, 3)

#: What only code for torch 0.3 and older is written with, the rarest in newer code first.
_OLD_WORDS = (
    lazy_pattern(rb"\bvolatile\s*=|\bretain_variables\b|\b(?:data|target)_tensor\s*="),
    lazy_pattern(rb"\.(?:data|numpy\(\))\[0\]|\btorch\.(?:legacy|utils\.ffi)\b"),
)

#: What may be of torch 0.4 or later. One such word in the project is enough to say nothing.
_NEW_WORDS = tuple(
    word.encode()
    for word in """
        no_grad( enable_grad( set_grad_enabled( is_grad_enabled( inference_mode( align_corners
        .item() .to( requires_grad_( new_zeros( new_ones( new_tensor( new_full(
        new_empty( xavier_uniform_( xavier_normal_( kaiming_uniform_( kaiming_normal_(
        clip_grad_norm_( clip_grad_value_( F.interpolate functional.interpolate
        F.one_hot functional.one_hot F.gelu functional.gelu F.silu functional.silu""".split()
)
#: A line of code that was taken out: on another torch it was tried, but what runs is beside it.
_COMMENTS = lazy_pattern(rb"(?m)^[ \t]*#.*")
_LIBRARIES = "cv2 matplotlib np numpy scipy skimage tensorflow tf".split()

# Each begins with letters that are looked for first, which is fast. ``torch.tensor.`` is the module
# that had the name until 0.3: the function has nothing below it.
_NEW_FORMS = (
    lazy_pattern(
        rb"torch\.(?:device|tensor(?!\.)|where|empty|full|argm(?:ax|in)|\w+_like|isnan|einsum|reshape|flip"
        rb"|logsumexp|bool|int64|long|float32|float|jit|compile|hub|amp|linalg|strided"
        rb"|utils\.tensorboard|distributed\.(?:elastic|fsdp))\b"
    ),
    lazy_pattern(rb"init\.\w+_\("),
    lazy_pattern(rb"import (?:interpolate|one_hot|gelu|silu|no_grad)\b"),
    # Which torch it is may be asked, but not: which OpenCV, or ``__version__ = "0.1"``.
    lazy_pattern(
        b"__version__"
        + b"".join(rb"(?<!\b%b\.__version__)" % library.encode() for library in _LIBRARIES)
        + rb"(?!\s*=(?!=))"
    ),
)

#: Keywords of torch that are others' words, too.
_NEW_KEYWORDS = (
    lazy_pattern(rb"reduction(?<!\wreduction)\s*="),
    lazy_pattern(rb"device(?<!\wdevice)="),
    lazy_pattern(rb"dtype\s*=\s*torch\b"),
)

_KEYWORDS = frozenset({"reduction", "device", "dtype"})


def project_era(path: Path, index: ProjectFiles) -> Era:
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


def _find_era(root: Path, index: ProjectFiles) -> Era:
    with_torch = []
    found: Era | None = None
    for file in sorted(index.texts.files_below(root)):
        data = index.read(file)
        if b"torch" not in data:
            continue
        known = _known(file, data, index)
        if known.era.newest is not None and known.era.before((0, 4)):
            found = found or _shown_by(known.era, file, root)
        data = _without(known.written, data)
        if _may_be_newer(_run(file, data)) or _is_newer(file, data, index):
            return Era()
        with_torch.append((file, data))
    if found is not None:
        return found
    for words in _OLD_WORDS:
        for file, data in with_torch:
            if file.endswith(".py") and words.search(data) is not None:
                evidence = _evidence(file, root, index)
                if evidence:
                    return Era(None, _OLD, (evidence,), is_shown_beside=True)
    return Era()


def _run(file: str, data: bytes) -> bytes:
    """A text without what is commented out; of notebooks all lines count."""
    return _COMMENTS.sub(b"", data) if file.endswith(".py") else data


def _may_be_newer(data: bytes) -> bool:
    return any(word in data for word in _NEW_WORDS) or any(
        form.search(data) is not None for form in _NEW_FORMS
    )


def _known(file: str, data: bytes, index: ProjectFiles) -> Kept:
    """What an earlier run knew of a file."""
    if index.notes is None:
        return NOTHING_KEPT
    return index.kept_ages(Path(file), data.decode("utf-8", "replace"))


def _shown_by(era: Era, file: str, root: Path) -> Era:
    shown = next(iter(era.evidence), "an earlier run")
    return Era(None, _OLD, (f"{os.path.relpath(file, root)}: {shown}",), is_shown_beside=True)


def _without(lines: Collection[int], data: bytes) -> bytes:
    """A text without certain lines."""
    if not lines:
        return data
    kept = (x for n, x in enumerate(data.splitlines(keepends=True), 1) if n not in lines)
    return b"".join(kept)


def _is_newer(file: str, data: bytes, index: ProjectFiles) -> bool:
    """Whether a keyword that came later is given to a function of torch: others have such, too."""
    if not any(form.search(data) is not None for form in _NEW_KEYWORDS):
        return False
    facts = index.facts(Path(file)) if file.endswith(".py") else None
    return facts is None or any(
        _may_be_of_torch(call, facts)
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call) and any(k.arg in _KEYWORDS for k in call.keywords)
    )


def _may_be_of_torch(call: ast.Call, facts: Facts) -> bool:
    """Whether a call may be one of torch's: no function of the project's own."""
    name = facts.name(call.func)
    if name is not None:
        return name.startswith("torch") and facts.clues.newer is not None
    function = call.func
    return not isinstance(function, ast.Name) or function.id not in facts.names.defined


def _evidence(file: str, root: Path, index: ProjectFiles) -> str:
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
