"""A training that saves its state and goes on from it."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "map_location by name": ("map_location=lambda storage, loc: storage", "map_location='cpu'"),
    "weights_only": (
        "torch.load('best.pth.tar')",
        "torch.load('best.pth.tar', weights_only=True)",
    ),
    "no_grad for volatile": (
        "        output = model(Variable(xs, volatile=True))\n",
        "        with torch.no_grad():\n            output = model(xs)\n",
    ),
    "argmax": ("(output.data.max(1)[1] == ys)", "(output.argmax(1) == ys)"),
    "no Variable": ("output = model(Variable(xs))\n", "output = model(xs)\n"),
    "dim of sum": ("(xs.sum(1) > 0).long()", "(xs.sum(dim=1) > 0).long()"),
    "strict as it is": (
        "extra.load_state_dict(weights)",
        "extra.load_state_dict(weights, strict=True)",
    ),
    "zero_grad first": (
        "        optimizer.zero_grad()\n        loss.backward()\n",
        "        model.zero_grad()\n        loss.backward()\n",
    ),
}

WRONG: Wrong = {
    "something else is saved": ("'epoch': epoch + 1,", "'epoch': epoch,", DIFFERENT, "save"),
    "less is saved": ("            'best': best,\n", "", BROKEN, None),
    "not strict, not there": (
        "key[5:]: value for key",
        "key: value for key",
        BROKEN,
        None,
    ),
    "not strict": (
        "extra.load_state_dict(weights)",
        "extra.load_state_dict({'1.weight': weights['1.weight']}, strict=False)",
        DIFFERENT,
        "forward",
    ),
    "no optimizer state": (
        "optimizer.load_state_dict(checkpoint['optimizer'])\n",
        "",
        DIFFERENT,
        "step",
    ),
    "no model state": (
        "model.load_state_dict(checkpoint['state_dict'])\n",
        "",
        DIFFERENT,
        "forward",
    ),
    "no eval()": ("        model.eval()\n", "", DIFFERENT, "forward"),
    "no train()": ("        model.train()\n", "", DIFFERENT, "forward"),
    "not the best": ("is_best = accuracy > best", "is_best = True", DIFFERENT, None),
    "the state of a part": (
        "'state_dict': model.state_dict()",
        "'state_dict': model.body.state_dict()",
        BROKEN,
        None,
    ),
    "another dim": ("max(1)[1] == ys", "max(0)[1][0] == ys", BROKEN, None),
    "integer accuracy": ("* 100 // len(ys)", "// len(ys) * 100", BROKEN, None),
}
