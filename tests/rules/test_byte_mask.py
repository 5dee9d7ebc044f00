from __future__ import annotations

import textwrap
from typing import Any

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.finding import Numerics

test_rewrites = rewrites(
    "TP405",
    {
        "one minus a mask of unknown dtype": (
            """
            import torch
            def attend(align, mask):
                align.data.masked_fill_(1 - mask, -1e9)
                return align.masked_select(mask=(1 - mask).unsqueeze(1))
            """,
            """
            import torch
            def attend(align, mask):
                align.data.masked_fill_(~mask.bool(), -1e9)
                return align.masked_select(mask=(~mask.bool()).unsqueeze(1))
            """,
        ),
        "of uint8 on one of the ways to it": (
            """
            import torch
            class Attention(torch.nn.Module):
                def forward(self, qk, n):
                    mask = None
                    if self.causal:
                        mask = torch.ones(n, n, dtype=torch.uint8).triu_(1)
                    if self.keys is not None:
                        mask = self.keys if mask is None else mask | self.keys
                    if mask is not None:
                        qk.masked_fill_(mask, -1e9)
                    return qk
            """,
            """
            import torch
            class Attention(torch.nn.Module):
                def forward(self, qk, n):
                    mask = None
                    if self.causal:
                        mask = torch.ones(n, n, dtype=torch.uint8).triu_(1)
                    if self.keys is not None:
                        mask = self.keys if mask is None else mask | self.keys
                    if mask is not None:
                        qk.masked_fill_(mask.bool(), -1e9)
                    return qk
            """,
        ),
        "one minus a comparison": (
            """
            import torch
            def f(a):
                a = torch.ones(3)
                mask = 1 - (a == 0)
                other = 1.0 - a.eq(0)
                if (1 - (a == 0)).sum() > 0:
                    return a[mask], other.float()
            """,
            """
            import torch
            def f(a):
                a = torch.ones(3)
                mask = ~(a == 0)
                other = ~a.eq(0)
                if (~(a == 0)).sum() > 0:
                    return a[mask], other.float()
            """,
        ),
        "one minus a comparison of what only masked_fill shows to be tensors": (
            """
            import torch
            def f(x, tokens, pad):
                mask = tokens.ne(pad)
                x.masked_fill_(1 - mask, 0)
                return x.masked_fill(1 - (tokens == pad), 0)
            """,
            """
            import torch
            def f(x, tokens, pad):
                mask = tokens.ne(pad)
                x.masked_fill_(~mask, 0)
                return x.masked_fill(~(tokens == pad), 0)
            """,
        ),
        "a sum in the operand keeps its parentheses": (
            """
            import torch
            def f(x, a, b):
                return x.masked_fill(1 - a * b, 0)
            """,
            """
            import torch
            def f(x, a, b):
                return x.masked_fill(~(a * b).bool(), 0)
            """,
        ),
        "byte of a mask of floats, in whichever layout it is turned around": (
            """
            import torch
            from allennlp.nn.util import get_text_field_mask
            def f(x, tokens, fields, lengths):
                pad = (tokens > 0).float()
                pad = pad.unsqueeze(1)
                x.masked_fill_(1 - pad.byte()[:, None], 0)
                x.masked_fill_(1 - get_text_field_mask(fields).byte().unsqueeze(1), 0)
                x.masked_fill_(1 - (tokens == 0).byte().view(-1), 0)
                x.masked_fill_(pad.byte(), 0)
            """,
            """
            import torch
            from allennlp.nn.util import get_text_field_mask
            def f(x, tokens, fields, lengths):
                pad = (tokens > 0).float()
                pad = pad.unsqueeze(1)
                x.masked_fill_(~pad.bool()[:, None], 0)
                x.masked_fill_(~get_text_field_mask(fields).bool().unsqueeze(1), 0)
                x.masked_fill_(~(tokens == 0).view(-1), 0)
                x.masked_fill_(pad.bool(), 0)
            """,
        ),
        "byte of what may have fractions, which it cuts": (
            """
            import torch
            def f(x, weights, tokens):
                pad = (tokens > 0).float()
                pad[0] = 0.5
                x.masked_fill_(1 - pad.byte().unsqueeze(1), 0)
                x.masked_fill_(1 - weights.byte().unsqueeze(1), 0)
            """,
            """
            import torch
            def f(x, weights, tokens):
                pad = (tokens > 0).float()
                pad[0] = 0.5
                x.masked_fill_(~pad.byte().unsqueeze(1).bool(), 0)
                x.masked_fill_(~weights.byte().unsqueeze(1).bool(), 0)
            """,
        ),
        "byte of a comparison that only makes masks": (
            """
            import torch
            def f(x, tokens):
                x = torch.zeros(3)
                pad = (tokens == 0).byte()
                x.masked_fill_(pad.unsqueeze(1).expand_as(x), 0)
                chosen = torch.bernoulli(x).byte()
                return x[chosen], torch.masked_select(x, (x > 0).byte().cuda()), pad.size(0)
            """,
            """
            import torch
            def f(x, tokens):
                x = torch.zeros(3)
                pad = tokens == 0
                x.masked_fill_(pad.unsqueeze(1).expand_as(x), 0)
                chosen = torch.bernoulli(x).bool()
                return x[chosen], torch.masked_select(x, (x > 0).cuda()), pad.size(0)
            """,
        ),
        "byte of a comparison that has a name, which is a copy": (
            """
            import torch
            def f(x):
                x = torch.zeros(3)
                above = x > 0
                mask = above.byte()
                above[0] = False
                x[(x > 1).byte()] = 0
                return x.masked_fill(mask, 0), x.masked_fill((x < 0).byte()[0], 1)
            """,
            """
            import torch
            def f(x):
                x = torch.zeros(3)
                above = x > 0
                mask = above.bool()
                above[0] = False
                x[x > 1] = 0
                return x.masked_fill(mask, 0), x.masked_fill((x < 0)[0], 1)
            """,
        ),
        "byte of what may hold fractions": (
            """
            import torch
            def f(x, mask):
                x = torch.zeros(3)
                x.masked_scatter_(mask.byte(), x)
                return x.masked_fill(mask.byte().view(-1), 0), x[mask.byte()]
            """,
            """
            import torch
            def f(x, mask):
                x = torch.zeros(3)
                x.masked_scatter_(mask.byte().bool(), x)
                return x.masked_fill(mask.byte().view(-1).bool(), 0), x[mask.byte().bool()]
            """,
        ),
        "byte that is also calculated with": (
            """
            import torch
            def f(x, tokens):
                mask = (tokens == 0).byte()
                return x.masked_fill(mask, 0), mask * 2
            """,
            """
            import torch
            def f(x, tokens):
                mask = (tokens == 0).byte()
                return x.masked_fill(mask.bool(), 0), mask * 2
            """,
        ),
        "ByteTensor": (
            """
            import torch
            def f():
                x = torch.zeros(3)
                keep = torch.ByteTensor([1, 0, 1])
                x[keep] = 0
                x[:, keep] = torch.ones(2)
                x[keep] += 1
                return x[keep], torch.where(torch.ByteTensor([1, 0, 1]), x, -x)
            """,
            """
            import torch
            def f():
                x = torch.zeros(3)
                keep = torch.ByteTensor([1, 0, 1]).bool()
                x[keep] = 0
                x[:, keep] = torch.ones(2)
                x[keep] += 1
                return x[keep], torch.where(torch.ByteTensor([1, 0, 1]).bool(), x, -x)
            """,
        ),
        "inverted bytes": (
            """
            import torch
            def f(x, mask):
                x = torch.zeros(3)
                a = x.masked_fill(~(x > 0).byte(), 0)
                b = x.masked_fill(1 - mask.byte(), 0)
                c = x.masked_fill(~mask.byte(), 0)
                d = x[1 - mask.byte()]
                e = x[1 - torch.bernoulli(x).byte()]
                return a, b, c, d, e, x.masked_fill((x > 0) ^ 1, 0)
            """,
            """
            import torch
            def f(x, mask):
                x = torch.zeros(3)
                a = x.masked_fill(~(x > 0), 0)
                b = x.masked_fill(~mask.byte().bool(), 0)
                c = x.masked_fill(~mask.byte().bool(), 0)
                d = x[(1 - mask.byte()).bool()]
                e = x[~torch.bernoulli(x).bool()]
                return a, b, c, d, e, x.masked_fill(~(x > 0), 0)
            """,
        ),
        "bits inverted in an old file": (
            """
            import torch
            from torch.autograd import Variable
            def f():
                x = torch.zeros(3)
                v = Variable(x, volatile=True)
                return x[~(x > 0).byte()], x[(x > 0) ^ 1]
            """,
            """
            import torch
            from torch.autograd import Variable
            def f():
                x = torch.zeros(3)
                v = Variable(x, volatile=True)
                return x[~(x > 0)], x[~(x > 0)]
            """,
        ),
    },
)

