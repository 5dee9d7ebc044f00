"""Where the line of the device goes if what it depends on stands above ``import torch``."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate, rewrites

test_rewrites = rewrites(
    "TP201",
    {
        "the GPU is chosen above the imports": (
            """
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"

            import torch
            from torch import nn

            net = nn.Linear(3, 3)
            net.cuda()
            """,
            """
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"

            import torch
            from torch import nn

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            net = nn.Linear(3, 3)
            net.to(device)
            """,
        ),
        "so does a flag": (
            """
            use_cuda = True

            import torch
            import time

            x = torch.ones(2)
            if use_cuda:
                x = x.cuda()
                time.sleep(1)
            y = torch.ones(2)
            if use_cuda:
                y = y.cuda()
            """,
            """
            use_cuda = True

            import torch
            import time

            device = torch.device("cuda" if use_cuda else "cpu")

            x = torch.ones(2)
            if use_cuda:
                x = x.to(device)
                time.sleep(1)
            y = torch.ones(2)
            if use_cuda:
                y = y.to(device)
            """,
        ),
        "torch between two choices": (
            """
            import torch
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            import time
            x = torch.ones(2).cuda()
            """,
            """
            import torch
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            import time
            x = torch.ones(2, device=device)
            """,
        ),
        "torch itself is imported last": (
            """
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            import torch.nn as nn
            import time
            import torch
            time.sleep(1)
            x = torch.ones(2).cuda()
            """,
            """
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            import torch.nn as nn
            import time
            import torch

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            time.sleep(1)
            x = torch.ones(2, device=device)
            """,
        ),
    },
)


_TRIED = """\
import torch

try:
    {0}
{1}
from loaders import get_loader

torch.backends.cudnn.benchmark = True
net = torch.nn.Linear(3, 3).cuda()
"""
_DEVICE = "device = torch.device("


@pytest.mark.parametrize(
    ("tried", "otherwise", "is_below"),
    [
        ("import writer", "except ImportError:\n    writer = None\n", True),
        ("import writer\n    has = True", "except Exception:\n    has = False\n", True),
        ("import writer\n    writer.start()", "except Exception:\n    pass\n", False),
        ("has = True", "finally:\n    pass\n", False),
        ("import writer\n    has = writer.has", "except Exception:\n    has = False\n", False),
    ],
)
def test_below_imports_that_are_tried(tried: str, otherwise: str, is_below: bool) -> None:
    after = migrate(_TRIED.format(tried, otherwise), "TP201").text
    assert after.count(_DEVICE) == 1
    assert (after.index(_DEVICE) > after.index("get_loader")) == is_below


_STAR_BELOW = """
import torch
{above}
x = torch.ones(2)
{used}
from helpers import *
{below}
"""


@pytest.mark.parametrize(
    ("used", "below"),
    [
        ("x = x.cuda()", "show(x)"),
        ("for y in x:\n    print(y.cuda())", "show(x)"),
        ("ys = [y.cuda() for y in x]", ""),
    ],
)
def test_all_names_imported_below_hide_no_device_above(used: str, below: str) -> None:
    text = _STAR_BELOW.format(above="", used=used, below=below)
    after = migrate(text, "TP201").text
    assert ".cuda()" not in after
    assert after.index("device = torch.device(") < after.index("from helpers import *")


@pytest.mark.parametrize(
    ("above", "used", "below"),
    [
        ("def f(x):\n    return x.cuda()", "y = f(x)", "z = f(x)"),
        ("f = lambda x: x.cuda()", "y = f(x)", "z = f(x)"),
        ("", "x = x.cuda()", "y = x.cuda()"),
    ],
)
def test_all_names_imported_between_may_hide_the_device(above: str, used: str, below: str) -> None:
    after = migrate(_STAR_BELOW.format(above=above, used=used, below=below), "TP201").text
    star = after.index("from helpers import *")
    assert "device = torch.device(" not in after[:star]
