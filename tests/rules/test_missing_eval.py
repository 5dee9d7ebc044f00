from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import keeps, migrate, rewrites

_HEAD = """
import torch, torch.nn as nn, torch.nn.functional as F
from torch.autograd import Variable
from torch.utils.data import DataLoader
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.drop = nn.Dropout(0.5)
    def forward(self, x):
        return self.drop(self.fc(x))
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(data)
"""

_TRAIN = """
def train():
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
"""

_TEST = """
def test():
    with torch.no_grad():
        for x, y in loader:
            print(model(x))
"""


def _program(code: str, head: str = _HEAD) -> str:
    return head + textwrap.dedent(code)


def _with(code: str, **lines: str) -> str:
    for name, line in lines.items():
        code = code.replace(f"def {name}():\n", f"def {name}():\n    {line}\n")
    return code


def _evaluated(layer: str) -> tuple[str, str]:
    """A model with a layer beside its dropout gets its ``eval()``."""
    head = _HEAD.replace("nn.Linear(4, 2)", layer)
    after = _with(_TEST, test="model.eval()")
    return _program(_TEST + "test()\n", head), _program(after + "test()\n", head)


test_rewrites = rewrites(
    "TP601",
    {
        "dropout beside a BatchNorm without statistics": _evaluated(
            "nn.BatchNorm1d(4, track_running_stats=False)"
        ),
        "BatchNorm that learns slowly": _evaluated("nn.BatchNorm1d(4, 1e-5, 0.01)"),
        "function under no_grad": (
            _program(_TEST + "test()\n"),
            _program(_with(_TEST, test="model.eval()") + "test()\n"),
        ),
        "training goes on afterwards": (
            _program(_TRAIN + _TEST + "for i in range(3):\n    train()\n    test()\n"),
            _program(
                _with(_TRAIN + _TEST, train="model.train()", test="model.eval()")
                + "for i in range(3):\n    train()\n    test()\n"
            ),
        ),
        "train() is there already": (
            _program(
                _with(_TRAIN + _TEST, train="model.train()")
                + "for i in range(3):\n    train()\n    test()\n"
            ),
            _program(
                _with(_TRAIN + _TEST, train="model.train()", test="model.eval()")
                + "for i in range(3):\n    train()\n    test()\n"
            ),
        ),
        "train() only once before": (
            _program(
                _TRAIN + _TEST + "model.train()\nfor i in range(3):\n    train()\n    test()\n"
            ),
            _program(
                _with(_TRAIN + _TEST, train="model.train()", test="model.eval()")
                + "model.train()\nfor i in range(3):\n    train()\n    test()\n"
            ),
        ),
        "volatile": (
            _program(
                """
                def predict(net, image):
                    x = Variable(image, volatile=True)
                    return net(x)
                print(predict(model, image))
                """
            ),
            _program(
                """
                def predict(net, image):
                    net.eval()
                    x = Variable(image, volatile=True)
                    return net(x)
                print(predict(model, image))
                """
            ),
        ),
        "loop over a loader that only counts": (
            _program(
                """
                def accuracy():
                    correct = 0
                    for i, (x, y) in enumerate(loader):
                        correct += int((model(x).max(1)[1] == y).sum())
                    return correct
                accuracy()
                """
            ),
            _program(
                """
                def accuracy():
                    model.eval()
                    correct = 0
                    for i, (x, y) in enumerate(loader):
                        correct += int((model(x).max(1)[1] == y).sum())
                    return correct
                accuracy()
                """
            ),
        ),
        "block between other code": (
            _program(
                """
                for epoch in range(3):
                    for x, y in loader:
                        F.cross_entropy(model(x), y).backward()
                        optimizer.step()
                    # how good is it?
                    with torch.no_grad():
                        print(model(x))
                """
            ),
            _program(
                """
                for epoch in range(3):
                    model.train()
                    for x, y in loader:
                        F.cross_entropy(model(x), y).backward()
                        optimizer.step()
                    # how good is it?
                    model.eval()
                    with torch.no_grad():
                        print(model(x))
                """
            ),
        ),
        "a comment about training": (
            _program(
                """
                for epoch in range(3):
                    for x, y in loader:
                        F.cross_entropy(model(x), y).backward()
                        optimizer.step()
                    # Train
                    # the model
                    with torch.no_grad():
                        print(model(x))
                """
            ),
            _program(
                """
                for epoch in range(3):
                    model.train()
                    for x, y in loader:
                        F.cross_entropy(model(x), y).backward()
                        optimizer.step()
                    model.eval()
                    # Train
                    # the model
                    with torch.no_grad():
                        print(model(x))
                """
            ),
        ),
        "a comment about a trained model": (
            _program(
                """
                for epoch in range(3):
                    for x, y in loader:
                        F.cross_entropy(model(x), y).backward()
                        optimizer.step()
                    # Test after training
                    with torch.no_grad():
                        print(model(x))
                """
            ),
            _program(
                """
                for epoch in range(3):
                    model.train()
                    for x, y in loader:
                        F.cross_entropy(model(x), y).backward()
                        optimizer.step()
                    # Test after training
                    model.eval()
                    with torch.no_grad():
                        print(model(x))
                """
            ),
        ),
    },
)

