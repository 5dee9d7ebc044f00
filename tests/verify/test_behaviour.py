"""What a run may do, what it may not, and what is said where nothing can be said."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.verifying import Bench, Judged
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.verdicts import Verdict

MODEL = """\
import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""


@pytest.fixture
def judge(judges: Bench) -> Callable[..., Judged]:
    """Judges a script that is a model and some lines, against other lines."""

    def judged(before: str, after: str, head: str = MODEL, **given: object) -> Judged:
        return judges.judge("script", head + before, head + after, **given)

    return judged


@pytest.mark.parametrize(
    "line",
    [
        "import time; print(time.time(), time.perf_counter(), time.monotonic_ns())",
        "import datetime; print(datetime.datetime.now())",
        "import os; print('pid', os.getpid())",
        "import os, random; random.seed(None); print(os.urandom(3), random.random())",
        "import uuid; print(uuid.uuid4())",
        "print(object(), id(object()))",
        "print({object() for _ in range(4)})",
        "import tempfile; print(tempfile.mkdtemp())",
        "import numpy; print(numpy.random.default_rng().random())",
        "import torch; print(torch.seed() > 0)",
        "import tempfile, torch; torch.save({'at': id(object()), 'in': tempfile.mkdtemp()}, 'x.pt')",
    ],
)
def test_noise_hides_itself_and_nothing_else(judge: Callable[..., Judged], line: str) -> None:
    right = judge(f"{line}\nprint(torch.ones(2).sum())\n", f"{line}\nprint(torch.ones(2).sum(0))\n")
    assert right.only.verdict is Verdict.EQUIVALENT
    wrong = judge(f"{line}\nprint(torch.ones(2).sum())\n", f"{line}\nprint(torch.ones(3).sum())\n")
    assert wrong.only.verdict is Verdict.DIFFERENT


def test_threads_in_any_order(judge: Callable[..., Judged]) -> None:
    text = """
import threading, time, os
def work(n):
    time.sleep(int.from_bytes(os.urandom(1), 'little') / 5000)
    print('thread', n)
workers = [threading.Thread(target=work, args=(n,)) for n in range(3)]
for worker in workers: worker.start()
for worker in workers: worker.join()
x = torch.ones(3)
print('sum', {})
"""
    assert judge(text.format("x.sum()"), text.format("x.sum(0)")).only.verdict is Verdict.EQUIVALENT
    assert judge(text.format("x.sum()"), text.format("x.mean()")).only.verdict is Verdict.DIFFERENT


RACING = """
import os, torch.multiprocessing as mp
def work(n):
    {}
    print('done', model[0](torch.full((1, 3), float(n))).sum().item())
if __name__ == '__main__':
    with open({!r}, 'a') as log:
        log.write('run ')
    runs = os.path.getsize({!r}) // 4
    process = mp.Process(target=work, args=(runs if runs > {} else 0,))
    process.start()
    process.join()
    print(torch.ones(2).{})
"""


@pytest.mark.parametrize("agreeing", [1, 2])
def test_processes_that_race(judge: Callable[..., Judged], tmp_path: Path, agreeing: int) -> None:
    """Their numbers are other ones each time, though some runs may agree."""

    def judged(name: str, line: str, now: str, total: str) -> list[Verdict]:
        log = str(tmp_path / name)
        # What a run makes itself is gone in the next one.
        (tmp_path / name).touch()
        before = RACING.format(line, log, log, agreeing, "sum()")
        found = judge(before, RACING.format(now, log, log, agreeing, total))
        assert any("not the same each time" in note for note in found.notes) is (agreeing == 2)
        return found.verdicts

    right = judged("right", "x = 1", "x = 2 - 1", "sum(0)")
    assert right == [Verdict.NOT_OBSERVED, Verdict.EQUIVALENT]
    wrong = judged("wrong", "x = 1", "x = 2", "mean()")
    assert wrong == [Verdict.NOT_OBSERVED, Verdict.DIFFERENT]


