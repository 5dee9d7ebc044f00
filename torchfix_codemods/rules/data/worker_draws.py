"""Workers of a loader that draw from numpy drew the same numbers until torch 1.8."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.libraries.torch_names import SEEDS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.project_imports import with_imported
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.programs.saved_paths import calls_of
from torchfix_codemods.facts.programs.training import is_shown_to_evaluate
from torchfix_codemods.facts.values.lattice import Loader
from torchfix_codemods.facts.values.options import by_default
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.data.questions.drawing_sets import drawing
from torchfix_codemods.rules.data.questions.main_draws import may_others_draw
from torchfix_codemods.rules.data.questions.numpy_draws import Drawing

_FROM_ONE = (
    "until torch 1.8 all workers started with the same state of numpy, since 1.9 torch draws a "
    "seed for each, and this file seeds numpy alone: runs repeat only with torch.manual_seed, too"
)
_FROM_EACH_EPOCH = (
    "until torch 1.8 all workers drew the same numbers, again in each epoch, since 1.9 each has a "
    "seed of its own. To have the old numbers, write worker_init_fn=functools.partial(set_numpy, "
    "np.random.get_state()) with def set_numpy(state, worker): np.random.set_state(state)"
)


class WorkerDraws(Rule):
    """
    ## What it does
    Tells, in code for torch 1.8 or older, of a `DataLoader` with several workers over a data set
    of the project that draws from `numpy.random`, or has a transformation that does.

    ## Why
    Each worker is a copy of the main process, with the generator of numpy as it stands there. Until
    torch 1.8 all workers drew the same numbers, and the same again in each epoch where the main
    process drew none itself: crops and noise came in groups of equals. Since 1.9 each worker has a
    seed of its own in each epoch. That is what was meant, but training goes other ways than it did.

    ## Example
    ```python
    class Crops(Dataset):
        def __getitem__(self, index):
            top = np.random.randint(32)
            return self.images[index][:, top : top + 32]
    loader = DataLoader(Crops(), batch_size=16, num_workers=4)
    ```
    is reported. To have the old numbers, write
    ```python
    def set_numpy(state, worker):
        np.random.set_state(state)
    loader = DataLoader(
        Crops(), batch_size=16, num_workers=4,
        worker_init_fn=functools.partial(set_numpy, np.random.get_state()),
    )
    ```
    That is said only where nothing else draws from numpy's generator, or seeds it, once the loader
    is made. Elsewhere the finding tells of the seed of torch, which runs that repeat need now, and
    there is none where torch is seeded. Where a draw depends on what is not known, the finding says
    that the data set may draw.

    ## Numbers
    Nothing is rewritten: the old numbers are worse ones.

    ## When it stays its hand
    Where nothing shows that the file is as old as that, where the file does not seed numpy's
    generator, as no run repeats another one then, and where it evaluates only. Where the workers
    are 0 or 1, also as the default of an option, where the loader has a `worker_init_fn` or the
    data set seeds numpy itself, where the class of the data set is not known, and where what it is
    made with (`sample="evenly"`) keeps it from drawing. One finding is
    given per file.

    ## References
    - https://github.com/pytorch/pytorch/pull/56488
    - https://pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
    """

    code = "TP807"
    name = "worker-draws"
    since = "0.2"
    numerics = Numerics.ADVICE
    words = frozenset({"num_workers"})
    message = "workers have seeds of their own for numpy since torch 1.9"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if not facts.numbers_before(call, (1, 9)) or not _is_seeded(facts):
            return
        if is_shown_to_evaluate(facts):
            return
        found = _drawing_in_workers(call, facts)
        if found is None:
            return
        calls = [c for c in facts.names.nodes.get(ast.Call, ()) if isinstance(c, ast.Call)]
        earlier = [c for c in calls if start_of(c) < start_of(call)]
        if not any(_drawing_in_workers(other, facts) for other in earlier):
            draws = "draws" if found.is_certain else "may draw"
            is_kept = not may_others_draw(call, found.functions, facts)
            if is_kept and _is_for_workers_only(call, facts):
                yield self.advice(call, f"this data set {draws} from numpy: {_FROM_EACH_EPOCH}")
            elif not _is_torch_seeded(facts):
                yield self.advice(call, f"this data set {draws} from numpy: {_FROM_ONE}")


def _drawing_in_workers(call: ast.Call, facts: Facts) -> Drawing | None:
    return facts.remembered(("worker draws", call), lambda: _drawn_alike(call, facts))


def _drawn_alike(call: ast.Call, facts: Facts) -> Drawing | None:
    """How the data set draws from numpy's generator that a loader gives to several workers."""
    workers = argument(call, None, "num_workers")
    if workers is None or is_opaque(call):
        return None
    if constant(by_default(workers, facts.names)) in (0, 1, None):
        return None
    if argument(call, 10, "worker_init_fn") is not None:
        return None
    given = _data_set(call, facts)
    return None if given is None else drawing(given, facts)


def _data_set(call: ast.Call, facts: Facts) -> ast.expr | None:
    return argument(call, 0, "dataset") if isinstance(facts.value(call), Loader) else None


def _is_seeded(facts: Facts) -> bool:
    """Whether numpy's generator starts alike in each run; other files may not touch it."""
    seeds = ("numpy.random.seed", "numpy.random.set_state")
    attributes = facts.names.nodes.get(ast.Attribute, ())
    return facts.remembered(
        "numpy is seeded", lambda: any(facts.name(node) in seeds for node in attributes)
    )


def _is_torch_seeded(facts: Facts) -> bool:
    """Whether runs repeat, as the seeds of workers come from torch's generator: nothing to do."""
    if any(calls_of(each, name) for each in with_imported(facts) for name in SEEDS):
        return True
    return facts.is_imported_elsewhere and facts.is_mentioned_elsewhere("manual_seed")


def _is_for_workers_only(call: ast.Call, facts: Facts) -> bool:
    """Whether nobody else asks for samples: the main process, or a loader without workers."""
    given = _data_set(call, facts)
    if argument(call, None, "persistent_workers") is not None or given is None:
        return False
    loaders = [c for c in facts.names.nodes.get(ast.Call, ()) if isinstance(c, ast.Call)]
    others = [(one, data) for one in loaders if (data := _data_set(one, facts)) is not None]
    if any(_is_in_main(one) and drawing(data, facts) for one, data in others):
        return False
    if isinstance(given, ast.Call):
        return True
    if not isinstance(given, ast.Name):
        return False
    handed_over = {data for _, data in others}
    uses = [u for b in facts.flow.reaching(given) for u in uses_of(facts, b)]
    return all(use in handed_over or _is_measured(use, facts) for use in uses)


def _is_in_main(loader: ast.Call) -> bool:
    workers = argument(loader, None, "num_workers")
    return workers is None or constant(workers) in (0, None)


def _is_measured(use: ast.Name, facts: Facts) -> bool:
    """``len(data)``."""
    user = facts.parent(use)
    return isinstance(user, ast.Call) and facts.names.builtin(user.func) == "len"
