from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.project.index import Index
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings


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
    assert Index().texts.is_used_elsewhere(project / "helpers.py", "clip_grad_norm")


@pytest.mark.parametrize(
    "text",
    [
        "from helpers import Net\nclip_grad_norm_(ps, 1)\n",
        "from torch.nn.utils import clip_grad_norm\nclip_grad_norm(ps, 1)\n",
    ],
)
def test_other_files_do_not_count(project: Path, text: str) -> None:
    (project / "train.py").write_text(text)
    assert not Index().texts.is_used_elsewhere(project / "helpers.py", "clip_grad_norm")


_HELPERS = "from torch.nn.utils import clip_grad_norm\n%s\ndef net(): pass\n"


@pytest.mark.parametrize(
    "listed",
    [
        "__all__ = ['net']",
        '__all__ = ("net",)  # no more',
        "__all__ = [\n    # first\n    'net',\n    \"other\",\n]",
        "__all__ = ['net']\r",
    ],
)
def test_a_list_of_what_stars_bring_counts(project: Path, listed: str) -> None:
    (project / "helpers.py").write_text(_HELPERS % listed, newline="")
    (project / "__init__.py").write_text("from .helpers import *\n")
    (project / "train.py").write_text("from helpers import *\nclip_grad_norm(ps, 1)\n")
    assert not Index().texts.is_used_elsewhere(project / "helpers.py", "clip_grad_norm")
    assert Index().texts.is_used_elsewhere(project / "helpers.py", "net")
    (project / "other.py").write_text("from helpers import clip_grad_norm\n")
    assert Index().texts.is_used_elsewhere(project / "helpers.py", "clip_grad_norm")


@pytest.mark.parametrize(
    "listed",
    [
        "",
        "__all__ = ['net', 'clip_grad_norm']",
        "__all__ = ['net'] + more",
        "__all__ = ['net', *more]",
        "__all__ = ['net'] + \\\n    more",
        "__all__ = sorted(globals())",
        "__all__ = ['net']\n__all__ += more",
        "if x:\n    __all__ = ['net']",
        "# __all__ = ['net']",
        "__all__ = ['net', name]",
    ],
)
def test_a_list_that_is_not_certain_does_not(project: Path, listed: str) -> None:
    (project / "helpers.py").write_text(_HELPERS % listed)
    (project / "__init__.py").write_text("from .helpers import *\n")
    assert Index().texts.is_used_elsewhere(project / "helpers.py", "clip_grad_norm")


def test_what_a_package_offers_is_in_doubt(project: Path) -> None:
    (project / "__init__.py").write_text("from torch.nn.utils import clip_grad_norm\n")
    assert Index().texts.is_used_elsewhere(project / "__init__.py", "clip_grad_norm")


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "x: int = 1",
        "y = x = 1",
        "x, y = 1, 2",
        "y, x = 1, 2",
        "[x, y] = 1, 2",
        "*x, y = z",
        "import x",
        "import y, x",
        "import y as x",
        "from y import x",
        "from y import x as x",
        "from y import (\n    x,\n    z)",
        "from y import z, \\\n    x",
        "def x():\n    pass",
        "async def x():\n    pass",
        "class x:\n    pass",
        "for x in y:\n    pass",
        "for z, x in y:\n    pass",
        "for [x, z] in y:\n    pass",
        "with y as x:\n    pass",
        "if (x := y):\n    pass",
        "match y:\n    case [x, z]:\n        pass",
        "def f():\n    global x",
        "from y import *",
    ],
)
def test_what_may_bind_a_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(text)
    assert Index().texts.may_bind(tmp_path / "a.py", "x")


@pytest.mark.parametrize(
    "text",
    [
        "y.x()",
        "x()",
        "@x\ndef f(): pass",
        "# x of this",
        "x.y = 3",
        "from y import x as z",
        "xx = 1",
    ],
)
def test_what_only_speaks_of_a_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(text)
    assert not Index().texts.may_bind(tmp_path / "a.py", "x")


