"""Files of one project in one run: the same result whatever the order, and none left half-way."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from torchfix_codemods.finding import FileResult
from torchfix_codemods.runs import runner
from torchfix_codemods.runs.runner import migrate_file, migrate_files
from torchfix_codemods.settings.config import Settings

HEAD = "import torch\nfrom torch.autograd import Variable\n"
FILES = {
    "utils.py": HEAD
    + "\ndef to_var(x, volatile=False):\n    if torch.cuda.is_available():\n        x = x.cuda()\n"
    "    return Variable(x, volatile=volatile)\n",
    "train.py": HEAD
    + "from utils import to_var\n\ndef train(model, x):\n    model(to_var(x)).sum().backward()\n\n"
    "def test(model, loader):\n    for x in loader:\n        x = to_var(x, volatile=True)\n"
    "        print(model(x))\n",
    "sample.py": HEAD
    + "import utils\n\ndef sample(model, x, test):\n    y = utils.to_var(x, volatile=test)\n"
    "    print(model(y))\n\ndef plain(x):\n    return utils.to_var(x, volatile=False)\n",
}
SETTINGS = Settings(select=("TP101", "TP102"))
AFTER = {
    "utils.py": "import torch\n\ndef to_var(x):\n    if torch.cuda.is_available():\n"
    "        x = x.cuda()\n    return x\n",
    "train.py": FILES["train.py"]
    .replace("from torch.autograd import Variable\n", "")
    .replace("    for x in loader", "    with torch.no_grad():\n        for x in loader")
    .replace("        x = to_var(x, volatile=True)", "            x = to_var(x)")
    .replace("        print(", "            print("),
    "sample.py": FILES["sample.py"]
    .replace("from torch.autograd import Variable\n", "")
    .replace(
        "    y = utils.to_var(x, volatile=test)\n    print(",
        "    with torch.set_grad_enabled(torch.is_grad_enabled() and not test):\n        y = utils.to_var(x)\n        print(",
    )
    .replace(", volatile=False", ""),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return fill(tmp_path)


def fill(root: Path, **others: str) -> Path:
    for name, text in {**FILES, **others}.items():
        (root / name).write_text(text)
    return root


def run(root: Path, names: object, write: bool = True, jobs: int = 1) -> list[FileResult]:
    paths = [root / str(name) for name in names]  # type: ignore[attr-defined]
    return list(migrate_files(paths, SETTINGS, write=write, jobs=jobs))


def texts(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in root.glob("*.py")}


@pytest.mark.parametrize("order", list(itertools.permutations(FILES)))
def test_the_order_does_not_matter(tree: Path, order: tuple[str, ...]) -> None:
    results = run(tree, order)
    assert [Path(result.path).name for result in results] == list(order)
    assert texts(tree) == AFTER
    assert not any(result.changed for result in run(tree, order))


@pytest.mark.parametrize("order", list(itertools.permutations(FILES)))
def test_what_is_shown_is_what_is_written(tree: Path, order: tuple[str, ...]) -> None:
    results = run(tree, order, write=False)
    assert {Path(result.path).name: result.after for result in results} == AFTER
    assert {Path(result.path).name: result.before for result in results} == FILES
    assert texts(tree) == FILES


@pytest.mark.parametrize("order", list(itertools.permutations(FILES)))
def test_one_run_for_each_file_comes_to_the_same(tree: Path, order: tuple[str, ...]) -> None:
    # As pre-commit does it: the helper waits until nobody passes its flag.
    for name in order:
        run(tree, [name])
    run(tree, ["utils.py"])
    assert texts(tree) == AFTER
    assert not any(result.changed for result in run(tree, order))


@pytest.mark.parametrize("order", [("utils.py", "train.py"), ("train.py", "utils.py")])
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_file_was_counts_and_not_what_this_run_made_of_it(
    tree: Path, order: tuple[str, ...], jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_CHUNK", 1)
    (tree / "utils.py").write_text(HEAD + "x = Variable(torch.ones(1))\n")
    (tree / "train.py").write_text("import torch\nfrom utils import *\ny = Variable(x)\n")
    (tree / "sample.py").unlink()
    run(tree, order, jobs=jobs)
    assert texts(tree) == {
        "utils.py": HEAD + "x = torch.ones(1)\n",
        "train.py": "import torch\nfrom utils import *\ny = x.detach()\n",
    }
    assert not any(result.changed for result in run(tree, order))


def test_processes_come_to_the_same(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_CHUNK", 1)
    run(tree, FILES, jobs=3)
    assert texts(tree) == AFTER


def test_an_executor_comes_to_the_same(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_CHUNK", 1)
    with ThreadPoolExecutor(1) as pool:
        paths = [tree / name for name in reversed(FILES)]
        list(migrate_files(paths, SETTINGS, write=True, executor=pool))
    assert texts(tree) == AFTER


def test_a_helper_alone_keeps_what_others_pass(tree: Path) -> None:
    [result] = run(tree, ["utils.py"])
    assert not result.changed
    assert {Path(path).name for path, _ in result.drawn_from} == {"train.py", "sample.py"}


def test_a_caller_alone_drops_what_the_helper_still_takes(tree: Path) -> None:
    run(tree, ["train.py"])
    assert texts(tree) == {**FILES, "train.py": AFTER["train.py"]}


@pytest.mark.parametrize(
    "other",
    [
        HEAD + "from utils import to_var\ndef f(x, **given):\n    return to_var(x, **given)\n",
        HEAD + "from utils import to_var\nprint(list(map(to_var, [1])))\n",
        HEAD + "from utils import to_var\ndef f(x):\n    return to_var(x, True)\n",
        HEAD + "from utils import to_var\ndef f(x):\n    return to_var(x, volatile=True)\n",
        HEAD + "import utils\nprint(getattr(utils, 'to_var')(1, True))\n",
        HEAD + "from utils import *\nfrom unheard import *\nprint(to_var(x, True))\n",
        HEAD + "from utils import to_var\n# torchfix: skip-file\nto_var(x, volatile=True)\n",
        HEAD + "from helpers.utils import to_var\nto_var(x, volatile=True)\n",
        HEAD + "def f(utils, x):\n    return utils.to_var(x, volatile=True)\n",
        "from utils import to_var\nprint to_var(x, volatile=True)\n",
        HEAD + "from utils import to_var as v\n",
    ],
)
def test_a_parameter_that_may_still_be_passed_stays(tree: Path, other: str) -> None:
    fill(tree, **{"other.py": other, "last.py": "from other import v\nv(x, volatile=True)\n"})
    for _ in range(2):
        run(tree, [*FILES, "other.py"])
        assert "def to_var(x, volatile=False)" in texts(tree)["utils.py"]
        assert texts(tree)["train.py"] == AFTER["train.py"]


@pytest.mark.parametrize(
    "other",
    [
        HEAD + "def to_var(x, volatile=False):\n    return x\nto_var(x, volatile=True)\n",
        HEAD + "def f(to_var):\n    return to_var(x, volatile=True)\n",
        HEAD + "class A:\n    def f(self):\n        return self.to_var(1, volatile=True)\n",
        HEAD + "import pickle\npickle.to_var(1, volatile=True)\n",
        HEAD + "from utils import to_var\nprint(to_var(x))\n",
        "__all__ = ['to_var']\nfrom utils import to_var\n",
    ],
)
def test_a_function_of_the_same_name_is_another(tree: Path, other: str) -> None:
    fill(tree, **{"other.py": other})
    run(tree, [*FILES, "other.py"])
    assert texts(tree) == {**AFTER, "other.py": texts(tree)["other.py"]}


@pytest.mark.parametrize(
    "helper",
    [
        "def to_var(x, volatile):\n    return Variable(x, volatile=volatile)\n",
        "def to_var(x, volatile=True):\n    return Variable(x, volatile=volatile)\n",
        "def to_var(x, volatile=False):\n    print(volatile)\n"
        "    return Variable(x, volatile=volatile)\n",
        "def to_var(x, volatile=False):\n    return other(x, volatile=volatile)\n",
        "@cut\ndef to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n",
        "class to_var:\n    def __init__(self, x, volatile=False):\n        self.x = x\n",
    ],
)
def test_calls_of_other_helpers_keep_their_argument(tree: Path, helper: str) -> None:
    (tree / "utils.py").write_text(HEAD + helper)
    run(tree, FILES)
    assert "to_var(x, volatile=True)" in texts(tree)["train.py"]
    assert "volatile" in texts(tree)["utils.py"]


def test_a_helper_that_is_on_by_default_is_needed_by_those_who_do_not_say(tree: Path) -> None:
    (tree / "utils.py").write_text(FILES["utils.py"].replace("=False", "=True"))
    (tree / "train.py").write_text(HEAD + "from utils import to_var\nprint(to_var(x))\n")
    (tree / "sample.py").unlink()
    run(tree, ["utils.py", "train.py"])
    assert "def to_var(x, volatile=True)" in texts(tree)["utils.py"]


def test_a_value_that_gets_out_of_sight_keeps_the_flag(tree: Path) -> None:
    text = "from utils import to_var\ndef f(x):\n    return to_var(x, volatile=True)\n"
    (tree / "train.py").write_text(text)
    results = run(tree, FILES)
    assert texts(tree)["train.py"] == text
    assert "def to_var(x, volatile=False)" in texts(tree)["utils.py"]
    assert any("no_grad" in finding.message for result in results for finding in result.findings)


def test_a_file_that_changed_meanwhile_is_not_written_over(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = runner._looked_at_again

    def meddling(*args: object) -> object:
        (tree / "utils.py").write_text("# mine\n")
        return again(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(runner, "_looked_at_again", meddling)
    run(tree, FILES)
    assert (tree / "utils.py").read_text() == "# mine\n"


def test_findings_of_both_looks_name_the_lines_of_the_file_as_it_was(tree: Path) -> None:
    result = run(tree, FILES, write=False)[0]
    lines = {finding.line for finding in result.findings if finding.fixed}
    assert lines <= {4, 7} and lines


def test_a_second_file_is_not_read_when_nothing_is_asked(tree: Path) -> None:
    text = HEAD + "import utils\nx = Variable(torch.ones(1))\n"
    (tree / "sample.py").write_text(text)
    result = migrate_file(tree / "sample.py", SETTINGS, write=False)
    assert result.changed and result.drawn_from == ()
