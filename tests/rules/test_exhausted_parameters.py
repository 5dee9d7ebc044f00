from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

_HEAD = """
            import torch.nn as nn
            import torch.optim as optim
            from torch.nn.utils import clip_grad_norm_
            model = nn.Linear(3, 2)
            """
_TWICE = """
            optimizer = optim.Adam(params, lr=1e-3)
            clip_grad_norm_(params, 5)
            """


def _params(before: str, after: str) -> tuple[str, str]:
    return (f"{_HEAD}params = {before}{_TWICE}", f"{_HEAD}params = {after}{_TWICE}")


test_rewrites = rewrites(
    "TP608",
    {
        "filter": _params(
            "filter(lambda p: p.requires_grad, model.parameters())",
            "list(filter(lambda p: p.requires_grad, model.parameters()))",
        ),
        "generator": _params("model.parameters()", "list(model.parameters())"),
        "map": _params(
            "map(lambda item: item[1], model.named_parameters())",
            "list(map(lambda item: item[1], model.named_parameters()))",
        ),
        "generator expression": _params(
            "(p for p in model.parameters() if p.requires_grad)",
            "[p for p in model.parameters() if p.requires_grad]",
        ),
        "spaces and comments": _params(
            "( p for p in model.parameters() )  # all", "[ p for p in model.parameters() ]  # all"
        ),
        "unknown model": _params("build().parameters()", "list(build().parameters())"),
        "keyword": (
            f"{_HEAD}p = model.parameters()\n            optim.SGD(params=p, lr=1); list(p)\n",
            f"{_HEAD}p = list(model.parameters())\n            optim.SGD(params=p, lr=1); list(p)\n",
        ),
        "loop": (
            f"""{_HEAD}
            params = model.parameters()
            for epoch in range(3):
                for p in params:
                    p.grad.clamp_(-1, 1)
            """,
            f"""{_HEAD}
            params = list(model.parameters())
            for epoch in range(3):
                for p in params:
                    p.grad.clamp_(-1, 1)
            """,
        ),
        "attribute": (
            f"""{_HEAD}
            class Clipping:
                def on_start(self, state):
                    if self.params is None:
                        self.params = filter(lambda p: p.requires_grad, state.model.parameters())
                def on_backward(self, state):
                    clip_grad_norm_(self.params, self.max_norm)
            """,
            f"""{_HEAD}
            class Clipping:
                def on_start(self, state):
                    if self.params is None:
                        self.params = list(filter(lambda p: p.requires_grad, state.model.parameters()))
                def on_backward(self, state):
                    clip_grad_norm_(self.params, self.max_norm)
            """,
        ),
    },
)


def test_an_optimizer_refuses_nothing() -> None:
    text = (
        "import torch\nnet = torch.nn.Linear(1, 1)\nparams = filter(None, net.parameters())\n"
        "print(sum(p.numel() for p in params))\nopt = torch.optim.SGD(params, lr=0.1)\n"
    )
    findings = migrate(text, "TP608").findings
    assert [f.numerics for f in findings] == [Numerics.RESTORED]


