"""Where torchvision is installed its data sets are replaced, the rest is left to it."""

import importlib
import os
import sys
import tempfile

from _torchfix_inside.shims import datasets as shim

FILES = {
    "__init__.py": "",
    "datasets/__init__.py": "from .mnist import MNIST\nfrom .flowers import Flowers102\n",
    "datasets/mnist.py": "class MNIST:\n    def __init__(self, root):\n        raise OSError\n",
    "datasets/flowers.py": "class Flowers102: ...\n",
    "transforms/__init__.py": "class Resize: ...\nclass RandomResizedCrop: ...\n",
}
ROOT = tempfile.mkdtemp()
for file, text in FILES.items():
    path = os.path.join(ROOT, "torchvision", file)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)
for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
    del sys.modules[name]
sys.path.insert(0, ROOT)
shim.install(8)


def check_data_sets_are_made_up():
    from torchvision.datasets import CIFAR10, MNIST, Flowers102
    from torchvision.datasets.mnist import MNIST as same

    assert MNIST is same and len(MNIST("nowhere")) == 8 and len(CIFAR10("nowhere", False)) == 8
    assert Flowers102.__module__ == "torchvision.datasets.flowers"


def check_old_names_of_transforms():
    transforms = importlib.import_module("torchvision.transforms")
    assert transforms.Scale is transforms.Resize and transforms.__file__.startswith(ROOT)
    assert transforms.RandomSizedCrop is transforms.RandomResizedCrop
