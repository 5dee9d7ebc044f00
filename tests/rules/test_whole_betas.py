from __future__ import annotations

from tests.support.rules import keeps, rewrites


def _body(code: str) -> str:
    return f"import torch\nfrom torch import optim\n{code}\n"


_OPTION = "parser.add_argument('--b1', type=float, default={})\nopt = parser.parse_args()\n"

test_rewrites = rewrites(
    "TP613",
    {
        name: (_body(before), _body(after))
        for name, (before, after) in {
            "written": ("optim.Adam(p, betas=(0, 0.9))", "optim.Adam(p, betas=(0.0, 0.9))"),
            "by its place": ("optim.AdamW(p, lr, [0, 0])", "optim.AdamW(p, lr, [0.0, 0.0])"),
            "a name": (
                "b = 0\ntorch.optim.Adam(p, betas=(b, 0.99))",
                "b = 0\ntorch.optim.Adam(p, betas=(float(b), 0.99))",
            ),
            "an option": (
                _OPTION.format(0) + "optim.Adam(p, betas=(opt.b1, 0.9))",
                _OPTION.format(0) + "optim.Adam(p, betas=(float(opt.b1), 0.9))",
            ),
        }.items()
    },
)

test_keeps = keeps(
    "TP613",
    {
        name: _body(text)
        for name, text in {
            "floats": "optim.Adam(p, betas=(0.0, 0.9)), optim.Adam(p, lr, (0., .9))",
            "nothing": "optim.Adam(p, lr)",
            "names of floats": "b = 0.5\noptim.Adam(p, betas=(b, 0.9))",
            "one of two": "b = 0\nif x:\n    b = 0.5\noptim.Adam(p, betas=(b, 0.9))",
            "something unknown": "def f(b):\n    optim.Adam(p, betas=(b, args.b2))",
            "a pair that is unknown": "optim.Adam(p, betas=betas)",
            "an option that is a float": _OPTION.format(0.5) + "optim.Adam(p, betas=(opt.b1, 0.9))",
            "an attribute": "optim.Adam(p, betas=(self.b1, 0.9))",
            "flags": "optim.Adam(p, betas=(False, 0.9))",
            "options": "optim.Adam(p, betas=(0, 0.9), **options)",
            "another optimizer": "optim.Adamax(p, betas=(0, 0.9)), optim.NAdam(p, betas=(0, 0.9))",
            "an Adam of one's own": "from mine import Adam\nAdam(p, betas=(0, 0.9))",
            "a float of one's own": "def float(x):\n    return x\nb = 0\n"
            "optim.Adam(p, betas=(b, 0.9))",
            "suppressed": "optim.Adam(p, betas=(0, 0.9))  # noqa: TP613",
        }.items()
    },
)
