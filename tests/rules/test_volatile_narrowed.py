"""The lines of a loop that run the model, where the rest of it goes on to calculate."""

from __future__ import annotations

from tests.support.rules import keeps, rewrites

_HEAD = """
            import torch
            from torch.autograd import Variable
            def detect(net, other, loader, keep):
                x = Variable(torch.zeros(1), volatile=True)
"""
_BELOW = _HEAD.replace(", volatile=True", "")

test_rewrites = rewrites(
    "TP102",
    {
        "a holder that each batch is copied to": (
            _HEAD
            + """
                for data in loader:
                    x.data.copy_(data)
                    boxes, scores = net(x)
                    best = other(scores.data)
                    keep.append(best * 2)
            """,
            _BELOW
            + """
                for data in loader:
                    x.data.copy_(data)
                    with torch.no_grad():
                        boxes, scores = net(x)
                    best = other(scores.data)
                    keep.append(best * 2)
            """,
        ),
        "numbers that are divided behind the loop": (
            """
            import torch
            from torch.autograd import Variable
            def test(net, loader, check_recall):
                correct, total = 0, 0
                for x, y in loader:
                    x = Variable(x, volatile=True)
                    a, b = check_recall(net(x), y)
                    correct += a
                    total += b
                return_value = correct / float(total)
                return return_value
            """,
            """
            import torch
            from torch.autograd import Variable
            def test(net, loader, check_recall):
                correct, total = 0, 0
                with torch.no_grad():
                    for x, y in loader:
                        x = Variable(x)
                        a, b = check_recall(net(x), y)
                        correct += a
                        total += b
                return_value = correct / float(total)
                return return_value
            """,
        ),
        "results that are only kept": (
            _HEAD
            + """
                for data in loader:
                    story = net(x)
                    y = other(data)
                    keep["stories"].append({"story": story})
                    other.append(y * 2)
            """,
            _BELOW
            + """
                for data in loader:
                    with torch.no_grad():
                        story = net(x)
                    y = other(data)
                    keep["stories"].append({"story": story})
                    other.append(y * 2)
            """,
        ),
        "results that something is made of": (
            _HEAD
            + """
                for data in loader:
                    story = net(x)
                    y = other(data)
                    keep["stories"].append(net(story))
                    other.append(y * 2)
            """,
            _BELOW
            + """
                for data in loader:
                    with torch.no_grad():
                        story = net(x)
                    y = other(data)
                    with torch.no_grad():
                        keep["stories"].append(net(story))
                    other.append(y * 2)
            """,
        ),
        "in a branch": (
            _HEAD
            + """
                for data in loader:
                    y = other(data)
                    if keep:
                        out = net(x)
                        print(out)
                    keep.append(y * 2)
            """,
            _BELOW
            + """
                for data in loader:
                    y = other(data)
                    if keep:
                        with torch.no_grad():
                            out = net(x)
                        print(out)
                    keep.append(y * 2)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP102",
    {
        "what another is trained with": _HEAD
        + """
                for data in loader:
                    weights = other(data)
                    out = net(x)
                    out.step()
                    keep.append(weights * 2)
            """,
        "a loop that trains by it": _HEAD
        + """
                while other(x).mean() > 0:
                    other(keep).sum().backward()
            """,
        "in three places": _HEAD
        + """
                for data in loader:
                    story = net(x)
                    y = other(data)
                    lines = net(story)
                    y = other(y)
                    print(net(lines))
                    keep.append(y * 2)
            """,
        "in what is yielded": _HEAD
        + """
                for data in loader:
                    y = other(data)
                    yield net(x), y
            """,
    },
)
