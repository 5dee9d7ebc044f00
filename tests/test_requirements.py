"""Projects on disk: which torch their requirements say, and what the rules make of it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.project.requirements import required_torch
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

FIXTURES = Path(__file__).parents[1] / "fixtures"


def write(folder: Path, files: Mapping[str, str]) -> None:
    (folder / ".git").mkdir(parents=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))


FILES = {
    "requirements": ({"requirements.txt": "numpy\ntorch==0.3.1\n"}, "requirements.txt:2"),
    "a folder of requirements": (
        {"requirements/base.txt": "torch==0.3.1"},
        "requirements/base.txt:1",
    ),
    "a file that is included": (
        {"requirements.txt": "-r deps/a.txt\n", "deps/a.txt": "# these\ntorch==0.3.1"},
        "deps/a.txt:2",
    ),
    "files that include each other": (
        {
            "requirements.txt": "-r deps/a.txt\n",
            "deps/a.txt": "-r ../requirements.txt\ntorch==0.3.1",
        },
        "deps/a.txt:2",
    ),
    "hashes": (
        {
            "requirements.txt": "torch==0.3.1 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\nsix\n"
        },
        "requirements.txt:1",
    ),
    "setup.py": (
        {
            "setup.py": """
                from setuptools import setup
                setup(
                    name="x",
                    install_requires=["numpy", "torch==0.3.1"],
                )
                raise SystemExit("never run")
                """
        },
        "setup.py:4",
    ),
    "setup.py with a name": (
        {
            "setup.py": """
                import setuptools
                base = ["numpy"]
                needs = base + ["torch==0.3.1"]
                setuptools.setup(install_requires=needs)
                """
        },
        "setup.py:3",
    ),
    "setup.py with extras": (
        {"setup.py": "from setuptools import *\nsetup(extras_require={'all': ['torch==0.3.1']})"},
        "setup.py:2",
    ),
    "setup.cfg": (
        {"setup.cfg": "[options]\ninstall_requires =\n    numpy\n    torch==0.3.1\n"},
        "setup.cfg:4",
    ),
    "setup.cfg with extras": (
        {"setup.cfg": "[options.extras_require]\nall = torch==0.3.1\n"},
        "setup.cfg:2",
    ),
    "pyproject.toml": (
        {"pyproject.toml": '[project]\ndependencies = [\n  "torch==0.3.1",\n]\n'},
        "pyproject.toml:3",
    ),
    "pyproject.toml with extras": (
        {"pyproject.toml": '[project.optional-dependencies]\nall = ["torch==0.3.1"]\n'},
        "pyproject.toml:2",
    ),
    "poetry": (
        {"pyproject.toml": '[tool.poetry.dependencies]\npython = "*"\ntorch = "~0.3.1"\n'},
        "pyproject.toml:3",
    ),
    "poetry with a table": (
        {"pyproject.toml": '[tool.poetry.dependencies]\ntorch = {version = "0.3.1"}\n'},
        "pyproject.toml:2",
    ),
    "Pipfile": ({"Pipfile": '[packages]\nnumpy = "*"\ntorch = "==0.3.1"\n'}, "Pipfile:3"),
    "conda": (
        {
            "environment.yml": """
                channels:
                  - pytorch
                dependencies:
                  - python=3.6
                  - pytorch=0.3.1
                """
        },
        "environment.yml:5",
    ),
    "pip in conda": (
        {"environment-gpu.yaml": "dependencies:\n  - pip:\n    - 'torch==0.3.1'  # old\n"},
        "environment-gpu.yaml:3",
    ),
    "a list of conda in one line": (
        {"environment.yml": "name: x\ndependencies: [python=3.6, 'pytorch=0.3.1']\n"},
        "environment.yml:2",
    ),
    "a list in several lines": (
        {"environment.yml": "dependencies: [\n  python=3.6,\n  pytorch=0.3.1,  # old\n]\n"},
        "environment.yml:3",
    ),
    "pip in one line": (
        {"environment.yml": "dependencies:\n- pip\n- pip: [six, torch==0.3.1]\n"},
        "environment.yml:3",
    ),
    "JSON": (
        {"environment.yml": '{"dependencies": ["python", {"pip": ["torch==0.3.1"]}]}'},
        "environment.yml:1",
    ),
    "an item on a line of its own": (
        {"conda.yml": "'dependencies':\n  -\n    # here\n    pytorch=0.3.1\n"},
        "conda.yml:4",
    ),
    "anchors": (
        {
            "environment.yml": """
                x-versions:
                  torch: &torch pytorch=0.3.1
                dependencies:
                  - python
                  - *torch
                """
        },
        "environment.yml:2",
    ),
    "what is merged": (
        {
            "environment.yml": """
                base: &base
                  name: x
                  dependencies: [pytorch=0.3.1]
                <<: *base
                """
        },
        "environment.yml:3",
    ),
    "another document": (
        {"environment.yml": "---\nname: x\n---\ndependencies:\n- pytorch=0.3.1\n...\n"},
        "environment.yml:5",
    ),
    "an environment of another name": (
        {
            "gpu.yml": "name: gpu\nchannels:\n  - defaults\ndependencies:\n"
            "  - python=2.7.15\n  - pytorch=0.3.1=py27hd73e86b_0\n"
        },
        "gpu.yml:6",
    ),
    "line ends of Windows": (
        {"environment.yml": "\ufeffname: x\r\ndependencies:\r\n- pytorch=0.3.1\r\n"},
        "environment.yml:3",
    ),
}


@pytest.mark.parametrize(
    ("files", "place"), [pytest.param(*row, id=name) for name, row in FILES.items()]
)
def test_where_requirements_stand(tmp_path: Path, files: Mapping[str, str], place: str) -> None:
    write(tmp_path, files)
    era = required_torch(tmp_path / "train.py")
    assert (era.oldest, era.newest, era.uses) == ((0, 3, 1), (0, 3, 1), None)
    assert len(era.evidence) == 1
    assert era.evidence[0].startswith(f"{place}: ")
    assert era.pins == era.evidence


NOTHING = {
    "no file": {},
    "other packages": {"requirements.txt": "torchvision==0.2.1\npytorch-lightning==0.4\n"},
    "a comment": {"requirements.txt": "# torch==0.3.1\nsix  # not torch==0.3.1\n"},
    "an option": {"requirements.txt": "-f https://x.org/torch==0.3.1\n--find-links torch==0.3.1\n"},
    "an option with a wheel": {
        "requirements.txt": "-f x/torch-0.3.1-cp36-cp36m-linux_x86_64.whl\n"
    },
    "a README": {"README.md": "torch==0.3.1\n", "README": "torch==0.3.1\n"},
    "notes": {"notes.txt": "torch==0.3.1\n", "docs/install.rst": "torch==0.3.1\n"},
    "no version": {"requirements.txt": "torch\n"},
    "a file that is not there": {"requirements.txt": "-r torch.txt\n"},
    "setup.py of Python 2": {"setup.py": "print 'x'\nsetup(install_requires=['torch==0.3.1'])"},
    "setup.py that computes": {"setup.py": "setup(install_requires=read('torch==0.3.1'))"},
    "a string elsewhere in setup.py": {"setup.py": "setup(description='torch==0.3.1')"},
    "a channel": {"environment.yml": "channels:\n  - pytorch=0.3.1\n"},
    "a channel beside": {"environment.yml": "dependencies:\n- six\nchannels: [pytorch=0.3.1]\n"},
    "no YAML": {"environment.yml": "dependencies:\n- pytorch=0.3.1\n- {% if gpu %}\n"},
    "no YAML behind": {"environment.yml": "dependencies:\n- pytorch=0.3.1\n---\n[1\n"},
    "an alias of nothing": {"environment.yml": "dependencies:\n- pytorch=0.3.1\n- *other\n"},
    "a wrong merge": {"environment.yml": "<<: 1\ndependencies:\n- pytorch=0.3.1\n"},
    "lists without end": {
        "environment.yml": "dependencies:\n- pytorch=0.3.1\n- " + "[" * 9999 + "]" * 9999
    },
    "characters that YAML has not": {"environment.yml": "dependencies:\n- torch=0.3.1\n- \0\n"},
    "a comment in YAML": {"environment.yml": "dependencies:\n- six\n# - pytorch=0.3.1\n"},
    "YAML of another shape": {"environment.yml": "dependencies: pytorch=0.3.1\n"},
    "a mapping in YAML": {"environment.yml": "dependencies:\n  pytorch: 0.3.1\n"},
    "a list in a list": {"environment.yml": "dependencies:\n- [pytorch=0.3.1]\n"},
    "another key than pip": {"environment.yml": "dependencies:\n- npm: [pytorch==0.3.1]\n"},
    "dependencies of something else": {
        "environment.yml": "jobs:\n  dependencies:\n  - pytorch=0.3.1\ndependencies: []\n"
    },
    "a list at the top": {"environment.yml": "- pytorch=0.3.1\n---\ndependencies: [six]\n"},
    "a key that is a list": {"environment.yml": "[dependencies]: [torch=0.3.1]\n{}: 1\n"},
    "what a later key replaces": {
        "environment.yml": "dependencies: [pytorch=0.3.1]\ndependencies: [six]\n"
    },
    "settings that are no environment": {"a.yml": "dependencies:\n- pytorch=0.3.1\n"},
    "settings with channels": {"net.yaml": "channels: 3\ntorch: [torch==0.3.1]\n"},
    "a key of another one": {"a.yml": "channels: [x]\njobs:\n  dependencies:\n  - pytorch=0.3.1\n"},
    "an environment without torch": {
        "a.yml": "channels: [pytorch]\ndependencies: [torchvision=0.2.1]\n"
    },
    "broken TOML": {"pyproject.toml": "[project\ndependencies = ['torch==0.3.1']"},
    "TOML of another shape": {
        "pyproject.toml": "project = 'torch'\n[tool]\npoetry = 'torch==0.3.1'"
    },
    "broken setup.cfg": {"setup.cfg": "install_requires = torch==0.3.1"},
    "a build requirement": {"pyproject.toml": "[build-system]\nrequires = ['torch==0.3.1']"},
}


@pytest.mark.parametrize("files", [pytest.param(f, id=name) for name, f in NOTHING.items()])
def test_what_says_nothing(tmp_path: Path, files: Mapping[str, str]) -> None:
    write(tmp_path, files)
    assert required_torch(tmp_path / "train.py") == Era()


TOGETHER = {
    "the pin of one and the range of another": (
        {"requirements.txt": "torch==0.4.1", "setup.py": "setup(install_requires=['torch>=0.3'])"},
        "0.4.1",
        ("requirements.txt:1: torch==0.4.1",),
    ),
    "two ends": (
        {"requirements.txt": "torch<1.0", "setup.py": "setup(install_requires=['torch>=0.3'])"},
        "0.3.0 to 0.4.1",
        ("setup.py:1: torch>=0.3", "requirements.txt:1: torch<1.0"),
    ),
    "files that contradict each other": (
        {"requirements-cpu.txt": "torch==0.4.1", "requirements-gpu.txt": "torch==1.0.0"},
        "any version",
        (
            "requirements-gpu.txt:1: torch==1.0.0; requirements-cpu.txt:1: torch==0.4.1 "
            "(not counted: they contradict each other)",
        ),
    ),
    "alternatives of one file": (
        {"requirements.txt": "torch==0.4.1; python_version<'3'\ntorch==1.0.0; python_version>'3'"},
        "0.4.1 to 1.0.0",
        ("requirements.txt:1: torch==0.4.1 or torch==1.0.0",),
    ),
}


@pytest.mark.parametrize(
    ("files", "versions", "evidence"),
    [pytest.param(*row, id=name) for name, row in TOGETHER.items()],
)
def test_several_requirements(
    tmp_path: Path, files: Mapping[str, str], versions: str, evidence: tuple[str, ...]
) -> None:
    write(tmp_path, files)
    era = required_torch(tmp_path / "train.py")
    assert (str(era), era.evidence) == (versions, evidence)


def test_the_nearest_folder_decides(tmp_path: Path) -> None:
    write(tmp_path, {"requirements.txt": "torch==1.0.0", "old/requirements.txt": "torch==0.3.1"})
    (tmp_path / "old" / "src").mkdir()
    assert str(required_torch(tmp_path / "train.py")) == "1.0.0"
    assert str(required_torch(tmp_path / "src" / "train.py")) == "1.0.0"
    era = required_torch(tmp_path / "old" / "src" / "train.py")
    assert era.evidence == ("old/requirements.txt:1: torch==0.3.1",)


def test_a_folder_is_read_once_in_a_run(tmp_path: Path) -> None:
    write(tmp_path, {"requirements.txt": "torch==0.3.1"})
    known: dict[Path, Era | None] = {}
    assert str(required_torch(tmp_path / "src" / "a.py", known)) == "0.3.1"
    (tmp_path / "requirements.txt").write_text("torch==1.0.0")
    assert str(required_torch(tmp_path / "b.py", known)) == "0.3.1"
    assert str(required_torch(tmp_path / "b.py")) == "1.0.0"


def test_what_is_above_the_project_says_nothing(tmp_path: Path) -> None:
    write(tmp_path / "project", {"train.py": ""})
    (tmp_path / "requirements.txt").write_text("torch==0.3.1")
    assert required_torch(tmp_path / "project" / "train.py") == Era()


# What rules make of it

WRAPPER = """\
import torch
from torch.autograd import Variable


