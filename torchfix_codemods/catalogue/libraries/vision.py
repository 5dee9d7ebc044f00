"""Names of torchvision; ``since`` and ``gone`` count by the torch that it belongs to."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Gone, Name, all_gone

_TRANSFORMS = ("torchvision.transforms", "torchvision.transforms.transforms")
_SIZED = {"Scale": "Resize", "RandomSizedCrop": "RandomResizedCrop"}
#: Modules whose urls had the names of their networks, and others with a network of each.
_WITH_URLS = "alexnet densenet googlenet mobilenet resnet squeezenet vgg"
#: Modules that imported what loaded their weights by that name.
_WITH_MODEL_ZOO = "alexnet densenet inception resnet squeezenet vgg"
_WITH_OTHER_KEYS = {
    "inception": "Inception_V3",
    "mnasnet": "MNASNet1_0",
    "shufflenetv2": "ShuffleNet_V2_X1_0",
}
_URLS = "{} is torchvision.models.get_model_weights({}).IMAGENET1K_V1.url today"
_URLS_BY_CLASS = (
    "the weights of each network have their url, as torchvision.models.{}_Weights.IMAGENET1K_V1.url"
)

_VIDEO = """
    VideoReader read_video read_video_timestamps write_video _probe_video_from_file
    _probe_video_from_memory _read_video_from_file _read_video_from_memory
    _read_video_timestamps_from_file _read_video_timestamps_from_memory"""

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
    *(
        Name(
            f"torchvision.models.{module}.model_zoo",
            "torch.utils.model_zoo",
            rule="TP805",
            gone="1.1",
        )
        for module in _WITH_MODEL_ZOO.split()
    ),
    # Until torchvision 0.2 the transformations were one file, which imported these.
    *(
        Name(f"torchvision.transforms.{module}", f"PIL.{module}", rule="TP805", gone="0.3")
        for module in ("Image", "ImageOps")
    ),
    Name("torchvision.models.vgg.cfg", "torchvision.models.vgg.cfgs", rule="TP805", gone="1.1"),
    Name(
        "torchvision.transforms.functional.scale",
        "torchvision.transforms.functional.resize",
        rule="TP805",
        gone="1.12",
    ),
    Name(
        "torchvision.transforms.functional_tensor.rgb_to_grayscale",
        "torchvision.transforms.functional.rgb_to_grayscale",
        rule="TP805",
        gone="2.2",
    ),
    *(
        Gone(
            f"torchvision.models.{module}.model_urls",
            _URLS.format("model_urls[name]", "name"),
            element=_URLS.format("model_urls[{0}]", "{0}"),
            gone="2.0",
        )
        for module in _WITH_URLS.split()
    ),
    *(
        Gone(f"torchvision.models.{module}.model_urls", _URLS_BY_CLASS.format(network), gone="2.0")
        for module, network in _WITH_OTHER_KEYS.items()
    ),
    *all_gone(
        "torchvision.ops",
        "_new_empty_tensor misc._new_empty_tensor misc._output_size",
        "1.12",
        "it was for torch 1.4 and older: take out the branch that uses it",
    ),
    Gone(
        "torchvision.models.mobilenet.ConvBNReLU",
        "write torchvision.ops.Conv2dNormActivation(..., activation_layer=torch.nn.ReLU6), with"
        " groups= and norm_layer= by their names, as padding= comes before them",
        gone="1.13",
    ),
    Name(
        "torchvision.models.mobilenet.InvertedResidual",
        "torchvision.models.mobilenetv2.InvertedResidual",
        rule="TP805",
        gone="1.9",
    ),
    *(
        Name(
            f"torchvision.transforms.functional._{name}",
            f"torchvision.transforms.functional.{name}",
            rule="TP805",
            since="1.10",
            gone="1.10",
        )
        for name in ("get_image_size", "get_image_num_channels")
    ),
    Name(
        "torchvision.models.mobilenet._make_divisible",
        "torchvision.models._utils._make_divisible",
        rule="TP805",
        since="1.10",
        gone="1.10",
    ),
    *(
        Name(f"torchvision.ops.misc.{name}", f"torch.nn.{name}", rule="TP805", gone="1.13")
        for name in ("Conv2d", "ConvTranspose2d", "BatchNorm2d")
    ),
    Gone(
        "torchvision.datasets.utils.makedir_exist_ok",
        "write os.makedirs(path, exist_ok=True)",
        gone="1.7",
    ),
    Gone(
        "torchvision.transforms.functional_pil",
        "torchvision.transforms.functional has what is public of it",
        gone="2.2",
    ),
    *all_gone("torchvision.io", _VIDEO, "2.13", "decode videos with torchcodec"),
    Gone("torchvision.io.video", "decode videos with torchcodec", gone="2.13"),
    Gone(
        "torchvision.transforms.functional_tensor",
        "torchvision.transforms.functional has what is public of it",
        gone="2.2",
    ),
    Gone(
        "torchvision.transforms.v2.ToTensor",
        "write v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])",
        tor="TOR202",
    ),
)
