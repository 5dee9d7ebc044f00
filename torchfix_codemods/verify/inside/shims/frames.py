"""Whose call it is: the user's, torch's own, or another library's."""

from __future__ import annotations

import os
import sys

import torch

_INSIDE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep


def caller() -> str:
    """The file of the nearest frame that belongs to no shim and no tracer."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_INSIDE) and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename


def asked_by_torch() -> bool:
    """Whether torch itself is asking: it must be told the truth."""
    return caller().startswith(_TORCH)
