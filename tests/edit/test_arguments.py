from __future__ import annotations

import libcst as cst
import pytest

from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added

ADDED = {
    "f()": "f(k=1)",
    "f(a)": "f(a, k=1)",
    "f( a )": "f( a, k=1 )",
    "f(a, b)": "f(a, b, k=1)",
    "f(a,)": "f(a, k=1,)",
    "f(a,\n  b)": "f(a,\n  b,\n  k=1)",
    "f(\n    a)": "f(\n    a,\n    k=1)",
    "f(\n    a\n)": "f(\n    a,\n    k=1\n)",
    "f(\n    a,\n    b,\n)": "f(\n    a,\n    b,\n    k=1,\n)",
    "f(\n    a, b,\n)": "f(\n    a, b, k=1,\n)",
    "f(\n    a,  # one\n    b,  # two\n)": "f(\n    a,  # one\n    b,  # two\n    k=1,\n)",
    "f(\n    a,  # one\n    b  # two\n)": "f(\n    a,  # one\n    b,  # two\n    k=1\n)",
    "f(a,  # one\n  b)": "f(a,  # one\n  b,\n  k=1)",
    "f(  # all\n    a)": "f(  # all\n    a,\n    k=1)",
}


@pytest.mark.parametrize(("before", "after"), ADDED.items())
def test_an_argument_is_added_where_the_others_stand(before: str, after: str) -> None:
    call = cst.parse_expression(before)
    assert isinstance(call, cst.Call)
    changed = with_argument_added(call, keyword_argument("k", cst.Integer("1")))
    assert cst.Module([]).code_for_node(changed) == after
