"""Migrates random programs, and says which promise a migration broke.

    python -m benchmarks.fuzz [--count N] [--seed N] [--jobs N] [--keep FOLDER]

The programs are fixtures put together, laid out and mutated in every way, programs of
`pysource-codegen` (where that is installed) with names of torch, and noise.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import random
import re
import sys
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from benchmarks.programs import is_python, program
from torchfix_codemods.finding import FileResult
from torchfix_codemods.runs.runner import migrate_bytes
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.text.source import SourceError, decode

#: What a file may say that cannot be migrated; every other error is a mistake of ours.
_OF_THE_FILE = {"syntax", "python2", "undecodable"}

_SECONDS = 60.0


@dataclass(frozen=True)
class Failure:
    """A program for which a promise was broken."""

    seed: int
    kind: str
    promises: tuple[str, ...]
    data: bytes


@dataclass(frozen=True)
class Outcome:
    """What became of some programs."""

    programs: Counter[str]
    changed: int
    unparsable: int
    failures: tuple[Failure, ...]


def main() -> int:
    """Run the programs and return the exit status."""
    options = _parse_options()
    started = time.monotonic()
    seeds = range(options.seed, options.seed + options.count)
    kinds: Counter[str] = Counter()
    changed = unparsable = 0
    failures: list[Failure] = []
    for outcome in _outcomes(seeds, options.jobs):
        kinds += outcome.programs
        changed += outcome.changed
        unparsable += outcome.unparsable
        failures += outcome.failures
        for failure in outcome.failures:
            print(f"FAILURE seed {failure.seed} ({failure.kind}): {'; '.join(failure.promises)}")
            if options.keep is not None:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{failure.seed}.py").write_bytes(failure.data)
        sys.stdout.flush()
    spent = time.monotonic() - started
    shown = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    print(f"{kinds.total()} programs ({shown}) in {spent:.0f} s: {changed} rewritten,")
    print(f"{unparsable} that Python cannot read, {len(failures)} with a broken promise")
    return 1 if failures else 0


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first program")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="where to write programs that failed")
    return parser.parse_args()


def _outcomes(seeds: Sequence[int], jobs: int) -> Iterator[Outcome]:
    chunks = [seeds[start : start + 25] for start in range(0, len(seeds), 25)]
    if jobs == 1:
        yield from map(run, chunks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(run, chunks)


def run(seeds: Iterable[int]) -> Outcome:
    """Migrate the programs of some seeds."""
    kinds: Counter[str] = Counter()
    changed = unparsable = 0
    failures = []
    for seed in seeds:
        kind, data = program(seed)
        kinds[kind] += 1
        settings = settings_of(seed)
        result = _migrated(data, settings)
        changed += result.changed
        unparsable += bool(result.errors)
        promises = tuple(broken_promises(data, settings, result))
        if promises:
            failures.append(Failure(seed, kind, promises, data))
    return Outcome(kinds, changed, unparsable, tuple(failures))


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="fuzz-")


def settings_of(seed: int) -> Settings:
    """The settings for the program of a seed: mostly those that a command has without options."""
    rng = random.Random(f"settings {seed}")
    settings = Settings(root=Path(_folder().name), timeout=_SECONDS)
    chosen = rng.random()
    if chosen < 0.7:
        return settings
    if chosen < 0.8:
        return replace(settings, safe=True)
    versions = ("0.3", "0.4", "1.1", "1.4", "1.8", "1.13", "2.0")
    if chosen < 0.9:
        return replace(settings, from_version=rng.choice(versions))
    return replace(settings, to_version=rng.choice(versions))


def _migrated(data: bytes, settings: Settings) -> FileResult:
    return migrate_bytes(data, settings.root / "program.py", settings)


def broken_promises(
    data: bytes, settings: Settings | None = None, result: FileResult | None = None
) -> Iterator[str]:
    """What the migration of a file does that it must not do.

    Args:
        data: the content of the file.
        settings: those of the migration.
        result: what the migration gave, where that is known already.
    """
    settings = settings or Settings(root=Path(_folder().name), timeout=_SECONDS)
    result = result or _migrated(data, settings)
    for error in result.errors:
        if error.kind not in _OF_THE_FILE:
            yield f"error of ours: {error.kind}, {error.message} (line {error.line})"
    try:
        source = decode(data)
    except SourceError:
        if result.changed or not (result.errors or b"torch" not in data):
            yield "a file that is no text was not named"
        return
    before = source.text
    if result.after is None:
        if not result.errors and "torch" in before and not _is_readable(before):
            yield "a file that cannot be parsed was not named"
        return
    after = result.after
    if result.errors:
        yield "a file with an error was changed"
    if result.before != before:
        yield "not what was read"
    if not source.encode(after).startswith(source.bom + before.encode(source.encoding)[:0]):
        yield "the byte order mark is gone"
    if not is_python(after):
        yield "the result cannot be parsed"
        return
    again = _migrated(source.encode(after), settings)
    if again.errors:
        yield f"a second run fails: {again.errors[0].message}"
    elif again.changed:
        codes = sorted({finding.code for finding in again.findings if finding.fixed})
        yield f"a second run changes it again: {', '.join(codes)}"
    yield from _lost(before, after)
    yield from _touched(before, after, result)


def _is_readable(text: str) -> bool:
    return is_python(text) or "async" in text or "torchfix:" in text


def _lost(before: str, after: str) -> Iterator[str]:
    """Comments and texts that are gone or stand in another order, line ends that changed."""
    for name, kept in (("comments", _comments), ("texts of several lines", _texts)):
        missing = list((Counter(kept(before)) - Counter(kept(after))).elements())
        if missing:
            yield f"{name} lost: {missing[0]!r}"
    if _ends(before) != _ends(after) and len(_ends(before)) == 1:
        yield f"other line ends: {sorted(_ends(before))} became {sorted(_ends(after))}"


def _ends(text: str) -> set[str]:
    return set(re.findall(r"\r\n|\r|\n", text))


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    result: list[tokenize.TokenInfo] = []
    normal = text.replace("\r\n", "\n").replace("\r", "\n")
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        result.extend(tokenize.generate_tokens(io.StringIO(normal).readline))
    return result


def _comments(text: str) -> list[str]:
    return [t.string.strip() for t in _tokens(text) if t.type == tokenize.COMMENT]


def _texts(text: str) -> list[str]:
    """Strings of several lines without code in them."""
    strings = [t.string for t in _tokens(text) if t.type == tokenize.STRING]
    return [s for s in strings if "\n" in s and "f" not in s[: s.index(s[-1])].lower()]


def _touched(before: str, after: str, result: FileResult) -> Iterator[str]:
    """Statements of the module that changed, indentation aside, with nothing found in them."""
    if not is_python(before):
        return
    fixed = {finding.line for finding in result.findings if finding.fixed}
    lines, left = _lines(before), _lines(after)
    position = 0
    for start, end in _spans(ast.parse(before)):
        if fixed & set(range(start, end + 1)):
            continue
        wanted = lines[start - 1 : end]
        found = _position(left, wanted, position)
        if found is None:
            yield f"lines {start} to {end} changed without a finding: {wanted[0]!r}"
        else:
            position = max(position, found + (len(wanted) - 1))


def _spans(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """The lines of the module's statements that share none with others, but for imports.

    Those with an import in them are left out: it may go with its last use elsewhere.
    """
    spans: list[tuple[int, int, bool]] = []
    for node in tree.body:
        decorators = getattr(node, "decorator_list", [])
        start = min([node.lineno, *(each.lineno for each in decorators)])
        imports = any(isinstance(each, (ast.Import, ast.ImportFrom)) for each in ast.walk(node))
        if spans and start <= spans[-1][1]:
            start, _, imported = spans.pop()
            imports = imports or imported
        spans.append((start, node.end_lineno or node.lineno, imports))
    yield from ((start, end) for start, end, imports in spans if not imports)


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends, but without their indentation."""
    return [line.lstrip(" \t\f") for line in re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)]


def _position(lines: Sequence[str], wanted: Sequence[str], start: int) -> int | None:
    for index in range(start, len(lines) - len(wanted) + 1):
        if list(lines[index : index + len(wanted)]) == list(wanted):
            return index
    return None


if __name__ == "__main__":
    raise SystemExit(main())
