"""What is said of volatile values that no block takes the place of, and outputs that are kept."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """
        import torch
        from torch.autograd import Variable
"""

_MODEL = """\
import torch
import torch.nn as nn
from torch.autograd import Variable


class Model:
    def __init__(self):
        self.net = nn.Linear(2, 2)

    def to(self, x):
        return x

    def forward(self, split):
        if split == "train":
            self.y = self.net(Variable(self.x))
        else:
            {0}
            self.show()

    def show(self):
        print(self.y)
"""

test_rewrites = rewrites(
    "TP102",
    {
        "an output that is kept": (
            _MODEL.format("self.y = self.net(Variable(self.x, volatile=True))"),
            _MODEL.format(
                "with torch.no_grad():\n                self.y = self.net(Variable(self.x))"
            ),
        ),
        "of a name": (
            _MODEL.format("x = Variable(self.x, volatile=True)\n            self.y = self.net(x)"),
            _MODEL.format(
                "x = Variable(self.x)\n            with torch.no_grad():\n"
                "                self.y = self.net(x)"
            ),
        ),
        "in a list that is kept": (
            _MODEL.format(
                "x = Variable(self.x, volatile=True)\n            self.y[0] = self.net(x)"
            ),
            _MODEL.format(
                "x = Variable(self.x)\n            with torch.no_grad():\n"
                "                self.y[0] = self.net(x)"
            ),
        ),
        "a leaf that nothing uses": (
            "from torch.autograd import Variable\n\nx = Variable(y, volatile=True).cuda()\n",
            "from torch.autograd import Variable\n\nx = Variable(y).cuda()\n",
        ),
    },
)

test_keeps = keeps(
    "TP102",
    {
        "a method gives it back": _MODEL.format(
            "self.y = self.to(Variable(self.x, volatile=True))"
        ),
        "the input is kept": _MODEL.format("self.y = Variable(self.x, volatile=True)").replace(
            "print(self.y)", "print(self.net(self.y))"
        ),
    },
)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param(
            """
        def f(nets, x, y):
            a = Variable(x, volatile=True)
            b = Variable(y, volatile=True)
            loss = nets.loss(a, b)
            print(nets.step())
            loss.fit(nets.criterion())
            return nets.other(loss, b)
            """,
            None,
            id="nothing is said of what is rewritten",
        ),
        pytest.param(
            """
        def f(net, fit, x, y):
            a = Variable(x, volatile=True)
            b = Variable(y, volatile=True)
            loss = net(fit(x), a, b)
            other = fit(net)
            other.backward()
            return net(loss, a, b)
            """,
            None,
            id="nor of two blocks",
        ),
        pytest.param(
            """
        def f(net, fit, x, train):
            x = Variable(x, volatile=not train)
            other = fit(net)
            return net(x) + other
            """,
            "drop it; `with torch.set_grad_enabled(torch.is_grad_enabled() and train):` around "
            "what calculates with x does what it did",
            id="a flag that is calculated",
        ),
        pytest.param(
            """
        def f(net, fit, x, y, train):
            x = Variable(x, volatile=not train)
            y = Variable(y, volatile=not train)
            other = fit(net)
            return net(x, y) + other
            """,
            "drop it here and in line 6; `with torch.set_grad_enabled(torch.is_grad_enabled() and train):` "
            "around what calculates with x and y does what it did",
            id="of two once",
        ),
        pytest.param(
            """
        def collate(batch, train):
            xs = Variable(torch.stack(batch), volatile=not train)
            return xs, len(batch)
            """,
            "drop it; what only evaluates goes under `with torch.no_grad():`",
            id="what is returned among others",
        ),
        pytest.param(
            """
        def collate(batch):
            return Variable(torch.stack(batch), volatile=True)
            """,
            "drop it; what only evaluates goes under `with torch.no_grad():`",
            id="what is returned",
        ),
        pytest.param(
            """
        def scores(net, batches):
            out = torch.zeros(len(batches))
            for i, batch in enumerate(batches):
                out[i] = net(Variable(batch, volatile=True))
            return out
            """,
            "drop it; `with torch.no_grad():` around what calculates with this Variable does what "
            "it did",
            id="what is calculated of it is returned",
        ),
        pytest.param(
            """
        class Batches:
            def indices(self, data):
                out = []
                for x in data:
                    out.append(Variable(x, volatile=self.volatile))
                return out, len(data)
            """,
            "drop it; what only evaluates goes under `with torch.no_grad():`",
            id="what is put into a list by a flag of the object",
        ),
        pytest.param(
            """
        def batches(data, train):
            for x, y in data:
                yield Variable(x, volatile=not train), Variable(y, volatile=not train)
            """,
            "drop it; what only evaluates goes under `with torch.no_grad():`",
            id="what is yielded",
        ),
        pytest.param(
            """
        class Episodes:
            @property
            def actions(self):
                return Variable(self._actions, volatile=self._volatile)
            """,
            "drop it; what only evaluates goes under `with torch.no_grad():`",
            id="a flag that callers do not know",
        ),
        pytest.param(
            """
        class State:
            def repeat(self, n):
                parts = [Variable(e.data.repeat(1, n), volatile=True) for e in self.all]
                self.hidden = tuple(parts[:-1])
                self.feed = parts[-1]
            """,
            "drop it; what only evaluates goes under `with torch.no_grad():`",
            id="a list, with the name of which nothing is calculated",
        ),
        pytest.param(
            """
        class State:
            def repeat(self, n):
                self.hidden = Variable(self.hidden.data.repeat(1, n), volatile=self.test)
            """,
            "drop it; what only evaluates goes under `with torch.no_grad():`",
            id="a flag and a value of an object",
        ),
        pytest.param(
            """
        def decode(net, fit, loader, kept):
            tmp = [Variable(x, volatile=True) for x in loader]
            labels, masks = tmp
            codes = net(labels)
            kept.append(codes)
            fit(net).backward()
            return codes
            """,
            "drop it; what only evaluates goes under `with torch.no_grad():`",
            id="a list that is unpacked",
        ),
    ],
)
def test_what_goes_under_which_block_is_told(code: str, said: str | None) -> None:
    found = [f.message for f in advice("TP102", _HEAD + code)]
    after = migrate(textwrap.dedent(_HEAD + code).lstrip("\n"), "TP102").text
    if said is None:
        assert found == []
        assert "volatile" not in after
    else:
        assert found == [f"volatile= has no effect since 0.4: {said}"]


_STEP = """
        def step(net, loss, fit, batch, target, train):
            if train:
                x = Variable(batch)
            else:
                x = Variable(batch, volatile=True)
            error = loss(net(x), fit(net))
            fit(error, net(batch))
            if train:
                error.backward()
            return error.data
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param(
            _STEP,
            "drop it; `with torch.set_grad_enabled(train):` around what calculates with "
            "x does what it did",
            id="a branch that does not train",
        ),
        pytest.param(
            _STEP.replace("if train:\n                x", "if not train:\n                x")
            .replace("Variable(batch)", "Variable(batch, volatile=True)", 1)
            .replace(
                "else:\n                x = Variable(batch, volatile=True)",
                "else:\n                x = Variable(batch)",
            ),
            "drop it; `with torch.set_grad_enabled(train):` around what calculates with "
            "x does what it did",
            id="the other branch",
        ),
        pytest.param(
            """
        def step(net, loss, fit, batch, target):
            x = Variable(batch, volatile=True)
            error = loss(net(x), fit(net))
            fit(error, net(batch))
            total = error + fit(target)
            total.backward()
            """,
            "drop it, and keep its uses out of torch.no_grad(), as they go into total.backward()",
            id="a step of its own",
        ),
        pytest.param(
            """
        def step(net, batch):
            x = Variable(batch, volatile=True).cuda()
            return net(x.detach())
            """,
            "drop it; `with torch.no_grad():` around what calculates with x does what it did",
            id="a part without a graph was volatile",
        ),
        pytest.param(
            """
        class Agent:
            def reset(self, x, y):
                self.hidden = (Variable(x, volatile=True), Variable(y, volatile=True))

            def act(self):
                return self.net(self.hidden)
            """,
            "drop it; `with torch.no_grad():` around what calculates with self.hidden does what it "
            "did",
            id="two that are kept",
        ),
    ],
)
def test_what_is_differentiated_or_kept_is_told(code: str, said: str) -> None:
    found = [f.message for f in advice("TP102", _HEAD + code)]
    assert found == [f"volatile= has no effect since 0.4: {said}"]


