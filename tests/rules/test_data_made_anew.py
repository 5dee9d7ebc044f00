"""Under no_grad ``.data`` goes where the name goes on, and where the numbers are only copied."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_GATHERED = """import torch
def gather(model, loader):
    kept = []
    with torch.no_grad():
        for x in loader:
            f = torch.mean(model(x), 0)
            {line}
            kept.append(f)
    return torch.stack(kept)
"""


def _after(text: str) -> str:
    after = migrate(text, "TP104").text
    assert migrate(after, "TP104").text == after
    return after


@pytest.mark.parametrize(
    ("line", "expected"),
    [("f = f.data.cpu()", "f = f.cpu()"), ("f = f.data", "f = f")],
)
def test_what_takes_the_place_of_itself_needs_no_data(line: str, expected: str) -> None:
    after = _after(_GATHERED.format(line=line))
    assert after == _GATHERED.format(line=expected).replace("            f = f\n", "")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(_GATHERED.format(line="g = f.data.cpu()\n            g.add_(1)"), id="new"),
        pytest.param(
            _GATHERED.format(line="f = f.data.cpu()").replace("mean(model(x), 0)", "squeeze(x)"),
            id="nothing is calculated",
        ),
        pytest.param(
            _GATHERED.format(line="f = f.data.cpu()").replace(
                "kept.append(f)", "f.requires_grad = True\n            kept.append(f)"
            ),
            id="gradients are asked for",
        ),
        pytest.param(
            _GATHERED.format(line="f = f.data.cpu()").replace("with torch.no_grad():", "if kept:"),
            id="no block",
        ),
        pytest.param(
            _GATHERED.format(line="f = f.data.cpu()").replace(
                "torch.mean(model(x), 0)", "model(x)"
            ),
            id="not known",
        ),
        pytest.param(
            _GATHERED.format(line="f = h = f.data.cpu()\n            h.add_(1)"), id="two names"
        ),
    ],
)
def test_what_may_be_held_elsewhere_keeps_its_data(text: str) -> None:
    assert _after(text) == text


_COPIED = """import torch
layer = torch.nn.Linear(4, 4)
def collect(net, loader):
    held = torch.zeros(3, 4)
    with torch.no_grad():
        for n, x in enumerate(loader):
            y = torch.squeeze(layer.weight)
            {line}
    return held
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("held[n].copy_(y.data)", "held[n].copy_(y)"),
        ("held.add_(y.data)", "held.add_(y)"),
    ],
)
def test_what_is_copied_needs_no_data(line: str, expected: str) -> None:
    assert _after(_COPIED.format(line=line)) == _COPIED.format(line=expected)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        # It would be the memory of y itself, or something else altogether.
        ("held.set_(y.data)", "y)"),
        ("net.keep(y.data)", "y)"),
        ("net.append(y.data)", "y)"),
    ],
)
def test_what_is_not_only_copied_does(line: str, left: str) -> None:
    assert f"{line.partition('(')[0]}({left}" not in _after(_COPIED.format(line=line))


def test_without_no_grad_what_is_copied_is_detached() -> None:
    text = _COPIED.format(line="held[n].copy_(y.data)").replace("with torch.no_grad():", "if net:")
    assert "held[n].copy_(y.detach())" in _after(text)


_READ_AGAIN = """import torch
@torch.no_grad()
def translate(model, lines, kept, given):
    x, y = torch.from_numpy(lines), torch.from_numpy(lines)
    {}
    x = x.data
    print(y.data.cpu().numpy())
    return model(x).cpu().data
"""


def test_a_name_that_gets_its_own_data_where_nothing_is_recorded_is_what_it_was() -> None:
    after = _after(_READ_AGAIN.format("kept = 0"))
    assert "x = x" not in after and "print(y.data.cpu" in after


@pytest.mark.parametrize(
    "text",
    [
        # Something else holds it, too.
        _READ_AGAIN.format("kept.append(x)"),
        # It may require gradients.
        _READ_AGAIN.format("x = given"),
        # A graph may keep its numbers.
        _READ_AGAIN.format("kept = model(x)").replace("@torch.no_grad()\n", ""),
    ],
)
def test_the_data_of_what_has_other_uses_stay_where_they_are_given_to_it(text: str) -> None:
    assert "    x = x.data\n" in migrate(text, "TP104").text
