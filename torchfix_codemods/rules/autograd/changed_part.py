"""`q, k, v = x.chunk(3)` and `q *= 2`: torch 1.8 refuses to change the parts in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import bindings_by, uses_of
from torchfix_codemods.facts.programs.cut_off import is_cut_off
from torchfix_codemods.facts.programs.training import called_function
from torchfix_codemods.facts.recording.history import certainly_requires_grad
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values.lattice import WITHOUT_HISTORY, Module, Tensor, Unknown, Value
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.changed_in_place import change_by

_GIVE_PARTS = frozenset({"chunk", "split", "unbind"})

#: Layers whose weights give a graph to what they give, unless these are frozen.
_WITH_WEIGHTS = frozenset(f"torch.nn.{name}" for name in ("Linear", "Conv1d", "Conv2d", "Conv3d"))

_RAISES = "since 1.8 that raises where it has a graph"
_MAX_DEPTH = 3

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}


class ChangedPart(Rule):
    """
    ## What it does
    Finds what changes a part in place that `chunk`, `split` or `unbind` gave, in a model or of a
    tensor that certainly requires gradients.

    ## Why
    The parts are views of one tensor. To change one of them in place changed the graph of all;
    torch 1.5 warned of that, and since 1.8 it raises: "Output 0 of Split is a view and is being
    modified inplace". The attention of fairseq was written so, and what was made from it.

    ## Example
    ```python
    q, k, v = self.in_proj(query).chunk(3, dim=-1)
    q *= self.scaling
    ```
    is reported: write
    ```python
    q, k, v = self.in_proj(query).chunk(3, dim=-1)
    q = q * self.scaling
    ```

    ## Numbers
    Nothing is rewritten: the tensor that the parts are of keeps its numbers then, which matters
    where something else reads it.

    ## When it stays its hand
    Outside of models where nothing shows a graph, under `no_grad`, and where the parts have none;
    where the parts are kept in a list, or come from code of another file.

    ## References
    - https://pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
    - https://github.com/pytorch/pytorch/pull/41362
    """

    code = "TP120"
    name = "changed-part"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = _GIVE_PARTS
    message = "to change in place what chunk(), split() or unbind() gave raises since 1.8"

    def find_AugAssign(self, node: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        target, sign = node.target, _OPERATORS.get(type(node.op))
        if not isinstance(target, ast.Name) or sign is None:
            return
        for binding in facts.flow.reaching_before(node, target.id):
            giver = _giver(binding, facts)
            if giver is not None and _has_graph(node, binding, facts):
                value = ast.unparse(node.value)
                if isinstance(node.value, (ast.BinOp, ast.IfExp, ast.BoolOp, ast.Compare)):
                    value = f"({value})"
                new = f"write {target.id} = {target.id} {sign} {value}"
                fails = _certainly_has_graph(binding.value, facts)
                yield self.advice(node, _message(target.id, giver, new), fails=fails)
                return

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        """``bias.chunk(4)[1].fill_(1)``, which initializes a part."""
        part = facts.parent(node)
        if not isinstance(part, ast.Subscript) or part.value is not node:
            return
        change = change_by(part, facts) if _is_in_model(part, facts) else None
        giver = None if change is None else _gives_parts(node, facts)
        if change is not None and giver is not None and _may_need_graph(facts.value(part)):
            new = "put what initializes it under `with torch.no_grad():`"
            fails = _certainly_has_graph(node, facts)
            yield self.advice(change, _message(ast.unparse(part), giver, new), fails=fails)

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        """What becomes of ``q, k`` of ``q, k = x.chunk(2)``."""
        target = node.targets[0]
        if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(node.value, ast.Call):
            return
        for element in target.elts:
            if not isinstance(element, ast.Name):
                continue
            for binding in bindings_by(facts, node, element.id):
                giver = _giver(binding, facts)
                changes = () if giver is None else _changes(binding, facts)
                fails = _certainly_has_graph(binding.value, facts)
                for change in changes:
                    text = _message(element.id, giver or "", "compute a new tensor")
                    yield self.advice(change, text, fails=fails)


def _message(name: str, giver: str, new: str) -> str:
    return f"{name} is a part of what {giver}() gave: {_RAISES}: {new}"


def _has_graph(node: ast.AST, part: Binding, facts: Facts) -> bool:
    """Whether a part that code changes is one of a graph: in a model, or of what has gradients."""
    if _is_in_model(node, facts):
        return True
    call = part.value
    if not isinstance(call, ast.Call) or is_under_no_grad(node, facts):
        return False
    is_function = facts.name(call.func) is not None
    if not is_function and isinstance(call.func, ast.Attribute):
        return certainly_requires_grad(facts, call.func.value)
    return is_function and bool(call.args) and certainly_requires_grad(facts, call.args[0])


def _is_in_model(node: ast.AST, facts: Facts) -> bool:
    """Whether code runs in a model, where a graph is recorded."""
    method = facts.names.enclosing_function(node)
    owner = None if method is None else facts.parent(method)
    if not isinstance(owner, ast.ClassDef) or facts.classes.kind(owner) != "module":
        return False
    return not is_under_no_grad(node, facts)


def _certainly_has_graph(call: ast.expr | None, facts: Facts) -> bool:
    """Whether the parts are certainly of what requires gradients: a parameter, or what a layer
    with weights gave, which nothing freezes."""
    whole = _divided(call, facts)
    if whole is None:
        return False
    if certainly_requires_grad(facts, whole):
        return True
    layer = facts.value(whole.func) if isinstance(whole, ast.Call) else None
    is_trained = isinstance(layer, Module) and layer.cls in _WITH_WEIGHTS
    return is_trained and not facts.is_mentioned("requires_grad")


def _divided(call: ast.expr | None, facts: Facts) -> ast.expr | None:
    """``x`` of ``x.chunk(2)`` and ``torch.chunk(x, 2)``."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if facts.name(call.func) is None:
        return call.func.value if call.func.attr in _GIVE_PARTS else None
    return call.args[0] if call.args else None


