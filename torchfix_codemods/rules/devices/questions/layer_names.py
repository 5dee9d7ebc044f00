"""Whether the keys of a dict can be names of layers in an `nn.ModuleDict`."""

from __future__ import annotations

import ast
import re

from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.libraries.module_names import MODULE_NAMES
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.integers import is_int
from torchfix_codemods.rules.devices.questions.containers import Contents


def fits_module_dict(held: Contents, value: ast.expr, facts: Facts) -> bool:
    """Whether the keys of a dict can be names of layers, and its order stays.

    Old versions of ``nn.ModuleDict`` sort what they are made of; added one by one, layers keep
    their order.
    """
    is_ordered = not held.is_iterated or (isinstance(value, ast.Dict) and not value.keys)
    return is_ordered and all(_is_name(key, facts) for key in held.keys)


def _is_name(key: ast.expr, facts: Facts) -> bool:
    """Whether a key is certainly text that can name a layer: ``"conv"``, ``"conv%d" % i``."""
    if isinstance(key, ast.Constant):
        text = key.value
        return isinstance(text, str) and _can_name(text)
    if isinstance(key, ast.JoinedStr):
        has_number = any(isinstance(part, ast.FormattedValue) for part in key.values)
        return has_number and all(_is_part(part, facts) for part in key.values)
    if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Add):
        return _is_name(key.left, facts) and _is_name(key.right, facts)
    if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Mod):
        template = getattr(key.left, "value", None)
        return (
            isinstance(template, str)
            and "." not in template
            and re.findall("%.", template) == ["%d"]
            and is_int(facts, key.right)
        )
    if isinstance(key, ast.Call) and isinstance(key.func, ast.Name) and key.func.id == "str":
        is_builtin = facts.names.scope_of(key).lookup("str") is None
        return is_builtin and len(key.args) == 1 and is_int(facts, key.args[0])
    if isinstance(key, ast.Name):
        walked = [b.value for b in facts.flow.reaching(key) if b.kind == "for" and not b.path]
        return len(walked) == 1 == len(facts.flow.reaching(key)) and (
            isinstance(walked[0], (ast.List, ast.Tuple))
            and all(isinstance(e, ast.Constant) and _is_name(e, facts) for e in walked[0].elts)
        )
    return False


def _can_name(text: str) -> bool:
    """Whether ``nn.ModuleDict`` has nothing of that name itself."""
    is_taken = text in MODULE_NAMES or container_methods.is_of("dict", text)
    return bool(text) and "." not in text and not is_taken


def _is_part(part: ast.expr, facts: Facts) -> bool:
    if isinstance(part, ast.FormattedValue):
        return part.format_spec is None and is_int(facts, part.value)
    return isinstance(part, ast.Constant) and "." not in str(part.value)
