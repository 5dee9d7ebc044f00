from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings


def _told(index: str, tensor: str, item: str) -> str:
    """What is said of an index into what may hold one number."""
    return (
        f"{index} raises where {tensor} has no dimensions, as single numbers since torch 0.4: "
        f"write {item}"
    )


test_rewrites = rewrites(
    "TP103",
    {
        "loss of a function": (
            """
            import torch.nn.functional as F
            loss = F.nll_loss(output, target)
            total += loss.data[0]
            """,
            """
            import torch.nn.functional as F
            loss = F.nll_loss(output, target)
            total += loss.item()
            """,
        ),
        "of a list of losses that another function reads": (
            """
            import torch.nn as nn
            def main(loader, net, n):
                criteria = []
                for i in range(n):
                    criteria.append(nn.CrossEntropyLoss())
                train(loader, net, criteria)
                validate(loader, net, criteria[0])
            def train(loader, net, criteria):
                for x, y in loader:
                    for criterion in criteria:
                        criterion(net(x), y).backward()
            def validate(loader, net, criterion):
                for x, y in loader:
                    print(criterion(net(x), y).data[0])
            """,
            """
            import torch.nn as nn
            def main(loader, net, n):
                criteria = []
                for i in range(n):
                    criteria.append(nn.CrossEntropyLoss())
                train(loader, net, criteria)
                validate(loader, net, criteria[0])
            def train(loader, net, criteria):
                for x, y in loader:
                    for criterion in criteria:
                        criterion(net(x), y).backward()
            def validate(loader, net, criterion):
                for x, y in loader:
                    print(criterion(net(x), y).item())
            """,
        ),
        "what is called backward on": (
            """
            import torch
            def step(model, batch):
                loss = model(batch)
                loss.backward()
                return loss.data[0]
            """,
            """
            import torch
            def step(model, batch):
                loss = model(batch)
                loss.backward()
                return loss.item()
            """,
        ),
        "what is unknown and a number of numpy": (
            """
            import numpy as np
            import torch
            def step(model, batch):
                loss = (model(batch) + np.log(2.0)).mean()
                loss.backward()
                return loss.data[0]
            """,
            """
            import numpy as np
            import torch
            def step(model, batch):
                loss = (model(batch) + np.log(2.0)).mean()
                loss.backward()
                return loss.item()
            """,
        ),
        "criterion in a dict": (
            """
            import torch.nn as nn
            criterion = {"a": nn.MSELoss(), "b": nn.L1Loss()}
            print(criterion["a"](x, y).data[0])
            """,
            """
            import torch.nn as nn
            criterion = {"a": nn.MSELoss(), "b": nn.L1Loss()}
            print(criterion["a"](x, y).item())
            """,
        ),
        "weighted by an option": (
            """
            import argparse
            import torch.nn.functional as F
            args = argparse.ArgumentParser().parse_args()
            loss = F.mse_loss(a, b) + args.weight * F.l1_loss(a, b)
            print(loss.data[0])
            """,
            """
            import argparse
            import torch.nn.functional as F
            args = argparse.ArgumentParser().parse_args()
            loss = F.mse_loss(a, b) + args.weight * F.l1_loss(a, b)
            print(loss.item())
            """,
        ),
        "through numpy and lists": (
            """
            import torch.nn.functional as F
            loss = F.mse_loss(a, b)
            print(loss.data.cpu().numpy()[0], loss.cpu().data.numpy()[0], loss.data.tolist()[0])
            """,
            """
            import torch.nn.functional as F
            loss = F.mse_loss(a, b)
            print(loss.item(), loss.item(), loss.item())
            """,
        ),
        "sum that starts as 0": (
            """
            import torch.nn.functional as F
            total = 0
            for x, y in pairs:
                total += F.mse_loss(x, y).data
            print(total[0] / 5)
            """,
            """
            import torch.nn.functional as F
            total = 0
            for x, y in pairs:
                total += F.mse_loss(x, y).data
            print(total.item() / 5)
            """,
        ),
        "arithmetic keeps its parentheses": (
            """
            import torch.nn.functional as F
            print((F.mse_loss(a, b) / 2).data[0])
            """,
            """
            import torch.nn.functional as F
            print((F.mse_loss(a, b) / 2).item())
            """,
        ),
        "call over several lines": (
            """
            import torch.nn.functional as F
            total += F.binary_cross_entropy(
                output,  # after sigmoid
                target).data[0]
            """,
            """
            import torch.nn.functional as F
            total += F.binary_cross_entropy(
                output,  # after sigmoid
                target).item()
            """,
        ),
        "inside an f-string": (
            """
            import torch.nn.functional as F
            loss = F.mse_loss(a, b)
            print(f"{loss.data[0]:.2f}")
            """,
            """
            import torch.nn.functional as F
            loss = F.mse_loss(a, b)
            print(f"{loss.item():.2f}")
            """,
        ),
        "first of the indices that a maximum kept in two dimensions": (
            """
            import torch
            import torch.nn as nn
            net = nn.Linear(3, 4)
            _, label = torch.max(net(torch.ones(2, 3)), 1)
            print(words[label.data[0][0]], label.cpu().data[i + 1][0])
            """,
            """
            import torch
            import torch.nn as nn
            net = nn.Linear(3, 4)
            _, label = torch.max(net(torch.ones(2, 3)), 1)
            print(words[label.data[0].item()], label.cpu().data[i + 1][0])
            """,
        ),
        "metric of a function of the file": (
            """
            import torch
            def accuracy(output, target, topk):
                pred = output.topk(3, 1)[1].t()
                correct = pred.eq(target.view(1, -1).expand_as(pred))
                res = []
                for k in topk:
                    res.append(correct[:k].view(-1).float().sum(0).mul_(2.5))
                return res
            prec1, prec3 = accuracy(output.data, target, (1, 3))
            print(prec1[0], prec3[0])
            """,
            """
            import torch
            def accuracy(output, target, topk):
                pred = output.topk(3, 1)[1].t()
                correct = pred.eq(target.view(1, -1).expand_as(pred))
                res = []
                for k in topk:
                    res.append(correct[:k].view(-1).float().sum(0).mul_(2.5))
                return res
            prec1, prec3 = accuracy(output.data, target, (1, 3))
            print(prec1.item(), prec3.item())
            """,
        ),
        "one element, or none to index": (
            """
            import torch
            import torch.nn.functional as F
            def loss_of(target, logits):
                if target.size():
                    loss = F.cross_entropy(logits, target)
                else:
                    loss = torch.FloatTensor([0])
                return loss
            print(loss_of(x, y).data.cpu()[0], loss_of(x, y).data[0])
            """,
            """
            import torch
            import torch.nn.functional as F
            def loss_of(target, logits):
                if target.size():
                    loss = F.cross_entropy(logits, target)
                else:
                    loss = torch.FloatTensor([0])
                return loss
            print(loss_of(x, y).item(), loss_of(x, y).item())
            """,
        ),
    },
)

_AS_NUMBER = """import torch
from torch.autograd import Variable
x = Variable(torch.zeros(1), requires_grad=True)
def f(net, batch):
    loss = net(batch)
    loss.backward()
    return {}
"""


@pytest.mark.parametrize(
    ("wanted", "expected", "claim"),
    [
        ('"%f" % x.data.numpy()', '"%f" % x.item()', Numerics.RESTORED),
        ("float(x.detach().cpu().numpy())", "x.item()", Numerics.RESTORED),
        (
            '"%d %f" % (1, loss.cpu().data.numpy())',
            '"%d %f" % (1, loss.item())',
            Numerics.IDENTICAL,
        ),
    ],
)
def test_an_array_that_has_to_be_a_number(wanted: str, expected: str, claim: Numerics) -> None:
    migration = migrate(_AS_NUMBER.format(wanted), "TP103")
    assert migration.text == _AS_NUMBER.format(expected)
    assert [finding.numerics for finding in migration.findings] == [claim]
    # Other rules do not take the array apart before.
    assert f"return {expected}\n" in migrate(_AS_NUMBER.format(wanted)).text


_OF_BATCH = """import torch
import torch.nn as nn
import torch.nn.functional as F
net = nn.Linear(3, 4)
def f(x, other):
    scores = F.softmax(net(x), dim=1)
    for row in scores:
        {}
"""


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("int(scores.argmax(1).cpu().numpy())", "scores.argmax(1).item()"),
        ("int(scores.max(1)[1].data.cpu().numpy())", "scores.max(1)[1].item()"),
        (
            "float(torch.max(scores, 1)[0].detach().numpy())",
            "float(torch.max(scores, 1)[0].item())",
        ),
        ("print('%d' % other.max(1)[1].data.numpy())", "print('%d' % other.max(1)[1].item())"),
        ("float(x.view(-1).numpy())", "float(x.view(-1).item())"),
        ("float(scores.data.float().numpy())", "scores.float().item()"),
    ],
)
def test_an_array_of_a_batch_that_has_to_be_a_number(wanted: str, expected: str) -> None:
    """Of which it is not known that it is a batch of one."""
    migration = migrate(_OF_BATCH.format(wanted), "TP103")
    assert migration.text == _OF_BATCH.format(expected)
    assert [finding.numerics for finding in migration.findings] == [Numerics.RESTORED]


@pytest.mark.parametrize(
    "wanted",
    [
        "int(scores.argmax().cpu().numpy())",
        "float(other.max(1)[0].numpy())",
        "str(scores.argmax(1).numpy())",
        "bool(scores.argmax(1).numpy().any())",
        "other(scores.argmax(1).cpu().numpy())",
        "float(np.max(other, 1)[0])",
    ],
)
def test_an_array_of_no_batch_or_of_several(wanted: str) -> None:
    text = _OF_BATCH.format(wanted)
    assert migrate(text, "TP103").text == text


_OF_LOSS = """import torch
import torch.nn as nn
criterion = nn.CrossEntropyLoss()
def f(scores: torch.Tensor, target: torch.Tensor, count):
    loss = criterion(scores, target)
    part = criterion(scores, target)
    total = part + count
    total.backward()
    return {}
"""


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("float(total.data.cpu().numpy())", "total.item()"),
        ("float(part.cpu().data.numpy())", "part.item()"),
        ("float(loss.data.cpu().numpy()) * count", "float(loss.item()) * count"),
        ("int(scores.argmax().data.numpy())", "scores.argmax().item()"),
        ("float(torch.zeros(3).sum().data.numpy())", "torch.zeros(3).sum().item()"),
        ("int(loss.data.numpy())", "int(loss.item())"),
        ("round(float(loss.data.numpy()), 2)", "round(float(loss.item()), 2)"),
        ('"%.3f %d" % (loss.data.numpy(), count)', '"%.3f %d" % (loss.item(), count)'),
        ('"{0:.2f}".format(loss.data.cpu().numpy())', '"{0:.2f}".format(loss.item())'),
        ('"{} {:.2f}".format(count, loss.data.numpy())', '"{} {:.2f}".format(count, loss.item())'),
        ('"{n} {:g}".format(loss.data.numpy(), n=1)', '"{n} {:g}".format(loss.item(), n=1)'),
        ('"{l:.2e}".format(l=loss.cpu().data.numpy())', '"{l:.2e}".format(l=loss.item())'),
        ('f"{loss.data.cpu().numpy():.4f}"', 'f"{loss.item():.4f}"'),
    ],
)
def test_an_array_without_dimensions_that_has_to_be_a_number(wanted: str, expected: str) -> None:
    migration = migrate(_OF_LOSS.format(wanted), "TP103")
    assert migration.text == _OF_LOSS.format(expected)
    assert [finding.numerics for finding in migration.findings] == [Numerics.IDENTICAL]
    assert f"return {expected}\n" in migrate(_OF_LOSS.format(wanted)).text


