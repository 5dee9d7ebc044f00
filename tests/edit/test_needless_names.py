"""Names that only Variables needed go with them; names that mean something stay."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import migrate, twice_migrated
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = "import torch\nfrom torch.autograd import Variable\n"


def _after(text: str) -> str:
    return twice_migrated(_HEAD, text)


_NOISE = """
        class Noise(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.noise = torch.zeros(2)
            def forward(self, x):
"""

_FOLDED = {
    "an attribute that the next line reads": (
        _NOISE
        + """
                noise = Variable(self.noise)
                x = x + torch.exp(noise)
                return x
        """,
        _NOISE
        + """
                x = x + torch.exp(self.noise)
                return x
        """,
    ),
    "an attribute of which a comment speaks by the same name": (
        _NOISE
        + """
                # sample random noise
                self.noise.normal_()
                noise = Variable(self.noise)

                # add it
                x = x + noise
                return x
        """,
        _NOISE
        + """
                # sample random noise
                self.noise.normal_()

                # add it
                x = x + self.noise
                return x
        """,
    ),
    "several names of one statement": (
        """
        def train(model, n):
            for _ in range(n):
                left, right = torch.zeros(n), torch.ones(n)
                linput, rinput = Variable(left), Variable(right)
                model(linput, rinput)
        """,
        """
        def train(model, n):
            for _ in range(n):
                left, right = torch.zeros(n), torch.ones(n)
                model(left, right)
        """,
    ),
    "several names that are moved below": (
        """
        device = torch.device("cuda")
        def train(model, n):
            for _ in range(n):
                left, right = torch.zeros(n), torch.randn(n)
                linput, rinput = Variable(left), Variable(right)
                target = torch.zeros(n)
                linput, rinput = linput.cuda(), rinput.cuda()
                model(linput, rinput, target)
        """,
        """
        device = torch.device("cuda")
        def train(model, n):
            for _ in range(n):
                left, right = torch.zeros(n), torch.randn(n)
                target = torch.zeros(n)
                linput, rinput = left.to(device), right.to(device)
                model(linput, rinput, target)
        """,
    ),
    "several names by another name of Variable": (
        """
        from torch.autograd import Variable as Var
        def train(model, n):
            for _ in range(n):
                left, right = torch.zeros(n), torch.ones(n)
                linput, rinput = Var(left), Var(right)
                model(linput, rinput)
        """,
        """
        def train(model, n):
            for _ in range(n):
                left, right = torch.zeros(n), torch.ones(n)
                model(left, right)
        """,
    ),
    "code that was taken out has them": (
        """
        def train(model, n):
            x, y = torch.zeros(n), torch.ones(n)
            print(x, y)
            old, new = Variable(x), y
            older, newer = Variable(x), Variable(y)
            for _ in range(n):
                # all of it:
                # newer[0] = older[0] + 1

                # print(newer)
                model(older)
                model(newer)
        """,
        """
        def train(model, n):
            x, y = torch.zeros(n), torch.ones(n)
            print(x, y)
            old, new = x, y
            for _ in range(n):
                # all of it:
                # y[0] = x[0] + 1

                # print(y)
                model(x)
                model(y)
        """,
    ),
    "code that was taken out below has it": (
        """
        def train(model, n):
            x = torch.zeros(n)
            print(x)
            old = Variable(x)

            # print(old)
            y = model(old)
            # print(old.size())
            return y
        """,
        """
        def train(model, n):
            x = torch.zeros(n)
            print(x)

            # print(x)
            y = model(x)
            # print(x.size())
            return y
        """,
    ),
    "code that was taken out has names of two lines": (
        """
        def train(model, n):
            x, y = torch.zeros(n), torch.ones(n)
            print(x, y)
            old = Variable(x)
            new = Variable(y)
            for _ in range(n):
                # old.zero_()
                # new.zero_()

                model(old, new)
        """,
        """
        def train(model, n):
            x, y = torch.zeros(n), torch.ones(n)
            print(x, y)
            for _ in range(n):
                # x.zero_()
                # y.zero_()

                model(x, y)
        """,
    ),
    "a comment of another function has that name": (
        """
        def train(model, n):
            # old, which was young
            x = torch.zeros(n)
            return model(x)
        def test(model, n):
            x = torch.zeros(n)
            old = Variable(x)
            return model(old)
        """,
        """
        def train(model, n):
            # old, which was young
            x = torch.zeros(n)
            return model(x)
        def test(model, n):
            x = torch.zeros(n)
            return model(x)
        """,
    ),
    "a name for what a loader gives": (
        """
        from torch.utils.data import DataLoader
        def train(data, model):
            for images, labels in DataLoader(data):
                inputs = Variable(images)
                targets = Variable(labels)
                loss = model(inputs, targets[:, 0])
                loss.backward()
        """,
        """
        from torch.utils.data import DataLoader
        def train(data, model):
            for images, labels in DataLoader(data):
                loss = model(images, labels[:, 0])
                loss.backward()
        """,
    ),
    "one that is moved right below, which a comment speaks of": (
        """
        def train(images, model, device):
            # model(inputs)
            images = torch.from_numpy(images)
            inputs = Variable(images)
            inputs = inputs.to(device)
            return model(inputs)
        """,
        """
        def train(images, model, device):
            # model(inputs)
            images = torch.from_numpy(images)
            inputs = images.to(device)
            return model(inputs)
        """,
    ),
    "one that is moved right below": (
        """
        def train(images, model, device):
            images = torch.from_numpy(images)
            inputs = Variable(images)
            inputs = inputs.to(device)
            return model(inputs) + model(inputs)
        """,
        """
        def train(images, model, device):
            images = torch.from_numpy(images)
            inputs = images.to(device)
            return model(inputs) + model(inputs)
        """,
    ),
    "one that is moved right below, with a comment beside it": (
        """
        device = torch.device("cuda")
        def train(images, model):
            images = torch.from_numpy(images)
            print(images)
            inputs = Variable(images)  # (batch, 3, 8, 8)
            inputs = inputs.to(device)
            return model(inputs)
        """,
        """
        device = torch.device("cuda")
        def train(images, model):
            images = torch.from_numpy(images)
            print(images)
            inputs = images.to(device)  # (batch, 3, 8, 8)
            return model(inputs)
        """,
    ),
    "one with a comment on how it was made": (
        """
        def run(model, a):
            x = torch.from_numpy(a)
            img = Variable(x)  # wrap it in Variable
            return model(img)
        """,
        """
        def run(model, a):
            x = torch.from_numpy(a)
            return model(x)
        """,
    ),
    "one that a comment beside it tells of": (
        """
        def run(model, a):
            x = torch.from_numpy(a)

            img = Variable(x)  # [bs, 6, H, W]
            return model(img)
        """,
        """
        def run(model, a):
            img = torch.from_numpy(a)  # [bs, 6, H, W]
            return model(img)
        """,
    ),
    "one that is returned": (
        """
        def make(n):
            x = torch.zeros(n)
            y = Variable(x)
            return y
        """,
        """
        def make(n):
            x = torch.zeros(n)
            return x
        """,
    ),
    "what is moved and returned": (
        """
        def to_var(x):
            x = torch.from_numpy(x).float()
            return Variable(x)
        """,
        """
        def to_var(x):
            return torch.from_numpy(x).float()
        """,
    ),
    "what is moved and kept": (
        """
        class Layer:
            def __init__(self, mask):
                mask = torch.from_numpy(mask).float()
                self.mask = Variable(mask)
        """,
        """
        class Layer:
            def __init__(self, mask):
                self.mask = torch.from_numpy(mask).float()
        """,
    ),
    "the other is bound to what is made of it": (
        """
        def load(resize, path):
            image = torch.from_numpy(path)
            image_var = Variable(image)
            image = resize(image_var).squeeze(0)
            return image
        """,
        """
        def load(resize, path):
            image = torch.from_numpy(path)
            image = resize(image).squeeze(0)
            return image
        """,
    ),
    "a comment above goes on to the next line": (
        """
        def train(model, n):
            x = torch.zeros(n)

            # as it is at first
            old = Variable(x)
            print(old)
            old = model(n)
            return old
        """,
        """
        def train(model, n):
            x = torch.zeros(n)

            # as it is at first
            print(x)
            old = model(n)
            return old
        """,
    ),
    "a name of a Variable that is called otherwise": (
        """
        from torch.autograd import Variable as V
        def train(model, device):
            image = torch.ones(2)
            x = V(image)
            x = x.to(device)
            return model(x, x)
        """,
        """
        def train(model, device):
            image = torch.ones(2)
            x = image.to(device)
            return model(x, x)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), [pytest.param(*p, id=n) for n, p in _FOLDED.items()])
