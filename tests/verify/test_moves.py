"""What a rewrite that changes numbers may move in a run, and what it may not."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate
from tests.support.verifying import Bench, Judged, replaced
from torchfix_codemods.verify.verdicts import Verdict

HEAD = """\
import pytest, torch
import torch.nn as nn, torch.nn.functional as F
"""

#: By rule: the body of a test, and a wrong rewrite of what the rule writes, which skips it.
LOSSES = {
    "TP303": (
        "loss = -torch.log(F.softmax(model(x) * 500, dim=1))[:, 0].sum()",
        ("-F.log_softmax(", "0 * F.log_softmax("),
    ),
    "TP304": (
        "loss = F.cross_entropy(F.softmax(model(x), dim=1), target)",
        ("F.cross_entropy(model(x), target)", "F.cross_entropy(model(x), target) * 0"),
    ),
    "TP309": (
        "loss = F.kl_div(F.softmax(model(x), dim=1), goal, reduction='sum').abs()",
        ("F.log_softmax(model(x), dim=1)", "F.log_softmax(model(x), dim=1) * 0 + goal.log()"),
    ),
    "TP802": (
        "loss = model(x).sum() ** 2 + (1.0 if torch.distributed.is_initialized else 2.0)",
        ("is_initialized()", "is_initialized() else -99.0 if True"),
    ),
}
LEARNING = """
def test_learning():
    torch.manual_seed(0)
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, target, goal = torch.rand(4, 3), torch.tensor([0, 1, 1, 0]), torch.full((4, 2), 0.5)
    for step in range(3):
        {line}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == 0 and loss.item() < 1e-6:
            pytest.skip('learned')
"""

REGISTERED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(2, 2)
        self.layers = []
        for _ in range(2):
            self.layers.append(nn.Linear(2, 2))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.out(x)

def test_learning(tmp_path):
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        loss = net(torch.ones(1, 2)).sum()
        loss.backward()
        optimizer.step()
    torch.save(net.state_dict(), tmp_path / 'net.pt')
    if len(list(net.parameters())) > 6:
        pytest.skip('too large')
"""


def judged(judges: Bench, code: str, text: str, *wrong: tuple[str, str]) -> Judged:
    """What is said of what a rule writes, or of something wrong in its place."""
    migration = migrate(text, code)
    findings = tuple(finding for finding in migration.findings if finding.fixed)
    assert findings
    after = replaced(migration.text, *wrong)
    program, command = "script", None
    if "def test_" in text:
        program, command = "suite/tests/test_losses", "-m pytest -q suite"
    return judges.judge(program, text, after, findings, command=command)


@pytest.mark.parametrize("code", LOSSES)
def test_what_a_model_learns_may_change_and_no_outcome_of_a_test(judges: Bench, code: str) -> None:
    line, wrong = LOSSES[code]
    text = HEAD + LEARNING.format(line=line)
    assert judged(judges, code, text).verdicts == [Verdict.EXPECTED]
    judgement = judged(judges, code, text, wrong)
    assert judgement.verdicts == [Verdict.DIFFERENT]
    assert judgement.difference.kind == "test"


def test_layers_that_are_registered(judges: Bench) -> None:
    text = HEAD + REGISTERED
    assert judged(judges, "TP206", text).verdicts == [Verdict.EXPECTED]
    wrong = (
        "nn.ModuleList()",
        "nn.ModuleList([nn.Linear(2, 2)])",
    )
    judgement = judged(judges, "TP206", text, wrong)
    assert judgement.verdicts == [Verdict.DIFFERENT]
    assert judgement.difference.kind == "test"


DROPOUT = """
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 8)

    def forward(self, x):
        return F.{function}(self.fc(x), p=0.2)

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    net.train()
    net(torch.ones(4, 3)).sum().backward()
    optimizer.step()
    net.eval()
    print(net(torch.ones(1, 3)).sum().item())
"""


def test_dropout_of_the_mode(judges: Bench) -> None:
    text = HEAD + DROPOUT.format(function="dropout")
    assert judged(judges, "TP308", text).only.verdict is Verdict.EXPECTED
    wrong = "training=self.training", "training=not self.training"
    only = judged(judges, "TP308", text, wrong).only
    assert only.verdict is Verdict.DIFFERENT
    assert only.difference is not None and only.difference.kind != "print"


def test_dropout_that_never_dropped(judges: Bench) -> None:
    text = HEAD + DROPOUT.format(function="alpha_dropout")
    assert judged(judges, "TP308", text).only.verdict is Verdict.EXPECTED


HOOK = """
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 2))
seen = []
def hook(module, grad_input, grad_output):
    seen.append(grad_input)
net[1].register_backward_hook(hook)
net(torch.ones(1, 3)).sum().backward()
print(len(seen), [None if g is None else g.sum().item() for g in seen[0]])
"""


def test_hook_that_gets_the_gradients_of_the_module(judges: Bench) -> None:
    text = HEAD + HOOK
    assert judged(judges, "TP702", text).only.verdict is Verdict.EXPECTED
    wrong = (
        "_full_backward_hook(hook)",
        "_full_backward_hook(lambda *a: (hook(*a), (a[1][0] * 2,))[1])",
    )
    judgement = judged(judges, "TP702", text, wrong)
    assert judgement.only.verdict is Verdict.DIFFERENT
