from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics

# Of torch 0.3, and not of 0.1.
HEAD = "import torch\nold = torch.autograd.Variable(torch.ones(1), volatile=True)\n"
HEAD += "low = torch.max(torch.ones(2, 2), 1, keepdim=True)\n"


def _body(code: str) -> str:
    return f"{HEAD}{code}\n"


PLAIN = "t = torch.randperm(4)\n"

MNIST = "from torchvision import datasets\nmnist = datasets.MNIST('.')\n"

test_rewrites = rewrites(
    "TP124",
    {
        name: (_body(PLAIN + before), _body(PLAIN + after))
        for name, (before, after) in {
            "keys": ("[words[i] for i in t]", "[words[i] for i in t.tolist()]"),
            "one more of a list": (
                "xs = [[1]]\nys = []\nfor n, i in zip(names, t):\n    ys.append(xs[n] + [i])",
                "xs = [[1]]\nys = []\nfor n, i in zip(names, t.tolist()):\n    ys.append(xs[n] + [i])",
            ),
            "added to a list": (
                "xs = [1]\nfor i in t.data:\n    xs += [i]",
                "xs = [1]\nfor i in t.tolist():\n    xs += [i]",
            ),
            "matches that Python adds up": (
                "print(sum(t == torch.randperm(4)))",
                "print(sum((t == torch.randperm(4)).tolist()))",
            ),
            "labels of a data set": (
                f"{MNIST}for x, y in zip(t, mnist.train_labels[:4]):\n    print(x, y)",
                f"{MNIST}for x, y in zip(t.tolist(), mnist.train_labels[:4].tolist()):\n"
                "    print(x, y)",
            ),
            "what Python adds up": ("a = sum(t.data)", "a = sum(t.tolist())"),
            "guesses beside classes": (
                "import torch.nn.functional as F\ndef f(out, y):\n    F.cross_entropy(out, y)\n"
                "    return sum(y.data == t.data)",
                "import torch.nn.functional as F\ndef f(out, y):\n    F.cross_entropy(out, y)\n"
                "    return sum((y.data == t.data).tolist())",
            ),
            "of .data": ("for i in t.data:\n    print(i)", "for i in t.tolist():\n    print(i)"),
            "of a call": (
                "xs = [vocab.word(i) for i in t.view(-1)]",
                "xs = [vocab.word(i) for i in t.view(-1).tolist()]",
            ),
            "of a row": (
                "m = torch.zeros(2, 3)\nfor i in m[0]:\n    print(i)",
                "m = torch.zeros(2, 3)\nfor i in m[0].tolist():\n    print(i)",
            ),
            "enumerated": (
                "for n, i in enumerate(t, 1):\n    print(n, i)",
                "for n, i in enumerate(t.tolist(), 1):\n    print(n, i)",
            ),
            "beside a list": (
                "for n, i in zip(names, t):\n    print(n, i)",
                "for n, i in zip(names, t.tolist()):\n    print(n, i)",
            ),
            "two that are counted": (
                "for n, (i, j) in enumerate(zip(t, t[1:])):\n    print(words[i], words[j])",
                "for n, (i, j) in enumerate(zip(t.tolist(), t[1:].tolist())):\n"
                "    print(words[i], words[j])",
            ),
            "one of two": (
                "xs = [words[i] for i, j in zip(t, t) if j > 1]",
                "xs = [words[i] for i, j in zip(t.tolist(), t) if j > 1]",
            ),
            "a score that is kept beside a word": (
                "r, ws, ys = t.float(), [], []\nfor i, x in zip(t, r.data):\n"
                "    ws.append(i)\n    ys.append(x)",
                "r, ws, ys = t.float(), [], []\nfor i, x in zip(t.tolist(), r.tolist()):\n"
                "    ws.append(i)\n    ys.append(x)",
            ),
            "a score that is kept as a tensor beside a word": (
                "r, ws, ys = t.float(), [], []\nfor i, x in zip(t, r):\n"
                "    ws.append(i)\n    ys.append(x)\n    print(x.exp())",
                "r, ws, ys = t.float(), [], []\nfor i, x in zip(t.tolist(), r):\n"
                "    ws.append(i)\n    ys.append(x)\n    print(x.exp())",
            ),
            "positions, which are printed": (
                "def f(xs):\n    for i in torch.randperm(len(xs)):\n        print(i, xs[i])",
                "def f(xs):\n    for i in torch.randperm(len(xs)).tolist():\n"
                "        print(i, xs[i])",
            ),
            "positions in something else": (
                "def f(xs, ys):\n    for i in torch.randperm(len(xs)):\n        print(ys[i])",
                "def f(xs, ys):\n    for i in torch.randperm(len(xs)).tolist():\n"
                "        print(ys[i])",
            ),
            "in a set": (
                "seen = set()\nfor i in t:\n    if i in seen:\n        break\n    seen.add(i)",
                "seen = set()\nfor i in t.tolist():\n    if i in seen:\n        break\n"
                "    seen.add(i)",
            ),
            "as a set": (
                "a = set(t), len(frozenset(t.view(-1))), {i for i in t}",
                "a = set(t.tolist()), len(frozenset(t.view(-1).tolist())), {i for i in t.tolist()}",
            ),
            "counted": (
                "from collections import Counter, defaultdict\nb = Counter(t)\nc = defaultdict(int)\n"
                "for i in t:\n    c[i] += 1",
                "from collections import Counter, defaultdict\nb = Counter(t.tolist())\n"
                "c = defaultdict(int)\nfor i in t.tolist():\n    c[i] += 1",
            ),
            "one of two loops": (
                "a = [i for i in t]\nb = ' '.join(str(i) for i in t)",
                "a = [i for i in t]\nb = ' '.join(str(i) for i in t.tolist())",
            ),
        }.items()
    },
)

