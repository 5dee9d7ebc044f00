"""`add_module("norm.1", …)` raises since torch 0.4: the names of modules take no dot."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.programs.unreached import is_unreached
from torchfix_codemods.finding import Numerics
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.modules.questions.name_reads import lines_that_read
from torchfix_codemods.rules.questions.stateless import is_stateless
from torchfix_codemods.text.wording import worded_lines

_METHODS = frozenset({"add_module", "register_module"})
_CONTAINERS = frozenset({"torch.nn.Sequential", "torch.nn.ModuleDict"})
#: What saves or loads by the names of modules.
_STATE_DICTS = ("state_dict", "load_state_dict")

#: What ``%`` and ``format`` put something else for: the dots in there are none of the name.
_FIELDS = lazy_pattern(r"%(\(\w+\))?[-#0 +]*[\d*]*(\.[\d*]+)?[a-zA-Z%]|\{[^{}]*\}")

#: What stands for a field while the dots around it are looked at.
_FIELD = "\0"

#: A dot between a word and a number, which are two without it.
_NEEDLESS = lazy_pattern(r"(?<=[a-zA-Z])\.(?=\d|$)")


class DottedName(Rule):
    """
    ## What it does
    Finds modules that are given a name with a dot: by `add_module`, in the `OrderedDict` of a
    `Sequential`, or in a `ModuleDict`.

    ## Why
    Since 0.4 that raises `KeyError: module name can't contain "."`: the keys of a state dict could
    not be told apart. Old DenseNets have such names.

    ## Example
    ```python
    self.add_module("norm.1", nn.BatchNorm2d(channels))
    ```
    is reported: write
    ```python
    self.add_module("norm1", nn.BatchNorm2d(channels))
    ```

    ## Numbers
    Nothing is rewritten: with other names a state dict has other keys, so those of checkpoints
    that were saved before have to be renamed when they are loaded, as torchvision does it. Nothing
    is said of that for layers without weights and in projects that save no state dict.

    ## When it stays its hand
    Where the name is not written out, and on `add_module` of what is no module of torch.

    ## References
    - https://github.com/pytorch/pytorch/pull/6639
    - https://github.com/pytorch/vision/blob/main/torchvision/models/densenet.py
    """

    code = "TP707"
    name = "dotted-name"
    since = "0.1"
    numerics = Numerics.ADVICE
    words = _METHODS | {name.rpartition(".")[2] for name in _CONTAINERS}
    message = "a module's name with a dot raises KeyError since torch 0.4"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        own = [name for name, _ in _names_given(call, facts) if _has_dot(name)]
        if own:
            every = facts.remembered("dotted names", lambda: _dotted_names(facts))
            around = _class_around(facts, call)
            dotted = [
                named
                for named in every
                if _class_around(facts, named[0]) is around and not is_unreached(named[0], facts)
            ]
            if dotted and own[0] is dotted[0][0]:
                yield self.advice(own[0], _advice(dotted, facts), fails=True)


def _class_around(facts: Facts, node: ast.AST) -> ast.AST | None:
    """The class whose modules are named there, else the function."""
    return facts.names.enclosing_class(node) or facts.names.enclosing_function(node)


def _dotted_names(facts: Facts) -> Sequence[_Named]:
    """All names with a dot that a file gives, in its order."""
    calls = (n for n in facts.names.nodes.get(ast.Call, ()) if isinstance(n, ast.Call))
    found = {name: module for call in calls for name, module in _names_given(call, facts)}
    dotted = ((name, module) for name, module in found.items() if _has_dot(name))
    return sorted(dotted, key=lambda named: (named[0].lineno, named[0].col_offset))


def _advice(dotted: Sequence[_Named], facts: Facts) -> str:
    name, others = dotted[0][0], dotted[1:]
    is_saved = any(_may_be_saved(facts, module) for _, module in dotted)
    is_computed = any(not isinstance(each, ast.Constant) for each, _ in dotted)
    lines = [facts.origin(other.lineno) for other, _ in others]
    lines += lines_that_read((each for each, _ in dotted), facts)
    below = [line for line in dict.fromkeys(lines) if line != facts.origin(name.lineno)]
    so = "_ for each dot" if is_computed else "so"
    also = f", and {so} in {worded_lines(below)}" if below else ""
    new = _undotted_expression(name, is_computed)
    saved = "the keys of saved state dicts likewise"
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        new = f'"{ast.literal_eval(new)}"'
        saved = saved if others else f'what saved state dicts hold under "{name.value}."'
    return f"{DottedName.message}: write {new}{also}{f'; rename {saved}' if is_saved else ''}"


def _undotted_expression(name: ast.expr, is_computed: bool) -> str:
    """A name as it is written without dots.

    Of a computed one ``_`` is put for each of them, which keeps apart whatever its fields are.
    """
    return ast.unparse(_without_dots(name, _underscored if is_computed else _undotted))


def _without_dots(name: ast.expr, undotted: Callable[[str], str]) -> ast.expr:
    """A name without the dots of the texts that it is put together from."""
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        return ast.Constant(undotted(name.value))
    if isinstance(name, ast.JoinedStr):
        return ast.JoinedStr([_without_dots(part, undotted) for part in name.values])
    if isinstance(name, ast.BinOp):
        is_sum = isinstance(name.op, ast.Add)
        right = _without_dots(name.right, undotted) if is_sum else name.right
        return ast.BinOp(_without_dots(name.left, undotted), name.op, right)
    if isinstance(name, ast.Call) and isinstance(name.func, ast.Attribute):
        text = _without_dots(name.func.value, undotted)
        function = ast.Attribute(text, name.func.attr, ast.Load())
        return ast.Call(function, name.args, name.keywords)
    return name


def _undotted(name: str) -> str:
    """``norm1`` for ``norm.1``; ``1_1``, as ``11`` may be another; ``a_b``."""
    return _NEEDLESS.sub("", name).replace(".", "_")


def _underscored(name: str) -> str:
    """``norm_%d`` for ``norm.%d``; ``%s_%.2f``."""
    fields = [field.group() for field in _FIELDS.finditer(name)]
    bare = _FIELDS.sub(_FIELD, name).replace(".", "_")
    for field in fields:
        bare = bare.replace(_FIELD, field, 1)
    return bare


def _may_be_saved(facts: Facts, module: ast.expr | None) -> bool:
    """Whether a ``state_dict()`` that was saved may hold something of ``module``.

    It holds nothing of what keeps no weights, and there is none where no file of the project speaks
    of one.
    """
    if module is not None and is_stateless(facts, module):
        return False
    is_of_library = facts.files is None or facts.files.is_of_library()
    return is_of_library or any(map(facts.is_mentioned, _STATE_DICTS))


_Named = tuple[ast.expr, ast.expr | None]
"""The expression that names a module, and the module, where it is written out."""


def _names_given(call: ast.Call, facts: Facts) -> Iterator[_Named]:
    """The expressions that name modules in a call, with the modules."""
    if is_opaque(call):
        return
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr in _METHODS:
        name = argument(call, 0, "name")
        if name is not None and facts.is_module(function.value):
            yield name, argument(call, 1, "module")
    elif facts.name(function) in _CONTAINERS and len(call.args) == 1:
        yield from _keys_of(call.args[0], facts)


def _keys_of(given: ast.expr, facts: Facts) -> Iterator[_Named]:
    """The keys of a dict that is written out, or filled line by line."""
    if isinstance(given, ast.Name):
        yield from _keys_of_name(given, facts)
    elif isinstance(given, ast.Dict):
        pairs = zip(given.keys, given.values, strict=True)
        yield from ((key, value) for key, value in pairs if key)
    elif isinstance(given, (ast.List, ast.Tuple)):
        for pair in given.elts:
            if isinstance(pair, (ast.List, ast.Tuple)) and len(pair.elts) == 2:
                yield pair.elts[0], pair.elts[1]
    elif isinstance(given, ast.Call) and facts.name(given.func) == "collections.OrderedDict":
        if len(given.args) == 1 and not isinstance(given.args[0], ast.Name):
            yield from _keys_of(given.args[0], facts)


def _keys_of_name(given: ast.Name, facts: Facts) -> Iterator[_Named]:
    bindings = facts.flow.reaching(given)
    if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].path:
        return
    made = bindings[0].value
    is_dict = isinstance(made, ast.Dict) or (
        isinstance(made, ast.Call) and facts.name(made.func) == "collections.OrderedDict"
    )
    if made is None or not is_dict:
        return
    yield from _keys_of(made, facts)
    for use in uses_of(facts, bindings[0]):
        stored = facts.parent(use)
        if isinstance(stored, ast.Subscript) and isinstance(stored.ctx, ast.Store):
            if stored.value is use and stored.lineno < given.lineno:
                yield stored.slice, _stored(facts, stored)


def _stored(facts: Facts, place: ast.Subscript) -> ast.expr | None:
    """What ``layers["norm.1"] = …`` stores."""
    statement = facts.parent(place)
    is_plain = isinstance(statement, ast.Assign) and place in statement.targets
    return statement.value if is_plain else None  # type: ignore[union-attr]


def _has_dot(name: ast.expr) -> bool:
    """Whether a text certainly has a dot, whatever is put into it."""
    if isinstance(name, ast.Constant):
        return isinstance(name.value, str) and "." in name.value
    if isinstance(name, ast.JoinedStr):
        return any(_has_dot(part) for part in name.values)
    if isinstance(name, ast.BinOp):
        if isinstance(name.op, ast.Add):
            return _has_dot(name.left) or _has_dot(name.right)
        return isinstance(name.op, ast.Mod) and _has_dot_around_fields(name.left)
    is_format = isinstance(name, ast.Call) and isinstance(name.func, ast.Attribute)
    if is_format and name.func.attr == "format":  # type: ignore[attr-defined]
        return _has_dot_around_fields(name.func.value)  # type: ignore[attr-defined]
    return False


def _has_dot_around_fields(form: ast.expr) -> bool:
    is_text = isinstance(form, ast.Constant) and isinstance(form.value, str)
    return is_text and "." in _FIELDS.sub("", form.value)  # type: ignore[attr-defined]
