import argparse

import torch
import torch.nn as nn
from torch.autograd import Variable
from torch.optim import lr_scheduler

from data import get_loaders
from models import resnet
from utils import AverageMeter, accuracy, save_checkpoint

parser = argparse.ArgumentParser()
parser.add_argument('--epochs', default=2, type=int)
parser.add_argument('--lr', default=0.05, type=float)
parser.add_argument('--seed', default=71, type=int)
args = parser.parse_args()
torch.manual_seed(args.seed)


def train(loader, model, criterion, optimizer, epoch):
    losses, top1 = AverageMeter(), AverageMeter()
    model.train()
    for i, (input, target) in enumerate(loader):
        input_var = Variable(input)
        target_var = Variable(target)
        output = model(input_var)
        loss = criterion(output, target_var)
        prec1, = accuracy(output.data, target, topk=(1,))
        losses.update(loss.data[0] if loss.dim() else loss.item(), input.size(0))
        top1.update(prec1[0], input.size(0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print('Epoch [{}] loss {:.4f} prec {:.3f}'.format(epoch, losses.avg, top1.avg))


def validate(loader, model, criterion):
    losses, top1, top2 = AverageMeter(), AverageMeter(), AverageMeter()
    model.eval()
    for input, target in loader:
        output = model(Variable(input, volatile=True))
        loss = criterion(output, Variable(target, volatile=True))
        prec1, prec2 = accuracy(output.data, target, topk=(1, 2))
        losses.update(loss.item(), input.size(0))
        top1.update(prec1[0], input.size(0))
        top2.update(prec2[0], input.size(0))
    print(' * loss {:.5f} Prec@1 {:.3f} Prec@2 {:.3f}'.format(losses.avg, top1.avg, top2.avg))
    return top1.avg


def main():
    model = resnet.resnet_small(num_classes=4)
    base = [p for n, p in model.named_parameters() if 'fc' not in n]
    optimizer = torch.optim.SGD([{'params': base, 'lr': args.lr / 5},
                                 {'params': model.fc.parameters()}],
                                args.lr, momentum=0.9, weight_decay=1e-4, nesterov=True)
    scheduler = lr_scheduler.MultiStepLR(optimizer, milestones=[1, 2], gamma=0.1)
    criterion = nn.CrossEntropyLoss()
    train_loader, val_loader = get_loaders(batch_size=6)
    best_prec1 = 0
    for epoch in range(args.epochs):
        train(train_loader, model, criterion, optimizer, epoch)
        prec1 = validate(val_loader, model, criterion)
        scheduler.step()
        is_best = prec1 > best_prec1
        best_prec1 = max(prec1, best_prec1)
        save_checkpoint({'epoch': epoch + 1, 'state_dict': model.state_dict(),
                         'best_prec1': best_prec1}, is_best)


if __name__ == '__main__':
    main()
