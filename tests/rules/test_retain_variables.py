from __future__ import annotations

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics

test_rewrites = rewrites(
    "TP106",
    {
        "certain tensor": (
            """
            import torch
            loss = torch.ones(1, requires_grad=True).sum()
            loss.backward(retain_variables=True)
            """,
            """
            import torch
            loss = torch.ones(1, requires_grad=True).sum()
            loss.backward(retain_graph=True)
            """,
        ),
        "unknown receiver, for nobody else has such an argument": (
            """
            import torch
            from losses import criterion
            criterion(x).backward(gradient, retain_variables=not last, create_graph=True)
            """,
            """
            import torch
            from losses import criterion
            criterion(x).backward(gradient, retain_graph=not last, create_graph=True)
            """,
        ),
        "spaces and comment": (
            """
            import torch
            torch.ones(1).backward(
                retain_variables = True,  # twice
            )
            """,
            """
            import torch
            torch.ones(1).backward(
                retain_graph = True,  # twice
            )
            """,
        ),
        "all names of the function": (
            """
            from torch.autograd import backward
            backward(variables=[y], grad_variables=[g], retain_variables=True)
            """,
            """
            from torch.autograd import backward
            backward(tensors=[y], grad_tensors=[g], retain_graph=True)
            """,
        ),
        "certain tensor in a class that has a backward of its own": (
            """
            import torch.nn as nn
            class ContentLoss(nn.Module):
                def forward(self, x):
                    self.loss = nn.MSELoss()(x, self.target)
                def backward(self, retain_variables=True):
                    self.loss.backward(retain_variables=retain_variables)
            """,
            """
            import torch.nn as nn
            class ContentLoss(nn.Module):
                def forward(self, x):
                    self.loss = nn.MSELoss()(x, self.target)
                def backward(self, retain_variables=True):
                    self.loss.backward(retain_graph=retain_variables)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP106",
    {
        "already modern": """
            import torch
            torch.ones(1).backward(retain_graph=True)
            torch.autograd.backward([y], grad_tensors=[g])
            """,
        "user class with the parameter": """
            import torch
            class Loss:
                def backward(self, retain_variables=True):
                    pass
            loss = Loss()
            loss.backward(retain_variables=True)
            """,
        "user module that passes everything on": """
            import torch.nn as nn
            class Loss(nn.Module):
                def backward(self, **kwargs):
                    pass
            Loss().backward(retain_variables=True)
            """,
        "unknown receiver in a file with such a class": """
            import torch
            class Loss:
                def backward(self, retain_variables=True):
                    pass
            def f(losses):
                for loss in losses:
                    loss.backward(retain_variables=True)
            """,
        "both spellings": """
            import torch
            torch.ones(1).backward(retain_graph=True, retain_variables=True)
            """,
        "new argument by position": """
            import torch
            torch.ones(1).backward(None, True, retain_variables=True)
            """,
        "keyword arguments of unknown content": """
            import torch
            torch.ones(1).backward(retain_variables=True, **kwargs)
            """,
        "other functions with such arguments": """
            import torch
            def optimise(variables, grad_variables):
                return variables
            optimise(variables=1, grad_variables=2)
            tape.gradient(variables=[x], retain_variables=True)
            """,
        "grad_variables of another backward": """
            import torch
            engine.backward(grad_variables=[g])
            """,
        "shadowed torch": """
            import torch
            def f(torch):
                torch.autograd.backward(variables=[y])
            """,
    },
)


def test_conflicts_are_left_to_a_person() -> None:
    findings = advice(
        "TP106",
        """
        import torch
        torch.ones(1).backward(retain_graph=True, retain_variables=True)
        """,
    )
    assert [f.line for f in findings] == [2]
    assert "keep the new one" in findings[0].message


def test_what_may_be_no_tensor_is_left_to_a_person() -> None:
    findings = advice(
        "TP106",
        """
        import torch
        class Loss:
            def backward(self, retain_variables=True):
                pass
        def f(loss):
            loss.backward(retain_variables=True)
        """,
    )
    assert [f.line for f in findings] == [6]
    assert "in backward() of tensors" in findings[0].message


def test_the_argument_that_still_works_moves_no_numbers() -> None:
    text = "import torch\ntorch.autograd.backward([y], grad_variables=[g])\n"
    assert [f.numerics for f in migrate(text, "TP106").findings] == [Numerics.IDENTICAL]
