"""The compilers of graphs: `torch.jit`, `torch.onnx`, `torch.quantization`."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given, Gone, Name, all_gone
from torchfix_codemods.finding import Numerics

_JIT = (
    "it was private to the old compiler; torch.jit.trace, torch.jit.script and torch.nn have what"
    " is public"
)
_SYMBOLIC = (
    "register an operator with torch.onnx.register_custom_op_symbolic, for torch.onnx.export with"
    " dynamo=False"
)
_EXPORT = (
    "export_params=..., verbose=..., training=..., input_names=..., output_names=..., aten=...,"
    " export_raw_ir=..., operator_export_type=..., opset_version=..., _retain_param_name=...,"
    " do_constant_folding=..., example_outputs=..., strip_doc_string=..., dynamic_axes=...,"
    " keep_initializers_as_inputs=..., custom_opsets=..., enable_onnx_checker=...,"
    " use_external_data_format=..., export_modules_as_functions=..., dynamo=..."
)

ROWS = (
    *all_gone(
        "torch.jit",
        "batch batchop scope verify LegacyTracedModule createResolutionCallback"
        " get_function_from_type OrderedDictWrapper OrderedModuleDict ScriptMethodStub"
        " WeakScriptModuleProxy BatchTensor",
        "1.7",
        _JIT,
    ),
    Gone(
        "torch.jit.get_trace_graph",
        "torch.jit._get_trace_graph gives the graph itself, and the outputs",
        gone="1.4",
    ),
    Name(
        "torch.jit.optimize_frozen_module",
        "torch.jit.run_frozen_optimizations",
        since="1.9",
        gone="1.9",
    ),
    Arguments(
        ("torch.jit.trace", "torch.jit.script", "torch.jit.trace_module"),
        drops=("optimize",),
        warns=True,
    ),
    Arguments(
        ("torch.onnx.export",),
        parameters=(
            "model",
            "args",
            "f",
            "export_params",
            "verbose",
            "training",
            "input_names",
            "output_names",
        ),
        keywords_from=3,
        rule="TP905",
        gone="2.5",
    ),
    Arguments(
        ("torch.onnx.export",),
        drops=(
            "example_outputs",
            "strip_doc_string",
            "enable_onnx_checker",
            "use_external_data_format",
            "_retain_param_name",
        ),
        gone="1.11",
    ),
    Arguments(
        ("torch.onnx.export",),
        drops=("aten", "export_raw_ir"),
        gone="1.10",
        advice="leave out what is False; aten=True is"
        " operator_export_type=torch.onnx.OperatorExportTypes.ONNX_ATEN, with dynamo=False, and"
        " nothing takes the place of export_raw_ir=True",
    ),
    Call(
        f"torch.onnx.export(model, args=..., f=..., {_EXPORT})",
        (
            Form(
                "",
                {"dynamo": Given.NO},
                advice=(
                    "it calls the exporter of torch.export, which needs the package onnxscript;"
                    " dynamo=False is the one that traces, as before, and needs the package onnx"
                ),
            ),
        ),
        rule="TP906",
        before="2.9",
        claim=Numerics.ADVICE,
    ),
    *(
        Call(
            f"torch.{module}.fuse_modules(model, modules_to_fuse, inplace=..., fuser_func=...,"
            " fuse_custom_config_dict=...)",
            (
                Form(
                    "",
                    {},
                    advice=(
                        "it refuses a model in training mode, for which there is"
                        " torch.ao.quantization.fuse_modules_qat"
                    ),
                ),
            ),
            rule="TP906",
            before="1.11",
            claim=Numerics.ADVICE,
        )
        for module in ("quantization", "ao.quantization")
    ),
    Gone(
        "torch.onnx.set_training",
        "torch.onnx.export takes the model as its train() or eval() left it; with dynamo=False it"
        " takes training=torch.onnx.TrainingMode.TRAINING, and calls eval() without",
        gone="1.6",
    ),
    Gone(
        "torch.onnx._export",
        "call torch.onnx.export, which does not return the model's output",
        gone="2.5",
    ),
    Gone("torch.onnx.symbolic", f"it is torch.onnx.symbolic_opset9; {_SYMBOLIC}", gone="1.2"),
    Gone("torch.onnx.symbolic_registry", _SYMBOLIC, gone="1.13"),
    Gone("torch.onnx.symbolic_caffe2", "Caffe2 is no more", gone="2.9"),
    Gone(
        "torch.onnx.export_to_pretty_string",
        "export to a file and print onnx.printer.to_text of it",
        gone="2.6",
    ),
    *all_gone(
        "torch.onnx",
        "ExportTypes PYTORCH_ONNX_CAFFE2_BUNDLE",
        "2.6",
        "torch.onnx.export writes protobuf files only",
    ),
    *all_gone(
        "torch.onnx",
        "log enable_log disable_log set_log_stream is_onnx_log_enabled",
        "2.6",
        "use Python's logging of the logger torch.onnx",
    ),
    Gone(
        "torch.onnx.CheckerError",
        "nothing raises it; what torch.onnx.export raises is a torch.onnx.errors.OnnxExporterError",
        gone="2.5",
    ),
)