def test_names_are_looked_for_through_stars_without_reading_code(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "a.py").write_text("from b import *\nfrom a import *\n")
    (tmp_path / "b.py").write_text("from c import *\n")
    (tmp_path / "c.py").write_text("def helper(): return x\nthis is no Python\n")
    index = Index()
    assert not index.texts.may_bind((tmp_path / "a.py").resolve(), "x")
    assert index.texts.may_bind((tmp_path / "a.py").resolve(), "helper")
    assert not index.parsed((tmp_path / "c.py").resolve())


def test_a_module_by_the_name_that_a_star_import_brings(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "display.py").write_text("import numpy as np\n")
    text = "import torch\nfrom display import *\nscale = np.cumproduct([2, 3])\n"
    (tmp_path / "model.py").write_text(text)
    result = migrate_file(tmp_path / "model.py", Settings(select=("TP907",)), write=False)
    assert result.after == text.replace("cumproduct", "cumprod")


_BY_STAR = "from shared import *\n{0}\n\ndef f(n):\n    x = {1}LongTensor(1, 1)\n    return x + n\n"


@pytest.mark.parametrize(
    ("shared", "above", "prefix", "needs"),
    [
        ("import torch", "", "torch.", False),
        # Nothing of the file reads that name yet, or it is not what the other file gives.
        ("import torch", "from torch import LongTensor\n", "", True),
        ("import numpy", "import torch as th\n", "th.", False),
    ],
)
def test_torch_is_not_imported_where_a_star_gives_what_the_file_reads(
    project: Path, shared: str, above: str, prefix: str, needs: bool
) -> None:
    (project / "shared.py").write_text(f"{shared}\n\n\ndef g(): pass\n")
    path = project / "train.py"
    path.write_text(_BY_STAR.format(above, prefix))
    after = migrate_file(path, Settings(select=("TP403",)), write=False).after
    assert ".empty(1, 1, dtype=" in after
    assert ("import torch\n" in after) is needs


@pytest.mark.parametrize(
    ("shared", "above", "text"),
    [
        ("import torch\nimport torch.nn as nn", "", "nn.init.zeros_(m.bias)"),
        ("import torch\nimport torch.nn as nn", "import torch\n", "nn.init.zeros_(m.bias)"),
        ("import torch", "import torch\nfrom torch import nn\n", "nn.init.zeros_(m.bias)"),
        # A name that the file does not read is none of its ways.
        (
            "import torch\nimport torch.nn as nn\nfrom torch.nn import init",
            "",
            "nn.init.zeros_(m.bias)",
        ),
    ],
)
def test_what_a_star_gives_is_written_as_the_file_writes_it(
    project: Path, shared: str, above: str, text: str
) -> None:
    (project / "shared.py").write_text(f"{shared}\n\n\ndef g(): pass\n")
    path = project / "train.py"
    path.write_text(
        f"from shared import *\n{above}\n\ndef start(net):\n    for m in net.modules():\n"
        "        if isinstance(m, nn.Linear):\n            m.bias.data.zero_()\n"
        "    return torch.ones(2)\n"
    )
    after = migrate_file(path, Settings(select=("TP104",)), write=False).after or ""
    assert f"            {text}\n" in after


_SCRIPT = """import argparse
import torch.optim as optim

from shared import *
args = argparse.ArgumentParser().parse_args()

torch.manual_seed(args.seed)
model = Net()
if args.cuda:
    model.cuda()
optimizer = optim.SGD(model.parameters(), lr=args.lr)
"""
_DEVICE = 'device = torch.device("cuda" if args.cuda else "cpu")\n'


@pytest.mark.parametrize(
    ("shared", "needs"),
    # What the star gives may be another torch, or none.
    [("import torch", False), ("from mine import torch", True), ("", True)],
)
def test_a_script_makes_its_device_with_the_torch_that_a_star_gives(
    project: Path, shared: str, needs: bool
) -> None:
    net = "import torch.nn as nn\n\n\nclass Net(nn.Linear): pass\n"
    (project / "shared.py").write_text(f"{shared}\n{net}")
    path = project / "train.py"
    path.write_text(_SCRIPT)
    after = migrate_file(path, Settings(select=("TP201", "TP202")), write=False).after or _SCRIPT
    assert (_DEVICE in after and "import torch\n" not in after) is not needs
