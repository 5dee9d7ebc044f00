"""What differs between two versions of a project, in parts that can be taken one by one."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from torchfix_codemods.facts.language.text_lines import ended
from torchfix_codemods.finding import MOVES_NUMBERS, Finding, Numerics
from torchfix_codemods.record import record
from torchfix_codemods.report.diff import split_lines
from torchfix_codemods.verify.links import linked
from torchfix_codemods.verify.whole_files import WholeFile, overrides_of
from torchfix_codemods.verify.wholeness import Whole, belonging_together, runnable

Range = tuple[int, int]
"""First line, and the line behind the last one; counted from 0."""


@record
class Hunk:
    """A part of a file that changes, and the rewrites that it holds."""

    key: str
    path: str
    parts: tuple[tuple[Range, Range], ...]
    """Lines before and after, in their order. More than one where they only make sense together."""
    findings: tuple[Finding, ...] = ()
    is_scaffold: bool = False
    """Whether it only brings or takes names (imports, a device): tried with all others."""
    before_lines: Range = (0, 0)
    after_lines: Range = (0, 0)
    whole: WholeFile | None = None
    """The file that changes as a whole; it has no parts."""

    @property
    def numerics(self) -> frozenset[Numerics]:
        return frozenset(finding.numerics for finding in self.findings)

    @property
    def moves_numbers(self) -> bool:
        """Whether a rewrite in it says that the numbers change."""
        return bool(self.numerics & MOVES_NUMBERS)

    @property
    def is_restored(self) -> bool:
        """Whether a rewrite in it says that the code fails without it."""
        return Numerics.RESTORED in self.numerics


@record
class FileChange:
    """The two versions of a file, as text."""

    path: str
    """Relative to the project."""
    before: str
    after: str
    findings: tuple[Finding, ...] = ()
    encoding: str = "utf-8"
    bom: bytes = b""


@dataclass
class Change:
    """All that differs between two versions of a project."""

    files: list[FileChange]
    hunks: list[Hunk] = field(default_factory=list)
    others: list[WholeFile] = field(default_factory=list)
    """Files that come or go, or are not Python."""
    links: dict[str, frozenset[str]] = field(default_factory=dict)
    """By key of a hunk: those of other files that it only makes a program with, and itself."""

    def __post_init__(self) -> None:
        if not self.hunks:
            self.hunks = [hunk for file in self.files for hunk in hunks_of(file)]
            self._link()
            # What goes comes last: until then somebody may need it.
            self.hunks += map(_whole_hunk, sorted(self.others, key=lambda f: f.after is None))

    def _link(self) -> None:
        lines: dict[str, tuple[str, tuple[str, str]]] = {}
        for file in self.files:
            sides = split_lines(file.before), split_lines(file.after)
            for hunk in self.hunks:
                if hunk.path == file.path:
                    old, new = (
                        "".join("".join(text[slice(*part[n])]) for part in hunk.parts)
                        for n, text in enumerate(sides)
                    )
                    lines[hunk.key] = (hunk.path, (old, new))
        texts = {file.path: (file.before, file.after) for file in self.files}
        for group in linked(texts, lines):
            self.links.update(dict.fromkeys(group, frozenset(group)))
        self.hunks = [
            dataclasses.replace(hunk, is_scaffold=hunk.is_scaffold and hunk.key not in self.links)
            for hunk in self.hunks
        ]

    def with_linked(self, chosen: Collection[str]) -> frozenset[str]:
        """Hunks, and those that they only make a program with.

        Args:
            chosen: their keys.
        """
        return frozenset(chosen).union(*(self.links.get(key, ()) for key in chosen))

    def texts(self, chosen: Collection[str]) -> dict[str, str]:
        """What the changed files hold when some hunks are applied.

        Args:
            chosen: the keys of the hunks.
        """
        return {file.path: self.text(file, chosen) for file in self.files}

    def text(self, file: FileChange, chosen: Collection[str]) -> str:
        """What one file holds when some hunks are applied."""
        return self._mixed(file, chosen)[0]

    def layout(self, chosen: Collection[str]) -> dict[str, list[Range]]:
        """Where each hunk's lines are when some hunks are applied, by key."""
        result: dict[str, list[Range]] = {hunk.key: [] for hunk in self.hunks if hunk.whole}
        for file in self.files:
            result.update(self._mixed(file, chosen)[1])
        return result

    def watched(self, chosen: Collection[str]) -> dict[str, dict[str, list[list[int]]]]:
        """The lines whose statements are to be told of when they run, by path and key.

        Lines count from 1; a file without any is told of when it is opened. The keys are those of
        hunks, and ``key@line`` for the rewrites of hunks that are not applied.
        """
        layout = self.layout(chosen)
        result: dict[str, dict[str, list[list[int]]]] = {}
        for hunk in self.hunks:
            keys = result.setdefault(hunk.path, {})
            if hunk.whole is not None:
                lines = hunk.whole.watched(hunk.key in chosen)
                if lines is not None:
                    keys[hunk.key] = lines
                continue
            ranges = [[start + 1, end] for start, end in layout[hunk.key] if end > start]
            if ranges:
                keys[hunk.key] = ranges
            if hunk.key in chosen:
                continue
            for finding in hunk.findings:
                for ((first, last), _), (start, _end) in zip(
                    hunk.parts, layout[hunk.key], strict=True
                ):
                    if first <= finding.line - 1 < last:
                        line = start + finding.line - first
                        keys[f"{hunk.key}@{finding.line}"] = [[line, line]]
        return result

    def _mixed(
        self, file: FileChange, chosen: Collection[str]
    ) -> tuple[str, dict[str, list[Range]]]:
        hunks = [hunk for hunk in self.hunks if hunk.path == file.path]
        return _mixed(file, hunks, chosen, is_whole=len(chosen) == len(self.hunks))

    def overrides(self, chosen: Collection[str]) -> dict[str, bytes | None]:
        """The same as bytes, with the files that change as a whole."""
        texts = self.texts(chosen)
        afters = {file.path: file.after for file in self.files}
        result = overrides_of(self.others, chosen, texts, afters)
        for file in self.files:
            result[file.path] = file.bom + runnable(texts[file.path]).encode(file.encoding)
        return result


