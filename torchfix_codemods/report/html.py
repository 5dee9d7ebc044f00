"""The report of a run as one page that needs nothing else: what changed, why, what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from torchfix_codemods.documents.kinds import is_notebook
from torchfix_codemods.finding import FileResult, Finding, Numerics, Reason
from torchfix_codemods.report import theme
from torchfix_codemods.report.causes import Cause, causes, grouped
from torchfix_codemods.report.cells import cell_results
from torchfix_codemods.report.diff import split_lines
from torchfix_codemods.report.links import address_of
from torchfix_codemods.report.run import MEANINGS, WHY, RunReport, hunks
from torchfix_codemods.report.side_by_side import side_by_side
from torchfix_codemods.report.text import counted, place_of, place_of_error
from torchfix_codemods.verify.hunks import Hunk
from torchfix_codemods.version import __version__

#: How many places are shown of what is said of many; the others are unfolded.
_MOST = 10


_STYLE = """
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem;
  margin: 1.25rem 0 0; padding: 0 }
.tiles div { border: 1px solid var(--line); border-radius: 8px; padding: .7rem .9rem;
  background: var(--raised) }
.tiles dt { color: var(--faint); font-size: .85rem }
.tiles dd { margin: 0; font-size: 1.6rem; font-weight: 650; line-height: 1.3;
  font-variant-numeric: tabular-nums }
.pill { display: inline-block; border: 1px solid currentColor; border-radius: 99px;
  padding: 0 .55rem; font-size: .78rem; font-weight: 600; line-height: 1.35rem;
  white-space: nowrap }
.identical { color: var(--good) } .restored { color: var(--teal) } .pinned { color: var(--violet) }
.changed { color: var(--warn) } .advice { color: var(--accent) }
.fails { color: var(--bad) } .differs { color: var(--violet) } .warns { color: var(--warn) }
.modern { color: var(--faint) }
.summary { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 2.5rem }
@media (min-width: 70rem) { .summary { grid-template-columns: 3fr 2fr; align-items: start } }
@media (min-width: 50rem) { td label, td.rule { white-space: nowrap } }
.tiles a { color: inherit }
td label { display: flex; align-items: center; gap: .5rem; cursor: pointer }
h2 { scroll-margin-top: 4.5rem }
.filters { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .6rem 1rem;
  align-items: center; margin: 2rem 0 0; padding: .7rem 0; background: var(--ground);
  border-bottom: 1px solid var(--line) }
.filters input[type=search] { flex: 0 1 16rem; min-width: 9rem }
.filters input[type=search], .filters button { font: inherit; color: inherit;
  background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
  padding: .3rem .6rem }
