from __future__ import annotations

from typing import Any

import pytest

from tests.documents.test_python2 import converted, migrate

_MIXIN = """from abc import abstractmethod
class Shown(object):
    @abstractmethod
    def __unicode__(self):
        raise NotImplementedError

    def __str__(self):
        return repr(self)

    def __repr__(self):
        return unicode(self).encode('utf-8')


class A(Shown):
    def __unicode__(self):
        return u'é'
"""
_TUPLE = """from collections import namedtuple
class A(namedtuple('A', ['x'])):
    def __new__(cls, x=u'é'):
        return super(A, cls).__new__(cls, x)

    def __repr__(self):
        return unicode(self).encode('utf-8')

    def __unicode__(self):
        return unicode(self.x)
"""
_PLAIN = """class A(object):
    def __str__(self):
        return unicode(self).encode('UTF8', 'ignore')

    def __unicode__(self):
        return u'é'
    __repr__ = __unicode__
"""
_BY_NAME = """class B(object):
    def __unicode__(self):
        return u'é'
class A(B):
    def __unicode__(self):
        return super(A, self).__unicode__()
    def __repr__(self):
        return self.__unicode__().encode('utf-8')
"""


@pytest.mark.parametrize("text", [_MIXIN, _TUPLE, _PLAIN, _BY_NAME])
def test_unicode_is_the_text_of_a_class(text: str) -> None:
    names = _run(text)
    a = names["A"]()
    assert str(a) == repr(a) == f"{a}" == "é"
    assert not _told(text)


def test_what_goes_with_it() -> None:
    assert converted("print 1\n" + _MIXIN) == "print(1)\n" + _MIXIN.replace(
        "    def __str__(self):\n        return repr(self)\n\n", ""
    ).replace("__unicode__", "__str__").replace("unicode(self).encode('utf-8')", "str(self)")
    assert converted("print 1\n" + _PLAIN) == "print(1)\n" + (
        "class A(object):\n    def __str__(self):\n        return u'é'\n    __repr__ = __str__\n"
    )


_TWO = """class A(object):
    def __str__(self):
        return 'a'
    def __unicode__(self):
        return u'é'
    def __repr__(self):
        return '<%s>' % unicode(self)
"""
_BELOW = """class B(object):
    def __str__(self):
        return 'a'
    def __unicode__(self):
        return u'b'
    def __repr__(self):
        return '<%s>' % unicode(self)
class A(B):
    def __unicode__(self):
        return u'é'
"""
_OF_STR = """class A(object):
    def __unicode__(self):
        return u'%s' % str(self)
    def __repr__(self):
        return '<é>'
"""
_ASSIGNED = """class A(object):
    def __unicode__(self):
        return u'a'
    def __repr__(self):
        return '<é>'
    __str__ = lambda self: 'a'
"""
_REMARKED = """class A(object):
    def __str__(self):
        return unicode(self)  # of the terminal
    def __unicode__(self):
        return u'a'
    def __repr__(self):
        return '<é>'
"""


@pytest.mark.parametrize("text", [_TWO, _BELOW, _OF_STR, _ASSIGNED, _REMARKED])
def test_a_class_of_two_texts_is_told(text: str) -> None:
    """Nothing of it goes round in circles."""
    a = _run(text)["A"]()
    assert repr(a) == "<é>" and str(a) in ("a", "<é>")
    assert any("Python 3 never calls __unicode__ of" in said for said in _told(text))


@pytest.mark.parametrize(
    ("given", "now"),
    [
        ("self.name.encode('utf-8')", "self.name"),
        ("(u'<' + name).encode(encoding='utf-8')", "(u'<' + name)"),
        ("self.encode()", None),
        ("self.encode(name)", None),
        ("u'{}'.format(name).encode(\"utf_8\", 'replace')", "u'{}'.format(name)"),
        ("name.encode('utf-8').strip()", None),
        ("encode('utf-8')", None),
        ("'<%s>' % name.encode('utf-8')", None),
    ],
)
def test_a_text_is_no_bytes(given: str, now: str | None) -> None:
    text = "class A(object):\n    def __repr__(self):\n        if name: return {}\n"
    assert converted("print 1\n" + text.format(given)) == "print(1)\n" + text.format(now or given)
    assert not _told(text.format(given))
    other = f"def encoded(self):\n    return {given}\n"
    assert converted("print 1\n" + other) == "print(1)\n" + other


def test_other_bytes_are_told() -> None:
    text = "class A:\n    def __str__(self):\n        return u'é'.encode('latin1')\n"
    assert converted("print 1\n" + text) == "print(1)\n" + text
    said = "not converted: __str__ of A gives bytes, which raises a TypeError in Python 3"
    assert _told(text) == [said]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("div", "truediv"),
        ("rdiv", "rtruediv"),
        ("idiv", "itruediv"),
        ("nonzero", "bool"),
    ],
)
def test_methods_that_have_other_names(old: str, new: str) -> None:
    body = "    def __{0}__(self, x=1):\n        return 0\n    half = __{0}__\n"
    before, after = "class A:\n" + body.format(old), "class A:\n" + body.format(new)
    assert converted("print 1\n" + before) == "print(1)\n" + after
    both = f"{before}    __{new}__ = __{old}__\n"
    assert converted("print 1\n" + both) == "print(1)\n" + both
    inner = f"class A:\n    class B:\n        __{new}__ = __{old}__ = len\n"
    assert converted("print 1\n" + inner) == "print(1)\n" + inner
    assert not _told(before) and not _told(both)


def test_an_iterator_of_both_names() -> None:
    body = "    def next(self):\n        return 1\n"
    both = f"class A(object):\n{body}    __next__ = next\n"
    assert converted("print 1\n" + both) == "print(1)\n" + both
    assert next(_run(both)["A"]()) == 1
    assert next(_run("class A(object):\n" + body)["A"]()) == 1


@pytest.mark.parametrize(
    ("method", "others", "said"),
    [
        ("__cmp__", "", "write __eq__ and __lt__, as functools.total_ordering takes them"),
        ("__cmp__", "    __lt__ = f\n", "write __eq__ and __lt__, as functools.total_ordering"),
        ("__cmp__", "    __lt__ = f\n    def __eq__(self, x): pass\n", ""),
        ("__getslice__", "", "__getitem__ gets the slice there"),
        ("__setslice__", "    __setitem__ = f\n", ""),
    ],
)
def test_methods_that_are_never_called(method: str, others: str, said: str) -> None:
    text = f"class A:\n    def {method}(self, x, y=1, z=2):\n        return 1\n{others}"
    assert converted("print 1\n" + text) == "print(1)\n" + text
    told = _told(text)
    assert len(told) == bool(said)
    if said:
        assert told[0].startswith(f"not converted: Python 3 never calls {method} of A: {said}")


def _told(text: str) -> list[str]:
    return [f.message for f in migrate("print 1\n" + text).findings if not f.fixed]


def _run(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(converted("print 1\n" + text), names)
    return names
