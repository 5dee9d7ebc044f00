"""What rewrites leave behind goes; what the author wrote like it stays."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate, options_of

HEAD = "import torch\nfrom torch.autograd import Variable\n"


def _after(text: str) -> str:
    text = HEAD + textwrap.dedent(text)
    after = migrate(text).text
    assert migrate(after).text == after
    return after


def test_a_block_that_a_rewrite_emptied_goes() -> None:
    after = _after(
        """
        x = torch.ones(1)
        with torch.no_grad():
            # make variable
            x = Variable(x)
        print(x)
        """
    )
    assert "no_grad" not in after
    assert "pass" not in after


@pytest.mark.parametrize(
    "block",
    [
        "with torch.no_grad():\n    pass\n",
        "with open(path) as file:\n    x = Variable(x)\n",
        "with torch.no_grad(), lock():\n    x = Variable(x)\n",
        "with torch.no_grad() as context:\n    x = Variable(x)\n",
    ],
)
def test_other_blocks_stay(block: str) -> None:
    assert block.split("\n")[0] in _after(f"x = torch.ones(1)\n{block}print(x)\n")


_PROBE = """
def fit(net, x, y):
    loss = torch.nn.functional.mse_loss(net(x), y)
    try:
        {}
    except {}:
        loss.data = torch.reshape(loss.data, (1,)){}
    return loss.data[0]
"""


def test_a_test_whether_a_loss_has_dimensions_goes() -> None:
    after = _after(_PROBE.format("loss.data[0]", "IndexError", ""))
    assert after.endswith("(net(x), y)\n    return loss.item()\n")


@pytest.mark.parametrize(
    ("tried", "caught", "below"),
    [
        ("loss.data[0]", "Exception", ""),
        ("print(loss.data[0])", "IndexError", ""),
        ("loss.item()", "IndexError", ""),
        ("loss.data[0]", "IndexError", "\n    else:\n        print(x)"),
        ("loss.data[0]", "IndexError", "  # has none"),
    ],
)
def test_other_attempts_stay(tried: str, caught: str, below: str) -> None:
    after = _after(_PROBE.format(tried, caught, below))
    assert (
        f"    try:\n        {tried.replace('data[0]', 'item()')}\n    except {caught}:\n" in after
    )


_SWAP = """
def swap(net, other, codes, x):
    a = Variable(codes, volatile=True)
    b = Variable(codes, volatile=True)
    u, v = other(x)
    x_a = net(a, u)
{}    x_b = net(b, v)  # of the other
    # done
    return x_a, x_b
"""


def test_blocks_right_below_one_another_are_one() -> None:
    body = "        x_a = net(a, u)\n        x_b = net(b, v)  # of the other\n    # done\n"
    assert f"    with torch.no_grad():\n{body}" in _after(_SWAP.format(""))


def test_three_blocks_below_one_another_are_one() -> None:
    third = "    c = Variable(codes, volatile=True)\n    u, v = other(x)\n"
    swap = _SWAP.replace("    u, v = other(x)\n", third).format("")
    swap = swap.replace("    # done\n", "    x_c = net(c, u)\n")
    after = _after(swap)
    assert after.count("with torch.no_grad():") == 1
    assert "        x_b = net(b, v)  # of the other\n        x_c = net(c, u)\n    return" in after


@pytest.mark.parametrize(
    "block", ["with torch.no_grad(): print(x)\n", "with torch.no_grad() as x:\n        print(x)\n"]
)
def test_other_blocks_below_stay_on_their_own(block: str) -> None:
    assert f"    x_a = net(a, u)\n    {block}" in _after(_SWAP.format(f"    {block}"))


@pytest.mark.parametrize("between", ["\n", "    # The second.\n", "\n    # The second.\n\n"])
def test_blocks_with_nothing_said_between_are_one(between: str) -> None:
    inside = between.replace("    #", "        #")
    body = f"        x_a = net(a, u)\n{inside}        x_b = net(b, v)  # of the other\n    # done\n"
    assert f"    with torch.no_grad():\n{body}" in _after(_SWAP.format(between))


@pytest.mark.parametrize("between", ["    w = other(x)\n", "\n    torch.nn.init.zeros_(x)\n"])
def test_blocks_with_something_between_stay_two(between: str) -> None:
    assert _after(_SWAP.format(between)).count("with torch.no_grad():") == 2


def test_updates_with_an_initialization_between_are_one_block() -> None:
    text = """
        fc = torch.nn.Linear(2, 3)
        fc.weight.data.mul_(0.1)
        fc.bias.data.zero_()
        head = torch.nn.Linear(2, 3)
        head.weight.data.mul_(0.1)

        head.bias.data.zero_()
        fc.weight.data.mul_(0.1)
        fc.bias.data.zero_()
    """
    assert _after(text).endswith(
        """
