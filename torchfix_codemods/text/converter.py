"""Whether Python 2 can be converted here, and what to say where it is not."""

from __future__ import annotations

import functools
import importlib.util

#: How the library that converts is installed.
INSTALLATION = "pip install 'torchfix-codemods[py2]'"


@functools.cache
def has_converter() -> bool:
    """Whether the library that converts Python 2 is installed."""
    return importlib.util.find_spec("fissix") is not None


def how_converted() -> str:
    """What converts Python 2 here, or makes that it is."""
    return "--py2 converts" if has_converter() else f"after {INSTALLATION} this command converts"
