from __future__ import annotations

import functools
import pickle
from pathlib import Path

import numpy as np
import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_OLD = Options(era=Era((1, 0), (1, 8)))
_HEAD = """import numpy as np
from numpy import random as npr
from torch.utils.data import DataLoader, Dataset, Subset
np.random.seed(0)
"""
_DATA = """class Data(Dataset):
    def __init__(self, transform=None):
        self.transform = transform
    def __getitem__(self, i):
        return i + BODY
    def __len__(self):
        return 4
"""
_DRAWN = "    def drawn(self):\n        return np.random.rand()\n"
_LOADER = "loader = DataLoader(Data(), num_workers=2)\n"
_DRAWS = _HEAD + _DATA.replace("BODY", "np.random.rand()")
_STILL = _HEAD + _DATA.replace("BODY", "1")
_CROP = "class Crop(object):\n    def __call__(self, x):\n        return x + np.random.rand()\n"

_TOLD = {
    "in __getitem__": _DRAWS + _LOADER,
    "by another name": _DRAWS.replace("np.random.rand", "npr.rand") + _LOADER,
    "in a method": _HEAD + _DATA.replace("BODY", "self.drawn()") + _DRAWN + _LOADER,
    "in a function": _HEAD
    + "def crop(x):\n    return np.random.randint(x)\n"
    + _DATA.replace("BODY", "crop(i)")
    + _LOADER,
    "in a base class": _DRAWS
    + "class More(Data):\n    pass\n"
    + _LOADER.replace("Data()", "More()"),
    "by a name": _DRAWS + "data = Data()\n" + _LOADER.replace("Data()", "data"),
    "workers of an option": _DRAWS + _LOADER.replace("=2", "=args.workers"),
    "in a transformation": _STILL + _CROP + _LOADER.replace("Data()", "Data(transform=Crop())"),
    "in one of several": _STILL
    + _CROP
    + "both = Compose([Other(), Crop()])\n"
    + _LOADER.replace("Data()", "Data(both)"),
    "in a part": _DRAWS + _LOADER.replace("Data()", "Subset(Data(), [0])"),
    "two loaders": _DRAWS + _LOADER + _LOADER.replace("loader", "other"),
}


_RESTORED = "write worker_init_fn=functools.partial(set_numpy, np.random.get_state())"


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _TOLD.items()])
def test_is_told_once(text: str) -> None:
    (finding,) = advice("TP807", text, options=_OLD)
    assert _RESTORED in finding.message
    assert finding.line == text[: text.index("loader = DataLoader")].count("\n") + 1
    assert migrate(text, "TP807", options=_OLD).text == text
    assert not advice("TP807", text, options=Options(era=Era((1, 0), (1, 9))))
    assert not advice("TP807", text)


def _made(body: str, arguments: str, more: str = "") -> str:
    """A loader of a data set that is told how to sample, and draws in ``body``."""
    return f"""{_HEAD}
class Clips(Dataset):
    def __init__(self, clips, sample="random", train=True, size=None, kind=""):
        self.clips, self.size = clips, size
        self.sample = sample
        self.train = train
        if kind is None:
            raise ValueError
        else:
            self.kind = kind
    def __getitem__(self, i):
        {body.replace(chr(10), chr(10) + " " * 8)}
    def _crop(self, clip, moved=False):
        if moved:
            return clip + np.random.rand()
        return clip
{more}
loader = DataLoader(Clips({arguments}), num_workers=2)
"""


