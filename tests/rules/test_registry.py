from __future__ import annotations

from types import ModuleType

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Rule
from torchfix_codemods.rules import all_rules, rules_in
from torchfix_codemods.rules.losses import size_average


class _LooksLikeAType:
    """As ``tuple[int, str]`` does on Python 3.10, where it is no argument for issubclass()."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return type


def test_only_the_rules_that_a_module_defines_are_found() -> None:
    module = ModuleType("some_rules")
    own = type("Own", (Rule,), {"code": "TP999", "__module__": "some_rules"})
    vars(module).update(
        Alias=_LooksLikeAType(), Imported=size_average.SizeAverage, Rule=Rule, Own=own, number=1
    )
    assert [type(rule) for rule in rules_in(module)] == [own]


def test_every_rule_is_found_once() -> None:
    codes = [rule.code for rule in all_rules()]
    assert codes == sorted(set(codes))


def test_a_rule_that_changes_numbers_says_what_it_moves() -> None:
    changing = [rule for rule in all_rules() if rule.numerics is Numerics.CHANGED]
    assert [rule.code for rule in changing if not rule.moves] == []