@media (max-width: 40rem) { .filters { position: static } h2 { scroll-margin-top: 1rem } }
.filters output { color: var(--faint) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.file { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 1rem;
  background: var(--ground) }
.file > summary { display: flex; flex-wrap: wrap; gap: .2rem .9rem; align-items: baseline;
  padding: .6rem .9rem; cursor: pointer; border-radius: 8px; background: var(--raised) }
.file > summary h3 { overflow-wrap: anywhere }
.file > summary::before { content: "\\25B8"; color: var(--faint) }
.file[open] > summary::before { content: "\\25BE" }
.file > summary .faint { font-size: .85rem }
.file h4 { margin: 0; padding: .6rem .9rem 0; border-top: 1px solid var(--line) }
h4 + .hunk { border-top: 0; padding-top: .3rem }
.hunk { border-top: 1px solid var(--line); padding: .7rem 0 0 }
.reasons { list-style: none; margin: 0 0 .6rem; padding: 0 .9rem }
.reasons li { margin: .15rem 0; overflow-wrap: anywhere }
.split { table-layout: fixed; min-width: 46rem }
.split col.n { width: 4.2rem }
.split td { padding: 0 .5rem; border: 0; white-space: pre-wrap; overflow-wrap: anywhere }
.split td.n { text-align: right; color: var(--faint); user-select: none; white-space: nowrap }
.split td.old { background: var(--old) } .split td.new { background: var(--new) }
.split td.n::after { display: inline-block; width: 1em; content: "" }
.split td.n.old::after { content: "\\2212"; color: var(--bad) }
.split td.n.new::after { content: "+"; color: var(--good) }
.split td.none { background: var(--raised) }
.split tr.gap td { background: var(--raised); color: var(--faint); text-align: center }
.split mark { color: inherit; border-radius: 2px }
.split .old mark { background: var(--old-word) } .split .new mark { background: var(--new-word) }
.split tr:last-child td:last-child { border-bottom-right-radius: 8px }
.split td:nth-child(3) { border-left: 1px solid var(--line) }
.causes, .places { list-style: none; margin: 0; padding: 0 }
.causes > li { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 .75rem;
  padding: .6rem .9rem; overflow-wrap: anywhere }
.places { columns: 22rem; margin: .3rem 0 0 }
.places li { break-inside: avoid }
.more summary { color: var(--accent); cursor: pointer }
footer { margin-top: 3rem; color: var(--faint); font-size: .85rem }
[hidden] { display: none !important }
@media print {
  :root { --ground: #fff; --raised: #f6f8fa; --line: #d0d7de; --text: #000; --faint: #444;
    --old: #ffebe9; --old-word: #ffb8b0; --new: #e6ffec; --new-word: #9be9a8 }
  body { max-width: none; padding: 0; font-size: 11px }
  .filters, td input { display: none }
  .split { min-width: 0 } .split td { font-size: 8.5px }
  .split tr { break-inside: avoid } .file > summary, .reasons { break-after: avoid }
  * { print-color-adjust: exact } }
"""

_SCRIPT = """
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const boxes = all('input[data-filter]'), search = document.getElementById('path');
  const chosen = kind => new Set(
    boxes.filter(box => box.dataset.filter === kind && box.checked).map(box => box.value));
  const has = (wanted, words) => !wanted.size || words.split(' ').some(word => wanted.has(word));
  function apply() {
    const wanted = ['rule', 'claim', 'why'].map(chosen), part = search.value.toLowerCase();
    let shown = 0;
    for (const item of all('[data-rules]')) {
      const pairs = item.dataset.rules.split(' ').map(pair => pair.split('/'));
      const fits = wanted.every(set => !set.size) || pairs.some(tags =>
        wanted.every((set, index) => !set.size || set.has(tags[index])));
      item.hidden = !fits || !item.dataset.path.toLowerCase().includes(part);
      shown += !item.hidden;
    }
    const sought = part || wanted.some(set => set.size);
    for (const more of all('details.more'))
      more.open = !!sought && all('[data-rules]', more).some(item => !item.hidden);
    for (const group of all('[data-group]'))
      group.hidden = !all('[data-rules]', group).some(item => !item.hidden);
    document.getElementById('shown').textContent = shown + ' of ' + all('[data-rules]').length
      + ' places shown';
  }
  boxes.forEach(box => box.addEventListener('change', apply));
  search.addEventListener('input', apply);
  document.getElementById('reset').addEventListener('click', () => {
    boxes.forEach(box => { box.checked = false; });
    search.value = '';
    apply();
  });
  document.getElementById('fold').addEventListener('click', event => {
    const files = all('details.file'), open = files.some(file => !file.open);
    files.forEach(file => { file.open = open; });
  });
  addEventListener('beforeprint', () => all('details').forEach(file => { file.open = true; }));
  document.querySelector('.filters').hidden = false;
  boxes.forEach(box => { box.hidden = false; });
  apply();
})();
"""


def document(report: RunReport) -> str:
    """The page; all that comes from the user's files is escaped."""
    body = "\n".join(
        part
        for part in (
            _head(report),
            _summary(report),
            _filters(),
            _changes(report),
            _left(report),
            _unread(report),
            _verification(report),
            f"<footer>Made by torchfix-codemods {escape(__version__)}.</footer>",
        )
        if part
    )
    return theme.page("torchfix report", body, _STYLE, _SCRIPT)


def _head(report: RunReport) -> str:
    tally = report.tally
    changed = "files rewritten" if report.is_written else "files to rewrite"
    numbers = [
        ("files read", tally.files, ""),
        (changed, tally.changed, "changes"),
        ("rewrites", sum(tally.rewrites.values()), "rules"),
        ("left for a person", sum(tally.left.values()), "left"),
        ("not processed", tally.failed, "unread"),
    ]
    tiles = "".join(
        f"<div><dt>{_link(name, place if count else '')}</dt><dd>{count:,}</dd></div>"
        for name, count, place in numbers
    )
    note = "The files were rewritten." if report.is_written else "Nothing was written."
    return (
        f'<header><h1>torchfix report</h1><p class="faint">{note}</p></header>\n'
        f'<dl class="tiles">{tiles}</dl>'
    )


def _link(text: str, place: str) -> str:
    return f'<a href="#{place}">{text}</a>' if place else text


# Summary


def _summary(report: RunReport) -> str:
    if not report.tally.names:
        return "<p>Nothing was found.</p>"
    return (
        f'<div class="summary"><section aria-labelledby="rules"><h2 id="rules">Rules</h2>'
        f"{_rules(report)}</section>\n<div>{_why(report)}"
        f'<section aria-labelledby="claims"><h2 id="claims">What happens to the numbers</h2>'
        f"{_claims(report)}</section></div></div>"
    )


