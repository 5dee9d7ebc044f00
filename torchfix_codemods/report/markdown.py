"""Tables for documents."""

from __future__ import annotations

from collections.abc import Iterable

from torchfix_codemods.rule import Rule


def rule_table(rules: Iterable[Rule]) -> str:
    """The rules as a Markdown table."""
    lines = ["| code | name | numbers | what it finds |", "|---|---|---|---|"]
    lines += [
        f"| {rule.code} | {rule.name} | {rule.numerics.value} | {rule.summary()} |"
        for rule in rules
    ]
    return "\n".join(lines) + "\n"
