"""TP302 behind products, comparisons, functions of autograd, sizes of others, and lists of layers."""

from __future__ import annotations

import ast
import re

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.losses.questions.left_dimensions import after_call
from torchfix_codemods.rules.losses.questions.ranks import ANY

_HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

#: Of two dimensions, which only all around it shows.
_ROWS = "def probs(x, y, {}):\n    rows = x.bmm(y.unsqueeze(2)).squeeze(2)\n    "

_SIGN = """from torch.autograd.function import InplaceFunction
class Sign({base}):
    {decorator}
    def forward(ctx, x, inplace=False, scaled=False):
        out = x if inplace else x.clone()
        scale = out.abs().max() if scaled else 1
        return out.div(scale).sign().mul(scale)
{alias}
def probs(x, y):
    return F.softmax({apply}(x.bmm(y.unsqueeze(2)).squeeze(2), y))
"""


def _sign(
    base: str = "torch.autograd.Function",
    decorator: str = "@staticmethod",
    alias: str = "",
    apply: str = "Sign.apply",
) -> str:
    return _SIGN.format(base=base, decorator=decorator, alias=alias, apply=apply)


_SCALED = """class Head(nn.Module):
    def __init__(self, d, r):
        super().__init__()
        self.fc = {}
        self.r = r
    def forward(self, x, y):
        rows = x.bmm(y.unsqueeze(2)).squeeze(2)
        return F.softmax(rows / self.r)
"""

_COSINE = """class Head(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.cos = nn.CosineSimilarity(dim=d)
    def forward(self, x, y):
        out = {}
        return F.softmax({})
"""

_SHOWN = {
    "resized to two sizes": "def probs(x, n, k):\n    x = x.resize(n * 3, k)\n    return F.softmax(x)\n",
    "resized as another": _ROWS.format("z") + "return F.softmax(z.resize_as(rows))\n",
    "a layer for what is resized": "def probs(x, n, k):\n    x = torch.cat(x, 0)\n"
    "    x = x.resize(n, k)\n    return nn.Softmax()(x).data\n",
    "a comparison beside it": _ROWS.format("z")
    + "rows = rows + (rows == 0).float() * -1000\n    return F.softmax(rows)\n",
    "compared with a number": _ROWS.format("z") + "return F.softmax((rows > 0.5).float())\n",
    "a product": _ROWS.format("z") + "return F.softmax(rows @ rows)\n",
    "of matmul": _ROWS.format("z") + "return F.softmax(torch.matmul(rows, rows))\n",
    "of a method": _ROWS.format("z") + "return F.softmax(rows.matmul(rows.t()))\n",
    "summed behind a product": "def probs(x, y):\n    return F.softmax((x.bmm(y) @ y.bmm(x)).sum(1))\n",
    "sizes of another, by a name": _ROWS.format("z")
    + "sizes = rows.size()\n    return F.softmax(z.view(*sizes))\n",
    "sizes of another": _ROWS.format("z") + "return F.softmax(z.reshape(rows.shape))\n",
    "numbers drawn of its sizes": _ROWS.format("z") + "return F.softmax(torch.rand(rows.size()))\n",
    "numbers of its sizes": _ROWS.format("z")
    + "return F.softmax(torch.zeros(*rows.size(), dtype=torch.float))\n",
    "a function of autograd": _sign(),
    "one of the old kind": _sign(decorator=""),
    "one that works in place": _sign("InplaceFunction", ""),
    "one by a name": _sign(alias="sign = Sign.apply", apply="sign"),
    "with the largest of it": _ROWS.format("z")
    + "scale = rows.max() if z else 1\n    return F.softmax(rows.div(scale))\n",
    "divided by the width of a layer": _SCALED.format("nn.Linear(d, r)"),
    "elements put into rows": _COSINE.format(
        "self.cos(x, y)", "torch.FloatTensor([[1 - out.data[0], out.data[0]]])"
    ),
    "a tensor put into rows": _COSINE.format("self.cos(x, y)", "torch.tensor([[out, out]])"),
}


