"""TP302 where columns of sums, targets of losses, indices and lists of layers show the dimensions."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate

_HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

#: Written with torch 0.3 at most.
_OLD = (
    f"{_HEAD}from torch.autograd import Variable\nflag = Variable(torch.zeros(1), volatile=True)\n"
)

_COLUMN = "def probs(x, q):\n    p = F.softmax(x)\n    {}\n"


@pytest.mark.parametrize(
    "lines",
    [
        "return p / p.sum(1).view(-1, 1)",
        "return p / p.sum(1).view(-1, 1).expand_as(p)",
        "n = p.norm(2, 1).view(-1, 1).expand_as(p); return p / n",
        "return torch.div(p, torch.sum(p, 1).view(-1, 1))",
        "return p - p.pow(2).sum(1).sqrt().reshape(-1, 1)",
        "return p / p.max(1)[0].view(-1, 1)",
        "p = p + 1e-5 / p.size(1); p = p / p.sum(1).view(-1, 1).expand_as(p); return p",
    ],
)
def test_a_column_of_sums_goes_with_rows(lines: str) -> None:
    code = _HEAD + _COLUMN.format(lines)
    assert migrate(code, "TP302").text == code.replace("softmax(x)", "softmax(x, dim=1)")


@pytest.mark.parametrize(
    "lines",
    [
        "return p / p.sum(2).view(-1, 1)",
        # A batch of one sequence has as many rows.
        "return p / p.sum(-1).view(-1, 1)",
        "return p / p.sum(1).unsqueeze(1)",
        "return p / q.sum(1).view(-1, 1)",
        "return q.sum(1).view(-1, 1).expand_as(p)",
        "return p / p.sum(1).view(-1, 2)",
        "return p / p.sum(1).view(-1, 1, 1)",
        "return (p, p.sum(1).view(-1, 1))",
        "if q: return p / p.sum(1).view(-1, 1)",
    ],
)
def test_another_column_shows_nothing(lines: str) -> None:
    code = _HEAD + _COLUMN.format(lines)
    assert migrate(code, "TP302").text == code
    assert advice("TP302", code)


def test_what_is_divided_by_its_column_has_two_dimensions() -> None:
    code = "def probs(x):\n    x = x / x.norm(2, 1).view(-1, 1)\n    return F.softmax(x)\n"
    assert "softmax(x, dim=1)" in migrate(_HEAD + code, "TP302").text


_TARGET = """class Loss(nn.Module):
    def __init__(self, h, v):
        super().__init__()
        self.embedding = nn.Embedding(v, h)
        self.fc = nn.Linear(h, v)
        self.loss = {}
    def forward(self, scores, y):
        p = F.softmax(self.fc(self.embedding(y)))
        {}
"""


@pytest.mark.parametrize(
    ("made", "lines"),
    [
        ("nn.CrossEntropyLoss()", "return self.loss(scores, y), p"),
        ("nn.NLLLoss()", "total = self.loss(input=scores, target=y); return total, p"),
        ("nn.NLLLoss2d()", "return self.loss(scores, y), p"),
        ("None", "return F.cross_entropy(scores, y), p"),
        ("None", "return F.nll_loss(scores, y, reduce=False), p"),
    ],
)
def test_a_target_of_classes_has_one_dimension_less_than_they(made: str, lines: str) -> None:
    code = _OLD + _TARGET.format(made, lines)
    assert migrate(code, "TP302").text == code.replace("(y)))", "(y)), dim=1)")


@pytest.mark.parametrize(
    ("head", "made", "lines"),
    [
        # Since torch 0.4 it may have any number.
        (_HEAD, "nn.CrossEntropyLoss()", "return self.loss(scores, y), p"),
        # Since torch 1.10 it may be what each class is likely.
        (_HEAD, "None", "return F.cross_entropy(scores.view(-1, 3), y), p"),
        (_OLD, "nn.MSELoss()", "return self.loss(scores, y), p"),
        (_OLD, "nn.CrossEntropyLoss()", "return self.loss(y, scores.view(-1).tolist()), p"),
        (_OLD, "nn.CrossEntropyLoss()", "return p if scores else self.loss(scores, y)"),
        (_OLD, "nn.CrossEntropyLoss()", "y = scores.pick(y); return self.loss(scores, y), p"),
        (_OLD, "nn.CrossEntropyLoss()", "return self.loss(scores, *y), p"),
    ],
)
def test_another_target_shows_nothing(head: str, made: str, lines: str) -> None:
    code = head + _TARGET.format(made, lines)
    assert migrate(code, "TP302").text == code


def test_the_target_of_rows_is_a_vector() -> None:
    code = _HEAD + _TARGET.format("None", "return F.nll_loss(scores.view(-1, 3), y), p")
    assert "(y)), dim=1)" in migrate(code, "TP302").text


_LAYERS = """class Cut(nn.Module):
    def forward(self, x):
        return x.max(1)[0]
