from __future__ import annotations

import ast
import builtins
import json
import pickle
import re
import tokenize
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.documents.books import notebook, written
from tests.support.alone import ALONE
from torchfix_codemods.cli.commands import main
from torchfix_codemods.documents import python2
from torchfix_codemods.finding import FileResult, Numerics
from torchfix_codemods.runs.runner import migrate_bytes, migrate_files
from torchfix_codemods.settings.config import Settings

_PICKLED = """import cPickle as pkl
import torch
def run(path, x):
    print 1
    {}
"""
_OF_BYTES = {
    "written at once": ("pkl.dump(x, open(path, 'w'), -1)", "pkl.dump(x, open(path, 'wb'), -1)"),
    "read at once": ("return pkl.load(open(path))", "return pkl.load(open(path, 'rb'))"),
    "its path in double quotes": ('pkl.load(open("a.pkl"))', 'pkl.load(open("a.pkl", "rb"))'),
    "universal line ends": ('x = pkl.load(open(path, "rU"))', 'x = pkl.load(open(path, "rb"))'),
    "added to": ("pkl.dump(x, open(path, 'a+'))", "pkl.dump(x, open(path, 'ab+'))"),
    "by torch": ("torch.save(x, open(path, 'w'))", "torch.save(x, open(path, 'wb'))"),
    "in a block": (
        "with open(path, 'w') as f: pkl.dump(x, f); f.close()",
        "with open(path, 'wb') as f: pkl.dump(x, f); f.close()",
    ),
    "one of two": (
        "with open(path, 'r') as f, open(x) as g: y = pkl.load(f), g.read()",
        "with open(path, 'rb') as f, open(x) as g: y = pkl.load(f), g.read()",
    ),
    "under one name": (
        "f = open(path, 'w'); pkl.dump(x, f); f.close(); f = open(x, 'w'); pkl.dump(path, f)",
        "f = open(path, 'wb'); pkl.dump(x, f); f.close(); f = open(x, 'wb'); pkl.dump(path, f)",
    ),
    "other names are alike": (
        "f = open(path, 'w'); pkl.dump(x.f, f); x.write(f=1)",
        "f = open(path, 'wb'); pkl.dump(x.f, f); x.write(f=1)",
    ),
}


@pytest.mark.parametrize(("before", "after"), _OF_BYTES.values(), ids=_OF_BYTES)
def test_files_of_pickles_are_opened_for_bytes(before: str, after: str) -> None:
    text = _PICKLED.format(after).replace("cPickle as pkl", "pickle as pkl")
    assert converted(_PICKLED.format(before)) == text.replace("print 1", "print(1)")


@pytest.mark.parametrize(
    "line",
    [
        "f = open(path, 'w'); f.write(x); pkl.dump(x, f)",
        "f = open(path, 'w'); pkl.dump(x, f); return f",
        "f = g = open(path, 'w'); pkl.dump(x, f)",
        "f, g = open(path, 'w'); pkl.dump(x, f)",
        "x.f = open(path, 'w'); pkl.dump(x, x.f)",
        "with open(path, 'w') as f: pkl.dump(x, f); g(f)",
        "pkl.dump(x, open(path, x))",
        "pkl.dump(x, open(path, mode='w'))",
        "pkl.dump(x, open(path, 'wb'))",
        "pkl.dump(x, open(*path))",
        "pkl.load(open(*path))",
        "pkl.dump(open(path, 'w'), x)",
        "x = pkl.loads(open(path).read())",
        "x.dump(x, open(path, 'w'))",
        "x = json.load(open(path))",
        "def load(f=open(path)): return pkl.load(f)",
    ],
)
def test_files_that_may_hold_something_else_are_opened_as_they_were(line: str) -> None:
    text = _PICKLED.format(line).replace("cPickle as pkl", "pickle as pkl")
    assert converted(_PICKLED.format(line)) == text.replace("print 1", "print(1)")


@pytest.mark.parametrize(
    ("imported", "before", "after"),
    [
        ("import dill", "dill.load(open(x))", "dill.load(open(x, 'rb'))"),
        ("import dill as pkl", "pkl.dump(x, open(y, 'w'))", "pkl.dump(x, open(y, 'wb'))"),
        ("import numpy as np", "np.load(open(x))", "np.load(open(x, 'rb'))"),
        ("import numpy as np", "np.load(open(x, 'r'))", "np.load(open(x, 'rb'))"),
        ("import numpy", "numpy.save(open(x, 'w'), y)", "numpy.save(open(x, 'wb'), y)"),
    ],
)
def test_files_of_other_bytes_are_opened_for_them(imported: str, before: str, after: str) -> None:
    assert converted(f"{imported}\nprint 1\n{before}\n") == f"{imported}\nprint(1)\n{after}\n"


@pytest.mark.parametrize(
    ("imported", "line"),
    [
        ("import numpy as np", "np.loadtxt(open(x))"),
        ("import numpy as np", "np.save(y, open(x, 'w'))"),
        ("import dill as pkl", "np.load(open(x))"),
        ("import numpy as np", "dill.load(open(x))"),
    ],
)
def test_files_of_text_and_of_other_modules_stay(imported: str, line: str) -> None:
    assert converted(f"{imported}\nprint 1\n{line}\n") == f"{imported}\nprint(1)\n{line}\n"


def test_an_open_of_the_file_itself_is_left_alone() -> None:
    text = "from codecs import open\n" + _PICKLED.format("pkl.dump(x, open(path, 'w'))")
    assert "open(path, 'w')" in converted(text)
    text = "from codecs import open\nimport csv\nprint 1\nx = csv.reader(open(path, 'rb'))\n"
    assert "open(path, 'rb'))" in converted(text)


_OF_TABLES = {
    "read at once": ("csv.reader(open(path, 'rb'))", "csv.reader(open(path, 'r', newline=''))"),
    "read by line ends of all kinds": (
        "csv.DictReader(open(path, 'rU'), names)",
        "csv.DictReader(open(path, 'r', newline=''), names)",
    ),
    "in a block": (
        'with open(path, "r+b") as f:\n        x = csv.DictReader(f, delimiter="\t")',
        'with open(path, "r+", newline="") as f:\n        x = csv.DictReader(f, delimiter="\t")',
    ),
    "written": (
        "f = open(path, 'wb'); w = csv.writer(f); w.writerow(x); f.close()",
        "f = open(path, 'w', newline=''); w = csv.writer(f); w.writerow(x); f.close()",
    ),
    "by other names": (
        "f = open(path, 'ab'); t.writer(f); D(f, x)",
        "f = open(path, 'a', newline=''); t.writer(f); D(f, x)",
    ),
}
_TABLES = (
    "import os, csv, csv as t\nfrom csv import DictWriter as D\ndef run(path, x):\n    {}\n    {}\n"
)


@pytest.mark.parametrize(("before", "after"), _OF_TABLES.values(), ids=_OF_TABLES)
def test_files_of_csv_are_opened_for_text(before: str, after: str) -> None:
    assert converted(_TABLES.format(before, "print 1")) == _TABLES.format(after, "print(1)")


_OPENED_FOR_OTHERS = [
    "f = open(path, 'rb'); x = f.read()",
    "x = csv.reader(open(path, 'r'))",
    "x = csv.reader(open(path))",
    "x = csv.reader(open(path, how))",
    "x = y.csv.reader(open(path, 'rb'))",
    "x = csv.field_size_limit(open(path, 'rb'))",
    "x = csv.reader(x, open(path, 'rb'))",
]


@pytest.mark.parametrize("line", _OPENED_FOR_OTHERS)
def test_files_that_csv_does_not_take_are_opened_as_they_were(line: str) -> None:
    text = _TABLES.format(line, "print 1")
    assert converted(text) == _TABLES.format(line, "print(1)")
    assert not any("csv" in f.message for f in migrate(text).findings)


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        ("f = open(path, 'rb'); f.next(); x = csv.reader(f)", "'r'"),
        ("f = open(path, 'wb'); f.write(mark); x = csv.writer(f)", "'w'"),
        ("x.f = open(path, 'wb'); x.w = csv.DictWriter(x.f, names)", "'w'"),
        ("f = open(path, 'wb', 0); x = csv.writer(f)", "'w'"),
        ("csv.writer(open(path, 'wb')).writerow([y.encode('utf8') for y in x])", "'w'"),
        ("x = [y[0].decode('utf8') for y in csv.reader(open(path, 'rb'))]", "'r'"),
    ],
)
def test_files_of_csv_that_hold_or_give_more_are_told(line: str, mode: str) -> None:
    text = _TABLES.format(line, "print 1")
    assert f"open(path, {mode[:-1]}b'" in converted(text)
    told = [(f.line, f.message) for f in migrate(text).findings if "csv" in f.message]
    said = f"not converted: csv takes files of text in Python 3: open it with {mode} and newline=''"
    is_coded = "code(" in line
    assert told == [(4, said + ", and write and read text without encoding it" * is_coded)]


@pytest.mark.parametrize("line", ["import unicodecsv as csv", "from backports import csv"])
def test_files_of_what_stands_in_for_csv_are_opened_as_they_were(line: str) -> None:
    text = f"import csv\n{line}\nprint 1\nx = csv.reader(open(path, 'rb'))\n"
    assert "open(path, 'rb'))" in converted(text)
    assert not any("csv" in f.message for f in migrate(text).findings)


_WRITTEN = "import os\nclass A(object):\n  def run(self, path, x, data):\n    {}\n    {}\n"
_OF_TEXT = [
    "f = open(path, 'wb'); f.write('a'); f.flush(); f.close()",
    "with open(path, 'ab') as f:\n      for y in x:\n        f.write('%s\\n' % y)",
    "self.log = open(path, 'wb'); self.log.write('{}\\n'.format(x))",
    "self.log = open(path, 'w+b'); self.log.write(str(x) + data); x.log.close()",
    "f = open(path, 'wb'); s = ''; s += x; f.write(s)",
    "f = open(path, 'wb'); f.write(json.dumps(x) + '\\n'); y = x",
    "f = open(path, 'wb'); f.write(', '.join(x)); x = f.close()",
    "f = open(path, 'wb'); json.dump(data, f, indent=4); f.close()",
    "json.dump(data, open(path, 'wb'))",
]


@pytest.mark.parametrize("line", _OF_TEXT)
def test_files_that_only_text_is_written_to_are_opened_for_it(line: str) -> None:
    now = line.replace("'wb'", "'w'").replace("'ab'", "'a'").replace("'w+b'", "'w+'")
    assert converted(_WRITTEN.format(line, "print 1")) == _WRITTEN.format(now, "print(1)")


def test_a_file_that_is_printed_to_is_one_of_text() -> None:
    line = "f = open(path, 'wb'); print >>f, x"
    now = "f = open(path, 'w'); print(x, file=f)"
    assert converted(_WRITTEN.format(line, "print 1")) == _WRITTEN.format(now, "print(1)")


_OF_BYTES = [
    "f = open(path, 'wb'); f.write(data)",
    "f = open(path, 'wb'); f.write('\\x89PNG'); f.write(data)",
    "f = open(path, 'wb'); f.write(b'a')",
    "f = open(path, 'wb'); f.write('a'); data.tofile(f)",
    "f = open(path, 'wb'); json.dump(x, f); f.write(data)",
    "f = open(path, 'wb'); json.dump(f, x)",
    "f = open(path, 'wb'); msgpack.dump(x, f)",
    "f = open(path, 'rb'); y = f.read(); print('a')",
    "f = open(path, how); f.write('a')",
    "f = open(path, 'wb', 0); x.write('a'); f.close()",
    "self.log = open(path, 'wb'); x.dump(data, self.log); self.log.write('a')",
    "self.log = open(path, 'wb'); log = x; log.write('a')",
    "f = open(path, 'wb'); s, x = data; f.write(s)",
    "f = open(path, 'wb'); s = ''; s = data; f.write(s)",
    "f = open(path, 'wb'); data += 'a'; f.write(data)",
]


