"""Writes the table of what torch's operations do, from the torch that is installed.

Run from the repository root: `python -m benchmarks.torch_effects` writes it, with `--check` it says
what differs from the table that is there, and where torch's declarations and its doings disagree.

Every operation is called as for the table of results (`seen_effects`): on tensors of several
layouts and dtypes, with and without each option. What shares memory, what is written and what
backward keeps is also declared, in the files from which torch itself is generated
(`declared_effects`). Where the two disagree, what was seen wins, and a declaration that no call has
shown is kept as "in some calls".
"""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

import torchfix_codemods.facts.libraries
from benchmarks import torch_table
from benchmarks.declared_effects import declared
from benchmarks.seen_effects import COUNT, Effects, Seen, is_same, taken
from benchmarks.torch_table import Case, Form, Parameter, Prober, Spec

PATH = Path(torchfix_codemods.facts.libraries.__file__).with_name("torch_effects.csv")
HEADER = "name,takes,does,shares,writes,records,saves"

#: Calls that the table of results leaves out, or that tell more than its own.
_MATRIX = Spec(2)
_WHOLE = Spec(2, "int64")
_VECTOR = Spec(1)
_CALLS: dict[str, list[dict[str, Any]]] = {
    "torch.Tensor.to": [
        {"input": _MATRIX, "dtype": torch.float64},
        {"input": _MATRIX, "dtype": torch.float32},
        {"input": _MATRIX, "dtype": torch.int64},
        {"input": _MATRIX, "device": "cpu"},
        {"input": _MATRIX, "device": "meta"},
        {"input": _MATRIX, "other": Spec(1, "float64")},
        {"input": _MATRIX, "other": _VECTOR},
    ],
    "torch.Tensor.type": [
        {"input": _MATRIX, "dtype": torch.float64},
        {"input": _MATRIX, "dtype": torch.float32},
        {"input": _MATRIX, "dtype": torch.int64},
    ],
    "torch.Tensor.type_as": [
        {"input": _MATRIX, "other": Spec(2, "float64")},
        {"input": _MATRIX, "other": _MATRIX},
        {"input": _MATRIX, "other": _WHOLE},
    ],
    "torch.Tensor.expand_as": [
        {"input": _VECTOR, "other": _MATRIX},
        {"input": Spec(2, sizes=(4, 1)), "other": _MATRIX},
        {"input": Spec(2, sizes=(1, 4)), "other": Spec(3)},
    ],
    "torch.Tensor.tile": [{"input": _MATRIX, "dims": (2, 2)}],
    "torch.tile": [{"input": _MATRIX, "dims": (2, 2)}],
    "torch.Tensor.item": [{"input": Spec(0)}],
    "torch.Tensor.tolist": [{"input": _MATRIX}, {"input": _VECTOR}],
    "torch.Tensor.new": [{"input": _MATRIX, "sizes": 3}, {"input": _MATRIX, "data": [1.0, 2.0]}],
    "torch.Tensor.addmv": [{"input": _VECTOR, "mat": _MATRIX, "vec": _VECTOR}],
    "torch.Tensor.addmv_": [{"input": _VECTOR, "mat": _MATRIX, "vec": _VECTOR}],
    "torch.Tensor.cross": [
        {"input": Spec(2, sizes=(4, 3)), "other": Spec(2, sizes=(4, 3)), "dim": 1}
    ],
    "torch.Tensor.quantile": [{"input": _MATRIX, "q": 0.5}],
    "torch.Tensor.as_strided": [{"input": _MATRIX, "size": (2, 2), "stride": (1, 2)}],
    "torch.Tensor.resize_": [{"input": _MATRIX, "sizes": (2, 8)}],
    "torch.Tensor.resize_as_": [{"input": _MATRIX, "other": Spec(2, sizes=(2, 8))}],
    "torch.Tensor.set_": [{"input": _MATRIX, "source": Spec(1)}],
    "torch.Tensor.apply_": [{"input": _MATRIX, "callable": operator.neg}],
    "torch.Tensor.map_": [{"input": _MATRIX, "tensor": _MATRIX, "callable": operator.add}],
    "torch.Tensor.index_put": [
        {"input": _MATRIX, "indices": (Spec(1, "int64"),), "values": Spec(0)}
    ],
    "torch.Tensor.index_put_": [
        {"input": _MATRIX, "indices": (Spec(1, "int64"),), "values": Spec(0)}
    ],
    "torch.Tensor.retain_grad": [{"input": _MATRIX}],
    "torch.Tensor.register_hook": [{"input": _MATRIX, "hook": abs}],
    "torch.Tensor.share_memory_": [{"input": _MATRIX}],
    "torch.Tensor.backward": [{"input": Spec(0)}],
    "torch.Tensor.is_pinned": [{"input": _MATRIX}],
    "torch.Tensor.is_coalesced": [],
    "torch.Tensor.storage": [{"input": _MATRIX}],
    "torch.Tensor.untyped_storage": [{"input": _MATRIX}],
    "torch.Tensor.storage_offset": [{"input": _MATRIX}],
    "torch.Tensor.storage_type": [{"input": _MATRIX}],
    "torch.Tensor.stft": [],
    "torch.Tensor.unique": [{"input": _MATRIX}, {"input": _WHOLE}],
    "torch.Tensor.index": [],
    "torch.unique": [{"input": _MATRIX}, {"input": _WHOLE}],
    "torch.tensor": [{"data": [1.0, 2.0]}],
    "torch.as_tensor": [{"data": _MATRIX}],
    "torch.nn.functional.grid_sample": [
        {"input": Spec(4), "grid": Spec(4, sizes=(4, 4, 4, 2))},
    ],
    "torch.nn.functional.affine_grid": [
        {"theta": Spec(3, sizes=(2, 2, 3)), "size": (2, 3, 4, 4)},
    ],
    "torch.nn.functional.embedding_bag": [
        {"input": Spec(2, "int64"), "weight": _MATRIX},
    ],
    "torch.nn.functional.logsigmoid": [{"input": _MATRIX}, {"input": Spec(3)}],
}
for _name in ("addmv", "addmv_", "cross", "quantile", "as_strided", "index_put", "index_put_"):
    _CALLS["torch." + _name] = _CALLS["torch.Tensor." + _name]
