"""What old forms meant against what is written for them, over shapes, layouts and numbers."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era, parse_version

property_test = settings(max_examples=30, deadline=None, derandomize=True)
HEAD = "import torch\nimport torch.nn.functional as F\n\n\n"


@functools.cache
def rewritten(body: str, *codes: str, version: str = "") -> Callable[..., Any]:
    """The function ``f`` of a text after the rules; a text that they leave is a mistake."""
    options = Options()
    if version:
        options = Options(era=Era(parse_version(version), parse_version(version)))
    text = migrate(HEAD + body, *codes, options=options).text
    assert text != HEAD + body, body
    return function(text)


def function(text: str) -> Callable[..., Any]:
    """The function ``f`` that a text defines, silent about what is deprecated."""
    namespace: dict[str, Any] = {}
    exec(compile(text, "program.py", "exec"), namespace)

    def call(*args: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return namespace["f"](*args)

    return call


def before(body: str) -> Callable[..., Any]:
    """The function as it was written, where torch still runs it."""
    return function(HEAD + body)


def assert_equal(old: Any, new: Any) -> None:
    """The same tensors, bit for bit."""
    if isinstance(old, torch.Tensor):
        assert old.dtype == new.dtype and old.shape == new.shape
        assert torch.equal(old.nan_to_num(), new.nan_to_num())
        assert torch.equal(old.isnan(), new.isnan())
    else:
        assert len(old) == len(new)
        for left, right in zip(old, new, strict=True):
            assert_equal(left, right)


def assert_close(new: torch.Tensor, wanted: numpy.ndarray[Any, Any]) -> None:
    """The numbers that numpy gives, and their shape."""
    assert tuple(new.shape) == wanted.shape
    numpy.testing.assert_allclose(new.numpy(), wanted, rtol=1e-6, atol=1e-8)


def laid_out(array: numpy.ndarray[Any, Any], layout: str) -> torch.Tensor:
    """A tensor with the numbers of ``array`` that lies in memory in a certain way."""
    tensor = torch.from_numpy(array.copy())
    if layout == "turned" and tensor.dim() > 1:
        return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
    if layout == "strided" and tensor.dim() > 0:
        return torch.stack([tensor, tensor], -1)[..., 0]
    return tensor


layouts = st.sampled_from(["contiguous", "turned", "strided"])
floats = st.integers(-40, 40).map(lambda n: n / 8)


@st.composite
def tensors(
    draw: st.DrawFn, shapes: st.SearchStrategy[tuple[int, ...]], dtype: str = "float64"
) -> torch.Tensor:
    """A tensor of one of the shapes, in any layout."""
    elements = floats if dtype.startswith("float") else st.integers(-9, 9)
    array = draw(npst.arrays(dtype, draw(shapes), elements=elements))
    return laid_out(array, draw(layouts))


any_shapes = npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
matrix_shapes = st.tuples(st.integers(0, 4), st.integers(0, 4))
many_shapes = st.one_of(
    matrix_shapes, st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(1, 3))
)


# Linear algebra


@st.composite
def regular(draw: st.DrawFn, batches: bool = True) -> torch.Tensor:
    """A matrix, or some, with an inverse: a large diagonal makes sure."""
    size = draw(st.integers(1, 4))
    batch = draw(st.sampled_from([(), (2,), (0,)] if batches else [()]))
    matrix = draw(tensors(st.just((*batch, size, size))))
    return matrix + torch.eye(size, dtype=matrix.dtype) * 30


@st.composite
def definite(draw: st.DrawFn) -> torch.Tensor:
    matrix = draw(regular())
    return matrix @ matrix.mT


def right_sides(matrix: torch.Tensor, count: int) -> torch.Tensor:
    rows = torch.arange(matrix[..., :1].numel() * count, dtype=matrix.dtype)
    return rows.view(*matrix.shape[:-1], count) - 3


@pytest.mark.parametrize(
    "body",
    [
        "def f(a, flag):\n    return torch.qr(a)\n",
        "def f(a, flag):\n    return torch.qr(a, some=False)\n",
        "def f(a, flag):\n    return torch.qr(a, flag)\n",
        "def f(a, flag):\n    a = torch.clone(a)\n    return a.qr(some=not flag)\n",
    ],
)
@given(a=tensors(many_shapes), flag=st.booleans())
@property_test
def test_qr(body: str, a: torch.Tensor, flag: bool) -> None:
    assert_equal(before(body)(a, flag), rewritten(body, "TP903")(a, flag))


@pytest.mark.parametrize("given_upper", ["", ", True", ", upper=flag"])
@given(a=definite(), flag=st.booleans())
@property_test
def test_cholesky(given_upper: str, a: torch.Tensor, flag: bool) -> None:
    body = f"def f(a, flag):\n    return torch.cholesky(a{given_upper})\n"
    assert_equal(before(body)(a, flag), rewritten(body, "TP903")(a, flag))


@given(a=regular(), count=st.integers(0, 3))
@property_test
def test_lu(a: torch.Tensor, count: int) -> None:
    body = """def f(a, b):
    lu, pivots = torch.lu(a)
    return lu, pivots, torch.lu(a, get_infos=True)[2], torch.lu_solve(b, lu, pivots)