@pytest.mark.parametrize("code", _SHOWN.values(), ids=_SHOWN)
def test_what_is_shown_is_written(code: str) -> None:
    text = migrate(_HEAD + code, "TP302").text
    assert text.count("dim=1") == code.count("dim=1") + 1
    assert migrate(text, "TP302").text == text


_JOINED = "def draw(d, e, n):\n    w = {}\n    return torch.multinomial(w, 1)\n"


@pytest.mark.parametrize(
    ("joined", "dim"),
    [
        ("torch.stack([F.softmax(d[b]) for b in range(n)], 0)", 0),
        ("torch.stack([F.softmax(d), F.softmax(e)])", 0),
        ("torch.cat([F.softmax(d[b]) for b in range(n)], 1)", 1),
        ("torch.cat([F.softmax(d), F.softmax(e)])", -1),
    ],
)
def test_what_is_asked_of_all_that_is_joined_shows_its_dimensions(joined: str, dim: int) -> None:
    code = _HEAD + _JOINED.format(joined)
    assert migrate(code, "TP302").text == re.sub(
        r"(F\.softmax\(\w+(\[b\])?)", rf"\1, dim={dim}", code
    )


@pytest.mark.parametrize(
    "joined",
    [
        "[F.softmax(d[b]) for b in range(n)]",
        "n([F.softmax(d[b]) for b in range(n)])",
        "torch.stack(n, [F.softmax(d[b]) for b in range(n)])",
        "torch.stack([F.softmax(d[b]) for b in range(n)])[0, 0]",
        "torch.stack([n for b in F.softmax(d)])",
    ],
)
def test_what_is_joined_by_others_shows_nothing(joined: str) -> None:
    code = _HEAD + _JOINED.format(joined)
    assert migrate(code, "TP302").text == code


_OPEN = {
    "a comparison with what is not known": _ROWS.format("z")
    + "rows = rows + (z == 0).float() * -1000\n    return F.softmax(rows)\n",
    "a product with what is not known": _ROWS.format("z") + "return F.softmax(rows @ z)\n",
    "of matmul with it": _ROWS.format("z") + "return F.softmax(torch.matmul(z, rows))\n",
    "sizes that are given": _ROWS.format("z") + "return F.softmax(rows.view(*z))\n",
    "resized to sizes that are given": "def probs(x, sizes):\n    return F.softmax(x.resize(*sizes))\n",
    "resized to what is not known": "def probs(x, n):\n    return F.softmax(x.resize(n))\n",
    "resized as what is not known": "def probs(x, y):\n    return F.softmax(x.resize_as(y))\n",
    "some sizes of another": _ROWS.format("z") + "return F.softmax(x.view(*rows.size()[:z]))\n",
    "numbers of more sizes": _ROWS.format("z") + "return F.softmax(torch.rand(*rows.size(), *z))\n",
    "numbers of one size": _ROWS.format("z") + "return F.softmax(torch.rand(rows.size(0), *z))\n",
    "one of its sizes": "def probs(x, y):\n    return F.softmax(y.view(x.size(0), *y))\n",
    "something of a size": "def probs(x, y):\n    return F.softmax(x * y.size(*y))\n",
    "sizes that are chosen": _ROWS.format("z")
    + "sizes = rows.size()\n    if z:\n        sizes = z\n    return F.softmax(x.view(*sizes))\n",
    "no function of autograd": _sign("Base"),
    "a function that is applied to all": _sign(apply="Sign.apply_all"),
    "divided by what is not known": _ROWS.format("z") + "return F.softmax(rows.div(z))\n",
    "by what no layer is given": _SCALED.format("nn.Linear(d, 2)"),
    "what is not known put into a row": _COSINE.format("x", "torch.FloatTensor([out[0]])"),
    "a tensor that is copied": _COSINE.format("self.cos(x, y)", "torch.tensor(out)"),
}


@pytest.mark.parametrize("code", _OPEN.values(), ids=_OPEN)
def test_what_is_open_stays(code: str) -> None:
    assert migrate(_HEAD + code, "TP302").text == _HEAD + code
    assert advice("TP302", _HEAD + code)


@pytest.mark.parametrize("product", ["rows[0] @ rows", "torch.matmul(rows, rows[0])"])
def test_a_vector_takes_no_dimension_along(product: str) -> None:
    code = _HEAD + _ROWS.format("z") + f"return F.softmax({product})\n"
    assert f"F.softmax({product}, dim=0)" in migrate(code, "TP302").text


