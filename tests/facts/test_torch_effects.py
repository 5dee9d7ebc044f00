"""The table of what torch's operations do, held against the torch that is installed."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

from benchmarks import seen_effects
from benchmarks import torch_effects as generator
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.libraries.data import rows as data_rows

#: The whole table takes some minutes: ``python -m benchmarks.torch_effects --check``.
SAMPLE = frozenset(
    """add mul_ exp view reshape contiguous clone detach topk max cat gather float long to item
    numpy relu dropout masked_fill softmax bernoulli_ zeros_like size sum""".split()
)
GONE = [name for name, _ in data_rows("torch_gone.csv")]


@pytest.mark.skipif(not torch.__version__.startswith("2.13."), reason="made from torch 2.13")
def test_the_table_is_what_torch_does() -> None:
    def is_sampled(name: str) -> bool:
        owner, _, bare = name.rpartition(".")
        is_method = owner == "torch.Tensor" and bare in SAMPLE
        return is_method or name in ("torch.nn.ReLU", "torch.nn.functional.dropout", "torch.max")

    made = generator.make_table(is_sampled)
    assert len(made) > 20
    for name, rows in made.items():
        known = [
            (e.takes, e.does, e.shares, e.writes, e.records, e.saves)
            for e in torch_effects.effects_of(name)
        ]
        # The rows of a method may be those of its function, whose forms are some more.
        seen = [(t, e.does, e.shares, e.writes, e.records, e.saves) for t, e in rows]
        assert {row[1:] for row in seen} <= {row[1:] for row in known}, name


def test_every_name_is_torchs() -> None:
    assert len(torch_effects.lines()) > 1200
    for name in torch_effects.lines().keys() - set(GONE):
        functools.reduce(getattr, name.split(".")[1:], torch)


def test_every_line_can_be_read() -> None:
    words = set(seen_effects._WORDS)
    for name in torch_effects.lines():
        found = torch_effects.effects_of(name)
        assert found, name
        for effects in found:
            assert effects.does <= words, name


def test_what_is_written_by_hand_is_not_in_the_other_file() -> None:
    assert not set(GONE) & {name for name, _ in data_rows("torch_effects.csv")}


def test_the_tables_agree() -> None:
    """What ``torch_table`` says of histories and of memory, all calls of a name together."""
    for name in torch_table.lines().keys() & torch_effects.lines().keys():
        results = [r for form in torch_table.forms_of(name) for r in form.results]
        if not results or (name.startswith("torch.nn.") and name[9].isupper()):
            continue
        effects = torch_effects.effects_of(name)
        if all("n" in result.flags for result in results):
            assert not any(e.records for e in effects), name
        if all("i" in result.flags for result in results):
            assert all(any(s.startswith("=") for s in e.shares) for e in effects), name
        if not any(set("vi") & set(result.flags) for result in results):
            assert not torch_effects.may_share(name) or name in SHARES_FOR_SOME, name


#: Of dtypes that the table of results does not look at.
SHARES_FOR_SOME = frozenset(f"torch.Tensor.{name}" for name in ("short", "char", "bfloat16"))


def test_in_place_methods_write_into_their_tensor() -> None:
    others = {"requires_grad_", "detach_", "share_memory_"}
    for name in torch_effects.lines():
        bare = name.rpartition(".")[2]
        if name.startswith("torch.Tensor.") and bare.endswith("_") and bare not in others:
            assert torch_effects.writes(name) >= {"input"}, name
            assert not torch_effects.reads_only(name), name


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        (torch_effects.is_elementwise, "mul exp torch.relu clamp cuda torch.nn.ReLU", "sum t mm"),
        (torch_effects.keeps_numbers, "view t cpu float half T detach", "long exp narrow max"),
        (torch_effects.rearranges, "view permute expand clone cuda", "float to narrow sum"),
        (torch_effects.hands_on, "narrow select gather t", "max sort float sum"),
        (torch_effects.moves_or_casts, "cuda cpu to type long type_as", "view item clone"),
        (torch_effects.calculates, "mul pow sigmoid clamp", "clone float cuda sum zero_"),
        (torch_effects.hands_on_graph, "view sum mean float cuda squeeze", "long argmax detach"),
        (torch_effects.compares, "eq gt ne isnan", "equal max exp"),
        (torch_effects.is_cast, "long float type_as", "to type cuda exp"),
        (torch_effects.leaves_torch, "item tolist numpy equal", "size data sum"),
        (torch_effects.tells, "size dim numel shape device", "item storage grad grad_fn"),
        (torch_effects.may_share, "view t cpu data unknown_method", "clone exp sum"),
        (
            torch_effects.is_fresh,
            "clone exp sum topk torch.cat",
            "view cpu item size unknown_method",
        ),
        (torch_effects.gives_alias, "view detach cpu narrow chunk", "add_ clone storage item"),
        (torch_effects.may_be_itself, "cpu to contiguous float", "view clone add_ t"),
        (torch_effects.is_recorded, "exp view sum float", "detach long argmax eq size"),
        (torch_effects.has_no_graph, "detach long argmax eq", "exp topk unknown_method"),
        (torch_effects.cuts_graph, "data detach item numpy size shape", "argmax grad_fn exp t"),
        (torch_effects.gives_indices, "topk sort max median torch.kthvalue", "sum split exp"),
        (torch_effects.reads_only, "exp view torch.relu", "add_ zero_ unknown_method"),
    ],
)
def test_questions(question: Any, yes: str, no: str) -> None:
    assert [name for name in yes.split() if not question(name)] == []
    assert [name for name in no.split() if question(name)] == []


@pytest.mark.parametrize("name", "mse_loss l1_loss smooth_l1_loss huber_loss kl_div".split())
def test_a_graph_leads_from_the_second_argument_of_a_loss(name: str) -> None:
    (effects,) = torch_effects.effects_of(f"torch.nn.functional.{name}")
    assert effects.records == {"input", "target"}
    y = torch.rand(3, requires_grad=True)
    assert getattr(torch.nn.functional, name)(torch.rand(3), y, reduction="sum").requires_grad


def test_no_graph_leads_from_classes() -> None:
    (effects,) = torch_effects.effects_of("torch.nn.functional.nll_loss")
    assert effects.records == {"input"}


def test_options_count_where_they_are_given() -> None:
    assert torch_effects.reads_only("torch.nn.functional.relu")
    assert not torch_effects.reads_only("torch.nn.functional.relu", "inplace")
    assert not torch_effects.may_share("torch.nn.functional.relu")
    assert torch_effects.may_share("torch.nn.functional.relu", "inplace")
    assert not torch_effects.reads_only("torch.add", "out")
    assert torch_effects.reads_only("torch.Tensor.add", "out")


def test_what_backward_reads() -> None:
    assert torch_effects.saves("torch.exp") == {"result"}
    assert torch_effects.saves("mul") == {"input", "other"}
    assert torch_effects.saves("add") == frozenset()
    assert torch_effects.saves("gather") == {"index", "input"}


@pytest.mark.parametrize("name", ["torch.exp", "torch.mul", "torch.sigmoid", "torch.tanh"])
def test_writing_into_what_is_saved_fails(name: str) -> None:
    x = torch.rand(3, requires_grad=True).mul(1)
    y = torch.rand(3, requires_grad=True).mul(1)
    function = functools.reduce(getattr, name.split(".")[1:], torch)
    result = function(x, y) if name == "torch.mul" else function(x)
    saved = {"input": x, "other": y, "result": result}
    with torch.no_grad():
        saved[min(torch_effects.saves(name))].zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_names() -> None:
    assert torch_effects.effects_of("relu") == torch_effects.effects_of("torch.Tensor.relu")
    # No methods of tensors: ``self.mse_loss(x, y)`` of a user's class says nothing.
    assert not torch_effects.is_known("cat") and not torch_effects.is_known("mse_loss")
    assert torch_effects.effects_of(torch_effects.of_any("cat"))
    assert torch_effects.of_any("nothing") == "nothing"
    assert torch_effects.effects_of("numpy.exp") == ()
    assert not torch_effects.is_known("torch.nothing")