"""
    b = right_sides(a, count)
    assert_equal(before(body)(a, b), rewritten(body, "TP903")(a, b))


@pytest.mark.parametrize("upper", ["True", "False", "flag"])
@pytest.mark.parametrize("transpose", ["True", "False"])
@pytest.mark.parametrize("unitriangular", ["True", "False"])
@given(a=regular(), count=st.integers(0, 3), flag=st.booleans())
@property_test
def test_triangular_solve(
    upper: str, transpose: str, unitriangular: str, a: torch.Tensor, count: int, flag: bool
) -> None:
    if upper == "flag" and transpose == "True":
        pytest.skip("both together are left to a person")
    given = f"{upper}, {transpose}, {unitriangular}"
    body = f"def f(b, a, flag):\n    return torch.triangular_solve(b, a, {given})[0]\n"
    b = right_sides(a, count)
    old, new = before(body)(b, a, flag), rewritten(body, "TP903")(b, a, flag)
    torch.testing.assert_close(old, new, rtol=1e-12, atol=1e-12)
    gone = rewritten(body.replace("triangular_solve", "trtrs"), "TP903")(b, a, flag)
    assert_equal(new, gone)


@given(a=tensors(matrix_shapes), count=st.integers(1, 3))
@property_test
def test_chain_matmul(a: torch.Tensor, count: int) -> None:
    body = "def f(a, *more):\n    return torch.chain_matmul(a, *more)\n"
    more = [a.t() if i % 2 == 0 else a for i in range(count)]
    assert_equal(before(body)(a, *more), rewritten(body, "TP903")(a, *more))


@pytest.mark.parametrize("name", ["solve", "gesv"])
@given(a=regular(batches=False), count=st.integers(1, 3))
@property_test
def test_solve(name: str, a: torch.Tensor, count: int) -> None:
    body = f"def f(b, a):\n    x, _ = torch.{name}(b, a)\n    return x\n"
    b = right_sides(a, count)
    assert_close(rewritten(body, "TP903")(b, a), numpy.linalg.solve(a.numpy(), b.numpy()))


@given(a=regular(batches=False))
@property_test
def test_eig(a: torch.Tensor) -> None:
    body = "def f(a):\n    return torch.eig(a)[0]\n"
    values = numpy.linalg.eigvals(a.numpy())
    pairs = numpy.stack([values.real, values.imag], -1)
    new = rewritten(body, "TP903")(a)
    numpy.testing.assert_allclose(sorted(new.tolist()), sorted(pairs.tolist()), atol=1e-6)


@pytest.mark.parametrize("upper", [True, False])
@given(a=regular(batches=False))
@property_test
def test_symeig(upper: bool, a: torch.Tensor) -> None:
    body = f"def f(a):\n    e, _ = torch.symeig(a, upper={upper})\n    return e\n"
    half = numpy.triu(a) if upper else numpy.tril(a)
    whole = half + half.T - numpy.diag(numpy.diag(half))
    assert_close(rewritten(body, "TP903")(a), numpy.linalg.eigvalsh(whole))


@given(a=tensors(st.tuples(st.integers(1, 4), st.integers(1, 4))), tol=st.integers(1, 40))
@property_test
def test_matrix_rank(a: torch.Tensor, tol: int) -> None:
    body = """def f(a, tol):
    return torch.stack([torch.matrix_rank(a), torch.matrix_rank(a, tol)])
