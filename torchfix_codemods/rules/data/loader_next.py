"""`iterator.next()` is Python 2: `next(iterator)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.evaluation.parameters import argument_for, call_sites
from torchfix_codemods.facts.evidence.proofs import defines_method
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.language.scopes import Binding, element_for
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Instance, LoaderIterator, Module, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.questions.listed_elements import elements, gone_through
from torchfix_codemods.text.wording import worded

#: Methods of a module that yield what they give.
_GENERATORS = frozenset(
    """buffers children modules named_buffers named_children named_modules named_parameters
    parameters""".split()
)
#: What an iterator had of its loader until torch 1.1, some only in 0.1: it keeps them to itself.
_OF_LOADERS = frozenset(
    """batch_sampler batch_size collate_fn dataset drop_last num_workers pin_memory
    sampler""".split()
)

_MAX_DEPTH = 3


class LoaderNext(Rule):
    """
    ## What it does
    Takes the next batch of a `DataLoader`'s iterator by `next(iterator)`, that of
    `loader.__iter__()` by `next(iter(loader))`, and what comes next of anything that `iter(…)`, or
    `parameters()` of a module, returned, also where all calls of a function give it that, or a list
    or a dict that it is taken from holds nothing else. Finds what is asked of such an iterator, and
    is the loader's: `iterator.batch_size`.

    ## Why
    `next` as a method is Python 2. The iterators of `DataLoader` kept it as an extra until torch
    1.12; since 1.13 it raises `AttributeError`.

    ## Example
    ```python
    images, labels = iter(loader).next()
    ```
    becomes
    ```python
    images, labels = next(iter(loader))
    ```

    ## Numbers
    Restored: the same batch as before.

    ## When it stays its hand
    Where the iterator is certainly neither that of a `DataLoader` nor what `iter(…)` returned. If
    it may be the latter, or what `parameters()` of anything returned, a finding says what to write.
    Where the project has a class with a method `next`, which may do something else, too. Where
    `next` is the file's own function, it becomes `iterator.__next__()`.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.13.0
    - https://peps.python.org/pep-3114/
    """

    code = "TP801"
    name = "loader-next"
    since = "0.1"
    numerics = Numerics.RESTORED
    words = frozenset({"next"}) | _OF_LOADERS
    message = "an iterator has no method next() any more: next(iterator)"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr != "next":
            return
        if call.args or call.keywords:
            return
        receiver = function.value
        is_shadowed = facts.names.scope_of(call).lookup("next") is not None
        is_loaders = isinstance(facts.value(receiver), LoaderIterator)
        if not is_loaders and defines_method(facts.names, "next"):
            return
        sources = [] if is_loaders else _sources(facts, receiver)
        is_known = is_loaders or (bool(sources) and all(_is_iter(facts, s) for s in sources))
        if is_known and (is_loaders or not facts.names.is_method_of_project("next")):
            # What is asked for its ``__iter__`` there is a loader.
            is_asked = isinstance(receiver, ast.Call) and last_name(receiver.func) == "__iter__"
            is_iter = is_asked and facts.names.scope_of(call).lookup("iter") is None
            yield self.found(call, is_shadowed=is_shadowed, is_iter=is_iter)
            return
        if any(_is_iter(facts, s) or _may_be_generator(facts, s) for s in sources):
            yield self.advice(
                call,
                "iterators of Python 3 and of DataLoader have no method next(): write "
                f"next({worded(receiver, '...')})",
            )

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if node.attr not in _OF_LOADERS or not _is_of_iterator(facts, node):
            return
        same = facts.names.attributes(node.attr)
        if not any(isinstance(n.ctx, ast.Store) and _is_of_iterator(facts, n) for n in same):
            yield self.advice(
                node,
                f"iterators of DataLoader have no {node.attr} today, so that "
                f"{worded(node, 'this')} raises: ask the loader for its own",
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        if not isinstance(updated.func, cst.Attribute):
            return updated
        if self.data["is_shadowed"]:
            return updated.with_changes(func=updated.func.with_changes(attr=cst.Name("__next__")))
        iterator = updated.func.value
        asked = iterator.func if isinstance(iterator, cst.Call) else None
        if self.data["is_iter"] and isinstance(asked, cst.Attribute):
            iterator = cst.Call(cst.Name("iter"), [cst.Arg(value=asked.value)])
        return updated.with_changes(func=cst.Name("next"), args=[cst.Arg(value=iterator)])


def _is_of_iterator(facts: Facts, node: ast.Attribute) -> bool:
    is_iterated = any(facts.names.calls("iter"))
    return is_iterated and isinstance(facts.value(node.value), LoaderIterator)


def _is_iter(facts: Facts, node: ast.expr | None) -> bool:
    """Whether an expression is a call of ``iter``, ``enumerate(loader)`` or one of what a module
    gives its parts by.
    """
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return facts.names.builtin(node.func) in ("iter", "enumerate", "reversed")
    giver = _giver(facts, node)
    return giver is not None and facts.is_module(giver)


def _may_be_generator(facts: Facts, node: ast.expr | None) -> bool:
    """Whether ``net.parameters()`` may be what a module gives, as nothing is known of ``net``."""
    giver = _giver(facts, node)
    return giver is not None and isinstance(facts.value(giver), Unknown)


def _giver(facts: Facts, node: ast.expr | None) -> ast.expr | None:
    """``net`` of ``net.parameters()``, where no class of the file has such a method."""
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(method, ast.Attribute) or method.attr not in _GENERATORS:
        return None
    return None if method.attr in method_names(facts.names) else method.value


def _sources(facts: Facts, node: ast.expr, depth: int = 0) -> list[ast.expr | None]:
    """The expressions that an iterator may come from, without None for one yet to be made."""
    if isinstance(node, ast.Call):
        return [node]
    if depth > _MAX_DEPTH:
        return [None]
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
    elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        return _kept(facts, elements(facts, node.value, by_index=True), depth)
    elif isinstance(node, ast.Attribute):
        owner = facts.value(node.value)
        if not isinstance(owner, (Instance, Module)) or owner.definition is None:
            return []
        bindings = tuple(facts.classes.attribute_sources(owner.definition, node.attr))
    else:
        return []
    sources = [source for b in bindings for source in _sources_of(facts, b, depth)]
    return [s for s in sources if constant(s) is not None]


def _kept(facts: Facts, kept: list[ast.expr] | None, depth: int) -> list[ast.expr | None]:
    """The same of what is kept in a list or a dict: ``iterators[i]`` of ``[iter(x), iter(y)]``."""
    known = [None] if kept is None else kept
    return [s for k in known for s in ([None] if k is None else _sources(facts, k, depth + 1))]


def _sources_of(facts: Facts, binding: Binding, depth: int) -> list[ast.expr | None]:
    """What a binding takes its value from: a parameter from the calls of its function."""
    if binding.kind == "for" and binding.value is not None:
        listed = gone_through(facts, binding.value, binding.path)
        return _kept(facts, None if listed is None else elements(facts, listed), depth)
    parameter = binding.node
    arguments = facts.parent(parameter)
    function = None if arguments is None else facts.parent(arguments)
    if binding.kind != "parameter" or not isinstance(parameter, ast.arg):
        return [_source(binding)]
    if not isinstance(function, ast.FunctionDef) or facts.parent(function) is not facts.tree:
        return [None]
    sites = call_sites(facts.inference, function)
    given = [argument_for(function, parameter, site, bound=False) for site in sites]
    sources = [s for g in given for s in ([None] if g is None else _sources(facts, g, depth + 1))]
    is_called_elsewhere = facts.is_imported_elsewhere and facts.is_used_elsewhere(function.name)
    return [*sources, None] if is_called_elsewhere or not sites else sources


def _source(binding: Binding) -> ast.expr | None:
    """The expression that a binding takes its value from, also of ``a, b = iter(x), iter(y)``."""
    value = binding.value
    for step in binding.path:
        if not isinstance(value, (ast.Tuple, ast.List)):
            return None
        value = element_for(value, step)
    return value if binding.kind == "assign" else None
