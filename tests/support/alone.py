"""A folder that no project is in: else all files of this one are looked through for each text."""

from __future__ import annotations

from pathlib import Path

ALONE = Path("/no/project")
