"""Scripted code, and low precision."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "dim": ("F.log_softmax(self.two(x))", "F.log_softmax(self.two(x), dim=1)"),
    "in a scripted function": (
        "torch.sigmoid(x).clamp(0.0, limit)",
        "torch.clamp(torch.sigmoid(x), 0.0, limit)",
    ),
    "no Variable": (
        "F.nll_loss(fast(Variable(data)), Variable(labels))",
        "F.nll_loss(fast(data), labels)",
    ),
    "bfloat16 by to": ("data.bfloat16()", "data.to(torch.bfloat16)"),
    "in a scripted module": ("F.softmax(self.one(x), dim=1)", "torch.softmax(self.one(x), -1)"),
    "half by to": ("model.two.weight.data.half()", "model.two.weight.detach().to(torch.half)"),
    "tensor for LongTensor": ("torch.LongTensor(", "torch.tensor("),
}

WRONG: Wrong = {
    "in a scripted function": (
        ".clamp(0.0, limit)",
        ".clamp(0.5, limit)",
        DIFFERENT,
        "forward",
    ),
    "dim": (
        "F.log_softmax(self.two(x))",
        "F.log_softmax(self.two(x), dim=0)",
        DIFFERENT,
        "forward",
    ),
    "half for bfloat16": (
        "Small().bfloat16()\nout = low(data.bfloat16())",
        "Small().half()\nout = low(data.half())",
        DIFFERENT,
        "forward",
    ),
    "float for half": (
        "model.two.weight.data.half()",
        "model.two.weight.data.float()",
        DIFFERENT,
        None,
    ),
    "bfloat16 is saved": (
        "torch.save(weights, ",
        "torch.save(weights.bfloat16(), ",
        DIFFERENT,
        "save",
    ),
    "in a scripted module": (
        "F.softmax(self.one(x), dim=1)",
        "F.softmax(self.one(x), dim=0)",
        DIFFERENT,
        "forward",
    ),
    "not scriptable": (
        "torch.sigmoid(x).clamp(0.0, limit)",
        "torch.sigmoid(x).clamp(0.0, limits)",
        BROKEN,
        None,
    ),
}
