"""What is found, in the words of the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lsprotocol import types
from pygls.workspace import TextDocument

from torchfix_codemods.finding import FileError, Finding, Numerics
from torchfix_codemods.lsp.document import Document, Edit
from torchfix_codemods.report.links import address_of

_SOURCE = "torchfix"

_WARNING = types.DiagnosticSeverity.Warning
_SEVERITIES = {
    Numerics.RESTORED: types.DiagnosticSeverity.Error,
    Numerics.PINNED: types.DiagnosticSeverity.Warning,
    Numerics.CHANGED: types.DiagnosticSeverity.Warning,
    Numerics.ADVICE: types.DiagnosticSeverity.Information,
    Numerics.IDENTICAL: types.DiagnosticSeverity.Information,
}


def diagnostics(document: Document, text: TextDocument) -> Iterator[types.Diagnostic]:
    """All that is said of a text."""
    if document.trouble:
        yield _at(0, f"the settings do not count: {document.trouble}", _WARNING)
    yield from shown(document.result.findings, document, text)
    for error in document.result.errors:
        yield _failure(error)


def shown(
    findings: Iterable[Finding], document: Document, text: TextDocument
) -> Iterator[types.Diagnostic]:
    """What is said of some findings in a text."""
    for finding in findings:
        address = address_of(finding.code)
        yield types.Diagnostic(
            range=range_of(document, text, finding),
            message=finding.message,
            severity=_SEVERITIES[finding.numerics],
            code=finding.code,
            code_description=None if address is None else types.CodeDescription(address),
            source=_SOURCE,
            data={
                "name": finding.name,
                "numbers": finding.numerics.value,
                "why": None if finding.reason is None else finding.reason.value,
                "fix": finding.fixed,
            },
        )


def range_of(document: Document, text: TextDocument, finding: Finding) -> types.Range:
    """Where a finding stands, as the client counts."""
    row, start, end = document.span(finding)
    spot = types.Range(types.Position(row, start), types.Position(row, end))
    return text.position_codec.range_to_client_units(text.lines, spot)


def workspace_edit(uri: str, edits: Sequence[Edit]) -> types.WorkspaceEdit:
    """Edits of whole lines of one text."""
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


def page_of(finding: Finding) -> str:
    """What is said of a finding, and the page of its rule below."""
    from torchfix_codemods.remarks import page_of_remark, remark_of
    from torchfix_codemods.report.manual.markdown import page
    from torchfix_codemods.rules import matching

    remark = remark_of(finding.code)
    if remark is not None:
        return f"{finding.message}\n\n{page_of_remark(remark, level=3)}"
    (rule,) = matching(finding.code)
    return f"{finding.message}\n\n{page(rule, level=3)}"


def _failure(error: FileError) -> types.Diagnostic:
    message = f"not worked on: {error.message}"
    return _at((error.line or 1) - 1, message, types.DiagnosticSeverity.Error)


def _at(row: int, message: str, severity: types.DiagnosticSeverity) -> types.Diagnostic:
    place = types.Range(types.Position(row, 0), types.Position(row, 1))
    return types.Diagnostic(place, message, severity, source=_SOURCE)
