"""Runs of the user's program: started in its own Python, read back from their records."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from torchfix_codemods.verify.command import Command
from torchfix_codemods.verify.inside.formats import FORMAT
from torchfix_codemods.verify.trees import Overrides, Trees

#: The package name that the program's Python knows ``inside`` by.
INSIDE = "_torchfix_inside"

Event = dict[str, Any]


class NoTorchError(RuntimeError):
    """The program's Python cannot run it; the message says why."""


@dataclass
class Stream:
    """The record of one process."""

    events: list[Event] = field(default_factory=list)
    ops: list[Event] = field(default_factory=list)
    calls: list[Event] = field(default_factory=list)
    end: Event | None = None
    """The last line, which is missing when the process was killed."""


@dataclass
class Run:
    """What became of one run."""

    status: int
    seconds: float
    streams: dict[str, Stream]
    ran: dict[str, tuple[str, list[int]]]
    """By key of a changed statement: the process that ran it first, and after how many events of
    each process from ``main`` down to it."""
    output: str
    timeout: bool = False
    nudged: bool = False
    """Whether a value was moved, where that was asked for."""
    seen: bool = False
    """Whether an event was another one then."""
    searched: dict[str, Event] = field(default_factory=dict)
    """By function: what became of a search for inputs that it takes."""
    watched: frozenset[str] = frozenset()
    """The keys whose statements would have been told of."""
    failing: dict[str, str] = field(default_factory=dict)
    """By key of a changed statement that only tests ran that failed: the first of them, and how it
    failed."""

    @property
    def events(self) -> int:
        return sum(len(stream.events) for stream in self.streams.values())

    @property
    def stopped_by(self) -> str | None:
        """The limit that ended it: ``steps`` or ``seconds``."""
        main = self.streams.get("main")
        return main.end.get("stop") if main is not None and main.end is not None else None

    @property
    def failure(self) -> Event | None:
        """The error that ended it."""
        main = self.streams.get("main", Stream())
        errors = [event for event in main.events if event["kind"] == "error"]
        if errors:
            return errors[-1]
        if self.timeout:
            return {"value": "it was killed when its time was up", "frames": [], "at": None}
        if main.end is None and self.status:
            last = self.output.strip().splitlines()[-1:] or [""]
            text = f"the process ended with status {self.status}: {last[0][:300]}"
            return {"value": text, "frames": [], "at": None}
        return None


