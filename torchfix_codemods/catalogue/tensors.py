"""Functions of torch that take their arguments in another way."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given, Gone, Name, Value

_NAMED = "torch has no named tensors any more: permute or unflatten by numbers"
_DTYPES = "torch.testing._internal.common_dtype has it, but only for torch's own tests"
_OF_TESTS = """
    all_types all_types_and all_types_and_complex all_types_and_complex_and all_types_and_half
    complex_types double_types empty_types floating_and_complex_types
    floating_and_complex_types_and floating_types floating_types_and floating_types_and_half
    get_all_complex_dtypes get_all_dtypes get_all_fp_dtypes get_all_int_dtypes get_all_math_dtypes
    integral_types integral_types_and
""".split()


def _out_of_method(signature: str) -> Call:
    """The row of a function that as a method of tensors took ``out=`` as well."""
    function, _, takes = signature.removesuffix(")").partition("(")
    by_place, _, named = takes.partition(", *, ")
    name = named.removesuffix("=...")
    given = f"{by_place}, {name}={name}" if named else by_place
    return Call(
        f"Tensor.{function}({takes}{'' if named else ', *'}, out)",
        (Form(f"torch.{function}({given}, out=out)"),),
        is_method=True,
        gone="0.4",
        still=True,
    )


ROWS = (
    # A number did for a flag until torch 0.3.
    Call(
        "torch.nn.Parameter(data, requires_grad=True)",
        (
            Form("torch.nn.Parameter(data)", {"requires_grad": 1}),
            Form("torch.nn.Parameter(data, requires_grad=False)", {"requires_grad": 0}),
        ),
        gone="0.4",
        still=True,
        raises=True,
    ),
    # The name of torch.tensor in previews of 0.4.
    Call(
        "torch.autograd.variable(data, dtype=..., device=..., requires_grad=...)",
        (Form("torch.tensor(...)"),),
        since="0.4",
        gone="1.12",
        raises=True,
        source="https://github.com/pytorch/pytorch/pull/5419",
    ),
    Arguments(
        ("torch.autograd.gradcheck", "torch.autograd.gradcheck.gradcheck"),
        parameters=("func", "inputs", "eps", "atol", "rtol", "raise_exception"),
        keywords_from=2,
        rule="TP905",
        gone="1.10",
    ),
    Call(
        "torch.unique(input, sorted=..., return_inverse=..., place=...)",
        (
            Form(
                "torch.unique(input, sorted, return_inverse, dim=place)",
                {"place": Given.INTEGER},
                method="input.unique(sorted, return_inverse, dim=place)",
            ),
        ),
        method=True,
        rule="TP905",
        gone="1.1",
    ),
    Call(
        "torch.cat(tensors, dim=...)",
        (
            Form("torch.stack(...)", {"tensors": Given.SCALARS}),
            Form(
                "",
                {"tensors": Given.VECTORS, "dim": 1},
                advice="vectors have no dim 1, and torch.stack(..., 1) makes columns of them",
            ),
            Form(
                "",
                {"tensors": Given.TENSOR},
                advice="it takes no tensor, but a list or tuple of tensors: tuple({tensors}) holds"
                " the parts along dim 0",
            ),
        ),
        gone="0.4",
        still=True,
    ),
    _out_of_method("abs(self)"),
    _out_of_method("ceil(self)"),
    _out_of_method("exp(self)"),
    _out_of_method("floor(self)"),
    _out_of_method("log(self)"),
    _out_of_method("neg(self)"),
    _out_of_method("round(self)"),
    _out_of_method("sigmoid(self)"),
    _out_of_method("sign(self)"),
    _out_of_method("sqrt(self)"),
    _out_of_method("tanh(self)"),
    _out_of_method("div(self, other)"),
    _out_of_method("mm(self, other)"),
    _out_of_method("mul(self, other)"),
    _out_of_method("pow(self, other)"),
    _out_of_method("add(self, other, *, alpha=...)"),
    _out_of_method("sub(self, other, *, alpha=...)"),
    _out_of_method("clamp(self, min)"),
    _out_of_method("clamp(self, min, max)"),
    _out_of_method("clamp(self, *, max)"),
    _out_of_method("gather(self, dim, index)"),
    _out_of_method("index_select(self, dim, index)"),
    _out_of_method("masked_select(self, mask)"),
    Call(
        "Tensor.topk(self, k, dim=..., largest=..., sorted=..., *, out)",
        (Form("torch.topk(self, k, dim=dim, largest=largest, sorted=sorted, out=out)"),),
        is_method=True,
        gone="0.4",
        still=True,
    ),
    Call(
        "Tensor.conv_tbc(self, weight, bias, pad=...)",
        (Form("torch.conv_tbc(self, weight, bias, pad)"),),
        is_method=True,
        is_distinct=True,
        gone="1.0",
        still=True,
    ),
    Call(
        "torch.unsqueeze(input, dim, *, out=...)",
        (Form("", {"out": Given.YES}, advice="use what it returns"),),
        gone="0.4",
        still=True,
    ),
    Call(
        "torch.dot(input, tensor)",
        (
            Form("torch.dot(input.flatten(), tensor.flatten())", {"input": Given.NO_VECTOR}),
            Form("torch.dot(input.flatten(), tensor.flatten())", {"tensor": Given.NO_VECTOR}),
        ),
        method=True,
        gone="0.4",
        still=True,
    ),
    Call(
        "Tensor._sparse_mask(self, mask)",
        (Form("self.sparse_mask(mask)"),),
        is_method=True,
        is_distinct=True,
        gone="1.0",
    ),
    Call(
        "Tensor.new_tensor(self, data)",
        (Form("data.detach().to(self, copy=True)", {"data": Given.MADE}),),
        is_method=True,
        warns=True,
    ),
    # The name stands for something else today. Lists, which have it too, are annotated as tensors.
    Call(
        "Tensor.index(self, indices)",
        (Form("self[indices]", {"indices": Given.TENSOR}),),
        is_method=True,
        gone="1.0",
        still=True,
    ),
    Call(
        "Tensor.storage(self)",
        (Form("self.untyped_storage().data_ptr", part="data_ptr"),),
        parts=("data_ptr",),
        is_method=True,
        since="2.0",
        warns=True,
    ),
    *(
        Call(f"Tensor.{name}(self, *names)", (), is_method=True, gone="2.13", advice=_NAMED)
        for name in ("align_as", "align_to", "refine_names", "rename", "rename_")
    ),
    Gone("torch.align_tensors", _NAMED, gone="2.13"),
    Arguments(("torch.cat",), renames={"dimension": "dim"}, gone="0.4"),
    *(
        Call(
            f"torch.{function}({first}, dim=...)",
            (Form(f"torch.{function}({first}, dim=dim)", {named: Given.NAMED}),),
            rule="TP902",
            gone="0.4",
        )
        for function, first, named in (
            ("stack", "sequence", "sequence"),
            ("split", "tensor, split_size", "split_size"),
        )
    ),
    Arguments(
        ("torch.chunk", "Tensor.chunk"),
        renames={"num_chunks": "chunks", "n_chunks": "chunks"},
        gone="0.4",
    ),
    Arguments(("torch.use_deterministic_algorithms",), renames={"d": "mode"}, gone="1.9"),
    Call(
        "torch.typename(o)",
        (Form("torch.typename(o)", {"o": Given.NAMED}),),
        rule="TP902",
        gone="2.1",
    ),
    Name("torch.set_deterministic", "torch.use_deterministic_algorithms", since="1.8", gone="1.10"),
    Name(
        "torch.is_deterministic",
        "torch.are_deterministic_algorithms_enabled",
        since="1.8",
        gone="1.10",
    ),
    Name("torch.Tensor.masked_copy_", "torch.Tensor.masked_scatter_", method=True, gone="0.4"),
    Name("torch.tensor.Tensor", "torch.Tensor", gone="1.9"),
    *(
        Name(f"{module}._TensorBase", "torch.Tensor", gone="0.4")
        for module in ("torch", "torch.tensor")
    ),
    *(
        Name(f"torch.functional.{name}", f"torch.{name}", gone=gone)
        for name, gone in {
            "argmax": "1.1",
            "argmin": "1.1",
            "argsort": "1.1",
            "isfinite": "1.4",
            "isinf": "1.5",
            "isnan": "1.1",
        }.items()
    ),
    *(
        Name(f"torch.testing.{name}", f"torch.{name}", gone="2.0")
        for name in ("rand", "randn", "rand_like", "randn_like")
    ),
    *(Gone(f"torch.testing.{name}", _DTYPES, gone="2.0") for name in _OF_TESTS),
    Gone(
        "torch.testing.get_all_device_types",
        "['cpu', 'cuda'] where torch.cuda.is_available(), else ['cpu']",
        gone="2.0",
    ),
    Gone(
        "torch.testing.make_non_contiguous",
        "torch.stack([x, x], -1)[..., 0] has the numbers of x and is not contiguous",
        gone="2.0",
    ),
    Gone(
        "torch.testing.is_integral", "not (dtype.is_floating_point or dtype.is_complex)", gone="1.9"
    ),
    Gone(
        "torch.testing.assert_equal",
        "torch.testing.assert_close(a, b, rtol=0, atol=0)",
        gone="1.10",
    ),
    Gone("torch.pin_memory", "tensors have the method pin_memory()", gone="1.3"),
    Gone(
        "torch.quantize_linear_per_channel",
        "torch.quantize_per_channel takes one number as its axis",
        gone="1.3",
    ),
    Name("torch.Assert", "torch._assert", since="1.8", gone="1.8"),
    Name("torch.nested_tensor", "torch.nested.nested_tensor", since="1.13", gone="1.13"),
    Value("torch.has_cuda", "torch.backends.cuda.is_built()", since="1.6", warns=True),
    Value("torch.has_cudnn", "torch.backends.cudnn.is_available()", warns=True),
    Value("torch.has_mkldnn", "torch.backends.mkldnn.is_available()", since="1.3", warns=True),
    Value("torch.has_mps", "torch.backends.mps.is_built()", since="1.12", warns=True),
)
