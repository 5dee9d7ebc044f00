"""A project of several files: data, a model, helpers, and what trains it."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "no item where there is one": ("loss.data[0] if loss.dim() else loss.item()", "loss.item()"),
    "no Variable": (
        "        input_var = Variable(input)\n        target_var = Variable(target)\n",
        "        input_var, target_var = input, target\n",
    ),
    "no_grad for volatile": (
        """        output = model(Variable(input, volatile=True))
        loss = criterion(output, Variable(target, volatile=True))
""",
        """        with torch.no_grad():
            output = model(input)
            loss = criterion(output, target)
""",
    ),
    "a number of a tensor": (
        "        top2.update(prec2[0], input.size(0))",
        "        top2.update(prec2.item(), input.size(0))",
    ),
    "flip for an index": ("image[:, :, torch.arange(7, -1, -1).long()]", "image.flip(2)"),
    "flatten": ("x.view(x.size(0), -1)", "x.flatten(1)"),
    "kaiming": (
        """                n = m.kernel_size[0] * m.kernel_size[1] * m.out_channels
                m.weight.data.normal_(0, math.sqrt(2. / n))
""",
        "                nn.init.kaiming_normal_(m.weight, mode='fan_out', nonlinearity='relu')\n",
    ),
    "out of place": (
        "        out += residual\n        return self.relu(out)",
        "        return self.relu(out + residual)",
    ),
    "mean for a pooling": ("F.avg_pool2d(x, 4)", "x.mean((2, 3), keepdim=True)"),
    "layers are grouped": (
        "        out = self.conv1(x)\n        out = self.bn1(out)\n        out = self.relu(out)\n",
        "        out = self.relu(self.bn1(self.conv1(x)))\n",
    ),
    "a class of another name, over files": (
        ("class BasicBlock(nn.Module):", "class Block(nn.Module):"),
        ("super(BasicBlock, self)", "super(Block, self)"),
        ("self.layer1 = BasicBlock(4, 4)", "self.layer1 = Block(4, 4)"),
        ("self.layer2 = BasicBlock(4, 8, 2, down)", "self.layer2 = Block(4, 8, 2, down)"),
    ),
    "a helper of another name, over files": (
        ("from data import get_loaders", "from data import loaders"),
        (
            "train_loader, val_loader = get_loaders(batch_size=6)",
            "train_loader, val_loader = loaders(batch_size=6)",
        ),
        ("def get_loaders(batch_size):", "def loaders(batch_size):"),
    ),
    "the meter as a class of today": ("class AverageMeter(object):", "class AverageMeter:"),
}

WRONG: Wrong = {
    "a wrong top k": ("correct[:k]", "correct[k - 1:k]", DIFFERENT, "print"),
    "smallest": ("topk(maxk, 1, True, True)", "topk(maxk, 1, False, True)", DIFFERENT, "print"),
    "another batch size": ("100.0 / batch_size", "100.0 / len(correct)", DIFFERENT, "print"),
    "mean of the means": ("self.sum += val * n", "self.sum += val", DIFFERENT, "print"),
    "count of the batches": ("self.count += n", "self.count += 1", DIFFERENT, "print"),
    "not flipped": ("if index % 2:", "if index % 3 == 2:", DIFFERENT, "forward"),
    "flipped the other way": (
        "image[:, :, torch.arange(7, -1, -1).long()]",
        "image.flip(1)",
        DIFFERENT,
        "forward",
    ),
    "in place on the data": (
        "self.images[index].sub(self.mean).div(0.25)",
        "self.images[index].sub_(self.mean).div_(0.25)",
        DIFFERENT,
        "forward",
    ),
    "the mean of the wrong axis": (
        ".view(3, 1, 1)",
        ".view(1, 1, 3)[..., :1]",
        DIFFERENT,
        "forward",
    ),
    "no shuffle": ("shuffle=True, drop_last", "shuffle=False, drop_last", DIFFERENT, "forward"),
    "the rest is not dropped": (", drop_last=True", "", DIFFERENT, None),
    "the shortcut is lost": ("        out += residual\n", "", DIFFERENT, "forward"),
    "the shortcut is clipped": (
        "        residual = x\n",
        "        residual = self.relu(x)\n",
        BROKEN,
        None,
    ),
    "fan in": (
        "m.kernel_size[1] * m.out_channels",
        "m.kernel_size[1] * m.in_channels",
        DIFFERENT,
        "forward",
    ),
    "another std": ("math.sqrt(2. / n)", "2. / n", DIFFERENT, "forward"),
    "no downsampling": (
        "residual = self.downsample(x)",
        "residual = self.downsample(x.data)",
        DIFFERENT,
        "backward",
    ),
    "the parts swapped": (
        "if 'fc' not in n]",
        "if 'fc' not in n and 'bn' not in n]",
        DIFFERENT,
        "step",
    ),
    "lr of a part": ("'lr': args.lr / 5", "'lr': args.lr", DIFFERENT, "step"),
    "no nesterov": (", nesterov=True", "", DIFFERENT, "step"),
    "another milestone": ("milestones=[1, 2]", "milestones=[2, 3]", DIFFERENT, "step"),
    "no eval()": ("    model.eval()\n", "", DIFFERENT, "forward"),
    "no train()": ("    model.train()\n", "", DIFFERENT, "forward"),
    "zero_grad after backward": (
        "        optimizer.zero_grad()\n        loss.backward()\n",
        "        loss.backward()\n        optimizer.zero_grad()\n",
        DIFFERENT,
        None,
    ),
    "the wrong epoch": ("'epoch': epoch + 1", "'epoch': epoch", DIFFERENT, "save"),
    "a test on the training data": ("return train, val", "return train, train", DIFFERENT, None),
    "bias": ("padding=1, bias=False)", "padding=1)", DIFFERENT, None),
}
