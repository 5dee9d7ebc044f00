"""Halves of a choice that make the same on the GPU and on the CPU, beside moves and other uses."""

from __future__ import annotations

from tests.support.rules import migrate, rewrites

test_rewrites = rewrites(
    "TP203",
    {
        "in a file whose moves are rewritten first": (
            """
            import torch
            cuda = torch.cuda.is_available()
            class Tree:
                def __init__(self, n):
                    self.mask = torch.ones(n, n)
                    if cuda:
                        self.mask = self.mask.cuda()
                    if cuda:
                        self.matrix = torch.cuda.FloatTensor(n, n)
                    else:
                        self.matrix = torch.FloatTensor(n, n)
                    self.matrix.zero_()
                def __call__(self, x):
                    x = torch.exp(x)
                    if x.is_cuda:
                        y = torch.cuda.FloatTensor(3, 3)
                    else:
                        y = torch.FloatTensor(3, 3)
                    y.zero_()
                    return x + y
            """,
            """
            import torch
            cuda = torch.cuda.is_available()
            device = torch.device("cuda" if cuda else "cpu")
            class Tree:
                def __init__(self, n):
                    self.mask = torch.ones(n, n, device=device)
                    self.matrix = torch.zeros(n, n, device=device)
                def __call__(self, x):
                    x = torch.exp(x)
                    y = torch.zeros(3, 3, device=x.device)
                    return x + y
            """,
        ),
        "of what one branch alone shows to be a tensor": (
            """
            import torch
            def f(read, n, k):
                x = read(n)
                x /= n
                if x.is_cuda:
                    y = torch.cuda.FloatTensor(n, n)
                else:
                    y = torch.FloatTensor(n, n)
                y.zero_()
                if n > 2:
                    k = x.view(-1)
                return y.masked_scatter_(k > 0, k)
            """,
            """
            import torch
            def f(read, n, k):
                x = read(n)
                x /= n
                y = torch.zeros(n, n, device=x.device)
                if n > 2:
                    k = x.view(-1)
                return y.masked_scatter_(k > 0, k)
            """,
        ),
        "of what is another thing where it is shown to be a tensor": (
            """
            import torch
            def f(read, n, k):
                x = read(n)
                if x.is_cuda:
                    y = torch.cuda.FloatTensor(n, n)
                else:
                    y = torch.FloatTensor(n, n)
                x = read(k)
                return y, x.view(-1)
            """,
            """
            import torch
            def f(read, n, k):
                x = read(n)
                if x.is_cuda:
                    y = torch.empty(n, n, device="cuda")
                else:
                    y = torch.empty(n, n)
                x = read(k)
                return y, x.view(-1)
            """,
        ),
        "of options": (
            """
            import torch
            def f(options, n):
                if options.is_cuda:
                    y = torch.cuda.FloatTensor(n, n)
                else:
                    y = torch.FloatTensor(n, n)
                return y, options.view(n)
            """,
            """
            import torch
            def f(options, n):
                if options.is_cuda:
                    y = torch.empty(n, n, device="cuda")
                else:
                    y = torch.empty(n, n)
                return y, options.view(n)
            """,
        ),
    },
    with_rules=("TP101", "TP104", "TP201", "TP202", "TP403"),
)


def _of_a_method(*lines: str, given: str = "x") -> str:
    head = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.linear = nn.Linear(2, 2)

"""
    body = "".join(f"        {line}\n" for line in lines)
    return f"{head}    def forward(self, {given}):\n{body}"


def test_a_type_of_the_gpu_follows_the_tensor_of_its_method() -> None:
    before = _of_a_method("seen = torch.cuda.LongTensor(3, 2)", "return self.linear(x), seen")
    made = "seen = torch.empty(3, 2, dtype=torch.long, device=x.device)"
    assert migrate(before, "TP203").text == _of_a_method(made, "return self.linear(x), seen")


def test_a_type_of_the_gpu_follows_no_parameter_that_may_lie_elsewhere() -> None:
    for lines, given in (
        (["n = x.cpu()", "return torch.cuda.LongTensor(3, 2), n"], "x"),
        (["return torch.cuda.LongTensor(3, 2), self.linear"], "n"),
        (
            [
                "y = x.size(0)",
                "x = x.type(torch.cuda.LongTensor)",
                "return torch.cuda.LongTensor(3, 2), x",
            ],
            "x",
        ),
    ):
        after = migrate(_of_a_method(*lines, given=given), "TP203").text
        assert "torch.empty(3, 2, dtype=torch.long, device=device)" in after


def test_a_device_that_the_file_has_goes_before_the_tensor_of_a_method() -> None:
    before = _of_a_method("return self.linear(x), torch.cuda.LongTensor(3, 2)")
    before = before.replace("\nclass", '\ndevice = torch.device("cuda")\n\nclass')
    assert "torch.empty(3, 2, dtype=torch.long, device=device)" in migrate(before, "TP203").text
