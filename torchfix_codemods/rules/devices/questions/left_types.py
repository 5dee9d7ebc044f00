"""Constructors of tensors on the GPU that stay, in a file that runs without one."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.placement import definition_of
from torchfix_codemods.facts.values.lattice import Foreign, Unknown
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import flag_of_device
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu
from torchfix_codemods.rules.devices.questions.gpu_types import Kind, is_type_call
from torchfix_codemods.rules.devices.questions.named.device_names import device_at
from torchfix_codemods.rules.devices.questions.plan.switches import tests_of
from torchfix_codemods.rules.devices.questions.type_uses import FLOATING
from torchfix_codemods.text.wording import LONGEST


def about_left_type(call: ast.Call, kind: Kind, facts: Facts) -> str | None:
    """What is said of ``torch.cuda.LongTensor(x)`` of an unknown x beside ``.to(device)``.

    Args:
        call: the call of a type of the GPU.
        kind: the type.
        facts: the facts of its file.
    """
    device = _device_beside(call, facts)
    if device is None or tests_of(call, facts) or is_meant_for_gpu(call, facts):
        return None
    if is_type_call(call):
        assert isinstance(call.func, ast.Attribute)
        cast = ast.Attribute(call.func.value, "to")
        instead = f"{ast.unparse(cast)}({device}, {kind.dtype})"
        if kind.dtype == "torch.uint8" and _says_what_is_set(call, facts):
            # It keeps the fractions apart that bool alone takes for True.
            instead += ".bool()"
        # A module has parameters of that type, and goes to it by the same words.
        is_module = kind.dtype in FLOATING and facts.is_module(call.func.value)
        of_tensor = "" if is_module else "for a tensor, "
        return f"{_needs_gpu(call.args[0], device)}: {of_tensor}write {instead}"
    text = _needs_gpu(call.func, device)
    if len(call.args) == 1 and isinstance(call.args[0], ast.Starred) and not call.keywords:
        sizes = ast.unparse(call.args[0])
        instead = f"torch.empty({sizes}, dtype={kind.dtype}, device={device})"
        return f"{text}: of sizes, {instead} makes the same" if len(sizes) <= LONGEST else text
    given = call.args[0] if len(call.args) == 1 and not is_opaque(call) else None
    is_filled = isinstance(facts.parent(call), ast.Attribute)
    if given is None or is_filled or not isinstance(facts.value(given), (Foreign, Unknown)):
        return text
    written = ast.unparse(given)
    values = written if len(written) <= LONGEST else "..."
    instead = f"torch.tensor({values}, dtype={kind.dtype}, device={device})"
    return f"{text}: for a list or an array, write {instead}"


def _says_what_is_set(mask: ast.expr, facts: Facts) -> bool:
    """``x[mask] = 1`` and ``x[mask, 0] = 1``, where a mask of uint8 raises."""
    around = facts.parent(mask)
    around = facts.parent(around) if isinstance(around, ast.Tuple) else around
    if not isinstance(around, ast.Subscript) or not isinstance(around.ctx, ast.Store):
        return False
    return mask in (around.slice, *getattr(around.slice, "elts", ()))


def _needs_gpu(kind: ast.expr, device: str) -> str:
    named = constant(kind) if isinstance(kind, ast.Constant) else ast.unparse(kind)
    return f"{named} needs a GPU, though {device} may be the CPU"


def _device_beside(call: ast.Call, facts: Facts) -> str | None:
    """The name of the device by which the other lines of the file run without a GPU."""
    known = device_at(call, facts)
    if known is None or flag_of_device(definition_of(known, call, facts), facts) is None:
        return None
    return known
