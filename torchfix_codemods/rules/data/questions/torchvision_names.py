"""What torchvision calls in another way today: tables, and the arguments of a call by them."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.finding import Numerics

#: The weights that `pretrained=True` gives, by the folder below `torchvision.models`.
WEIGHTS = {
    "": "IMAGENET1K_V1",
    "detection": "COCO_V1",
    "segmentation": "COCO_WITH_VOC_LABELS_V1",
    "video": "KINETICS400_V1",
}

_BUILDERS = {
    "": """
        alexnet densenet121 densenet161 densenet169 densenet201 efficientnet_b0 efficientnet_b1
        efficientnet_b2 efficientnet_b3 efficientnet_b4 efficientnet_b5 efficientnet_b6
        efficientnet_b7 convnext_tiny convnext_small convnext_base convnext_large googlenet
        inception_v3 mnasnet0_5 mnasnet0_75 mnasnet1_0 mnasnet1_3 mobilenet_v2 mobilenet_v3_large
        mobilenet_v3_small resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d
        resnext101_32x8d shufflenet_v2_x0_5 shufflenet_v2_x1_0 shufflenet_v2_x1_5
        shufflenet_v2_x2_0 squeezenet1_0 squeezenet1_1 vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn
        vgg19 vgg19_bn vit_b_16 vit_b_32 vit_l_16 vit_l_32 wide_resnet50_2 wide_resnet101_2""",
    "detection": """
        fasterrcnn_resnet50_fpn fasterrcnn_mobilenet_v3_large_320_fpn
        fasterrcnn_mobilenet_v3_large_fpn fcos_resnet50_fpn maskrcnn_resnet50_fpn
        retinanet_resnet50_fpn ssdlite320_mobilenet_v3_large""",
    "segmentation": """
        deeplabv3_resnet50 deeplabv3_resnet101 deeplabv3_mobilenet_v3_large fcn_resnet50
        fcn_resnet101 lraspp_mobilenet_v3_large""",
    "video": "r3d_18 mc3_18 r2plus1d_18",
}

#: Each function of torchvision with weights, and the folder it stands in.
BUILDERS = {name: folder for folder, names in _BUILDERS.items() for name in names.split()}

#: What else those of the first folder take; they hand it on to the class of the model.
_OPTIONS = frozenset(
    """
    pretrained progress num_classes dropout drop_rate memory_efficient growth_rate block_config
    num_init_features bn_size inverted_residual_setting stochastic_depth_prob norm_layer
    last_channel layer_scale block block_setting aux_logits transform_input init_weights blocks
    dropout_aux inception_blocks alpha width_mult round_nearest zero_init_residual groups
    width_per_group replace_stride_with_dilation inverted_residual stages_repeats
    stages_out_channels image_size patch_size num_layers num_heads hidden_dim mlp_dim
    attention_dropout representation_size conv_stem_configs
    """.split()
)

_TRANSFORMS = ("torchvision.transforms.", "torchvision.transforms.transforms.")

_GRIDS = {"range": "value_range", "filename": "fp"}

#: Keywords with other names: by function, old name to new name.
KEYWORDS = {
    "torchvision.utils.make_grid": {"range": "value_range"},
    "torchvision.utils.save_image": _GRIDS,
    "torchvision.datasets.LSUN": {"db_path": "root"},
    "torchvision.datasets.lsun.LSUN": {"db_path": "root"},
    "torchvision.transforms.functional.rotate": {"resample": "interpolation"},
    "torchvision.transforms.functional.affine": {"resample": "interpolation", "fillcolor": "fill"},
    **{prefix + "RandomRotation": {"resample": "interpolation"} for prefix in _TRANSFORMS},
    **{
        prefix + "RandomAffine": {"resample": "interpolation", "fillcolor": "fill"}
        for prefix in _TRANSFORMS
    },
}

#: What `save_image` took by position, and how it takes that today.
SAVE_IMAGE = ("tensor", "fp", "nrow", "padding", "normalize", "value_range", "scale_each")

#: Attributes of data sets that have other names; those of ``MNIST`` still work, and warn.
ATTRIBUTES = {
    "train_data": "data",
    "test_data": "data",
    "train_labels": "targets",
    "test_labels": "targets",
}

#: Data sets with these attributes, and what is claimed of their new names.
DATASETS = {
    "MNIST": Numerics.IDENTICAL,
    "FashionMNIST": Numerics.IDENTICAL,
    "KMNIST": Numerics.IDENTICAL,
    "EMNIST": Numerics.IDENTICAL,
    "CIFAR10": Numerics.RESTORED,
    "CIFAR100": Numerics.RESTORED,
}

Changes = dict[int, tuple[str, str | None]]
"""For the index of an argument: its keyword, and its new value unless that stays."""


def renamed_arguments(call: ast.Call, name: str, facts: Facts) -> Changes:
    """What a call of one of ``KEYWORDS`` gives by another name today."""
    renamed = KEYWORDS[name]
    given = len(call.args)
    changes: Changes = {
        given + index: (renamed[keyword.arg], None)
        for index, keyword in enumerate(call.keywords)
        if keyword.arg in renamed
    }
    if name == "torchvision.utils.save_image" and 2 < given <= len(SAVE_IMAGE):
        if given > 3 or isinstance(facts.value(call.args[2]), Number):
            changes |= {index: (SAVE_IMAGE[index], None) for index in range(2, given)}
    return changes


def weights_of(call: ast.Call, name: str) -> Changes:
    """`pretrained=` and `pretrained_backbone=`, where they are literals."""
    path = name.split(".")[2:]
    folder = BUILDERS.get(path[-1]) if path and name.startswith("torchvision.models.") else None
    if folder is None or "quantization" in path or (folder and path[0] != folder):
        return {}
    if any(keyword.arg in ("weights", "weights_backbone") for keyword in call.keywords):
        return {}
    if not folder and any(keyword.arg not in _OPTIONS for keyword in call.keywords):
        # ``resnet18(pretrained=True, output_stride=8)``: a torchvision of the user's own.
        return {}
    changes: Changes = {}
    if len(call.args) == 1 and isinstance(constant(call.args[0]), bool):
        changes[0] = ("weights", _written(call.args[0], WEIGHTS[folder]))
    for index, keyword in enumerate(call.keywords):
        if isinstance(constant(keyword.value), bool):
            if keyword.arg == "pretrained":
                value = _written(keyword.value, WEIGHTS[folder])
                changes[len(call.args) + index] = ("weights", value)
            elif keyword.arg == "pretrained_backbone" and folder in ("detection", "segmentation"):
                value = _written(keyword.value, WEIGHTS[""])
                changes[len(call.args) + index] = ("weights_backbone", value)
    return changes


def _written(literal: ast.expr, weights: str) -> str:
    return f'"{weights}"' if constant(literal) else "None"
