"""Fourier transforms of tensors whose last dimension holds real and imaginary parts."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import torch

from ..patching import give_back, replace
from .version import TORCH


def install(users: Callable[[], bool]) -> None:
    """`torch.fft`, `ifft`, `rfft`, `irfft` (removed in 1.8) and real `stft` (until 2.0).

    As in the torch 1.7 documentation, "Spectral Ops": the last `signal_ndim` dimensions are
    transformed, `normalized` divides by the square root of their size. `torch.fft` is a module
    today: it stays one, and can be called.
    """
    if TORCH < (1, 8):
        return
    module: Any = torch.fft
    module.__class__ = _CallableModule
    for name, ours in (("rfft", rfft), ("irfft", irfft), ("ifft", ifft)):
        give_back(torch, name, ours)
        give_back(torch.Tensor, name, ours)
    give_back(torch.Tensor, "fft", fft)
    if TORCH >= (2, 0):
        for owner in (torch, torch.functional, torch.Tensor):
            replace(owner, "stft", lambda original: _stft(original, users))
            replace(owner, "istft", _istft)


def _dims(signal_ndim: int) -> tuple[int, ...]:
    return tuple(range(-signal_ndim, 0))


def _norm(normalized: bool) -> Any:
    return "ortho" if normalized else None


def fft(input: Any, signal_ndim: int, normalized: bool = False) -> Any:
    of = torch.view_as_complex(input.contiguous())
    return torch.view_as_real(
        torch.fft.fftn(of, dim=_dims(signal_ndim), norm=_norm(normalized)).contiguous()
    )


def ifft(input: Any, signal_ndim: int, normalized: bool = False) -> Any:
    of = torch.view_as_complex(input.contiguous())
    return torch.view_as_real(
        torch.fft.ifftn(of, dim=_dims(signal_ndim), norm=_norm(normalized)).contiguous()
    )


def rfft(input: Any, signal_ndim: int, normalized: bool = False, onesided: bool = True) -> Any:
    transform = torch.fft.rfftn if onesided else torch.fft.fftn
    result = transform(input, dim=_dims(signal_ndim), norm=_norm(normalized))
    return torch.view_as_real(result.contiguous())


def irfft(
    input: Any,
    signal_ndim: int,
    normalized: bool = False,
    onesided: bool = True,
    signal_sizes: Any = None,
) -> Any:
    of = torch.view_as_complex(input.contiguous())
    dims, norm = _dims(signal_ndim), _norm(normalized)
    if not onesided:
        return torch.fft.ifftn(of, dim=dims, norm=norm).real.contiguous()
    sizes = tuple(signal_sizes) if signal_sizes else None
    return torch.fft.irfftn(of, s=sizes, dim=dims, norm=norm)


class _CallableModule(types.ModuleType):
    def __call__(self, input: Any, signal_ndim: int, normalized: bool = False) -> Any:
        return fft(input, signal_ndim, normalized)


def _stft(original: Any, users: Callable[[], bool]) -> Callable[..., Any]:
    def stft(input: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if "return_complex" in kwargs or len(args) > 8 or input.is_complex() or not users():
            return original(input, *args, **kwargs)
        return torch.view_as_real(original(input, *args, return_complex=True, **kwargs))

    return stft


def _istft(original: Any) -> Callable[..., Any]:
    def istft(input: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if not input.is_complex():
            input = torch.view_as_complex(input.contiguous())
        return original(input, *args, **kwargs)

    return istft
