from __future__ import print_function

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.init as init
import torch.optim as optim
from torch.autograd import Variable
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)

images = torch.rand(48, 1, 8, 8)
labels = (images.view(48, -1).mean(1) * 1000).long() % 5
train_loader = DataLoader(TensorDataset(images[:32], labels[:32]), batch_size=8, shuffle=True)
test_loader = DataLoader(TensorDataset(images[32:], labels[32:]), batch_size=8)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv = nn.Conv2d(1, 4, kernel_size=3)
        self.bn = nn.BatchNorm2d(4)
        self.fc1 = nn.Linear(4 * 3 * 3, 16)
        self.fc2 = nn.Linear(16, 5)
        init.xavier_uniform_(self.fc1.weight)
        init.constant_(self.fc2.bias, 0)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.bn(self.conv(x)), 2))
        x = x.view(-1, 4 * 3 * 3)
        x = F.relu(self.fc1(x))
        x = F.dropout(x, training=self.training)
        return F.log_softmax(self.fc2(x))


model = Net()
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = StepLR(optimizer, step_size=1, gamma=0.5)


def train(epoch):
    model.train()
    for i, (data, target) in enumerate(train_loader):
        data, target = Variable(data), Variable(target)
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if i % 2 == 0:
            print('epoch', epoch, 'batch', i, 'loss', loss.item())


def test():
    model.eval()
    test_loss = 0
    correct = 0
    for data, target in test_loader:
        data, target = Variable(data), Variable(target)
        output = model(data)
        test_loss += F.nll_loss(output, target, size_average=False).item()
        pred = output.data.max(1, keepdim=True)[1]
        correct += pred.eq(target.data.view_as(pred)).sum().item()
    test_loss /= len(test_loader.dataset)
    print('test loss', test_loss)
    print('accuracy', correct, len(test_loader.dataset))


for epoch in range(2):
    train(epoch)
    test()
    scheduler.step()