@pytest.mark.parametrize("line", _OF_BYTES)
def test_files_that_may_hold_bytes_are_opened_as_they_were(line: str) -> None:
    text = _WRITTEN.format(line, "print 1")
    assert converted(text) == _WRITTEN.format(line, "print(1)")
    assert not any("file of bytes" in f.message for f in migrate(text).findings)


def test_a_file_of_which_one_thing_written_is_text_is_told() -> None:
    line = "f = open(path, 'wb'); f.write('P5'); f.write(data)"
    text = _WRITTEN.format(line, "print 1")
    assert converted(text) == _WRITTEN.format(line, "print(1)")
    told = [(f.line, f.message) for f in migrate(text).findings if "file of bytes" in f.message]
    said = "not converted: Python 3 writes no text to a file of bytes: open it with 'w', or "
    assert told == [(4, said + "encode what is written")]


@pytest.mark.parametrize(
    ("line", "is_said"),
    [
        ("y = pkl.load(open(path)); z = pkl.load(open(x))", True),
        ("y = f(pkl.load(open(path))), pkl.load(open(x))", False),
        ("y = torch.load(open(path))", False),
        ("pkl.dump(x, open(path, 'w'))", False),
        ("pkl.dump(x, open(path, 'w')); y = pkl.load(open(path))", False),
        ("f = open(path, 'w'); pkl.dump(x, f); f.close(); y = pkl.load(open(path, 'r'))", False),
        ("pkl.dump(x, open(other, 'w')); y = pkl.load(open(path))", False),
        ("y = pkl.load(open(path)); z = open(path).read()", True),
    ],
)
def test_arrays_that_python_2_pickled_are_told_once(line: str, is_said: bool) -> None:
    text = _PICKLED.format(line)
    array = f"{text.rstrip()}\n    print(y.shape)\n"
    said = [f.line for f in migrate(array).findings if f.message.startswith("with encoding=")]
    assert said == ([5] if is_said else [])
    for other in (text, array.replace("y.shape", "y['shape']"), array.replace("y.", "x.y.")):
        assert not any("pickled" in f.message for f in migrate(other).findings)


@pytest.mark.parametrize(
    ("line", "is_said"),
    [
        ("f = gzip.open(path, 'rb'); y, z = pkl.load(f); f.close()", True),
        ("with gzip.open(path) as f: y, z = pkl.load(f)", True),
        ("y = pkl.load(gzip.open(path, 'rb'))", True),
        ("f = gzip.open(path, 'rb'); y, z = pkl.load(f); f.read()", False),
        ("f = gzip.open(path, 'wb'); pkl.dump(x, f); y = x", False),
        ("f = other.open(path, 'rb'); y, z = pkl.load(f)", False),
    ],
)
def test_arrays_in_packed_pickles_are_told(line: str, is_said: bool) -> None:
    text = _PICKLED.format(line)
    for use in ("y.shape", "np.concatenate((y[0], x[0]))"):
        found = migrate(f"{text.rstrip()}\n    print({use})\n")
        assert any("encoding='latin1'" in f.message for f in found.findings) is is_said
        assert found.after is not None and line in found.after
    for use in ("y['shape']", "f(np.concatenate((x, x)), y)"):
        found = migrate(f"{text.rstrip()}\n    print({use})\n")
        assert not any("encoding='latin1'" in f.message for f in found.findings)


def test_the_line_that_loads_is_told_not_that_which_opens() -> None:
    line = "with open(path) as f:\n        g()\n        y = pkl.load(f)"
    findings = migrate(_PICKLED.format(f"{line}\n    torch.from_numpy(y)")).findings
    assert [f.line for f in findings if f.message.startswith("with encoding=")] == [7]


def test_an_array_that_python_2_pickled_is_read_with_latin1() -> None:
    of_python_2 = (
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
        b"(I1\n(I1\ntcnumpy\ndtype\n(S'u1'\nI0\nI1\ntR"
        b"(I3\nS'|'\nNNNI-1\nI-1\nI0\ntbI00\nS'\\xff'\ntb."
    )
    assert pickle.loads(of_python_2, encoding="latin1").tolist() == [255]
    with pytest.raises(UnicodeDecodeError):
        pickle.loads(of_python_2)


LEGACY = "loss = nn.MSELoss(size_average=False)\n"
MODERN = "loss = nn.MSELoss(reduction='sum')\n"


def migrate(text: str, **settings: Any) -> FileResult:
    return migrate_bytes(text.encode(), ALONE / "old.py", Settings(py2=True, **settings))


def converted(text: str) -> str:
    """A text after a migration, which has no errors and a second run of it no effect."""
    result = migrate(text)
    assert not result.errors, result.errors
    assert result.after is not None
    ast.parse(result.after)
    assert not migrate(result.after).changed
    return result.after


_METHODS = """{}
class Trainer:
    def __init__(self):
        self.nets = {{}}
        self.optims = {{}}
    def add(self, key):
        self.nets[key] = 1
    def find(self, key):
        return os.stat(key), self.nets[key].state_dict()
    def run(self):
        for key, net in {}:
            self.nets[key] = net.cuda()
            self.logger.info(key)
        for key, net in {}:
            self.optims[key] = net.train()
        for key, net in {}:
            if self.optims[key]: self.find(key)
"""

_FILES = """{}
lens = {{}}
for k in {}:
    with open(k + ".txt") as f:
        rows = [float(line.strip()) for line in f.readlines()]
    lens[k] = np.asarray(rows).mean()
"""
_MAY_CHANGE = (
    "g(k)",
    "d.pop(k)",
    "del d[k]",
    "d[v] = k",
    "d[v] = Variable(k)",
    "other[v] = k",
    "self.d[v] = k",
    "a, other[v] = k, 1",
    "other[v] += 1",
    "torch.f(k); d.update(k)",
    "yield k",
    "f(k).append(v)",
    "random.choice(x).pop(k)",
    "f[k](v)",
)

