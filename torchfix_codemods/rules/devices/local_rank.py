"""Launchers pass `--local-rank` since torch 2.0: a script that takes `--local_rank` fails."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Foreign, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_OLD, _NEW = "--local_rank", "--local-rank"


class LocalRank(Rule):
    """
    ## What it does
    Lets a parser of arguments take `--local-rank` beside `--local_rank`. Both fill
    `args.local_rank`.

    ## Why
    `python -m torch.distributed.launch` passes each process its number as `--local-rank` since
    torch 2.0. A parser that knows the other spelling only ends with `unrecognized arguments`.
    `torchrun` passes neither; there the number is in `os.environ["LOCAL_RANK"]`.

    ## Example
    ```python
    parser.add_argument("--local_rank", type=int, default=0)
    ```
    becomes
    ```python
    parser.add_argument("--local_rank", "--local-rank", type=int, default=0)
    ```

    ## Numbers
    Identical: what was understood is understood as before.

    ## When it stays its hand
    Where the file takes `--local-rank` already, where it does not import `argparse`, on parsers
    that are certainly of another library, and where the argument is chosen by torch's version.

    ## References
    - https://pytorch.org/docs/stable/distributed.html#launch-utility
    - https://github.com/pytorch/pytorch/releases/tag/v2.0.0
    """

    code = "TP212"
    name = "local-rank"
    since = "1.0"
    numerics = Numerics.IDENTICAL
    changed_in = "2.0"
    words = frozenset({"add_argument"})
    message = "launchers of torch 2.0 and newer pass --local-rank"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        options = [getattr(arg, "value", None) for arg in call.args]
        if _OLD not in options or facts.speaks_of(_NEW) or not isinstance(call.func, ast.Attribute):
            return
        if _may_be_parser(call.func.value, facts) and not is_version_checked(facts, call):
            reason = self.reason_for(Numerics.RESTORED)
            yield self.found(call, reason=reason, index=options.index(_OLD))

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        index: int = self.data["index"]
        old = updated.args[index]
        if not isinstance(old.value, cst.SimpleString):
            return updated
        text = old.value.value.replace(_OLD, _NEW)
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        args = [*updated.args]
        args[index] = cst.Arg(old.value, comma=comma)
        args.insert(index + 1, old.with_changes(value=cst.SimpleString(text)))
        return updated.with_changes(args=args)


def _may_be_parser(node: ast.expr, facts: Facts) -> bool:
    """Whether an object is a parser of ``argparse``, or what a file that imports that gets."""
    value = facts.value(node)
    if isinstance(value, Foreign) and value.name is not None:
        return value.name.startswith("argparse.")
    known = isinstance(value, (Foreign, Unknown))
    return known and any(
        binding.qualified is not None and binding.qualified.startswith("argparse")
        for bindings in facts.names.module.bindings.values()
        for binding in bindings
    )
