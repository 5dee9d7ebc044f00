from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

_HEAD = """import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
x, v, w = torch.randn(2, 3), torch.ones(2), torch.ones(2, 3, 4)
out = nn.Linear(3, 4)(x)
"""

_FORMS = {
    "torch.max(out.data, 1)[1]": "out.argmax(1)",
    "torch.max(out, 1)[1].data.squeeze()": "out.argmax(1).data.squeeze()",
    "torch.max(out.data, dim=1)[1]": "out.argmax(dim=1)",
    "torch.max(out.data, 1, True)[1]": "out.argmax(1, True)",
    "torch.max(out.data, 1, keepdim=True)[1]": "out.argmax(1, keepdim=True)",
    "torch.max((out + 1).data, -1)[1]": "(out + 1).argmax(-1)",
    "out.data.max(1)[1]": "out.argmax(1)",
    "out.detach().max(1)[1]": "out.argmax(1)",
    "out.data.min(1)[1]": "out.argmin(1)",
    "torch.Tensor([len(i) for i in x]).max(0)[1].data": "torch.Tensor([len(i) for i in x]).argmax(0).data",
    "F.softmax(out.view(-1, 2), dim=1).data.max(1)[1]": "F.softmax(out.view(-1, 2), dim=1).argmax(1)",
    "torch.range(-4, -2)": "torch.arange(-4, -1, dtype=torch.float)",
    "torch.range(-4, -1)": "torch.arange(-4, 0, dtype=torch.float)",
    "torch.range(1, 5)": "torch.arange(1, 6, dtype=torch.float)",
    "torch.range(0, 4).long()": "torch.arange(0, 5).long()",
    "torch.range(0, 4).float()": "torch.arange(0, 5).float()",
    "torch.range(0, 4).half()": "torch.arange(0, 5, dtype=torch.float).half()",
    "torch.range(0, len(x) - 1)": "torch.arange(0, len(x), dtype=torch.float)",
    "torch.range(0, x.size(0) - 2)": "torch.arange(0, x.size(0) - 2 + 1, dtype=torch.float)",
    "torch.range(0, x.size(0) * 2)": "torch.arange(0, x.size(0) * 2 + 1, dtype=torch.float)",
    "torch.range(0, x.size(0) << 1)": "torch.arange(0, (x.size(0) << 1) + 1, dtype=torch.float)",
    "torch.range(0, (len(x) - 1))": "torch.arange(0, (len(x) - 1) + 1, dtype=torch.float)",
    "torch.range(0, 8, 2)": "torch.arange(0, 9, 2, dtype=torch.float)",
    "torch.range(0, 8, dtype=torch.long)": "torch.arange(0, 9, dtype=torch.long)",
    "torch.range(0, 8, out=v)": "torch.arange(0, 9, out=v, dtype=torch.float)",
    "out.creator": "out.grad_fn",
    "x.permuate(1, 0)": "x.permute(1, 0)",
    "torch.randn(4).resize(2, 2).sum()": "torch.randn(4).reshape(2, 2).sum()",
    "torch.randn(4).resize_as(x).sum()": "torch.randn(4).reshape_as(x).sum()",
    "v.resize(2, 1)": "v.reshape(2, 1)",
    "torch.randn(4).resize(rows, model.width).sum()": "torch.randn(4).reshape(rows, model.width).sum()",
    "v.T": "v",
    "w.T": "w.permute(2, 1, 0)",
    "(w + 1).T.sum()": "(w + 1).permute(2, 1, 0).sum()",
    "x[x != x]": "x[torch.isnan(x)]",
    "(x != x).any()": "torch.isnan(x).any()",
}

test_rewrites_forms = rewrites(
    "TP408",
    {
        before: (f"{_HEAD}y = {before}\n", f"{_HEAD}y = {after}\n")
        for before, after in _FORMS.items()
    },
)

