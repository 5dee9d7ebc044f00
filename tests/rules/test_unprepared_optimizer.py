from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps

_TEXT = """
    import torch
    from collections import defaultdict
    from torch.optim import Optimizer

    class Lookahead(Optimizer):
        def __init__(self, base, k=6):
            self.base = base
            self.param_groups = base.param_groups
            self.state = defaultdict(dict)
            {line}

        def step(self, closure=None):
            return self.base.step(closure)
    """


@pytest.mark.parametrize(
    ("line", "methods"),
    [
        ("self.k = k", "zero_grad() and state_dict()"),
        ("self.defaults = base.defaults", "state_dict() and load_state_dict()"),
    ],
)
def test_what_fails_is_named(line: str, methods: str) -> None:
    (found,) = advice("TP609", _TEXT.format(line=line))
    assert found.message.startswith(f"{methods} of an optimizer that never calls")
    assert found.line == 6


def test_the_methods_of_the_base_are_called() -> None:
    (found,) = advice(
        "TP609",
        """
        import torch

        class Averaged(torch.optim.Optimizer):
            def __init__(self, optimizer):
                self.optimizer = optimizer
                self.defaults = optimizer.defaults

            def state_dict(self):
                return self.optimizer.state_dict()

            def load_state_dict(self, state):
                super(Averaged, self).load_state_dict(state)
                self.optimizer.load_state_dict(state)
        """,
    )
    assert found.message.startswith("load_state_dict() of an optimizer")


_USED = """
    net = torch.nn.Linear(2, 1)
    optimizer = {made}
    net(torch.ones(1, 2)).sum().backward()
    optimizer.{called}()
"""


@pytest.mark.parametrize(
    ("made", "called", "is_quiet"),
    [
        ("Lookahead(torch.optim.SGD(net.parameters(), lr=0.1))", "zero_grad", False),
        ("Lookahead(torch.optim.SGD(net.parameters(), lr=0.1))", "state_dict", False),
        ("Lookahead(torch.optim.SGD(net.parameters(), lr=0.1))", "step", True),
        ("torch.optim.SGD(net.parameters(), lr=0.1)", "zero_grad", True),
    ],
)
def test_what_certainly_fails_is_shown_by_migrate(made: str, called: str, is_quiet: bool) -> None:
    text = textwrap.dedent(_TEXT.format(line="self.k = k"))
    text += textwrap.dedent(_USED.format(made=made, called=called))
    (found,) = advice("TP609", text)
    assert found.is_quiet is is_quiet
    if is_quiet:
        exec(text, {})
    else:
        with pytest.raises(AttributeError):
            exec(text, {})


test_keeps = keeps("TP609", {"a report": _TEXT.format(line="self.k = k")})


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(_TEXT.format(line=line), id=line)
        for line in (
            "super().__init__(base.param_groups, base.defaults)",
            "super(Lookahead, self).__init__(base.param_groups, base.defaults)",
            "Optimizer.__init__(self, base.param_groups, {})",
        )
    ]
    + [
        pytest.param(
            """
            import torch

            class Wrapper(torch.optim.Optimizer):
                def __init__(self, optimizer):
                    self.optimizer = optimizer

                def zero_grad(self):
                    self.optimizer.zero_grad()

                def state_dict(self):
                    return self.optimizer.state_dict()

                def load_state_dict(self, state):
                    self.optimizer.load_state_dict(state)
            """,
            id="all methods are its own",
        ),
        pytest.param(
            """
            import torch

            class Quantized(torch.optim.Optimizer):
                def __init__(self, base):
                    self.base = base

                def __getattribute__(self, name):
                    try:
                        return super(torch.optim.Optimizer, self).__getattribute__(name)
                    except AttributeError:
                        return self.base.__getattribute__(name)
            """,
            id="what it lacks is asked of another",
        ),
        pytest.param(
            """
            import torch

            class Mine(torch.optim.Optimizer):
                def step(self):
                    pass
            """,
            id="no constructor",
        ),
        pytest.param(
            """
            import torch
            from jax_tools import Optimizer

            class Mine(Optimizer):
                def __init__(self, base):
                    self.base = base
            """,
            id="a class of another library",
        ),
        pytest.param(
            """
            import torch

            class Mine(torch.optim.SGD):
                def __init__(self, base):
                    self.base = base
            """,
            id="an optimizer of torch's",
        ),
        pytest.param(
            """
            import torch

            class Optimizer:
                def __init__(self, base):
                    self.base = base

            class Mine(Optimizer):
                def __init__(self, base):
                    self.base = base
            """,
            id="a class of the file",
        ),
    ],
)
def test_nothing_is_said(text: str) -> None:
    assert advice("TP609", text) == []


_LACKS = """
    import torch

    class Wrapper({bases}):
        def __init__(self, base):
            self.base = base
            {line}

        {more}

    base = torch.optim.Adam([torch.zeros(2, requires_grad=True)])
    wrapper = Wrapper(base)
    wrapper.zero_grad()
    wrapper.load_state_dict(wrapper.state_dict())
    """


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("self.__dict__.update(base.__dict__)", ""),
        ("self.__setstate__(base.__getstate__())", ""),
        (
            "self.prepare()",
            "def prepare(self):\n            super().__init__(self.base.param_groups, {})",
        ),
        (
            "self.zero_grad = base.zero_grad",
            "state_dict = lambda self: self.base.state_dict()\n"
            "        load_state_dict = lambda self, state: None",
        ),
    ],
)
def test_what_it_lacks_comes_another_way(line: str, more: str) -> None:
    text = textwrap.dedent(_LACKS.format(bases="torch.optim.Optimizer", line=line, more=more))
    assert advice("TP609", text) == []
    exec(text, {})


def test_another_base_may_bring_what_it_lacks() -> None:
    text = _LACKS.format(bases="Handing, torch.optim.Optimizer", line="", more="")
    assert advice("TP609", text) == []
    (found,) = advice("TP609", text.replace("Handing, ", ""))
    assert "zero_grad() and state_dict()" in found.message
    assert " raise AttributeError today" in found.message
