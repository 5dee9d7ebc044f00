"""TP302 where the number of dimensions is open: what names the ``dim`` that is meant, and where."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate

_HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
_OPEN = "write dim=… with that one"
_SQUEEZED = "write dim=-1 if the last one is meant"
_LOSS = "write dim=1, along which line {} takes nll_loss of the result"


def _said(code: str) -> str:
    (found,) = advice("TP302", _HEAD + code)
    return found.message.rpartition(": ")[2]


_LOSSES = {
    "a function": ("def f(x, y):\n    return F.nll_loss(F.log_softmax(x), y)\n", _LOSS.format(5)),
    "by a keyword": (
        "def f(x, y):\n    p = F.log_softmax(x)\n    return F.nll_loss(target=y, input=p)\n",
        _LOSS.format(6),
    ),
    "an object": (
        "def f(x, y):\n    loss = nn.NLLLoss2d()\n    p = F.log_softmax(x)\n    return loss(p, y)\n",
        _LOSS.format(7),
    ),
    "a layer and an object": (
        "def f(x, y):\n    soft = nn.LogSoftmax()\n    loss = nn.NLLLoss()\n"
        "    return loss(soft(x), y)\n",
        _LOSS.format(7),
    ),
    "one of several": (
        "def f(xs, y):\n    ps = [F.log_softmax(x) for x in xs]\n"
        "    return sum(F.nll_loss(p, y) for p in ps)\n",
        _LOSS.format(6),
    ),
    "the same tensor": (
        "def f(x, y):\n    return F.softmax(x), F.nll_loss(x, y)\n",
        "write dim=1, along which line 5 takes nll_loss of the same tensor",
    ),
    "the target": ("def f(x, y):\n    return F.nll_loss(y, F.log_softmax(x))\n", _OPEN),
    "rows made of it": (
        "def f(x, y):\n    return F.nll_loss(F.log_softmax(x).view(-1, 3), y)\n",
        _OPEN,
    ),
    "a turned one": (
        "def f(x, y):\n    return F.nll_loss(F.log_softmax(x).transpose(1, 2), y)\n",
        _OPEN,
    ),
    "another loss": ("def f(x, y):\n    return F.kl_div(F.log_softmax(x), y)\n", _OPEN),
    "a loss that is given": ("def f(x, y, g):\n    return g(F.log_softmax(x), y)\n", _OPEN),
    "all arguments at once": (
        "def f(x, y):\n    p = F.log_softmax(x)\n    return F.nll_loss(*[p, y])\n",
        _OPEN,
    ),
}


@pytest.mark.parametrize(("code", "said"), _LOSSES.values(), ids=_LOSSES)
def test_a_loss_takes_the_classes_along_the_second_dimension(code: str, said: str) -> None:
    assert _said(code) == said


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("F.softmax(x, 2)", "write dim=2, as line 5 does before it"),
        ("F.softmax(x, dim=-1)", "write dim=-1, as line 5 does before it"),
        ("F.softmax(x, dim=n)", _OPEN),
        ("torch.sigmoid(x)", _OPEN),
    ],
)
def test_a_softmax_of_a_softmax_has_the_same_dim(made: str, said: str) -> None:
    code = f"def f(x, n):\n    p = {made}\n    return F.log_softmax(p)\n"
    assert _said(code) == said


_NET = """class Net(nn.Module):
    def __init__(self, fc):
        super().__init__()
        self.fc = nn.Linear(8, 4)
        self.one = nn.Linear(8, 1)
        self.conv = nn.Conv2d(8, 4, 1)
        self.given = fc
        self.deep = nn.Sequential(nn.Linear(8, 4), nn.Tanh())
        self.maybe = nn.Linear(8, 4) if fc else None
    def forward(self, x, flag):
        {}
        return F.softmax(y)
