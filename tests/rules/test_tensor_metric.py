from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.finding import Numerics
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

LOOP = """
import torch
def test(model, loader):
    correct = {start}
    for x, y in loader:
        pred = torch.max(model(x), 1)[1]
        correct += {count}
    {use}
"""


def program(count: str, start: str = "0", use: str = "print(correct)") -> str:
    return LOOP.format(count=count, start=start, use=textwrap.indent(use, "    ").lstrip())


def counted(count: str, start: str = "0", use: str = "print(correct)") -> tuple[str, str]:
    return program(count, start, use), program(f"{count}.item()", start, use)


test_rewrites = rewrites(
    "TP606",
    {
        "comparison": counted("(pred == y).sum()"),
        "method": counted("pred.eq(y).sum()"),
        "on the CPU": counted("pred.eq(y.data).cpu().sum()"),
        "copied after the sum": counted("pred.eq(y).sum().cpu()"),
        "function": counted("torch.sum(pred == y.data)", start="0."),
        "as floats": counted("pred.eq(y.view_as(pred)).float().sum()"),
        "percentage that is returned": counted(
            "(pred == y).sum()", use="acc = 100. * correct / len(loader)\nreturn acc"
        ),
        "divided in place": counted(
            "(pred == y).sum()", use="correct /= len(loader)\nprint(correct)"
        ),
        "divided": counted(
            "(pred == y).sum()", use="correct = 100. * correct / len(loader)\nprint(correct)"
        ),
        "taken from all": counted(
            "(pred == y).sum()", use="correct = 1 - correct / len(loader)\nreturn correct"
        ),
        "formatted": counted(
            "(pred == y).sum()",
            use="print('%d of %d' % (correct, 7), '{}'.format(correct), f'{correct:.2f}')",
        ),
        "best value of a checkpoint": counted(
            "(pred == y).sum()", use="torch.save({'acc': correct / 7, 'net': model}, 'best')"
        ),
    },
)

test_keeps = keeps(
    "TP606",
    {
        "already modern": program("(pred == y).sum().item()"),
        "tensor at the start": program("(pred == y).sum()", start="torch.zeros(1)"),
        "unknown at the start": program("(pred == y).sum()", start="begin()"),
        "sum of values": program("pred.sum()"),
        "sum of losses": program("torch.nn.functional.mse_loss(x, y)"),
        "one count per class": program("(pred == y).sum(0)"),
        "numpy": program("(pred.numpy() == y.numpy()).sum()"),
        "divided by something unknown": program(
            "(pred == y).sum()", use="correct /= count(loader)\nprint(correct)"
        ),
        "calculated with something unknown": program(
            "(pred == y).sum()", use="correct = correct / count(loader)\nprint(correct)"
        ),
        "calculated with another": program(
            "(pred == y).sum()", use="correct = model.total / len(loader)\nprint(correct)"
        ),
        "unknown operands": program("(guess(x) == truth(y)).sum()"),
        "item later": program("(pred == y).sum()", use="print(correct.item())"),
        "method later": program("(pred == y).sum()", use="print(correct.double() / 7)"),
        "method of what is computed": program(
            "(pred == y).sum()", use="acc = correct / 7\nprint(acc.item())"
        ),
        "index later": program("(pred == y).sum()", use="print(correct[0])"),
        "handed to unknown code": program("(pred == y).sum()", use="report(correct)"),
        "kept in a list": program("(pred == y).sum()", use="history.append(correct)"),
        "torch function later": program("(pred == y).sum()", use="torch.sqrt(correct)"),
        "method on the key of the checkpoint": program(
            "(pred == y).sum()", use="state = {'acc': correct}\nprint(state['acc'].item())"
        ),
        "other variable is bound to it in the loop": """
            import torch
            def test(model, loader):
                correct = 0
                for x, y in loader:
                    correct += (torch.max(model(x), 1)[1] == y).sum()
                    last = correct
                print(last, correct)
            """,
        "something else is added as well": """
            import torch
            def test(model, loader):
                correct = 0
                for x, y in loader:
                    correct += (torch.max(model(x), 1)[1] == y).sum()
                correct += extra()
                print(correct)
            """,
        "attribute": """
            import torch
            class Meter:
                def add(self, pred, y):
                    self.correct += pred.eq(y.view(-1)).sum()
            """,
        "method at the caller": """
            import torch
            def test(model, loader):
                correct = 0
                for x, y in loader:
                    correct += (torch.max(model(x), 1)[1] == y).sum()
                return correct, 7
            def main(model, loader):
                correct, total = test(model, loader)
                print(correct.item() / total)
            """,
        "suppressed": program("(pred == y).sum()  # noqa: TP606"),
    },
)