"""
    rank = numpy.linalg.matrix_rank
    wanted = numpy.array([rank(a.numpy()), rank(a.numpy(), tol=tol / 8)])
    # A singular value beside the limit may fall to either side.
    values = numpy.linalg.svd(a.numpy(), compute_uv=False)
    if not any(abs(value - tol / 8) < 1e-9 for value in values):
        assert_close(rewritten(body, "TP903")(a, tol / 8), wanted)


@pytest.mark.parametrize("upper", [True, False])
@given(a=definite(), count=st.integers(1, 2))
@property_test
def test_factors_of_cholesky(upper: bool, a: torch.Tensor, count: int) -> None:
    body = f"""def f(a, b):
    u = torch.potrf(a, upper={upper})
    return u, torch.potrs(b, u, upper={upper}), torch.potri(u, {upper})
"""
    b = right_sides(a, count)
    factor, solution, inverse = rewritten(body, "TP903")(a, b)
    lower = numpy.linalg.cholesky(a.numpy())
    assert_close(factor, numpy.swapaxes(lower, -1, -2) if upper else lower)
    assert_close(solution, numpy.linalg.solve(a.numpy(), b.numpy()))
    assert_close(inverse, numpy.linalg.inv(a.numpy()))


@given(a=regular(), count=st.integers(1, 2))
@property_test
def test_btrifact(a: torch.Tensor, count: int) -> None:
    body = """def f(a):
    lu, pivots = torch.btrifact(a)
    p, lower, upper = torch.btriunpack(lu, pivots)
    return p @ lower @ upper
