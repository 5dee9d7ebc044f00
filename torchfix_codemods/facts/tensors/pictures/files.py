"""Files that pictures are read from: what their names say, and what is read of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.arguments import constant, is_opaque, whole_number
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.language.nodes import last_name, same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources, stays_as_made
from torchfix_codemods.facts.paths.uses import runs_with, uses_given_by

#: How files of JPEG end, which have no pictures of one bit.
_JPEG = (".jpg", ".jpeg", ".JPG", ".JPEG")
_GLOBS = ("glob.glob", "glob.iglob")


def is_jpeg(facts: Facts, path: ast.expr) -> bool:
    """Whether the name of a file certainly ends as those of JPEG do: ``join(root, n + ".jpg")``."""
    return come_from([Place(facts, path)], _before_jpeg)


def _before_jpeg(place: Place) -> Iterable[Place] | None:
    facts, end = place.facts, place.node
    if place.content:
        if isinstance(end, ast.Call) and facts.name(end.func) in _GLOBS:
            # What is found fits the pattern.
            return [Place(facts, a) for a in end.args[:1]] if stays_as_made(facts, end) else None
        return sources(place)
    if isinstance(end, ast.Constant):
        return () if isinstance(end.value, str) and end.value.endswith(_JPEG) else None
    if isinstance(end, ast.JoinedStr):
        return [Place(facts, each) for each in end.values[-1:]] or None
    if isinstance(end, ast.BinOp):
        is_formatted = isinstance(end.op, ast.Mod) and isinstance(end.left, ast.Constant)
        part = end.left if is_formatted else end.right if isinstance(end.op, ast.Add) else None
        return None if part is None else [Place(facts, part)]
    if isinstance(end, ast.Call) and not is_opaque(end) and end.args:
        if facts.name(end.func) == "os.path.join":
            return [Place(facts, end.args[-1])]
        if isinstance(end.func, ast.Attribute) and end.func.attr == "format":
            text = end.func.value
            return [Place(facts, text)] if isinstance(text, ast.Constant) else None
    return sources(place)


def is_read_by_channel(facts: Facts, path: ast.expr) -> bool:
    """Whether a picture that is read has channels, if nothing raises: ``img[r, c, :]``.

    Of a picture of one bit, which has two dimensions, nothing would be taken. What reads the very
    same files elsewhere in the function shows it as well.

    Args:
        facts: the facts of the module.
        path: the argument of the call that reads the picture.
    """
    call = _reading(facts, path)
    return _takes_channels_of(facts, call) or any(
        _takes_channels_of(facts, other) for other in _reading_the_same(facts, path, call)
    )


def _reading(facts: Facts, path: ast.expr) -> ast.AST | None:
    call = facts.parent(path)
    return facts.parent(call) if isinstance(call, ast.keyword) else call


def _reading_the_same(facts: Facts, path: ast.expr, call: ast.AST | None) -> Iterator[ast.Call]:
    """The other calls of the same function of a module on files that are named alike.

    ``imread("pictures/%d.png" % i)``, where both i count the same.
    """
    if not isinstance(call, ast.Call) or (name := facts.name(call.func)) is None:
        return
    texts = (node for node in ast.walk(path) if isinstance(node, ast.Constant))
    if not any(isinstance(text.value, str) for text in texts):
        return
    function = facts.names.enclosing_function(path)
    for other in facts.names.calls(last_name(call.func) or ""):
        given = other.args[0] if other.args and not is_opaque(other) else None
        if other is call or given is None or facts.name(other.func) != name:
            continue
        is_here = facts.names.enclosing_function(other) is function
        # What a test lets run may be of other pictures, or of none.
        if any(tests_around(facts.names, other)):
            continue
        if is_here and same_expression(given, path) and _are_same(facts, given, path):
            yield other


def _are_same(facts: Facts, one: ast.expr, other: ast.expr) -> bool:
    """Whether all names hold the same in two expressions that are written alike."""
    pairs = zip(ast.walk(one), ast.walk(other), strict=True)
    return all(
        _goes_through_same(facts, name, also)
        for name, also in pairs
        if isinstance(name, ast.Name) and isinstance(also, ast.Name)
    )


def _goes_through_same(facts: Facts, name: ast.Name, other: ast.Name) -> bool:
    """Whether two names have one binding, or are what loops go through that are written alike."""
    bound, also = (facts.flow.reaching(each) for each in (name, other))
    if bound == also:
        return True
    loops = [each.node for each in (*bound, *also)]
    if len(bound) != 1 or len(also) != 1:
        return False
    first, second = loops
    if not isinstance(first, ast.For) or not isinstance(second, ast.For):
        return False
    is_alike = same_expression(first.iter, second.iter) and same_expression(
        first.target, second.target
    )
    return is_alike and _are_same(facts, first.iter, second.iter)


def _takes_channels_of(facts: Facts, call: ast.AST | None) -> bool:
    """Whether what reads a picture takes its channels."""
    made = None if call is None else facts.parent(call)
    target = made.targets[0] if isinstance(made, ast.Assign) and len(made.targets) == 1 else None
    if made is None or not isinstance(target, ast.Name):
        return False
    uses = uses_given_by(facts, made, target.id)
    if any(_is_asked_for_dimensions(facts, use) and not _is_asserted(facts, use) for use in uses):
        return False
    block = facts.parent(made)
    for use in uses:
        is_alone = len(facts.flow.reaching(use)) == 1
        if is_alone and block is not None and not isinstance(block, ast.Try):
            if _is_asserted(facts, use) and facts.parent(facts.statement(use)) is block:
                return True
            if _takes_channels(facts, use) and runs_with(use, block, facts):
                return True
    # Its shape is read without a question how long it is.
    others = [use for use in uses if not _is_shape_taken(facts, facts.parent(use))]
    return bool(others) and all(_has_three_indices(facts.parent(use)) for use in others)


def _is_asked_for_dimensions(facts: Facts, use: ast.Name) -> bool:
    """``len(img.shape)``, ``img.ndim``."""
    read = facts.parent(use)
    if not isinstance(read, ast.Attribute):
        return False
    asked = facts.parent(read)
    is_counted = isinstance(asked, ast.Call) and facts.names.builtin(asked.func) == "len"
    return read.attr == "ndim" or (read.attr == "shape" and is_counted)


def _is_asserted(facts: Facts, use: ast.Name) -> bool:
    """``assert len(img.shape) == 3``."""
    statement = facts.statement(use)
    test = statement.test if isinstance(statement, ast.Assert) else None
    if (
        not isinstance(test, ast.Compare)
        or len(test.ops) != 1
        or not _is_asked_for_dimensions(facts, use)
    ):
        return False
    return isinstance(test.ops[0], ast.Eq) and constant(test.comparators[0]) == 3


def _takes_channels(facts: Facts, use: ast.Name) -> bool:
    """``img[:, :, 0]``, ``img.shape[2]``, ``h, w, c = img.shape``, ``img.transpose(2, 0, 1)``."""
    read = facts.parent(use)
    taken = None if read is None else facts.parent(read)
    if isinstance(read, ast.Call) and facts.name(read.func) == "numpy.transpose":
        return read.args[0] is use and len(read.args) == 2 and _is_triple(read.args[1])
    if not isinstance(read, ast.Attribute):
        return _has_three_indices(read)
    if read.attr == "transpose" and isinstance(taken, ast.Call):
        return _is_triple(taken.args[0] if len(taken.args) == 1 else ast.Tuple(taken.args))
    if read.attr != "shape":
        return False
    if isinstance(taken, ast.Subscript):
        return whole_number(taken.slice) == 2
    is_unpacked = isinstance(taken, ast.Assign) and taken.value is read
    return is_unpacked and isinstance(taken, ast.Assign) and _is_triple(taken.targets[0])


def _is_triple(node: ast.expr) -> bool:
    is_sequence = isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == 3
    return is_sequence and not any(isinstance(n, ast.Starred) for n in ast.iter_child_nodes(node))


def _is_shape_taken(facts: Facts, use: ast.AST | None) -> bool:
    is_shape = isinstance(use, ast.Attribute) and use.attr == "shape"
    return is_shape and use is not None and isinstance(facts.parent(use), ast.Subscript)


def _has_three_indices(use: ast.AST | None) -> bool:
    indices = use.slice if isinstance(use, ast.Subscript) else None
    if not isinstance(indices, ast.Tuple) or len(indices.elts) != 3:
        return False
    return not any(
        isinstance(index, (ast.Constant, ast.Attribute, ast.Starred))
        and not isinstance(getattr(index, "value", None), int)
        for index in indices.elts
    )
