import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(47)
IGNORE = 255


class double_conv(nn.Module):
    def __init__(self, in_ch, out_ch):
        super(double_conv, self).__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(in_ch, out_ch, 3, padding=1),
            nn.BatchNorm2d(out_ch, momentum=0.3),
            nn.ReLU(inplace=True),
            nn.Conv2d(out_ch, out_ch, 3, padding=1),
            nn.ReLU(inplace=True)
        )

    def forward(self, x):
        x = self.conv(x)
        return x


class UNet(nn.Module):
    def __init__(self):
        super(UNet, self).__init__()
        self.inc = double_conv(1, 4)
        self.down = double_conv(4, 6)
        self.up = double_conv(10, 4)
        self.outc = nn.Conv2d(4, 3, 1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down(F.max_pool2d(x1, 2))
        x2 = F.upsample(x2, scale_factor=2, mode='bilinear', align_corners=True)
        diffX = x1.size()[2] - x2.size()[2]
        diffY = x1.size()[3] - x2.size()[3]
        x2 = F.pad(x2, (diffY // 2, diffY - diffY // 2, diffX // 2, diffX - diffX // 2))
        return self.outc(self.up(torch.cat([x2, x1], dim=1)))


def cross_entropy2d(input, target, weight=None, size_average=True):
    n, c, h, w = input.size()
    log_p = F.log_softmax(input)
    log_p = log_p.transpose(1, 2).transpose(2, 3).contiguous().view(-1, c)
    log_p = log_p[target.view(n * h * w, 1).repeat(1, c) != IGNORE]
    log_p = log_p.view(-1, c)
    mask = target != IGNORE
    loss = F.nll_loss(log_p, target[mask], weight=weight, size_average=False)
    if size_average:
        loss /= mask.data.sum()
    return loss


def dice_coeff(pred, target):
    smooth = 1.
    inter = torch.dot(pred.contiguous().view(-1), target.contiguous().view(-1))
    return (2 * inter + smooth) / (pred.sum() + target.sum() + smooth)


images = torch.rand(6, 1, 11, 14)
labels = (images[:, 0] * 3).long()
labels[:, :2] = IGNORE
net = UNet()
weight = torch.FloatTensor([1, 2, 0.5])
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=0.0005)
for epoch in range(3):
    net.train()
    for i in range(0, 6, 2):
        output = net(Variable(images[i:i + 2]))
        target = Variable(labels[i:i + 2])
        loss = cross_entropy2d(output, target, weight=weight)
        probs = F.softmax(output)
        loss = loss - 0.1 * dice_coeff(probs[:, 0], target.eq(0).float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print('epoch', epoch, 'loss', loss.data[0] if loss.dim() else loss.item())

net.eval()
inter, union = torch.zeros(3), torch.zeros(3)
for i in range(6):
    pred = net(Variable(images[i:i + 1], volatile=True)).data.max(1)[1]
    lbl = labels[i:i + 1]
    valid = lbl != IGNORE
    for k in range(3):
        inter[k] += ((pred == k) & (lbl == k) & valid).sum()
        union[k] += (((pred == k) | (lbl == k)) & valid).sum()
iou = inter / union
print('iou', ' '.join('%.4f' % v for v in iou), 'mean', iou.mean().item())
