"""What Python 2 made a list, used as one where Python 3 can read the file."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_HEAD = (
    "import numpy as np\nimport torch\nx = torch.autograd.Variable(torch.ones(2))\nline = '1 2'\n"
)


def _told(text: str) -> list[tuple[int, str]]:
    found = migrate(_HEAD + text).findings
    return [(f.line, f.message) for f in found if f.code == "TP005"]


@pytest.mark.parametrize(
    ("text", "name", "raising"),
    [
        ("xs = map(float, line.split())\ny = xs[0]\n", "map", "xs[0]"),
        ("xs = filter(None, line.split())\ny = len(xs)\n", "filter", "len(xs)"),
        ("y = zip(line, line)[0]\n", "zip", "zip(line, line)[0]"),
        ("a = b = map(float, line.split())\ny = b[1:]\n", "map", "b[1:]"),
        (
            "xs = map(float, line.split())\nxs = np.array(xs, dtype=np.float32)\n",
            "map",
            "np.array(xs, dtype=np.float32)",
        ),
        (
            "y = np.asarray(map(int, line.split()), int)\n",
            "map",
            "np.asarray(map(int, line.split()), int)",
        ),
        ("xs = map(float, line.split())\ny = xs + [1]\n", "map", "xs + [1]"),
        ("y = map(int, line.split()) + list(line)\n", "map", "map(int, line.split()) + list(line)"),
        ("xs = zip(line, line)\ny = [z for z in line] + xs\n", "zip", "[z for z in line] + xs"),
    ],
)
def test_an_iterator_that_is_used_as_a_list_is_told(text: str, name: str, raising: str) -> None:
    ((at, said),) = _told(text)
    call = text.partition("= ")[2].partition("\n")[0].removeprefix("b = ")
    assert at == 5
    assert said.startswith(f"{name}() gives no list on Python 3, and {raising} raises")
    given: dict[str, object] = {}
    exec(_HEAD, given)
    with pytest.raises(TypeError):
        exec(text, given)
    written = said.partition("write list(")[2].removesuffix(")")
    assert written in call
    exec(text.replace(written, f"list({written})"), given)


def test_an_iterator_that_is_sorted_as_a_list_is_told() -> None:
    text = "xs = filter(None, line)\nxs.sort()\n"
    ((_, said),) = _told(text)
    assert said == (
        "filter() gives no list on Python 3, and xs.sort raises AttributeError: "
        "write list(filter(None, line))"
    )
    given: dict[str, object] = {}
    with pytest.raises(AttributeError):
        exec(_HEAD + text, given)
    exec(_HEAD + text.replace("filter(None, line)", "list(filter(None, line))"), given)


def test_it_is_told_once_with_the_other_lines() -> None:
    text = "xs = map(float, line)\ny = xs[0]\nzs = map(int, line)\ny = zs[0]\n"
    ((at, said),) = _told(text)
    assert at == 5 and said.endswith("write list(map(float, line)), and so in line 7")


@pytest.mark.parametrize(
    "text",
    [
        "xs = list(map(float, line))\ny = xs[0]\n",
        "xs = map(float, line)\nxs = list(xs)\ny = xs[0]\n",
        "xs = map(float, line)\nif x:\n    xs = [1]\ny = xs[0]\n",
        "xs = map(float, line)\nfor each in xs:\n    y = each\n",
        "xs = map(float, line)\ny = np.array(xs)\n",
        "xs = map(float, line)\ny = np.array(xs, dtype=object)\n",
        "xs = map(float, line)\ny = words[xs]\n",
        "xs = map(float, line)\ny = words + xs\n",
        "xs = map(float, line)\ny = [1]\ny += xs\n",
        "xs = map(float, line)\ny = xs.__iter__()\n",
        "xs = list(map(float, line)) + [1]\nxs.sort()\n",
        "xs = range(3)\ny = xs[0] + len(xs)\nz = xs.index(1)\n",
        "y = np.array(range(3), dtype=float)\n",
        "y = words + range(3)\n",
        "y = [1] + list(range(3))\n",
        "try:\n    y = map(float, line) + [1]\nexcept TypeError:\n    y = 0\n",
        "def map(f, xs): ...\nxs = map(float, line)\ny = xs[0]\n",
        "from past.builtins import map\nxs = map(float, line)\ny = xs[0]\n",
        "from past.builtins import *\nxs = map(float, line)\ny = xs[0]\n",
        "try:\n    y = map(float, line)[0]\nexcept TypeError:\n    y = 0\n",
        "import sys\nif sys.version_info[0] == 2:\n    y = map(float, line)[0]\n",
        "xs = map(float, line)\ntry:\n    y = xs[0]\nexcept TypeError:\n    y = 0\n",
    ],
)
def test_other_iterators_are_not(text: str) -> None:
    assert not _told(text)


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("y = [0] * 3 + range(4)\n", "[0] * 3 + range(4)"),
        ("y = range(4) + [0]\n", "range(4) + [0]"),
        ("xs = range(4)\nxs.append(4)\n", "xs.append"),
    ],
)
def test_a_range_is_no_list_either(text: str, use: str) -> None:
    ((_, said),) = _told(text)
    error = AttributeError if "append" in use else TypeError
    assert said == (
        f"range() gives no list on Python 3, and {use} raises {error.__name__}: "
        "write list(range(4))"
    )
    with pytest.raises(error):
        exec(text, {})
    exec(text.replace("range(4)", "list(range(4))"), {})
