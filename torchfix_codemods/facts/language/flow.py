"""Which bindings of a name can reach a place: structural reaching definitions."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator

from torchfix_codemods.facts.language.jumps import Loop, jumps_of, leaves
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.nodes import LOOPS
from torchfix_codemods.facts.language.python_versions import of_python3
from torchfix_codemods.facts.language.scopes import Binding, Scope

_WITHS = (ast.With, ast.AsyncWith)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
ELEMENTWISE = (ast.Add, ast.Sub, ast.Mult, ast.Div)
if sys.version_info >= (3, 11):
    TRIES = (ast.Try, ast.TryStar)
else:
    TRIES = (ast.Try,)


class Flow:
    """Reaching definitions of one module, computed per name when asked.

    Args:
        names: the scopes of the module.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._by_statement: dict[tuple[Scope, str], dict[ast.AST, list[Binding]]] = {}
        self._reaching: dict[ast.Name, tuple[Binding, ...]] = {}
        self._uses: dict[tuple[Scope, str], dict[frozenset[Binding], list[ast.Name]]] = {}

    def reaching(self, use: ast.Name) -> tuple[Binding, ...]:
        """The bindings whose value ``use`` can have; empty where the name is not bound here.

        Names of outer functions and of the module can have any of the values that they have when
        the function is defined or get later, because it may run at any time from then on.
        """
        known = self._reaching.get(use)
        if known is None:
            known = self._reaching[use] = tuple(self._reach(use))
        return known

    def uses_reached_by(
        self, bindings: tuple[Binding, ...], scope: Scope, name: str
    ) -> list[ast.Name]:
        """The uses of a name in a scope that these bindings reach, and no others."""
        return self._uses_by_bindings(scope, name).get(frozenset(bindings), []) if bindings else []

    def uses_past_choices(self, use: ast.Name, bindings: tuple[Binding, ...]) -> Iterator[ast.Name]:
        """Later uses that see what ``use`` sees, where the other part of an ``if`` may bind anew.

        Args:
            use: a use of a name.
            bindings: those that reach it.
        """
        own = frozenset(bindings)
        table = self._uses_by_bindings(self._names.scope_of(use), use.id)
        for reached, others in table.items() if own and len(table) > 1 else ():
            if not own < reached:
                continue
            choices = [self._choice_between(binding.node, use) for binding in reached - own]
            for other in others:
                if other.lineno > use.lineno and all(
                    choice is not None and self._loops(choice) == self._loops(other)
                    for choice in choices
                ):
                    yield other

    def uses_past_sums(self, use: ast.Name, bindings: tuple[Binding, ...]) -> Iterator[ast.Name]:
        """Uses that see what ``use`` sees after ``name += …``, or before it."""
        for _, others in self._uses_past(use, bindings, self._before_sum):
            yield from others

    def _before_sum(self, binding: Binding) -> Iterable[Binding]:
        """What a statement adds to; nothing for what does something else."""
        statement = binding.node
        if not isinstance(statement, ast.AugAssign) or not isinstance(statement.op, ELEMENTWISE):
            return ()
        return self.reaching_before(statement, binding.name)

    def uses_past_moves(
        self,
        use: ast.Name,
        bindings: tuple[Binding, ...],
        moved: Callable[[ast.expr], ast.expr],
    ) -> Iterator[ast.Name]:
        """Uses that see what ``use`` sees, or the same somewhere else: ``x = x.cuda()``.

        Args:
            use: a use of a name.
            bindings: those that reach it.
            moved: what an expression only moves; itself where it does more.
        """

        def before_move(binding: Binding) -> Iterable[Binding]:
            written = binding.written() if binding.kind == "assign" else None
            name = None if written is None else moved(written)
            is_own = isinstance(name, ast.Name) and name is not written and name.id == binding.name
            return self.reaching(name) if isinstance(name, ast.Name) and is_own else ()

        for reached, others in self._uses_past(use, bindings, before_move):
            if not reached <= {*bindings}:
                yield from others

    def _uses_past(
        self,
        use: ast.Name,
        bindings: tuple[Binding, ...],
        before: Callable[[Binding], Iterable[Binding]],
    ) -> Iterator[tuple[frozenset[Binding], list[ast.Name]]]:
        """Uses that see some bindings, or what goes on from them alone, by what reaches them."""
        table = self._uses_by_bindings(self._names.scope_of(use), use.id)
        for reached, others in table.items() if bindings and len(table) > 1 else ():
            if all(self._goes_on_from(binding, {*bindings}, before) for binding in reached):
                yield reached, others

    def _goes_on_from(
        self,
        binding: Binding,
        known: set[Binding],
        before: Callable[[Binding], Iterable[Binding]],
    ) -> bool:
        """Whether a binding is one of some, or goes on from them whatever way comes to it."""
        if binding in known:
            return True
        earlier = list(before(binding))
        # In a loop it goes on from itself.
        known.add(binding)
        return bool(earlier) and all(self._goes_on_from(b, known, before) for b in earlier)

    def _uses_by_bindings(
        self, scope: Scope, name: str
    ) -> dict[frozenset[Binding], list[ast.Name]]:
        key = scope, name
        table = self._uses.get(key)
        if table is None:
            table = {}
            for use in scope.uses.get(name, ()):
                table.setdefault(frozenset(self.reaching(use)), []).append(use)
            self._uses[key] = table
        return table

    def _choice_between(self, node: ast.AST, use: ast.AST) -> ast.If | None:
        """The ``if`` of which one part holds ``node`` and the other one ``use``."""
        part: ast.AST = use
        for around in self._names.ancestors(use):
            if isinstance(around, ast.If) and part is not around.test:
                others = around.orelse if part in around.body else around.body
                if any(node is other or other in self._names.ancestors(node) for other in others):
                    return around
            part = around
        return None

    def _loops(self, node: ast.AST) -> list[ast.AST]:
        return [around for around in self._names.ancestors(node) if isinstance(around, LOOPS)]

    def reaching_before(self, statement: ast.stmt, name: str) -> tuple[Binding, ...]:
        """The bindings of ``name`` that can reach the start of ``statement``."""
        found = self._names.scope_of(statement).lookup(name)
        if found is None:
            return ()
        holder, bindings = found
        if holder is not self._names.scope_of(statement) or self._is_set_by_others(
            bindings, holder
        ):
            return tuple(bindings)
        return tuple(dict.fromkeys(self._before(statement, name, holder)))

    def _reach(self, use: ast.Name) -> Iterable[Binding]:
        scope = self._names.scope_of(use)
        found = scope.lookup(use.id)
        if found is None:
            return ()
        holder, bindings = found
        if len(bindings) == 1:
            return bindings
        while scope is not holder and scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        if (
            holder.kind not in ("function", "module")
            or any(b.kind in ("walrus", "other") for b in bindings)
            or self._is_set_by_others(bindings, holder)
        ):
            return bindings
        return dict.fromkeys(
            self._at(use, holder) if scope is holder else self._since(use, holder, bindings)
        )

    def _since(self, use: ast.Name, holder: Scope, bindings: list[Binding]) -> Iterable[Binding]:
        """The bindings of a module that a function of it may see: not those that others hide before
        it is defined. In a loop, what is below comes before as well.
        """
        around = [node for node in self._names.ancestors(use) if isinstance(node, _DEFINITIONS)]
        if holder.kind != "module" or not around or self._loops(around[-1]):
            return bindings
        defined = around[-1]
        before = {*self._before(defined, use.id, holder)}
        return [b for b in bindings if b in before or _line(b.node) >= defined.lineno]

    def _is_set_by_others(self, bindings: Iterable[Binding], holder: Scope) -> bool:
        """Whether a function that may run at any time sets a name by ``global``, ``nonlocal``."""
        nodes = self._names.nodes
        if not (nodes.get(ast.Global) or nodes.get(ast.Nonlocal)):
            return False
        return any(
            isinstance(b.node, ast.stmt) and self._names.scope_of(b.node) is not holder
            for b in bindings
        )

    def _at(self, use: ast.Name, holder: Scope) -> Iterator[Binding]:
        """The bindings that reach ``use`` inside its own statement."""
        statement = self._names.statement(use)
        yield from self._before(statement, use.id, holder)
        if isinstance(statement, ast.While):
            # Its test is made again behind each turn.
            yield from self._after_turn(statement, use.id, holder)

    def _before(self, statement: ast.stmt, name: str, holder: Scope) -> Iterator[Binding]:
        parent = self._names.parents[statement]
        block = _block_of(parent, statement)
        for earlier in self._telling(block[: block.index(statement)], name, holder):
            bindings, kills = self._effect(earlier, name, holder)
            yield from bindings
            if kills:
                return
        yield from self._before_block(parent, block, name, holder)

    def _before_block(
        self, parent: ast.AST, block: list[ast.stmt], name: str, holder: Scope
    ) -> Iterator[Binding]:
        inside = self._inside(holder, name)
        if isinstance(parent, ast.Module):
            return
        if isinstance(parent, _DEFINITIONS):
            for binding in holder.bindings.get(name, ()):
                if binding.kind == "parameter":
                    yield binding
            return
        if isinstance(parent, ast.ExceptHandler):
            if parent.name == name:
                yield from (b for b in inside.get(parent, ()) if b.node is parent)
                return
            parent = self._names.parents[parent]
            assert isinstance(parent, TRIES)
            for statement in parent.body:
                yield from inside.get(statement, ())
        elif isinstance(parent, LOOPS):
            own = [b for b in inside.get(parent, ()) if b.node is parent]
            if own and block is parent.body:
                yield from own
                return
            if block is parent.body:
                # The next turn begins with what this one leaves at its end.
                yield from self._after_turn(parent, name, holder)
            else:
                yield from inside.get(parent, ())
        elif isinstance(parent, _WITHS):
            own = [b for b in inside.get(parent, ()) if b.node is parent]
            if own:
                yield from own
                return
        elif isinstance(parent, TRIES) and block is not parent.body:
            yield from (b for b in inside.get(parent, ()))
        elif isinstance(parent, ast.match_case):
            parent = self._names.parents[parent]
        if isinstance(parent, ast.stmt):
            yield from self._before(parent, name, holder)

    def _after_turn(self, loop: Loop, name: str, holder: Scope) -> Iterator[Binding]:
        """The bindings of a turn of a loop that can reach the next one."""
        yield from self._effect_of_block(loop.body, name, holder)[0]
        for jump in jumps_of(self._names, loop, ast.Continue):
            yield from self._at_jump(jump, loop, name, holder)

    def _at_jump(self, jump: ast.stmt, loop: Loop, name: str, holder: Scope) -> Iterator[Binding]:
        """The bindings of a turn of a loop that can reach the statement that ends it."""
        inside, statement, is_hidden = self._inside(holder, name), jump, False
        while True:
            parent = self._names.parents[statement]
            block = _block_of(parent, statement)
            earlier, kills = self._effect_of_block(block[: block.index(statement)], name, holder)
            yield from () if is_hidden else earlier
            is_hidden = is_hidden or kills
            if parent is loop:
                return
            if isinstance(parent, (ast.ExceptHandler, ast.match_case)):
                parent = self._names.parents[parent]
            assert isinstance(parent, ast.stmt)
            # What stands under ``finally`` runs after a jump.
            if isinstance(parent, TRIES) or not (is_hidden or isinstance(parent, ast.If)):
                yield from inside.get(parent, ())
            statement = parent

    def _effect(self, statement: ast.stmt, name: str, holder: Scope) -> tuple[list[Binding], bool]:
        """The bindings that ``statement`` leaves behind, and whether it hides all earlier ones."""
        bindings = self._inside(holder, name).get(statement)
        if isinstance(statement, ast.If):
            return self._effect_of_if(statement, name, holder)
        if not bindings:
            return [], False
        if isinstance(statement, LOOPS):
            return self._left_by_loop(statement, bindings, name, holder), False
        if isinstance(statement, _WITHS):
            inner, kills = self._effect_of_block(statement.body, name, holder)
            own = [b for b in bindings if b.node is statement]
            return (inner, True) if kills else ([*inner, *own], bool(own))
        if isinstance(statement, TRIES):
            _, finally_kills = self._effect_of_block(statement.finalbody, name, holder)
            _, body_kills = self._effect_of_block(
                [*statement.body, *statement.orelse], name, holder
            )
            handled = all(
                leaves(handler.body, self._names)
                or self._effect_of_block(handler.body, name, holder)[1]
                for handler in statement.handlers
            )
            return bindings, finally_kills or (body_kills and handled)
        if isinstance(statement, ast.Match):
            return bindings, False
        return bindings, True

    def _left_by_loop(
        self,
        loop: Loop,
        bindings: list[Binding],
        name: str,
        holder: Scope,
    ) -> list[Binding]:
        """The bindings of a loop that can be seen below it."""
        last, kills = self._effect_of_block(loop.body, name, holder)
        jumps = [*jumps_of(self._names, loop, ast.Continue, ast.Break)]
        for jump in jumps:
            last += self._at_jump(jump, loop, name, holder)
        own = [] if kills and not jumps else [b for b in bindings if b.node is loop]
        return [*last, *own, *self._effect_of_block(loop.orelse, name, holder)[0]]

    def _effect_of_if(
        self, statement: ast.If, name: str, holder: Scope
    ) -> tuple[list[Binding], bool]:
        result: list[Binding] = []
        kills_all = True
        decided = of_python3(self._names, statement.test)
        for block in (statement.body, statement.orelse):
            # What only Python 2 runs binds nothing.
            if leaves(block, self._names) or decided is (block is not statement.body):
                continue
            bindings, kills = self._effect_of_block(block, name, holder)
            result += bindings
            kills_all = kills_all and kills
        return result, kills_all

    def _effect_of_block(
        self, block: list[ast.stmt], name: str, holder: Scope
    ) -> tuple[list[Binding], bool]:
        result: list[Binding] = []
        for statement in self._telling(block, name, holder):
            bindings, kills = self._effect(statement, name, holder)
            result += bindings
            if kills:
                return result, True
        return result, False

    def _telling(self, block: list[ast.stmt], name: str, holder: Scope) -> Iterator[ast.stmt]:
        """The statements that bind a name or, as an ``if`` can, are never left; the last first."""
        inside = self._inside(holder, name)
        for statement in reversed(block):
            if statement in inside or isinstance(statement, ast.If):
                yield statement

    def _inside(self, holder: Scope, name: str) -> dict[ast.AST, list[Binding]]:
        """For each statement, the bindings of ``name`` that it holds at any depth."""
        key = holder, name
        if key not in self._by_statement:
            table: dict[ast.AST, list[Binding]] = {}
            for binding in holder.bindings.get(name, ()):
                node: ast.AST | None = binding.node
                while node is not None and node is not holder.node:
                    table.setdefault(node, []).append(binding)
                    node = self._names.parents.get(node)
            self._by_statement[key] = table
        return self._by_statement[key]


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def _block_of(parent: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    fields = ("body", "orelse", "finalbody")
    blocks: Iterator[list[ast.stmt]] = (getattr(parent, field, []) for field in fields)
    return next(block for block in blocks if statement in block)
