"""Autograd, its profiler and its checks, and functorch, which became `torch.func`."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given, Gone, Name, all_gone
from torchfix_codemods.finding import Numerics

_FUNC = "vmap grad grad_and_value vjp jvp jacrev jacfwd hessian functionalize"
_STATELESS = (
    "write torch.func.functional_call(model, parameters, inputs) with"
    " parameters = dict(model.named_parameters())"
)
_PROFILE = (
    "torch.autograd.profiler.profile(enabled=..., use_cuda=..., use_device=...,"
    " record_shapes=..., with_flops=..., profile_memory=..., with_stack=..., with_modules=...)"
)
_PROFILED = (
    "torch.autograd.profiler.profile(enabled=enabled, {}record_shapes=record_shapes,"
    " with_flops=with_flops, profile_memory=profile_memory, with_stack=with_stack,"
    " with_modules=with_modules)"
)

ROWS = (
    *(
        Name(f"functorch.{name}", f"torch.func.{name}", since="2.0", warns=True, tor="TOR101")
        for name in _FUNC.split()
    ),
    *all_gone(
        "functorch",
        "make_functional make_functional_with_buffers",
        None,
        _STATELESS,
    ),
    Gone(
        "torch.autograd.stochastic_function",
        "draw from torch.distributions, and take log_prob of what was drawn into the loss",
        gone="0.3",
    ),
    Gone(
        "functorch.combine_state_for_ensemble",
        "write torch.func.stack_module_state(models)",
    ),
    Name(
        "torch.nn.utils.stateless.functional_call",
        "torch.func.functional_call",
        since="2.0",
        warns=True,
    ),
    Arguments(
        ("torch.autograd.gradgradcheck", "torch.autograd.gradcheck.gradgradcheck"),
        parameters=(
            "func",
            "inputs",
            "grad_outputs",
            "eps",
            "atol",
            "rtol",
            "gen_non_contig_grad_outputs",
            "raise_exception",
        ),
        keywords_from=3,
        rule="TP905",
        gone="1.10",
    ),
    # Its engine, which asks for more arguments since 1.10.
    Call(
        "torch.autograd.Variable._execution_engine.run_backward(tensors, grad_tensors,"
        " keep_graph, create_graph=..., allow_unreachable=..., accumulate_grad=..., inputs=...)",
        (
            # Until 0.2 gradients that were not volatile asked for a graph, and nothing else did.
            Form(
                "",
                {"create_graph": Given.NO},
                advice=(
                    "torch.autograd.backward({tensors}, {grad_tensors}, retain_graph={keep_graph},"
                    " create_graph=…), where a create_graph says what volatile= of the gradients"
                    " told the engine,"
                ),
            ),
            *(
                Form(
                    "torch.autograd.backward(tensors, grad_tensors, retain_graph=keep_graph,"
                    " create_graph=create_graph)",
                    {"allow_unreachable": value, "accumulate_grad": Given.NO, "inputs": Given.NO},
                )
                for value in (Given.NO, True)
            ),
        ),
        advice=(
            "autograd's engine asks for other arguments today: call torch.autograd.backward, or"
            " torch.autograd.grad for the gradients of inputs="
        ),
        claim=Numerics.RESTORED,
    ),
    Gone(
        "torch.autograd.function.traceable",
        "take the decorator off: it did nothing",
        gone="2.4",
    ),
    *(
        Name(f"torch.autograd.profiler.{n}", f"torch.autograd.profiler_util.{n}", gone="1.10")
        for n in ("FunctionEventAvg", "FormattedTimesMixin", "Kernel")
    ),
    Name("torch.autograd.profiler.range", "torch.autograd.profiler.record_function", gone="1.1"),
    Call(
        _PROFILE,
        (
            Form(_PROFILED.format(""), {"use_cuda": False}),
            Form(_PROFILED.format("use_device='cuda', "), {"use_cuda": True}),
        ),
        since="2.3",
    ),
    *all_gone(
        "torch.autograd.gradcheck",
        "iter_tensors make_jacobian istuple",
        "1.9",
        "it was private; call torch.autograd.gradcheck or torch.autograd.functional.jacobian",
    ),
    *all_gone(
        "torch.autograd.profiler",
        "build_table format_memory format_time format_time_share parse_cpu_trace"
        " parse_kineto_results",
        "1.10",
        "it was private; the results of a profile have key_averages().table()",
    ),
)
