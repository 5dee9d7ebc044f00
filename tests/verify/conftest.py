from collections.abc import Iterator

import pytest

from tests.support.verifying import Bench, bench

from .shims import Results


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    return Results(tmp_path_factory)


@pytest.fixture(scope="session")
def judges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Programs that are run by a Python which imports torch once for the tests of all files."""
    with bench(tmp_path_factory.mktemp("judges")) as made:
        yield made
