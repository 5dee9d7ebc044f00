"""Compares what it costs to understand the legacy packages with what it costs to parse them.

Both happen in one process, file by file and in turn: `ast.parse` of every module that speaks of
torch, and all that the rules do until they know what to rewrite (the scopes, the values they ask
for, other files of the project they have to read for that), less the parsing it includes.
"""

from __future__ import annotations

import argparse
import ast
import gc
import statistics
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

from benchmarks.packages import LEGACY, FetchError, fetch
from benchmarks.speed import HEADINGS, ROW, Target
from benchmarks.trees import source_files
from torchfix_codemods.engine.dispatch import find
from torchfix_codemods.engine.migrate import facts_of
from torchfix_codemods.project.files import FilesOf
from torchfix_codemods.project.index import Index
from torchfix_codemods.rules import all_rules
from torchfix_codemods.runs.chosen import options_for
from torchfix_codemods.settings.config import Settings

TARGET = Target("<=", 1)

Sources = Sequence[tuple[Path, str]]


def main() -> int:
    """Measure some rounds, print the ratio and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.analysis", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often both are done")
    parser.add_argument("--path", type=Path, help="a folder instead of the packages")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when it misses")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    try:
        folders = [options.path] if options.path else [fetch(package) for package in LEGACY]
    except FetchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    sources = [source for folder in folders for source in _sources(folder)]
    ratios = [_ratio(sources) for _ in range(options.rounds)]
    median = statistics.median(ratios)
    is_met = TARGET.is_met_by(median)
    print(f"{len(sources)} files\n")
    print(ROW.format(*HEADINGS))
    lowest_to_highest = f"{min(ratios):.2f} to {max(ratios):.2f}"
    verdict = "met" if is_met else "MISSED"
    print(
        ROW.format(
            "CPU: analysis / ast.parse", f"{median:.2f}", lowest_to_highest, str(TARGET), verdict
        )
    )
    return 1 if options.strict and not is_met else 0


def _sources(folder: Path) -> Sources:
    """The modules that speak of torch and that this Python can parse."""
    found = []
    for path in source_files(folder, suffixes=(".py",)):
        try:
            text = path.read_text(encoding="utf-8")
            ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        if "torch" in text:
            found.append((path, text))
    return found


def _ratio(sources: Sources) -> float:
    """The cost of the analysis without its parsing, over that of parsing."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        for _, text in sources:
            ast.parse(text)
        parsed = time.process_time()
        _analyse(sources)
        done = time.process_time()
    finally:
        gc.enable()
    return (done - parsed) / (parsed - start) - 1


def _analyse(sources: Sources) -> None:
    index, rules = Index(), all_rules()
    for path, text in sources:
        facts = facts_of(text, options_for(path, Settings(), FilesOf(path, index)))
        for _ in find(facts, rules, []):
            pass


if __name__ == "__main__":
    sys.exit(main())
