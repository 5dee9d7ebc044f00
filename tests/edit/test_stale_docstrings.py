"""Docstrings name tensors as types once the code has no Variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods import migrate_paths
from torchfix_codemods.edit.tidying.stale_docstrings import about_tensors


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x (~torch.autograd.Variable): features", "x (~torch.Tensor): features"),
        ("labels (~torch.autograd..Variable): a batch", "labels (~torch.Tensor): a batch"),
        ("enc_out : torch.autograd.Variable", "enc_out : torch.Tensor"),
        ("inputs (Torch.Variable): sequences", "inputs (torch.Tensor): sequences"),
        ("x: (Variable) top feature map", "x: (Tensor) top feature map"),
        ("- output: Variable float (batch, len)", "- output: Tensor float (batch, len)"),
        ("- y: LongTensor Variable of shape (N, T)", "- y: LongTensor of shape (N, T)"),
        (
            "y: Variable(torch.FloatTensor) with shape (B, T)",
            "y: torch.FloatTensor with shape (B, T)",
        ),
        ("input: {Tensor,Variable} input", "input: {Tensor} input"),
        ("a Tensor or Variable", "a Tensor"),
        ("about a `Tensor` or `Variable`:", "about a `Tensor`:"),
        ("one of ``torch.Tensor`` or ``Variable``", "one of ``torch.Tensor``"),
        (
            "x (Tensor or Variable): tensor or variable of floating point data.",
            "x (Tensor): tensor of floating point data.",
        ),
        ("xs (Variable): tensors or variables", "xs (Tensor): tensors"),
        ("tensor (torch.Tensor or torch.autograd.Variable)", "tensor (torch.Tensor)"),
        ("`torch.Tensor` and `torch.autograd.Variable` alike", "`torch.Tensor` alike"),
        ("torch.FloatTensor/Variable", "torch.FloatTensor"),
        ("prob: (N, C), torch Variable", "prob: (N, C), torch Tensor"),
        ("word_seq: (batch, max_len) Variable", "word_seq: (batch, max_len) Tensor"),
        ("    Variable(batch_size, hidden)\n", "    Tensor(batch_size, hidden)\n"),
        (
            "Wraps hidden states in new Variables, to detach",
            "Wraps hidden states in new Tensors, to detach",
        ),
        ("Wraps h in new Variables, to detach", "Wraps h in new Tensors, to detach"),
        (":rtype: torch.autograd.variable.Variable", ":rtype: torch.Tensor"),
        ("words (torch.nn.Variable): a batch", "words (torch.Tensor): a batch"),
        ("x (nn.Variable): a batch", "x (torch.Tensor): a batch"),
        (":param states: (th Variable)", ":param states: (th Tensor)"),
        (":return: (PyTorch Variable)", ":return: (PyTorch Tensor)"),
        ("three pytorch Variables, and a list", "three pytorch Tensors, and a list"),
        ("  logits: [B, H, W] Variable, logits", "  logits: [B, H, W] Tensor, logits"),
        ("func: takes Variable inputs and returns", "func: takes Tensor inputs and returns"),
        ("the batch as a Variable containing a LongTensor.", "the batch as a LongTensor."),
        ("x: A Variable containing an IntTensor of size", "x: An IntTensor of size"),
        ("x: A Variable containing a `FloatTensor`", "x: A `FloatTensor`"),
        ("x: a Variable containing the batch", "x: a Tensor containing the batch"),
        (
            "    Returns:\n        Variable so it is ready for a model.\n",
            "    Returns:\n        Tensor so it is ready for a model.\n",
        ),
        ("inputs: A Variable with any shape.", "inputs: A Tensor with any shape."),
        ("returns the loss as a single Variable.", "returns the loss as a single Tensor."),
        ("hidden ((tuple of) Variable): state", "hidden ((tuple of) Tensor): state"),
        ("obs (Variable): state wrapped in Variable\n", "obs (Tensor): state\n"),
        (
            "obs (Variable): state wrapped in a Variable, of size N,",
            "obs (Tensor): state, of size N,",
        ),
        ("predicted: Bx3xM Variable in GPU", "predicted: Bx3xM Tensor in GPU"),
        ("  output : NxCxHxW Variable", "  output : NxCxHxW Tensor"),
        ("vectors in 3D Variables.", "vectors in 3D Tensors."),
        ("    Variable: the loss", "    Tensor: the loss"),
        ("params: dict of (name, Variable) to add", "params: dict of (name, Tensor) to add"),
        (
            ":param x: data, type is Variable, size is n",
            ":param x: data, type is Tensor, size is n",
        ),
        (":param score: array_like Variable, [n]", ":param score: array_like Tensor, [n]"),
        ("Blue are the Variables that require grad", "Blue are the Tensors that require grad"),
        ("for `torch.Variable` and `torch.Tensor`.", "for `torch.Tensor`."),
        ("a Variable or torch.Tensor", "a torch.Tensor"),
        ("returns a Variable of shape (3,)", "returns a Tensor of shape (3,)"),
        ("Pad a list of variable length Variables", "Pad a list of variable length Tensors"),
        ("stacks a list of Variables along it", "stacks a list of Tensors along it"),
        ("the type of all the Variables", "the type of all the Tensors"),
        (">>> a = Variable(torch.ones(25, 300))", ">>> a = torch.ones(25, 300)"),
        ("Assumes it returns an autograd.Variable", "Assumes it returns a torch.Tensor"),
        ("An `autograd.Variable` of them", "A `torch.Tensor` of them"),
        ("x: an image as autograd.Variable", "x: an image as torch.Tensor"),
        (":param x: Variable, GPU tensor, or CPU tensor", ":param x: GPU tensor or CPU tensor"),
    ],
)
def test_a_variable_as_a_type_is_a_tensor(line: str, expected: str) -> None:
    assert about_tensors(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "Variable length sequences",
        "a Variable length list of tensors",
        "x: Variable-size input",
        "Variable names come first",
        "Converts numpy to Variable",
        "Convert a Tensor to a torch.autograd.Variable.",
        "make it a Variable of shape (3,)",
        "the variable of the loop",
        "Variable: what is not known yet",
        "Wraps it in new Variables",
        "Wraps hidden layers in Variables",
        "math Variable",
        ":param name: (th Variable names)",
        "x: [3] Variable names",
        "[3] Variables",
        "boxx Variable",
        "a 3D Variable-size input",
        "nn.VariableDict",
        "the Variables that are named",
        "(a name, Variable length)",
        "(the, Variable names)",
        "the type is Variable-size",
        "learn.Variable",
        "A Variable Rate Model",
        "A Variable selection of inputs",
        "the Variable input sizes",
        "value (float): the value to be wrapped in Variable",
        "x (Variable): what is to be wrapped in Variable",
        "x (Variable): the list wrapped in Variables",
        "obs (array): state wrapped in Variable",
        "x (:class:`~chainer.Variable`): tensor or variable of floats",
        "x (~chainer.Variable): tensor or variable of floats",
        "x (~chainer.Variable or torch.Tensor): features",
        "x (chainer.Variable or Tensor): features",
        "x (tf.Variable, tensor): features",
        "a `Tensor` or `Variable-size` input",
        "a `Tensor` or `tf.Variable`",
        "a tensor or variable",
        "Variable names of a tensor or variable length",
        "mynn.Variable",
        "(variable) x",
        "VariableDict (dict)",
        "a list of variables",
        "a list of Variable names",
        "all Variables names",
        ">>> a = Variable(torch.ones(2), requires_grad=True)",
        ">>> a = Variable(x)",
        ">>> a = f(Variable(torch.ones(2)))",
        "Returns:\n    Variable length lists\n",
        "Variable so named",
        "x: tf.Variable, GPU tensor, or CPU tensor",
    ],
)
def test_other_variables_stay(line: str) -> None:
    assert about_tensors(line) == line


_TEXT = """import torch
from torch.autograd import Variable


