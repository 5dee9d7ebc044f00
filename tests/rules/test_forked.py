"""Processes that are forked cannot use CUDA once it was asked whether it is there."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.finding import FileResult
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
    assert (found.line, found.message) == (4, ".cuda() needs a GPU")


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
            _text(move=".cuda() if use_cuda else x.float()").replace(
                "def move", "use_cuda = k\ndef move"
            ),
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


_HELPER = "import torch\ndef move(x):\n    return torch.relu(x).cuda()\n"
_MAIN = (
    _text()
    .replace("def move(x):\n    return x.float().cuda()\n", "from helper import move\n")
    .replace("torch.ones(rank)", "torch.ones(rank).cuda()")
)
_ASKS = "import helper; helper.move\nif use_gpu:\n    net.cuda()\n"
_ASKED = ", though line 2 of asks.py asks whether to use one: move {} only then"
_CALL = "import torch\n{guard}\n    x = torch.ones(2)\n    y = x.cuda()\n    z = x.cuda()\n"


def _helper(folder: Path, helper: str, **others: str) -> FileResult:
    for name, text in {"setup": "", "main": _MAIN, **others, "helper": helper}.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return migrate_file(folder / "helper.py", _ONLY, write=False)


def test_what_is_imported_by_a_file_that_forks_runs_in_no_function_of_the_processes(
    tmp_path: Path,
) -> None:
    [found] = _helper(tmp_path, _HELPER, asks=_ASKS).findings
    assert found.message == f".cuda() needs a GPU{_ASKED.format('it')}"


@pytest.mark.parametrize(
    "guard",
    ["if __name__ == '__main__':", 'if "__main__" == __name__:', "if __name__ == '__main__' :"],
)
def test_under_its_own_main_a_file_is_imported_by_none(tmp_path: Path, guard: str) -> None:
    asks = _ASKS.replace("; helper.move", "")
    result = _helper(tmp_path, _CALL.format(guard=guard), asks=asks)
    assert (result.after, result.findings) == (None, ())


@pytest.mark.parametrize(
    "others",
    [
        pytest.param({"main": _MAIN.replace("Process", "Thread")}, id="no processes"),
        pytest.param({"main": "import helper\n"}, id="nothing forks"),
    ],
)
def test_what_no_file_imports_that_forks_gets_a_device(
    tmp_path: Path, others: dict[str, str]
) -> None:
    assert "device = torch.device(" in (_helper(tmp_path, _HELPER, **others).after or "")


@pytest.mark.parametrize("own", [True, False])
def test_another_helper_of_that_name_is_what_it_imports(tmp_path: Path, own: bool) -> None:
    kept = {"main": "", "b__helper": _HELPER, "a__run": _MAIN}
    _helper(tmp_path, _HELPER, **kept, **({"a__helper": _HELPER} if own else {}))
    (tmp_path / "helper.py").unlink()
    result = migrate_file(tmp_path / "b" / "helper.py", _ONLY, write=False)
    assert (result.after is not None) is own
