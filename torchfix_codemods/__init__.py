"""Rewrites legacy PyTorch code into current PyTorch.

What a program may take from here, and nothing else, stays as it is: see docs/api.md.
"""

# What type checkers know by its name; `typing` alone would import for longer than all else here.
TYPE_CHECKING = False

__version__ = "0.1.0"

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

if TYPE_CHECKING:
    from torchfix_codemods.api import (
        ConfigError,
        FileError,
        FileResult,
        Finding,
        Numerics,
        Place,
        Settings,
        check_text,
        migrate_paths,
        migrate_text,
        read_settings,
    )
else:

    def __getattr__(name):
        """The API, imported when it is first asked for: the command starts without most of it."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from torchfix_codemods import api

        return getattr(api, name)


def __dir__() -> list[str]:
    return __all__
