"""Migrate every git repository in a folder, each on a branch of its own.

    python migrate_repositories.py FOLDER [--branch NAME] [--jobs N] [--reports FOLDER]
                                   [--verify COMMAND] [--safe] [--py2] ...

The checkouts themselves are not touched: each repository is migrated in a temporary worktree of its
current commit, and what changed is two commits on the new branch: what makes it run on today's
torch, then what makes it current. ``--needed`` leaves the second out, ``--no-needed`` makes one of
both. With ``--verify`` the command is run before and after each commit, and what moves the numbers
is not committed. All options
that are not its own are those of ``torchfix migrate``. The reports folder gets a page for each
repository and ``summary.json`` and ``summary.md`` for all of them.
Exits with 2 if a repository could not be worked on (it is named; the others are done).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

MESSAGE = "{}\n\nRewritten by torchfix-codemods; reasons are in the report."
TO_RUN, CURRENT = "Make it run on current PyTorch", "Write it as current PyTorch"


@dataclass
class Outcome:
    """What became of one repository."""

    repository: str
    branch: str = ""
    """Empty: nothing was to be rewritten."""
    files: int = 0
    rewrites: int = 0
    left: int = 0
    errors: int = 0
    failure: str = ""
    """Why it could not be worked on."""
    rewritten: set[str] = field(default_factory=set)
    """The files, by their paths."""


def main() -> int:
    options = _options()
    repositories = sorted(path.parent for path in options.folder.glob("*/.git"))
    if not repositories:
        print(f"error: there is no git repository in {options.folder}", file=sys.stderr)
        return 2
    if options.reports is not None:
        options.reports.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda path: migrated(path, options), repositories))
    print(summary(outcomes), end="")
    if options.reports is not None:
        document = json.dumps([asdict(outcome) for outcome in outcomes], indent=1, default=sorted)
        (options.reports / "summary.json").write_text(document + "\n", "utf-8")
        (options.reports / "summary.md").write_text(summary(outcomes), "utf-8")
    return 2 if any(outcome.failure for outcome in outcomes) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Migrate every git repository in a folder.",
        epilog="All other options are those of torchfix migrate.",
        allow_abbrev=False,
    )
    parser.add_argument("folder", type=Path, help="the folder that holds the repositories")
    parser.add_argument(
        "--branch", default="torchfix-migration", help="the branch to commit on (%(default)s)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="repositories at a time (%(default)s)")
    parser.add_argument(
        "--verify", metavar="COMMAND", help="run it before and after in each repository"
    )
    parser.add_argument(
        "--reports", type=Path, metavar="FOLDER", help="write a page for each repository there, and a summary"
    )
    options, options.of_migrate = parser.parse_known_args()
    return options


def migrated(repository: Path, options: argparse.Namespace) -> Outcome:
    """Migrate one repository on its branch. Whatever goes wrong is told in the outcome."""
    outcome = Outcome(repository.name)
    try:
        with tempfile.TemporaryDirectory(prefix="torchfix-") as folder:
            tree = Path(folder) / repository.name
            git(repository, "worktree", "add", "--quiet", "-b", options.branch, str(tree))
            try:
                _migrate(tree, outcome, options)
            finally:
                git(repository, "worktree", "remove", "--force", str(tree))
                if not outcome.branch:
                    git(repository, "branch", "--quiet", "-D", options.branch)
    except (subprocess.CalledProcessError, OSError, ValueError) as error:
        said = getattr(error, "stderr", None) or str(error)
        outcome.failure = " ".join(said.split())[-300:]
    return outcome


def _migrate(tree: Path, outcome: Outcome, options: argparse.Namespace) -> None:
    if "--needed" in options.of_migrate:
        _commit(tree, outcome, options, [], TO_RUN)
    elif "--no-needed" in options.of_migrate:
        _commit(tree, outcome, options, [], CURRENT)
    else:
        _commit(tree, outcome, options, ["--needed"], TO_RUN)
        _commit(tree, outcome, options, ["--no-needed"], CURRENT)


def _commit(
    tree: Path, outcome: Outcome, options: argparse.Namespace, added: list[str], title: str
) -> None:
    """Migrate, and commit what changed."""
    command = [sys.executable, "-m", "torchfix_codemods", "migrate", "--output-format", "json"]
    command += [*options.of_migrate, *added]
    if options.verify is not None:
        command += ["--verify", options.verify]
    if options.reports is not None:
        name = f"{tree.name}-needed" if added == ["--needed"] else tree.name
        command += ["--report", str((options.reports / f"{name}.html").resolve())]
    ended = subprocess.run([*command, "."], cwd=tree, capture_output=True, text=True, check=False)
    if not ended.stdout:
        raise ValueError(ended.stderr)
    files = json.loads(ended.stdout)["files"]
    findings = [finding for file in files for finding in file["findings"]]
    rewrites = sum(finding["fixable"] for finding in findings)
    outcome.rewritten |= {file["path"] for file in files if file["changed"]}
    outcome.files = len(outcome.rewritten)
    outcome.rewrites += rewrites
    outcome.left = len(findings) - rewrites
    outcome.errors = sum(len(file.get("errors", ())) for file in files)
    if git(tree, "status", "--porcelain"):
        git(tree, "commit", "--quiet", "--all", "--no-verify", "--message", MESSAGE.format(title))
        outcome.branch = options.branch


def git(folder: Path, *arguments: str) -> str:
    """Run git.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    return subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def summary(outcomes: Sequence[Outcome]) -> str:
    """All outcomes as a Markdown table."""
    lines = [
        "| repository | branch | files | rewrites | left | errors |",
        "|---|---|---|---|---|---|",
    ]
    for each in outcomes:
        numbers = f"{each.files} | {each.rewrites} | {each.left} | {each.errors}"
        lines.append(f"| {each.repository} | {_what(each).replace('|', ' ')} | {numbers} |")
    names = ("files", "rewrites", "left", "errors")
    sums = " | ".join(str(sum(getattr(each, name) for each in outcomes)) for name in names)
    changed, failed = (sum(map(bool, told)) for told in zip(*map(_told, outcomes), strict=True))
    lines.append(f"| {len(outcomes)} repositories | {changed} changed, {failed} failed | {sums} |")
    return "\n".join(lines) + "\n"


def _what(outcome: Outcome) -> str:
    if outcome.failure:
        return f"failed: {outcome.failure}"
    nothing = "nothing rewritten, see its errors" if outcome.errors else "nothing to do"
    return outcome.branch or nothing


def _told(outcome: Outcome) -> tuple[str, str]:
    return outcome.branch, outcome.failure


if __name__ == "__main__":
    sys.exit(main())
