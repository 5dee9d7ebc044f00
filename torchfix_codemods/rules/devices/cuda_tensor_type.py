"""`torch.cuda.FloatTensor` names a type and a device at once: `dtype=` and `device=` say both."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added, with_arguments
from torchfix_codemods.edit.construction import arguments_of, calls_in_chain, factory_for
from torchfix_codemods.edit.devices import definition_of_device
from torchfix_codemods.edit.spelling import Spelling, spell
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.facts.programs.placement import definition_of
from torchfix_codemods.facts.programs.spelling import imports_torch
from torchfix_codemods.facts.tensors.constructors import DTYPES, Chain, Fill, chain_of
from torchfix_codemods.facts.tensors.defaults import may_change_default_type
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found, Need, Rule
from torchfix_codemods.rules.devices.questions.asked_types import (
    asked_for_gpu,
    asked_for_types,
    made_by_type,
    takes_all_above,
)
from torchfix_codemods.rules.devices.questions.cuda_flags import (
    flag_of_device,
    flag_of_module,
    guards_of,
    is_cuda_available,
    module_flag,
)
from torchfix_codemods.rules.devices.questions.device_names import device_at, free_name, runs_after
from torchfix_codemods.rules.devices.questions.forked import is_run_before_fork
from torchfix_codemods.rules.devices.questions.gpu_choice import choice_of_gpu, chooser_after_import
from torchfix_codemods.rules.devices.questions.gpu_moves import moves_to_default_gpu

_CUDA = {
    name.replace("torch.", "torch.cuda.", 1): name for name in DTYPES if name != "torch.Tensor"
}
_FLOATING = ("torch.float", "torch.double", "torch.half")
_FILLS: tuple[Fill, ...] = ("zeros", "ones", "full")
_RANDOM: tuple[Fill, ...] = ("randn", "rand")
_SET_TYPE = "torch.set_default_tensor_type"


class CudaTensorType(Rule):
    """
    ## What it does
    Replaces the tensor types of the GPU by a dtype and a device: `torch.cuda.FloatTensor(n, m)`
    becomes `torch.empty(n, m, device=device)`, `x.type(torch.cuda.LongTensor)` becomes
    `x.to(device, torch.long)`. A name for the type of either device
    (`Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor`) goes together with all of its
    uses. `torch.set_default_tensor_type` of a type of the CPU becomes `torch.set_default_dtype`.
    Code that asks `type(x)` for the dtype or the device of a tensor is reported, and so is a branch
    for one type of tensors below one for `torch.Tensor`.

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
    asked of what may be no tensor, and where the file's device comes from another flag. A name for
    a type stays where one of its uses has to stay, or another file uses it. `isinstance(x,
    torch.cuda.FloatTensor)` is a question that the file asks; `type(x) == torch.LongTensor`, which
    was False of a `Variable`, and `type(x)(x.size())`, which makes floats on the CPU today, are a
    person's to rewrite. A default type of the GPU is left to a person as well:
    `torch.set_default_device` does not move what `torch.Tensor(…)` makes.

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
        {"type", "__class__", "set_default_tensor_type", *(n.rpartition(".")[2] for n in _CUDA)}
    )
    message = "a tensor type of the GPU: a dtype and a device say the same everywhere"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) == _SET_TYPE:
            yield from self._default_type(call, facts)
            return
        made = made_by_type(call, facts)
        if made is not None:
            tensor = ast.unparse(made[0])
            yield self.advice(
                made[1],
                "the type of a tensor is torch.Tensor since 0.4, which makes floats on the CPU: "
                f"write {tensor}.new_empty(...) for sizes, {tensor}.new_tensor(...) for values",
            )
            return
        if facts.name(call.func) in _CUDA:
            kind = _kind_of(call.func, facts)
        elif _is_type_call(call):
            kind = _kind_of(call.args[0], facts)
        else:
            return
        use = None if kind is None else _use(call, kind, facts)
        if use is not None and not is_version_checked(facts, call):
            yield self._found(use, None)

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        moved = asked_for_gpu(node, facts)
        if moved is not None:
            yield self.advice(
                node,
                "the type of a tensor does not tell its device since 0.4: write "
                f"{ast.unparse(moved)}.is_cuda",
            )
        asked = asked_for_types(node, facts)
        if asked is not None:
            tensor, classes = map(ast.unparse, asked)
            yield self.advice(
                node,
                "the type of a tensor is torch.Tensor since 0.4, whatever it holds: write "
                f"isinstance({tensor}, {classes})",
            )

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if takes_all_above(node, facts):
            yield self.advice(
                node,
                "every tensor takes the branch for torch.Tensor above since 0.4, where only floats "
                "of the CPU did: this one never runs",
            )

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, ast.Name):
            return
        if not isinstance(node.value, ast.IfExp) or facts.parent(node) is not facts.tree:
            return
        kind = _kind_of(node.value, facts)
        if kind is None or facts.is_used_elsewhere(target.id):
            return
        if len(facts.names.module.bindings[target.id]) != 1:
            return
        uses = []
        for name in facts.names.uses_of(facts.names.module, target.id):
            call = facts.parent(name)
            is_call = isinstance(call, ast.Call) and (call.func is name or _is_type_call(call))
            use = _use(call, kind, facts) if isinstance(call, ast.Call) and is_call else None
            if use is None:
                return
            uses.append(use)
        if uses:
            group = f"type in line {node.lineno}"
            yield self.found(node, group=group)
            for use in uses:
                yield self._found(use, group)

    def _found(self, use: _Use, group: str | None) -> Found:
        return self.found(use.call, region=use.region, needs=use.needs, group=group, use=use)

    def _default_type(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        given = call.args[0] if len(call.args) == 1 and not call.keywords else None
        name = constant(given)
        name = name if isinstance(name, str) else facts.name(given) if given is not None else None
        if name in _CUDA:
            yield self.advice(
                call,
                "set_default_tensor_type is deprecated: set_default_device('cuda') puts new "
                f"tensors on the GPU, set_default_dtype({DTYPES[_CUDA[name]]}) makes them floats; "
                "torch.Tensor(...) follows neither to the GPU",
            )
            return
        dtype = DTYPES.get(name or "")
        if dtype not in _FLOATING or _has_default_on_gpu(facts):
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
        use: _Use = self.data["use"]
        device = cst.parse_expression(use.device)
        if use.chain is None:
            assert isinstance(updated.func, cst.Attribute)
            given = [cst.Arg(device), cst.Arg(cst.parse_expression(use.dtype))]
            to = updated.func.with_changes(attr=cst.Name("to"))
            return with_arguments(updated, given).with_changes(func=to)
        calls = calls_in_chain(updated, len(use.chain.calls))
        if calls is None:
            return updated
        arguments = arguments_of(calls, use.chain, use.makes_floats)
        result = with_arguments(calls[use.chain.sizes], arguments)
        if use.dtype:
            said = keyword_argument("dtype", cst.parse_expression(use.dtype))
            result = with_argument_added(result, said)
        result = with_argument_added(result, keyword_argument("device", device))
        function = cst.parse_expression(use.function)
        return result.with_changes(func=function, lpar=updated.lpar, rpar=updated.rpar)


@record
class _Kind:
    """A type of the GPU, alone or beside its counterpart of the CPU."""

    dtype: str
    test: ast.expr | None
    """What chooses between both."""


@record
class _Use:
    """A use of a type, and what to write instead."""

    call: ast.Call
    region: ast.Call
    device: str
    needs: Sequence[Need]
    chain: Chain | None = None
    """The constructor and what fills its memory; None for ``x.type(…)``."""
    function: str = ""
    dtype: str = ""
    makes_floats: bool = False


def _kind_of(node: ast.expr, facts: Facts) -> _Kind | None:
    """``torch.cuda.LongTensor``, its name in quotes, or a choice between it and the CPU's."""
    if isinstance(node, ast.IfExp):
        there, here = facts.name(node.body), facts.name(node.orelse)
        if there not in _CUDA or here not in DTYPES:
            return None
        dtype = DTYPES[_CUDA[there]]
        if here == "torch.Tensor" and may_change_default_type(facts):
            return None
        is_same = (DTYPES[here] or "torch.float") == dtype
        return _Kind(dtype or "", node.test) if is_same else None
    name = constant(node) if isinstance(node, ast.Constant) else facts.name(node)
    return _Kind(DTYPES[_CUDA[name]] or "", None) if name in _CUDA else None


def _is_type_call(call: ast.Call) -> bool:
    """``x.type(t)``."""
    is_method = isinstance(call.func, ast.Attribute) and call.func.attr == "type"
    return is_method and len(call.args) == 1 and not call.keywords


def _use(call: ast.Call, kind: _Kind, facts: Facts) -> _Use | None:
    """How to write a use of a type; None where what it gives is not certain."""
    device = _device(call, kind.test, facts)
    if device is None:
        return None
    if _is_type_call(call):
        assert isinstance(call.func, ast.Attribute)
        dtype = spell(facts, kind.dtype, call)
        if dtype is None or not isinstance(facts.value(call.func.value), Tensor):
            return None
        needs = (*device.needs, *dtype.needs)
        return _Use(call, call, device.text, needs, dtype=dtype.text)
    fills = (*_FILLS, *_RANDOM) if kind.dtype in _FLOATING else _FILLS
    chain = chain_of(call, facts, fills)
    if chain is None or (kind.dtype == "torch.float" and may_change_default_type(facts)):
        return None
    factory = factory_for(kind.dtype, chain)
    function = spell(facts, factory.function, call)
    dtype = Spelling("") if factory.dtype is None else spell(facts, factory.dtype, call)
    if function is None or dtype is None:
        return None
    return _Use(
        call,
        chain.calls[-1],
        device.text,
        (*device.needs, *function.needs, *dtype.needs),
        chain,
        function.text,
        dtype.text,
        factory.makes_floats,
    )


def _device(node: ast.AST, test: ast.expr | None, facts: Facts) -> Spelling | None:
    """The device that a type stands for: one that the file has, or a definition of a new one."""
    known = device_at(node, facts)
    if known is not None:
        if test is None:
            return Spelling(known)
        own = flag_of_device(definition_of(known, node, facts), facts)
        return Spelling(known) if own is not None and _is_same(own, test, facts) else None
    name, spelling = free_name(facts), spell(facts, "torch.device", facts.tree)
    if name is None or spelling is None or not imports_torch(facts):
        return None
    chosen = flag_of_module(facts) or choice_of_gpu(spelling.text, facts)
    flag_here = _flag(node, test, chosen, facts)
    if flag_here is None:
        return None
    flag = flag_here[0]
    if flag is not None and flag.after is not None and not runs_after(node, flag.after, facts):
        return None
    if (flag is None or flag.asks_for_cuda) and is_run_before_fork(facts):
        return None
    if flag is None and chooser_after_import(facts) is not None:
        return None
    need = definition_of_device(name, spelling.text, flag)
    if _is_defined_otherwise(need, definition_of_device(name, spelling.text, chosen), facts):
        return None
    return Spelling(name, (*spelling.needs, need))


def _flag(
    node: ast.AST, test: ast.expr | None, chosen: Flag | None, facts: Facts
) -> tuple[Flag | None] | None:
    """The flag of a new device; None where there is one that cannot be used."""
    if test is None:
        guards = [guard for guard in guards_of(node, facts) if "cuda" in ast.unparse(guard)]
        if not guards:
            return (chosen,)
        test = guards[0]
    if is_cuda_available(test, facts):
        return (chosen if chosen is not None and "is_available" in chosen.text else None,)
    flag = module_flag(test, facts)
    return None if flag is None else (flag,)


def _is_defined_otherwise(need: Need, other: Need, facts: Facts) -> bool:
    """Whether ``.cuda()`` calls, or other types, of the file get a device by another flag."""
    moves = any(moves_to_default_gpu(call) for call in facts.names.method_calls("cuda"))
    tests = {
        ast.dump(choice.test)
        for choice in facts.names.nodes.get(ast.IfExp, ())
        if isinstance(choice, ast.IfExp) and _kind_of(choice, facts) is not None
    }
    return (moves and need != other) or len(tests) > 1


def _is_same(flag: ast.expr, test: ast.expr, facts: Facts) -> bool:
    if is_cuda_available(flag, facts) or is_cuda_available(test, facts):
        return is_cuda_available(flag, facts) and is_cuda_available(test, facts)
    return same_expression(flag, test)


def _has_default_on_gpu(facts: Facts) -> bool:
    """Whether a file of the project may set a default type of the GPU."""
    return any(facts.is_mentioned(name.removeprefix("torch.")) for name in _CUDA)
