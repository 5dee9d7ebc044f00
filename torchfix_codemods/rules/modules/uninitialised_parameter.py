"""`nn.Parameter(torch.Tensor(n, m))` that nothing fills: it starts as whatever lay in memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number, Size
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_MAKERS = frozenset({"torch.Tensor", "torch.FloatTensor", "torch.cuda.FloatTensor", "torch.empty"})
#: What goes over all parameters of a module, whatever their names are.
_SWEEPING = frozenset(
    """parameters named_parameters _parameters modules named_modules children named_children apply
    load_state_dict getattr setattr vars __dict__ vector_to_parameters""".split()
)
#: What another file would have to say in order to fill parameters.
_FILLING = frozenset(
    """apply uniform_ normal_ fill_ zero_ copy_ xavier_uniform xavier_normal xavier_uniform_
    xavier_normal_ kaiming_uniform kaiming_normal kaiming_uniform_ kaiming_normal_ orthogonal
    orthogonal_ constant_ ones_ zeros_ trunc_normal_ sparse_ load_state_dict""".split()
)


class UninitialisedParameter(Rule):
    """
    ## What it does
    Finds parameters that are made of uninitialised memory and that nothing fills: no `nn.init`, no
    `reset_parameters`, no write in place.

    ## Why
    `torch.Tensor(n, m)` only takes memory, and what it holds depends on what lay there before: it
    is often zeros, now and then 1e-35 or nan. The model trains differently each time, or not at
    all.

    ## Example
    ```python
    self.W = nn.Parameter(torch.Tensor(n, m))
    ```
    is reported where nothing fills it: write
    ```python
    self.W = nn.Parameter(torch.empty(n, m))
    nn.init.xavier_uniform_(self.W)
    ```

    ## Numbers
    Nothing is rewritten: which numbers the parameter should start with only its author knows.

    ## When it stays its hand
    Where the attribute is written to, or given to anything but an operation of torch; where the
    file goes over parameters or modules in a loop, by `apply`, or loads a state; where the class
    has another base than `nn.Module`; where other files of the project could do so.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.empty.html
    - https://pytorch.org/docs/stable/nn.init.html
    """

    code = "TP411"
    name = "uninitialised-parameter"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"Parameter"})
    message = "nothing fills the parameter, which holds whatever lay in memory"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) not in ("torch.nn.Parameter", "torch.nn.parameter.Parameter"):
            return
        if len(call.args) != 1 or not _is_bare_memory(call.args[0], facts):
            return
        target = _attribute_of(call, facts)
        owner = facts.names.enclosing_class(call)
        if target is None or owner is None or not owner.bases:
            return
        if any(facts.name(base) != "torch.nn.Module" for base in owner.bases):
            return
        if _may_be_swept(facts) or not all(map(_Reader(facts).reads, _others(target, facts))):
            return
        sizes = call.args[0]
        assert isinstance(sizes, ast.Call)
        made = ", ".join(facts.segment(size) for size in sizes.args)
        name = facts.segment(target)
        init = "nn.init.zeros_" if len(sizes.args) == 1 else "nn.init.xavier_uniform_"
        yield self.advice(
            call,
            f"nothing fills {name}, which holds whatever lay in memory: write "
            f"{name} = nn.Parameter(torch.empty({made})), and {init}({name}) below it",
        )


def _is_bare_memory(node: ast.expr, facts: Facts) -> bool:
    """``torch.Tensor(n, m)``: certainly sizes, and not data."""
    if not isinstance(node, ast.Call) or facts.name(node.func) not in _MAKERS:
        return False
    if is_opaque(node) or not node.args:
        return False
    if len(node.args) > 1 or facts.name(node.func) == "torch.empty":
        return True
    return isinstance(facts.value(node.args[0]), (Number, Size))


def _attribute_of(call: ast.Call, facts: Facts) -> ast.Attribute | None:
    """``self.W`` of ``self.W = nn.Parameter(…)``."""
    statement = facts.parent(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
    return target if is_own and isinstance(target, ast.Attribute) else None


def _others(target: ast.Attribute, facts: Facts) -> list[ast.Attribute]:
    """All other places of the file that may speak of the attribute."""
    return [
        node
        for node in facts.names.nodes.get(ast.Attribute, ())
        if isinstance(node, ast.Attribute) and node.attr == target.attr and node is not target
    ]


def _may_be_swept(facts: Facts) -> bool:
    """Whether something may fill parameters without naming them, in this file or another."""
    if facts.remembered("sweeps", lambda: _sweeps(facts)):
        return True
    return facts.is_imported_elsewhere and any(map(facts.is_mentioned_elsewhere, _FILLING))


def _sweeps(facts: Facts) -> bool:
    names = facts.names.nodes
    return any(
        isinstance(node, ast.Name) and node.id in _SWEEPING for node in names.get(ast.Name, ())
    ) or any(
        isinstance(node, ast.Attribute)
        and node.attr in _SWEEPING
        and not _is_given_to_torch(node, facts)
        for node in names.get(ast.Attribute, ())
    )


def _is_given_to_torch(node: ast.Attribute, facts: Facts) -> bool:
    """``optim.Adam(net.parameters())``, ``clip_grad_norm_(net.parameters(), 1)``."""
    call = facts.parent(node)
    taker = facts.parent(call) if isinstance(call, ast.Call) else None
    return isinstance(taker, ast.Call) and (facts.name(taker.func) or "").startswith(
        ("torch.optim.", "torch.nn.utils.clip_grad")
    )


class _Reader:
    """Tells whether a parameter is only calculated with."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def reads(self, node: ast.expr) -> bool:
        parent = self._facts.parent(node)
        if isinstance(parent, ast.Attribute):
            call = self._facts.parent(parent)
            if isinstance(call, ast.Call) and call.func is parent:
                return not parent.attr.endswith("_") and self.reads(call)
            return self.reads(parent)
        if isinstance(parent, ast.Call):
            return self._is_read_by(parent)
        return isinstance(
            parent, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.FormattedValue, ast.Return, ast.Expr)
        )

    def _is_read_by(self, call: ast.Call) -> bool:
        name = self._facts.name(call.func)
        if name is not None:
            return name.startswith("torch.") and not name.startswith("torch.nn.init.")
        method = call.func
        return (
            isinstance(method, ast.Attribute)
            and not method.attr.endswith("_")
            and self._facts.is_tensor(method.value)
        )
