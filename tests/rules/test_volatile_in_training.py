"""Volatile values that go into code which trains: nothing puts that under ``no_grad``."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.autograd.questions.volatile.calls import volatile_calls
from torchfix_codemods.rules.autograd.questions.volatile.training_uses import (
    is_shared_with_others,
)
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """
import torch
from functools import partial
from torch import nn
from torch.autograd import Variable, grad
"""

_TRAINING = """
class Penalty(nn.Module):
    def forward(self, net, x):
        x = Variable(x.data, requires_grad=True)
        return grad(net(x).sum(), x, create_graph=True)[0].norm()


class Trainer(object):
    def __init__(self, net):
        self.net = net

    def fit(self, x):
        self.net(x.detach()).sum().backward()
        return x.data

    def __call__(self, x):
        return self.fit(x)


class Once(object):
    def __init__(self, net, x):
        net(x.detach()).sum().backward()


class Scores(object):
    def fit(self, x):
        return x.sum()


def terms(net, x):
    cost = net(Variable(x.data)).mean()
    cost.backward()
    return cost


def measure(net, x):
    return net(x).mean()
"""

_USES = [
    pytest.param(
        "def f(net, n):\n    x = {0}\n    return terms(net, x).data\n", id="a function in sight"
    ),
    pytest.param(
        "def f(net, n):\n    p = Penalty()\n    x = {0}\n    return p(net, x).data\n",
        id="a module that asks for gradients",
    ),
    pytest.param(
        "def f(net, n):\n    x = {0}\n    made = Once(net, x)\n    return 3\n", id="a constructor"
    ),
    pytest.param(
        "def f(net, n):\n    t = Trainer(net)\n    x = {0}\n    out = t(x)\n    return out\n",
        id="an object that is called",
    ),
    pytest.param(
        "def f(net, n):\n    go = partial(terms, net)\n    x = {0}\n    return go(x).data\n",
        id="a part of a function",
    ),
    pytest.param(
        "def f(net, n, step=terms):\n    x = {0}\n    return step(net, x).data\n", id="a default"
    ),
    pytest.param(
        "def f(net, n, step):\n    x = {0}\n    return step(net, x).data\n\n\nf(net, 1, terms)\n",
        id="what a call hands in",
    ),
    pytest.param(
        "def f(t, n):\n    x = {0}\n    out = t.fit(x)\n    return out\n\n\nf(Trainer(net), 1)\n",
        id="the method of what a call hands in",
    ),
    pytest.param(
        "class Run(object):\n    def __init__(self, step):\n        self.step = step\n\n"
        "    def one(self, net, n):\n        x = {0}\n        return self.step(net, x).data\n\n\n"
        "Run(terms).one(net, 1)\n",
        id="what an object keeps",
    ),
    pytest.param(
        "class Run(object):\n    def make(self, n):\n        self.x = {0}\n        self.use()\n\n"
        "    def use(self):\n        terms(self.net, self.x)\n",
        id="an attribute that another method trains with",
    ),
    pytest.param(
        "def f(net, batches):\n    for batch in batches:\n        for key in batch:\n"
        "            batch[key] = {0}\n        terms(net, batch)\n",
        id="a batch whose parts are volatile",
    ),
]
_VOLATILE = "Variable(torch.randn(n, 3), volatile=True)"


@pytest.mark.parametrize("code", _USES)
def test_the_flag_is_only_dropped(code: str) -> None:
    text = _HEAD + _TRAINING + "\n\n" + code.format(_VOLATILE)
    assert migrate(text, "TP102").text == text
    (found,) = advice("TP102", text)
    assert found.message == "volatile= has no effect since 0.4: drop it"


_EVALUATES = """
class Net(torch.nn.Module):
    def forward(self, x):
        if self.training:
            terms(self, x)
        return x
model = Net()
def test(n, loader):
    {above}
    for x in loader:
        {inside}
        x = Variable(torch.randn(n, 3), volatile=True)
        print(terms(model, x))
