"""Changed functions, each called before and after with what the program gives it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from torchfix_codemods.record import record
from torchfix_codemods.verify.comparing.compare import compare_values
from torchfix_codemods.verify.hunks import Change, Hunk
from torchfix_codemods.verify.runs import Event, Run

_RAISES = "it raises"


@record
class Functions:
    """The functions of a project that change."""

    by_hunk: Mapping[str, str]
    """``path:qualified.name`` by the key of the hunk."""
    shadows: Mapping[str, Mapping[str, Any]]
    """By path: the text afterwards and the names of the functions; what a run is told."""


@record
class Answer:
    """What the two versions of a function gave."""

    calls: int
    """How many calls were compared in which a number was."""
    difference: tuple[str, str, str] | None
    """What of it differs, and the values; None: nothing does."""

    @property
    def raises(self) -> bool:
        """Whether only the version afterwards fails."""
        return self.difference is not None and self.difference[0] == _RAISES


def changed_functions(change: Change) -> Functions:
    """The functions and methods around the hunks that both versions have."""
    by_hunk: dict[str, str] = {}
    shadows: dict[str, dict[str, Any]] = {}
    for file in change.files:
        try:
            trees = ast.parse(file.before), ast.parse(file.after)
        except (SyntaxError, ValueError):
            continue
        before, after = (dict(_functions(tree)) for tree in trees)
        for hunk in change.hunks:
            name = _around(hunk, before) if hunk.path == file.path else None
            if name is not None and name in after:
                by_hunk[hunk.key] = f"{file.path}:{name}"
                entry = shadows.setdefault(file.path, {"text": file.after, "functions": []})
                if name not in entry["functions"]:
                    entry["functions"].append(name)
    return Functions(by_hunk, shadows)


def answers(run: Run, rtol: float, bytes_are_bools: bool) -> dict[str, Answer]:
    """What a run that compared functions found, by function.

    Args:
        run: the run.
        rtol: how much numbers may differ.
        bytes_are_bools: whether uint8 zeros and ones equal ``False`` and ``True``.
    """
    calls: dict[str, list[Event]] = {}
    for stream in run.streams.values():
        for call in stream.calls:
            if "skipped" not in call:
                calls.setdefault(call["call"], []).append(call)
    return {
        name: Answer(
            sum(map(_shows_numbers, told)), next(_differences(told, rtol, bytes_are_bools), None)
        )
        for name, told in calls.items()
    }


def _differences(
    calls: Iterable[Event], rtol: float, bytes_are_bools: bool
) -> Iterator[tuple[str, str, str]]:
    for call in calls:
        before, after = call["before"], call["after"]
        if "error" in before or str(after.get("error", "")).startswith("NameError"):
            # It was called in a way that it does not take, does not run here before, or needs what
            # only the whole rewritten file has.
            continue
        if "error" in after:
            yield _RAISES, "a value", after["error"]
            continue
        for name in ("value", "arguments", "rng", "grads"):
            # A version without a graph has no gradients to compare.
            if name != "grads" or (before[name] is not None and after[name] is not None):
                yield from compare_values(
                    before[name], after[name], name, rtol=rtol, bytes_are_bools=bytes_are_bools
                )


def _shows_numbers(call: Event) -> bool:
    """Whether anything that a call gives, or writes to, is a number: ``None`` proves nothing."""
    before = call["before"]
    names = ("value", "grads", "arguments") if before.get("writes") else ("value", "grads")
    return any(_holds_numbers(before.get(name)) for name in names)


def _holds_numbers(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_holds_numbers, value))
    if not isinstance(value, dict):
        return False
    if value.get("k") in ("tensor", "array"):
        return 0 not in value["s"]
    if value.get("k") == "number":
        return value["v"] is not None
    return _holds_numbers(value.get("i"))


def _functions(tree: ast.Module) -> Iterable[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    yield f"{node.name}.{method.name}", method


def _around(hunk: Hunk, functions: Mapping[str, ast.FunctionDef]) -> str | None:
    first, last = hunk.before_lines
    for name, node in functions.items():
        start = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1
        if start <= first and max(last, first + 1) <= (node.end_lineno or node.lineno):
            return name
    return None
