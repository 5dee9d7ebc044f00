"""Pictures and pickles that Python 2 held in a ``StringIO``, and imports that leave no line."""

from __future__ import annotations

import pytest

from torchfix_codemods.documents.bytes_in_memory import with_bytes_in_memory
from torchfix_codemods.documents.python2 import to_python3

_READER = """from StringIO import StringIO
from PIL import Image
def read(x, path):
    print path
{}
"""


def _converted(body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return to_python3(_READER.format(lines)).text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return Image.open(StringIO(x))", "return Image.open(BytesIO(x))"),
        ("f = StringIO(x)\nf.seek(0)\nreturn Image.open(f)", "f = BytesIO(x)"),
        ("f = StringIO()\npath.save(f, 'JPEG')\nreturn f.getvalue()", "f = BytesIO()"),
        ("é = 1; return Image.open(StringIO(x))", "return Image.open(BytesIO(x))"),
    ],
)
def test_bytes_are_read_from_bytes(body: str, expected: str) -> None:
    text = _converted(body)
    assert expected in text
    assert "from io import BytesIO\n" in text
    assert "StringIO" not in text


@pytest.mark.parametrize(
    ("imported", "opened"),
    [
        ("import urllib", "urllib.urlopen(path)"),
        ("import urllib2", "urllib2.urlopen(path)"),
        ("from urllib2 import urlopen", "urlopen(path)"),
    ],
)
def test_what_is_read_from_an_address_are_bytes(imported: str, opened: str) -> None:
    text = to_python3(f"{imported}\n{_READER.format(f'    return StringIO({opened}.read())')}").text
    assert "return BytesIO(" in text and "from io import BytesIO\n" in text


def test_what_is_text_stays_text_beside_it() -> None:
    text = _converted("return Image.open(StringIO(x)), StringIO('a')")
    assert "Image.open(BytesIO(x)), StringIO('a')" in text
    assert "from io import BytesIO, StringIO\n" in text


@pytest.mark.parametrize(
    "body",
    [
        "return StringIO(x)",
        "return StringIO(x.read())",
        "return StringIO(urlopen(path).read())",
        "f = StringIO(x)\nreturn f",
        "f = StringIO(x)\nfor line in f:\n    print line",
        "f = StringIO()\nf = Image.open(f)",
        "return read(StringIO(x))",
        "return Image.open(x, StringIO(x))",
        "Image = path\nreturn Image.open(StringIO(x))",
        "f = StringIO()\npath.save(f)",
        "f = StringIO(x)\nread(f)\nreturn Image.open(f)",
    ],
)
def test_what_may_be_text_stays_text(body: str) -> None:
    text = _converted(body)
    assert "BytesIO" not in text
    assert "from io import StringIO\n" in text


def test_the_module_is_spelled_as_the_file_spells_it() -> None:
    text = "import cStringIO\nimport pickle\nprint pickle.load(cStringIO.StringIO(x))\n"
    assert to_python3(text).text == "import io\nimport pickle\nprint(pickle.load(io.BytesIO(x)))\n"


def test_python_3s_own_class_is_meant_as_it_is_written() -> None:
    text = "from io import StringIO\nimport pickle\npickle.load(StringIO(x))\n"
    assert with_bytes_in_memory(text, text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# about\nfrom itertools import izip\nimport a\n", "# about\nimport a\n"),
        ("import a\nfrom itertools import izip, imap\nimport b\n", "import a\nimport b\n"),
        (
            "from itertools import chain, izip\nimport a\n",
            "from itertools import chain\nimport a\n",
        ),
        ("if a:\n    from itertools import izip\n", "if a:\n    pass\n"),
        (
            "if a:\n    import b\n    from itertools import izip\n    import c\n",
            "if a:\n    import b\n    import c\n",
        ),
        (
            "if a:\n    from itertools import izip\n    import c\n",
            "if a:\n    import c\n",
        ),
        ("from itertools import izip; import a\n", "pass; import a\n"),
        (
            "from itertools import izip_longest\nimport a\n",
            "from itertools import zip_longest\nimport a\n",
        ),
    ],
)
def test_an_import_of_what_python_has_itself_leaves_no_line(before: str, after: str) -> None:
    assert to_python3(before + "print 1\n").text == after + "print(1)\n"
