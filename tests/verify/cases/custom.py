"""Functions with a backward of their own, boxes and anchors."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "reshape": ("rest.contiguous().view(3, -1)", "rest.reshape(3, -1)"),
    "flatten of a slice": ("best = truth.max(2)[1]", "best = truth.argmax(2)"),
    "out of place in the graph": (
        "        scale.mul_(self.anchors)\n",
        "        scale = scale * self.anchors\n",
    ),
    "arange of floats": ("torch.arange(0, 4).float().view", "torch.arange(4.0).view"),
    "operator for gt": ("truth.gt(0.5)", "truth > 0.5"),
    "tensor for IntTensor": (
        "torch.IntTensor([[7, 3], [9, 5]])",
        "torch.tensor([[7, 3], [9, 5]], dtype=torch.int32)",
    ),
    "true division": ("half = boxes / 2", "half = torch.true_divide(boxes, 2)"),
    "no Variable": (
        "(centers - Variable(truth)) * Variable(weight)",
        "(centers - truth) * weight",
    ),
    "argsort": (
        "torch.sort(truth.view(-1), 0, True)[1]",
        "truth.view(-1).argsort(0, descending=True)",
    ),
    "clamp as a method": (
        "torch.clamp(boxes[:, 0] - boxes[:, 1], min=0)",
        "(boxes[:, 0] - boxes[:, 1]).clamp(min=0)",
    ),
    "masked_fill in backward": (
        "        grad_input[input * input > ctx.limit] = 0\n",
        "        grad_input = grad_input.masked_fill(input * input > ctx.limit, 0)\n",
    ),
}

WRONG: Wrong = {
    "no contiguous": ("rest.contiguous().view(3, -1)", "rest.view(3, -1)", BROKEN, None),
    "wrong gradient": ("grad_output * 2 * input", "grad_output * input", DIFFERENT, "backward"),
    "gradient of the limit": ("> ctx.limit] = 0", "< ctx.limit] = 0", DIFFERENT, "backward"),
    "no permute": (
        "out.permute(0, 1, 3, 2).contiguous()",
        "out.reshape(n, 2, -1, 4)",
        DIFFERENT,
        "forward",
    ),
    "no clone": ("scale = out[..., 1].clone()", "scale = out[..., 1]", DIFFERENT, "forward"),
    "lost in-place": (
        "scale.mul_(self.anchors)",
        "scale.mul(self.anchors)",
        DIFFERENT,
        "forward",
    ),
    "integer division": ("half = boxes / 2", "half = boxes // 2", DIFFERENT, "print"),
    "wrong sum": (
        "truth.sum(1).unsqueeze(1)",
        "truth.sum(2).unsqueeze(2)",
        DIFFERENT,
        "backward",
    ),
    "inverted mask": ("truth.gt(0.5)", "truth.lt(0.5)", DIFFERENT, "backward"),
    "old order of add_": (
        "total.add_(torch.Tensor([1.0, 2.0]), alpha=0.5)",
        "total.add_(torch.Tensor([0.5, 0.5]), alpha=2.0)",
        DIFFERENT,
        "print",
    ),
    "ascending": (
        "torch.sort(truth.view(-1), 0, True)",
        "torch.sort(truth.view(-1), 0)",
        DIFFERENT,
        "print",
    ),
    "wrong broadcasting": ("(a - b.squeeze(1))", "(a - b)", DIFFERENT, "print"),
    "swapped": ("boxes[:, 0] - boxes[:, 1]", "boxes[:, 1] - boxes[:, 0]", DIFFERENT, "print"),
    "another dtype": ("half.type())", "half.double().type())", DIFFERENT, "print"),
    "floor for division": ("item() // 2", "item() / 2", DIFFERENT, "print"),
    "another output": ("out[..., 1:]", "out[..., 2:]", DIFFERENT, "forward"),
}
