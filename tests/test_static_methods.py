"""Which argument is for which parameter: static methods, and methods taken from their class."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_SHOWN = """
import torch
import torch.nn.functional as F
class Engine:
    {decorator}
    def show({first}loss, vector):
        return vector.data[0], loss.data[0]
    def run(self, a, b):
        return {call}(F.mse_loss(a, b), torch.zeros(3))
"""


@pytest.mark.parametrize(
    ("decorator", "first", "call"),
    [
        ("@staticmethod", "", "self.show"),
        ("@classmethod", "cls, ", "self.show"),
        ("", "self, ", "self.show"),
    ],
)
def test_arguments_are_those_of_the_parameters(decorator: str, first: str, call: str) -> None:
    text = _SHOWN.format(decorator=decorator, first=first, call=call)
    assert "vector.data[0], loss.item()" in migrate(text, "TP103").text


@pytest.mark.parametrize(
    ("decorator", "first", "call"),
    [
        ("@staticmethod", "", "Engine.show"),
        ("@cached", "self, ", "self.show"),
    ],
)
def test_what_is_not_certainly_passed_stays(decorator: str, first: str, call: str) -> None:
    text = _SHOWN.format(decorator=decorator, first=first, call=call)
    assert migrate(text, "TP103").text == text


_HELPER = """
import torch
from torch.autograd import Variable
class Engine:
    {decorator}
    def make({first}batch, volatile=False):
        return Variable(batch, volatile=volatile)
    def run(self, model, batches):
        total = 0
        for batch in batches:
            total += model({call}batch, True)).sum().data
        return total
"""
_FOLLOWED = """
import torch
from torch.autograd import Variable
class Engine:
    {decorator}
    def make({first}batch):
        return Variable(batch)
    def run(self, model, batches):
        total = 0
        with torch.no_grad():
            for batch in batches:
                total += model({call}batch)).sum().data
        return total
"""


@pytest.mark.parametrize(
    ("decorator", "first", "call"),
    [
        ("@staticmethod", "", "Engine.make("),
        ("@staticmethod", "", "self.make("),
        ("@classmethod", "cls, ", "Engine.make("),
        ("@classmethod", "cls, ", "self.make("),
        ("", "self, ", "self.make("),
        ("", "self, ", "Engine.make(self, "),
        ("", "", "Engine.make("),
    ],
)
def test_the_flag_of_a_helper_is_found_among_its_arguments(
    decorator: str, first: str, call: str
) -> None:
    names = {"decorator": decorator, "first": first, "call": call}
    alone = Options(imported_elsewhere=lambda: False)
    after = migrate(_HELPER.format(**names), "TP102", options=alone).text
    assert after == _FOLLOWED.format(**names)


def _files(root: Path, **files: str) -> dict[str, str]:
    """What becomes of the files of a project."""
    (root / "setup.py").write_text("")
    for name, text in files.items():
        (root / f"{name}.py").write_text(textwrap.dedent(text).lstrip("\n"))
    settings = Settings(select=("TP102", "TP103"))
    results = {name: migrate_file(root / f"{name}.py", settings, write=False) for name in files}
    assert not any(result.errors for result in results.values())
    return {name: result.after or "" for name, result in results.items()}


_ENGINE = """
import torch
from torch.autograd import Variable
class Engine:
    @staticmethod
    def forward(model, batch, volatile=False):
        return model(Variable(batch, volatile=volatile))
    def run(self, batches):
        with torch.no_grad():
            for batch in batches:
                print(Engine.forward(self.model, batch, True))
"""


@pytest.mark.parametrize(
    "use",
    [
        "Engine.forward(model, batch, volatile=False)",
        "Engine.forward(model, batch, volatile=flag)",
        "Engine.forward(*given)",
        "apply(Engine.forward, model, batch)",
    ],
)
@pytest.mark.parametrize("imported", ["from engine import Engine", "from engine import *"])
def test_a_method_that_another_file_takes_from_its_class_keeps_its_flag(
    tmp_path: Path, use: str, imported: str
) -> None:
    test = f"import torch\n{imported}\ndef test(model, batch):\n    return {use}\n"
    engine = _files(tmp_path, engine=_ENGINE, test=test)["engine"] or _ENGINE
    assert "volatile=False):" in engine


def test_a_call_of_a_method_of_its_class_loses_the_flag(tmp_path: Path) -> None:
    test = "import torch\nfrom engine import Engine\ndef test(model, batch):\n"
    call = "    return Engine.forward(model, batch, volatile=False)\n"
    after = _files(tmp_path, engine=_ENGINE, test=test + call)["test"]
    assert after.endswith("Engine.forward(model, batch)\n")


def test_a_method_that_gets_its_object_by_hand_is_not_known_by_its_calls(tmp_path: Path) -> None:
    engine = "import torch\nclass Log:\n    def show(self, x):\n        print(x.data[0])\n"
    test = (
        "import torch\nimport torch.nn.functional as F\nfrom engine import Log\n"
        "def test(a):\n    Log.show(F.mse_loss(a, a), torch.zeros(3))\n"
    )
    assert _files(tmp_path, engine=engine, test=test)["engine"] == ""


def test_a_flag_of_another_name_goes_with_its_calls(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "utils.py").write_text(
        "from torch.autograd import Variable\n"
        "def get_batch(x, evaluation=False):\n"
        "    return Variable(x, volatile=evaluation), 3\n"
    )
    (tmp_path / "train.py").write_text(
        "import torch\nfrom utils import get_batch\nprint(get_batch(x, evaluation=True))\n"
    )
    # Its calls are in another file, which is told of them.
    alone = migrate_file(tmp_path / "utils.py", Settings(select=("TP102",)), write=False)
    assert not alone.findings
    caller = migrate_file(tmp_path / "train.py", Settings(select=("TP102",)), write=False)
    assert caller.after is not None
    assert "with torch.no_grad():\n    print(get_batch(x))" in caller.after


@pytest.mark.parametrize(
    ("call", "is_reported"),
    [
        ("model.encode(x, volatile=True)", True),
        ("model.encode(x, True)", True),
        ("model.encode(x, volatile=False)", False),
        ("model.encode(x)", False),
        ("model.forward(x, volatile=True)", False),
        # Followed there.
        ("Net().encode(x, volatile=True)", False),
    ],
)
def test_the_flag_of_a_method_is_reported_where_its_calls_are_not_followed(
    tmp_path: Path, call: str, is_reported: bool
) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "model.py").write_text(
        "from torch.autograd import Variable\n"
        "class Net:\n"
        "    def encode(self, x, volatile=False):\n"
        "        return self.net(Variable(x, volatile=volatile))\n"
    )
    (tmp_path / "test.py").write_text(
        f"from model import Net\ndef f(model, x):\n    print({call})\n"
    )
    result = migrate_file(tmp_path / "model.py", Settings(select=("TP102",)), write=False)
    assert (
        any("the calls of encode that set it" in f.message for f in result.findings) is is_reported
    )


def test_a_flag_that_no_file_passes_is_no_finding() -> None:
    text = "from torch.autograd import Variable\ndef f(x, quick=False):\n"
    assert not advice("TP102", text + "    return Variable(x, volatile=quick)\n")
