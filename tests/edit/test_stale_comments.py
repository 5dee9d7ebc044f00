from __future__ import annotations

import pytest

from tests.support.rules import migrate
from torchfix_codemods.edit.tidying.stale_comments import (
    closes_block,
    is_about_variables_only,
    is_code,
    without_flag,
    without_variables,
)

_HEAD = "import torch\nfrom torch.autograd import Variable\nfor x, y in torch.load('x'):\n"
_LINE = "    x, y = Variable(x, volatile=False), Variable(y)\n"


@pytest.mark.parametrize(
    "comment",
    [
        "# Now Variables",
        "# autograd Variable",
        "# wrap them in Variable",
        "# wrapper to variable",
        "# transform into Variable",
        "# Convert them in Variables",
        "    #wrap in Variables",
        "# Convert torch tensor to Variable.",
        "# move to Variable",
        "# Unwrap autograd.Variable to Tensor",
        "# unwrap the data from Variables",
        "# wrap the mini-batch in a PyTorch Variable",
        "# torch can only train on Variable, so convert them to Variable",
        "# now we need to wrap it in Variable",
        "# Wrap tensors in Variable class for automatic differentiation",
        "# convert to Variable objects for autograd.",
        "# Wrap tensors in Variable class, set volatile=True for inference mode and to use minimal "
        "memory during inference",
        "# wrap in Variables, with volatile=True to save memory",
        "# wrap it in a Variable and set volatile = True.",
        "# convert to pytorch Variable (with automatic gradient calc.)",
        "# tensor to Variable",
        "# numpy array to Variable",
        "# Wrap in a variable so that we will get automatic backprop",
        "# convert to Variable so we can get gradients",
    ],
)
def test_only_about_variables(comment: str) -> None:
    assert is_about_variables_only(comment)


@pytest.mark.parametrize(
    "comment",
    [
        "# Variables",
        "# from left to variable",
        "# move from constant into variable",
        "# convert to Variable (with a hook)",
        "# now the loss variables",
        "# Soon to be variables",
        "# wrap them in Variable and move them",
        "# transform into variable length",
        "# transform each of them into a Variable",
        "# transform into variable types of layers",
        "# wrap in Variable objects for the loss",
        "# sort, set volatile=True for inference mode",
        "# wrap in Variable, set volatile=False for training",
        "# wrap in Variable, set volatile=True for the frozen half",
        "# set volatile=True for inference mode",
        "# Variable",
        "# torch can only train on Variable",
        "# it can only train on a GPU, so move it to Variable",
        "# wrap the sorted ones in Variable",
        "# unwrap the Variable of the loss, and print it",
        "# unwrap the model",
        "# wrap in a variable so that we can print it",
        "x = 1  # wrap in Variable",
        "",
    ],
)
def test_about_more(comment: str) -> None:
    assert not is_about_variables_only(comment)


@pytest.mark.parametrize(
    "comment",
    ["# end", "#End", "## end def", "# end of method", "# end __init__()", "#endfunction"],
)
def test_a_comment_that_closes_a_block(comment: str) -> None:
    assert closes_block(comment)


@pytest.mark.parametrize(
    "comment", ["# ends", "# end of an epoch", "# end: x", "# the end", "# ending", "end", "#"]
)
def test_a_comment_that_says_more_than_that_a_block_ends(comment: str) -> None:
    assert not closes_block(comment)


@pytest.mark.parametrize("comment", ["#print(x.shape)", "# x = 1", "    # import os"])
def test_code_that_was_taken_out(comment: str) -> None:
    assert is_code(comment)


@pytest.mark.parametrize(
    "comment", ["# inputs", "# get the inputs", "#", "# x, y", "# (one)", "# if x:"]
)
def test_words(comment: str) -> None:
    assert not is_code(comment)


def test_code_that_was_taken_out_is_no_sentence_that_goes_on() -> None:
    line = "    x = Variable(x.view(-1))\n"
    code, words = "    #print(x.shape)\n", "    # get the inputs and\n"
    wrap = "    # wrap them in Variable\n"
    assert wrap not in _below(code + wrap, line)
    assert wrap in _below(words + wrap, line)


def _below(comment: str, line: str = _LINE) -> str:
    text = f"{_HEAD}    print(x)\n{comment}{line}    print(y)\n"
    return migrate(text).text.partition("    print(x)\n")[2]


def test_the_comment_goes_with_the_line() -> None:
    assert _below("    # wrap them in Variable\n") == "    print(y)\n"
    assert _below("\n    # wrap them in Variable\n") == "\n    print(y)\n"


