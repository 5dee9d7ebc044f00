"""Rewrites legacy PyTorch code into current PyTorch.

What a program may take from here, and nothing else, stays as it is: see docs/api.md.
"""

from torchfix_codemods.version import __version__

__all__ = [
    "ConfigError",
    "FileError",
    "FileResult",
    "Finding",
    "Numerics",
    "Place",
    "Settings",
    "__version__",
    "check_text",
    "migrate_paths",
    "migrate_text",
    "read_settings",
]


def __getattr__(name: str) -> object:
    """The API, imported when it is first asked for: the command starts without most of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from torchfix_codemods import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return __all__
