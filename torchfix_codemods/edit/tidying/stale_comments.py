"""Comments that are about what is gone: ``# wrap them in Variable``, ``# end`` of a method."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

_DOING = frozenset(
    """wrap wraps wrapper wrapping convert converts transform transforms turn put make cast move
    pack""".split()
)
_WRAPPING = frozenset("wrap wraps wrapper wrapping".split())
_WHAT = frozenset(
    """a all an and array arrays as autograd backpropagatable batch both data differentiable image
    images in input inputs into it label labels mini minibatch numpy of pytorch target targets
    tensor tensors the them this to torch with
    """.split()
)
_INTO = frozenset({"variable", "variables"})
#: What a heading says of them: ``# now Variables``.
_HEADING = frozenset("a as autograd in into now pytorch then to torch".split())
#: What a comment says behind the word: ``Variable class for automatic differentiation``.
_BEHIND = frozenset(
    """a and autodiff autograd automatic backprop backpropagation backward calc calculation can
    class classes computation differentiation for get gradient gradients have instance instances
    object objects of so that the type types we will with
    """.split()
)
_UNDOING = frozenset("unwrap unwraps unwrapping".split())
#: Why things are made Variables.
_REASONS = _INTO | frozenset(
    """autograd can first have must need needs now on only pytorch so then to torch train trains
    we with work works
    """.split()
)
#: What a comment beside a line says of the wrapper that the line was there for.
_WRAPPED = _INTO | _WRAPPING | {"volatile"}
#: Where a line takes things to.
_PLACES = frozenset({"cuda", "gpu"})
#: What is said of it.
_MOVED = _PLACES | {"form", "move", "put"}
#: What a flag that keeps no graph is set for, said behind it.
_WHY_NO_GRAPH = frozenset(
    """a and at autograd consumption do evaluation for graph inference keep less low memory minimal
    minimize mode no not of reduce reduces save saves saving saved since store storing test testing
    the time to usage use using validation we when while during in gradients gradient evaluating
    need only are is as it this
    """.split()
)
#: ``, set volatile=True for inference mode``, behind what else a comment says.
_FLAG_SET = re.compile(
    r"\s*(?:[,;:.]|\s)\s*(?:(?:and|then|so|by)\s+)*(?:sets?|setting|with|use|using)\s+"
    r"volatile\s*=\s*True\b(?P<why>[\w ,'-]*)\.?\s*$",
    re.IGNORECASE,
)
_FLAG = re.compile(r"\s*(?:[:;]|,?\s+so|\()\s*volatile\s*=\s*True\b\)?(?P<stop>\.?)\s*$")
#: Where the page on autograd is, and at most what it is said to be.
_PAGE_ON_AUTOGRAD = re.compile(
    r"#+[\w\s]*\b(?:autograd|Variables?)\b[\w\s]*[:,(]?\s*https?://\S*pytorch\.org/\S*autograd\S*",
    re.IGNORECASE,
)
_CALLED_ON_IT = re.compile(r"#+\s*(?:\.\w+\([\w.=, ]*\))+")
#: What was taken out of a call, or is its default: ``# , volatile=True`` as it stands behind
#: ``Variable(x)``, and ``# requires_grad=False``.
_GIVEN_TO_IT = re.compile(r"#+\s*(?:(?:,\s*\w+|volatile)\s*=\s*\w+|requires_grad\s*=\s*False)\)?")
#: What a comment ends with: ``and volatile will save us from changing requires_grad``.
_CLAUSE_ON_FLAG = re.compile(
    r"[,;]?\s+(?:and|as|since|because)\s+(?:the\s+)?volatile\b[^.;:?]*[.!]?\s*$", re.IGNORECASE
)
#: The same as a sentence, or the end of one: ``Thus, we set volatile to True.``
_SETTING_FLAG = re.compile(
    r"[,;]?\s+(?:and\s+)?(?:so|thus|hence|therefore),?\s+(?:(?:we|I)\s+)?(?:set|use|make)s?\s+"
    r"(?:(?:it|them|the|its|their)\s+)?volatile\s*(?:=|to|as)?\s*True[.!]?\s*$",
    re.IGNORECASE,
)
#: Where else it is set: ``x sets volatile to True, thus, we do not set it here``.
_SET_ELSEWHERE = re.compile(
    r"\w+ (?:sets|has) volatile\b[^.;:?]*\b(?:not|need not|no need to) (?:set|give|use) "
    r"(?:it|that|volatile) (?:here|again|below)\W*",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
#: What each sentence has a word of that is about the flag and what it did.
_OF_FLAG = re.compile(r"volatile|\bvariables?\b|requires_grad", re.IGNORECASE)
#: So many words make a comment without the flag at its end.
_FEWEST_WORDS = 3
#: What else is done to the same, behind that: ``# wrap them in Variable and move them to the GPU``.
_MOVING_CLAUSE = re.compile(
    r"^(?P<head>\s*#+\s*\w[\w -]*?)(?:,? and (?:then )?|, then )"
    r"(?P<clause>(?:maybe |optionally )?(?:move|push|put|send|transfer|copy)\b.*)$",
    re.IGNORECASE,
)
#: ``… wrapped in a suitable Variable``, behind what is given or made there.
_WRAPPED_BEHIND = re.compile(
    r",?\s+(?:all\s+|both\s+)?wrapped\s+(?:up\s+)?(?:in|into|as|with)\s+"
    r"(?:(?:a|an|the|suitable|torch|pytorch|autograd)\s+)*(?:autograd\.)?Variables?(?P<stop>\.?)\s*$",
    re.IGNORECASE,
)
#: What arrays are converted to, in a comment that says so.
_ARRAYS_TO = re.compile(
    r"(?P<head>\b(?:numpy|arrays?)\b.*?\b(?:to|into)\b.*?)\b(?:autograd[. ])?"
    r"(?P<variable>variables?)\b",
    re.IGNORECASE,
)
#: What else is converted, where the code below still makes tensors of it.
_CONVERTED_TO = re.compile(
    r"(?P<head>\bconvert(?:s|ing)?\s+(?!.*\btensors?\b)[\w ]*?\b(?:in)?to\s+(?:a\s+)?)"
    r"(?P<variable>variables?)(?=[.,]?\s*$)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\([^()]*\)")
_LAST_CLAUSE = re.compile(r",? and (?:then )?(?P<clause>\w[\w -]*)(?P<stop>\.?)\s*$")


def is_about_variables_only(line: str, names: Iterable[str] = ()) -> bool:
    """Whether a line is a comment that only says that things become Variables, or tensors again.

    It may say why, ``# torch can only train on Variable, so convert them to Variable``, and that a
    flag of theirs is set: ``# wrap them in Variables, with volatile=True to save memory``.

    Args:
        line: the line, or the comment.
        names: what the code below assigns; the comment may speak of those.
    """
    words = _words(_without_flag_set(line))
    if words and words[0] in _UNDOING:
        known = _known(names) | _INTO | {"from"}
        return len(words) > 1 and not _INTO.isdisjoint(words) and known.issuperset(words[1:])
    if len(words) > 1 and words[-1] in _INTO:
        # ``# tensor to Variable`` needs no word for what is done.
        is_of_known = words[-2] in ("to", "into") and _known(names).issuperset(words[:-2])
        if is_of_known or _HEADING.issuperset(words[:-1]):
            return True
    done = next((n for n, word in enumerate(words) if word in _DOING), None)
    into = max((n for n, word in enumerate(words) if word in _INTO), default=-1)
    return (
        done is not None
        and done < into
        and _REASONS.issuperset(words[:done])
        and _known(names).issuperset(words[done + 1 : into])
        and _BEHIND.issuperset(words[into + 1 :])
    )


def is_about_wrapping_only(line: str, names: Iterable[str] = ()) -> bool:
    """Whether a comment says that things are wrapped, and not in what: ``# wrap targets``.

    Or what else was done beside: ``# convert inputs into Variable and cuda form``.

    Args:
        line: the line, or the comment.
        names: what the code below assigns; the comment may speak of those.
    """
    words = _words(line)
    if len(words) < 2:
        return False
    first, *rest = words
    is_moved = first in _DOING and not any(map(frozenset(rest).isdisjoint, (_INTO, _PLACES)))
    known = _known(names).union(_INTO | _MOVED if is_moved else ())
    return (is_moved or first in _WRAPPING) and known.issuperset(rest)


def tells_of_wrapper(comment: str, names: Iterable[str] = ()) -> bool:
    """Whether a comment beside a line says only that it wrapped: ``# volatile``, ``# -> Variable``.

    Or it is what was taken out behind the wrapper, ``x = Variable(x)  # .cuda()``, or in it.

    Args:
        comment: the comment.
        names: what the line assigned; the comment may speak of those.
    """
    taken_out = comment.strip()
    if _CALLED_ON_IT.fullmatch(taken_out) or _GIVEN_TO_IT.fullmatch(taken_out):
        return True
    words = _words(comment)
    said = _known(names) | _REASONS | _DOING | _WRAPPED
    is_told = not _WRAPPED.isdisjoint(words) and said.issuperset(words)
    return is_told or is_about_variables_only(comment, names)


def tells_of_lost_line(comment: str, names: Iterable[str] = ()) -> bool:
    """Whether a comment says only what the line beside it did, which is gone.

    That is ``# move to gpu``, too, but not ``# (batch, 3)``.

    Args:
        comment: the comment.
        names: what the line assigned; the comment may speak of those.
    """
    words = _words(comment)
    if words and words[0] in (*_DOING, "to") and not _PLACES.isdisjoint(words):
        return (_known(names) | _PLACES | {words[0]}).issuperset(words)
    return tells_of_wrapper(comment, names)


def without_variables(line: str, names: Iterable[str] = ()) -> str:
    """The line of a comment without what it says of Variables; nothing where that is all.

    Of ``# Create inputs, and wrap them in Variables.`` it leaves ``# Create inputs.``, and of
    ``# Wrap in Variables and move to the GPU`` it leaves ``# Move to the GPU``. Of ``# return the
    prior parameters wrapped in a suitable Variable`` it leaves ``# return the prior parameters``.

    Args:
        line: the line, without its end.
        names: what the code below assigns; the comment may speak of those.
    """
    if is_about_variables_only(line, names):
        return ""
    moving = _MOVING_CLAUSE.search(line)
    if moving is not None and is_about_variables_only(moving["head"], names):
        return _begun_by(moving["head"], moving["clause"])
    behind = _WRAPPED_BEHIND.search(line)
    if behind is not None and len(_words(line[: behind.start()])) >= _FEWEST_WORDS:
        return line[: behind.start()] + behind["stop"]
    last = _LAST_CLAUSE.search(line)
    is_last = last is not None and is_about_variables_only("# " + last["clause"], names)
    if last is None or not is_last or not _stands_alone(line[: last.start()]):
        return line
    return line[: last.start()] + last["stop"]


def without_first_sentence(lines: Sequence[str], names: Iterable[str] = ()) -> list[str]:
    """The lines of a comment without the first where that is a sentence on Variables only.

    Of ``# Wrap it in a Variable`` and ``# This is the state of step 0`` it leaves the second.

    Args:
        lines: all lines of the comment, without their ends.
        names: what the code below assigns; the comment may speak of those.
    """
    is_whole = len(lines) > 1 and re.match(r"\s*#+\s*[A-Z]", lines[1]) is not None
    return [*lines[1:]] if is_whole and is_about_variables_only(lines[0], names) else [*lines]


def with_tensors(line: str) -> str:
    """A comment on arrays that become Variables as one on tensors: ``# numpy arrays to tensors``.

    Args:
        line: the line, without its end; one that says of nothing that it is converted is given
            back.
    """
    said = _ARRAYS_TO.search(line) or _CONVERTED_TO.search(line)
    if said is None:
        return line
    many = "s" if said["variable"].lower().endswith("s") else ""
    word = ("Tensor" if re.search(r"\bTensors?\b", line) else "tensor") + many
    return line[: said.end("head")] + word + line[said.end() :]


def _begun_by(head: str, clause: str) -> str:
    """A comment that begins with what stood behind its head, in capitals where that did."""
    first = next(at for at, letter in enumerate(head) if letter.isalnum())
    return head[:first] + (clause[0].upper() if head[first].isupper() else clause[0]) + clause[1:]


def without_flag(line: str) -> str:
    """The line of a comment without the flag that it ends with, where the rest says enough.

    Of ``# we only infer, no autograd required: volatile=True`` it leaves ``# we only infer, no
    autograd required``.

    Args:
        line: the line, without its end.
    """
    flag = _FLAG.search(line)
    if flag is None or len(_words(line[: flag.start()])) < _FEWEST_WORDS:
        return line
    return line[: flag.start()] + flag["stop"]


def without_clause_on_flag(lines: Sequence[str]) -> list[str]:
    """The lines of a comment without the clause on the flag that it ends with.

    Of ``# nothing is trained by these, and volatile keeps`` and ``# the graph away!`` it leaves ``#
    nothing is trained by these``.

    Args:
        lines: all lines of the comment, without their ends.
    """
    whole = "\n".join(lines)
    # What goes on in the next line does so behind its mark, of the same length here.
    said = re.sub(r"\n(\s*#+)", lambda mark: "\n" + " " * len(mark[1]), whole)
    clause = _CLAUSE_ON_FLAG.search(said) or _SETTING_FLAG.search(said)
    if clause is None or len(_words(whole[: clause.start()])) < _FEWEST_WORDS:
        return [*lines]
    is_sentence = clause[0].lstrip()[:1].isupper()
    stop = "." if clause[0].rstrip().endswith(".") and not is_sentence else ""
    return (whole[: clause.start()] + stop).split("\n")


def is_about_flag_only(lines: Iterable[str]) -> bool:
    """Whether each sentence of a comment is about a flag that the line below it set.

    ``# The loss must not be volatile, so let's clear that. It has requires_grad=False then.``
    """
    said = " ".join(line.strip().lstrip("#").strip() for line in lines)
    sentences = _SENTENCE_END.split(said.strip())
    return speaks_of_flag(said) and all(_OF_FLAG.search(sentence) for sentence in sentences)


def tells_where_flag_is_set(lines: Iterable[str]) -> bool:
    """Whether a comment only says that the flag is set elsewhere, and so not below it.

    ``# x sets volatile to True, thus, we do not set`` and ``# it here``
    """
    said = " ".join(line.strip().lstrip("#").strip() for line in lines)
    return _SET_ELSEWHERE.fullmatch(said) is not None


def points_to_autograd(comment: str) -> bool:
    """Whether a comment gives the page on autograd: ``# on autograd: https://…/autograd.html``.

    Beside ``from torch.autograd import Variable`` it is about what is imported, and goes with it.
    """
    return _PAGE_ON_AUTOGRAD.fullmatch(comment.strip()) is not None


def speaks_of_flag(line: str) -> bool:
    """Whether a comment tells of the flag, too, so that it holds where that is still given."""
    return "volatile" in line.lower()


def _without_flag_set(line: str) -> str:
    """The line of a comment without what it says of a flag that is set beside, and why."""
    flag = _FLAG_SET.search(line) if speaks_of_flag(line) else None
    if flag is None or not _WHY_NO_GRAPH.issuperset(re.findall(r"\w+", flag["why"].lower())):
        return line
    return line[: flag.start()]


def _words(line: str) -> list[str]:
    """The words of a comment, or none of what is not only a comment."""
    comment = line.strip()
    return re.findall(r"\w+", comment.lower()) if comment.startswith("#") else []


def _known(names: Iterable[str]) -> frozenset[str]:
    return _WHAT.union(name.lower() for name in names)


def _stands_alone(head: str) -> bool:
    """Whether what stands before the last clause is a sentence without it."""
    said = _BRACKETED.sub("", head)
    return bool(_words(said)) and "," not in said and "both" not in _words(said)


def is_code(comment: str) -> bool:
    """Whether a comment is a statement that was taken out: ``#print(x.shape)``, ``# x = 1``."""
    text = comment.strip().lstrip("#").strip()
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return False
    if len(body) != 1:
        return False
    is_call = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Call)
    return is_call or isinstance(body[0], (ast.Assign, ast.AugAssign, ast.Import, ast.ImportFrom))


