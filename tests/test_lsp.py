"""The language server, asked by a real client over its standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.workspace import Workspace

from torchfix_codemods.lsp.document import Document
from torchfix_codemods.lsp.server import server

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


def test_what_no_rule_says_has_its_page_and_no_comment_that_does_nothing(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        (found,) = await editor.open("x = 1  # torchfix: ignore[TP999]\n")
        assert (found.code, found.severity) == ("TP004", types.DiagnosticSeverity.Information)
        assert not await editor.actions(0)
        hover = await editor.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(editor.uri), found.range.start)
        )
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        assert "### TP004 unknown-rule" in hover.contents.value

    session(tmp_path, work)


def test_settings_that_name_no_rule_are_told(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torchfix]\nselect = ["TP999"]\n')

    async def work(editor: Editor) -> None:
        found = await editor.open(LEGACY)
        assert "select: no such rule: 'TP999'" in found[0].message
        assert "the settings do not count" in found[0].message
        assert "internal error" not in "".join(each.message for each in found)

    session(tmp_path, work)


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


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x = torch.ger(a, b)", "x = torch.ger(a, b)  # torchfix: ignore[TP901]"),
        ("x = torch.ger(a, b)  # why", "x = torch.ger(a, b)  # why  # torchfix: ignore[TP901]"),
        (
            "x = torch.ger(a, b)  # torchfix: ignore[TP101] so",
            "x = torch.ger(a, b)  # torchfix: ignore[TP101, TP901] so",
        ),
        ("x = torch.ger(a, \\\n    b)", "x = torch.ger(a, \\\n    b)  # torchfix: ignore[TP901]"),
        ('f(torch.ger(a, b), """\n""")', 'f(torch.ger(a, b), """\n""")  # torchfix: ignore[TP901]'),
        (
            'f(torch.ger(a, b), """\nx""" \\\n)',
            'f(torch.ger(a, b), """\nx""" \\\n)  # torchfix: ignore[TP901]',
        ),
        (
            "if torch.ger(a, \\\n      b):\n    pass",
            "if torch.ger(a, \\\n      b):  # torchfix: ignore[TP901]\n    pass",
        ),
    ],
)
def test_the_comment_that_leaves_a_place_alone_is_one(
    tmp_path: Path, text: str, after: str
) -> None:
    document = Document(tmp_path / "net.py", f"import torch\n{text}\n")
    (finding,) = [f for f in document.result.findings if f.code == "TP901"]
    edit = document.ignored(finding)
    assert edit is not None
    lines = document.lines
    lines[edit.start : edit.end] = [edit.text]
    assert "".join(lines) == f"import torch\n{after}\n"
    left = Document(tmp_path / "net.py", "".join(lines)).result.findings
    assert "TP901" not in {each.code for each in left}


def test_no_comment_is_offered_where_none_has_room(tmp_path: Path) -> None:
    text = 'import torch\nif torch.ger(a, b) and """\n""" or \\\n    c: pass\n'
    document = Document(tmp_path / "net.py", text.replace("c: pass", 'c: x = """\n"""'))
    assert document.ignored(document.result.findings[0]) is None


def test_what_a_notebook_says_of_its_lines_is_no_fix(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        editor.uri = (tmp_path / "net.ipynb").as_uri()
        cell = {"cell_type": "code", "source": ["import torch\n", "x = torch.ger(a, b)"]}
        text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}, indent=1)
        assert [d.code for d in await editor.open(text)] == ["TP901"]
        row = next(n for n, line in enumerate(text.splitlines()) if "ger" in line)
        (action,) = await editor.actions(row)
        assert editor.applied(action) == text.replace("ger", "outer")

    session(tmp_path, work)


def test_files_that_the_settings_leave_out_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torchfix]\nexclude = ["theirs/"]\n')
    assert Document(tmp_path / "theirs" / "net.py", LEGACY).result.findings == ()
    assert Document(tmp_path / "net.py", LEGACY).result.findings


def test_settings_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        (tmp_path / "pyproject.toml").write_text('[tool.torchfix]\nselct = ["TP301"]\n')
        first, *others = await editor.open(LEGACY)
        assert first.severity == types.DiagnosticSeverity.Warning
        assert "the settings do not count: " in first.message and "selct" in first.message
        assert [d.code for d in others] == ["TP301", "TP301", "TP306"]

    session(tmp_path, work)


def test_a_fix_of_all_makes_no_single_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("nobody asked for it")

    monkeypatch.setattr(Document, "fix_of", refused)
    made = server()
    path = tmp_path / "net.py"
    item = types.TextDocumentItem(path.as_uri(), "python", 1, LEGACY)
    made.protocol._workspace = Workspace(None)
    made.workspace.put_text_document(item)
    place = types.TextDocumentIdentifier(item.uri)
    everything = types.Range(types.Position(0, 0), types.Position(99, 0))
    context = types.CodeActionContext([], [types.CodeActionKind.SourceFixAll])
    asked = types.CodeActionParams(place, everything, context)
    (action,) = made.protocol.fm.features[types.TEXT_DOCUMENT_CODE_ACTION](asked)
    assert action.kind == "source.fixAll.torchfix"


def test_the_settings_of_the_project_hold(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torchfix]\nignore = ["TP301"]\n')
    document = Document(tmp_path / "net.py", LEGACY)
    assert {f.code for f in document.result.findings} == {"TP306"}
    (tmp_path / "pyproject.toml").write_text("[tool.torchfix\n")
    broken = Document(tmp_path / "net.py", LEGACY)
    assert {f.code for f in broken.result.findings} == {"TP301", "TP306"}
