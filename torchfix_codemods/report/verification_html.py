"""The verdicts of the equivalence harness as one self-contained page."""

from __future__ import annotations

from html import escape

from torchfix_codemods.report import theme
from torchfix_codemods.report.verification import cells, details, left_to_do, summary
from torchfix_codemods.verify.verdicts import FAILED, VERIFIED, Judgement, Verdict, Verification


def page(verification: Verification) -> str:
    """The page; what comes from the user's code is escaped."""
    return theme.page("torchfix verify", f"<h1>torchfix verify</h1>\n{section(verification)}")


def section(verification: Verification) -> str:
    """What was run, and the verdicts, as a part of a page."""
    versions = verification.versions
    said = [*verification.notes, *left_to_do(verification)]
    notes = "".join(f"<li>{theme.code(note)}</li>" for note in said)
    rows = "\n".join(map(_row, verification.judgements))
    return (
        f"<p>{escape(summary(verification))}</p>\n"
        f"<p><code>{theme.code(verification.command)}</code>"
        f" on torch {escape(versions.get('torch', ''))},"
        f" Python {escape(versions.get('python', ''))}</p>\n"
        + (f"<ul>{notes}</ul>\n" if notes else "")
        + '<div class="scroll"><table>\n'
        '<thead><tr><th scope="col">where</th><th scope="col">rewrite</th>'
        '<th scope="col">verdict</th><th scope="col">why</th></tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def kind_of(verdict: Verdict) -> str:
    """How a verdict looks: good, bad, or open."""
    if verdict in FAILED:
        return "bad"
    return "good" if verdict in VERIFIED else "open"


def _row(judgement: Judgement) -> str:
    place, name, verdict, reason = map(theme.code, cells(judgement))
    shown = theme.code("\n".join(details(judgement.outcome)))
    more = f"<pre>{shown}</pre>" if shown else ""
    kind = kind_of(judgement.verdict)
    return (
        f"<tr><td><code>{place}</code></td><td>{name}</td>"
        f'<td class="{kind}">{verdict}</td><td>{reason}{more}</td></tr>'
    )