def test_a_name_that_a_variable_needed_goes(before: str, after: str) -> None:
    assert _after(before).endswith(textwrap.dedent(after))


_KEPT = {
    "a comment would stand above nothing": """
        def train(model, n):
            x = torch.zeros(n)

            # as it is at first
            old = Variable(x)

            for _ in range(n):
                print(old)
            old = model(n)
            return old
    """,
    "an attribute that may be another one when it is read": _NOISE
    + """
                noise = Variable(self.noise)
                self.step()
                return noise
    """,
    "an attribute, where something is called before it is read": _NOISE
    + """
                noise = Variable(self.noise)
                return self.step() + noise
    """,
    "an attribute, where something is called with it": _NOISE
    + """
                noise = Variable(self.noise)
                return [noise for _ in x]
    """,
    "an attribute that is read twice": _NOISE
    + """
                noise = Variable(self.noise)
                return noise + noise
    """,
    "an attribute that is read by a branch": _NOISE
    + """
                noise = Variable(self.noise)
                if x:
                    return noise
                return x
    """,
    "the other is bound anew below": """
        def train(model, n):
            x = torch.zeros(n)
            old = Variable(x)
            x = x + 1
            return model(old, x)
    """,
    "the other is changed in place below": """
        def train(model, n):
            x = torch.zeros(n)
            old = Variable(x)
            x += 1
            return model(old, x)
    """,
    "it has another value on another way": """
        def train(model, n, old):
            x = torch.zeros(n)
            if n:
                old = Variable(x)
            return model(old, x)
    """,
    "it is moved in a branch": """
        def train(model, n, device):
            x = torch.zeros(n)
            old = Variable(x)
            if n:
                old = old.to(device)
            return model(old, x)
    """,
    "a function inside reads it": """
        def train(model, n):
            x = torch.zeros(n)
            print(x)
            old = Variable(x)
            return lambda: model(old)
    """,
    "it is changed by its own name": """
        def train(model, n):
            x = torch.zeros(n)
            print(x)
            old = Variable(x)
            old += 1
            return model(old)
    """,
    "a comment says what it is": """
        def train(model, n):
            x = torch.zeros(n)
            old = Variable(x)  # what it was
            return model(old, x)
    """,
    "a comment says what it is, and another what that is": """
        def train(model, n):
            x = torch.zeros(n)  # what is new
            old = Variable(x)  # what it was
            return model(old)
    """,
    "a comment says what it is, of which another is made below": """
        def train(model, n):
            x = torch.zeros(n)
            print(x)
            old = Variable(x)  # (batch, 3, 8, 8)
            old = model(old)
            return old
    """,
    "a comment beside it stands above another that is moved": """
        def train(model, n, y):
            x = torch.zeros(n)
            print(x)
            old = Variable(x)  # (batch, 3, 8, 8)
            old = y.to("cuda")
            return old
    """,
    "a comment stands beside it and beside its move": """
        def train(model, n, device):
            x = torch.zeros(n)
            print(x)
            old = Variable(x)  # (batch, 3, 8, 8)
            old = old.to("cuda")  # the batch
            return old
    """,
    "a comment stands between": """
        def train(model, n):
            x = torch.zeros(n)

            # the first of them
            old = Variable(x)  # what it was
            return model(old)
    """,
    "words have it beside code that was taken out": """
        def train(model, n):
            x = torch.zeros(n)
            old = Variable(x)
            # the size of old:
            # print(old.size())
            return model(old)
    """,
    "code that was taken out binds it": """
        def train(model, n):
            x = torch.zeros(n)
            old = Variable(x)
            # old = old * 2
            return model(old)
    """,
    "code that was taken out has a keyword of that name": """
        def train(model, n):
            x = torch.zeros(n)
            old = Variable(x)
            # print(model(old=old))
            return model(old)
    """,
    "code that was taken out above has it": """
        def train(model, n, old):
            x = torch.zeros(n)
            # print(old.size())
            print(x)
            old = Variable(x)
            return model(old)
    """,
    "code that was taken out has it where it may be another": """
        def train(model, n, old):
            x = torch.zeros(n)
            print(x)
            for _ in range(n):
                old = Variable(x)
                model(old)
            # print(old)
            return model
    """,
    "code that was taken out has it beside a line": """
        def train(model, n):
            x = torch.zeros(n)
            old = Variable(x)
            print(n)  # print(old)
            return model(old)
    """,
    "code that was taken out has it above a branch that goes on": """
        def train(model, n):
            x = torch.zeros(n)
            old = Variable(x)
            if n:
                print(n)
            # print(old)
            else:
                return model(old)
    """,
    "code that was taken out has it where the other is bound anew": """
        def train(model, n):
            x = torch.zeros(n)
            print(x)
            old = Variable(x)
            if n:
                x = model(old)
                # print(old)
                return x
            return model(old)
    """,
    "it is used often": """
        def train(model, n):
            x = torch.zeros(n)
            print(x)
            old = Variable(x)
            return model(old) + model(old) + model(old) + model(old) + model(old)
    """,
    "there are two of them": """
        def train(model, n):
            x = torch.zeros(n)
            old = Variable(x)
            new = Variable(x)
            return model(old, new)
    """,
    "the other is of the module": """
        x = torch.zeros(2)
        def train(model):
            old = Variable(x)
            change()
            return model(old)
    """,
    "the other is bound before it is read": """
        def train(model, n, kept):
            x = torch.zeros(n)
            old = Variable(x)
            x, kept[old] = model(), 1
            return x
    """,
    "it is read once more after the other is bound": """
        def train(model, n):
            x = torch.zeros(n)
            print(x)
            old = Variable(x)
            x = model(old)
            return x, old
    """,
    "the other is bound by a loop over it": """
        def train(model, n):
            x = torch.zeros(n)
            old = Variable(x)
            for x in old:
                print(x)
    """,
    "a loop binds the other anew": """
        def train(model, n):
            x = torch.zeros(n)
            for _ in range(n):
                old = Variable(x)
                x = model(x)
                print(old)
    """,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _KEPT.items()])
