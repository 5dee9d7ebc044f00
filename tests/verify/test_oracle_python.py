"""The Python with the old torch: which one is taken, built, kept, and what goes wrong.

The Pythons here are shell scripts that answer as a Python would.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from torchfix_codemods.cli.commands import main
from torchfix_codemods.verify import oracle
from torchfix_codemods.verify.oracle import OracleError, oracle_python

#: `-c`: what the Python says of itself; `-m venv DIR`: a Python of its own; `-m pip install`: torch.
SCRIPT = """#!/bin/sh
case "$1 $2" in
"-c "*) echo "a line that some site prints"; cat "$0.said" 2>/dev/null || echo '{said}' ;;
"-m venv") echo "venv $3" >> {log}; mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
"-m pip") echo "pip $*" >> {log}; {pip} ;;
esac
"""

INSTALLS = 'echo \'{"python": [3, 7], "torch": "1.0.1.post2"}\' > "$0.said"'


class Machine:
    """A machine with made-up Pythons."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.log.touch()
        for name in ("path", "cache"):
            (folder / name).mkdir()

    def python(
        self, minor: int, torch: str | None = None, at: str = "", pip: str = INSTALLS
    ) -> str:
        said = json.dumps({"python": [3, minor], "torch": torch})
        path = self.folder / (at or f"path/python3.{minor}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            SCRIPT.replace("{said}", said).replace("{log}", str(self.log)).replace("{pip}", pip)
        )
        path.chmod(0o755)
        return str(path)

    @property
    def lines(self) -> list[str]:
        return self.log.read_text().splitlines()


@pytest.fixture
def machine(tmp_path, monkeypatch):
    made = Machine(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}/path:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    return made


def test_an_environment_is_built_once(machine, capsys):
    machine.python(7)
    python = oracle_python("1.0")
    folder = machine.folder / "cache" / "torchfix" / "oracles" / "torch-1.0-python3.7"
    assert python == str(folder / "bin" / "python")
    assert [line.split()[0] for line in machine.lines] == ["venv", "pip", "pip"]
    assert machine.lines[1].endswith("torch==1.0.* numpy<1.20")
    assert machine.lines[2].endswith("pillow<7")
    assert "building a virtual environment with torch 1.0" in capsys.readouterr().err
    assert oracle_python("1.0") == python
    assert len(machine.lines) == 3
    assert capsys.readouterr().err == ""


def test_a_whole_version_is_taken_as_it_is(machine):
    machine.python(7)
    oracle_python("1.0.1")
    assert "torch==1.0.1 " in machine.lines[1] + " "


@pytest.mark.parametrize("harm", ["unfinished", "broken", "other torch"])
def test_what_does_not_work_is_built_again(machine, harm):
    machine.python(7)
    python = Path(oracle_python("1.0"))
    if harm == "unfinished":
        (python.parents[1] / oracle._READY).unlink()
    elif harm == "broken":
        python.write_text("#!/bin/sh\nexit 1\n")
    else:
        Path(f"{python}.said").write_text('{"python": [3, 7], "torch": "1.10.0"}')
    assert oracle_python("1.0") == str(python)
    assert [line.split()[0] for line in machine.lines] == ["venv", "pip", "pip"] * 2


def test_a_python_that_has_the_torch_is_used(machine):
    named = machine.python(7, torch="1.0.0", at="env/bin/python")
    assert oracle_python("1.0", named) == named
    assert oracle_python("1.0.0", named) == named
    assert machine.lines == []
    machine.python(7)
    assert oracle_python("1.0.1", named) != named


def test_the_newest_python_that_the_torch_is_for(machine):
    for minor in (7, 8, 11):
        machine.python(minor)
    assert "python3.7" in oracle_python("1.0")
    machine.python(8, pip="true")
    with pytest.raises(OracleError, match="was installed, but cannot be imported"):
        oracle_python("1.4")
    assert machine.lines[-3].endswith("torch-1.4-python3.8")


def test_pyenv_is_looked_through_where_its_shim_does_not_run(machine):
    shim = Path(machine.python(7))
    shim.write_text("#!/bin/sh\necho 'pyenv: python3.7: command not found' >&2\nexit 127\n")
    machine.python(7, at="pyenv/versions/3.7.16/bin/python")
    assert oracle_python("1.0").endswith("torch-1.0-python3.7/bin/python")


@pytest.mark.parametrize(
    ("version", "named", "message"),
    [
        ("0.4", None, "torch 0.4 cannot be installed, the oldest is 1.0"),
        ("old", None, "'old' is no version of torch"),
        (
            "1.0",
            None,
            "torch 1.0 needs Python 3.7, which is not found; name one by --oracle-python",
        ),
        ("1.4", None, "torch 1.4 needs Python 3.8 or 3.7"),
        ("1.0", "python3.5", "python3.5 is not found"),
        ("1.0", "python3.11", "torch 1.0 cannot be installed for Python 3.11, but for 3.7"),
        ("1.0", "sh", "sh is no Python 3.7 or newer that runs"),
    ],
)
def test_there_is_no_python(machine, version, named, message):
    machine.python(11)
    with pytest.raises(OracleError, match=message):
        oracle_python(version, named)


def test_pip_fails(machine):
    machine.python(7, pip="echo 'ERROR: no space left' >&2; exit 1")
    with pytest.raises(OracleError, match="cannot be installed: no space left"):
        oracle_python("1.0")
    assert not list(machine.folder.glob("cache/torchfix/oracles/*/bin"))


def test_pillow_may_be_missing(machine):
    pip = f'case "$*" in *pillow*) exit 1 ;; *) {INSTALLS} ;; esac'
    machine.python(7, pip=pip)
    assert oracle_python("1.0")


def test_the_command_exits_with_2(machine, monkeypatch):
    program = machine.folder / "program.py"
    program.write_text("print(1)\n")
    monkeypatch.chdir(machine.folder)
    words = [
        "verify",
        "program.py",
        "--device",
        "cpu",
        "--oracle",
        "1.0",
        "--",
        "python",
        "program.py",
    ]
    machine.python(11, at="path/python")
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "error: torch 1.0 needs Python 3.7, which is not found" in done.output
    words[words.index("cpu")] = "cuda"
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2 and "--oracle compares on the CPU" in done.output