def is_for_tools(comment: str) -> bool:
    """Whether a comment tells a tool something about its own line: ``# noqa``, ``# type: …``."""
    tools = r"#\s*(noqa|type:|pyright|mypy|pylint|pragma|torchfix|fmt:)"
    return re.match(tools, comment) is not None


def names_variable_as_type(comment: str) -> bool:
    """Whether a comment says that a value is a Variable, and nothing else: ``# type: Variable``."""
    return re.fullmatch(r"# type:\s*Variable", comment.strip()) is not None


def names_of_types(text: str) -> frozenset[str]:
    """The names that comments of a module use as types: ``# type: (Tensor) -> Optional[Path]``."""
    found: set[str] = set()
    for written in re.findall(r"#\s*type:(?!\s*ignore\b)([^#\n]+)", text):
        try:
            tree = ast.parse(written.replace("->", ",").strip(), mode="eval")
        except (SyntaxError, ValueError):
            continue
        found.update(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return frozenset(found)


def closes_block(comment: str) -> bool:
    """Whether a comment only says that a block ends, and goes with it: ``# end``, ``# end def``."""
    block = r"(?:of\s+)?(?:def|function|method|constructor|(?:def\s+)?__init__(?:\(\))?)"
    return re.fullmatch(rf"#+\s*end(?:\s*{block})?", comment.strip(), re.IGNORECASE) is not None


def takes_out_static(comment: str) -> bool:
    """Whether a comment is a decorator that is there again: ``# @staticmethod``."""
    return re.fullmatch(r"#+\s*@staticmethod", comment.strip()) is not None
