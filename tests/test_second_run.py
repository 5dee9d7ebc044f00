"""What a second run would find is looked for where the age of the file decides, and only there."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.test_dates import HALF_UPDATED, OLD_STFT
from torchfix_codemods.engine import dispatch, migrate
from torchfix_codemods.engine.migrate import facts_of, migrate_text
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import FileError, Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules import all_rules

RULES = Path(__file__).parent.parent / "fixtures" / "rules"
FIXTURES = (path.read_text("utf-8") for path in sorted(RULES.glob("*.py")))
OLD = [
    *(text for text in FIXTURES if "volatile=" in text),
    *map(textwrap.dedent, (OLD_STFT, HALF_UPDATED)),
]


@pytest.mark.parametrize("ask", ["era", "era_of", "clues", "touched", "is_rewritten"])
def test_what_hangs_on_the_age_is_known(ask: str) -> None:
    facts = facts_of("x = 1\n")

    def asked() -> object:
        return {
            "era": lambda: facts.era,
            "era_of": lambda: facts.era_of(facts.tree.body[0]),
            "clues": lambda: facts.clues,
            "touched": lambda: facts.touched(facts.tree.body[0]),
            "is_rewritten": lambda: facts.is_rewritten(1),
        }[ask]()

    # The second answer is the remembered one, and hangs on the age as the first.
    for _ in range(2):
        before = facts.asked_for_age
        facts.remembered("age", asked)
        assert facts.asked_for_age > before
    before = facts.asked_for_age
    facts.remembered("inside", lambda: facts.remembered("age", asked))
    assert facts.asked_for_age > before


def test_what_does_not_is_known_as_well() -> None:
    facts = facts_of("x = 1\n")
    for _ in range(2):
        facts.remembered("name", lambda: facts.name(facts.tree.body[0]))
    assert facts.value(facts.tree.body[0]) is not None
    assert facts.asked_for_age == 0


class _Asking(Rule):
    """Tells of every assignment whether it asks how old the file is."""

    name = "asking"
    numerics = Numerics.ADVICE
    words = frozenset({"x"})

    def __init__(self, code: str, asks: bool) -> None:
        self.code = code
        self.asks = asks

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if self.asks and facts.era.newest is None:
            yield self.advice(node, "asks")


class _Failing(_Asking):
    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        raise ValueError("what")
        yield


def test_only_what_asks_for_the_age_or_fails_is_asked_again() -> None:
    rules = [_Asking("TP1", True), _Asking("TP2", False), _Failing("TP3", False)]
    facts, errors = facts_of("x = 1\n"), list[FileError]()
    of_age: list[dispatch.Question] = []
    assert len([*dispatch.find(facts, rules, errors, of_age=of_age)]) == 1
    assert [rule.code for _, asked in of_age for rule, _ in asked] == ["TP1", "TP3"]
    again = [*dispatch.find(facts.without_history(None), rules, errors, of_age)]
    assert [found.rule.code for found in again] == ["TP1"]


def test_it_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds: list[bool] = []

    def all_asked(
        facts: Facts,
        rules: list[Rule],
        errors: list[FileError],
        questions: Iterable[dispatch.Question] | None,
        of_age: list[dispatch.Question],
    ) -> Iterator[Found]:
        seconds.append(questions is not None)
        return dispatch.find(facts, rules, errors, None, of_age)

    for text in OLD:
        with monkeypatch.context() as patched:
            patched.setattr(migrate, "find", all_asked)
            expected = migrate_text(text, all_rules())
        assert migrate_text(text, all_rules()) == expected
    assert any(seconds)


_BRANCH = '''
import torch
from torch.autograd import Variable

args = parser.parse_args()


def train(model, loader, criterion, use_gpu):
    for x, y in loader:
        if use_gpu:
            x = Variable(x.cuda())
            y = Variable(y.cuda())
        else:
            x, y = Variable(x), Variable(y)
        loss = criterion(model(x), y)
        loss.backward()
        print(loss.data[0])


train(torch.nn.Linear(3, 2), DataLoader(data), torch.nn.MSELoss(), args.use_gpu)
'''


def test_what_a_branch_that_went_allows_is_done_in_the_same_run() -> None:
    """The second half of the branches held moves back; without it nothing waits for a second run."""
    migration = migrate_text(_BRANCH, all_rules())
    assert "print(loss.item())" in migration.text and "x = x.to(device)" in migration.text
    assert migrate_text(migration.text, all_rules()).text == migration.text


def test_what_is_under_a_test_that_stays_stays() -> None:
    text = _BRANCH.replace("else:\n            x, y =", "else:\n            print(x)\n            x, y =")
    migration = migrate_text(text, all_rules())
    assert "print(loss.item())" in migration.text and "x = x.cuda()" in migration.text
