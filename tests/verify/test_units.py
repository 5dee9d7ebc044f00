"""The parts of the harness by themselves: commands, copies, hunks, comparison, search, marks."""

from __future__ import annotations

import ast
import os
import sys
import textwrap
import weakref
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.verify.command import CommandError, parse_command
from torchfix_codemods.verify.comparing.compare import Comparison, Mask, compare, mask_of
from torchfix_codemods.verify.hunks import Change, FileChange, hunks_of
from torchfix_codemods.verify.runs import Run, Stream
from torchfix_codemods.verify.search import culprits
from torchfix_codemods.verify.trees import Trees

# Commands


@pytest.mark.parametrize(
    ("words", "kind", "target", "args"),
    [
        ("python train.py --epochs 1", "script", "train.py", ("--epochs", "1")),
        ("python -u -W ignore train.py", "script", "train.py", ()),
        ("python -Wignore -m pytest -q tests", "module", "pytest", ("-q", "tests")),
        ("python -c 'print(1)' a", "code", "print(1)", ("a",)),
        ("A=1 B= python x.py -u", "script", "x.py", ("-u",)),
        ([sys.executable, "a file.py"], "script", "a file.py", ()),
    ],
)
def test_command(words: Any, kind: str, target: str, args: tuple[str, ...]) -> None:
    command = parse_command(words)
    assert (command.kind, command.target, command.args) == (kind, target, args)
    assert Path(command.python).is_absolute()


def test_command_with_variables() -> None:
    command = parse_command("A=1 B=x=y python x.py")
    assert command.environment == {"A": "1", "B": "x=y"}
    assert str(command) == "A=1 B=x=y python x.py"


@pytest.mark.parametrize(
    "words",
    ["", "A=1", "python", "python -u", "python -m", "python --version", "no-such-program", "ls x"],
)
def test_no_command(words: str) -> None:
    with pytest.raises(CommandError):
        parse_command(words)


