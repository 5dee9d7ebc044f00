"""A block of ``no_grad`` holds the fewest lines: the loop over batches, and no half of a chain."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
from torch.utils.data import DataLoader
net = nn.Linear(3, 2)
net.eval()
layer = nn.Linear(3, 2)
"""

_SETS = """for data in sets:
    loader = DataLoader(data, batch_size=2)
    found = []
    for x, y in loader:
        x = Variable(x, volatile=True)
        found.append(net(x).data.max(1)[1])
        print(y)
    results.append(found)
"""


def _migrated(text: str) -> str:
    return migrate(_HEAD + text, "TP102").text.removeprefix(_HEAD)


def _indented(lines: str) -> str:
    return "".join("    " + line for line in lines.splitlines(keepends=True))


def test_the_loop_over_the_batches_goes_in_and_not_the_one_over_the_data_sets() -> None:
    first = _SETS.index("    for x, y")
    last = _SETS.index("    results")
    loop = _indented(_SETS[first:last]).replace(", volatile=True", "")
    after = f"{_SETS[:first]}    with torch.no_grad():\n{loop}{_SETS[last:]}"
    assert _migrated(_SETS) == after


def test_loops_over_something_else_go_in_together() -> None:
    text = _SETS.replace("in loader", "in zip(data, data)")
    after = "with torch.no_grad():\n" + _indented(text).replace(", volatile=True", "")
    assert _migrated(text) == after


def test_what_is_made_above_a_loop_stays_above_the_block() -> None:
    text = "x = Variable(torch.zeros(1, 3), volatile=True)\nfor i in range(9):\n    print(net(x))\n"
    first = text.index("for")
    above = text[:first].replace(", volatile=True", "")
    assert _migrated(text) == f"{above}with torch.no_grad():\n{_indented(text[first:])}"


@pytest.mark.parametrize(
    "made", ["net(Variable(torch.zeros(1, 3), volatile=True))", "Variable(net(z), volatile=True)"]
)
def test_what_calls_a_model_above_a_loop_goes_in(made: str) -> None:
    text = f"x = {made}\nfor i in range(9):\n    print(net(torch.cat([x, x], 1)))\n"
    after = "with torch.no_grad():\n" + _indented(text).replace(", volatile=True", "")
    assert _migrated(text) == after


_CLOCKED = """import time
for x, y in torch.load('x'):
    {first}
    {second}
    out = net(x)
    end = time.time()
    print(out.data)
    F.mse_loss(other(y), y).backward()
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x = Variable(x, volatile=True)", "start = time.time()"),
        ("x = Variable(x, volatile=True)", "start = 3"),
        ("x = Variable(x.view(-1, 3), volatile=True)", "start = began = time.time()"),
        ("x = Variable(x, volatile=True)", "started.time = time.time()"),
    ],
)
def test_a_clock_stays_above_the_block(first: str, second: str) -> None:
    after = _migrated(_CLOCKED.format(first=first, second=second))
    assert f"    {second}\n    with torch.no_grad():\n        out = net(x)\n    end = " in after


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x = net(Variable(x, volatile=True))", "start = time.time()"),
        ("x = Variable(x, volatile=True)", "start = began(x)"),
    ],
)
def test_what_stands_behind_a_run_or_is_no_number_stays_in_the_block(
    first: str, second: str
) -> None:
    after = _migrated(_CLOCKED.format(first=first, second=second))
    assert f"        {second}\n        out = net(x)\n" in after


_PAGE = """x = Variable({0}, volatile=True)
page = "<html>"
page += "<body>"
for i in range(9):
    print(net(x))
"""


@pytest.mark.parametrize("made", ["z", "z.cuda() if on_gpu else z", "z.cuda()"])
def test_lines_that_have_to_do_with_nothing_in_a_block_stay_above_it(made: str) -> None:
    text = _PAGE.replace("{0}", made)
    first = text.index("for")
    above = text[:first].replace(", volatile=True", "")
    assert _migrated(text) == f"{above}with torch.no_grad():\n{_indented(text[first:])}"


def test_lines_between_those_that_calculate_stay_in_the_block() -> None:
    text = _PAGE.replace("{0}", "z").replace("page = ", "y = net(x)\npage = ")
    assert _migrated(text).startswith(
        "x = Variable(z)\nwith torch.no_grad():\n    y = net(x)\n    page = "
    )


def test_a_value_that_a_model_calculates_stays_in_the_block() -> None:
    text = _PAGE.replace("{0}", "z.cuda() if net(z).sum() > 0 else net(z)")
    assert _migrated(text).startswith("with torch.no_grad():\n    x = Variable(z.cuda()")


_SHOWN = """    print({0}, "a")
    with open(str(i)) as file:
        print(file.read())
