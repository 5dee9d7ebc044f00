import torch
import torch.nn as nn
from torch.autograd import Variable, grad

torch.manual_seed(17)
net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
critic = nn.Linear(1, 1)
optimizer = torch.optim.SGD(list(net.parameters()) + list(critic.parameters()), lr=0.05)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
criterion = nn.MSELoss()
xs = torch.randn(24, 4)
ys = xs[:, :1] * 2 + xs[:, 1:2]
accumulate = 3
total_loss = 0
optimizer.zero_grad()
for i in range(8):
    x = Variable(xs[i * 3:(i + 1) * 3], requires_grad=True)
    y = Variable(ys[i * 3:(i + 1) * 3])
    out = net(x)
    loss = criterion(out, y)
    penalty = criterion(critic(out), y) * 0.1
    loss.backward(retain_graph=True)
    penalty.backward()
    total_loss += loss.data
    if (i + 1) % accumulate == 0:
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        print('step', i, 'loss', total_loss.item() / accumulate)
        total_loss = 0

x = Variable(xs[:3], requires_grad=True)
out = net(x)
gradients = grad(outputs=out, inputs=x, grad_outputs=torch.ones(out.size()),
                 create_graph=True, retain_graph=True, only_inputs=True)[0]
gradient_penalty = ((gradients.norm(2, dim=1) - 1) ** 2).mean()
optimizer.zero_grad()
gradient_penalty.backward()
optimizer.step()
buffer = xs.clone()
buffer[0].zero_()
print('penalty', gradient_penalty.item(), 'kept', xs[0].sum().item())
EMA = {}
for name, p in net.named_parameters():
    EMA[name] = p.data.clone()
for name, p in net.named_parameters():
    p.data.mul_(0.5)
print('average', sum(value.sum().item() for value in EMA.values()))
residual = net(xs[:6]).squeeze(1) - ys[:6].squeeze(1)
print('residual', residual.pow(2).mean().item())
