"""A package of layers, whose tests call them with fixtures and parameters."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "dim of a 2-D softmax": (
        "F.softmax(vector * mask.float())",
        "F.softmax(vector * mask.float(), dim=1)",
    ),
    "dim of an unmasked softmax": ("return F.softmax(vector)", "return F.softmax(vector, dim=-1)"),
    "torch.tanh": ("F.tanh(", "torch.tanh("),
    "empty for Tensor": ("torch.Tensor(size, size)", "torch.empty(size, size)"),
    "zeros_": ("self.bias.data.fill_(0)", "nn.init.zeros_(self.bias)"),
    "dim of a log_softmax": ("F.log_softmax(logits)", "F.log_softmax(logits, dim=1)"),
    "detach for data": (
        "    target = Variable(one_hot(labels.data, logits.size(1)))\n",
        "    target = one_hot(labels, logits.size(1))\n",
    ),
    "rand_like": ("torch.rand(logits.size())", "torch.rand_like(logits)"),
    "argmax": ("_, index = y.data.max(1, keepdim=True)", "index = y.argmax(1, keepdim=True)"),
    "a straight-through estimate": (
        "return Variable(y_hard - y.data) + y",
        "return (y_hard - y).detach() + y",
    ),
    "no Variable": (
        "zero = Variable(torch.zeros(batch, self.size))",
        "zero = torch.zeros(batch, self.size)",
    ),
    "functional one_hot": (
        "    result = torch.zeros(labels.size(0), n)\n    return result.scatter_(1, labels.view(-1, 1), 1)\n",
        "    return F.one_hot(labels, n).float()\n",
    ),
    "equal by comparison": ("first.data.equal(again.data)", "torch.equal(first, again)"),
}

WRONG: Wrong = {
    "softmax over the batch": (
        "F.softmax(vector * mask.float())",
        "F.softmax(vector * mask.float(), dim=0)",
        BROKEN,
        "test",
    ),
    "softmax without a mask, over the batch": (
        "return F.softmax(vector)",
        "return F.softmax(vector, dim=0)",
        BROKEN,
        "test",
    ),
    "not masked": ("    result = result * mask.float()\n", "", BROKEN, "test"),
    "not transposed": ("matrix.transpose(1, 2)", "matrix.transpose(0, 2)", BROKEN, "test"),
    "sigmoid for tanh": ("F.tanh(", "torch.sigmoid(", DIFFERENT, None),
    "another init": (
        "nn.init.xavier_uniform_(self.weight)",
        "nn.init.xavier_normal_(self.weight)",
        DIFFERENT,
        None,
    ),
    "bias of 1": ("self.bias.data.fill_(0)", "self.bias.data.fill_(1)", DIFFERENT, None),
    "softmax for log_softmax": (
        "F.log_softmax(logits)",
        "F.softmax(logits, dim=1)",
        BROKEN,
        "test",
    ),
    "log_softmax over the batch": (
        "F.log_softmax(logits)",
        "F.log_softmax(logits, dim=0)",
        DIFFERENT,
        None,
    ),
    "another power": ("(1 - p) ** gamma", "(1 - p) * gamma", BROKEN, "test"),
    "mean over everything": (
        "return loss.mean() if size_average",
        "return loss.sum() / logits.numel() if size_average",
        BROKEN,
        "test",
    ),
    "noise of another kind": (
        "torch.rand(logits.size())",
        "torch.randn(logits.size()).abs()",
        DIFFERENT,
        None,
    ),
    "no gradient": (
        "return Variable(y_hard - y.data) + y",
        "return Variable(y_hard)",
        BROKEN,
        "test",
    ),
    "a temperature that multiplies": (
        "(logits + Variable(noise)) / temperature",
        "(logits + Variable(noise)) * temperature",
        DIFFERENT,
        None,
    ),
    "gradient of the hard one": (
        "Variable(y_hard - y.data) + y",
        "Variable(y_hard) * y",
        BROKEN,
        "test",
    ),
    "states swapped": (
        "h, c = cell(input, state[i])",
        "c, h = cell(input, state[i])",
        DIFFERENT,
        None,
    ),
    "the first state for all": ("cell(input, state[i])", "cell(input, state[0])", DIFFERENT, None),
    "dropout on the last": (
        "if i + 1 < len(self.cells) else h",
        "if i < len(self.cells) else h",
        DIFFERENT,
        None,
    ),
    "random state": (
        "torch.zeros(batch, self.size)",
        "torch.randn(batch, self.size)",
        BROKEN,
        "test",
    ),
    "index of the other dim": (
        "scatter_(1, labels.view(-1, 1), 1)",
        "scatter_(1, labels.view(-1, 1), 2)",
        BROKEN,
        "test",
    ),
}
