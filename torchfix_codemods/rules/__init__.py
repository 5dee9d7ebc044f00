"""The registry: every rule there is, found by looking through the packages below this one."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Iterable, Sequence
from types import ModuleType

from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.remarks import remark_of
from torchfix_codemods.rule import Rule

#: Codes as people write them from memory: ``301``, ``T301``, ``tp-301``.
_CODE_LIKE = lazy_pattern(r"(?:t|p|tp)?[-_ ]?([0-9]{3})", re.IGNORECASE)


class UnknownRuleError(ValueError):
    """A selector that matches no rule."""


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """One instance of every rule, by code."""
    found: list[Rule] = []
    for package in pkgutil.iter_modules(__path__):
        package_name = f"{__name__}.{package.name}"
        module = importlib.import_module(package_name)
        if not package.ispkg:
            continue
        for info in pkgutil.iter_modules(module.__path__):
            found += rules_in(importlib.import_module(f"{package_name}.{info.name}"))
    return tuple(sorted(found, key=lambda rule: rule.code))


def rules_in(module: ModuleType) -> list[Rule]:
    """One instance of every rule that a module defines, in the order of the file."""
    return [
        cls()
        for cls in vars(module).values()
        # The module is asked first: Python 3.10 takes `tuple[int, str]` for a type, and
        # issubclass() then raises.
        if isinstance(cls, type)
        and cls.__module__ == module.__name__
        and issubclass(cls, Rule)
        and "code" in vars(cls)
    ]


def matching(selector: str) -> list[Rule]:
    """The rules that a selector means: a code, a prefix of codes, a name, or ``ALL``.

    Raises:
        UnknownRuleError: it means none.
    """
    wanted = selector.strip().lower()
    rules = [
        rule
        for rule in all_rules()
        if wanted in ("all", rule.name) or rule.code.lower().startswith(wanted)
    ]
    remark = remark_of(selector)
    if remark is not None:
        raise UnknownRuleError(
            f"{remark.code} {remark.name} is no rule (torchfix explain {remark.code})"
        )
    if not rules or not wanted:
        meant = meant_by(selector)
        hint = f"did you mean {meant}?" if meant else "see `torchfix rules`"
        raise UnknownRuleError(f"no such rule: {selector!r} ({hint})")
    return rules


def meant_by(selector: str) -> str:
    """The rule that was probably meant by what none is called; empty where none is near."""
    import difflib

    digits = _CODE_LIKE.fullmatch(selector.strip())
    if digits is not None:
        code = f"TP{digits[1]}"
        return code if any(rule.code == code for rule in all_rules()) else ""
    names = [rule.name for rule in all_rules()]
    wanted = re.sub(r"[\s_]+", "-", selector.strip().lower())
    return next(iter(difflib.get_close_matches(wanted, names, n=1, cutoff=0.75)), "")


def ignorable(selector: str) -> set[str]:
    """The codes of the rules that a selector means, and of advice that is no rule's.

    Raises:
        UnknownRuleError: it means none.
    """
    remark = remark_of(selector)
    if remark is not None and remark.is_advice:
        return {remark.code}
    return {rule.code for rule in matching(selector)}


def select(
    selected: Iterable[str] = (), ignored: Iterable[str] = (), extended: Iterable[str] = ()
) -> Sequence[Rule]:
    """The rules that ``select``, ``extend-select`` and ``ignore`` leave.

    Without a ``select`` those are all rules but the optional ones.

    Raises:
        UnknownRuleError: a selector means no rule.
    """
    return _selected(tuple(selected), tuple(ignored), tuple(extended))


@functools.lru_cache(maxsize=16)
def _selected(
    selected: tuple[str, ...], ignored: tuple[str, ...], extended: tuple[str, ...]
) -> tuple[Rule, ...]:
    chosen = {rule.code for selector in selected for rule in matching(selector)}
    if not chosen:
        chosen = {rule.code for rule in all_rules() if not rule.is_optional}
    chosen |= {rule.code for selector in extended for rule in matching(selector)}
    chosen -= {code for selector in ignored for code in ignorable(selector)}
    return tuple(rule for rule in all_rules() if rule.code in chosen)


@functools.lru_cache(maxsize=4)
def about_other_libraries(rules: tuple[Rule, ...]) -> Sequence[Rule]:
    """The rules as far as they are about other libraries than torch."""
    return [part for rule in rules if (part := rule.for_other_libraries()) is not None]
