"""Mixed precision, which moved from `torch.cuda.amp` to `torch.amp`."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Call, Form, Name, Row

_AUTOCAST = "(enabled=..., dtype=..., cache_enabled=...)"
_ARGUMENTS = "enabled=enabled, dtype=dtype, cache_enabled=cache_enabled"
_AMP = ("torch.cuda.amp", "torch.cuda.amp.autocast_mode")
_CPU = ("torch.cpu.amp", "torch.cpu.amp.autocast_mode")


def _of_device(modules: tuple[str, str], device: str) -> tuple[Row, ...]:
    return tuple(
        Call(
            f"{module}.autocast{_AUTOCAST}",
            (Form(f"torch.amp.autocast('{device}', {_ARGUMENTS})"),),
            since="1.12",
            warns=True,
        )
        for module in modules
    )


ROWS = (
    *_of_device(_AMP, "cuda"),
    *_of_device(_CPU, "cpu"),
    *(
        Call(
            f"{module}.{name}({arguments})",
            (Form(f"torch.amp.{name}(..., device_type='cuda')"),),
            decorator=f'torch.amp.{name}(device_type="cuda")',
            since="2.4",
            warns=True,
        )
        for module in _AMP
        for name, arguments in (("custom_fwd", "fwd=..., cast_inputs=..."), ("custom_bwd", "bwd"))
    ),
    *(
        Call(
            f"torch.{device}.amp.{module}GradScaler(init_scale=..., growth_factor=...,"
            " backoff_factor=..., growth_interval=..., enabled=...)",
            (Form(f"torch.amp.GradScaler('{device}', ...)"),),
            type="torch.amp.GradScaler",
            since="2.3",
            warns=True,
        )
        for device in ("cuda", "cpu")
        for module in ("", "grad_scaler.")
    ),
    Name("torch.cuda.amp.grad_scaler.OptState", "torch.amp.grad_scaler.OptState", since="2.3"),
    *(
        Call(f"torch.{old}", (Form(f"torch.{new}"),), since="2.4", warns=True)
        for old, new in (
            ("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')"),
            ("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')"),
            ("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')"),
            ("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)"),
            ("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)"),
            ("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)"),
        )
    ),
)
