"""What Python 2 made a list, used as one where Python 3 can read the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = (
    "import numpy as np\nimport torch\nx = torch.autograd.Variable(torch.ones(2))\nline = '1 2'\n"
)


def _told(text: str) -> list[tuple[int, str]]:
    found = migrate(_HEAD + text).findings
    return [(f.line, f.message) for f in found if f.code == "TP005"]


@pytest.mark.parametrize(
    ("text", "name", "raising"),
    [
        ("xs = map(float, line.split())\ny = xs[0]\n", "map", "xs[0]"),
        ("xs = filter(None, line.split())\ny = len(xs)\n", "filter", "len(xs)"),
        ("y = zip(line, line)[0]\n", "zip", "zip(line, line)[0]"),
        ("a = b = map(float, line.split())\ny = b[1:]\n", "map", "b[1:]"),
        (
            "xs = map(float, line.split())\nxs = np.array(xs, dtype=np.float32)\n",
            "map",
            "np.array(xs, dtype=np.float32)",
        ),
        (
            "y = np.asarray(map(int, line.split()), int)\n",
            "map",
            "np.asarray(map(int, line.split()), int)",
        ),
        ("xs = map(float, line.split())\ny = xs + [1]\n", "map", "xs + [1]"),
        ("y = map(int, line.split()) + list(line)\n", "map", "map(int, line.split()) + list(line)"),
        ("xs = zip(line, line)\ny = [z for z in line] + xs\n", "zip", "[z for z in line] + xs"),
    ],
)
def test_an_iterator_that_is_used_as_a_list_is_told(text: str, name: str, raising: str) -> None:
    ((at, said),) = _told(text)
    call = text.partition("= ")[2].partition("\n")[0].removeprefix("b = ")
    assert at == 5
    assert said.startswith(f"{name}() gives no list on Python 3, and {raising} raises")
    given: dict[str, object] = {}
    exec(_HEAD, given)
    with pytest.raises(TypeError):
        exec(text, given)
    written = said.partition("write list(")[2].removesuffix(")")
    assert written in call
    exec(text.replace(written, f"list({written})"), given)


_GIVEN_IN_BRANCH = """\
def f(n, xs, ys):
    xs = tuple(n)
    {branch}
    {use}
    return xs
