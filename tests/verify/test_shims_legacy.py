import pytest

from .shims import names


@pytest.mark.parametrize("name", names("legacy.py"))
def test_check(results, name):
    results.check("legacy.py", name)


@pytest.mark.parametrize("name", names("legacy_options.py"))
def test_check_of_an_option(results, name):
    results.check("legacy_options.py", name)
