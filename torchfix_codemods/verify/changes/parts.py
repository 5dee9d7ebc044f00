"""The parts in which two versions of a file differ, and which of them only make sense together."""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from torchfix_codemods.finding import Finding
from torchfix_codemods.report.diff import split_lines
from torchfix_codemods.verify.changes.spans import Range, Spans, parsed, spans_of, touching

Part = tuple[Range, Range]
"""Lines before and after."""

Groups = tuple[list[list[Part]], dict[int, list[Finding]]]
"""Parts that belong together, and by the number of a group the rewrites that it holds."""


def groups_of(before_text: str, after_text: str, findings: Sequence[Finding]) -> Groups:
    """The parts of a file that change.

    Neighbouring lines belong together, and so do those of one statement, all lines of a block
    whose head comes or goes (``with torch.no_grad():`` around a loop), and those of a class that is
    rewritten as a whole.

    Args:
        before_text: the file as it was.
        after_text: what became of it.
        findings: what is said of it.
    """
    before, after = split_lines(before_text), split_lines(after_text)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    parts = [
        part
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
        for part in _without_definitions(((a, b), (c, d)), before_text, after)
    ]
    tree = parsed(before_text)
    spans = spans_of(tree), spans_of(parsed(after_text))
    groups = _grouped(parts, spans, before, after)
    attached = _attached(groups, findings, spans[0])
    groups, attached = _with_moved_lines(groups, attached, before, after)
    free = {n for n, group in enumerate(groups) if not is_scaffold(group, before, after)}
    groups, attached = _with_rest_of_statements(groups, attached, free, spans[0])
    of_classes = _of_one_class(findings, groups, tree, before, after)
    return joined(groups, attached, of_classes)


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
        if parsed(after[at]) is None:
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
) -> Groups:
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
) -> Groups:
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
    spans: Spans,
) -> Groups:
    """A rewrite of a whole class is found at its head: the other lines that change belong to it."""
    heads = [
        (statement, number)
        for number, findings in attached.items()
        for line in {finding.line for finding in findings}
        for statement in spans.around(line - 1)
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
    spans: Sequence[Spans],
    before: Sequence[str],
    after: Sequence[str],
) -> list[list[Part]]:
    """Parts that only make sense together."""
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
    spans: Sequence[Spans],
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


def _attached(
    groups: Sequence[Sequence[Part]], findings: Iterable[Finding], spans: Spans
) -> dict[int, list[Finding]]:
    """Which group of parts each rewrite is in: at its line, in its statement, or behind it."""
    result: dict[int, list[Finding]] = {}
    for finding in findings:
        if not finding.fixed or not groups:
            continue
        line = finding.line - 1
        around = [(line, line + 1), *spans.around(line)]
        found = next((n for span in around for n in touching(groups, span)), None)
        if found is None:
            distances = [min(abs(part[0][0] - line) for part in group) for group in groups]
            found = distances.index(min(distances))
        result.setdefault(found, []).append(finding)
    return result


def joined(
    groups: list[list[Part]],
    attached: dict[int, list[Finding]],
    together: Iterable[Collection[int]],
) -> Groups:
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
    findings: Iterable[Finding],
    groups: Sequence[Sequence[Part]],
    tree: ast.Module | None,
    before: Sequence[str],
    after: Sequence[str],
) -> Iterator[list[int]]:
    """The groups in each class that is rewritten as a whole, whichever rewrites they hold."""
    heads = {(finding.line, finding.column - 1) for finding in findings if finding.fixed}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef) and (node.lineno, node.col_offset) in heads:
            last = node.end_lineno or node.lineno
            inside = [
                number
                for number, group in enumerate(groups)
                if any(start < last and node.lineno <= end for (start, end), _ in group)
                and not is_scaffold(group, before, after)
            ]
            if inside:
                yield inside


def is_scaffold(group: Sequence[Part], before: Sequence[str], after: Sequence[str]) -> bool:
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
    try:
        return ast.parse(textwrap.dedent(text)).body
    except SyntaxError:
        return None