class Net:
    \"\"\"Has a weight (Variable).\"\"\"

    def f(self, x):
        r\"\"\"Sum.

        Args:
            x (Variable): summed
        \"\"\"
        return Variable(torch.zeros(3)) + x


def g(x):
    \"\"\"Nothing of x (Variable).\"\"\"
"""


def test_all_docstrings_of_a_file_that_lost_its_variables_are_brought_along() -> None:
    after = migrate(_TEXT).text
    assert "            x (Tensor): summed\n" in after
    assert '(Tensor)."""\n\n    def f' in after
    assert "Nothing of x (Tensor)" in after
    assert migrate(after).text == after


def test_they_stay_while_the_code_has_variables() -> None:
    text = _TEXT + "    return Variable(*x)\n"
    assert "x (Variable): summed" in migrate(text).text


def test_they_stay_where_something_else_was_rewritten() -> None:
    text = _TEXT.replace("Variable(torch.zeros(3))", "torch.nn.functional.tanh(x)")
    after = migrate(text).text
    assert "x (Variable): summed" in after and "Nothing of x (Variable)" in after


def test_quotes_and_the_lines_of_a_bracket_stay_where_they_are() -> None:
    docstring = """\"\"\"Sum of "x".

        Args:
            x (torch.autograd.Variable, of shape (3,
                                                  4), or "y"): summed
        \"\"\"
"""
    text = (
        "import torch\nfrom torch.autograd import Variable\nNAMES = ['a', 'b', 'c', 'd', 'e', 'f']\n\n"
        f"def f(x):\n        {docstring}        return Variable(torch.zeros(3)) + x\n"
    )
    expected = docstring.replace("torch.autograd.Variable", "torch.Tensor")
    assert f"def f(x):\n        {expected}        return torch.zeros(3) + x\n" in migrate(text).text


