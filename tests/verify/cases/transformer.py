"""Attention with heads and masks, smoothed labels and a rate that warms up."""

from __future__ import annotations

from tests.verify.cases.edits import DIFFERENT, Right, Wrong

RIGHT: Right = {
    "reduction for size_average": ("KLDivLoss(size_average=False)", "KLDivLoss(reduction='sum')"),
    "no Variable of a buffer": (
        "Variable(self.pe[:, :x.size(1)], requires_grad=False)",
        "self.pe[:, :x.size(1)]",
    ),
    "full_like": (
        "        true_dist = x.data.clone()\n        true_dist.fill_(self.smoothing / (self.size - 2))\n",
        "        true_dist = torch.full_like(x, self.smoothing / (self.size - 2))\n",
    ),
    "a mask for indices": (
        """        mask = torch.nonzero(target.data == self.padding_idx)
        if mask.dim() > 0 and len(mask):
            true_dist.index_fill_(0, mask.squeeze(1), 0.0)
""",
        """        true_dist[target == self.padding_idx] = 0.0
""",
    ),
    "arange of floats": (
        "torch.arange(0, max_len).float()",
        "torch.arange(max_len, dtype=torch.float)",
    ),
    "a mask of bools": (
        "    mask = np.triu(np.ones((1, size, size)), k=1).astype('uint8')\n    return torch.from_numpy(mask) == 0\n",
        "    return torch.ones(1, size, size).tril().bool()\n",
    ),
    "item for an index": ("fill_(next_word.data[0])", "fill_(next_word.item())"),
    "flatten": (
        "x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)",
        "x.transpose(1, 2).flatten(2)",
    ),
    "a negated mask": ("masked_fill(mask == 0, -1e9)", "masked_fill(~mask, -1e9)"),
    "no dim of a 3-D log_softmax": ("self.proj(x), dim=-1", "self.proj(x), dim=2"),
    "argmax": (
        "_, next_word = torch.max(prob[:, -1], dim=1)",
        "next_word = prob[:, -1].argmax(dim=1)",
    ),
    "a function for the rate": (
        "    for group in optimizer.param_groups:\n        group['lr'] = rate(step)\n",
        "    optimizer.param_groups[0]['lr'] = rate(step)\n",
    ),
    "zero_grad first": (
        ("    loss.backward()\n", "    optimizer.zero_grad()\n    loss.backward()\n"),
        ("    optimizer.step()\n    optimizer.zero_grad()\n", "    optimizer.step()\n"),
    ),
}

WRONG: Wrong = {
    "the mask the other way": ("mask == 0, -1e9", "mask != 0, -1e9", DIFFERENT, "forward"),
    "the mask looks ahead": ("k=1).astype", "k=2).astype", DIFFERENT, "forward"),
    "the lower triangle": (
        "np.triu(np.ones((1, size, size)), k=1)",
        "np.tril(np.ones((1, size, size)), k=-1)",
        DIFFERENT,
        "forward",
    ),
    "softmax over the queries": (
        "F.softmax(scores, dim=-1)",
        "F.softmax(scores, dim=-2)",
        DIFFERENT,
        "forward",
    ),
    "softmax over the heads": (
        "F.softmax(scores, dim=-1)",
        "F.softmax(scores, dim=1)",
        DIFFERENT,
        "forward",
    ),
    "not scaled": (" / math.sqrt(query.size(-1))", "", DIFFERENT, "forward"),
    "heads are not put back": (
        "x.transpose(1, 2).contiguous().view(nbatches, -1,",
        "x.contiguous().view(nbatches, -1,",
        DIFFERENT,
        "forward",
    ),
    "sines for cosines": ("torch.cos(position", "torch.sin(position", DIFFERENT, "forward"),
    "another std": (
        "x.std(-1, keepdim=True)",
        "x.std(-1, unbiased=False, keepdim=True)",
        DIFFERENT,
        "forward",
    ),
    "mean of each number": (
        "KLDivLoss(size_average=False)",
        "KLDivLoss(reduction='mean')",
        DIFFERENT,
        "forward",
    ),
    "pads are smoothed": (
        "            true_dist.index_fill_(0, mask.squeeze(1), 0.0)\n",
        "            pass\n",
        DIFFERENT,
        "forward",
    ),
    "pads of the wrong axis": (
        "true_dist[:, self.padding_idx] = 0",
        "true_dist[self.padding_idx] = 0",
        DIFFERENT,
        "forward",
    ),
    "no zero_grad": (
        "    optimizer.step()\n    optimizer.zero_grad()\n",
        "    optimizer.step()\n",
        DIFFERENT,
        "backward",
    ),
    "zero_grad before the step": (
        "    optimizer.step()\n    optimizer.zero_grad()\n",
        "    optimizer.zero_grad()\n    optimizer.step()\n",
        DIFFERENT,
        None,
    ),
    "the rate of the last step": (
        "group['lr'] = rate(step)",
        "group['lr'] = rate(max(1, step - 1))",
        DIFFERENT,
        "step",
    ),
    "tokens of the source": (
        "(trg != 0).data.sum()",
        "(src != 0).data.sum()",
        DIFFERENT,
        "backward",
    ),
    "targets are not shifted": (
        "Variable(data[:, 1:])",
        "Variable(data[:, :-1])",
        DIFFERENT,
        "forward",
    ),
    "shared layers": (
        "[copy.deepcopy(module) for _ in range(n)]",
        "[module for _ in range(n)]",
        DIFFERENT,
        "forward",
    ),
    "no eval()": ("model.eval()\n", "", DIFFERENT, "forward"),
}
