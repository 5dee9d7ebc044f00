from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

SCRIPT = """
import torch.utils.data as Data
loader = Data.DataLoader(data, batch_size=5, num_workers=2)
for epoch in range(3):
    for step, (x, y) in enumerate(loader):
        train(x, y)
"""

FUNCTION = """
from torch.utils.data import DataLoader
def train(epochs):
    loader = DataLoader(data, num_workers=4)
    for epoch in range(epochs):
        for batch in tqdm(loader):
            step(batch)
def main():
    train(3)
main()
"""

QUIET = {
    "guarded": SCRIPT + 'if __name__ == "__main__":\n    pass\n',
    "no workers": SCRIPT.replace("num_workers=2", "num_workers=0"),
    "not a literal": SCRIPT.replace("num_workers=2", "num_workers=args.workers"),
    "no loop": SCRIPT.replace("enumerate(loader)", "enumerate(batches)"),
    "not called": FUNCTION.replace("\nmain()", ""),
    "called from a function only": FUNCTION.replace("\nmain()", "\ndef run():\n    main()"),
    "user's loader": SCRIPT.replace("Data.DataLoader", "mine.DataLoader"),
    "loader that a function gets": FUNCTION.replace("loader = Data", "other = Data")
    .replace("train(epochs)", "train(epochs, loader=None)")
    .replace("loader = DataLoader", "other = DataLoader"),
}

test_keeps = keeps("TP804", {"script": SCRIPT, "function": FUNCTION, **QUIET})


@pytest.mark.parametrize("name", QUIET)
def test_says_nothing(name: str) -> None:
    assert QUIET[name] not in (SCRIPT, FUNCTION)
    assert not advice("TP804", QUIET[name])


@pytest.mark.parametrize(("text", "line", "loop"), [(SCRIPT, 2, 3), (FUNCTION, 3, 9)])
def test_advice(text: str, line: int, loop: int) -> None:
    (found,) = advice("TP804", text)
    assert found.line == line
    assert found.message.endswith(
        f'put what runs from line {loop} on under if __name__ == "__main__":'
    )


def test_advice_is_given_once() -> None:
    second = "test = Data.DataLoader(data, num_workers=2)\nfor x in test:\n    pass\n"
    assert len(advice("TP804", SCRIPT + second)) == 1


_ALL = "put all that it runs, apart from imports and definitions, under if"


@pytest.mark.parametrize(
    "above",
    [
        "from mine import warm_up\nwarm_up()\n",
        "import mine\nresult = mine.train(3)\n",
        "trainer.fit()\n",
        "loader = Data.DataLoader(data, num_workers=count)\nfirst = next(iter(loader))\n",
        "other = Data.DataLoader(data, num_workers=count)\nfor x in other:\n    print(x)\n",
        "def run(batches):\n    return [b for b in batches]\nif quick:\n    run(mine)\n",
        "class Trainer:\n    def __init__(self):\n        warm_up()\nTrainer()\n",
        "for x in batches:\n    print(x)\n",
        "import runpy\nrunpy.run_path('train.py')\n",
        "def deep():\n    warm_up()\ndef run():\n    deep()\nrun()\n",
        "total = sum(batches)\n",
    ],
)
def test_a_statement_above_may_start_workers_as_well(above: str) -> None:
    head, rest = SCRIPT.split("\n", 2)[1:]
    (found,) = advice("TP804", f"{head}\n{above}{rest}")
    assert _ALL in found.message


@pytest.mark.parametrize(
    "above",
    [
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--n')\n"
        "args = parser.parse_args()\n",
        "import torch\ntorch.manual_seed(1)\nnet = torch.nn.Linear(2, 1).cuda()\n",
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
        "        super(Net, self).__init__()\n        self.a = torch.nn.Linear(2, 1)\nnet = Net()\n",
        "import torch\nnet = torch.nn.Linear(2, 1)\nnet.train()\n"
        "optimizer = torch.optim.SGD(net.parameters(), lr=1)\n",
        "def run():\n    warm_up()\n",
        "def count():\n    return 3\nn = count()\n",
        "for n in range(3):\n    print(n)\n",
        "other = Data.DataLoader(data, num_workers=n)\nprint(len(other))\n",
    ],
)
def test_of_other_statements_above_it_is_certain_that_they_start_none(above: str) -> None:
    head, rest = SCRIPT.split("\n", 2)[1:]
    (found,) = advice("TP804", f"{head}\n{above}{rest}")
    line = 3 + above.count("\n")
    assert f"put what runs from line {line} on under if" in found.message
