import copy
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(59)
np.random.seed(59)


def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


def subsequent_mask(size):
    mask = np.triu(np.ones((1, size, size)), k=1).astype('uint8')
    return torch.from_numpy(mask) == 0


def attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = F.softmax(scores, dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model, dropout=0.1):
        super(MultiHeadedAttention, self).__init__()
        self.d_k = d_model // h
        self.h = h
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x, mask):
        nbatches = x.size(0)
        query, key, value = [l(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
                             for l in self.linears[:3]]
        x, _ = attention(query, key, value, mask.unsqueeze(1), self.dropout)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)


class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-6):
        super(LayerNorm, self).__init__()
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        return self.a_2 * (x - mean) / (std + self.eps) + self.b_2


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=20):
        super(PositionalEncoding, self).__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).float().unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer('pe', pe.unsqueeze(0))

    def forward(self, x):
        return x + Variable(self.pe[:, :x.size(1)], requires_grad=False)


class Model(nn.Module):
    def __init__(self, vocab, d_model):
        super(Model, self).__init__()
        self.lut = nn.Embedding(vocab, d_model)
        self.position = PositionalEncoding(d_model)
        self.attn = MultiHeadedAttention(2, d_model)
        self.norm = LayerNorm(d_model)
        self.proj = nn.Linear(d_model, vocab)
        self.d_model = d_model

    def forward(self, x, mask):
        x = self.position(self.lut(x) * math.sqrt(self.d_model))
        x = x + self.attn(self.norm(x), mask)
        return F.log_softmax(self.proj(x), dim=-1)


class LabelSmoothing(nn.Module):
    def __init__(self, size, padding_idx, smoothing=0.0):
        super(LabelSmoothing, self).__init__()
        self.criterion = nn.KLDivLoss(size_average=False)
        self.padding_idx, self.size = padding_idx, size
        self.smoothing, self.confidence = smoothing, 1.0 - smoothing

    def forward(self, x, target):
        true_dist = x.data.clone()
        true_dist.fill_(self.smoothing / (self.size - 2))
        true_dist.scatter_(1, target.data.unsqueeze(1), self.confidence)
        true_dist[:, self.padding_idx] = 0
        mask = torch.nonzero(target.data == self.padding_idx)
        if mask.dim() > 0 and len(mask):
            true_dist.index_fill_(0, mask.squeeze(1), 0.0)
        return self.criterion(x, Variable(true_dist, requires_grad=False))


def rate(step, factor=1.0, warmup=4):
    return factor * 12 ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)


model = Model(9, 12)
for p in model.parameters():
    if p.dim() > 1:
        nn.init.xavier_uniform_(p)
criterion = LabelSmoothing(9, padding_idx=0, smoothing=0.1)
optimizer = torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9)
for step in range(1, 9):
    data = torch.from_numpy(np.random.randint(1, 9, size=(4, 7)))
    data[:, 0] = 1
    data[0, 5:] = 0
    src, trg = Variable(data[:, :-1]), Variable(data[:, 1:])
    mask = (src != 0).unsqueeze(-2) & subsequent_mask(src.size(-1))
    out = model(src, mask)
    ntokens = (trg != 0).data.sum()
    loss = criterion(out.contiguous().view(-1, 9), trg.contiguous().view(-1)) / ntokens.float()
    loss.backward()
    for group in optimizer.param_groups:
        group['lr'] = rate(step)
    optimizer.step()
    optimizer.zero_grad()
    print('step %d loss %.5f lr %.5f' % (step, loss.item(), rate(step)))

model.eval()
ys = torch.ones(1, 1).long()
for i in range(5):
    prob = model(Variable(ys), Variable(subsequent_mask(ys.size(1))))
    _, next_word = torch.max(prob[:, -1], dim=1)
    ys = torch.cat([ys, torch.ones(1, 1).long().fill_(next_word.data[0])], dim=1)
print(ys)
