"""What a project's own last transformation makes of arrays is part of no graph (TP101)."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TEXT = """
import torch
from torch.autograd import Variable
from torchvision import transforms
class Normalize(object):
    def __call__(self, sample):
        return sample
class ToTensor(object):
    def __call__(self, sample):
        image = sample['image']
        RETURN
class Tracker:
    def __init__(self, net):
        self.net = net
        self.transform = transforms.Compose(STEPS)
    def update(self, image):
        sample = self.transform({'image': image})
        return self._rect(sample)
    def _rect(self, sample):
        x = sample['image']
        return self.net(Variable(x.cuda()))
"""
_MADE = "return {'image': torch.from_numpy(image).float(), 'n': 3}"
_STEPS = "[Normalize(), ToTensor()]"


def _given(root: Path, returned: str, steps: str, more: str = "") -> str:
    path = root / "track.py"
    path.write_text(_TEXT.replace("RETURN", returned).replace("STEPS", steps) + more)
    result = migrate_file(path, Settings(select=("TP101",)), write=False)
    assert not result.errors
    return (result.after or "").split("self.net(")[1].split(")\n")[0]


@pytest.mark.parametrize(
    ("returned", "steps"),
    [
        (_MADE, _STEPS),
        (_MADE, "(Normalize(), ToTensor())"),
        (
            f"if image is None:\n            return {{'image': torch.zeros(1)}}\n        {_MADE}",
            _STEPS,
        ),
    ],
)
def test_needs_no_detach(tmp_path: Path, returned: str, steps: str) -> None:
    assert _given(tmp_path, returned, steps) == "x.cuda()"


@pytest.mark.parametrize(
    ("returned", "steps", "more"),
    [
        pytest.param("return {'image': image}", _STEPS, "", id="hands on what it is given"),
        pytest.param("return {'image': NET(image)}", _STEPS, "", id="of a model"),
        pytest.param(
            f"if image is None:\n            return sample\n        {_MADE}",
            _STEPS,
            "",
            id="one way",
        ),
        pytest.param(_MADE, "[ToTensor(), Normalize()]", "", id="another one is the last"),
        pytest.param(_MADE, "[ToTensor(), *more]", "", id="maybe another one"),
        pytest.param(_MADE, "steps", "", id="steps out of sight"),
        pytest.param(_MADE, _STEPS, "Tracker(n).transform = other\n", id="replaced elsewhere"),
        pytest.param(_MADE, _STEPS, "Tracker(n)._rect({'image': y})\n", id="called with another"),
    ],
)
def test_is_detached_where_it_may_have_a_graph(
    tmp_path: Path, returned: str, steps: str, more: str
) -> None:
    assert _given(tmp_path, returned, steps, more) == "x.cuda().detach()"
