"""What another program writes, where a file of Python 2 takes it for a text."""

from __future__ import annotations

import pytest

from tests.documents.test_python2 import migrate

_ASKS = "subprocess.check_output(['echo', 'me'])"


def _told(text: str) -> list[tuple[int, str]]:
    found = migrate(f"import subprocess\nprint 1\n{text}").findings
    return [(f.line, f.message) for f in found if "gives bytes" in f.message]


def _run(text: str) -> dict[str, object]:
    given: dict[str, object] = {}
    exec(f"import subprocess\n{text}", given)
    return given


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (f"me = {_ASKS}.strip()\ny = '--user={{}}'.format(me)\n", "'--user={}'.format(me)"),
        (f"me = {_ASKS}\ny = '%s' % me.strip()\n", "'%s' % me.strip()"),
        (f"me = {_ASKS}\ny = '%s %s' % (me, 1)\n", "'%s %s' % (me, 1)"),
        (f"me = {_ASKS}\ny = str(me)\n", "str(me)"),
        (f"y = '{{}}'.format({_ASKS})\n", "a text"),
    ],
)
def test_bytes_that_are_written_into_a_text_are_told(text: str, written: str) -> None:
    ((line, said),) = _told(text)
    assert line == 3
    assert said == (
        f"subprocess.check_output() gives bytes on Python 3, which {written} writes as \"b'...'\": "
        "pass text=True"
    )
    assert "b'me" in str(_run(text)["y"])
    assert "b'me" not in str(_run(text.replace("'me'])", "'me'], text=True)"))["y"])


@pytest.mark.parametrize(
    ("text", "raising"),
    [
        (f"me = {_ASKS}\ny = 'I am ' + me\n", "'I am ' + me"),
        (f"me = {_ASKS}\ny = me.split(',')\n", "me.split(',')"),
    ],
)
def test_bytes_that_stop_the_program_are_told(text: str, raising: str) -> None:
    ((_, said),) = _told(text)
    assert said.endswith(f"on Python 3, and {raising} raises TypeError: pass text=True")
    with pytest.raises(TypeError):
        _run(text)
    _run(text.replace("'me'])", "'me'], text=True)"))


@pytest.mark.parametrize(
    "text",
    [
        f"me = {_ASKS}\n",
        f"me = {_ASKS}.decode()\ny = '{{}}'.format(me)\n",
        f"me = {_ASKS}\ny = 'I am ' + me.decode()\nz = str(me)\n",
        f"me = {_ASKS}\nme = int(me)\ny = '{{}}'.format(me)\n",
        f"me = {_ASKS}\ny = int(me) + 1\n",
        f"me = {_ASKS}\ny = '%s %d' % (1, me)\n",
        f"me = {_ASKS}\ny = '%d' % int(me)\n",
        f"me = {_ASKS}\ny = me.split()\n",
        "me = subprocess.check_output(['ls'], universal_newlines=True)\ny = '%s' % me\n",
        "me = subprocess.check_output(['ls'], **more)\ny = '%s' % me\n",
        f"me = {_ASKS}\ny = '%s' % me\nz = unicode(me, 'utf-8')\n",
        f"me = {_ASKS}\ny = me.encode('hex')\n",
        "me = subprocess.call(['ls'])\ny = '%s' % me\n",
        f"me = {_ASKS} if x else 'a'\ny = '%s' % me\n",
    ],
)
def test_other_outputs_are_not(text: str) -> None:
    assert not _told(text)


def test_a_file_of_python_3_may_mean_bytes() -> None:
    text = f"import subprocess\nme = {_ASKS}\ny = '%s' % me\n"
    assert not [f for f in migrate(text).findings if "gives bytes" in f.message]


def test_another_use_may_go_on_with_bytes() -> None:
    ((_, said),) = _told(f"me = {_ASKS}\ny = '%s' % me\nfile.write(me)\n")
    assert said.endswith("'%s' % me writes as \"b'...'\": decode it there")
