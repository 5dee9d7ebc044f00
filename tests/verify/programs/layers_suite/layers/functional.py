import torch
import torch.nn.functional as F
from torch.autograd import Variable


def one_hot(labels, n):
    result = torch.zeros(labels.size(0), n)
    return result.scatter_(1, labels.view(-1, 1), 1)


def focal_loss(logits, labels, gamma=2.0, size_average=True):
    log_p = F.log_softmax(logits)
    p = log_p.exp()
    target = Variable(one_hot(labels.data, logits.size(1)))
    loss = -(target * (1 - p) ** gamma * log_p).sum(1)
    return loss.mean() if size_average else loss.sum()


def gumbel_softmax(logits, temperature=1.0, hard=False):
    noise = -torch.log(1e-20 - torch.log(torch.rand(logits.size()) + 1e-20))
    y = F.softmax((logits + Variable(noise)) / temperature)
    if not hard:
        return y
    _, index = y.data.max(1, keepdim=True)
    y_hard = torch.zeros(y.size()).scatter_(1, index, 1)
    return Variable(y_hard - y.data) + y
