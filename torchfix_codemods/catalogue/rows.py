"""The forms of a row: what torch calls, takes or gives in another way today.

A row is data. The rules below ``rules/renames`` read it, ``tests/test_catalogue.py`` holds it
against the installed torch, and the cases in ``fixtures/catalogue`` prove what it claims.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from torchfix_codemods.facts.age.era import Version, parse_version
from torchfix_codemods.finding import Numerics, Reason, reason_of
from torchfix_codemods.record import record

#: The torch that the claims are executed on. What is gone there cannot run before its rewrite.
TODAY = (2, 13)


class Given(enum.Enum):
    """What a form can ask of an argument instead of a literal value."""

    NO = "not given"
    YES = "given, whatever it is"
    THERE = "given, and not None"
    NAMED = "given by its keyword"
    LITERAL = "a literal, whichever it is"
    INTEGER = "a whole number written down"
    FLAG = "True or False written down"
    FRACTION = "a number written down that is not whole, or a quotient"
    NUMPY_FLOAT = "certainly one float of numpy"
    BYTES = "certainly an array of uint8"
    IMAGE = "certainly an image of uint8 with its channels last, as it was read"
    FLOATS = "certainly an array of floating point numbers"
    ORDERED_FLOATS = "certainly an array of floating point numbers, its channels last if any"
    ORDERED = "certainly an array of two dimensions, or with its channels last"
    OF_COLOURS = "certainly the name of a picture of more than one bit, by its end or its use"
    TENSOR = "certainly a tensor"
    MADE = "a tensor that torch made in this file"
    COMPARED = "a comparison, element by element, or certainly a tensor"
    VECTOR = "certainly a tensor of one dimension"
    MATRIX = "certainly a tensor of two dimensions"
    NO_VECTOR = "certainly a tensor, and not of one dimension"
    FLOAT = "certainly a tensor of floating point numbers"
    PARTS = "the real and imaginary parts of complex numbers"
    REAL = "not complex, as far as the file shows"
    SCALARS = "a list of tensors that certainly have no dimensions, or of losses that are totalled"
    VECTORS = "a list of tensors that certainly have one dimension"
    PAIR = "two sizes, written as a tuple or a list, which may have more"
    TWO = "certainly a tuple or a list of two"
    CUT = "the first two of several sizes, as they are or calculated with"
    SEVERAL = "sizes of which more than one is seen, and never a number"
    SHAPE = "certainly a shape"
    SIZES = "sizes, and certainly not None"
    PICKLED = "an object that was pickled, by what is asked of it"
    FLAT = "certainly a list of numbers, or of texts"
    RESHAPED = (
        "an array that is reshaped at once, or whose elements are counted or asked for any or all"
    )
    ELEMENT = "an array of which the next statement reads single elements, and nothing else does"
    FORMULA = "certainly a scheduler whose get_lr is a formula of the epoch"
    NEGATIVE = "a number below 0 written down"
    DUMPED = "of a project that calls yaml.dump, which writes objects of Python as well"


@record
class Named:
    """What a form can ask of an argument: that it is the name of this."""

    name: str

    @property
    def value(self) -> str:
        """The condition in words."""
        return f"is {self.name}"


@record
class Above:
    """What a form can ask of an argument: that it is written down, above that for ``other``."""

    other: str

    @property
    def value(self) -> str:
        """The condition in words."""
        return f"a number above {self.other}"


#: Libraries whose changes are counted by their own versions, and how they are called.
_LIBRARIES = {
    "numpy": "numpy",
    "PIL": "Pillow",
    "librosa": "librosa",
    "pandas": "pandas",
    "scipy": "SciPy",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "torchtext": "torchtext",
    "yaml": "PyYAML",
}
_OF_TORCH = frozenset({"torch", "torchvision", "functorch"})


def library(name: str) -> str:
    """The library whose versions a row about ``name`` counts; ``Python`` for its own modules."""
    root = name.partition(".")[0]
    if root in _OF_TORCH or (root[:1].isupper() and root not in _LIBRARIES):
        return "torch"
    return _LIBRARIES.get(root, "Python")


@record(kw_only=True)
class Row:
    """What all rows have.

    Args:
        rule: the code of the rule that follows the row.
        since: the first torch that has what the row writes.
        gone: the first torch without the old form, or the first version of the other library that
            has it; None where it still works.
        before: for silent changes the first torch with the other numbers; the row is followed
            only in files that are certainly for an older one.
        missing: the versions of another library without the old form, which came back in newer
            ones.
        warns: whether today's torch warns of the old form where it still has it.
        claim: what the rewrite does to the numbers, where ``gone`` and ``before`` do not say it;
            with ``before``, it is something else than numbers that changed.
        tor: the codes of the rules of Meta's TorchFix that speak of the same.
        source: where torch says so; the release notes of ``gone`` or ``since`` where empty.
    """

    kind: ClassVar[str]

    rule: str = ""
    since: str = "1.0"
    gone: str | None = None
    before: str | None = None
    missing: str = ""
    warns: bool = False
    claim: Numerics | None = None
    tor: str = ""
    source: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The qualified names that the row is about."""
        raise NotImplementedError

    @property
    def words(self) -> frozenset[str]:
        """The words without one of which a file has nothing for the row."""
        return frozenset(name.rpartition(".")[2] for name in self.names)

    @property
    def numerics(self) -> Numerics:
        """What following the row does to the numbers."""
        if self.claim is not None:
            return self.claim
        if self.before is not None:
            return Numerics.PINNED
        return Numerics.RESTORED if self.is_gone else Numerics.IDENTICAL

    def reason(
        self, numerics: Numerics | None = None, target: Version | None = None
    ) -> Reason | None:
        """Why the row is followed; None where it only advises.

        Args:
            numerics: what following it does to the numbers at a place; None: what it usually does.
            target: the torch that the code has to run on; None: today's.
        """
        numerics = numerics or self.numerics
        if self.missing and numerics is not Numerics.ADVICE:
            return Reason.FAILS
        changed = self.gone or self.before
        if target is None or changed is None or library(self.names[0]) != "torch":
            return reason_of(numerics, self.warns)
        if target < parse_version(changed):
            works = numerics in (Numerics.RESTORED, Numerics.PINNED)
            return reason_of(Numerics.IDENTICAL if works else numerics, self.warns)
        is_gone = self.gone is not None and numerics is Numerics.IDENTICAL
        return reason_of(Numerics.RESTORED if is_gone else numerics, self.warns)

    @property
    def is_gone(self) -> bool:
        """Whether the old form fails today. Other libraries than torch count as of today."""
        if self.gone is None:
            return False
        return library(self.names[0]) != "torch" or parse_version(self.gone) <= TODAY

    @property
    def is_about_torch(self) -> bool:
        """Whether it is about torch, or a library that only files with torch use."""
        return "torch" in library(self.names[0])

    @property
    def state(self) -> str:
        """What became of the old form, to be written behind its name."""
        if self.gone is None:
            return "is deprecated"
        return f"is gone since {library(self.names[0])} {self.gone}"