"""


@pytest.mark.parametrize(
    ("above", "inside", "is_evaluating"),
    [
        ("model.eval()", "pass", True),
        ("model.train(False)", "pass", True),
        ("model.train()", "model.eval()", True),
        ("model.train()", "pass", False),
        ("model.eval()", "model.train()", False),
        ("n", "pass", False),
        ("def other():\n        model.eval()", "pass", False),
    ],
)
def test_below_a_change_to_evaluation_it_is_not_only_dropped(
    above: str, inside: str, is_evaluating: bool
) -> None:
    text = _HEAD + _TRAINING + _EVALUATES.format(above=above, inside=inside)
    (found,) = advice("TP102", text)
    said = "volatile= has no effect since 0.4: drop it"
    more = "; what only evaluates goes under `with torch.no_grad():`"
    assert found.message == said + (more if is_evaluating else "")


@pytest.mark.parametrize(("mode", "is_evaluating"), [("eval()", True), ("train()", False)])
def test_nor_above_one_where_there_is_no_other(mode: str, is_evaluating: bool) -> None:
    text = _HEAD + _TRAINING + _EVALUATES.format(above="n", inside="pass")
    used = "        print(terms(model, x))"
    (found,) = advice("TP102", text.replace(used, f"        model.{mode}\n{used}"))
    assert ("torch.no_grad()" in found.message) is is_evaluating


def test_a_function_of_another_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "training.py").write_text(_HEAD + _TRAINING)
    use = "import training\n{0}\n\ndef f(net, n):\n    x = {1}\n    return training.{2}(net, x).data\n"
    file = tmp_path / "use.py"
    for called, is_fixed in (("terms", False), ("measure", True)):
        file.write_text(use.format(_HEAD, _VOLATILE, called))
        found = migrate_file(file, Settings(select=("TP102",)), write=False).findings
        assert [each.fixed for each in found] == [is_fixed] * len(found) != []
        assert found[0].message.endswith("drop it") is not is_fixed


@pytest.mark.parametrize(
    ("code", "handed"),
    [
        ("step(net, x)", "f(net, 1, measure)"),
        ("step.fit(x)", "f(net, 1, Scores())"),
        # Nobody hands anything in.
        ("step(net, x)", ""),
    ],
)
def test_what_is_handed_in_and_only_calculates_goes_under_it(code: str, handed: str) -> None:
    begin = f"{_HEAD}{_TRAINING}\n\ndef f(net, n, step):\n"
    migration = migrate(f"{begin}    x = {_VOLATILE}\n    return {code}.data\n{handed}\n", "TP102")
    assert "    with torch.no_grad():\n" in migration.text
    assert f"        return {code}.data\n" in migration.text


def test_what_trains_by_a_flag_has_its_graph() -> None:
    code = """
    def run(net, batch):
        out = Variable(batch, requires_grad=net.training, volatile=not net.training)

        def again():
            net(Variable(batch)).backward(out.grad)

        net.again = again
        made = Variable(torch.zeros(3))
        made.index_copy_(0, batch, out)
        return made
    """
    (found,) = advice("TP102", _HEAD + textwrap.dedent(code))
    assert (
        "`with torch.set_grad_enabled(net.training):` around what calculates with out"
        in found.message
    )


def test_the_name_of_a_key_says_less_than_what_has_it() -> None:
    code = """
    def f(net, batches):
        for batch in batches:
            for key in batch:
                batch[key] = Variable(batch[key], volatile=True)
            net(batch)
    """
    (found,) = advice("TP102", _HEAD + textwrap.dedent(code))
    assert found.message.endswith("around what calculates with batch does what it did")


def test_what_an_object_keeps_together_is_told_of_together() -> None:
    code = """
    class Detector(object):
        def __init__(self, data, boxes):
            self.data = Variable(data, volatile=True)
            self.boxes = Variable(boxes, volatile=True)

        def detect(self, net):
            return net(self.data, self.boxes)

        def feed(self, data, boxes):
            self.data, self.boxes = data, boxes
    """
    (found,) = advice("TP102", _HEAD + textwrap.dedent(code))
    # What is fed otherwise may train there.
    assert found.message == (
        "volatile= has no effect since 0.4: drop it here and in line 9; what only evaluates goes under "
        "`with torch.no_grad():`"
    )


_KEPT = """
    class State(object):
        def __init__(self, context):
            self.source = {first}

        def repeat(self, beam):
            self.source = Variable(self.source.data.repeat(1, beam, 1), volatile=True){moved}

        def run(self, net):
            self.out = net(self.source)
