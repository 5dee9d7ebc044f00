from __future__ import annotations

from tests.support.rules import keeps, rewrites

_TEXT = """
            import torch
            import torch.nn as nn
            from torch.nn import Parameter
            class Net({base}):
                def {method}(self, device):
                    {first}
                    {line}
            """


def _in(
    line: str,
    base: str = "nn.Module",
    method: str = "__init__",
    first: str = "super(Net, self).__init__()",
) -> str:
    return _TEXT.format(line=line, base=base, method=method, first=first)


def _pair(before: str, after: str) -> tuple[str, str]:
    return _in(before), _in(after)


test_rewrites = rewrites(
    "TP211",
    {
        "cuda": _pair(
            "self.w = nn.Parameter(torch.ones(3)).cuda()  # weights",
            "self.w = nn.Parameter(torch.ones(3).cuda())  # weights",
        ),
        "device": _pair(
            "self.w = Parameter(torch.ones(3)).to(device)",
            "self.w = Parameter(torch.ones(3).to(device))",
        ),
        "several": _pair(
            "self.w = nn.Parameter(w).double().cuda(0)",
            "self.w = nn.Parameter(w.double().cuda(0))",
        ),
        "operation": _pair(
            "self.w = nn.Parameter(torch.ones(3) * 2, requires_grad=True).cuda()",
            "self.w = nn.Parameter((torch.ones(3) * 2).cuda(), requires_grad=True)",
        ),
        "full name": _pair(
            "self.w = torch.nn.parameter.Parameter(-w, True).half()",
            "self.w = torch.nn.parameter.Parameter((-w).half(), True)",
        ),
    },
)

test_goes_with_the_rule_for_devices = rewrites(
    "TP211",
    {
        "device": (
            """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.w = nn.Parameter(torch.randn(3)).cuda()
            """,
            """
            import torch
            import torch.nn as nn

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.w = nn.Parameter(torch.randn(3).to(device))
            """,
        ),
    },
    with_rules=("TP201",),
)

_KEPT = {
    "moved inside": "self.w = nn.Parameter(torch.ones(3).cuda())",
    "not moved": "self.w = nn.Parameter(torch.ones(3))",
    "computed": "self.w = nn.Parameter(torch.ones(3)).float().abs()",
    "not trained": "self.w = nn.Parameter(torch.ones(3), requires_grad=False).cuda()",
    "perhaps not trained": "self.w = nn.Parameter(torch.ones(3), requires_grad=flag).cuda()",
    "local": "w = nn.Parameter(torch.ones(3)).cuda()",
    "another object": "self.net.w = nn.Parameter(torch.ones(3)).cuda()",
    "unknown arguments": "self.w = nn.Parameter(*args).cuda()",
    "no arguments": "self.w = nn.Parameter().cuda()",
    "another library": "import jt\n                    self.w = jt.Parameter(x).cuda()",
    "tensor": "self.w = torch.ones(3).cuda()",
    "shadowed": "Parameter = wrap\n                    self.w = Parameter(x).cuda()",
    "suppressed": "self.w = nn.Parameter(torch.ones(3)).cuda()  # noqa: TP211",
}
_LINE = "self.w = nn.Parameter(torch.ones(3)).cuda()"

test_keeps = keeps(
    "TP211",
    {
        **{name: _in(line) for name, line in _KEPT.items()},
        "no module": _in(_LINE, base="object"),
        "unknown base": _in(_LINE, base="unknown.Layer"),
        "another method": _in(_LINE, method="reset"),
        "not initialized": _in(_LINE, first="pass"),
    },
)