_BY_MODE = _HEAD.replace(
    "        return self",
    "        if self.training:\n            return x, {}\n        return self",
)


def _aided(more: str) -> str:
    """A program whose model returns something else in training."""
    return _program(_TEST + "test()\n", _BY_MODE.format(more))


_CALLS = "for i in range(3):\n    train()\n    test()\n"
_KEPT = {
    "eval() in the function": _with(_TEST, test="model.eval()") + "test()\n",
    "eval() in the caller": _TEST + "model.eval()\ntest()\n",
    "train(False)": _TEST + "model.train(False)\ntest()\n",
    "eval() of something unknown": _TEST + "for m in parts:\n    m.eval()\ntest()\n",
    "eval() of a part": _TEST + "model.drop.eval()\ntest()\n",
    "training mode asked for": _with(_TEST, test="model.drop.train()") + "test()\n",
    "dropout that is meant to sample": "def uncertainty(x):\n    with torch.no_grad():\n"
    "        outputs = torch.stack([model(x) for _ in range(50)])\n    return outputs.std(0)\n"
    "print(uncertainty(1))\n",
    "dropout that is meant to sample, in a loop": "def uncertainty(x):\n    outputs = []\n"
    "    with torch.no_grad():\n        for _ in range(50):\n            outputs.append(model(x))\n"
    "    return torch.stack(outputs).std(0)\nprint(uncertainty(1))\n",
    "training function": _TRAIN + "train()\n",
    "helper that is trained through": "def loss(x, y):\n    return F.cross_entropy(model(x), y)\n"
    "for x, y in loader:\n    loss(x, y).backward()\n    optimizer.step()\n",
    "sample inside of the training loop": """
for x, y in loader:
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    with torch.no_grad():
        print(model(noise))
""",
    "statistics of the data are wanted": "def update():\n    with torch.no_grad():\n"
    "        for x, y in loader:\n            model(x)\nupdate()\n",
    "a name for the result that nobody reads": "def update():\n    for x, y in loader:\n"
    "        _ = model(x)\n        break\nupdate()\n",
    "a result that nobody reads": "def update():\n    with torch.no_grad():\n"
    "        for x, y in loader:\n            out = model(x)\nupdate()\n",
    "training mode is meant": "def update():\n    model.train()\n    with torch.no_grad():\n"
    "        for x, y in loader:\n            means.append(model(x).mean(0))\nupdate()\n",
    "training cannot follow on one line": _with(_TRAIN, train="a = 0; b = 1") + _TEST + _CALLS,
    "two optimizers": "other = torch.optim.SGD(model.parameters(), lr=1)\n" + _TEST + "test()\n",
    "suppressed": _TEST.replace("no_grad():", "no_grad():  # torchfix: ignore[missing-eval]")
    + "test()\n",
}