@pytest.mark.parametrize(
    "wanted",
    [
        "float(loss.detach().cpu().numpy())",
        "float(loss.data.cpu().numpy() / count)",
        "str(loss.data.numpy())",
        "count(loss.data.numpy())",
        '"%s" % loss.data.numpy()',
        '"{}".format(loss.data.numpy())',
        '"{!r:.4}".format(loss.data.numpy())',
        '"{0:.2f} {0}".format(loss.data.numpy())',
        '"{0.shape} {0:.2f}".format(loss.data.numpy())',
        '"{.shape} {:.2f}".format(loss.data.numpy(), loss)',
        '"{:10}".format(loss.data.numpy())',
        '"{1:.2f}".format(loss.data.numpy(), count)',
        '"{:{}f}".format(loss.data.numpy(), ".2")',
        '"{".format(loss.data.numpy())',
        '"{:.2f}".format(*loss.data.numpy())',
        '"%f, %f" % (loss.data.numpy(), target.numpy())',
        "float(loss.data.numpy()), float(target.numpy())",
        "count.format(loss.data.numpy())",
        'f"{loss.data.numpy()}"',
        'f"{loss.data.numpy()!s:.4}"',
        'f"{loss.data.numpy():{count}}"',
    ],
)
def test_an_array_without_dimensions_that_is_written_as_it_is(wanted: str) -> None:
    text = _OF_LOSS.replace("{}", "RETURNED").replace("RETURNED", wanted)
    assert migrate(text, "TP103").text == text


def test_a_number_is_written_as_its_array_was() -> None:
    text = """import torch
x = (torch.zeros(3) + 0.1).mean()
y = "%.12f" % x.data.numpy(), float(x.data.numpy()), "{:.9g}".format(x.data.numpy())
z = int(torch.tensor([1, 3]).argmax().data.numpy()), f"{x.data.numpy():.3e}"
"""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    exec(text, before)
    migrated = migrate(text, "TP103").text
    assert "numpy" not in migrated
    exec(migrated, after)
    assert (after["y"], after["z"]) == (before["y"], before["z"])
    assert [type(each) for each in after["y"] + after["z"]] == [str, float, str, int, str]


_OLD_ARRAY = """import torch
def f(label, p, several):
    if several:
        loss = p.mean()
    else:
        loss = torch.zeros(1)
    return {}
"""


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("float(label.data.numpy())", "float(label.item())"),
        ("float(label.data.cpu().float().numpy())", "label.float().item()"),
        (
            "int(torch.multinomial(p, 1).cpu().data[0].numpy())",
            "torch.multinomial(p, 1)[0].item()",
        ),
        ("float(label[0].data.cpu().numpy())", "float(label[0].item())"),
        ("'%f %f' % (loss.data.numpy(), p.data.numpy())", "'%f %f' % (loss.item(), p.item())"),
    ],
)
def test_the_data_of_what_may_have_a_dimension_has_to_be_a_number(
    wanted: str, expected: str
) -> None:
    """More than one number never were one, so that ``item()`` says the same of every size."""
    migration = migrate(_OLD_ARRAY.format(wanted), "TP103")
    assert migration.text == _OLD_ARRAY.format(expected)
    assert [f.numerics for f in migration.findings] == [Numerics.IDENTICAL] * wanted.count("numpy")


@pytest.mark.parametrize("read", ["data.numpy()", "data.cpu().float().numpy()", "data[0].numpy()"])
def test_the_data_of_what_the_code_tries_to_take_for_a_number(read: str) -> None:
    text = (
        f"import torch\ndef f(x):\n    try:\n        return float(x.{read})\n"
        "    except TypeError:\n        return 0.0\n"
    )
    assert migrate(text, "TP103").text == text


def test_an_array_in_a_loop_that_can_be_interrupted() -> None:
    text = _TRIED.format("numpy()", "KeyboardInterrupt", "numpy()")
    assert "numpy" not in migrate(text, "TP103").text


_TRIED = """import torch
def f(x):
    try:
        return float(x.view(-1).{0})
    except {1}:
        return float(x.mean().item())
def g(x):
    try:
        return 0
    finally:
        print(float(x.view(-1).{2}))
"""


@pytest.mark.parametrize("error", ["TypeError", "Exception"])
def test_an_array_of_several_numbers_that_the_code_waits_for(error: str) -> None:
    text = _TRIED.format("detach().numpy()", error, "numpy()")
    assert migrate(text, "TP103").text == _TRIED.format("detach().numpy()", error, "item()")


def test_the_number_of_an_array_is_what_it_was() -> None:
    text = 'import torch\nx = torch.zeros(1) + 0.1\ny = "%.12f" % x.numpy(), float(x.numpy())\n'
    after = migrate(text, "TP103").text
    assert "numpy" not in after
    names: dict[str, object] = {}
    exec(after, names)
    assert names["y"] == ("0.100000001490", 0.10000000149011612)


def test_the_number_of_an_array_of_a_batch_is_what_it_was() -> None:
    text = """import torch
x = torch.nn.functional.softmax(torch.tensor([[0.1, 0.4, 0.2]]), dim=1)
y = int(x.max(1)[1].data.cpu().numpy()), float(x.max(1)[0].numpy()), float(x.sum(1).numpy())
"""
    after = migrate(text, "TP103").text
    assert "numpy" not in after
    names: dict[str, Any] = {}
    exec(after, names)
    best = names["x"].numpy()
    assert names["y"] == (int(best[0].argmax()), float(best[0].max()), float(best[0].sum()))
    assert [type(each) for each in names["y"]] == [int, float, float]


@pytest.mark.parametrize(
    "wanted",
    [
        '"%s" % x.data.numpy()',
        "float(x.sum().detach().numpy())",
        "float(torch.zeros(n).numpy())",
        "list(x.data.numpy())",
        "float(batch.numpy())",
        "float(batch.cpu().float().numpy())",
        "float(batch.data.sum(0).numpy())",
        "float(x.data.numpy)",
    ],
)
def test_an_array_that_may_be_one(wanted: str) -> None:
    text = _AS_NUMBER.format(wanted)
    assert migrate(text, "TP103").text == text


test_keeps = keeps(
    "TP103",
    {
        "columns that solve for a vector": """
            import torch
            def solve(points, a):
                b = torch.FloatTensor(points).view(8)
                return torch.gesv(b, a)[0][:, 0]
            m = torch.cat([solve(points, a), torch.ones(1)]).view(3, 3)
            n = torch.cat([torch.trtrs(torch.ones(3), a)[0][:, 0], torch.ones(1)])
            x, _ = torch.ones(3).gesv(a)
            o = torch.cat([x.t()[0], torch.ones(1)])
            """,
        "the parameters of layers": """
            import torch.nn as nn
            net = nn.Linear(1, 1)
            print(net.bias.data[0], net.weight.data[0], nn.BatchNorm2d(3).bias.data[0])
            """,
        "already modern": """
            import torch.nn.functional as F
            loss = F.mse_loss(a, b)
            print(loss.item())
            """,
        "an item of what has more dimensions": """
            import torch
            label = torch.ones(2, 3)
            print(label.data[0][0], label.data[0], torch.ones(3)[0][0])
            print(torch.ones(n).data[0][0], torch.ones(3).data[:1][0])
            """,
        "vector": """
            import torch
            scores = torch.rand(3)
            print(scores.data[0], scores[0], scores.numpy()[0], scores.tolist()[0])
            """,
        "a list of one number is a vector": """
            import torch
            one = torch.tensor([2.0])
            print(one.data[0], one.data.cpu()[0], one[0], torch.FloatTensor([3]).data[0])
            """,
        "a part of what may be a vector": """
            import torch
            import torch.nn.functional as F
            loss = torch.tensor([2.0])[1:]
            if late:
                loss = F.mse_loss(a, b)
            print(loss.data.cpu()[0])
            """,
        "vector of one element runs today": """
            import torch
            weight = torch.ones(1)
            error = (weight * 2).view(1)
            error.backward()
            print(weight.data[0], error.data[0], error.data.numpy()[0])
            """,
        "keepdim keeps a dimension": """
            import torch
            def precision(correct):
                correct = correct.eq(1)
                hits = correct.view(-1).float().sum(0, keepdim=True)
                return hits[0]
            """,
        "loss without reduction": """
            import torch.nn.functional as F
            losses = F.mse_loss(a, b, reduction="none")
            print(losses.data[0])
            """,
        "store": """
            import torch.nn.functional as F
            loss = F.mse_loss(a, b)
            loss.data[0] = 3
            """,
        "list of losses": """
            import torch.nn.functional as F
            losses = [F.mse_loss(a, b), F.l1_loss(a, b)]
            print(losses[0])
            """,
        "tuple that a function returns": """
            import torch
            def both(x):
                return x.sum(), x.mean()
            first = both(torch.ones(3))[0]
            """,
        "numpy": """
            import numpy as np
            import torch
            total = np.sum([1.0]).data[0]
            other = torch.ones(3).sum().numpy().reshape(1)[0]
            """,
        "other index": """
            import torch.nn.functional as F
            loss = F.mse_loss(a, b)
            print(loss.data[1], loss.data[i], loss.data[:1], loss.data[False])
            """,
        "method of the numpy number": """
            import torch.nn.functional as F
            print(F.mse_loss(a, b).data.numpy()[0].mean())
            """,
        "data of no tensor": """
            import torch
            class Dataset(torch.utils.data.Dataset):
                def __init__(self, rows):
                    self.data = rows
                def first(self):
                    return self.data[0]
            """,
        "shadowed functional": """
            import torch.nn.functional as F
            def f(F):
                return F.mse_loss(a, b).data[0]
            """,
        "suppressed": """
            import torch.nn.functional as F
            loss = F.mse_loss(a, b)
            print(loss.data[0])  # noqa: TP103
            """,
        "key that is stored elsewhere": """
            import torch.nn as nn
            criterion = {"a": nn.MSELoss(), "b": make()}
            criterion["a"] = make()
            print(criterion["a"](x, y).data[0])
            """,
        "list that others fill": """
            import torch
            def collect(fill):
                res = []
                fill(res)
                res.append(torch.ones(3).eq(1).sum())
                return res
            first, last = collect(fill)
            print(first[0], last[0])
            """,
    },
)


