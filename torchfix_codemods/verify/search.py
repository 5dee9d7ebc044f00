"""Which of many changes are to blame, in few runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

State = str
"""``same``, ``different`` or ``broken``."""


def culprits(
    keys: Sequence[str], check: Callable[[frozenset[str]], State]
) -> list[tuple[str, ...]]:
    """Find the changes without which all is the same.

    Bisects over growing prefixes, and again over what is left when one was found. A version that
    is broken while all changes together are only different tells nothing: it mixes what belongs
    together.

    Args:
        keys: the changes, in the order in which they are added.
        check: runs a version and says how it compares.

    Returns:
        the culprits, each alone or with those that it cannot be told apart from; none when
        everything in ``keys`` together is the same after all.
    """
    rest = list(keys)
    found: list[tuple[str, ...]] = []
    state = check(frozenset(rest))
    while state != "same" and rest:
        low, high = 0, len(rest)
        while high - low > 1:
            middle = _resolved(rest, low, high, check, state)
            if middle is None:
                break
            if check(frozenset(rest[:middle])) == "same":
                low = middle
            else:
                high = middle
        group = tuple(rest[low:high])
        found.append(group)
        rest = [key for key in rest if key not in group]
        state = check(frozenset(rest))
    return found


def _resolved(
    rest: Sequence[str],
    low: int,
    high: int,
    check: Callable[[frozenset[str]], State],
    state: State,
) -> int | None:
    """A length of prefix between two others that tells something, as near the middle as it gets."""
    middle = (low + high) // 2
    for length in sorted(range(low + 1, high), key=lambda n: abs(n - middle)):
        answer = check(frozenset(rest[:length]))
        if answer in ("same", state) or state == "broken":
            return length
    return None