class Net(nn.Module):
    def __init__(self, n, h, more):
        super().__init__()
        layers = [nn.Linear(h, h)]
        {}
        self.body = nn.Sequential(*layers)
    def forward(self, x):
        return F.softmax(self.body(x.view({})))
"""


@pytest.mark.parametrize(
    ("lines", "sizes", "dim"),
    [
        ("pass", "-1, 4", 1),
        ("layers.append(nn.ReLU())", "-1, 4", 1),
        ("for i in range(n): layers += [nn.Linear(h, h), nn.ReLU()]", "-1, 4", 1),
        ("layers = layers + [nn.ReLU()]", "-1, 4", 1),
        ("layers.append(nn.ReLU())", "-1, 4, 4", 0),
        # Of one dimension or two torch takes the last.
        ("layers += [Cut()]", "-1, 4", -1),
    ],
)
def test_layers_of_a_list_may_come_in_any_order(lines: str, sizes: str, dim: int) -> None:
    code = _HEAD + _LAYERS.format(lines, sizes)
    assert migrate(code, "TP302").text == code.replace(
        f"x.view({sizes})))", f"x.view({sizes})), dim={dim})"
    )


@pytest.mark.parametrize(
    "lines",
    [
        "layers += [Cut()]",
        "layers.append(Cut())",
        "layers.insert(0, Cut())",
        "layers[0] = Cut()",
        "layers += more",
        "layers = layers + more",
        "layers -= [nn.ReLU()]",
        "layers.extend(more)",
        "other = layers; other.append(Cut())",
        "self.layers = layers",
        "layers.append(more)",
    ],
)
def test_a_list_of_what_is_not_known_shows_nothing(lines: str) -> None:
    code = _HEAD + _LAYERS.format(lines, "-1, 4, 4, 4")
    assert migrate(code, "TP302").text == code


_ROWS = """class Flatten(nn.Module):
    def forward(self, x):
        return x.view(x.size(0), -1)
class Net(nn.Module):
    def __init__(self, n, more):
        super().__init__()
        layers = {}
        self.net = nn.Sequential(*layers)
