"""What a distribution draws has the dimensions of its parameters, but the one of the choices."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_DRAWN = """
import torch
from torch.autograd import Variable
from torch.distributions import Bernoulli, Categorical
def choose(env, x, shape):
    logits = {logits}
    action = {drawn}
    {used}
"""
_OF_ONE = "Variable(torch.randn(5))"
_OF_BATCH = "Variable(torch.randn(1, 5))"


def _drawn(logits: str, drawn: str, used: str = "env.step(action.data[0])") -> str:
    return _DRAWN.format(logits=logits, drawn=drawn, used=used)


@pytest.mark.parametrize(
    "drawn", ["Categorical(logits).sample()", "Categorical(logits=logits).sample()"]
)
def test_what_is_drawn_of_one_row_has_no_dimension(drawn: str) -> None:
    text = migrate(_drawn(_OF_ONE, drawn), "TP103").text
    assert "env.step(action.item())" in text


def test_the_entropy_of_one_row_has_no_dimension() -> None:
    text = migrate(_drawn(_OF_ONE, "Categorical(logits).entropy()"), "TP103").text
    assert "env.step(action.item())" in text


def test_what_is_drawn_of_a_batch_keeps_its_index() -> None:
    old = "Variable(torch.randn(1, 5), volatile=True)"
    text = migrate(_drawn(old, "Categorical(logits).sample()"), "TP103").text
    assert "env.step(action[0].item())" in text


_KEPT = {
    "a batch": _drawn(_OF_BATCH, "Categorical(logits).sample()", "return action.data[0]"),
    "the entropy of a batch": _drawn(
        _OF_BATCH, "Categorical(logits).entropy()", "return action.data[0]"
    ),
    "a shape": _drawn(_OF_ONE, "Categorical(logits).sample((1,))", "return action[0]"),
    "a shape by its name": _drawn(
        _OF_ONE, "Categorical(logits).sample(sample_shape=shape)", "return action[0]"
    ),
    "each choice for itself": _drawn(_OF_ONE, "Bernoulli(logits).sample()", "return action[0]"),
    "arguments out of sight": _drawn(_OF_ONE, "Categorical(*logits).sample()", "return action[0]"),
    "a column of choices": _drawn(_OF_ONE, "logits.multinomial(1)", "return action.data[0]"),
}

test_keeps = keeps("TP103", _KEPT)


@pytest.mark.parametrize("name", _KEPT)
def test_of_what_has_a_dimension_nothing_is_said(name: str) -> None:
    assert not advice("TP103", _KEPT[name])


def test_of_logits_that_are_not_known_both_are_said() -> None:
    text = _drawn("env(x)", "Categorical(logits).sample()", "return action.data[0]")
    (found,) = advice("TP103", text)
    assert found.message.endswith("since torch 0.4: write action.item()")


_POLICY = """
import torch
import torch.nn.functional as F
from torch.autograd import Variable
from torch.distributions import Categorical
class Policy(torch.nn.Module):
    def forward(self, x):
        return F.softmax(self.layers(Variable(x)), dim={dim})
    def act(self, x):
        drawn = Categorical(self.forward(x))
        action = drawn.sample()
        return action.data[0]
"""


def test_what_is_drawn_of_rows_has_a_dimension() -> None:
    """Probabilities along the second dimension are those of rows: one is drawn of each."""
    text = _POLICY.format(dim=1)
    assert not advice("TP103", text)
    (found,) = advice("TP103", text, options=Options(era=Era((0, 3), (0, 3))))
    assert found.message == (
        "action.data[0] of one dimension was a number until torch 0.3, and is a tensor today: "
        "write action[0].item() for the number"
    )
    (found,) = advice("TP103", _POLICY.format(dim=0))
    assert found.message.startswith("action.data[0] raises where action has no dimensions")


_CHOOSING = """
import torch
from torch.autograd import Variable
net = torch.nn.Linear(4, 2)
def choose(state):
    action = {drawn}
    return {returned}
def run(env, state):
    action = choose(state)
    env.step(action[0, 0])
"""
_CHOICE = "net(Variable(state, volatile=True)).multinomial()"


def test_what_a_function_draws_and_returns_is_one_number_by_two_indices() -> None:
    text = _CHOOSING.format(drawn=_CHOICE, returned="action.data")
    assert "env.step(action[0, 0].item())" in migrate(text, "TP103").text


@pytest.mark.parametrize(
    ("drawn", "returned"),
    [
        (_CHOICE, "action.data if state else net(state).data"),
        ("net(Variable(state, volatile=True))", "action.data"),
        (_CHOICE, "action"),
    ],
)
def test_what_a_function_may_return_as_rows_keeps_its_indices(drawn: str, returned: str) -> None:
    text = _CHOOSING.format(drawn=drawn, returned=returned)
    assert "env.step(action[0, 0])" in migrate(text, "TP103").text


_BY_CHANCE = """
import random, torch
from torch.autograd import Variable
use_cuda = torch.cuda.is_available()
LongTensor = {made}
net = torch.nn.Linear(4, 2)
def choose(state):
    if random.random() > 0.5:
        return net(Variable(state.view(1, 4), volatile=True)).data.max(1)[1].view(1, 1)
    return LongTensor([[random.randrange(2)]])
def run(env, state):
    action = choose(state)
    env.step(action[0, 0])
"""


def test_what_is_made_by_a_type_that_is_chosen_was_no_variable() -> None:
    chosen = "torch.cuda.LongTensor if use_cuda else torch.LongTensor"
    text = migrate(_BY_CHANCE.format(made=chosen), "TP103").text
    assert "env.step(action[0, 0].item())" in text


def test_what_a_function_makes_that_is_not_known_keeps_its_indices() -> None:
    text = migrate("import made\n" + _BY_CHANCE.format(made="made.LongTensor"), "TP103").text
    assert "env.step(action[0, 0])" in text


_DRAWN_TWICE = """
import torch
def run(model, env, o, drawn):
    p, v = model(o)
    a = p.multinomial()
    {read}
    for a in drawn:
        print(a.data)
"""


def test_what_the_next_line_asks_for_data_was_drawn_by_torch() -> None:
    text = migrate(_DRAWN_TWICE.format(read="o = env.step(a.data)")).text
    assert "p.multinomial(1)" in text


def test_what_no_line_asks_for_data_may_be_drawn_by_another() -> None:
    assert "p.multinomial()" in migrate(_DRAWN_TWICE.format(read="o = env.step(a)")).text
