"""Python 2: loops through dicts that a function has for itself need no list."""

from __future__ import annotations

import textwrap

import pytest

from tests.documents.test_python2 import converted
from torchfix_codemods.documents.python2 import to_python3

pytest.importorskip("fissix")


def _loop(lines: str) -> str:
    text = f"print 1\n{textwrap.dedent(lines).strip()}\n"
    return next(line for line in to_python3(text).text.splitlines() if "for " in line)


@pytest.mark.parametrize(
    "made",
    [
        *("{}", "{1: 2}", "dict(net.named_parameters())", "defaultdict(list)"),
        *("OrderedDict()", "collections.OrderedDict(x)"),
    ],
)
@pytest.mark.parametrize(
    "done",
    [
        *("yield v", "v.remove()", "g(k, d[k])", "d[k] = g(v)"),
        *("y = g(v); y[0] /= 2", "x.y[v] = k", "e = defaultdict(lambda: 0); yield e"),
    ],
)
def test_what_is_called_does_not_see_a_dict_that_nobody_is_given(made: str, done: str) -> None:
    loop = _loop(
        f"def f(net, x):\n    d = {made}\n    d[3] = x\n    for k, v in d.items():\n        {done}"
    )
    assert loop.strip() == "for k, v in d.items():"


@pytest.mark.parametrize(
    "lines",
    [
        "d = {}\nx(d)\nfor k, v in d.items():\n    yield v",
        "d = x.d = {}\nfor k, v in d.items():\n    yield v",
        "d = {}\nx.d = d\nfor k, v in d.items():\n    yield v",
        "d = {}\nd = x\nfor k, v in d.items():\n    yield v",
        "d = {}\nif x:\n    d = {}\nfor k, v in d.items():\n    yield v",
        "d = x or {}\nfor k, v in d.items():\n    yield v",
        "d = dict\nfor k, v in d.items():\n    yield v",
        "d = dict(x).y()\nfor k, v in d.items():\n    yield v",
        "d = defaultdict(list)\nfor k, v in d.items():\n    yield d[0]",
        "d = {}\nx.y = d\nfor k, v in d.items():\n    x.y[v] = k",
        "d = {}\nfor k, v in d.items():\n    d.pop(k)",
        "d = {}\nfor k, v in d.items():\n    del d[k]",
        "d = {}\nfor k, v in d.items():\n    d[v] = k\n    yield v",
        "d = {}\ndef g(k): d[k] = 1\nfor k, v in d.items():\n    g(v)",
        "d = {}\ng = lambda k: d.setdefault(k, 1)\nfor k, v in d.items():\n    g(v)",
        "global d\nd = {}\nfor k, v in d.items():\n    x(v)",
        "d, e = {}, d\nfor k, v in d.items():\n    yield v",
    ],
)
def test_what_others_may_change_is_gone_through_in_a_list(lines: str) -> None:
    loop = _loop("def f(x):\n" + textwrap.indent(lines, "    "))
    assert loop.strip() == "for k, v in list(d.items()):"


def test_a_dict_of_the_module_is_gone_through_in_a_list() -> None:
    assert _loop("d = {}\nfor k, v in d.items():\n    g(v)") == "for k, v in list(d.items()):"


def test_a_new_dict_of_collections_is_another_one_than_that_which_a_loop_goes_through() -> None:
    lines = "def f(x):\n    d = collections.OrderedDict()\n    for k, v in x['a'].items():\n        d[k] = v"
    assert _loop(lines).strip() == "for k, v in x['a'].items():"


@pytest.mark.parametrize(
    "lines",
    [
        "for k in x['a'].keys():\n    x['a'][k] = 1",
        "for k, v in x['a'].items():\n    self.d['a'][k] = v",
        "for k in x.keys():\n    y[k] += 1",
        "for k in x.keys():\n    x[k][0] = 1",
        "y = np.zeros(3)\nfor k in x.keys():\n    y[0, self.at[k]] = 1\nreturn [y, x]",
        "y = {}\nfor k in x.keys():\n    y[0] = 1",
        "for k in x.items():\n    y[0].set_value(k[1].get_value())",
        "for a, k in zip(y, x.keys()):\n    print(k)",
        "for a, k in enumerate(x.keys()):\n    print(k)",
        "for a, k in enumerate(x.keys()):\n    f(k, x[k] == 1)\n    z.x.pop(k)",
    ],
)
def test_a_loop_that_leaves_its_dict_alone(lines: str) -> None:
    """What is stored under the key of a loop is there already, whatever the dict is called."""
    others = "def g(y, x):\n    y = x\n"
    for before in ("", others):
        assert "list(" not in converted(f"print 1\n{before}def f(x, self):\n{_indented(lines)}\n")