@pytest.mark.parametrize(
    "comment",
    ["    # the batch\n", "    # wrap in Variable\n\n", "  # wrap in Variable\n"],
)
def test_other_comments_stay(comment: str) -> None:
    assert _below(comment).startswith(comment.rstrip("\n"))


@pytest.mark.parametrize(
    ("comment", "kept"),
    [
        ("# wrap them in Variable", ""),
        ("  # Create x, and wrap it in Variables.", "  # Create x."),
        ("# load the batch and convert to Variable", "# load the batch"),
        ("# load the batch and then wrap it in Variables", "# load the batch"),
        ("# wrap in Variables and maybe push into GPU", "# maybe push into GPU"),
        ("  # Wrap in Variables, then move to cuda", "  # Move to cuda"),
        ("# get x (both halves) and transform it into a Variable", "# get x (both halves)"),
        ("# get x and transform it into backpropagatable Variable", "# get x"),
        ("# get both (x, y) and transform them into Variables", None),
        ("# wrap in Variables of length n and move to cuda", None),
        ("# wrap in Variables and sort", None),
        ("# both pad and wrap in Variables", None),
        ("# pad, sort, and wrap in Variables", None),
        ("# pad and wrap the sorted ones in Variables", None),
        ("# pad and wrap in Variables and move", None),
        ("# pad and sort", None),
        ("x = 1  # pad and wrap in Variables", None),
        ("# and wrap in Variables", None),
        ("# return the prior wrapped in a suitable Variable", "# return the prior"),
        ("  # a batch of images, wrapped in Variables.", "  # a batch of images."),
        ("# images wrapped in Variables", None),
        ("# return the prior wrapped in a list of Variables", None),
    ],
)
def test_the_last_clause_goes_alone(comment: str, kept: str | None) -> None:
    assert without_variables(comment) == (comment if kept is None else kept)


_ONLY = "we only infer, so no autograd is required"


@pytest.mark.parametrize(
    ("comment", "kept"),
    [
        (f"    # {_ONLY}: volatile=True", f"    # {_ONLY}"),
        (f"# {_ONLY} (volatile = True).", f"# {_ONLY}."),
        ("# NOTE: only inference here, so volatile=True", "# NOTE: only inference here"),
        ("# only inference here; volatile=True", "# only inference here"),
        ("# set volatile=True", None),
        ("# here: volatile=True", None),
        ("# here y.volatile=True since x.volatile=True", None),
        ("# of the two that come with x, y, volatile=True", None),
        (f"# {_ONLY}: volatile=False", None),
        (f"# {_ONLY}: volatile=True, and no labels", None),
        (f"x = {_ONLY!r}  # {_ONLY}: volatile=True", None),
    ],
)
def test_the_flag_goes_alone(comment: str, kept: str | None) -> None:
    assert without_flag(comment) == (comment if kept is None else kept)


_BOTH = "Wrap tensors in Variable class, set volatile=True for inference mode"
_EVALUATION = """\
import torch
from torch.autograd import Variable
def test(model, loader):
    total = 0
    for x in loader:
        x = x.cuda()

        # {comment}
        {line}
        total += model(x).sum().data[0]
    return total
"""


@pytest.mark.parametrize(
    "line",
    [
        "x = Variable(x, volatile=True)",
        "x = Variable(x.view(-1), volatile=True)",
    ],
)
def test_what_a_comment_says_of_the_flag_goes_with_it(line: str) -> None:
    flagged = f"{_ONLY}: volatile=True"
    text = _EVALUATION.format(comment=flagged, line=line)
    for ends in ("\n", "\r\n"):
        after = migrate(text.replace("\n", ends)).text
        assert "volatile" not in after
        assert f"        # {_ONLY}{ends}" in after


@pytest.mark.parametrize(
    ("line", "is_kept"),
    [
        ("x = Variable(x, volatile=True)", False),
        ("x = Variable(x.view(-1), volatile=True)", False),
        ("x = Variable(x, volatile=True)\n        start = now()", False),
        ("x = x.view(-1).cuda()", True),
        ("x = Variable(x.view(-1))\n        y = flagged(x, volatile=True)", True),
        ("x = Variable(x)\n        y = flagged(x, volatile=True)", True),
    ],
)
def test_what_a_comment_says_of_the_wrapper_and_its_flag(line: str, is_kept: bool) -> None:
    after = migrate(_EVALUATION.format(comment=_BOTH, line=line)).text
    assert (f"# {_BOTH}\n" in after) is is_kept


