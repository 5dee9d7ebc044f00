from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """
            from torchvision import datasets, transforms
            """
_THREE = "transforms.Normalize((0.5, 0.4, 0.3), (0.2, 0.2, 0.2))"
_ONE = "transforms.Normalize((0.5,), (0.2,))"


def _both(code: str) -> tuple[str, str]:
    return _HEAD + code.replace("@", _THREE), _HEAD + code.replace("@", _ONE)


test_rewrites = rewrites(
    "TP808",
    {
        "composed": _both(
            "t = transforms.Compose([transforms.ToTensor(), @])\n"
            "            data = datasets.MNIST('.', transform=t)\n"
        ),
        "alone, by position": _both("data = datasets.MNIST('.', True, @)\n"),
        "keywords, lists, lines": (
            f"""{_HEAD}data = datasets.FashionMNIST(
                root='.', transform=transforms.Compose((
                    transforms.Resize(32),
                    transforms.ToTensor(),
                    transforms.Normalize(mean=[0.485, 0.456, 0.406],
                                         std=[0.229, 0.224, 0.225]))))
            """,
            f"""{_HEAD}data = datasets.FashionMNIST(
                root='.', transform=transforms.Compose((
                    transforms.Resize(32),
                    transforms.ToTensor(),
                    transforms.Normalize(mean=[0.485], std=[0.229]))))
            """,
        ),
        "lines that had room on one, or say something": (
            f"""{_HEAD}t = transforms.Normalize((0.5, 0.5, 0.5),
                (0.5, 0.5, 0.5))
            s = transforms.Normalize((0.5, 0.5, 0.5),  # as for the three channels of the others
                (0.5, 0.5, 0.5))
            data = datasets.MNIST('.', transform=t), datasets.MNIST('.', transform=s)
            """,
            f"""{_HEAD}t = transforms.Normalize((0.5,),
                (0.5,))
            s = transforms.Normalize((0.5,),  # as for the three channels of the others
                (0.5,))
            data = datasets.MNIST('.', transform=t), datasets.MNIST('.', transform=s)
            """,
        ),
        "of whatever images that were made grey before": _both(
            "t = transforms.Compose([transforms.Grayscale(), transforms.ToTensor(), @])\n"
            "            u = transforms.Compose((transforms.Grayscale(num_output_channels=1), @))\n"
            "            data = datasets.ImageFolder(path, transform=t)\n"
        ),
        "of what Pillow made grey": _both(
            "from PIL import ImageOps\n"
            "            t = transforms.Compose([ImageOps.grayscale, transforms.ToTensor(), @])\n"
        ),
        "returned, and handed on": _both(
            "def steps():\n"
            "                return transforms.Compose([transforms.ToTensor(), @])\n"
            "            def build(transform):\n"
            "                return datasets.KMNIST('.', transform=transform)\n"
            "            data = build(steps())\n"
        ),
        "two sets of one channel": _both(
            "t = @\n"
            "            a = datasets.MNIST('.', transform=t)\n"
            "            b = datasets.EMNIST('.', 'letters', transform=t)\n"
        ),
    },
)