_BESIDE = """
        def sample(encoder, given, field):
            x, n = given
            return [field.name(n)], encoder(x)
        def test(encoder, decoder, field, loader, names, losses):
            for x, y in loader:
                x = Variable(x, volatile=True)
                y = Variable(y, volatile=True)
                loss = decoder(y, encoder(x)).sum()
                found, _ = sample(encoder, (x, 1), field)
                names.append(found)
                losses.append(loss.data.cpu().numpy())
"""

_DECODING = """
        def search(net, decoder, src, beam):
            src = Variable(src, volatile=True)
            contexts = net(src)
            def var(a):
                return Variable(a, volatile=True)
            state = var(contexts.data)
            for b in beam:
                out, state = decoder(var(b.current()), state)
                b.advance(out.data)
"""

_WRAPPING = """
        def evaluate(net, fit, loader, total):
            for xs, y in loader:
                def wrap(x):
                    x = Variable(x, volatile=True)
                    return x
                xs = list(map(wrap, xs))
                y = Variable(y, volatile=True)
                out = net(*xs)
                total += fit(out, y).data[0]
            return total
"""


@pytest.mark.parametrize(
    ("code", "lines"), [(_WRAPPING, (10, 7)), (_BESIDE, (9, 10)), (_DECODING, (5, 8))]
)
def test_of_values_that_go_together_none_gets_a_block_alone(
    code: str, lines: tuple[int, int]
) -> None:
    text = textwrap.dedent(_HEAD + code).lstrip("\n")
    (found,) = advice("TP102", text)
    first, second = lines
    assert (
        found.line == first and f"drop it here and in line {second}; `with torch" in found.message
    )
    assert migrate(text, "TP102").text == text


