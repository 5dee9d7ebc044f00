"""Code that Python 3 can read and cannot run is told of, once a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.finding import Finding
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

HEAD = "import torch\nfrom torch.autograd import Variable\nx = Variable(torch.ones(2))\n"


def _told(text: str) -> list[tuple[int, str]]:
    found = migrate(HEAD + text).findings
    return [(f.line, f.message.partition(":")[0]) for f in found if f.code == "TP005"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("for i in xrange(3):\n    print(i)\n", "xrange"),
        ("name = unicode(x)\nother = unicode(name)\n", "unicode"),
        ("total = reduce(f, xs)\n", "reduce"),
        ("import cPickle as pickle\n", "cPickle"),
        ("if numpy_2d:\n    pass\nelse:\n    pass\nn = xrange(3) if happy_2 else 3\n", "xrange"),
        ("from cStringIO import StringIO\n", "cStringIO"),
        ("from StringIO import StringIO\n", "StringIO"),
        ("import urlparse\n", "urlparse"),
        ("import __builtin__\n", "__builtin__"),
        ("import os\nimport httplib as http\n", "httplib"),
        ("import Tkinter as tk\n", "Tkinter"),
        ("from itertools import chain, izip\n", "itertools.izip"),
        ("import itertools as it; x = it.imap(f, xs)\n", "itertools.imap"),
        ("import sys; best = sys.maxint\n", "sys.maxint"),
        ("d = {}\nfor k, v in d.iteritems():\n    pass\n", "iteritems()"),
        ("import json\nd = json.load(x)\nfor k, v in d.iteritems():\n    pass\n", "iteritems()"),
    ],
)
def test_what_python_3_does_not_have_is_told(text: str, word: str) -> None:
    ((line, said),) = _told(text)
    assert said == f"Python 3 has no {word}"
    assert line == 4 + text[: text.index(word.partition(".")[2] or word.strip("()"))].count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "from six.moves import xrange\nprint(xrange(3))\n",
        "try:\n    xrange\nexcept NameError:\n    xrange = range\nprint(xrange(3))\n",
        "import sys\nif sys.version_info[0] == 2:\n    print(unicode(x))\n",
        "from functools import reduce\nreduce(f, xs)\n",
        "try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\n",
        "import sys\nif sys.version_info[0] == 2:\n    import cPickle as pickle\n",
        "from compat import is_py3\nif not is_py3:\n    import cPickle as pickle\n",
        "if PYTHON3:\n    n = range(3)\nelse:\n    n = xrange(3)\n",
        "n = xrange(3) if PY_MAJOR < 3 else range(3)\n",
        "from six.moves import cPickle\n",
        "try:\n    from itertools import izip\nexcept ImportError:\n    izip = zip\n",
        "import sys\nif sys.version_info[0] == 2:\n    from itertools import imap\n",
        "from six.moves import urllib\nurllib.quote('a')\n",
        "from .itertools import izip\n",
        "x = store.maxint\n",
        "from .cPickle import load\n",
        "from .StringIO import StringIO\n",
        "from six import StringIO\n",
        "from six.moves import urlparse, configparser as ConfigParser\n",
        "try:\n    import urlparse\nexcept ImportError:\n    from urllib import parse as urlparse\n",
        "import sys\nif sys.version_info[0] == 2:\n    import Queue\nelse:\n    import queue as Queue\n",
        # A text that is no file may stand beside a module of this name.
        "import Queue\n",
        "from compat import *\nprint(xrange(3))\n",
        "def f(long):\n    return x.long() + long\n",
        "for k, v in store.iteritems():\n    pass\n",
        "print('xrange', range(3))\n",
    ],
)
def test_what_may_run_is_not(text: str) -> None:
    assert not _told(text)


_PICKLED = """import pickle
def f(path, other):
    with open(path, "rb") as file:
        data = pickle.load(file)
    return {}
