"""Execution of the numbers claim: a fixture's cases run before and after the rewrite."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import random
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
import torch

from torchfix_codemods.engine.migrate import Migration
from torchfix_codemods.finding import Numerics

RECORDED = Path(__file__).parents[2] / "fixtures" / "recorded"

Leaf = tuple[Any, ...]


def cases(text: str) -> list[str]:
    """The names of a fixture's ``case_…`` functions."""
    return [node.name for node in _functions(text)]


def claim_of(text: str, case: str, migration: Migration) -> Numerics:
    """The claim that the findings on the lines of a case make, which must be one."""
    node = next(node for node in _functions(text) if node.name == case)
    own = [
        f for f in migration.findings if node.lineno <= f.line <= (node.end_lineno or node.lineno)
    ]
    found = {f.numerics for f in own if f.fixed} or {f.numerics for f in own}
    if len(found) > 1:
        found.discard(Numerics.IDENTICAL)
    assert len(found) == 1, f"{case} makes the claims {found}, not one"
    return found.pop()


def _functions(text: str) -> list[ast.FunctionDef]:
    # The one spelling that today's grammar refuses.
    tree = ast.parse(text.replace("async=", "async_="))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [node for node in functions if node.name.startswith("case_")]


def check(claim: Numerics, case: str, before: str, after: str, stem: str, device: str) -> None:
    """Run one case of a fixture and assert what its rewrite claims about the numbers."""
    new = run(after, case, device)
    if claim is Numerics.IDENTICAL:
        assert_same(run(before, case, device), new)
    elif claim is Numerics.CHANGED:
        assert run(before, case, device) != new
        right = run(after, right_of(case), device)
        assert_same(right[:-1], new[:-1])
    elif claim is Numerics.ADVICE:
        assert before == after
        today = run(before, case, device)
        if right_of(case) in before:
            # The pitfall is there: what the code should give is something else.
            assert today[:-1] != run(before, right_of(case), device)[:-1]
    else:
        if claim is Numerics.RESTORED:
            assert fails(before, case, device), f"{case} runs on today's torch"
        else:
            assert_differs(recorded(stem, case), run(before, case, device))
        assert_near(recorded(stem, case), new)


def right_of(case: str) -> str:
    """The function of a fixture that gives what a case should give."""
    return case.replace("case_", "right_")


def run(text: str, case: str, device: str) -> list[Leaf]:
    """Execute a fixture's case under fixed seeds.

    Returns:
        its result flattened to comparable leaves, and the state of the random generator last.
    """
    namespace: dict[str, Any] = {"__name__": "fixture"}
    with legacy_program(device), temporary_files():
        exec(compile(text, "fixture.py", "exec"), namespace)
        seed()
        result = namespace[case]()
        state = torch.get_rng_state().numpy().tobytes()
    return [*leaves(result), ("rng", state)]


def fails(text: str, case: str, device: str) -> bool:
    """Whether the case raises on today's torch (or does not even compile)."""
    try:
        run(text, case, device)
    except (Exception, SyntaxError):
        return True
    return False


def seed() -> None:
    """Seed every generator that a fixture may draw from."""
    torch.manual_seed(0)
    random.seed(0)
    numpy.random.seed(0)


@contextlib.contextmanager
def legacy_program(device: str) -> Iterator[None]:
    """Run legacy code: warnings silenced, and ``.cuda()`` copying where there is no GPU."""
    grad, dtype = torch.is_grad_enabled(), torch.get_default_dtype()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        stand_in = cuda_on_cpu() if device == "cpu" else contextlib.nullcontext()
        default = torch.device(device) if device != "cpu" else contextlib.nullcontext()
        with stand_in, default:
            try:
                yield
            finally:
                torch.set_grad_enabled(grad)
                torch.set_default_dtype(dtype)


