"""The language server, asked by a real client over its standard input and output."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from torchfix_codemods.lsp.document import Document

LEGACY = textwrap.dedent(
    """
    import torch.nn as nn
    import torch.nn.functional as F

    smile = "\U0001f600"; loss = nn.MSELoss(size_average=False)
    other = nn.L1Loss(size_average=True)


    def forward(x):
        return F.sigmoid(x)
    """
).lstrip()


class Editor:
    """A client with one file open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.uri = path.as_uri()
        self.client = LanguageClient("tests", "1")
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.text = ""
        self.version = 0

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

    async def start(self) -> None:
        await self.client.start_io(sys.executable, "-m", "torchfix_codemods", "lsp")
        await self.client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(), root_uri=self.path.parent.as_uri()
            )
        )
        self.client.initialized(types.InitializedParams())

    async def open(self, text: str) -> list[types.Diagnostic]:
        self.text = text
        item = types.TextDocumentItem(self.uri, "python", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics()

    async def change(self, text: str) -> list[types.Diagnostic]:
        self.text = text
        self.version += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return await self.diagnostics()

    async def diagnostics(self) -> list[types.Diagnostic]:
        return list((await asyncio.wait_for(self.published.get(), 60)).diagnostics)

    async def actions(self, row: int, only: list[str] | None = None) -> list[types.CodeAction]:
        place = types.Range(types.Position(row, 0), types.Position(row, 200))
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(self.uri),
                place,
                types.CodeActionContext([], only=only),
            )
        )
        return [action for action in found or () if isinstance(action, types.CodeAction)]

    def applied(self, action: types.CodeAction) -> str:
        """The text once an action's edits are made."""
        assert action.edit is not None and action.edit.changes is not None
        lines = self.text.splitlines(keepends=True)
        edits: list[Any] = list(action.edit.changes[self.uri])
        for edit in sorted(edits, key=lambda e: e.range.start.line, reverse=True):
            assert edit.range.start.character == edit.range.end.character == 0
            lines[edit.range.start.line : edit.range.end.line] = [edit.new_text]
        return "".join(lines)

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


def session(tmp_path: Path, work: Callable[[Editor], Awaitable[None]]) -> None:
    """Run ``work`` with a server of its own."""

    async def run() -> None:
        editor = Editor(tmp_path / "net.py")
        await editor.start()
        try:
            await work(editor)
        finally:
            await editor.stop()

    asyncio.run(asyncio.wait_for(run(), 120))


def test_diagnostics_and_fixes(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        found = await editor.open(LEGACY)
        assert [d.code for d in found] == ["TP301", "TP301", "TP306"]
        assert {d.source for d in found} == {"torchfix"}
        # The face before it counts as two units of UTF-16.
        first = found[0].range
        assert (first.start.line, first.start.character) == (
            3,
            LEGACY.splitlines()[3].index("nn.") + 1,
        )

        actions = await editor.actions(3)
        one, of_rule, ignored, everything = actions
        assert editor.applied(one) == LEGACY.replace("size_average=False", 'reduction="sum"')
        assert "size_average" not in editor.applied(of_rule)
        assert "F.sigmoid" in editor.applied(of_rule)
        assert "# torchfix: ignore[TP301]\n" in editor.applied(ignored)
        after = editor.applied(everything)
        assert "size_average" not in after and "torch.sigmoid(x)" in after

        assert await editor.change(editor.applied(ignored)) != found
        assert [d.code for d in await editor.change(after)] == []
        assert await editor.actions(3) == []

    session(tmp_path, work)


def test_only_what_is_asked_for(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        await editor.open(LEGACY)
        (only,) = await editor.actions(0, ["source.fixAll"])
        assert only.kind == "source.fixAll.torchfix"
        quick = await editor.actions(3, ["quickfix"])
        assert len(quick) == 3 and {action.kind for action in quick} == {"quickfix"}
        assert await editor.actions(0, ["quickfix"]) == []

    session(tmp_path, work)


def test_hover_shows_the_page_of_the_rule(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        await editor.open(LEGACY)

        async def hover(row: int, column: int) -> types.Hover | None:
            return await editor.client.text_document_hover_async(
                types.HoverParams(
                    types.TextDocumentIdentifier(editor.uri), types.Position(row, column)
                )
            )

        column = LEGACY.splitlines()[4].index("nn.L1Loss") + 4
        shown = await hover(4, column)
        assert shown is not None and isinstance(shown.contents, types.MarkupContent)
        assert "size-average" in shown.contents.value and "## Numbers" in shown.contents.value
        assert await hover(0, 0) is None

    session(tmp_path, work)


def test_broken_code_is_told_and_then_forgotten(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        (broken,) = await editor.open("import torch\nprint 'x'\n")
        assert broken.severity == types.DiagnosticSeverity.Error
        assert broken.range.start.line == 1
        assert await editor.change("import torch\n") == []
        # Half a line, as people type.
        assert len(await editor.change("import torch\nloss = nn.MSELoss(")) == 1
        assert await editor.change("") == []

    session(tmp_path, work)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_one_fix_leaves_the_rest(tmp_path: Path, ending: str) -> None:
    text = LEGACY.replace("\n", ending)
    document = Document(tmp_path / "net.py", text)
    first = next(f for f in document.result.findings if f.code == "TP306")
    edits = document.fix_of(first)
    after = document.lines
    for edit in reversed(edits):
        after[edit.start : edit.end] = [edit.text]
    assert "".join(after).count("size_average") == 2
    assert "torch.sigmoid(x)" in "".join(after)


def test_the_settings_of_the_project_hold(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torchfix]\nignore = ["TP301"]\n')
    document = Document(tmp_path / "net.py", LEGACY)
    assert {f.code for f in document.result.findings} == {"TP306"}
    (tmp_path / "pyproject.toml").write_text("[tool.torchfix\n")
    broken = Document(tmp_path / "net.py", LEGACY)
    assert {f.code for f in broken.result.findings} == {"TP301", "TP306"}
