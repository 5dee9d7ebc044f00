"""How many dimensions a mode of interpolation takes, and leaves: four for ``bilinear``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque

_TAKEN = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
#: Where the mode stands among what a layer is built with, or a function called with.
_PLACES = {
    "torch.nn.Upsample": 2,
    "torch.nn.functional.upsample": 3,
    "torch.nn.functional.interpolate": 3,
}


def interpolated_ndim(name: str, call: ast.Call | None) -> int | None:
    """The number of dimensions that a call with a constant mode is for.

    Args:
        name: the qualified name of the function, or of the layer that ``call`` builds.
        call: the call that gives the mode, where it is known.

    Returns:
        the number; None where another mode or none is given, or something else is called.
    """
    place = _PLACES.get(name)
    if place is None or call is None or is_opaque(call):
        return None
    mode = argument(call, place, "mode")
    found = None if mode is None else constant(mode)
    return _TAKEN.get(found) if isinstance(found, str) else None
