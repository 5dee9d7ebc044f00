from __future__ import annotations

import textwrap
from typing import Any

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.finding import Numerics

test_rewrites = rewrites(
    "TP406",
    {
        "indices of topk": (
            """
            import torch
            def advance(beam_scores, attn, size):
                num_words = beam_scores.size(1)
                best, ids = beam_scores.view(-1).topk(size, 0, True, True)
                prev_k = ids / num_words
                return attn.index_select(0, prev_k), ids - prev_k * num_words
            """,
            """
            import torch
            def advance(beam_scores, attn, size):
                num_words = beam_scores.size(1)
                best, ids = beam_scores.view(-1).topk(size, 0, True, True)
                prev_k = ids // num_words
                return attn.index_select(0, prev_k), ids - prev_k * num_words
            """,
        ),
        "what an index is divided by to be another": (
            """
            import torch
            class Decoder:
                def step(self, x, hidden):
                    scores, candidates = x.view(-1).topk(3)
                    rows = (candidates / self.V + self.pos_index.expand_as(candidates)).view(3, 1)
                    return hidden.index_select(1, rows.squeeze().data)
            """,
            """
            import torch
            class Decoder:
                def step(self, x, hidden):
                    scores, candidates = x.view(-1).topk(3)
                    rows = (candidates // self.V + self.pos_index.expand_as(candidates)).view(3, 1)
                    return hidden.index_select(1, rows.squeeze().data)
            """,
        ),
        "a divisor that may be below zero": (
            """
            import torch
            class Decoder:
                def step(self, x, hidden, ids, n: torch.Tensor):
                    scores, found = x.view(-1).topk(3)
                    a = hidden.index_select(1, found / n)
                    b = hidden.index_select(1, found / -2 + 3)
                    return a, b, hidden.index_select(1, ids.long() / self.V)
            """,
            """
            import torch
            class Decoder:
                def step(self, x, hidden, ids, n: torch.Tensor):
                    scores, found = x.view(-1).topk(3)
                    a = hidden.index_select(1, torch.div(found, n, rounding_mode="trunc"))
                    b = hidden.index_select(1, torch.div(found, -2, rounding_mode="trunc") + 3)
                    return a, b, hidden.index_select(1, torch.div(ids.long(), self.V, rounding_mode="trunc"))
            """,
        ),
        "positions in a flat tensor": (
            """
            import torch
            def f(x, n):
                x = torch.zeros(3, 4)
                for i in range(4):
                    best = x.view(-1).max(0)[1]
                    y = x[best / 4, best % 4] + x[:best / 4] + x[(best + i) / 2] + x[best.cpu() / len(x)]
                words = ["a", "b"]
                return y, words[(best / x.shape[1]).item()], [k for k in range(best / 2)]
            """,
            """
            import torch
            def f(x, n):
                x = torch.zeros(3, 4)
                for i in range(4):
                    best = x.view(-1).max(0)[1]
                    y = x[best // 4, best % 4] + x[:best // 4] + x[(best + i) // 2] + x[best.cpu() // len(x)]
                words = ["a", "b"]
                return y, words[(best // x.shape[1]).item()], [k for k in range(best // 2)]
            """,
        ),
        "positions that a loop goes through": (
            """
            import torch
            def f(x):
                tags = torch.zeros(4)
                order = torch.sort(x.view(1, -1), descending=True)[1]
                for best in order[0]:
                    row = torch.div(best, x.size(1)).item()
                    tags[row] = tags[best / x.size(1)]
                return tags
            """,
            """
            import torch
            def f(x):
                tags = torch.zeros(4)
                order = torch.sort(x.view(1, -1), descending=True)[1]
                for best in order[0]:
                    row = torch.div(best, x.size(1), rounding_mode="trunc").item()
                    tags[row] = tags[best // x.size(1)]
                return tags
            """,
        ),
        "numbers that may be negative": (
            """
            import torch as t
            def f(n):
                x = t.zeros(9)
                a, b = t.LongTensor([7, -7]), (x - 1).long()
                a.sub_(3)
                return x[a / 2], x[(a - b) / n], x[-a / 2 + 4], t.gather(x, 0, index=b / 3)
            """,
            """
            import torch as t
            def f(n):
                x = t.zeros(9)
                a, b = t.LongTensor([7, -7]), (x - 1).long()
                a.sub_(3)
                return x[t.div(a, 2, rounding_mode="trunc")], x[t.div(a - b, n, rounding_mode="trunc")], x[t.div(-a, 2, rounding_mode="trunc") + 4], t.gather(x, 0, index=t.div(b, 3, rounding_mode="trunc"))
            """,
        ),
        "indices that are changed in place": (
            """
            import torch
            def f(x, k):
                x = torch.zeros(9)
                ids = x.topk(3)[1]
                ids[0] = k
                flat = x.topk(3)[1]
                view = flat.view(-1)
                view -= 4
                return x[ids / 3], x[flat / 3]
            """,
            """
            import torch
            def f(x, k):
                x = torch.zeros(9)
                ids = x.topk(3)[1]
                ids[0] = k
                flat = x.topk(3)[1]
                view = flat.view(-1)
                view -= 4
                return x[torch.div(ids, 3, rounding_mode="trunc")], x[torch.div(flat, 3, rounding_mode="trunc")]
            """,
        ),
        "methods and functions": (
            """
            import torch
            from torch import div
            def f(x):
                x = torch.zeros(9)
                ids = x.topk(3)[1]
                a, b = ids.div(3), torch.div(ids, 3)
                return x[a], x[b], x.gather(0, div(ids, 3))
            """,
            """
            import torch
            from torch import div
            def f(x):
                x = torch.zeros(9)
                ids = x.topk(3)[1]
                a, b = ids.div(3, rounding_mode="trunc"), torch.div(ids, 3, rounding_mode="trunc")
                return x[a], x[b], x.gather(0, div(ids, 3, rounding_mode="trunc"))
            """,
        ),
        "embeddings": (
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.table = nn.Embedding(5, 2)
                def forward(self, x, w):
                    words = x.topk(2)[1]
                    return self.table(words / 2), F.embedding(words / 2, w)
            """,
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.table = nn.Embedding(5, 2)
                def forward(self, x, w):
                    words = x.topk(2)[1]
                    return self.table(words // 2), F.embedding(words // 2, w)
            """,
        ),
        "in place": (
            """
            import torch
            def f(n):
                a = torch.LongTensor([7, -7])
                a /= 2
                a.div_(3)
                return a
            """,
            """
            import torch
            def f(n):
                a = torch.LongTensor([7, -7])
                a.div_(2, rounding_mode="trunc")
                a.div_(3, rounding_mode="trunc")
                return a
            """,
        ),
        "an old file": (
            """
            from torch.autograd import Variable
            import torch
            def f(x, n):
                x = Variable(torch.zeros(9), volatile=True)
                ids = x.topk(3)[1]
                return ids / 3, torch.LongTensor([7]) / 2, ids.float() / 3
            """,
            """
            from torch.autograd import Variable
            import torch
            def f(x, n):
                x = Variable(torch.zeros(9), volatile=True)
                ids = x.topk(3)[1]
                return ids // 3, torch.div(torch.LongTensor([7]), 2, rounding_mode="trunc"), ids.float() / 3
            """,
        ),
    },
)

