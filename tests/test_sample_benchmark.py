"""Tests of the program that draws rewrites and findings from real code."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import sample


def test_every_rule_gets_its_share_and_at_least_two() -> None:
    shares = sample.shares_of({"TP101": 900, "TP102": 90, "TP103": 3, "TP104": 1}, 100)
    assert shares == {"TP101": 89, "TP102": 8, "TP103": 2, "TP104": 1}


def test_what_there_is_not_is_not_drawn() -> None:
    assert sample.shares_of({"TP101": 2, "TP102": 1}, 100) == {"TP101": 2, "TP102": 1}


def test_a_draw_shows_code_and_diff(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "net.py").write_text(
        "import torch\n\n\ndef f(x):\n    y = torch.ones(2)\n    y.cuda()\n    return x.cuda(), y\n"
        "\n\nif use_gpu:\n    net.cuda()\n"
    )
    (tmp_path / "old.py").write_text("import torch\nx = = 1\n")
    shown = {}
    for kind in ("changed", "advice"):
        arguments = ["sample", str(tmp_path), "--kinds", kind, "--context", "1"]
        monkeypatch.setattr("sys.argv", arguments)
        assert sample.main() == 1
        shown[kind] = capsys.readouterr().out
    assert f"error: {tmp_path.name}/old.py: syntax" in shown["changed"]
    assert f"=== 1 {tmp_path.name}/net.py:6 TP207 discarded-move changed" in shown["changed"]
    assert "-     y.cuda()\n+     y = y.cuda()" in shown["changed"]
    assert f"=== 1 {tmp_path.name}/net.py:6 TP201 hard-coded-cuda advice" in shown["advice"]
    assert ">     y.cuda()\n" in shown["advice"]
    assert "===" not in shown["advice"].partition("=== 1")[2]
