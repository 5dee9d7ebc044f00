"""The compilers of graphs: `torch.jit`, `torch.onnx`, `torch.quantization`."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Gone, Name, all_gone

_JIT = (
    "it was private to the old compiler; torch.jit.trace, torch.jit.script and torch.nn have what"
    " is public"
)
_SYMBOLIC = "register an operator with torch.onnx.register_custom_op_symbolic"

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
        ("torch.jit.trace", "torch.jit.script", "torch.jit.trace_module"), drops=("optimize",)
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
    Gone("torch.onnx.set_training", "torch.onnx.export takes training=", gone="1.6"),
    Gone("torch.onnx._export", "call torch.onnx.export", gone="2.0"),
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
    Gone("torch.onnx.CheckerError", "the errors are in torch.onnx.errors", gone="2.5"),
)
