from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.documents.books import (
    PICTURE,
    code_cell,
    markdown_cell,
    notebook,
    old_notebook,
    written,
)
from tests.support.alone import ALONE
from torchfix_codemods.cli.commands import main
from torchfix_codemods.documents.magics import masked
from torchfix_codemods.finding import FileResult, Place
from torchfix_codemods.runs.runner import migrate_bytes, migrate_file
from torchfix_codemods.settings.config import Settings

LEGACY = "loss = nn.MSELoss(size_average=False)"
MODERN = 'loss = nn.MSELoss(reduction="sum")'


def migrate(text: str, **settings: Any) -> FileResult:
    return migrate_bytes(text.encode(), ALONE / "nb.ipynb", Settings(**settings))


def migrated(*cells: str, **settings: Any) -> list[str]:
    """The code cells after a migration, which has no errors and a second run of it no effect."""
    result = migrate(written(notebook(*cells)), **settings)
    assert not result.errors, result.errors
    if result.after is None:
        return list(cells)
    assert not migrate(result.after, **settings).changed
    return ["".join(cell["source"]) for cell in json.loads(result.after)["cells"]]


def test_what_one_cell_imports_the_others_know() -> None:
    before = ["import torch.nn as nn", "x = 1", LEGACY]
    assert migrated(*before) == ["import torch.nn as nn", "x = 1", MODERN]


def test_cells_are_one_program() -> None:
    assert migrated(
        "import torch\nfrom torch.autograd import Variable\nimport numpy as np",
        "x = torch.ones(2)",
        "x = Variable(x)\nprint(x)",
        "x.data",
    ) == ["import torch\nimport numpy as np", "x = torch.ones(2)", "print(x)", "x.detach()"]


def test_a_name_that_a_later_cell_imports_is_not_there_above_it() -> None:
    cells = [
        "import torch.nn.functional as F\ndef f(x):\n    return F.sigmoid(x)",
        "y = f(x)\nz = F.sigmoid(y)",
        "import torch as th\nz = F.sigmoid(z)\nf(z)",
    ]
    assert migrated(*cells) == [
        "import torch\ndef f(x):\n    return torch.sigmoid(x)",
        "y = f(x)\nz = torch.sigmoid(y)",
        "import torch as th\nz = th.sigmoid(z)\nf(z)",
    ]


def test_a_function_that_a_later_cell_calls_has_its_imports() -> None:
    cells = ["import torch.nn.functional as F", "def f(x):\n    return F.sigmoid(x)"]
    after = migrated(*cells, "import torch as th", "f(x)")
    assert after[1:] == ["def f(x):\n    return th.sigmoid(x)", "import torch as th", "f(x)"]


@pytest.mark.parametrize(
    ("magic", "is_choice"),
    [
        ("%env CUDA_VISIBLE_DEVICES=1", True),
        ("%env CUDA_VISIBLE_DEVICES = 1", True),
        ("%set_env CUDA_VISIBLE_DEVICES 1", True),
        ("env CUDA_DEVICE_ORDER=PCI_BUS_ID", True),
        ("%env CUDA_VISIBLE_DEVICES", False),
        ("%env OMP_NUM_THREADS=1", False),
        ("!export CUDA_VISIBLE_DEVICES=1", False),
    ],
)
def test_a_magic_that_chooses_the_gpu_comes_before_what_asks_for_one(
    magic: str, is_choice: bool
) -> None:
    cell = f"import torch\n{magic}\nnet = torch.nn.Linear(2, 2)\nnet.cuda()"
    (after,) = migrated(cell, select=("TP201",))
    assert magic in after and "net.to(device)" in after
    assert (after.index(magic) < after.index("device = torch.device")) is is_choice


_SWITCHED = [
    "from torch import nn\ncuda = {}\nmodel = nn.Linear(2, 2)\nif cuda:\n    model.cuda()",
    "import torch as th\nx = th.ones(3)\nif cuda:\n    x = x.cuda()",
]


@pytest.mark.parametrize("cuda", ["flags.get()", "False"])
def test_what_the_switch_of_a_notebook_moves_is_told_where_it_is_not_asked(cuda: str) -> None:
    cells = [cell.format(cuda) for cell in _SWITCHED]
    assert not migrate(written(notebook(*cells)), select=("TP201",)).findings
    result = migrate(written(notebook(*cells, "out = model(x.cuda())")), select=("TP201",))
    (found,) = result.findings
    made = ': write x.to(device), with device = th.device("cuda" if cuda else "cpu")'
    asked = ", though cell 1, line 4 asks whether to use one"
    moved = ": cell 2, line 4 moves x then, leave .cuda() out"
    said = f"{asked}{moved}" if cuda == "False" else made
    assert found.message == f".cuda() needs a GPU{said}"
    above = "first = model(load().cuda())"
    (found,) = migrate(written(notebook(cells[0], above, cells[1])), select=("TP201",)).findings
    # Only the cell below imports torch.
    assert found.message == f".cuda() needs a GPU{asked}: move it only then"


def test_a_line_of_another_file_is_no_line_of_a_cell(tmp_path: Path) -> None:
    loader = "from torch.utils.data import DataLoader\n\nloader = DataLoader(x, 2, shuffle=True)\n"
    (tmp_path / "tools.py").write_text(loader)
    first = "import torch, tools\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')"
    (tmp_path / "nb.ipynb").write_text(written(notebook(first, "1\n2\n3\n4")))
    settings = Settings(select=("TP203",))
    (found,) = migrate_file(tmp_path / "nb.ipynb", settings, write=False).findings
    assert "the DataLoader in line 3 of tools.py raises" in found.message


_INDEX = """def f{name}(a, b):
    if a.data[0] > 3:
        print(1)"""


