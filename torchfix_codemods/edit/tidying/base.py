"""What the rules have in common that run behind all others."""

from __future__ import annotations

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Rule


class Tidying(Rule):
    """Base of what runs behind the rules, and is told under none of their codes."""

    code = ""
    since = "0.1"
    numerics = Numerics.IDENTICAL
    words = frozenset()