def test_unknown_receiver_is_left_to_a_person() -> None:
    findings = advice(
        "TP103",
        """
        import torch
        def step(loss):
            return loss.data[0]
        """,
    )
    assert [f.line for f in findings] == [3]
    assert "loss.item()" in findings[0].message


def test_advice_for_a_sum_is_code_that_can_be_copied() -> None:
    (finding,) = advice("TP103", "import torch\ndef f(a, b):\n    return (a + b).data[0]\n")
    assert "write (a + b).item()" in finding.message


@pytest.mark.parametrize("tensor", ["x.view(-1)", "x.reshape(-1)", "x.flatten()"])
def test_an_unknown_tensor_that_is_made_flat_has_an_index(tensor: str) -> None:
    assert not advice("TP103", f"import torch\ndef f(x):\n    return {tensor}.data[0]\n")


@pytest.mark.parametrize("index", ["x.data.cpu()[0]", "x.cpu().data[0]", "x.data[0]"])
def test_moving_to_the_cpu_changes_nothing_about_an_index(index: str) -> None:
    text = f"import torch\ndef f(x):\n    return {index}\n"
    (finding,) = advice("TP103", text)
    assert finding.message == _told(index, "x", "x.item()")
    # Nor does .detach() take the place of .data, and the finding with it.
    both = migrate(text.replace("return", "x = torch.relu(x)\n    return"), "TP103", "TP104")
    assert index in both.text


_TRAINED_AND_TESTED = """
import torch
class Trainer:
    def train(self, x, y):
        loss = self.criterion(self.net(x), y)
        loss.backward()
    def test(self, x, y):
        {line}
        return loss.data.cpu().numpy()[0] * len(x)
    def criterion(self, output, target):
        return self.loss(output, target) + self.rate * self.penalty
"""


def test_what_the_function_of_the_training_loss_gives() -> None:
    text = _TRAINED_AND_TESTED.format(line="loss = self.criterion(self.net(x), y)")
    [finding] = advice("TP103", text)
    assert finding.message == _told("loss.data.cpu().numpy()[0]", "loss", "loss.item()")
    # Nor does .detach() take the place of .data, and the finding with it.
    assert "loss.data.cpu()" in migrate(text, "TP103", "TP104").text


@pytest.mark.parametrize(
    "line",
    [
        "loss = self.net(x)",
        "loss, size = self.criterion(self.net(x), y)",
        "loss = self.criterion(self.net(x), y)[0]",
        "loss = self.criterion(self.net(x), y) if y else self.net(x)",
        "loss = self.net(x)\n        if y:\n            loss = self.criterion(self.net(x), y)",
    ],
)
def test_what_another_function_gives(line: str) -> None:
    assert not advice("TP103", _TRAINED_AND_TESTED.format(line=line))


def test_what_is_differentiated_with_a_gradient_says_nothing() -> None:
    text = _TRAINED_AND_TESTED.format(line="loss = self.criterion(self.net(x), y)")
    assert not advice("TP103", text.replace("backward()", "backward(y)"))


@pytest.mark.parametrize("index", ["x.data.numpy()[0]", "x.data.cpu().numpy()[0]", "x.cpu()[0]"])
def test_an_index_of_what_may_be_an_array_is_no_finding(index: str) -> None:
    assert not advice("TP103", f"import torch\ndef f(x):\n    return {index}\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print(list(loss.data)[0])", "print(loss.item())"),
        ("y = list(loss.data.cpu())[0]", "y = loss.item()"),
        ("y = list(2 - loss.data)[0] > 3", "y = (2 - loss.data).item() > 3"),
        ("y = list(loss)[0]", "y = list(loss)[0]"),
        ("y = list(*loss.data)[0]", "y = list(*loss.data)[0]"),
        ("y = list([loss.data])[0]", "y = list([loss.data])[0]"),
        ("y = list(loss.view(1).data)[0]", "y = list(loss.view(1).data)[0]"),
        ("y = list(x.data)[0]", "y = list(x.data)[0]"),
        ("y = set(loss.data)[0]", "y = set(loss.data)[0]"),
        ("y = self.list(loss.data)[0]", "y = self.list(loss.data)[0]"),
    ],
)
def test_the_list_of_a_tensor_without_dimensions(before: str, after: str) -> None:
    head = "import torch.nn.functional as F\ndef f(self, x, y):\n    loss = F.mse_loss(x, y)\n    "
    assert migrate(head + before, "TP103").text == head + after


def test_advice_for_the_list_of_a_tensor_with_a_history() -> None:
    head = "import torch.nn.functional as F\ndef f(x, y):\n    loss = F.mse_loss(x, y)\n    "
    assert len(advice("TP103", head + "return list(loss)[0], x.data")) == 1
    assert not advice("TP103", head + "return list(x.data)[0]")
    (finding,) = advice("TP103", head + "return list(margin - loss.data)[0], x.data")
    tensor = "(margin - loss.data)"
    assert finding.message.endswith(_told("", tensor, f"{tensor}.item()"))
    assert not advice("TP103", head + "return list(margin - x.data)[0]")


def test_the_number_of_a_loss_that_is_built_in_two_branches() -> None:
    text = """
import torch.nn as nn
class Trainer:
    def __init__(self, cuda, weight):
        if cuda:
            self.loss = nn.MSELoss().cuda()
            self.other = nn.MSELoss()
        else:
            self.loss = nn.MSELoss()
            self.other = nn.MSELoss(reduce=weight)
    def f(self, x, y):
        return self.loss(x, y).data[0], self.other(x, y).data[0]
"""
    after = text.replace("self.loss(x, y).data[0]", "self.loss(x, y).item()")
    assert migrate(text, "TP103").text == after


@pytest.mark.parametrize(
    ("imported", "tensor"),
    [
        ("import random", "random.choice(x)"),
        ("import random", "random.sample(x, 1)[0]"),
        ("import pickle", "pickle.load(x)"),
        ("from functools import reduce", "reduce(max, x)"),
        ("from six.moves import reduce", "reduce(max, x)"),
        ("from functools import partial", "partial(loss_of, x)()"),
        ("from operator import itemgetter", "itemgetter(1)(x)"),
        ("from heapq import heappop", "heappop(x)"),
        ("from multiprocessing import Queue", "Queue().get()"),
        ("from collections import deque", "deque(x).pop()"),
        ("from collections import namedtuple", "namedtuple('P', 'a b')(1, x).b"),
        ("from collections import namedtuple", "namedtuple('P', 'a b')(1, x).b(2)"),
        ("from argparse import Namespace", "Namespace(loss=x).loss"),
    ],
)
def test_what_python_hands_on_may_be_a_tensor(imported: str, tensor: str) -> None:
    text = f"import torch\n{imported}\ndef f(x):\n    loss = {tensor}\n    return loss.data[0]\n"
    (finding,) = advice("TP103", text)
    assert finding.message == _told("loss.data[0]", "loss", "loss.item()")


@pytest.mark.parametrize(
    ("imported", "other"),
    [
        ("import random", "random.getstate(x)"),
        ("import json", "json.load(x)"),
        ("from argparse import ArgumentParser", "ArgumentParser(x).get()"),
        ("from collections import deque", "deque(x)"),
    ],
)
def test_what_python_makes_is_no_tensor(imported: str, other: str) -> None:
    text = f"import torch\n{imported}\ndef f(x):\n    loss = {other}\n    return loss.data[0]\n"
    assert not advice("TP103", text)


@pytest.mark.parametrize("size", ["x.size(0)", "x.size()[0]", "x.shape[0]", "x.size(-1)"])
def test_what_has_a_size_has_an_index(size: str) -> None:
    text = f"import torch\ndef f(x):\n    n = {size}\n    return x.data[0]\n"
    assert not advice("TP103", text)


@pytest.mark.parametrize("size", ["x.size()", "x.shape", "y.size(0)", "x.stride(0)"])
def test_what_may_have_no_size_may_have_no_index(size: str) -> None:
    text = f"import torch\ndef f(x, y):\n    n = {size}\n    return x.data[0]\n"
    assert len(advice("TP103", text)) == 1


def test_the_size_of_another_value_proves_nothing() -> None:
    text = "import torch\ndef f(x):\n    n = x.size(0)\n    x = g(x)\n    return x.data[0]\n"
    assert len(advice("TP103", text)) == 1


_BATCHES = """
from torch.autograd import Variable
from torch.utils.data import DataLoader
{old}
def f(samples, net):
    for x, (y, n) in DataLoader(samples, collate_fn=net.collate):
        {made}
        y = y.cuda()
        print(y.data[0])
"""


@pytest.mark.parametrize("made", ["y = Variable(y)", "pass"])
def test_what_was_wrapped_had_a_dimension(made: str) -> None:
    """Of the code of torch 0.3; today a function of one's own may collate numbers."""
    old = "x = Variable(z, volatile=True)"
    assert not advice("TP103", _BATCHES.format(old=old, made=made))
    assert advice("TP103", _BATCHES.format(old="x = z.detach_()", made=made))
    assert advice("TP103", _BATCHES.format(old=old, made="y = net(y)"))
    summed = _BATCHES.format(old=old, made="y = y.sum()")
    assert migrate(summed, "TP103").text == summed.replace("y.data[0]", "y.item()")


_METER = """
import torch
from torch.autograd import Variable
class Net:
    def __init__(self, r):
        r = torch.FloatTensor([r]).cuda()
        self.radius = torch.nn.Parameter(r)
        self.accuracy = Variable(torch.FloatTensor([0]))
def test(net, loader):
    for x, y in loader:
        net.accuracy += (net(x) == y).float().mean()
    net.accuracy /= len(loader)
    MORE
    return net.accuracy.data[0], net.radius.data[0]
"""


def test_what_objects_keep_of_one_dimension_has_an_index(tmp_path: Path) -> None:
    assert not advice("TP103", _METER.replace("MORE", "pass"))
    for more in ("net.accuracy = net(x)", "net.accuracy, a = a, 1", "del net.accuracy"):
        found = advice("TP103", _METER.replace("MORE", more))
        assert len(found) == (more[0] == "n"), more
    # Also where another file keeps it.
    head, below, used = _METER.replace("MORE", "pass").partition("def test")
    (tmp_path / "net.py").write_text(head)
    (tmp_path / "run.py").write_text("import torch\n" + below + used)
    (tmp_path / "pyproject.toml").write_text("")
    result = migrate_file(tmp_path / "run.py", Settings(), write=False)
    assert not [f for f in result.findings if f.code == "TP103"]


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("x.data[1]", False),
        ("x[1:]", False),
        ("for length in x.data: y(length)", False),
        ("for i, length in enumerate(x): y(i, length)", False),
        ("for length in y(x): y(length)", True),
        ("x.data[-1]", True),
        ("x.data[0]", True),
        ("y[1]", True),
        ("x = y; x[1]", True),
        ("if y: x[1]", True),
    ],
)
def test_what_has_a_second_element_has_an_index(line: str, is_told: bool) -> None:
    text = f"import torch\ndef f(x, y):\n    print(x.data[0])\n    {line}\n"
    found = [f for f in advice("TP103", text) if f.line == 3]
    assert bool(found) == is_told