_FEATURES = "write dim={} for the features of {}, if these are meant"
_NAMED = "write dim=… with that one"
_LINEAR = _FEATURES.format(-1, "nn.Linear(n, 3)")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("return nn.Sequential(*[nn.Linear(n, 3), nn.Softmax()])", _LINEAR),
        ("layers = [nn.Linear(n, 3), nn.Softmax()]; return nn.Sequential(*layers)", _LINEAR),
        (
            "layers = []; layers += [nn.Linear(n, 3), nn.Softmax()]; return nn.Sequential(*layers)",
            _LINEAR,
        ),
        (
            "layers = []; layers.extend([nn.Linear(n, 3), nn.Softmax()])"
            "; return nn.Sequential(*layers)",
            _LINEAR,
        ),
        (
            "layers = []; layers.append(nn.Linear(n, 3)); layers.append(nn.Softmax())"
            "; return nn.Sequential(*layers)",
            _LINEAR,
        ),
        (
            "net = nn.Sequential(); net.add_module('a', nn.Linear(n, 3))"
            "; net.add_module('b', nn.Softmax()); return net",
            _LINEAR,
        ),
        (
            "return nn.Sequential(nn.Linear(n, 3), nn.BatchNorm1d(3), nn.Softmax())",
            _FEATURES.format(1, "nn.BatchNorm1d(3)"),
        ),
        (
            "net = nn.Sequential(); net.add_module('a', nn.Conv2d(n, 3, 1))"
            "; net.add_module('b', nn.Softmax()); return net",
            _FEATURES.format(1, "nn.Conv2d(n, 3, 1)"),
        ),
        ("return [nn.Linear(n, 3), nn.Softmax()]", _NAMED),
        ("layers = [nn.Linear(n, 3), nn.Softmax()]; return layers", _NAMED),
        (
            "layers = [nn.Linear(n, 3), nn.Softmax()]; layers.reverse()"
            "; return nn.Sequential(*layers)",
            _NAMED,
        ),
        (
            "layers = [nn.Linear(n, 3), nn.Softmax()]; return nn.Sequential(*layers[1:])",
            _NAMED,
        ),
        (
            "layers = [nn.Linear(n, 3)]; layers.append(n) if n else None"
            "; layers.append(nn.Softmax()); return nn.Sequential(*layers)",
            _NAMED,
        ),
        ("return nn.ModuleList([nn.Linear(n, 3), nn.Softmax()])", _NAMED),
        ("return nn.Sequential(nn.Linear(n, 1), nn.Softmax())", _NAMED),
        ("return nn.Sequential(*[nn.Softmax()])", _NAMED),
        ("return nn.Sequential(nn.LayerNorm(n), nn.Softmax())", _NAMED),
    ],
)
def test_the_layer_before_it_tells_the_features(lines: str, said: str) -> None:
    text = f"import torch.nn as nn\ndef build(n):\n    {lines}\n"
    (found,) = advice("TP302", text)
    assert found.message.endswith(said)


_MODEL = """import torch.nn as nn, torch.nn.functional as F
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        {}
        self.model = nn.Sequential({})
    def forward(self, x):
        return F.softmax(self.model(x))
"""


@pytest.mark.parametrize(
    ("lines", "given", "is_told"),
    [
        ("layers = [nn.ReLU()]; layers.append(nn.Linear(n, 3))", "*layers", True),
        ("layers = [nn.ReLU()]; layers += [nn.Dropout(), nn.Linear(n, 3)]", "*layers", True),
        ("layers = [nn.ReLU(), nn.Linear(n, 3)]", "*layers", True),
        ("layers = [nn.ReLU()]; layers.extend((nn.Linear(n, 3),))", "*layers", True),
        ("pass", "*[nn.ReLU(), nn.Linear(n, 3)]", True),
        ("layers = [nn.Linear(n, 3)]; layers.append(nn.LayerNorm(3))", "*layers", False),
        ("layers = [nn.Linear(n, 3)]; layers.insert(0, nn.ReLU())", "*layers", False),
        ("layers = [nn.Linear(n, 3)]; n.fill(layers)", "*layers", False),
        ("layers = [nn.Linear(n, 3)]", "*layers[:n]", False),
        ("layers = n", "*layers", False),
        ("layers = [nn.Linear(n, 1)]", "*layers", False),
        ("pass", "*[]", False),
        ("pass", "", False),
    ],
)
def test_the_last_layer_of_a_list_tells_the_features(lines: str, given: str, is_told: bool) -> None:
    (found,) = advice("TP302", _MODEL.format(lines, given))
    said = _FEATURES.format(-1, "self.model") if is_told else _NAMED
    assert found.message.endswith(said)


