import torch
from torch import nn, optim
from torch.autograd import Variable
from torch.nn import functional as F

torch.manual_seed(3)
batches = [torch.rand(10, 12) for _ in range(4)]


class VAE(nn.Module):
    def __init__(self):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(12, 8)
        self.fc21 = nn.Linear(8, 3)
        self.fc22 = nn.Linear(8, 3)
        self.fc3 = nn.Linear(3, 8)
        self.fc4 = nn.Linear(8, 12)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparametrize(self, mu, logvar):
        std = logvar.mul(0.5).exp_()
        eps = torch.FloatTensor(std.size()).normal_()
        eps = Variable(eps)
        return eps.mul(std).add_(mu)

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return F.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 12))
        z = self.reparametrize(mu, logvar)
        return self.decode(z), mu, logvar


model = VAE()
reconstruction_function = nn.BCELoss(size_average=False)
optimizer = optim.Adam(model.parameters(), lr=1e-2)


def loss_function(recon_x, x, mu, logvar):
    BCE = reconstruction_function(recon_x, x)
    KLD_element = mu.pow(2).add_(logvar.exp()).mul_(-1).add_(1).add_(logvar)
    KLD = torch.sum(KLD_element).mul_(-0.5)
    return BCE + KLD


for epoch in range(2):
    train_loss = 0
    for data in batches:
        data = Variable(data)
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    print('epoch {} average loss {:.4f}'.format(epoch, train_loss / 40))

sample = Variable(torch.randn(2, 3), volatile=True)
sample = model.decode(sample)
print('sample mean', sample.data.mean().item())
torch.save(sample.data.view(2, 3, 4), 'sample.pt')