_BY_SAMPLE = "if self.sample == 'random':\n    i += np.random.randint(3)\nreturn i"
_BY_TRAIN = "return i + np.random.rand() if self.train else i"
_BY_KIND = "return i + np.random.rand() if self.kind == 'train' else i"
_BY_RETURN = "if not self.train:\n    return i\nreturn i + np.random.rand()"
_BY_METHOD = "return self._crop(i, self.train)"
_CERTAIN = [
    (_BY_SAMPLE, "x"),
    (_BY_SAMPLE, "x, 'random'"),
    (_BY_TRAIN, "x, train=True"),
    (_BY_KIND, "x, kind='train'"),
    (_BY_RETURN, "x"),
    (_BY_METHOD, "x"),
    ("return self._crop(i, moved=True)", "x, train=args.train"),
]
_POSSIBLE = [
    (_BY_SAMPLE, "x, args.sample"),
    (_BY_SAMPLE, "*args"),
    (_BY_SAMPLE, "x, **options"),
    (_BY_TRAIN, "x, train=args.train"),
    (_BY_RETURN, "x, train=args.train"),
    (_BY_METHOD, "x, train=args.train"),
    ("if self.size:\n    return np.random.rand()\nreturn i", "x, size=None"),
    ("while missing(i):\n    i = np.random.randint(3)\nreturn i", "x"),
    ("try:\n    return read(i)\nexcept IOError:\n    return np.random.rand()", "x"),
    ("if i > 3:\n    return i\nreturn np.random.rand()", "x"),
]
_NEVER = [
    (_BY_SAMPLE, "x, 'evenly'"),
    (_BY_SAMPLE, "x, sample='evenly', train=True"),
    (_BY_SAMPLE + " + (np.random.rand() if self.train else 0)", "x, 'evenly', False"),
    (_BY_TRAIN, "x, train=False"),
    (_BY_KIND, "x, kind='test'"),
    (_BY_RETURN, "x, train=False"),
    (_BY_METHOD, "x, train=False"),
    ("return self._crop(i)", "x"),
    ("return self.train and np.random.rand()", "x, train=False"),
]


@pytest.mark.parametrize(("body", "arguments"), _CERTAIN)
def test_what_a_data_set_is_made_with_lets_it_draw(body: str, arguments: str) -> None:
    (finding,) = advice("TP807", _made(body, arguments), options=_OLD)
    assert finding.message.startswith("this data set draws from numpy")


@pytest.mark.parametrize(("body", "arguments"), _POSSIBLE)
def test_what_is_not_known_may_let_it_draw(body: str, arguments: str) -> None:
    (finding,) = advice("TP807", _made(body, arguments), options=_OLD)
    assert finding.message.startswith("this data set may draw from numpy")


@pytest.mark.parametrize(("body", "arguments"), _NEVER)
def test_what_a_data_set_is_made_with_keeps_it_from_drawing(body: str, arguments: str) -> None:
    assert not advice("TP807", _made(body, arguments), options=_OLD)


@pytest.mark.parametrize(
    "more",
    [
        "    def freeze(self):\n        self.train = True",
        "for each in sets:\n    each.train = True",
    ],
)
def test_an_attribute_that_is_set_anew_decides_nothing(more: str) -> None:
    (finding,) = advice("TP807", _made(_BY_TRAIN, "x, train=False", more), options=_OLD)
    assert finding.message.startswith("this data set may draw from numpy")


def test_the_same_attribute_of_another_class_decides_nothing() -> None:
    more = "class Model:\n    def __init__(self):\n        self.train = True"
    assert not advice("TP807", _made(_BY_TRAIN, "x, train=False", more), options=_OLD)


def test_a_data_set_with_a_name_is_known_by_what_made_it() -> None:
    text = _made(_BY_TRAIN, "x, train=False").replace("loader = DataLoader(Clips", "data = (Clips")
    text = text.replace(", num_workers=2)", ")\nloader = DataLoader(data, num_workers=2)")
    assert not advice("TP807", text, options=_OLD)
    assert advice("TP807", text.replace("train=False", "train=True"), options=_OLD)


@pytest.mark.parametrize(
    "more",
    [
        "for epoch in range(3):\n    np.random.shuffle(order)\n",
        "for epoch in range(3):\n    np.random.seed(epoch)\n",
        "def mixup(x):\n    return npr.beta(1, 1) * x\n",
        "shuffle = np.random.shuffle\n",
        "first = crop(1)\n",
        "other = DataLoader(Data())\n",
        "other = DataLoader(Data(), num_workers=0)\n",
    ],
)
def test_where_others_draw_the_old_numbers_are_not_promised(more: str) -> None:
    text = _HEAD + "def crop(x):\n    return np.random.randint(x)\n"
    text += _DATA.replace("BODY", "crop(i)") + _LOADER + more
    (finding,) = advice("TP807", text, options=_OLD)
    assert finding.message.endswith(
        "seeds numpy alone: runs repeat only with torch.manual_seed, too"
    )
    # Their seeds come from that of torch: nothing is left to do.
    assert not advice("TP807", f"import torch\ntorch.manual_seed(0)\n{text}", options=_OLD)
    assert advice("TP807", f"import torch\ntorch.cuda.manual_seed(0)\n{text}", options=_OLD)


