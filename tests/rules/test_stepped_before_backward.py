from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """import torch
import torch.nn as nn
G = nn.Linear(2, 3)
D = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
line = nn.Linear(3, 1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.fc2 = nn.Linear(4, 1)
    def forward(self, x):
        return self.fc2(self.fc1(x))
net = Net()
def judge(x):
    return D(x).mean()
opt_D = torch.optim.Adam(D.parameters())
opt_G = torch.optim.Adam(G.parameters())
opt_line = torch.optim.Adam(line.parameters())
opt_net = torch.optim.Adam(net.parameters())
for x, y in loader:
"""


def _loop(lines: str) -> str:
    return _HEAD + "".join(f"    {line}\n" for line in lines.split("\n"))


_FOUND = {
    "shared output": (
        "fake = D(G(x))  # judged\na, b = fake.mean(), fake.sum()\na.backward(retain_graph=True)\n"
        "opt_D.step()\nb.backward()",
        ("opt_D", 24, "D", "fake = D(G(x))"),
    ),
    "loss after the step": (
        "fake = D(G(x))\nfake.mean().backward(retain_graph=True)\nopt_D.step()\nopt_G.zero_grad()\n"
        "loss = torch.log(fake).mean()\nloss.backward()",
        ("opt_D", 23, "D", "fake = D(G(x))"),
    ),
    "module of this file": (
        "loss = net(x).sum()\nopt_net.step()\nloss.backward()",
        ("opt_net", 22, "net", "loss = net(x).sum()"),
    ),
    "loss that more is added to": (
        "loss = net(x).sum()\nif y:\n    loss += y\nopt_net.step()\nloss.backward()",
        ("opt_net", 24, "net", "loss = net(x).sum()"),
    ),
    "function of this file": (
        "loss = judge(x)\nopt_D.step()\nloss.backward()",
        ("opt_D", 22, "D", "loss = judge(x)"),
    ),
}


@pytest.mark.parametrize("name", _FOUND)
def test_finds(name: str) -> None:
    lines, (optimizer, line, model, run) = _FOUND[name]
    assert [f.message for f in advice("TP116", _loop(lines))] == [
        f"{optimizer}.step() in line {line} has changed {model} in place, and backward() through "
        f"what it gave before fails since torch 1.5: write {run}, and the rest of the loss, anew "
        "below it"
    ]


@pytest.mark.parametrize(
    ("lines", "is_quiet"),
    [
        (_FOUND["shared output"][0], False),
        (_FOUND["loss after the step"][0], False),
        # What it steps along comes with the second round, if at all.
        (_FOUND["module of this file"][0], True),
        ("loss = net(x).sum()\nD(G(x)).sum().backward()\nopt_net.step()\nloss.backward()", True),
        ("D[0].weight.requires_grad = False\n" + _FOUND["shared output"][0], True),
    ],
)
def test_what_certainly_fails_is_shown_by_migrate(lines: str, is_quiet: bool) -> None:
    (found,) = advice("TP116", _loop(lines))
    assert found.is_quiet is is_quiet


def test_it_fails_indeed() -> None:
    lines = _FOUND["shared output"][0]
    text = _loop(lines).replace("in loader", "in [(torch.ones(1, 2), 1)]")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(text.replace("a.backward(", "G.zero_grad(); a.backward("), {})


def test_finds_what_runs_first_in_some_rounds() -> None:
    lines = """fake = D(G(x))
a = fake.mean()
if i % n_d == 0:
    a.backward(retain_graph=True)
    opt_D.step()
if i % n_g == 0:
    b = fake.sum()
    if more:
        b = b + fake.mean()
    b.backward()"""
    (found,) = advice("TP116", _loop(lines))
    assert found.line == 30
    assert not found.is_quiet
    assert found.message.startswith("where opt_D.step() in line 25 runs first, it has changed D in")


