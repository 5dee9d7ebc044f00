"""A Dask cluster as the place where files are worked on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any

_SECONDS = 10
"""How long to wait for the scheduler."""


class ClusterError(Exception):
    """The cluster cannot be used; the message says why."""


@contextlib.contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """An executor on the workers of a Dask scheduler.

    Args:
        address: of the scheduler, ``tcp://host:8786``.

    Raises:
        ClusterError: Dask is not installed, or there is no scheduler at that address.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError("--dask needs Dask: pip install 'torchfix-codemods[dask]'") from error
    connect: Any = Client
    try:
        client = connect(address, timeout=_SECONDS)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        # Not pure: the same chunk in a later run is read anew.
        yield client.get_executor(pure=False)
