import csv

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

rng = np.random.RandomState(79)
torch.manual_seed(79)


def signals(n, length=64):
    freq = rng.randint(1, 5, size=n)
    t = np.linspace(0, 1, length, endpoint=False)
    waves = np.sin(2 * np.pi * freq[:, None] * t[None, :])
    return waves + 0.3 * rng.randn(n, length), freq - 1


def windows(x, size=16, hop=8):
    count = 1 + (x.shape[1] - size) // hop
    index = np.arange(size)[None, :] + hop * np.arange(count)[:, None]
    return x[:, index] * np.hanning(size)


def features(x):
    spectrum = np.abs(np.fft.rfft(windows(x), axis=-1)) ** 2
    logged = np.log1p(spectrum).astype('float32')
    mean, std = logged.mean(axis=(0, 1)), logged.std(axis=(0, 1))
    return (logged - mean) / (std + 1e-8)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv = nn.Conv1d(9, 8, 3, padding=1)
        self.out = nn.Linear(8, 4)

    def forward(self, x):
        h = F.relu(self.conv(x.permute(0, 2, 1)))
        return self.out(h.max(2)[0])


raw, labels = signals(40)
data = features(raw)
order = rng.permutation(40)
train, test = order[:28], order[28:]
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
history = []
for epoch in range(6):
    total = 0
    for start in range(0, len(train), 7):
        batch = train[start:start + 7]
        x = Variable(torch.from_numpy(data[batch]))
        y = Variable(torch.from_numpy(labels[batch]).long())
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.data.numpy() * len(batch)
    history.append(float(total) / len(train))

scores = F.softmax(net(Variable(torch.from_numpy(data[test])))).data.numpy()
predicted = scores.argmax(axis=1)
confusion = np.zeros((4, 4), dtype=int)
np.add.at(confusion, (labels[test], predicted), 1)
precision = np.diag(confusion) / np.maximum(confusion.sum(axis=0), 1)
np.save('confusion.npy', confusion)
with open('history.csv', 'w') as file:
    writer = csv.writer(file)
    for epoch, value in enumerate(history):
        writer.writerow([epoch, '%.6f' % value])
print(confusion)
print('precision', np.round(precision, 3), 'margin', np.sort(scores, axis=1)[:, -2:].mean(axis=0))
print('weights', net.out.weight.data.numpy().std(ddof=1).round(5))
