"""The masks that torch's attention and transformer layers take."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module

_DECODED = ("tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask")

#: The parameters of ``forward`` that are masks.
_MASKS: dict[str, tuple[str, ...]] = {
    "torch.nn.MultiheadAttention": ("key_padding_mask", "attn_mask"),
    "torch.nn.TransformerEncoder": ("mask", "src_key_padding_mask"),
    "torch.nn.TransformerEncoderLayer": ("src_mask", "src_key_padding_mask"),
    "torch.nn.TransformerDecoder": _DECODED,
    "torch.nn.TransformerDecoderLayer": _DECODED,
    "torch.nn.Transformer": ("src_mask", "src_key_padding_mask", *_DECODED),
}

MASK_NAMES = frozenset(name for names in _MASKS.values() for name in names if name != "mask")
"""The keywords of a call that shows such a layer. ``mask`` is a keyword of many others."""


def attention_masks(facts: Facts, call: ast.Call) -> Iterator[ast.expr]:
    """The masks given by keyword to one of torch's layers of attention.

    Until torch 1.4 only those for padding were masks: an ``attn_mask`` was added to the scores.
    """
    if is_opaque(call) or not any(keyword.arg in MASK_NAMES for keyword in call.keywords):
        return
    layer = facts.value(call.func)
    names = _MASKS.get(layer.cls or "", ()) if isinstance(layer, Module) else ()
    for keyword in call.keywords:
        if keyword.arg in names:
            if "padding" in keyword.arg or not facts.era_of(call).before((1, 5)):
                yield keyword.value
