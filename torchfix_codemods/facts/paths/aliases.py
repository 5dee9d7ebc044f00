"""Whether it matters that a tensor is a view and not a copy: which of its uses only read.

A view differs from a contiguous copy when someone writes in place, and when ``view()`` is called
on it. The answer is "it may matter" wherever a use is not understood.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import losses, torch_effects, torch_layers
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import (
    INDEPENDENT_LAYERS,
    has_out,
    is_fresh,
    is_in_place,
    is_independent,
    is_method_result_fresh,
    may_be_in_place,
)
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Function, Module, Tensor, Value

_MAX_DEPTH = 12

#: Attributes of a tensor that give no access to its memory.
HARMLESS_ATTRIBUTES = frozenset(
    "shape dtype device is_cuda requires_grad grad_fn is_leaf ndim layout".split()
)

_READING_BUILTINS = frozenset("print len float int str repr bool isinstance type id".split())


def may_share_unnoticed(copy: ast.expr, source: ast.expr, facts: Facts) -> bool:
    """Whether it could matter that ``copy`` is not a contiguous copy of ``source`` but a view.

    A copy that is used up where it is made only has to be read. One that gets a name, or is part
    of something that does, lives on while its source may be written to: no one else may know the
    source then.
    """
    root = _root(source)
    if isinstance(root, ast.Name):
        reader = _Reader(facts, layout_matters=False)
        if not all(reader.reads_name(b, root, copy) for b in facts.flow.reaching(root)):
            return True
    if _lives_on(copy, facts) and not _is_own(root, facts):
        return True
    return not _Reader(facts, layout_matters=True).reads(copy)


def _lives_on(node: ast.expr, facts: Facts) -> bool:
    """Whether the memory of a value may still be referred to after the statement it stands in."""
    child: ast.AST = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, ast.Call):
            is_method = child is parent.func
            if is_method_result_fresh(parent) if is_method else _is_used_up_by(parent, facts):
                return False
        elif isinstance(parent, ast.Attribute):
            if parent.attr in HARMLESS_ATTRIBUTES:
                return False
        elif isinstance(parent, (ast.BinOp, ast.Compare, ast.FormattedValue)):
            return False
        elif isinstance(parent, ast.UnaryOp):
            if not isinstance(parent.op, ast.UAdd):
                return False
        elif isinstance(parent, ast.stmt):
            return not isinstance(parent, ast.Expr)
        child = parent
    return True


def _is_used_up_by(call: ast.Call, facts: Facts) -> bool:
    """Whether the result of a call has nothing to do with the memory of its arguments.

    Functions and modules of this file count: that they only read is asked of them elsewhere.
    """
    if is_fresh(call, facts):
        return True
    if isinstance(call.func, ast.Name) and call.func.id in _READING_BUILTINS:
        return True
    callee = facts.value(call.func)
    if isinstance(callee, Module):
        return callee.definition is not None
    return isinstance(callee, Function)


def _is_own(node: ast.expr, facts: Facts, depth: int = 0) -> bool:
    """Whether what an expression refers to is known by its names here only, which only read it."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(node, ast.Name):
        reader = _Reader(facts, layout_matters=False)
        bindings = facts.flow.reaching(node)
        return bool(bindings) and all(
            binding.kind == "assign"
            and binding.value is not None
            and not (isinstance(binding.node, ast.Assign) and len(binding.node.targets) > 1)
            and _is_own(binding.value, facts, depth + 1)
            and (depth == 0 or reader.reads_name(binding, node))
            for binding in bindings
        )
    root = _root(node)
    return is_fresh(root, facts) if root is node else _is_own(root, facts, depth + 1)


