"""Workers of a loader and child processes."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "dim in a child": (
        "F.log_softmax(model(Variable(data)))",
        "F.log_softmax(model(data), dim=1)",
    ),
    "tensor in a worker": (
        "torch.Tensor([index, index * index]) / 100",
        "torch.tensor([index, index * index], dtype=torch.float) / 100",
    ),
    "no_grad": (
        "        out = parallel(Variable(x, volatile=True))\n",
        "        with torch.no_grad():\n            out = parallel(x)\n",
    ),
    "reduction for size_average": ("size_average=False", "reduction='sum'"),
}

WRONG: Wrong = {
    "dim in a child": (
        "F.log_softmax(model(Variable(data)))",
        "F.log_softmax(model(Variable(data)), dim=0)",
        DIFFERENT,
        "forward",
    ),
    "print in a child": ("'loss', loss.item())", "'loss', -loss.item())", DIFFERENT, "print"),
    "failure in a child": ("loss.backward()", "loss.item().backward()", DIFFERENT, None),
    "value in a worker": (
        "index * index]) / 100",
        "index + index]) / 100",
        DIFFERENT,
        "forward",
    ),
    "failure in a worker": ("return x, index % 2", "return x.nothing, index % 2", BROKEN, None),
    "mean for sum": ("size_average=False", "reduction='mean'", DIFFERENT, "print"),
}
