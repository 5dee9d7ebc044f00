"""What legacy files of torch use of numpy, Pillow, SciPy and Python that is gone."""

from __future__ import annotations

from collections.abc import Mapping

from torchfix_codemods.catalogue.rows import (
    Call,
    Form,
    Given,
    Gone,
    Name,
    Named,
    Value,
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
#: What ``scipy`` itself took from numpy, as far as files ask it for that.
_SCIPY_NUMPY = """
    arange array asarray concatenate dot empty exp eye float32 float64 hstack inf int32 int64
    linspace mean meshgrid nan ndarray ones ones_like pi sum vstack zeros zeros_like"""
#: What gives complex numbers where the same of numpy itself gives nan.
_SCIPY_COMPLEX = "log log10 log2 power sqrt"
_MATH = """
    math.atan2 math.ceil math.cos math.exp math.floor math.inf math.log math.pi math.pow
    math.radians math.sin math.sqrt math.tan"""
#: What tells of errors has a module of its own.
_NUMPY_ERRORS = """
    AxisError ComplexWarning ModuleDeprecationWarning RankWarning TooHardError
    VisibleDeprecationWarning"""
#: The other arguments of what compares two images, which have the same names today.
_OF_SSIM = (
    "win_size gradient gaussian_weights full dynamic_range sigma use_sample_covariance K1 K2"
).split()
_RANGE = ", which asks for data_range of floats, where compare_ssim took 2"
#: What is written for each argument, and what has to be said, by what a call gives.
_RANGES: tuple[tuple[dict[str, object], str, str], ...] = (
    ({"data_range": Given.YES}, ", data_range={data_range}", ""),
    ({"data_range": Given.NO, "X": Given.BYTES}, "", ""),
    ({"data_range": Given.NO}, "", _RANGE),
)
_CHANNELS: tuple[tuple[object, str], ...] = ((False, ""), (True, ", channel_axis=-1"))
_OTHERS: tuple[tuple[dict[str, object], str], ...] = (
    (dict.fromkeys(_OF_SSIM, Given.NO), ""),
    ({}, ", ..."),
)


def _compared(new: str, first: str, second: str, others: str) -> tuple[Form, ...]:
    """What is said of a call by whether it gives one argument more, which needs its name today."""
    images = f"{{{first}}}, {{{second}}}"
    return (
        Form("", {others: Given.NO}, advice=f"it is skimage.metrics.{new}({images})"),
        Form(
            "",
            {others: Given.YES},
            advice=f"it is skimage.metrics.{new}({images}, {others}={{{others}}})",
        ),
    )


_SIMILARITY = (
    (
        "compare_mse(im1, im2)",
        "mean_squared_error(image0, image1)",
        (Form("", advice="it is skimage.metrics.mean_squared_error({im1}, {im2})"),),
    ),
    (
        "compare_nrmse(im_true, im_test, norm_type=...)",
        "normalized_root_mse(image_true, image_test, normalization=...)",
        (
            Form(
                "",
                {"norm_type": Given.NO},
                advice="it is skimage.metrics.normalized_root_mse({im_true}, {im_test})",
            ),
            Form(
                "",
                {"norm_type": Given.LITERAL},
                advice="it is skimage.metrics.normalized_root_mse({im_true}, {im_test},"
                " normalization=...), where 'Euclidean' is 'euclidean'",
            ),
        ),
    ),
    (
        "compare_psnr(im_true, im_test, data_range=..., dynamic_range=...)",
        "peak_signal_noise_ratio(image_true, image_test)",
        _compared("peak_signal_noise_ratio", "im_true", "im_test", "data_range"),
    ),
    (
        f"compare_ssim(X, Y, win_size=..., gradient=..., data_range=..., multichannel=False,"
        f" {', '.join(f'{name}=...' for name in _OF_SSIM[2:])})",
        f"structural_similarity(im1, im2){_RANGE}",
        tuple(
            Form(
                "",
                {**of_range, **of_others, "multichannel": is_multichannel},
                advice=f"it is skimage.metrics.structural_similarity({{X}}, {{Y}}{given}{others}"
                f"{channels}){asked}",
            )
            for of_range, given, asked in _RANGES
            for of_others, others in _OTHERS
            for is_multichannel, channels in _CHANNELS
        ),
    ),
)
#: Windows of SciPy, which stood in ``scipy.signal`` as well.
_WINDOWS = """
    barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop
    gaussian general_gaussian hamming hann kaiser nuttall parzen triang tukey"""
_OF_TOIMAGE = ("high", "low", "cmin", "cmax", "pal", "mode", "channel_axis")
_FILTERS = {
    "bilinear": "BILINEAR",
    "nearest": "NEAREST",
    "bicubic": "BICUBIC",
    "cubic": "BICUBIC",
    "lanczos": "LANCZOS",
}
#: What Pillow is asked for is what SciPy did; imageio takes no mode for TIFF. Without one, SciPy
#: gave the colours of a palette, as imageio does and an array of Pillow's image does not; of one
#: bit it made 0 and 255.
_READ = (
    "imageio.v2.imread(path) takes its place, but gives bool for images of one bit, and"
    " np.array(PIL.Image.open(path).convert(mode)) where a mode is given, 'F' for flatten=True"
)
_READS = tuple(
    Form("", {"flatten": is_flat, "mode": mode, **named}, advice=advice)
    for is_flat, mode, named, advice in (
        (
            True,
            Given.NO,
            {},
            "np.array(PIL.Image.open({name:short}).convert('F')) does the same",
        ),
        (
            False,
            Given.NO,
            {"name": Given.OF_COLOURS},
            "imageio.v2.imread({name:short}) takes its place",
        ),
        (
            False,
            Given.NO,
            {},
            "imageio.v2.imread({name:short}) takes its place, but gives bool for images of one bit",
        ),
        (
            False,
            Given.YES,
            {},
            "np.array(PIL.Image.open({name:short}).convert({mode})) does the same",
        ),
    )
)
_ISIN = "numpy.isin(ar1, ar2, assume_unique=assume_unique, invert=invert, kind=kind)"
_FOR_BYTES = "{} does the same for uint8; it stretched other types to 0 to 255"
_FOR_CHANNELS = (
    "{} does the same for uint8 with channels last; it stretched other types to 0 to 255"
)
_LOADED = (
    "import importlib.util instead of imp, which raises; spec ="
    " importlib.util.spec_from_file_location({}, {}) and module ="
    " importlib.util.module_from_spec(spec) make the module, and spec.loader.exec_module(module)"
    " runs it"
)
_CHANNELS_LAST = " where channels, if any, are last"


def _stretched(name: str, high: str = "255") -> str:
    """How SciPy made bytes of other numbers; what is the same all over became zeros."""
    image = f"{{{name}:name}}"
    return f"np.uint8(({image} - {image}.min()) * ({high} / (np.ptp({image}) or 1)) + 0.5)"


def _by_numbers(
    of: str,
    new: str,
    when: Mapping[str, object] | None = None,
    more: str = "",
    *,
    finds_channels: bool = True,
) -> tuple[Form, ...]:
    """What is said of a call by what is known of its image.

    Args:
        of: the parameter that takes the image.
        new: what takes the place of the call, with ``{}`` for the image.
        when: what the other arguments must be.
        more: what is to be known beside it.
        finds_channels: whether it looked for the axis of the channels, which others take last.
    """
    of_bytes = new.replace("{}", f"{{{of}:short}}")
    of_floats = new.replace("{}", _stretched(of))
    # SciPy found the axis of three or four, which arrays that torch made have first.
    there = f"; np.transpose({{{of}:name}}, (1, 2, 0)) moves them there from the front"
    moved = f"{_CHANNELS_LAST}{{{of}:with}}{there}" if finds_channels else f"{{{of}:with}}"
    last = " with channels last" if finds_channels else ""
    of_all = new.replace("{}", f"{{{of}:name}}")
    stretched = f"; other types were stretched to 0 to 255, as by {_stretched(of)}{{{of}:with}}"
    return (
        Form("", {**(when or {}), of: Given.IMAGE}, advice=f"{of_bytes} does the same{more}"),
        Form(
            "",
            {**(when or {}), of: Given.BYTES},
            advice=f"{of_all} does the same{moved}{more}"
            if finds_channels
            else f"{of_bytes} does the same{more}",
        ),
        Form(
            "",
            {**(when or {}), of: Given.ORDERED_FLOATS},
            advice=f"{of_floats} does the same for floats{{{of}:with}}{more}",
        ),
        Form(
            "",
            {**(when or {}), of: Given.FLOATS},
            advice=f"{of_floats} does the same for floats{moved}{more}",
        ),
        Form(
            "",
            {**(when or {}), of: Given.ORDERED},
            advice=f"{of_all} does the same for uint8{stretched}{more}",
        ),
        Form(
            "",
            when or {},
            advice=f"{of_all} does the same for uint8{last}{stretched}{more}",
        ),
    )


def _sides(share: str) -> str:
    """The width and the height of an image of which a share is asked for."""
    return f"int({{arr:operand}}.shape[1] * {share}), int({{arr:operand}}.shape[0] * {share})"


def _resized(size: str, by: str) -> str:
    return f"np.array(PIL.Image.fromarray({{}}).resize({size}, PIL.Image.{by}))"


_RESIZED = tuple(
    form
    for interp, by in _FILTERS.items()
    for when, size, more in (
        ({"interp": interp, "size": Given.PAIR}, "({size[1]}, {size[0]})", ""),
        ({"interp": interp, "size": Given.TWO}, "{size:operand}[::-1]", ""),
        # Fractions of numpy.float32 were cut off before Python 3.10, which refuses them.
        ({"interp": interp, "size": Given.CUT}, "[int(side) for side in reversed({size})]", ""),
        ({"interp": interp, "size": Given.FRACTION}, f"({_sides('{size:operand}')})", ""),
        ({"interp": interp, "size": Given.INTEGER}, f"({_sides('({size} / 100)')})", ""),
        (
            {"interp": interp, "size": Given.SEVERAL},
            "({size:operand}[1], {size:operand}[0])",
            "",
        ),
        (
            {"interp": interp},
            "({size:operand}[1], {size:operand}[0])",
            "; that size is for a pair, which imresize took as (height, width)",
        ),
    )
    for mode in (Given.NO, "RGB", "L", "F")
    for form in (
        _by_numbers(
            "arr",
            _resized(size, by),
            {**when, "mode": mode},
            more,
            finds_channels=mode != "L",
        )
        if mode != "F"
        else (
            Form(
                "",
                {**when, "mode": mode},
                advice=_resized(size, by).replace("{}", "np.asarray({arr}, np.float32)")
                + f" does the same{more}",
            ),
        )
    )
)
_NONE_OF_TOIMAGE: Mapping[str, object] = dict.fromkeys(_OF_TOIMAGE, Given.NO)
_BETWEEN = (
    "np.clip(({arr:operand} - {cmin:operand}) * (255 / ({cmax:operand} - {cmin:operand})), 0, 255)"
)
_TOIMAGE = (
    *(
        form
        for mode in (Given.NO, "RGB", "L")
        for form in _by_numbers(
            "arr",
            "PIL.Image.fromarray({})",
            {**_NONE_OF_TOIMAGE, "mode": mode},
            finds_channels=mode != "L",
        )
    ),
    Form(
        "",
        {**_NONE_OF_TOIMAGE, "mode": "F"},
        advice="PIL.Image.fromarray(np.asarray({arr}, np.float32)) does the same",
    ),
    Form(
        "",
        {**_NONE_OF_TOIMAGE, "cmin": Given.YES, "cmax": Given.YES},
        advice=f"PIL.Image.fromarray(np.uint8({_BETWEEN} + 0.5)) does the same for floats"
        f"{_CHANNELS_LAST}",
    ),
    Form(
        "",
        {**_NONE_OF_TOIMAGE, "high": Given.YES, "channel_axis": 0},
        # A tensor of one number is none that numpy multiplies by.
        advice=f"PIL.Image.fromarray({_stretched('arr', 'float({high})')}.transpose(1, 2, 0))"
        " does the same for floats of three dimensions{arr:with}",
    ),
)
_FILTERED = (
    "np.array(PIL.Image.fromarray(a).filter(...)) does the same for uint8 with channels last, by a"
    " filter of PIL.ImageFilter; imfilter stretched other types to 0 to 255"
)

ROWS = (
    *(Value(f"numpy.{old}", new, rule=_RULE, gone="1.24") for old, new in _NUMPY_TYPES.items()),
    Value("numpy.bool", "bool", rule=_RULE, missing="1.24 to 1.26"),
    Value("numpy.long", "int", rule=_RULE, missing="1.24 to 1.26"),
    *(Value(f"numpy.{old}", f"numpy.{new}", rule=_RULE, gone="2.0") for old, new in _NUMPY.items()),
    Value("numpy.NINF", "-numpy.inf", rule=_RULE, gone="2.0"),
    *(Value(f"numpy.{name}", name, rule=_RULE, gone="2.0") for name in _MATH.split()),
    Gone("numpy.math", "import math", rule=_RULE, gone="2.0"),
    Value("numpy.rank", "numpy.ndim", rule=_RULE, gone="1.18"),
    Value("numpy.trapz", "numpy.trapezoid", rule=_RULE, gone="2.4"),
    *(
        Value(f"numpy.{name}", f"numpy.exceptions.{name}", rule=_RULE, gone="2.0")
        for name in _NUMPY_ERRORS.split()
    ),
    Call(
        "numpy.in1d(ar1, ar2, assume_unique=..., invert=..., *, kind=...)",
        (
            Form(_ISIN, {"ar1": Given.FLAT}),
            Form(_ISIN, gives=Given.RESHAPED),
            Form(_ISIN + ".ravel()"),
        ),
        rule="TP905",
        gone="2.4",
    ),
    Call(
        "numpy.asfarray(a, dtype=...)",
        (Form("numpy.asarray(a, dtype=float)", {"dtype": Given.NO}),),
        rule="TP905",
        gone="2.0",
    ),
    Call(
        "numpy.array(object, dtype=..., *, copy=..., order=..., subok=..., ndmin=..., like=...)",
        # What else is asked for makes another array, which may want a copy as well.
        (
            Form(
                "numpy.asarray(object, dtype=dtype)",
                {"copy": False, "subok": Given.NO, "ndmin": Given.NO, "order": Given.NO},
            ),
        ),
        rule="TP905",
        gone="2.0",
        still=True,
        where=" where it has to copy",
    ),
    Call(
        "numpy.cast(dtype, x)",
        # It gave an array of its own, which numpy.asarray does not.
        (Form("numpy.array(x, dtype=dtype)"),),
        by_key=True,
        rule="TP905",
        gone="2.0",
        advice="write np.array(x, dtype=dtype)",
    ),
    Call(
        "numpy.load(file, mmap_mode=..., allow_pickle=..., fix_imports=..., encoding=..., *,"
        " max_header_size=...)",
        (
            # It only means something for what Python 2 pickled.
            *(
                Form(
                    "numpy.load(..., allow_pickle=True)",
                    {"allow_pickle": Given.NO, "encoding": encoding},
                )
                for encoding in ("latin1", "bytes")
            ),
            Form(
                "numpy.load(..., allow_pickle=True)",
                {"allow_pickle": Given.NO},
                gives=Given.PICKLED,
            ),
        ),
        rule="TP905",
        gone="1.16.3",
        still=True,
        where=" where it loads what was pickled",
    ),
    Gone("numpy.sctypes", "name the types that are meant", rule=_RULE, gone="2.0"),
    Call(
        "numpy.msort(a)",
        (Form("numpy.sort(a, axis=0)"),),
        rule="TP905",
        gone="2.0",
    ),
    Gone(
        "numpy.find_common_type",
        "write np.result_type, or np.promote_types for two types",
        rule=_RULE,
        gone="2.0",
    ),
    Call(
        "numpy.asscalar(a)",
        (Form("a.item()"),),
        rule="TP905",
        gone="1.23",
        advice="write a.item()",
    ),
    *(
        Value(f"collections.{name}", f"collections.abc.{name}", rule=_RULE, gone="3.10")
        for name in _ABC.split()
    ),
    *(
        Value(f"string.{name}", f"string.ascii_{name}", rule=_RULE, gone="3.0")
        for name in ("letters", "lowercase", "uppercase")
    ),
    Gone(
        "time.clock",
        "time.process_time() counts the same seconds on Linux and macOS, time.perf_counter() on"
        " Windows",
        on_windows="write time.perf_counter",
        on_others="write time.process_time",
        rule=_RULE,
        gone="3.8",
    ),
    Name("imp.reload", "importlib.reload", gone="3.12"),
    Gone(
        "imp.load_source",
        _LOADED.format("name", "pathname"),
        takes="load_source(name, pathname, file=None)",
        forms=(Form("", advice=_LOADED.format("{name}", "{pathname:operand}")),),
        rule=_RULE,
        gone="3.12",
    ),
    Gone(
        "librosa.output.write_wav",
        "soundfile.write(path, y, sr, subtype='FLOAT') writes the same where nothing is normalised",
        rule=_RULE,
        gone="0.8",
    ),
    Gone(
        "fractions.gcd",
        "math.gcd(a, b) is the same but for the sign of negative numbers",
        rule=_RULE,
        gone="3.9",
    ),
    Call(
        "inspect.getargspec(func)",
        (
            Form("inspect.getfullargspec(func).args", part="args"),
            Form("inspect.getfullargspec(func).varargs", part="varargs"),
            Form("inspect.getfullargspec(func).varkw", part="keywords"),
            Form("inspect.getfullargspec(func).defaults", part="defaults"),
            Form("inspect.getfullargspec(func)", reads=("args", "varargs", "defaults")),
            Form(
                "",
                reads=("args", "varargs", "keywords", "defaults"),
                advice="write inspect.getfullargspec(f), and `.varkw` for `.keywords` of it",
            ),
        ),
        parts=("args", "varargs", "keywords", "defaults"),
        rule="TP905",
        gone="3.11",
        advice="`inspect.getfullargspec(f)` has the same names (`.varkw` for `.keywords`), and the"
        " same four values first: [:4] where they are unpacked",
    ),
    Value("PIL.Image.ANTIALIAS", "PIL.Image.LANCZOS", rule=_RULE, gone="10"),
    Value("PIL.Image.LINEAR", "PIL.Image.BILINEAR", rule=_RULE, gone="10"),
    Value("PIL.Image.CUBIC", "PIL.Image.BICUBIC", rule=_RULE, gone="10"),
    Gone("scipy.misc.imfilter", _FILTERED, rule=_RULE, gone="1.3"),
    *(
        Gone(
            f"scipy.misc.{takes.partition('(')[0]}",
            advice,
            rule=_RULE,
            gone="1.3",
            takes=takes,
            forms=forms,
        )
        for takes, advice, forms in (
            (
                "imsave(name, arr, format=...)",
                _FOR_BYTES.format("PIL.Image.fromarray(a).save(name)"),
                tuple(
                    form
                    for given, more in ((Given.NO, ""), (Given.YES, ", {format}"))
                    for form in _by_numbers(
                        "arr",
                        f"PIL.Image.fromarray({{}}).save({{name:short}}{more})",
                        {"format": given},
                        finds_channels=False,
                    )
                ),
            ),
            (
                "fromimage(im, flatten=False, mode=None)",
                "np.array(image) takes its place, and np.array(image.convert(mode)) where a mode is"
                " given, which is 'F' for flatten=True",
                tuple(
                    Form("", {"flatten": is_flat, "mode": mode}, advice=advice)
                    for is_flat, mode, advice in (
                        (True, Given.NO, "np.array({im:operand}.convert('F')) does the same"),
                        (
                            False,
                            Given.NO,
                            "np.array({im}) does the same unless the image's mode is 'P' or '1'",
                        ),
                        (False, Given.YES, "np.array({im:operand}.convert({mode})) does the same"),
                    )
                ),
            ),
            (
                "imresize(arr, size, interp='bilinear', mode=...)",
                _FOR_CHANNELS.format(
                    "np.array(PIL.Image.fromarray(a).resize((width, height), ...))"
                )
                + "; imresize took (height, width), a fraction or a percentage",
                _RESIZED,
            ),
            (
                "imrotate(arr, angle, interp='bilinear')",
                _FOR_CHANNELS.format("np.array(PIL.Image.fromarray(a).rotate(angle, ...))"),
                tuple(
                    form
                    for interp, by in _FILTERS.items()
                    if by != "LANCZOS"
                    for form in _by_numbers(
                        "arr",
                        f"np.array(PIL.Image.fromarray({{}}).rotate({{angle}}, PIL.Image.{by}))",
                        {"interp": interp},
                    )
                ),
            ),
            (
                "toimage(arr, high=..., low=..., cmin=..., cmax=..., pal=..., mode=...,"
                " channel_axis=...)",
                "PIL.Image.fromarray takes uint8 with the channels last, where toimage stretched"
                " other numbers to 0 to 255 (or low to high), and moved the channels",
                _TOIMAGE,
            ),
            (
                "imshow(arr)",
                _FOR_CHANNELS.format("PIL.Image.fromarray(a).show()"),
                _by_numbers("arr", "PIL.Image.fromarray({}).show()"),
            ),
            (
                "bytescale(data, cmin=..., cmax=..., high=..., low=...)",
                f"it gave {_stretched('a').replace('{a:name}', 'a')} of"
                " numbers that are not uint8, without other arguments",
                (
                    Form(
                        "",
                        dict.fromkeys(("cmin", "cmax", "high", "low"), Given.NO),
                        advice=f"{_stretched('data')} does the same for floats{{data:with}}",
                    ),
                ),
            ),
        )
    ),
    *(
        Gone(
            f"scipy.{module}.imread",
            _READ,
            rule=_RULE,
            gone="1.3",
            takes="imread(name, flatten=False, mode=None)",
            forms=_READS,
        )
        for module in ("misc", "ndimage")
    ),
    *(
        Name(f"scipy.misc.{name}", f"scipy.special.{name}", gone="1.3")
        for name in ("logsumexp", "comb", "factorial")
    ),
    *(
        Value(f"scipy.signal.{name}", f"scipy.signal.windows.{name}", rule=_RULE, gone="1.13")
        for name in _WINDOWS.split()
    ),
    Value("scipy.signal.hanning", "scipy.signal.windows.hann", rule=_RULE, gone="1.9"),
    *(
        Value(f"scipy.{name}", f"numpy.{home}{name}", rule=_RULE, gone="1.12")
        for home, names in (
            ("", _SCIPY_NUMPY),
            ("emath.", _SCIPY_COMPLEX),
            ("random.", "rand randn"),
        )
        for name in names.split()
    ),
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
        (
            Form(
                "yaml.load(..., Loader=yaml.UnsafeLoader)",
                {"Loader": Given.NO, "stream": Given.DUMPED},
            ),
            Form("yaml.load(..., Loader=yaml.FullLoader)", {"Loader": Given.NO}),
        ),
        rule="TP905",
        gone="6",
    ),
    Call(
        "numpy.fromstring(string, dtype=..., count=..., sep=...)",
        (
            # An element is no view of the bytes.
            Form("numpy.frombuffer(...)", {"sep": Given.NO}, gives=Given.ELEMENT),
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
        "sklearn.cross_validation.train_test_split",
        "it is sklearn.model_selection.train_test_split",
        rule=_RULE,
        gone="0.20",
    ),
    Gone(
        "sklearn.cross_validation",
        "sklearn.model_selection takes its place",
        also={
            name: f"its {name} takes n_splits, and gives the pairs of indices by split(X, y)"
            for name in "KFold StratifiedKFold ShuffleSplit StratifiedShuffleSplit".split()
        },
        rule=_RULE,
        gone="0.20",
    ),
    Gone(
        "sklearn.utils.linear_assignment_",
        "np.stack(scipy.optimize.linear_sum_assignment(cost), axis=1) gives such pairs, of the same"
        " total cost",
        rule=_RULE,
        gone="0.23",
    ),
    *(
        Gone(
            f"skimage.measure.{takes.partition('(')[0]}",
            f"it is skimage.metrics.{new}",
            rule=_RULE,
            gone="0.18",
            takes=takes,
            forms=forms,
        )
        for takes, new, forms in _SIMILARITY
    ),
)
