"""Lists in the place of what can be gone through once."""

from __future__ import annotations

from torchfix_codemods.edit import cst


def as_list(node: cst.BaseExpression) -> cst.BaseExpression:
    """``[x for x in xs]`` of a generator, ``list(xs)`` of anything else."""
    if not isinstance(node, cst.GeneratorExp):
        bare = node.with_changes(lpar=[], rpar=[])
        return cst.Call(cst.Name("list"), [cst.Arg(bare)], lpar=node.lpar, rpar=node.rpar)
    if not node.lpar:
        return cst.ListComp(node.elt, node.for_in)
    return cst.ListComp(
        node.elt,
        node.for_in,
        lbracket=cst.LeftSquareBracket(node.lpar[-1].whitespace_after),
        rbracket=cst.RightSquareBracket(node.rpar[0].whitespace_before),
        lpar=node.lpar[:-1],
        rpar=node.rpar[1:],
    )