@pytest.mark.parametrize(
    "lines",
    [
        "for k in x['a'].keys():\n    k = k.lower()\n    x['a'][k] = 1",
        "for k in x.keys():\n    for k in y:\n        z[k] = 1",
        "for k in x.keys():\n    k, v = v, k\n    z[k] = 1",
        "for k in x.keys():\n    x['a'] = 1",
        "for k in x['a'].keys():\n    x['a'][k + 1] = 1",
        "global y\ny = {}\nfor k in x.keys():\n    y[0] = 1",
        "y = {}\nif k: y = x\nfor k in x.keys():\n    y[0] = 1",
        "y, z = {}, x\nfor k in x.keys():\n    z[0] = 1",
        "for k in x.keys():\n    x[k] = 1\n    del x[0]",
        "for a, k in zip(y, x.keys()):\n    x.pop(k)",
        "for a, k in enumerate(x.keys()):\n    x.pop(k)",
        "for a, k in enumerate(zip(y, x.keys())):\n    x.pop(k)",
        "for a, k in enumerate(x.keys()):\n    if f(k): del x[k]",
        "for a, k in enumerate(x.keys()):\n    x[a] = f(k)",
        "a = iter(zip(x.keys(), y))",
    ],
)
def test_a_loop_that_may_change_its_dict(lines: str) -> None:
    now = converted(f"print 1\ndef f(x, y, z):\n{_indented(lines)}\n")
    assert now.count("list(") == 1


_CALLED = """class A:
    def __init__(self):
        self.rows = {}
    def count(self, k, y):
        n = {}
        for v in y: n[v] = k.size(0)
        return n
    def add(self, k): self.rows[k] = 1
    def both(self, k): return self.count(k, self.add(k))
    def run(self, x, y):
        for k in x.keys(): BODY
def find(k, y): return max(k, y)
def grow(k, y): k[0] = y
def find_again(k, y): return find(k, grow(k, y))
find_other = find_again
def given(k, y): return y
given = grow
"""


@pytest.mark.parametrize(
    ("body", "is_list"),
    [
        ("self.count(k, y)", False),
        ("find(k, y)", False),
        ("y.dim()", False),
        ("self.add(k)", True),
        ("self.both(k)", True),
        ("self.other(k)", True),
        ("y.count(k, y)", True),
        ("grow(k, y)", True),
        ("find_again(k, y)", True),
        ("find_other(k, y)", True),
        ("given(k, y)", True),
        ("A(k, y)", True),
    ],
)
def test_a_loop_calls_what_the_file_says(body: str, is_list: bool) -> None:
    """A dict that was handed over may be any that the class keeps, by another name."""
    assert ("list(" in converted("print 1\n" + _CALLED.replace("BODY", body))) is is_list


@pytest.mark.parametrize("line", ["dict(zip(x.keys(), y))", "sorted(zip(y, x.values()))"])
def test_what_is_gone_through_at_once(line: str) -> None:
    assert converted(f"print 1\nx = {line}\n") == f"print(1)\nx = {line}\n"


def test_what_is_drawn_or_an_index_is_no_list() -> None:
    text = (
        "plt.plot(range(n), y, 'r')\nplt.xticks(ticks=range(n))\nx[range(n), y] = 1\n"
        "ax.set_xticklabels(range(n), rotation=40)\nsorted(zip(x, range(n)), key=f)\n"
        "parser.add_argument('--mode', choices=range(n))\nnp.append(x, range(n))\n"
    )
    assert converted("print 1\n" + text) == "print(1)\n" + text
    others = (
        "y.plot(range(n))\nx[range(n)]\nplt.f(range(n))\n"
        "parser.add_argument('--mode', default=range(n))\nf(choices=range(n))\n"
        "np.random.shuffle(range(n))\nx.append(range(n))\nf(y, zip, range(n))\n"
    )
    lists = others.replace("range(n)", "list(range(n))")
    assert converted("print 1\n" + others) == "print(1)\n" + lists


_DRAW = "def draw(path, numbers={0}):\n    for i in numbers: print(i)\ndef keep(x): return x\n"


