from __future__ import annotations

from tests.support.rules import keeps, rewrites

_PAD = "batch = [row + [0] * (n - len(row)) for row in {}]"


def _body(code: str) -> str:
    return f"import numpy as np\nimport torch\n{code}\n"


def _padded(made: str, rows: str = "rows") -> str:
    """A program that makes an array and pads what it holds."""
    return _body(
        f"def f(xs, n, order):\n    rows = {made}\n    {_PAD.format(rows)}\n    return batch"
    )


def _kept(made: str, more: str = "") -> str:
    """The same of a class that keeps the array."""
    return _body(
        "class Batches:\n"
        "    def __init__(self, xs, n):\n"
        f"        self.rows = {made}\n"
        f"        self.rest = np.asarray(xs)\n{more}"
        "    def batch(self, n, i):\n"
        f"        {_PAD.format('self.rows[i:i + 2]')}\n"
        "        return batch"
    )


_KEY = "kept['rows']"
_RAGGED = "np.asarray(xs, dtype=object)"

test_rewrites = rewrites(
    "TP429",
    {
        "gone through": (_padded("np.asarray(xs)"), _padded(_RAGGED)),
        "cut and shuffled": (
            _padded("np.array(xs)[order]", "rows[1:n]"),
            _padded("np.array(xs, dtype=object)[order]", "rows[1:n]"),
        ),
        "one at a time": (
            _body(
                "def f(xs, n, i):\n    row = np.array(xs)[0]\n    return [0] * (n - len(row)) + row"
            ),
            _body(
                "def f(xs, n, i):\n    row = np.array(xs, dtype=object)[0]\n"
                "    return [0] * (n - len(row)) + row"
            ),
        ),
        "with others": (
            _body(
                "def f(xs, ys, n):\n    xs, ys = np.array(xs), np.array(ys)\n"
                "    for x, y in zip(xs, ys):\n"
                "        yield y, x + [0 for _ in range(n - len(x))]"
            ),
            _body(
                "def f(xs, ys, n):\n    xs, ys = np.array(xs, dtype=object), np.array(ys)\n"
                "    for x, y in zip(xs, ys):\n"
                "        yield y, x + [0 for _ in range(n - len(x))]"
            ),
        ),
        "kept by an object": (_kept("np.asarray(xs)"), _kept(_RAGGED)),
        "shuffled in another method": (
            _kept("np.asarray(xs)", "    def f(self, i):\n        self.rows = self.rows[i]\n"),
            _kept(_RAGGED, "    def f(self, i):\n        self.rows = self.rows[i]\n"),
        ),
        "below a key": (
            _body(
                "def f(xs, n):\n    kept = {'rows': np.array(xs)}\n"
                f"    {_PAD.format(_KEY)}\n    return batch"
            ),
            _body(
                "def f(xs, n):\n    kept = {'rows': np.array(xs, dtype=object)}\n"
                f"    {_PAD.format(_KEY)}\n    return batch"
            ),
        ),
        "given to a function": (
            _body(
                f"def f(rows, n):\n    {_PAD.format('rows')}\n    return batch\nf(np.array(xs), 3)"
            ),
            _body(
                f"def f(rows, n):\n    {_PAD.format('rows')}\n    return batch\n"
                "f(np.array(xs, dtype=object), 3)"
            ),
        ),
        "elements of elements": (
            _padded("np.asarray(xs)", "[word for words in rows for word in words]"),
            _padded(_RAGGED, "[word for words in rows for word in words]"),
        ),
        "written down": (
            _body("x = np.array([[1, 2], [3]])\ny = np.asarray(\n    ((1, 2), ()),\n)"),
            _body(
                "x = np.array([[1, 2], [3]], dtype=object)\n"
                "y = np.asarray(\n    ((1, 2), ()),\n    dtype=object,\n)"
            ),
        ),
    },
)