fc = torch.nn.Linear(2, 3)
with torch.no_grad():
    fc.weight.mul_(0.1)
torch.nn.init.zeros_(fc.bias)
head = torch.nn.Linear(2, 3)
with torch.no_grad():
    head.weight.mul_(0.1)

    torch.nn.init.zeros_(head.bias)
    fc.weight.mul_(0.1)
torch.nn.init.zeros_(fc.bias)
"""
    )


def test_a_block_of_the_author_below_an_empty_line_stays_on_its_own() -> None:
    block = "\n    with torch.no_grad():\n        print(x)\n    print(u)\n"
    assert _after(_SWAP.format(block)).count("with torch.no_grad():") == 3


def test_blocks_that_their_author_wrote_stay_two() -> None:
    block = "with torch.no_grad():\n    {} = net(x)\n"
    text = block.format("a") + block.format("b")
    assert text in _after("net = torch.nn.Linear(1, 1)\nx = Variable(torch.ones(1))\n" + text)


def test_what_is_there_already_is_not_moved_again() -> None:
    after = _after("x = torch.from_numpy(y).type(torch.cuda.LongTensor).cuda()\n")
    assert "x = torch.from_numpy(y).to(device, torch.long)\n" in after


@pytest.mark.parametrize(
    "moves", ["x.to(device).to(device)", "x.to(device, torch.long).to(other)", "x.to(a()).to(a())"]
)
def test_moves_that_nothing_rewrote_stay(moves: str) -> None:
    assert moves in _after(f"x = Variable(torch.ones(1))\ny = {moves}\n")


def test_classes_in_place_of_several_join_their_tuple() -> None:
    after = _after(
        """
        from torch._six import string_classes
        def f(x):
            return isinstance(x, (int, string_classes, float)), isinstance(x, string_classes)
        """
    )
    assert "isinstance(x, (int, str, bytes, float)), isinstance(x, (str, bytes))" in after


def test_tuples_of_tuples_that_nothing_rewrote_stay() -> None:
    line = "print(isinstance(x, ((str, bytes), int)))"
    assert line in _after(f"x = Variable(y)\n{line}\n")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('"""Doc."""\n\nimport sys\n', '"""Doc."""\n\nimport math\nimport sys\n'),
        ('"""Doc."""\nimport sys\n', '"""Doc."""\nimport math\nimport sys\n'),
        (
            '"""Doc."""\n\n# system\nimport sys\n',
            '"""Doc."""\nimport math\n\n# system\nimport sys\n',
        ),
        (
            "from __future__ import division\n\n\nimport sys\n",
            "from __future__ import division\n\n\nimport math\nimport sys\n",
        ),
        (
            "import json\nimport os\n\nimport sys\n",
            "import json\nimport math\nimport os\n\nimport sys\n",
        ),
        (
            "import os\nimport json\nimport sys\n",
            "import math\nimport os\nimport json\nimport sys\n",
        ),
        (
            "import os\nimport re\nfrom a import b\n\nimport sys\n",
            "import math\nimport os\nimport re\nfrom a import b\n\nimport sys\n",
        ),
        ("import io\nimport json, sys\n", "import math\nimport io\nimport json, sys\n"),
    ],
)
def test_an_import_stands_beside_the_others(head: str, expected: str) -> None:
    text = f"{head}import torch\nfrom torch._six import inf\nprint(sys, torch, inf)\n"
    assert migrate(text).text == f"{expected}import torch\nprint(sys, torch, math.inf)\n"


_EVALUATES = """from torchvision import models
def f(x):
    net = models.alexnet()
    net.eval()
    for y in x:
        p = net(y).max(1)[1]
        print(p.data.cpu().numpy())
