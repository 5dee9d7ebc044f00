"""What dates a file: each clue alone, what is no clue, and clues against each other."""

from __future__ import annotations

import ast
import textwrap

import pytest

from torchfix_codemods.facts.age.dating import find_era
from torchfix_codemods.facts.age.era import Era, dotted, parse_version
from torchfix_codemods.facts.programs.whole import WholeFacts

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"


def era_of(text: str, required: Era | None = None) -> Era:
    text = HEAD + textwrap.dedent(text)
    return WholeFacts(ast.parse(text), text, required=lambda: required or Era()).era


def bounds(text: str) -> tuple[str | None, str | None]:
    era = era_of(text)
    return (
        None if era.oldest is None else dotted(era.oldest),
        None if era.newest is None else dotted(era.newest),
    )


@pytest.mark.parametrize(
    ("text", "oldest"),
    [
        ("with torch.no_grad(): pass", "0.4"),
        ("x = torch.zeros(2, device='cpu')", "0.4"),
        ("noise = torch.rand_like(x)", "0.4"),
        ("i = torch.randint(0, 3, (2,))", "0.4"),
        ("x = torch.tensor([1, 2]).sum()", "0.4"),
        ("loss = nn.MSELoss(reduction='sum')", "0.4.1"),
        ("F.grid_sample(x, g, align_corners=True)", "1.3"),
        ("F.interpolate(x, align_corners=True)", "0.4"),
        ("from torch.utils.tensorboard import SummaryWriter", "1.1"),
        ("import torch.utils.tensorboard as tb", "1.1"),
        ("mask = x.to(torch.bool)", "1.2"),
        ("layer = nn.Transformer()", "1.2"),
        ("from torch.nn.modules.transformer import Transformer\nTransformer()", "1.2"),
        ("from torch.cuda.amp import GradScaler", "1.5"),
        ("from torch.cuda.amp import autocast", "1.6"),
        ("y = torch.fft.rfft(x)", "1.7"),
        ("n = torch.linalg.norm(x)", "1.7"),
        ("y = torch.linalg.solve(a, b)", "1.8"),
        ("y = torch.div(a, b, rounding_mode='floor')", "1.8"),
        ("y = torch.meshgrid(a, b, indexing='ij')", "1.10"),
        ("state = torch.load(f, weights_only=True)", "1.13"),
        ("net = torch.compile(net)", "2.0"),
        ("F.scaled_dot_product_attention(q, k, v)", "2.0"),
    ],
)
def test_what_is_used_gives_the_oldest_version(text: str, oldest: str) -> None:
    assert bounds(text) == (oldest, None)


@pytest.mark.parametrize(
    ("text", "newest"),
    [
        ("v = torch.autograd.Variable(x, volatile=True)", "0.3"),
        ("index = torch.multinomial(p)", "0.3"),
        ("x = torch.tensor.torch.ones(3)", "0.3"),
        ("loss.backward(retain_variables=True)", "0.3"),
        ("data = torch.utils.data.TensorDataset(data_tensor=x, target_tensor=y)", "0.3"),
        ("loss = F.mse_loss(x, y)\nprint(loss.data[0])", "0.3"),
        ("import torch.legacy.nn as lnn", "0.4"),
        ("from torch.utils.ffi import create_extension", "0.4"),
        ("x, lu = torch.gesv(b, a)", "1.1"),
        ("from torch.utils.data.dataloader import _DataLoaderIter", "1.1"),
        ("solve = torch.gels", "1.2"),
        ("y = torch.rfft(x, 2)", "1.7"),
        ("from torch.autograd.gradcheck import zero_gradients", "1.8"),
        ("x, lu = torch.solve(b, a)", "1.11"),
        ("e, v = torch.symeig(a)", "1.13"),
        ("from torch._six import inf", "1.13"),
    ],
)
def test_what_was_removed_gives_the_newest_version(text: str, newest: str) -> None:
    assert bounds(text) == (None, newest)


