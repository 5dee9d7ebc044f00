"""What a ``DataLoader`` makes its batches with."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, constant, keyword_names
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.values.lattice import Loader

_TORCHS = ("torch.utils.data.default_collate", "torch.utils.data._utils.collate.default_collate")


def loader_of(names: Names, call: ast.Call) -> Loader:
    """The value of ``DataLoader(…)``, as far as its arguments say how it collates."""
    own = {"collate_fn", "batch_size", None} & keyword_names(names, call)
    given = argument(call, 6, "collate_fn")
    is_torchs = given is None or constant(given) is None or names.name(given) in _TORCHS
    size = argument(call, 1, "batch_size")
    # Without a size each sample comes as it is.
    is_batched = size is None or not (isinstance(size, ast.Constant) and size.value is None)
    stacks = own <= {"batch_size"} and given is None and is_batched
    return Loader(stacks=stacks, has_own=not is_torchs)
