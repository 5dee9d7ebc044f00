from __future__ import annotations

import inspect
import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.data.questions.torchvision_names import (
    BUILDERS,
    KEYWORDS,
    SAVE_IMAGE,
    WEIGHTS,
)
from torchfix_codemods.rules.data.torchvision_renames import TorchvisionRenames
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

FIXTURES = Path(__file__).parents[2] / "fixtures"
RECORDED: Any = json.loads((FIXTURES / "recorded" / "torchvision_signatures.json").read_text())
OLD, TODAY = RECORDED["old"]["signatures"], RECORDED["today"]["signatures"]
FIRST = RECORDED["first"]["signatures"]
PRETRAINED = {
    (name.rpartition(".")[2], name.split(".")[2]): entry
    for name, entry in RECORDED["today"]["pretrained"].items()
    if ".quantization." not in name
}


def _home(name: str) -> str:
    """Where torchvision defines a public name."""
    *_, module, last = name.split(".")
    if module == "datasets":
        return f"torchvision.datasets.{last.lower()}.{last}"
    return name if module != "transforms" else f"torchvision.transforms.transforms.{last}"


@pytest.mark.parametrize(("builder", "folder"), sorted(BUILDERS.items()))
def test_weights_are_those_of_pretrained(builder: str, folder: str) -> None:
    entries = [entry for (name, place), entry in PRETRAINED.items() if name == builder]
    assert len(entries) == 1
    assert entries[0]["weights"] == ["pretrained", WEIGHTS[folder]]
    if folder:
        assert (builder, folder) in PRETRAINED
    if folder in ("detection", "segmentation"):
        assert entries[0]["weights_backbone"] == ["pretrained_backbone", WEIGHTS[""]]


@pytest.mark.parametrize("name", [n for n in TorchvisionRenames.renames if "transforms.S" in n])
def test_name_is_gone_and_the_new_one_is_there(name: str) -> None:
    assert _home(name) in OLD
    assert _home(name) not in TODAY
    assert _home(TorchvisionRenames.renames[name]) in TODAY


def test_gray_is_where_it_is_looked_for() -> None:
    assert "torchvision.transforms.functional.rgb_to_grayscale" in TODAY


@pytest.mark.parametrize("name", KEYWORDS)
def test_keywords(name: str) -> None:
    today = {*TODAY[_home(name)], *TODAY["torchvision.utils.make_grid"]}
    first = FIRST if _home(name).startswith("torchvision.datasets.") else OLD
    for old, new in KEYWORDS[name].items():
        assert old in first[_home(name)]
        assert old not in TODAY[_home(name)]
        assert new in today
        # Only the name has changed: the argument stands where it stood.
        if name != "torchvision.utils.save_image":
            assert first[_home(name)].index(old) == TODAY[_home(name)].index(new)


def test_positions_of_save_image() -> None:
    old = OLD["torchvision.utils.save_image"][: len(SAVE_IMAGE)]
    renamed = KEYWORDS["torchvision.utils.save_image"]
    assert [renamed.get(name, name) for name in old] == list(SAVE_IMAGE)
    assert TODAY["torchvision.utils.save_image"] == ["tensor", "fp", "format", "**kwargs"]
    assert set(SAVE_IMAGE[2:]) <= set(TODAY["torchvision.utils.make_grid"])


def test_stand_in_of_the_fixture_has_the_signatures_of_today() -> None:
    namespace: dict[str, Any] = {}
    text = (FIXTURES / "rules" / "torchvision_renames.py").read_text()
    exec(compile(text, "torchvision_renames.py", "exec"), namespace)
    for part in ("transforms", "utils"):
        module = namespace[part]
        for name in vars(module):
            if not name.startswith("_"):
                parameters = inspect.signature(getattr(module, name)).parameters.values()
                written = [("**" if p.kind is p.VAR_KEYWORD else "") + p.name for p in parameters]
                assert written == TODAY[_home(f"torchvision.{part}.{name}")]


