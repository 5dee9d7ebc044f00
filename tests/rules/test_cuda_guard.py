from __future__ import annotations

import pytest

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options

test_rewrites = rewrites(
    "TP202",
    {
        "on one line": (
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(x):
                # move
                if use_cuda: x = x.to(device)  # input
                return x
            """,
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(x):
                # move
                x = x.to(device)  # input
                return x
            """,
        ),
        "several moves": (
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(x, y):
                # move
                if use_cuda:
                    x = x.to(device)  # input
                    y = y.to(device)
                return x, y
            """,
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(x, y):
                # move
                x = x.to(device)  # input
                y = y.to(device)
                return x, y
            """,
        ),
        "the tensor at hand is the flag": (
            """
            import torch
            def f(x, y):
                if x.is_cuda:
                    y = y.to(x.device)
                return x.unsqueeze(0) + y
            """,
            """
            import torch
            def f(x, y):
                y = y.to(x.device)
                return x.unsqueeze(0) + y
            """,
        ),
        "beside the input of a module, as an earlier run wrote it": (
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    y = torch.ones(2).repeat(3)
                    if torch.cuda.is_available():
                        y = y.to(x.device)
                    return x + y
            def f(x, y):
                if torch.cuda.is_available():
                    y = y.to(x.device)
                return x + y
            """,
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    y = torch.ones(2, device=x.device).repeat(3)
                    return x + y
            def f(x, y):
                if torch.cuda.is_available():
                    y = y.to(x.device)
                return x + y
            """,
        ),
        "a flag of what has a size": (
            """
            import torch
            def f(x, y):
                if len(y) > 2:
                    print(x.size())
                if x.is_cuda:
                    y = y.to(x.device)
                return y
            def g(options, y):
                if options.is_cuda:
                    y = y.to(options.device)
                return y
            """,
            """
            import torch
            def f(x, y):
                if len(y) > 2:
                    print(x.size())
                return y.to(x.device)
            def g(options, y):
                if options.is_cuda:
                    y = y.to(options.device)
                return y
            """,
        ),
        "the flag by another name": (
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            def f(x):
                return x.to(device) if use_cuda else x
            """,
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            def f(x):
                return x.to(device)
            """,
        ),
        "brought back": (
            """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            def f(model, x):
                if torch.cuda.is_available():
                    model.to(device)
                else:
                    model.cpu()
                return model(x.to(device) if torch.cuda.is_available() else x.cpu())
            """,
            """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            def f(model, x):
                model.to(device)
                return model(x.to(device))
            """,
        ),
        "else without the move": (
            """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            if torch.cuda.is_available():
                x = f(1).to(device)
            else:
                x = f(1)
            """,
            """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            x = f(1).to(device)
            """,
        ),
        "moves above and below other lines": (
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(net, x):
                net = torch.nn.Linear(2, 2)

                # to the GPU
                if use_cuda:
                    x = x.to(device)
                    # on all of them
                    net = torch.nn.DataParallel(net)
                    net.to(device)
                return net(x)
            """,
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(net, x):
                net = torch.nn.Linear(2, 2)

                # to the GPU
                x = x.to(device)
                if use_cuda:
                    # on all of them
                    net = torch.nn.DataParallel(net)
                net.to(device)
                return net(x)
            """,
        ),
        "what is made there, or not": (
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            if use_cuda:
                x = torch.zeros(2, device=device)
            else:
                x = torch.zeros(2)
            y = (x.to(device), x) if use_cuda else (x, x)
            """,
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            x = torch.zeros(2, device=device)
            y = (x.to(device), x)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP202",
    {
        "only some of it brought back": """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            def f(x, y):
                if torch.cuda.is_available():
                    x, y = x.to(device), y.to(device)
                else:
                    x, y = x.cpu(), y
                return x, y
            """,
        "something else brought back": """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            def f(x, y):
                return x.to(device) if torch.cuda.is_available() else y.cpu()
            """,
        "brought back as a class says": """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            class Net(torch.nn.Module):
                def cpu(self):
                    self.is_slow = True
                    return super().cpu()
            def f(model):
                if torch.cuda.is_available():
                    model.to(device)
                else:
                    model.cpu()
                return model
            """,
        "another flag": """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            def f(x, use_cuda):
                if use_cuda:
                    x = x.to(device)
                return x
            """,
        "a move between other lines": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            if use_cuda:
                torch.cuda.manual_seed(1)
                x = x.to(device)
                torch.cuda.synchronize()
            """,
        "what is moved below is made there": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(y):
                if use_cuda:
                    x = torch.relu(y)
                    x = x.to(device)
                if use_cuda:
                    print(y)
                    return y
                    y = y.to(device)
            """,
        "more of them beside other lines": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            if use_cuda:
                x = x.to(device)
                y = f(x.to(device))
            """,
        "comment beside the other branch": """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            if torch.cuda.is_available():
                x = f(1).to(device)
            else:
                # where there is none
                x = f(1)
            """,
        "comment at the end": """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            if torch.cuda.is_available():
                x = x.to(device)

                # y = y.cuda()
            # The rest.
            print(x)
            """,
        "elif": """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            if f(1):
                x = f(2)
            elif torch.cuda.is_available():
                x = x.to(device)
            """,
        "the flag of another input": """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    if self.use_cuda:
                        y = torch.zeros(2, device=x.device)
                    else:
                        y = torch.zeros(2)
                    return y + x
            """,
        "a flag that changes": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            use_cuda = False
            if use_cuda:
                x = x.to(device)
            """,
        "a flag that the command line sets later": """
            import torch
            class Config:
                gpu = True
            opt = Config()
            device = torch.device("cuda" if opt.gpu else "cpu")
            def train(net, **given):
                for key, value in given.items():
                    setattr(opt, key, value)
                if opt.gpu:
                    net.to(device)
            """,
        "a new name": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            if use_cuda:
                y = x.to(device)
            """,
        "a statement whose result is lost may be a module's move or nothing": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(x):
                if use_cuda:
                    x.to(device)
            """,
        "else that does something else": """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            if torch.cuda.is_available():
                x = f(1).to(device)
            else:
                x = f(2)
            """,
        "comment on the line of the guard": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            if use_cuda:  # only there
                x = x.to(device)
            """,
    },
)


_GIVEN = """import torch
use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
def f(x, use_cuda):
    if use_cuda:
        x = x.to(device)
    return x
f(1, use_cuda)
"""


def test_a_flag_that_all_calls_give_is_that_of_the_device() -> None:
    alone = Options(imported_elsewhere=lambda: False)
    assert "    if use_cuda:" not in migrate(_GIVEN, "TP202", options=alone).text
    other = f"{_GIVEN}f(2, False)\n"
    assert migrate(other, "TP202", options=alone).text == other
    assert migrate(_GIVEN, "TP202").text == _GIVEN


_GLOBAL = """import torch
use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
def f(x, y):
    global use_cuda
    if use_cuda:
        x = x.to(device)
    y = y.to(device) if use_cuda else y
    return x + y
"""


def test_what_is_global_for_guards_alone_goes_with_them() -> None:
    after = _GLOBAL.replace("    global use_cuda\n    if use_cuda:\n    ", "")
    assert migrate(_GLOBAL, "TP202").text == after.replace(" if use_cuda else y", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("return x", "print(use_cuda)\n    return x", id="read elsewhere"),
        pytest.param("return x", "use_cuda = False\n    return x", id="set"),
        pytest.param("return x", "import use_cuda\n    return x", id="imported"),
        pytest.param("return x", "# not use_cuda\n    return x", id="spoken of"),
        pytest.param("if use_cuda:", "if use_cuda and x is not None:", id="a guard that stays"),
        pytest.param("global use_cuda", "global use_cuda, seen", id="two names"),
        pytest.param("global use_cuda", "global use_cuda  # the flag", id="a comment"),
        pytest.param("x.to(device)\n", "x.to(device)\n        log(x)\n", id="a guard of more"),
    ],
)
def test_what_is_global_for_more_stays(old: str, new: str) -> None:
    text = _GLOBAL.replace(old, new)
    line = next(line for line in text.splitlines() if line.startswith("    global"))
    assert line in migrate(text, "TP202").text