def _whole_hunk(file: WholeFile) -> Hunk:
    before, after = file.lines()
    return Hunk(
        file.key,
        file.path,
        (),
        is_scaffold=file.kind == "added",
        before_lines=(0, before),
        after_lines=(0, after),
        whole=file,
    )


def hunks_of(file: FileChange, alone: bool = True) -> list[Hunk]:
    """The parts of a file that change.

    Neighbouring lines belong together, and so do those of one statement, all lines of a block
    whose head comes or goes (``with torch.no_grad():`` around a loop), those of a class that is
    rewritten as a whole, and parts one of which binds what the other reads.

    Args:
        file: its two versions.
        alone: whether parts are taken from the diff without the others; where the file is migrated
            anew instead, what another part binds is no reason to join them.
    """
    before, after = split_lines(file.before), split_lines(file.after)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    parts = [
        part
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
        for part in _without_definitions(((a, b), (c, d)), file.before, after)
    ]
    trees = _parsed(file.before), _parsed(file.after)
    groups = _grouped(parts, trees, before, after)
    statements = _statement_spans(trees[0])
    attached = _attached(groups, file.findings, statements)
    groups, attached = _with_moved_lines(groups, attached, before, after)
    free = {n for n, group in enumerate(groups) if not _is_scaffold(group, before, after)}
    groups, attached = _with_rest_of_statements(groups, attached, free, statements)
    of_classes = _of_one_class(file, groups, trees[0], before, after)
    groups, attached = _joined(groups, attached, of_classes)
    hunks = _hunks(file, groups, attached, before, after)
    if not alone:
        return hunks
    groups, attached = _joined(groups, attached, _of_one_program(file, hunks))
    return _hunks(file, groups, attached, before, after)