def test_what_a_list_puts_before_it_shows_the_dimensions() -> None:
    code = (
        f"{_HEAD}from torch.autograd import Variable\nflag = Variable(torch.zeros(1), volatile=True)\n"
        "def build(n):\n    layers = [nn.Conv2d(n, 3, 1), nn.Softmax()]\n"
        "    return nn.Sequential(*layers)\n"
    )
    assert "nn.Softmax(dim=1)" in migrate(code, "TP302").text


_SUBTRACTED = "write dim={}, along which line {} takes the max() that is subtracted"
_SUMMED = "write dim=1, along which line 8 takes sum() of the result"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("m = torch.max(x, dim=1, keepdim=True)[0]; x = x - m; return F.softmax(x)", (1, 5)),
        ("return F.softmax(x - x.max(-1, keepdim=True)[0])", (-1, 5)),
        ("s = x - x.max(1)[0].unsqueeze(1); return F.softmax(s)", None),
        ("m = x.max(0, keepdim=True)[0]; return F.softmax(x - m)", None),
        ("m = x.max(1, keepdim=True)[1]; return F.softmax(x - m)", None),
        ("m = y.max(1, keepdim=True)[0]; return F.softmax(x - m)", None),
        ("m = x.max(1, keepdim=True)[0]; return F.softmax(x + m)", None),
        ("m = x.max(1, keepdim=True)[0]; x = x * y; return F.softmax(x - m)", None),
        ("m = x.min(1, keepdim=True)[0]; return F.softmax(x - m)", None),
        ("m = x.max(y, keepdim=True)[0]; return F.softmax(x - m)", None),
    ],
)
def test_the_largest_that_is_subtracted_tells_what_is_meant(
    lines: str, said: tuple[int, int] | None
) -> None:
    text = f"{_HEAD}def probs(x, y):\n    {lines}\n"
    (found,) = advice("TP302", text)
    assert found.message.endswith(_NAMED if said is None else _SUBTRACTED.format(*said))


@pytest.mark.parametrize(
    ("mask", "is_told"),
    [
        ("x.new(n, x.size(1)).fill_(0)", True),
        ("torch.ones(n)", True),
        ("torch.ones(n, 1, 1)", False),
        ("y", False),
    ],
)
def test_beside_what_has_fewer_dimensions_a_tensor_keeps_its_own(mask: str, is_told: bool) -> None:
    text = (
        f"{_HEAD}def probs(x, y):\n    n = x.size(1)\n    p = F.softmax(x)\n"
        f"    mask = {mask}\n    return (p * mask).sum(1)\n"
    )
    (found,) = advice("TP302", text)
    assert found.message.endswith(_SUMMED if is_told else "if line 5 asks for the last size of x")


_CHOSEN = "def probs(x, net, n):\n    {}\n"
_FLAT = "x = x.view(n, -1)\n    "


