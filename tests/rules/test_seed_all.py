from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = "import random\nimport numpy as np\nimport torch\n"

_NAMED = (
    _HEAD
    + "import os\ntorch.manual_seed(1)\n"
    + "letters = ''.join(random.choice('abc') for _ in range(9))\n"
)

_CUDNN = _HEAD + (
    "torch.manual_seed(1)\ntorch.backends.cudnn.deterministic = True\n"
    "torch.backends.cudnn.benchmark = True\n"
)

_ADVISED = {
    "numpy": _HEAD + "torch.manual_seed(args.seed)\nx = np.random.rand(3)\n",
    "python": _HEAD + "torch.manual_seed(1)\nrandom.shuffle(x)\n",
    "cudnn": _CUDNN + "net = torch.nn.Conv2d(3, 4, 3)\n",
}
_RIGHT = {
    "all of them": _HEAD
    + "torch.manual_seed(1)\nnp.random.seed(1)\nrandom.seed(1)\n"
    + "np.random.rand(3) + random.random()\n",
    "no other is drawn from": _HEAD + "torch.manual_seed(1)\n",
    "a seed that is drawn": _HEAD
    + "torch.manual_seed(1)\nseed = random.randint(0, 99)\ntorch.manual_seed(seed)\n",
    "a seed that is drawn where it is given": _HEAD
    + "torch.manual_seed(1)\nenv.seed(np.random.randint(99))\n",
    "no seed at all": _HEAD + "x = np.random.rand(3)\ntorch.backends.cudnn.benchmark = True\n",
    "a generator of its own": _HEAD + "torch.manual_seed(1)\nnp.random.RandomState(1).rand(3)\n",
    "a state that is set": _HEAD + "torch.manual_seed(1)\nrandom.setstate(s)\nrandom.random()\n",
    "another random": "import torch\ntorch.manual_seed(1)\nrandom = Sampler()\nrandom.shuffle(x)\n",
    "a method": "import torch\ntorch.manual_seed(1)\nsampler.random.shuffle(x)\n",
    "another manual_seed": _HEAD + "env.manual_seed(1)\nnp.random.rand(3)\n",
    "benchmark off": _ADVISED["cudnn"].replace("benchmark = True", "benchmark = False"),
    "benchmark by choice": _ADVISED["cudnn"].replace("benchmark = True", "benchmark = fast"),
    "nothing is to be the same": _ADVISED["cudnn"].replace(
        "deterministic = True", "enabled = True"
    ),
    "no convolution": _CUDNN + "net = torch.nn.LSTM(3, 4)\n",
    "torchvision without its models": _CUDNN + "import torchvision.transforms as transforms\n",
    "another thing that converts": _CUDNN + "convert(x)\nConverter(1)\n",
    "a name for a folder": _NAMED + "path = os.path.join(args.folder, letters)\n",
    "a name for a file": _NAMED + "path = 'runs/' + letters\nopen(path + '.txt')\n",
    "a name that is returned": _HEAD
    + "import os\ntorch.manual_seed(1)\ndef named(folder):\n"
    + "    letters = ''.join(random.choice('abc') for _ in range(9))\n"
    + "    path = os.path.join(folder, letters)\n    assert path != folder\n    return path\n",
    "a name that is tried and kept among the settings": _HEAD
    + "import os\ntorch.manual_seed(1)\ndef name(args):\n    while True:\n"
    + "        name = ''.join(random.choice('abc') for _ in range(9))\n"
    + "        if not os.path.isdir(os.path.join(args.folder, name)):\n            break\n"
    + "    assert name.upper().isalpha()\n    args.name = name\n",
    "a number in a name": _HEAD
    + "torch.manual_seed(1)\nn = random.randint(0, 99)\nprint(n, 'run%d' % (n + 1), f'{n}')\n",
    "a letter of a text": _HEAD
    + "import os\ntorch.manual_seed(1)\nname = 'abc'[np.random.randint(3)]\nos.mkdir(str(name))\n",
    "suppressed": _HEAD + "torch.manual_seed(1)  # noqa: TP209\nnp.random.rand(3)\n",
}

test_keeps = keeps("TP209", {**_ADVISED, **_RIGHT})


def test_names_the_line_to_add() -> None:
    (finding,) = advice("TP209", _ADVISED["numpy"])
    assert finding.line == 4
    assert "line 5" in finding.message and "add np.random.seed(args.seed)" in finding.message
    (finding,) = advice("TP209", _ADVISED["python"])
    assert "add random.seed(1)" in finding.message
    (finding,) = advice("TP209", _ADVISED["cudnn"])
    assert finding.message == (
        "torch.backends.cudnn.deterministic = True (line 5) needs torch.backends.cudnn.benchmark = "
        "False: else cuDNN takes the algorithms that are fastest in this run"
    )