test_keeps = keeps(
    "TP405",
    {
        "of uint8 on one way where it is an index": """
            import torch
            def f(x, keys, causal):
                mask = keys
                if causal:
                    mask = torch.ones(3, dtype=torch.uint8)
                return x[mask]
            """,
        "of bool on one way": """
            import torch
            def f(x, keys, causal):
                mask = keys.mask
                if causal:
                    mask = torch.ones(3, dtype=torch.bool)
                return x.masked_fill(mask, 0)
            """,
        "bool masks": """
            import torch
            def f(x, tokens):
                mask = tokens == 0
                x.masked_fill_(mask, 0)
                x.masked_fill_(~mask, 0)
                return x.masked_fill(mask.bool(), 0), x[mask.unsqueeze(1)]
            """,
        "images and storage are bytes": """
            import torch
            def f(image):
                image = torch.zeros(3)
                pixels = image.mul(255).byte()
                save(pixels.numpy())
                return torch.ByteTensor(torch.ByteStorage.from_buffer(image)), pixels
            """,
        "the state of the generator": """
            import torch
            def f(checkpoint):
                torch.set_rng_state(checkpoint["rng"].cpu().byte())
            """,
        "counted or cast only": """
            import torch
            def f(predicted, target):
                predicted = torch.ones(3)
                return (predicted == target).byte().sum(), (predicted > 1).byte().float()
            """,
        "one minus floats": """
            import torch
            def f(x, done):
                x = torch.zeros(3)
                mask = (x > 0).float()
                masks = torch.FloatTensor([0.0 if done_ else 1.0 for done_ in done])
                return x * (1 - mask), x * (1 - masks), 1 - (x > 0).to(torch.float32)
            """,
        "one minus what is unknown": """
            import torch
            def f(reward, done, gamma):
                return reward + gamma * (1 - done), 1 - (reward == done)
            """,
        "one minus a numpy comparison": """
            import numpy as np
            import torch
            def f(done):
                done = np.array(done)
                return torch.from_numpy(1 - (done == 0)), 1 - done
            """,
        "one minus a comparison with None": """
            import torch
            def f():
                x = torch.zeros(3)
                return x, 1 - (x == None)
            """,
        "numpy masks and arrays": """
            import numpy as np
            import torch
            def f(labels):
                labels = np.zeros(3)
                keep = torch.ByteTensor([1, 0, 1])
                return labels[keep], labels[(labels > 0).astype("uint8")]
            """,
        "a dict with tensors as keys": """
            import torch
            def f(cache):
                return cache[torch.ByteTensor([1])]
            """,
        "a class with methods of these names": """
            import torch
            class Series:
                def masked_fill(self, mask, value):
                    return self
                def byte(self):
                    return self
            def f(series, mask, x):
                x = torch.zeros(3)
                series.masked_fill(1 - mask, 0)
                return x[series.byte()]
            """,
        "a receiver of another library": """
            import numpy as np
            import torch
            def f(mask):
                return np.ma.masked_select(1 - mask), np.where(mask.byte(), 1, 2)
            """,
        "arguments of unknown content": """
            import torch
            def f(x, masks):
                return x.masked_fill(*(1 - masks)), torch.where(*masks)
            """,
        "an index that is no mask": """
            import torch
            def f(mask):
                x = torch.zeros(3)
                rows = torch.ByteTensor([1, 0, 1]).long()
                return x[rows], x[torch.ByteTensor([0]).type(torch.LongTensor)], x[mask]
            """,
        "a parameter that others may pass as floats": """
            import torch
            class Attention(torch.nn.Module):
                def forward(self, x, mask):
                    return x * (1 - mask)
            def main():
                x = torch.zeros(3)
                return Attention().forward(x, x > 0)
            """,
        "a branch for old torch": """
            import torch
            def f(mask):
                x = torch.zeros(3)
                if torch.__version__ < "1.2":
                    return x[mask.byte()], x.masked_fill(1 - mask, 0)
                return x[mask]
            """,
        "shadowed torch": """
            def f(torch, x, mask):
                return torch.where(mask.byte(), x, 0), torch.masked_select(x, 1 - mask)
            """,
        "a comment that would be lost": """
            import torch
            def f(x, mask):
                return x.masked_fill(1 -  # where nothing is
                                     mask, 0)
            """,
    },
)