test_keeps = keeps(
    "TP406",
    {
        "Python numbers": """
            import torch
            def f(x, loader):
                x = torch.zeros(9)
                middle = len(loader) / 2
                middle /= 2
                return x[int(x.size(0) / 2)], middle, x.argmax(0).item() / 3
            """,
        "what a loop goes through and may be negative, or a pair, or floats": """
            import torch
            def f(x, pairs):
                tags = torch.zeros(4)
                values, order = x.view(1, -1).sort(1)
                for best in (order - 4)[0]:
                    tags[best / 2] = 0
                for value in values[0]:
                    tags[value / 2] = 0
                for best, other in order:
                    tags[best / 2] = 0
                order[0] -= 4
                for best in order[0]:
                    tags[best / 2] = 0
                return tags
            """,
        "floats": """
            import torch
            def f():
                x = torch.zeros(9)
                ids = x.topk(3)[1]
                scaled = ids.float() / 3
                x /= 2
                x.div_(ids)
                return scaled, x / ids, x[(ids.sqrt() / 2).long()]
            """,
        "a divisor that is a float": """
            import torch
            def f():
                x = torch.zeros(9)
                ids, others = x.topk(3)[1], x.topk(3)[1]
                others /= 0.5
                return x[(ids / 2.0).long()], x[ids / 2.0], x[ids / x.float()]
            """,
        "a quotient that is a fraction today": """
            import torch
            def f(predicted, target):
                x = torch.zeros(9)
                ids = x.topk(3)[1]
                correct = (predicted == target).long().sum()
                y, z = ids / 3, torch.div(ids, 3)
                print(y)
                return 100 * correct / len(target), z.mean(), {1: 2}[ids / 3]
            """,
        "a quotient that is cast or rounded": """
            import torch
            def f():
                x = torch.zeros(9)
                ids = x.topk(3)[1]
                rows = ids / 3
                rows = rows.long()
                return x[rows], x[(ids / 3).long()], x[torch.floor(ids / 3).long()], x[int(ids[0] / 3)]
            """,
        "single numbers in an old file": """
            import torch
            from torch.autograd import Variable
            def f():
                x = Variable(torch.zeros(9), volatile=True)
                return x.argmax() / 3, x.topk(3)[1][0] / 3
            """,
        "what is divided is unknown": """
            import torch
            def f(ids, x, n):
                x = torch.zeros(9)
                ids /= n
                return x[ids / n], x[torch.div(ids, n)]
            """,
        "what is indexed is unknown": """
            import torch
            def f(table):
                x = torch.zeros(9)
                return table[x.topk(3)[1] / 3]
            """,
        "numpy": """
            import numpy as np
            import torch
            def f(x):
                ids = np.arange(4)
                ids = ids / 2
                return torch.from_numpy(x[ids / 2]), torch.zeros(3)[np.argmax(x) / 2]
            """,
        "classes with methods of these names": """
            import torch
            class Fraction:
                def div(self, other):
                    return self
                def div_(self, other):
                    return self
                def topk(self, n):
                    return self, self
            def f():
                fraction = Fraction()
                fraction.div_(2)
                best, ids = fraction.topk(3)
                return torch.zeros(3)[fraction.div(2)], torch.zeros(3)[ids / 2]
            """,
        "already modern": """
            import torch
            def f():
                x = torch.zeros(9)
                ids = torch.LongTensor([7, -7])
                ids.div_(2, rounding_mode="floor")
                ids //= 2
                return x[torch.div(ids, 2, rounding_mode="trunc")], x[ids // 2], ids // 2
            """,
        "arguments of unknown content": """
            import torch
            def f(options, numbers):
                ids = torch.LongTensor([7, -7])
                return torch.zeros(3)[torch.div(ids, 2, **options)], ids.div_(*numbers)
            """,
        "a branch for old torch": """
            import torch
            def f():
                x = torch.zeros(9)
                ids = x.topk(3)[1]
                if torch.__version__ < "1.5":
                    return x[ids / 3]
                return x[ids // 3]
            """,
        "shadowed torch": """
            def f(torch, x):
                ids = torch.LongTensor([7, -7])
                ids /= 2
                return torch.zeros(3)[torch.div(ids, 2)]
            """,
        "a comment that would be lost": """
            import torch
            def f(x):
                ids = torch.LongTensor([7, -7])
                return torch.zeros(3)[(ids  # of words
                                       / 2)]
            """,
        "a number that another rule takes out of its tensor": """
            import torch
            def f(y):
                x = torch.zeros(9)
                best, ids = torch.LongTensor([7]).sum(), (x[y] - 1).long()
                return x[best.data[0] / 2], x[(best - 1) / 2], x[ids.data[0] / 2]
            """,
    },
)