def test_console_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "tool"
    script.write_text(f"#!{sys.executable}\nprint(1)\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    command = parse_command("tool -x")
    assert (command.kind, command.target, command.args) == ("script", str(script), ("-x",))
    script.write_text("#!/usr/bin/env python3\nprint(1)\n")
    assert parse_command("tool").kind == "script"
    script.write_text("#!/bin/sh\n")
    with pytest.raises(CommandError, match="is not a Python program"):
        parse_command("tool")


# Copies


def test_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, work, other = tmp_path / "base", tmp_path / "work", tmp_path / "other"
    for folder in ("pkg", ".git", "pkg/__pycache__", "env"):
        (base / folder).mkdir(parents=True)
    work.mkdir()
    other.write_text("elsewhere")
    (base / "pkg/a.py").write_text("a = 1\n")
    (base / "gone.txt").write_text("x")
    (base / "big.bin").write_bytes(b"12345")
    (base / "env/pyvenv.cfg").write_text("")
    (base / "read.only").write_text("x")
    (base / "read.only").chmod(0o400)
    (base / "inner").symlink_to("pkg/a.py")
    (base / "outer").symlink_to(other)
    (base / "absolute").symlink_to(base / "pkg")
    (base / "dangling").symlink_to("nothing")
    monkeypatch.setattr("torchfix_codemods.verify.trees._LINKED_FROM", 4)
    (base / "pkg/a.py").write_text("a=1")
    trees = Trees(base, work)
    tree = trees.fresh({"pkg/a.py": b"a = 2\n", "gone.txt": None, "new/b.py": b"b\n"})
    names = {path.relative_to(tree).as_posix() for path in tree.rglob("*")}
    assert {"pkg/a.py", "new/b.py", "big.bin", "env", "inner", "outer", "read.only"} <= names
    assert not names & {".git", "pkg/__pycache__", "gone.txt"}
    assert (tree / "big.bin").is_symlink() and (tree / "env").is_symlink()
    assert (tree / "inner").read_text() == "a = 2\n"
    assert (base / "pkg/a.py").read_text() == "a=1"
    assert (tree / "outer").read_text() == "elsewhere"
    assert os.access(tree / "read.only", os.W_OK)
    (tree / "pkg/a.py").write_text("a = 3\n")
    (tree / "left.txt").write_text("x")
    again = trees.fresh({})
    assert again == tree
    assert not (again / "left.txt").exists()
    assert (again / "pkg/a.py").read_text() == "a=1"
    assert trees.within(str(base / "pkg/a.py")) == str(tree / "pkg/a.py")
    assert trees.within("pkg/a.py") == "pkg/a.py"
    assert trees.within(str(other)) == str(other)


def test_a_work_folder_within_the_project_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    work = tmp_path / "work"
    work.mkdir()
    tree = Trees(tmp_path, work).fresh({})
    assert [path.name for path in tree.iterdir()] == ["a.py"]


# Hunks


def change(before: str, after: str, *findings: Finding) -> Change:
    texts = (textwrap.dedent(text).lstrip("\n") for text in (before, after))
    return Change([FileChange("a.py", *texts, findings)])


def finding(line: int, fixed: bool = True) -> Finding:
    return Finding(line, 1, "TP000", "some-rule", "…", Numerics.IDENTICAL, fixed)


def ranges(made: Change) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return [(hunk.before_lines, hunk.after_lines) for hunk in made.hunks]


def test_a_line_that_a_rewrite_moves_is_one_hunk() -> None:
    made = change(
        """
        for epoch in range(3):
            scheduler.step()
            for x in loader:
                train(x)
            print(epoch)
        """,
        """
        for epoch in range(3):
            for x in loader:
                train(x)
            print(epoch)
            scheduler.step()
        """,
        finding(2),
    )
    assert [hunk.parts for hunk in made.hunks] == [(((1, 2), (1, 1)), ((5, 5), (4, 5)))]
    assert made.texts(["a.py#0"])["a.py"].count("scheduler.step()") == 1


def test_a_block_in_the_place_of_another_is_one_hunk() -> None:
    made = change(
        """
        for x in loader:
            if cuda:
                x = x.cuda()
            y = net(x)

            print(y.data[0])
        """,
        """
        with torch.no_grad():
            for x in loader:
                x = x.to(device)
                y = net(x)

                print(y.item())
        """,
        finding(3),
        finding(6),
    )
    assert len(made.hunks) == 1
    assert [f.line for f in made.hunks[0].findings] == [3, 6]


def test_all_that_changes_in_a_class_belongs_to_the_rewrite_of_the_class() -> None:
    made = change(
        """
        class F(Function):
            def forward(self, x):
                y = x

                return self.k * y

        print(1)
        z = 1
        print(2)
        """,
        """
        class F(Function):
            @staticmethod
            def forward(ctx, x):
                y = x

                return ctx.k * y

        print(1)
        z = 2
        print(2)
        """,
        finding(1),
        finding(8),
    )
    assert [[f.line for f in hunk.findings] for hunk in made.hunks] == [[1], [8]]
    assert [len(hunk.parts) for hunk in made.hunks] == [2, 1]


def test_a_definition_in_the_place_of_another_comes_with_all() -> None:
    made = change(
        """
        cuda = False
        Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
        x = 1
        net.cuda()
        """,
        """
        cuda = False
        device = torch.device("cuda" if cuda else "cpu")
        x = 1
        net.to(device)
        """,
        finding(2),
        finding(4),
    )
    assert [hunk.is_scaffold for hunk in made.hunks] == [True, False, False]
    assert [len(hunk.findings) for hunk in made.hunks] == [0, 1, 1]
    assert "device = torch.device" in made.texts(["a.py#2"])["a.py"]
    assert "Tensor = torch" in made.texts(["a.py#2"])["a.py"]


def test_lines_apart_are_hunks_of_their_own() -> None:
    made = change("a = 1\nb = 2\nc = 3\n", "a = 10\nb = 2\nc = 30\n")
    assert ranges(made) == [((0, 1), (0, 1)), ((2, 3), (2, 3))]
    first, second = (hunk.key for hunk in made.hunks)
    assert made.texts([]) == {"a.py": "a = 1\nb = 2\nc = 3\n"}
    assert made.texts([first]) == {"a.py": "a = 10\nb = 2\nc = 3\n"}
    assert made.texts([second]) == {"a.py": "a = 1\nb = 2\nc = 30\n"}
    assert made.texts([first, second]) == {"a.py": "a = 10\nb = 2\nc = 30\n"}


def test_a_statement_on_many_lines_is_one() -> None:
    made = change("f(a,\n  b,\n  c)\nx = 1\n", "f(A,\n  b,\n  C)\nx = 1\n")
    assert ranges(made) == [((0, 3), (0, 3))]


def test_a_block_that_is_put_around_lines_is_one() -> None:
    before = "for x in y:\n    a = f(x)\n\n    b = g(a)\nprint(b)\n"
    after = (
        "with torch.no_grad():\n    for x in y:\n        a = f(x)\n\n        b = g(a)\nprint(b)\n"
    )
    assert ranges(change(before, after)) == [((0, 4), (0, 5))]
    assert ranges(change(after, before)) == [((0, 5), (0, 4))]


def test_a_block_is_no_reason_to_join_what_is_behind_it() -> None:
    before = "a = f(x)\nb = 1\nc = g(a)\n"
    after = "with torch.no_grad():\n    a = f(x)\nb = 1\nc = h(a)\n"
    assert len(change(before, after).hunks) == 2


def test_two_arms_belong_together() -> None:
    before = "if a:\n    x = 1\nelse:\n    x = 2\n    y = 3\n"
    made = change(before, "x = 1\n")
    for chosen in ([], [made.hunks[0].key]):
        ast.parse(made.texts(chosen)["a.py"])
    assert len(made.hunks) == 1


def test_imports_are_scaffold() -> None:
    before = "import a\nfrom b import c\nx = c(1)\nz = 1\ny = a.f(x)\n"
    after = "import a\nimport d\nx = d.c(1)\nz = 1\ny = a.g(x)\n"
    made = change(before, after)
    assert [hunk.is_scaffold for hunk in made.hunks] == [False, False]
    after = "import a\nimport d\n\nx = c(1)\nz = 1\ny = a.g(x)\n"
    made = change("import a\nfrom b import c\n\nx = c(1)\nz = 1\ny = a.f(x)\n", after)
    assert [hunk.is_scaffold for hunk in made.hunks] == [True, False]
    scaffold, other = made.hunks
    assert made.texts([]) == {"a.py": made.files[0].before}
    both = made.texts([other.key])["a.py"]
    assert "from b import c" not in both.replace("from b import c", "", 1)
    assert "import d" in both and "from b import c" in both and "a.g" in both
    assert made.texts([scaffold.key, other.key]) == {"a.py": after}


def test_a_definition_at_the_margin_is_scaffold() -> None:
    before = "import torch\n\nx = f()\ny = x.cuda()\n"
    after = (
        "import torch\n\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "x = f()\ny = x.to(device)\n"
    )
    assert [hunk.is_scaffold for hunk in change(before, after).hunks] == [True, False]


def test_rewrites_are_in_the_hunk_that_they_made() -> None:
    before = "a = f(1,\n      2)\nb = 2\nc = 3\n"
    made = change(
        before, "a = f(1,\n      3)\nb = 2\nc = 4\n", finding(1), finding(4), finding(3, False)
    )
    assert [[f.line for f in hunk.findings] for hunk in made.hunks] == [[1], [4]]


def test_lines_of_rewrites_are_watched() -> None:
    made = change("a = 1\nb = 2\nz = 0\nc = 3\n", "a = 2\nb = 3\nz = 0\n", finding(1), finding(2))
    keys = [hunk.key for hunk in made.hunks]
    assert made.watched([]) == {
        "a.py": {
            keys[0]: [[1, 2]],
            f"{keys[0]}@1": [[1, 1]],
            f"{keys[0]}@2": [[2, 2]],
            keys[1]: [[4, 4]],
        }
    }
    assert made.watched(keys) == {"a.py": {keys[0]: [[1, 2]]}}


def test_no_newline_at_the_end() -> None:
    made = change("import a\nx = 1", "import a\nimport b\nx = 2\n")
    for chosen in ([], [made.hunks[0].key], [hunk.key for hunk in made.hunks]):
        ast.parse(made.texts(chosen)["a.py"])


def test_encoding_and_mark(tmp_path: Path) -> None:
    made = Change([FileChange("a.py", "x = 'é'\n", "x = 'è'\n", (), "latin-1", b"\xef\xbb\xbf")])
    assert made.overrides([]) == {"a.py": b"\xef\xbb\xbfx = '\xe9'\n"}


def test_files_that_do_not_parse() -> None:
    hunks = hunks_of(FileChange("a.py", "print 1\nx = 1\n", "print(1)\nx = 1\n"))
    assert [hunk.before_lines for hunk in hunks] == [(0, 1)]


# Comparison


def tensor(*values: float, dtype: str = "float32", **more: Any) -> dict[str, Any]:
    crc = hash((values, dtype))
    return {"k": "tensor", "d": dtype, "s": [len(values)], "c": crc, "v": list(values), **more}


def number(value: Any) -> dict[str, Any]:
    return {"k": "number", "v": value}


def run(*events: dict[str, Any], stream: str = "main", stop: str | None = None) -> Run:
    listed = [{"at": "a.py:1", "n": n, **event} for n, event in enumerate(events)]
    end = {"end": 0, "stop": stop, "events": len(listed)}
    return Run(0, 0.0, {stream: Stream(listed, end=end)}, {}, "")


def forward(value: Any, root: str = "Net") -> dict[str, Any]:
    return {"kind": "forward", "root": root, "value": value}


def said(text: str) -> dict[str, Any]:
    return {"kind": "print", "value": text}


def compared(one: Run, other: Run, **given: Any) -> Comparison:
    return compare(one, other, **{"rtol": 1e-5, **given})


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (tensor(1.0, 2.0), tensor(1.0, 2.0)),
        (tensor(1.0, 2.0), tensor(1.000001, 2.0)),
        (tensor(1.0, 1e-9), tensor(1.0, 2e-9)),
        ({"k": "tensor", "d": "float32", "s": [], "c": 1, "v": [2.0]}, number(2.0)),
        ({"k": "tensor", "d": "int64", "s": [], "c": 1, "v": [2]}, number(2)),
        (number("nan"), number("nan")),
        (number("inf"), number("inf")),
        ({"k": "text", "v": "a"}, {"k": "text", "v": "a"}),
    ],
)
def test_values_that_agree(a: Any, b: Any) -> None:
    assert compared(run(forward(a)), run(forward(b))).differences == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (tensor(1.0, 2.0), tensor(2.0, 1.0)),
        (tensor(1.0, 2.0), tensor(1.0, 2.0, 3.0)),
        (tensor(1.0, 2.0), tensor(1.0, 2.0, dtype="float64")),
        (tensor(1.0, 2.0), tensor(1.0, "nan")),
        (tensor(1, 2, dtype="int64"), tensor(1, 3, dtype="int64")),
        (tensor(1, 0, dtype="uint8"), tensor(True, False, dtype="bool")),
        (number(2), number(2.0)),
        (number(True), number(1)),
        (number(None), number(0)),
        (number("inf"), number("-inf")),
        ({"k": "tensor", "d": "int64", "s": [], "c": 1, "v": [2]}, number(2.0)),
        ({"k": "text", "v": "a"}, {"k": "text", "v": "b"}),
        ({"k": "list", "n": 1, "i": [number(1)]}, {"k": "list", "n": 2, "i": [number(1)] * 2}),
        (number(1), {"k": "list", "n": 1, "i": [number(1)]}),
    ],
)
def test_values_that_differ(a: Any, b: Any) -> None:
    found = compared(run(forward(a)), run(forward(b))).differences
    assert [difference.kind for difference in found] == ["forward"]


