"""Which files are read, and which rules are asked about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.documents.books import notebook
from torchfix_codemods.catalogue import all_rows
from torchfix_codemods.cli.commands import main
from torchfix_codemods.engine.migrate import Options, migrate_text
from torchfix_codemods.finding import FileResult
from torchfix_codemods.lsp.document import Document
from torchfix_codemods.project.glance import imports_torch, speaks_of_libraries
from torchfix_codemods.rules import about_other_libraries, all_rules, select
from torchfix_codemods.runs.runner import migrate_bytes, migrate_file, migrate_files
from torchfix_codemods.settings.config import Settings

NAMES = [name for row in all_rows() if not row.is_about_torch for name in row.names]

#: A file of each library, and what stands in it afterwards, or what is said.
GONE = {
    "types of numpy": ("import numpy as np\nx = np.zeros(3, np.float)\n", "np.zeros(3, float)"),
    "numpy by its name": ("import numpy\nx = numpy.zeros(3, numpy.int)\n", "numpy.zeros(3, int)"),
    "numpy by another name": ("import numpy as N\nx = N.zeros(3, N.int)\n", "N.zeros(3, int)"),
    "a name of numpy": ("from numpy import Inf, zeros\nx = zeros(3) - Inf\n", "- numpy.inf"),
    "bool of numpy": ("import numpy as np\nx = np.zeros(3, dtype=np.bool)\n", "dtype=bool)"),
    "bytes for numpy": ("import numpy as np\nx = np.fromstring(b'12')\n", "np.frombuffer(b'12')"),
    "collections": (
        "from collections import MutableMapping\nclass A(MutableMapping):\n    pass\n",
        "from collections.abc import MutableMapping",
    ),
    "several lines": (
        "from collections import (\n    OrderedDict,  # kept\n    Iterable,\n)\n"
        "x = isinstance(OrderedDict(), Iterable)\n",
        "from collections.abc import Iterable",
    ),
    "an attribute of collections": (
        "import collections as c\nx = isinstance({}, c.Mapping)\n",
        "isinstance({}, c.abc.Mapping)",
    ),
    "yaml": ("import yaml\nx = yaml.load(f)\n", "yaml.load(f, Loader=yaml.FullLoader)"),
    "a function of yaml": ("from yaml import load\nx = load(f)\n", "FullLoader"),
    "images of scipy": ("from scipy import misc\nx = misc.imread('f')\n", "imageio"),
    "windows of scipy": (
        "from scipy import signal\nx = signal.hann(8)\n",
        "signal.windows.hann(8)",
    ),
    "special functions of scipy": (
        "from scipy.misc import logsumexp\nx = logsumexp(y, axis=1)\n",
        "from scipy.special import logsumexp\nx = logsumexp(y, axis=1)\n",
    ),
    "special functions of scipy, beside what has no other name": (
        "from scipy.misc import comb, imread\nx = comb(4, 2), imread(path)\n",
        "from scipy.misc import imread\nfrom scipy.special import comb\nx = comb(4, 2), imread(path)\n",
    ),
    "integrals of scipy": (
        "from scipy import integrate\nx = integrate.trapz(y)\n",
        "integrate.trapezoid(y)",
    ),
    "sklearn": (
        "from sklearn.utils.linear_assignment_ import linear_assignment\nx = linear_assignment(y)\n",
        "linear_sum_assignment",
    ),
    "joblib": ("from sklearn.externals import joblib\njoblib.dump(x, 'f')\n", "import joblib"),
    "skimage": (
        "from skimage.measure import compare_psnr\nx = compare_psnr(y, z)\n",
        "peak_signal_noise_ratio",
    ),
    "Pillow": (
        "from PIL import Image\nx = y.resize((8, 8), Image.ANTIALIAS)\n",
        "Image.LANCZOS",
    ),
    "a module of Python": ("import imp\nx = imp.reload(y)\n", "importlib.reload(y)"),
    "tables": ("import pandas as pd\nx = pd.read_csv('f').get_values()\n", ").values"),
    "sound": ("import librosa\nlibrosa.output.write_wav('f', x, 8)\n", "soundfile.write"),
    "a range": ("def f(x, n):\n    return range(len(x) / n)\n", "range(len(x) // n)"),
    "time": ("import time\nx = time.clock()\n", "perf_counter"),
    "fractions": ("from fractions import gcd\nx = gcd(4, 6)\n", "math.gcd"),
    "inspect": ("import inspect\nx = inspect.getargspec(f)\n", "getfullargspec"),
}

KEPT = {
    "modern": "import numpy as np\nimport collections.abc\nx = np.zeros(3, dtype=np.int64)\n",
    "another module": "from .collections import Mapping\nfrom mine.yaml import load\nx = load(f)\n",
    "a class of the file": "class np:\n    float = 1\nx = np.float\n",
    "a parameter": "import numpy as np\ndef f(np):\n    return np.float\n",
    "another parameter": "import yaml\ndef f(yaml):\n    return yaml.load(f)\n",
    "a name that is taken": "import numpy as np\ndef f(x, float):\n    return x.astype(np.float)\n",
    "a whole range": "def f(x, n):\n    return range(int(len(x) / n)), range(len(x) // n)\n",
    "a range of floats": "import numpy as np\nx = np.arange(3) / 2\n",
    "a loader that is given": "import yaml\nx = yaml.load(f, Loader=yaml.SafeLoader)\n",
    "a comment": "import numpy as np  # np.float is gone\nx = 1\n",
    "a choice": (
        "try:\n    from collections.abc import Mapping\nexcept ImportError:\n"
        "    from collections import Mapping\nx = isinstance(y, Mapping)\n"
    ),
    "names of torch": "import numpy as np\nx = np.float64(y.ger(z))\nloss = F.sigmoid(y)\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout in which one file imports torch, and no other file imports the one asked about."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "tools" / "data").mkdir(parents=True)
    (tmp_path / "train.py").write_text("import torch\n")
    return tmp_path


def result_of(path: Path, text: str, **settings: object) -> FileResult:
    path.write_text(text, "utf-8")
    (result,) = migrate_files([path], Settings(**settings), write=False)  # type: ignore[arg-type]
    return result


def said(result: FileResult) -> str:
    return " ".join([result.after or "", *(finding.message for finding in result.findings)])


@pytest.mark.parametrize(("text", "expected"), GONE.values(), ids=GONE)
def test_names_that_are_gone_are_found_in_all_files_of_a_project_with_torch(
    project: Path, text: str, expected: str
) -> None:
    path = project / "tools" / "data" / "convert.py"
    assert expected in said(result_of(path, text))
    # Without torch in the project it is none of the tool's business.
    (project / "train.py").write_text("import jax\n# import torch\n")
    assert not said(result_of(path, text)).strip()


def test_what_another_file_takes_from_an_import_stays(project: Path) -> None:
    path, text = project / "tools" / "images.py", "from scipy.misc import imread\n"
    assert result_of(path, text).after == ""
    (project / "show.py").write_text("from tools.images import imread\nprint(imread('f'))\n")
    taken = result_of(path, text)
    assert taken.after is None
    assert "imageio" in said(taken)


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_only_looks_like_it_stays(project: Path, text: str) -> None:
    result = result_of(project / "tools" / "data" / "convert.py", text)
    assert result.after is None
    assert not result.findings and not result.errors


@pytest.mark.parametrize("name", NAMES)
def test_a_glance_shows_each_name_of_the_catalogue(name: str) -> None:
    module, _, last = name.rpartition(".")
    package, _, inner = module.rpartition(".")
    forms = [
        f"import {module}\nx = {name}\n",
        f"import {module} as m\nx = m.{last}\n",
        f"from {module} import {last}\nx = {last}\n",
        f"from {module} import other, {last} as x\n",
        f"from {module} import (\n    other,\n    {last},\n)\n",
        f"from {module} import other, \\\n    {last}\n",
    ]
    if package:
        forms += [f"from {package} import {inner}\nx = {inner}.{last}\n"]
        forms += [f"from {package} import {inner} as m\nx = m.{last}\n"]
    if module == "numpy":
        forms += [f"import numpy as np\nx = np.{last}\n", f"from common import *\nx = np.{last}\n"]
    if module == "pandas.DataFrame":
        forms = [f"import pandas as pd\nx = pd.read_csv(path).{last}\n"]
        assert not speaks_of_libraries(forms[0].replace("pandas", "polars").encode())
    if name == "numpy.array":
        # Only what is asked for shows that it fails.
        assert not any(speaks_of_libraries(form.encode()) for form in forms)
        forms = [f"{form}y = x([1], copy=False)\n" for form in forms]
    for form in forms:
        assert speaks_of_libraries(form.encode()), form
        book = json.dumps(notebook(form))
        assert speaks_of_libraries(book.encode()), form


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as np\nx = np.float32(int(y))\n",
        "from numpy import array\nx = float(array(1))\n",
        "from typing import Callable, Mapping\nfrom collections.abc import Sequence\n",
        "import collections\nx = collections.abc.Mapping\n",
        "import numpy as np\nimport pandas as pd\nx = pd.Series().str.lower()\n",
        "import numpy as N\nx = N.zeros(3)\n",
        "import matplotlib.pyplot as plt, scipy\nplt.imshow(x)\n",
        "import json\nx = json.load(f)\n",
        "import yaml\nx = yaml.safe_load(f)\n",
        "from sklearn.utils import shuffle\n",
    ],
)
def test_a_glance_passes_over_what_is_still_there(text: str) -> None:
    assert not speaks_of_libraries(text.encode())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch", True),
        ("import os\nif x:\n    import torch as th\n", True),
        ("import os, numpy as np, torch\n", True),
        ("import torch;import os\n", True),
        ("from torch.nn import functional\n", True),
        ("from torchvision import transforms\r\n", True),
        ("import pytorch_lightning as pl\n", True),
        ("x = 1\r\nimport torch\r\n", True),
        (json.dumps(notebook("import os\nimport torch\n")), True),
        (json.dumps(notebook("import os\nimport torch")), True),
        ('{"source": "import os\\nimport torch\\n"}', True),
        ("# import torch\n", False),
        ("text = 'torch'\n", False),
        ("import os  # and torch\n", False),
        ('"""Nothing\nfrom torch was taken."""\n', False),
        ('"""We import torches."""\n', False),
    ],
)
def test_what_an_import_of_torch_looks_like(text: str, expected: bool) -> None:
    assert imports_torch(text.encode()) is expected


LEGACY = "import numpy as np\nx = np.zeros(3, dtype=np.float)\n"


@pytest.mark.parametrize("where", ["package", "notebook", "vendored", "readme"])
def test_what_a_project_is(tmp_path: Path, where: str) -> None:
    root = tmp_path / "project"
    (root / "pkg").mkdir(parents=True)
    other = {"vendored": "third_party/lib.py", "notebook": "run.ipynb"}.get(where, "train.py")
    (root / other).parent.mkdir(exist_ok=True)
    torch = "import torch\n"
    (root / other).write_text(json.dumps(notebook(torch)) if where == "notebook" else torch)
    (root / {"package": "pkg/__init__.py", "readme": "README.md"}.get(where, "setup.py")).touch()
    assert "dtype=float" in said(result_of(root / "pkg" / "data.py", LEGACY))
    # What lies beside it is no part of it.
    beside = tmp_path / "beside"
    beside.mkdir()
    assert not result_of(beside / "data.py", LEGACY).findings


@pytest.mark.parametrize("folder", [".venv", "env/lib/site-packages"])
def test_an_environment_inside_of_a_project_is_no_part_of_it(tmp_path: Path, folder: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "lib.py").write_text("import torch\n")
    assert not result_of(tmp_path / "data.py", LEGACY).findings


def test_rules_about_torch_are_not_asked_there(project: Path) -> None:
    text = LEGACY + "loss.backward(retain_variables=True)\n"
    (project / "steps.py").write_text(text)
    result = result_of(project / "steps.py", text)
    assert result.after is not None and "retain_variables" in result.after
    assert {finding.code for finding in result.findings} == {"TP907"}
    (project / "train.py").write_text("import torch\nimport steps\n")
    assert "retain_graph" in (result_of(project / "steps.py", text).after or "")


@pytest.mark.parametrize(
    ("imported", "is_asked"),
    [
        ("from nets.model import Net\n", True),
        ("import os, nets.model as m\n", True),
        ("from nets import words, model as m\n", True),
        ("from nets import words\n", False),
        ("from nets.words import Net\n", False),
        ("from others.model import Net\n", False),
        ("# from nets.model import Net\n", False),
    ],
)
def test_tensors_come_from_what_a_file_imports(
    project: Path, imported: str, is_asked: bool
) -> None:
    """It need not import torch itself, nor be imported by a file that does."""
    (project / "nets").mkdir()
    (project / "nets" / "__init__.py").touch()
    (project / "nets" / "model.py").write_text("import torch\n")
    (project / "nets" / "words.py").write_text("words = 3\n")
    text = f"{imported}loss.backward(retain_variables=True)\n"
    result = result_of(project / "main.py", text)
    assert ("retain_graph" in (result.after or "")) is is_asked


def test_the_parts_of_rules_that_are_asked_know_no_word_of_torch() -> None:
    parts = about_other_libraries(all_rules())
    assert {part.code for part in parts} == {"TP414", "TP502", "TP901", "TP905", "TP907"}
    text = (
        "import torch\nx = torch.ger(y, z).float()\nfrom torch.utils import model_zoo as m\n"
        "m.load_url(x)\ndata.data_tensor\nassert gradcheck(f, x, 1e-6)\n"
    )
    assert migrate_text(text, select(["TP901"]), Options()).findings
    assert not migrate_text(text, parts, Options()).findings
    assert not {"ger", "data_tensor", "gradcheck"} & frozenset().union(*(p.words for p in parts))


@pytest.mark.parametrize("select", [(), ("TP907",), ("TP103",)])
def test_a_file_that_cannot_be_parsed_is_an_error_where_a_rule_would_be_asked(
    project: Path, select: tuple[str, ...]
) -> None:
    text = "import numpy as np\nprint np.float\n"
    result = result_of(project / "old.py", text, select=select, py2=False)
    assert bool(result.errors) is (select != ("TP103",))
    assert not result_of(project / "old.py", "print np.float32\n", py2=False).errors


def test_what_was_python_2_is_converted_and_migrated(project: Path) -> None:
    text = "import numpy as np\nprint np.zeros(3, dtype=np.float)\n"
    assert "print(np.zeros(3, dtype=float))" in said(result_of(project / "a.py", text, py2=True))
    (project / "train.py").unlink()
    assert "print(np.zeros(3, dtype=np.float))" in said(result_of(project / "a.py", text, py2=True))


def test_a_notebook_need_not_mention_torch_either(project: Path) -> None:
    path = project / "plot.ipynb"
    text = json.dumps(
        notebook("import numpy as np\n", "x = np.float(1)\ny.backward(retain_variables=True)\n")
    )
    (project / "train.py").write_text("import torch\nimport plot\n")
    result = result_of(path, text)
    assert "x = float(1)" in (result.after or "")
    assert "retain_variables" in (result.after or "")
    (project / "train.py").unlink()
    assert result_of(path, text).after is None


def test_what_an_editor_or_a_pipe_holds(project: Path) -> None:
    for path in (project / "new.py", project / "tools" / "new.py"):
        assert "dtype=float" in said(migrate_bytes(LEGACY.encode(), path, Settings()))
        assert "dtype=float" in said(Document(path, LEGACY).result)
    assert "dtype=float" in said(migrate_file(_written(project / "a.py"), Settings(), write=False))


def _written(path: Path) -> Path:
    path.write_text(LEGACY)
    return path


def test_the_standard_input_is_of_the_project_that_its_name_says(project: Path) -> None:
    words = ["migrate", "--stdin-filename", str(project / "tools" / "x.py"), "-"]
    assert "dtype=float" in CliRunner().invoke(main, words, input=LEGACY).output
    (project / "train.py").unlink()
    assert "dtype=np.float" in CliRunner().invoke(main, words, input=LEGACY).output


def test_a_kept_result_is_not_taken_once_the_project_uses_torch(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    kept = tmp_path_factory.mktemp("cache")
    path = project / "steps.py"
    text = LEGACY + "def f(loss):\n    loss.backward(retain_variables=True)\n"
    train = project / "train.py"
    for imported, float_goes, flag_goes in (
        ("import torch\n", True, False),
        ("import os\n", False, False),
        ("import torch\nimport steps\n", True, True),
        ("import torch\n", True, False),
    ):
        train.write_text(imported)
        for _ in range(2):
            after = result_of(path, text, cache_dir=kept).after or text
            assert ("np.float" not in after) is float_goes
            assert ("retain_variables" not in after) is flag_goes


def test_a_kept_conversion_is_not_taken_either(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    kept = tmp_path_factory.mktemp("cache")
    text = "import numpy as np\nprint np.float\n"
    for imported, is_rewritten in (("import os\n", False), ("import torch\n", True)):
        (project / "train.py").write_text(imported)
        after = result_of(project / "a.py", text, py2=True, cache_dir=kept).after or ""
        assert ("print(float)" in after) is is_rewritten


@pytest.mark.parametrize(
    ("text", "torch", "because"),
    [
        (
            "x = 1\n",
            True,
            "This file was never read, because it mentions neither torch nor a name that is gone"
            " from another library.",
        ),
        (
            "import numpy as np; x = np.int\n",
            False,
            "This file was never read, because it does not mention torch, and no file of its"
            " project imports torch.",
        ),
        (
            "x.backward()\n",
            True,
            "This file was never read, because it does not mention torch, and no file that imports"
            " it, or that it imports, does.",
        ),
        (
            "import numpy as np; x = np.int\n",
            True,
            "Rules about torch are not asked about this file, because it does not mention torch.",
        ),
    ],
)
def test_explain_says_why_a_file_is_not_read(
    project: Path, text: str, torch: bool, because: str
) -> None:
    if not torch:
        (project / "train.py").unlink()
    path = project / "a.py"
    path.write_text(text)
    output = " ".join(CliRunner().invoke(main, ["explain", f"{path}:1"]).output.split())
    assert because in output
    assert "Rules that look for code of another form" not in output
    assert "Rules that looked at this line" not in output


def test_explain_says_that_a_file_is_read_for_python_2_alone(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.torchfix]\npy2 = true\n")
    (project / "a.py").write_text("x = 1\n")
    output = CliRunner().invoke(main, ["explain", f"{project / 'a.py'}:1"]).output
    assert "No rule is asked about this file, because it mentions neither torch" in output


def test_explain_is_silent_about_it_where_all_rules_are_asked(project: Path) -> None:
    output = CliRunner().invoke(main, ["explain", f"{project / 'train.py'}:1"]).output
    assert "because" not in output


def test_a_file_without_torch_is_told_of_python_2_alone(tmp_path: Path) -> None:
    """What Python 3 lacks stops the programs that import it, before and after it was mended."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text("import torch\nfrom calibration import n\n")
    file = tmp_path / "calibration.py"
    file.write_text("import numpy as np\nn = np.float(1)\nd = {}\nd.iteritems()\n")
    found = [migrate_file(file, Settings(), write=True).findings for _ in range(2)]
    codes = [[finding.code for finding in findings] for findings in found]
    assert codes == [["TP907", "TP005"], ["TP005"]]


