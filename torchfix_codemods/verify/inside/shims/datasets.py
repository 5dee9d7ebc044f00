"""The data sets of torchvision, made up: nothing is downloaded and no folder need exist.

Pictures are a pattern of their class with noise, so a model can learn them. They come from a
generator of their own, whose stream NumPy keeps for good: the same on every machine and version,
and no random number of the program is used up. Attributes are today's and those of 2017
(`train_data`, `train_labels`, `test_data`, `test_labels`, `labels`).

Where torchvision is missing, a small stand-in for it is put in its place (see `vision`).
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset

from . import vision
from .patching import give_back
from .vision.images import picture

#: How many pictures each set has, those to test with too: a batch of 128 that must be full is.
_size = [256]


def install(size: int = 256) -> None:
    """Put made-up data sets of `size` pictures in the place of torchvision's."""
    _size[:] = [size]
    try:
        datasets: Any = importlib.import_module("torchvision.datasets")
    except Exception:  # A torchvision built for another torch fails in ways of its own.
        datasets = vision.install()
    transforms: Any = importlib.import_module("torchvision.transforms")
    for made_up in CLASSES:
        setattr(datasets, made_up.__name__, made_up)
        module = getattr(datasets, made_up.module, None) or vision.submodule(
            datasets, made_up.module
        )
        setattr(module, made_up.__name__, made_up)
    give_back(transforms, "Scale", transforms.Resize)
    give_back(transforms, "RandomSizedCrop", transforms.RandomResizedCrop)


def made_up(shape: tuple[int, ...], classes: int, count: int, seed: int) -> tuple[Any, Any]:
    """`count` pictures of that shape (height, width, channels) and their labels."""
    patterns = np.random.RandomState(7).randint(0, 200, (classes, *shape))
    noise = np.random.RandomState(seed)
    labels = noise.randint(0, classes, count).astype("int64")
    pictures = patterns[labels] + noise.randint(0, 56, (count, *shape))
    return pictures.astype("uint8"), labels


class _MadeUp(Dataset):  # type: ignore[type-arg]
    """What all of them share; pictures are kept as (height, width, channels)."""

    module = ""
    shape: tuple[int, ...] = (32, 32, 3)
    classes_count = 10

    def __init__(
        self,
        root: Any = None,
        train: Any = True,
        transform: Any = None,
        target_transform: Any = None,
        download: bool = False,
        **other: Any,
    ) -> None:
        self.root = root
        self.transform = transform
        self.target_transform = target_transform
        self.train = train if isinstance(train, bool) else str(train).startswith("train")
        self.classes = [str(number) for number in range(self.classes_count)]
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}
        seed = 1 if self.train else 2
        self.keep(*made_up(self.shape, self.classes_count, _size[0], seed))

    def keep(self, pictures: Any, labels: Any) -> None:
        self.data = pictures
        self.targets = labels.tolist()

    def at(self, index: int) -> Any:
        return self.data[index]

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: Any) -> Any:
        item, target = picture(self.at(index)), int(self.targets[index])
        if self.transform is not None:
            item = self.transform(item)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return item, target


def _alias(name: str) -> property:
    def read(self: Any) -> Any:
        return getattr(self, name)

    def write(self: Any, value: Any) -> None:
        setattr(self, name, value)

    return property(read, write)


for _old, _name in (
    ("train_data", "data"),
    ("test_data", "data"),
    ("train_labels", "targets"),
    ("test_labels", "targets"),
    ("labels", "targets"),
):
    setattr(_MadeUp, _old, _alias(_name))


class MNIST(_MadeUp):
    module = "mnist"
    shape = (28, 28)

    def keep(self, pictures: Any, labels: Any) -> None:
        self.data = torch.from_numpy(pictures)
        self.targets = torch.from_numpy(labels)

    def at(self, index: int) -> Any:
        return self.data[index].numpy()


class FashionMNIST(MNIST): ...


class KMNIST(MNIST): ...


class EMNIST(MNIST):
    def __init__(self, root: Any = None, split: str = "digits", **other: Any) -> None:
        super().__init__(root, **other)


class CIFAR10(_MadeUp):
    module = "cifar"


class CIFAR100(CIFAR10):
    classes_count = 100


