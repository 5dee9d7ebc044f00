"""What is said of numpy's functions, held against the numpy that is installed."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import torch

from torchfix_codemods.facts.libraries import numpy_functions

ROWS = numpy_functions._rows()
#: What today's numpy has no more.
GONE = {
    "numpy.ndarray.itemset",
    "numpy.ndarray.newbyteorder",
    "numpy.ndarray.ptp",
    "numpy.ndarray.tostring",
    "numpy.random.random_integers",
}
MATRIX = np.ones((2, 2))
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "arange": (3,),
    "full": (2, 0),
    "random.beta": (1, 1),
    "random.gamma": (1,),
    "random.binomial": (1, 0.5),
    "random.randint": (0, 3),
    "random.uniform": (0, 1),
}


def _function(name: str) -> Any:
    return functools.reduce(getattr, name.split(".")[1:], np)


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_functions_of_numpy(name: str) -> None:
    if name not in GONE:
        assert callable(_function(name))


@pytest.mark.parametrize("name", [name for name in ROWS if ROWS[name][1]])
def test_a_dtype_stands_at_its_place(name: str) -> None:
    place = numpy_functions.place_of_dtype(name)
    given = [MATRIX, 0][:place] if name != "numpy.full" else [2, 0]
    if name in ("numpy.zeros", "numpy.ones", "numpy.empty"):
        given = [2]
    assert place == len(given)
    assert _function(name)(*given, np.int16).dtype == np.int16


@pytest.mark.parametrize("name", [name for name in ROWS if ROWS[name][2] and name not in GONE])
def test_a_size_stands_at_its_place_and_is_whole(name: str) -> None:
    place = numpy_functions.place_of_size(name)
    assert numpy_functions.takes_size(name, place)
    given = (0, 3) if name.endswith("randint") else (1, 1)[:place]
    more = [0] if name == "numpy.full" else []
    assert _function(name)(*given, 4, *more).shape == (4,)
    with pytest.raises(TypeError):
        _function(name)(*given, 4.0, *more)


@pytest.mark.parametrize("name", [name for name in ROWS if numpy_functions.default_dtype(name)])
def test_the_default_dtype_hangs_on_nothing_given(name: str) -> None:
    for shape in (2, np.int8(2), (2, 3)):
        assert _function(name)(shape).dtype == numpy_functions.default_dtype(name)


@pytest.mark.parametrize("name", [name for name in ROWS if numpy_functions.keeps_dtype(name)])
def test_what_moves_numbers_keeps_their_dtype(name: str) -> None:
    more = {"moveaxis": (0, 1), "reshape": (4,), "rollaxis": (1,), "swapaxes": (0, 1)}
    bare = name.removeprefix("numpy.")
    needed = {"expand_dims": (0,), "repeat": (2,), "roll": (1,), "take": (1,), "tile": (2,)}
    given = (more | needed).get(bare, ())
    for dtype in (np.uint8, np.float16):
        array = MATRIX.astype(dtype)
        assert _function(name)(array, *given).dtype == dtype
        if hasattr(array, bare):
            assert getattr(array, bare)(*given).dtype == dtype


@pytest.mark.parametrize("name", [n for n in ROWS if numpy_functions._row(n)[3] == "=floats"])
def test_what_gives_floats_does_so_of_integers(name: str) -> None:
    integers = np.ones(3, np.int64)
    more = {"numpy.interp": 2, "numpy.percentile": 1}.get(name, 0)
    if isinstance(_function(name), np.ufunc):
        more = _function(name).nin - 1
    given = (integers,) * (more + 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        assert _function(name)(*given).dtype == np.float64
    assert numpy_functions.gives_floats(name)


@pytest.mark.parametrize("name", ["numpy.sum", "numpy.random.randint", "numpy.abs", "numpy.copy"])
def test_others_may_give_integers(name: str) -> None:
    assert not numpy_functions.gives_floats(name)


@pytest.mark.parametrize("name", ["numpy.array", "numpy.full", "numpy.ones_like", "zeros"])
def test_other_functions_have_no_dtype_of_their_own(name: str) -> None:
    assert numpy_functions.default_dtype(name) is None


@pytest.mark.parametrize(
    "name",
    [n for n in ROWS if numpy_functions.gives(n) in ("int", "float") and n not in GONE],
)
def test_a_number_is_drawn_where_no_size_is_given(name: str) -> None:
    bare = name.removeprefix("numpy.")
    given = ARGUMENTS.get(bare, (1.0,) * numpy_functions.place_of_size(name))
    given = (*given, *(1,) * (numpy_functions.place_of_size(name) - len(given)))
    assert isinstance(_function(name)(*given, 2), np.ndarray)
    drawn = _function(name)(*given)
    assert isinstance(drawn, int if numpy_functions.gives(name) == "int" else float)


@pytest.mark.parametrize(
    "name", [name for name in ROWS if numpy_functions.gives(name) == "numbers"]
)
def test_other_objects_do_it_themselves(name: str) -> None:
    class Own:
        def __array_function__(self, *args: Any) -> str:
            return "own"

        def __array_ufunc__(self, *args: Any, **options: Any) -> str:
            return "own"

    function, own = _function(name), Own()
    for given in ((own,), (own, own), (own, own, own), (own, [own])):
        try:
            assert function(*given) == "own"
            return
        except TypeError:
            continue
    pytest.fail(name)


@pytest.mark.filterwarnings("ignore:__array_wrap__:DeprecationWarning")
@pytest.mark.parametrize(
    "name", [name for name in ROWS if numpy_functions.gives(name) == "between"]
)
def test_what_lies_between_tensors_is_one(name: str) -> None:
    first, last = torch.tensor(0.0), torch.tensor(1.0)
    assert isinstance(_function(name)(0.0, 1.0, 3), np.ndarray)
    assert isinstance(_function(name)(first, last, 3), torch.Tensor)


@pytest.mark.parametrize("name", ["numpy.save", "torch.zeros", "zeros", "numpy.random", ""])
def test_nothing_is_said_of_others(name: str) -> None:
    assert numpy_functions.gives(name) == ""
    assert numpy_functions.place_of_dtype(name) is None


def test_what_steps_back_is_a_view_that_torch_refuses() -> None:
    stepping = {name for name in ROWS if numpy_functions.steps_back(name)}
    assert stepping == {
        name
        for name in ROWS
        if name.partition(".")[2] in ("flip", "fliplr", "flipud")
        and min(_function(name)(MATRIX).strides) < 0
    }


_OF_ONE = ("hamming", "hanning", "blackman", "eye", "identity", "tri")
_MORE = {
    "linspace": (0, 1),
    "logspace": (0, 1),
    "arange": (3,),
    "pad": (MATRIX, 1),
    "bincount": ([1],),
}
_MORE |= {"setdiff1d": ([1], [2]), "union1d": ([1], [2]), "moveaxis": (MATRIX, 0, 1)}
_MORE |= {"swapaxes": (MATRIX, 0, 1), "rollaxis": (MATRIX, 0), "roll": (MATRIX, 1)}
_MORE |= {"expand_dims": (MATRIX, 0), "full_like": (MATRIX, 3), "outer": ([1, 2], [3, 4])}
_MORE |= {"ndarray.astype": (MATRIX, np.float32), "ndarray.swapaxes": (MATRIX, 0, 1)}
_RANKS = {"=input": 2, "=data": 2, "+1": 3}


@pytest.mark.parametrize(
    "name", [name for name in ROWS if ROWS[name][5].isdigit() or ROWS[name][5] in _RANKS]
)
def test_an_array_has_the_dimensions_that_its_row_says(name: str) -> None:
    bare = name.removeprefix("numpy.")
    given = _MORE.get(bare, (3,) if bare in _OF_ONE else (MATRIX,))
    rank = numpy_functions.ndim_given(name)
    with np.errstate(divide="ignore"):
        made = _function(name)(*given)
    assert made.ndim == (int(rank) if rank.isdigit() else _RANKS[rank])


def test_sizes_are_dimensions() -> None:
    assert np.random.rand(2, 3).ndim == np.random.randn(2, 3).ndim == 2
    assert {n for n in ROWS if ROWS[n][5] == "=sizes"} == numpy_functions._SIZE_IN_PARTS
    assert np.reshape(MATRIX, (1, 2, 2)).ndim == MATRIX.reshape(1, 2, 2).ndim == 3
