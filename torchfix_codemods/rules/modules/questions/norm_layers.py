"""Layers of normalization that start with the weights torch gives them, and where they are."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.reached_returns import Constants, constants_of, outcome
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.language.nodes import last_name, start_of, walk
from torchfix_codemods.facts.libraries.initializers import INITIALIZERS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import calls_in_sight
from torchfix_codemods.facts.paths.project_imports import with_imported
from torchfix_codemods.rules.modules.questions.built import functions_run, is_run

#: Those that drew their weight until torch 1.1, by whether they have one unless told otherwise.
_HAVE_WEIGHTS = {
    f"torch.nn.{kind}Norm{n}d": kind == "Batch" for kind in ("Batch", "Instance") for n in (1, 2, 3)
}
_CONVOLUTIONS = tuple(f"torch.nn.Conv{kind}{n}d" for kind in ("", "Transpose") for n in (1, 2, 3))
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Layer = tuple[Facts, ast.Call]
"""A file and a layer that it makes."""

_SETTING = frozenset({*INITIALIZERS, "copy_", "load_state_dict", "load_url", "apply"})
_MAKING = frozenset({"torch.zeros", "torch.ones", "torch.FloatTensor", "torch.Tensor"})
_DRAWS = frozenset({"normal_", "uniform_"})


def untouched(facts: Facts, seed: ast.Call) -> list[Layer]:
    """The layers that start as torch makes them, of a file and of its imports.

    Only what each run of the file certainly builds, whatever options it is given.
    Each comes with the file that makes it.
    None of them where any of these files asks whether something is such a layer, as functions do
    that give layers their weights, draws the weights of all layers or copies some from elsewhere,
    and where the file itself loads weights and trains nothing.
    """
    if facts.speaks_of("load_state_dict") and not facts.speaks_of("backward"):
        return []
    files = [*with_imported(facts)]
    layers = [(each, layer) for each in files for layer in _untouched(each)]
    if not layers or any(
        _asks_for_norms(each) or _draws_all_weights(each) or _copies_weights(each) for each in files
    ):
        return []
    run = functions_run(facts, seed, files)
    return [
        (each, one) for each, one in layers if is_run(one, each, run) or _is_built(one, each, run)
    ]


def others_draw_otherwise(facts: Facts, seed: ast.Call) -> bool:
    """Whether other layers of a file, or of its imports, may have drawn other weights, too.

    Until torch 0.4 the bounds of transposed convolutions, and of those with groups, came from all
    of the channels that go in.
    """
    if (oldest := facts.era_of(seed).oldest) is not None and oldest >= (1, 0):
        return False
    return any(
        isinstance(call, ast.Call) and _drew_otherwise(call, each)
        for each in with_imported(facts)
        for call in each.names.nodes.get(ast.Call, ())
    )


def _drew_otherwise(call: ast.Call, facts: Facts) -> bool:
    name = facts.name(call.func) or ""
    if not name.startswith(_CONVOLUTIONS):
        return False
    groups = argument(call, 6, "groups")
    if is_opaque(call) or (groups is not None and constant(groups) != 1):
        return True
    channels = argument(call, 0, "in_channels"), argument(call, 1, "out_channels")
    given, made = (None if each is None else ast.dump(each) for each in channels)
    return "Transpose" in name and given != made


def _untouched(facts: Facts) -> list[ast.Call]:
    if facts.speaks_of("load_url"):
        # Its layers may get the weights of a model that was trained.
        return []
    calls = [node for node in facts.names.nodes.get(ast.Call, ()) if isinstance(node, ast.Call)]
    found = [call for call in calls if _has_weight(call, facts) and not _is_set(call, facts)]
    return sorted(found, key=start_of)


def _is_built(layer: ast.Call, facts: Facts, run: set[ast.AST]) -> bool:
    """Whether a call that each run makes builds what stands in a branch: ``batch_norm=True``."""
    function = facts.names.enclosing_function(layer)
    tests = [*tests_passed(facts.names, layer)]
    if not tests or not isinstance(function, ast.FunctionDef):
        return False
    is_method = facts.classes.gets_object(function)
    return any(
        is_run(call, there, run)
        and not is_opaque(call)
        and _lets_through(tests, constants_of(facts.inference, function, call, {}, is_method))
        for call, there in calls_in_sight(facts, function)
    )


def _lets_through(tests: list[tuple[ast.expr, bool]], known: Constants) -> bool:
    return all(outcome(test, known) is came_out for test, came_out in tests)


def _has_weight(call: ast.Call, facts: Facts) -> bool:
    name = facts.name(call.func)
    if name not in _HAVE_WEIGHTS or is_opaque(call):
        return False
    affine = argument(call, 3, "affine")
    return _HAVE_WEIGHTS[name] if affine is None else constant(affine) is True


def _outermost(
    node: ast.AST, facts: Facts
) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | None:
    """The class or function of the module that holds a node."""
    found = [around for around in facts.names.ancestors(node) if isinstance(around, _DEFINITIONS)]
    return found[-1] if found else None


def _is_set(call: ast.Call, facts: Facts) -> bool:
    """Whether the class, function or script around a layer sets weights, of whatever layer."""
    around = _outermost(call, facts) or facts.tree
    return any(
        (last_name(node.func) in _SETTING and not _fills_new(node, facts))
        or (facts.name(node.func) or "").startswith("torch.nn.init.")
        for node in facts.names.inside(around, ast.Call)
    )


def _fills_new(call: ast.Call, facts: Facts) -> bool:
    """``weight.new(2, 3).zero_()``, a hidden state to start with: no weight of a layer is set."""
    made = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(made, ast.Call):
        return False
    is_new = isinstance(made.func, ast.Attribute) and made.func.attr == "new"
    return is_new or facts.name(made.func) in _MAKING


def _draws_all_weights(facts: Facts) -> bool:
    """``for name, p in model.named_parameters():``, with ``init.kaiming_normal_(p)`` in it."""
    return any(
        isinstance(loop, ast.For)
        and isinstance(loop.iter, ast.Call)
        and last_name(loop.iter.func) in ("parameters", "named_parameters")
        and any(
            last_name(node.func) in _DRAWS
            or (facts.name(node.func) or "").startswith("torch.nn.init.")
            for node in facts.names.inside(loop, ast.Call)
        )
        for loop in facts.names.nodes.get(ast.For, ())
    )


def _copies_weights(facts: Facts) -> bool:
    """``bn.weight.data.copy_(torch.from_numpy(numbers))``, as readers of weight files do."""
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "copy_"
        and any(last_name(part) == "weight" for part in walk(call.func.value))
        for call in facts.names.nodes.get(ast.Call, ())
    )


def _asks_for_norms(facts: Facts) -> bool:
    """``isinstance(m, nn.BatchNorm2d)``, ``classname.find("BatchNorm")``."""
    return any(
        last_name(node.func) in ("isinstance", "find") and "Norm" in ast.unparse(node)
        for node in facts.names.nodes.get(ast.Call, ())
        if isinstance(node, ast.Call)
    ) or any(
        isinstance(node, ast.Compare) and "Norm" in ast.unparse(node)
        for node in facts.names.nodes.get(ast.Compare, ())
    )
