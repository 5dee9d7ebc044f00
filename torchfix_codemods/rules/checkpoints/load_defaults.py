"""`torch.load` reads only tensors since 2.6: whole objects need `weights_only=False`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.facts.arguments import is_opaque
from torchfix_codemods.facts.checkpoints import calls_of, loads_object
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule


class LoadDefaults(Rule):
    """
    ## What it does
    Adds `weights_only=False` to a `torch.load` that certainly reads more than tensors, numbers and
    containers of them: a whole module, an `argparse.Namespace`, an object of this file.

    ## Why
    Since 2.6 `torch.load` refuses such files ("Weights only load failed"), because unpickling can
    run any code. Files that the program wrote itself can be trusted; files from elsewhere should
    be written anew with `state_dict()`.

    ## Example
    ```python
    model = torch.load("model.pt")
    model.eval()
    ```
    becomes
    ```python
    model = torch.load("model.pt", weights_only=False)
    model.eval()
    ```

    ## Numbers
    Restored: the call fails on torch 2.6 and newer; afterwards it loads what older torch loaded.

    ## When it stays its hand
    Where nothing in the file shows what is loaded: a state dict and a dict of tensors need no
    argument. Where `weights_only`, `pickle_module` or `**kwargs` is given, and in files that
    already know the argument (they were written for, or checked with, a torch that has it).

    ## References
    - https://pytorch.org/docs/stable/generated/torch.load.html
    - https://github.com/pytorch/pytorch/releases/tag/v2.6.0
    """

    code = "TP502"
    name = "load-defaults"
    tor = ("TOR102",)
    since = "1.13"
    numerics = Numerics.RESTORED
    words = frozenset({"load"})
    message = (
        "torch.load reads only tensors since 2.6, and this file holds an object: "
        "weights_only=False (for files you trust)"
    )

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != "torch.load" or is_opaque(call):
            return
        if len(call.args) > 2 or any(k.arg == "pickle_module" for k in call.keywords):
            return
        if not _knows_the_argument(facts) and loads_object(facts, call):
            yield self.found(call)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return with_argument_added(updated, keyword_argument("weights_only", cst.Name("False")))


def _knows_the_argument(facts: Facts) -> bool:
    """Whether the file was written for a torch whose ``load`` has ``weights_only``."""
    return facts.era.needs((2, 6)) or any(
        keyword.arg == "weights_only"
        for call in calls_of(facts, "torch.load")
        for keyword in call.keywords
    )
