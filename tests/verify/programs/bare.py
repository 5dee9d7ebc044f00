import torch
import torch.nn as nn
from torch.autograd import Variable

torch.manual_seed(43)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(1000):
    try:
        x = Variable(torch.randn(4, 3))
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    except:
        print('skipped')
        continue
    print('loss', loss.item())
print('done')
