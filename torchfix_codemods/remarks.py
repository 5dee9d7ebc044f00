"""What the tool says besides its rules: the codes TP001 to TP006, which are no rule's."""

from __future__ import annotations

from torchfix_codemods.record import record


@record
class Remark:
    """Something that is said of a file, or of what is in it, by the tool itself."""

    code: str
    name: str
    page: str
    """What ``torchfix explain`` says of it, below its name."""
    is_advice: bool = True
    """Whether a person is told what to do, and may not want to know."""
    heeds_comments: bool = False
    """Whether ``# torchfix: ignore`` keeps it away from a place."""


#: The rule that writes `//` where a float raises, which shows that Python 2 alone ran a file.
DIVIDED_SIZE = "TP414"

PYTHON_2 = Remark(
    "TP001",
    "python-2",
    """\
A file of Python 2 is converted to Python 3 before the rules look at it, with `--py2` a cell, too;
what the converter could not do is said at its line, and where the bytes of `check_output` become a
part of a text. So is an import of the module beside the file,
which gets a dot (`from .vgg import *`).
""",
    is_advice=False,
)

DIVISION = Remark(
    "TP002",
    "python-2-division",
    """\
`/` of two whole numbers rounded down in Python 2. It becomes `//` where both sides are certainly
whole numbers, and where a float would have failed. Others are reported, once for a file, where
something shows that they may have been of whole numbers: a length or a count is divided, or the
result is an index. So they are in a file that both Pythons read where another quotient is a size,
for which Python 3 has an error (TP414). Write `//` if both sides are whole numbers.

`# torchfix: ignore[TP002]` keeps one as it is, `--ignore TP002` tells of none.
""",
    heeds_comments=True,
)

UNREADABLE_BLOCK = Remark(
    "TP003",
    "unreadable-block",
    """\
A code block of a Markdown or reStructuredText file is no Python by itself, and a rule might have
had something to say about it. It is left as it is: write a whole statement, or leave out the name
of the language. `--ignore TP003` tells of none.
""",
)

UNKNOWN_RULE = Remark(
    "TP004",
    "unknown-rule",
    """\
`# torchfix: ignore[...]` names a rule that there is none of, or none at all, and so keeps nothing
away. Write a code (`TP301`), its first digits (`TP3`) or a name (`size-average`) that
`torchfix rules` lists. `--ignore TP004` tells of none.
""",
)

ONLY_PYTHON_2 = Remark(
    "TP005",
    "only-python-2",
    """\
Python 3 can read the file, but not run it: it calls `xrange`, `unicode` or `raw_input`, or asks a
dict for `iteritems()`. It is migrated all the same; `--py2` also converts it. Said once a file, and
not where the code asks for the version of Python. An import of the module beside the file is told
as well where no dot can be written. So is a `map(...)`, `filter(...)`, `zip(...)`, `range(...)` or
`d.keys()` that is used as the list that it was, and a `map(...)` that nothing goes through: it
calls nothing. `--ignore TP005` tells of none.
""",
)

UNUSED_COMMENT = Remark(
    "TP006",
    "unused-comment",
    """\
`# torchfix: ignore[...]` names a rule that finds nothing there, or names none where no rule does:
take it out, because it would hide what comes later. Nothing is said of rules that the settings, or
options such as `--select` and `--to`, leave out. `--ignore TP006` tells of none.
""",
)

REMARKS = (PYTHON_2, DIVISION, UNREADABLE_BLOCK, UNKNOWN_RULE, ONLY_PYTHON_2, UNUSED_COMMENT)


def remark_of(name: str) -> Remark | None:
    """What is said under a code or a name."""
    wanted = name.strip().lower()
    return next((each for each in REMARKS if wanted in (each.code.lower(), each.name)), None)


def page_of_remark(remark: Remark, level: int = 1) -> str:
    """The page of what is no rule, in Markdown."""
    return f"{'#' * level} {remark.code} {remark.name}\n\n{remark.page}"
