from __future__ import annotations

from tests.support.rules import keeps, migrate, rewrites

test_rewrites = rewrites(
    "TP306",
    {
        "activations": (
            """
            import torch
            import torch.nn.functional as F
            y = F.sigmoid(x) * F.tanh(x)
            f = nonlinear or F.tanh
            """,
            """
            import torch
            y = torch.sigmoid(x) * torch.tanh(x)
            f = nonlinear or torch.tanh
            """,
        ),
        "functions that are chosen, given and called": (
            """
            import torch
            import torch.nn.functional as F
            ACTIVATIONS = {"tanh": F.tanh, F.relu: 1}
            y = run(F.sigmoid, x), (F.tanh(x), F.sigmoid(x) > 0.5)
            table[F.sigmoid(x)] = F.tanh if flag else choose([F.relu, F.tanh])
            """,
            """
            import torch
            import torch.nn.functional as F
            ACTIVATIONS = {"tanh": torch.tanh, F.relu: 1}
            y = run(torch.sigmoid, x), (torch.tanh(x), torch.sigmoid(x) > 0.5)
            table[torch.sigmoid(x)] = torch.tanh if flag else choose([F.relu, torch.tanh])
            """,
        ),
        "the last of imported names over lines": (
            """
            from torch.nn.functional import (
                relu,
                upsample_bilinear,
                sigmoid,
            )
            from torch import nn
            sigmoid(relu(nn.UpsamplingNearest2d(2)(x)))
            """,
            """
            from torch.nn.functional import (
                relu,
                upsample_bilinear,
            )
            from torch import sigmoid
            from torch import nn
            sigmoid(relu(nn.Upsample(2)(x)))
            """,
        ),
        "a class that is used no more": (
            """
            import torch
            from torch.nn import (
                Linear,  # a comment
                UpsamplingNearest2d,
            )
            y = Linear(2, 3), UpsamplingNearest2d(2)
            """,
            """
            import torch
            from torch.nn import (
                Linear,  # a comment
            )
            y = Linear(2, 3), torch.nn.Upsample(2)
            """,
        ),
        "resizing, while the corners of another call depend on its mode": (
            """
            import torch.nn.functional as F
            from torch.autograd import Variable
            x = Variable(x, volatile=True)
            y = F.upsample(x, scale_factor=2, mode='bilinear', align_corners=True)
            z = F.upsample(x, size, None, mode)
            """,
            """
            import torch.nn.functional as F
            from torch.autograd import Variable
            x = Variable(x, volatile=True)
            y = F.interpolate(x, scale_factor=2, mode='bilinear', align_corners=True)
            z = F.interpolate(x, size, None, mode)
            """,
        ),
        "without torch": (
            """
            import torch.nn.functional as F
            y = F.relu(F.sigmoid(x))
            """,
            """
            import torch
            import torch.nn.functional as F
            y = F.relu(torch.sigmoid(x))
            """,
        ),
        "imported names": (
            """
            from torch.nn.functional import relu, sigmoid, upsample
            sigmoid(relu(upsample(x, scale_factor=2)))
            """,
            """
            from torch.nn.functional import relu, interpolate
            from torch import sigmoid
            sigmoid(relu(interpolate(x, scale_factor=2)))
            """,
        ),
        "upsample": (
            """
            import torch.nn.functional as F
            F.upsample(x, size=(3, 4), mode='bilinear')
            F.upsample(x, 3, None, "nearest")
            F.upsample_nearest(x, 3)
            F.upsample(*args, **options)
            """,
            """
            import torch.nn.functional as F
            F.interpolate(x, size=(3, 4), mode='bilinear')
            F.interpolate(x, 3, None, "nearest")
            F.interpolate(x, 3)
            F.interpolate(*args, **options)
            """,
        ),
        "bilinear": (
            """
            import torch.nn as nn
            import torch.nn.functional as F
            from torch.nn import UpsamplingNearest2d
            F.upsample_bilinear(x, size=y.size()[2:])
            F.upsample_bilinear(
                x,
                None,  # by the factor
                2,
            )
            nn.functional.upsample_bilinear(
                x, y)
            nn.Sequential(nn.UpsamplingBilinear2d(scale_factor=2), UpsamplingNearest2d(3))
            nn.UpsamplingBilinear2d()
            """,
            """
            import torch.nn as nn
            import torch.nn.functional as F
            F.interpolate(x, size=y.size()[2:], mode="bilinear", align_corners=True)
            F.interpolate(
                x,
                None,  # by the factor
                2,
                mode="bilinear",
                align_corners=True,
            )
            nn.functional.interpolate(
                x, y, mode="bilinear", align_corners=True)
            nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), nn.Upsample(3))
            nn.Upsample(mode="bilinear", align_corners=True)
            """,
        ),
        "loss": (
            """
            import torch.nn as nn
            from torch.nn import NLLLoss2d
            class CrossEntropyLoss2d(nn.Module):
                def __init__(self, weight=None, size_average=True):
                    super(CrossEntropyLoss2d, self).__init__()
                    self.nll_loss = nn.NLLLoss2d(weight, size_average)
                    self.other = NLLLoss2d(ignore_index=255)
            """,
            """
            import torch.nn as nn
            from torch.nn import NLLLoss
            class CrossEntropyLoss2d(nn.Module):
                def __init__(self, weight=None, size_average=True):
                    super(CrossEntropyLoss2d, self).__init__()
                    self.nll_loss = nn.NLLLoss(weight, size_average)
                    self.other = NLLLoss(ignore_index=255)
            """,
        ),
        "upsample of torch 0.3 that has been told, or has no corners": (
            """
            import torch.nn.functional as F
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            F.upsample(x, 3, mode="bilinear", align_corners=True)
            F.upsample(x, 3)
            """,
            """
            import torch.nn.functional as F
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            F.interpolate(x, 3, mode="bilinear", align_corners=True)
            F.interpolate(x, 3)
            """,
        ),
    },
)