test_rewrites = rewrites(
    "TP408",
    {
        "model of this file": (
            """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.out = nn.Linear(3, 2)
                def forward(self, x):
                    x = x.view(-1, 3)
                    return self.out(x)
            torch.manual_seed(1)
            net = Net()
            def predict(x):
                logits = net(x)
                return torch.max(logits.data, 1)[1]
            """,
            """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.out = nn.Linear(3, 2)
                def forward(self, x):
                    x = x.view(-1, 3)
                    return self.out(x)
            torch.manual_seed(1)
            net = Net()
            def predict(x):
                logits = net(x)
                return logits.argmax(1)
            """,
        ),
        "all of a file where one is old": (
            """
            import torch
            out = torch.randn(2, 3)
            pred = out.data.max(1)[1]
            again = out.max(1)[1]
            least = torch.min(out, 1)[1]
            """,
            """
            import torch
            out = torch.randn(2, 3)
            pred = out.argmax(1)
            again = out.argmax(1)
            least = out.argmin(1)
            """,
        ),
        "imported function": (
            """
            from torch import range as torch_range
            y = torch_range(0, 4, dtype=None)
            """,
            """
            import torch
            y = torch.arange(0, 5, dtype=None)
            """,
        ),
        "over lines": (
            """
            import torch
            out = torch.randn(2, 3)
            pred = torch.max(
                out.data,
                1,
                keepdim=True,
            )[1]
            """,
            """
            import torch
            out = torch.randn(2, 3)
            pred = out.argmax(
                1,
                keepdim=True,
            )
            """,
        ),
    },
)

_KEPT = {
    "nothing old on any such line": "torch.max(out, 1)[1]; x.max(1)[1]\nprint(out.data)",
    "maximum": "torch.max(out.data, 1)[0]",
    "both": "torch.max(out.data, 1)",
    "elementwise": "torch.max(x, out.data)[1]",
    "of all": "torch.max(x.data)[1]; x.data.max()[1]",
    "dimension of unknown kind": "torch.max(out.data, dim)[1]",
    "mask": "(x > 0).data.max(1)[1]; torch.max((x == 0).data, 1)[1]",
    "byte mask": "(x > 0).byte().data.max(1)[1]",
    "what may be a mask": "torch.max(torch.cat([x, unknown]).data, 1)[1]",
    "array": "np.ones((2, 3)).max(1)[1].data",
    "unknown": "unknown.data.max(1)[1]",
    "builtin": "max(x.data, y)[1]",
    "star": "torch.max(out.data, *rest)[1]",
    "output": "torch.max(out.data, 1, out=rest)[1]",
    "slice": "torch.max(out.data, 1)[1:]",
    "range of floats": "torch.range(0, 1, 0.1); torch.range(0.0, 4)",
    "range of unknown numbers": "torch.range(0, n)",
    "range downwards": "torch.range(4, 0, -1)",
    "range that goes nowhere": "torch.range(0, 4, 0)",
    "builtin range": "range(0, 4)",
    "numpy range": "np.arange(0, 4)",
    "matrix": "x.T; torch.ones(2, 3).T",
    "unknown number of dimensions": "torch.stack(tensors).T; F.relu(unknown).T",
    "array turned": "np.ones((2, 3, 4)).T",
    "unknown turned": "unknown.T",
    "image": "image.resize(224, 224); image.resize((224, 224))",
    "array resized": "np.ones(4).resize(2, 2)",
    "open size": "torch.randn(4).resize(-1, 2).sum()",
    "size that is open beside an unknown one": "torch.randn(4).resize(rows, -1).sum()",
    "what may be a tuple alone": "torch.randn(4).resize(sizes).sum()",
    "unpacked sizes": "torch.randn(4).resize(2, *sizes).sum()",
    "tuple beside a size": "torch.randn(4).resize(2, (2, 1)).sum()",
    "size in a tuple": "torch.randn(4).resize((2, 2)).sum()",
    "in place": "x.resize_(3, 2)",
    "creator of something else": "paper.creator",
    "permute of something else": "deck.permuate(1, 0)",
    "two tensors": "(x != out).any()",
    "nan test of a number": "loss = out.sum(); loss != loss",
    "nan test of unknown": "(unknown != unknown).any()",
    "suppressed": "torch.max(out.data, 1)[1]  # noqa: TP408",
}

