"""Measures what becomes of code whose numbers moved between an old torch and today's.

    python -m benchmarks.old_numbers FOLDER [--from VERSION ...] [--list KIND ...] [--only PREFIX]

Each case is migrated as with `--from VERSION` and run on today's torch, and its answer held against
that of the old torch.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import math
import os
import random
import re
import resource
import select
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from torchfix_codemods.engine.migrate import Migration, Options, migrate_text
from torchfix_codemods.facts.age.era import Era, parse_version
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.rules import all_rules

VERSIONS = ("1.0.0", "1.4.0", "1.9.0")
KINDS = ("restored", "told", "silent", "spoilt", "meant")

_TIMEOUT_S = 60
_TOLERANCE = 1e-4
_SHOWN = 160

#: What the cases may count on, and the word without which an import is left out: an import of what
#: the code does not use could date it.
_IMPORTS = {
    "torch": "import torch",
    "nn": "import torch.nn as nn",
    "F": "import torch.nn.functional as F",
    "optim": "import torch.optim as optim",
    "np": "import numpy as np",
    "Variable": "from torch.autograd import Variable",
    **{
        name: f"import {name}"
        for name in ("collections", "copy", "io", "math", "os", "random", "sys", "tempfile")
    },
}
_HELPERS = {
    "X": """
def X(*s):
    n = 1
    for k in s: n *= k
    return (torch.arange(n).float() * 0.37).sin().view(*s)
""",
    "XI": """
def XI(*s):
    n = 1
    for k in s: n *= k
    return torch.arange(n).view(*s)
""",
}


@dataclass(frozen=True)
class Case:
    """A program in its old form."""

    id: str
    code: str
    answers: Mapping[str, Any]
    """What it left in `out`, by the version of torch that took it."""

    @property
    def header(self) -> str:
        """The imports and functions it uses."""
        words = set(re.findall(r"\w+", self.code)) | {"torch"}
        parts = [line for word, line in _IMPORTS.items() if word in words]
        return "\n".join([*parts, *(text for word, text in _HELPERS.items() if word in words), ""])

    @property
    def text(self) -> str:
        """A module that runs it."""
        return f"{self.header}\n{self.code}"


@dataclass(frozen=True)
class Outcome:
    """What became of a case that was written for one version."""

    case: Case
    version: str
    kind: str
    today: str
    migrated: str
    findings: tuple[str, ...] = ()
    text: str = ""
    """The migrated text, where it is another."""


def main() -> int:
    """Measure, print the totals and return the exit status."""
    options = _parse_options()
    cases = load(options.folder, options.versions, options.only)
    with ProcessPoolExecutor(options.jobs) as pool:
        outcomes = [each for found in pool.map(outcomes_of, cases, chunksize=4) for each in found]
    for kind in options.list or ():
        for outcome in outcomes:
            if outcome.kind == kind:
                print(described(outcome))
    totals = Counter((outcome.version, outcome.kind) for outcome in outcomes)
    print(f"{'from':10}{'moved':>8}" + "".join(f"{kind:>10}" for kind in KINDS))
    for version in (*options.versions, "all"):
        chosen = options.versions if version == "all" else [version]
        counts = {kind: sum(totals[each, kind] for each in chosen) for kind in KINDS}
        moved = sum(counts[kind] for kind in KINDS[:3])
        print(f"{version:10}{moved:8}" + "".join(f"{counts[kind]:10}" for kind in KINDS))
    return 1 if any(outcome.kind == "spoilt" for outcome in outcomes) else 0


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.old_numbers", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("folder", type=Path, help="the cases and what old versions answered")
    parser.add_argument(
        "--from", dest="versions", nargs="+", default=list(VERSIONS), help="the old versions"
    )
    parser.add_argument("--list", nargs="+", choices=KINDS, help="print each of these")
    parser.add_argument("--only", default="", help="only cases whose names begin so")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def load(folder: Path, versions: Iterable[str], prefix: str = "") -> list[Case]:
    """The cases of a folder that ran on one of the versions at least."""
    recorded = {
        version: json.loads((folder / "results" / f"{version}.json").read_text("utf-8"))["res"]
        for version in versions
    }
    cases = []
    for path in sorted((folder / "cases").glob("*.yaml")):
        for entry in yaml.safe_load(path.read_text("utf-8")):
            if not entry["id"].startswith(prefix) or not entry.get("old"):
                continue
            answers = {}
            for version, results in recorded.items():
                result = results.get(entry["id"], {}).get("old") or {}
                if result.get("st") == "ok":
                    answers[version] = result["val"]
            code = f"{entry.get('pre') or ''}\n{entry['old']}".lstrip("\n")
            if answers:
                cases.append(Case(entry["id"], code, answers))
    return cases


def outcomes_of(case: Case) -> list[Outcome]:
    """What becomes of a case, by version; nothing where a package is missing that it imports."""
    if any(importlib.util.find_spec(name) is None for name in _packages(case.code)):
        return []
    today = run(case.text)
    ran = {case.text: today}
    outcomes = []
    for version, answer in case.answers.items():
        migration = migrate(case.text, version)
        if migration.text not in ran:
            ran[migration.text] = run(migration.text)
        kind = _kind(case, migration, answer, today, ran[migration.text])
        if kind is not None:
            outcomes.append(_outcome(case, version, kind, migration, today, ran[migration.text]))
    return outcomes


def _packages(code: str) -> Iterator[str]:
    """The names below which a module imports something."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            yield node.module.partition(".")[0]