@pytest.mark.parametrize(
    ("names", "above", "said"),
    [
        ((1, 2, 3, 4), (), "here and in lines 5, 8 and 11 of this cell: write"),
        ((1, 2, 3), (4,), "here and in cell 2, line 2; cell 2, line 5 and cell 2, line 8: write"),
        ((1, 2, 3, 4, 5, 6, 7, 8), (), "here and in lines 5, 8, 11, 14 and 17 of this cell and 2 "),
    ],
)
def test_lines_of_one_cell_are_named_together(
    names: tuple[int, ...], above: tuple[int, ...], said: str
) -> None:
    head = "import torch\nfrom torch.autograd import Variable\nold = Variable(x, volatile=True)\n"
    first = "\n".join([head, *(_INDEX.format(name=name) for name in above)])
    cell = "\n".join(_INDEX.format(name=name) for name in names)
    (found,) = migrate(written(notebook(first, cell)), select=("TP103",)).findings
    assert said in found.message


def test_moves_of_a_notebook_are_told_of_once() -> None:
    first = "import torch\ndef f(x, y):\n    return x.cuda() + y.cuda()"
    cells = [first, "def g(x):\n    y = x.cuda()\n    return y.cuda()", "def h(x):\n    x.cuda()"]
    cells.append("if use_gpu:\n    net.cuda()")
    (found,) = migrate(written(notebook(*cells)), select=("TP201",)).findings
    assert found.message == (
        ".cuda() needs a GPU, here and in cell 2, line 2; cell 2, line 3 and cell 3, line 2, though "
        "cell 4, line 1 asks whether to use one: move them only then"
    )


REALISTIC = notebook(
    markdown_cell("# Über MNIST\n\n`Variable(x)` and `size_average` stay here."),
    "%matplotlib inline\nimport torch\nimport torch.nn as nn\nfrom torch.autograd import Variable",
    "!pip install tqdm  # größer\n",
    code_cell(
        'name = "Grüße \\\\n \\t \\"quoted\\" </script>"\n' + LEGACY + "\nloss",
        [
            {
                "data": {"image/png": PICTURE, "text/plain": ["MSELoss(size_average=False)"]},
                "execution_count": 4,
                "metadata": {},
                "output_type": "execute_result",
            }
        ],
    ),
    "x = Variable(torch.ones(2)); x",
    "x.data[0];",
    anaconda_cloud={},
    language_info={"name": "python", "version": "3.6.1", "nbconvert_exporter": "python"},
)


def without_code(text: str) -> dict[str, Any]:
    book: dict[str, Any] = json.loads(text)
    for cell in book.get("cells") or [c for w in book["worksheets"] for c in w["cells"]]:
        if cell["cell_type"] == "code":
            cell.pop("source", None)
            cell.pop("input", None)
    return book


@pytest.mark.parametrize("book", [REALISTIC, old_notebook("import torch.nn as nn", LEGACY)])
@pytest.mark.parametrize("indent", [1, 2, 4, None], ids=lambda i: f"indent {i}")
@pytest.mark.parametrize("is_ascii", [True, False], ids=["escaped", "unicode"])
@pytest.mark.parametrize("newline", ["\n", ""], ids=["line end", "none"])
def test_only_lines_of_changed_code_change(
    book: dict[str, Any], indent: int, is_ascii: bool, newline: str
) -> None:
    before = written(book, indent, is_ascii).rstrip("\n") + newline
    after = migrate(before).after
    assert after is not None
    assert without_code(after) == without_code(before)
    # Written anew by the library it is the same text: nothing else was touched.
    assert after == written(json.loads(after), indent, is_ascii).rstrip("\n") + newline
    assert 'nn.MSELoss(reduction=\\"sum\\")' in after


def test_lines_that_stay_keep_their_bytes() -> None:
    source = r'["import torch.nn as nn\n", "s = \u0027\u003cb\u003e\u0027 # a\/b \u00fc\n", '
    source += r'"loss = nn.MSELoss(size_average=False) # \u003c\n", "t = 1"  ]'
    before = written(notebook("CODE")).replace('[\n    "CODE"\n   ]', source)
    assert source in before
    after = migrate(before).after
    assert after == before.replace("size_average=False)", r"reduction=\u0027sum\u0027)")
    assert after.count(r"\u003c") == 2


def test_a_text_with_both_spellings_gets_the_plain_one() -> None:
    before = written(
        notebook(markdown_cell("ü"), "import torch.nn as nn", LEGACY + "  # ü", "s = '\u2028'")
    ).replace("\u2028", "\\u2028")
    after = migrate(before).after
    assert after is not None and "reduction='sum')  # ü" in after and "\\u2028" in after


def test_code_as_one_string_stays_one() -> None:
    book = notebook("import torch.nn as nn", "x = 1")
    book["cells"][1]["source"] = "# caf\u00e9\n" + LEGACY + "\nx = '\\n'"
    before = written(book, ensure_ascii=True)
    after = migrate(before).after
    assert after == before.replace("size_average=False", r"reduction='sum'")


def test_a_cell_that_loses_all_its_lines() -> None:
    result = migrate(
        written(notebook("import torch", "from torch.autograd import Variable", "Variable"))
    )
    assert not result.changed
    before = ["import torch", "from torch.autograd import Variable", "x = Variable(torch.ones(1))"]
    after = migrated(*before)
    assert after == ["import torch", "", "x = torch.ones(1)"]
    text = migrate(written(notebook(*before))).after
    assert text is not None and '"source": []' in text


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "% matplotlib inline",
        "%load_ext autoreload\n%autoreload 2",
        "!nvidia-smi",
        "!pip install torch \\\n    torchvision",
        "files = !ls *.py",
        "nn.MSELoss?",
        "?nn.MSELoss",
        "nn.MSELoss??",
        "%time y = 3",
        "%timeit -n 10 nn.MSELoss(size_average=False)",
        "if True:\n    %pwd",
        "if True:\n    !ls \\\n      -l",
        "import os; os\n%cd ..",
        's = """\n%no magic\n"""\n!ls',
        "n = (7\n% 4)\n!ls",
        "n = (7\n%n)\n!ls",
        "n = 7 \\\n%n\n!ls",
        "n = 1\r\n!ls\r\n!ls \\\r\n -l\r",
        "cd drive/My\\ Drive",
        "cd ..",
        "pdb on",
        "ls",
        "ls *.py",
        "rm -rf x y\r",
        "pip install torch==1.0",
        "if True:\n    cd data/raw images",
        's = 1\ncd "My Drive"\nt = 2',
    ],
)
def test_lines_of_ipython_stay(line: str) -> None:
    assert migrated("import torch.nn as nn", f"{line}\n{LEGACY}", f"{LEGACY}\n{line}") == [
        "import torch.nn as nn",
        f"{line}\n{MODERN}",
        f"{MODERN}\n{line}",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "cd = [\n1]",
        "run = nn.Linear(\n1, 1)",
        "page . x = (\n1)",
        'history = """\npip install x\n"""',
        "more = [\ncd,\n]",
        "cd -1",
        "rm - rf",
        "time = \\\n3",
        "run: int = 3",
    ],
)
def test_python_that_begins_like_a_magic_is_python(line: str) -> None:
    # Beside a line of IPython's nothing is parsed as a whole.
    body = f"!ls\n{line}\n{LEGACY}"
    assert masked(body, "mask", '"', []).text == f'"mask0_"\n{line}\n{LEGACY}'


