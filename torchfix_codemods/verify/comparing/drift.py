"""Numbers that part little by little: last bits that grow, or a small error at each step?

Training amplifies the last bits of a sum until nothing agrees. So the version in question runs once
more, and each call of a module begins with the parameters that the right run had there. Then each
step stands for itself, and all that they are off in sum is what an error would have come to without
being amplified: no more than rounding does.
"""

from __future__ import annotations

from typing import Any

from torchfix_codemods.verify.comparing.compare import Comparison, Mask, compare
from torchfix_codemods.verify.runs import Run

#: What is said of a version whose numbers part only because last bits grow.
WORDS = "each step by itself: last bits that are rounded otherwise grow in the whole run"

#: At so many times the tolerance numbers must still agree where they begin to part.
_LITTLE = 100.0


def may_be_drift(
    before: Run, after: Run, comparison: Comparison, *, rtol: float, mask: Mask, **settings: Any
) -> bool:
    """Whether two runs do the same, and their numbers part little by little.

    Args:
        before: the run that is right.
        after: the other one.
        comparison: of the two.
        rtol: how much numbers may differ.
        mask: what is not to be compared.
        settings: of the comparison.
    """
    first = comparison.first
    if first is None or first.is_structural or first.is_container or not _trains(before):
        return False
    loose = compare(before, after, rtol=rtol * _LITTLE, mask=mask, **settings).first
    if loose is None:
        return True
    # Adam makes a whole step of a gradient that is nothing but rounding.
    is_step = loose.kind == "step" and loose.path.startswith("value")
    return loose.stream == first.stream and (loose.index > first.index or is_step)


def _trains(run: Run) -> bool:
    """Whether a program goes on with what it made of its parameters, in one process."""
    kinds = [e["kind"] for stream in run.streams.values() for e in stream.events]
    return len(run.streams) == 1 and kinds.count("step") + kinds.count("backward") > 1


def is_right_step_by_step(run: Run, rtol: float) -> bool:
    """Whether a run that followed another one was not off by more than rounding.

    Args:
        run: the run, whose main process tells how far parameters and gradients were off.
        rtol: how much numbers may differ.
    """
    main = run.streams.get("main")
    end = main.end if main is not None else None
    if not end or not end.get("forced") or end.get("free") or end["gradients_free"]:
        return False
    most: float = max(end["most_off"], end["off_in_all"], end["gradients_off"])
    return most <= rtol
