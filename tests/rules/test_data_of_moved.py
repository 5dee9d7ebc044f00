"""TP104 of what comes to the CPU, as only tensors with data do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TEXT = """import torch
{head}
def show(x, i):
    return {asked}
"""


@pytest.mark.parametrize(
    ("asked", "after"),
    [
        ("x.cpu().data.numpy()", "x.cpu().detach().numpy()"),
        ("x[i].cpu().data.numpy()", "x[i].cpu().detach().numpy()"),
        ("x.cpu().data.tolist()", "x.cpu().tolist()"),
        ("list(x.cpu().data.view(-1).numpy())", "list(x.cpu().detach().view(-1).numpy())"),
        ("x.cpu().data.sum(), i.data()", "x.cpu().detach().sum(), i.data()"),
        ("x(i).cpu().data.max(1)[1]", "x(i).cpu().max(1)[1]"),
    ],
)
def test_what_comes_to_the_cpu_is_a_tensor(asked: str, after: str) -> None:
    text = _TEXT.format(head="", asked=asked)
    assert migrate(text, "TP104").text == _TEXT.format(head="", asked=after)


@pytest.mark.parametrize(
    ("head", "asked"),
    [
        ("class Boxes:\n    def cpu(self):\n        return self\n", "x.cpu().data.numpy()"),
        ("from torch.nn.utils.rnn import pack_padded_sequence", "x.cpu().data.numpy()"),
        ("import torch.nn.utils.rnn as rnn\nrnn.pack_sequence", "x.cpu().data.numpy()"),
        ("", "x.cpu(i).data.numpy()"),
        ("", "x.data.cpu().numpy()"),
        ("", "x.to('cpu').data.numpy()"),
        # Something else of the function stays.
        ("", "x.cpu().data.numpy(), i.data"),
    ],
)
def test_what_may_be_something_else_keeps_its_data(head: str, asked: str) -> None:
    text = _TEXT.format(head=head, asked=asked)
    assert migrate(text, "TP104").text == text


@pytest.mark.parametrize(
    ("other", "is_tensor"),
    [
        # What keeps data of its own comes to no CPU by a method that no class has.
        ("class Kept:\n    def __init__(self, data):\n        self.data = data\n", True),
        ("class Boxes:\n    def cpu(self):\n        return self\n", False),
        ("from torch.nn.utils.rnn import pack_padded_sequence\n", False),
    ],
)
def test_what_another_file_of_the_project_has(tmp_path: Path, other: str, is_tensor: bool) -> None:
    text = _TEXT.format(head="", asked="x.cpu().data.numpy()")
    (tmp_path / "other.py").write_text(other)
    path = tmp_path / "shown.py"
    path.write_text(text)
    result = migrate_file(path, Settings(select=("TP104",)), write=False)
    assert ("x.cpu().detach()" in (result.after or text)) == is_tensor
