"""A Wasserstein GAN with a penalty on gradients, whose critic is frozen in turns."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "no Variable": ("netD(Variable(real))", "netD(real)"),
    "ones_like": ("torch.ones(disc_interpolates.size())", "torch.ones_like(disc_interpolates)"),
    "requires_grad_": (
        "autograd.Variable(interpolates, requires_grad=True)",
        "interpolates.detach().requires_grad_()",
    ),
    "no_grad for volatile": (
        "        noisev = Variable(torch.randn(BATCH, 2), volatile=True)\n        fake = Variable(netG(noisev).data)\n",
        "        with torch.no_grad():\n            fake = netG(torch.randn(BATCH, 2))\n",
    ),
    "loss for its gradient": ("D_real.backward(mone)", "(-D_real).sum().backward()"),
    "requires_grad_ of the module": (
        "    for p in netD.parameters():\n        p.requires_grad = False\n",
        "    netD.requires_grad_(False)\n",
    ),
    "no_grad for data": (
        "    for p in netG.parameters():\n        p.data.clamp_(-0.6, 0.6)\n",
        "    with torch.no_grad():\n        for p in netG.parameters():\n            p.clamp_(-0.6, 0.6)\n",
    ),
    "item for an index": ("Wasserstein_D.data[0]", "Wasserstein_D.item()"),
    "only_inputs by default": (", only_inputs=True", ""),
    "a name for the sign": (
        ("one = torch.FloatTensor([1])\n", "one = torch.ones(1)\n"),
        ("mone = one * -1\n", "mone = -one\n"),
    ),
}

WRONG: Wrong = {
    "the sign of the critic": (
        "D_fake.backward(one)",
        "D_fake.backward(mone)",
        DIFFERENT,
        "backward",
    ),
    "the sign of the generator": ("G.backward(mone)", "G.backward(one)", DIFFERENT, "backward"),
    "noise of another kind": (
        "alpha = torch.rand(BATCH, 1)",
        "alpha = torch.randn(BATCH, 1)",
        DIFFERENT,
        "forward",
    ),
    "noise for each number": (
        "alpha = torch.rand(BATCH, 1)\n    alpha = alpha.expand(real_data.size())",
        "alpha = torch.rand(real_data.size())",
        DIFFERENT,
        "forward",
    ),
    "no create_graph": ("create_graph=True, retain_graph=True", "retain_graph=True", BROKEN, None),
    "no gradient for the interpolates": (
        "autograd.Variable(interpolates, requires_grad=True)",
        "interpolates",
        BROKEN,
        None,
    ),
    "norm over the batch": ("norm(2, dim=1)", "norm(2, dim=0)", DIFFERENT, "backward"),
    "norm of everything": ("gradients.norm(2, dim=1)", "gradients.norm(2)", DIFFERENT, "backward"),
    "critic stays frozen": ("        p.requires_grad = True\n", "        pass\n", BROKEN, None),
    "fake with a graph": (
        "fake = Variable(netG(noisev).data)",
        "fake = netG(Variable(torch.randn(BATCH, 2)))",
        DIFFERENT,
        "backward",
    ),
    "no zero_grad of the critic": ("        netD.zero_grad()\n", "", DIFFERENT, "backward"),
    "zero_grad of the other": (
        "    netG.zero_grad()\n",
        "    netD.zero_grad()\n",
        DIFFERENT,
        "backward",
    ),
    "out of place": ("p.data.clamp_(-0.6, 0.6)", "p.data.clamp(-0.6, 0.6)", DIFFERENT, "forward"),
    "another beta": ("betas=(0.5, 0.9)", "betas=(0.9, 0.9)", DIFFERENT, "step"),
    "one critic step less": ("range(CRITIC_ITERS)", "range(1, CRITIC_ITERS)", DIFFERENT, None),
    "real for fake": (
        "calc_gradient_penalty(netD, real, fake.data)",
        "calc_gradient_penalty(netD, fake.data, real)",
        DIFFERENT,
        "forward",
    ),
}
