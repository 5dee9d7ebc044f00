"""The made-up data sets, and the stand-in for a torchvision that is not installed."""

import hashlib
import importlib
import os
import random
import sys
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader

# Whatever this machine has, the stand-in is what is checked here.
sys.modules["torchvision"] = None

from _torchfix_inside.shims import datasets as shim  # noqa: E402


def states():
    return torch.get_rng_state().tolist(), str(np.random.get_state()), random.getstate()


BEFORE = states()
shim.install(100)

import torchvision  # noqa: E402
import torchvision.transforms as T  # noqa: E402
from torchvision import datasets, models, utils  # noqa: E402

ALL = (
    "MNIST FashionMNIST CIFAR10 CIFAR100 SVHN STL10 LSUN ImageFolder FakeData CocoCaptions "
    "CocoDetection"
).split()


def digest(array):
    return hashlib.md5(np.ascontiguousarray(array).tobytes()).hexdigest()


def check_nothing_is_drawn():
    for name in ALL:
        kind = getattr(datasets, name)
        kind()[0]
        assert len(kind()) == 100
    assert states() == BEFORE


def check_content_is_always_the_same():
    """The stream of RandomState is frozen: these digests hold for every NumPy and torch."""
    train = datasets.MNIST("nowhere", train=True, download=True)
    assert digest(train.data.numpy()) == "c873aa385f49c04181a5ec01108adcd4"
    assert digest(datasets.CIFAR10(None).data) == "399ba3d465c8f77d6d62bd6fd1b9b6ea"
    test = datasets.MNIST("nowhere", train=False)
    assert len(test) == 100 and digest(test.data.numpy()) != digest(train.data.numpy())
    assert not os.path.exists("nowhere")


def check_a_full_batch_of_those_to_test_with():
    shim.install()
    try:
        test = datasets.MNIST(train=False, transform=T.ToTensor())
        loader = torch.utils.data.DataLoader(test, batch_size=128, drop_last=True)
        assert [len(labels) for _, labels in loader] == [128, 128]
    finally:
        shim.install(100)


def check_a_class_can_be_learned():
    train, test = datasets.MNIST(), datasets.MNIST(train=False)
    x, y = train.data.view(100, -1).float(), train.targets
    nearest = torch.stack([(x - t.view(-1).float()).norm(dim=1).argmin() for t in test.data])
    assert float((y[nearest] == test.targets).float().mean()) == 1.0
    assert len(set(y.tolist())) == 10


def check_attributes_of_2017():
    train = datasets.MNIST("x", train=True)
    assert train.train_data.dtype == torch.uint8 and train.train_data.shape == (100, 28, 28)
    assert train.train_labels.dtype == torch.int64 and len(train.classes) == 10
    test = datasets.FashionMNIST("x", train=False)
    assert test.test_data is test.data and test.test_labels is test.targets
    cifar = datasets.CIFAR100("x", True)
    assert cifar.train_data.shape == (100, 32, 32, 3) and max(cifar.train_labels) > 10
    cifar.train_data = cifar.train_data[:7]
    assert len(cifar) == 7 and cifar.class_to_idx["3"] == 3
    house = datasets.SVHN("x", split="test", download=True)
    assert house.data.shape == (100, 3, 32, 32) and house.labels.shape == (100,)
    assert datasets.STL10("x", split="train+unlabeled").data.shape == (100, 3, 96, 96)
    assert datasets.FakeData(size=1, image_size=(1, 8, 8))[0][1] in range(10)


def check_transforms():
    transform = T.Compose(
        [
            T.Resize(36),
            T.CenterCrop(34),
            T.Pad(2),
            T.RandomCrop(32, padding=4),
            T.RandomHorizontalFlip(),
            T.RandomResizedCrop(28),
            T.Scale(30),
            T.RandomSizedCrop(24),
            T.Lambda(lambda image: image),
            T.ToTensor(),
            T.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
        ]
    )
    data = datasets.CIFAR10(transform=transform, target_transform=lambda label: label + 1)
    images, labels = next(iter(DataLoader(data, 4)))
    assert images.shape == (4, 3, 24, 24) and images.min() >= -1 and images.max() <= 1
    assert labels.tolist() == [label + 1 for label in data.targets[:4]]


def check_transforms_by_value():
    image = np.arange(12, dtype="uint8").reshape(3, 4)
    tensor = T.ToTensor()(image)
    assert tensor.shape == (1, 3, 4) and abs(tensor[0, 2, 3].item() - 11 / 255) < 1e-7
    assert T.Normalize((0.5,), (0.25,))(torch.ones(1, 1, 1)).item() == 2
    array = np.array
    assert array(T.CenterCrop((1, 2))(image)).tolist() == [[5, 6]]
    assert array(T.Pad(1)(image)).shape == (5, 6)
    assert array(T.ToPILImage()(tensor)).tolist() == image.tolist()
    assert array(T.RandomHorizontalFlip(p=1.0)(image)).tolist() == image[:, ::-1].tolist()
    assert array(T.Grayscale()(np.full((2, 2, 3), 9, "uint8"))).shape == (2, 2)
    assert T.functional.to_tensor(image).shape == (1, 3, 4)


def check_grid():
    grid = utils.make_grid(torch.arange(5.0).view(5, 1, 1, 1).expand(5, 1, 4, 4), nrow=3)
    assert grid.shape == (3, 14, 20)
    assert grid[0, 2, 2] == 0 and grid[0, 2, 8] == 1 and grid[0, 8, 8] == 4 and grid[0, 0, 0] == 0
    normalized = utils.make_grid(torch.tensor([[[[2.0, 4.0]]]]).expand(2, 1, 1, 2), normalize=True)
    assert normalized.max() == 1 and normalized.min() == 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.png")
        utils.save_image(torch.rand(3, 1, 4, 4), path, nrow=2, normalize=True)
        assert os.path.getsize(path) > 0


def check_models():
    for name, width in (("resnet18", 512), ("resnet50", 2048)):
        model = getattr(models, name)(pretrained=True)
        assert model.fc.in_features == width
    assert models.resnet18(num_classes=3)(torch.ones(2, 3, 32, 32)).shape == (2, 3)
    assert models.resnet.resnet18 and models.vgg.vgg16 and callable(models.alexnet)
    assert len(list(models.vgg.make_layers([8, "M", 8]))) == 5


def check_modules():
    for name in (
        "torchvision.datasets.mnist",
        "torchvision.datasets.folder",
        "torchvision.transforms.functional",
        "torchvision.models.resnet",
    ):
        importlib.import_module(name)
    from torchvision.datasets.mnist import MNIST

    assert MNIST is datasets.MNIST and torchvision.__version__


def check_folder_of_pictures():
    try:
        from PIL import Image
    except ImportError:
        return
    with tempfile.TemporaryDirectory() as root:
        for name in ("cat", "dog"):
            os.mkdir(os.path.join(root, name))
            Image.new("RGB", (5, 4)).save(os.path.join(root, name, "1.png"))
        found = datasets.ImageFolder(root, T.ToTensor())
        assert len(found) == 2 and found.classes == ["cat", "dog"] and found[1][1] == 1
        assert found[0][0].shape == (3, 4, 5)