def _told_without_torch(project: Path, text: str, settings: Settings | None = None) -> list[str]:
    """What is told of a file of a project that uses torch."""
    file = project / "pieces.py"
    file.write_text(text)
    result = migrate_file(file, settings or Settings(), write=False)
    return [f"{finding.line} {finding.code}" for finding in result.findings]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def parts(xs):\n    for i in xrange(len(xs) / 2):\n        yield i\n", 2),
        ("import cPickle\n", 1),
        ("import os\nfrom itertools import izip\n", 2),
        ("name = raw_input()\n", 1),
    ],
)
def test_what_python_3_lacks_is_told_of_files_without_torch(
    project: Path, text: str, line: int
) -> None:
    assert _told_without_torch(project, text) == [f"{line} TP005"]


@pytest.mark.parametrize(
    "text",
    [
        "from six.moves import xrange\nfor i in xrange(3):\n    print(i)\n",
        "try:\n    xrange\nexcept NameError:\n    xrange = range\n",
        "import sys\nif sys.version_info[0] == 2:\n    import cPickle\n",
        "# xrange and iteritems\nn = 'raw_input'\n",
        "# torchfix: skip-file\nfor i in xrange(3):\n    print(i)\n",
        "from functools import reduce\nreduce(max, [1, 2])\n",
        "if False:\n    xrange(3)\n",
    ],
)
def test_what_python_3_has_is_not_told_of_files_without_torch(project: Path, text: str) -> None:
    assert _told_without_torch(project, text) == []


def test_python_2_is_not_told_where_no_file_imports_torch(project: Path) -> None:
    (project / "train.py").unlink()
    assert _told_without_torch(project, "for i in xrange(3):\n    print(i)\n") == []


def test_python_2_is_not_told_of_files_without_torch_where_rules_are_selected(
    project: Path,
) -> None:
    settings = Settings(select=("TP101",))
    assert _told_without_torch(project, "for i in xrange(3):\n    print(i)\n", settings) == []
