"""A seed for torch seeds neither numpy nor Python, and cuDNN chooses as it likes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries.torch_names import SEEDS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.spelling import spelling
from torchfix_codemods.facts.programs.training import is_shown_to_evaluate
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.devices.questions.drawn_names import only_names
from torchfix_codemods.rules.devices.questions.seeds import (
    SEEDS_OF_DEVICES,
    is_drawn_by_workers,
    is_drawn_for_itself,
    is_seed,
    may_convolve,
    repeats_runs,
    seeds_of,
)

_BENCHMARK = "torch.backends.cudnn.benchmark"
_DETERMINISTIC = "torch.backends.cudnn.deterministic"

#: Functions that draw from the generator that each module shares among all of its users.
_DRAWS = {
    "numpy.random": frozenset(
        """rand randn randint random random_sample choice shuffle permutation normal uniform beta
        binomial exponential gamma poisson standard_normal multivariate_normal dirichlet laplace
        multinomial""".split()
    ),
    "random": frozenset(
        """random randint randrange choice choices shuffle sample uniform gauss normalvariate
        betavariate expovariate triangular getrandbits""".split()
    ),
}

_SEEDS_OF_NUMPY = ("np.random.seed", "numpy.random.seed")


class SeedAll(Rule):
    """
    ## What it does
    Says which line is missing beside `torch.manual_seed(…)`: a seed for `numpy.random` or `random`
    where the file draws from them, and `cudnn.benchmark = False` where the file sets
    `cudnn.deterministic = True` and asks cuDNN to choose its algorithms by their speed as well.

    ## Why
    Each library has a generator of its own. A program that seeds torch alone still shuffles,
    augments or initializes in another way in each run. `cudnn.deterministic` keeps to algorithms
    that give the same numbers each time; which of them is taken, and with it the last digits,
    depends with `cudnn.benchmark` on what was fastest today.

    ## Example
    ```python
    torch.manual_seed(args.seed)
    order = np.random.permutation(len(data))
    ```
    should be
    ```python
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    order = np.random.permutation(len(data))
    ```

    ## Numbers
    Nothing is rewritten.

    ## When it stays its hand
    Where the generator is seeded anywhere in the project, where the file draws from generators of
    its own only (`numpy.random.RandomState(0)`) or for the name of a file only
    (`"".join(random.choice(letters) for _ in range(9))`) or to seed something
    (`seed = random.randint(0, 999)`), where torch gets a seed that is drawn right there, where
    `__getitem__` draws and loaders have workers, which torch seeds from its own generator, and
    where nothing is seeded at all.
    Of cuDNN nothing is said where the file does not ask for the same numbers by
    `cudnn.deterministic = True`, where the project has no convolution, and no model of torchvision,
    where the seed itself is drawn in each run (`opt.seed = random.randint(1, 10000)`), and where
    the file evaluates only.

    ## References
    - https://pytorch.org/docs/stable/notes/randomness.html
    """

    code = "TP209"
    name = "seed-all"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"manual_seed", "benchmark"})
    message = "torch is seeded, other generators are not"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) not in SEEDS or call is not seeds_of(facts)[0]:
            return
        if is_drawn_for_itself(call, facts):
            return
        for module in _DRAWS:
            drawn = _first_draw(module, call, facts)
            if drawn is None or _is_seeded(module, facts):
                continue
            assert isinstance(drawn.func, ast.Attribute)
            written = _written_at(call, module, drawn.func.value, facts)
            below = _below_import(call, module, written, facts) or _where(call, facts)
            seed = ", ".join(map(ast.unparse, values_given(call)))
            yield self.advice(
                call,
                f"torch.manual_seed does not seed {module}, which line "
                f"{facts.origin(drawn.lineno)} draws from: add {written}.seed({seed}){below}",
            )

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        target = node.targets[0]
        if facts.name(target) != _BENCHMARK or constant(node.value) is not True:
            return
        setting = _deterministic_at(node, facts)
        if setting is None or not repeats_runs(facts) or not may_convolve(facts):
            return
        if not is_shown_to_evaluate(facts):
            line, cudnn = facts.origin(setting.lineno), facts.segment(target).rpartition(".")[0]
            yield self.advice(
                node,
                f"{cudnn}.deterministic = True (line {line}) needs {cudnn}.benchmark = False: else "
                "cuDNN takes the algorithms that are fastest in this run",
            )


def _deterministic_at(node: ast.Assign, facts: Facts) -> ast.Assign | None:
    """``cudnn.deterministic = True`` that runs wherever a statement does."""
    above = set(facts.names.ancestors(node))
    for attribute in facts.names.attributes("deterministic"):
        setting = facts.statement(attribute)
        if facts.name(attribute) != _DETERMINISTIC or not isinstance(setting, ast.Assign):
            continue
        is_around = all(outer in above for outer in facts.names.ancestors(setting))
        if setting.targets == [attribute] and constant(setting.value) is True and is_around:
            return setting
    return None


def _written_at(seed: ast.Call, module: str, drawn: ast.expr, facts: Facts) -> str:
    """How a module is written beside the seed: as it is where it is drawn from, if that is known.

    A name that is imported in the function that draws means nothing where torch is seeded.
    """
    root = next(part for part in ast.walk(drawn) if isinstance(part, ast.Name)).id
    found = facts.names.scope_of(seed).lookup(root)
    there = facts.names.scope_of(drawn).lookup(root)
    if found is not None and there is not None and found[0] is there[0]:
        return facts.segment(drawn)
    spelled = spell(facts, module, seed)
    return f"`import {module}` and {module}" if spelled is None or spelled.needs else spelled.text


def _below_import(seed: ast.Call, module: str, written: str, facts: Facts) -> str:
    """Where a seed belongs whose module is imported further down than torch is seeded."""
    found = facts.names.scope_of(seed).lookup(written.partition(".")[0])
    imports = [] if found is None else [each.node for each in found[1] if each.kind == "import"]
    lines = [getattr(each, "lineno", 0) for each in imports]
    if not lines or min(lines) < seed.lineno or spelling(facts, seed, module) is not None:
        return ""
    return f" below its import in line {facts.origin(min(lines))}"


def _where(seed: ast.Call, facts: Facts) -> str:
    """Where a seed belongs that is for both branches of an ``if``: the other one seeds as well."""
    statement = facts.statement(seed)
    choice = facts.parent(statement)
    if not isinstance(choice, ast.If) or not choice.orelse:
        return ""
    other = choice.body if statement in choice.orelse else choice.orelse
    is_seeded = any(
        isinstance(node, ast.Call) and facts.name(node.func) in SEEDS_OF_DEVICES
        for part in other
        for node in walk(part)
    )
    line = facts.origin(choice.lineno)
    return f" below the if in line {line}, for both of its branches" if is_seeded else ""


def _first_draw(module: str, seed: ast.Call, facts: Facts) -> ast.Call | None:
    """The first call that draws from the generator of a module, where it is called by its name.

    What only names a file does not count, nor a seed that is drawn, nor what workers draw, nor what
    is drawn above the seed where that stands, as the seed itself may be.
    """
    calls = [
        node
        for node in facts.names.nodes.get(ast.Call, ())
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _DRAWS[module]
        and facts.name(node.func) == f"{module}.{node.func.attr}"
    ]
    in_order = sorted(calls, key=lambda call: call.lineno)
    around = facts.names.enclosing_function(seed)
    return next(
        (
            call
            for call in in_order
            if not only_names(call, facts)
            and not is_seed(call, facts)
            and not is_drawn_by_workers(call, facts)
            and not (facts.names.enclosing_function(call) is around and call.lineno < seed.lineno)
        ),
        None,
    )


def _is_seeded(module: str, facts: Facts) -> bool:
    """Whether a generator is seeded, or set, here or in another file of the project."""
    own = {
        facts.name(node.func)
        for node in facts.names.nodes.get(ast.Call, ())
        if isinstance(node, ast.Call)
    }
    if own & {f"{module}.seed", f"{module}.set_state", f"{module}.setstate"}:
        return True
    if module == "numpy.random" and any(map(facts.is_mentioned_elsewhere, _SEEDS_OF_NUMPY)):
        return True
    # What another file may seed; a seed for numpy is written like one for Python's own.
    return not facts.speaks_of("random.seed") and facts.is_mentioned("random.seed")