def test_noise_of_one_process_hides_no_other(judge: Callable[..., Judged]) -> None:
    text = """
import os, torch.multiprocessing as mp
def noise():
    return float(int.from_bytes(os.urandom(2), 'little'))
def work():
    print('noise', noise())
    print('done', model[0](torch.ones(1, 3)).{})
if __name__ == '__main__':
    model[0](torch.full((1, 3), noise()))
    process = mp.Process(target=work)
    process.start()
    process.join()
"""
    before = text.format("sum()")
    assert judge(before, text.format("sum(1)[0]")).only.verdict is Verdict.EQUIVALENT
    assert judge(before, text.format("mean()")).only.verdict is Verdict.DIFFERENT


PARTING = """
import os
with open({0!r}, 'a') as log:
    log.write('run ')
turns = {1}[os.path.getsize({0!r}) // 4 - 1]
print('first', {2})
for n in range(turns):
    {5}('again', {3})
print('last', {4})
"""


@pytest.mark.parametrize("turns", [(3, 5, 2), (5, 3, 2), (3, 5, 9), (5, 3, 9), (4, 6, 5)])
def test_runs_that_part_are_compared_as_far_as_they_agree(
    judge: Callable[..., Judged], tmp_path: Path, turns: tuple[int, ...]
) -> None:
    """How often a loop runs is another number each time."""

    def judged(name: str, *values: str, does: str = "print") -> Judged:
        (tmp_path / name).touch()
        known = str(tmp_path / name), [*turns, *([turns[-1]] * 9)]
        before = PARTING.format(*known, "1", "3", "2", does)
        return judge(before, PARTING.format(*known, *values, does))

    right = judged("right", "1", "3", "2 + 0")
    parted = "part at event {} ({}); only what comes before is compared"
    lines = ("script.py:{0} and script.py:{1}", "script.py:{1} and script.py:{0}")
    # The call in the loop, and the line behind it.
    at = (MODEL + PARTING).count("\n") - 1
    told = lines[turns[0] < turns[1]].format(at, at + 1)
    expected = parted.format(1 + min(turns[:2]), told)
    assert any(expected in note for note in right.notes), right.notes
    assert right.only.verdict is Verdict.NOT_OBSERVED
    computes = "(lambda _, n: model[0](torch.ones(1, n)))"
    computed = judged("computed", "1", "3", "2 + 0", does=computes)
    assert computed.only.verdict is Verdict.NOT_OBSERVED
    assert not any("not the same each time" in note for note in computed.notes)
    assert judged("first", "4", "3", "2").only.verdict is Verdict.DIFFERENT
    assert judged("again", "1", "4", "2").only.verdict is Verdict.DIFFERENT
    assert judged("kind", "1", "print('once')", "2").only.verdict is Verdict.NOT_OBSERVED


@pytest.mark.parametrize(("before", "after"), [("", "x = 1\n"), ("x = model\n", "x = optimizer\n")])
def test_nothing_to_compare(judge: Callable[..., Judged], before: str, after: str) -> None:
    only = judge(before, after).only
    assert only.verdict is Verdict.INCONCLUSIVE
    assert only.reason == "the program did nothing that can be compared"


def test_fails_with_and_without(judge: Callable[..., Judged]) -> None:
    only = judge("print(1)\nraise KeyError(1)\n", "print(1)\nraise KeyError(2)\n").only
    assert only.verdict is Verdict.INCONCLUSIVE
    assert "fails with and without" in only.reason


@pytest.mark.parametrize(
    "end",
    [
        "import argparse\nargparse.ArgumentParser().parse_args(['--none'])\n",
        "import not_installed\n",
        "import sys\nsys.exit('no data')\n",
    ],
)
def test_a_program_that_does_not_start(judge: Callable[..., Judged], end: str) -> None:
    text = "def scaled(x):\n    return x * {}\n\n\nlimit = scaled(3)\n"
    only = judge(text.format("2") + end, text.format("(1 + 1)") + end).only
    assert only.verdict is Verdict.INCONCLUSIVE
    assert only.reason.startswith("the program ends before it computes anything: ")


def test_the_same_failure_after_equal_numbers(judge: Callable[..., Judged]) -> None:
    text = "x = torch.ones(2)\nprint({})\nraise KeyError('as ever')\n"
    assert judge(text.format("x.sum()"), text.format("x.sum(0)")).only.verdict is Verdict.EQUIVALENT
    assert judge(text.format("x.sum()"), text.format("x.mean()")).only.verdict is Verdict.DIFFERENT