@pytest.mark.parametrize(
    ("lines", "dim"),
    [
        (f"if x.dim() > 2:\n        {_FLAT}return F.softmax(x)", "-1"),
        (f"if len(x.size()) != 2:\n        {_FLAT}return F.softmax(x)", "1"),
        (f"if x.dim() > 2:\n        print(n)\n        {_FLAT}return F.softmax(x / 2)", "-1"),
        (f"k = x.dim()\n    if k > 2:\n        {_FLAT}return F.softmax(x)", "-1"),
        (
            "if x.dim() > 2:\n        x = x.view(n, n, -1).transpose(1, 2)\n"
            "        x = x.contiguous().view(-1, n)\n    p = F.softmax(x)\n    return p.gather(1, n)",
            "1",
        ),
        (
            "for i in range(n):\n        if x.dim() > 2:\n            x = x.view(n, -1)\n"
            "        print(F.softmax(x))\n        x = net(x)",
            "-1",
        ),
        (f"if x.dim() < 2:\n        {_FLAT}return F.softmax(x)", None),
        (f"if n.dim() > 2:\n        {_FLAT}return F.softmax(x)", None),
        (f"if n:\n        {_FLAT}return F.softmax(x)", None),
        ("if x.dim() > 2:\n        n = x.view(n, -1)\n    return F.softmax(x)", None),
        ("if x.dim() > 2:\n        x = net(x)\n    return F.softmax(x)", None),
        (f"if x.dim() > 2 and n:\n        {_FLAT}return F.softmax(x)", None),
        (f"k = x.dim()\n    x = net(x)\n    if k > 2:\n        {_FLAT}return F.softmax(x)", None),
        (
            f"if x.dim() > 2:\n        {_FLAT}if n:\n        x = net(x)\n    return F.softmax(x)",
            None,
        ),
        (
            "for i in range(n):\n        if x.dim() > 2:\n            x = x.view(n, -1)\n"
            "        for j in range(n):\n            print(F.softmax(x))\n            x = net(x)",
            None,
        ),
        (
            "if x.dim() > 2:\n        if n:\n            x = x.view(n, -1)\n    return F.softmax(x)",
            None,
        ),
    ],
)
def test_what_a_test_lets_pass_is_known_beside_what_it_changes(lines: str, dim: str | None) -> None:
    text = migrate(_HEAD + _CHOSEN.format(lines), "TP302").text
    assert ("dim=" in text) is (dim is not None)
    assert dim is None or f", dim={dim})" in text


def test_a_size_that_is_followed_through_a_call_has_no_dimensions_to_give() -> None:
    text = "import torch\nx = torch.zeros(3)\nn = x.size(0)\n"
    facts = WholeFacts(ast.parse(text), text)
    (size,) = facts.names.method_calls("size")
    assert after_call(facts, size, lambda node: ANY) == ANY


_RETURNED = """class Attn(nn.Module):
    def forward(self, x, y):
        {}
class Decoder(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.attn = Attn()
    {}
    def forward(self, x, y):
        return F.softmax({}.bmm(y).squeeze(1))
"""
_ALONE = "return x.bmm(y).mean(2).unsqueeze(1)"
_METHOD = "def score(self, x):\n        return {}"


@pytest.mark.parametrize(
    ("returned", "method", "used", "is_one"),
    [
        (_ALONE, "", "self.attn(x, y)", True),
        (
            "if y is None:\n            return x.unsqueeze(1)\n        " + _ALONE,
            "",
            "self.attn(x, y)",
            True,
        ),
        ("return x", _METHOD.format("x.unsqueeze(1)"), "self.score(x)", True),
        ("return x", _METHOD.format("x and self.score(x) or x"), "self.score(x)", False),
        ("return x.bmm(y)", "", "self.attn(x, y)", False),
        ("return x.unsqueeze(1), y", "", "self.attn(x, y)", False),
        ("yield x.unsqueeze(1)", "", "self.attn(x, y)", False),
        ("if y is None:\n            return\n        " + _ALONE, "", "self.attn(x, y)", False),
        ("if y is None:\n            return x\n        " + _ALONE, "", "self.attn(x, y)", False),
        (_ALONE, "@cached\n    " + _METHOD.format("x.unsqueeze(1)"), "self.score(x)", False),
        (_ALONE, "", "self.other(x, y)", False),
    ],
)
def test_what_a_function_returns_shows_what_squeeze_takes_away(
    returned: str, method: str, used: str, is_one: bool
) -> None:
    text = migrate(_HEAD + _RETURNED.format(returned, method, used), "TP302").text
    assert (".squeeze(1), dim=1)" in text) is is_one