test_rewrites = rewrites(
    "TP805",
    {
        "parts of data sets": (
            """
            from torchvision import datasets
            train = datasets.MNIST("data", train=True)
            x, y = train.train_data.float(), train.train_labels
            z = datasets.CIFAR10("data").train_labels
            """,
            """
            from torchvision import datasets
            train = datasets.MNIST("data", train=True)
            x, y = train.data.float(), train.targets
            z = datasets.CIFAR10("data").targets
            """,
        ),
        "parts that are set": (
            """
            from torchvision import datasets
            train = datasets.CIFAR10("data")
            train.train_data, train.train_labels = train.train_data[:9], train.train_labels[:9]
            test = datasets.MNIST("data", train=False)
            test.test_data /= 2
            more = datasets.EMNIST("data", "letters", train=True)
            more.train_labels = y
            """,
            """
            from torchvision import datasets
            train = datasets.CIFAR10("data")
            train.data, train.targets = train.data[:9], train.targets[:9]
            test = datasets.MNIST("data", train=False)
            test.data /= 2
            more = datasets.EMNIST("data", "letters", train=True)
            more.targets = y
            """,
        ),
        "parts that a class reads which derives from a data set": (
            """
            from torchvision import datasets
            class Instances(datasets.CIFAR10):
                def __getitem__(self, index):
                    if self.train:
                        return self.train_data[index], self.train_labels[index], index
                    return self.test_data[index], self.test_labels[index], index
            class More(Instances):
                def shape(self):
                    return self.train_data.shape
            """,
            """
            from torchvision import datasets
            class Instances(datasets.CIFAR10):
                def __getitem__(self, index):
                    if self.train:
                        return self.data[index], self.targets[index], index
                    return self.data[index], self.targets[index], index
            class More(Instances):
                def shape(self):
                    return self.data.shape
            """,
        ),
        "parts of a half that a test tells, and parts that go": (
            """
            from torchvision import datasets
            def load(train):
                digits = datasets.MNIST("data", train=train)
                if train:
                    digits.train_data = digits.train_data[:9]
                else:
                    digits.test_data = digits.test_data[:9]
                pictures = datasets.CIFAR10("data")
                del pictures.train_labels
            """,
            """
            from torchvision import datasets
            def load(train):
                digits = datasets.MNIST("data", train=train)
                digits.data = digits.data[:9]
                pictures = datasets.CIFAR10("data")
                del pictures.targets
            """,
        ),
        "by attribute": (
            """
            import torchvision.transforms as T
            from torchvision import transforms
            size = 64
            t = transforms.Compose([
                transforms.Scale(256),  # smaller edge
                transforms.Scale(size=size, interpolation=2),
                transforms.RandomSizedCrop(224),
                T.Scale((32, 32)),
            ])
            """,
            """
            import torchvision.transforms as T
            from torchvision import transforms
            size = 64
            t = transforms.Compose([
                transforms.Resize(256),  # smaller edge
                transforms.Resize(size=size, interpolation=2),
                transforms.RandomResizedCrop(224),
                T.Resize((32, 32)),
            ])
            """,
        ),
        "by from import": (
            """
            from torchvision.transforms import Compose, Scale, ToTensor, RandomSizedCrop
            t = Compose([Scale([8, 8]), RandomSizedCrop(6), ToTensor()])
            """,
            """
            from torchvision.transforms import Compose, Resize, ToTensor, RandomResizedCrop
            t = Compose([Resize([8, 8]), RandomResizedCrop(6), ToTensor()])
            """,
        ),
        "square that has a name": (
            """
            from torchvision import transforms
            def transform(opt, parts):
                size = [opt.size, opt.size]
                parts.append(transforms.Scale(size, 2))
                parts.append(transforms.CenterCrop(size=size))
                print(size, size[0], len(size))
                pair = (opt.crop + 1, opt.crop + 1) if opt.crop else None
                sides = int(opt.size), int(opt.size)
                keep(sides)
                twice = [opt.size] * 2
                return transforms.Scale(sides), transforms.Scale(twice)
            """,
            """
            from torchvision import transforms
            def transform(opt, parts):
                size = [opt.size, opt.size]
                parts.append(transforms.Resize(size, 2))
                parts.append(transforms.CenterCrop(size=size))
                print(size, size[0], len(size))
                pair = (opt.crop + 1, opt.crop + 1) if opt.crop else None
                sides = int(opt.size), int(opt.size)
                keep(sides)
                twice = [opt.size] * 2
                return transforms.Resize(sides), transforms.Resize(twice)
            """,
        ),
        "square of two names": (
            """
            from torchvision import transforms
            def transform(self, train, scale):
                if train:
                    width = height = self.crop_size
                else:
                    width = self.size // 2
                    height = self.size // 2
                low_w = int(width / scale)
                low_h = int(height / scale)
                if low_w > self.size:
                    scale = 2
                w, h = 8, 8
                return [
                    transforms.Scale((width, height)), transforms.Scale([low_h, low_w]),
                    transforms.Scale((width // scale, height // scale)),
                ]
            """,
            """
            from torchvision import transforms
            def transform(self, train, scale):
                if train:
                    width = height = self.crop_size
                else:
                    width = self.size // 2
                    height = self.size // 2
                low_w = int(width / scale)
                low_h = int(height / scale)
                if low_w > self.size:
                    scale = 2
                w, h = 8, 8
                return [
                    transforms.Resize((width, height)), transforms.Resize([low_h, low_w]),
                    transforms.Resize((width // scale, height // scale)),
                ]
            """,
        ),
        "square of the whole file": (
            """
            from torchvision import transforms
            SIZE = [64, 64]
            t = transforms.Scale(SIZE)
            """,
            """
            from torchvision import transforms
            SIZE = [64, 64]
            t = transforms.Resize(SIZE)
            """,
        ),
        "part of a number": (
            """
            from torchvision import transforms
            a = transforms.Scale(1024 // opt.downscale, interpolation=2)
            b = transforms.Scale(opt.size / 2)
            c = transforms.Scale(opt.size * 2)
            d = transforms.Scale(opt.size // opt.scale)
            """,
            """
            from torchvision import transforms
            a = transforms.Resize(1024 // opt.downscale, interpolation=2)
            b = transforms.Resize(opt.size / 2)
            c = transforms.Resize(opt.size * 2)
            d = transforms.Resize(opt.size // opt.scale)
            """,
        ),
        "quotient of an item of a pair": (
            """
            from torchvision import transforms
            def transform(opt):
                shape = [64 * opt.ratio, 64 * opt.ratio]
                return transforms.Scale(shape[0] // opt.ratio)
            """,
            """
            from torchvision import transforms
            def transform(opt):
                shape = [64 * opt.ratio, 64 * opt.ratio]
                return transforms.Resize(shape[0] // opt.ratio)
            """,
        ),
        "option of click": (
            """
            import click
            from torchvision import transforms
            @click.command()
            @click.option("--image-size", "-s", type=int)
            def main(image_size):
                return transforms.Scale(image_size)
            """,
            """
            import click
            from torchvision import transforms
            @click.command()
            @click.option("--image-size", "-s", type=int)
            def main(image_size):
                return transforms.Resize(image_size)
            """,
        ),
        "option without a default": (
            """
            import argparse
            from torchvision import transforms
            parser = argparse.ArgumentParser()
            parser.add_argument("--size", type=int)
            opt = parser.parse_args()
            t = transforms.Scale(opt.size)
            """,
            """
            import argparse
            from torchvision import transforms
            parser = argparse.ArgumentParser()
            parser.add_argument("--size", type=int)
            opt = parser.parse_args()
            t = transforms.Resize(opt.size)
            """,
        ),
        "size from the command line": (
            """
            import argparse
            from torchvision import transforms
            parser = argparse.ArgumentParser()
            parser.add_argument("--image-size", type=int, default=64, help="of a side")
            opt = parser.parse_args()
            t = transforms.Scale(opt.image_size)
            """,
            """
            import argparse
            from torchvision import transforms
            parser = argparse.ArgumentParser()
            parser.add_argument("--image-size", type=int, default=64, help="of a side")
            opt = parser.parse_args()
            t = transforms.Resize(opt.image_size)
            """,
        ),
        "pretrained": (
            """
            from torchvision import models
            from torchvision.models import vgg16, inception_v3 as inception
            a = models.resnet50(pretrained=True)
            b = vgg16(True)
            c = inception(pretrained=True, transform_input=False)
            d = models.resnet18(pretrained=False, num_classes=10).cuda()
            g = models.densenet121(pretrained=True, drop_rate=0.2)
            e = models.alexnet(False)
            f = models.resnet.resnet34(progress=False, pretrained = True)
            """,
            """
            from torchvision import models
            from torchvision.models import vgg16, inception_v3 as inception
            a = models.resnet50(weights="IMAGENET1K_V1")
            b = vgg16(weights="IMAGENET1K_V1")
            c = inception(weights="IMAGENET1K_V1", transform_input=False)
            d = models.resnet18(weights=None, num_classes=10).cuda()
            g = models.densenet121(weights="IMAGENET1K_V1", drop_rate=0.2)
            e = models.alexnet(weights=None)
            f = models.resnet.resnet34(progress=False, weights = "IMAGENET1K_V1")
            """,
        ),
        "pretrained detection and segmentation": (
            """
            import torchvision
            a = torchvision.models.detection.maskrcnn_resnet50_fpn(pretrained=True)
            b = torchvision.models.detection.fasterrcnn_resnet50_fpn(
                pretrained=False,
                pretrained_backbone=False,
            )
            c = torchvision.models.segmentation.fcn_resnet101(pretrained=True, num_classes=21)
            d = torchvision.models.video.r3d_18(pretrained=True)
            e = torchvision.models.detection.retinanet_resnet50_fpn(False, pretrained_backbone=True)
            """,
            """
            import torchvision
            a = torchvision.models.detection.maskrcnn_resnet50_fpn(weights="COCO_V1")
            b = torchvision.models.detection.fasterrcnn_resnet50_fpn(
                weights=None,
                weights_backbone=None,
            )
            c = torchvision.models.segmentation.fcn_resnet101(weights="COCO_WITH_VOC_LABELS_V1",
                                                              num_classes=21)
            d = torchvision.models.video.r3d_18(weights="KINETICS400_V1")
            e = torchvision.models.detection.retinanet_resnet50_fpn(weights=None, weights_backbone="IMAGENET1K_V1")
            """,
        ),
        "grids": (
            """
            from torchvision.utils import make_grid, save_image
            g = make_grid(x, normalize=True, range=(-1, 1))
            save_image(x, "a.png", 8)
            save_image(x, "a.png", n, p, normalize=True, range=(0, 1))
            save_image(tensor=x, filename="a.png")
            """,
            """
            from torchvision.utils import make_grid, save_image
            g = make_grid(x, normalize=True, value_range=(-1, 1))
            save_image(x, "a.png", nrow=8)
            save_image(x, "a.png", nrow=n, padding=p, normalize=True, value_range=(0, 1))
            save_image(tensor=x, fp="a.png")
            """,
        ),
        "layers of VGG": (
            """
            from torchvision.models import vgg
            from torchvision.models.vgg import cfg as layers, make_layers
            a, b = make_layers(layers["D"]), vgg.make_layers(vgg.cfg["A"])
            """,
            """
            from torchvision.models import vgg
            from torchvision.models.vgg import cfgs as layers, make_layers
            a, b = make_layers(layers["D"]), vgg.make_layers(vgg.cfgs["A"])
            """,
        ),
        "function that resizes": (
            """
            import torchvision.transforms.functional as TF
            def shrink(image):
                return TF.scale(image, (32, 48))
            """,
            """
            import torchvision.transforms.functional as TF
            def shrink(image):
                return TF.resize(image, (32, 48))
            """,
        ),
        "folder of LSUN": (
            """
            import torchvision.datasets as dset
            from torchvision.datasets.lsun import LSUN
            rooms = dset.LSUN(db_path=opt.dataroot, classes=["bedroom_train"],
                              transform=crop)
            all_of_it = LSUN(classes="train", db_path=".")
            """,
            """
            import torchvision.datasets as dset
            from torchvision.datasets.lsun import LSUN
            rooms = dset.LSUN(root=opt.dataroot, classes=["bedroom_train"],
                              transform=crop)
            all_of_it = LSUN(classes="train", root=".")
            """,
        ),
        "rotations": (
            """
            from torchvision import transforms
            import torchvision.transforms.functional as TF
            a = transforms.RandomRotation(10, resample=Image.BILINEAR)
            b = transforms.RandomAffine(10, fillcolor=0, resample=False)
            c = TF.rotate(image, 10, resample=2)
            """,
            """
            from torchvision import transforms
            import torchvision.transforms.functional as TF
            a = transforms.RandomRotation(10, interpolation=Image.BILINEAR)
            b = transforms.RandomAffine(10, fill=0, interpolation=False)
            c = TF.rotate(image, 10, interpolation=2)
            """,
        ),
        "names that moved": (
            """
            from torchvision.models.utils import load_state_dict_from_url
            from torchvision.transforms.functional_tensor import rgb_to_grayscale
            state = load_state_dict_from_url(url)
            gray = rgb_to_grayscale(image)
            """,
            """
            from torch.hub import load_state_dict_from_url
            from torchvision.transforms.functional import rgb_to_grayscale
            state = load_state_dict_from_url(url)
            gray = rgb_to_grayscale(image)
            """,
        ),
        "names that were private, and layers of operators": (
            """
            import torch
            import torchvision.transforms.functional as F
            from torchvision.models.mobilenet import _make_divisible
            from torchvision.ops import misc as misc_nn_ops
            width, height = F._get_image_size(image)
            channels = F._get_image_num_channels(image)
            mask = misc_nn_ops.ConvTranspose2d(_make_divisible(17, 8), 4, 2)
            """,
            """
            import torch
            import torchvision.transforms.functional as F
            from torchvision.models._utils import _make_divisible
            width, height = F.get_image_size(image)
            channels = F.get_image_num_channels(image)
            mask = torch.nn.ConvTranspose2d(_make_divisible(17, 8), 4, 2)
            """,
        ),
        "what the modules of networks imported": (
            """
            from torchvision.models.vgg import vgg19, model_zoo
            a = model_zoo.load_url(url)
            """,
            """
            from torchvision.models.vgg import vgg19
            from torch.utils import model_zoo
            a = model_zoo.load_url(url)
            """,
        ),
        "what the module of a network imported": (
            """
            import torch
            import torchvision.models.resnet as resnet
            a = resnet.model_zoo.load_url(url), resnet.resnet18(), torch.ones(1)
            """,
            """
            import torch
            import torch.utils.model_zoo
            import torchvision.models.resnet as resnet
            a = torch.utils.model_zoo.load_url(url), resnet.resnet18(), torch.ones(1)
            """,
        ),
        "what the one file of all transformations imported": (
            """
            from torchvision import transforms
            grey = transforms.Compose([transforms.ImageOps.grayscale, transforms.ToTensor()])
            """,
            """
            import PIL.ImageOps
            from torchvision import transforms
            grey = transforms.Compose([PIL.ImageOps.grayscale, transforms.ToTensor()])
            """,
        ),
        "what it imported, by a name": (
            """
            from PIL import Image
            import torchvision.transforms as T
            from torchvision.transforms import ImageOps, ToTensor
            x = ToTensor()(ImageOps.mirror(T.Image.open("a.png")))
            """,
            """
            from PIL import Image
            from torchvision.transforms import ToTensor
            from PIL import ImageOps
            x = ToTensor()(ImageOps.mirror(Image.open("a.png")))
            """,
        ),
    },
)


