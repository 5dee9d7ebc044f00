from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps
from torchfix_codemods.rules import select

HEADER = "import torch\nfrom torch.utils.data import DataLoader\n"

REPORTED = {
    "DataLoader(data, 4, num_workers=2, pin_memory=True)": "pin_memory=torch.cuda.is_available()",
    "DataLoader(data, 4, False, None, None, 2, None, True)": "torch.cuda.is_available()",
    "DataLoader(data, batch_size=4, drop_last=True)": "the same samples every time",
    "DataLoader(data, shuffle=False, drop_last=True)": "the same samples every time",
    "DataLoader(data, 4, shuffle=True)": "give num_workers= a number above 0",
    "DataLoader(data, 4, True, num_workers=0)": "give num_workers= a number above 0",
    "DataLoader(data, num_workers=32)": "num_workers=os.cpu_count()",
}
QUIET = {
    "asked for a GPU": "DataLoader(data, num_workers=2, pin_memory=torch.cuda.is_available())",
    "flag": "DataLoader(data, num_workers=2, pin_memory=args.pin)",
    "dropped of shuffled": "DataLoader(data, shuffle=True, num_workers=2, drop_last=True)",
    "dropped of sampled": "DataLoader(data, sampler=sampler, drop_last=True)",
    "dropped of what may be shuffled": "DataLoader(data, shuffle=is_train, drop_last=True)",
    "not shuffled, no workers": "DataLoader(data, 4)",
    "workers of the machine": "DataLoader(data, shuffle=True, num_workers=os.cpu_count())",
    "not all to be seen": "DataLoader(data, shuffle=True, pin_memory=True, **options)",
    "user's loader": "MyLoader(data, shuffle=True, pin_memory=True)",
}

test_keeps = keeps("TP803", {text: HEADER + text for text in (*REPORTED, *QUIET.values())})


@pytest.mark.parametrize(("text", "message"), REPORTED.items())
def test_advice(text: str, message: str) -> None:
    (found,) = advice("TP803", HEADER + text)
    assert message in found.message


@pytest.mark.parametrize("name", QUIET)
def test_says_nothing(name: str) -> None:
    assert not advice("TP803", HEADER + QUIET[name])


def test_is_off_unless_asked_for() -> None:
    assert [rule.name for rule in select(["TP803"])] == ["loader-arguments"]
    assert "loader-arguments" not in {rule.name for rule in select([])}
