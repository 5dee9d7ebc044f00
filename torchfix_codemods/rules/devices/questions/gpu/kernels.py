"""Kernels of a project's own, which were built for a GPU."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.language.nodes import first_name, last_name
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import speaks_of_device
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu

#: How a file of the project takes kernels that were built for ``torch.utils.ffi``, or has one that
#: numba compiles as it is imported; how those are built that need CUDA.
_BUILT, _COMPILED = ("_ext import", "import _ext"), "@cuda.jit("
_WORDS = {_COMPILED: "cuda.jit"}
_BUILT_FOR_GPU = ("with_cuda = True", "with_cuda=True")
_EXTENSION, _OF_OLD, _FOR_CPU = "CUDAExtension", "create_extension", "CppExtension("
#: By what a file compiles and runs kernels that stand in it.
_COMPILERS = ("pynvrtc.", "pycuda.", "cupy.cuda.")
#: What is called with fewer things is a question about CUDA, or moves something there.
_LEAST_GIVEN = 2


def has_kernels(facts: Facts) -> bool:
    """Whether a file compiles kernels for CUDA, or imports those that were built for it, by itself
    or by way of others."""
    return facts.remembered(has_kernels, lambda: _finds_kernels(facts))


def runs_kernels(facts: Facts) -> bool:
    """Whether a file calls kernels that were built for CUDA alone, and no others beside.

    ``corr.corr_cuda_forward(x, y)``, under no test for the GPU; or it imports a file that does so.
    """
    return facts.remembered(runs_kernels, lambda: _runs(facts) or _imports_what_runs(facts))


def _runs(facts: Facts) -> bool:
    calls = facts.names.nodes.get(ast.Call, ())
    if facts.speaks_of("cuda") and any(_is_kernel(node, facts) for node in calls):
        return True
    return any(_has_import(facts, name) for name in _extensions(facts))


def _is_kernel(call: ast.AST, facts: Facts) -> bool:
    """Whether a function that is named for CUDA, and is none of Python, is given tensors."""
    if not isinstance(call, ast.Call) or len(call.args) < _LEAST_GIVEN:
        return False
    if "cuda" not in (last_name(call.func) or "").lower().split("_"):
        return False
    root = first_name(call.func)
    found = None if root is None else facts.names.scope_of(root).lookup(root.id)
    if found is None or any(binding.kind != "import" for binding in found[1]):
        return False
    if (facts.name(call.func) or "").startswith("torch.") or function_named(call.func, facts):
        return False
    tests = (a.test for a in facts.names.ancestors(call) if isinstance(a, (ast.If, ast.IfExp)))
    return not any(map(speaks_of_device, tests))


def _imports_what_runs(facts: Facts) -> bool:
    if facts.files is None:
        return False
    imported = map(facts_of, map(facts.files.module, _modules(facts)))
    return any(there is not None and _runs(there) for there in imported)


def _modules(facts: Facts) -> Iterator[str]:
    """The modules that a file imports at its top."""
    for node in facts.tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def _finds_kernels(facts: Facts) -> bool:
    if _compiles(facts) or runs_kernels(facts):
        return True
    if facts.files is None:
        return False
    texts = [_COMPILED, *(_BUILT if any(map(facts.is_mentioned, _BUILT_FOR_GPU)) else ())]
    return any(
        facts.speaks_of(text) or any(_imports(facts, there) for there in _files_with(text, facts))
        for text in texts
    ) or any(_takes_extension(facts, name) for name in _extensions(facts))


def _compiles(facts: Facts) -> bool:
    """``Program(kernel, "relu.cu")`` of pynvrtc, which the file imports in any case."""
    tops = [node for node in facts.tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    modules = [node.module for node in tops if isinstance(node, ast.ImportFrom) if node.module]
    modules += [alias.name for node in tops if isinstance(node, ast.Import) for alias in node.names]
    found = tuple(c for c in _COMPILERS if any(f"{m}.".startswith(c) for m in modules))
    return bool(found) and any(
        (facts.name(call.func) or "").startswith(found)
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call)
    )


def _takes_extension(facts: Facts, name: str) -> bool:
    """Whether a file imports a module that was built, by itself or by way of others."""
    if _has_import(facts, name):
        return True
    others = others_with(name, facts) if facts.is_mentioned_elsewhere(name) else ()
    return any(_has_import(there, name) and _imports(facts, there) for there in others)


def _has_import(facts: Facts, name: str) -> bool:
    return any(
        name in (module.rpartition(".")[2], *(alias.name.rpartition(".")[2] for alias in aliases))
        for node in facts.tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for module, aliases in [(getattr(node, "module", None) or "", node.names)]
    )


def _extensions(facts: Facts) -> Iterator[str]:
    """The modules that the project builds for CUDA alone: ``CUDAExtension("rasterize", files)``."""
    for maker in (_EXTENSION, _OF_OLD):
        for there in others_with(maker, facts) if facts.is_mentioned_elsewhere(maker) else ():
            for call in () if there.speaks_of(_FOR_CPU) else there.names.nodes.get(ast.Call, ()):
                if not isinstance(call, ast.Call) or last_name(call.func) != maker:
                    continue
                named = constant(argument(call, 0, "name"))
                if maker == _OF_OLD and not _is_for_gpu_alone(call):
                    continue
                if isinstance(named, str) and not is_meant_for_gpu(call, there):
                    yield named.rpartition(".")[2]


def _is_for_gpu_alone(call: ast.Call) -> bool:
    """``create_extension("round", sources=["round_cuda.c"], with_cuda=True)`` of torch 0.4."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    sources = given.get("sources")
    if constant(given.get("with_cuda")) is not True or not isinstance(
        sources, (ast.List, ast.Tuple)
    ):
        return False
    return all("cuda" in str(constant(source)).rpartition("/")[2] for source in sources.elts)


def _files_with(text: str, facts: Facts) -> Iterator[Facts]:
    word = _WORDS.get(text, text)
    if facts.is_mentioned_elsewhere(word):
        yield from (other for other in others_with(word, facts) if other.speaks_of(text))


def _imports(facts: Facts, other: Facts) -> bool:
    return (
        facts.files is not None
        and other.files is not None
        and other.files.is_imported_by(facts.files.path)
    )
