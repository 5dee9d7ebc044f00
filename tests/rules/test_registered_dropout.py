from __future__ import annotations

from tests.support.rules import keeps, rewrites

_CLASS = """\
import torch.nn as nn
import torch.nn.functional as F

class Drop(nn.Module):
    def __init__(self, module, names):
        for name in names:
            module.register_parameter(name + "_raw", nn.Parameter(getattr(module, name).data))

    def forward(self, x):
        for name in self.names:
            raw = getattr(self.module, name + "_raw")
            {}
        return self.module(x)
"""


def _body(*lines: str) -> str:
    return _CLASS.format("\n            ".join(lines))


_CALL = "F.dropout(raw, p=self.p, training=self.training)"
_SET = "setattr(self.module, name, w)"

test_rewrites = rewrites(
    "TP713",
    {
        "with a name": (_body(f"w = {_CALL}", _SET), _body(f"w = {_CALL}.clone()", _SET)),
        "at once": (
            _body(f"setattr(self.module, name, {_CALL})"),
            _body(f"setattr(self.module, name, {_CALL}.clone())"),
        ),
        "one of two ways": (
            _body("if self.mask is None:", f"    w = {_CALL}", "else:", "    w = raw * 2", _SET),
            _body(
                "if self.mask is None:",
                f"    w = {_CALL}.clone()",
                "else:",
                "    w = raw * 2",
                _SET,
            ),
        ),
        "in place of its order": (
            _body("w = F.dropout(raw, self.p, self.training)", _SET),
            _body("w = F.dropout(raw, self.p, self.training).clone()", _SET),
        ),
    },
)

test_keeps = keeps(
    "TP713",
    {
        "a clone": _body(f"w = {_CALL}.clone()", _SET),
        "calculated": _body(f"w = {_CALL} * 2", _SET),
        "always training": _body("w = F.dropout(raw, self.p, training=True)", _SET),
        "nothing of a mode": _body("w = F.dropout(raw, self.p)", _SET),
        "used and not set": _body(f"w = {_CALL}", "x = w + x", "setattr(self.module, name, raw)"),
        "the name of an attribute": _body(f"w = {_CALL}", "setattr(self.module, w, raw)"),
        "set to another value": _body(f"w = {_CALL}", "w = raw * 2", _SET),
        "a class that registers nothing": _body(f"w = {_CALL}", _SET).replace(
            "module.register_parameter", "self.register_parameter_later"
        ),
        "another class registers": _body(f"w = {_CALL}", _SET).replace(
            "    def forward", "class Other(nn.Module):\n    def forward"
        ),
        "a setattr of one's own": "from mine import setattr\n" + _body(f"w = {_CALL}", _SET),
        "a dropout of one's own": _body(f"w = {_CALL}", _SET).replace(
            "import torch.nn.functional as F", "import mine as F"
        ),
        "suppressed": _body(f"w = {_CALL}  # noqa: TP713", _SET),
    },
)