_PUT_AWAY = '''\
import torch
from torch.autograd import Variable


class Net(torch.nn.Module):
    def decode(self, x):
        """
        first = self.embed(Variable(torch.zeros(3)))
        return first
        """
        return x + Variable(torch.zeros(3))
'''


def test_code_that_was_put_away_between_quotes_stays() -> None:
    after = migrate(_PUT_AWAY).text
    assert after.endswith("        return x + torch.zeros(3)\n")
    assert "first = self.embed(Variable(torch.zeros(3)))" in after


def test_a_docstring_that_calls_a_type_stays_no_code() -> None:
    prose = _PUT_AWAY.replace("first = self.embed(Variable(torch.zeros(3)))", "x: (Variable)")
    after = migrate(prose.replace("return first", "first")).text
    assert "x: (Tensor)" in after


def test_the_examples_of_other_docstrings_lose_the_import_too() -> None:
    example = "    >>> x = Variable(torch.ones(2))\n    >>> g(x)\n"
    text = _TEXT.replace("Nothing of x (Variable).", f"Nothing of x (Variable).\n\n{example}    ")
    after = migrate(text).text
    assert "import Variable" not in after
    assert "    >>> x = torch.ones(2)\n    >>> g(x)\n" in after
    assert migrate(after).text == after
    kept = text + "    return Variable(*x)\n"
    assert example in migrate(kept).text


_FLAG = """import torch
from torch.autograd import Variable


def to_long(array, cuda=False, volatile=False):
    \"\"\"
    Makes a tensor.
{about}
    :param array: numbers
    :param cuda:
    :return: those
    \"\"\"
    x = Variable(torch.from_numpy(array).long(), volatile=volatile)
    return x.cuda() if cuda else x


def size(array):
    return to_long(array).size(0)
"""


def _of_project(folder: Path, text: str) -> str:
    (folder / "helpers.py").write_text(text)
    call = "from helpers import *\nprint(size([1, 2]))\n"
    (folder / "main.py").write_text(call)
    migrate_paths([folder], write=True)
    after = (folder / "helpers.py").read_text()
    migrate_paths([folder], write=True)
    assert (folder / "helpers.py").read_text() == after
    return after


