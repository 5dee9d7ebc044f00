"""`.cuda()` runs on machines with a GPU only; `.to(device)` runs everywhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, keyword_argument, with_argument_added
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.devices.questions.gpu.shared_on_cpu import (
    is_copy_meant,
    is_written_leaf,
)
from torchfix_codemods.rules.devices.questions.gpu_moves import asks_by_moving
from torchfix_codemods.rules.devices.questions.plan.device_plan import device_plan
from torchfix_codemods.rules.devices.questions.plan.left_moves import is_told

#: Factories whose values do not depend on the device they run on.
_SAME_ON_EVERY_DEVICE = frozenset(
    f"torch.{name}" for name in ("zeros", "ones", "empty", "full", "eye", "arange")
)

_NO_COPY = "on a CPU, .cpu() copies nothing, and what is written into it would be changed as well"
_NO_COPY_OF_LEAF = (
    ".cuda() needs a GPU, and .to(device) runs everywhere; on a CPU that copies nothing, and a leaf"
    " that requires grad refuses to be written into"
)


class HardCodedCuda(Rule):
    """
    ## What it does
    Replaces `x.cuda()` by `x.to(device)` on tensors and modules: all of a file, or none. A
    `torch.device` that the file has is used, unless it is another one (`torch.device("cpu")`), and
    without a switch that of a file that it imports (`config.device`) where it certainly is the GPU
    or else the CPU, and nothing sets it again; else one line defines it, from the program's own
    switch: the flag that guards the `.cuda()` calls (`args.cuda`, `use_cuda`), where the module
    level sets it, or in each function that is given it or sets it itself, or in the `__init__` that
    keeps it (`self.device`); where there is none, from `torch.cuda.is_available()`, also in the
    function or the `__main__` block by which a file of modules tries itself. In the methods
    of a module, a new tensor follows the tensor that the method was given, and so does what goes to
    its weights, where no device has to be defined for something else. `torch.zeros(2).cuda()`
    becomes `torch.zeros(2, device=device)`, as does what is moved on the line below. `out.cpu()`
    is out itself on a CPU: it becomes `out.cpu().clone()` where it is changed and out read later.
    A leaf that requires grad is copied as well (`.to(device).clone()`) where it is written into.

    ## Why
    `.cuda()` fails on a machine without a GPU, and the `if cuda:` in front of every line is easily
    forgotten once. With one `device`, the same code runs on both.

    ## Example
    ```python
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    ...
    if args.cuda:
        model.cuda()
    ```
    becomes (together with TP202)
    ```python
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    device = torch.device("cuda" if args.cuda else "cpu")
    ...
    model.to(device)
    ```

    ## Numbers
    Identical on the same device: `.to("cuda")` copies just as `.cuda()` does.

    ## When it stays its hand
    Where one `.cuda()` of a file has to stay, all of them do, and so do those of a class whose base
    in another file keeps its own. `.cuda(0)` and `.cuda(gpu)` name a device and stay. So does what
    stands under `with torch.cuda.device(gpu):`, which needs a GPU all the same, unless a switch of
    the program's own guards it. So does what follows another thing to the GPU, `if y.is_cuda:`,
    unless y is certainly a tensor: then it becomes `.to(y.device)`. So do receivers that are not
    certainly tensors or modules (reported, unless the code around it speaks of the GPU, as `if
    use_cuda:` does), unless `net.cuda()` and `x = x.cuda()` stand by themselves beside others that
    are, the code of a function or method `cuda`, classes with a `cuda` or a `to` method of their
    own, and modules in which no name for the device is free. So does what stands under a test that
    TP202 could not take away: of more than moves, of several flags, of a flag that no line of the
    file sets for certain or that another file sets after it imports this one (`models.use_cuda =
    True`), or of one that each call of a function chooses while what moves was given by the call as
    well; and what moves without a test in a file that has a flag for something else (`if
    args.gpu:`), which the device would ignore. Where a file moves by a function of the project that
    does nothing else (`to_gpu(x)`), no second way is made beside it, nor for a single move where
    `import utils` brings it along. A new tensor follows no
    parameter in a method that moves its parameters itself, nor one that has to stay on the CPU (the
    lengths of a packed sequence). Where processes are forked that use the GPU, nothing asks whether
    there is CUDA before they start, nor does a file that is imported before a program sets
    CUDA_VISIBLE_DEVICES. What stays is told once in a file or a notebook, with the lines. What to
    write is only told where it fits all of them: a device that has a name there, that of the tensor
    which a new one is calculated with, or one made by the program's own switch, which has a value
    there, is no constant and is not set by another file, in a file that speaks of no other device
    (`opt.gpu_id`, `x.device`, `set_device`, CUDA_VISIBLE_DEVICES). Nothing is said in a file that
    hands the memory of what it moves (`x.data_ptr()`) to kernels of its own, which run on a GPU
    only, nor beside `torch.ones(3, device="cuda:0")` or `net.to("cuda")` in the same function or at
    the module level, which need a GPU all the same, nor beside `cast(filters,
    torch.cuda.FloatTensor)`, also in the `__init__` of the object. Nor is anything said where the
    module level, or the function with what it calls, uses what only a GPU has
    (`torch.cuda.synchronize()`, cupy, `batch_size * torch.cuda.device_count()`), or the function
    makes a tensor by its type (`x.type(torch.cuda.ByteTensor)`), nor in the methods of an object
    that cannot be made without a GPU, nor in a file that compiles kernels (by pynvrtc), or imports
    those of the project that were built for CUDA, by `CUDAExtension(…)`, too. Where nothing can be
    proposed, the line is named by which the program asks whether to use a GPU (`if use_cuda:`), in
    this file, where its flag can be read by what moves (in the same class or function, or at the
    module level), or in a file that imports it for what moves, and moves nothing without asking;
    not a flag that is left on (`use_cuda = True`). Where none does, nothing is told, nor of the
    rest of a file with such a function that moves as well. No device that asks whether there is
    CUDA is made where the module level fails without a GPU, as `torch.cuda.set_device(0)` does and
    `torch.set_default_tensor_type("torch.cuda.FloatTensor")`, nor in a file that calls kernels for
    CUDA (`corr.corr_cuda_forward(x, y)`) under no test for it, or imports them or a file that does.
    `if net.cuda():` moves the net and is always true: what it is meant to ask is told.
    The one move of a file stays in a guard that does more: `if use_cuda: net.cuda(); print(1)`.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("Writing device-agnostic code")
    - https://pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
    """

    code = "TP201"
    name = "hard-coded-cuda"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"cpu", "cuda"})
    message = ".cuda() needs a GPU; .to(device) runs everywhere"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if asks_by_moving(call, facts):
            assert isinstance(call.func, ast.Attribute)
            module = facts.segment(call.func.value)
            yield self.advice(
                call,
                f"{module}.cuda() moves {module} to a GPU, and is always true: to ask where it is, "
                f"write next({module}.parameters()).is_cuda",
            )
            return
        plan = device_plan(facts)
        if plan is not None and plan.runs_anywhere and is_copy_meant(call, plan.devices, facts):
            yield self.found(call, _NO_COPY, group="all", clones=True)
            return
        device = None if plan is None else plan.devices.get(call)
        if plan is not None and device is not None:
            inside = device.is_of_neighbour and _is_plain_factory(call, facts)
            is_leaf = plan.runs_anywhere and is_written_leaf(call, facts)
            yield self.found(
                call,
                _NO_COPY_OF_LEAF if is_leaf else None,
                group="all",
                copied=is_leaf,
                device=device.text,
                inside=inside,
                needs=plan.needs_of(call),
                otherwise=plan.otherwise(call, facts),
            )
        # Asked first: why nothing is told of a move is part of what is explained.
        elif plan is not None and is_told(call, facts) and call in plan.said:
            yield self.advice(call, plan.said[call])

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if not isinstance(updated.func, cst.Attribute):
            return updated
        if "clones" in self.data:
            return cst.Call(cst.Attribute(updated, cst.Name("clone")))
        device = cst.parse_expression(self.data["device"])
        factory = updated.func.value
        if self.data["inside"] and isinstance(factory, cst.Call):
            return _with_device(factory, device)
        flags = [arg for arg in updated.args if arg.keyword is not None]
        first = cst.Arg(device)
        if flags:
            first = cst.Arg(device, comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        # A line that ended between empty brackets would put the device on one of its own.
        space = updated.whitespace_before_args if updated.args else cst.SimpleWhitespace("")
        moved = updated.with_changes(
            func=updated.func.with_changes(attr=cst.Name("to")),
            args=[first, *flags],
            whitespace_before_args=space,
        )
        return cst.Call(cst.Attribute(moved, cst.Name("clone"))) if self.data["copied"] else moved


def _is_plain_factory(call: ast.Call, facts: Facts) -> bool:
    assert isinstance(call.func, ast.Attribute)
    factory = call.func.value
    return (
        isinstance(factory, ast.Call)
        and facts.name(factory.func) in _SAME_ON_EVERY_DEVICE
        and not is_opaque(factory)
        and not any(k.arg == "device" for k in factory.keywords)
        and not call.keywords
    )


def _with_device(factory: cst.Call, device: cst.BaseExpression) -> cst.Call:
    if index_of_keyword(factory, "device") is not None:
        return factory
    return with_argument_added(factory, keyword_argument("device", device))