def _giver(binding: Binding, facts: Facts) -> str | None:
    """``chunk`` where a name is bound to one of the parts that it gave, which may have a graph."""
    call = binding.value
    if binding.kind != "assign" or len(binding.path) != 1 or not isinstance(call, ast.Call):
        return None
    giver = _gives_parts(call, facts)
    if giver is None or not _may_need_graph(facts.inference.bound(binding)):
        return None
    return giver


def _may_need_graph(part: Value) -> bool:
    if isinstance(part, Tensor):
        return part.grad is not False and part.dtype not in WITHOUT_HISTORY
    return isinstance(part, Unknown)


def _gives_parts(call: ast.Call, facts: Facts, depth: int = 0) -> str | None:
    """``chunk`` of ``x.chunk(3)``, and of a function of the file which returns that.

    None where ``x`` was cut from its graph: ``weight.data.chunk(4)``.
    """
    whole = _divided(call, facts)
    assigned = facts.assigned(whole) if isinstance(whole, ast.Name) else None
    if whole is not None and all(map(is_cut_off, assigned or [whole])):
        return None
    name = facts.name(call.func)
    if name is not None:
        last = name.removeprefix("torch.")
        return last if last in _GIVE_PARTS else None
    if isinstance(call.func, ast.Attribute) and call.func.attr in _GIVE_PARTS:
        is_tensor = facts.is_tensor(call.func.value) or _is_only_of_tensors(call.func, facts)
        return call.func.attr if is_tensor else None
    function = called_function(call, facts)
    if function is None or depth > _MAX_DEPTH or facts.classes.is_wrapped(function):
        return None
    key = "TP120", function, depth
    return facts.remembered(key, lambda: _returned_parts(function, facts, depth))


def _returned_parts(function: ast.FunctionDef, facts: Facts, depth: int) -> str | None:
    """``chunk`` where a function returns what it gives, and nothing else."""
    givers = {
        _gives_parts(node.value, facts, depth + 1) if isinstance(node.value, ast.Call) else None
        for node in own_nodes(function)
        if isinstance(node, ast.Return)
    }
    return givers.pop() if len(givers) == 1 else None


def _is_only_of_tensors(function: ast.Attribute, facts: Facts) -> bool:
    """Whether a method is one of tensors, of what is not known: texts are split as well."""
    is_unknown = isinstance(facts.value(function.value), Unknown)
    is_theirs = function.attr != "split" and function.attr not in method_names(facts.names)
    return is_unknown and is_theirs


def _changes(binding: Binding, facts: Facts) -> Iterator[ast.expr]:
    """Where a tensor is changed in place that a name holds: ``q.mul_(2)``, ``q[0] = 1``."""
    for use in uses_of(facts, binding):
        change = change_by(use, facts)
        if change is not None and _has_graph(use, binding, facts):
            yield change
