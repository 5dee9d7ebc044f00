"""What the tables of torch answer together, held against the torch that is installed."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from benchmarks import torch_table as generator
from torchfix_codemods.facts.libraries import kept_dimensions, torch_effects, torch_table

TENSOR, MODULE = "torch.Tensor", "torch.nn.Module"
#: These end the process where they are given what does not fit.
CRASHING = frozenset({"torch.ctc_loss", "torch.nn.functional.ctc_loss"})
GONE = frozenset("eig symeig lstsq solve gels gesv trtrs potrf volatile cdiv cmul".split())


def _tensors() -> Iterator[torch.Tensor]:
    numbers = torch.rand(3, 3) + torch.eye(3)
    yield from (numbers, numbers[0], numbers[0, 0], numbers > 0.5, (numbers * 9).long())
    yield from ((numbers[0] * 9).long(), (numbers * 9).long()[0, 0], numbers[:1, :1])


@pytest.mark.parametrize("method", sorted(torch_table.called_with_nothing(TENSOR) - GONE))
def test_methods_of_tensors_that_need_no_argument(method: str) -> None:
    errors: list[Exception] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for tensor in _tensors():
            try:
                getattr(tensor.clone(), method)()
            except Exception as error:
                errors.append(error)
            else:
                return
    # Of a graph that is not there, of a device that is not there.
    assert all(isinstance(e, (RuntimeError, AssertionError)) for e in errors), errors


@pytest.mark.parametrize("method", ["mm", "view", "to_", "where", "gather", "append", "type_as"])
def test_others_need_one(method: str) -> None:
    assert method not in torch_table.called_with_nothing(TENSOR)


GIVEN: dict[str, tuple[Any, ...]] = {
    "apply": (lambda module: None,),
    "to": (torch.float64,),
    "type": (torch.float64,),
}
ON_DEVICES = frozenset("cuda xpu ipu mtia".split())


@pytest.mark.parametrize(
    "method", [n.removeprefix(f"{MODULE}.") for n in torch_table.lines() if f"{MODULE}." in n]
)
def test_methods_that_give_their_module(method: str) -> None:
    assert torch_table.gives_its_module(method)
    is_bare = method in torch_table.called_with_nothing(MODULE)
    if method not in ON_DEVICES:
        layer = nn.Linear(2, 2)
        options = {"device": "cpu"} if method == "to_empty" else {}
        assert is_bare is (method not in GIVEN and not options)
        assert getattr(layer, method)(*GIVEN.get(method, ()), **options) is layer


@pytest.mark.parametrize("method", ["zero_grad", "state_dict", "forward", "add_module", "item"])
def test_others_do_not_give_their_module(method: str) -> None:
    assert not torch_table.gives_its_module(method)


KEEPING = [
    name.removeprefix(f"{TENSOR}.")
    for name in torch_effects.lines()
    if name.startswith(f"{TENSOR}.") and torch_effects.keeps_sizes(name)
]
NUMBERS: tuple[tuple[Any, ...], ...] = (
    *((), (1,), (0.5,), (0, 1), (0.5, 0.7), (torch.float64,), (1, 1, 1), (2, 0, 1)),
)


@pytest.mark.parametrize("method", KEEPING)
def test_what_keeps_sizes(method: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for tensor in (torch.rand(2, 3), torch.ones(1, 3), torch.ones(2, 3).long()):
            for numbers in NUMBERS:
                try:
                    result = getattr(tensor.clone(), method)(*numbers)
                except Exception:
                    continue
                assert not isinstance(result, torch.Tensor) or result.shape == tensor.shape


@pytest.mark.parametrize(
    "method", ["t", "squeeze", "sum", "narrow", "t_", "unsqueeze_", "expand", "sort", "size", "fft"]
)
def test_what_does_not(method: str) -> None:
    assert not torch_effects.keeps_sizes(method)


def test_what_is_told_to_keep_sizes() -> None:
    assert {"softmax", "flip", "cumsum", "add", "long", "zero_", "requires_grad_"} <= {*KEEPING}


def _asked() -> Iterator[tuple[str, Any, Any, int]]:
    """Callables with a form, and the places of it where the tables say only whole numbers go."""
    for name, function, forms in generator._callables():
        # All of them take half a minute.
        is_sampled = zlib.crc32(name.encode()) % 5 == 0 and name in torch_table.lines()
        is_run = is_sampled and name not in CRASHING
        if is_run and not generator._NOT_CALLED.search(name.rpartition(".")[2]):
            for form in forms:
                for place, parameter in enumerate(form):
                    if torch_table.takes_whole_numbers(name, place) and parameter.kind in "iIZV":
                        yield name, function, form, place


def test_where_whole_numbers_are_asked_for_a_fraction_is_refused() -> None:
    """A float in such a place, all else being as in a call that works."""
    count, taken = 0, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, function, form, place in _asked():
            for case, _ in generator.Prober(name, function, form)._first_calls()[:2]:
                arguments = _with_a_fraction(form, place, case.values)
                count += 1
                try:
                    function(*arguments)
                except Exception:
                    continue
                taken.append((name, place))
    assert taken == [] and count > 200


def _with_a_fraction(form: Any, place: int, values: dict[str, Any]) -> list[Any]:
    arguments: list[Any] = []
    for at, parameter in enumerate(form[: place + 1]):
        value = values.get(parameter.name, parameter.default and eval(parameter.default))
        value = 1 if value == () else value
        several = value if isinstance(value, tuple) else (value,)
        if at == place:
            several = tuple(1.5 for _ in several)
        made = [generator._tensor(v) if isinstance(v, generator.Spec) else v for v in several]
        if parameter.kind in "VW":
            arguments += made
        else:
            arguments.append(made if isinstance(value, tuple) else made[0])
    rest = [p for p in form[place + 1 :] if p.default is None and not p.keyword_only]
    for parameter in rest:
        value = values[parameter.name]
        arguments.append(generator._tensor(value) if isinstance(value, generator.Spec) else value)
    return arguments


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("torch.Tensor.max", 1),
        ("torch.Tensor.add", 1),
        ("torch.Tensor.clamp", 1),
        ("torch.Tensor.masked_fill", 2),
        ("torch.arange", 0),
        ("torch.nn.functional.upsample_nearest", 2),
        ("torch.nn.functional.dropout", 1),
        ("torch.nowhere", 0),
    ],
)
def test_where_others_may_stand(name: str, place: int) -> None:
    assert not torch_table.takes_whole_numbers(name, place)


@pytest.mark.parametrize("name", kept_dimensions.PLACE_OF_DIM)
def test_dimensions_stand_where_they_are_said_to(name: str) -> None:
    place = kept_dimensions.PLACE_OF_DIM[name] + 1
    forms = [f for f in torch_table.forms_of(f"torch.{name}") if len(f.parameters) > place]
    assert any(form.parameters[place].name == "dim" for form in forms)
    result = getattr(torch.rand(2, 3), name)(*(1,) * place)
    assert kept_dimensions.gives_places(name) is isinstance(result, tuple)