"""
_OF_FC = "write dim=-1 for the features of self.fc, if these are meant"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("y = self.fc(x).squeeze()", _OF_FC),
        ("y = torch.squeeze(self.fc(x), 1)", _OF_FC),
        ("y = self.fc(x) if flag else x", _OF_FC),
        ("y = self.fc(x)\n        y = y[:, :4]", _OF_FC),
        ("y = self.given(x)\n        if flag: y = self.fc(y)", _OF_FC),
        ("y = self.deep(x).squeeze()", _OF_FC.replace("fc", "deep")),
        ("y = self.given(x)\n        if flag: y = self.maybe(y)", _OF_FC.replace("fc", "maybe")),
        ("y = self.one(x).squeeze()", _SQUEEZED),
        ("y = self.given(x).squeeze()", _SQUEEZED),
        ("y = torch.squeeze(self.given(x))", _SQUEEZED),
        ("y = self.given(x).squeeze(2)", _OPEN),
        ("y = self.given(x).squeeze() if flag else self.given(x)", _OPEN),
        ("y = self.given(x) if flag else x", _OPEN),
        ("y = self.fc(x) if flag else self.conv(x)", _OPEN),
        ("y = self.given(x)[:4]", _OPEN),
        ("y = self.fc(x)[..., :1]", _OPEN),
    ],
)
def test_features_stay_the_last_dimension_and_on_some_way(made: str, said: str) -> None:
    assert _said(_NET.format(made)) == said


_ROWS = """def f(w, n, flag):
    kept = []
    for i in range(w.size(1)):
        {}
        kept.append(F.softmax({}))
    return kept
"""
_IF_ALL = "write dim=1, if line 7 names all dimensions of w"


@pytest.mark.parametrize(
    ("made", "given", "said"),
    [
        ("b = w[:n, i, :]", "b.transpose(0, 1)", _IF_ALL),
        ("b = w[:n, i, :] * 2", "b", _IF_ALL),
        ("b = torch.gather(w[:n, i, :], 0, n)", "b.transpose(0, 1)", _IF_ALL),
        (
            "if flag: b = w[:n, i, :] * flag\n        else: b = w[:n, i, :]",
            "b",
            _IF_ALL,
        ),
        ("b = w[0, i, :]", "b", "write dim=0, if line 7 names all dimensions of w"),
        ("b = w[:, 1:]", "b", _IF_ALL),
        ("b = w[:, :n] / 2", "b", _IF_ALL),
        ("b = w[:n, 1:]", "b", _OPEN),
        ("b = w[:, 1:]; w.size(2)", "b", _OPEN),
        ("b = w[:n, i]", "b", _OPEN),
        ("b = w[:, i, :n]", "b", _OPEN),
        ("b = w[:, :, i, :]", "b", _OPEN),
        ("b = w[:n, flag, :]", "b", _OPEN),
        ("b = w[..., i, :]", "b", _OPEN),
        ("b = w[:n, :]", "b", _OPEN),
        ("if flag: b = w[:n, i, :]\n        else: b = w[0, i, :]", "b", _OPEN),
        ("if flag: b = w[:n, i, :]\n        else: b = flag", "b", _OPEN),
        ("b = flag(w[:n, i, :])", "b", _OPEN),
    ],
)
def test_an_index_that_ends_with_a_whole_dimension_names_all(
    made: str, given: str, said: str
) -> None:
    assert _said(_ROWS.format(made, given)) == said


_COMMENT = "write dim=1 for the two dimensions that the comment of line {} gives"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["p = F.softmax(x)  # (batch, classes)"], _COMMENT.format(5)),
        (["p = F.softmax(x)  # [B x C]"], _COMMENT.format(5)),
        (["p = F.softmax(x)  # p: (n, 2*k)"], _COMMENT.format(5)),
        (["x = g(x)  # (n, 10)", "p = F.softmax(x)"], _COMMENT.format(5)),
        (["x, y = g(x)  # x : (n, 10)", "p = F.softmax(x)"], _COMMENT.format(5)),
        (["return F.softmax(x)  # (n, 10)"], _COMMENT.format(5)),
        (["p = F.softmax(", "    x)  # (n, 10)"], _COMMENT.format(6)),
        (["p = F.softmax(x)  # (batch, length, classes)"], _OPEN),
        (["p = F.softmax(x)  # y: (n, 10)"], _OPEN),
        (["p = F.softmax(x)  # softmax(x, y)"], _OPEN),
        (["p = F.softmax(x)  # p(n, 10)"], _OPEN),
        (["p = F.softmax(x)  # (not sure, yet) (n, 10)"], _OPEN),
        (["p = g(F.softmax(x))  # (n, 10)"], _OPEN),
        (["x, y = g(x)  # (n, 10)", "p = F.softmax(x)"], _OPEN),
        (["x = g(x)  # (n, 10)", "x = g(x)", "p = F.softmax(x)"], _OPEN),
        (["if g: x = g(x)  # (n, 10)", "p = F.softmax(x)"], _OPEN),
        (["# (n, 10)", "p = F.softmax(x)"], _OPEN),
    ],
)
def test_a_comment_that_gives_two_sizes_names_the_dim(lines: list[str], said: str) -> None:
    assert _said("def f(x, g):\n    " + "\n    ".join(lines) + "\n") == said


def test_a_comment_is_no_proof() -> None:
    code = f"{_HEAD}def f(x):\n    return F.softmax(x)  # (n, 10)\n"
    assert migrate(code, "TP302").text == code


@pytest.mark.parametrize(
    ("used", "said"),
    [
        ("F.log_softmax(x).gather(0, k)", "write dim=0, along which line 5 takes gather() of the"),
        ("torch.gather(F.softmax(x), 0, k)", "write dim=0, along which line 5 takes gather() of"),
        ("F.softmax(x).gather(2, k)", _OPEN),
        ("k.gather(0, F.softmax(x))", _OPEN),
        ("F.softmax(x).max(0)", _OPEN),
        ("F.softmax(x).transpose(0, 1).gather(0, k)", _OPEN),
    ],
)
def test_what_is_gathered_of_a_vector_names_its_only_dimension(used: str, said: str) -> None:
    assert _said(f"def f(x, k):\n    return {used}\n").startswith(said)


_INDEXED = "write dim=1, for line {} indexes 4 dimensions of the result"
_LOOP = """def f(x, xs, n):
    to_numpy = lambda p: p.data.cpu().numpy()
    column = lambda p, k=0: p.data[k]
    for {} in {}:
        for i in range(n):
            print({})
