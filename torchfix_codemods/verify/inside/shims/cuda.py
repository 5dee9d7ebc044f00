"""A GPU that is not there: ``.cuda()`` on the CPU."""

from __future__ import annotations


def install() -> None:
    """Let what needs a GPU run on the CPU."""
