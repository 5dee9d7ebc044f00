"""Tools around training: checkpoints of activations, and comparisons in tests."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form, Given, Name

_CHECKPOINT = "torch.utils.checkpoint"
_NOT_SAID = {"use_reentrant": Given.NO}
_BOTH = {
    "actual": Given.TENSOR,
    "expected": Given.TENSOR,
    "rtol": Given.YES,
    "atol": Given.YES,
}

ROWS = (
    Name("torch.np", "numpy", gone="1.0"),
    # What is not said is True, as ever, and warns that it will have to be said.
    Call(
        f"{_CHECKPOINT}.checkpoint(function, *args, use_reentrant=..., preserve_rng_state=...)",
        (Form(f"{_CHECKPOINT}.checkpoint(..., use_reentrant=True)", _NOT_SAID),),
        since="1.11",
        warns=True,
        tor="TOR003",
    ),
    Call(
        f"{_CHECKPOINT}.checkpoint_sequential(functions, segments, input, use_reentrant=...,"
        " preserve_rng_state=...)",
        (Form(f"{_CHECKPOINT}.checkpoint_sequential(..., use_reentrant=True)", _NOT_SAID),),
        since="2.1",
        warns=True,
    ),
    Call(
        "torch.testing.assert_allclose(actual, expected, rtol=..., atol=..., equal_nan=True,"
        " msg=...)",
        (
            Form(
                "torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol,"
                " equal_nan=equal_nan, check_dtype=False, msg=msg)",
                _BOTH,
            ),
        ),
        advice=(
            "torch.testing.assert_close(actual, expected) compares more strictly: dtypes as well,"
            " and with smaller tolerances"
        ),
        since="1.11",
        warns=True,
        tor="TOR101",
    ),
)
