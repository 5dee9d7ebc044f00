"""The language server, asked by a real client over its standard input and output."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient
from pygls.workspace import Workspace

from torchfix_codemods.finding import FileError, FileResult, Finding
from torchfix_codemods.lsp.document import Document
from torchfix_codemods.lsp.first import FirstFound
from torchfix_codemods.lsp.given import given_at_start
from torchfix_codemods.lsp.looks import Looks
from torchfix_codemods.lsp.project import Project, warm_up
from torchfix_codemods.lsp.server import server
from torchfix_codemods.project.index import Index
from torchfix_codemods.report.links import address_of
from torchfix_codemods.runs.runner import index_beside, migrate_bytes
from torchfix_codemods.settings.config import Settings

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


#: What editors say of themselves that ask for the edits of an action once it was chosen.
RESOLVING = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(
        code_action=types.CodeActionClientCapabilities(
            data_support=True,
            resolve_support=types.ClientCodeActionResolveOptions(["edit"]),
        )
    )
)


#: However slow the machine, all is found before anybody wants to see a part of it.
PATIENT = ("-c", "from torchfix_codemods.lsp.server import server; server(patience=60).start_io()")


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

    async def start(
        self,
        capabilities: types.ClientCapabilities | None = None,
        options: object = None,
        command: tuple[str, ...] = PATIENT,
    ) -> None:
        await self.client.start_io(sys.executable, *command)
        await self.client.initialize_async(
            types.InitializeParams(
                capabilities=capabilities or types.ClientCapabilities(),
                root_uri=self.path.parent.as_uri(),
                initialization_options=options,
            )
        )
        self.client.initialized(types.InitializedParams())

    async def open(self, text: str) -> list[types.Diagnostic]:
        self.text = text
        item = types.TextDocumentItem(self.uri, "python", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics()

    async def change(self, text: str) -> list[types.Diagnostic]:
        self.type(text)
        return await self.diagnostics()

    def type(self, text: str) -> None:
        """Change the text, and do not wait for what is found in it."""
        self.text = text
        self.version += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

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


def session(
    tmp_path: Path,
    work: Callable[[Editor], Awaitable[None]],
    capabilities: types.ClientCapabilities | None = None,
    **start: Any,
) -> None:
    """Run ``work`` with a server of its own."""

    async def run() -> None:
        editor = Editor(tmp_path / "net.py")
        await editor.start(capabilities, **start)
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


def test_what_stays_is_not_searched_for_garbage() -> None:
    code = "import gc\nfrom torchfix_codemods.lsp.project import warm_up\nwarm_up()\n"
    code += "print(gc.get_freeze_count() > 10 * sum(gc.get_count()), gc.isenabled())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"


def test_the_first_import_looks_at_no_folder_of_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    def migrated(data: bytes, path: Path, *args: object) -> FileResult:
        looked_at.append(path)
        assert list(path.parent.iterdir()) == []
        return FileResult(str(path))

    monkeypatch.setattr("torchfix_codemods.lsp.project.migrate_bytes", migrated)
    monkeypatch.setattr("gc.freeze", lambda: None)
    warm_up()
    (path,) = looked_at
    assert path.is_absolute() and path.parent != Path.cwd()


def test_what_is_opened_shows_what_is_known_before_all_is(tmp_path: Path) -> None:
    text = f"{LEGACY}\n\ndef forward(x):\n    return F.softmax(x)\n"

    async def work(editor: Editor) -> None:
        first = await editor.open(text)
        assert [d.code for d in first] == ["TP301", "TP301", "TP306"]
        found = await editor.diagnostics()
        assert [d.code for d in found] == ["TP301", "TP301", "TP306", "TP302"]
        assert found[:3] == first
        # Later on nothing goes and comes again.
        assert len(await editor.change(f"{text}\n")) == 4
        await editor.actions(0)
        assert editor.published.empty()

    code = """if True:
        import time
        from torchfix_codemods.lsp.first import FirstFound
        from torchfix_codemods.lsp.server import server
        note = FirstFound.note
        def slowly(self, findings):
            note(self, findings)
            time.sleep(1)
        FirstFound.note = slowly
        server(patience=0).start_io()
    """
    session(tmp_path, work, command=("-c", code))


def test_who_is_patient_is_shown_all_at_once() -> None:
    shown: list[Sequence[Finding]] = []

    async def run() -> None:
        first = FirstFound(0.2)
        first.note(())
        soon = asyncio.ensure_future(first.shown(shown.append))
        await asyncio.sleep(0)
        soon.cancel()
        await asyncio.sleep(0.3)
        unknown = asyncio.ensure_future(FirstFound(0).shown(shown.append))
        await asyncio.sleep(0.05)
        assert not unknown.done()
        unknown.cancel()

    asyncio.run(run())
    assert shown == []


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
    edits = document.fix_of([first])
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
    (action,) = asyncio.run(made.protocol.fm.features[types.TEXT_DOCUMENT_CODE_ACTION](asked))
    assert action.kind == "source.fixAll.torchfix"


def test_the_settings_of_the_project_hold(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torchfix]\nignore = ["TP301"]\n')
    document = Document(tmp_path / "net.py", LEGACY)
    assert {f.code for f in document.result.findings} == {"TP306"}
    (tmp_path / "pyproject.toml").write_text("[tool.torchfix\n")
    broken = Document(tmp_path / "net.py", LEGACY)
    assert {f.code for f in broken.result.findings} == {"TP301", "TP306"}


def test_edits_are_made_of_what_was_chosen(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        await editor.open(LEGACY)
        one, of_rule, ignored, everything = await editor.actions(3)
        assert [each.edit is None for each in (one, of_rule, ignored, everything)] == [
            *(True, True, False, True)
        ]
        resolve = editor.client.code_action_resolve_async
        assert editor.applied(await resolve(one)) == LEGACY.replace(
            "size_average=False", 'reduction="sum"'
        )
        assert editor.applied(await resolve(of_rule)).count("size_average") == 0
        assert "torch.sigmoid(x)" in editor.applied(await resolve(everything))
        with pytest.raises(JsonRpcException, match="not the one any more"):
            await resolve(types.CodeAction(one.title, data={**one.data, "line": 1}))

        await editor.change(f"# new\n{LEGACY}")
        with pytest.raises(JsonRpcException, match="not the one any more") as refused:
            await resolve(everything)
        assert refused.value.code == types.LSPErrorCodes.ContentModified.value

    session(tmp_path, work, RESOLVING)


def test_what_is_sent_with_an_offer_is_small(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        await editor.open(
            LEGACY.replace("\n\n\n", "\nother = nn.L1Loss(size_average=True)\n" * 40, 1)
        )
        one, of_rule, _, everything = await editor.actions(3)
        place = {"fix": "place", "code": "TP301", "line": 4}
        assert one.data == {"uri": editor.uri, "version": 0} | place
        for each in (one, of_rule, everything):
            assert len(json.dumps(each.data)) < 200 + len(editor.uri) and each.diagnostics is None

    session(tmp_path, work, RESOLVING)


def test_an_action_names_what_it_solves(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        found = await editor.open(LEGACY)
        place = types.Range(types.Position(3, 0), types.Position(3, 200))
        offered = await editor.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(editor.uri), place, types.CodeActionContext(found)
            )
        )
        actions = [each for each in offered or () if isinstance(each, types.CodeAction)]
        solved = [each.diagnostics and list(each.diagnostics) for each in actions]
        assert solved == [[found[0]], found[:2], [found[0]], None]

    session(tmp_path, work, RESOLVING)


def test_findings_lead_to_the_page_of_their_rule(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        found = await editor.open(f"{LEGACY}\nx = 1  # torchfix: ignore[TP999]\n")
        links = {each.code: each.code_description for each in found}
        assert links["TP301"] is not None and links["TP301"].href == address_of("TP301")
        assert links["TP004"] is None

    session(tmp_path, work)


def test_twenty_keys_are_one_look(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        await editor.open(LEGACY)
        typed = "torch.ger(a, b) # x"
        for count in range(len(typed)):
            editor.type(f"{LEGACY}import torch; {typed[: count + 1]}\n")
            await asyncio.sleep(0.02)
        (*_, last) = await editor.diagnostics()
        assert last.code == "TP901"
        # What is asked afterwards is answered afterwards.
        await editor.actions(0)
        assert editor.published.empty()

    # Longer than any machine waits between two keys of this test.
    code = "from torchfix_codemods.lsp.server import server; server(2.0, 60).start_io()"
    session(tmp_path, work, command=("-c", code))


def test_what_is_asked_while_somebody_types_is_answered_for_the_new_text(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        await editor.open("import torch\n")
        editor.type("import torch\nx = torch.ger(a, b)\n")
        action, *_ = await editor.actions(1)
        assert editor.applied(action) == "import torch\nx = torch.outer(a, b)\n"

    session(tmp_path, work)


def test_a_look_ends_where_the_next_begins() -> None:
    shown = []

    async def run() -> None:
        looks = Looks(0)
        goes_on = asyncio.Event()

        async def slow(uri: str) -> None:
            await goes_on.wait()
            shown.append(f"{uri}, old")

        async def fast(uri: str) -> None:
            shown.append(f"{uri}, new")

        looks.soon("a", slow, rests=False)
        looks.soon("b", slow, rests=False)
        looks.soon("c", slow, rests=False)
        await asyncio.sleep(0)
        looks.soon("a", fast, rests=True)
        looks.forget("c")
        looks.forget("nothing")
        goes_on.set()
        await asyncio.sleep(0.1)

    asyncio.run(run())
    assert shown == ["b, old", "a, new"]


def test_a_look_that_fails_is_told() -> None:
    told: list[dict[str, Any]] = []

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))

        async def fails(uri: str) -> None:
            raise ValueError(uri)

        looks = Looks(0)
        looks.soon("a", fails, rests=False)
        await asyncio.sleep(0.1)

    asyncio.run(run())
    assert [each["message"] for each in told] == ["a was not looked at"]


def test_the_settings_of_the_editor_hold(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torchfix]\nselect = ["TP301"]\n')

    async def work(editor: Editor) -> None:
        assert [each.code for each in await editor.open(LEGACY)] == ["TP306"]

        def configure(settings: object) -> None:
            editor.client.workspace_did_change_configuration(
                types.DidChangeConfigurationParams(settings)
            )

        configure({"pylsp": {"select": ["TP301"]}})
        configure({"torchfix": {"select": ["TP306"]}})
        configure(None)
        assert editor.published.empty()
        configure({"select": ["TP301"]})
        assert {each.code for each in await editor.diagnostics()} == {"TP301"}
        configure({"torchfix": {"selct": ["TP301"]}})
        first, *others = await editor.diagnostics()
        assert first.message == (
            "the settings do not count: the editor's settings: unknown: selct (known: device-name, "
            "extend-select, from, ignore, needed, safe, select, to)"
        )
        assert {each.code for each in others} == {"TP301"}

    session(tmp_path, work, options={"select": ["TP306"], "from": None, "ignore": []})


@pytest.mark.parametrize(
    ("sent", "trouble"),
    [
        ({"select": ["TP999"]}, "the editor's settings: select: no such rule: 'TP999'"),
        ({"safe": "yes"}, "the editor's settings: safe must be true or false, not 'yes'"),
        ([1], "the editor's settings: must be an object, not [1]"),
        ({"from": "0.77"}, "the editor's settings: from: "),
    ],
)
def test_settings_of_an_editor_that_mean_nothing_are_told(sent: object, trouble: str) -> None:
    given = given_at_start(sent)
    assert given.trouble.startswith(trouble)
    assert given.over(Settings(select=("TP301",))).select == ("TP301",)


@pytest.mark.parametrize(
    "sent", [None, {}, {"torchfix": {}}, {"from": None, "to": "", "select": []}]
)
def test_settings_of_an_editor_that_say_nothing_change_nothing(sent: object) -> None:
    given = given_at_start(sent)
    assert not given.trouble
    settings = Settings(from_version="0.3", to_version="1.13", select=("TP301",))
    assert given.over(settings) == settings


def test_settings_that_say_the_same_are_the_same() -> None:
    at_start = given_at_start({"select": ["TP306"], "from": None, "to": "", "ignore": []})
    assert at_start == given_at_start({"select": ["TP306"]})


def test_settings_of_an_editor_go_over_those_of_the_project() -> None:
    given = given_at_start({"torchfix": {"from": "0.3", "safe": False, "ignore": ["TP1"]}})
    settings = given.over(Settings(from_version="1.0", safe=True, ignore=("TP2",)))
    assert (settings.from_version, settings.safe, settings.ignore) == ("0.3", False, ("TP2", "TP1"))


def test_files_that_change_elsewhere_are_looked_at_anew(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        assert len(await editor.open(LEGACY)) == 3
        path = tmp_path / "pyproject.toml"
        path.write_text('[tool.torchfix]\nselect = ["TP306"]\n')
        editor.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams(
                [types.FileEvent(path.as_uri(), types.FileChangeType.Created)]
            )
        )
        assert [each.code for each in await editor.diagnostics()] == ["TP306"]

    session(tmp_path, work)


def test_what_is_closed_is_not_shown_any_more(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        editor.path.write_text(LEGACY)
        assert await editor.open(LEGACY)
        editor.type(f"{LEGACY}x = 1\n")
        editor.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(editor.uri))
        )
        assert await editor.diagnostics() == []
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([]))
        await editor.actions(0)
        assert editor.published.empty()

    session(tmp_path, work)


def test_the_project_stays_known_until_a_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def counted(settings: Settings) -> Index:
        begun.append(settings)
        return index_beside(settings)

    monkeypatch.setattr("torchfix_codemods.lsp.project.index_beside", counted)
    (tmp_path / "README.md").touch()
    other, path = tmp_path / "made.py", tmp_path / "net.py"
    other.write_text("import torch\n\n\ndef make():\n    return torch.rand(3)\n")
    text = "import torch\nfrom made import make\nx = make()\ny = torch.ger(x, x)\nz = x.ger(x)\n"
    project = Project()

    def codes(text: str) -> list[str]:
        return [f.code for f in Document(path, text, project=project).result.findings]

    assert codes(text) == ["TP901", "TP901"]
    assert codes(f"{text}\n") == ["TP901", "TP901"]
    assert len(begun) == 1
    other.write_text(
        "class Own:\n    def ger(self, x):\n        ...\n\n\ndef make():\n    return Own()\n"
    )
    assert codes(text) == ["TP901"]
    assert len(begun) == 2


def test_what_was_found_is_known_while_no_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def counted(data: bytes, *args: object) -> FileResult:
        asked.append(data)
        return migrate_bytes(data, *args)  # type: ignore[arg-type]

    monkeypatch.setattr("torchfix_codemods.lsp.project.migrate_bytes", counted)
    (tmp_path / "README.md").touch()
    (tmp_path / "made.py").write_text("import torch\n")
    path, project = tmp_path / "net.py", Project()

    def look(path: Path, text: str) -> FileResult:
        return Document(path, text, project=project).result

    first = look(path, LEGACY)
    assert look(path, f"{LEGACY}\n").findings == first.findings
    assert look(path, LEGACY) is first and len(asked) == 2
    look(tmp_path / "other.py", LEGACY)
    assert len(asked) == 3
    # A fix asks for a part of the rewrites.
    document = Document(path, LEGACY, project=project)
    document.fix_of(document.fixable[:1])
    assert len(asked) == 4 and look(path, LEGACY) is first
    for count in range(40):
        look(path, f"# {count}\n")
    assert look(path, LEGACY) is not first and len(asked) == 45
    (tmp_path / "made.py").write_text("import torch.nn\n")
    look(path, LEGACY)
    assert len(asked) == 46


def test_a_project_of_too_many_files_is_not_searched_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def endless(root: Path, status: object) -> str:
        asked.append(root)
        while True:
            pass

    monkeypatch.setattr("torchfix_codemods.project.paths.project_digest", endless)
    project = Project()
    for text in (LEGACY, f"{LEGACY}\n"):
        assert len(Document(tmp_path / "net.py", text, project=project).result.findings) == 3
    assert len(asked) == 1


def test_what_was_broken_off_is_not_asked_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def failing(*args: object) -> FileResult:
        given.append(args[4])
        return FileResult("net.py", errors=(FileError("timeout", "took too long"),))

    monkeypatch.setattr("torchfix_codemods.lsp.project.migrate_bytes", failing)
    project = Project()
    for _ in range(2):
        project.migrated(LEGACY, tmp_path / "net.py", Settings())
    first, second = given
    assert first is not second
