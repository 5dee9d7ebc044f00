"""Gradients that are accumulated, penalised and averaged."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "item of a running loss": ("total_loss += loss.data", "total_loss += loss.detach()"),
    "retain_graph by keyword True": (
        "retain_graph=True, only_inputs=True",
        "retain_graph=True",
    ),
    "requires_grad_": (
        "x = Variable(xs[i * 3:(i + 1) * 3], requires_grad=True)",
        "x = xs[i * 3:(i + 1) * 3].clone().requires_grad_()",
    ),
    "ones_like": ("torch.ones(out.size())", "torch.ones_like(out)"),
    "detach for data": ("EMA[name] = p.data.clone()", "EMA[name] = p.detach().clone()"),
    "no_grad for data": (
        "    p.data.mul_(0.5)\n",
        "    with torch.no_grad():\n        p.mul_(0.5)\n",
    ),
    "view for squeeze": ("net(xs[:6]).squeeze(1) -", "net(xs[:6]).view(-1) -"),
    "square": ("residual.pow(2).mean()", "(residual * residual).mean()"),
    "norm by keyword": ("gradients.norm(2, dim=1)", "gradients.norm(p=2, dim=1)"),
}

WRONG: Wrong = {
    "no retain_graph": ("loss.backward(retain_graph=True)", "loss.backward()", BROKEN, None),
    "no create_graph": (
        "create_graph=True, retain_graph=True",
        "retain_graph=True",
        BROKEN,
        None,
    ),
    "cleared each time": (
        "    loss.backward(retain",
        "    optimizer.zero_grad()\n    loss.backward(retain",
        DIFFERENT,
        "backward",
    ),
    "never cleared": (
        "        optimizer.zero_grad()\n        print",
        "        print",
        DIFFERENT,
        "backward",
    ),
    "off by one": ("if (i + 1) % accumulate == 0:", "if i % accumulate == 0:", DIFFERENT, None),
    "no clone before in-place": ("buffer = xs.clone()", "buffer = xs", DIFFERENT, "print"),
    "an alias of parameters": (
        "EMA[name] = p.data.clone()",
        "EMA[name] = p.data",
        DIFFERENT,
        "print",
    ),
    "out of place": ("    p.data.mul_(0.5)\n", "    p.data.mul(0.5)\n", DIFFERENT, "forward"),
    "wrong broadcasting": ("net(xs[:6]).squeeze(1) -", "net(xs[:6]) -", DIFFERENT, "print"),
    "scheduler per pass": ("        scheduler.step()\n", "", DIFFERENT, "step"),
    "scheduler each time": (
        "    penalty.backward()\n",
        "    penalty.backward()\n    scheduler.step()\n",
        DIFFERENT,
        "step",
    ),
    "another dim of norm": ("norm(2, dim=1)", "norm(2, dim=0)", DIFFERENT, "backward"),
    "another norm": ("norm(2, dim=1)", "norm(1, dim=1)", DIFFERENT, "backward"),
    "no detached penalty": (
        "penalty = criterion(critic(out), y)",
        "penalty = criterion(critic(out.detach()), y)",
        DIFFERENT,
        "backward",
    ),
    "off by one slice": (
        "ys[i * 3:(i + 1) * 3]",
        "ys[i * 3 + 1:(i + 1) * 3 + 1]",
        BROKEN,
        None,
    ),
    "tensor of a graph": (
        "total_loss += loss.data",
        "total_loss = loss.data",
        DIFFERENT,
        "print",
    ),
}
