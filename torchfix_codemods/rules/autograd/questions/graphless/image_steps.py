"""What the transformations of torchvision make of images, which are part of no graph."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import method_run

_TRANSFORMS = "torchvision.transforms."
#: Transformations that run what they are given.
_RUNNING_OTHERS = frozenset({"Lambda", "RandomApply", "RandomChoice", "RandomOrder"})


def ends_in_own(found: list[tuple[Facts, ast.FunctionDef]], node: ast.expr, facts: Facts) -> bool:
    """Whether the last of several transformations is of the project, whose method is added."""
    steps = _steps(node, facts)
    last = steps[-1] if steps else None
    method = method_run(last, "__call__", facts) if isinstance(last, ast.Call) else None
    if method is not None:
        found.append(method)
    return method is not None


def changes_images(node: ast.expr, facts: Facts) -> bool:
    """Whether it is a transformation, or several, that calculates with its image alone."""
    name = facts.name(node.func) if isinstance(node, ast.Call) else None
    module, _, function = (name or "").rpartition(".")
    if f"{module}." != _TRANSFORMS:
        return False
    if function != "Compose":
        return function not in _RUNNING_OTHERS
    steps = _steps(node, facts)
    return steps is not None and all(changes_images(each, facts) for each in steps)


def makes_tensor_of_image(node: ast.expr, facts: Facts) -> bool:
    """Whether a transformation makes a tensor of an image or an array, which have no graph."""
    if not isinstance(node, ast.Call):
        return False
    steps = _steps(node, facts)
    return _make_tensor([node] if steps is None else steps, facts)


def gets_tensor_of_image(function: ast.Lambda, facts: Facts) -> bool:
    """Whether a function is a transformation that gets what others made of an image.

    ``Compose([ToTensor(), Lambda(lambda x: …)])``

    Args:
        function: what is given to ``Lambda``.
        facts: the facts of its file.
    """
    step = facts.parent(function)
    if not isinstance(step, ast.Call) or facts.name(step.func) != f"{_TRANSFORMS}Lambda":
        return False
    listed = facts.parent(step)
    steps = None if listed is None else _steps(facts.parent(listed), facts)
    if steps is None or step not in steps:
        return False
    return _make_tensor(steps[: steps.index(step)], facts)


def _make_tensor(steps: Sequence[ast.expr], facts: Facts) -> bool:
    names = [facts.name(step.func) if isinstance(step, ast.Call) else None for step in steps]
    makes = [at for at, step in enumerate(names) if step == f"{_TRANSFORMS}ToTensor"]
    return bool(makes) and all(
        step is not None and step.startswith(_TRANSFORMS) and not step.endswith(".Lambda")
        for step in names[makes[0] :]
    )


def _steps(node: ast.AST | None, facts: Facts) -> list[ast.expr] | None:
    """The transformations that ``Compose`` is given in a list; None of everything else."""
    if not isinstance(node, ast.Call) or facts.name(node.func) != f"{_TRANSFORMS}Compose":
        return None
    listed = node.args[0] if len(node.args) == 1 else None
    return listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else None