test_rewrites_what_is_stored_and_measured = rewrites(
    "TP405",
    {
        "stored in a tensor": (
            """
            import torch
            def f(x, best):
                keep = torch.ones(3, 4)
                found = torch.max(best, 1)[0] > 0.5
                keep[0] = 1 - found
                keep[1, :] = keep[2] = 1 - (best.detach() > 0.7)
                return keep * x
            """,
            """
            import torch
            def f(x, best):
                keep = torch.ones(3, 4)
                found = torch.max(best, 1)[0] > 0.5
                keep[0] = ~found
                keep[1, :] = keep[2] = ~(best.detach() > 0.7)
                return keep * x
            """,
        ),
        "how long it is": (
            """
            import torch
            def f(x):
                known = 1 - torch.isnan(x)
                if len(known) == 0:
                    return None
                return torch.log(x)[known]
            """,
            """
            import torch
            def f(x):
                known = ~torch.isnan(x)
                if len(known) == 0:
                    return None
                return torch.log(x)[known]
            """,
        ),
    },
)


@pytest.mark.parametrize("into", ["given[0]", "rows[0]", "keep[0] = rows[0]", "x.kept", "a, b"])
def test_what_else_it_is_stored_in_may_tell_the_difference(into: str) -> None:
    head = "import torch\nkeep, rows, x = torch.ones(3), [0], torch.zeros(3)\n"
    (finding,) = advice("TP405", f"{head}{into} = 1 - (x > 0)\n")
    assert finding.message == (
        "1 - (x > 0) fails since torch 1.2: (x > 0) is a mask of bool, whose contrary is `~(x > 0)`"
    )


@pytest.mark.parametrize(
    ("mask", "named"),
    [
        ("torch.arange(0, 3).repeat(2, 1).lt(torch.ones(2, 1))", "(…).lt(…)"),
        ("torch.lt(torch.arange(0, 3).repeat(2, 1), torch.ones(2, 1))", "torch.lt(…)"),
        ("(torch.arange(0, 3).repeat(2, 1) < torch.ones(2, 1))", "mask"),
        ("torch.zeros(3).lt(1)", "torch.zeros(3).lt(1)"),
    ],
)
def test_a_mask_whose_code_is_too_long_is_named_by_what_compares(mask: str, named: str) -> None:
    text = f"import torch\ndef f():\n    return 1 - {mask}\n"
    (finding,) = advice("TP405", text)
    assert finding.message == (
        f"1 - {named} fails since torch 1.2: {named} is a mask of bool, whose contrary is `~{named}`"
    )


def test_what_is_calculated_with_the_inverted_mask_is_left_to_a_person() -> None:
    findings = advice(
        "TP405",
        """
        import torch
        def f():
            x = torch.zeros(3)
            mask = 1 - (x == 0)
            print(mask)
            return x[mask], x * (1 - (x > 0))
        """,
    )
    assert [(f.line, f.message) for f in findings] == [
        (
            4,
            "1 - (x == 0) fails since torch 1.2: (x == 0) is a mask of bool, whose contrary is "
            "`~(x == 0)`",
        ),
        (6, "1 - (x > 0) fails on a mask of bool: write 1 - (x > 0).byte() to calculate with it"),
    ]