"""


@pytest.mark.parametrize(
    ("name", "gone_through", "shown", "line"),
    [
        ("y", "range(n)", "F.softmax(x)[i, :, i, y]", 0),
        ("p", "[F.softmax(x)]", "p[i, :, i, 2]", 9),
        ("p", "[F.softmax(y) for y in xs]", "p[i, :, i, i + 1]", 9),
        ("p, y", "zip([F.softmax(y) for y in xs], xs)", "p[i, :, :, 2]", 9),
        ("p, y", "zip(xs, [F.softmax(y) for y in xs])", "p[i, :, i, 2], y", None),
        ("y, p", "enumerate([F.softmax(y) for y in xs])", "p[0, :, i, i]", 9),
        ("p", "[to_numpy(F.softmax(y)) for y in xs]", "p[i, :, i, i]", 9),
        ("p", "[column(F.softmax(y)) for y in xs]", "p[i, :, i, i]", None),
        ("p", "[F.softmax(y) for y in xs]", "p[i, :, x, i]", None),
        ("p", "[F.softmax(y) for y in xs]", "p[i, :, None, i]", None),
        ("p", "[F.softmax(y) for y in xs]", "p[i, ..., i, i]", None),
        ("p", "[F.softmax(y) for y in xs]", "p[i, :, i]", None),
    ],
)
def test_four_indices_name_the_second_dimension(
    name: str, gone_through: str, shown: str, line: int | None
) -> None:
    code = _LOOP.format(name, gone_through, shown)
    if line == 0:
        # Nothing has fewer dimensions there, and of four torch takes the second.
        assert migrate(_HEAD + code, "TP302").text == _HEAD + code.replace("(x)", "(x, dim=1)")
    else:
        assert _said(code) == (_OPEN if line is None else _INDEXED.format(line))


_CLASSIFIED = """def f(xs, net, alpha=1.0):
    for i, x in enumerate(xs):
        _, scores = net(x)
        p = F.softmax({})
        if i:
            kept = torch.cat((kept, scores.data.cpu().float()), 0)
        else:
            kept = scores.data.cpu(){}
    return p, {}
