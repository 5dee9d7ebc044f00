"""The language server: the editor's questions, answered from :mod:`.document`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from torchfix_codemods.documents.kinds import is_document
from torchfix_codemods.finding import FileError, Finding, Numerics
from torchfix_codemods.lsp.document import Document, Edit
from torchfix_codemods.version import __version__

_SOURCE = "torchfix"
_QUICK_FIX = types.CodeActionKind.QuickFix.value
_FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{_SOURCE}"

_WARNING = types.DiagnosticSeverity.Warning
_SEVERITIES = {
    Numerics.RESTORED: types.DiagnosticSeverity.Error,
    Numerics.PINNED: types.DiagnosticSeverity.Warning,
    Numerics.CHANGED: types.DiagnosticSeverity.Warning,
    Numerics.ADVICE: types.DiagnosticSeverity.Information,
    Numerics.IDENTICAL: types.DiagnosticSeverity.Information,
}

#: Nothing is gained by a list that long, and editors grow slow.
_MOST_FIXES = 20


def server() -> LanguageServer:
    """A server that is ready to be started."""
    made = LanguageServer("torchfix", __version__)
    open_documents: dict[str, Document] = {}

    def document(uri: str) -> Document:
        """The document as the editor shows it now."""
        text = made.workspace.get_text_document(uri)
        known = open_documents.get(uri)
        if known is None or known.text != text.source:
            known = Document(_path(text), text.source)
            open_documents[uri] = known
        return known

    def publish(uri: str) -> None:
        text = made.workspace.get_text_document(uri)
        diagnostics = list(_diagnostics(document(uri), text))
        made.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, text.version)
        )

    @made.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        # Another file may have been what this one waited for.
        open_documents.clear()
        publish(params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        open_documents.pop(params.text_document.uri, None)
        made.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(params.text_document.uri, [])
        )

    @made.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions([types.CodeActionKind.QuickFix, _FIX_ALL]),
    )
    def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        text = made.workspace.get_text_document(uri)
        return [
            *(_quick_fixes(document(uri), text, params) if _is_asked(_QUICK_FIX, params) else ()),
            *(_fix_of_all(document(uri), uri) if _is_asked(_FIX_ALL, params) else ()),
        ]

    @made.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        text = made.workspace.get_text_document(uri)
        place = text.position_codec.position_from_client_units(text.lines, params.position)
        found = document(uri).at(place.line, place.character)
        if not found:
            return None
        pages = "\n\n---\n\n".join(dict.fromkeys(_page(finding) for finding in found))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, pages))

    return made


def _path(text: TextDocument) -> Path:
    return Path(to_fs_path(text.uri) or "untitled.py")


def _diagnostics(document: Document, text: TextDocument) -> Iterator[types.Diagnostic]:
    if document.trouble:
        yield _at(0, f"the settings do not count: {document.trouble}", _WARNING)
    for finding in document.result.findings:
        yield types.Diagnostic(
            range=_range(document, text, finding),
            message=finding.message,
            severity=_SEVERITIES[finding.numerics],
            code=finding.code,
            code_description=None,
            source=_SOURCE,
            data={
                "name": finding.name,
                "numbers": finding.numerics.value,
                "why": None if finding.reason is None else finding.reason.value,
                "fix": finding.fixed,
            },
        )
    for error in document.result.errors:
        yield _failure(error)


def _failure(error: FileError) -> types.Diagnostic:
    message = f"not worked on: {error.message}"
    return _at((error.line or 1) - 1, message, types.DiagnosticSeverity.Error)


def _at(row: int, message: str, severity: types.DiagnosticSeverity) -> types.Diagnostic:
    place = types.Range(types.Position(row, 0), types.Position(row, 1))
    return types.Diagnostic(place, message, severity, source=_SOURCE)


def _range(document: Document, text: TextDocument, finding: Finding) -> types.Range:
    row, start, end = document.span(finding)
    spot = types.Range(types.Position(row, start), types.Position(row, end))
    return text.position_codec.range_to_client_units(text.lines, spot)


def _quick_fixes(
    document: Document, text: TextDocument, params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    if is_document(document.path):
        # What stands on a line of it is no line of Python.
        return
    uri = params.text_document.uri
    found = document.between(params.range.start.line, params.range.end.line)
    rewritten = [finding for finding in found if finding.fixed][:_MOST_FIXES]
    for finding in rewritten:
        yield _quick_fix(
            f"torchfix: {finding.message}", uri, document.fix_of(finding), document, text, finding
        )
    for code in dict.fromkeys(finding.code for finding in rewritten):
        of_rule = [f for f in document.result.findings if f.code == code and f.fixed]
        if len(of_rule) > 1:
            title = f"torchfix: all {len(of_rule)} of {code} {of_rule[0].name} in this file"
            yield _quick_fix(title, uri, document.fix_of_rule(code), document, text, *of_rule)
    for finding in found[:_MOST_FIXES]:
        title = f"torchfix: leave this alone ({finding.code} {finding.name})"
        comment = document.ignored(finding)
        if comment is not None:
            yield _quick_fix(title, uri, [comment], document, text, finding)


def _fix_of_all(document: Document, uri: str) -> Iterator[types.CodeAction]:
    if any(finding.fixed for finding in document.result.findings):
        title = "torchfix: rewrite all in this file"
        edit = _workspace_edit(uri, document.fix_of_all())
        yield types.CodeAction(title, kind=_FIX_ALL, edit=edit)


def _quick_fix(
    title: str,
    uri: str,
    edits: Sequence[Edit],
    document: Document,
    text: TextDocument,
    *findings: Finding,
) -> types.CodeAction:
    solved = [
        types.Diagnostic(_range(document, text, finding), finding.message, code=finding.code)
        for finding in findings
    ]
    return types.CodeAction(
        title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=solved,
        edit=_workspace_edit(uri, edits),
    )


def _workspace_edit(uri: str, edits: Sequence[Edit]) -> types.WorkspaceEdit:
    return types.WorkspaceEdit(
        changes={
            uri: [
                types.TextEdit(
                    types.Range(types.Position(edit.start, 0), types.Position(edit.end, 0)),
                    edit.text,
                )
                for edit in edits
            ]
        }
    )


def _is_asked(kind: str, params: types.CodeActionParams) -> bool:
    """Whether a kind of action is a wanted one, or one below it."""
    only = params.context.only
    asked = [str(getattr(wanted, "value", wanted)) for wanted in only or ()]
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in asked)


def _page(finding: Finding) -> str:
    from torchfix_codemods.remarks import page_of_remark, remark_of
    from torchfix_codemods.report.markdown import page
    from torchfix_codemods.rules import matching

    remark = remark_of(finding.code)
    if remark is not None:
        return f"{finding.message}\n\n{page_of_remark(remark, level=3)}"
    (rule,) = matching(finding.code)
    return f"{finding.message}\n\n{page(rule, level=3)}"
