from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.finding import Numerics

#: One step of training; what is done with the loss goes where the body stands.
_STEP = """
import numpy as np
import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F

criterion = nn.CrossEntropyLoss()

def train(model, optimizer, loader, args):
    total, losses, running = 0, [], 0.0
    sums, log = {"loss": 0.0}, {"steps": []}
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        data = criterion(model(x), y)
        size = sum(p.pow(2).sum() for p in model.parameters())
        loss = data + args.decay * F.mse_loss(x, x)
        loss.backward()
        optimizer.step()
        BODY
    REST
"""


def _step(body: str, rest: str = "print(total)") -> str:
    return (
        textwrap.dedent(_STEP)
        .replace("BODY", textwrap.indent(textwrap.dedent(body).strip(), " " * 8).strip())
        .replace("REST", textwrap.indent(textwrap.dedent(rest).strip(), " " * 4).strip())
    )


def _steps(pairs: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, str]]:
    return {name: (_step(p[0], *p[2:]), _step(p[1], *p[2:])) for name, p in pairs.items()}


test_rewrites = rewrites(
    "TP105",
    {
        **_steps(
            {
                "a sum": ("total += loss", "total += loss.detach()"),
                "written out": ("total = total + loss", "total = total + loss.detach()"),
                "the sum on the right": ("total = loss + total", "total = loss.detach() + total"),
                "weighted": ("total += loss * x.size(0)", "total += loss.detach() * x.size(0)"),
                "divided": ("total += loss / len(loader)", "total += loss.detach() / len(loader)"),
                "brought to the host": ("total += loss.cpu()", "total += loss.detach().cpu()"),
                "an average that forgets": (
                    "running = 0.9 * running + 0.1 * loss",
                    "running = 0.9 * running + 0.1 * loss.detach()",
                ),
                "a mean so far": (
                    "running = (running * step + loss) / (step + 1)",
                    "running = (running * step + loss.detach()) / (step + 1)",
                ),
                "a sum for numpy: its bits stay": (
                    "total += loss",
                    "total += loss.detach()",
                    "print(np.sqrt(total))",
                ),
                "a part of the loss": ("total += data", "total += data.detach()"),
                "two parts at once": (
                    "total += (data + loss) / 2",
                    "total += (data.detach() + loss.detach()) / 2",
                ),
                "set back every hundred steps": (
                    """
                    running += loss
                    if step % 100 == 0:
                        print(running / 100)
                        running = 0
                    """,
                    """
                    running += loss.detach()
                    if step % 100 == 0:
                        print(running / 100)
                        running = 0
                    """,
                ),
                "under a test": (
                    "if step % 10 == 0:\n    losses.append(loss)",
                    "if step % 10 == 0:\n    losses.append(loss.detach())",
                ),
                "an item of a dict": ('sums["loss"] += loss', 'sums["loss"] += loss.detach()'),
                "a list in a dict": (
                    'log["steps"].append(loss)',
                    'log["steps"].append(loss.detach())',
                ),
                "with the number of the step": (
                    "losses.append((step, loss))",
                    "losses.append((step, loss.detach()))",
                ),
                "in a dict of each step": (
                    'losses.append({"step": step, "loss": loss})',
                    'losses.append({"step": step, "loss": loss.detach()})',
                ),
                "a comment stays": (
                    "total += loss  # sum over the batches",
                    "total += loss.detach()  # sum over the batches",
                ),
                "in parentheses": ("losses.append((loss))", "losses.append((loss.detach()))"),
                "a list that is summed": (
                    "losses.append(loss)",
                    "losses.append(loss.detach())",
                    "return sum(losses) / len(losses)",
                ),
                "a list that is stacked": (
                    "losses.append(loss)",
                    "losses.append(loss.detach())",
                    "print(torch.stack(losses).mean())",
                ),
                "a list that is returned": (
                    "losses.append(loss)",
                    "losses.append(loss.detach())",
                    "return losses",
                ),
                "a list whose numbers are taken": (
                    "losses.append(loss)",
                    "losses.append(loss.detach())",
                    "print(sum([l.item() for l in losses]))",
                ),
                "a list for numpy": (
                    "losses.append(loss)",
                    "losses.append(loss.item())",
                    "return np.mean(losses)",
                ),
                "the end of a list for numpy": (
                    "losses.append(loss)",
                    "losses.append(loss.item())",
                    "print(len(losses), np.mean(losses[-10:]), f'{losses[-1]:.3f}')",
                ),
                "a list for matplotlib": (
                    "losses.append(loss)",
                    "losses.append(loss.item())",
                    "plt.plot(losses, label='loss')",
                ),
                "a list for numpy and for sum(): its bits stay": (
                    "losses.append(loss)",
                    "losses.append(loss.detach())",
                    "return np.mean(losses), sum(losses)",
                ),
                "a list for numpy that is turned around": (
                    "losses.append(loss)",
                    "losses.append(loss.detach())",
                    "losses.reverse()\nreturn np.mean(losses)",
                ),
                "a list for numpy and for somebody's print": (
                    "losses.append(loss)",
                    "losses.append(loss.detach())",
                    "def print(x):\n    x[0].show()\nprint(losses)\nreturn np.mean(losses)",
                ),
                "beside a value without a graph": (
                    "total += loss + F.mse_loss(x, x).detach()",
                    "total += loss.detach() + F.mse_loss(x, x).detach()",
                ),
                "a loss that is scaled later, for numpy": (
                    "losses.append(loss)\nloss /= 10",
                    "losses.append(loss.detach())\nloss /= 10",
                    "return np.mean(losses)",
                ),
            }
        ),
        "before backward, in a with, at module level": (
            """
            import torch, torch.nn as nn
            model, criterion = nn.Linear(2, 2), nn.MSELoss()
            total = torch.zeros(1)
            for x in batches:
                with torch.autograd.detect_anomaly():
                    loss = criterion(model(x), x)
                    (loss / 4).backward()
                total += loss
            print(total.item())
            """,
            """
            import torch, torch.nn as nn
            model, criterion = nn.Linear(2, 2), nn.MSELoss()
            total = torch.zeros(1)
            for x in batches:
                with torch.autograd.detect_anomaly():
                    loss = criterion(model(x), x)
                    (loss / 4).backward()
                total += loss.detach()
            print(total.item())
            """,
        ),
        "attributes": (
            """
            import torch.nn as nn
            import matplotlib.pyplot as plt
            class Agent(object):
                def __init__(self, net):
                    self.net, self.criterion = net, nn.MSELoss()
                    self.total, self.costs, self.kept = 0, [], []
                def learn(self, x, y):
                    loss = self.criterion(self.net(x), y)
                    loss.backward()
                    self.total += loss
                    self.costs.append(loss)
                    self.kept.append(loss)
                def plot(self):
                    plt.plot(range(len(self.costs)), self.costs)
            """,
            """
            import torch.nn as nn
            import matplotlib.pyplot as plt
            class Agent(object):
                def __init__(self, net):
                    self.net, self.criterion = net, nn.MSELoss()
                    self.total, self.costs, self.kept = 0, [], []
                def learn(self, x, y):
                    loss = self.criterion(self.net(x), y)
                    loss.backward()
                    self.total += loss.detach()
                    self.costs.append(loss.item())
                    self.kept.append(loss.detach())
                def plot(self):
                    plt.plot(range(len(self.costs)), self.costs)
            """,
        ),
        "a gradient is given to backward": (
            """
            import torch.nn.functional as F
            def train(net_d, one, loader):
                total = 0
                for x in loader:
                    error = F.softplus(net_d(x)).mean(0)
                    error.backward(one)
                    total += error
                return total
            """,
            """
            import torch.nn.functional as F
            def train(net_d, one, loader):
                total = 0
                for x in loader:
                    error = F.softplus(net_d(x)).mean(0)
                    error.backward(one)
                    total += error.detach()
                return total
            """,
        ),
        "shown on the bar that the batches come through": (
            """
            import torch.nn.functional as F
            from tqdm import tqdm
            def train(node, loader):
                total = 0.0
                with tqdm(loader) as steps:
                    for i, (x, y) in enumerate(steps):
                        loss = F.cross_entropy(node.net(x), y)
                        loss.backward()
                        total += loss
                        steps.set_description("%.4f" % (total / (i + 1)))
            """,
            """
            import torch.nn.functional as F
            from tqdm import tqdm
            def train(node, loader):
                total = 0.0
                with tqdm(loader) as steps:
                    for i, (x, y) in enumerate(steps):
                        loss = F.cross_entropy(node.net(x), y)
                        loss.backward()
                        total += loss.detach()
                        steps.set_description("%.4f" % (total / (i + 1)))
            """,
        ),
        "a part that is added to the loss": (
            """
            import torch.nn.functional as F
            def train(model, loader):
                penalties = 0
                for x, y in loader:
                    loss = F.mse_loss(model(x), y)
                    penalty = F.l1_loss(model(x), y)
                    loss += 0.1 * penalty
                    loss.backward()
                    penalties += penalty
                return penalties
            """,
            """
            import torch.nn.functional as F
            def train(model, loader):
                penalties = 0
                for x, y in loader:
                    loss = F.mse_loss(model(x), y)
                    penalty = F.l1_loss(model(x), y)
                    loss += 0.1 * penalty
                    loss.backward()
                    penalties += penalty.detach()
                return penalties
            """,
        ),
        "several numbers in a tensor, for numpy": (
            """
            import numpy as np
            import torch.nn.functional as F
            def train(model, loader, ones):
                losses = []
                for x, y in loader:
                    loss = F.mse_loss(model(x), y, reduction="none")
                    loss.backward(ones)
                    losses.append(loss)
                return np.mean(losses)
            """,
            """
            import numpy as np
            import torch.nn.functional as F
            def train(model, loader, ones):
                losses = []
                for x, y in loader:
                    loss = F.mse_loss(model(x), y, reduction="none")
                    loss.backward(ones)
                    losses.append(loss.detach())
                return np.mean(losses)
            """,
        ),
        "a global list": (
            """
            import torch.nn.functional as F
            losses = []
            def step(model, x, y):
                loss = F.mse_loss(model(x), y)
                loss.backward()
                losses.append(loss)
            """,
            """
            import torch.nn.functional as F
            losses = []
            def step(model, x, y):
                loss = F.mse_loss(model(x), y)
                loss.backward()
                losses.append(loss.detach())
            """,
        ),
        "the sum of an epoch goes on": (
            """
            import torch.nn.functional as F
            def train(model, loader):
                total = 0.0
                for x, y in loader:
                    loss = F.mse_loss(model(x), y)
                    loss.backward()
                    total += loss
                total /= len(loader)
                return total
            def main(model, loader):
                for epoch in range(10):
                    average = train(model, loader)
                    print('%.3f' % average)
            """,
            """
            import torch.nn.functional as F
            def train(model, loader):
                total = 0.0
                for x, y in loader:
                    loss = F.mse_loss(model(x), y)
                    loss.backward()
                    total += loss.detach()
                total /= len(loader)
                return total
            def main(model, loader):
                for epoch in range(10):
                    average = train(model, loader)
                    print('%.3f' % average)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP105",
    {
        **{
            name: _step(*lines)
            for name, lines in {
                "a number already": ("total += loss.item()",),
                "detached already": ("total += loss.detach()",),
                ".data": ("total += loss.data",),
                "float()": ("total += float(loss)",),
                "under no_grad": ("with torch.no_grad():\n    total += loss",),
                "not backward's loss": ("total += F.l1_loss(model(x), x)",),
                "with a term that has a graph of its own": ("total += loss + model(x).sum()",),
                "a tensor that is not part of the loss": ("total += size",),
                "a sum that is back-propagated": ("total += loss", "total.backward()"),
                "an average that is": ("total += loss", "mean = total / 3\nmean.backward()"),
                "a list that is": ("losses.append(loss)", "sum(losses).backward()"),
                "a stack that is": (
                    "losses.append(loss)",
                    "policy_loss = torch.stack(losses).sum()\npolicy_loss.backward()",
                ),
                "each of a list": ("losses.append(loss)", "for l in losses:\n    l.backward()"),
                "each in a comprehension": (
                    "losses.append(loss)",
                    "[l.backward() for l in losses]",
                ),
                "through another list": (
                    "losses.append(loss)",
                    "both = []\nboth.append(losses)\ntorch.cat(both[0]).sum().backward()",
                ),
                "grad of the sum": ("total += loss", "torch.autograd.grad(total, model.weight)"),
                "scaled": ("total += loss", "args.scaler.scale(total).backward()"),
                "given to somebody's backward": ("total += loss", "args.engine.backward(total)"),
                "asked for its graph": ("total += loss", "print(total.requires_grad)"),
                "what the next step replaces": ('log["last"] = loss\nsums["loss"] = loss',),
                "only a last value": ("last = loss\nrunning = loss + 1",),
                "a sum of this step": ("both = 0\nboth += loss\nboth = both + loss\nprint(both)",),
                "a list of this step": ("now = []\nnow.append(loss)\nprint(now)",),
                "a dict of this step": ("now = {}\nnow[step] = loss\nprint(now)",),
                "times": ("total *= loss\nrunning = running * loss",),
                "a user's meter": ("args.meter += loss\nargs.meter.append(loss)",),
                "a user's sum": ("args.meter = args.meter + loss\nargs.sums[step] += loss",),
                "unknown receiver": ("model.history.append(loss)",),
                "not append's form": (
                    "losses.insert(0, loss)\nlosses.append(*[loss])\nlosses.append()",
                ),
            }.items()
        },
        "steps in time": """
            import torch.nn as nn
            criterion = nn.NLLLoss()
            def train(rnn, line, target):
                hidden, loss = rnn.initHidden(), 0
                for i in range(line.size(0)):
                    output, hidden = rnn(line[i], hidden)
                    loss += criterion(output, target[i])
                loss.backward()
                return loss.item() / line.size(0)
            """,
        "a sum of parts, back-propagated": """
            import torch.nn.functional as F
            def train(model, loader):
                for x, y in loader:
                    loss = 0
                    for head in model.heads:
                        part = F.mse_loss(head(x), y)
                        loss = loss + part
                    loss.backward()
            """,
        "gradients of several batches": """
            import torch.nn.functional as F
            def train(model, loader, optimizer):
                total = 0
                for i, (x, y) in enumerate(loader):
                    total += F.mse_loss(model(x), y)
                    if i % 4 == 3:
                        total.backward()
                        optimizer.step()
                        total = 0
            """,
        "only the last one is back-propagated": """
            import torch.nn.functional as F
            def train(model, loader):
                losses = []
                for x, y in loader:
                    loss = F.mse_loss(model(x), y)
                    losses.append(loss)
                loss.backward()
                return losses
            """,
        "only sometimes back-propagated": """
            import torch.nn.functional as F
            def train(model, loader, warm):
                losses = []
                for x, y in loader:
                    loss = F.mse_loss(model(x), y)
                    if warm:
                        loss.backward()
                    else:
                        losses.append(loss)
                return losses
            """,
        "the graph is retained": """
            import torch.nn.functional as F
            def train(model, loader):
                total = 0
                for x, y in loader:
                    loss = F.mse_loss(model(x), y)
                    loss.backward(retain_graph=True)
                    total += loss
                return total
            """,
        "backward with unknown arguments": """
            import torch.nn.functional as F
            def train(model, loader, **kwargs):
                total = 0
                for x, y in loader:
                    loss = F.mse_loss(model(x), y)
                    loss.backward(**kwargs)
                    total += loss
                return total
            """,
        "another loss of that name by then": """
            import torch.nn.functional as F
            def train(model, loader):
                total = 0
                for x, y in loader:
                    loss = F.mse_loss(model(x), y)
                    loss.backward()
                    loss = F.l1_loss(model(x), y)
                    total += loss
                return total
            """,
        "the caller back-propagates": """
            import torch
            def train(w, loader):
                total = 0
                for x in loader:
                    loss = (w + x).sum()
                    loss.backward()
                    total += loss
                mean = total / 3
                return mean
            def main(w, loader):
                train(w, loader).backward()
            """,
        "the caller of the caller does": """
            import torch
            def train(w, loader):
                total = 0
                for x in loader:
                    loss = (w + x).sum()
                    loss.backward()
                    total += loss
                return total, len(loader)
            def both(w, loader):
                first, n = train(w, loader)
                return first / n
            def main(w, loader):
                loss = both(w, loader)
                loss.backward()
            """,
        "a function does it": """
            import torch
            def finish(value):
                value.backward()
            def train(w, loader):
                total = 0
                for x in loader:
                    loss = (w + x).sum()
                    loss.backward()
                    total += loss
                finish(total)
            """,
        "another method does it": """
            import torch.nn.functional as F
            class Trainer(object):
                def __init__(self):
                    self.total, self.losses = 0, []
                def step(self, x, y):
                    loss = F.mse_loss(x, y)
                    loss.backward()
                    self.total += loss
                    self.losses.append(loss)
                def finish(self):
                    self.total.backward()
                    both = sum(self.losses)
                    both.backward()
            """,
        "yielded and back-propagated": """
            import torch
            def steps(w, loader):
                total = 0
                for x in loader:
                    loss = (w + x).sum()
                    loss.backward()
                    total += loss
                    yield total
            def main(w, loader):
                for loss in steps(w, loader):
                    loss.backward()
            """,
        "returned by training_step": """
            import torch.nn.functional as F
            class Model(object):
                def training_step(self, batch):
                    loss = F.mse_loss(self(batch), batch)
                    logs = {"loss": loss}
                    return {"loss": loss, "log": logs}
            """,
        "another library's loss": """
            import mxnet as mx
            from mxnet import autograd
            def train(net, criterion, loader):
                # as in torch
                total = 0
                for x, y in loader:
                    with autograd.record():
                        loss = criterion(net(x), y)
                    loss.backward()
                    total += loss
                return total
            """,
        "a loss that may be another library's": """
            import paddle
            import torch
            def train(net, criterion, loader):
                total = 0
                for x, y in loader:
                    loss = criterion(net(x), y)
                    loss.backward()
                    total += loss
                return total
            """,
        "losses of a GAN": """
            import torch.nn as nn
            criterion = nn.BCELoss()
            def train(net_d, loader, fake, real_label, fake_label):
                for x in loader:
                    errD_real = criterion(net_d(x), real_label)
                    errD_real.backward()
                    errD_fake = criterion(net_d(fake), fake_label)
                    errD_fake.backward()
                    errD = errD_real + errD_fake
                    print(errD)
            """,
        "lists of a policy gradient": """
            import torch
            from torch.distributions import Categorical
            def select_action(policy, state):
                m = Categorical(policy(state))
                action = m.sample()
                policy.saved_log_probs.append(m.log_prob(action))
                return action.item()
            def finish_episode(policy, returns):
                policy_loss = []
                for log_prob, R in zip(policy.saved_log_probs, returns):
                    policy_loss.append(-log_prob * R)
                policy_loss = torch.cat(policy_loss).sum()
                policy_loss.backward()
            """,
        "a number of a helper": """
            import torch
            def step(model, x):
                loss = model(x).mean()
                loss.backward()
                return loss.item()
            def train(model, loader):
                loss_history = []
                for x in loader:
                    loss = step(model, x)
                    loss_history.append(loss)
                return loss_history
            """,
        "a backward of this file": """
            import torch
            class Cost(object):
                def backward(self):
                    pass
            def train(costs):
                total = 0
                for cost in costs:
                    loss = cost.copy()
                    loss.backward()
                    total += loss
                return total
            """,
        "a sum that nobody knows": """
            import torch.nn.functional as F
            def train(model, loader, total, stats):
                for x, y in loader:
                    loss = F.mse_loss(model(x), y)
                    loss.backward()
                    total += loss
                    stats.append(loss)
                return total
            """,
        "no loop": """
            import torch.nn.functional as F
            def step(model, x, y):
                total, losses = 0, []
                loss = F.mse_loss(model(x), y)
                loss.backward()
                total += loss
                losses.append(loss)
                return total, losses
            """,
        "a class with append": """
            import torch.nn.functional as F
            class Meter(object):
                def append(self, value):
                    self.value = value
            def train(model, loader):
                meter = Meter()
                for x, y in loader:
                    loss = F.mse_loss(model(x), y)
                    loss.backward()
                    meter.append(loss)
            """,
        "closures of an optimizer": """
            import torch.nn.functional as F
            def train(model, loader, optimizer):
                total = 0
                for x, y in loader:
                    def closure():
                        loss = F.mse_loss(model(x), y)
                        loss.backward()
                        return loss
                    loss = optimizer.step(closure)
                    total += loss
                return total
            """,
    },
)


@pytest.mark.parametrize("rest", ["return np.mean(losses)", "plt.plot(losses)"])
def test_what_numpy_refuses_today_is_restored(rest: str) -> None:
    (found,) = migrate(_step("losses.append(loss)", rest), "TP105").findings
    assert found.numerics is Numerics.RESTORED
    assert found.message == "numpy and matplotlib need numbers: add .item()"


def test_sums_keep_their_bits() -> None:
    (found,) = migrate(_step("total += loss"), "TP105").findings
    assert found.numerics is Numerics.IDENTICAL


@pytest.mark.parametrize("read_elsewhere", ["Agent", "losses"])
def test_a_list_that_other_files_read_stays_a_list_of_tensors(read_elsewhere: str) -> None:
    text = textwrap.dedent(
        """
        import numpy as np
        import torch.nn.functional as F
        losses = []
        class Agent(object):
            def __init__(self):
                self.costs = []
            def learn(self, x, y):
                loss = F.mse_loss(x, y)
                loss.backward()
                self.costs.append(loss)
                losses.append(loss)
            def mean(self):
                return np.mean(self.costs), np.mean(losses)
        """
    )
    alone = migrate(text, "TP105").text
    assert "self.costs.append(loss.item())" in alone
    assert "  losses.append(loss.item())" in alone
    options = Options(used_elsewhere=lambda name: name == read_elsewhere)
    used = migrate(text, "TP105", options=options).text
    is_list = read_elsewhere == "losses"
    assert ("self.costs.append(loss.detach())" in used) is not is_list
    assert ("  losses.append(loss.detach())" in used) is is_list


_ANEW = """import torch.nn.functional as F
def train(model, loader):
    total = 0
    for i, (x, y) in enumerate(loader):
        loss = F.mse_loss(model(x), y)
        loss.backward()
        total = total + loss
        if i % 10 == 0:
            print(total / 10)
            {often}
        {always}
"""


def test_a_sum_that_starts_anew_in_each_step_keeps_no_graphs() -> None:
    text = _ANEW.format(often="print(i)", always="total = 0")
    assert migrate(text, "TP105").text == text


def test_a_sum_that_starts_anew_sometimes_keeps_the_graphs_until_then() -> None:
    text = _ANEW.format(often="total = 0", always="print(i)")
    assert "total = total + loss.detach()" in migrate(text, "TP105").text
