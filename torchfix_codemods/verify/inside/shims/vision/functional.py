"""`torchvision.transforms.functional`, of pictures and of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from .images import PIL, array_of, picture


def to_tensor(pic: Any) -> Any:
    array = array_of(pic)
    if array.ndim == 2:
        array = array[:, :, None]
    tensor = torch.from_numpy(np.ascontiguousarray(array.transpose(2, 0, 1)))
    return tensor.float().div(255) if array.dtype == np.uint8 else tensor


def to_pil_image(pic: Any, mode: Any = None) -> Any:
    if isinstance(pic, torch.Tensor):
        pic = pic.mul(255).byte() if pic.is_floating_point() else pic
        pic = pic.cpu().numpy()
        pic = pic.transpose(1, 2, 0) if pic.ndim == 3 else pic
    if isinstance(pic, np.ndarray) and pic.ndim == 3 and pic.shape[2] == 1:
        pic = pic[:, :, 0]
    return picture(pic)


def normalize(tensor: Any, mean: Any, std: Any, inplace: bool = False) -> Any:
    """As many channels as there are means, the rest as they are (torchvision up to 0.2)."""
    tensor = tensor if inplace else tensor.clone()
    for channel, m, s in zip(tensor, mean, std):
        channel.sub_(m).div_(s)
    return tensor


def size_of(img: Any) -> tuple[int, int]:
    """Height and width."""
    if isinstance(img, torch.Tensor):
        return int(img.shape[-2]), int(img.shape[-1])
    if isinstance(img, np.ndarray):
        return img.shape[0], img.shape[1]
    return img.size[1], img.size[0]


def pair(size: Any) -> tuple[int, int]:
    return (int(size), int(size)) if isinstance(size, (int, float)) else (size[0], size[-1])


def resize(img: Any, size: Any, interpolation: Any = 2, *args: Any, **kwargs: Any) -> Any:
    height, width = size_of(img)
    if isinstance(size, int) or len(size) == 1:
        short = size if isinstance(size, int) else size[0]
        if width <= height:
            size = (int(short * height / width), short)
        else:
            size = (short, int(short * width / height))
    size = (int(size[0]), int(size[1]))
    if isinstance(img, torch.Tensor):
        return functional.interpolate(img[None], size, mode="bilinear", align_corners=False)[0]
    if isinstance(img, np.ndarray):
        rows = np.arange(size[0]) * height // size[0]
        columns = np.arange(size[1]) * width // size[1]
        return img[rows][:, columns]
    return img.resize(size[::-1], getattr(interpolation, "value", interpolation))


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    if isinstance(img, torch.Tensor):
        return img[..., top : top + height, left : left + width]
    if isinstance(img, np.ndarray):
        return img[top : top + height, left : left + width]
    return img.crop((left, top, left + width, top + height))


def center_crop(img: Any, output_size: Any) -> Any:
    height, width = pair(output_size)
    h, w = size_of(img)
    return crop(img, round((h - height) / 2.0), round((w - width) / 2.0), height, width)


def resized_crop(
    img: Any, top: int, left: int, height: int, width: int, size: Any, interpolation: Any = 2
) -> Any:
    return resize(crop(img, top, left, height, width), pair(size), interpolation)


def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    padding = (padding,) if isinstance(padding, int) else tuple(padding)
    left, top, right, bottom = (padding * 4)[:4]
    if isinstance(img, torch.Tensor):
        return functional.pad(img, (left, right, top, bottom), value=fill)
    array = array_of(img)
    around = [(top, bottom), (left, right), (0, 0)][: array.ndim]
    if padding_mode == "constant":
        return picture(np.pad(array, around, mode="constant", constant_values=fill))
    mode: Any = padding_mode
    return picture(np.pad(array, around, mode=mode))


def hflip(img: Any) -> Any:
    if isinstance(img, torch.Tensor):
        return img.flip(-1)
    return picture(array_of(img)[:, ::-1])


def vflip(img: Any) -> Any:
    if isinstance(img, torch.Tensor):
        return img.flip(-2)
    return picture(array_of(img)[::-1])


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    if PIL is not None and not isinstance(img, (np.ndarray, torch.Tensor)):
        gray = array_of(img.convert("L"))
    else:
        gray = np.dot(array_of(img)[..., :3], [0.299, 0.587, 0.114]).astype("uint8")
    return picture(gray if num_output_channels == 1 else np.stack([gray] * 3, -1))
