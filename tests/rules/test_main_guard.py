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
