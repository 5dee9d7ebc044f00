"""Lines that get longer than the width that their file keeps to."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

#: Of 75 columns each, which show to what the file keeps.
_SHOWS = "a_value = 'a text that is so long that the line ends right before the edge'\n" * 4
_HEAD = "import torch.nn as nn\nimport torch.utils.model_zoo as model_zoo\n"
_LOAD = """
class Net(nn.Module):
    def load(self, model, pretrained):
        if pretrained:
            model.load_state_dict(model_zoo.load_url(urls['resnet101']))
        return model
"""


def test_a_line_that_got_too_long_is_broken() -> None:
    assert max(map(len, _SHOWS.splitlines())) == 75
    after = migrate(_HEAD + _SHOWS + _LOAD, "TP901").text
    assert after.endswith(
        """
        if pretrained:
            model.load_state_dict(
                torch.hub.load_state_dict_from_url(urls['resnet101']))
        return model
"""
    )
    assert migrate(after, "TP901").text == after


@pytest.mark.parametrize(
    ("call", "hanging"),
    [
        ("print(\n  1)\n", 2),
        ("print(\n      1)\n", 6),
        ("print(\n     1)\n", 4),
        ("def f(\n        x):\n    pass\n", 4),
    ],
)
def test_it_is_indented_as_other_lines_of_the_file_are(call: str, hanging: int) -> None:
    after = migrate(_HEAD + _SHOWS + call + _LOAD, "TP901").text
    indent = " " * (12 + hanging)
    assert f"model.load_state_dict(\n{indent}torch.hub.load_state_dict_from_url(" in after


def test_behind_a_comma() -> None:
    line = "state = model_zoo.load_url(urls['resnet101'], model_dir='the/checkpoints')\n"
    after = migrate(_HEAD + _SHOWS + line, "TP901").text
    assert after.endswith(
        "state = torch.hub.load_state_dict_from_url(urls['resnet101'],\n"
        "                                           model_dir='the/checkpoints')\n"
    )


def test_the_next_call_of_a_chain_is_not_aligned_with_arguments() -> None:
    line = "state = model_zoo.load_url(urls['resnet101'], model_dir='check').values()\n"
    after = migrate(_HEAD + _SHOWS + line, "TP901").text
    assert after.endswith(
        "state = torch.hub.load_state_dict_from_url(\n"
        "    urls['resnet101'], model_dir='check').values()\n"
    )


def test_of_things_side_by_side_none_is_broken_that_others_follow() -> None:
    line = "a, b = model_zoo.load_url(urls[1], 'here/is/it'), model_zoo.load_url(url)\n"
    after = migrate(_HEAD + _SHOWS + line, "TP901").text
    assert after.endswith(line.replace("model_zoo.load_url", "torch.hub.load_state_dict_from_url"))
    last = line.replace("model_zoo.load_url(urls[1], 'here/is/it')", "urls").replace(
        "(url)", "(urls[1], 'in/the/folder/of/all')"
    )
    after = migrate(_HEAD + _SHOWS + last, "TP901").text
    assert after.endswith(
        "a, b = urls, torch.hub.load_state_dict_from_url(urls[1],\n"
        f"{' ' * 48}'in/the/folder/of/all')\n"
    )


def test_in_a_file_of_which_two_lines_are_beyond_the_usual_width() -> None:
    line = _SHOWS.splitlines(keepends=True)[0].replace("a text", "a text of letters")
    above = 2 * line + _SHOWS.replace("a text that", "it")
    assert max(map(len, above.splitlines())) == 86
    load = _LOAD.replace("urls['", "all_urls['")
    after = migrate(_HEAD + above + load, "TP901").text
    assert (
        "(\n                torch.hub.load_state_dict_from_url(all_urls['resnet101']))\n" in after
    )
    after = migrate(_HEAD + above.replace(line, "", 1) + load, "TP901").text
    assert "(torch.hub.load_state_dict_from_url(all_urls['resnet101']))\n" in after


@pytest.mark.parametrize("width", [80, 84, 88])
def test_in_a_file_of_another_width(width: int) -> None:
    longest = _SHOWS.splitlines()[0].replace("a text", "a text".ljust(width - 69, "t"))
    above = f"{longest}\n{_SHOWS.replace('a text', 'a new text')}"
    assert max(map(len, above.splitlines())) == width
    load = _LOAD.replace("resnet101", "resnet101_wide")
    after = migrate(_HEAD + above + load, "TP901").text
    assert (
        "(\n                torch.hub.load_state_dict_from_url(urls['resnet101_wide']))\n" in after
    )


@pytest.mark.parametrize("width", [89, 100, 121])
def test_in_a_wider_file_it_stays_on_its_line(width: int) -> None:
    above = _SHOWS.replace("a text", "a text".ljust(width - 69, "t"))
    assert max(map(len, above.splitlines())) == width
    after = migrate(_HEAD + above + _LOAD, "TP901").text
    assert "dict(torch.hub.load_state_dict_from_url(urls['resnet101']))\n" in after


@pytest.mark.parametrize("above", ["", "".join(_SHOWS.splitlines(keepends=True)[:2])])
def test_a_file_of_short_lines_shows_no_width(above: str) -> None:
    load = "model.load_state_dict(model_zoo.load_url(urls['resnet101_in_use']))\n"
    after = migrate(_HEAD + above + load, "TP901").text
    assert after.endswith(load.replace("model_zoo.load_url", "torch.hub.load_state_dict_from_url"))
    assert max(map(len, after.splitlines())) > 79


@pytest.mark.parametrize(
    ("above", "line"),
    [
        pytest.param(_SHOWS.replace("a text", "a text that is", 1), "", id="one was longer"),
        pytest.param(_SHOWS, "  # a comment", id="with a comment"),
        pytest.param(_SHOWS, "; x = 1", id="shares its line"),
    ],
)
def test_stays_on_its_line(above: str, line: str) -> None:
    text = _HEAD + above + _LOAD.replace("01']))", "01']))" + line)
    after = migrate(text, "TP901").text
    assert "dict(torch.hub.load_state_dict_from_url(urls['resnet101']))" + line in after


def test_no_bracket_far_to_the_right_is_broken() -> None:
    line = "the_state_of_the_first_model_in_the_list = model_zoo.load_url(urls[1], 'here')\n"
    after = migrate(_HEAD + line, "TP901").text
    assert after.endswith(line.replace("model_zoo.load_url", "torch.hub.load_state_dict_from_url"))


def test_what_is_only_indented_stays_on_its_line() -> None:
    text = textwrap.dedent(
        """
        import torch
        import torch.nn.functional as F
        from torch.autograd import Variable
        def evaluate(model, loader):
            model.eval()
            for data, target in loader:
                data = Variable(data, volatile=True)
                loss = F.cross_entropy(model(data), target[0].long(), reduction="sum")
                print(loss.item())
        """
    )
    after = migrate(text, "TP102", "TP101").text
    line = 'loss = F.cross_entropy(model(data), target[0].long(), reduction="sum")'
    assert f"            {line}\n" in after
    assert max(map(len, after.splitlines())) > 79


_INSIDE = """
import torch
import torch.nn.functional as F


def decode(center, encode, last):
    return encode(torch.cat([
        center, F.upsample_bilinear(last, center.size()[2:])], 1)){end}
"""


def test_a_line_inside_of_a_statement_is_broken_as_well() -> None:
    after = migrate(_SHOWS + _INSIDE.format(end=""), "TP306").text
    assert after.endswith(
        """
    return encode(torch.cat([
        center, F.interpolate(last, center.size()[2:], mode='bilinear',
                              align_corners=True)], 1))
"""
    )
    assert migrate(after, "TP306").text == after


@pytest.mark.parametrize("end", ["  # up", "; print(1)"])
def test_not_where_something_else_stands_on_its_lines(end: str) -> None:
    after = migrate(_SHOWS + _INSIDE.format(end=end), "TP306").text
    assert f"mode='bilinear', align_corners=True)], 1)){end}\n" in after