class _BySplit(_MadeUp):
    """Pictures kept as (channels, height, width), chosen by `split=`."""

    def __init__(self, root: Any = None, split: str = "train", *args: Any, **kwargs: Any) -> None:
        super().__init__(root, split, *args, **kwargs)

    def keep(self, pictures: Any, labels: Any) -> None:
        self.data = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))
        self.targets = labels

    def at(self, index: int) -> Any:
        return self.data[index].transpose(1, 2, 0)


class SVHN(_BySplit):
    module = "svhn"


class STL10(_BySplit):
    module = "stl10"
    shape = (96, 96, 3)

    def __init__(self, root: Any = None, split: str = "train", *args: Any, **kwargs: Any) -> None:
        kwargs.pop("folds", None)
        super().__init__(root, split, *args, **kwargs)


class LSUN(_MadeUp):
    module = "lsun"
    shape = (64, 64, 3)

    def __init__(
        self,
        root: Any = None,
        classes: Any = "train",
        transform: Any = None,
        target_transform: Any = None,
        db_path: Any = None,
    ) -> None:
        super().__init__(root or db_path, True, transform, target_transform)


class FakeData(_MadeUp):
    module = "fakedata"

    def __init__(
        self,
        size: int = 1000,
        image_size: tuple[int, ...] = (3, 224, 224),
        num_classes: int = 10,
        transform: Any = None,
        target_transform: Any = None,
        random_offset: int = 0,
    ) -> None:
        self.shape = (*image_size[1:], image_size[0])
        self.classes_count = num_classes
        super().__init__(None, True, transform, target_transform)


class ImageFolder(_MadeUp):
    """The pictures of a folder with one folder for each class; made up where there is none."""

    module = "folder"
    shape = (64, 64, 3)
    extensions = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")

    def __init__(
        self,
        root: Any = None,
        transform: Any = None,
        target_transform: Any = None,
        loader: Callable[[str], Any] | None = None,
        **other: Any,
    ) -> None:
        names = sorted(os.listdir(root)) if root is not None and os.path.isdir(root) else []
        names = [name for name in names if os.path.isdir(os.path.join(root, name))]
        self.classes_count = len(names) or 10
        super().__init__(root, True, transform, target_transform)
        self.loader = loader or vision.images.read
        if names:
            self.classes = names
            self.class_to_idx = {name: number for number, name in enumerate(names)}
        found = [
            (os.path.join(root, name, file), number)
            for number, name in enumerate(names)
            for file in sorted(os.listdir(os.path.join(root, name)))
            if file.lower().endswith(self.extensions)
        ]
        self.on_disk = bool(found)
        self.samples = found or [
            (f"{number}.jpg", label) for number, label in enumerate(self.targets)
        ]
        self.imgs = self.samples
        self.targets = [label for _, label in self.samples]

    def at(self, index: int) -> Any:
        return self.loader(self.samples[index][0]) if self.on_disk else self.data[index]

    def __len__(self) -> int:
        return len(self.samples)


class DatasetFolder(ImageFolder): ...


class _Coco(_MadeUp):
    module = "coco"
    shape = (64, 64, 3)

    def __init__(
        self,
        root: Any = None,
        annFile: Any = None,
        transform: Any = None,
        target_transform: Any = None,
    ) -> None:
        super().__init__(root, True, transform, target_transform)
        self.ids = list(range(len(self.data)))

    def annotation(self, index: int) -> Any:
        raise NotImplementedError

    def __getitem__(self, index: Any) -> Any:
        item, target = picture(self.at(index)), self.annotation(index)
        if self.transform is not None:
            item = self.transform(item)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return item, target


class CocoCaptions(_Coco):
    def annotation(self, index: int) -> Any:
        return [f"a picture of a {self.targets[index]} number {n}" for n in range(5)]


class CocoDetection(_Coco):
    def annotation(self, index: int) -> Any:
        box = {"bbox": [8.0, 8.0, 24.0, 32.0], "area": 768.0, "iscrowd": 0}
        return [dict(box, id=index, image_id=index, category_id=self.targets[index])]


CLASSES: tuple[Any, ...] = (
    MNIST,
    FashionMNIST,
    KMNIST,
    EMNIST,
    CIFAR10,
    CIFAR100,
    SVHN,
    STL10,
    LSUN,
    FakeData,
    ImageFolder,
    DatasetFolder,
    CocoCaptions,
    CocoDetection,
)
