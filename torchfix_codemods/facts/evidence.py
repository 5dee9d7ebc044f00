"""What the use of a value says about it: only a tensor has ``.unsqueeze``.

Evidence never overrules what is known otherwise; it only fills what is not known.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts import operations, resizing, torch_api
from torchfix_codemods.facts.arguments import constant, is_opaque
from torchfix_codemods.facts.first_arguments import takes_tensor_first
from torchfix_codemods.facts.in_place import may_write_graph, written_by
from torchfix_codemods.facts.names import Binding, Names, Scope
from torchfix_codemods.facts.roots import is_backward_root, is_part_of_root
from torchfix_codemods.facts.targets import name_of
from torchfix_codemods.facts.values import (
    NOTHING,
    Collated,
    Mapping,
    Module,
    Nothing,
    Number,
    Sequence,
    Tensor,
    Text,
    Unknown,
    Value,
    join,
    of_any_caller,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.infer import Inference

#: Checks that a name can hold different kinds of things: its use then proves nothing.
_KIND_CHECKS = frozenset({"isinstance", "hasattr", "type", "callable", "is_tensor", "is_storage"})


def refine_name(
    inference: Inference, use: ast.Name, bindings: tuple[Binding, ...], value: Value
) -> Value:
    """Add to the value of a name what its other uses prove."""
    if isinstance(value, (Unknown, Module)):
        value = _checked_module(inference.names, use, value)
    if isinstance(value, Tensor) and value.grad is False and _may_get_history(inference, use):
        value = replace(value, grad=None)
    if isinstance(value, Tensor) and value.ndim is not None:
        if may_be_reshaped(inference, use, value.ndim):
            value = replace(value, ndim=None, single=False)
        elif may_be_reshaped(inference, use):
            value = replace(value, single=False)
    if not isinstance(value, (Unknown, Tensor)) or _is_single(value):
        return value
    has_no_graph = isinstance(value, Collated) and not _may_get_history(inference, use)
    grad = False if has_no_graph else None
    if isinstance(value, Unknown) and _checked_to_be_tensor(inference, use, bindings):
        return Tensor(grad=grad)
    if isinstance(value, Unknown):
        if inference.is_kind_checked(use):
            return value
        shown = inference.shown(use, bindings, _proven)
        if not isinstance(shown, Tensor):
            return value if isinstance(shown, Unknown) else shown
        value = replace(shown, grad=grad)
    if value.single or inference.shown(use, bindings, _root) != Unknown():
        return replace(value, single=True)
    return value


def _root(inference: Inference, use: ast.Name, bindings: tuple[Binding, ...]) -> Value:
    """A tensor of one element where ``backward()`` of the name shows that it is such a one."""
    is_root = any(
        is_backward_root(inference.names, other) or is_part_of_root(inference, other)
        for other in (use, *_uses_of(inference, use, bindings))
    ) or any(
        is_backward_root(inference.names, other) and inference.branches.runs_with(other, use)
        for other in inference.flow.uses_past_sums(use, bindings)
    )
    return Tensor(single=True) if is_root else Unknown()


def is_of_one_element(inference: Inference, use: ast.Name) -> bool:
    """Whether ``backward()`` shows that a name, if it is a tensor, holds one element."""
    bindings = inference.flow.reaching(use)
    return inference.shown(use, bindings, _root) != Unknown()


def _proven(inference: Inference, use: ast.Name, bindings: tuple[Binding, ...]) -> Value:
    """What kind of thing the uses of a name show it to hold."""
    return _proven_by(inference, [use, *_uses_of(inference, use, bindings)])


def _proven_by(inference: Inference, uses: list[ast.Name]) -> Value:
    names = inference.names
    if any(proves_tensor(names, use) for use in uses):
        return Tensor()
    # Asked second, because it takes the values of what is called.
    if any(inference.is_taken_as_tensor(use) for use in uses):
        return Tensor()
    called = {_method_called(names, use) for use in uses}
    # An optimizer loads a state as well, and other things evaluate; only modules do both.
    both = "load_state_dict" in called and bool(called & {"eval", "train"})
    if both or any(_proves_module(names, use) for use in uses):
        return Module()
    return Unknown()


def _method_called(names: Names, node: ast.expr) -> str | None:
    """``method`` of ``node.method(…)``, unless a class of this file has one of that name."""
    parent = names.parents.get(node)
    if not (isinstance(parent, ast.Attribute) and parent.value is node):
        return None
    call = names.parents.get(parent)
    is_call = isinstance(call, ast.Call) and call.func is parent
    return parent.attr if is_call and not defines_method(names, parent.attr) else None


#: Methods that of all things only a module has.
_MODULE_ONLY_METHODS = frozenset(
    "parameters named_parameters named_modules register_forward_hook".split()
)


#: What takes a module, and nothing else, as its first argument.
_TAKE_MODULES = frozenset({"torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel"})


def _proves_module(names: Names, node: ast.expr) -> bool:
    parent = names.parents.get(node)
    if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
        return names.name(parent.func) in _TAKE_MODULES
    method = _method_called(names, node)
    # Controllers of agents have ``parameters()``, too, and ``forward`` without ``__call__``.
    return method in _MODULE_ONLY_METHODS and not names.is_method_of_project(method)


def value_by_use(inference: Inference, node: ast.expr) -> Value:
    """What the place of ``node``, or the uses of the name that it is assigned to, show about it.

    ``net = models.create(...).cuda()`` is a module where ``net.parameters()`` follows, and
    ``sample[0].cuda()`` of ``Variable(sample[0].cuda())`` is a tensor.
    """
    names = inference.names
    if proves_tensor(names, node):
        return Tensor()
    assigned = name_of(names, node)
    if assigned is None:
        return Unknown()
    statement, target = assigned
    scope = names.scope_of(statement)
    found = scope.lookup(target.id)
    own = {b for b in found[1] if b.node is statement} if found is not None else set()
    # ``net = net.cuda()`` under a guard: what ``net`` was before is the same kind of thing.
    allowed = set(own)
    callee = node.func if isinstance(node, ast.Call) else None
    moved = callee.value if isinstance(callee, ast.Attribute) else None
    if isinstance(moved, ast.Name) and moved.id == target.id:
        allowed |= set(inference.flow.reaching(moved))
    uses = [
        use
        for use in (names.uses_of(found[0], target.id) if found is not None else ())
        if own <= set(inference.flow.reaching(use)) <= allowed
    ]
    return _proven_by(inference, uses) if uses else Unknown()


def _checked_module(names: Names, use: ast.Name, value: Unknown | Module) -> Value:
    """What ``if isinstance(m, nn.Conv2d):`` around a use says about ``m``."""
    if use.id not in names.kind_checked:
        return value
    if isinstance(value, Module) and (value.cls or value.definition or value.origin):
        return value
    child: ast.AST = use
    for parent in names.ancestors(use):
        if isinstance(parent, ast.If) and child in parent.body:
            checked = _checked_classes(parent.test, use.id)
            known = [names.name(cls) for cls in checked]
            if known and all(name and name.startswith("torch.nn.") for name in known):
                return Module(cls=known[0] if len(known) == 1 else None)
        child = parent
    return value


def _checked_classes(test: ast.expr, name: str) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return next((c for c in (_checked_classes(v, name) for v in test.values) if c), [])
    if isinstance(test, ast.BoolOp):
        either = [_checked_classes(value, name) for value in test.values]
        return [cls for classes in either for cls in classes] if all(either) else []
    if not (isinstance(test, ast.Call) and len(test.args) == 2):
        return []
    function, (checked, classes) = test.func, test.args
    if not (isinstance(function, ast.Name) and function.id == "isinstance"):
        return []
    if not (isinstance(checked, ast.Name) and checked.id == name):
        return []
    return list(classes.elts) if isinstance(classes, ast.Tuple) else [classes]


def refine_attribute(
    inference: Inference, use: ast.Attribute, definition: ast.ClassDef, value: Value
) -> Value:
    """Add to the value of ``self.name`` what the uses of it in its class prove."""
    if not isinstance(value, (Unknown, Tensor)) or _is_single(value):
        return value
    if inference.is_attribute_kind_checked(use.attr):
        return value
    uses = inference.names.attributes(use.attr)
    if inference.names.method_calls("backward") and any(
        is_backward_root(inference.names, node)
        and isinstance(node.value, ast.Name)
        and isinstance(use.value, ast.Name)
        and node.value.id == use.value.id
        and inference.names.enclosing_class(node) is inference.names.enclosing_class(use)
        for node in uses
    ):
        return replace(value, single=True) if isinstance(value, Tensor) else Tensor(single=True)
    return value


#: Methods that put something into a list or a dict.
_FILLS = frozenset("append extend insert update setdefault appendleft".split())


def refine_by_stores(
    inference: Inference, definition: ast.ClassDef, name: str, value: Value
) -> Value:
    """What stays certain of ``self.name``, as other code may store to an attribute of that name.

    The receiver does not matter: ``model.hidden = …`` may be this class's or not.
    """
    own = {id(source.node) for source in inference.classes.attribute_sources(definition, name)}
    if isinstance(value, (Number, Text)):
        return _unless_stored(inference, name, own, value)
    if not isinstance(value, (Tensor, Sequence, Mapping)):
        return value
    for use in inference.names.attributes(name):
        if _may_store_history(inference, use, own) and not _is_same_sum(inference, use, value):
            return of_any_caller(value)
        if isinstance(use.ctx, ast.Store) and id(inference.names.statement(use)) not in own:
            value = join(value, _stored(inference, use))
    return value


def _stored(inference: Inference, use: ast.Attribute) -> Value:
    """What an assignment stores to an attribute; Nothing where it is no plain assignment."""
    statement = inference.names.statement(use)
    return inference.value(statement.value) if isinstance(statement, ast.Assign) else NOTHING


def _is_same_sum(inference: Inference, use: ast.Attribute, value: Value) -> bool:
    """``self.total += loss`` of another class, which leaves no other kind of tensor there."""
    statement = inference.names.statement(use)
    if not (isinstance(statement, ast.AugAssign) and statement.target is use):
        return False
    added = operations.arithmetic(statement.op, Number(), inference.value(statement.value))
    return isinstance(added, Tensor) and join(value, added) == value


def _unless_stored(inference: Inference, name: str, own: set[int], value: Value) -> Value:
    """A number that no other class turns into something else: a sum may become a tensor."""
    for use in inference.names.attributes(name):
        statement = inference.names.statement(use)
        if isinstance(use.ctx, ast.Load) or id(statement) in own:
            continue
        stored = statement.value if isinstance(statement, ast.Assign) else None
        if stored is None or type(inference.value(stored)) is not type(value):
            return Unknown()
    return value


def _may_store_history(inference: Inference, use: ast.Attribute, own: set[int]) -> bool:
    """Whether a use of an attribute gives it, or a part of it, what may be part of a graph."""
    names = inference.names
    parent = names.parents.get(use)
    if not isinstance(use.ctx, ast.Load):
        statement = names.statement(use)
        if id(statement) in own:
            return False
        known = _stored(inference, use)
        return not (isinstance(known, Tensor) and known.grad is False)
    if isinstance(parent, ast.Subscript) and parent.value is use:
        if isinstance(parent.ctx, ast.Load):
            return False
        return not isinstance(getattr(names.statement(use), "value", None), ast.Constant)
    if isinstance(parent, ast.Attribute):
        return parent.attr in _FILLS or _changes_in_place(inference, parent)
    return False


class Changes:
    """What the uses of a name, wherever they stand, do to the tensor that it holds."""

    def __init__(self, names: Names, holder: Scope, name: str) -> None:
        self.is_stored_into = False
        """It gets ``requires_grad``, or a part that cannot be seen."""
        self.stored: list[ast.expr] = []
        """What parts of it get: ``x[0][1] = …``."""
        self.reshapes: list[ast.Attribute] = []
        """Methods that give it another shape."""
        self.methods: list[ast.Attribute] = []
        """In-place methods that may write what has a graph."""
        self.others: dict[tuple[Scope, str], None] = {}
        """Names that it is assigned to as well."""
        self.is_sum = any(b.kind == "augassign" for b in holder.bindings.get(name, ()))
        for use in names.uses_of(holder, name):
            self._add(names, use)

    def _add(self, names: Names, use: ast.Name) -> None:
        part: ast.expr = use
        parent = names.parents.get(use)
        while isinstance(parent, ast.Subscript) and parent.value is part:
            # A part of a part is in the same memory.
            if isinstance(parent.ctx, ast.Store):
                self._store(getattr(names.statement(parent), "value", None))
            part, parent = parent, names.parents.get(parent)
        if part is not use:
            if isinstance(parent, ast.Attribute) and may_write_graph(parent):
                self.methods.append(parent)
        elif isinstance(parent, ast.Attribute):
            if parent.attr == "requires_grad" and isinstance(parent.ctx, ast.Store):
                self.is_stored_into = True
            if may_write_graph(parent):
                self.methods.append(parent)
            reshaping = resizing.reshaping(names, parent)
            self.reshapes += [] if reshaping is None else [reshaping]
        elif isinstance(parent, ast.Assign) and parent.value is use:
            for target in parent.targets:
                found = _held(names, target)
                if found is not None:
                    self.others[found] = None

    def _store(self, value: ast.expr | None) -> None:
        if value is None:
            self.is_stored_into = True
        elif not isinstance(value, ast.Constant):
            self.stored.append(value)


def _held(names: Names, node: ast.expr) -> tuple[Scope, str] | None:
    """The scope that holds a name, and the name."""
    found = names.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
    return None if found is None or not isinstance(node, ast.Name) else (found[0], node.id)


def _may_get_history(inference: Inference, use: ast.Name) -> bool:
    """Whether the tensor of a name is written to with what may be part of a graph."""
    held = _held(inference.names, use)
    if held is None:
        return False
    changes = inference.changes(*held)
    return (
        changes.is_stored_into
        or any(_may_have_history(inference, value) for value in changes.stored)
        or any(_changes_in_place(inference, method) for method in changes.methods)
        or any(_is_added_to(inference, other) for other in changes.others)
    )


def _may_have_history(inference: Inference, node: ast.expr) -> bool:
    value = inference.value(node)
    if isinstance(value, Tensor):
        return value.grad is not False
    return not isinstance(value, Number)


def may_be_reshaped(inference: Inference, use: ast.Name, ndim: int | None = None) -> bool:
    """Whether the tensor of a name gets other dimensions in place: ``x.unsqueeze_(0)``."""
    held = _held(inference.names, use)
    reshapes = [] if held is None else inference.changes(*held).reshapes
    return any(ndim is None or not resizing.keeps_dimensions(inference, m, ndim) for m in reshapes)


def _is_added_to(inference: Inference, other: tuple[Scope, str]) -> bool:
    """``buffer = h; buffer += x``: another name for a tensor, by which it changes."""
    changes = inference.changes(*other)
    return changes.is_sum or any(_changes_in_place(inference, m) for m in changes.methods)


def _changes_in_place(inference: Inference, method: ast.Attribute) -> bool:
    """Whether ``x.method`` is an in-place method that may write what has a graph."""
    if not may_write_graph(method):
        return False
    call = inference.names.parents.get(method)
    return not (isinstance(call, ast.Call) and _writes_nothing_recorded(inference, call))


def _writes_nothing_recorded(inference: Inference, call: ast.Call) -> bool:
    """Whether an in-place method is given something, and nothing that may be part of a graph."""
    given = written_by(call)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
        return [constant(value) for value in given] == [False]
    return bool(given) and not any(_may_have_history(inference, value) for value in given)


_TENSOR_TYPES = frozenset({"torch.Tensor", "torch.autograd.Variable"})


def _checked_to_be_tensor(
    inference: Inference, use: ast.Name, bindings: tuple[Binding, ...]
) -> bool:
    """Inside ``if isinstance(x, torch.Tensor):``, with x still what was checked."""
    if use.id not in inference.names.kind_checked:
        return False
    child: ast.AST = use
    for parent in inference.names.ancestors(use):
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        if isinstance(parent, (ast.If, ast.IfExp)):
            body = parent.body if isinstance(parent.body, list) else [parent.body]
            if child in body:
                checked = _checked_name(inference.names, parent.test)
                if checked is not None and checked.id == use.id:
                    return inference.flow.reaching(checked) == bindings
        child = parent
    return False


def _checked_name(names: Names, test: ast.expr) -> ast.Name | None:
    """``x`` of ``isinstance(x, torch.Tensor)``, ``torch.is_tensor(x)``, ``type(x) == Variable``."""
    subject: ast.expr | None = None
    if isinstance(test, ast.Call) and test.args:
        is_isinstance = isinstance(test.func, ast.Name) and test.func.id == "isinstance"
        if is_isinstance and len(test.args) == 2 and names.name(test.args[1]) in _TENSOR_TYPES:
            subject = test.args[0]
        elif names.name(test.func) == "torch.is_tensor":
            subject = test.args[0]
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.Is)):
        left = test.left
        if isinstance(left, ast.Call) and len(left.args) == 1 and len(test.ops) == 1:
            if isinstance(left.func, ast.Name) and left.func.id == "type":
                if names.name(test.comparators[0]) in _TENSOR_TYPES:
                    subject = left.args[0]
    return subject if isinstance(subject, ast.Name) else None


#: What a list can be given to without getting other elements.
_LIST_READERS = frozenset("len sum max min list tuple zip enumerate reversed sorted print".split())


#: Where a list stands that gets no other elements there; ``a + b`` is another list.
_LIST_READS = (ast.For, ast.comprehension, ast.Return, ast.Compare, ast.Starred, ast.BinOp)


def refine_list(inference: Inference, binding: Binding, value: Value) -> Value:
    """Add to a list what ``.append`` puts into it; nothing is certain where others may do so."""
    if not isinstance(value, Sequence):
        return value
    appended: list[ast.expr] = []
    for scope in inference.names.scopes_using(binding.name):
        found = scope.lookup(binding.name)
        if found is None or binding not in found[1]:
            continue
        for use in scope.uses[binding.name]:
            if binding not in inference.flow.reaching(use):
                continue
            change = None if binding.is_shared else _appended_by(inference.names, use)
            if change is None:
                return Sequence()
            appended += change
    element: Value = NOTHING
    for item in (*(value.items or ()), *map(inference.value, appended)):
        element = join(element, item)
    return Sequence(element) if appended else value


def refine_list_attribute(inference: Inference, source: Binding, name: str, value: Value) -> Value:
    """Add to a list that is an attribute what ``….name.append`` puts into it."""
    if not isinstance(value, Sequence) or value.items is None:
        return value
    element: Value = NOTHING
    for use in inference.names.attributes(name):
        if isinstance(use.ctx, ast.Load):
            change = None if source.is_shared else _appended_by(inference.names, use)
            if change is None:
                return Sequence()
            for given in change:
                element = join(element, inference.value(given))
    if isinstance(element, Nothing):
        return value
    for item in value.items:
        element = join(element, item)
    return Sequence(element)


def _appended_by(names: Names, use: ast.expr) -> list[ast.expr] | None:
    """What the use of a list puts into it; None where that is not known."""
    parent = names.parents.get(use)
    if isinstance(parent, ast.Tuple) and isinstance(names.parents.get(parent), ast.Return):
        return []
    if isinstance(parent, ast.Attribute):
        call = names.parents.get(parent)
        if parent.attr == "append" and isinstance(call, ast.Call) and len(call.args) == 1:
            return call.args
        return [] if parent.attr in ("index", "count", "pop") else None
    if isinstance(parent, ast.Call) and use in parent.args:
        name = names.name(parent.func)
        builtin = isinstance(parent.func, ast.Name) and parent.func.id in _LIST_READERS
        return [] if builtin or (name or "").startswith(("torch.", "numpy.")) else None
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return None if isinstance(parent.ctx, ast.Store) else []
    return [] if isinstance(parent, _LIST_READS) else None


def _is_single(value: Value) -> bool:
    return isinstance(value, Tensor) and value.single


def _uses_of(
    inference: Inference, use: ast.Name, bindings: tuple[Binding, ...]
) -> Iterator[ast.Name]:
    """Other uses of the same name that see the same value whenever ``use`` does."""
    scope = inference.names.scope_of(use)
    for other in inference.flow.uses_reached_by(bindings, scope, use.id):
        if other is not use and inference.branches.runs_with(other, use):
            yield other
    for other in inference.flow.uses_past_choices(use, bindings):
        if inference.branches.runs_with(other, use):
            yield other


def proves_tensor(names: Names, node: ast.expr) -> bool:
    """Whether the place of ``node`` in the code shows that it is a tensor."""
    parent = names.parents.get(node)
    if isinstance(parent, ast.Attribute) and parent.value is node:
        return _proven_by_method(names, parent)
    if isinstance(parent, ast.Call) and node in parent.args:
        return _proven_by_argument(names, parent, node)
    if isinstance(parent, (ast.List, ast.Tuple)):
        call = names.parents.get(parent)
        return (
            isinstance(call, ast.Call)
            and call.args[:1] == [parent]
            and names.name(call.func) in _JOIN_TENSORS
        )
    return False


def ndim_asked_for(names: Names, node: ast.expr) -> int | None:
    """How many dimensions ``x.view(n, -1)`` has, which is a tensor."""
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not isinstance(method, ast.Attribute):
        return None
    if method.attr not in ("view", "reshape") or defines_method(names, method.attr):
        return None
    # What is given alone may be a tuple of sizes.
    return len(node.args) if len(node.args) > 1 and not is_opaque(node) else None


#: Functions whose first argument is a list of tensors.
_JOIN_TENSORS = frozenset({"torch.cat", "torch.stack"})

#: Functions whose second argument is a tensor, never a number.
_SECOND_IS_TENSOR = frozenset(
    """torch.equal torch.mm torch.bmm torch.matmul torch.mv torch.dot torch.ger torch.dist
    torch.masked_select torch.nn.functional.linear torch.nn.functional.conv1d
    torch.nn.functional.conv2d torch.nn.functional.conv3d torch.nn.functional.embedding
    torch.nn.functional.cosine_similarity torch.nn.functional.nll_loss
    torch.nn.functional.cross_entropy torch.nn.functional.mse_loss torch.nn.functional.l1_loss
    torch.nn.functional.smooth_l1_loss torch.nn.functional.kl_div
    torch.nn.functional.binary_cross_entropy
    torch.nn.functional.binary_cross_entropy_with_logits""".split()
)

#: Which argument of methods that of all things only a tensor has is a tensor itself.
_TENSOR_GIVEN = {
    **dict.fromkeys("mm bmm expand_as view_as type_as masked_fill masked_fill_".split(), 0),
    **dict.fromkeys(("masked_select", "resize_as_"), 0),
    **dict.fromkeys("index_select scatter_ index_add_".split(), 1),
}


#: Functions whose second and third argument are tensors, or None.
_WEIGHTED = frozenset(
    f"torch.nn.functional.{name}" for name in ("linear", "conv1d", "conv2d", "conv3d")
)

#: Methods that other things have as well, but not without arguments.
_TENSOR_ONLY_WITHOUT_ARGUMENTS = frozenset(
    "detach long byte exp log sqrt tanh t nelement ndimension dim".split()
)


def _is_taken_apart(names: Names, size: ast.Call) -> bool:
    """``b, c = x.size()``, ``x.size() == torch.Size([])``: a size, and not how many there are."""
    parent = names.parents.get(size)
    if isinstance(parent, ast.Assign):
        return isinstance(parent.targets[0], (ast.Tuple, ast.List))
    if isinstance(parent, ast.Compare):
        others = [parent.left, *parent.comparators]
        return any(
            isinstance(other, ast.Call) and names.name(other.func) == "torch.Size"
            for other in others
        )
    return isinstance(parent, ast.Starred)


def _is_along_dim(call: ast.Call) -> bool:
    """``x.gather(1, index)``, which no communicator and no plot is asked."""
    return len(call.args) > 1 and (
        is_minus_one(call.args[0])
        or (isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, int))
    )


#: Methods that something else has as well (plots, communicators, distributions, sizes), and which
#: calls of them only a tensor takes.
_SHARED_METHODS: dict[str, Callable[[ast.Call], bool]] = {
    "scatter": lambda call: False,
    "gather": _is_along_dim,
    "expand": lambda call: len(call.args) > 1,
    "numel": lambda call: False,
    "norm": lambda call: _is_of_order(call),
    # What has these besides tensors transforms what it is given.
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft"), lambda call: _is_of_dimensions(call)),
}


def takes_more_than_sizes(call: ast.Call) -> bool:
    """``kernel.view(x, [2, 3])``, ``maker.permute(x, (0, 2, 1))``: tensors take sizes alone."""
    if getattr(call.func, "attr", "") not in ("view", "permute", "expand") or len(call.args) < 2:
        return False
    return any(isinstance(argument, (ast.List, ast.Tuple, ast.ListComp)) for argument in call.args)


def _is_of_dimensions(call: ast.Call) -> bool:
    """``x.rfft(1)``, ``x.fft(signal_ndim=2)`` of the tensors until torch 1.7."""
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "signal_ndim")]
    return any(isinstance(g, ast.Constant) and g.value in (1, 2, 3) for g in given)


def _is_of_order(call: ast.Call) -> bool:
    """``x.norm()``, ``x.norm(2)``, ``x.norm(p=2)``; a layer of that name is called with tensors."""
    if not call.args and not call.keywords:
        return True
    orders = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "p")]
    return any(
        isinstance(order, ast.Constant) and isinstance(order.value, (int, float))
        for order in orders
    )


def _proven_by_method(names: Names, attribute: ast.Attribute) -> bool:
    call = names.parents.get(attribute)
    if not (isinstance(call, ast.Call) and call.func is attribute):
        return False
    if defines_method(names, attribute.attr) or takes_more_than_sizes(call):
        return False
    if attribute.attr in _SHARED_METHODS:
        return _SHARED_METHODS[attribute.attr](call)
    if attribute.attr in torch_api.TENSOR_ONLY_METHODS:
        return True
    if attribute.attr in _TENSOR_ONLY_WITHOUT_ARGUMENTS:
        return not call.args and not call.keywords
    if attribute.attr == "size":
        if not call.args:
            return _is_taken_apart(names, call)
        return len(call.args) == 1 and isinstance(call.args[0], (ast.Constant, ast.UnaryOp))
    if attribute.attr == "backward":
        return is_backward_root(names, attribute.value)
    if attribute.attr == "view":
        return any(is_minus_one(a) or _is_size_query(a) for a in call.args)
    return False


def _proven_by_argument(names: Names, call: ast.Call, node: ast.expr) -> bool:
    if isinstance(call.func, ast.Attribute) and node in _operands(names, call.func.attr, call):
        return True
    name = names.name(call.func)
    if name is None:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        position = _TENSOR_GIVEN.get(method)
        if position is None or call.args[position : position + 1] != [node]:
            return False
        return not defines_method(names, method)
    if name in _SECOND_IS_TENSOR and call.args[1:2] == [node]:
        return not isinstance(call.args[0], ast.Starred)
    if name == "torch.autograd.Variable":
        return call.args[0] is node
    # What is called gives a tensor there, and no None.
    if name in _WEIGHTED and isinstance(node, ast.Call) and node in call.args[:3]:
        return True
    return call.args[0] is node and takes_tensor_first(name, call)


def _operands(names: Names, method: str, call: ast.Call) -> list[ast.expr]:
    """The arguments of ``x.addcmul_(value, a, b)`` and ``x.add_(alpha, a)`` that are tensors."""
    if defines_method(names, method) or any(k.arg not in ("value", "out") for k in call.keywords):
        return []
    if method.rstrip("_") in ("addcmul", "addcdiv"):
        return call.args[-2:] if len(call.args) > 1 else []
    return call.args[1:] if method in ("add_", "sub_") and len(call.args) == 2 else []


def is_kind_checked(names: Names, use: ast.Name) -> bool:
    """Whether the scope asks what kind of thing the name holds."""
    return any(is_kind_check(names, other) for other in names.scope_of(use).uses.get(use.id, ()))


def is_kind_check(names: Names, node: ast.expr) -> bool:
    """``node`` of ``isinstance(node, …)``, ``type(node)`` and the like."""
    parent = names.parents.get(node)
    if not (isinstance(parent, ast.Call) and node in parent.args):
        return False
    function = parent.func
    called = function.attr if isinstance(function, ast.Attribute) else None
    return (function.id if isinstance(function, ast.Name) else called) in _KIND_CHECKS


def defines_method(names: Names, method: str) -> bool:
    """Whether a class of the user has a method of that name, so that its use proves nothing."""
    if method in names.method_names:
        return True
    return method in _ALSO_OF_USERS and names.is_method_of_project(method)


#: Methods of a tensor that classes of users (graphs, batches) have as well, with no arguments
#: either: then a file that imports none of them may still be given one.
_ALSO_OF_USERS = frozenset(
    """backward size contiguous is_contiguous detach long byte exp log sqrt tanh sigmoid t nelement
    ndimension dim numel""".split()
)


def is_minus_one(node: ast.AST) -> bool:
    """Whether an expression is the literal ``-1``."""
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
        and node.operand.value == 1
    )


def _is_size_query(node: ast.AST) -> bool:
    """``y.size(0)`` or ``y.shape[0]``, alone or in arithmetic, or ``*y.size()``."""
    return any(isinstance(n, ast.Attribute) and n.attr in ("size", "shape") for n in ast.walk(node))