WORDS = "words = {0: 'a', 1: 'b'}\n"

test_keys_that_are_numbers_again_get_no_item = rewrites(
    "TP124",
    {
        name: (_body(PLAIN + WORDS + before), _body(PLAIN + WORDS + after))
        for name, (before, after) in {
            "of a loop": (
                "for i in t:\n    print(words[i])",
                "for i in t.tolist():\n    print(words[i])",
            ),
            "of a comprehension": ("[words[i] for i in t]", "[words[i] for i in t.tolist()]"),
            "of another tensor": (
                "for i in t:\n    print(i, words[t[0]])",
                "for i in t.tolist():\n    print(i, words[t[0].item()])",
            ),
        }.items()
    },
    with_rules=("TP103",),
)

test_keeps = keeps(
    "TP124",
    {
        **{
            name: _body(text)
            for name, text in {
                "positions": "def f(xs):\n    for i in torch.randperm(len(xs)):\n"
                "        xs[i](xs)\n    order = torch.randperm(len(xs))\n"
                "    return [xs[i] for i in order]",
                "already": f"{PLAIN}[words[i] for i in t.tolist()]",
                "of more dimensions": "for row in torch.zeros(2, 3):\n    print(row)",
                "of dimensions not known": "def f(n):\n    for x in torch.zeros(*n):\n"
                "        print(x)",
                "a Variable": "v = torch.autograd.Variable(torch.ones(3))\nfor x in v:\n"
                "    print(x)",
                "a parameter of a function": "def f(t):\n    for x in t:\n        print(x)",
                "used as a tensor": f"{PLAIN}for i in t:\n    print(i, i.item())",
                "only calculated with": f"{PLAIN}n = 0\nfor i in t:\n    n += i * 2",
                "floats added to a list": "xs = [1]\nfor x in torch.ones(3):\n    xs = xs + [x]",
                "added to an array": f"import numpy as np\n{PLAIN}"
                "for i in t:\n    xs = np.ones(1) + [i]",
                "a list of its own": f"{PLAIN}for i in t:\n    xs = [i], [[i]], names - [i]",
                "given to torch": f"{PLAIN}xs = [torch.zeros(i) for i in t]",
                "as many as are given": f"{PLAIN}for i in zip(*t):\n    print(i)",
                "scores alone": f"{PLAIN}ys, r = [], t.float()\nfor x in r:\n    ys.append(x)",
                "scores of both": f"{PLAIN}ys, r = [], t.float()\n"
                "for x, y in zip(r, r):\n    ys.append(x)\n    ys.append(y)",
                "pairs": f"{PLAIN}for pair in zip(t, t):\n    print(pair)",
                "the rest": f"{PLAIN}for i, *j in zip(t, t):\n    print(i)",
                "another zip": f"{PLAIN}def zip(*a): ...\nfor i, j in zip(t, t):\n    print(i)",
                "counts": f"{PLAIN}for i, j in enumerate(range(3)):\n    print(i)",
                "labels that may be a list": "from torchvision import datasets\n"
                "for y in datasets.CIFAR10('.').train_labels:\n    print(y)",
                "pictures of a data set": f"{MNIST}for x in mnist.train_data:\n    print(x)",
                "labels in a Variable": f"{MNIST}"
                "for y in torch.autograd.Variable(mnist.train_labels):\n    print(y)",
                "rows that Python adds up": "s = sum(torch.zeros(2, 3))",
                "a sum of a Variable": "v = torch.autograd.Variable(torch.ones(3))\ns = sum(v)",
                "a sum that is asked as a tensor": f"{PLAIN}s = sum(t)\nprint(s.item())",
                "a sum of torch": f"{PLAIN}from torch import sum\ns = sum(t)",
                "a sum of a part of it": f"{PLAIN}s = sum(i * 2 for i in t)",
                "matches of guesses that may be maps": "import torch.nn.functional as F\n"
                "def f(out, y):\n    F.cross_entropy(out, y)\n"
                "    return sum(out.max(1)[1].data == y.data)",
                "matches that may be rows": f"{PLAIN}def f(y):\n    return sum(y.data == t)",
                "a set of rows": "s = set(torch.zeros(2, 3))",
                "a set of a Variable": "v = torch.autograd.Variable(torch.ones(3))\ns = set(v)",
                "an array": "import numpy as np\nfor i in np.arange(3):\n    print(i)",
                "a list": "for i in [1, 2]:\n    print(i)",
                "taken apart": "for a, b in torch.zeros(3):\n    print(a)",
                "suppressed": f"{PLAIN}for i in t:  # noqa: TP124\n    print(i)",
            }.items()
        },
        "of a newer torch": "import torch\ndevice = torch.device('cpu')\n"
        "for i in torch.arange(3):\n    print(i)\n",
        "of no known torch": "import torch\nfor i in torch.arange(3):\n    print(i)\n",
    },
)


