"""What is said of the assertions of ``unittest``, held against them."""

from __future__ import annotations

import unittest

import pytest

from torchfix_codemods.facts.libraries import assertions


class _Rounded:
    """What is equal to nothing, and tells that its difference is rounded."""

    def __sub__(self, other: object) -> _Rounded:
        return self

    __rsub__ = __sub__

    def __abs__(self) -> _Rounded:
        return self

    def __round__(self, digits: int = 0) -> int:
        raise OverflowError

    def __lt__(self, other: object) -> bool:
        return True

    __gt__ = __le__ = __ge__ = __lt__


@pytest.mark.filterwarnings("ignore:Please use")
@pytest.mark.parametrize("method", assertions.table())
def test_rows_are_what_unittest_does(method: str) -> None:
    function = getattr(unittest.TestCase(), method, None)
    if function is None:
        pytest.skip("gone since Python 3.12")
    given = [_Rounded() for _ in range(assertions.values_of(method))]
    try:
        function(*given)
        is_rounded = False
    except OverflowError:
        is_rounded = True
    except AssertionError:
        is_rounded = False
    assert is_rounded == assertions.rounds(method)
    with pytest.raises(TypeError):
        function()