def test_a_name_that_another_would_not_do_for_stays(text: str) -> None:
    assert ("    noise = self.noise" if "noise" in text else "    old = x") in _after(text)


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        ("left, right = Variable(right), Variable(left)", "left, right = right, left"),
        ("linput, rinput = Variable(left), right", "linput, rinput = left, right"),
        (
            "linput, rinput = Variable(left), Variable(right)\n        right = right + 1",
            "linput, rinput = left, right\n        right = right + 1",
        ),
        (
            "# linput is a batch\n        linput, rinput = Variable(left), Variable(right)",
            "# linput is a batch\n        linput, rinput = left, right",
        ),
        ("linput, rinput = left, right", "linput, rinput = left, right"),
    ],
)
def test_several_names_stay_where_one_of_them_has_to(lines: str, kept: str) -> None:
    text = "def train(model, n, linput, rinput):\n    left, right = torch.ones(n), torch.ones(n)\n"
    text += f"    for _ in range(n):\n        {lines}\n"
    text += "        model(left, right, linput, rinput)\n"
    assert f"        {kept}\n        model(left, right, linput, rinput)\n" in _after(text)


def test_an_attribute_of_which_a_comment_speaks_by_another_name_stays() -> None:
    lines = """
                # eps has the shape of x
                eps = Variable(self.noise)
                return x + eps
    """
    assert "eps = self.noise" in _after(_NOISE + lines)