def test_byte_masks() -> None:
    bytes_, bools = tensor(1, 0, dtype="uint8", c=1), tensor(1, 0, dtype="bool", c=1)
    one, other = run(forward(bytes_)), run(forward(bools))
    assert compared(one, other).differences
    assert compared(one, other, bytes_are_bools=True).differences == []


@pytest.mark.parametrize(
    ("dtype", "off", "is_right"),
    [
        ("float64", 1e-12, True),
        ("float64", 3e-8, False),
        ("float32", 3e-8, True),
        ("float32", 1e-4, False),
        ("float16", 4e-4, True),
        ("float16", 1e-2, False),
        ("bfloat16", 4e-3, True),
    ],
)
def test_each_precision_has_its_tolerance(dtype: str, off: float, is_right: bool) -> None:
    a, b = tensor(1.0, 2.0, dtype=dtype), tensor(1.0 + off, 2.0, dtype=dtype)
    assert (compared(run(forward(a)), run(forward(b))).differences == []) is is_right


def described(value: Any) -> dict[str, Any]:
    from torchfix_codemods.verify.inside.digest import digest

    return digest(value)


def test_entries_that_change_places() -> None:
    import torch

    torch.manual_seed(0)
    x = torch.rand(500)
    for one, other in ((0, 2), (17, 400), (498, 499)):
        swapped = x.clone()
        swapped[one], swapped[other] = x[other], x[one]
        a, b = (run(forward(described(each))) for each in (x, swapped))
        assert compared(a, b).differences, (one, other)
    a, b = (run(forward(described(each))) for each in (x, x * (1 + 1e-7)))
    assert compared(a, b).differences == []