"""


@pytest.mark.parametrize(
    ("given", "cast", "chosen", "said"),
    [
        ("scores", ".float()", "torch.max(kept, 1)", "takes max() of the same tensor"),
        ("alpha * scores", ".float()", "torch.max(kept, 1)", "takes max() of scores"),
        ("scores / alpha", "", "kept.max(1)[1]", "takes max() of scores"),
        ("scores", ".float()", "torch.max(kept, 0)", _OPEN),
        ("scores", ".t()", "torch.max(kept, 1)", _OPEN),
        ("scores", ".float()", "kept", _OPEN),
    ],
)
def test_the_largest_of_a_kept_input_names_the_dim(
    given: str, cast: str, chosen: str, said: str
) -> None:
    assert _said(_CLASSIFIED.format(given, cast, chosen)).endswith(said)


@pytest.mark.parametrize(
    ("total", "said"),
    [
        ("sum(ps)", "write dim=1, along which line 8 takes max() of the result"),
        ("len(ps)", _OPEN),
        ("sum(ps, x)", _OPEN),
    ],
)
def test_a_sum_of_results_has_their_dimensions(total: str, said: str) -> None:
    code = "def f(xs, net):\n    ps = [F.softmax(net(x)) for x in xs]\n    x = xs\n"
    code += f"    p = {total}\n    return p.max(1)\n"
    assert _said(code) == said


def test_sizes_of_one_decide_for_what_is_scaled_too() -> None:
    assert _said("def f(x, t):\n    return F.softmax(x.squeeze() / t)\n") == _SQUEEZED
    assert _said("def f(x, t):\n    return F.softmax(x.squeeze() + t)\n") == _OPEN


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            "def g(x):\n    return F.softmax(x, dim=0)\n",
            "write dim=0, as line 7 does, if x is alike there",
        ),
        ("def g(x):\n    return F.softmax(x, dim=0), F.softmax(x, dim=1)\n", _OPEN),
        ("def g(y):\n    return F.softmax(y, dim=0)\n", _OPEN),
        ("def g(x, dim):\n    return F.softmax(x, dim=dim)\n", _OPEN),
        ("def g(y):\n    x = y.t()\n    return F.softmax(x, dim=0)\n", _OPEN),
    ],
)
def test_a_parameter_of_the_same_name_names_the_dim(other: str, said: str) -> None:
    assert _said(f"def f(x):\n    return F.softmax(x)\n{other}").startswith(said)


_SHOWN = (
    "write dim=1, along which line 7 takes max() of the result of line 7, if out(h) is alike there"
)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("def g(out, h):\n    return F.softmax(out(h)).max(1)[1]\n", _SHOWN),
        (
            "def g(out, h):\n    h = 2 * h\n    return F.softmax(out(h)).max(1)\n",
            _SHOWN.replace("7", "8"),
        ),
        (
            "def g(out, h):\n    return F.softmax(out(h), dim=0)\n",
            "write dim=0, as line 7 does, if out(h) is alike there",
        ),
        ("def g(out, h):\n    return F.softmax(out(h), dim=0), F.softmax(out(h)).max(1)\n", _OPEN),
        ("def g(out, h):\n    return F.softmax(out(h))\n", _OPEN),
        ("def g(out, x):\n    return F.softmax(out(x)).max(1)\n", _OPEN),
        ("def g(h):\n    out = make()\n    return F.softmax(out(h)).max(1)\n", _OPEN),
    ],
)
def test_what_a_parameter_gives_elsewhere_names_the_dim(other: str, said: str) -> None:
    code = f"def f(out, h):\n    return F.softmax(out(h))\n{other}"
    messages = [finding.message for finding in advice("TP302", _HEAD + code)]
    assert messages[0].rpartition(": ")[2].startswith(said)


def test_a_line_from_torch_0_1_asks_for_no_third_dimension() -> None:
    code = (
        "import torch\nimport torch.nn.functional as F\nfrom torch.autograd import Variable\n"
        "def f(net, state, env):\n    p = F.softmax(net(Variable(state, volatile=True)))\n"
        "    best = p.max(1)[1].data.numpy()\n    return env.step(best[0, 0])\n"
    )
    (found,) = advice("TP302", code)
    taken = "torch takes dim=0 of the inputs with 3 dimensions, dim=1 of those with 2, 4 or more"
    named = "write dim=1, along which line 6 takes max() of the result"
    assert found.message == f"without dim, which is deprecated, {taken}: {named}"
    (found,) = advice(
        "TP302", code.replace(", volatile=True", "").replace("p.max(1)[1]", "p.argmax(1)")
    )
    assert "inputs with 3 dimensions, dim=1 of those with 4 or more" in found.message
    assert found.message.endswith("line 6 takes argmax() of the result")


_NAMED = "write dim=1, if line {} {} of {}"
_ASKS, _SWAPS = "asks for the last size", "swaps the only two dimensions"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("p = F.softmax(x)\n    return p.size()[1]", _NAMED.format(6, _ASKS, "p")),
        ("p = F.softmax(x)\n    return p.size(1)", _NAMED.format(6, _ASKS, "p")),
        (
            "p = F.softmax(x)\n    for y in ys:\n        if p.shape[1] == y:\n            break",
            _NAMED.format(7, _ASKS, "p"),
        ),
        ("p = F.softmax(x)\n    return x.shape[1]", _NAMED.format(6, _ASKS, "x")),
        ("return F.softmax(torch.transpose(x[:4], 0, 1))", _NAMED.format(5, _SWAPS, "x[:4]")),
        ("soft = nn.Softmax()\n    return soft(x.transpose(0, 1))", _NAMED.format(6, _SWAPS, "x")),
        ("p = F.softmax(x)\n    return p.size(0)", _OPEN),
        ("p = F.softmax(x)\n    return p.size(-1)", _OPEN),
        ("p = F.softmax(x)\n    return x.size(-2)", _OPEN),
        ("return F.softmax(x.transpose(-2, -1))", _OPEN),
        ("return F.softmax(x.transpose(1, 2))", _OPEN),
    ],
)
def test_a_line_that_names_the_second_dimension_names_the_dim(body: str, said: str) -> None:
    assert _said(f"def f(x, ys):\n    {body}\n") == said


_LAYER = """
def f(net, x, s):
    soft = nn.Softmax()
    p = soft({})
    p = torch.distributions.Categorical(p).sample()
    q = soft({})
    return p, net(q)
