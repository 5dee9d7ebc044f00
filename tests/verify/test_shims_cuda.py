import pytest

from .shims import names


@pytest.mark.parametrize("name", names("cuda.py"))
def test_check(results, name):
    results.check("cuda.py", name)
