"""Functions of autograd with instance methods, and how they are written with static ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.torch_api import FUNCTION_BASES
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.kept_outputs import Kept, kept_outputs
from torchfix_codemods.rules.autograd.questions.returned_gradients import (
    counts_gradients,
    named_gradients,
)

#: What a legacy function offers to its methods, and ``ctx`` as well.
_OF_CONTEXT = frozenset(
    """save_for_backward saved_tensors saved_variables needs_input_grad mark_dirty
    mark_non_differentiable""".split()
)

_METHODS = frozenset({"__init__", "forward", "backward"})

#: What may have an effect, or another result when it is evaluated later.
ACTIVE = (ast.Call, ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.ListComp)


@record
class Plan:
    """How a class is rewritten."""

    selves: dict[str, str]
    """The first parameter of each method."""
    parameters: tuple[ast.arg, ...]
    """Those of the constructor."""
    defaults: tuple[ast.expr, ...]
    inputs: int | None
    """How many arguments ``forward`` takes; None: any number."""
    input_defaults: tuple[ast.expr, ...]
    superseded: frozenset[str]
    """What the constructor sets to a constant that ``forward`` sets anew."""
    named_gradients: dict[str, int]
    """How many gradients each name holds that ``backward`` returns: ``grads = (dx, dy)``."""
    kept: Kept
    """What becomes of what ``forward`` keeps of its results."""
    keeps_state: bool
    """Whether a call sees what an earlier one of the same object left: ``self.steps += 1``."""

    @property
    def keeps_defaults(self) -> bool:
        """Whether those of ``forward`` can stay in front of what the constructor takes."""
        return len(self.defaults) == len(self.parameters)


def is_legacy(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether a class is a function whose ``forward`` is a method of its objects."""
    if len(node.bases) != 1 or facts.name(node.bases[0]) not in FUNCTION_BASES:
        return False
    forward = methods_of(node).get("forward")
    return forward is not None and not _is_static(forward, facts)