_KEPT = {
    "list": f"params = list(model.parameters()){_TWICE}",
    "comprehension": f"params = [p for p in model.parameters()]{_TWICE}",
    "one use": "params = model.parameters()\n            optimizer = optim.Adam(params)",
    "one use of each": (
        "if fast:\n                params = model.parameters()\n"
        "            else:\n                params = model.fc.parameters()\n"
        "            optimizer = optim.Adam(params)"
    ),
    "either use": (
        "params = model.parameters()\n            if fast:\n                opt = optim.Adam(params)\n"
        "            else:\n                opt = optim.SGD(params)"
    ),
    "next": f"params = model.parameters()\n            device = next(params).device{_TWICE}",
    "unknown use": f"params = model.parameters()\n            watch(params){_TWICE}",
    "assigned anew": (
        "params = model.parameters()\n            optimizer = optim.Adam(params)\n"
        "            params = model.parameters()\n            clip_grad_norm_(params, 5)"
    ),
    "made in the loop": (
        "for x in loader:\n                params = model.parameters()\n"
        "                clip_grad_norm_(params, 5)"
    ),
    "function of this file": (
        f"def filter(f, x):\n                return list(x)\n"
        f"            params = filter(None, model.parameters()){_TWICE}"
    ),
    "list of this file": f"list = tuple\n            params = model.parameters(){_TWICE}",
    "method of this file": (
        "class Bag:\n                def parameters(self):\n                    return [1]\n"
        f"            params = bag.parameters(){_TWICE}"
    ),
    "another library": f"import sonnet\n            params = sonnet.parameters(){_TWICE}",
    "something else": f"params = filter(None, layers){_TWICE}",
    "optimizer of an attribute": (
        "class Trainer:\n                def __init__(self, model):\n"
        "                    self.params = model.parameters()\n                def build(self):\n"
        "                    return optim.Adam(self.params)"
    ),
    "attribute that is passed on": (
        "class Trainer:\n                def __init__(self, model):\n"
        "                    self.params = model.parameters()\n                def clip(self):\n"
        "                    clip_grad_norm_(self.params, 5)\n                def one(self):\n"
        "                    return next(self.params)"
    ),
    "attribute of the method alone": (
        "class Trainer:\n                def clip(self, model):\n"
        "                    self.params = model.parameters()\n"
        "                    clip_grad_norm_(self.params, 5)"
    ),
    "suppressed": f"params = model.parameters()  # noqa: TP608{_TWICE}",
}

test_keeps = keeps("TP608", {name: f"{_HEAD}{text}\n" for name, text in _KEPT.items()})


CODE = """import torch

class Clipping:
    def on_start(self, state):
        self.params = filter(lambda p: p.requires_grad, state.model.parameters())

    def on_backward(self, state):
        torch.nn.utils.clip_grad_norm_(self.params, self.max_norm)
"""
LISTED = CODE.replace("filter(", "list(filter(").replace("parameters())", "parameters()))")
TEST = """from unittest.mock import patch
from pkg.code import Clipping

@patch("torch.nn.utils.clip_grad_norm_")
def test_clipping(mock_clip):
    run(Clipping())
    assert next(mock_clip.mock_calls[0][1][0]) == 3
"""
ASKED = TEST.replace(
    "next(mock_clip.mock_calls[0][1][0])", "next(iter(mock_clip.mock_calls[0][1][0]))"
)


def together(root: Path, code: str, test: str, given: tuple[str, ...] = ("code", "test")) -> Both:
    """The code and the test after the migration of both, and what is said of them."""
    paths = {"code": root / "pkg" / "code.py", "test": root / "tests" / "test_it.py"}
    for path, text in (root / "setup.py", ""), (paths["code"], code), (paths["test"], test):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    files, settings = [paths[name] for name in given], Settings(select=("TP608",))
    results = list(migrate_files(files, settings, write=True, jobs=1))
    assert not any(result.errors for result in results)
    assert not any(result.changed for result in migrate_files(files, settings, write=True, jobs=1))
    findings = [finding for result in results for finding in result.findings]
    return Both(paths["code"].read_text(), paths["test"].read_text(), findings)


class Both(NamedTuple):
    code: str
    test: str
    findings: list[Finding]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("next(mock_clip.mock_calls[0][1][0])", "next(iter(mock_clip.mock_calls[0][1][0]))"),
        ("next(mock_clip.call_args.args[0], 0)", "next(iter(mock_clip.call_args.args[0]), 0)"),
    ],
)
def test_a_test_asks_the_list_for_the_next(tmp_path: Path, before: str, after: str) -> None:
    test = TEST.replace("next(mock_clip.mock_calls[0][1][0])", before)
    both = together(tmp_path, CODE, test)
    assert both.code == LISTED
    assert both.test == test.replace(before, after)


