from __future__ import annotations

import textwrap

import pytest

from torchfix_codemods.catalogue.rows import Name
from torchfix_codemods.engine.migrate import Options, migrate_text
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.renamed import Renamed


class Moved(Renamed):
    code = "TP999"
    name = "moved"
    since = "1.0"
    numerics = Numerics.IDENTICAL
    rows = (
        Name("torch.nn.functional.sigmoid", "torch.sigmoid"),
        Name("torch.nn.functional.tanh", "torch.tanh"),
        Name("torch.old.deep.thing", "torch.new.item"),
        Name("torch.ger", "torch.outer"),
    )


class Other(Renamed):
    code = "TP998"
    name = "other"
    since = "1.0"
    numerics = Numerics.IDENTICAL
    rows = (
        Name("torch.range_", "torch.arange_"),
        Name("torch.chain_matmul", "torch.linalg.multi_dot"),
    )


def migrate(text: str) -> str:
    options = Options(imported_elsewhere=lambda: False)
    migration = migrate_text(textwrap.dedent(text).lstrip("\n"), [Moved(), Other()], options)
    assert not migration.errors, migration.errors
    return migration.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            """
            import torch
            import torch.nn.functional as F
            y = F.sigmoid(x) + F.relu(x)
            """,
            """
            import torch
            import torch.nn.functional as F
            y = torch.sigmoid(x) + F.relu(x)
            """,
            id="moved, through what is imported",
        ),
        pytest.param(
            """
            import torch.nn.functional as F
            y = F.sigmoid(x) + F.relu(x)
            """,
            """
            import torch
            import torch.nn.functional as F
            y = torch.sigmoid(x) + F.relu(x)
            """,
            id="moved, with an import of its own",
        ),
        pytest.param(
            """
            import torch as th
            import torch.nn.functional as F
            y = map(F.tanh, xs)
            """,
            """
            import torch as th
            y = map(th.tanh, xs)
            """,
            id="alias of torch, and the import that is not needed any more",
        ),
        pytest.param(
            """
            from torch.nn.functional import sigmoid
            y = sigmoid(x)
            """,
            """
            from torch import sigmoid
            y = sigmoid(x)
            """,
            id="from import, whole line moves",
        ),
        pytest.param(
            """
            if True:
                # activations
                from torch.nn.functional import relu, sigmoid as s, tanh  # three
                y = s(tanh(relu(x)))
            """,
            """
            if True:
                # activations
                from torch.nn.functional import relu  # three
                from torch import sigmoid as s, tanh
                y = s(tanh(relu(x)))
            """,
            id="from import, some names move",
        ),
        pytest.param(
            """
            from torch.old.deep import thing
            thing(thing)
            """,
            """
            from torch.new import item
            item(item)
            """,
            id="name and module change",
        ),
        pytest.param(
            """
            from torch import ger, range_
            ger(range_(1), 2)
            """,
            """
            from torch import outer, arange_
            outer(arange_(1), 2)
            """,
            id="two rules at one import line",
        ),
        pytest.param(
            """
            from torch import *
            y = ger(x, x)
            """,
            """
            from torch import *
            y = outer(x, x)
            """,
            id="star import",
        ),
        pytest.param(
            """
            import torch
            from torch import linalg
            y = torch.chain_matmul(torch.ger(a, b), c)
            """,
            """
            import torch
            from torch import linalg
            y = linalg.multi_dot(torch.outer(a, b), c)
            """,
            id="shortest spelling",
        ),
    ],
)
def test_rewrites(before: str, after: str) -> None:
    assert migrate(before) == textwrap.dedent(after).lstrip("\n")
    assert migrate(after) == textwrap.dedent(after).lstrip("\n")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            """
            import torch.nn.functional as F
            def f(torch):
                return F.sigmoid(torch)
            """,
            id="torch is something else there",
        ),
        pytest.param(
            """
            import torch.nn.functional as F
            torch = None
            F.sigmoid(x)
            """,
            id="torch is something else in the file",
        ),
        pytest.param(
            """
            from torch.nn.functional import (
                relu,
                sigmoid,  # why not torch's
            )
            sigmoid(relu(x))
            """,
            id="comment that would be lost",
        ),
        pytest.param(
            """
            from torch import ger, chain
            outer = 1
            ger(outer)
            """,
            id="new name taken",
        ),
        pytest.param(
            """
            import torch
            import torch.nn.functional as F
            F.sigmoid = torch.sigmoid
            F.sigmoid(x)
            """,
            id="replaced",
        ),
    ],
)
def test_keeps(text: str) -> None:
    assert migrate(text) == textwrap.dedent(text).lstrip("\n")


def test_words_follow_from_the_table() -> None:
    assert Moved.words == {"sigmoid", "tanh", "thing", "ger"}
