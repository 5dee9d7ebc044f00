"""Of gradients, which are part of no graph where none is asked for, ``.data`` says nothing."""

from __future__ import annotations

from tests.support.rules import keeps, rewrites

_HEAD = """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(2, 3)
"""

test_rewrites = rewrites(
    "TP104",
    {
        "a name of one": (
            _HEAD
            + """
                def send(self):
                    grad = self.fc.weight.grad
                    return grad.data.numpy()
            """,
            _HEAD
            + """
                def send(self):
                    grad = self.fc.weight.grad
                    return grad.numpy()
            """,
        ),
        "one that was cleared": (
            _HEAD
            + """
                def send(self):
                    grad = self.fc.weight.grad
                    sent = grad.data.numpy().copy()
                    self.fc.weight.grad = None
                    return sent
            """,
            _HEAD
            + """
                def send(self):
                    grad = self.fc.weight.grad
                    sent = grad.numpy().copy()
                    self.fc.weight.grad = None
                    return sent
            """,
        ),
        "calculated of some": (
            """
            import torch
            def scale(loss, net):
                grads = torch.autograd.grad(loss, net.parameters(), retain_graph=True)
                flat = torch.cat([g.contiguous().view(-1) for g in grads])
                return torch.sqrt(torch.abs(flat).data)
            """,
            """
            import torch
            def scale(loss, net):
                grads = torch.autograd.grad(loss, net.parameters(), retain_graph=True)
                flat = torch.cat([g.contiguous().view(-1) for g in grads])
                return torch.sqrt(torch.abs(flat))
            """,
        ),
    },
)

test_detaches = rewrites(
    "TP104",
    {
        "where some have a graph": (
            """
            import torch
            def scale(loss, net):
                grads = torch.autograd.grad(loss, net.parameters(), create_graph=True)
                flat = torch.cat([g.contiguous().view(-1) for g in grads])
                return torch.sqrt(torch.abs(flat).data)
            """,
            """
            import torch
            def scale(loss, net):
                grads = torch.autograd.grad(loss, net.parameters(), create_graph=True)
                flat = torch.cat([g.contiguous().view(-1) for g in grads])
                return torch.sqrt(torch.abs(flat).detach())
            """,
        ),
        "where they are those of one's own": (
            """
            import torch
            def scale(loss, net, ones):
                grads = torch.autograd.grad(loss, net.parameters(), ones)
                flat = torch.cat([g.contiguous().view(-1) for g in grads])
                return torch.sqrt(torch.abs(flat).data)
            """,
            """
            import torch
            def scale(loss, net, ones):
                grads = torch.autograd.grad(loss, net.parameters(), ones)
                flat = torch.cat([g.contiguous().view(-1) for g in grads])
                return torch.sqrt(torch.abs(flat).detach())
            """,
        ),
        "where the file asks for gradients of gradients": (
            _HEAD
            + """
                def send(self, loss):
                    loss.backward(create_graph=True)
                    grad = self.fc.weight.grad
                    return grad.data.numpy()
            """,
            _HEAD
            + """
                def send(self, loss):
                    loss.backward(create_graph=True)
                    grad = self.fc.weight.grad
                    return grad.detach().numpy()
            """,
        ),
        "where one is given": (
            _HEAD
            + """
                def send(self, meta):
                    self.fc.weight.grad = meta
                    grad = self.fc.weight.grad
                    return grad.data.numpy()
            """,
            _HEAD
            + """
                def send(self, meta):
                    self.fc.weight.grad = meta
                    grad = self.fc.weight.grad
                    return grad.detach().numpy()
            """,
        ),
    },
)

test_keeps = keeps(
    "TP104",
    {
        "an attribute of that name of something else": """
            import torch
            def send(slope):
                grad = slope.grad
                return grad.data.numpy()
            """,
        "what is written to": _HEAD
        + """
                def clip(self):
                    grad = self.fc.weight.grad
                    flat = grad.data
                    flat.clamp_(-1, 1)
                    self.fc.bias.grad.data[0] = 0
            """,
    },
)
