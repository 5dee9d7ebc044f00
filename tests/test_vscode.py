"""What the extension for VS Code declares is what the server takes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from torchfix_codemods.lsp.actions import FIX_ALL
from torchfix_codemods.lsp.given import ASKED, given_at_start
from torchfix_codemods.version import __version__

ROOT = Path(__file__).parent.parent
EXTENSION = ROOT / "editors" / "vscode"

pytestmark = pytest.mark.skipif(not EXTENSION.exists(), reason="a source distribution has none")

#: What the extension needs itself, to start the server.
OWN = {"interpreter", "command"}


def declared() -> dict[str, Any]:
    package = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    properties = package["contributes"]["configuration"]["properties"]
    assert all(name.startswith("torchfix.") for name in properties)
    return {name.removeprefix("torchfix."): value for name, value in properties.items()}


def test_its_settings_are_those_that_the_server_takes() -> None:
    assert declared().keys() - OWN == set(ASKED)
    source = (EXTENSION / "src" / "settings.ts").read_text("utf-8")
    listed = re.search(r"TAKEN = \[(.*?)\]", source, re.DOTALL)
    assert listed is not None and tuple(re.findall(r'"([\w-]+)"', listed[1])) == ASKED


@pytest.mark.parametrize("name", ASKED)
def test_the_server_takes_what_they_can_be(name: str) -> None:
    kind = declared()[name]["type"]
    example: Any = True
    if kind == "string":
        example = {"from": "0.3", "to": "1.13", "device-name": "gpu"}[name]
    elif kind == "array":
        example = ["TP1"]
    else:
        assert kind == ["boolean", "null"]
    given = given_at_start({name: example})
    assert not given.trouble and [*given.options.values()] in ([example], [("TP1",)])


def test_it_says_nothing_until_somebody_does() -> None:
    defaults = {name: value["default"] for name, value in declared().items() if name not in OWN}
    given = given_at_start(defaults)
    assert not given.trouble and not any(given.options.values())


def test_it_has_the_version_of_the_package() -> None:
    assert json.loads((EXTENSION / "package.json").read_text("utf-8"))["version"] == __version__
    lock = json.loads((EXTENSION / "package-lock.json").read_text("utf-8"))
    assert lock["version"] == __version__
    for page in (EXTENSION / "README.md", ROOT / "docs" / "editor.md"):
        assert f"torchfix-codemods-{__version__}.vsix" in page.read_text("utf-8")


def test_it_has_the_licence_of_the_package() -> None:
    assert (EXTENSION / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_it_asks_for_the_action_of_the_server() -> None:
    assert f'"{FIX_ALL}"' in (EXTENSION / "src" / "extension.ts").read_text("utf-8")