PYTHON_2 = {
    "print": ("print x, 'a'", "print(x, 'a')"),
    "print of one thing in parentheses": (
        "print 1\nprint(x.y)\nprint ('{}'.format(x))\nprint (f(x))",
        "print(1)\nprint(x.y)\nprint ('{}'.format(x))\nprint (f(x))",
    ),
    "print of two things and of a sum": (
        "print 1\nprint (1, 2)\nprint (a) + (b)\nprint (a), b\nprint (a.c),",
        "print(1)\nprint (1, 2)\nprint((a) + (b))\nprint(a, b)\nprint(a.c, end=' ')",
    ),
    "print of several things in parentheses": (
        """print 1\nprint ('loss', x)\nprint('a' 'b', x, y,)\nprint (x, f(x)) # y""",
        """print(1)\nprint ('loss', x)\nprint('a' 'b', x, y,)\nprint (x, f(x)) # y""",
    ),
    "print of what is one thing": (
        "print 1\nprint ('a',)\nprint ('a' for x in y)\nprint ['a', x]\n"
        "print ('a', x) + y\nprint ('a', x),",
        "print(1)\nprint(('a',))\nprint(('a' for x in y))\nprint(['a', x])\n"
        "print(('a', x) + y)\nprint(('a', x), end=' ')",
    ),
    "print of several in parentheses": (
        "print 1\nprint ('a'), (b), (1, 2)\nprint >>f, ('a'), b\nprint (a for a in b), (c)",
        "print(1)\nprint('a', b, (1, 2))\nprint(('a'), b, file=f)\nprint((a for a in b), c)",
    ),
    "what is reduced": (
        "print 1\nx = reduce(f, range(3))\ny = reduce(f, map(g, x), 0)\nz = reduce(f, x, range(3))",
        "from functools import reduce\nprint(1)\nx = reduce(f, range(3))\n"
        "y = reduce(f, map(g, x), 0)\nz = reduce(f, x, list(range(3)))",
    ),
    "names that the file doubles itself": (
        "import numpy as numpy\nimport cPickle as pickle\nprint 1",
        "import numpy as numpy\nimport pickle\nprint(1)",
    ),
    "print without line end": ("print x,", "print(x, end=' ')"),
    "print to a file": ("print 1\nprint >>f, x", "print(1)\nprint(x, file=f)"),
    "xrange": ("print 1\nfor i in xrange(3): pass", "print(1)\nfor i in range(3): pass"),
    "xrange beside the range of six": (
        "from six.moves import range\nprint 1\nfor i in xrange(3): pass",
        "from six.moves import range\nprint(1)\nfor i in range(3): pass",
    ),
    "iteritems": (
        "print 1\nfor k, v in d.iteritems(): pass",
        "print(1)\nfor k, v in d.items(): pass",
    ),
    "dicts": (
        "print 1\nx = d.keys()\nfor k in d.keys(): f(k)\nf(d.items())\nd.keys() in x",
        "print(1)\nx = list(d.keys())\nfor k in list(d.keys()): f(k)\nf(list(d.items()))\n"
        "list(d.keys()) in x",
    ),
    "dicts that are looked into": (
        "print 1\nx = k in d.keys()\ny = k not in f(d).keys()\nn = len(d.keys())",
        "print(1)\nx = k in d.keys()\ny = k not in f(d).keys()\nn = len(d.keys())",
    ),
    "dicts that a comprehension goes through": (
        "print 1\nx = [k for k, v in d.items() if v > 1]\ny = sum(v * 2 for v in f(d).values())\n"
        "z = {(k, v): 1 for (k, v) in d.items()}",
        "print(1)\nx = [k for k, v in d.items() if v > 1]\ny = sum(v * 2 for v in f(d).values())\n"
        "z = {(k, v): 1 for (k, v) in d.items()}",
    ),
    "dicts that a comprehension goes through by a function of the file": (
        "print 1\ndef wrap(x):\n    if isinstance(x, dict):\n"
        "        return {k: wrap(v) for k, v in x.items()}\n    return x.cuda()\n"
        "def add(x):\n    d.update(x)\n    rows[0] = add(x)\ny = [add(v) for v in d.values()]",
        "print(1)\ndef wrap(x):\n    if isinstance(x, dict):\n"
        "        return {k: wrap(v) for k, v in x.items()}\n    return x.cuda()\n"
        "def add(x):\n    d.update(x)\n    rows[0] = add(x)\ny = [add(v) for v in list(d.values())]",
    ),
    "attributes that are given to something else": (
        "print 1\nfor k, v in args.__dict__.items(): setattr(self.config, k, v)\n"
        "for k, v in vars(args).items():\n    setattr(config, k, v)",
        "print(1)\nfor k, v in args.__dict__.items(): setattr(self.config, k, v)\n"
        "for k, v in vars(args).items():\n    setattr(config, k, v)",
    ),
    "attributes that are given to the same, or by another name": (
        "print 1\nfor k, v in net.__dict__.items(): setattr(net, k, str(v))\n"
        "for k, v in args.__dict__.items(): setattr(net, 'a' + k, v)\n"
        "for k, v in net._buffers.items(): setattr(net, k, Variable(v))",
        "print(1)\nfor k, v in list(net.__dict__.items()): setattr(net, k, str(v))\n"
        "for k, v in list(args.__dict__.items()): setattr(net, 'a' + k, v)\n"
        "for k, v in list(net._buffers.items()): setattr(net, k, Variable(v))",
    ),
    "ranges that itertools goes through": (
        "print 1\nx = list(combinations(range(n), i))\ny = itertools.permutations(range(3))\n"
        "z = draw(range(n), i)",
        "print(1)\nx = list(combinations(range(n), i))\ny = itertools.permutations(range(3))\n"
        "z = draw(list(range(n)), i)",
    ),
    "dicts that a comprehension may change": (
        "print 1\nx = [d.pop(k) for k in d.keys()]\ny = [k for k in d.keys() if f(k)]\n"
        "z = [k for v in x for k in d.keys()]",
        "print(1)\nx = [d.pop(k) for k in list(d.keys())]\n"
        "y = [k for k in list(d.keys()) if f(k)]\nz = [k for v in x for k in list(d.keys())]",
    ),
    "dicts that loops leave alone": (
        "print 1\nrev, n = {}, 3\nrow = {}\nfor k, v in d.items():\n    row[v] = k\n    d[k] = len(v)\n"
        "for k, v in rows.items():\n    rows[k] = Variable(torch.LongTensor(v))\n"
        "for (k, v) in self.d.items(): print self.d[k], '{}'.format(v)\n"
        "for v in f(d).values():\n    random.shuffle(v)\n    v.data.normal_(0, 1)\n"
        "x = [len(v) for v in d.values()]",
        "print(1)\nrev, n = {}, 3\nrow = {}\nfor k, v in d.items():\n    row[v] = k\n    d[k] = len(v)\n"
        "for k, v in rows.items():\n    rows[k] = Variable(torch.LongTensor(v))\n"
        "for (k, v) in self.d.items(): print(self.d[k], '{}'.format(v))\n"
        "for v in f(d).values():\n    random.shuffle(v)\n    v.data.normal_(0, 1)\n"
        "x = [len(v) for v in d.values()]",
    ),
    "the state of a module, another dict at each call": (
        "print 1\nfor k, v in net.state_dict().items():\n    g(k)\n    del own[k]\n"
        "for k in self.nets[0].state_dict().keys(): yield k\n"
        "for k in d.keys(): x[k] = k.encode('ascii').decode('ascii')\nx = {}",
        "print(1)\nfor k, v in net.state_dict().items():\n    g(k)\n    del own[k]\n"
        "for k in self.nets[0].state_dict().keys(): yield k\n"
        "for k in d.keys(): x[k] = k.encode('ascii').decode('ascii')\nx = {}",
    ),
    "dicts that are only read by the library and asked for keys": (
        "print 1\nn = [re.match('b', k) for k in d.keys()]\nfor k in d.keys(): assert e.has_key(k)\n"
        "for k in d.keys(): e.match(k)\n",
        "print(1)\nn = [re.match('b', k) for k in d.keys()]\nfor k in d.keys(): assert k in e\n"
        "for k in list(d.keys()): e.match(k)\n",
    ),
    "states that are kept": (
        "print 1\ndef state_dict(self): return self.d\nfor k in net.state_dict().keys(): g(k)\n",
        "print(1)\ndef state_dict(self): return self.d\n"
        "for k in list(net.state_dict().keys()): g(k)\n",
    ),
    "what only resembles the state of a module": (
        "print 1\nfor k in state_dict().keys(): g(k)\nfor k in net.state_dict(d).keys(): g(k)\n"
        "for k in net.state_dict.keys(): g(k)\nfor k in net.state_dict()['x'].keys(): g(k)\n"
        "x = net.state_dict().keys()\n",
        "print(1)\nfor k in list(state_dict().keys()): g(k)\n"
        "for k in list(net.state_dict(d).keys()): g(k)\n"
        "for k in list(net.state_dict.keys()): g(k)\n"
        "for k in list(net.state_dict()['x'].keys()): g(k)\nx = list(net.state_dict().keys())\n",
    ),
    "dicts that loops over files leave alone": (
        _FILES.format("print 1", "d.keys()"),
        _FILES.format("print(1)", "d.keys()"),
    ),
    "dicts that loops over files may change": (
        _FILES.format("print 1", "d.keys()").replace("lens = {}", "lens = d").replace("[k]", "[0]"),
        _FILES.format("print(1)", "list(d.keys())")
        .replace("lens = {}", "lens = d")
        .replace("[k]", "[0]"),
    ),
    "dicts that loops over their own models leave alone": (
        _METHODS.format("print 1", *3 * ["self.nets.items()"]),
        _METHODS.format("print(1)", *3 * ["self.nets.items()"]),
    ),
    "dicts that methods of the class may change": (
        _METHODS.format("print 1", *3 * ["self.nets.items()"]).replace(
            "os.stat(key)", "self.add(key)"
        ),
        _METHODS.format("print(1)", *2 * ["self.nets.items()"], "list(self.nets.items())").replace(
            "os.stat(key)", "self.add(key)"
        ),
    ),
    "dicts that grow when they are read": (
        _METHODS.format("print 1", *3 * ["self.nets.items()"]).replace("{}", "defaultdict(f)", 1),
        _METHODS.format("print(1)", *2 * ["self.nets.items()"], "list(self.nets.items())").replace(
            "{}", "defaultdict(f)", 1
        ),
    ),
    "dicts that loops may change": (
        "print 1\n" + "".join(f"for k, v in d.items(): {line}\n" for line in _MAY_CHANGE),
        "print(1)\n" + "".join(f"for k, v in list(d.items()): {line}\n" for line in _MAY_CHANGE),
    ),
    "what is taken apart": (
        "print 1\na, b = map(int, x)\n(a, b) = zip(*x)\n[a, b] = range(2)\na, b = d.keys()\n"
        "x.extend(range(3))\nx.extend(d.keys())\ny = max(map(f, x), key=g)\nz = dict(zip(x, y))\n"
        "for k in sorted(d.items(), key=g): pass",
        "print(1)\na, b = map(int, x)\n(a, b) = zip(*x)\n[a, b] = range(2)\na, b = d.keys()\n"
        "x.extend(range(3))\nx.extend(d.keys())\ny = max(map(f, x), key=g)\nz = dict(zip(x, y))\n"
        "for k in sorted(d.items(), key=g): pass",
    ),
    "what is not taken apart": (
        "print 1\na = b = map(int, x)\na, b = map(int, x)[:2]\nx += zip(*x)\n"
        "x.extend(map(f, x))\nx.extend(filter(f, x))\nx.update(zip(x, y))\n"
        "y = max(map(f, x), x)\ny = max(map(f, x), *x)\na, b = map(None, x), 1",
        "print(1)\na = b = list(map(int, x))\na, b = list(map(int, x))[:2]\nx += list(zip(*x))\n"
        "x.extend(list(map(f, x)))\nx.extend(list(filter(f, x)))\nx.update(list(zip(x, y)))\n"
        "y = max(list(map(f, x)), x)\ny = max(list(map(f, x)), *x)\na, b = list(x), 1",
    ),
    "filters that comprehensions go through": (
        "print 1\nx = [f(w) for w in filter(lambda a: a != '', line.split('_'))]\n"
        "x = [self.f.get(w, 0) for w in filter(lambda a: not (a == 1 or a < 2), tree.x)]\n"
        "x = {w: 1 for w in filter(None, y) if w}\nx = {w for w in filter(lambda a: a, y[2:])}",
        "print(1)\nx = [f(w) for w in filter(lambda a: a != '', line.split('_'))]\n"
        "x = [self.f.get(w, 0) for w in filter(lambda a: not (a == 1 or a < 2), tree.x)]\n"
        "x = {w: 1 for w in filter(None, y) if w}\nx = {w for w in filter(lambda a: a, y[2:])}",
    ),
    "filters that might find something else later": (
        "print 1\nx = [y.pop() for w in filter(lambda a: a, y)]\n"
        "x = [self.f(w) for w in filter(None, self.y)]\n"
        "x = [m.eval() for m in filter(lambda a: a.training, y)]\n"
        "x = [f(w) for w in filter(lambda a: a != last, y)]\n"
        "x = [f(w) for w in filter(lambda a: g(a), y)]\n"
        "x = (f(w) for w in filter(lambda a: a, y))\n"
        "x = [w for w in filter(lambda a: a, y)[1:]]",
        "print(1)\nx = [y.pop() for w in [a for a in y if a]]\n"
        "x = [self.f(w) for w in [_f for _f in self.y if _f]]\n"
        "x = [m.eval() for m in [a for a in y if a.training]]\n"
        "x = [f(w) for w in [a for a in y if a != last]]\n"
        "x = [f(w) for w in [a for a in y if g(a)]]\n"
        "x = (f(w) for w in [a for a in y if a])\n"
        "x = [w for w in [a for a in y if a][1:]]",
    ),
    "conditions that a lambda had over lines": (
        "print 1\nx = filter(lambda k: k != 1 and \\\n                     k != 2, \\\n           y)",
        "print(1)\nx = [k for k in y if k != 1 and k != 2]",
    ),
    "conditions that need lines": (
        "print 1\nabc = \\\n  filter(lambda k: k != 1 and \\\n                     k != '%s', y)"
        % (80 * "a"),
        "print(1)\nabc = \\\n  [k for k in y if k != 1 and\n   k != '%s']" % (80 * "a"),
    ),
    "conditions in brackets, and another function": (
        "print 1\nx = filter(lambda k: (k != 1 and\n    k != 2), y)\nx = filter(f, \\\n    y)",
        "print(1)\nx = [k for k in y if (k != 1 and\n    k != 2)]\nx = list(filter(f, \\\n    y))",
    ),
    "what stood on two lines, and is too long for one": (
        "print 1\nnames = filter(lambda k: is_a_name_that_is_long_enough(k) != 1,\n"
        "               all_the_names_of_the_folder + all_the_others)\n"
        "sizes = map(lambda k: is_a_name_that_is_long_enough(k) != 1,\n"
        "            all_the_names_of_the_folder + all_of_the_others)",
        "print(1)\nnames = [k for k in all_the_names_of_the_folder + all_the_others\n"
        "         if is_a_name_that_is_long_enough(k) != 1]\n"
        "sizes = [is_a_name_that_is_long_enough(k) != 1\n"
        "         for k in all_the_names_of_the_folder + all_of_the_others]",
    ),
    "what stood on two lines, and fits on one": (
        "print 1\nnames = filter(lambda k: k != 1,\n               others)\n"
        "sizes = map(lambda k: k + 1,\n            others)",
        "print(1)\nnames = [k for k in others if k != 1]\nsizes = [k + 1 for k in others]",
    ),
    "what stood on one line, however long": (
        "print 1\nnames = filter(lambda k: is_a_name_that_is_long_enough(k) != 1, "
        "all_the_names_of_the_folder + all_the_others)\nsize = len(\n    map(lambda k: "
        "is_a_name_that_is_long_enough(k) != 1,\n        all_the_names_of_the_folder + others_that_are))",
        "print(1)\nnames = [k for k in all_the_names_of_the_folder + all_the_others "
        "if is_a_name_that_is_long_enough(k) != 1]\nsize = len(\n    "
        "[is_a_name_that_is_long_enough(k) != 1 for k in all_the_names_of_the_folder + others_that_are])",
    ),
    "has_key": ("print d.has_key('a')", "print('a' in d)"),
    "parameters in parentheses": (
        "def f(a, (b, c), (d, (e, g))):\n    return a + b\ndef h((x, y)): return x",
        "def f(a, b_c, d_e_g):\n    b, c = b_c\n    d, (e, g) = d_e_g\n    return a + b\n"
        "def h(x_y): x, y = x_y; return x",
    ),
    "parameters in parentheses beside a name": (
        "def f((a, b)):\n    a_b = a\n    return a_b",
        "def f(parts):\n    a, b = parts\n    a_b = a\n    return a_b",
    ),
    "parameters in parentheses beside both names": (
        "def f((a, b), parts):\n    a_b = a\n    return a_b",
        "def f(parts_0, parts):\n    a, b = parts_0\n    a_b = a\n    return a_b",
    ),
    "many parameters in parentheses": (
        "def f((first_weight, second_weight, third_weight)):\n    return first_weight",
        "def f(parts):\n    first_weight, second_weight, third_weight = parts\n"
        "    return first_weight",
    ),
    "one parameter in parentheses": (
        "def f((_a,)):\n    return _a\ndef g((None_, _), k):\n    return k",
        "def f(a):\n    (_a,) = a\n    return _a\ndef g(parts, k):\n    None_, _ = parts\n"
        "    return k",
    ),
    "parameters in parentheses that the file's docstring names": (
        "'''f(x, refs, n=4): counts.'''\ndef f(x, (a, b), eff=max(1, 2), n=4):\n    return a",
        "'''f(x, refs, n=4): counts.'''\ndef f(x, refs, eff=max(1, 2), n=4):\n    a, b = refs\n"
        "    return a",
    ),
    "parameters in parentheses that the docstring names as another": (
        "def f(x, (a, b)):\n    '''f(n, refs), not f(x) nor f(x, {a}) nor g(x, y).'''\n    return a",
        "def f(x, a_b):\n    '''f(n, refs), not f(x) nor f(x, {a}) nor g(x, y).'''\n"
        "    a, b = a_b\n    return a",
    ),
    "parameters in parentheses that the docstring names as what is used": (
        "def f(x, (a, b)):\n    '''f(x, refs)'''\n    return refs[a]",
        "def f(x, a_b):\n    '''f(x, refs)'''\n    a, b = a_b\n    return refs[a]",
    ),
    "parameters in parentheses above an empty line": (
        "def f((a, b)):\n    '''Text.'''\n\n    # Why.\n    return a",
        "def f(a_b):\n    '''Text.'''\n\n    a, b = a_b\n    # Why.\n    return a",
    ),
    "parameters in parentheses below the docstring alone": (
        "def f((a, b)):\n    '''Text.'''\n\nx = 1",
        "def f(a_b):\n    '''Text.'''\n    a, b = a_b\n\nx = 1",
    ),
    "except": ("try:\n    f()\nexcept E, e:\n    pass", "try:\n    f()\nexcept E as e:\n    pass"),
    "raise": ("raise E, 'm'", "raise E('m')"),
    "lines of a call that a backslash ended": (
        "print 'a' \\\n    'b: %s' % \\\n    (x, 1)\nraise E, 'c %s' % \\\n         (x, 1)",
        "print('a'\n    'b: %s' %\n    (x, 1))\nraise E('c %s' %\n         (x, 1))",
    ),
    "backslashes of other brackets, and where no parentheses are added": (
        "print 'a', f(1 + \\\n    2)\nprint ('a' \\\n    'b')\nx = 1 + \\\n    2",
        "print('a', f(1 + \\\n    2))\nprint ('a' \\\n    'b')\nx = 1 + \\\n    2",
    ),
    "raise of one thing in parentheses": (
        "print 1\nraise(E('m' +\n        'n'))\nraise (E('m'))\nraise (a.E)\nraise(E)",
        "print(1)\nraise(E('m' +\n        'n'))\nraise (E('m'))\nraise (a.E)\nraise(E)",
    ),
    "raise of a tuple": (
        "print 1\nraise (E, F)\nraise (E), 'm'\nraise ((E, F), G), 'm'",
        "print(1)\nraise E\nraise (E)('m')\nraise E('m')",
    ),
    "range": (
        "print 1\nx = range(3)\nf(range(3))\nbar.sum(range(3))\nrange(3)[0]",
        "print(1)\nx = list(range(3))\nf(list(range(3)))\nbar.sum(list(range(3)))\n"
        "list(range(3))[0]",
    ),
    "one of two ranges that are gone through": (
        "print 1\ndef f(n, m):\n    r = range(n) if m else range(m, n)\n    return [g(i) for i in r]",
        "print(1)\ndef f(n, m):\n    r = range(n) if m else range(m, n)\n    return [g(i) for i in r]",
    ),
    "one of two ranges that is kept": (
        "print 1\ndef f(n, m):\n    r = range(n) if m else range(m, n)\n    return r",
        "print(1)\ndef f(n, m):\n    r = list(range(n)) if m else list(range(m, n))\n    return r",
    ),
    "what chooses of two": (
        "print 1\nfor i in (1 if x == range(3) else 2): pass",
        "print(1)\nfor i in (1 if x == list(range(3)) else 2): pass",
    ),
    "range that is gone through": (
        "print 1\nfor i in tqdm(range(3)): pass\nfor i in tqdm.tqdm(range(3), desc='a'): pass\n"
        "for i, j in enumerate(range(3), 1): pass\nn = len(range(3))",
        "print(1)\nfor i in tqdm(range(3)): pass\nfor i in tqdm.tqdm(range(3), desc='a'): pass\n"
        "for i, j in enumerate(range(3), 1): pass\nn = len(range(3))",
    ),
    "range that is drawn from": (
        "print 1\na = np.random.choice(range(3))\nb = np.array(range(3), float)",
        "print(1)\na = np.random.choice(range(3))\nb = np.array(range(3), float)",
    ),
    "module": ("import cPickle as pickle\nprint 1", "import pickle\nprint(1)"),
    "next": ("print it.next()", "print(next(it))"),
    "map": ("print 1\nx = map(f, y)", "print(1)\nx = list(map(f, y))"),
    "octal": ("m = 0777", "m = 0o777"),
    "sorted by comparisons": (
        "print 1\ndef f(a, b): return a - b\nx.sort(f)\nx.sort(lambda a, b: a - b)\n"
        "x.sort(cmp=f)\ny = sorted(x, f)",
        "from functools import cmp_to_key\nprint(1)\ndef f(a, b): return a - b\n"
        "x.sort(key=cmp_to_key(f))\nx.sort(key=cmp_to_key(lambda a, b: a - b))\n"
        "x.sort(key=cmp_to_key(f))\ny = sorted(x, key=cmp_to_key(f))",
    ),
    "sorted along dimensions": (
        "print 1\nv, i = x.sort(1)\nv, i = x.sort(0, True)\nv, i = x.sort(dim)\n"
        "v, i = torch.sort(x)\nv, i = torch.sort(x, 0)\na = np.sort(d)\n"
        "x.sort(lambda a: -a)\nx.sort(-1)\nx.sort(lambda *a: 0)",
        "print(1)\nv, i = x.sort(1)\nv, i = x.sort(0, True)\nv, i = x.sort(dim)\n"
        "v, i = torch.sort(x)\nv, i = torch.sort(x, 0)\na = np.sort(d)\n"
        "x.sort(lambda a: -a)\nx.sort(-1)\nx.sort(lambda *a: 0)",
    ),
    "functions that compare nothing": (
        "print 1\ndef f(a): return -a\ndef g(a, b=1): return a\nx.sort(f)\nx.sort(g)\n"
        "x.sort(key=f)\ny.sorted(x, f)",
        "print(1)\ndef f(a): return -a\ndef g(a, b=1): return a\nx.sort(f)\nx.sort(g)\n"
        "x.sort(key=f)\ny.sorted(x, f)",
    ),
    "own sorted": (
        "def sorted(x, n): return x[:n]\nprint 1\ny = sorted(x, 2)",
        "def sorted(x, n): return x[:n]\nprint(1)\ny = sorted(x, 2)",
    ),
    "backticks": ("s = `x`", "s = repr(x)"),
    "own map": (
        "def map(f, x): return f(x)\nprint 1\nx = map(f, y)",
        "def map(f, x): return f(x)\nprint(1)\nx = map(f, y)",
    ),
    "imported input": (
        "from lib import input\nprint 1\nx = input()",
        "from lib import input\nprint(1)\nx = input()",
    ),
    "text of unicode": ("print u'a', unicode(1)", "print(u'a', str(1))"),
    "raw text of unicode": ("print ur'a'", "print(r'a')"),
    "neighbouring module": ("import os\nprint 1", "import os\nprint(1)"),
}


