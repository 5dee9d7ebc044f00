"""Constructors of tensors on the GPU that stay, in a file that runs without one."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.placement import definition_of
from torchfix_codemods.facts.tensors.constructors import given_to
from torchfix_codemods.facts.values.lattice import Array, Foreign, Sequence, Unknown
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import flag_of_device
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu
from torchfix_codemods.rules.devices.questions.gpu_types import Kind, is_type_call, used_kind
from torchfix_codemods.rules.devices.questions.named.device_names import device_at
from torchfix_codemods.rules.devices.questions.plan.switches import tests_of
from torchfix_codemods.rules.devices.questions.type_uses import FLOATING, use_of
from torchfix_codemods.rules.questions.named_lines import told_once
from torchfix_codemods.text.wording import LONGEST

_OF_VALUES = ": write torch.tensor({given}, {last}"
_OF_LIST = ": for a list or an array, write torch.tensor({given}, {last}"
_OF_SIZES = ": write torch.empty({given}, {last}"
_OF_EITHER = f"{_OF_SIZES} for sizes, torch.tensor({{given}}, {{last}} for a list or an array"


def about_left_type(call: ast.Call, facts: Facts) -> str | None:
    """What is said of ``torch.cuda.LongTensor(x)`` of an unknown x beside ``.to(device)``.

    The first of those that are written alike tells of all.

    Args:
        call: the call of a type of the GPU.
        facts: the facts of its file.
    """
    said = facts.remembered(about_left_type, lambda: _said(facts))
    return told_once(call, facts, about_left_type.__qualname__, said, said.get)


def _said(facts: Facts) -> dict[ast.AST, str]:
    """What is said of the calls that stay, with ``...`` for what several are given."""
    told: dict[str, dict[ast.Call, str]] = {}
    for call in facts.names.nodes.get(ast.Call, ()):
        kind = used_kind(call, facts) if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or kind is None or is_version_checked(facts, call):
            continue
        device = _device_beside(call, facts)
        if device is None or tests_of(call, facts) or is_meant_for_gpu(call, facts):
            continue
        if use_of(call, kind, facts) is None:
            to_write = _cast_instead if is_type_call(call) else _made_instead
            own, general = to_write(call, kind, device, facts)
            needs = _needs_gpu(call, device, facts)
            told.setdefault(needs + general, {})[call] = needs + own
    return {
        call: own if len(set(alike.values())) == 1 else general
        for general, alike in told.items()
        for call, own in alike.items()
    }


def _cast_instead(call: ast.Call, kind: Kind, device: str, facts: Facts) -> tuple[str, str]:
    """What to write for ``x.type(torch.cuda.LongTensor)``, and so for any other x."""
    assert isinstance(call.func, ast.Attribute)
    cast = f".to({device}, {kind.dtype})"
    if kind.dtype == "torch.uint8" and _says_what_is_set(call, facts):
        # It keeps the fractions apart that bool alone takes for True.
        cast += ".bool()"
    # A module has parameters of that type, and goes to it by the same words.
    is_module = kind.dtype in FLOATING and facts.is_module(call.func.value)
    of_tensor = "" if is_module else "for a tensor, "
    own = ast.unparse(ast.Attribute(call.func.value, "to")).removesuffix(".to")
    return f": {of_tensor}write {own}{cast}", f": {of_tensor}write {cast}"


def _made_instead(call: ast.Call, kind: Kind, device: str, facts: Facts) -> tuple[str, str]:
    """What to write for ``torch.cuda.LongTensor(x)``, and so for any other x; empty if unknown."""
    last = f"dtype={kind.dtype}, device={device})"
    given = ", ".join(map(ast.unparse, call.args))
    given = given if len(given) <= LONGEST else "..."
    say = _form_of(call, facts)
    return say.format(given=given, last=last), say.format(given="...", last=last)


def _form_of(call: ast.Call, facts: Facts) -> str:
    given, args = given_to(call, facts), call.args
    if given in ("list", "array"):
        return _OF_VALUES
    if given in ("sizes", "shape"):
        return _OF_SIZES
    if call.keywords or any(isinstance(each, ast.Starred) for each in args):
        is_one = len(args) == 1 and not call.keywords
        return ": of sizes, torch.empty({given}, {last} makes the same" if is_one else ""
    if len(args) != 1:
        # What holds values is given alone.
        return _OF_SIZES if args else ""
    if not isinstance(facts.value(args[0]), (Array, Foreign, Sequence, Unknown)):
        return ""
    # A size as well gets what is drawn: ``torch.cuda.FloatTensor(x).normal_()``.
    is_filled = isinstance(facts.parent(call), ast.Attribute)
    return _OF_EITHER if is_filled else _OF_LIST


def _says_what_is_set(mask: ast.expr, facts: Facts) -> bool:
    """``x[mask] = 1`` and ``x[mask, 0] = 1``, where a mask of uint8 raises."""
    around = facts.parent(mask)
    around = facts.parent(around) if isinstance(around, ast.Tuple) else around
    if not isinstance(around, ast.Subscript) or not isinstance(around.ctx, ast.Store):
        return False
    return mask in (around.slice, *getattr(around.slice, "elts", ()))


def _needs_gpu(call: ast.Call, device: str, facts: Facts) -> str:
    kind = call.args[0] if is_type_call(call) else call.func
    named = str(constant(kind)) if isinstance(kind, ast.Constant) else ast.unparse(kind)
    line = _assigned_in(kind, facts)
    if line is not None:
        named = f"{named} of line {line} ({facts.name(kind)})"
    return f"{named} needs a GPU, though {device} may be the CPU"


def _assigned_in(kind: ast.expr, facts: Facts) -> int | None:
    """The line of ``Tensor = torch.cuda.FloatTensor`` for ``Tensor``."""
    bindings = facts.flow.reaching(kind) if isinstance(kind, ast.Name) else ()
    lines = [getattr(b.node, "lineno", None) for b in bindings if b.kind == "assign"]
    return facts.origin(lines[0]) if len(bindings) == 1 and lines and lines[0] else None


def _device_beside(call: ast.Call, facts: Facts) -> str | None:
    """The name of the device by which the other lines of the file run without a GPU."""
    known = device_at(call, facts)
    if known is None or flag_of_device(definition_of(known, call, facts), facts) is None:
        return None
    return known
