"""Which device a module works on: the object or flag it already has, or a new definition."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evidence.proofs import defines_method
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.first_run import first_line
from torchfix_codemods.facts.values.lattice import (
    Batch,
    Device,
    Module,
    Packed,
    Tensor,
    Unknown,
    Value,
)
from torchfix_codemods.record import record

#: What ``.cuda()`` moves to a device, and ``.to(device)`` as well.
MOVABLE = (Tensor, Module, Batch, Packed)

_IS_AVAILABLE = "torch.cuda.is_available"
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@record
class Flag:
    """An expression of the module level that tells whether CUDA is to be used."""

    text: str
    after: ast.stmt | None
    """The statement that gives it its value; None for ``torch.cuda.is_available()``."""

    @property
    def asks_for_cuda(self) -> bool:
        """Whether it is not what the file computed before, but asks torch anew."""
        return self.text.endswith(".cuda.is_available()")


def guards_of(node: ast.AST, facts: Facts) -> Iterator[ast.expr]:
    """The tests that must have held where ``node`` runs, innermost first.

    Of ``if test: node``, ``if not test: … else: node``, ``node if test else …`` and all nested.
    """
    child: ast.AST = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, ast.If) and child in parent.body:
            yield parent.test
        elif isinstance(parent, ast.If) and child in parent.orelse:
            if isinstance(parent.test, ast.UnaryOp) and isinstance(parent.test.op, ast.Not):
                yield parent.test.operand
        elif isinstance(parent, ast.IfExp) and child is parent.body:
            yield parent.test
        elif isinstance(parent, _DEFINITIONS):
            return
        child = parent


def tensor_on_gpu(test: ast.expr, facts: Facts) -> ast.expr | None:
    """``x`` of ``x.is_cuda``, where that is certainly a tensor.

    What is not known is one if the same function asks for its size, too.
    """
    if not (isinstance(test, ast.Attribute) and test.attr == "is_cuda"):
        return None
    if facts.is_tensor(test.value):
        return test.value
    function = facts.names.enclosing_function(test)
    if function is None or not isinstance(test.value, ast.Name):
        return None
    if not isinstance(facts.value(test.value), Unknown) or "size" in method_names(facts.names):
        return None
    reaching = set(facts.flow.reaching(test.value))
    is_sized = any(
        isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == test.value.id
        and facts.names.enclosing_function(call) is function
        and set(facts.flow.reaching(call.func.value)) == reaching
        for call in facts.names.method_calls("size")
    )
    return test.value if is_sized and reaching else None


def asks_for_place(test: ast.expr, facts: Facts) -> bool:
    """Whether a test is ``x.is_cuda`` of whatever lies on a GPU, and no flag of that name."""
    is_asked = isinstance(test, ast.Attribute) and test.attr == "is_cuda"
    return is_asked and "is_cuda" not in method_names(facts.names)


def is_meant_for_gpu(node: ast.AST, facts: Facts) -> bool:
    """Whether the code around ``node`` speaks of the GPU, so that it may run with one only.

    A test, a ``with``, a decorator or the name of the function around it, or of a class.
    """
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, (ast.If, ast.IfExp)):
            if child is not parent.test and _mentions_cuda(parent.test):
                return True
        elif isinstance(parent, (ast.With, ast.AsyncWith)):
            if any(_mentions_cuda(item.context_expr) for item in parent.items):
                return True
        elif isinstance(parent, _DEFINITIONS):
            if any(map(_mentions_cuda, (ast.Name(parent.name), *parent.decorator_list))):
                return True
        child = parent
    return False


def is_cuda_available(node: ast.AST, facts: Facts) -> bool:
    """Whether an expression is ``torch.cuda.is_available()``."""
    return isinstance(node, ast.Call) and facts.name(node.func) == _IS_AVAILABLE and not node.args


def same_expression(left: ast.AST, right: ast.AST) -> bool:
    """Whether two expressions are written alike."""
    return ast.dump(left) == ast.dump(right)


def module_flag(test: ast.expr, facts: Facts) -> Flag | None:
    """The flag that a guard tests, where it is one that the module level sets once.

    ``args.cuda`` after ``args.cuda = …`` or ``args = parser.parse_args()``, ``use_cuda`` after
    ``use_cuda = …`` or ``from config import use_cuda``, or ``torch.cuda.is_available()`` itself.
    """
    if is_cuda_available(test, facts):
        return Flag(facts.segment(test), None)
    after = setting_of(test, facts) if _mentions_cuda(test) else None
    if after is None:
        return None
    # A name that is imported is set once and for all; an attribute of a module is not.
    sets_once = (ast.Assign, ast.ImportFrom) if isinstance(test, ast.Name) else ast.Assign
    if not isinstance(after, sets_once) or facts.parent(after) is not facts.tree:
        return None
    return Flag(facts.segment(test), after)


def setting_of(test: ast.expr, facts: Facts) -> ast.AST | None:
    """What gives a flag its value, a name of the module level or an attribute of one.

    None where it is none, and where it may get another value later.
    """
    root = first_name(test)
    found = None if root is None else facts.names.scope_of(root).lookup(root.id)
    if root is None or found is None or found[0] is not facts.names.module or len(found[1]) != 1:
        return None
    if not isinstance(test, ast.Attribute):
        return found[1][0].node
    assignments = list(_assignments_of(test, facts))
    if len(assignments) > 1 or _is_set_out_of_sight(root, facts):
        return None
    return assignments[0] if assignments else found[1][0].node


def _assignments_of(target: ast.Attribute, facts: Facts) -> Iterator[ast.stmt]:
    for node in facts.names.nodes.get(ast.Attribute, ()):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and ast.unparse(node) == ast.unparse(target)
        ):
            yield facts.statement(node)


def _is_set_out_of_sight(options: ast.Name, facts: Facts) -> bool:
    """Whether an object may get attributes that no assignment names.

    ``setattr(opt, key, value)``, ``vars(opt).update(given)``, ``opt.parse(given)``.
    """
    return any(_sets_attributes(use, facts) for use in _uses_of_global(options.id, facts))


def _uses_of_global(name: str, facts: Facts) -> Iterator[ast.Name]:
    return facts.names.uses_of(facts.names.module, name)


def _sets_attributes(use: ast.Name, facts: Facts) -> bool:
    parent = facts.parent(use)
    above = None if parent is None else facts.parent(parent)
    if isinstance(parent, ast.Attribute):
        is_called = isinstance(above, ast.Call) and above.func is parent
        return is_called or (parent.attr == "__dict__" and _is_written(parent, facts))
    if not isinstance(parent, ast.Call) or use not in parent.args:
        return False
    builtin = facts.names.builtin(parent.func)
    if builtin is not None:
        if builtin in ("setattr", "delattr"):
            return not (len(parent.args) > 1 and isinstance(parent.args[1], ast.Constant))
        return builtin == "vars" and _is_written(parent, facts)
    # A function that sets attributes by computed names may do so here.
    return any(
        isinstance(call.args[0], ast.Name) and call.args[0].id not in ("self", use.id)
        for call in _calls_of_setattr(facts)
    )


def _is_written(namespace: ast.expr, facts: Facts) -> bool:
    """Whether a dict of attributes is given to something else than a reader: ``….update(…)``."""
    parent = facts.parent(namespace)
    if isinstance(parent, ast.Attribute):
        return parent.attr in ("update", "setdefault", "pop", "clear")
    stored = namespace if isinstance(namespace, ast.Attribute) else None
    target = parent if isinstance(parent, ast.Subscript) else stored
    return target is not None and not isinstance(target.ctx, ast.Load)


def _calls_of_setattr(facts: Facts) -> list[ast.Call]:
    """All ``setattr(x, key, value)`` of which the key is not written out."""
    return [
        parent
        for scope in facts.names.scopes_using("setattr")
        for use in scope.uses["setattr"]
        if isinstance(parent := facts.parent(use), ast.Call) and parent.func is use
        if len(parent.args) > 1 and not isinstance(parent.args[1], ast.Constant)
    ]


def device_at(node: ast.AST, facts: Facts) -> str | None:
    """The name of a ``torch.device`` that is certainly bound where ``node`` runs."""
    scope = facts.names.scope_of(node)
    for name in _device_names(facts):
        found = scope.lookup(name)
        if found is None or len(found[1]) != 1:
            continue
        binding = found[1][0]
        statement = binding.node
        if not isinstance(facts.inference.bound(binding), Device):
            continue
        if not isinstance(statement, ast.stmt):
            continue
        if found[0] is facts.names.module and facts.parent(statement) is facts.tree:
            if runs_after(node, statement, facts):
                return name
        elif found[0] is scope and _precedes(statement, node, facts):
            return name
    return None


def definition_of(name: str, node: ast.AST, facts: Facts) -> ast.expr | None:
    """The expression that the only binding of ``name``, as seen from ``node``, gives it."""
    found = facts.names.scope_of(node).lookup(name)
    if found is None or len(found[1]) != 1:
        return None
    return found[1][0].value


def flag_of_device(definition: ast.expr | None, facts: Facts) -> ast.expr | None:
    """FLAG of ``torch.device("cuda" if FLAG else "cpu")``."""
    if not (isinstance(definition, ast.Call) and facts.name(definition.func) == "torch.device"):
        return None
    if len(definition.args) != 1 or not isinstance(definition.args[0], ast.IfExp):
        return None
    choice = definition.args[0]
    kinds = [part.value for part in (choice.body, choice.orelse) if isinstance(part, ast.Constant)]
    return choice.test if kinds == ["cuda", "cpu"] else None


def runs_after(node: ast.AST, statement: ast.stmt, facts: Facts) -> bool:
    """Whether ``node`` can only run once a statement of the module level has run.

    Nothing has to that follows a statement inside of a function. Code of the module level has to
    stand below; functions and methods that stand above must not be called, and classes not be used,
    by what the module level runs above.
    """
    if facts.parent(statement) is not facts.tree:
        return False
    return first_line(node, facts) > (statement.end_lineno or statement.lineno)


def _precedes(statement: ast.stmt, node: ast.AST, facts: Facts) -> bool:
    """Whether a statement of a function's own block stands before the one that holds ``node``."""
    block = facts.block(statement)
    holders = [node, *facts.names.ancestors(node)]
    return any(s in holders and s.lineno > statement.lineno for s in block)


