"""Volatile values of which a function returns what another one has cut from its graph."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """import torch
from torch.autograd import Variable

def classes(output):
    n, _, h, w = output.size()
    {cut}
    return found

def predict(model, picture):
    data = Variable(picture, volatile=True)
    output = model(data)
    found = classes(output)
    return found
"""


@pytest.mark.parametrize(
    ("cut", "indent"),
    [
        ("_, found = output.data.cpu().max(1)", ""),
        ("cut = output.data; _, found = cut.cpu().max(1); found = found.view(n, h, w)", ""),
        ("found = output.detach().view(n, -1)", "    "),
    ],
)
def test_what_is_cut_may_be_returned(cut: str, indent: str) -> None:
    text = migrate(_TEXT.format(cut=cut), "TP102").text
    assert "volatile" not in text
    assert (
        "    data = Variable(picture)\n"
        "    with torch.no_grad():\n"
        "        output = model(data)\n"
        f"{indent}    found = classes(output)\n"
        "    return found\n"
    ) in text


@pytest.mark.parametrize(
    "function",
    [
        "def classes(output):\n    return Variable(output, volatile=True)",
        "def classes(output):\n    yield output.data",
    ],
)
def test_what_may_not_be_cut(function: str) -> None:
    """The callers calculate with a volatile value, which only they can put under no_grad."""
    head, _, rest = _TEXT.partition("def classes")
    text = head + function + rest[rest.index("\n\n") :]
    text = text.replace("classes(output)\n    return found", "classes(data)\n    return found")
    text = text.replace("    output = model(data)\n", "")
    assert "with torch.no_grad()" not in migrate(text, "TP102").text
