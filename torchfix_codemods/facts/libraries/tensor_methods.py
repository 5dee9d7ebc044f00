"""Which calls of methods only a tensor takes, as others have no method of that name.

``tensor_methods.csv`` has a line for each: ``shown_by`` says which of its calls show a tensor (any
``call``, one with ``nothing`` in it, ``some`` that have to be looked at, or ``never``), ``others``
who has such a method as well. What writes a tensor in place has a name of torch's own.
"""

from __future__ import annotations

import functools
from typing import Literal, get_args

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.data import cells
from torchfix_codemods.facts.libraries.torch_table import forms_of, forms_of_old

Shows = Literal["call", "nothing", "some", "never"]


@functools.cache
def shown_by(method: str) -> Shows:
    """Which calls of a method show that it is a tensor's.

    >>> shown_by("masked_fill_"), shown_by("sqrt"), shown_by("append")
    ('call', 'nothing', 'never')
    """
    told = _rows().get(method, ("", ""))[0]
    for word in get_args(Shows):
        if told == word:
            return word  # type: ignore[no-any-return]
    is_in_place = torch_effects.updates(method) or torch_effects.reshapes_in_place(method)
    return "call" if is_in_place else "never"


def is_of_users(method: str) -> bool:
    """Whether classes of users, such as graphs and batches, have a method of that name as well."""
    return "users" in _rows().get(method, ("", ""))[1].split()


@functools.cache
def takes_sizes(method: str) -> bool:
    """Whether a method that nobody else has takes whole numbers one by one.

    >>> takes_sizes("new_zeros"), takes_sizes("new_full"), takes_sizes("repeat")
    (True, False, False)
    """
    if shown_by(method) != "call" or _rows().get(method, ("", ""))[1]:
        return False
    return any(
        parameter.kind == "V"
        for form in forms_of(f"torch.Tensor.{method}")
        for parameter in form.parameters
    )


@functools.cache
def tensors_given(method: str) -> frozenset[int]:
    """The places of the arguments that certainly are tensors, of a method that nobody else has.

    A storage is copied from a storage.

    >>> sorted(tensors_given("index_add_")), sorted(tensors_given("add_"))
    ([1, 2], [])
    """
    name = f"torch.Tensor.{method}"
    forms = forms_of(name) or forms_of_old(name)
    others = _rows().get(method, ("", ""))[1]
    if shown_by(method) != "call" or others or not forms:
        return frozenset()
    needed = [
        {
            place
            for place, parameter in enumerate(form.parameters[1:])
            if parameter.kind == "T" and parameter.default is None and not parameter.keyword_only
        }
        for form in forms
    ]
    return frozenset(set.intersection(*needed))


@functools.cache
def _rows() -> dict[str, tuple[str, str]]:
    found = cells("tensor_methods.csv")
    return {method: (told, others) for method, (told, others) in found.items()}
