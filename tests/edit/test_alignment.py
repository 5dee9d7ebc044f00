"""Lines that stood under a bracket follow it; all others stay."""

from __future__ import annotations

import pytest

from torchfix_codemods.edit.tidying.alignment import realigned

BEFORE = "audio = torch.cuda.HalfTensor(a,\n                              b).normal_()\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            BEFORE,
            "audio = torch.randn(a,\n                              b)\n",
            "audio = torch.randn(a,\n                    b)\n",
        ),
        (
            BEFORE,
            "audio = torch.randn(a,\n                              b,\n"
            "                              dtype=torch.half,\n"
            "                              device=device)\n",
            "audio = torch.randn(a,\n                    b,\n"
            "                    dtype=torch.half,\n                    device=device)\n",
        ),
        (
            "x = old_name(a,\n             f(b,\n               c))\n",
            "x = new(a,\n             f(b,\n               c,\n               d))\n",
            "x = new(a,\n        f(b,\n          c,\n          d))\n",
        ),
        (
            "    x = Variable(\n        f(\n            a,\n            b\n        ).g()\n    )\n",
            "    x = f(\n            a,\n            b\n        ).g().detach()\n",
            "    x = f(\n        a,\n        b\n    ).g().detach()\n",
        ),
        # Behind a backslash.
        (
            "    if gpu:\n        x = f(a.cuda()) \\\n            / (b * c) \\\n              - d\n"
            "    else:\n        x = f(a) \\\n            / (b * c) \\\n              - d\n",
            "    x = f(a) \\\n            / (b * c) \\\n              - d\n",
            "    x = f(a) \\\n        / (b * c) \\\n          - d\n",
        ),
        (
            "\tif gpu:\n\t\tx = f(a.cuda()) \\\n\t\t\t/ b\n\telse:\n\t\tx = f(a) \\\n\t\t\t/ b\n",
            "\tx = f(a) \\\n\t\t\t/ b\n",
            "\tx = f(a) \\\n\t\t/ b\n",
        ),
        (
            "x = Variable(f(a)) \\\n       / b\n",
            "x = f(a) \\\n       / b\n",
            "x = f(a) \\\n       / b\n",
        ),
        (
            "x = f(a) \\\n    / b\ny = g(b)\n",
            "with h():\n    x = f(a) \\\n        / b\ny = g(b)\n",
            "with h():\n    x = f(a) \\\n        / b\ny = g(b)\n",
        ),
        # Behind a backslash, and in a bracket there.
        (
            "    if f:\n        x = a \\\n            / (b +\n               c)\n        y = 1\n"
            "    else:\n        x = a \\\n            / c\n",
            "    x = a \\\n            / (b +\n               c)\n    y = 1\n",
            "    x = a \\\n        / (b +\n           c)\n    y = 1\n",
        ),
        # A line more, and the bracket closes below.
        (
            "y = [\n    f(\n        a\n    ) if x else b,\n    c,\n]\n",
            "y = [\n    g(\n        a,\n        d\n    ) if x else b,\n    c,\n]\n",
            "y = [\n    g(\n        a,\n        d\n    ) if x else b,\n    c,\n]\n",
        ),
        # A line less.
        (
            "    export(x,\n           a=a,\n           b=b\n    )\n",
            "    export(x,\n           a=a\n    )\n",
            "    export(x,\n           a=a\n    )\n",
        ),
        (
            "x = Variable(\n  f(a,\n    b, g(\n      c\n    ))\n)\n",
            "x = f(a,\n    b, g(\n      c\n    ))\n",
            "x = f(a,\n      b, g(\n        c\n      ))\n",
        ),
        # A line more, and a line less, above others that stay.
        (
            "x = (\n    Tensor(\n        a\n    )\n    .b()\n)\n",
            "x = (\n    tensor(\n        a,\n        c\n    )\n    .b()\n)\n",
            "x = (\n    tensor(\n        a,\n        c\n    )\n    .b()\n)\n",
        ),
        (
            "x = f(\n    g(\n        a,\n        b,\n    ),\n    c,\n)\n",
            "x = f(\n    g(\n        a,\n    ),\n    c,\n)\n",
            "x = f(\n    g(\n        a,\n    ),\n    c,\n)\n",
        ),
        (
            "x = Variable(\n    self.f(\n        self.a\n    ).g()\n)\n",
            "x = self.f(\n        self.a\n    ).g().detach()\n",
            "x = self.f(\n    self.a\n).g().detach()\n",
        ),
        # Nearly right behind the bracket, as where a name above had one letter more.
        (
            "scores, states = self.model.forward(a,\n                                   b,\n"
            "                                   c)\n",
            "scores, states = self.model(a,\n                                   b,\n"
            "                                   c)\n",
            "scores, states = self.model(a,\n                           b,\n"
            "                           c)\n",
        ),
        # The bracket is gone: what stood behind it begins the line.
        (
            "x = net(\n    Variable(f(a)\n             .g())).h()\n",
            "x = net(\n    f(a)\n             .k()).h()\n",
            "x = net(\n    f(a)\n    .k()).h()\n",
        ),
        (
            "x = net(y, [\n    Variable(f(a) +\n             b)])\n",
            "x = net(y, [\n    f(a) +\n             b])\n",
            "x = net(y, [\n    f(a) +\n    b])\n",
        ),
        # Tabs in front of all lines are as wide before as after.
        (
            "\t\tx = old_name(a,\n\t\t             f(b,\n\t\t               c))\n",
            "\t\tx = new(a,\n\t\t             f(b,\n\t\t               c))\n",
            "\t\tx = new(a,\n\t\t        f(b,\n\t\t          c))\n",
        ),
        (
            "\tx = Variable(\n\t    f(\n\t        a\n\t    ).g()\n\t)\n",
            "\tx = f(\n\t        a\n\t    ).g()\n",
            "\tx = f(\n\t    a\n\t).g()\n",
        ),
        # Something else begins the line.
        (
            "x = net(\n    Variable(f(a)\n             .g())).h()\n",
            "x = net(\n    k.f(a)\n             .g()).h()\n",
            "x = net(\n    k.f(a)\n    .g()).h()\n",
        ),
        # Nothing stands behind the bracket that is left: what was aligned hangs as what it joined.
        (
            "    xs.append(\n        Variable(f(a),\n                 b=b))\n",
            "    xs.append(\n        f(a, b=b))\n",
            "    xs.append(\n        f(a, b=b))\n",
        ),
        (
            "    if g:\n        xs.append(  # one\n            Variable(f(a),\n"
            "                     b=b))\n",
            "    xs.append(  # one\n            f(a, b=b))\n",
            "    xs.append(  # one\n        f(a, b=b))\n",
        ),
        # A line more behind those that lost their wrapper, and the bracket of the call closes
        # where that of the wrapper did.
        (
            "    x = Variable(\n        Old(\n            f(\n                0,\n            )\n"
            "        )\n    ).g()\n",
            "    x = new(\n            f(\n                0,\n            ),\n"
            "            b=b\n        ).h()\n",
            "    x = new(\n        f(\n            0,\n        ),\n        b=b\n    ).h()\n",
        ),
    ],
)
def test_follows_its_bracket(before: str, after: str, expected: str) -> None:
    assert realigned(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = old_name(\n    a,\n    b)\n", "x = new(\n    a,\n    b,\n    c)\n"),
        ("x = old_name(a,\n    b)\n", "x = new(a,\n    b,\n    c)\n"),
        ("x = old_name(a,\n\tb)\n", "x = new(a,\n\tb,\n\tc)\n"),
        ("\tx = old_name(a,\n\t\t\t b)\n", "\tx = new(a,\n\t\t\t b)\n"),
        ("\tx = old_name(a,\n             b)\n", "\tx = new(a,\n             b)\n"),
        ("\tx = old_name(a,\n\t             '\t')\n", "\tx = new(a,\n\t             '\t')\n"),
        ("\tx = old_name(\n\t\ta)\n", "\tx = new(\n\t\ta)\n"),
        # A text goes on in a line without the tabs.
        (
            '\tx = old_name(f("""\nb""",\n\t             b))\n',
            '\tx = new(f("""\nb""",\n\t             b))\n',
        ),
        # As deep as indented lines are, whatever the bracket; far from it; nothing behind it.
        ("x = nets.old(a,\n            b)\n", "x = nets(a,\n            b)\n"),
        (
            "scores = self.model.forward(a,\n                        b)\n",
            "scores = self.model(a,\n                        b)\n",
        ),
        (
            "scores = self.model.forward(\n                           b)\n",
            "scores = self.model(\n                           b)\n",
        ),
        # One line more that stands elsewhere than those above it.
        ("x = abc(a,\n        b)\n", "x = abc(a,\n        b,\n    c)\n"),
        ("x = old_name(a, b)\n", "x = new(a, b)\n"),
        # The line that it goes on from stays where it was.
        ("x = old(a) + \\\n    b\n", "x = new(a) + \\\n    b\n"),
        ("if old(a) or \\\n        b:\n    c\n", "if new(a) or \\\n        b:\n    c\n"),
        # A line more below one that stays, and one that stands elsewhere.
        (
            "x = f(\n    g(\n        0,\n    )\n)\n",
            "x = f(\n    g(\n        0,\n    ),\n    b\n)\n",
        ),
        ("x = old(\n    a\n        )\n", "x = new(\n    a,\n    b\n        )\n"),
        # Less deep than the line above it.
        ("    x = old(f(\n  a,\n  b))\n", "    x = new(f(\n  a,\n  b))\n"),
        ("x = old_name(f(\n    a,\n    b))\n", "x = new(f(\n    a,\n    b))\n"),
        # The bracket stands in a line that begins inside of a string.
        ('x = f("""a\nb""", g(1,\n  2))\n', 'x = h("""a\nb""", g(1,\n  2))\n'),
    ],
)
def test_other_lines_stay(before: str, after: str) -> None:
    assert realigned(before, after) == after
