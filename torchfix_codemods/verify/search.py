"""Which of many changes are to blame, in few runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

State = str
"""``same``, ``different`` or ``broken``."""

Check = Callable[[frozenset[str]], State]
"""Runs a version with some changes and says how it compares."""

Unit = tuple[str, ...]
"""Changes that are made together, or not at all."""

#: Among how many changes one is looked for without which another one is not right.
_MOST_PARTNERS = 16


def culprits(keys: Sequence[str], check: Check) -> list[Unit]:
    """Find the changes without which all is the same.

    Bisects over growing prefixes, and again over what is left when one was found. A version that
    is broken while all changes together are only different tells nothing: it mixes what belongs
    together. Of two that are right only together, either of which breaks the program without the
    other one, none is to blame.

    Args:
        keys: the changes, in the order in which they are added.
        check: runs a version and says how it compares.

    Returns:
        the culprits, each alone or with those that it cannot be told apart from; none when
        everything in ``keys`` together is the same after all.
    """
    rest: list[Unit] = [(key,) for key in keys]
    found: list[Unit] = []
    state = check(_all_of(rest))
    while state != "same" and rest:
        low, high = 0, len(rest)
        while high - low > 1:
            middle = _resolved(rest, low, high, check, state)
            if middle is None:
                break
            if check(_all_of(rest[:middle])) == "same":
                low = middle
            else:
                high = middle
        before, group, behind = rest[:low], rest[low:high], rest[high:]
        state_without = check(_all_of(before + behind))
        if len(group) == 1 and state_without == "broken":
            partner = _partner(before, group[0], behind, check)
            if partner is not None:
                behind.remove(partner)
                rest = [*before, group[0] + partner, *behind]
                continue
        found.append(tuple(key for unit in group for key in unit))
        rest, state = before + behind, state_without
    return found


def _all_of(units: Iterable[Unit]) -> frozenset[str]:
    return frozenset(key for unit in units for key in unit)


def _partner(
    before: Sequence[Unit], half: Unit, behind: Sequence[Unit], check: Check
) -> Unit | None:
    """With which of the changes behind it a change is right; None: with none of them."""
    for unit in behind[:_MOST_PARTNERS]:
        if check(_all_of([*before, half, unit])) == "same":
            return unit
    return None


def _resolved(rest: Sequence[Unit], low: int, high: int, check: Check, state: State) -> int | None:
    """A length of prefix between two others that tells something, as near the middle as it gets."""
    middle = (low + high) // 2
    for length in sorted(range(low + 1, high), key=lambda n: abs(n - middle)):
        answer = check(_all_of(rest[:length]))
        if answer in ("same", state) or state == "broken":
            return length
    return None
