"""What an expression is: values by query, each computed when asked and remembered."""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torchfix_codemods.facts import (
    calls,
    changes,
    classes_elsewhere,
    dtypes,
    elsewhere,
    evidence,
    fixtures,
    handed,
    kind_checks,
    operations,
    options,
    outside,
    parameters,
    passing,
    proofs,
    standard_library,
    stores,
    torch_api,
)
from torchfix_codemods.facts.arguments import constant, whole_number
from torchfix_codemods.facts.branches import Branches
from torchfix_codemods.facts.classes import Classes
from torchfix_codemods.facts.counts import Counts
from torchfix_codemods.facts.denied import is_said_to_be_no_tensor
from torchfix_codemods.facts.files import Files
from torchfix_codemods.facts.flow import Flow
from torchfix_codemods.facts.libraries import is_foreign
from torchfix_codemods.facts.names import Names
from torchfix_codemods.facts.narrowing import is_no_number, is_not_none, is_replaced
from torchfix_codemods.facts.queries import Pending, Queries
from torchfix_codemods.facts.reached_returns import reached_returns
from torchfix_codemods.facts.scopes import Binding, Scope
from torchfix_codemods.facts.values import (
    NOTHING,
    UNKNOWN,
    WITHOUT_HISTORY,
    Array,
    ClassObject,
    Collated,
    Distribution,
    Foreign,
    Function,
    Imported,
    ImportedFile,
    Instance,
    Mapping,
    Maybe,
    Method,
    Module,
    NoneValue,
    Nothing,
    Number,
    Sequence,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
    element_of,
    item_at,
    join,
    maybe,
    of_any_caller,
    sequence_of,
    without_none,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.module import Facts

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

#: What the context of a function of autograd gives to ``backward``.
_SAVED = frozenset({"saved_tensors", "saved_variables"})

#: Expressions besides names whose use may show what they are.
_PARTS = (ast.Attribute, ast.Subscript, ast.Call)


class Inference(Queries):
    """The values of one module's expressions.

    Args:
        names: the scopes of the module.
        flow: its reaching definitions.
        is_used_elsewhere: tells whether other files may use a certain name of the module.
        files: the other files of the project, as this one imports them.
        pending: given for a file that other files ask: its functions are then called with
            arguments that are not known, and what its module level holds may be changed.
    """

    def __init__(
        self,
        names: Names,
        flow: Flow,
        is_used_elsewhere: Callable[[str], bool] = lambda name: False,
        files: Files | None = None,
        pending: Pending | None = None,
    ) -> None:
        super().__init__(Pending() if pending is None else pending)
        self.is_used_elsewhere = functools.cache(is_used_elsewhere)
        self.names = names
        self.flow = flow
        self.files = files
        self.is_asked_by_others = pending is not None
        self.facts: Facts | None = None
        """All that is known of the module, for those who follow a call into it."""
        if files is not None:
            names.is_method_of_project = files.is_method
            names.name_from_project = functools.partial(elsewhere.starred_name, self)
        self.classes = Classes(names, functools.partial(classes_elsewhere.class_kind, self))
        self.branches = Branches(names)
        self.counts = Counts(names, flow)
        self.given_back: dict[ast.AST, str | None] = {}
        """The parameters that functions give back, as far as somebody asked."""
        self._kind_checked: dict[tuple[Scope, str] | str, bool] = {}
        self._changes: dict[tuple[Scope, str], changes.Changes] = {}
        self._entered: list[ast.Call] = []

    @contextlib.contextmanager
    def inside(self, built: ast.Call) -> Iterator[bool]:
        """While a container of modules is called: False where that is going on already.

        ``net = nn.Sequential(net)`` makes one that holds itself as far as its text tells.
        """
        is_new = built not in self._entered
        self._entered.append(built)
        try:
            yield is_new
        finally:
            self._entered.pop()

    # Queries. A query that meets itself (a name carried round a loop, a recursive function)
    # starts from Nothing and repeats until its answer is stable; what was computed on the way
    # on the strength of an assumption is remembered only as long as the assumption stands.

    def value(self, node: ast.AST) -> Value:
        """The value of an expression; Unknown where it may also be None."""
        value = self._known.get(node) or self._query(node, self._evaluate, node)
        return UNKNOWN if isinstance(value, Maybe) else value

    def possible(self, node: ast.AST) -> Value:
        """The value of an expression, with None among what it may be."""
        return self._known.get(node) or self._query(node, self._evaluate, node)

    def returned(self, function: ast.AST) -> Value:
        """What calling a function of this file returns."""
        return self._query(("returned", function), self._evaluate_returns, function)

    def returned_to(self, function: ast.AST, call: ast.Call) -> Value:
        """What a certain call of a function of this file returns, wherever it is made."""
        reached = reached_returns(self, function, call)
        if reached is None or self.classes.is_wrapped(function):
            return self.returned(function)
        return self._query(("returned", *reached), self._joined_returns, reached)

    def called(self, callee: Value, call: ast.Call) -> Value:
        """What a call gives that is given to something else: to what a module wraps."""
        return calls.call_value(self, callee, call)

    def provided(self, fixture: ast.FunctionDef) -> Value:
        """What a fixture of pytest gives to the tests that ask for it."""
        return self._query(("provided", fixture), fixtures.provided, self, fixture)

    def attribute(self, definition: ast.ClassDef, name: str, is_number: bool = True) -> Value:
        """What ``self.name`` holds in instances of a class of this file.

        ``is_number`` is False where it certainly is none: a sum that starts as 0 has become what
        was added to it.
        """
        key = "attribute", definition, name, is_number
        return self._query(key, self._evaluate_attribute, definition, name, is_number)

    def bound(self, binding: Binding) -> Value:
        """The value that one binding gives to its name."""
        return self._query(("bound", binding), self._evaluate_binding, binding)

    def shown(
        self,
        use: ast.Name,
        bindings: tuple[Binding, ...],
        ask: Callable[[Inference, ast.Name, tuple[Binding, ...]], Value],
    ) -> Value:
        """What ``ask`` finds out about a name from its uses: the same for uses of one branch."""
        # Without bindings a use has no others beside it, and speaks for itself only.
        seen = bindings or use
        key = ask, self.names.scope_of(use), use.id, seen, self.branches.of(use)
        return self._query(key, ask, self, use, bindings)

    def is_taken_as_tensor(self, node: ast.expr) -> bool:
        """Whether a call takes only a tensor where it gets ``node``."""
        return passing.is_taken_as_tensor(self, node)

    def parameter_shows(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, parameter: ast.arg
    ) -> Value:
        """A tensor where a function uses its parameter as one, whichever way it goes."""
        key = passing.parameter_shows, parameter
        return self._query(key, passing.parameter_shows, self, function, parameter)

    def is_kind_checked(self, use: ast.Name) -> bool:
        """Whether the scope asks what kind of thing the name holds."""
        key = self.names.scope_of(use), use.id
        if key not in self._kind_checked:
            self._kind_checked[key] = kind_checks.is_kind_checked(self.names, use)
        return self._kind_checked[key]

    def is_attribute_kind_checked(self, name: str) -> bool:
        """Whether the module asks what kind of thing an attribute holds, of whatever object."""
        if name not in self._kind_checked:
            uses = self.names.attributes(name)
            self._kind_checked[name] = any(kind_checks.is_kind_check(self.names, u) for u in uses)
        return self._kind_checked[name]

    @functools.cached_property
    def exits(self) -> dict[ast.AST, list[ast.Return | ast.Yield | ast.YieldFrom]]:
        """What each function returns and yields, the yields first."""
        found: dict[ast.AST, list[ast.Return | ast.Yield | ast.YieldFrom]] = {}
        for cls in (ast.Yield, ast.YieldFrom, ast.Return):
            for node in self.names.nodes.get(cls, ()):
                assert isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom))
                around = (p for p in self.names.ancestors(node) if isinstance(p, _FUNCTIONS))
                found.setdefault(next(around, self.names.tree), []).append(node)
        return found

    def changes(self, holder: Scope, name: str) -> changes.Changes:
        """What the uses of a name do to the tensor that it holds."""
        key = holder, name
        if key not in self._changes:
            self._changes[key] = changes.Changes(self.names, holder, name)
        return self._changes[key]

    # Expressions

    def _evaluate(self, node: ast.AST) -> Value:
        result = self._evaluated(node)
        if isinstance(result, Tensor) and isinstance(node, (ast.Name, ast.Attribute)):
            return UNKNOWN if is_said_to_be_no_tensor(self, node) else result
        return result

    def _evaluated(self, node: ast.AST) -> Value:
        method = _EVALUATORS[node.__class__]
        if method is None:
            return UNKNOWN
        result: Value = method(self, node)
        if isinstance(result, Maybe) and is_not_none(self, node):
            return result.value
        if isinstance(result, Unknown) and isinstance(node, _PARTS):
            if self.names.name(node) is None and (
                proofs.proves_tensor(self.names, node) or self.is_taken_as_tensor(node)
            ):
                grad = False if isinstance(result, Collated) else None
                return Tensor(proofs.ndim_asked_for(self.names, node), grad=grad)
        if isinstance(result, Tensor) and result.grad is None and result.dtype in WITHOUT_HISTORY:
            return replace(result, grad=False)
        return result

    def _evaluate_Constant(self, node: ast.Constant) -> Value:
        value = node.value
        if value is None:
            return NoneValue()
        if isinstance(value, bool):
            return Number("bool")
        if isinstance(value, int):
            return Number("int")
        if isinstance(value, float):
            return Number("float")
        return Text() if isinstance(value, (str, bytes)) else UNKNOWN

    def _evaluate_JoinedStr(self, node: ast.JoinedStr) -> Value:
        return Text()

    def _evaluate_Name(self, node: ast.Name) -> Value:
        result: Value = NOTHING
        bindings = self.flow.reaching(node)
        is_module = False
        for binding in bindings:
            is_module = is_module or isinstance(binding.node, ast.Import)
            value = self.bound(binding)
            if isinstance(value, (Maybe, NoneValue)) and is_replaced(self, node, binding):
                value = without_none(value)
            if isinstance(value, (Number, Unknown)) and is_no_number(self.names, node):
                # A sum that starts as 0 and is indexed in the end has become a tensor.
                value = self._no_number(binding)
            result = join(result, value)
        if not bindings:
            result = elsewhere.starred(self, node)
        elif self.is_asked_by_others:
            result = elsewhere.changeable(self, node, result)
        name = self.names.name(node)
        if is_module or name:
            return calls.value_of_name(name) if name and isinstance(result, Unknown) else result
        if isinstance(result, Maybe):
            return maybe(evidence.refine_name(self, node, bindings, result.value))
        return evidence.refine_name(self, node, bindings, result)

    def _evaluate_NamedExpr(self, node: ast.NamedExpr) -> Value:
        return self.possible(node.value)

    def _evaluate_IfExp(self, node: ast.IfExp) -> Value:
        return join(self.possible(node.body), self.possible(node.orelse))

    def _evaluate_BoolOp(self, node: ast.BoolOp) -> Value:
        result: Value = NOTHING
        for operand in node.values[:-1]:
            value = self.possible(operand)
            # What ``or`` hands on is true.
            result = join(result, without_none(value) if isinstance(node.op, ast.Or) else value)
        return join(result, self.possible(node.values[-1]))

    def _evaluate_Lambda(self, node: ast.Lambda) -> Value:
        return Function(node)

    def _evaluate_Tuple(self, node: ast.Tuple | ast.List) -> Value:
        if any(isinstance(element, ast.Starred) for element in node.elts):
            return Sequence()
        return sequence_of(tuple(self.possible(element) for element in node.elts))

    _evaluate_List = _evaluate_Tuple

    def _evaluate_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> Value:
        return Sequence(self.possible(node.elt))

    _evaluate_GeneratorExp = _evaluate_ListComp

    def _evaluate_Dict(self, node: ast.Dict) -> Value:
        if any(key is None for key in node.keys):
            return Mapping()
        values = tuple(self.possible(value) for value in node.values)
        if not values:
            return Mapping()
        keyed = tuple(
            (key.value, value)
            for key, value in zip(node.keys, values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        )
        return Mapping(sequence_of(values).element, keyed if len(keyed) == len(values) else ())

    def _evaluate_DictComp(self, node: ast.DictComp) -> Value:
        return Mapping(self.possible(node.value))

    def _evaluate_UnaryOp(self, node: ast.UnaryOp) -> Value:
        operand = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return Number("bool")
        if isinstance(operand, Tensor):
            # What ~ makes of a mask of uint8 is none: 254 and 255.
            is_lost = isinstance(node.op, ast.Invert) and operand.dtype == "uint8"
            dtype = None if is_lost else operand.dtype
            return replace(operand, leaf_module=None, dtype=dtype)
        return operand if isinstance(operand, (Number, Array)) else UNKNOWN

    def _evaluate_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, (Tensor, Number)) and isinstance(right, Unknown):
            right = self._counted(node.right)
        elif isinstance(right, (Tensor, Number)) and isinstance(left, Unknown):
            left = self._counted(node.left)
        return operations.arithmetic(node.op, left, right)

    def _counted(self, node: ast.expr) -> Value:
        """A number where a name of which nothing else is known is given as one elsewhere."""
        is_named = isinstance(node, (ast.Name, ast.Attribute))
        return Number("int") if is_named and self.counts.is_count(node) else UNKNOWN

    def _evaluate_Compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1 or isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
            return Number("bool")
        if any(constant(operand) is None for operand in (node.left, *node.comparators)):
            return Number("bool")
        left, right = self.value(node.left), self.value(node.comparators[0])
        if isinstance(left, Tensor) or isinstance(right, Tensor):
            result = operations.broadcast([v for v in (left, right) if not isinstance(v, Number)])
            return replace(result, dtype="bool", grad=False)
        if isinstance(left, Array) or isinstance(right, Array):
            return operations.of_arrays(left, right)
        if isinstance(left, (Number, Text)) and isinstance(right, (Number, Text)):
            return Number("bool")
        return UNKNOWN

    def _evaluate_Subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        if isinstance(base, Tensor):
            if base.ndim == 0 and isinstance(self.value(node.slice), Number):
                # Refused since 0.5; until then, what the one element was.
                return Number()
            return operations.index_tensor(self, base, node.slice)
        if isinstance(base, (Array, Nothing, Collated)):
            return base
        index = node.slice
        if isinstance(index, ast.Slice):
            if isinstance(base, Sequence):
                return Sequence(base.element)
            return base if isinstance(base, (Text, Size)) else UNKNOWN
        if isinstance(base, Mapping):
            return self.item_of_mapping(base, index)
        if isinstance(base, Module) and base.cls in ("torch.nn.ModuleList", "torch.nn.Sequential"):
            return self._element_of_container(base)
        position = whole_number(index)
        return element_of(base) if position is None else item_at(base, position)

    def item_of_mapping(self, mapping: Mapping, key: ast.expr) -> Value:
        """The item of a literal key, where the file never stores another one under it."""
        wanted = key.value if isinstance(key, ast.Constant) else None
        item = dict(mapping.items).get(wanted) if isinstance(wanted, str) else None
        if item is None:
            return of_any_caller(mapping.element)
        if wanted in self.names.stored_keys:
            return of_any_caller(mapping.element)
        by_other_keys = any(
            isinstance(self.value(store.value), (Mapping, Unknown))
            for store in self.names.stores_by_computed_key
        )
        return of_any_caller(item) if by_other_keys else item

    def _element_of_container(self, module: Module) -> Value:
        result: Value = NOTHING
        for argument in module.call.args if module.call is not None else ():
            value = self.value(argument)
            result = join(result, element_of(value) if isinstance(value, Sequence) else value)
        return Module() if isinstance(result, (Nothing, Unknown)) else result

    def _evaluate_Attribute(self, node: ast.Attribute) -> Value:
        name = self.names.name(node)
        if name is not None:
            found = elsewhere.named_attribute(self, node)
            return calls.value_of_name(name) if isinstance(found, Unknown) else found
        base = self.value(node.value)
        if isinstance(base, Tensor):
            value = operations.tensor_attribute(base, node.attr)
            return maybe(value) if node.attr == "grad" else value
        if isinstance(base, (Module, Instance)) and base.definition is not None:
            method = self.classes.method(base.definition, node.attr)
            if method is not None:
                if self.classes.is_property(method):
                    return self.returned(method)
                return Method(base, node.attr)
            if isinstance(base, Module) and classes_elsewhere.is_layer_parameter(
                self, base, node.attr
            ):
                return _parameter(node.attr)
            found = self.attribute(base.definition, node.attr, not is_no_number(self.names, node))
            return evidence.refine_attribute(self, node, base.definition, found)
        if isinstance(base, (ImportedFile, Imported)) or (isinstance(base, Module) and base.origin):
            return elsewhere.attribute(base, node.attr)
        if isinstance(base, Module):
            if torch_api.is_parameter(base.cls, node.attr):
                is_replaced = node.attr in self.names.assigned_attributes
                ndim = None if is_replaced else torch_api.parameter_ndim(base.cls, node.attr)
                return _parameter(node.attr, ndim)
            if base.either and all(
                torch_api.is_parameter(one.cls, node.attr) for one in base.either
            ):
                return _parameter(node.attr)
            if base.cls is None and node.attr in ("weight", "bias"):
                # Of whichever layer it is, what is read as data is a parameter.
                is_parameter = self._reads_data(node)
                return Tensor(leaf_module="torch.nn.Parameter") if is_parameter else UNKNOWN
            if base.cls == "torch.nn.Module" and self.names.attributes(node.attr):
                return self._held_by_plain_module(node.attr) or Method(base, node.attr)
            return Method(base, node.attr)
        if isinstance(base, Unknown) and node.attr in _SAVED:
            is_own = node.attr in self.names.assigned_attributes
            return base if is_own else Sequence(maybe(Tensor()))
        if isinstance(base, (Unknown, Nothing)):
            return base
        if isinstance(base, Foreign) and base.name in torch_api.TENSOR_DATASETS:
            if node.attr in torch_api.TENSOR_DATASET_ATTRIBUTES:
                ndim = 1 if node.attr.endswith(("labels", "targets")) else 3
                return Tensor(ndim=ndim, contiguous=True, grad=False)
        if base == Foreign(operations.OPTIONS):
            option = options.number_option(self, node.attr)
            return Method(base, node.attr) if isinstance(option, Unknown) else option
        return UNKNOWN if isinstance(base, Distribution) else Method(base, node.attr)

    def _held_by_plain_module(self, name: str) -> Value | None:
        """What ``nn.Module()`` holds under a name that the file gives it; None where it does
        not."""
        result: Value = NOTHING
        for node in self.names.attributes(name):
            if isinstance(node.ctx, ast.Load):
                continue
            statement = self.names.parents[node]
            base = self.value(node.value)
            if isinstance(base, (Module, Instance)) and base.definition is not None:
                continue
            if not isinstance(statement, ast.Assign):
                return UNKNOWN
            result = join(result, self.possible(statement.value))
        return None if isinstance(result, Nothing) else of_any_caller(result)

    def _reads_data(self, node: ast.AST) -> bool:
        """``m.weight.data``: of whichever layer m is, its weight is a parameter."""
        parent = self.names.parents.get(node)
        return isinstance(parent, ast.Attribute) and parent.attr == "data"

    def _evaluate_Call(self, node: ast.Call) -> Value:
        return calls.call(self, node)

    def _evaluate_Await(self, node: ast.Await) -> Value:
        return UNKNOWN

    # Bindings

    def _evaluate_binding(self, binding: Binding) -> Value:
        node = binding.node
        if binding.kind == "assign" and isinstance(written := binding.written(), ast.List):
            return stores.refine_list(self, binding, self.value(written))
        if binding.kind in ("assign", "walrus") and binding.value is not None:
            return self._follow(self.possible(binding.value), binding)
        if binding.kind == "augassign" and isinstance(node, ast.AugAssign):
            result: Value = NOTHING
            for total in self._totals(node, binding, self.bound):
                result = join(result, total)
            return result
        if binding.kind == "for" and binding.value is not None:
            return self._follow(element_of(self.value(binding.value)), binding)
        if binding.kind == "function" and isinstance(node, ast.FunctionDef):
            return Function(node)
        if binding.kind == "class" and isinstance(node, ast.ClassDef):
            return ClassObject(node)
        if binding.kind == "parameter" and isinstance(node, ast.arg):
            return stores.refine_parameter(self, binding, parameters.parameter(self, node))
        if binding.kind == "import":
            name = binding.qualified or ""
            if name.startswith("numpy") or is_foreign(name):
                constant = standard_library.constant(name)
                return Foreign(name) if isinstance(constant, Unknown) else constant
            return elsewhere.imported(self.files, binding)
        return UNKNOWN

    def _totals(
        self, node: ast.AugAssign, binding: Binding, before: Callable[[Binding], Value]
    ) -> Iterator[Value]:
        """What ``name += value`` leaves, for each binding that it may start from.

        One by one: a sum that starts as 0 is a tensor once a tensor was added.
        """
        added = self.value(node.value)
        for earlier in self.flow.reaching_before(node, binding.name):
            yield operations.in_place(node.op, before(earlier), added)

    def _no_number(self, binding: Binding) -> Value:
        """What a binding gives to its name where that is certainly no number."""
        value, node = self.bound(binding), binding.node
        if isinstance(value, Number):
            return NOTHING
        if not isinstance(value, Unknown) or not isinstance(node, ast.AugAssign):
            return value
        return self._query(("no number", binding), self._evaluate_no_number, node, binding)

    def _evaluate_no_number(self, node: ast.AugAssign, binding: Binding) -> Value:
        result: Value = NOTHING
        for total in self._totals(node, binding, self._no_number):
            result = join(result, total)
        for total in self._totals(node, binding, self._number_of):
            if not isinstance(total, Number):
                result = join(result, total)
        return result

    def _number_of(self, binding: Binding) -> Value:
        """A number where a binding may give one."""
        return Number() if isinstance(self.bound(binding), (Number, Unknown)) else NOTHING

    def _follow(self, value: Value, binding: Binding) -> Value:
        for step in binding.path:
            value = Sequence(element_of(value)) if step == "*" else item_at(value, step)
        return value

    # Functions and classes of this file

    def _evaluate_returns(self, function: ast.AST) -> Value:
        if isinstance(function, ast.Lambda):
            return self.possible(function.body)
        if not isinstance(function, ast.FunctionDef) or self.classes.is_wrapped(function):
            return UNKNOWN
        returns = []
        for node in self.exits.get(function, ()):
            if not isinstance(node, ast.Return):
                return Sequence()
            returns.append(node)
        result = self._joined_returns(returns)
        if isinstance(function.body[-1], ast.Raise):
            # What a subclass has to define.
            return UNKNOWN if isinstance(result, Nothing) else result
        is_empty = isinstance(result, Nothing) and not self._pending.cut
        return NoneValue() if is_empty else result

    def _joined_returns(self, returns: Iterable[ast.Return]) -> Value:
        result: Value = NOTHING
        for node in returns:
            result = join(result, NoneValue() if node.value is None else self.possible(node.value))
        return result

    def _evaluate_attribute(self, definition: ast.ClassDef, name: str, is_number: bool) -> Value:
        if self.is_asked_by_others and outside.is_set_by_others(self, name):
            return UNKNOWN
        result: Value = NOTHING
        for source in self.classes.attribute_sources(definition, name):
            if isinstance(source.node, ast.AugAssign):
                value = self._added_to(source.node, definition, name, is_number)
            elif source.value is None:
                return UNKNOWN
            else:
                stored = handed.handed_to_base(self, definition, source) or source.value
                value = self._follow(self.possible(stored), source)
                if isinstance(source.written(), ast.List):
                    value = stores.refine_list_attribute(self, source, name, value)
            if is_number or not isinstance(value, Number):
                result = join(result, value)
        for buffer in self.classes.buffers(definition, name):
            result = join(result, dtypes.unless_converted(self.value(buffer)))
        result = join(result, classes_elsewhere.inherited_attribute(self, definition, name))
        if isinstance(result, Nothing) and not self._pending.cut:
            return UNKNOWN
        if self.classes.kind(definition) == "unknown":
            # A base out of sight may set it as well.
            result = of_any_caller(result)
        return stores.refine_by_stores(self, definition, name, result)

    def _added_to(
        self, node: ast.AugAssign, definition: ast.ClassDef, name: str, is_number: bool
    ) -> Value:
        """What ``self.name += value`` leaves, whatever it was before."""
        added = self.value(node.value)
        before = self.attribute(definition, name, is_number)
        result = operations.in_place(node.op, before, added)
        if is_number or isinstance(before, Unknown):
            return result
        return join(result, operations.arithmetic(node.op, Number(), added))


def _parameter(name: str, ndim: int | None = None) -> Value:
    """A parameter of a layer of torch; layers can be built without a bias."""
    parameter = Tensor(ndim=ndim, contiguous=True, leaf_module="torch.nn.Parameter")
    return maybe(parameter) if name.startswith("bias") else parameter


class _Evaluators(dict[type, Callable[[Inference, Any], Value] | None]):
    """The method of :class:`Inference` for each node class."""

    def __missing__(self, cls: type) -> Callable[[Inference, Any], Value] | None:
        self[cls] = found = getattr(Inference, f"_evaluate_{cls.__name__}", None)
        return found


_EVALUATORS = _Evaluators()
