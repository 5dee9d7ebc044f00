"""Code that already handles old and new torch: what is written there is meant that way."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.language.flow import TRIES
from torchfix_codemods.facts.language.nodes import first_name, last_name, walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.patterns import lazy_pattern

_MISSING = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "NameError"})
_ANYTHING = frozenset({"Exception", "BaseException"})
_TORCH_VERSION = lazy_pattern(r"torch_?version|version_?(?:of_?)?torch", re.IGNORECASE)


def is_guarded(facts: Facts, node: ast.AST, new: str) -> bool:
    """Whether ``node`` stands where the code chooses between an old name and ``new``.

    That is under ``try`` with a handler for what is missing, and under a test of torch's version
    or of what torch has. A handler or branch for anything counts when its counterpart speaks of
    ``new``, and not of the old name once more where both end alike; not so the branches of a test
    of what some text is, as ``if args.dataset == "mnist":``.
    """
    old = node.func if isinstance(node, ast.Call) else node
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, TRIES) and child not in parent.finalbody:
            caught = {name for handler in parent.handlers for name in _caught(handler)}
            if caught & _MISSING:
                return True
            others = parent.handlers if child in parent.body else parent.body
            if caught & _ANYTHING and _mentions(facts, others, new, old):
                return True
        elif isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            if _asks_for_version(facts, parent.test) or _asks_library(facts, parent.test, old):
                return True
            if not _asks_for_text(parent.test) and _has_counterpart(facts, parent, child, new, old):
                return True
        child = parent
    return _is_below_choice(facts, node, old)


def _is_below_choice(facts: Facts, node: ast.AST, old: ast.AST) -> bool:
    """Whether what stands above returns what a newer library gives: an older one comes so far.

    That is ``if hasattr(inspect, "signature"): return …``, and ``try: return torch.new(x)`` with a
    handler for what is missing.
    """
    library = _library(facts, old)
    if library is None or not _may_choose(facts):
        return False
    return any(
        (
            isinstance(above, ast.If)
            and isinstance(above.body[-1], ast.Return)
            and _asks_library(facts, above.test, old)
        )
        or (isinstance(above, TRIES) and _returns_of(facts, above) == library)
        for above in statements_above(facts.names, node)
    )


def _may_choose(facts: Facts) -> bool:
    words = ("hasattr", *_MISSING)
    return facts.remembered("may choose", lambda: any(word in facts.text for word in words))


def _returns_of(facts: Facts, tried: ast.Try | ast.TryStar) -> str | None:
    """The library whose function alone is tried and returned, where it may be missing."""
    caught = {name for handler in tried.handlers for name in _caught(handler)}
    returned = tried.body[0] if caught & _MISSING and len(tried.body) == 1 else None
    value = returned.value if isinstance(returned, ast.Return) else None
    return _library(facts, value.func) if isinstance(value, ast.Call) else None


def _library(facts: Facts, node: ast.AST) -> str | None:
    """The package that a name is imported from: ``numpy`` of ``np.in1d``."""
    name = facts.name(node) if isinstance(node, ast.expr) else None
    return None if name is None else name.partition(".")[0]


def _asks_library(facts: Facts, test: ast.expr, old: ast.AST) -> bool:
    """Whether a test asks what the library of an old name has: ``hasattr(np, "isin")``."""
    library = _library(facts, old)
    return library is not None and any(
        isinstance(node, ast.Call)
        and facts.names.builtin(node.func) == "hasattr"
        and node.args != []
        and _library(facts, node.args[0]) == library
        for node in walk(test)
    )


def is_import_guarded(facts: Facts, node: ast.expr) -> bool:
    """Whether the import that a name comes from stands where the file chooses by version.

    A whole library that may not be there is no such choice, nor is a value with a method.
    """
    root = first_name(node)
    if root is None or facts.name(node) is None:
        return False
    found = facts.names.scope_of(root).lookup(root.id)
    return found is not None and any(
        is_guarded(facts, binding.node, root.id)
        for binding in found[1]
        if "." in (binding.qualified or ".")
    )


def is_version_checked(facts: Facts, node: ast.AST) -> bool:
    """Whether ``node`` stands in a branch that is chosen by torch's version.

    So does what is below ``if torch_version() >= (0, 4): return new(x)``.
    """
    if not facts.remembered("asks for versions", lambda: _may_ask_for_version(facts.text)):
        return False
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            if _asks_for_version(facts, parent.test):
                return True
        child = parent
    return any(
        isinstance(above, ast.If)
        and any(block and isinstance(block[-1], ast.Return) for block in (above.body, above.orelse))
        and _asks_for_version(facts, above.test)
        for above in statements_above(facts.names, node)
    )


def _may_ask_for_version(text: str) -> bool:
    return any(word in text for word in ("version", "Version", "VERSION", "hasattr"))


def is_signature_tried(facts: Facts, node: ast.AST) -> bool:
    """Whether ``node`` stands under ``try`` with a handler for arguments that torch does not take.

    ``try: F.softmax(x, dim=1)`` and ``except TypeError: F.softmax(x)``.
    """
    return any(
        isinstance(parent, TRIES) and any("TypeError" in _caught(h) for h in parent.handlers)
        for parent in facts.names.ancestors(node)
    )


def handlers_around(
    facts: Facts, node: ast.AST
) -> Iterator[tuple[frozenset[str], list[ast.ExceptHandler]]]:
    """The handlers of each ``try`` that ``node`` is tried in, and the names of what they catch.

    A handler for anything catches "BaseException".
    """
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, TRIES) and child in parent.body:
            caught = frozenset(name for handler in parent.handlers for name in _caught(handler))
            yield caught, parent.handlers
        child = parent


def is_chosen(facts: Facts, call: ast.Call, *, is_gone: bool = False) -> bool:
    """Whether the file chooses between this call and another one by itself.

    Of what ``is_gone``, it does not by trying other arguments: that raises no TypeError.
    """
    return (
        is_version_checked(facts, call)
        or (not is_gone and is_signature_tried(facts, call))
        or is_guarded(facts, call, last_name(call.func) or "")
        or is_import_guarded(facts, call.func)
    )


def is_optional(facts: Facts, node: ast.AST) -> bool:
    """Whether a name or keyword of torch is used only where torch has it.

    That is where the use, or the import that its name comes from, stands under ``try`` with a
    handler for what is missing, or in a branch that is chosen by torch's version.
    """
    if is_version_checked(facts, node) or _is_tried(facts, node, _MISSING | {"TypeError"}):
        return True
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return _is_tried(facts, node, _MISSING | _ANYTHING)
    root = first_name(node.func if isinstance(node, ast.Call) else node)
    found = None if root is None else facts.names.scope_of(root).lookup(root.id)
    return found is not None and any(
        binding.kind == "import" and is_optional(facts, binding.node) for binding in found[1]
    )


def _is_tried(facts: Facts, node: ast.AST, errors: frozenset[str]) -> bool:
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, TRIES) and child not in parent.finalbody:
            if any(errors.intersection(_caught(handler)) for handler in parent.handlers):
                return True
        child = parent
    return False


def _caught(handler: ast.ExceptHandler) -> Iterable[str]:
    if handler.type is None:
        return ("BaseException",)
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return [t.attr if isinstance(t, ast.Attribute) else getattr(t, "id", "") for t in types]


def _asks_for_version(facts: Facts, test: ast.expr) -> bool:
    for node in walk(test):
        if _holds_version(node) or _asks_what_torch_has(facts, node):
            return True
        if isinstance(node, ast.Name) and any(
            any(map(_holds_version, walk(given))) or _asks_what_torch_has(facts, given)
            for binding in facts.flow.reaching(node)
            for given in _given_by(facts, binding)
        ):
            return True
    return False


def _asks_for_text(test: ast.expr) -> bool:
    """``name == "mnist"``, ``name in ("lsun", "folder")``: no text that can be a version."""
    if not isinstance(test, ast.Compare):
        return False
    return all(
        isinstance(operator, (ast.Eq, ast.NotEq, ast.In, ast.NotIn)) and _is_a_word(operand)
        for operator, operand in zip(test.ops, test.comparators, strict=True)
    )


def _is_a_word(operand: ast.expr) -> bool:
    if isinstance(operand, (ast.Tuple, ast.List, ast.Set)):
        return all(map(_is_a_word, operand.elts))
    text = constant(operand)
    return isinstance(text, str) and text.lstrip("vV")[:1].isalpha()


def _given_by(facts: Facts, binding: Binding) -> list[ast.expr]:
    """What a name holds, or what the function of that name returns."""
    if binding.value is not None:
        return [binding.value]
    exits = facts.inference.exits.get(binding.node, ())
    return [n.value for n in exits if isinstance(n, ast.Return) and n.value is not None]


def _asks_what_torch_has(facts: Facts, node: ast.AST) -> bool:
    """``hasattr(torch.Tensor, "rename")``; ``hasattr(x, "item")``, as Variables had none."""
    if not (isinstance(node, ast.Call) and getattr(node.func, "id", None) == "hasattr"):
        return False
    if len(node.args) != 2:
        return False
    return (facts.name(node.args[0]) or "").startswith("torch") or constant(node.args[1]) == "item"


def _holds_version(node: ast.AST) -> bool:
    """``torch.__version__``, ``TORCH_VERSION``, ``versions.torch_version``."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name == "__version__" or _TORCH_VERSION.search(name) is not None


