"""The devices of a file: all of its moves by the program's own switch, or none (TP201, TP202)."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

test_rewrites = rewrites(
    "TP201",
    {
        "a flag that only its branches tell": (
            """
            import torch

            class Learner:
                def __init__(self):
                    self.net = torch.nn.Linear(2, 3)

                def place(self, value):
                    if value:
                        self.net.cuda()
                    else:
                        self.net.cpu()
            """,
            """
            import torch

            class Learner:
                def __init__(self):
                    self.net = torch.nn.Linear(2, 3)

                def place(self, value):
                    device = torch.device("cuda" if value else "cpu")
                    self.net.to(device)
            """,
        ),
        "several on one line": (
            """
            import torch
            from models import make
            use_cuda = torch.cuda.is_available()
            net, critic = torch.nn.Linear(2, 3), make()
            if use_cuda: # there is one
                pass
            if use_cuda:
                net.cuda(), critic.cuda()
                print(use_cuda)
            """,
            """
            import torch
            from models import make
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            net, critic = torch.nn.Linear(2, 3), make()
            if use_cuda: # there is one
                pass
            net.to(device), critic.to(device)
            if use_cuda:
                print(use_cuda)
            """,
        ),
        "an attribute of a module": (
            """
            import torch
            from torchvision import models

            x = torch.ones(1, 3, 224, 224).cuda()
            layers = models.vgg19().features
            layers = layers.cuda()
            """,
            """
            import torch
            from torchvision import models

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            x = torch.ones(1, 3, 224, 224, device=device)
            layers = models.vgg19().features
            layers = layers.to(device)
            """,
        ),
        "what is not known and is brought back": (
            """
            import torch
            from models import make
            use_cuda = torch.cuda.is_available()
            x, model = torch.ones(2), make()
            model = model.cuda() if use_cuda else model.cpu()
            x = x.cuda() if use_cuda else x
            """,
            """
            import torch
            from models import make
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            x, model = torch.ones(2), make()
            model = model.to(device)
            x = x.to(device)
            """,
        ),
        "what is brought back where the flag is not set": (
            """
            import torch

            def analyze(path, use_gpu):
                network = torch.nn.Linear(2, 3)
                if use_gpu:
                    network.cuda()
                else:
                    network.cpu()
                x = torch.rand(path)
                x = x.cuda() if use_gpu else x.cpu()
                return network(x)
            """,
            """
            import torch

            def analyze(path, use_gpu):
                device = torch.device("cuda" if use_gpu else "cpu")
                network = torch.nn.Linear(2, 3)
                network.to(device)
                x = torch.rand(path)
                x = x.to(device)
                return network(x)
            """,
        ),
        "the options that a function is given": (
            """
            import torch

            def train(args, loader):
                \"\"\"Train.\"\"\"

                # the loss
                loss = torch.nn.CrossEntropyLoss()
                if args.cuda:
                    loss.cuda()
                for x, y in loader:
                    if args.cuda: x, y = x.cuda(), y.cuda(non_blocking=True)
                    print(loss(torch.relu(x), y))
            """,
            """
            import torch

            def train(args, loader):
                \"\"\"Train.\"\"\"

                device = torch.device("cuda" if args.cuda else "cpu")

                # the loss
                loss = torch.nn.CrossEntropyLoss()
                loss.to(device)
                for x, y in loader:
                    x, y = x.to(device), y.to(device, non_blocking=True)
                    print(loss(torch.relu(x), y))
            """,
        ),
        "a flag that a function is given, for what it makes": (
            """
            import numpy as np
            import torch

            def noise(size, a, use_cuda=False):
                x, y = torch.randn(size), torch.from_numpy(np.zeros(size)).float()
                z = a.type(torch.LongTensor)
                if use_cuda:
                    x, y = x.cuda(), y.cuda()
                    z = z.cuda()
                return x, y, z
            """,
            """
            import numpy as np
            import torch

            def noise(size, a, use_cuda=False):
                device = torch.device("cuda" if use_cuda else "cpu")
                x, y = torch.randn(size), torch.from_numpy(np.zeros(size)).float()
                z = a.type(torch.LongTensor)
                x, y = x.to(device), y.to(device)
                z = z.to(device)
                return x, y, z
            """,
        ),
        "what a function sets itself": (
            """
            import torch

            def main(text):
                args = parse(text)
                args.cuda = args.cuda and torch.cuda.is_available()
                net = torch.nn.Linear(2, 2)
                return net.cuda() if args.cuda else net
            """,
            """
            import torch

            def main(text):
                args = parse(text)
                args.cuda = args.cuda and torch.cuda.is_available()
                device = torch.device("cuda" if args.cuda else "cpu")
                net = torch.nn.Linear(2, 2)
                return net.to(device)
            """,
        ),
        "below what a class does first": (
            """
            import torch

            class Net(torch.nn.Module):
                def __init__(self, size, cuda=True):
                    super(Net, self).__init__()
                    self.fc = torch.nn.Linear(size, 2)
                    if cuda:
                        self.fc.cuda()
            """,
            """
            import torch

            class Net(torch.nn.Module):
                def __init__(self, size, cuda=True):
                    super(Net, self).__init__()
                    device = torch.device("cuda" if cuda else "cpu")
                    self.fc = torch.nn.Linear(size, 2)
                    self.fc.to(device)
            """,
        ),
        "what an object keeps": (
            """
            import torch

            class Agent(object):
                def __init__(self, args, size):
                    self.size = size
                    self.args = args
                    self.net = torch.nn.Linear(size, 2)
                    if self.args.cuda:
                        self.net.cuda()

                def act(self, obs):
                    x = torch.from_numpy(obs)
                    return x.cuda() if self.args.cuda else x

            class Trainer:
                def __init__(self, use_gpu):
                    self.args = None
                    self.use_gpu = use_gpu and torch.cuda.is_available()

                def step(self, x):
                    if self.use_gpu: x = x.cuda()
                    return torch.relu(x) + torch.ones(3).cuda()
            """,
            """
            import torch

            class Agent(object):
                def __init__(self, args, size):
                    self.size = size
                    self.args = args
                    self.device = torch.device("cuda" if args.cuda else "cpu")
                    self.net = torch.nn.Linear(size, 2)
                    self.net.to(self.device)

                def act(self, obs):
                    x = torch.from_numpy(obs)
                    return x.to(self.device)

            class Trainer:
                def __init__(self, use_gpu):
                    self.args = None
                    self.use_gpu = use_gpu and torch.cuda.is_available()
                    self.device = torch.device("cuda" if self.use_gpu else "cpu")

                def step(self, x):
                    x = x.to(self.device)
                    return torch.relu(x) + torch.ones(3, device=self.device)
            """,
        ),
        "what is not guarded goes along": (
            """
            import torch

            def main(args):
                net = torch.nn.Linear(2, 2)
                if args.cuda: net = net.cuda()
                return net(torch.ones(2).cuda())
            """,
            """
            import torch

            def main(args):
                device = torch.device("cuda" if args.cuda else "cpu")
                net = torch.nn.Linear(2, 2)
                net = net.to(device)
                return net(torch.ones(2, device=device))
            """,
        ),
        "the input of a module, whatever its flag": (
            """
            import torch

            class Net(torch.nn.Module):
                def forward(self, x):
                    if self.use_cuda:
                        h = torch.zeros(x.size(0)).cuda()
                    else:
                        h = torch.zeros(x.size(0))
                    return torch.relu(x) + h
            """,
            """
            import torch

            class Net(torch.nn.Module):
                def forward(self, x):
                    h = torch.zeros(x.size(0), device=x.device)
                    return torch.relu(x) + h
            """,
        ),
    },
    with_rules=("TP202",),
)

_MAIN = """
import torch