"""


def test_what_a_pickle_held_has_no_method_of_python_2() -> None:
    for method, table in [("iteritems", ", and for a table since pandas 2.0"), ("itervalues", "")]:
        asked = f"data.{method}()"
        ((line, said),) = _told(_PICKLED.format(asked))
        assert (line, said) == (8, f"{asked} raises for a dict of Python 3{table}")
        (found,) = migrate(HEAD + _PICKLED.format(f"list({asked}), {asked}")).findings[-1:]
        assert found.message.endswith(f": write data.{method.removeprefix('iter')}()")


@pytest.mark.parametrize(
    "asked",
    [
        "data.items()",
        "other.iteritems()",
        "own(data).iteritems()",
        "other\ndata = other\nx = data.iteritems()",
        "data.iteritems()\nclass Own:\n    def iteritems(self): pass",
        "data.iteritems() if sys.version_info[0] == 2 else data.items()",
    ],
)
def test_what_may_have_a_method_of_that_name_is_not_told(asked: str) -> None:
    assert not _told(_PICKLED.format(asked))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import Queue\n", "Python 3 has no Queue: its name is queue there"),
        ("from Queue import Empty\n", "Python 3 has no Queue: its name is queue there"),
        ("import ConfigParser as cp\n", "Python 3 has no ConfigParser: its name is configparser"),
        (
            "from HTMLParser import HTMLParser\n",
            "Python 3 has no HTMLParser: its name is html.parser",
        ),
    ],
)
def test_names_that_a_project_may_use_are_told_where_it_has_none(
    tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "setup.py").write_text("")
    for other in ("other.py", f"{text.split()[1]}_of_ours.py"):
        (tmp_path / other).write_text("import torch\n")
    (finding,) = _told_in(tmp_path, text)
    assert finding.line == 4 and finding.message.startswith(said)


@pytest.mark.parametrize(
    "place", ["Queue.py", "Queue/__init__.py", "src/Queue.py", "tools/lib/Queue.py"]
)
def test_a_module_of_the_project_is_not(tmp_path: Path, place: str) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_text("class Queue: ...\n")
    assert not _told_in(tmp_path, "import Queue\n")


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import Queue\nexcept ImportError:\n    import queue as Queue\n",
        "from .Queue import Queue\n",
        "from queue import Queue\n",
    ],
)
def test_a_queue_that_may_be_found_is_not(tmp_path: Path, text: str) -> None:
    (tmp_path / "setup.py").write_text("")
    assert not _told_in(tmp_path, text)


def _told_in(folder: Path, text: str) -> list[Finding]:
    """What is told of a file in a folder of the project."""
    script = folder / "script.py"
    script.write_text(HEAD + text)
    (result,) = migrate_files([script], Settings(), write=False, jobs=1)
    return [finding for finding in result.findings if finding.code == "TP005"]


_TRANSLATED = [
    ("text", "'.,'"),
    ("text", "''.join(marks)"),
    ("text.lower()", "string.punctuation"),
]


@pytest.mark.parametrize(("text", "letters"), _TRANSLATED)
def test_letters_that_translate_deletes_are_told(text: str, letters: str) -> None:
    found = migrate(f"{HEAD}import string\ny = {text}.translate(None, {letters})\n").findings
    (finding,) = (f for f in found if f.code == "TP005")
    new = f'.translate(str.maketrans("", "", {letters}))'
    assert finding.line == 5 and finding.message.endswith(f"write {new}")
    given = {"text": "A.b,", "marks": [".", ","]}
    exec("import string", given)
    with pytest.raises(TypeError):
        eval(f"{text}.translate(None, {letters})", given)
    assert eval(f"{text}{new}", given).lower() == "ab"


@pytest.mark.parametrize(
    "call",
    [
        "data.translate(None, b'.,')",
        "text.translate(None, letters)",
        "text.translate(table, '.,')",
        "text.translate(str.maketrans('', '', '.,'))",
        "net.translate(None)",
        "net.translate(None, '.,', beam=3)",
    ],
)
def test_other_calls_of_translate_are_not(call: str) -> None:
    assert not _told(f"y = {call}\n")
    assert not _told("try:\n    y = x.translate(None, '.')\nexcept TypeError:\n    y = x\n")


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (
            "# Generated by the protocol buffer compiler.  DO NOT EDIT!\n# source: net.proto\n",
            "Python 3 has no unicode, and this file is generated: protoc makes one for it of"
            " net.proto",
        ),
        (
            "# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.\n\n# source: x\n",
            "Python 3 has no unicode, and this file is generated: protoc makes one for it of"
            " its .proto",
        ),
        ("# source: net.proto\n", "Python 3 has no unicode: --py2 converts the file"),
        (
            "x = 1\n# Generated by the protocol buffer compiler\n",
            "Python 3 has no unicode: --py2 converts the file",
        ),
    ],
)
def test_a_generated_file_is_generated_anew(head: str, said: str) -> None:
    text = f"{head}import torch\ntext = unicode(b'constant', 'utf-8')\n"
    assert said in [found.message for found in migrate(text).findings]