class Runner:
    """Runs one program again and again, on changing versions of its files.

    Use it as a context manager.

    Args:
        base: the user's project.
        command: the program.
        cwd: where the command is given.
        settings: what every job holds besides what is found here.
    """

    def __init__(
        self,
        base: Path,
        command: Command,
        cwd: Path,
        settings: Mapping[str, Any],
        keep: Mapping[str, str] | None = None,
    ) -> None:
        self.command = command
        self.settings = dict(settings)
        self.environment = dict(keep or {})
        self._base, self._cwd = base.resolve(), cwd.resolve()
        self._server: subprocess.Popen[str] | None = None
        self._work: Path | None = None
        self._count = 0

    def __enter__(self) -> Runner:
        self._work = Path(tempfile.mkdtemp(prefix="torchfix-verify-")).resolve()
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self._server is not None:
            assert self._server.stdin is not None
            self._server.stdin.close()
            try:
                self._server.wait(10)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
        if self._work is not None:
            shutil.rmtree(self._work, ignore_errors=True)

    def _start(self) -> None:
        assert self._work is not None
        library = self._work / "lib"
        inside = Path(__file__).with_name("inside")
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(inside, library / INSIDE, ignore=ignored)
        shutil.copy(inside / "sitecustomize.py", library / "sitecustomize.py")
        (self._work / "tmp").mkdir()
        self._log: IO[bytes] = open(self._work / "server.log", "wb")  # noqa: SIM115
        self.trees = Trees(self._base, self._work)
        try:
            self._server = subprocess.Popen(
                [self.command.python, "-m", f"{INSIDE}.serve"],
                cwd=self._work,
                env=self._environment(library),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                text=True,
            )
            self.versions = self._answer()
        except OSError as error:
            raise NoTorchError(f"{self.command.python} cannot be started: {error}") from error
        if "error" in self.versions:
            raise NoTorchError(
                f"{self.command.python} has no torch to run the program with"
                f" ({self.versions['error']}); name a Python that has it in the command"
            )

    def _environment(self, library: Path) -> dict[str, str]:
        assert self._work is not None
        own, paths = self.own_environment()
        scratch = self._work / "tmp"
        return {
            **os.environ,
            "PYTHONNOUSERSITE": os.environ.get("PYTHONNOUSERSITE", ""),
            **own,
            "PYTHONPATH": os.pathsep.join([str(library), *paths]),
            "TMPDIR": str(scratch),
            "MPLCONFIGDIR": str(scratch / "matplotlib"),
            "XDG_CACHE_HOME": str(scratch / "cache"),
            **self.environment,
        }

    def own_environment(self) -> tuple[dict[str, str], list[str]]:
        """The variables that every run has besides those of the user's, and where Python looks."""
        path = self.command.environment.get("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        # Python takes what is relative, or empty, from where it is started; that is elsewhere here.
        paths = [
            self.trees.within(str(self._cwd / part)) for part in path.split(os.pathsep) if path
        ]
        own = {
            **self.command.environment,
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPLBACKEND": "Agg",
            "TORCHDYNAMO_DISABLE": "1",
            "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
            "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
            "PYTEST_ADDOPTS": f"-p {INSIDE}.pytest_plugin -p no:cacheprovider",
        }
        if self.settings.get("threads"):
            own["OMP_NUM_THREADS"] = str(self.settings["threads"])
        return {**own, **self.environment}, paths

    def _answer(self) -> dict[str, Any]:
        assert self._server is not None and self._server.stdout is not None
        line = self._server.stdout.readline()
        if not line:
            self._log.flush()
            text = Path(self._log.name).read_text("utf-8", "replace").strip()
            last = text.splitlines()[-1:] or ["it ended without a word"]
            raise NoTorchError(f"{self.command.python} cannot run it: {last[0]}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def run(self, overrides: Overrides, changed: Mapping[str, Any], **settings: Any) -> Run:
        """Run the program once.

        Args:
            overrides: what files of the project hold instead.
            changed: the lines to watch, by path and key.
            settings: what this job holds besides the settings of all.
        """
        assert self._work is not None and self._server is not None
        assert self._server.stdin is not None
        tree = self.trees.fresh(overrides)
        self._count += 1
        folder = self._work / f"record{self._count}"
        folder.mkdir()
        scratch = self._work / "tmp"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        output = self._work / "output"
        job = {
            **self.job(tree, changed, **settings),
            "folder": str(folder),
            "output": str(output),
            "protected": ["/", str(self._base)],
            "writable": ["/dev", "/proc", tempfile.gettempdir(), str(scratch)],
        }
        described = self._work / "job.json"
        described.write_text(json.dumps(job), encoding="utf-8")
        job["environment"] = {"TORCHFIX_JOB": str(described)}
        print(json.dumps(job), file=self._server.stdin, flush=True)
        answer = self._answer()
        text = output.read_text("utf-8", "replace") if output.exists() else ""
        # Nobody can look into a copy that is gone.
        text = text.replace(os.path.join(str(tree), ""), "")
        run = read_run(folder, answer, text)
        shutil.rmtree(folder)
        return run

    def job(self, tree: Path, changed: Mapping[str, Any], **settings: Any) -> dict[str, Any]:
        """What is told to the program's Python of a run, but for where its record goes.

        Args:
            tree: the copy of the project.
            changed: the lines to watch, by path and key.
            settings: what this job holds besides the settings of all.
        """
        is_script = self.command.kind == "script"
        target = self.command.target
        return {
            "tree": str(tree),
            "base": str(self._base),
            "cwd": str(tree / os.path.relpath(self._cwd, self._base)),
            "kind": self.command.kind,
            "target": self.trees.within(target) if is_script else target,
            "args": [self.trees.within(word) for word in self.command.args],
            "changed": changed,
            **self.settings,
            **settings,
        }

    def scratch(self, name: str) -> str:
        """A path for what is handed from one run to another."""
        assert self._work is not None
        return str(self._work / name)


def read_run(folder: Path, answer: Mapping[str, Any], output: str) -> Run:
    """Read the records of a run.

    Args:
        folder: where its processes wrote them.
        answer: how the main process ended.
        output: what it printed.
    """
    streams: dict[str, Stream] = {}
    nudged = seen = False
    ran: dict[str, tuple[str, list[int]]] = {}
    searched: dict[str, Event] = {}
    failing: dict[str, str] = {}
    for path in sorted(folder.glob("*.jsonl")):
        name = path.name[: -len(".jsonl")]
        count = 0
        for fields in _lines(path):
            if "format" in fields:
                if fields["format"] != FORMAT:
                    raise ValueError(f"{path} has format {fields['format']}, not {FORMAT}")
                continue
            if "nudged" in fields or "seen" in fields:
                nudged, seen = True, seen or "seen" in fields
                continue
            if "ran" in fields:
                ran.setdefault(fields["ran"], (name, fields["before"]))
                continue
            if "failed" in fields:
                for key in fields["failed"]:
                    if ran.get(key, ("",))[0] == name:
                        del ran[key]
                    said = f"{fields['test']}: {fields['reason']}".removesuffix(": ")
                    failing.setdefault(key, said)
                continue
            if "searched" in fields:
                searched[fields["searched"]] = fields
                continue
            thread = fields.get("thread")
            stream = streams.setdefault(f"{name}/{thread}" if thread else name, Stream())
            if "op" in fields:
                stream.ops.append(fields)
            elif "call" in fields:
                stream.calls.append(fields)
            elif "end" in fields:
                stream.end = fields
            else:
                fields["n"] = count
                count += 1
                stream.events.append(fields)
    return Run(
        answer["status"],
        answer["seconds"],
        streams,
        ran,
        output,
        bool(answer.get("timeout")),
        nudged=nudged,
        seen=seen,
        searched=searched,
        failing={key: said for key, said in failing.items() if key not in ran},
    )


def _lines(path: Path) -> Iterator[Event]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            try:
                yield json.loads(line)
            except ValueError:
                # The last line of a process that was killed.
                return