"""


@pytest.mark.parametrize(
    ("layers", "is_written"),
    [
        ("[Flatten(), nn.BatchNorm1d(n), nn.Linear(n, 3), nn.LogSoftmax()]", True),
        ("[more, nn.BatchNorm1d(n), nn.Linear(n, 3), nn.LogSoftmax()]", False),
    ],
)
def test_all_layers_before_one_show_its_dimensions(layers: str, is_written: bool) -> None:
    code = _HEAD + _ROWS.format(layers)
    text = migrate(code, "TP302").text
    assert ("nn.LogSoftmax(dim=1)" in text) is is_written
    assert (text != code) is is_written


def test_what_is_asked_below_counts_for_what_is_made_before() -> None:
    code = (
        "def probs(x):\n    y = x.exp()\n    p = F.softmax(y + 1)\n"
        "    n, m = x.size()\n    return p, n, m\n"
    )
    assert "y + 1, dim=1" in migrate(_HEAD + code, "TP302").text


def test_a_bag_of_embeddings_gives_rows_and_one_that_compares_two_does_not() -> None:
    code = (
        "class Net(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
        "        self.bag = nn.EmbeddingBag(n, 3)\n        self.cos = nn.CosineSimilarity(dim=2)\n"
        "    def forward(self, x, y):\n        assert x.dim() == 3\n"
        "        return F.softmax(self.bag(y)), F.log_softmax(self.cos(x, y))\n"
    )
    text = migrate(_HEAD + code, "TP302").text
    assert "self.bag(y), dim=1)" in text
    assert "self.cos(x, y))\n" in text


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("return F.softmax(x)", "the parameter x of probs() has two, four"),
        ("s = net(x)\n    return F.softmax(s)", "s of line 5 has two, four"),
        ("s = net(x)\n    return nn.Softmax()(s)", "s of line 5 has two, four"),
        ("return F.softmax(net(x).squeeze())", "net(x).squeeze() has two, four"),
        ("s = x if net else net(x)\n    return F.softmax(s)", "s of line 5 has two, four"),
        ("if net: x = net(x)\n    return F.softmax(x)", "x has two, four"),
        ("f = nn.Softmax()\n    return f(x), f(net(x))", "what it is given has two, four"),
        (
            "n = x.size(2)\n    return F.softmax(x)",
            "the parameter x of probs() has four",
        ),
    ],
)
def test_what_is_left_open_names_the_place_that_decides(lines: str, said: str) -> None:
    code = f"{_HEAD}def probs(x, net):\n    {lines}\n"
    (found,) = advice("TP302", code)
    assert f"torch takes dim=1 if {said} or more dimensions, dim=0 if it has " in found.message


_TWICE = """class Loss(nn.Module):
    def forward(self, x, y):
        self.p = F.softmax(x{dim})
        q = F.softmax(y)
        self.p_log = F.log_softmax(self.p)
        return F.log_softmax(q) * self.p{other}
