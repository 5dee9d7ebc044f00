"""Where more about a rule can be read."""

from __future__ import annotations

import functools
import re

_ADDRESS = re.compile(r"https?://[^\s)>]+")


def address_of(code: str) -> str | None:
    """The address of what is known of a rule: its page of the site that the package names.

    Args:
        code: of the rule.

    Returns:
        the address; where the package names no site, the first one that the rule's page refers to;
        None for what is no rule.
    """
    from torchfix_codemods.rules import all_rules

    rule = next((each for each in all_rules() if each.code == code), None)
    if rule is None:
        return None
    site = _site()
    if site:
        return f"{site}/rules/{code}/"
    found = _ADDRESS.search(rule.documentation().partition("## References")[2])
    return None if found is None else found[0]


@functools.cache
def _site() -> str:
    """The documentation that the installed package names, without a slash at its end."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        named = metadata("torchfix-codemods").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    pairs = (each.partition(",") for each in named)
    found = (url.strip() for label, _, url in pairs if label.lower() == "documentation")
    return next(found, "").rstrip("/")
