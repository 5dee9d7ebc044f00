"""A generator and a discriminator that train in turns."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "full for fill_": (
        "label = torch.FloatTensor(batch_size).fill_(real_label)",
        "label = torch.full((batch_size,), real_label, dtype=torch.float)",
    ),
    "randn": ("torch.FloatTensor(batch_size, nz).normal_(0, 1)", "torch.randn(batch_size, nz)"),
    "init function": ("m.weight.data.normal_(0.0, 0.2)", "nn.init.normal_(m.weight, 0.0, 0.2)"),
    "in operator": ("if classname.find('Linear') != -1:", "if 'Linear' in classname:"),
    "item for data in a print": ("D_x = output.data.mean()", "D_x = output.mean().item()"),
    "detach for data": ("torch.save(fake.data,", "torch.save(fake.detach(),"),
    "data for detach in the generator's input": ("netD(fake.detach())", "netD(fake.data)"),
    "squeeze for view": (
        "return self.main(input).view(-1)",
        "return self.main(input).squeeze(1)",
    ),
    "no Variable": ("output = netD(Variable(real_cpu))", "output = netD(real_cpu)"),
    "zero_grad of the optimizer": (
        "        netD.zero_grad()",
        "        optimizerD.zero_grad()",
    ),
}

WRONG: Wrong = {
    "no detach": ("netD(fake.detach())", "netD(fake)", BROKEN, None),
    "detach for both": (
        "output = netD(fake)\n",
        "output = netD(fake.detach())\n",
        DIFFERENT,
        "backward",
    ),
    "swapped labels": (
        "real_label = 1\nfake_label = 0",
        "real_label = 0\nfake_label = 1",
        DIFFERENT,
        "forward",
    ),
    "uniform noise": (".normal_(0, 1)", ".uniform_(0, 1)", DIFFERENT, "forward"),
    "label of the fake": (
        "        labelv = Variable(label.fill_(real_label))\n",
        "",
        DIFFERENT,
        "forward",
    ),
    "no zero_grad of the generator": ("        netG.zero_grad()\n", "", DIFFERENT, "backward"),
    "wrong optimizer": (
        "        optimizerG.step()\n",
        "        optimizerD.step()\n",
        DIFFERENT,
        "step",
    ),
    "swapped arguments": (
        "errG = criterion(output, labelv)",
        "errG = criterion(labelv, output)",
        BROKEN,
        None,
    ),
    "another beta": (
        "netG.parameters(), lr=0.01, betas=(0.5, 0.999)",
        "netG.parameters(), lr=0.01, betas=(0.9, 0.999)",
        DIFFERENT,
        "step",
    ),
    "another init": (
        "m.weight.data.normal_(1.0, 0.02)",
        "m.weight.data.normal_(0.0, 0.02)",
        DIFFERENT,
        "forward",
    ),
    "another net is saved": (
        "torch.save(netG.state_dict()",
        "torch.save(netD.state_dict()",
        DIFFERENT,
        "save",
    ),
    "the module is saved": (
        "torch.save(netG.state_dict()",
        "torch.save(netG.main.state_dict()",
        DIFFERENT,
        "save",
    ),
    "sum of another loss": (
        "errD = errD_real + errD_fake",
        "errD = errD_real - errD_fake",
        DIFFERENT,
        "print",
    ),
}
