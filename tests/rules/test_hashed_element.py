"""TP431: elements of tensors, by which no dict or set finds anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """\
import collections
from collections import Counter, defaultdict
import torch
x = torch.tensor([2, 0, 2])
y = torch.zeros(2, 3)
def f(given, names: dict, rows):
    known, seen, counts = {}, set(), defaultdict(int)
    for name in given: known[name] = 1; seen.add(name)
    """

_FOUND = "{0} is a tensor, hashed by identity, which no dict or set finds"
_NOT_FOUND = "elements of {0} are tensors, hashed by identity, which no dict or set finds"
_APART = "elements of {0} are tensors, hashed by identity: equal ones stay apart"
_SAME = "an element of a tensor is a new tensor each time it is taken, and is no other object"

_TOLD = {
    "set": ("return set(x)", _APART.format("x") + ": write set(x.tolist())"),
    "counted": ("return Counter(x + 1)", _APART.format("x + 1") + ": write Counter((x + 1).tolist())"),
    "counted by its module": (
        "return collections.Counter(x)",
        _APART.format("x") + ": write collections.Counter(x.tolist())",
    ),
    "set of rows": ("return frozenset(y)", _APART.format("y")),
    "set of unknown dimensions": (
        "z = given.detach()\n    return set(z)",
        _APART.format("z") + ": write set(z.tolist())",
    ),
    "element of unknown dimensions": (
        "z = given.detach()\n    return known[z[0]]",
        _FOUND.format("z[0]") + ": write z[0].item(), and name.item() in line 8, where it is filled",
    ),
    "item": ("return known[x[0]]", _FOUND.format("x[0]") + ": write x[0].item()"),
    "item of two dimensions": ("return known[y[0, 1]]", _FOUND.format("y[0, 1]") + ": write y[0, 1].item()"),
    "row": ("return known.get(y[0])", _FOUND.format("y[0]")),
    "calculated": ("return known[x[0] + 1]", _FOUND.format("x[0] + 1") + ": write (x[0] + 1).item()"),
    "calculated of a loop": (
        "return [known.get(2 - i) for i in x]",
        _FOUND.format("2 - i") + ": write (2 - i).item()",
    ),
    "of a dict that is gone through": (
        "print(rows[2].items())\n    return [rows[2][i + 1] for i in x]",
        _FOUND.format("i + 1") + ": write (i + 1).item()",
    ),
    "asked": ("return x[1] in seen", _FOUND.format("x[1]") + ": write x[1].item()"),
    "not asked": ("return x[1] not in known", _FOUND.format("x[1]") + ": write x[1].item()"),
    "popped": ("return known.pop(x[1], 3)", _FOUND.format("x[1]") + ": write x[1].item()"),
    "counted up": ("for i in x: counts[i] += 1", _FOUND.format("i") + ": write i.item()"),
    "of a loop": ("for k, i in enumerate(x): print(known.get(i))", _FOUND.format("i") + ": write i.item()"),
    "of two": ("return [known[j] for i, j in zip(given, x)]", _FOUND.format("j") + ": write j.item()"),
    "by name": ("i = x[2]\n    return known[i]", _FOUND.format("i") + ": write i.item()"),
    "taken apart": ("i, j = y\n    return known[j]", _FOUND.format("j")),
    "stored afterwards": (
        "met = set()\n    for i in x:\n        if i in met: continue\n        met.add(i)",
        _NOT_FOUND.format("x") + ": write x.tolist()",
    ),
    "stored where it is not found": (
        "at = {}\n    for n, i in enumerate(x * 2):\n        if i not in at: at[i] = n\n"
        "        print(y[0, i], given[at[i]], i == n)",
        _NOT_FOUND.format("x * 2") + ": write (x * 2).tolist()",
    ),
    "stored, and a tensor elsewhere": (
        "at = {}\n    for n, i in enumerate(x):\n        if i not in at:\n            at[i] = n\n"
        "        print(i.float())",
        _NOT_FOUND.format("x") + ": in lines 11 and 12 write i.item()",
    ),
    "stored, and listed": (
        "met = set()\n    for i in x:\n        if i not in met:\n            met.add(i)\n"
        "            given.append(i)",
        _NOT_FOUND.format("x") + ": in lines 11 and 12 write i.item()",
    ),
    "stored, and given on": (
        "met = set()\n    for i in x:\n        if i not in met:\n            met.add(i)\n"
        "            given(i)",
        _NOT_FOUND.format("x") + ": in lines 11 and 12 write i.item()",
    ),
    "filled by the elements of another": (
        "at = {}\n    for n, i in enumerate(x.unique()):\n        at[i] = n\n    return at[x[0]]",
        _FOUND.format("x[0]") + ": write x[0].item(), and i.item() in line 11, where it is filled",
    ),
    "filled by the same element, taken anew": (
        "met = set()\n    for i in range(3):\n        if x[i] not in met: met.add(x[i])",
        _FOUND.format("x[i]") + ": write x[i].item(), and x[i].item() in line 11, where it is filled",
    ),
    "filled twice": (
        "at = {}\n    for i in x: at[i] = 1\n    at[x[1]] = 2\n    return at.get(x[0])",
        _FOUND.format("x[0]")
        + ": write x[0].item(), and i.item() in line 10 and x[1].item() in line 11, where it is filled",
    ),
    "filled by rows": (
        "at = {}\n    for r in y: at[r] = 1\n    return at[x[0]]",
        _FOUND.format("x[0]") + ": write x[0].item(); it is filled by tensors as well, in line 10",
    ),
    "filled by numbers, and by what is not known": (
        "at = {}\n    for i in x.tolist(): at[i] = 1\n    at[rows] = 1\n    at[rows[0]] = 1\n"
        "    at[x[0].item()] = 1\n    return at[x[0]]",
        _FOUND.format("x[0]") + ": write x[0].item()",
    ),
    "another one is filled": (
        "at, other = {}, {}\n    at = {}\n    for i in x: other[i] = at\n    return at[x[0]]",
        _FOUND.format("x[0]") + ": write x[0].item()",
    ),
    "filled no more": (
        "at = {}\n    for i in x: at[i] = 1\n    at = {}\n    return at[x[0]]",
        _FOUND.format("x[0]") + ": write x[0].item()",
    ),
    "filled by what lies in it": (
        "at = {}\n    for i in x: at[1] = i\n    return at[x[0]]",
        _FOUND.format("x[0]") + ": write x[0].item()",
    ),
    "rows that are stored": (
        "met = set()\n    for r in y:\n        if r not in met: met.add(r)",
        _NOT_FOUND.format("y"),
    ),
    "stored by a name that is given": (
        "met = set()\n    for k in given:\n        i = x[0]\n        if i not in met: met.add(i)",
        _FOUND.format("x[0]") + ": write x[0].item()",
    ),
    "not stored": (
        "for i in x:\n        if i in seen: given.append(i)",
        _FOUND.format("i") + ": write i.item()",
    ),
    "collected": (
        "return {i for i in x}",
        "i is a tensor, hashed by identity: equal ones stay apart in a set: write i.item()",
    ),
    "collected from a list": (
        "return set([x[i] for i in range(3)])",
        "x[i] is a tensor, hashed by identity: equal ones stay apart in a set: write x[i].item()",
    ),
    "collected from a generator": (
        "return frozenset(r.view(-1).data[0] for r in given)",
        "r.view(-1).data[0] is a tensor, hashed by identity: equal ones stay apart in a set: "
        "write r.view(-1).data[0].item()",
    ),
    "collected from what a list keeps": (
        "rows = [x[i] for i in range(3)]\n    return {r for r in rows}",
        "r is a tensor, hashed by identity: equal ones stay apart in a set: write r.item()",
    ),
    "collected from what a dict keeps": (
        "row = {'a': x[0], 'b': x[1]}\n    return set([row['b']])",
        "row['b'] is a tensor, hashed by identity: equal ones stay apart in a set: "
        "write row['b'].item()",
    ),
    "collected from what dicts in a list keep": (
        "rows = [{n: g.view(-1).data[0] for n in names if n} for g in given]\n"
        "    return set([row['b'] for row in rows])",
        "row['b'] is a tensor, hashed by identity: equal ones stay apart in a set: "
        "write row['b'].item()",
    ),
    "a list of elements": (
        "rows = [x[i] for i in range(3)]\n    return set(rows)", _APART.format("rows"),
    ),
    "written in a list": (
        "return set([x[0], 3])",
        "x[0] is a tensor, hashed by identity: equal ones stay apart in a set: write x[0].item()",
    ),
    "rows from a list": (
        "return set([y[i] for i in range(2)])",
        "y[i] is a tensor, hashed by identity: equal ones stay apart in a set",
    ),
    "same": ("return x[0] is x[1]", f"{_SAME}: write x[0] == x[1]"),
    "same rows": ("return y[0] is y[1]", _SAME),
    "not same": ("return given is not x[1]", f"{_SAME}: write given != x[1]"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "said"), _TOLD.values(), ids=_TOLD)
def test_tells(code: str, said: str) -> None:
    text = f"{_HEAD}{code}\n"
    (finding,) = advice("TP431", text)
    assert finding.message == said
    assert migrate(text, "TP431").text == text


_QUIET = {
    "numbers": "return set(x.tolist()), known[x[0].item()], int(x[1]) in seen, {int(i) for i in x}",
    "collected numbers": "return set([x[i].item() for i in range(3)]), set(int(i) for i in x)",
    "collected from what is not known": "return set([given[i] for i in range(3)]), set([given[0]])",
    "collected from an array": "return set([i for i in x.numpy()]), set([x.numpy()[0]])",
    "calculated of numbers": "return known[int(x[0]) + 1], [known.get(i + 1) for i in x.tolist()]",
    "a place calculated of an element": "return rows[x[0] + 1], rows[2][x[0] + 1]",
    "another is gone through": "print(rows[1].items())\n    return rows[2][x[0] + 1]",
    "another of that name is gone through": (
        "print(rows.items())\n    rows = given()\n    return rows[x[0] + 1]"
    ),
    "of what may be sparse": "print(rows.values())\n    return rows[x[0] + 1]",
    "two that are added": "return known[x[0] + names]",
    "sizes": "return set([y.shape[0], y.size(1)]), set(len(r) for r in y)",
    "a list of kept numbers": (
        "rows = [x[i].item() for i in range(3)]\n    return set(rows), {r for r in rows}"
    ),
    "a dict of numbers": "row = {'a': x[0].item(), 'b': x[1]}\n    return {row['a']}",
    "keys": "row = {n: x[0] for n in names}\n    return set(row), {n for n in row}",
    "a list of whole tensors": "rows = [x + i for i in range(3)]\n    return set(rows), {r for r in rows}",
    "a list that others fill": "rows = [x[0]]\n    given(rows)\n    return set(rows), {r for r in rows}",
    "a list with a number put in": "rows = [x[0]]\n    rows.append(3)\n    return set(rows), {r for r in rows}",
    "a list that is made of numbers": (
        "rows = [x[0]]\n    rows = [int(r) for r in rows]\n    return set(rows), {r for r in rows}"
    ),
    "a dict that is filled": "row = {'b': x[0]}\n    row['b'] = 3\n    return {row['b']}",
    "a list of arrays": "rows = [x.numpy()[i] for i in range(3)]\n    return set(rows), {r for r in rows}",
    "a list of parameters": (
        "rows = [p for p in torch.nn.Linear(2, 1).parameters()]\n    return set(rows), {r for r in rows}"
    ),
    "a list of elements": "return list([x[i] for i in range(3)]), sorted(x[i] for i in range(3))",
    "an array": "return set(x.numpy()), known.get(x.numpy()[0]), x.numpy()[0] in seen",
    "not known": "return set(given), known[given[0]], given[1] in seen, given[0] is given[1]",
    "a list of them": "return set([x, y]), set([given])",
    "several": "return set(x, y), Counter(given, **names)",
    "one number": "return set(x.sum())",
    "another set": "set = given\n    return set(x)",
    "another counter": "return given.Counter(x)",
    "compared": "return x[0] in [1, 2], x[0] in (3,), x[0] == x[1], x[1] in y",
    "none": "return x[0] is None, x[1] is not None",
    "the whole": "return x is y, known.get(x), x in seen",
    "of what is not known": "return rows[x[0]], rows.get(x[0]), x[0] in rows",
    "of a list": "rows = [1, 2, 3]\n    return rows[x[0]], [rows[i] for i in x]",
    "of a tensor": "return y[x[1]]",
    "stored": "known[x[0]] = 1",
    "stored before": "i = x[0]\n    known[i] = 1\n    return known[i]",
    "stored by a loop": "for i in x:\n        seen.add(i)\n        print(i in seen)",
    "put into a list": "i = x[0]\n    rows = [i]\n    return known[i]",
    "stored in a loop inside": (
        "for i in x:\n        for k in given:\n            if i in seen: break\n            seen.add(i)"
    ),
    "by one way only": "i = x[0] if given else 3\n    return known[i]",
    "by one of two": "i = 3\n    if given: i = x[0]\n    return known[i]",
    "by one of two tensors": "i = x[0]\n    if given: i = rows.detach()\n    return known[i]",
    "calculated": "i = 3\n    i += 1\n    return known[i]",
    "collected otherwise": "return {i.item() for i in x}, {k for k in given}, [i for i in x]",
}


@pytest.mark.parametrize("code", _QUIET.values(), ids=_QUIET)
def test_is_quiet(code: str) -> None:
    assert not advice("TP431", f"{_HEAD}{code}\n")


def test_old_numbers_are_listed_as_numbers() -> None:
    text = """
        import torch
        from torch.autograd import Variable
        x = torch.LongTensor([2, 0, 2])
        y = Variable(x, volatile=True)
        met, found = {}, []
        for i in x:
            if i in met:
                met[i] += 1
            else:
                met[i] = 1
                found.append(i)
                found = found + [i]
        """
    (finding,) = advice("TP431", text)
    assert finding.line == 6
    assert finding.message == f"{_NOT_FOUND.format('x')}: write x.tolist()"


def test_where_numbers_are_kept_tp103_writes_it() -> None:
    text = f"{_HEAD}words = {{0: 'a', 1: 'b'}}\n    return words[x[0]], len(x)\n"
    migration = migrate(text, "TP103", "TP431")
    assert migration.text == text.replace("words[x[0]]", "words[x[0].item()]")
    assert not [f for f in migration.findings if not f.fixed]


_WORDS = """\
class Words:
    def __init__(self):
        self.labels = {}
    def add(self, label, index):
        self.labels[index] = label
    def label(self, index, default=None):
        try:
            return self.labels[index]
        except KeyError:
            return default
    def put(self, index):
        self.labels[index] = self.labels.get(index, 0) + 1
        return self.labels[index]
    def all_labels(self, indices):
        return [self.label(index) for index in indices]
    def first(self, indices):
        return self.labels[indices[0]]
