"""What a quotient of Python 2 is used for shows that it may have been a whole number."""

from __future__ import annotations

import pytest

from tests.documents.test_python2 import migrate

_TITLE = """\
def title(n):
    result, left = "", n
    while left:
        result += chr((left - 1) % 26 + ord("A"))
        left = (left - 1) / 26
    print result
"""
_SOMETIMES = """\
def f(a, b, x):
    part = a / 2
    if b:
        {use}
    print part
"""


def _told(text: str) -> list[int]:
    return [f.line for f in migrate(text).findings if f.code == "TP002"]


def test_what_comes_to_a_letter_in_the_next_round_is_told_of() -> None:
    assert _told(_TITLE) == [5]


def test_a_letter_of_a_quotient_is_rounded() -> None:
    result = migrate("def f(a):\n    print chr(a / 2)\n")
    assert "chr(a // 2)" in (result.after or "")


@pytest.mark.parametrize("use", ["return range(part)", "return x[part:]", "print chr(part + 3)"])
def test_what_may_come_to_a_place_of_whole_numbers_is_told_of(use: str) -> None:
    assert _told(_SOMETIMES.format(use=use)) == [2]


@pytest.mark.parametrize(
    "use", ["return f(part)", "return x[part]", "print str(part)", "return range(int(part))"]
)
def test_what_comes_to_other_places_is_not_told_of(use: str) -> None:
    assert not _told(_SOMETIMES.format(use=use))


@pytest.mark.parametrize(
    ("turns", "lines"),
    [
        ("for part in [[0, half], [half - z, None]]:", [3]),
        ("for part in ((0, half), x):", [3]),
        ("for part, half in x:", []),
        ("for part in [[0, str(half)]]:", []),
    ],
)
def test_what_comes_to_a_slice_by_lists_and_loops_is_told_of(turns: str, lines: list[int]) -> None:
    text = f"def f(x, z):\n    print z\n    half = z / 2\n    {turns}\n        x[part[0]:part[1]] = 0\n"
    assert _told(text) == lines


@pytest.mark.parametrize("old", ["(left - 1) / 26.", "int((left - 1) / 26)", "(left - 1) // 26"])
def test_no_quotient_of_whole_numbers_is_not_told_of(old: str) -> None:
    assert not _told(_TITLE.replace("(left - 1) / 26", old))


def test_a_name_that_gets_something_else_first_is_not_told_of() -> None:
    assert not _told(_SOMETIMES.format(use="part = b; return range(part)"))


def test_chr_of_the_file_takes_anything() -> None:
    assert not _told("def chr(x):\n    return x\n" + _TITLE)


@pytest.mark.parametrize(
    "use",
    [
        "low = a / 2; low = max(low, 0); return x[low:]",
        "low = a / 2; high = low + b; return x[low - 1:high]",
        "a /= 2; low = abs(a); return x[:low]",
        "low = a / 2\n    while b:\n        b = low + 1\n        low = b - 1\n    return x[low:]",
        "return nn.Conv2d(a, b, 3, 1, (b - 1) / 2)",
        "return nn.Conv1d(a, b, kernel_size=3, padding=((b - 1) / 2,))",
        "return nn.ConvTranspose2d(a, b, 4, stride=b / 2)",
        "return nn.MaxPool2d(b / 2)",
        "return nn.ReflectionPad2d(b / 2)",
    ],
)
def test_a_quotient_that_is_calculated_with_and_has_to_be_whole_is_rounded(use: str) -> None:
    text = f"import torch.nn as nn\ndef f(a, b, x):\n    print a\n    {use}\n"
    result = migrate(text)
    is_loop = "while" in use
    assert ("//" in (result.after or "")) is not is_loop
    assert all(f.fixed is not is_loop for f in result.findings if f.code == "TP002")


@pytest.mark.parametrize(
    "use",
    [
        "return nn.Upsample(scale_factor=x / 2)",
        "return nn.Dropout(x / 2)",
        "low = x / 2; low = float(low); return low",
        "low = x / 2; low = low + b; return low",
        "low = x / 2; low = int(low); return b[low:]",
    ],
)
def test_a_quotient_that_may_be_a_fraction_is_neither(use: str) -> None:
    text = f"import torch.nn as nn\ndef f(a, b, x):\n    print a\n    {use}\n"
    assert "//" not in (migrate(text).after or "") and not _told(text)


_GIVEN = """\
def f(a, x):
    print a
    return g(x, {0})
def g(x, end=3):
    if x:
        return {1}
    return end
"""


