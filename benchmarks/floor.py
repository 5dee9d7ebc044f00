"""The least that any tool has to do: read the files, leave out what is not torch's, parse the rest.

Run as a program by `benchmarks.speed`: `python floor.py [--no-gc] FOLDER`.
"""

import ast
import contextlib
import gc
import os
import sys
import warnings


def main(arguments: list[str]) -> None:
    """Parse every module below the last argument that mentions torch."""
    if "--no-gc" in arguments:
        gc.disable()
    warnings.simplefilter("ignore")
    for parent, _, file_names in os.walk(arguments[-1]):
        for name in file_names:
            if name.endswith(".py"):
                _parse(os.path.join(parent, name))


def _parse(path: str) -> None:
    """Read one file, and parse it if it mentions torch."""
    with open(path, "rb") as file:
        data = file.read()
    if b"torch" in data:
        # Python 2 is refused, but whoever reads it pays for the attempt.
        with contextlib.suppress(SyntaxError, ValueError):
            ast.parse(data)


if __name__ == "__main__":
    main(sys.argv)