@pytest.mark.parametrize(("before", "after"), PYTHON_2.values(), ids=PYTHON_2)
def test_python_2_becomes_python_3(before: str, after: str) -> None:
    head = "import torch\n"
    assert converted(f"{head}{before}\n") == f"{head}{after}\n"


def test_it_is_converted_and_migrated_in_one_diff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.py").write_text(f"import torch.nn as nn\nprint 'a'  # first\n{LEGACY}x = 'ü'\n")
    result = run("migrate", "old.py", "--py2", "--diff", "--statistics")
    assert result.exit_code == 1
    assert result.stdout == (
        "--- a/old.py\n+++ b/old.py\n@@ -1,4 +1,4 @@\n import torch.nn as nn\n-print 'a'  # first\n"
        f"-{LEGACY}+print('a')  # first\n+{MODERN} x = 'ü'\n"
    )
    assert re.search(r"TP001 python-2 +1 ", result.stderr)
    assert run("migrate", "old.py", "--py2").exit_code == 0
    assert run("migrate", "old.py", "--py2", "--check").exit_code == 0
    assert run("migrate", "old.py", "--check").exit_code == 0


def run(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


def test_without_the_option_the_line_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.py").write_text(f"import torch.nn as nn\n{LEGACY}print 'a'\n")
    result = run("migrate", "--no-py2", "old.py")
    assert result.exit_code == 2
    assert "old.py:3: Python 2 (print statement); --py2 converts it to Python 3" in result.stderr


_NAMED_ZIP = "def f(batch, x):\n    print x\n    pairs = zip(*batch)\n    {}\n"


@pytest.mark.parametrize(
    "after",
    [
        "return [g(pair) for pair in pairs]",
        "return x, {h: [1] for h in pairs}",
        "for a, b in pairs:\n        x = g(a, b)\n    return x",
        "return dict(pairs)",
        "a, b = pairs",
        "return g(*pairs)",
    ],
)
def test_zip_needs_no_list_that_the_next_line_goes_through(after: str) -> None:
    assert "pairs = zip(*batch)" in (migrate(_NAMED_ZIP.format(after)).after or "")


@pytest.mark.parametrize(
    "after",
    [
        "return pairs",
        "return [pairs[0] for a in x]",
        "return [g(pair) for pair in pairs], len(pairs)",
        "return [g(b) for a in x for b in pairs]",
        "return [[g(b) for b in pairs] for a in x]",
        "return lambda: [g(b) for b in pairs]",
        "return (g(b) for b in pairs)",
        "x += 1\n    return [g(b) for b in pairs]",
        "while x: x = [g(b) for b in pairs]",
        "for a in x: x = [g(b) for b in pairs]",
        "for a, b in pairs: batch.append(a)",
        "for a, b in pairs: yield a",
        "return [batch.pop() for b in pairs]",
        "global pairs",
        "if x: pairs = 3\n    return [g(b) for b in pairs]",
    ],
)
def test_zip_is_a_list_where_more_is_done_with_its_name(after: str) -> None:
    assert "pairs = list(zip(*batch))" in (migrate(_NAMED_ZIP.format(after)).after or "")


def test_zip_of_a_module_is_a_list_whatever_the_next_line_does() -> None:
    text = "print 1\npairs = zip(x, y)\nz = [a for a in pairs]\n"
    assert "pairs = list(zip(x, y))" in (migrate(text).after or "")


def test_python_3_is_not_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import torch\nx = map(f, y)\nfor k, v in d.iteritems(): pass\nn = 7 / 2\n"
    assert not migrate(text).changed
    tabs = "import torch\nif x:\n\ty = 1\n"
    assert not migrate(tabs).changed


_TWO_WAYS = """\
import torch
import numpy as np
def f(x):
    if isinstance(x, np.ndarray):
        a, w = x.shape
    else:
        a, w = {0}
    return w {1} 2
"""

DIVISIONS = {
    "literals": ("x = 7 / 2", "x = 7 // 2"),
    "lengths": ("x = len(a) / 2", "x = len(a) // 2"),
    "names": ("n = len(a)\nx = n/2", "n = len(a)\nx = n//2"),
    "quotient of quotients": ("n = len(a) / 4\nx = n / 2", "n = len(a) // 4\nx = n // 2"),
    "twice": ("x = len(a) / 4 / 2", "x = len(a) // 4 // 2"),
    "in place": ("n = 8\nn /= 2", "n = 8\nn //= 2"),
    "in brackets": ("x = (len(a)) / (2)", "x = (len(a)) // (2)"),
    "non-ascii before": ("s = 'ü'; x = 7 / 2", "s = 'ü'; x = 7 // 2"),
    "layer": (
        "def f(n):\n    return torch.nn.LSTM(n, hidden_size=n/2)",
        "def f(n):\n    return torch.nn.LSTM(n, hidden_size=n//2)",
    ),
    "layer by position": (
        "def f(n):\n    return torch.nn.Linear(n, n / 2 + 1)",
        "def f(n):\n    return torch.nn.Linear(n, n // 2 + 1)",
    ),
    "range": (
        "def f(n):\n    return range(n / 2)",
        "def f(n):\n    return list(range(n // 2))",
    ),
    "cut, maybe below 0": ("x = int((len(a) - 7) / 2)", "x = int((len(a) - 7) // 2)"),
    "slice": ("def f(x, n):\n    return x[:n / 2]", "def f(x, n):\n    return x[:n // 2]"),
    "the smaller one": (
        "def f(n, x):\n    return range(min(n / 2, 5)), x[:abs(n / 2)]",
        "def f(n, x):\n    return list(range(min(n // 2, 5))), x[:abs(n // 2)]",
    ),
    "one of two": (
        "def f(n):\n    for i in range(n / 2 if n else 3): print(i)",
        "def f(n):\n    for i in range(n // 2 if n else 3): print(i)",
    ),
    "shape of an array": (
        "import numpy as np\ndef f(n):\n    return np.zeros((n / 2, 3)), np.ones(n / 2)",
        "import numpy as np\ndef f(n):\n    return np.zeros((n // 2, 3)), np.ones(n // 2)",
    ),
    "counted by its name": (
        "def f(n):\n    k = n / 2\n    for i in range(k): print(i)\n    return k",
        "def f(n):\n    k = n // 2\n    for i in range(k): print(i)\n    return k",
    ),
    "part of a shape": (
        "def f(x):\n    a, b = x.shape\n    return a / 2",
        "def f(x):\n    a, b = x.shape\n    return a // 2",
    ),
    "one of a shape": (
        "def f(x):\n    a = x.shape[1]\n    return -a / 2",
        "def f(x):\n    a = x.shape[1]\n    return -a // 2",
    ),
    "part of a size that is asked for in two ways": (
        _TWO_WAYS.format("x.size()", "/"),
        _TWO_WAYS.format("x.size()", "//"),
    ),
    "product of a shape": (
        "def f(x):\n    a, b = x.shape\n    n = a * b\n    part = n / 20\n    return part",
        "def f(x):\n    a, b = x.shape\n    n = a * b\n    part = n // 20\n    return part",
    ),
    "an index": (
        "def f(n):\n    x = [1, 2]\n    for i in n:\n        part = i / 2\n        x[part] = 0",
        "def f(n):\n    x = [1, 2]\n    for i in n:\n        part = i // 2\n        x[part] = 0",
    ),
    "an index of several": (
        "import numpy as np\ndef f(n):\n    x = np.ones((2, 3))\n    x[n / 3, 1] = 0",
        "import numpy as np\ndef f(n):\n    x = np.ones((2, 3))\n    x[n // 3, 1] = 0",
    ),
    "an index, in place": (
        "def f(n):\n    x = [1, 2]\n    n /= 2\n    return x[n - 1]",
        "def f(n):\n    x = [1, 2]\n    n //= 2\n    return x[n - 1]",
    ),
    "points": (
        "import numpy as np\ndef f(n, m):\n    return np.linspace(0, 1, n / m)",
        "import numpy as np\ndef f(n, m):\n    return np.linspace(0, 1, n // m)",
    ),
    "points by name": (
        "import numpy as np\ndef f(n, m):\n    return np.linspace(0, 1, num=n / m)",
        "import numpy as np\ndef f(n, m):\n    return np.linspace(0, 1, num=n // m)",
    ),
    "how many are found": (
        "def f(x):\n    found = (x > 0).sum()\n    return found / 2",
        "def f(x):\n    found = (x > 0).sum()\n    return found // 2",
    ),
    "how many are found, unpacked": (
        "def f(x):\n    found, n = (x > 0).sum(), g()\n    return found / 2",
        "def f(x):\n    found, n = (x > 0).sum(), g()\n    return found // 2",
    ),
    "how many numpy finds": (
        "import numpy as np\ndef f(x, y):\n    return np.sum(x == y) / len(y)",
        "import numpy as np\ndef f(x, y):\n    return np.sum(x == y) // len(y)",
    ),
    "the place in a part": (
        "def f(x, i, k):\n    y = x[i:i + k]\n    m = k / 2\n    return y[m]",
        "def f(x, i, k):\n    y = x[i:i + k]\n    m = k // 2\n    return y[m]",
    ),
    "the places in a part": (
        "def f(x, i, k):\n    y = x[i:i + k, :]\n    m = (k + 1) / 2\n    return y[m, m]",
        "def f(x, i, k):\n    y = x[i:i + k, :]\n    m = (k + 1) // 2\n    return y[m, m]",
    ),
    "the share of all that numpy finds": (
        "import numpy as np\ndef f(xs, y):\n    k = 0\n    for x in xs:\n"
        "        k += np.sum(x == y)\n    return k * 100 / y.shape[0]",
        "import numpy as np\ndef f(xs, y):\n    k = 0\n    for x in xs:\n"
        "        k += np.sum(x == y)\n    return k * 100 // y.shape[0]",
    ),
    "the share of what numpy finds": (
        "import numpy as np\ndef f(x, y):\n    k = np.sum(x == y)\n    return k * 100 / y.shape[0]",
        "import numpy as np\ndef f(x, y):\n    k = np.sum(x == y)\n    return k * 100 // y.shape[0]",
    ),
}


@pytest.mark.parametrize(("before", "after"), DIVISIONS.values(), ids=DIVISIONS)
def test_divisions_of_whole_numbers_stay_such(before: str, after: str) -> None:
    head = "import torch\nprint {}\n".format
    result = migrate(f"{head(1)}{before}\n")
    assert result.after == f"import torch\nprint(1)\n{after}\n"
    assert {f.numerics for f in result.findings if f.code == "TP002"} == {Numerics.RESTORED}


_SUMMED = """import numpy as np
from lib import read
def count(x, hit):
    n = x.shape[0]
    if n == 0:
        {1}
        exit()
    hits = np.zeros((n, 1))
    return {0}
num_hits, num_all = 0, 0
for x in read():
    found, n = count(x, read())
    num_hits += found
    num_all += n
print (num_hits / num_all)"""


def test_a_sum_of_what_is_cut_is_whole() -> None:
    code = _SUMMED.format("int(hits.sum()), n", "")
    result = migrate(f"import torch\nprint 1\n{code}\n")
    assert "print(num_hits // num_all)" in result.after.replace("print (", "print(")


KEPT_DIVISIONS = {
    "a score, or 0 where there is none": (
        "def f(x, y):\n    p, r = (0, 0) if x is None else (score(x), score(y))\n"
        "    return 2 * p * r / (p + r)",
        False,
    ),
    "a number that is named whole, or 0": (
        "def f(x, y):\n    num = 0 if x is None else score(x)\n    return num * 2 / y.size(0)",
        True,
    ),
    "a score, or a whole number that is none": (
        "def f(x, y):\n    p, r = (1, 1) if x is None else (score(x), score(y))\n"
        "    return 2 * p * r / (p + r)",
        True,
    ),
    "a key of what may be a dictionary": (
        "def f(x, i, k):\n    y = x[i]\n    m = k / 2\n    return y[m, m]",
        True,
    ),
    "a key of what is a part or another thing": (
        "def f(x, i, k):\n    y = x[i:]\n    if i:\n        y = i\n    m = k / 2\n"
        "    return y[m, m]",
        True,
    ),
    "the share of all that is found and more": (
        "def f(xs, y, w):\n    k = 0\n    for x in xs:\n        k += (x == y).sum()\n"
        "        k += w\n    return k * 100 / y.shape[0]",
        True,
    ),
    "the share of all that is found from somewhere on": (
        "def f(xs, y, k):\n    for x in xs:\n        k += (x == y).sum()\n"
        "    return k * 100 / y.shape[0]",
        True,
    ),
    "the share of all that is found in floats": (
        "def f(xs, y):\n    k = 0.\n    for x in xs:\n        k += (x == y).sum()\n"
        "    return k * 100 / y.shape[0]",
        False,
    ),
    "the share of all that is found and divided": (
        "def f(xs, y, w):\n    k = 0\n    for x in xs:\n        k += (x == y).sum()\n"
        "        k *= w\n    return k * 100 / y.shape[0]",
        True,
    ),
    "a share of what is found or not": (
        "def f(x, y, w):\n    k = (x == y).sum()\n    if w:\n        k = w\n"
        "    return k * 100 / y.shape[0]",
        True,
    ),
    "what is found times a float": (
        "def f(x, y):\n    k = (x == y).sum()\n    return k * 100. / y.shape[0]",
        False,
    ),
    "what is found times what is unknown": (
        "def f(x, y, w):\n    k = (x == y).sum() * w\n    return k / y.shape[0]",
        True,
    ),
    "float": ("x = len(a) / 2.", False),
    "float()": ("x = float(len(a)) / 2", False),
    "what chooses": ("def f(a, b):\n    return list(range(2 if a / b else 3))", False),
    "one of two that a name holds": (
        "def f(a, b):\n    k = a / b\n    if b: k = 3\n    return k, list(range(k))",
        True,
    ),
    "a name that is cut": ("def f(a, b):\n    k = a / b\n    return list(range(int(k)))", False),
    "filled by a share": (
        "import numpy as np\ndef f(a, b):\n    return np.full(3, a / b)",
        False,
    ),
    "float name": ("n = 0.5\nx = 3 / n", False),
    "unknown times a float": ("def f(n, m):\n    return n * 1.0 / m", False),
    "unknown and a float": ("def f(n, m):\n    return n / (2. + m) / m", False),
    "unknown times a whole number": ("def f(x, n):\n    return x * 3 / 4, x * 3 / n", True),
    "unknown by what nobody counts": ("def f(x, m):\n    return x * 100 / m", False),
    "whole by what nobody counts": ("def f(m):\n    return len(a) / m", False),
    "whole by a share": ("def f(self):\n    return len(a) / (1 - self.rand)", False),
    "a share of a counted name": ("def f(train_size):\n    return (1 - train_size) / 2", False),
    "a count without one": ("def f(kernel_size):\n    return (kernel_size - 1) / 2", True),
    "a sum that began as 0": (
        "def f(a):\n    s = 0\n    for x in a:\n        s += x\n    return s / 7",
        False,
    ),
    "whole by a fraction under a key": (
        "c = {}\nc['size'] = 0.3\ndef f(d):\n    return len(a) / d['size']",
        False,
    ),
    "whole by a whole number under a key": (
        "c = {}\nc['often'] = 3\ndef f(d):\n    return len(a) / d['often']",
        True,
    ),
    "item of a file": (
        "import json\nc = {'200': 0}\nd = json.load(f)\nx = d[k]['200'] / len(c)",
        False,
    ),
    "counted in a file": (
        "import json\nd = json.load(open('d'))\nx = d['num_words'] / len(d['c'])",
        True,
    ),
    "written as a float": (
        "c, b = {}, {}\nc['often'] = 0\nb['often'] = float(a) / 2\n"
        "def f(d):\n    return d['often'] / len(a)",
        False,
    ),
    "given as a float by one": ("def f(n):\n    return n / 2\nf(2.5)\nf(3)", False),
    "given as whole by one": ("def f(n):\n    return n / 2\nf(2)\nf(g())", True),
    "part of a shape that the file makes": (
        "def f(x, n):\n    x.shape = n\n    a, b = x.shape\n    return a / 2",
        True,
    ),
    "part of a shape by what is not known": ("def f(x, n):\n    return x.shape[0] / n", True),
    "above a whole number": ("def f(n, i):\n    return n / 2 > i", True),
    "not above a whole number": ("def f(n, i):\n    return n / 2 <= i", True),
    "what a whole number is below": ("def f(n, i):\n    return i < n / 2", True),
    "only above what is compared": (
        "def f(n, i):\n    part = n / 2\n    return n / 2 < i, i > n / 2, i > part, n / 2 >= 3",
        False,
    ),
    "compared with a float": ("def f(n):\n    return n / 2 >= 1.5", True),
    "equal to a whole number": ("def f(n):\n    return n / 2 == 3", True),
    "equal to a whole number, of what divides without rest": (
        "c = {}\nc['size'] = 30\nc['stride'] = 5\n"
        "def f(d, n):\n    part = d['size'] / d['stride']\n    return n == part",
        False,
    ),
    "equal to a whole number, of what divides with a rest": (
        "c = {}\nc['size'] = 30\nc['stride'] = 4\n"
        "def f(d, n):\n    part = d['size'] / d['stride']\n    return n == part",
        True,
    ),
    "compared, and given on": (
        "def f(n, i):\n    part = n / 2\n    return part if part < i else i",
        True,
    ),
    "compared, and read by other files": ("from lib import f\nn = f()\nm = n / 2\nb = m < 3", True),
    "an index on one way": (
        "def f(n, i):\n    x = [1, 2]\n    part = n / 2\n    return x[part] if i else part",
        True,
    ),
    "an index, or another": (
        "def f(n, i):\n    x = [1, 2]\n    part = n / 2\n    if i:\n        part = int(part)\n"
        "    return x[part]",
        True,
    ),
    "a key": ("def f(n):\n    x = {}\n    part = n / 2\n    return x[part]", True),
    "points of another": ("def f(n, x):\n    return x.linspace(0, 1, n / 2)", True),
    "an end of points": (
        "import numpy as np\ndef f(n):\n    return np.linspace(0, n / 2, 5)",
        True,
    ),
    "a shape": ("def f(x):\n    a = x.shape\n    return a / 2", False),
    "part of a size, of an own class as well": (
        _TWO_WAYS.format("x.size()", "/")
        + "class A:\n    def size(self):\n        return 1., 2.\n",
        True,
    ),
    "part of a size that is asked for in another way": (_TWO_WAYS.format("x.size(2)", "/"), True),
    "cut off": ("import math\ndef f(n):\n    return int(n / 2), math.floor(n / 2)", False),
    "cut off by numpy": ("import numpy as np\ndef f(n):\n    return np.floor(n / 2)", False),
    "cut off after more": ("def f(n):\n    return int(n / 2 * 3)", True),
    "rounded": ("def f(n):\n    return round(n / 2)", True),
    "item of the quotient": ("def f(x):\n    return (x / m)[0]", False),
    "tensor": ("t = torch.ones(2)\nx = t / 2", False),
    "unknown": ("def f(n):\n    return n / 2", True),
    "unknown by whole": ("def f(n):\n    return len(a) / n", True),
    "multiplied again": ("def f(a, b):\n    return a / b * b", True),
    "float that is multiplied again": ("def f(a, b):\n    return float(a) / b * b", False),
    "multiplied by a float again": ("def f(a):\n    b = 2.5\n    return a / b * b", False),
    "multiplied by another one": ("def f(a, b, c):\n    return a / b * c", False),
    "unknown quotient": ("def f(n):\n    n = n / 4\n    return n / 2", True),
    "dropout": ("def f(p):\n    return torch.nn.Dropout(p / 2)", False),
    "a share of what is unknown": ("def f(a, p):\n    return (1 - p) / 2, a / p", False),
    "one by something": ("def f(n):\n    return 1 / n", False),
    "a sum that began as a float": (
        "def f(losses, n):\n    s = 0.0\n    for x in losses:\n        s += x\n    s /= n\n"
        "    return s",
        False,
    ),
    "as floats": ("def f(x, n):\n    return x.astype(float) / n", False),
    "a count": ("def f(self):\n    return self.num_words / 2", True),
    "percent": ("def f(right, total):\n    return right * 100 / total", True),
    "own range": ("from lib import range\ndef f(n):\n    return range(n / 2)", True),
    "item": ("def f(x, n):\n    return x[n / 2]", True),
    "a sum of an object": (
        "class Meter:\n    def __init__(self):\n        self.sum = 0\n        self.count = 0\n"
        "    def update(self, x, n):\n        self.sum += x * n\n        self.count += n\n"
        "        self.avg = self.sum / self.count",
        False,
    ),
    "what nothing reads": (
        "class A:\n    def __init__(self, n):\n        padding = (self.kernel_size - 1) / 2\n"
        "        return n",
        False,
    ),
    "what is read only once it is another": (
        "def f(n):\n    m = n / 2\n    m = 3\n    n /= 2\n    return m",
        False,
    ),
    "what is read by an inner function": (
        "def f(n):\n    m = n / 2\n    return lambda: m",
        True,
    ),
    "what is read by all names": ("def f(n):\n    m = n / 2\n    return locals()", True),
    "what is added to": ("def f(n):\n    n /= 2\n    n += 1\n    return n", True),
    "what another file may read": ("from lib import f\nn = f()\nm = n / 2", True),
    "a length that is cut": ("x = int(len(a) / 2)", False),
    "a count that is cut": (
        "def f(self, batch_size):\n    return int(self.num / batch_size)",
        False,
    ),
    "a sum of floats": (_SUMMED.format("hits.sum(), n", ""), False),
    "a sum of floats, or of none": (_SUMMED.format("hits.sum(), n", "return 0, 0"), False),
    "a sum of places": (_SUMMED.format("hits.argmax(), n", ""), True),
    "a sum of whole numbers": (_SUMMED.format("hits.astype(int).sum(), n", ""), True),
    "a sum of the other part": (_SUMMED.format("n, hits.sum()", ""), False),
    "a sum of what is not known": (_SUMMED.format("hit, n", ""), True),
    "what is divided by one": ("def f(n):\n    count = 1\n    return n / count", False),
    "what is divided by one, once": (
        "def f(n):\n    count = 1\n    for _ in n:\n        count += 1\n    return num / count",
        True,
    ),
    "what is divided by one or another": (
        "def f(n, size):\n    if n:\n        size = 1\n    return num / size",
        True,
    ),
    "what is divided by one or two": (
        "def f(x):\n    count = 1\n    if x:\n        count = 2\n    return num / count",
        True,
    ),
    "what is found, as floats": ("def f(x):\n    return (x > 0).sum(dtype=float) / 2", False),
    "what is unpacked beside what is found": (
        "def f(x):\n    n, found = (x > 0).sum(), g()\n    return found / 2",
        False,
    ),
    "what is found, or more": (
        "def f(x):\n    found = (x > 0).sum()\n    found += g()\n    return found / 2",
        False,
    ),
    "the mean of what is found": ("def f(x):\n    return (x > 0).mean() / 2", False),
    "what is cut of what is not known": ("def f(n, x):\n    return int(n * 2 / x)", False),
}


@pytest.mark.parametrize(("text", "is_found"), KEPT_DIVISIONS.values(), ids=KEPT_DIVISIONS)
def test_other_divisions_stay_and_are_found_where_they_may_differ(
    text: str, is_found: bool
) -> None:
    result = migrate(f"import torch\nprint 1\n{text}\n")
    assert result.after == f"import torch\nprint(1)\n{text}\n"
    found = [f for f in result.findings if f.code == "TP002"]
    assert bool(found) is is_found
    lines = text.splitlines()
    assert all("/" in lines[f.line - 3] and not f.fixed for f in found)


_ROUNDED = (
    "in Python 2 this / rounded down where both sides are whole numbers: write // if they are"
)


@pytest.mark.parametrize("head", ["", '"""A text."""\n'])
def test_the_first_division_names_the_lines_of_the_others(head: str) -> None:
    lines = [f"    yield n / k + {i}" for i in range(9)]

    def told(count: int) -> tuple[int, str]:
        text = "\n".join([f"{head}import torch\nprint 1\ndef f(n, k):", *lines[:count]])
        [found] = [f for f in migrate(f"{text}\n").findings if f.code == "TP002"]
        assert found.also == tuple(range(found.line + 1, found.line + count))
        return found.line, found.message

    first = 4 + head.count("\n")
    of_one, six = _ROUNDED, ", ".join(map(str, range(first + 1, first + 6)))
    assert told(1) == (first, of_one)
    assert told(2) == (first, f"{of_one}, and so in line {first + 1}")
    assert told(7) == (first, f"{of_one}, and so in lines {six} and {first + 6}")
    assert told(9) == (first, f"{of_one}, and so in lines {six}, {first + 6} and 2 more")


@pytest.mark.parametrize(
    ("begin", "divided", "is_told"),
    [
        ("0.", "100 * correct / n", False),
        ("0.", "(correct + n) * 100 / k", False),
        ("0.", "n / (correct * 2)", False),
        ("0", "100 * correct / n", True),
        ("0.", "100 * k / n", True),
        ("0.", "correct[0] * 100 / n", True),
        ("0.", "f(correct) * 100 / n", True),
    ],
)
def test_what_began_as_a_float_stays_one_in_what_is_calculated_with_it(
    begin: str, divided: str, is_told: bool
) -> None:
    text = (
        f"import torch\nprint 1\ndef g(f, n, k):\n    correct = {begin}\n    for i in k:\n"
        f"        correct += f(i)\n    return {divided}\n"
    )
    told = [f.message for f in migrate(text).findings if f.code == "TP002"]
    assert told == ([_ROUNDED] if is_told else [])


@pytest.mark.parametrize(("by", "is_told"), [("1", False), ("2", True)])
def test_what_one_divides_is_no_other_number(by: str, is_told: bool) -> None:
    text = f"import torch\nprint 1\ndef f(n=3):\n    count = {by}\n    return n / count\n"
    told = [f.message for f in migrate(text).findings if f.code == "TP002"]
    assert told == ([_ROUNDED] if is_told else [])


@pytest.mark.parametrize(("by", "is_told"), [("1", False), ("2", True)])
def test_nor_where_all_that_callers_give_is_one(by: str, is_told: bool) -> None:
    text = f"import torch\nprint 1\ndef f(count, n):\n    return n / count\nf(1, x)\nf({by}, x)\n"
    told = [f.message for f in migrate(text).findings if f.code == "TP002"]
    assert told == ([_ROUNDED] if is_told else [])


@pytest.mark.parametrize(
    ("imported", "size", "is_told"),
    [
        ("from PIL import Image", "x2, y2 = image.size", True),
        ("from PIL import Image", "y2 = image.size[1]", True),
        ("from PIL import Image", "y2 = image.height_of()", False),
        ("from PIL import Image", "y2 = float(image.size[1])", False),
        ("import numpy as np", "y2 = image.size[1]", False),
    ],
)
def test_half_of_the_size_of_a_picture_was_a_whole_number(
    imported: str, size: str, is_told: bool
) -> None:
    text = (
        f"import torch\n{imported}\nprint 1\ndef f(image, x):\n    {size}\n"
        "    return int(y2 / 2 - x)\n"
    )
    told = [f.message for f in migrate(text).findings if f.code == "TP002"]
    assert told == ([_ROUNDED] if is_told else [])


def test_what_mxnet_finds_is_not_certainly_whole() -> None:
    text = "import torch\n{}\nprint 1\ndef f(a, b):\n    return (a == b).sum() / 4\n"
    assert "// 4" in migrate(text.format("import numpy as np")).after
    assert "// 4" not in migrate(text.format("from mxnet import nd")).after


def test_a_line_is_named_once() -> None:
    text = (
        "import torch\nprint 1\ndef f(n, num):\n    print(num / n)\n    return num / n + num / n\n"
    )
    told = [(f.line, f.message) for f in migrate(text).findings if f.code == "TP002"]
    assert told == [(4, f"{_ROUNDED}, and so in line 5")]


@pytest.mark.parametrize(
    "line", ["from __future__ import division", "from __future__ import (print_function, division)"]
)
def test_divisions_of_python_3_stay(line: str) -> None:
    result = migrate(f"{line}\nimport torch\nm = 0777\nx = 7 / 2\n")
    assert result.after is not None and "x = 7 / 2" in result.after
    assert not [f for f in result.findings if f.code == "TP002"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for i in xrange(3):\n    f(i / 2)\n", "for i in range(3):\n    f(i // 2)\n"),
        ("s = isinstance(x, basestring)\n", "s = isinstance(x, str)\n"),
        (
            "for k, v in d.iteritems():\n    f(unicode(k))\n",
            "for k, v in d.items():\n    f(str(k))\n",
        ),
        ("for k, p in net._parameters.iteritems():\n    f(p)\n", None),
        ("print(sorted(net.state_dict().iteritems()))\n", None),
        ("def f(**options):\n    return list(options.iteritems())\n", None),
        ("counts = {}\nfor k, n in counts.iteritems():\n    f(n)\n", None),
        (
            "from collections import OrderedDict\nfrom utils import *\n"
            "counts = OrderedDict()\nif not counts.has_key(k):\n    counts[k] = 0\n",
            "from collections import OrderedDict\nfrom utils import *\n"
            "counts = OrderedDict()\nif k not in counts:\n    counts[k] = 0\n",
        ),
        (
            "from collections import OrderedDict as Ordered\n"
            "class Log:\n"
            "    def __init__(self):\n"
            "        self.meters = Ordered()\n"
            "    def show(self):\n"
            "        for k, v in self.meters.iteritems():\n"
            "            print(k)\n",
            None,
        ),
    ],
)
def test_what_python_3_can_only_parse_is_converted(before: str, after: str | None) -> None:
    after = before.replace(".iteritems()", ".items()") if after is None else after
    text = f"import torch.nn as nn\n{before}{LEGACY}"
    modern = MODERN.replace("'", '"')
    assert converted(text) == f"import torch.nn as nn\n{after}{modern}"


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    xrange\nexcept NameError:\n    xrange = range\nfor i in xrange(3):\n    i / 2\n",
        "from six.moves import xrange\nfor i in xrange(3):\n    i / 2\n",
        "from six.moves import *\nfor i in xrange(3):\n    i / 2\n",
        "def unicode(x):\n    return x\nunicode(3) / 2\n",
        "from utils import *\nd = load()\nd.has_key(3)\n",
        "import sys\nif sys.version_info[0] == 2:\n    text = unicode\nelse:\n    text = str\n",
        "text = unicode if PY2 else str\n",
        "try:\n    text = unicode(x)\nexcept NameError:\n    text = str(x)\n",
        "import utils  # for xrange\nfor i in xrange(3):\n    d.has_key(i)\n",
        "def f(long):\n    return long.iteritems()\n",
        "# xrange\nx = 'unicode'\n",
        "for name, column in frame.iteritems():\n    f(column / 2)\n",
        "def f(d, *rest):\n    return d.iteritems(), rest.iteritems()\n",
        "d = {}\nfor k, v in d.iteritems():\n    print('key', k / 2)\n",
        "d = {}\nd = load()\nfor k in d.iterkeys():\n    k / 2\n",
        "d = {}\nfor k, v in (d.iteritems() if PY2 else d.items()):\n    k / 2\n",
        "d = {}\ntry:\n    i = d.iteritems()\nexcept AttributeError:\n    i = d.items()\n",
        "class A:\n    def __init__(self):\n        self.d = {}\nmine.d = 1\nself.d.iteritems()\n",
        "import torch\nclass A:\n    def state_dict(self):\n        return 1\nA().state_dict().iteritems()\n",
    ],
)
def test_what_both_pythons_run_is_not_converted(text: str) -> None:
    assert migrate(text).after is None