def test_weights_are_loaded_by_the_hub_where_a_network_lent_its_module() -> None:
    text = "from torchvision.models.vgg import model_zoo, vgg19\nx = model_zoo.load_url(url)\n"
    after = migrate(text, "TP805", "TP901").text
    assert "from torchvision.models.vgg import vgg19\n" in after
    assert after.endswith("x = torch.hub.load_state_dict_from_url(url)\n")
    assert migrate(after, "TP805", "TP901").text == after


test_keeps = keeps(
    "TP805",
    {
        "Pillow, by itself and of other modules": """
            import torch
            from PIL import ImageOps
            from mine import transforms
            from torchvision.transforms import functional
            a = transforms.ImageOps.grayscale, functional.Image.open(path), ImageOps.mirror
            """,
        "what other modules imported": """
            from mine.models.vgg import model_zoo
            from torchvision.models import model_zoo as zoo
            try:
                from torchvision.models.resnet import model_zoo as loads
            except ImportError:
                from torch.utils import model_zoo as loads
            a = model_zoo.load_url(url), zoo.load_url(url), loads.load_url(url)
            """,
        "other folders of data": """
            import torchvision.datasets as dset
            from mine import LSUN
            a = dset.LSUN(root=path), dset.LSUN(path, classes="train"), LSUN(db_path=path)
            b = dset.LSUN(**options), dset.MNIST(db_path=path), retriever.LSUN(db_path=path)
            """,
        "parts of other data sets": """
            from torchvision import datasets
            class Mine(datasets.MNIST):
                pass
            a = Mine("data").train_data
            b = datasets.SVHN("data").train_data
            c = loader.dataset.train_labels
            loader.dataset.train_data = x
            Mine("data").train_data = x
            """,
        "parts that are set where the other half is taken, or may be": """
            from torchvision import datasets
            test = datasets.MNIST("data", train=False)
            test.train_data = x
            some = datasets.CIFAR10("data", opt.train)
            some.test_labels = y
            other = datasets.CIFAR10("data", **options)
            other.train_labels = y
            """,
        "parts that are set as the version has them": """
            import torchvision
            from torchvision import datasets
            train = datasets.CIFAR10("data")
            if hasattr(train, "data"):
                train.data = x
            else:
                train.train_data = x
            if torchvision.__version__ < "0.3":
                train.train_labels = y
            """,
        "modern": """
            from torchvision import models, transforms
            from torchvision.utils import save_image, make_grid
            a = models.resnet18(weights="DEFAULT")
            b = models.resnet18(weights=models.ResNet18_Weights.IMAGENET1K_V2)
            c = transforms.Resize((3, 4))
            save_image(x, file, "png")
            save_image(x, file, format="png", nrow=8)
            make_grid(x, 8, 2, True, (-1, 1))
            """,
        "size that is (width, height) or a number": """
            from torchvision import transforms
            a = transforms.Scale((320, 240))
            b = transforms.Scale(opt.size)
            """,
        "size that may not be a square": """
            from torchvision import transforms
            import numpy as np
            def transform(opt, sizes):
                changed, more = [8, 9], [8, 8]
                size = [opt.size, opt.size]
                size[0] = 3
                other = [opt.size, opt.size]
                change(other)
                third = [opt.size, opt.size]
                also = third
                fourth = [opt.size, opt.size]
                fourth += [3]
                drawn = [np.random.randint(9), np.random.randint(9)]
                given = [opt.size] * opt.count
                wide = (opt.width, opt.height)
                if opt.wide:
                    either = (8, 8)
                else:
                    either = (8, 9)
                return [
                    transforms.Scale(size), transforms.Scale(other), transforms.Scale(third),
                    transforms.Scale(fourth), transforms.Scale(drawn), transforms.Scale(given),
                    transforms.Scale(wide), transforms.Scale(either), transforms.Scale(sizes),
                    transforms.Scale((next(sizes), next(sizes))), transforms.Scale(changed),
                    transforms.Scale([8] * 3), transforms.Scale([8, 9] * 2),
                ]
            """,
        "two names that may differ": """
            from torchvision import transforms
            import random
            def transform(self, train, a, b, sizes):
                if train:
                    w1 = h1 = self.crop_size
                else:
                    w1, h1 = self.sizes
                w2 = self.size
                self.crop()
                h2 = self.size
                w0 = self.size
                cropped = self.crop()
                h0 = self.size
                w3 = self.size // 2
                h3 = self.size // 4
                w4 = random.randint(1, 9)
                h4 = random.randint(1, 9)
                w5 = a
                a = a + 1
                h5 = a
                w6 = h6 = self.size
                if train:
                    h6 = 3
                w7 = next(sizes)
                h7 = next(sizes)
                w8 = self.size
                if train:
                    h8 = self.size
                return [
                    transforms.Scale((w1, h1)), transforms.Scale((w2, h2)),
                    transforms.Scale((w3, h3)), transforms.Scale((w4, h4)),
                    transforms.Scale((w5, h5)), transforms.Scale((w6, h6)),
                    transforms.Scale((w7, h7)), transforms.Scale((w8, h8)),
                    transforms.Scale((a, b)), transforms.Scale((w0, h0)),
                ]
            """,
        "product of what may be a pair": """
            from torchvision import transforms
            import numpy as np
            a = transforms.Scale(1 * opt.size)
            b = transforms.Scale(np.array(opt.size) // 2)
            c = transforms.Scale(opt.size // np.array(opt.scales))
            d = transforms.Scale(opt.size * opt.scale)
            """,
        "options that may be several": """
            import click
            from torchvision import transforms
            @click.command()
            @click.option("--size", type=int, nargs=2)
            @click.option("--other")
            def main(size, other):
                return transforms.Scale(size), transforms.Scale(other)
            """,
        "size that is not known in one of two places": """
            from torchvision.transforms import Scale
            a = Scale(256)
            b = Scale(opt.size)
            """,
        "old order of a crop": """
            from torchvision import transforms
            a = transforms.RandomSizedCrop(224, 2)
            """,
        "base class": """
            from torchvision import transforms
            class Both(transforms.Scale):
                pass
            """,
        "handed on": """
            from torchvision import transforms
            build(transforms.Scale, 3)
            """,
        "number that may be the format": """
            from torchvision.utils import save_image
            save_image(x, file, kind)
            """,
        "flag that is no literal": """
            from torchvision import models
            a = models.resnet18(pretrained=args.pretrained)
            b = models.__dict__[args.arch](pretrained=True)
            c = models.resnet18(args.pretrained)
            """,
        "more arguments than can be seen": """
            from torchvision import models
            def build(*args, **kwargs):
                return models.resnet18(pretrained=True, **kwargs), models.vgg16(*args, pretrained=True)
            """,
        "two by position": """
            from torchvision import models
            a = models.resnet18(True, False)
            """,
        "a changed copy of torchvision": """
            import torchvision
            from torchvision import models
            a = models.vgg16(pretrained=True, fully_conv=True)
            b = torchvision.models.resnet18(fully_conv=True, pretrained=True, output_stride=8)
            """,
        "quantized": """
            from torchvision import models
            a = models.quantization.resnet18(pretrained=True, quantize=True)
            """,
        "own model of that name": """
            from torchvision import models
            from mylib.resnet import resnet50
            def resnet18(pretrained=False):
                return None
            a = resnet18(pretrained=True)
            b = resnet50(pretrained=True)
            """,
        "other zoo": """
            import pretrainedmodels as models
            import timm
            a = models.resnet50(pretrained=True)
            b = timm.create_model("resnet50", pretrained=True)
            """,
        "own transform of that name": """
            from transforms import Scale, RandomSizedCrop
            from ext_transforms import save_image
            t = [Scale(256), RandomSizedCrop(3)]
            save_image(x, "a.png", 8, range=(0, 1))
            """,
        "own argument of that name": """
            from torchvision import datasets
            a = datasets.CIFAR10("data", range=(0, 1), pretrained=True)
            """,
        "code for both": """
            import torchvision
            from torchvision import models, transforms
            try:
                resize = transforms.Resize
            except AttributeError:
                resize = transforms.Scale(3)
            if torchvision.__version__ >= "0.13":
                net = models.resnet18(weights="IMAGENET1K_V1")
            else:
                net = models.resnet18(pretrained=True)
            """,
    },
)