@pytest.mark.parametrize("own", ["mean", "average"])
def test_a_method_of_the_project_gives_what_it_gives(own: str) -> None:
    text = f"import torch\nclass Variable:\n    def {own}(self):\n        return self._x\n"
    text += "def f(x):\n    y = x.mean().data\n    return len(y)\n"
    assert bool(advice("TP103", text)) == (own != "mean")


def test_unknown_receiver_in_a_file_of_today_is_no_finding() -> None:
    assert not advice(
        "TP103",
        """
        import torch
        device = torch.device("cpu")
        def first(batch):
            return batch.data[0]
        """,
    )


@pytest.mark.parametrize("use", ["torch.relu(loss[0])", "y = -loss[0]", "y = loss[0]"])
def test_index_that_may_want_the_graph_is_left_to_a_person(use: str) -> None:
    text = f"""
        import torch
        import torch.nn.functional as F
        loss = F.mse_loss(a, b)
        loss.backward()
        {use}
        """
    findings = advice("TP103", text)
    assert [f.line for f in findings] == [5]
    assert findings[0].message.endswith("no index 0, which raises: write loss")


@pytest.mark.parametrize(
    ("cut", "written"),
    [
        ("if type(loss) == Variable: loss = loss.data", "loss.item() for the number"),
        ("if type(loss) == Variable: loss = loss * 2", "loss"),
    ],
)
def test_what_was_taken_out_of_a_variable_was_a_number(cut: str, written: str) -> None:
    text = f"""
        import torch
        from torch.autograd import Variable
        def error(a, b):
            loss = torch.sqrt(torch.pow(a - b, 2)).sum() / 3
            {cut}
            return loss[0]
        """
    (found,) = advice("TP103", text)
    assert found.message.endswith(f"no index 0, which raises: write {written}")


@pytest.mark.parametrize(
    "use",
    [
        "meters['loss'].update(loss[0], n=8)",
        "kept.append(loss[0])",
        "kept[epoch] = loss[0]",
        "kept.last = loss[0]",
        "log({'loss': loss[0]})",
        "print('%.4f' % loss[0])",
    ],
)
def test_what_goes_into_a_log_is_a_number(use: str) -> None:
    text = f"""
        import torch.nn.functional as F
        loss = F.mse_loss(a, b)
        loss.backward()
        {use}
        """
    (found,) = advice("TP103", text)
    assert found.message.endswith("write loss.item() for the number")


@pytest.mark.parametrize(
    "use",
    [
        "l = loss[0] / n\nl.backward()",
        "l = loss[0]\ntotal += l.data[0]",
        "total = total + 2 * loss[0]\nprint(total.item())",
        "def f():\n    return loss[0]\nf().detach()",
        "losses = []\nlosses.append(loss[0])\nsum(losses).backward()",
        "torch.autograd.grad(loss[0], w)",
        "kept.last = loss[0]\nkept.last.backward()",
    ],
)
def test_a_number_is_not_named_where_a_tensor_is_wanted(use: str) -> None:
    head = "import torch\nimport torch.nn.functional as F\na = x.mean()\n"
    text = f"{head}loss = F.mse_loss(a, b)\n{use}\n"
    messages = [found.message for found in advice("TP103", text)]
    no_index = "a tensor without dimensions has no index 0, which raises"
    assert f"{no_index}: write loss" in messages


@pytest.mark.parametrize(
    "use",
    [
        "l = loss[0] / n\nloss.backward()",
        "l = loss[0]\nl = other\nl.shape",
    ],
)
def test_the_tensor_stays_where_a_number_may_be_wanted(use: str) -> None:
    head = "import torch\nimport torch.nn.functional as F\na = x.mean()\n"
    text = f"{head}loss = F.mse_loss(a, b)\n{use}\n"
    (found,) = advice("TP103", text)
    assert found.message.endswith(": write loss")


def test_an_index_keeps_the_dimension_that_it_had() -> None:
    text = (
        "import torch\nfrom torch import nn\ndef step(emb, q, f):\n    x = torch.softmax(q, 0)\n"
        "    best, at = torch.max(x.view(-1), 0)\n    return {}\n"
    )
    for use in ("torch.nn.functional.embedding(at[0] + 1, best)", "nn.Embedding(3, 4)(at[0])"):
        (found,) = advice("TP103", text.format(use))
        assert found.message.endswith("no index 0, which raises: write at.view(1)")
    # Of a plain tensor it was a number, which is an index as well.
    (found,) = advice("TP103", text.format("torch.index_fill(q, 0, at[0])"))
    assert found.message.endswith("no index 0, which raises")
    (found,) = advice("TP103", text.format("emb(best[0] + 1)"))
    assert found.message.endswith("no index 0, which raises: write best")
    for use in ("f.append(at[0])", "at = at[0]\n    row = q[at]\n    f.append((row, at))"):
        (found,) = advice("TP103", text.replace("return {}", use))
        assert found.message.endswith("write at.item() for the number")
    # It is a key there, and what is found by it is something else.
    place = "i, j = at[0] // 3, 1\n    seen = {}\n    seen[i, j].append(1)\n    f(i, q).backward()"
    assert {found.message for found in advice("TP103", text.replace("return {}", place))} == {
        "a tensor without dimensions has no index 0, which raises: write at.item() for the number"
    }
    (found,) = advice(
        "TP103", text.replace("return {}", "row = at[0]\n    nn.Embedding(3, 4)(row)")
    )
    assert found.message.endswith("no index 0, which raises")
    in_turn = "a = best[0]\n    while f:\n        b = a\n        a = b"
    (found,) = advice("TP103", text.replace("return {}", in_turn))
    assert found.message.endswith("no index 0, which raises: write best")
    (found,) = advice("TP103", text.replace("return {}", "at = at[0]\n    f.append(at.data)"))
    assert found.message.endswith("no index 0, which raises")


INDEX = """import torch
from torch.autograd import Variable
def pick(labels, q):
    labels = labels.long()
    losses = {}
    lowest, at = torch.min(losses, 0)
    return {}
"""
_KEEPS = "no index 0, which raises: write at.view(1), which keeps the dimension that it indexes"


def test_the_element_of_a_variable_kept_the_dimension_that_it_indexed() -> None:
    losses = "Variable(torch.Tensor(2), volatile=False)"
    either = f"{_KEEPS}, or, if at was no Variable in torch 0.3, at.item()"
    for use, told in (
        ("labels[:, at[0].data].squeeze(1)", _KEEPS),
        ("labels[at[0].data.cpu()]", _KEEPS),
        ("labels[:, at[0]]", either),
        ("labels[at[0] + 1, 1]", either),
    ):
        before = INDEX.format(losses, use)
        assert migrate(before, "TP103").text == before
        (found,) = advice("TP103", before)
        assert found.message.endswith(told)
        # Nor once nothing shows any more that it was one.
        assert use in migrate(before).text
    # Of anything else that has .data, the index alone raises.
    (found,) = advice("TP103", INDEX.format(losses, "lowest[0].data"))
    assert found.message.endswith("no index 0, which raises: write lowest")


def test_a_sum_is_known_however_it_is_written() -> None:
    text = """import torch
def f(batches, w):
    {}
    for x in batches:
        {}
    return total[0] / 2
"""
    lowest = "torch.min(x.view(-1), 0)[0]"
    for adds in (f"total += {lowest}", f"total = total + {lowest}"):
        (found,) = advice("TP103", text.format("total = 0", adds))
        assert found.message.endswith("no index 0, which raises: write total")
        for start in ("total = [0]", "total = torch.zeros(1)", "total = w", "total = w[0], 1"):
            assert advice("TP103", text.format(start, adds)) == []
    for adds in ("total = total + x", "total = total + x.view(-1)", "total = total + len(x)"):
        assert advice("TP103", text.format("total = 0", adds)) == []


def test_what_was_no_variable_gave_an_index_that_is_a_number() -> None:
    losses = "torch.Tensor(2)\n    Variable(q, volatile=False)"
    for use in ("labels[:, {}]", "labels[{}, 1]", "labels[:{}]"):
        before = INDEX.format(losses, use.format("at[0]"))
        assert migrate(before, "TP103").text == before.replace("at[0]", "at.item()")
    for newer in ("torch.zeros(2, device=q.device)", "q.softmax(0).view(-1)"):
        for use in ("labels[:, at]", "labels[:, at.view(1)]", "labels[:, lowest > 0]"):
            assert advice("TP103", INDEX.format(newer, use)) == []


def test_advice_for_long_code_does_not_repeat_it() -> None:
    call = "criterion(model(features, labels, masks), labels[:, 1:], masks[:, 1:])"
    (finding,) = advice("TP103", f"import torch\ndef f(*a):\n    return {call}.data[0]\n")
    told = _told("the .data[0] here", "its tensor", ".item() instead")
    assert finding.message == told


def test_advice_says_nothing_of_vectors_with_one_element() -> None:
    (finding,) = advice("TP103", "import torch\ndef f(x):\n    return x.data[0]\n")
    assert finding.message == _told("x.data[0]", "x", "x.item()")


def test_parameters_of_layers_have_dimensions() -> None:
    text = """
        import torch.nn as nn
        net, rnn = nn.Linear(1, 1), nn.GRU(2, 3)
        print(net.bias.data[0], net.weight.data[0], rnn.bias_ih_l0.data[0], unknown.bias.data[0])
        """
    assert [f.column for f in advice("TP103", text)] == [69]


_WORDS = """import torch
class Words:
    def __init__(self):
        self.words = {{{made}}}
        self.count = 2
    def add(self, word):
        self.words[{key}] = word
words = Words()
def f(out, x):
    top, index = out.data.topk(1)
    return {use}
"""


def _word(use: str, made: str = '0: "a", 1: "b"', key: str = "self.count") -> str:
    text = _WORDS.format(made=made, key=key, use=use)
    assert migrate(migrate(text, "TP103").text, "TP103").text == migrate(text, "TP103").text
    return migrate(text, "TP103").text.rpartition("return ")[2].strip()


def test_a_dict_that_is_kept_by_numbers_finds_no_tensor() -> None:
    assert _word("words.words[index[0][0]]") == "words.words[index[0][0].item()]"
    assert _word("words.words[index[0][0] + 1]") == "words.words[(index[0][0] + 1).item()]"
    assert _word("words.words[index[0][0]]", made="") == "words.words[index[0][0].item()]"
    assert _word("words.words.get(index[0][0])") == "words.words.get(index[0][0].item())"
    assert _word("words.words.pop(index[0][0])") == "words.words.pop(index[0][0].item())"
    assert _word("words.words.get(index[0][0], x)") == "words.words.get(index[0][0].item(), x)"


