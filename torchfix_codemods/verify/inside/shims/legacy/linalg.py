"""Linear algebra under the names of LAPACK, removed between torch 1.2 and 2.14."""

from __future__ import annotations

import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import torch

Symeig = namedtuple("Symeig", ["eigenvalues", "eigenvectors"])
Eig = namedtuple("Eig", ["eigenvalues", "eigenvectors"])
Solve = namedtuple("Solve", ["solution", "LU"])
Lstsq = namedtuple("Lstsq", ["solution", "QR"])
QR = namedtuple("QR", ["Q", "R"])
TriangularSolve = namedtuple("TriangularSolve", ["solution", "cloned_coefficient"])


def install() -> None:
    """The old functions, as functions of torch and as methods, where they raise or are gone.

    Their documented results (torch 1.0.0 documentation, "BLAS and LAPACK Operations"), computed
    by today's `torch.linalg`. `pstrf` and `gels` of a wide matrix have no such equal and stay
    gone.
    """
    if not hasattr(torch, "linalg") or not hasattr(torch.linalg, "solve_triangular"):
        return
    for name, ours in _OURS.items():
        if not _works(name):
            setattr(torch, name, ours)
            setattr(torch.Tensor, name, ours)


def _works(name: str) -> bool:
    """Whether torch's own still computes something: a removed name may be there and raise."""
    original = getattr(torch, name, None)
    if original is None:
        return False
    one = torch.eye(1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            original(one, one) if name in _OF_TWO else original(one)
    except (NotImplementedError, RuntimeError):
        return False
    return True


def symeig(input: Any, eigenvectors: bool = False, upper: bool = True) -> Any:
    triangle = "U" if upper else "L"
    if eigenvectors:
        return Symeig(*torch.linalg.eigh(input, UPLO=triangle))
    values = torch.linalg.eigvalsh(input, UPLO=triangle)
    return Symeig(values, torch.zeros_like(input))


def eig(input: Any, eigenvectors: bool = False) -> Any:
    """Eigenvalues as rows of two numbers; of a complex pair of vectors the first is real."""
    values, vectors = torch.linalg.eig(input)
    if not eigenvectors:
        return Eig(torch.view_as_real(values).contiguous(), input.new_empty(0))
    columns = []
    column = 0
    while column < len(values):
        columns.append(vectors[:, column].real)
        if values[column].imag != 0:
            columns.append(vectors[:, column].imag)
            column += 1
        column += 1
    return Eig(torch.view_as_real(values).contiguous(), torch.stack(columns, 1))


def solve(input: Any, A: Any) -> Any:
    LU, pivots = torch.linalg.lu_factor(A)
    return Solve(torch.linalg.lu_solve(LU, pivots, _columns(input)), LU)


def _columns(b: Any) -> Any:
    """A vector on the right side counted as one column."""
    return b.unsqueeze(1) if b.dim() == 1 else b


def lstsq(input: Any, A: Any) -> Any:
    """The solution in the first rows, below it what remains of `input` after the rotation."""
    rows, columns = A.shape
    if rows < columns:
        raise RuntimeError("torch.gels of a matrix with more columns than rows is not given back")
    QR_, tau = torch.geqrf(A)
    rotated = torch.ormqr(QR_, tau, input, left=True, transpose=True)
    solution = torch.linalg.solve_triangular(QR_[:columns], rotated[:columns], upper=True)
    return Lstsq(torch.cat([solution, rotated[columns:]]), QR_)


def potrf(a: Any, upper: bool = True) -> Any:
    lower = torch.linalg.cholesky(a)
    return lower.transpose(-2, -1) if upper else lower


def cholesky(input: Any, upper: bool = False) -> Any:
    return potrf(input, upper)


def potri(a: Any, upper: bool = True) -> Any:
    return torch.cholesky_inverse(a, upper=upper)


def potrs(b: Any, u: Any, upper: bool = True) -> Any:
    return torch.cholesky_solve(_columns(b), u, upper=upper)


def trtrs(
    b: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    coefficient = A.transpose(-2, -1) if transpose else A
    solution = torch.linalg.solve_triangular(
        coefficient, _columns(b), upper=upper != transpose, unitriangular=unitriangular
    )
    return TriangularSolve(solution, A.clone())


def btrifact(A: Any, pivot: bool = True) -> Any:
    return tuple(torch.linalg.lu_factor(A, pivot=pivot))


def btrisolve(b: Any, LU_data: Any, LU_pivots: Any) -> Any:
    if b.dim() == LU_data.dim() - 1:
        return torch.linalg.lu_solve(LU_data, LU_pivots, b.unsqueeze(-1)).squeeze(-1)
    return torch.linalg.lu_solve(LU_data, LU_pivots, b)


def matrix_rank(input: Any, tol: Any = None, symmetric: bool = False) -> Any:
    if tol is None:
        return torch.linalg.matrix_rank(input, hermitian=symmetric)
    return torch.linalg.matrix_rank(input, atol=tol, rtol=0.0, hermitian=symmetric)


def qr(input: Any, some: bool = True) -> Any:
    return QR(*torch.linalg.qr(input, mode="reduced" if some else "complete"))


_OURS: dict[str, Callable[..., Any]] = {
    "btrifact": btrifact,
    "btrisolve": btrisolve,
    "btriunpack": lambda *args, **kwargs: torch.lu_unpack(*args, **kwargs),
    "cholesky": cholesky,
    "eig": eig,
    "gels": lstsq,
    "gesv": solve,
    "lstsq": lstsq,
    "matrix_rank": matrix_rank,
    "potrf": potrf,
    "potri": potri,
    "potrs": potrs,
    "qr": qr,
    "solve": solve,
    "symeig": symeig,
    "trtrs": trtrs,
}
_OF_TWO = ("btrisolve", "btriunpack", "gels", "gesv", "lstsq", "potrs", "solve", "trtrs")
