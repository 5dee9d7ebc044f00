"""Writes the table of what torch's callables return, from the torch that is installed.

Run from the repository root: `python -m benchmarks.torch_table` writes it, with `--check` it says
what differs from the table that is there.

The forms of a call are read from torch's own stubs. What a form returns is found by calling it on
small tensors: of several numbers of dimensions, dtypes and layouts, with sizes above one and of
one, with and without each option, under another default dtype and under autocast. A formula goes
into the table only where every call agrees with it.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import json
import math
import random
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

import torchfix_codemods.facts.libraries

PATH = Path(torchfix_codemods.facts.libraries.__file__).with_name("torch_table.json")

#: What every factory accepts, and what has no influence on the table.
_UNIVERSAL = frozenset(
    "out layout device pin_memory requires_grad generator memory_format names".split()
)

_KINDS = {
    "Tensor": "T",
    "tuple[Tensor, ...] | list[Tensor]": "L",
    "list[Tensor] | tuple[Tensor, ...]": "L",
    "list[Tensor]": "L",
    "Sequence[Tensor]": "L",
    "Number | _complex": "n",
    "Number": "n",
    "_float": "n",
    "float": "n",
    "_int": "i",
    "int": "i",
    "_int | SymInt": "i",
    "_bool": "b",
    "bool": "b",
    "Literal[True]": "t",
    "Literal[False]": "f",
    "_int | _size": "I",
    "_size | int": "I",
    "_int | SymInt | Sequence[_int | SymInt]": "I",
    "int | Sequence[int]": "I",
    "_size_any_t": "I",
    "_size_1_t": "I",
    "_size_2_t": "I",
    "_size_3_t": "I",
    "_size_2_opt_t": "I",
    "_size_3_opt_t": "I",
    "_size": "Z",
    "Sequence[_int | SymInt]": "Z",
    "Sequence[int]": "Z",
    "list[int]": "Z",
    "list[int] | tuple[int, ...]": "Z",
    "_dtype": "d",
    "str": "s",
}

#: Either a tensor or a number: two forms.
_EITHER = re.compile(r"^Tensor \| (Number|_int|_float|float|_complex)")

#: Functions written in Python whose stubs say nothing of their parameters.
_SIGNATURES = {
    "torch.norm": ["input:T,p:n=2,dim:I=None,keepdim:b=False"],
    "torch.split": [
        "tensor:T,split_size_or_sections:i,dim:i=0",
        "tensor:T,split_size_or_sections:Z,dim:i=0",
    ],
    "torch.cdist": ["x1:T,x2:T,p:n=2"],
    "torch.meshgrid": ["tensors:W"],
    "torch.broadcast_tensors": ["tensors:W"],
    "torch.cartesian_prod": ["tensors:W"],
    "torch.block_diag": ["tensors:W"],
    "torch.chain_matmul": ["matrices:W"],
    "torch.atleast_1d": ["tensors:T"],
    "torch.atleast_2d": ["tensors:T"],
    "torch.atleast_3d": ["tensors:T"],
    "torch.stft": ["input:T,n_fft:i,hop_length:i=None;return_complex:t"],
    "torch.tensordot": ["a:T,b:T,dims:o=2"],
    "torch.unique": [
        "input:T,sorted:b=True",
        "input:T,sorted:b=True;dim:i",
    ],
    "torch.from_numpy": ["ndarray:o"],
    "torch.Tensor.stft": ["input:T,n_fft:i,hop_length:i=None;return_complex:t"],
    "torch.nn.functional.pad": ["input:T,pad:Z,mode:s='constant',value:n=0"],
    "torch.nn.functional.one_hot": ["input:T,num_classes:i=-1"],
    "torch.nn.functional.interpolate": [
        "input:T,size:I,scale_factor:n=None,mode:s='nearest',align_corners:b=None",
        "input:T,size:o=None,scale_factor:n,mode:s='nearest',align_corners:b=None",
    ],
    "torch.nn.functional.upsample": [
        "input:T,size:I,scale_factor:n=None,mode:s='nearest',align_corners:b=None",
        "input:T,size:o=None,scale_factor:n,mode:s='nearest',align_corners:b=None",
    ],
    "torch.nn.functional.upsample_nearest": [
        "input:T,size:I",
        "input:T,size:o=None,scale_factor:n",
    ],
    "torch.nn.functional.upsample_bilinear": [
        "input:T,size:I",
        "input:T,size:o=None,scale_factor:n",
    ],
    "torch.Tensor.size": ["input:T", "input:T,dim:i"],
}
_SIGNATURES["torch.clamp"] = [
    "input:T,min:n,max:n=None",
    "input:T;max:n",
    "input:T,min:T,max:T=None",
    "input:T;max:T",
]
_SIGNATURES["torch.clamp_"] = _SIGNATURES["torch.clip"] = _SIGNATURES["torch.clamp"]
_SIGNATURES["torch.clip_"] = _SIGNATURES["torch.clamp"]
for _name in ("norm", "split", "unique", "clamp", "clamp_", "clip", "clip_"):
    _SIGNATURES["torch.Tensor." + _name] = _SIGNATURES["torch." + _name]

#: Old forms that still work and that the stubs leave out.
_OLD_FORMS = {
    "add": "input:T,alpha:n,other:T",
    "sub": "input:T,alpha:n,other:T",
    "addcmul": "input:T,value:n,tensor1:T,tensor2:T",
    "addcdiv": "input:T,value:n,tensor1:T,tensor2:T",
    "addmm": "beta:n,input:T,alpha:n,mat1:T,mat2:T",
    "addr": "beta:n,input:T,alpha:n,vec1:T,vec2:T",
    "addbmm": "beta:n,input:T,alpha:n,batch1:T,batch2:T",
    "baddbmm": "beta:n,input:T,alpha:n,batch1:T,batch2:T",
}

#: Not called: internals of back ends, and what changes the state of the process.
_NOT_CALLED = re.compile(
    r"_(cuda|cudnn|mkldnn|miopen|fbgemm|xnnpack)|^(cudnn|miopen|fbgemm|mkldnn|quantize|fused|fake_q"
    r"|choose_q|batch_norm_(gather|back|elemt|stats)|q_|dequantize|hspmm|sspaddmm|saddmm|sparse_"
    r"|_|import_ir|init_|fork|set_|save|load|seed|manual|lobpcg|to_dlpack|from_dlpack|from_file"
    r"|from_num|frombuffer|scaled_mm|scaled_grouped|grouped_mm|compile|cond$|while_loop|vmap"
    r"|histogramdd|resize|share_memory|apply|map|module_load|register|storage|untyped|backward"
    r"|data_ptr|const_data|record_stream|pin_memory|cuda|xpu|ipu|mtia|cpu$|is_pinned|retain|set"
    r"|as_subclass|unsafe_|to_padded|ccol|col_ind|row_ind|crow|values|indices|coalesce"
    r"|is_coalesced|nested|segment|empty_q|quant|q$|int_repr|rnn_|lstm|gru|cholesky_inv|reinforce"
    r"|matrix_rank|eig$|solve$|symeig|lstsq|asarray|sym_|is_storage|typename|linear_cross_entropy"
    r"|native_|sparse|embedding_bag|convolution|tensor$|as_tensor|new$|to$|type$|use_|index$|binomial|as_strided|empty_strided|new_empty_strided|kaiser)"
)

_INTEGERS = ("uint8", "int32", "int64")
_FLOATS = ("float16", "float32", "float64")
_DTYPES = (*_FLOATS, *_INTEGERS, "bool")
_LAYOUTS = ("swapped", "reversed", "every second", "expanded", "offset", "last")
_PROBED = ("contiguous", *_LAYOUTS)
_MOVED = frozenset({"swapped", "reversed", "last"})
_SIZE = 4

#: Puts its input in order, and lies as its weight does.
_FOLLOWS_WEIGHT = re.compile(r"conv(_transpose)?1d$")

#: Contiguous on CPUs, laid out as the input on other devices.
_KEEPS_LAYOUT_ELSEWHERE = re.compile(r"(?i)^(batch_?norm(\dd)?|log_?sigmoid|rrelu)$")

#: Expands what is smaller than the others; here all are of one size.
_EXPANDS = frozenset({"broadcast_tensors"})

#: Ints that name a dimension.
_IS_DIM = re.compile(r"dim|axis|axes|source|destination")
_IS_INDEX = re.compile(r"^(ind|target|label|repeats|tensor_ind|offsets|sections)")
_IS_MASK = re.compile(r"mask|condition")

#: What an option is refused without: corners are aligned where more than the nearest is looked at.
_BESIDE: dict[str, dict[str, Any]] = {"align_corners": {"mode": "bilinear"}}

#: Sizes that are not the usual ones.
_SHAPES = {
    (f"conv{kind}{n}d", "weight"): (4, 4, *[2] * n)
    for kind in ("", "_transpose")
    for n in (1, 2, 3)
} | {
    ("conv_tbc", "weight"): (2, 4, 4),
    ("linear", "weight"): (4, 4),
    ("pixel_shuffle", "input"): (4, 16, 4, 4),
    ("PixelShuffle", "input"): (4, 16, 4, 4),
}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a form, as the stubs have it."""

    name: str
    kind: str
    default: str | None
    keyword_only: bool

    def text(self, changes: str) -> str:
        default = "" if self.default is None else "=" + self.default
        return f"{self.name}:{self.kind}{default}{'~' + changes if changes else ''}"


