"""Code that Python 3 can read and cannot run is told of, once a file."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

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
        ("d = {}\nfor k, v in d.iteritems():\n    pass\n", "iteritems()"),
    ],
)
def test_what_python_3_does_not_have_is_told(text: str, word: str) -> None:
    ((line, said),) = _told(text)
    assert said == f"Python 3 has no {word}"
    assert line == (5 if "iteritems" in word else 4)


@pytest.mark.parametrize(
    "text",
    [
        "from six.moves import xrange\nprint(xrange(3))\n",
        "try:\n    xrange\nexcept NameError:\n    xrange = range\nprint(xrange(3))\n",
        "import sys\nif sys.version_info[0] == 2:\n    print(unicode(x))\n",
        "from functools import reduce\nreduce(f, xs)\n",
        "from compat import *\nprint(xrange(3))\n",
        "def f(long):\n    return x.long() + long\n",
        "for k, v in store.iteritems():\n    pass\n",
        "print('xrange', range(3))\n",
    ],
)
def test_what_may_run_is_not(text: str) -> None:
    assert not _told(text)
