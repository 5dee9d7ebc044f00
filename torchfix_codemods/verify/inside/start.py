"""Runs one program with everything in place: random seeds, limits, shims, records."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import runpy
import sys
import threading
import traceback
import types
from typing import Any, Dict

from . import calls, compiling, coverage, events, ops, resync, shadow
from .moving import nudge
from .replay import saving
from .shown import drawn, given, written
from .trace import Stop, Trace
from .world import children, clock, guard, limits, made, seeds, system_random, zipped

#: The record of this process, for the plugin of pytest.
TRACE: Trace | None = None

Job = Dict[str, Any]

#: Of ``mallopt(3)``: new memory is filled with the complement of a byte.
_M_PERTURB = -6

#: A byte that makes numbers which no program computes with.
_NOISE = 0xFE


def run(job: Job) -> int:
    """Run a program in this process, to its end.

    Args:
        job: ``tree`` and ``cwd`` (the copy of the project, and where the program starts in it),
            ``kind`` (``script``, ``module`` or ``code``; ``search`` and ``replay`` of
            :mod:`.replay`), ``target``, ``args``, ``folder`` (for the records), ``changed`` (lines
            to watch, see :mod:`.coverage`), ``shims``, ``protected``, ``plain`` (nothing is
            recorded: what the program costs by itself) and
            further settings of :func:`attach`.

    Returns:
        the program's exit status.
    """
    os.chdir(job["cwd"])
    # Noted when torch was imported, in another folder; spawned processes look there.
    process = sys.modules.get("multiprocessing.process")
    if process is not None:
        setattr(process, "ORIGINAL_DIR", job["cwd"])  # noqa: B010
    # The copy was not there yet when folders of it were first looked for.
    sys.path_importer_cache.clear()
    if job.get("base"):
        _lead_into_the_copy(job["base"], job["tree"])
    recorder, trace = attach(job)
    status = _guarded(job, recorder)
    for step in (_finish_threads, sys.stdout.flush, recorder.final, atexit._run_exitfuncs):
        try:
            step()
        except BaseException:
            traceback.print_exc()
    if isinstance(sys.stdout, events.PrintedLines):
        sys.stdout.finish()
    said = {key: value for tell in trace.at_end for key, value in tell().items()}
    trace.note({"end": status, "stop": trace.stop, "events": trace.count, **said})
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def attach(job: Job) -> tuple[events.Recorder, Trace]:
    """Put everything in place in this process."""
    global TRACE
    TRACE = trace = Trace(job["folder"], job["tree"], job.get("name", "main"))
    recorder = events.Recorder(trace)
    seeds.seed_all(job.get("seed", 0))
    _be_deterministic(job)
    zipped.install()
    if job.get("portable"):
        from . import portable

        portable.install(job.get("seed", 0))
    for shim in job.get("shims", ()):
        _install_shim(shim, trace)
    if job.get("plain"):
        return recorder, trace
    _fill_new_memory(_NOISE if job.get("noisy_memory") else 0)
    clock.install(trace)
    system_random.install(trace, job.get("seed", 0))
    if job.get("device") != "cuda":
        # A forked child cannot use the GPU that its parent uses.
        children.install()
    recorder.install()
    written.install(trace)
    drawn.install(trace)
    transforms = [
        nudge.install(
            trace, job.get("nudge", {}), job.get("expected", {}), job.get("nudge_gently", False)
        ),
        shadow.install(trace, job.get("shadows", {})),
        given.install(trace),
        saving.install(trace, job.get("save_inputs", {}), job.get("saved_inputs", "")),
        calls.install(recorder),
        coverage.install(trace, job.get("changed", {})),
    ]
    compiling.install(trace, transforms)
    limits.install(trace, job.get("max_steps"), job.get("max_seconds"), job.get("max_batches"))
    if job.get("portable"):
        from .following import forcing

        forcing.install(recorder, job.get("keep_states"), job.get("forced_states"))
    if job.get("keep_steps") or job.get("follow_steps"):
        from .following import steps

        steps.install(recorder, job.get("keep_steps"), job.get("follow_steps"))
    if job.get("keep_random"):
        resync.keep(recorder, job["keep_random"])
    if job.get("replay_random"):
        resync.replay(recorder, job["replay_random"])
    if job.get("capture"):
        from . import capture

        capture.install(trace, job["capture"])
    if job.get("ops"):
        ops.install(trace)
    guard.install(job.get("protected", ()), [job["tree"], job["folder"], *job.get("writable", ())])
    made.install(job["tree"], job["folder"])
    guard.watch_torch()
    return recorder, trace


def _guarded(job: Job, recorder: events.Recorder) -> int:
    trace = recorder.trace
    try:
        _execute(job, recorder)
    except Stop:
        return 0
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        print(error.code, file=sys.stderr)
        return 1
    except BaseException as error:
        if trace.stop is not None:
            return 0
        traceback.print_exc()
        failure = error
        trace.emit("error", lambda: _described(failure, trace))
        return 1
    return 0


def _described(error: BaseException, trace: Trace) -> dict[str, Any]:
    frames: list[str] = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = trace.users_path(frame.f_code)
        if path is not None:
            frames.append(f"{path}:{line}")
    text = str(error).splitlines()[0][:300] if str(error) else ""
    if isinstance(error, SyntaxError) and error.filename:
        path = trace.relative(error.filename)
        frames.append(f"{path}:{error.lineno}")
    return {
        "value": f"{type(error).__name__}: {text}",
        "frames": frames,
        "at": frames[-1] if frames else None,
    }


def _execute(job: Job, recorder: events.Recorder) -> None:
    trace, kind, target = recorder.trace, job["kind"], job["target"]
    if kind in ("search", "replay"):
        from .replay import performing, searching

        if kind == "search":
            searching.run(job["asked"], job["inputs"], trace)
        else:
            performing.run(job["inputs"], recorder)
        return
    if kind == "module":
        sys.argv = [target, *job["args"]]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(target, run_name="__main__", alter_sys=True)
        return
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    if kind == "code":
        sys.argv = ["-c", *job["args"]]
        sys.path.insert(0, "")
        code: Any = compile(target, "<string>", "exec", dont_inherit=True)
    else:
        sys.argv = [target, *job["args"]]
        path = os.path.abspath(target)
        sys.path.insert(0, os.path.dirname(path))
        main.__file__ = target
        with open(path, "rb") as file:
            text = file.read()
        relative = trace.relative(path) or ""
        code = compiling.compiled(path, text, relative)
    exec(code, main.__dict__)


def _finish_threads() -> None:
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def _be_deterministic(job: Job) -> None:
    import torch

    if job.get("threads"):
        torch.set_num_threads(job["threads"])
    if job.get("device") == "cuda":
        torch.backends.cudnn.benchmark = False
        torch.backends.cudnn.deterministic = True
        torch.use_deterministic_algorithms(True, warn_only=True)
        # Or else it fills what nobody has written to with NaN.
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]


def _fill_new_memory(byte: int) -> None:
    """Let what nobody has written to hold one byte: zeros, as it mostly does in a young process.

    Programs that read ``torch.Tensor(1, n)`` after they wrote into parts of it would compute
    something else wherever anything else is allocated before. Only glibc can be asked for it.

    Args:
        byte: not 255.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_M_PERTURB, byte ^ 0xFF)


def _lead_into_the_copy(base: str, tree: str) -> None:
    """Let imports that would find the user's own project, installed in place, find the copy."""
    base = os.path.realpath(base)

    def moved(path: Any) -> Any:
        if not isinstance(path, str) or not path:
            return path
        real = os.path.realpath(path)
        inside = real == base or real.startswith(os.path.join(base, ""))
        return os.path.join(tree, os.path.relpath(real, base)) if inside else path

    sys.path[:] = [moved(path) for path in sys.path]
    for finder in sys.meta_path:
        module = sys.modules.get(getattr(finder, "__module__", ""))
        mapping = getattr(module, "MAPPING", None)
        if isinstance(mapping, dict):
            mapping.update({name: moved(path) for name, path in mapping.items()})


def _install_shim(name: str, trace: Trace) -> None:
    from . import shims

    shims.install(name, lambda path: trace.relative(path) is not None)