{above}
def main(args, x, cuda, opt=None):
    net = torch.nn.Linear(2, 2)
    {move}
    return net

def test():
    return torch.ones(3).cuda()
"""


@pytest.mark.parametrize(
    "move",
    [
        "if args.cuda: net = net.cuda()",
        "if torch.cuda.is_available():\n        net = net.cuda()\n        # x = x.cuda()",
        "if args.fast == 1: net.cuda()\n    else: net.cpu()",
        "net.cuda() if x else net.cpu()",
        "if args.cuda: net.cuda(), print(x)",
        "if args.cuda: net.cuda(), x.cpu()",
        "if args.cuda and cuda: net = net.cuda()",
        "if args['cuda']: net = net.cuda()",
        "if unheard.gpu: net = net.cuda()",
        "if not args.use_cpu: net = net.cuda()",
        "torch.ones(3).cuda(args.gpu)",
        "net(x.cuda())",
        "if torch.cuda.is_available(): y = torch.ones(3).cuda()",
        "if torch.cuda.is_available():\n        net = torch.relu\n        net = torch.ones(1).cuda()",
        "net = torch.load(x, lambda storage, place: storage.cuda())",
        "if args.gpu == 1:\n        net = net.float()",
        "net = net.float() if args.device == 'cpu' else net.half()",
    ],
)
def test_all_stays_where_something_has_to(move: str) -> None:
    text = _MAIN.format(above="", move=move)
    assert migrate(text, "TP201", "TP202", "TP203").text == text


def test_an_attribute_may_be_of_a_class_that_moves_in_its_own_way() -> None:
    text = """import torch
from torchvision import models
x = torch.ones(1, 3, 224, 224).cuda()
layers = models.vgg19().features
layers = layers.cuda()
"""
    assert migrate(text, "TP201").text.count(".cuda()") == 0
    own = "class Own:\n    def cuda(self):\n        return self\n"
    assert migrate(text + own, "TP201").text == text + own


@pytest.mark.parametrize(
    "move",
    [
        "if torch.cuda.is_available(): net = net.cuda()",
        "if torch.cuda.device_count() > 1: net = torch.nn.DataParallel(net)",
        "if args.gpus > 1: net = torch.nn.DataParallel(net)",
        "if args.gpus >= 2: net = torch.nn.DataParallel(net)",
        "if x.is_cuda: net = net.float()",
        "if x.cpu() is x: net = net.float()",
    ],
)
def test_other_tests_are_no_switch(move: str) -> None:
    assert ".cuda()" not in migrate(_MAIN.format(above="", move=move), "TP201").text


def test_a_name_for_the_answer_is_one_switch_with_the_question() -> None:
    above = "has_gpu = torch.cuda.is_available()\nnet = torch.nn.Linear(3, 3)\n"
    move = "if torch.cuda.is_available(): net = net.cuda()"
    text = _MAIN.format(above=f"{above}if has_gpu: net.cuda()\n", move=move)
    after = migrate(text, "TP201", "TP202").text
    assert "if " not in after.partition("device = torch.device(")[2].partition("\n")[2]
    asked = _MAIN.format(above=f"{above}has_gpu = False\nif has_gpu: net.cuda()\n", move=move)
    assert migrate(asked, "TP201", "TP202").text == asked


_GIVEN = """
import torch

def f({parameters}):
    {above}
    if {test}:
        x = x.cuda()
    return x
