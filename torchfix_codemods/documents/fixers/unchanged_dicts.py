"""Code that leaves a dict as large as it is, so that a loop may go through the dict itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.gone_through import SEVERAL
from torchfix_codemods.documents.fixers.own_dicts import is_own
from torchfix_codemods.documents.fixers.places import function_called, root_of
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.patterns import lazy_pattern

#: What changes the size of no dict, whatever it is given.
_HARMLESS = frozenset(
    """AssertionError KeyError NotImplementedError RuntimeError TypeError ValueError Variable abs
    bool bytes chr dict enumerate float format frozenset hash int isinstance iter len list long max
    min open ord print range repr reversed round set sorted str sum tuple type unicode xrange zip
    .append .debug .decode .encode .endswith .error .eval .extend .format .get_value .has_key .info
    .intersection .items .iteritems .iterkeys .itervalues .join .keys .load_state_dict .lower
    .lstrip .named_parameters .parameters .readline .readlines .replace .rstrip .set_value .split
    .startswith .state_dict .step .strip .tolist .train .union .upper .values .warning .write
    .zero_grad
    """.split()
)
_LIBRARIES = frozenset("json logging math np numpy os random re sys tensor theano torch".split())
#: What has the attributes: ``args`` of ``args.__dict__`` and ``vars(args)``.
_OWNER = lazy_pattern(r"([\w.]+)\.__dict__|vars\(([\w.]+)\)")
#: Through so many methods that call one another a loop is followed.
_MOST_CALLED = 3
_MAKE_NEW = frozenset("Counter OrderedDict defaultdict dict list".split())
_MAKERS = ("collections", "np", "numpy", "torch")
#: What may give a name a value besides an assignment to it alone.
_MAY_BIND = (
    python_symbols.global_stmt,
    python_symbols.import_as_name,
    python_symbols.import_from,
    python_symbols.parameters,
    python_symbols.typedargslist,
    python_symbols.with_item,
)


def leaves_dict_alone(body: Any, dictionary: str, keys: str, depth: int = 0) -> bool:
    """Whether the size of a dict stays what it is while code runs.

    Args:
        body: the code.
        dictionary: the dict, as it is written.
        keys: what a loop calls its keys; empty where it does not.
        depth: how many methods were followed that are called there.
    """
    is_unseen = is_own(dictionary, body)
    if keys and any(given_to(body, keys)):
        # What is stored under another key than the loop's is one more.
        keys = ""
    for node in body.pre_order():
        if node.type in (python_symbols.yield_expr, token.AWAIT) and not is_unseen:
            return False
        if node.type == token.NAME and node.value == "yield" and not is_unseen:
            return False
        if node.type == python_symbols.del_stmt:
            return False
        if node.type == token.NAME and node.value in ("exec", "del"):
            return False
        if node.type != python_symbols.trailer:
            continue
        if node.children[0].value == "(" and not (
            is_unseen
            or is_harmless(node)
            or (keys and _sets_attribute(node, dictionary, keys))
            or calls_what_leaves_it(node, dictionary, depth, body)
        ):
            return False
        if node.children[0].value == "[" and not (
            _finds_or_fills(node, dictionary, keys) or (is_unseen and _held(node) != dictionary)
        ):
            return False
    return True


def is_made_anew(node: Any) -> bool:
    """Whether it is of the ``state_dict()`` of a module, which is another dict at each call.

    Args:
        node: the call of ``items`` or the like.
    """
    if [str(each) for each in node.children[-4:-2]] != [".state_dict", "()"]:
        return False
    return not any(
        each.type == python_symbols.funcdef and each.children[1].value == "state_dict"
        for each in root_of(node).pre_order()
    )


def is_harmless(call: Any) -> bool:
    """Whether what is called is known to change the size of no dict.

    Args:
        call: the parentheses after it.
    """
    first, *before = call.parent.children[: call.parent.children.index(call)]
    if first.type == token.NAME and not before:
        return bool(first.value in _HARMLESS)
    if any(each.type != python_symbols.trailer for each in before):
        return False
    are_names = [each.children[0].value == "." for each in before]
    if first.type == token.NAME and first.value in _LIBRARIES and all(are_names):
        return True
    method = str(before[-1].children[1]) if are_names[-1:] == [True] else ""
    # Methods of tensors that work in place.
    in_place = method.endswith("_") and not method.startswith("_")
    is_of_tensors = torch_effects.does(method, "moves", "casts", "reduces")
    is_of_tensors = is_of_tensors or torch_effects.tells(method)
    return f".{method}" in _HARMLESS or in_place or is_of_tensors


def _sets_attribute(call: Any, dictionary: str, key: str) -> bool:
    """Whether it is ``setattr(x, key, value)`` in a loop over the attributes of something else.

    Where that is x by another name, it has the attribute. What sets those of the same object may be
    a module of torch, which takes it from one dict to another.
    """
    given = call.children[1]
    if function_called(call) != "setattr" or given.type != python_symbols.arglist:
        return False
    held, _, named, *_ = given.children
    owner = _OWNER.fullmatch(dictionary)
    is_other = owner is not None and str(held).strip() not in owner.groups()
    return is_other and str(named).strip() == key


def calls_what_leaves_it(call: Any, dictionary: str, depth: int = 0, body: Any = None) -> bool:
    """Whether ``self.save(key)`` or ``save(key)`` calls what the file says, and that leaves it.

    Args:
        call: the parentheses after it.
        dictionary: the dict, as it is written.
        depth: how many functions were followed on the way here.
        body: the code of which all is asked: what calls itself there does no more than that.
    """
    first, *before = call.parent.children[: call.parent.children.index(call)]
    holder, name = str(first).strip(), str(before[-1].children[-1]) if before else ""
    if len(before) == 1 and holder in ("self", "cls"):
        found = [*_methods_beside(call, name)]
    else:
        found = [] if before else [*_functions_of_file(call, holder)]
    # There it may have any name: only what is made there is certainly another one.
    inner = dictionary if dictionary.partition(".")[0] == holder else ""
    is_whole = len(found) == 1 and bool(found[0].children) and found[0].children[-1] is body
    if is_whole and inner == dictionary:
        return True
    return (
        depth < _MOST_CALLED
        and len(found) == 1
        and found[0].type == python_symbols.funcdef
        and leaves_dict_alone(found[0].children[-1], inner, "", depth + 1)
    )


def _methods_beside(node: Any, name: str) -> Iterator[Any]:
    """The methods of a name in the class that a node is of."""
    block = node
    while block is not None and block.type != python_symbols.classdef:
        block = block.parent
    for each in () if block is None else block.pre_order():
        if each.type == python_symbols.funcdef and each.children[1].value == name:
            yield each


def _functions_of_file(node: Any, name: str) -> Iterator[Any]:
    """The function of a name of the file, and whatever else may give it that name."""
    for leaf in root_of(node).leaves():
        if leaf.value != name or leaf.parent.type == python_symbols.power:
            continue
        if leaf.parent.type in (python_symbols.classdef, python_symbols.funcdef):
            is_of_file = leaf.parent.parent.type == python_symbols.file_input
            yield leaf.parent if is_of_file else leaf
        elif leaf.type == token.NAME and _may_be_bound(leaf):
            yield leaf


def _finds_or_fills(index: Any, dictionary: str, keys: str) -> bool:
    """Whether ``x[i]`` is a part of another thing, or of the dict by one of its keys."""
    power, held = index.parent, _held(index)
    if keys and str(index.children[1]) == keys:
        # Also where it is the same dict by another name.
        return True
    if keys and held == f"{dictionary}[{keys}]":
        return True
    stored = power
    while stored.parent.type in (python_symbols.atom, *SEVERAL):
        stored = stored.parent
    statement = stored.parent
    is_stored = (
        statement.type == python_symbols.expr_stmt
        and statement.children[-1] is not stored
        and power.children[-1] is index
    )
    if held == dictionary:
        # What a dict has not, it is not given by reading it, as a defaultdict is.
        return not is_stored and _is_made_here(power, held, is_plain=True)
    is_known = bool(dictionary) or held.isidentifier()
    return not is_stored or (is_known and _is_made_here(power, held))


def _held(index: Any) -> str:
    """``x.y`` of ``x.y[0]``."""
    power = index.parent
    before = power.children[: power.children.index(index)]
    return "".join(map(str, before)).removeprefix(power.prefix)


def _is_made_here(node: Any, name: str, is_plain: bool = False) -> bool:
    """Whether all that a name is given is new: ``{}``, ``n * [0]``, ``np.zeros(n)``.

    That is in the function that has it for its own, else in the file. Where it is to be a plain
    dict, that is a display.
    """
    given, around = list[Any](), node
    while around.parent is not None and not (given and name.isidentifier()):
        around = around.parent
        if around.type == python_symbols.funcdef or around.parent is None:
            given = [*given_to(around, name)]
    if is_plain and not all(str(value).strip().startswith("{") for value in given):
        return False
    return bool(given) and all(map(_is_new, given))


def given_to(root: Any, name: str) -> Iterator[Any]:
    """What a name is given in some code, and where it may be given something unknown.

    Args:
        root: the code.
        name: a name, or what has another form: ``self.x``.
    """
    for node in root.pre_order():
        is_whole = node.type == python_symbols.power and str(node).strip() == name
        if not is_whole and (node.type != token.NAME or node.value != name):
            continue
        if node.parent.type == python_symbols.expr_stmt:
            if node.parent.children[-1] is not node:
                yield node.parent.children[-1]
        elif _may_be_bound(node):
            yield node


def _may_be_bound(node: Any) -> bool:
    """Whether a name is one of several targets, or of a loop, an import or a function."""
    while node.parent.type in (python_symbols.atom, *SEVERAL):
        node = node.parent
    around = node.parent
    if around.type == python_symbols.expr_stmt:
        return around.children[-1] is not node
    if around.type in (python_symbols.for_stmt, python_symbols.comp_for):
        return around.children[around.children[0].type == token.ASYNC :][1] is node
    return around.type in _MAY_BIND


def _is_new(value: Any) -> bool:
    if value.type in (python_symbols.term, python_symbols.arith_expr):
        return True
    if value.type == python_symbols.atom:
        return value.children[0].value in ("{", "[")
    first = value.children[0] if value.type == python_symbols.power else None
    return first is not None and str(first).strip() in (*_MAKE_NEW, *_MAKERS)