def test_what_the_author_wrote_so_stays() -> None:
    text = """
        def train(images, model, device):
            inputs = images
            x = Variable(torch.zeros(2))
            y = model(inputs, x)
            return y
    """
    assert "    inputs = images\n" in _after(text)
    assert "    return y\n" in _after(text)


@pytest.mark.parametrize(
    "text",
    [
        "def make(x):\n    x = torch.from_numpy(x)  # a copy\n    return Variable(x)\n",
        "def make(x):\n    x = torch.from_numpy(x)\n\n    return Variable(x)\n",
        "def make(x):\n    x = torch.from_numpy(x)\n    return x\ny = Variable(z)\n",
        "def make(x):\n    x = torch.from_numpy(x)\n    if x:\n        return Variable(x)\n",
    ],
)
def test_what_is_returned_under_a_name_stays_so(text: str) -> None:
    assert "return x\n" in _after(text)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param("self.x = Variable(x)\n        print(x)", id="read below"),
        pytest.param("self.x = self.y = Variable(x)", id="two of them"),
        pytest.param("self.x = Variable(x)  # of the batch", id="a comment"),
        pytest.param("make().x = Variable(x)", id="an object that is made"),
        pytest.param("x.x = Variable(x)", id="of the tensor itself"),
        pytest.param("if self:\n            self.x = Variable(x)", id="in a branch"),
    ],
)
def test_what_is_kept_under_a_name_stays_so(lines: str) -> None:
    after = _after(
        f"class Layer:\n    def __init__(self, x):\n        x = torch.from_numpy(x)\n        {lines}\n"
    )
    assert f"        x = torch.from_numpy(x)\n        {lines.replace('Variable(x)', 'x')}" in after