def migrate(text: str, version: str) -> Migration:
    """What `torchfix migrate --from VERSION` makes of a text."""
    old = parse_version(version)
    era = Era(old, old, (f"--from {version}",), uses=old)
    return migrate_text(text, all_rules(), Options(era=era))


def _kind(
    case: Case,
    migration: Migration,
    answer: object,
    today: Mapping[str, Any],
    migrated: Mapping[str, Any],
) -> str | None:
    """What became of it; None where its numbers did not move and do not."""
    is_right = "error" not in migrated and is_same(migrated["value"], answer)
    if "error" not in today and is_same(today["value"], answer):
        if is_right:
            return None
        own = _own(case, migration)
        is_meant = any(each.fixed and each.numerics is Numerics.CHANGED for each in own)
        return "meant" if is_meant else "spoilt"
    if is_right:
        return "restored"
    is_told = any(not each.fixed for each in _own(case, migration)) or migration.errors
    return "told" if is_told else "silent"


def _own(case: Case, migration: Migration) -> Iterator[Finding]:
    """The findings in the code of the case itself."""
    first = case.header.count("\n") + 2
    return (each for each in migration.findings if each.line >= first)


def _outcome(
    case: Case,
    version: str,
    kind: str,
    migration: Migration,
    today: Mapping[str, Any],
    migrated: Mapping[str, Any],
) -> Outcome:
    findings = tuple(
        f"{'done' if each.fixed else 'left'}: {each.code} {each.name} ({each.numerics.value}): "
        f"{each.message}"
        for each in _own(case, migration)
    )
    text = migration.text if migration.text != case.text else ""
    return Outcome(case, version, kind, shown(today), shown(migrated), findings, text)


def described(outcome: Outcome) -> str:
    """All that is to be said of one outcome."""
    lines = [
        f"=== {outcome.case.id} from {outcome.version}: {outcome.kind}",
        f"old:      {_brief(outcome.case.answers[outcome.version])}",
        f"today:    {outcome.today}",
    ]
    if outcome.text:
        lines.append(f"migrated: {outcome.migrated}")
    lines += outcome.findings
    lines += ["", *(f"    {line}" for line in outcome.case.code.splitlines()), ""]
    if outcome.text:
        before, after = outcome.case.text.splitlines(), outcome.text.splitlines()
        lines += [f"  + {line}" for line in after if line not in before]
    return "\n".join(lines)