"""
_LONG = """for i, x in enumerate(sets):
    y = net(Variable(x, volatile=True)).data.max(1)[1]
"""


def _long_loop(shown: int) -> str:
    return _LONG + "".join(_SHOWN.format(n) for n in range(shown))


def _only_calls(text: str) -> str:
    call = "    y = net(Variable(x, volatile=True)).data.max(1)[1]\n"
    return text.replace(call, "    with torch.no_grad():\n" + _indented(call)).replace(
        ", volatile=True", ""
    )


def test_a_long_loop_is_not_indented_for_a_line() -> None:
    assert _migrated(_long_loop(9)) == _only_calls(_long_loop(9))


def test_a_loop_on_a_page_goes_in_whole() -> None:
    after = "with torch.no_grad():\n" + _indented(_long_loop(4)).replace(", volatile=True", "")
    assert _migrated(_long_loop(4)) == after


def test_a_function_that_only_evaluates_is_decorated_for_a_long_loop() -> None:
    text = "def test():\n    net.eval()\n" + _indented(_long_loop(9)) + "test()\n"
    after = migrate(_HEAD + text).text
    assert "@torch.no_grad()\ndef test():" in after
    assert "with" not in after.replace("with open", "")


def test_a_long_loop_beside_other_things_of_a_function_is_not_indented() -> None:
    loop = _indented(_long_loop(9))
    text = f"def test(first):\n    net.eval()\n    print(first(net))\n{loop}test(print)\n"
    assert _migrated(text) == text.replace(loop, _indented(_only_calls(_long_loop(9))))


_ABOVE = "def pick(net, x, on_gpu, names):\n    x = Variable(x, volatile=True)\n"
_KEPT_ABOVE = _ABOVE.replace(", volatile=True", "")


def _picked(text: str) -> str:
    after = _migrated(_ABOVE + text)
    assert after.startswith(_KEPT_ABOVE)
    return after.removeprefix(_KEPT_ABOVE)


@pytest.mark.parametrize("moved", ["    if on_gpu:\n        x = x.cuda()\n", "    x = x.cuda()\n"])
def test_moves_of_what_goes_in_stay_above(moved: str) -> None:
    call = "    out = net(x)\n"
    assert _picked(moved + call) == f"{moved}    with torch.no_grad():\n{_indented(call)}"


@pytest.mark.parametrize(
    "read",
    [
        "    top, places = out.topk(3)\n    print(top)\n",
        "    if names:\n        top, places = out.topk(3)\n    else:\n        exit()\n",
        "    x = names[0]\n    best = out.max(1)[1].tolist()\n",
        "    # Of one sample.\n    out = out[0]\n    print(out)\n",
        "    ids = out.tolist()\n    words = [names.kept[i] for i in ids]\n    return words\n",
        "    n = out['n'][0]\n    ids = [out['ids'][i].data[0] for i in range(n)]\n    print(ids)\n",
    ],
)
def test_what_reads_the_outcome_stays_below(read: str) -> None:
    call = "    out = net(x)\n"
    assert _picked(call + read) == f"    with torch.no_grad():\n{_indented(call)}{read}"


@pytest.mark.parametrize(
    "line",
    [
        "    out = F.log_softmax(out, dim=1)\n",
        "    top, places = out.topk(3)\n    out = F.softmax(out, dim=1)\n",
        "    if names:\n        out = out[:, :-1]\n        out = F.softmax(out, dim=1)\n",
        "    out = out[0]\n    out = F.softmax(out, dim=1)\n",
        "    words = [names(i) for i in out]\n",
        "    rows = [layer.weight[i] for i in out]\n",
    ],
)
def test_what_goes_on_with_the_same_value_goes_in(line: str) -> None:
    call = "    out = net(x)\n" + line
    read = "    print(out)\n"
    assert _picked(call + read) == f"    with torch.no_grad():\n{_indented(call)}{read}"


def test_where_one_branch_runs_the_model_the_block_stands_in_it() -> None:
    text = "    if on_gpu:\n        print(net(x))\n    else:\n        print(names)\n"
    after = text.replace(
        "        print(net(", "        with torch.no_grad():\n            print(net("
    )
    assert _picked(text) == after


def test_where_both_branches_do_it_stands_around_them() -> None:
    text = "    if on_gpu:\n        print(net(x))\n    else:\n        print(net(x + 1))\n"
    assert _picked(text) == "    with torch.no_grad():\n" + _indented(text)


_SEARCH = """    beam = [(names, 0)]
    for step in range(9):
        found = []
        for words, score in beam:
            x[0] = len(words)
            best = net(x).max(1)[1].tolist()
            for place, one in enumerate(best):
                print(place, one)
            if score > 3:
                print(words, score)
            found.append((words + best, score))
        found = sorted(found)
        print(found)
        if not found:
            break
        beam = found[:5]