def test_numbers_of_pretrained_are_identical() -> None:
    text = "from torchvision import models\nnet = models.resnet18(pretrained=True)\n"
    assert [f.numerics for f in migrate(text, "TP805").findings] == [Numerics.IDENTICAL]


def test_what_a_rewrite_says_of_the_age_of_a_file_does_not_tell_what_a_size_was() -> None:
    # Once other rules have been here, a file of 2017 speaks of what torch 0.4 brought.
    found = advice(
        "TP805",
        """
        import torch
        from torchvision import transforms
        device = torch.device("cpu")
        t = transforms.Scale((a, b))
        """,
    )
    assert [f.line for f in found] == [4] and "is the same" not in found[0].message


def test_advice_for_two_sizes() -> None:
    found = advice(
        "TP805",
        """
        from torchvision import transforms
        t = transforms.Scale((width, 240))
        """,
    )
    assert [f.line for f in found] == [2]
    assert "for which a pair is (height, width)" in found[0].message


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("(target_width, target_height)", " Resize((target_height, target_width), 2) is the same"),
        (
            "[opt.imageWidth, opt.imageHeight]",
            " Resize((opt.imageHeight, opt.imageWidth), 2) is the same",
        ),
        ("(w, h)", " Resize((h, w), 2) is the same"),
        ("(hr_w, LR_H)", " Resize((LR_H, hr_w), 2) is the same"),
        ("(h, w)", "Scale is now Resize((h, w), 2), which takes (height, width)"),
        ("(WIDTH, new)", "up to 0.1.9 it was (width, height)"),
        ("(view, path)", "up to 0.1.9 it was (width, height)"),
        ("(w, new_w)", "up to 0.1.9 it was (width, height)"),
    ],
)
def test_the_names_of_a_pair_tell_its_order(size: str, said: str) -> None:
    text = f"from torchvision import transforms\nt = transforms.Scale({size}, 2)\n"
    (found,) = advice("TP805", text)
    assert found.message.endswith(said)


