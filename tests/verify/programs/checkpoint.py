import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(19)
xs = torch.randn(20, 3)
ys = (xs.sum(1) > 0).long()


class Classifier(nn.Module):
    def __init__(self):
        super(Classifier, self).__init__()
        self.body = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(0.3))
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(F.relu(self.body(x)))


def save_checkpoint(state, is_best, filename='checkpoint.pth.tar'):
    torch.save(state, filename)
    if is_best:
        torch.save(state['state_dict'], 'best.pth.tar')


def run(start, epochs, model, optimizer, best):
    for epoch in range(start, epochs):
        model.train()
        output = model(Variable(xs))
        loss = F.cross_entropy(output, Variable(ys))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.eval()
        output = model(Variable(xs, volatile=True))
        accuracy = (output.data.max(1)[1] == ys).sum().item() * 100 // len(ys)
        is_best = accuracy > best
        best = max(accuracy, best)
        print('epoch', epoch, 'accuracy', accuracy)
        save_checkpoint({
            'epoch': epoch + 1,
            'state_dict': model.state_dict(),
            'best': best,
            'optimizer': optimizer.state_dict(),
        }, is_best)
    return best


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), 0.05)
best = run(0, 2, model, optimizer, 0)

checkpoint = torch.load('checkpoint.pth.tar', map_location=lambda storage, loc: storage)
model = Classifier()
model.load_state_dict(checkpoint['state_dict'])
optimizer = torch.optim.Adam(model.parameters(), 0.05)
optimizer.load_state_dict(checkpoint['optimizer'])
best = run(checkpoint['epoch'], 4, model, optimizer, checkpoint['best'])

extra = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8))
pretrained = torch.load('best.pth.tar')
weights = {key[5:]: value for key, value in pretrained.items() if key.startswith('body.')}
extra.load_state_dict(weights)
print('body', extra(xs).sum().item())
torch.save(extra, 'whole.pt')
os.remove('best.pth.tar')