def test_the_flag_goes_where_the_statement_below_goes_too() -> None:
    text = (
        "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n"
        "from torch.utils.data import DataLoader\nmodel = nn.Linear(2, 2)\n"
        "loader = DataLoader(rows)\ndef test():\n    model.eval()\n"
        "    total = 0\n    for i, (x, _) in enumerate(loader):\n"
        "        # move it\n        x = x.cuda()\n\n"
        f"        # {_ONLY}: volatile=True\n        x = Variable(x, volatile=True)\n"
        "        y = model(x)\n        total += y.sum().data[0]\n        if i == 0:\n"
        "            print(y.data.cpu())\n    print(total)\n"
    )
    assert f"            # {_ONLY}\n            y = model(x)\n" in migrate(text).text


@pytest.mark.parametrize(
    ("comment", "line"),
    [
        (f"{_ONLY}: volatile=True", "x = x.view(-1).cuda()"),
        (f"{_ONLY}: volatile=True", "x = Variable(x.view(-1))"),
        (f"{_ONLY}: volatile=True", "x = Variable(x)\n        y = flagged(x, volatile=True)"),
        ("use volatile=True to save memory here", "x = Variable(x.view(-1), volatile=True)"),
        (f"as x has\n        # {_ONLY}: volatile=True", "x = Variable(x.view(-1), volatile=True)"),
    ],
)
def test_what_a_comment_says_of_other_flags_stays(comment: str, line: str) -> None:
    assert (
        f"# {comment.splitlines()[-1].strip(' #')}\n"
        in migrate(_EVALUATION.format(comment=comment, line=line)).text
    )


def test_what_else_a_comment_says_stays() -> None:
    comment, line = "    # Load x, and wrap it in Variable.\n", "    x = Variable(x.view(-1))\n"
    assert _below(comment, line).startswith("    # Load x.\n    x = x.view(-1)")
    crlf = f"{_HEAD}{comment}{line}".replace("\n", "\r\n")
    assert "    # Load x.\r\n    x = x.view(-1)" in migrate(crlf).text
    assert _below(comment, "    x = y.data\n").startswith(comment)


@pytest.mark.parametrize(
    ("comment", "lines", "is_kept"),
    [
        ("# wrap targets", _LINE + "\n", False),
        ("# Wrap x and y", _LINE + "\n", False),
        ("# convert x into Variable and cuda form", _LINE + "\n", False),
        ("# convert x into Variable and cuda form", _LINE + "    x = [x]\n\n", True),
        ("# convert x into Variable and cuda form, twice", _LINE + "\n", True),
        ("# convert x into cuda form", _LINE + "\n", True),
        ("# wrap targets", _LINE, True),
        ("# wrap targets", _LINE + "    x = [x]\n\n", True),
        ("# wrap targets", _LINE + "    if y:\n        z = y > 0\n\n", False),
        ("# wrap targets", _LINE + "    if y:\n        x = [x]\n\n", True),
        ("# wrap targets", _LINE + "    z = y > 0\n    if y:\n        z = 1\n\n", True),
        ("# wrap targets", _LINE + "    for z in y:\n        wrapped.append(z)\n\n", True),
        ("# wrap lines", _LINE + "\n", True),
        ("# targets", _LINE + "\n", True),
        ("# wrap", _LINE + "\n", True),
        ("# wrap targets", "    x = Variable(x.view(-1))\n\n", True),
    ],
)
def test_what_is_wrapped_goes_with_all_that_did_it(comment: str, lines: str, is_kept: bool) -> None:
    assert (comment in _below(f"    {comment}\n", lines)) is is_kept


def test_about_what_the_code_assigns() -> None:
    comment = "# wrap mean and weights in variables"
    assert is_about_variables_only(comment, ("mean", "Weights"))
    assert not is_about_variables_only(comment, ("mean",))


@pytest.mark.parametrize(
    "lines",
    [
        "    x = Variable(x.view(-1))\n",
        "    x = Variable(x.view(-1))\n    y = Variable(y.view(-1))\n",
        "    if y:\n        x = Variable(x.view(-1))\n    else:\n        x = Variable(y.view(-1))\n",
        "    for z in y:\n        print(Variable(z.view(-1)))\n",
        "    print(Variable(x.view(-1)))\n",
    ],
)
def test_the_comment_goes_from_above_a_line_that_stays(lines: str) -> None:
    after = _below("    # wrap them in Variable\n", lines)
    assert "#" not in after and "Variable" not in after


