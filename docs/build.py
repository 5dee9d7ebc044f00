"""Build the site: ``python docs/build.py FOLDER``, or ``python docs/build.py --serve`` to write on it.

What stands in ``docs/`` is put beside the pages that are made from the rules themselves, and Zensical
makes a site of both. Links and anchors that lead to nothing end it with an error.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

from torchfix_codemods.catalogue import rows_in, subjects
from torchfix_codemods.catalogue.rows import Row
from torchfix_codemods.finding import Numerics
from torchfix_codemods.report.manual.catalogue import row_cells
from torchfix_codemods.report.manual.markdown import example_lines, page, reasons_of
from torchfix_codemods.rule import Rule
from torchfix_codemods.rules import all_rules

ROOT = Path(__file__).parents[1]

SUBJECTS = {
    "autograd": "Autograd",
    "devices": "Devices",
    "losses": "Losses and functional",
    "tensors": "Tensors",
    "checkpoints": "Checkpoints",
    "training": "Training",
    "modules": "Modules",
    "data": "Data",
    "renames": "Renamed and removed",
}

#: What stands in docs/ and is no page of the site.
_NOT_SHOWN = shutil.ignore_patterns("*.py", "rules.md", "recipes", "__pycache__")


def write_site(folder: Path) -> Path:
    """Write all that the site is made of.

    Args:
        folder: where to; it is made.

    Returns:
        the file of settings.
    """
    config: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=_NOT_SHOWN)
    edit = f"{config['repo_url']}/edit/main"
    pages = folder / "docs" / "rules"
    pages.mkdir()
    for rule in all_rules():
        module = type(rule).__module__.replace(".", "/")
        _write(pages / f"{rule.code}.md", f"{edit}/{module}.py", page(rule))
    _write(pages / "index.md", f"{edit}/docs/build.py", index(all_rules()))
    table = (ROOT / "docs" / "catalogue.md").read_text("utf-8")
    source = f"{edit}/torchfix_codemods/catalogue"
    _write(folder / "docs" / "catalogue.md", source.replace("/edit/", "/tree/"), catalogue(table))
    for entry in config["nav"]:
        if "Rules" in entry:
            entry["Rules"] += _navigation(all_rules())
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")
    return folder / "mkdocs.yml"


def _write(path: Path, source: str, text: str) -> None:
    path.write_text(f"---\nedit_url: {source}\n---\n\n{text}", "utf-8")


def _navigation(rules: list[Rule]) -> Iterator[dict[str, Any]]:
    for subject, some in _by_subject(rules):
        yield {subject: [{f"{rule.code} {rule.name}": f"rules/{rule.code}.md"} for rule in some]}


def _by_subject(rules: list[Rule]) -> Iterator[tuple[str, list[Rule]]]:
    """The rules of each subject, in their order, of which one may lie in another one's folder."""
    order = list(SUBJECTS)
    ordered = sorted(rules, key=lambda rule: order.index(_subject(rule)))
    for subject, some in groupby(ordered, key=_subject):
        yield SUBJECTS[subject], list(some)


def _subject(rule: Rule) -> str:
    room = type(rule).__module__.split(".")[-2]
    return "tensors" if room in ("arrays", "masks", "scalars") else room


def index(rules: list[Rule]) -> str:
    """The page with all rules, as Markdown; what filters it is added by assets/cards.js.

    Args:
        rules: in their order.
    """
    parts = [
        "# The rules\n",
        f"{len(rules)} rules. Behind the name of each stands what it does to"
        " [the numbers](../numbers.md), and [what the old form does](../needed.md) on the torch to"
        " run on. `torchfix explain RULE` shows a page on the terminal.\n",
        '<div id="filters" data-noun="rules"></div>\n',
    ]
    for subject, some in _by_subject(rules):
        parts.append(f"## {subject}\n")
        parts += [_rule_card(rule) for rule in some]
    return "\n".join(parts)


def _rule_card(rule: Rule) -> str:
    why = [reason.value for reason in reasons_of(rule)]
    before, after = example_lines(rule)
    lines = [f"- {before}"] * bool(before) + [f"+ {after}"] * bool(after)
    # What only advises changes no line: this is the one that it is about.
    is_changed = rule.numerics is not Numerics.ADVICE
    kind = "diff" if is_changed else "python"
    shown = "\n".join(lines if is_changed else [before])
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
    name = f"[{rule.code} **{rule.name}**]({rule.code}.md){{ .name }}"
    return _card(
        SUBJECTS[_subject(rule)],
        rule.numerics,
        why,
        f"{name} {_marks(rule.numerics, why)}",
        rule.summary(),
        f"{fence}{{ .{kind} .no-copy }}\n{shown}\n{fence}",
    )


def catalogue(table: str) -> str:
    """The page of the catalogue, as Markdown.

    Args:
        table: the same as it stands in docs/catalogue.md, of which the head is taken.
    """
    parts = [table.partition("\n## ")[0], '<div id="filters" data-noun="forms"></div>\n']
    for subject in subjects():
        parts.append(f"## {subject}\n")
        parts += [_row_card(subject, row, *cells) for row in rows_in(subject) for cells in row_cells(row)]
    return "\n".join(parts)


def _row_card(subject: str, row: Row, old: str, new: str) -> str:
    reason = row.reason()
    why = [] if reason is None else [reason.value]
    gone = row.gone or row.missing
    changed = f"gone in torch {gone}" if gone else f"changed in torch {row.before}" if row.before else ""
    also = f" ({row.tor})" if row.tor else ""
    known = f"[{row.rule}](rules/{row.rule}.md){also} {_marks(row.numerics, why)} {changed}"
    # There are no cells here that a line could end.
    today = new.replace("\\|", "|")
    return _card(subject, row.numerics, why, f"`{old}`{{ .old }}", f"→ {today}", known.rstrip())


def _card(family: str, numerics: Numerics, why: list[str], *paragraphs: str) -> str:
    """What stands together, and can be found by what it is about."""
    return (
        f'<div class="card" data-numerics="{numerics.value}" data-why="{" ".join(why)}"'
        f' data-family="{escape(family)}" markdown>\n\n' + "\n\n".join(paragraphs) + "\n\n</div>\n"
    )


def _marks(numerics: Numerics, why: list[str]) -> str:
    marks = [numerics.value, *why]
    return "".join(f'<span class="mark {mark}">{mark}</span>' for mark in marks)


def main() -> int:
    """Build or serve it.

    Returns:
        the exit code.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "site", help="of the site")
    parser.add_argument("--serve", action="store_true", help="show it, and write nothing")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        config = write_site(Path(made) / "source")
        command = [sys.executable, "-m", "zensical", "serve" if given.serve else "build"]
        found = subprocess.run([*command, "--strict", "-f", str(config)], check=False).returncode
        if found == 0 and not given.serve:
            shutil.copytree(config.parent / "site", given.folder, dirs_exist_ok=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
