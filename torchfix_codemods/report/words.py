"""What is known of an expression, in words."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.backward import way_to_backward
from torchfix_codemods.facts.paths.walk import Trail
from torchfix_codemods.facts.programs.placement import may_be_on_gpu
from torchfix_codemods.facts.recording.history import certainly_requires_grad
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values import lattice as values
from torchfix_codemods.facts.values.imported import Imported, ImportedFile

_MOST_ITEMS = 4
_LONGEST = 48

_PLAIN: dict[type[values.Value], str] = {
    values.Unknown: "not known",
    values.Collated: "what a collate_fn made, outside of any graph",
    values.Nothing: "no value that the code shows",
    values.Array: "a numpy array",
    values.Text: "a text",
    values.NoneValue: "None",
    values.Size: "a torch.Size",
    values.Device: "a torch.device",
    values.Distribution: "a torch.distributions.Distribution",
    values.StateDict: "a state_dict",
    values.Packed: "a PackedSequence",
    values.Function: "a function of this file",
    ImportedFile: "another file of the project",
}


def about(node: ast.expr, facts: Facts) -> str:
    """All that is known of an expression where it stands."""
    name = facts.name(node)
    value = facts.value(node)
    if name is not None and isinstance(value, values.Unknown):
        return f"the name {name}"
    said = in_words(value)
    if isinstance(value, values.Tensor):
        said = "; ".join([said, *_around(node, value, facts)])
    elif isinstance(value, values.Unknown):
        said = ", ".join([said, *_origins(node, facts)])
    return said


def in_words(value: values.Value) -> str:
    """An abstract value, with what is not known of it."""
    if type(value) in _PLAIN:
        return _PLAIN[type(value)]
    if isinstance(value, values.Tensor):
        return "; ".join(_tensor(value))
    if isinstance(value, values.Maybe):
        return f"None, or {in_words(value.value)}"
    if isinstance(value, values.Module):
        return _module(value)
    if isinstance(value, values.Number):
        return f"a number of Python ({value.kind or 'kind not known'})"
    if isinstance(value, (values.Sequence, values.Mapping)):
        return _collection(value)
    if isinstance(value, (values.Optimizer, values.Scheduler)):
        kind = "an optimizer" if isinstance(value, values.Optimizer) else "a scheduler"
        return f"{kind} ({value.name})" if value.name else kind
    if isinstance(value, (values.Loader, values.LoaderIterator, values.Batch)):
        return _data(value)
    if isinstance(value, values.Foreign):
        return f"an object of {value.name}" if value.name else "nothing of torch's"
    if isinstance(value, values.Operation):
        return f"the function {value.name}"
    if isinstance(value, values.TensorType):
        return f"the class torch.{value.name}" if value.name else "one of torch's tensor classes"
    if isinstance(value, (values.Instance, values.ClassObject)):
        kind = "an object of" if isinstance(value, values.Instance) else "the"
        return f"{kind} class {value.definition.name} (line {value.definition.lineno})"
    if isinstance(value, Imported):
        return f"from another file: {in_words(value.value)}"
    if isinstance(value, values.Method):
        return f"the method {value.name} of {in_words(value.receiver)}"
    return type(value).__name__


def _tensor(value: values.Tensor) -> Iterator[str]:
    if value.ndim == 0:
        yield "a tensor without dimensions (one number)"
    elif value.ndim is None:
        yield "a tensor, number of dimensions not known"
    else:
        yield f"a tensor with {value.ndim} dimension{'s' * (value.ndim != 1)}"
    if value.single and value.ndim != 0:
        yield "one element"
    if value.dtype == "float":
        yield "of torch's default dtype"
    else:
        yield f"dtype {value.dtype}" if value.dtype else "dtype not known"
    if value.leaf_module is not None:
        yield f"a {value.leaf_module}"
    if value.permuted or value.moved:
        yield "dimensions moved about"
    yield "contiguous" if value.contiguous else "not known to be contiguous"


def _around(node: ast.expr, value: values.Tensor, facts: Facts) -> Iterator[str]:
    """What the code around says of a tensor: its history, and where it lies."""
    if value.grad is False:
        yield "outside of any graph"
    elif certainly_requires_grad(facts, node):
        yield "requires gradients"
    elif is_under_no_grad(node, facts):
        yield "computed under no_grad, history not known"
    else:
        yield "may belong to a graph"
    trail = None if value.grad is False else way_to_backward(facts, node)
    if trail is not None and not trail.is_cut:
        yield _way(trail)
    yield "may be on a GPU" if may_be_on_gpu(facts, node) else "nothing in sight moves it to a GPU"


def _way(trail: Trail) -> str:
    """``reaches loss.backward() in line 40 through outputs (line 31)``."""
    end = trail.end
    statement = end.facts.statement(end.node)
    is_whole = not hasattr(statement, "body")
    shown = end.facts.segment(statement.value) if isinstance(statement, ast.Expr) else None
    what = shortened(shown) if is_whole and shown else "backward()"
    names = [f"{name} (line {line})" for name, line in trail.names().items()]
    through = f" through {', '.join(names[:_MOST_ITEMS])}" if names else ""
    return f"reaches {what} in line {statement.lineno}{through}"


def _module(value: values.Module) -> str:
    if value.definition is not None:
        return f"a module of class {value.definition.name} (line {value.definition.lineno})"
    if value.origin is not None:
        return f"a module that another file defines{f' ({value.cls})' if value.cls else ''}"
    if value.cls:
        return f"a {value.cls}"
    classes = {_module(one) for one in value.either}
    if 0 < len(classes) <= _MOST_ITEMS:
        return " or ".join(sorted(classes))
    return "an nn.Module of a class that is not known"


def _collection(value: values.Sequence | values.Mapping) -> str:
    kind = "a list or tuple" if isinstance(value, values.Sequence) else "a dict"
    items = value.items or ()
    if 0 < len(items) <= _MOST_ITEMS:
        shown = [
            f"{item[0]!r}: {_head(item[1])}" if isinstance(item, tuple) else _head(item)
            for item in items
        ]
        return f"{kind} of: {', '.join(shown)}"
    return f"{kind}; each element: {_head(value.element)}"


def _head(value: values.Value) -> str:
    """The first words, for what is inside of something else."""
    return in_words(value).partition(";")[0].partition(",")[0]


def _data(value: values.Loader | values.LoaderIterator | values.Batch) -> str:
    kind = "a batch of a DataLoader: tensors without history"
    if isinstance(value, values.Loader):
        kind = "a DataLoader"
    elif isinstance(value, values.LoaderIterator):
        kind = "an iterator over a DataLoader"
    return f"{kind}, collated by torch" if value.stacks else kind


def _origins(node: ast.expr, facts: Facts) -> Iterator[str]:
    """Where the value of a name that is not known comes from."""
    if not isinstance(node, ast.Name):
        return
    found = dict.fromkeys(_origin(binding, facts) for binding in facts.flow.reaching(node))
    shown = list(found)[:_MOST_ITEMS]
    yield from shown
    if len(found) > len(shown):
        yield f"and {len(found) - len(shown)} more places"


def _origin(binding: Binding, facts: Facts) -> str:
    line = getattr(binding.node, "lineno", 0)
    if binding.kind == "parameter":
        return f"a parameter (line {line})"
    if binding.kind == "import":
        return f"imported as {binding.qualified} (line {line})"
    if binding.kind in ("assign", "for") and binding.value is not None:
        part = "a part of " if binding.path else ""
        verb = "taken from" if binding.kind == "for" else "assigned"
        return f"{verb} {part}{shortened(facts.segment(binding.value))} (line {line})"
    return f"bound in line {line}"


def shortened(code: str) -> str:
    """Code on one line, cut where it gets long."""
    code = " ".join(code.split())
    return code if len(code) <= _LONGEST else f"{code[: _LONGEST - 1]}…"