@pytest.mark.parametrize(
    "use",
    [
        "words.words[top[0][0]]",
        "words.words[x]",
        "words.words[0]",
        "words.words[torch.arange(3)]",
        "words.words.setdefault(index[0][0])",
        "words.words.get()",
        "words.words.get(top[0][0])",
        "words.words.get(index)",
        "words.words.get(self.count, index[0][0])",
        "x.words.get(index[0][0])",
        "[w for w in words.words][index[0][0]]",
        "x.words[index[0][0]]",
    ],
)
def test_other_keys_stay(use: str) -> None:
    assert _word(use) == use


@pytest.mark.parametrize(
    ("made", "key"),
    [
        ('0: "a"', "word"),
        ('"a": 0', "self.count"),
        ('0: "a", **more', "self.count"),
        ("i: 3 for i in more", "self.count"),
        ("", "word"),
    ],
)
def test_a_dict_with_other_keys_may_hold_tensors(made: str, key: str) -> None:
    use = "words.words[index[0][0]]"
    assert _word(use, made, key) == use


_OLD = "import torch\nv = torch.autograd.Variable(torch.ones(1), volatile=True)\n"


def _asked(body: str, head: str = _OLD) -> str:
    text = f"{head}def f(words, x, i, n):\n    top = x.topk(1)[1]\n    {body}\n"
    migrated = migrate(text, "TP103").text
    assert migrate(migrated, "TP103").text == migrated
    return migrated.partition("[1]\n    ")[2].strip()


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ("return words[str(top[0, 0])]", "top[0, 0]"),
        ("return [words[str(top.data[j])] for j in range(3)]", "top.data[j]"),
        ("k = top[2]\n    return words[str(k)]", "str(k"),
        ("a, b = x.size()\n    k = x[1, 1]\n    return words[str(k)]", "str(k"),
        ("return top[0, 0] in {1, 2}", "top[0, 0]"),
        ("d = {i: 'a' for i in range(3)}\n    return top[0, 0] not in d", "top[0, 0]"),
        ("s = set()\n    s.add(3)\n    return top[0, 0] in s", "top[0, 0]"),
        ("s = set([1, 2])\n    return top[0, 0] in s", "top[0, 0]"),
        ("return [top[0, 0] + 1 in {2 * j for j in range(3)}]", "(top[0, 0] + 1)"),
    ],
)
def test_what_is_kept_by_numbers_or_their_text_finds_no_tensor(body: str, key: str) -> None:
    expected = body.replace(key, f"{key}.item()")
    if key.startswith("(top"):
        expected = body.replace(key[1:-1], f"{key}.item()")
    assert _asked(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "return words[str(i)]",
        "return words[str(x)]",
        "return words[str(top)]",
        "return words[str(top[:2])]",
        "return words[repr(top[0, 0])]",
        "return words[str(top[0, 0], i)]",
        "words[str(top[0, 0])] = i",
        "words[str(i)] = i\n    return words[str(top[0, 0])]",
        "return [i, n][str(top[0, 0])]",
        "return top[0, 0] in [1, 2]",
        "return top in {1, 2}",
        "return top[0, 0] in {1, n}",
        "return top[0, 0] in words",
        "s = set(n)\n    return top[0, 0] in s",
        "s = set([1, n])\n    return top[0, 0] in s",
        "s = set([])\n    return top[0, 0] in s",
        "s = list([1, 2])\n    return top[0, 0] in s",
        "s = {1}\n    s.add(n)\n    return top[0, 0] in s",
        "s = {1}\n    s.update(n)\n    return top[0, 0] in s",
        "return top[0, 0] == 3",
        "return x[0] in {1, 2}",
    ],
)
def test_what_may_find_a_tensor_is_left(body: str) -> None:
    assert _asked(body) == body


_JSON = f"import json\n{_OLD}def save(what):\n    json.dump(what, open('x', 'w'))\n"


@pytest.mark.parametrize(
    "body",
    [
        "json.dump({'id': top[i]}, n)",
        "out = []\n    for j in range(3):\n        out.append({'id': top[j]})\n    json.dump(out, n)",
        "out = {}\n    out['id'] = top[3, 0]\n    print(json.dumps(out))",
        "out = []\n    out.extend([{'id': top[j]} for j in range(3)])\n    return json.dumps(out)",
        "return save([top[1], 0])",
        "out = [top[1]]\n    kept = {'out': out}\n    save(kept)",
    ],
)
def test_an_element_that_is_written_as_json(body: str) -> None:
    body = body.replace("[i]", "[0]")
    (index,) = re.findall(r"top\[.*?\](?!\.)", body)
    assert _asked(body, _JSON) == body.replace(index, f"{index}.item()")


@pytest.mark.parametrize(
    "body",
    [
        "json.dump({'id': top[:3]}, n)",
        "json.dump({'id': top}, n)",
        "json.dump({'id': words[0]}, n)",
        "json.dump([], top[0])",
        "json.dump([top[0]], n, default=float)",
        "json.dump([top[0]], n, **words)",
        "out = [n]\n    json.dump(out, n)\n    out.append(top[0])",
        "out = [top[0]]\n    json.dump([float(x) for x in out], n)",
        "out = [top[0]]\n    json.dump(len(out), n)",
        "out = [top[0]]\n    torch.save(out, n)",
        "json.dump(words(top[0]), n)",
    ],
)
def test_what_json_does_not_get_is_left(body: str) -> None:
    assert _asked(body, _JSON) == body


def test_newer_files_put_what_they_like_into_json() -> None:
    body = "json.dump([top[0]], n)"
    head = "import json\nimport torch\nx = torch.zeros(1, dtype=torch.float).data\n"
    assert _asked(body, head) == body


def test_the_text_of_a_tensor_may_be_meant_in_newer_files() -> None:
    body = "return words[str(top[0, 0])]"
    assert _asked(body, "import torch\nx = torch.zeros(1, dtype=torch.float).data\n") == body


@pytest.mark.parametrize("use", ["print(names[pred])", "print(say(pred))", "word = names[pred]"])
def test_an_element_that_becomes_a_number_is_a_key(use: str) -> None:
    text = f"""import torch
import torch.nn as nn
names = {{i: str(i) for i in range(3)}}
net = nn.Linear(2, 3)
loss = net(torch.autograd.Variable(torch.ones(1, 2))).sum()
print(loss.data[0])
def say(k):
    return names[k]
out = net(torch.ones(1, 2))
print(names[out.max(1)[1].data[0]])
pred = out.max(1)[1].data[0]
{use}
"""
    migrated = (
        text.replace("loss.data[0]", "loss.item()")
        .replace("[out.max(1)[1].data[0]]", "[out.max(1)[1].data[0].item()]")
        .replace("= out.max(1)[1].data[0]", "= out.max(1)[1][0].item()")
    )
    assert migrate(text, "TP103").text == migrated


def test_a_dict_in_a_name_is_known_by_all_that_it_gets() -> None:
    text = """import torch
def f(out):
    index = out.data.topk(1)[1][0][0]
    names = {i: str(i) for i in range(3)}
    return names[index]
"""
    assert migrate(text, "TP103").text == text.replace("[index]", "[index.item()]")
    others = text.replace("    return", "    names[index] = 'x'\n    return")
    assert migrate(others, "TP103").text == others
    unknown = text.replace("for i in range(3)", "for i in out")
    assert migrate(unknown, "TP103").text == unknown
    given = text.replace("f(out)", "f(out, names)").replace("    names =", "    other =")
    assert migrate(given, "TP103").text == given


@pytest.mark.parametrize(
    "index",
    [
        "torch.max(x, 1)[1].data.numpy()[0, 0]",
        "x.max(1)[1].cpu().data.numpy()[0][0]",
        "x.min(dim=1)[0].data.numpy()[0, 0]",
        "x.argmax(1).numpy()[0, 0]",
        "torch.max(torch.rand(2, 3), 1)[1].numpy()[0, 0]",
        "x.max(1)[1].data[0, 0]",
    ],
)
def test_a_dimension_that_a_maximum_kept_until_torch_0_1_is_reported(index: str) -> None:
    text = f"import torch\ndef f(x):\n    return {index}\n"
    (finding,) = advice("TP103", text)
    assert finding.message.endswith("raises: write keepdim=True") and finding.line == 3
    assert not advice("TP103", text + "with torch.no_grad():\n    pass\n")


@pytest.mark.parametrize(
    "index",
    [
        "x.mean(0).max(1)[1].data[0][0]",
        "x.max(0)[0].max(1)[1].data.numpy()[0, 0]",
        "x.mean(0).argmax(1).data[0][0]",
        "torch.argmax(x.mean(0), 1).data[0][0]",
    ],
)
def test_of_a_chain_all_dimensions_are_to_stay(index: str) -> None:
    (finding,) = advice("TP103", f"import torch\ndef f(x: torch.Tensor):\n    return {index}\n")
    assert finding.message.endswith("in each of them, write keepdim=True")


def test_losses_of_a_library_that_keeps_their_dimension_are_no_numbers() -> None:
    text = (
        "from {} import CTCLoss\ndef f(model, x):\n    loss = model(x)\n    n = int(loss.data[0])\n"
    )
    assert advice("TP103", text.format("project"))
    assert not advice("TP103", text.format("warpctc_pytorch"))


def test_an_element_of_an_element_may_be_a_row() -> None:
    text = "import torch\ndef f(model, x):\n    out = model(x)\n    assert {}.data[0] == 3\n"
    assert advice("TP103", text.format("out[0]"))
    assert not advice("TP103", text.format("out[0][0]"))


def test_what_lies_beside_what_is_written_in_parts_is_no_number() -> None:
    text = (
        "import torch\ndef f(net, x):\n    {0}\n    net.run()\n    p = net.blobs['out'].data[0]\n"
    )
    text += "    return p\n"
    assert not advice("TP103", text.format("net.blobs['in'].data[0] = x"))
    assert advice("TP103", text.format("net.others['in'].data[0] = x"))
    # The element itself is stored, and none of its parts.
    assert advice("TP103", text.format("net.blobs['in'] = x"))
    assert advice("TP103", text.format("x = net.blobs['in'].data[0]"))


def test_blobs_of_caffe_are_no_tensors() -> None:
    text = 'import torch, {0}\nnet = {0}.Net("a")\np = net.blobs["b"].data[0]\n'
    assert advice("TP103", text.format("project"))
    assert not advice("TP103", text.format("caffe"))


_ELEMENTS = """import torch
def f(x, net):
    x = x.view(-1, 4)
    sums = {}
    for i in range(x.size(0)):
        print({})
"""