@pytest.mark.parametrize("given", ["a / 2", "end=a / 2"])
def test_what_a_function_of_the_project_takes_for_a_whole_number_is_told_of(given: str) -> None:
    assert _told(_GIVEN.format(given, "x[1:end]")) == [3]
    assert _told(_GIVEN.format(given, "range(end + 1)")) == [3]
    assert not _told(_GIVEN.format(given, "range(int(end))"))
    assert not _told(_GIVEN.format(given, "x * end"))
    assert not _told(_GIVEN.format(given.replace("2", "2."), "x[1:end]"))


def test_a_quotient_that_no_run_comes_to_is_not_told_of() -> None:
    text = "def f(n, k, x):\n    print n\n    {}return x[len(n) / k]\n"
    assert _told(text.format("")) == [3]
    assert not _told(text.format("raise NotImplementedError\n    "))
    assert not _told(text.format("return x\n    "))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        *(("epoch_loss", 0), ("total_time", 0), ("n_mean", 0), ("batch_accuracy", 0)),
        *(("epoch_size", 1), ("num_lost", 1), ("total_hits", 1), ("n_timed", 1)),
    ],
)
def test_what_is_named_for_a_measure_is_no_count(name: str, count: int) -> None:
    assert len(_told(f"def f({name}, size):\n    print {name} / size\n")) == count


_SPLIT = """\
import numpy as np
class Split(object):
    def split(self, data, side=None, margin=None, rest=None, **more):
        assert side % rest == 0
        if margin == None:
            margin = 3
        start = 2 * margin
        {use}
class Other(object):
    def join(self, data, side=None, **more):
        return data[side:]
def f(splitter, x, a, b):
    return splitter.{call}
def g():
    print 1
"""


@pytest.mark.parametrize(
    ("call", "use", "is_told"),
    [
        ("split(x, margin=a / b)", "return data[start:]", True),
        ("split(x, margin=a / b)", "return np.zeros((start, 2))", True),
        ("split(x, margin=a / b)", "return data + start", False),
        ("split(x, side=a / b)", "return data[start:]", False),
        ("split(x, None, a / b)", "return data[start:]", False),
        ("split(x, other=a / b)", "return data[start:]", False),
        ("cut(x, margin=a / b)", "return data[start:]", False),
        ("join(x, margin=a / b)", "return data[start:]", False),
        ("join(x, side=a / b)", "return data", True),
    ],
)
def test_a_keyword_of_a_method_of_the_project_may_have_to_be_whole(
    call: str, use: str, is_told: bool
) -> None:
    assert _told(_SPLIT.format(call=call, use=use)) == ([13] if is_told else [])


_LISTED = """\
import numpy as np
def f(given, stride, unheard):
    sizes = []
    for i in range(3):
        sizes.append(given[i] / stride)
    print 1
    {use}
"""


@pytest.mark.parametrize(
    ("use", "is_told"),
    [
        ("return np.ones(sizes)", True),
        ("return np.ones(sizes + [2, 5], np.float32)", True),
        ("return range(sizes[0])", True),
        ("return unheard[sizes[0]:]", True),
        ("return np.array(sizes)", False),
        ("return np.log(sizes)", False),
        ("return np.ones(3) * sizes[0]", False),
        ("return unheard(sizes)", False),
        ("return np.ones([[sizes]])", False),
        ("return sizes[1:]", False),
    ],
)
def test_the_numbers_of_a_list_may_have_to_be_whole(use: str, is_told: bool) -> None:
    assert _told(_LISTED.format(use=use)) == ([5] if is_told else [])


_BESIDE = """\
import numpy as np
def f(sizes, n, k, x, c):
    for name in sizes:
        print name, {0}
        {1}
        for i in x:
            print i, {2}
    return x
"""


@pytest.mark.parametrize(
    ("use", "beside"),
    [
        ("y = np.zeros([{0}, 3])", "sizes[name] / k"),
        ("y = x[:{0}]", "n / k"),
        ("part = {0}; y = range(part)", "(n + 1) / k"),
        ("y = x[0:{0} + 1]", "n / x.width"),
    ],
)
def test_a_quotient_that_is_equal_to_one_that_has_to_be_whole_is_rounded(
    use: str, beside: str
) -> None:
    text = _BESIDE.format(beside, use.format(beside), beside)
    after = migrate(text).after or ""
    assert after.count(beside.replace("/", "//")) == 3