@pytest.mark.parametrize(
    "text",
    [
        "x = torch.zeros(2)",
        # Keywords that were there from the beginning.
        "w = nn.Parameter(torch.ones(2), requires_grad=False)",
        "v = torch.autograd.Variable(x, requires_grad=True)",
        "torch.cuda.set_device(device=1)",
        # Names of others.
        "from mine import no_grad, Transformer, autocast\nno_grad()\nTransformer()",
        "import numpy as np\nx = np.zeros(2, dtype='f')\ny = np.linalg.norm(x)",
        "class torch:\n    gesv = None\ntorch.gesv",
        "x = self.solve(a, b)\ny = net.rfft(x)",
        "train(net, retain_variables=True, volatile=True)\nnet.fit(retain_variables=True)",
        "torch.multinomial(p, 2)\ntorch.multinomial(p, num_samples=2)\ntorch.multinomial(*p)",
        "net.multinomial(p)\nmultinomial(p)\np.multinomial()",
        "sizes = [1]\nprint(sizes[0])",
        # The code also works without them.
        "try:\n    from torch.cuda.amp import autocast\nexcept ImportError:\n    autocast = None",
        "try:\n    from torch._six import inf\nexcept:\n    from math import inf",
        """
        try:
            from torch.cuda.amp import autocast
        except ImportError:
            autocast = None
        with autocast():
            pass
        """,
        "try:\n    torch.gesv(b, a)\nexcept AttributeError:\n    pass",
        "try:\n    x = torch.zeros(2, device=d)\nexcept TypeError:\n    x = torch.zeros(2)",
        "if hasattr(torch, 'compile'):\n    net = torch.compile(net)",
        "if torch.__version__ < '0.4':\n    v = torch.autograd.Variable(x, volatile=True)",
        "if torch.__version__ < '0.4':\n    n = F.mse_loss(x, y).data[0]",
    ],
)
def test_what_shows_nothing(text: str) -> None:
    era = era_of(text)
    assert (era.is_open, era.uses, era.evidence) == (True, None, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from torch.autograd import Variable as V", True),
        ("x = torch.autograd.Variable(y)", True),
        ("from torch import autograd\nx = autograd.Variable(y).to(torch.device('cpu'))", True),
        ("from tensorflow import Variable", False),
        ("x = self.autograd.Variable(y)", False),
        ("from torch import autograd\nx = autograd.grad(y, x)", False),
    ],
)
def test_whether_a_file_has_variables(text: str, expected: bool) -> None:
    assert era_of(text).has_variables is expected


def test_both_ends() -> None:
    era = era_of("x = torch.zeros(2, device=d)\ny, lu = torch.gesv(b, a)")
    assert (era.oldest, era.newest) == ((0, 4), (1, 1))
    assert era.evidence == ("line 4: device= (since 0.4)", "line 5: torch.gesv (1.1 at most)")
    assert str(era) == "0.4 to 1.1"


def test_a_name_that_came_and_went() -> None:
    assert bounds("torch.set_deterministic(True)") == ("1.7", "1.9")


def test_the_sharpest_clue_counts() -> None:
    era = era_of("d = torch.device('cpu')\nm = torch.bool\ntorch.symeig(a)\ntorch.gels(b, a)\n")
    assert (era.oldest, era.newest) == ((1, 2), (1, 2))
    assert str(era) == "1.2"


def test_half_migrated_files_are_as_new_as_their_newest_api() -> None:
    era = era_of("v = torch.autograd.Variable(x, volatile=True)\nd = torch.device('cpu')\n")
    assert (era.oldest, era.newest, era.uses) == ((0, 4), None, (0, 4))
    assert era.evidence == (
        "line 5: torch.device (since 0.4)",
        "line 4: volatile= (0.3 at most) (not counted: the file uses what came later)",
    )


def test_a_clue_that_is_too_old_leaves_the_others() -> None:
    text = "Variable = torch.autograd.Variable\nVariable(x, volatile=True)\ntorch.gesv(b, a)\n"
    assert bounds(text + "torch.device('cpu')") == ("0.4", "1.1")


@pytest.mark.parametrize(
    ("newest", "version", "before"),
    [
        ("0.3", "0.4", True),
        ("0.3", "0.3.1", False),
        ("0.3.0", "0.3.1", True),
        ("0.4.0", "0.4", False),
        ("1.3", "1.3.1", False),
        ("1.9", "1.10", True),
        ("1.13.1", "1.2", False),
    ],
)
def test_before(newest: str, version: str, before: bool) -> None:
    assert Era(newest=parse_version(newest)).before(parse_version(version)) is before


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("0.3.1.post2", (0, 3, 1)),
        ("1.7.1+cu110", (1, 7, 1)),
        ("v1.0", (1, 0)),
        ("1.13.0.dev20220901+cpu", (1, 13, 0)),
        ("2.1.0a0+git1234", (2, 1, 0)),
        (" 0.4 ", (0, 4)),
    ],
)
def test_a_version_may_be_what_torch_says_of_itself(text: str, version: tuple[int, ...]) -> None:
    assert parse_version(text) == version


