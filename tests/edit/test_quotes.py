from __future__ import annotations

import pytest

from torchfix_codemods.edit.tidying.quotes import free_quote


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
