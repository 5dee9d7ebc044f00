"""What is said of indices into what may hold one number: of many in a file it is said once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.libraries.kept_dimensions import gives_places
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.unbound import is_missed
from torchfix_codemods.facts.programs.unreached import reached
from torchfix_codemods.facts.tensors.reductions import function_of
from torchfix_codemods.facts.tensors.scalars import (
    asked_item,
    indexed_scalar,
    is_squeezed,
    is_squeezed_to_list,
    listed_tensor,
)
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.rules.autograd.questions.arrays_as_numbers import said_of_calculated_array
from torchfix_codemods.rules.autograd.questions.legacy.data_elements import (
    becomes_number,
    said_of_summed,
)
from torchfix_codemods.rules.autograd.questions.legacy.put_back import said_of_put_back
from torchfix_codemods.rules.autograd.questions.legacy.wanted_numbers import is_summed_up
from torchfix_codemods.rules.autograd.questions.old_numbers import (
    is_first_alone,
    is_old_term,
    may_be_number,
    may_be_of_sum,
)
from torchfix_codemods.rules.autograd.questions.single_numbers import is_drawn_once, is_looked_up
from torchfix_codemods.rules.autograd.questions.written_json import is_written_as_json
from torchfix_codemods.rules.questions.gone_through import holds_number
from torchfix_codemods.rules.questions.keys import is_lost_key
from torchfix_codemods.rules.questions.named_lines import also_in
from torchfix_codemods.text.wording import LONGEST, worded

#: What a message names once may be longer.
_LONGEST_ONCE = 60

#: So many places of a file are told of one by one.
_MOST_APART = 3

# Whether it was a number before, and not a row, is not known of these: nothing is said of it.
_OF_MANY = (
    ".data[0] raises where its tensor has no dimensions, as single numbers since torch 0.4{}; "
    ".item() is the number there"
)


def said_of_indices(facts: Facts) -> dict[ast.Subscript, str]:
    """The indices of a file that are told of, each with what is said there.

    Of what another one of them names, nothing is said: ``""``.
    """
    return facts.remembered("TP103 told", lambda: _said(facts))


def _said(facts: Facts) -> dict[ast.Subscript, str]:
    indices = [n for n in facts.names.nodes.get(ast.Subscript, ()) if isinstance(n, ast.Subscript)]
    plain = {
        node: told
        for said_of in (said_of_put_back, said_of_calculated_array, said_of_summed)
        for node in indices
        if (told := said_of(facts, node)) is not None
    }
    shown = reached((node for node in indices if _is_told(node, facts)), facts)
    return plain | _said_of_first(shown, indices, facts)


def _said_of_first(
    shown: list[ast.Subscript], indices: list[ast.Subscript], facts: Facts
) -> dict[ast.Subscript, str]:
    """What is said of the indices 0 that are shown to be such, and of those like them."""
    if not shown:
        return {}
    alike = {each for node in shown for each in _asked_of(node, facts)}
    # What stands for a number once does so in the lines around as well.
    around = (
        node
        for node in indices
        if node not in shown
        and ast.unparse(node).endswith(".data[0]")
        and not alike.isdisjoint(_asked_of(node, facts))
        and indexed_scalar(facts, node) == "maybe"
        and not is_old_term(facts, node)
    )
    asked = shown + reached(around, facts)
    said = _said_by_function(asked, facts)
    indexed = [node for node in asked if ast.unparse(node).endswith(".data[0]")]
    if len({facts.origin(node.lineno) for node in indexed}) <= _MOST_APART:
        return said
    for plain in _given_alike(indexed, facts):
        lines = sorted({facts.origin(node.lineno) for node in plain})
        if lines:
            said |= dict.fromkeys(plain, "")
            first = min(plain, key=lambda node: (facts.origin(node.lineno), node.col_offset))
            also = also_in(lines[1:], facts)
            is_one = len({ast.unparse(node) for node in plain}) == 1
            said[first] = _told_of_index(facts, first, also) if is_one else _OF_MANY.format(also)
    return said


def _given_alike(indices: list[ast.Subscript], facts: Facts) -> list[list[ast.Subscript]]:
    """Indices apart whose tensors one function gives for unlike flags: one may reduce them only.

    ``loss(x, y)`` and ``loss(x, y, size_average=False)``.
    """
    called: dict[str, dict[str, list[ast.Subscript]]] = {}
    for node in indices:
        function, flags = _call_behind(node, facts)
        called.setdefault(function, {}).setdefault(flags, []).append(node)
    apart = [same for by in called.values() if len(by) > 1 for same in by.values()]
    split = {node for same in apart for node in same}
    return [*apart, [node for node in indices if node not in split]]


def _call_behind(node: ast.Subscript, facts: Facts) -> tuple[str, str]:
    """The function whose call alone a name is bound to, and the flags that it gets, as code."""
    core = unwrapped(node.value)[0]
    bindings = facts.flow.reaching(core) if isinstance(core, ast.Name) else ()
    call = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
    if not isinstance(call, ast.Call):
        return "", ""
    given = (ast.unparse(k) for k in call.keywords if isinstance(k.value, ast.Constant))
    return ast.unparse(call.func), ", ".join(sorted(given))


def _said_by_function(asked: list[ast.Subscript], facts: Facts) -> dict[ast.Subscript, str]:
    """What is said of each index, of several that a function writes alike at the first of them."""
    alike: dict[tuple[ast.AST | None, str], list[ast.Subscript]] = {}
    for node in sorted(asked, key=start_of):
        function = facts.names.enclosing_function(node)
        alike.setdefault((function, ast.unparse(node)), []).append(node)
    said: dict[ast.Subscript, str] = {}
    for first, *more in alike.values():
        lines = {facts.origin(node.lineno) for node in more} - {facts.origin(first.lineno)}
        said |= dict.fromkeys(more, "")
        said[first] = _told_of_index(facts, first, also_in(sorted(lines), facts))
    return said


def _asked_of(node: ast.Subscript, facts: Facts) -> Iterator[tuple[ast.AST | None, str | ast.Call]]:
    """What an index has in common with others of its function: how it is written, or the call that
    gave its tensor beside another one of as many dimensions, as ``x.max(0)`` gives two.

    What methods of a class call alike is one function, handed on: ``closure().data[0]``."""
    function, core = facts.names.enclosing_function(node), unwrapped(node.value)[0]
    yield function, ast.unparse(node)
    if isinstance(core, ast.Call) and isinstance(core.func, ast.Name):
        found = facts.names.scope_of(core.func).lookup(core.func.id)
        owner = facts.names.enclosing_class(node)
        if owner is not None and found and all(b.kind == "parameter" for b in found[1]):
            yield owner, ast.unparse(node)
    for binding in facts.flow.reaching(core) if isinstance(core, ast.Name) else ():
        is_part = binding.kind == "assign" and bool(binding.path)
        if is_part and isinstance(binding.value, ast.Call):
            if gives_places(function_of(binding.value)):
                yield function, binding.value


def _is_told(node: ast.Subscript, facts: Facts) -> bool:
    """Whether an index may be one into a single number, and nothing shows what it is."""
    verdict = indexed_scalar(facts, node)
    may_be = verdict == "maybe" and (may_be_number(facts, node) or _is_of_list(facts, node))
    may_be = may_be or may_be_of_sum(facts, node) or _is_of_element(facts, node)
    may_be = may_be or _is_of_number_on_a_way(facts, node) or _is_of_squeezed(facts, node)
    return (
        may_be
        and verdict != "number"
        and not (verdict in ("maybe", "vector") and is_old_term(facts, node))
        and not is_lost_key(facts, node)
        and not becomes_number(facts, node)
        and not is_written_as_json(facts, node)
        and not any(isinstance(n, ast.Name) and is_missed(n, facts) for n in ast.walk(node.value))
    )


def _is_of_list(facts: Facts, node: ast.Subscript) -> bool:
    """``x.squeeze().data.tolist()[0]``, by which something is looked up, as by no list of a row."""
    is_old = not facts.era_of(node).needs((0, 4))
    return is_old and is_squeezed_to_list(*unwrapped(node.value)) and is_looked_up(facts, node)


def _is_of_squeezed(facts: Facts, node: ast.Subscript) -> bool:
    """``x.multinomial(1).data.squeeze()[0]``: one choice of a batch of one has no dimension left.

    So has what is added to a number, which may be a row all the same.
    """
    squeezed = unwrapped(node.value)[0]
    if not is_first_alone(facts, node) or not is_squeezed(squeezed):
        return False
    if facts.era_of(node).needs((0, 4)):
        return False
    method, value = squeezed.func, facts.value(squeezed)
    below = method.value if isinstance(method, ast.Attribute) else None
    if below is None or "data" not in unwrapped(below)[1] | unwrapped(node.value)[1]:
        return False
    is_open = isinstance(value, Unknown) or (isinstance(value, Tensor) and value.ndim is None)
    return is_open and (is_summed_up(facts, node) or is_drawn_once(facts, below))


def _is_of_element(facts: Facts, node: ast.Subscript) -> bool:
    """``x[i].data.tolist()[0]``, by which something is looked up: of one dimension, it may be x."""
    core, wrappers = unwrapped(node.value)
    if not isinstance(core, ast.Subscript) or not {"data", "tolist"} <= wrappers:
        return False
    value = facts.value(core)
    is_known = isinstance(value, Tensor) and value.ndim is not None
    is_element = isinstance(core.slice, (ast.Name, ast.Constant)) and not is_known
    return is_element and not facts.era_of(node).needs((0, 4)) and is_looked_up(facts, node)


def _is_of_number_on_a_way(facts: Facts, node: ast.Subscript) -> bool:
    """``loss.data.cpu().numpy()[0]`` of a loss that has no dimension by one of the ways to it."""
    core, wrappers = unwrapped(node.value)
    if not isinstance(core, ast.Name) or not {"data", "numpy"} <= wrappers:
        return False
    is_old = is_first_alone(facts, node) and not facts.era_of(node).needs((0, 4))
    return is_old and holds_number(facts, node.value) == "on a way"


def _told_of_index(facts: Facts, node: ast.Subscript, also: str = "") -> str:
    """What to write for an index into what may hold one number, and ``also`` in other lines."""
    index = worded(asked_item(facts, node) or node, "")
    listed = listed_tensor(facts, node.value)
    tensor = unwrapped(listed or node.value)[0]
    name = ast.unparse(ast.Attribute(tensor, "data")).removesuffix(".data")
    if not index:
        end = ast.unparse(node).removeprefix(ast.unparse(tensor))
        index = end if len(end) <= LONGEST else "[0]"
        written = f"{name}.item()" if len(name) <= _LONGEST_ONCE else ".item() instead"
        return (
            f"the {index} here raises where its tensor has no dimensions, as single numbers since "
            f"torch 0.4{also}: write {written}"
        )
    return (
        f"{index} raises where {name} has no dimensions, as single numbers since torch 0.4{also}: "
        f"write {name}.item()"
    )
