"""Processes that are forked cannot use CUDA once it was asked whether it is there."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_ONLY = Settings(select=("TP201",))

_TEXT = """
    import torch
    import torch.multiprocessing as mp
    def move(x):
        return x.float(){move}
    def train(rank, model):
        x = torch.ones(rank)
        return model(move(x))
    def main(model):
        {start}
"""
_FORK = "mp.Process(target=train, args=(0, model)).start()"


def _text(start: str = _FORK, move: str = ".cuda()") -> str:
    return textwrap.dedent(_TEXT).lstrip("\n").format(start=start, move=move)


def test_nothing_asks_for_cuda_before_processes_are_forked() -> None:
    assert migrate(_text(), "TP201", "TP203").text == _text()
    [found] = advice("TP201", _text())
    assert "make a device in the function that each process runs" in found.message
    assert found.line == 4


def test_types_of_the_gpu_stay_as_well() -> None:
    text = _text(move=".type(torch.cuda.FloatTensor)")
    assert migrate(text, "TP201", "TP203").text == text


def test_a_class_of_processes() -> None:
    text = _text("Worker().start()")
    text += "class Worker(mp.Process):\n    def run(self):\n        train(0, self.model)\n"
    assert migrate(text, "TP201").text == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(_text("mp.set_start_method('spawn'); " + _FORK), id="spawned"),
        pytest.param(_text("mp.Process(target=read, args=(0,)).start()"), id="of another function"),
        pytest.param(_text("Process(target=train).start()"), id="not multiprocessing's"),
        pytest.param(_text("train(0, model)"), id="no process"),
        pytest.param(
            _text(move=".cuda() if use_cuda else x").replace("def move", "use_cuda = k\ndef move"),
            id="the file has a flag",
        ),
    ],
)
def test_a_device_is_made(text: str) -> None:
    assert "device = torch.device(" in migrate(text, "TP201").text


@pytest.mark.parametrize("kind", ["Process", "Thread"])
def test_what_a_file_imports_that_forks_asks_for_nothing_either(tmp_path: Path, kind: str) -> None:
    helper = "import torch\ndef move(x):\n    return torch.relu(x).cuda()\n"
    main = _text().replace(
        "def move(x):\n    return x.float().cuda()\n", "from helper import move\n"
    )
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "helper.py").write_text(helper)
    (tmp_path / "main.py").write_text(main.replace("Process", kind))
    after = migrate_file(tmp_path / "helper.py", _ONLY, write=False).after or ""
    assert ("device = " in after) is (kind == "Thread")
