"""``map(Variable, xs)``: what hands `Variable` on to be called."""

from tests.support.rules import keeps, rewrites

_OLD = "import torch\nfrom torch.autograd import Variable\n\n\ndef f(model, x, y, xs):\n"
_NEW = "import torch\n\n\ndef f(model, x, y, xs):\n"

#: Certainly of torch 0.3.
_DATED = "    torch.nn.functional.mse_loss(x, y).backward(retain_variables=True)\n"

test_rewrites = rewrites(
    "TP101",
    {
        name: (f"{_OLD}{_DATED}    {before}\n", f"{_NEW}{_DATED}{after}")
        for name, before, after in [
            ("of what it is assigned to", "x, y = map(Variable, (x, y))", ""),
            ("of others", "a, b = map(Variable, (x, y.float()))", "    a, b = x, y.float()\n"),
            ("unpacks", "a, b = map(Variable, xs)", "    a, b = xs\n"),
            ("a list", "xs = list(map(Variable, xs))", "    xs = list(xs)\n"),
            ("a list of a list", "xs = list(map(Variable, [x, y]))", "    xs = [x, y]\n"),
            ("a tuple of a list", "xs = tuple(map(Variable, [x]))", "    xs = tuple([x])\n"),
            ("a loop", "for x in map(Variable, xs): x.sum()", "    for x in xs: x.sum()\n"),
            (
                "on two lines",
                "a, b = map(Variable, (x,\n                          y))",
                "    a, b = (x,\n            y)\n",
            ),
        ]
    },
)

_KEPT = {
    "of unknown age": f"{_OLD}    x, y = map(Variable, (x, y))\n    return x\n",
    "is kept": f"{_OLD}{_DATED}    return map(Variable, xs)\n",
    "two sequences": f"{_OLD}{_DATED}    return list(map(Variable, xs, [True]))\n",
    "another map": f"{_OLD}{_DATED}    map = model.map\n    return list(map(Variable, xs))\n",
    "another list": f"{_OLD}{_DATED}    list = model.list\n    return list(map(Variable, xs))\n",
    "a function": f"{_NEW}{_DATED}    return list(map(lambda t: model(t), xs))\n",
    "numbers": f"{_OLD}{_DATED}    x, y = map(Variable, (1, 2.0))\n    return x\n",
    # Which was no plain tensor, so that the code is newer than its file seems.
    "of a module": (
        f"{_OLD}{_DATED}    fc = torch.nn.Linear(2, 2)\n    a, b = map(Variable, (fc(x), y))\n"
        "    return a\n"
    ),
    "another Variable": "from tensorflow import Variable\nx, y = map(Variable, (x, y))\n",
    "starred": f"{_OLD}{_DATED}    return list(map(Variable, *xs))\n",
    "one name": f"{_OLD}{_DATED}    xs = map(Variable, xs)\n    return xs\n",
}
test_keeps = keeps("TP101", _KEPT)