Form = tuple[Parameter, ...]


@dataclass(frozen=True)
class Spec:
    """A tensor to be made."""

    rank: int
    dtype: str = "float32"
    layout: str = "contiguous"
    sizes: tuple[int, ...] = ()
    requires_grad: bool = False


@dataclass(frozen=True)
class Case:
    """One call: a value for each parameter that is given."""

    values: dict[str, Any]

    def tensors(self) -> dict[str, Spec]:
        found = {}
        for name, value in self.values.items():
            if isinstance(value, Spec):
                found[name] = value
            elif isinstance(value, tuple) and value and isinstance(value[0], Spec):
                found[name] = value[0]
        return found

    def with_tensors(self, change: Callable[[str, Spec], Spec]) -> Case:
        return Case(
            {
                name: change(name, value)
                if isinstance(value, Spec)
                else tuple(change(name, v) for v in value)
                if isinstance(value, tuple) and value and isinstance(value[0], Spec)
                else value
                for name, value in self.values.items()
            }
        )


@dataclass(frozen=True)
class Output:
    """What is recorded of one tensor that came out."""

    ndim: int
    dtype: str
    contiguous: bool
    tells_layout: bool
    """All sizes are above one."""
    single: bool
    requires_grad: bool
    shares: bool
    same: bool


@dataclass(frozen=True)
class Outcome:
    """What came out of one call."""

    word: str
    outputs: tuple[Output, ...] = ()


@dataclass
class Runs:
    """The calls of one form that worked."""

    ranks: list[tuple[Case, Outcome]] = field(default_factory=list)
    dtypes: list[tuple[Case, Outcome]] = field(default_factory=list)
    layouts: list[tuple[Case, Outcome]] = field(default_factory=list)
    ones: list[tuple[Case, Outcome]] = field(default_factory=list)
    graphs: list[tuple[Case, Outcome]] = field(default_factory=list)
    doubles: list[tuple[Case, Outcome]] = field(default_factory=list)
    autocast: list[tuple[Case, Outcome]] = field(default_factory=list)

    def all(self) -> list[tuple[Case, Outcome]]:
        return [*self.ranks, *self.dtypes, *self.layouts, *self.ones, *self.graphs]


def main() -> int:
    """Write the table, or with ``--check`` say what differs from it."""
    table = make_table()
    text = as_text(table)
    if "--check" not in sys.argv:
        PATH.write_text(text, "utf-8")
        return 0
    lines, old = text.splitlines(), PATH.read_text("utf-8").splitlines()
    for line in sorted(set(lines) ^ set(old)):
        print("+" if line in lines else "-", line)
    return int(lines != old)


def as_text(table: dict[str, str]) -> str:
    """The table as the text of its file: one line per callable, sorted."""
    return json.dumps(table, indent=0, sort_keys=True, ensure_ascii=False) + "\n"


