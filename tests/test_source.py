from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from torchfix_codemods.text.source import (
    FileChangedError,
    SourceError,
    decode,
    dominant_newline,
    write_atomically,
)


@pytest.mark.parametrize(
    "data",
    [
        b"x = 1\n",
        b"x = 1",
        b"x = 1\r\ny = 2\r\n",
        b"x = 1\r\ny = 2\nz = 3\r",
        b"\xef\xbb\xbfx = 1\n",
        "# -*- coding: latin-1 -*-\nx = 'ü'\n".encode("latin-1"),
        "# coding: euc-kr\nx = '한'\n".encode("euc-kr"),
        b"x = 1\n\x0c\ny = 2\n",
        b"",
    ],
)
def test_round_trip_keeps_every_byte(data: bytes) -> None:
    source = decode(data)
    assert source.encode(source.text) == data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = '\xff'\n", "not valid utf-8"),
        (b"# coding: utf-8\nx = '\xff'\n", "not valid utf-8"),
        (b"# coding: no-such-codec\n", "no-such-codec"),
        (b"x = 1\0\n", "NUL"),
    ],
)
def test_what_is_no_text_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        decode(data)


def test_the_line_of_what_is_no_text_is_told_and_what_to_do() -> None:
    with pytest.raises(
        SourceError, match=r"\(byte 0xe9 in line 3\): name its encoding in its first"
    ):
        decode(b"import torch\n\n# caf\xe9\n")
    with pytest.raises(SourceError, match=r"\(byte 0xe9 in line 1\): save it as UTF-8$"):
        decode(b'{"cells": "caf\xe9"}', has_cookie=False)


def test_a_character_that_the_encoding_lacks_is_refused() -> None:
    source = decode(b"# coding: ascii\n")
    with pytest.raises(SourceError, match="cannot be written"):
        source.encode("ü")


@pytest.mark.parametrize(
    ("text", "newline"),
    [("a\nb\n", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\rb\r", "\r"), ("a", "\n")],
)
def test_dominant_newline(text: str, newline: str) -> None:
    assert dominant_newline(text) == newline


def test_writing_keeps_mode_and_symlink(tmp_path: Path) -> None:
    target = tmp_path / "real.py"
    target.write_bytes(b"old")
    target.chmod(0o754)
    link = tmp_path / "link.py"
    link.symlink_to(target)
    write_atomically(link, b"old", b"new")
    assert target.read_bytes() == b"new"
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o754
    assert sorted(os.listdir(tmp_path)) == ["link.py", "real.py"]


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"edited by someone")
    with pytest.raises(FileChangedError):
        write_atomically(path, b"as it was read", b"new")
    assert path.read_bytes() == b"edited by someone"
