"""Imports that nothing reads any more go; those that others may take stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import Options, migrate_text
from torchfix_codemods.finding import NEEDED, Numerics, Reason
from torchfix_codemods.rules import all_rules
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

#: What no other file imports.
_SCRIPT = Options(imported_elsewhere=lambda: False)
_USE = "def f(x):\n    return F.tanh(x), os\n"
_AFTER = "def f(x):\n    return torch.tanh(x), os\n"


@pytest.mark.parametrize(
    ("imports", "left"),
    [
        pytest.param(
            "import torch, os\nimport torch.nn.functional as F\nfrom torch.autograd import Variable\n",
            "import torch, os\n",
            id="Variable that nothing ever read",
        ),
        pytest.param(
            "import torch, os\nimport torch.nn.functional as F\n"
            "from torch.autograd.variable import Variable as V\n",
            "import torch, os\n",
            id="by its old home, under another name",
        ),
        pytest.param(
            "import torch, os\nimport torch.nn.functional as F\nfrom torch.autograd import Variable"
            " # Useful info about autograd: http://pytorch.org/docs/master/notes/autograd.html\n",
            "import torch, os\n",
            id="with where the page on autograd is",
        ),
        pytest.param(
            "import torch; import torch.nn.functional as F; import os\n",
            "import torch; import os\n",
            id="in a line with others",
        ),
        pytest.param(
            "import torch, os; import torch.nn.functional as F\n",
            "import torch, os\n",
            id="the last one in a line",
        ),
    ],
)
def test_what_nothing_reads_goes(imports: str, left: str) -> None:
    after = migrate(imports + _USE, options=_SCRIPT).text
    assert after == left + _AFTER
    assert migrate(after, options=_SCRIPT).text == after


@pytest.mark.parametrize(
    "line",
    [
        "from torch.autograd import Function\n",
        "from own.autograd import Variable\n",
        "from .autograd import Variable\n",
        "from torch.autograd import Variable  # for those who import it from here\n",
        "from torch.autograd import Variable  # noqa\n",
        "from torch.autograd import Variable  # see https://pytorch.org/docs/notes/cuda.html\n",
        "from torch.autograd import Variable  # autograd: https://pytorch.org/autograd.html, kept\n",
        "import torch.autograd as Variable\n",
        "__all__ = ['Variable']\nfrom torch.autograd import Variable\n",
        "try:\n    from torch.autograd import Variable\nexcept ImportError:\n    Variable = None\n",
    ],
)
def test_what_nothing_read_before_stays(line: str) -> None:
    text = f"import torch, os\nimport torch.nn.functional as F\n{line}{_USE}"
    assert line in migrate(text).text


_UNUSED = "import torch\nfrom torch.autograd import Function, Variable\nprint(torch, Function)\n"


def test_an_import_of_variable_that_nothing_reads_is_found_by_itself() -> None:
    assert migrate(_UNUSED).text == _UNUSED
    run = migrate(_UNUSED, options=_SCRIPT)
    assert run.text == _UNUSED.replace(", Variable", "")
    assert [(f.code, f.reason, f.numerics) for f in run.findings if f.fixed] == [
        ("TP101", Reason.MODERN, Numerics.IDENTICAL)
    ]


@pytest.mark.parametrize("body", ["print(torch)\n", "print(Variable(torch.ones(2)).sum())\n"])
def test_the_same_in_small_letters_goes_with_it(body: str) -> None:
    text = f"import torch\nfrom torch.autograd import Variable, variable\n{body}"
    after = migrate(text, options=_SCRIPT).text
    assert after.startswith("import torch\nprint(torch")
    assert migrate(after, options=_SCRIPT).text == after


@pytest.mark.parametrize(
    ("imports", "body", "left"),
    [
        pytest.param(
            "from torch.autograd import Variable, variable\n",
            "print(torch, variable)\n",
            "from torch.autograd import variable\n",
            id="read",
        ),
        pytest.param(
            "from torch.autograd import Variable, variable\n",
            "__all__ = ['variable']\n",
            "from torch.autograd import variable\n",
            id="given to others",
        ),
        pytest.param(
            "from torch.autograd import Variable\nfrom own import variable\n",
            "print(torch)\n",
            "from own import variable\n",
            id="of another library",
        ),
        pytest.param(
            "from torch.autograd import Variable, variable\n",
            "print(Variable(*torch.ones(2)))\n",
            "from torch.autograd import Variable, variable\n",
            id="beside what stays",
        ),
        pytest.param(
            "from torch.autograd import variable\n",
            "print(torch)\n",
            "from torch.autograd import variable\n",
            id="alone",
        ),
    ],
)
def test_the_same_in_small_letters_stays(imports: str, body: str, left: str) -> None:
    after = migrate(f"import torch\n{imports}{body}", options=_SCRIPT).text
    assert after == f"import torch\n{left}{body}"


@pytest.mark.parametrize("codes", [("TP101", "TP306"), ("TP306", "TP101")])
def test_it_goes_whichever_rules_run_first(codes: tuple[str, str]) -> None:
    text = f"import torch, os\nimport torch.nn.functional as F\nfrom torch.autograd import Variable\n{_USE}"
    first, second = codes
    at_once = migrate(text, *codes, options=_SCRIPT).text
    between = migrate(text, first, options=_SCRIPT).text
    assert migrate(between, second, options=_SCRIPT).text == at_once
    assert "Variable" not in at_once


def test_what_is_needed_alone_leaves_it() -> None:
    options = Options(reasons=NEEDED, imported_elsewhere=lambda: False)
    assert migrate_text(_UNUSED, all_rules(), options).text == _UNUSED


def test_who_leaves_variables_alone_keeps_the_import() -> None:
    text = f"import torch, os\nimport torch.nn.functional as F\nfrom torch.autograd import Variable\n{_USE}"
    assert "Variable" in migrate(text, "TP306").text


@pytest.mark.parametrize("taking", ["from lib import *", "from lib import Variable", "import lib"])
def test_what_another_file_takes_stays(tmp_path: Path, taking: str) -> None:
    use = "lib.Variable" if taking == "import lib" else "Variable"
    lib, main = tmp_path / "lib.py", tmp_path / "main.py"
    line = "from torch.autograd import Variable\n"
    lib.write_text(f"import torch, os\nimport torch.nn.functional as F\n{line}{_USE}")
    main.write_text(f"{taking}\ndef g(x):\n    return {use}(*x)\n")
    changed, _ = migrate_files([lib, main], Settings(), write=False)
    assert changed.after is not None and line in changed.after


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "import torch\nfrom torch.autograd import *\n\n\ndef f():\n"
            "    return Variable(torch.ones(2))\n",
            "import torch\n\n\ndef f():\n    return torch.ones(2)\n",
            id="a star for what is gone",
        ),
        pytest.param(
            "import torch\nfrom torch.autograd import *\nfrom own import grad\n\n\ndef f():\n"
            "    return Variable(torch.ones(2)), grad\n",
            "import torch\nfrom own import grad\n\n\ndef f():\n    return torch.ones(2), grad\n",
            id="a star beside an import of one of its names",
        ),
        pytest.param(
            "import torch\nimport torch.utils.model_zoo as model_zoo\n\n\ndef f(url):\n"
            "    return torch.utils.model_zoo.load_url(url)\n",
            "import torch\n\n\ndef f(url):\n    return torch.hub.load_state_dict_from_url(url)\n",
            id="a module that went by its whole name",
        ),
        pytest.param(
            "import torch\nimport torch.autograd\n\n\ndef f():\n"
            "    return torch.autograd.Variable(torch.ones(2))\n",
            "import torch\n\n\ndef f():\n    return torch.ones(2)\n",
            id="a module of torch that has no other name",
        ),
    ],
)
def test_imports_go_that_are_used_in_other_ways(text: str, expected: str) -> None:
    assert migrate(text, options=_SCRIPT).text == expected


_OF_STAR = "def f():\n    return Variable(torch.ones(2))\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"from torch.autograd import *\n{_OF_STAR}print(Function)\n", id="used"),
        pytest.param(
            f"from torch.autograd import *\n{_OF_STAR}print('Function')\n", id="spoken of"
        ),
        pytest.param(
            f"from torch.autograd import *\n{_OF_STAR}print(grad)\nfrom own import grad\n",
            id="used above an import of the same name",
        ),
        pytest.param(
            f"from torch.autograd import *\nif f:\n    from own import grad\n{_OF_STAR}"
            "print(grad)\n",
            id="used where another import of it may not run",
        ),
        pytest.param(
            "from torch.autograd import *\ndef f():\n    return torch.tanh(torch.ones(2))\n",
            id="never used",
        ),
        pytest.param(
            f"try:\n    from torch.autograd import *\nexcept ImportError:\n    pass\n{_OF_STAR}",
            id="asked for",
        ),
        pytest.param(f"from torch.autograd import *  # kept\n{_OF_STAR}", id="said why"),
        pytest.param(f"from own.autograd import *\n{_OF_STAR}", id="not of torch"),
        pytest.param(
            "import torch.utils.model_zoo as model_zoo\n"
            "def f(url):\n    return torch.utils.model_zoo.load_url(url), model_zoo\n",
            id="used by both names",
        ),
        pytest.param(
            "import torch.utils.model_zoo as model_zoo\n"
            "def f(url, x):\n    return torch.hub.load(url), torch.nn.functional.sigmoid(x)\n",
            id="a module that nobody used",
        ),
        pytest.param(
            "import own.utils.model_zoo as model_zoo\nimport own\n"
            "def f(url, x):\n    own.utils.model_zoo.load_url(url)\n"
            "    return torch.nn.functional.sigmoid(x)\n",
            id="a module of others",
        ),
    ],
)
def test_imports_stay_that_may_be_used_in_other_ways(text: str) -> None:
    line = next(line for line in text.splitlines() if "*" in line or " as " in line)
    assert line in migrate(f"import torch\n{text}", options=_SCRIPT).text


@pytest.mark.parametrize("use", ["Function", "model_zoo", "none of them"])
def test_what_a_file_takes_with_all_names_stays(tmp_path: Path, use: str) -> None:
    lib, main = tmp_path / "lib.py", tmp_path / "main.py"
    star, zoo = "from torch.autograd import *\n", "import torch.utils.model_zoo as model_zoo\n"
    lib.write_text(
        f"import torch\n{star}{zoo}def f(url):\n"
        "    return Variable(torch.ones(2)), torch.utils.model_zoo.load_url(url)\n"
    )
    main.write_text(f"from lib import *\nprint(f('u'), '{use}', {use.replace(' ', '+')})\n")
    changed, _ = migrate_files([lib, main], Settings(), write=False)
    after = changed.after or ""
    assert (star in after, zoo in after) == (use == "Function", use == "model_zoo")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "import torch.autograd\ndef f():\n    return torch.autograd.Variable(torch.ones(2))\n",
            id="alone",
        ),
        pytest.param(
            "import torch.autograd\nimport torch\nx = torch.autograd.Variable(torch.ones(2))\n",
            id="above the import of torch",
        ),
        pytest.param(
            "def g():\n    import torch\n    return torch\nimport torch.autograd\n"
            "x = torch.autograd.Variable(torch.ones(2))\n",
            id="beside an import of torch in a function",
        ),
        pytest.param(
            "import torch as th\nimport torch.autograd\n"
            "x = torch.autograd.Variable(torch.ones(2))\n",
            id="beside an import of torch by another name",
        ),
        pytest.param(
            "import torch\nimport torch.autograd\nx = torch.autograd.Variable(torch.ones(2))\n"
            "y = torch.autograd.grad(f(x), x)\n",
            id="used",
        ),
        pytest.param(
            "import torch\nimport torch.autograd\nx = torch.nn.functional.tanh(torch.ones(2))\n",
            id="never used",
        ),
        pytest.param(
            "import torch\nimport torch.autograd  # noqa\n"
            "x = torch.autograd.Variable(torch.ones(2))\n",
            id="said why",
        ),
    ],
)
def test_imports_of_modules_stay_that_are_needed(text: str) -> None:
    after = migrate(text, options=_SCRIPT).text
    assert "import torch.autograd" in after and after != text


_LATE = """import torch.nn as nn
import torch.utils.model_zoo as zoo


def net(url):
    return zoo.load_url(url)


import torch
print(torch.ones(1), nn, net("x"))
"""


def test_a_function_above_the_late_import_of_torch_gets_one_at_the_top() -> None:
    after = migrate(_LATE, options=_SCRIPT).text
    assert after.startswith("import torch\nimport torch.nn as nn\n\n\ndef net(url):\n")
    assert after.count("\nimport torch\n") == 1
    assert migrate(after, options=_SCRIPT).text == after


def test_nothing_is_imported_above_what_imports_no_torch() -> None:
    text = _USE.replace("F.tanh", "torch.nn.functional.tanh") + "import torch, os\n"
    assert migrate("import os\n" + text, options=_SCRIPT).text.startswith("import os\ndef f(x):")