"""


@pytest.mark.parametrize(
    ("parameters", "above", "test"),
    [
        ("args", "x = torch.rand(2)", "args.cuda"),
        ("cuda", "x = torch.rand(2)", "cuda"),
        ("y, args", "x = torch.relu(y)", "args.cuda"),
        ("*, use_gpu=True", "x = torch.rand(2)", "use_gpu"),
        ("y, cuda", "x = torch.relu(y).cpu()", "cuda"),
        ("self, cuda", "x = torch.relu(self.x)", "cuda"),
        ("y", "cuda = y\n    x = torch.rand(2)", "cuda"),
        ("args", "x = torch.rand(2)", "not args.cpu"),
        ("no_cuda", "x = torch.rand(2)", "not no_cuda"),
        ("y", "args = y()\n    args.cuda = True\n    x = torch.rand(2)", "args.cuda"),
    ],
)
def test_a_function_makes_a_device_of_its_flag(parameters: str, above: str, test: str) -> None:
    text = _GIVEN.format(parameters=parameters, above=above, test=test)
    after = migrate(text, "TP201", "TP202").text
    assert f'    device = torch.device("cuda" if {test} else "cpu")\n' in after
    is_new = "torch.rand" in above
    moved = "x = torch.rand(2).to(device)\n    return x" if is_new else "return x.to(device)"
    assert f"\n    {moved}" in after


_LONG = "".join(f"    print({i})\n" for i in range(12))


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        pytest.param(
            "    if args.cuda:\n        head.cuda()\n    return head\n",
            f"{_LONG}    DEVICE\n    head.to(device)\n    return head\n",
            id="above the only line that reads it",
        ),
        pytest.param(
            "    x = torch.rand(2)\n    if args.cuda:\n        x = x.cuda()\n    return x\n",
            f"{_LONG}    DEVICE\n    x = torch.rand(2).to(device)\n    return x\n",
            id="above what is made on it",
        ),
        pytest.param(
            "\n    # noise\n    x = torch.rand(2)\n    if args.cuda:\n        x = x.cuda()\n",
            f"{_LONG}\n    DEVICE\n\n    # noise\n    x = torch.rand(2).to(device)\n",
            id="above a comment that opens a paragraph",
        ),
        pytest.param(
            "    # noise\n    x = torch.rand(2)\n    if args.cuda:\n        x = x.cuda()\n",
            f"{_LONG}    DEVICE\n    # noise\n    x = torch.rand(2).to(device)\n",
            id="above a comment among other lines",
        ),
        pytest.param(
            "    if args.cuda:\n        head.cuda()\n    if args.cuda:\n        tail.cuda()\n",
            f"{_LONG}    head.to(device)\n    tail.to(device)\n",
            id="at the head for several",
        ),
    ],
)
def test_a_device_for_one_line_far_below_stands_there(lines: str, after: str) -> None:
    head = (
        "import torch\nimport torch.nn as nn\n\ndef f(args):\nDEVICE"
        "    head = nn.Linear(2, 2)\n    tail = nn.Linear(2, 2)\n"
    )
    device = 'device = torch.device("cuda" if args.cuda else "cpu")'
    migrated = migrate(head.replace("DEVICE", "") + _LONG + lines, "TP201", "TP202").text
    at_head = "" if "DEVICE" in after else f"    {device}\n"
    assert migrated == head.replace("DEVICE", at_head) + after.replace("DEVICE", device)


@pytest.mark.parametrize(
    ("parameters", "above", "test"),
    [
        # What it is given may be on a GPU whatever the flag says.
        ("y, cuda", "x = torch.relu(y)", "cuda"),
        ("y, cuda", "x = torch.relu(y[0].data) + 1", "cuda"),
        ("y, cuda", "x, _ = torch.relu(y), 1", "cuda"),
        ("y, cpu", "x = torch.relu(y)", "not cpu"),
        ("y, cuda", "x = torch.rand(2)", "not (cuda and y)"),
        ("y", "x = torch.rand(2)", "not y.is_cuda"),
        ("args=None", "x = torch.rand(2)", "not args.cpu"),
        # Options may be none.
        ("args=None", "x = torch.rand(2)", "args.cuda"),
        ("*args", "x = torch.rand(2)", "args.cuda"),
        ("y, *, args=None", "x = torch.rand(2)", "args.cuda"),
        ("self", "x = torch.rand(2)", "self.cuda"),
        # The flag may be another one when it is asked.
        ("y, cuda", "x = torch.rand(2)\n    if y: cuda = 2", "cuda"),
        ("y, args", "x = torch.rand(2)\n    if y: args.cuda = 2", "args.cuda"),
        ("args", "x = torch.rand(2)\n    print(args.cuda)\n    args.cuda = 2", "args.cuda"),
        ("y", "x = torch.rand(2)\n    for cuda in y: pass", "cuda"),
        ("y", "x = torch.rand(2); cuda = y; z = (\n    1)", "cuda"),
        ("args", "x = torch.rand(2)\n    global cuda", "cuda"),
    ],
)
def test_other_flags_of_functions_say_too_little(parameters: str, above: str, test: str) -> None:
    text = _GIVEN.format(parameters=parameters, above=above, test=test)
    assert migrate(text, "TP201", "TP202").text == text


def test_options_that_another_function_changes_say_too_little() -> None:
    text = _GIVEN.format(parameters="args", above="x = torch.rand(2)", test="args.cuda")
    text += "\ndef choose(options):\n    options.cuda = False\n"
    assert migrate(text, "TP201", "TP202").text == text


def test_two_flags_of_a_function_are_no_switch() -> None:
    text = _GIVEN.format(parameters="a, b", above="x = torch.rand(2)", test="a.cuda")
    text = text.replace("    return x", "    if b.cuda:\n        x = x.cuda()\n    return x")
    assert migrate(text, "TP201", "TP202").text == text


def test_a_line_that_holds_all_of_a_function_has_no_place() -> None:
    text = "import torch\ndef f(cuda): return torch.ones(2).cuda() if cuda else torch.ones(2)\n"
    assert migrate(text, "TP201", "TP202").text == text


test_keeps = keeps(
    "TP202",
    {
        "a device of another flag of the function": """
            import torch
            def f(x, cuda, gpu):
                device = torch.device("cuda" if gpu else "cpu")
                if cuda:
                    x = x.to(device)
                return x
            """,
        "a device of another flag of the object": """
            import torch
            class Agent:
                def __init__(self, args):
                    self.args = args
                    self.device = torch.device("cuda" if args.gpu else "cpu")
                def act(self, x):
                    if self.args.cuda:
                        x = x.to(self.device)
                    return x
            """,
        "a device that an object changes": """
            import torch
            class Agent:
                def __init__(self, args):
                    self.args = args
                    self.device = torch.device("cuda" if self.args.cuda else "cpu")
                def act(self, x):
                    if self.args.cuda:
                        x = x.to(self.device)
                    self.device = 3
                    return x
            """,
        "the flag of another function": """
            import torch
            def f(x, cuda):
                device = torch.device("cuda" if cuda else "cpu")
                def g(x, cuda):
                    if cuda:
                        x = x.to(device)
                    return x
                return g(x, False)
            """,
    },
)


_OF_CUDA = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


@pytest.mark.parametrize(
    ("move", "said"),
    [
        # It names a GPU by its number elsewhere.
        ("torch.ones(3).cuda(args.gpu)", ""),
        # What the tests ask is no name of the function that the move stands in.
        ("if args.cuda and cuda: net = net.cuda()", None),
        ("if args.cuda: net = net.cuda(); print(1)", None),
    ],
)
def test_the_first_of_those_that_stay_is_told_why(move: str, said: str | None) -> None:
    found = advice("TP201", textwrap.dedent(_MAIN.format(above="", move=move)))
    assert [f.message for f in found] == ([] if said is None else [f".cuda() needs a GPU{said}"])


_TWO_CLASSES = """
import torch
from torch.autograd import Variable
use_gpu = given()
class Encoder:
    def __init__(self, use_gpu):
        self.use_gpu = use_gpu
    def start(self, cuda):
        if {test}:
            return unheard(3).cuda(), print(3)
        return torch.zeros(3)
class Run:
    def train(self, x):
        return unheard(x).cuda()
"""


@pytest.mark.parametrize(
    ("test", "place", "is_told"),
    [
        ("self.use_gpu", "class Run:", False),
        ("cuda", "class Run:", False),
        ("self.use_gpu and use_gpu", "class Run:", False),
        ("torch.cuda.is_available()", "class Run:", True),
        ("self.use_gpu and cuda", "", True),
    ],
)
def test_a_line_that_asks_is_named_to_those_that_can_read_its_flag(
    test: str, place: str, is_told: bool
) -> None:
    text = _TWO_CLASSES.format(test=test)
    text = text if place else text.replace("class Run:\n", "")
    assert [f.message for f in advice("TP201", text)] == (
        [".cuda() needs a GPU, though line 8 asks whether to use one: move it only then"]
        if is_told
        else []
    )


_SEEN = """
import argparse
import torch
args = argparse.ArgumentParser().parse_args()
net = torch.nn.Linear(2, 2)
{guard}
def train(x):
    return torch.ones(3).cuda()
