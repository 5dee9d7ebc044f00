import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(31)
text = 'the cat sat on the mat and the dog sat on the log ' * 3
chars = sorted(set(text))
index = dict((c, i) for i, c in enumerate(chars))
encoded = torch.LongTensor([index[c] for c in text])


class CharRNN(nn.Module):
    def __init__(self, size, hidden, layers=2):
        super(CharRNN, self).__init__()
        self.hidden_size = hidden
        self.layers = layers
        self.encoder = nn.Embedding(size, hidden)
        self.gru = nn.GRU(hidden, hidden, layers, dropout=0.1)
        self.decoder = nn.Linear(hidden, size)

    def forward(self, input, hidden):
        batch_size = input.size(0)
        encoded = self.encoder(input)
        output, hidden = self.gru(encoded.view(1, batch_size, -1), hidden)
        return self.decoder(output.view(batch_size, -1)), hidden

    def init_hidden(self, batch_size):
        return Variable(torch.zeros(self.layers, batch_size, self.hidden_size))


def chunk(start, length=12):
    piece = encoded[start:start + length + 1]
    return piece[:-1], piece[1:]


def train(model, starts):
    inputs, targets = zip(*[chunk(s) for s in starts])
    inputs, targets = Variable(torch.stack(inputs)), Variable(torch.stack(targets))
    hidden = model.init_hidden(len(starts))
    model.zero_grad()
    loss = 0
    for c in range(inputs.size(1)):
        output, hidden = model(inputs[:, c], hidden)
        loss += criterion(output, targets[:, c])
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5)
    optimizer.step()
    return loss.data / inputs.size(1)


def generate(model, prime, length, temperature=0.8):
    model.eval()
    hidden = model.init_hidden(1)
    given = Variable(torch.LongTensor([index[c] for c in prime]), volatile=True)
    for p in range(len(prime) - 1):
        _, hidden = model(given[p:p + 1], hidden)
    last, predicted = given[-1:], prime
    for p in range(length):
        output, hidden = model(last, hidden)
        output_dist = output.data.view(-1).div(temperature).exp()
        top_i = torch.multinomial(output_dist, 1)[0]
        predicted += chars[top_i]
        last = Variable(torch.LongTensor([index[chars[top_i]]]))
    model.train()
    return predicted, F.softmax(output.view(-1)).max().item()


model = CharRNN(len(chars), 16)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
criterion = nn.CrossEntropyLoss()
average = 0
for epoch in range(3):
    for step in range(4):
        average += train(model, [step * 8 + 5 * k for k in range(4)]).item()
    print('epoch', epoch, 'average', round(average / 4, 5))
    average = 0
    print(generate(model, 'th', 20))
torch.save(model.state_dict(), 'charrnn.pt')
