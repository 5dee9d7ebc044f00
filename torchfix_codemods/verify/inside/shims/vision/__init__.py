"""A stand-in for torchvision where it is not installed: what training scripts use of it."""

from __future__ import annotations

import sys
import types
from typing import Any

from . import functional, grids, images, models, transforms


def install() -> Any:
    """Register `torchvision` with its parts; the module for the data sets, still empty."""
    torchvision = _module("torchvision")
    torchvision.__version__ = "0.0"
    torchvision.set_image_backend = lambda backend: None
    torchvision.get_image_backend = lambda: "PIL"
    datasets = submodule(torchvision, "datasets")
    folder = submodule(datasets, "folder")
    folder.IMG_EXTENSIONS = [".jpg", ".jpeg", ".png", ".ppm", ".bmp"]
    folder.default_loader = folder.pil_loader = images.read
    folder.is_image_file = lambda name: name.lower().endswith(tuple(folder.IMG_EXTENSIONS))
    public = submodule(torchvision, "transforms")
    _fill(public, transforms)
    _fill(submodule(public, "transforms"), transforms)
    _fill(submodule(public, "functional"), functional)
    _fill(submodule(torchvision, "utils"), grids)
    zoo = submodule(torchvision, "models")
    _fill(zoo, models)
    for name in ("alexnet", "resnet", "vgg"):
        part = _module("torchvision.models." + name)
        _fill(part, models)
        part.model_urls = {}
        if name != "alexnet":
            setattr(zoo, name, part)
    return datasets


def submodule(parent: Any, name: str) -> Any:
    """A new module `parent.name`."""
    module = _module(parent.__name__ + "." + name)
    setattr(parent, name, module)
    return module


def _module(name: str) -> Any:
    module = types.ModuleType(name)
    module.__path__ = []
    sys.modules[name] = module
    return module


def _fill(module: Any, source: types.ModuleType) -> None:
    for name, value in vars(source).items():
        if not name.startswith("_") and getattr(value, "__module__", None) == source.__name__:
            setattr(module, name, value)
