"""Calls written as other expressions: the text of the new one, with the old arguments in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import (
    index_of_keyword,
    keyword_argument,
    with_argument_added,
    with_arguments,
)
from torchfix_codemods.edit.below import code_of
from torchfix_codemods.edit.decided import decided
from torchfix_codemods.edit.parentheses import demanded, parenthesized, strength
from torchfix_codemods.edit.spelling import Spelling, spell, spell_beside
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import first_name, start_of
from torchfix_codemods.facts.libraries.signatures import Bound, Signature
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.record import record
from torchfix_codemods.rule import Need

RECEIVER = -1
"""The place of a method's receiver, or of the key of ``f[key](x)``, among the arguments."""

_SINGLE_QUOTED = lazy_pattern(r"'([^'\"\\]*)'")


@record
class Written:
    """A template as one file can write it.

    ``places`` tells for each name in the text which arguments of the call stand for it.
    """

    text: str
    places: Mapping[str, tuple[int, ...]]
    needs: tuple[Need, ...] = ()


def written(
    template: str, signature: Signature, call: ast.Call, bound: Bound, facts: Facts
) -> Written | None:
    """How the file can write ``template`` in the place of ``call``.

    Args:
        template: an expression with the names of parameters in it, and ``...`` for all arguments
            but those that a keyword beside it gives. Of ``x if flag else y`` one is written where
            ``flag`` is a literal; what is ``...`` then is not given. ``a.contiguous()`` is ``a``
            where that is contiguous anyway, and ``a.detach()`` where it has no graph. ``float(a)``
            of a literal is that number.
        signature: the parameters.
        call: the call to replace.
        bound: its arguments.
        facts: of the file.

    Returns:
        None where a name cannot be written there, or where the arguments would be evaluated in
        another order, more than once or never.
    """
    tree = decided(template, signature, bound, facts)
    if not _keeps_order(tree, call, bound, signature, facts):
        return None
    parameters = {*(p.name for p in signature.parameters), signature.variadic}
    needs: list[Need] = []
    edits: list[tuple[int, int, str]] = []
    text = _SINGLE_QUOTED.sub(r'"\1"', ast.unparse(tree))
    for node in _torch_names(ast.parse(text, mode="eval").body, parameters):
        name = ast.unparse(node)
        is_same = name == signature.name and facts.name(call.func) == name
        spelled = Spelling(ast.unparse(call.func)) if is_same else spell(facts, name, call)
        if spelled is None:
            return None
        needs += spelled.needs
        edits.append((node.col_offset, node.end_col_offset or 0, spelled.text))
    places: dict[str, tuple[int, ...]] = {name: (place,) for name, place in bound.index.items()}
    if signature.variadic is not None:
        places[signature.variadic] = bound.variadic
    return Written(edited(text, edits), places, tuple(needs))


def filled(
    call: cst.Call, text: str, places: Mapping[str, tuple[int, ...]]
) -> cst.BaseExpression | None:
    """The expression that :func:`written` planned, with the arguments of ``call`` in it.

    Where a call in it takes the arguments in the order in which they stood, line breaks and
    comments between them stay.

    Returns:
        None where ``call`` does not have the arguments that it had.
    """
    if any(place >= len(call.args) for of_name in places.values() for place in of_name):
        return None
    tree = ast.parse(text, mode="eval").body
    keeping = next((c for c in ast.walk(tree) if _keeps_arguments(c, call, places)), None)
    edits: list[tuple[int, int, str]] = []
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    if isinstance(keeping, ast.Call):
        code = code_of(_with_its_arguments(call, keeping, places))
        edits.append((keeping.col_offset, keeping.end_col_offset or 0, code))
    inside = set(ast.walk(keeping)) if keeping is not None else set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in places and node not in inside:
            parent = parents.get(node)
            whole = parent if isinstance(parent, (ast.Starred, ast.keyword)) else node
            code = _arguments_code(call, places[node.id], parent, node)
            if isinstance(parent, ast.keyword):
                code = _named(call, places[node.id][0], parent.arg, code)
            edits.append((whole.col_offset, whole.end_col_offset or 0, code))
    return _parse(edited(text, edits))


def _named(call: cst.Call, place: int, keyword: str | None, value: str) -> str:
    """An argument that has a keyword, with the spaces around its ``=`` where it had one before."""
    equal = cst.MaybeSentinel.DEFAULT if place == RECEIVER else call.args[place].equal
    sign = code_of(equal) if isinstance(equal, cst.AssignEqual) else "="
    return f"{keyword}{sign}{value}"


def _arguments_code(
    call: cst.Call, places: tuple[int, ...], parent: ast.AST | None, node: ast.expr
) -> str:
    if isinstance(parent, ast.Starred):
        return ", ".join(f"{call.args[i].star}{code_of(call.args[i].value)}" for i in places)
    return code_of(_fitting(_argument(call, places[0]), demanded(parent, node)))


