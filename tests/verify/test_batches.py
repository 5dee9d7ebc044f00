"""A batch that is given in parts is the same batch, to the bit."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from typing import Any

import numpy
import pytest

from torchfix_codemods.verify.comparing.batches import crc_of_both, parts_of
from torchfix_codemods.verify.comparing.tolerance import Measured, Tolerance
from torchfix_codemods.verify.inside.digest import digest

BATCH = numpy.random.default_rng(0).normal(size=(6, 5)).astype(numpy.float32)
MASK = BATCH > 0
NUMBERS = numpy.arange(6)


def call(*given: Any, result: Any, mode: str = "eval") -> dict[str, Any]:
    return {
        "kind": "forward",
        "root": "Net",
        "mode": mode,
        "input": digest(list(given)),
        "value": digest(result),
    }


def found(whole: dict[str, Any], *others: dict[str, Any]) -> list[int] | None:
    parts = parts_of(whole, others, Tolerance(1e-6, False, Measured()))
    return None if parts is None else list(parts)


@pytest.mark.parametrize("sizes", [(0, 7), (7, 0), (333, 1000), (1, 2**20)])
def test_crc_of_both(sizes: tuple[int, int]) -> None:
    one, other = map(os.urandom, sizes)
    assert crc_of_both(zlib.crc32(one), zlib.crc32(other), sizes[1]) == zlib.crc32(one + other)


@pytest.mark.parametrize(
    "given", [BATCH, BATCH.astype(float), MASK, NUMBERS], ids=lambda g: g.dtype
)
def test_parts(given: Any) -> None:
    whole = call(given, 3, result=BATCH * 2)
    parts = [
        call(given[part], 3, result=BATCH[part] * 2)
        for part in (slice(0, 1), slice(1, 4), slice(4, 6))
    ]
    other = call(given[:2], 3, result=BATCH[:2])
    assert found(whole, *parts) == [0, 1, 2]
    assert found(whole, other, other, *parts, other) == [2, 3, 4]


def test_what_they_give_may_be_rounded_otherwise() -> None:
    whole = call(BATCH, result=BATCH)
    parts = [call(BATCH[part], result=BATCH[part] * 1.0000003) for part in (slice(3), slice(3, 6))]
    assert found(whole, *parts) == [0, 1]


def test_several_results() -> None:
    whole = call([BATCH, NUMBERS], {"weight": MASK}, result=(BATCH, {"n": NUMBERS}))
    parts = [
        call(
            [BATCH[part], NUMBERS[part]],
            {"weight": MASK},
            result=(BATCH[part], {"n": NUMBERS[part]}),
        )
        for part in (slice(2), slice(2, 6))
    ]
    assert found(whole, *parts) == [0, 1]


def first(factor: float = 1.0, **more: Any) -> dict[str, Any]:
    return call(BATCH[:3], result=BATCH[:3] * factor, **more)


def second(factor: float = 1.0, **more: Any) -> dict[str, Any]:
    return call(BATCH[3:], result=BATCH[3:] * factor, **more)


@pytest.mark.parametrize(
    "others",
    [
        list,
        lambda: [call(BATCH, result=BATCH)],
        lambda: [second(), first()],
        lambda: [first(), first()],
        lambda: [first(), call(BATCH[3:5], result=BATCH[3:5])],
        lambda: [first(), second(1.001)],
        lambda: [first(-1.0), second()],
        lambda: [first(), second(mode="train")],
        lambda: [first(), call(BATCH[3:] * 1.0000003, result=BATCH[3:])],
        lambda: [first(), call(BATCH[3:].astype(float), result=BATCH[3:])],
        lambda: [first(), call(BATCH[3:], 1, result=BATCH[3:])],
        lambda: [call(BATCH[:3].reshape(5, 3), result=BATCH[:3]), second()],
        lambda: [call(3.0, result=BATCH[:3]), second()],
    ],
)
def test_what_are_no_parts(others: Callable[[], list[dict[str, Any]]]) -> None:
    assert found(call(BATCH, result=BATCH), *others()) is None


def test_a_call_without_a_batch() -> None:
    assert found(call(3, result=BATCH), first(), second()) is None
