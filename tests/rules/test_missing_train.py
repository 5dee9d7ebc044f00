from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

_HEAD = """
import torch, torch.nn as nn, torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.drop = nn.Dropout(0.5)
    def forward(self, x):
        return self.drop(self.fc(x))
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""


def _program(code: str, head: str = _HEAD) -> str:
    return head + textwrap.dedent(code)


_TEST = """
def test():
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            print(model(x))
"""

_TRAIN = """
def train():
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
"""

_EPOCHS = """
for epoch in range(3):
    train()
    test()
"""

test_rewrites = rewrites(
    "TP602",
    {
        "functions": (
            _program(_TRAIN + _TEST + _EPOCHS),
            _program(
                _TRAIN.replace("def train():\n", "def train():\n    model.train()\n")
                + _TEST
                + _EPOCHS
            ),
        ),
        "after the docstring": (
            _program(
                _TRAIN.replace("def train():", 'def train():\n    """One epoch."""')
                + _TEST
                + _EPOCHS
            ),
            _program(
                _TRAIN.replace(
                    "def train():", 'def train():\n    """One epoch."""\n    model.train()'
                )
                + _TEST
                + _EPOCHS
            ),
        ),
        "train() only before the first epoch": (
            _program(_TRAIN + _TEST + "model.train()\n" + _EPOCHS),
            _program(
                _TRAIN.replace("def train():\n", "def train():\n    model.train()\n")
                + _TEST
                + "model.train()\n"
                + _EPOCHS
            ),
        ),
        "loops in one place": (
            _program(
                """
                for epoch in range(3):
                    print(epoch)
                    for x, y in loader:
                        F.cross_entropy(model(x), y).backward()
                        optimizer.step()
                    model.train(False)
                    for x, y in test_loader:
                        print(model(x))
                """
            ),
            _program(
                """
                for epoch in range(3):
                    model.train()
                    print(epoch)
                    for x, y in loader:
                        F.cross_entropy(model(x), y).backward()
                        optimizer.step()
                    model.train(False)
                    for x, y in test_loader:
                        print(model(x))
                """
            ),
        ),
        "parameter of the functions": (
            """
            import torch
            def train(net, optimizer, loader):
                for x, y in loader:
                    net(x).sum().backward()
                    optimizer.step()
            def validate(net, loader):
                net.eval()
                for x, y in loader:
                    print(net(x))
            def main(model):
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                for epoch in range(3):
                    train(model, optimizer, loader)
                    validate(model, loader)
            """,
            """
            import torch
            def train(net, optimizer, loader):
                net.train()
                for x, y in loader:
                    net(x).sum().backward()
                    optimizer.step()
            def validate(net, loader):
                net.eval()
                for x, y in loader:
                    print(net(x))
            def main(model):
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                for epoch in range(3):
                    train(model, optimizer, loader)
                    validate(model, loader)
            """,
        ),
        "methods of a trainer": (
            """
            import torch
            class Trainer:
                def __init__(self, model):
                    self.model = model
                    self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                def epoch(self):
                    for x, y in self.loader:
                        self.model(x).sum().backward()
                        self.optimizer.step()
                def validate(self):
                    self.model.eval()
                    for x, y in self.loader:
                        print(self.model(x))
                def fit(self):
                    for i in range(3):
                        self.epoch()
                        self.validate()
            """,
            """
            import torch
            class Trainer:
                def __init__(self, model):
                    self.model = model
                    self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                def epoch(self):
                    self.model.train()
                    for x, y in self.loader:
                        self.model(x).sum().backward()
                        self.optimizer.step()
                def validate(self):
                    self.model.eval()
                    for x, y in self.loader:
                        print(self.model(x))
                def fit(self):
                    for i in range(3):
                        self.epoch()
                        self.validate()
            """,
        ),
    },
)

_KEPT = {
    "train() at the start of the function": _TRAIN.replace(
        "def train():\n", "def train():\n    model.train()\n"
    )
    + _TEST
    + _EPOCHS,
    "train() in the epoch": _TRAIN + _TEST + "for i in range(3):\n    model.train()\n    train()\n"
    "    test()\n",
    "train() restored by the test": _TRAIN + _TEST + "    model.train()\n" + _EPOCHS,
    "train(flag)": _TRAIN + _TEST + "def mode(on):\n    model.train(on)\nfor i in range(3):\n"
    "    mode(True)\n    train()\n    test()\n",
    "train() restored by a test between two batches": "def reward(x):\n    model.eval()\n"
    "    r = model(x)\n    model.train()\n    return r\n"
    "for x, y in loader:\n    out = model(x)\n    (out - reward(x)).sum().backward()\n"
    "    optimizer.step()\n",
    "test after all epochs": _TRAIN + _TEST + "for i in range(3):\n    train()\ntest()\n",
    "trained in evaluation mode on purpose": _TRAIN.replace(
        "def train():\n", "def train():\n    model.eval()\n"
    )
    + "for i in range(3):\n    train()\n",
    "frozen statistics": _TRAIN + _TEST + "for m in model.modules():\n"
    "    if isinstance(m, nn.BatchNorm2d):\n        m.eval()\n" + _EPOCHS,
    "part of the model": _TRAIN + _TEST + "model.fc.eval()\n" + _EPOCHS,
    "another name for the model": _TRAIN + _TEST + "net = model\nnet.train()\n" + _EPOCHS,
    "eval of python": _TRAIN + "for i in range(3):\n    train()\n    eval('model')\n",
    "no training": _TEST + "for i in range(3):\n    test()\n",
    "suppressed": _TRAIN.replace("in loader:", "in loader:  # noqa: TP602") + _TEST + _EPOCHS,
}

test_keeps = keeps("TP602", {name: _program(code) for name, code in _KEPT.items()})

test_keeps_without_mode_layers = keeps(
    "TP602",
    {
        "no layer knows a mode": _program(
            _TRAIN + _TEST + _EPOCHS, _HEAD.replace("nn.Dropout(0.5)", "nn.ReLU()")
        ),
        "more results in training": _program(
            _TRAIN + _TEST + _EPOCHS,
            _HEAD.replace(
                "        return",
                "        if self.training:\n            return x, x\n        return",
            ),
        ),
    },
)


def test_says_nothing_where_a_test_between_two_batches_restores_the_mode() -> None:
    restored = _KEPT["train() restored by a test between two batches"]
    assert advice("TP602", _program(restored)) == []


def test_evaluation_between_two_batches() -> None:
    findings = advice(
        "TP602",
        _program(
            """
            for x, y in loader:
                F.cross_entropy(model(x), y).backward()
                optimizer.step()
                model.eval()
                print(model(x))
            """
        ),
    )
    assert [f.line for f in findings] == [15]
    assert findings[0].message == (
        "training goes on with model in evaluation mode after this: call model.train() again"
    )


def _below(*lines: str) -> str:
    head = "".join(f"    {line}\n" for line in lines)
    return _program(_TRAIN.replace("def train():\n", f"def train():\n{head}") + _TEST + _EPOCHS)


def test_a_comment_stays_with_the_lines_that_it_is_about() -> None:
    doc, comments, lines = '"""Once."""', ["# what is counted,", "# and kept"], ["n = m = 0"]
    for above in ([], [doc], [doc, ""]):
        after = migrate(_below(*above, *comments, *lines), "TP602").text
        assert after == _below(*above, "model.train()", *comments, *lines)


def test_a_comment_that_heads_what_follows_stays_above() -> None:
    doc, heading = '"""Once."""', "# the training itself"
    after = migrate(_below(doc, heading, "n = 0"), "TP602").text
    assert after == _below(doc, heading, "model.train()", "n = 0")
    after = migrate(_below(doc, "# all batches"), "TP602").text
    assert after == _below(doc, "# all batches", "model.train()")


def test_the_end_of_a_docstring_is_no_comment() -> None:
    doc = ['"""Once.', '# or twice"""']
    after = migrate(_below(*doc, "n = 0"), "TP602").text
    assert after == _below(*doc, "model.train()", "n = 0")