def test_a_division_that_a_rule_writes_is_not_told_as_well() -> None:
    result = migrate(
        "import torch\nprint 1\n"
        "def shards(images, size):\n"
        "    n = (len(images) - 1) / size + 1\n"
        "    m = size / 3\n"
        "    for i in range(n):\n"
        "        print i, m\n"
    )
    assert result.after is not None and "(len(images) - 1) // size + 1" in result.after
    assert [(f.line, f.code) for f in result.findings if not f.fixed] == [(5, "TP002")]


def test_a_division_that_a_rule_tells_of_is_told_once() -> None:
    text = "import torch\nprint 1\ndef fit(size):\n    print size / 3\n    return size / 64 * 64\n"
    told = [(f.line, f.code) for f in migrate(text).findings if not f.fixed]
    assert told == [(4, "TP002"), (5, "TP414")]


def test_the_print_of_the_future_is_no_sign_of_python_3() -> None:
    before = "import torch\nd = {}\nfor k, n in d.iteritems():\n    print(k, n)\n"
    text = f"from __future__ import print_function\n{before}"
    assert converted(text).endswith(before.replace("iteritems", "items"))


def test_imports_of_the_future_leave_no_empty_line() -> None:
    before = "from __future__ import print_function\nimport torch\nif 1 <> 2:\n    print(1)\n"
    assert converted(before) == before.replace("<>", "!=")


