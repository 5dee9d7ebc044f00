from __future__ import annotations

from tests.support.rules import keeps, rewrites

_FORMS = {
    "torch.tensor(x)": "x.detach().clone()",
    "torch.tensor(x + 1)": "(x + 1).detach()",
    "torch.tensor(x + 1, dtype=torch.long)": "(x + 1).detach().to(dtype=torch.long, copy=True)",
    "torch.tensor(torch.zeros(2) + 1) * 2": "(torch.zeros(2) + 1) * 2",
    "torch.tensor(torch.zeros(2) + z)": "(torch.zeros(2) + z).detach()",
    "torch.tensor(x.view(-1))": "x.view(-1).detach().clone()",
    "torch.tensor(x[0])": "x[0].detach().clone()",
    "torch.tensor(x, dtype=torch.long)": "x.detach().to(dtype=torch.long, copy=True)",
    "torch.tensor(x, device=d)": "x.detach().to(device=d, copy=True)",
    "torch.tensor(x, device=d, dtype=k)": "x.detach().to(device=d, dtype=k, copy=True)",
    "torch.tensor(x, requires_grad=False)": "x.detach().clone()",
    "torch.tensor(x, requires_grad=True)": "x.detach().clone().requires_grad_()",
    "torch.tensor(x, requires_grad=True, dtype=k)": (
        "x.detach().to(dtype=k, copy=True).requires_grad_()"
    ),
    "torch.tensor(x).view(-1)": "x.detach().clone().view(-1)",
    "torch.tensor(torch.tensor(x))": "x.detach().clone()",
}

test_rewrites_forms = rewrites(
    "TP409",
    {
        before: (
            f"import torch\nx = torch.mm(a, b)\ny = {before}\n",
            f"import torch\nx = torch.mm(a, b)\ny = {after}\n",
        )
        for before, after in _FORMS.items()
    },
)

test_rewrites = rewrites(
    "TP409",
    {
        "imported function": (
            """
            from torch import tensor, randn
            y = tensor(randn(2))
            """,
            """
            from torch import randn
            y = randn(2)
            """,
        ),
        "over lines": (
            """
            import torch
            x = torch.mm(a, b)
            y = torch.tensor(
                x,
                dtype=torch.long,
                device=device
            )
            """,
            """
            import torch
            x = torch.mm(a, b)
            y = x.detach().to(
                dtype=torch.long,
                device=device,
                copy=True
            )
            """,
        ),
        "what has no graph": (
            """
            import torch
            def spikes(x, device):
                x = torch.rand(2, 3).abs()
                y = torch.tensor(x < 0.6, dtype=torch.bool, device=device)
                return y, torch.tensor(x, requires_grad=True)
            """,
            """
            import torch
            def spikes(x, device):
                x = torch.rand(2, 3).abs()
                y = (x < 0.6).to(dtype=torch.bool, device=device, copy=True)
                return y, x.clone().requires_grad_()
            """,
        ),
        "the dtype that it has": (
            """
            import torch
            import torch as th
            def copies(numbers, device):
                x = torch.tensor(numbers, dtype=torch.float32)
                y = torch.ones(3).long()
                return [
                    torch.tensor(x, dtype=torch.float32),
                    torch.tensor(x, dtype=torch.float, requires_grad=True),
                    th.tensor(y + 1, dtype=th.int64),
                ]
            """,
            """
            import torch
            def copies(numbers, device):
                x = torch.tensor(numbers, dtype=torch.float32)
                y = torch.ones(3).long()
                return [
                    x.clone(),
                    x.clone().requires_grad_(),
                    y + 1,
                ]
            """,
        ),
        "a dtype that it need not have": (
            """
            import torch
            def copies(numbers, kind, device):
                x = torch.ones(3).long()
                y = torch.tensor(numbers)
                return [
                    torch.tensor(x, dtype=torch.int32),
                    torch.tensor(x, dtype=kind),
                    torch.tensor(x, dtype=torch.long, device=device),
                    torch.tensor(y, dtype=torch.float32),
                    torch.tensor(torch.ones(2), dtype=torch.float32),
                ]
            """,
            """
            import torch
            def copies(numbers, kind, device):
                x = torch.ones(3).long()
                y = torch.tensor(numbers)
                return [
                    x.to(dtype=torch.int32, copy=True),
                    x.to(dtype=kind, copy=True),
                    x.to(dtype=torch.long, device=device, copy=True),
                    y.to(dtype=torch.float32, copy=True),
                    torch.ones(2).to(dtype=torch.float32, copy=True),
                ]
            """,
        ),
        "what the loader yields": (
            """
            import torch
            from torch.utils.data import DataLoader
            for images, labels in DataLoader(data):
                images = torch.tensor(images, dtype=torch.float)
            """,
            """
            import torch
            from torch.utils.data import DataLoader
            for images, labels in DataLoader(data):
                images = images.to(dtype=torch.float, copy=True)
            """,
        ),
    },
)