"""
    assert_close(rewritten(body, "TP901", "TP903")(a), a.numpy())


# Fourier transforms


@st.composite
def signals(draw: st.DrawFn, pairs: bool) -> tuple[torch.Tensor, int]:
    """What a transform over ``count`` dimensions takes, and that count."""
    count = draw(st.integers(1, 3))
    batch = draw(st.sampled_from([(), (2,)]))
    shape = (*batch, *(draw(st.integers(2, 4)) for _ in range(count)), *([2] if pairs else []))
    return draw(tensors(st.just(shape))), count


def as_complex(pairs: torch.Tensor) -> numpy.ndarray[Any, Any]:
    numbers = pairs.numpy()
    return numpy.asarray(numbers[..., 0] + 1j * numbers[..., 1])


def as_pairs(numbers: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    return numpy.stack([numbers.real, numbers.imag], -1)


@given(given=signals(pairs=False), normalized=st.booleans(), onesided=st.booleans())
@property_test
def test_rfft(given: tuple[torch.Tensor, int], normalized: bool, onesided: bool) -> None:
    x, count = given
    body = f"def f(x, flag):\n    return torch.rfft(x, {count}, flag, onesided={onesided})\n"
    transform = numpy.fft.rfftn if onesided else numpy.fft.fftn
    norm = "ortho" if normalized else None
    wanted = transform(x.numpy(), axes=tuple(range(-count, 0)), norm=norm)
    assert_close(rewritten(body, "TP903")(x, normalized), as_pairs(wanted))


@pytest.mark.parametrize("name", ["fft", "ifft"])
@given(given=signals(pairs=True), normalized=st.booleans())
@property_test
def test_fft(name: str, given: tuple[torch.Tensor, int], normalized: bool) -> None:
    x, count = given
    body = f"def f(x):\n    return torch.{name}(x, {count}, normalized={normalized})\n"
    transform = getattr(numpy.fft, f"{name}n")
    norm = "ortho" if normalized else None
    wanted = transform(as_complex(x), axes=tuple(range(-count, 0)), norm=norm)
    assert_close(rewritten(body, "TP903")(x), as_pairs(wanted))


@given(given=signals(pairs=False), onesided=st.booleans(), is_sized=st.booleans())
@property_test
def test_irfft(given: tuple[torch.Tensor, int], onesided: bool, is_sized: bool) -> None:
    x, count = given
    axes = tuple(range(-count, 0))
    spectrum = (numpy.fft.rfftn if onesided else numpy.fft.fftn)(x.numpy(), axes=axes)
    sizes = ", signal_sizes=sizes" if is_sized else ""
    body = f"def f(z, sizes):\n    return torch.irfft(z, {count}, onesided={onesided}{sizes})\n"
    new = rewritten(body, "TP903")(torch.from_numpy(as_pairs(spectrum)), x.shape[-count:])
    if is_sized or not onesided:
        assert_close(new, x.numpy())
    else:
        # Without sizes torch took the last one to be odd.
        sizes_then = [*x.shape[-count:-1], 2 * spectrum.shape[-1] - 1]
        assert_close(new, numpy.fft.irfftn(spectrum, s=sizes_then, axes=axes))


# New tensors


@given(start=st.integers(-6, 6), count=st.integers(0, 6), step=st.integers(1, 4))
@property_test
def test_range(start: int, count: int, step: int) -> None:
    end = start + count
    body = f"def f():\n    return torch.range({start}, {end}, {step})\n"
    assert_equal(before(body)(), rewritten(body, "TP408")())
    whole = f"def f():\n    return torch.range({start}, {end}).long()\n"
    assert_equal(before(whole)(), rewritten(whole, "TP408")())


@given(start=st.integers(-6, 6), end=st.integers(-6, 6))
@property_test
def test_spaces(start: int, end: int) -> None:
    body = "def f(a, b):\n    return torch.linspace(a, b), torch.logspace(a, b)\n"
    lin, log = rewritten(body, "TP905")(start, end)
    numpy.testing.assert_allclose(lin, numpy.linspace(start, end, 100), rtol=1e-5, atol=1e-5)
    numpy.testing.assert_allclose(log, numpy.logspace(start, end, 100), rtol=1e-4)


@given(first=tensors(st.tuples(st.integers(0, 4))), count=st.integers(0, 3))
@property_test
def test_meshgrid(first: torch.Tensor, count: int) -> None:
    body = "def f(*axes):\n    return torch.meshgrid(*axes)\n"
    axes = [first, torch.arange(float(count)).double()]
    assert_equal(before(body)(*axes), rewritten(body, "TP905")(*axes))


@given(shape=any_shapes, value=st.integers(-3, 3), truth=st.booleans())
@property_test
def test_full(shape: tuple[int, ...], value: int, truth: bool) -> None:
    for literal in (value, truth):
        body = f"def f(shape):\n    return torch.full(shape, {literal})\n"
        new = rewritten(body, "TP906", version="1.4")(shape)
        assert_equal(torch.full(shape, float(literal)), new)


# Division


@given(
    a=tensors(npst.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4), "int64"),
    divisor=st.integers(-5, 5).filter(bool),
    is_divided=st.booleans(),
)
@property_test
def test_division_of_whole_numbers(a: torch.Tensor, divisor: int, is_divided: bool) -> None:
    sign, version = ("/", "1.4") if is_divided else ("//", "1.12")
    shape = ", ".join(map(str, a.shape))
    body = f"""def f(a):
    a = torch.reshape(a, ({shape},)).long()
    b = torch.zeros_like(a) + {divisor}
    return a {sign} b, a {sign} {divisor}
