"""A tagger of sentences that are sorted, padded and packed."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "no batch_first of what is packed": (
        "bidirectional=True, batch_first=True)",
        "bidirectional=True)",
    ),
    "reduction for size_average": ("size_average=False", "reduction='sum'"),
    "argmax": ("scores.data.max(2)[1]", "scores.argmax(2)"),
    "zeros of int64": (
        "words = torch.zeros(len(batch), max(lengths)).long()",
        "words = torch.zeros(len(batch), max(lengths), dtype=torch.long)",
    ),
    "tensor for LongTensor": ("= torch.LongTensor(w)", "= torch.tensor(w)"),
    "no Variable": ("        words, tags = Variable(words), Variable(tags)\n", ""),
    "pad index for weights": (
        ("tags.view(-1), weight=weights,", "tags.view(-1), ignore_index=PAD,"),
        ("weights = torch.ones(4)\nweights[PAD] = 0\n", ""),
    ),
    "sorted": (
        "batch.sort(key=lambda item: len(item[0]), reverse=True)",
        "batch = sorted(batch, key=lambda item: len(item[0]), reverse=True)",
    ),
    "both directions by hstack": ("torch.cat([h[0], h[1]], 1)", "torch.hstack([h[0], h[1]])"),
    "no filter": ("filter(lambda p: p.requires_grad, model.parameters())", "model.parameters()"),
    "no_grad for volatile": (
        "    scores, last = model(Variable(words, volatile=True), lengths)\n",
        "    with torch.no_grad():\n        scores, last = model(words, lengths)\n",
    ),
    "a mask by comparison": ("tags.data.ne(PAD)", "tags != PAD"),
    "the length as a tensor": (
        "embedded, lengths, batch_first",
        "embedded, torch.tensor(lengths), batch_first",
    ),
}

WRONG: Wrong = {
    "pads count": ("weights[PAD] = 0\n", "", DIFFERENT, None),
    "mean for sum": ("size_average=False", "reduction='mean'", DIFFERENT, None),
    "not sorted": ("reverse=True", "reverse=False", BROKEN, None),
    "one length for all": (
        "lengths = [len(words) for words, _ in batch]",
        "lengths = [max(len(words) for words, _ in batch)] * len(batch)",
        BROKEN,
        None,
    ),
    "padded the other way": (
        "pad_packed_sequence(output, batch_first=True)",
        "pad_packed_sequence(output)",
        DIFFERENT,
        "forward",
    ),
    "one direction twice": ("[h[0], h[1]]", "[h[0], h[0]]", DIFFERENT, "forward"),
    "cells for states": (
        "torch.cat([h[0], h[1]], 1)",
        "torch.cat([c[0], c[1]], 1)",
        DIFFERENT,
        "forward",
    ),
    "no dropout": ("self.drop(self.embed(words))", "self.embed(words)", DIFFERENT, "forward"),
    "the other weights are orthogonal": (
        "lstm.weight_hh_l0)",
        "lstm.weight_ih_l0)",
        DIFFERENT,
        "forward",
    ),
    "zero_grad behind backward": (
        "        optimizer.zero_grad()\n        loss.backward()\n",
        "        loss.backward()\n        optimizer.zero_grad()\n",
        DIFFERENT,
        None,
    ),
    "an inverted mask": (
        "(best.eq(tags.data) & mask)",
        "(best.eq(tags.data) & ~mask)",
        DIFFERENT,
        "print",
    ),
    "no padding_idx": (", padding_idx=PAD", "", DIFFERENT, "forward"),
    "max over the words": ("scores.data.max(2)[1]", "scores.data.max(1)[1]", BROKEN, None),
    "no eval()": ("model.eval()\n", "", DIFFERENT, "forward"),
    "the norm of the sum": (
        "1e-3 * last.pow(2).sum()",
        "1e-3 * last.sum().pow(2)",
        DIFFERENT,
        "backward",
    ),
    "smaller batches to evaluate": (
        "DataLoader(Sentences(5), batch_size=5, collate",
        "DataLoader(Sentences(5), batch_size=4, collate",
        DIFFERENT,
        "forward",
    ),
}