_KEPT = {
    "number": "y = torch.tensor(1.0)",
    "list": "y = torch.tensor([1, 2])",
    "list of tensors": "y = torch.tensor([x.sum(), x.mean()])",
    "array": "y = torch.tensor(np.ones(2))",
    "unknown": "y = torch.tensor(unknown)",
    "item": "y = torch.tensor(x.sum().item())",
    "numbers of a tensor": "y = torch.tensor(x.tolist())",
    "single number": "y = torch.tensor(x.sum())",
    "legacy scalar": "y = torch.tensor(x.sum().data[0])",
    "either": "z = x if unknown else [1]; y = torch.tensor(z)",
    "star": "y = torch.tensor(*x)",
    "double star": "y = torch.tensor(x, **options)",
    "variable flag": "y = torch.tensor(x, requires_grad=flag)",
    "pinned": "y = torch.tensor(x, pin_memory=True)",
    "keyword data": "y = torch.tensor(data=x)",
    "as_tensor": "y = torch.as_tensor(x)",
    "another library": "y = mxnet.tensor(x)",
    "method": "y = factory.tensor(x)",
    "already modern": "y = x.detach().clone()",
    "default device": "torch.set_default_device('cuda'); y = torch.tensor(x)",
    "device context": "with torch.device('cuda'): y = torch.tensor(x)",
    "suppressed": "y = torch.tensor(x)  # noqa: TP409",
}

test_keeps_line = keeps(
    "TP409",
    {
        name: f"import mxnet\nimport numpy as np\nimport torch\nx = torch.ones(2, 3)\n{text}\n"
        for name, text in _KEPT.items()
    },
)

test_keeps = keeps(
    "TP409",
    {
        "declared, which calls need not keep to": """
            import torch
            def scale(x: torch.Tensor, ranges: torch.Tensor):
                part = ranges[0]
                return torch.tensor(ranges), torch.tensor(part), torch.tensor(-ranges)
            """,
        "asked for": """
            import torch
            class Holder:
                def __init__(self, n):
                    self.scale = torch.ones(n)
                def look(self, x: torch.Tensor):
                    if not isinstance(x, torch.Tensor):
                        x = torch.tensor(x)
                    if not torch.is_tensor(self.scale):
                        self.scale = torch.tensor(self.scale)
                    y = x.float()
                    if isinstance(y, list):
                        y = torch.tensor(y)
            """,
        "elements of what is declared": """
            import torch
            def pad(targets: torch.Tensor):
                for target in targets:
                    target = torch.tensor(target)
                return [torch.tensor(each) for each in targets]
            """,
        "shadowed": """
            import torch
            x = torch.ones(2)
            def f(torch):
                return torch.tensor(x)
            """,
        "function of this file": """
            import torch
            def tensor(x):
                return x
            y = tensor(torch.ones(2))
            """,
        "parameter that callers may give a list": """
            import torch
            def f(x):
                return torch.tensor(x)
            f(torch.ones(2))
            f([1, 2])
            """,
        "comment that would be lost": """
            import torch
            x = torch.ones(2, 3)
            y = torch.tensor(  # a copy
                x)
            """,
    },
)