"""


@pytest.mark.parametrize(
    ("guard", "test"),
    [
        ("if args.cuda: net.cuda(), net.half()", "args.cuda"),
        ("if not args.cpu: net.cuda(), net.half()", "not args.cpu"),
    ],
)
def test_the_flag_of_a_test_that_the_move_sees_is_written_down(guard: str, test: str) -> None:
    (found,) = advice("TP201", _SEEN.format(guard=guard))
    made = f'device = torch.device("cuda" if {test} else "cpu")'
    assert found.message == f".cuda() needs a GPU: write torch.ones(3).to(device), with {made}"


@pytest.mark.parametrize(
    "guard",
    [
        # Another part of the program may ask for more than whether there is a GPU.
        "if torch.cuda.is_available(): net.cuda(), net.half()",
        "args.cuda = False\nif args.cuda: net.cuda(), net.half()",
        "if args.cuda: net.cuda(args.gpu_id), net.half()",
        "if args.cuda: net.cuda(), net.half()\nplace = args.other_gpu",
        "if args.cuda: net.cuda(), net.half()\ndef place(n):\n    torch.cuda.set_device(n)",
        "if args.cuda: net.cuda(), net.half()\ndef place(x, n):\n    return x.cuda(n)",
        "if args.cuda: net.cuda(), net.half()\ndef place(x, n):\n    return x.cuda(device=n)",
        "if args.cuda: net.cuda(), net.half()\nplace = net.weight.device",
        "if args.cuda: net.cuda(), net.half()\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'",
        "if args.cuda: net.cuda(), net.half()\ndef place():\n    net(torch.ones(2, device='cuda:1'))",
    ],
)
def test_nothing_is_proposed_where_another_device_may_be_meant(guard: str) -> None:
    (found,) = advice("TP201", _SEEN.format(guard=guard))
    assert ": write" not in found.message


_IN_CLASS = """
import torch
class Trainer:
    def __init__(self, cuda):
        self.cuda = cuda
        self.net = torch.nn.Linear(2, 2)
        if self.cuda:
            self.net.cuda(), self.net.half()
    def train({self}):
        return torch.ones(3).cuda()
"""


@pytest.mark.parametrize(("self", "is_seen"), [("self", True), ("this", False), ("", False)])
def test_the_flag_of_an_object_is_seen_by_its_methods(self: str, is_seen: bool) -> None:
    (found,) = advice("TP201", _IN_CLASS.format(self=self))
    assert ('"cuda" if self.cuda else "cpu"' in found.message) is is_seen
    # A device by another test would go against the flag that is there.
    assert found.message.endswith(
        "needs a GPU, though line 6 asks whether to use one: move it only then"
    ) is not (is_seen)


_GIVEN_TO_INIT = """
import torch
class Predictor(torch.nn.Module):
    def __init__(self, {given}):
        super().__init__()
        {kept}
        if {test}:
            self.cuda()
    def loss(this, x):
        return torch.ones(3).cuda()
"""


@pytest.mark.parametrize(
    ("given", "test", "kept", "said"),
    [
        ("gpu", "gpu", "self.on_gpu = gpu", "this.on_gpu"),
        ("no_gpu", "not no_gpu", "self.no_gpu = no_gpu", "not this.no_gpu"),
        ("args", "args.gpu", "self.args = args", "this.args.gpu"),
        # What is kept is another thing, or not known, or nothing is.
        ("gpu", "gpu", "self.gpu = gpu and torch.cuda.is_available()", None),
        ("gpu", "gpu", "self.gpu = gpu; self.gpu = False", None),
        ("gpu", "gpu", "self.gpu, self.n = gpu", None),
        ("gpu", "gpu", "pass", None),
    ],
)
def test_a_method_asks_what_an_object_keeps_of_a_flag(
    given: str, test: str, kept: str, said: str | None
) -> None:
    found = advice("TP201", _GIVEN_TO_INIT.format(given=given, test=test, kept=kept))
    made = f'device = torch.device("cuda" if {said} else "cpu")'
    told = f".cuda() needs a GPU: write torch.ones(3).to(device), with {made}"
    # A device by another test would go against the one of the class.
    unseen = f".cuda() needs a GPU whatever {test} is in __init__"
    assert [f.message for f in found] == [told if said else unseen]


_UNSEEN = """
import torch
class Run:
    def __init__(self, args):
        self.net = torch.nn.Linear(2, 2)
        if args.use_gpu:
            self.net.cuda(), self.net.half()
    def train(self, x):
        x = (x + 1).cuda()
        return torch.ones(3).cuda() + x
def train(x):
    return torch.ones(3) + x
"""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("", "", "unseen"),
        ("def train(x):\n    return torch.ones(3)", "def f(x):\n    return x.cuda()", "fact"),
        ("args.use_gpu", "torch.cuda.is_available()", "fact"),
        ("args.use_gpu", "self.net", "fact"),
        ("args):", "args):\n        self.args = args", "write"),
        ("class Run:", "args = given()\nclass Run:", "unseen"),
    ],
)
def test_a_switch_that_the_moves_do_not_see_is_not_gone_against(
    before: str, after: str, said: str
) -> None:
    (found,) = advice("TP201", _UNSEEN.replace(before, after) if before else _UNSEEN)
    is_unseen = found.message.endswith(", whatever args.use_gpu is in __init__")
    assert is_unseen is (said == "unseen")
    assert ("write" in found.message) is (said == "write")


def test_moves_that_stay_are_told_of_together() -> None:
    text = """
        import torch
        def {0}(x):
            return x.cuda()
        def train():
            return torch.ones(3).cuda()
    """
    (found,) = advice("TP201", text.format("place"))
    assert (found.line, found.message) == (3, ".cuda() needs a GPU, here and in line 5")
    # What is meant for a GPU is left out.
    (found,) = advice("TP201", text.format("place_on_gpu"))
    assert (found.line, found.message) == (5, ".cuda() needs a GPU")


@pytest.mark.parametrize("count", [6, 7, 8])
def test_many_lines_are_counted(count: int) -> None:
    lines = "".join("    x.y().cuda()\n" for _ in range(count))
    (found,) = advice("TP201", f"import torch\ndef f(x):\n    x.z().cuda()\n{lines}")
    named = {6: "4, 5, 6, 7, 8 and 9", 7: "4, 5, 6, 7, 8 and 2 more", 8: "4, 5, 6, 7, 8 and 3 more"}
    assert found.message == f".cuda() needs a GPU, here and in lines {named[count]}"


@pytest.mark.parametrize(
    ("made", "line"),
    [
        ("Variable(\n        torch.ones(3).cuda(), requires_grad=False)", 9),
        ("Variable(\n        torch.FloatTensor(numpy.ones(3)).cuda(), requires_grad=False)", 9),
        ("Variable(torch.ones(3).cuda(),\n        requires_grad=False)", 8),
    ],
)
def test_lines_are_those_of_the_file_where_a_wrapper_goes(made: str, line: int) -> None:
    text = "import numpy\nimport torch\nfrom torch.autograd import Variable\n"
    text += f"def f(x):\n    print(x.cuda(1))\n    return x.cuda()\ndef g():\n    y = {made}\n    return y\n"
    (found,) = [f for f in migrate(text).findings if f.code == "TP201"]
    assert found.message == f".cuda() needs a GPU, here and in line {line}"


@pytest.mark.parametrize(
    "test", ["config.device != 'cpu'", "device != cpu_device", "not use_cpu", "config.gpu >= 0"]
)
def test_nothing_is_said_under_a_test_for_the_cpu(test: str) -> None:
    text = f"def moved(net, config, device, cpu_device, use_cpu):\n    if {test}:\n"
    assert not advice("TP201", text + "        net = net.cuda()\n    return net.train()\n")


def test_what_importlib_finds_may_be_a_module_of_the_project() -> None:
    text = "import importlib, torch\nnet = importlib.import_module(name).Model()\nnet.cuda()\n"
    assert "net.to(device)" in (migrate(text + "x = torch.ones(3).cuda()\n", "TP201").text or "")


def test_a_part_of_a_module_goes_along() -> None:
    text = "import torch\nfrom torchvision import models\ncnn = models.vgg19().features\n"
    text += "cnn = cnn.cuda()\nx = torch.ones(3).cuda()\n"
    assert "cnn = cnn.to(device)" in (migrate(text, "TP201").text or "")


def test_what_works_without_a_gpu_is_told_nothing() -> None:
    guarded = _GIVEN.format(parameters="y, cuda", above="x = torch.relu(y)", test="cuda")
    assert not advice("TP201", guarded)


_OBJECT = """
import torch