def test_tabs_count_as_eight_columns() -> None:
    before = (
        "import torch\nif x:\n    if z:\n\tprint 1\n        y = '''\n\tkept\n'''\n"
        "\tif y:\n\t    print 2\n"
    )
    assert converted(before) == (
        "import torch\nif x:\n    if z:\n        print(1)\n        y = '''\n\tkept\n'''\n"
        "        if y:\n            print(2)\n"
    )


def test_the_few_lines_that_are_indented_otherwise_are_as_the_rest() -> None:
    before = (
        "import torch\nif x:\n\tprint 1\n\tf(1,\n          2)\n        y = '''\n        kept\n'''\n"
        "        z = 1\n\tif y:\n\t    print 2\n"
    )
    assert converted(before) == (
        "import torch\nif x:\n\tprint(1)\n\tf(1,\n          2)\n\ty = '''\n        kept\n'''\n"
        "\tz = 1\n\tif y:\n\t    print(2)\n"
    )
    spaces = "import torch\nif x:\n    if y:\n        print 1\n\tprint 2\n    print 3\n"
    assert converted(spaces) == (
        "import torch\nif x:\n    if y:\n        print(1)\n        print(2)\n    print(3)\n"
    )


def test_blocks_of_a_few_tabs_stand_as_far_in_as_those_of_spaces() -> None:
    before = (
        "import torch\nif x:\n    if y:\n        print 1\n\tif z:\n\t\tf(2,\n\t\t    3)\n"
        "\t\tif y:\n\t\t\tprint 3\n\tprint 4\n    print 5\n    while x:\n        f()\n"
        "        g()\n"
    )
    assert converted(before) == (
        "import torch\nif x:\n    if y:\n        print(1)\n        if z:\n"
        "            f(2,\n                3)\n"
        "            if y:\n                print(3)\n        print(4)\n    print(5)\n"
        "    while x:\n        f()\n        g()\n"
    )