def test_the_comment_goes_with_the_names_it_speaks_of() -> None:
    assert _below("    # wrap x and y in variables\n").startswith("    print(y)")
    lines = "    weights = Variable(x.view(-1))\n"
    assert "#" not in _below("    # wrap weights in a variable\n", lines)
    assert "#" in _below("    # wrap biases in a variable\n", lines)


_TYPE = "    x = Variable(x.view(-1))\n"


@pytest.mark.parametrize(
    ("comment", "lines"),
    [
        ("    # the batch\n", _TYPE),
        ("    # wrap in Variable\n\n", _TYPE),
        ("    # the rest we\n    # wrap in Variable\n", _TYPE),
        ("  # wrap in Variable\n", _TYPE),
        ("    # wrap in Variable\n", "    x = x.data.view(-1)\n"),
        ("    # wrap in Variable\n", _TYPE + "    y = other.Variable(y)\n"),
        ("    # wrap in Variable\n", "    x = 1; y = Variable(y.view(-1))\n"),
    ],
)
def test_comments_above_lines_that_stay_stay(comment: str, lines: str) -> None:
    assert comment.splitlines()[-1 if comment.strip() else 0] in _below(comment, lines)


@pytest.mark.parametrize(
    ("second", "left"),
    [
        ("# This is the state of step 0", "    # This is the state of step 0\n"),
        ("# and this is the state of step 0", None),
    ],
)
def test_a_first_sentence_on_variables_goes_alone(second: str, left: str | None) -> None:
    comment = f"    # Wrap it in a Variable\n    {second}\n"
    assert (left or comment) + "    x = x.view(-1)" in f"\n{_below(comment, _TYPE)}"
    assert ("Variable" in _below(comment, _TYPE)) is (left is None)


def test_a_first_sentence_stays_where_something_is_wrapped_yet() -> None:
    comment = "    # Wrap it in a Variable\n    # This is the state of step 0\n"
    assert comment in _below(comment, _TYPE + "    y = other.Variable(y)\n")


_INFERENCE = """
def run(model, x, y):
    print(x)

{comment}    x = Variable(x, volatile=True)
    y = Variable(y, volatile=True){gap}
    out = model(x, y)
    return out.data.numpy()
"""


def _inference(comment: str, gap: str = "\n") -> str:
    text = "import torch\nfrom torch.autograd import Variable\n"
    return migrate(text + _INFERENCE.format(comment=comment, gap=gap)).text.partition("(x)\n")[2]


@pytest.mark.parametrize("gap", ["", "\n", "\n    # Run it"])
def test_the_comment_above_the_no_grad_of_the_line_goes_as_well(gap: str) -> None:
    above = gap.lstrip("\n") + ("\n" if "#" in gap else "")
    expected = f"\n{above}    with torch.no_grad():\n        out = model"
    assert _inference("    # Wrap in variables\n", gap).startswith(expected)


@pytest.mark.parametrize("comment", ["    # the batch\n", "    # wrap in Variable\n\n"])
def test_other_comments_above_the_no_grad_stay(comment: str) -> None:
    after = _inference(comment).replace("\n\n    with", "\n    with")
    assert after.startswith(f"\n{comment.strip(chr(10))}\n    with torch.no_grad():\n        out")


def test_the_comment_above_another_block_stays() -> None:
    head = "import torch\n"
    block = "def f(n):\n    x = torch.ones(n)\n    # wrap it in Variable\n    if n:\n"
    text = f"{head}from torch.autograd import Variable\n{block}        x = Variable(x)\n"
    assert migrate(f"{text}        print(x)\n").text == f"{head}{block}        print(x)\n"


_BLOCK = """    # wrap them in Variable
    x = x.float()
    if y:
        z = {0}
        x = x + 1
    else:
        z = {0}
"""


def test_it_goes_where_only_lines_further_down_lost_what_it_speaks_of() -> None:
    assert (
        _below("", _BLOCK.format("Variable(torch.ones(2))"))
        == "".join(_BLOCK.format("torch.ones(2)").splitlines(True)[1:]) + "    print(y)\n"
    )


@pytest.mark.parametrize("last", ["f(Variable)", "x = y"])
def test_it_stays_where_one_line_still_does_it_or_none_did(last: str) -> None:
    block = _BLOCK.replace("{0}", "Variable(torch.ones(2))", 1).format(last)
    assert _below("", block if last != "x = y" else _BLOCK.format(last)).startswith("    # wrap")