class Agent{bases}:
    def __init__(self, args):
        {first}
        self.args = args
        {last}

    def act(self, obs):
        x = torch.from_numpy(obs)
        {more}
        if self.args.cuda:
            x = x.cuda()
        return x

{below}
"""
_PLAIN = {"bases": "", "first": "self.x = 1", "last": "self.y = 2", "more": "obs = 3", "below": ""}


def test_an_object_makes_a_device_of_its_flag() -> None:
    after = migrate(_OBJECT.format(**_PLAIN), "TP201", "TP202").text
    assert "self.args = args\n        self.device = torch.device(" in after
    assert "return x.to(self.device)\n" in after


@pytest.mark.parametrize(
    ("first", "kept", "flag"),
    [
        ("self.x = 1", "args", "args.cuda"),
        # Not what it was given, or another thing by then.
        ("self.x = 1", "copy(args)", "self.args.cuda"),
        ("args = copy(args)", "args", "self.args.cuda"),
    ],
)
def test_a_device_is_made_of_what_the_constructor_is_given(
    first: str, kept: str, flag: str
) -> None:
    text = _OBJECT.format(**_PLAIN | {"first": first}).replace("= args", f"= {kept}")
    after = migrate(text, "TP201", "TP202").text
    assert f'self.device = torch.device("cuda" if {flag} else "cpu")' in after
    assert "return x.to(self.device)" in after


@pytest.mark.parametrize(
    ("kept", "last", "expected"),
    [
        ("self.args    = args", "self.size    = 2", "self.device  = torch."),
        ("self.args      = args", "self.other_one = 2", "self.device    = torch."),
        # Nobody aligned one line alone, and a longer name has no place in a column.
        ("self.args    = args", "self.y = 2", "self.device = torch."),
        ("self.args = args", "self.size = 2", "self.device = torch."),
        ("self.args  = args", "self.net_  = 2", "self.device = torch."),
    ],
)
def test_a_device_stands_in_the_column_of_its_neighbours(
    kept: str, last: str, expected: str
) -> None:
    text = _OBJECT.format(**_PLAIN | {"last": last}).replace("self.args = args", kept)
    after = migrate(text, "TP201", "TP202").text
    assert f"        {kept}\n        {expected}" in after


def test_a_device_of_the_module_stands_in_the_column_of_its_neighbours() -> None:
    head = "import torch\nbatch_size = 3\nuse_cuda   = torch.cuda.is_available()\n"
    text = f"{head}net = torch.nn.Linear(2, 2)\nif use_cuda:\n    net.cuda()\n"
    assert f"{head}device     = torch." in migrate(text, "TP201", "TP202").text


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("bases", "(torch.nn.Module)"),
        ("bases", "(Base)"),
        ("bases", "(metaclass=Meta)"),
        ("first", "self.device = 3"),
        ("first", "print(self.device)"),
        ("first", "if args.cuda: x = torch.rand(2).cuda()"),
        ("first", "if self.args.cuda: self.x = torch.rand(2).cuda()"),
        ("last", "self.args = self.args or parse()"),
        ("last", "self.args.cuda = False"),
        ("last", "setattr(self, 'args', 3)"),
        ("last", "vars(self).update(args)"),
        ("more", "self.__dict__['args'] = 3"),
        ("more", "if self.x.cuda: x = x.cuda()"),
        ("more", "if self.more.cuda: x = x.cuda()"),
        ("below", "class Other(Agent): pass"),
        ("below", "agent = Agent(2)\nagent.args = 3"),
        ("below", "    def device(self): return 3"),
        ("below", "    def __setattr__(self, name, value): pass"),
        ("below", "def f():\n    return torch.ones(2).cuda()"),
        ("below", "def f(args):\n    args.cuda = 3"),
    ],
)
def test_other_flags_of_objects_say_too_little(part: str, text: str) -> None:
    before = _OBJECT.format(**{**_PLAIN, part: text})
    assert migrate(before, "TP201", "TP202").text == before


def test_a_class_that_another_file_builds_on_says_too_little(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    (tmp_path / "agent.py").write_text(_OBJECT.format(**_PLAIN))
    for other, is_left in (
        ("agent.args", False),
        ("agent.args = 3", True),
        ("class Other(agent.Agent): pass", True),
    ):
        (tmp_path / "main.py").write_text(f"import torch, agent\n{other}\n")
        settings = Settings(select=("TP201", "TP202"))
        result = migrate_file(tmp_path / "agent.py", settings, write=False)
        assert (result.after is None) is is_left


@pytest.mark.parametrize("flag", ["args.cpu", "args.no_cuda", "use_cpu"])
def test_what_is_negated_is_a_switch_of_the_module_as_well(flag: str) -> None:
    setting = "use_cpu = k" if flag == "use_cpu" else "args = parse()"
    text = f"import torch\n{setting}\nx = torch.rand(2)\nif not {flag}:\n    x = x.cuda()\n"
    made = f'device = torch.device("cuda" if not {flag} else "cpu")\n'
    assert migrate(text, "TP201", "TP202").text == (
        f"import torch\n{setting}\n{made}x = torch.rand(2).to(device)\n"
    )


_SEVERAL_TESTS = """
import torch
class Trainer:
    def __init__(self, opt):
        self.opt = opt
        self.x, self.y = torch.zeros(2), torch.zeros(2)
        if {own}:
            self.x = self.x.cuda()
    def pick(self):
        return torch.arange(2).cuda()
    def save(self, net, {given}):
        if {test}:
            net.half(), net.cuda()