@pytest.mark.parametrize("operator", ["-", "*", "|"])
def test_only_additions_count(operator: str) -> None:
    text = program("(pred == y).sum()").replace("+=", f"{operator}=")
    check = keeps("TP606", {"only": text})
    check(text)


OLD = """
import torch
from torch.autograd import Variable
def test(model, loader, report):
    correct = {start}
    for x, y in loader:
        x, y = Variable(x), Variable(y)
        pred = torch.max(model(x).data, 1)[1]
        correct += {count}
        report(correct)
    return [correct]
def leave(x):
    return Variable(x, {flag})
"""
VOLATILE = "volatile=x.is_cuda, requires_grad=False"


def in_old_file(count: str, start: str = "0", flag: str = VOLATILE) -> str:
    return OLD.format(count=count, start=start, flag=flag)


def number_before(count: str, start: str = "0") -> tuple[str, str]:
    return in_old_file(count, start), in_old_file(f"{count}.item()", start)


def kept_in_old_file(count: str, report: str = "report(loader.correct)") -> str:
    text = in_old_file(count).replace("correct", "loader.correct")
    return text.replace("report(loader.correct)", report)


def kept_before(count: str) -> tuple[str, str]:
    return kept_in_old_file(count), kept_in_old_file(f"{count}.item()")


test_counts_that_were_numbers = rewrites(
    "TP606",
    {
        "of what was no Variable": number_before("pred.eq(y.data).cpu().sum()"),
        "compared by an operator": number_before("(pred == y.data).sum()"),
        "data on one side only": number_before("(guess(x) == y.data).sum()"),
        "function": number_before("torch.sum(y.data.eq(pred))"),
        "data of the comparison": number_before("torch.sum((pred == y).data)", start="begin()"),
        "data of what a method gave": number_before("pred.eq(y).data.sum()", start="begin()"),
        "total that an object keeps": kept_before("pred.eq(y.data).sum()"),
        "share that an object keeps": kept_before("(pred == y.data).float().mean()"),
        "total that starts elsewhere": number_before("pred.eq(y.data).sum()", start="begin()"),
        "share": number_before("(pred == y.data).float().mean()"),
        "share by a function": number_before("torch.mean((pred.data == y.data).float())"),
        "share in double": number_before("pred.eq(y.data).cpu().double().mean()"),
    },
)


def test_shares_of_matches_are_pinned() -> None:
    (finding,) = migrate(in_old_file("pred.eq(y.data).float().mean()"), "TP606").findings
    assert finding.numerics is Numerics.PINNED
    assert "until 0.3" in finding.message


def test_shares_stay_in_files_that_may_be_newer() -> None:
    check = keeps("TP606", {"only": program("(pred == y.data).float().mean()")})
    check(program("(pred == y.data).float().mean()"))


@pytest.mark.parametrize(
    ("taken", "is_rewritten"),
    [
        ("_, pred = torch.max(x.exp().data, 1)", True),
        ("_, pred = x.exp().data.max(1)", True),
        ("_, pred = torch.max(x.exp(), 1)", False),
        ("_, pred = x.exp().data, x.exp()", False),
    ],
)
def test_indices_that_are_taken_apart(taken: str, is_rewritten: bool) -> None:
    count = "(pred == guess(x)).sum()"
    text = in_old_file(count).replace("pred = torch.max(model(x).data, 1)[1]", taken)
    after = text.replace(count, f"{count}.item()") if is_rewritten else text
    assert migrate(text, "TP606").text == after