def test_a_count_divided_in_place_is_left_to_a_person() -> None:
    findings = advice(
        "TP406",
        """
        import torch
        def f():
            position = torch.zeros(9).argmax()
            position /= 2
            torch.zeros(9).argmax().div_(2)
            return position
        """,
    )
    assert [f.line for f in findings] == [4, 5]
    assert "write position = position / … for the fraction" in findings[0].message


FLOORED = """
import torch
def f(n):
    a, b = torch.LongTensor([7, -7]), torch.FloatTensor([-7])
    ids = torch.zeros(9).topk(3)[1]
    return a // 2, torch.floor_divide(a, 2), b // 2, a // ids.size(0), ids // 2, n // 2
"""


@pytest.mark.parametrize(
    ("newest", "pins"), [((0, 3), False), ((1, 0), True), ((1, 12), True), ((1, 13), False)]
)
def test_floor_division_is_pinned_where_it_cut_towards_zero(
    newest: tuple[int, ...], pins: bool
) -> None:
    options = Options(era=Era(newest=newest))
    migration = migrate(FLOORED, "TP406", options=options)
    if not pins:
        assert migration.text == FLOORED
        return
    assert {f.numerics for f in migration.findings} == {Numerics.PINNED}
    assert migration.text == FLOORED.replace(
        "a // 2, torch.floor_divide(a, 2), b // 2, a // ids.size(0)",
        'torch.div(a, 2, rounding_mode="trunc"), torch.div(a, 2, rounding_mode="trunc"), '
        'torch.div(b, 2, rounding_mode="trunc"), torch.div(a, ids.size(0), rounding_mode="trunc")',
    )