def _device_names(facts: Facts) -> list[str]:
    return facts.remembered("names of devices", lambda: _find_device_names(facts))


def _find_device_names(facts: Facts) -> list[str]:
    names = {
        name
        for scope in facts.names.scopes.values()
        for name, bindings in scope.bindings.items()
        if any(_may_be_device(binding, facts) for binding in bindings)
    }
    return sorted(names, key=lambda name: (name != facts.device_name, name))


def _may_be_device(binding: Binding, facts: Facts) -> bool:
    if binding.kind == "import":
        # Other files are not read for names that say something else.
        return isinstance(binding.node, ast.ImportFrom) and "device" in binding.name.lower()
    value = binding.value
    return isinstance(value, ast.Call) and facts.name(value.func) == "torch.device"


def free_name(facts: Facts) -> str | None:
    """A name for a new device that no scope of the module uses."""
    return facts.remembered("free name", lambda: _find_free_name(facts))


def _find_free_name(facts: Facts) -> str | None:
    taken = {name for scope in facts.names.scopes.values() for name in scope.bindings}
    taken |= {name for scope in facts.names.scopes.values() for name in scope.uses}
    for name in (facts.device_name, f"torch_{facts.device_name}", f"default_{facts.device_name}"):
        if name not in taken:
            return name
    return None