_ATTACK = """
def attack(x, y, steps):
    model.eval()
    clean = F.softmax(model(x), dim=1)
    delta = torch.zeros(x.shape, requires_grad=True)
    ascent = torch.optim.SGD({optimized}, lr=0.1)
    for _ in range(steps):
        ascent.zero_grad()
        F.kl_div(F.log_softmax(model(x + delta), dim=1), clean).backward()
        ascent.step()
    model.train()
    optimizer.zero_grad()
    return F.cross_entropy(model(x + delta.detach()), y)
"""


def test_an_optimizer_of_the_input_trains_no_model() -> None:
    text = _program(_ATTACK.format(optimized="[delta]"))
    migration = migrate(text, "TP602")
    assert migration.text == text
    assert not migration.findings
    assert migrate(_program(_ATTACK.format(optimized="model.parameters()")), "TP602").findings


def test_evaluation_that_puts_the_mode_back() -> None:
    text = _program(
        """
        def validate():
            training = model.training
            model.eval()
            for x, y in loader:
                print(model(x))
            if training:
                model.train()
        for x, y in loader:
            validate()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        """
    )
    assert not migrate(text, "TP602").findings
    assert advice("TP602", text.replace("        model.train()", "        pass"))


_LAST = """
for epoch in range(3):
    {head}
    for i, (x, y) in {walked}:
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        if {test}:
            model.eval()
            print(model(x)){end}
"""
_COUNTED = "enumerate(loader)"
_HEADED = "model.train()"