"""


@pytest.mark.parametrize("first", ["context", "context * 2", "Variable(context)"])
def test_what_is_kept_in_the_place_of_something_that_trains_names_no_block(first: str) -> None:
    code = textwrap.dedent(_KEPT.format(first=first, moved=""))
    (found,) = advice("TP102", _HEAD + code)
    assert found.message.endswith("drop it; what only evaluates goes under `with torch.no_grad():`")


@pytest.mark.parametrize(
    ("first", "moved"),
    [
        ("None", ""),
        ("Variable(context, volatile=True)", ""),
        ("None", "\n            self.source = self.source.cuda()"),
    ],
)
def test_what_is_always_volatile_is_named_with_its_block(first: str, moved: str) -> None:
    code = textwrap.dedent(_KEPT.format(first=first, moved=moved))
    message = [f.message for f in advice("TP102", _HEAD + code)][-1]
    assert "around what calculates with self.source does what it did" in message


_EITHER = """
    def decode(inputs, net, batch):
        {above}if inputs is None:
            inputs = Variable(torch.zeros(batch, 3), volatile=True)
        {below}outs = []
        for step in range(3):
            outs.append(net.forward_step(inputs))
        return outs
"""


@pytest.mark.parametrize("above", ["", "inputs = inputs\n        "])
def test_what_callers_may_train_with_goes_under_no_block(above: str) -> None:
    code = _HEAD + textwrap.dedent(_EITHER.format(above=above, below=""))
    assert "no_grad" not in migrate(code, "TP102").text
    (found,) = advice("TP102", code)
    assert found.message.endswith("drop it; what only evaluates goes under `with torch.no_grad():`")


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("inputs = None\n        ", ""),
        ("", "inputs = Variable(inputs.data, volatile=True)\n        "),
    ],
)
def test_what_is_volatile_on_all_ways_goes_under_a_block(above: str, below: str) -> None:
    code = _HEAD + textwrap.dedent(_EITHER.format(above=above, below=below))
    assert "no_grad" in migrate(code, "TP102").text


_ANEW = """
    def forward_part(self, x, steps):
        {above}h = Variable(x.data, volatile=True)
        for step in range(steps):
            h = self.step(h)
            yield self.shown(h)
        {below}
"""


@pytest.mark.parametrize(
    ("above", "below", "is_named"),
    [
        ("", "", True),
        ("h = x\n        ", "", True),
        ("", "h = h.data\n        print(h)", True),
        ("", "h = Variable(h.data)\n        self.last = self.step(h)\n        ", False),
        ("h = self.first(x)\n        self.begun = self.step(h)\n        ", "", False),
    ],
)
def test_a_name_of_two_values_says_not_what_to_put_under_a_block(
    above: str, below: str, is_named: bool
) -> None:
    code = _HEAD + textwrap.dedent(_ANEW.format(above=above, below=below))
    messages = [f.message for f in advice("TP102", code)]
    assert any("around what calculates with h does" in one for one in messages) is is_named


_INDEXING = """
class Net(nn.Module):
    def forward(self, h, deg):
        out = torch.zeros(h.size())
        for i in range(3):
            at = Variable({0}, volatile=True)
            out[i] = self.update(torch.index_select(h, 0, at))
        return self.readout(out)
"""


def test_an_index_that_forward_makes_does_not_keep_it_from_training() -> None:
    text = _HEAD + _INDEXING.format("torch.nonzero(deg == i).squeeze(1)")
    assert migrate(text, "TP102").text == text
    (found,) = advice("TP102", text)
    assert found.message == "volatile= has no effect since 0.4: drop it"


def test_an_index_of_one_pass_alone_goes_under_no_grad() -> None:
    text = _HEAD + _INDEXING.format("torch.nonzero(deg == i).squeeze(1)").replace(
        "def forward", "def infer"
    )
    assert "with torch.no_grad():" in migrate(text, "TP102").text


_TURNED = """
import torch
from torch.autograd import Variable
class Turned:
    def __call__(self, model, batch):
        turned = Variable(torch.from_numpy(self.forward(batch)), volatile=True)
        return self.backward(model(turned).data.cpu().numpy())
    def forward(self, x):
        return x
    def backward(self, x):
        {body}
