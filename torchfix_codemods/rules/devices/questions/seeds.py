"""The seeds of a program, and what cuDNN can change in a run that is to be repeated."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.libraries.torch_names import SEEDS, last_part
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.programs.saved_paths import calls_of

#: What seeds torch on one device or on all.
SEEDS_OF_DEVICES = SEEDS | {"torch.cuda.manual_seed", "torch.cuda.manual_seed_all"}

#: Where models come from that may convolve out of sight.
_MODELS = ("timm", "pretrainedmodels", "torch.hub")

#: What gives another number in each run, and the libraries whose draws do.
_ANEW = ("random.", "numpy.random.", "time.", "datetime.", "os.urandom", "secrets.", "torch.seed")
_SEEDING = frozenset({"random.seed", "numpy.random.seed"})


def seeds_of(facts: Facts) -> list[ast.Call]:
    """The calls that seed torch, in the order of their lines."""
    return sorted(_calls_of_any(SEEDS, facts), key=lambda call: call.lineno)


def repeats_runs(facts: Facts) -> bool:
    """Whether a program is seeded with what can be the same in another run.

    Not where each seed is drawn, whatever was given: ``opt.seed = random.randint(1, 10000)``.
    """
    return not all(_is_drawn(call, facts) for call in seeds_of(facts))


def is_drawn_by_workers(draw: ast.Call, facts: Facts) -> bool:
    """Whether the workers of a loader may draw, which torch seeds from its own generator.

    They do so in ``__getitem__`` of a data set, unless the file says that there are none.
    """
    functions = [n for n in facts.names.ancestors(draw) if isinstance(n, ast.FunctionDef)]
    if not functions or functions[-1].name != "__getitem__":
        return False
    said = [
        keyword.value
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg == "num_workers"
    ]
    if said and all(constant(workers) == 0 for workers in said):
        return False
    return facts.speaks_of("num_workers") or facts.is_mentioned("num_workers")


def may_convolve(facts: Facts) -> bool:
    """Whether the project calls a convolution, or has a model that was written elsewhere."""
    if all(map(facts.is_mentioned, ("torchvision", "models"))):
        return True
    if any(map(facts.is_mentioned, _MODELS)):
        return True
    layers = {bare for name in torch_table.lines() if "conv" in (bare := last_part(name)).lower()}
    return any(_is_made(layer, facts) for layer in sorted(layers) if facts.is_mentioned(layer))


def _is_made(layer: str, facts: Facts) -> bool:
    """Whether a file calls what it mentions, or cannot be read: ``nn.Conv2d(3, 4, 3)``."""
    made = f"{layer}("
    files = () if facts.files is None else facts.files.mentioning(layer)
    if facts.speaks_of(made) or files is None:
        return True
    read = [facts_of(file) for file in files]
    return any(there is None or there.speaks_of(made) for there in read)


def _is_drawn(seed: ast.Call, facts: Facts) -> bool:
    """Whether what seeds torch is another number in each run."""
    given = next(iter(values_given(seed)), None)
    if isinstance(given, (ast.Name, ast.Attribute)):
        given = _set_above(given, facts.statement(seed), facts)
    return given is not None and _draws_anew(given, facts)


def is_drawn_for_itself(seed: ast.Call, facts: Facts) -> bool:
    """``torch.manual_seed(random.randint(0, 99))``: nobody ever learns which number it was."""
    given = next(iter(values_given(seed)), None)
    is_choice = isinstance(given, (ast.BoolOp, ast.IfExp))
    return given is not None and not is_choice and _draws_anew(given, facts)


def _draws_anew(given: ast.expr, facts: Facts) -> bool:
    return any(
        isinstance(node, ast.Call)
        and (facts.name(node.func) or "").startswith(_ANEW)
        and not any(s.lineno < node.lineno for s in _calls_of_any(_SEEDING, facts))
        for node in walk(given)
    )


def _set_above(target: ast.expr, statement: ast.stmt, facts: Facts) -> ast.expr | None:
    """What a name or an attribute was last set to in a block, where nothing else may set it."""
    text, block = ast.unparse(target), facts.block(statement)
    for above in reversed(block[: block.index(statement)]):
        stores = (n for n in walk(above) if isinstance(getattr(n, "ctx", None), ast.Store))
        if any(ast.unparse(node) == text for node in stores):
            return above.value if isinstance(above, ast.Assign) else None
    return None


def _calls_of_any(names: frozenset[str], facts: Facts) -> list[ast.Call]:
    return [call for name in sorted(names) for call in calls_of(facts, name)]


def is_seed(draw: ast.Call, facts: Facts) -> bool:
    """Whether what is drawn is called a seed, or given to what seeds: it is to be a new one."""
    statement, above = facts.statement(draw), facts.parent(draw)
    named = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(above, ast.Call) and above.func is not draw:
        named = [*named, above.func]
    return any("seed" in ast.unparse(name).lower() for name in named)