@pytest.mark.parametrize(
    ("dividend", "pins"),
    [
        ("sizes[0]", False),
        ("(width - sizes[0])", False),
        ("(width - sizes[i])", False),
        ("-sizes[0, 1]", False),
        ("(sizes[0] - ids)", True),
        ("sizes[1:]", True),
        ("rows[0]", True),
        ("(width - rows[0])", True),
    ],
)
def test_floor_division_of_what_may_be_a_single_number_is_left(dividend: str, pins: bool) -> None:
    text = textwrap.dedent(
        f"""
        import torch
        def f(x, width, i):
            sizes = torch.from_numpy(x)
            rows, ids = torch.zeros(2, 3) - 1, torch.zeros(9).topk(3)[1] - 4
            return {dividend} // 2
        """
    )
    migration = migrate(text, "TP406", options=Options(era=Era(newest=(1, 0))))
    assert (migration.text != text) is pins


def test_floor_division_of_an_element_keeps_nothing_of_a_file_for_torch_0_3() -> None:
    text = textwrap.dedent(
        """
        import torch
        from torch.autograd import Variable
        def crop(image, sizes):
            size = torch.from_numpy(sizes)
            return image.crop(((image.width - size[0]) // 2, 0, size[0], size[1]))
        def test(model, loader):
            for x in loader:
                x = Variable(x, volatile=True)
                print(model(x).mean().data[0])
        """
    )
    options = Options(era=Era(newest=(1, 0)))
    migration = migrate(text, "TP102", "TP103", "TP406", options=options)
    assert "volatile" not in migration.text
    assert {finding.code for finding in migration.findings} == {"TP102", "TP103"}


def test_pinned_floor_division_gives_what_torch_1_0_gave() -> None:
    text = textwrap.dedent(
        """
        import torch
        def f():
            a, b = torch.LongTensor([7, -7]), torch.FloatTensor([-7])
            return (a // 2).tolist(), (b // 2).tolist()
        """
    )
    pinned = migrate(text, "TP406", options=Options(era=Era(newest=(1, 0)))).text

    def run(code: str) -> Any:
        namespace: dict[str, Any] = {}
        exec(code, namespace)
        return namespace["f"]()

    assert run(text) == ([3, -4], [-4.0])
    assert run(pinned) == ([3, -3], [-3.0])


def test_division_by_slash_in_place_is_pinned_or_restored_as_it_fails() -> None:
    text = (
        "import torch\n"
        "from torch.autograd import Variable\n"
        "x = Variable(torch.zeros(9), volatile=True)\n"
        "ids = x.topk(3)[1]\n"
        "rows = ids / 3\n"
        "y = x[rows]\n"
        "z = ids / 2\n"
        "ids /= 2\n"
    )
    findings = migrate(text, "TP406").findings
    assert {f.line: f.numerics for f in findings} == {
        5: Numerics.RESTORED,
        7: Numerics.PINNED,
        8: Numerics.RESTORED,
    }