def test_a_value_of_another_branch_gets_its_block_alone() -> None:
    text = """
        from lib import show
        def test(encoder, decoder, x, y, twice):
            if twice:
                x = Variable(x, volatile=True)
                show(encoder, (x, 1))
            else:
                y = Variable(y, volatile=True)
                print(decoder(y).sum().data.cpu().numpy())
        def run(net, z):
            z = Variable(z, volatile=True)
            print(net(z).sum().data.cpu().numpy())
    """
    assert migrate(textwrap.dedent(_HEAD + text).lstrip("\n"), "TP102").text.count("no_grad") == 2


def test_a_value_beside_what_trains_gets_its_block_alone() -> None:
    text = _BESIDE.replace("names, losses):", "names, losses, fit, opt):")
    text += "                fit(encoder(loss.data)).backward()\n                opt.step()\n"
    assert "no_grad" in migrate(textwrap.dedent(_HEAD + text).lstrip("\n"), "TP102").text


def test_both_branches_of_a_test_tell_of_no_block() -> None:
    text = """
        def step(net, batch, anno, cuda):
            if cuda:
                y = Variable(anno.cuda(), volatile=True)
            else:
                y = Variable(anno, volatile=True)
            loss = (net(batch) - y).sum()
            loss.backward()
            x = Variable(batch, volatile=True)
            print(net(x))
        """
    found = [f.message for f in advice("TP102", _HEAD + text)]
    assert "drop it here and in line 8, and keep its uses out of torch.no_grad()" in found[0]


