"""Parts of a change in several files that only make a program together."""

from __future__ import annotations

import pytest

from torchfix_codemods.verify.hunks import Change, FileChange
from torchfix_codemods.verify.verdicts import Judgement, Outcome, Verdict, Verification

DATA = "import torch\n\n\ndef loaders(n):\n    return range(n)\n\n\nsize = 3\n"
MAIN = "from data import loaders\n\nx = 1\n\nfor batch in loaders(4):\n    print(batch)\n"


def change(**files: tuple[str, str]) -> Change:
    """A change of files; `__` in a name is the way into a folder."""
    return Change(
        [FileChange(f"{name.replace('__', '/')}.py", *texts) for name, texts in files.items()]
    )


def renamed(text: str) -> tuple[str, str]:
    return text, text.replace("loaders", "get_loaders")


@pytest.mark.parametrize(
    ("folder", "main"),
    [
        ("", MAIN),
        ("", "import data\n\nx = 1\n\nprint(data.loaders(4))\n"),
        ("lib__", "from lib import data as d\n\nx = 1\n\nprint(d.loaders(4))\n"),
        ("lib__", "import lib.data\n\nx = 1\n\nprint(lib.data.loaders(4))\n"),
        ("lib__", "from .lib.data import loaders as made\n"),
    ],
)
def test_a_name_that_another_file_takes(folder: str, main: str) -> None:
    made = change(**{f"{folder}data": renamed(DATA), "main": renamed(main)})
    assert {frozenset(made.links)} == set(made.links.values())
    assert made.links.keys() == {hunk.key for hunk in made.hunks}
    for hunk in made.hunks:
        assert not hunk.is_scaffold
        texts = made.texts(made.with_linked([hunk.key]))
        assert all("get_loaders" in text for text in texts.values())


def test_a_package() -> None:
    texts = renamed(MAIN.replace("data", "lib"))
    files = [FileChange("lib/__init__.py", *renamed(DATA)), FileChange("main.py", *texts)]
    assert len(Change(files).links) == 3


def test_names_that_come_along_are_one_group() -> None:
    before, after = renamed(DATA)
    main, main_after = renamed(MAIN)
    made = change(
        data=(before, after.replace("size", "count")),
        main=(main.replace("1", "data.size"), main_after.replace("1", "data.count")),
        other=("import data\nprint(data.size)\n", "import data\nprint(data.count)\n"),
    )
    assert len(set(made.links.values())) == 2


@pytest.mark.parametrize(
    ("data", "main"),
    [
        # Each file has one of its own.
        (renamed(DATA), renamed("def loaders(n):\n    return n\n\n\nprint(loaders(3))\n")),
        # It is still there.
        ((DATA, DATA + "\n\nget_loaders = loaders\n"), (MAIN, MAIN.replace("4", "5"))),
        # What is imported is no name of the file.
        (
            ("from torch.autograd import Variable\nx = Variable(3)\n", "x = 3\n"),
            ("from torch.autograd import Variable\nx = Variable(3)\n", "x = 3\n"),
        ),
        # A name of another module.
        (renamed(DATA), renamed("import other\nprint(other.loaders)\n")),
        # A name in a function.
        (
            ("def f():\n    loaders = 3\n", "def f():\n    get_loaders = 3\n"),
            renamed("import data\nprint(data.loaders)\n"),
        ),
        # A file that nobody can read.
        (renamed(DATA), renamed("print 'x'\nfrom data import loaders\n")),
        # The other file does not change where it takes it.
        (renamed(DATA), (MAIN, MAIN.replace("x = 1", "x = 2"))),
    ],
)
def test_what_has_nothing_to_do_with_one_another(
    data: tuple[str, str], main: tuple[str, str]
) -> None:
    assert change(data=data, main=main).links == {}


def test_what_makes_a_program_together_is_kept_together() -> None:
    made = change(
        data=renamed(DATA), main=(MAIN, renamed(MAIN)[1].replace("print(batch)", "print(batch, 1)"))
    )
    verification = Verification("python main.py", links=made.links)
    for hunk in made.hunks:
        verdict = Verdict.BROKEN if hunk.key == "data.py#0" else Verdict.EQUIVALENT
        outcomes = {"cpu": Outcome(verdict)}
        verification.judgements.append(Judgement(hunk, None, verdict, outcomes))
    kept = verification.kept(only_verified=False)
    assert not kept & made.links.keys()
    verification.links = {}
    assert verification.kept(only_verified=False) & made.links.keys()
