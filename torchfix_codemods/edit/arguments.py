"""Arguments of calls, changed with libcst."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from torchfix_codemods.edit import cst


def keyword_argument(name: str, value: cst.BaseExpression) -> cst.Arg:
    """``name=value``."""
    return cst.Arg(
        keyword=cst.Name(name),
        value=value,
        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
    )


def index_of_keyword(call: cst.Call, name: str) -> int | None:
    """Where ``name=`` stands among the arguments."""
    for index, arg in enumerate(call.args):
        if arg.keyword is not None and arg.keyword.value == name:
            return index
    return None


def is_on_one_line(call: cst.Call) -> bool:
    """Whether no line ends between the parentheses of a call, outside of its arguments."""
    spaces = [call.whitespace_before_args, *(arg.whitespace_after_arg for arg in call.args)]
    for arg in call.args:
        if isinstance(arg.comma, cst.Comma):
            spaces += [arg.comma.whitespace_before, arg.comma.whitespace_after]
    return all(isinstance(space, cst.SimpleWhitespace) for space in spaces)


def with_arguments(call: cst.Call, arguments: Sequence[cst.Arg]) -> cst.Call:
    """``call`` with other arguments; commas and line breaks between them stay as written."""
    args = list(arguments)
    inside = call.whitespace_before_args
    if args and not call.args and isinstance(inside, cst.SimpleWhitespace):
        # The blank in ``f( )`` stands on either side of what comes between.
        args[-1] = args[-1].with_changes(whitespace_after_arg=inside)
    if args and call.args:
        end = call.args[-1]
        if not isinstance(end.comma, cst.Comma):
            args[-1] = args[-1].with_changes(
                comma=cst.MaybeSentinel.DEFAULT,
                whitespace_after_arg=end.whitespace_after_arg,
            )
        elif isinstance(args[-1].comma, cst.Comma):
            args[-1] = args[-1].with_changes(comma=_closing_comma(args[-1].comma, end.comma))
    args = [
        arg
        if index == len(args) - 1 or isinstance(arg.comma, cst.Comma)
        else arg.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        for index, arg in enumerate(args)
    ]
    if not args:
        return call.with_changes(args=[], whitespace_before_args=cst.SimpleWhitespace(""))
    return call.with_changes(args=args)


def _closing_comma(inner: cst.Comma, end: cst.Comma) -> cst.Comma:
    """``inner`` as the last comma of a call: its own comment, the bracket where ``end`` has it."""
    before, after = inner.whitespace_after, end.whitespace_after
    if isinstance(before, cst.ParenthesizedWhitespace) and isinstance(
        after, cst.ParenthesizedWhitespace
    ):
        after = before.with_changes(indent=after.indent, last_line=after.last_line)
    elif isinstance(before, cst.ParenthesizedWhitespace) and before.first_line.comment is not None:
        after = before
    return inner.with_changes(whitespace_after=after)


def with_argument_added(
    call: cst.Call, new: cst.Arg, before: cst.Comma | cst.MaybeSentinel | None = None
) -> cst.Call:
    """``call`` with one more argument at the end, on a line of its own where the others are.

    ``before`` is a comma between other arguments, where ``call`` has no such itself.
    """
    args = [*call.args]
    if not args:
        return with_arguments(call, [new])
    before = args[-2].comma if len(args) > 1 else before
    space = (
        before.whitespace_after if isinstance(before, cst.Comma) else call.whitespace_before_args
    )
    last = args[-1]
    if isinstance(last.comma, cst.Comma):
        between, closing = _spaces_around(last.comma.whitespace_after, space)
        new = new.with_changes(comma=last.comma.with_changes(whitespace_after=closing))
    else:
        between, closing = _spaces_around(last.whitespace_after_arg, space)
        new = new.with_changes(whitespace_after_arg=closing)
    args[-1] = last.with_changes(
        comma=cst.Comma(whitespace_after=between), whitespace_after_arg=cst.SimpleWhitespace("")
    )
    return call.with_changes(args=[*args, new])


def _spaces_around(
    end: cst.BaseParenthesizableWhitespace, space: cst.BaseParenthesizableWhitespace
) -> tuple[cst.BaseParenthesizableWhitespace, cst.BaseParenthesizableWhitespace]:
    """What stands before and behind a new last argument, where ``end`` closed the arguments.

    A comment in ``end`` stays with the argument that it follows; ``space`` is what stands between
    other arguments.
    """
    if isinstance(space, cst.ParenthesizedWhitespace):
        bare = cst.TrailingWhitespace(newline=space.first_line.newline)
        space = space.with_changes(first_line=bare, empty_lines=[])
        if isinstance(end, cst.ParenthesizedWhitespace):
            line = space.with_changes(first_line=end.first_line)
            return line, end.with_changes(first_line=bare, empty_lines=[])
    else:
        space = cst.SimpleWhitespace(" ")
    return space, end


def without_argument(call: cst.Call, index: int) -> cst.Call:
    """``call`` without its argument at ``index``."""
    return with_arguments(call, [*call.args[:index], *call.args[index + 1 :]])


def without_arguments(call: cst.Call, indices: Collection[int]) -> cst.Call:
    """``call`` without some of its arguments; the lines that ended there end before."""
    kept: list[cst.Arg] = []
    for index, arg in enumerate(call.args):
        if index not in indices:
            kept.append(arg)
        elif kept and _ends_line(arg) and not _ends_line(kept[-1]):
            kept[-1] = kept[-1].with_changes(comma=arg.comma)
    return with_arguments(call, kept)


def _ends_line(arg: cst.Arg) -> bool:
    """Whether the next argument stands on a line of its own, and no comment between them."""
    comma = arg.comma
    space = comma.whitespace_after if isinstance(comma, cst.Comma) else None
    return isinstance(space, cst.ParenthesizedWhitespace) and space.first_line.comment is None


def renamed_keyword(call: cst.Call, old: str, new: str) -> cst.Call:
    """``call`` with ``old=`` spelled ``new=``."""
    args = [
        arg.with_changes(keyword=cst.Name(new))
        if arg.keyword is not None and arg.keyword.value == old
        else arg
        for arg in call.args
    ]
    return call.with_changes(args=args)


def with_keywords(call: cst.Call, keywords: Mapping[int, str]) -> cst.Call:
    """``call`` with the arguments at some places given by these keywords."""
    args = [*call.args]
    for index, name in keywords.items():
        named = keyword_argument(name, args[index].value)
        equal = args[index].equal if args[index].keyword is not None else named.equal
        args[index] = args[index].with_changes(keyword=named.keyword, equal=equal)
    return call.with_changes(args=args)
