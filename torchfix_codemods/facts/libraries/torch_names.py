"""How torch's names are spelled: one canonical path each, and what its star imports bring."""

from __future__ import annotations

import functools

from torchfix_codemods.facts.libraries.data import table

#: What tensors were wrapped in until torch 0.3.
VARIABLE = "torch.autograd.Variable"

#: What sets the state of torch's own generator.
SEEDS = frozenset({"torch.manual_seed", "torch.random.manual_seed"})

#: Private or historic homes of names whose public home is elsewhere.
_ALIASES = {
    "torch.autograd.variable.Variable": VARIABLE,
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.autograd.Parameter": "torch.nn.Parameter",
    "torch.nn.backends.thnn": "torch.nn.backends.thnn",
    "torch.nn.parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.data_parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.distributed.DistributedDataParallel": (
        "torch.nn.parallel.DistributedDataParallel"
    ),
}

#: What ``torch.functional`` had once and has no more, while torch itself has it.
_ONCE_FUNCTIONAL = frozenset(
    f"torch.functional.{name}"
    for name in ("argmax", "argmin", "argsort", "isfinite", "isinf", "isnan")
)

#: ``torch.nn.modules.loss.MSELoss`` is ``torch.nn.MSELoss``, and so on: packages that export
#: the classes of their private modules.
_RE_EXPORTING = ("torch.nn.modules", "torch.utils.data", "torch.optim")
_KEPT_BELOW = frozenset(
    {"torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.utils.data.distributed"}
)


def last_part(name: str) -> str:
    """What stands behind the last dot of a qualified name."""
    return name.rpartition(".")[2]


def module_part(name: str) -> str:
    """What stands before the last dot of a qualified name."""
    return name.rpartition(".")[0]


def canonical(name: str) -> str:
    """Return the public spelling of a qualified name.

    >>> canonical("torch.nn.modules.loss.MSELoss")
    'torch.nn.MSELoss'
    >>> canonical("torch.sparse.torch.eye")
    'torch.eye'
    """
    if not name.startswith("torch."):
        return name
    if ".torch." in name:
        # What a module of torch imports is reached through it as well.
        name = f"torch.{name.rpartition('.torch.')[2]}"
    if name in _ALIASES:
        return _ALIASES[name]
    if name.startswith("torch.functional.") and name not in _ONCE_FUNCTIONAL:
        return name.replace("functional.", "", 1)
    for package in _RE_EXPORTING:
        if name.startswith(package + "."):
            rest = name[len(package) + 1 :].split(".")
            if rest[-1][:1].isupper() and not any(name.startswith(kept) for kept in _KEPT_BELOW):
                public = "torch.nn" if package == "torch.nn.modules" else package
                return f"{public}.{rest[-1]}"
    return name


@functools.cache
def _star_exports() -> dict[str, frozenset[str]]:
    return {module: frozenset(names) for module, names in table("star_exports.json").items()}


def star_exports(module: str) -> frozenset[str] | None:
    """The names that ``from MODULE import *`` brings in; None where that is not known.

    The lists hold the names of today's torch and those of 0.1 to 1.0 that have gone since, and
    those of torchvision's transforms and of tqdm.
    """
    if module.partition(".")[0] not in ("torch", "torchvision", "tqdm"):
        return None
    return _star_exports().get(module)
