import itertools

import torch
import torch.autograd as autograd
import torch.nn as nn
import torch.optim as optim
from torch.autograd import Variable

torch.manual_seed(29)
LAMBDA = 10
CRITIC_ITERS = 2
BATCH = 6
one = torch.FloatTensor([1])
mone = one * -1


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        self.main = nn.Sequential(nn.Linear(2, 12), nn.ReLU(True), nn.Linear(12, 2))

    def forward(self, noise):
        return self.main(noise)


class Discriminator(nn.Module):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.main = nn.Sequential(nn.Linear(2, 12), nn.Tanh(), nn.Linear(12, 1))

    def forward(self, inputs):
        return self.main(inputs).view(-1)


def real_batches():
    for i in itertools.count():
        angle = torch.arange(BATCH).float() * (i + 1)
        yield torch.stack([angle.cos(), angle.sin()], 1)


def calc_gradient_penalty(netD, real_data, fake_data):
    alpha = torch.rand(BATCH, 1)
    alpha = alpha.expand(real_data.size())
    interpolates = alpha * real_data + ((1 - alpha) * fake_data)
    interpolates = autograd.Variable(interpolates, requires_grad=True)
    disc_interpolates = netD(interpolates)
    gradients = autograd.grad(outputs=disc_interpolates, inputs=interpolates,
                              grad_outputs=torch.ones(disc_interpolates.size()),
                              create_graph=True, retain_graph=True, only_inputs=True)[0]
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean() * LAMBDA


netG, netD = Generator(), Discriminator()
optimizerD = optim.Adam(netD.parameters(), lr=1e-2, betas=(0.5, 0.9))
optimizerG = optim.RMSprop(netG.parameters(), lr=1e-2)
data = real_batches()
for iteration in range(4):
    for p in netD.parameters():
        p.requires_grad = True
    for _ in range(CRITIC_ITERS):
        real = next(data)
        netD.zero_grad()
        D_real = netD(Variable(real)).mean(0, keepdim=True)
        D_real.backward(mone)
        noisev = Variable(torch.randn(BATCH, 2), volatile=True)
        fake = Variable(netG(noisev).data)
        D_fake = netD(fake).mean(0, keepdim=True)
        D_fake.backward(one)
        gradient_penalty = calc_gradient_penalty(netD, real, fake.data)
        gradient_penalty.backward()
        Wasserstein_D = D_real - D_fake
        optimizerD.step()
    for p in netD.parameters():
        p.requires_grad = False
    netG.zero_grad()
    G = netD(netG(Variable(torch.randn(BATCH, 2)))).mean(0, keepdim=True)
    G.backward(mone)
    optimizerG.step()
    for p in netG.parameters():
        p.data.clamp_(-0.6, 0.6)
    print('%d W %.5f penalty %.5f' % (iteration, Wasserstein_D.data[0], gradient_penalty.item()))