def _rules(report: RunReport) -> str:
    tally = report.tally
    files = Counter(code for r in report.told for code in {f.code for f in r.findings})
    claims = {(f.code, f.numerics) for r in report.told for f in r.findings}
    rows = [
        f"<tr><td>{_box('rule', code, f'{code} {tally.names[code]}')}</td>"
        f"<td>{' '.join(_pill(claim) for claim in Numerics if (code, claim) in claims)}</td>"
        f"{_number(tally.rewrites[code])}{_number(tally.left[code])}{_number(files[code])}</tr>"
        for code in sorted(tally.names)
    ]
    heads = ("rule", "numbers", "rewrites", "left", "files")
    return _table(heads, rows, numbers_from=2)


def _why(report: RunReport) -> str:
    reasons = report.tally.reasons
    rows = [
        f"<tr><td>{_box('why', reason.value, _pill(reason), is_html=True)}</td>"
        f"<td>{escape(WHY[reason])}</td>{_number(reasons[reason])}</tr>"
        for reason in Reason
        if reasons[reason]
    ]
    if not rows:
        return ""
    return (
        '<section aria-labelledby="why"><h2 id="why">Why it is rewritten</h2>'
        + _table(("why", "meaning", "rewrites"), rows, numbers_from=2)
        + "</section>\n"
    )


def _claims(report: RunReport) -> str:
    rewrites = Counter(f.numerics for r in report.told for f in r.findings if f.fixed)
    left = Counter(f.numerics for r in report.told for f in r.findings if not f.fixed)
    rows = [
        f"<tr><td>{_box('claim', claim.value, _pill(claim), is_html=True)}</td>"
        f"<td>{escape(MEANINGS[claim])}</td>{_number(rewrites[claim])}{_number(left[claim])}</tr>"
        for claim in Numerics
        if rewrites[claim] or left[claim]
    ]
    return _table(("numbers", "meaning", "rewrites", "left"), rows, numbers_from=2)


def _filters() -> str:
    return (
        '<div class="filters" role="search" aria-label="Filters" hidden>'
        '<label for="path">Path</label>'
        '<input type="search" id="path" placeholder="part of a path" autocomplete="off">'
        '<button type="button" id="reset">Show all</button>'
        '<button type="button" id="fold">Fold or unfold files</button>'
        '<output id="shown" aria-live="polite"></output></div>'
    )


def _box(kind: str, value: str, label: str, is_html: bool = False) -> str:
    shown = label if is_html else escape(label)
    return (
        f'<label><input type="checkbox" data-filter="{kind}" value="{escape(value)}" hidden>'
        f"<span>{shown}</span></label>"
    )


# Changes


def _changes(report: RunReport) -> str:
    files = [_file(result, report) for result in report.told if result.changed]
    if not files:
        return ""
    return (
        '<section aria-labelledby="changes" data-group><h2 id="changes">Changes</h2>\n'
        + "\n".join(files)
        + "</section>"
    )


def _file(result: FileResult, report: RunReport) -> str:
    count = sum(finding.fixed for finding in result.findings)
    era = f"written for torch {result.era}" if result.era.evidence else ""
    notes = "; ".join(result.era.evidence)
    title = f' title="{escape(notes)}"' if notes else ""
    if is_notebook(result.path):
        articles = "\n".join(
            f"<div data-group><h4>{escape(name)}</h4>\n{_hunks(cell, report)}</div>"
            for name, cell in cell_results(result)
        )
    else:
        articles = _hunks(result, report)
    return (
        f'<details class="file" open data-group><summary><h3 class="code">'
        f"{theme.code(result.path)}</h3>"
        f'<span class="faint">{counted(count, "rewrite")}</span>'
        f'<span class="faint"{title}>{escape(era)}</span></summary>\n{articles}</details>'
    )


def _hunks(result: FileResult, report: RunReport) -> str:
    parts = hunks(result)
    before, after = split_lines(result.before or ""), split_lines(result.after or "")
    return "\n".join(_hunk(result, part, parts, before, after, report) for part in parts)


def _hunk(
    result: FileResult,
    hunk: Hunk,
    parts: Sequence[Hunk],
    before: Sequence[str],
    after: Sequence[str],
    report: RunReport,
) -> str:
    rows = "".join(side_by_side(hunk, parts, before, after))
    return (
        f'<article class="hunk" {_tags(result, hunk.findings)}>'
        f'<ul class="reasons">{"".join(_reasons(result, hunk, report))}</ul>'
        '<div class="scroll"><table class="split code" aria-label="before and after">'
        '<colgroup><col class="n"><col><col class="n"><col></colgroup>'
        f"<tbody>{rows}</tbody></table></div></article>"
    )


