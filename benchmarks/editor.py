"""How soon the language server answers somebody who works on a file, as a real client sees it."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

KEYS = "# typed by a person"
SECONDS_BETWEEN_KEYS = 0.08
ROW = "{:<52} {:>10}"


class Editor:
    """A client that shows one file."""

    def __init__(self, path: Path) -> None:
        self.uri = path.absolute().as_uri()
        self.text = path.read_text("utf-8")
        self.version = 0
        self.client = LanguageClient("benchmarks", "1")
        self.published: list[tuple[float, types.PublishDiagnosticsParams]] = []

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published.append((time.perf_counter(), params))

    async def start(self) -> None:
        await self.client.start_io(sys.executable, "-m", "torchfix_codemods", "lsp")
        action = types.CodeActionClientCapabilities(
            data_support=True, resolve_support=types.ClientCodeActionResolveOptions(["edit"])
        )
        text = types.TextDocumentClientCapabilities(code_action=action)
        capabilities = types.ClientCapabilities(text_document=text)
        await self.client.initialize_async(types.InitializeParams(capabilities=capabilities))
        self.client.initialized(types.InitializedParams())

    def open(self) -> None:
        item = types.TextDocumentItem(self.uri, "python", self.version, self.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def close(self) -> None:
        place = types.TextDocumentIdentifier(self.uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(place))

    def add(self, text: str) -> None:
        """Type behind the end of the file."""
        lines = self.text.split("\n")
        end = types.Position(len(lines) - 1, len(lines[-1]))
        self.text += text
        self.version += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [types.TextDocumentContentChangePartial(types.Range(end, end), text)],
            )
        )

    async def shown(self, count: int) -> float:
        """When so many diagnoses were published."""
        while len(self.published) < count:
            await asyncio.sleep(0.002)
        return self.published[count - 1][0]

    async def settled(self) -> float:
        """When the last diagnosis was published, once all is known."""
        await self.actions(types.CodeActionKind.SourceFixAll)
        count = -1
        while len(self.published) != count:
            count = len(self.published)
            await asyncio.sleep(0.1)
        return self.published[-1][0]

    async def actions(self, only: types.CodeActionKind) -> list[types.CodeAction]:
        place = types.Range(types.Position(0, 0), types.Position(10_000, 0))
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(self.uri), place, types.CodeActionContext([], [only])
        )
        found = await self.client.text_document_code_action_async(params)
        return [action for action in found or () if isinstance(action, types.CodeAction)]

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


async def measured(path: Path) -> None:
    """Work on one file, and print how long each answer took."""
    editor = Editor(path)
    began = time.perf_counter()
    await editor.start()
    editor.open()
    _say("the server starts, and shows something", await editor.shown(1) - began)
    _say("and all that it found", await editor.settled() - began)

    editor.close()
    await editor.settled()
    editor.text = f"# not seen before\n{editor.text}"
    began, count = time.perf_counter(), len(editor.published)
    editor.open()
    _say("another text is opened, and something shown", await editor.shown(count + 1) - began)
    _say("and all that is found", await editor.settled() - began)

    editor.close()
    await editor.settled()
    began, count = time.perf_counter(), len(editor.published)
    editor.open()
    _say("the same one is opened once more", await editor.shown(count + 1) - began)

    count = len(editor.published)
    for key in KEYS:
        editor.add(key)
        await asyncio.sleep(SECONDS_BETWEEN_KEYS)
    last = time.perf_counter()
    while editor.published[-1][1].version != editor.version:
        await asyncio.sleep(0.002)
    print(ROW.format(f"{len(KEYS)} keys: diagnoses", len(editor.published) - count))
    _say("from the last key to what is found", editor.published[-1][0] - last)

    began = time.perf_counter()
    found = await editor.actions(types.CodeActionKind.SourceFixAll)
    for action in found:
        await editor.client.code_action_resolve_async(action)
    _say("all is rewritten", time.perf_counter() - began)
    editor.add("\n")
    began = time.perf_counter()
    for action in await editor.actions(types.CodeActionKind.SourceFixAll):
        await editor.client.code_action_resolve_async(action)
    _say("all is rewritten, right after a key", time.perf_counter() - began)

    fixes = [a for a in await editor.actions(types.CodeActionKind.QuickFix) if a.edit is None]
    began, without = time.perf_counter(), 0
    for action in fixes:
        made = await editor.client.code_action_resolve_async(action)
        without += made.edit is None
    print(ROW.format("quick fixes offered, and without an edit", f"{len(fixes)}, {without}"))
    if fixes:
        _say("one of them is made", (time.perf_counter() - began) / len(fixes))
    await editor.stop()


def _say(what: str, seconds: float) -> None:
    print(ROW.format(what, f"{seconds:.2f} s"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE")
    for path in parser.parse_args().paths:
        print(f"{path}, {len(path.read_text('utf-8').splitlines())} lines")
        asyncio.run(measured(path))


if __name__ == "__main__":
    main()
