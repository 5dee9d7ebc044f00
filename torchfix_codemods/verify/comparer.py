"""How a version is held against the run that is right: on one torch, or across two of them."""

from __future__ import annotations

from typing import Protocol

from torchfix_codemods.record import record
from torchfix_codemods.verify.comparing.compare import Comparison, Mask, compare
from torchfix_codemods.verify.hunks import Hunk
from torchfix_codemods.verify.runs import Run


class Comparer(Protocol):
    """Compares versions with the run that is right."""

    @property
    def is_across(self) -> bool:
        """Whether the right run is one on another torch: no version can be laid beside it."""

    def moves_numbers(self, hunk: Hunk) -> bool:
        """Whether a change is judged by what it says that it changes."""

    def compare(self, before: Run, after: Run, mask: Mask, has_stand_in: bool) -> Comparison:
        """Compare a version with the run that is right.

        Args:
            before: the run that is right.
            after: the other one.
            mask: what is not to be compared.
            has_stand_in: whether one of them has a stand-in for the old torch.
        """

    def said(self, reason: str) -> str:
        """Why a version is right, for people.

        Args:
            reason: how closely it agrees.
        """


@record
class OnOneTorch:
    """Both sides run on the same torch."""

    rtol: float
    is_across: bool = False

    def moves_numbers(self, hunk: Hunk) -> bool:
        """Whether a change is judged by what it says that it changes."""
        return hunk.moves_numbers

    def compare(self, before: Run, after: Run, mask: Mask, has_stand_in: bool) -> Comparison:
        """Compare a version with the run that is right; see :class:`Comparer`."""
        return compare(before, after, rtol=self.rtol, mask=mask, bytes_are_bools=has_stand_in)

    def said(self, reason: str) -> str:
        """Why a version is right, for people."""
        return reason