@pytest.mark.parametrize("text", ["", "-1", "1.", "1..2", "1.x", "new", "0.3 or 0.4", "²"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"write it as 0\.3 or 1\.13\.1"):
        parse_version(text)


def test_nothing_is_before_anything_without_evidence() -> None:
    assert not Era().before((2, 0))
    assert not Era(oldest=(0, 4)).before((2, 0))


VOLATILE = "v = torch.autograd.Variable(x, volatile=True)"
REQUIRED = ("requirements.txt:1: torch",)


def required(oldest: str | None, newest: str | None) -> Era:
    ends = [None if v is None else parse_version(v) for v in (oldest, newest)]
    return Era(*ends, REQUIRED, pins=REQUIRED if newest else ())


@pytest.mark.parametrize(
    ("text", "project", "result"),
    [
        ("", ("0.3.1", "0.3.1"), "0.3.1"),
        ("", (None, "0.4.1"), "0.4.1 at most"),
        ("", ("1.0.0", None), "1.0.0 or newer"),
        ("", (None, None), "any version"),
        (VOLATILE, (None, "0.4.1"), "0.3 at most"),
        (VOLATILE, (None, "0.3.1"), "0.3.1 at most"),
        (VOLATILE, ("0.2.0", None), "0.2.0 to 0.3"),
        ("torch.bool", ("0.4.0", "1.4.0"), "1.2 to 1.4.0"),
        ("torch.bool", ("1.5.0", None), "1.5.0 or newer"),
        # The file is believed.
        (VOLATILE, ("1.0.0", None), "0.3 at most"),
        (VOLATILE, ("1.0.0", "1.0.0"), "0.3 at most"),
        ("torch.bool", ("0.3.1", "0.3.1"), "1.2 or newer"),
        ("torch.bool", (None, "0.4.1"), "1.2 or newer"),
    ],
)
def test_the_project_narrows_it(
    text: str, project: tuple[str | None, str | None], result: str
) -> None:
    assert str(era_of(text, required(*project))) == result


def test_what_is_not_counted_is_said() -> None:
    era = era_of("m = torch.bool", required("0.3.1", "0.3.1"))
    assert era.evidence[1] == f"{REQUIRED[0]} (not counted: the file uses what came later)"
    assert era.pins == ()
    era = era_of(VOLATILE, required("1.0.0", None))
    assert era.evidence[1] == f"{REQUIRED[0]} (not counted: the file uses what was gone by then)"


def test_only_code_shows_what_a_file_uses() -> None:
    assert era_of("", required("2.6.0", "2.6.0")).uses is None
    assert era_of("torch.bool", required("2.6.0", None)).uses == (1, 2)


def test_pins_are_named_where_they_give_the_newest_version() -> None:
    assert era_of("", required(None, "0.3.1")).pins == REQUIRED
    assert era_of(VOLATILE, required(None, "0.4.1")).pins == ()


def test_no_value_is_asked_for_where_the_api_dates_the_file() -> None:
    def asked(node: ast.AST) -> bool:
        raise AssertionError

    for line in ("torch.device('cpu')", VOLATILE):
        text = f"{HEAD}{line}\nprint(loss.data[0])"
        facts = WholeFacts(ast.parse(text), text)
        find_era(facts.names, asked, lambda node: False, lambda line: False)


@pytest.mark.parametrize(
    "text",
    [
        "loss = F.mse_loss(x, y)\nprint(loss.item())",
        "net = nn.Linear(2, 2)\nnet.to(args.device)",
        "x = torch.zeros(2)\ny = x.new_full((2,), 3)",
    ],
)
def test_a_method_of_torch_0_4_shows_that_the_file_ran_on_it(text: str) -> None:
    assert era_of(text).runs_since == (0, 4)
    old = f"from torch.autograd import Variable\nz = Variable(torch.ones(2), volatile=True)\n{text}"
    assert era_of(old).runs_since == (0, 4)


@pytest.mark.parametrize(
    "text",
    [
        "print(loss.item())",
        "import numpy as np\nprint(np.mean([1]).item())",
        "frame.to('file')",
        "loss = F.mse_loss(x, y)\nprint(loss.item)",
    ],
)
def test_a_method_of_what_is_not_known_shows_nothing(text: str) -> None:
    assert era_of(text).runs_since is None
