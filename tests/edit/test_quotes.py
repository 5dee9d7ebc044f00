from __future__ import annotations

import pytest

from torchfix_codemods.edit.tidying.quotes import free_quote, preferred_quote


@pytest.mark.parametrize(
    ("enclosing", "quote"),
    [
        (["'"], '"'),
        (['"'], "'"),
        (["'''"], '"'),
        (['"""'], "'"),
        (["'''", '"'], "'"),
        (["'", '"""'], '"'),
        (["'", "'''"], '"'),
    ],
)
def test_a_quote_that_ends_no_f_string(enclosing: list[str], quote: str) -> None:
    assert free_quote(enclosing) == quote


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ('"""What it does."""\nx = \'a\'\n', "'"),
        ('"""What it does.\n\n\'a\', \'b\'.\n"""\nx = "a"\n', '"'),
        ("# isn't\n# doesn't\nx = \"a\"\n", '"'),
        ("x = 'a', '\"', '\\'\"', \"b\"\n", "'"),
        ('x = "it\'s", "a", \'b\'\n', '"'),
        ("x = '#', '\"' # \"\n", "'"),
        ("x = \"a\", 'b'\n", '"'),
        ("x = 1\n", '"'),
        ("x = '''a\n'''\n", "'"),
    ],
)
def test_the_quote_of_most_strings(text: str, quote: str) -> None:
    assert preferred_quote(text) == quote