_UNDATED = """import torch
def f(scores, n, k):
    flat = scores.view(-1)
    best, ids = flat.topk(k)
    return {}
"""


@pytest.mark.parametrize(("by", "written"), [("n", "n"), ("2", "2"), ("(n + 1)", "(n + 1)")])
def test_indices_that_are_divided_in_a_file_of_unknown_age_are_a_question(
    by: str, written: str
) -> None:
    (finding,) = advice("TP406", _UNDATED.format(f"ids / {by}"))
    assert f"write ids // {written} if" in finding.message


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("torch.arange(0, n)", "torch.arange gives whole numbers since torch 0.4.1"),
        ("torch.arange(0, n).view(-1, 1)", "torch.arange gives whole numbers since torch 0.4.1"),
        ("torch.arange(0, n, dtype=torch.int64)", "/ of whole numbers gives fractions"),
        ("torch.arange(0, n).long()", "/ of whole numbers gives fractions"),
        ("torch.arange(0, n).view(-1, 1).int()", "/ of whole numbers gives fractions"),
    ],
)
def test_a_range_held_fractions_once(made: str, told: str) -> None:
    (finding,) = advice(
        "TP406", f"import torch\ndef f(x):\n    n = len(x)\n    return {made} / (n - 1)\n"
    )
    assert finding.message.startswith(told)


@pytest.mark.parametrize(
    "use",
    [
        "best / n",
        "ids / 2.0",
        "(ids / n).long()",
        "ids // n",
        "ids[0] / n",
        "ids.float() / n",
        "(ids - 3) / n",
        "torch.div(ids, n, rounding_mode='floor')",
        "ids / n, torch.logical_and(ids, ids)",
    ],
)
def test_other_divisions_of_a_file_of_unknown_age_are_none(use: str) -> None:
    assert not advice("TP406", _UNDATED.format(use))


_BEAM = """import torch
class Beam:
    def __init__(self):
        self.origins = []
        self.scores = []
    def advance(self, scores):
        n = scores.size(1)
        best, ids = scores.view(-1).topk(3)
        self.{kept}.append(ids / n)
    def path(self, k):
        for j in range(3):
            k = self.{read}
        return k
"""


@pytest.mark.parametrize(
    ("kept", "read", "is_index"),
    [
        ("origins", "origins[j][k]", True),
        ("origins", "origins[-1][k]", True),
        ("origins", "scores[j][k]", False),
        ("scores", "origins[j][k]", False),
        ("origins", "origins[j:]", False),
        ("origins", "other.origins[j][k]", False),
    ],
)
def test_what_a_list_keeps_may_be_an_index(kept: str, read: str, is_index: bool) -> None:
    text = _BEAM.format(kept=kept, read=read)
    if "other" in read:
        text = text.replace("self.other", "other")
    assert (migrate(text, "TP406").text == text.replace("ids / n", "ids // n")) is is_index


@pytest.mark.parametrize(
    ("era", "written"),
    [
        (Era(oldest=(0, 3), newest=(0, 3)), "torch.arange(0, 8, 2) / 8"),
        (Era(newest=(0, 4, 0)), "torch.arange(0, 8, 2) / 8"),
        # Of 0.4.0, where these are floats, or of 0.4.1.
        (Era(oldest=(0, 4), newest=(0, 4)), "torch.arange(0, 8, 2) / 8"),
        (Era(newest=(1, 4)), "torch.arange(0, 8, 2) / 8"),
        (
            Era(oldest=(0, 4, 1), newest=(1, 4)),
            'torch.div(torch.arange(0, 8, 2), 8, rounding_mode="trunc")',
        ),
    ],
)
def test_whole_numbers_that_were_floats(era: Era, written: str) -> None:
    text = "import torch\nx = torch.arange(0, 8, 2) / 8\n"
    after = migrate(text, "TP406", options=Options(era=era)).text
    assert after == f"import torch\nx = {written}\n"


def test_full_made_floats() -> None:
    text = "import torch\nx = torch.full((2,), 1) / 2\n"
    assert migrate(text, "TP406", options=Options(era=Era(newest=(1, 4)))).text == text