@pytest.mark.parametrize(
    ("use", "lines"),
    [
        # What comes to the slice may be another number than what is printed, or none.
        ("y = x[:u / v]; u = x.g()", []),
        ("y = c and x[:u / v]", [4, 7]),
        ("y = x[:u / v] if c else x", [4, 7]),
        ("y = [x[:u / v] for i in c]", [4, 7]),
        ("y = x[:v / u]", []),
        ("y = lambda u: x[:u / v]", []),
    ],
)
def test_an_equal_quotient_that_may_be_a_fraction_is_only_told_of(
    use: str, lines: list[int]
) -> None:
    text = _BESIDE.format("u / v", use, "u / v")
    text = text.replace("    for name", "    u, v = x.g(n), x.g(k)\n    for name", 1)
    result = migrate(text)
    after = (result.after or "").splitlines()
    assert [line for line in after if "print(" in line and "//" in line] == []
    told = [f for f in result.findings if f.code == "TP002" and not f.fixed]
    assert sorted(line for f in told for line in (f.line, *f.also)) == [n + 1 for n in lines]


def test_a_quotient_above_a_jump_may_be_a_fraction_that_is_never_asked_for() -> None:
    text = (
        "def f(u, v, x, c):\n    print u / v\n    if c:\n        return x\n    return x[:u / v]\n"
    )
    assert "print(u / v)" in (migrate(text).after or "") and _told(text) == [2, 5]
    assert "print(u // v)" in (migrate(text.replace("return x\n", "x += 1\n")).after or "")


def test_an_equal_quotient_of_what_is_stored_in_between_is_only_told_of() -> None:
    text = "def f(u, x):\n    y = x[:u.a / 2]\n    {}\n    print u.a / 2\n"
    assert "print(u.a / 2)" in (migrate(text.format("u.a = x.a()")).after or "")
    assert "print(u.a // 2)" in (migrate(text.format("u.b = x.a()")).after or "")
    items = text.replace("u.a /", "u[0] /")
    assert "print(u[0] / 2)" in (migrate(items.format("u[x.i] = x.a()")).after or "")
    assert "print(u[0] // 2)" in (migrate(items.format("x[0] = u.a()")).after or "")


_SIDE = """\
import cv2
def shrink(image, side={given}):
    h, w, _ = image.shape
    height = {before}
    if h > w:
        height = side * h / w{then}
    {between}
    return cv2.resize(image, (w, height))
print 1
"""


def _sided(**parts: str) -> str:
    return _SIDE.format_map(
        {"given": "256", "before": "side", "then": "", "between": "pass"} | parts
    )


def test_the_side_of_an_image_is_whole_where_a_branch_gives_it() -> None:
    result = migrate(_sided())
    assert "height = side * h // w" in (result.after or "")
    assert not [f for f in result.findings if f.code == "TP002" and not f.fixed]


@pytest.mark.parametrize(
    "parts",
    [
        {"then": "\n        height = round(height)"},
        {"between": "height = int(height)"},
        {"then": "\n        if image.any():\n            return height"},
        {"between": "if side > 3: height = int(height)"},
    ],
)
def test_what_may_not_get_to_the_side_of_an_image_is_not_certain(parts: dict[str, str]) -> None:
    assert "height = side * h / w" in (migrate(_sided(**parts)).after or "")


_GRID = """\
import numpy as np
def grid(shown, options):
    count = options["count"]
    {made}
    for i, _ in enumerate(shown):
        print shown[i / count]
"""


@pytest.mark.parametrize("made", ["codes = np.eye(count)", "codes = range(count - 1)"])
def test_what_numbers_are_made_of_is_whole(made: str) -> None:
    assert "shown[i // count]" in (migrate(_GRID.format(made=made)).after or "")


@pytest.mark.parametrize(
    "made",
    [
        "codes = len(options)",
        "codes = int(count)",
        "if shown: codes = range(count)",
        "codes = shown and range(count)",
        "codes = range(int(count))",
    ],
)
def test_what_numbers_may_be_made_of_is_not_certain(made: str) -> None:
    assert "shown[i / count]" in (migrate(_GRID.format(made=made)).after or "")


_ROUNDS = """\
import torch
def train(steps, n, most):
    step = 0
    for _ in xrange(steps):
        if {test}:
            {between}
            epoch = step / n
            {use}
        step += 1
"""


def _rounds(test: str, use: str = "if epoch >= most: break", between: str = "pass") -> list[int]:
    found = migrate(_ROUNDS.format(test=test, use=use, between=between)).findings
    told = [f for f in found if f.code == "TP002" and not f.fixed]
    return [line for f in told for line in (f.line, *f.also)]


@pytest.mark.parametrize("test", ["step % n == 0", "most and step % n == 0"])
@pytest.mark.parametrize("use", ["if epoch >= most: break", "share = float(epoch) / most"])
def test_nothing_is_said_of_what_leaves_no_rest(test: str, use: str) -> None:
    assert _rounds(test, use) == []