@pytest.mark.parametrize(
    ("sums", "index", "whole"),
    [
        ("x.sum(1)", "sums[i][0]", "sums[i].item() for the number"),
        ("torch.norm(x, 2, 1)", "net(sums[i][0] * 2)", "sums[i]"),
        ("x.data.mean(1)", "sums[2][0]", "sums[2].item() for the number"),
    ],
)
def test_an_element_of_what_lost_its_dimension_is_told(sums: str, index: str, whole: str) -> None:
    (finding,) = advice("TP103", _ELEMENTS.format(sums, index))
    assert finding.message == (
        f"a tensor without dimensions has no index 0, which raises: write {whole}"
    )


@pytest.mark.parametrize(
    ("sums", "index"),
    [
        ("x.sum(1, keepdim=True)", "sums[i][0]"),
        ("x.sum(1)", "sums[i:][0]"),
        ("x.sum(1)", "sums[net][0]"),
        ("x.sum(1)", "sums[i].view(1)[0]"),
        ("x.sum(1).tolist()", "sums[i][0]"),
        ("net(x)", "sums[i][0]"),
        ("x.max(1)", "sums[1][0]"),
    ],
)
def test_other_elements_have_elements(sums: str, index: str) -> None:
    assert not advice("TP103", _ELEMENTS.format(sums, index))


_NAMED = """import torch
def f(x: torch.Tensor, y, z):
    action = x.max(1)[1].data.numpy()
    if z:
        action = {}
    return {}
"""


@pytest.mark.parametrize("index", ["action[0, 0]", "action[0][0]"])
def test_a_dimension_that_an_array_with_a_name_lost_is_reported(index: str) -> None:
    text = _NAMED.format("torch.max(y, 1)[1].cpu().data.numpy()", index)
    for _ in range(2):
        migration = migrate(text, "TP103", "TP104")
        left = [f.message for f in migration.findings if not f.fixed]
        assert len(left) == 1 and left[0].endswith("raises: write keepdim=True")
        text = migration.text
    assert not advice("TP103", _NAMED.format("y", index))
    assert not advice("TP103", _NAMED.format("x.max(1)[1].data", index))
    assert not advice("TP103", _NAMED.format("x.max(1)[1].numpy()", "action[0]"))


@pytest.mark.parametrize("index", ["x.max(1)[1].data[0, 0]", "x.max(1)[1].cpu().data[0][0]"])
def test_what_is_reported_keeps_what_it_is_known_by(index: str) -> None:
    text = f"import torch\ndef f(x: torch.Tensor):\n    return {index}\n"
    for _ in range(2):
        migration = migrate(text, "TP103", "TP104")
        assert migration.text == text
        assert [f.code for f in migration.findings] == ["TP103"]
    modern = text + "with torch.no_grad():\n    pass\n"
    assert ".data" not in migrate(modern, "TP103", "TP104").text


@pytest.mark.parametrize(
    "index",
    [
        "x.max(1)[1].data.numpy()[0]",
        "x.max(1)[1].data.numpy()[0, 1]",
        "x.max(1)[1].data.numpy()[0, :]",
        "x.max(1, keepdim=True)[1].data.numpy()[0, 0]",
        "torch.max(x, 1, True)[1].data.numpy()[0, 0]",
        "torch.max(torch.rand(2, 3, 4), 1)[1].numpy()[0, 0]",
        "x.max()[1].data.numpy()[0, 0]",
        "x.topk(1)[1].data.numpy()[0, 0]",
        "np.max(x, 1)[1].data.numpy()[0, 0]",
        "x.max(1)[1][0, 0]",
        "x.max(*y)[1].data.numpy()[0, 0]",
        "x.data.numpy()[0, 0]",
    ],
)
def test_other_pairs_of_indices_are_no_finding(index: str) -> None:
    assert not advice("TP103", f"import torch\nimport numpy as np\ndef f(x):\n    return {index}\n")


VECTOR = """
import torch
from torch.autograd import Variable
def f(boxes, names, x, y):
    v = x.view(-1)
    highest, at = torch.max(v, 0)
    {use}
def leave(x):
    return Variable(x, volatile=True)
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return boxes[v.max(0)[1][0]]", "return boxes[v.max(0)[1].item()]"),
        ("return boxes[0, torch.min(v, 0)[1][0]]", "return boxes[0, torch.min(v, 0)[1].item()]"),
        ("return boxes[at[0]], names[: at[0]]", "return boxes[at.item()], names[: at.item()]"),
        ("j = v.max(dim=0)[1][0]; return y[j, 1]", "j = v.max(dim=0)[1].item(); return y[j, 1]"),
        ("return x[: at[0]]", "return x[: at.item()]"),
        ("return x[:, at.data[0]]", "return x[:, at.item()]"),
        ("print(v.detach().max(0)[0][0])", "print(v.detach().max(0)[0].item())"),
    ],
)
def test_the_extreme_of_a_vector_has_no_dimension(before: str, after: str) -> None:
    assert migrate(VECTOR.format(use=before), "TP103").text == VECTOR.format(use=after)


@pytest.mark.parametrize(
    "call",
    [
        "y.max(0)[1]",
        "torch.min(y, 0)[0]",
        "y.min(dim=0)[1]",
        "y.median(0)[0]",
        "y.kthvalue(3)[0]",
        "y.kthvalue(k=3, dim=0)[0]",
        "torch.kthvalue(y, 3, 0)[0]",
        "torch.mode(y, 0)[0]",
    ],
)
def test_the_extreme_of_what_may_be_a_vector_is_reported(call: str) -> None:
    migration = migrate(VECTOR.format(use=f"j = {call}[0]"), "TP103")
    assert migration.text == VECTOR.format(use=f"j = {call}[0]")
    assert [finding.message for finding in migration.findings] == [
        "[0] raises if y is a vector, whose extremes have no dimension since torch 0.4: write "
        f"{call}.item() for the number"
    ]


def test_the_two_parts_of_extremes_may_have_names() -> None:
    (finding,) = advice("TP103", VECTOR.format(use="best, j = y.max(0); return names[j[0]]"))
    assert finding.message == (
        "[0] raises if y is a vector, whose extremes have no dimension since torch 0.4: write "
        "j.item() for the number"
    )


@pytest.mark.parametrize(
    ("vector", "is_certain"),
    [
        ("y.view(-1)", True),
        ("y.abs().view(-1).cpu()", True),
        ("y.cpu()", False),
        ("y.view(x)", False),
        ("y.view(*x)", False),
    ],
)
def test_what_is_flattened_is_a_vector(vector: str, is_certain: bool) -> None:
    (finding,) = advice("TP103", VECTOR.format(use=f"j = {vector}.kthvalue(3)[0][0]"))
    said = f"[0] raises {'as' if is_certain else 'if'} {vector} is a vector, whose extremes "
    assert finding.message.startswith(said)


@pytest.mark.parametrize(
    ("use", "is_tensor"),
    [
        ("j = y.max(0)[1][0]; return j.cpu().numpy()", True),
        ("return y.max(0)[1][0].cpu().numpy()", True),
        ("j = y.max(0)[1][0]; return j[0]", True),
        ("j = y.max(0)[1][0]; return j + 1", False),
        ("j = y.max(0)[1][0]; j = x; return j.cpu()", False),
        ("return abs(y.max(0)[1][0])", False),
    ],
)
def test_no_number_is_proposed_for_what_is_used_as_a_tensor(use: str, is_tensor: bool) -> None:
    (finding,) = advice("TP103", VECTOR.format(use=use))
    assert finding.message.endswith(
        "write y.max(0)[1]" if is_tensor else "write y.max(0)[1].item() for the number"
    )


@pytest.mark.parametrize(
    "use",
    [
        "j = y.max(1)[1][0]",
        "j = y.max(0)[1][1]",
        "best, j = y.max(1); k = j[0]",
        "best, j = y.max(0); k = j[1]",
        "best, j = y.sort(0); k = j[0]",
        "j = y.max(0); k = j[0]",
        "best, j = y.max(0); j = x if x else j; k = j[0]",
        "j = y.max(0, True)[1][0]",
        "j = y.max(0, keepdim=True)[1][0]",
        "j = y.max()[1][0]",
        "j = y.sort(0)[1][0]",
        "j = y.view(3, 4).max(0)[1][0]",
        "j = max(y, 0)[1][0]",
        "j = y.max(0)[1][0] = 3",
        "j = y.max(0)[0]",
        "j = y.kthvalue(3, 1)[0][0]",
        "j = y.kthvalue(3, 0, True)[0][0]",
        "j = y.kthvalue(3, keepdim=True)[0][0]",
        "j = y.median()[0][0]",
        "j = y.view(3, 4).kthvalue(2)[0][0]",
        "j = torch.ones(3, 4).kthvalue(2)[0][0]",
    ],
)
def test_other_extremes_keep_a_dimension(use: str) -> None:
    migration = migrate(VECTOR.format(use=use), "TP103")
    assert migration.text == VECTOR.format(use=use)
    assert not migration.findings


def test_in_a_file_of_any_age_the_extreme_of_what_is_not_known_is_no_finding() -> None:
    text = VECTOR.format(use="j = y.max(0)[1][0]").replace(", volatile=True", "")
    assert not migrate(text, "TP103").findings


_LOSSES = """
            import torch
            import torch.nn.functional as F
            from torch.autograd import Variable
            def track(model, x, y, kept):
                loss = F.mse_loss(model(Variable(x, volatile=False)), y)
"""

test_numbers_joined_to_vectors = rewrites(
    "TP103",
    {
        "data": (
            _LOSSES + "                return torch.cat((kept, loss.data))\n",
            _LOSSES + "                return torch.cat((kept, loss.data.view(1)))\n",
        ),
        "a calculation": (
            _LOSSES + "                return torch.cat([loss / len(x), kept], 0)\n",
            _LOSSES + "                return torch.cat([(loss / len(x)).view(1), kept], 0)\n",
        ),
        "what was joined before": (
            _LOSSES
            + "                kept = torch.cat((loss, x.sum()))\n"
            + "                return torch.cat((kept, loss))\n",
            _LOSSES
            + "                kept = torch.cat((loss, x.sum()))\n"
            + "                return torch.cat((kept, loss.view(1)))\n",
        ),
    },
)

test_what_is_joined_as_it_is = keeps(
    "TP103",
    {
        "vectors": _LOSSES + "                return torch.cat((kept, loss.view(1), x[0]))\n",
        "along another dimension": _LOSSES
        + "                return torch.cat((kept, loss), dim=1)\n",
        "numbers only, which are stacked": _LOSSES
        + "                return torch.cat((loss, x.sum()))\n",
        "an element of numbers that are joined": _LOSSES
        + "                return torch.cat((loss, x.sum())).data[0]\n",
        "what may have several dimensions of size 1": _LOSSES
        + "                error = model(y)\n"
        + "                error.backward()\n"
        + "                return torch.cat((kept, error.data), dim=-1)\n",
        "a list of losses": _LOSSES + "                return torch.cat([kept, *loss])\n",
        "a function of the file": "def cat(xs): pass\n" + "y = cat((x, x.sum()))\n",
        "a name": _LOSSES
        + "                both = (kept, loss)\n"
        + "                return torch.cat(both)\n",
        "one number in a vector, today": """
            import torch
            def track(x, weight=torch.ones(1)):
                error = weight * 2
                error.backward()
                return torch.cat((x, error))
            """,
    },
)


def test_what_may_be_joined_without_a_dimension_is_reported() -> None:
    body = "                error = model(y)\n                error.backward()\n"
    text = _LOSSES + body + "                return torch.cat((kept, error.data))\n"
    (found,) = advice("TP103", text)
    assert found.message.endswith("write .view(1) for these")
    assert not advice("TP103", text.replace("volatile=False", ""))


_ONE = """import torch
from torch.autograd import Variable
one = torch.FloatTensor([1])
def train(model, measure, x, y, gradient):
    error = torch.sqrt(measure(model(Variable(x, volatile=False)), y))
    {}
    print(error.data[0])