"""


@pytest.mark.parametrize(
    ("own", "given", "test"),
    [
        # Another device would go against a switch that the move cannot ask for.
        ("self.opt.gpu_ids", "gpu_ids", "len(gpu_ids) and torch.cuda.is_available()"),
        ("self.opt.gpu_ids", "other", "torch.cuda.is_available()"),
        ("len(self.opt.gpu_ids)", "gpus", "gpus"),
        # What asks for the kind of a tensor, or whether there is a GPU, is no switch.
        ("torch.cuda.is_available()", "t", "t.type() == 'torch.cuda.FloatTensor'"),
    ],
)
def test_no_switch_that_the_move_does_not_see_makes_a_device(
    own: str, given: str, test: str
) -> None:
    found = advice("TP201", _SEVERAL_TESTS.format(own=own, given=given, test=test))
    fact = ".cuda() needs a GPU, though line 6 asks whether to use one: move it only then"
    assert [f.message for f in found] == [fact]


@pytest.mark.parametrize(("otherwise", "is_switch"), [("x", True), ("x.cuda()", False)])
def test_a_test_between_two_ways_to_the_gpu_is_no_switch(otherwise: str, is_switch: bool) -> None:
    moved = f"[x.cuda()] if multi_gpu else {otherwise}"
    text = f"import torch\ndef f(x, multi_gpu):\n    print({moved})\n    return (x + 1).cuda()\n"
    said = [f.message for f in advice("TP201", text) if f.line == 4]
    assert [" if multi_gpu else " in message for message in said] == [is_switch]
    assert [message == ".cuda() needs a GPU" for message in said] == [not is_switch]


_CHANGED_COPY = """
import torch
from torch.utils.data import DataLoader
net = torch.nn.Linear(2, 2).cuda()
def f(criterion, flip):
    for x, y in DataLoader(rows):
        out = net(x.cuda())
        score = {copied}
        {change}
        print(score)
        loss = {read}
"""


@pytest.mark.parametrize(
    ("copied", "change", "read", "after"),
    [
        ("out[-1].data.cpu()", "score += 1", "criterion(out, y)", "out[-1].data.cpu().clone()"),
        ("out.cpu()", "score[0] = 1", "out.sum()", "out.cpu().clone()"),
        ("out.detach().cpu()", "score.mul_(2)", "out + 1", "out.detach().cpu().clone()"),
        # Nothing is changed, what is changed is read no more, or lies elsewhere, or was no copy.
        ("out.cpu()", "score = score + 1", "out.sum()", None),
        ("out.cpu()", "score += 1", "out.size()", None),
        ("out[0].cpu()", "score += 1", "out[1]", None),
        ("x.cpu()", "score += 1", "x.sum()", None),
        ("unknown(out).cpu()", "score += 1", "out.sum()", None),
    ],
)
def test_what_was_a_copy_from_the_gpu_stays_one(
    copied: str, change: str, read: str, after: str | None
) -> None:
    text = _CHANGED_COPY.format(copied=copied, change=change, read=read)
    expected = text.replace(copied, after or copied).replace("x.cuda()", "x.to(device)")
    found = migrate(text, "TP201").text
    assert expected.partition("def f")[2] in found


def test_where_a_flag_of_the_program_says_cpu_nothing_is_copied_again() -> None:
    text = _CHANGED_COPY.format(copied="out.cpu()", change="score += 1", read="out.sum()")
    text = text.replace("net = torch.nn.Linear(2, 2).cuda()", "net = torch.nn.Linear(2, 2)")
    text = text.replace("out = net(x.cuda())", "out = net(x.cuda() if flip else x)")
    found = migrate(text, "TP201").text
    assert ".clone()" not in found and ".to(device)" in found


_SHADOWED = """
import argparse
import torch
args = argparse.ArgumentParser().parse_args()
net = torch.nn.Linear(2, 2)
if args.cuda: net.cuda(), net.half()
def train(x, {given}):
    return torch.ones(3).cuda()
"""


@pytest.mark.parametrize(("given", "is_seen"), [("y", True), ("args", False)])
def test_a_flag_is_another_one_where_a_function_calls_so(given: str, is_seen: bool) -> None:
    (found,) = advice("TP201", _SHADOWED.format(given=given))
    made = 'with device = torch.device("cuda" if args.cuda else "cpu")'
    assert found.message.endswith(made) is is_seen
    fact = ".cuda() needs a GPU, though line 5 asks whether to use one: move it only then"
    assert (found.message == fact) is not is_seen


@pytest.mark.parametrize(
    ("made", "is_told"),
    [
        ("torch.nn.L1Loss()", False),
        ("torch.nn.CrossEntropyLoss(ignore_index=0)", False),
        ("torch.nn.CrossEntropyLoss(torch.ones(3))", True),
        ("torch.nn.CrossEntropyLoss(weight=weight)", True),
        ("criterion", False),
        ("weighted", True),
        ("torch.nn.Linear(2, 2)", True),
        ("Own(2)", False),
        ("Own(torch.ones(3))", True),
        ("own", False),
        ("Plain(2)", True),
    ],
)
def test_a_loss_without_weights_needs_no_gpu(made: str, is_told: bool) -> None:
    text = f"""
        import torch
        from torch.nn.modules.loss import _Loss
        from data import Base, args, weight
        class Own(_Loss):
            def __init__(self, norm):
                super().__init__()
                self.norm = norm
        class Plain(Base):
            def __init__(self, norm):
                super().__init__()
                self.norm = norm
        def main(weighted):
            criterion = torch.nn.MSELoss(reduction="sum")
            weighted = torch.nn.CrossEntropyLoss(weight)
            own = Own(norm=1)
            return {made}.cuda()
        def other(net):
            if args.cuda:
                net.cuda(), net.half()
    """
    assert bool(advice("TP201", text)) is is_told


def test_torch_that_a_star_import_of_the_project_brings_is_not_asked_for(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    layers, main = tmp_path / "layers.py", tmp_path / "main.py"
    main.write_text(
        "from torch import relu\nfrom layers import *\nfrom data import args\n"
        "def f(x):\n    return relu(x).cuda()\n"
        "def g(net):\n    if args.cuda:\n        net.cuda(), net.half()\n"
    )
    for text, is_there in (("import torch\n", True), ("import torch as t\n", False)):
        layers.write_text(text)
        (found,) = migrate_file(main, Settings(select=("TP201",)), write=False).findings
        assert ("with device" in found.message) is is_there


_TWO_FUNCTIONS = """
import torch
from torch.autograd import Variable

def accuracy(output, target):
    _, found = output.topk(1, 1, True, True)
    return found.t().eq(target.view(1, -1)).float().sum(0)

def train(loader, net):
    for sample in loader:
        x = Variable(sample["x"].cuda())
        out, picked = net(x, 3)
        print(picked.eq(out).type(torch.cuda.FloatTensor))

def validate(loader, net):
    for sample in loader:
        x = Variable(sample["x"].cuda(), volatile=True)
        y = Variable(sample["y"].cuda(), volatile=True)
        out = net(x)
        print(accuracy(out.data, y.data))
"""


def test_what_shows_a_tensor_stays_until_the_moves_of_another_function_go() -> None:
    migration = migrate(_TWO_FUNCTIONS)
    assert "cuda()" not in migration.text
    assert "picked.eq(out).to(device, torch.float)" in migration.text
    assert migrate(migration.text).text == migration.text


@pytest.mark.parametrize(
    "line",
    [
        "y = torch.cuda.FloatTensor(3).zero_()",
        "y = x.type(torch.cuda.FloatTensor)",
        "y = torch.cuda.FloatTensor(3) if cuda else torch.FloatTensor(3)",
    ],
)
def test_types_stay_beside_moves_that_a_comment_keeps(line: str) -> None:
    text = f"""
