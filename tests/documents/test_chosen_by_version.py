"""Files of Python 2 that have something for Python 3 already: that stays as it is."""

import pytest

from tests.support.alone import ALONE
from torchfix_codemods.runs.runner import migrate_bytes
from torchfix_codemods.settings.config import Settings


def converted(text: str) -> str:
    """What ``--py2`` makes of a file that only Python 2 can parse."""
    result = migrate_bytes(f"{text}print 'x'\n".encode(), ALONE / "old.py", Settings(py2=True))
    assert not result.errors and result.after is not None
    again = migrate_bytes(result.after.encode(), ALONE / "old.py", Settings(py2=True))
    assert not again.changed
    return result.after.removesuffix("print('x')\n")


@pytest.mark.parametrize(
    "text",
    [
        "if PY2:\n    import cPickle\nelse:\n    import _pickle as cPickle\nx = cPickle.dumps(1)\n",
        "try:\n    import ConfigParser\nexcept ImportError:\n    import configparser as ConfigParser\n"
        "x = ConfigParser.ConfigParser()\n",
        "try:\n    import urllib2\nexcept ImportError:\n    from urllib import request as urllib2\n"
        "f = urllib2.urlopen\n",
        "chr_ = unichr if PY2 else chr\n",
        "text = unicode if sys.version_info[0] < 3 else str\n",
        "if sys.version_info[0] == 2:\n    import cPickle as pickle\nelse:\n    import pickle\n",
        "if six.PY3:\n    kinds = str,\nelse:\n    kinds = basestring,\n",
        "if sys.version_info < (3, 0):\n    has = d.has_key(1)\nelse:\n    has = 1 in d\n",
        "if sys.version_info >= (3, 0):\n    get = input\nelse:\n    get = raw_input\n",
    ],
)
def test_what_both_have_stays(text: str) -> None:
    assert converted(text) == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("import cPickle\nx = cPickle.dumps(1)\n", "import pickle\nx = pickle.dumps(1)\n"),
        (
            "try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\n",
            "try:\n    import pickle\nexcept ImportError:\n    import pickle\n",
        ),
        (
            "import cPickle\ndef f():\n    import _pickle as cPickle\n    return cPickle\n",
            "import pickle\ndef f():\n    import _pickle as cPickle\n    return cPickle\n",
        ),
        (
            "if PY2:\n    print 1\nelse:\n    print(1)\n",
            "if PY2:\n    print(1)\nelse:\n    print(1)\n",
        ),
        ("chr_ = unichr if small else chr\n", "chr_ = chr if small else chr\n"),
        ("chr_ = str if PY3 else f(unichr)\n", "chr_ = str if PY3 else f(chr)\n"),
        ("if PY3:\n    x = unicode(1)\n", "if PY3:\n    x = str(1)\n"),
        ("if a and PY2:\n    x = unicode(1)\n", "if a and PY2:\n    x = str(1)\n"),
        ("if PY2: x = unicode(1)\n", "if PY2: x = str(1)\n"),
        ("x = unicode(1)\n", "x = str(1)\n"),
    ],
)
def test_all_else_is_converted(text: str, after: str) -> None:
    assert converted(text) == after