def imports_torch(facts: Facts) -> bool:
    """Whether the module itself, and not just its functions, imports torch."""
    return any(
        (binding.qualified or "").partition(".")[0] == "torch"
        for bindings in facts.names.module.bindings.values()
        for binding in bindings
        if binding.kind == "import" and facts.parent(binding.node) is facts.tree
    ) or bool(facts.names.star_imports_of_torch)


def moves_to_default_gpu(call: ast.Call) -> bool:
    """``x.cuda()``, ``x.cuda(None)`` and ``x.cuda(non_blocking=…)``."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"):
        return False
    if is_opaque(call) or any(k.arg != "non_blocking" for k in call.keywords):
        return False
    return all(constant(a) is None for a in call.args)


def is_of_a_module(call: ast.Call, facts: Facts) -> bool:
    """Whether ``cuda()`` is called on a module of Python: on nothing that one of them defines."""
    assert isinstance(call.func, ast.Attribute)
    is_named = facts.name(call.func) is not None
    return is_named and not isinstance(facts.value(call.func.value), MOVABLE)


def moved_value(call: ast.Call, facts: Facts) -> Value:
    """What is moved, also where only the use of the result shows it: ``net = make().cuda()``."""
    assert isinstance(call.func, ast.Attribute)
    value = facts.value(call.func.value)
    value = facts.value_by_use(call) if isinstance(value, Unknown) else value
    if not isinstance(value, Unknown) or isinstance(facts.parent(call), ast.Expr):
        return value
    return Tensor() if _is_part_of_batch(call.func.value, facts) else value


def _is_part_of_batch(node: ast.expr, facts: Facts) -> bool:
    """``mask`` of ``for image, mask in loader``, where the image is a tensor.

    What else has ``cuda()`` in a batch would be of a class of the project that defines it.
    """
    names = facts.names
    if defines_method(names, "cuda") or names.is_method_of_project("cuda"):
        return False
    if not isinstance(node, ast.Name):
        return False
    bindings = facts.flow.reaching(node)
    loop = bindings[0].node if len(bindings) == 1 and bindings[0].kind == "for" else None
    if not isinstance(loop, (ast.For, ast.AsyncFor)) or not bindings[0].path:
        return False
    scope = names.scope_of(loop)
    beside = {
        b
        for bound in scope.bindings.values()
        for b in bound
        if b.node is loop and b.path[:-1] == bindings[0].path[:-1]
    }
    return any(
        isinstance(facts.value(use), Tensor) or isinstance(_moved_there(use, facts), Tensor)
        for b in beside - {bindings[0]}
        for use in scope.uses.get(b.name, ())
        if facts.flow.reaching(use) == (b,)
    )


def _moved_there(use: ast.Name, facts: Facts) -> Value:
    """What the uses of ``x.cuda()`` show ``x`` to be."""
    method = facts.parent(use)
    call = facts.parent(method) if isinstance(method, ast.Attribute) else None
    is_moved = isinstance(call, ast.Call) and moves_to_default_gpu(call)
    return facts.value_by_use(call) if is_moved and isinstance(call, ast.Call) else Unknown()


def flag_of_module(facts: Facts) -> Flag | None:
    """The one flag that all guarded ``.cuda()`` calls of the module stand under.

    None where something moves without a guard that ``.to(device)`` cannot take along: then the
    rest has to go where it goes, flag or no flag. So it has to beside ``cuda = False``, which is
    written for the guarded part only.
    """
    return facts.remembered("flag of the module", lambda: _find_flag_of_module(facts))


def _find_flag_of_module(facts: Facts) -> Flag | None:
    flags: dict[str, Flag] = {}
    some_unguarded = False
    for node in facts.names.nodes.get(ast.Call, ()):
        if not (isinstance(node, ast.Call) and moves_to_default_gpu(node)):
            continue
        if is_of_a_module(node, facts):
            continue
        tests = [test for test in guards_of(node, facts) if _mentions_cuda(test)]
        if any(asks_for_place(test, facts) for test in tests):
            # It goes where that is, flag or no flag.
            continue
        if not tests and not isinstance(moved_value(node, facts), MOVABLE):
            return None
        some_unguarded = some_unguarded or not tests
        for test in tests:
            flag = module_flag(test, facts)
            if flag is None:
                return None
            flags[flag.text] = flag
    flag = next(iter(flags.values())) if len(flags) == 1 else None
    if flag is not None and _is_off(flag) and (some_unguarded or _makes_on_gpu(facts)):
        return None
    return flag


def _makes_on_gpu(facts: Facts) -> bool:
    """Whether a tensor type of the GPU stands under no test for it: ``torch.cuda.LongTensor``."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr.endswith("Tensor")
        and (facts.name(node) or "").startswith("torch.cuda.")
        and not any(_mentions_cuda(test) for test in guards_of(node, facts))
        for node in facts.names.nodes.get(ast.Attribute, ())
    )


def _is_off(flag: Flag) -> bool:
    """Whether a flag is False as it is written: ``use_cuda = False``."""
    value = flag.after.value if isinstance(flag.after, ast.Assign) else None
    return isinstance(value, ast.Constant) and not value.value


def _mentions_cuda(test: ast.expr) -> bool:
    text = ast.unparse(test).lower()
    return "cuda" in text or "gpu" in text