"""
    wanted = torch.from_numpy(numpy.asarray(numpy.trunc(a.numpy() / divisor), "int64"))
    assert_equal((wanted, wanted), rewritten(body, "TP406", version=version)(a))


# Softmax


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin"])
@given(x=tensors(npst.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=3)))
@property_test
def test_softmax(name: str, x: torch.Tensor) -> None:
    shape = ", ".join(map(str, x.shape))
    body = f"def f(x):\n    x = torch.reshape(x, ({shape},))\n    return F.{name}(x)\n"
    assert_equal(before(body)(x), rewritten(body, "TP302")(x))


# Masks


@given(x=tensors(any_shapes), limit=floats)
@property_test
def test_masks(x: torch.Tensor, limit: float) -> None:
    body = """def f(x, limit):
    x = torch.clone(x)
    mask = (x > limit).byte()
    filled = x.masked_fill(mask, -1)
    return x[mask], x.masked_select(mask), filled, torch.where(mask, x, -x)
"""
    array = x.numpy()
    mask = array > limit
    picked, filled, chosen = (
        array[mask],
        numpy.where(mask, -1, array),
        numpy.where(mask, array, -array),
    )
    new = rewritten(body, "TP405")(x, limit)
    for tensor, wanted in zip(new, (picked, picked, filled, chosen), strict=True):
        assert_close(tensor, numpy.asarray(wanted))


@given(x=tensors(any_shapes), limit=floats)
@property_test
def test_masks_turned_over(x: torch.Tensor, limit: float) -> None:
    body = "def f(x, limit):\n    x = torch.clone(x)\n    return x[1 - (x > limit)]\n"
    assert_close(rewritten(body, "TP405")(x, limit), x.numpy()[~(x.numpy() > limit)])


# Reductions


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min"])
@given(x=tensors(npst.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)))
@property_test
def test_reductions_kept_their_dimension(name: str, x: torch.Tensor) -> None:
    part = "[0]" if name in ("max", "min") else ""
    body = f"def f(x):\n    x = torch.clone(x)\n    return x.{name}(-1){part}, torch.{name}(x, 0){part}\n"
    first, second = rewritten(body, "TP906", version="0.1")(x)
    assert_close(first, getattr(numpy, name)(x.numpy(), axis=-1, keepdims=True))
    assert_close(second, getattr(numpy, name)(x.numpy(), axis=0, keepdims=True))


@given(x=tensors(npst.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)))
@property_test
def test_places_of_extremes(x: torch.Tensor) -> None:
    body = """def f(x):
    x = torch.clone(x).double()
    return torch.max(x.data, 0)[1], x.min(-1)[1], x.max(0, keepdim=True)[1]
