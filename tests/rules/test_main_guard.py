from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

SCRIPT = """
import torch.utils.data as Data
loader = Data.DataLoader(data, batch_size=5, num_workers=2)
for epoch in range(3):
    for step, (x, y) in enumerate(loader):
        train(x, y)
"""

FUNCTION = """
from torch.utils.data import DataLoader
def train(epochs):
    loader = DataLoader(data, num_workers=4)
    for epoch in range(epochs):
        for batch in tqdm(loader):
            step(batch)
def main():
    train(3)
main()
"""

QUIET = {
    "guarded": SCRIPT + 'if __name__ == "__main__":\n    pass\n',
    "no workers": SCRIPT.replace("num_workers=2", "num_workers=0"),
    "not a literal": SCRIPT.replace("num_workers=2", "num_workers=args.workers"),
    "no loop": SCRIPT.replace("enumerate(loader)", "enumerate(batches)"),
    "not called": FUNCTION.replace("\nmain()", ""),
    "called from a function only": FUNCTION.replace("\nmain()", "\ndef run():\n    main()"),
    "forked workers": SCRIPT.replace(
        "num_workers=2", 'num_workers=2, multiprocessing_context="fork"'
    ),
    "forked by default": SCRIPT.replace(
        "loader = ", 'import torch\ntorch.multiprocessing.set_start_method("fork")\nloader = ', 1
    ),
    "user's loader": SCRIPT.replace("Data.DataLoader", "mine.DataLoader"),
    "loader that a function gets": FUNCTION.replace("loader = Data", "other = Data")
    .replace("train(epochs)", "train(epochs, loader=None)")
    .replace("loader = DataLoader", "other = DataLoader"),
}

test_keeps = keeps("TP804", {"script": SCRIPT, "function": FUNCTION, **QUIET})


@pytest.mark.parametrize("name", QUIET)
def test_says_nothing(name: str) -> None:
    assert QUIET[name] not in (SCRIPT, FUNCTION)
    assert not advice("TP804", QUIET[name])


@pytest.mark.parametrize(("text", "line", "loop"), [(SCRIPT, 2, 3), (FUNCTION, 3, 9)])
def test_advice(text: str, line: int, loop: int) -> None:
    (found,) = advice("TP804", text)
    assert found.line == line
    assert found.message.endswith(
        f'put what runs from line {loop} on under if __name__ == "__main__":'
    )


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_that_run_the_script_again_are_told_of(method: str) -> None:
    given = f'num_workers=2, multiprocessing_context="{method}"'
    assert len(advice("TP804", SCRIPT.replace("num_workers=2", given))) == 1


def test_advice_is_given_once() -> None:
    second = "test = Data.DataLoader(data, num_workers=2)\nfor x in test:\n    pass\n"
    assert len(advice("TP804", SCRIPT + second)) == 1


@pytest.mark.parametrize(
    ("above", "line"),
    [
        ("from mine import warm_up\nwarm_up()\n", 3),
        ("import mine\nresult = mine.train(3)\n", 3),
        ("trainer.fit()\n", 2),
        ("loader = Data.DataLoader(data, num_workers=count)\nfirst = next(iter(loader))\n", 3),
        ("other = Data.DataLoader(data, num_workers=count)\nfor x in other:\n    print(x)\n", 3),
        ("def run(batches):\n    return [b for b in batches]\nif quick:\n    run(mine)\n", 4),
        ("for x in batches:\n    print(x)\n", 2),
        ("import runpy\nrunpy.run_path('train.py')\n", 3),
        ("def deep():\n    warm_up()\ndef run():\n    deep()\nrun()\n", 6),
        ("total = sum(batches)\n", 2),
        ("print(1)\nif x:\n    from mine import run\n    run()\n", 3),
        ("import logging\nlog = logging.FileHandler('a.log', mode='w')\nprint(log)\n", 3),
        ("import logging\nlogging.basicConfig(filename='a.log')\n", 3),
        ("log = open('a.log', 'w')\n", 2),
        (
            "def write():\n    with open('a.log', mode='ab') as f:\n        f.write(b'')\nwrite()\n",
            5,
        ),
        ("import os\nos.makedirs(path)\n", 3),
        ("import shutil\nif x:\n    shutil.rmtree(path)\n", 3),
        ("from tensorboardX import SummaryWriter\nwriter = SummaryWriter()\n", 3),
        ("import torch\ntorch.save(x, path)\n", 3),
    ],
)
def test_a_statement_above_may_start_workers_as_well(above: str, line: int) -> None:
    head, rest = SCRIPT.split("\n", 2)[1:]
    (found,) = advice("TP804", f"{head}\n{above}{rest}")
    assert f"put what runs from line {line} on under if" in found.message


_CLASS = (
    "class Images(Data.Dataset):\n    def __getitem__(self, i):\n        return load({read}, i)\n"
)


