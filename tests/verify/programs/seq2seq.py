import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(13)


class Attention(nn.Module):
    def __init__(self, dim):
        super(Attention, self).__init__()
        self.linear_out = nn.Linear(dim * 2, dim)
        self.mask = None

    def set_mask(self, mask):
        self.mask = mask

    def forward(self, output, context):
        batch_size = output.size(0)
        hidden_size = output.size(2)
        input_size = context.size(1)
        attn = torch.bmm(output, context.transpose(1, 2))
        if self.mask is not None:
            attn.data.masked_fill_(self.mask, -float('inf'))
        attn = F.softmax(attn.view(-1, input_size)).view(batch_size, -1, input_size)
        mix = torch.bmm(attn, context)
        combined = torch.cat((mix, output), dim=2)
        output = F.tanh(self.linear_out(combined.view(-1, 2 * hidden_size)))
        return output.view(batch_size, -1, hidden_size), attn


class Decoder(nn.Module):
    def __init__(self, vocab, dim):
        super(Decoder, self).__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.attention = Attention(dim)
        self.out = nn.Linear(dim, vocab)
        self.gate = nn.Parameter(torch.ones(dim))

    def forward(self, tokens, hidden, encoded):
        embedded = self.embedding(tokens)
        output, hidden = self.rnn(embedded, hidden)
        output, attn = self.attention(output, encoded)
        weights = F.softmax(output * self.gate)
        logits = self.out(output + weights)
        return F.log_softmax(logits.view(-1, logits.size(2))), hidden, attn


encoder = nn.GRU(6, 6, batch_first=True)
decoder = Decoder(9, 6)
parameters = list(encoder.parameters()) + list(decoder.parameters())
optimizer = torch.optim.Adam(parameters, lr=0.02)
criterion = nn.NLLLoss(size_average=False)
source = torch.randn(3, 5, 6)
lengths = torch.LongTensor([5, 4, 2])
target = torch.LongTensor([[1, 4, 2, 7], [3, 3, 8, 0], [5, 6, 1, 2]])
steps = torch.arange(0, 5).long().unsqueeze(0).expand(3, 5)
mask = (steps >= lengths.unsqueeze(1)).unsqueeze(1).expand(3, 4, 5)
decoder.attention.set_mask(mask)

for epoch in range(3):
    optimizer.zero_grad()
    encoded, hidden = encoder(Variable(source))
    log_probs, hidden, attn = decoder(Variable(target), hidden, encoded)
    loss = criterion(log_probs, Variable(target.view(-1)))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(parameters, 5)
    optimizer.step()
    best = log_probs.data.max(1)[1].view(3, 4)
    right = (best == target).sum()
    print('epoch', epoch, 'loss', loss.item() / 12, 'right', right.item(), 'of', target.numel())

num_correct = best.eq(target).masked_select(target.ne(0)).sum().item()
print('words', num_correct, 'halves', (lengths / 2).tolist(), 'middle', (lengths // 2).tolist())