def _fitting(value: cst.BaseExpression, wanted: int) -> cst.BaseExpression:
    """``value`` in the parentheses that its new place asks for, and in no others."""
    bare = value.with_changes(lpar=value.lpar[1:], rpar=value.rpar[:-1])
    if strength(value) < wanted:
        return parenthesized(value)
    return bare if strength(bare) >= wanted and "\n" not in code_of(bare) else value


def _argument(call: cst.Call, place: int) -> cst.BaseExpression:
    if place != RECEIVER:
        return call.args[place].value
    if isinstance(call.func, cst.Subscript):
        index = call.func.slice[0].slice
        assert isinstance(index, cst.Index)
        return index.value
    assert isinstance(call.func, cst.Attribute)
    return call.func.value


def _torch_names(tree: ast.expr, parameters: set[str | None]) -> Iterator[ast.expr]:
    """The dotted names in a template that are not attributes of arguments or results."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        root = first_name(node)
        if root is not None and root is not node and root.id not in parameters:
            assert isinstance(node, ast.Attribute)
            yield node
        else:
            pending += ast.iter_child_nodes(node)


def _keeps_order(
    tree: ast.expr, call: ast.Call, bound: Bound, signature: Signature, facts: Facts
) -> bool:
    """Whether what runs in the arguments runs once, and in the order in which it did."""
    variadic = set(bound.variadic)
    places: list[int] = []
    for node in _in_text_order(tree):
        if isinstance(node, ast.Name) and node.id in bound.index:
            places.append(bound.index[node.id])
        elif isinstance(node, ast.Name) and node.id == signature.variadic:
            places += bound.variadic
        elif isinstance(node, ast.Constant) and node.value is ...:
            places += sorted({*bound.index.values(), *variadic})
    arguments = values_given(call)
    running = [i for i, node in enumerate(arguments) if not only_computes(facts, node)]
    function = call.func
    first = getattr(function, "slice", getattr(function, "value", None))
    if first is not None and RECEIVER in bound.index.values():
        running = running if only_computes(facts, first) else [RECEIVER, *running]
    return [place for place in places if place in running] == running


def _in_text_order(tree: ast.expr) -> list[ast.Name | ast.Constant]:
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Constant))]
    return sorted(nodes, key=start_of)


def _keeps_arguments(node: ast.AST, call: cst.Call, places: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether a call of a template takes the old arguments in their order, and nothing between."""
    if not isinstance(node, ast.Call):
        return False
    if any(isinstance(arg, ast.Constant) and arg.value is ... for arg in node.args):
        return True
    values = values_given(node)
    taken = [v.id in places if isinstance(v, ast.Name) else False for v in values]
    count = sum(taken)
    if not node.args and count and _are_named(call, places):
        values.sort(key=lambda v: not (isinstance(v, ast.Name) and v.id in places))
    elif not count or taken != [True] * count + [False] * (len(taken) - count):
        return False
    others = values[count:]
    if not (isinstance(node.func, ast.Attribute) and _is_receiver(node.func, places)):
        others = [*others, node.func]
    if any(getattr(n, "id", "") in places for other in others for n in ast.walk(other)):
        return False
    given = [place for v in values[:count] for place in places[getattr(v, "id", "")]]
    if not node.args and _are_named(call, places):
        # They keep the order in which they stand.
        return len(given) == len(set(given))
    return given == sorted(set(given))


