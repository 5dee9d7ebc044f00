"""What a file says of the devices that it runs on."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import (
    flag_of_device,
    guards_of,
    module_flag,
)
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import choice_of_gpu
from torchfix_codemods.rules.devices.questions.named.device_names import (
    device_at,
    free_name,
    runs_after,
)
from torchfix_codemods.rules.devices.questions.plan.device_plan import device_plan


def _read(text: str) -> tuple[Facts, ast.Call]:
    """The facts of a text, and its last ``look(…)``."""
    text = f"import torch\n{text}\n"
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    looks = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look"]
    return facts, max(looks, key=lambda c: c.lineno)


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("look()", []),
        ("if a:\n    look()", ["a"]),
        ("if a:\n    pass\nelse:\n    look()", []),
        ("look() if a else 1", ["a"]),
        ("1 if a else look()", []),
        ("if a:\n    if b:\n        x = look() if c else 1", ["c", "b", "a"]),
        ("if a:\n    def f():\n        if b:\n            look()", ["b"]),
    ],
)
def test_tests_that_have_held(text: str, tests: list[str]) -> None:
    facts, look = _read(text)
    assert [ast.unparse(test) for test in guards_of(look, facts)] == tests


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("look(torch.cuda.is_available())", 0),
        ("use_cuda = k\nlook(use_cuda)", 2),
        ("use_gpu = k\nlook(use_gpu)", 2),
        ("from config import use_cuda\nlook(use_cuda)", 2),
        ("args = parse()\nargs.cuda = k\nlook(args.cuda)", 3),
        ("args = parse()\nlook(args.cuda)", 2),
        ("def f():\n    look(use_cuda)\nuse_cuda = k", 4),
        ("flag = k\nlook(flag)", None),
        ("look(use_cuda)", None),
        ("use_cuda = k\nuse_cuda = j\nlook(use_cuda)", 3),
        ("def f():\n    use_cuda = k\n    look(use_cuda)", None),
        ("def f(use_cuda):\n    look(use_cuda)", None),
        ("if a:\n    use_cuda = k\nlook(use_cuda)", None),
        ("args = parse()\nargs.cuda = k\nargs.cuda = j\nlook(args.cuda)", 4),
        ("args = parse()\nif a:\n    args.cuda = k\nlook(args.cuda)", 3),
        ("import config\nlook(config.use_cuda)", None),
        ("from config import args\nlook(args.cuda)", None),
        ("look(get().cuda)", None),
        ("args = Config()\nfor k, v in x:\n    setattr(args, k, v)\nlook(args.cuda)", None),
        ("args = Config()\nvars(args).update(x)\nlook(args.cuda)", None),
        ("args = Config()\nargs.__dict__.update(x)\nlook(args.cuda)", None),
        ("args = Config()\nargs.__dict__[x] = 1\nlook(args.cuda)", None),
        ("args = Config()\nvars(args)[x] = 1\nlook(args.cuda)", None),
        ("args = Config()\nargs.__dict__ = x\nlook(args.cuda)", None),
        ("args = Config()\nargs.parse(x)\nlook(args.cuda)", None),
        (
            "def fill(o, k, v):\n    setattr(o, k, v)\nargs = Config()\nfill(args, x, 1)\n"
            "look(args.cuda)",
            None,
        ),
        ("args = parse()\nsetattr(args, 'size', x)\nlook(args.cuda)", 2),
        ("args = parse()\nsetattr(net, k, x)\nlook(args.cuda)", 2),
        ("args = parse()\nprint(vars(args), args.__dict__['cuda'])\nlook(args.cuda)", 2),
        ("args = parse()\nmain(args)\nlook(args.cuda)", 2),
    ],
)
def test_flag_that_the_module_sets_once(text: str, line: int | None) -> None:
    facts, look = _read(text)
    flag = module_flag(look.args[0], facts)
    if line is None:
        assert flag is None
    else:
        assert flag is not None and flag.text == facts.segment(look.args[0])
        assert (flag.after.lineno if flag.after is not None else 0) == line


DEVICE = "torch.device('cuda')"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"device = {DEVICE}\nlook()", "device"),
        (f"dev = {DEVICE}\nlook()", "dev"),
        (f"gpu = {DEVICE}\ndevice = {DEVICE}\nlook()", "device"),
        (f"device = {DEVICE}\ndef f():\n    look()\nf()", "device"),
        (f"def f():\n    look()\ndevice = {DEVICE}\nf()", "device"),
        (f"def f():\n    device = {DEVICE}\n    look()", "device"),
        (f"def f():\n    device = {DEVICE}\n    if a:\n        look()", "device"),
        (f"look()\ndevice = {DEVICE}", None),
        (f"def f():\n    look()\nf()\ndevice = {DEVICE}", None),
        (f"class A:\n    look()\ndevice = {DEVICE}", None),
        (f"device = {DEVICE}\ndevice = k\nlook()", None),
        (f"if a:\n    device = {DEVICE}\nlook()", None),
        (f"def f():\n    look()\n    device = {DEVICE}", None),
        (f"def f():\n    if a:\n        device = {DEVICE}\n    look()", None),
        (f"def f():\n    device = {DEVICE}\ndef g():\n    look()", None),
        (f"class A:\n    device = {DEVICE}\n    def f(self):\n        look()", None),
        ("device = 'cuda'\nlook()", None),
        ("from config import device\nlook()", None),
        (f"with f({DEVICE}) as device:\n    look()", None),
    ],
)
def test_device_that_is_bound_there(text: str, name: str | None) -> None:
    facts, look = _read(text)
    assert device_at(look, facts) == name


@pytest.mark.parametrize(
    ("definition", "flag"),
    [
        ("torch.device('cuda' if a else 'cpu')", "a"),
        ("torch.device('cpu' if a else 'cuda')", None),
        ("torch.device('cuda' if a else b)", None),
        ("torch.device('cuda')", None),
        ("torch.device('cuda' if a else 'cpu', 0)", None),
        ("device('cuda' if a else 'cpu')", None),
        ("torch.ones(2 if a else 3)", None),
        ("k", None),
    ],
)
def test_flag_of_a_device(definition: str, flag: str | None) -> None:
    facts, look = _read(f"look({definition})")
    found = flag_of_device(look.args[0], facts)
    assert (None if found is None else ast.unparse(found)) == flag


@pytest.mark.parametrize(
    ("text", "is_after"),
    [
        ("SET = 1\nlook()", True),
        ("SET = 1; look()", False),
        ("look()\nSET = 1", False),
        ("def f():\n    look()\nSET = 1", True),
        ("def f():\n    look()\nf()\nSET = 1", False),
        ("def f():\n    look()\ndef g():\n    f()\ng()\nSET = 1", False),
        ("class A:\n    look()\nSET = 1", False),
        ("class A:\n    def f(self):\n        look()\nSET = 1", True),
        ("class A:\n    def f(self):\n        look()\na = A()\nSET = 1", False),
        ("SET = 1\nclass A:\n    look()", True),
    ],
)
def test_what_runs_after_a_statement(text: str, is_after: bool) -> None:
    facts, look = _read(text)
    statement = next(
        s for s in facts.tree.body if isinstance(s, ast.Assign) and "SET" in ast.unparse(s)
    )
    assert runs_after(look, statement, facts) is is_after


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("look()", "device"),
        ("device = 1\nlook()", "torch_device"),
        ("def f(device):\n    look(torch_device)", "default_device"),
        ("look(device, torch_device, default_device)", None),
    ],
)
def test_name_that_is_free(text: str, name: str | None) -> None:
    assert free_name(_read(text)[0]) == name


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("look()", None),
        ("print('CUDA_VISIBLE_DEVICES is mine')\nlook()", None),
        ("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nlook()", 3),
        ("import os\ndef f():\n    os.environ['CUDA_VISIBLE_DEVICES'] = '0'\nlook()", 4),
        (
            "import os\ndef f():\n    os.environ['CUDA_VISIBLE_DEVICES'] = '0'\n"
            "os.environ['CUDA_VISIBLE_DEVICES'] = '1'\nlook()",
            4,
        ),
        ("import os\nos.environ.update({'CUDA_VISIBLE_DEVICES': '0'})\nlook()", 3),
        ("import os\nif os.environ['CUDA_VISIBLE_DEVICES']:\n    pass\nlook()", None),
        ("import os\nn = os.environ['CUDA_VISIBLE_DEVICES'].split(',')\nlook()", None),
        ("import os\nn = os.environ.get('CUDA_VISIBLE_DEVICES', None)\nlook()", None),
        ("import os\nn = os.getenv('CUDA_VISIBLE_DEVICES')\nlook()", None),
    ],
)
def test_gpu_that_is_chosen_by_the_environment(text: str, line: int | None) -> None:
    flag = choice_of_gpu("torch.device", _read(text)[0])
    if line is None:
        assert flag is None
    else:
        assert flag is not None and flag.text == "torch.cuda.is_available()"
        assert flag.after is not None and flag.after.lineno == line


X = "use_cuda = k\nx = torch.ones(2)\n"


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        (X + "look()", None),
        (X + "if use_cuda:\n    x = x.cuda()\nlook()", "use_cuda"),
        (X + "if use_cuda:\n    x = x.cuda()\ny = x.cuda()\nlook()", "use_cuda"),
        (X + "if use_cuda:\n    x = x.cuda()\nprint(z.cuda())\nlook()", None),
        (X + "if use_cuda:\n    x = x.cuda(1)\nlook()", None),
        (X + "if use_cuda:\n    torch.cuda.manual_seed(1)\nlook()", None),
        (X + "def f(has_cuda):\n    if has_cuda:\n        y = x.cuda()\nlook()", None),
        (
            X
            + "if use_cuda:\n    x = x.cuda()\nif torch.cuda.is_available():\n    y = x.cuda()\nlook()",
            None,
        ),
    ],
)
def test_the_one_flag_of_a_module(text: str, flag: str | None) -> None:
    plan = device_plan(_read(text)[0])
    flags = set() if plan is None else {made.flag for made in plan.made.values()}
    assert [None if found is None else found.text for found in flags] == ([flag] if flag else [])
