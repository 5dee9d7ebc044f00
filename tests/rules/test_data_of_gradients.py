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

_BACKWARD = """
            import torch
            from torch.autograd import Function
            class Center(Function):
                @staticmethod
                def backward(ctx, grad_output):
                    feature, centers = ctx.saved_tensors
                    moved = torch.zeros_like(centers)
                    for i in range(feature.size(0)):
"""

test_rewrites = rewrites(
    "TP104",
    {
        "what is asked whether it is there": (
            """
            from torch import nn
            def clip(net: nn.Module):
                for p in net.parameters():
                    if p.grad.data is not None:
                        p.grad.data.clamp_(-1, 1)
            """,
            """
            from torch import nn
            def clip(net: nn.Module):
                for p in net.parameters():
                    if p.grad is not None:
                        p.grad.clamp_(-1, 1)
            """,
        ),
        "a part of one": (
            """
            from torch import nn
            def freeze(net: nn.Module, masks):
                for p, mask in zip(net.parameters(), masks):
                    p.grad.data[mask.ne(1)] = 0
                    p.grad.data.mul_(2)
            """,
            """
            from torch import nn
            def freeze(net: nn.Module, masks):
                for p, mask in zip(net.parameters(), masks):
                    p.grad[mask.ne(1)] = 0
                    p.grad.mul_(2)
            """,
        ),
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
        "under a name of its own, which holds nothing else": (
            """
            import torch
            def product(loss, net, x):
                x.requires_grad = True
                grads = torch.autograd.grad(loss(net(x)), net.parameters())
                flat = torch.cat([g.contiguous().view(-1) for g in grads]).data
                return flat * 2
            """,
            """
            import torch
            def product(loss, net, x):
                x.requires_grad = True
                grads = torch.autograd.grad(loss(net(x)), net.parameters())
                flat = torch.cat([g.contiguous().view(-1) for g in grads])
                return flat * 2
            """,
        ),
        "what backward() of a function calculates with": (
            _BACKWARD
            + """
                        moved[i] += centers.data[i] - feature.data[i]
                    return grad_output, moved
            """,
            _BACKWARD
            + """
                        moved[i] += centers[i] - feature[i]
                    return grad_output, moved
            """,
        ),
        "its name, whatever the layer is": (
            """
            import torch
            def send(net: torch.nn.Module, names):
                for name in names:
                    grad, other = net.layers[name].weight.grad, net.layers[name].bias.grad
                    if torch.is_tensor(grad) and torch.is_tensor(other):
                        print(grad.data.numpy(), grad.size(0), other.data.view(-1, 1))
            """,
            """
            import torch
            def send(net: torch.nn.Module, names):
                for name in names:
                    grad, other = net.layers[name].weight.grad, net.layers[name].bias.grad
                    if torch.is_tensor(grad) and torch.is_tensor(other):
                        print(grad.numpy(), grad.size(0), other.view(-1, 1))
            """,
        ),
    },
)

test_detaches = rewrites(
    "TP104",
    {
        "under a name of its own, where there is a graph": (
            """
            import torch
            def product(loss, net, x):
                x.requires_grad = True
                grads = torch.autograd.grad(loss(net(x)), net.parameters(), create_graph=True)
                flat = torch.cat([g.contiguous().view(-1) for g in grads]).data
                return flat * 2
            """,
            """
            import torch
            def product(loss, net, x):
                x.requires_grad = True
                grads = torch.autograd.grad(loss(net(x)), net.parameters(), create_graph=True)
                flat = torch.cat([g.contiguous().view(-1) for g in grads]).detach()
                return flat * 2
            """,
        ),
        "in a backward() that may be differentiated": (
            _BACKWARD
            + """
                        moved[i] += centers.data[i] - feature.data[i]
                    return grad_output, moved
            def penalty(x, net):
                return torch.autograd.grad(net(x).sum(), x, create_graph=True)
            """,
            _BACKWARD
            + """
                        moved[i] += centers.detach()[i] - feature.detach()[i]
                    return grad_output, moved
            def penalty(x, net):
                return torch.autograd.grad(net(x).sum(), x, create_graph=True)
            """,
        ),
        "in a backward() that records by itself": (
            _BACKWARD
            + """
                        with torch.enable_grad():
                            moved[i] += centers.data[i] - feature.data[i]
                    return grad_output, moved
            """,
            _BACKWARD
            + """
                        with torch.enable_grad():
                            moved[i] += centers.detach()[i] - feature.detach()[i]
                    return grad_output, moved
            """,
        ),
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
        "where what has a graph is written into it, or its name is given something else": (
            """
            import torch
            def send(net, name, w):
                grad = net.layers[name].weight.grad
                grad.add_(w)
                return grad.data.numpy(), grad.size(0)
            def keep(net, name, w):
                grad = net.layers[name].weight.grad
                grad = torch.mul(grad, w)
                return grad.data.numpy(), grad.size(0)
            """,
            """
            import torch
            def send(net, name, w):
                grad = net.layers[name].weight.grad
                grad.add_(w)
                return grad.detach().numpy(), grad.size(0)
            def keep(net, name, w):
                grad = net.layers[name].weight.grad
                grad = torch.mul(grad, w)
                return grad.detach().numpy(), grad.size(0)
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
                    self.fc.bias.grad.data = flat
            """,
        "a part that gets what has a graph, and one of gradients that have one": """
            import torch
            from torch import nn
            def give(net: nn.Module, scores, loss):
                for p in net.parameters():
                    p.grad.data[0] = torch.exp(scores)
            def again(net: nn.Module, loss):
                loss.backward(create_graph=True)
                for p in net.parameters():
                    p.grad.data[0] = 0
            """,
        "what is asked whether it is the same": """
            import torch
            def same(x: torch.Tensor, y, z):
                return x.data is y, y is x.data, None is not x.data is not z
            """,
    },
)
