"""Initial weights of layers, and the order of data."""

from __future__ import annotations

import functools
from typing import Any

import torch.utils.data

from .draws import randperm
from .source import Source, fill, weighted

#: Options of loaders that make no sense without workers.
_OF_WORKERS = ("prefetch_factor", "persistent_workers", "multiprocessing_context")


def install(source: Source) -> None:
    """Let layers begin, and loaders shuffle, as a source says."""
    _patch_norms(source)
    _patch_loaders(source)


def _patch_norms(source: Source) -> None:
    """torch 1.0 begins a BatchNorm with uniform weights, later versions with ones."""
    cls: Any = torch.nn.modules.batchnorm._BatchNorm
    original = cls.reset_parameters

    @functools.wraps(original)
    def reset_parameters(module: Any) -> None:
        state = source.state.get_state()
        original(module)
        source.state.set_state(state)
        if module.weight is not None:
            module.weight.data.fill_(1)

    cls.reset_parameters = reset_parameters


def _patch_loaders(source: Source) -> None:
    data: Any = torch.utils.data

    def shuffled(sampler: Any) -> Any:
        state = source.of(getattr(sampler, "generator", None))
        count, wanted = len(sampler.data_source), sampler.num_samples
        if sampler.replacement:
            return iter((state.random_sample(wanted) * count).astype(int).tolist())
        order: list[int] = []
        while len(order) < wanted:
            order += state.permutation(count).tolist()
        return iter(order[:wanted])

    def of_subset(sampler: Any) -> Any:
        state = source.of(getattr(sampler, "generator", None))
        return iter([sampler.indices[i] for i in state.permutation(len(sampler.indices))])

    def by_weight(sampler: Any) -> Any:
        state = source.of(getattr(sampler, "generator", None))
        weights = sampler.weights.double().numpy()
        return iter(weighted(state, weights, sampler.num_samples, sampler.replacement).tolist())

    data.sampler.RandomSampler.__iter__ = shuffled
    data.sampler.SubsetRandomSampler.__iter__ = of_subset
    data.sampler.WeightedRandomSampler.__iter__ = by_weight
    original = data.dataset.randperm

    @functools.wraps(original)
    def split(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        fill(result, randperm(source.of(kwargs.get("generator")), result))
        return result

    data.dataset.randperm = split
    init = data.DataLoader.__init__

    @functools.wraps(init)
    def without_workers(loader: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) > 5:
            args = (*args[:5], 0, *args[6:])
        elif "num_workers" in kwargs:
            kwargs["num_workers"] = 0
        init(loader, *args, **{k: v for k, v in kwargs.items() if k not in _OF_WORKERS})

    data.DataLoader.__init__ = without_workers