@pytest.mark.parametrize(
    ("first", "is_one"),
    [("x = x.bmm(y)", False), ("x = x.bmm(y).sum(1, keepdim=True)", True), ("x = x.sum(1)", False)],
)
def test_a_turn_of_a_loop_has_the_sizes_of_what_it_begins_with(first: str, is_one: bool) -> None:
    lines = "for _ in range(n):\n        x = x.tanh()\n    return F.softmax(x.squeeze(1))\n"
    code = f"{_HEAD}def probs(x, y, n):\n    x = x.bmm(y)\n    {first}\n    {lines}"
    assert (".squeeze(1), dim=1)" in migrate(code, "TP302").text) is is_one


_MOVED = "write dim=0, to which line 5 moves axis"
_SWAPPED = "write dim=1, if line 5 swaps the only two dimensions of x"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("m = x.transpose(axis, 0); p = F.softmax(m); return p.transpose(axis, 0)", _MOVED),
        (
            "m = x.transpose(0, axis).contiguous(); return F.softmax(m).transpose(0, axis)",
            _MOVED,
        ),
        ("return torch.transpose(F.softmax(torch.transpose(x, axis, 0) / 2), axis, 0)", _MOVED),
        ("return F.softmax(x.transpose(axis, 0)).data.transpose(axis, 0)", _MOVED),
        ("return F.softmax(x.transpose(axis, 0))", _NAMED),
        ("return F.softmax(x.transpose(axis, 0)).transpose(axis, 1)", _NAMED),
        ("return F.softmax(x.transpose(axis, 0)).transpose(n, 0)", _NAMED),
        ("return F.softmax(x.transpose(axis, n)).transpose(axis, n)", _NAMED),
        ("return F.softmax(x.transpose(1, 0)).transpose(1, 0)", _SWAPPED),
        ("return F.softmax(x.transpose(axis, 0).sum(n)).transpose(axis, 0)", _NAMED),
        ("return F.softmax(x.transpose(axis, 0)).sum(n).transpose(axis, 0)", _NAMED),
        ("return F.softmax(x).transpose(axis, 0)", _NAMED),
    ],
)
def test_the_dimension_that_is_moved_and_moved_back_is_meant(lines: str, said: str) -> None:
    (found,) = advice("TP302", f"{_HEAD}def probs(x, axis, n):\n    {lines}\n")
    assert found.message.endswith(said)


@pytest.mark.parametrize(
    ("made", "used", "dim"),
    [
        ("torch.topk(x.bmm(y), k=3, dim=-1)", "best[:, 0]", 1),
        ("x.bmm(y).topk(3)", "best.sum(2)", 1),
        ("x.bmm(y).max(1)", "best", 1),
        ("torch.sort(x.bmm(y), 1, True)", "best[0, 0]", 0),
        ("x.bmm(y).chunk(2, 1)", "best[:, n]", None),
        ("x.bmm(y).split(n, 1)", "best.sum(1)", 1),
        ("x.bmm(y)", "best", 1),
        ("x.bmm(y).max(1)[0]", "best", 0),
        ("n.topk(3)", "best", None),
        ("n(x.bmm(y), 3)", "best", None),
        ("n.outer(x.bmm(y), 3)", "best", None),
        ("n.svd()", "best", None),
        ("n.nonzero()", "best", None),
        ("torch.topk(*x)", "best", None),
        ("x.bmm(y).unheard(3)", "best", None),
    ],
)
def test_the_parts_of_what_an_operation_gives_have_dimensions(
    made: str, used: str, dim: int | None
) -> None:
    code = f"{_HEAD}def probs(x, y, n):\n    best, at = {made}\n    return F.softmax({used})\n"
    text = migrate(code, "TP302").text
    assert text == code if dim is None else f"({used}, dim={dim})" in text


_TREE = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.soft = nn.Softmax(dim=1)
    def forward(self, x, tree):
        {}
        return self.soft(x.mm(x))