test_keeps = keeps(
    "TP429",
    {
        "a dtype": _padded("np.asarray(xs, dtype=object)")
        + _body("np.array([[1], [1, 2]], object)"),
        "copied as it was": _padded("np.array(xs, copy=True)"),
        "equal lengths": _body("x = np.array([[1, 2], [3, 4]]), np.array([]), np.array([1, 2])"),
        "of unknown length": _body("def f(xs):\n    return np.array([[1, 2], [3], xs])"),
        "one with a star": _body("def f(xs):\n    return np.array([[1, 2], [*xs]])"),
        "a list beside numbers": _body("x = np.array([[1, 2], 3])"),
        "only gone through": _body("def f(xs):\n    return [sum(x) for x in np.asarray(xs)]"),
        "the array itself is made longer": _body(
            "def f(xs, n):\n    x = np.asarray(xs)\n    return x + [0] * (n - len(x))"
        ),
        "a part of it is made longer": _body(
            "def f(xs, n):\n    x = np.asarray(xs)[:9]\n    return x + [0] * (n - len(x))"
        ),
        "lists of the array": _padded("np.asarray(xs).tolist()"),
        "lists of its rows": _padded("np.asarray(xs)", "[list(row) for row in rows]"),
        "maybe not the array": _padded("np.asarray(xs) if n else xs"),
        "lists that are kept later": _kept(
            "np.asarray(xs)", "        self.rows = self.rows.tolist()\n"
        ),
        "another array is padded": _body(
            f"def f(xs, ys, n):\n    rows, labels = xs, np.asarray(ys)\n"
            f"    {_PAD.format('rows')}\n    return batch, labels"
        ),
        "by numbers of another": _body(
            "def f(xs, n):\n    return [x + [1] * (n - len(xs)) for x in np.asarray(xs)]"
        ),
        "not by a list": _body(
            "def f(xs, n):\n    return [x + np.ones(n - len(x)) for x in np.asarray(xs)]"
        ),
        "multiplied": _body(
            "def f(xs, n):\n    return [x - [1] * (n - len(x)) for x in np.asarray(xs)]"
        ),
        "an array of an array": _body(
            "def f(n):\n    rows = np.asarray(np.zeros(3))\n"
            f"    {_PAD.format('rows')}\n    return batch"
        ),
        "object of the file's own": "object = int\n" + _body("x = np.array([[1, 2], [3]])"),
        "another library": "import mx as np\nimport torch\nx = np.array([[1, 2], [3]])\n",
        "starred": _body("def f(xs):\n    return np.array(*[[1], [1, 2]])"),
        "suppressed": _body("x = np.array([[1, 2], [3]])  # noqa: TP429"),
    },
)


_OPTIONS = "(None, (0.1, None), (None, None))"


def _crop(choice: str, options: str = _OPTIONS, more: str = "") -> str:
    """A class that chooses one of its options."""
    return (
        "import torch\nfrom numpy import random\n\n\nclass Crop:\n    def __init__(self, size):\n"
        f"        self.options = {options}\n{more}\n    def __call__(self):\n"
        f"        return {choice}\n"
    )


_CHOSEN = "self.options[random.randint(len(self.options))]"

test_choices = rewrites(
    "TP429",
    {
        "of an attribute": (_crop("random.choice(self.options)"), _crop(_CHOSEN)),
        "lengths": (
            _crop("random.choice(self.options)", "[(1,), (2, 3)]"),
            _crop(_CHOSEN, "[(1,), (2, 3)]"),
        ),
        "beside numbers": (
            _crop("random.choice(self.options)", "(1.5, (2, 3))"),
            _crop(_CHOSEN, "(1.5, (2, 3))"),
        ),
        "of a name": (
            _body(f"options = {_OPTIONS}\nlow, high = np.random.choice(options)"),
            _body(f"options = {_OPTIONS}\nlow, high = options[np.random.randint(len(options))]"),
        ),
        "in an operation": (
            _body("sizes = [(1,), (2, 3)]\npair = np.random.choice(sizes) * 2"),
            _body("sizes = [(1,), (2, 3)]\npair = sizes[np.random.randint(len(sizes))] * 2"),
        ),
    },
)

test_keeps_choices = keeps(
    "TP429",
    {
        "of numbers": _crop("random.choice(self.options)", "(1, 2, 3)"),
        "of names": _crop("random.choice(self.options)", "('a', None)"),
        "of equal lengths": _crop("random.choice(self.options)", "((1, 2), (3, 4))"),
        "of what is not known": _crop("random.choice(self.options)", "size"),
        "beside what is not known": _crop("random.choice(self.options)", "(size, (1, 2))"),
        "one of two ways": _crop(
            "random.choice(self.options)",
            more="        if size:\n            self.options = (1, 2)\n",
        ),
        "several": _crop("random.choice(self.options, 2)"),
        "by weight": _crop("random.choice(self.options, p=(0.5, 0.2, 0.3))"),
        "Python's own": _crop("random.choice(self.options)").replace(
            "from numpy import random", "import random"
        ),
        "written in the call": _body(f"low = np.random.choice({_OPTIONS})"),
        "another len": _body(
            f"def len(x):\n    return 1\noptions = {_OPTIONS}\nlow = np.random.choice(options)"
        ),
        "of a parameter": _body("def f(options):\n    return np.random.choice(options)"),
        "a generator": _body(
            f"options = {_OPTIONS}\nlow = np.random.default_rng(0).choice(options)"
        ),
        "chosen already": _crop(_CHOSEN),
    },
)
