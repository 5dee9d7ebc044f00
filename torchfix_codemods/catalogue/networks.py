"""Modules of `torch.nn`, their private homes, and what `torch.nn.utils` does to them."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given, Gone, Name, all_gone

_UPSAMPLING = "size=..., scale_factor=..."
#: ``tests/catalogue/test_networks.py`` runs what this says.
_PARAMETRIZED = (
    "torch.nn.utils.parametrizations.weight_norm gives the same weights and loads old checkpoints;"
    " new ones have other keys, as parametrizations.{0}.original0 for {0}_g"
)
_TAKEN_OFF = (
    "remove_weight_norm(layer) is torch.nn.utils.parametrize.remove_parametrizations(layer,"
    " 'weight')"
)
NO_FUSED_GATES = (
    "torch has no public function for its fused gates; what calculates them for tensors on the CPU"
    " does so on a GPU as well"
)

ROWS = (
    *(
        Call(
            f"torch.nn.{old}({_UPSAMPLING})",
            (Form(f"torch.nn.Upsample(..., mode='{mode}'{also})"),),
            tor="TOR101",
        )
        for old, mode, also in (
            ("UpsamplingNearest2d", "nearest", ""),
            ("UpsamplingBilinear2d", "bilinear", ", align_corners=True"),
        )
    ),
    Name(
        "torch.nn.modules.linear._LinearWithBias",
        "torch.nn.modules.linear.NonDynamicallyQuantizableLinear",
        since="1.9",
        gone="1.9",
    ),
    Name(
        "torch.nn.parallel.DistributedDataParallelCPU",
        "torch.nn.parallel.DistributedDataParallel",
        since="1.2",
    ),
    Gone("torch.nn.parallel.distributed_cpu", "use DistributedDataParallel", gone="1.2"),
    *(
        Gone(
            old,
            _PARAMETRIZED.format("NAME"),
            takes="weight_norm(module, name='weight', dim=0)",
            forms=(
                Form("", {"name": "weight"}, advice=_PARAMETRIZED.format("weight")),
                Form("", {"name": Given.LITERAL}, advice=_PARAMETRIZED.format("{name:text}")),
            ),
            also={"remove_weight_norm": _TAKEN_OFF},
            renames_keys=True,
        )
        # The module has the name of its function.
        for old in ("torch.nn.utils.weight_norm", "torch.nn.utils.weight_norm.weight_norm")
    ),
    Gone(
        "torch.nn._functions.thnn.rnnFusedPointwise",
        NO_FUSED_GATES,
        gone="1.0",
    ),
    Gone("torch.nn._functions.padding", "call torch.nn.functional.pad", gone="1.0"),
    Gone(
        "torch.nn._functions.rnn",
        "torch has no functions for these loops any more: call a cell of torch.nn in a loop of your"
        " own, or copy the functions from torch 0.4",
        gone="1.0",
    ),
    Gone(
        "torch.nn._functions.rnn.CudnnRNN",
        "nothing takes its place: torch.nn.LSTM, GRU and RNN pack their weights themselves",
        gone="1.0",
        spoken={
            "flatten_parameters(self": "nothing takes its place, as torch.nn.LSTM, GRU and RNN pack"
            " their weights themselves: a flatten_parameters() of your own can go, with its calls"
            " and what reads the attributes that it sets"
        },
    ),
    Gone("torch.nn._functions", "call the functions of torch.nn.functional", gone="1.3"),
    Gone("torch.nn.backends.thnn.backend", "call torch.nn.functional", gone="1.3"),
    Gone(
        "torch.nn.modules.loss._assert_no_grad",
        "take its calls out",
        gone="0.4.1",
        takes="_assert_no_grad(variable)",
        forms=(
            Form(
                "",
                advice="take the call out, or write"
                " `assert not {variable:operand}.requires_grad` for it",
            ),
        ),
        imported="take its calls out, or write `assert not target.requires_grad` for them, and"
        " take it out of the import",
    ),
    Gone("torch.nn.Container", "derive from torch.nn.Module"),
    *(
        Gone(
            f"torch.nn.functional.{old}",
            f"write F.{new}(...) for {old}.apply(...), with the same arguments",
            gone="1.1",
        )
        for old, new in (("Col2Im", "fold"), ("Im2Col", "unfold"))
    ),
    *all_gone(
        "torch._jit_internal",
        "weak_module weak_script weak_script_method",
        "1.2",
        "take the decorator off: modules of torch.nn need none",
    ),
    Arguments(("Module.cuda", "Tensor.cuda"), renames={"device_id": "device"}, gone="0.4"),
    Call(
        "Module._all_buffers(module)",
        (Form("module.buffers()"),),
        is_method=True,
        is_distinct=True,
        gone="1.0",
        source="https://github.com/pytorch/pytorch/pull/10554",
    ),
)