test_keeps_what_may_have_been_a_variable = keeps(
    "TP606",
    {
        "Variables": in_old_file("y.eq(y).sum()"),
        "of any age": in_old_file("pred.eq(y.data).sum()", flag="requires_grad=False"),
        "no count": in_old_file("(pred * y.data).sum()"),
        "Variables that an object counts": kept_in_old_file("y.eq(y).sum()"),
        "no count of an object": kept_in_old_file("(pred * y.data).sum()"),
        "an attribute that is asked as a tensor": kept_in_old_file(
            "pred.eq(y.data).sum()", "report(model.correct.item())"
        ),
        "an attribute of which an element is taken": kept_in_old_file(
            "pred.eq(y.data).sum()", "report(loader.correct[0])"
        ),
        "data of the sum": in_old_file("(pred == y).sum().data"),
        "one per row": in_old_file("pred.eq(y.data).sum(1)"),
        "numpy": in_old_file("(pred.numpy() == y.data.numpy()).sum()"),
        "number already": in_old_file("pred.eq(y.data).sum().item()"),
        "of a list": in_old_file("sum(pred.eq(y.data))"),
        "share of Variables": in_old_file("y.eq(y).float().mean()"),
        "share of any age": in_old_file(
            "pred.eq(y.data).float().mean()", flag="requires_grad=False"
        ),
        "mean of values": in_old_file("model(x).data.mean()"),
        "share per row": in_old_file("pred.eq(y.data).float().mean(1)"),
        "share that is a number already": in_old_file("pred.eq(y.data).float().mean().item()"),
        "share by numpy": in_old_file("(pred.numpy() == y.data.numpy()).mean()"),
    },
)


@pytest.mark.parametrize(
    ("use", "is_rewritten"),
    [
        ("print(100. * correct / 7)", True),
        ("return correct", True),
        ("print(round(100. * correct.item() / 7))", False),
        ("print(correct.data[0])", False),
        ("print(correct[0])", False),
        ("return correct.cpu().numpy()", False),
    ],
)
def test_a_total_of_old_files_that_is_asked_as_a_tensor_is_none(
    use: str, is_rewritten: bool
) -> None:
    text = program("pred.eq(y).cpu().sum()", use=use).replace(
        "torch.max(model(x), 1)", "torch.max(model(x).data, 1)"
    )
    options = Options(era=Era((0, 3), (0, 3)))
    migration = migrate(text, "TP606", options=options)
    assert (migration.text != text) == is_rewritten


@pytest.mark.parametrize(
    ("use", "newest", "is_told"),
    [
        ("print(100. * correct / 7)", (1, 4), True),
        ("print(correct / 7)", (0, 4), True),
        ("print(7 / (1 + correct))", (1, 4), False),
        ("print(correct)", (1, 4), False),
        ("print(correct // 7)", (1, 4), False),
        ("print(100. * correct / 7)", (1, 5), False),
        ("print(100. * correct / 7)", (0, 3), False),
    ],
)
def test_the_cut_quotient_of_a_total_is_said(
    use: str, newest: tuple[int, int], is_told: bool
) -> None:
    text = program("pred.eq(y).cpu().sum()", use=use)
    migration = migrate(text, "TP606", options=Options(era=Era(newest, newest)))
    assert ".item()" in migration.text
    assert any("0.4 to 1.4 cut" in f.message for f in migration.findings) == is_told


_KEPT = """
import json
import numpy as np
import torch
from torch.autograd import Variable
def show(values):
    print(np.std(values))
model = torch.nn.Linear(3, 2)
def test(loader, out):
    q, p = [], []
    for x, y in loader:
        output = model(Variable(x, volatile=True))
        {keep}
    {use}
"""


def kept(keep: str, use: str = "print(np.mean(q))") -> str:
    return _KEPT.format(keep=keep, use=use.replace("\n", "\n    "))


