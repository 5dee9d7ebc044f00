"""libcst, imported when a rewrite first uses it: most files are read without."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from libcst import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        from torchfix_codemods.edit.lean_import import libcst

        # From now on it is found here.
        globals()[name] = value = getattr(libcst(), name)
        return value
