"""A language model that hands its state from batch to batch, and updates by hand."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "new_zeros": (
        """        weight = next(self.parameters()).data
        return (Variable(weight.new(1, bsz, self.nhid).zero_()),
                Variable(weight.new(1, bsz, self.nhid).zero_()))""",
        """        weight = next(self.parameters())
        return (weight.new_zeros(1, bsz, self.nhid),
                weight.new_zeros(1, bsz, self.nhid))""",
    ),
    "detach in repackaging": ("return Variable(h.data)", "return h.detach()"),
    "isinstance": ("type(h) == tuple", "isinstance(h, tuple)"),
    "item for data": (
        ("criterion(output_flat, targets).data", "criterion(output_flat, targets).item()"),
        ("return total_loss.item() /", "return float(total_loss) /"),
    ),
    "no_grad in init": (
        "        self.encoder.weight.data.uniform_(-initrange, initrange)\n",
        "        nn.init.uniform_(self.encoder.weight, -initrange, initrange)\n",
    ),
    "zeros_": ("self.decoder.bias.data.fill_(0)", "nn.init.zeros_(self.decoder.bias)"),
    "no Variable in get_batch": (
        "    data = Variable(source[i:i + seq_len], volatile=evaluation)\n",
        "    data = source[i:i + seq_len]\n",
    ),
    "reshape for view": (
        "source[i + 1:i + 1 + seq_len].view(-1)",
        "source[i + 1:i + 1 + seq_len].reshape(-1)",
    ),
    "no_grad in the update": (
        "            p.data.add_(p.grad.data, alpha=-lr)\n",
        "            with torch.no_grad():\n                p.add_(p.grad, alpha=-lr)\n",
    ),
    "torch.tensor": ("corpus = torch.LongTensor(", "corpus = torch.tensor("),
    "named transpose": (
        ".view(bsz, -1).t().contiguous()",
        ".view(bsz, -1).transpose(0, 1).contiguous()",
    ),
}

WRONG: Wrong = {
    "no repackaging": ("return Variable(h.data)", "return h", BROKEN, None),
    "zero hidden state": (
        "return Variable(h.data)",
        "return torch.zeros_like(h)",
        DIFFERENT,
        "forward",
    ),
    "random hidden state": (
        "return (Variable(weight.new(1, bsz, self.nhid).zero_()),",
        "return (Variable(weight.new(1, bsz, self.nhid).normal_()),",
        DIFFERENT,
        "forward",
    ),
    "off by one in the target": (
        "source[i + 1:i + 1 + seq_len]",
        "source[i:i + seq_len]",
        DIFFERENT,
        "forward",
    ),
    "no transpose": (
        ".view(bsz, -1).t().contiguous()",
        ".view(-1, bsz).contiguous()",
        DIFFERENT,
        "forward",
    ),
    "swapped sizes": (
        "output.view(output.size(0) * output.size(1), output.size(2))",
        "output.transpose(0, 1).reshape(output.size(0) * output.size(1), output.size(2))",
        DIFFERENT,
        "forward",
    ),
    "another sign": ("alpha=-lr", "alpha=lr", DIFFERENT, "forward"),
    "swapped arguments of add_": (
        "p.data.add_(p.grad.data, alpha=-lr)",
        "p.data.mul_(-lr).add_(p.grad.data)",
        DIFFERENT,
        "forward",
    ),
    "grad without grad": (
        "p.data.add_(p.grad.data, alpha=-lr)",
        "p.add_(p.grad, alpha=-lr)",
        BROKEN,
        None,
    ),
    "lost update": (
        "p.data.add_(p.grad.data, alpha=-lr)",
        "p.data.add(p.grad.data, alpha=-lr)",
        DIFFERENT,
        "forward",
    ),
    "no zero_grad": ("        model.zero_grad()\n", "", DIFFERENT, "backward"),
    "normal for uniform": (
        "self.decoder.weight.data.uniform_(-initrange, initrange)",
        "nn.init.normal_(self.decoder.weight, -initrange, initrange)",
        DIFFERENT,
        "forward",
    ),
    "length of another axis": (
        "len(data) * criterion",
        "data.size(1) * criterion",
        DIFFERENT,
        "print",
    ),
    "mean over the wrong number": (
        "/ len(data_source)",
        "/ data_source.numel()",
        DIFFERENT,
        "print",
    ),
    "lr divided as integers": ("lr /= 4.0", "lr //= 4.0", DIFFERENT, "forward"),
}
