"""The diff of a notebook: one per cell, of the code alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torchfix_codemods.documents.notebook import read_notebook
from torchfix_codemods.facts.language.text_lines import ended
from torchfix_codemods.finding import FileResult
from torchfix_codemods.report.diff import unified_diff


def cell_diffs(result: FileResult) -> str:
    """The unified diffs of the cells that change, each with its number behind the file's name."""
    return "".join(
        unified_diff(
            f"{result.path.lstrip('/')}:{name}",
            cell.before,
            cell.after,
            cell.findings,
            is_patch=False,
        )
        for name, cell in cell_results(result)
        if cell.before is not None and cell.after is not None
    )


def cell_results(result: FileResult) -> Iterator[tuple[str, FileResult]]:
    """The cells that change, each with its name, as if it were a file of its own.

    Its findings are those of the cell, by the lines of its code.
    """
    assert result.before is not None and result.after is not None
    before, after = read_notebook(result.before), read_notebook(result.after)
    for old, new in zip(before.cells, after.cells, strict=True):
        if old.source.text == new.source.text:
            continue
        findings = tuple(
            replace(finding, line=finding.place.line, column=finding.place.column)
            for finding in result.findings
            if finding.place is not None and finding.place.part == old.name
        )
        yield (
            old.name,
            replace(
                result,
                findings=findings,
                before=ended(old.source.text),
                after=ended(new.source.text),
            ),
        )