"""


@pytest.mark.parametrize(
    ("code", "is_told"),
    [
        ("words = Words()\nfor i in torch.arange(3): words.label(i)", True),
        ("words = Words()\nfor i in torch.arange(3): words.label(index=i)", True),
        ("words = Words()\nx = torch.arange(3)\nprint(words.label(x[0], 2))", True),
        ("words = Words()\nfor i in torch.arange(3): words.label(i.item())", False),
        ("words = Words()\nfor i in torch.arange(3).tolist(): words.label(i)", False),
        ("words = Words()\nfor i in torch.arange(3): words.label(3, i)", False),
        ("words = Words()\nfor i in given: words.label(i)", False),
        ("words = Words()\nprint([words.label(i) for i in torch.arange(3)])", True),
        ("for i in torch.arange(3): given.label(i)", False),
        ("words = Words()\nfor i in torch.arange(3): words.add('a', i)", False),
        ("words = Words()\nfor i in torch.arange(3): words.put(i)", False),
    ],
)
def test_a_parameter_that_calls_give_an_element(code: str, is_told: bool, tmp_path: Path) -> None:
    words, main = tmp_path / "words.py", tmp_path / "main.py"
    words.write_text(_WORDS, "utf-8")
    main.write_text(f"import torch\nfrom words import Words\n{code}\n", "utf-8")
    result = migrate_file(main, Settings(select=("TP431",)), write=False)
    told = [finding.message for finding in result.findings]
    assert bool(told) is is_told
    for message in told:
        found = " is a tensor, hashed by identity, which line 8 of words.py does not find: write "
        assert found in message and message.endswith(".item()")


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("words.all_labels(torch.arange(3))", [16]),
        ("words.first(indices=torch.arange(3))", [18]),
        ("words.all_labels(torch.arange(3))\nwords.all_labels([1, 2])", []),
        ("words.all_labels(torch.arange(3).tolist())\nwords.first(given)", []),
        ("words.first(torch.arange(3))\ngiven.first([1, 2])", []),
    ],
)
def test_a_parameter_for_which_all_calls_give_a_tensor(
    code: str, lines: list[int], tmp_path: Path
) -> None:
    words, main = tmp_path / "words.py", tmp_path / "main.py"
    words.write_text(f"import torch\n{_WORDS}", "utf-8")
    main.write_text(f"import torch\nfrom words import Words\nwords = Words()\n{code}\n", "utf-8")
    found = migrate_file(words, Settings(select=("TP431",)), write=False).findings
    assert [finding.line for finding in found] == lines


def test_what_a_loader_gives_may_be_a_list_of_texts() -> None:
    text = """
        import torch
        from torch.utils.data import DataLoader
        loader = DataLoader(dataset=own(), batch_size=4)
        seen = {}
        for step, (images, names, sizes) in enumerate(loader):
            for i in range(4):
                name = names[i]
                if name not in seen:
                    seen[name] = images[i]
            for size in set(sizes):
                print(size)
        """
    assert not advice("TP431", text)


_SAMPLES = """
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.datasets import ImageFolder
from tqdm import tqdm
class Own(Dataset):
    def __getitem__(self, i):
        return torch.zeros(3), i, self.paths[i]
