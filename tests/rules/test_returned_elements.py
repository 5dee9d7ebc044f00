"""Elements of ``x.data`` that a function returns: numbers until torch 0.3 for its callers."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_AGENT = """import torch
from torch import nn
from torch.autograd import Variable

class Agent:
    def __init__(self):
        self.net = nn.Linear(3, 2)

    def act(self, state):
        q = self.net(Variable(state.view(1, 3), volatile=True))
        {line}
"""
_PLAIN = "return q.max(1)[1].data[0]"


def _agent(folder: Path, line: str, play: str) -> str:
    """What TP103 makes of a method that another file calls."""
    (folder / "agent.py").write_text(_AGENT.format(line=line.replace("\n", "\n        ")))
    below = play.replace("\n", "\n    ")
    head = "from agent import Agent\nagent = Agent()\ndef play(env, names, state, kept):\n    "
    (folder / "play.py").write_text(f"{head}{below}\n")
    migrate_file(folder / "agent.py", Settings(select=("TP103",)), write=True)
    return (folder / "agent.py").read_text().partition("volatile=True))\n")[2]


@pytest.mark.parametrize(
    ("line", "play"),
    [
        (_PLAIN, "action = agent.act(state)\nenv.step(action)"),
        (_PLAIN, "env.step(agent.act(state))"),
        (_PLAIN, "print(agent.act(state))"),
        (_PLAIN, "return {1: 'left', 0: 'right'}[agent.act(state)]"),
        ("return q.max(1)[1].data[0], 1", "action, n = agent.act(state)\nenv.step(action)"),
        ("return q.max(1)[1].data[0], 1", "env.step(agent.act(state)[0])"),
        ("best = q.max(1)[1].data[0]\n        return best", "env.step(agent.act(state))"),
    ],
)
def test_the_caller_gets_a_number(tmp_path: Path, line: str, play: str) -> None:
    after = _agent(tmp_path, line.replace("\n        ", "\n"), play)
    assert ".max(1)[1][0].item()" in after


@pytest.mark.parametrize(
    ("line", "play"),
    [
        # Whoever asks for the number has a tensor.
        (_PLAIN, "action = agent.act(state)\nprint(action)\nenv.step(action.item())"),
        # A row is none.
        ("return q.data[0]", "env.step(agent.act(state))"),
        # Nobody sees where it goes, or what another agent gives.
        (_PLAIN, "kept.act(state)"),
        (_PLAIN, "agent.act(state)"),
        ("return q.max(1)[1].data[0], 1", "env.step(agent.act(state)[1])"),
        # What is calculated with it is the same.
        (_PLAIN, "return agent.act(state) + torch.ones(2)"),
    ],
)
def test_what_no_caller_misses_stays(tmp_path: Path, line: str, play: str) -> None:
    assert ".item()" not in _agent(tmp_path, line, play)
