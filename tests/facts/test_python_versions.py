"""How tests of the version of Python come out in Python 3."""

from __future__ import annotations

import ast

import pytest

from tests.support.rules import keeps, migrate
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.python_versions import of_python3
from torchfix_codemods.facts.programs.whole import WholeFacts

_SETUP = """import sys
import six
from sys import version_info as found
from six import PY2
from torch._six import PY3
import config
OLD = sys.version_info[0] == 2
NEW = not OLD
OTHER = OLD
OTHER = NEW
AROUND = not AROUND
"""


def _outcome(test: str) -> bool | None:
    tree = ast.parse(f"{_SETUP}if {test}:\n    pass\n")
    last = tree.body[-1]
    assert isinstance(last, ast.If)
    return of_python3(Names(tree), last.test)


@pytest.mark.parametrize(
    "test",
    [
        "sys.version_info > (3, 0)",
        "(sys.version_info > (3,))",
        "sys.version_info >= (3, 0)",
        "(3, 0) <= sys.version_info",
        "found >= (3,)",
        "sys.version_info[0] >= 3",
        "sys.version_info[0] == 3",
        "3 == sys.version_info[0]",
        "sys.version_info[0] != 2",
        "sys.version_info.major > 2",
        "sys.version_info[:2] >= (3, 3)",
        "sys.version_info[:1] == (3,)",
        "sys.version[0] == '3'",
        "six.PY3",
        "PY3",
        "not PY2",
        "NEW",
    ],
)
def test_python3_passes_it(test: str) -> None:
    assert _outcome(test) is True
    assert _outcome(f"not ({test})") is False


@pytest.mark.parametrize(
    "test",
    [
        "sys.version_info < (3, 0)",
        "sys.version_info <= (3, 0)",
        "sys.version_info[0] < 3",
        "sys.version_info[0] == 2",
        "sys.version_info.major == 2",
        "sys.version[0] == '2'",
        "six.PY2",
        "PY2",
        "OLD",
    ],
)
def test_only_python2_passes_it(test: str) -> None:
    assert _outcome(test) is False


@pytest.mark.parametrize(
    "test",
    [
        "sys.version_info >= (3, 8)",
        "sys.version_info[1] > 5",
        "sys.version_info[:2] == (3, 6)",
        "sys.version_info[0] == config.major",
        "sys.version_info > sys.version_info",
        "sys.version_info > 3",
        "sys.version > '3.6'",
        "config.version_info > (3, 0)",
        "config.PY2",
        "sys.version_info.minor > 2",
        "2 < sys.version_info[0] < 4",
        "OTHER",
        "AROUND",
        "PY4",
        "sys.argv[0] == 2",
    ],
)
def test_not_known(test: str) -> None:
    assert _outcome(test) is None


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("if six.PY2:\n    x = 1\nelse:\n    x = 2\nlook(x)", {"2"}),
        ("if six.PY3:\n    x = 1\nelse:\n    x = 2\nlook(x)", {"1"}),
        ("x = 0\nif six.PY2:\n    x = 1\nlook(x)", {"0"}),
        ("x = 0\nif six.PY3:\n    x = 1\nlook(x)", {"1"}),
        ("if six.moves:\n    x = 1\nelse:\n    x = 2\nlook(x)", {"1", "2"}),
    ],
)
def test_what_only_python2_runs_binds_nothing(text: str, read: set[str]) -> None:
    text = f"import six\n{text}\n"
    facts = WholeFacts(ast.parse(text), text)
    look = facts.tree.body[-1]
    assert isinstance(look, ast.Expr) and isinstance(look.value, ast.Call)
    use = look.value.args[0]
    assert isinstance(use, ast.Name)
    assert {ast.unparse(b.value) for b in facts.flow.reaching(use) if b.value} == read


_LOAD = """import pickle
import sys
import torch
{test}
    a = 1
else:
    a = pickle.load(open("a.pkl", "r"))
"""


@pytest.mark.parametrize(
    "test", ["if (sys.version_info > (3, 0)):", "if 3 <= sys.version_info.major:"]
)
def test_nothing_is_said_of_what_only_python2_runs(test: str) -> None:
    assert not migrate(_LOAD.format(test=test), "TP502").findings


@pytest.mark.parametrize("test", ["if sys.version_info < (3, 0):", "if len(sys.argv) > 3:"])
def test_what_python3_runs_is_told_of(test: str) -> None:
    (told,) = migrate(_LOAD.format(test=test), "TP502").findings
    assert "needs bytes" in told.message


test_of_two_values_one_is_chosen = keeps(
    "TP302",
    {
        "of Python 2": """
            import six
            import torch
            import torch.nn.functional as F
            y = F.softmax(torch.zeros(2, 3)) if six.PY2 else 0
            """
    },
)
