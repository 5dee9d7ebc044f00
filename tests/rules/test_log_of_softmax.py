from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, rewrites

test_rewrites = rewrites(
    "TP303",
    {
        "functions": (
            """
            import torch
            import torch.nn.functional as F
            a = torch.log(F.softmax(net(x), dim=1))
            b = F.softmax(net(x), 1).log()
            c = torch.log(torch.softmax(net(x), -1, dtype=torch.double))
            """,
            """
            import torch
            import torch.nn.functional as F
            a = F.log_softmax(net(x), dim=1)
            b = F.log_softmax(net(x), 1)
            c = torch.log_softmax(net(x), -1, dtype=torch.double)
            """,
        ),
        "method of a tensor": (
            """
            import torch
            x = torch.zeros(2, 3)
            torch.log(x.softmax(1)).sum()
            x.softmax(dim=1).log()[0]
            """,
            """
            import torch
            x = torch.zeros(2, 3)
            x.log_softmax(1).sum()
            x.log_softmax(dim=1)[0]
            """,
        ),
        "layer that is called at once": (
            """
            import torch
            from torch import nn
            torch.log(nn.Softmax(dim=1)(net(x)))
            """,
            """
            from torch import nn
            nn.LogSoftmax(dim=1)(net(x))
            """,
        ),
        "imported name": (
            """
            import torch
            from torch.nn.functional import softmax, log_softmax
            torch.log(softmax(net(x), 1))
            softmax(x, 1)
            """,
            """
            from torch.nn.functional import softmax, log_softmax
            log_softmax(net(x), 1)
            softmax(x, 1)
            """,
        ),
        "imported name that loses its last use": (
            """
            import torch
            from torch.nn.functional import softmax
            torch.log(softmax(net(x), 1))
            """,
            """
            import torch
            torch.nn.functional.log_softmax(net(x), 1)
            """,
        ),
        "imported logarithm": (
            """
            from torch import log
            import torch.nn.functional as F
            -log(F.softmax(x, 1)) * 2
            """,
            """
            import torch.nn.functional as F
            -F.log_softmax(x, 1) * 2
            """,
        ),
        "one in another": (
            """
            import torch
            import torch.nn.functional as F
            torch.log(F.softmax(f(torch.log(F.softmax(x, 1))), 1))
            """,
            """
            import torch.nn.functional as F
            F.log_softmax(f(F.log_softmax(x, 1)), 1)
            """,
        ),
        "several lines": (
            """
            import torch
            import torch.nn.functional as F
            y = torch.log(F.softmax(
                net(x),  # the scores
                dim=1,
            ))
            z = (F.softmax(net(x), 1)
                 .log())
            """,
            """
            import torch.nn.functional as F
            y = F.log_softmax(
                net(x),  # the scores
                dim=1,
            )
            z = (F.log_softmax(net(x), 1))
            """,
        ),
    },
)

test_keeps = keeps(
    "TP303",
    {
        "something is added": """
            import torch
            import torch.nn.functional as F
            torch.log(F.softmax(x, 1) + 1e-8)
            (F.softmax(x, 1) + 1e-8).log()
            """,
        "sum of probabilities": """
            import torch
            import torch.nn.functional as F
            torch.stack([F.softmax(m(x), 1) for m in models], 2).mean(2).log()
            torch.log(F.softmax(x, 1).mean(0))
            F.softmax(x, 1)[0].log()
            """,
        "other logarithms": """
            import math
            import numpy as np
            import torch
            import torch.nn.functional as F
            torch.log2(F.softmax(x, 1))
            torch.log1p(F.softmax(x, 1))
            np.log(F.softmax(x, 1))
            math.log(F.softmax(x, 0))
            logger.log(F.softmax(x, 0))
            F.softmax(x, 1).log_()
            """,
        "into a given tensor": """
            import torch
            import torch.nn.functional as F
            torch.log(F.softmax(x, 1), out=y)
            """,
        "unknown arguments": """
            import torch
            import torch.nn.functional as F
            torch.log(*args)
            """,
        "user function": """
            import torch
            def softmax(x, dim):
                return x
            torch.log(softmax(x, 1))
            """,
        "shadowed logarithm": """
            from torch import log
            import torch.nn.functional as F
            def log(x):
                return x
            log(F.softmax(x, 1))
            """,
        "unknown receiver": """
            import torch
            def f(policy):
                return torch.log(policy.softmax(1)), policy.softmax(1).log()
            """,
        "layer that has a name": """
            import torch
            softmax = torch.nn.Softmax(dim=1)
            torch.log(softmax(x))
            """,
        "over channels": """
            import torch
            torch.log(torch.nn.Softmax2d()(x))
            """,
        "another library": """
            import torch
            from scipy.special import softmax
            torch.log(softmax(x, 1))
            """,
        "already modern": """
            import torch.nn.functional as F
            F.log_softmax(x, 1)
            """,
        "comment that would be lost": """
            import torch
            import torch.nn.functional as F
            torch.log(  # not exact
                F.softmax(x, 1)
            )
            """,
    },
)


@pytest.mark.parametrize("log", ["torch.log(probs)", "probs.log()"])
def test_probabilities_with_a_name_are_left_to_a_person(log: str) -> None:
    text = f"""
        import torch
        import torch.nn.functional as F
        def select(state):
            probs = F.softmax(policy(state), dim=-1)
            return {log}[probs.multinomial(1)]
        """
    findings = advice("TP303", text)
    assert [f.line for f in findings] == [5]
    assert findings[0].message.endswith("write F.log_softmax(policy(state), dim=-1)")


def test_what_is_said_stays_on_one_line() -> None:
    text = """
        import torch.nn.functional as F
        def entropy(x):
            probs = F.softmax(
                x / 2, dim=-1,
                dtype=x.dtype,
            )
            return probs.log()
        """
    (found,) = advice("TP303", text)
    assert found.message.endswith("write F.log_softmax(x / 2, dim=-1, dtype=x.dtype)")


@pytest.mark.parametrize(
    ("made", "written"),
    [
        ("F.softmax(before_softmax, dim=-1)", "F.log_softmax(before_softmax, dim=-1)"),
        ("nn.Softmax(dim=-1)(x_of_Softmax)", "nn.LogSoftmax(dim=-1)(x_of_Softmax)"),
        ("nn.Softmax(1)(x)", "nn.LogSoftmax(1)(x)"),
        ("nn.Softmax()(x)", "nn.LogSoftmax(dim=...)(x)"),
        ("F.softmax(x)", "F.log_softmax(x, dim=...)"),
        ("F.softmax(x, 1)", "F.log_softmax(x, 1)"),
        ("torch.rand(2, 3).softmax(1)", "torch.rand(2, 3).log_softmax(1)"),
    ],
)
def test_only_the_function_gets_another_name(made: str, written: str) -> None:
    head = "import torch, torch.nn as nn\nimport torch.nn.functional as F\n"
    (found,) = advice("TP303", f"{head}probs = {made}\ntorch.log(probs)\n")
    assert found.message.endswith(f"write {written}")


@pytest.mark.parametrize(
    "line",
    [
        "probs = probs + 1e-8",
        "probs[probs == 0] = 1",
        "probs.clamp_(min=1e-8)",
        "probs = other(x)",
        "probs = F.softmax(x, dim=-1).squeeze(0)",
        "if flag: probs = other(x)",
    ],
)
def test_probabilities_that_are_changed_first_are_no_finding(line: str) -> None:
    text = f"""
        import torch
        import torch.nn.functional as F
        probs = F.softmax(x, dim=-1)
        {line}
        torch.log(probs)
        """
    assert not advice("TP303", text)
