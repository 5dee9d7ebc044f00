"""An evaluation that trains nothing: accuracies and a confusion matrix."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "dim 0 of a 3-D softmax": ("F.softmax(scores)", "F.softmax(scores, dim=0)"),
    "no_grad": (
        "    scores = model(Variable(x, volatile=True))\n",
        "    with torch.no_grad():\n        scores = model(x)\n",
    ),
    "reduction for size_average": ("size_average=False)", "reduction='sum')"),
    "argmax": ("probs.data.max(2)[1]", "probs.argmax(dim=2)"),
    "flatten": (
        "correct[:k].reshape(-1).float().sum(0)",
        "correct[:k].flatten().float().sum()",
    ),
    "a mask of comparisons": ("float()[mask].sum()", "float().masked_select(mask).sum()"),
    "zeros of int64": ("torch.zeros(3, 3).long()", "torch.zeros(3, 3, dtype=torch.long)"),
    "no numel": ("100.0 / gold.numel()", "100.0 / gold.nelement()"),
    "detach": ("accuracy(scores.data, gold", "accuracy(scores.detach(), gold"),
}

WRONG: Wrong = {
    "last dim of a 3-D softmax": (
        "F.softmax(scores)",
        "F.softmax(scores, dim=-1)",
        DIFFERENT,
        "print",
    ),
    "mean for sum": ("size_average=False)", "reduction='mean')", DIFFERENT, "print"),
    "smallest": ("topk(maxk, 1, True, True)", "topk(maxk, 1, False, True)", DIFFERENT, "print"),
    "one less": ("correct[:k]", "correct[:k - 1]", DIFFERENT, "print"),
    "not transposed": (
        "    pred = pred.t()\n    correct = pred.eq(gold.view(1, -1).expand_as(pred))",
        "    pred = pred.reshape(maxk, -1)\n    correct = pred.eq(gold.view(1, -1).expand_as(pred))",
        DIFFERENT,
        "print",
    ),
    "a mask as numbers": (
        "float()[mask].sum()",
        "float()[mask.long()].sum()",
        DIFFERENT,
        "print",
    ),
    "wrong axis": ("probs.data.max(2)[1]", "probs.data.max(1)[1]", BROKEN, None),
    "swapped indices": ("confusion[g, p]", "confusion[p, g]", DIFFERENT, "print"),
    "floats": ("torch.zeros(3, 3).long()", "torch.zeros(3, 3)", DIFFERENT, "print"),
    "fewer digits": ("top1 %.3f", "top1 %.1f", DIFFERENT, "print"),
}