def _hunks(
    file: FileChange,
    groups: Sequence[Sequence[Part]],
    attached: Mapping[int, Sequence[Finding]],
    before: Sequence[str],
    after: Sequence[str],
) -> list[Hunk]:
    result = []
    for number, parts in enumerate(groups):
        group = sorted(parts)
        first, last = group[0], group[-1]
        result.append(
            Hunk(
                key=f"{file.path}#{number}",
                path=file.path,
                parts=tuple(group),
                findings=tuple(attached.get(number, ())),
                is_scaffold=_is_scaffold(group, before, after),
                before_lines=(first[0][0], last[0][1]),
                after_lines=(first[1][0], last[1][1]),
            )
        )
    return result


def _mixed(
    file: FileChange, hunks: Sequence[Hunk], chosen: Collection[str], is_whole: bool
) -> tuple[str, dict[str, list[Range]]]:
    """A file with some of its hunks, where names that any of them needs are there.

    Returns:
        the text, and where in it the lines of each hunk are.
    """
    before, after = split_lines(file.before), split_lines(file.after)
    result: list[str] = []
    layout: dict[str, list[Range]] = {hunk.key: [] for hunk in hunks}
    position = 0
    parts = sorted(((part, hunk) for hunk in hunks for part in hunk.parts), key=lambda p: p[0])
    for ((start, end), (new_start, new_end)), hunk in parts:
        result += before[position:start]
        old, new = before[start:end], after[new_start:new_end]
        if hunk.is_scaffold and chosen and not is_whole:
            lines = [ended(line) for line in (*(o for o in old if o not in new), *new)]
        else:
            lines = new if hunk.key in chosen else old
        layout[hunk.key].append((len(result), len(result) + len(lines)))
        result += lines
        position = end
    return "".join([*result, *before[position:]]), layout


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


Part = tuple[Range, Range]


def _without_definitions(part: Part, before: str, after: Sequence[str]) -> list[Part]:
    """A part, and apart from it the names that it brings to the margin where it takes others.

    ``device = torch.device(…)`` may stand where ``Tensor = torch.cuda.FloatTensor`` stood.
    """
    (start, end), (new_start, new_end) = part
    at = new_start
    while start < end and at < new_end:
        brought = re.match(r"(\w+) = ", after[at])
        if brought is None or re.search(rf"\b{brought[1]}\b", before) is not None:
            break
        if _parsed(after[at]) is None:
            break
        at += 1
    if at == new_start:
        return [part]
    return [((start, start), (new_start, at)), ((start, end), (at, new_end))]


def _with_moved_lines(
    groups: list[list[Part]],
    attached: dict[int, list[Finding]],
    before: Sequence[str],
    after: Sequence[str],
) -> tuple[list[list[Part]], dict[int, list[Finding]]]:
    """What a rewrite took from one place belongs together with where it stands now."""
    taken = {
        line.strip(): number
        for number in attached
        for (start, end), _ in groups[number]
        for line in before[start:end]
        if "(" in line
    }
    home: dict[int, int] = {}
    for number, group in enumerate(groups):
        brought = [line.strip() for _, (start, end) in group for line in after[start:end]]
        homes = [taken[line] for line in brought if line in taken]
        if number not in attached and homes:
            home[number] = homes[0]
    return _moved(groups, attached, home)


def _moved(
    groups: list[list[Part]], attached: dict[int, list[Finding]], home: dict[int, int]
) -> tuple[list[list[Part]], dict[int, list[Finding]]]:
    """Groups without rewrites of their own become parts of others, by number."""
    kept = [number for number in range(len(groups)) if number not in home]
    members = [[n for n in range(len(groups)) if home.get(n, n) == number] for number in kept]
    return (
        [[part for n in numbers for part in groups[n]] for numbers in members],
        {kept.index(number): found for number, found in attached.items()},
    )


