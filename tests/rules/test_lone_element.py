from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

_TEXT = """
import torch
import torch.nn as nn
import torch.nn.functional as F
def make(*sizes):
    return torch.arange(12).view(*sizes)
norm = nn.InstanceNorm2d(2)
{}
"""


@pytest.mark.parametrize(
    "code",
    [
        "nn.InstanceNorm2d(2)(make(1, 2, 1, 1))",
        "norm(torch.rand(4, 2, 1, 1))",
        "x = torch.rand(2, 1, 1)\nnorm(x)",
        "nn.InstanceNorm1d(2)(make(3, 4, 1))",
        "nn.InstanceNorm2d(2, affine=True)(make(unknown, 2, 1, 1))",
        "nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.InstanceNorm2d(2))",
        "nn.Sequential(nn.AdaptiveMaxPool2d((1, 1)), nn.Conv2d(4, 2, 1), nn.InstanceNorm2d(2))",
        "nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(output_size=1),"
        " nn.Conv2d(4, 2, kernel_size=1, padding=0), nn.ReLU(), nn.InstanceNorm2d(2), nn.ReLU())",
        "nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.InstanceNorm2d(2, track_running_stats=False))",
    ],
)
def test_one_element_is_not_normalised(code: str) -> None:
    (finding,) = advice("TP711", _TEXT.format(code))
    assert finding.message.endswith("leave it out there")


test_keeps = keeps(
    "TP711",
    {
        name: _TEXT.format(code)
        for name, code in {
            "several elements": "norm(make(1, 2, 1, 3))\nnn.InstanceNorm1d(2)(make(1, 1, 4))",
            "sizes that are not known": "norm(make(1, 2, unknown, 1))\nnorm(torch.rand(*size))",
            "another layer": "nn.BatchNorm2d(2)(make(4, 2, 1, 1))",
            "of statistics": "nn.InstanceNorm2d(2, track_running_stats=True)(make(4, 2, 1, 1))",
            "a larger pool": "nn.Sequential(nn.AdaptiveAvgPool2d(2), nn.InstanceNorm2d(2))",
            "a convolution that pads": """
nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(4, 2, 1, padding=1), nn.InstanceNorm2d(2))
""",
            "a larger kernel": """
nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.ConvTranspose2d(4, 2, 4), nn.InstanceNorm2d(2))
""",
            "made larger": """
nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Upsample(scale_factor=2), nn.InstanceNorm2d(2))
""",
            "a layer of one's own": """
nn.Sequential(nn.AdaptiveAvgPool2d(1), Block(), nn.InstanceNorm2d(2))
""",
            "a class of one's own": """
class InstanceNorm2d(nn.Module):
    pass
InstanceNorm2d()(torch.rand(4, 2, 1, 1))
""",
            "layers in a list": """
nn.ModuleList([nn.AdaptiveAvgPool2d(1), nn.InstanceNorm2d(2)])
""",
            "before the pool": "nn.Sequential(nn.InstanceNorm2d(2), nn.AdaptiveAvgPool2d(1))",
        }.items()
    },
)
