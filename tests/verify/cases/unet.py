"""A segmentation, in which some pixels are not to count."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "interpolate": ("F.upsample(", "F.interpolate("),
    "dim of a 4-D log_softmax": ("F.log_softmax(input)", "F.log_softmax(input, dim=1)"),
    "dim of a 4-D softmax": ("F.softmax(output)", "F.softmax(output, dim=1)"),
    "permute": (
        "log_p.transpose(1, 2).transpose(2, 3).contiguous().view(-1, c)",
        "log_p.permute(0, 2, 3, 1).reshape(-1, c)",
    ),
    "reduction for size_average": (
        "weight=weight, size_average=False)",
        "weight=weight, reduction='sum')",
    ),
    "a mask of rows": (
        "    log_p = log_p[target.view(n * h * w, 1).repeat(1, c) != IGNORE]\n    log_p = log_p.view(-1, c)\n",
        "    log_p = log_p[target.view(-1) != IGNORE]\n",
    ),
    "no Variable": ("target = Variable(labels[i:i + 2])", "target = labels[i:i + 2]"),
    "no item where there is one": ("loss.data[0] if loss.dim() else loss.item()", "loss.item()"),
    "a sum for a dot": (
        "torch.dot(pred.contiguous().view(-1), target.contiguous().view(-1))",
        "(pred * target).sum()",
    ),
    "argmax": (".data.max(1)[1]", ".argmax(dim=1)"),
    "shape for size": ("n, c, h, w = input.size()", "n, c, h, w = input.shape"),
    "a class in capitals": (
        ("class double_conv(nn.Module):", "class DoubleConv(nn.Module):"),
        ("super(double_conv, self).__init__()", "super().__init__()"),
        ("self.inc = double_conv(1, 4)", "self.inc = DoubleConv(1, 4)"),
        ("self.down = double_conv(4, 6)", "self.down = DoubleConv(4, 6)"),
        ("self.up = double_conv(10, 4)", "self.up = DoubleConv(10, 4)"),
    ),
}

WRONG: Wrong = {
    "corners are not aligned": ("align_corners=True", "align_corners=False", DIFFERENT, "forward"),
    "nearest": ("mode='bilinear', align_corners=True", "mode='nearest'", DIFFERENT, "forward"),
    "last dim of a 4-D softmax": (
        "F.softmax(output)",
        "F.softmax(output, dim=-1)",
        DIFFERENT,
        "backward",
    ),
    "dim 0 of a log_softmax": (
        "F.log_softmax(input)",
        "F.log_softmax(input, dim=0)",
        DIFFERENT,
        "backward",
    ),
    "no permutation": (
        "log_p.transpose(1, 2).transpose(2, 3).contiguous().view(-1, c)",
        "log_p.contiguous().view(-1, c)",
        DIFFERENT,
        "backward",
    ),
    "a mean of a mean": (
        "weight=weight, size_average=False)",
        "weight=weight)",
        DIFFERENT,
        "backward",
    ),
    "the ignored count": ("mask.data.sum()", "mask.data.numel()", DIFFERENT, "backward"),
    "the inverted mask": ("mask = target != IGNORE\n", "mask = target == IGNORE\n", BROKEN, None),
    "swapped channels": (
        "torch.cat([x2, x1], dim=1)",
        "torch.cat([x1, x2], dim=1)",
        DIFFERENT,
        "forward",
    ),
    "swapped pads": (
        "(diffY // 2, diffY - diffY // 2, diffX // 2, diffX - diffX // 2)",
        "(diffX // 2, diffX - diffX // 2, diffY // 2, diffY - diffY // 2)",
        BROKEN,
        None,
    ),
    "padded on the other side": (
        "(diffY // 2, diffY - diffY // 2, diffX // 2, diffX - diffX // 2)",
        "(diffY // 2, diffY - diffY // 2, diffX - diffX // 2, diffX // 2)",
        DIFFERENT,
        "forward",
    ),
    "another momentum": ("momentum=0.3", "momentum=0.7", DIFFERENT, None),
    "no weight": (
        "cross_entropy2d(output, target, weight=weight)",
        "cross_entropy2d(output, target)",
        DIFFERENT,
        "backward",
    ),
    "the sign of the dice": ("loss - 0.1 * dice", "loss + 0.1 * dice", DIFFERENT, "backward"),
    "no weight_decay": (", weight_decay=0.0005", "", DIFFERENT, "step"),
    "or for and": (
        "(pred == k) & (lbl == k) & valid",
        "((pred == k) | (lbl == k)) & valid",
        DIFFERENT,
        "print",
    ),
    "ignored pixels in the union": (
        "((pred == k) | (lbl == k)) & valid",
        "(pred == k) | (lbl == k)",
        DIFFERENT,
        "print",
    ),
    "no eval()": ("net.eval()\n", "", DIFFERENT, "forward"),
}