test_keeps_line = keeps("TP408", {name: f"{_HEAD}{text}\n" for name, text in _KEPT.items()})

test_keeps = keeps(
    "TP408",
    {
        "model that gives masks": """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def forward(self, x):
                    return torch.sigmoid(x) > 0.5
            net = Net()
            def predict(x):
                mask = net(x)
                return torch.max(mask.data, 1)[1]
            """,
        "model that may give its input": """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.out = nn.Linear(3, 2)
                def forward(self, x, skip):
                    if skip:
                        return x.view(-1, 3)
                    return self.out(x)
            net = Net()
            def predict(x):
                return torch.max(net(x, False).data, 1)[1]
            """,
        "either": """
            import torch
            x = torch.randn(2, 3)
            if flag:
                x = x > 0
            pred = torch.max(x.data, 1)[1]
            """,
        "written under another name": """
            import torch
            def f():
                x = torch.randn(2, 3)
                y = x.t().resize(3, 2)
                y.zero_()
                return x
            """,
        "another default dtype": """
            import torch
            torch.set_default_dtype(torch.float64)
            y = torch.range(0, 4)
            """,
        "creator that is set": """
            import torch
            x = torch.ones(2)
            x.creator = "me"
            """,
        "function of this file": """
            import torch
            class torch:
                @staticmethod
                def range(a, b):
                    return a
            y = torch.range(0, 4)
            """,
        "comment": """
            import torch
            y = torch.max(torch.ones(2, 3).data,  # scores
                          1)[1]
            """,
    },
)


def test_what_has_the_place_of_previous_functions_is_told_once() -> None:
    text = """import torch
def walk(function):
    for before in function.previous_functions:
        walk(before[0])
    return function.previous_functions
"""
    (found,) = advice("TP408", text)
    assert found.line == 3
    assert found.message.startswith("previous_functions went in torch 0.2: write next_functions,")
    assert found.message.endswith("with the tensor in .variable")
    assert migrate(text, "TP408").text == text
    asked = text.replace("    for", "    if hasattr(function, 'previous_functions'):\n     for", 1)
    (found,) = advice("TP408", asked)
    assert found.message.endswith("; line 3 asks for it by name, too")


def test_the_creator_of_what_is_not_known_went_with_previous_functions() -> None:
    text = """import torch
def walk(x):
    if hasattr(x, 'creator') and x.creator is not None:
        for before in x.creator.previous_functions:
            walk(before[0])
"""
    (found,) = advice("TP408", text)
    assert "; creator, in lines 3 and 4, went with it: write grad_fn; line 3 asks" in found.message
    assert migrate(text, "TP408").text == text
    # What is a tensor is rewritten, and what gives its objects a creator of its own is no tensor.
    rewritten = text.replace("walk(before[0])", "torch.ones(2).creator")
    rewritten = rewritten.replace("x.creator", "x.function")
    (found,) = [f for f in advice("TP408", rewritten) if "previous" in f.message]
    assert "went with it" not in found.message
    (found,) = advice("TP408", text + "paper.creator = 'me'\n")
    assert "went with it" not in found.message


@pytest.mark.parametrize(
    "text",
    [
        "x.next_functions",
        "x.previous_functions = []\nx.previous_functions",
        "class Chain:\n    def previous_functions(self): ...\nx.previous_functions()",
        "del x.previous_functions",
        "previous_functions = []\nprint(previous_functions)",
    ],
)
def test_nothing_is_told_of_previous_functions_of_the_users(text: str) -> None:
    assert advice("TP408", f"import torch\n{text}\n") == []
