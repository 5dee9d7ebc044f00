"""Names that nothing reads any more: parameters called `volatile`, what a test set, and types."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parameters import without_flag
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.rule import Found

_FLAG = "volatile"


class UnusedFlag(Tidying):
    """Drops ``volatile=False`` of ``def init_hidden(n, volatile=False):`` that reads it no more.

    All calls in the project leave it off.
    """

    name = "unused-flag"
    words = frozenset({_FLAG})

    def find_FunctionDef(self, node: ast.FunctionDef, facts: Facts) -> Iterator[Found]:
        parameters = (*node.args.args, *node.args.kwonlyargs)
        flags = [each for each in parameters if each.arg == _FLAG]
        if not flags or not facts.touched(node) or facts.speaks_of("locals"):
            return
        if any(facts.names.uses_of(facts.names.scopes[node], _FLAG)):
            return
        defaults = [*node.args.defaults, *node.args.kw_defaults]
        given = arguments_of_all_calls(node, flags[0], facts) or ()
        if given and all(value in defaults and constant(value) is False for _, value in given):
            yield self.found(node, "nothing reads it, and no call gives it")

    def leave_FunctionDef(
        self, original: cst.FunctionDef, updated: cst.FunctionDef
    ) -> cst.FunctionDef:
        return without_flag(updated, _FLAG, _FLAG)


class UnreadFlag(Tidying):
    """Drops ``was_wrapped = True`` below ``if isinstance(x, Variable):`` where nothing reads it.

    What did wrapped the result again, and went. So does ``use_cuda = x.is_cuda`` where a rewrite
    took away what read it, and ``ints = torch.cuda.LongTensor``.
    """

    name = "unread-flag"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        target = node.targets[0]
        if not isinstance(target, ast.Name) or not (_is_set(node) or _names_what_is(node, facts)):
            return
        scope = facts.names.scope_of(node)
        bindings = scope.bindings.get(target.id, ())
        if scope.kind != "function" or any(facts.names.uses_of(scope, target.id)):
            return
        if not _is_set(node):
            if (
                len(bindings) == 1
                and _was_read(target.id, node, facts)
                and not _is_looked_up(facts)
            ):
                yield self.found(node, "nothing reads it")
            return
        settings = [each.node for each in bindings if isinstance(each.node, ast.Assign)]
        if len(settings) != len(bindings) or not all(map(_is_set, settings)):
            return
        if any(_is_below_old_test(each, facts) for each in settings) and not _is_looked_up(facts):
            first = min(each.lineno for each in settings)
            yield self.found(node, "nothing reads it", group=f"{target.id} {first}")

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return updated if len(updated.body) != 1 else cst.RemoveFromParent()


def _is_set(node: ast.Assign) -> bool:
    """``flag = True``."""
    return len(node.targets) == 1 and isinstance(constant(node.value), bool)


def _names_what_is(node: ast.Assign, facts: Facts) -> bool:
    """``use_cuda = x.is_cuda``, or ``torch.cuda.is_available()``, and ``torch.cuda.LongTensor``."""
    asked = node.value
    if (
        len(node.targets) != 1
        or node.lineno != node.end_lineno
        or "#" in facts.lines[node.lineno - 1]
    ):
        return False
    if isinstance(asked, ast.Call):
        return facts.name(asked.func) == "torch.cuda.is_available"
    if not isinstance(asked, ast.Attribute):
        return False
    of_cpu = (facts.name(asked) or "").replace("torch.cuda.", "torch.", 1)
    return asked.attr == "is_cuda" or of_cpu in DTYPES


def _was_read(name: str, node: ast.Assign, facts: Facts) -> bool:
    """Whether a line of the function read a name, and was rewritten so that it does no more.

    No comment speaks of the name.
    """
    function = facts.names.enclosing_function(node)
    named = re.compile(rf"\b{name}\b")
    if function is None or any(
        named.search(facts.lines[n - 1]) for n in _lines(function) if n != node.lineno
    ):
        return False
    below = range(node.lineno + 1, max(_lines(function)) + 1)
    return any(named.search(facts.as_read(n).partition("#")[0]) for n in below)


def _lines(function: ast.AST) -> range:
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    return range(function.lineno, (function.end_lineno or function.lineno) + 1)


def _is_below_old_test(node: ast.Assign, facts: Facts) -> bool:
    """Whether a flag is set right below an ``if`` that asked for a Variable."""
    choice = facts.parent(node)
    if not isinstance(choice, ast.If) or not facts.touched(choice.test):
        return False
    return facts.had_variable(choice.test.lineno)


def _is_looked_up(facts: Facts) -> bool:
    """Whether names of the file may be read by what they are called."""
    return any(map(facts.speaks_of, ("locals", "eval", "exec", "nonlocal", "vars")))