@pytest.mark.parametrize(
    "about",
    [
        "    :param volatile:",
        "    :param volatile: whether to infer only",
        "    :param bool volatile: whether to infer only",
        "    :type volatile: bool",
        "    @param volatile whether to infer only",
        "    array (list): numbers\n    volatile (bool): whether to infer only",
        "    array: numbers\n    volatile: whether to infer only",
    ],
)
def test_the_line_about_a_parameter_goes_with_it(about: str, tmp_path: Path) -> None:
    after = _of_project(tmp_path, _FLAG.format(about=about))
    kept = about.rpartition("\n")[0]
    assert "volatile" not in after
    assert f"    Makes a tensor.\n{kept}{kept and chr(10)}    :param array: numbers\n" in after


@pytest.mark.parametrize(
    "about",
    [
        "    :param volatile: whether to infer\n        only",
        "    :param volatile_array: numbers",
        "    It was volatile: see there.",
        "    volatile: it is no more",
        "    Args:\n      volatile (bool): whether to infer only",
        "    :param evaluates: whether to infer only",
        "    :param cuda: volatile there",
    ],
)
def test_other_lines_stay(about: str, tmp_path: Path) -> None:
    after = _of_project(tmp_path, _FLAG.format(about=about))
    assert "volatile=" not in after
    assert f"\n{about}\n" in after


def test_the_line_about_a_parameter_stays_with_it(tmp_path: Path) -> None:
    text = _FLAG.format(about="    :param volatile: whether to infer only")
    text = text.replace("    x = ", "    print(volatile)\n    x = ")
    after = _of_project(tmp_path, text)
    assert "    :param volatile: whether to infer only\n" in after
    assert "volatile=False" in after


def test_what_no_rewrite_took_out_stays_told(tmp_path: Path) -> None:
    text = _FLAG.replace(", volatile=False", "").replace(", volatile=volatile", "")
    about = "    :param volatile: whether to infer only"
    after = _of_project(tmp_path, text.format(about=about))
    assert "Variable(" not in after
    assert f"\n{about}\n" in after


def test_the_docstring_of_a_class_tells_of_the_parameters_of_its_constructor(
    tmp_path: Path,
) -> None:
    about = "    :param volatile: whether to infer only\n    :param size: how many"
    text = (
        "import torch\nfrom torch.autograd import Variable\n\n\nclass Zeros(object):\n"
        f'    """Zeros.\n\n{about}\n    """\n\n    def __init__(self, size, volatile=False):\n'
        "        self.zeros = Variable(torch.zeros(size), volatile=volatile)\n\n\n"
        "def size(n):\n    return Zeros(n).zeros\n"
    )
    after = _of_project(tmp_path, text)
    assert "def __init__(self, size):" in after
    assert "volatile" not in after
    assert "    :param size: how many\n" in after


@pytest.mark.parametrize(
    "head",
    [
        "array, cuda=False, how=None, volatile=False",
        "array, cuda = False, how = None, volatile = False",
        "array, cuda: bool = False, how=dict(a=None), volatile=False",
    ],
)
def test_values_that_a_parameter_may_have_are_none(head: str, tmp_path: Path) -> None:
    about = "    :param how:\n        None: all of it\n        bool: a part\n        False: no part"
    text = _FLAG.format(about=about).replace("array, cuda=False, volatile=False", head)
    after = _of_project(tmp_path, text)
    assert "volatile=" not in after
    assert f"\n{about}\n" in after


def test_a_comment_behind_the_head_hides_no_parameter(tmp_path: Path) -> None:
    text = _FLAG.format(about="    :param volatile: whether to infer only")
    after = _of_project(tmp_path, text.replace("volatile=False):", "volatile=False):  # of torch"))
    assert ":param volatile" not in after


