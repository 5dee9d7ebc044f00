"""What legacy files of torch use of numpy, Pillow, SciPy and Python that is gone."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import (
    Call,
    Form,
    Given,
    Gone,
    Name,
    Named,
    Value,
    all_gone,
)

_RULE = "TP907"
_ABC = """
    Awaitable Callable Collection Container Coroutine Generator Hashable ItemsView Iterable
    Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet Reversible
    Sequence Set Sized ValuesView"""
_NUMPY_TYPES = {
    "int": "int",
    "float": "float",
    "complex": "complex",
    "object": "object",
    "str": "str",
    "unicode": "str",
}
_NUMPY = {
    "float_": "float64",
    "complex_": "complex128",
    "unicode_": "str_",
    "string_": "bytes_",
    "Inf": "inf",
    "Infinity": "inf",
    "infty": "inf",
    "PINF": "inf",
    "NaN": "nan",
    "NAN": "nan",
    "product": "prod",
    "cumproduct": "cumprod",
    "bool8": "bool_",
    "cfloat": "complex128",
    "clongfloat": "clongdouble",
    "int0": "intp",
    "longcomplex": "clongdouble",
    "longfloat": "longdouble",
    "mat": "asmatrix",
    "round_": "round",
    "lib.pad": "pad",
    "singlecomplex": "complex64",
    "uint0": "uintp",
}
_MATH = """
    math.atan2 math.ceil math.cos math.exp math.floor math.inf math.log math.pi math.pow
    math.radians math.sin math.sqrt math.tan"""
#: What tells of errors has a module of its own.
_NUMPY_ERRORS = """
    AxisError ComplexWarning ModuleDeprecationWarning RankWarning TooHardError
    VisibleDeprecationWarning"""
_SIMILARITY = {
    "compare_mse": "mean_squared_error(image0, image1)",
    "compare_nrmse": "normalized_root_mse(image_true, image_test)",
    "compare_psnr": "peak_signal_noise_ratio(image_true, image_test)",
    "compare_ssim": "structural_similarity(im1, im2), with channel_axis=-1 for multichannel=True",
}
#: Windows of SciPy, which stood in ``scipy.signal`` as well.
_WINDOWS = """
    barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop
    gaussian general_gaussian hamming hann kaiser nuttall parzen triang tukey"""
_STRETCHED = "what is not uint8 was stretched first, from its least and largest value to 0 and 255"
#: Where arguments can say from where, to where, and that nothing is stretched.
_AS_SAID = (
    "what is not uint8 was stretched first, from its least and largest value (or cmin and cmax) to"
    " 0 and 255 (or low and high)"
)
#: Of three axes the first with 3 entries, else the first with 4, were the channels.
_MOVE = "(3, height, width) was taken with .transpose(1, 2, 0)"
_MOVED = f", and {_MOVE}"
_OF_TOIMAGE = ("high", "low", "cmin", "cmax", "pal", "mode", "channel_axis")
_FILTERS = {
    "bilinear": "BILINEAR",
    "nearest": "NEAREST",
    "bicubic": "BICUBIC",
    "cubic": "BICUBIC",
    "lanczos": "LANCZOS",
}
_OF_SIZES = "where it took (height, width), a fraction or a percentage"
#: What was made of an array: only images without channels can be of mode L or F.
_MODES: dict[object, str] = {
    Given.NO: "{arr}",
    "RGB": "{arr}",
    "L": "{arr}",
    "F": "np.asarray({arr}, np.float32)",
}
#: What else was done to it.
_DONE: tuple[tuple[dict[str, object], str], ...] = (
    ({"mode": Given.NO, "arr": Given.MAYBE_BYTES}, f"{_STRETCHED}{_MOVED}"),
    ({"mode": "RGB", "arr": Given.MAYBE_BYTES}, f"{_STRETCHED}{_MOVED}"),
    ({"mode": "L", "arr": Given.MAYBE_BYTES}, _STRETCHED),
    ({"mode": Given.NO, "arr": Given.BYTES}, _MOVE),
    ({"mode": "RGB", "arr": Given.BYTES}, _MOVE),
)
_READ = (
    "imageio.v2.imread(path) takes its place, with mode='F' for flatten=True, else with the mode"
    " given"
)
_READS = tuple(
    Form(
        "", {"flatten": is_flat, "mode": mode}, advice=f"imageio.v2.imread({read}) takes its place"
    )
    for is_flat, mode, read in (
        (True, Given.NO, "{name}, mode='F'"),
        (False, Given.NO, "{name}"),
        (False, Given.YES, "{name}, mode={mode}"),
    )
)
_IMAGES = {
    "imrotate imfilter": (
        f"PIL.Image.fromarray(a) makes an image that can be rotated and filtered; {_STRETCHED}"
    ),
    "fromimage": "write np.array(image)",
    "bytescale": f"calculate it with numpy: {_AS_SAID}",
    "imshow": f"write PIL.Image.fromarray(a).show(); {_STRETCHED}",
}

ROWS = (
    *(Value(f"numpy.{old}", new, rule=_RULE, gone="1.24") for old, new in _NUMPY_TYPES.items()),
    Value("numpy.bool", "bool", rule=_RULE, missing="1.24 to 1.26"),
    Value("numpy.long", "int", rule=_RULE, missing="1.24 to 1.26"),
    *(Value(f"numpy.{old}", f"numpy.{new}", rule=_RULE, gone="2.0") for old, new in _NUMPY.items()),
    Value("numpy.NINF", "-numpy.inf", rule=_RULE, gone="2.0"),
    *(Value(f"numpy.{name}", name, rule=_RULE, gone="2.0") for name in _MATH.split()),
    Gone("numpy.math", "import math", rule=_RULE, gone="2.0"),
    Value("numpy.trapz", "numpy.trapezoid", rule=_RULE, gone="2.4"),
    *(
        Value(f"numpy.{name}", f"numpy.exceptions.{name}", rule=_RULE, gone="2.0")
        for name in _NUMPY_ERRORS.split()
    ),
    Gone("numpy.in1d", "write np.isin(a, b).ravel()", rule=_RULE, gone="2.4"),
    Gone("numpy.asfarray", "write np.asarray(a, dtype=float)", rule=_RULE, gone="2.0"),
    Gone("numpy.sctypes", "name the types that are meant", rule=_RULE, gone="2.0"),
    Gone("numpy.msort", "write np.sort(a, axis=0)", rule=_RULE, gone="2.0"),
    Gone(
        "numpy.find_common_type",
        "write np.result_type, or np.promote_types for two types",
        rule=_RULE,
        gone="2.0",
    ),
    Gone(
        "numpy.asscalar",
        "write a.item()",
        rule=_RULE,
        gone="1.23",
        takes="asscalar(a)",
        forms=(Form("", advice="write {a:operand}.item()"),),
    ),
    *(
        Value(f"collections.{name}", f"collections.abc.{name}", rule=_RULE, gone="3.10")
        for name in _ABC.split()
    ),
    Gone(
        "time.clock",
        "time.process_time() counts the same seconds on Linux and macOS, time.perf_counter() on"
        " Windows",
        rule=_RULE,
        gone="3.8",
    ),
    Gone(
        "fractions.gcd",
        "math.gcd(a, b) is the same but for the sign of negative numbers",
        rule=_RULE,
        gone="3.9",
    ),
    Gone(
        "inspect.getargspec",
        "inspect.getfullargspec(f) has the same args, varargs and defaults, and varkw for keywords:"
        " where the four values are unpacked, write inspect.getfullargspec(f)[:4]",
        rule=_RULE,
        gone="3.11",
    ),
    Value("PIL.Image.ANTIALIAS", "PIL.Image.LANCZOS", rule=_RULE, gone="10"),
    Value("PIL.Image.LINEAR", "PIL.Image.BILINEAR", rule=_RULE, gone="10"),
    Value("PIL.Image.CUBIC", "PIL.Image.BICUBIC", rule=_RULE, gone="10"),
    *(
        row
        for names, advice in _IMAGES.items()
        for row in all_gone("scipy.misc", names, "1.3", advice, rule=_RULE)
    ),
    Gone(
        "scipy.misc.imsave",
        f"write imageio.imwrite(name, a); {_STRETCHED}",
        rule=_RULE,
        gone="1.3",
        takes="imsave(name, arr, format=...)",
        forms=(Form("", {"format": Given.NO}, advice="write imageio.imwrite({name}, {arr})"),),
        beside=(Form("", {"format": Given.NO, "arr": Given.MAYBE_BYTES}, advice=_STRETCHED),),
    ),
    Gone(
        "scipy.misc.imresize",
        "write np.array(PIL.Image.fromarray(a).resize((width, height), PIL.Image.BILINEAR)), or"
        f" the filter that interp says, {_OF_SIZES}; with mode='F' of np.asarray(a, np.float32),"
        f" else {_STRETCHED}{_MOVED}",
        rule=_RULE,
        gone="1.3",
        takes="imresize(arr, size, interp='bilinear', mode=...)",
        forms=tuple(
            Form(
                "",
                {**when, "interp": interp, "mode": mode},
                advice=f"write np.array(PIL.Image.fromarray({array}).resize(({size}), PIL.Image."
                f"{by})){of_sizes}",
            )
            for interp, by in _FILTERS.items()
            for when, size, of_sizes in (
                ({"size": Given.PAIR}, "{size[1]}, {size[0]}", ""),
                ({}, "width, height", f", {_OF_SIZES}"),
            )
            for mode, array in _MODES.items()
        ),
        beside=tuple(
            Form("", {"interp": interp, **of_array}, advice=done)
            for interp in _FILTERS
            for of_array, done in _DONE
        ),
    ),
    Gone(
        "scipy.misc.toimage",
        f"write PIL.Image.fromarray(a); {_AS_SAID}{_MOVED}",
        rule=_RULE,
        gone="1.3",
        takes="toimage(arr, high=..., low=..., cmin=..., cmax=..., pal=..., mode=...,"
        " channel_axis=...)",
        forms=(
            *(
                Form(
                    "",
                    {**dict.fromkeys(_OF_TOIMAGE, Given.NO), "mode": mode},
                    advice=f"write PIL.Image.fromarray({array})",
                )
                for mode, array in _MODES.items()
            ),
            Form(
                "",
                {
                    **dict.fromkeys(_OF_TOIMAGE, Given.NO),
                    "cmin": Given.YES,
                    "cmax": Given.YES,
                },
                advice="write PIL.Image.fromarray({arr}); what is not uint8 was stretched first,"
                f" from {{cmin}} and {{cmax}} to 0 and 255{_MOVED}",
            ),
        ),
        beside=tuple(
            Form("", {**dict.fromkeys(_OF_TOIMAGE, Given.NO), **of_array}, advice=done)
            for of_array, done in _DONE
        ),
    ),
    *(
        Gone(
            f"scipy.{module}.imread",
            _READ,
            rule=_RULE,
            gone=gone,
            takes="imread(name, flatten=False, mode=None)",
            forms=_READS,
        )
        for module, gone in (("misc", "1.3"), ("ndimage", "1.2"))
    ),
    *(
        Name(f"scipy.misc.{name}", f"scipy.special.{name}", gone="1.3")
        for name in ("logsumexp", "comb", "factorial")
    ),
    *(
        Value(f"scipy.signal.{name}", f"scipy.signal.windows.{name}", rule=_RULE, gone="1.13")
        for name in _WINDOWS.split()
    ),
    Value("scipy.signal.hanning", "scipy.signal.windows.hann", rule=_RULE, gone="1.3"),
    Name("scipy.integrate.trapz", "scipy.integrate.trapezoid", gone="1.14"),
    Name("scipy.integrate.cumtrapz", "scipy.integrate.cumulative_trapezoid", gone="1.14"),
    Gone(
        "scipy.integrate.simps",
        "it is scipy.integrate.simpson(y, x=x), which gives other numbers for an even number of"
        " points",
        rule=_RULE,
        gone="1.14",
    ),
    Gone(
        "scipy.stats.binom_test",
        "write scipy.stats.binomtest(k, n, p).pvalue",
        rule=_RULE,
        gone="1.12",
    ),
    Call(
        "yaml.load(stream, Loader=...)",
        (Form("yaml.load(..., Loader=yaml.FullLoader)", {"Loader": Given.NO}),),
        rule="TP905",
        gone="6",
    ),
    Call(
        "numpy.fromstring(string, dtype=..., count=..., sep=...)",
        (
            Form("numpy.frombuffer(...).copy()", {"sep": Given.NO}),
            Form("numpy.frombuffer(string, dtype=dtype, count=count).copy()", {"sep": ""}),
        ),
        rule="TP905",
        gone="2.3",
        still=True,
    ),
    *(
        Call(
            f"numpy.{old}(a, axis=..., out=..., keepdims=...)",
            # Of a tensor, numpy.all asks its method for an axis, which it has not.
            (Form(f"a.{new}()", {"a": Given.COMPARED}), Form(f"numpy.{new}(...)")),
            rule="TP905",
            gone="2.0",
        )
        for old, new in (("alltrue", "all"), ("sometrue", "any"))
    ),
    Call(
        "numpy.set_printoptions(precision=..., threshold=..., edgeitems=..., linewidth=...,"
        " suppress=..., nanstr=..., infstr=..., formatter=...)",
        tuple(
            Form("numpy.set_printoptions(..., threshold=numpy.inf)", {"threshold": nan})
            for nan in (Named("numpy.nan"), Named("numpy.NaN"), Named("numpy.NAN"), "nan", "NaN")
        ),
        rule="TP905",
        gone="1.16",
        still=True,
    ),
    Gone("sklearn.externals.joblib", "write import joblib", rule=_RULE, gone="0.23"),
    Gone(
        "sklearn.cross_validation",
        "use sklearn.model_selection, whose KFold and its kin take n_splits and give the pairs of"
        " indices by split(X, y)",
        rule=_RULE,
        gone="0.20",
    ),
    Gone(
        "sklearn.utils.linear_assignment_",
        "np.stack(scipy.optimize.linear_sum_assignment(cost), axis=1) gives the same pairs",
        rule=_RULE,
        gone="0.23",
    ),
    *(
        Gone(f"skimage.measure.{old}", f"it is skimage.metrics.{new}", rule=_RULE, gone="0.18")
        for old, new in _SIMILARITY.items()
    ),
)