def test_what_the_author_keeps_so_stays() -> None:
    text = """
        class Layer:
            def __init__(self, x, y):
                x = torch.from_numpy(x)
                self.x = x
                self.y = Variable(y)
    """
    assert "x = torch.from_numpy(x)\n        self.x = x\n" in _after(text)


@pytest.mark.parametrize("own", ["", "    print(locals())\n"])
def test_only_a_function_itself_can_ask_for_its_names(own: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "other.py").write_text("make_all(locals())\n")
    head = "import torch\nfrom torch.autograd import Variable\ndef f(net, x):\n"
    body = "    x = torch.ones(3)\n    x_var = Variable(x)\n    return net(x_var)\n"
    (tmp_path / "own.py").write_text(head + own + body)
    result = migrate_file(tmp_path / "own.py", Settings(), write=False)
    assert ("net(x_var)" in (result.after or "")) is bool(own)


_ON_GPU = """
        cuda = torch.cuda.is_available()
        def to_gpu(x):
            print(x.unsqueeze(0).size(1))
            {lines}
            return x
"""


def test_what_a_guard_moved_is_returned_at_once() -> None:
    after = _after(_ON_GPU.format(lines="if cuda:\n                x = x.cuda()"))
    assert "size(1))\n    return x.to(device)\n" in after


@pytest.mark.parametrize(
    ("lines", "moved"),
    [
        pytest.param("x = x.cuda()", "x = x.to(device)", id="by its author"),
        pytest.param(
            "if cuda:\n                x = x.cuda()  # all of it",
            "x = x.to(device)  # all of it",
            id="beside a comment",
        ),
        pytest.param(
            "if cuda:\n                x = x.cuda()\n            # as it is",
            "x = x.to(device)\n    # as it is",
            id="above a comment",
        ),
        pytest.param(
            "if cuda:\n                x = x.cuda()\n            print(x)",
            "x = x.to(device)\n    print(x)",
            id="read once more",
        ),
    ],
)
def test_what_is_moved_on_a_line_of_its_own_is_returned_below(lines: str, moved: str) -> None:
    after = _after(_ON_GPU.format(lines=lines))
    assert f"size(1))\n    {moved}\n    return x\n" in after


@pytest.mark.parametrize(
    "below",
    [
        pytest.param("return model(old), old", id="read twice"),
        pytest.param("if n:\n        old = old + 1\n    return model(old)", id="bound anew"),
        pytest.param("y = model(old)\n    del old\n    return y", id="deleted"),
        pytest.param("old += 1\n    return old", id="changed"),
        pytest.param("return model(old)", id="read once"),
    ],
)
def test_what_was_named_to_be_wrapped_has_one_name(below: str) -> None:
    head = "def train(model, n):\n    "
    after = _after(f"{head}old_ = torch.zeros(n)\n    old = Variable(old_)\n    {below}\n")
    assert f"{head}old = torch.zeros(n)\n    {below}\n" in after


