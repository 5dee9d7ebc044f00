"""What is written for a use of a tensor type of the GPU."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from torchfix_codemods.edit.spelling import Spelling, spell
from torchfix_codemods.edit.tensors.construction import Factory, factory_for
from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.facts.tensors.constructors import Chain, Fill, chain_of, dtype_of_cast
from torchfix_codemods.facts.tensors.defaults import may_change_default_type
from torchfix_codemods.facts.values.lattice import Number, Tensor, Unknown
from torchfix_codemods.record import record
from torchfix_codemods.rule import Need
from torchfix_codemods.rules.devices.questions.gpu_types import (
    CPU_TYPE_OF,
    Kind,
    is_type_call,
    kind_of,
)
from torchfix_codemods.rules.devices.questions.type_devices import device_of_type
from torchfix_codemods.rules.devices.questions.type_halves import halves_say_the_same

FLOATING = ("torch.float", "torch.double", "torch.half")

_FILLS: tuple[Fill, ...] = ("zeros", "ones", "full")

_RANDOM: tuple[Fill, ...] = ("randn", "rand")


@record
class Use:
    """A use of a type, and what to write instead."""

    call: ast.Call
    region: ast.expr
    device: str
    needs: Sequence[Need]
    chain: Chain | None = None
    """The constructor and what fills its memory; None for ``x.type(…)``."""
    function: str = ""
    dtype: str = ""
    makes_floats: bool = False


def _is_cast(receiver: ast.expr, facts: Facts) -> bool:
    """Whether what is cast to a type of tensors is a tensor; it may be a module as well.

    No module is calculated with, compared, indexed by a tuple or asked for its size.
    """
    value = facts.value(receiver)
    if not isinstance(value, Unknown):
        return isinstance(value, Tensor)
    if _is_made_variable(receiver, facts):
        return True
    if isinstance(receiver, (ast.BinOp, ast.Compare)):
        return True
    if isinstance(receiver, ast.Subscript) and isinstance(receiver.slice, (ast.Tuple, ast.Compare)):
        return True
    if _is_of_operation(receiver, facts):
        return True
    if not isinstance(receiver, ast.Name):
        return False
    own, scope = facts.flow.reaching(receiver), facts.names.scope_of(receiver)
    reads = facts.flow.uses_reached_by(own, scope, receiver.id)
    return any(_asks_tensor(read, facts) for read in reads)


def _is_of_operation(node: ast.expr, facts: Facts, names: frozenset[str] = frozenset()) -> bool:
    """``x.max(1)[1]``, ``x.view(n)[:m]``, also by its name: what no module is asked for.

    NumPy's arrays, which are asked the same, have no ``.type(…)``, and what they hold is no module:
    those have no order and no sum, and ``view`` takes types alone there, and none for objects.
    """
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name) and node.id not in names:
        made = facts.assigned(node)
        return bool(made) and all(
            _is_of_operation(each, facts, names | {node.id}) for each in made or ()
        )
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not isinstance(method, ast.Attribute):
        return False
    if facts.name(method) is not None or may_be_of_project(facts.names, method.attr):
        return False
    if torch_effects.compares(method.attr) and len(node.args) == 1:
        return True
    if method.attr == "view":
        return bool(node.args) and all(_may_be_size(given, facts) for given in node.args)
    return torch_effects.does(method.attr, "reduces", "chooses")


def _may_be_size(given: ast.expr, facts: Facts) -> bool:
    """Whether something may be a number, and is not named as a type is: ``np.ndarray``."""
    return isinstance(facts.value(given), (Number, Unknown)) and facts.name(given) is None


def _is_made_variable(receiver: ast.expr, facts: Facts) -> bool:
    """``Variable(x.type(kind))``, which takes tensors alone, also where that went in this run."""
    method = facts.parent(receiver)
    cast = None if method is None else facts.parent(method)
    if not isinstance(cast, ast.Call) or f"Variable({facts.segment(cast)}" not in (
        facts.as_read(cast.lineno)
    ):
        return False
    around = facts.parent(cast)
    if isinstance(around, ast.Call) and cast in around.args:
        return facts.name(around.func) == VARIABLE
    return facts.names.module.bindings.get("Variable") is None


def _asks_tensor(node: ast.expr, facts: Facts) -> bool:
    """``x.data`` and ``x.size(…)``, which no module has."""
    above = facts.parent(node)
    if not isinstance(above, ast.Attribute) or not isinstance(above.ctx, ast.Load):
        return False
    if above.attr not in ("data", "size") or may_be_of_project(facts.names, above.attr):
        return False
    called = facts.parent(above)
    is_called = isinstance(called, ast.Call) and called.func is above
    return is_called if above.attr == "size" else not is_called


def use_of(call: ast.Call, kind: Kind, facts: Facts) -> Use | None:
    """How to write a use of a type; None where what it gives is not certain."""
    device = device_of_type(call, kind.test, facts)
    if device is None:
        return None
    if is_type_call(call):
        assert isinstance(call.func, ast.Attribute)
        dtype = spell(facts, kind.dtype, call)
        if dtype is None or not _is_cast(call.func.value, facts):
            return None
        needs = (*device.needs, *dtype.needs)
        return Use(call, call, device.text, needs, dtype=dtype.text)
    fills = (*_FILLS, *_RANDOM) if kind.dtype in FLOATING else _FILLS
    chain = chain_of(call, facts, fills, may_be_range=kind.dtype == "torch.long")
    if chain is None:
        return None
    factory = factory_for(kind.dtype, chain)
    made = kind.dtype if chain.cast is None else dtype_of_cast(chain.cast)
    if made == "torch.float" and factory.dtype is None and may_change_default_type(facts):
        # By itself torch may make another type of floats there.
        factory = Factory(factory.function, made)
    function = spell(facts, factory.function, call)
    dtype = Spelling("") if factory.dtype is None else spell(facts, factory.dtype, call)
    if function is None or dtype is None:
        return None
    return Use(
        call,
        chain.calls[-1],
        device.text,
        (*device.needs, *function.needs, *dtype.needs),
        chain,
        function.text,
        dtype.text,
        factory.makes_floats,
    )


def uses_of_named(node: ast.Assign, facts: Facts) -> Sequence[Use]:
    """The uses of ``dtype = torch.cuda.FloatTensor if cuda else torch.FloatTensor``.

    None where one of them has to stay, or one of another such name of the module level: beside
    ``x.type(dtype)`` nothing says in a second way where it goes.
    """
    named = facts.remembered(uses_of_named, lambda: _uses_of_all_named(facts))
    return () if None in named.values() else named.get(node) or ()


def _uses_of_all_named(facts: Facts) -> dict[ast.stmt, list[Use] | None]:
    return {
        statement: _all_uses(statement, facts)
        for statement in facts.tree.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.IfExp)
        and facts.name(statement.value.body) in CPU_TYPE_OF
    }


def _all_uses(node: ast.Assign, facts: Facts) -> list[Use] | None:
    """The uses of a type by the name that it is given; None where one of them has to stay."""
    target, kind = node.targets[0], kind_of(node.value, facts)
    if len(node.targets) != 1 or not isinstance(target, ast.Name) or kind is None:
        return None
    is_one = len(facts.names.module.bindings[target.id]) == 1
    if not is_one or facts.is_used_elsewhere(target.id):
        return None
    found = []
    for name in facts.names.uses_of(facts.names.module, target.id):
        call = facts.parent(name)
        is_call = isinstance(call, ast.Call) and (call.func is name or is_type_call(call))
        use = use_of(call, kind, facts) if isinstance(call, ast.Call) and is_call else None
        if use is None:
            return None
        found.append(use)
    return found


def as_one(use: Use, facts: Facts) -> Use | None:
    """A use that takes in the choice around it, where that is of the device alone.

    Of ``torch.cuda.LongTensor(x) if flag else torch.LongTensor(x)`` the flag chooses the device.

    Args:
        use: a use in one half of a choice, or any other.
        facts: the facts of the module.

    Returns:
        the use, or None as long as both halves are in a ``Variable(…)`` that goes first.
    """
    if use.device != '"cuda"' or use.chain is None:
        return use
    made: ast.expr = use.region
    around = facts.parent(made)
    if isinstance(around, ast.Call) and facts.name(around.func) == VARIABLE:
        made = around
    choice = facts.parent(made)
    if not isinstance(choice, ast.IfExp) or choice.body is not made:
        return use
    if not halves_say_the_same(choice.test, facts) or not only_computes(facts, choice.test):
        return use
    if made is not use.region:
        return None
    device = f'"cuda" if {ast.unparse(choice.test)} else "cpu"'
    return replace(use, region=choice, device=device)