_CHOSEN = """
import torch
import torch.backends.cudnn as cudnn
net = torch.nn.Conv2d(3, 4, 3)
torch.manual_seed(1)
def settings(cudnn, args):
    pass
if args.cuda:
    torch.backends.cudnn.benchmark = True
"""


@pytest.mark.parametrize(
    ("old", "new", "is_set"),
    [
        ("net =", "cudnn.deterministic = True\nnet =", True),
        ("    torch.b", "    cudnn.deterministic = True\n    torch.b", True),
        ("if args.c", "cudnn.benchmark, cudnn.deterministic = True, True\nif args.c", False),
        ("net =", "cudnn.deterministic = False\nnet =", False),
        ("net =", "if args.same: cudnn.deterministic = True\nnet =", False),
        ("net =", "print(cudnn.deterministic)\nnet =", False),
        ("    pass", "    torch.backends.cudnn.deterministic = True", False),
        ("net =", "args.deterministic = True\nnet =", False),
    ],
)
def test_cudnn_is_told_of_where_the_same_numbers_are_asked_for(
    old: str, new: str, is_set: bool
) -> None:
    text = _CHOSEN.replace(old, new, 1)
    assert text != _CHOSEN
    line = text.lstrip().split("cudnn.deterministic = True")[0].count("\n") + 1
    told = [f"= True (line {line}) needs" in f.message for f in advice("TP209", text)]
    assert told == [True] * is_set


@pytest.mark.parametrize(
    "line",
    [
        "torch.nn.functional.conv1d(x, w)",
        "torch.nn.ConvTranspose2d(3, 4, 3)",
        "torchvision.models.vgg16()",
        "from torchvision import transforms, models",
        "torch.hub.load('pytorch/vision', 'alexnet')",
    ],
)
def test_what_convolves_has_its_algorithms_chosen(line: str) -> None:
    assert advice("TP209", f"{_CUDNN}{line}\n")


_DRAWN = (
    "import random, time, torch\n{seeding}opt = parser.parse_args()\n{set}\n"
    "torch.manual_seed({seed})\ntorch.backends.cudnn.deterministic = True\n"
    "torch.backends.cudnn.benchmark = True\n"
    "net = torch.nn.Conv2d(3, 4, 3)\n"
)
_ANEW = "opt.seed = random.randint(1, 10000)"


@pytest.mark.parametrize(
    ("set_above", "seed"),
    [
        (_ANEW, "opt.seed"),
        ("seed = int(time.time())", "seed"),
        ("pass", "random.randint(1, 99)"),
        (f"{_ANEW}\nprint(opt.seed)\nrandom.seed(opt.seed)", "opt.seed"),
    ],
)
def test_no_run_repeats_one_whose_seed_is_drawn(set_above: str, seed: str) -> None:
    text = _DRAWN.format(seeding="", set=set_above, seed=seed)
    assert not any("cuDNN" in finding.message for finding in advice("TP209", text))


@pytest.mark.parametrize(
    ("seeding", "set_above", "seed"),
    [
        ("", f"if opt.seed is None:\n    {_ANEW}", "opt.seed"),
        ("", f"{_ANEW}\nopt.seed = 3", "opt.seed"),
        ("", _ANEW, "3"),
        ("", _ANEW, "opt.other"),
        ("random.seed(1)\n", _ANEW, "opt.seed"),
        ("", f"{_ANEW}\ntorch.manual_seed(1)", "opt.seed"),
    ],
)
def test_a_seed_that_is_given_or_fixed_repeats(seeding: str, set_above: str, seed: str) -> None:
    text = _DRAWN.format(seeding=seeding, set=set_above, seed=seed)
    assert any("cuDNN" in finding.message for finding in advice("TP209", text))


def test_cudnn_matters_where_something_is_trained() -> None:
    text = _ADVISED["cudnn"] + "net.eval()\n"
    assert not advice("TP209", text + "y = net(x)\n")
    for trained in ("net(x).sum().backward()\n", "def fit():\n    optimizer.step()\nfit()\n"):
        assert advice("TP209", text + trained)


def test_a_class_that_is_only_asked_for_convolves_nowhere() -> None:
    asked = "if isinstance(layer, torch.nn.Conv2d):\n    init(layer)\n"
    assert not advice("TP209", _CUDNN + asked)


