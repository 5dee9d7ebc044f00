"""`.cuda()` runs on machines with a GPU only; `.to(device)` runs everywhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, keyword_argument, with_argument_added
from torchfix_codemods.edit.devices import definition_of_device
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.spelling import imports_torch
from torchfix_codemods.facts.values.lattice import Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.devices.questions.cuda_flags import flag_of_module, guards_of
from torchfix_codemods.rules.devices.questions.default_moves import (
    first_without_device,
    moves_without_device,
)
from torchfix_codemods.rules.devices.questions.device_advice import (
    below_choice,
    made_by_hand,
    written_by_hand,
)
from torchfix_codemods.rules.devices.questions.device_at_hand import device_at_hand
from torchfix_codemods.rules.devices.questions.device_names import free_name, runs_after
from torchfix_codemods.rules.devices.questions.gpu.early_imports import (
    chosen_elsewhere,
    is_asked_too_early,
    place_for_device,
)
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import (
    choice_of_gpu,
    choices_of_gpu,
    chooser_after_import,
)
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu
from torchfix_codemods.rules.devices.questions.gpu.raw_memory import hands_on_memory
from torchfix_codemods.rules.devices.questions.gpu_moves import asks_for_place, moved_value
from torchfix_codemods.rules.devices.questions.known_moves import half_known, is_movable, is_move
from torchfix_codemods.rules.devices.questions.written_places import needs_gpu_anyway

#: Factories whose values do not depend on the device they run on.
_SAME_ON_EVERY_DEVICE = frozenset(
    f"torch.{name}" for name in ("zeros", "ones", "empty", "full", "eye", "arange")
)


class HardCodedCuda(Rule):
    """
    ## What it does
    Replaces `x.cuda()` by `x.to(device)` on tensors and modules. A `torch.device` that the file has
    is used; else the file gets one line that defines it: from the flag that guards its `.cuda()`
    calls (`args.cuda`, `use_cuda`), where there is just one, else from
    `torch.cuda.is_available()`. In the methods of a module, a new tensor follows the tensor that
    the method was given.

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
    `.cuda(0)` and `.cuda(gpu)` name a device and stay. So does what follows another thing to the
    GPU, `if y.is_cuda:`, unless y is certainly a tensor: then it becomes `.to(y.device)`. So do
    receivers that are not certainly tensors or modules (reported, unless the code around it speaks
    of the GPU, as `if use_cuda:` does) and what moves in the same statement, or above and below
    `y.cuda()` that is one, the code of a function or method `cuda`, classes with a `cuda` or a `to`
    method of their own, and modules in which no name for the device is free. A new tensor follows
    no parameter in a method that moves its parameters itself, nor one that has to stay on the CPU
    (the lengths of a packed sequence). Where processes are forked that use the GPU, nothing asks
    whether there is CUDA before they start, nor does a file that is imported before a program sets
    CUDA_VISIBLE_DEVICES: a finding says where a device can be made, once in a file. Nothing is said
    in a file that hands the memory of what it moves (`x.data_ptr()`) to kernels of its own, which
    run on a GPU only, nor beside `torch.ones(3, device="cuda:0")` or `net.to("cuda")` in the same
    function or at the module level, which need a GPU all the same.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("Writing device-agnostic code")
    - https://pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
    """

    code = "TP201"
    name = "hard-coded-cuda"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"cuda"})
    message = ".cuda() needs a GPU; .to(device) runs everywhere"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if not is_move(call, facts) or hands_on_memory(facts):
            return
        if needs_gpu_anyway(call, facts) and device_at_hand(call, facts) is None:
            return
        assert isinstance(call.func, ast.Attribute)
        if is_movable(call, facts):
            if facts.statement(call) not in half_known(facts):
                yield from self._place(call, facts)
        elif isinstance(moved_value(call, facts), Unknown):
            yield from self._left(call, facts, written_by_hand(call, call.func.value, facts))

    def _place(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        known = device_at_hand(call, facts)
        if known is not None:
            inside = known.is_of_neighbour and _is_plain_factory(call, facts)
            yield self.found(call, device=known.text, inside=inside)
            return
        if any(asks_for_place(test, facts) for test in guards_of(call, facts)):
            # Under ``if next(net.parameters()).is_cuda:`` it runs everywhere as it is.
            return
        name = free_name(facts)
        spelling = spell(facts, "torch.device", facts.tree)
        if name is None or spelling is None or not imports_torch(facts):
            yield from self._without_torch(call, facts)
            return
        flag = flag_of_module(facts) or choice_of_gpu(spelling.text, facts)
        if is_asked_too_early(flag, facts):
            told, advice = place_for_device(moves_without_device(facts), flag, facts)
            if call is told:
                yield from self._left(call, facts, advice)
        elif flag is None or flag.after is None or runs_after(call, flag.after, facts):
            definition = definition_of_device(name, spelling.text, flag)
            needs = [*spelling.needs, definition]
            yield self.found(call, device=name, inside=False, needs=needs)
        elif facts.parent(flag.after) is facts.tree:
            line = facts.origin(flag.after.end_lineno or flag.after.lineno)
            yield from self._left(
                call, facts, f"write .to(...) with a device that is made below line {line}"
            )
        elif call is first_without_device(facts):
            # Said once: all others need the same device.
            yield from self._left(call, facts, below_choice(flag.after, facts))

    def _without_torch(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """Where the file itself does not import torch, or no name for a device is free."""
        choices, chooser = choices_of_gpu(facts), chooser_after_import(facts)
        if not choices and chooser is None:
            name = free_name(facts) or "..."
            made = made_by_hand(name, call, facts)
            yield from self._left(call, facts, f"write .to({name}), with {made}")
        elif call is first_without_device(facts):
            elsewhere = "" if chooser is None else chosen_elsewhere(chooser)
            advice = below_choice(choices[-1], facts) if choices else elsewhere
            yield from self._left(call, facts, advice)

    def _left(self, call: ast.Call, facts: Facts, advice: str) -> Iterator[Found]:
        if not is_meant_for_gpu(call, facts):
            yield self.advice(call, f".cuda() needs a GPU: {advice}")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if not isinstance(updated.func, cst.Attribute):
            return updated
        device = cst.parse_expression(self.data["device"])
        factory = updated.func.value
        if self.data["inside"] and isinstance(factory, cst.Call):
            return _with_device(factory, device)
        flags = [arg for arg in updated.args if arg.keyword is not None]
        first = cst.Arg(device)
        if flags:
            first = cst.Arg(device, comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        return updated.with_changes(
            func=updated.func.with_changes(attr=cst.Name("to")), args=[first, *flags]
        )


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
