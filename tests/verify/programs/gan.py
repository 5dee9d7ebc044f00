import torch
import torch.nn as nn
import torch.optim as optim
from torch.autograd import Variable

torch.manual_seed(7)
nz = 4


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find('Linear') != -1:
        m.weight.data.normal_(0.0, 0.2)
    elif classname.find('BatchNorm') != -1:
        m.weight.data.normal_(1.0, 0.02)
        m.bias.data.fill_(0)


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        self.main = nn.Sequential(nn.Linear(nz, 8), nn.BatchNorm1d(8), nn.ReLU(True),
                                  nn.Linear(8, 6), nn.Tanh())

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.main = nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1),
                                  nn.Sigmoid())

    def forward(self, input):
        return self.main(input).view(-1)


netG = Generator()
netG.apply(weights_init)
netD = Discriminator()
netD.apply(weights_init)
criterion = nn.BCELoss()
fixed_noise = Variable(torch.randn(3, nz))
real_label = 1
fake_label = 0
optimizerD = optim.Adam(netD.parameters(), lr=0.01, betas=(0.5, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=0.01, betas=(0.5, 0.999))
data = [torch.randn(5, 6) for _ in range(3)]

for epoch in range(2):
    for i, real_cpu in enumerate(data):
        netD.zero_grad()
        batch_size = real_cpu.size(0)
        label = torch.FloatTensor(batch_size).fill_(real_label)
        output = netD(Variable(real_cpu))
        errD_real = criterion(output, Variable(label))
        errD_real.backward()
        D_x = output.data.mean()

        noise = torch.FloatTensor(batch_size, nz).normal_(0, 1)
        noisev = Variable(noise)
        fake = netG(noisev)
        labelv = Variable(label.fill_(fake_label))
        output = netD(fake.detach())
        errD_fake = criterion(output, labelv)
        errD_fake.backward()
        D_G_z1 = output.data.mean()
        errD = errD_real + errD_fake
        optimizerD.step()

        netG.zero_grad()
        labelv = Variable(label.fill_(real_label))
        output = netD(fake)
        errG = criterion(output, labelv)
        errG.backward()
        D_G_z2 = output.data.mean()
        optimizerG.step()
        print('[%d][%d] Loss_D: %.4f Loss_G: %.4f D(x): %.4f D(G(z)): %.4f / %.4f'
              % (epoch, i, errD.item(), errG.item(), D_x, D_G_z1, D_G_z2))
    fake = netG(fixed_noise)
    torch.save(fake.data, 'fake_%d.pt' % epoch)
    torch.save(netG.state_dict(), 'netG_%d.pth' % epoch)