"""


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (
            "import json\nimport numpy as np\nimport own\n",
            "import json\nimport numpy as np\n+import own\n",
        ),
        ("import json\nfrom own import x\n", "+import json\nfrom own import x\n"),
        ("import json\nimport numpy.random, own\n", "import json\nimport numpy.random, own\n+"),
        ("import json\nSIZE = 3\ndef f(): pass\nimport numpy\n", "+import json\nSIZE = 3\n"),
    ],
)
def test_an_import_of_torch_stands_below_that_of_numpy(head: str, expected: str) -> None:
    after = migrate(head + _EVALUATES, "TP112").text
    assert after.startswith(expected.replace("+", "import torch\n"))


@pytest.mark.parametrize(
    ("held", "item"),
    [
        ("held = list(next(iter(DataLoader(x))))", "held[0]"),
        ("held = next(iter(DataLoader(x)))", "held[key]"),
        ("held = next(iter(DataLoader(x, collate_fn=put_together)))", "held[key]"),
    ],
)
def test_an_item_of_a_list_or_a_batch_is_not_assigned_to_itself(held: str, item: str) -> None:
    after = _after(
        f"""
        from torch.utils.data import DataLoader
        {held}
        for key in keys:
            if is_moved(key):
                {item} = Variable({item})
            print(key)
        """
    )
    assert after.endswith("    if is_moved(key):\n        pass\n    print(key)\n")


@pytest.mark.parametrize(
    "line",
    [
        "unknown[key] = Variable(unknown[key])",
        "ones[key] = Variable(ones[key])",
        "unknown.held[key] = Variable(unknown.held[key])",
        "held[key] = held[key]; x = Variable(torch.ones(1))",
        "loaded[f()] = Variable(loaded[f()])",
    ],
)
def test_an_item_of_what_may_do_something_when_it_is_set_stays(line: str) -> None:
    made = "from torch.utils.data import DataLoader\nloaded = next(iter(DataLoader(x)))\n"
    text = f"{made}held = {{'a': 1}}\nones = torch.ones(2)\nfor key in keys:\n    {line}\n"
    target = line.partition(" =")[0]
    assert f"    {target} = {target}" in _after(text)


def test_an_item_that_its_author_assigned_to_itself_stays() -> None:
    text = "x = Variable(torch.ones(1))\nheld = {'a': 1}\nheld['a'] = held['a']\n"
    assert "held['a'] = held['a']" in _after(text)


_LISTS = "def run(x, y, net, flag, given):\n    {}\n    xs = [Variable(x, requires_grad=False) for x in xs]\n    {}\n"


def _of_old(text: str) -> str:
    """What becomes of code for a torch whose ``Variable`` took plain tensors alone."""
    return migrate(HEAD + text, options=options_of('FROM = "0.3"')).text


@pytest.mark.parametrize(
    "before",
    [
        "xs = [torch.ones(2), torch.zeros(2)]",
        "xs = [torch.ones(2)]\n    if flag:\n        xs = [x.cuda() for x in xs]",
        "xs = [torch.ones(2)]\n    print(len(xs), xs[0].size())",
    ],
)
def test_no_list_is_made_again_of_a_list_of_its_own(before: str) -> None:
    after = _of_old(_LISTS.format(before, "xs.append(y)\n    return net(*xs)"))
    assert "list(" not in after
    assert "xs = xs" not in after
    assert "xs.append(y)" in after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("xs = given", "xs.append(y)"),
        ("xs = old = [torch.ones(2)]", "xs.append(y)"),
        ("xs = (torch.ones(2), torch.zeros(2))", "xs += (y,)"),
        ("xs = [torch.ones(2)]\n    if flag:\n        xs = (torch.ones(2),)", "net(xs)"),
        ("xs = [torch.ones(2)]\n    net.xs = xs", "xs.append(y)"),
        ("xs = [torch.ones(2)]\n    first = zip(xs, x)", "xs.append(y)"),
        ("xs = [torch.ones(2)]\n    show = lambda: net(xs)", "xs.append(y)"),
    ],
)
def test_a_list_that_something_else_may_have_is_made_again(before: str, after: str) -> None:
    assert "xs = list(xs)" in _of_old(_LISTS.format(before, after))


@pytest.mark.parametrize(
    ("before", "moved", "after"),
    [
        ("[{} for x in xs]", "[x.cuda() for x in xs]", "xs = [x.to(device) for x in xs]"),
        ("tuple({} for x in xs)", "tuple(y.cuda() for y in xs)", "tuple(y.to(device) for y in xs)"),
        ("[{} for x in xs]", "list(x.cuda() for x in xs)", "list(x.to(device) for x in xs)"),
    ],
)
def test_what_is_moved_right_below_is_not_gone_through_before(
    before: str, moved: str, after: str
) -> None:
    wrapped = before.format("Variable(x, requires_grad=False)")
    text = _of_old(f"def run(xs):\n    xs = {wrapped}\n    xs = {moved}\n    return xs\n")
    assert after in text
    assert text.count("xs = ") == 1


@pytest.mark.parametrize(
    "below",
    [
        "xs = (x.cuda() for x in xs)",
        "xs = [x.cuda() + len(xs) for x in xs]",
        "xs = [next(given) for x in xs]",
        "ys = [x.cuda() for x in xs]",
        "print(xs)\n    xs = [x.cuda() for x in xs]",
    ],
)
def test_what_something_else_may_go_through_is_made_a_list(below: str) -> None:
    line = "xs = [Variable(x, requires_grad=False) for x in xs]"
    text = _of_old(f"def run(xs, given):\n    {line}\n    {below}\n    return xs\n")
    assert "xs = list(xs)" in text


def test_under_another_name_it_stays_another_list() -> None:
    lines = "xs = [torch.ones(2)]\nys = [Variable(x, requires_grad=False) for x in xs]\nys.pop()\nprint(xs)\n"
    assert "ys = list(xs)" in _of_old(lines)


_HALVES = """
def run(net, args, x):
    # the state
    if {}:
        h = Variable(torch.zeros(3), requires_grad=False)
    else:
        h = {}
    return net(h)
