from __future__ import annotations

import argparse

from tests.support.rules import keeps, migrate, rewrites

test_rewrites = rewrites(
    "TP212",
    {
        "both spellings": (
            """
            import argparse
            parser = argparse.ArgumentParser()
            parser.add_argument('--local_rank', default=-1, type=int)
            """,
            """
            import argparse
            parser = argparse.ArgumentParser()
            parser.add_argument('--local_rank', '--local-rank', default=-1, type=int)
            """,
        ),
        "quotes as those beside, whatever the rest of the file has": (
            """
            import argparse
            parser = argparse.ArgumentParser('a script', 'of', 'many', 'words')
            parser.add_argument("--local_rank", default=0, type=int, help="Ignore this.")
            """,
            """
            import argparse
            parser = argparse.ArgumentParser('a script', 'of', 'many', 'words')
            parser.add_argument("--local_rank", "--local-rank", default=0, type=int, help="Ignore this.")
            """,
        ),
        "nothing but the name": (
            """
            from argparse import ArgumentParser
            def add(parser: ArgumentParser):
                parser.add_argument("--local_rank")
            """,
            """
            from argparse import ArgumentParser
            def add(parser: ArgumentParser):
                parser.add_argument("--local_rank", "--local-rank")
            """,
        ),
    },
)

test_keeps = keeps(
    "TP212",
    {
        "modern": """
            import argparse
            parser = argparse.ArgumentParser()
            parser.add_argument("--local-rank", "--local_rank", type=int)
            """,
        "another argument": """
            import argparse
            parser = argparse.ArgumentParser()
            parser.add_argument("--local_ranks", type=int)
            """,
        "another library": """
            import command_line
            parser = command_line.Parser()
            parser.add_argument("--local_rank")
            """,
        "a function of the file": """
            import argparse
            def add_argument(name):
                pass
            add_argument("--local_rank")
            """,
        "names that are computed": """
            import argparse
            parser = argparse.ArgumentParser()
            parser.add_argument(*names)
            """,
    },
)


def test_a_launcher_of_today_is_understood() -> None:
    text = (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--local_rank", type=int)\n'
    )
    namespace: dict[str, argparse.ArgumentParser] = {}
    exec(migrate(text, "TP212").text, namespace)
    assert namespace["parser"].parse_args(["--local-rank=3"]).local_rank == 3
    assert namespace["parser"].parse_args(["--local_rank=3"]).local_rank == 3