"""


@pytest.mark.parametrize("call", ["error.backward(one)", "error.backward(gradient=-one)"])
def test_what_gets_a_gradient_of_one_number_is_one(call: str) -> None:
    text = _ONE.format(call)
    assert "print(error.item())" in migrate(text, "TP103").text


@pytest.mark.parametrize(
    "call",
    [
        "error.backward(gradient)",
        "error.backward(torch.ones(3))",
        "other.backward(one)",
        "error.register_hook(one)",
        "error.backward(one); error = measure(y)",
        "error.backward(one); error = measure(y); error.backward(gradient)",
        "if y: error.backward(one)",
    ],
)
def test_other_gradients_show_nothing(call: str) -> None:
    text = _ONE.format(call)
    assert migrate(text, "TP103").text == text
    assert [f.line for f in advice("TP103", text)] == [7]


_ELEMENT = """import torch
from torch.autograd import Variable
def train(model, measure, batches, optimizer, log):
    for x, y in batches:
        losses = measure(model(Variable(x, volatile=False)), y)
        {}
        log.append(losses)
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "losses[0].backward()\n        losses[0] = losses[0].data[0]",
            "losses[0].backward()\n        losses[0] = losses[0].item()",
        ),
        (
            "print(losses['all'].data[0])\n        losses['all'].backward()",
            "print(losses['all'].item())\n        losses['all'].backward()",
        ),
    ],
)
def test_an_element_that_is_differentiated_is_one_number(before: str, after: str) -> None:
    assert migrate(_ELEMENT.format(before), "TP103").text == _ELEMENT.format(after)


@pytest.mark.parametrize(
    "body",
    [
        "losses[0].backward()\n        print(losses[1].data[0])",
        "losses[0].backward(y)\n        print(losses[0].data[0])",
        "losses[0].backward(gradient=y)\n        print(losses[0].data[0])",
        "losses[0].backward()\n        losses[0] = y\n        print(losses[0].data[0])",
        "losses[0].backward()\n        losses = model(y)\n        print(losses[0].data[0])",
        "losses[0].backward()\n        losses.pop(0)\n        print(losses[0].data[0])",
        "losses[i].backward()\n        print(losses[i].data[0])",
        "if y: losses[0].backward()\n        print(losses[0].data[0])",
        "log[0].backward()\n        print(losses[0].data[0])",
    ],
)
def test_other_elements_are_not_known(body: str) -> None:
    text = _ELEMENT.format(body)
    assert migrate(text, "TP103").text == text
    assert advice("TP103", text)


BALANCED = """import torch

class BEGAN(object):
    def __init__(self):
        self.k = 0.0

    def step(self, real, fake, other):
        balance = self.k + 0.001 * (torch.mean(real) - torch.mean(fake))
        balance = balance.data[0]
        self.k = min(max(balance, 0), 1)
"""


@pytest.mark.parametrize(
    "kept",
    [
        "min(max(balance, 0), 1)",
        "max(min(balance, 1.0), torch.mean(real).data[0])",
        "balance",
        "float(other)",
        "self.k * 0.5 + balance",
        "max(self.k * 0.5, balance)",
    ],
)
def test_what_a_class_keeps_of_numbers_is_one(kept: str) -> None:
    text = BALANCED.replace("min(max(balance, 0), 1)", kept)
    assert "balance = balance.item()" in migrate(text, "TP103").text


def test_what_a_class_adds_up_of_numbers_is_one() -> None:
    text = BALANCED.replace("self.k = min(max(balance, 0), 1)", "self.k += balance")
    assert "balance = balance.item()" in migrate(text, "TP103").text


@pytest.mark.parametrize(
    "kept",
    [
        "min(max(balance, 0), other)",
        "min(*other)",
        "sorted(balance)",
        "other",
        "torch.ones(3)",
        "max(balance, other[0])",
    ],
)
def test_what_a_class_keeps_of_others_may_have_an_index(kept: str) -> None:
    text = BALANCED.replace("min(max(balance, 0), 1)", kept)
    assert migrate(text, "TP103").text == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.k = min(max(balance, 0), 1)", "self.k += other"),
        ("self.k = min(max(balance, 0), 1)", "self.k += min(balance, other)"),
        ("self.k = min(max(balance, 0), 1)", "self.k, self.m = other"),
        ("(object)", "(Base)"),
        ("import torch\n", "import torch\nfrom builtin import min\n"),
    ],
)
def test_what_a_class_may_get_otherwise_may_have_an_index(before: str, after: str) -> None:
    text = BALANCED.replace(before, after)
    assert migrate(text, "TP103").text == text


def test_what_another_file_gives_an_object_may_have_an_index(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "began.py").write_text(BALANCED)
    result = migrate_file(tmp_path / "began.py", Settings(select=("TP103",)), write=False)
    assert "balance.item()" in result.after
    (tmp_path / "main.py").write_text("from began import BEGAN\ngan = BEGAN()\ngan.k = other\n")
    result = migrate_file(tmp_path / "began.py", Settings(select=("TP103",)), write=False)
    assert result.after is None


_SUM = """
import torch
from torch.autograd import Variable
def evaluate(criterion, batches):
    x = Variable(torch.ones(2), volatile={volatile})
    total = {start}
    for batch in batches:
        total += {term}
    return {read} / len(batches)
"""


def _said_of_sum(**texts: str) -> list[str]:
    given = {"volatile": "True", "start": "0", "term": "len(batch) * criterion(batch).data"}
    text = _SUM.format(**{"read": "total[0]", **given, **texts})
    return [finding.message for finding in advice("TP103", text)]


@pytest.mark.parametrize("term", ["criterion(batch).data", "len(batch) * criterion(batch).data"])
def test_a_sum_of_data_of_something_unknown_is_reported(term: str) -> None:
    (message,) = _said_of_sum(term=term)
    assert message == _told("total[0]", "total", "total.item()")


@pytest.mark.parametrize(
    "texts",
    [
        {"start": "make()"},
        {"term": "criterion(batch)"},
        {"term": "batch.parts"},
        {"read": "total[1]"},
        {"read": "total[0][0]"},
        {"read": "total"},
    ],
)
def test_other_sums_are_no_finding(texts: dict[str, str]) -> None:
    assert _said_of_sum(**texts) == []


def test_a_sum_in_a_file_that_may_be_modern_is_no_finding() -> None:
    text = _SUM.format(volatile="False", start="0", term="f(batch).data", read="total[0]")
    assert advice("TP103", text.replace(", volatile=False", "")) == []


_ACT = """
import random
import torch
from torch.autograd import Variable
class Agent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 4)
    def forward(self, x):
        return self.layer(x)
    def act(self, state, is_greedy):
        if is_greedy:
            q = self(Variable(state, volatile=True))
            {chosen}
        else:
            {other}
        return action
"""


def _acting(chosen: str, other: str = "action = random.randrange(4)") -> str:
    return migrate(_ACT.format(chosen=chosen, other=other)).text


@pytest.mark.parametrize(
    ("chosen", "after"),
    [
        ("action = q.max(1)[1].data[0]", "action = q.argmax(1)[0].item()"),
        ("return torch.max(q, 1)[1].data[0]", "return q.argmax(1)[0].item()"),
        ("best = q.max(1)[1]\n            return best.data[0]", "return best[0].item()"),
    ],
)
def test_what_stands_beside_a_number_was_one(chosen: str, after: str) -> None:
    other = "return 3" if "return" in chosen else "action = random.randrange(4)"
    assert after in _acting(chosen, other)


@pytest.mark.parametrize(
    ("chosen", "other"),
    [
        ("action = q.max(1)[1].data[0]", "action = sample()"),
        ("return q.max(1)[1].data[0]", "return sample()"),
        ("action = q.max(0)[1].data[0]", "action = 3"),
        ("action = q.data[0]", "action = 3"),
    ],
)
def test_other_elements_of_unknown_dimensions_get_no_item(chosen: str, other: str) -> None:
    assert ".item()" not in _acting(chosen, other)


@pytest.mark.parametrize(
    "order",
    [
        "v, i = x.sort(0, True)",
        "v, i = torch.sort(x)",
        "i = x.topk(3)[1]",
        "pair = torch.topk(x, 3)\n    i = pair[1]",
        "i = x.argsort()",
        "i = torch.argsort(x, 1).long()",
    ],
)
def test_what_was_sorted_is_no_number(order: str) -> None:
    head = f"import torch\ndef f(x, net):\n    y = net(x).data[0]\n    {order}\n"
    found = advice("TP103", head + "    return i.data[0], i.cpu().data[0]\n")
    assert [f.line for f in found] == [3]


@pytest.mark.parametrize("given", ["i = x.pick(3)", "v, i = pair(x)", "v, (i, w) = x.sort(0)"])
def test_what_else_gives_indices_may_be_a_number(given: str) -> None:
    found = advice("TP103", f"import torch\ndef f(x):\n    {given}\n    return i.data[0]\n")
    assert len(found) == 1


_SUMMED = """\
import torch
from torch.autograd import Variable
def f(x, net):
    {}
    loss = net(x).sum(1)
    if net.training:
        loss.backward()
    return loss.data[0]
"""


def test_the_one_element_of_a_vector_was_a_number() -> None:
    was = _SUMMED.format("x = Variable(x, volatile=True)")
    assert "return loss.item()" in migrate(was, "TP103").text
    assert not advice("TP103", _SUMMED.format("x = Variable(x)"))


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("self.params.data[0] = low", False),
        ("self.params[1:] = low", False),
        ("self.others.data[0] = low", True),
        ("params.data[0] = low", True),
        ("self.params.data = low", True),
    ],
)
def test_what_is_stored_in_parts_has_an_index(line: str, is_told: bool) -> None:
    text = "import torch\nclass Smoother:\n    def clip(self, low):\n"
    text += f"        if self.params.data[0] < low:\n            {line}\n"
    assert bool(advice("TP103", text)) == is_told


