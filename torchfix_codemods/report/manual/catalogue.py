"""The rows of the catalogue as a document."""

from __future__ import annotations

from collections.abc import Iterator

from torchfix_codemods.catalogue import rows_in, subjects
from torchfix_codemods.catalogue.rows import Arguments, Call, Gone, Name, Row, Value
from torchfix_codemods.finding import Numerics
from torchfix_codemods.report.manual.markdown import cell
from torchfix_codemods.report.text import counted_reasons


def catalogue_table() -> str:
    """All rows as Markdown, a table for each subject, and how many there are."""
    rows = [row for subject in subjects() for row in rows_in(subject)]
    advising = sum(row.numerics is Numerics.ADVICE for row in rows)
    lines = [
        "# The catalogue\n",
        "Made from the rows themselves (`torchfix rules --rows`). Each of them is a change of"
        " torch's API that a rule follows.\n",
        f"{len(rows)} rows: {len(rows) - advising} rewrite"
        f" ({counted_reasons(row.reason() for row in rows)}), {advising} advise.\n",
    ]
    for subject in subjects():
        lines += [
            f"## {subject}\n",
            "| old | today | rule | gone in | why | numbers |",
            "|---|---|---|---|---|---|",
        ]
        for row in rows_in(subject):
            for old, new in row_cells(row):
                gone = row.gone or row.missing or (f"changed in {row.before}" if row.before else "")
                also = f" ({row.tor})" if row.tor else ""
                reason = row.reason()
                why = "" if reason is None else reason.value
                lines.append(
                    f"| {_code(old)} | {new} | {row.rule}{also} | {gone} | {why} |"
                    f" {row.numerics.value} |"
                )
        lines.append("")
    return "\n".join(lines)


def row_cells(row: Row) -> Iterator[tuple[str, str]]:
    """What stands in the first two columns; a call has a line for each of its forms."""
    if isinstance(row, (Name, Value)):
        yield row.old, _code(row.new)
    elif isinstance(row, Gone):
        yield row.old, cell(row.advice)
    elif isinstance(row, Arguments):
        yield ", ".join(row.of), cell(row.advice) if row.advice else _arguments(row)
    elif isinstance(row, Call):
        for form in row.forms:
            conditions = ", ".join(
                f"{name} {getattr(wanted, 'value', None) or f'= {wanted}'}"
                for name, wanted in form.when.items()
            )
            part = f", of which `{form.part}` is used" if form.part else ""
            if form.reads:
                part = f", of which {' '.join(f'`{name}`' for name in form.reads)} alone are read"
            elif form.gives is not None:
                part = f", which gives {form.gives.value}"
            where = f" where {conditions}" if conditions else ""
            new = _code(form.new) if form.new else cell(form.advice or "the same")
            yield row.old, f"{new}{cell(where + part)}"
        if not row.forms:
            yield row.old, cell(row.advice)


def _arguments(row: Arguments) -> str:
    parts = [f"`{old}=` is `{new}=`" for old, new in row.renames.items()]
    parts += [f"`{name}=` goes" for name in row.drops]
    if row.keywords_from is not None:
        named = [n for n in row.parameters[row.keywords_from :] if n not in row.drops]
        if named:
            parts.append(f"{', '.join(f'`{name}=`' for name in named)} by keyword")
    return ", ".join(parts)


def _code(text: str) -> str:
    return f"`{cell(text)}`"
