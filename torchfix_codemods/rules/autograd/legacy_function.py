"""Functions of autograd have static methods and are called by `apply`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import with_argument_added
from torchfix_codemods.edit.below import changed_below
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.names import own_nodes
from torchfix_codemods.facts.uses import uses_of
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_BASES = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})

#: What a legacy function offers to its methods, and ``ctx`` as well.
_OF_CONTEXT = frozenset(
    """save_for_backward saved_tensors saved_variables needs_input_grad mark_dirty
    mark_non_differentiable""".split()
)

_METHODS = frozenset({"__init__", "forward", "backward"})

#: What may have an effect, or another result when it is evaluated later.
_ACTIVE = (ast.Call, ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.ListComp)

_MODULE_OF_TORCH = "torch.nn.parallel._functions"
#: Functions of torch that projects made and called.
_OF_TORCH = ("Broadcast", "Gather", "ReduceAddCoalesced", "Scatter")


class LegacyFunction(Rule):
    """
    ## What it does
    Makes `forward` and `backward` of a `torch.autograd.Function` static methods that get a `ctx`
    in the place of `self`, and calls the function by `apply`. What the constructor was given
    becomes further arguments of `forward`; `backward` returns None for each of them.

    ## Why
    Functions with instance methods fail since torch 1.5: "Legacy autograd function with non-static
    forward method is deprecated".

    ## Example
    ```python
    class Scale(Function):
        def __init__(self, factor):
            super(Scale, self).__init__()
            self.factor = factor

        def forward(self, x):
            return x * self.factor

        def backward(self, grad):
            return grad * self.factor

    y = Scale(3)(x)
    ```
    becomes
    ```python
    class Scale(Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * ctx.factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    y = Scale.apply(x, 3)
    ```

    ## Numbers
    Restored: the code fails today; afterwards values and gradients are those of the old torch. A
    second derivative, which the old torch refused, is now taken through `backward`.

    ## When it stays its hand
    The class and all of its calls change together, or neither does. A finding says what to write
    where another file uses the class, where an object of it is kept together with arguments of its
    constructor, where the constructor does more than to store what it was given, where methods
    read what is not set in them, and where it is not certain how many gradients `backward`
    returns. A class that is called by `apply` already is not touched. Of functions of torch itself
    that are made and called, such as `Broadcast(ids)(x)`, there is a finding.

    ## References
    - https://pytorch.org/docs/stable/notes/extending.html#extending-torch-autograd
    - https://github.com/pytorch/pytorch/pull/22983
    """

    code = "TP107"
    name = "legacy-function"
    since = "0.2"
    numerics = Numerics.RESTORED
    words = frozenset({"Function", *_OF_TORCH})
    message = "forward and backward of a function are static methods with ctx, called by apply"

    def find_ClassDef(self, node: ast.ClassDef, facts: Facts) -> Iterator[Found]:
        if len(node.bases) != 1 or facts.name(node.bases[0]) not in _BASES:
            return
        methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        forward = methods.get("forward")
        if forward is None or _is_static(forward, facts):
            return
        uses = _uses(node, facts)
        if any(_is_applied(use, facts) for use in uses):
            return
        plan = _plan(node, methods, facts)
        calls = None if plan is None else _calls(node, plan, uses, facts)
        if plan is None or calls is None:
            own = _first_parameter(forward) or "self"
            context = "" if own == "ctx" else f", ctx for {own},"
            yield self.advice(
                node,
                "torch 1.5 took away functions whose forward is no static method: write "
                f"@staticmethod{context} and {node.name}.apply(...) for {node.name}(...)(...)",
            )
            return
        group = f"class in line {node.lineno}"
        yield self.found(node, group=group, plan=plan)
        for call in calls:
            yield self.found(call.node, group=group, call=call)

    def find_Call(self, made: ast.Call, facts: Facts) -> Iterator[Found]:
        call = facts.parent(made)
        if not isinstance(call, ast.Call) or call.func is not made:
            return
        module, _, function = (facts.name(made.func) or "").rpartition(".")
        if module == _MODULE_OF_TORCH and function in _OF_TORCH:
            yield self.advice(
                call,
                f"torch 1.5 took away functions that are made first: write {function}.apply(...) "
                f"for {function}(...)(...), with what its forward takes",
            )

    def leave_ClassDef(self, original: cst.ClassDef, updated: cst.ClassDef) -> cst.ClassDef:
        plan: _Plan = self.data["plan"]
        methods = {m.name.value: m for m in updated.body.body if isinstance(m, cst.FunctionDef)}
        constructor = methods.get("__init__")
        body: list[cst.BaseStatement | cst.BaseSmallStatement] = []
        freed: Sequence[cst.EmptyLine] | None = None
        for statement in updated.body.body:
            if statement is constructor:
                freed = constructor.leading_lines
                continue
            if isinstance(statement, cst.FunctionDef):
                statement = _static(statement, plan, constructor)
                if freed is not None and not any(line.comment for line in statement.leading_lines):
                    statement = statement.with_changes(leading_lines=freed)
                freed = None
            body.append(statement)
        return updated.with_changes(body=updated.body.with_changes(body=body))

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        call: _Call = self.data["call"]
        if call.given is None:
            return cst.Attribute(
                updated.func, cst.Name("apply"), lpar=updated.lpar, rpar=updated.rpar
            )
        if not isinstance(updated.func, cst.Call):
            return updated
        built = updated.func
        given = [
            cst.Arg(built.args[part].value if isinstance(part, int) else cst.parse_expression(part))
            for part in call.given
        ]
        for argument in given:
            updated = with_argument_added(updated, argument)
        return updated.with_changes(func=cst.Attribute(built.func, cst.Name("apply")))


# Deciding


@dataclass(frozen=True)
class _Plan:
    """How a class is rewritten."""

    selves: dict[str, str]
    """The first parameter of each method."""
    parameters: tuple[ast.arg, ...]
    """Those of the constructor."""
    defaults: tuple[ast.expr, ...]
    inputs: int | None
    """How many arguments ``forward`` takes; None: any number."""
    input_defaults: tuple[ast.expr, ...]

    @property
    def keeps_defaults(self) -> bool:
        """Whether those of ``forward`` can stay in front of what the constructor takes."""
        return len(self.defaults) == len(self.parameters)


@dataclass(frozen=True)
class _Call:
    """How a use of a class is rewritten."""

    node: ast.Call
    given: tuple[int | str, ...] | None = None
    """What ``apply`` gets beside the inputs: arguments of the constructor by their place, or the
    text of a default; None where only the object is made."""


def _first_parameter(method: ast.FunctionDef) -> str | None:
    return method.args.args[0].arg if method.args.args else None


def _is_static(method: ast.FunctionDef, facts: Facts) -> bool:
    return any(facts.segment(d) in ("staticmethod", "classmethod") for d in method.decorator_list)


def _uses(node: ast.ClassDef, facts: Facts) -> list[ast.Name]:
    return list(facts.names.uses_of(facts.names.scope_of(node), node.name))


def _is_applied(use: ast.Name, facts: Facts) -> bool:
    parent = facts.parent(use)
    return isinstance(parent, ast.Attribute) and parent.attr == "apply"


def _plan(node: ast.ClassDef, methods: dict[str, ast.FunctionDef], facts: Facts) -> _Plan | None:
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
    if parameters and backward is not None and not _counts_gradients(backward, inputs, facts):
        return None
    defaults = tuple(constructor.args.defaults) if constructor is not None else ()
    return _Plan(selves, parameters, defaults, inputs, tuple(forward.args.defaults))


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
    stored: set[str] = set()
    read: set[str] = set()
    for name, method in methods.items():
        seen = 0
        for node in ast.walk(method):
            if isinstance(node, ast.arg) and node is not method.args.args[0]:
                if node.arg in (selves[name], "ctx"):
                    return False
            if isinstance(node, ast.Name) and node.id == "ctx" != selves[name]:
                return False
            if isinstance(node, ast.Name) and node.id == selves[name]:
                seen += 1 if not isinstance(node.ctx, ast.Load) else 0
                seen += 1
            if isinstance(node, ast.Attribute) and _is_name(node.value, selves[name]):
                seen -= 1
                (read if isinstance(node.ctx, ast.Load) else stored).add(node.attr)
        if name == "__init__":
            seen -= sum(_names_in_super(s, selves[name]) for s in method.body if _is_super(s))
            read -= {"__init__"}
        if seen:
            return False
    return read <= stored | _OF_CONTEXT and not stored & _OF_CONTEXT


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_super(statement: ast.stmt) -> bool:
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
    inside = {n.id for n in ast.walk(forward) if isinstance(n, ast.Name)}
    inside |= {a.arg for a in ast.walk(forward) if isinstance(a, ast.arg)}
    if parameters & inside:
        return False
    for statement in constructor.body:
        if isinstance(statement, ast.Pass) or _is_super(statement):
            continue
        if not isinstance(statement, ast.Assign):
            return False
        if not all(_is_own_attribute(t, constructor) for t in statement.targets):
            return False
        for part in ast.walk(statement.value):
            if isinstance(part, _ACTIVE):
                return False
            if isinstance(part, ast.Name) and part.id not in parameters:
                # What the constructor finds outside may be something else by then.
                return False
    return True


def _is_own_attribute(target: ast.expr, constructor: ast.FunctionDef) -> bool:
    if isinstance(target, ast.Tuple):
        return all(_is_own_attribute(t, constructor) for t in target.elts)
    return isinstance(target, ast.Attribute) and _is_name(
        target.value, constructor.args.args[0].arg
    )


def _counts_gradients(backward: ast.FunctionDef, inputs: int | None, facts: Facts) -> bool:
    """Whether each ``return`` certainly gives one gradient for each input."""
    for node in own_nodes(backward):
        if not isinstance(node, ast.Return):
            continue
        if isinstance(node.value, ast.Tuple):
            if any(isinstance(item, ast.Starred) for item in node.value.elts):
                return False
        elif inputs != 1 or node.value is None or not _is_gradient(node.value, backward, facts):
            return False
    return True


def _is_gradient(node: ast.expr, backward: ast.FunctionDef, facts: Facts, depth: int = 0) -> bool:
    """Whether an expression of ``backward`` is certainly one tensor, or None."""
    if depth > 8:
        return False
    if facts.is_tensor(node) or (isinstance(node, ast.Constant) and node.value is None):
        return True
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return any(_is_gradient(side, backward, facts, depth + 1) for side in sides)
    if isinstance(node, ast.UnaryOp):
        return _is_gradient(node.operand, backward, facts, depth + 1)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_method = node.func.attr in _GIVE_TENSORS
        return is_method and _is_gradient(node.func.value, backward, facts, depth + 1)
    if not isinstance(node, ast.Name):
        return False
    if all(binding.kind == "parameter" for binding in facts.flow.reaching(node)):
        return any(a.arg == node.id for a in backward.args.args[1:])
    values = facts.assigned(node)
    return values is not None and all(
        _is_gradient(value, backward, facts, depth + 1) for value in values
    )


_GIVE_TENSORS = frozenset(
    """clone mul mul_ mm matmul bmm neg neg_ t view view_as expand_as sum contiguous div div_ add
    add_ sub sub_ masked_fill masked_fill_ type type_as float cuda cpu data detach""".split()
)


def _calls(
    node: ast.ClassDef, plan: _Plan, uses: Sequence[ast.Name], facts: Facts
) -> list[_Call] | None:
    """How the uses of a class are rewritten; None where one of them cannot be."""
    if _is_needed_elsewhere(node.name, facts):
        return None
    holder = facts.names.scope_of(node)
    if len(holder.bindings[node.name]) != 1:
        return None
    result = []
    for use in uses:
        if node in facts.names.ancestors(use) and _is_super(facts.statement(use)):
            continue
        built = facts.parent(use)
        if not isinstance(built, ast.Call) or built.func is not use:
            return None
        called = facts.parent(built)
        if isinstance(called, ast.Call) and called.func is built:
            given = _given(called, built, plan)
            if given is None:
                return None
            result.append(_Call(called, given))
        elif built.args or built.keywords or not _is_only_called(built, facts):
            return None
        else:
            result.append(_Call(built))
    return result


def _is_needed_elsewhere(name: str, facts: Facts) -> bool:
    """Whether another file may do more with a class than to import it."""
    if not facts.is_used_elsewhere(name):
        return False
    files = None if facts.files is None else facts.files.mentioning(name)
    return files is None or any(_uses_name(file.facts, name) for file in files)


def _uses_name(there: Facts | None, name: str) -> bool:
    if there is None:
        return True
    aliases = (
        alias
        for kind in (ast.Import, ast.ImportFrom)
        for node in there.names.nodes.get(kind, ())
        if isinstance(node, kind)
        for alias in node.names
    )
    return (
        bool(there.names.scopes_using(name))
        or bool(there.names.attributes(name))
        or any(a.name == name and a.asname not in (None, name) for a in aliases)
    )


def _given(called: ast.Call, built: ast.Call, plan: _Plan) -> tuple[int | str, ...] | None:
    """What ``apply`` gets for the arguments of the constructor."""
    if called.keywords or any(isinstance(a, ast.Starred) for a in built.args):
        return None
    names = [a.arg for a in plan.parameters]
    places: dict[str, int] = dict(zip(names, range(len(built.args)), strict=False))
    for index, keyword in enumerate(built.keywords, len(built.args)):
        if keyword.arg is None or keyword.arg not in names:
            return None
        places[keyword.arg] = index
    if len(built.args) > len(names) or len(places) < len(names) - len(plan.defaults):
        return None
    result: list[int | str] = []
    if places or not plan.keeps_defaults:
        filled = _defaults_of_inputs(called, plan)
        if filled is None:
            return None
        result += filled
    if _is_active(built.args, built.keywords) and _is_active(called.args):
        # They would be evaluated the other way round.
        return None
    for index, name in enumerate(names):
        if not any(later in places for later in names[index:]):
            break
        if name in places:
            result.append(places[name])
            continue
        default = plan.defaults[index - len(names)]
        if not isinstance(default, ast.Constant):
            return None
        result.append(ast.unparse(default))
    return tuple(result)


def _defaults_of_inputs(called: ast.Call, plan: _Plan) -> list[str] | None:
    """The defaults of ``forward`` that a call relies on; None where they cannot be written."""
    missing = (plan.inputs or 0) - len(called.args)
    if any(isinstance(a, ast.Starred) for a in called.args):
        return None
    if missing < 0 or missing > len(plan.input_defaults):
        return None
    filled = plan.input_defaults[len(plan.input_defaults) - missing :]
    if not all(isinstance(default, ast.Constant) for default in filled):
        return None
    return [ast.unparse(default) for default in filled]


def _is_active(args: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()) -> bool:
    """Whether evaluating arguments may have effects."""
    given = [*args, *(keyword.value for keyword in keywords)]
    return any(isinstance(node, _ACTIVE) for root in given for node in ast.walk(root))


def _is_only_called(built: ast.Call, facts: Facts) -> bool:
    """Whether an object is stored in a name, or in an attribute, that is only ever called."""
    statement = facts.parent(built)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if isinstance(target, ast.Attribute):
        others = [a for a in facts.names.attributes(target.attr) if a is not target]
        return not facts.is_used_elsewhere(target.attr) and all(
            _is_called(other, facts) for other in others
        )
    if not isinstance(target, ast.Name):
        return False
    scope = facts.names.scope_of(target)
    found = scope.lookup(target.id)
    if found is None or len(found[1]) != 1:
        return False
    if found[0] is facts.names.module and facts.is_used_elsewhere(target.id):
        return False
    return all(_is_called(use, facts) for use in uses_of(facts, found[1][0]))


def _is_called(node: ast.expr, facts: Facts) -> bool:
    parent = facts.parent(node)
    return isinstance(parent, ast.Call) and parent.func is node and not parent.keywords


# Rewriting


def _static(
    method: cst.FunctionDef, plan: _Plan, constructor: cst.FunctionDef | None
) -> cst.FunctionDef:
    """A method with ``ctx``, and with what the constructor took and did in ``forward``."""
    name = method.name.value
    method = _with_context(method, plan.selves[name])
    if name == "forward" and constructor is not None:
        method = _with_parameters(method, plan, constructor)
        stores = _with_context(constructor, plan.selves["__init__"]).body
        assert isinstance(stores, cst.IndentedBlock)
        method = _with_statements(method, stores)
    elif name == "backward" and plan.parameters:
        method = method.with_changes(body=_with_gradients(method.body, plan))
    return method.with_changes(decorators=[cst.Decorator(cst.Name("staticmethod"))])


def _with_context(method: cst.FunctionDef, own: str) -> cst.FunctionDef:
    first, *others = method.params.params
    body = _through_context(method.body, own)
    params = method.params.with_changes(params=[first.with_changes(name=cst.Name("ctx")), *others])
    return method.with_changes(params=params, body=body)


def _through_context(body: cst.BaseSuite, own: str) -> cst.BaseSuite:
    """Read and store through ``ctx`` what was read and stored through ``self``."""

    def through(original: cst.Attribute, updated: cst.Attribute) -> cst.Attribute:
        if not isinstance(updated.value, cst.Name) or updated.value.value != own:
            return updated
        attr = updated.attr
        if attr.value == "saved_variables":
            attr = attr.with_changes(value="saved_tensors")
        return updated.with_changes(value=updated.value.with_changes(value="ctx"), attr=attr)

    return changed_below(body, cst.Attribute, through)


def _with_parameters(
    method: cst.FunctionDef, plan: _Plan, constructor: cst.FunctionDef
) -> cst.FunctionDef:
    own = list(method.params.params)
    if not plan.keeps_defaults:
        own = [p.with_changes(default=None, equal=cst.MaybeSentinel.DEFAULT) for p in own]
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    taken = [
        p.with_changes(comma=comma, whitespace_after_param=cst.SimpleWhitespace(""))
        for p in constructor.params.params[1:]
    ]
    if not taken:
        return method
    taken[-1] = taken[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    if not isinstance(own[-1].comma, cst.Comma):
        own[-1] = own[-1].with_changes(comma=comma)
    return method.with_changes(params=method.params.with_changes(params=[*own, *taken]))


def _is_assignment(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], cst.Assign
    )


def _with_statements(method: cst.FunctionDef, stores: cst.IndentedBlock) -> cst.FunctionDef:
    """``method`` with the assignments of a block at its start, below the docstring."""
    body = list(method.body.body)
    at = 1 if method.get_docstring() is not None else 0
    left = [line for line in stores.footer if line.comment is not None]
    if left:
        first = body[at]
        assert isinstance(first, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        body[at] = first.with_changes(leading_lines=[*left, *first.leading_lines])
    new = [statement for statement in stores.body if _is_assignment(statement)]
    return method.with_changes(body=method.body.with_changes(body=[*body[:at], *new, *body[at:]]))


def _with_gradients(body: cst.BaseSuite, plan: _Plan) -> cst.BaseSuite:
    """Return None for each argument that came from the constructor."""

    def with_nones(original: cst.Return, updated: cst.Return) -> cst.Return:
        value = updated.value
        assert value is not None
        missing = len(plan.parameters)
        if not isinstance(value, cst.Tuple):
            return updated.with_changes(
                value=cst.Tuple([cst.Element(value), *_nones(missing)], lpar=[], rpar=[])
            )
        missing += max(0, (plan.inputs or 0) - len(value.elements))
        last = value.elements[-1]
        elements = [*value.elements[:-1], last.with_changes(comma=cst.MaybeSentinel.DEFAULT)]
        return updated.with_changes(
            value=value.with_changes(elements=[*elements, *_nones(missing)])
        )

    return changed_below(body, cst.Return, with_nones, without=(cst.FunctionDef, cst.Lambda))


def _nones(number: int) -> list[cst.Element]:
    return [cst.Element(cst.Name("None")) for _ in range(number)]
