"""Tools around training: checkpoints of activations, and comparisons in tests."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form, Given, all_gone

_CHECKPOINT = "torch.utils.checkpoint"
_NOT_SAID = {"use_reentrant": Given.NO}
_BOTH = {
    "actual": Given.TENSOR,
    "expected": Given.TENSOR,
    "rtol": Given.YES,
    "atol": Given.YES,
}

ROWS = (
    # What is not said is True, as ever, and warns that it will have to be said.
    Call(
        f"{_CHECKPOINT}.checkpoint(function, *args, use_reentrant=..., preserve_rng_state=...)",
        (Form(f"{_CHECKPOINT}.checkpoint(..., use_reentrant=True)", _NOT_SAID),),
        since="1.11",
        tor="TOR003",
    ),
    Call(
        f"{_CHECKPOINT}.checkpoint_sequential(functions, segments, input, use_reentrant=...,"
        " preserve_rng_state=...)",
        (Form(f"{_CHECKPOINT}.checkpoint_sequential(..., use_reentrant=True)", _NOT_SAID),),
        since="2.1",
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
        once=True,
        tor="TOR101",
    ),
    *all_gone(
        "torch.testing",
        "all_types all_types_and all_types_and_complex all_types_and_complex_and"
        " all_types_and_half complex_types double_types empty_types floating_and_complex_types"
        " floating_and_complex_types_and floating_types floating_types_and"
        " floating_types_and_half get_all_complex_dtypes get_all_device_types get_all_dtypes"
        " get_all_fp_dtypes get_all_int_dtypes get_all_math_dtypes integral_types"
        " integral_types_and",
        "2.0",
        "write down the dtypes; torch's own tests have them in torch.testing._internal",
    ),
    *all_gone(
        "torch.testing",
        "make_non_contiguous is_integral is_quantized",
        "2.0",
        "it was for torch's own tests",
    ),
)
