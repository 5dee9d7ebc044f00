import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(37)
PAD = 0


class Sentences(Dataset):
    def __init__(self, count):
        self.items = []
        for n in range(count):
            words = [1 + (n * 7 + k * 3) % 12 for k in range(3 + n % 4)]
            self.items.append((words, [1 + (w % 3) for w in words]))

    def __getitem__(self, i):
        return self.items[i]

    def __len__(self):
        return len(self.items)


def collate(batch):
    batch.sort(key=lambda item: len(item[0]), reverse=True)
    lengths = [len(words) for words, _ in batch]
    words = torch.zeros(len(batch), max(lengths)).long()
    tags = torch.zeros(len(batch), max(lengths)).long()
    for i, (w, t) in enumerate(batch):
        words[i, :lengths[i]] = torch.LongTensor(w)
        tags[i, :lengths[i]] = torch.LongTensor(t)
    return words, tags, lengths


class Tagger(nn.Module):
    def __init__(self):
        super(Tagger, self).__init__()
        self.embed = nn.Embedding(13, 8, padding_idx=PAD)
        self.lstm = nn.LSTM(8, 6, bidirectional=True, batch_first=True)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(12, 4)
        nn.init.orthogonal_(self.lstm.weight_hh_l0)

    def forward(self, words, lengths):
        embedded = self.drop(self.embed(words))
        packed = pack_padded_sequence(embedded, lengths, batch_first=True)
        output, (h, c) = self.lstm(packed)
        output, _ = pad_packed_sequence(output, batch_first=True)
        return self.out(output), torch.cat([h[0], h[1]], 1)


model = Tagger()
weights = torch.ones(4)
weights[PAD] = 0
optimizer = torch.optim.Adagrad(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
loader = DataLoader(Sentences(16), batch_size=4, shuffle=True, collate_fn=collate)
for epoch in range(3):
    model.train()
    right = total = 0
    for words, tags, lengths in loader:
        words, tags = Variable(words), Variable(tags)
        scores, last = model(words, lengths)
        loss = F.cross_entropy(scores.view(-1, 4), tags.view(-1), weight=weights,
                               size_average=False)
        loss = loss / sum(lengths) + 1e-3 * last.pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        best = scores.data.max(2)[1]
        mask = tags.data.ne(PAD)
        right += (best.eq(tags.data) & mask).sum().item()
        total += mask.sum().item()
    print('epoch %d right %d of %d, loss %.5f' % (epoch, right, total, loss.item()))
model.eval()
for words, tags, lengths in DataLoader(Sentences(5), batch_size=5, collate_fn=collate):
    scores, last = model(Variable(words, volatile=True), lengths)
    print([row[:n].tolist() for row, n in zip(scores.max(2)[1], lengths)])
    print('norm', last.norm().item())
