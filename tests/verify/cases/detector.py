"""A detector: boxes that are matched, hard negatives, and what overlaps is left out."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "broadcasting for expand": (
        "(area_a.expand_as(inter) + area_b.expand_as(inter) - inter)",
        "(area_a + area_b - inter)",
    ),
    "reduction for size_average": (
        "loc_t[pos_idx].view(-1, 4),\n                              size_average=False",
        "loc_t[pos_idx].view(-1, 4),\n                              reduction='sum'",
    ),
    "an or of masks": ("(pos.long() + neg.long()).gt(0)", "pos | neg"),
    "dim of a 2-D softmax": ("F.softmax(out[n, :, 4:])", "F.softmax(out[n, :, 4:], dim=1)"),
    "logsumexp": (
        "    x_max = x.data.max()\n    return torch.log(torch.sum(torch.exp(x - x_max), 1, keepdim=True)) + x_max\n",
        "    return torch.logsumexp(x, 1, keepdim=True)\n",
    ),
    "a mask of rows": (
        ("    pos_idx = pos.unsqueeze(pos.dim()).expand_as(loc_data)\n", ""),
        ("loc_data[pos_idx].view(-1, 4), loc_t[pos_idx].view(-1, 4)", "loc_data[pos], loc_t[pos]"),
    ),
    "empty for Tensor": (
        "torch.Tensor(2, 16, 4), torch.LongTensor(2, 16)",
        "torch.empty(2, 16, 4), torch.empty(2, 16, dtype=torch.long)",
    ),
    "no Variable": (
        "    loc_t, conf_t = Variable(loc_t, requires_grad=False), Variable(conf_t, requires_grad=False)\n",
        "",
    ),
    "no_grad for volatile": (
        "out = net(Variable(images, volatile=True)).permute",
        "with torch.no_grad():\n    out = net(images).permute",
    ),
    "argsort": (
        "_, order = scores.sort(0, descending=True)",
        "order = scores.argsort(descending=True)",
    ),
    "item for data": ("loss_l.data / N", "loss_l.item() / N"),
    "stack of a list": ("return torch.LongTensor(keep)", "return torch.stack(keep)"),
    "zeros_": ("m.bias.data.zero_()", "nn.init.zeros_(m.bias)"),
    "clamp as a method": (
        "torch.clamp((max_xy - min_xy), min=0)",
        "(max_xy - min_xy).clamp(min=0)",
    ),
}

WRONG: Wrong = {
    "widths as integers": (
        "boxes[:, 2:] / 2, boxes[:, :2] +",
        "boxes[:, 2:] // 2, boxes[:, :2] +",
        DIFFERENT,
        None,
    ),
    "min and max swapped": ("min_xy = torch.max(", "min_xy = torch.min(", DIFFERENT, None),
    "not clamped": ("torch.clamp((max_xy - min_xy), min=0)", "(max_xy - min_xy)", DIFFERENT, None),
    "truths and priors swapped": (
        "overlaps.max(0, keepdim=True)\n    best_truth_idx.squeeze_(0)\n    best_truth_overlap.squeeze_(0)",
        "overlaps.max(1, keepdim=True)\n    best_truth_idx.squeeze_(1)\n    best_truth_overlap.squeeze_(1)",
        BROKEN,
        None,
    ),
    "labels begin at 0": ("labels[best_truth_idx] + 1", "labels[best_truth_idx]", DIFFERENT, None),
    "at the threshold": (
        "best_truth_overlap < threshold",
        "best_truth_overlap > threshold",
        DIFFERENT,
        None,
    ),
    "swapped variances": ("(0.1, 0.2), labels", "(0.2, 0.1), labels", DIFFERENT, None),
    "mean for sum": (
        "conf_t[chosen], size_average=False",
        "conf_t[chosen], size_average=True",
        DIFFERENT,
        None,
    ),
    "all negatives": (
        "chosen = (pos.long() + neg.long()).gt(0)",
        "chosen = (pos.long() + neg.long()).ge(0)",
        DIFFERENT,
        None,
    ),
    "only negatives": ("(pos.long() + neg.long()).gt(0)", "neg.long().gt(0)", DIFFERENT, None),
    "bytes that are added": ("pos.long().sum(1", "pos.sum(0", DIFFERENT, None),
    "easy negatives": ("loss_c.sort(1, descending=True)", "loss_c.sort(1)", DIFFERENT, None),
    "not ranked": ("_, idx_rank = loss_idx.sort(1)", "idx_rank = loss_idx", DIFFERENT, None),
    "positives are hard": ("    loss_c[pos] = 0\n", "", DIFFERENT, None),
    "no permutation": (
        "net(Variable(images)).permute(0, 2, 3, 1).contiguous().view(2, 16, 7)",
        "net(Variable(images)).view(2, 16, 7)",
        DIFFERENT,
        None,
    ),
    "softmax over the priors": (
        "F.softmax(out[n, :, 4:])",
        "F.softmax(out[n, :, 4:], dim=0)",
        DIFFERENT,
        "print",
    ),
    "ascending": ("scores.sort(0, descending=True)", "scores.sort(0)", DIFFERENT, "print"),
    "what overlaps is kept": ("ious.le(overlap)", "ious.gt(overlap)", DIFFERENT, "print"),
    "another fan": ("mode='fan_out'", "mode='fan_in'", DIFFERENT, "forward"),
    "N of a batch": ("num_pos.data.sum().float()", "num_pos.data.size(0)", DIFFERENT, "backward"),
}