@pytest.mark.parametrize(
    "block",
    [
        "\tif z:\n\t\tprint(2)\n                print(3)\n",
        "        if z:\n\t    print(2)\n\t    if y:\n\t\tprint(3)\n",
    ],
    ids=["a line of spaces below", "spaces behind the tab"],
)
def test_blocks_with_lines_of_spaces_beside_those_of_tabs_have_the_columns_of_python_2(
    block: str,
) -> None:
    before = f"import torch\nif x:\n    if y:\n        print(1)\n{block}    print 5\n    g()\n"
    assert converted(before) == before.replace("print 5", "print(5)").expandtabs(8)


def test_comments_of_lines_that_are_indented_otherwise_follow_them() -> None:
    before = (
        "import torch\nif x:\n    if y:\n        print 1\n\t# of two\n\t# and of three\n"
        "        # by spaces\n\t# the last\n\tprint 2\n\t# behind it\n    print 3\n"
        "\n\t# apart\n    print 4\n    print 5\n    print 6\n"
    )
    assert converted(before) == (
        "import torch\nif x:\n    if y:\n        print(1)\n\t# of two\n\t# and of three\n"
        "        # by spaces\n        # the last\n        print(2)\n        # behind it\n"
        "    print(3)\n\n\t# apart\n    print(4)\n    print(5)\n    print(6)\n"
    )


def test_a_block_that_begins_otherwise_is_as_the_rest() -> None:
    before = "import torch\nif x:\n        print 1\n\tprint 2\n\tprint 3\n\tprint 4\n"
    assert converted(before) == (
        "import torch\nif x:\n\tprint(1)\n\tprint(2)\n\tprint(3)\n\tprint(4)\n"
    )


def test_a_block_of_tabs_under_a_line_of_spaces_has_a_tab_a_block_as_the_rest() -> None:
    before = (
        "import torch\nif x:\n\tfor i in y:\n\t\tprint 1\nif z:\n  # each\n  for i in y:\n"
        "\t\tprint 2\n\t\tf(1,\n     2)\n\t\tprint 3\n"
    )
    assert converted(before) == (
        "import torch\nif x:\n\tfor i in y:\n\t\tprint(1)\nif z:\n\t# each\n\tfor i in y:\n"
        "\t\tprint(2)\n\t\tf(1,\n     2)\n\t\tprint(3)\n"
    )


def test_a_tab_that_stands_for_two_blocks_of_spaces_is_eight_columns() -> None:
    block = "if x:\n    if y:\n\tprint 1\n\tif z:\n\t    print 2\n\tprint 3\n"
    assert converted("import torch\n" + block) == (
        "import torch\nif x:\n    if y:\n        print(1)\n        if z:\n            print(2)\n"
        "        print(3)\n"
    )


def test_where_very_many_lines_are_indented_otherwise_all_are_by_spaces() -> None:
    block = "if x:\n\tprint 1\n        print 2\n\tprint 3\n"
    assert "\t" not in converted("import torch\n" + block * 60)


@pytest.mark.parametrize("is_refused", [False, True])
def test_tabs_in_strings_of_several_lines_stay(
    is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(readline: object) -> None:
        raise tokenize.TokenError("inconsistent use of tabs and spaces in indentation")

    if is_refused:
        # As Python 3.12 does.
        monkeypatch.setattr(tokenize, "generate_tokens", refuse)
    before = (
        'import torch\nif x:\n    if z:\n\ts = """\n\ta""" # it\'s\n        print s\n'
        "  \tprint s\n\tprint s\n"
    )
    assert converted(before) == (
        'import torch\nif x:\n    if z:\n        s = """\n\ta""" # it\'s\n'
        "        print(s)\n        print(s)\n        print(s)\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nprint 1\r\nx = 2\n",
        "import torch\r\nprint 1\nx = 2\r\n",
        "import torch\nif x:\n    print 1\n  print 2\n",
        "import torch\nif x:\n\tprint 1\n   print 2\n",
        "import torch\nTrue = 1\nprint 1\n",
    ],
)
def test_what_cannot_be_converted_stays_and_is_named(text: str) -> None:
    result = migrate(text)
    assert not result.changed
    assert len(result.errors) == 1


def test_what_another_file_holds_that_cannot_be_converted_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    (tmp_path / "lib.py").write_text(
        "import torch\ndef f():\n    print 1\n  return torch.ones(1)\n"
    )
    (tmp_path / "old.py").write_text("import torch\nfrom lib import f\nx = f().data\n")
    assert run("migrate", "--py2", str(tmp_path)).exit_code == 2
    assert (tmp_path / "old.py").read_text() == "import torch\nfrom lib import f\nx = f().data\n"


def test_tabs_that_python_3_takes_stay() -> None:
    assert converted("import torch\nif x:\n\tprint 1\n") == "import torch\nif x:\n\tprint(1)\n"


def test_line_ends_and_a_missing_last_one_stay() -> None:
    assert converted("import torch\r\nprint 1\r\nprint 2\r\n") == (
        "import torch\r\nprint(1)\r\nprint(2)\r\n"
    )
    assert converted("import torch\nprint 1") == "import torch\nprint(1)"


def test_async_is_repaired_as_well() -> None:
    text = "import torch\nprint 1\nx = torch.ones(1).cuda(async=True)\n"
    assert "non_blocking=True" in converted(text)