@pytest.mark.parametrize(
    ("keep", "use"),
    [
        ("q.append(output.data.mean())", "print(np.mean(q))"),
        ("q.append(torch.max(output.data))", "np.save('q', (p, q))"),
        ("q.append(output.data.cpu().norm())", "show(q)"),
        ("q.append((y, output.data.std()))", "print(np.array([v for _, v in q]))"),
        ("q.append(output.data.sum())", "print(len(q), sum(q) / len(q))"),
        ("q.append(output.data.min())", "for v in q: print(v)"),
        ("q.append(output.data.min())", "r = q\nprint('best %s' % r[-1])"),
        ("q.append({'v': output.data.mean()})", "json.dump(q, out)"),
        ("q.append((output.data.max(1)[1] == y).sum())", "print(np.mean(q))"),
        ("q.append((y != output.data.max(1)[1]).sum())", "print(np.asarray(q).mean())"),
        ("q.append((output.data.max(1)[1] == y).float().mean())", "print(np.mean(q))"),
        ("p = [output.data.sum()]", "print(np.mean(p))"),
        ("print(output.data.mean())", "pass"),
        ("print('mean %s' % output.data.mean())", "pass"),
        ("m = output.data.mean()", "return m, 1, True"),
        ("print(np.log(output.data.sum()))", "pass"),
    ],
)
def test_what_was_a_number_is_one_where_numpy_or_print_takes_it(keep: str, use: str) -> None:
    text = kept(keep, use)
    migration = migrate(text, "TP606")
    (finding,) = migration.findings
    assert finding.numerics is Numerics.PINNED
    (line,) = [new for new in migration.text.splitlines() if new not in text.splitlines()]
    assert line.replace(".item()", "") in text.splitlines() and line.count(".item()") == 1
    assert migrate(migration.text, "TP606").text == migration.text


@pytest.mark.parametrize(
    ("keep", "use"),
    [
        ("q.append(output.data.mean())", "return torch.stack(q), np.mean(q)"),
        ("q.append(output.data.mean())", "print(q[0].item(), np.mean(q))"),
        ("q.append(output.data.mean())", "print(np.mean(q), [v.cpu() for v in q])"),
        ("q.append(output.data.mean())", "out.show(q, np.mean(q))"),
        ("q.append(output.data.mean())", "out.q = q\nprint(np.mean(q))"),
        ("q.append(output.data.mean())", "return q, np.mean(q)"),
        ("q.append(output.data.mean())", "q.sort()\nprint(np.mean(q))"),
        ("q.append(output.data.mean())", "print('%.3f' % (sum(q) / len(q)))"),
        ("q.append(output.data.mean())", "print(np.mean(q), [v[0] for v in q])"),
        ("q.append(output.data.mean())", "print([v * y for v in q])"),
        ("q.append(output.data.mean(0))", "print(np.mean(q))"),
        ("q.append(output.data.mean(dim=0))", "print(np.mean(q))"),
        ("q.append(output.mean())", "print(np.mean(q))"),
        ("q.append((output.max(1)[1] == Variable(y)).sum())", "print(np.mean(q))"),
        ("q.append(output.max(1)[1].eq(Variable(y)).sum())", "print(np.mean(q))"),
        ("q.append((output.data.max(1)[1] is y).sum())", "print(np.mean(q))"),
        ("q.append((output.data.max(1)[1] == y).sum(0))", "print(np.mean(q))"),
        ("q.append((output.data.max(1)[1] == y).sum())", "return torch.stack(q)"),
        ("q.append(output.data.mean().item())", "print(np.mean(q))"),
        ("q.append(output.data.mean() * output.data)", "print(np.mean(q))"),
        ("out.append(output.data.mean())", "print(np.mean(out))"),
        ("out.q.append(output.data.mean())", "print(np.mean(out.q))"),
        ("q.append(out.data.mean())", "print(np.mean(q))"),
        ("out.update(output.data.mean())", "print(out)"),
        ("print('mean %.3f' % output.data.mean())", "pass"),
        ("print('mean {:.3f}'.format(output.data.mean()))", "pass"),
        ("y = output.data.mean()", "print(y)"),
        ("m = output.data.mean()", "return m, x"),
        ("m = output.data.mean()", "return m"),
        ("m = output.data.mean()", "print(m.item())\nreturn m, 1"),
        ("y = float(output.data.mean())", "print(y)"),
    ],
)
def test_what_may_be_wanted_as_a_tensor_stays_one(keep: str, use: str) -> None:
    text = kept(keep, use)
    assert migrate(text, "TP606").text == text