def test_code_that_was_taken_out_between_two_names_has_the_name_that_is_left() -> None:
    head = "def train(model, n):\n    "
    lines = "{0} = torch.zeros(n)\n    # print({0})\n"
    below = "    old += 1\n    return old\n"
    after = _after(f"{head}{lines.format('first')}    old = Variable(first)\n{below}")
    assert f"{head}{lines.format('old')}{below}" in after


def test_what_a_script_names_twice_to_be_wrapped_has_one_name(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    lines = "x_ = torch.randn(2)\nx = Variable(x_)\n\nprint(x, x.size())\n" * 2
    (tmp_path / "own.py").write_text(_HEAD + lines)
    after = migrate_file(tmp_path / "own.py", Settings(), write=False).after or ""
    assert after.endswith("x = torch.randn(2)\n\nprint(x, x.size())\n" * 2)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param("old = x\n    old += 1\n    return old, x", id="read as well"),
        pytest.param("old = x\n    old += 1\n    del x\n    return old, old", id="deleted"),
        pytest.param("# x is new\n    old = x\n    old += 1\n    return old", id="below a comment"),
        pytest.param("# print(x)\n    old = x\n    old += 1\n    # x\n    return old", id="code"),
        pytest.param("print()\n    old = x\n    old += 1\n    return old", id="below another line"),
        pytest.param("old = x  # new\n    return old, x", id="read as well, beside a comment"),
        pytest.param("old = x\n    # as x\n    old += 1\n    return old, old", id="spoken of"),
        pytest.param("old = x\n    old += 1\n    return lambda: x", id="read by a function"),
    ],
)
def test_what_was_named_for_more_keeps_both_names(lines: str) -> None:
    head = "def train(model, n):\n    x = torch.zeros(n)\n    "
    text = f"{head}{lines.replace('old = x', 'old = Variable(x)')}\n"
    assert f"{head}{lines}\n" in _after(text)


_LOOP = """
from torch.utils.data import DataLoader
def train(loader, model, flag):
    for i, (image, label) in enumerate(DataLoader(loader)):
        {above}
        old = Variable(image)
        if flag:
            old = old * 2
        {below}
"""


def _called(above: str = "label = label * 2", below: str = "model(old, label)") -> str:
    after = _after(_LOOP.format(above=above, below=below))
    return after[after.index("    for") :]


def test_what_a_loop_gives_only_to_be_wrapped_has_one_name() -> None:
    for above in ("label = label * 2", "print(label, i)"):
        expected = f"        {above}\n        if flag:\n            old = old * 2\n"
        expected += "        model(old, label)\n"
        head = "    for i, (old, label) in enumerate(DataLoader(loader)):\n"
        assert _called(above) == head + expected
    below = "with torch.no_grad():\n            model(old, label)"
    assert "for i, (old, label) in" in _called(below=below)


@pytest.mark.parametrize(
    ("above", "below"),
    [
        pytest.param("print(image)", "model(old)", id="read above"),
        pytest.param("print(label)", "model(old, image)", id="read below"),
        pytest.param("if label: continue", "model(old)", id="not always wrapped"),
        pytest.param("if i: print(old)", "model(old)", id="the old one is read above"),
        pytest.param("print(i)", "later = lambda: old", id="a function reads it"),
        pytest.param("print(i)", "later = lambda: image, old", id="a function reads the other"),
        pytest.param("print(i)", "model(old)\n        del image", id="deleted"),
        pytest.param("# an image each", "model(old)", id="spoken of"),
    ],
)
def test_what_a_loop_gives_for_more_keeps_its_name(above: str, below: str) -> None:
    after = _called(above, below)
    assert "for i, (image, label) in" in after
    assert "        old = image\n" in after


_ROW = """
    def train(samples, model, flag):
        for n in range(3):
            one, two, goal = samples[n]
            {above}
            x, y = Variable(one), Variable(two)
            if flag:
                x, y = x * 2, y * 2
            model(x, y, goal)
"""
_OLD = Options(era=Era((0, 3), (0, 3)))


