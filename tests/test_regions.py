"""The engine's promise: bytes outside an edit stay, whatever the file looks like."""

from __future__ import annotations

import pytest

from tests.support.alone import ALONE
from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.runs.runner import migrate_bytes
from torchfix_codemods.settings.config import Settings

HEAD = "import torch\nimport torch.nn.functional as F\n"


def migrated(data: bytes, code: str = "TP301") -> bytes:
    result = migrate_bytes(data, ALONE / "a.py", Settings(select=(code,)))
    assert not result.errors, result.errors
    from torchfix_codemods.text.source import decode

    assert result.after is not None
    return decode(data).encode(result.after)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_are_kept(newline: str) -> None:
    text = HEAD + "a = 1\nb = F.mse_loss(x, y,\n    size_average=False)\n\x0c\nc = '''\n'''\n"
    data = text.replace("\n", newline).encode()
    expected = data.replace(b"size_average=False", b"reduction='sum'")
    assert migrated(data) == expected


def test_mixed_line_ends_outside_and_inside_a_region_are_kept() -> None:
    data = (
        b"import torch\r\nimport torch.nn.functional as F\n"
        b"a = F.mse_loss(x,\r\n  y,\n  size_average=False)\r\nb = 1\n"
    )
    assert migrated(data) == data.replace(b"size_average=False", b'reduction="sum"')


def test_byte_order_mark_and_missing_final_newline_are_kept() -> None:
    data = b"\xef\xbb\xbf" + HEAD.encode() + b"F.mse_loss(x, y, size_average=False)"
    assert migrated(data) == data.replace(b"size_average=False", b'reduction="sum"')


def test_other_encodings_are_kept() -> None:
    text = "# -*- coding: latin-1 -*-\n" + HEAD + "s = 'üü'; F.mse_loss(x, y, size_average=False)\n"
    data = text.encode("latin-1")
    assert migrated(data) == data.replace(b"size_average=False", b"reduction='sum'")


def test_characters_of_several_bytes_in_front_of_a_region() -> None:
    text = HEAD + "s = 'äöü€', F.mse_loss(x, y, size_average=False)  # €\n"
    assert "'äöü€', F.mse_loss(x, y, reduction='sum')  # €" in migrate(text, "TP301").text


def test_nested_findings_are_combined() -> None:
    text = HEAD + "F.mse_loss(F.l1_loss(a, b, size_average=False), c, size_average=False)\n"
    expected = 'F.mse_loss(F.l1_loss(a, b, reduction="sum"), c, reduction="sum")\n'
    assert migrate(text, "TP301").text == HEAD + expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('f"{F.mse_loss(a, b, size_average=False)}"', "f\"{F.mse_loss(a, b, reduction='sum')}\""),
        ("f'{F.mse_loss(a, b, size_average=False)}'", "f'{F.mse_loss(a, b, reduction=\"sum\")}'"),
        (
            '"a" f"ü{x!r:>{w}} {F.mse_loss(a, b, size_average=False):.2f}" "b"',
            '"a" f"ü{x!r:>{w}} {F.mse_loss(a, b, reduction=\'sum\'):.2f}" "b"',
        ),
        (
            'f"{F.mse_loss(a, b, size_average=False)} {F.l1_loss(a, b, size_average=False)}"',
            "f\"{F.mse_loss(a, b, reduction='sum')} {F.l1_loss(a, b, reduction='sum')}\"",
        ),
        (
            "f'{x}' f\"{F.mse_loss(a, b, size_average=False)}\"",
            "f'{x}' f\"{F.mse_loss(a, b, reduction='sum')}\"",
        ),
        (
            "f\"{x}\" rf'{F.mse_loss(a, b, size_average=False)}'",
            'f"{x}" rf\'{F.mse_loss(a, b, reduction="sum")}\'',
        ),
        (
            "f\"{f'''ü{x} {x + 1} {F.mse_loss(a, b, size_average=False)}'''}\"",
            "f\"{f'''ü{x} {x + 1} {F.mse_loss(a, b, reduction='sum')}'''}\"",
        ),
    ],
)
def test_inside_f_strings(before: str, after: str) -> None:
    assert migrate(HEAD + f"print({before})\n", "TP301").text == HEAD + f"print({after})\n"


def test_what_needs_a_quote_that_would_end_an_f_string_stays() -> None:
    nested = "f'{f\"{F.mse_loss(a, b, size_average=False)}\"}'"
    text = f"{HEAD}print({nested}, F.mse_loss(a, b, size_average=False))\n"
    migration = migrate(text, "TP301")
    assert migration.text == f"{HEAD}print({nested}, F.mse_loss(a, b, reduction='sum'))\n"
    (left,) = (finding for finding in migration.findings if not finding.fixed)
    assert left.message.endswith(
        "(left alone: an f-string cannot hold the result before Python 3.12)"
    )