_CASTS = """
import torch
import torch.nn as nn
torch.manual_seed(1)
net, criterion = nn.Linear(2, 1), nn.MSELoss()
for x, y in loader:
    output = net(x)
    loss = criterion(output, y)
    total += {}
"""


@pytest.mark.parametrize(
    "cast",
    [
        "loss.type(torch.FloatTensor).data[0]",
        "loss.data.type(torch.cuda.FloatTensor)[0]",
        "loss.float().data[0]",
        "loss.cpu().float().data.numpy()[0]",
        "criterion(net(x), y).type(torch.float32).data[0]",
    ],
)
def test_a_cast_of_a_loss_of_floats_goes_with_its_index(cast: str) -> None:
    loss = "criterion(net(x), y)" if cast.startswith("criterion") else "loss"
    assert migrate(_CASTS.format(cast), "TP103").text == _CASTS.format(f"{loss}.item()")


_MODEL = "net, criterion = nn.Linear(2, 1), nn.MSELoss()\n"
_OWN = """class Own(nn.Module):
    def forward(self, output, y):
        return torch.mean(output)
net, criterion = nn.Linear(2, 1), Own()
"""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        # Another type, another number.
        (_CASTS.format("loss.type(torch.LongTensor).data[0]"), "loss.type(torch.LongTensor)"),
        (_CASTS.format("loss.double().data[0]"), "loss.double()"),
        (_CASTS.format("loss.long().data[0]"), "loss.long()"),
        (_CASTS.format("output.eq(y).sum().float().data[0]"), "output.eq(y).sum().float()"),
        # It may have been of doubles.
        (_CASTS.format("loss.float().data[0]") + "net.double()\n", "loss.float()"),
        (_CASTS.format("loss.float().data[0]").replace("net(x)", "x * 2"), "loss.float()"),
        (_CASTS.format("loss.float().data[0]").replace("net(x)", "torch.exp(x)"), "loss.float()"),
        (
            _CASTS.format("loss.float().data[0]").replace("criterion(o", "torch.dot(o"),
            "loss.float()",
        ),
        (_CASTS.format("loss.float().data[0]").replace(_MODEL, _OWN), "loss.float()"),
        (_CASTS.format("(loss * 2).float().data[0]"), "(loss * 2).float()"),
    ],
)
def test_a_cast_that_may_be_of_other_numbers_stays(text: str, kept: str) -> None:
    assert f"total += {kept}" in migrate(text, "TP103").text


@pytest.mark.parametrize(
    ("loss", "written"),
    [
        ("learner.loss_of_the_temporal_autoencoder", "learner.loss_of_the_temporal_autoencoder"),
        ("learner.models[0].loss_of_the_temporal_autoencoder_of_all_of_them", None),
    ],
)
def test_what_is_too_long_to_be_named_twice_is_named_once(loss: str, written: str | None) -> None:
    (found,) = advice("TP103", f"import torch\ndef f(learner):\n    print(float({loss}.data[0]))\n")
    item = f"{written}.item()" if written else ".item() instead"
    assert found.message == _told("the .data[0] here", "its tensor", item)


_REPLACED = """
import torch
from torch.autograd import Variable
def warn(name, value):
    if {asked}:
        value = value.data[0]
    {then}
"""


@pytest.mark.parametrize(
    "asked", ["isinstance(value, Variable)", "torch.is_tensor(value)", "type(value) is Variable"]
)
def test_what_a_variable_gives_way_to_was_a_number(asked: str) -> None:
    (finding,) = advice("TP103", _REPLACED.format(asked=asked, then="report(name, value)"))
    assert finding.message == (
        "value.data[0] raises where value has no dimensions, as single numbers since torch 0.4: "
        "write value.item()"
    )


@pytest.mark.parametrize(
    ("asked", "then"),
    [
        ("isinstance(value, Variable)", "report(name, value.size())"),
        ("isinstance(value, Variable)", "report(name, value[1])"),
        ("isinstance(value, Variable) and name", "report(name, value)"),
        ("isinstance(name, Variable)", "report(name, value)"),
        ("isinstance(value, list)", "report(name, value)"),
    ],
)
def test_what_gives_way_to_a_row_is_not_told(asked: str, then: str) -> None:
    assert not advice("TP103", _REPLACED.format(asked=asked, then=then))


def test_of_two_ways_none_is_a_number() -> None:
    text = _REPLACED.format(asked="isinstance(value, Variable)", then="else: value = name")
    assert not advice("TP103", text + "    report(name, value)\n")


_SAME_CALL = """
def train(model, x, y, total):
    loss = model.{trained}(x, y)
    loss.backward({gradient})
    total += model.loss(x, y).cpu().data.numpy()[0]
    return total
"""


def test_what_the_same_call_gives_to_backward_was_a_number() -> None:
    (finding,) = advice("TP103", _SAME_CALL.format(trained="loss", gradient=""))
    assert finding.message.endswith("write model.loss(x, y).item()")


@pytest.mark.parametrize(("trained", "gradient"), [("cost", ""), ("loss", "y")])
def test_another_call_does_not_show_a_number(trained: str, gradient: str) -> None:
    assert not advice("TP103", _SAME_CALL.format(trained=trained, gradient=gradient))


@pytest.mark.parametrize(
    ("places", "is_told"),
    [
        ("np.where(x.cpu() == y)", False),
        ("np.where(x)", False),
        ("np.where(*x)", True),
        ("np.where(x, y, y)", True),
        ("np.where(x, **y)", True),
    ],
)
def test_the_places_where_something_holds_are_arrays(places: str, is_told: bool) -> None:
    code = f"import numpy as np\nimport torch\n\ndef f(x, y):\n    return {places}[0].data[0]\n"
    assert bool(advice("TP103", code)) == is_told


def test_the_sum_of_two_numbers_is_put_into_parentheses() -> None:
    text = "import torch\na = torch.ones(3)\nprint(len(a.sum() + a.mean()))\n"
    (found,) = advice("TP103", text)
    assert found.message.endswith(": write (a.sum() + a.mean()).view(-1)")


@pytest.mark.parametrize("dtype", ["float", "np.float64", "'float32'", "numpy.double"])
def test_a_cast_to_floats_before_the_index_goes_with_it(dtype: str) -> None:
    text = "import torch\ndef f(x: torch.Tensor):\n    return x.mean().data.numpy()"
    after = migrate(f"{text}.astype({dtype})[0]\n", "TP103").text
    assert after.splitlines()[-1] == "    return x.mean().item()"


@pytest.mark.parametrize(
    "asked",
    ["astype(int)[0]", "astype(dtype)[0]", "astype('<f4')[0]", "astype(float, copy=False)[0]"],
)
def test_another_cast_stays(asked: str) -> None:
    text = "import torch\ndef f(x: torch.Tensor, dtype):\n    return x.mean().data.numpy()"
    text = f"{text}.{asked}\n"
    assert migrate(text, "TP103").text == text


@pytest.mark.parametrize(
    ("use", "is_told"),
    [
        ("word = lang.words[i]\n    kept.append([i])", True),
        ("kept.append(lang.words[i + 1])", True),
        ("row = kept[0][i:]\n    kept.append([i])", False),
        ("kept.append(i)", False),
    ],
)
def test_a_list_of_what_is_squeezed_may_be_a_number(use: str, is_told: bool) -> None:
    text = (
        "import torch\ndef f(parse, out, lang, kept):\n"
        f"    i = parse(out).squeeze().cpu().data.numpy().tolist()[0]\n    {use}\n"
    )
    assert [found.message for found in advice("TP103", text)] == [
        "the .cpu().data.numpy().tolist()[0] here raises where its tensor has no dimensions, as "
        "single numbers since torch 0.4: write parse(out).squeeze().item()"
    ][:is_told]
    assert not advice("TP103", text.replace(".squeeze()", ".squeeze(0)"))


@pytest.mark.parametrize(
    ("use", "is_told"),
    [
        ("names[labels[j].data.tolist()[0]]", True),
        ("names[labels[j].data.cpu().numpy().tolist()[0]]", True),
        ("names[labels[1:].data.tolist()[0]]", False),
        ("kept.extend(labels[j].data.tolist()[0])", False),
        ("labels = torch.zeros(3, 2)\n        names[labels[j].data.tolist()[0]]", False),
        ("names[labels[j].tolist()[0]]", False),
    ],
)
def test_a_list_of_an_element_may_be_a_number(use: str, is_told: bool) -> None:
    text = f"import torch\ndef f(labels, names, kept):\n    for j in range(3):\n        {use}\n"
    told = [f for f in advice("TP103", text) if "write labels[j].item()" in f.message]
    assert len(told) == is_told


_BACK = """import torch
from torch.autograd import Variable
def train(model, criterion, x, y, total=0):
    loss = criterion(model(Variable(x)), y)
    {}
    total += loss[0]
    print(loss[0])
    return total
"""


def test_the_element_of_what_is_back_propagated_is_told() -> None:
    (finding,) = advice("TP103", _BACK.format("loss.backward()"))
    assert finding.message == (
        "loss[0] raises where loss has no dimensions, as single numbers since torch 0.4, here and in "
        "line 7: write loss.item()"
    )


@pytest.mark.parametrize(
    "line",
    [
        "loss.backward(torch.ones(3))",
        "loss[0].backward()",
        "loss.view(-1).sum().backward()",
        "loss.backward(); assert len(loss) == loss.size(0) == 1",
        "loss.backward(); loss = [0]",
        "loss.sum().backward()",
    ],
)
def test_other_elements_are_not_told_beside_backward(line: str) -> None:
    assert not advice("TP103", _BACK.format(line))


def test_the_element_of_a_loss_that_is_a_part_of_a_graph_is_left_alone() -> None:
    text = _BACK.format("loss.backward()").replace("print(loss[0])", "loss[0].backward()")
    text = text.replace("total += loss[0]", "pass")
    assert not advice("TP103", text)


_ASKED = """
import torch
def show(model, x, y, cost, again):
    loss = torch.nn.functional.mse_loss(model(x), y)
    print({loss})
    print(x.data[0].item(), y.sum(1)[0].item())
    other = cost(x)
    if again:
        other.backward()
    print(other.data[0].item())
"""


@pytest.mark.parametrize(
    "asked",
    [
        "loss.data[0].item()",
        "loss[0].item()",
        "(loss.data[0]).item()",
        "loss.data.cpu().numpy()[0].item()",
    ],
)
def test_a_number_that_is_asked_for_of_the_element_has_no_element(asked: str) -> None:
    text = _ASKED.format(loss=asked)
    assert migrate(text, "TP103", "TP102").text == _ASKED.format(loss="loss.item()")


def test_of_what_may_be_one_number_that_is_told() -> None:
    (finding,) = advice("TP103", _ASKED.format(loss="loss"))
    assert finding.message.startswith("other.data[0].item() raises where other has no dimensions")
    assert finding.message.endswith("write other.item()")
