"""Patterns are compiled when they are first used, and only once."""

from __future__ import annotations

import re

import pytest

from torchfix_codemods import patterns
from torchfix_codemods.patterns import lazy_pattern, word_pattern


def test_it_finds_what_a_pattern_finds():
    word = lazy_pattern("[a-z]+", re.IGNORECASE)
    assert word.findall("1 Two three") == ["Two", "three"]
    assert word.sub("-", "1 Two") == "1 -"
    assert word.search("12") is None
    assert lazy_pattern(rb"\d").search(b"a1")[0] == b"1"


def test_it_is_compiled_once_and_late(monkeypatch):
    compiled = []

    def compile_(*given):
        compiled.append(given)
        return re.compile(*given)

    monkeypatch.setattr(patterns, "re", type("re", (), {"compile": staticmethod(compile_)}))
    word = lazy_pattern("a")
    assert not compiled
    assert word.search("a") and word.match("a") and word.search("ba")
    assert compiled == [("a", 0)]


@pytest.mark.parametrize("text", [b"pad", b"nn.pad(x)", b"unpad, pad", b"(pad)"])
def test_a_word_is_found(text):
    assert word_pattern(b"pad").search(text) is not None


@pytest.mark.parametrize("text", [b"unpad", b"padding", b"_pad", b"pad_", b"pad1", b"pa.d", b""])
def test_a_part_of_a_word_is_not(text):
    assert word_pattern(b"pad").search(text) is None


def test_what_means_something_in_a_pattern_stands_for_itself():
    assert word_pattern(b"a.c").search(b"abc") is None
    assert word_pattern(b"a.c").search(b"x a.c") is not None