"""


@pytest.mark.parametrize("use", ["y = xs[0]", "y = len(xs)", "for z in n: y = xs[0]"])
def test_what_a_branch_makes_an_iterator_is_told_where_all_ways_read_it(use: str) -> None:
    branch = "if n: xs = map(float, xs)"
    ((at, said),) = _told(_GIVEN_IN_BRANCH.format(branch=branch, use=use))
    assert (at, said[-28:]) == (7, ": write list(map(float, xs))")
    given: dict[str, object] = {}
    exec(_HEAD + _GIVEN_IN_BRANCH.format(branch=branch, use=use), given)
    with pytest.raises(TypeError):
        given["f"]([1], [], [])  # type: ignore[operator]


@pytest.mark.parametrize(
    ("branch", "use"),
    [
        ("if n: xs = map(float, xs)", "if ys: y = xs[0]"),
        ("if n: xs = map(float, xs)", "y = ys and xs[0]"),
        ("if n: xs = map(float, xs)", "y = tuple(xs)[0]"),
        ("xs = map(float, xs)\n    if n: xs = list(xs)", "y = xs[0]"),
        ("if n: xs = map(float, xs)\n    if n: xs = list(xs)", "y = xs[0]"),
        ("for z in n:\n        xs = map(float, xs)\n        if z: xs = list(xs)", "y = xs[0]"),
    ],
)
def test_what_a_branch_makes_an_iterator_may_be_one_nowhere_else(branch: str, use: str) -> None:
    assert _told(_GIVEN_IN_BRANCH.format(branch=branch, use=use)) == []


def test_an_iterator_that_is_sorted_as_a_list_is_told() -> None:
    text = "xs = filter(None, line)\nxs.sort()\n"
    ((_, said),) = _told(text)
    assert said == (
        "filter() gives no list on Python 3, and xs.sort raises AttributeError: "
        "write list(filter(None, line))"
    )
    given: dict[str, object] = {}
    with pytest.raises(AttributeError):
        exec(_HEAD + text, given)
    exec(_HEAD + text.replace("filter(None, line)", "list(filter(None, line))"), given)


def test_it_is_told_once_with_the_other_lines() -> None:
    text = "xs = map(float, line)\ny = xs[0]\nzs = map(int, line)\ny = zs[0]\n"
    ((at, said),) = _told(text)
    assert at == 5 and said.endswith("write list(map(float, line)), and so in line 7")


@pytest.mark.parametrize(
    ("below", "more"),
    [
        ("ks = net.params.keys()\ny = ks[i]\n", ", and so in line 7 if net.params is a dict"),
        (
            "y = net.values()[0]\ny = net.values()[1]\n",
            ", and so in lines 7, 8 if net is a dict",
        ),
        ("y = net.values()['a']\n", ""),
        ("ks = net.keys()\nks = list(ks)\ny = ks[0]\n", ""),
        ("ks = net.keys(3)\ny = ks[0]\n", ""),
        ("for k in net.keys():\n    y = net[k]\n", ""),
        ("y = torch.ones(3, 3).values()[0]\n", ""),
        ("try:\n    y = net.keys()[0]\nexcept TypeError:\n    pass\n", ""),
    ],
)
def test_what_is_not_known_may_be_a_dict(below: str, more: str) -> None:
    ((at, said),) = _told("xs = map(float, line)\ny = xs[0]\n" + below)
    assert at == 5 and said.endswith("write list(map(float, line))" + more)


def test_what_is_not_known_is_not_told_alone() -> None:
    assert _told("ks = net.params.keys()\ny = ks[0]\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "xs = list(map(float, line))\ny = xs[0]\n",
        "xs = map(float, line)\nxs = list(xs)\ny = xs[0]\n",
        "xs = map(float, line)\nif x:\n    xs = [1]\ny = xs[0]\n",
        "xs = map(float, line)\nfor each in xs:\n    y = each\n",
        "xs = map(float, line)\ny = np.array(xs, dtype=object)\n",
        "xs = range(3)\ny = np.array(xs)\n",
        "import random\nxs = range(3)\ny = random.choice(xs)\n",
        "import random\nxs = list(range(3))\nrandom.shuffle(xs)\n",
        "xs = np.arange(3)\nnp.random.shuffle(xs)\n",
        "xs = list(range(3))\nxs[0] = 1\n",
        "xs = [range(3)]\nxs[0] = 1\n",
        "xs = {range(3): 1}\n",
        "d = {}\ny = list(d.keys())[0]\nz = len(d.keys())\n",
        "d = {}\ny = d.keys() | words\n",
        "d = {}\nfor k in sorted(d.items()):\n    y = k[0]\n",
        "d = read(line)\ny = d.keys()[0]\n",
        "import numpy as np\nd = np.load(line) if line else []\ny = d.items()[0]\n",
        "import numpy as np\ny = np.load(line).values()[0]\n",
        "import numpy as np\nwith open(line) as d:\n    y = d.items()[0]\n",
        "import numpy as np\nwith np.load(line) as (d, e):\n    y = d.items()[0]\n",
        "import numpy as np\nfor d in np.load(line):\n    y = d.items()[0]\n",
        "import numpy as np\nfor y in np.load(line).items():\n    print(y)\n",
        "def f(d):\n    return d.keys()[0]\n",
        "d = {}\nd = table(line)\ny = d.values()[0]\n",
        "class D(dict):\n    pass\nd = D()\ny = d.keys()[0]\n",
        "d = {}\nd['keys'].sort()\n",
        "d = {}\ny = d.values().mapping\n",
        "y = map(float, line)\n",
        "print(map(float, line))\n",
        "map(line)\n",
        "def map(f, xs): ...\nmap(float, line)\n",
        "def f(n):\n    return n\n    y = map(float, line)[0]\n",
        "xs = map(float, line)\ny = words[xs]\n",
        "xs = map(float, line)\ny = words + xs\n",
        "xs = map(float, line)\ny = [1]\ny += xs\n",
        "xs = map(float, line)\ny = xs.__iter__()\n",
        "xs = list(map(float, line)) + [1]\nxs.sort()\n",
        "xs = range(3)\ny = xs[0] + len(xs)\nz = xs.index(1)\n",
        "y = np.array(range(3), dtype=float)\n",
        "y = words + range(3)\n",
        "y = [1] + list(range(3))\n",
        "try:\n    y = map(float, line) + [1]\nexcept TypeError:\n    y = 0\n",
        "def map(f, xs): ...\nxs = map(float, line)\ny = xs[0]\n",
        "from past.builtins import map\nxs = map(float, line)\ny = xs[0]\n",
        "from past.builtins import *\nxs = map(float, line)\ny = xs[0]\n",
        "try:\n    y = map(float, line)[0]\nexcept TypeError:\n    y = 0\n",
        "import sys\nif sys.version_info[0] == 2:\n    y = map(float, line)[0]\n",
        "xs = map(float, line)\ntry:\n    y = xs[0]\nexcept TypeError:\n    y = 0\n",
    ],
)
def test_other_iterators_are_not(text: str) -> None:
    assert not _told(text)


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("y = [0] * 3 + range(4)\n", "[0] * 3 + range(4)"),
        ("y = range(4) + [0]\n", "range(4) + [0]"),
        ("xs = range(4)\nxs.append(4)\n", "xs.append"),
        ("import random\nxs = range(4)\nrandom.shuffle(xs)\n", "random.shuffle(xs)"),
        ("import numpy as np\nxs = range(4)\nnp.random.shuffle(xs)\n", "np.random.shuffle(xs)"),
        ("xs = range(4)\nxs[1] = 4\n", "xs[1]"),
        ("xs = range(4)\ndel xs[1]\n", "xs[1]"),
    ],
)
def test_a_range_is_no_list_either(text: str, use: str) -> None:
    ((_, said),) = _told(text)
    error = AttributeError if "append" in use else TypeError
    assert said == (
        f"range() gives no list on Python 3, and {use} raises {error.__name__}: "
        "write list(range(4))"
    )
    with pytest.raises(error):
        exec(text, {})
    exec(text.replace("range(4)", "list(range(4))"), {})


@pytest.mark.parametrize(
    ("text", "name", "use"),
    [
        ("y = d.keys()[0]\n", "keys", "d.keys()[0]"),
        ("y = d.values() + [1]\n", "values", "d.values() + [1]"),
        ("y = d.keys() + d.keys()\n", "keys", "d.keys() + d.keys()"),
        ("xs = d.items()\nxs.sort()\n", "items", "xs.sort"),
        ("import random\ny = random.choice(d.keys())\n", "keys", "random.choice(d.keys())"),
        ("y = torch.FloatTensor(d.values())\n", "values", "torch.FloatTensor(d.values())"),
        ("y = np.mean(d.values())\n", "values", "np.mean(d.values())"),
    ],
)
def test_a_view_of_a_dict_is_no_list(text: str, name: str, use: str) -> None:
    text = "d = {}\nd[1] = 2.5\n" + text
    ((_, said),) = _told(text)
    error = AttributeError if "sort" in use else TypeError
    view = f"d.{name}()"
    assert said == (
        f"{name}() gives no list on Python 3, and {use} raises {error.__name__}: write list({view})"
    )
    with pytest.raises(error):
        exec(_HEAD + text, {})
    exec(_HEAD + text.replace(view, f"list({view})"), {})


@pytest.mark.parametrize("made", ["map(float, '12')", "zip([1], [2])", "filter(None, [1])"])
def test_an_array_of_an_iterator_is_one_object(made: str) -> None:
    ((_, said),) = _told(f"y = np.asarray({made})\n")
    name = made.partition("(")[0]
    assert said == (
        f"{name}() gives no list on Python 3, and np.asarray({made}) is an array of one object: "
        f"write list({made})"
    )
    given: dict[str, object] = {}
    exec(f"{_HEAD}old, new = np.asarray({made}), np.asarray(list({made}))", given)
    assert given["old"].shape == () and given["new"].shape != ()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["argmax", "max", "min"])
def test_numpy_takes_a_view_for_one_object(name: str) -> None:
    text = f"d = {{'a': 1, 'b': 3}}\ny = np.{name}(d.values())\n"
    ((_, said),) = _told(text)
    assert said == (
        f"values() gives no list on Python 3, and np.{name}(d.values()) takes it for one object: "
        "write list(d.values())"
    )
    given: dict[str, object] = {}
    exec(f"{_HEAD}{text}z = np.{name}(list(d.values()))", given)
    assert str(given["y"]) != str(given["z"])


def test_an_element_by_the_place_of_another_needs_both_lists() -> None:
    ((_, said),) = _told("d = {1: 2.5, 2: 7}\ny = d.items()[np.argmax(d.values())][0]\n")
    assert said.endswith(" raises TypeError: write list(d.items()) and list(d.values())")


@pytest.mark.parametrize(
    "use",
    [
        "np.argmax(range(3))",
        "np.argmax(list(d.values()))",
        "max(d.values())",
    ],
)
def test_what_goes_through_a_view_needs_no_list(use: str) -> None:
    assert not _told(f"d = {{1: 2.5}}\ny = {use}\n")


def test_what_nothing_goes_through_is_told_apart() -> None:
    text = "xs = []\nmap(xs.append, [1])\ny = map(int, line)[0]\nfilter(xs.append, [1])\n"
    idle, raising = sorted(_told(text))
    assert idle == (
        6,
        "map() gives no list on Python 3, and calls nothing before it is gone through: "
        "write list(map(xs.append, [1])), and so for filter() in line 8",
    )
    assert raising[0] == 7
    given: dict[str, list[int]] = {}
    exec("xs = []\nmap(xs.append, [1])\nys = []\nlist(map(ys.append, [1]))", given)
    assert given["xs"] == [] and given["ys"] == [1]


_KEPT = """\
import torch
x = torch.autograd.Variable(torch.ones(2))
class A:
    def f(self, n):
        self.x = range(n)
    def g(self, other):
        {use}