_STAR = """\
from torchvision.transforms import *
from PIL import Image
def f(width, height):
    a = Scale((width, height), Image.BICUBIC)
    b = Scale(256), RandomSizedCrop(3, 2)
    return Compose([a, *b, RandomSizedCrop(3)])
"""


def test_names_that_a_star_import_brought() -> None:
    result = migrate(_STAR, "TP805")
    assert result.text == _STAR.replace("Scale(256)", "Resize(256)").replace(
        "RandomSizedCrop(3)]", "RandomResizedCrop(3)]"
    )
    told = [f for f in result.findings if not f.fixed]
    assert [f.line for f in told] == [4, 5]
    new = "RandomResizedCrop(3, interpolation=2)"
    assert told[1].message == f"RandomSizedCrop is now RandomResizedCrop: {new}"
    assert "Resize((height, width), Image.BICUBIC) is the same" in told[0].message
    for other in ("from mine import *\n", "Scale = RandomSizedCrop = make\n"):
        text = _STAR.replace("def f", f"{other}def f")
        assert migrate(text, "TP805").text == text


def test_what_is_older_than_the_other_order_is_turned() -> None:
    text = "from torchvision import transforms\nt = transforms.Scale((a, b))\n"
    (found,) = advice("TP805", text, options=Options(era=Era(newest=(0, 2))))
    assert found.message.endswith(": Resize((b, a)) is the same")
    (found,) = advice("TP805", text, options=Options(era=Era(newest=(0, 3))))
    assert "is the same" not in found.message


