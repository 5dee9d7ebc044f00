"""``input(x)`` evaluated what was typed; an ``input`` of the file's own does what it says."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_input

from torchfix_codemods.documents.fixers.names.bindings import is_bound_around


class FixInput(fix_input.FixInput):  # type: ignore[misc]
    """Asks whether a parameter, or a batch of the file, is called ``input``."""

    def transform(self, node: Any, results: Any) -> Any:
        return None if is_bound_around(node, "input") else super().transform(node, results)