@pytest.mark.parametrize(
    ("other", "is_said"),
    [
        ("import torch.nn as nn\nnet = nn.Conv2d(\n    3, 4, 3)\n", True),
        ("import torch.nn as nn\nnet = nn.Conv2d(*sizes)\n", True),
        ("import torch.nn as nn\nprint nn.Conv2d, 1\n", True),
        ("import torch.nn as nn\nis_conv = type(net) == nn.Conv2d\n", False),
    ],
)
def test_another_file_may_convolve(tmp_path: Path, other: str, is_said: bool) -> None:
    (tmp_path / "net.py").write_text(other)
    (tmp_path / "main.py").write_text(_CUDNN)
    result = migrate_file(tmp_path / "main.py", Settings(select=("TP209",)), write=False)
    assert bool(result.findings) is is_said


def test_a_text_may_be_what_a_model_learns_from() -> None:
    for use in (
        "",
        "train(letters)\n",
        "open(letters)\ntrain(letters)\n",
        "for letter in letters:\n    print(letter)\n",
        "names[0] = letters\nopen(letters)\n",
        "open(letters)\ntrain(letters.upper())\n",
    ):
        (finding,) = advice("TP209", _NAMED + use)
        assert "line 6 draws" in finding.message, use


def test_an_object_may_keep_a_text_to_learn_from() -> None:
    text = (
        "import random, torch\ntorch.manual_seed(1)\nclass Data:\n    def __init__(self, args):\n"
        "        letters = ''.join(random.choice('abc') for _ in range(9))\n"
        "        {}.letters = letters\n        open(letters)\n"
    )
    assert advice("TP209", text.format("self"))
    assert not advice("TP209", text.format("args"))


def test_another_file_may_use_a_name_for_more() -> None:
    text = _RIGHT["a name for a file"]
    used = Options(used_elsewhere=lambda name: name == "letters")
    assert advice("TP209", text, options=used)


def test_a_number_that_is_printed_may_be_used() -> None:
    for use in ("y = x[n]", "y = n * x", "y = f(n)", "if n > 3:\n    x = 1", "x[n] = 1"):
        text = "torch.manual_seed(1)\nn = random.randint(0, 9)\nprint(n)\n"
        assert advice("TP209", f"{_HEAD}{text}{use}\n"), use


def test_the_first_draw_that_counts_is_told() -> None:
    (finding,) = advice("TP209", _NAMED + "open(letters)\nrandom.shuffle(x)\n")
    assert "line 8 draws" in finding.message


_SAMPLES = (
    "import random, torch\nfrom torch.utils.data import DataLoader, Dataset\n"
    "torch.manual_seed(1)\nclass Crops(Dataset):\n    def {method}(self, index):\n"
    "        def flip(x):\n            return x if random.random() > 0.5 else -x\n"
    "        return flip(self.x[index])\nloader = DataLoader(Crops(), {workers})\n"
)


@pytest.mark.parametrize(
    "workers", ["num_workers=4", "num_workers=args.n", "**({'num_workers': 2} if cuda else {})"]
)
def test_torch_seeds_its_workers(workers: str) -> None:
    text = _SAMPLES.format(method="__getitem__", workers=workers)
    assert not advice("TP209", text)
    (finding,) = advice("TP209", f"{text}random.shuffle(x)\n")
    assert "line 10 draws" in finding.message


@pytest.mark.parametrize(
    ("method", "workers"),
    [("__getitem__", "8"), ("__getitem__", "num_workers=0"), ("triplets", "num_workers=4")],
)
def test_what_the_program_itself_draws_has_no_seed(method: str, workers: str) -> None:
    (finding,) = advice("TP209", _SAMPLES.format(method=method, workers=workers))
    assert "add random.seed(1)" in finding.message


def test_speaks_once_of_each_generator() -> None:
    text = _HEAD + "torch.manual_seed(1)\nnp.random.rand(3)\nnp.random.rand(3)\n"
    assert len(advice("TP209", text + "torch.manual_seed(2)\nrandom.random()\n")) == 2


def test_says_nothing_of_what_is_right() -> None:
    for name, text in _RIGHT.items():
        assert not advice("TP209", text), name


