"""CUDA looks at CUDA_VISIBLE_DEVICES once: no file asks for CUDA before a program sets it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.finding import FileResult
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_ONLY = Settings(select=("TP201", "TP203"))
_HELPER = "import torch\n\n\ndef move(x):\n    return torch.relu(x).cuda()\n"
_IMPORT = "from helper import move\n"
_SET = "os.environ['CUDA_VISIBLE_DEVICES'] = '1'\n"
_FACT = ".cuda() needs a GPU"
_ASKS = "import helper, main, train; helper.move\nif use_gpu:\n    net.cuda()\n"
_ASKED = ", though line 2 of asks.py asks whether to use one: move {} only then"
_MAIN = f"if __name__ == '__main__':\n    {_SET}"


def _migrated(folder: Path, files: Mapping[str, str], name: str = "helper.py") -> FileResult:
    for path, text in {"setup.py": "", "helper.py": _HELPER, **files}.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    return migrate_file(folder / name, _ONLY, write=False)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"main.py": f"import os\n{_IMPORT}{_SET}"}, id="below the import"),
        pytest.param({"main.py": f"import os\n{_IMPORT}{_MAIN}"}, id="in the main block"),
        pytest.param(
            {"main.py": f"def main():\n    {_SET}import os\n{_IMPORT}main()\n"}, id="in a function"
        ),
        pytest.param(
            {"main.py": f"import os, train\n{_MAIN}", "train.py": _IMPORT}, id="by another file"
        ),
        pytest.param(
            {
                "main.py": f"import os\nfrom kit import train\n{_MAIN}",
                "kit/__init__.py": "",
                "kit/train.py": "from helper import *\n",
            },
            id="by a module of a package",
        ),
    ],
)
def test_a_file_that_is_imported_before_the_gpu_is_chosen(
    tmp_path: Path, files: Mapping[str, str]
) -> None:
    result = _migrated(tmp_path, {**files, "asks.py": _ASKS})
    assert result.after is None
    [found] = result.findings
    assert found.message == f"{_FACT}{_ASKED.format('it')}"


_SETTER = f"import os\ndef set_gpu(gpu):\n    {_SET}"
_CALLS = (
    "import torch\nfrom helper import move\nfrom kit import set_gpu\n"
    "if __name__ == '__main__':\n    set_gpu('1')\n    x = move(torch.ones(2).cuda())\n"
)


@pytest.mark.parametrize(
    "main",
    [
        pytest.param(_CALLS, id="by its name"),
        pytest.param(
            _CALLS.replace("from kit import set_gpu", "import kit").replace(
                "set_gpu", "kit.set_gpu"
            ),
            id="of its module",
        ),
    ],
)
def test_a_function_of_another_file_chooses(tmp_path: Path, main: str) -> None:
    files = {"kit.py": _SETTER, "main.py": main, "asks.py": _ASKS}
    helper = _migrated(tmp_path, files)
    assert helper.after is None
    assert helper.findings[0].message == f"{_FACT}{_ASKED.format('it')}"
    # No other file runs what main.py does as the program, whatever that asks.
    result = _migrated(tmp_path, files, "main.py")
    assert (result.after, result.findings) == (None, ())


def test_where_a_function_of_another_file_chooses_first(tmp_path: Path) -> None:
    main = "import torch\nfrom kit import set_gpu\nset_gpu('1')\nx = torch.ones(2).cuda()\n"
    after = _migrated(tmp_path, {"kit.py": _SETTER, "main.py": main}, "main.py").after or ""
    assert "set_gpu('1')\ndevice = torch.device(" in after


@pytest.mark.parametrize(
    "main",
    [
        pytest.param(_CALLS.replace("from kit", "from other"), id="another function of that name"),
        pytest.param(_CALLS.replace("    set_gpu('1')\n", ""), id="not called"),
    ],
)
def test_no_function_chooses(tmp_path: Path, main: str) -> None:
    files = {"kit.py": _SETTER, "other.py": "def set_gpu(gpu):\n    print(gpu)\n", "main.py": main}
    for name in ("helper.py", "main.py"):
        assert "\ndevice = " in (_migrated(tmp_path, files, name).after or "")


def test_types_of_the_gpu_stay_as_well(tmp_path: Path) -> None:
    helper = _HELPER.replace(".cuda()", ".type(torch.cuda.FloatTensor)")
    result = _migrated(tmp_path, {"helper.py": helper, "main.py": f"import os\n{_IMPORT}{_MAIN}"})
    assert result.after is None


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"main.py": f"import os\n{_SET}{_IMPORT}"}, id="chosen first"),
        pytest.param(
            {"main.py": f"import os\n{_MAIN}    {_IMPORT}"}, id="chosen first in the main block"
        ),
        pytest.param(
            {"main.py": f"import os\ndef main():\n    {_SET}    {_IMPORT}"}, id="in a function"
        ),
        pytest.param({"main.py": f"import os\n{_MAIN}"}, id="of another program"),
        pytest.param(
            {"main.py": f"import os, other\n{_MAIN}", "other.py": "", "train.py": _IMPORT},
            id="another file is imported",
        ),
        pytest.param(
            {"main.py": f"import os\n{_IMPORT}n = os.environ['CUDA_VISIBLE_DEVICES']\n"},
            id="only asked for",
        ),
        pytest.param({"main.py": f"import os\n{_IMPORT}"}, id="not chosen"),
        pytest.param(
            {
                "helper.py": "import torch\nuse_cuda = torch.cuda.is_available()\n\n\ndef move(x):\n"
                "    return torch.relu(x).cuda() if use_cuda else torch.relu(x)\n",
                "main.py": f"import os\n{_IMPORT}{_MAIN}",
            },
            id="it asks already",
        ),
    ],
)
def test_a_device_is_made(tmp_path: Path, files: Mapping[str, str]) -> None:
    assert "\ndevice = torch.device(" in (_migrated(tmp_path, files).after or "")


def test_a_device_that_is_at_hand_asks_for_nothing(tmp_path: Path) -> None:
    helper = "import torch\n\n\ndef like(x):\n    x, y = torch.relu(x), torch.ones(2)\n"
    helper += "    if x.is_cuda:\n        y = y.cuda()\n    return y\n"
    files = {"helper.py": helper, "main.py": f"import os\n{_IMPORT}{_MAIN}"}
    after = _migrated(tmp_path, files).after or ""
    assert "y.to(x.device)" in after
    assert "is_available" not in after


def test_where_torch_is_imported_elsewhere_the_fact_is_told_below_the_choice(
    tmp_path: Path,
) -> None:
    choice = f"def main():\n    {_SET}"
    main = f"import os\nfrom helper import *\n{choice}    x = torch.ones(2).cuda()\n    x.cuda()\n"
    asks = _ASKS.replace("helper.move", "main.main")
    result = _migrated(tmp_path, {"main.py": main, "asks.py": asks}, "main.py")
    assert [(found.line, found.message) for found in result.findings] == [
        (
            5,
            f"{_FACT}, here and in line 6{_ASKED.format('them')}",
        )
    ]


def test_where_torch_is_imported_elsewhere_and_another_file_chooses(tmp_path: Path) -> None:
    files = {
        "train.py": "from helper import *\nx = torch.ones(2).cuda()\ny = torch.ones(2).cuda()\n",
        "main.py": f"import os, train\n{_MAIN}",
        "asks.py": _ASKS,
    }
    [found] = _migrated(tmp_path, files, "train.py").findings
    assert found.message == f"{_FACT}, here and in line 3{_ASKED.format('them')}"


def test_the_order_of_the_gpus_is_set_before_they_are_asked_for() -> None:
    order = 'os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"\n'
    use = "net = torch.nn.Linear(2, 2)\nif torch.cuda.is_available():\n    net.cuda()\n"
    after = migrate(f"import os\nimport torch\n# the slow one\n{order}{use}").text
    assert f"{order}device = torch.device(" in after