@pytest.mark.parametrize(
    ("uses", "said"),
    [
        ("y = x * others", "write 1 - m.byte() to calculate with it"),
        ("y = 2 * others + 1", "write 1 - m.byte() to calculate with it"),
        ("y = 1 - others", "write 1 - m.byte() to calculate with it"),
        (
            "x[others] = 0; y = 1 - others",
            "write ~m where it selects, 1 - m.byte() where it is calculated with",
        ),
        ("y = x.mm(others)", "write 1 - m.float(), as the product of line 6 takes one dtype"),
        ("y = others @ x", "write 1 - m.float(), as the product of line 6 takes one dtype"),
        ("y = others.t().mm(x.double())", "write 1 - m.double(), as the product of line 6 takes"),
        ("y = torch.mm(x, others) + others", "write 1 - m.float(), as the product of line 6"),
        # Nothing that is written for it serves all of them, or it is not known what does.
        ("x[others] = 0; y = x.mm(others)", None),
        ("y = x.mm(others), others.mm(x.double())", None),
        ("y = others.mm(others)", None),
        ("y = others.mm(z)", None),
        ("y = product(others, m), x.mm(others)", None),
        ("y = x[1 - others]", None),
        ("torch.set_default_dtype(z); y = x.mm(others)", None),
        ("y = x * others, [others]", None),
        ("return others", "is a mask of bool, whose contrary is `~m`"),
        ("z[others] = 0", "is a mask of bool, whose contrary is `~m`"),
        ("y = product(others)", "is a mask of bool, whose contrary is `~m`"),
    ],
)
def test_what_to_write_for_an_inverted_mask_is_told_by_what_takes_it(
    uses: str, said: str | None
) -> None:
    (finding,) = advice(
        "TP405",
        f"""
        import torch
        def f(z, product):
            x = torch.zeros(3, 3)
            m = x > 1
            others = 1 - m
            {uses}
        """,
    )
    fails = "1 - m fails since torch 1.2: m is a mask of bool"
    assert finding.message == fails if said is None else said in finding.message


def test_inverted_bits_in_a_file_of_unknown_age_are_left_to_a_person() -> None:
    findings = advice(
        "TP405",
        """
        import torch
        def f(mask):
            x = torch.zeros(3)
            return x[~(x > 0).byte()], x[~mask.byte()], x[(x > 0) ^ 1]
        """,
    )
    assert [f.line for f in findings] == [4, 4, 4]
    assert "write ~(x > 0).byte().bool()" in findings[0].message
    assert "write ~mask.byte().bool()" in findings[1].message
    assert "(x > 0) ^ 1 is int64 since torch 1.2, an index and no mask: write ~(x > 0)" in (
        findings[2].message
    )


@pytest.mark.parametrize(
    ("index", "is_told"), [("(x > 0) ^ 1", True), ("(x > 0) ^ (x > 1)", False), ("n ^ 1", False)]
)
def test_an_index_by_an_inverted_mask_in_a_file_without_bytes(index: str, is_told: bool) -> None:
    text = f"import torch\ndef f(n):\n    x = torch.zeros(3)\n    return x[{index}]\n"
    assert bool(advice("TP405", text)) is is_told


def test_claims_follow_what_todays_torch_does() -> None:
    migration = migrate(
        "import torch\n"
        "from torch.autograd import Variable\n"
        "def f(mask, n):\n"
        "    x = Variable(torch.zeros(3), volatile=True)\n"
        "    x[mask.byte()] = 0\n"
        "    x[mask.byte()] = torch.ones(2)\n"
        "    y = x[mask.byte()]\n"
        "    z = x[~(x > 0).byte()]\n"
        "    return x.masked_fill(mask.byte(), 0)\n",
        "TP405",
    )
    assert {f.line: f.numerics for f in migration.findings} == {
        5: Numerics.RESTORED,
        6: Numerics.IDENTICAL,
        7: Numerics.IDENTICAL,
        8: Numerics.PINNED,
        9: Numerics.RESTORED,
    }


def test_masks_of_a_module_that_others_import_keep_their_dtype() -> None:
    text = "import torch\nx = torch.zeros(3)\nmask = (x > 0).byte()\ny = x.masked_fill(mask, 0)\n"
    imported = migrate(text, "TP405", options=Options(imported_elsewhere=lambda: True))
    assert "mask = (x > 0).byte()\ny = x.masked_fill(mask.bool(), 0)" in imported.text
    script = migrate(text, "TP405", options=Options(imported_elsewhere=lambda: False))
    assert "mask = x > 0\ny = x.masked_fill(mask, 0)" in script.text


@pytest.mark.parametrize(
    "lines",
    [
        ("mask = ~m.byte()", "return x.masked_fill(mask, 0)"),
        ("mask = ~(m > 0).byte().unsqueeze(1)", "return x.masked_select(mask)"),
        ("keep = (m > 0).byte()", "mask = ~keep", "return x.masked_fill(mask, 0)"),
        ("mask = ~m.byte()", "other = mask.clone()", "return x[other]"),
        ("mask = (x > 1).byte() | ~m.byte()", "x[mask] = 0"),
    ],
)
def test_a_mask_of_inverted_bits_is_no_truth_value(lines: tuple[str, ...]) -> None:
    body = "".join(f"    {line}\n" for line in ("x = torch.zeros(3)", *lines))
    text = f"import torch\ndef f(m):\n{body}"
    assert migrate(text, "TP405").text == text
    findings = advice("TP405", text)
    assert findings
    assert {f.line for f in findings} == {3 + next(i for i, s in enumerate(lines, 1) if "~" in s)}
    assert all("inverts the bits" in f.message for f in findings)


