"""Modules and private names that torch took away."""

from __future__ import annotations

from torchfix_codemods.catalogue.networks import NO_FUSED_GATES
from torchfix_codemods.catalogue.rows import Gone, Name, Value, all_gone
from torchfix_codemods.facts.libraries.lua_modules import MADE_ALIKE, OPTIMIZERS

_SIX = "it held names for Python 2; use Python 3's own"
_COLLATE = "torch.utils.data._utils.collate"
_LOADER = "torch.utils.data.dataloader"
_EXTENSION = (
    "torch.utils.cpp_extension builds extensions today, of sources without TH/TH.h and THC/THC.h,"
    " which torch has no more"
)
_LUA = (
    "the package torchfile reads such files: strings are bytes there without"
    " utf8_decode_strings=True, tensors are arrays of numpy, and modules have no methods"
)

ROWS = (
    Value("torch.tensor.torch", "torch", gone="0.4"),
    Gone(
        "torch.tensor",
        "it was a module, whose class is torch.Tensor",
        gone="1.9",
        has_heir=True,
    ),
    Value("torch._six.inf", "math.inf", gone="2.0"),
    Value("torch._six.nan", "math.nan", gone="2.0"),
    Value("torch._six.string_classes", "(str, bytes)", gone="2.0"),
    Value("torch._six.int_classes", "int", gone="1.9"),
    Value("torch._six.container_abcs", "collections.abc", gone="1.9"),
    Value("torch._six.PY2", "False", gone="1.9"),
    Value("torch._six.PY3", "True", gone="1.9"),
    Value("torch._six.PY37", "True", gone="1.13"),
    Value("torch._six.StringIO", "io.StringIO", gone="1.9"),
    Value("torch._six.imap", "map", gone="1.9"),
    Gone("torch._six", _SIX, gone="2.0"),
    *(
        Value(f"{module}.{name}", new, gone=gone)
        for module, moved in ((_LOADER, "1.1"), (_COLLATE, "1.9"))
        for name, new, gone in (
            ("string_classes", "(str, bytes)", "2.0"),
            ("int_classes", "int", moved),
            ("container_abcs", "collections.abc", moved),
        )
    ),
    Name("torch._utils._accumulate", "itertools.accumulate", gone="2.3"),
    *(
        Name(f"torch._utils._{verb}_tensors", f"torch._utils._{verb}_dense_tensors", gone="0.4")
        for verb in ("flatten", "unflatten")
    ),
    Name(
        "torch.utils._pytree._register_pytree_node",
        "torch.utils._pytree.register_pytree_node",
        since="2.2",
        warns=True,
        tor="TOR101",
    ),
    Gone(
        "torch.utils.ffi",
        _EXTENSION,
        gone="1.0",
        also={
            name: f"torchvision.ops has its own {today}"
            for name, today in (
                ("nms", "nms"),
                ("roi_align", "roi_align"),
                ("roi_pool", "roi_pool"),
                ("psroi_pool", "ps_roi_pool"),
            )
        },
    ),
    Gone(
        "torch.utils.ffi._wrap_function",
        "files that create_extension wrote import it, and go with the old build",
        gone="1.0",
    ),
    Gone(
        "torch.legacy",
        "it held the modules and optimizers of Lua Torch; torch.nn and torch.optim have those of"
        " today",
        gone="1.0",
    ),
    Gone(
        "torch.legacy.nn",
        "it held the modules of Lua Torch; torch.nn has those of today",
        gone="1.0",
    ),
    Gone(
        "torch.legacy.optim",
        "it held the optimizers of Lua Torch, functions of one step; those of torch.optim are"
        " classes: made once of the tensors, whose .grad their step() reads",
        gone="1.0",
        also={old: f"for {old}(...) there is torch.optim.{new}" for old, new in OPTIMIZERS.items()},
    ),
    *(
        Gone(old, f"{new} takes the same arguments, and autograd gives its gradient", gone="1.0")
        for old, new in MADE_ALIKE.items()
    ),
    Gone(
        "torch._thnn",
        "torch.nn.functional has what it held for layers",
        gone="1.3",
        # They took the products of a cell, where torch.gru_cell takes its weights.
        spoken={"GRUFused_ LSTMFused_": NO_FUSED_GATES},
    ),
    *all_gone(
        "torch._C",
        """_cudnn_convolution_forward _cudnn_convolution_full_forward _cudnn_convolution_add_bias
        _cudnn_convolution_transpose_full_forward _cudnn_convolution_backward_data
        _cudnn_convolution_backward_filter _cudnn_convolution_backward_bias""",
        "1.0",
        "call the convolutions of torch.nn.functional, whose gradients torch.autograd.grad gives",
    ),
    *all_gone(
        "torch._C",
        "_cudnn_batch_norm_forward _cudnn_batch_norm_backward",
        "1.0",
        "call torch.nn.functional.batch_norm, whose gradients torch.autograd.grad gives",
    ),
    Gone("torch.utils.serialization.load_lua", _LUA, gone="1.0"),
    Gone("torch.utils.trainer", "loop over the batches yourself", gone="1.0"),
    Gone(
        "torch.utils.trainer.plugins",
        "its classes are plain Python: copy those that are used from torch 0.4 into the project,"
        " LossMonitor with loss.item()",
        gone="1.0",
    ),
    Gone("torch.utils.bottleneck", "use torch.profiler.profile", gone="2.10"),
    *all_gone("torch.cuda", "error find_cuda_windows_lib", "2.2", "nothing takes its place"),
    *all_gone(
        "torch.utils",
        "enable_minidumps disable_minidumps enable_minidumps_on_exceptions",
        "2.1",
        "take the call out: torch writes no crash dumps any more",
    ),
    *all_gone(
        "torch",
        "read_vitals vitals_enabled",
        "2.1",
        "take the call out: torch keeps no vitals any more",
    ),
)