@pytest.mark.parametrize(
    "line", ["walk to the lake", "print 'x'", "nn MSELoss", "cd.x y", "CD drive/My Drive"]
)
def test_what_no_magic_begins_is_named(line: str) -> None:
    result = migrate(written(notebook("import torch.nn as nn", f"{line}\n{LEGACY}")))
    assert result.errors


def test_a_magic_without_its_sign_may_bind_names() -> None:
    cells = ["import torch", "y = torch.ones(1)", "run other.py now", "z = y.data"]
    assert migrated(*cells) == cells
    assert migrated(*cells[:2], "pip install other now", cells[3])[-1] == "z = y"


@pytest.mark.parametrize("head", ["%%time", "%%capture out", "\n%%prun -l 3"])
def test_cells_under_a_magic_that_runs_them(head: str) -> None:
    before = ["import torch.nn as nn", f"{head}\n{LEGACY}"]
    assert migrated(*before)[1] == f"{head}\n{MODERN}"


@pytest.mark.parametrize(
    "head", ["%%timeit", "%%writefile old.py", "%%bash", "%%html", "%%python2", "%%cython -a"]
)
def test_cells_that_other_programs_run_stay(head: str) -> None:
    foreign = f"{head}\nimport torch.nn as nn\n{LEGACY}\nprint 'x'"
    assert migrated("import torch.nn as nn", foreign, LEGACY)[1:] == [foreign, MODERN]


def test_an_import_goes_below_the_magic_of_its_cell() -> None:
    before = ["%%time\nimport torch.nn as nn\nx = nn.functional.tanh(nn.Linear(1, 1).weight)"]
    (after,) = migrated(*before)
    assert after.startswith("%%time\nimport torch\nimport torch.nn as nn\n")


def test_an_import_goes_below_what_installs_it() -> None:
    before = [
        "!pip install torch",
        "from torch import nn\nimport torch.nn.functional as F",
        "x = F.tanh(nn.Linear(1, 1).weight)",
    ]
    assert migrated(*before) == [
        "!pip install torch",
        "import torch\nfrom torch import nn",
        "x = torch.tanh(nn.Linear(1, 1).weight)",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "%time x = Variable(y) if y is not None else \\\n    y",
        "%timeit Variable(y)",
        "!echo {Variable}",
        "Variable?",
        "%whos Variable",
    ],
)
def test_a_name_that_a_line_of_ipython_uses_stays_imported(line: str) -> None:
    cells = ["import torch\nfrom torch.autograd import Variable", "y = Variable(torch.ones(1))"]
    assert migrated(*cells, line) == [cells[0], "y = torch.ones(1)", line]


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("%time y = torch.ger(a, a)", "%time y = torch.outer(a, a)"),
        ("% time  y = torch.ger(a, a)  # so long", "% time  y = torch.outer(a, a)  # so long"),
        ("%time torch.ger(a, a)", "%time torch.outer(a, a)"),
        ("%time torch.ger(a, a);\r", "%time torch.outer(a, a);\r"),
        (
            "if True:\n    %time a.cuda(async=True)",
            "if True:\n    %time a.to(device, non_blocking=True)",
        ),
        ("%time y = Variable(a)\n%time z = y.data", "%time y = a\n%time z = y"),
        ("%time y = torch.ger(a, a); y.data", "%time y = torch.outer(a, a); y.detach()"),
    ],
)
def test_the_statement_behind_a_magic_is_code_of_the_notebook(line: str, after: str) -> None:
    cells = ["import torch\nfrom torch.autograd import Variable", "a = torch.ones(3)", line]
    assert migrated(*cells)[2] == after


@pytest.mark.parametrize(
    "line",
    [
        "%time ger(a, a)",
        "%time y = torch.outer(a, a)",
        "%timeit y = torch.ger(a, a)",
        "%prun torch.ger(a, a)",
        "%time for x in a: torch.ger(x, x)",
        "def f():\n    %time y = torch.ger(a, a)\n    return y",
        "class A:\n    %time y = torch.ger(a, a)",
        "%time y = torch.ger(a, \\\n  a)",
        "%time -x y = torch.ger(a, a)",
        "%time torch.ger(a, a)?",
        "%time # torch.ger(a, a)",
        "%time\ny = 3",
        "y = %time torch.ger(a, a)",
        "!%time torch.ger(a, a)",
        "%time torch.ger(a, a)  # torchfix: ignore",
    ],
)
def test_what_is_no_statement_of_one_line_behind_a_magic_stays(line: str) -> None:
    cells = ["import torch", "a = torch.ones(3)", line]
    assert migrated(*cells) == cells


def test_the_value_of_a_statement_behind_a_magic_is_known() -> None:
    cells = ["import torch\nx = 3", "%time x = torch.ones(1)", "y = x.data"]
    assert migrated(*cells)[2] == "y = x"


