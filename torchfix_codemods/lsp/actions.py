"""What an editor offers to do, first without its edits: these are made of what was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lsprotocol import types
from pygls.workspace import TextDocument

from torchfix_codemods.documents.kinds import is_document
from torchfix_codemods.finding import Finding
from torchfix_codemods.lsp.document import Document, Edit
from torchfix_codemods.lsp.shown import range_of, workspace_edit

QUICK_FIX = types.CodeActionKind.QuickFix.value
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.torchfix"

#: Nothing is gained by a list that long, and editors grow slow.
_MOST_FIXES = 20

_GO = ("goes", "go")


def offered(
    document: Document, text: TextDocument, params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    """What is offered at a place.

    Args:
        document: the text, which was looked at.
        text: the same, as the client counts.
        params: what is asked for.

    Returns:
        actions without edits, which :func:`edits_of` makes; those that only write a comment have
        theirs.
    """
    if _is_asked(QUICK_FIX, params) and not is_document(document.path):
        # What stands on a line of a document is no line of Python.
        yield from _quick_fixes(document, text, params)
    if _is_asked(FIX_ALL, params) and document.fixable:
        yield types.CodeAction(
            "torchfix: rewrite all in this file", kind=FIX_ALL, data=_data(text, "all")
        )


def edits_of(document: Document, data: Any) -> list[Edit] | None:
    """The edits of an action.

    Args:
        document: the text that it was offered for.
        data: those of the action.

    Returns:
        None where there is no such action.
    """
    kind, code, line = (field_of(data, name) for name in ("fix", "code", "line"))
    if kind == "all":
        return document.fix_of_all()
    findings = [
        f for f in document.fixable if f.code == code and (kind == "rule" or f.line == line)
    ]
    return document.fix_of(findings) if findings and kind in ("place", "rule") else None


def _quick_fixes(
    document: Document, text: TextDocument, params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    found = document.between(params.range.start.line, params.range.end.line)
    fixable = document.fixable
    rewritten = [finding for finding in found if finding in fixable][:_MOST_FIXES]

    def action(title: str, findings: Sequence[Finding], data: Any = None) -> types.CodeAction:
        places = [(finding.code, range_of(document, text, finding)) for finding in findings]
        solved = [d for d in params.context.diagnostics if (d.code, d.range) in places]
        return types.CodeAction(title, QUICK_FIX, solved or None, data=data)

    for findings in _by_place(rewritten):
        others = document.comes_along(findings[:1])
        along = f" (with {others} more that {_GO[others > 1]} with it)" if others else ""
        title = f"torchfix: {findings[0].message}{along}"
        yield action(title, findings, _data(text, "place", findings[0]))
    for code in dict.fromkeys(finding.code for finding in rewritten):
        of_rule = [finding for finding in fixable if finding.code == code]
        if len(of_rule) > 1:
            title = f"torchfix: all {len(of_rule)} of {code} {of_rule[0].name} in this file"
            yield action(title, of_rule, _data(text, "rule", of_rule[0]))
    for findings in _by_place(found[:_MOST_FIXES]):
        comment = document.ignored(findings[0])
        if comment is not None:
            title = f"torchfix: leave this alone ({findings[0].code} {findings[0].name})"
            made = action(title, findings)
            made.edit = workspace_edit(text.uri, [comment])
            yield made


def _by_place(findings: Iterable[Finding]) -> Iterable[list[Finding]]:
    """The findings, together where they are of one line and one rule."""
    places: dict[tuple[int, str], list[Finding]] = {}
    for finding in findings:
        places.setdefault((finding.line, finding.code), []).append(finding)
    return places.values()


def _data(text: TextDocument, fix: str, finding: Finding | None = None) -> dict[str, Any]:
    """What comes back with an action that was chosen."""
    data: dict[str, Any] = {"uri": text.uri, "version": text.version, "fix": fix}
    if finding is not None:
        data |= {"code": finding.code, "line": finding.line}
    return data


def field_of(data: Any, name: str) -> Any:
    """What the data of an action say by that name; None where they do not."""
    return data.get(name) if isinstance(data, dict) else getattr(data, name, None)


def _is_asked(kind: str, params: types.CodeActionParams) -> bool:
    """Whether a kind of action is a wanted one, or one below it."""
    only = params.context.only
    asked = [str(getattr(wanted, "value", wanted)) for wanted in only or ()]
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in asked)
