from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.finding import Numerics

test_rewrites = rewrites(
    "TP421",
    {
        "targets of a detector": (
            """
            import torch

            def build_targets(p, targets):
                gain = torch.ones(7, device=targets.device)
                for i in range(3):
                    gain[2:6] = torch.tensor(p[i].shape)[[3, 2, 3, 2]]
                    gij = (targets[:, 2:4] * gain[2:4] - 0.5).long()
                    gi, gj = gij.T
                    print(gj.clamp_(0, gain[3] - 1), gi.clamp_(0, gain[2] - 1))
            """,
            """
            import torch

            def build_targets(p, targets):
                gain = torch.ones(7, device=targets.device)
                for i in range(3):
                    gain[2:6] = torch.tensor(p[i].shape)[[3, 2, 3, 2]]
                    gij = (targets[:, 2:4] * gain[2:4] - 0.5).long()
                    gi, gj = gij.T
                    print(gj.clamp_(0, (gain[3] - 1).long()), gi.clamp_(0, (gain[2] - 1).long()))
            """,
        ),
        "both bounds, by their names": (
            """
            import torch
            limits = torch.tensor([1.5, 4.5])
            index = torch.arange(9, dtype=torch.int)
            index.clamp_(min=-limits[0], max=limits[1])
            """,
            """
            import torch
            limits = torch.tensor([1.5, 4.5])
            index = torch.arange(9, dtype=torch.int)
            index.clamp_(min=(-limits[0]).int(), max=limits[1].int())
            """,
        ),
        "one bound": (
            """
            import torch
            top = torch.tensor(4.5)
            index = torch.arange(9)
            index.clamp_max_(top)
            """,
            """
            import torch
            top = torch.tensor(4.5)
            index = torch.arange(9)
            index.clamp_max_(top.long())
            """,
        ),
        "bounds that are written down": (
            """
            import torch
            index = torch.arange(9).clamp_(-0.5, 6.5).clamp_(min=-1.5, max=7)
            index.clamp_max_(5.)
            """,
            """
            import torch
            index = torch.arange(9).clamp_(0, 6).clamp_(min=-1, max=7)
            index.clamp_max_(5)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP421",
    {
        "whole bounds": """
            import torch
            sizes = torch.tensor([4, 5])
            index = torch.arange(9)
            index.clamp_(0, sizes[0] - 1)
            """,
        "floats": """
            import torch
            limits = torch.tensor([1.5, 4.5])
            index = torch.arange(9.0)
            index.clamp_(0, limits[1])
            """,
        "numbers that are not known": """
            import torch
            def cut(index, top):
                index.clamp_(0, top)
                index.long().clamp_(0, top)
                index.clamp_(0, torch.tensor(4.5))
            """,
        "bounds with dimensions": """
            import torch
            index = torch.arange(9)
            index.clamp_(max=torch.ones(9))
            """,
        "not in place": """
            import torch
            index = torch.arange(9)
            index = index.clamp(0, torch.tensor(4.5))
            """,
        "bounds written down, not in place": """
            import torch
            index = torch.arange(9)
            index = torch.clamp(index.clamp(0.5, 4.5), max=3.5)
            """,
        "bounds without an end": """
            import torch
            index = torch.arange(9)
            index.clamp_(max=1e999)
            """,
        "floats and numbers": """
            import torch
            torch.ones(9).clamp_(0.5, 4.5)
            """,
        "a class of the file": """
            import torch
            class Range:
                def clamp_(self, low, high):
                    return self
            Range().clamp_(0, torch.tensor(4.5))
            """,
    },
)


CLAMPED = """
import torch
def f(x: torch.Tensor, n):
    return {}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x.long().clamp(0.5, 2.5)", "x.long().clamp(0, 2)"),
        ("torch.clamp(x.int(), max=-1.5)", "torch.clamp(x.int(), max=-1)"),
        ("torch.clamp(torch.arange(3), 0.5)", "torch.clamp(torch.arange(3), 0)"),
    ],
)
def test_clamp_is_pinned_in_old_files(old: str, new: str) -> None:
    for newest in ((1, 0), (1, 11), (1, 12)):
        options = Options(era=Era(newest, newest))
        migration = migrate(CLAMPED.format(old), "TP421", options=options)
        assert migration.text == CLAMPED.format(new if newest < (1, 12) else old)
        assert all(f.numerics is Numerics.PINNED for f in migration.findings)


@pytest.mark.parametrize("clamped", ["x.clamp(1, 0)", "torch.clamp(x, max=-1.5, min=0.)"])
def test_bounds_that_cross_are_reported_in_old_files(clamped: str) -> None:
    for newest in ((1, 0), (1, 7), (1, 8)):
        options = Options(era=Era(newest, newest))
        assert len(advice("TP421", CLAMPED.format(clamped), options=options)) == (newest < (1, 8))
    assert not advice("TP421", CLAMPED.format(clamped))


@pytest.mark.parametrize(
    "kept",
    [
        "x.clamp(0, 1)",
        "x.clamp(1, n)",
        "x.clamp(1)",
        "x.clamp(1, 1)",
        "n.clamp(1, 0)",
        "x.long().clamp(*n)",
        "x.long().clamp(0, n)",
        "x.float().clamp(0.5, 2.5)",
        "x.clamp(0.5, 2.5)",
    ],
)
def test_other_bounds_stay_in_old_files(kept: str) -> None:
    options = Options(era=Era((1, 0), (1, 0)))
    migration = migrate(CLAMPED.format(kept), "TP421", options=options)
    assert migration.text == CLAMPED.format(kept)
    assert not migration.findings
