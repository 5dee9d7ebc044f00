"""What a result needs no telling any more: of what it is to be made, and in which shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, keyword_argument
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.libraries.torch_table import forms_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import Found

_IN1D = lazy_pattern(r"\bin1d\b")


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


class KeptShape(Tidying):
    """Leaves ``np.isin(x, known)`` of ``np.isin(x, known).reshape(x.shape)``.

    It has the shape of ``x``, and ``np.in1d``, which a rewrite found there, had it not.
    """

    name = "kept-shape"
    words = frozenset({"reshape"})

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        func, given = node.func, _whose_shape(node)
        if given is None or not isinstance(func, ast.Attribute) or not facts.touched(node):
            return
        made = func.value
        if not isinstance(made, ast.Call) or facts.name(made.func) != "numpy.isin":
            return
        if made.args and ast.unparse(made.args[0]) == given:
            if _IN1D.search(facts.as_read(made.lineno)) is not None:
                yield self.found(node, "has that shape already")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        assert isinstance(updated.func, cst.Attribute)
        return updated.func.value


def _whose_shape(call: ast.Call) -> str | None:
    """``x`` of ``made.reshape(x.shape)``, the name of a value."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr != "reshape" or call.keywords:
        return None
    shape = call.args[0] if len(call.args) == 1 else None
    if not isinstance(shape, ast.Attribute) or shape.attr != "shape":
        return None
    return shape.value.id if isinstance(shape.value, ast.Name) else None


def _makes_numbers(name: str | None) -> bool:
    """Whether a function makes the same numbers of a type that it is asked for, of no tensor."""
    for form in () if name is None else forms_of(name):
        kinds = {parameter.kind for parameter in form.parameters}
        if form.word == "tensor" and "d" in kinds and kinds.isdisjoint("TLWo"):
            return True
    return False