def test_a_finding_behind_a_magic_is_where_the_line_has_it(tmp_path: Path) -> None:
    book = tmp_path / "book.ipynb"
    book.write_text(
        written(notebook("import torch\nif True:\n  %time y = torch.ger(x, x)")), "utf-8"
    )
    (finding,) = migrate_bytes(book.read_bytes(), book, Settings()).findings
    assert finding.place == Place("cell 1", 3, 13)


@pytest.mark.parametrize(
    "line",
    [
        "%time x = Variable(x)",
        "%time x.volatile = True; y = x + 1",
        "if x is not None:\n    %time x = Variable(x)",
        "with torch.no_grad():\n    %time x = Variable(x)",
    ],
)
def test_a_magic_whose_statement_would_go_stays_and_the_rest_of_its_cell_does_not(
    line: str,
) -> None:
    imported = "\nfrom torch.autograd import Variable" if "Variable" in line else ""
    cells = [
        f"import torch\nimport torch.nn as nn{imported}",
        f"x = torch.ones(3)\n{line}\n{LEGACY}",
    ]
    assert migrated(*cells) == [cells[0], cells[1].replace(LEGACY, MODERN)]
    messages = [f.message for f in migrate(written(notebook(*cells))).findings if not f.fixed]
    assert messages
    assert all(
        m.endswith("(left alone: it would change a line that is no Python)") for m in messages
    )


@pytest.mark.parametrize(
    "line",
    [
        "%run setup.py",
        "%pylab inline",
        "%store -r x",
        "%time x = load()",
        "x = !ls",
        "x = %sx ls",
        "% reset -f",
        "%memit x = 3",
    ],
)
def test_what_a_line_of_ipython_may_bind_is_unknown(line: str) -> None:
    cells = ["import torch", "x = torch.ones(1)", line, "y = x.data"]
    assert migrated(*cells) == cells


def test_what_capture_binds_is_unknown() -> None:
    cells = ["import torch", "x = torch.ones(1)", "%%capture x\nprint(1)", "y = x.data"]
    assert migrated(*cells) == cells


BROKEN = {
    "print statement": ("print x", "Python 2 (print statement)"),
    "prose": ("this is no Python", "not valid Python"),
    "open bracket": ("f(1,", "not valid Python"),
    "indented": ("  x = 1\n    y = 2", "not valid Python"),
    "shell without mark": ("apt-get install torch", "not valid Python"),
}


@pytest.mark.parametrize(("code", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_cell_that_is_no_python_does_not_hinder_the_others(code: str, reason: str) -> None:
    before = written(notebook("import torch.nn as nn", code, LEGACY))
    result = migrate(before)
    assert result.after == before.replace("size_average=False", 'reduction=\\"sum\\"')
    (error,) = result.errors
    assert reason in error.message and str(error.place).startswith("cell 2:")
    assert error.line is not None
    assert code.splitlines()[-1].strip() in before.splitlines()[error.line - 1] or "\n" in code


@pytest.mark.parametrize("last", ["xrange(2)", "for i in xrange(2):\n    pass\n"])
def test_nothing_is_told_where_a_cell_stands_that_is_no_python(last: str) -> None:
    result = migrate(written(notebook("import torch", f"print xrange(2)\n{last}")))
    assert len(result.errors) == 1 and not result.findings
    readable = migrate(written(notebook("import torch", last)))
    assert [f.code for f in readable.findings] == ["TP005"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"    {LEGACY}", f"    {MODERN}"),
        (f"\n  # now\n  {LEGACY}\n\n  loss", f"\n  # now\n  {MODERN}\n\n  loss"),
        (f"\tif a:\n\t\t{LEGACY}", f"\tif a:\n\t\t{MODERN}"),
        (f'  s = """\n\n a"""\n  {LEGACY}\n', f'  s = """\n\n a"""\n  {MODERN}\n'),
        (f"  %%time\n  {LEGACY}", f"  %%time\n  {MODERN}"),
        (f"  # first\n{LEGACY}", f"  # first\n{MODERN}"),
        (f"  %matplotlib inline\n  {LEGACY}", f"  %matplotlib inline\n  {MODERN}"),
    ],
)
def test_ipython_takes_away_what_a_whole_cell_is_indented_by(before: str, after: str) -> None:
    assert migrated("import torch.nn as nn", before) == ["import torch.nn as nn", after]


def test_lines_that_come_into_an_indented_cell_are_indented() -> None:
    assert migrated("    import torch.nn as nn\n\n    net = nn.Linear(1, 2).cuda()") == [
        "    import torch\n    import torch.nn as nn\n\n"
        '    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\n'
        "    net = nn.Linear(1, 2).to(device)"
    ]


def test_places_in_an_indented_cell_are_those_of_the_cell() -> None:
    result = migrate(written(notebook("import torch.nn as nn", f"x = 1\n{LEGACY}", f"   {LEGACY}")))
    places = [f.place for f in result.findings]
    assert [(place.line, place.column) for place in places if place] == [(2, 8), (1, 11)]
    assert [f.column for f in result.findings] == [13, 16]


@pytest.mark.parametrize("cell", ["    # a\n  x = 1", "  x = 1\n   y = 2", "# a\n  x = 1"])
def test_a_cell_that_ipython_cannot_read_either_is_named(cell: str) -> None:
    result = migrate(written(notebook("import torch.nn as nn", f"{LEGACY}", cell)))
    assert [error.message for error in result.errors] == ["not valid Python: unexpected indent"]


def test_a_broken_cell_may_bind_and_use_anything() -> None:
    cells = [
        "import torch\nfrom torch.autograd import Variable",
        "x = torch.ones(1)\nz = Variable(x)",
        "x = load()\nprint x, Variable",
        "y = x.data\nw = z",
    ]
    result = migrate(written(notebook(*cells)))
    assert result.after is not None
    after = ["".join(cell["source"]) for cell in json.loads(result.after)["cells"]]
    assert after == [cells[0], "x = torch.ones(1)\nz = x", *cells[2:]]