def test_a_file_that_seeds_torch_for_the_one_with_the_loader(tmp_path: Path) -> None:
    data = _HEAD.replace("np.random.seed(0)\n", "")
    data += (
        "class Clips(Dataset):\n    def __getitem__(self, i):\n        return np.random.rand()\n"
    )
    data += "shuffle = np.random.shuffle\n"
    (message,) = _told(tmp_path, data, "")
    assert message.endswith("runs repeat only with torch.manual_seed, too")
    assert not _told(tmp_path, f"{data}import torch\ntorch.manual_seed(0)\n", "")


def test_where_others_ask_for_samples_the_old_numbers_are_not_promised() -> None:
    text = _DRAWS + "data = Data()\nprint(len(data))\n" + _LOADER.replace("Data()", "data")
    (finding,) = advice("TP807", text, options=_OLD)
    assert _RESTORED in finding.message
    for more in ("print(data[0])\n", "show(data)\n"):
        (finding,) = advice("TP807", text + more, options=_OLD)
        assert _RESTORED not in finding.message
    persistent = text.replace("=2)", "=2, persistent_workers=True)")
    (finding,) = advice("TP807", persistent, options=_OLD)
    assert _RESTORED not in finding.message


@pytest.mark.parametrize(
    "more",
    [
        "np.random.seed(0)\norder = np.random.permutation(9)\n",
        "own = np.random.RandomState(0)\n",
        "state = np.random.get_state()\n",
    ],
)
def test_what_runs_before_the_loader_is_made_does_not_count(more: str) -> None:
    (finding,) = advice("TP807", _DRAWS + more + _LOADER, options=_OLD)
    assert _RESTORED in finding.message


def test_what_is_surely_asked_for_surely_draws() -> None:
    """A data set of the project may leave alone what it is made with; torch's ask each time."""
    told = {name: advice("TP807", _TOLD[name], options=_OLD)[0].message for name in _TOLD}
    assert told["in a part"].startswith("this data set draws")
    assert told["by a name"].startswith("this data set draws")
    assert told["in a transformation"].startswith("this data set may draw")
    assert told["in one of several"].startswith("this data set may draw")


@pytest.mark.parametrize("more", ["own = np.random.RandomState(0)\n", "np.random.get_state()\n"])
def test_a_generator_of_its_own_does_not_count(more: str) -> None:
    (finding,) = advice("TP807", _DRAWS + _LOADER + more, options=_OLD)
    assert _RESTORED in finding.message


_QUIET = {
    "nothing is drawn": _STILL + _LOADER,
    "one worker": _DRAWS + _LOADER.replace("=2", "=1"),
    "no worker": _DRAWS + _LOADER.replace("=2", "=0"),
    "workers by default": _DRAWS + "loader = DataLoader(Data())\n",
    "a seed of their own": _DRAWS + _LOADER.replace("=2", "=2, worker_init_fn=seed"),
    "more arguments": _DRAWS + _LOADER.replace("=2", "=2, **more"),
    "seeded": _HEAD
    + _DATA.replace("return i", "np.random.seed(i)\n        return i").replace(
        "BODY", "np.random.rand()"
    )
    + _LOADER,
    "a generator of its own": _HEAD
    + _DATA.replace("BODY", "np.random.RandomState(i).rand()")
    + _LOADER,
    "in another method": _STILL + _DRAWN + _LOADER,
    "torch draws": _HEAD + _DATA.replace("BODY", "torch.rand(1)") + _LOADER,
    "another random": "import random\n"
    + _HEAD
    + _DATA.replace("BODY", "random.random()")
    + _LOADER,
    "an unknown data set": _DRAWS + _LOADER.replace("Data()", "data_of(args)"),
    "a data set made of itself": _STILL
    + "for i in range(3):\n    data = wrapped(data, data)\n"
    + _LOADER.replace("Data()", "data"),
    "another loader": _DRAWS.replace("import DataLoader, Dataset", "import Dataset") + _LOADER,
    "a shadowed numpy": _DRAWS.replace("import numpy as np", "np = Mine()") + _LOADER,
    "a transformation that draws nothing": _STILL
    + _CROP.replace("np.random.rand()", "1")
    + _LOADER.replace("Data()", "Data(Crop())"),
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _QUIET.items()])
def test_nothing_is_said(text: str) -> None:
    assert not advice("TP807", text, options=_OLD)


test_keeps = keeps("TP807", _TOLD)


