from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps
from torchfix_codemods.rules import select

TEXT = """
import torch
import torch.multiprocessing as mp
def train(rank, model):
    torch.manual_seed(rank)
    model(torch.randn(2, 3))
processes = []
for rank in range(4):
    p = mp.Process(target=train, args=(rank, model))
    p.start()
"""

POOL = """
import multiprocessing
import torch
def work(x):
    return torch.ones(3) * x
with multiprocessing.Pool(4) as pool:
    results = pool.map(work, range(8))
"""

QUIET = {
    "threads are limited": TEXT.replace("torch.manual_seed(rank)", "torch.set_num_threads(1)"),
    "threads are limited by the environment": TEXT.replace(
        "processes = []", 'os.environ["OMP_NUM_THREADS"] = "1"'
    ),
    "one process": TEXT.replace("for rank in range(4):", "if parallel:"),
    "nothing of torch": TEXT.replace("torch.manual_seed(rank)", "log(rank)").replace(
        "model(torch.randn(2, 3))", "download(rank)"
    ),
    "function of another file": TEXT.replace("target=train", "target=worker.train"),
    "user's process": TEXT.replace("import torch.multiprocessing as mp", "import mp"),
    "pool of one": POOL.replace("Pool(4)", "Pool(1)"),
    "one process in a function that is called often": TEXT.replace(
        "for rank in range(4):\n    p = mp", "def start(rank):\n    p = mp"
    ),
    "process without a function": TEXT.replace("target=train, ", ""),
    "pool without a name": POOL.replace("with multiprocessing.Pool(4) as pool:", "if parallel:"),
    "pool that is handed on": POOL.replace(
        "with multiprocessing.Pool(4) as pool:", "with multiprocessing.Pool(4) as (pool, a):"
    ),
    "pool of another name": POOL.replace("pool.map(work", "other.map(work"),
    "pool that maps nothing": POOL.replace("pool.map(work, range(8))", "pool.map()"),
    "pool that maps something else": POOL.replace("pool.map(work", "pool.map(read"),
}

test_keeps = keeps("TP806", {"processes": TEXT, "pool": POOL, **QUIET})


@pytest.mark.parametrize("name", QUIET)
def test_says_nothing(name: str) -> None:
    assert QUIET[name] not in (TEXT, POOL)
    assert not advice("TP806", QUIET[name])


ASSIGNED = POOL.replace(
    "with multiprocessing.Pool(4) as pool:", "pool = multiprocessing.Pool()\nif a:"
)
IN_A_LIST = TEXT.replace("for rank in range(4):\n    p = ", "ps = [").replace(
    "model))\n    p.start()", "model)) for rank in range(4)]"
)
BY_A_MODEL = (
    TEXT.replace("    torch.manual_seed(rank)\n", "    nn.Linear(2, 2)(rank)\n")
    .replace("torch.randn(2, 3)", "rank")
    .replace("import torch\n", "import torch.nn as nn\n", 1)
)


@pytest.mark.parametrize(
    ("text", "function", "line"),
    [
        (TEXT, "train", 3),
        (POOL, "work", 3),
        (POOL.replace("Pool(4)", "Pool(processes=k)"), "work", 3),
        (ASSIGNED, "work", 3),
        (IN_A_LIST, "train", 3),
        (BY_A_MODEL, "train", 3),
    ],
)
def test_advice(text: str, function: str, line: int) -> None:
    (found,) = advice("TP806", text)
    assert f"as the first line of {function} (line {line})" in found.message


def test_is_off_unless_asked_for() -> None:
    assert [rule.name for rule in select(["multiprocessing-threads"])]
    assert "multiprocessing-threads" not in {rule.name for rule in select([])}