test_rewrites_with_corners = rewrites(
    "TP306",
    {
        "upsample of torch 0.3": (
            """
            import torch.nn.functional as F
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            F.upsample(F.sigmoid(x), 3, mode="bilinear")
            """,
            """
            import torch
            import torch.nn.functional as F
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            F.interpolate(torch.sigmoid(x), 3, mode="bilinear", align_corners=True)
            """,
        ),
    },
    with_rules=("TP307",),
)

test_keeps = keeps(
    "TP306",
    {
        "already modern": """
            import torch
            import torch.nn.functional as F
            torch.sigmoid(x)
            F.logsigmoid(x)
            F.interpolate(x, 3)
            torch.nn.Upsample(scale_factor=2)
            """,
        "upsample of torch 0.3 that has yet to be told": """
            import torch
            import torch.nn.functional as F
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            F.upsample(x, 3, mode="bilinear")
            F.upsample_bilinear(x, 3)
            F.upsample_nearest(x, 3)
            torch.nn.UpsamplingNearest2d(3)
            """,
        "grid of torch 0.3 that has yet to be told": """
            import torch.nn.functional as F
            from torch.autograd import Variable
            x = F.upsample(Variable(y, volatile=True), 3)
            F.grid_sample(x, g)
            """,
        "user functions and methods": """
            import torch.nn as nn
            class Net(nn.Module):
                def upsample(self, x):
                    return self.upsample_bilinear(x).sigmoid()
            def tanh(x):
                return x
            tanh(x)
            class NLLLoss2d(nn.Module):
                pass
            NLLLoss2d()
            """,
        "other libraries": """
            import torch
            import mxnet.ndarray as F
            from keras.layers import UpsamplingBilinear2d
            F.sigmoid(x)
            UpsamplingBilinear2d(scale_factor=2)
            """,
        "shadowed module": """
            import torch.nn.functional as F
            def f(F):
                return F.sigmoid(x), F.upsample_bilinear(x, 3)
            """,
        "replaced function": """
            import torch.nn.functional as F
            F.upsample = my_upsample
            F.upsample(x, 3)
            """,
        "code that chooses": """
            import torch.nn.functional as F
            try:
                y = F.interpolate(x, 3, mode="bilinear", align_corners=True)
            except AttributeError:
                y = F.upsample_bilinear(x, 3)
            y = F.interpolate(x, 3) if hasattr(F, "interpolate") else F.upsample(x, 3)
            """,
        "name that is taken": """
            from torch.nn.functional import upsample
            def interpolate(x):
                return x
            upsample(x, 3)
            """,
        "unknown arguments of bilinear": """
            import torch.nn as nn
            import torch.nn.functional as F
            F.upsample_bilinear(*args)
            F.upsample_bilinear(x, 1, 2, 3)
            nn.UpsamplingBilinear2d(**options)
            """,
        "which function it is": """
            import torch
            import torch.nn.functional as F
            COST = {torch.sigmoid: 4, F.sigmoid: 4}
            MONOTONOUS = [F.tanh, torch.tanh]; replace(F.sigmoid, torch.sigmoid)
            COST[F.tanh] = 5
            @register(F.tanh)
            def cost(f):
                return 1 if f is F.tanh or f in (F.sigmoid, F.relu) else 0
            """,
        "which function an imported one is": """
            from torch.nn.functional import relu, sigmoid
            y = relu(sigmoid(x)), {sigmoid: 3}
            """,
        "class that is asked for": """
            import torch.nn as nn
            isinstance(m, nn.UpsamplingBilinear2d)
            isinstance(m, nn.UpsamplingNearest2d)
            """,
    },
)


def test_with_corners_that_are_certain_for_some_calls_only() -> None:
    text = (
        "import torch.nn.functional as F\nfrom torch.autograd import Variable\n"
        "x = Variable(x, volatile=True)\n"
        "y = F.upsample(x, scale_factor=2, mode='bilinear')\nz = F.upsample(x, size, None, mode)\n"
    )
    migration = migrate(text, "TP306", "TP307")
    assert "y = F.interpolate(x, scale_factor=2, mode='bilinear', align_corners=True)" in (
        migration.text
    )
    assert [f.line for f in migration.findings if not f.fixed] == [5]
    assert migrate(migration.text, "TP306", "TP307").text == migration.text


def test_without_any_corners_that_are_certain_the_old_name_stays() -> None:
    text = (
        "import torch.nn.functional as F\nfrom torch.autograd import Variable\n"
        "x = Variable(x, volatile=True)\nz = F.upsample(x, size, None, mode)\n"
    )
    assert migrate(text, "TP306", "TP307").text == text