def test_a_reduction_that_a_caller_asks_for_its_number_stays_a_tensor() -> None:
    text = kept("m = output.data.mean()", "return m, 1")
    asked = text + "m, n = test(batches, [])\nprint(m{})\n"
    assert migrate(asked.format(".item()"), "TP606").text == asked.format(".item()")
    assert "mean().item()" in migrate(asked.format(""), "TP606").text


@pytest.mark.parametrize(
    ("result", "numbers"),
    [
        ("[output] + [n, m, 3]", 2),
        ("[output, 3] + q + [n, len(y), m, 3]", 2),
        ("[n, m, 3]", 2),
        ("(n, m, 3)", 2),
        ("[n, m]", 0),
        ("[n, 3, output]", 0),
        ("[n, 3] + [m, output]", 1),
        ("[n, m, 3] * 2", 0),
        ("show([n, m, 3])", 0),
        ("[n, m, 3] + [m.cpu()]", 1),
    ],
)
def test_counts_that_are_returned_in_a_list_of_numbers_are_numbers(
    result: str, numbers: int
) -> None:
    n, m = "n = (output.data > 0).sum()", "m = output.data.ne(1).sum()"
    text = kept(n, f"return {result}")
    other = f"if x is y:\n            n = 0\n        {m}"
    text = text.replace(n, f"{n}\n        {other}")
    found = migrate(text, "TP606").text
    assert found.replace(".item()", "") == text
    assert found.count(".item()") == numbers


_LOG = """
import numpy as np
import torch
from torch.autograd import Variable
class Log:
    kept = {{}}
    def add(self, name, value):
        if name in self.kept:
            values = self.kept[name]
            {more}
            self.kept[name] = values
        else:
            self.kept[name] = [value]
    def get(self, name):
        return {read}
def scale(x, y):
    z = x.gather(1, y) * (x > 0).float()
    return z.sum(1)
log = Log()
for x, y in [(torch.ones(3, 2), torch.zeros(3, 2).long())]:
    x = Variable(x, volatile=True)
    s = scale(x.data, y)
    log.add('v', {value})
print({use})
"""


def logged(
    value: str = "x.data.mean()",
    more: str = "values.append(value)",
    read: str = "np.asarray(self.kept[name])",
    use: str = "log.get('v').mean()",
) -> str:
    return _LOG.format(value=value, more=more, read=read, use=use)


