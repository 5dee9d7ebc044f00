"""Features by numpy, a small network between, and measures by numpy again."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "dim of a 2-D softmax": (
        "F.softmax(net(Variable(torch.from_numpy(data[test]))))",
        "F.softmax(net(Variable(torch.from_numpy(data[test]))), dim=1)",
    ),
    "no Variable": (
        "x = Variable(torch.from_numpy(data[batch]))",
        "x = torch.from_numpy(data[batch])",
    ),
    "tensor for from_numpy": (
        "Variable(torch.from_numpy(labels[batch]).long())",
        "torch.tensor(labels[batch], dtype=torch.long)",
    ),
    "item for numpy": (
        "total += loss.data.numpy() * len(batch)",
        "total += loss.item() * len(batch)",
    ),
    "amax": ("h.max(2)[0]", "h.amax(2)"),
    "transpose": ("x.permute(0, 2, 1)", "x.transpose(1, 2)"),
    "a strided view": (
        "    count = 1 + (x.shape[1] - size) // hop\n    index = np.arange(size)[None, :] + hop * np.arange(count)[:, None]\n    return x[:, index] * np.hanning(size)\n",
        "    strided = np.lib.stride_tricks.sliding_window_view(x, size, axis=1)[:, ::hop]\n    return strided * np.hanning(size)\n",
    ),
    "squares by hand": (
        "spectrum = np.abs(np.fft.rfft(windows(x), axis=-1)) ** 2",
        "spectrum = np.square(np.abs(np.fft.rfft(windows(x))))",
    ),
    "detach for data": ("net.out.weight.data.numpy()", "net.out.weight.detach().numpy()"),
    "an f-string": ("'%.6f' % value", "f'{value:.6f}'"),
    "add in a loop": (
        "np.add.at(confusion, (labels[test], predicted), 1)",
        "for gold, found in zip(labels[test], predicted):\n    confusion[gold, found] += 1",
    ),
    "trace by diagonal": ("np.diag(confusion) /", "confusion.diagonal() /"),
}

WRONG: Wrong = {
    "softmax over the batch": (
        "F.softmax(net(Variable(torch.from_numpy(data[test]))))",
        "F.softmax(net(Variable(torch.from_numpy(data[test]))), dim=0)",
        DIFFERENT,
        None,
    ),
    "fancy adding": (
        "np.add.at(confusion, (labels[test], predicted), 1)",
        "confusion[labels[test], predicted] += 1",
        DIFFERENT,
        None,
    ),
    "swapped axes": ("(labels[test], predicted)", "(predicted, labels[test])", DIFFERENT, None),
    "recall for precision": ("confusion.sum(axis=0)", "confusion.sum(axis=1)", DIFFERENT, "print"),
    "another std": ("std(ddof=1)", "std()", DIFFERENT, "print"),
    "std of torch for numpy": (
        "logged.std(axis=(0, 1))",
        "logged.std(axis=(0, 1), ddof=1)",
        DIFFERENT,
        "forward",
    ),
    "another window": ("np.hanning(size)", "np.hamming(size)", DIFFERENT, "forward"),
    "no window": (" * np.hanning(size)", "", DIFFERENT, "forward"),
    "amplitudes for powers": ("axis=-1)) ** 2", "axis=-1))", DIFFERENT, "forward"),
    "the end of the interval": (", endpoint=False", "", DIFFERENT, "forward"),
    "float64": (".astype('float32')", "", BROKEN, None),
    "mean over the signals": (
        "logged.mean(axis=(0, 1))",
        "logged.mean(axis=0)",
        DIFFERENT,
        "forward",
    ),
    "other samples": ("order[:28], order[28:]", "order[12:], order[:12]", DIFFERENT, "forward"),
    "indices for values": ("h.max(2)[0]", "h.max(2)[1].float()", DIFFERENT, "forward"),
    "a view for a permutation": (
        "x.permute(0, 2, 1)",
        "x.reshape(x.size(0), 9, -1)",
        DIFFERENT,
        "forward",
    ),
    "sum for mean": (
        "F.cross_entropy(net(x), y)",
        "F.cross_entropy(net(x), y, reduction='sum')",
        DIFFERENT,
        "backward",
    ),
    "one number less in the file": (
        "enumerate(history):",
        "enumerate(history[1:]):",
        DIFFERENT,
        None,
    ),
    "fewer digits in the file": ("'%.6f' % value", "'%.2f' % value", DIFFERENT, None),
    "total of the last batch": (
        "total += loss.data.numpy()",
        "total = loss.data.numpy()",
        DIFFERENT,
        None,
    ),
    "the labels as floats": ("[batch]).long())", "[batch]).float())", BROKEN, None),
}