def _has_counterpart(
    facts: Facts, parent: ast.If | ast.IfExp, child: ast.AST, new: str, old: ast.AST
) -> bool:
    if isinstance(parent, ast.IfExp):
        others: Sequence[ast.AST] = [parent.orelse if child is parent.body else parent.body]
    else:
        others = parent.orelse if child in parent.body else parent.body
    return _mentions(facts, others, new, old, by_branch=True)


def _mentions(
    facts: Facts, nodes: Iterable[ast.AST], name: str, old: ast.AST, *, by_branch: bool = False
) -> bool:
    """Whether code speaks of a name in another meaning than ``old``, which may end like it.

    A branch that makes by numpy or on the GPU what another makes on the CPU is not chosen by what
    torch has.
    """
    for root in nodes:
        for node in _spoken_of(facts, root).get(name, ()):
            # `int` says nothing of numpy's.
            if isinstance(node, ast.alias) or facts.names.builtin(node) is None:
                is_other = by_branch and (
                    _is_numpys_alone(facts, node, old) or _is_on_gpu(facts, node)
                )
                if is_other or _is_same(facts, node, old) or _is_of_object(facts, node, old):
                    continue
                return True
    return False


def _is_of_object(facts: Facts, node: ast.AST, old: ast.AST) -> bool:
    """Whether one is the method of an object that a library's function has the name of.

    ``unpickler.load()`` is no newer ``yaml.load``.
    """
    return (
        isinstance(node, ast.Attribute)
        and facts.name(node) is None
        and isinstance(old, ast.expr)
        and (facts.name(old) or "").rpartition(".")[2] == node.attr
    )


