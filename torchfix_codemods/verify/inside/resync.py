"""Random numbers of one run, kept for another.

A rewrite that is meant to change an evaluation changes what the evaluation draws (dropout draws
nothing in eval mode), and with it everything that is drawn later. The run after such a rewrite
therefore begins each call of a module with the random state that the run before it had there.
"""

from __future__ import annotations

import os
import pickle
from typing import BinaryIO

import torch

from .events import Recorder


def keep(recorder: Recorder, path: str) -> None:
    """Write the state of torch's generator at each call of a module to ``path``."""
    known: dict[bytes, int] = {}
    file: BinaryIO | None = None
    owner = os.getpid()

    def write(module: torch.nn.Module) -> None:
        nonlocal file
        if os.getpid() != owner:
            return
        if file is None:
            file = open(path, "wb", buffering=0)  # noqa: SIM115
        state = bytes(torch.get_rng_state().numpy())
        index = known.setdefault(state, len(known))
        is_new = index == len(known) - 1 and len(known) > _written[0]
        pickle.dump((index, state if is_new else None), file)
        _written[0] = len(known)

    _written = [0]
    recorder.before_forward.append(write)


def replay(recorder: Recorder, path: str) -> None:
    """Begin each call of a module with the state that was kept for it."""
    if not os.path.exists(path):
        return
    file = open(path, "rb")  # noqa: SIM115
    states: dict[int, bytes] = {}
    owner = os.getpid()

    def restore(module: torch.nn.Module) -> None:
        if os.getpid() != owner:
            return
        try:
            index, state = pickle.load(file)
        except EOFError:
            return
        if state is not None:
            states[index] = state
        torch.set_rng_state(torch.frombuffer(bytearray(states[index]), dtype=torch.uint8))

    recorder.before_forward.append(restore)
