"""How a program is verified: what the command line says, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from torchfix_codemods.record import record
from torchfix_codemods.verify import RTOL


@record
class VerifyOptions:
    """Settings of one verification."""

    devices: tuple[str, ...] = ("cpu",)
    """``cpu``, ``cuda``; ``all`` was resolved."""
    max_batches: int | None = None
    """Batches of one pass over a DataLoader."""
    max_steps: int | None = None
    """Optimizer steps of one run."""
    max_seconds: float | None = None
    """Seconds of one run."""
    timeout: float = 1800.0
    """Seconds after which a run is killed."""
    fake_data: bool = False
    """Whether torchvision's data sets are synthetic."""
    cpu_shim: bool | None = None
    """Whether ``.cuda()`` works without a GPU; None: where there is none."""
    rtol: float = RTOL
    each: bool = False
    """Whether every rewrite is run on its own, too."""
    looks_for_unseen: bool = True
    """Whether values are moved to see that a wrong number would have shown."""
    looks_for_unwritten: bool = True
    """Whether a version is run where memory that nobody has written to holds no zeros."""
    synthetic: bool = False
    """Whether changed functions are called with inputs that are made for them."""
    inputs: Path | None = None
    """Saved inputs, with which changed functions are called without a program."""
    save_inputs: Path | None = None
    """Where inputs of changed functions are saved to."""
    oracle: str | None = None
    """The old torch to run BEFORE on."""
    oracle_python: str | None = None
    """The Python that torch is installed for."""
    bundle: Path | None = None
    """Where a failure is written to, to be taken along."""
    tell: Callable[[str], None] | None = None
    """Called before each run, with how far the verification is."""
    threads: int = 1
    """Threads of torch: sums over several come out differently."""
    seed: int = 0

    @property
    def without_program(self) -> bool:
        """Whether functions are called by themselves."""
        return self.synthetic or self.inputs is not None
