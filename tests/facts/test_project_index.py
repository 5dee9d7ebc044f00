"""What is known of names that other files of the project define, and what must stay unknown."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from torchfix_codemods.engine.migrate import Options, migrate_text
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.imported import Imported, ImportedFile
from torchfix_codemods.facts.values.lattice import (
    UNKNOWN,
    Device,
    Instance,
    Method,
    Module,
    Number,
    Tensor,
    Value,
)
from torchfix_codemods.project.files import FilesOf
from torchfix_codemods.project.index import Index
from torchfix_codemods.rules import all_rules
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

HEAD = "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n"
UTILS = """
def to_var(x, volatile=False):
    if torch.cuda.is_available():
        x = x.cuda()
    return Variable(x, volatile=volatile)

def accuracy(output, labels):
    preds = output.unsqueeze(1).max(1)[1].type_as(labels)
    return preds.eq(labels).double().sum() / len(labels)

def same(x, size=3):
    return x

def loss_of(loss):
    return loss.item()

class Buffer:
    def __init__(self):
        self.data = torch.zeros(3)
        self.hidden = torch.zeros(3)
    def push(self, x):
        return Variable(torch.cat([x]))
    def get(self):
        return self.data
    def patched(self):
        return torch.zeros(3)
    @cached
    def cached(self):
        return torch.zeros(3)
Buffer.patched = None

device = torch.device("cuda")
state = torch.zeros(3)
same(torch.zeros(3))

def current():
    return state
"""
MODELS = """
import six
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 2)
        self.layers = nn.Sequential(nn.Linear(n, 2))
        self.pool = nn.MaxPool2d(2, return_indices=True)
    def forward(self, x):
        return self.fc(x)
    def sample(self):
        return torch.zeros(3)
    @property
    def first(self):
        return torch.zeros(3)
    def pair(self, x):
        return self.fc(x), self.fc

class Noisy(nn.Linear):
    def forward(self, x):
        return super(Noisy, self).forward(x)

class Plain(nn.Linear):
    pass

class Tied(nn.Linear):
    @property
    def weight(self):
        return load()

@six.add_metaclass(Meta)
class Sized:
    def size(self):
        return torch.zeros(3)

class Normal(torch.distributions.Normal, Sized):
    pass

def unrolled(n):
    found = []
    def step(x):
        found.append(x)
    step(torch.zeros(3))
    return found, n

def make():
    return Net(3)
