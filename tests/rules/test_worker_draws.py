from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_OLD = Options(era=Era((1, 0), (1, 8)))
_HEAD = """import numpy as np
from numpy import random as npr
from torch.utils.data import DataLoader, Dataset, Subset
"""
_DATA = """class Data(Dataset):
    def __init__(self, transform=None):
        self.transform = transform
    def __getitem__(self, i):
        return i + BODY
    def drawn(self):
        return np.random.rand()
    def __len__(self):
        return 4
"""
_LOADER = "loader = DataLoader(Data(), num_workers=2)\n"
_DRAWS = _HEAD + _DATA.replace("BODY", "np.random.rand()")
_STILL = _HEAD + _DATA.replace("BODY", "1")
_CROP = "class Crop(object):\n    def __call__(self, x):\n        return x + np.random.rand()\n"

_TOLD = {
    "in __getitem__": _DRAWS + _LOADER,
    "by another name": _DRAWS.replace("np.random.rand", "npr.rand") + _LOADER,
    "in a method": _HEAD + _DATA.replace("BODY", "self.drawn()") + _LOADER,
    "in a function": _HEAD
    + "def crop(x):\n    return np.random.randint(x)\n"
    + _DATA.replace("BODY", "crop(i)")
    + _LOADER,
    "in a base class": _DRAWS
    + "class More(Data):\n    pass\n"
    + _LOADER.replace("Data()", "More()"),
    "by a name": _DRAWS + "data = Data()\n" + _LOADER.replace("Data()", "data"),
    "workers of an option": _DRAWS + _LOADER.replace("=2", "=args.workers"),
    "in a transformation": _STILL + _CROP + _LOADER.replace("Data()", "Data(transform=Crop())"),
    "in one of several": _STILL
    + _CROP
    + "both = Compose([Other(), Crop()])\n"
    + _LOADER.replace("Data()", "Data(both)"),
    "in a part": _DRAWS + _LOADER.replace("Data()", "Subset(Data(), [0])"),
    "two loaders": _DRAWS + _LOADER + _LOADER.replace("loader", "other"),
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _TOLD.items()])
def test_is_told_once(text: str) -> None:
    (finding,) = advice("TP807", text, options=_OLD)
    assert "worker_init_fn=lambda worker: np.random.set_state(state)" in finding.message
    assert finding.line == text[: text.index("loader = DataLoader")].count("\n") + 1
    assert migrate(text, "TP807", options=_OLD).text == text
    assert not advice("TP807", text, options=Options(era=Era((1, 0), (1, 9))))
    assert not advice("TP807", text)


_QUIET = {
    "nothing is drawn": _STILL + _LOADER,
    "one worker": _DRAWS + _LOADER.replace("=2", "=1"),
    "no worker": _DRAWS + _LOADER.replace("=2", "=0"),
    "workers by default": _DRAWS + "loader = DataLoader(Data())\n",
    "a seed of their own": _DRAWS + _LOADER.replace("=2", "=2, worker_init_fn=seed"),
    "more arguments": _DRAWS + _LOADER.replace("=2", "=2, **more"),
    "seeded": _HEAD
    + _DATA.replace("return i", "np.random.seed(i)\n        return i").replace(
        "BODY", "np.random.rand()"
    )
    + _LOADER,
    "a generator of its own": _HEAD
    + _DATA.replace("BODY", "np.random.RandomState(i).rand()")
    + _LOADER,
    "in another method": _STILL + _LOADER,
    "torch draws": _HEAD + _DATA.replace("BODY", "torch.rand(1)") + _LOADER,
    "another random": "import random\n"
    + _HEAD
    + _DATA.replace("BODY", "random.random()")
    + _LOADER,
    "an unknown data set": _DRAWS + _LOADER.replace("Data()", "data_of(args)"),
    "a data set made of itself": _STILL
    + "for i in range(3):\n    data = wrapped(data, data)\n"
    + _LOADER.replace("Data()", "data"),
    "another loader": _DRAWS.replace("import DataLoader, Dataset", "import Dataset") + _LOADER,
    "a shadowed numpy": _DRAWS.replace("import numpy as np", "np = Mine()") + _LOADER,
    "a transformation that draws nothing": _STILL
    + _CROP.replace("np.random.rand()", "1")
    + _LOADER.replace("Data()", "Data(Crop())"),
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _QUIET.items()])
def test_nothing_is_said(text: str) -> None:
    assert not advice("TP807", text, options=_OLD)


test_keeps = keeps("TP807", _TOLD)


def test_a_data_set_of_another_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "data.py").write_text(
        _HEAD + _DATA.replace("BODY", "crop(i)") + "def crop(i):\n    return np.random.rand()\n"
    )
    script = tmp_path / "train.py"
    script.write_text("from torch.utils.data import DataLoader\nfrom data import Data\n" + _LOADER)
    settings = Settings(select=("TP807",), from_version="1.0")
    (finding,) = migrate_file(script, settings, write=False).findings
    assert finding.line == 3