test_keeps = keeps("TP601", {name: _program(code) for name, code in _KEPT.items()})

test_keeps_models = keeps(
    "TP601",
    {
        "few-shot learners that normalize by the batch": _program(
            _TEST + "test()\n",
            _HEAD.replace("nn.Linear(4, 2)", "nn.BatchNorm1d(4, momentum=1, affine=True)"),
        ),
        "no layer knows a mode": _program(
            _TEST + "test()\n", _HEAD.replace("nn.Dropout(0.5)", "nn.ReLU()")
        ),
        "a model that takes the weights of another one": _program(
            _TEST + "test()\n",
            _HEAD.replace("nn.Dropout(0.5)", "nn.ReLU()").replace(
                "    def forward",
                "        old = nn.Sequential(nn.Linear(4, 2), nn.Dropout(0.5))\n"
                "        self.first = old[0].weight, found(old)\n    def forward",
            )
            + "def found(net):\n    return net[1].p\n",
        ),
        "model of unknown kind": _program(
            _TEST + "test()\n", _HEAD.replace("model = Net()", "model = build(nn.Dropout(0.5))")
        ),
        "model that sets its own mode": _program(
            _TEST + "test()\n",
            _HEAD.replace("    def forward", "        self.eval()\n    def forward"),
        ),
        "more results in training": _aided("x"),
        "a list of results in training": _aided("[x]").replace("x, [x]", "[x]"),
        "no model at all": """
            import torch, torch.nn as nn
            def test(model):
                drop = nn.Dropout(0.5)
                with torch.no_grad():
                    return model(1)
            test(int)
            """,
        "what is asserted of the result": """
            import torch, torch.nn as nn
            @torch.no_grad()
            def test_same(seed):
                model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
                other = build(seed)
                torch.manual_seed(seed)
                expected = model(torch.ones(2))
                torch.manual_seed(seed)
                given = other(torch.ones(2))
                assert (expected == given).all()
            """,
        "what is asserted by a method": """
            import torch, torch.nn as nn
            def test_same(self, other):
                model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
                with torch.no_grad():
                    y = model(torch.ones(2))
                self.assertEqual(other, y)
            """,
        "method of a module": _program(
            """
            class Both(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.net = Net()
                def predict(self, x):
                    with torch.no_grad():
                        return self.net(x)
            both = Both()
            both.predict(1)
            """
        ),
    },
)


def test_says_nothing_about_agents_that_act_and_learn() -> None:
    program = _program(
        """
        def act(state):
            with torch.no_grad():
                return model(state)
        def learn():
            model(batch).sum().backward()
            optimizer.step()
        for step in range(9):
            act(state)
            learn()
        """
    )
    assert migrate(program, "TP601").findings == ()


_RESTORED = """
def test():
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            print(model(x))
    model.train(was_training)
"""

test_restores_the_mode_where_callers_are_not_in_sight = rewrites(
    "TP601",
    {
        "called from other files only": (_program(_TEST), _program(_RESTORED)),
        "something behind it, and an inner break": (
            _program(
                """
                def test():
                    \"\"\"How often.\"\"\"
                    total = 0
                    with torch.no_grad():
                        for x, y in loader:
                            total += model(x).sum().item()
                            if total > 3:
                                break
                    # of all
                    return total / len(loader)
                """
            ),
            _program(
                """
                def test():
                    \"\"\"How often.\"\"\"
                    was_training = model.training
                    model.eval()
                    total = 0
                    with torch.no_grad():
                        for x, y in loader:
                            total += model(x).sum().item()
                            if total > 3:
                                break
                    model.train(was_training)
                    # of all
                    return total / len(loader)
                """
            ),
        ),
        "handed on to a library": (
            _program(_TEST + "import schedule\nschedule.every(5).do(test)\n"),
            _program(_RESTORED + "import schedule\nschedule.every(5).do(test)\n"),
        ),
    },
)