"""


def test_one_layer_has_the_dim_of_what_it_is_given_alike() -> None:
    said = "write dim=-1, along which line 8 takes Categorical() of the result"
    assert _said(_LAYER.format("x[:s] + 1", "x[:s] + 1")) == said
    # What else it is given may have other dimensions.
    assert _said(_LAYER.format("x[:s] + 1", "x + 1")) == _OPEN


_WEIGHED = """
def f(x, y, memory):
    p = F.softmax(torch.bmm(x, memory.transpose(1, 2)).squeeze(1))
    return torch.sum(p.unsqueeze({}) * memory, dim=1)
"""


def test_a_new_last_dimension_leaves_the_second_in_its_place() -> None:
    said = "write dim=1, along which line 7 takes sum() of the result"
    assert _said(_WEIGHED.format("-1")) == said
    assert _said(_WEIGHED.format("2")) == said
    assert _said("def f(x, y):\n    return (F.softmax(x).unsqueeze(-1) * y).sum(1)\n") == _OPEN
    assert _said("def f(x):\n    return F.softmax(x).unsqueeze(-1).sum(1)\n") == _OPEN


_EITHER = """
class A(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.out = nn.Linear(3, n)
class B(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.out = {}
class Decoder(object):
    def __init__(self, kind):
        if kind:
            self.model = A(3)
        else:
            self.model = B(3)
    def run(self, x):
        return F.softmax(self.model.out(x))
"""


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        (
            "nn.Linear(4, n).cuda()",
            "write dim=-1 for the features of self.model.out, if these are meant",
        ),
        ("nn.Conv2d(4, n, 1)", _OPEN),
        ("n", _OPEN),
    ],
)
def test_the_same_layer_of_either_model_names_the_dim(layer: str, said: str) -> None:
    assert _said(_EITHER.format(layer)) == said


_TWICE = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.soft = nn.Softmax()
    def forward(self, x):
        return self.soft(x.transpose(0, 1))
    def weights(self, x):
        return {}
"""


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("self.soft(x.t())", _OPEN),
        ("self.soft(x.transpose(1, 0))", _NAMED.format(9, _SWAPS, "x")),
        ("self.soft(x.transpose(1, 2))", _OPEN),
        ("self.soft(x)", _OPEN),
    ],
)
def test_a_layer_that_is_applied_several_times_has_all_its_inputs_swapped(
    other: str, said: str
) -> None:
    assert _said(_TWICE.format(other)) == said


_COMPARED = "write dim={}, along which {} gives what kl_div compares it with"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            "F.kl_div(F.log_softmax(y, dim=1), F.softmax(x / t))",
            _COMPARED.format(1, "log_softmax"),
        ),
        (
            "F.kl_div(target=F.softmax(x), input=F.log_softmax(y, -1))",
            _COMPARED.format(-1, "log_softmax"),
        ),
        ("F.kl_div(F.log_softmax(x), F.softmax(y, 1))", _COMPARED.format(1, "softmax")),
        (
            "p = F.log_softmax(y, dim=1)\n    return F.kl_div(p, F.softmax(x))",
            _COMPARED.format(1, "log_softmax"),
        ),
        ("F.kl_div(F.log_softmax(y, dim=d), F.softmax(x))", _OPEN),
        ("F.kl_div(y, F.softmax(x))", _OPEN),
        ("F.kl_div(F.log_softmax(y, dim=1), F.softmax(x) * t)", _OPEN),
        ("mix(F.log_softmax(y, dim=1), F.softmax(x))", _OPEN),
        ("F.kl_div(*given, F.softmax(x), F.softmax(y, 1))", _OPEN),
    ],
)
def test_what_kl_div_compares_lies_alike(lines: str, said: str) -> None:
    lines = lines if "return" in lines else f"return {lines}"
    assert _said(f"def f(x, y, t, d, given):\n    {lines}\n") == said
