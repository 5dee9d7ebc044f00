import torch
import torch.nn as nn
from torch.autograd import Variable


class StackedCell(nn.Module):
    def __init__(self, size, layers, dropout=0.0):
        super(StackedCell, self).__init__()
        self.size = size
        self.dropout = nn.Dropout(dropout)
        self.cells = nn.ModuleList([nn.LSTMCell(size, size) for _ in range(layers)])

    def zero_state(self, batch):
        zero = Variable(torch.zeros(batch, self.size))
        return [(zero, zero) for _ in self.cells]

    def forward(self, input, state):
        new_state = []
        for i, cell in enumerate(self.cells):
            h, c = cell(input, state[i])
            new_state.append((h, c))
            input = self.dropout(h) if i + 1 < len(self.cells) else h
        return input, new_state
