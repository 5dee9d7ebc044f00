from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.support.rules import advice, keeps
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
fc, wide, pool = nn.Linear(4, 1), nn.Linear(4, 2), nn.AdaptiveAvgPool2d(1)
head = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1), nn.Sigmoid())
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Linear(4, out_features=1)
    def forward(self, x):
        value = self.value(x)
        return torch.tanh(value)
class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Linear(4, 1)
    def forward(self, x):
        if self.training:
            return x
        return self.value(x)
critic, actor = Critic(), Actor()
h = torch.randn(2, 4)
"""

_FORMS = {
    "fc(h).squeeze()": "squeeze(-1)",
    "torch.squeeze(fc(h))": "squeeze(-1)",
    "head(h).squeeze()": "squeeze(-1)",
    "critic(h).squeeze()": "squeeze(-1)",
    "F.sigmoid(fc(h)).squeeze()": "squeeze(-1)",
    "fc(h).sigmoid().squeeze()": "squeeze(-1)",
    "fc(h).data.cpu().squeeze()": "squeeze(-1)",
    "pool(x).squeeze()": "flatten(1)",
    "F.adaptive_avg_pool2d(x, (1, 1)).squeeze()": "flatten(1)",
    "(h > 0.5).nonzero().squeeze()": "squeeze(1)",
    "unknown.nonzero().squeeze()": "squeeze(1)",
    "torch.nonzero(mask).squeeze()": "squeeze(1)",
    "torch.bmm(states, query.unsqueeze(2)).squeeze()": "squeeze(-1)",
    "states.bmm(query.unsqueeze(-1)).squeeze()": "squeeze(-1)",
    "torch.bmm(query.unsqueeze(1), states).squeeze()": "squeeze(1)",
    "torch.bmm(query.unsqueeze(1), states.unsqueeze(2)).squeeze()": "squeeze(2).squeeze(1)",
    "q.unsqueeze(1).bmm(states).bmm(q.unsqueeze(2)).squeeze()": "squeeze(2).squeeze(1)",
    "q.unsqueeze(1).bmm(torch.bmm(states, q.unsqueeze(2))).squeeze()": "squeeze(2).squeeze(1)",
    "F.log_softmax(h, 1).gather(1, labels.unsqueeze(1)).squeeze()": "squeeze(1)",
    "torch.gather(h, 0, labels.unsqueeze(0)).neg().squeeze()": "squeeze(0)",
    "h.gather(-1, labels.unsqueeze(-1)).squeeze()": "squeeze(-1)",
    "h.view(-1, 1).squeeze()": "squeeze(1)",
    "torch.squeeze((h + 1).view(n * k, 1).data)": "squeeze(1)",
    "torch.zeros(n, 1).index_select(0, rows).squeeze()": "squeeze(1)",
}


@pytest.mark.parametrize("squeezed", _FORMS)
def test_writes_the_dimension_that_is_meant(squeezed: str) -> None:
    (finding,) = advice("TP404", f"{_HEAD}scores = {squeezed}\nscores[0]\n")
    told, _, written = finding.message.partition(" needs: write ")
    of = "index" if "nonzero" in squeezed else "sample"
    line = _HEAD.count("\n") + 2
    start = f"squeeze() also drops the dimension of a single {of}, which "
    assert told == f"{start}scores[0] in line {line}"
    assert written.endswith(_FORMS[squeezed])


@pytest.mark.parametrize(
    ("joined", "beside"),
    [
        ("state.squeeze()", "; state.squeeze() drops it too"),
        ("state.squeeze(), other.squeeze()", "; state.squeeze() and other.squeeze() drop it too"),
        ("state.squeeze(1)", ""),
        ("np.squeeze(state)", ""),
        # Told of by itself.
        ("fc(z).squeeze()", ""),
    ],
)
def test_what_loses_its_dimension_beside_it_is_named(joined: str, beside: str) -> None:
    code = (
        f"{_HEAD}def f(state, other, z):\n    out = fc(h).squeeze()\n    torch.cat([out, {joined}])"
    )
    found = advice("TP404", code)
    assert found[0].message.endswith(f"needs: write fc(h).squeeze(-1){beside}")


_MINDED = {
    "item": ("out = fc(h).squeeze()\nout[0]", "out[0] in line 25"),
    "last item": ("fc(h).squeeze()[-1]", "fc(h).squeeze()[-1] in line 24"),
    "slice": ("out = fc(h).squeeze()\nout[:3]", "out[:3] in line 25"),
    "column": ("out = pool(x).squeeze()\nout[:, 1]", "out[:, 1] in line 25"),
    "rows that a mask chooses": ("out = fc(h).squeeze()\nout[mask]", "out[mask] in line 25"),
    "written into": ("out = fc(h).squeeze()\nout[0] = 1.0", "out[0] in line 25"),
    "loop": ("i = mask.nonzero().squeeze()\nfor j in i:\n    print(j)", "the loop in line 25"),
    "list of its elements": ("i = mask.nonzero().squeeze()\n[j for j in i]", "the loop in line 25"),
    "length": ("i = mask.nonzero().squeeze()\nif len(i) > 1:\n    pass", "len(i) in line 25"),
    "list": (
        "i = mask.nonzero().squeeze()\nlist(i.cpu().numpy())",
        "list(i.cpu().numpy()) in line 25",
    ),
    "pairs": ("out = fc(h).squeeze()\nzip(names, out.data)", "zip(names, out.data) in line 25"),
    "extended": ("out = fc(h).squeeze()\nall_of.extend(out)", "all_of.extend(out) in line 25"),
    "size": ("i = mask.nonzero().squeeze()\nn = i.size(0)", "i.size(0) in line 25"),
    "shape": ("i = mask.nonzero().squeeze()\nn = i.shape[0]", "i.shape[0] in line 25"),
    "first of its sizes": (
        "i = mask.nonzero().squeeze()\nn = i.size()[0]",
        "i.size()[0] in line 25",
    ),
    "sizes": ("out = pool(x).squeeze()\nrows, columns = out.size()", "out.size() in line 25"),
    "parts": ("a, b = fc(h).squeeze()", "line 24"),
    "joined": ("out = fc(h).squeeze()\nz = torch.cat([out, y])", "torch.cat([out, y]) in line 25"),
    "joined later": (
        "kept = []\nfor h in hs:\n    kept.append(fc(h).squeeze())\nz = torch.cat(kept, 0)",
        "torch.cat(kept, 0) in line 27",
    ),
    "joined as arrays": (
        "kept = []\nfor h in hs:\n    kept.append(fc(h).squeeze().data.cpu().numpy())\n"
        "z = np.concatenate(kept)",
        "np.concatenate(kept) in line 27",
    ),
    "other dimension": ("out = pool(x).squeeze()\np = out.max(1)", "out.max(1) in line 25"),
    "softmax": (
        "out = pool(x).squeeze()\nF.softmax(out, dim=1)",
        "F.softmax(out, dim=1) in line 25",
    ),
    "strict loss": (
        "out = F.sigmoid(fc(h)).squeeze()\nF.binary_cross_entropy(out, y)",
        "F.binary_cross_entropy(out, y) in line 25",
    ),
    "loss object": (
        "loss = nn.BCEWithLogitsLoss()\nout = fc(h).squeeze()\nloss(out, y.float())",
        "loss(out, y.float()) in line 26",
    ),
    "behind a number": ("out = fc(h).squeeze() * 2 > 1\nout[0]", "out[0] in line 25"),
    "behind an activation": ("out = F.relu(fc(h).squeeze())\nout[0]", "out[0] in line 25"),
    "rows of which others are asked for their dimensions": (
        "i = mask.nonzero().squeeze()\nrows, r = h[i], z.cpu()\nif r.dim() > 0: rows[k]",
        "rows[k] in line 26",
    ),
    "rows beside what is asked for its dimensions": (
        "i = mask.nonzero().squeeze()\nrows, r = h[i], z[i]\nif r.dim() > 0: pass\nrows[k]",
        "rows[k] in line 27",
    ),
    "rows that are asked for their sizes": (
        "i = mask.nonzero().squeeze()\nrows, r = h[i], z[i]\nif r.sum() > 0: rows[k]",
        "rows[k] in line 26",
    ),
    "rows of indices": ("i = mask.nonzero().squeeze()\nrows = h[i]\nrows[k]", "rows[k] in line 26"),
    "rows of more indices": (
        "i = mask.nonzero().squeeze()\nh[i + 1, :][k]",
        "h[i + 1, :][k] in line 25",
    ),
    "attribute": (
        "class Rate:\n    def __init__(self):\n        self.scores = fc(h).squeeze()\n"
        "    def best(self):\n        return self.scores[0]",
        "self.scores[0] in line 28",
    ),
    "key": ("out = {}\nout['a'] = fc(h).squeeze()\nout['a'][0]", "out['a'][0] in line 26"),
    "function": (
        "def best(scores):\n    return scores[0]\nbest(fc(h).squeeze())",
        "scores[0] in line 25",
    ),
    "caller": (
        "def rate(h):\n    return fc(h).squeeze()\nscores = rate(h)\nscores[0]",
        "scores[0] in line 27",
    ),
}


@pytest.mark.parametrize("name", _MINDED)
def test_is_told_where_something_needs_the_dimension(name: str) -> None:
    code, needed = _MINDED[name]
    (finding,) = advice("TP404", f"{_HEAD}{code}\n")
    why = f"for which {needed} raises TypeError" if name == "length" else f"which {needed} needs"
    assert f", {why}: write " in finding.message


_MASKED = """lengths = sizes
out = fc(h).squeeze()
longest = max(lengths)
for i, n in enumerate(lengths):
    {}
        out[i, n:] = -100
