"""`torch.cuda.FloatTensor` names a type and a device at once: `dtype=` and `device=` say both."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import with_arguments
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.tensors.construction import Factory, made_on_device
from torchfix_codemods.facts.evidence.sizes import without_data
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.devices.questions.asked_types import (
    SAY_EQUAL,
    above_for_all,
    all_asked,
    asked_for_gpu,
    asked_for_types,
    asserted_type,
    dtype_says_it,
    is_never_reached,
    is_said_beside,
    taken_above,
)
from torchfix_codemods.rules.devices.questions.default_on_gpu import SET_TYPE, about_default
from torchfix_codemods.rules.devices.questions.gpu_types import (
    CPU_TYPE_OF,
    has_default_on_gpu,
    used_kind,
)
from torchfix_codemods.rules.devices.questions.left_types import about_left_type
from torchfix_codemods.rules.devices.questions.made_types import made_anew, made_by_type
from torchfix_codemods.rules.devices.questions.type_uses import (
    FLOATING,
    Use,
    as_one,
    use_of,
    uses_of_named,
)

#: The names of a file for types go together, or none does.
_NAMED = "types with a name"
_NO_KIND = "the type of a tensor is torch.Tensor since 0.4, whatever it holds: write"


class CudaTensorType(Rule):
    """
    ## What it does
    Replaces the tensor types of the GPU by a dtype and a device: `torch.cuda.FloatTensor(n, m)`
    becomes `torch.empty(n, m, device=device)`, `x.type(torch.cuda.LongTensor)` becomes
    `x.to(device, torch.long)`. A name for the type of either device
    (`Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor`) goes together with all of its
    uses. `torch.set_default_tensor_type` of a type of the CPU becomes `torch.set_default_dtype`.
    Code that asks `type(x)` for the dtype or the device of a tensor is reported, and so is a branch
    for one type of tensors below one for `torch.Tensor` or `Variable`. Of two halves of a choice
    that make the same on the GPU and on the CPU, both say it alike: `device=x.device` where it is
    only used to calculate with `x`, `device=device` by the same flag, `device=x.device` beside a
    tensor of a module where no `.cuda()` of the file stays, so that TP202 takes the choice away, or
    else `device="cuda"`: in one expression it is one call, with `device="cuda" if flag else "cpu"`.

    ## Why
    The types of the GPU cannot be used on a machine without one, and torch calls them legacy. Every
    file that has both needs a name for the type of the day, and a second one for `long`. The type
    of a tensor itself is `torch.Tensor` since 0.4, whatever it holds and wherever it is:
    `"cuda" in str(type(x))` is False, without an error.

    ## Example
    ```python
    Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
    valid = Tensor(imgs.size(0), 1).fill_(1.0)
    real_imgs = imgs.type(Tensor)
    ```
    becomes
    ```python
    device = torch.device("cuda" if cuda else "cpu")
    valid = torch.ones(imgs.size(0), 1, device=device)
    real_imgs = imgs.to(device, torch.float)
    ```

    ## Numbers
    Identical on the same device: values, types, shapes, and the random numbers that are drawn.

    ## When it stays its hand
    Where it is not certain whether a constructor is given sizes or values, where `.type(…)` is
    asked of what may be no tensor, where the file's device comes from another flag, under a test
    for the device that has no other half, and beside `.cuda()` that stays (TP201). What stays so
    where other lines run without a GPU is told: it stops the program there. A name for a type stays
    where one of its uses has to stay, or another file uses it, and so do those beside it.
    `isinstance(x, torch.cuda.FloatTensor)` is a question that the file asks; `type(x) ==
    torch.LongTensor`, which was False of a `Variable`, and `type(x)(x.size())`, which makes floats
    on the CPU today, are a person's to rewrite. A default type of the GPU is left to a person as
    well: `torch.set_default_device` does not move what `torch.Tensor(…)` makes, and with either
    default on the GPU a loader that shuffles raises, as its generator is of the CPU.

    ## References
    - https://pytorch.org/docs/stable/tensors.html#data-types
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("Writing device-agnostic code")
    - https://pytorch.org/docs/stable/generated/torch.set_default_tensor_type.html
    """

    code = "TP203"
    name = "cuda-tensor-type"
    since = "0.4.1"
    numerics = Numerics.IDENTICAL
    words = frozenset(
        {
            "type",
            "__class__",
            "set_default_tensor_type",
            *SAY_EQUAL,
            *(n.rpartition(".")[2] for n in CPU_TYPE_OF),
        }
    )
    message = "a tensor type of the GPU: a dtype and a device say the same everywhere"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) == SET_TYPE:
            yield from self._default_type(call, facts)
            return
        asserted = asserted_type(call, facts)
        if asserted is not None and not is_version_checked(facts, call):
            tensor, cls = map(ast.unparse, asserted)
            yield self.advice(call, f"{_NO_KIND} assert isinstance({tensor}, {cls})")
            return
        made = made_by_type(call, facts)
        if made is not None and not is_never_reached(made[1], facts):
            yield self.advice(made[1], made_anew(*made, facts))
            return
        kind = used_kind(call, facts)
        if kind is None or is_version_checked(facts, call):
            return
        use = use_of(call, kind, facts)
        left = about_left_type(call, facts) if use is None else None
        if use is not None:
            yield from (self._found(one, None) for one in [as_one(use, facts)] if one is not None)
        elif left is not None:
            yield self.advice(call, left)

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        moved = asked_for_gpu(node, facts)
        if moved is not None:
            yield self.advice(
                node,
                "the type of a tensor does not tell its device since 0.4: write "
                f"{_not(node)}{ast.unparse(ast.Attribute(without_data(moved), 'is_cuda'))}",
            )
        asked, above = asked_for_types(node, facts), taken_above(node, facts)
        if asked is None or dtype_says_it(node, facts) or is_said_beside(node, facts):
            return
        if above is None and not is_never_reached(node, facts):
            tensor, classes = ast.unparse(asked[0]), ast.unparse(all_asked(node, facts))
            yield self.advice(
                node,
                f"{_NO_KIND} {_not(node)}isinstance({tensor}, {classes})",
            )
        elif above is not None:
            tensor = ast.unparse(asked[0])
            yield self.advice(
                node,
                f"isinstance({tensor}, torch.Tensor), which line {facts.origin(above.lineno)} "
                "means, takes every tensor since 0.4: this branch never runs",
            )

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        above = above_for_all(node, facts)
        if above is not None:
            yield self.advice(
                node,
                f"every tensor takes the branch of line {facts.origin(above.lineno)} since torch "
                "0.4: this one never runs, drop it",
            )

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if not isinstance(node.value, ast.IfExp) or facts.parent(node) is not facts.tree:
            return
        uses = uses_of_named(node, facts)
        if uses:
            yield self.found(node, group=_NAMED)
            for use in uses:
                yield self._found(use, _NAMED)

    def _found(self, use: Use, group: str | None) -> Found:
        return self.found(use.call, region=use.region, needs=use.needs, group=group, use=use)

    def _default_type(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        given = call.args[0] if len(call.args) == 1 and not call.keywords else None
        name = constant(given)
        name = name if isinstance(name, str) else facts.name(given) if given is not None else None
        if name in CPU_TYPE_OF:
            dtype = DTYPES[CPU_TYPE_OF[name]]
            yield self.advice(call, about_default(facts, dtype))
            return
        dtype = DTYPES.get(name or "")
        if dtype not in FLOATING or has_default_on_gpu(facts):
            return
        function = spell(facts, "torch.set_default_dtype", call)
        spelled = spell(facts, dtype or "", call)
        if function is not None and spelled is not None:
            yield self.found(
                call,
                "set_default_tensor_type is deprecated: set_default_dtype",
                needs=(*function.needs, *spelled.needs),
                function=function.text,
                dtype=spelled.text,
            )

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return cst.RemoveFromParent() if len(updated.body) == 1 else updated

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if "function" in self.data:
            dtype = cst.Arg(cst.parse_expression(self.data["dtype"]))
            function = cst.parse_expression(self.data["function"])
            return with_arguments(updated, [dtype]).with_changes(func=function)
        use: Use = self.data["use"]
        device = cst.parse_expression(use.device)
        if use.chain is None:
            assert isinstance(updated.func, cst.Attribute)
            given = [cst.Arg(device), cst.Arg(cst.parse_expression(use.dtype))]
            to = updated.func.with_changes(attr=cst.Name("to"))
            return with_arguments(updated, given).with_changes(func=to)
        made = Factory(use.function, use.dtype or None, use.makes_floats)
        return made_on_device(updated, use.chain, made, device)

    def leave_IfExp(self, original: cst.IfExp, updated: cst.IfExp) -> cst.BaseExpression:
        half = updated.body
        made = self.leave_Call(half, half) if isinstance(half, cst.Call) else half
        return updated if made is half else made.with_changes(lpar=updated.lpar, rpar=updated.rpar)


def _not(node: ast.Compare) -> str:
    """What a question begins with that asked for the other answer: ``type(x) != …``."""
    return "not " if isinstance(node.ops[0], (ast.NotEq, ast.IsNot, ast.NotIn)) else ""
