"""The rules as documents."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from torchfix_codemods.catalogue.rows import Row
from torchfix_codemods.finding import Numerics, Reason
from torchfix_codemods.report.text import counted_reasons
from torchfix_codemods.rule import Rule


def rule_table(rules: Iterable[Rule]) -> str:
    """The rules as a Markdown table, one line of code before and after each."""
    lines = [
        "| code | name | numbers | what it finds | before | after |",
        "|---|---|---|---|---|---|",
    ]
    for rule in rules:
        before, after = (_code(line) for line in example_lines(rule))
        lines.append(
            f"| {rule.code} | {rule.name} | {rule.numerics.value} | {cell(rule.summary())}"
            f" | {before} | {after} |"
        )
    return "\n".join(lines) + "\n"


def rule_pages(rules: Iterable[Rule]) -> str:
    """The table of the rules, and all their pages, as one Markdown document."""
    rules = list(rules)
    parts = [
        "# The rules\n",
        "Made from the rules themselves (`torchfix rules --output-format docs`);"
        " `torchfix explain RULE` shows one of them.\n",
        _contents(rules),
    ]
    # The pages of the site lie one folder deeper.
    parts += [page(rule, level=2).replace("](../", "](") for rule in rules]
    return "\n".join(parts)


def _contents(rules: Iterable[Rule]) -> str:
    """The rules as a table that leads to their pages below, which have the examples."""
    lines = ["| rule | numbers | why | what it finds |", "|---|---|---|---|"]
    for rule in rules:
        why = ", ".join(reason.value for reason in reasons_of(rule))
        name = f"{rule.code} {rule.name}"
        place = name.lower().replace(" ", "-")
        lines.append(
            f"| [{name}](#{place}) | {rule.numerics.value} | {why} | {cell(rule.summary())} |"
        )
    return "\n".join(lines) + "\n"


def page(rule: Rule, level: int = 1) -> str:
    """The page of one rule.

    Args:
        rule: the rule.
        level: of its heading.
    """
    marks = "#" * level
    asked = " Off unless it is selected." if rule.is_optional else ""
    text = re.sub(r"^## ", f"{marks}# ", rule.documentation(), flags=re.MULTILINE)
    return (
        f"{marks} {rule.code} {rule.name}\n\n{rule.summary()}\n\n"
        f"Numbers: {rule.numerics.value}.{_why(rule)} Needs torch {rule.since} or newer.{asked}\n\n"
        f"{text}\n"
    )


def _why(rule: Rule) -> str:
    """What the old form does today; of a rule that follows rows, how many rows it does so of."""
    said = counted_reasons(_reasons(rule))
    if not said:
        return ""
    return f" Why: {said if _rows(rule) else said.removeprefix('1 ')}."


def reasons_of(rule: Rule) -> list[Reason]:
    """What the old forms that a rule rewrites do today, worst first; empty for advice.

    Args:
        rule: the rule.
    """
    found = set(_reasons(rule))
    return [reason for reason in Reason if reason in found]


def _reasons(rule: Rule) -> list[Reason | None]:
    return [row.reason() for row in _rows(rule)] or [rule.reason_for(rule.numerics)]


def _rows(rule: Rule) -> Sequence[Row]:
    rows: Sequence[Row] = getattr(rule, "rows", ())
    return rows


def example_lines(rule: Rule) -> tuple[str, str]:
    """A line of the rule's example that changes, and what it becomes.

    What only advises has no second one: the first is what it is about.
    """
    example = rule.documentation().partition("## Example")[2].partition("\n## ")[0]
    blocks = [
        block.strip("\n").splitlines()
        for block in re.findall(r"```python\n(.*?)```", example, re.S)
    ]
    if len(blocks) < 2:
        return (blocks[0][0].strip() if blocks else ""), ""
    # A line that only moves to the right says nothing by itself.
    before, after = ([line.strip() for line in block] for block in blocks[:2])
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    pairs = [
        (old, new)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
        for old in before[a:b] or [""]
        for new in after[c:d] or [""]
    ]
    if rule.numerics is Numerics.ADVICE:
        return next((old for old, _ in pairs if old), before[0]), ""
    old, new = max(pairs, key=lambda pair: difflib.SequenceMatcher(None, *pair).ratio())
    # What goes in one place and comes in another is shown together, but for what only moves.
    old = old or next((other for other, _ in pairs if other not in ("", new)), "")
    new = new or next((other for _, other in pairs if other not in ("", old)), "")
    return old, new


def _code(line: str) -> str:
    return f"`{cell(line)}`" if line else ""


def cell(text: str) -> str:
    """A text as it stands in a table of Markdown."""
    return text.replace("|", "\\|")