def test_imports_of_a_broken_cell_count() -> None:
    cells = ["import torch.nn as nn\nimport torch\nprint torch.__version__", LEGACY]
    result = migrate(written(notebook(*cells)))
    assert result.after is not None and len(result.errors) == 1
    after = ["".join(cell["source"]) for cell in json.loads(result.after)["cells"]]
    assert after == [cells[0], MODERN]


def test_a_broken_cell_is_not_written_into() -> None:
    cells = ["import torch\nprint torch.__version__", "x = torch.ones(1).cuda()"]
    result = migrate(written(notebook(*cells)))
    after = json.loads(result.after or result.before or written(notebook(*cells)))
    assert "".join(after["cells"][0]["source"]) == cells[0]


def test_what_would_change_a_broken_cell_is_left_alone() -> None:
    cells = [
        "print x",
        "import torch\nfrom torch.autograd import Variable\n"
        "x = Variable(torch.ones(2, 2), volatile=True)",
        "import torch.nn as nn\n" + LEGACY,
    ]
    result = migrate(written(notebook(*cells)))
    assert [error.kind for error in result.errors] == ["python2"]
    assert result.after is not None
    after = ["".join(cell["source"]) for cell in json.loads(result.after)["cells"]]
    assert after == [*cells[:2], f"import torch.nn as nn\n{MODERN}"]
    assert [f.name for f in result.findings if not f.fixed] == ["volatile-flag"]


def test_a_broken_cell_keeps_an_import_that_would_get_another_name() -> None:
    cells = [
        "from torch.nn.utils import clip_grad_norm\nprint clip_grad_norm",
        "import torch.nn as nn\n" + LEGACY,
        "clip_grad_norm(nn.Linear(1, 1).parameters(), 1)",
    ]
    result = migrate(written(notebook(*cells)))
    assert result.after is not None
    after = ["".join(cell["source"]) for cell in json.loads(result.after)["cells"]]
    assert after[:2] == [cells[0], f"import torch.nn as nn\n{MODERN}"]


def test_what_cannot_be_kept_apart_is_all_left_alone() -> None:
    cells = [
        "print x",
        "from torch.autograd import Variable\nx = Variable(torch.ones(2), volatile=True)",
    ]
    result = migrate(written(notebook(*cells)))
    assert not result.changed
    assert [error.kind for error in result.errors] == ["python2"]
    assert result.findings and not any(f.fixed for f in result.findings)


def test_a_definition_goes_below_the_imports_or_on_top_of_the_cell_that_needs_it() -> None:
    device = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    use = "x = torch.rand(1)\nx = x.cuda()"
    new = "x = torch.rand(1)\nx = x.to(device)"
    cells = ["import torch\nimport os", "def f(x):\n    return x", use]
    assert migrated(*cells) == [f"{cells[0]}\n\n{device}", cells[1], new]
    cells = ["%matplotlib inline", "!ls", "import torch", use]
    assert migrated(*cells) == [*cells[:2], f"import torch\n\n{device}", new]
    cells = ["import torch\ntorch.manual_seed(1)\n%matplotlib inline", use]
    below = cells[0].replace("torch\n", f"torch\n\n{device}\n\n", 1)
    assert migrated(*cells) == [below, new]


_DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
_BETWEEN = "def g(x):\n    return x"
_MOVES, _MOVED = (f"x = torch.rand(1)\nx = x.{to}" for to in ("cuda()", "to(device)"))


def test_a_device_goes_into_the_nearest_cell_above_that_imports_torch() -> None:
    again = "import torch\nimport os"
    assert migrated("import torch", _BETWEEN, again, _BETWEEN, _MOVES, _MOVES) == [
        "import torch",
        _BETWEEN,
        f"{again}\n\n{_DEVICE}",
        _BETWEEN,
        _MOVED,
        _MOVED,
    ]
    inside = f"{_BETWEEN}\nimport torch\nx = torch.rand(1)"
    assert migrated("import torch", f"{inside}\nx = x.cuda()") == [
        "import torch",
        inside.replace("torch\n", f"torch\n\n{_DEVICE}\n\n", 1) + "\nx = x.to(device)",
    ]


@pytest.mark.parametrize(
    "cells",
    [
        # The first of all places that name it counts, and where it is written.
        ["import torch", _BETWEEN, _MOVES, "import torch", _MOVES],
        [
            "import torch",
            "def f(x):\n    x = torch.rand(1)\n    return x.cuda()",
            "import torch",
            "f(1)",
        ],
        # What does not bring the name `torch`, or only to a function.
        ["import torch", _BETWEEN, "import torch.nn as nn\nfrom torch import optim", _MOVES],
        ["import torch", "def f():\n    import torch\n    return torch.rand(1)", _MOVES],
        ["import torch", _BETWEEN, f"{_MOVES}\nimport torch"],
    ],
)
def test_no_other_cell_takes_the_device(cells: list[str]) -> None:
    after = migrated(*cells)
    assert after[0] == f"import torch\n\n{_DEVICE}"
    assert after[1:] == [cell.replace("cuda()", "to(device)") for cell in cells[1:]]


def test_a_device_of_a_flag_stays_below_the_flag() -> None:
    flag = "import torch\nuse_cuda = torch.cuda.is_available()"
    use = "x = torch.rand(1)\nif use_cuda:\n    x = x.cuda()"
    after = migrated(flag, _BETWEEN, "import torch", use)
    assert after[0] == f'{flag}\ndevice = torch.device("cuda" if use_cuda else "cpu")'
    assert after[1:] == [_BETWEEN, "import torch", "x = torch.rand(1).to(device)"]


def test_a_module_has_its_device_below_the_first_import() -> None:
    text = f"import torch\n\n\n{_BETWEEN}\n\n\nimport torch\n"
    result = migrate_bytes(f"{text}{_MOVES}\n".encode(), ALONE / "a.py", Settings())
    head = text.replace("torch\n", f"torch\n\n{_DEVICE}\n", 1)
    assert result.after == f"{head}{_MOVED}\n"