def test_what_is_global_for_nothing_was_so_before() -> None:
    text = _GLOBAL.replace("if use_cuda:", "if x is None:").replace(" if use_cuda else y", "")
    assert migrate(text, "TP202").text == text


_BACK = """import torch
use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if {flag} else "cpu")
def f(net, x, other):
    y = net(x.to(device))
    {line}
    return a
"""


@pytest.mark.parametrize(
    ("line", "now"),
    [
        (
            "a = y.data.cpu().numpy() if use_cuda else y.data.numpy()",
            "a = y.data.cpu().numpy()",
        ),
        ("a = torch.exp(x).cpu() if use_cuda else torch.exp(x)", "a = torch.exp(x).cpu()"),
        (
            "if use_cuda:\n        a = y.cpu().numpy()\n    else:\n        a = y.numpy()",
            "a = y.cpu().numpy()",
        ),
    ],
)
def test_what_is_brought_back_needs_no_flag(line: str, now: str) -> None:
    text = _BACK.format(flag="use_cuda", line=line)
    assert migrate(text, "TP202").text == _BACK.format(flag="use_cuda", line=now)


@pytest.mark.parametrize(
    ("flag", "line"),
    [
        ("use_cuda", "a = y.cpu() if use_cuda else y"),
        ("use_cuda", "a = y.cpu().numpy() if other else y.numpy()"),
        ("use_cuda", "a = y.cpu().numpy() if use_cuda else x.numpy()"),
        ("use_cuda", "a = y.numpy() if use_cuda else y.cpu().numpy()"),
        ("other()", "a = y.cpu().numpy() if use_cuda else y.numpy()"),
    ],
)
def test_what_may_be_no_tensor_or_another_flag_stays(flag: str, line: str) -> None:
    text = _BACK.format(flag=flag, line=line)
    assert migrate(text, "TP202").text == text


def test_a_class_with_a_cpu_of_its_own_keeps_the_guard() -> None:
    own = "class Box:\n    def cpu(self):\n        return self.host\n"
    line = "a = y.cpu().numpy() if use_cuda else y.numpy()"
    text = _BACK.format(flag="use_cuda", line=line) + own
    assert migrate(text, "TP202").text == text