_ASKED = """
import torch
def count(targets, n):
    for i, x in enumerate({given}):
        if {asked}:
            x = torch.LongTensor([x])
        n += len(x)
    return n
count({passed}, 0)
"""
_IS_NO_TENSOR = "not torch.is_tensor(x)"


@pytest.mark.parametrize(
    ("given", "passed", "line"),
    [
        ("targets", "torch.LongTensor([1, 2])", 8),
        ("targets", "torch.LongTensor([[1, 2]]).view(-1)", 8),
        ("torch.randn(3, 4).max(1)[1]", "0", 3),
    ],
)
def test_elements_that_are_asked_whether_they_are_tensors(
    given: str, passed: str, line: int
) -> None:
    text = _ASKED.format(given=given, asked=_IS_NO_TENSOR, passed=passed)
    (finding,) = advice("TP124", text)
    assert finding.message == (
        "torch.is_tensor(x) is true of the elements of a vector since torch 0.4, as from line "
        f"{line}: write not torch.is_tensor(x) or x.dim() == 0"
    )


@pytest.mark.parametrize(
    ("given", "asked", "passed"),
    [
        ("targets", _IS_NO_TENSOR, "given"),
        ("targets", _IS_NO_TENSOR, "torch.LongTensor([[1, 2]])"),
        ("targets", _IS_NO_TENSOR, "[torch.LongTensor([1, 2])]"),
        ("targets", _IS_NO_TENSOR, "np.array([1, 2])"),
        ("targets", "torch.is_tensor(x)", "torch.LongTensor([1, 2])"),
        ("targets", "not torch.is_tensor(n)", "torch.LongTensor([1, 2])"),
        ("targets", f"{_IS_NO_TENSOR} or x.dim() == 0", "torch.LongTensor([1, 2])"),
        ("targets", f"{_IS_NO_TENSOR} or x.item()", "torch.LongTensor([1, 2])"),
    ],
)
def test_elements_that_are_no_numbers_or_are_known(given: str, asked: str, passed: str) -> None:
    text = "import numpy as np" + _ASKED.format(given=given, asked=asked, passed=passed)
    assert not advice("TP124", text)


def test_elements_are_tensors_in_a_file_for_0_4() -> None:
    text = _ASKED.format(given="targets", asked=_IS_NO_TENSOR, passed="torch.LongTensor([1, 2])")
    assert not advice("TP124", text + "with torch.no_grad(): pass\n")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("def f(xs, ys):\n    return [ys[i] for i in torch.randperm(len(xs))]", "identical"),
        ("def f(xs, ys, n):\n    p = torch.randperm(len(xs))[:n]\n    return [ys[i] for i in p]", "identical"),
        ("def f(xs, n):\n    p = torch.randperm(len(xs))[:n]\n    return [xs[i] for i in p]", "identical"),
        ("def f(xs, ys):\n    return [(i, str(i), ys[i]) for i in torch.randperm(len(xs))]", "pinned"),
        ("def f(xs):\n    ys = {0: 1}\n    return [ys[i] for i in torch.randperm(len(xs))]", "pinned"),
        ("def f(ys):\n    return [ys[i] for i in torch.randperm(4)]", "pinned"),
        ("def f(xs, ys):\n    return [ys[i + 1] for i in torch.randperm(len(xs)) if str(i)]", "pinned"),
    ],
)  # fmt: skip
def test_what_only_says_at_which_place_is_the_same(text: str, label: str) -> None:
    (found,) = [f for f in migrate(_body(text), "TP124").findings if f.code == "TP124"]
    assert found.fixed and found.numerics is Numerics(label)
