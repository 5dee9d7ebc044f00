"""What working code of today would not survive, given back when asked for."""

import torch
from _torchfix_inside.shims import legacy
from torch import nn

legacy.install(lambda file: file == __file__, integer_division=True, zero_gradients=True)


def check_division_of_integers():
    a, b = torch.tensor([7, -7, 6]), torch.tensor([2, 2, 2])
    assert (a / 2).tolist() == (a / b).tolist() == torch.div(a, b).tolist() == [3, -3, 3]
    assert (a / b).dtype == torch.int64 and (7 / b).tolist() == [3, 3, 3]
    assert (a // b).tolist() == [3, -3, 3] and a.div(2).tolist() == [3, -3, 3]
    c = a.clone()
    c /= 2
    assert c.tolist() == [3, -3, 3]
    assert (a / 2.0).tolist() == [3.5, -3.5, 3.0] and (a.float() / b).tolist() == [3.5, -3.5, 3.0]
    assert (torch.tensor([1.0]) / 2).item() == 0.5 and (1.0 / b).tolist() == [0.5, 0.5, 0.5]
    library = compile("a / 2", "/lib/library.py", "eval")
    assert eval(library, {"a": a}).tolist() == [3.5, -3.5, 3.0]


def check_zero_grad():
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for zero in (optimizer.zero_grad, model.zero_grad):
        model(torch.ones(1, 1)).sum().backward()
        zero()
        assert model.weight.grad.tolist() == [[0.0]]
        zero(set_to_none=True)
        assert model.weight.grad is None
