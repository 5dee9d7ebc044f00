"""Weights from the net: `torch.utils.model_zoo` and `torch.hub`."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Name, all_gone
from torchfix_codemods.finding import Numerics

ROWS = (
    Name("torch.utils.model_zoo.load_url", "torch.hub.load_state_dict_from_url", since="1.1"),
    *(
        Name(f"{module}._download_url_to_file", "torch.hub.download_url_to_file", gone=gone)
        for module, gone in (("torch.hub", "1.10"), ("torch.utils.model_zoo", "1.1"))
    ),
    Arguments(
        ("torch.hub.load",),
        renames={"github": "repo_or_dir"},
        since="1.7",
        claim=Numerics.RESTORED,
    ),
    *all_gone(
        "torch.hub",
        "DEFAULT_TORCH_HUB_DIR ENV_TORCH_HUB_DIR hub_dir",
        "1.6",
        "ask torch.hub.get_dir()",
    ),
    *all_gone("torch.hub", "MASTER_BRANCH import_module", "1.12", "it was private"),
)
