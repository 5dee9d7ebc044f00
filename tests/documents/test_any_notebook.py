"""What holds for any notebook: nothing but lines of code changes, and a second run does nothing."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.documents.books import markdown_cell, notebook, old_notebook, written
from tests.support.alone import ALONE
from torchfix_codemods.documents.magics import masked
from torchfix_codemods.documents.notebook import read_notebook
from torchfix_codemods.runs.runner import migrate_bytes
from torchfix_codemods.settings.config import Settings

LINES = [
    "import torch",
    "import torch.nn as nn",
    "from torch.autograd import Variable",
    "import torch.nn.functional as F",
    "x = Variable(torch.ones(2, 2))",
    "x = Variable(torch.ones(2, 2), volatile=True)",
    "net = nn.Linear(2, 2).cuda()",
    "y = net(x)",
    "y",
    "loss = nn.MSELoss(size_average=False)(y, x)",
    "loss.data[0]",
    "print(loss.data[0]);",
    "for i in range(3):\n    z = F.tanh(Variable(x))",
    "with torch.no_grad():\n    !ls",
    "if torch.cuda.is_available():\n    net.cuda()",
    "%matplotlib inline",
    "!pip install torch \\\n  -q",
    "%time y = net(x)",
    "files = !ls",
    "net?",
    "%run other.py",
    "print x",
    "s = '''\n%text\n'''",
    "s = 'ü \\u2028 \\\\ \" </b>'",
    "# torchfix: ignore",
    "x = x.cuda(async=True)",
    "def f(x):\n    return x.view(-1).data",
    "",
    "    ",
]


def indented(text: str, indent: str) -> str:
    return "".join(indent + line for line in text.splitlines(keepends=True))


HEADS = ["", "", "", "%%time\n", "%%capture x\n", "%%bash\n", "\n%%html\n", "%%timeit\n"]
CELLS = st.builds(
    lambda indent, head, lines, end: indented(head + "\n".join(lines) + end, indent),
    st.sampled_from(["", "", "", "  "]),
    st.sampled_from(HEADS),
    st.lists(st.sampled_from(LINES), max_size=5),
    st.sampled_from(["", "", "\n", "\n\n", ";"]),
)
CONFIG = Settings()
BOOK = ALONE / "nb.ipynb"


def codes(text: str) -> list[str]:
    return [cell.source.text for cell in read_notebook(text).cells]


def without_code(text: str) -> Any:
    book = json.loads(text)
    for cell in book.get("cells") or book["worksheets"][0]["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = cell["input"] = None
    return book


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.lists(CELLS, min_size=1, max_size=5),
    st.sampled_from([1, 2, None]),
    st.booleans(),
    st.booleans(),
)
def test_any_notebook(cells: list[str], indent: int, is_ascii: bool, is_old: bool) -> None:
    book = old_notebook(*cells) if is_old else notebook(markdown_cell("torch"), *cells)
    before = written(book, indent, is_ascii)
    result = migrate_bytes(before.encode(), BOOK, CONFIG)
    assert {error.kind for error in result.errors} <= {"python2", "syntax"}
    if result.after is None:
        return
    assert without_code(result.after) == without_code(before)
    assert result.after == written(json.loads(result.after), indent, is_ascii)
    again = migrate_bytes(result.after.encode(), BOOK, CONFIG)
    assert not again.changed
    for old, new in zip(codes(before), codes(result.after), strict=True):
        assert "_torchfix_" not in new
        kept = [line for line in old.split("\n") if line.lstrip().startswith(("%", "!", "net?"))]
        assert [line for line in new.split("\n") if line.lstrip() in map(str.lstrip, kept)] or (
            not kept
        )
        if old.startswith(("%%bash", "\n%%html", "%%timeit")) or "print x" in old:
            assert old == new


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=12)), max_size=6))
def test_lines_of_ipython_come_back(lines: list[str]) -> None:
    text = "\n".join(lines)
    result = masked(text, "_torchfix_0_", '"', ["x"])
    assert result.restored(result.text) == text
    assert result.text.count("\n") == text.count("\n")