_CALLS["torch.resize_as_"] = _CALLS["torch.Tensor.resize_as_"]

#: Attributes of a tensor, which are read and not called.
_ATTRIBUTES = (
    "T H mT mH data real shape device dtype layout ndim is_cuda is_cpu is_leaf is_sparse "
    "is_quantized is_meta requires_grad grad grad_fn itemsize nbytes name output_nr volatile"
).split()

#: Functions that end the process where they are given what does not fit.
_CRASHING = frozenset({"torch.ctc_loss", "torch.nn.functional.ctc_loss"})


def main() -> int:
    """Write the table, or with ``--check`` say what differs from it."""
    text = as_text(make_table())
    print(
        f"{text.count(chr(10)) - 1} rows of {COUNT.forms} forms, {COUNT.calls} calls; declared are"
        f" {COUNT.declared} forms, with {len(COUNT.contradictions)} contradictions",
        file=sys.stderr,
    )
    if "--check" not in sys.argv:
        PATH.write_text(text, "utf-8")
        return 0
    for line in COUNT.contradictions:
        print("?", line)
    lines, old = text.splitlines(), PATH.read_text("utf-8").splitlines()
    for line in sorted(set(lines) ^ set(old)):
        print("+" if line in lines else "-", line)
    return int(lines != old)


def as_text(rows: dict[str, list[tuple[str, Effects]]]) -> str:
    """The table as the text of its file."""
    lines = [HEADER]
    for name in sorted(rows):
        twin = name.replace("torch.Tensor.", "torch.", 1)
        if twin != name and twin in rows and _without_out(rows[twin]) == rows[name]:
            lines.append(f"{name},= {twin}")
            continue
        lines += [",".join([name, takes, *effects.cells()]) for takes, effects in rows[name]]
    return "\n".join(lines) + "\n"


def _without_out(rows: list[tuple[str, Effects]]) -> list[tuple[str, Effects]]:
    """The rows of a function as its method has them: only the function takes ``out=``."""
    return _merged([(takes, _for("torch.Tensor.", effects)) for takes, effects in rows])