def test_async_is_repaired_in_a_cell() -> None:
    cells = ["import torch", "x = torch.ones(1).cuda(async=True)"]
    assert "non_blocking=True" in migrated(*cells)[1]


def test_a_value_that_is_shown_stays_shown() -> None:
    cells = [
        "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable",
        "net = nn.Linear(1, 1)\nx = Variable(torch.ones(1, 1), volatile=True)\nnet(x)",
        "y = torch.ones(1)\ny = Variable(y)\ny",
    ]
    result = migrate(written(notebook(*cells)))
    assert result.after is not None
    after = ["".join(cell["source"]) for cell in json.loads(result.after)["cells"]]
    assert after == [*cells[:2], "y = torch.ones(1)\ny"]
    left = [f for f in result.findings if not f.fixed]
    assert [f.code for f in left] == ["TP101", "TP102"]
    assert "(left alone: the value below it would no longer be shown)" in left[0].message


_IMPORTS = (
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
    "from torch.autograd import Variable"
)


@pytest.mark.parametrize("above", [True, False])
def test_a_cell_that_stays_as_it_is_still_dates_the_notebook(above: bool) -> None:
    stays = "net = nn.Linear(1, 1)\nx = Variable(torch.ones(1, 1), volatile=True)\nnet(x)"
    cells = [_IMPORTS, stays, "y = F.grid_sample(a, b)"]
    cells = cells if above else [_IMPORTS, cells[2], stays]
    result = migrate(written(notebook(*cells)))
    assert result.after is not None
    after = ["".join(cell["source"]) for cell in json.loads(result.after)["cells"]]
    assert after == [cell.replace("a, b", "a, b, align_corners=True") for cell in cells]
    assert result.era.newest == (0, 3)
    assert result.era.evidence == (f"cell {2 if above else 3}, line 2: volatile= (0.3 at most)",)
    assert migrate(result.after).after is None


def test_a_cell_that_stays_as_it_is_may_show_a_newer_torch() -> None:
    stays = (
        "net = nn.Linear(1, 1)\nx = Variable(torch.ones(1, 1), volatile=True)\n"
        "torch.autocast('cpu')\nnet(x)"
    )
    cells = [_IMPORTS, stays, "y = F.grid_sample(a, b)", "torch.gesv(b, a)"]
    assert migrated(*cells)[1:3] == cells[1:3]


def test_nothing_is_shown_that_was_not() -> None:
    cells = [
        "import torch\nimport torch.nn as nn\ncuda = torch.cuda.is_available()",
        "net = nn.Linear(1, 1)\nif cuda:\n    net.cuda()  # fast",
    ]
    assert migrated(*cells)[1].splitlines()[-1].replace("  # fast", "") == "net.to(device);"


VOLATILE = "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            [
                "net = nn.Linear(1, 1)\nx = Variable(torch.ones(1, 1), volatile=True)",
                "y = net(x)",
                "print(1)",
                "z = y + 1\nprint(z)\nw = 2 * net(z)\nw",
            ],
            [
                "net = nn.Linear(1, 1)\nx = torch.ones(1, 1)",
                "with torch.no_grad():\n    y = net(x)",
                "print(1)",
                "z = y + 1\nprint(z)\nwith torch.no_grad():\n    w = 2 * net(z)\nw",
            ],
        ),
        (
            [
                "x = Variable(torch.ones(1, 1), volatile=True)\n"
                "w = Variable(torch.ones(1, 1), volatile=True)",
                "y = nn.Linear(1, 1)(x)\nz = w * y\nprint(z)",
            ],
            [
                "x = torch.ones(1, 1)\nw = torch.ones(1, 1)",
                "with torch.no_grad():\n    y = nn.Linear(1, 1)(x)\n    z = w * y\nprint(z)",
            ],
        ),
        (
            [
                "net = nn.Linear(1, 1)\ny = net(Variable(torch.ones(1, 1), volatile=True))",
                "%time z = y * net.bias\nprint(z)",
            ],
            [
                "net = nn.Linear(1, 1)\nwith torch.no_grad():\n    y = net(torch.ones(1, 1))",
                "with torch.no_grad():\n    %time z = y * net.bias\nprint(z)",
            ],
        ),
    ],
    ids=["one value", "two values", "lines of IPython"],
)
def test_no_grad_comes_into_each_cell_that_needs_it(before: list[str], after: list[str]) -> None:
    head = VOLATILE.rpartition("\n")[0]
    assert migrated(VOLATILE, *before) == [head, *after]


def test_a_cell_that_calculates_with_what_has_no_graph_needs_no_block() -> None:
    made = "x = Variable(torch.ones(1, 1), volatile=True)\nnet = nn.Linear(1, 1)\ny = net(x)"
    cells = ["z = y / 2\nfor k in range(len(z)):\n    z[k] = torch.exp(z[k])", "print(z)"]
    assert migrated(VOLATILE, made, *cells)[2:] == cells
    # A weight brings its graph along.
    weighed = "z = y * net.weight\nprint(z)"
    block = "with torch.no_grad():\n    z = y * net.weight\nprint(z)"
    assert migrated(VOLATILE, made, weighed)[2] == block
    assert "with torch.no_grad():" in migrated(VOLATILE, made, *cells)[1]


def test_a_line_of_ipython_that_gives_a_name_another_value_does_not_read_it() -> None:
    cells = [
        "net = nn.Linear(1, 1)\nz = net(Variable(torch.ones(1, 1), volatile=True))",
        "%time z = net(torch.ones(1, 1))",
        "%timeit -n 3 z.sum()",
        "z.backward()",
    ]
    assert migrated(VOLATILE, *cells)[2:] == cells[1:]


@pytest.mark.parametrize(
    "cells",
    [
        ["y = net(x)", "y y = x"],
        ["y = net(x)\ny.size()", "net(x)"],
    ],
    ids=["no Python", "shown"],
)
def test_a_value_that_goes_into_a_cell_that_stays_is_left(cells: list[str]) -> None:
    first = "net = nn.Linear(1, 1)\nx = Variable(torch.ones(1, 1), volatile=True)"
    result = migrate(written(notebook(VOLATILE, first, *cells, LEGACY)))
    assert result.after is not None
    after = ["".join(cell["source"]) for cell in json.loads(result.after)["cells"]]
    assert after == [VOLATILE, first, *cells, MODERN]