"""


@pytest.mark.parametrize(
    "test", ["args.test", "net.training", "x is None", "args", "not args.test"]
)
@pytest.mark.parametrize("other", ["Variable(torch.zeros(3))", "torch.zeros(3)"])
def test_halves_that_a_rewrite_made_the_same_are_one(test: str, other: str) -> None:
    after = _after(_HALVES.format(test, other))
    assert after.endswith("    # the state\n    h = torch.zeros(3)\n    return net(h)\n")


def test_what_both_halves_say_is_said_once() -> None:
    text = _HALVES.replace("        h = ", "        # none yet\n        h = ")
    after = _after(text.format("args.test", "torch.zeros(3)"))
    assert after.endswith("    # none yet\n    h = torch.zeros(3)\n    return net(h)\n")
    assert after.count("# none yet") == 1


@pytest.mark.parametrize("line", ["# none", "# none yet, either", "# None yet"])
def test_halves_that_do_not_say_the_same_stay(line: str) -> None:
    text = _HALVES.replace("        h = {}", f"        {line}\n        h = {{}}")
    text = text.replace("        h = Var", "        # none yet\n        h = Var")
    after = _after(text.format("args.test", "torch.zeros(3)"))
    assert f"    else:\n        {line}\n        h = torch.zeros(3)\n" in after


@pytest.mark.parametrize(
    ("test", "other"),
    [
        ("args.test()", "torch.zeros(3)"),
        ("(n := args.test)", "torch.zeros(3)"),
        ("args.test", "torch.zeros(4)"),
        ("args.test", "torch.zeros(3)  # none"),
        ("args.test", "torch.zeros(3)\n        # none"),
        ("args.test", "torch.zeros(3)\n        print(h)"),
        ("args.test", "Variable(torch.zeros(3), requires_grad=False)"),
        ("args.a:\n        h = torch.ones(3)\n    elif args.b", "torch.zeros(3)"),
    ],
    ids=["a call", "a name", "sizes", "beside", "below", "more", "its author's", "a chain"],
)
def test_other_halves_stay(test: str, other: str) -> None:
    after = _after(_HALVES.format(test, other))
    assert "    else:\n        h = torch." in after


_WRAPPED_ONE_BY_ONE = """import torch
from torch.autograd import Variable
def f(n, gpu):
    xs = [torch.zeros(2), torch.ones(2)]
    {}
    return xs
"""


def _one_by_one(lines: str) -> str:
    text = migrate(_WRAPPED_ONE_BY_ONE.format(lines)).text
    return text.partition("torch.ones(2)]\n")[2].partition("    return xs\n")[0]


@pytest.mark.parametrize("size", ["2", "n", "0, n + 1", "len(xs)"])
def test_a_loop_that_does_nothing_any_more_goes(size: str) -> None:
    assert _one_by_one(f"for j in range({size}):\n        xs[j] = Variable(xs[j])") == ""


@pytest.mark.parametrize(
    "lines",
    [
        "for j in range(n):\n        xs[j] = Variable(xs[j])\n    print(j)",
        "for j in n:\n        xs[j] = Variable(xs[j])",
        "for j in range(n()):\n        xs[j] = Variable(xs[j])",
        "for j in range(n):\n        xs[j] = Variable(xs[j])\n    else:\n        print(n)",
    ],
)
def test_a_loop_that_may_do_something_stays(lines: str) -> None:
    assert "for j in" in _one_by_one(lines)


def test_a_loop_that_did_nothing_before_stays() -> None:
    lines = "for j in range(n):\n        pass\n    y = Variable(xs[0])\n    print(y)"
    assert "    for j in range(n):\n        pass\n" in _one_by_one(lines)


@pytest.mark.parametrize(
    ("made", "left"),
    [
        ("tuple([{} for x in xs])", "tuple(xs)"),
        ("list([{} for x in xs])", "list(xs)"),
        ("tuple([{} for x in (xs, given)])", "tuple((xs, given))"),
        ("tuple([{} for x in xs], given)", "tuple(list(xs), given)"),
        ("given([{} for x in xs])", "given(list(xs))"),
        ("[{} for x in xs]", "list(xs)"),
    ],
)
def test_what_makes_a_tuple_of_all_needs_no_list_between(made: str, left: str) -> None:
    text = f"def run(xs, given):\n    return {made.format('Variable(x, requires_grad=False)')}\n"
    assert f"return {left}\n" in _of_old(text)
