"""torchvision's transforms, weights of models and picture grids have other names today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import with_keywords
from torchfix_codemods.facts.guards import is_guarded, is_signature_tried, is_version_checked
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.stand_ins import (
    ASSERTIONS,
    Use,
    asserted,
    called_so,
    is_rewritten,
    uses_by_name,
)
from torchfix_codemods.facts.values.lattice import Foreign, Number
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found
from torchfix_codemods.rules.data.questions.square_sizes import is_number_or_square
from torchfix_codemods.rules.renamed import Renamed

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


class TorchvisionRenames(Renamed):
    """
    ## What it does
    Writes `Resize` for `Scale`, `RandomResizedCrop` for `RandomSizedCrop`; `weights=` for
    `pretrained=True` and `False`, with the weights that these stood for; the arguments of
    `make_grid`, `save_image`, `LSUN`, `RandomRotation` and `RandomAffine` by their names of today,
    also in `mock_grid.assert_called_with(...)` of a test that replaces such a function; `data` and
    `targets` for `train_data`, `test_labels` and their kin of `MNIST` and `CIFAR10`.

    ## Why
    torchvision took the old names away, one after the other; `pretrained=` still works, with two
    warnings.

    ## Example
    ```python
    crop = transforms.Compose([transforms.Scale(256), transforms.CenterCrop(224)])
    net = models.resnet50(pretrained=True)
    save_image(samples, "samples.png", 8)
    ```
    becomes
    ```python
    crop = transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224)])
    net = models.resnet50(weights="IMAGENET1K_V1")
    save_image(samples, "samples.png", nrow=8)
    ```

    ## Numbers
    Restored: the old names fail. Identical for `pretrained=`: the weights are those that it loads
    today, not the better ones that `DEFAULT` would be. Chance is another matter: the transforms
    drew from Python's `random` up to torchvision 0.7 and draw from torch's generator since.

    ## When it stays its hand
    `Scale((width, height))` was `Resize((height, width))` up to torchvision 0.1.8: the name is
    changed where the size is a number or a square; elsewhere the finding says what to write.
    `pretrained=` stays where it is not a literal, beside `*args` or `**kwargs`, beside arguments
    that torchvision's models do not take (a changed copy of it), and for quantized models; the
    third positional argument of `save_image` where it may be the format. Nothing changes where
    the file chooses by version itself, and nothing of the user's own functions of these names.

    ## References
    - https://pytorch.org/vision/stable/models.html#initializing-pre-trained-models
    - https://pytorch.org/vision/stable/generated/torchvision.utils.save_image.html
    - https://github.com/pytorch/vision/releases/tag/v0.2.0
    """

    code = "TP805"
    name = "torchvision-renames"
    tor = ("TOR201",)
    since = "1.12"
    numerics = Numerics.RESTORED
    message = "torchvision has another name for this today"
    words = frozenset({"pretrained", "save_image", *ATTRIBUTES, *BUILDERS}).union(
        ASSERTIONS, *KEYWORDS.values()
    )

    def may_follow(self, use: ast.expr, old: str, facts: Facts) -> bool:
        call = facts.parent(use)
        is_called = isinstance(call, ast.Call) and call.func is use
        if old.endswith(".Scale"):
            return is_called and isinstance(call, ast.Call) and _is_same_size(call, facts)
        if old.endswith(".RandomSizedCrop"):
            # What came second has changed.
            return is_called and isinstance(call, ast.Call) and len(call.args) <= 1
        return super().may_follow(use, old, facts)

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        yield from super().find_Attribute(node, facts)
        if node.attr not in ATTRIBUTES or not isinstance(node.ctx, ast.Load):
            return
        value = facts.value(node.value)
        name = (value.name if isinstance(value, Foreign) else None) or ""
        claim = DATASETS.get(name.rpartition(".")[2])
        new = ATTRIBUTES[node.attr]
        if claim is None or not name.startswith("torchvision.datasets."):
            return
        if not is_version_checked(facts, node) and not is_guarded(facts, node, new):
            message = f"{node.attr} of a data set of torchvision is now {new}"
            yield self.found(node, message, numerics=claim, attr=new, path=None)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        name = facts.name(call.func) or ""
        if not name:
            yield from self._find_assertion(call, facts)
        if not name.startswith("torchvision.") or is_opaque(call):
            return
        if is_version_checked(facts, call) or is_signature_tried(facts, call):
            return
        if name in self.renames and name.endswith(".Scale"):
            if not _is_same_size(call, facts):
                yield self.advice(call, _advice(call, facts))
        elif name in KEYWORDS:
            changes = _renamed_arguments(call, name, facts)
            if changes:
                keywords = ", ".join(f"{keyword}=" for keyword, _ in changes.values())
                message = f"{name.rpartition('.')[2]} takes this as {keywords} today"
                yield self.found(call, message, changes=changes)
        else:
            changes = _weights(call, name)
            if changes:
                message = "pretrained= became weights=; these are the same weights"
                yield self.found(call, message, numerics=Numerics.IDENTICAL, changes=changes)

    def _find_assertion(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``mock_grid.assert_called_once_with(image, range=(0, 1))``, as its code is called."""
        name = asserted(facts, call)
        if name not in KEYWORDS or is_opaque(call):
            return
        changes = _renamed_arguments(call, name, facts)
        uses = uses_by_name(facts, name) if changes else None
        if uses and all(self._is_of_today(use, name, facts) for use in uses):
            message = called_so(name)
            yield self.found(call, message, numerics=Numerics.IDENTICAL, changes=changes)

    def _is_of_today(self, use: Use, name: str, facts: Facts) -> bool:
        """Whether a call is as it should be, once this run is over."""
        call = use.node
        assert isinstance(call, ast.Call)
        if is_opaque(call):
            return False
        if not _renamed_arguments(call, name, use.facts):
            return name != "torchvision.utils.save_image" or len(call.args) <= 2
        is_chosen = is_version_checked(use.facts, call) or is_signature_tried(use.facts, call)
        return not is_chosen and is_rewritten(facts, use, self.code)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        changes: Changes = self.data["changes"]
        call = with_keywords(updated, {index: keyword for index, (keyword, _) in changes.items()})
        args = [
            arg
            if (text := changes.get(index, ("", None))[1]) is None
            else arg.with_changes(value=cst.parse_expression(text))
            for index, arg in enumerate(call.args)
        ]
        return call.with_changes(args=args)