_QUIET = {
    "unpacked from nobody knows what": (
        "fake, a, loss = D(G(x)), *y\nopt_D.step()\nloss.backward()"
    ),
    "computed anew": "fake = D(x)\nfake.sum().backward()\nopt_D.step()\nfake = D(x)\n"
    "loss = fake.mean()\nloss.backward()",
    "in order": "loss = D(x).sum()\nloss.backward()\nopt_D.step()",
    "another model": "a, b = D(x).sum(), net(x).sum()\na.backward()\nopt_D.step()\nb.backward()",
    "another optimizer": "loss = D(x).sum()\nopt_G.step()\nloss.backward()",
    "one layer": "loss = line(x).sum()\nopt_line.step()\nloss.backward()",
    "detached": "fake = D(x).detach()\nopt_D.step()\nloss = net(fake).sum()\nloss.backward()",
    "other data": "fake = D(x).data\nopt_D.step()\nloss = net(fake).sum()\nloss.backward()",
    "of the last round": (
        "if last is not None:\n    last.backward()\nlast = D(x).sum()\nopt_D.step()"
    ),
    "in a branch": "loss = D(x).sum()\nif train:\n    opt_D.step()\nloss.backward()",
    "counted otherwise": (
        "loss = D(x).sum()\nif i % 2 == 0:\n    opt_D.step()\nif j % 2 == 0:\n    loss.backward()"
    ),
    "in two branches": (
        "loss = D(x).sum()\nif i % 2 == 0:\n    opt_D.step()\nelse:\n    loss.backward()"
    ),
    "next round": (
        "loss = D(x).sum()\nif i % 2 == 0:\n    opt_D.step()\n    continue\nloss.backward()"
    ),
    "computed anew in one branch": (
        "fake = D(x)\nif i % 2 == 0:\n    opt_D.step()\n    fake = D(x)\nloss = fake.sum()\n"
        "loss.backward()"
    ),
    "unknown optimizer": "loss = D(x).sum()\nself.opt.step()\nloss.backward()",
    "scheduler": (
        "loss = D(x).sum()\ns = torch.optim.lr_scheduler.StepLR(opt_D, 3)\ns.step()\nloss.backward()"
    ),
    "two values": "loss = D(x).sum()\nif more:\n    loss = net(x).sum()\nopt_D.step()\nloss.backward()",
    "unknown model": (
        "opt = torch.optim.SGD(unknown.parameters(), lr=1)\nloss = unknown(x).sum()\nopt.step()\n"
        "loss.backward()"
    ),
    "parameters of several": (
        "opt = torch.optim.SGD(list(D.parameters()) + list(G.parameters()), lr=1)\n"
        "loss = D(x).sum()\nopt.step()\nloss.backward()"
    ),
    "suppressed": "loss = D(x).sum()\nopt_D.step()\nloss.backward()  # noqa: TP116",
}


@pytest.mark.parametrize("name", _QUIET)
def test_is_quiet(name: str) -> None:
    assert advice("TP116", _loop(_QUIET[name])) == []


test_keeps = keeps(
    "TP116", {n: _loop(t) for n, t in {**_QUIET, **{k: v[0] for k, v in _FOUND.items()}}.items()}
)


_HELD = """import torch
import torch.nn as nn
class GAN:
    def __init__(self, w):
        self.D = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
        self.optimizer = torch.optim.Adam(self.D.parameters())
        {}
    def train(self, x):
        fake = self.D(x)
        loss, other = fake.mean(), fake.sum()
        loss.backward(retain_graph=True)
        self.optimizer.step()
        other.backward()
class Other:
    def __init__(self, w):
        self.optimizer = torch.optim.SGD(w)
"""


def test_finds_models_and_optimizers_that_an_object_holds() -> None:
    (finding,) = advice("TP116", _HELD.format("pass"))
    assert finding.line == 13
    assert finding.message.startswith("self.optimizer.step() in line 12 has changed self.D")


@pytest.mark.parametrize(
    "line",
    [
        "self.optimizer = torch.optim.Adam(w)",
        "self.D = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))",
        "self.optimizer, self.z = torch.optim.Adam(w), 3",
        "del self.D",
    ],
)
def test_is_quiet_where_an_object_may_hold_another(line: str) -> None:
    assert not advice("TP116", _HELD.format(line))


def test_is_quiet_about_what_other_files_change() -> None:
    options = Options(used_elsewhere=lambda name: name == "optimizer")
    assert not migrate(_HELD.format("pass"), "TP116", options=options).findings


_PARTS = """import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(3, 4), nn.Linear(4, 1)
    def forward(self, x):
        return self.fc2(self.fc1(x))
class Gan:
    def __init__(self):
        self.other = Net()
        self.D = Net()
    def judge(self, x):
        return self.D(x).mean(), 0
    def ask(self, x):
        return self.other(x).mean(), 0
"""
_TRAINER = """import torch
class Trainer:
    def __init__(self, gan):
        self.gan = gan
        self.opt = torch.optim.Adam(params=self.gan.D.parameters())
    def train(self, loader):
        for x in loader:
            a, _ = self.gan.judge(x)
            b, _ = self.gan.judge(x + 1)
            b -= 0.1
            a.backward()
            self.opt.step()
            b.backward()
"""
_MADE = "from gan import Gan\nfrom trainer import Trainer\nTrainer(Gan()).train([])\n"


def _told_of_parts(tmp_path: Path, **files: str) -> list[tuple[int, str]]:
    (tmp_path / "pyproject.toml").write_text("")
    texts = {"gan": _PARTS, "trainer": _TRAINER, "main": _MADE, **files}
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    settings = Settings(select=("TP116",))
    found = migrate_file(tmp_path / "trainer.py", settings, write=False).findings
    return [(each.line, each.message) for each in found]


