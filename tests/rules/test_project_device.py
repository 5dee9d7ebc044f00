"""A device that a file of the project keeps is taken where it certainly is that of ``.cuda()``."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

CONFIG = """import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
GPU = torch.device("cuda:1" if torch.cuda.is_available() else "cpu")
cpu_device = torch.device("cpu")


class Options:
    DEVICE = torch.device("cuda:0") if torch.cuda.is_available() else torch.device("cpu")


cfg = Options()
"""
USE = "\n\ndef start(n):\n    return torch.zeros(n).cuda()\n"
OWN = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "config.py").write_text(CONFIG)
    return tmp_path


def after(root: Path, text: str, code: str = "TP201") -> str:
    path = root / "script.py"
    path.write_text(text)
    result = migrate_file(path, Settings(select=(code,)), write=False)
    assert not result.errors
    return result.after or text


@pytest.mark.parametrize(
    ("line", "device"),
    [
        ("import config", "config.device"),
        ("import config as settings", "settings.device"),
        ("from config import *", "device"),
        ("from config import device", "device"),
        ("from config import device as dev", "dev"),
        ("from config import cfg", "cfg.DEVICE"),
    ],
)
def test_the_device_of_an_imported_file_is_taken(root: Path, line: str, device: str) -> None:
    text = f"import torch\n{line}{USE}"
    expected = text.replace("(n).cuda()", f"(n, device={device})")
    assert after(root, text) == expected
    assert after(root, expected) == expected


def test_a_tensor_of_a_type_goes_there_as_well(root: Path) -> None:
    text = "import torch\nimport config\n\nx = torch.cuda.FloatTensor(3, 4).fill_(0)\n"
    assert after(root, text, "TP203").endswith("\nx = torch.zeros(3, 4, device=config.device)\n")


@pytest.mark.parametrize(
    "line",
    [
        "from config import GPU as device_of_run",
        "from config import cpu_device",
        "def late():\n    import config",
        "if torch.cuda.is_available():\n    import config",
        "import config\nconfig = load(config)",
        "from config import *\nfrom unheard import *",
        "from config import *\ndevice = 0",
        "from config import Options",
    ],
)
def test_another_device_or_one_out_of_sight_is_not_taken(root: Path, line: str) -> None:
    result = after(root, f"import torch\n{line}{USE}")
    assert OWN in result.replace("torch_device", "device")


@pytest.mark.parametrize(
    "setting", ["import config\nconfig.device = 0\n", "from config import cfg\ncfg.DEVICE = 0\n"]
)
def test_a_device_that_another_file_sets_is_not_taken(root: Path, setting: str) -> None:
    (root / "main.py").write_text(setting)
    for line in ("import config", "from config import *", "from config import cfg"):
        word = "DEVICE" if "cfg" in line else "device"
        if f".{word} =" in setting:
            assert OWN in after(root, f"import torch\n{line}{USE}")


@pytest.mark.parametrize("change", ["import script\n", "__all__ = ['cfg']\n"])
def test_a_name_that_may_not_be_there_yet_is_not_taken(root: Path, change: str) -> None:
    (root / "config.py").write_text(change + CONFIG)
    assert OWN in after(root, f"import torch\nfrom config import *{USE}")


def test_what_a_function_calls_so_hides_it(root: Path) -> None:
    text = "import torch\nimport config\n\n\ndef start(config):\n    return torch.zeros(2).cuda()\n"
    assert OWN in after(root, text)


def test_the_switch_of_a_file_is_followed_rather(root: Path) -> None:
    text = (
        "import argparse\nimport torch\nimport config\n"
        "parser = argparse.ArgumentParser()\nparser.add_argument('--cuda', action='store_true')\n"
        "args = parser.parse_args()\n\n\ndef start(n):\n    x = torch.zeros(n)\n"
        "    if args.cuda:\n        x = x.cuda()\n    return x\n"
    )
    assert "'cuda' if args.cuda else 'cpu'" in after(root, text)


@pytest.mark.parametrize(
    "written", ['"cpu"', '"cuda:1"', '"cuda:1" if torch.cuda.is_available() else "cpu"']
)
def test_a_device_of_the_file_that_is_another_is_not_taken(root: Path, written: str) -> None:
    result = after(root, f"import torch\ndevice = torch.device({written}){USE}")
    assert "torch.zeros(n, device=torch_device)" in result


def test_what_stays_is_told_with_that_device(root: Path) -> None:
    path = root / "script.py"
    path.write_text("import torch\nimport config\n\n\ndef start(x):\n    return x.cuda()\n")
    (told,) = migrate_file(path, Settings(select=("TP201",)), write=False).findings
    assert told.message == ".cuda() needs a GPU: write x.to(config.device)"