_LEFT_IN_EVAL = {
    "early return": "            if y:\n                return model(x)\n",
    "exception": "            if y:\n                raise ValueError(model(x))\n",
    "generator": "            yield model(x)\n",
    "generator behind": "            print(model(x))\n    yield 1\n",
    "assertion": "            assert y\n            print(model(x))\n",
    "attempt": "            try:\n                print(model(x))\n"
    "            except ValueError:\n                pass\n",
    "name that is taken": "            was_training = y\n            print(model(x))\n",
}


@pytest.mark.parametrize("name", _LEFT_IN_EVAL)
def test_the_mode_that_cannot_be_restored_is_told_of(name: str) -> None:
    code = "def test():\n    with torch.no_grad():\n        for x, y in loader:\n"
    program = _program(code + _LEFT_IN_EVAL[name])
    migration = migrate(program, "TP601")
    assert migration.text == program
    (found,) = migration.findings
    assert not found.fixed
    assert "model.train(was_training) on each way out" in found.message


test_keeps_unseen_callers = keeps(
    "TP601",
    {
        "sets the mode": _program(_with(_TEST, test="model.eval()")),
        "a model that is handed in": _program(_TEST.replace("test()", "test(model)")),
        "a coroutine": _program(_TEST.replace("def test", "async def test")),
        "what a helper runs": _program(
            """
            def predict(x):
                return model(x)
            def test():
                with torch.no_grad():
                    for x, y in loader:
                        print(predict(x))
            """
        ),
        "no such layers": _program(_TEST).replace("nn.Dropout(0.5)", "nn.ReLU()"),
        "the mode is asked for": _program(_with(_TEST, test="model.train(mode)")),
    },
)


def test_advice_where_training_cannot_be_reset() -> None:
    program = _program(_with(_TRAIN, train="a = 0; b = 1") + _TEST + _CALLS)
    findings = migrate(program, "TP601").findings
    assert [(f.numerics.value, f.fixed) for f in findings] == [("advice", False)]


def test_model_that_this_file_saved_and_loads() -> None:
    program = _program(
        """
        def save(path):
            torch.save(model, path)
        def predict(net, x):
            with torch.no_grad():
                return net(x)
        def main(args):
            save(args.path)
            net = torch.load(args.path)
            net = net.cuda()
            print(predict(net, 1))
        """
    )
    after = migrate(program, "TP601").text
    assert "def predict(net, x):\n    net.eval()\n" in after


@pytest.mark.parametrize(
    ("layer", "is_rewritten"),
    [
        ("nn.Dropout(0.5)", False),
        ("nn.Dropout2d()", False),
        ("nn.AlphaDropout(0.1)", False),
        ("nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))", True),
    ],
)
def test_dropout_alone_is_run_to_look_at_its_noise(layer: str, is_rewritten: bool) -> None:
    text = (
        f"import torch\nfrom torch import nn\nnoise = {layer}\nx = torch.ones(1, 4)\n"
        "with torch.no_grad():\n    print(noise(x))\n    print(noise(x))\n"
    )
    assert ("noise.eval()" in migrate(text, "TP601").text) == is_rewritten


_EPOCHS = """
for epoch in range(9):
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    for x, y in held_out:
        with torch.no_grad():
            print(model(x))
    {between}
    if epoch % 3 == 0:
        for x, y in loader:
            with torch.no_grad():
                print(model(x))
"""