@pytest.mark.parametrize(
    ("walked", "test", "end"),
    [
        (_COUNTED, "i + 1 >= len(loader)", ""),
        (_COUNTED, "i == len(loader) - 1", ""),
        (_COUNTED, "len(loader) == i + 1", ""),
        (_COUNTED, "epoch % 2 == 0 and i > len(loader) - 2", ""),
        ("enumerate(loader, 1)", "i == len(loader)", ""),
        (_COUNTED, "i > 100", "\n            break"),
    ],
)
def test_what_runs_in_the_last_round_only_leaves_no_batch_in_evaluation_mode(
    walked: str, test: str, end: str
) -> None:
    text = _program(_LAST.format(walked=walked, test=test, end=end, head=_HEADED))
    assert not advice("TP602", text)
    # Where no epoch begins with train(), the next one is trained so.
    found = advice("TP602", text.replace(_HEADED, "print(epoch)"))
    assert [f.line for f in found] == [18]


@pytest.mark.parametrize(
    ("walked", "test", "end"),
    [
        (_COUNTED, "i % 100 == 0", ""),
        (_COUNTED, "i + 2 >= len(loader)", ""),
        (_COUNTED, "i < len(loader)", ""),
        (_COUNTED, "i == len(other) - 1", ""),
        (_COUNTED, "i + 1 >= len(loader) or i == 3", ""),
        ("enumerate(loader, 1)", "i >= len(loader) - 1", ""),
        (_COUNTED, "i > 100", "\n            continue"),
    ],
)
def test_what_runs_in_other_rounds_too_is_told_where_it_stands(
    walked: str, test: str, end: str
) -> None:
    text = _program(
        "model.eval()\n" + _LAST.format(walked=walked, test=test, end=end, head=_HEADED)
    )
    assert [f.line for f in advice("TP602", text)] == [19]


def test_train_in_a_function_that_each_round_begins_with() -> None:
    text = _program(
        "def begin():\n    model.train()\n"
        + _LAST.format(walked=_COUNTED, test="i + 1 == len(loader)", end="", head="begin()")
    )
    assert not advice("TP602", text)
