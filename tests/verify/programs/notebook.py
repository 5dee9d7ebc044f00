# coding: utf-8

# # Curves through noisy points

# In[1]:

import numpy as np
import torch
from torch import nn
from torch.autograd import Variable

torch.manual_seed(83)
np.random.seed(83)

# In[2]:

x = torch.unsqueeze(torch.linspace(-1, 1, 40), dim=1)
y = x.pow(2) + 0.2 * torch.rand(x.size())
x, y = Variable(x), Variable(y)
print(x.size(), y.mean())

# In[3]:

n0 = torch.ones(20, 2)
x0, x1 = torch.normal(2 * n0, 1), torch.normal(-2 * n0, 1)
points = torch.cat((x0, x1), 0).type(torch.FloatTensor)
classes = torch.cat((torch.zeros(20), torch.ones(20)), 0).type(torch.LongTensor)

# In[4]:


class Net(nn.Module):
    def __init__(self, n_feature, n_hidden, n_output):
        super(Net, self).__init__()
        self.hidden = nn.Linear(n_feature, n_hidden)
        self.predict = nn.Linear(n_hidden, n_output)

    def forward(self, x):
        return self.predict(torch.relu(self.hidden(x)))


net = Net(1, 10, 1)
print(net)

# In[5]:

optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
loss_func = torch.nn.MSELoss()
for t in range(60):
    prediction = net(x)
    loss = loss_func(prediction, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if t % 20 == 0:
        print('Loss=%.6f' % loss.data.numpy())

# In[6]:

curve = prediction.data.numpy().ravel()
slope = np.gradient(curve, x.data.numpy().ravel())
print('slope', slope.min(), slope.max())

# In[7]:

optimizers = {
    'SGD': lambda p: torch.optim.SGD(p, lr=0.02),
    'Momentum': lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.8),
    'RMSprop': lambda p: torch.optim.RMSprop(p, lr=0.02, alpha=0.9),
    'Adam': lambda p: torch.optim.Adam(p, lr=0.02, betas=(0.9, 0.99)),
}
histories = {}
for name, make in optimizers.items():
    torch.manual_seed(1)
    clf = Net(2, 6, 2)
    opt = make(clf.parameters())
    seen = []
    for t in range(10):
        out = clf(Variable(points))
        loss = nn.functional.cross_entropy(out, Variable(classes))
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen.append(loss.data.numpy().item())
    histories[name] = seen
    found = torch.max(out, 1)[1].data.numpy()
    print(name, 'accuracy', (found == classes.numpy()).sum() / 40.0, 'loss', round(seen[-1], 6))

# In[8]:

torch.save(net, 'net.pkl')
torch.save(net.state_dict(), 'net_params.pkl')
again = Net(1, 10, 1)
again.load_state_dict(torch.load('net_params.pkl'))
print('same', bool((again(x).data == net(x).data).all()))

# In[9]:

w = Variable(torch.Tensor([1.0]), requires_grad=True)
for x_val, y_val in zip([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]):
    l = (w * x_val - y_val) ** 2
    l.backward()
    print('grad:', x_val, y_val, w.grad.data[0].item())
    w.data = w.data - 0.01 * w.grad.data
    w.grad.data.zero_()
w
