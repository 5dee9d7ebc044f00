"""Which file an import means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from torchfix_codemods.project.files import FilesOf
from torchfix_codemods.project.imports import resolve
from torchfix_codemods.project.index import Index


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def written(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


@pytest.mark.parametrize(
    ("dotted", "file"),
    [
        ("helpers", "helpers.py"),
        ("package", "package/__init__.py"),
        ("package.module", "package/module.py"),
        ("spaces.module", "spaces/module.py"),
        ("outer.inner.module", "outer/inner/module.py"),
        ("outer", "outer"),
        (".helpers", "helpers.py"),
        (".package.module", "package/module.py"),
    ],
)
def test_what_an_import_means(project: Path, dotted: str, file: str) -> None:
    written(project, "helpers.py", "package/__init__.py", "package/module.py")
    written(project, "spaces/module.py", "outer/inner/module.py")
    assert resolve(dotted, project / "train.py") == project / file


@pytest.mark.parametrize("dotted", ["torch.nn", "numpy", "pictures", "helpers.inner", "other"])
def test_what_is_no_file_of_the_project(project: Path, dotted: str) -> None:
    written(project, "helpers.py", "torch/nn.py", "numpy/linalg.py", "pictures/cats/1.jpg")
    written(project, "pictures/not a name/module.py", "pictures/a/b/module.py")
    assert resolve(dotted, project / "train.py") is None


def test_two_of_one_name_are_in_doubt(project: Path) -> None:
    written(project, "helpers.py", "inner/helpers.py", "inner/train.py")
    assert resolve("helpers", project / "inner" / "train.py") is None
    assert resolve("helpers", project / "train.py") == project / "helpers.py"


def test_a_folder_that_cannot_be_read_means_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(project, "outer/inner/module.py")

    def refuse(path: str) -> None:
        raise PermissionError(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert resolve("outer.inner.module", project / "train.py") is None


@pytest.mark.parametrize(
    ("begin", "name", "file"),
    [
        ("", "Net", "GAN/GAN.py"),
        ("", "train", "GAN/__init__.py"),
        # Either may be meant then.
        ("from .GAN import Net\n", "Net", None),
        ("", "unknown", None),
    ],
)
def test_of_several_files_the_one_that_has_the_name_is_meant(
    project: Path, begin: str, name: str, file: str | None
) -> None:
    written(project, "GAN/__init__.py", "GAN/GAN.py", "GAN/train.py")
    (project / "GAN/__init__.py").write_text(begin)
    (project / "GAN/GAN.py").write_text("class Net:\n    pass\n")
    importer = FilesOf(project / "GAN/train.py", Index())
    assert importer.module("GAN") is None
    found = importer.module_with("GAN", name)
    assert (found and found.path) == (file and project / file)
