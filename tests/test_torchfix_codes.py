"""Every rule of Meta's TorchFix has its like here, or a reason why not."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tests.support.rules import migrate
from torchfix_codemods.catalogue import all_rows
from torchfix_codemods.cli.commands import main
from torchfix_codemods.finding import Finding
from torchfix_codemods.report.manual.torchfix import CODES, LEFT_OUT, rows_for, rules_for
from torchfix_codemods.rules import all_rules

#: Its sixteen codes, and a text that it finds for each.
THEIRS = {
    "TOR001": "import torch\nx, _ = torch.solve(b, a)\n",
    "TOR002": "import torch\nmodel = torch.nn.Linear(2, 1)\nmodel.weight.require_grad = False\n",
    "TOR003": "import torch.utils.checkpoint\ny = torch.utils.checkpoint.checkpoint(f, x)\n",
    "TOR004": "from torch import symeig\nresult = symeig(a)\n",
    "TOR101": "import torch\nv = torch.ger(a, b)\n",
    "TOR102": 'import torch\nmodel = torch.load("model.pt")\nmodel.eval()\n',
    "TOR103": "from torch import ger\nv = ger(a, b)\n",
    "TOR104": (
        "from torch.utils.data._utils import collate\ny = collate.default_collate([1, 2])\n"
    ),
    "TOR105": "from torch.utils.data._utils.collate import default_collate\ny = default_collate(x)\n",
    "TOR106": "import torch\ny = torch.log(1 + x)\n",
    "TOR107": "import torch\ny = torch.exp(x) - 1\n",
    "TOR201": "from torchvision.models import resnet18\nm = resnet18(pretrained=True)\n",
    "TOR202": "from torchvision.transforms import v2\nt = v2.ToTensor()\n",
    "TOR401": "from torch.utils.data import DataLoader\nl = DataLoader(data, shuffle=True)\n",
}


def test_codes() -> None:
    assert set(CODES) == {*THEIRS, *LEFT_OUT}
    given = {code for rule in all_rules() for code in rule.tor}
    given |= {code.strip() for row in all_rows() if row.tor for code in row.tor.split(",")}
    assert given == set(THEIRS)


@pytest.mark.parametrize("code", sorted(THEIRS))
def test_finds_what_it_finds(code: str) -> None:
    rules = {rule.code for rule in rules_for(code)} | {row.rule for row in rows_for(code)}
    assert rules
    found: tuple[Finding, ...] = migrate(THEIRS[code], *rules).findings
    assert found, THEIRS[code]


@pytest.mark.parametrize("code", sorted(CODES))
def test_explain(code: str) -> None:
    result = CliRunner().invoke(main, ["explain", code.lower()])
    assert result.exit_code == 0
    assert result.stdout.startswith(f"# {code} of Meta's TorchFix\n")
    assert ("Nothing here answers to it" in result.stdout) is (code in LEFT_OUT)
    for rule in rules_for(code):
        assert f"- {rule.code} {rule.name}: " in result.stdout
    for row in rows_for(code):
        assert f"| {row.rule} | `" in result.stdout


#: The functions that it calls deprecated or removed.
SYMBOLS = """
    torch.solve torch.qr torch.symeig torch.chain_matmul torch.cholesky torch.ger torch.lu_solve
    torch.norm torch.range torch.svd torch.triangular_solve torch.lu torch.matrix_rank torch.lstsq
    torch.nn.UpsamplingNearest2d torch.nn.UpsamplingBilinear2d torch.testing.assert_allclose
    torch.nn.utils.weight_norm torch.utils._pytree._register_pytree_node
    torch.backends.cuda.sdp_kernel functorch.vmap functorch.grad functorch.vjp functorch.jvp
    functorch.jacrev functorch.jacfwd functorch.hessian functorch.functionalize"""
#: `torch.svd` works as ever and does not warn; `torch.range` has a rule (TP408).
LEFT_ALONE = {"torch.range", "torch.svd"}


@pytest.mark.parametrize("name", SYMBOLS.split())
def test_symbols(name: str) -> None:
    assert any(name in row.names for row in all_rows()) is (name not in LEFT_ALONE)
