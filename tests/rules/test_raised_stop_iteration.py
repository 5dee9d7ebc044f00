from __future__ import annotations

from tests.support.rules import keeps, migrate, rewrites

_HEAD = "import torch\n\n\ndef rows(file, n):\n"


def _generator(*lines: str, end: str = "yield torch.ones(n)") -> str:
    return _HEAD + "".join(f"    {line}\n" for line in (*lines, end))


def test_what_shares_its_line_is_told() -> None:
    code = _generator("if not n: raise StopIteration")
    migration = migrate(code, "TP809")
    assert migration.text == code
    assert [finding.line for finding in migration.findings] == [5]


test_rewrites = rewrites(
    "TP809",
    {
        name: (_generator(*old), _generator(*new))
        for name, (old, new) in {
            "at the end": (
                ("if not n:", "    raise StopIteration"),
                ("if not n:", "    return"),
            ),
            "called": (
                ("if not n:", "    raise StopIteration()"),
                ("if not n:", "    return"),
            ),
            "with a comment": (
                ("if not n:", "    raise StopIteration  # the end"),
                ("if not n:", "    return  # the end"),
            ),
            "in a loop": (
                ("while True:", "    yield n", "    for _ in file:", "        raise StopIteration"),
                ("while True:", "    yield n", "    for _ in file:", "        return"),
            ),
            "yields from another": (
                ("yield from file", "if n:", "    raise StopIteration"),
                ("yield from file", "if n:", "    return"),
            ),
        }.items()
    }
    | {
        "a generator of a class": (
            """
            import torch

            class Rows:
                def __iter__(self):
                    yield torch.ones(2)
                    raise StopIteration
            """,
            """
            import torch

            class Rows:
                def __iter__(self):
                    yield torch.ones(2)
                    return
            """,
        ),
    },
)

test_keeps = keeps(
    "TP809",
    {
        "ends an iteration": """
            import torch

            class Rows:
                def __next__(self):
                    if self.at > 3:
                        raise StopIteration
                    return torch.ones(2)
            """,
        "another function of a generator": """
            import torch

            def rows(n):
                def take():
                    raise StopIteration
                take()
                yield torch.ones(n)
            """,
        "around a generator": """
            import torch

            def rows(n):
                def inner():
                    yield torch.ones(n)
                if not n:
                    raise StopIteration
                return inner()
            """,
        "a coroutine": """
            import torch

            async def rows(n):
                if not n:
                    raise StopIteration
                yield torch.ones(n)
            """,
        "its own": """
            import torch

            class StopIteration(Exception):
                pass

            def rows(n):
                yield torch.ones(n)
                raise StopIteration
            """,
        "may be taken": _generator(
            "try:", "    raise StopIteration", "except Exception:", "    pass"
        ),
        "may be taken by a block": _generator("with file:", "    raise StopIteration"),
        "with a value": _generator("if n:", "    raise StopIteration(n)"),
        "with a cause": _generator("if n:", "    raise StopIteration from None"),
        "again": _generator("if n:", "    raise"),
        "another exception": _generator("if n:", "    raise ValueError"),
        "by return": _generator("if n:", "    return"),
        "without torch": "def rows(n):\n    yield n\n    return\n",
    },
)
