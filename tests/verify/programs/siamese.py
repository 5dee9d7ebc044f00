import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function, Variable
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.sampler import Sampler

random.seed(89)
torch.manual_seed(89)


class Pairs(Dataset):
    def __init__(self, data, labels):
        self.data, self.labels = data, labels
        self.by_label = {}
        for i, label in enumerate(labels.tolist()):
            self.by_label.setdefault(label, []).append(i)

    def __getitem__(self, i):
        label = self.labels[i].item()
        should_match = random.randint(0, 1)
        if should_match:
            j = random.choice(self.by_label[label])
        else:
            j = random.choice(self.by_label[(label + 1) % len(self.by_label)])
        return self.data[i], self.data[j], torch.FloatTensor([1 - should_match])

    def __len__(self):
        return len(self.labels)


class Balanced(Sampler):
    def __init__(self, labels):
        self.order = torch.sort(labels, stable=True)[1]

    def __iter__(self):
        half = len(self.order) // 2
        pairs = zip(self.order[:half].tolist(), self.order[half:].tolist())
        return iter([i for pair in pairs for i in pair])

    def __len__(self):
        return len(self.order)


class L2Norm(nn.Module):
    def __init__(self, scale):
        super(L2Norm, self).__init__()
        self.weight = nn.Parameter(torch.Tensor([scale]))

    def forward(self, x):
        norm = x.pow(2).sum(dim=1, keepdim=True).sqrt() + 1e-10
        return self.weight * x / norm


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=2.0):
        super(ContrastiveLoss, self).__init__()
        self.margin = margin

    def forward(self, output1, output2, label):
        distance = F.pairwise_distance(output1, output2)
        label = label.squeeze(1)
        return torch.mean((1 - label) * torch.pow(distance, 2) +
                          label * torch.pow(torch.clamp(self.margin - distance, min=0.0), 2))


class TripletSelector(object):
    def __init__(self, margin):
        self.margin = margin

    def __call__(self, embeddings, labels):
        distances = (embeddings.unsqueeze(0) - embeddings.unsqueeze(1)).pow(2).sum(2)
        triplets = []
        for a in range(len(labels)):
            positive = [p for p in range(len(labels)) if labels[p] == labels[a] and p != a]
            negative = [n for n in range(len(labels)) if labels[n] != labels[a]]
            if positive:
                hard = min(negative, key=lambda n: distances[a, n].item())
                far = max(positive, key=lambda p: distances[a, p].item())
                triplets.append((a, far, hard))
        return torch.LongTensor(triplets)


data = torch.randn(24, 6)
labels = torch.arange(24).long() % 3
data[:, 0] += labels.float()
net = nn.Sequential(nn.Linear(6, 10), nn.PReLU(), nn.BatchNorm1d(10), nn.Linear(10, 4), L2Norm(2.0))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5 ** epoch)
contrastive, select = ContrastiveLoss(), TripletSelector(0.5)
for epoch in range(2):
    net.train()
    losses = []
    for first, second, label in DataLoader(Pairs(data, labels), 8, sampler=Balanced(labels)):
        output1, output2 = net(Variable(first)), net(Variable(second))
        loss = contrastive(output1, output2, Variable(label))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.data)
    embeddings = net(Variable(data))
    triplets = select(embeddings.data, labels)
    anchor, positive, negative = (embeddings[triplets[:, k]] for k in range(3))
    loss = F.triplet_margin_loss(anchor, positive, negative, margin=0.5)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    print('epoch', epoch, 'pairs', torch.stack(losses).mean().item(), 'triplets', loss.item())
net.eval()
embedded = net(Variable(data, volatile=True)).data
distances = torch.sqrt(((embedded[:, None] - embedded[None]) ** 2).sum(2))
distances[torch.eye(24).byte().bool()] = 1e3
nearest = distances.min(1)[1]
print('recall', (labels[nearest] == labels).float().mean().item(), nearest.tolist())
