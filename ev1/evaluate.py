from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(23)


class Tagger(nn.Module):
    def __init__(self):
        super(Tagger, self).__init__()
        self.features = nn.Conv1d(2, 6, 3, padding=1)
        self.drop = nn.Dropout(0.5)
        self.score = nn.Linear(6, 3)

    def forward(self, x):
        h = F.relu(self.features(x))
        h = self.drop(h).transpose(1, 2)
        return self.score(h)


model = Tagger()
inputs = torch.randn(6, 2, 7)
golds = torch.randint(0, 3, (6, 7))


def predict(x):
    scores = model(Variable(x, volatile=True))
    return F.softmax(scores), scores


def accuracy(scores, gold, topk=(1,)):
    maxk = max(topk)
    _, pred = scores.view(-1, 3).topk(maxk, 1, True, True)
    pred = pred.t()
    correct = pred.eq(gold.view(1, -1).expand_as(pred))
    res = []
    for k in topk:
        correct_k = correct[:k].reshape(-1).float().sum(0)
        res.append(correct_k.mul_(100.0 / gold.numel()).item())
    return res


totals = defaultdict(float)
confusion = torch.zeros(3, 3).long()
for start in range(0, 6, 2):
    probs, scores = predict(inputs[start:start + 2])
    gold = golds[start:start + 2]
    top1, top2 = accuracy(scores.data, gold, topk=(1, 2))
    totals['top1'] += top1
    totals['top2'] += top2
    totals['loss'] += F.cross_entropy(scores.view(-1, 3), Variable(gold.view(-1)),
                                      size_average=False).item()
    best = probs.data.max(2)[1]
    for g, p in zip(gold.view(-1), best.view(-1)):
        confusion[g, p] += 1
    mask = (gold > 0)
    totals['masked'] += (best == gold).float()[mask].sum().item()
    totals['entropy'] -= (probs.data * probs.data.log()).sum().item()

print('top1 %.3f top2 %.3f' % (totals['top1'] / 3, totals['top2'] / 3))
print('loss {:.6f}'.format(totals['loss'] / golds.numel()))
print('masked', totals['masked'], 'entropy', round(totals['entropy'], 4))
print(confusion)
print('recall', [round(confusion[i, i].item() / max(1, confusion[i].sum().item()), 3)
                 for i in range(3)])