def test_parentheses_where_a_replacement_binds_looser() -> None:
    text = "import torch\nfrom torch.autograd import Variable\ny = Variable(a + b).sum() * 2\n"
    assert "y = (a + b).detach().sum() * 2" in migrate(text, "TP101").text
    text = "import torch\nfrom torch.autograd import Variable\na = torch.ones(2)\ny = -Variable(a + 1)\n"
    assert "y = -(a + 1)\n" in migrate(text, "TP101").text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(x // 3).sum()", "{}.sum()"),
        ("2 * (x // 3)", "2 * {}"),
        ("1 if(x // 3).sum() else 2", "1 if({}).sum() else 2"),
        ("f(x // 3), (x // 3)", "f({}), ({})"),
        ("(x // 3)or x", "({})or x"),
    ],
)
def test_no_parentheses_around_what_became_a_call(before: str, after: str) -> None:
    head = "import torch\nx = torch.arange(4) - 9\ny = "
    call = 'torch.div(x, 3, rounding_mode="trunc")'
    options = Options(era=Era((1, 6), (1, 6)))
    migrated = migrate(f"{head}{before}\n", "TP406", options=options).text
    assert migrated == f"{head}{after.replace('{}', call)}\n"


def test_parentheses_where_a_replacement_spans_lines() -> None:
    head = "import torch\nfrom torch.autograd import Variable\na = torch.ones(2)\n"
    assert "y = (a +\n    1)\n" in migrate(head + "y = Variable(a +\n    1)\n", "TP101").text
    assert "f(a +\n  1)\n" in migrate(head + "f(Variable(a +\n  1))\n", "TP101").text


@pytest.mark.parametrize(
    ("around", "lines"),
    [
        ("return ({}, 1)", "return (x.a\n    .b(), 1)"),
        ("return (1 + {})", "return (1 + x.a\n    .b())"),
        ("@f({})\n  def g(): pass", "@f(x.a\n    .b())\n  def g(): pass"),
        ("return (0), {}, (1)", "return (0), (x.a\n    .b()), (1)"),
        ("return 1 + {}", "return 1 + (x.a\n    .b())"),
    ],
)
def test_brackets_around_it_hold_the_lines_of_a_replacement(around: str, lines: str) -> None:
    head = "import torch\nfrom torch.autograd import Variable\ndef f(x):\n  x = x.long()\n  "
    text = head + around.format("Variable(x.a\n    .b())") + "\n"
    options = Options(era=Era((0, 3), (0, 3)))
    assert lines in migrate(text, "TP101", options=options).text


def test_continuation_lines_follow_their_bracket() -> None:
    head = "import torch\nfrom torch.autograd import Variable\n"
    before = "x = Variable(torch.zeros(1,\n                         2), volatile=False)\n"
    after = "x = Variable(torch.zeros(1,\n                         2))\n"
    assert migrate(head + before, "TP102").text == head + after
    before = "x = Variable(torch.zeros(1,  # one\n                         2))\n"
    after = "x = torch.zeros(1,  # one\n                2)\n"
    assert migrate(head + before, "TP101").text == "import torch\n" + after


def test_continuation_lines_follow_their_bracket_also_where_a_line_goes() -> None:
    head = "import torch\nfrom torch.autograd import Variable\n"
    before = "x = f(Variable(\n    torch.stack([t.expand(2)\n                 for t in ts])))\n"
    after = "x = f(torch.stack([t.expand(2)\n                   for t in ts]).detach())\n"
    assert migrate(head + before, "TP101").text == "import torch\n" + after
    before = (
        'y = f("a", Variable(t.data +\n                    torch.randn(1),\n'
        "                    requires_grad=True))\n"
    )
    after = 'y = f("a", (t.data +\n            torch.randn(1)).requires_grad_())\n'
    assert migrate(head + before, "TP101").text == "import torch\n" + after


def test_continuation_lines_follow_their_bracket_in_a_block_that_is_put_under_another() -> None:
    before = (
        "import torch\ndef copy(net, old):\n"
        "    for p, q in zip(net.parameters(), old.parameters()):\n"
        "        q.data.copy_(2 * p.data +\n                     q.data)\n"
    )
    after = (
        "    with torch.no_grad():\n"
        "        for p, q in zip(net.parameters(), old.parameters()):\n"
        "            q.copy_(2 * p +\n                    q)\n"
    )
    assert migrated(before.encode(), "TP104").decode().endswith(after)


def test_a_new_block_is_indented_as_most_blocks_are() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "if torch.cuda.is_available():\n    torch.cuda.set_device(0)\n"
        "def infer(model, xs):\n  for x in xs:\n    x = Variable(x, volatile=True)\n"
        "    if x.dim() == 1:\n      print(model(x))\n"
    )
    after = migrate(text, "TP101", "TP102").text
    assert after.endswith(
        "  for x in xs:\n    if x.dim() == 1:\n      with torch.no_grad():\n"
        "        print(model(x))\n"
    )