def is_same(one: object, other: object) -> bool:
    """Whether two answers are of one kind, dtype and shape and equal but for rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() - {"rg"} != other.keys() - {"rg"}:
            return False
        return all(is_same(one[key], other[key]) for key in one if key != "rg")
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, bool | str) or one is None:
        # An array of flags was written as numbers by some versions.
        is_number = isinstance(one, bool) and isinstance(other, int)
        return one == other and (type(one) is type(other) or is_number)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return _is_close(float(one), float(other))
    return False


def _is_close(one: float, other: float) -> bool:
    if one == other or (math.isnan(one) and math.isnan(other)):
        return True
    return math.isfinite(one) and math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=1e-6)


def shown(result: Mapping[str, Any]) -> str:
    """An answer or an error, briefly."""
    if "error" in result:
        return str(result["error"]).replace("\n", " ")[:_SHOWN]
    return _brief(result["value"])


def _brief(value: object) -> str:
    return _flat(value)[:_SHOWN]


def _flat(value: Any) -> str:
    match value:
        case {"t": dtype, "s": shape, "d": data} | {"n": dtype, "s": shape, "d": data}:
            return f"{'np.' if 'n' in value else ''}{dtype}{shape}{_flat(data)}"
        case {"g": dtype, "v": number}:
            return f"np.{dtype}({_flat(number)})"
        case {"k": items}:
            return "{" + ", ".join(f"{key}: {_flat(each)}" for key, each in items) + "}"
        case {"o": name}:
            return f"<{name}>"
        case list():
            return "[" + ", ".join(map(_flat, value)) + "]"
        case float():
            return f"{value:.6g}"
    return repr(value)


def run(text: str) -> dict[str, Any]:
    """Run a module in a process of its own: `{"value": what `out` is}` or `{"error": …}`."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            with os.fdopen(write, "w") as answer:
                json.dump(_answer(text), answer)
        finally:
            os._exit(0)
    os.close(write)
    data = b""
    with os.fdopen(read, "rb") as answer:
        while select.select([answer], [], [], _TIMEOUT_S)[0]:
            part = os.read(answer.fileno(), 1 << 16)
            if not part:
                break
            data += part
        else:
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    try:
        result: dict[str, Any] = json.loads(data)
    except ValueError:
        return {"error": f"ended with status {os.waitstatus_to_exitcode(status)}"}
    return result


def _answer(text: str) -> dict[str, Any]:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    np.random.seed(0)
    random.seed(0)
    namespace: dict[str, Any] = {"__name__": "__case__"}
    try:
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            warnings.simplefilter("ignore")
            exec(compile(text, "<case>", "exec"), namespace)
        return {"value": _encoded(namespace.get("out"))}
    except BaseException as error:
        return {"error": f"{type(error).__name__}: {error}".strip()}


def _encoded(value: object, depth: int = 0) -> Any:
    """A value as the recorded answers hold it."""
    deeper = partial(_encoded, depth=depth + 1)
    if depth > 6:
        return {"o": "deep"}
    if isinstance(value, torch.Tensor):
        return _encoded_tensor(value)
    if isinstance(value, np.ndarray):
        return _encoded_array(value)
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if isinstance(value, np.generic):
        return {"g": str(value.dtype), "v": value.item()}
    if isinstance(value, dict):
        return {"k": [[str(key), deeper(each)] for key, each in value.items()]}
    if isinstance(value, list | tuple):
        return [deeper(each) for each in value]
    return {"o": f"{type(value).__module__}.{type(value).__name__}"}


def _encoded_tensor(value: torch.Tensor) -> dict[str, Any]:
    dense = value.detach()
    dtype = str(value.dtype).removeprefix("torch.")
    if dense.layout is not torch.strided:
        dense = dense.to_dense()
    if dense.is_complex():
        dense = torch.view_as_real(dense)
    if dense.dtype is torch.bfloat16:
        dense = dense.float()
    data = dense.cpu().contiguous().view(-1).tolist()
    return {"t": dtype, "s": list(dense.shape), "d": data, "rg": value.requires_grad}


def _encoded_array(value: np.ndarray[Any, Any]) -> dict[str, Any]:
    if value.dtype == object:
        return {"o": "object array"}
    data: Sequence[object] = value.reshape(-1).tolist()
    if np.iscomplexobj(value):
        data = [str(each) for each in data]
    return {"n": str(value.dtype), "s": list(value.shape), "d": data}


if __name__ == "__main__":
    sys.exit(main())
