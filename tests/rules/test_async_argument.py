from __future__ import annotations

import pytest

from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import migrate_text
from torchfix_codemods.rules import select

KEPT = {
    "a parameter that others call by a text": "import torch\ndef f(async=False):\n    pass\nf(**{'async': True})\n",
    "an argument of the user's own function": "import torch\nfetch(url, async=True)\n",
    "a name": "import torch\nasync = True\n",
}


def test_is_spelled_non_blocking() -> None:
    text = "import torch\nx = y.cuda(async=True)\n"
    migration = migrate(text, "TP204")
    assert migration.text == "import torch\nx = y.cuda(non_blocking=True)\n"
    assert [(f.code, f.line, f.column, f.fixed) for f in migration.findings] == [
        ("TP204", 2, 12, True)
    ]
    assert migrate(migration.text, "TP204").text == migration.text


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in KEPT.items()])
def test_keeps(text: str) -> None:
    migration = migrate_text(text, select(["TP204"]))
    assert migration.text == text
    assert [error.kind for error in migration.errors] == ["syntax"]


def test_a_file_stays_unreadable_without_the_rule() -> None:
    migration = migrate_text("import torch\nx = y.cuda(async=True)\n", select(["TP301"]))
    assert [(error.kind, error.line) for error in migration.errors] == [("syntax", 2)]


def test_async_functions_are_modern_code() -> None:
    text = "import torch\nasync def f(x):\n    async with x:\n        pass\n"
    assert migrate(text, "TP204").text == text
