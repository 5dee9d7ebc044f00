"""What a glance at the bytes of a file tells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.project.python2_names import (
    GONE,
    GONE_MODULES,
    GONE_OF_DICTS,
    OF_MODULES,
)

#: What tensors have, and not much else has.
_OF_TENSORS = lazy_pattern(
    rb"\.(?:(?:expand_as|view_as|unsqueeze|topk|masked_fill_?|masked_select|index_select|backward"
    rb"|data\.(?:cpu|cuda|numpy))\(|data\[0\])"
)

#: Frameworks whose arrays have some of it, too.
_OTHER_FRAMEWORK = lazy_pattern(
    rb"^\s*(?:import|from)\s+(?:chainer|dynet|jittor|mindspore|mxnet|oneflow|paddle|tinygrad)\b",
    re.MULTILINE,
)

#: An import of torch, or of what is only there with it. A line of a notebook stands in quotes.
_IMPORT_OF_TORCH = lazy_pattern(
    rb"(?:^|\"|\\n)[ \t]*(?:from[ \t]+[\w.]*torch[\w.]*[ \t]+import\b"
    rb"|import[ \t]+(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*[\w.]*torch[\w.]*"
    rb"[ \t]*(?:as[ \t]|[,;#\\\"\r]|$))",
    re.MULTILINE,
)

#: Statements that only Python 2 has: ``print x``, ``exec x``, ``raise E, x``, ``except E, x:``.
_OF_PYTHON_2 = lazy_pattern(
    rb"^[ \t]*(?:(?:print|exec)(?:[ \t]+[\w\"']|[ \t]*>>)|raise[ \t]+[\w.]+[ \t]*,"
    rb"|except[ \t]+[\w.]+[ \t]*,)",
    re.MULTILINE,
)

#: What Python 3 has no more. Names that other things have as well, as ``np.long``, stand alone.
_NAMES_OF_PYTHON_2 = lazy_pattern(
    rf"(?<![\w.])(?:{'|'.join(sorted(GONE))})\b"
    rf"|\b(?:{'|'.join(sorted(GONE_MODULES | GONE_OF_DICTS | OF_MODULES))})\b".encode()
)

_OF_NUMPY = """
    AxisError ComplexWarning Inf Infinity ModuleDeprecationWarning NAN NINF NaN PINF RankWarning
    TooHardError VisibleDeprecationWarning alltrue asfarray asscalar bool bool8 cast cfloat
    clongfloat complex complex_ cumproduct find_common_type float float_ fromstring in1d infty int
    int0 load long longcomplex longfloat mat math msort object product rank round_ sctypes
    set_printoptions singlecomplex sometrue str string_ trapz uint0 unicode unicode_"""

_OF_IMP = "load_source reload"

#: The names that are gone from other libraries, by the last part of the module that held them, and
#: that by what stands in a file with one of them for certain, which is found fast. It is what the
#: catalogue's rows say: to import these takes longer than to look at most files.
_GONE = {
    "np": {"np": _OF_NUMPY},
    "numpy": {"numpy": _OF_NUMPY},
    # Arrays are made everywhere, but not so.
    "copy=False": {"np": "array", "numpy": "array"},
    "pad": {"lib": "pad"},
    "collections": {
        "collections": """
            Awaitable Callable Collection Container Coroutine Generator Hashable ItemsView Iterable
            Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet
            Reversible Sequence Set Sized ValuesView"""
    },
    "string": {"string": "letters lowercase uppercase"},
    "clock": {"time": "clock"},
    "gcd": {"fractions": "gcd"},
    "getargspec": {"inspect": "getargspec"},
    "imp.": {"imp": _OF_IMP},
    "from imp ": {"imp": _OF_IMP},
    "import imp as ": {"imp": _OF_IMP},
    "librosa": {"output": "write_wav"},
    "PIL": {"Image": "ANTIALIAS CUBIC LINEAR"},
    "scipy": {
        "scipy": """
            arange array asarray concatenate dot empty exp eye float32 float64 hstack inf int32
            int64 linspace log log10 log2 mean meshgrid nan ndarray ones ones_like pi power rand
            randn sqrt sum vstack zeros zeros_like""",
        "misc": """
            bytescale comb factorial fromimage imfilter imread imresize imrotate imsave imshow
            logsumexp toimage""",
        "ndimage": "imread",
        "signal": """
            barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential
            flattop gaussian general_gaussian hamming hann hanning kaiser nuttall parzen triang
            tukey""",
        "integrate": "cumtrapz simps trapz",
        "stats": "binom_test",
    },
    "yaml": {"yaml": "load"},
    "sklearn": {
        "sklearn": "cross_validation",
        "externals": "joblib",
        "utils": "linear_assignment_",
    },
    "skimage": {"measure": "compare_mse compare_nrmse compare_psnr compare_ssim"},
}


class _Names:
    """Names that are gone from one module, as files speak of them.

    Args:
        module: the last part of its name.
        names: the names.
    """

    def __init__(self, module: str, names: str) -> None:
        behind = rf"(?:{'|'.join(names.split())})\b"
        imported = r"[ \t]+import\b[ \t]*(?:\([^)]*?|(?:\\\r?\n|[^\n])*?)\b"
        self._used = lazy_pattern(rf"{module}(?:\.|{imported}){behind}".encode())
        self._renamed = lazy_pattern(rf"{module}[ \t]+as[ \t]+(?!np\b)".encode())
        self._attribute = lazy_pattern(rf"\.{behind}".encode())

    def are_in(self, data: bytes) -> bool:
        """Whether a file may use one of the names."""
        if self._used.search(data) is not None:
            return True
        return self._renamed.search(data) is not None and self._attribute.search(data) is not None


class _Written:
    """What a module gives under any name, as files write it.

    Args:
        form: a pattern of that.
    """

    def __init__(self, form: bytes) -> None:
        self._form = lazy_pattern(form)

    def are_in(self, data: bytes) -> bool:
        """Whether a file may use one of the names."""
        return self._form.search(data) is not None


_BY_SIGN: list[tuple[bytes, Sequence[_Names | _Written]]] = [
    (sign.encode(), [_Names(*each) for each in modules.items()]) for sign, modules in _GONE.items()
]
_BY_SIGN += [
    # Tables have a name of their own everywhere.
    (b"pandas", [_Written(rb"\.(?:as_matrix|from_csv|get_values|ix)\b")]),
    # Matrices of Matlab are bytes, which Python 2 read from a file of text.
    (b"loadmat", [_Written(rb"loadmat\(\s*open\(")]),
    # Files are opened by no mode with a U.
    (b"open(", [_Written(rb"open\([^\n#]*['\"][rbt]*U[rbt]*['\"]")]),
    # A float is no end of a range, whatever its library.
    (b"range(", [_Written(rb"range\([^\n#]*[^/\n]/[^/\n]")]),
]


def takes_tensors(data: bytes) -> bool:
    """Whether a file that does not speak of torch may get tensors: it need not import torch."""
    return _OF_TENSORS.search(data) is not None and _OTHER_FRAMEWORK.search(data) is None


def speaks_of_libraries(data: bytes) -> bool:
    """Whether a file may use what other libraries have no more: it fails whatever torch does."""
    return any(
        sign in data and any(names.are_in(data) for names in modules) for sign, modules in _BY_SIGN
    )


def may_be_python2(data: bytes) -> bool:
    """Whether a file may be one that Python 3 cannot read, and Python 2 could."""
    return _OF_PYTHON_2.search(data) is not None


def may_need_python2(data: bytes) -> bool:
    """Whether a file that both may read may use what Python 2 had, and Python 3 has no more."""
    return _NAMES_OF_PYTHON_2.search(data) is not None


def may_serve_torch(data: bytes) -> bool:
    """Whether a file that does not speak of torch may be there for others that do."""
    return takes_tensors(data) or b"patch(" in data


def imports_torch(data: bytes) -> bool:
    """Whether a file imports torch, or a library whose name speaks of it."""
    return b"torch" in data and _IMPORT_OF_TORCH.search(data) is not None