@pytest.mark.parametrize(
    ("test", "use", "between"),
    [
        ("step % n == 1", "if epoch == most: break", "pass"),
        ("step % most == 0", "if epoch == most: break", "pass"),
        ("step % n == 0 or most", "if epoch == most: break", "pass"),
        ("step % n", "if epoch == most: break", "pass"),
        ("x.step % n == 0", "if epoch == most: break", "pass"),
        ("step / n == 0", "if epoch == most: break", "pass"),
        ("step % n == 0", "if epoch == most: break", "if most: step += 1"),
        ("step % n == 0", "print(epoch)", "pass"),
    ],
)
def test_what_may_leave_a_rest_or_is_shown_is_told_of(test: str, use: str, between: str) -> None:
    assert 7 in _rounds(test, use, between)


_TURNS = """\
import numpy as np
def split(data, margin):
    n = data.shape[0]
    width = np.ceil(n * margin).astype("int") * margin
    starts = [n * 3 / 8 - width / 2, n * 5 / 8 - width / 2]
    {}
    print data, starts
"""
_CUT = "for part in [[0, width], [-width, None]]: data = data + data[part[0]:part[1]]"


@pytest.mark.parametrize(
    "turns",
    [
        _CUT,
        "for low, high in ((0, width), (3, 4)): print data[low:high]",
        "for i in [1, 2]:\n        for part in [[0, width]]:\n            print data[part[0]:part[1]]",
        "for part in [[0, width]]:\n        for i in [1, 2]:\n            print data[part[0]:part[1]]",
    ],
)
def test_what_a_loop_over_lists_cuts_with_is_whole_in_all_quotients(turns: str) -> None:
    result = migrate(_TURNS.format(turns))
    assert "n * 3 // 8 - width // 2, n * 5 // 8 - width // 2" in (result.after or "")
    assert not [f for f in result.findings if f.code == "TP002" and not f.fixed]


@pytest.mark.parametrize(
    "turns",
    [
        _CUT.replace("part[0]:part[1]", "part[0]:"),
        _CUT.replace("part[0]:part[1]", "part[0]:int(part[1])"),
        _CUT.replace("part[0]:part[1]", "part[i]:"),
        _CUT.replace("data + data[", "margin or data["),
        _CUT.replace("data = ", "break; data = "),
        _CUT.replace(": data =", ":\n        if margin: data ="),
        f"if margin:\n        {_CUT}",
        f"for i in data:\n        {_CUT}",
        _CUT.replace(": data =", ": pass\n    data ="),
        _CUT.replace(": data =", ":\n        part = margin\n        data ="),
    ],
)
def test_what_a_loop_over_lists_may_not_cut_with_is_only_told_of(turns: str) -> None:
    result = migrate(_TURNS.format(turns))
    assert "- width / 2" in (result.after or "")
    assert [f.line for f in result.findings if f.code == "TP002" and not f.fixed] == [5]


@pytest.mark.parametrize(
    ("value", "is_told"),
    [
        ("len(x) / 2 - a / b", True),
        ("3 + a / 2 + len(x) / 2", True),
        ("len(x) / 2 - 1 / b", False),
        ("len(x) / 2 - a.mean() / b", False),
        ("len(x) / 2 * a / b", False),
        ("x.f(len(x) / 2) - a / b", False),
        ("len(x) / 2, a / b", False),
    ],
)
def test_a_quotient_is_told_of_beside_another_of_the_same_sum(value: str, is_told: bool) -> None:
    text = f"def f(x, a, b):\n    print x\n    return {value}\n"
    assert "len(x) // 2" in (migrate(text).after or "")
    told = [f.line for f in migrate(text).findings if f.code == "TP002" and not f.fixed]
    assert told == ([3] if is_told else [])


_CONSTANTS = "SIZE, SCALE, LEAST = 256, 4, -3\nBIG = 76\ndef f(x):\n    print x\n    return {}\n"


@pytest.mark.parametrize("cut", ["int(BIG / SCALE)", "int(SIZE * BIG / 64)"])
def test_what_is_cut_of_constants_above_0_is_what_it_was(cut: str) -> None:
    result = migrate(_CONSTANTS.format(cut))
    assert f"return {cut}\n" in (result.after or "") and not _told(_CONSTANTS.format(cut))


def test_what_is_cut_of_constants_below_0_is_rounded() -> None:
    assert "int(LEAST // SCALE)" in (migrate(_CONSTANTS.format("int(LEAST / SCALE)")).after or "")