def test_another_file_of_the_project_may_seed(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "train.py"
    path.write_text(_ADVISED["numpy"])
    settings = Settings(select=("TP209",))
    assert migrate_file(path, settings, write=False).findings
    (tmp_path / "seeds.py").write_text("import numpy as np\nnp.random.seed(1)\n")
    assert not migrate_file(path, settings, write=False).findings


def test_another_file_may_seed_numpy_where_this_one_seeds_python(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "train.py"
    path.write_text(f"{_ADVISED['numpy']}random.seed(1)\n")
    settings = Settings(select=("TP209",))
    assert migrate_file(path, settings, write=False).findings
    (tmp_path / "data.py").write_text("import numpy as np\nnp.random.seed(1)\n")
    assert not migrate_file(path, settings, write=False).findings


def test_another_file_of_the_project_may_convolve(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "train.py"
    path.write_text(_CUDNN)
    (tmp_path / "models.py").write_text("import torch\nnet = torch.nn.LSTM(3, 4)\n")
    settings = Settings(select=("TP209",))
    assert not migrate_file(path, settings, write=False).findings
    (tmp_path / "models.py").write_text("import torch\nnet = torch.nn.Conv1d(3, 4, 3)\n")
    assert migrate_file(path, settings, write=False).findings


def test_what_is_drawn_above_the_seed_is_not_what_it_is_for() -> None:
    drawn = "import random\nimport torch\nseed = random.randint(1, 9)\n{}torch.manual_seed(seed)\n"
    assert not advice("TP209", drawn.format(""))
    (finding,) = advice("TP209", drawn.format("") + "random.shuffle(xs)\n")
    assert "line 5 draws" in finding.message
    text = drawn.format("def f():\n    return random.random()\n").replace(
        "seed = random", "seed = f"
    )
    assert advice("TP209", text.replace(".randint(1, 9)", "()"))


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (
            "torch.manual_seed(3)\nimport random\nrandom.shuffle(xs)\n",
            " below its import in line 3",
        ),
        (
            "if x:\n    torch.manual_seed(3)\nelse:\n    torch.manual_seed(3)\nimport random\n"
            "random.shuffle(xs)\n",
            " below its import in line 6",
        ),
        (
            "def main():\n    torch.manual_seed(3)\n    random.shuffle(xs)\nimport random\nmain()\n",
            "",
        ),
        ("import random\ntorch.manual_seed(3)\nimport random\nrandom.shuffle(xs)\n", ""),
    ],
    ids=["below", "below both branches", "before the function runs", "above as well"],
)
def test_a_seed_stands_below_the_import_of_its_module(text: str, end: str) -> None:
    (found,) = advice("TP209", f"import torch\n{text}")
    assert found.message.endswith(f"add random.seed(3){end}")


@pytest.mark.parametrize(
    ("seed", "is_told"),
    [
        ("random.randint(1, 9)", False),
        ("int(random.random() * 99)", False),
        ("args.seed or random.randint(1, 9)", True),
        ("args.seed", True),
        ("int(args.randint)", True),
        ("len(random.__name__)", True),
    ],
)
def test_a_seed_that_is_drawn_where_it_is_used_repeats_nothing(seed: str, is_told: bool) -> None:
    text = f"import random\nimport torch\ntorch.manual_seed({seed})\nrandom.shuffle(xs)\n"
    assert bool(advice("TP209", text)) == is_told


_BY_DEVICE = "{}if cuda:\n    {}\nelse:\n    torch.manual_seed(1)\nx = np.random.rand(3)\n"


@pytest.mark.parametrize(
    "other", ["torch.cuda.manual_seed_all(1)", "torch.cuda.manual_seed(1)", "torch.manual_seed(1)"]
)
def test_a_seed_for_both_branches_stands_below_them(other: str) -> None:
    (found,) = advice("TP209", _BY_DEVICE.format(_HEAD, other))
    end = "add np.random.seed(1) below the if in line 4, for both of its branches"
    assert found.message.endswith(end)


@pytest.mark.parametrize("other", ["print('no seed')", "other.cuda.manual_seed(1)"])
def test_a_seed_of_one_branch_alone_stands_beside_it(other: str) -> None:
    (found,) = advice("TP209", _BY_DEVICE.format(_HEAD, other))
    assert found.message.endswith("add np.random.seed(1)")


@pytest.mark.parametrize(
    ("above", "line", "added"),
    [
        ("", "import numpy as np", "add `import numpy.random` and numpy.random.seed(3)"),
        ("import numpy\n", "import numpy as np", "add numpy.random.seed(3)"),
        ("import numpy as np\n", "pass", "add np.random.seed(3)"),
        ("import numpy as np\n", "import numpy as np", "add np.random.seed(3)"),
    ],
)
def test_the_seed_is_written_by_what_is_imported_beside_it(
    above: str, line: str, added: str
) -> None:
    text = (
        f"import torch\n{above}def augment(x):\n    {line}\n    return x + np.random.randn(3)\n"
        "def main():\n    torch.manual_seed(3)\n    augment(1)\n"
    )
    assert [f.message.partition(": ")[2] for f in advice("TP209", text)] == [added]
