"""Arguments of modules that have another name, or another place, in today's torch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added, with_keywords
from torchfix_codemods.facts.guards import is_signature_tried, is_version_checked
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_HARDTANH = {"min_value": "min_val", "max_value": "max_val"}
_NO_BARE_CELL = (
    "RNNCellBase makes weights of its own since torch 1.0, and wants their sizes: derive the class "
    "from nn.Module"
)
_STATE_DICT = ("destination", "prefix", "keep_vars")
_CELL = "torch.nn.RNNCellBase"
_CONVOLUTION = "torch.nn.modules.conv._ConvNd"

#: How many arguments convolutions of torch 1.0 had.
_OF_CONVOLUTION = 10


class RenamedModuleArgument(Rule):
    """
    ## What it does
    Writes `min_val=` and `max_val=` for `min_value=` and `max_value=` of `nn.Hardtanh`, `values=`
    for `parameters=` of `nn.ParameterList`, and by their names what `state_dict` and
    `nn.Embedding.from_pretrained` took by position. Classes below `_ConvNd` pass on
    `padding_mode="zeros"`.

    ## Why
    The old names of `Hardtanh`, and positions of `state_dict`, warn; that of `ParameterList` is
    gone. The third argument of `from_pretrained` was `sparse` and is `padding_idx` since torch
    1.1, which takes no `True` or `False`. Since then `_ConvNd.__init__` wants a `padding_mode`.

    ## Example
    ```python
    clip = nn.Hardtanh(min_value=-2, max_value=2)
    embedding = nn.Embedding.from_pretrained(vectors, False, True)
    ```
    becomes
    ```python
    clip = nn.Hardtanh(min_val=-2, max_val=2)
    embedding = nn.Embedding.from_pretrained(vectors, False, sparse=True)
    ```

    ## Numbers
    Identical for `Hardtanh` and `state_dict`; restored for `ParameterList`, `from_pretrained` and
    `_ConvNd`, which fail.

    ## When it stays its hand
    Where `*args` or `**kwargs` are passed, the third argument of `from_pretrained` is no literal
    `True` or `False`, the receiver of `state_dict` is not certainly a module with torch's own
    method, another class stands between one and `_ConvNd`, or the file tries which arguments its
    torch takes.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html
    - https://pytorch.org/docs/stable/generated/torch.nn.Embedding.html
    - https://github.com/pytorch/pytorch/releases/tag/v1.12.0
    """

    code = "TP704"
    name = "renamed-module-argument"
    since = "1.12"
    numerics = Numerics.IDENTICAL
    warns = True
    beside = frozenset(_HARDTANH) | frozenset(
        "ParameterList from_pretrained state_dict _ConvNd RNNCellBase".split()
    )
    words = beside | {"__init__"}
    message = "this argument has another name today"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if is_opaque(call):
            return
        if _builds_old_convolution(call, facts) and not is_version_checked(facts, call):
            yield self.found(
                call, "_ConvNd wants a padding_mode since torch 1.1", numerics=Numerics.RESTORED
            )
            return
        if _builds_bare_cell(call, facts) and not is_version_checked(facts, call):
            yield self.advice(call, _NO_BARE_CELL)
            return
        keywords, numerics = _keywords(facts, call)
        if not keywords or is_version_checked(facts, call) or is_signature_tried(facts, call):
            return
        message = f"this argument is {', '.join(f'{name}=' for name in keywords.values())} today"
        yield self.found(call, message, numerics=numerics, keywords=keywords)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        if "keywords" in self.data:
            return with_keywords(updated, self.data["keywords"])
        padding = keyword_argument("padding_mode", cst.SimpleString('"zeros"'))
        return with_argument_added(updated, padding)


def _builds_old_convolution(call: ast.Call, facts: Facts) -> bool:
    """Whether a class below ``_ConvNd`` initializes it with the arguments of torch 1.0."""
    return _given_to_base(call, _CONVOLUTION, facts) == _OF_CONVOLUTION


def _builds_bare_cell(call: ast.Call, facts: Facts) -> bool:
    """Whether a class below ``RNNCellBase`` initializes it with nothing, as until torch 0.4."""
    return _given_to_base(call, _CELL, facts) == 0


def _given_to_base(call: ast.Call, base: str, facts: Facts) -> int | None:
    """How many arguments ``super().__init__(…)`` passes on to the only base of its class."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr != "__init__" or call.keywords:
        return None
    owner = facts.names.enclosing_class(call)
    if owner is None or [*map(facts.name, owner.bases)] != [base]:
        return None
    if facts.name(function) == f"{base}.__init__":
        return len(call.args) - 1
    parent = function.value
    is_super = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name)
    return len(call.args) if is_super and ast.unparse(parent).startswith("super(") else None


#: Since then the third argument of ``from_pretrained`` is ``padding_idx``.
_PADDED = (1, 1)


def _keywords(facts: Facts, call: ast.Call) -> tuple[dict[int, str], Numerics]:
    """The keywords that arguments need, by their index, and what that does to the numbers."""
    name = facts.name(call.func)
    if name == "torch.nn.Hardtanh":
        return _renamed(call, _HARDTANH), Numerics.IDENTICAL
    if name == "torch.nn.ParameterList":
        return _renamed(call, {"parameters": "values"}), Numerics.RESTORED
    if name == "torch.nn.Embedding.from_pretrained":
        is_old = (facts.era_of(call).oldest or ()) < _PADDED
        is_sparse = is_old and len(call.args) == 3 and isinstance(constant(call.args[2]), bool)
        return ({2: "sparse"} if is_sparse else {}), Numerics.RESTORED
    if call.args and len(call.args) <= len(_STATE_DICT) and _gives_state_dict(facts, call.func):
        return dict(zip(range(len(call.args)), _STATE_DICT, strict=False)), Numerics.IDENTICAL
    return {}, Numerics.IDENTICAL


def _renamed(call: ast.Call, names: dict[str, str]) -> dict[int, str]:
    given = {keyword.arg for keyword in call.keywords}
    return {
        len(call.args) + index: names[keyword.arg]
        for index, keyword in enumerate(call.keywords)
        if keyword.arg in names and names[keyword.arg] not in given
    }


def _gives_state_dict(facts: Facts, function: ast.expr) -> bool:
    """Whether a call runs torch's own ``Module.state_dict``."""
    if not isinstance(function, ast.Attribute) or function.attr != "state_dict":
        return False
    module = facts.value(function.value)
    if not isinstance(module, Module) or module.origin is not None:
        return False
    return "state_dict" not in method_names(facts.names)
