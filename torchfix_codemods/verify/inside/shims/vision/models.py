"""`torchvision.models`: the usual layouts with random weights, whatever `pretrained` says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: Any = None) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Any) -> Any:
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: Any = None) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.conv3 = nn.Conv2d(planes, planes * 4, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(planes * 4)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Any) -> Any:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn3(self.conv3(self.relu(self.bn2(self.conv2(out)))))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    def __init__(self, block: Any, layers: list[int], num_classes: int = 1000) -> None:
        super().__init__()
        self.inplanes = 64
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = self._make_layer(block, 64, layers[0])
        self.layer2 = self._make_layer(block, 128, layers[1], 2)
        self.layer3 = self._make_layer(block, 256, layers[2], 2)
        self.layer4 = self._make_layer(block, 512, layers[3], 2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _make_layer(self, block: Any, planes: int, count: int, stride: int = 1) -> nn.Module:
        out = planes * block.expansion
        shortcut = None
        if stride != 1 or self.inplanes != out:
            shortcut = nn.Sequential(
                nn.Conv2d(self.inplanes, out, 1, stride, bias=False), nn.BatchNorm2d(out)
            )
        blocks = [block(self.inplanes, planes, stride, shortcut)]
        self.inplanes = out
        blocks.extend(block(out, planes) for _ in range(1, count))
        return nn.Sequential(*blocks)

    def forward(self, x: Any) -> Any:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        x = self.avgpool(x)
        return self.fc(x.view(x.size(0), -1))


class VGG(nn.Module):
    def __init__(self, features: nn.Module, num_classes: int = 1000) -> None:
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = _classifier(512 * 7 * 7, num_classes, dropout_first=False)

    def forward(self, x: Any) -> Any:
        x = self.avgpool(self.features(x))
        return self.classifier(x.view(x.size(0), -1))


class AlexNet(nn.Module):
    def __init__(self, num_classes: int = 1000) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 11, 4, 2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2),
            nn.Conv2d(64, 192, 5, padding=2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2),
            nn.Conv2d(192, 384, 3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(384, 256, 3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(256, 256, 3, padding=1),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((6, 6))
        self.classifier = _classifier(256 * 6 * 6, num_classes, dropout_first=True)

    def forward(self, x: Any) -> Any:
        x = self.avgpool(self.features(x))
        return self.classifier(x.view(x.size(0), -1))


def _classifier(width: int, num_classes: int, dropout_first: bool) -> nn.Module:
    layers: list[nn.Module] = [nn.Dropout()] if dropout_first else []
    layers += [nn.Linear(width, 4096), nn.ReLU(inplace=True), nn.Dropout()]
    layers += [nn.Linear(4096, 4096), nn.ReLU(inplace=True)]
    layers += [] if dropout_first else [nn.Dropout()]
    return nn.Sequential(*layers, nn.Linear(4096, num_classes))


def make_layers(cfg: Any, batch_norm: bool = False) -> nn.Module:
    layers: list[nn.Module] = []
    channels = 3
    for width in cfg:
        if width == "M":
            layers.append(nn.MaxPool2d(2, 2))
            continue
        layers.append(nn.Conv2d(channels, width, 3, padding=1))
        layers += [nn.BatchNorm2d(width)] if batch_norm else []
        layers.append(nn.ReLU(inplace=True))
        channels = width
    return nn.Sequential(*layers)


def _config(*repeats: int) -> list[Any]:
    widths = (64, 128, 256, 512, 512)
    return [w for level, n in enumerate(repeats) for w in [widths[level]] * n + ["M"]]


_CONFIGS = {
    "11": _config(1, 1, 2, 2, 2),
    "13": _config(2, 2, 2, 2, 2),
    "16": _config(2, 2, 3, 3, 3),
    "19": _config(2, 2, 4, 4, 4),
}
_DEPTHS: dict[str, tuple[Any, list[int]]] = {
    "18": (BasicBlock, [2, 2, 2, 2]),
    "34": (BasicBlock, [3, 4, 6, 3]),
    "50": (Bottleneck, [3, 4, 6, 3]),
    "101": (Bottleneck, [3, 4, 23, 3]),
    "152": (Bottleneck, [3, 8, 36, 3]),
}


def alexnet(pretrained: Any = False, progress: Any = True, weights: Any = None, **kw: Any) -> Any:
    return AlexNet(**kw)


def _resnet(depth: str) -> Callable[..., Any]:
    def make(pretrained: Any = False, progress: Any = True, weights: Any = None, **kw: Any) -> Any:
        return ResNet(*_DEPTHS[depth], **kw)

    return make


def _vgg(depth: str, batch_norm: bool) -> Callable[..., Any]:
    def make(pretrained: Any = False, progress: Any = True, weights: Any = None, **kw: Any) -> Any:
        return VGG(make_layers(_CONFIGS[depth], batch_norm), **kw)

    return make


for _name in _DEPTHS:
    globals()["resnet" + _name] = _resnet(_name)
for _name in _CONFIGS:
    globals()["vgg" + _name] = _vgg(_name, batch_norm=False)
    globals()["vgg" + _name + "_bn"] = _vgg(_name, batch_norm=True)
