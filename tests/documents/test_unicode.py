from __future__ import annotations

import pytest

from tests.documents.test_python2 import converted, migrate


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "unicode(' '.join(words), errors='ignore')",
            '\' \'.join(words).encode("ascii", "ignore").decode()',
        ),
        ("unicode(' '.join(words), 'utf8', 'ignore')", "str(' '.join(words))"),
        ("unicode('a', errors='strict')", "str('a')"),
        (
            "f(unicode('%s'.format(y), errors='ignore').lower())",
            'f(\'%s\'.format(y).encode("ascii", "ignore").decode().lower())',
        ),
        ("unicode('a', 'utf8')", "str('a')"),
        ("unicode('%s'.format(x), 'utf8', 'replace')", "str('%s'.format(x))"),
    ],
)
def test_a_str_is_not_decoded(old: str, new: str) -> None:
    assert converted(f"print 1\nx = {old}\n") == f"print(1)\nx = {new}\n"
    result = migrate(f"print 1\nx = {old}\n")
    assert not [f for f in result.findings if "takes bytes only" in f.message]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("text", "text"),
        ("file.read()", "file.read()"),
        ("b'a'", "b'a'"),
        ("','.join(words).encode('utf8')", "','.join(words).encode('utf8')"),
        ("text[first_of_all_words:last_of_all_words + 1]", "x"),
    ],
)
def test_what_may_be_a_str_is_told_of(given: str, named: str) -> None:
    result = migrate(f"print 1\nx = unicode({given}, errors='ignore')\n")
    assert result.after == f"print(1)\nx = str({given}, \"ascii\", errors='ignore')\n"
    (said,) = [f for f in result.findings if not f.fixed]
    assert said.message == (
        f"str({named}, ...) takes bytes only: where {named} is a str, write"
        f' {named}.encode("ascii", "ignore").decode()'
    )
    assert said.line == 2


@pytest.mark.parametrize("more", ["'utf8'", "'utf8', 'ignore'", "encoding='utf8', errors='ignore'"])
def test_an_encoding_that_is_given_stays(more: str) -> None:
    result = migrate(f"print 1\nx = unicode(text, {more})\n")
    assert result.after == f"print(1)\nx = str(text, {more})\n"
    (said,) = [f for f in result.findings if not f.fixed]
    assert said.message.endswith("where text is a str, write str(text)")


@pytest.mark.parametrize("code", ["unicode(x)", "unicode()", "map(unicode, x, y)", "unicode"])
def test_other_uses_are_just_renamed(code: str) -> None:
    result = migrate(f"print 1\nf({code})\n")
    assert not [f for f in result.findings if not f.fixed]
    assert "unicode" not in (result.after or "unicode")


_UNLESS_TEXT = [
    "if not isinstance(s, {kind}):\n    s = unicode(s, 'utf-8')\n",
    "if isinstance(s, {kind}):\n    pass\nelse:\n    s = unicode(s, 'utf-8')\n",
    "if s is None:\n    pass\nelif isinstance(s, {kind}):\n    pass\nelse:\n    s = unicode(s, 'utf-8')\n",
    "if not isinstance(s, {kind}): s = unicode(s, 'utf-8')\n",
    "s = s if isinstance(s, {kind}) else unicode(s, 'utf-8')\n",
    "s = unicode(s, 'utf-8') if not isinstance(s, {kind}) else s\n",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["unicode", "basestring", "str"])
@pytest.mark.parametrize("text", _UNLESS_TEXT)
def test_what_is_no_str_where_it_is_decoded_is_not_told_of(text: str, kind: str) -> None:
    result = migrate("print 1\n" + text.format(kind=kind))
    assert "str(s, 'utf-8')" in (result.after or "")
    assert not [f for f in result.findings if "takes bytes only" in f.message]


@pytest.mark.parametrize(
    "text",
    [
        "if isinstance(s, str):\n    s = unicode(s, 'utf-8')\n",
        "if not isinstance(t, unicode):\n    s = unicode(s, 'utf-8')\n",
        "if not isinstance(s, bytes):\n    s = unicode(s, 'utf-8')\n",
        "if not isinstance(s, unicode):\n    pass\nelse:\n    s = unicode(s, 'utf-8')\n",
        "if not isinstance(s, unicode):\n    s = read()\n    s = unicode(s, 'utf-8')\n",
        "if not isinstance(s, unicode):\n    def f(s):\n        return unicode(s, 'utf-8')\n",
        "if isinstance(s, unicode):\n    pass\nelif s:\n    pass\ns = unicode(s, 'utf-8')\n",
    ],
)
def test_another_question_does_not_speak_of_it(text: str) -> None:
    result = migrate("print 1\n" + text)
    assert [f for f in result.findings if "takes bytes only" in f.message]


@pytest.mark.parametrize(
    "text",
    [
        "for line in open(path):\n    x = ','.join(line.split(',')[-3:])\n    f({old})\n",
        "def f(lines):\n    x = ' '.join(lines)\n    if lines:\n        return {old}\n",
        "x = '%s'.format(y)\nprint 1\nf([{old} for z in y])\n",
        "def g(y):\n    x = 'a'\n    with y: f({old})\n",
        "x = 'a'; f({old})\n",
    ],
)
def test_what_was_bound_to_a_str_is_not_decoded(text: str) -> None:
    result = migrate("print 1\n" + text.format(old="unicode(x, errors='ignore')"))
    assert 'x.encode("ascii", "ignore").decode()' in (result.after or "")
    assert not [f for f in result.findings if "takes bytes only" in f.message]
    assert "str(x)" in converted("print 1\n" + text.format(old="unicode(x, 'utf-8')"))


@pytest.mark.parametrize(
    "text",
    [
        "x = ' '.join(y)\nx = read()\nf({old})\n",
        "x = ' '.join(y)\nif y:\n    x = read()\nf({old})\n",
        "x = ' '.join(y)\nfor z in y:\n    f({old})\n    x = read()\n",
        "x = ' '.join(y)\nwhile y:\n    f({old})\n    x = read()\n",
        "x = ' '.join(y)\ndef g():\n    return {old}\nx = read()\n",
        "x = ' '.join(y)\nf([{old} for x in y])\n",
        "x = ' '.join(y)\nf({old} for z in y for x in z)\n",
        "x = ' '.join(y)\nf(lambda x: {old})\n",
        "x = ' '.join(y)\nf({{{old}: 1 for x in y}})\n",
        "x = ' '.join(y)\nfor x in y: f({old})\n",
        "x = ' '.join(y)\nwith y as x:\n    f({old})\n",
        "x = ' '.join(y).encode('utf-8')\nf({old})\n",
        "x += ' '.join(y)\nf({old})\n",
        "x = ' '.join(y)\ndef g(x=b''):\n    return {old}\n",
        "def g():\n    global x\n    x = b''\nx = ' '.join(y)\ng()\nf({old})\n",
    ],
)
def test_what_was_bound_to_something_else_is_told_of(text: str) -> None:
    old = "unicode(x, errors='ignore')"
    result = migrate("print 1\n" + text.format(old=old))
    assert "str(x, \"ascii\", errors='ignore')" in (result.after or "")
    assert [f for f in result.findings if "takes bytes only" in f.message]