@record
class Name(Row):
    """A function, class or constant with another name that takes and gives the same.

    Args:
        old: its qualified name.
        new: its qualified name today.
        method: whether tensors have both as methods, too.
        asked: what it does to the numbers where ``isinstance`` asks for the class, if that is
            something else.
        wider_by: a class below the new one that was not below the old one: what ``isinstance``
            was not true for.
    """

    kind = "name"

    old: str
    new: str
    method: bool = False
    asked: Numerics | None = None
    wider_by: str | None = None
    rule: str = field(default="TP901", kw_only=True)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.old,)


@record
class Value(Row):
    """A constant that is written as an expression today.

    Args:
        old: its qualified name.
        new: a Python expression; names of modules in it are written as the file imports them.
    """

    kind = "value"

    old: str
    new: str
    rule: str = field(default="TP904", kw_only=True)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.old,)


@record
class Arguments(Row):
    """Arguments of a call that have another name, must be named, or are no more.

    Args:
        of: the qualified names of the functions or classes; ``Tensor.norm``,
            ``Module.state_dict`` or ``Optimizer.zero_grad`` for methods.
        parameters: what the old form took by position, in that order.
        keywords_from: the index from which on positional arguments are written with keywords.
        renames: keywords with other names.
        drops: parameters that go, whatever they are given.
        flag_at: the index of an argument that has to be given by position, as True or False, for
            the row to be followed.
        bases: whether ``super().__init__`` of derived classes is followed, too.
        advice: what to do about ``drops`` that mean something; they are only told then.
        lost: what is said of ``drops`` beside the rewrite, where they are not just False or None.
    """

    kind = "arguments"

    of: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    keywords_from: int | None = None
    renames: Mapping[str, str] = field(default_factory=dict)
    drops: tuple[str, ...] = ()
    flag_at: int | None = None
    bases: bool = False
    advice: str = ""
    lost: str = ""
    rule: str = field(default="TP902", kw_only=True)

    @property
    def names(self) -> tuple[str, ...]:
        return self.of

    @property
    def numerics(self) -> Numerics:
        return Numerics.ADVICE if self.advice else super().numerics

    @property
    def words(self) -> frozenset[str]:
        if self.keywords_from is None and not set(self.parameters).intersection(self.drops):
            return frozenset({*self.renames, *self.drops})
        return super().words | ({"__init__"} if self.bases else frozenset())


