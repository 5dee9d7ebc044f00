"""Whether the devices of a migrated file are what its owner would have written: one, everywhere.

Each folder is migrated on its own, without writing anything. Counted is what the migration made,
not what stood there before.
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.trees import source_files
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.text.repair import repair_async

#: What is counted, in the order in which it is printed.
KINDS = {
    "mixed": ".cuda() beside .to(device)",
    "guards": "a guard kept around a device",
    "ignored": "a device at the module level beside a flag that it ignores",
}
_BRANCHES = (ast.If, ast.IfExp)

Place = tuple[str, int, str]
"""What is wrong, the line of the migrated text, and its text."""


def main() -> int:
    """Print each place and the counts; the exit status is 1 with any place."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.devices", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="one project each")
    parser.add_argument("--diff", type=Path, metavar="FOLDER", help="keep the migrated files there")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for folder in options.folders:
        for path, before, after in _changed(folder):
            counts["files with a device"] += bool(_devices(ast.parse(after)))
            for kind, line, text in problems(before, after):
                counts[kind] += 1
                print(f"{kind}: {folder.name}/{path}:{line}: {text}", flush=True)
            if options.diff is not None:
                for name, content in (("before", before), ("after", after)):
                    kept = options.diff / name / folder.name / path
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_text(content, "utf-8")
    for kind, what in KINDS.items():
        print(f"{counts[kind]:>6} {what}")
    print(f"{counts['files with a device']:>6} changed files that use a device")
    return int(any(counts[kind] for kind in KINDS))


def _changed(folder: Path) -> Iterator[tuple[str, str, str]]:
    """The files of a folder that speak of the GPU and are changed: path, text before and after."""
    files = source_files(folder, suffixes=(".py",))
    paths = [path for path in files if b"cuda" in path.read_bytes()]
    settings = Settings(root=folder)
    for path, result in zip(paths, migrate_files(paths, settings, write=False), strict=True):
        if result.before is not None and result.after is not None:
            yield path.relative_to(folder).as_posix(), result.before, result.after


def problems(before: str, after: str) -> Iterator[Place]:
    """What a migration made of the devices of a file that its owner would not have written."""
    try:
        old = ast.parse(repair_async(before)[0])
    except SyntaxError:
        old = ast.Module([], [])
    new = ast.parse(after)
    lines = after.splitlines()
    written = Counter(map(ast.unparse, _devices(new))) - Counter(map(ast.unparse, _devices(old)))
    if not written:
        return
    ours = [node for node in _devices(new) if ast.unparse(node) in written]
    moves = [node for node in ast.walk(new) if _is_cuda_call(node)]
    if moves and not (_devices(old) and any(map(_is_cuda_call, ast.walk(old)))):
        for node in moves:
            yield _place("mixed", node, lines)
    for node in ast.walk(new):
        if isinstance(node, _BRANCHES) and _speaks_of_gpu(node.test):
            if any(each in set(_below(node)) for each in ours):
                yield _place("guards", node, lines)
    yield from _ignored(old, new, lines)


def _ignored(old: ast.Module, new: ast.Module, lines: Sequence[str]) -> Iterator[Place]:
    """The devices that the migration made of what is there, beside flags of the file."""
    before = {ast.unparse(statement) for statement in old.body}
    answers = {
        ast.unparse(statement.targets[0])
        for statement in ast.walk(new)
        if isinstance(statement, ast.Assign) and _only_asks(statement.value)
    }
    for statement in new.body:
        if not isinstance(statement, ast.Assign) or ast.unparse(statement) in before:
            continue
        call = statement.value
        if not isinstance(call, ast.Call) or not ast.unparse(call.func).endswith("device"):
            continue
        choice = call.args[0] if call.args else call
        torch = ast.unparse(call.func).partition(".")[0]
        flags = {flag for flag in _flags(new) if not flag.startswith(f"{torch}.")} - answers
        if flags and isinstance(choice, ast.IfExp) and _only_asks(choice.test):
            yield _place("ignored", statement, lines, ", ".join(sorted(flags)))


def _only_asks(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node).endswith("cuda.is_available()")


def _flags(tree: ast.AST) -> Iterator[str]:
    """What a test asks that is named for the GPU: ``args.cuda``, ``use_gpu``, ``not opt.cpu``."""
    for node in ast.walk(tree):
        if isinstance(node, _BRANCHES):
            called = {id(part.func) for part in ast.walk(node.test) if isinstance(part, ast.Call)}
            for part in ast.walk(node.test):
                if isinstance(part, (ast.Name, ast.Attribute)) and id(part) not in called:
                    if _is_flag(part):
                        yield ast.unparse(part)


def _is_flag(node: ast.Name | ast.Attribute) -> bool:
    name = (node.id if isinstance(node, ast.Name) else node.attr).lower()
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if name == "is_cuda" or ast.unparse(root) in ("torch", "cuda", "th"):
        return False
    return any(word in name for word in ("cuda", "gpu", "cpu"))


def _below(branch: ast.If | ast.IfExp) -> Iterator[ast.AST]:
    """The nodes of the branches of a choice, without those of functions that are defined there."""
    parts = [branch.body, branch.orelse] if isinstance(branch, ast.IfExp) else branch.body
    for part in parts:
        yield from ast.walk(part)


def _speaks_of_gpu(test: ast.expr) -> bool:
    text = ast.unparse(test).lower()
    return any(word in text for word in ("cuda", "gpu", "cpu"))


def _is_cuda_call(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "cuda"
        and ast.unparse(node.func.value) != "torch"
    )


def _devices(tree: ast.AST) -> list[ast.Call]:
    """The calls that are given a device: ``x.to(device)``, ``torch.ones(1, device=device)``."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (
            (
                isinstance(node.func, ast.Attribute)
                and node.func.attr == "to"
                and any(map(_is_named_device, node.args))
            )
            or any(k.arg == "device" and _is_named_device(k.value) for k in node.keywords)
        )
    ]


def _is_named_device(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return "device" in name


def _place(kind: str, node: ast.AST, lines: Sequence[str], more: str = "") -> Place:
    line = getattr(node, "lineno", 1)
    text = lines[line - 1].strip()
    return kind, line, f"{text}  ({more})" if more else text


if __name__ == "__main__":
    raise SystemExit(main())
