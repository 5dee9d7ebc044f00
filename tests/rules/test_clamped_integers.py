from __future__ import annotations

from tests.support.rules import keeps, rewrites

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
        "a class of the file": """
            import torch
            class Range:
                def clamp_(self, low, high):
                    return self
            Range().clamp_(0, torch.tensor(4.5))
            """,
    },
)
