"""Flags that the module level sets more than once, above all that asks for them (TP201, TP202)."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import Options

_TEXT = """\
import torch
from torch import nn
{0}

def run(x, {1}):
    net = nn.Linear(3, 3)
    if {2}:
        net = net.cuda()
    return net(x)

run(torch.ones(3), {3})
"""


def _device(
    setting: str,
    parameter: str = "y",
    test: str = "use_gpu",
    given: str = "2",
    is_imported: bool = False,
) -> str:
    """The lines between the imports and the function, once the device is there."""
    options = Options(imported_elsewhere=lambda: is_imported)
    before = _TEXT.format(setting, parameter, test, given)
    text = migrate(before, "TP201", options=options).text
    if text == before:
        return _STAYS
    guard = f"    if {test}:\n        net = net.to(device)\n"
    assert guard in text
    assert guard not in migrate(before, "TP201", "TP202", options=options).text
    return text.partition("import nn\n")[2].partition("\n\ndef")[0].strip("\n")


_OF_FLAG = '\ndevice = torch.device("cuda" if {} else "cpu")'
_STAYS = "all stays as it is"
_ASKED = "use_gpu = torch.cuda.is_available()"
_PARSED = "import argparse\nargs = argparse.ArgumentParser().parse_args()"


@pytest.mark.parametrize(
    "setting",
    [
        f"{_ASKED}\nif option: use_gpu = False",
        f"{_ASKED}\nif option and use_gpu:\n    use_gpu = unheard(use_gpu)",
        f"{_ASKED}\nuse_gpu = use_gpu and option",
        "if option:\n    use_gpu = True\nelse:\n    use_gpu = False",
        "if a:\n    use_gpu = 1\nelif b:\n    use_gpu = 2\nelse:\n    use_gpu = 3",
    ],
)
def test_the_device_goes_below_the_last_setting(setting: str) -> None:
    assert _device(setting) == setting + _OF_FLAG.format("use_gpu")


@pytest.mark.parametrize(
    "setting",
    [
        f"{_PARSED}\nif not torch.cuda.is_available():\n    args.cuda = False",
        f"{_PARSED}\nargs.cuda = not args.cpu\nif args.cuda: args.cuda = option",
    ],
)
def test_so_it_does_with_an_option(setting: str) -> None:
    assert _device(setting, test="args.cuda") == setting + _OF_FLAG.format("args.cuda")


def test_a_flag_that_is_handed_on_is_the_flag() -> None:
    setting = f"{_ASKED}\nif option: use_gpu = False"
    of_flag = setting + _OF_FLAG.format("use_gpu")
    assert _device(setting, "use_gpu", given="use_gpu") == of_flag
    assert _device(setting, "cuda", "cuda", "cuda=use_gpu") == of_flag
    for given in ("True", "not use_gpu", "option"):
        assert _device(setting, "use_gpu", given=given) == setting
    # Another file may give something else.
    assert _device(setting, "use_gpu", given="use_gpu", is_imported=True) == setting


@pytest.mark.parametrize(
    "setting",
    [
        "if option: use_gpu = False",
        "if a:\n    use_gpu = 1\nelif b:\n    use_gpu = 2",
        f"{_ASKED}\nfor use_gpu in option: pass",
        f"{_ASKED}\ntry:\n    use_gpu = unheard()\nexcept OSError:\n    pass",
        f"{_ASKED}\nnet = nn.Linear(2, 2)\nprint(use_gpu)\nuse_gpu = False",
        f"{_ASKED}\ndef choose():\n    global use_gpu\n    use_gpu = False",
    ],
)
def test_what_may_be_another_flag_elsewhere_is_none(setting: str) -> None:
    assert _device(setting) == _STAYS