@pytest.mark.parametrize(
    "text",
    [
        logged(),
        logged(more="self.kept[name].append(value)"),
        logged(read="self.kept[name]", use="np.mean(log.get('v'))"),
        logged(value="(x.data / s.unsqueeze(1)).mean()"),
        logged(value="(2 - x.data).mean()"),
        logged(value="s.mean()"),
    ],
)
def test_what_an_object_keeps_for_numpy_was_a_number(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.py").write_text("class Other:\n    kept = 1\n")
    (after,) = migrated(tmp_path, log=text)
    assert after.replace(".item()", "") == text
    assert after.count(".item()") == 1


def migrated(folder: Path, **files: str) -> list[str]:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    settings = Settings(select=("TP606",))
    for name in files:
        migrate_file(folder / f"{name}.py", settings, write=True)
    return [(folder / f"{name}.py").read_text() for name in files]


@pytest.mark.parametrize(
    "text",
    [
        logged(read="torch.stack(self.kept[name])"),
        logged(read="self.kept[name][-1].cpu()"),
        logged(read="self.kept[name]", use="log.get('v')[0].item()"),
        logged(read="self.kept[name]"),
        logged(use="log.kept['v'][0].item()"),
        logged(use="given.kept, log.get('v')"),
        logged(more="values.append(value); values[0].cpu()"),
        logged(more="values = given(name); values.append(value)"),
        logged(value="x.mean()"),
        logged(value="(x.data.mean() * x).mean()"),
        logged(value="x.data.mean(0)"),
        logged().replace(", volatile=True", ""),
    ],
)
def test_what_an_object_may_keep_as_a_tensor_stays_one(tmp_path: Path, text: str) -> None:
    assert migrated(tmp_path, log=text) == [text]


@pytest.mark.parametrize(
    "other",
    [
        "from log import log\nprint(log.kept['v'][0].item())\n",
        "def show(given):\n    print(given.kept)\n",
        "from log import Log\nclass Mine(Log):\n    def last(self):\n"
        "        return self.kept['v'][-1].cpu()\n",
    ],
)
def test_what_another_file_may_read_of_an_object_stays_a_tensor(tmp_path: Path, other: str) -> None:
    assert migrated(tmp_path, log=logged(), other=other) == [logged(), other]


def test_a_reduction_stays_a_tensor_in_files_for_newer_torch() -> None:
    text = kept("q.append(output.data.mean())").replace(", volatile=True", "")
    assert migrate(text, "TP606").text == text


def test_a_list_that_a_function_is_given_is_read_out_of_sight() -> None:
    text = kept("q.append(output.data.mean())", "print(np.mean(q))")
    text = text.replace("q, p = [], []", "p = []").replace("(loader, out)", "(loader, q)")
    text += "test(batches, [])\n"
    assert migrate(text, "TP606").text == text


_METER = """
import torch
from torch.autograd import Variable
class Mean:
    def __init__(self, total=0):
        self.total, self.count = total, 0
    def update(self, value, n=1):
        {update}
        self.count += n
    def value(self):
        return {value}
model = torch.nn.Linear(3, 2)
def test(loader):
    mean = Mean()
    for x, y in loader:
        pred = model(Variable(x, volatile=True)).data.max(1)[1]
        {call}
    print(mean.value())
"""


def _metered(
    call: str = "mean.update(torch.sum(pred != y), 3)",
    update: str = "self.total += value",
    value: str = "self.total / self.count",
) -> str:
    return _METER.format(call=call, update=update, value=value)


@pytest.mark.parametrize(
    "call",
    [
        "mean.update(torch.sum(pred != y), 3)",
        "mean.update((pred == y).sum())",
        "mean.update(n=2, value=pred.eq(y).float().mean())",
    ],
)
def test_what_a_meter_of_the_project_adds_up_was_a_number(call: str) -> None:
    text = _metered(call)
    migration = migrate(text, "TP606")
    (finding,) = migration.findings
    assert finding.numerics is Numerics.PINNED
    assert migration.text.replace(".item()", "") == text
    assert migration.text.count(".item()") == 1


@pytest.mark.parametrize(
    "text",
    [
        _metered(value="self.total.item() / self.count"),
        _metered(value="self.total[0] / self.count"),
        _metered(update="self.total += value.cpu()"),
        _metered(update="self.total = torch.add(value, self.total)"),
        _metered(update="self.kept = value\n        self.total += self.kept"),
        _metered(call="mean.update((pred == y).sum(0))"),
        _metered(call="model.update((pred == y).sum())"),
        _metered(call="mean.update([(pred == y).sum()])"),
        _metered().replace(", volatile=True", ""),
        _metered().replace("pred != y", "pred != Variable(y)").replace(".data", ""),
    ],
)
def test_what_a_meter_may_want_as_a_tensor_stays_one(text: str) -> None:
    assert migrate(text, "TP606").text == text


_NAMED = """
import torch
from torch.autograd import Variable
def test(model, loader):
    correct, seen, hits = 0, 0, []
    for x, y in loader:
        x, y = Variable(x, volatile=True), Variable(y)
        pred = model(x).max(1)[1]
        {0}
        {1}
    {2}
"""


def named(count: str, add: str = "correct += n", use: str = "print(correct)") -> str:
    return _NAMED.format(count, add, use)


@pytest.mark.parametrize(
    ("count", "add"),
    [
        ("n = pred.data.eq(y.data).sum()", "correct += n"),
        ("n = torch.sum(pred.data == y.data)", "correct += n"),
        ("n = pred.data.eq(y.data).masked_select(y.ne(0).data).sum()", "correct += n"),
        ("n = y.data.ne(0).sum()", "correct += n; seen += n"),
        ("n = y.data.ne(0).cpu().sum()", "print(n); correct += n"),
    ],
)
def test_a_count_that_has_a_name_before_it_is_added_is_a_number(count: str, add: str) -> None:
    text = named(count, add)
    found = migrate(text, "TP606")
    assert found.text == named(f"{count}.item()", add)
    assert {f.numerics for f in found.findings if f.fixed} == {Numerics.IDENTICAL}


def test_a_count_that_gets_its_name_beside_another_is_a_number() -> None:
    found = migrate(named("n, m = pred.data.eq(y.data).sum(), 3"), "TP606")
    assert found.text == named("n, m = pred.data.eq(y.data).sum().item(), 3")


@pytest.mark.parametrize(
    ("count", "add", "use"),
    [
        ("n = pred.eq(y).sum()", "correct += n", ""),
        ("n = pred.data.eq(y.data).sum(1)", "correct += n", ""),
        ("n = pred.data.masked_select(y.ne(0).data).sum()", "correct += n", ""),
        ("n = pred.data.eq(y.data).sum().item()", "correct += n", ""),
        ("n = pred.data.eq(y.data).sum()", "print(n)", ""),
        ("n = pred.data.eq(y.data).sum()", "correct -= n", ""),
        ("n = pred.data.eq(y.data).sum()", "correct += n.item()", ""),
        ("n = pred.data.eq(y.data).sum()", "correct += n; hits += n.cpu()", ""),
        ("n = pred.data.eq(y.data).sum()", "correct += n", "print(correct.item())"),
        ("n = m = pred.data.eq(y.data).sum()", "correct += n", ""),
        ("model.n = pred.data.eq(y.data).sum()", "correct += model.n", ""),
    ],
)
def test_a_named_count_that_is_not_added_as_a_number_stays(count: str, add: str, use: str) -> None:
    text = named(count, add, use or "print(correct)")
    assert migrate(text, "TP606").text == text


def test_a_named_count_stays_in_files_for_newer_torch() -> None:
    text = named("n = pred.data.eq(y.data).sum()").replace(", volatile=True", "")
    assert migrate(text, "TP606").text == text


@pytest.mark.parametrize(
    ("whole", "is_number"),
    [
        ("correct = found.eq(y.data).sum()", True),
        ("correct = found.eq(kept).sum()", True),
        ("correct = found.sum()", False),
        ("correct = found.eq(y.data).sum(0)", False),
        ("n = found.eq(y.data).sum()", False),
        ("n = correct = found.eq(y.data).sum()", False),
    ],
)
def test_a_total_is_a_number_on_its_other_way_too(whole: str, is_number: bool) -> None:
    def text(whole: str, count: str) -> str:
        head = "found = torch.LongTensor()\n        kept = torch.cat((found, y.data))"
        found = "found = torch.cat([found, pred.data])"
        return named(f"{head}\n        {found}", f"correct += {count}", whole)

    count = "pred.data.eq(y.data).sum()"
    after = f"{whole}.item()" if is_number else whole
    assert migrate(text(whole, count), "TP606").text == text(after, f"{count}.item()")
    # Where the total is asked for what no number has, none is made of it.
    asked = text(f"{whole}\n    print(correct.item())", count)
    assert migrate(asked, "TP606").text == asked
