"""Where a program is run: a GPU is looked for in the program's own Python."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torchfix_codemods.verify.command import parse_command
from torchfix_codemods.verify.verify import devices_of

_WITH_A_GPU = "class cuda:\n    is_available = staticmethod(lambda: True)\n"
_WITHOUT = _WITH_A_GPU.replace("True", "False")


@pytest.mark.parametrize(
    ("version", "torch", "devices"),
    [
        ("cuda = '12.8'\nhip = None\n", _WITH_A_GPU, ("cpu", "cuda")),
        ("cuda = None\nhip = '6.2'\n", _WITH_A_GPU, ("cpu", "cuda")),
        ("cuda = '12.8'\nhip = None\n", _WITHOUT, ("cpu",)),
        ("cuda = '9.0'\n", _WITH_A_GPU, ("cpu", "cuda")),
        ("cuda = None\nhip = None\n", "raise SystemExit(0)\n", ("cpu",)),
        (None, _WITH_A_GPU, ("cpu", "cuda")),
        (None, "raise ImportError\n", ("cpu",)),
    ],
)
def test_a_gpu_is_looked_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str | None,
    torch: str,
    devices: tuple[str, ...],
) -> None:
    package = tmp_path / "torch"
    package.mkdir()
    (package / "__init__.py").write_text(torch)
    if version is not None:
        (package / "version.py").write_text(version)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    command = parse_command([sys.executable, "train.py"])
    assert devices_of("all", command) == devices
    assert devices_of("cuda", command) == ("cuda",)
