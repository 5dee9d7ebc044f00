from __future__ import annotations

import pytest

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "list(map(int, torch.__version__.split('.')))",
            "list(map(int, torch.__version__.split('+')[0].split('.')))",
        ),
        (
            '[int(part) for part in torch.__version__.split(".")]',
            '[int(part) for part in torch.__version__.split("+")[0].split(".")]',
        ),
        (
            'tuple(int(p) for p in (torch.__version__).split("."))',
            'tuple(int(p) for p in (torch.__version__.split("+")[0]).split("."))',
        ),
    ],
)
def test_how_torch_was_built_is_no_number(before: str, after: str) -> None:
    migration = migrate(f"import torch\nversion = {before}\n", "TP210")
    assert migration.text == f"import torch\nversion = {after}\n"
    assert [f.numerics for f in migration.findings] == [Numerics.RESTORED]
    assert migrate(migration.text, "TP210").text == migration.text


@pytest.mark.parametrize(
    "expression",
    [
        'list(map(int, torch.__version__.split(".")[:2]))',
        'int(torch.__version__.split(".")[0])',
        'list(map(float, torch.__version__.split(".")))',
        'list(map(int, torch.__version__.split("+")))',
        'list(map(int, torch.__version__.split(".", 1)))',
        'list(map(int, torch.version.cuda.split(".")))',
        'list(map(int, torchvision.__version__.split(".")))',
        '[int(p) for p in torch.__version__.split(".") if p.isdigit()]',
        '[part for part in torch.__version__.split(".")]',
        '[int(part[0]) for part in torch.__version__.split(".")]',
        '[int(n) for part in torch.__version__.split(".")]',
        '[number(part) for part in torch.__version__.split(".")]',
        '{int(part): 1 for part in torch.__version__.split(".")}',
    ],
)
def test_parts_of_a_version_that_are_no_numbers_stay(expression: str) -> None:
    text = f"import torch\nimport torchvision\nversion = {expression}\n"
    migration = migrate(text, "TP210")
    assert migration.text == text
    assert not migration.findings


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("v = float(torch.__version__[:3])\nprint(v)", "of torch 2.13 this is 2.1"),
        ("v = float(torch.__version__[:3])\nok = v >= 2.2", "of torch 2.13 this is 2.1"),
        ("v = float(torch.__version__[:3])\nok = oldest < v < 1.5", "of torch 2.13 this is 2.1"),
        ("a = v = float(torch.__version__[:3])\nok = v < 1.5", "of torch 2.13 this is 2.1"),
        ("use(float(torch.__version__[:3]))", "of torch 2.13 this is 2.1"),
        ("v = float(torchvision.__version__[:3])\nok = v < 0.7", "of torchvision 0.15 this is 0.1"),
        ("v = float(torch.__version__[:3])\nok = v < 1.5 or v >= 0.4", None),
        ("v = float(torch.__version__[:3])\nif v >= 2.0:\n    pass", None),
        ("v = float(torchvision.__version__[:3])\nok = v < 0.1", None),
        ("v = float(torch.__version__[:1])", None),
        ("v = float(torch.version.cuda[:3])", None),
        ("float = str\nv = float(torch.__version__[:3])", None),
        ("v = str(torch.__version__[:3])", None),
    ],
)
def test_a_version_that_is_read_as_a_float_is_told(code: str, says: str | None) -> None:
    text = f"import torch\nimport torchvision\n{code}\n"
    migration = migrate(text, "TP210")
    assert migration.text == text
    assert [says in f.message for f in migration.findings if says] == ([True] if says else [])
    assert says or not migration.findings


_PARTS = "major, minor = [int(v) for v in torch.__version__.split('.')[:2]]\n"
_CHOICE = "if {}:\n    a = 1\nelse:\n    a = 2\n"
_OLD = Options(era=Era((0, 3), (0, 4)))


@pytest.mark.parametrize(
    ("given", "test", "least"),
    [
        (_PARTS, "minor > 3 and major == 0", "(major, minor) > (0, 3)"),
        (
            "major, minor, _ = map(int, torch.__version__.split('.'))\n",
            "major == 0 and minor >= 4",
            "(major, minor) >= (0, 4)",
        ),
        (
            "v = tuple(map(int, torch.__version__.split('.')[:2]))\n",
            "(v[0] == 0 and v[1] >= 4)",
            "(v[0], v[1]) >= (0, 4)",
        ),
        (
            "v = torch.__version__.split('.')\nmajor = int(v[0])\nminor = int(v[1])\n",
            "major == 0 and minor >= 4",
            "(major, minor) >= (0, 4)",
        ),
    ],
)
def test_later_major_numbers_pass_as_well(given: str, test: str, least: str) -> None:
    before = f"import torch\n{given}{_CHOICE.format(test)}"
    migration = migrate(before, "TP210", options=_OLD)
    after = migration.text
    assert f"if ({least}):" in after if test.startswith("(") else f"if {least}:" in after
    assert any(f.numerics is Numerics.CHANGED for f in migration.findings)
    assert migrate(after, "TP210", options=_OLD).text == after
    told = [f for f in migrate(before, "TP210").findings if not f.fixed]
    assert [f"write {least} if later ones are meant" in f.message for f in told] == [True]


@pytest.mark.parametrize(
    "code",
    [
        # For older ones, or for one alone.
        f"{_PARTS}{_CHOICE.format('major == 0 and minor < 4')}",
        f"{_PARTS}{_CHOICE.format('major == 0 and minor == 4')}",
        # Today's torch passes.
        f"{_PARTS}{_CHOICE.format('major == 2 and minor > 3')}",
        f"{_PARTS}{_CHOICE.format('major >= 0 and minor > 3')}",
        # Later ones are asked for.
        f"{_PARTS}{_CHOICE.format('major > 0 or (major == 0 and minor > 3)')}",
        f"{_PARTS}{_CHOICE.format('major == 0 and minor > 3')}if major >= 1:\n    a = 3\n",
        f"{_PARTS}{_CHOICE.format('major == 0 and minor > 3')}new = torch.__version__ >= '1.0'\n",
        # Nothing is for others, or they are refused.
        f"{_PARTS}if major == 0 and minor > 3:\n    a = 1\n",
        f"{_PARTS}if major == 0 and minor > 3:\n    a = 1\nelse:\n    raise OSError\n",
        # No numbers of torch's version.
        f"major, minor = 0, 5\n{_CHOICE.format('major == 0 and minor > 3')}",
        "def f(major, minor):\n    return 1 if major == 0 and minor > 3 else 2\n",
        "import sys\nmajor, minor = sys.version_info[:2]\n"
        + _CHOICE.format("major == 0 and minor > 3"),
        "major, minor = [int(v) for v in torch.version.cuda.split('.')[:2]]\n"
        + _CHOICE.format("major == 0 and minor > 3"),
        "minor, major = [int(v) for v in torch.__version__.split('.')[1:]]\n"
        + _CHOICE.format("major == 0 and minor > 3"),
        f"{_PARTS}minor = minor + 1\n{_CHOICE.format('major == 0 and minor > 3')}",
        f"{_PARTS}{_CHOICE.format('major == 0 and minor > 3 and fast')}",
        f"{_PARTS}{_CHOICE.format('(major, minor) > (0, 3)')}",
    ],
)
def test_other_tests_of_parts_stay(code: str) -> None:
    migration = migrate(f"import torch\nfast = True\n{code}", "TP210", options=_OLD)
    assert not migration.findings