def _told(folder: Path, data: str, arguments: str, **others: str) -> list[str]:
    """What is said of a script with a loader, of which other files define the data set and more."""
    (folder / ".git").mkdir(exist_ok=True)
    for name, text in {"data": data, **others}.items():
        (folder / f"{name}.py").write_text(text)
    script = folder / "train.py"
    script.write_text(
        "import numpy as np\nfrom torch.utils.data import DataLoader\nfrom data import Clips\n"
        "np.random.seed(0)\n"
        f"loader = DataLoader(Clips({arguments}), num_workers=2)\n"
    )
    settings = Settings(select=("TP807",), from_version="1.0")
    return [f.message for f in migrate_file(script, settings, write=False).findings]


def test_a_data_set_of_another_file_is_known_by_what_makes_it(tmp_path: Path) -> None:
    data = _made(_BY_SAMPLE, "").partition("loader =")[0]
    assert not _told(tmp_path, data, "x, sample='evenly'")
    (message,) = _told(tmp_path, data, "x, sample=args.sample")
    assert message.startswith("this data set may draw")
    (message,) = _told(tmp_path, data, "x")
    assert message.startswith("this data set draws")
    # Another file of the project sets such an attribute.
    more = "import data\ndef f(clips):\n    clips.sample = 'random'\n"
    (message,) = _told(tmp_path, data, "x", more=more)
    assert message.startswith("this data set may draw")


def test_another_file_may_draw_in_the_main_process(tmp_path: Path) -> None:
    head = _HEAD.replace("np.random.seed(0)\n", "")
    data = head + "class Clips(Dataset):\n    def __getitem__(self, i):\n        return crop(i)\n"
    data += "def crop(i):\n    return np.random.rand()\n"
    (message,) = _told(tmp_path, data, "", model="import torch\ntorch.manual_seed(1)\n# random\n")
    assert _RESTORED in message
    for model in ("np.random.seed(3)", "def f(x):\n    return np.random.permutation(x)"):
        (message,) = _told(tmp_path, data, "", model=f"import numpy as np\n{model}\n")
        assert _RESTORED not in message
    (message,) = _told(tmp_path, data, "", model="from data import crop\ncrop(random)\n")
    assert _RESTORED not in message


def test_a_data_set_of_another_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "data.py").write_text(
        _HEAD + _DATA.replace("BODY", "crop(i)") + "def crop(i):\n    return np.random.rand()\n"
    )
    script = tmp_path / "train.py"
    head = "from torch.utils.data import DataLoader\nfrom data import Data\n"
    script.write_text(f"import numpy as np\nnp.random.seed(0)\n{head}{_LOADER}")
    settings = Settings(select=("TP807",), from_version="1.0")
    (finding,) = migrate_file(script, settings, write=False).findings
    assert finding.line == 5


def _set_numpy(state: object, worker: int) -> None:
    np.random.set_state(state)


def test_what_is_proposed_can_be_given_to_workers_that_are_spawned() -> None:
    given = pickle.loads(pickle.dumps(functools.partial(_set_numpy, np.random.get_state())))
    drawn = np.random.rand(3)
    given(1)
    assert (np.random.rand(3) == drawn).all()


def test_without_a_seed_there_are_no_old_numbers() -> None:
    assert not advice("TP807", (_DRAWS + _LOADER).replace("np.random.seed(0)\n", ""), options=_OLD)


_OPTION = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument({})\n"


@pytest.mark.parametrize(
    ("declared", "is_told"),
    [
        ("'--workers', type=int, default=4", True),
        ("'--workers', type=int", True),
        ("'--workers', type=int, default=0", False),
        ("'-j', dest='workers', default=1", False),
        ("'--others', default=0", True),
    ],
)
def test_an_option_has_the_workers_of_its_default(declared: str, is_told: bool) -> None:
    text = _DRAWS + _OPTION.format(declared) + _LOADER.replace("=2", "=args.workers")
    assert bool(advice("TP807", text, options=_OLD)) is is_told


def test_what_only_evaluates_repeats_no_training() -> None:
    loop = "net = torch.nn.Linear(2, 2)\nnet.eval()\nfor x in loader:\n    {}\n"
    text = f"import torch\n{_DRAWS}{_LOADER}{loop}"
    assert not advice("TP807", text.format("print(net(x))"), options=_OLD)
    assert advice("TP807", text.format("net(x).sum().backward()"), options=_OLD)
