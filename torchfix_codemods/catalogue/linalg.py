"""Linear algebra, which moved to `torch.linalg`."""

from __future__ import annotations

from collections.abc import Mapping

from torchfix_codemods.catalogue.rows import Call, Form, Given, Name

_EIG = "torch.view_as_real(torch.linalg.eigvals(input))"
_LSTSQ = (
    "torch.linalg.lstsq(A, {0}).solution has the rows of the solution, and no residuals below them"
)
_SOLVE = "torch.linalg.solve(A, {0}) is the solution, torch.linalg.lu_factor(A).LU the second part"
_COLUMNS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("b.unsqueeze(1)", {"b": Given.VECTOR}),
    ("b", {}),
)
"""What stands on the right side; until torch 1.2 a vector was one column there."""
_TRIANGULAR = tuple(
    Form(
        f"torch.linalg.solve_triangular({matrix}, {columns}, upper={upper},"
        " unitriangular=unitriangular)",
        {**which, **given},
        part="solution",
    )
    for columns, given in _COLUMNS
    for matrix, upper, which in (
        ("A", "upper", {"transpose": False}),
        ("A.mT", "False", {"transpose": True, "upper": True}),
        ("A.mT", "True", {"transpose": True, "upper": False}),
    )
)
_WITH_TRIANGLES = (
    "torch.linalg.solve_triangular(A, b, upper=upper) is the solution, where upper=True unless "
    "given; transpose=True is A.mT with the other upper, and a vector b is b.unsqueeze(1)"
)
_TAKES_TRIANGLES = "(b, A, upper=True, transpose=False, unitriangular=...)"

