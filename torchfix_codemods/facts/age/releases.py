"""The releases of torch that there are."""

from __future__ import annotations

from torchfix_codemods.facts.age.era import Version, parse_version

#: Every release of torch: what a requirement such as ``<1.0`` can have installed.
RELEASES = tuple(
    map(
        parse_version,
        """
        0.1.6 0.1.7 0.1.8 0.1.9 0.1.10 0.1.11 0.1.12 0.2.0 0.3.0 0.3.1 0.4.0 0.4.1
        1.0.0 1.0.1 1.1.0 1.2.0 1.3.0 1.3.1 1.4.0 1.5.0 1.5.1 1.6.0 1.7.0 1.7.1 1.8.0 1.8.1
        1.9.0 1.9.1 1.10.0 1.10.1 1.10.2 1.11.0 1.12.0 1.12.1 1.13.0 1.13.1
        2.0.0 2.0.1 2.1.0 2.1.1 2.1.2 2.2.0 2.2.1 2.2.2 2.3.0 2.3.1 2.4.0 2.4.1 2.5.0 2.5.1
        2.6.0 2.7.0 2.7.1 2.8.0 2.9.0 2.9.1 2.10.0 2.11.0 2.12.0 2.12.1 2.13.0 2.14.0 2.15.0
        """.split(),
    )
)

#: What nightly builds of 2.0 were called at first, and some containers have.
_UNRELEASED: Version = (1, 14)


def may_be_released(version: Version) -> bool:
    """Whether there is such a torch, or may be one soon: the next ones count on as the last did.

    Args:
        version: of it; of a third number nothing is asked.
    """
    last = RELEASES[-1]
    if version[:1] == last[:1] and version[:2] > last[:2]:
        return True
    known = {_UNRELEASED, *RELEASES}
    return any(each[: len(version[:2])] == version[:2] for each in known)
