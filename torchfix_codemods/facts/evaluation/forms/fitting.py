"""Whether a call's arguments are those of a form: each parameter with what it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from torchfix_codemods.facts.libraries.torch_table import Form, Parameter
from torchfix_codemods.facts.values import dtypes, torch_api
from torchfix_codemods.facts.values.lattice import (
    Batch,
    Foreign,
    Method,
    NoneValue,
    Nothing,
    Number,
    Sequence,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


Verdict = Literal["yes", "maybe", "no"]


@dataclass
class Given:
    """One argument: its value, and the expression where there is one."""

    value: Value
    node: ast.expr | None = None


@dataclass
class Binding:
    """The arguments of a call as one form takes them."""

    form: Form
    given: dict[str, Given] = field(default_factory=dict)
    many: dict[str, list[Given]] = field(default_factory=dict)
    """What ``*args`` take."""
    is_certain: bool = True

    def tensors(self, names: tuple[str, ...] | None = None) -> Iterator[Value]:
        """The values of the parameters that take tensors; of lists, their elements.

        Args:
            names: those that are asked for, of the parameters that must be given; all without.
        """
        for parameter in self.form.parameters:
            is_optional = parameter.default is not None
            if names is not None and parameter.name not in names and not is_optional:
                continue
            if parameter.kind in "TL" and parameter.name in self.given:
                value = self.given[parameter.name].value
                if isinstance(value, NoneValue):
                    continue
                yield value.element if isinstance(value, Sequence) else value
            for given in self.many.get(parameter.name, ()) if parameter.kind == "W" else ():
                value = given.value
                yield value.element if isinstance(value, Sequence) else value


def of_first(inference: Inference, form: Form, node: ast.Call, first: Value | None) -> Binding:
    """A form with what it is certainly given, where ``*args`` may carry anything else."""
    binding = Binding(form, is_certain=False)
    if first is None and node.args and not isinstance(node.args[0], ast.Starred):
        first = inference.value(node.args[0])
    if first is not None and form.parameters and form.parameters[0].kind in "TL":
        binding.given[form.parameters[0].name] = Given(first)
    return binding


def bind(inference: Inference, form: Form, node: ast.Call, first: Value | None) -> Binding | None:
    """The call's arguments as a form takes them; None where it certainly does not."""
    operands = [Given(inference.value(argument), argument) for argument in node.args]
    if first is not None:
        operands.insert(0, Given(first))
    keywords = {k.arg: Given(inference.value(k.value), k.value) for k in node.keywords}
    binding = Binding(form)
    for parameter in form.parameters:
        if parameter.kind in ("V", "W"):
            if not operands or (parameter.kind == "V" and _is_list(operands)):
                return None
            binding.many[parameter.name] = operands
            if not _all_fit(inference, parameter, operands, binding):
                return None
            operands = []
            continue
        if operands and not parameter.keyword_only:
            given = operands.pop(0)
        elif parameter.name in keywords:
            given = keywords.pop(parameter.name)
        elif parameter.name == "input" and "self" in keywords:
            given = keywords.pop("self")
        elif parameter.name == "dim" and "axis" in keywords:
            given = keywords.pop("axis")
        elif parameter.default is None:
            return None
        else:
            continue
        verdict = _fits(inference, parameter, given)
        if verdict == "no":
            return None
        binding.is_certain &= verdict == "yes"
        binding.given[parameter.name] = given
    if operands or not keywords.keys() <= torch_api.UNIVERSAL_KEYWORDS:
        return None
    if "out" in keywords:
        # Each form takes it, and none lists it.
        binding.given.setdefault("out", keywords["out"])
    return binding


def _is_list(operands: list[Given]) -> bool:
    return len(operands) == 1 and isinstance(operands[0].value, (Sequence, Size))


def _all_fit(
    inference: Inference, parameter: Parameter, operands: list[Given], binding: Binding
) -> bool:
    one = replace(parameter, kind="i" if parameter.kind == "V" else "T")
    verdicts = [
        "yes"
        if parameter.kind == "W" and isinstance(given.value, Sequence)
        else _fits(inference, one, given)
        for given in operands
    ]
    # Several sizes one by one are ints; a single unknown one may be a list of them.
    if len(operands) == 1:
        binding.is_certain &= verdicts[0] == "yes"
    return "no" not in verdicts


def _fits(inference: Inference, parameter: Parameter, given: Given) -> Verdict:
    """Whether an argument is of the kind that a parameter takes."""
    value, kind = given.value, parameter.kind
    if isinstance(value, (Unknown, Nothing)):
        named = given.node is not None and inference.names.name(given.node) is not None
        if kind == "d":
            known = dtype_name(inference, given)
            return "yes" if known else _unless(named)
        # The name of something of torch, as a dtype: no tensor.
        return "no" if named and kind in "TLniIZs" else "maybe"
    if isinstance(value, NoneValue):
        return "yes" if parameter.default is not None else "no"
    if isinstance(value, (Batch, Method)):
        return "maybe"
    if kind == "o":
        return "yes"
    if kind == "T":
        return _whether(isinstance(value, Tensor))
    if kind == "L":
        return "maybe" if isinstance(value, Tensor) else _whether(isinstance(value, Sequence))
    if isinstance(value, Foreign):
        return "maybe"
    if kind in ("t", "f"):
        literal = given.node.value if isinstance(given.node, ast.Constant) else None
        if literal is None:
            return "maybe" if isinstance(value, Number) else "no"
        return _whether(literal is (kind == "t"))
    if kind in ("Z", "I") and isinstance(value, (Sequence, Size)):
        return "yes"
    if kind == "s":
        return _whether(isinstance(value, Text))
    if kind in ("Z", "d"):
        return "no"
    if isinstance(value, Tensor):
        # A tensor without dimensions does as a number.
        return "maybe" if value.ndim == 0 and kind != "b" else "no"
    if not isinstance(value, Number):
        return "no"
    if kind == "n":
        return "yes"
    if value.kind is None:
        return "maybe" if kind == "b" else "yes"
    return _whether(value.kind == ("bool" if kind == "b" else "int"))


def _whether(fits: bool) -> Verdict:
    return "yes" if fits else "no"


def _unless(known: bool) -> Verdict:
    return "no" if known else "maybe"


def dtype_name(inference: Inference, given: Given) -> str | None:
    """The dtype that an argument names: ``torch.long``; None for what is no name of one."""
    name = inference.names.name(given.node) if given.node is not None else None
    return dtypes.named(name)
