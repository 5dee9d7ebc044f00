"""`.cuda()` of what follows something else to the GPU."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate

_FOLLOWING = {
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

_NAMED = """
import torch
class Trainer:
    def __init__(self, args):
        self.is_cuda = args.gpu
    def f(self):
        y = torch.ones(2)
        if self.is_cuda:
            y = y.cuda()
        return y
"""


def test_a_flag_of_that_name_is_a_flag() -> None:
    after = migrate(_NAMED, "TP201").text
    assert 'self.device = torch.device("cuda" if self.is_cuda else "cpu")' in after
    assert "y = y.to(self.device)" in after


def test_what_follows_another_needs_no_advice() -> None:
    assert not any(advice("TP201", text) for text in _FOLLOWING.values())


_ASKED_BEFORE = """
import torch
def f(x, y):
    x.unsqueeze(0)
    use_cuda = x.is_cuda
    y = torch.ones(2)
    if use_cuda:
        y = y.cuda()
    return y * x
"""


def test_a_flag_that_was_asked_of_a_tensor_is_its_device() -> None:
    after = migrate(_ASKED_BEFORE, "TP201", "TP202").text
    assert "    y = torch.ones(2, device=x.device)\n" in after
    assert "torch.device(" not in after


@pytest.mark.parametrize(
    "change",
    [
        "x = torch.ones(2).to('cuda' if y else 'cpu')",
        "use_cuda = use_cuda and y",
        "del x; x = load(y)",
    ],
)
def test_not_where_the_tensor_or_the_flag_is_another_one_since(change: str) -> None:
    text = _ASKED_BEFORE.replace("    y = torch", f"    {change}\n    y = torch")
    assert "x.device" not in migrate(text, "TP201", "TP202").text


def test_not_where_an_object_keeps_the_flag() -> None:
    text = _ASKED_BEFORE.replace("use_cuda", "f.use_cuda")
    assert "x.device" not in migrate(text, "TP201", "TP202").text


_CUDNN = """
import torch
net = torch.nn.Linear(2, 2)
def f():
    if {}:
        print("on the GPU")
        net.cuda()
        x = torch.zeros(2).cuda()
    else:
        x = torch.zeros(2)
    return net(x)
"""


@pytest.mark.parametrize("test", ["torch.backends.cudnn.is_available()", "torch.has_cudnn"])
def test_a_guard_that_asks_for_cudnn_is_no_device(test: str) -> None:
    """cuDNN is built in or not, so that both branches would say the same, but for the device."""
    assert "device" not in migrate(_CUDNN.format(test), "TP201").text


def test_a_guard_that_asks_for_something_else_stays_around_a_device() -> None:
    after = migrate(_CUDNN.format("verbose"), "TP201").text
    assert "net.to(device)" in after
    assert "if verbose:" in after