@pytest.mark.parametrize("size", ["opt.size", "size"])
@pytest.mark.parametrize("other", ["interpolation=Image.LANCZOS", "Image.LANCZOS"])
def test_advice_keeps_the_other_arguments(size: str, other: str) -> None:
    (found,) = advice(
        "TP805",
        f"from PIL import Image\nfrom torchvision import transforms\n"
        f"t = transforms.Scale({size}, {other})\n",
    )
    assert found.message.count(f", {other})") == found.message.count("Resize(")


def test_advice_for_a_size_that_is_not_known() -> None:
    found = advice(
        "TP805",
        """
        from torchvision import transforms
        t = transforms.Scale(opt.size)
        """,
    )
    assert len(found) == 1
    assert found[0].message == "Scale is now Resize: Resize(opt.size) is the same for a number"


def test_a_list_that_another_file_uses_may_change() -> None:
    text = "from torchvision import transforms\nSIZE = [8, 8]\nt = transforms.Scale(SIZE)\n"
    used = Options(used_elsewhere=lambda name: name == "SIZE")
    assert migrate(text, "TP805", options=used).text == text
    assert migrate(text.replace("[8, 8]", "(8, 8)"), "TP805", options=used).text != text


def test_parts_that_are_set_where_nothing_reads_them_are_told() -> None:
    found = advice(
        "TP805",
        """
        from torchvision import datasets
        digits = datasets.MNIST("data", train=False)
        digits.train_data = x
        pictures = datasets.CIFAR10("data", opt.train)
        pictures.test_labels = y
        """,
    )
    assert [each.message for each in found] == [
        "torchvision takes samples from data today: to set train_data raises",
        "torchvision takes samples from targets today: to set test_labels changes no sample",
    ]