def _reasons(result: FileResult, hunk: Hunk, report: RunReport) -> Iterator[str]:
    """Each reason once, with the lines that it is about."""
    found = grouped((result, finding) for finding in dict.fromkeys(hunk.findings))
    for cause in found:
        first, places = cause.finding, [finding for _, finding in cause.found]
        lines = dict.fromkeys(finding.line for finding in places)
        verdicts = dict.fromkeys(j.verdict for f in places for j in report.judgements(result, f))
        pills = " ".join(_pill(kind) for kind in (first.reason, first.numerics) if kind is not None)
        yield (
            f"<li>{pills} <strong>{_rule(first.code, first.name)}</strong>"
            f" {theme.code(first.message)}{''.join(map(_verdict, verdicts))}"
            f' <span class="faint">line{"s" * (len(lines) > 1)} {", ".join(map(str, lines))}'
            "</span></li>"
        )
    if not found:
        yield '<li class="faint">Follows from the other rewrites of this file.</li>'


def _verdict(verdict: object) -> str:
    from torchfix_codemods.report.verification_html import kind_of
    from torchfix_codemods.verify.verdicts import Verdict

    assert isinstance(verdict, Verdict)
    return f' <span class="pill {kind_of(verdict)}">{escape(verdict.value)}</span>'


# What is left


def _left(report: RunReport) -> str:
    left = causes(report.told, lambda finding: not finding.fixed)
    if not left:
        return ""
    return (
        '<section aria-labelledby="left" data-group><h2 id="left">Left for a person</h2>\n<ul'
        ' class="causes">' + "\n".join(_cause(cause, report) for cause in left) + "</ul></section>"
    )


def _cause(cause: Cause, report: RunReport) -> str:
    """What is said once, and the places of which it is said."""
    first = cause.finding
    places = [_place(result, finding, report) for result, finding in cause.found]
    # One more takes no more room than to say that there is one.
    shown = len(places) if len(places) <= _MOST + 1 else _MOST
    more = (
        f'<details class="more"><summary>{len(places) - shown} more places</summary>'
        f'<ul class="places">{"".join(places[shown:])}</ul></details>'
        if shown < len(places)
        else ""
    )
    rule = f"{_pill(first.numerics)} <strong>{_rule(first.code, first.name)}</strong>"
    return (
        f'<li data-group><p>{rule} <span class="faint">{counted(len(places), "place")}</span></p>'
        f"<p>{theme.code(first.message)}</p>"
        f'<ul class="places">{"".join(places[:shown])}</ul>{more}</li>'
    )


def _place(result: FileResult, finding: Finding, report: RunReport) -> str:
    verdicts = "".join(_verdict(j.verdict) for j in report.judgements(result, finding))
    return (
        f"<li {_tags(result, [finding])}>"
        f"<code>{theme.code(place_of(result, finding))}</code>{verdicts}</li>"
    )


def _unread(report: RunReport) -> str:
    rows = [
        f"<tr><td><code>{theme.code(place_of_error(result, error))}</code></td>"
        f"<td>{theme.code(error.message)}</td></tr>"
        for result in report.told
        for error in result.errors
    ]
    if not rows:
        return ""
    return (
        '<section aria-labelledby="unread"><h2 id="unread">Not processed</h2>'
        + _table(("place", "why"), rows)
        + "</section>"
    )


def _verification(report: RunReport) -> str:
    if report.verification is None:
        return ""
    from torchfix_codemods.report.verification_html import section

    return (
        '<section aria-labelledby="verdicts"><h2 id="verdicts">Verification</h2>'
        + section(report.verification)
        + "</section>"
    )


# Small parts


def _rule(code: str, name: str) -> str:
    """The code and the name of a rule; the code leads to what can be read about it."""
    address = address_of(code)
    shown = escape(code)
    if address is not None:
        shown = f'<a href="{escape(address)}" rel="noreferrer">{shown}</a>'
    return f"{shown} {escape(name)}"


def _tags(result: FileResult, findings: Sequence[Finding]) -> str:
    """What the filters ask of a place."""
    pairs = " ".join(
        dict.fromkeys(
            "/".join([f.code, f.numerics.value, *([] if f.reason is None else [f.reason.value])])
            for f in findings
        )
    )
    return f'data-rules="{escape(pairs)}" data-path="{escape(result.path)}"'


def _pill(kind: Numerics | Reason) -> str:
    return f'<span class="pill {kind.value}">{kind.value}</span>'


def _number(count: int) -> str:
    return f'<td class="number">{count:,}</td>' if count else '<td class="number faint">0</td>'


def _table(heads: Sequence[str], rows: Sequence[str], numbers_from: int | None = None) -> str:
    cells = "".join(
        f'<th scope="col"{_class(column, numbers_from)}>{escape(head)}</th>'
        for column, head in enumerate(heads)
    )
    return (
        f'<div class="scroll"><table><thead><tr>{cells}</tr></thead>\n'
        "<tbody>" + "\n".join(rows) + "</tbody></table></div>"
    )


def _class(column: int, numbers_from: int | None) -> str:
    return ' class="number"' if numbers_from is not None and column >= numbers_from else ""