def test_statements_that_share_a_line_are_not_moved() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\nx = Variable(y, volatile=True); f(x)\n"
    )
    assert migrate(text, "TP102").text == text


def test_an_emptied_block_gets_pass() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\na = torch.ones(1)\nb = torch.ones(1)\n"
        "if check(a):\n    a = Variable(a)\n    b = Variable(b)\n"
    )
    assert migrate(text, "TP101").text.endswith("if check(a):\n    pass\n")


def test_an_elif_belongs_to_its_if() -> None:
    text = (
        "import torch\nuse_cuda = torch.cuda.is_available()\n"
        'device = torch.device("cuda" if use_cuda else "cpu")\n'
        "if a:\n    pass\nelif use_cuda:\n    x = x.to(device)\n"
    )
    assert migrate(text, "TP202").text == text


def test_a_megabyte_statement_is_not_parsed_as_a_whole() -> None:
    numbers = ", ".join(str(n) for n in range(100_000))
    text = HEAD + f"data = [{numbers}, F.mse_loss(a, b, size_average=False)]\n"
    assert 'reduction="sum")]\n' in migrate(text, "TP301").text


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_rewritten_statement_keeps_its_line_end(newline: str) -> None:
    lines = [
        "import torch",
        "from torch.autograd import Variable",
        "x = Variable(x, volatile=True)",
        "y = net(x)",
        "z = 1",
    ]
    text = newline.join([*lines, ""])
    after = migrate(text, "TP102", "TP101").text
    assert "no_grad" in after
    assert after.endswith(f"{newline}z = 1{newline}")
    assert after.count(newline) == len(after.splitlines())


@pytest.mark.parametrize(
    "statement",
    ["{} = 1", "del {}", "{} += 1", "for {} in range(3):\n    pass", "({}, b) = 1, 2"],
)
def test_what_is_assigned_to_or_deleted_becomes_no_call(statement: str) -> None:
    text = "import torch\nx = torch.randn(2, 2)\n" + statement.format("x.data.max(1)[1]") + "\n"
    migration = migrate(text, "TP408")
    assert migration.text == text
    assert "assigned to" in migration.findings[0].message


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_an_expression_of_several_lines_keeps_its_parentheses(newline: str) -> None:
    text = "import torch\nfrom torch.autograd import Variable\na = torch.ones(1)\n"
    before = text + "x = Variable(a +\n             1)\ny = Variable(x)\n"
    after = migrate(before.replace("\n", newline), "TP101").text
    assert f"x = (a +{newline}" in after


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_comment_inside_stays_whatever_ends_its_line(newline: str) -> None:
    text = HEAD + "a = F.mse_loss(x, y, True,  # averaged\n    False)  # each # of them\n"
    text = text.replace("\n", newline)
    assert migrate(text, "TP301").text.count("#") == 3


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("code", "statement"),
    [
        ("TP903", "values, _ = torch.symeig( \\\n  a  # kept\n  ())"),
        ("", "data = TensorDataset(data_tensor=a( \\\n  4), target_tensor=b\n  (4))"),
        ("", "net = torch.nn.Linear(1, 1)\nif torch.cuda.is_available( \\\n  ):\n    net.cuda()"),
    ],
)
def test_whatever_breaks_a_line_all_lines_end_alike(
    newline: str, code: str, statement: str
) -> None:
    text = "import torch\nfrom torch.utils.data import TensorDataset\n" + statement + "\n"
    codes = [code] if code else []
    after = migrate(text.replace("\n", newline), *codes).text
    assert after == migrate(text, *codes).text.replace("\n", newline)
    assert after != text.replace("\n", newline)


def test_strings_that_were_there_keep_their_quotes() -> None:
    text = (
        "import torch\n\n\nclass Crop(torch.autograd.Function):\n"
        "    def forward(self, x):\n        self.kind = names['a']['b'][\"int *\"]\n"
        "        return x * 2\n\n    def backward(self, grad):\n        return grad * 2\n\n\n"
        "y = Crop()(torch.ones(2))\n"
    )
    after = migrate(text, "TP107").text
    assert "ctx.kind = names['a']['b'][\"int *\"]\n" in after


def test_a_statement_behind_one_of_several_lines_is_rewritten_too() -> None:
    text = (
        "import torch\n\n\ndef f():\n    torch.set_autocast_cpu_enabled(\n        True); "
        "during = torch.get_autocast_gpu_dtype(), torch.is_autocast_cpu_enabled()\n    return during\n"
    )
    rewritten = (
        '    torch.set_autocast_enabled("cpu", True); during = torch.get_autocast_dtype("cuda"), '
        'torch.is_autocast_enabled("cpu")\n    return during\n'
    )
    assert migrate(text).text.endswith(f"def f():\n{rewritten}")