def test_an_index_that_still_works_is_changed_everywhere_or_nowhere() -> None:
    text = (
        "import torch\ndef accuracy(logits, labels, chosen):\n"
        "    mask = torch.ByteTensor(chosen)\n    labels = torch.LongTensor(labels)\n"
        "    return logits[mask] == labels[mask]\n"
    )
    assert migrate(text, "TP405").text == text
    known = text.replace("logits[mask]", "logits.contiguous()[mask]")
    assert migrate(known, "TP405").text == known.replace("(chosen)", "(chosen).bool()")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("n = (x > 0) + (x > 1)\nprint(n)", "((x > 0)).int() + …"),
        ("m = x > 0\nprint((m + x.gt(1)).float())", "m.int() + …"),
        (
            "m = None\nfor n in range(3):\n    part = x >= n\n"
            "    m = m + part if m is not None else part\nprint(m == 2)",
            "m.int() + …",
        ),
    ],
)
def test_the_sum_of_masks_is_no_count(code: str, said: str) -> None:
    (finding,) = advice("TP405", f"import torch\nx = torch.rand(3)\n{code}\n")
    assert said.replace("((x > 0))", "(x > 0)") in finding.message


@pytest.mark.parametrize(
    "code",
    [
        "n = (x > 0) + 1\nprint(n)",
        "n = x + (x > 1)\nprint(n)",
        "n = (x > 0).int() + (x > 1)\nprint(n)",
        "x[(x < 0) + (x > 1)] = 0",
        "print(((x < 0) + (x > 1)).any())",
        "n = (x > 0) * (x > 1)\nprint(n)",
        "n = torch.zeros(3, dtype=torch.bool) + (x > 1)\nprint(n)",
        "n = 0\nfor i in range(3):\n    n = n + (x > i)\nprint(n)",
    ],
)
def test_other_sums_are_fine(code: str) -> None:
    assert not advice("TP405", f"import torch\nx = torch.rand(3)\n{code}\n")


_GIVEN = """import torch
def collate(n):
    return torch.ByteTensor(n, 3).fill_(1)
def train(scores, other):
    attend(scores, collate(3), 3)
    attend(scores, other, 3)
def attend(scores, mask, lengths):
    torch.exp(scores)
    {}
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("scores.masked_fill_(mask, 0)", "mask.bool()"),
        ("scores.data.masked_fill_(mask.data, 0)", "mask.data.bool()"),
        ("mask = mask.unsqueeze(1)\n    scores.masked_select(mask)", "mask.bool()"),
        ("mask = mask.to(scores.device)\n    scores.masked_select(mask)", "mask.bool()"),
        ("mask = mask.cuda()\n    scores.masked_select(mask)", "mask.bool()"),
        ("scores.masked_fill_(mask.unsqueeze(1), 0)", "mask.unsqueeze(1).bool()"),
    ],
)
def test_a_mask_that_a_call_makes_of_bytes(code: str, said: str) -> None:
    (finding,) = advice("TP405", _GIVEN.format(code))
    assert finding.message.endswith(f"comes as uint8 from line 3: write {said}")
    unrelated = _GIVEN.format(code).replace("collate(3)", "other")
    assert not advice("TP405", unrelated)


@pytest.mark.parametrize(
    "code",
    [
        "scores.masked_fill_(mask.bool(), 0)",
        "scores.masked_fill_(mask > 0, 0)",
        "mask = mask > 0\n    scores.masked_fill_(mask, 0)",
        "mask = make(mask)\n    scores.masked_fill_(mask, 0)",
        "scores[mask] = 0",
        "scores.masked_fill_(torch.logical_not(mask), 0)",
        "scores.masked_fill_(mask, 0).to(torch.bool)",
    ],
)
def test_other_masks_from_elsewhere_are_fine(code: str) -> None:
    assert not advice("TP405", _GIVEN.format(code))


def test_where_nothing_makes_bytes_a_mask_is_of_bool() -> None:
    text = _GIVEN.format("scores.masked_fill_(mask, 0)").replace("ByteTensor", "LongTensor")
    assert not advice("TP405", text)


@pytest.mark.parametrize(
    ("made", "is_told"),
    [("torch.zeros(3).byte()", True), ("torch.zeros(3).long()", False), ("make(0)", False)],
)
def test_a_mask_that_may_be_another_one_in_a_loop(made: str, is_told: bool) -> None:
    text = f"""import torch
def decode(x, update):
    x = torch.exp(x)
    mask = {made}
    for i in range(3):
        x[mask.view(1, 3).expand_as(x)] = 0
        mask = update(mask)
    return x
"""
    said = [f.line for f in advice("TP405", text) if "comes as uint8 from line" in f.message]
    assert said == ([6] if is_told else [])


@pytest.mark.parametrize(
    "chosen", ["mask.clone()", "mask.unsqueeze(0).clone().squeeze(0)", "mask > 0"]
)
def test_a_copy_of_a_mask_that_may_be_of_bytes(chosen: str) -> None:
    text = f"""import torch
def apply(logits, mask, last):
    logits = torch.exp(logits)
    if mask is None:
        mask = torch.zeros(logits.size()).byte()
    chosen = {chosen}
    chosen[0, last] = 1
    logits[chosen] = -1
    return logits.masked_fill(chosen, 0)
"""
    migration = migrate(text, "TP405")
    said = [f.line for f in migration.findings if "comes as uint8 from line" in f.message]
    is_copy = ">" not in chosen
    assert said == ([8] if is_copy else [])
    assert ("masked_fill(chosen.bool(), 0)" in migration.text) is is_copy


def test_a_mask_that_numpy_made_of_bytes() -> None:
    text = """import numpy as np