_MNIST = "\n            data = datasets.MNIST('.', transform=t)\n"
_KEPT = {
    "already one": f"t = {_ONE}{_MNIST}",
    "images with colours": f"data = datasets.CIFAR10('.', transform={_THREE})\n",
    "channels made before": (
        f"t = transforms.Compose([transforms.Grayscale(3), transforms.ToTensor(), {_THREE}]){_MNIST}"
    ),
    "grey or not": (
        "t = transforms.RandomChoice([transforms.Grayscale(), transforms.ToTensor(), "
        f"{_THREE}])\n            d = datasets.ImageFolder(path, transform=t)\n"
    ),
    "grey, and then changed": (
        "t = transforms.Compose([transforms.Grayscale(), transforms.Lambda(coloured), "
        f"{_THREE}])\n            d = datasets.ImageFolder(path, transform=t)\n"
    ),
    "as many channels as are asked for": (
        f"t = transforms.Compose([transforms.Grayscale(channels), {_THREE}])\n"
    ),
    "a function before": (
        "t = transforms.Compose([transforms.ToTensor(), "
        f"transforms.Lambda(lambda x: x.repeat(3, 1, 1)), {_THREE}]){_MNIST}"
    ),
    "steps of one's own": f"t = transforms.Compose([ToColour(), {_THREE}]){_MNIST}",
    "steps put together elsewhere": (
        f"steps = [transforms.ToTensor()]\n            steps.append({_THREE})\n"
        f"            t = transforms.Compose(steps){_MNIST}"
    ),
    "a data set of one's own": (
        f"class MNIST:\n                pass\n            data = MNIST('.', transform={_THREE})\n"
    ),
    "a name for one mean": f"means = (0.5,)\n            t = transforms.Normalize(means, means){_MNIST}",
    "means that a caller gives": (
        "def made(means):\n                t = transforms.Normalize(means, means)\n"
        "                return datasets.MNIST('.', transform=t)\n"
    ),
    "means of one kind or another": (
        "means = (0.5,) if grey else (0.5, 0.5, 0.5)\n"
        f"            t = transforms.Normalize(means, means){_MNIST}"
    ),
    "starred": f"t = transforms.Normalize(*stats){_MNIST}",
    "another Normalize": (
        "from mine import Normalize\n            t = Normalize((0.5, 0.5, 0.5), (1, 1, 1))" + _MNIST
    ),
    "a version is asked for": (
        "import torchvision\n            if torchvision.__version__ < '0.3':\n"
        f"                data = datasets.MNIST('.', transform={_THREE})\n"
    ),
}

test_keeps = keeps("TP808", {name: _HEAD + text for name, text in _KEPT.items()})


@pytest.mark.parametrize("name", _KEPT)
def test_nothing_is_said_of_what_is_right(name: str) -> None:
    assert not advice("TP808", _HEAD + _KEPT[name])


_TOLD = (
    "images of MNIST have one channel, and Normalize wants as many means as channels today: "
    "give it one mean and one std for MNIST"
)


@pytest.mark.parametrize(
    "text",
    [
        f"t = {_THREE}\n            if grey:\n                d = datasets.MNIST('.', transform=t)\n"
        "            else:\n                d = datasets.CIFAR10('.', transform=t)\n",
        f"t = transforms.Normalize((0.5,) * 3, (0.1, 0.2, 0.3)){_MNIST}",
        f"t = {_THREE}\n            show(t){_MNIST}",
        f"t = transforms.Normalize((*m,), (0.1, 0.2, 0.3)){_MNIST}",
        "v = 0.5\n            means = (v, v, v)\n"
        f"            t = transforms.Normalize(mean=means, std=means){_MNIST}",
    ],
)
def test_what_others_take_as_well_is_told(text: str) -> None:
    assert [finding.message for finding in advice("TP808", _HEAD + text)] == [_TOLD]


def test_means_by_a_name_are_told_after_a_step_that_makes_grey() -> None:
    text = (
        "means = (0.5, 0.5, 0.5)\n            t = transforms.Compose([transforms.Grayscale(), "
        "transforms.ToTensor(), transforms.Normalize(means, means)])\n"
    )
    assert [finding.message for finding in advice("TP808", _HEAD + text)] == [
        "images have one channel after transforms.Grayscale(), and Normalize wants as many means "
        "today: give it one mean and one std"
    ]


def test_means_of_another_file_are_told(tmp_path: Path) -> None:
    (tmp_path / "params.py").write_text("V = 0.5\nMEANS = (V, V, V)\n", "utf-8")
    (tmp_path / ".git").mkdir()
    data = tmp_path / "data.py"
    data.write_text(
        "from torchvision import datasets, transforms\nfrom params import MEANS\n"
        "t = transforms.Normalize(MEANS, std=MEANS)\nd = datasets.MNIST('.', transform=t)\n",
        "utf-8",
    )
    result = migrate_file(data, Settings(select=("TP808",)), write=False)
    assert [each.message for each in result.findings] == [_TOLD]