def _with_rest_of_statements(
    groups: list[list[Part]],
    attached: dict[int, list[Finding]],
    free: Collection[int],
    statements: Sequence[Range],
) -> tuple[list[list[Part]], dict[int, list[Finding]]]:
    """A rewrite of a whole class is found at its head: the other lines that change belong to it."""
    heads = [
        (statement, number)
        for number, findings in attached.items()
        for line in {finding.line for finding in findings}
        for statement in _around(statements, line - 1)
        if statement[0] == line - 1
    ]
    home: dict[int, int] = {}
    for number in free:
        if number not in attached and heads:
            start = groups[number][0][0][0]
            around = [(end - first, n) for (first, end), n in heads if first <= start < end]
            if around:
                home[number] = min(around)[1]
    return _moved(groups, attached, home)


def _grouped(
    parts: Sequence[Part],
    trees: tuple[ast.Module | None, ast.Module | None],
    before: Sequence[str],
    after: Sequence[str],
) -> list[list[Part]]:
    """Parts that only make sense together."""
    spans = [_spans(tree) for tree in trees]
    groups: list[list[Part]] = []
    for part in parts:
        groups.append([part])
    changed = True
    while changed:
        changed = False
        for index in range(len(groups) - 1):
            if _belong_together(groups[index], groups[index + 1], spans, before, after):
                groups[index : index + 2] = [groups[index] + groups[index + 1]]
                changed = True
                break
    return groups


def _belong_together(
    one: Sequence[Part],
    other: Sequence[Part],
    spans: Sequence[_Spans],
    before: Sequence[str],
    after: Sequence[str],
) -> bool:
    for side, lines in ((0, before), (1, after)):
        first, last = one[0][side][0], one[-1][side][1]
        begin = other[0][side][0]
        for start, end in spans[side].simple:
            if start < last and begin < end and start < begin and first < end:
                return True
        # Of each kind: where a `with` comes an `if` may go.
        if _heads(lines, one, side) - _heads(after if side == 0 else before, one, 1 - side):
            for head, end in spans[side].blocks:
                if first <= head < last and begin < end:
                    return True
    return False


_HEAD = re.compile(r"\s*(if|elif|else|for|while|with|try|except|finally)\b.*:\s*$")


def _heads(lines: Sequence[str], group: Sequence[Part], side: int) -> Counter[str]:
    """How many lines of a group begin a block of which kind."""
    matches = (_HEAD.match(lines[number]) for part in group for number in range(*part[side]))
    return Counter(match[1] for match in matches if match is not None)


@dataclass
class _Spans:
    """Where statements are: lines counted from 0, the end behind the last one."""

    simple: list[Range]
    """Statements without others in them, and the heads of those that have."""
    blocks: list[Range]
    """``if``, ``with``, loops and ``try``: whole."""


def _spans(tree: ast.Module | None) -> _Spans:
    spans = _Spans([], [])
    if tree is None:
        return spans
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        start, end = node.lineno - 1, node.end_lineno or node.lineno
        body = getattr(node, "body", None)
        if isinstance(body, list) and body:
            head = max(start + 1, _first_line(body[0]) - 1)
            if head - start > 1:
                spans.simple.append((start, head))
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                spans.blocks.append((start, end))
        elif end - start > 1:
            spans.simple.append((start, end))
    return spans


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _attached(
    groups: Sequence[Sequence[Part]], findings: Iterable[Finding], statements: Sequence[Range]
) -> dict[int, list[Finding]]:
    """Which group of parts each rewrite is in: at its line, in its statement, or behind it."""
    result: dict[int, list[Finding]] = {}
    for finding in findings:
        if not finding.fixed or not groups:
            continue
        line = finding.line - 1
        spans = [(line, line + 1), *_around(statements, line)]
        found = next((n for span in spans for n in _touching(groups, span)), None)
        if found is None:
            distances = [min(abs(part[0][0] - line) for part in group) for group in groups]
            found = distances.index(min(distances))
        result.setdefault(found, []).append(finding)
    return result