import torch
def drop(x, use_cuda):
    x = torch.exp(x)
    mask = torch.from_numpy(np.random.binomial(1, 0.3, tuple(x.size())).astype('uint8'))
    if use_cuda:
        mask = mask.cuda()
    x[mask] = 0
    return x
"""
    assert migrate(text, "TP405").text == text.replace("x[mask]", "x[mask.bool()]")


_KEPT_MASK = """import torch
class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = None
    def set_mask(self, mask, n):
        {}
    def forward(self, scores):
        torch.exp(scores)
        if self.mask is not None:
            scores.data.masked_fill_(self.mask, 0)
        return scores
def make(n):
    return torch.ByteTensor(n).fill_(1)
def train(attention):
    Attention().set_mask(make(3), 3)
    Attention().set_mask(attention, 3)
"""


@pytest.mark.parametrize(
    "kept",
    [
        "self.mask = mask",
        "mask = mask.unsqueeze(1); self.mask = mask",
        "self.mask, self.n = mask, n",
        "self.mask = mask; self.mask = other()",
    ],
)
def test_a_mask_that_a_method_was_given_may_be_of_bytes(kept: str) -> None:
    (finding,) = advice("TP405", _KEPT_MASK.format(kept))
    assert "self.mask.bool()" in finding.message


@pytest.mark.parametrize(
    "kept",
    [
        "self.mask = mask > 0",
        "self.mask = make(mask)",
        "self.n, self.mask = mask, n",
        "pass",
    ],
)
def test_other_masks_that_are_kept_are_fine(kept: str) -> None:
    assert not advice("TP405", _KEPT_MASK.format(kept))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("d = (x > 0) - (x > 1)", "(x > 0) & ~(x > 1)"),
        ("d = m - x.gt(1)", "m & ~x.gt(1)"),
        ("d = y[x.eq(x.t()) - torch.eye(3).byte()]", "x.eq(x.t()) & ~torch.eye(3).byte()"),
        ("d = x.byte() - m", "x.byte() & ~m"),
        (f"d = m - (x > {'1' * 70})", "m & ~b"),
    ],
)
def test_masks_are_not_subtracted(code: str, said: str) -> None:
    (finding,) = advice("TP405", f"import torch\nx = torch.rand(3, 3)\nm = x < 0.5\n{code}\n")
    assert finding.message.endswith(f"write {said} for what only the first has")


@pytest.mark.parametrize(
    "code",
    [
        "d = x - m",
        "d = m.float() - m.float()",
        "d = x.byte() - x.byte()",
        "d = m.int() - (x > 1)",
        "d = (given > 0) - (given > 1)",
        "d = m + (x > 1).float() - x",
        "d = x.sum(1) - m.sum(1)",
    ],
)
def test_other_differences_are_fine(code: str) -> None:
    assert not advice("TP405", f"import torch\nx = torch.rand(3, 3)\nm = x < 0.5\n{code}\n")


_ATTENTION = """import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 2)
        self.other = Attention(8, 2)
    def forward(self, x, lengths, mask):
        pad = torch.zeros(2, 5, dtype=torch.uint8)
        print(pad)
        return CALL