"""


@pytest.mark.parametrize(
    "test",
    [
        "if n < longest:",
        "if longest > n:",
        "if n != longest:",
        "if max(lengths) > n:",
        "if n == longest: continue\n    else:",
        "if longest <= n: print(n)\n    else:",
    ],
)
def test_what_runs_with_one_sample_needs_it(test: str) -> None:
    code = _HEAD + _MASKED.format(test)
    assert advice("TP404", code) == []
    (finding,) = advice("TP404", f"{code}F.softmax(out, dim=1)")
    line = code.count("\n") + 1
    assert f", which F.softmax(out, dim=1) in line {line} needs" in finding.message


@pytest.mark.parametrize(
    ("test", "before"),
    [
        ("n <= longest", ""),
        ("n == longest", ""),
        ("n > longest", ""),
        ("longest < n", ""),
        ("n < limit", ""),
        ("n < longest", "longest = 3"),
        ("n < longest", "lengths = others"),
        ("n < longest", "i = 0"),
        ("0 < n < longest", "n = 2"),
        ("n < min(lengths)", ""),
        ("n < max(lengths, others)", ""),
        ("n < max(lengths, default=9)", ""),
        ("n < max(others)", ""),
        ("n not in lengths", ""),
    ],
)
def test_what_may_run_with_one_sample_is_named(test: str, before: str) -> None:
    code = _MASKED.format(f"if {test}:")
    kept = "for i, n" if before.startswith(("long", "leng")) else f"    if {test}"
    indent = "" if kept.startswith("for") else "    "
    code = code.replace(kept, f"{indent}{before or 'pass'}\n{kept}")
    (finding,) = advice("TP404", f"{_HEAD}{code}")
    assert ", which out[i, n:] in line 30 needs" in finding.message


def test_a_list_that_is_a_number() -> None:
    (finding,) = advice("TP404", f"{_HEAD}i = mask.nonzero().squeeze()\nk = i.tolist()\n")
    told = ", of which i.tolist() in line 25 makes a number: write mask.nonzero().squeeze(1)"
    assert finding.message.endswith(told)
    assert advice("TP404", f"{_HEAD}i = fc(h).squeeze()\nk = i.tolist()\n") == []


@pytest.mark.parametrize(
    ("uses", "is_told"),
    [
        ("i[0], i[1] - 1", False),
        ("i[0] + i[2]", False),
        ("i[0]", True),
        ("i[0], i[1], i.sum()", True),
        ("i[0], i[j]", True),
        ("i[1:]", True),
        ("", False),
    ],
)
def test_the_coordinates_of_one_place_are_read_by_number(uses: str, is_told: bool) -> None:
    found = advice("TP404", f"{_HEAD}i = torch.nonzero(grid).squeeze()\n{uses}\n")
    assert bool(found) == is_told
    (found,) = advice("TP404", f"{_HEAD}i = fc(h).squeeze()\ni[0], i[1]\n")


def test_a_long_input_of_the_function_stays_its_input() -> None:
    long = "torch.nonzero(old_classes_indices_of_all_samples > indices_of_new_ones).long()"
    (found,) = advice("TP404", f"{_HEAD}i = torch.squeeze({long})\ni[0]\n")
    assert found.message.endswith(": write torch.squeeze(..., 1)")
    (found,) = advice("TP404", f"{_HEAD}i = {long}.squeeze()\ni[0]\n")
    assert found.message.endswith(": write squeeze(1)")


@pytest.mark.parametrize(
    ("found_in", "is_proposed"),
    [("mask.squeeze()", False), ("torch.squeeze(mask)", False), ("mask.squeeze(1)", True)],
)
def test_indices_in_what_was_squeezed_are_no_column_for_certain(
    found_in: str, is_proposed: bool
) -> None:
    text = f"{_HEAD}i = torch.squeeze(torch.nonzero({found_in}))\nif len(i):\n    pass\n"
    (found,) = advice("TP404", text)
    said = "drops the dimension of a single index, for which len(i) in line 25 raises TypeError"
    assert said in found.message
    inside = f": write squeeze(1), and {found_in}.view(-1) in nonzero()"
    assert found.message.endswith(inside) is not is_proposed
    assert ("write torch.nonzero(mask.squeeze(1)).squeeze(1)" in found.message) is is_proposed


def test_what_is_squeezed_is_named() -> None:
    (finding,) = advice("TP404", f"{_HEAD}x = fc(h) + h; fc(h).squeeze()[0] + h\n")
    assert finding.message.endswith(": write fc(h).squeeze(-1)")


_QUIET = {
    "named dimension": "fc(h).squeeze(-1)[0]; torch.squeeze(fc(h), 1)[0]; fc(h).squeeze(dim=1)[0]",
    "unknown dimension": "h.squeeze()[0]; torch.squeeze(h)[0]; F.relu(h).squeeze()[0]",
    "added in place": "total = torch.zeros(2)\ntotal += fc(h).squeeze()\ntotal -= 2 * fc(h).squeeze()",
    "a column of known length, and one number": "h.view(8, 1).squeeze()[0]; h.view(1, 1).squeeze()[0]",
    "no column": "h.view(-1, 2).squeeze()[0]; h.view(1, -1).squeeze()[0]; h.view(n, 1, 1).squeeze()[0]",
    "columns of a column": "h.view(-1, 1).index_select(1, rows).squeeze()[0]",
    "what is made of a column": "h.view(-1, 1).expand(n, k).squeeze()[0]",
    "several outputs": "wide(h).squeeze()[0]",
    "pooled to more": "nn.AdaptiveAvgPool2d(7)(h).squeeze()[0]; F.adaptive_avg_pool2d(h, 2).squeeze()[0]",
    "unknown": "out.squeeze()[0]; model(h).squeeze()[0]",
    "one of two": "out = fc(h) if flag else wide(h)\nout.squeeze()[0]",
    "two assignments": "out = fc(h)\nif flag:\n    out = h\nout.squeeze()[0]",
    "model with two ways out": "actor(h).squeeze()[0]",
    "single number": "fc(h).squeeze().item(); fc(h).squeeze().backward()",
    "array": "np.ones((2, 1)).squeeze()[0]; np.squeeze(fc(h).detach().numpy())[0]",
    "layers of unknown kind": "nn.Sequential(nn.Linear(4, 1), unknown)(h).squeeze()[0]",
    "star": "nn.Linear(*sizes)(h).squeeze()[0]",
    "product of matrices": "torch.bmm(states, query).squeeze()[0]",
    "product of a row that may be another dimension": (
        "torch.matmul(states.unsqueeze(1), query.unsqueeze(2)).squeeze()[0]"
    ),
    "product with rows": "torch.bmm(states, query.unsqueeze(1)).squeeze()[0]",
    "gather of several": "h.gather(1, labels).squeeze()[0]; h.gather(1, x.unsqueeze(0)).squeeze()[0]",
    "gather along what is not known": "h.gather(d, x.unsqueeze(d)).squeeze()[0]",
    "gather of an array": "np.gather(h, 1, labels.unsqueeze(1)).squeeze()[0]",
    "product of any dimensions": "torch.matmul(query.unsqueeze(1), states).squeeze()[0]",
    "product with a sum": "torch.bmm(states, query.sum(2)).squeeze()[0]",
    "asked for its dimensions": "i = (h > 0.5).nonzero().squeeze()\nj = i if i.dim() == 1 else i[:1]",
    "asked under another name": "i = (h > 0.5).nonzero().squeeze()\nk = i\nj = k if k.dim() == 1 else k[:1]",
    "asked as a part of two": "i, n = (h > 0.5).nonzero().squeeze(), 2\nif i.dim() == 0: i = i[None]",
    "asked as an attribute": "f.i = (h > 0.5).nonzero().squeeze()\nif f.i.dim() == 0: f.i = f.i[None]",
    "asked for its shape": "i = (h > 0.5).nonzero().squeeze()\nif len(i.shape) == 0: i = i[None]",
    "rows asked for their dimensions": "i = mask.nonzero().squeeze()\nrows, r = h[i], z[i].cpu().numpy()\n"
    "if len(r.shape) == 0:\n    pass\nelse:\n    rows[k]",
    "rows asked around a length": "i = mask.nonzero().squeeze()\nr = z[i]\nif r.dim() > 0: len(i)",
    "only an index": "i = mask.nonzero().squeeze()\nif i.numel(): h.index_select(0, i)",
    "a mean of all": "out = fc(h)\nloss = -out.squeeze().mean() * 2, torch.sum(fc(h).squeeze() * 2)",
    "a mean of the rows": "i = torch.nonzero(mask).squeeze().cpu().numpy()\n"
    "z = h[i, :]\nloss = (z - b).mul(z - b).mean()",
    "a sum of rows": "i = mask.nonzero().squeeze()\nloss = torch.sum(torch.mul(h[i], z))",
    "only an index of several": "i = mask.nonzero().squeeze()\n"
    "a = torch.index_select(h, 0, i) + h.index_copy_(0, i, -b).index_fill(0, index=i, value=3)",
    "an index of two names": "i = j = mask.nonzero().squeeze()\nh.index_select(0, i)",
    "an index that is moved": "i = mask.nonzero().squeeze()\nif cuda:\n    h, i = h.cuda(), i.cuda()\n"
    "h.index_copy_(0, torch.autograd.Variable(i), b)",
    "an index of what is stored": "i = mask.nonzero().squeeze()\nh[i] = b.expand(2, -1)",
    "an index of what is stored from there": "i = mask.nonzero().squeeze()\nh[i] = b[i]",
    "an index of what is stored without a name": "h[torch.nonzero(mask).squeeze()] = 1.0",
    "an index without a name": "h.index_add_(0, torch.nonzero(mask).squeeze(), b)",
    "nothing that needs it": "out = fc(h).squeeze()\nprint(out, out.size(), out.shape)",
    "a sum with what keeps it": "score = bias.expand(n) + fc(h).squeeze()\nscore[0]",
    "a difference": "loss = (fc(h).squeeze() - y).mean()",
    "a loss that broadcasts": "F.mse_loss(fc(h).squeeze(), y); nn.MSELoss()(fc(h).squeeze(), y)",
    "a loss of two that are squeezed": "t = y.squeeze()\nF.binary_cross_entropy(fc(h).squeeze(), t)",
    "a loss whose other side is given squeezed": "def loss(out, y):\n"
    "    return F.binary_cross_entropy(out.squeeze(), y)\nloss(fc(h), y.squeeze())",
    "the first dimension of what may have none": "out = fc(h).squeeze()\nout.sum(0), out.max(0)",
    "last dimension": "out = fc(h).squeeze()\nF.softmax(out, dim=-1), out[..., 0], out[None]",
    "a loss of three samples": "y = torch.FloatTensor([1, 0, 1])\nF.binary_cross_entropy(fc(h).squeeze(), y)",
    "the number that it is": "prob = fc(h).squeeze()\nprint(prob.data[0])",
    "an index that may add dimensions": "out = fc(h).squeeze()\nout[(*i, 0)]",
    "a product with what may keep it": "fc(h).squeeze().mul(y)[0]",
    "an attribute of another object": "class Rate:\n    def __init__(self, other):\n"
    "        self.scores = fc(h).squeeze()\n        other.scores[0]",
    "an attribute of another class": "class Rate:\n    def __init__(self):\n"
    "        self.scores = fc(h).squeeze()\nclass Other:\n    def best(self):\n        self.scores[0]",
    "an attribute that is set twice": "class Rate:\n    def __init__(self):\n"
    "        self.scores = fc(h).squeeze()\n    def best(self):\n        self.scores = [1]\n        self.scores[0]",
    "put into a list": "kept = []\nkept.append(fc(h).squeeze())\nkept[0], len(kept)",
    "stacked": "torch.stack([fc(h).squeeze(), y])",
    "a key": "losses = {'a': fc(h).squeeze()}\nlosses['a'], [k for k in losses]",
    "given to what is out of sight": "unknown(fc(h).squeeze())",
    "indices of rows that are only used": "i = mask.nonzero().squeeze()\nrows = h[i, :]\nloss = criterion(rows, y[i, :])",
    "scores as an index": "out = fc(h).squeeze()\nrows = h[out.long()]\nrows[0]",
    "asked how many there are": "i = mask.nonzero().squeeze()\nif i.numel() > 1:\n    i[0]",
    "suppressed": "fc(h).squeeze()[0]  # noqa: TP404",
}


@pytest.mark.parametrize("name", _QUIET)
def test_is_quiet(name: str) -> None:
    assert advice("TP404", f"{_HEAD}{_QUIET[name]}\n") == []


_LISTED = """class Beam:
    def forward(self, x, n):
        parents = list()
        for step in x:
            parents.append({put})
        return self.back(parents)
    def back(self, parents, t=0):
        first = parents[t].index_select(0, self.rows).squeeze()
        first[0] = 3