def test_the_end_of_long_lists_and_dicts() -> None:
    import torch

    def both(values: list[Any]) -> list[Any]:
        return [values, {f"{n:05}": value for n, value in enumerate(values)}]

    numbers = [n / 7 for n in range(1500)]
    tensors = [torch.full((20,), n / 7) for n in range(1010)]
    texts = [f"line {n}" for n in range(1010)]
    near = [n * (1 + 1e-12) for n in numbers]
    for right, wrong in (
        (numbers, [*numbers[:-1], 5000.0]),
        (tensors, [*tensors[:-1], tensors[-1] * 1.5]),
        (texts, [*texts[:-1], "another"]),
        (numbers, [*numbers[:-1], 3]),
    ):
        for a, b in zip(both(right), both(wrong), strict=True):
            one, other = run(forward(described(a))), run(forward(described(b)))
            assert compared(one, other).differences
            assert compared(one, one).differences == []
    for a, b in zip(both(numbers), both(near), strict=True):
        assert compared(run(forward(described(a))), run(forward(described(b)))).differences == []


def test_large_tensors_are_compared_by_their_norm() -> None:
    a = tensor(1.0, n=10.0, p=[3.0, 4.0])
    near, far = dict(a, c=1, n=10.00001), dict(a, c=1, p=[3.0, 4.1])
    assert compared(run(forward(a)), run(forward(near))).differences == []
    assert compared(run(forward(a)), run(forward(far))).differences
    assert not compared(run(forward(a)), run(forward(near))).is_exact


