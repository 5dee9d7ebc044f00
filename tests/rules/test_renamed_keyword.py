from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

test_rewrites = rewrites(
    "TP902",
    {
        "keywords of torch 0.3": (
            """
            import torch.nn as nn
            import torch.nn.functional as F
            loss = F.kl_div(p, q, weight=w) + nn.KLDivLoss(weight=None)(p, q)
            x = F.embedding(i, embedding_matrix=w)
            """,
            """
            import torch.nn as nn
            import torch.nn.functional as F
            loss = F.kl_div(p, q) + nn.KLDivLoss()(p, q)
            x = F.embedding(i, weight=w)
            """,
        ),
        "keywords that became places": (
            """
            from torch.utils.data import TensorDataset
            import torch.utils.data as Data
            a = TensorDataset(data_tensor=x, target_tensor=y)
            b = Data.TensorDataset(x, target_tensor=y)
            c = Data.TensorDataset(
                data_tensor=x,  # features
                target_tensor=y,
            )
            """,
            """
            from torch.utils.data import TensorDataset
            import torch.utils.data as Data
            a = TensorDataset(x, y)
            b = Data.TensorDataset(x, y)
            c = Data.TensorDataset(
                x,  # features
                y,
            )
            """,
        ),
        "devices of modules and Variables": (
            """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super(Net, self).__init__()
                    self.linear = nn.Linear(2, 3)
                def cuda(self, device_id=None):
                    super(Net, self).cuda(device_id=device_id)
                    self.linear.cuda(device_id=device_id)
                    self.state = torch.zeros(3).cuda(device_id=device_id)
            class Other(Net):
                def cuda(self, device_id=None):
                    super().cuda(device_id=device_id)
            Net().cuda(device_id=1)
            """,
            """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super(Net, self).__init__()
                    self.linear = nn.Linear(2, 3)
                def cuda(self, device_id=None):
                    super(Net, self).cuda(device=device_id)
                    self.linear.cuda(device=device_id)
                    self.state = torch.zeros(3).cuda(device=device_id)
            class Other(Net):
                def cuda(self, device_id=None):
                    super().cuda(device_id=device_id)
            Net().cuda(device_id=1)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP902",
    {
        "devices of what is not torch's, and of what is right already": """
            import torch
            import torch.nn as nn
            class Net(nn.Module, Mixin):
                def cuda(self, device_id=None):
                    super(Net, self).cuda(device_id=device_id)
            class Own(Base):
                def cuda(self, device_id=None):
                    super().cuda(device_id=device_id)
                    super(Net, self).cuda(device_id=device_id)
            class Right(nn.Module):
                def cuda(self, device=None):
                    unknown.cuda(device_id=device)
                    return super().cuda(device=device)
            torch.zeros(3).cuda(device=1)
            """,
        "losses and tables that take a weight": """
            import torch.nn as nn
            import torch.nn.functional as F
            loss = F.nll_loss(p, q, weight=w) + nn.BCELoss(weight=w)(p, q)
            x = F.embedding(i, weight=w)
            """,
        "a weight that something calculates": """
            import torch.nn.functional as F
            loss = F.kl_div(p, q, weight=weigh(q))
            """,
        "kl_div of the user": """
            import torch.nn.functional as F
            def kl_div(p, q, weight):
                return (weight * F.kl_div(p, q)).sum()
            loss = kl_div(p, q, weight=w)
            """,
        "modern": """
            from torch.utils.data import TensorDataset
            a = TensorDataset(x, y)
            """,
        "the user's class": """
            class TensorDataset(object):
                pass
            a = TensorDataset(data_tensor=x, target_tensor=y)
            """,
        "arguments that cannot be seen": """
            from torch.utils.data import TensorDataset
            a = TensorDataset(data_tensor=x, **rest)
            """,
        "the other order of evaluation": """
            from torch.utils.data import TensorDataset
            a = TensorDataset(target_tensor=next(it), data_tensor=next(it))
            """,
    },
)


def test_nothing_is_said_of_what_torch_still_takes() -> None:
    text = """
        import torch
        from torch.utils.data import TensorDataset
        a = TensorDataset(x, y)
        b = TensorDataset(x, y, z)
        c = map(TensorDataset, tensors)
        """
    assert not advice("TP902", text)


def test_says_nothing_of_what_is_right_already() -> None:
    text = """
        from torch.utils.data import TensorDataset
        a = TensorDataset(x, y)
        b = TensorDataset(x, y, z)
        c = TensorDataset(*tensors)
        """
    assert advice("TP902", text) == []


def test_a_class_that_is_still_there_is_not_called_gone() -> None:
    text = "from torch.utils.data import TensorDataset\nTensorDataset(data_tensor=x, target_tensor=y)\n"
    (finding,) = migrate(text, "TP902").findings
    assert finding.message.startswith("this form of torch.utils.data.TensorDataset is gone since")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("x, f, example_outputs=model(x)", "takes no example_outputs= today: leave it out"),
        ("x, f, aten=True", "takes no aten= today: leave out what is False"),
        ("x, f, aten=False, export_raw_ir=False", "takes no aten=, export_raw_ir= today"),
        ("x, f, opset_version=11", None),
        ("x, f, **options", None),
    ],
)
def test_arguments_that_cannot_simply_go_are_told(arguments: str, says: str | None) -> None:
    text = f"import torch\ntorch.onnx.export(model, {arguments})\n"
    migration = migrate(text, "TP902")
    assert migration.text == text
    assert [says is not None and says in f.message for f in migration.findings] == [True] * bool(
        says
    )


@pytest.mark.parametrize(
    "call",
    ["np.zeros(2, names=('N',))", "zeros(2, names=('N',))", "torch.zeros(2)", "x.zeros(names=n)"],
)
def test_names_of_others_are_not_told(call: str) -> None:
    text = f"import numpy as np\nimport torch\ndef f(zeros, x, n):\n    return {call}\n"
    assert not migrate(text, "TP902").findings


_SCHEDULERS = """from torch.optim import SGD
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR
optimizer = SGD(parameters, 0.1)
"""


@pytest.mark.parametrize(
    "call",
    [
        "ReduceLROnPlateau(optimizer, verbose=True)",
        "ReduceLROnPlateau(optimizer, verbose=args.verbose)",
        "StepLR(optimizer, 2, 0.1, -1, True)",
    ],
)
def test_messages_that_go_are_spoken_of(call: str) -> None:
    (finding,) = migrate(f"{_SCHEDULERS}schedule = {call}\n", "TP902").findings
    assert finding.fixed
    assert "print(scheduler.get_last_lr())" in finding.message
    # So that the hunk tells it.
    assert finding.loses


@pytest.mark.parametrize(
    "call",
    [
        "ReduceLROnPlateau(optimizer, verbose=False)",
        "ReduceLROnPlateau(optimizer, verbose=0)",
        "StepLR(optimizer, 2, 0.1, -1, False)",
        "StepLR(optimizer, 2, verbose=None)",
    ],
)
def test_nothing_is_said_of_a_scheduler_that_was_silent(call: str) -> None:
    (finding,) = migrate(f"{_SCHEDULERS}schedule = {call}\n", "TP902").findings
    assert finding.fixed
    assert not finding.loses
    assert finding.message.endswith("takes no verbose= today")


def test_a_keyword_is_no_fifth_place() -> None:
    call = "schedule = ReduceLROnPlateau(optimizer, verbose=True)\n"
    assert not advice("TP906", _SCHEDULERS + call)
    assert advice("TP906", _SCHEDULERS + call.replace("verbose=True", "'min', 0.1, 10, True"))