"""


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        (_LISTED.format(put="wide(step).view(n * 2, 1)"), True),
        (_LISTED.format(put="torch.ones(n, 1)").replace("list()", "[torch.ones(n, 1)]"), True),
        (_LISTED.format(put="torch.ones(n, 1)").replace("list()", "[torch.ones(n, 2)]"), False),
        (_LISTED.format(put="torch.ones(n, 1)").replace("list()", "list(x)"), False),
        (_LISTED.format(put="wide(step).view(n, 2)"), False),
        (_LISTED.format(put="step"), False),
        (_LISTED.format(put="torch.ones(n, 1)").replace("self.back(parents)", "parents"), False),
        (_LISTED.format(put="torch.ones(n, 1)") + "Beam().back([torch.ones(n, 2)])\n", False),
    ],
)
def test_columns_that_are_put_into_a_list(text: str, is_told: bool) -> None:
    told = [finding.message for finding in advice("TP404", _HEAD + text)]
    assert [each.partition(": write ")[2].rpartition(".")[2] for each in told] == (
        ["squeeze(1)"] if is_told else []
    )


def test_is_quiet_on_a_nonzero_of_this_file() -> None:
    text = "class Mask:\n    def nonzero(self):\n        return self\nm.nonzero().squeeze()[0]\n"
    assert advice("TP404", _HEAD + text) == []


test_keeps = keeps("TP404", {line: f"{_HEAD}{line}\n" for line in (*_QUIET.values(), *_FORMS)})


def _told(file: Path) -> list[str]:
    report = migrate_file(file, Settings(select=("TP404",)), write=False)
    return [finding.message for finding in report.findings]


def test_another_file_may_need_it(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("")
    rating = (
        "import torch.nn as nn\nfc = nn.Linear(4, 1)\ndef rate(h):\n    return fc(h).squeeze()\n"
    )
    (tmp_path / "rating.py").write_text(rating)
    uses = tmp_path / "uses.py"
    uses.write_text("from rating import rate\ndef first(h):\n    return rate(h)[0]\n")
    told = _told(tmp_path / "rating.py")
    assert told == [
        "squeeze() also drops the dimension of a single sample, which rate(h)[0] in line 3 of "
        "uses.py needs: write fc(h).squeeze(-1)"
    ]
    uses.write_text("from rating import rate\ndef first(h):\n    return rate(h).mean()\n")
    assert _told(tmp_path / "rating.py") == []
    method = "class Rate:\n    def rate(self, h):\n        return fc(h).squeeze()\n"
    (tmp_path / "rating.py").write_text(rating.partition("def")[0] + method)
    uses.write_text("def first(other, h):\n    return other.rate(h)[0]\n")
    assert _told(tmp_path / "rating.py") == []
    uses.write_text("from rating import Rate\ndef first(h):\n    return Rate().rate(h)[0]\n")
    assert _told(tmp_path / "rating.py") != []


def test_one_index_is_like_a_list_of_one() -> None:
    rows, one, several = torch.arange(12.0).view(4, 3), torch.tensor(2), torch.tensor([2])
    for choose in (
        lambda i: rows.index_select(0, i),
        lambda i: rows.clone().index_copy_(0, i, torch.ones(1, 3)),
        lambda i: rows.clone().index_add_(0, i, torch.ones(1, 3)),
        lambda i: rows.clone().index_fill_(0, i, 7.0),
        lambda i: rows[:, 0].clone().index_copy_(0, i, torch.ones(1)),
        lambda i: rows[:, 0].index_select(0, i),
    ):
        assert torch.equal(choose(one), choose(several))


@pytest.mark.parametrize("other", [(1, 3), (3,), (4, 3), (2, 1, 3)])
def test_a_mean_of_rows_counts_no_dimension(other: tuple[int, ...]) -> None:
    rows, beside = torch.arange(12.0).view(4, 3), torch.ones(other)
    one, several = rows[torch.tensor(2), :], rows[torch.tensor([2]), :]
    assert torch.equal((one - beside).pow(2).mean(), (several - beside).pow(2).mean())


@pytest.mark.parametrize(
    ("found_in", "is_proposed"),
    [
        ("done == 0", False),
        ("done", False),
        ("done.view(-1) == 0", True),
        ("torch.ones(3) == 0", True),
        ("unknown() == 0", True),
    ],
)
def test_indices_into_a_parameter_of_any_rank_get_no_form(found_in: str, is_proposed: bool) -> None:
    body = f"    i = torch.nonzero({found_in}).squeeze()\n    return len(i)\n"
    (found,) = advice("TP404", f"import torch\ndef f(done):\n{body}")
    assert ("write" in found.message) is is_proposed
    assert "for which len(i) in line 4 raises TypeError" in found.message


_FOUND_IN_PARTS = """import torch
def split(points, cut):
    above = torch.squeeze(torch.nonzero(points > cut))
    below = (points < cut).nonzero().squeeze()
    more = (points == cut).nonzero().squeeze()
    print(len(above), len(more))
    return {}
"""


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("below.size(0)", [(3, ", here and in lines 4 and 5, which lines 6 and 7 need")]),
        ("below", [(3, ", here and in line 5, which line 6 needs")]),
        ("below.tolist()[0]", None),
    ],
)
def test_what_is_found_in_one_function_is_told_of_once(
    returned: str, told: list[tuple[int, str]] | None
) -> None:
    found = advice("TP404", _FOUND_IN_PARTS.format(returned))
    if told is None:
        # What becomes a number is something else, and is told of by itself.
        assert len(found) == 3
        return
    said = "squeeze() also drops the dimension of a single index"
    assert [(f.line, f.message) for f in found] == [(line, said + end) for line, end in told]


def test_a_line_that_no_run_comes_to_tells_nothing_for_others() -> None:
    gone = "    if False:\n        gone = points.nonzero().squeeze()\n        print(len(gone))\n"
    code = _FOUND_IN_PARTS.format("below.size(0)").replace("    above", f"{gone}    above", 1)
    (found,) = advice("TP404", code)
    assert "here and in lines 7 and 8" in found.message
