"""`pack_padded_sequence(x, lengths)`: lengths in a tensor have to be on the CPU since torch 1.7."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.language.flow import TRIES
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods, torch_effects, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.made import is_made_here
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.programs.placement import is_made_on_cpu
from torchfix_codemods.facts.tensors.reversed_arrays import reversals
from torchfix_codemods.facts.values.lattice import UNKNOWN, Tensor, Unknown
from torchfix_codemods.finding import Numerics, Reason
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.modules.questions.moved_lengths import is_asked_for_kind, moved_to_gpu
from torchfix_codemods.text.wording import worded_operand

_REVERSED = "lengths are made a tensor, and torch makes none of an array with a negative step: {0}"
_CAUGHT = (
    "lengths that are 0 or not sorted raise RuntimeError since torch 1.0: write RuntimeError for "
    "the ValueError that is caught"
)
_PACK = "torch.nn.utils.rnn.pack_padded_sequence"


class PackedLengths(Rule):
    """
    ## What it does
    Moves the lengths that `pack_padded_sequence` gets to the CPU, where they are a tensor that may
    be on a GPU.

    ## Why
    Up to torch 1.6 they could be on a GPU. Since 1.7 that raises: "'lengths' argument should be a
    1D CPU int64 tensor". An array that numpy reversed, `np.sort(lengths)[::-1]`, was taken as a
    list is; a tensor is made of it today, which fails. A finding tells of that, and of
    `except ValueError:` around a call whose lengths may be 0 or not sorted: torch raises
    RuntimeError then, since 1.0.

    ## Example
    ```python
    lengths, order = torch.sort(lengths, descending=True)
    packed = pack_padded_sequence(x[order], lengths)
    ```
    becomes
    ```python
    lengths, order = torch.sort(lengths, descending=True)
    packed = pack_padded_sequence(x[order], lengths.cpu())
    ```

    ## Numbers
    Identical: on the CPU `lengths.cpu()` is the same tensor. On a GPU the call fails without it.

    ## When it stays its hand
    Where they are a list or an array, and where they are a tensor that is made on the CPU. Of
    lengths that may be either, as those that a function is given, a finding says what to write
    where the project moves them to a GPU, in files that are certainly older than torch 1.7.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html
    - https://github.com/pytorch/pytorch/issues/43227
    """

    code = "TP709"
    name = "packed-lengths"
    since = "0.1"
    numerics = Numerics.IDENTICAL
    words = frozenset({"pack_padded_sequence"})
    message = "lengths have to be on the CPU since torch 1.7"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != _PACK or is_opaque(call):
            return
        if _is_caught_as_before(call, facts):
            yield self.advice(call, _CAUGHT)
        lengths = argument(call, 1, "lengths")
        value = UNKNOWN if lengths is None else facts.value(lengths)
        reversed_in = [] if lengths is None else reversals(facts, lengths)
        if lengths is not None and reversed_in:
            if not _is_told_above(call, reversed_in, facts):
                yield self.advice(call, _REVERSED.format(_copied(facts, lengths, reversed_in)))
            return
        if lengths is None or not isinstance(value, (Tensor, Unknown)):
            return
        if isinstance(value, Tensor) and is_made_here(facts, lengths):
            if not is_made_on_cpu(facts, lengths):
                yield self.found(call, reason=Reason.FAILS)
        elif facts.era_of(call).before((1, 7)) and isinstance(lengths, (ast.Name, ast.Attribute)):
            moved = moved_to_gpu(facts, lengths) if _may_be_tensor(lengths, facts) else None
            if moved is not None:
                written = ast.unparse(lengths)
                line = line_named(moved.node, moved.facts, facts)
                said = (
                    f"{self.message}: if {written} is a tensor, and no list, {line} moves it off "
                    f"it, and it is to be {written}.cpu()"
                    if is_asked_for_kind(moved)
                    else f"{self.message}, and {line} moves {written} off it: write {written}.cpu()"
                )
                yield self.advice(call, said)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        args = list(updated.args)
        named = index_of_keyword(updated, "lengths")
        index = 1 if named is None else named
        on_cpu = cst.Call(cst.Attribute(as_operand(args[index].value), cst.Name("cpu")))
        args[index] = args[index].with_changes(value=on_cpu)
        return updated.with_changes(args=args)


def _copied(facts: Facts, lengths: ast.expr, places: list[Place]) -> str:
    """The copy to write: where the one array is reversed, for all else that is made of it."""
    place = places[0]
    if len(places) > 1 or place.node is lengths:
        return f"write {worded_operand(lengths, 'lengths')}.copy()"
    there = line_named(place.node, place.facts, facts)
    return f"in {there} write {worded_operand(place.node, 'the reversed array')}.copy()"


def _is_told_above(call: ast.Call, reversed_in: list[Place], facts: Facts) -> bool:
    """Whether a call above gets lengths that are reversed in the same place."""
    places = {place.node for place in reversed_in}
    calls = (c for c in facts.names.nodes.get(ast.Call, ()) if isinstance(c, ast.Call))
    return any(
        facts.name(other.func) == _PACK
        and start_of(other) < start_of(call)
        and not is_opaque(other)
        and (given := argument(other, 1, "lengths")) is not None
        and {place.node for place in reversals(facts, given)} == places
        for other in calls
    )


def _is_caught_as_before(call: ast.Call, facts: Facts) -> bool:
    """Whether only ``except ValueError:`` stands around a call that wants sorted lengths."""
    if argument(call, 4, "enforce_sorted") is not None:
        return False
    child: ast.AST = call
    for parent in facts.names.ancestors(call):
        if isinstance(parent, TRIES) and child in parent.body and parent.handlers:
            return all(_is_value_error(handler.type, facts) for handler in parent.handlers)
        if isinstance(parent, (ast.FunctionDef, ast.Lambda)):
            return False
        child = parent
    return False


def _is_value_error(caught: ast.expr | None, facts: Facts) -> bool:
    return caught is not None and facts.names.builtin(caught) == "ValueError"


def _may_be_tensor(lengths: ast.expr, facts: Facts) -> bool:
    """Whether nothing shows lengths to be a list, or an array of numpy."""
    if not isinstance(value_by_all_calls(lengths, facts), (Tensor, Unknown)):
        return False
    if not isinstance(lengths, ast.Name):
        return True
    bindings = facts.flow.reaching(lengths)
    return not any(_is_no_tensor(binding, facts) for binding in bindings)


def _is_no_tensor(binding: Binding, facts: Facts) -> bool:
    """Whether a binding gives what numpy or Python made, or what is used as a list."""
    made = binding.value
    if binding.kind == "assign" and made is not None:
        value = facts.inference.bound(binding)
        if not isinstance(value, (Tensor, Unknown)) or _is_made_elsewhere(made, facts):
            return True
    return any(_is_use_of_list(use, facts) for use in uses_of(facts, binding))


def _is_made_elsewhere(made: ast.expr, facts: Facts) -> bool:
    """``np.sort(n)``, ``n.astype(int)``, ``n.tolist()``, and ``zip(*batch)``: tuples."""
    if not isinstance(made, ast.Call):
        return False
    is_arrays = isinstance(made.func, ast.Attribute) and (
        _is_of_lists_and_arrays(made.func.attr) or torch_effects.leaves_torch(made.func.attr)
    )
    is_numpys = (facts.name(made.func) or "").startswith("numpy.")
    return is_arrays or is_numpys or facts.names.builtin(made.func) == "zip"


def _is_of_lists_and_arrays(method: str) -> bool:
    """Whether lists or arrays have a method of that name, and tensors have none."""
    is_of_lists = container_methods.is_of("list", method) and not torch_table.is_method(method)
    return is_of_lists or method == "astype"


def _is_use_of_list(use: ast.expr, facts: Facts) -> bool:
    """``lengths.append(n)``, ``lengths.sort(reverse=True)``, ``np.argsort(lengths)``."""
    parent = facts.parent(use)
    if isinstance(parent, ast.Attribute):
        return _is_of_lists_and_arrays(parent.attr) or _is_sorted_in_place(parent, facts)
    return isinstance(parent, ast.Call) and (facts.name(parent.func) or "").startswith("numpy.")


def _is_sorted_in_place(method: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.sort(…)`` is a statement, which does nothing to a tensor."""
    call = facts.parent(method)
    return method.attr == "sort" and isinstance(facts.parent(call) if call else None, ast.Expr)