"""


@pytest.mark.parametrize(
    ("use", "count"),
    [
        ("self.x.sort()", 1),
        ("self.x[0] = 1", 1),
        ("other.x.sort()", 0),
        ("return self.x[0]", 0),
        ("self.x = list(self.x); self.x.sort()", 0),
        ("self.x = [1]\n    def h(self):\n        self.x.sort()", 0),
    ],
)
def test_an_attribute_that_is_only_given_a_range_is_one(
    tmp_path: Path, use: str, count: int
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text(_KEPT.format(use=use))
    found = migrate_file(tmp_path / "a.py", Settings(), write=False).findings
    assert [f.line for f in found if f.code == "TP005"] == [5] * count
    (tmp_path / "b.py").write_text("from a import A\na = A()\na.x = [1]\n")
    found = migrate_file(tmp_path / "a.py", Settings(), write=False).findings
    assert not [f for f in found if f.code == "TP005"]


@pytest.mark.parametrize(
    "line",
    [
        "y = np.load(path).items()[0][1]",
        "d = np.load(path)\ny = d.items()[0][1]",
        "with np.load(path) as d:\n    y = d.items()[0][1]",
        "y = np.load(path).keys()[0][1:]",
    ],
)
def test_arrays_that_numpy_loads_are_no_list(line: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.zeros(2))
    ((_, said),) = _told(f"import numpy as np\n{line}\n")
    view = line.partition("y = ")[2].partition("[")[0]
    method = view.removesuffix("()").rpartition(".")[2]
    raises = f"{method}() gives no list on Python 3, and {view}[0] raises TypeError: "
    assert said == f"{raises}write list({view})"
    given = {"np": np, "path": tmp_path / "a.npz"}
    with pytest.raises(TypeError):
        exec(line, given)
    exec(line.replace(view, f"list({view})"), given)


@pytest.mark.parametrize(
    ("opened", "table", "is_told"),
    [
        ("open(path, 'rb')", "csv.reader(f)", True),
        ("open(path, mode='rb')", "csv.reader(f, delimiter=';')", True),
        ("open(path)", "csv.reader(f)", False),
        ("open(path, 'r')", "csv.reader(f)", False),
        ("open(path, 'rb')", "iter(f)", False),
    ],
)
def test_a_table_of_bytes_fails_as_well(opened: str, table: str, is_told: bool) -> None:
    text = f"import csv\nwith {opened} as f:\n    rows = {table}\n    xs = map(tuple, rows)\ny = xs[1:]\n"
    ((line, said),) = _told(text)
    assert line == 8
    fails = "; reader takes text: open(..., 'r', newline='') in line 6"
    assert said.endswith(f"write list(map(tuple, rows)){fails if is_told else ''}")


@pytest.mark.parametrize(
    ("total", "lists"),
    [
        ("range(2) + range(4, 6)", ["range(2)", "range(4, 6)"]),
        ("range(2) + range(4, 6) + range(8, 9)", ["range(2)", "range(4, 6)", "range(8, 9)"]),
        ("range(2) + range(4, 6) * 2", ["range(2)", "range(4, 6)"]),
        ("[0] + range(4, 6)", ["range(4, 6)"]),
        ("range(2) + list(range(4, 6))", ["range(2)"]),
        ("3 * zip(line, line)", ["zip(line, line)"]),
    ],
)
def test_all_of_a_line_that_has_to_be_a_list_is_named(total: str, lists: list[str]) -> None:
    ((_, said),) = _told(f"y = {total}\n")
    written = [f"list({made})" for made in lists]
    *first, last = written
    assert said.endswith(f": write {', '.join(first)}{' and ' if first else ''}{last}")
    given: dict[str, object] = {}
    exec(_HEAD, given)
    with pytest.raises(TypeError):
        exec(f"y = {total}", given)
    for made in lists:
        total = total.replace(made, f"list({made})", 1)
    exec(f"y = {total}", given)


@pytest.mark.parametrize("total", ["range(2) * n", "n + range(3)", "np.ones(2) + range(2)"])
def test_what_may_be_calculated_with_an_array_is_not_told(total: str) -> None:
    assert _told(f"import numpy as np\ndef f(n):\n    return {total}\n") == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("rows = [map(len, ws) for ws in line]\ny = torch.LongTensor(rows)\n", "rows"),
        (
            "rows = [map(len, ws) for ws in line]\nn = max(map(max, rows))\n"
            "y = torch.FloatTensor(rows)\n",
            "rows",
        ),
        ("y = torch.Tensor([zip(ws, ws) for ws in line])\n", ""),
    ],
)
def test_a_tensor_of_iterators(text: str, name: str) -> None:
    ((at, said),) = _told(text)
    assert said.startswith(("map() gives no list", "zip() gives no list"))
    assert "raises TypeError: write list(" in said and name in said
    assert at == 5
    with pytest.raises(TypeError):
        exec(_HEAD + text, {})


@pytest.mark.parametrize(
    "text",
    [
        "rows = [list(map(len, ws)) for ws in line]\ny = torch.LongTensor(rows)\n",
        "rows = [range(3) for ws in line]\ny = torch.LongTensor(rows)\n",
        "rows = [map(len, ws) for ws in line]\nn = max(map(max, rows))\n",
        "rows = [map(len, ws) for ws in line]\nrows = [list(r) for r in rows]\n"
        "y = torch.LongTensor(rows)\n",
        "rows = [map(len, ws) for ws in line]\nfor i in range(3):\n    rows[i] = list(rows[i])\n"
        "y = torch.LongTensor(rows)\n",
        "rows = [map(len, ws) for ws in line]\nif x:\n    rows = [[1]]\n"
        "y = torch.LongTensor(rows)\n",
        "y = torch.LongTensor([max(map(len, ws)) for ws in line])\n",
    ],
)
def test_a_tensor_of_lists_or_of_what_may_be_lists(text: str) -> None:
    assert _told(text) == []