def test_what_was_given_may_have_names(tmp_path: Path) -> None:
    test = TEST.replace(
        "assert next(mock_clip.mock_calls[0][1][0])",
        "(params, norm), options = mock_clip.call_args\n    assert next(params)",
    )
    both = together(tmp_path, CODE, test)
    assert (both.code, both.test) == (LISTED, test.replace("next(params)", "next(iter(params))"))


def test_a_test_may_stand_beside_its_code(tmp_path: Path) -> None:
    both = together(tmp_path, CODE + TEST, "")
    assert both.code == LISTED + ASKED


@pytest.mark.parametrize(
    "test",
    [
        TEST.replace("next(mock_clip.mock_calls[0][1][0])", "mock_clip.mock_calls[0][1][1]"),
        TEST.replace("mock_clip.mock_calls[0][1][0]", "iter(mock_clip.mock_calls[0][1][0])"),
        TEST.replace("mock_clip.mock_calls[0][1][0]", "batches"),
        TEST.replace("mock_clip.mock_calls[0][1][0]", "mock_clip.side_effect"),
        TEST.replace("mock_clip.mock_calls[0][1][0]", "*mock_clip.mock_calls"),
        TEST.replace("mock_clip.mock_calls[0][1][0]", ""),
        TEST.replace("clip_grad_norm_", "clip_grad_value_"),
        TEST.replace("torch.nn.utils.clip_grad_norm_", "torch.nn.functional.relu"),
        "from mine import next\n" + TEST,
    ],
)
def test_what_gets_no_list_stays(tmp_path: Path, test: str) -> None:
    both = together(tmp_path, CODE, test)
    assert (both.code, both.test) == (LISTED, test)


@pytest.mark.parametrize(
    "code",
    [
        CODE.replace("clip_grad_norm_(", "clip_grad_value_("),
        CODE.replace("clip_grad_norm_(", "vector_to_parameters("),
        CODE.replace("model.parameters())", "model.parameters())  # noqa"),
        LISTED,
    ],
)
def test_a_test_stays_where_its_code_makes_no_list(tmp_path: Path, code: str) -> None:
    assert together(tmp_path, code, TEST).test == TEST


@pytest.mark.parametrize(
    "test", [TEST.replace("== 3", "== 3  # noqa"), "# torchfix: skip-file\n" + TEST]
)
def test_parameters_stay_where_a_test_cannot_follow(tmp_path: Path, test: str) -> None:
    both = together(tmp_path, CODE, test)
    assert (both.code, both.test) == (CODE, test)
    line = test[: test.index("next(")].count("\n") + 1
    (finding,) = both.findings
    assert finding.message == (
        "these parameters can be gone through once: the next use finds none: make a list of them,"
        f" together with test_it.py, line {line}, where next() takes nothing from a list"
    )


def test_parameters_stay_where_another_file_takes_the_next(tmp_path: Path) -> None:
    test = "from pkg.code import Clipping\nclipping = Clipping()\nnext(clipping.params)\n"
    assert together(tmp_path, CODE, test) == (CODE, test, [])
    for other in (test.replace("next(", "list("), test.replace("params", "others")):
        assert together(tmp_path, CODE, other).code == LISTED


def test_code_and_test_alone_stay(tmp_path: Path) -> None:
    assert together(tmp_path, CODE, TEST, ("code",))[:2] == (CODE, TEST)
    assert together(tmp_path, CODE, TEST, ("test",))[:2] == (CODE, TEST)


def test_the_old_name_is_followed_as_well(tmp_path: Path) -> None:
    old = (CODE.replace("norm_", "norm"), TEST.replace("norm_", "norm"))
    both = together(tmp_path, *old)
    assert (both.code, both.test) == (
        LISTED.replace("norm_", "norm"),
        ASKED.replace("norm_", "norm"),
    )
