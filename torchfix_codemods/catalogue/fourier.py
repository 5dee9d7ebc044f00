"""Fourier transforms, which moved to `torch.fft` and to complex tensors."""

from __future__ import annotations

from collections.abc import Iterator

from torchfix_codemods.catalogue.rows import Call, Form, Given
from torchfix_codemods.finding import Numerics

_COMPLEX = "torch.view_as_complex(input.contiguous())"
_NORM = "norm='ortho' if normalized else ..."
_DIMS = {1: "dim=(-1,)", 2: "dim=(-2, -1)", 3: "dim=(-3, -2, -1)"}
_HALF_SIZES = {
    1: "n=2 * input.size(-2) - 1",
    2: "s=(input.size(-3), 2 * input.size(-2) - 1)",
    3: "s=(input.size(-4), input.size(-3), 2 * input.size(-2) - 1)",
}
_FULL_SIZES = {1: "n=input.size(-2)", 2: "s=input.shape[-3:-1]", 3: "s=input.shape[-4:-1]"}
_HANDED = (
    "torch.fft is a module since torch 1.8, and no function: write torch.view_as_real("
    "torch.fft.fftn(torch.view_as_complex(...), ...)) for what it gave, in a function of your own"
)
#: What a row says where the number of dimensions is no literal.
_OVER = "dim=tuple(range(-signal_ndim, 0)), norm='ortho' if normalized else 'backward'"


def _function(name: str, count: int) -> tuple[str, str]:
    """The function over the last ``count`` dimensions, and the argument that says so."""
    if count == 3:
        return f"torch.fft.{name}n", f", {_DIMS[count]}"
    return f"torch.fft.{name}{'2' if count == 2 else ''}", ""


def _of_complex(name: str) -> Iterator[Form]:
    for count in _DIMS:
        function, dims = _function(name, count)
        new = f"torch.view_as_real({function}({_COMPLEX}{dims}, {_NORM}))"
        yield Form(new, {"signal_ndim": count})


def _rfft() -> Iterator[Form]:
    for onesided, name in ((True, "rfft"), (False, "fft")):
        for count in _DIMS:
            function, dims = _function(name, count)
            new = f"torch.view_as_real({function}(input{dims}, {_NORM}))"
            yield Form(new, {"signal_ndim": count, "onesided": onesided})


def _irfft() -> Iterator[Form]:
    for count, dims in _DIMS.items():
        new = f"torch.fft.irfftn({_COMPLEX}, s=signal_sizes, {dims}, {_NORM})"
        given = {"signal_ndim": count, "onesided": Given.LITERAL, "signal_sizes": Given.SIZES}
        yield Form(new, given)
        function, dims = _function("irfft", count)
        for onesided, sizes in ((True, _HALF_SIZES[count]), (False, _FULL_SIZES[count])):
            new = f"{function}({_COMPLEX}, {sizes}{dims}, {_NORM})"
            given = {"signal_ndim": count, "onesided": onesided, "signal_sizes": Given.NO}
            yield Form(new, given)


ROWS = (
    Call(
        "torch.rfft(input, signal_ndim, normalized=False, onesided=True)",
        tuple(_rfft()),
        method=True,
        since="1.8",
        gone="1.8",
        advice=f"write torch.view_as_real(torch.fft.rfftn(input, {_OVER})), with fftn there for"
        " onesided=False",
    ),
    Call(
        "torch.irfft(input, signal_ndim, normalized=False, onesided=True, signal_sizes=...)",
        tuple(_irfft()),
        method=True,
        since="1.8",
        gone="1.8",
        advice=f"write torch.fft.irfftn({_COMPLEX}, s=signal_sizes, {_OVER}); without signal_sizes"
        " the last one was 2 * n - 1, or n for onesided=False",
    ),
    *(
        Call(
            f"torch.{name}(input, signal_ndim, normalized=False)",
            tuple(_of_complex(name)),
            method=True,
            since="1.8",
            gone="1.8",
            advice=f"write torch.view_as_real(torch.fft.{name}n({_COMPLEX}, {_OVER}))",
            still=name == "fft",
            handed=_HANDED if name == "fft" else "",
        )
        for name in ("fft", "ifft")
    ),
    Call(
        "torch.stft(input, n_fft, hop_length=..., win_length=..., window=..., center=...,"
        " pad_mode=..., normalized=..., onesided=..., *, return_complex=...)",
        (
            Form(
                "torch.view_as_real(torch.stft(..., return_complex=True))",
                {"input": Given.REAL, "window": Given.REAL, "return_complex": Given.NO},
            ),
            Form(
                "torch.view_as_real(torch.stft(..., return_complex=True))",
                {"return_complex": False},
                numerics=Numerics.IDENTICAL,
            ),
        ),
        method=True,
        since="1.7",
        warns=True,
        gone="2.0",
        after="0.4.1",
        earlier=(
            "up to torch 0.4.0 stft took signal, frame_length, hop and fft_size in these places,"
            " and gave frames before frequencies: where fft_size is frame_length, write"
            " torch.view_as_real(torch.stft(signal, frame_length, hop, window=window, center=False,"
            " return_complex=True)).transpose(-3, -2)"
        ),
        # normalized= and onesided= are older.
        marks=("n_fft", "hop_length", "win_length", "center", "pad_mode"),
    ),
    Call(
        "torch.istft(input, n_fft, hop_length=..., win_length=..., window=..., center=...,"
        " normalized=..., onesided=..., length=...)",
        tuple(
            Form(
                f"torch.istft({_COMPLEX}, n_fft, hop_length=hop_length, win_length=win_length,"
                " window=window, center=center, normalized=normalized, onesided=onesided,"
                " length=length)",
                {"input": given},
            )
            for given in (Given.FLOAT, Given.PARTS)
        ),
        method=True,
        since="1.7",
        gone="2.0",
    ),
)