"""


def write(root: Path, files: dict[str, str]) -> None:
    (root / ".git").mkdir(exist_ok=True)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def value_in(root: Path, name: str, text: str, index: Index | None = None) -> Value:
    """The value of the argument of the last ``look(…)`` of a text, which becomes a file."""
    text = HEAD + text
    write(root, {name: text})
    tree = ast.parse(text)
    facts = WholeFacts(tree, text, files=FilesOf(root / name, index or Index()))
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    looks = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look"]
    return facts.value(max(looks, key=lambda c: c.lineno).args[0])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(
        tmp_path,
        {
            "utils.py": HEAD + UTILS,
            "models.py": HEAD + MODELS,
            "pkg/__init__.py": "from .helpers import to_var as wrap\nfrom . import nets\n",
            "pkg/helpers.py": HEAD + UTILS,
            "pkg/nets.py": HEAD + MODELS,
            "pkg/sub/__init__.py": "",
            "plain/mod.py": HEAD + UTILS,
        },
    )
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "import utils\nlook(utils.to_var(x))",
        "import utils as u\nlook(u.to_var(x))",
        "from utils import to_var\nlook(to_var(x))",
        "from utils import to_var as v\nlook(v(x, volatile=True))",
        "from utils import *\nlook(to_var(x))",
        "def f():\n    from utils import to_var\n    look(to_var(x))",
        "import pkg\nlook(pkg.wrap(x))",
        "from pkg import wrap\nlook(wrap(x))",
        "import pkg.helpers\nlook(pkg.helpers.to_var(x))",
        "import pkg.helpers as h\nlook(h.to_var(x))",
        "from pkg import helpers\nlook(helpers.to_var(x))",
        "from pkg.helpers import to_var\nlook(to_var(x))",
        "from plain.mod import to_var\nlook(to_var(x))",
        "from plain import mod\nlook(mod.to_var(x))",
        "from utils import accuracy\nlook(accuracy(a, b))",
        "from utils import state\nlook(state)",
        "import utils\nlook(utils.Buffer().push(x))",
        "from utils import Buffer\nb = Buffer()\nlook(b.get())",
        "from utils import Buffer\nb = Buffer()\nlook(b.data)",
        "from models import Net\nlook(Net(3)(x))",
        "import models\nnet = models.Net(3).cuda()\nlook(net(x))",
        "from models import Net\nlook(Net(3).sample())",
        "from models import Net\nlook(Net(3).first)",
        "from models import Net\nlook(Net(3).fc(x))",
        "from models import Net\nlook(Net(3).pair(x)[0])",
        "from models import make\nlook(make()(x))",
        "from models import Noisy\nlook(Noisy(2, 3)(x))",
        "from models import Plain\nclass Own(Plain):\n    def f(self):\n        look(self.weight)",
        "from models import Plain\nclass Own(Plain):\n    def forward(self, x):\n"
        "        look(super().forward(x))",
        "from models import Sized\nlook(Sized().size())",
        "from models import Normal\nlook(Normal(0, 1).sample())",
        "from models import unrolled\nlook(unrolled(3)[0][0])",
        "from grown import Net\nlook(Net(3)(x))",
        "from grown import *\nlook(Net(3)(x))",
        "from pkg import nets\nlook(nets.Net(3)(x))",
        "from models import Net\nclass Own(Net):\n    def forward(self, x):\n"
        "        look(self.fc(x))",
        "from models import Net\nclass Own(Net):\n    pass\nlook(Own(3)(x))",
        "import models\nclass Own(models.Net):\n    def forward(self, x):\n        return x.unsqueeze(0)"
        "\nlook(Own(3)(x))",
        "from models import Net\nclass Own(nn.Module):\n    def __init__(self):\n"
        "        self.net = Net(3)\n    def forward(self, x):\n        look(self.net(x))",
    ],
)
def test_a_tensor_of_another_file_is_known(root: Path, text: str) -> None:
    write(root, {"grown.py": HEAD + MODELS + "__all__ = []\n__all__.append('Net')\n"})
    assert isinstance(value_in(root, "train.py", text), Tensor)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("from models import Net\nlook(Net(3))", Module),
        ("from models import Net\nlook(Net(3).cuda())", Module),
        ("from models import Net\nlook(Net(3).layers)", Module),
        ("from models import make\nlook(make())", Module),
        ("from models import Net\nclass Own(Net):\n    pass\nlook(Own(3))", Module),
        ("from utils import device\nlook(device)", Device),
        ("import utils\nlook(utils.device)", Device),
        ("import utils\nlook(utils.loss_of(x))", Number),
        ("import utils\nlook(utils.Buffer())", Imported),
        ("from utils import Buffer\nclass B(Buffer):\n    pass\nlook(B())", Instance),
    ],
)
def test_other_kinds_of_things_are_known(root: Path, text: str, kind: type[Value]) -> None:
    assert isinstance(value_in(root, "train.py", text), kind)


@pytest.mark.parametrize(
    "text",
    [
        "from .helpers import to_var\nlook(to_var(x))",
        "from . import helpers\nlook(helpers.to_var(x))",
        "from .nets import Net\nlook(Net(3)(x))",
        "from . import wrap\nlook(wrap(x))",
        "from utils import to_var\nlook(to_var(x))",
    ],
)
def test_relative_imports(root: Path, text: str) -> None:
    assert isinstance(value_in(root, "pkg/train.py", text), Tensor)


def name_in(root: Path, text: str) -> str | None:
    (root / "train.py").write_text(text)
    tree = ast.parse(text)
    facts = WholeFacts(tree, text, files=FilesOf(root / "train.py", Index()))
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    return facts.name(calls[0].func)


@pytest.mark.parametrize(
    "text",
    [
        "from utils import *\nnn.Linear(2, 3)",
        "from utils import *\nfrom models import *\nnn.Linear(2, 3)",
        "from torch import *\nfrom utils import *\nnn.Linear(2, 3)",
        "from passing import *\nnn.Linear(2, 3)",
    ],
)
def test_names_of_torch_come_by_star_imports(root: Path, text: str) -> None:
    write(root, {"passing.py": "from utils import *\n"})
    assert name_in(root, text) == "torch.nn.Linear"


def test_numpy_comes_by_star_imports_as_torch_does(root: Path) -> None:
    write(root, {"arrays.py": "import numpy as np\n", "own.py": "import numpy.mine as np\n"})
    assert name_in(root, "from arrays import *\nnp.mean(x)") == "numpy.mean"
    assert name_in(root, "from arrays import *\nfrom own import *\nnp.mean(x)") is None
    assert name_in(root, "from unheard import *\nnp.mean(x)") is None


@pytest.mark.parametrize(
    "text",
    [
        "from unheard import *\nfrom utils import *\nnn.Linear(2, 3)",
        "from listed import *\nnn.Linear(2, 3)",
        "from other import *\nfrom utils import *\nnn.Linear(2, 3)",
        "from other import *\nnn.Linear(2, 3)",
        "from setting import *\nnn.Linear(2, 3)",
        "from circle import *\nnn.Linear(2, 3)",
        "from broken import *\nnn.Linear(2, 3)",
        "from empty import *\nnn.Linear(2, 3)",
    ],
)
def test_names_that_star_imports_may_not_bring_stay_unknown(root: Path, text: str) -> None:
    files = {
        "listed.py": "import torch.nn as nn\n__all__ = ['torch']\n",
        "other.py": "import mine as nn\n",
        "setting.py": "import torch.nn as nn\nif nn.Linear:\n    nn = 3\n",
        "circle.py": "from train import *\n",
        "broken.py": "import torch.nn as nn\nprint 3\n",
        "empty.py": "",
    }
    write(root, files)
    assert name_in(root, text) is None


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        ("", "torch.nn.Linear"),
        ("import torch.nn as nn\n", "torch.nn.Linear"),
        ("import mine as nn\n", None),
        ("from unheard import *\n", None),
        ("nn = 3\n", None),
    ],
)
@pytest.mark.parametrize("first", ["from one import *\n", "from two import *\nfrom one import *\n"])
def test_files_that_import_each_other_pass_on_what_one_of_them_has(
    root: Path, first: str, below: str, expected: str | None
) -> None:
    files = {
        "one.py": "from two import *\nfrom three import *\n",
        "two.py": "from one import *\n" + below,
        "three.py": "from one import *\nimport torch.nn as nn\n",
    }
    write(root, files)
    assert name_in(root, first + "nn.Linear(2, 3)") == expected


_BELOW = {
    "own.py": "import torch\ndef mean(x):\n    return x\n",
    "same.py": "from numpy import mean\n",
    "other.py": "from statistics import mean\n",
    "under.py": "if x:\n    def mean(x):\n        return x\n",
    "within.py": "def f():\n    from statistics import mean\n",
    "listed.py": "from statistics import mean\n__all__ = ['f']\n",
    "passed.py": "from helpers import mean\n",
    "helpers.py": "from numpy import mean\n",
    "circle.py": "from train import *\nfrom numpy import mean\n",
}


@pytest.mark.parametrize(
    "text",
    [
        "from numpy import mean\nfrom own import *\nmean(x)",
        "from numpy import mean\nfrom other import *\nmean(x)",
        "from numpy import mean\nfrom own import *\ndef f(x):\n    return mean(x)",
        "from numpy import mean\nfrom same import *\nfrom own import *\nmean(x)",
        "from numpy import mean\nfrom own import *\nfrom empty import *\nmean(x)",
        "from torch import mean\nfrom same import *\nmean(x)",
    ],
)
def test_a_star_import_below_makes_something_else_of_a_name(root: Path, text: str) -> None:
    write(root, _BELOW | {"empty.py": ""})
    assert name_in(root, text) is None


@pytest.mark.parametrize(
    "text",
    [
        "from own import *\nfrom numpy import mean\nmean(x)",
        "from numpy import mean\nmean(x)\nfrom own import *",
        "from numpy import mean\nfrom same import *\nmean(x)",
        "from numpy import mean\nfrom own import *\nfrom same import *\nmean(x)",
        "from numpy import mean\nfrom under import *\nmean(x)",
        "from numpy import mean\nfrom within import *\nmean(x)",
        "from numpy import mean\nfrom listed import *\nmean(x)",
        "from numpy import mean\nfrom passed import *\nmean(x)",
        "from numpy import mean\nfrom circle import *\nmean(x)",
        "from numpy import mean\nfrom unheard import *\nmean(x)",
        "from numpy import mean\nif x:\n    from own import *\nmean(x)",
        "from own import *\ndef f(x):\n    from numpy import mean\n    return mean(x)",
        "import numpy\nfrom own import *\nnumpy.mean(x)",
    ],
)
def test_a_star_import_that_may_not_bring_a_name_leaves_it(root: Path, text: str) -> None:
    write(root, _BELOW)
    assert name_in(root, text) == "numpy.mean"


def test_a_star_import_of_the_same_file_brings_the_same(root: Path) -> None:
    write(root, _BELOW)
    assert name_in(root, "from own import mean\nfrom own import *\nmean(x)") == "own.mean"


@pytest.mark.parametrize(("beside", "goes"), [("def imread(x): return x\n", True), ("", False)])
def test_an_import_goes_of_what_a_star_import_below_brings_again(
    tmp_path: Path, beside: str, goes: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "utils.py").write_text(f"import torch\n{beside}")
    line = "from scipy.misc import imread\n"
    (tmp_path / "a.py").write_text(f"{line}from utils import *\nx = torch.tensor(imread('a'))\n")
    result = migrate_file(tmp_path / "a.py", Settings(select=("TP907",)), write=False)
    assert (line not in (result.after or line)) is goes
    assert any("reads it" in finding.message for finding in result.findings) is goes


_STARS = {
    "samplers.py": "from torch.utils.data.sampler import *\n",
    "unread.py": "from numpy.random import *\n",
    "under.py": HEAD + "if torch:\n" + "    def to_var(x):\n        return Variable(x)\n",
    "gone.py": HEAD + "def to_var(x):\n    return Variable(x)\ndel to_var\n",
    "listed.py": HEAD + "def to_var(x):\n    return Variable(x)\n__all__ = ['to_var']\n",
}


@pytest.mark.parametrize(
    "stars",
    [
        "from utils import *",
        "from unread import *\nfrom utils import *",
        "from unheard import *\nfrom utils import *",
        "from unread import *\nfrom empty import *\nfrom utils import *\nfrom empty import *",
        # What torch gives there is known.
        "from utils import *\nfrom samplers import *",
    ],
)
def test_the_last_star_import_gives_a_name(root: Path, stars: str) -> None:
    write(root, _STARS | {"empty.py": ""})
    assert isinstance(value_in(root, "train.py", f"{stars}\nlook(to_var(x))"), Tensor)


@pytest.mark.parametrize(
    "stars",
    [
        # What comes behind it may bring another one.
        "from utils import *\nfrom unread import *",
        "from utils import *\nfrom unheard import *",
        # It may not be there.
        "from unread import *\nfrom under import *",
        "from unread import *\nfrom gone import *",
        "from unread import *\nfrom listed import *",
        "from unread import *\nif x:\n    from utils import *",
        "from unread import *\ntry:\n    from utils import *\nexcept ImportError:\n    pass",
    ],
)
def test_a_star_import_that_may_not_give_a_name_last_tells_nothing(root: Path, stars: str) -> None:
    write(root, _STARS)
    assert value_in(root, "train.py", f"{stars}\nlook(to_var(x))") == UNKNOWN


def test_relative_imports_of_outer_packages(root: Path) -> None:
    text = "from ..helpers import to_var\nlook(to_var(x))"
    assert isinstance(value_in(root, "pkg/sub/train.py", text), Tensor)
    text = "from ...utils import to_var\nlook(to_var(x))"
    assert isinstance(value_in(root, "pkg/sub/train.py", text), Tensor)


def test_a_script_imports_what_stands_beside_it(root: Path) -> None:
    write(root, {"implementations/gan/losses.py": HEAD + UTILS})
    text = "from losses import to_var\nlook(to_var(x))"
    assert isinstance(value_in(root, "implementations/gan/train.py", text), Tensor)


def test_a_project_with_its_package_under_src(root: Path) -> None:
    write(root, {"src/lib/__init__.py": "", "src/lib/helpers.py": HEAD + UTILS})
    text = "from lib.helpers import to_var\nlook(to_var(x))"
    assert isinstance(value_in(root, "tests/test_it.py", text), Tensor)


@pytest.mark.parametrize(
    "text",
    [
        "from utils import same\nlook(same(x))",
        "from utils import to_var\nfrom elsewhere import *\nto_var = cut(to_var)\nlook(to_var(x))",
        "from utils import to_var\nto_var = other\nlook(to_var(x))",
        "try:\n    from utils import to_var\nexcept ImportError:\n    from common import to_var\n"
        "look(to_var(x))",
        "if a:\n    from utils import to_var\nelse:\n    from pkg.nets import make as to_var\n"
        "look(to_var(x))",
        "from utils import *\nfrom unknown import *\nlook(to_var(x))",
        "from utils import *\nfrom plain.mod import *\nlook(same(x))",
        "import utils\nutils.to_var = cut\nlook(utils.to_var(x))",
        "from models import Net\nlook(Net(3).pool(torch.zeros(1, 1, 4, 4)))",
        "import utils\nutils.state = None\nlook(utils.state)",
        "import utils\nutils.state, a = 1, 2\nlook(utils.state)",
        "import utils\nsetattr(utils, 'to_var', cut)\nlook(utils.to_var(x))",
        "from models import Net\nNet.forward = cut\nlook(Net(3)(x))",
        "from models import Normal\nlook(Normal(0, 1).mean)",
        "from models import Tied\nclass Own(Tied):\n    def f(self):\n        look(self.weight)",
        "from models import unrolled\nlook(unrolled(3)[1])",
        "from utils import Buffer\nb = Buffer()\nb.hidden = 3\nlook(b.hidden)",
        "from utils import Buffer\nb = Buffer()\nb.data = 3\nlook(b.get())",
        "from utils import Buffer\nlook(Buffer().patched())",
        "from utils import Buffer\nlook(Buffer().cached)",
        "from utils import Buffer\nlook(Buffer().cached())",
        "from utils import Buffer\nlook(Buffer.get)",
        "from shadows import *\nlook(len(x))",
        "from utils import missing\nlook(missing(x))",
        "from .utils import missing\nlook(missing(x))",
        "import utils.sub\nlook(utils.sub.to_var(x))",
        "from models import Net\nclass Own(Net):\n    def __init__(self):\n"
        "        self.fc = nn.LSTM(2, 3)\nlook(Own(3)(x))",
        "def to_var(x):\n    return x\nfrom_utils = to_var\nlook(to_var(x))",
        "import token\nlook(token.to_var(x))",
        "from token import *\nlook(to_var(x))",
        "from torch.ours import to_var\nlook(to_var(x))",
        "from torch import nn as utils\nlook(utils.to_var(x))",
    ],
)
def test_what_is_not_certain_stays_unknown(root: Path, text: str) -> None:
    write(root, {"token.py": HEAD + UTILS, "shadows.py": "def len(x):\n    return x\n"})
    write(root, {"torch/ours.py": HEAD + UTILS})
    assert not isinstance(
        value_in(root, "train.py", text), (Tensor, Module, Device, Number, Method)
    )


@pytest.mark.parametrize(
    "utils",
    [
        "def to_var(x):\n    return x\n",
        "@cut\ndef to_var(x):\n    return Variable(x)\n",
        "def to_var(x):\n    return Variable(x)\nto_var = cut(to_var)\n",
        "def to_var(x):\n    return Variable(x)\nif a:\n    def to_var(x):\n        return x\n",
        "def to_var(x):\n    return Variable(x)\nfrom somewhere import *\n",
        "def to_var(x):\n    return Variable(x)\ndel to_var\n",
        "def to_var(x):\n    return Variable(y) if a else x\n",
        "def to_var(x):\n    yield Variable(x)\n",
        "async def to_var(x):\n    return Variable(x)\n",
        "def to_var(x):\n    return to_var(x)\n",
        "def to_var(:\n",
        "@cut\nclass to_var(nn.Module):\n    pass\n",
        "class to_var(Unheard):\n    pass\n",
        "class to_var(nn.Module):\n    def __new__(cls):\n        return 3\n",
        "class to_var:\n    def __new__(cls, x):\n        return Variable(x)\n",
    ],
)
def test_definitions_that_do_not_say_what_they_give(root: Path, utils: str) -> None:
    write(root, {"utils.py": HEAD + utils})
    value = value_in(root, "train.py", "from utils import to_var\nlook(to_var(x))")
    assert not isinstance(value, (Tensor, Module, Instance, Imported))


def test_two_files_that_an_import_could_mean(root: Path) -> None:
    text = "from utils import to_var\nlook(to_var(x))"
    assert isinstance(value_in(root, "tools/train.py", text), Tensor)
    write(root, {"tools/utils.py": HEAD + UTILS})
    assert value_in(root, "tools/train.py", text) == UNKNOWN


def test_a_name_of_a_package_that_is_a_file_of_it_as_well(root: Path) -> None:
    text = "from pkg import nets\nlook(nets)"
    assert isinstance(value_in(root, "train.py", text), ImportedFile)
    write(root, {"pkg/__init__.py": "import torch\nnets = torch.device('cpu')\n"})
    assert value_in(root, "train.py", text) == UNKNOWN


def test_what_a_third_file_does_to_a_module(root: Path) -> None:
    write(root, {"main.py": "import utils\nutils.to_var = print\n"})
    text = "from utils import to_var\nlook(to_var(x))"
    assert value_in(root, "train.py", text) == UNKNOWN


def test_files_that_import_each_other(root: Path) -> None:
    write(
        root,
        {
            "a.py": HEAD + "import b\ndef f(n):\n    return b.g(n) if n else torch.zeros(3)\n",
            "b.py": HEAD + "import a\ndef g(n):\n    return a.f(n)\ndef h(n):\n    return a.k(n)\n",
        },
    )
    assert isinstance(value_in(root, "train.py", "import b\nlook(b.g(3))"), Tensor)
    assert isinstance(value_in(root, "train.py", "import a\nlook(a.f(3))"), Tensor)
    assert value_in(root, "train.py", "import b\nlook(b.h(3))") == UNKNOWN


def test_constants_that_import_each_other(root: Path) -> None:
    write(root, {"a.py": "from b import x\n", "b.py": "from a import x\n"})
    assert value_in(root, "train.py", "from a import x\nlook(x)") == UNKNOWN


def test_what_tensors_of_the_module_level_look_like_may_change(root: Path) -> None:
    for text in ("state\nlook(state)", "current\nlook(current())"):
        value = value_in(root, "train.py", f"from utils import {text}")
        assert isinstance(value, Tensor) and value.ndim is None and value.grad is None
    write(root, {"main.py": "import utils\nutils.state = 3\n"})
    for text in ("state\nlook(state)", "current\nlook(current())"):
        assert value_in(root, "train.py", f"from utils import {text}") == UNKNOWN


KEPT = """
class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = None
    def forward(self, x, y):
        self.loss = nn.MSELoss(size_average=False)(x, y) / 2
        return x
