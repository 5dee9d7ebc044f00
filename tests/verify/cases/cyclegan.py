"""Two generators that undo one another, a buffer of what they made, and a rate that decays."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "full for fill_": (
        "Variable(torch.Tensor(2, 1).fill_(1.0), requires_grad=False)",
        "torch.full((2, 1), 1.0)",
    ),
    "zeros for fill_": (
        "Variable(torch.Tensor(2, 1).fill_(0.0), requires_grad=False)",
        "torch.zeros(2, 1)",
    ),
    "detach for data": ("for element in data.data:", "for element in data.detach():"),
    "no Variable": ("return Variable(torch.cat(to_return))", "return torch.cat(to_return)"),
    "mean for a pooling": (
        "nn.functional.avg_pool2d(x, x.size()[2:]).view(x.size()[0], -1)",
        "x.mean(dim=(2, 3))",
    ),
    "in operator": ("m.__class__.__name__.find('Conv') != -1", "'Conv' in type(m).__name__"),
    "a weight without data": ("normal_(m.weight.data, 0.0, 0.1)", "normal_(m.weight, 0.0, 0.1)"),
    "a list for a chain": (
        "itertools.chain(G_AB.parameters(), G_BA.parameters())",
        "list(G_AB.parameters()) + list(G_BA.parameters())",
    ),
    "one backward for two": (
        ("        loss_D_A.backward()\n", ""),
        ("        loss_D_B.backward()\n", "        (loss_D_A + loss_D_B).backward()\n"),
    ),
    "a sum in another order": (
        "loss_G = loss_identity + loss_GAN + 10.0 * loss_cycle",
        "loss_G = 10.0 * loss_cycle + (loss_GAN + loss_identity)",
    ),
    "a function for a class": (
        (
            "class LambdaLR(object):\n    def __init__(self, n_epochs, offset, decay_start_epoch):\n        self.n_epochs, self.offset, self.start = n_epochs, offset, decay_start_epoch\n\n    def step(self, epoch):\n        return 1.0 - max(0, epoch + self.offset - self.start) / float(self.n_epochs - self.start)\n",
            "def decayed(epoch):\n    return 1.0 - max(0, epoch - 1) / 2.0\n",
        ),
        ("lr_lambda=LambdaLR(3, 0, 1).step", "lr_lambda=decayed"),
    ),
    "super without arguments": ("super(ResidualBlock, self)", "super()"),
    "set_to_none": ("optimizer_D.zero_grad()", "optimizer_D.zero_grad(set_to_none=True)"),
}

WRONG: Wrong = {
    "no detach": ("D_A(fake_A_.detach())", "D_A(fake_A)", BROKEN, None),
    "a fake of the other kind": (
        "push_and_pop(fake_A)",
        "push_and_pop(fake_B)",
        DIFFERENT,
        "forward",
    ),
    "no buffer": (
        "fake_B_ = fake_B_buffer.push_and_pop(fake_B)",
        "fake_B_ = fake_B",
        DIFFERENT,
        None,
    ),
    "an alias in the buffer": ("self.data[i].clone()", "element.clone()", DIFFERENT, "forward"),
    "targets swapped": ("fill_(1.0)", "fill_(0.9)", DIFFERENT, "forward"),
    "targets of one shape": (
        "torch.Tensor(2, 1).fill_(1.0)",
        "torch.Tensor(2).fill_(1.0)",
        DIFFERENT,
        None,
    ),
    "the generators swapped": (
        "criterion_cycle(G_BA(fake_B), real_A)",
        "criterion_cycle(G_AB(fake_B), real_A)",
        DIFFERENT,
        "forward",
    ),
    "no cycle": (" + 10.0 * loss_cycle", " + loss_cycle", DIFFERENT, "backward"),
    "identity of the other": (
        "G_AB(real_B), real_B) * 5.0",
        "G_BA(real_B), real_B) * 5.0",
        DIFFERENT,
        "forward",
    ),
    "one generator only": (
        "itertools.chain(G_AB.parameters(), G_BA.parameters())",
        "G_AB.parameters()",
        DIFFERENT,
        "step",
    ),
    "no zero_grad of D": ("        optimizer_D.zero_grad()\n", "", DIFFERENT, "backward"),
    "zero_grad of D before G": (
        ("        optimizer_G.zero_grad()\n"),
        ("        optimizer_D.zero_grad()\n"),
        DIFFERENT,
        "backward",
    ),
    "D steps before": (
        "        optimizer_G.step()\n\n",
        "        optimizer_G.step()\n        optimizer_D.step()\n\n",
        DIFFERENT,
        None,
    ),
    "the rate of the other": ("LambdaLR(optimizer_G,", "LambdaLR(optimizer_D,", DIFFERENT, "step"),
    "a decay that begins later": ("LambdaLR(3, 0, 1)", "LambdaLR(3, 0, 2)", DIFFERENT, "step"),
    "no residual": (
        "return x + self.conv_block(x)",
        "return self.conv_block(x)",
        DIFFERENT,
        "forward",
    ),
    "zeros for a reflection": ("nn.ReflectionPad2d(1)", "nn.ZeroPad2d(1)", DIFFERENT, "forward"),
    "squares for L1": (
        "nn.MSELoss(), nn.L1Loss()",
        "nn.MSELoss(), nn.MSELoss()",
        DIFFERENT,
        "forward",
    ),
    "one is saved twice": ("'BA': G_BA.state_dict()", "'BA': G_AB.state_dict()", DIFFERENT, "save"),
    "another init": (
        "normal_(m.weight.data, 0.0, 0.1)",
        "normal_(m.weight.data, 0.1, 0.1)",
        DIFFERENT,
        "forward",
    ),
}
