"""Files that come, go, or are no Python are changes of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.verifying import Bench, Judged, bench
from torchfix_codemods.verify.changes.whole_files import WholeFile, overrides_of
from torchfix_codemods.verify.verdicts import SAME

MAIN = """import os
import torch
import helper

rate = float(open('rate.txt').read())
torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=rate)
for step in range(2):
    loss = model(torch.ones(2, 3)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print('loss', loss.item())
print(helper.twice(torch.ones(2)))
if os.path.exists('extra.txt'):
    print(open('extra.txt').read())
"""

HELPER = "def twice(x):\n    return x * 2\n"

FILES = {"main.py": MAIN, "helper.py": HELPER, "rate.txt": "0.1\n", "notes.txt": "mine\n"}

#: Right and wrong changes of ``main.py``.
RIGHT, WRONG = ("lr=rate)", "lr=rate, momentum=0)"), ("lr=rate)", "lr=rate * 2)")


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("files"), FILES) as made:
        yield made


def judged(
    judges: Bench, *edits: tuple[str, str], **files: tuple[str | None, str | None]
) -> Judged:
    """Judge changes of ``main.py`` and of whole files, given as before and after by name."""
    after = MAIN
    for old, new in edits:
        assert after.count(old) == 1, old
        after = after.replace(old, new)
    others = [
        WholeFile(name.replace("_", "."), *(text and text.encode() for text in texts))
        for name, texts in files.items()
    ]
    return judges.judge("main", MAIN, after, others=others)


def verdicts(judged: Judged) -> dict[str, str]:
    """By path of a whole file, or by line of ``main.py`` counted from 1."""
    return {
        hunk.path if hunk.whole else str(hunk.before_lines[0] + 1): judged.outcomes[
            hunk.key
        ].verdict.value
        for hunk in judged.change.hunks
    }


def test_a_text_file_that_moves_numbers(judges: Bench) -> None:
    found = judged(judges, rate_txt=("0.1\n", "0.2\n"))
    assert verdicts(found) == {"rate.txt": "different"}
    assert found.difference.kind == "step"
    assert verdicts(judged(judges, RIGHT, rate_txt=("0.1\n", "0.2\n"))) == {
        "8": "equivalent",
        "rate.txt": "different",
    }
    assert verdicts(judged(judges, WRONG, rate_txt=("0.1\n", "0.10\n"))) == {
        "8": "different",
        "rate.txt": "equal where it could be looked at",
    }


def test_a_text_file_that_means_the_same(judges: Bench) -> None:
    found = verdicts(judged(judges, rate_txt=("0.1\n", "1e-1\n")))
    assert found == {"rate.txt": "equal where it could be looked at"}


def test_a_file_that_nobody_reads(judges: Bench) -> None:
    found = judged(judges, RIGHT, notes_txt=("mine\n", "others\n"))
    assert verdicts(found) == {"8": "equivalent", "notes.txt": "not executed"}
    assert found.outcomes["notes.txt#file"].reason == "the program did not open it"


def test_a_file_that_goes(judges: Bench) -> None:
    found = judged(judges, RIGHT, helper_py=(HELPER, None))
    assert verdicts(found) == {"8": "equivalent", "helper.py": "broken"}
    assert "No module named 'helper'" in found.outcomes["helper.py#file"].reason


def test_a_file_that_comes(judges: Bench) -> None:
    extra = {"extra_txt": (None, "more\n")}
    assert verdicts(judged(judges, **extra)) == {"extra.txt": "different"}
    assert verdicts(judged(judges, RIGHT, **extra)) == {"8": "equivalent", "extra.txt": "different"}
    assert verdicts(judged(judges, WRONG, **extra)) == {"8": "different", "extra.txt": "different"}


RENAMED = [("import helper\n", "import helpers\n"), ("helper.twice", "helpers.twice")]


def test_a_module_with_another_name(judges: Bench) -> None:
    files = {"helper_py": (HELPER, None), "helpers_py": (None, HELPER)}
    right = judged(judges, *RENAMED, **files)
    assert set(right.verdicts) == SAME, right.outcomes
    found = verdicts(judged(judges, *RENAMED, WRONG, **files))
    assert found.pop("8") == "different"
    assert set(found.values()) == {verdict.value for verdict in SAME}, found


def test_a_new_module_that_is_wrong(judges: Bench) -> None:
    files = {"helper_py": (HELPER, None), "helpers_py": (None, HELPER.replace("2", "3"))}
    found = verdicts(judged(judges, *RENAMED, RIGHT, **files))
    assert found["15"] == "different", found
    assert found["8"] == "equivalent", found


def test_a_new_module_that_nobody_sees(judges: Bench) -> None:
    unseen = {"more_py": (None, "value = 3\n")}
    found = judged(judges, ("import os\n", "import os\nimport more\n"), **unseen)
    assert verdicts(found)["more.py"] == "not observed"
    assert verdicts(judged(judges, RIGHT, **unseen))["more.py"] == "not executed"


@pytest.mark.parametrize(
    ("path", "line", "is_there"),
    [
        ("a/helper.py", "from a.helper import twice", True),
        ("helper.py", "import helper", True),
        ("helper.py", "print(helper)", False),
        ("helper.py", "import helpers", False),
        ("rate.txt", "open('rate.txt')", True),
        ("rate.txt", "open('crate.txt')", False),
        ("a/__init__.py", "import a", True),
    ],
)
def test_what_a_line_still_names_is_there(path: str, line: str, is_there: bool) -> None:
    file = WholeFile(path, b"", None)
    left = overrides_of([file], {file.key}, {"main.py": f"{line}\n"}, {"main.py": ""})
    assert (path not in left) == is_there
    assert path in overrides_of([file], {file.key}, {"main.py": line}, {"main.py": line})
    assert path not in overrides_of([file], set(), {}, {})
