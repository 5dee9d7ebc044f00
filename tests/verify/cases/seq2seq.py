"""Attention over a sequence, masks, and lengths."""

from __future__ import annotations

from tests.verify.cases.edits import DIFFERENT, Right, Wrong

RIGHT: Right = {
    "dim of a 2-D softmax": (
        "F.softmax(attn.view(-1, input_size)).view",
        "F.softmax(attn.view(-1, input_size), dim=1).view",
    ),
    "dim 0 of a 3-D softmax": (
        "F.softmax(output * self.gate)",
        "F.softmax(output * self.gate, dim=0)",
    ),
    "dim of a log_softmax": (
        "F.log_softmax(logits.view(-1, logits.size(2)))",
        "F.log_softmax(logits.view(-1, logits.size(2)), dim=-1)",
    ),
    "torch.tanh": ("F.tanh(", "torch.tanh("),
    "reduction for size_average": ("size_average=False", "reduction='sum'"),
    "matmul operator": ("mix = torch.bmm(attn, context)", "mix = attn @ context"),
    "masked_fill out of place": (
        "attn.data.masked_fill_(self.mask, -float('inf'))",
        "attn = attn.masked_fill(self.mask, float('-inf'))",
    ),
    "arange of int64": ("torch.arange(0, 5).long().unsqueeze", "torch.arange(5).unsqueeze"),
    "argmax": (
        "best = log_probs.data.max(1)[1].view(3, 4)",
        "best = log_probs.argmax(1).view(3, 4)",
    ),
    "count of a mask": (
        "best.eq(target).masked_select(target.ne(0)).sum().item()",
        "(best == target)[target != 0].sum().item()",
    ),
    "floor division": ("(lengths // 2)", "torch.div(lengths, 2, rounding_mode='floor')"),
}

WRONG: Wrong = {
    "last dim of a 3-D softmax": (
        "F.softmax(output * self.gate)",
        "F.softmax(output * self.gate, dim=-1)",
        DIFFERENT,
        "forward",
    ),
    "dim 1 of a 3-D softmax": (
        "F.softmax(output * self.gate)",
        "F.softmax(output * self.gate, dim=1)",
        DIFFERENT,
        "forward",
    ),
    "softmax without view": (
        "F.softmax(attn.view(-1, input_size)).view(batch_size, -1, input_size)",
        "F.softmax(attn, dim=1)",
        DIFFERENT,
        "forward",
    ),
    "inverted mask": (
        "masked_fill_(self.mask,",
        "masked_fill_(self.mask == 0,",
        DIFFERENT,
        "forward",
    ),
    "zero for minus infinity": ("-float('inf')", "0", DIFFERENT, "forward"),
    "swapped cat": (
        "torch.cat((mix, output), dim=2)",
        "torch.cat((output, mix), dim=2)",
        DIFFERENT,
        "forward",
    ),
    "batches mixed up": (
        "return output.view(batch_size, -1, hidden_size), attn",
        "return output.view(-1, batch_size, hidden_size).transpose(0, 1), attn",
        DIFFERENT,
        "forward",
    ),
    "mean for sum": ("size_average=False", "reduction='mean'", DIFFERENT, "forward"),
    "strict comparison": ("(steps >= lengths", "(steps > lengths", DIFFERENT, "forward"),
    "integer halves": ("(lengths / 2)", "(lengths // 2)", DIFFERENT, "print"),
    "wrong broadcasting": (
        "(best == target).sum()",
        "(best.view(-1, 1) == target.view(-1)).sum()",
        DIFFERENT,
        "print",
    ),
    "argmax of the other dim": (
        "max(1)[1].view(3, 4)",
        "view(3, 4, -1).max(0)[1].view(-1)[:12].view(3, 4)",
        DIFFERENT,
        "print",
    ),
    "transposed target": (
        "Variable(target.view(-1))",
        "Variable(target.t().contiguous().view(-1))",
        DIFFERENT,
        "forward",
    ),
    "relu for tanh": ("F.tanh(", "F.relu(", DIFFERENT, "forward"),
}