"""


def test_a_search_goes_under_no_grad_where_it_runs_the_model() -> None:
    call = "            best = net(x).max(1)[1].tolist()\n"
    after = _SEARCH.replace(call, "            with torch.no_grad():\n" + _indented(call))
    assert _picked(_SEARCH) == after


_TO_TENSOR = """import torch
import torch.nn as nn
from torch.autograd import Variable

SCALE = nn.Parameter(torch.ones(1))
net = nn.Linear(3, 4)


def numbers_of(words, vocabulary):
    {of_words}


def to_tensor(words, vocabulary, volatile=False):
    numbers = numbers_of(words, vocabulary)
    return Variable(torch.FloatTensor(numbers), volatile=volatile, requires_grad=False)


def score(words, vocabulary):
    x = to_tensor(words, vocabulary, volatile=True)

    # (words, 4)
    y = net(x)
    return y.data.numpy()
"""


@pytest.mark.parametrize(
    ("of_words", "is_above"),
    [
        ("return [[vocabulary[w] for w in line] for line in words]", True),
        ("return [len(line) for line in words] or numbers_of(words[:1], vocabulary)", True),
        ("return net(words)", False),
        ("return words * SCALE", False),
    ],
)
def test_what_a_helper_makes_of_words_stays_above_the_block(of_words: str, is_above: bool) -> None:
    after = migrate(_TO_TENSOR.format(of_words=of_words)).text
    made, block = "x = to_tensor(words, vocabulary)\n", "    with torch.no_grad():\n"
    above = f"    {made}\n    # (words, 4)\n{block}        y = net(x)\n"
    assert (above if is_above else f"{block}        {made}") in after


@pytest.mark.parametrize(
    ("comment", "is_above"),
    [("convert it into a Variable", True), ("volatile: nothing is trained here", False)],
)
def test_a_comment_on_the_graph_stays_above_the_block(comment: str, is_above: bool) -> None:
    after = migrate(
        "import torch\nfrom torch.autograd import Variable\nnet = torch.nn.Linear(3, 4)\n\n\n"
        f"def act(a):\n    # {comment}\n    x = Variable(torch.from_numpy(a), volatile=True)\n"
        "    y = net(x)\n    return y.data.numpy()\n"
    ).text
    made, block = "    x = torch.from_numpy(a)\n", "    with torch.no_grad():\n"
    assert (f"{made}{block}" if is_above else f"# {comment}\n{block}    {made}") in after


@pytest.mark.parametrize(
    ("kind", "given", "is_above"),
    [
        ("Long", "word", True),
        ("Float", "word", False),
        ("Long", "net(x).max()", False),
    ],
)
def test_what_is_put_into_whole_numbers_stays_above_the_block(
    kind: str, given: str, is_above: bool
) -> None:
    after = migrate(
        "import torch\nfrom torch.autograd import Variable\n\n\n"
        f"def act(net, words):\n    x = Variable(torch.{kind}Tensor([0]), volatile=True)\n"
        f"    for word in words:\n        x[0] = {given}\n        y = net(x)\n"
        "        print(y.data.numpy())\n        for part in words:\n            print(part)\n"
        + "            print(part)\n"
        * 9
    ).text
    put, block = f"        x[0] = {given}\n", "        with torch.no_grad():\n"
    assert (f"{put}{block}" if is_above else f"{block}    {put}") in after


_MOVED = """def show(x, use_cuda):
    x = Variable(x, volatile=True)
    y = net(x)
    if use_cuda:
        y = {}
    return y.data.numpy()
"""


def test_what_is_only_moved_in_a_branch_below_stays_outside() -> None:
    after = _migrated(_MOVED.format("y.cpu()"))
    assert "    with torch.no_grad():\n        y = net(x)\n    if use_cuda:\n" in after


@pytest.mark.parametrize("value", ["F.softmax(y, 1)", "net(y).cpu()", "layer(y)"])
def test_what_is_calculated_in_a_branch_below_goes_in(value: str) -> None:
    after = _migrated(_MOVED.format(value))
    assert f"        if use_cuda:\n            y = {value}\n" in after