_MOVING = """import torch
import torch.nn as nn
from torch.autograd import Variable

def to_gpu(x):
    {0}

class Net(nn.Module):
    def unwrap(self, x):
        return to_gpu(Variable(torch.from_numpy(x), volatile=not self.training))
"""


@pytest.mark.parametrize("moved", ["return x.cuda()", "return x.cuda() if GPU else x", "return x"])
def test_no_block_is_written_around_a_return_that_only_moves(moved: str) -> None:
    result = migrate(_MOVING.format(moved))
    beside = migrate(_MOVING.format(moved).replace("not self.training))", "not self.training)), x"))
    for each in (result, beside):
        assert "set_grad_enabled" not in each.text
        assert any(f.code == "TP102" and "set_grad_enabled" in f.message for f in each.findings)


@pytest.mark.parametrize("calculated", ["return NET(x)", "return NET(x.cuda())", "return x * W"])
def test_a_block_stands_around_a_return_that_calculates(calculated: str) -> None:
    result = migrate(_MOVING.format(calculated))
    assert "with torch.set_grad_enabled(self.training):" in result.text


_ZIPPED = """\
import torch
from torch.autograd import Variable


def f(net, names, batch, fit, kept):
    other = fit(net)
    {0}
    other.backward()
    for name, y in zip(names, ys):
        kept[name] = {1}
"""

test_rewrites_beside_names = rewrites(
    "TP102",
    {
        "names that are walked through beside the outputs": (
            _ZIPPED.format(
                "x = Variable(batch, volatile=True)\n    ys = net(x)", "fit(name, y.data.numpy())"
            ),
            _ZIPPED.format(
                "x = Variable(batch)\n    with torch.no_grad():\n        ys = net(x)",
                "fit(name, y.data.numpy())",
            ),
        ),
    },
)

_WALKED = """\
import torch
from torch.autograd import Variable
def f(net, names, batch, fit, kept):
    other = fit(net)
    x = Variable(batch, volatile=True)
    ys = net(x)
    other.backward()
    for {0}:
        kept.append(fit({1}))
"""


@pytest.mark.parametrize(
    ("walked", "used", "is_output"),
    [
        ("name, y in zip(names, ys)", "name", False),
        ("name, y in zip(names, ys)", "y", True),
        ("*name, y in zip(names, ys)", "y", True),
        ("name, *y in zip(names, ys)", "y", True),
        ("name, y in zip(*names, ys)", "name", True),
        ("both in zip(names, ys)", "both", True),
    ],
)
def test_what_stands_beside_the_outputs_is_no_output(
    walked: str, used: str, is_output: bool
) -> None:
    assert bool(advice("TP102", _WALKED.format(walked, used))) is is_output


_COVERED = """
        from m import Net
        def test(extend, step):
            net, done = Net(), True
            while True:
                if done:
                    hx = Variable(torch.zeros(1, 3), volatile=True)
                    cx = Variable(torch.zeros(1, 3), volatile=True)
                {0}
                    y, (hx, cx) = net(extend(done), (hx.detach(), cx.detach()))
                done = step(y.max(1)[1])
"""


def test_what_is_under_no_grad_already_needs_no_further_block() -> None:
    text = textwrap.dedent(_HEAD + _COVERED.format("with torch.no_grad():"))
    assert migrate(text, "TP102").text == text.replace(", volatile=True", "")
    (found,) = advice("TP102", _HEAD + _COVERED.format("if step:"))
    assert "`with torch.no_grad():` around what calculates with hx and cx does" in found.message


_LISTED = """
        def f(net, batch, others):
            xs = []
            if batch.use:
                x = Variable(batch.x, volatile=True)
                for other in others:
                    xs.append(Variable(other, volatile=True))
            else:
                x = Variable(batch.y, volatile=True)
                {0}
            y = net(x)
            return y, xs
"""


