import pytest

from .shims import Results


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    return Results(tmp_path_factory)