def _is_numpys_alone(facts: Facts, node: ast.AST, old: ast.AST) -> bool:
    """Whether one is numpy's and the other is not: ``np.zeros`` is no newer ``FloatTensor``."""
    names = [facts.name(each) or "" for each in (node, old) if isinstance(each, ast.expr)]
    return [name.startswith("numpy.") for name in names] == [True, False]


def _is_on_gpu(facts: Facts, node: ast.AST) -> bool:
    """Whether a call says that it makes something there: ``torch.tensor(x, device="cuda")``."""
    call = facts.parent(node)
    return (
        isinstance(call, ast.Call)
        and call.func is node
        and any(
            keyword.arg == "device" and str(constant(keyword.value)).startswith("cuda")
            for keyword in call.keywords
        )
    )


def _spoken_of(facts: Facts, root: ast.AST) -> Mapping[str, Sequence[ast.AST]]:
    """The names and attributes of some code, and what it imports, by the last of their names."""
    return facts.remembered(("spoken of", root), lambda: _by_last_name(root))


def _by_last_name(root: ast.AST) -> dict[str, list[ast.AST]]:
    found: dict[str, list[ast.AST]] = {}
    for node in ast.walk(root):
        if isinstance(node, (ast.Attribute, ast.Name)):
            found.setdefault(last_name(node) or "", []).append(node)
        elif isinstance(node, ast.alias):
            found.setdefault(node.name, []).append(node)
    return found


def _is_same(facts: Facts, node: ast.AST, old: ast.AST) -> bool:
    """Whether two expressions are the same name, or methods of one name."""
    if not isinstance(old, (ast.Attribute, ast.Name)) or last_name(old) != last_name(node):
        return False
    return facts.name(node) == facts.name(old)