@pytest.mark.parametrize(
    "about",
    [
        "    Ratio:\n        0: no more of them\n        None: as if they were one more class",
        "    float: what is divided\n    None: nothing is",
        "    DEFAULT: what is taken\n    ratio: of those that are",
    ],
)
def test_the_line_about_a_value_of_a_parameter_stays(about: str) -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n\n\n"
        "def weights(x: float, ratio=None, most=DEFAULT):\n"
        f'    """Weights.\n\n{about}\n    """\n    return Variable(torch.zeros(3)) * ratio\n'
    )
    after = migrate(text).text
    assert "    return torch.zeros(3) * ratio\n" in after
    assert f"\n{about}\n" in after


_CONVERTER = """
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def make(tensor):
    {said}
    {lines}
    return Variable(tensor)


print(make(torch.zeros(3)))
"""
_MOVED = "if torch.cuda.is_available():\n        tensor = tensor.cuda()"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('"""Convert Tensor to Variable."""', '"""Move Tensor to device."""'),
        ("'''Converts a tensor to a Variable'''", "'''Moves a tensor to the device'''"),
        (
            '"""\n    Convert tensors into Variables.\n    """',
            '"""\n    Move tensors to device.\n    """',
        ),
    ],
)
def test_what_converted_and_only_moves_says_so(said: str, expected: str) -> None:
    after = migrate(_CONVERTER.format(said=said, lines=_MOVED)).text
    assert f"(tensor):\n    {expected}\n    return tensor.to(device)\n" in after


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ('"""Convert Tensor to Variable."""', "tensor = tensor * 2"),
        ('"""Convert Tensor to Variable."""', f"print(tensor)\n    {_MOVED}"),
        ('"""Convert arrays to Variables."""', _MOVED),
        ('"""Convert Tensor to Variable, and move it."""', _MOVED),
        ('"""Convert Tensor to Variable length."""', _MOVED),
    ],
)
def test_what_does_or_says_more_keeps_what_it_says(said: str, lines: str) -> None:
    after = migrate(_CONVERTER.format(said=said, lines=lines)).text
    assert f"    {said}\n" in after


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "    q (Variable): value of the action,\n        wrapped in Variable\n",
            "    q (Tensor): value of the action\n",
        ),
        (
            "    loss (Variable): the loss wrapped in\n        Variable\n",
            "    loss (Tensor): the loss\n",
        ),
        (
            "    x (Variable): states\n    old (dict): the dict of means and stds Variables of\n",
            "    x (Tensor): states\n    old (dict): the dict of means and stds Tensors of\n",
        ),
        ("    x (Variable): the batch to convert\n", "    x (Tensor): the batch to convert\n"),
    ],
)
def test_a_docstring_has_one_word_for_all(text: str, expected: str) -> None:
    assert about_tensors(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Return a torch Variable.\n\n    value (float): the value to be wrapped in Variable\n",
        "Converts arrays to Variables.\n\n    x (Variable): what it gives\n",
        "    x (Variable): a batch\n    y (list): the batch wrapped in\n        Variable\n",
        "Returns a Variable.\n\n    x (list): pairs of names with their Variables\n",
    ],
)
def test_a_docstring_that_would_go_on_to_speak_of_variables_stays(text: str) -> None:
    assert about_tensors(text) == text


def test_variables_that_are_no_types_keep_no_docstring() -> None:
    text = "Variable length lists.\n\n    x (Variable): a Variable length list\n"
    assert about_tensors(text) == text.replace("(Variable)", "(Tensor)")


@pytest.mark.parametrize(
    ("made", "is_told"), [("Var(torch.zeros(2))", True), ("Var(*x)", False), ("x", False)]
)
def test_variables_of_another_name_are_variables(made: str, is_told: bool) -> None:
    text = f"""import torch
from torch.autograd import Variable as Var


def f(x):
    \"\"\"
    x (Variable): the state
    \"\"\"
    return {made}, x.sum().data[0]
"""
    assert ("x (Tensor): the state" in migrate(text).text) is is_told
