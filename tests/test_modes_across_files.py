"""Models that one file of a project trains or evaluates for another one."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
import torch

from torchfix_codemods.runs.runner import migrate_file, migrate_files
from torchfix_codemods.settings.config import Settings

NET = """
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.drop = nn.Dropout(0.5)
    def forward(self, x):
        return self.drop(self.fc(x))
"""
TRAINING = """
import torch.nn.functional as F
def train(loader, net, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
"""
EVALUATION = """
import torch
def evaluate(net, loader):
    with torch.no_grad():
        for x, y in loader:
            print(net(x))
"""
EVALUATION_IN_EVAL = EVALUATION.replace("loader):\n    with", "loader):\n    net.eval()\n    with")
MAIN = """
import torch
from net import Net
from training import train
from evaluation import evaluate

def main():
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        train(loader, model, optimizer)
        evaluate(model, loader)

main()
"""
EPOCH = """
        train(loader, model, optimizer)
        evaluate(model, loader)
"""


def after(root: Path, code: str, main: str, **others: str) -> str:
    (root / ".git").mkdir(exist_ok=True)
    files = {"net": NET, "training": TRAINING, "evaluation": EVALUATION, **others}
    for name, text in files.items():
        (root / f"{name}.py").write_text(text.lstrip("\n"))
    path = root / "main.py"
    path.write_text(main.lstrip("\n"))
    found = migrate_file(path, Settings(select=(code,)), write=True)
    assert not found.errors
    again = migrate_file(path, Settings(select=(code,)), write=True)
    assert again.after is None
    return "\n" + path.read_text()


def test_eval_and_train_where_both_functions_are_called(tmp_path: Path) -> None:
    assert after(tmp_path, "TP601", MAIN) == MAIN.replace(
        EPOCH,
        """
        model.train()
        train(loader, model, optimizer)
        model.eval()
        evaluate(model, loader)
""",
    )


def test_train_after_an_evaluation_of_another_file(tmp_path: Path) -> None:
    found = after(tmp_path, "TP602", MAIN, evaluation=EVALUATION_IN_EVAL)
    assert found == MAIN.replace(
        EPOCH,
        """
        model.train()
        train(loader, model, optimizer)
        evaluate(model, loader)
""",
    )


def test_model_whose_class_is_in_another_file(tmp_path: Path) -> None:
    main = """
import torch
import net

model = net.Net()
with torch.no_grad():
    print(model(1))
"""
    assert after(tmp_path, "TP601", main) == main.replace("with", "model.eval()\nwith")


_RUN = """
import torch
from net import Net
from training import train
from evaluation import evaluate

torch.manual_seed(2)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
pictures, labels = torch.rand(8, 4), torch.tensor([0, 1, 1, 0, 1, 0, 0, 1])
loader = [(pictures[:4], labels[:4]), (pictures[4:], labels[4:])]
scores = []
for epoch in range(3):
    train(loader, model, optimizer)
    scores.append(evaluate(model, loader))
"""
_NORMED = NET.replace("nn.Dropout(0.5)", "nn.BatchNorm1d(2)")
_SCORES = """
import torch
def evaluate(net, loader):
    with torch.no_grad():
        return torch.stack([net(x).sum() for x, y in loader])
"""


@pytest.mark.parametrize("code", ["TP601", "TP602"])
def test_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    def scores(main: str) -> torch.Tensor:
        for name in ("net", "training", "evaluation"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / "run.py").write_text(main)
        return torch.stack(runpy.run_path(str(tmp_path / "run.py"))["scores"])

    is_evaluated = code == "TP602"
    evaluation = (
        _SCORES.replace("    with", "    net.eval()\n    with") if is_evaluated else _SCORES
    )
    found = after(tmp_path, code, _RUN, net=_NORMED, evaluation=evaluation)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = scores(_RUN)
    right = _RUN.replace(
        "    train(", "    for m in model.modules(): m.training = True\n    train("
    )
    right = right.replace(
        "    scores", "    for m in model.modules(): m.training = False\n    scores"
    )
    assert torch.equal(scores(found), scores(right))
    assert not torch.equal(scores(found), before)


def test_functions_of_an_imported_module(tmp_path: Path) -> None:
    main = MAIN.replace("from evaluation import evaluate", "import evaluation as e")
    main = main.replace("evaluate(model", "score = e.evaluate(loader=loader, net=model").replace(
        "net=model, loader)", "net=model)"
    )
    found = after(tmp_path, "TP602", main, evaluation=EVALUATION_IN_EVAL)
    assert "        model.train()\n        train(loader, model, optimizer)\n" in found


def test_training_in_this_file(tmp_path: Path) -> None:
    main = MAIN.replace(
        "        train(loader, model, optimizer)\n",
        "        for x, y in loader:\n"
        "            model(x).sum().backward()\n"
        "            optimizer.step()\n",
    )
    found = after(tmp_path, "TP602", main, evaluation=EVALUATION_IN_EVAL)
    assert "        model.train()\n        for x, y in loader:\n" in found


def test_evaluation_in_this_file(tmp_path: Path) -> None:
    main = MAIN.replace("from evaluation import evaluate\n", EVALUATION_IN_EVAL)
    found = after(tmp_path, "TP602", main)
    assert "        model.train()\n        train(loader, model, optimizer)\n" in found


def test_functions_that_call_functions_of_other_files(tmp_path: Path) -> None:
    between = (
        "import evaluation\n\ndef validate(model, data):\n    evaluation.evaluate(model, data)\n"
    )
    main = MAIN.replace("from evaluation import", "from between import validate as")
    others = {"between": between, "evaluation": EVALUATION_IN_EVAL}
    found = after(tmp_path, "TP602", main, **others)
    assert "        model.train()\n        train(loader, model, optimizer)\n" in found


_IN_EVAL = {"evaluation": EVALUATION_IN_EVAL}
_IN_TRAIN = TRAINING.replace("    for x", "    net.train()\n    for x")

TRAIN_KEPT = {
    "train() in the training function": (MAIN, {**_IN_EVAL, "training": _IN_TRAIN}),
    "train() in the caller": (
        MAIN.replace("        train(", "        model.train()\n        train("),
        _IN_EVAL,
    ),
    "train() restored by the evaluation": (
        MAIN,
        {"evaluation": EVALUATION_IN_EVAL + "    net.train()\n"},
    ),
    "mode put back as it was": (
        MAIN,
        {"evaluation": EVALUATION_IN_EVAL + "    net.train(was_training)\n"},
    ),
    "evaluated after all epochs": (
        MAIN.replace("        evaluate(", "    evaluate("),
        _IN_EVAL,
    ),
    "trained in evaluation mode on purpose": (
        MAIN.replace("        evaluate(model, loader)\n", ""),
        {"training": TRAINING.replace("    for x", "    net.eval()\n    for x")},
    ),
    "single layers kept in evaluation mode": (
        MAIN,
        {
            **_IN_EVAL,
            "training": TRAINING.replace(
                "    for x", "    for m in net.modules():\n        m.eval()\n    for x"
            ),
        },
    ),
    "no layer knows a mode": (
        MAIN,
        {**_IN_EVAL, "net": NET.replace("nn.Dropout(0.5)", "nn.ReLU()")},
    ),
    "model that sets modes itself": (
        MAIN,
        {**_IN_EVAL, "net": NET.replace("(0.5)", "(0.5)\n        self.fc.eval()")},
    ),
    "method of the model that sets the mode": (
        MAIN.replace("        train(", "        model.learning()\n        train("),
        {
            **_IN_EVAL,
            "net": NET + "    def learning(self):\n        self.train()\n",
        },
    ),
    "helper of a third file sets the mode": (
        MAIN.replace("        train(", "        start(model)\n        train(").replace(
            "def main", "from third import start\ndef main"
        ),
        {**_IN_EVAL, "third": "def start(net):\n    net.train()\n"},
    ),
    "helper that nobody knows": (
        MAIN.replace("        train(", "        start(model)\n        train(").replace(
            "def main", "from nowhere import start\ndef main"
        ),
        _IN_EVAL,
    ),
    "object that holds the model": (
        MAIN.replace("    for epoch", "    modes = Modes(model)\n    for epoch")
        .replace("        train(", "        modes.restore()\n        train(")
        .replace("def main", "from third import Modes\ndef main"),
        {
            **_IN_EVAL,
            "third": "class Modes:\n    def __init__(self, net):\n        self.net = net\n"
            "    def restore(self):\n        self.net.train()\n",
        },
    ),
    "object out of sight that holds the model": (
        MAIN.replace("    for epoch", "    modes = Modes(model)\n    for epoch")
        .replace("        train(", "        modes.restore()\n        train(")
        .replace("def main", "from nowhere import Modes\ndef main"),
        _IN_EVAL,
    ),
    "method of a model that nobody knows": (
        MAIN.replace("        train(", "        model.learning()\n        train(").replace(
            "from net", "from nowhere"
        ),
        _IN_EVAL,
    ),
    "other model": (
        MAIN.replace("        evaluate(model", "        evaluate(teacher").replace(
            "    optimizer", "    teacher = Net()\n    optimizer", 1
        ),
        _IN_EVAL,
    ),
    "arguments that cannot be told apart": (
        MAIN.replace("evaluate(model, loader)", "evaluate(*arguments)"),
        _IN_EVAL,
    ),
    "wrapped function": (
        MAIN,
        {"evaluation": EVALUATION_IN_EVAL.replace("def", "@restoring\ndef")},
    ),
    "training in a condition": (
        MAIN.replace("        train(", "        if train(").replace(
            "optimizer)", "optimizer): pass"
        ),
        _IN_EVAL,
    ),
}


@pytest.mark.parametrize(("main", "others"), TRAIN_KEPT.values(), ids=TRAIN_KEPT)
def test_keeps_training(tmp_path: Path, main: str, others: dict[str, str]) -> None:
    assert after(tmp_path, "TP602", main, **others) == main


_SAMPLES = """
import torch
def evaluate(net, loader):
    with torch.no_grad():
        return torch.stack([net(loader) for _ in range(50)])
"""

EVAL_KEPT = {
    "eval() in the function": (MAIN, _IN_EVAL),
    "eval() in the caller": (
        MAIN.replace("        evaluate(", "        model.eval()\n        evaluate("),
        {},
    ),
    "eval() in a function between": (
        MAIN.replace("evaluation import", "between import"),
        {
            "between": "import evaluation\ndef evaluate(net, loader):\n"
            "    net.eval()\n    evaluation.evaluate(net, loader)\n"
        },
    ),
    "eval() by a third file": (
        MAIN.replace("        evaluate(", "        stop(model)\n        evaluate(").replace(
            "def main", "from third import stop\ndef main"
        ),
        {"third": "def stop(net):\n    net.eval()\n"},
    ),
    "helper that nobody knows": (
        MAIN.replace("        evaluate(", "        stop(model)\n        evaluate(").replace(
            "def main", "from nowhere import stop\ndef main"
        ),
        {},
    ),
    "dropout that is meant to sample": (MAIN, {"evaluation": _SAMPLES}),
    "training mode asked for": (
        MAIN,
        {"evaluation": EVALUATION.replace("    with", "    net.drop.train()\n    with")},
    ),
    "statistics of the data are wanted": (
        MAIN,
        {"evaluation": EVALUATION.replace("print(net(x))", "net(x)")},
    ),
    "graph that may be wanted": (
        MAIN,
        {"evaluation": "def evaluate(net, loader):\n    return net(loader)\n"},
    ),
    "two optimizers, one in the other file": (
        MAIN,
        {
            "training": TRAINING.replace(
                "    for x",
                "    again = torch.optim.SGD(net.parameters(), lr=1)\n    for x",
            ).replace("import", "import torch\nimport", 1)
        },
    ),
    "sample inside of the training loop": (
        MAIN.replace(
            "        train(loader, model, optimizer)\n        evaluate(model, loader)\n",
            "        model(1).sum().backward()\n        optimizer.step()\n"
            "        evaluate(model, loader)\n",
        ),
        {},
    ),
    "no layer knows a mode": (MAIN, {"net": NET.replace("nn.Dropout(0.5)", "nn.ReLU()")}),
    "class that cannot be read": (MAIN, {"net": NET.replace("nn.Dropout", "layers.Dropout")}),
    "model that sets its own mode": (
        MAIN,
        {"net": NET.replace("(0.5)", "(0.5)\n        self.eval()")},
    ),
    "function that its own file calls as well": (
        MAIN,
        {
            "evaluation": EVALUATION
            + "if __name__ == '__main__':\n    own = load()\n    evaluate(own, data)\n"
        },
    ),
    "condition": (
        MAIN.replace("        evaluate(model, loader)", "        if evaluate(model, loader): pass"),
        {},
    ),
}


@pytest.mark.parametrize(("main", "others"), EVAL_KEPT.values(), ids=EVAL_KEPT)
def test_keeps_evaluation(tmp_path: Path, main: str, others: dict[str, str]) -> None:
    assert after(tmp_path, "TP601", main, **others) == main


def test_function_that_other_files_call_as_well_is_left_to_them(tmp_path: Path) -> None:
    main = EVALUATION + NET + "model = Net()\nevaluate(model, loader)\n"
    assert "net.eval()" in after(tmp_path, "TP601", main)
    assert after(tmp_path, "TP601", main, caller="from main import evaluate\n") == main


TRAINER = """
import torch
import torch.nn.functional as F

class Trainer:
    def __init__(self, model, loader):
        self.model = model
        self.loader = loader
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train_epoch(self):
        for x, y in self.loader:
            self.optimizer.zero_grad()
            F.cross_entropy(self.model(x), y).backward()
            self.optimizer.step()

    def validate(self):
        self.model.eval()
        with torch.no_grad():
            for x, y in self.loader:
                print(self.model(x))
"""
USER = """
from main import Trainer
from net import Net

model = Net()
trainer = Trainer(model, loader)
for epoch in range(3):
    trainer.train_epoch()
    trainer.validate()
"""


@pytest.mark.parametrize(
    "user",
    [
        USER,
        USER.replace("from main import Trainer", "import main").replace(
            "Trainer(", "main.Trainer("
        ),
        "def run():" + USER.replace("\n", "\n    ") + "\nrun()\n",
    ],
)
def test_methods_that_another_file_calls(tmp_path: Path, user: str) -> None:
    expected = TRAINER.replace(
        "train_epoch(self):\n", "train_epoch(self):\n        self.model.train()\n"
    )
    assert after(tmp_path, "TP602", TRAINER, user=user) == expected


def test_methods_that_are_called_as_those_of_models(tmp_path: Path) -> None:
    main = TRAINER.replace("train_epoch(self)", "train(self)").replace(
        "validate(self)", "eval(self)"
    )
    user = USER.replace("train_epoch(", "train(").replace("validate(", "eval(")
    expected = main.replace("train(self):\n", "train(self):\n        self.model.train()\n")
    assert after(tmp_path, "TP602", main, user=user) == expected


TRAINER_KEPT = {
    "nobody calls them": (TRAINER, ""),
    "validated after all epochs": (
        TRAINER,
        USER.replace("    trainer.validate()", "trainer.validate()"),
    ),
    "train() in the method": (
        TRAINER.replace("        for x", "        self.model.train()\n        for x", 1),
        USER,
    ),
    "train() restored by the method": (
        TRAINER + "        self.model.train()\n",
        USER,
    ),
    "train() by the other file": (
        TRAINER,
        USER.replace("    trainer.train_", "    model.train()\n    trainer.train_"),
    ),
    "train() on the attribute by the other file": (
        TRAINER,
        USER.replace("    trainer.train_", "    trainer.model.train()\n    trainer.train_"),
    ),
    "somebody else gets the model": (
        TRAINER,
        USER.replace("trainer = ", "modes = Modes(model)\ntrainer = ").replace(
            "    trainer.train_", "    modes.restore()\n    trainer.train_"
        ),
    ),
    "train() by another name": (
        TRAINER,
        USER.replace("    trainer.train_", "    net.train()\n    trainer.train_").replace(
            "trainer = ", "net = model\ntrainer = "
        ),
    ),
    "something holds the trainer's model": (
        TRAINER,
        USER.replace("for epoch", "modes = Modes(trainer.model)\nfor epoch").replace(
            "    trainer.train_", "    modes.restore()\n    trainer.train_"
        ),
    ),
    "somebody else gets the trainer's model": (
        TRAINER,
        USER.replace("    trainer.train_", "    restore(trainer.model)\n    trainer.train_"),
    ),
    "a third file sets the mode": (
        TRAINER,
        USER.replace("    trainer.train_", "    restore(model)\n    trainer.train_").replace(
            "from net", "from third import restore\nfrom net"
        ),
    ),
    "a class of the same name": (TRAINER, USER.replace("from main", "from elsewhere")),
    "a class below it that trains": (
        TRAINER,
        USER.replace("Trainer(model", "Own(model").replace(
            "model = ",
            "class Own(Trainer):\n    def train_epoch(self):\n        self.model.train()\n"
            "        super().train_epoch()\n\nmodel = ",
        ),
    ),
    "trained batch by batch": (
        TRAINER.replace(
            "        for x, y in self.loader:\n            self.opt",
            "        x = y = 1\n        if x:\n            self.opt",
            1,
        ),
        USER.replace(
            "    trainer.train_epoch()", "    for i in range(9):\n        trainer.train_epoch()"
        ),
    ),
}


@pytest.mark.parametrize(("main", "user"), TRAINER_KEPT.values(), ids=TRAINER_KEPT)
def test_keeps_methods(tmp_path: Path, main: str, user: str) -> None:
    third = "def restore(net):\n    net.train()\n"
    assert after(tmp_path, "TP602", main, user=user, third=third) == main


@pytest.mark.parametrize(
    "evaluation",
    [
        "def evaluate(net, loader):\n    print(len(loader))\n",
        "def evaluate(net, loader):\n    print(net)\n",
        "def evaluate(net, loader):\n    loader.show(net)\n",
        "def evaluate(net, loader):\n    net(loader).sum().backward()\n",
        "evaluate = lambda net, loader: net(loader)\n",
    ],
)
def test_a_function_of_another_file_that_evaluates_nothing(tmp_path: Path, evaluation: str) -> None:
    assert after(tmp_path, "TP601", MAIN, evaluation=evaluation) == MAIN


OWN = """
import torch
from torch.utils.data import DataLoader
from net import Net
net = Net()
loader = DataLoader(list(range(4)))
def evaluate():
    with torch.no_grad():
        for x in loader:
            print(net(x))
"""


def test_the_mode_is_restored_where_nobody_in_the_project_calls(tmp_path: Path) -> None:
    written = after(tmp_path, "TP601", OWN, other="import torch\n")
    assert "    was_training = net.training\n    net.eval()\n    with torch.no_grad():" in written
    assert written.endswith("            print(net(x))\n    net.train(was_training)\n")


@pytest.mark.parametrize("call", ["net.eval()\nevaluate()\n", "evaluate()\n"])
def test_callers_in_another_file_see_to_the_mode(tmp_path: Path, call: str) -> None:
    other = f"from main import evaluate, net\n{call}"
    assert after(tmp_path, "TP601", OWN, other=other) == OWN


def test_a_function_that_its_own_file_calls_is_looked_at_there(tmp_path: Path) -> None:
    called = EVALUATION + "\n\ndef evaluate_all(net, loader):\n    evaluate(net, loader)\n"
    assert after(tmp_path, "TP601", MAIN, evaluation=called) == MAIN


@pytest.mark.parametrize("names", [("main", "evaluation"), ("evaluation", "main")])
def test_a_file_that_evaluates_once_its_volatile_is_rewritten(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    evaluation = (
        "from torch.autograd import Variable\ndef evaluate(net, loader):\n    for x, y in loader:\n"
        "        x = Variable(x, volatile=True)\n        print(net(x))\n"
    )
    texts = {"net": NET, "training": TRAINING, "evaluation": evaluation, "main": MAIN}
    (tmp_path / ".git").mkdir()
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    paths = [tmp_path / f"{name}.py" for name in names]
    settings = Settings(select=("TP102", "TP601"))
    results = {Path(r.path).stem: r for r in migrate_files(paths, settings, write=True)}
    assert "with torch.no_grad():" in str(results["evaluation"].after)
    assert str(results["main"].after).count("model.eval()") == 1
    assert not any(result.changed for result in migrate_files(paths, settings, write=True))


def test_a_file_that_calls_its_own_functions_waits_for_no_other(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.py").write_text(NET)
    main = (
        "import torch.nn.functional as F\nfrom net import Net\n"
        "def evaluate(net, x, plot):\n    plot.show(x, volatile=True)\n    return net(x)\n"
        "def main(x, plot):\n    net = Net()\n    evaluate(net, x, plot)\n"
        "    loss = F.mse_loss(x, x)\n    print(loss.data[0])\n"
    )
    (tmp_path / "main.py").write_text(main)
    result = migrate_file(tmp_path / "main.py", Settings(), write=False)
    # Once it is rewritten nothing dates it, so it is asked once more what a second run would find.
    assert "loss.item()" in str(result.after)
    assert not result.waits
