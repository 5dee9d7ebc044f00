"""Parameters of functions that go."""

from __future__ import annotations

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, without_argument
from torchfix_codemods.edit.below import changed_below


def without_flag(function: cst.FunctionDef, parameter: str, keyword: str) -> cst.FunctionDef:
    """A function without a parameter that it hands on as ``keyword=parameter`` and nothing else.

    Args:
        function: the function.
        parameter: the name of its parameter.
        keyword: what the calls in its body name it.
    """
    body = _without_keyword(function.body, keyword, parameter)
    kept = [p for p in function.params.params if p.name.value != parameter]
    if kept:
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    only = [p for p in function.params.kwonly_params if p.name.value != parameter]
    parameters = function.params.with_changes(params=kept, kwonly_params=only)
    return function.with_changes(params=parameters, body=body)


def _without_keyword(body: cst.BaseSuite, keyword: str, name: str) -> cst.BaseSuite:
    """Take ``keyword=name`` out of the calls of a function's body."""

    def without(original: cst.Call, updated: cst.Call) -> cst.Call:
        index = index_of_keyword(updated, keyword)
        if index is None:
            return updated
        value = updated.args[index].value
        if not (isinstance(value, cst.Name) and value.value == name):
            return updated
        return without_argument(updated, index)

    return changed_below(body, cst.Call, without)
