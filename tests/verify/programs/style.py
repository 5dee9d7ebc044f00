from __future__ import print_function

import torch
import torch.nn as nn
import torch.optim as optim
from torch.autograd import Variable

torch.manual_seed(53)


class ContentLoss(nn.Module):
    def __init__(self, target, weight):
        super(ContentLoss, self).__init__()
        self.target = target.detach() * weight
        self.weight = weight
        self.criterion = nn.MSELoss()

    def forward(self, input):
        self.loss = self.criterion(input * self.weight, self.target)
        self.output = input
        return self.output

    def backward(self, retain_graph=True):
        self.loss.backward(retain_graph=retain_graph)
        return self.loss


class GramMatrix(nn.Module):
    def forward(self, input):
        a, b, c, d = input.size()
        features = input.view(a * b, c * d)
        G = torch.mm(features, features.t())
        return G.div(a * b * c * d)


class StyleLoss(nn.Module):
    def __init__(self, target, weight):
        super(StyleLoss, self).__init__()
        self.target = target.detach() * weight
        self.weight = weight
        self.gram = GramMatrix()
        self.criterion = nn.MSELoss()

    def forward(self, input):
        self.output = input.clone()
        self.G = self.gram(input)
        self.G.mul_(self.weight)
        self.loss = self.criterion(self.G, self.target)
        return self.output

    def backward(self, retain_graph=True):
        self.loss.backward(retain_graph=retain_graph)
        return self.loss


cnn = nn.Sequential(nn.Conv2d(3, 5, 3), nn.Tanh(), nn.Conv2d(5, 4, 3), nn.Tanh())
for param in cnn.parameters():
    param.requires_grad = False
style_img = Variable(torch.rand(1, 3, 9, 10))
content_img = Variable(torch.rand(1, 3, 9, 10))
model, gram = nn.Sequential(), GramMatrix()
content_losses, style_losses = [], []
for i, layer in enumerate(cnn):
    model.add_module('layer_%d' % i, layer)
    if isinstance(layer, nn.Conv2d):
        style = StyleLoss(gram(model(style_img).clone()), 1000)
        model.add_module('style_%d' % i, style)
        style_losses.append(style)
    if i == 2:
        content = ContentLoss(model(content_img).clone(), 1)
        model.add_module('content_%d' % i, content)
        content_losses.append(content)

input_param = nn.Parameter(content_img.data.clone())
optimizer = optim.LBFGS([input_param], max_iter=4)
run = [0]
while run[0] <= 10:
    def closure():
        input_param.data.clamp_(0, 1)
        optimizer.zero_grad()
        model(input_param)
        style_score = 0
        content_score = 0
        for sl in style_losses:
            style_score += sl.backward()
        for cl in content_losses:
            content_score += cl.backward()
        run[0] += 1
        if run[0] % 3 == 0:
            print('run {}: style {:.5f} content {:.5f}'.format(
                run, style_score.data, content_score.data))
        return style_score + content_score
    optimizer.step(closure)
input_param.data.clamp_(0, 1)
torch.save(input_param.data, 'styled.pt')