def test_what_leaves_in_a_list_is_told_of_once() -> None:
    (found,) = advice("TP102", _HEAD + _LISTED.format("pass"))
    assert found.message.endswith(
        "drop it here and in lines 9 and 11; `with torch.no_grad():` around what calculates with these "
        "Variables does what it did"
    )


_CHOSEN = """
        def f(model, batches, opt, decode, file):
            for b in batches:
                x = Variable(b['x'], volatile=True).cuda()
                z = {0}
                if z is not None:
                    y, _ = model.predict(x, z, size=opt.size)
                else:
                    y, _ = model.predict(x, size=opt.size)
                story = decode(opt, y)
                file.append(story)
                file.out.append(story)
"""


@pytest.mark.parametrize(
    ("made", "names"),
    [
        ("Variable(b['z'], volatile=True).cuda() if b else None", "x and z"),
        ("None if b else Variable(b['z'], volatile=True)", "x and z"),
        ("[Variable(b['z'], volatile=True) if b else None]", "these Variables"),
        ("None if b else wrap(Variable(b['z'], volatile=True))", "these Variables"),
    ],
)
def test_what_a_choice_makes_is_told_of_by_its_name(made: str, names: str) -> None:
    (found,) = advice("TP102", _HEAD + _CHOSEN.format(made))
    assert f"around what calculates with {names} does what it did" in found.message


_WORDS = """
        class Parser(torch.nn.Module):
            def prepare(self, words, n):
                nonterms = Variable(self.new(n), volatile=not self.training)
                found = self.embedding(nonterms)
                last = self.encoder({used})
                {kept} = dict(zip(nonterms.data.tolist(), last))
                words.append({given})
            def push(self, i):
                self.stack.push(self.embs[i])
"""


@pytest.mark.parametrize(
    ("used", "kept", "given", "is_kept"),
    [
        ("found", "self.embs", "last", True),
        ("found.view(-1)", "self.embs", "last", True),
        ("found", "embs", "last", False),
        ("found.data", "self.embs", "found", False),
        ("n", "self.embs", "found", False),
    ],
)
def test_what_an_object_keeps_of_it_others_calculate_with(
    used: str, kept: str, given: str, is_kept: bool
) -> None:
    said = "volatile= has no effect since 0.4: drop it; what only evaluates goes under `with "
    found = advice("TP102", _HEAD + _WORDS.format(used=used, kept=kept, given=given))
    assert any(f.message.startswith(said) for f in found) is is_kept


_NAMELESS = """
        class Batches:
            def tokens(self, batch, gpu):
                example.tokens = gpu(Variable(batch, volatile={flag}))
                return example
            def pairs(self, batch, gpu):
                example.tokens, example.pairs = gpu(Variable(batch, volatile={flag})), batch
                return example
            def named(self, batch, gpu):
                example.x = x = Variable(batch, volatile={flag})
                return example
"""


def test_what_has_no_name_is_told_of_once_in_a_file() -> None:
    found = advice("TP102", _HEAD + _NAMELESS.format(flag="not self.training"))
    assert [f.line for f in found] == [6, 12]
    assert found[0].message.endswith(
        "drop it here and in line 9; `with torch.set_grad_enabled(self.training):` around what "
        "calculates with these Variables does what it did"
    )


def test_a_flag_of_a_function_is_told_of_in_it() -> None:
    text = _NAMELESS.format(flag="not train").replace("batch, gpu)", "batch, gpu, train)")
    assert [f.line for f in advice("TP102", _HEAD + text)] == [6, 9, 12]


_PRIORS = """
        class Net(torch.nn.Module):
            def {0}(self, x):
                self.priors = Variable(make(x), volatile=True)
                return x + 1, self.priors
"""


def test_what_forward_keeps_is_used_in_training_as_well() -> None:
    (found,) = advice("TP102", _HEAD + _PRIORS.format("forward"))
    assert found.message == "volatile= has no effect since 0.4: drop it"
    (found,) = advice("TP102", _HEAD + _PRIORS.format("prepare"))
    assert found.message.endswith("drop it; what only evaluates goes under `with torch.no_grad():`")