"""


@pytest.mark.parametrize(
    ("body", "is_blocked"), [("return x", True), ("self.loss(x).backward()", False)]
)
def test_what_a_class_calls_backward_may_train_nothing(body: str, is_blocked: bool) -> None:
    migrated = migrate(_TURNED.format(body=body), "TP102")
    assert ("with torch.no_grad():" in migrated.text) == is_blocked


_KEPT_BY_FORWARD = """
import torch.nn as nn
from torch.autograd import Variable
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
    def predict(self):
        return self.fc(self.x)
    def forward(self, x, mode='train'):
        self.x = Variable(x, volatile={flag})
        return self.predict()
"""


@pytest.mark.parametrize("flag", ["mode == 'test'", "not self.training"])
def test_what_forward_keeps_by_a_flag_evaluates_by_it(flag: str) -> None:
    (found,) = advice("TP102", _KEPT_BY_FORWARD.format(flag=flag))
    more = "; what only evaluates goes under `with torch.no_grad():`"
    assert found.message == "volatile= has no effect since 0.4: drop it" + more


def test_what_forward_always_keeps_so_evaluates_under_no_grad() -> None:
    migrated = migrate(_KEPT_BY_FORWARD.format(flag="True"), "TP102").text
    assert "with torch.no_grad():\n            return self.fc(self.x)" in migrated


def test_what_forward_keeps_by_a_flag_that_no_call_sets_is_only_dropped(tmp_path: Path) -> None:
    text = _KEPT_BY_FORWARD.format(flag="test").replace("mode='train'", "test=False")
    file = tmp_path / "net.py"
    file.write_text(text + "net = Net()\nnet.forward(h)\n")
    (tmp_path / ".git").mkdir()
    found = migrate_file(file, Settings(select=("TP102",)), write=False).findings
    assert {each.fixed for each in found} == {True}


_BY_FLAG = """import torch
from torch.autograd import Variable


class Model:
    def run(self, x, train=False):
        loss = self.net(x).mean()
        if train:
            loss.backward()
            self.optimizer.step()
        return loss

    def evaluate(self, data):
{0}"""


def _by_flag(body: str) -> str:
    return _BY_FLAG.format(textwrap.indent(body, " " * 8))


@pytest.mark.parametrize("flag", ["", ", False", ", train=False"])
def test_what_a_call_says_not_to_train_goes_under_no_grad(flag: str) -> None:
    before = _by_flag(f"x = Variable(data, volatile=True)\nreturn self.run(x{flag})\n")
    after = _by_flag(f"x = Variable(data)\nwith torch.no_grad():\n    return self.run(x{flag})\n")
    assert migrate(before, "TP102").text == after


@pytest.mark.parametrize("flag", [", True", ", train=flag", ", **options"])
def test_what_a_call_may_train_with_does_not(flag: str) -> None:
    text = _by_flag(f"x = Variable(data, volatile=True)\nreturn self.run(x{flag})\n")
    assert migrate(text, "TP102").text == text


def test_a_module_that_is_run_on_several_gpus_is_no_graph_beside() -> None:
    text = """
import torch
import torch.nn as nn
from torch.autograd import Variable


def train(encoder, decoder, loader, optimizer, criterion, gpus):
    for images, targets in loader:
        images, targets = Variable(images, volatile=True), Variable(targets)
        features = nn.parallel.data_parallel(encoder, images, gpus)
        outputs = nn.parallel.data_parallel(decoder, features, gpus)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
"""
    migration = migrate(text, "TP102")
    assert migration.text == text
    (told,) = migration.findings
    assert "keep its uses out of torch.no_grad()" in told.message


def test_the_value_that_a_criterion_takes_beside_a_graph_needs_none() -> None:
    text = """