def test_what_prints_shows_no_value() -> None:
    before = "for x in [Variable(torch.ones(1, 1), volatile=True)]:\n    print(nn.Linear(1, 1)(x))"
    assert migrated(VOLATILE, "print(1)", f"{before}\nprint(2)")[2].startswith("with")


def test_an_import_goes_into_the_cell_that_imports_torch() -> None:
    cells = [
        "import numpy as np\n\ndef f(x):\n    return x",
        "for i in range(3):\n    f(i)",
        "from torch import nn\nimport torch.nn.functional as F",
        "x = F.tanh(nn.Linear(1, 1).weight)",
    ]
    assert migrated(*cells) == [
        *cells[:2],
        "import torch\nfrom torch import nn",
        "x = torch.tanh(nn.Linear(1, 1).weight)",
    ]


@pytest.mark.parametrize(
    "comment", ["# torchfix: ignore", "# torchfix: ignore[TP301]", "# noqa: TP301"]
)
def test_comments_suppress(comment: str) -> None:
    cells = ["import torch.nn as nn", f"{LEGACY}  {comment}", LEGACY]
    assert migrated(*cells) == [*cells[:2], MODERN]


def test_a_comment_skips_the_notebook() -> None:
    result = migrate(written(notebook("# torchfix: skip-file", "import torch.nn as nn", LEGACY)))
    assert result.skipped and not result.changed


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"display_name": "R", "language": "R", "name": "ir"}},
        {"language_info": {"name": "julia"}},
        {"kernelspec": {"name": "scala"}, "language_info": {"name": "scala"}},
    ],
)
def test_other_languages_are_skipped_with_a_word(metadata: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"
    path.write_text(written(notebook("library(torch)\nnn.MSELoss", **metadata)))
    result = run("migrate", str(path))
    assert result.exit_code == 0
    assert f"{path}: skipped: its cells are " in result.stderr


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"name": "python2", "language": "python"}},
        {"kernelspec": {"name": "conda-env-x"}},
        {"language_info": {"name": "ipython"}, "kernelspec": {}},
        {"kernelspec": {}},
    ],
)
def test_all_kernels_of_python_are_taken(metadata: dict[str, Any]) -> None:
    assert migrate(written(notebook("import torch.nn as nn", LEGACY, **metadata))).changed


NO_NOTEBOOKS = {
    "no JSON": ('{"cells": [torch', ":1: not a notebook: no valid JSON"),
    "cut off": ('{"cells": ["torch"\n', ":2: not a notebook: no valid JSON"),
    "control character": ('{"torch": "\x01"}', "not a notebook: no valid JSON"),
    "no format": ('{"cells": [], "x": "torch"}', "it has no nbformat"),
    "list": ('["torch"]', "it has no nbformat"),
    "future": ('{"cells": [], "nbformat": 5, "x": "torch"}', "a notebook of format 5"),
    "ancient": ('{"cells": [], "nbformat": 1, "x": "torch"}', "a notebook of format 1"),
    "no cells": ('{"nbformat": 4, "x": "torch"}', "it has no cells"),
    "no worksheets": ('{"nbformat": 3, "x": "torch"}', "it has no worksheets"),
    "no source": ('{"nbformat": 4, "cells": [{"cell_type": "code"}], "x": "torch"}', "cell 1 has"),
    "odd source": (
        '{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["torch", 3]}]}',
        "cell 1 has no source",
    ),
    "deep": ('{"nbformat": 4, "torch": ' + "[" * 100_000, "not a notebook: no valid JSON"),
}


def run(*args: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(args), input=stdin)


@pytest.mark.parametrize(("text", "reason"), NO_NOTEBOOKS.values(), ids=NO_NOTEBOOKS)
def test_what_is_no_notebook_is_named(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "nb.ipynb").write_text(text)
    (tmp_path / "old.py").write_text(f"import torch.nn as nn\n{LEGACY}\n")
    result = run("migrate", str(tmp_path))
    assert result.exit_code == 2
    assert f"error: {tmp_path}/nb.ipynb" in result.stderr and reason in result.stderr
    assert (tmp_path / "nb.ipynb").read_text() == text
    assert MODERN in (tmp_path / "old.py").read_text()


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "nb.ipynb"
    path.write_text(
        written(
            notebook(
                markdown_cell("torch"),
                "import torch\nimport torch.nn as nn",
                f"x = 1\n{LEGACY}\ny = 2",
                "def f(x):\n    return x.cuda()\nif use_gpu:\n    net.cuda()",
                "torch.load(path)[0]\n" + LEGACY,
            )
        )
    )
    return path


def test_the_diff_is_one_per_cell(book: Path) -> None:
    result = run("migrate", "nb.ipynb", "--diff", "--select", "TP301")
    assert result.exit_code == 1
    assert result.stdout == (
        "--- a/nb.ipynb:cell 3\n"
        "+++ b/nb.ipynb:cell 3\n"
        "@@ -1,3 +1,3 @@\n"
        " x = 1\n"
        f"-{LEGACY}\n"
        f"+{MODERN}\n"
        " y = 2\n"
        "--- a/nb.ipynb:cell 5\n"
        "+++ b/nb.ipynb:cell 5\n"
        "@@ -1,2 +1,2 @@\n"
        " torch.load(path)[0]\n"
        f"-{LEGACY}\n"
        f"+{MODERN}\n"
    )


