"""What the writer of a record and its reader have to agree on. It does without torch."""

from __future__ import annotations

import json
import zlib
from typing import Any

#: The version of the lines of a record; a reader refuses others.
FORMAT = 1

#: In place of the CRC of an event: whatever comes from there on is not compared.
REST_IS_OPEN = -1

#: Fields of an event that no verdict looks at.
_IGNORED = frozenset(("rng", "input", "at", "thread", "n", "bare"))


def crc_of_event(event: dict[str, Any]) -> int:
    """What two events that no verdict can tell apart have in common.

    Args:
        event: as it is written, or as it was read: the fields keep their order.
    """
    told = {name: value for name, value in event.items() if name not in _IGNORED}
    return zlib.crc32(json.dumps(told, separators=(",", ":")).encode())
