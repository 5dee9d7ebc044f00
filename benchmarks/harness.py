"""Compares what `torchfix verify` costs with what the program costs that it runs.

The program trains a small convolutional network. Two things are measured, each with the plain run
beside it: one run with everything recorded, start-up aside; and finding the one wrong among ten
rewrites, from the start of the command to its verdicts.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed import HEADINGS, ROW, Target
from torchfix_codemods.verify.command import parse_command
from torchfix_codemods.verify.hunks import Change, FileChange
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.runs import Runner
from torchfix_codemods.verify.verdicts import FAILED
from torchfix_codemods.verify.verify import verify

OVERHEAD = Target("<=", 1.3)
BISECTING = Target("<=", 8)

BEFORE = """\
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 10, 5)
        self.conv2 = nn.Conv2d(10, 20, 5)
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.conv2(x), 2))
        x = x.view(-1, 320)

        x = F.relu(self.fc1(x))
        x = self.fc2(x)

        return F.log_softmax(x, 1)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.5)
images = torch.randn(1024, 1, 28, 28)

labels = torch.randint(0, 10, (1024,))
for epoch in range(3):
    total = 0.0
    for start in range(0, 1024, 64):
        optimizer.zero_grad()
        output = net(images[start:start + 64])

        loss = F.nll_loss(output, labels[start:start + 64])
        loss.backward()
        optimizer.step()

        total += loss.data.sum()

    print(epoch, float(total))
    correct = (net(images).data.max(1)[1] == labels).sum()

    print(float(correct))
"""

#: Ten changes that are right but for one.
EDITS = (
    ("x = x.view(-1, 320)", "x = x.reshape(-1, 320)"),
    ("F.log_softmax(x, 1)", "F.log_softmax(x, dim=1)"),
    ("super(Net, self)", "super()"),
    ("images = torch.randn(1024, 1, 28, 28)", "images = torch.randn((1024, 1, 28, 28))"),
    ("labels = torch.randint(0, 10, (1024,))", "labels = torch.randint(high=10, size=(1024,))"),
    ("total = 0.0", "total = float(0)"),
    ("output = net(images[start:start + 64])", "output = net(images.narrow(0, start, 64))"),
    ("labels[start:start + 64])", "labels[start:start + 64], reduction='sum')"),
    ("loss.data.sum()", "loss.detach().sum()"),
    ("net(images).data.max(1)[1]", "net(images).detach().argmax(1)"),
)


def main() -> int:
    """Measure some rounds, print the ratios and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.harness", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often all is done")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when it misses")
    options = parser.parse_args()
    rounds = [_round() for _ in range(options.rounds)]
    print(ROW.format(*HEADINGS))
    names = ("a run that is recorded / a plain one", "one wrong among ten / a plain run")
    all_met = True
    for name, target, ratios in zip(
        names, (OVERHEAD, BISECTING), zip(*rounds, strict=True), strict=True
    ):
        median = statistics.median(ratios)
        is_met = target.is_met_by(median)
        all_met &= is_met
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        verdict = "met" if is_met else "MISSED"
        print(ROW.format(name, f"{median:.2f}", spread, str(target), verdict))
    return 1 if options.strict and not all_met else 0


def _round() -> Sequence[float]:
    after = BEFORE
    for old, new in EDITS:
        assert after.count(old) == 1, old
        after = after.replace(old, new)
    with tempfile.TemporaryDirectory(prefix="torchfix-harness-") as name:
        folder = Path(name)
        (folder / "main.py").write_text(BEFORE, encoding="utf-8")
        command = parse_command([sys.executable, "main.py"])
        with Runner(folder, command, folder, {"threads": 1, "timeout": 600}) as runner:
            plain = runner.run({}, {}, plain=True).seconds
            recorded = runner.run({}, {}).seconds
        started = time.monotonic()
        subprocess.run([sys.executable, "main.py"], cwd=folder, check=True, capture_output=True)
        alone = time.monotonic() - started
        change = Change([FileChange("main.py", BEFORE, after)])
        assert len(change.hunks) == len(EDITS)
        result = verify(change, command, folder, folder, VerifyOptions())
    wrong = [j.line for j in result.judgements if j.verdict in FAILED]
    lines = BEFORE.splitlines()
    assert [lines[line - 1].strip().startswith("loss = F.nll") for line in wrong] == [True], wrong
    return recorded / plain, result.seconds / alone


if __name__ == "__main__":
    sys.exit(main())