@pytest.mark.parametrize(
    ("comment", "kept"),
    [
        ("# convert numpy arrays to torch Variables", "# convert numpy arrays to torch tensors"),
        ("# numpy array to Variable", "# numpy array to tensor"),
        ("# wrap in Variables", ""),
    ],
)
def test_arrays_still_become_tensors_where_a_loop_makes_some(comment: str, kept: str) -> None:
    line = "for k, v in params.items():\n    params[k] = Variable(torch.from_numpy(v))\n"
    after = migrate(f"{_HEAD}    print(x)\n\n{comment}\n{line}").text
    assert after.endswith(
        f"\n{kept}\n{line}".replace("\n\n", "\n").replace(
            "Variable(torch.from_numpy(v))", "torch.from_numpy(v)"
        )
    )


def test_nothing_is_left_of_a_comment_on_arrays_above_lines_that_make_none() -> None:
    comment, line = "# numpy arrays to Variables\n", "y = Variable(x + x)\n"
    assert comment not in migrate(f"{_HEAD}    print(x)\n\n{comment}{line}").text


def test_it_stays_above_lines_that_stand_apart_from_what_was_wrapped() -> None:
    block = _BLOCK.format("Variable(torch.ones(2))").replace("    if y", "\n    if y")
    assert _below("", block).startswith("    # wrap")


_TRY = """    # convert to Variable
    try:
        y = {0}
    except ValueError:
        print(x)
"""


def test_it_goes_above_a_try_that_lost_what_it_speaks_of() -> None:
    code = _TRY.format("Variable(torch.ones(2))")
    kept = "".join(_TRY.format("torch.ones(2)").splitlines(True)[1:])
    assert _below("", code) == f"{kept}    print(y)\n"


def test_it_stays_above_a_try_that_had_none() -> None:
    code = _TRY.format("torch.ones(2)")
    assert _below("", code) == f"{code}    print(y)\n"


_FUNCTION = """# read the rows, and convert them to Variables
def read(rows):
    return {0}


print(read([1]))
"""


def test_the_last_clause_goes_from_above_a_function_that_lost_what_it_speaks_of() -> None:
    head = "import torch\nfrom torch.autograd import Variable\n\n\n"
    after = migrate(head + _FUNCTION.format("Variable(torch.rand(len(rows)))")).text
    kept = _FUNCTION.format("torch.rand(len(rows))").replace(", and convert them to Variables", "")
    assert after == f"import torch\n\n\n{kept}"


@pytest.mark.parametrize("result", ["rows", "Variable(torch.rand(3)), make(Variable)"])
def test_it_stays_above_a_function_that_had_none_or_has_one(result: str) -> None:
    head = "import torch\nfrom torch.autograd import Variable\n\n\n"
    after = migrate(head + _FUNCTION.format(result) + "print(Variable)\n").text
    assert "# read the rows, and convert them to Variables\n" in after


_LOSS = """
def loss(net, x, y):
{above}    following = Variable(x, volatile=True)
    values = net(following).max(1)[0]
{below}    values.volatile = False
{rest}
    return torch.nn.functional.mse_loss(values, Variable(y))
"""
_HEADED = (
    "    # Nothing is trained by what follows{}\n"
    "    # will save us from changing the model parameters'\n    # requires_grad{}\n"
)
_CLEARED = (
    "    # Now, the loss should not be in trouble with a volatile flag, so\n"
    "    # let's clear it. After this it is a Variable that has\n    # requires_grad=False\n"
)


def _of_loss(above: str = "", below: str = "", rest: str = "") -> str:
    text = "import torch\nfrom torch.autograd import Variable\n"
    return migrate(text + _LOSS.format(above=above, below=below, rest=rest)).text