@pytest.mark.parametrize(
    "defined",
    [
        _CLASS.format(read="3"),
        "def load(i):\n    return i\n" + _CLASS.format(read="3"),
        "def collate(batch):\n    return batch\nprint(collate)\n",
        "def fit(x):\n    step(x, args)\nfit(3)\n",
    ],
)
def test_definitions_that_workers_need_stay_where_they_can_find_them(defined: str) -> None:
    head, rest = SCRIPT.split("\n", 2)[1:]
    (found,) = advice("TP804", f"{head}\nargs = parse()\n{defined}{rest}")
    is_needed = "fit" not in defined
    assert ("from line 2 on, apart from definitions, under" in found.message) is is_needed
    assert ("from line 2 on under if" in found.message) is not is_needed


@pytest.mark.parametrize(
    "defined",
    [
        _CLASS.format(read="args.size"),
        "def load(x, i):\n    return args\n" + _CLASS.format(read="3"),
        "def collate(batch):\n    return batch[:args.n]\nprint(collate)\n",
    ],
)
def test_nothing_is_said_where_workers_need_what_the_guard_would_hide(defined: str) -> None:
    head, rest = SCRIPT.split("\n", 2)[1:]
    assert not advice("TP804", f"{head}\nargs = parse()\n{defined}{rest}")
    assert not advice("TP804", f"{head}\n{defined}args = parse()\n{rest}")
    assert advice("TP804", f"{head}\nargs = 3\n{defined}{rest}")


_DATA = """
import h5py, lmdb
import torch.utils.data as Data
import torchvision.transforms as transforms
class Images(Data.Dataset):
    def __init__(self, path, transform=None):
        self.transform = transform
        {kept}
    def __getitem__(self, i):
        return self.images[i]
{above}
loader = Data.DataLoader({given}, num_workers=2)
for x in loader:
    print(x)
"""


@pytest.mark.parametrize(
    ("kept", "above", "given"),
    [
        ("self.file = h5py.File(path)", "", "Images('a')"),
        ("file = h5py.File(path); self.images = file['x']", "", "Images('a')"),
        ("self.env = lmdb.open(path)", "data = Images('a')", "data"),
        ("self.f = lambda x: x", "", "Images('a')"),
        ("pass", "t = transforms.Lambda(lambda x: x)\ndata = Images('a', t)", "data"),
        ("pass", "", "Images('a'), collate_fn=lambda b: b"),
        ("pass", "", "Elsewhere('a')"),
    ],
)
def test_nothing_is_said_where_the_data_set_cannot_be_pickled(
    kept: str, above: str, given: str
) -> None:
    # What "Elsewhere" keeps is not known, and the project opens such files.
    opened = "h5py.File" if "Elsewhere" in given else "None"
    text = _DATA.format(kept=kept, above=f"{above}\nprint({opened})", given=given)
    assert not advice("TP804", text)


@pytest.mark.parametrize(
    ("kept", "above", "given"),
    [
        ("self.images = h5py.File(path)['x'][:]", "", "Images('a')"),
        ("file = h5py.File(path); self.n = len(file['x'])", "", "Images('a')"),
        ("self.file = h5py.File(path)\n    def __getstate__(self):\n        pass", "", "Images(1)"),
        ("pass", "data = Images('a', transforms.ToTensor())", "data"),
        ("pass", "key = lambda x: x", "Images('a')"),
        ("pass", "", "Elsewhere('a')"),
    ],
)
def test_what_can_be_pickled_can_be_guarded(kept: str, above: str, given: str) -> None:
    text = _DATA.format(kept=kept, above=above, given=given)
    (found,) = advice("TP804", text)
    assert "put what runs from line" in found.message


@pytest.mark.parametrize(
    "above",
    [
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--n')\n"
        "args = parser.parse_args()\n",
        "import torch\ntorch.manual_seed(1)\nnet = torch.nn.Linear(2, 1).cuda()\n",
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
        "        super(Net, self).__init__()\n        self.a = torch.nn.Linear(2, 1)\nnet = Net()\n",
        "import torch\nnet = torch.nn.Linear(2, 1)\nnet.train()\n"
        "optimizer = torch.optim.SGD(net.parameters(), lr=1)\n",
        "import logging\nlogging.basicConfig(level=logging.INFO)\n",
        "lines = open('a.txt').read()\nmore = open('b', 'rb')\n",
        "import os\nos.makedirs(path, exist_ok=True)\nif not os.path.isdir(p):\n    os.mkdir(p)\n",
        "import os\ntry:\n    os.makedirs(path)\nexcept OSError:\n    pass\n",
        "def save():\n    log = open('a.log', 'w')\n",
        "def run():\n    warm_up()\n",
        "def count():\n    return 3\nn = count()\n",
        "for n in range(3):\n    print(n)\n",
        "other = Data.DataLoader(data, num_workers=n)\nprint(len(other))\n",
    ],
)
def test_of_other_statements_above_it_is_certain_that_they_start_none(above: str) -> None:
    head, rest = SCRIPT.split("\n", 2)[1:]
    (found,) = advice("TP804", f"{head}\n{above}{rest}")
    line = 3 + above.count("\n")
    assert f"put what runs from line {line} on under if" in found.message
