"""A loop that only changes parameters goes under ``no_grad`` whole, not a line of it."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_COPY = """import torch
def copy(net, other):
{made}
    for to, of in {walked}:
        to.data.copy_(of.data)
"""


@pytest.mark.parametrize(
    ("made", "walked"),
    [
        ("", "zip(net.parameters(), other.parameters())"),
        ("    kept = list(net.parameters())[::2]", "zip(kept, other.parameters())"),
        ("    kept = net.parameters()\n    given = list(other.parameters())", "zip(kept, given)"),
    ],
)
def test_a_loop_over_parameters(made: str, walked: str) -> None:
    after = migrate(_COPY.format(made=made, walked=walked), "TP104").text
    assert f"    with torch.no_grad():\n        for to, of in {walked}:\n" in after
    assert "            to.copy_(of" in after


@pytest.mark.parametrize(
    ("made", "walked"),
    [
        ("", "zip(net, other)"),
        ("    kept = net.shown()", "zip(kept, other)"),
        ("    kept = net\n    kept = kept", "zip(kept, other)"),
        ("    kept = net.parameters() if net else other", "zip(kept, other)"),
    ],
)
def test_what_else_is_walked_may_calculate(made: str, walked: str) -> None:
    after = migrate(_COPY.format(made=made, walked=walked), "TP104").text
    assert f"\n    for to, of in {walked}:\n" in after
