"""The benchmarks that migrate whole packages read the report that the program writes today."""

from __future__ import annotations

from pathlib import Path

from benchmarks.migration import migrate


def test_the_report_of_a_run_is_read(tmp_path: Path) -> None:
    project, work = tmp_path / "project", tmp_path / "work"
    for folder in (project, work):
        folder.mkdir()
    old, broken = project / "old.py", project / "broken.py"
    old.write_text("import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n")
    broken.write_text("import torch\nx = (\n")
    migration = migrate(project, work)
    assert migration.changed == {old.resolve()}
    assert sum(migration.rewrites.values()) == 1
    assert [error.path for error in migration.errors] == [broken.resolve()]