"""


def test_a_softmax_of_another_one_takes_the_same_dim() -> None:
    code = f"{_HEAD}{_TWICE.format(dim='', other='')}"
    first = code[: code.index("self.p =")].count("\n") + 1
    said = {finding.line - first: finding.message for finding in advice("TP302", code)}
    same = "without dim, which is deprecated, torch takes the same dim as line {}, which "
    assert "the parameter x of forward()" in said[0] and "the parameter y of forward()" in said[1]
    assert said[2] == f"{same.format(first)}makes the input: say both alike"
    assert said[3] == f"{same.format(first + 1)}makes the input: say both alike"


@pytest.mark.parametrize(
    ("dim", "other"),
    [("", "\n    def set(self, p):\n        self.p = p"), (", dim=n", "")],
)
def test_what_may_be_made_otherwise_is_told_by_its_dimensions(dim: str, other: str) -> None:
    code = f"{_HEAD}{_TWICE.format(dim=dim, other=other)}"
    line = code[: code.index("self.p_log")].count("\n") + 1
    (said,) = [finding.message for finding in advice("TP302", code) if finding.line == line]
    assert "torch takes dim=1 if self.p has two, four or more dimensions" in said


@pytest.mark.parametrize(
    "below, dim",
    [
        # Taken back through one operation after the other, to the result of the softmax.
        ("q = p.sum(1); return torch.dot(q, y)", "1"),
        ("return torch.mm(torch.mean(p, 2), y)", "0"),
        # What was taken of a vector was one until torch 0.3.
        ("return p[0].dot(y)", "-1"),
        ("torch.no_grad(); return p[0].dot(y)", "1"),
        ("p.sum(0)[0]; return p.multinomial(1)", "-1"),
        ("torch.no_grad(); p.sum(0)[0]; return p.multinomial(1)", "1"),
        ("return torch.mm(p[:, 0], y)", "0"),
        ("return torch.bmm(p[None], y)", "1"),
        ("return torch.mm(torch.sum(p.unsqueeze(-1) * y, 1), y)", "-1"),
        ("return torch.mm(fc(p), y)", "1"),
        ("return torch.mm(F.relu(p), y)", "1"),
        ("p, i = p.sort(1); return torch.mm(p, y)", "1"),
        ("q, i = p.max(2); return torch.mm(q, y)", "0"),
        ("return torch.mm(p.median(2)[0], y)", "0"),
        ("p.data.cpu().numpy()[0][1]; return p.multinomial(1)", "1"),
        ("q = p.tolist()[0]; q[1]; return p.multinomial(1)", "1"),
        ("q = p.tolist()[y]; q[1]; return p.multinomial(1)", "-1"),
        ("p.data.cpu().numpy()[:1]; return p.multinomial(1)", "-1"),
        ("q = p.mean(2).squeeze(1); return torch.bmm(q.unsqueeze(1).unsqueeze(2), y)", "0"),
        ("return p[0].squeeze(0).dot(y)", None),
        ("return torch.dot(torch.squeeze(fc(p).t()), y)", "-1"),
        # A reduction kept its dimension in torch 0.1: this may have two or three.
        ("return torch.mm(p.mean(1), y)", None),
        ("return torch.mm(p.max(1)[0], y)", None),
        ("return p.sum(1).sum(2)", None),
        # The row of what one knows nothing of, and the first of several.
        ("return torch.mm(p[y], y)", None),
        ("return torch.mm(p.sort(1), y)", None),
        ("return torch.mm(fc(p, y), y)", None),
        ("return torch.mm(p.view(3, 4), y)", None),
    ],
)
def test_what_is_made_of_the_result_shows_its_dimensions(below: str, dim: str | None) -> None:
    text = (
        "import torch, torch.nn as nn, torch.nn.functional as F\nfc = nn.Linear(3, 4)\n"
        f"def f(x, y):\n    p = F.softmax(x)\n    {below}\n"
    )
    migrated = migrate(text, "TP302").text
    assert migrated == (
        text if dim is None else text.replace("F.softmax(x)", f"F.softmax(x, dim={dim})")
    )


_SAME = _OLD + "def f(x, y, t, fast):\n    return F.softmax(x / 2){}\n"


@pytest.mark.parametrize(
    "beside",
    [" * 2 + F.cross_entropy(x, y)", ", x.mm(t)", ".mul(\n        x.mm(t))"],
)
def test_what_stands_in_the_same_statement_counts(beside: str) -> None:
    code = _SAME.format(beside)
    written = code.replace("softmax(x / 2)", "softmax(x / 2, dim=1)")
    assert migrate(code, "TP302").text == written


@pytest.mark.parametrize(
    "beside",
    [
        " if fast else x.mm(t)",
        ", fast and x.mm(t)",
        ", lambda: x.mm(t)",
        ", [x.mm(t) for x in t]",
        ", t.mm(y)",
    ],
)
def test_what_may_not_run_with_it_shows_nothing(beside: str) -> None:
    code = _SAME.format(beside)
    assert migrate(code, "TP302").text == code


_DIVERGENCE = "def loss(y, t):\n    y = y.view(-1, 10)\n    return {}\n"


@pytest.mark.parametrize(
    "line",
    [
        "F.kl_div(F.log_softmax(y / 4), F.softmax(t / 4))",
        "nn.KLDivLoss()(F.log_softmax(y / 4), F.softmax(t / 4))",
        "nn.KLDivLoss(reduction='sum')(F.log_softmax(t), F.softmax(y))",
    ],
)
def test_two_distributions_whose_divergence_is_taken_are_of_one_shape(line: str) -> None:
    code = _HEAD + _DIVERGENCE.format(line)
    after = migrate(code, "TP302").text
    assert after.count("dim=1") == 2 and not advice("TP302", after)


@pytest.mark.parametrize(
    "line",
    [
        "F.mse_loss(F.softmax(t), F.softmax(y))",
        "F.kl_div(F.log_softmax(y), t), F.softmax(t)",
        "F.kl_div(F.log_softmax(y), F.softmax(t).mean(0))",
    ],
)
def test_other_losses_may_take_what_has_fewer_dimensions(line: str) -> None:
    after = migrate(_HEAD + _DIVERGENCE.format(line), "TP302").text
    assert after.count("dim=1") == 1 and "softmax(y, dim=1)" in after