def test_files_without_torch_are_converted_for_those_that_import_them(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    (tmp_path / "lib.py").write_text("print 1\nN = 3\n")
    (tmp_path / "old.py").write_text("import torch\nfrom lib import N\nprint N\n")
    (tmp_path / "template.py").write_text("{{ no Python at all }}\n")
    result = run("migrate", "--py2", str(tmp_path))
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "lib.py").read_text() == "print(1)\nN = 3\n"
    assert run("migrate", "--py2", "--check", str(tmp_path)).exit_code == 0


def test_what_another_file_of_python_2_holds_is_known(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    (tmp_path / "lib.py").write_text(
        "import torch\nprint 1\n\ndef f():\n    return torch.ones(1)\n"
    )
    (tmp_path / "old.py").write_text("import torch\nfrom lib import f\nx = f().data\n")
    assert run("migrate", "--py2", str(tmp_path)).exit_code == 0
    first = (tmp_path / "old.py").read_text()
    assert run("migrate", "--py2", str(tmp_path)).exit_code == 0
    assert first == (tmp_path / "old.py").read_text() != "import torch\nx = f().data\n"


def test_what_is_no_python_at_all_is_named() -> None:
    (error,) = migrate("import torch\nthis is no Python\n").errors
    assert "not valid Python" in error.message and error.line == 2


def test_a_comment_skips_the_file() -> None:
    result = migrate("# torchfix: skip-file\nimport torch\nprint 1\n")
    assert result.skipped and not result.changed


def test_the_converter_is_asked_for_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from torchfix_codemods.documents import python2

    python2._tool.cache_clear()
    original = builtins.__import__

    def refusing(name: str, *args: Any) -> Any:
        if name.startswith("fissix"):
            raise ImportError(name)
        return original(name, *args)

    monkeypatch.setattr(builtins, "__import__", refusing)
    (error,) = migrate("import torch\nprint 1\n").errors
    assert "torchfix-codemods[py2]" in error.message
    assert not migrate("import torch\nprint(1)\n").errors
    monkeypatch.undo()
    python2._tool.cache_clear()


def test_findings_keep_the_lines_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "import torch, f, y\nprint 1\nx = reduce(f, y)\n\ndef g(x):\n    return x.cuda()\n"
    text += "if y.use_gpu:\n    y.net.cuda()\n"
    result = migrate(text, select=("TP201",))
    assert result.after is not None and "from functools import reduce" in result.after
    assert [(f.line, f.code) for f in result.findings] == [(2, "TP001"), (6, "TP201")]


def test_cells_of_python_2_are_converted() -> None:
    cells = ["%matplotlib inline\nimport torch.nn as nn\nprint 'a'", "n = 7 / 2", LEGACY.rstrip()]
    data = written(notebook(*cells)).encode()
    plain = migrate_bytes(data, ALONE / "nb.ipynb", Settings())
    assert plain.changed and "--py2" in plain.errors[0].message
    result = migrate_bytes(data, ALONE / "nb.ipynb", Settings(py2=True))
    assert not result.errors and result.after is not None
    assert ["".join(cell["source"]) for cell in json.loads(result.after)["cells"]] == [
        "%matplotlib inline\nimport torch.nn as nn\nprint('a')",
        "n = 7 // 2",
        MODERN.rstrip(),
    ]
    again = migrate_bytes(result.after.encode(), ALONE / "nb.ipynb", Settings(py2=True))
    assert not again.changed


UNASKED = "import torch\nprint 1\nloss = torch.nn.MSELoss(size_average=False)\n"


def test_what_python_3_cannot_read_is_converted_unasked(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(UNASKED)
    (tmp_path / "lib.py").write_text("def f(x):\n    print x\n")
    (tmp_path / "both.py").write_text("def f(x):\n    return xrange(x)\n")
    assert run("migrate", str(tmp_path)).exit_code == 0
    assert (tmp_path / "train.py").read_text() == (
        'import torch\nprint(1)\nloss = torch.nn.MSELoss(reduction="sum")\n'
    )
    assert (tmp_path / "lib.py").read_text() == "def f(x):\n    print(x)\n"
    assert "xrange" in (tmp_path / "both.py").read_text()


def test_tabs_beside_spaces_are_no_obstacle() -> None:
    text = "import torch\nif x:\n\ty = 1\n        z = 2\n"
    result = migrate_bytes(text.encode(), ALONE / "old.py", Settings())
    assert result.after == "import torch\nif x:\n        y = 1\n        z = 2\n"


def test_a_project_without_torch_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text("def f(x):\n    print x\n")
    run("migrate", str(tmp_path))
    assert (tmp_path / "lib.py").read_text() == "def f(x):\n    print x\n"


def test_conversion_can_be_refused() -> None:
    result = migrate_bytes(UNASKED.encode(), ALONE / "old.py", Settings(py2=False))
    assert not result.changed
    assert result.errors[0].message == (
        "Python 2 (print statement); --py2 converts it to Python 3 first"
    )


def test_what_would_convert_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from torchfix_codemods.documents import kinds
    from torchfix_codemods.text import converter

    for module in (kinds, converter):
        monkeypatch.setattr(module, "has_converter", lambda: False)
    result = migrate_bytes(UNASKED.encode(), ALONE / "old.py", Settings())
    assert not result.changed
    assert result.errors[0].message == (
        "Python 2 (print statement); after pip install 'torchfix-codemods[py2]' this command "
        "converts it to Python 3 first"
    )


def test_messages_name_the_lines_of_the_file_as_it_was() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\nfrom itertools import ifilter\n"
        "def wrap(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
        "def both(x, y, volatile=False):\n    x = wrap(x, volatile=volatile)\n"
        "    y = wrap(y, volatile=volatile)\n    return x, y\nprint 1\n"
    )
    told = [f for f in migrate(text).findings if f.code == "TP102"]
    assert [(f.line, ", here and in line 8," in f.message) for f in told] == [(7, True)]


def test_pickles_that_the_project_may_write_are_not_of_python_2(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    reader = tmp_path / "read.py"
    reader.write_text(
        "import numpy, pickle\nprint 1\nx = pickle.load(open('x.pkl', 'r'))\nprint x.shape\n"
    )

    def said() -> str:
        options = ["check", "--all", "--py2", "--no-cache", str(tmp_path)]
        return CliRunner().invoke(main, options).output

    assert "encoding='latin1'" in said()
    (tmp_path / "write.py").write_text("import pickle\npickle.dump([1], open('x.pkl', 'wb'))\n")
    assert "converted to Python 3" in said() and "encoding='latin1'" not in said()
    fetched = "import urllib\nurllib.urlretrieve(url, 'x.pkl')\n"
    reader.write_text(fetched + reader.read_text())
    assert "encoding='latin1'" in said()


def test_a_file_that_others_import_is_converted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    converted = list[str]()
    convert = python2._refactored

    def noting(text: str) -> Any:
        converted.append(text)
        return convert(text)

    monkeypatch.setattr(python2, "_refactored", noting)
    (tmp_path / ".git").mkdir()
    mark = f"{tmp_path.name} once"
    (tmp_path / "net.py").write_text(
        f"import torch\ndef net(x):\n    print '{mark}'\n    return x\n"
    )
    user = "import torch\nfrom net import net\ndef run(x):\n    return net(x).data[0]\n"
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(user)
    paths = [tmp_path / name for name in ("a.py", "net.py", "b.py")]
    results = [*migrate_files(paths, Settings(), write=False)]
    assert not any(result.errors for result in results)
    assert sum(mark in text for text in converted) == 1


_OF_OTHER_NAMES = {
    "a batch of the file": (
        "import os\ninput = f(3)\nprint 1\nx = raw_input('a')\n",
        "import os\nimport builtins\ninput = f(3)\nprint(1)\nx = builtins.input('a')\n",
    ),
    "a parameter": (
        "import os\ndef f(input):\n    print 1\n    return raw_input()\n",
        "import os\nimport builtins\ndef f(input):\n    print(1)\n    return builtins.input()\n",
    ),
    "a list called so": (
        "import os\ndef f(list, a):\n    print 1\n    return map(g, a)[0]\n",
        "import os\nimport builtins\ndef f(list, a):\n    print(1)\n"
        "    return builtins.list(map(g, a))[0]\n",
    ),
    "what a loop goes through": (
        "import os\nfor range in xrange(3): print range\n",
        "import os\nimport builtins\nfor range in builtins.range(3): print(range)\n",
    ),
    "opened so": (
        "import os\nwith open(a) as input: print raw_input()\n",
        "import os\nimport builtins\nwith open(a) as input: print(builtins.input())\n",
    ),
    "a string of the function": (
        "import os\ndef f(a):\n    str = 'a'\n    print unicode(a)\n",
        "import os\nimport builtins\ndef f(a):\n    str = 'a'\n    print(builtins.str(a))\n",
    ),
    "imported": (
        "from a import input\nprint raw_input()\n",
        "from a import input\nimport builtins\nprint(builtins.input())\n",
    ),
    "a parameter that is called": (
        "def f(input):\n    print 1\n    return input(3)\n",
        "def f(input):\n    print(1)\n    return input(3)\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), _OF_OTHER_NAMES.values(), ids=_OF_OTHER_NAMES)
def test_functions_of_python_are_named_where_their_names_are_taken(before: str, after: str) -> None:
    assert python2.to_python3(before).text == after


_PLACED_IMPORTS = {
    "beside the standard library's": (
        "import os\n\n# arrays\nimport numpy\nimport data\n\nprint reduce(f, x)\n",
        "import os\nfrom functools import reduce\n\n# arrays\nimport numpy\nimport data\n\n"
        "print(reduce(f, x))\n",
    ),
    "below a comment that is beside": (
        "import os, re  # paths\nfrom a import b\ninput = 3\nprint raw_input()\n",
        "import os, re  # paths\nimport builtins\nfrom a import b\ninput = 3\n"
        "print(builtins.input())\n",
    ),
    "all are of others": (
        "import numpy\nimport data\nprint reduce(f, x)\n",
        "import numpy\nimport data\nfrom functools import reduce\nprint(reduce(f, x))\n",
    ),
    "one may bring the name": (
        "import os\nfrom data import *\nprint reduce(f, x)\n",
        "import os\nfrom data import *\nfrom functools import reduce\nprint(reduce(f, x))\n",
    ),
    "one with another name now": (
        "import os\nimport numpy\nimport cPickle\nprint 1\n",
        "import os\nimport numpy\nimport pickle\nprint(1)\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), _PLACED_IMPORTS.values(), ids=_PLACED_IMPORTS)
def test_imports_that_are_written_stand_beside_their_like(before: str, after: str) -> None:
    assert python2.to_python3(before).text == after


_OF_NO_OTHER_NAMES = {
    "of another function": (
        "def f(input):\n    return 1\nprint 1\nx = raw_input('a')\n",
        "def f(input):\n    return 1\nprint(1)\nx = input('a')\n",
    ),
    "an argument": ("f(input=3)\nprint raw_input()\n", "f(input=3)\nprint(input())\n"),
    "an attribute": ("y.input = 3\nprint raw_input()\n", "y.input = 3\nprint(input())\n"),
    "its default": (
        "def f(a=input):\n    print raw_input()\n",
        "def f(a=input):\n    print(input())\n",
    ),
    "from six": (
        "from six.moves import input\nprint raw_input()\n",
        "from six.moves import input\nprint(input())\n",
    ),
    "of a class": (
        "class A:\n    input = 3\n    def list(self): print map(f, x)[0], raw_input()\n",
        "class A:\n    input = 3\n    def list(self): print(list(map(f, x))[0], input())\n",
    ),
    "read": ("x = input\nprint raw_input()\n", "x = input\nprint(input())\n"),
    "stored into": ("input[0] = 3\nprint raw_input()\n", "input[0] = 3\nprint(input())\n"),
    "evaluated": ("x = input('a')\nprint 1\n", "x = eval(input('a'))\nprint(1)\n"),
}


@pytest.mark.parametrize(("before", "after"), _OF_NO_OTHER_NAMES.values(), ids=_OF_NO_OTHER_NAMES)
def test_functions_of_python_are_written_as_they_are(before: str, after: str) -> None:
    assert python2.to_python3(before).text == after