def make_table(
    names: Callable[[str], bool] = lambda name: True,
) -> dict[str, list[tuple[str, Effects]]]:
    """The rows of all callables whose name is wanted."""
    found: dict[str, list[tuple[str, Effects]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, takes, effects in _everything(names):
            found.setdefault(name, []).append((takes, effects))
    return {name: _merged(rows) for name, rows in found.items()}


def _merged(rows: list[tuple[str, Effects]]) -> list[tuple[str, Effects]]:
    """Rows of the same effects are one; one row alone needs not say what it takes."""
    by_effects: dict[Effects, list[str]] = {}
    for takes, effects in rows:
        by_effects.setdefault(effects, []).append(takes)
    if len(by_effects) == 1:
        return [("", next(iter(by_effects)))]
    return [(" | ".join(dict.fromkeys(takes)), effects) for effects, takes in by_effects.items()]


def _everything(names: Callable[[str], bool]) -> Iterator[tuple[str, str, Effects]]:
    known: dict[Any, Effects | None] = {}
    for name, function, forms in torch_table._callables():
        bare = name.rpartition(".")[2]
        if not names(name) or name in _CALLS or torch_table._NOT_CALLED.search(bare):
            continue
        if name in _CRASHING:
            continue
        for form in forms:
            key = name.rpartition(".")[0].replace("torch.Tensor", "torch"), bare, form
            if key not in known:
                known[key] = _by_form(name, function, form)
            effects = known[key]
            if effects is not None:
                yield name, taken(form), _for(name, effects)
    for name, cases in _CALLS.items():
        if names(name):
            function = functools.reduce(getattr, name.split(".")[1:], torch)
            for _, alike in itertools.groupby(cases, key=list):
                calls = [Case(case) for case in alike]
                form = tuple(
                    Parameter(n, "T" if isinstance(v, Spec) else "o", None, False)
                    for n, v in calls[0].values.items()
                )
                effects = Seen(name, function, form, calls).effects()
                yield name, taken(form), declared(name, form, effects)
    for bare in _ATTRIBUTES:
        if names(f"torch.Tensor.{bare}"):
            form = (Parameter("input", "T", None, False),)
            get = functools.partial(_attribute, bare)
            cases_ = [Case({"input": Spec(rank)}) for rank in (2, 1)]
            yield f"torch.Tensor.{bare}", "", Seen(bare, get, form, cases_).effects()
    yield from _layers(names)


def _attribute(name: str, tensor: torch.Tensor) -> Any:
    return getattr(tensor, name)


def _for(name: str, effects: Effects) -> Effects:
    """Methods take no ``out=``."""
    if name.startswith("torch.Tensor."):
        return replace(effects, writes=effects.writes - {"out"})
    return effects


def _by_form(name: str, function: Any, form: Form) -> Effects | None:
    torch.manual_seed(0)
    prober = Prober(name, function, form)
    runs = prober._first_calls()
    if not runs:
        return None
    near = sorted(runs, key=lambda run: torch_table._distance(run[0]))
    cases = [case for case, _ in [*near[:3], *torch_table._spread(runs, 4)[:4]]]
    return declared(name, form, Seen(name, function, form, cases).effects())


def _layers(names: Callable[[str], bool]) -> Iterator[tuple[str, str, Effects]]:
    for bare in sorted(dir(nn)):
        cls, name = getattr(nn, bare), f"torch.nn.{bare}"
        if not (inspect.isclass(cls) and issubclass(cls, nn.Module) and names(name)):
            continue
        made = None if bare in torch_table._UNCALLED_LAYERS else torch_table._layer(bare, cls)
        if made is None:
            continue
        layer, form = made
        seen = [_of_layer(name, layer.train(mode), form) for mode in (True, False)]
        both = [effects for effects in seen if effects is not None]
        if not both:
            continue
        if "inplace" in inspect.signature(cls.__init__).parameters:
            layer.inplace = True
            written = _of_layer(name, layer.train(), form)
            if written is not None and "input" in written.writes:
                both[0] = replace(
                    both[0],
                    writes=both[0].writes | {"input?inplace"},
                    shares=both[0].shares | {"=input?inplace"},
                )
        effects = functools.reduce(_either, both)
        if any(True for _ in layer.parameters()):
            effects = replace(effects, records=effects.records | {"parameters"})
        yield name, "", effects


def _of_layer(name: str, layer: Any, form: Form) -> Effects | None:
    runs = Prober(name, layer, form)._first_calls()
    if not runs:
        return None
    cases = [case for case, _ in torch_table._spread(runs, 4)]
    effects = Seen(name, layer, form, cases).effects()
    before = [buffer.clone() for buffer in layer.buffers()]
    Seen(name, layer, form, cases)._run(cases[0], "")
    if any(not is_same(a, b) for a, b in zip(before, layer.buffers(), strict=True)):
        effects = replace(effects, writes=effects.writes | {"buffers?training"})
    return effects


def _either(left: Effects, right: Effects) -> Effects:
    """What a layer does that does the one in training and the other in evaluation."""
    sometimes = {token + ("" if "?" in token else "?") for token in left.shares ^ right.shares}
    return Effects(
        (left.does & right.does) | ((left.does | right.does) & {"samples", "mixes"}),
        (left.shares & right.shares) | sometimes,
        left.writes | right.writes,
        left.records | right.records,
        left.saves | right.saves,
    )


if __name__ == "__main__":
    sys.exit(main())