def f(x):
    return Variable(x)
"""


def migrated(folder: Path) -> str:
    result = migrate_file(folder / "train.py", Settings(), write=True)
    assert not result.errors
    return (folder / "train.py").read_text()


@pytest.mark.parametrize(
    ("requirement", "line"),
    [
        ("torch==0.3.1", "return x\n"),
        ("torch<0.4", "return x\n"),
        ("torch>=0.3", "return x.detach()\n"),
        ("torch==0.4.0", "return x.detach()\n"),
        ("torch<=0.4", "return x.detach()\n"),
        ("torch", "return x.detach()\n"),
    ],
)
def test_only_a_newest_version_makes_a_file_old(
    tmp_path: Path, requirement: str, line: str
) -> None:
    write(tmp_path, {"train.py": WRAPPER, "requirements.txt": requirement})
    assert migrated(tmp_path).endswith(line)
    after = (tmp_path / "train.py").read_text()
    assert migrated(tmp_path) == after


def test_a_file_that_is_newer_is_not_made_old(tmp_path: Path) -> None:
    text = WRAPPER + "\n\nmask = torch.ones(2, dtype=torch.bool)\n"
    write(tmp_path, {"train.py": text, "requirements.txt": "torch==0.3.1"})
    assert "return x.detach()" in migrated(tmp_path)


def test_a_requirement_that_was_raised_first_hides_nothing(tmp_path: Path) -> None:
    text = """
        import torch
        net = torch.nn.Linear(1, 1)
        torch.save(net, "net.pt")
        net = torch.load("net.pt")
        net.eval()
        def show(loss):
            print(loss.data[0])
        """
    write(tmp_path, {"train.py": text, "requirements.txt": "torch>=2.6"})
    result = migrate_file(tmp_path / "train.py", Settings(), write=False)
    assert {"TP103", "TP502"} <= {finding.code for finding in result.findings}


def test_requirements_are_read_only_for_files_with_something_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(path: Path, known: object) -> Era:
        raise AssertionError

    monkeypatch.setattr("torchfix_codemods.project.requirements.required_torch", asked)
    write(tmp_path, {"train.py": "import torch\nx = torch.ones(1)\n"})
    assert not migrate_file(tmp_path / "train.py", Settings(), write=False).errors


@pytest.mark.parametrize("newest", [(0, 3, 1), (0, 4, 1), (1, 1, 0), (1, 4, 0), (1, 12, 1)])
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem)
        for folder in ("programs", "rules")
        for path in sorted((FIXTURES / folder).glob("*.py"))
    ],
)
def test_a_requirement_that_stays_changes_nothing_again(
    path: Path, newest: tuple[int, ...]
) -> None:
    required = Era(newest, newest, ("requirements.txt:1: torch",), pins=("requirements.txt:1",))
    options = Options(required=lambda: required, imported_elsewhere=lambda: False)
    text = migrate(path.read_text("utf-8"), options=options).text
    assert migrate(text, options=options).text == text


@pytest.mark.parametrize(
    ("pin", "newest"),
    [("torch==0.1.12", (0, 2)), ("torch==0.2.1", (0, 2, 1)), ("torch<0.4", (0, 3, 1))],
)
def test_a_pin_that_was_forgotten_makes_no_code_older_than_torch_02(
    pin: str, newest: tuple[int, int], tmp_path: Path
) -> None:
    write(tmp_path, {"requirements.txt": pin, "a.py": "import torch\ny = torch.sum(x, 1)\n"})
    assert required_torch(tmp_path / "a.py").newest == newest
    result = migrate_file(tmp_path / "a.py", Settings(select=("TP906",)), write=True)
    assert not result.findings
