import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(41)


@torch.jit.script
def gate(x, limit: float):
    return torch.sigmoid(x).clamp(0.0, limit)


class Small(nn.Module):
    def __init__(self):
        super(Small, self).__init__()
        self.one = nn.Linear(4, 4)
        self.two = nn.Linear(4, 3)

    def forward(self, x):
        x = gate(self.one(x), 0.9)
        return F.log_softmax(self.two(x))


model = Small()
fast = torch.compile(model)
traced = torch.jit.trace(model, torch.randn(2, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
data = torch.randn(6, 4)
labels = torch.LongTensor([0, 1, 2, 0, 1, 2])
for step in range(3):
    loss = F.nll_loss(fast(Variable(data)), Variable(labels))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print('loss', loss.item(), 'traced', traced(data).sum().item())

low = Small().bfloat16()
out = low(data.bfloat16())
print('bfloat16', out.float().sum().item())
weights = model.two.weight.data.half()
print('half', weights.float().norm().item())
torch.save(weights, 'half.pt')


class Scripted(nn.Module):
    def __init__(self):
        super(Scripted, self).__init__()
        self.one = nn.Linear(4, 2)

    def forward(self, x):
        return F.softmax(self.one(x), dim=1)


print('scripted', torch.jit.script(Scripted())(data)[:, 0].sum().item())
