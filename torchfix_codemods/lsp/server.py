"""The language server: the editor's questions, answered from :mod:`.document`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from torchfix_codemods.finding import Finding
from torchfix_codemods.lsp import actions
from torchfix_codemods.lsp.document import Document
from torchfix_codemods.lsp.first import FirstFound
from torchfix_codemods.lsp.given import Given, given_at_start, given_later
from torchfix_codemods.lsp.looks import Looks
from torchfix_codemods.lsp.project import Project, warm_up
from torchfix_codemods.lsp.shown import diagnostics, page_of, shown, workspace_edit
from torchfix_codemods.version import __version__

#: Longer than between two keys, and not so long that anybody waits.
REST = 0.3

#: Of a text that was just opened something is shown by then, if anything is known.
PATIENCE = 0.2


def server(rest: float = REST, patience: float = PATIENCE) -> LanguageServer:
    """A server that is ready to be started.

    Args:
        rest: how many seconds somebody has to stop typing before the text is looked at.
        patience: after how many seconds a text that was opened shows what is rewritten for certain,
            where it takes longer until all is known.
    """
    made = LanguageServer("torchfix", __version__)
    session = _Session(made, rest, patience)

    @made.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        session.start(params)

    @made.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        session.show(params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        session.show(params.text_document.uri, rests=True)

    @made.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        # Another file may have been what this one waited for.
        session.forget()
        session.show(params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.close(params.text_document.uri)

    @made.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(params: types.DidChangeWatchedFilesParams) -> None:
        session.show_all()

    @made.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        given = given_later(params.settings)
        if given is not None and given != session.given:
            session.given = given
            session.show_all()

    @made.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(
            [types.CodeActionKind.QuickFix, actions.FIX_ALL], resolve_provider=True
        ),
    )
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document, text = await session.looked_at(params.text_document.uri)
        offered = await session.looks.done(lambda: [*actions.offered(document, text, params)])
        if session.resolves:
            return offered
        return await session.looks.done(
            lambda: [action for action in offered if _is_made(action, document, text.uri)]
        )

    @made.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        uri, version = (actions.field_of(action.data, name) for name in ("uri", "version"))
        if action.edit is not None:
            return action
        document, text = await session.looked_at(str(uri))
        is_same = text.version == version
        if not is_same or not await session.looks.done(lambda: _is_made(action, document, uri)):
            raise _TextChangedError()
        return action

    @made.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        document, text = await session.looked_at(params.text_document.uri)
        place = text.position_codec.position_from_client_units(text.lines, params.position)
        found = document.at(place.line, place.character)
        if not found:
            return None
        pages = "\n\n---\n\n".join(dict.fromkeys(page_of(finding) for finding in found))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, pages))

    return made


class _TextChangedError(JsonRpcException):
    """What was offered was offered for another text."""

    CODE = types.LSPErrorCodes.ContentModified.value
    MESSAGE = "the text is not the one any more that this was offered for"


class _Session:
    """What is known of one editor, and of the texts that it shows."""

    def __init__(self, made: LanguageServer, rest: float, patience: float) -> None:
        self.looks = Looks(rest)
        self._patience = patience
        self.given = Given()
        self.resolves = False
        """Whether the editor asks for the edits of an action once it was chosen."""
        self._made = made
        self._project = Project()
        self._open: dict[str, Document | None] = {}
        """The texts that are shown; None where nothing is known of one any more."""
        self._shown: set[str] = set()
        """Those of which all that is found was shown, if of an older version."""

    def start(self, params: types.InitializeParams) -> None:
        self.given = given_at_start(params.initialization_options)
        self.resolves = _resolves(params.capabilities)
        self.looks.begin(warm_up)

    def show(self, uri: str, *, rests: bool = False) -> None:
        """Publish what is found in a text, once nobody types in it any more."""
        self._open.setdefault(uri, None)
        self.looks.soon(uri, self._publish, rests=rests)

    def show_all(self) -> None:
        """Look at all texts anew."""
        self.forget()
        for uri in self._open:
            self.show(uri)

    def forget(self) -> None:
        """Forget what was found, but not which texts there are."""
        self._open = dict.fromkeys(self._open)

    def close(self, uri: str) -> None:
        self._open.pop(uri, None)
        self._shown.discard(uri)
        self.looks.forget(uri)
        self._made.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    async def looked_at(
        self, uri: str, first: FirstFound | None = None
    ) -> tuple[Document, TextDocument]:
        """The text as the editor shows it now, and what was found in it.

        Args:
            uri: the text.
            first: gets what is found so far, where the text was not looked at before.
        """
        text = self._made.workspace.get_text_document(uri)
        # It goes on to change while it is looked at.
        text = TextDocument(uri, text.source, text.version, position_codec=text.position_codec)
        known = self._open.get(uri)
        if known is None or (known.text, known.given) != (text.source, self.given):
            noted = None if first is None else first.note
            known = Document(_path(text), text.source, self.given, self._project, noted)
            if uri in self._open:
                self._open[uri] = known
        document = known
        await self.looks.done(lambda: document.result)
        return document, text

    async def _publish(self, uri: str) -> None:
        if uri in self._shown:
            # Less than before would come and go.
            document, text = await self.looked_at(uri)
        else:
            first = FirstFound(self._patience)
            soon = asyncio.ensure_future(first.shown(partial(self._show_first, uri)))
            try:
                document, text = await self.looked_at(uri, first)
            finally:
                soon.cancel()
        found = await self.looks.done(lambda: [*diagnostics(document, text)])
        if self._open.get(uri) is document:
            self._shown.add(uri)
            self._made.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, found, text.version)
            )

    def _show_first(self, uri: str, findings: Sequence[Finding]) -> None:
        document, text = self._open.get(uri), self._made.workspace.get_text_document(uri)
        if document is not None and document.text == text.source:
            found = [*shown(findings, document, text)]
            self._made.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, found, text.version)
            )


def _is_made(action: types.CodeAction, document: Document, uri: str) -> bool:
    """Whether an action has edits, which are made where it has none."""
    if action.edit is None:
        edits = actions.edits_of(document, action.data)
        if not edits:
            return False
        action.edit = workspace_edit(uri, edits)
    return True


def _resolves(capabilities: types.ClientCapabilities) -> bool:
    text = capabilities.text_document
    action = None if text is None else text.code_action
    support = None if action is None else action.resolve_support
    if action is None or support is None:
        return False
    return "edit" in support.properties and bool(action.data_support)


def _path(text: TextDocument) -> Path:
    return Path(to_fs_path(text.uri) or "untitled.py")
