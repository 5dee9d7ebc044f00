"""Code that reads or sets ``volatile`` of a tensor, which since 0.4 is False and says nothing."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.test_cases import method_of_test_case
from torchfix_codemods.facts.libraries import assertions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import is_harmless
from torchfix_codemods.facts.recording.plain_tensors import was_plain
from torchfix_codemods.facts.values.lattice import Unknown
from torchfix_codemods.rules.autograd.questions.outcomes.value_flow import flow_of, unrecorded
from torchfix_codemods.rules.autograd.questions.volatile.spans import Span, smallest_span, suspends

#: What options have none of.
_OF_TENSORS = frozenset({"data", "get_device", "is_cuda", "register_hook", "requires_grad", "size"})


def is_of_tensor(flag: ast.expr, facts: Facts) -> bool:
    """``x.volatile`` of a tensor, which is False since 0.4; options have no ``size()``."""
    if not isinstance(flag, ast.Attribute) or flag.attr != "volatile":
        return False
    if isinstance(facts.value(flag.value), Unknown) and _is_one_of_several(flag.value, facts):
        return True
    around = facts.names.enclosing_function(flag) or facts.tree
    return facts.is_shown_tensor(flag.value) or any(
        isinstance(node, ast.Attribute)
        and node.attr in _OF_TENSORS
        and ast.unparse(node.value) == ast.unparse(flag.value)
        for node in ast.walk(around)
    )


def may_be_of_variable(flag: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.volatile = True`` of an unknown x is about a Variable, and no option to read."""
    if not facts.era_of(flag).before((0, 4)) or not isinstance(facts.value(flag.value), Unknown):
        return False
    text = ast.unparse(flag)
    uses = facts.names.attributes("volatile")
    if any(isinstance(u.ctx, ast.Load) and ast.unparse(u) == text for u in uses):
        return False
    return not _has_what_tensors_have_not(flag.value, facts)


def _has_what_tensors_have_not(node: ast.expr, facts: Facts) -> bool:
    """Whether options have their values there: ``args.volatile`` beside ``args.batch_size``."""
    text = ast.unparse(node)
    return any(
        isinstance(each, ast.Attribute)
        and ast.unparse(each.value) == text
        and not torch_effects.is_known(f"torch.Tensor.{each.attr}")
        for each in facts.names.nodes.get(ast.Attribute, ())
    )


def never_was_variable(node: ast.expr, facts: Facts) -> bool:
    """Whether a name holds nothing but None and tensors that were no Variables in torch 0.3."""
    made = (facts.assigned(node) or []) if isinstance(node, ast.Name) else []
    tensors = [value for value in made if constant(value) is not None]
    return bool(tensors) and all(_is_made_plain(value, facts) for value in tensors)


def _is_made_plain(value: ast.expr, facts: Facts) -> bool:
    """Whether a line makes a plain tensor of numbers, and did before anything was rewritten."""
    lines = range(value.lineno, (value.end_lineno or value.lineno) + 1)
    return (
        was_plain(facts, value)
        and not any(map(facts.is_rewritten, lines))
        and not any(isinstance(n, ast.Name) and facts.is_tensor(n) for n in ast.walk(value))
        and not any(_calls_function(n, facts) for n in ast.walk(value))
    )


def _calls_function(node: ast.AST, facts: Facts) -> bool:
    """Whether something is called that this project defines, as far as it is not known."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return facts.name(node.func) is None and facts.names.builtin(node.func) is None


def _is_one_of_several(node: ast.expr, facts: Facts) -> bool:
    """``input[0]``, or ``v`` of ``for v in inputs``: options are none of those."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Subscript)
    found = facts.names.scope_of(node).lookup(node.id)
    return found is not None and all(binding.kind == "for" for binding in found[1])


def decides(flag: ast.expr, facts: Facts) -> bool:
    """Whether a flag is what a condition asks for, or a part of that."""
    node: ast.AST = flag
    above = facts.parent(node)
    while above is not None and _hands_on_truth(above, facts):
        node, above = above, facts.parent(above)
    return isinstance(above, (ast.If, ast.IfExp, ast.While)) and above.test is node


def is_asked(flag: ast.expr, facts: Facts) -> bool:
    """Whether it matters that a flag is False: it decides, or is asserted or returned."""
    return decides(flag, facts) or _is_shown(flag, facts)


def _is_shown(flag: ast.expr, facts: Facts) -> bool:
    """Whether a flag is asserted or returned, or the result of a comparison with it is.

    Not that of an element of something unknown: ``fields[0].volatile`` may be returned of anything.
    """
    of = flag.value if isinstance(flag, ast.Attribute) else flag
    if isinstance(facts.value(of), Unknown) and _is_one_of_several(of, facts):
        return False
    node: ast.AST = flag
    above = facts.parent(node)
    while isinstance(above, (ast.BoolOp, ast.Compare, ast.UnaryOp)):
        node, above = above, facts.parent(above)
    if isinstance(above, ast.Call):
        method = method_of_test_case(above, facts.names, facts.classes)
        return node in above.args[: assertions.values_of(method or "")]
    return isinstance(above, ast.Return) or (isinstance(above, ast.Assert) and above.test is node)


def _hands_on_truth(node: ast.AST, facts: Facts) -> bool:
    """``not x``, ``x and y``, ``x == False``, ``any(x for …)``."""
    if isinstance(node, ast.Compare):
        return all(isinstance(constant(other), bool) for other in node.comparators)
    if isinstance(node, ast.Call):
        return facts.names.builtin(node.func) in ("any", "all")
    return isinstance(node, (ast.BoolOp, ast.UnaryOp, ast.GeneratorExp, ast.ListComp))


def block_of_mark(mark: ast.Assign, marked: ast.Name, facts: Facts) -> Span | None:
    """The statements to put under ``no_grad`` in the place of ``x.volatile = True``, their first.

    None where they do not stand together, or something among them needs its graph.
    """
    flow = flow_of(mark, facts, marked=marked)
    span = None if flow is None else smallest_span(flow.statements, facts)
    if flow is None or span is None or suspends(span):
        return None
    is_first = span.statements[0] is mark and span.last > span.first
    fits = is_first and is_harmless(span.statements, unrecorded([flow], facts), facts)
    return span if fits else None
