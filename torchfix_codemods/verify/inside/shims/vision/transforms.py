"""`torchvision.transforms`: chance is drawn from torch's generator, as torchvision does today."""

from __future__ import annotations

import math
from typing import Any

import torch

from . import functional as F


def _chance() -> float:
    return float(torch.rand(1).item())


def _below(limit: int) -> int:
    return int(torch.randint(0, limit, (1,)).item())


class Compose:
    def __init__(self, transforms: Any) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for transform in self.transforms:
            img = transform(img)
        return img


class ToTensor:
    def __call__(self, pic: Any) -> Any:
        return F.to_tensor(pic)


class ToPILImage:
    def __init__(self, mode: Any = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return F.to_pil_image(pic, self.mode)


class Normalize:
    def __init__(self, mean: Any, std: Any, inplace: bool = False) -> None:
        self.mean, self.std, self.inplace = mean, std, inplace

    def __call__(self, tensor: Any) -> Any:
        return F.normalize(tensor, self.mean, self.std, self.inplace)


class Lambda:
    def __init__(self, lambd: Any) -> None:
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)


class Resize:
    def __init__(self, size: Any, interpolation: Any = 2, *args: Any, **kwargs: Any) -> None:
        self.size, self.interpolation = size, interpolation

    def __call__(self, img: Any) -> Any:
        return F.resize(img, self.size, self.interpolation)


class Scale(Resize):
    """The name of `Resize` up to torchvision 0.1."""


class CenterCrop:
    def __init__(self, size: Any) -> None:
        self.size = size

    def __call__(self, img: Any) -> Any:
        return F.center_crop(img, self.size)


class Pad:
    def __init__(self, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> None:
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def __call__(self, img: Any) -> Any:
        return F.pad(img, self.padding, self.fill, self.padding_mode)


class RandomCrop:
    def __init__(
        self,
        size: Any,
        padding: Any = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
    ) -> None:
        self.size, self.padding, self.fill = F.pair(size), padding, fill
        self.pad_if_needed, self.padding_mode = pad_if_needed, padding_mode

    def __call__(self, img: Any) -> Any:
        if self.padding:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        height, width = self.size
        h, w = F.size_of(img)
        if self.pad_if_needed and (h < height or w < width):
            img = F.pad(img, (max(width - w, 0), max(height - h, 0)), self.fill)
            h, w = F.size_of(img)
        if (h, w) == (height, width):
            return img
        top = _below(h - height + 1)
        return F.crop(img, top, _below(w - width + 1), height, width)


class RandomHorizontalFlip:
    def __init__(self, p: float = 0.5) -> None:
        self.p = p

    def __call__(self, img: Any) -> Any:
        return F.hflip(img) if _chance() < self.p else img


class RandomVerticalFlip:
    def __init__(self, p: float = 0.5) -> None:
        self.p = p

    def __call__(self, img: Any) -> Any:
        return F.vflip(img) if _chance() < self.p else img


class RandomResizedCrop:
    def __init__(
        self,
        size: Any,
        scale: Any = (0.08, 1.0),
        ratio: Any = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Any = 2,
    ) -> None:
        self.size, self.scale, self.ratio = size, scale, ratio
        self.interpolation = interpolation

    def __call__(self, img: Any) -> Any:
        h, w = F.size_of(img)
        for _ in range(10):
            area = h * w * (self.scale[0] + _chance() * (self.scale[1] - self.scale[0]))
            low, high = math.log(self.ratio[0]), math.log(self.ratio[1])
            aspect = math.exp(low + _chance() * (high - low))
            width, height = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if 0 < width <= w and 0 < height <= h:
                top = _below(h - height + 1)
                left = _below(w - width + 1)
                return F.resized_crop(img, top, left, height, width, self.size, self.interpolation)
        return F.resize(F.center_crop(img, min(h, w)), F.pair(self.size), self.interpolation)


class RandomSizedCrop(RandomResizedCrop):
    """The name of `RandomResizedCrop` up to torchvision 0.1."""


class Grayscale:
    def __init__(self, num_output_channels: int = 1) -> None:
        self.num_output_channels = num_output_channels

    def __call__(self, img: Any) -> Any:
        return F.to_grayscale(img, self.num_output_channels)
