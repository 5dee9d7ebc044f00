"""Elements of what all callers give a function, as it was no Variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.finding import Numerics
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TRACE = """import torch
def trace(scores, seqs):
    length, size = scores.size()
    _, last = scores[length - 1].max(0)
    last = last[0]
    seqs.append((length, last))
    return seqs
def best(scores, seqs):
    total = scores.new(3, 4).copy_(scores)
    return trace(total, seqs)
"""

_RUN = """import torch
from torch import nn
from torch.autograd import Variable
from search import best, trace
class Net(nn.Module):
    def score(self, x):
        return x, x
net = Net()
def run(x):
    x = Variable(x, volatile=True)
    scores, _ = net.score(x)
    kept = Variable(torch.ones(3, 4))
    return {used}
"""


def _told(tmp_path: Path, used: str) -> tuple[str, list[str]]:
    (tmp_path / ".git").mkdir()
    (tmp_path / "search.py").write_text(_TRACE)
    (tmp_path / "run.py").write_text(_RUN.format(used=used))
    result = migrate_file(tmp_path / "search.py", Settings(select=("TP103",)), write=False)
    told = [f.message for f in result.findings if f.numerics is Numerics.ADVICE]
    return result.after or "", told


@pytest.mark.parametrize(
    "used",
    [
        "best(scores.data, [])",
        "best(torch.ones(3, 4), []), best(scores.data, [])",
        "best(seqs=[], scores=net(x).data)",
    ],
)
def test_what_all_callers_give_as_data_gave_a_number(used: str, tmp_path: Path) -> None:
    after, told = _told(tmp_path, used)
    assert "last = last.item()" in after and not told


@pytest.mark.parametrize(
    "used",
    [
        "best(scores, [])",
        "best(x, [])",
        "best(kept, [])",
        "best(scores.data, []), best(scores, [])",
        "best(scores.data, []), trace(scores, [])",
        "best(unknown.data, [])",
        "best(*scores.data)",
        "best",
    ],
)
def test_what_a_caller_may_give_as_variable_is_told(used: str, tmp_path: Path) -> None:
    after, (told,) = _told(tmp_path, used)
    assert not after and told.endswith("which raises: write last.item() for the number")


def test_what_was_wrapped_before_its_line_was_rewritten_was_a_variable(tmp_path: Path) -> None:
    wrapped = "from torch.autograd import Variable\n"
    call = "trace(Variable(torch.ones(3, 4)), [])\n"
    path = tmp_path / "search.py"
    (tmp_path / ".git").mkdir()
    path.write_text(_TRACE.partition("def best")[0] + wrapped + call)
    (tmp_path / "run.py").write_text(_RUN.format(used="0"))
    result = migrate_file(path, Settings(), write=False)
    assert "trace(torch.ones(3, 4), [])" in (result.after or "")
    assert "last.item()" not in (result.after or "")


_OF_DISTANCES = """
import torch.nn.functional as F
from torch.autograd import Variable
def save(name, dist):
    print('%s %.3f' % (name, dist.data[0]))
def f(net, x, y, limit):
    a, b = net(Variable(x, volatile=True)), net(Variable(y, volatile=True))
    dist = {made}
    flag = (dist <= limit).float()
    for k in range(len(x)):
        if flag[k].data[0] == 0:
            save('far', {given})
"""


@pytest.mark.parametrize(
    ("made", "given", "told"),
    [
        ("F.pairwise_distance(a, b)", "dist[k]", []),
        ("F.pairwise_distance(a, b)", "net.far(k)", [5]),
        ("F.cosine_similarity(a, b)", "dist[k]", [5, 11]),
    ],
)
def test_a_row_of_distances_keeps_the_dimension_of_their_column(
    made: str, given: str, told: list[int], tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "run.py").write_text(_OF_DISTANCES.format(made=made, given=given))
    result = migrate_file(tmp_path / "run.py", Settings(select=("TP103",)), write=False)
    found = [f for f in result.findings if f.numerics is Numerics.ADVICE]
    assert [f.line for f in found] == told