_COUNTED = """
import torch
net = torch.nn.Linear(2, 2)
def f(loader, n):
    correct = 0
    whole = torch.zeros(3).long().sum()
    for x, y in loader:
        correct += net(x).max(1)[1].eq(y).sum()
        share = correct.item() / n
    return {}
"""


@pytest.mark.parametrize(
    ("quotient", "since", "until"),
    [
        ("correct / len(loader)", (0, 4), (1, 4)),
        ("whole / whole", (0, 4), (1, 4)),
        ("100 * whole / 7", (0, 4), (1, 4)),
        ("1 / whole", (0, 4), (1, 6)),
        ("5.0 / torch.LongTensor([3])", (0, 4), (1, 6)),
    ],
)
def test_what_was_cut_is_said_of_counts_in_old_files(
    quotient: str, since: tuple[int, int], until: tuple[int, int]
) -> None:
    text = _COUNTED.format(quotient)
    for newest in ((0, 3), (0, 4), (1, 2), (1, 4), (1, 6), (1, 7)):
        findings = advice("TP406", text, options=Options(era=Era(newest, newest)))
        assert bool(findings) is (since <= newest <= until), newest
        assert all("gave a whole quotient in torch 0.4" in f.message for f in findings)
    assert not advice("TP406", text)


def test_a_file_that_needs_the_dimensions_of_torch_0_1_was_never_cut() -> None:
    options = Options(era=Era(None, (1, 0)))
    text = _COUNTED.format("whole / whole")
    assert advice("TP406", text, options=options)
    kept = text + "def scaled(x):\n    return x / x.sum(1, keepdim=True).expand_as(x)\n"
    assert advice("TP406", kept, options=options)
    assert not advice("TP406", kept.replace(", keepdim=True", ""), options=options)


@pytest.mark.parametrize(
    "quotient",
    [
        "(correct / 3).long()",
        "int(correct / 3)",
        "correct.item() / 3",
        "float(correct) / 3",
        "whole.float() / 3",
        "correct // 3",
        "n / 3",
        "len(loader) / 3",
        "net(n).sum() / 3",
        "3 / whole.item()",
        "(whole + n) / 3",
        "(whole * torch.ones(1)) / 3",
        "correct / 1",
        "whole / -1",
        # A float beside them shows that the fraction was meant.
        "whole / 2.5",
        "100. * whole / 7",
        "whole * 1.0 / whole",
        "correct * 1.0 / n",
        "1 / (whole * 1.0)",
    ],
)
def test_nothing_is_said_of_what_was_no_whole_number(quotient: str) -> None:
    options = Options(era=Era((1, 0), (1, 0)))
    assert not advice("TP406", _COUNTED.format(quotient), options=options)


@pytest.mark.parametrize(
    "step",
    [
        "correct += net(x).sum()",
        "correct /= net(x).max(1)[1].sum()",
        "correct += 1",
        "correct = n",
    ],
)
def test_a_total_of_anything_else_is_no_count(step: str) -> None:
    text = _COUNTED.replace("correct += net(x).max(1)[1].eq(y).sum()", step)
    options = Options(era=Era((1, 0), (1, 0)))
    assert not advice("TP406", text.format("correct / 7"), options=options)


@pytest.mark.parametrize(
    ("call", "is_told"),
    [
        ("torch.addcdiv(x, ids, ids)", True),
        ("ids.clone().addcdiv_(2, ids, torch.arange(3))", True),
        ("torch.addcdiv(x, ids, ids.float())", False),
        ("torch.addcdiv(ids, x, x)", False),
        ("torch.addcdiv(x, *ids)", False),
        ("torch.addcmul(ids, ids, ids)", False),
    ],
)
def test_whole_numbers_are_not_divided_by_addcdiv(call: str, is_told: bool) -> None:
    text = f"import torch\ndef f(x):\n    ids = torch.randperm(3)\n    return {call}\n"
    assert bool(advice("TP406", text)) is is_told