def _joined(
    groups: list[list[Part]],
    attached: dict[int, list[Finding]],
    together: Iterable[Collection[int]],
) -> tuple[list[list[Part]], dict[int, list[Finding]]]:
    """Groups of parts whose rewrites only make sense together become one.

    Args:
        groups: the parts.
        attached: the rewrites in each group, by number.
        together: the numbers of groups that belong together besides those whose rewrites say so.
    """
    named: dict[str, list[int]] = {}
    for number in sorted(attached):
        for finding in attached[number]:
            if finding.group is not None:
                named.setdefault(finding.group, []).append(number)
    target = list(range(len(groups)))
    for numbers in (*named.values(), *(sorted(numbers) for numbers in together)):
        for number in numbers:
            gone, other = target[number], target[numbers[0]]
            target = [other if t == gone else t for t in target]
    kept = sorted(set(target), key=target.index)
    members = [[n for n, t in enumerate(target) if t == number] for number in kept]
    return (
        [[part for n in numbers for part in groups[n]] for numbers in members],
        {
            position: found
            for position, numbers in enumerate(members)
            if (found := [finding for n in numbers for finding in attached.get(n, ())])
        },
    )


def _of_one_class(
    file: FileChange,
    groups: Sequence[Sequence[Part]],
    tree: ast.Module | None,
    before: Sequence[str],
    after: Sequence[str],
) -> Iterator[list[int]]:
    """The groups in each class that is rewritten as a whole, whichever rewrites they hold."""
    heads = {(finding.line, finding.column - 1) for finding in file.findings if finding.fixed}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef) and (node.lineno, node.col_offset) in heads:
            last = node.end_lineno or node.lineno
            inside = [
                number
                for number, group in enumerate(groups)
                if any(start < last and node.lineno <= end for (start, end), _ in group)
                and not _is_scaffold(group, before, after)
            ]
            if inside:
                yield inside


def _of_one_program(file: FileChange, hunks: Sequence[Hunk]) -> Iterator[list[int]]:
    """The hunks that only make a program together."""
    chosen = [number for number, hunk in enumerate(hunks) if not hunk.is_scaffold]

    def mixed(numbers: frozenset[int]) -> str:
        keys = {hunks[chosen[number]].key for number in numbers}
        return _mixed(file, hunks, keys, is_whole=len(keys) == len(hunks))[0]

    for numbers in belonging_together(len(chosen), mixed, Whole(file.before, file.after)):
        yield [chosen[number] for number in numbers]


def _statement_spans(tree: ast.Module | None) -> list[Range]:
    """Where all statements are, whole: lines counted from 0, the end behind the last one."""
    if tree is None:
        return []
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    return [(node.lineno - 1, node.end_lineno or node.lineno) for node in nodes]


def _around(statements: Sequence[Range], line: int) -> list[Range]:
    """The statements around a line, innermost first."""
    found = [(start, end) for start, end in statements if start <= line < end]
    return sorted(found, key=lambda span: span[1] - span[0])


def _touching(groups: Sequence[Sequence[Part]], span: Range) -> list[int]:
    """The groups with lines of a span; those that change one come before what is new beside it."""

    def touches(group: Sequence[Part], least: int) -> bool:
        return any(
            part[0][0] < span[1] and span[0] < max(part[0][1], part[0][0] + least) for part in group
        )

    changed = [number for number, group in enumerate(groups) if touches(group, 0)]
    beside = [number for number, group in enumerate(groups) if touches(group, 1)]
    return [*changed, *(number for number in beside if number not in changed)]


def _is_scaffold(group: Sequence[Part], before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a group holds only imports, or only brings assignments that stand at the margin."""
    removed = "".join("".join(before[a:b]) for (a, b), _ in group)
    added = "".join("".join(after[c:d]) for _, (c, d) in group)
    old, new = _statements(removed), _statements(added)
    if old is None or new is None:
        return False
    imports = (ast.Import, ast.ImportFrom)
    if not all(isinstance(statement, imports) for statement in old):
        return False
    at_margin = not any(line[:1].isspace() and line.strip() for line in added.splitlines())
    return all(
        isinstance(statement, imports) or (at_margin and isinstance(statement, ast.Assign))
        for statement in new
    )


def _statements(text: str) -> list[ast.stmt] | None:
    import textwrap

    try:
        return ast.parse(textwrap.dedent(text)).body
    except SyntaxError:
        return None