import torch
cuda = torch.cuda.is_available()
net = torch.nn.Linear(2, 2).cuda()  # torchfix: ignore
x = torch.ones(3).cuda()
{line}
"""
    assert migrate(text, "TP201", "TP202", "TP203").text == text
    assert "cuda.FloatTensor" not in migrate(text.replace("  # torchfix: ignore", "")).text


@pytest.mark.parametrize(
    ("chosen", "is_own"),
    [
        ('torch.cuda.current_device() if cuda else torch.device("cpu")', True),
        ("torch.cuda.current_device() if torch.cuda.is_available() else 'cpu'", True),
        ("torch.device(given)", True),
        ('torch.device("cpu")', False),
        ('torch.device("cuda:1")', False),
        ("read('device')", False),
        ("0", False),
    ],
)
def test_no_second_device_is_made_beside_the_own_of_the_file(chosen: str, is_own: bool) -> None:
    text = f"""
import torch

from settings import given, read

cuda = torch.cuda.device_count() > 0
device = {chosen}


def ones(n):
    return torch.ones(n).cuda() if cuda else torch.ones(n)


def zeros(n):
    return torch.cuda.FloatTensor(n, 2).zero_()
"""
    after = migrate(text, "TP201", "TP202", "TP203").text
    assert ("torch_device" not in after) is is_own
    assert migrate(after, "TP201", "TP202", "TP203").text == after


@pytest.mark.parametrize(
    ("test", "is_switch"),
    [
        ("self.args.device is not None", True),
        ("self.device >= 0", True),
        ("self.args.devices", False),
        ("self.args.deep is not None", False),
    ],
)
def test_what_asks_for_a_device_around_a_move_is_a_switch(test: str, is_switch: bool) -> None:
    text = f"""
import torch


class Net(torch.nn.Module):
    def start(self, n):
        x = torch.zeros(n)
        if {test}:
            x = x.cuda()
        return x


def ones(n):
    return torch.cuda.FloatTensor(n, 2).zero_()
"""
    migration = migrate(text)
    assert ("device = torch.device(" not in migration.text) is is_switch
    assert not is_switch or not any(finding.code == "TP201" for finding in migration.findings)


_CHECKED = """
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x.exp()


def check():
    net = Net()
    net.cuda()
    print(net(torch.ones(2).cuda()))


if __name__ == "__main__":
    check()
"""
_LINE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def test_what_a_file_of_modules_tries_has_its_own_device() -> None:
    text = migrate(_CHECKED, "TP201").text
    assert f"def check():\n    {_LINE}\n    net = Net()\n    net.to(device)\n" in text
    assert text.count(_LINE) == 1


def test_so_does_the_block_in_which_it_does() -> None:
    head, _, body = _CHECKED.partition("def check():\n")
    body = body.partition("\n\nif")[0]
    text = migrate(f'{head}if __name__ == "__main__":\n    # try it\n{body}\n', "TP201").text
    assert f'if __name__ == "__main__":\n    {_LINE}\n    # try it\n    net = Net()\n' in text
    assert text.count(_LINE) == 1


def test_it_stands_below_what_the_block_imports() -> None:
    body = "    import torch\n    import time\n\n    Net().cuda()\n"
    text = migrate(_CHECKED.partition("def check")[0] + f"if __name__ == '__main__':\n{body}").text
    assert f"    import time\n\n    {_LINE}\n    Net().to(device)" in text.replace("'", '"')


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Others call it,
        ("if __name__", "check()\n\nif __name__"),
        ("        return", "        check()\n        return"),
        # something else moves, or may have to name the device,
        ("x.exp()", "x.exp() * self.scale.cuda()"),
        ("    check()\n", "    check()\n    Net().cuda()\n"),
        ("x.exp()", "x.exp() + torch.cuda.FloatTensor(2).fill_(0)"),
        # torch comes from further down,
        ("    net = Net()\n", "    net = Net()\n    import torch\n"),
        # the file defines no module,
        ("class Net(nn.Module)", "Net = nn.ReLU\nclass Other"),
        # or is asked for a module's own flag.
        ("def check", "@torch.no_grad()\ndef check"),
    ],
)
def test_else_a_device_belongs_to_the_file(old: str, new: str) -> None:
    text = migrate(_CHECKED.replace(old, new), "TP201").text
    assert f"    {_LINE}" not in text


_TEXT = """
import torch

use_cuda = torch.cuda.is_available()
device = {0}
net = torch.nn.Linear(2, 3)
if use_cuda:
    net.cuda()


def train(x):
    x = torch.ones(2)
    if use_cuda:
        x = x.cuda()
    return net(x.to(device))
"""


def test_a_device_that_is_a_text_is_the_one_of_the_file() -> None:
    after = migrate(_TEXT.format('"cuda" if use_cuda else "cpu"'), "TP201", "TP202").text
    assert "\nnet.to(device)\n" in after
    assert "x = torch.ones(2, device=device)\n" in after
    assert "torch_device" not in after and ".cuda()" not in after


@pytest.mark.parametrize(
    "text",
    ['"cpu"', '"cuda:1" if use_cuda else "cpu"', '"cuda" if use_cuda else make()', "make()"],
)
def test_a_text_that_may_name_another_device_is_none(text: str) -> None:
    assert "net.to(device)" not in migrate(_TEXT.format(text), "TP201", "TP202").text


_NUMBERED = """
import argparse
import torch

args = argparse.ArgumentParser().parse_args()
use_cuda = torch.cuda.is_available()
device = torch.device({0})
net = torch.nn.Linear(2, 3){1}


def train(x):
    w = torch.cuda.FloatTensor([1.0, 2.0, 3.0])
    return net(torch.ones(4, 2).cuda()) * w