@pytest.mark.parametrize(
    ("line", "now", "note"),
    [
        ("torch.ones(2).sum().data[0]", "torch.ones(2).sum().item()", "with a stand-in"),
        ("gone(torch.ones(2))", "torch.ones(2).sum()", "with 1 rewrites, as with all"),
    ],
)
def test_the_same_failure_where_the_code_as_it_was_does_not_come(
    judge: Callable[..., Judged], line: str, now: str, note: str
) -> None:
    """What stands between is compared, and what comes behind an error of its own is not."""
    text = "x = torch.ones(2)\nprint({})\n\n\nprint({})\n\n\n{}\n"
    end = "raise KeyError('as ever')"
    before = text.format("x.sum()", line, end)
    right = judge(before, text.format("x.sum(0)", now, end))
    assert right.verdicts[0] is Verdict.EQUIVALENT
    assert any(note in said for said in right.notes), right.notes
    wrong = judge(before, text.format("x.mean()", now, end))
    assert wrong.verdicts[0] is Verdict.DIFFERENT
    other = judge(before, text.format("x.sum(0)", now, "raise KeyError('another')"))
    assert Verdict.EQUIVALENT not in other.verdicts
    end = "key = {}\n\n\nraise KeyError(key)"
    before = text.format("x.sum()", line, end.format("'as ever'"))
    other = judge(before, text.format("x.sum(0)", now, end.format("'another'")))
    assert Verdict.EQUIVALENT not in other.verdicts
    assert not any("with a stand-in" in said for said in other.notes)


@pytest.mark.parametrize(
    "crash",
    [
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "import ctypes; ctypes.string_at(0)",
        "import os; os._exit(3)",
        "import os; os.abort()",
        "raise SystemExit(7)",
        "raise KeyboardInterrupt",
    ],
)
def test_a_crash_is_broken(judge: Callable[..., Judged], crash: str) -> None:
    last = "import sys; print('last words', file=sys.stderr)"
    judged = judge("print(1)\nprint(2)\n", f"print(1)\n{last}\n{crash}\nprint(2)\n")
    assert judged.only.verdict is Verdict.BROKEN
    assert "last words" in judged.only.output
    # The next run of the same fork server is as good as ever.
    assert judge("print(1)\n", "print(1 + 0)\n").only.verdict is Verdict.EQUIVALENT


def test_an_exit_that_was_there_before(judge: Callable[..., Judged]) -> None:
    text = "import os, sys\nprint({})\nsys.stdout.flush()\nos._exit(0)\n"
    assert judge(text.format("1"), text.format("1 + 0")).only.verdict is Verdict.EQUIVALENT
    assert judge(text.format("1"), text.format("2")).only.verdict is Verdict.DIFFERENT


def test_exit_status(judge: Callable[..., Judged]) -> None:
    only = judge("import sys\nprint(1)\nsys.exit(0)\n", "import sys\nprint(1)\nsys.exit(1)\n").only
    assert only.verdict is Verdict.BROKEN


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc clears new memory")
@pytest.mark.parametrize(
    "made", ["torch.empty(2, 50)", "torch.Tensor(9, 9)", "model[0].weight.new(70)"]
)
def test_what_nobody_wrote_to_is_zero(judge: Callable[..., Judged], made: str) -> None:
    read = f"x = {made}\nx[0] = 3\nprint(x)\n"
    used = "used = [torch.full((n,), 7.5) for n in range(300)]\ndel used\n"
    judged = judge(read, used + read, options=VerifyOptions(looks_for_unseen=False))
    assert judged.only.verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize("at_end", ["atexit.register(", "weakref.finalize(model, "])
def test_what_is_done_at_the_end_is_compared(judge: Callable[..., Judged], at_end: str) -> None:
    text = "import atexit, weakref\ndef late():\n    print({})\n" + at_end + "late)\n"
    assert judge(text.format("1"), text.format("1 + 0")).only.verdict is Verdict.EQUIVALENT
    assert judge(text.format("1"), text.format("2")).only.verdict is Verdict.DIFFERENT


