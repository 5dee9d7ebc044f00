"""A run that rewrites files leaves a note of how old they are for the next one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.documents import books
from torchfix_codemods.facts.age.era import dotted
from torchfix_codemods.finding import FileResult
from torchfix_codemods.project.kept_ages import KeptAges, forget
from torchfix_codemods.rules import all_rules
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

FIXTURES = Path(__file__).parents[1] / "fixtures"
PROGRAMS = sorted(
    path
    for folder in ("programs", "rules", "catalogue")
    for path in (FIXTURES / folder).glob("*.py")
)

OLD = """\
import torch
import torch.nn.functional as F
from torch.autograd import Variable

def f(x, net):
    x = Variable(x.cuda(), volatile=True)
    return F.upsample(net(x), scale_factor=2, mode='bilinear')

def g(x):
    return x.data[0]

def scale(x):
    return F.grid_sample(x, x)
"""
PINNED = "mode='bilinear', align_corners=True)"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(cache_dir=tmp_path / "cache")


def run(path: Path, settings: Settings, *select: str, write: bool = True) -> FileResult:
    chosen = Settings(cache_dir=settings.cache_dir, select=select)
    (result,) = migrate_files([path], chosen, write=write)
    assert not result.errors
    return result


def left(result: FileResult) -> Counter[str]:
    return Counter(finding.code for finding in result.findings if not finding.fixed)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "project" / "old.py"
    path.parent.mkdir()
    path.write_text(OLD)
    return path


def test_a_second_run_tells_what_the_first_one_left(old: Path, settings: Settings) -> None:
    first = run(old, settings)
    assert left(first)["TP103"] == 1
    second = run(old, settings)
    assert not second.changed
    assert left(second) == left(first)
    assert dotted(second.era.newest or ()) == "0.3"
    assert second.era.evidence == ("line 6: volatile= (0.3 at most) (before it was rewritten)",)


def test_a_keyword_on_a_line_of_its_own_is_written_there(old: Path, settings: Settings) -> None:
    """``weights_only=False``, which the first run writes below the line that the call begins in."""
    load = (
        "\ndef load(path):\n    net = torch.load(path,\n                     map_location='cpu')\n"
    )
    old.write_text(f"{OLD}{load}    net.eval()\n    return net\n")
    first = run(old, settings)
    assert "weights_only=False)" in old.read_text()
    assert left(run(old, settings)) == left(first)


def test_without_a_note_it_is_forgotten(old: Path) -> None:
    settings = Settings()
    assert left(run(old, settings))["TP103"] == 1
    assert left(run(old, settings))["TP103"] == 0


#: Up to torch 0.4.0 these three arguments of ``stft`` meant something else.
MEANT_ELSE = """\
import torch
from torch.autograd import Variable