"""


@pytest.mark.parametrize(
    ("use", "is_written"),
    [
        ("n = len(tree.children)", True),
        ("a = tree.children[0].label", True),
        ("for a in tree.children: print(a)", True),
        ("a = [b for b in tree.children]", True),
        ("a = list(tree.children)", False),
        ("a = tree.children", False),
        ("a = tree.children()", False),
        ("a = list(tree.children())[0]", False),
        ("a = tree._modules['soft']", False),
        ("for a in tree._modules: print(a)", False),
    ],
)
def test_the_children_that_a_tree_lists_are_no_layers(use: str, is_written: bool) -> None:
    after = _HEAD + _TREE.format(use)
    code = after.replace("dim=1", "")
    assert migrate(code, "TP302").text == (after if is_written else code)


@pytest.mark.parametrize(
    ("made", "is_written"),
    [
        ("net = models.resnet18()", True),
        ("net = models.resnet18() if tree else None", False),
        ("net = models.resnet18()\n        if tree: net = models.vgg16(pretrained=True)", True),
        ("net = models.resnet18()\n        if tree: net = tree", False),
        ("net = models.resnet18()\n        net = Net()", False),
        ("net = tree.resnet18()", False),
        ("net, n = tree", False),
        ("net = models.resnet18().to(tree)", False),
    ],
)
def test_the_children_of_a_model_of_torchvision_are_its_own(made: str, is_written: bool) -> None:
    used = f"{made}\n        nn.Sequential(*list(net.children())[:-1])"
    after = f"from torchvision import models\n{_HEAD}{_TREE.format(used)}"
    code = after.replace("dim=1", "")
    assert migrate(code, "TP302").text == (after if is_written else code)


_DECODER = """class Decoder(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gru, self.out = nn.GRU(2 * n, n), nn.Linear(2 * n, n)
    def forward(self, word, last, encoded):
        context = last.bmm(encoded)
        word = word.view({sizes}, -1)
        output, _ = self.gru(torch.cat((word, context), {dim}), last)
        output = output.squeeze(0)
        return F.log_softmax(self.out(torch.cat((output, {context}), 1)){given})
"""


@pytest.mark.parametrize(
    ("sizes", "dim", "context", "given"),
    [
        # One of them has two dimensions: the line raises, and nothing was taken along any.
        ("1, 1", "2", "context", ""),
        ("1, 1", "2", "context.squeeze(0)", ", dim=1"),
        ("1, 1", "2", "context[0]", ", dim=1"),
        # Here the first size is that of both together.
        ("1, 1", "0", "context", ", dim=0"),
        ("7, 1", "2", "context", ", dim=0"),
    ],
)
def test_what_is_joined_has_as_many_dimensions(
    sizes: str, dim: str, context: str, given: str
) -> None:
    code = _HEAD + _DECODER.format(sizes=sizes, dim=dim, context=context, given="")
    after = _HEAD + _DECODER.format(sizes=sizes, dim=dim, context=context, given=given)
    assert migrate(code, "TP302").text == after
    assert bool(advice("TP302", code)) is not bool(given)


@pytest.mark.parametrize(
    ("made", "is_one"),
    [
        # A linear layer gives as many rows as it takes, and an added dimension leaves the others.
        ("fc(x.bmm(y).unsqueeze(1)).squeeze(2).squeeze(1)", False),
        ("fc(x.bmm(y).mean(2).unsqueeze(1)).squeeze(1)", True),
        ("fc(x.bmm(y).mean(2).unsqueeze(1)).squeeze(0)", False),
        ("fc(x.bmm(y).mean(2).unsqueeze(1), y).squeeze(1)", False),
        ("x.bmm(y).mean(2).mean(1).unsqueeze(1).unsqueeze(0).squeeze(2)", True),
        ("x.bmm(y).mean(2).mean(1).unsqueeze(0).unsqueeze(2).squeeze(0)", True),
        ("x.bmm(y).mean(2).mean(1).unsqueeze(0).unsqueeze(-2).squeeze(2)", False),
        ("torch.mm(x, y.unsqueeze(1)).unsqueeze(0).squeeze(2)", True),
        ("torch.mm(x, y.unsqueeze(0)).unsqueeze(0).squeeze(2)", False),
    ],
)
def test_a_size_of_one_goes_through_linear_layers_and_added_dimensions(
    made: str, is_one: bool
) -> None:
    code = f"{_HEAD}fc = nn.Linear(3, 4)\ndef probs(x, y):\n    return F.softmax({made})\n"
    assert (", dim=1)" in migrate(code, "TP302").text) is is_one
