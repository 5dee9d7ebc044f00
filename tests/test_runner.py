from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods import migrate
from torchfix_codemods.config import Settings
from torchfix_codemods.runner import migrate_bytes, migrate_files

LEGACY = "import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"
MODERN = 'import torch.nn as nn\nloss = nn.MSELoss(reduction="sum")\n'


def test_a_mistake_of_the_tool_concerns_one_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = migrate.migrate_text

    def failing(text: str, *args: object) -> migrate.Migration:
        if "boom" in text:
            raise KeyError("boom")
        return original(text, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(migrate, "migrate_text", failing)
    paths = [tmp_path / "a.py", tmp_path / "b.py"]
    paths[0].write_text("boom = 1\n" + LEGACY)
    paths[1].write_text(LEGACY)
    first, second = migrate_files(paths, Settings(), write=True)
    assert [error.kind for error in first.errors] == ["internal"]
    assert "KeyError: 'boom'" in first.errors[0].message
    assert not second.errors and paths[1].read_text() == MODERN
    (error,) = migrate_bytes(b"boom\n" + LEGACY.encode(), Path("-"), Settings()).errors
    assert error.kind == "internal"


@pytest.mark.parametrize(
    "code",
    [
        "a = nn.a\nx = " + " + ".join(["a"] * 1500) + "\n",
        "if x == 0:\n    y = 0\n" + "".join(f"elif x == {n}:\n    y = {n}\n" for n in range(1500)),
        "from torch.autograd import Variable\nx = Variable("
        + " + ".join(["a"] * 1500)
        + ", volatile=True)\n",
    ],
    ids=["sum", "elif", "rewritten sum"],
)
def test_long_sums_and_chains_are_no_trouble(code: str) -> None:
    result = migrate_bytes((LEGACY + code).encode(), Path("a.py"), Settings())
    assert not result.errors
    assert result.after is not None and result.after.startswith(MODERN)