def make_table(names: Callable[[str], bool] = lambda name: True) -> dict[str, str]:
    """The lines of all callables whose name is wanted."""
    table: dict[str, str] = {}
    known: dict[Any, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            for name, function, forms in _callables():
                if names(name):
                    line = _line(name, function, forms, known)
                    if line:
                        table[name] = line
            for name, line in _modules(names):
                table[name] = line
            for name, line in (*_methods_of_modules(), *_classes()):
                if names(name):
                    table[name] = line
        finally:
            torch.set_num_threads(threads)
    for name, line in table.items():
        twin = name.replace("torch.Tensor.", "torch.", 1)
        if twin != name and table.get(twin) == line and len(line) > len(twin) + 2:
            table[name] = "= " + twin
    return table


# What there is


def _callables() -> Iterator[tuple[str, Any, list[Form]]]:
    stubs = Path(torch.__file__).parent
    functions = _stub_functions(stubs / "_C/_VariableFunctions.pyi", "")
    for name in sorted(set(functions) | _own_names(torch)):
        function = getattr(torch, name, None)
        if callable(function) and not name.startswith("_"):
            yield _described(f"torch.{name}", function, functions.get(name, []), function)
    methods = _stub_functions(stubs / "_C/__init__.pyi", "TensorBase")
    for name in sorted(set(methods) | set(dir(torch.Tensor))):
        function = getattr(torch.Tensor, name, None)
        if not name.startswith("_") and callable(function) and not isinstance(function, type):
            yield _described(f"torch.Tensor.{name}", function, methods.get(name, []), function)
    functions = _stub_functions(stubs / "nn/functional.pyi", "")
    functions = _stub_functions(stubs / "_C/_nn.pyi", "") | functions
    shared = _stub_functions(stubs / "_C/_VariableFunctions.pyi", "")
    for name in sorted(_own_names(nn.functional) | set(functions)):
        function = getattr(nn.functional, name, None)
        if not callable(function) or name.startswith("_") or inspect.isclass(function):
            continue
        if getattr(function, "__module__", None) in ("typing", "torch.overrides"):
            continue
        forms = functions.get(name) or shared.get(name, [])
        yield _described(f"torch.nn.functional.{name}", function, forms, function)
    for package in (torch.special, torch.linalg, torch.fft):
        for name in sorted(_own_names(package)):
            function = getattr(package, name)
            if inspect.isbuiltin(function):
                short = package.__name__.rpartition(".")[2]
                forms = [_by_schema(schema) for schema in _schemas().get(f"{short}_{name}", [])]
                yield f"{package.__name__}.{name}", function, _tidy(f for f in forms if f)


def _own_names(package: Any) -> set[str]:
    names = getattr(package, "__all__", None) or dir(package)
    return {
        name
        for name in {*names, *(dir(package) if package is nn.functional else ())}
        if not name.startswith("_")
        and callable(getattr(package, name, None))
        and not inspect.isclass(getattr(package, name))
        and not inspect.ismodule(getattr(package, name))
        and (getattr(getattr(package, name), "__module__", "") or "torch").startswith("torch")
    }


def _described(
    name: str, function: Any, forms: list[Form], own: Any
) -> tuple[str, Any, list[Form]]:
    bare = name.rpartition(".")[2]
    if name in _SIGNATURES:
        forms = [_read_form(text) for text in _SIGNATURES[name]]
    elif not forms:
        try:
            forms = [f] if (f := _by_signature(inspect.signature(own))) is not None else []
        except (TypeError, ValueError):
            forms = []
    if bare.rstrip("_") in _OLD_FORMS and not name.startswith("torch.nn"):
        forms = [*forms, _read_form(_OLD_FORMS[bare.rstrip("_")])]
        if name.startswith("torch.Tensor."):
            forms[-1] = tuple(sorted(forms[-1], key=lambda p: p.name != "input"))
    return name, function, _tidy(forms)


def _tidy(forms: Iterable[Form]) -> list[Form]:
    """Forms without repetitions; a method's own tensor is called ``input`` as a function's is."""
    seen: dict[Form, None] = {}
    for form in forms:
        form = tuple(replace(p, name="input") if p.name == "self" else p for p in form)
        optional = [p for p in form if p.name in ("dim", "axis") and p.default in ("None", "()")]
        if optional and optional[0].kind in "iIZ":
            # With and without it are two things.
            seen.setdefault(tuple(p for p in form if p.name not in ("dim", "axis", "keepdim")))
            form = tuple(replace(p, default=None) if p in optional else p for p in form)
        seen.setdefault(form)
    return list(seen)


@functools.cache
def _stub_functions(path: Path, owner: str) -> dict[str, list[Form]]:
    body: list[ast.stmt] = ast.parse(path.read_text("utf-8")).body
    if owner:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == owner)
    found: dict[str, list[Form]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found.setdefault(node.name, []).extend(_by_stub(node, bool(owner)))
    return found


def _by_stub(node: ast.FunctionDef, is_method: bool) -> list[Form]:
    """The forms of one stub; none where it wants what no legacy program gives."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    given = list(zip(positional, [*defaults, *arguments.defaults], strict=True))
    star = [(arguments.vararg, None)] if arguments.vararg else []
    keyword = list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    choices: list[list[Parameter]] = []
    for index, (argument, default) in enumerate([*given, *star, *keyword]):
        assert argument is not None
        name, written = argument.arg, default is not None
        if name in _UNIVERSAL:
            if not written and name not in ("generator", "names"):
                return []
            if not written:
                return []
            continue
        note = ast.unparse(argument.annotation) if argument.annotation else ""
        is_self = is_method and index == 0
        value = None if default is None else ast.unparse(default)
        choices.append(
            [
                Parameter(name, kind, value, argument not in positional)
                for kind in (
                    ["T"]
                    if is_self or (name == "input" and note in ("", "Any"))
                    else _kinds(note, argument is arguments.vararg)
                )
            ]
        )
    forms = [form for form in itertools.product(*choices) if is_method or _has_meaning(form)]
    return [
        tuple(replace(p, keyword_only=p.keyword_only and p.kind not in "VW") for p in f)
        for f in forms
    ]


def _has_meaning(form: Form) -> bool:
    either = [p for p in form if p.name in ("input", "other")]
    return not (len(either) == 2 and all(p.kind == "n" for p in either))


def _kinds(note: str, starred: bool) -> list[str]:
    note = note.removesuffix(" | None").removeprefix("None | ")
    if starred:
        return ["W" if note == "Tensor" else "V"]
    if _EITHER.search(note):
        return ["T", "n"]
    return [_KINDS.get(note, "o")]


def _by_signature(signature: inspect.Signature) -> Form | None:
    """A form by the signature of a Python function."""
    form = []
    for parameter in signature.parameters.values():
        if parameter.name in _UNIVERSAL or parameter.name in ("_stacklevel", "kwargs"):
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            return None
        note = str(parameter.annotation)
        note = re.sub(r"torch\.|typing\.|<class '|'>", "", note)
        if note.startswith("Optional["):
            note = note[9:-1]
        note = re.sub(r"^BroadcastingList\d\[int\]$", "_size", note)
        note = note.removesuffix(" | None")
        default = None if parameter.default is parameter.empty else repr(parameter.default)
        kind = "T" if parameter.name in ("self", "input", "tensor") else _KINDS.get(note, "o")
        keyword_only = parameter.kind is parameter.KEYWORD_ONLY
        form.append(Parameter(parameter.name, kind, default, keyword_only))
    return tuple(form)


@functools.cache
def _schemas() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.startswith("aten::") and "out" not in schema.overload_name:
            found.setdefault(schema.name[6:], []).append(schema)
    return found


def _by_schema(schema: Any) -> Form | None:
    kinds = {
        "Tensor": "T",
        "number": "n",
        "int": "i",
        "bool": "b",
        "List[int]": "I",
        "str": "s",
        "float": "n",
        "List[Tensor]": "L",
    }
    form = []
    for argument in schema.arguments:
        note = str(argument.type)
        inner = note[9:-1] if note.startswith("Optional[") else note
        has_default = argument.has_default_value()
        name = "dtype" if argument.name == "dtype" else argument.name
        if name in _UNIVERSAL:
            continue
        kind = "d" if name == "dtype" else kinds.get(inner, "o")
        default = repr(argument.default_value) if has_default else None
        form.append(Parameter(name, kind, default, argument.kwarg_only))
    return tuple(form) if form and form[0].kind == "T" else None


def _read_form(text: str) -> Form:
    positional, _, keywords = text.partition(";")
    form = []
    for group, keyword_only in ((positional, False), (keywords, True)):
        for part in filter(None, group.split(",")):
            part, has_default, default = part.partition("=")
            name, _, kind = part.partition(":")
            form.append(Parameter(name, kind, default if has_default else None, keyword_only))
    return tuple(form)


# Calls


def _line(name: str, function: Any, forms: list[Form], known: dict[Any, str]) -> str:
    bare = name.rpartition(".")[2]
    if _NOT_CALLED.search(bare):
        return ""
    lines = []
    package = name.rpartition(".")[0].replace("torch.Tensor", "torch")
    for form in forms:
        # A function and the method of its name are one.
        key = package, bare, form
        if key not in known:
            known[key] = Prober(name, function, form).line()
        line = known[key]
        if line and line not in lines:
            lines.append(line)
    return " | ".join(lines)


class Prober:
    """Calls one form in many ways and finds what holds of all its results."""

    def __init__(self, name: str, function: Any, form: Form) -> None:
        self.name = name
        self.bare = name.rpartition(".")[2]
        self.function = function
        self.form = form
        self.writes = self.bare.endswith("_")
        self.runs = Runs()
        self.shares = False

    def line(self) -> str:
        """The text of the form, or nothing where no call worked."""
        torch.manual_seed(0)
        self.runs.ranks = self._first_calls()
        if not self.runs.ranks:
            return ""
        self._vary()
        words = {outcome.word for _, outcome in self.runs.all()}
        many = len(words) > 1 or any(p.kind == "W" for p in self.form)
        words = {re.sub(r"^tuple\d+$", "list", w) if many else w for w in words}
        if len(words) != 1:
            return ""
        word = words.pop()
        if word == "list":
            self._merge_lists()
        count = len(self.runs.ranks[0][1].outputs)
        left = self._parameters(word)
        results = [self._result(index) for index in range(count)]
        if word == "tensor":
            return f"{left} > {results[0]}"
        if word == "list":
            return f"{left} > [{results[0]}]" if results else ""
        if word.startswith("tuple"):
            return f"{left} > ({', '.join(results)})"
        return f"{left} > {word}"

    def _merge_lists(self) -> None:
        for runs in vars(self.runs).values():
            runs[:] = [
                (
                    case,
                    Outcome(
                        "list", (min(o.outputs, key=lambda o: o.contiguous or not o.tells_layout),)
                    ),
                )
                for case, o in runs
                if o.outputs
            ]

    def _parameters(self, word: str) -> str:
        positional, keywords = [], []
        for parameter in self.form:
            changes = self._changes(parameter, word) if parameter.default is not None else ""
            (keywords if parameter.keyword_only else positional).append(parameter.text(changes))
        return ",".join(positional) + (";" + ",".join(keywords) if keywords else "")

    # Which calls

    def _first_calls(self) -> list[tuple[Case, Outcome]]:
        required = [p for p in self.form if p.default is None]
        tensors = [p for p in required if p.kind in "TLW"]
        worked: list[tuple[Case, Outcome]] = []
        for dtypes in self._dtype_choices(tensors):
            for ranks in self._rank_choices(len(tensors)):
                specs = [
                    self._spec(p, rank, dtype)
                    for p, rank, dtype in zip(tensors, ranks, dtypes, strict=True)
                ]
                chosen = dict(zip([p.name for p in tensors], specs, strict=True))
                others = [p for p in required if p.kind not in "TLW"]
                candidates = [_candidates(p, ranks[0] if ranks else 2) for p in others]
                found = 0
                for values in _mixed(candidates):
                    given = dict(zip([p.name for p in others], values, strict=True))
                    case = Case({p.name: (chosen | given)[p.name] for p in required})
                    outcome = self._call(case)
                    if outcome is not None:
                        worked.append((case, outcome))
                        found += 1
                    if found == 8:
                        break
            if worked:
                return worked
        return []

    def _spec(self, parameter: Parameter, rank: int, dtype: str) -> Any:
        sizes = _SHAPES.get((self.bare, parameter.name), ())
        if parameter.name == "input":
            sizes = sizes[-rank:] if rank else ()
        spec = Spec(len(sizes) or rank, dtype, sizes=sizes)
        return spec if parameter.kind == "T" else (spec, spec)

    def _dtype_choices(self, tensors: list[Parameter]) -> list[tuple[str, ...]]:
        if not tensors:
            return [()]
        first = tuple(
            "int64"
            if _IS_INDEX.search(p.name)
            else "bool"
            if _IS_MASK.search(p.name)
            else "float32"
            for p in tensors
        )
        rest = itertools.product(("float32", "int64", "bool"), repeat=min(len(tensors), 3))
        return [first, *(r + ("float32",) * (len(tensors) - len(r)) for r in rest if r != first)]

    def _rank_choices(self, count: int) -> list[tuple[int, ...]]:
        if count == 0:
            return [()]
        if count == 1:
            return [(rank,) for rank in range(6)]
        if count == 2:
            return [
                *itertools.product(range(4), repeat=2),
                *((4, r) for r in range(5)),
                (5, 5),
                (3, 4),
                (2, 4),
                (5, 1),
                (1, 5),
                (5, 4),
            ]
        equal = [(r,) * count for r in range(6)]
        if count > 3:
            return [*equal, *((r, *(1,) * (count - 1)) for r in range(2, 6))]
        near = [
            ranks
            for r in range(2, 5)
            for ranks in (
                *((r - 1, r, r), (r, r - 1, r), (r, r, r - 1)),
                *((r, 1, 1), (1, r, r), (0, r, r)),
            )
        ]
        return [*equal, *near, (2, 2, 3), (3, 3, 1), (1, 1, 3), (2, 2, 0), (3, 1, 3), (2, 0, 0)]

    def _vary(self) -> None:
        runs = self.runs
        base = runs.ranks
        for case, _ in _spread(base, 30):
            for ones in ("all", "first", "last"):
                self._try(runs.ones, case.with_tensors(lambda n, s, o=ones: _with_ones(s, o)))
        by_rank = sorted(base, key=lambda run: _distance(run[0]))
        for case, _ in by_rank[:2]:
            names = list(case.tensors())
            if len(names) <= 2:
                choices = list(itertools.product(_DTYPES, repeat=len(names)))
            else:
                choices = [(dtype,) * len(names) for dtype in _DTYPES]
                for index, dtype in itertools.product(range(len(names)), ("float64", "int64")):
                    given = [spec.dtype for spec in case.tensors().values()]
                    choices.append((*given[:index], dtype, *given[index + 1 :]))
                choices += [(given[0], *(d,) * (len(names) - 1)) for d in _DTYPES]
            for dtypes in choices:
                chosen = dict(zip(names, dtypes, strict=True))
                changed = case.with_tensors(lambda n, s, c=chosen: replace(s, dtype=c[n]))
                self._try(runs.dtypes, changed)
                if "float32" in dtypes or not dtypes:
                    self._try_doubled(changed)
        for rank in range(1, 6):
            fitting = [c for c, _ in base if _highest(c) == rank]
            for case in fitting[:4]:
                self._vary_layouts(case)
        for case, _ in by_rank[:3]:
            graph = case.with_tensors(lambda n, s: replace(s, requires_grad=s.dtype in _FLOATS))
            self._try(runs.graphs, graph)
            for name in case.tensors() if len(case.tensors()) > 1 else ():
                self._try(
                    runs.graphs,
                    case.with_tensors(
                        lambda n, s, m=name: replace(s, requires_grad=n == m and s.dtype in _FLOATS)
                    ),
                )
        for case, _ in by_rank[:2]:
            with torch.autocast("cpu", torch.bfloat16):
                self._try(runs.autocast, case)

    def _try_doubled(self, case: Case) -> None:
        torch.set_default_dtype(torch.float64)
        try:
            self._try(self.runs.doubles, case)
        finally:
            torch.set_default_dtype(torch.float32)

    def _vary_layouts(self, case: Case) -> None:
        names = list(case.tensors())
        for layout in _PROBED:
            changed = case.with_tensors(lambda n, s, at=layout: replace(s, layout=at))
            self._try(self.runs.layouts, changed)
            if len(names) > 1 and layout != "contiguous":
                for name in names:
                    only = case.with_tensors(
                        lambda n, s, at=layout, m=name: replace(s, layout=at) if n == m else s
                    )
                    self._try(self.runs.layouts, only)

    def _try(self, runs: list[tuple[Case, Outcome]], case: Case) -> None:
        outcome = self._call(case)
        if outcome is not None:
            runs.append((case, outcome))

    def _call(self, case: Case, option: str = "") -> Outcome | None:
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        gap = False
        made: list[torch.Tensor] = []
        for parameter in self.form:
            if parameter.name not in case.values:
                gap = True
                continue
            value = _build(case.values[parameter.name], made, self.writes)
            if parameter.kind in "VW":
                positional += value
            elif gap or parameter.keyword_only or parameter.name == option:
                keywords[parameter.name] = value
            else:
                positional.append(value)
        try:
            result = self.function(*positional, **keywords)
            return _outcome(result, made)
        except Exception:
            return None

    # What holds of all of them

    def _result(self, index: int) -> str:
        flags = list(self._flags(index))
        layout = self._layout(index)
        if layout in "cm" and _KEEPS_LAYOUT_ELSEWHERE.search(self.bare):
            layout = "="
        if layout == "c" and any(flag[0] == "u" for flag in flags):
            # Other devices follow channels_last here, as most of these functions do.
            layout = "m"
        if self.bare in _EXPANDS:
            layout = "?"
        return " ".join([self._ndim(index), self._dtype(index), layout, *flags])

    @functools.cache  # noqa: B019
    def _ndim(self, index: int) -> str:
        seen = [*self.runs.ranks, *self.runs.ones]
        for text, formula in self._ndim_formulas():
            if all(formula(case) == outcome.outputs[index].ndim for case, outcome in seen):
                return text
        return "?"

    def _ndim_formulas(self) -> Iterator[tuple[str, Callable[[Case], int | None]]]:
        tensors = [p.name for p in self.form if p.kind in "TLW"]
        required = [p for p in self.form if p.default is None]
        sizes = [p.name for p in required if p.kind in "ZV"]
        dims = [p for p in required if p.kind in "iIZ" and _IS_DIM.search(p.name)]
        # Of functions of any number of tensors, only calls with two are tried.
        is_fixed = all(p.kind != "W" for p in self.form)
        constants = [(str(k), lambda case, k=k: k) for k in range(6) if is_fixed]
        counts = [(f"#{n}", lambda case, n=n: _count(case.values[n])) for n in sizes]
        same = [(n, lambda case, n=n: _rank(case, n)) for n in tensors]
        if self.bare in ("view_as", "reshape_as"):
            # Only what has as many elements is accepted, and so of other sizes but rarely.
            same.reverse()
        yield from constants
        yield from same
        if len(tensors) > 1:
            yield "^", lambda case: max(s.rank for s in case.tensors().values())
            yield "@", _product_rank
            yield "^-1", lambda case: max(s.rank for s in case.tensors().values()) - 1
        yield from counts
        for name in tensors:
            for step in (1, -1):
                yield (
                    f"{name}{step:+d}",
                    lambda case, n=name, k=step: None if (r := _rank(case, n)) is None else r + k,
                )
        for name in tensors:
            for dim in dims:
                yield f"{name}-{dim.name}", lambda case, n=name, d=dim.name: _reduced(case, n, d)

    @functools.cache  # noqa: B019
    def _dtype(self, index: int) -> str:
        seen = [*self.runs.dtypes, *self.runs.ranks]
        for _, outcome in self.runs.autocast:
            if outcome.outputs[index].dtype == "bfloat16":
                return "?"
        doubled = {o.outputs[index].dtype for _, o in self.runs.doubles}
        for text, formula in self._dtype_formulas():
            if all(formula(case) == outcome.outputs[index].dtype for case, outcome in seen):
                if text == "float32" and "float64" in doubled:
                    text = "default"
                return text
        return "?"

    def _dtype_formulas(self) -> Iterator[tuple[str, Callable[[Case], str | None]]]:
        tensors = [p.name for p in self.form if p.kind in "TLW"]
        inputs = {tuple(s.dtype for s in c.tensors().values()) for c, _ in self.runs.dtypes}
        constants = [
            (dtype, lambda case, d=dtype: d)
            for dtype in ("int64", "bool", "float32", "float64", "int32", "uint8", "complex64")
        ]
        if len(inputs) > 1 or not tensors:
            yield from constants
        for parameter in self.form:
            if parameter.kind == "d" and parameter.default is None:
                yield (
                    parameter.name,
                    lambda case, n=parameter.name: str(case.values[n]).removeprefix("torch."),
                )
        for name in tensors:
            yield name, lambda case, n=name: _given_dtype(case, n)
        numbers = [p for p in self.form if p.kind == "n" and p.default is None]
        weighed = [n for n in tensors if not _IS_INDEX.search(n) and not _IS_MASK.search(n)]
        if len(weighed) + len(numbers) > 1 and all(p.kind != "L" for p in self.form):
            yield "^", _promoted
            yield "float(^)", lambda case: _floating(_promoted(case))
        for name in tensors:
            yield f"float({name})", lambda case, n=name: _floating(_given_dtype(case, n))
            yield f"sum({name})", lambda case, n=name: _summed(_given_dtype(case, n))
        if len(inputs) <= 1:
            yield from constants

    @functools.cache  # noqa: B019
    def _layout(self, index: int) -> str:
        telling = [
            (case, outcome.outputs[index])
            for case, outcome in [*self.runs.layouts, *self.runs.ranks]
            if outcome.outputs[index].tells_layout
        ]
        strided = [
            (c, o)
            for c, o in telling
            if any(s.layout != "contiguous" for s in c.tensors().values())
        ]
        if all(o.ndim == 0 for _, outcome in self.runs.ranks for o in [outcome.outputs[index]]):
            return "c"
        plain = [(c, o) for c, o in telling if (c, o) not in strided]
        if not plain or not all(o.contiguous for _, o in plain):
            return "1" if plain and self._is_new_of_vectors(index) else "?"
        has_tensors = any(p.kind in "TLW" for p in self.form)
        if all(o.contiguous for _, o in strided) and (len(strided) >= 4 or not has_tensors):
            return "c"
        others = [o for c, o in strided if "last" not in _layouts(c)]
        if all(o.contiguous for o in others) and len(others) >= 4:
            return "m"
        unmoved = [o for c, o in strided if _MOVED.isdisjoint(_layouts(c))]
        if _FOLLOWS_WEIGHT.match(self.bare) and all(o.contiguous for o in unmoved):
            return "w"
        return "="

    def _is_new_of_vectors(self, index: int) -> bool:
        """Whether what tensors of one dimension give is contiguous, and shares no memory."""
        runs = [*self.runs.layouts, *self.runs.ranks]
        made = [outcome.outputs[index] for case, outcome in runs if _highest(case) == 1]
        is_new = all(output.contiguous and not output.shares for output in made)
        return is_new and not all(output.single for output in made)

    def _flags(self, index: int) -> Iterator[str]:
        outputs = [(case, outcome.outputs[index]) for case, outcome in self.runs.all()]
        takes_floats = any(
            spec.dtype in _FLOATS
            for case, _ in [*self.runs.ranks, *self.runs.dtypes]
            for spec in case.tensors().values()
        )
        asked = any(s.requires_grad for c, _ in self.runs.graphs for s in c.tensors().values())
        if not any(o.requires_grad for _, o in outputs) and (asked or not takes_floats):
            yield "n"
        else:
            yield from self._ways_of_history(index)
        single = [
            o
            for case, o in outputs
            if case.tensors() and all(_is_single(s) for s in case.tensors().values())
        ]
        if len(single) > 1 and all(o.single for o in single):
            yield "s"
        if all(o.same for _, o in outputs):
            yield "i"
        elif self.shares or any(o.shares for _, o in outputs):
            yield "v"
        batched = self._batched()
        if batched is not None and index == 0:
            yield f"u{batched}"

    def _ways_of_history(self, index: int) -> Iterator[str]:
        """``ginput`` where the history of the result is that of ``input`` alone."""
        names = list(self.runs.ranks[0][0].tensors())
        alone: dict[str, set[bool]] = {name: set() for name in names}
        for case, outcome in self.runs.graphs:
            asked = [name for name, spec in case.tensors().items() if spec.requires_grad]
            if len(asked) == 1:
                alone[asked[0]].add(outcome.outputs[index].requires_grad)
        takes_floats = {
            name
            for case, _ in [*self.runs.ranks, *self.runs.dtypes]
            for name, spec in case.tensors().items()
            if spec.dtype in _FLOATS
        }
        silent = [
            name
            for name in names
            if name not in takes_floats or (alone[name] and True not in alone[name])
        ]
        if silent and len(silent) < len(names):
            yield "g" + "+".join(name for name in names if name not in silent)

    def _batched(self) -> int | None:
        """``4`` where 4 dimensions are a batch of what is taken with 3 dimensions as well."""
        if not self.form or self.form[0].kind != "T":
            return None
        name = self.form[0].name
        counts = Counter(case.tensors()[name].rank for case, _ in self.runs.ranks)
        # A pooling to one element takes everything.
        accepted = {rank for rank, count in counts.items() if count * 2 >= max(counts.values())}
        batched = max(accepted)
        if accepted != {batched - 1, batched} or batched < 3:
            return None
        return batched if self._ignores_batch(batched) else None

    def _ignores_batch(self, batched: int) -> bool:
        name = self.form[0].name
        case = next(c for c, _ in self.runs.ranks if c.tensors()[name].rank == batched - 1)
        positional = [_build(case.values[p.name], []) for p in self.form if p.name in case.values]
        try:
            torch.manual_seed(1)
            alone = self.function(*positional)
            torch.manual_seed(1)
            batch = self.function(positional[0][None], *positional[1:])
        except Exception:
            return False
        if not isinstance(alone, torch.Tensor):
            alone, batch = alone[0], batch[0]
        return batch.ndim == alone.ndim + 1 and torch.allclose(batch[0], alone, equal_nan=True)

    # Options

    def _changes(self, parameter: Parameter, word: str) -> str:
        """Which of the results' properties an option changes, where the formulas do not say so."""
        if parameter.kind == "d":
            return ""
        changes = set()
        worked = 0
        results = [self._result_parts(index) for index in range(len(self.runs.ranks[0][1].outputs))]
        formulas = dict(self._ndim_formulas()), dict(self._dtype_formulas())
        for case, plain in _spread(self.runs.ranks, 8):
            rank = max([s.rank for s in case.tensors().values()] or [2])
            for value in _option_values(parameter, rank):
                beside = _BESIDE.get(parameter.name, {})
                given = Case({**case.values, **beside, parameter.name: value})
                outcome = self._call(given, parameter.name)
                if outcome is None:
                    continue
                worked += 1
                if parameter.name != "inplace":
                    self.shares |= any(output.shares for output in outcome.outputs)
                if (
                    re.sub(r"^tuple\d+$", word, outcome.word) != word
                    if word == "list"
                    else (outcome.word != plain.word)
                ):
                    changes |= set("ndlk")
                    continue
                for index, (ndim, dtype, layout) in enumerate(results):
                    output = outcome.outputs[index]
                    formula = formulas[0].get(ndim)
                    if formula is not None and formula(given) != output.ndim:
                        changes.add("n")
                    formula_of_dtype = formulas[1].get("float32" if dtype == "default" else dtype)
                    if formula_of_dtype is not None and formula_of_dtype(given) != output.dtype:
                        changes.add("d")
                    if layout not in "?1" and output.tells_layout and not output.contiguous:
                        changes.add("l")
        if parameter.kind in "iIZb" and self._changes_layout(parameter, [r[2] for r in results]):
            changes.add("l")
        if not worked and parameter.kind not in "nT":
            changes = set("ndlk") if parameter.kind == "o" else set("nl")
        return "".join(letter for letter in "ndlk" if letter in changes)

    def _changes_layout(self, parameter: Parameter, layouts: list[str]) -> bool:
        """Whether a tensor that is laid out otherwise shows what an option does to the layout."""
        if not set(layouts) & {"c", "m"}:
            return False
        for rank in (4, 3, 2):
            fitting = [case for case, _ in self.runs.ranks if _highest(case) == rank]
            for case in fitting[:2]:
                for value, layout in itertools.product(_option_values(parameter, rank), _LAYOUTS):
                    laid = case.with_tensors(lambda n, s, at=layout: replace(s, layout=at))
                    given = Case({**laid.values, parameter.name: value})
                    outcome = self._call(given, parameter.name)
                    for output, known in zip(
                        outcome.outputs if outcome else (), layouts, strict=False
                    ):
                        if known == "c" or (known == "m" and layout != "last"):
                            if output.tells_layout and not output.contiguous:
                                return True
        return False

    def _result_parts(self, index: int) -> tuple[str, str, str]:
        return self._ndim(index), self._dtype(index), self._layout(index)


# Values


def _mixed(candidates: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Combinations of candidates, well mixed; all of them where they are few."""
    mixer = random.Random(0)
    if math.prod(map(len, candidates)) <= 60:
        choices = list(itertools.product(*candidates))
        mixer.shuffle(choices)
        yield from choices
    else:
        for _ in range(60):
            yield tuple(mixer.choice(values) for values in candidates)


def _candidates(parameter: Parameter, rank: int) -> list[Any]:
    """Values for a parameter that must be given."""
    is_dim = _IS_DIM.search(parameter.name)
    if parameter.kind == "i":
        return [0, 1, -1] if is_dim else [2, 1, 0, 3]
    if parameter.kind == "I":
        return [0, -1, 1, [0], [0, 1], [-1]] if is_dim else [2, 1, 0, 3, [2], [2, 2], [2] * 3]
    if parameter.kind in "ZV":
        if is_dim:
            backwards = [list(reversed(range(n))) for n in (rank, 2, 3)]
            return [*backwards, *(list(range(n)) for n in (rank, 1, 2, 3))]
        lists = [[_SIZE] * n for n in range(1, 6)]
        lists += [[-1], [2, -1], [_SIZE, _SIZE, -1], [1] * 2, [2, 2], [2] * 4, [1], [1, 3], [3]]
        return lists
    if parameter.kind == "n":
        return [2, 0.5]
    if parameter.kind == "b":
        return [False, True]
    if parameter.kind in "tf":
        return [parameter.kind == "t"]
    if parameter.kind == "d":
        return [torch.float64, torch.int64]
    return [2, None, "mean", [0]]


def _option_values(parameter: Parameter, rank: int) -> list[Any]:
    """Values for a parameter that has a default."""
    if parameter.kind == "b":
        if parameter.default in (None, "..."):
            return [True, False]
        return [parameter.default not in ("True", "1")]
    if parameter.kind == "s":
        return [
            "none",
            "sum",
            "mean",
            "reflect",
            "nearest",
            "bilinear",
            "replicate",
            "constant",
            "circular",
            "tanh",
            "floor",
            "reduced",
            "ij",
            "same",
            "valid",
            "bicubic",
            "linear",
        ]
    if parameter.kind == "T" and parameter.name == "bias":
        return [Spec(1)]
    if parameter.kind == "T":
        return [Spec(1), Spec(2), Spec(rank), Spec(0), Spec(1, "int64"), Spec(rank, "bool")]
    if parameter.kind == "L":
        return [(Spec(1), Spec(1))]
    if parameter.kind == "f":
        return [False]
    return _candidates(parameter, rank)


def _build(value: Any, made: list[torch.Tensor], fresh: bool = False) -> Any:
    """The argument that a case describes; ``fresh`` where the call may write into it."""
    if isinstance(value, Spec):
        made.append(_own(_tensor(value)) if fresh else _tensor(value))
        return made[-1]
    if isinstance(value, tuple) and value and isinstance(value[0], Spec):
        parts = [_own(_tensor(spec)) if fresh else _tensor(spec) for spec in value]
        made += parts
        return parts
    return list(value) if isinstance(value, list) else value


def _own(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the same values and layout in memory of its own."""
    own = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype)
    if 0 not in tensor.stride():
        own.copy_(tensor.detach())
    return own.requires_grad_().mul(1) if tensor.requires_grad else own


_CACHE: dict[Spec, tuple[torch.Tensor, int]] = {}


def _tensor(spec: Spec) -> torch.Tensor:
    """A tensor as asked for; layouts that its number of dimensions cannot have are contiguous."""
    known, version = _CACHE.get(spec, (None, 0))
    if known is None or known._version != version:
        # New, or written to by the last function, such as the running means of a batch norm.
        known = _new_tensor(spec)
        _CACHE[spec] = known, known._version
    return known


def _new_tensor(spec: Spec) -> torch.Tensor:
    sizes = spec.sizes or (_SIZE,) * spec.rank
    count = 1
    for size in sizes:
        count *= size
    dtype = getattr(torch, spec.dtype)
    numbers = torch.arange(count, dtype=torch.float64)
    if dtype.is_floating_point:
        values = (numbers * 0.37) % 0.8 + 0.1
    elif dtype is torch.bool:
        values = numbers % 2
    else:
        values = numbers % _SIZE if all(size != 1 for size in sizes) else numbers % 1
    made = _arrange(values.to(dtype).reshape(sizes), spec.layout)
    # Not a leaf, so that in-place operations are allowed.
    return made.requires_grad_().mul(1) if spec.requires_grad else made


def _arrange(tensor: torch.Tensor, layout: str) -> torch.Tensor:
    """A tensor of the same sizes and another layout."""
    rank = tensor.ndim
    if layout == "swapped" and rank >= 2:
        return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
    if layout == "reversed" and rank >= 2:
        order = list(reversed(range(rank)))
        return tensor.permute(order).contiguous().permute(order)
    if layout == "every second" and rank >= 1:
        return torch.stack([tensor, tensor], -1).flatten(-2)[..., ::2]
    if layout == "expanded" and rank >= 1:
        return tensor[:1].expand_as(tensor)
    if layout == "offset" and rank >= 2:
        return torch.cat([tensor, tensor], 1)[:, 1 : 1 + tensor.size(1)]
    if layout == "last" and rank >= 3:
        return tensor.movedim(1, -1).contiguous().movedim(-1, 1)
    return tensor


def _layouts(case: Case) -> set[str]:
    return {spec.layout for spec in case.tensors().values()}


def _with_ones(spec: Spec, where: str) -> Spec:
    sizes = list(spec.sizes or (_SIZE,) * spec.rank)
    if sizes:
        if where == "all":
            sizes = [1] * len(sizes)
        else:
            sizes[0 if where == "first" else -1] = 1
    return replace(spec, sizes=tuple(sizes))


def _is_single(spec: Spec) -> bool:
    return all(size == 1 for size in spec.sizes) if spec.sizes else spec.rank == 0


def _outcome(result: Any, made: list[torch.Tensor]) -> Outcome | None:
    if isinstance(result, torch.Tensor):
        return Outcome("tensor", (_output(result, made),)) if _is_plain(result) else None
    if isinstance(result, (tuple, list)) and not isinstance(result, torch.Size):
        if not result or not all(isinstance(r, torch.Tensor) and _is_plain(r) for r in result):
            return None
        word = "list" if isinstance(result, list) else f"tuple{len(result)}"
        return Outcome(word, tuple(_output(r, made) for r in result))
    if result is None:
        return Outcome("none")
    if isinstance(result, torch.Size):
        return Outcome("size")
    if isinstance(result, (bool, int, float, str)):
        return Outcome(type(result).__name__)
    return Outcome("other")


def _is_plain(tensor: torch.Tensor) -> bool:
    return tensor.layout is torch.strided and not tensor.is_quantized


def _output(tensor: torch.Tensor, made: list[torch.Tensor]) -> Output:
    storage = tensor.untyped_storage().data_ptr()
    return Output(
        ndim=tensor.ndim,
        dtype=str(tensor.dtype).removeprefix("torch."),
        contiguous=tensor.is_contiguous(),
        tells_layout=tensor.ndim > 0 and all(size > 1 for size in tensor.shape),
        single=tensor.numel() == 1,
        requires_grad=tensor.requires_grad,
        shares=any(m.untyped_storage().data_ptr() == storage for m in made) and storage != 0,
        same=any(m is tensor for m in made),
    )


def _spread(runs: list[tuple[Case, Outcome]], count: int) -> list[tuple[Case, Outcome]]:
    """At most ``count`` of the runs, from all over the list."""
    step = max(1, len(runs) // count)
    return runs[::step]


def _distance(case: Case) -> tuple[int, int]:
    ranks = [spec.rank for spec in case.tensors().values()]
    return sum(abs(rank - 2) for rank in ranks), len(ranks)


def _highest(case: Case) -> int:
    return max((spec.rank for spec in case.tensors().values()), default=0)


def _rank(case: Case, name: str) -> int | None:
    spec = case.tensors().get(name)
    return None if spec is None else spec.rank


def _count(value: Any) -> int | None:
    return len(value) if isinstance(value, list) else None


def _reduced(case: Case, name: str, dim: str) -> int | None:
    rank = _rank(case, name)
    if rank is None:
        return None
    if case.values.get("keepdim") is True:
        return rank
    value = case.values.get(dim)
    if value is None:
        return 0
    return max(0, rank - (len(value) if isinstance(value, list) else 1))


def _product_rank(case: Case) -> int | None:
    ranks = [spec.rank for spec in case.tensors().values()]
    if len(ranks) != 2:
        return None
    left, right = ranks
    return max(left, right) - (left == 1) - (right == 1) if left != right or left > 1 else 0


def _given_dtype(case: Case, name: str) -> str | None:
    spec = case.tensors().get(name)
    return None if spec is None else spec.dtype


def _promoted(case: Case) -> str | None:
    """The dtype that torch promotes the tensors and numbers of a call to."""
    operands = [
        _tensor(replace(value, layout="contiguous", requires_grad=False))
        if isinstance(value, Spec)
        else value
        for name, value in case.values.items()
        if isinstance(value, (Spec, int, float))
        and name not in ("alpha", "beta", "dim")
        and not _IS_INDEX.search(name)
        and not _IS_MASK.search(name)
    ]
    if not any(isinstance(operand, torch.Tensor) for operand in operands):
        return None
    if len(operands) == 1:
        return str(operands[0].dtype).removeprefix("torch.")
    # Numbers and tensors without dimensions weigh less than others, whatever the order.
    kinds = [o for o in operands if isinstance(o, torch.Tensor) and o.ndim]
    kinds = kinds or [o for o in operands if isinstance(o, torch.Tensor)]
    strong = kinds[0]
    for other in kinds[1:]:
        strong = strong.new_empty((1,) * strong.ndim, dtype=torch.result_type(strong, other))
    weak = [o for o in operands if all(o is not k for k in kinds)]
    for other in weak:
        strong = strong.new_empty((1,) * strong.ndim, dtype=torch.result_type(strong, other))
    return str(strong.dtype).removeprefix("torch.")


def _floating(dtype: str | None) -> str | None:
    return dtype if dtype is None or dtype.startswith("float") else "float32"


def _summed(dtype: str | None) -> str | None:
    return dtype if dtype is None or dtype.startswith("float") else "int64"


# Layers and other classes

#: What the constructors of layers are given, by the name of the parameter.
_CONSTRUCTION = {
    "in_features": 4, "out_features": 4, "in1_features": 4, "in2_features": 4,
    "in_channels": 4, "out_channels": 4, "num_features": 4, "num_channels": 4, "num_groups": 2,
    "kernel_size": 2, "output_size": 3, "normalized_shape": 4, "num_embeddings": 8,
    "embedding_dim": 4, "padding": 1, "upscale_factor": 2, "downscale_factor": 2, "groups": 2,
    "threshold": 0.1, "value": 0.5, "size": 3, "norm_type": 2, "unflattened_size": (2, 2),
    "dim": 1, "margin": 1.0,
}  # fmt: skip

#: What tells nothing when it is called: containers, whole models, layers with several results.
_UNCALLED_LAYERS = frozenset(
    """Module Sequential ModuleList ModuleDict ParameterList ParameterDict DataParallel RNN LSTM GRU
    RNNBase RNNCellBase RNNCell LSTMCell GRUCell Transformer TransformerEncoder TransformerDecoder
    TransformerEncoderLayer TransformerDecoderLayer MultiheadAttention Container SyncBatchNorm
    AdaptiveLogSoftmaxWithLoss LinearCrossEntropyLoss""".split()
)


def _modules(names: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    for name in sorted(dir(nn)):
        cls = getattr(nn, name)
        if not (inspect.isclass(cls) and issubclass(cls, nn.Module) and names(f"torch.nn.{name}")):
            continue
        line = "" if name in _UNCALLED_LAYERS else _layer_line(name, cls)
        yield f"torch.nn.{name}", line or "> module"


def _layer(name: str, cls: Any) -> tuple[Any, Form] | None:
    """A layer, and how it is called; None where it cannot be made."""
    form = _by_signature(inspect.signature(cls.forward))
    arguments: dict[str, Any] = {}
    for parameter in inspect.signature(cls.__init__).parameters.values():
        if parameter.name == "num_parameters":
            continue
        if parameter.default is parameter.empty and parameter.name in _CONSTRUCTION:
            arguments[parameter.name] = _CONSTRUCTION[parameter.name]
        elif parameter.name in ("size",) and name.startswith("Upsampl"):
            arguments["scale_factor"] = 2
        elif parameter.name == "output_size" and name.startswith("Fractional"):
            arguments["output_size"] = 2
    if name.startswith("Softmax") or name == "LogSoftmax" or name == "Softmin":
        arguments.pop("dim", None)
        if name != "Softmax2d":
            arguments["dim"] = -1
    if form is None or name.startswith("Lazy"):
        return None
    form = tuple(
        replace(p, kind="T") if p.default is None and p.name != "self" else p
        for p in form
        if p.name != "self"
    )
    try:
        torch.manual_seed(0)
        layer = cls(**arguments)
    except Exception:
        return None
    for tensor in (*layer.parameters(), *layer.buffers()):
        if tensor.is_floating_point():
            tensor.data.uniform_(0.5, 1.5)
    return layer, form


def _layer_line(name: str, cls: Any) -> str:
    made = _layer(name, cls)
    if made is None:
        return ""
    layer, form = made
    lines = []
    for training in (True, False):
        layer.train(training)
        lines.append(Prober("torch.nn." + name, layer, form).line())
    # What only training, or only evaluation, brings about.
    line = lines[1] if lines[0] == lines[1] else _weaker(*lines)
    # The parameters may be of any floating dtype.
    return re.sub(r" float\d\d ", " ? ", line)


def _weaker(left: str, right: str) -> str:
    """What two results of a layer have in common."""
    if " > " not in left or " > " not in right:
        return ""
    parameters, _, first = left.partition(" > ")
    _, _, second = right.partition(" > ")
    one, two = first.split(" "), second.split(" ")
    if "(" in first or "[" in first:
        return left if first == second else ""
    parts = [a if a == b else "?" for a, b in zip(one[:3], two[:3], strict=True)]
    layouts = [layout for layout in "?=mc" if layout in (one[2], two[2])]
    parts[2] = layouts[0]
    flags = [flag for flag in one[3:] if flag in two or flag in ("v", "i")]
    flags += [flag for flag in two[3:] if flag in ("v", "i") and flag not in flags]
    flags = ["v" if flag == "i" else flag for flag in flags] if one[3:] != two[3:] else flags
    return f"{parameters} > {' '.join([*parts, *dict.fromkeys(flags)])}"


def _methods_of_modules() -> Iterator[tuple[str, str]]:
    """The methods of all layers that give the layer itself: they say so, or were seen to."""
    for name in sorted(dir(nn.Module)):
        method = getattr(nn.Module, name)
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        takes = [*inspect.signature(method).parameters.values()][1:]
        if "Self" in str(inspect.signature(method).return_annotation):
            forms = [",".join(map(_of_module, takes))]
        else:
            forms = ["dtype:d"] if _gives_itself(name, torch.float64) else []
        for form in forms:
            yield f"torch.nn.Module.{name}", f"{form} > module".strip()


def _of_module(parameter: inspect.Parameter) -> str:
    default = None if parameter.default is parameter.empty else repr(parameter.default)
    kind = _KINDS.get(getattr(parameter.annotation, "__name__", ""), "o")
    return Parameter(parameter.name, kind, default, False).text("")


def _gives_itself(method: str, dtype: torch.dtype) -> bool:
    layer = nn.Linear(1, 1)
    try:
        return getattr(layer, method)(dtype) is layer
    except (TypeError, AttributeError, RuntimeError):
        return False


def _classes() -> Iterator[tuple[str, str]]:
    import torch.distributions as distributions
    import torch.utils.data as data
    from torch.optim import lr_scheduler

    packages: list[tuple[Any, str, Any]] = [
        (torch.optim, "optimizer", torch.optim.Optimizer),
        (lr_scheduler, "scheduler", lr_scheduler.LRScheduler),
        (distributions, "distribution", distributions.Distribution),
        (data, "loader", data.DataLoader),
    ]
    for package, word, base in packages:
        for name in sorted(dir(package)):
            cls = getattr(package, name)
            if not inspect.isclass(cls) or name.startswith("_"):
                continue
            if not cls.__module__.startswith(package.__name__):
                continue
            if issubclass(cls, base):
                yield f"{package.__name__}.{name}", "> " + word
            elif package is data:
                yield f"{package.__name__}.{name}", "> object"


if __name__ == "__main__":
    sys.exit(main())
