"""What the uses behind an ``if`` show of a value that goes through one part of it."""

from __future__ import annotations

import pytest

from tests.facts.test_values import value_of
from torchfix_codemods.facts.values.lattice import Module, Tensor, Unknown, Value

SHOWN: dict[str, tuple[str, type[Value]]] = {
    "the other part binds anew": (
        """
        def f(flag, model):
            if flag:
                look(model)
            else:
                model = wrapped(model)
            train(model.parameters())
        """,
        Module,
    ),
    "so does a part around it": (
        """
        def f(a, b, x):
            if a:
                if b:
                    x = other(x)
                else:
                    look(x)
            else:
                x = third(x)
            return x.unsqueeze(1)
        """,
        Tensor,
    ),
    "in one loop": (
        """
        def f(flag, xs):
            for x in xs:
                if flag:
                    look(x)
                else:
                    x = other(x)
                y = x.unsqueeze(1)
        """,
        Tensor,
    ),
    "the data-parallel model": (
        """
        def f(flag, model):
            if flag:
                look(model)
                model = nn.DataParallel(model)
        """,
        Module,
    ),
}


@pytest.mark.parametrize(("text", "kind"), SHOWN.values(), ids=SHOWN)
def test_shown(text: str, kind: type[Value]) -> None:
    assert isinstance(value_of(text), kind)


NOT_SHOWN = {
    "this part binds anew": """
        def f(flag, x):
            if flag:
                look(x)
                x = other(x)
            y = x.unsqueeze(1)
        """,
    "who knows what binds anew": """
        def f(flag, x):
            look(x)
            if flag:
                x = other(x)
            y = x.unsqueeze(1)
        """,
    "the next turn binds anew": """
        def f(flags):
            for flag in flags:
                x = first(flag)
                if flag:
                    look(x)
                else:
                    x = other(x)
            y = x.unsqueeze(1)
        """,
    "the turn before": """
        def f(flags):
            for flag in flags:
                y = x.unsqueeze(1)
                x = first(flag)
                if flag:
                    look(x)
                else:
                    x = other(x)
        """,
    "it may not come to that": """
        def f(flag, also, x):
            if flag:
                look(x)
            else:
                x = other(x)
            if also:
                y = x.unsqueeze(1)
        """,
    "one case of several": """
        def f(kind, x):
            match kind:
                case "rows":
                    x.unsqueeze(1)
                case _:
                    pass
            look(x)
        """,
    "only before": """
        def f(flag, x):
            x = third(x)
            x.unsqueeze(1)
            x = third(x)
            if flag:
                look(x)
            else:
                x = other(x)
        """,
    "a handler binds anew": """
        def f(x):
            try:
                look(x)
            except ValueError:
                x = other(x)
            y = x.unsqueeze(1)
        """,
    "the test is asked": """
        def f(flag, x):
            if look(x):
                x = other(x)
            y = x.unsqueeze(1)
        """,
    "it may be another kind of thing": """
        def f(flag, x):
            if isinstance(x, list):
                look(x)
            else:
                x = other(x)
            y = x.unsqueeze(1)
        """,
    "the second argument": """
        def f(flag, model, ids):
            look(ids)
            nn.DataParallel(model, ids)
        """,
}


@pytest.mark.parametrize("text", NOT_SHOWN.values(), ids=NOT_SHOWN)
def test_not_shown(text: str) -> None:
    assert isinstance(value_of(text), Unknown)
