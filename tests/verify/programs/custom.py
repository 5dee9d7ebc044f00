import torch
import torch.nn as nn
from torch.autograd import Function, Variable

torch.manual_seed(29)


class ClippedSquare(Function):
    @staticmethod
    def forward(ctx, input, limit):
        ctx.save_for_backward(input)
        ctx.limit = limit
        return (input * input).clamp(max=limit)

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = grad_output * 2 * input
        grad_input[input * input > ctx.limit] = 0
        return grad_input, None


class Grid(nn.Module):
    def __init__(self, anchors):
        super(Grid, self).__init__()
        self.anchors = anchors
        self.conv = nn.Conv2d(2, 2 * 4, 1)
        self.register_buffer('offsets', torch.arange(0, 4).float().view(1, 1, 4))

    def forward(self, x):
        n = x.size(0)
        out = self.conv(x)
        out = out.view(n, 2, 4, -1)
        out = out.permute(0, 1, 3, 2).contiguous()
        centers = out[..., 0] + self.offsets
        scale = out[..., 1].clone()
        scale.mul_(self.anchors)
        return centers, ClippedSquare.apply(scale, 1.5), out[..., 1:]


grid = Grid(2.0)
optimizer = torch.optim.RMSprop(grid.parameters(), lr=0.01)
images = torch.randn(3, 2, 2, 2)
truth = torch.rand(3, 2, 4)
for step in range(3):
    centers, scale, rest = grid(Variable(images))
    best = truth.max(2)[1]
    cell = best.view(-1)[0].item() // 2
    weight = truth.sum(1).unsqueeze(1)
    mask = truth.gt(0.5)
    diff = (centers - Variable(truth)) * Variable(weight)
    lost = diff[mask].pow(2).sum() / mask.sum().item() + scale.mean()
    lost = lost + rest.contiguous().view(3, -1).norm(2, 1).mean()
    optimizer.zero_grad()
    lost.backward()
    optimizer.step()
    print('step', step, 'lost', lost.item(), 'cell', cell, 'found', mask.sum().item())

boxes = torch.IntTensor([[7, 3], [9, 5]])
half = boxes / 2
inter = torch.clamp(boxes[:, 0] - boxes[:, 1], min=0)
print('half', half.sum().item(), 'inter', inter.tolist(), 'type', half.type())
total = torch.zeros(2)
total.add_(torch.Tensor([1.0, 2.0]), alpha=0.5)
order = torch.sort(truth.view(-1), 0, True)[1]
print('total', total.tolist(), 'first', order[:3].tolist())
a = Variable(truth.view(-1)[:5])
b = Variable(truth.view(-1)[5:10].view(5, 1))
print('distance', (a - b.squeeze(1)).abs().mean().item())