@pytest.mark.parametrize(
    "lines",
    [
        "draw(x, a)",
        "draw(path=x, numbers=a)",
        "len(a), [i for i in a], 1 in a, {i for j in a for i in a}",
        "for i in a: pass\nreturn sum(i for i in a)",
        "x.a = set(a)\nx(a=1)",
        "if x: a = []",
        "if len(a) > 2: a = np.random.choice(a, size=2)\nfor i in a: print(i)",
        "b = np.setdiff1d(a, x)\nfor b in zip(x, a): print(b)\nplt.plot(a, x)",
    ],
)
def test_a_name_that_is_only_gone_through(lines: str) -> None:
    text = _DRAW.format("range(1, 4)") + "def f(x):\n" + _indented(f"a = range(3)\n{lines}\n")
    assert "list(" not in converted("print 1\n" + text)


@pytest.mark.parametrize(
    "lines",
    [
        "keep(a)",
        "other(a)",
        "draw(*a)\nreturn a",
        "x.draw(x, a)",
        "draw(x, 1, a)",
        "a[0] = 1",
        "a += x",
        "if x: a = a + [1]",
        "a = []\na.append(x)",
        "np.random.shuffle(a)",
        "np.testing.assert_equal(x, a)",
        "x[a] = 1",
        "b = a",
        "random.shuffle(a)",
        "a, b = a, 1",
        "return a",
        "global a",
        "lambda: [i for i in a]",
        "def g():\n    for i in a: pass\nreturn g",
        "return (i for i in a)",
        "print(a)",
        "return a == x",
    ],
)
def test_a_name_of_which_more_is_asked(lines: str) -> None:
    text = _DRAW.format("0") + "def f(x):\n" + _indented(f"a = range(3)\n{lines}\n")
    assert converted("print 1\n" + text).count("a = list(range(3))") == 1


def test_a_default_of_which_more_is_asked() -> None:
    text = (
        "def f(x, numbers={}, last=1): return numbers[1:]\nclass A:\n    sizes = {}\nsizes = {}\n"
    )
    now = text.format(*["list(range(3))"] * 3)
    assert converted("print 1\n" + text.format(*["range(3)"] * 3)) == "print(1)\n" + now


@pytest.mark.parametrize(
    ("lines", "is_list"),
    [
        ("for i in d:\n    a = d[i].keys()\n    if set(a): return len(a)", False),
        ("a = d.keys()\nfor i in a: print(i)", False),
        ("a = d.keys()\nfor i in a: d.pop(i)", True),
        ("a = d.keys()\nd[0] = 1\nfor i in a: print(i)", True),
        ("a = d.keys()\na.sort()", True),
        ("for i in d:\n    a = d[i].keys()\n    set(a).union(set(a))\nd[0] = 1", False),
        ("for i in d:\n    a = d[i].keys()\n    set(a).union(set(a))\n    d[0] = 1", True),
        ("for i in d:\n    a = d[i].keys()\nd[0] = 1\nset(a)", True),
        ("a = d.values()\ng(d)\nfor i in a: print(i)", True),
        ("a = d.values()\nyield 1\nfor i in a: print(i)", True),
        ("a = d.values()\ndraw(1, a)", False),
        ("a = d.values()\ndrawn(1, a)", True),
    ],
)
def test_a_name_for_a_dict(lines: str, is_list: bool) -> None:
    now = converted("print 1\n" + _DRAW.format("0") + "def f(d):\n" + _indented(lines) + "\n")
    assert ("list(" in now) is is_list


def _indented(lines: str) -> str:
    return textwrap.indent(lines, "    ")


@pytest.mark.parametrize(
    ("made", "call", "needs_list"),
    [
        ("pool = Pool(4)", "pool.map(f, {})", False),
        ("pool = multiprocessing.Pool()", "pool.imap(f, {}, 3)", False),
        ("self.pool = mp.pool.ThreadPool(4)", "self.pool.map_async(f, {})", False),
        ("pool = Pool(4)", "pool.map({}, f)", True),
        ("pool = Pool(4)", "pool.apply(f, {})", True),
        ("pool = MaxPool(4)", "pool.map(f, {})", True),
        ("pool = Pool(4)\npool = x", "pool.map(f, {})", True),
        ("pool = x", "pool.map(f, {})", True),
    ],
)
def test_a_pool_of_processes_takes_a_range(made: str, call: str, needs_list: bool) -> None:
    given = "list(range(n))" if needs_list else "range(n)"
    text = f"print 1\n{made}\nx = {call.format('range(n)')}\n"
    assert converted(text).endswith(f"x = {call.format(given)}\n")