def test_what_a_constructor_keeps_is_read_in_training_as_well() -> None:
    made = _PRIORS.replace("                return x + 1, self.priors\n", "")
    (found,) = advice("TP102", _HEAD + made.format("__init__"))
    assert "self.priors does what it did" not in found.message
    (found,) = advice("TP102", _HEAD + made.format("prepare"))
    assert found.message.endswith("what calculates with self.priors does what it did")


_SIZED = """
        class Net(nn.Module):
            def __init__(self, shape):
                super().__init__()
                self.conv = nn.Conv2d(3, 4, 3)
                self.kept = self.features(Variable(torch.zeros(*shape), volatile=True)){0}
            def features(self, x):
                return self.conv(x)
"""


@pytest.mark.parametrize(
    ("read", "is_size"),
    [
        (".view(-1).shape[0]", True),
        (".size(0)", True),
        (".numel()", True),
        ("", False),
        (".view(-1)", False),
        (".sum()", False),
    ],
)
def test_a_size_that_an_object_keeps_has_no_graph(read: str, is_size: bool) -> None:
    text = textwrap.dedent(_HEAD + "        import torch.nn as nn\n" + _SIZED.format(read))
    assert ("with torch.no_grad():" in migrate(text, "TP102").text) is is_size
    assert bool(advice("TP102", text)) is not is_size


_NEVER_SET = """
        def make(x, volatile=False, grad=True):
            if volatile:
                grad = False
            return Variable(x, volatile=volatile, requires_grad=grad)
        def run(net, x):
            return net(make(x{0}))
"""


@pytest.mark.parametrize(("given", "is_set"), [("", False), (", volatile=True", True)])
def test_a_flag_that_nobody_sets_needs_no_block(tmp_path: Path, given: str, is_set: bool) -> None:
    (tmp_path / "make.py").write_text(textwrap.dedent(_HEAD + _NEVER_SET.format(given)))
    result = migrate_file(tmp_path / "make.py", Settings(select=("TP102",)), write=False)
    said = [f.message for f in result.findings if f.line == 8 and f.reason is None]
    assert ("Variable(x, requires_grad=grad)" in str(result.after)) is not is_set
    assert bool(said) is is_set and not any(message.endswith("drop it") for message in said)


_OF_OBJECT = """
        class Batches:
            def __init__(self, data, evaluation=False):
                self.data = data
                self.evaluation = evaluation
            def __iter__(self):
                def padded(x):
                    return Variable(x, volatile=self.evaluation)
                for x in self.data:
                    yield padded(x)
        train = Batches(load(){0})
        {1}
"""


@pytest.mark.parametrize(
    ("given", "below", "is_set"),
    [
        ("", "", False),
        (", False", "", False),
        (", evaluation=True", "", True),
        ("", "train.evaluation = True", True),
        ("", "made(Batches)", True),
    ],
)
def test_a_flag_of_an_object_that_nobody_sets_goes(
    tmp_path: Path, given: str, below: str, is_set: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "make.py").write_text(textwrap.dedent(_HEAD + _OF_OBJECT.format(given, below)))
    result = migrate_file(tmp_path / "make.py", Settings(select=("TP102",)), write=False)
    assert ("return Variable(x)" in str(result.after)) is not is_set


_LEFT_ON = """
        def make(x, training=True):
            return Variable(x, volatile=(not training))
        def run(net, x):
            return net(make(x{0})) + net(make(x, True))
"""


@pytest.mark.parametrize(
    ("given", "is_set"),
    [("", False), (", training=True", False), (", False", True), (", net.training", True)],
)
def test_a_flag_that_everybody_leaves_on_is_never_off(
    tmp_path: Path, given: str, is_set: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "make.py").write_text(textwrap.dedent(_HEAD + _LEFT_ON.format(given)))
    result = migrate_file(tmp_path / "make.py", Settings(select=("TP102",)), write=False)
    assert ("return Variable(x)" in str(result.after)) is not is_set


