"""Dropout, also between the layers of recurrent modules."""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, Sequence

import numpy
import torch

from .source import Source, fill, unit


def install(source: Source) -> None:
    """Draw what is dropped from a source."""
    _patch_dropout(source)
    _patch_recurrent(source)


def _patch_dropout(source: Source) -> None:
    functional: Any = torch.nn.functional

    def by_element(value: torch.Tensor, p: float) -> torch.Tensor:
        return _noise(source, value, tuple(value.shape), p)

    def by_feature(value: torch.Tensor, p: float) -> torch.Tensor:
        shape = tuple(value.shape[:2]) + (1,) * (value.dim() - 2)
        return _noise(source, value, shape, p)

    for name, noise, inner in (
        ("dropout", by_element, _scaled),
        ("dropout1d", by_feature, _scaled),
        ("dropout2d", by_feature, _scaled),
        ("dropout3d", by_feature, _scaled),
        ("alpha_dropout", by_element, _self_normalizing),
        ("feature_alpha_dropout", by_feature, _self_normalizing),
    ):
        training = "alpha" not in name
        _patch_dropping(functional, name, noise, inner, ("p", "training", "inplace"), training)
    for name, noise, inner in (
        ("dropout", by_element, _scaled),
        ("feature_dropout", by_feature, _scaled),
        ("alpha_dropout", by_element, _self_normalizing),
        ("feature_alpha_dropout", by_feature, _self_normalizing),
    ):
        _patch_dropping(torch, name, noise, inner, ("p", "train"), True)
        _patch_dropping(torch, name + "_", noise, inner, ("p", "train"), True, is_inplace=True)
    original = functional.rrelu

    @functools.wraps(original)
    def rrelu(
        input: torch.Tensor,
        lower: float = 1.0 / 8,
        upper: float = 1.0 / 3,
        training: bool = False,
        inplace: bool = False,
    ) -> Any:
        if not training:
            return original(input, lower, upper, training, inplace)
        slopes = torch.empty_like(input.detach())
        fill(slopes, lower + unit(source.state, slopes) * (upper - lower))
        slopes.masked_fill_(input.detach() > 0, 1.0)
        return input.mul_(slopes) if inplace else input * slopes

    functional.rrelu = rrelu


def _patch_dropping(
    owner: Any,
    name: str,
    noise: Callable[..., torch.Tensor],
    inner: Callable[..., tuple[torch.Tensor, torch.Tensor | None]],
    names: Sequence[str],
    trains: bool,
    is_inplace: bool = False,
) -> None:
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def dropping(*args: Any, **kwargs: Any) -> Any:
        value = args[0] if args else kwargs["input"]
        given = dict(zip(names, args[1:] if args else ()))
        given.update(kwargs)
        p = given.get("p", 0.5)
        training = given.get("training", given.get("train", trains))
        if not training or not 0 < p <= 1:
            return original(*args, **kwargs)
        factor, offset = inner(noise(value, p), p)
        value = value.mul_(factor) if is_inplace or given.get("inplace") else value * factor
        return value if offset is None else value.add_(offset)

    setattr(owner, name, dropping)


def _noise(source: Source, value: torch.Tensor, shape: Sequence[int], p: float) -> torch.Tensor:
    kept = (source.state.random_sample(tuple(shape)) >= p).astype(numpy.float64)
    return torch.from_numpy(kept).to(device=value.device, dtype=value.dtype)


def _scaled(noise: torch.Tensor, p: float) -> tuple[torch.Tensor, torch.Tensor | None]:
    return (noise / (1 - p) if p < 1 else noise), None


def _self_normalizing(noise: torch.Tensor, p: float) -> tuple[torch.Tensor, torch.Tensor | None]:
    if p == 1:
        return noise, None
    alpha = 1.7580993408473766
    a = 1.0 / math.sqrt((alpha * alpha * p + 1) * (1 - p))
    return noise * a, (noise - 1) * (alpha * a) + alpha * a * p


def _patch_recurrent(source: Source) -> None:
    """Between the layers of a recurrent module torch drops out in one go with all the rest."""
    module: Any = torch.nn.modules.rnn
    functions = getattr(module, "_rnn_impls", {})
    for mode, name in (
        ("LSTM", "lstm"),
        ("GRU", "gru"),
        ("RNN_TANH", "rnn_tanh"),
        ("RNN_RELU", "rnn_relu"),
    ):
        original = functions.get(mode) or getattr(module._VF, name)
        by_layer = functools.wraps(original)(_by_layer(source, original))
        if mode in functions:
            functions[mode] = by_layer
        if not isinstance(module._VF, type):
            setattr(module._VF, name, by_layer)


def _by_layer(source: Source, original: Callable[..., Any]) -> Callable[..., Any]:
    def recurrent(*args: Any) -> Any:
        is_packed = isinstance(args[3], (list, tuple)) and not isinstance(args[3], torch.Tensor)
        at = 2 if not is_packed else 3
        states, weights, bias, layers, dropout, training = args[at - 1 : at + 5]
        if not (training and dropout and layers > 1):
            return original(*args)
        value, rest = args[0], args[at + 5 :]
        between = args[1 : at - 1]
        per_layer = len(weights) // layers
        several = isinstance(states, (list, tuple))
        parts = list(states) if several else [states]
        directions = parts[0].shape[0] // layers
        last = []
        for layer in range(layers):
            if layer:
                noise = _noise(source, value, tuple(value.shape), dropout)
                value = value * _scaled(noise, dropout)[0]
            own = [p[layer * directions : (layer + 1) * directions].contiguous() for p in parts]
            chosen = weights[layer * per_layer : (layer + 1) * per_layer]
            state = tuple(own) if several else own[0]
            result = original(value, *between, state, chosen, bias, 1, 0.0, training, *rest)
            value = result[0]
            last.append(result[1:])
        return (value, *(torch.cat(list(group)) for group in zip(*last)))

    return recurrent