def test_gradients_that_are_what_rounding_left_of_zero() -> None:
    def backward(small: float) -> dict[str, Any]:
        grads = {"conv.bias": tensor(small, -small), "fc.weight": tensor(1.0, 2.0)}
        return {"kind": "backward", "value": [tensor(1.0)], "grads": grads}

    assert compared(run(backward(1e-9)), run(backward(-3e-9))).differences == []
    assert compared(run(backward(1e-3)), run(backward(-3e-3))).differences


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("loss 1.5", "loss 1.5"),
        ("right tensor(26)", "right 26"),
        ("loss tensor(0.5000, grad_fn=<MeanBackward0>)", "loss tensor(0.5000)"),
        ("at 0x7f0011223344", "at 0x7f0055667788"),
        ("loss 0.123456789", "loss 0.123456790"),
        ("trailing  ", "trailing"),
        ("m [0.17332177 0.7395523 ]", "m [0.17332177 0.73955226]"),
        ("[[ 0.5 -1. ]", "[[ 0.50000001 -1.         ]"),
        ("tensor([ 0.5, -0.3])", "tensor([0.5, -0.3])"),
    ],
)
def test_lines_that_agree(a: str, b: str) -> None:
    assert compared(run(said(a)), run(said(b))).differences == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("loss 1.5", "loss 1.6"),
        ("loss 1.5", "lose 1.5"),
        ("loss 1.5", "loss 1.5 2"),
        ("loss -1.5", "loss 1.5"),
        ("loss 1.5", "loss nan"),
        ("loss  1.5", "loss 1.5"),
        ("m [0.5 0.7 ]", "m [0.5 0.71]"),
        ("m [1. 23 ]", "m [1.23 ]"),
        ("m [ 1 2]", "m [1 2]"),
        ("cell 2", "cell 2.0"),
        ("tensor([8, 5])", "tensor([8., 5.])"),
        ("accuracy 12", "accuracy 13"),
        ("loss 0.12", "loss 0.13"),
        ("loss 1.2345", "loss 1.2346"),
    ],
)
def test_lines_that_differ(a: str, b: str) -> None:
    assert compared(run(said(a)), run(said(b))).differences


