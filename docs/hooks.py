"""Pages of the site that are made from the rules themselves."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from mkdocs.structure.files import File, Files

from torchfix_codemods.report.markdown import page, rule_table
from torchfix_codemods.rule import Rule
from torchfix_codemods.rules import all_rules

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


def on_config(config: Any) -> Any:
    """Put the rules into the navigation, by subject."""
    entries: list[Any] = [{"All rules": "rules/index.md"}]
    for subject, rules in groupby(all_rules(), key=_subject):
        named = [{f"{rule.code} {rule.name}": _path(rule)} for rule in rules]
        entries.append({SUBJECTS[subject]: named})
    config.nav.append({"Rules": entries})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Make a page of each rule, and one with the table of all."""
    for rule in all_rules():
        files.append(File.generated(config, _path(rule), content=page(rule)))
    table = rule_table(all_rules())
    for rule in all_rules():
        link = f"[{rule.code}]({rule.code}.md)"
        table = table.replace(f"| {rule.code} |", f"| {link} |")
    index = f"# The rules\n\n`torchfix explain RULE` shows one of them.\n\n{table}"
    files.append(File.generated(config, "rules/index.md", content=index))
    return files


def _subject(rule: Rule) -> str:
    return type(rule).__module__.split(".")[-2]


def _path(rule: Rule) -> str:
    return f"rules/{rule.code}.md"