def test_findings_name_cell_and_line(book: Path) -> None:
    book.write_text(book.read_text().replace("x = 1\\n", "%%time\\n"))
    listed = run("check", "--all", "nb.ipynb")
    assert listed.exit_code == 1
    assert "TP301 size-average (2 places): " in listed.stdout
    assert "  nb.ipynb:cell 3:2:8\n" in listed.stdout
    assert "nb.ipynb:cell 4:2:12: TP201 hard-coded-cuda:" in listed.stdout
    data = json.loads(run("check", "nb.ipynb", "--output-format", "json").stdout)
    first = next(f for f in data["files"][0]["findings"] if f["code"] == "TP301")
    line = book.read_text().splitlines()[first["line"] - 1]
    assert line[first["column"] - 1 :].startswith("nn.MSELoss")


def test_folders_and_standard_input(book: Path) -> None:
    data = book.read_bytes()
    (book.parent / ".ipynb_checkpoints").mkdir()
    (book.parent / ".ipynb_checkpoints" / "nb-checkpoint.ipynb").write_bytes(data)
    output = run("migrate", "-", "--stdin-filename", "nb.ipynb", stdin=data)
    assert "1 file, 1 rewritten" in run("migrate", ".").stderr
    assert output.stdout_bytes == book.read_bytes() != data
    assert run("migrate", ".", "--check").exit_code == 0


def test_reasons_stand_in_the_diff_of_their_cell(book: Path) -> None:
    book.write_text(
        written(
            notebook(
                "import torch.nn as nn\nimport torch.nn.functional as F",
                "class Net(nn.Module):\n    def forward(self, x):\n        return F.dropout(x)",
                "x = 1",
            )
        )
    )
    diff = run("migrate", "nb.ipynb", "--diff").stdout
    assert "@@ -1,3 +1,3 @@ TP308 functional-dropout (changed):" in diff


def test_advice_about_scripts_is_not_for_notebooks(book: Path) -> None:
    cells = ["from torch.utils.data import DataLoader", "loader = DataLoader(d, num_workers=4)"]
    cells.append("for x in loader:\n    pass")
    assert not migrate(written(notebook(*cells)), select=("TP804",)).findings


def test_notebooks_are_not_verified(book: Path) -> None:
    result = run("migrate", ".", "--check", "--verify", "python x.py")
    assert "nb.ipynb: left alone: only Python files can be verified" in result.stderr
    result = run("verify", "nb.ipynb", "--", "python", "x.py")
    assert "nb.ipynb: left alone: only Python files can be verified" in result.stderr


def test_empty_cells_are_no_hindrance() -> None:
    book = notebook("", "import torch.nn as nn", "\n", "# only this", LEGACY, "")
    assert migrate(written(book)).after == written(book).replace(
        "size_average=False", 'reduction=\\"sum\\"'
    )
    assert not migrate(written(notebook(markdown_cell("torch")))).errors


def test_messages_name_lines_of_cells() -> None:
    cells = [
        "import torch\nimport torch.nn as nn",
        "%%time\nnet = nn.Linear(1, 1)\nopt = torch.optim.Adagrad(net.parameters(), lr=1)",
        "net.cuda()",
    ]
    result = migrate(written(notebook(*cells)), select=("TP205", "TP102"))
    (finding,) = result.findings
    assert "the optimizer in cell 2, line 3 is built before" in finding.message
    here = (
        "opt = torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=1)\n"
        "plan = torch.optim.lr_scheduler.StepLR(opt, 3)\n"
        "for epoch in range(9):\n    plan.step()\n    opt.step()"
    )
    (finding,) = migrate(written(notebook(cells[0], here)), select=("TP603",)).findings
    swapped = "swap this line and line 5 of this cell, so that `opt.step()` comes first"
    assert finding.message.endswith(swapped)
    here += "\n    print(opt)"
    (finding,) = migrate(written(notebook(cells[0], here)), select=("TP603",)).findings
    assert finding.message.endswith("round of the loop in line 3 of this cell")
    cells = ["import torch", "from torch.autograd import Variable\ny = Variable(x, volatile=True)"]
    result = migrate(written(notebook(*cells)))
    assert result.era.evidence == ("cell 2, line 2: volatile= (0.3 at most)",)


@pytest.mark.parametrize(
    ("runs", "named"), [((1, 7, 8), "In [7]"), ((1, 7, 7), "cell 3"), ((1, None, 8), "cell 3")]
)
def test_cells_are_named_as_jupyter_shows_them(runs: tuple[int | None, ...], named: str) -> None:
    cells = [
        "import torch\nimport torch.nn as nn",
        "net = nn.Linear(1, 1)\nopt = torch.optim.Adagrad(net.parameters(), lr=1)",
        "net.cuda()",
    ]
    book = notebook(markdown_cell("# Nets"), *cells)
    for cell, run in zip(book["cells"][1:], runs, strict=True):
        cell["execution_count"] = run
    (finding,) = migrate(written(book), select=("TP205",)).findings
    assert f"the optimizer in {named}, line 2 is built before" in finding.message


def test_cells_of_old_notebooks_are_named_by_their_prompts() -> None:
    code = [
        "import torch",
        "net = torch.nn.Linear(1, 1)\nopt = torch.optim.Adagrad(net.parameters())",
    ]
    cells = [
        {"cell_type": "code", "input": text, "language": "python", "prompt_number": 4 + number}
        for number, text in enumerate([*code, "net.cuda()"])
    ]
    book = {"nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": cells}]}
    (finding,) = migrate(written(book), select=("TP205",)).findings
    assert "the optimizer in In [5], line 2 is built before" in finding.message


def test_large_pictures_are_no_hindrance() -> None:
    output = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"image/png": "A" * 21_000_000},
    }
    book = notebook(code_cell("import torch.nn as nn\n" + LEGACY, [output]))
    result = migrate(written(book))
    assert result.changed and not result.errors


def test_what_is_kept_of_earlier_runs_names_the_cells(book: Path) -> None:
    book.write_text(written(notebook("import torch", "print x", "torch.ones(1).data[0]")))
    first = run("migrate", "nb.ipynb", "--check", "-v")
    assert "nb.ipynb:cell 2:1: Python 2" in first.stderr and "nb.ipynb:cell 3:1:1" in first.stderr
    assert run("migrate", "nb.ipynb", "--check", "-v").stderr == first.stderr