def test_what_is_told_of_lists_is_told_once_with_what_is_returned() -> None:
    text = """
        class Batches:
            def many(self, data):
                out = []
                for x in data:
                    out.append(Variable(x, volatile=self.volatile))
                return out
            def one(self, x):
                return Variable(x, volatile=self.volatile)
    """
    (found,) = advice("TP102", _HEAD + text)
    assert found.line == 8
    assert "drop it here and in line 11; what only evaluates goes" in found.message


def test_the_line_of_a_flag_is_told_and_not_that_of_its_call() -> None:
    text = """
        def batches(data, train):
            for x, y in data:
                first = Variable(x, volatile=not train)
                second = Variable(y,
                                  volatile=not train)
                yield first, second
    """
    (found,) = advice("TP102", _HEAD + text)
    assert found.line == 6
    assert "drop it here and in line 8;" in found.message


def test_what_functions_read_of_the_module_level_is_of_no_block() -> None:
    text = "import torch\nfrom torch.autograd import Variable\nfrom nets import net, boxes\n"
    text += "priors = Variable(boxes(), volatile=True)\n"
    (found,) = advice("TP102", f"{text}def train():\n    net(priors).sum().backward()\n")
    assert found.message.endswith("drop it; what only evaluates goes under `with torch.no_grad():`")
    assert not advice("TP102", f"{text}print(net(priors).sum())\n")


_OF_LIST = """
        class Fold:
            def numbers(self, args, used):
                res = []
                for arg in args:
                    if self.cuda:
                        var = Variable(torch.cuda.LongTensor(arg), volatile=self.volatile)
                    else:
                        var = Variable(torch.LongTensor(arg), volatile=self.volatile)
                    res.append(var)
                    {}
                return res
            def number(self, arg):
                return Variable(torch.LongTensor([arg]), volatile=self.volatile)
"""


def test_what_others_calculate_with_is_told_of_once_in_a_file() -> None:
    (found,) = advice("TP102", _HEAD + _OF_LIST.format("pass"))
    assert found.message == (
        "volatile= has no effect since 0.4: drop it here and in lines 11 and 16; what only evaluates "
        "goes under `with torch.no_grad():`"
    )
    named, other = advice("TP102", _HEAD + _OF_LIST.format("used(var)"))
    assert "calculates with var" in named.message and other.line == 16


_BEAM = """
        class Search:
            def search(self, net, n, volatile={}):
                a = Variable(torch.zeros(n), volatile=volatile)
                b = Variable(torch.ones(n), volatile=volatile)
                return net(a, b)
        def run(searches, fit):
            fit(*[s.search for s in searches])
"""


@pytest.mark.parametrize(
    ("default", "said"),
    [
        ("True", "what only evaluates goes under `with torch.no_grad():`"),
        (
            "False",
            "`with torch.no_grad():` around the calls of search that set it does what it did",
        ),
    ],
)
def test_of_a_flag_that_is_on_by_default_no_calls_are_told_that_set_it(
    default: str, said: str
) -> None:
    (found,) = advice("TP102", _HEAD + _BEAM.format(default))
    assert found.message == f"volatile= has no effect since 0.4: drop it here and in line 7; {said}"


def test_a_condition_is_turned_around() -> None:
    code = """
        def f(net, fit, x, a, b):
            x = Variable(x, volatile=not a or not b)
            other = fit(net)
            return net(x) + other
    """
    (found,) = advice("TP102", _HEAD + code)
    assert "`with torch.set_grad_enabled(torch.is_grad_enabled() and a and b):`" in found.message
    (found,) = advice("TP102", _HEAD + code.replace("not a or not b", "not a and b"))
    block = "`with torch.set_grad_enabled(torch.is_grad_enabled() and not (not a and b)):`"
    assert block in found.message