def test_an_endless_loop_is_broken(judge: Callable[..., Judged]) -> None:
    short = VerifyOptions(timeout=3.0)
    endless = "import threading\nwhile True: threading.Event().wait()\n"
    only = judge("print(1)\n", f"print(1)\n{endless}", options=short).only
    assert only.verdict is Verdict.BROKEN
    assert "time was up" in only.reason


LOOP = """
for i in range({rounds}):
    try:
        loss = model(torch.randn(4, 3)).pow(2).{reduced}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    except:
        continue
    print(loss.item())
"""


def test_a_bare_except_does_not_swallow_the_end(judge: Callable[..., Judged]) -> None:
    before = LOOP.format(rounds=10**7, reduced="mean()")
    right = judge(before, LOOP.format(rounds=10**7, reduced="mean(0).mean()"), max_steps=3)
    assert right.only.verdict is Verdict.EQUIVALENT
    wrong = judge(before, LOOP.format(rounds=10**7, reduced="sum()"), max_steps=3)
    assert wrong.only.verdict is Verdict.DIFFERENT


def test_what_is_behind_the_end_of_a_run(judge: Callable[..., Judged]) -> None:
    before = (
        "for _ in range(5):\n    model(torch.ones(4, 3)).pow(2).mean().backward()\n"
        "    optimizer.step()\nprint('weight', model[0].weight.sum().item())\n"
    )
    after = before.replace("sum()", "sum(0).sum()").replace("mean()", "mean(0).mean()")
    ended = judge(before, after, max_steps=3)
    assert ended.verdicts == [Verdict.EQUIVALENT, Verdict.NOT_EXECUTED]
    assert any("was ended after 3 steps (--max-steps)" in note for note in ended.notes)
    whole = judge(before, after, max_steps=30)
    assert Verdict.NOT_EXECUTED not in whole.verdicts
    assert not any("was ended" in note for note in whole.notes)


def test_a_bare_except_that_hides_a_failure(judge: Callable[..., Judged]) -> None:
    before = LOOP.format(rounds=3, reduced="mean()")
    judged = judge(before, LOOP.format(rounds=3, reduced="mean().item()"))
    assert judged.only.verdict is Verdict.DIFFERENT


def test_seconds(judge: Callable[..., Judged]) -> None:
    before = LOOP.format(rounds=10**7, reduced="mean()")
    right = judge(before, LOOP.format(rounds=10**7, reduced="mean().clone()"), max_seconds=0.5)
    assert right.only.verdict is Verdict.EQUIVALENT
    wrong = judge(before, LOOP.format(rounds=10**7, reduced="sum()"), max_seconds=0.5)
    assert wrong.only.verdict is Verdict.DIFFERENT


def test_batches(judge: Callable[..., Judged]) -> None:
    text = """
from torch.utils.data import DataLoader
seen = 0
for x in DataLoader(torch.arange(12.), batch_size=2, num_workers={}):
    print(x.sum().item(){})
    seen += 1
assert seen == 2
"""
    for workers in (0, 2):
        before = text.format(workers, "")
        right = judge(before, text.format(workers, " * 1"), max_batches=2)
        assert right.only.verdict is Verdict.EQUIVALENT
        wrong = judge(before, text.format(workers, " * 2"), max_batches=2)
        assert wrong.only.verdict is Verdict.DIFFERENT


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_children_tell_what_they_do(judge: Callable[..., Judged], start: str) -> None:
    text = """
import torch, torch.multiprocessing as mp

def work(rank):
    print('rank', rank, torch.ones(2).{}.item())

if __name__ == '__main__':
    print('begin')
    context = mp.get_context('{}')
    for rank in range(2):
        process = context.Process(target=work, args=(rank,))
        process.start()
        process.join()
"""
    before = text.format("sum()", start)
    right = judge(before, text.format("sum(0)", start), head="")
    assert right.only.verdict is Verdict.EQUIVALENT
    wrong = judge(before, text.format("mean()", start), head="")
    assert wrong.only.verdict is Verdict.DIFFERENT


def test_a_subprocess_is_left_alone(judge: Callable[..., Judged]) -> None:
    text = "import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', 'print({})']))\n"
    assert judge(text.format("1"), text.format("1+0")).only.verdict is Verdict.EQUIVALENT
    assert judge(text.format("1"), text.format("2")).only.verdict is Verdict.DIFFERENT