@pytest.mark.parametrize(
    ("clause", "end", "stop"),
    [(" and volatile", " to False!", ""), (", since the volatile flag", ".", ".")],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_what_a_comment_of_some_lines_ends_with_of_the_flag(
    clause: str, end: str, stop: str, line_end: str
) -> None:
    text = "import torch\nfrom torch.autograd import Variable\n"
    text += _LOSS.format(above=_HEADED.format(clause, end), below="", rest="")
    after = migrate(text.replace("\n", line_end)).text
    kept = f"    # Nothing is trained by what follows{stop}{line_end}"
    assert kept in after and "requires_grad" not in after and "volatile" not in after
    assert after.count("#") == 1


@pytest.mark.parametrize(
    ("clause", "end"),
    [(" and volatile", " to False. So x stays"), (", volatile", ""), (" and this", " volatile")],
)
def test_what_else_a_comment_of_some_lines_says_stays(clause: str, end: str) -> None:
    above = _HEADED.format(clause, end)
    assert above in _of_loss(above).replace("        #", "    #")


def test_a_comment_on_the_flag_goes_with_the_line_that_set_it() -> None:
    after = _of_loss(below=_CLEARED)
    assert "volatile" not in after and "#" not in after


@pytest.mark.parametrize(
    "below",
    [
        _CLEARED + "\n",
        "    # The values of what follows.\n" + _CLEARED,
        "    # not volatile\n    # for the loss. Clip them later!\n",
    ],
)
def test_other_comments_above_such_a_line_stay(below: str) -> None:
    assert below.strip() in _of_loss(below=below).replace("        #", "    #")


_TAKEN = """
def act(net, x, y):
{0}    x = Variable(torch.from_numpy(x),
        volatile=True)

{1}    y = Variable(torch.from_numpy(y))
    return net(x, y).data.numpy()
"""


def _of_act(above: str = "", below: str = "") -> str:
    text = "import torch\nfrom torch.autograd import Variable\n"
    return migrate(text + _TAKEN.format(above, below)).text.partition("def act")[2]


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        (
            "    # No backward here\n    # Thus, we set volatile to True.\n",
            "    # No backward here\n",
        ),
        ("    # No backward here,\n    # so set volatile=True.\n", "    # No backward here.\n"),
        ("    # No backward here. So we use volatile=True\n", "    # No backward here.\n"),
    ],
)
def test_why_the_flag_is_set_goes_with_it(end: str, kept: str) -> None:
    above = "    # Need to first convert x into Variable\n"
    assert f"    # Need to first convert x into tensor\n{kept}" in _of_act(above + end)
    assert "volatile" not in _of_act(above + end)


@pytest.mark.parametrize(
    "above",
    [
        "    # No backward\n    # Thus, we set volatile to False.\n",
        "    # No backward\n    # Thus, we set volatile to True for x alone.\n",
        "    # No backward\n    # Convert the tensor x into Variable\n",
    ],
)
def test_what_else_is_said_of_the_flag_stays(above: str) -> None:
    assert above in _of_act(above)


_ELSEWHERE = "    # x sets volatile to True, thus, we do not set\n    # it here\n"


def test_where_the_flag_is_set_instead_goes_with_it() -> None:
    assert "#" not in _of_act(below=_ELSEWHERE)


@pytest.mark.parametrize(
    "below",
    [
        "    # x sets volatile to True, thus, we do not set\n    # y here\n",
        _ELSEWHERE + "    # TODO: ask\n",
        "    note(x, volatile=1)\n" + _ELSEWHERE,
    ],
)
def test_it_stays_with_more_that_is_said_or_while_the_flag_does(below: str) -> None:
    assert below.strip() in _of_act(below=below).replace("        ", "    ")


_DRAWN = """def draw(logvar):
    std = logvar.mul(0.5).exp_()
    # - {}
    # - so eps has as many
    eps = {}
    return eps.mul(std)
"""


@pytest.mark.parametrize("wrapped", ["wrapped by std", "that is wrapped in std"])
def test_what_was_wrapped_is_the_tensor_itself(wrapped: str) -> None:
    text = _DRAWN.format(f"std.data is the [n, 2] tensor {wrapped}", "{}")
    imports = "import torch\nfrom torch.autograd import Variable\n\n\n"
    after = migrate(imports + text.format("Variable(std.data.new(std.size()).normal_())")).text
    expected = _DRAWN.format("std is the [n, 2] tensor", "std.new_empty(std.size()).normal_()")
    assert after == f"import torch\n\n\n{expected}"
    assert migrate(after).text == after


@pytest.mark.parametrize(
    ("comment", "line"),
    [
        ("std.data is the tensor wrapped by logvar", "Variable(std.data.new(3).normal_())"),
        ("std.data is a view of std", "Variable(std.data.new(3).normal_())"),
        ("std.data is the tensor wrapped by std", "Variable(logvar.view(-1))"),
    ],
)
def test_what_is_said_of_other_data_stays(comment: str, line: str) -> None:
    imports = "import torch\nfrom torch.autograd import Variable\n\n\n"
    assert f"# - {comment}\n" in migrate(imports + _DRAWN.format(comment, line)).text