@contextlib.contextmanager
def temporary_files() -> Iterator[None]:
    """What legacy code saves in folders that it makes for it does not outlive the test."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        try:
            yield
        finally:
            tempfile.tempdir = before


@contextlib.contextmanager
def cuda_on_cpu() -> Iterator[None]:
    """Let ``.cuda()`` and the types of ``torch.cuda`` work without a GPU.

    A copy to a GPU never aliases, so neither does this.
    """

    def tensor_cuda(self: torch.Tensor, *args: object, **kwargs: object) -> torch.Tensor:
        return self.to("cpu", copy=True)

    def module_cuda(self: torch.nn.Module, device: object = None) -> torch.nn.Module:
        return self

    patches: list[tuple[Any, str, Callable[..., Any]]] = [
        (torch.Tensor, "cuda", tensor_cuda),
        (torch.nn.Module, "cuda", module_cuda),
    ]
    types = ("Float", "Double", "Half", "Long", "Int", "Short", "Char", "Byte", "Bool")
    patches += [(torch.cuda, f"{t}Tensor", getattr(torch, f"{t}Tensor")) for t in types]
    saved = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, function in patches:
        setattr(owner, name, function)
    try:
        yield
    finally:
        for owner, name, function in saved:
            setattr(owner, name, function)


def leaves(result: Any) -> list[Leaf]:
    """Flatten a result: tensors as dtype, shape, bits, requires_grad and gradient."""
    if isinstance(result, torch.Tensor):
        grad = leaves(result.grad) if result.is_leaf and result.grad is not None else []
        data = result.detach().cpu().contiguous()
        bits = data.view(torch.uint8).numpy().tobytes() if data.dim() else data.numpy().tobytes()
        return [("tensor", str(data.dtype), tuple(data.shape), bits, result.requires_grad), *grad]
    if isinstance(result, numpy.ndarray):
        return [("array", str(result.dtype), result.shape, result.tobytes())]
    if isinstance(result, dict):
        return [leaf for key in result for leaf in [("key", key), *leaves(result[key])]]
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in leaves(item)]
    return [(type(result).__name__, result)]


def assert_same(before: list[Leaf], after: list[Leaf]) -> None:
    """Bit for bit: values, dtypes, shapes, gradients and the state of the generator."""
    assert [leaf[:3] for leaf in before[:-1]] == [leaf[:3] for leaf in after[:-1]]
    assert before == after


def recorded(stem: str, case: str) -> Any:
    """What the old torch gave for a case, from ``fixtures/recorded``."""
    return json.loads((RECORDED / f"{stem}.json").read_text("utf-8"))["cases"][case]


def plain(leaf: Leaf) -> Any:
    """A leaf as the recording script writes it: nested lists of numbers."""
    if leaf[0] == "tensor":
        dtype = getattr(torch, leaf[1].removeprefix("torch."))
        flat = torch.frombuffer(bytearray(leaf[3]), dtype=dtype) if leaf[3] else torch.empty(0)
        return flat.reshape(leaf[2]).tolist()
    if leaf[0] == "array":
        return numpy.frombuffer(leaf[3], dtype=leaf[1]).reshape(leaf[2]).tolist()
    return leaf[1]


def assert_near(old: Any, new: list[Leaf]) -> None:
    """Equal to what was recorded; floats to seven digits, because kernels changed since."""
    values = [plain(leaf) for leaf in new if leaf[0] not in ("rng", "key")]
    numpy.testing.assert_equal(_shape(values), _shape(old))
    for left, right in zip(_flat(values), _flat(old), strict=True):
        if isinstance(left, float):
            numpy.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-7)
        else:
            assert left == right


def assert_differs(old: Any, new: list[Leaf]) -> None:
    """The legacy code gives other numbers today than when they were recorded."""
    try:
        assert_near(old, new)
    except AssertionError:
        return
    raise AssertionError("today's torch still gives the recorded numbers")


def _shape(value: Any) -> Any:
    return [_shape(item) for item in value] if isinstance(value, list) else None


def _flat(value: Any) -> list[Any]:
    if isinstance(value, list):
        return [leaf for item in value for leaf in _flat(item)]
    return [value]
