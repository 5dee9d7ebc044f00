from __future__ import annotations

import pytest

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics

_HEAD = """
            import torch
            import torchvision
            from torchvision import __version__
            """


def _test(before: str, after: str) -> tuple[str, str]:
    return f"{_HEAD}ok = {before}\n", f"{_HEAD}ok = {after}\n"


test_rewrites = rewrites(
    "TP210",
    {
        "float": _test(
            "float(torchvision.__version__[:3]) < 0.7",
            'tuple(map(int, torchvision.__version__.split(".")[:2])) < (0, 7)',
        ),
        "two digits": _test(
            "float(torch.__version__[0:3]) >= 1.10",
            'tuple(map(int, torch.__version__.split(".")[:2])) >= (1, 10)',
        ),
        "text": _test(
            'torchvision.__version__ < "0.10"',
            'tuple(map(int, torchvision.__version__.split(".")[:2])) < (0, 10)',
        ),
        "cut text": _test(
            "torch.__version__[:3] >= '1.6'",
            "tuple(map(int, torch.__version__.split('.')[:2])) >= (1, 6)",
        ),
        "in a condition": _test(
            "x and (not float(torch.__version__[:3])  <  1.7)",
            'x and (not tuple(map(int, torch.__version__.split(".")[:2]))  <  (1, 7))',
        ),
        "several branches": (
            """
            import torchvision
            if float(torchvision.__version__[:3]) < 0.5:
                a = 1
            elif float(torchvision.__version__[:3]) < 0.7:
                a = 2
            else:
                a = 3 if float(torchvision.__version__[:3]) < 0.9 else 4
            """,
            """
            import torchvision
            if tuple(map(int, torchvision.__version__.split(".")[:2])) < (0, 5):
                a = 1
            elif tuple(map(int, torchvision.__version__.split(".")[:2])) < (0, 7):
                a = 2
            else:
                a = 3 if tuple(map(int, torchvision.__version__.split(".")[:2])) < (0, 9) else 4
            """,
        ),
        "module by another name": (
            """
            import torchvision as tv
            if float(tv.__version__[:3]) < 0.5:  # older
                from torchvision.ops import _new_empty_tensor
            """,
            """
            import torchvision as tv
            if tuple(map(int, tv.__version__.split(".")[:2])) < (0, 5):  # older
                from torchvision.ops import _new_empty_tensor
            """,
        ),
    },
)


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("float(torch.__version__[:3]) < 1.7", Numerics.IDENTICAL),
        ("float(torch.__version__[:3]) >= 2.0", Numerics.IDENTICAL),
        ("float(torch.__version__[:3]) < 2.1", Numerics.CHANGED),
        ("float(torchvision.__version__[:3]) < 0.7", Numerics.CHANGED),
    ],
)
def test_claims(line: str, claim: Numerics) -> None:
    findings = migrate(f"import torch\nimport torchvision\nok = {line}\n", "TP210").findings
    assert [f.numerics for f in findings] == [claim]


_KEPT = {
    "right for every release": "float(torch.__version__[:3]) < 0.4",
    "right for every release, too": "float(torch.__version__[:3]) >= 1.1",
    "version of torch": 'torch.__version__ < "1.7"',
    "tuple": 'tuple(map(int, torch.__version__.split(".")[:2])) < (1, 7)',
    "other slice": "float(torch.__version__[:4]) < 1.7",
    "three numbers": 'torchvision.__version__ < "0.7.0"',
    "other comparison": "float(torch.__version__[:3]) == 1.7",
    "chain": "1.5 < float(torch.__version__[:3]) < 1.7",
    "whole number": "float(torch.__version__[:3]) < 2",
    "variable": "float(torch.__version__[:3]) < oldest",
    "another attribute": 'float(torch.version.cuda[:3]) < 9.2; ok = torch.version.cuda < "9.2"',
    "another library": "float(numpy.__version__[:3]) < 1.7",
    "number and text": 'float(torch.__version__[:3]) < "1.7"',
    "version of the file": "version < 1.7",
    "suppressed": "float(torch.__version__[:3]) < 1.7  # noqa: TP210",
}

test_keeps = keeps(
    "TP210",
    {
        **{name: f"{_HEAD}import numpy\n            ok = {t}\n" for name, t in _KEPT.items()},
        "float of this file": """
            import torch
            def float(x):
                return 3.0
            ok = float(torch.__version__[:3]) < 1.7
            """,
        "map is another name": """
            import torch
            def newer(map):
                return float(torch.__version__[:3]) < 1.7
            """,
        "shadowed": """
            import torch
            def newer(torch):
                return float(torch.__version__[:3]) < 1.7
            """,
    },
)
