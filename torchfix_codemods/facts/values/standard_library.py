"""The numbers and texts of Python's standard library, and numpy's constants."""

from __future__ import annotations

from torchfix_codemods.facts.values.lattice import UNKNOWN, Number, NumberKind, Text, Value

_CONSTANTS = frozenset(
    """math.pi math.e math.tau math.inf math.nan numpy.pi numpy.e numpy.inf numpy.nan numpy.Inf
    numpy.NaN numpy.euler_gamma sys.float_info.epsilon sys.float_info.max
    sys.float_info.min""".split()
)

_TEXTS = frozenset(
    """string.ascii_letters string.ascii_lowercase string.ascii_uppercase string.digits
    string.hexdigits string.letters string.lowercase string.octdigits string.printable
    string.punctuation string.uppercase string.whitespace os.sep os.linesep os.curdir os.pardir
    os.name sys.platform sys.version sys.executable""".split()
)

_FUNCTIONS: dict[str, NumberKind] = {
    **dict.fromkeys(
        """math.acos math.acosh math.asin math.asinh math.atan math.atan2 math.atanh math.copysign
        math.cos math.cosh math.degrees math.dist math.erf math.erfc math.exp math.expm1 math.fabs
        math.fmod math.fsum math.gamma math.hypot math.ldexp math.lgamma math.log math.log10
        math.log1p math.log2 math.pow math.radians math.remainder math.sin math.sinh math.sqrt
        math.tan math.tanh random.betavariate random.expovariate random.gammavariate random.gauss
        random.lognormvariate random.normalvariate random.paretovariate random.random
        random.triangular random.uniform random.vonmisesvariate random.weibullvariate
        time.monotonic time.perf_counter time.process_time time.time timeit.default_timer
        """.split(),
        "float",
    ),
    **dict.fromkeys(
        """math.ceil math.comb math.factorial math.floor math.gcd math.isqrt math.lcm math.perm
        math.trunc random.getrandbits random.randint random.randrange time.time_ns os.getpid
        """.split(),
        "int",
    ),
    **dict.fromkeys("math.isclose math.isfinite math.isinf math.isnan".split(), "bool"),
}

#: What else makes objects that are calculated with, and are no integers.
_OTHER_NUMBERS = frozenset(
    """decimal.Decimal fractions.Fraction datetime.timedelta datetime.datetime datetime.date
    datetime.datetime.now datetime.datetime.utcnow datetime.datetime.today datetime.date.today
    datetime.datetime.strptime datetime.datetime.fromtimestamp datetime.datetime.combine
    pathlib.Path pathlib.PurePath pathlib.PosixPath pathlib.PurePosixPath pathlib.WindowsPath
    pathlib.PureWindowsPath pathlib.Path.cwd pathlib.Path.home os.path.getmtime os.path.getatime
    os.path.getctime""".split()
)


def gives_no_integer(name: str) -> bool:
    """Whether what a function returns is no integer, nor becomes one where it is calculated with.

    >>> gives_no_integer("math.sqrt"), gives_no_integer("decimal.Decimal"), gives_no_integer("len")
    (True, True, False)
    """
    is_other = name in _OTHER_NUMBERS or name.startswith("cmath.")
    return is_other or _FUNCTIONS.get(name) == "float"


def constant(name: str) -> Value:
    """A number or a text by its qualified name; Unknown for all else."""
    if name in _TEXTS:
        return Text()
    return Number("float") if name in _CONSTANTS else UNKNOWN


def call_result(name: str) -> Value:
    """What a function of the standard library returns, where that is a number.

    ``math`` makes Python's numbers of tensors, too.
    """
    kind = _FUNCTIONS.get(name)
    return UNKNOWN if kind is None else Number(kind)