import torch
import torch.nn as nn
from torch.autograd import Variable


def train(teacher, net, loader, optimizer, criterion, gpus):
    for images, x in loader:
        images = Variable(images, volatile=True)
        targets = nn.parallel.data_parallel(teacher, images, gpus)
        loss = criterion(net(x), targets)
        loss.backward()
        optimizer.step()
"""
    after = migrate(text).text
    assert "with torch.no_grad():\n            targets = nn.parallel" in after


def test_what_a_model_takes_first_has_a_graph_where_its_loss_has() -> None:
    text = """
import torch
import torch.nn as nn
from torch.autograd import Variable


def train(encoder, decoder, loader, optimizer, criterion):
    for images, captions, lengths, targets in loader:
        images, captions = Variable(images, volatile=True), Variable(captions)
        outputs = decoder(encoder(images), captions, lengths)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
"""
    migration = migrate(text, "TP102")
    assert migration.text == text
    (told,) = migration.findings
    assert "keep its uses out of torch.no_grad()" in told.message


_BESIDE = """
    def compared(y, t):
        return y * 2, t * 2

    def decode(net, env, loader, words):
        for x in loader:
            x = Variable(x, volatile=True)
            {0}
"""


@pytest.mark.parametrize(
    ("code", "is_shared"),
    [
        # What comes of t may have a graph, which nobody asks for.
        ("t = words; y, t = compared(net(x), t); print(y, net(t))", False),
        ("t = words; y, t = compared(net(x), t); net(t).backward()", True),
        ("t = words; y, t = compared(net(x), t); z = net(t); yield z", True),
        ("t = words; y, t = compared(net(x), t); return net(t)", True),
        ("t = words; y, t = compared(net(x), t); net.seen = net(t)", True),
        ("t = words; y, t = compared(net(x), t); env.keep(net(t))", True),
        ("t = words; y, t = compared(net(x), t); compared(net(t), 1)", True),
    ],
)
def test_what_stands_beside_a_volatile_value_counts_where_it_gets_out(
    code: str, is_shared: bool
) -> None:
    text = _HEAD + textwrap.dedent(_BESIDE.format(code))
    facts = WholeFacts(ast.parse(text), text)
    (call,) = volatile_calls(facts)
    assert is_shared_with_others(call, facts) is is_shared


def test_a_loop_that_asks_whether_it_is_done_records_nothing() -> None:
    code = """
    shown = Variable(torch.zeros(3), volatile=True)
    net, optimizer, done = make()
    for i in range(3):
        while not done:
            shown = shown.copy_(get())
            done = play(net, shown)
            loss = net(torch.zeros(3))
            loss.backward()
            optimizer.step()
        done = begin()
    """
    (found,) = advice("TP102", _HEAD + textwrap.dedent(code))
    assert "around what calculates with shown does what it did" in found.message


def test_what_callers_may_train_with_is_not_hidden_by_a_move() -> None:
    moved = "inputs = inputs.cuda()\n        "
    code = _HEAD + textwrap.dedent(_EITHER.format(above="", below=moved))
    assert "no_grad" not in migrate(code, "TP102").text
    (found,) = advice("TP102", code)
    assert found.message.endswith("drop it; what only evaluates goes under `with torch.no_grad():`")


@pytest.mark.parametrize(
    ("code", "is_named"),
    [
        ("loss = model(x)", True),
        ("loss = other(x)", False),
        ("loss = terms(model, x)", False),
        ("loss = model(terms(model, x))", False),
    ],
)
def test_a_model_that_trains_by_its_mode_alone_is_told_of_with_its_block(
    code: str, is_named: bool
) -> None:
    evaluating = _EVALUATES.replace("print(terms(model, x))", code + "\n        print(loss.data)")
    text = _HEAD + _TRAINING + evaluating.format(above="model.eval()", inside="pass")
    text = text.replace("model = Net()", "model = Net()\nother = Net()")
    (found,) = advice("TP102", text)
    named = "; `with torch.no_grad():` around what calculates with x does what it did"
    other = "; what only evaluates goes under `with torch.no_grad():`"
    assert found.message.endswith("drop it" + (named if is_named else other))