kept = {}
loader = DataLoader(MADE, batch_size=4)
"""


@pytest.mark.parametrize(
    ("made", "loop", "is_told"),
    [
        ("given", "for i, (x, y, z) in tqdm(enumerate(loader)): kept[z[int(i / 2)]] += 1", False),
        ("given", "for x, y, z in tqdm(loader): print(kept[z[0]])", False),
        ("Own()", "for i, (x, y, z) in tqdm(enumerate(loader)): print(kept[z[0]])", False),
        ("ImageFolder('d', None, own)", "for x, y in tqdm(loader): print(kept[y[0]])", False),
        ("ImageFolder('d', target_transform=f)", "for x, y in loader: print(kept[y[0]])", False),
        ("ImageFolder('d')", "for x, y in tqdm(loader): print(kept[y[0]])", True),
        ("ImageFolder('d')", "for i, (x, y) in enumerate(loader): print(kept[y[0]])", True),
        ("given", "for x, y in loader: print(kept[y.max(1)[1][0]])", True),
    ],
)
def test_which_part_of_a_batch_is_a_tensor(made: str, loop: str, is_told: bool) -> None:
    assert bool(advice("TP431", _SAMPLES.replace("MADE", made) + loop)) is is_told


def test_the_part_of_a_batch_that_the_samples_give_as_numbers() -> None:
    text = """
        import torch
        from torch.utils.data import DataLoader, Dataset
        class Own(Dataset):
            def __getitem__(self, i):
                return torch.zeros(3), int(i), str(i)
        kept = {}
        for x, y, z in DataLoader(Own(), batch_size=4):
            print(kept[y[0]])
            print(kept[z[0]])
        """
    assert [finding.line for finding in advice("TP431", text)] == [8]


def test_an_index_that_raises_is_told_as_such_alone() -> None:
    text = """
        import torch
        names = {0: "cat", 1: "dog"}
        given = dict(found)
        p = torch.stack([a.squeeze(), b.squeeze()]).max(dim=0)[0]
        print(given[p.max(0)[1].data[0]])
        """
    assert not advice("TP431", text)
    assert [finding.line for finding in advice("TP103", text)] == [5]