@pytest.mark.parametrize("called", ["Variable", "Var"])
def test_what_is_taken_apart_only_to_be_wrapped_has_one_name(called: str) -> None:
    text = _ROW.format(above="goal = goal * 2").replace("Variable", called)
    head = f"from torch.autograd import Variable as {called}\n"
    after = migrate(f"import torch\n{head}{textwrap.dedent(text)}", options=_OLD).text
    expected = "        x, y, goal = samples[n]\n        goal = goal * 2\n        if flag:\n"
    assert expected in after


@pytest.mark.parametrize(
    ("above", "read"),
    [
        pytest.param("print(one)", "model(x, y, goal)", id="read above"),
        pytest.param("print(goal)", "model(x, y, two)", id="one of them is read below"),
        pytest.param("print(x)", "model(x, y, goal)", id="the other is read above"),
        pytest.param("if goal: continue", "model(x, y, goal)", id="not always wrapped"),
        pytest.param("# one and the other", "model(x, y, goal)", id="spoken of"),
        pytest.param("global x", "model(x, y, goal)", id="not the function's own"),
    ],
)
def test_what_is_taken_apart_for_more_keeps_its_names(above: str, read: str) -> None:
    text = _ROW.format(above=above).replace("model(x, y, goal)", read)
    after = migrate(_HEAD + textwrap.dedent(text), options=_OLD).text
    assert "one, two, goal = samples[n]\n" in after
    assert "x, y = one, two\n" in after


def test_what_is_written_one_by_one_keeps_its_names() -> None:
    text = _ROW.format(above="pass").replace("samples[n]", "samples[0], samples[1], n")
    after = migrate(_HEAD + textwrap.dedent(text), options=_OLD).text
    assert "one, two, goal = samples[0], samples[1], n\n" in after


def test_what_is_taken_apart_where_errors_are_caught_keeps_its_names() -> None:
    text = f"""{_HEAD}
def train(samples, model, flag):
    for n in range(3):
        try:
            one, two, goal = samples[n]
            model(goal)
            x, y = Variable(one), Variable(two)
            if flag:
                x, y = x * 2, y * 2
            model(x, y, goal)
        except IndexError:
            print(x)
"""
    assert "x, y = one, two\n" in migrate(text, options=_OLD).text


def test_a_loop_over_what_has_the_other_name_keeps_its_own() -> None:
    text = _LOOP.format(above="print(i)", below="model(old)")
    text = text.replace("DataLoader(loader)", "DataLoader(old)")
    assert "for i, (image, label) in enumerate(DataLoader(old))" in _after(text)


def test_names_of_a_row_go_together_where_one_is_read_often_or_never() -> None:
    text = """
        def train(model, n):
            for _ in range(n):
                x, y, left = torch.zeros(n), torch.ones(n), torch.eye(n)
                print(x, y, left)
                xv, yv = Variable(x), Variable(y)
                leftv = Variable(left)
                model(xv, yv, yv, yv, yv, yv, leftv)
    """
    assert "model(x, y, y, y, y, y, left)" in _after(text)
    text = """
        def train(model, n):
            for _ in range(n):
                x, y = torch.zeros(n), torch.ones(n)
                print(x, y)
                xv, yv = Variable(x), Variable(y)
                model(xv)
    """
    assert "print(x, y)\n        model(x)\n" in _after(text)


def test_a_name_of_a_row_that_nothing_reads_goes_with_the_others() -> None:
    row = """
        def train(model, n):
            x, y = torch.zeros(n), torch.ones(n)
            print(x, y)
            {}
            model(xv)
    """
    after = _after(row.format("xv = Variable(x)\n            yv = Variable(y)"))
    assert "    print(x, y)\n    model(x)\n" in after
    alone = row.format("yv = Variable(y)").replace("xv", "x")
    assert "    yv = y\n    model(x)\n" in _after(alone)


