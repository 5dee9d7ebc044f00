"""What older torches computed with the same lines."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form, Given
from torchfix_codemods.finding import Numerics

#: Distributions that are asked for the density of what they never draw: the pixels of grey images,
#: or a place where a prior has none.
_OF_ANY_NUMBER = {"Bernoulli": "probs=..., logits=...", "Uniform": "low, high"}
_INTERPOLATE = "torch.nn.functional.interpolate"
#: What is the same by both numbers. Each second element: of n there are n // 2, and 2 * i is the
#: whole part of i * n / (n // 2) as well; up to 4162 elements the kernel's rounding agrees, too.
#: What lies between elements, as ``bilinear`` asks, moves where n is odd. Means of areas only ask
#: for the size.
_SCALED_ALIKE = tuple(
    Form(
        "",
        {
            "size": Given.NO,
            "scale_factor": scale,
            "mode": mode,
            "recompute_scale_factor": Given.NO,
        },
    )
    for scale, mode in ((0.5, Given.NO), (0.5, "nearest"), (Given.FRACTION, "area"))
)

ROWS = (
    # The size of the result is a whole number: what was scaled by was what that is of the input.
    Call(
        f"{_INTERPOLATE}(input, size=..., scale_factor=..., mode=..., align_corners=...,"
        " recompute_scale_factor=..., antialias=...)",
        (
            *_SCALED_ALIKE,
            Form(
                f"{_INTERPOLATE}(..., recompute_scale_factor=True)",
                {
                    "size": Given.NO,
                    "scale_factor": Given.FRACTION,
                    "recompute_scale_factor": Given.NO,
                },
            ),
        ),
        rule="TP906",
        since="1.5",
        before="1.6",
    ),
    Call(
        "torch.nn.Upsample(size=..., scale_factor=..., mode=..., align_corners=...,"
        " recompute_scale_factor=...)",
        (
            *_SCALED_ALIKE,
            Form(
                "torch.nn.Upsample(..., recompute_scale_factor=True)",
                {
                    "size": Given.NO,
                    "scale_factor": Given.FRACTION,
                    "recompute_scale_factor": Given.NO,
                },
            ),
        ),
        rule="TP906",
        since="1.11",
        before="1.6",
    ),
    Call(
        "torch.optim.LBFGS(params, lr=..., max_iter=..., max_eval=..., tolerance_grad=...,"
        " tolerance_change=..., history_size=..., line_search_fn=...)",
        (
            Form(
                "",
                {"tolerance_grad": Given.NO},
                advice=(
                    "it stops at max|grad| <= 1e-7, torch 1.2 did at 1e-5, and torch 1.0 at"
                    " sum|grad| <= 1e-5, so that it may take more or fewer steps"
                ),
            ),
        ),
        rule="TP906",
        claim=Numerics.ADVICE,
        before="1.3",
        # Without a closure it raises on every torch, and stops at nothing.
        run_by="step",
    ),
    # Of other norms than the largest element it was a number of Python.
    Call(
        "torch.nn.utils.clip_grad_norm_(parameters, max_norm, norm_type=...)",
        tuple(
            Form("torch.nn.utils.clip_grad_norm_(...).item()", {"norm_type": norm})
            for norm in (Given.NO, 1, 2, 1.0, 2.0)
        ),
        rule="TP906",
        before="1.5",
        was_number=True,
    ),
    Call(
        "Module.load_state_dict(module, state_dict, strict=...)",
        (
            Form(
                "",
                advice=(
                    "it gave None, and gives the keys that were missing and unexpected, which"
                    " counts as true"
                ),
            ),
        ),
        is_method=True,
        rule="TP906",
        before="1.1",
        used=True,
        source="https://github.com/pytorch/pytorch/releases/tag/v1.1.0",
    ),
    Call(
        "torch.optim.Adam(params, lr=..., betas=..., eps=..., weight_decay=..., amsgrad=...)",
        tuple(
            Form(
                "",
                {"eps": eps},
                advice=(
                    "eps counts less in the first steps, and no argument brings that back: in step"
                    " t it counted 1 / sqrt(1 - beta2 ** t) times as much"
                ),
            )
            for eps in (1, 1.0, 1e-1, 1e-2, 1e-3, 1.5e-4, 1e-4)
        ),
        rule="TP906",
        before="1.3",
    ),
    # The fast path of evaluation puts zeros where the mask says padding.
    Call(
        "torch.nn.TransformerEncoder(encoder_layer, num_layers, norm=...,"
        " enable_nested_tensor=..., mask_check=...)",
        (
            Form(
                "torch.nn.TransformerEncoder(..., enable_nested_tensor=False)",
                {"enable_nested_tensor": Given.NO},
            ),
        ),
        rule="TP906",
        since="1.12",
        before="1.13",
    ),
    Call(
        "torch.tensor(data, dtype=..., device=..., requires_grad=..., pin_memory=...)",
        (
            Form(
                "torch.tensor(..., dtype=torch.float)",
                {"data": Given.NUMPY_FLOAT, "dtype": Given.NO},
            ),
        ),
        rule="TP906",
        before="1.5",
        dtype_only=True,
    ),
    Call(
        "torch.angle(input)",
        (
            Form(
                "",
                {"input": Given.FLOAT},
                advice="of any real number it was 0, and of a negative one it is pi",
            ),
        ),
        method=True,
        rule="TP906",
        before="1.8",
        source="https://pytorch.org/docs/stable/generated/torch.angle.html",
    ),
    *(
        Call(
            f"torch.distributions.{name}({parameters}, validate_args=...)",
            (
                Form(
                    f"torch.distributions.{name}(..., validate_args=False)",
                    {"validate_args": Given.NO},
                ),
            ),
            rule="TP906",
            before="1.8",
            claim=Numerics.RESTORED,
        )
        for name, parameters in _OF_ANY_NUMBER.items()
    ),
    Call(
        "torch.digamma(input)",
        (
            Form(
                "",
                {},
                advice=(
                    "of 0 it was inf and is -inf; of negative whole numbers it was inf and is nan"
                ),
            ),
        ),
        method=True,
        rule="TP906",
        before="1.8",
        source="https://pytorch.org/docs/stable/special.html#torch.special.digamma",
    ),
    *(
        Call(
            f"torch.nn.{name}(in_channels, out_channels, kernel_size, stride=..., padding=...,"
            " dilation=..., groups=..., bias=..., padding_mode=...)",
            (
                Form(
                    "",
                    {"padding_mode": "circular", "padding": Given.YES},
                    advice=(
                        "padding_mode='circular' padded half as much: padding=1 gives what"
                        " padding=2 gave, and an odd padding was one more on the left"
                    ),
                ),
            ),
            rule="TP906",
            before="1.5",
        )
        for name in ("Conv1d", "Conv2d", "Conv3d")
    ),
)
