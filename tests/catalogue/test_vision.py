"""Rows about torchvision against the names that its wheels have."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.rules import advice
from torchfix_codemods.catalogue import rows_in
from torchfix_codemods.catalogue.rows import Gone, Name, Row

RECORDED: Any = json.loads(
    (Path(__file__).parents[2] / "fixtures/recorded/torchvision_signatures.json").read_text()
)
TODAY, OLD = RECORDED["today"]["names"], RECORDED["old"]["names"]
GONE = [row for row in rows_in("vision") if row.gone is not None]


@pytest.mark.parametrize("row", GONE, ids=lambda row: row.names[0])
def test_is_gone(row: Row) -> None:
    name = row.names[0]
    if name in TODAY:
        assert TODAY[name] is None
    elif ".transforms.Scale" in name or ".transforms.RandomSized" in name:
        assert name.rpartition(".")[2] not in TODAY["torchvision.transforms.transforms"]
    else:
        module, _, last = name.rpartition(".")
        assert last not in (TODAY[module] or ())


@pytest.mark.parametrize(
    "row", [row for row in GONE if isinstance(row, Name)], ids=lambda row: row.names[0]
)
def test_new_name_is_there(row: Name) -> None:
    module, _, last = row.new.rpartition(".")
    if module == "torchvision.transforms":
        module += ".transforms"
    if module.startswith("torchvision."):
        assert last in TODAY[module]


_TOLD = [
    name
    for row in rows_in("vision")
    if isinstance(row, Gone)
    for name in re.findall(r"torchvision(?:\.\w+)+", row.advice)
]


@pytest.mark.parametrize("name", _TOLD)
def test_what_a_person_is_told_to_use_is_there(name: str) -> None:
    package, last = ".".join(name.split(".")[:2]), name.split(".")[2]
    # A package gives what its modules have.
    modules = {m: names or () for m, names in TODAY.items() if m.startswith(package)}
    assert any(last in names for names in modules.values()) or f"{package}.{last}" in modules


def test_that_names_are_told() -> None:
    assert "torchvision.models.Inception_V3_Weights.IMAGENET1K_V1.url" in _TOLD
    assert "torchvision.models.get_model_weights" in _TOLD


def test_an_element_of_the_old_urls_has_its_own_key() -> None:
    text = "from torchvision.models import vgg\nx = vgg.model_urls[{}]\n"
    for key in ("'vgg16_bn'", "arch"):
        (found,) = advice("TP904", text.format(key))
        said = f"model_urls[{key}] is torchvision.models.get_model_weights({key}).IMAGENET1K_V1.url"
        assert found.message.endswith(f": {said} today")
    (several,) = advice("TP904", f"{text.format('a')}y = vgg.model_urls['vgg16']\n")
    assert "gone since torch 2.0, here and in line 3: model_urls[name] is " in several.message
    (whole,) = advice("TP904", "from torchvision.models import vgg\nx = vgg.model_urls\n")
    assert "model_urls[name] is" in whole.message


@pytest.mark.parametrize(
    ("imported", "said"),
    [
        ("import torchvision.models as models", "models.get_model_weights('resnet50')"),
        ("from torchvision.models import get_model_weights", "get_model_weights('resnet50')"),
        ("import torchvision", "torchvision.models.get_model_weights('resnet50')"),
        ("import models", "torchvision.models.get_model_weights('resnet50')"),
    ],
)
def test_a_proposal_is_written_by_the_imports_of_the_file(imported: str, said: str) -> None:
    text = "from torchvision.models import resnet\n{}\nx = resnet.model_urls['resnet50']\n"
    (found,) = advice("TP904", text.format(imported))
    assert f" is {said}.IMAGENET1K_V1.url today" in found.message


def test_an_import_of_the_old_urls_speaks_of_the_one_that_is_read() -> None:
    text = "from torchvision.models.resnet import model_urls\nx = model_urls['resnet18']\n"
    (found,) = advice("TP904", text)
    assert ": model_urls['resnet18'] is torchvision.models.get_model_w" in found.message
    (found,) = advice("TP904", f"{text}y = model_urls['resnet34']\n")
    assert ": model_urls[name] is torchvision.models.get_model_weights(name)" in found.message


def test_what_was_there() -> None:
    assert "model_urls" in OLD["torchvision.models.resnet"]
    assert "Scale" in OLD["torchvision.transforms.transforms"]