@pytest.mark.parametrize(
    ("between", "is_repeated"),
    [
        ("print(epoch)", False),
        ("torch.save(model.state_dict(), 'x')", False),
        ("model = Net()", True),
        ("remade()", True),
        ("F.cross_entropy(model(x), y).backward(); optimizer.step()", True),
    ],
)
def test_an_eval_that_is_in_force_is_not_added_again(between: str, is_repeated: bool) -> None:
    other = "def remade():\n    global model\n    model = Net()\n" if "remade" in between else ""
    head = f"{_HEAD}held_out = DataLoader(rows)\n{other}"
    after = migrate(head + _EPOCHS.format(between=between), "TP601").text
    assert (after.count("model.eval()") == 1) is not is_repeated


def test_an_eval_is_added_to_each_choice() -> None:
    loop = "for x, y in loader:\n        with torch.no_grad():\n            print(model(x))\n"
    text = f"{_HEAD}if flag:\n    {loop}if other:\n    {loop}"
    assert migrate(text, "TP601").text.count("model.eval()") == 2


_TRAINER = """
class Trainer:
    def __init__(self):
        self.net = Net()
    def renew(self):
        self.{renewed} = Net()
    def run(self):
        optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        for epoch in range(9):
            for x, y in loader:
                optimizer.zero_grad()
                F.cross_entropy(self.net(x), y).backward()
                optimizer.step()
            for x, y in loader:
                with torch.no_grad():
                    print(self.net(x))
            self.renew()
            for x, y in loader:
                with torch.no_grad():
                    print(self.net(x))
Trainer().run()
"""


@pytest.mark.parametrize(("renewed", "count"), [("other", 1), ("net", 2)])
def test_an_eval_of_what_a_method_renews_is_added_again(renewed: str, count: int) -> None:
    head = _HEAD.replace("optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n", "")
    after = migrate(head + _TRAINER.format(renewed=renewed), "TP601").text
    assert after.count("self.net.eval()") == count


_TWO = """
class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.way = nn.Linear(4, 4), nn.Linear(4, 4), 1
        self.norm = nn.BatchNorm1d(4)
    def forward(self, x):
        return self.norm(self.two(self.norm(self.one(x))))
class Around(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Shared()
    def forward(self, x):
        return self.inner(x)
"""
_TWICE = "self.norm(self.two(self.norm(self.one(x))))"

_SHARING = {
    "twice": _TWO,
    "in a loop": _TWO.replace(
        f"return {_TWICE}",
        "for one in (self.one, self.two):\n            x = self.norm(one(x))\n        return x",
    ),
    "of several": _TWO.replace(_TWICE, "[self.norm(one(x)) for one in (self.one, self.two)]"),
}


@pytest.mark.parametrize("cls", ["Shared", "Around"])
@pytest.mark.parametrize("name", _SHARING)
def test_a_normalization_that_is_applied_again_is_told_of(name: str, cls: str) -> None:
    head = _HEAD.replace("model = Net()", f"{_SHARING[name]}model = {cls}()")
    program = _program(_TEST + "test()\n", head)
    migration = migrate(program, "TP601")
    assert migration.text == program
    (found,) = migration.findings
    assert "model infers in training mode" in found.message
    assert "a BatchNorm of model is applied to several inputs" in found.message


_TWO_LOOPS = """
with torch.no_grad():
    for x, y in loader:
        print(model(x))
print()
with torch.no_grad():
    for x, y in loader:
        print(model(x))
"""


@pytest.mark.parametrize(
    ("places", "lines"),
    [(_TWO_LOOPS, [1]), (_TEST + _TEST.replace("test", "check"), [0, 0])],
    ids=["beside each other", "in two functions"],
)
def test_the_same_is_said_once_in_a_function(places: str, lines: list[int]) -> None:
    head = _HEAD.replace("model = Net()", f"{_TWO}model = Shared()")
    program = _program(places + ("test()\ncheck()\n" if len(lines) > 1 else ""), head)
    found = migrate(program, "TP601").findings
    assert [one.message.count("BatchNorm), here and in line ") for one in found] == lines