@pytest.mark.parametrize(
    "line",
    [
        "import socket; socket.create_connection(('192.0.2.1', 80), 1)",
        "import socket; socket.getaddrinfo('example.org', 80)",
        "import urllib.request; urllib.request.urlopen('http://192.0.2.1/')",
    ],
)
def test_there_is_no_network(judge: Callable[..., Judged], line: str) -> None:
    text = f"try:\n    {line}\nexcept OSError as error:\n    print(error)\nprint(1)\n"
    judged = judge(text, text.replace("print(1)", "print(1 + 0)"))
    assert judged.only.verdict is Verdict.EQUIVALENT
    broken = judge("print(1)\n", f"print(1)\n{line}\n")
    assert broken.only.verdict is Verdict.BROKEN
    assert "no network" in broken.only.reason


def test_this_machine_is_no_network(judge: Callable[..., Judged]) -> None:
    text = """
import socket
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
print({})
"""
    assert judge(text.format(1), text.format("1 + 0")).only.verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize(
    "change",
    [
        "open({path!r}, 'w')",
        "open({path!r}, 'ab')",
        "open({path!r} + '.new', 'x')",
        "import os; os.open({path!r}, os.O_RDWR)",
        "import os; os.remove({path!r})",
        "import os; os.rename({path!r}, {path!r} + '.old')",
        "import os; os.replace('mine.txt', {path!r})",
        "import os; os.mkdir({path!r} + '.d')",
        "import os; os.makedirs(os.path.dirname({path!r}) + '/a/b')",
        "import os; os.symlink('x', {path!r} + '.l')",
        "import os; os.chmod({path!r}, 0)",
        "import os; os.truncate({path!r}, 0)",
        "import shutil; shutil.rmtree(__import__('os').path.dirname({path!r}))",
        "import shutil; shutil.move({path!r}, 'here')",
        "import shutil; shutil.copy('mine.txt', {path!r})",
        "import pathlib; pathlib.Path({path!r}).write_text('changed')",
        "import pathlib; pathlib.Path({path!r}).unlink()",
        "import torch; torch.save(1, {path!r})",
        "import numpy; numpy.save({path!r} + '.npy', [1])",
    ],
)
def test_nothing_of_the_users_changes(
    judges: Bench, judge: Callable[..., Judged], change: str
) -> None:
    victim = judges.runner._base / "victim" / "data.txt"
    victim.parent.mkdir(exist_ok=True)
    victim.write_text("as it was")
    line = change.format(path=str(victim))
    text = "open('mine.txt', 'w').write('x')\nprint(1)\n"
    judged = judge(text, text + line + "\n")
    assert judged.only.verdict is Verdict.BROKEN
    assert "may not change" in judged.only.reason
    assert [path.name for path in victim.parent.iterdir()] == ["data.txt"]
    assert victim.read_text() == "as it was"
    assert victim.stat().st_mode & 0o777 == 0o644 or victim.stat().st_mode & 0o600 == 0o600
    assert not (judges.runner._base / "mine.txt").exists()


def test_what_the_run_before_wrote_is_gone(judge: Callable[..., Judged]) -> None:
    text = "import os\nprint(os.path.exists('mine'), {})\nopen('mine', 'w').close()\n"
    assert judge(text.format(1), text.format("1 + 0")).only.verdict is Verdict.EQUIVALENT


def test_lines_that_never_run(judge: Callable[..., Judged]) -> None:
    text = "def never(x):\n    return {}\nprint(1)\n"
    assert judge(text.format("x.sum()"), text.format("x.mean()")).verdicts == [Verdict.NOT_EXECUTED]


