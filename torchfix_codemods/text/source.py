"""Bytes of a file to text and back, such that every byte outside an edit survives."""

from __future__ import annotations

import codecs
import contextlib
import functools
import io
import os
import stat
import tokenize
from pathlib import Path

from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.record import record


class SourceError(Exception):
    """A file whose bytes are not text in the encoding that it declares."""


class FileChangedError(Exception):
    """A file on disk is no longer what was read."""


@record
class Source:
    """The decoded text of a Python file and what is needed to encode it again."""

    text: str
    encoding: str
    bom: bytes = b""

    def encode(self, text: str) -> bytes:
        """Return ``text`` as bytes in the file's own encoding and with its own byte order mark.

        Raises:
            SourceError: ``text`` holds a character that the encoding lacks.
        """
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise SourceError(f"cannot be written as {self.encoding}: {error.reason}") from error


_WITH_MARK = (
    "begins with the mark of UTF-8 and names another encoding, which Python refuses:"
    " take away the mark or the encoding's name"
)


def decode(data: bytes, has_cookie: bool = True) -> Source:
    """Return the text of a file, decoded by its byte order mark or PEP 263 cookie.

    Args:
        data: the file's bytes.
        has_cookie: whether its first comment may declare an encoding, as in Python files.

    Raises:
        SourceError: unknown encoding, bytes that the encoding does not allow, or NUL bytes.
    """
    if is_utf16(data):
        raise SourceError("UTF-16, which Python does not read: save it as UTF-8")
    try:
        encoding = "utf-8"
        if has_cookie:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        reason = f"{error}: name one that Python knows in its first line, or save it as UTF-8"
        if reason.startswith("encoding problem"):
            reason = _WITH_MARK
        elif not reason.startswith("unknown encoding"):
            reason = _not_valid("utf-8", data, has_cookie)
        raise SourceError(reason) from error
    bom = b""
    if data.startswith(codecs.BOM_UTF8):
        bom, data, encoding = codecs.BOM_UTF8, data[len(codecs.BOM_UTF8) :], "utf-8"
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise SourceError(_not_valid(encoding, data, has_cookie)) from error
    if "\0" in text:
        raise SourceError("contains NUL bytes, which Python does not read: take them away")
    return Source(text, encoding, bom)


def is_utf16(data: bytes) -> bool:
    """Whether a file begins with a mark of UTF-16, as some editors and shells write it."""
    return data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _not_valid(encoding: str, data: bytes, has_cookie: bool) -> str:
    """Where bytes are no text in an encoding, and what to do about it."""
    said = f"not valid {encoding}"
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        said += f" (byte 0x{data[error.start]:02x} in line {line})"
    except LookupError:
        pass
    name_it = "name its encoding in its first line (# -*- coding: latin-1 -*-), or " * has_cookie
    return f"{said}: {name_it}save it as UTF-8"


def dominant_newline(text: str) -> str:
    """Return the line end that most lines of ``text`` have; a line feed where there is none."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=lambda newline: counts[newline])


def with_line_ends(text: str, newline: str) -> str:
    """``text`` with all its lines, whatever ends them, ended by ``newline``."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", newline)


_MARK = ".torchfix-"
_LEFT = lazy_pattern(r"\..*\.torchfix-(\d+)-\w+")
#: A name of 255 bytes leaves no room for more.
_LONGEST = 100


@functools.cache
def _sweep(folder: Path) -> None:
    """Remove what killed processes left in a folder, once."""
    for entry in os.scandir(folder):
        found = _LEFT.fullmatch(entry.name) if _MARK in entry.name else None
        if found is not None and not _is_alive(int(found[1])):
            with contextlib.suppress(OSError):
                os.unlink(entry.path)


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        # There is no harmless signal to ask with.
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def write_atomically(path: Path, before: bytes, after: bytes) -> None:
    """Replace the content of ``path``, all or nothing, keeping its mode and following symlinks.

    What a process that was killed left half-written beside a file goes with the next write there.

    Raises:
        FileChangedError: the file no longer holds ``before``.
        OSError: it cannot be read or written.
    """
    import tempfile

    target = path.resolve()
    if target.read_bytes() != before:
        raise FileChangedError("changed on disk while it was being migrated; left as it is")
    _sweep(target.parent)
    prefix = f".{target.name[:_LONGEST]}{_MARK}{os.getpid()}-"
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=prefix)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(after)
        os.chmod(name, stat.S_IMODE(target.stat().st_mode))
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
