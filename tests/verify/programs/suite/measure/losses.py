import torch
import torch.nn.functional as F
from torch.autograd import Variable


def total_loss(output, target):
    return F.cross_entropy(output, target, size_average=False)


def weights(scores):
    return F.softmax(scores)


def centred(x):
    x = Variable(x)
    return x - x.mean(0, keepdim=True)


def halves(x):
    return x.view(-1, 2)


def never(x):
    return F.log_softmax(x)