def test_lines_that_nothing_is_told_of(judge: Callable[..., Judged]) -> None:
    text = "print(1)\nx = torch.ones(3)\n{}\n"
    assert judge(text.format("x.sum()"), text.format("x.mean()")).verdicts == [Verdict.NOT_OBSERVED]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("torch.nn.init.xavier_normal_(w)", "torch.nn.init.xavier_normal_(w, 1)"),
        ("torch.nn.init.xavier_normal_(w)", "torch.nn.init.xavier_normal_((w))"),
        ("w.data.uniform_()", "w.data.uniform_(0, 1)"),
    ],
)
def test_what_is_written_over_is_observed(judge: Callable[..., Judged], old: str, new: str) -> None:
    text = "w = torch.nn.Parameter(torch.zeros(3, 2))\n{}\nprint((w * 2).tolist())\n"
    assert judge(text.format(old), text.format(new)).only.verdict is Verdict.EQUIVALENT
    lost = text + "w.data.zero_()\n"
    unread = lost.replace("print((w * 2).tolist())", "print(1)")
    assert judge(unread.format(old), unread.format(new)).only.verdict is Verdict.NOT_OBSERVED


def rewrite(code: str, line: int, numerics: Numerics) -> Finding:
    return Finding(
        code=code, name="some-rule", line=line, column=0, message="…", numerics=numerics, fixed=True
    )


EVALUATION = (
    MODEL
    + """
for _ in range(2):
    loss = model(torch.randn(4, 3)).mean()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    print('loss', model(torch.ones(2, 3)).sum().item())
"""
)


def test_eval_before_an_evaluation(judges: Bench) -> None:
    line = EVALUATION.index("with torch")
    after = EVALUATION[:line] + "model.eval()\n" + EVALUATION[line:]
    found = [rewrite("TP601", EVALUATION[:line].count("\n") + 1, Numerics.CHANGED)]
    only = judges.judge("script", EVALUATION, after, found).only
    assert only.verdict is Verdict.EXPECTED
    assert only.reason == "2 of 10 events changed (forward, print)"
    claimed_identical = [rewrite("TP601", found[0].line, Numerics.IDENTICAL)]
    only = judges.judge("script", EVALUATION, after, claimed_identical).only
    assert only.verdict is Verdict.DIFFERENT


def test_eval_before_training_is_no_evaluation(judges: Bench) -> None:
    line = EVALUATION.index("for _")
    after = EVALUATION[:line] + "model.eval()\n" + EVALUATION[line:]
    found = [rewrite("TP601", EVALUATION[:line].count("\n") + 1, Numerics.CHANGED)]
    only = judges.judge("script", EVALUATION, after, found).only
    assert only.verdict is Verdict.DIFFERENT
    assert only.difference is not None
    assert only.difference.kind in ("backward", "step")


def test_more_changes_than_expected(judges: Bench) -> None:
    line = EVALUATION.index("with torch")
    after = EVALUATION[:line].replace("lr=0.1", "lr=0.2") + "model.eval()\n" + EVALUATION[line:]
    found = [rewrite("TP601", EVALUATION[:line].count("\n") + 1, Numerics.CHANGED)]
    judged = judges.judge("script", EVALUATION, after, found)
    assert judged.verdicts == [Verdict.DIFFERENT, Verdict.EXPECTED]


def test_a_whole_model_becomes_its_state(judges: Bench) -> None:
    before = MODEL + "model(torch.ones(1, 3))\ntorch.save(model, 'model.pt')\n"
    after = before.replace("save(model,", "save(model.state_dict(),")
    found = [rewrite("TP501", before.count("\n"), Numerics.CHANGED)]
    assert judges.judge("script", before, after, found).only.verdict is Verdict.EXPECTED
    other = after.replace("model.state_dict()", "{k: v + 1 for k, v in model.state_dict().items()}")
    assert judges.judge("script", before, other, found).only.verdict is Verdict.DIFFERENT


FORWARD = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(3, 2), nn.Linear(2, 2)

    def forward(self, x):
        return self.two(self.one(x))