def is_of_context(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is the ``ctx`` of a static method of a function."""
    method = facts.names.enclosing_function(node)
    owner = None if method is None else facts.parent(method)
    if not isinstance(method, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
        return False
    if not _is_static(method, facts) or not isinstance(node, ast.Name):
        return False
    is_function = any(facts.name(base) in FUNCTION_BASES for base in owner.bases)
    return is_function and node.id == _first_parameter(method)


def context_name(node: ast.ClassDef) -> str:
    """What ``forward`` calls the object that it is a method of."""
    return _first_parameter(methods_of(node)["forward"]) or "self"


def methods_of(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """The methods of a class, by name."""
    return {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}


def _first_parameter(method: ast.FunctionDef) -> str | None:
    return method.args.args[0].arg if method.args.args else None


def _is_static(method: ast.FunctionDef, facts: Facts) -> bool:
    return any(facts.segment(d) in ("staticmethod", "classmethod") for d in method.decorator_list)


def plan_of(facts: Facts, node: ast.ClassDef) -> Plan | None:
    """How a legacy function is written with static methods; None where that is not certain."""
    methods = methods_of(node)
    constructor, forward = methods.get("__init__"), methods["forward"]
    statements = [s for s in node.body if not isinstance(s, ast.FunctionDef)]
    if set(methods) - _METHODS or not all(isinstance(s, (ast.Expr, ast.Pass)) for s in statements):
        return None
    if node.decorator_list or any(m.decorator_list or not m.args.args for m in methods.values()):
        return None
    if not all(_is_plain(method, facts) for method in methods.values()):
        return None
    selves = {name: m.args.args[0].arg for name, m in methods.items()}
    parameters = tuple(constructor.args.args[1:]) if constructor is not None else ()
    inputs = None if forward.args.vararg is not None else len(forward.args.args) - 1
    if (parameters and inputs is None) or not _uses_context_only(methods, selves):
        return None
    if constructor is not None:
        if constructor.args.vararg or not _only_stores(node, constructor, forward, facts):
            return None
    backward = methods.get("backward")
    if parameters and backward is not None and not counts_gradients(backward, inputs, facts):
        return None
    kept = kept_outputs(facts, methods)
    if kept.left is not None:
        return None
    named = {} if backward is None else dict(named_gradients(backward, facts))
    defaults = tuple(constructor.args.defaults) if constructor is not None else ()
    superseded = frozenset(_superseded(constructor, forward, selves) if constructor else ())
    given = tuple(forward.args.defaults)
    keeps_state = constructor is not None and _keeps_state(methods, selves, superseded)
    return Plan(selves, parameters, defaults, inputs, given, superseded, named, kept, keeps_state)


def _is_plain(method: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a method takes no more than ``self, x, y=None, *args``, and has lines of its own."""
    arguments = method.args
    if arguments.posonlyargs or arguments.kwonlyargs or arguments.kwarg:
        return False
    first = method.body[0]
    above = facts.lines[first.lineno - 1].encode("utf-8")[: first.col_offset]
    return not above.strip() and not _is_docstring(method.body[-1])


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _uses_context_only(methods: dict[str, ast.FunctionDef], selves: dict[str, str]) -> bool:
    """Whether methods use their object for what ``ctx`` can do: keep values, save tensors."""
    for name, method in methods.items():
        for node in ast.walk(method):
            if isinstance(node, ast.Name) and node.id == "ctx" != selves[name]:
                return False
            if isinstance(node, ast.arg) and node is not method.args.args[0] and node.arg == "ctx":
                return False
    used = _attributes(methods, selves)
    if used is None:
        return False
    read, stored = used
    return read <= stored | _OF_CONTEXT and not stored & _OF_CONTEXT


def _attributes(
    methods: dict[str, ast.FunctionDef], selves: dict[str, str]
) -> tuple[set[str], set[str]] | None:
    """What methods read and store of their object; None where they do more with it."""
    stored: set[str] = set()
    read: set[str] = set()
    for name, method in methods.items():
        seen = 0
        for node in ast.walk(method):
            if isinstance(node, ast.arg) and node is not method.args.args[0]:
                if node.arg == selves[name]:
                    return None
            if isinstance(node, ast.Name) and node.id == selves[name]:
                seen += 1 if not isinstance(node.ctx, ast.Load) else 0
                seen += 1
            if isinstance(node, ast.Attribute) and _is_name(node.value, selves[name]):
                seen -= 1
                (read if isinstance(node.ctx, ast.Load) else stored).add(node.attr)
        if name == "__init__":
            seen -= sum(_names_in_super(s, selves[name]) for s in method.body if is_super_call(s))
            read -= {"__init__"}
        if seen:
            return None
    return read, stored


def is_object(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether a legacy function has no gradient, and nothing of a function but that it is called.

    Its objects give the same where the class has no base, and ``__call__`` for ``forward``.
    """
    methods = methods_of(node)
    if "backward" in methods or "__call__" in methods or node.decorator_list or node.keywords:
        return False
    if any(method.decorator_list or not method.args.args for method in methods.values()):
        return False
    selves = {name: method.args.args[0].arg for name, method in methods.items()}
    used = _attributes(methods, selves)
    if used is None or not all(isinstance(s, _PARTS_OF_CLASS) for s in node.body):
        return False
    constructor = methods.get("__init__")
    if constructor is not None and any(
        is_super_call(s) and not _calls_base(s, facts) for s in constructor.body
    ):
        return False
    read, stored = used
    return read <= stored | set(facts.names.scopes[node].bindings)


_PARTS_OF_CLASS = (ast.FunctionDef, ast.Assign, ast.Expr, ast.Pass)


def is_super(node: ast.expr, facts: Facts) -> bool:
    """``super(F, self)`` and ``super()``."""
    return isinstance(node, ast.Call) and facts.names.builtin(node.func) == "super"


def _calls_base(statement: ast.stmt, facts: Facts) -> bool:
    """``super(F, self).__init__()`` and ``super().__init__()``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    return is_super(call.func.value, facts)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def is_super_call(statement: ast.stmt) -> bool:
    """``super(F, self).__init__()``, ``super().__init__()``, ``Function.__init__(self)``."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "__init__"
    )


def _names_in_super(statement: ast.stmt, name: str) -> int:
    return sum(_is_name(node, name) for node in ast.walk(statement))


def _only_stores(
    node: ast.ClassDef, constructor: ast.FunctionDef, forward: ast.FunctionDef, facts: Facts
) -> bool:
    """Whether a constructor can run at the start of ``forward`` just as well."""
    parameters = {a.arg for a in constructor.args.args[1:]}
    if parameters & _names_taken(forward, facts):
        return False
    for statement in constructor.body:
        if isinstance(statement, ast.Pass) or is_super_call(statement):
            continue
        if not isinstance(statement, ast.Assign):
            return False
        if not all(_is_own_attribute(t, constructor) for t in statement.targets):
            return False
        if not _is_made_of(statement.value, parameters, facts):
            return False
    return True


def _superseded(
    constructor: ast.FunctionDef, forward: ast.FunctionDef, selves: dict[str, str]
) -> Iterator[str]:
    """The attributes that a constructor sets in vain, as ``forward`` certainly sets them first."""
    for statement in constructor.body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
            continue
        (target, *others) = statement.targets
        if not others and isinstance(target, ast.Attribute):
            if _is_set_first(forward, selves["forward"], target.attr):
                yield target.attr


def _keeps_state(
    methods: dict[str, ast.FunctionDef], selves: dict[str, str], superseded: frozenset[str]
) -> bool:
    """Whether a call sees what the one before left: what the constructor sets is set again."""
    stored = {}
    for name, method in methods.items():
        used = _attributes({name: method}, selves)
        stored[name] = used[1] if used is not None else set()
    set_again = set().union(*(names for name, names in stored.items() if name != "__init__"))
    return bool(set_again & stored["__init__"] - superseded)


def _is_set_first(forward: ast.FunctionDef, own: str, attribute: str) -> bool:
    for statement in forward.body:
        nodes = [*ast.walk(statement)]
        uses = [
            n
            for n in nodes
            if isinstance(n, ast.Attribute) and n.attr == attribute and _is_name(n.value, own)
        ]
        if uses:
            is_set = isinstance(statement, ast.Assign) and uses[0] in statement.targets
            return is_set and len(uses) == 1
        if any(isinstance(node, ast.Return) for node in nodes):
            return False
    return False


def _names_taken(forward: ast.FunctionDef, facts: Facts) -> set[str]:
    """The names that a further parameter of ``forward`` cannot have.

    One that ``forward`` assigns to is free: nothing can read it before.
    """
    bindings = facts.names.scopes[forward].bindings
    own = {n for n, all_of in bindings.items() if all(b.kind != "parameter" for b in all_of)}
    inside = {n.id for n in ast.walk(forward) if isinstance(n, ast.Name)} - own
    return inside | {a.arg for a in ast.walk(forward) if isinstance(a, ast.arg)}


def _is_made_of(value: ast.expr, parameters: set[str], facts: Facts) -> bool:
    """Whether a value hangs on parameters alone, and comes to the same a little later."""
    for part in ast.walk(value):
        if isinstance(part, ast.Call) and _is_conversion(part.func, facts) and not part.keywords:
            continue
        if isinstance(part, ACTIVE):
            return False
        if isinstance(part, ast.Name) and part.id not in parameters:
            # What the constructor finds outside may be something else by then.
            if not _is_conversion(part, facts):
                return False
    return True


def _is_conversion(function: ast.expr, facts: Facts) -> bool:
    """``int``, ``float`` and the like, which give the same whenever they are called."""
    return facts.names.builtin(function) in ("int", "float", "bool", "str")


def _is_own_attribute(target: ast.expr, constructor: ast.FunctionDef) -> bool:
    if isinstance(target, ast.Tuple):
        return all(_is_own_attribute(t, constructor) for t in target.elts)
    return isinstance(target, ast.Attribute) and _is_name(
        target.value, constructor.args.args[0].arg
    )
