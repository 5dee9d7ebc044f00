"""Code that no run comes to is not told of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.rules import advice
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = "import sys\nimport torch\nimport torch.nn as nn\nfc = nn.Linear(4, 1)\nh = fc.weight\n"
_TOLD = "print(fc(h).squeeze()[0])"


def told(folder: Path, text: str, code: str = "TP404") -> int:
    """Of how many places of a program something is said."""
    (folder / ".git").mkdir()
    file = folder / "run.py"
    file.write_text(_HEAD + text)
    result = migrate_file(file, Settings(select=(code,)), write=False)
    return sum(finding.code == code for finding in result.findings)


_PARSED = (
    "import argparse\nparser = argparse.ArgumentParser()\ngroup = parser.add_argument_group()\n"
    "parser.add_argument('-n', '--n-hidden', type=int)\ngroup.add_argument('place')\n"
    "args = parser.parse_args()\n"
)
_UNMADE = "class A:\n    def __init__(self):\n        self.n = 1\n        self.net = Gone(1)\n"
_METHOD = "    def f(self, x=1):\n        {0}\n"
_DEAD = [
    "if False:\n    {0}\n",
    "if 0: {0}\n",
    "while False:\n    {0}\n",
    "while 0:\n    {0}\n",
    "if True:\n    pass\nelse:\n    {0}\n",
    "x = 1 if True else {0}\n",
    "False and {0}\n",
    "print([{0} for i in h if False])\n",
    "if False:\n    def f():\n        {0}\n",
    "if False:\n    class A:\n        def f(self):\n            {0}\n",
    "def f():\n    debug = False\n    if debug:\n        {0}\n",
    "def f(x):\n    debug = False\n    if debug and x:\n        {0}\n",
    "def f(x):\n    debug = False\n    if not debug:\n        return x\n    {0}\n",
    "def f():\n    debug, n = False, 1\n    while debug:\n        {0}\n",
    "def f():\n    kind = 'sum'\n    if kind == 'mean':\n        {0}\n",
    "def f():\n    best = None\n    if best is not None:\n        {0}\n",
    "def f():\n    for i in nothing_binds_it:\n        pass\n    {0}\n",
    "def f():\n    debug = False\n    def g():\n        if debug:\n            {0}\n    return g\n",
    "def f():\n    return 1\n    {0}\n",
    "def f():\n    raise NotImplementedError\n    {0}\n",
    "def f():\n    assert False, 'not yet'\n    {0}\n",
    "def f():\n    assert 0\n    for i in h:\n        {0}\n",
    "def f():\n    exit()\n    {0}\n",
    "exit(0)\n{0}\n",
    "sys.exit()\ndef f():\n    {0}\n",
    "from sys import exit as leave\nleave()\n{0}\n",
    "for i in h:\n    continue\n    {0}\n",
    "for i in h:\n    break\n    if i:\n        {0}\n",
    "def f(x):\n    if x:\n        return 1\n    else:\n        raise ValueError\n    {0}\n",
    "def f(x):\n    g(x)\n    {0}\ndef g(x):\n    '''Not yet.'''\n    raise NotImplementedError(x)\n",
    "def g():\n    print(h)\n    sys.exit(1)\ng()\n{0}\n",
    "def g():\n    g()\n    raise ValueError\nx = [g()]\n{0}\n",
    "def g():\n    while True:\n        print(h)\ng()\n{0}\n",
    "def f(x):\n    if True:\n        return 1\n    {0}\n",
    "def f(x):\n    with torch.no_grad():\n        return 1\n    {0}\n",
    "def f(x):\n    try:\n        return x()\n    except ValueError:\n        raise\n    {0}\n",
    "def f(x):\n    try:\n        x()\n    finally:\n        return 1\n    {0}\n",
    "def f(x):\n    while True:\n        x()\n    {0}\n",
    "def f(x):\n    while 1:\n        for i in x:\n            break\n    {0}\n",
    "def f(x):\n    print(nothing_binds_it)\n    {0}\n",
    "def f(x):\n    y = nothing_binds_it.a[x]\n    if y:\n        {0}\n",
    "def f(x):\n    if nothing_binds_it > x:\n        pass\n    {0}\n",
    "print(nothing_binds_it)\n{0}\n",
    "for i in h:\n    a = h.sum(nothing_binds_it)\n    {0}\n",
    "def g(x):\n    y = x\n    return y + nothing_binds_it\ndef f(x):\n    a = g(x)\n    {0}\n",
    "def f(x):\n    def g(y):\n        return y[nothing_binds_it]\n    a, b = g(x)\n"
    "    for i in x:\n        {0}\n",
    "class A:\n    def f(self):\n        self.debug = False\n        if self.debug:\n            {0}\n",
    "class A:\n    def f(self):\n        self.norm = True\n        self.n = 1\n"
    "        if self.norm:\n            pass\n        else:\n            {0}\n",
    "for i in h:\n    images = images.cpu()\n    {0}\n",
    "for i in h:\n    print(images)\n    if i:\n        images = i\n    {0}\n",
    "print(late)\n{0}\nlate = 1\n",
    "def f(x):\n    torch = torch.nn\n    {0}\n",
    "def f(x):\n    n += 1\n    {0}\n    n = 2\n",
    "def f(x):\n    if x:\n        y = 1\n    else:\n        print(y)\n        {0}\n",
    "def f(x):\n    if x:\n        max = 1\n        return max\n    print(max)\n    {0}\n",
    "for i in comes_below:\n    {0}\ncomes_below = 1\n",
    "while comes_below:\n    {0}\ncomes_below = 1\n",
    "if comes_below:\n    pass\nelse:\n    {0}\ncomes_below = 1\n",
    "with comes_below:\n    {0}\ncomes_below = 1\n",
    "print(comes_below, fc(h).squeeze()[0])\ncomes_below = 1\n",
    "for i in h.sub(comes_below, fc(h).squeeze()[0]):\n    pass\ncomes_below = 1\n",
    "with torch.no_grad():\n    print(nothing_binds_it)\n{0}\n",
    "with open('o') as o, torch.no_grad():\n    raise ValueError\n{0}\n",
]


@pytest.mark.parametrize("code", _DEAD)
def test_nothing_is_told_of_what_no_run_comes_to(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 0


_ALIVE = [
    "if True:\n    {0}\n",
    "while True:\n    {0}\n",
    "while False:\n    pass\nelse:\n    {0}\n",
    "if False:\n    pass\n{0}\n",
    "DEBUG = False\nif DEBUG:\n    {0}\n",
    "DEBUG = False\ndef f():\n    if DEBUG:\n        {0}\n",
    "def f():\n    debug = True\n    if debug:\n        {0}\n",
    "def f():\n    debug = False\n    if not debug:\n        {0}\n",
    "def f():\n    debug = False\n    if debug or h:\n        {0}\n",
    "def f():\n    debug = False\n    if h:\n        debug = True\n    if debug:\n        {0}\n",
    "def f():\n    debug = False\n    debug |= h\n    if debug:\n        {0}\n",
    "def f():\n    debug = False\n    exec(open('o').read())\n    if debug:\n        {0}\n",
    "def f():\n    debug = bool(0)\n    if debug:\n        {0}\n",
    "try:\n    print(nothing_binds_it)\nexcept NameError:\n    {0}\n",
    "def f(debug=False):\n    if debug:\n        {0}\n",
    "first = True\nfor i in h:\n    if not first:\n        {0}\n    first = False\n",
    "done = False\nwhile not done:\n    done = h.any()\n{0}\n",
    "def f():\n    done = False\n    def g():\n        nonlocal done\n        done = True\n"
    "    if g() or done:\n        {0}\n",
    "def f():\n    def g():\n        nonlocal done\n        done = True\n    done = False\n    g()\n"
    "    if done:\n        {0}\n",
    "@h.config\ndef f():\n    debug = False\n    if debug:\n        {0}\n",
    "class A:\n    DEBUG = False\n    def f(self):\n        if self.DEBUG:\n            {0}\n",
    "def f(x):\n    if x:\n        return 1\n    {0}\n",
    "def f(x):\n    if x:\n        pass\n    else:\n        return 1\n    {0}\n",
    "def f(x):\n    assert x\n    {0}\n",
    "def f(x):\n    x.exit()\n    {0}\n",
    "def exit():\n    pass\nexit()\n{0}\n",
    "def f(x):\n    with x:\n        raise ValueError\n    {0}\n",
    "def f(x):\n    try:\n        return x()\n    except ValueError:\n        pass\n    {0}\n",
    "def f(x):\n    try:\n        return x()\n    except ValueError:\n        {0}\n",
    "def f(x):\n    while True:\n        if x():\n            break\n    {0}\n",
    "def f(x):\n    for i in x:\n        return i\n    {0}\n",
    "def f(x):\n    def g():\n        return 1\n    {0}\n",
    "for i in h:\n    if i:\n        continue\n    {0}\n",
    "def f(x):\n    {0}\n    return 1\n",
    "from something import *\nprint(name_of_something)\n{0}\n",
    "print(lambda: nothing_binds_it)\n{0}\n",
    "h or nothing_binds_it\n{0}\n",
    "print(1 if h.sum() else nothing_binds_it)\n{0}\n",
    "print([nothing_binds_it for i in h])\n{0}\n",
    "if h.sum():\n    print(nothing_binds_it)\n{0}\n",
    "try:\n    nothing_binds_it\nexcept NameError:\n    pass\n{0}\n",
    "print(xrange(3), unicode, __file__)\n{0}\n",
    "[i for i in h]\nprint(i)\n{0}\n",
    "def f():\n    print(set_below)\n    {0}\nset_below = 1\n",
    "def f():\n    print(set_by_others)\n    {0}\ndef g():\n    global set_by_others\n"
    "    set_by_others = 1\n",
    "def g(x):\n    if x:\n        return 1\n    return nothing_binds_it\ndef f(x):\n    g(x)\n    {0}\n",
    "def g(x):\n    yield nothing_binds_it\ndef f(x):\n    g(x)\n    {0}\n",
    "def g(x):\n    if x:\n        raise ValueError\ng(h)\n{0}\n",
    "def g(x):\n    if x:\n        return 1\n    raise ValueError\ng(h)\n{0}\n",
    "def g(x):\n    raise ValueError\n    yield x\ng(h)\n{0}\n",
    "def g(x):\n    raise ValueError\ntry:\n    g(h)\nexcept ValueError:\n    pass\n{0}\n",
    "def g(x):\n    raise ValueError\nh.add_hook(g)\n{0}\n",
    "def g(x):\n    while True:\n        if x():\n            break\ng(h)\n{0}\n",
    "class A:\n    def g(self):\n        raise NotImplementedError\n    def f(self):\n"
    "        self.g()\n        {0}\n",
    "async def g(x):\n    return nothing_binds_it\ndef f(x):\n    g(x)\n    {0}\n",
    "@h.checked\ndef g(x):\n    return nothing_binds_it\ndef f(x):\n    g(x)\n    {0}\n",
    "def g(x):\n    return lambda: nothing_binds_it\ndef f(x):\n    g(x)\n    {0}\n",
    "def g(x):\n    return nothing_binds_it\ndef f(x):\n    x and g(x)\n    {0}\n",
    "def g(x):\n    return nothing_binds_it\nif h:\n    def g(x):\n        return 1\ng(h)\n{0}\n",
    "for i in h:\n    print(nothing_binds_it)\n{0}\n",
    "class A:\n    def f(self):\n        if self.debug:\n            {0}\n        self.debug = False\n",
    "class A:\n    def f(self):\n        self.debug = False\n        self.set()\n"
    "        if self.debug:\n            {0}\n",
    "class A:\n    def f(self):\n        self.debug = False\n        self.debug = h.sum()\n"
    "        if self.debug:\n            {0}\n",
    "class A:\n    def f(self, x):\n        self.debug = False\n        self.debug = True\n"
    "        if self.debug:\n            {0}\n",
    "class A:\n    def f(self):\n        self.debug = False\n        if h.any() or self.debug:\n"
    "            {0}\n",
    "class A:\n    @property\n    def debug(self):\n        return 1\n    def f(self):\n"
    "        self.debug = False\n        if self.debug:\n            {0}\n",
    "class A:\n    def __setattr__(self, n, v):\n        pass\n    def f(self):\n"
    "        self.debug = False\n        if self.debug:\n            {0}\n",
    "h.debug = False\nif h.debug:\n    {0}\n",
    "images = None\nfor i in h:\n    images = images or i\n    {0}\n",
    "for i in h:\n    if i:\n        print(images)\n        {0}\n    images = i\n",
    "for i in h:\n    for j in i:\n        print(images)\n        {0}\n    images = i\n",
    "for i in h:\n    try:\n        print(images)\n        {0}\n    except NameError:\n"
    "        images = i\n",
    "while h.any():\n    for i in h:\n        print(images)\n        {0}\n    else:\n"
    "        images = h\n",
    "try:\n    input = raw_input\nexcept NameError:\n    pass\nprint(input)\n{0}\n",
    "print(max)\n{0}\nmax = 1\n",
    "def g():\n    global late\n    late = 1\ng()\nprint(late)\n{0}\nlate = 2\n",
    "def f(x, *late):\n    print(late)\n    {0}\n    late = x\n",
    "def f(x):\n    print((late := x), late)\n    {0}\n    late = x\n",
    "def f(x):\n    def g():\n        return late\n    {0}\n    late = x\n    return g\n",
    "class A:\n    torch = torch.nn\n    {0}\n",
    "exec('late = 1')\nprint(late)\n{0}\nlate = 2\n",
    "for i in h:\n    try:\n        y = i()\n    except ValueError:\n        continue\n"
    "    finally:\n        z = i\n    print(y, z)\n    {0}\n",
    "print(fc(h).squeeze()[0], nothing_binds_it)\n",
    "print([fc(h).squeeze()[0] for i in nothing_binds_it] if h.any() else nothing_binds_it)\n",
    "with h.swallows():\n    print(nothing_binds_it)\n{0}\n",
    "with torch.no_grad(), h.swallows():\n    raise ValueError\n{0}\n",
    "with torch.no_grad():\n    if h.any():\n        raise ValueError\n{0}\n",
]


@pytest.mark.parametrize("code", _ALIVE)
def test_what_a_run_may_come_to_is_told(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 1


def test_of_a_piece_of_code_it_is_not_known_who_sets_its_names() -> None:
    assert advice("TP404", f"{_HEAD}def f():\n    print(nothing_binds_it)\n    {_TOLD}\n")
    assert not advice("TP404", f"{_HEAD}if False:\n    {_TOLD}\n")


def told_in_notebook(folder: Path, *sources: str) -> int:
    """Of how many places of a notebook something is said."""
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    cells = [{**cell, "source": source} for source in (_HEAD, *sources)]
    kept = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (folder / "a.ipynb").write_text(json.dumps(kept))
    result = migrate_file(folder / "a.ipynb", Settings(select=("TP404",)), write=False)
    return sum(finding.code == "TP404" for finding in result.findings)


@pytest.mark.parametrize("stop", ["raise SystemExit", "exit()", "assert False"])
def test_in_a_notebook_people_go_on_below_what_stops(tmp_path: Path, stop: str) -> None:
    assert told_in_notebook(tmp_path, f"{stop}\n", f"if h:\n    {_TOLD}\n") == 1


_SHOWS = f"def f(x):\n    print(losses)\n    {_TOLD}\n"


@pytest.mark.parametrize(
    "cells",
    [
        (_SHOWS,),
        (_SHOWS, "other = 1\n"),
        ("%matplotlib inline\n", _SHOWS),
        ("import os\n", f"for i in h:\n    y = losses[i]\n    if y:\n        {_TOLD}\n"),
        (f"class A:\n    def g(self, x):\n        a = x + losses\n        {_TOLD}\n",),
        ("%%bash\nls\n", _SHOWS),
    ],
)
def test_nothing_is_told_below_what_no_cell_binds(tmp_path: Path, cells: tuple[str, ...]) -> None:
    assert told_in_notebook(tmp_path, *cells) == 0


@pytest.mark.parametrize(
    "cells",
    [
        (_SHOWS, "losses = []\n"),
        ("losses = []\n", _SHOWS),
        (_SHOWS, "for losses in h:\n    pass\n"),
        (_SHOWS, "def g():\n    global losses\n    losses = 1\n"),
        (_SHOWS, "from elsewhere import *\n"),
        (_SHOWS, "exec(open('o').read())\n"),
        (_SHOWS, "globals().update(h)\n"),
        (_SHOWS, "losses = !ls\n"),
        (_SHOWS, "%%capture losses\nprint(1)\n"),
        (_SHOWS, "%%cython\ndef losses(x):\n    return x\n"),
        (_SHOWS, "print 'losses'\nlosses = 1\n"),
        (_SHOWS.replace("losses", "Out"),),
        (_SHOWS.replace("losses", "In[1]"),),
        (_SHOWS.replace("losses", "np.pi"),),
        (_SHOWS.replace("losses", "plt.plot(x)"),),
        (_SHOWS.replace("losses", "get_ipython()"),),
        (
            _SHOWS.replace(
                "print(losses)", "try:\n        losses\n    except NameError:\n        pass"
            ),
        ),
        ("print(losses)\n", f"{_TOLD}\n"),
        (f"print(losses)\n{_TOLD}\n",),
    ],
)
def test_what_a_notebook_may_have_stops_nothing(tmp_path: Path, cells: tuple[str, ...]) -> None:
    assert told_in_notebook(tmp_path, *cells) == 1


def test_what_is_told_once_for_a_file_is_told_where_it_runs(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    line = "    print(torchvision.models.resnet.model_urls)\n"
    (tmp_path / "run.py").write_text(
        f"import a, b, torchvision\nif 0:\n{line}if a:\n{line}if b:\n{line}"
    )
    settings = Settings(select=("TP904", "TP907"))
    found = migrate_file(tmp_path / "run.py", settings, write=False).findings
    assert [finding.line for finding in found] == [5]
    assert "here and in line 7" in found[0].message


def told_beside(folder: Path, beside: str, code: str = "from utils import bar\n{0}\n") -> int:
    """Of how many places of a program is told that has a file ``utils.py`` beside it."""
    (folder / "utils.py").write_text(beside)
    return told(folder, code.format(_TOLD))


@pytest.mark.parametrize(
    "code",
    [
        "from utils import bar\n{0}\n",
        "from utils import average, bar as shown\n{0}\n",
        "def f():\n    from utils import bar\n    {0}\n",
        "try:\n    from utils import bar\nexcept ImportError:\n    raise\n{0}\n",
        "from others import *\nfrom utils import bar\n{0}\n",
        "import utils\nprint(utils.bar)\n{0}\n",
        "import utils as u\ndef f(x):\n    y = u.bar(x)\n    {0}\n",
    ],
)
def test_nothing_is_told_below_an_import_of_what_the_file_beside_lacks(
    tmp_path: Path, code: str
) -> None:
    assert told_beside(tmp_path, "import os\ndef average(x):\n    return x\n", code) == 0


_STAR = "from utils import *\nprint(nothing_binds_it)\n{0}\n"


@pytest.mark.parametrize(
    ("beside", "code"),
    [
        ("import os\nimport sys\n", _STAR),
        ("from math import floor\ndef f():\n    other = 1\n", _STAR),
        ("a = 1\n", "from utils import *\n" + _UNMADE + _METHOD),
        ("a = 1\n", "from utils import *\ndef g(x):\n    raise ValueError\ng(h)\n{0}\n"),
        ("a = 1\n", "from utils import *\n" + _PARSED + "print(args.gone)\n{0}\n"),
    ],
)
def test_what_a_file_of_the_project_gives_by_a_star_is_known(
    tmp_path: Path, beside: str, code: str
) -> None:
    assert told_beside(tmp_path, beside, code) == 0


@pytest.mark.parametrize(
    ("beside", "code"),
    [
        ("nothing_binds_it = 1\n", _STAR),
        ("if a:\n    import nothing_binds_it\n", _STAR),
        ("from elsewhere import *\n", _STAR),
        ("globals()['nothing_binds' + '_it'] = 1\n", _STAR),
        ("a = 1\n", "import sys\nfrom more import *\n" + _STAR),
        ("a = 1\n", _STAR.replace("utils", "lib.utils")),
        (
            "def g(x):\n    pass\n",
            "def g(x):\n    raise ValueError\nfrom utils import *\ng(h)\n{0}\n",
        ),
        ("class A:\n    pass\n", _UNMADE + _METHOD + "from utils import *\n"),
        ("import other as u\n", "import utils as u\nfrom utils import *\nprint(u.bar)\n{0}\n"),
    ],
)
def test_what_a_star_may_give_stops_nothing(tmp_path: Path, beside: str, code: str) -> None:
    assert told_beside(tmp_path, beside, code) == 1


@pytest.mark.parametrize(
    "beside",
    [
        "def bar():\n    pass\n",
        "if h:\n    bar = 1\n",
        "def f():\n    global bar\n    bar = 1\n",
        "import bar\n",
        "from elsewhere import *\n",
        "globals()['b' + 'ar'] = 1\n",
        "def __getattr__(name):\n    return name\n",
        "exec(open('names').read())\n",
        "import sys\nsys.modules[__name__] = object()\n",
    ],
)
def test_what_the_file_beside_may_have_is_imported(tmp_path: Path, beside: str) -> None:
    assert told_beside(tmp_path, beside) == 1


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    from utils import bar\nexcept ImportError:\n    bar = None\n{0}\n",
        "if h:\n    from utils import bar\n{0}\n",
        "import utils\n{0}\n",
        "import utils\n{0}\nprint(utils.bar)\n",
        "import utils\nutils.bar = 1\n{0}\n",
        "import utils\nutils.os\n{0}\n",
        "import utils\nutils.__doc__\n{0}\n",
        "import utils\nutils = h.utils\nutils.bar\n{0}\n",
        "import utils\nif h.any():\n    utils.bar\n{0}\n",
        "import utils\ntry:\n    utils.bar\nexcept AttributeError:\n    pass\n{0}\n",
        "from utils import *\n{0}\n",
        "from utils import __doc__\n{0}\n",
        "from utils.parts import bar\n{0}\n",
    ],
)
def test_what_need_not_be_imported_stops_nothing(tmp_path: Path, code: str) -> None:
    assert told_beside(tmp_path, "import os\n", code) == 1


@pytest.mark.parametrize(
    ("beside", "count"),
    [
        ({"utils.py": "from parts import lost\ndef bar():\n    pass\n", "parts.py": "a = 1\n"}, 0),
        (
            {
                "utils.py": "from parts import bar\n",
                "parts.py": "from more import bar\n",
                "more.py": "from lost import bar\n",
                "losts.py": "def bar():\n    pass\n",
            },
            0,
        ),
        ({"util.py": "def bar():\n    pass\n"}, 0),
        ({"util/__init__.py": "from .parts import bar\n", "util/parts.py": "def bar(): pass\n"}, 0),
        ({"utils.py": "def bar():\n    from parts import lost\n", "parts.py": "a = 1\n"}, 1),
        ({"utils.py": "from run import h\ndef bar():\n    pass\n"}, 1),
        (
            {
                "utils.py": "try:\n    from parts import lost\nexcept ImportError:\n    pass\nbar = 1\n",
                "parts.py": "a = 1\n",
            },
            1,
        ),
        ({"util.py": "def other():\n    pass\n"}, 1),
        ({"util.py": "bar = 1\n", "lib/utils.py": "def bar():\n    pass\n"}, 1),
        ({"helpers.py": "def bar():\n    pass\n"}, 1),
        ({"tools/util.py": "def bar():\n    pass\n"}, 1),
    ],
)
def test_nothing_is_told_below_an_import_of_what_fails_itself_or_has_another_name(
    tmp_path: Path, beside: dict[str, str], count: int
) -> None:
    for name, text in beside.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert told(tmp_path, f"from utils import bar\n{_TOLD}\n") == count


def test_of_a_module_of_python_it_is_not_known_which_is_taken(tmp_path: Path) -> None:
    (tmp_path / "types.py").write_text("a = 1\n")
    assert told(tmp_path, f"import types\nprint(types.FunctionType)\n{_TOLD}\n") == 1


def test_in_a_package_another_file_may_be_meant(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").touch()
    assert told_beside(tmp_path, "import os\n") == 1


def test_the_file_of_another_folder_may_not_be_the_one(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "utils.py").write_text("import os\n")
    (tmp_path / "tools").mkdir()
    file = tmp_path / "tools" / "run.py"
    file.write_text(f"{_HEAD}from utils import bar\n{_TOLD}\n")
    result = migrate_file(file, Settings(select=("TP404",)), write=False)
    assert len(result.findings) == 1


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("import torch\nexit()\nxrange(3)\n", None),
        ("import torch\ndef f():\n    return 1\n    xrange(3)\n", None),
        ("import torch\nexit()\nu = 'a'.translate(None, '.,')\n", None),
        ("import torch\nif 0:\n    xrange(3)\nxrange(4)\n", 4),
        ("import torch\nxrange(3)\nexit()\n", 2),
    ],
)
def test_of_python_2_only_what_runs_is_told(tmp_path: Path, code: str, line: int | None) -> None:
    (tmp_path / "run.py").write_text(code)
    result = migrate_file(tmp_path / "run.py", Settings(), write=False)
    lines = [finding.line for finding in result.findings if finding.code == "TP005"]
    assert lines == ([] if line is None else [line])


def told_of_package(folder: Path, files: dict[str, str], code: str) -> int:
    """Of how many places of a program is told in a folder of its own beside a package."""
    for name, text in files.items():
        (folder / "pkg" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "pkg" / name).write_text(text)
    (folder / ".git").mkdir()
    (folder / "experiments").mkdir()
    file = folder / "experiments" / "run.py"
    file.write_text(_HEAD + 'sys.path.append("..")\n' + code.format(_TOLD))
    result = migrate_file(file, Settings(select=("TP404",)), write=False)
    return len(result.findings)


_NET = {"__init__.py": "", "models/net.py": "class Net:\n    pass\n"}
_FROM_MODELS = "from pkg.models import Net, Gone\n{0}\n"


@pytest.mark.parametrize(
    "taken",
    [
        "from .net import Net\n",
        "from pkg.models.net import *\n",
        "from .net import *\nfrom . import net\n",
    ],
)
@pytest.mark.parametrize("code", [_FROM_MODELS, _FROM_MODELS.replace("{0}", "def f():\n    {0}")])
def test_nothing_is_told_below_an_import_of_what_a_package_lacks(
    tmp_path: Path, taken: str, code: str
) -> None:
    assert told_of_package(tmp_path, {**_NET, "models/__init__.py": taken}, code) == 0


@pytest.mark.parametrize(
    "files",
    [
        {"models/__init__.py": "from .net import Net\nfrom .gone import Gone\n"},
        {"models/__init__.py": "from .net import *\nfrom elsewhere import *\n"},
        {"models/__init__.py": "from .net import *\nfrom .gone import *\n"},
        {"models/__init__.py": "from torch.nn import *\n"},
        {"models/__init__.py": "", "models/Gone.py": ""},
        {"models/__init__.py": "", "models/Gone/__init__.py": ""},
        {"models/__init__.py": "", "models/Gone/read.me": ""},
        {"models/__init__.py": "", "models/Gone.pyx": ""},
        {"models/__init__.py": "def __getattr__(name):\n    return name\n"},
        {"models/__init__.py": "__path__ = [*__path__, 'more']\n"},
        {"models/__init__.py": "import sys\nsys.modules[__name__] = object()\n"},
        {"models/__init__.py": "from .net import *\n", "models/net.py": "globals()['G'] = 1\n"},
        {"models/__init__.py": "", "set.py": "from pkg import models\nmodels.Gone = 1\n"},
        {"models/other.py": ""},
    ],
)
def test_what_a_package_may_have_is_imported(tmp_path: Path, files: dict[str, str]) -> None:
    files = {"__init__.py": "", "models/net.py": "class Net:\n    pass\n", **files}
    code = _FROM_MODELS.replace("Net, ", "")
    assert told_of_package(tmp_path, files, code) == 1


@pytest.mark.parametrize(
    "code",
    [
        "from pkg.models import Net\n{0}\n",
        "from pkg.models import built_later\n{0}\n",
        "from pkg import Gone\n{0}\n",
        "try:\n    from pkg.models import Gone\nexcept ImportError:\n    Gone = None\n{0}\n",
        "sys.path.insert(0, sys.argv[1])\nfrom pkg.models import Gone\n{0}\n",
    ],
)
def test_what_need_not_be_of_a_package_stops_nothing(tmp_path: Path, code: str) -> None:
    files = {**_NET, "models/__init__.py": "from .net import Net\n"}
    assert told_of_package(tmp_path, files, code) == 1


_OF_NET = "import pkg.models.net\ndef f(x):\n    print(pkg.models.net.Gone(x))\n    {0}\n"
_PACKAGES = {**_NET, "models/__init__.py": "from .net import Net\n"}


@pytest.mark.parametrize(
    "code",
    [
        _OF_NET,
        _OF_NET.replace("import", "import pkg\nimport"),
        "import pkg.models.net as n\nprint(n.Gone)\n{0}\n",
        "from pkg.models.net import Gone\n{0}\n",
        "from pkg.models.net import Net, Gone as other\ndef f():\n    {0}\n",
    ],
)
def test_nothing_is_told_below_what_a_file_of_a_package_lacks(tmp_path: Path, code: str) -> None:
    assert told_of_package(tmp_path, _PACKAGES, code) == 0


def test_a_file_comes_before_the_folder_of_its_name(tmp_path: Path) -> None:
    files = {**_NET, "models.py": "class Net:\n    pass\n", "other.py": "Gone = 1\n"}
    assert told_of_package(tmp_path, files, _FROM_MODELS.replace("Net, ", "")) == 0


@pytest.mark.parametrize(
    ("taken", "count"), [(".net import Gone", 0), (".net import Net", 1), (".gone import Net", 1)]
)
def test_what_a_package_takes_of_its_own_file_is_known(
    tmp_path: Path, taken: str, count: int
) -> None:
    code = f"{_HEAD}from {taken}\n{_TOLD}\n"
    assert told_of_package(tmp_path, {**_PACKAGES, "models/run.py": code}, "") == 0
    file = tmp_path / "pkg" / "models" / "run.py"
    result = migrate_file(file, Settings(select=("TP404",)), write=False)
    assert len(result.findings) == count


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({}, _OF_NET.replace("Gone", "Net")),
        ({}, _OF_NET.replace("Gone", "_gone")),
        ({}, _OF_NET.replace("import pkg.models.net", "import pkg")),
        (
            {},
            _OF_NET.replace(
                "import pkg", "try:\n    import other as pkg\nexcept E:\n    import pkg"
            ),
        ),
        ({}, _OF_NET.replace("import pkg", "sys.path.insert(0, sys.argv[1])\nimport pkg")),
        ({}, _OF_NET.replace("print(", "pkg.models.net.Gone = 1\n    print(")),
        ({}, _OF_NET.replace("print(", "x and print(")),
        ({}, "from pkg.models import net\nprint(net)\n{0}\n"),
        ({}, "from pkg.models.net import Net\n{0}\n"),
        ({}, "import pkg.models\nprint(pkg.models.built_later)\n{0}\n"),
        ({"models/net.py": "from pkg.other import Gone\n", "other.py": ""}, _OF_NET),
        ({"models/net": "", "models/net.py": "from .gone import *\n"}, _OF_NET),
        ({"models/net.py": "from elsewhere import *\n"}, _OF_NET),
        ({"models/net.py": "def __getattr__(name):\n    return name\n"}, _OF_NET),
        ({"models/net.py": "if 1:\n    class Gone:\n        pass\n"}, _OF_NET),
        ({"models/__init__.py": "from .net import net\n"}, _OF_NET),
        ({"models/__init__.py": "from .net import other as net\n"}, _OF_NET),
        ({"__init__.py": "models = make()\n"}, _OF_NET),
        ({"set.py": "from pkg.models import net\nnet.Gone = 1\n"}, _OF_NET),
        ({}, "try:\n    from pkg.models.net import Gone\nexcept ImportError:\n    pass\n{0}\n"),
    ],
)
def test_what_a_file_of_a_package_may_have_is_there(
    tmp_path: Path, files: dict[str, str], code: str
) -> None:
    assert told_of_package(tmp_path, {**_PACKAGES, **files}, code) == 1


@pytest.mark.parametrize(
    "pair",
    [
        "h.max(1, keepdim=True).data[0]",
        "h.sub(h.max(1, keepdim=True).data[0])",
        "torch.max(h, 1).data",
        "x.max(1, keepdim=True).data",
        "h.sort(1).squeeze()",
        "h.topk(3).cuda()[0]",
    ],
)
def test_nothing_is_told_below_what_a_pair_is_asked_for(tmp_path: Path, pair: str) -> None:
    assert told(tmp_path, f"def f(x):\n    y = {pair}\n    {_TOLD}\n") == 0


@pytest.mark.parametrize(
    "pair",
    [
        "h.max(1, keepdim=True)[0].data[0]",
        "h.max().data",
        "h.max(h).data",
        "h.max(x).data",
        "x.max(1).data",
        "h.max(1).values",
        "h.sort(1).indices",
        "h.max(1).index(x)",
        "h.max(1).n_fields",
        "sort(x).append(1)",
        "x.sort(1).data",
        "x and h.max(1).data",
    ],
)
def test_what_may_have_what_it_is_asked_for_stops_nothing(tmp_path: Path, pair: str) -> None:
    sort = "def sort(x):\n    return [x]\n"
    assert told(tmp_path, f"{sort}def f(x):\n    y = {pair}\n    {_TOLD}\n") == 1


def test_where_a_pair_is_tried_what_follows_runs(tmp_path: Path) -> None:
    tried = "try:\n    h.max(1).data\nexcept AttributeError:\n    pass\n"
    assert told(tmp_path, f"{tried}{_TOLD}\n") == 1


@pytest.mark.parametrize(
    "code",
    [
        _UNMADE + _METHOD,
        _UNMADE + "    def f(self):\n        return [lambda: {0}]\n",
        _UNMADE + _METHOD + "class B(A):\n    n = 2\n",
        _UNMADE.replace("(1)", "(**vars(h))") + _METHOD,
        "print(vars(h).items())\n" + _UNMADE + _METHOD,
        _UNMADE + "a = A()\n{0}\n",
        _UNMADE + "def f():\n    a = [A()]\n    {0}\n",
    ],
)
def test_nothing_is_told_of_what_needs_an_object_that_cannot_be_made(
    tmp_path: Path, code: str
) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 0


@pytest.mark.parametrize(
    "code",
    [
        _UNMADE + _METHOD + "class B(A):\n    def __init__(self):\n        self.n = 2\n",
        _UNMADE + _METHOD + "A.f(1)\n",
        _UNMADE + "    @staticmethod\n" + _METHOD,
        _UNMADE + "    @classmethod\n" + _METHOD,
        _UNMADE + "    def f(self, x={0}):\n        pass\n",
        _UNMADE + "    def __new__(cls):\n        return 1\n" + _METHOD,
        _UNMADE + "{0}\n",
        _UNMADE.replace("self.n = 1", "if h is None: return") + _METHOD,
        _UNMADE.replace("self.net =", "if h is None: self.net =") + _METHOD,
        _UNMADE.replace("class A:", "class A(metaclass=type):") + _METHOD,
        "def Gone(n):\n    pass\n" + _UNMADE + _METHOD,
        "from other import *\n" + _UNMADE + _METHOD,
        "vars()['Gone'] = h\n" + _UNMADE + _METHOD,
        "vars(h)['Gone'] = h\n" + _UNMADE + _METHOD,
    ],
)
def test_what_runs_beside_a_constructor_that_raises_is_told_of(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 1


_ABOVE = "class P(nn.Module):\n    def __init__(self):\n        self.net = Gone(1)\n"
_BELOW = _ABOVE + (
    "class A(P):\n    def __init__(self):\n        super().__init__()\n        self.n = 1\n"
    + _METHOD
)


@pytest.mark.parametrize(
    "code",
    [
        _BELOW,
        _BELOW.replace("super()", "super(A, self)"),
        _BELOW.replace("super().__init__()", "P.__init__(self)"),
        _BELOW.replace("        super()", "        self.m = 1\n        super()"),
        _ABOVE + "class A(P):\n    n = 1\n" + _METHOD,
        _ABOVE + "class Q(P):\n    n = 1\nclass A(Q):\n    n = 1\n" + _METHOD,
        _ABOVE + _METHOD + _BELOW.removeprefix(_ABOVE).replace("{0}", "1"),
    ],
)
def test_nothing_is_told_of_a_class_whose_base_cannot_be_made(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 0


@pytest.mark.parametrize(
    "code",
    [
        _BELOW.replace("Gone(1)", "nn.Linear(1, 1)"),
        _BELOW.replace("super().__init__()", "nn.Module.__init__(self)"),
        _BELOW.replace("super().__init__()", "super(P, self).__init__()"),
        _BELOW.replace("super().__init__()", "if h is None: return\n        super().__init__()"),
        _BELOW.replace("super().__init__()", "if h is None: super().__init__()"),
        _BELOW.replace("class A(P)", "class A(h.Mixin, P)"),
        _ABOVE + "class A(h.Mixin, P):\n    n = 1\n" + _METHOD,
        _ABOVE + _METHOD + "class A(P):\n    def __init__(self):\n        self.n = 1\n",
        _BELOW + "class B(A):\n    def __init__(self):\n        nn.Module.__init__(self)\n",
        _BELOW.replace(
            "super().__init__()",
            "try:\n            super().__init__()\n        except NameError:\n            pass",
        ),
    ],
)
def test_a_class_may_be_made_where_its_base_is_not(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 1


_UNSET = (
    "class A(nn.Module):\n    def __init__(self, n):\n        super(A, self).__init__()\n"
    "        self.n = n\n        self.fc = nn.Linear(n, self.lost)\n"
)
_INIT = "    def __init__(self, n):\n        "


@pytest.mark.parametrize(
    "code",
    [
        _UNSET + _METHOD,
        _UNSET.replace("super(A, self)", "super()") + _METHOD,
        _UNSET.replace("super(A, self).__init__()", "nn.Module.__init__(self)") + _METHOD,
        _UNSET.replace("nn.Module", "object") + _METHOD,
        _UNSET.replace("nn.Linear(n, self.lost)", "self.lost()") + _METHOD,
        _UNSET + _METHOD + "class B(A):\n    def f(self):\n        return 1\n",
        "class P(nn.Module):\n    n = 1\n" + _UNSET.replace("nn.Module", "P") + _METHOD,
        _UNSET + _METHOD + "class C:\n    def f(this):\n        return this.lost\n",
        _UNSET + "a = A(1)\n{0}\n",
    ],
)
def test_nothing_is_told_of_a_class_whose_constructor_asks_for_what_nothing_sets(
    tmp_path: Path, code: str
) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 0


@pytest.mark.parametrize(
    "code",
    [
        _UNSET.replace("self.lost)", "self.training)") + _METHOD,
        _UNSET.replace("self.lost)", "self._lost)") + _METHOD,
        _UNSET.replace("self.n = n", "self.lost = n") + _METHOD,
        _UNSET.replace("self.n = n", "self.lost: int = n") + _METHOD,
        _UNSET.replace("self.n = n", "self.register_buffer('lost', n)") + _METHOD,
        _UNSET.replace("self.n = n", "self.register_buffer(n, h)") + _METHOD,
        _UNSET.replace("self.n = n", "setattr(self, n, h)") + _METHOD,
        _UNSET.replace("self.n = n", "self.__dict__.update(n)") + _METHOD,
        _UNSET.replace("self.n = n", "vars(self).update(n)") + _METHOD,
        _UNSET.replace("self.n = n", "h.attach(self)") + _METHOD,
        _UNSET.replace("self.n = n", "if n: return") + _METHOD,
        _UNSET.replace("self.fc", "if n: self.fc") + _METHOD,
        _UNSET.replace("self.lost)", "n or self.lost)") + _METHOD,
        _UNSET.replace("self.lost)", "getattr(self, 'lost', 1))") + _METHOD,
        _UNSET.replace("        self.fc", "        with h:\n            self.fc") + _METHOD,
        _UNSET + "    lost = 1\n" + _METHOD,
        _UNSET + "    lost: int\n" + _METHOD,
        _UNSET + "    @property\n    def lost(self):\n        return 1\n" + _METHOD,
        _UNSET + "    def __getattr__(self, name):\n        return 1\n" + _METHOD,
        _UNSET + "    def set(self):\n        self.lost = 1\n" + _METHOD,
        _UNSET + "    def set(self):\n        h.attach(self)\n" + _METHOD,
        _UNSET + _METHOD + "A.lost = 1\n",
        _UNSET + _METHOD + "setattr(A, 'lo' + 'st', 1)\n",
        _UNSET.replace("class", "@h.full\nclass") + _METHOD,
        _UNSET.replace("nn.Module", "nn.Module, metaclass=h") + _METHOD,
        _UNSET.replace("nn.Module", "nn.Linear") + _METHOD,
        _UNSET.replace("nn.Module", "h.Base") + _METHOD,
        _UNSET.replace("nn.Module", "nn.Module, h.Mixin") + _METHOD,
        "class P(h.Base):\n    n = 1\n" + _UNSET.replace("nn.Module", "P") + _METHOD,
        "class P(nn.Module):\n    lost = 1\n" + _UNSET.replace("nn.Module", "P") + _METHOD,
        _UNSET + _METHOD + "class B(A):\n    lost = 1\n",
        _UNSET + _METHOD + "class B(A, h.Mixin):\n    pass\n",
        _UNSET + _METHOD + f"class B(A):\n{_INIT}self.lost = 1\n        super().__init__(n)\n",
        _UNSET + _METHOD + f"class B(A):\n{_INIT}nn.Module.__init__(self)\n",
        _UNSET + _METHOD + "A.f(h)\n",
        _UNSET + "    @staticmethod\n" + _METHOD,
    ],
)
def test_what_an_object_may_have_its_constructor_may_ask_for(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 1


_ASKING = (
    "class A(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
    "        self.n = n\n    def f(self, x):\n        y = self.lost(x)\n        {0}\na = A(1)\n"
)


@pytest.mark.parametrize(
    "code",
    [
        _ASKING,
        _ASKING.replace("nn.Module", "object"),
        _ASKING.replace(
            "    def __init__", "    def set(self, x):\n        pass\n    def __init__"
        ),
        _ASKING.replace("y = self.lost(x)", "for i in self.lost:\n            pass"),
        _ASKING.replace("def f(self, x)", "def f(self, x, lost=1)"),
        _ASKING.replace("{0}", "return y\n    def g(self, x):\n        self.f(x)\n        {0}"),
        _ASKING + "print(a, a.n, a.f(h))\nb = [a]\nb.append(nn.DataParallel(a))\n",
        _ASKING + "def train(model):\n    model.f(h)\ntrain(a)\n",
        _ASKING.replace("a = A(1)", "def make():\n    return A(1)\nregister(make)"),
    ],
)
def test_nothing_is_told_below_what_no_line_gives_an_object(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 0


@pytest.mark.parametrize(
    "code",
    [
        _ASKING.replace("a = A(1)\n", ""),
        _ASKING + "a.lost = 1\n",
        _ASKING + "setattr(a, 'lost', 1)\n",
        _ASKING + "for k in h:\n    setattr(a, k, 1)\n",
        _ASKING.replace("self.n = n", "self.lost = n"),
        _ASKING.replace("self.n = n", "self.__dict__.update(n)"),
        _ASKING.replace("self.n = n", "self.register_buffer(n, h)"),
        _ASKING.replace("self.n = n", "h.attach(self)"),
        _ASKING.replace("self.lost(x)", "self.weight_(x)").replace("nn.Module", "nn.Linear"),
        _ASKING.replace("self.lost(x)", "self.training"),
        _ASKING.replace("self.lost(x)", "self._lost"),
        _ASKING.replace("self.lost(x)", "x and self.lost(x)"),
        _ASKING.replace("self.lost(x)", "hasattr(self, 'lost') and 1").replace(
            "        {0}", "        if y:\n            self.lost()\n            {0}"
        ),
        _ASKING.replace("y = self.lost(x)", "self = x\n        self.lost()"),
        _ASKING.replace("    def f", "    @staticmethod\n    def f"),
        _ASKING.replace("    def f", "    @classmethod\n    def f"),
        _ASKING.replace("    def f", "    lost = 1\n    def f"),
        _ASKING.replace("    def f", "    def __getattr__(self, k):\n        return k\n    def f"),
        _ASKING + "class B(A):\n    lost = 1\n",
        _ASKING + "class B(A):\n    def __init__(self):\n        self.lost = 1\n",
        _ASKING + "h(a)\n",
        _ASKING + "h.attach(model=a)\n",
        _ASKING + "b = [a]\nh(b)\n",
        _ASKING + "def train(model):\n    h.attach(model)\ntrain(a)\n",
        _ASKING.replace("a = A(1)", "def make():\n    return A(1)\nh(make())"),
        _ASKING + "class T:\n    def __init__(self, m):\n        self.m = m\n"
        "    def run(self):\n        h(self.m)\nT(a).run()\n",
        _ASKING + "class B(A):\n    def g(self):\n        h(self)\n",
        _ASKING + "class B(A):\n    pass\nh(B(1))\n",
        _ASKING.replace("        y = ", "        with h:\n            y = "),
        _ASKING.replace("y = self.lost(x)", "g = lambda: self.lost(x)"),
    ],
)
def test_what_an_object_may_be_given_may_be_asked_for(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 1


_BASE = (
    "import k\nimport torch.nn as nn\nclass P(nn.Module):\n    def __init__(self):\n"
    "        super().__init__()\n        self.m = 1\n"
)
_OF_BASE = "from utils import P\n" + _ASKING.replace("nn.Module", "P")


@pytest.mark.parametrize(
    ("base", "count"),
    [
        (_BASE, 0),
        (_BASE.replace("nn.Module", "object"), 0),
        (_BASE + "class Q(P):\n    lost = 1\n", 0),
        (_BASE + "        self.lost = 1\n", 1),
        (_BASE + "    def lost(self, x):\n        return x\n", 1),
        (_BASE + "    def __getattr__(self, k):\n        return k\n", 1),
        (_BASE + "        self.add_module(k.name, self.m)\n", 1),
        (_BASE + "        setattr(self, k.name, 1)\n", 1),
        (_BASE + "        k.attach(self)\n", 1),
        (_BASE.replace("nn.Module", "nn.Linear"), 1),
        (_BASE.replace("nn.Module", "k.Base"), 1),
        (_BASE.replace("nn.Module", "nn.Module, k.Mixin"), 1),
        (_BASE.replace("class P", "@k.full\nclass P"), 1),
        ("from k import P\n", 1),
    ],
)
def test_a_base_in_another_file_may_give_what_is_asked_for(
    tmp_path: Path, base: str, count: int
) -> None:
    assert told_beside(tmp_path, base, _OF_BASE) == count
    (tmp_path / "others.py").write_text("import utils\nutils.P.lost = 1\n")
    (tmp_path / ".git").rmdir()
    assert told_beside(tmp_path, base, _OF_BASE) == 1


_DECIDED = (
    "class A(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
    "        self.wide = False\n        if self.wide:\n            self.fc = nn.Linear(n, n)\n"
    "    def f(self, x):\n        if self.wide:\n            {0}\n"
)


@pytest.mark.parametrize(
    "code",
    [
        _DECIDED,
        _DECIDED.replace("nn.Module", "object"),
        _DECIDED.replace("self.wide = False", "self.wide = None"),
        _DECIDED.replace(
            "        if self.wide:\n            {0}", "        if x and self.wide:\n            {0}"
        ),
        _DECIDED.replace(
            "        if self.wide:\n            {0}",
            "        if not self.wide:\n            return x\n        {0}",
        ),
        _DECIDED.replace("(n, n)\n", "(n, n)\n        else:\n            self.n = n\n"),
        _DECIDED.replace("self.fc = nn.Linear(n, n)", "{0}").rpartition("        if")[0]
        + "        1\n",
        _DECIDED + "class B:\n    def __init__(self):\n        self.wide = True\n",
        _DECIDED + "class B(A):\n    def g(self):\n        return self.wide\n",
    ],
)
def test_nothing_is_told_of_what_a_constructor_leaves_out(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 0


@pytest.mark.parametrize(
    "code",
    [
        _DECIDED.replace("self.wide = False", "self.wide = True"),
        _DECIDED.replace("self.wide = False", "self.wide = n"),
        _DECIDED.replace("self.wide = False", "self.wide = bool(0)"),
        _DECIDED.replace("self.wide = False", "self.wide = 0"),
        _DECIDED.replace("self.wide = False", "self.wide = 'no'").replace(
            "self.wide:", "self.wide == 'yes':"
        ),
        _DECIDED.replace("(self, n)", "(self, n, wide=False)").replace("= False\n", "= wide\n"),
        _DECIDED.replace("self.wide = False", "self.wide = self.deep = h"),
        _DECIDED.replace(
            "        self.wide = False", "        if n:\n            self.wide = False"
        ),
        _DECIDED.replace(
            "        if self.wide:\n            self.fc", "        if n:\n            self.fc"
        ),
        _DECIDED.replace("self.wide = False", "self.wide = False\n        self.wide |= n"),
        _DECIDED.replace("self.wide = False", "self.wide = False\n        self.__dict__.update(n)"),
        _DECIDED.replace("self.wide = False", "self.wide = False\n        h.attach(self)"),
        _DECIDED.replace("nn.Module", "h.Base"),
        _DECIDED.replace("    def f", "    def set(self):\n        self.wide = True\n    def f"),
        _DECIDED.replace("    def f", "    wide = h\n    def f"),
        _DECIDED.replace("    def f", "    def __setattr__(self, k, v):\n        pass\n    def f"),
        _DECIDED + "def g(a):\n    a.wide = True\n",
        _DECIDED + "for a in h:\n    setattr(a, 'wide', 1)\n",
        _DECIDED + "for a, k in h:\n    setattr(a, k, 1)\n",
        _DECIDED + "class B(A):\n    def g(self):\n        self.wide = True\n",
        _DECIDED + "class B(A):\n    @property\n    def wide(self):\n        return 1\n",
        "class P(nn.Module):\n    def g(self):\n        self.wide = 1\n"
        + _DECIDED.replace("nn.Module", "P"),
    ],
)
def test_what_a_constructor_may_decide_is_told(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 1


@pytest.mark.parametrize(
    ("beside", "count"),
    [
        ("import run\na = run.A(1)\nprint(a.wide)\n", 0),
        ("class C:\n    def __init__(self):\n        self.wide = 1\n", 0),
        ("import run\na = run.A(1)\na.wide = True\n", 1),
        ("import run\na = run.A(1)\nfor name in 'abc':\n    setattr(a, name, 1)\n", 1),
        ("import run\nclass B(run.A):\n    def set(self):\n        self.wide = 1\n", 1),
    ],
)
def test_another_file_may_set_what_a_constructor_decides(
    tmp_path: Path, beside: str, count: int
) -> None:
    assert told_beside(tmp_path, beside, _DECIDED) == count


@pytest.mark.parametrize(
    ("beside", "count"),
    [
        ("import run\na = run.A(1)\nprint(a.lost)\n", 0),
        ("import run\na = run.A(1)\na.n = 1\n", 0),
        ("import run\na = run.A(1)\nprint(a.__dict__, a.__dict__['n'])\n", 0),
        ("import run\na = run.A(1)\na.__dict__.update({'lo' + 'st': 1})\n", 1),
        ("import run\na = run.A(1)\na.__dict__['lo' + 'st'] = 1\n", 1),
        ("import run\na = run.A(1)\nrun.fill(a.__dict__)\n", 1),
        ("import run\na = run.A(1)\na.lost = 1\n", 1),
        ("def f(a):\n    a.lost = 1\n", 1),
        ("import run\na = run.A(1)\nfor name in 'abc':\n    setattr(a, name, 1)\n", 1),
        ("import run\nclass B(run.A):\n    def lost(self, x):\n        pass\n", 1),
        ("import run\nclass B(run.A):\n    def set(self):\n        self.lost = 1\n", 1),
    ],
)
def test_another_file_may_give_an_object_what_its_methods_ask_for(
    tmp_path: Path, beside: str, count: int
) -> None:
    assert told_beside(tmp_path, beside, _ASKING) == count


@pytest.mark.parametrize(
    ("beside", "count"),
    [
        ("class C:\n    def __init__(self):\n        self.lost = 1\n", 0),
        ("import run\nprint(run.A(1).lost)\n", 0),
        ("import run\nfor name in vars(run.opt):\n    print(name, vars(run.opt)[name])\n", 0),
        ("import run\nprint(dict(vars(run.A(1))), [k for k in vars(run.h)])\n", 0),
        ("import run\nrun.show('lost' in vars(run.A(1)))\n", 0),
        ("import run\nvars(run.A)['lo' + 'st'] = 1\n", 1),
        ("import run\nrun.fill(vars(run.A))\n", 1),
        ("import run\nnames = vars(run.A)\n", 1),
        ("import run\nrun.A.lost = 1\n", 1),
        ("import run\nfor name in 'abc':\n    setattr(run.A, name, 1)\n", 1),
        ("import run\nclass B(run.A):\n    lost = 1\n", 1),
        (
            "import argparse, run\nargs = argparse.ArgumentParser().parse_args()\nargs.lost = run.A(1)\n",
            0,
        ),
        ("import run, torch\nnet = torch.nn.Linear(1, 1)\nnet.lost = run.A(1)\n", 0),
        ("import run\ndef f(cls):\n    cls.lost = 1\nf(run.A)\n", 1),
        ("import run, torch\ntorch.nn.Module.lost = 1\n", 1),
        ("import run\nfor kind in [run.A]:\n    setattr(kind, 'lost', 1)\n", 1),
        ("from run import A\nclass B(A):\n    def lost(self):\n        return 1\n", 1),
    ],
)
def test_another_file_may_give_a_class_what_its_constructor_asks_for(
    tmp_path: Path, beside: str, count: int
) -> None:
    code = _UNSET + _METHOD
    assert told_beside(tmp_path, beside, code) == count


_OTHER = (
    "import torch.nn as nn\nclass Old(nn.Module):\n    pass\nclass New({0}):\n"
    "    def __init__(self):\n        super({1}, self).__init__()\n        self.n = 1\n"
    "    def f(self):\n        {2}\n"
)


@pytest.mark.parametrize(
    ("base", "asked", "count"),
    [
        ("nn.Module", "Old", 0),
        ("nn.Module", "New", 1),
        ("Old", "Old", 1),
        ("h", "Old", 1),
        ("nn.Module, h", "Old", 1),
        ("nn.Module", "h", 1),
        ("nn.Module", "nn.Module", 1),
    ],
)
def test_a_constructor_that_asks_for_the_parent_of_another_class_raises(
    tmp_path: Path, base: str, asked: str, count: int
) -> None:
    assert told(tmp_path, _OTHER.format(base, asked, _TOLD)) == count


@pytest.mark.parametrize(
    "code",
    [
        _PARSED + "print(args.gone)\n{0}\n",
        _PARSED + "args.n_hidden = args.gone\nprint(args)\n{0}\n",
        _PARSED.replace("_args()", "_args([])") + "if args.gone:\n    pass\ndef f():\n    {0}\n",
    ],
)
def test_nothing_is_told_below_an_option_that_no_line_declares(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 0


@pytest.mark.parametrize(
    "code",
    [
        _PARSED + "print(args.n_hidden, args.place)\n{0}\n",
        _PARSED + "args.gone = 1\nprint(args.gone)\n{0}\n",
        _PARSED + "h(args)\nprint(args.gone)\n{0}\n",
        _PARSED + "args.__dict__.update(h)\nprint(args.gone)\n{0}\n",
        _PARSED + "if hasattr(args, 'gone'):\n    print(args.gone)\n    {0}\n",
        _PARSED + "try:\n    args.gone\nexcept AttributeError:\n    pass\n{0}\n",
        _PARSED + "exec('args.gone = 1')\nprint(args.gone)\n{0}\n",
        _PARSED + "args = h\nprint(args.gone)\n{0}\n",
        _PARSED.replace("'place'", "'place', **h") + "print(args.gone)\n{0}\n",
        _PARSED.replace("'place'", "h") + "print(args.gone)\n{0}\n",
        _PARSED.replace("'place'", "'place', dest=h") + "print(args.gone)\n{0}\n",
        _PARSED.replace("'place'", "'place', action=h") + "print(args.gone)\n{0}\n",
        _PARSED.replace("'place'", "'--gone'") + "print(args.gone)\n{0}\n",
        _PARSED.replace("Parser()", "Parser(parents=[h])") + "print(args.gone)\n{0}\n",
        _PARSED.replace("_args()", "_args(namespace=h)") + "print(args.gone)\n{0}\n",
        _PARSED.replace("args =", "parser.set_defaults(gone=1)\nargs =")
        + "print(args.gone)\n{0}\n",
        _PARSED.replace("args =", "h(parser)\nargs =") + "print(args.gone)\n{0}\n",
        _PARSED + "def f():\n    print(args.gone)\n    {0}\n",
    ],
)
def test_what_an_option_may_be_set_to_stops_nothing(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.format(_TOLD)) == 1


def test_of_many_indices_those_that_run_are_named(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    ask = "        print(i.data[0])\n"
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def f(n, x):\n    i = Variable(torch.zeros(n)).max(0)[1]\n"
        f"    if n:\n{ask * 4}        return i\n{ask}"
    )
    (tmp_path / "run.py").write_text(text)
    result = migrate_file(tmp_path / "run.py", Settings(select=("TP103",)), write=False)
    assert [f.message for f in result.findings if "11" in f.message] == []
    assert result.findings


_TAKING = "def g(x, y, z=1):\n    return x\n"
_MADE = "class A{1}:\n    def __init__(self, n):\n        self.n = n\n    def g(self, x):\n        return x\n"
_OWN = _MADE + "    def f(self, x):\n        self.g(x, x)\n        {0}\n"


@pytest.mark.parametrize(
    "code",
    [
        _TAKING + "g(h)\n{0}\n",
        _TAKING + "g(h, h, h, h)\n{0}\n",
        _TAKING + "g(h, h, w=h)\n{0}\n",
        _TAKING + "g(z=1, x=h)\n{0}\n",
        _TAKING + "def f(x):\n    for i in g(x):\n        {0}\n",
        _TAKING + "def f(x):\n    g(x)\nf(h)\n{0}\n",
        _MADE + "A()\n{0}\n",
        _MADE.replace("{1}", "(nn.Module)") + "A(1, 2)\n{0}\n",
        _MADE + "class B(A):\n    m = 1\nB()\n{0}\n",
        _MADE + "a = A(1)\na.g()\n{0}\n",
        _OWN,
        _OWN + "class B(A):\n    n = 1\n",
    ],
)
def test_nothing_is_told_below_a_call_that_its_function_refuses(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.replace("{1}", "").replace("{0}", _TOLD)) == 0


@pytest.mark.parametrize(
    "code",
    [
        _TAKING + "g(h, h)\n{0}\n",
        _TAKING + "g({0})\n",
        _TAKING + "g(h, h, z=2)\n{0}\n",
        _TAKING + "g(*h)\n{0}\n",
        _TAKING + "g(h, **{'y': 1})\n{0}\n",
        _TAKING + "try:\n    g(h)\nexcept TypeError:\n    pass\n{0}\n",
        _TAKING + "if h.any():\n    g(h)\n{0}\n",
        _TAKING + "h.each(lambda: g(h))\n{0}\n",
        _TAKING.replace("z=1", "*z, **w") + "g(h, h, h, h, w=h)\n{0}\n",
        "@h.filled\n" + _TAKING + "g(h)\n{0}\n",
        "if h.any():\n    def g(x):\n        return x\nelse:\n    def g(x, y):\n        return x\n"
        "g(h)\n{0}\n",
        _TAKING + "def f(g):\n    g(1)\n    {0}\n",
        _MADE + "A(1)\n{0}\n",
        _MADE.replace("{1}", "(metaclass=h)") + "A()\n{0}\n",
        _MADE.replace("{1}", "(h.A)") + "A()\n{0}\n",
        "@h.filled\n" + _MADE + "A()\n{0}\n",
        _MADE + "    def __new__(cls, n=1):\n        return h\nA()\n{0}\n",
        _MADE + "class B(A, metaclass=h):\n    n = 1\nB()\n{0}\n",
        _MADE + "@h.filled\nclass B(A):\n    n: int = 1\nB()\n{0}\n",
        _MADE + "class B(A):\n    def __new__(cls):\n        return h\nB()\n{0}\n",
        _MADE + "a = A(1)\na.g = h\na.g()\n{0}\n",
        _OWN + "class B(A):\n    def g(self, x, y):\n        return x\n",
        _OWN + "class B(A):\n    def h(self):\n        self.g = h\n",
        _OWN.replace("    def g", "    @h.filled\n    def g"),
    ],
)
def test_what_a_function_may_take_stops_nothing(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code.replace("{1}", "").replace("{0}", _TOLD)) == 1


@pytest.mark.parametrize(
    ("beside", "code", "count"),
    [
        ("def bar(x):\n    return x\n", "from utils import bar\nbar()\n{0}\n", 0),
        ("def bar(x):\n    return x\n", "import utils\nutils.bar(1, 2)\n{0}\n", 0),
        ("def bar(x):\n    return x\n", "import utils\nutils.bar(1)\n{0}\n", 1),
        ("def bar(x):\n    return x\n", "import utils\nutils.bar = h\nutils.bar()\n{0}\n", 1),
        ("def bar(x):\n    return x\nbar = h(bar)\n", "import utils\nutils.bar()\n{0}\n", 1),
    ],
)
def test_what_another_file_takes_is_known(
    tmp_path: Path, beside: str, code: str, count: int
) -> None:
    assert told_beside(tmp_path, beside, code) == count


_HANDED = {
    "nets.py": (
        "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self, n):\n"
        "        super().__init__()\n        self.fc = nn.Linear(n, n)\n"
    ),
    "base.py": "class Base(object):\n    def __init__(self, net):\n        self.net = net\n",
    "main.py": "from nets import Net\nfrom run import Run\nRun(Net(4)).log(1)\n",
}
_OF_ANOTHER = (
    "from base import Base\nclass Run(Base):\n    def __init__(self, net):\n"
    "        super(Run, self).__init__(net)\n    def log(self, x):\n"
    "        y = self.net.lost\n        {0}\n"
)
_KEEPING = (
    "class Run:\n    def __init__(self, net):\n        self.net = net\n"
    "    def log(self, x):\n        y = self.net.lost.data\n        {0}\n"
)
_PASSING = "class Run:\n    def __init__(self, net):\n        print(net.lost)\n        {0}\n"


def _told_with(folder: Path, code: str, others: dict[str, str]) -> int:
    for name, text in others.items():
        (folder / name).write_text(text)
    return told(folder, code.format(_TOLD))


@pytest.mark.parametrize(
    "code",
    [
        _OF_ANOTHER,
        _OF_ANOTHER.replace("super(Run, self)", "super()"),
        _OF_ANOTHER + "    @staticmethod\n    def load(x):\n        return x\nRun.load(h)\n",
        _OF_ANOTHER + "def f(run):\n    Run.log(run, h)\n",
        _KEEPING,
        _PASSING,
        "from nets import Net\nnet = Net(4)\nprint(net.lost)\n{0}\ndef Run(net):\n    return net\n",
        "from nets import Net\nclass Run:\n    def __init__(self, n):\n        self.net = Net(n)\n"
        "    def log(self, x):\n        y = self.net.lost\n        {0}\nRun(1).log(1)\n",
    ],
)
def test_nothing_is_told_below_what_no_line_gives_an_object_of_another_file(
    tmp_path: Path, code: str
) -> None:
    assert _told_with(tmp_path, code, _HANDED) == 0


@pytest.mark.parametrize(
    "options", ["args = h.parse_args()\nargs = vars(args)\n", "args = vars(h.parse_args())\n"]
)
def test_options_taken_as_a_dictionary_give_no_object_an_attribute(
    tmp_path: Path, options: str
) -> None:
    changed = {**_HANDED, "main.py": _HANDED["main.py"] + options}
    assert _told_with(tmp_path, _OF_ANOTHER, changed) == 0


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        (_OF_ANOTHER, {"nets.py": _HANDED["nets.py"] + "        self.lost = n\n"}),
        (_OF_ANOTHER, {"nets.py": _HANDED["nets.py"] + "    def lost(self):\n        return 1\n"}),
        (_OF_ANOTHER, {"nets.py": _HANDED["nets.py"].replace("nn.Module", "nn.Linear")}),
        (_OF_ANOTHER, {"main.py": _HANDED["main.py"] + "def f(net):\n    net.lost = 1\n"}),
        (_OF_ANOTHER, {"main.py": _HANDED["main.py"] + "Run(open('net')).log(1)\n"}),
        (_OF_ANOTHER, {"main.py": "from run import Run\ndef f(net):\n    Run(net).log(1)\n"}),
        (_OF_ANOTHER, {"main.py": _HANDED["main.py"].replace("Run(", "Run(*")}),
        (
            _OF_ANOTHER,
            {
                "more.py": "from run import Run\nclass More(Run):\n    def __init__(self, n):\n        self.net = n\n"
            },
        ),
        (
            _OF_ANOTHER,
            {"base.py": _HANDED["base.py"] + "    def set(self, n):\n        self.net = n\n"},
        ),
        (_OF_ANOTHER, {"base.py": _HANDED["base.py"].replace("= net\n", "= net.module\n")}),
        (_OF_ANOTHER, {"more.py": "import run\ndef f(it, net):\n    it.net = net\n"}),
        (_OF_ANOTHER.replace("(net)\n", "(open(net))\n"), {}),
        (_OF_ANOTHER + "    @h.more\n    def load(x):\n        return x\nRun.load(h)\n", {}),
        (_OF_ANOTHER + "    @classmethod\n    def load(c):\n        return c(h)\nRun.load()\n", {}),
        (_OF_ANOTHER + "h.made_by(Run)\n", {}),
        (_OF_ANOTHER, {"main.py": _HANDED["main.py"] + "args = vars(h)\n"}),
        (_OF_ANOTHER, {"main.py": _HANDED["main.py"] + "a = h.parse_args()\na = h\na = vars(a)\n"}),
        (_OF_ANOTHER.replace("(net)\n", "(net)\n        self.net = h\n"), {}),
        (
            _OF_ANOTHER.replace(
                "        y", "        if hasattr(self.net, 'lost'):\n            y"
            ),
            {},
        ),
        (_KEEPING.replace("self.net.lost", "self.net._lost"), {}),
        (_KEEPING.replace("self.net.lost", "self.net.training"), {}),
        (_KEEPING.replace("= net\n", "= net\n        setattr(net, 'lost', 1)\n"), {}),
        (_KEEPING.replace("= net\n", "= open(net)\n"), {}),
        ("from nets import Net\ndef f(net):\n    print(net.lost)\n    {0}\nf(Net(4))\nf(h)\n", {}),
        ("from nets import Net\nnet = Net(4)\nif h: net = h\nprint(net.lost)\n{0}\n", {}),
    ],
)
def test_what_an_object_of_another_file_may_have_may_be_asked_for(
    tmp_path: Path, code: str, changed: dict[str, str]
) -> None:
    assert _told_with(tmp_path, code, {**_HANDED, **changed}) == 1
