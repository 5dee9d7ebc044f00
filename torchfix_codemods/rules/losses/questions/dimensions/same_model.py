"""The ``dim`` that another softmax of the file has of an output of the same model."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.language.nodes import first_name, same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.paths.named import function_named, is_self
from torchfix_codemods.facts.programs.saved_paths import calls_of
from torchfix_codemods.facts.tensors.reductions import source_of
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.rules.losses.questions.dimensions.alike import FUNCTIONS
from torchfix_codemods.rules.losses.questions.dimensions.results import shown_of
from torchfix_codemods.rules.losses.questions.given_dimensions import ndims_of
from torchfix_codemods.rules.losses.questions.shown_inputs import shown_ndims
from torchfix_codemods.rules.questions.named_lines import numbered

#: Of so many dimensions torch takes the second one.
_OF_ROWS = frozenset({2, 4})


def told_by_another_output(facts: Facts, tensor: ast.expr | None) -> str | None:
    """What to write for a softmax of ``model(y)``, as one of ``model(x)`` has it or shows it.

    Nothing where two of them have different ones, or show them.

    Args:
        facts: the facts of the module.
        tensor: the input of the softmax that is open.
    """
    model = None if tensor is None else _model_of(facts, tensor)
    if model is None:
        return None
    others = [
        (other, given)
        for name in sorted(FUNCTIONS)
        for other in calls_of(facts, name)
        if not is_opaque(other)
        and (given := argument(other, 0, "input")) is not None
        and given is not tensor
        and (one := _model_of(facts, given)) is not None
        and _is_same_model(facts, model, one)
    ]
    told = [
        (dim, facts.origin(other.lineno))
        for other, given in others
        if (dim := _decided(facts, other, given)) is not None
    ]
    shown = [
        (*by_use, facts.origin(other.lineno))
        for other, _ in others
        if argument(other, 1, "dim") is None and (by_use := shown_of(facts, other)) is not None
    ]
    if len({dim for dim, *_ in (*told, *shown)}) != 1:
        return None
    if told:
        dim, line = min(told, key=lambda each: each[1])
        return f"write dim={dim}, as line {line} takes of another output of {ast.unparse(model)}"
    _, said, line = min(shown, key=lambda each: each[2])
    return f"{said} of line {line}, which is that of another output of {ast.unparse(model)}"


def told_by_namesake(facts: Facts, tensor: ast.expr | None) -> str | None:
    """What to write for a softmax of a parameter ``x``, or of ``layer(x)`` of a parameter layer, as
    other functions write it for theirs, or show it.

    Args:
        facts: the facts of the module.
        tensor: the input of the softmax that is open.

    Returns:
        None where no other function of the file has what is named alike, or two write other dims.
    """
    if tensor is None or not _is_of_parameter(facts, tensor):
        return None
    written: set[tuple[int | None, int]] = set()
    shown: set[tuple[int, int, str]] = set()
    for other in (call for name in sorted(FUNCTIONS) for call in calls_of(facts, name)):
        given = None if is_opaque(other) else argument(other, 0, "input")
        if given is None or given is tensor or not same_expression(given, tensor):
            continue
        dim, line = argument(other, 1, "dim"), facts.origin(other.lineno)
        if not _is_of_parameter(facts, given):
            continue
        if dim is None:
            by_use = shown_of(facts, other)
            shown |= set() if by_use is None else {(by_use[0], line, by_use[1])}
        # What was written there by another rewrite is not seen in the file.
        elif not facts.is_rewritten(other.lineno):
            written.add((whole_number(dim), line))
    dims = {dim for dim, *_ in (*written, *shown)}
    if len(dims) != 1 or None in dims:
        return None
    if_alike = f"if {ast.unparse(tensor)} is alike there"
    if not written:
        _, line, said = min(shown)
        return f"{said} of line {line}, {if_alike}"
    lines, do = sorted({line for _, line in written}), "does" if len(written) == 1 else "do"
    return f"write dim={dims.pop()}, as {numbered(lines)} {do}, {if_alike}"


def _is_of_parameter(facts: Facts, tensor: ast.expr) -> bool:
    """Whether a tensor is a parameter, or what one gives that is called: ``layer(x)``."""
    made_by = tensor.func if isinstance(tensor, ast.Call) else tensor
    return isinstance(made_by, ast.Name) and parameter_held(made_by, facts)[1] is not None


def _model_of(facts: Facts, output: ast.expr) -> ast.expr | None:
    """``model`` of ``model(x)``, also by a name; a function may be given anything.

    Of ``self.model(x)`` that is a module of the project, of ``self.model.forward(x)`` one of
    whatever class: ``x.view(3)`` is no model.
    """
    output = source_of(facts, output)
    model = output.func if isinstance(output, ast.Call) else None
    if isinstance(model, ast.Attribute):
        called = model.value if model.attr == "forward" else model
        value = facts.value(called)
        if isinstance(value, Module):
            # A layer of torch may be given anything, too.
            return None if value.definition is None else called
        return None if called is model else called
    if not isinstance(model, ast.Name) or function_named(model, facts) is not None:
        return None
    return None if (facts.name(model) or "").startswith("torch.") else model


def _is_same_model(facts: Facts, one: ast.expr, other: ast.expr) -> bool:
    if not same_expression(one, other):
        return False
    first, second = (first_name(path) for path in (one, other))
    if first is None or second is None:
        return False
    if is_self(facts, first) and is_self(facts, second):
        return facts.names.enclosing_class(first) is facts.names.enclosing_class(second)
    homes = [facts.names.scope_of(name).lookup(name.id) for name in (first, second)]
    return None not in homes and len({id(home[0]) for home in homes if home is not None}) == 1


def _decided(facts: Facts, softmax: ast.Call, given: ast.expr) -> int | None:
    """The dim that is written, or that torch takes of what has rows."""
    written = argument(softmax, 1, "dim")
    if written is not None:
        return whole_number(written)
    ndims = ndims_of(facts.inference, given) or shown_ndims(facts, softmax, given)
    return 1 if ndims and ndims <= _OF_ROWS else None
