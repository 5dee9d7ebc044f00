"""`torchvision.utils`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from .images import PIL


def make_grid(
    tensor: Any,
    nrow: int = 8,
    padding: int = 2,
    normalize: bool = False,
    range: Any = None,
    scale_each: bool = False,
    pad_value: float = 0,
    value_range: Any = None,
) -> Any:
    """Pictures side by side in rows of `nrow`."""
    if isinstance(tensor, (list, tuple)):
        tensor = torch.stack(list(tensor), 0)
    tensor = tensor.detach()
    if tensor.dim() == 2:
        tensor = tensor.unsqueeze(0)
    if tensor.dim() == 3:
        tensor = tensor.unsqueeze(0)
    if tensor.size(1) == 1:
        tensor = torch.cat((tensor, tensor, tensor), 1)
    if normalize:
        parts = tensor if scale_each else tensor.unsqueeze(0)
        tensor = torch.cat([_normalized(part, value_range or range) for part in parts], 0)
        tensor = tensor.view(-1, 3, *tensor.shape[-2:])
    if tensor.size(0) == 1:
        return tensor.squeeze(0)
    count = tensor.size(0)
    columns = min(nrow, count)
    rows = math.ceil(float(count) / columns)
    height, width = tensor.size(2) + padding, tensor.size(3) + padding
    shape = (tensor.size(1), height * rows + padding, width * columns + padding)
    grid = tensor.new_full(shape, pad_value)
    for number, part in enumerate(tensor):
        y, x = divmod(number, columns)
        top, left = y * height + padding, x * width + padding
        grid[:, top : top + height - padding, left : left + width - padding] = part
    return grid


def save_image(tensor: Any, fp: Any, *args: Any, **kwargs: Any) -> None:
    """The grid in a file: a picture where PIL is installed, its bytes where it is not."""
    form = kwargs.pop("format", None)
    if args and isinstance(args[0], str):
        form, args = args[0], args[1:]
    grid = make_grid(tensor, *args, **kwargs).mul(255).add_(0.5).clamp_(0, 255)
    array = np.ascontiguousarray(grid.permute(1, 2, 0).cpu().numpy().astype("uint8"))
    if PIL is not None:
        PIL.fromarray(array).save(fp, format=form)
    elif hasattr(fp, "write"):
        fp.write(array.tobytes())
    else:
        with open(fp, "wb") as file:
            file.write(array.tobytes())


def _normalized(tensor: Any, limits: Any) -> Any:
    low, high = limits or (float(tensor.min()), float(tensor.max()))
    return tensor.clamp(low, high).sub_(low).div_(max(high - low, 1e-5))
