from collections.abc import Iterator

import pytest

from tests.support.forking import Forks
from tests.support.verifying import Bench, bench
from torchfix_codemods.verify import runs

from .shims import Results


@pytest.fixture(scope="session", autouse=True)
def forked_servers(forks: Forks) -> Iterator[None]:
    """What runs programs is forked from a Python that has torch, where it is this one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "subprocess", forks)
        yield


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory, forks: Forks) -> Results:
    return Results(tmp_path_factory, forks)


@pytest.fixture(scope="session")
def judges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Programs that are run by a Python which imports torch once for the tests of all files."""
    with bench(tmp_path_factory.mktemp("judges")) as made:
        yield made