def test_parts_that_a_class_sets_which_derives_from_a_data_set_are_told() -> None:
    found = advice(
        "TP805",
        """
        from torchvision.datasets import CIFAR10, MNIST
        class Kept(MNIST):
            def __init__(self, *args):
                super().__init__(*args)
                self.train_data = self.train_data.float()
                del self.test_labels
            def forget(self):
                self.train_labels = None
        """,
    )
    assert [each.message for each in found] == [
        "torchvision takes samples from data today: to set train_data raises",
        "torchvision takes samples from targets today: to delete test_labels raises",
        "torchvision takes samples from targets today: to set train_labels raises",
    ]


@pytest.mark.parametrize(
    "text",
    [
        # It may set what it reads, of which CIFAR10 knows nothing.
        """
        from torchvision.datasets import CIFAR10
        class Own(CIFAR10):
            def __init__(self, x):
                self.train_data = x
            def __getitem__(self, index):
                return self.train_data[index]
        """,
        """
        from torchvision.datasets import CIFAR10
        class Own(CIFAR10):
            def __getitem__(self, index):
                return self.train_data[index]
        own = Own("data")
        own.train_data = x
        """,
        """
        from torchvision.datasets import MNIST
        class Own(MNIST):
            @property
            def train_data(self):
                return self.data
            @train_data.setter
            def train_data(self, data):
                self.data = data
            def halve(self):
                self.train_data = self.train_data[:9]
        """,
        """
        from torchvision.datasets import MNIST
        class Own(MNIST, Halves):
            def halve(self):
                self.train_data = self.train_data[:9]
        """,
        """
        from torch.utils.data import Dataset
        class Own(Dataset):
            def halve(self):
                self.train_data = self.train_data[:9]
        """,
    ],
)
def test_parts_of_a_class_of_its_own_are_its_own(text: str) -> None:
    text = textwrap.dedent(text)
    migration = migrate(text, "TP805")
    assert migration.text == text
    assert migration.findings == ()


@pytest.mark.parametrize("changed", ["train = not train", "digits = other", "train = False"])
def test_a_half_is_told_by_no_test_of_another_name(changed: str) -> None:
    text = f"""
        from torchvision import datasets
        def load(train, other):
            digits = datasets.MNIST("data", train=train)
            {changed}
            if train:
                digits.train_data = other
        """
    text = textwrap.dedent(text)
    assert migrate(text, "TP805").text == text


_SIZED = """from torchvision import transforms
def load(size=None):
    return transforms.Scale(size) if size is not None else None
class Crop:
    def __init__(self, size):
        self.size = size
    def __call__(self, x):
        return transforms.Scale(self.size)(x)
{more}
"""
_USED = "import torch\nfrom sized import Crop, load\ntorch.ones(1)\n"


def _resized(folder: Path, used: str, more: str = "") -> tuple[bool, bool]:
    """Whether the sizes of a function and of a class became those of `Resize`."""
    (folder / "sized.py").write_text(_SIZED.format(more=more))
    (folder / "main.py").write_text(_USED + used)
    (folder / ".git").mkdir()
    paths = [folder / "sized.py", folder / "main.py"]
    text, _ = (
        r.after or "" for r in migrate_files(paths, Settings(select=("TP805",)), write=False)
    )
    return "Resize(size)" in text, "Resize(self.size)" in text


@pytest.mark.parametrize("size", ["3", "(3, 3)", "size=3", "size=(4, 4)"])
def test_a_size_is_what_all_of_the_project_give(tmp_path: Path, size: str) -> None:
    assert _resized(tmp_path, f"load({size}), Crop({size}), load(None)\n") == (True, True)


@pytest.mark.parametrize(
    ("used", "more"),
    [
        ("load(opt.size), Crop(opt.size)", ""),
        ("load((3, 4)), Crop((3, 4))", ""),
        ("load([3, 3]), Crop([3, 3])", ""),
        ("load(None), Crop(None)", ""),
        ("load(3), load(*sizes), Crop(3), Crop(*sizes)", ""),
        ("load(3), Crop(3)\nmake(load), make(Crop)", ""),
        ("", ""),
    ],
)
def test_of_other_sizes_the_number_is_told(tmp_path: Path, used: str, more: str) -> None:
    assert _resized(tmp_path, f"{used}\n", more) == (False, False)


