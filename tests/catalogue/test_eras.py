from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

IMPORTS = """import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
"""
WRITTEN = {
    "F.interpolate(x, scale_factor=0.7)": "F.interpolate(x, scale_factor=0.7, recompute_scale_factor=True)",
    "F.interpolate(x, scale_factor=0.25, mode='nearest')": "F.interpolate(x, scale_factor=0.25, mode='nearest', recompute_scale_factor=True)",
    "F.interpolate(x, scale_factor=0.5, mode=mode)": "F.interpolate(x, scale_factor=0.5, mode=mode, recompute_scale_factor=True)",
    "F.interpolate(x, scale_factor=0.5, mode='bilinear')": "F.interpolate(x, scale_factor=0.5, mode='bilinear', recompute_scale_factor=True)",
    "nn.TransformerEncoder(layer, 6)": "nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)",
    "nn.utils.clip_grad_norm_(ps, 5)": "nn.utils.clip_grad_norm_(ps, 5).item()",
    "nn.utils.clip_grad_norm_(ps, 5, norm_type=2.0)": "nn.utils.clip_grad_norm_(ps, 5, norm_type=2.0).item()",
    "torch.tensor(np.std(x))": "torch.tensor(np.std(x), dtype=torch.float)",
}
KEPT = [
    "F.interpolate(x, scale_factor=0.5)",
    "F.interpolate(x, scale_factor=0.5, mode='nearest')",
    "nn.Upsample(scale_factor=0.5)",
    "nn.Upsample(None, 0.5, 'nearest')",
    "nn.Upsample(scale_factor=0.7, mode='area')",
    "F.interpolate(x, scale_factor=2)",
    "F.interpolate(x, scale_factor=2.0)",
    "F.interpolate(x, scale_factor=scale)",
    "F.interpolate(x, size=(4, 4))",
    "nn.TransformerEncoder(layer, 6, enable_nested_tensor=True)",
    "torch.tensor(np.mean(x, axis=0))",
    "torch.tensor(np.mean(x, 0))",
    "torch.tensor(np.mean(x)).float()",
    "torch.tensor([1.0, 2.0])",
    "nn.utils.clip_grad_norm_(ps, 5).item()",
    "float(nn.utils.clip_grad_norm_(ps, 5))",
    "nn.utils.clip_grad_norm_(ps, 5, float('inf'))",
    "nn.utils.clip_grad_norm_(ps, 5, norm_type=p)",
    "nn.utils.clip_grad_norm_(*given)",
    "0; nn.utils.clip_grad_norm_(ps, 5)",
    "0; nn.Linear(1, 1).load_state_dict(state)",
    "torch.optim.Adam(ps, lr=0.1)",
    "torch.optim.Adam(ps, lr=0.1, eps=1e-8)",
    "torch.optim.RMSprop(ps, lr=0.1, eps=0.1)",
    "torch.optim.Adam(ps, lr=0.1, eps=args.eps)",
    "torch.angle(x)",
    "np.angle(torch.ones(3))",
    "torch.view_as_complex(torch.ones(3, 2)).angle()",
]


def written(line: str, version: tuple[int, ...] | None) -> str:
    era = Era(version, version) if version else None
    return migrate(IMPORTS + f"y = {line}\n", "TP906", options=Options(era=era)).text


@pytest.mark.parametrize(("old", "new"), WRITTEN.items())
def test_code_for_an_older_torch(old: str, new: str) -> None:
    assert written(old, (1, 2)).endswith(f"y = {new}\n")


@pytest.mark.parametrize("old", WRITTEN)
def test_code_for_any_or_a_newer_torch(old: str) -> None:
    assert written(old, None).endswith(f"y = {old}\n")
    assert written(old, (2, 0)).endswith(f"y = {old}\n")


@pytest.mark.parametrize("line", KEPT)
def test_what_did_not_change(line: str) -> None:
    assert f"y = {line}\n" in written(line, (1, 2))


@pytest.mark.parametrize(
    "line",
    [
        "torch.optim.LBFGS(net.parameters())",
        'nn.Conv2d(1, 1, 3, padding=2, padding_mode="circular")',
        "torch.angle(torch.tensor([-1.0]))",
        "torch.ones(3).angle()",
        "torch.optim.Adam(ps, eps=1e-3)",
    ],
)
def test_what_cannot_be_written_is_said(line: str) -> None:
    for version, count in (((1, 2), 1), ((2, 0), 0)):
        options = Options(era=Era(version, version))
        found = migrate(IMPORTS + f"y = {line}\n", "TP906", options=options).findings
        assert len(found) == count


@pytest.mark.parametrize("line", KEPT)
def test_nothing_is_said_of_what_did_not_change(line: str) -> None:
    options = Options(era=Era((1, 2), (1, 2)))
    assert not migrate(IMPORTS + f"y = {line}\n", "TP906", options=options).findings


def test_the_result_of_loading_is_told_where_somebody_reads_it() -> None:
    text = IMPORTS + "net = nn.Linear(1, 1)\nif net.load_state_dict(state):\n    pass\n"
    for version, count in (((1, 0), 1), ((1, 1), 0)):
        options = Options(era=Era(version, version))
        found = migrate(text, "TP906", options=options).findings
        assert [finding.line for finding in found] == [6] * count


_CLIPPED = """import torch.nn as nn
import numpy as np
def train(net, limit, log):
    norm = nn.utils.clip_grad_norm_(net.parameters(), limit)
    {use}
"""


@pytest.mark.parametrize(
    ("use", "is_number"),
    [
        ("if norm > limit: print('{} {:.2f}'.format(norm, limit / norm))", False),
        ("print(f'{norm:.3f}', '%.2f' % norm, '%d %f' % (limit, norm), float(norm))", False),
        ("clipped = norm if norm < limit else limit\n    print('%.1f' % (clipped * 2))", False),
        ("return norm is None", False),
        ("norm.item()", False),
        ("pass", False),
        ("print(norm)", True),
        ("print('%s' % norm)", True),
        ("print(f'{norm!s}')", True),
        ("print('{!r}'.format(norm))", True),
        ("print(limit / norm)", True),
        ("log.append(norm)", True),
        ("log(norm=norm)", True),
        ("return norm", True),
        ("net.norm = norm", True),
        ("total = 0\n    total += norm\n    return total > 1", True),
        ("return (np.ones(3) * norm).sum() > 1", True),
        ("return norm in log", True),
    ],
)
def test_a_number_is_written_where_a_tensor_is_told_from_it(use: str, is_number: bool) -> None:
    era = Era((1, 2), (1, 2))
    text = migrate(_CLIPPED.replace("{use}", use), "TP906", options=Options(era=era)).text
    assert ("limit).item()" in text) == is_number


def test_each_second_element_is_the_same_whichever_number_it_is_scaled_by() -> None:
    for size in range(2, 3000):
        x = torch.arange(float(size)).view(1, 1, size)
        now, then = (
            F.interpolate(x, scale_factor=0.5, recompute_scale_factor=again)
            for again in (None, True)
        )
        assert torch.equal(now, then)


def test_what_stopped_lbfgs_is_told_by_its_torch() -> None:
    options = Options(era=Era((1, 2), (1, 2)))
    text = f"{IMPORTS}y = torch.optim.LBFGS(net.parameters())\n"
    (found,) = migrate(text, "TP906", options=options).findings
    assert "it stops at max|grad| <= 1e-7, torch 1.2 did at 1e-5, and torch 1.0" in found.message
