from __future__ import annotations

import pytest

from torchfix_codemods.facts.age.era import Era, parse_version
from torchfix_codemods.facts.age.releases import may_be_released
from torchfix_codemods.project.specifiers import alternatives, parse_requirement


def allowed(text: str) -> str:
    pin = parse_requirement(text, "")
    assert pin is not None, text
    return str(Era(pin.oldest, pin.newest))


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("torch", "any version"),
        ("torch==0.3.1", "0.3.1"),
        ("torch == 0.3.1", "0.3.1"),
        ("torch===0.3.1", "0.3.1"),
        ("torch==0.3.0.post4", "0.3.0"),
        ("torch==0.4", "0.4.0"),
        ("torch==0.4.0a0+1fdb392", "0.4.0"),
        ("torch==1.13.1+cu117", "1.13.1"),
        ("torch==1.0rc1", "1.0.0"),
        ("torch==1.0.0.dev20181008", "1.0.0"),
        ("torch==0.4.*", "0.4.0 to 0.4.1"),
        ("torch>=0.4", "0.4.0 or newer"),
        ("torch>0.4", "0.4.1 or newer"),
        ("torch<1.0", "0.4.1 at most"),
        ("torch<=0.4.1", "0.4.1 at most"),
        ("torch<=1.3", "1.3.0 at most"),
        ("torch>=0.4,<1.0", "0.4.0 to 0.4.1"),
        ("torch (>=0.4, <1.0)", "0.4.0 to 0.4.1"),
        ("torch>=0.4,!=0.4.1", "0.4.0 or newer"),
        ("torch<1.0,!=0.4.*", "0.3.1 at most"),
        ("torch~=1.4", "1.4.0 to 1.13.1"),
        ("torch~=1.3.0", "1.3.0 to 1.3.1"),
        ("torch<0.5.0a0", "0.4.1 at most"),
        ("torch>=99", "99.0.0 or newer"),
        ("Torch[opt]>=1.0 ; python_version < '3.8'", "1.0.0 or newer"),
        ("torch==1.0.1 --hash=sha256:0123  # CPU", "1.0.1"),
        ("https://x.org/cu80/torch-0.3.0.post4-cp36-cp36m-linux_x86_64.whl", "0.3.0"),
        ("torch @ https://x.org/torch-1.0.0%2Bcu92-cp36-cp36m-linux_x86_64.whl", "1.0.0"),
        # Conda.
        ("pytorch=0.4.1", "0.4.1"),
        ("pytorch=0.4", "0.4.0 to 0.4.1"),
        ("pytorch=0.4.1=py36_cuda8.0.61_cudnn7.1.2_1", "0.4.1"),
        ("pytorch==1.0.0=py3.7_cuda10.0_1", "1.0.0"),
        ("pytorch 1.0.0 py36_0", "1.0.0"),
        ("pytorch::pytorch>=1.1,<1.3", "1.1.0 to 1.2.0"),
        ("pytorch-cpu=1.1.0", "1.1.0"),
        ("pytorch=0.4.1|=1.0", "0.4.1 to 1.0.1"),
        # Poetry.
        ("torch ^1.4", "1.4.0 to 1.13.1"),
        ("torch ^0.4", "0.4.0 to 0.4.1"),
        ("torch ~1.3", "1.3.0 to 1.3.1"),
        ("torch 1.4.0", "1.4.0"),
        ("torch *", "any version"),
        # What cannot be read allows everything.
        ("torch==${TORCH}", "any version"),
        ("torch>=1.0.*", "any version"),
        ("torch @ git+https://x.org/pytorch@v0.4.1", "any version"),
        ("torch<0.1", "any version"),
        ("torch==1.0,==0.4", "any version"),
    ],
)
def test_what_a_requirement_allows(text: str, versions: str) -> None:
    assert allowed(text) == versions


@pytest.mark.parametrize(
    "text",
    [
        "",
        "numpy==1.14",
        "torchvision==0.2.1",
        "torchtext",
        "torch-scatter==1.0",
        "torch_geometric==1.0",
        "pytorch-lightning==0.4",
        "pytorch.ignite==0.1",
        "git+https://x.org/pytorch/tnt.git",
        "# torch==0.3.1",
        "https://x.org/torchvision-0.2.1-py2.py3-none-any.whl",
    ],
)
def test_what_is_not_about_torch(text: str) -> None:
    assert parse_requirement(text, "") is None


def test_a_pin_says_where_it_stands_without_what_does_not_matter() -> None:
    pin = parse_requirement("torch==0.4.1 ; python_version < '3'  # old", "requirements.txt:3")
    assert str(pin) == "requirements.txt:3: torch==0.4.1"


@pytest.mark.parametrize(
    ("texts", "versions"),
    [
        (["torch==0.4.1", "torch==1.0.0"], "0.4.1 to 1.0.0"),
        (["torch==0.4.1", "torch>=1.0"], "0.4.1 or newer"),
        (["torch==0.4.1", "torch"], "any version"),
        (["torch==0.4.1", "torch==${OTHER}"], "any version"),
    ],
)
def test_any_of_several_lines_may_hold(texts: list[str], versions: str) -> None:
    pins = [pin for text in texts if (pin := parse_requirement(text, "")) is not None]
    pin = alternatives(pins)
    assert str(Era(pin.oldest, pin.newest)) == versions


@pytest.mark.parametrize("version", ["0", "0.1", "0.4", "0.4.1", "1", "1.13.1", "1.14.0", "2.99"])
def test_versions_that_may_be_released(version: str) -> None:
    assert may_be_released(parse_version(version))


@pytest.mark.parametrize("version", ["0.5", "0.10.1", "1.15", "1.40", "3", "3.0", "9.9"])
def test_versions_that_are_not_released(version: str) -> None:
    assert not may_be_released(parse_version(version))
