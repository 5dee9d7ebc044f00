"""`.cuda()` of what follows something else to the GPU."""

from __future__ import annotations

from tests.support.rules import advice, keeps, rewrites

test_rewrites = rewrites(
    "TP201",
    {
        "a flag of that name": (
            """
            import torch
            class Trainer:
                def __init__(self, args):
                    self.is_cuda = args.gpu
                def f(self):
                    y = torch.ones(2)
                    if self.is_cuda:
                        y = y.cuda()
                    return y
            """,
            """
            import torch

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            class Trainer:
                def __init__(self, args):
                    self.is_cuda = args.gpu
                def f(self):
                    y = torch.ones(2)
                    if self.is_cuda:
                        y = y.to(device)
                    return y
            """,
        ),
        "the flag of the others is the file's": (
            """
            import torch
            args = parse()
            net = torch.nn.Linear(2, 2)
            if args.cuda:
                net.cuda()
                torch.cuda.manual_seed(1)
            def noise(batch):
                y = torch.ones(2)
                if batch.x.is_cuda:
                    y = y.cuda()
                return y
            """,
            """
            import torch
            args = parse()
            device = torch.device("cuda" if args.cuda else "cpu")
            net = torch.nn.Linear(2, 2)
            if args.cuda:
                net.to(device)
                torch.cuda.manual_seed(1)
            def noise(batch):
                y = torch.ones(2)
                if batch.x.is_cuda:
                    y = y.cuda()
                return y
            """,
        ),
    },
)

_FOLLOWING = {
    "the parameters of a module": """
            import torch
            class Net(torch.nn.Module):
                def generate(self, img):
                    img = torch.from_numpy(img)
                    if next(self.parameters()).is_cuda:
                        img = img.cuda()
                    return self.fc(img)
            """,
    "what nobody knows": """
            import torch
            def f(batch, state):
                y = torch.ones(2)
                if state.x.is_cuda:
                    y = y.cuda()
                return y.cuda() if batch[0].is_cuda else y
            """,
    "beside a device": """
            import torch
            device = torch.device("cuda")
            def f(batch):
                y = torch.ones(2)
                if batch.is_cuda:
                    y = y.cuda()
                return y
            """,
}

test_keeps = keeps("TP201", _FOLLOWING)


def test_what_follows_another_needs_no_advice() -> None:
    assert not any(advice("TP201", text) for text in _FOLLOWING.values())
