"""What ``x.new(…)`` and its like are called on, what stands around them, and what they make."""

from __future__ import annotations

import ast
from dataclasses import replace

from torchfix_codemods.edit.spelling import Spelling, spell
from torchfix_codemods.edit.tensors.construction import Factory
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.wrapping import wrapper_around
from torchfix_codemods.facts.tensors.constructors import Chain, Fill, chain_of, dtype_of_cast
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.rules.questions.like_calls import nameless
from torchfix_codemods.rules.questions.own_lines import stands_alone
from torchfix_codemods.rules.questions.wrapped_makers import is_to_be_unwrapped
from torchfix_codemods.rules.tensors.questions.converted_numbers import filled_at_once

CONSTANT: tuple[Fill, ...] = ("zeros", "ones", "full")
RANDOM: tuple[Fill, ...] = ("randn", "rand")

_FLOATING = frozenset(f"torch.{kind}Tensor" for kind in ("", "Float", "Double", "Half"))


def fills_of_class(name: str) -> tuple[Fill, ...]:
    """The ways of filling that can be told together with the sizes: ``"torch.LongTensor"``."""
    if name == "torch.LongTensor":
        return (*CONSTANT, "randint")
    return (*CONSTANT, *RANDOM) if name in _FLOATING else CONSTANT


def receiver_of_new(call: ast.Call, facts: Facts) -> ast.expr | None:
    """``x`` of ``x.new(…)``, where it is certainly a tensor.

    ``Variable(x.data.new(2).zero_())`` shows it: nothing else was wrapped.
    """
    function = call.func
    if not (isinstance(function, ast.Attribute) and function.attr == "new"):
        return None
    made = function.value
    is_data = isinstance(made, ast.Attribute) and made.attr == "data"
    is_wrapped = is_data and isinstance(facts.value(made), Unknown) and _is_wrapped(call, facts)
    return made if is_wrapped or facts.is_tensor(made) else None


def has_twin_that_stays(call: ast.Call, facts: Facts) -> bool:
    """Whether the function does the same with what is not known to be a tensor.

    ``y.data.new(y.size())`` beside ``x.data.new(x.size())``: one alone would be written otherwise.
    """
    function, form = facts.names.enclosing_function(call), nameless(call, call)
    for new in facts.names.attributes("new"):
        other = facts.parent(new)
        if not isinstance(other, ast.Call) or other.func is not new or other is call:
            continue
        if facts.names.enclosing_function(other) is not function or nameless(other, other) != form:
            continue
        is_unknown = isinstance(facts.value(new.value), Unknown) and facts.name(new) is None
        if is_unknown and receiver_of_new(other, facts) is None:
            return True
    return False


def _is_wrapped(call: ast.Call, facts: Facts) -> bool:
    """Whether a call, or the last of those that follow it, is what ``Variable`` is given.

    ``it = x.data.new(2).zero_()`` is it, too, where ``Variable(it)`` stands below.
    """
    whole = _last_of_chain(call, facts)
    made = facts.parent(whole)
    if not isinstance(made, ast.Assign) or [type(t) for t in made.targets] != [ast.Name]:
        return _is_given_to_variable(whole, facts)
    return any(
        [binding.node for binding in facts.flow.reaching(use)] == [made]
        and facts.statement(use) in facts.block(made)
        and _is_given_to_variable(_last_of_chain(use, facts), facts)
        and _runs_with_statement(use, facts)
        for target in made.targets
        if isinstance(target, ast.Name)
        for use in facts.names.uses_of(facts.names.scope_of(made), target.id)
    )


def _last_of_chain(node: ast.expr, facts: Facts) -> ast.expr:
    """The last of the methods that are called on an expression: ``x.long().zero_()`` of ``x``."""
    whole, around = node, facts.parent(node)
    while isinstance(around, ast.Attribute) or (
        isinstance(around, ast.Call) and around.func is whole
    ):
        whole, around = around, facts.parent(around)
    return whole


def _is_given_to_variable(whole: ast.expr, facts: Facts) -> bool:
    wrapper = wrapper_around(whole, facts)
    return wrapper is not None and wrapper is facts.parent(whole) and wrapper.args[:1] == [whole]