def _are_named(call: cst.Call, places: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether all arguments that have a name in a template are given by keyword."""
    return all(
        place != RECEIVER and call.args[place].keyword is not None
        for of_name in places.values()
        for place in of_name
    )


def _with_its_arguments(
    call: cst.Call, new: ast.Call, places: Mapping[str, tuple[int, ...]]
) -> cst.Call:
    """``call`` as the template's call ``new`` has it, its arguments where they stood."""
    result = call.with_changes(func=_function(call, new.func, places), lpar=[], rpar=[])
    before: list[cst.Arg] = []
    added: list[cst.Arg] = []
    kept: list[cst.Arg] = []
    for value, keyword in _arguments_of(new):
        if isinstance(value, ast.Constant) and value.value is ...:
            is_method = isinstance(new.func, ast.Attribute) and _is_receiver(new.func, places)
            has_receiver = (RECEIVER,) in places.values() and not is_method
            before, added = added, []
            kept = [*_first_argument(call, has_receiver), *call.args]
        elif isinstance(value, ast.Name) and value.id in places:
            place = places[value.id][0]
            if place == RECEIVER:
                kept += _first_argument(call, True)
            else:
                kept.append(_with_keyword(call.args[place], keyword))
        else:
            expression = cst.parse_expression(_SINGLE_QUOTED.sub(r'"\1"', ast.unparse(value)))
            named = keyword_argument(keyword, expression) if keyword else cst.Arg(expression)
            added.append(named)
    stood = {id(argument.value): place for place, argument in enumerate(call.args)}
    # What is new stands where something went: line breaks stay as they are.
    gone = [argument for argument in call.args if not _is_among(argument, kept)]
    for old in gone[: len(added)]:
        argument = added.pop(0)
        named = old.with_changes(keyword=argument.keyword, equal=argument.equal)
        kept.append(named.with_changes(value=argument.value))
        stood[id(argument.value)] = stood[id(old.value)]
    if all(argument.keyword is not None for argument in kept):
        kept.sort(key=lambda argument: stood[id(argument.value)])
    result = with_arguments(result, [*before, *kept])
    for argument in added:
        name = argument.keyword.value if argument.keyword is not None else ""
        given = [call.args[place] for place in places.get(name, ()) if place != RECEIVER]
        result = _with_argument(result, argument, given)
    return result


def _is_among(argument: cst.Arg, kept: Sequence[cst.Arg]) -> bool:
    return any(argument.value is each.value for each in kept)


def _with_argument(call: cst.Call, new: cst.Arg, given: Sequence[cst.Arg]) -> cst.Call:
    """``call`` with one more argument, or with that in the place of what its keyword gave.

    ``given`` holds the argument, if there is one, that the old call gave for that keyword.
    """
    index = index_of_keyword(call, new.keyword.value) if new.keyword is not None else None
    for place, argument in enumerate(call.args):
        if _is_among(argument, given):
            index = place
    if index is None:
        return with_argument_added(call, new)
    args = [*call.args]
    args[index] = args[index].with_changes(value=new.value)
    return call.with_changes(args=args)


def _arguments_of(call: ast.Call) -> list[tuple[ast.expr, str]]:
    return [*((a, "") for a in call.args), *((k.value, k.arg or "") for k in call.keywords)]


def _is_receiver(function: ast.Attribute, places: Mapping[str, tuple[int, ...]]) -> bool:
    value = function.value
    return isinstance(value, ast.Name) and places.get(value.id) == (RECEIVER,)


def _first_argument(call: cst.Call, is_there: bool) -> list[cst.Arg]:
    if not is_there:
        return []
    argument = cst.Arg(_fitting(_argument(call, RECEIVER), demanded(None, ast.Constant(0))))
    if not call.args:
        return [argument]
    return [argument.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))]


def _with_keyword(argument: cst.Arg, keyword: str) -> cst.Arg:
    if not keyword:
        return argument.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT)
    if argument.keyword is not None:
        return argument.with_changes(keyword=cst.Name(keyword))
    named = keyword_argument(keyword, argument.value)
    return argument.with_changes(keyword=named.keyword, equal=named.equal)


def _function(
    call: cst.Call, function: ast.expr, places: Mapping[str, tuple[int, ...]]
) -> cst.BaseExpression:
    if isinstance(function, ast.Attribute) and _is_receiver(function, places):
        assert isinstance(call.func, cst.Attribute)
        return call.func.with_changes(attr=cst.Name(function.attr))
    return cst.parse_expression(ast.unparse(function))


def edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """``text`` with other text from one column to another, for each of ``edits``."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _parse(text: str) -> cst.BaseExpression:
    try:
        return cst.parse_expression(text)
    except cst.ParserSyntaxError:
        # Lines of an argument that its brackets joined.
        return cst.parse_expression(f"({text})")


def spelled(text: str, node: ast.expr, facts: Facts) -> Spelling | None:
    """An expression with its modules as a file writes them, and the imports that it needs.

    Args:
        text: the expression, with qualified names.
        node: the name that it is written for.
        facts: the file.
    """
    edits: list[tuple[int, int, str]] = []
    needs: list[Need] = []
    pending: list[ast.AST] = [ast.parse(text, mode="eval").body]
    while pending:
        part = pending.pop()
        name = ast.unparse(part)
        if isinstance(part, ast.Attribute) or (isinstance(part, ast.Name) and name == "torch"):
            is_beside = (
                isinstance(node, ast.Attribute)
                and facts.name(node.value) == name.rpartition(".")[0]
            )
            # ``np.cumproduct``, where ``np`` comes by a star import of the project.
            path = (spell_beside if is_beside else spell)(facts, name, node)
            if path is None:
                return None
            needs += path.needs
            edits.append((part.col_offset, part.end_col_offset or 0, path.text))
        elif isinstance(part, ast.Name) and facts.names.scope_of(node).lookup(part.id):
            return None
        else:
            pending += ast.iter_child_nodes(part)
    return Spelling(edited(text, edits), tuple(needs))