"""


@pytest.mark.parametrize(
    "device",
    [
        '"cuda", 1',
        '"cuda", index=1',
        '"cuda" if use_cuda else "cpu", 1',
        "1",
        '"cuda:1"',
        '"cuda", args.gpu',
        '"cuda:%d" % args.gpu',
        'f"cuda:{args.gpu}" if use_cuda else "cpu"',
        '"cuda:" + str(args.gpu)',
        '"cuda:{}".format(args.gpu)',
    ],
)
def test_a_gpu_by_its_number_is_not_the_current_one(device: str) -> None:
    codes = ("TP201", "TP202", "TP203", "TP204")
    text = migrate(_NUMBERED.format(device, ".cuda()"), *codes).text
    assert "to(device)" not in text and "device=device" not in text
    # It is where it was chosen for all, or the network goes there.
    for chosen in ("args.gpu" if "args.gpu" in device else "1", "device"):
        chooses = f".cuda()\nif use_cuda:\n    torch.cuda.set_device({chosen})"
        text = migrate(_NUMBERED.format(device, chooses), *codes).text
        assert "torch.ones(4, 2, device=device)" in text
    text = migrate(_NUMBERED.format(device, ".to(device)"), *codes).text
    assert "torch.ones(4, 2, device=device)" in text
    # Another network is elsewhere.
    other = ".to(device)\nb = torch.nn.ReLU().cuda()"
    text = migrate(_NUMBERED.format(device, other), *codes).text
    assert "device=device" not in text and "ReLU().to(device)" not in text


@pytest.mark.parametrize("device", ['"cuda"', '"cuda:0"', '"cuda", 0', "0", '"cuda", None'])
def test_the_first_gpu_is_the_current_one(device: str) -> None:
    text = migrate(_NUMBERED.format(device, ".cuda()"), "TP201").text
    assert "Linear(2, 3).to(device)" in text and "ones(4, 2, device=device)" in text


def test_a_text_by_another_switch_is_none_and_has_no_other_name_beside_it() -> None:
    text = _TEXT.format('"cuda" if fast else "cpu"').replace("\ndevice", "\nfast = True\ndevice")
    after = migrate(text, "TP201", "TP202").text
    assert "net.cuda()" in after and "torch_device" not in after


def test_texts_by_branches_have_no_other_name_beside_them() -> None:
    text = _TEXT.replace("device = {0}\n", "")
    chosen = 'if use_cuda:\n    device = "cuda"\nelse:\n    device = "cpu"\nnet = '
    after = migrate(text.replace("net = ", chosen), "TP201", "TP202").text
    assert "net.cuda()" in after and "torch_device" not in after


_AGENT = """
import torch
class Agent:
    def __init__(self, args):
        self.main = {main}
        self.target = torch.nn.Linear(2, 2)
        {between}
        if args.cuda:
            self.main.cuda()
            self.target.cuda()
"""


@pytest.mark.parametrize(
    ("main", "between", "stays"),
    [
        ("0", "pass", True),
        ("None", "pass", True),
        ("make(args)", "pass", False),
        ("torch.nn.Linear(2, 2)", "pass", False),
        ("0", "self.main = make(args)", False),
    ],
)
def test_a_guard_stays_around_a_move_that_must_never_run(
    main: str, between: str, stays: bool
) -> None:
    after = migrate(_AGENT.format(main=main, between=between), "TP201", "TP202").text
    assert ("self.main.to(device)" not in after) is stays


_LOSS = """
import torch
class Loss(torch.nn.Module):
    def forward(self, output):
        output = output.view(3, -1)
        grid = torch.linspace(0, 4, 5).repeat(2, 1).cuda()
        {other}
        return torch.sigmoid(output[0]) + grid
    def count(self, output):
        output = output.view(3, -1)
        ones = torch.ones(5).cuda()
        return torch.sigmoid(output[0]) + ones
"""


@pytest.mark.parametrize(
    ("other", "place"),
    [
        ("pass", "output.device"),
        ("mask = self.masks(len(grid))\n        mask = torch.relu(mask).cuda()", "device"),
    ],
)
def test_one_function_says_in_one_way_where_things_go(other: str, place: str) -> None:
    after = migrate(_LOSS.format(other=other), "TP201").text
    assert f"grid = torch.linspace(0, 4, 5).repeat(2, 1).to({place})\n" in after
    assert "ones = torch.ones(5, device=output.device)\n" in after


def test_a_class_that_puts_its_own_tensors_somewhere_says_so_in_all_methods() -> None:
    start = "(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    own = start + "        self.size = 5\n"
    other = "self.seen = self.size"
    text = _LOSS.format(other=other).replace("(torch.nn.Module):\n", own)
    after = migrate(text, "TP201").text
    assert after.count("output.device)") == 2
    text = text.replace("self.size = 5", "self.size = torch.rand(5).cuda()")
    after = migrate(text, "TP201").text
    assert "output.device" not in after and ".cuda()" not in after
    assert after.count("to(device)") == 2 and "device=device" in after


_GUARDED = """
import torch
use_cuda = torch.cuda.is_available()
class Net(torch.nn.Module):
    def forward(self, x):
        h = torch.zeros(x.size(0), 2)
        {guard}h = h.cuda()
        return self.rnn(x, h)
{net}"""


@pytest.mark.parametrize(
    ("guard", "net", "place"),
    [
        ("if use_cuda:\n            ", "net = Net()\nif use_cuda:\n    net.cuda()\n", "device"),
        ("if use_cuda:\n            ", "", "x.device"),
        ("", "net = Net()\nif use_cuda:\n    net.cuda()\n", "x.device"),
        ("if x.is_cuda:\n            ", "net = Net()\nif use_cuda:\n    net.cuda()\n", "x.device"),
    ],
)
def test_the_same_guards_say_in_one_way_where_things_go(guard: str, net: str, place: str) -> None:
    after = migrate(_GUARDED.format(guard=guard, net=net), "TP201", "TP202").text
    assert f"        h = torch.zeros(x.size(0), 2, device={place})\n" in after
    assert ("net.to(device)" in after) is bool(net)


_NAMED = """\
import torch
sizes = [2, 3]
{named}
def make():
    if torch.cuda.is_available():
        net.cuda()
net = torch.nn.Linear(*sizes)
"""


@pytest.mark.parametrize(
    ("named", "line"),
    [
        (
            "has_gpu = torch.cuda.is_available()",
            'device = torch.device("cuda" if has_gpu else "cpu")',
        ),
        ("a = torch.cuda.is_available()\nb = torch.cuda.is_available()", None),
        ("a = torch.cuda.is_available()\nif sizes:\n    a = False", None),
    ],
)
def test_a_device_is_made_beside_the_one_name_for_the_answer(named: str, line: str | None) -> None:
    text = _NAMED.format(named=named)
    after = migrate(text, "TP201").text
    assert "net.to(device)" in after
    own = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    assert (f"{named}\n{line}\n" in after) is (line is not None)
    assert (own in after) is (line is None)


def test_a_name_for_the_answer_below_what_uses_it_is_none() -> None:
    text = "import torch\nnet = torch.nn.Linear(2, 3).cuda()\nhas = torch.cuda.is_available()\n"
    assert 'torch.device("cuda" if torch.cuda.is_available()' in migrate(text, "TP201").text


@pytest.mark.parametrize(
    ("made", "change", "after"),
    [
        ("torch.zeros(2, requires_grad=True)", "w[0] = x", ".to(device).clone()"),
        ("torch.zeros(2).requires_grad_()", "w += x", ".to(device).clone()"),
        ("torch.zeros(2, requires_grad=True)", "print(w[0])", ".to(device)"),
        ("torch.rand(2)", "w[0] = x", ".to(device)"),
        ("torch.rand(2, requires_grad=False)", "w[0] = x", ".to(device)"),
    ],
)
def test_a_leaf_is_copied_that_is_written_into(made: str, change: str, after: str) -> None:
    code = f"import torch\ndef f(x):\n    w = {made}.cuda()\n    {change}\n    return w\n"
    assert f"    w = {made}{after}\n" in migrate(code, "TP201").text
