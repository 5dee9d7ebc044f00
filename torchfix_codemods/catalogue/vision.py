"""Names of torchvision; ``since`` and ``gone`` count by the torch that it belongs to."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Name

_TRANSFORMS = ("torchvision.transforms", "torchvision.transforms.transforms")
_SIZED = {"Scale": "Resize", "RandomSizedCrop": "RandomResizedCrop"}

ROWS = (
    *(
        Name(f"{module}.{old}", f"{module}.{new}", rule="TP805", gone="1.12")
        for module in _TRANSFORMS
        for old, new in _SIZED.items()
    ),
    Name(
        "torchvision.models.utils.load_state_dict_from_url",
        "torch.hub.load_state_dict_from_url",
        rule="TP805",
        gone="1.12",
    ),
    Name(
        "torchvision.transforms.functional_tensor.rgb_to_grayscale",
        "torchvision.transforms.functional.rgb_to_grayscale",
        rule="TP805",
        gone="2.1",
    ),
)