@pytest.mark.parametrize("is_anew", [True, False])
def test_names_of_what_is_made_anew_between_them_are_no_twins(is_anew: bool) -> None:
    anew = "x = torch.ones(n)" if is_anew else "print(n)"
    text = f"""
        def train(model, n):
            x = torch.zeros(n)
            print(x)
            old = Variable(x)
            model(old)
            {anew}
            print(x)
            new = Variable(x)
            model(new)
    """
    after = _after(text)
    assert ("model(x)" in after, "    old = x\n" in after) == (is_anew, not is_anew)
    assert ("    new = x\n" in after) is not is_anew


def test_a_name_that_is_deleted_below_stays() -> None:
    text = """
        def train(n, model):
            x = torch.zeros(n)
            print(x)
            xv = Variable(x)
            y = model(xv)
            del xv
            return y
    """
    assert "    xv = x\n    y = model(xv)\n    del xv\n" in _after(text)


_PARTS = """\
import torch
from torch.autograd import Variable
def update(net, state, action, rewards, n):
    state_var, action_var, n_var = Variable(state, volatile=False), {}, Variable(n)
    {}
    y = net(state_var).gather(1, action_var)
    return y + rewards / n_var
"""


def test_names_of_some_parts_of_a_statement_go() -> None:
    after = migrate(_PARTS.format("Variable(action.unsqueeze(1))", "print(n)")).text
    assert "    action_var = action.unsqueeze(1)\n    print(n)\n    y = net(state)." in after
    assert "return y + rewards / n\n" in after
    two = _PARTS.replace(" n_var =", " n_var, rewards =").replace(
        "Variable(n)", "Variable(n), n / 2"
    )
    after = migrate(two.format("Variable(action.unsqueeze(1))", "print(n)")).text
    assert "    action_var, rewards = action.unsqueeze(1), n / 2\n" in after


@pytest.mark.parametrize(
    ("part", "between"),
    [
        ("Variable(action.unsqueeze(1))", "n = 3"),
        ("Variable(action.unsqueeze(1))", "state_var += 1"),
        ("Variable(action.unsqueeze(1))", "# state_var = None"),
    ],
)
def test_parts_of_a_statement_whose_names_have_to_stay_stay_together(
    part: str, between: str
) -> None:
    after = migrate(_PARTS.format(part, between)).text
    assert "    state_var, action_var, n_var = state, action.unsqueeze(1), n\n" in after


_SCALED = """class Scaled(torch.nn.Module):
    def __init__(self, size, is_trained):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(size))
        self.is_trained = is_trained
        self.register_buffer("scale", torch.ones(size))

    def forward(self, x, hook):
{choice}        return {returned}
"""
_CHOICE = """        if self.is_trained:
            scale = self.scale
        else:
            scale = Variable(self.scale)
"""


@pytest.mark.parametrize(
    ("returned", "is_folded"),
    [
        ("self.weight * (scale.unsqueeze(0) / torch.sqrt(self.weight.sum(0)))", True),
        ("self.weight * scale", True),
        # It may give the module another one first.
        ("hook(self) * scale.unsqueeze(0)", False),
        ("scale * scale", False),
    ],
)
def test_a_name_that_two_halves_gave_goes_with_the_choice(returned: str, is_folded: bool) -> None:
    after = _after(_SCALED.format(choice=_CHOICE, returned=returned))
    folded = _SCALED.format(choice="", returned=returned.replace("scale", "self.scale"))
    kept = _SCALED.format(choice="        scale = self.scale\n", returned=returned)
    assert after.endswith(folded if is_folded else kept)


_UNREAD = """
def train(dataset, model):
    for x, y in torch.utils.data.DataLoader(dataset):
        y_var = Variable(y)
        model(x)
        READ
"""


@pytest.mark.parametrize(
    ("read", "names"),
    [
        ("pass", "for x, y in"),
        ("if model:\n            y_var = y_var * 2\n        print(y_var)", "for x, y_var in"),
        ("print(locals())", "y_var = y\n"),
        ("yield lambda: y_var", "y_var"),
    ],
)
def test_a_loop_keeps_its_own_name_where_nothing_reads_the_other(read: str, names: str) -> None:
    text = _after(_UNREAD.replace("READ", read))
    assert names in text
    assert ("y_var" in text) is (read != "pass")
