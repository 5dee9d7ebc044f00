"""What the methods of Python's strings return."""

from __future__ import annotations

from torchfix_codemods.facts.values.lattice import UNKNOWN, Number, Sequence, Text, Value

_LISTS = frozenset("split rsplit splitlines partition rpartition".split())
_TEXTS = frozenset(
    """strip lstrip rstrip lower upper title capitalize replace format join encode decode
    zfill ljust rjust center expandtabs swapcase translate casefold removeprefix removesuffix
    format_map""".split()
)
_INTEGERS = frozenset("find rfind index rindex count".split())
_FLAGS = frozenset(
    """startswith endswith isdigit isalpha isalnum isspace isupper islower isnumeric isdecimal
    isidentifier istitle""".split()
)


def method_result(method: str) -> Value:
    """What a method of a ``str`` or ``bytes`` returns."""
    if method in _LISTS:
        return Sequence(Text())
    if method in _TEXTS:
        return Text()
    if method in _INTEGERS:
        return Number("int")
    return Number("bool") if method in _FLAGS else UNKNOWN
