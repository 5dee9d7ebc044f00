"""`torch.div(ids, n, out=beams)`, as beam searches of fairseq and OpenNMT divide."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_OLD = Options(era=Era((1, 0), (1, 4)))


def _search(*lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"import torch\nclass Search:\n    def step(self, x, n, ids, beams, values):\n{body}"


_TOPK = "torch.topk(x, 4, out=(values, ids))"
_DIV = "torch.div(ids, n, out=beams)"
_CUT = 'torch.div(ids, n, out=beams, rounding_mode="trunc")'


@pytest.mark.parametrize(
    "lines",
    [
        (_TOPK, _DIV, "ids.fmod_(n)"),
        (_TOPK, "print(ids)", _DIV, "beams.add_(1)", "ids.remainder_(n)"),
        ("torch.sort(x, 1, out=[values, ids])", _DIV, "ids.fmod_(n)"),
        (_TOPK, "beams = torch.zeros(4, dtype=torch.long)", _DIV),
        ("ids = torch.arange(8)", _DIV, "ids.fmod_(n)"),
    ],
)
def test_a_quotient_of_indices_is_cut(lines: tuple[str, ...]) -> None:
    text = _search(*lines)
    after = migrate(text, "TP406").text
    assert after == text.replace(_DIV, _CUT)
    assert migrate(after, "TP406").text == after


def test_attributes_are_filled_as_well() -> None:
    text = _search(_TOPK, _DIV, "ids.fmod_(n)").replace("ids", "self.ids").replace(" self.ids,", "")
    assert _CUT.replace("ids", "self.ids") in migrate(text, "TP406").text


def test_in_an_old_file_what_takes_the_quotient_holds_whole_numbers() -> None:
    text = _search(_TOPK, _DIV)
    assert migrate(text, "TP406", options=_OLD).text == text.replace(_DIV, _CUT)
    (finding,) = advice("TP406", text)
    assert finding.line == 5
    assert 'where beams holds such, write rounding_mode="trunc"' in finding.message


@pytest.mark.parametrize(
    "lines",
    [
        (_DIV, "ids.fmod_(n)"),
        ("torch.topk(x, 4, out=(ids, values))", _DIV, "ids.fmod_(n)"),
        (_TOPK, "ids = x.float()", _DIV, "ids.fmod_(n)"),
        ("if n:", f"    {_TOPK}", _DIV, "ids.fmod_(n)"),
        ("if n: " + _TOPK, _DIV, "ids.fmod_(n)"),
        ("mine.topk(x, 4, out=(values, ids))", _DIV, "ids.fmod_(n)"),
        (_TOPK, "torch.div(ids, 2.5, out=beams)", "ids.fmod_(n)"),
        (_TOPK, 'torch.div(ids, n, out=beams, rounding_mode="floor")', "ids.fmod_(n)"),
        (_TOPK, "torch.div(x, n, out=beams)", "x.fmod_(n)"),
        (_TOPK, "torch.div(*ids, out=beams)"),
        (_TOPK, "other.div(ids, n, out=beams)", "ids.fmod_(n)"),
    ],
)
def test_other_quotients_are_left_alone(lines: tuple[str, ...]) -> None:
    text = _search(*lines)
    migration = migrate(text, "TP406")
    assert migration.text == text
    assert not migration.findings


def test_a_method_may_give_the_attribute_another_tensor() -> None:
    text = _search(_TOPK, "self.reset()", _DIV, "ids.fmod_(n)")
    text = text.replace("ids", "self.ids").replace(" self.ids,", "")
    assert not migrate(text, "TP406").findings
    assert migrate(text.replace("self.reset()", "other.reset()"), "TP406").findings


def test_files_for_torch_1_5_know_what_div_gives() -> None:
    options = Options(era=Era((1, 5), None, uses=(1, 5)))
    assert not migrate(_search(_TOPK, _DIV, "ids.fmod_(n)"), "TP406", options=options).findings