x = Variable(torch.randn(100), volatile=True)
y = torch.stft(x, 8, 2)
"""


def test_nothing_waits_for_what_hangs_on_the_age_where_that_is_noted(
    old: Path, settings: Settings
) -> None:
    old.write_text(MEANT_ELSE)
    assert left(run(old, Settings(), write=False)) == {"TP102": 1, "TP903": 1}
    assert left(run(old, settings)) == {"TP903": 1}
    assert "volatile" not in old.read_text()
    second = run(old, settings)
    assert not second.changed
    assert left(second) == {"TP903": 1}


@pytest.mark.parametrize("first", ["TP2", "TP3"])
def test_stages_end_where_one_run_does(old: Path, settings: Settings, first: str) -> None:
    whole = run(old, settings, write=False)
    run(old, settings, first)
    last = run(old, settings)
    assert old.read_text() == whole.after
    assert PINNED in old.read_text()
    assert left(last) == left(whole)


def as_notebook(text: str) -> str:
    return json.dumps(books.notebook(*text.split("\n\n", 2)), indent=1)


def as_prose(text: str) -> str:
    blocks = "\n```\n\nThen:\n\n```python\n".join(text.split("\n\n", 2))
    return f"# Old\n\n```python\n{blocks}```\n"


@pytest.mark.parametrize(("name", "made"), [("old.ipynb", as_notebook), ("old.md", as_prose)])
def test_documents_have_notes_as_well(
    name: str, made: Callable[[str], str], tmp_path: Path
) -> None:
    document = tmp_path / name
    document.write_text(made(OLD))
    settings = Settings(cache_dir=tmp_path / "cache", docs=True)
    (whole,) = migrate_files([document], settings, write=False)
    for codes in (("TP2",), ("TP101", "TP102")):
        assert [*migrate_files([document], replace(settings, select=codes), write=True)]
    text = document.read_text()
    # What is run again, or written above, leaves the code as old as it is.
    document.write_text(text.replace('"execution_count": 1', '"execution_count": 7', 1))
    (last,) = migrate_files([document], settings, write=True)
    assert left(last) == left(whole) and left(whole)["TP103"] == 1
    assert PINNED in document.read_text()
    assert document.read_text().replace(": 7", ": 1") == whole.after


def test_a_line_changed_by_hand_leaves_the_others_as_old(old: Path, settings: Settings) -> None:
    first = run(old, settings)
    old.write_text(old.read_text() + "\ndef h(x):\n    return torch.bool, x.data[0]\n")
    again = run(old, settings)
    # Only g is as old: where torch.bool stands an index is no relic.
    assert left(again)["TP103"] == left(first)["TP103"] == 1
    (told,) = (f for f in again.findings if f.code == "TP103")
    assert "x.data[0]" in old.read_text().splitlines()[told.line - 1]
    assert told.line < len(old.read_text().splitlines())


def test_a_form_feed_ends_no_line(old: Path, settings: Settings) -> None:
    old.write_text(OLD.replace("\ndef g", "\n" + "\x0c\n" * 4 + "def g"))
    first = run(old, settings)
    old.write_text(old.read_text() + "\ndef h(x):\n    return torch.bool, x.data[0]\n")
    (told,) = (f for f in run(old, settings).findings if f.code == "TP103")
    assert left(first)["TP103"] == 1
    assert told.line < len(old.read_text().split("\n")) - 2


def test_what_is_taken_back_is_what_it_was(old: Path, settings: Settings) -> None:
    first = run(old, settings)
    old.write_text(OLD)
    assert run(old, settings).after == first.after


def test_a_note_outlives_several_runs(old: Path, settings: Settings) -> None:
    for code in ("TP2", "TP101", "TP102", "TP306"):
        run(old, settings, code)
    run(old, settings)
    assert PINNED in old.read_text()


def test_nothing_is_kept_of_what_is_only_shown(old: Path, settings: Settings) -> None:
    run(old, settings, write=False)
    assert settings.cache_dir is not None
    assert KeptAges(settings.cache_dir).state(old) == b""


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"format": 0}', b'{"format": 1, "era": 3}'])
def test_a_note_that_cannot_be_read_is_none(old: Path, settings: Settings, data: bytes) -> None:
    run(old, settings, "TP2")
    assert settings.cache_dir is not None
    (note,) = (settings.cache_dir / "ages").glob("??/*.json")
    note.write_bytes(data)
    assert PINNED not in (run(old, settings, write=False).after or "")


def test_notes_are_removed_with_the_results(old: Path, settings: Settings) -> None:
    run(old, settings)
    assert settings.cache_dir is not None
    forget(settings.cache_dir)
    assert not (settings.cache_dir / "ages").exists()
    assert left(run(old, settings, write=False))["TP103"] == 0


def test_a_model_stays_as_old_as_its_training_script_was(tmp_path: Path, old: Path) -> None:
    settings = Settings(cache_dir=tmp_path / "cache")
    (old.parent / ".git").mkdir()
    model = old.with_name("model.py")
    model.write_text(
        "import torch.nn.functional as F\n\ndef f(x):\n"
        "    return F.upsample(x, scale_factor=2, mode='bilinear')\n"
    )
    run(old, settings)
    assert PINNED in (run(model, settings).after or "")


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_second_run_tells_the_same(tmp_path: Path, path: Path) -> None:
    settings = Settings(cache_dir=tmp_path / "cache")
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    first = run(copy, settings)
    assert left(run(copy, settings)) == left(first)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_two_halves_of_the_rules_lose_nothing(tmp_path: Path, path: Path) -> None:
    settings = Settings(cache_dir=tmp_path / "cache")
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    whole = run(copy, settings, write=False)
    if not left(whole):
        # Nothing is left that could be lost.
        return
    codes = [rule.code for rule in all_rules()]
    # Without TP204 nobody can read a file with async= in it.
    run(copy, settings, "TP204", *codes[1::2])
    run(copy, settings, "TP204", *codes[::2])
    assert not left(whole) - left(run(copy, settings))


PYTHON_2 = """\
import numpy as np

def rows(xs, n):
    print len(xs) / n
    return xs[:len(xs) / n]

class Reader:
    def __init__(self, xs):
        self.size = len(xs) / 2.5
"""


@pytest.mark.parametrize("head", ["import torch\n", ""])
def test_what_was_said_of_python_2_is_said_again(
    tmp_path: Path, settings: Settings, head: str
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text("import torch\nfrom reader import rows\n")
    path = tmp_path / "reader.py"
    path.write_text(head + PYTHON_2)
    told = {f.message for f in run(path, settings).findings if f.code == "TP002" and not f.fixed}
    assert told and "print(" in path.read_text()
    for _ in range(2):
        again = [f for f in run(path, settings).findings if f.code == "TP002"]
        assert {f.message for f in again} == told
        assert all("/" in path.read_text().splitlines()[f.line - 1] for f in again)
    path.write_text(path.read_text().replace(" / n", " // n"))
    assert not [f for f in run(path, settings).findings if f.code == "TP002"]


def test_what_is_told_once_is_kept_of_each_line(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "reader.py"
    lines = "    a = n / k\n    b = n / k + 1\n    return a, b, n / k + 2\n"
    path.write_text(f"import torch\nprint 1\ndef f(n, k):\n{lines}")

    def told() -> list[tuple[int, str]]:
        found = [f for f in run(path, settings).findings if f.code == "TP002"]
        return [(f.line, f.message.partition("if they are")[2]) for f in found]

    assert told() == [(4, ", and so in lines 5 and 6")]
    assert told() == [(4, ", and so in lines 5 and 6")]
    path.write_text("\n" + path.read_text().replace("a = n / k", "a = n // k"))
    assert told() == [(6, ", and so in line 7")]
