"""The diff of a notebook: one per cell, of the code alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torchfix_codemods.documents.notebook import read_notebook
from torchfix_codemods.finding import FileResult
from torchfix_codemods.report.diff import unified_diff


def cell_diffs(result: FileResult) -> str:
    """The unified diffs of the cells that change, each with its number behind the file's name."""
    return "".join(_diffs(result))


def _diffs(result: FileResult) -> Iterator[str]:
    assert result.before is not None and result.after is not None
    before, after = read_notebook(result.before), read_notebook(result.after)
    for old, new in zip(before.cells, after.cells, strict=True):
        if old.source.text == new.source.text:
            continue
        findings = [
            replace(finding, line=finding.place.line)
            for finding in result.findings
            if finding.place is not None and finding.place.part == old.name
        ]
        name = f"{result.path.lstrip('/')}:{old.name}"
        yield unified_diff(name, _ended(old.source.text), _ended(new.source.text), findings)


def _ended(code: str) -> str:
    """Code whose last line has an end: in a notebook none has."""
    return code if code.endswith("\n") or not code else code + "\n"