@record
class Form:
    """One way to write a call today.

    Args:
        new: a Python expression in which the names of parameters stand for their arguments, and
            ``...`` in a call for all arguments as they were written; ``edit/templates.py`` says
            what else it can have.
        when: what the arguments must be, by parameter: a literal, or a :class:`Given`.
        method: the same for calls as a method, where that differs; the receiver is the first
            parameter.
        part: the part of the result that ``new`` gives; None: all of it.
        reads: the attributes of the result that ``new`` has, too, where nothing else of it is read.
        gives: what the result must be.
        numerics: what it does to the numbers, where the row does not say it.
        advice: what is said where ``new`` is empty, because nothing that could be written says it;
            ``{a}`` stands for an argument, or its default. With both empty such a call means what
            it meant, and stays.
        spoken: words, or parts of some, of which the code has to speak.
    """

    new: str
    when: Mapping[str, object] = field(default_factory=dict)
    method: str = ""
    part: str | None = None
    reads: tuple[str, ...] = ()
    gives: Given | None = None
    numerics: Numerics | None = None
    advice: str = ""
    spoken: str = ""


@record
class Call(Row):
    """A call that is written as another expression today.

    Args:
        old: the qualified name with the old signature, ``torch.ger(input, vec2)``; a default of
            ``...`` means that what is not given is not written either.
        forms: how it is written today; the first that fits is taken.
        parts: the names of the parts of the old result, in their order; one alone is an attribute
            of what is no tuple.
        method: whether tensors have it as a method, too, with the first parameter as receiver.
        is_method: whether only tensors have it.
        by_key: whether what is called is an element of it, ``cast[dtype](x)``: its key is the first
            parameter.
        is_distinct: whether only tensors, or modules, have a method of that name, so that it is
            reported where the receiver is not known.
        advice: what to say where no form fits; empty: that it is gone, if it is.
        by_call: what to say instead where a file calls this, and no other name among them.
        of_zero: what to say instead of a call that is given a zero, and nothing else.
        after: the first torch with the old signature; files certainly for an older one meant
            another, and are left alone.
        earlier: what to say of a call in a file that is certainly for a torch before ``after``.
        marks: keywords that only the old signature has: what is called with one is of it, however
            old the file looks otherwise.
        unless_converted: whether nothing is written where the result is converted at once.
        dtype_only: whether only the dtype of the result is another, so that nothing is written
            where it is converted at once.
        keeps: what to say instead where a dimension that is kept may not fit what the result is
            calculated with.
        still: whether torch still has the name though no form calls it, so that nothing is said
            of it by itself, nor of other calls, unless there is ``advice``.
        raises: whether torch still has the name, and its calls raise: nothing is said of an import
            alone.
        where: the end of what is said of calls that raise: for what they do, if not all of them.
        used: whether only the result is another, so that nothing is written or said where nobody
            uses it.
        run_by: the method that does what is another today where it is given something, so that
            nothing is said where all calls of it in the project give nothing.
        was_number: whether the result was a number of Python and is a tensor of no dimension, so
            that nothing is written where a tensor does as well, or where it is made a number.
        handed: what to say where the function itself, not its result, is used in code that is
            certainly for a torch before ``gone``: today its name is that of a module.
        decorator: what is written where the function itself, not its result, is a decorator.
        type: what is written for the class in annotations and ``isinstance``.
    """

    kind = "call"

    old: str
    forms: tuple[Form, ...]
    parts: tuple[str, ...] = ()
    method: bool = False
    is_method: bool = False
    by_key: bool = False
    is_distinct: bool = False
    advice: str = ""
    by_call: Mapping[str, str] = field(default_factory=dict)
    of_zero: str = ""
    after: str | None = None
    earlier: str = ""
    marks: tuple[str, ...] = ()
    dtype_only: bool = False
    unless_converted: bool = False
    keeps: str = ""
    still: bool = False
    raises: bool = False
    where: str = ""
    used: bool = False
    run_by: str = ""
    was_number: bool = False
    handed: str = ""
    decorator: str = ""
    type: str = ""
    rule: str = field(default="TP903", kw_only=True)

    @property
    def numerics(self) -> Numerics:
        return super().numerics if any(form.new for form in self.forms) else Numerics.ADVICE

    @property
    def name(self) -> str:
        """The qualified name that is called."""
        return self.old.partition("(")[0]

    @property
    def is_name_gone(self) -> bool:
        """Whether no call of that name works any more, and not only other ones do."""
        if self.gone is None or self.still:
            return False
        return not any(f"{self.name}(" in form.new for form in self.forms)

    @property
    def state(self) -> str:
        if not self.raises and not self.where:
            return super().state
        raised = f"raises since {library(self.name)} {self.gone}"
        return f"{raised}{self.where}" if self.where else raised

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)


