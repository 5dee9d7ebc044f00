"""`.cuda()` of what follows something else to the GPU."""

from __future__ import annotations

from tests.support.rules import advice, keeps

_FOLLOWING = {
    "a flag of that name that is set out of sight": """
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
    "beside the flag of the file": """
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