net = Net()
{hook}
print(net.forward(torch.ones(1, 3)).sum().item())
print({tail})
"""


def test_a_forward_that_is_called(judges: Bench) -> None:
    before = MODEL + FORWARD.format(hook="", tail="1")
    after = before.replace("net.forward(", "net(")
    assert judges.judge("script", before, after).only.verdict is Verdict.EQUIVALENT
    wrong = after.replace("self.two(self.one(x))", "self.two(self.one(x) * 2)")
    assert Verdict.DIFFERENT in judges.judge("script", before, wrong).verdicts


def test_a_forward_whose_hook_runs_now(judges: Bench) -> None:
    hook = "net.register_forward_hook(lambda module, args, output: output * 2)"
    before = MODEL + FORWARD.format(hook=hook, tail="1")
    after = before.replace("net.forward(", "net(")
    found = [rewrite("TP604", before.count("\n") - 1, Numerics.CHANGED)]
    assert judges.judge("script", before, after, found).only.verdict is Verdict.EXPECTED
    broken = after.replace("net(torch.ones(1, 3))", "net(torch.ones(1, 4))")
    assert judges.judge("script", before, broken, found).only.verdict is Verdict.BROKEN


def test_train_after_an_evaluation(judges: Bench) -> None:
    text = (
        MODEL
        + """
for epoch in range(2):
    for _ in range(2):
        loss = model(torch.randn(4, 3)).mean()
        loss.backward()
        optimizer.step()
    model.eval()
    print('loss', model(torch.ones(2, 3)).sum().item())
"""
    )
    line = text.index("    for _")
    after = text[:line] + "    model.train()\n" + text[line:]
    found = [rewrite("TP602", text[:line].count("\n") + 1, Numerics.CHANGED)]
    assert judges.judge("script", text, after, found).only.verdict is Verdict.EXPECTED


def test_what_follows_an_expected_event_is_compared(judges: Bench) -> None:
    """An event too many ends a comparison; the others are still looked at."""
    before = MODEL + "x = torch.ones(1, 3)\nmodel[0].weight.sum()\nprint(x.sum().item())\n"
    after = before.replace("model[0].weight.sum()", "model(x)")
    found = [rewrite("TP604", before.count("\n") - 1, Numerics.CHANGED)]
    assert judges.judge("script", before, after, found).only.verdict is Verdict.EXPECTED
    wrong = after.replace("model(x)", "model(x); torch.save(x, 'x')")
    moved = [rewrite("TP601", before.count("\n") - 1, Numerics.CHANGED)]
    assert judges.judge("script", before, wrong, moved).only.verdict is Verdict.DIFFERENT


def test_each_on_its_own(judges: Bench) -> None:
    """Two rewrites that undo each other are right together, and wrong alone."""
    before = "import torch\ndef f(x):\n    y = x * 2\n    z = 1\n    return y / 2\nprint(f(torch.ones(3)))\n"
    after = before.replace("x * 2", "x * 4").replace("y / 2", "y / 4")
    together = judges.judge("script", before, after)
    assert together.verdicts == [Verdict.EQUIVALENT] * 2
    alone = judges.judge("script", before, after, options=VerifyOptions(each=True))
    assert alone.verdicts == [Verdict.DIFFERENT] * 2


def test_the_operation_is_named(judges: Bench) -> None:
    before = MODEL + "x = model[0](torch.ones(2, 3))\ny = x.sum()\nprint(y.item())\n"
    after = before.replace("x.sum()", "x.prod()")
    only = judges.judge("script", before, after, explains=True).only
    assert only.operation == "sum became prod at script.py:7"
    assert only.difference is not None
    assert only.difference.kind == "print"
    assert only.difference.before is not None and only.difference.before["at"] == "script.py:8"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("nn.NLLLoss2d()(x, y)", "nn.NLLLoss()(x, y)"),
        (
            "nn.UpsamplingBilinear2d(scale_factor=2)(x)",
            "nn.Upsample(scale_factor=2, mode='bilinear', align_corners=True)(x)",
        ),
        ("F.upsample(x, scale_factor=2)", "F.interpolate(x, scale_factor=2)"),
    ],
)
def test_other_names_for_the_same(judge: Callable[..., Judged], before: str, after: str) -> None:
    head = (
        "import torch.nn.functional as F\n"
        "x, y = torch.randn(1, 2, 3, 3), torch.zeros(1, 3, 3).long()\n"
    )
    print_of = "print({}.sum())\n"
    same = judge(head + print_of.format(before), head + print_of.format(after))
    assert same.only.verdict is Verdict.EQUIVALENT
    other = judge(head + print_of.format(before), head + print_of.format(f"2 * {after}"))
    assert other.only.verdict is Verdict.DIFFERENT