ROWS = (
    Name("torch.ger", "torch.outer", since="1.7", method=True, tor="TOR101"),
    Name("torch.btriunpack", "torch.lu_unpack", since="1.1", gone="1.2"),
    Call(
        "torch.symeig(input, eigenvectors=False, upper=True)",
        (
            Form("torch.linalg.eigh(input, UPLO='U')", {"eigenvectors": True, "upper": True}),
            Form("torch.linalg.eigh(input)", {"eigenvectors": True, "upper": False}),
            Form(
                "torch.linalg.eigvalsh(input, UPLO='U')",
                {"eigenvectors": False, "upper": True},
                part="eigenvalues",
            ),
            Form(
                "torch.linalg.eigvalsh(input)",
                {"eigenvectors": False, "upper": False},
                part="eigenvalues",
            ),
        ),
        parts=("eigenvalues", "eigenvectors"),
        method=True,
        is_distinct=True,
        since="1.8",
        gone="2.0",
        raises=True,
        advice="torch.linalg.eigh(input, UPLO='U') gives eigenvalues and eigenvectors, and takes "
        "UPLO='L' for upper=False",
        tor="TOR001",
    ),
    Call(
        "torch.eig(input, eigenvectors=False)",
        (Form(_EIG, {"eigenvectors": Given.LITERAL}, part="eigenvalues"),),
        parts=("eigenvalues", "eigenvectors"),
        method=True,
        since="1.9",
        gone="1.13",
        raises=True,
        advice="torch.linalg.eig gives complex eigenvalues and eigenvectors, torch.linalg.eigvals "
        "the eigenvalues alone",
        tor="TOR001",
    ),
    Call(
        "torch.qr(input, some=True, *, out=...)",
        (
            Form("torch.linalg.qr(input, out=out)", {"some": True}),
            Form("torch.linalg.qr(input, mode='complete', out=out)", {"some": False}),
            Form("torch.linalg.qr(input, mode='reduced' if some else 'complete', out=out)"),
        ),
        method=True,
        since="1.8",
        warns=True,
        gone="2.14",
        advice="torch.linalg.qr, with mode='complete' in the place of some=False",
        tor="TOR101",
    ),
    Call(
        "torch.cholesky(input, upper=False, *, out=...)",
        (
            Form("torch.linalg.cholesky(input, out=out)", {"upper": False}),
            Form("torch.linalg.cholesky(input, upper=upper, out=out)"),
        ),
        method=True,
        since="1.11",
        warns=True,
        gone="2.14",
        advice="torch.linalg.cholesky, which takes upper by its name only",
        tor="TOR101",
    ),
    Call(
        "torch.potrf(a, upper=True, out=...)",
        (
            Form("torch.linalg.cholesky(a, out=out)", {"upper": False}),
            Form("torch.linalg.cholesky(a, upper=upper, out=out)"),
        ),
        method=True,
        is_distinct=True,
        since="1.11",
        gone="1.2",
    ),
    Call(
        "torch.potri(a, upper=True, out=...)",
        (
            Form("torch.cholesky_inverse(a, out=out)", {"upper": False}),
            Form("torch.cholesky_inverse(a, upper=upper, out=out)"),
        ),
        method=True,
        is_distinct=True,
        since="1.1",
        gone="1.2",
    ),
    Call(
        "torch.potrs(b, u, upper=True, out=...)",
        tuple(
            form
            for columns, given in _COLUMNS
            for form in (
                Form(f"torch.cholesky_solve({columns}, u, out=out)", {"upper": False, **given}),
                Form(f"torch.cholesky_solve({columns}, u, upper=upper, out=out)", given),
            )
        ),
        method=True,
        is_distinct=True,
        since="1.1",
        gone="1.2",
        advice="torch.cholesky_solve(b, u, upper=upper), where upper=True unless given, and a "
        "vector b is b.unsqueeze(1)",
    ),
    Call(
        "torch.pstrf(a, upper=True)",
        (),
        method=True,
        is_distinct=True,
        gone="1.2",
        advice="torch has no pivoted Cholesky decomposition; scipy.linalg.lapack.dpstrf is one",
    ),
    Call(
        "torch.gesv(b, A)",
        (
            Form("torch.linalg.solve(A, b.unsqueeze(1))", {"b": Given.VECTOR}, part="solution"),
            Form("torch.linalg.solve(A, b)", part="solution"),
        ),
        parts=("solution", "LU"),
        method=True,
        is_distinct=True,
        since="1.8",
        gone="1.2",
        advice=_SOLVE.format("b"),
    ),
    Call(
        "torch.solve(input, A)",
        (Form("torch.linalg.solve(A, input)", part="solution"),),
        parts=("solution", "LU"),
        method=True,
        since="1.8",
        gone="1.13",
        raises=True,
        advice=_SOLVE.format("input"),
        tor="TOR001",
    ),
    Call(
        "torch.gels(input, A)",
        (),
        method=True,
        is_distinct=True,
        gone="1.3",
        advice=_LSTSQ.format("input"),
    ),
    Call(
        "torch.lstsq(input, A)",
        (),
        method=True,
        gone="1.13",
        raises=True,
        advice=_LSTSQ.format("input"),
        tor="TOR001",
    ),
    Call(
        f"torch.trtrs{_TAKES_TRIANGLES}",
        _TRIANGULAR,
        parts=("solution", "cloned_coefficient"),
        method=True,
        is_distinct=True,
        since="1.11",
        gone="1.2",
        advice=_WITH_TRIANGLES,
    ),
    Call(
        f"torch.triangular_solve{_TAKES_TRIANGLES}",
        _TRIANGULAR,
        parts=("solution", "cloned_coefficient"),
        method=True,
        since="1.11",
        warns=True,
    ),
    Call(
        "torch.btrifact(A, *, pivot=...)",
        (Form("torch.linalg.lu_factor(A, pivot=pivot)"),),
        method=True,
        is_distinct=True,
        since="1.11",
        gone="1.2",
    ),
    Call(
        "torch.btrifact_with_info(A, *, pivot=...)",
        (Form("torch.linalg.lu_factor_ex(A, pivot=pivot)"),),
        method=True,
        is_distinct=True,
        since="1.11",
        gone="1.2",
    ),
    Call(
        "torch.btrisolve(b, LU_data, LU_pivots)",
        (
            Form(
                "torch.linalg.lu_solve(LU_data, LU_pivots, b.unsqueeze(-1)).squeeze(-1)",
                {"b": Given.MATRIX},
            ),
        ),
        method=True,
        is_distinct=True,
        since="1.13",
        gone="1.2",
        advice="torch.linalg.lu_solve(LU, pivots, B) takes its place, with B of (batch, n, k)",
    ),
    Call(
        "torch.lu(A, pivot=..., get_infos=False)",
        (
            Form("torch.linalg.lu_factor(A, pivot=pivot)", {"get_infos": False}),
            Form("torch.linalg.lu_factor_ex(A, pivot=pivot)", {"get_infos": True}),
        ),
        method=True,
        since="1.11",
        warns=True,
    ),
    Call(
        "torch.lu_solve(b, LU_data, LU_pivots)",
        (Form("torch.linalg.lu_solve(LU_data, LU_pivots, b)"),),
        method=True,
        since="1.13",
        warns=True,
    ),
    Call(
        "torch.matrix_rank(input, tol=..., symmetric=..., *, out=...)",
        (Form("torch.linalg.matrix_rank(input, tol=tol, hermitian=symmetric, out=out)"),),
        since="1.8",
        gone="1.13",
        raises=True,
        tor="TOR001",
    ),
    Call(
        "torch.chain_matmul(*matrices, out=...)",
        (Form("torch.linalg.multi_dot([*matrices], out=out)"),),
        since="1.9",
        warns=True,
        tor="TOR101",
    ),
    Call(
        "torch.cross(input, other, dim=..., *, out=...)",
        (Form("torch.cross(..., dim=-1)", {"input": Given.VECTOR, "dim": Given.NO}),),
        method=True,
        warns=True,
    ),
)
