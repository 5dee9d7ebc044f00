"""New tensors that only say what a result is to be made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, keyword_argument
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Found

#: What makes the same numbers of a type that it is asked for.
_MAKING = frozenset(f"torch.{name}" for name in ("zeros", "ones", "eye", "arange"))


class FreshOutput(Tidying):
    """Writes ``torch.zeros(n, dtype=torch.long)`` for one with ``out=torch.empty(0, dtype=…)``.

    It does so where a rewrite has just made that of ``out=torch.LongTensor()``.
    """

    name = "fresh-output"
    words = frozenset({"out"})

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(node.func) not in _MAKING or is_opaque(node):
            return
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        out = given.get("out")
        if (
            not isinstance(out, ast.Call)
            or not facts.touched(out)
            or {"dtype", "device"} & {*given}
        ):
            return
        if facts.name(out.func) == "torch.empty" and [constant(a) for a in out.args] == [0]:
            if [keyword.arg for keyword in out.keywords] == ["dtype"]:
                yield self.found(node, "says of what type it is")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        at = index_of_keyword(updated, "out")
        out = None if at is None else updated.args[at].value
        if at is None or not isinstance(out, cst.Call):
            return updated
        dtype = keyword_argument("dtype", out.args[-1].value)
        args = list(updated.args)
        args[at] = dtype.with_changes(
            comma=args[at].comma, whitespace_after_arg=args[at].whitespace_after_arg
        )
        return updated.with_changes(args=args)
