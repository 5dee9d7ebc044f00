"""New tensors that only say what a result is to be made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, keyword_argument
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.libraries.torch_table import forms_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Found


class FreshOutput(Tidying):
    """Writes ``torch.zeros(n, dtype=torch.long)`` for one with ``out=torch.empty(0, dtype=…)``.

    It does so where a rewrite has just made that of ``out=torch.LongTensor()``. Of ``out=x.new()``
    it is ``dtype=x.dtype, device=x.device``.
    """

    name = "fresh-output"
    words = frozenset({"out"})

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        out = given.get("out")
        if not isinstance(out, ast.Call) or is_opaque(node) or {"dtype", "device"} & {*given}:
            return
        if not facts.touched(out) or not _makes_numbers(facts.name(node.func)):
            return
        if [constant(a) for a in out.args] != [0]:
            return
        keywords = [keyword.arg for keyword in out.keywords]
        if facts.name(out.func) == "torch.empty" and keywords == ["dtype"]:
            yield self.found(node, "says of what type it is", like=None)
        elif isinstance(out.func, ast.Attribute) and out.func.attr == "new_empty" and not keywords:
            like = out.func.value
            if isinstance(like, ast.Name) and facts.is_tensor(like):
                yield self.found(node, "says of what type it is, and where", like=like.id)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        at = index_of_keyword(updated, "out")
        out = None if at is None else updated.args[at].value
        if at is None or not isinstance(out, cst.Call):
            return updated
        like = self.data["like"]
        new = [keyword_argument("dtype", out.args[-1].value)]
        if like is not None:
            named = {word: cst.parse_expression(f"{like}.{word}") for word in ("dtype", "device")}
            comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
            new = [keyword_argument(word, name) for word, name in named.items()]
            new[0] = new[0].with_changes(comma=comma)
        new[-1] = new[-1].with_changes(
            comma=updated.args[at].comma, whitespace_after_arg=updated.args[at].whitespace_after_arg
        )
        return updated.with_changes(args=[*updated.args[:at], *new, *updated.args[at + 1 :]])


def _makes_numbers(name: str | None) -> bool:
    """Whether a function makes the same numbers of a type that it is asked for, of no tensor."""
    for form in () if name is None else forms_of(name):
        kinds = {parameter.kind for parameter in form.parameters}
        if form.word == "tensor" and "d" in kinds and kinds.isdisjoint("TLWo"):
            return True
    return False