def test_the_last_printed_digit_where_other_numbers_are_rounded() -> None:
    one, other = said("loss 1.2345"), said("loss 1.2346")
    near = run(forward(tensor(1.0, 2.0)), one), run(forward(tensor(1.000001, 2.0)), other)
    assert compared(*near).differences == []
    assert not compared(*near).is_exact
    same = run(forward(tensor(1.0, 2.0)), one), run(forward(tensor(1.0, 2.0)), other)
    assert [d.kind for d in compared(*same).differences] == ["print"]
    far = run(forward(tensor(1.000001, 2.0)), said("loss 1.2349"))
    assert compared(near[0], far).differences


def test_events_too_many_and_too_few() -> None:
    long, short = run(said("1"), said("2")), run(said("1"))
    for one, other in ((long, short), (short, long)):
        (difference,) = compared(one, other).differences
        assert difference.is_structural and difference.index == 1
    stopped = run(said("1"), stop="seconds")
    assert compared(long, stopped).differences == []
    assert compared(long, run(said("1"), stop="steps")).differences


def test_a_stream_that_is_missing() -> None:
    one = run(said("1"))
    other = run(said("1"))
    one.streams["main.1"] = Stream([{"kind": "print", "value": "x", "n": 0, "at": None}])
    (difference,) = compared(one, other).differences
    assert difference.stream == "main.1"


def test_mask() -> None:
    one, other = (
        run(said("at 1"), said("x 5"), said("y 1")),
        run(said("at 2"), said("x 5"), said("y 1")),
    )
    mask = mask_of(one, other)
    assert compared(one, run(said("at 3"), said("x 5"), said("y 1")), mask=mask).differences == []
    assert compared(one, run(said("at 3"), said("x 6"), said("y 1")), mask=mask).differences
    assert compared(one, run(said("is 3"), said("x 5"), said("y 1")), mask=mask).differences
    assert compared(one, run(said("at 3"), said("x 5")), mask=mask).differences
    cut = mask_of(one, run(said("at 1"), forward(number(1))))
    assert cut.ends == (("main", 1),)
    assert compared(one, run(said("at 1"), said("z")), mask=cut).differences == []
    assert Mask().ends == ()


def test_a_saved_tensor_that_requires_grad() -> None:
    def saved(**more: Any) -> Run:
        return run({"kind": "save", "file": "a.pt", "value": tensor(1.0, **more)})

    assert compared(saved(), saved(g=1)).differences
    assert compared(saved(g=1), saved()).differences == []
    assert compared(run(forward(tensor(1.0))), run(forward(tensor(1.0, g=1)))).differences == []


def test_tests_are_compared_by_name() -> None:
    def test(name: str, value: str = "passed") -> dict[str, Any]:
        return {"kind": "test", "test": name, "value": value}

    one = run(said("1"), test("a"), said("2"), test("b", "failed"), said("3"), test("c"))
    other = run(said("1"), test("a"), said("9"), said("8"), test("b"), said("3"), test("c"))
    assert compared(one, other).differences == []
    wrong = run(said("1"), test("a"), test("b"), said("4"), test("c"))
    (difference,) = compared(one, wrong).differences
    assert difference.values == ("3", "4")


# Search


def search(keys: str, *guilty: str, broken: Collection[str] = ()) -> tuple[list[Any], int]:
    """The culprits among letters, where a guilty one counts alone or all letters of it together."""
    asked = set()

    def check(chosen: frozenset[str]) -> str:
        asked.add(chosen)
        if any(set(pair[:1]) <= chosen and not set(pair[1:]) <= chosen for pair in broken):
            return "broken"
        return "different" if any(set(group) <= chosen for group in guilty) else "same"

    return culprits(list(keys), check), len(asked)


