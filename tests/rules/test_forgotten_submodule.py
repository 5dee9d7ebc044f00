from __future__ import annotations

from pathlib import Path

from tests.support.rules import keeps, rewrites
from torchfix_codemods.config import Settings
from torchfix_codemods.runner import migrate_file

_HEAD = """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, extra=None):
                    super(Net, self).__init__()
"""
_FORWARD = """
                def forward(self, x):
                    for layer in self.layers:
                        x = layer(x)
                    return x
"""


def _net(*lines: str, rest: str = _FORWARD) -> str:
    return _HEAD + "".join(" " * 20 + line + "\n" for line in lines) + rest


_LAYERS = "self.layers = [nn.Linear(2, 2), nn.ReLU()]"

test_rewrites = rewrites(
    "TP206",
    {
        "a list": (
            _net(_LAYERS),
            _net("self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])"),
        ),
        "a comprehension": (
            _net("self.layers = [nn.Conv2d(i, i, 3) for i in (1, 2)]  # two"),
            _net("self.layers = nn.ModuleList([nn.Conv2d(i, i, 3) for i in (1, 2)])  # two"),
        ),
        "appended one by one": (
            _net(
                "self.layers = []",
                "for i in range(3):",
                "    layer = nn.Linear(i, i)",
                "    nn.init.constant_(layer.weight, 0)",
                "    self.layers.append(layer)",
            ),
            _net(
                "self.layers = nn.ModuleList()",
                "for i in range(3):",
                "    layer = nn.Linear(i, i)",
                "    nn.init.constant_(layer.weight, 0)",
                "    self.layers.append(layer)",
            ),
        ),
        "a class of the file, and the same name in another class": (
            _net("self.layers = [Other() for _ in range(3)]")
            + """
            class Other(nn.Module):
                def __init__(self):
                    super(Other, self).__init__()
                    self.layers = nn.Sequential(nn.Linear(2, 2))
                def forward(self, x):
                    return self.layers(x)
            """,
            _net("self.layers = nn.ModuleList([Other() for _ in range(3)])")
            + """
            class Other(nn.Module):
                def __init__(self):
                    super(Other, self).__init__()
                    self.layers = nn.Sequential(nn.Linear(2, 2))
                def forward(self, x):
                    return self.layers(x)
            """,
        ),
        "by index": (
            _net(
                _LAYERS,
                rest="""
                def forward(self, x):
                    for i in range(len(self.layers)):
                        x = self.layers[i](x)
                    return self.layers[-1](x)
""",
            ),
            _net(
                "self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])",
                rest="""
                def forward(self, x):
                    for i in range(len(self.layers)):
                        x = self.layers[i](x)
                    return self.layers[-1](x)
""",
            ),
        ),
    },
)

_KEPT = {
    "registered by add_module": _net(
        _LAYERS,
        "for i, layer in enumerate(self.layers):",
        "    self.add_module('layer%d' % i, layer)",
    ),
    "registered by setattr": _net(
        "self.layers = []",
        "for i in range(3):",
        "    layer = nn.Linear(2, 2)",
        "    setattr(self, 'layer%i' % i, layer)",
        "    self.layers.append(layer)",
    ),
    "registered by another attribute": _net(
        "self.first = nn.Linear(2, 2)", "self.layers = [self.first, nn.Linear(2, 2)]"
    ),
    "registered under another name": _net(
        "self.layers = []",
        "layer = nn.Linear(2, 2)",
        "self.first = layer",
        "self.layers.append(layer)",
    ),
    "registered as a list": _net(_LAYERS, "self.registered = nn.ModuleList(self.layers)"),
    "registered as a sequence": _net(_LAYERS, "self.all = nn.Sequential(*self.layers)"),
    "replaced later": _net(_LAYERS, "self.layers = nn.ModuleList(self.layers)"),
    "a list of one hides its layer": _net("self.layers = [nn.Linear(2, 2)]"),
    "layers from outside": _net("self.layers = [extra, extra]"),
    "a teacher beside a layer": _net("self.layers = [nn.Linear(2, 2), extra]"),
    "without parameters": _net("self.layers = [nn.AvgPool2d(2), nn.ReLU()]"),
    "numbers": _net("self.layers = [2, 3]"),
    "used by others": _net(_LAYERS) + "            Net().layers[0].cuda()\n",
    "used in no other method": _net(
        _LAYERS, rest="                def forward(self, x):\n                    return x\n"
    ),
    "a cuda of its own": _net(_LAYERS)
    + """
                def cuda(self):
                    return self
            """,
    "parameters of its own": _net(_LAYERS)
    + """
                def parameters(self):
                    return self.layers[0].parameters()
            """,
    "changed in forward": _net(
        _LAYERS,
        rest="""
                def forward(self, x):
                    self.layers.append(nn.Linear(2, 2))
                    return self.layers[-1](x)
""",
    ),
    "added to another list": _net(
        _LAYERS,
        rest="""
                def forward(self, x):
                    return (self.layers + [x])[0](x)
""",
    ),
    "sliced": _net(
        _LAYERS,
        rest="""
                def forward(self, x):
                    return self.layers[1:]
""",
    ),
    "before the module is set up": """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]
                    super(Net, self).__init__()
                def forward(self, x):
                    return self.layers[0](x)
            """,
    "no module": _net(_LAYERS).replace("(nn.Module)", ""),
    "another nn": _net(_LAYERS).replace("torch.nn as nn", "flax.linen as nn"),
    "already modern": _net("self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])"),
    "suppressed": _net(_LAYERS + "  # noqa: TP206"),
}

test_keeps = keeps("TP206", _KEPT)


def test_what_another_file_uses_stays(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "model.py"
    path.write_text(
        "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.convs = [nn.Linear(2, 2), nn.Linear(2, 2)]\n"
        "    def forward(self, x):\n        return self.convs[0](x)\n"
    )
    settings = Settings(select=("TP206",))
    assert migrate_file(path, settings, write=False).after is not None
    (tmp_path / "train.py").write_text("from model import Net\nparams(Net().convs)\n")
    assert migrate_file(path, settings, write=False).after is None
