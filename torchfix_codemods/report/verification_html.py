"""The verdicts of the equivalence harness as one self-contained page."""

from __future__ import annotations

from html import escape

from torchfix_codemods.report.verification import cells, details, summary
from torchfix_codemods.verify.verdicts import FAILED, VERIFIED, Judgement, Verification

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>torchfix verify</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
  color: #1b1f24; background: #fff }}
table {{ border-collapse: collapse; width: 100% }}
th, td {{ text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #d8dee4;
  vertical-align: top }}
code, pre {{ font: 13px/1.4 ui-monospace, monospace }}
pre {{ margin: .3rem 0 0; white-space: pre-wrap }}
.good {{ color: #1a7f37 }} .bad {{ color: #b3261e; font-weight: 600 }} .open {{ color: #7a5c00 }}
</style>
</head>
<body>
<h1>torchfix verify</h1>
<p>{summary}</p>
<p><code>{command}</code> on torch {torch}, Python {python}</p>
{notes}
<table>
<thead><tr><th>where</th><th>rewrite</th><th>verdict</th><th></th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</body>
</html>
"""


def page(verification: Verification) -> str:
    """The page; what comes from the user's code is escaped."""
    notes = "".join(f"<li>{escape(note)}</li>" for note in verification.notes)
    return _PAGE.format(
        summary=escape(summary(verification)),
        command=escape(verification.command),
        torch=escape(verification.versions.get("torch", "")),
        python=escape(verification.versions.get("python", "")),
        notes=f"<ul>{notes}</ul>" if notes else "",
        rows="\n".join(map(_row, verification.judgements)),
    )


def _row(judgement: Judgement) -> str:
    place, name, verdict, reason = map(escape, cells(judgement))
    shown = escape("\n".join(details(judgement.outcome)))
    more = f"<pre>{shown}</pre>" if shown else ""
    kind = "bad" if judgement.verdict in FAILED else "open"
    kind = "good" if judgement.verdict in VERIFIED else kind
    return (
        f"<tr><td><code>{place}</code></td><td>{name}</td>"
        f'<td class="{kind}">{verdict}</td><td>{reason}{more}</td></tr>'
    )