"""


@pytest.mark.parametrize(
    ("call", "after"),
    [
        (
            "self.attention(x, x, x, key_padding_mask=pad)",
            "self.attention(x, x, x, key_padding_mask=pad.bool())",
        ),
        (
            "self.attention(x, x, x, key_padding_mask=pad[:, None])",
            "self.attention(x, x, x, key_padding_mask=pad[:, None].bool())",
        ),
        ("self.attention(x, x, x, attn_mask=pad)", "self.attention(x, x, x, attn_mask=pad.bool())"),
        (
            "self.encoder(x, mask=pad, src_key_padding_mask=(x > 0).byte())",
            "self.encoder(x, mask=pad.bool(), src_key_padding_mask=x > 0)",
        ),
        ("self.attention(x, x, x, key_padding_mask=mask)", None),
        ("self.attention(x, pad, x, attn_mask=None)", None),
        ("self.attention(x, x, x, key_padding_mask=lengths > 3)", None),
        ("self.encoder(x, src_key_padding_mask=1 - mask)", None),
        ("self.other(x, x, x, key_padding_mask=pad)", None),
        ("self.encoder(x, **dict(mask=pad))", None),
    ],
)
def test_masks_of_attention(call: str, after: str | None) -> None:
    expected = _ATTENTION.replace("CALL", call if after is None else after)
    assert migrate(_ATTENTION.replace("CALL", call), "TP405").text == expected


def test_numbers_of_masked_attention() -> None:
    text = (
        "import torch\nlayer = torch.nn.MultiheadAttention(2, 1, bias=False)\n"
        "torch.nn.init.eye_(layer.out_proj.weight)\n"
        "torch.nn.init.eye_(layer.in_proj_weight[:2])\n"
        "x = torch.tensor([[[0.5, 2.0]], [[1.0, -1.0]], [[3.0, 0.0]]])\n"
        "y = layer(x, x, x, key_padding_mask=torch.tensor([[0, 0, 1]]).byte())\n"
    )
    with pytest.raises(AssertionError, match="key_padding_mask"):
        exec(text, {})
    values: dict[str, Any] = {}
    exec(migrate(text, "TP405").text, values)
    assert values["y"][1][0, :, 2].tolist() == [0, 0, 0]


def test_an_attention_mask_was_added_until_1_4() -> None:
    call = "self.attention(x, x, x, attn_mask=pad, key_padding_mask=pad)"
    text = _ATTENTION.replace("CALL", call)
    after = migrate(text, "TP405", options=Options(era=Era(newest=(1, 4)))).text
    assert "attn_mask=pad, key_padding_mask=pad.bool()" in after


def test_a_mask_in_another_layout_may_be_uint8() -> None:
    text = """
        import torch
        ones = torch.ones(3, 3, dtype=torch.uint8)
        def attend(scores, mask, n):
            scores = scores.unsqueeze(0).masked_fill(mask[None, :, :, None], 0)
            return scores.masked_fill(mask[n], 0)
        attend(scores, ones, 0)
        attend(scores, other, 0)
    """
    found = migrate(textwrap.dedent(text), "TP405").findings
    assert [f.line for f in found if "comes as uint8 from line" in f.message] == [5, 6]


@pytest.mark.parametrize(("asked", "count"), [("half", 1), ("bool", 0)])
def test_a_mask_that_is_asked_whether_it_is_bool_is_known(asked: str, count: int) -> None:
    text = f"""
        import torch
        def attend(scores, mask):
            if mask.dtype == torch.{asked}:
                scores.masked_fill_(mask, 0)
            return scores
        attend(x, torch.ones(3, dtype=torch.uint8))
        attend(x, y)
    """
    assert len(migrate(textwrap.dedent(text), "TP405").findings) == count


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("print(-m)", "write -m.int() to calculate"),
        ("y = x[-m]", "write m, for that of bytes selected the same"),
        ("y = -(x > 2)", "write -(x > 2).int() to calculate"),
        ("y = m - 1", "write m.int() to calculate"),
        ("y = x[m - 1]", "write ~m for all"),
        ("y = x[m - 2]", "write m.byte() to calculate"),
        ("y = -x.eq(1)", "write -x.eq(1).int() to calculate"),
        ("y = -(m & (x > 0.1))", "write -(m & (x > 0.1)).int() to calculate"),
    ],
)
def test_a_negative_of_a_mask_is_reported(code: str, words: str) -> None:
    text = f"import torch\nx = torch.rand(3, 3)\nm = x < 0.5\n{code}\n"
    with pytest.raises(RuntimeError, match="bool tensor is not supported"):
        exec(text, {})
    (finding,) = advice("TP405", text)
    assert words in finding.message


@pytest.mark.parametrize(
    "code",
    [
        "y = -m.float()",
        "y = -m.sum()",
        "y = m.float() - 1",
        "y = -x",
        "y = x - 1",
        "y = -(x.size(0) > 2)",
        "def f(a, b):\n    return -(a > b), (a > b) - 1",
        "k = x.size(0) == 3\ny = k - 1",
        "y = m.numpy() - 1",
        "m = m.int()\ny = m - 1",
        "y = 2 - x",
    ],
)
def test_negatives_of_other_things(code: str) -> None:
    assert not advice("TP405", f"import torch\nx = torch.rand(3, 3)\nm = x < 0.5\n{code}\n")


_IN_PLACE = """
    import torch
    def f(x, words: torch.Tensor, n):
        mask = {mask}
        {line}
        return mask.unsqueeze(0)
"""


@pytest.mark.parametrize("mask", ["words > 0", "(x.data != 3)", "x.eq(n)", "x.data >= n"])
@pytest.mark.parametrize("line", ["mask[:, 0] += 1", "mask[0] *= 2", "mask[n] -= 0.5"])
def test_a_number_that_a_part_of_a_mask_cannot_take_in_is_told(mask: str, line: str) -> None:
    (finding,) = advice("TP405", _IN_PLACE.format(mask=mask, line=line))
    assert "take in no number" in finding.message
    assert f"write {line[: line.index(']')]}] = True" in finding.message


def test_a_number_that_a_mask_cannot_take_in_is_told() -> None:
    (finding,) = advice("TP405", _IN_PLACE.format(mask="words > 0", line="mask += 1"))
    assert finding.message.endswith("make the mask with .byte() to calculate with it")


@pytest.mark.parametrize(
    ("mask", "line"),
    [
        ("words > 0", "mask[:, 0] += True"),
        ("words > 0", "mask += words > 3"),
        ("words > 0", "mask[0] = 1"),
        ("(words > 0).long()", "mask[0] += 1"),
        ("words.byte()", "mask[0] += 1"),
        ("words > 0", "mask = mask.float()\n        mask[0] += 1"),
        ("x", "mask[0] += 1"),
        ("words > 0", "n += 1"),
    ],
)
def test_what_a_mask_can_take_in_is_not_told(mask: str, line: str) -> None:
    assert not advice("TP405", _IN_PLACE.format(mask=mask, line=line))


def test_what_may_be_no_mask_is_not_told() -> None:
    text = "import torch\ndef f(a, b):\n    less = a < b\n    less += 1\n    return less\n"
    assert not advice("TP405", text)


_MASKS = """
import torch
import numpy as np
def f(x: torch.Tensor, y: torch.Tensor, n, flag):
    m = x > 0
    a = m.numpy()
    words = x.topk(3)[1]
    {}
    return a
