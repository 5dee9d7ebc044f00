"""Which torch this is."""

from __future__ import annotations

import re

import torch

TORCH = tuple(int(part) for part in re.findall(r"\d+", str(torch.__version__))[:2])
