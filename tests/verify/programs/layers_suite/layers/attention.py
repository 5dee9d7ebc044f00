import torch
import torch.nn as nn
import torch.nn.functional as F


def masked_softmax(vector, mask):
    if mask is None:
        return F.softmax(vector)
    result = F.softmax(vector * mask.float())
    result = result * mask.float()
    return result / (result.sum(dim=1, keepdim=True) + 1e-13)


class Attention(nn.Module):
    def __init__(self, size):
        super(Attention, self).__init__()
        self.weight = nn.Parameter(torch.Tensor(size, size))
        self.bias = nn.Parameter(torch.Tensor(1))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.weight)
        self.bias.data.fill_(0)

    def forward(self, vector, matrix, mask=None):
        intermediate = vector.mm(self.weight).unsqueeze(1)
        scores = F.tanh(intermediate.bmm(matrix.transpose(1, 2)).squeeze(1) + self.bias)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), matrix).squeeze(1), weights