def _is_same_size(call: ast.Call, facts: Facts) -> bool:
    """Whether `Scale` and `Resize` certainly understand the size in the same way."""
    size = argument(call, 0, "size")
    return size is not None and not is_opaque(call) and is_number_or_square(size, facts)


def _advice(call: ast.Call, facts: Facts) -> str:
    size = argument(call, 0, "size")
    given = [facts.segment(other) for other in call.args[1:]]
    given += [
        f"{keyword.arg}={facts.segment(keyword.value)}"
        for keyword in call.keywords
        if keyword.arg != "size"
    ]
    others = "".join(f", {other}" for other in given)
    if isinstance(size, (ast.Tuple, ast.List)) and len(size.elts) == 2:
        width, height = map(facts.segment, size.elts)
        return (
            "Scale is now Resize, which takes (height, width); Scale took (width, height) up to "
            "torchvision 0.1.8, so for code of that time write "
            f"Resize(({height}, {width}){others})"
        )
    written = "size" if size is None else facts.segment(size)
    return (
        f"Scale is now Resize: write Resize({written}{others}) where the size is a number, and"
        f" Resize((height, width){others}) where it is (width, height), as up to torchvision 0.1.8"
    )


def _renamed_arguments(call: ast.Call, name: str, facts: Facts) -> Changes:
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


def _weights(call: ast.Call, name: str) -> Changes:
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