def test_finds_what_a_method_of_the_part_that_holds_the_model_gave(tmp_path: Path) -> None:
    ((line, message),) = _told_of_parts(tmp_path)
    assert line == 13
    assert message.startswith("self.opt.step() in line 12 has changed self.gan.D in place")
    assert "write b, _ = self.gan.judge(x + 1), and" in message


@pytest.mark.parametrize(
    "files",
    [
        {"trainer": _TRAINER.replace("gan.judge(x + 1)", "gan.ask(x)")},
        {"trainer": _TRAINER.replace("gan.judge(x + 1)", "gan.judge(x + 1).detach()")},
        {"gan": f"{_PARTS}        self.D = Net()\n"},
        {"main": _MADE.replace("Gan()", "open('gan')")},
        {"other": "import gan\ndef change(made):\n    made.D = made.other\n"},
    ],
)
def test_is_quiet_of_another_model_or_one_that_may_be_another(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert not _told_of_parts(tmp_path, **files)


_GIVEN = """import torch
from models import Net, Pair
def train(first, second, opt, other, loader, n):
    for i, x in enumerate(loader):
        fake = first(x)
        a, b = fake.mean(), fake.sum()
        if i % n == 0:
            a.backward(retain_graph=True)
            opt.step()
        if i % 5 == 0:
            b.backward()
def main(loader, use_gpu):
    D, G = Net(), Pair()
    if use_gpu:
        D = D.cuda()
    opt_D = torch.optim.Adam(D.parameters())
    opt_G = torch.optim.Adam(G.parameters())
    train({})
"""
_MODELS = """import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(3, 4), nn.Linear(4, 1)
    def forward(self, x):
        return self.fc2(self.fc1(x))
class Pair(Net):
    pass
"""


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ("D, G, opt_D, opt_G, loader, 2", 1),
        ("D, G, opt=opt_D, other=opt_G, loader=loader, n=2", 1),
        ("D, G, opt_G, opt_D, loader, 2", 0),
        ("D, D, opt_D, opt_D, loader, 2", 0),
    ],
)
def test_what_each_call_gives_shows_which_model_an_optimizer_steps(
    tmp_path: Path, given: str, count: int
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "models.py").write_text(_MODELS)
    path = tmp_path / "train.py"
    path.write_text(_GIVEN.format(given))
    found = migrate_file(path, Settings(select=("TP116",)), write=False).findings
    assert [each.line for each in found] == [11] * count


_IN_A_LOOP = """for k in range({}):
    fake = net.forward(x)
    a = fake.mean()
    a.backward(retain_graph=True)
    opt_net.step(){}
b = fake.sum()
b.backward()"""


def test_finds_a_step_in_a_loop_above() -> None:
    (found,) = advice("TP116", _loop(_IN_A_LOOP.format(2, "")))
    assert found.line == 27
    assert found.message.startswith("where opt_net.step() in line 25 runs first, it has changed")
    assert found.message.endswith("and the rest of the loss, anew below the loop")


@pytest.mark.parametrize(
    "lines",
    [
        # The last round may end before the step.
        _IN_A_LOOP.format("n", "").replace("    a.back", "    if y:\n        break\n    a.back"),
        _IN_A_LOOP.format(2, "\nfake = net.forward(x)"),
        _IN_A_LOOP.format(2, "\n    fake = y"),
        _IN_A_LOOP.format(2, "").replace("net.forward", "net.backward"),
    ],
)
def test_is_quiet_of_other_steps_in_a_loop_above(lines: str) -> None:
    assert not [f for f in advice("TP116", _loop(lines)) if f.line > 26]


_WRAPPED = """import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = {}
G = nn.DataParallel(Net())
opt_G = torch.optim.Adam(G.parameters())
{}
for x in loader:
    fake = G(x)
    a, b = fake.mean(), fake.sum()
    a.backward(retain_graph=True)
    opt_G.step()
    b.backward()
"""
_LAYERS = "nn.Linear(3, 4), nn.Linear(4, 1)"


def test_finds_a_model_on_several_devices() -> None:
    (found,) = advice("TP116", _WRAPPED.format(_LAYERS, ""))
    assert found.message.startswith("opt_G.step() in line 14 has changed G in place, and")


def test_finds_a_model_that_a_checkpoint_may_replace() -> None:
    (found,) = advice("TP116", _WRAPPED.format(_LAYERS, _RESTORED.format("torch.load")))
    assert " has changed G in place (unless torch.load() gave another), and " in found.message


_RESTORED = "try:\n    G, n = {}('a.pkl')\nexcept IOError:\n    pass"


@pytest.mark.parametrize(
    ("layers", "restored"),
    [
        ("nn.Linear(3, 4), 1", ""),
        (_LAYERS, _RESTORED.format("unknown")),
        (_LAYERS, "G, n = torch.load('a.pkl')"),
    ],
)
def test_is_quiet_of_other_models_on_several_devices(layers: str, restored: str) -> None:
    assert not advice("TP116", _WRAPPED.format(layers, restored))
