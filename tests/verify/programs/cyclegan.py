import itertools
import random

import torch
import torch.nn as nn
from torch.autograd import Variable

random.seed(97)
torch.manual_seed(97)


class ResidualBlock(nn.Module):
    def __init__(self, features):
        super(ResidualBlock, self).__init__()
        self.conv_block = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(features, features, 3),
                                        nn.InstanceNorm2d(features), nn.ReLU(inplace=True))

    def forward(self, x):
        return x + self.conv_block(x)


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        self.model = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.InstanceNorm2d(4),
                                   ResidualBlock(4), nn.Conv2d(4, 3, 3, padding=1), nn.Tanh())

    def forward(self, x):
        return self.model(x)


class Discriminator(nn.Module):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.model = nn.Sequential(nn.Conv2d(3, 4, 4, stride=2, padding=1),
                                   nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(4, 1, 3, padding=1))

    def forward(self, x):
        x = self.model(x)
        return nn.functional.avg_pool2d(x, x.size()[2:]).view(x.size()[0], -1)


class ReplayBuffer(object):
    def __init__(self, max_size=3):
        self.max_size = max_size
        self.data = []

    def push_and_pop(self, data):
        to_return = []
        for element in data.data:
            element = torch.unsqueeze(element, 0)
            if len(self.data) < self.max_size:
                self.data.append(element)
                to_return.append(element)
            elif random.uniform(0, 1) > 0.5:
                i = random.randint(0, self.max_size - 1)
                to_return.append(self.data[i].clone())
                self.data[i] = element
            else:
                to_return.append(element)
        return Variable(torch.cat(to_return))


class LambdaLR(object):
    def __init__(self, n_epochs, offset, decay_start_epoch):
        self.n_epochs, self.offset, self.start = n_epochs, offset, decay_start_epoch

    def step(self, epoch):
        return 1.0 - max(0, epoch + self.offset - self.start) / float(self.n_epochs - self.start)


def weights_init_normal(m):
    if m.__class__.__name__.find('Conv') != -1:
        torch.nn.init.normal_(m.weight.data, 0.0, 0.1)


G_AB, G_BA, D_A, D_B = Generator(), Generator(), Discriminator(), Discriminator()
for net in (G_AB, G_BA, D_A, D_B):
    net.apply(weights_init_normal)
criterion_GAN, criterion_cycle = nn.MSELoss(), nn.L1Loss()
optimizer_G = torch.optim.Adam(itertools.chain(G_AB.parameters(), G_BA.parameters()), lr=2e-3)
optimizer_D = torch.optim.Adam(itertools.chain(D_A.parameters(), D_B.parameters()), lr=2e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer_G, lr_lambda=LambdaLR(3, 0, 1).step)
target_real = Variable(torch.Tensor(2, 1).fill_(1.0), requires_grad=False)
target_fake = Variable(torch.Tensor(2, 1).fill_(0.0), requires_grad=False)
fake_A_buffer, fake_B_buffer = ReplayBuffer(), ReplayBuffer()
images_A, images_B = torch.rand(4, 3, 8, 8) * 2 - 1, torch.randn(4, 3, 8, 8).clamp_(-1, 1)
for epoch in range(3):
    for start in range(0, 4, 2):
        real_A = Variable(images_A[start:start + 2])
        real_B = Variable(images_B[start:start + 2])
        optimizer_G.zero_grad()
        loss_identity = criterion_cycle(G_AB(real_B), real_B) * 5.0
        fake_B, fake_A = G_AB(real_A), G_BA(real_B)
        loss_GAN = criterion_GAN(D_B(fake_B), target_real) + criterion_GAN(D_A(fake_A), target_real)
        loss_cycle = criterion_cycle(G_BA(fake_B), real_A) + criterion_cycle(G_AB(fake_A), real_B)
        loss_G = loss_identity + loss_GAN + 10.0 * loss_cycle
        loss_G.backward()
        optimizer_G.step()

        optimizer_D.zero_grad()
        loss_real = criterion_GAN(D_A(real_A), target_real)
        fake_A_ = fake_A_buffer.push_and_pop(fake_A)
        loss_fake = criterion_GAN(D_A(fake_A_.detach()), target_fake)
        loss_D_A = (loss_real + loss_fake) * 0.5
        loss_D_A.backward()
        fake_B_ = fake_B_buffer.push_and_pop(fake_B)
        loss_D_B = (criterion_GAN(D_B(real_B), target_real) +
                    criterion_GAN(D_B(fake_B_.detach()), target_fake)) * 0.5
        loss_D_B.backward()
        optimizer_D.step()
    scheduler.step()
    print('epoch %d G %.5f D_A %.5f D_B %.5f cycle %.5f' % (
        epoch, loss_G.item(), loss_D_A.item(), loss_D_B.item(), loss_cycle.item()))
torch.save({'AB': G_AB.state_dict(), 'BA': G_BA.state_dict()}, 'generators.pth')
