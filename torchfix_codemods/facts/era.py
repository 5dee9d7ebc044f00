"""Which torch versions a file can have been written for, and what shows it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from torchfix_codemods.facts.names import Names

Version = tuple[int, ...]
IsNumber = Callable[[ast.Subscript], bool]


@dataclass(frozen=True)
class Era:
    """An interval of torch versions, both ends included; None is open.

    ``evidence`` holds lines such as ``"line 12: volatile= (0.3 at most)"``.
    """

    oldest: Version | None = None
    newest: Version | None = None
    evidence: tuple[str, ...] = ()

    def before(self, version: Version) -> bool:
        """Whether the file was certainly written for a torch older than ``version``."""
        return self.newest is not None and self.newest < version


def parse_version(text: str) -> Version:
    """Return ``(0, 4, 1)`` for ``"0.4.1"``.

    Raises:
        ValueError: not a version.
    """
    parts = text.strip().lstrip("v").split(".")
    try:
        return tuple(int(part) for part in parts)
    except ValueError:
        raise ValueError(f"not a torch version: {text!r}") from None


_V0_3: Version = (0, 3)

#: Names whose presence shows that the file was written for at least that version.
_SINCE: dict[str, Version] = {
    "torch.no_grad": (0, 4),
    "torch.enable_grad": (0, 4),
    "torch.set_grad_enabled": (0, 4),
    "torch.device": (0, 4),
    "torch.tensor": (0, 4),
    "torch.bool": (1, 2),
    "torch.inference_mode": (1, 9),
    "torch.compile": (2, 0),
    "torch.nn.functional.interpolate": (0, 4),
}


_SINCE_LAST = frozenset(name.rpartition(".")[2] for name in _SINCE)


def find_era(names: Names, is_number: IsNumber) -> Era:
    """Date a module by the API that it uses.

    Only what is certain counts: ``volatile=`` lost its meaning in 0.4, and so did ``.data[0]`` of
    what holds one number, while ``torch.device`` did not exist before.

    Args:
        names: the scopes of the module.
        is_number: tells of ``x[0]``, ``x.data[0]`` and the like whether x certainly holds just one
            number.
    """
    oldest: Version | None = None
    newest: Version | None = None
    evidence: list[str] = []
    for node in (*names.nodes.get(ast.Attribute, ()), *names.nodes.get(ast.Name, ())):
        if (node.attr if isinstance(node, ast.Attribute) else node.id) not in _SINCE_LAST:
            continue
        name = names.name(node)
        if name in _SINCE and (oldest is None or _SINCE[name] > oldest):
            oldest = _SINCE[name]
            evidence.append(f"line {_line(node)}: {name} (since {_dotted(oldest)})")
    for version, line, what in _keywords(names):
        if oldest is None or version > oldest:
            oldest = version
            evidence.append(f"line {line}: {what} (since {_dotted(version)})")
    for line, what in _relics(names, is_number):
        newest = _V0_3
        evidence.append(f"line {line}: {what} (0.3 at most)")
        break
    if oldest is not None and newest is not None and oldest > newest:
        # Half migrated: the newer API decides, because the file ran there last.
        newest = None
    return Era(oldest, newest, tuple(evidence))


def _relics(names: Names, is_number: IsNumber) -> list[tuple[int, str]]:
    """Places that only torch 0.3 and older understood."""
    found = []
    for node in names.nodes.get(ast.Call, ()):
        assert isinstance(node, ast.Call)
        if any(k.arg == "volatile" for k in node.keywords):
            if names.name(node.func) == "torch.autograd.Variable":
                found.append((node.lineno, "volatile="))
        if any(k.arg == "retain_variables" for k in node.keywords):
            found.append((node.lineno, "retain_variables="))
    for node in names.nodes.get(ast.Subscript, ()):
        assert isinstance(node, ast.Subscript)
        if isinstance(node.slice, ast.Constant) and node.slice.value == 0 and is_number(node):
            found.append((node.lineno, "index 0 of a number"))
    return sorted(found)


#: Keywords that factories and losses of torch take since a certain version.
_SINCE_KEYWORD: dict[str, Version] = {
    "requires_grad": (0, 4),
    "dtype": (0, 4),
    "device": (0, 4),
    "reduction": (0, 4, 1),
    "weights_only": (1, 13),
}


def _keywords(names: Names) -> Iterator[tuple[Version, int, str]]:
    """Keywords of torch's functions that did not exist from the beginning."""
    for node in names.nodes.get(ast.Call, ()):
        assert isinstance(node, ast.Call)
        for keyword in node.keywords:
            if keyword.arg in _SINCE_KEYWORD:
                name = names.name(node.func) or ""
                if name.startswith("torch.") and name != "torch.autograd.Variable":
                    yield _SINCE_KEYWORD[keyword.arg], node.lineno, f"{keyword.arg}="


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))