def _runs_with_statement(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is computed whenever its statement is: in no ``a if b else c``."""
    around = facts.parent(node)
    while isinstance(around, (ast.Attribute, ast.Call, ast.Subscript)):
        around = facts.parent(around)
    return isinstance(around, (ast.Assign, ast.Expr, ast.Return))


def imitates(chain: Chain, receiver: ast.expr, facts: Facts) -> bool:
    """Whether ``x.new(x.size())`` is like ``x`` in all: ``torch.zeros_like(x)``.

    That one has the layout of ``x``, too, in whose order ``randn_like`` draws: ``x`` has to lie in
    memory as ``new`` does it.
    """
    value, like = facts.value(receiver), _measured(chain)
    if not isinstance(value, Tensor) or not value.contiguous or like is None:
        return False
    return _without_data(like) == _without_data(receiver)


def _measured(chain: Chain) -> ast.expr | None:
    """The tensor whose whole size is given: ``y`` of ``x.new(y.size())``."""
    given = chain.calls[chain.sizes].args[0]
    if chain.given == "like":
        return given
    given = given.func if isinstance(given, ast.Call) and not given.args else given
    is_query = isinstance(given, ast.Attribute) and given.attr in ("size", "shape")
    return given.value if isinstance(given, ast.Attribute) and is_query else None


def _without_data(tensor: ast.expr) -> str:
    """The code of ``x``, of ``x.data`` as well."""
    is_data = isinstance(tensor, ast.Attribute) and tensor.attr == "data"
    return ast.dump(tensor.value if isinstance(tensor, ast.Attribute) and is_data else tensor)


def chain_of_new(call: ast.Call, receiver: ast.expr, facts: Facts) -> Chain | None:
    """What becomes of ``x.new(…)``; None where what it is given is not certain."""
    chain = chain_of(call, facts, (*CONSTANT, *RANDOM), may_be_sparse=True)
    if chain is not None and chain.fill in RANDOM and not imitates(chain, receiver, facts):
        chain = chain_of(call, facts, CONSTANT, may_be_sparse=True)
    return None if chain is None else filled_at_once(chain, facts, makes_floats=False)


def factory_of_new(chain: Chain, receiver: ast.expr, facts: Facts) -> Factory | None:
    """What makes the same as ``x.new(…)``: ``x.new_zeros``, or ``torch.zeros_like``."""
    if chain.given == "array":
        # ``new`` shares the memory of the array, ``new_tensor`` copies it.
        return None
    if chain.given == "list":
        return Factory("new_tensor")
    like = f"torch.{chain.fill}_like"
    if chain.fill in RANDOM:
        return Factory(like)
    if chain.fill in ("zeros", "ones") and chain.cast is None and imitates(chain, receiver, facts):
        # An import for it alone is none for the better.
        spelled = spell(facts, like, receiver)
        if spelled is not None and not spelled.needs:
            return Factory(like)
    dtype = None if chain.cast is None else dtype_of_cast(chain.cast)
    return Factory(f"new_{chain.fill or 'empty'}", dtype)


def calls_of_named_new(node: ast.Assign, facts: Facts) -> list[tuple[ast.Call, Chain, Factory]]:
    """The calls of ``new`` below ``new = x.data.new``, each with what it makes by a method of x.

    None of them where one is not certain, does something else or may see another x.
    """
    method, target = node.value, node.targets[0]
    if not isinstance(method, ast.Attribute) or method.attr != "new" or len(node.targets) != 1:
        return []
    held = method.value
    is_data = isinstance(held, ast.Attribute) and held.attr == "data"
    tensor = held.value if is_data and isinstance(held, ast.Attribute) else held
    scope = facts.names.scope_of(node)
    if not (isinstance(target, ast.Name) and isinstance(tensor, ast.Name)):
        return []
    if scope.kind != "function" or len(scope.bindings.get(target.id, ())) != 1:
        return []
    if not facts.is_tensor(held) or not stands_alone(facts, node):
        return []
    if "#" in facts.lines[(node.end_lineno or node.lineno) - 1]:
        return []
    uses = [*facts.names.uses_of(scope, target.id)]
    made = [_made_by_name(use, tensor, facts) for use in uses]
    return [each for each in made if each is not None] if None not in made else []


def _made_by_name(
    use: ast.Name, tensor: ast.Name, facts: Facts
) -> tuple[ast.Call, Chain, Factory] | None:
    """What ``new(n).zero_()`` makes, where ``tensor`` still is what it was above."""
    call, statement = facts.parent(use), facts.statement(use)
    if not isinstance(call, ast.Call) or call.func is not use:
        return None
    bound = {*facts.flow.reaching(tensor)}
    if facts.names.scope_of(use) is not facts.names.scope_of(tensor):
        return None
    if {*facts.flow.reaching_before(statement, tensor.id)} != bound:
        return None
    chain = None if is_to_be_unwrapped(call, facts) else chain_of_new(call, tensor, facts)
    factory = None if chain is None else factory_of_new(chain, tensor, facts)
    if chain is None or factory is None or not factory.function.startswith("new_"):
        return None
    return call, chain, replace(factory, function=f"{tensor.id}.{factory.function}")


def spelled(name: str | None, place: ast.expr, facts: Facts) -> Spelling | None:
    """How to write a name of torch; methods, and what is not wanted, need no spelling.

    Args:
        name: the qualified name, or a method.
        place: where it is to be written.
        facts: the facts of the module.
    """
    if name is None or not name.startswith("torch."):
        return Spelling(name or "")
    return spell(facts, name, place)
