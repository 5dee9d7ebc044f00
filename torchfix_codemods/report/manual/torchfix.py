"""What answers here to the rules of Meta's TorchFix, by their codes."""

from __future__ import annotations

from collections.abc import Sequence

from torchfix_codemods.catalogue import all_rows
from torchfix_codemods.catalogue.rows import Row
from torchfix_codemods.report.manual.catalogue import row_cells
from torchfix_codemods.rule import Rule
from torchfix_codemods.rules import all_rules

#: What each of them is about.
CODES = {
    "TOR001": "calls of functions that are gone",
    "TOR002": "`require_grad` written for `requires_grad`",
    "TOR003": "`checkpoint` without `use_reentrant=`",
    "TOR004": "imports of functions that are gone",
    "TOR101": "calls of functions that are deprecated",
    "TOR102": "`torch.load` without `weights_only=`",
    "TOR103": "imports of functions that are deprecated",
    "TOR104": "calls of private names that have public ones",
    "TOR105": "imports of private names that have public ones",
    "TOR106": "`torch.log(1 + x)`",
    "TOR107": "`torch.exp(x) - 1`",
    "TOR201": "`pretrained=` of torchvision's models",
    "TOR202": "`ToTensor` of torchvision's transforms v2",
    "TOR203": "`import torchvision.models as models`",
    "TOR401": "loaders without workers",
    "TOR901": "`torch.library.Library` in torch's own tests",
}
#: Why nothing answers to the others.
LEFT_OUT = {
    "TOR203": "`from torchvision import models` says the same; which one to write is a matter of"
    " taste.",
    "TOR901": "it is about the tests of torch itself.",
}


def rules_for(code: str) -> list[Rule]:
    """The rules that find what a rule of TorchFix finds."""
    return [rule for rule in all_rules() if code in rule.tor]


def rows_for(code: str) -> list[Row]:
    """The rows of the catalogue that speak of the same."""
    return [row for row in all_rows() if code in row.tor]


def peer_page(code: str) -> str:
    """What ``torchfix explain TOR101`` says."""
    text = [f"# {code} of Meta's TorchFix\n", f"It finds {CODES[code]}.\n"]
    if code in LEFT_OUT:
        return "\n".join([*text, f"Nothing here answers to it: {LEFT_OUT[code]}\n"])
    text += [f"- {rule.code} {rule.name}: {rule.summary()}" for rule in rules_for(code)]
    rows = rows_for(code)
    if rows:
        text += ["", *_table(rows)]
    return "\n".join([*text, ""])


def _table(rows: Sequence[Row]) -> list[str]:
    cells = [f"| {row.rule} | `{old}` | {new} |" for row in rows for old, new in row_cells(row)]
    return ["| rule | old | today |", "|---|---|---|", *cells]
