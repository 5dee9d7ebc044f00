"""What the pages of all reports share: their look, and how the user's code gets into them."""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape

_STYLE = """
:root { color-scheme: light dark;
  --ground: #fff; --raised: #f6f8fa; --line: #d0d7de; --text: #1f2328; --faint: #59636e;
  --accent: #0b5cad; --old: #ffebe9; --old-word: #ffb8b0; --new: #e6ffec; --new-word: #9be9a8;
  --good: #1a7f37; --warn: #8a5a00; --bad: #b3261e; --violet: #6639ba; --teal: #0a6e70 }
@media (prefers-color-scheme: dark) { :root {
  --ground: #0d1117; --raised: #161b22; --line: #30363d; --text: #e6edf3; --faint: #9aa4af;
  --accent: #6cb6ff; --old: #3a1d1f; --old-word: #7d2e2b; --new: #12301c; --new-word: #1f6b35;
  --good: #56d364; --warn: #e3b341; --bad: #ff8a80; --violet: #c4a5ff; --teal: #5bd0c9 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 90rem; padding: 2rem 1.5rem 4rem; background: var(--ground);
  color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif }
h1 { margin: 0; font-size: 1.6rem; font-weight: 650; letter-spacing: -.01em }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.15rem; font-weight: 650 }
h3 { margin: 0; font-size: 1rem; font-weight: 600 }
p { margin: .25rem 0 }
a { color: var(--accent) }
code, pre, .code { font: 12.5px/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
pre { margin: .3rem 0 0; white-space: pre-wrap }
.faint { color: var(--faint) }
.good { color: var(--good) } .bad { color: var(--bad); font-weight: 600 }
.open { color: var(--warn) }
table { border-collapse: collapse; width: 100% }
th { font-size: .8rem; font-weight: 600; color: var(--faint) }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line);
  vertical-align: top }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums }
.scroll { overflow-x: auto; min-width: 0 }
@media (max-width: 40rem) { body { padding: 1.25rem 1rem 3rem } th, td { padding: .35rem .3rem }
  td code { overflow-wrap: anywhere } }
"""

# What would not be seen, or would turn the order of what is seen around.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)


def page(title: str, body: str, style: str = "", script: str = "") -> str:
    """A page that needs nothing else, and may not load or run anything else.

    Args:
        title: as text.
        body: as HTML.
        style: more of it, besides what all pages share.
        script: what the page may run.
    """
    style = _STYLE + style
    allowed = f"default-src 'none'; style-src {_hash(style)}"
    if script:
        allowed += f"; script-src {_hash(script)}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{allowed}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n"
        + (f"<script>{script}</script>\n" if script else "")
        + "</body>\n</html>\n"
    )


def code(text: str) -> str:
    """Code of the user's, where each character is seen as what it is."""
    return _INVISIBLE.sub(
        lambda found: f'<span class="faint">[U+{ord(found[0]):04X}]</span>', escape(text)
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