def test_no_culprit() -> None:
    assert search("abcdef") == ([], 1)


@pytest.mark.parametrize("guilty", list("abcdefghij"))
def test_one_culprit(guilty: str) -> None:
    found, asked = search("abcdefghij", guilty)
    assert found == [(guilty,)]
    assert asked <= 6


def test_two_culprits() -> None:
    found, asked = search("abcdefghij", "c", "h")
    assert sorted(found) == [("c",), ("h",)]
    assert asked <= 11


def test_all_are_culprits() -> None:
    found, _ = search("abcd", *"abcd")
    assert sorted(found) == [(key,) for key in "abcd"]


def test_culprits_that_only_are_so_together() -> None:
    (found,), _ = search("abcdef", "be")
    assert set(found) & {"b", "e"}


def test_prefixes_that_do_not_run() -> None:
    """A change of a function's signature comes before that of its calls."""
    found, _ = search("abcdefgh", "g", broken=["be"])
    assert found == [("g",)]
    found, _ = search("abcd", "c", broken=["bd"])
    assert all("c" in group for group in found) and len(found) == 1


@pytest.mark.parametrize("guilty", ["a", "c", "f"])
def test_changes_that_are_right_only_together(guilty: str) -> None:
    """Gradients are added up by one call of ``backward``, which frees what the other one needs."""

    def check(chosen: frozenset[str]) -> str:
        if {"b", "e"} & chosen == {"e"}:
            return "broken"
        return "different" if guilty in chosen or {"b", "e"} & chosen == {"b"} else "same"

    assert culprits(list("abcdef"), check) == [(guilty,)]


def test_changes_that_run_only_together_beside_one_that_does_not() -> None:
    def check(chosen: frozenset[str]) -> str:
        return "broken" if "d" in chosen or {"b", "e"} & chosen == {"b"} else "same"

    assert culprits(list("abcdef"), check) == [("d",)]


def test_a_wrong_change_that_another_one_needs() -> None:
    found, _ = search("abcdef", "b", broken=["eb"])
    assert found[0] == ("b",)


# Marks


def marks(text: str, *lines: int) -> list[str]:
    """Which of the watched lines of a program tell that they ran, in order."""
    from torchfix_codemods.verify.inside import coverage

    told: list[str] = []
    tree = ast.parse(textwrap.dedent(text))
    coverage.mark(tree, {str(n): [[n, n]] for n in lines})
    names = {coverage.MARK: told.append}
    exec(compile(tree, "a.py", "exec"), {**names, "__name__": "a"})
    return list(dict.fromkeys(told))


def test_docstrings_and_futures_stay_first() -> None:
    text = '"""Doc."""\nfrom __future__ import annotations\nx = 1\nassert __doc__ == "Doc."\n'
    assert marks(text, 1, 2, 3) == ["1", "2", "3"]
    text = 'def f():\n    """Doc."""\n    return 1\nassert f.__doc__ == "Doc."\nf()\n'
    assert marks(text, 2, 3) == ["2", "3"]


def test_decorators_and_heads() -> None:
    text = "def d(f):\n    return f\n@d\n@d\ndef f(\n    x=1,\n):\n    return x\n"
    assert marks(text, 3, 6, 8) == ["3", "6"]


def test_lambdas() -> None:
    assert marks("f = lambda x: x + 1\n", 1) == ["1"]
    text = "f = (\n    lambda x:\n    x + 1\n)\n{}\n"
    assert "3" in marks(text.format("f(1)"), 3)
    assert marks("f = lambda x: x + 1\nassert f(1) == 2\n", 1) == ["1"]


def test_elif() -> None:
    text = "x = {}\nif x == 1:\n    y = 1\nelif x == 2:\n    y = 2\nelse:\n    y = 3\n"
    assert marks(text.format(1), 2, 3, 4, 5, 7) == ["2", "3"]
    assert marks(text.format(2), 2, 3, 4, 5, 7) == ["2", "4", "5"]
    assert marks(text.format(3), 2, 3, 4, 5, 7) == ["2", "4", "7"]


