"""Layers that a program chooses by their name: ``getattr(nn, rnn_type)(ninp, nhid, nlayers)``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.facts.values.torch_api import RECURRENT

#: Arguments that none but recurrent layers have.
_OF_RECURRENT = frozenset({"bidirectional", "nonlinearity"})

#: Arguments that beside sizes and a depth only they have, and transformers, which nobody builds of
#: a name that varies: these take other inputs.
_WITH_DEPTH = frozenset({"dropout", "batch_first"})


def chosen_layer(names: Names, built: ast.Call) -> Module | None:
    """What a call builds whose class is looked up in ``torch.nn`` by a name that varies.

    Args:
        names: the names of the file.
        built: a call.

    Returns:
        one of the recurrent layers, where the arguments are theirs; None for all else.
    """
    looked_up = built.func
    if not isinstance(looked_up, ast.Call) or names.builtin(looked_up.func) != "getattr":
        return None
    if len(looked_up.args) != 2 or names.name(looked_up.args[0]) != "torch.nn":
        return None
    given = {keyword.arg for keyword in built.keywords}
    has_depth = len(built.args) > 2 or "num_layers" in given
    if None in given or not (given & _OF_RECURRENT or (has_depth and given & _WITH_DEPTH)):
        return None
    layers = [Module(cls=f"torch.nn.{layer}", call=built) for layer in sorted(RECURRENT)]
    return Module(either=frozenset(layers))