@pytest.mark.parametrize(
    "once",
    [
        "self.norm(self.two(self.one(x)))",
        "self.norm(self.one(x)) if self.way else self.norm(self.two(x))",
    ],
)
def test_a_normalization_that_is_applied_once_is_evaluated(once: str) -> None:
    shared = _TWO.replace(_TWICE, once)
    head = _HEAD.replace("model = Net()", f"{shared}model = Shared()")
    program = _program(_TEST + "test()\n", head)
    after = _program(_with(_TEST, test="model.eval()") + "test()\n", head)
    assert migrate(program, "TP601").text == after


def test_a_normalization_without_statistics_may_be_applied_again() -> None:
    shared = _TWO.replace("Norm1d(4)", "Norm1d(4, track_running_stats=False), nn.Dropout()")
    shared = shared.replace("self.norm = ", "self.norm, self.drop = ")
    head = _HEAD.replace("model = Net()", f"{shared}model = Shared()")
    assert "model.eval()" in migrate(_program(_TEST + "test()\n", head), "TP601").text


_BESIDE = """
def test():
    encoder = Net().cuda()
    decoder = Net().cuda()
    for x, y in loader:
        print(decoder(encoder(x)))
test()
"""


def test_models_that_infer_side_by_side_are_all_evaluated() -> None:
    after = _BESIDE.replace("    for x", "    decoder.eval()\n    encoder.eval()\n    for x")
    migration = migrate(_program(_BESIDE), "TP601")
    assert migration.text == _program(after)
    assert migrate(migration.text, "TP601").text == migration.text


def test_of_models_side_by_side_none_is_evaluated_where_one_cannot_be() -> None:
    program = _program(_BESIDE.replace("decoder = Net", "decoder = Shared"), _HEAD + _TWO)
    migration = migrate(program, "TP601")
    assert migration.text == program
    (found,) = migration.findings
    assert found.message.startswith("decoder and encoder infer in training mode")
    assert "a BatchNorm of decoder is applied" in found.message


def test_a_model_beside_whose_mode_is_not_in_sight_is_named() -> None:
    program = _program(_BESIDE.replace("    for x", "    elsewhere(decoder)\n    for x"))
    migration = migrate(
        program.replace("import torch,", "from away import elsewhere\nimport torch,"), "TP601"
    )
    assert ".eval()" not in migration.text
    (found,) = migration.findings
    assert found.message.startswith("encoder infers in training mode (dropout, BatchNorm), and")
    assert "whether decoder does, beside it, is not in sight" in found.message


def test_a_model_elsewhere_changes_nothing() -> None:
    other = "\ndef show(x):\n    net = Shared()\n    with torch.no_grad():\n        print(net(x))\nshow(1)\n"
    program = _program(_TEST + "test()\n" + other, _HEAD + _TWO)
    text = migrate(program, "TP601").text
    assert text.count(".eval()") == 1 and "    model.eval()\n" in text


@pytest.mark.parametrize(
    ("lines", "is_heading"),
    [
        # What the comment is about goes on below the run, or is this line alone.
        ("y = model(x)\n    print(y.argmax())\n", True),
        ("y = model(x)\n\n    print(y.argmax())\n", False),
    ],
)
def test_a_comment_above_the_run_of_a_model_and_more_heads_them(
    lines: str, is_heading: bool
) -> None:
    made = "    model = Net()\n    model.load_state_dict(torch.load('net.pth'))\n"
    made += "    x = Variable(data, volatile=True)\n"
    code = f"\ndef main(data):\n{made}    # forward\n    {lines}\nmain(torch.ones(1, 4))\n"
    head = _HEAD[: _HEAD.index("model = ")]
    after = migrate(_program(code, head), "TP601").text
    heading, mode = "    # forward\n", "    model.eval()\n"
    assert f"{made}{heading + mode if is_heading else mode + heading}" in after