"""


@pytest.mark.parametrize(
    "text",
    [
        "from kept import Detector\nnet = Detector()\nnet(x, y)\nlook(net.loss.data)",
        "from kept import Detector\nclass Own(Detector):\n    def f(self):\n"
        "        look(self.loss.data)",
    ],
)
def test_what_a_class_of_another_file_keeps_looks_as_it_does_there(root: Path, text: str) -> None:
    write(root, {"kept.py": HEAD + KEPT})
    value = value_in(root, "train.py", text)
    assert isinstance(value, Tensor) and value.ndim == 0
    # A base that nobody can see may keep something else there.
    write(root, {"kept.py": HEAD + "from others import Base\n" + KEPT.replace("nn.Module", "Base")})
    value = value_in(root, "train.py", text)
    assert not isinstance(value, Tensor) or value.ndim is None
    write(root, {"kept.py": HEAD + KEPT, "main.py": "import kept\nkept.net.loss = losses(3)\n"})
    assert value_in(root, "train.py", text) == UNKNOWN


def test_nothing_is_read_that_nobody_asks_for(root: Path) -> None:
    index = Index()
    value_in(root, "train.py", "import utils, models\nlook(torch.zeros(3))", index)
    assert index.drawn_from(root / "train.py") == ()
    value_in(root, "train.py", "import utils, models\nlook(utils.to_var(3))", index)
    drawn = index.drawn_from((root / "train.py").resolve())
    assert [path for path, _ in drawn] == [str((root / "utils.py").resolve())]


def test_a_file_is_parsed_once_for_all(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index, parsed = Index(), []
    parse = Index._parse
    monkeypatch.setattr(Index, "_parse", lambda s, p: parsed.append(p) or parse(s, p))
    for name in ("one.py", "two.py"):
        value_in(root, name, "import utils\nlook(utils.to_var(3))", index)
    assert len(parsed) == 1


def test_a_file_that_others_asked_for_is_not_parsed_again(tmp_path: Path) -> None:
    text = "from stars import *\nnet = nn.Linear(2, 3)\n"
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "stars.py").write_text("from torch import nn\n")
    (tmp_path / "nets.py").write_text(text)
    index = Index()
    files = FilesOf(tmp_path / "nets.py", index)
    assert files.own_names(text) is None
    asked = index.facts(files.path)
    assert asked is not None and isinstance(asked.value(_call_in(asked.tree)), Module)
    names = files.own_names(text)
    assert names is not None and names.tree is asked.tree
    assert files.own_names(text + "\n") is None
    # On its own, without the other files, it does not know what a star import brings in.
    assert isinstance(asked.value(_call_in(asked.tree)), Module)
    assert WholeFacts(names.tree, text, names=names).value(_call_in(names.tree)) == UNKNOWN


def test_a_file_that_was_worked_on_is_not_parsed_again_for_others(tmp_path: Path) -> None:
    text = "import torch\nnet = torch.nn.Linear(2, 3)\n"
    (tmp_path / "nets.py").write_text(text)
    index = Index()
    files = FilesOf(tmp_path / "nets.py", index)
    migrate_text(text, [*all_rules()], Options(files=files))
    kept = index._names[files.path][1]
    asked = index.facts(files.path)
    assert asked is not None and asked.tree is kept.tree and asked.names is not kept


def test_what_was_worked_on_is_parsed_where_the_file_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text("import torch\n")
    index = Index()
    files = FilesOf(tmp_path / "nets.py", index)
    migrate_text("import torch as th\n", [*all_rules()], Options(files=files))
    asked = index.facts(files.path)
    assert asked is not None and asked.text == "import torch\n"
    assert asked.tree is not index._names[files.path][1].tree


def _call_in(tree: ast.Module) -> ast.Call:
    return next(node for node in ast.walk(tree) if isinstance(node, ast.Call))


def test_what_the_texts_of_a_project_say_is_asked_once_for_a_file(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index()
    files = FilesOf(root / "one.py", index)
    asked: list[tuple[object, ...]] = []

    def is_assigned(*what: object) -> bool:
        asked.append(what[1:])
        return what[1] == "a"

    def mentioning(path: Path, word: str) -> list[Path] | None:
        asked.append((word,))
        return [root / "utils.py"] if word == "to_var" else None

    monkeypatch.setattr(index.texts, "is_assigned", is_assigned)
    monkeypatch.setattr(index.texts, "mentioning", mentioning)
    for _ in range(2):
        assert files.is_assigned("a", by_module=True)
        assert not files.is_assigned("b", by_module=True)
        assert files.is_assigned("a", by_module=False)
        assert [file.path for file in files.mentioning("to_var") or ()] == [root / "utils.py"]
        assert files.mentioning("all") is None
    expected: list[tuple[object, ...]] = [("a", True), ("b", True), ("a", False)]
    assert asked == [*expected, ("to_var",), ("all",)]


def test_a_word_is_looked_for_in_the_whole_text(root: Path) -> None:
    text = "import torch\nx = torch.no_gradient  # eval\n"
    facts = WholeFacts(ast.parse(text), text)
    for _ in range(2):
        assert facts.speaks_of("no_grad") and facts.speaks_of("eval")
        assert not facts.speaks_of("train") and not facts.speaks_of("Torch")
