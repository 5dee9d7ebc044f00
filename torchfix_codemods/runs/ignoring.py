"""Comments for all that is found in files, written into them: nothing is told of it any more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from torchfix_codemods.documents.kinds import decode_file, is_document
from torchfix_codemods.engine.ignore_comments import with_comments
from torchfix_codemods.finding import FileError, FileResult, Finding
from torchfix_codemods.record import record
from torchfix_codemods.text.source import FileChangedError, SourceError, write_atomically


@record
class Ignored:
    """What became of one file."""

    path: str
    written: int = 0
    """How many comments it got, those that were there and name one more rule included."""
    left: tuple[Finding, ...] = ()
    """What a comment has no room for, or keeps away nowhere."""
    error: FileError | None = None


def ignore(result: FileResult, findings: Sequence[Finding]) -> Ignored:
    """Write a comment for each finding of a file.

    Args:
        result: the file, which nothing was written to since.
        findings: some of its findings. In notebooks and texts nothing is written.
    """
    path = Path(result.path)
    if is_document(path):
        return Ignored(result.path, left=tuple(findings))
    try:
        data = path.read_bytes()
        source = decode_file(path, data)
        if result.before is not None and source.text != result.before:
            raise FileChangedError("changed on disk meanwhile; left as it is")
        text, left = with_comments(source.text, findings)
        if text != source.text:
            write_atomically(path, data, source.encode(text))
    except (OSError, FileChangedError, SourceError) as error:
        said = getattr(error, "strerror", None) or str(error)
        return Ignored(result.path, error=FileError("unwritable", f"cannot be written: {said}"))
    places = {(finding.line, finding.code) for finding in findings}
    return Ignored(result.path, len(places) - len(left), tuple(left))