@pytest.mark.parametrize(
    ("used", "more"),
    [
        ("Crop(3).size = (3, 4)", ""),
        ("crop = Crop(3)\ncrop.size = sizes", ""),
        (
            "Crop(3), Wide()",
            "class Wide(Crop):\n    def __init__(self):\n        super().__init__((3, 4))",
        ),
        ("Crop(3), Wide((3, 4))", "class Wide(Crop):\n    pass"),
        (
            "Crop(3)",
            "class Wide(Crop):\n    def __init__(self):\n        Crop.__init__(self, (3, 4))",
        ),
        ("Crop(3)", "class Wide(Crop):\n    def set(self):\n        self.size = (3, 4)"),
    ],
)
def test_a_size_that_others_may_set_is_told(tmp_path: Path, used: str, more: str) -> None:
    assert not _resized(tmp_path, f"from sized import *\n{used}\n", more)[1]


_BESIDE = """from torchvision import transforms
class Loader:
    def __init__(self, args, size=256):
        self.size = size
    def load(self, image):
        if {asked}:
            return transforms.Resize({square})(image)
        return transforms.Scale(self.size)(image)
"""


@pytest.mark.parametrize(
    ("asked", "square", "is_number"),
    [
        ("self.resize", "(self.size, self.size)", True),
        ("self.resize", "self.size // 2", True),
        ("self.resize", "(8, 8)", False),
        ("self.resize", "self.size[0]", False),
        # Where its kind is asked for, it is the other one below.
        ("isinstance(self.size, int)", "(self.size, self.size)", False),
        ("not hasattr(self.size, 'index')", "(self.size, self.size)", False),
    ],
)
def test_a_size_is_the_number_that_it_is_beside(asked: str, square: str, is_number: bool) -> None:
    text = _BESIDE.format(asked=asked, square=square)
    assert ("Resize(self.size)" in migrate(text, "TP805").text) == is_number


_CHOSEN = """from torchvision import transforms
def load(name, size=224, share=0.9):
    if name in ("a", "b"):
        scaled = int({calculated})
    else:
        scaled = size
    return transforms.Scale(scaled)
"""


@pytest.mark.parametrize(
    ("calculated", "is_number"), [("size / share", True), ("256 / share", False)]
)
def test_a_size_that_is_chosen_is_a_number_on_all_ways(calculated: str, is_number: bool) -> None:
    text = _CHOSEN.format(calculated=calculated)
    assert ("Resize(scaled)" in migrate(text, "TP805").text) == is_number


_FOLDER = """import torch
from torchvision import datasets
from torch.utils.data import ConcatDataset, DataLoader
def cut(path, kind, other):
    if kind == "folder":
        data = datasets.ImageFolder(path)
    elif kind == "all":
        data = ConcatDataset([datasets.ImageFolder(path), other])
    else:
        data = other
    loader = DataLoader(dataset=data)
    {}
"""


@pytest.mark.parametrize(
    "cut",
    [
        "data.imgs = data.imgs[:9]",
        "loader.dataset.imgs = loader.dataset.imgs[:9]",
        "for i in range(2): loader.dataset.datasets[i].imgs = []",
    ],
)
def test_the_images_that_are_set_of_a_folder(cut: str) -> None:
    """torchvision takes them from ``samples``."""
    told = advice("TP805", _FOLDER.format(cut))
    assert [finding.message for finding in told] == [
        "an ImageFolder takes its samples from samples today: to set imgs changes none of them"
    ]


@pytest.mark.parametrize(
    "cut",
    [
        "print(data.imgs)",
        "other.imgs = other.imgs[:9]",
        "data.imgs = data.samples = data.samples[:9]",
        "loader.dataset.imgs = loader.dataset.samples = []",
        "loader.dataset.datasets.imgs = []",
        "other[0].imgs = []",
        "DataLoader(*other).dataset.imgs = []",
    ],
)
def test_images_that_are_read_or_set_with_the_samples_or_of_other_things(cut: str) -> None:
    assert advice("TP805", _FOLDER.format(cut)) == []


_KEPT = """from torchvision import transforms
class Loader:
    def __init__(self, args):
        self.size = {size}
    def load(self, image):
        crop = transforms.Scale(self.size)
        return transforms.Scale(self.size)(image)
    def change(self, other):
        {more}
"""
_TURNED = "Resize takes (height, width): Resize(self.size[::-1]) is the same, here and in line 7"
_UNSURE = "for which a pair (line 4 gives one) is (height, width)"


@pytest.mark.parametrize(
    ("size", "more", "said"),
    [
        ("(args.size_wide, args.size_high)", "return self.size", _TURNED),
        ("[args.width, args.height]", "return self.size", _TURNED),
        ("(args.height, args.width)", "pass", "Resize(self.size), which takes (height, width)"),
        ("(args.left, args.right)", "pass", _UNSURE),
        # Another place may give a number, where the other way round would raise.
        ("(args.width, args.height)", "self.size = other", _UNSURE),
        ("(args.width, args.height)", "other.size = 3", _UNSURE),
        ("args.size", "pass", "Resize(self.size) is the same for a number, here and in line 7"),
    ],
)
def test_a_size_that_the_class_keeps_is_told_once(
    size: str, more: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "load.py").write_text(_KEPT.format(size=size, more=more))
    (result,) = migrate_files([tmp_path / "load.py"], Settings(select=("TP805",)), write=False)
    (found,) = result.findings
    assert said in found.message and found.line == 6


def test_a_number_that_the_class_keeps_is_a_size() -> None:
    text = _KEPT.format(size="32", more="pass")
    assert migrate(text, "TP805").text == text.replace("Scale", "Resize")
