"""Random numbers that are the same on every version of torch.

What torch draws on the CPU depends on its version in places: the order of a shuffled loader, the
initial weights of a BatchNorm, ``multinomial``, the last bits of ``uniform_``. Here all of it comes
from one ``RandomState`` of numpy, whose streams never change. ``random`` and ``numpy.random`` are
stable as they are.

Each draw is made by torch first, so that shapes, dtypes and errors are torch's own; then the
values are replaced. What torch's own loaders draw to seed their workers is left as it is: older
versions do not draw it.
"""

from __future__ import annotations

from . import draws, dropout, layers
from .source import Source


def install(seed: int) -> Source:
    """Serve all of torch's draws from a state of numpy.

    Args:
        seed: where it starts.
    """
    source = Source(seed)
    for part in (draws, dropout, layers):
        part.install(source)
    return source