"""
_OF_1_0 = Options(era=Era((1, 0), (1, 0)))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("m.argmax(1)", "argmax takes no masks of bool"),
        ("(x > 1).argmin()", "write (x > 1).int()"),
        ("torch.argmax(m, dim=1)", "write m.int()"),
        ("torch.topk(x.eq(y), 2)", "write x.eq(y).int()"),
        ("m.view(-1).median(), n", "median takes no masks"),
        ("a - (x > 1).cpu().numpy()", "write a.astype(int) - …"),
    ],
)
def test_what_bool_cannot_do_is_told_whatever_the_age(code: str, said: str) -> None:
    (finding,) = advice("TP405", _MASKS.format(code))
    assert said in finding.message


@pytest.mark.parametrize(
    "code",
    [
        "m.int().argmax(1)",
        "x.argmax(1)",
        "n.argmax()",
        "np.argmax(a)",
        "a.argmax()",
        "m.max(1)",
        "m.sort(1)",
        "torch.argmax(x)",
        "a - x.numpy()",
        "a + a",
        "1 - a",
        "m += x > 1",
        "x.masked_fill(n, 0)",
        "x[words]",
        "torch.where(words, x, y)",
    ],
)
def test_what_bool_can_do_is_not(code: str) -> None:
    migration = migrate(_MASKS.format(code), "TP405")
    assert not migration.findings


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("m += x > 1; print(m)", "write m.int() + …"),
        ("a = a + m.cpu().numpy()", "write a.astype(int) + … to count"),
        ("t = torch.tensor([True, False]); print(t + t)", "write t.int() + …"),
    ],
)
def test_masks_that_counted_in_an_old_file(code: str, said: str) -> None:
    (finding,) = advice("TP405", _MASKS.format(code), options=_OF_1_0)
    assert said in finding.message


@pytest.mark.parametrize(
    "code",
    [
        "m += x > 1; x[m] = 0; m = 1",
        "x += x > 1",
        "m -= n; m += 1.0 > n",
        "a = a + x.numpy()",
        "m = m if flag else x; m += x > 1",
        "m |= x > 1",
    ],
)
def test_masks_that_only_select_in_an_old_file(code: str) -> None:
    assert not advice("TP405", _MASKS.format(code), options=_OF_1_0)


@pytest.mark.parametrize("dtype", ["long", "int"])
def test_masks_of_whole_numbers_are_taken_no_more(dtype: str) -> None:
    text = _MASKS.format(f"w = words.{dtype}(); x.masked_fill_(w, 0); x[w] = 1; n[w]")
    migration = migrate(text, "TP405")
    assert migration.text == text.replace("masked_fill_(w,", "masked_fill_(w.bool(),")
    assert {f.numerics for f in migration.findings} == {Numerics.RESTORED}


def test_what_numbers_less_a_mask_are_is_not_known() -> None:
    text = _MASKS.format("w = (1 - m).mul_(1 - (x > 2)); x.masked_fill_(w, 0)")
    assert "masked_fill_(w, 0)" in migrate(text, "TP405").text


_REDRAWN = """
def redrawn(self, probs):
    x, done = self.draw(), torch.bernoulli(probs).byte()
    while not done.all():
        y = self.draw()
        accepted = {}
        x[accepted] = {}
        done |= accepted
    return x
"""


def test_bytes_joined_by_and_that_tell_where_to_copy_are_a_mask() -> None:
    text = "import torch\n" + _REDRAWN.format(
        "torch.bernoulli(self.kept(y)).byte() & ~done", "y[accepted]"
    )
    after = text.replace("x[accepted] = y[accepted]", "x[accepted.bool()] = y[accepted.bool()]")
    assert migrate(text, "TP405").text == migrate(after, "TP405").text == after


@pytest.mark.parametrize(
    ("accepted", "copied"),
    [
        # Labels 0 and 1 are positions in an array.
        ("torch.bernoulli(probs).byte()", "y[accepted]"),
        ("torch.bernoulli(probs).byte() & ~done", "names[done]"),
        ("torch.bernoulli(probs).byte() & ~done", "y"),
        ("torch.bernoulli(probs).byte() & ~done", "y[0][accepted, 0]"),
        # Bits other than the last are left of 255, and of numbers.
        ("probs.byte() & ~done", "y[accepted]"),
        ("~torch.bernoulli(probs).byte() & ~done", "y[accepted]"),
        ("torch.bernoulli(probs).byte() & self.done", "y[accepted]"),
        ("torch.bernoulli(probs).byte() | ~done", "y[accepted]"),
        ("torch.bernoulli(probs).long() & done", "y[accepted]"),
        ("torch.bernoulli(probs).byte() & ~done if self.some else self.all", "y[accepted]"),
    ],
)
def test_bytes_that_may_be_positions_are_kept(accepted: str, copied: str) -> None:
    text = "import torch\n" + _REDRAWN.format(accepted, copied)
    assert migrate(text, "TP405").text == text


def test_bytes_that_are_positions_in_an_array_are_kept() -> None:
    text = "import numpy as np, torch\n" + _REDRAWN.format(
        "torch.bernoulli(probs).byte() & ~done", "y[accepted]"
    )
    text = text.replace("y = self.draw()", "y = np.zeros(3)")
    assert migrate(text, "TP405").text == text


def _indexed(index: str, above: str = "") -> str:
    return f"import torch\n{above}def f(x, y):\n    x = torch.zeros(3)\n    x[{index}] = 1\n"


@pytest.mark.parametrize("kind", ["torch.ByteTensor", "torch.cuda.ByteTensor"])
def test_what_is_cast_to_a_type_of_bytes_is_a_mask_of_them(kind: str) -> None:
    text = _indexed(f"y.type({kind})")
    assert migrate(text, "TP405").text == _indexed(f"y.type({kind}).bool()")


@pytest.mark.parametrize(
    ("index", "above"),
    [
        ("y.type(torch.LongTensor)", ""),
        ("y.type(kind)", ""),
        ("y.type(torch.ByteTensor)", "class Tokens:\n    def type(self, kind): return 0\n"),
    ],
)
def test_what_is_cast_to_another_type_is_none(index: str, above: str) -> None:
    text = _indexed(index, above)
    assert migrate(text, "TP405").text == text
