from __future__ import division, print_function

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.autograd import Variable
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

np.random.seed(67)
torch.manual_seed(67)


def sparse_tensor(rows, cols, values, n):
    indices = torch.from_numpy(np.vstack((rows, cols)).astype(np.int64))
    return torch.sparse.FloatTensor(indices, torch.from_numpy(values), torch.Size([n, n]))


def load_data(n=30):
    labels = np.arange(n) % 3
    same = labels[:, None] == labels[None, :]
    adjacent = np.random.rand(n, n) < np.where(same, 0.3, 0.05)
    adjacent = (adjacent | adjacent.T | np.eye(n, dtype=bool)).astype(np.float32)
    adjacent = adjacent / adjacent.sum(1, keepdims=True)
    rows, cols = adjacent.nonzero()
    features = np.random.randn(n, 5).astype(np.float32) + labels[:, None]
    adj = sparse_tensor(rows, cols, adjacent[rows, cols], n)
    parts = [torch.LongTensor(r) for r in (range(12), range(12, 20), range(20, n))]
    return adj, torch.FloatTensor(features), torch.LongTensor(labels), parts


class GraphConvolution(Module):
    def __init__(self, in_features, out_features, bias=True):
        super(GraphConvolution, self).__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(torch.Tensor(in_features, out_features))
        if bias:
            self.bias = Parameter(torch.Tensor(out_features))
        else:
            self.register_parameter('bias', None)
        self.reset_parameters()

    def reset_parameters(self):
        stdv = 1. / math.sqrt(self.weight.size(1))
        self.weight.data.uniform_(-stdv, stdv)
        if self.bias is not None:
            self.bias.data.uniform_(-stdv, stdv)

    def forward(self, input, adj):
        support = torch.mm(input, self.weight)
        output = torch.spmm(adj, support)
        if self.bias is not None:
            return output + self.bias
        return output


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout):
        super(GCN, self).__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass)
        self.dropout = dropout

    def forward(self, x, adj):
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, self.dropout, training=self.training)
        x = self.gc2(x, adj)
        return F.log_softmax(x)


def accuracy(output, labels):
    preds = output.max(1)[1].type_as(labels)
    correct = preds.eq(labels).double()
    return correct.sum() / len(labels)


adj, features, labels, (idx_train, idx_val, idx_test) = load_data()
model = GCN(5, 8, 3, 0.4)
optimizer = optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
features, adj, labels = Variable(features), Variable(adj), Variable(labels)
best, waited = 1e9, 0
for epoch in range(25):
    model.train()
    optimizer.zero_grad()
    output = model(features, adj)
    loss_train = F.nll_loss(output[idx_train], labels[idx_train])
    acc_train = accuracy(output[idx_train], labels[idx_train])
    loss_train.backward()
    optimizer.step()
    model.eval()
    output = model(features, adj)
    loss_val = F.nll_loss(output[idx_val], labels[idx_val])
    waited = 0 if loss_val.item() < best else waited + 1
    best = min(best, loss_val.item())
    if epoch % 5 == 4:
        print('Epoch: {:04d}'.format(epoch + 1),
              'loss_train: {:.4f}'.format(loss_train.item()),
              'acc_train: {:.4f}'.format(acc_train.item()),
              'loss_val: {:.4f}'.format(loss_val.item()), 'waited', waited)
output = model(features, adj)
loss_test = F.nll_loss(output[idx_test], labels[idx_test])
print('Test set results:', 'loss= {:.4f}'.format(loss_test.item()),
      'accuracy= {:.4f}'.format(accuracy(output[idx_test], labels[idx_test]).item()))