@pytest.mark.parametrize(
    ("call", "added"),
    [
        ("torch.addcdiv(x, ids, n)", "ids, n"),
        ("torch.addcdiv(x, 2, ids, n)", "2 * ids, n"),
        ("torch.addcdiv(x, ids, n, value=-1)", "-1 * ids, n"),
        ("x.addcdiv_(v, ids, n)", "v * ids, n"),
        ("x.addcdiv(ids, n, value=2)", "2 * ids, n"),
    ],
)
def test_the_factor_of_addcdiv_is_kept(call: str, added: str) -> None:
    text = f"import torch\ndef f(v):\n    x = ids = n = torch.randperm(3) + 1\n    return {call}\n"
    (found,) = advice("TP406", text)
    assert f'add torch.div({added}, rounding_mode="trunc")' in found.message


@pytest.mark.parametrize(
    ("divisor", "newest", "is_cut", "is_told"),
    [
        ("2", (1, 2), True, False),
        ("2.5", (1, 2), False, False),
        ("2.0", (1, 2), False, True),
        ("scale", (1, 2), False, False),
        ("2.5", (1, 4), True, False),
        ("2.0", (1, 4), True, False),
    ],
)
def test_whole_numbers_took_no_fraction_to_be_divided_by(
    divisor: str, newest: tuple[int, int], is_cut: bool, is_told: bool
) -> None:
    text = f"import torch\nscale = 0.5\nout = torch.tensor([7, -7]) // {divisor}\n"
    migration = migrate(text, "TP406", options=Options(era=Era(newest, newest)))
    assert ("rounding_mode" in migration.text) == is_cut
    assert any("// a float" in f.message for f in migration.findings) == is_told
    assert migration.text == text or is_cut


def test_fractions_are_still_cut_by_what_they_are_divided_by() -> None:
    text = "import torch\nout = torch.tensor([7.5, -7.5]) // 2.5\n"
    migration = migrate(text, "TP406", options=Options(era=Era((1, 2), (1, 2))))
    assert "rounding_mode" in migration.text


@pytest.mark.parametrize("part", ["total.view(-1)[0]", "total.data", "(total + 1)"])
def test_a_part_of_a_tensor_is_not_given_anew(part: str) -> None:
    text = f"import torch\ntotal = torch.tensor(3)\n{part}.div_(2)\n"
    (finding,) = advice("TP406", text)
    assert "call .float() where the tensor of" in finding.message
    assert " = " not in finding.message


@pytest.mark.parametrize(
    ("dividend", "stays"),
    [
        ("torch.Tensor([x[0].shape[2:]])", True),
        ("torch.Tensor([x.size(0), x.size(1)])", True),
        ("torch.tensor(list(x.shape))", True),
        ("torch.Tensor([x.size(0), m.stride])", False),
        ("torch.Tensor([m.stride])", False),
    ],
)
def test_sizes_are_divided_by_no_number_below_zero(dividend: str, stays: bool) -> None:
    text = f"import torch\ndef f(m, x):\n    return {dividend} // torch.Tensor([m.output_size])\n"
    options = Options(era=Era(newest=(1, 0)))
    assert (migrate(text, "TP406", options=options).text == text) is stays


@pytest.mark.parametrize(
    ("quotient", "written"),
    [
        ("x / (w - 1) * 2", "x // (w - 1)"),
        ("(x + 1) / w", "(x + 1) // w"),
        ("x / w", "x // w"),
    ],
)
def test_the_parts_of_a_quotient_keep_their_parentheses(quotient: str, written: str) -> None:
    (found,) = advice("TP406", f"import torch\nw = 5\nx = torch.arange(4)\ny = {quotient}\n")
    assert found.message.endswith(f": write {written} if these were meant")


@pytest.mark.parametrize(
    ("quotient", "told_at"),
    [
        ("ids.div(n)", ((0, 3), (0, 4), (1, 2))),
        ("ids / n", ((0, 3), (0, 4), (1, 2))),
        ("ids[0, 0] / n", ()),
        ("n / ids", ()),
        ("(net(x) * ids).div(n)", ()),
        ("ids.float().div(n)", ()),
    ],
)
def test_several_whole_numbers_were_cut_whatever_divided_them(
    quotient: str, told_at: tuple[tuple[int, int], ...]
) -> None:
    text = f"""
import torch
net = torch.nn.Linear(2, 2)
def f(x, n):
    ids = torch.randn(2, 6).topk(3)[1]
    return {quotient}
"""
    for newest in ((0, 3), (0, 4), (1, 2), (1, 4)):
        findings = advice("TP406", text, options=Options(era=Era(newest, newest)))
        assert bool(findings) is (newest in told_at), newest
        assert all("gave a whole quotient in torch 0.4 to 1.4" in f.message for f in findings)