def is_nowhere_else(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor lies in memory that its expression makes: nothing else can read it."""
    return is_fresh(_root(node), facts)


def _root(node: ast.expr) -> ast.expr:
    """The tensor that a chain of views starts from: ``x`` of ``x.t()[1:].data``."""
    while True:
        if isinstance(node, ast.Subscript) or (
            isinstance(node, ast.Attribute) and node.attr == "data"
        ):
            node = node.value
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and torch_effects.gives_alias(node.func.attr)
        ):
            node = node.func.value
        else:
            return node


def _is_seen_from_inside(binding: Binding, use: ast.Name, facts: Facts) -> bool:
    """Whether a function inside the scope of a name reads it."""
    own = facts.names.scope_of(use)
    for scope in facts.names.scopes_using(binding.name):
        if scope is not own:
            found = scope.lookup(binding.name)
            if found is not None and binding in found[1]:
                return True
    return False


class _Reader:
    """Follows a value through the code that uses it.

    Args:
        facts: the facts of the module.
        layout_matters: whether a use that could see how the value lies in memory counts as well
            as one that writes into it.
    """

    def __init__(self, facts: Facts, layout_matters: bool) -> None:
        self._facts = facts
        self._layout_matters = layout_matters
        self._depth = 0

    def reads(self, node: ast.expr) -> bool:
        """Whether all that happens to the value of ``node`` is that its elements are read."""
        if self._depth > _MAX_DEPTH:
            return False
        self._depth += 1
        try:
            return self._reads(node)
        finally:
            self._depth -= 1

    def reads_name(
        self, binding: Binding, sample: ast.Name, besides: ast.expr | None = None
    ) -> bool:
        """Whether all uses of what ``binding`` binds only read it; those in ``besides`` apart.

        What is used earlier counts as well: another name given then may be written to later.
        """
        facts = self._facts
        if _is_seen_from_inside(binding, sample, facts):
            return False
        uses = facts.names.scope_of(sample).uses.get(binding.name, [])
        skipped = set(ast.walk(besides)) if besides is not None else set()
        for node in _uses_and_updates(binding, uses, facts):
            if node in skipped:
                continue
            if isinstance(node, ast.AugAssign) or not self.reads(node):
                return False
        return True

    def _reads(self, node: ast.expr) -> bool:
        parent = self._facts.parent(node)
        if isinstance(parent, ast.keyword):
            parent = self._facts.parent(parent)
        if isinstance(parent, ast.Attribute):
            return self._read_by_attribute(parent)
        if isinstance(parent, ast.Call):
            return self._read_by_call(parent, node)
        if isinstance(parent, ast.Subscript):
            if parent.value is not node:
                return True
            return isinstance(parent.ctx, ast.Load) and self.reads(parent)
        if isinstance(parent, ast.IfExp):
            return parent.test is node or self.reads(parent)
        if isinstance(parent, (ast.BinOp, ast.Compare, ast.UnaryOp)):
            return not self._layout_matters or self.reads(parent)
        if isinstance(parent, ast.Assign):
            return self._read_by_assignment(parent)
        if isinstance(parent, (ast.Tuple, ast.List)):
            return self._read_by_collection(parent)
        if isinstance(parent, ast.Return):
            return not self._layout_matters
        return isinstance(parent, (ast.Expr, ast.FormattedValue))

    def _read_by_attribute(self, attribute: ast.Attribute) -> bool:
        if attribute.attr in HARMLESS_ATTRIBUTES:
            return True
        if attribute.attr == "data":
            return self.reads(attribute)
        call = self._facts.parent(attribute)
        if not (isinstance(call, ast.Call) and call.func is attribute) or has_out(call):
            return False
        if torch_api.query_result(attribute.attr, len(call.args)) is not None:
            return attribute.attr not in ("data_ptr", "stride", "is_contiguous")
        return self._read_by_operation(attribute.attr, call)

    def _read_by_operation(self, operation: str, call: ast.Call) -> bool:
        """Whether a method or a function of torch, and what its result is used for, only reads."""
        if is_independent(operation):
            return True
        if operation in ("view", "view_as"):
            return not self._layout_matters and self.reads(call)
        name = torch_effects.of_any(operation)
        if not torch_effects.reads_only(name) or torch_effects.may_do(name, "leaves", "autograd"):
            return False
        # Others may lay their result out as what they are given lies.
        shows_layout = self._layout_matters or torch_effects.gives_alias(name)
        return not shows_layout or self.reads(call)

    def _read_by_call(self, call: ast.Call, argument: ast.expr) -> bool:
        if has_out(call):
            return False
        name = self._facts.name(call.func)
        if name is not None:
            module, _, function = name.rpartition(".")
            if name == "torch.autograd.Variable":
                return self.reads(call)
            if is_in_place(name, call):
                return False
            if module in ("torch", "torch.nn.functional"):
                return self._read_by_operation(function, call)
            return False
        function_node = call.func
        if isinstance(function_node, ast.Name) and function_node.id in _READING_BUILTINS:
            return self._facts.names.builtin(function_node) is not None
        if isinstance(function_node, ast.Attribute):
            if isinstance(self._facts.value(function_node.value), Tensor):
                # An in-place method writes into its receiver and reads its arguments.
                plain = function_node.attr.rstrip("_")
                return self._read_by_operation(plain, call)
        return self._read_by_callee(self._facts.value(function_node), call, argument)

    def _read_by_callee(self, callee: Value, call: ast.Call, argument: ast.expr) -> bool:
        if isinstance(callee, Module) and callee.cls is not None:
            return self._read_by_layer(callee, call)
        definition: ast.AST | None = None
        bound = 0
        if isinstance(callee, Module) and callee.definition is not None:
            definition, bound = self._facts.classes.method(callee.definition, "forward"), 1
        elif isinstance(callee, Function):
            definition = callee.definition
        if not isinstance(definition, ast.FunctionDef):
            return False
        return self._read_by_parameter(definition, bound, call, argument)

    def _read_by_layer(self, layer: Module, call: ast.Call) -> bool:
        assert layer.cls is not None
        bare = layer.cls.rpartition(".")[2]
        if layer.cls in losses.LOSSES or bare in INDEPENDENT_LAYERS:
            return True
        if bare == "Sequential":
            first = layer.call.args[0] if layer.call is not None and layer.call.args else None
            value = None if first is None else self._facts.value(first)
            return (
                isinstance(value, Module)
                and value.cls is not None
                and (self._read_by_layer(value, call))
            )
        is_in_place = layer.call is None or may_be_in_place(layer.call)
        if is_in_place and torch_layers.may_work_in_place(bare):
            return False
        if not self._layout_matters and "Dropout" not in bare:
            return bare in torch_api.LAYERS
        return bare in torch_api.LAYERS and self.reads(call)

    def _read_by_parameter(
        self, function: ast.FunctionDef, bound: int, call: ast.Call, argument: ast.expr
    ) -> bool:
        """Follow an argument into a function of this file."""
        if argument not in call.args or any(isinstance(a, ast.Starred) for a in call.args):
            return False
        parameters = [*function.args.posonlyargs, *function.args.args]
        index = call.args.index(argument) + bound
        if index >= len(parameters):
            return False
        name = parameters[index].arg
        scope = self._facts.names.scopes[function]
        uses = scope.uses.get(name, [])
        binding = next(b for b in scope.bindings[name] if b.kind == "parameter")
        return not uses or self.reads_name(binding, uses[0])

    def _read_by_collection(self, items: ast.Tuple | ast.List) -> bool:
        parent = self._facts.parent(items)
        if isinstance(parent, ast.Return):
            return not self._layout_matters
        return isinstance(parent, ast.Call) and (
            self._facts.name(parent.func) in ("torch.cat", "torch.stack")
            and not has_out(parent)
            and (not self._layout_matters or self.reads(parent))
        )

    def _read_by_assignment(self, statement: ast.Assign) -> bool:
        for target in statement.targets:
            if not isinstance(target, ast.Name):
                # ``y[0] = x`` copies x; ``self.y = x`` keeps it.
                if isinstance(target, ast.Subscript) and isinstance(
                    self._facts.value(target.value), Tensor
                ):
                    continue
                return False
            found = self._facts.names.scope_of(target).lookup(target.id)
            own = [b for b in found[1] if b.node is statement] if found is not None else []
            if len(own) != 1 or not self.reads_name(own[0], target):
                return False
        return True


def _uses_and_updates(
    binding: Binding, uses: list[ast.Name], facts: Facts
) -> Iterator[ast.Name | ast.AugAssign]:
    """The reads of what a binding binds, and the statements such as ``x += 1`` that change it."""
    for use in uses:
        if binding in facts.flow.reaching(use):
            yield use
    for node in facts.names.nodes.get(ast.AugAssign, ()):
        if (
            isinstance(node, ast.AugAssign)
            and isinstance(node.target, ast.Name)
            and node.target.id == binding.name
            and binding in facts.flow.reaching_before(node, binding.name)
        ):
            yield node