def test_ifs_on_one_line() -> None:
    assert marks("if 0: x = 1\ny = 1\n", 1, 2) == ["1", "2"]
    assert marks("if 1: x = 1\nelse: x = 2\n", 2) == []
    assert marks("if 0: x = 1\nelse: x = 2\n", 2) == ["2"]
    assert marks("for i in (): x = 1\n", 1) == ["1"]


def test_loops_try_with_and_match() -> None:
    text = "try:\n    1 / {}\nexcept (\n    KeyError, ZeroDivisionError\n):\n    x = 1\n"
    assert marks(text.format(0), 4) == ["4"]
    assert marks(text.format(1), 4) == []
    text = """
    import contextlib
    for i in range(2):
        x = i
    else:
        x = 5
    try:
        raise KeyError
    except KeyError:
        y = 1
    finally:
        z = 1
    with contextlib.suppress(Exception):
        raise ValueError
        never = 1
    while False:
        never = 2
    """
    assert marks(text, 4, 6, 8, 10, 12, 14, 15, 17) == ["4", "6", "8", "10", "12", "14"]


def test_classes_and_async() -> None:
    text = """
    import asyncio
    class A:
        x = 1
        def f(self):
            return 1
    async def g():
        return A().f()
    asyncio.run(g())
    """
    assert marks(text, 4, 6, 8) == ["4", "8", "6"]
    assert marks(text.replace("asyncio.run(g())", ""), 4, 6, 8) == ["4"]


def test_statements_on_many_lines() -> None:
    assert marks("x = [\n    1,\n    2,\n]\n", 3) == ["3"]
    assert marks("def f(): pass\nf(\n    *[],\n)\n", 3) == ["3"]


def test_match() -> None:
    text = "match {}:\n    case 1:\n        x = 1\n    case _:\n        x = 2\n"
    assert marks(text.format(1), 3, 5) == ["3"]
    assert marks(text.format(2), 3, 5) == ["5"]
    assert marks(text.format(2), 1, 2, 4) == ["1", "2", "4"]


# What a run may not do


def test_guard(tmp_path: Path) -> None:
    """In a process of its own: an audit hook stays for good."""
    import subprocess

    free, shut = tmp_path / "shut" / "free", tmp_path / "shut"
    free.mkdir(parents=True)
    (shut / "data").write_text("x")
    script = f"""
import os, socket, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from torchfix_codemods.verify.inside.world import guard
guard.install([{str(shut)!r}], [{str(free)!r}])
open({str(free / "a")!r}, "w").close()
os.rename({str(free / "a")!r}, {str(free / "b")!r})
print(open({str(shut / "data")!r}).read())
for change in (
    lambda: open({str(shut / "data")!r}, "r+"),
    lambda: os.rename({str(shut / "data")!r}, {str(free / "c")!r}),
    lambda: os.link({str(free / "b")!r}, {str(shut / "d")!r}),
    lambda: os.open({str(shut / "e")!r}, os.O_CREAT),
    lambda: open({str(free)!r} + "/../data", "w"),
    lambda: socket.create_connection(("192.0.2.1", 9)),
):
    try:
        change()
    except OSError as error:
        print(type(error).__name__)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["x", *["PermissionError"] * 5, "OSError"], done.stderr
    assert [path.name for path in shut.iterdir() if path.is_file()] == ["data"]
    assert (shut / "data").read_text() == "x"


def test_modules_are_told_of_in_the_order_of_their_first_call() -> None:
    """Also where one got the address of another that is gone, which is up to the allocator."""
    from torch import nn

    from torchfix_codemods.verify.inside.events import Recorder

    recorder = Recorder(trace=None)  # type: ignore[arg-type]
    first, second = nn.Linear(1, 1), nn.Linear(1, 1)
    recorder.root(first)
    gone = recorder._roots[id(first)]
    recorder._roots = {id(second): (weakref.ref(nn.Linear(1, 1)), "Gone"), id(first): gone}
    assert recorder.root(second) == "Linear2"
    assert [name for _, name in recorder._roots.values()] == ["Linear", "Linear2"]
