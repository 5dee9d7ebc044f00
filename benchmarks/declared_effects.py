"""What torch declares of its operations, held against what they were seen to do.

The wheel of torch brings along the files from which torch itself is generated: with every
operation, `native_functions.yaml` declares what shares memory and what is written, and
`derivatives.yaml` what backward reads.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import torchgen
from torchgen.gen import parse_native_yaml
from torchgen.model import NativeFunction, Variant
from torchgen.packaged.autograd.load_derivatives import load_derivatives

from benchmarks.seen_effects import COUNT, Effects, taken
from benchmarks.torch_table import Form, Parameter


@functools.cache
def _natives() -> dict[tuple[str, str], list[tuple[NativeFunction, Any]]]:
    """Torch's declarations, with the derivatives, by owner (``torch.Tensor``) and name."""
    packaged = Path(torchgen.__file__).with_name("packaged")
    native = str(packaged / "ATen/native/native_functions.yaml")
    tags = str(packaged / "ATen/native/tags.yaml")
    derivatives, _ = load_derivatives(str(packaged / "autograd/derivatives.yaml"), native, tags)
    found: dict[tuple[str, str], list[tuple[NativeFunction, Any]]] = {}
    for function in parse_native_yaml(native, tags).native_functions:
        name = str(function.func.name.name)
        if function.func.is_out_fn() or "generated" in function.tags:
            continue
        info = derivatives.get(function.func, {}).get("Default")
        module = function.python_module
        owner = (
            "torch.nn.functional" if module == "nn" else f"torch.{module}" if module else "torch"
        )
        bare = name.removeprefix(f"{module}_") if module else name
        if Variant.function in function.variants:
            found.setdefault((owner, bare), []).append((function, info))
        if Variant.method in function.variants:
            found.setdefault(("torch.Tensor", bare), []).append((function, info))
    return found


def declared(name: str, form: Form, effects: Effects) -> Effects:
    """The effects with what is declared and was not seen; notes where the two disagree."""
    owner, _, bare = name.rpartition(".")
    required = [p for p in form if p.default is None]
    own = form[0].name if form and form[0].kind == "T" else "input"
    declarations = _natives().get((owner, bare), [])
    fitting = [(f, info) for f, info in declarations if _fits(f, required)]
    if not fitting:
        return effects
    function, info = fitting[0]
    COUNT.declared += 1
    shares, writes = set(effects.shares), set(effects.writes)
    for argument in function.func.arguments.flat_all:
        note = argument.annotation
        parameter = own if argument.name == "self" else argument.name
        seen = {token.strip("=").partition("?")[0] for token in shares}
        if note is None or not note.alias_set:
            if parameter in seen and not any(w.startswith(parameter + "?") for w in writes):
                _note(name, form, f"shares {parameter}, undeclared")
            continue
        if note.is_write and parameter not in {w.partition("?")[0] for w in writes}:
            _note(name, form, f"writes {parameter}, not seen")
            writes.add(parameter + "?")
        is_returned = any(
            r.annotation is not None and set(r.annotation.alias_set) & set(note.alias_set)
            for r in function.func.returns
        )
        if is_returned and parameter not in seen:
            _note(name, form, f"shares {parameter}, not seen")
            shares.add(parameter + "?")
    for written in {w.partition("?")[0] for w in writes} - {"out"}:
        declared = {
            own if argument.name == "self" else argument.name
            for argument in function.func.arguments.flat_all
            if argument.annotation is not None and argument.annotation.is_write
        }
        if written not in declared:
            _note(name, form, f"writes {written}, undeclared")
    if "pointwise" in function.tags and not effects.does & {"elementwise", "samples"}:
        _note(name, form, "pointwise, not seen")
    if "reduction" in function.tags and "reduces" not in effects.does:
        _note(name, form, "reduction, not seen")
    if info is not None and effects.records:
        _compare_saved(name, form, info, effects)
    return replace(effects, shares=frozenset(shares), writes=frozenset(writes))


def _compare_saved(name: str, form: Form, info: Any, effects: Effects) -> None:
    declared = set()
    for attribute in info.all_saved_inputs:
        if "Tensor" in str(attribute.nctype.type) and attribute.expr == attribute.nctype.name:
            declared.add(str(attribute.nctype.name).replace("self", "input"))
    if info.all_saved_outputs:
        declared.add("result")
    seen = {"result" if s.startswith("result") else s for s in effects.saves}
    for missing in sorted(declared - seen):
        _note(name, form, f"saves {missing}, not seen")
    for surplus in sorted(seen - declared):
        _note(name, form, f"saves {surplus}, undeclared")


def _fits(function: NativeFunction, required: list[Parameter]) -> bool:
    arguments = [a for a in function.func.arguments.flat_non_out if a.default is None]
    names = ["input" if a.name == "self" else a.name for a in arguments]
    if [p.name for p in required] != names and len(names) != len(required):
        return False
    for parameter, argument in zip(required, arguments, strict=False):
        kind = str(argument.type)
        if (parameter.kind == "T") != kind.startswith("Tensor") or kind.endswith("[]") != (
            parameter.kind in "LWZVI" and kind.endswith("[]")
        ):
            if not (kind in ("Tensor[]", "ITensorListRef") and parameter.kind in "LW"):
                return False
    return len(names) == len(required)


def _note(name: str, form: Form, text: str) -> None:
    COUNT.contradictions.append(f"{name}({taken(form)}): {text}")
