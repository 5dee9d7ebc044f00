"""A notebook, written out as a script."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "unsqueeze as a method": (
        "torch.unsqueeze(torch.linspace(-1, 1, 40), dim=1)",
        "torch.linspace(-1, 1, 40).unsqueeze(1)",
    ),
    "rand_like": ("torch.rand(x.size())", "torch.rand_like(x)"),
    "no Variable": ("x, y = Variable(x), Variable(y)\n", ""),
    "float for type": (
        "torch.cat((x0, x1), 0).type(torch.FloatTensor)",
        "torch.cat((x0, x1), 0).float()",
    ),
    "long for type": ("torch.ones(20)), 0).type(torch.LongTensor)", "torch.ones(20)), 0).long()"),
    "item for numpy": ("'Loss=%.6f' % loss.data.numpy()", "'Loss=%.6f' % loss.item()"),
    "detach for data": ("prediction.data.numpy().ravel()", "prediction.detach().numpy().ravel()"),
    "the loss as a function": (
        "loss_func = torch.nn.MSELoss()",
        "loss_func = nn.functional.mse_loss",
    ),
    "argmax": ("torch.max(out, 1)[1].data.numpy()", "out.argmax(1).numpy()"),
    "weights_only": (
        "torch.load('net_params.pkl')",
        "torch.load('net_params.pkl', weights_only=True)",
    ),
    "a tensor with a gradient": (
        "w = Variable(torch.Tensor([1.0]), requires_grad=True)",
        "w = torch.tensor([1.0], requires_grad=True)",
    ),
    "no_grad for data": (
        "    w.data = w.data - 0.01 * w.grad.data\n    w.grad.data.zero_()\n",
        "    with torch.no_grad():\n        w -= 0.01 * w.grad\n    w.grad.zero_()\n",
    ),
    "a mean of a comparison": (
        "(found == classes.numpy()).sum() / 40.0",
        "(found == classes.numpy()).mean()",
    ),
}

WRONG: Wrong = {
    "one noise for all": ("torch.rand(x.size())", "torch.rand(1)", DIFFERENT, None),
    "a row for a column": ("40), dim=1)", "40), dim=0)", BROKEN, None),
    "the other mean": ("torch.normal(-2 * n0, 1)", "torch.normal(2 * n0, 1)", DIFFERENT, None),
    "classes swapped": (
        "(torch.zeros(20), torch.ones(20))",
        "(torch.ones(20), torch.zeros(20))",
        DIFFERENT,
        None,
    ),
    "sum for mean": (
        "torch.nn.MSELoss()",
        "torch.nn.MSELoss(reduction='sum')",
        DIFFERENT,
        "forward",
    ),
    "no zero_grad": (
        "    optimizer.zero_grad()\n    loss.backward()\n",
        "    loss.backward()\n",
        DIFFERENT,
        "backward",
    ),
    "a bare gradient": ("    w.grad.data.zero_()\n", "", DIFFERENT, None),
    "a step the other way": (
        "w.data - 0.01 * w.grad.data",
        "w.data + 0.01 * w.grad.data",
        DIFFERENT,
        None,
    ),
    "another spacing": (
        "np.gradient(curve, x.data.numpy().ravel())",
        "np.gradient(curve)",
        DIFFERENT,
        "print",
    ),
    "another momentum": ("lr=0.02, momentum=0.8", "lr=0.02, momentum=0.9", DIFFERENT, "step"),
    "another alpha": ("alpha=0.9", "alpha=0.99", DIFFERENT, "step"),
    "a seed less": ("    torch.manual_seed(1)\n", "", DIFFERENT, "forward"),
    "values for indices": ("torch.max(out, 1)[1]", "torch.max(out, 1)[0]", DIFFERENT, "print"),
    "a constant gradient": (
        "l = (w * x_val - y_val) ** 2",
        "l = (w.data * w * x_val - y_val) ** 2",
        DIFFERENT,
        "backward",
    ),
    "other parameters": (
        "again.load_state_dict(torch.load('net_params.pkl'))\n",
        "",
        DIFFERENT,
        None,
    ),
    "saved before": (
        "torch.save(net.state_dict(),",
        "torch.save(again.state_dict(),",
        BROKEN,
        None,
    ),
    "integer division": (".sum() / 40.0", ".sum() // 40.0", DIFFERENT, "print"),
    "targets as floats": (
        "torch.ones(20)), 0).type(torch.LongTensor)",
        "torch.ones(20)), 0).type(torch.FloatTensor)",
        BROKEN,
        None,
    ),
    "one step less": ("range(60)", "range(59)", DIFFERENT, None),
}