_MADE_OF_DATA = """
import numpy as np
import torch
from torch.autograd import Variable
def masks_of(data, x):
    masks = {made}
    print(x.sum().data[0])
    return masks / 255
"""


@pytest.mark.parametrize(
    ("made", "newest", "is_cut"),
    [
        ("Variable(torch.LongTensor(np.array(data['masks'])))", (0, 3), True),
        ("torch.cuda.LongTensor(np.array(data['masks']))", (0, 3), True),
        # What is loaded may be a single number, of which the fraction is wanted, or floats.
        ("torch.tensor(np.array(data['masks']), dtype=torch.long)", (1, 0), False),
        ("Variable(torch.FloatTensor(np.array(data['masks'])))", (0, 3), False),
        ("Variable(data['masks'])", (0, 3), False),
        ("(Variable(torch.LongTensor(data)) == x).sum()", (0, 3), False),
    ],
)
def test_what_old_torch_made_of_data_had_a_dimension(
    made: str, newest: tuple[int, int], is_cut: bool
) -> None:
    text = _MADE_OF_DATA.format(made=made)
    after = migrate(text, "TP406", options=Options(era=Era(newest=newest))).text
    assert ("torch.div(masks, 255, rounding_mode='trunc')" in after) is is_cut


_STORED = """
import torch
def places(maps: torch.Tensor):
    n, height, width = list(maps.size())
    best = maps.view(n, -1).max(1)[1].view(n, 1)
    spots = best.repeat(1, 2)
    {stored}
    spots[:, 1] = spots[:, 1] / width
    spots = spots.float()
    spots.add_(-0.5)
    return spots
"""


@pytest.mark.parametrize(
    ("stored", "is_plain"),
    [
        ("spots[:, 0] = spots[:, 0] % width", True),
        ("spots[0], n = 3, 4", False),
        ("spots[:, 0] = spots[:, 0] - width", False),
        ("spots[0, 0] = n - 5", False),
        ("spots[0] -= 1", False),
        ("spots[0].fill_(-1)", False),
        ("view = spots.view(-1)\n    view[0] = -1", False),
        ("view = spots.view(-1)\n    view[0] = 1", True),
        ("spots.numpy()[0] = -1", False),
    ],
)
def test_places_stay_places_where_such_are_stored(stored: str, is_plain: bool) -> None:
    text = _STORED.format(stored=stored)
    after = migrate(text, "TP406", options=Options(era=Era(newest=(1, 0)))).text
    assert ("spots[:, 1] // width" in after) is is_plain
    assert ("torch.div(spots[:, 1], width, rounding_mode" in after) is not is_plain


_OLD = Options(era=Era(oldest=(0, 3), newest=(0, 3)))
_FILLED = """
import torch
def picked(scores, ids):
    at = torch.arange(0, ids.size(0), out={out}) / ids.size(1)
    return torch.exp(scores)[at]
"""


@pytest.mark.parametrize("out", ["torch.LongTensor(5)", "ids.data.new(ids.size(0))"])
def test_an_index_is_made_of_what_fills_a_tensor_of_whole_numbers(out: str) -> None:
    text = migrate(_FILLED.format(out=out), "TP406", options=_OLD).text
    assert f"out={out}) // ids.size(1)" in text


@pytest.mark.parametrize("out", ["torch.FloatTensor(5)", "torch.zeros(5)"])
def test_what_fills_a_tensor_of_floats_is_no_index(out: str) -> None:
    code = _FILLED.format(out=out)
    assert migrate(code, "TP406", options=_OLD).text == code


def test_what_fills_a_tensor_of_no_known_dtype_may_be_floats_where_it_is_no_index() -> None:
    code = _FILLED.format(out="ids.data.new(5)").replace("[at]", " * at")
    assert "//" not in migrate(code, "TP406", options=_OLD).text
