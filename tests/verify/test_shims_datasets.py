import pytest

from .shims import names


@pytest.mark.parametrize("name", names("datasets.py"))
def test_check(results, name):
    results.check("datasets.py", name)


@pytest.mark.parametrize("name", names("torchvision_there.py"))
def test_check_beside_torchvision(results, name):
    results.check("torchvision_there.py", name)
