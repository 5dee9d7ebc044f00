from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.project import Index


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "helpers.py").write_text("from torch.nn.utils import clip_grad_norm\n")
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "from helpers import *\nclip_grad_norm(ps, 1)\n",
        "from helpers import (\n    clip_grad_norm)\n",
        "import helpers\nhelpers.clip_grad_norm(ps, 1)\n",
    ],
)
def test_a_name_that_an_importing_file_speaks_of_is_used(project: Path, text: str) -> None:
    (project / "train.py").write_text(text)
    assert Index().is_used_elsewhere(project / "helpers.py", "clip_grad_norm")


@pytest.mark.parametrize(
    "text",
    [
        "from helpers import Net\nclip_grad_norm_(ps, 1)\n",
        "from torch.nn.utils import clip_grad_norm\nclip_grad_norm(ps, 1)\n",
    ],
)
def test_other_files_do_not_count(project: Path, text: str) -> None:
    (project / "train.py").write_text(text)
    assert not Index().is_used_elsewhere(project / "helpers.py", "clip_grad_norm")


def test_what_a_package_offers_is_in_doubt(project: Path) -> None:
    (project / "__init__.py").write_text("from torch.nn.utils import clip_grad_norm\n")
    assert Index().is_used_elsewhere(project / "__init__.py", "clip_grad_norm")