@pytest.mark.parametrize(
    "mark",
    [
        "    x.volatile = flag\n",
        "    x.volatile = not net.training\n",
        "    if flag:\n        x.volatile = True\n",
    ],
)
def test_a_mark_that_hangs_on_a_flag_names_no_block_that_always_stands(mark: str) -> None:
    text = (
        "from torch.autograd import Variable\ndef f(net, x, flag):\n    x = Variable(x)\n"
        f"{mark}    y = net(x)\n    print(y.data)\n"
    )
    assert migrate(text, "TP102").text == text
    (found,) = advice("TP102", text)
    assert "what only evaluates goes under `with torch.no_grad():`" in found.message
    assert "does what it did" not in found.message
    always = text.replace(mark, "    x.volatile = True\n")
    assert "with torch.no_grad():\n        y = net(x)" in migrate(always, "TP102").text


_FILLED = """
        class Loader(object):
            def fill(self, net, values, out):
                for key in {0}:
                    out[key] = Variable(values[key], volatile={1})
                {2}
"""


@pytest.mark.parametrize("flag", ["True", "not self.is_training"])
@pytest.mark.parametrize(
    ("keys", "after", "is_named"),
    [
        ("values", "pass", False),
        ("out.keys()", "pass", False),
        ("values", "net(out)", True),
        ("values", "net(out['x'])", True),
        ("values", "net(*out.values())", True),
    ],
)
def test_what_is_put_into_what_a_caller_gave_has_the_callers_name(
    flag: str, keys: str, after: str, is_named: bool
) -> None:
    (found,) = advice("TP102", _HEAD + _FILLED.format(keys, flag, after))
    assert ("what calculates with out" in found.message) is is_named
    if not is_named:
        assert found.message.endswith("what only evaluates goes under `with torch.no_grad():`")


@pytest.mark.parametrize(
    ("given", "other"),
    [
        ("volatile=off, requires_grad=not off", "not off"),
        ("requires_grad=(not off), volatile=off", "not off"),
        ("volatile=not train, requires_grad=train", "train"),
        ("volatile=off, requires_grad=off", None),
        ("volatile=off, requires_grad=True", None),
        ("volatile=off, requires_grad=not train", None),
    ],
)
def test_what_requires_gradients_otherwise_may_go_without_a_block(
    given: str, other: str | None
) -> None:
    text = f"""
        from torch.autograd import Variable
        def f(net, fit, x, off, train):
            x = Variable(x.data, {given})
            other = fit(net)
            return net(x) + other
    """
    said = f"drop it, as requires_grad={other} does the same where nothing else needs gradients; "
    told = [found.message for found in advice("TP102", text)]
    assert any(said in message for message in told) is (other is not None)
    assert all("around what calculates with x does what it did" in message for message in told)


_GRADIENTS = """
    from torch.autograd import Variable
    def make_grads(grads, create_graph):
        return [Variable(grad, volatile=not create_graph) for grad in grads]
    def backward(outputs, grads, keep, create_graph=False):
        Variable._execution_engine.run_backward(outputs, make_grads(grads, create_graph), keep)
"""


def test_what_the_flag_of_gradients_told_the_engine_is_named() -> None:
    (found,) = advice("TP102", _GRADIENTS)
    assert found.message.endswith(
        "drop it; create_graph=create_graph in line 5 tells the engine today what it did"
    )


@pytest.mark.parametrize(
    "text",
    [
        # Here nothing of that name is known.
        _GRADIENTS.replace("keep, create_graph=False", "keep, more=False"),
        _GRADIENTS.replace("_execution_engine.run_backward", "engine.run"),
        _GRADIENTS.replace("not create_graph", "create_graph"),
    ],
)
def test_what_other_flags_told_is_not(text: str) -> None:
    assert all("create_graph=" not in found.message for found in advice("TP102", text))
