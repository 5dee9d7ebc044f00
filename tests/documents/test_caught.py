"""Caught exceptions of Python 2: their message, and what prints them."""

from __future__ import annotations

import pytest

from tests.documents.test_python2 import converted, migrate

_TEXT = """import traceback
try:
    print g()
except {caught}, e:
    {line}
"""


def _converted(line: str, caught: str = "Exception", after: str = "") -> str:
    text = converted(_TEXT.format(caught=caught, line=line) + after)
    return text.partition("as e:\n    ")[2].removesuffix(after).rstrip("\n")


def _told(line: str, caught: str = "Exception", after: str = "") -> list[str]:
    found = migrate(_TEXT.format(caught=caught, line=line) + after).findings
    return [finding.message for finding in found if not finding.fixed]


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("print e.message", "print(str(e))"),
        ("print 'failed:', e.message, e.args", "print('failed:', str(e), e.args)"),
        ("if 'memory' in e.message: raise", "if 'memory' in str(e): raise"),
        ("raise Error(e.message)  # again", "raise Error(str(e))  # again"),
        ("log('a %s' % e.message.strip())", "log('a %s' % str(e).strip())"),
        ("x = f(a = e.message)", "x = f(a = str(e))"),
        ("print e.message; f(e=e)", "print(str(e)); f(e=e)"),
        ("traceback.print_exc(e)", "traceback.print_exc()"),
        ("x = traceback.format_exc( e )", "x = traceback.format_exc( )"),
    ],
)
def test_what_python_3_has_of_an_exception(line: str, written: str) -> None:
    assert _converted(line) == written and not _told(line)


@pytest.mark.parametrize(
    "caught", ["BaseException", "StandardError", "ValueError", "(RuntimeError, TypeError)"]
)
def test_the_message_of_exceptions_of_python(caught: str) -> None:
    assert _converted("x = e.message", caught) == "x = str(e)"


@pytest.mark.parametrize(
    ("line", "caught"),
    [
        ("x = e.message", "KeyError"),
        ("x = e.message", "IOError"),
        ("x = e.message", "(ValueError, UnicodeDecodeError)"),
        ("x = e.message[0]", "Exception"),
        ("x = e.message.items()", "ValueError"),
    ],
)
def test_a_message_that_is_not_its_text_is_told(line: str, caught: str) -> None:
    assert "e.message" in _converted(line, caught)
    (told,) = _told(line, caught)
    assert told == (
        "not converted: exceptions have no .message in Python 3: write str(e), or what is wanted "
        "of e.args"
    )


@pytest.mark.parametrize(
    ("line", "caught"),
    [
        ("x = e.message", "Error"),
        ("x = e.message", "socket.error"),
        ("x = e.message", "(ValueError, Error)"),
        ("x = e.message", "kinds"),
        ("x = e.args[0], e.messages, f.e.message, e.x.message", "Exception"),
        ("e = f(e); x = e.message", "Exception"),
        ("x = [e.message for e in f(e)]", "Exception"),
        ("traceback.print_exc(3)", "Exception"),
        ("traceback.print_exc(file=e)", "Exception"),
        ("traceback.print_exc(3, e)", "Exception"),
        ("x.traceback.print_exc(e)", "Exception"),
        ("tracing.print_exc(e)", "Exception"),
        ("traceback.print_tb(e)", "Exception"),
    ],
)
def test_what_may_be_something_else_stays(line: str, caught: str) -> None:
    assert _converted(line, caught) == line and not _told(line, caught)


_OWN = "class ValueError(Exception): pass\n"
_OF_CLASS = "class E(Exception):\n    message = 'a'\n"
_OF_OBJECT = "class E(Exception):\n    def __init__(self, a):\n        self.message = a\n"
_OF_METHOD = "class E(Exception):\n    def message(self): pass\n"


@pytest.mark.parametrize("after", [_OF_CLASS, _OF_OBJECT, _OF_METHOD])
def test_a_message_that_a_class_of_the_file_gives(after: str) -> None:
    assert _converted("x = e.message", after=after) == "x = e.message"
    assert not _told("x = e.message", after=after)
    assert _converted("x = e.message", "ValueError", after) == "x = str(e)"
    assert _converted("x = e.message", after="message = 'a'\n") == "x = str(e)"


def test_an_exception_of_the_file_by_the_name_of_one_of_python() -> None:
    assert _converted("x = e.message", "ValueError", _OWN) == "x = e.message"


def test_an_exception_caught_below_another_one() -> None:
    line = "try: h()\n    except E, e: print e.message"
    assert _converted(line).endswith("print(e.message)")


def test_what_is_called_traceback_has_to_be_that() -> None:
    text = _TEXT.format(caught="Exception", line="traceback.print_exc(e)")
    kept = converted(text.replace("import traceback", "import tools as traceback"))
    assert "print_exc(e)" in kept


def test_where_the_file_has_another_str() -> None:
    text = "str = repr\n" + _TEXT.format(caught="Exception", line="x = e.message")
    assert "x = builtins.str(e)" in converted(text)