"""
    assert_equal(before(body)(x), rewritten(body, "TP408")(x))


@given(x=tensors(st.tuples(st.integers(1, 5), st.integers(1, 2)), "int64"))
@property_test
def test_unique_rows(x: torch.Tensor) -> None:
    body = "def f(x):\n    return torch.unique(x, True, True, 0)\n"
    rows, inverse = rewritten(body, "TP905")(x)
    wanted, places = numpy.unique(x.numpy(), axis=0, return_inverse=True)
    assert_close(rows, wanted)
    assert_close(inverse, places.reshape(-1))


# Modules, tools and schedulers


@pytest.mark.parametrize("name", ["UpsamplingNearest2d", "UpsamplingBilinear2d"])
@property_test
@given(shape=st.tuples(*[st.integers(1, 4)] * 4), scale=st.integers(1, 3), is_turned=st.booleans())
def test_upsampling(
    name: str, shape: tuple[int, int, int, int], scale: int, is_turned: bool
) -> None:
    body = f"def f(x, n):\n    return torch.nn.{name}(scale_factor=n)(x)\n"
    x = torch.arange(float(numpy.prod(shape))).view(shape) - 3
    x = x.transpose(2, 3) if is_turned else x
    assert_equal(before(body)(x, scale), rewritten(body, "TP903")(x, scale))


@property_test
@given(
    left=npst.arrays(numpy.float32, st.integers(0, 4), elements=st.floats(-2, 2, width=32)),
    apart=st.floats(-0.02, 0.02),
    is_double=st.booleans(),
)
def test_assert_allclose(left: numpy.ndarray, apart: float, is_double: bool) -> None:
    body = (
        "def f(x, y):\n    x, y = torch.as_tensor(x), torch.as_tensor(y)\n    try:\n"
        "        torch.testing.assert_allclose(x, y, 1e-2, 1e-3)\n    except AssertionError:\n"
        "        return False\n    return True\n"
    )
    x = torch.from_numpy(left)
    y = (x + apart).double() if is_double else x + apart
    assert before(body)(x, y) == rewritten(body, "TP903")(x, y)


@property_test
@given(values=st.lists(st.integers(-5, 5)))
def test_accumulate(values: list[int]) -> None:
    body = (
        "def f(values):\n    from torch._utils import _accumulate\n"
        "    return list(_accumulate(values))\n"
    )
    total, sums = 0, []
    for value in values:
        total += value
        sums.append(total)
    assert rewritten(body, "TP901")(values) == sums


@property_test
@given(
    milestones=st.lists(st.integers(1, 6), max_size=3),
    gamma=st.floats(0.1, 0.9),
    steps=st.integers(0, 6),
)
def test_last_rate(milestones: list[int], gamma: float, steps: int) -> None:
    """What ``get_lr`` gave up to torch 1.0: the rate of the epoch, by its formula."""
    body = (
        "def f(milestones, gamma, steps):\n"
        "    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], 1.0)\n"
        "    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones, gamma)\n"
        "    for _ in range(steps):\n        optimizer.step()\n        scheduler.step()\n"
        "    return scheduler.get_lr()[0]\n"
    )
    passed = sum(milestone <= steps for milestone in milestones)
    given_today = rewritten(body, "TP906", version="1.0")(milestones, gamma, steps)
    numpy.testing.assert_allclose(given_today, gamma**passed, rtol=1e-9)


@property_test
@given(size=st.integers(2, 7), scale=st.floats(0.3, 2.5), channels=st.integers(1, 2))
def test_interpolate_by_a_fraction(size: int, scale: float, channels: int) -> None:
    """Until torch 1.5 what was scaled by was the size of the result by that of the input."""
    scale = round(scale, 2) + 0.005
    body = f"def f(x):\n    return F.interpolate(x, scale_factor={scale}, mode='nearest')\n"
    x = torch.arange(float(channels * size)).view(1, channels, size)
    length = int(size * scale)
    if length == 0:
        return
    chosen = [min(int(i * (size / length)), size - 1) for i in range(length)]
    assert_equal(x[:, :, chosen], rewritten(body, "TP906", version="1.4")(x))


@property_test
@given(x=npst.arrays(numpy.float64, npst.array_shapes(max_dims=2), elements=st.floats(-3, 3)))
def test_types_of_numpy(x: numpy.ndarray) -> None:
    body = (
        "import numpy as np\ndef f(x):\n"
        "    return x.astype(np.int), x.astype(np.bool), np.float(2), np.product(x)\n"
    )
    whole, truth, two, product = rewritten(body, "TP907")(x)
    assert whole.dtype == numpy.int64 and truth.dtype == numpy.bool_ and type(two) is float
    numpy.testing.assert_array_equal(whole, numpy.trunc(x))
    numpy.testing.assert_array_equal(truth, x != 0)
    numpy.testing.assert_allclose(product, numpy.multiply.reduce(x, axis=None), rtol=1e-9)


@property_test
@given(x=npst.arrays(numpy.float32, st.integers(0, 4), elements=st.floats(-2, 2, width=32)))
def test_checkpoint(x: numpy.ndarray) -> None:
    body = (
        "def f(x):\n    from torch.utils.checkpoint import checkpoint\n"
        "    x = torch.as_tensor(x).requires_grad_()\n"
        "    checkpoint(torch.sigmoid, x).sum().backward()\n    return x.grad\n"
    )
    assert_equal(before(body)(torch.from_numpy(x)), rewritten(body, "TP903")(torch.from_numpy(x)))