@record
class Gone(Row):
    """A module or name without a successor that could be written in its place.

    Where ``gone`` is None it is still there, and deprecated.

    Args:
        old: its qualified name; a module stands for all that is in it.
        advice: what to write.
        also: what is to be written for other names beside it, which is said where a file has one,
            as a name or in a string.
        spoken: what is said instead in a project whose texts hold one of some words, or parts of
            words; the first that fits is taken.
        takes: the old signature, ``asscalar(a)``, where something is said of calls.
        forms: what is said of calls instead of the advice; the first that fits is taken.
            ``{a}`` stands for an argument, ``{size[0]}`` for a part of one.
        beside: what is said of calls beside it; all that fit are taken. It names no argument by
            braces, as one sentence tells of several calls.
        imported: what is said of its import instead, whatever its calls are given.
        attributes: what is said where the file reads such an attribute of what it makes.
        element: what is said instead where the file reads one element of it; ``{0}`` stands for its
            key.
        on_windows: what is said instead where only Windows runs it, by a test around it.
        on_others: what is said instead where Windows does not.
        renames_keys: whether what takes its place has other names in a ``state_dict()``, so that
            nothing is said in a project that reads those.
        has_heir: whether torch has something else by the name of the module, so that it is gone
            where ``import torch.tensor`` asks for the module, and nowhere else.
    """

    kind = "gone"

    old: str
    advice: str
    also: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    spoken: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    takes: str = field(default="", kw_only=True)
    forms: tuple[Form, ...] = field(default=(), kw_only=True)
    beside: tuple[Form, ...] = field(default=(), kw_only=True)
    imported: str = field(default="", kw_only=True)
    attributes: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    element: str = field(default="", kw_only=True)
    on_windows: str = field(default="", kw_only=True)
    on_others: str = field(default="", kw_only=True)
    renames_keys: bool = field(default=False, kw_only=True)
    has_heir: bool = field(default=False, kw_only=True)
    rule: str = field(default="TP904", kw_only=True)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.old,)

    @property
    def numerics(self) -> Numerics:
        return Numerics.ADVICE


def all_gone(
    module: str,
    names: str,
    gone: str | None,
    advice: str,
    rule: str = Gone.rule,
    attributes: Mapping[str, str] | None = None,
    spoken: Mapping[str, str] | None = None,
) -> tuple[Gone, ...]:
    """Rows about several names of one module that share their advice."""
    return tuple(
        Gone(
            f"{module}.{name}",
            advice,
            gone=gone,
            rule=rule,
            attributes=attributes or {},
            spoken=spoken or {},
        )
        for name in names.split()
    )
