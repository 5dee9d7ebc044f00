from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

_HEAD = """
import torch, torch.nn as nn, torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
    def forward(self, x):
        return self.fc(x)
model = Net()
"""


def _program(code: str, head: str = _HEAD) -> str:
    return head + textwrap.dedent(code)


def _pair(before: str, after: str) -> tuple[str, str]:
    return _program(before), _program(after)


test_rewrites = rewrites(
    "TP112",
    {
        "the loop over the data": _pair(
            """
            def test():
                model.eval()
                loss = correct = 0
                for data, target in loader:
                    data, target = data.cuda(), target.cuda()
                    output = model(data)
                    loss += F.nll_loss(output, target).item()
                    correct += output.max(1)[1].eq(target).sum().item()
                return loss / len(loader), correct
            """,
            """
            def test():
                model.eval()
                loss = correct = 0
                with torch.no_grad():
                    for data, target in loader:
                        data, target = data.cuda(), target.cuda()
                        output = model(data)
                        loss += F.nll_loss(output, target).item()
                        correct += output.max(1)[1].eq(target).sum().item()
                return loss / len(loader), correct
            """,
        ),
        "up to where the model is set to be trained again": _pair(
            """
            def show(noise, truth):
                model.eval()
                fake = model(noise)
                loss = F.mse_loss(fake, truth)
                model.train()
                torch.save(fake.cpu().data, "fake.pt")
                print(loss.item())
            """,
            """
            def show(noise, truth):
                model.eval()
                with torch.no_grad():
                    fake = model(noise)
                    loss = F.mse_loss(fake, truth)
                model.train()
                torch.save(fake.cpu().data, "fake.pt")
                print(loss.item())
            """,
        ),
        "beyond what sets another mode only at times": _pair(
            """
            def show(noise, truth, more):
                model.eval()
                fake = model(noise)
                if more:
                    model.train()
                loss = F.mse_loss(fake, truth)
                print(loss.item())
            """,
            """
            def show(noise, truth, more):
                model.eval()
                with torch.no_grad():
                    fake = model(noise)
                    if more:
                        model.train()
                    loss = F.mse_loss(fake, truth)
                print(loss.item())
            """,
        ),
        "what is evaluated behind a step of training, before the scheduler's": _pair(
            """
            def epoch(x, y):
                model.train()
                F.nll_loss(model(x), y).backward()
                optimizer.step()
                model.eval()
                loss = F.nll_loss(model(x), y)
                scheduler.step()
                print(loss.item())
            """,
            """
            def epoch(x, y):
                model.train()
                F.nll_loss(model(x), y).backward()
                optimizer.step()
                model.eval()
                with torch.no_grad():
                    loss = F.nll_loss(model(x), y)
                scheduler.step()
                print(loss.item())
            """,
        ),
        "what takes a part of a parameter stays outside": _pair(
            """
            def test():
                model.eval()
                layer, norm = nn.Linear(3, 3), 0
                for data, target in loader:
                    output = model(data)
                    row = layer.weight[0]
                    norm += layer.weight
                    print(F.nll_loss(output, target).item())
                return row, norm
            """,
            """
            def test():
                model.eval()
                layer, norm = nn.Linear(3, 3), 0
                for data, target in loader:
                    with torch.no_grad():
                        output = model(data)
                    row = layer.weight[0]
                    norm += layer.weight
                    print(F.nll_loss(output, target).item())
                return row, norm
            """,
        ),
        "up to the last use, where the loop does other things": _pair(
            """
            from utils import progress
            def test():
                model.eval()
                for data, target in loader:
                    progress()
                    output = model(data)

                    loss = F.nll_loss(output, target)  # mean
                    progress(loss.item())
            """,
            """
            from utils import progress
            def test():
                model.eval()
                for data, target in loader:
                    progress()
                    with torch.no_grad():
                        output = model(data)

                        loss = F.nll_loss(output, target)  # mean
                    progress(loss.item())
            """,
        ),
        "a printed loss": _pair(
            """
            def test():
                model.eval()
                loss = F.nll_loss(model(data), target)
                print("loss", loss, loss.item())
            """,
            """
            def test():
                model.eval()
                with torch.no_grad():
                    loss = F.nll_loss(model(data), target)
                print("loss", loss, loss.item())
            """,
        ),
        "train(False)": _pair(
            """
            model.train(False)
            scores = model(torch.ones(2, 4)).data
            """,
            """
            model.train(False)
            with torch.no_grad():
                scores = model(torch.ones(2, 4)).data
            """,
        ),
        "a model that is not seen, but classifies": (
            """
            import torch
            from models import VGG
            net = VGG()
            net.eval()
            for x, y in loader:
                right = net(x).argmax(1) == y
            """,
            """
            import torch
            from models import VGG
            net = VGG()
            net.eval()
            with torch.no_grad():
                for x, y in loader:
                    right = net(x).argmax(1) == y
            """,
        ),
        "a metric of another file, read as a number": (
            """
            import torch
            import torch.nn.functional as F
            from utils import accuracy
            def test(model):
                model.eval()
                output = model(features)
                loss = F.nll_loss(output[rows], labels[rows])
                print(loss.item(), accuracy(output[rows], labels[rows]).item())
            """,
            """
            import torch
            import torch.nn.functional as F
            from utils import accuracy
            def test(model):
                model.eval()
                with torch.no_grad():
                    output = model(features)
                    loss = F.nll_loss(output[rows], labels[rows])
                    print(loss.item(), accuracy(output[rows], labels[rows]).item())
            """,
        ),
        "an attribute, and a function of this file": (
            """
            from torch import nn
            def mean_of(values):
                kept = []
                for value in values:
                    kept.append(value)
                return sum(kept) / len(kept)
            class Trainer:
                def __init__(self):
                    self.net = nn.Linear(4, 2)
                def validate(self):
                    self.net.eval()
                    losses = []
                    for batch in self.batches:
                        losses.append(self.net(batch).sum())
                    return mean_of(losses).item()
            """,
            """
            import torch
            from torch import nn
            def mean_of(values):
                kept = []
                for value in values:
                    kept.append(value)
                return sum(kept) / len(kept)
            class Trainer:
                def __init__(self):
                    self.net = nn.Linear(4, 2)
                def validate(self):
                    self.net.eval()
                    losses = []
                    with torch.no_grad():
                        for batch in self.batches:
                            losses.append(self.net(batch).sum())
                    return mean_of(losses).item()
            """,
        ),
        "a helper of this file for the input": _pair(
            """
            def to_var(x):
                if torch.cuda.is_available():
                    x = x.cuda()
                return x
            def test():
                model.eval()
                for x in loader:
                    print(model(to_var(x)).sum().item())
            """,
            """
            def to_var(x):
                if torch.cuda.is_available():
                    x = x.cuda()
                return x
            def test():
                model.eval()
                with torch.no_grad():
                    for x in loader:
                        print(model(to_var(x)).sum().item())
            """,
        ),
        "a generator is not suspended under no_grad": _pair(
            """
            def scores():
                model.eval()
                for x in loader:
                    output = model(x)
                    yield
                    print(output.sum().item())
            """,
            """
            def scores():
                model.eval()
                for x in loader:
                    with torch.no_grad():
                        output = model(x)
                    yield
                    print(output.sum().item())
            """,
        ),
        "models in a model of torch": _pair(
            """
            both = nn.DataParallel(nn.Sequential(nn.Linear(4, 4), Net()))
            both.eval()
            print(both(x).sum().item())
            """,
            """
            both = nn.DataParallel(nn.Sequential(nn.Linear(4, 4), Net()))
            both.eval()
            with torch.no_grad():
                print(both(x).sum().item())
            """,
        ),
        "two loops": _pair(
            """
            def test():
                model.eval()
                for x in train_loader:
                    print(model(x).sum().item())
                report()
                for x in test_loader:
                    print(model(x).sum().item())
            """,
            """
            def test():
                model.eval()
                with torch.no_grad():
                    for x in train_loader:
                        print(model(x).sum().item())
                report()
                with torch.no_grad():
                    for x in test_loader:
                        print(model(x).sum().item())
            """,
        ),
        "runs in both branches": _pair(
            """
            def test(x, wide):
                model.eval()
                if wide:
                    out = model(x)
                else:
                    out = model(x.half())
                print(out.sum().item())
            """,
            """
            def test(x, wide):
                model.eval()
                with torch.no_grad():
                    if wide:
                        out = model(x)
                    else:
                        out = model(x.half())
                print(out.sum().item())
            """,
        ),
        "the part after the training": _pair(
            """
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            def epoch():
                model.train()
                loss = F.nll_loss(model(x), y)
                loss.backward()
                optimizer.step()
                model.eval()
                loss = F.nll_loss(model(x), y)
                print(loss.item())
            """,
            """
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            def epoch():
                model.train()
                loss = F.nll_loss(model(x), y)
                loss.backward()
                optimizer.step()
                model.eval()
                with torch.no_grad():
                    loss = F.nll_loss(model(x), y)
                print(loss.item())
            """,
        ),
    },
)

_EVALUATE = """
import collections
from engine import gradient_penalty, update
def evaluate(x, y):
    model.eval()
    output = model(x)
    loss = F.nll_loss(output, y)
    {end}
"""

test_keeps_what_goes_on = keeps(
    "TP112",
    {
        end: _program(_EVALUATE.format(end=end))
        for end in (
            "return loss",
            "return loss.item(), output",
            "yield loss.item(); yield output",
            "self.loss = loss",
            "results[0] = loss",
            "results.append(loss)",
            "meter.update(loss)",
            "meter.add(loss)",
            "print((kept := output).sum().item())",
            "global kept; kept = output",
            "loss.backward()",
            "torch.autograd.backward(loss)",
            "print(torch.autograd.grad(loss, x)[0].sum().item())",
            "print(torch.autograd.grad(F.relu(output).sum(), x)[0].item())",
            "penalty = gradient_penalty(output, x).item()",
            "penalty = gradient_penalty(output, model).item()",
            "update(output, y)",
            "output.retain_grad()",
            "print(output.grad_fn)",
            "assert output.requires_grad",
            "torch.save(output, 'output.pt')",
            "kept = collections.deque([output])",
            "callback = lambda: output.sum()",
            "return [o for o in output]",
            "raise Wrong(output)",
            "[o.backward() for o in output]",
            "total.add_(loss)",
            "memory.append(output); print(memory[0].item())",
            "kept = self.kept = []; kept.append(output)",
            "kept = []; self.kept = kept; kept += [output]; print(kept[0].item())",
            "kept = []; self.kept = kept; kept.append(output); print(kept[0].item())",
        )
    },
)

test_keeps = keeps(
    "TP112",
    {
        "no eval()": _program("for x in loader:\n    print(model(x).sum().item())\n"),
        "eval() for some": _program(
            "if fast:\n    model.eval()\nfor x in loader:\n    print(model(x).sum().item())\n"
        ),
        "eval() of another": _program(
            "other = Net()\nother.eval()\nfor x in loader:\n    print(model(x).sum().item())\n"
        ),
        "eval() after the run": _program(
            "for x in loader:\n    print(model(x).sum().item())\nmodel.eval()\n"
        ),
        "back in training mode": _program(
            "model.eval()\nmodel.train()\nprint(model(x).sum().item())\n"
        ),
        "dropout on again": _program(
            """
            model.eval()
            for layer in model.modules():
                if isinstance(layer, nn.Dropout):
                    layer.train()
            print(model(x).sum().item())
            """
        ),
        "a penalty of the step that trains, whose use is left out": _program(
            """
            for x, y in loader:
                loss = other(x).sum()
                model.eval()
                penalty = F.nll_loss(model(x), y)
                loss.backward()
                optimizer.step()
                print(loss.item(), penalty.item())
            """
        ),
        "another model by now": _program(
            "model.eval()\nmodel = make()\nprint(model(x).sum().item())\n"
        ),
        "eval of Python": "import torch\nmodel = eval('f')\nmodel(2)\n",
        "eval() of something else": """
            import torch, pandas
            frame = pandas.DataFrame()
            frame.eval()
            print(frame(2).item())
            """,
        "already under no_grad": _program(
            """
            def test():
                model.eval()
                with torch.no_grad():
                    for x in loader:
                        print(model(x).sum().item())
            """
        ),
        "in inference mode": _program(
            "model.eval()\nwith torch.inference_mode():\n    print(model(x).sum().item())\n"
        ),
        "decorated": _program(
            """
            @torch.no_grad()
            def test():
                model.eval()
                print(model(x).sum().item())
            """
        ),
        "called under no_grad": _program(
            """
            def test():
                model.eval()
                print(model(x).sum().item())
            with torch.no_grad():
                test()
            """
        ),
        "switched off for good": _program(
            "torch.set_grad_enabled(False)\nmodel.eval()\nprint(model(x).sum().item())\n"
        ),
        "volatile is for TP102": _program(
            """
            from torch.autograd import Variable
            model.eval()
            print(model(Variable(x, volatile=True)).data.sum())
            """
        ),
        "a frozen feature extractor": _program(
            """
            def perceptual(x, y):
                model.eval()
                return F.mse_loss(model(x), model(y))
            """
        ),
        "a teacher whose output is not detached": _program(
            """
            def distill(student, optimizer):
                model.eval()
                for x in loader:
                    loss = F.mse_loss(student(x), model(x))
                    loss.backward()
                    optimizer.step()
            """
        ),
        "an attack": _program(
            """
            def attack(x, y):
                model.eval()
                x.requires_grad = True
                loss = F.nll_loss(model(x), y)
                loss.backward()
                return x.grad.data
            """
        ),
        "training with frozen statistics": _program(
            """
            model.eval()
            for x, y in loader:
                output = model(x)
                step(F.nll_loss(output, y))
            """
        ),
        "only run, for what hooks see": _program("model.eval()\nmodel(x)\n"),
        "hooks": _program(
            """
            model.fc.register_forward_hook(keep)
            model.eval()
            print(model(x).sum().item())
            """
        ),
        "an unknown model that does not classify": """
            import torch
            from atoms import SchNet
            model = SchNet()
            model.eval()
            for batch in loader:
                print(model(batch)["forces"].abs().mean().item())
            """,
        "an unknown model in one of torch": """
            import torch
            from atoms import SchNet
            model = torch.nn.DataParallel(SchNet())
            model.eval()
            for batch in loader:
                print(model(batch).abs().mean().item())
            """,
        "an unknown model where gradients are asked for": """
            import torch
            from learning import Meta
            model = Meta()
            model.eval()
            print(model(x).argmax(1).sum().item())
            def adapt(loss, weights):
                return torch.autograd.grad(loss, weights, create_graph=True)
            """,
        "a forward that takes gradients": """
            import torch
            from torch import nn
            class Energy(nn.Module):
                def forward(self, x):
                    return torch.autograd.grad(x.pow(2).sum(), x)[0]
            model = Energy()
            model.eval()
            print(model(x).sum().item())
            """,
        "a forward that keeps what it computes": """
            import torch
            from torch import nn
            class Style(nn.Module):
                def forward(self, x):
                    self.loss = x.sum()
                    return x
            model = Style()
            model.eval()
            print(model(x).sum().item())
            """,
        "a layer with another path without gradients": """
            import torch
            from torch import nn
            model = nn.TransformerEncoderLayer(8, 2)
            model.eval()
            print(model(x).sum().item())
            """,
        "a generator that runs later": _program(
            """
            model.eval()
            outputs = (model(x) for x in loader)
            for output in outputs:
                print(output.sum().item())
            """
        ),
        "eval() outside of the function": _program(
            """
            model.eval()
            def test():
                print(model(x).sum().item())
            """
        ),
        "a function of this file that hands on": _program(
            """
            from engine import learn
            def loss_of(output):
                return learn(output)
            def test():
                model.eval()
                print(loss_of(model(x)).item())
            """
        ),
        "a function of this file that keeps": _program(
            """
            history = []
            def loss_of(output):
                history.append(output)
                return output.sum()
            def test():
                model.eval()
                print(loss_of(model(x)).item())
            """
        ),
        "outputs that other functions read": _program(
            """
            model.eval()
            output = model(x)
            def show():
                return output
            """
        ),
        "a loop that suspends": _program(
            """
            def scores():
                model.eval()
                for x in loader:
                    score = model(x).sum().item() + (yield)
            """
        ),
        "code for both": _program(
            """
            if torch.__version__ >= "0.4":
                model.eval()
                print(model(x).sum().item())
            """
        ),
    },
)


@pytest.mark.parametrize("attack", ["adversary.perturb(x, y)", "perturb(x, y)"])
def test_a_loop_that_attacks_is_not_wrapped(attack: str) -> None:
    before = _program(
        f"""
        from attacks import adversary, perturb
        model.eval()
        for x, y in loader:
            worse = {attack}
            right = model(worse).argmax(1).eq(y)
        """
    )
    after = migrate(before, "TP112").text
    assert f"for x, y in loader:\n    worse = {attack}\n    with torch.no_grad():\n" in after


def test_what_is_imported_elsewhere_keeps_its_graph() -> None:
    from torchfix_codemods.engine.migrate import Options

    text = _program("model.eval()\noutput = model(x)\nprint(output.sum().item())\n")
    options = Options(used_elsewhere=lambda name: name == "output")
    assert migrate(text, "TP112", options=options).text == text
    assert migrate(text, "TP112").text != text


_VOLATILE = _program(
    """
    from torch.autograd import Variable
    def test():
        model.eval()
        loss = 0
        for data, target in loader:
            data, target = Variable(data, volatile=True), Variable(target)
            loss += F.nll_loss(model(data), target).data[0]
        return loss
    """
)


@pytest.mark.parametrize("order", [("TP102", "TP112"), ("TP112", "TP102")])
def test_volatile_code_is_wrapped_once(order: tuple[str, str]) -> None:
    text = _VOLATILE
    for code in order:
        text = migrate(text, code).text
    assert text == migrate(_VOLATILE, *order).text
    assert text.count("with torch.no_grad():") == 1


def test_a_model_that_holds_itself_ends() -> None:
    text = """import torch
import torch.nn as nn
def evaluate(rows, weights):
    losses = []
    model = nn.Sequential(nn.Linear(4, 16), model.apply(weights))
    for row in rows:
        model.eval()
        losses.append(model(row).sum().item())
    return losses
"""
    migrate(text, "TP112")


def test_it_gives_no_advice() -> None:
    assert advice("TP112", _program(_EVALUATE.format(end="return output"))) == []


_ENERGY = """import torch
import torch.nn as nn
import higher
class Energy(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
    def forward(self, x):
        OPTIONS
        inner = higher.get_diff_optim(torch.optim.SGD([y], lr=0.1), [y], device=x.device)
        for _ in range(5):
            y, = inner.step(self.net(x, y).sum(), params=[y])
        return y
model = Energy(build())
model.eval()
for x, target in loader:
    output = model(x)
    correct += (output.argmax(1) == target).sum().item()
"""


@pytest.mark.parametrize(
    ("made", "is_wrapped"),
    [
        ("y = torch.zeros(len(x), 10, requires_grad=True)", False),
        ("y = torch.zeros(len(x), 10).requires_grad_()", False),
        ("torch.set_grad_enabled(True)", False),
        ("y = torch.zeros(len(x), 10, requires_grad=False)", True),
    ],
)
def test_a_model_that_finds_its_output_by_gradients(made: str, is_wrapped: bool) -> None:
    after = migrate(_ENERGY.replace("OPTIONS", made), "TP112").text
    assert ("torch.no_grad()" in after) is is_wrapped


_COMMENTED = """
model.eval()
for x in loader:
    output = model(x)
    if x is not None:
        print(output.sum().item())
    # if verbose:
        # print(x)
# Below stands what follows.
print(model)
"""


def test_comments_at_the_end_of_a_block_move_with_it() -> None:
    after = migrate(_program(_COMMENTED), "TP112").text
    assert after.endswith(
        "    for x in loader:\n"
        "        output = model(x)\n"
        "        if x is not None:\n"
        "            print(output.sum().item())\n"
        "        # if verbose:\n"
        "            # print(x)\n"
        "# Below stands what follows.\n"
        "print(model)\n"
    )


def test_comments_that_stand_less_deep_than_a_block_stay() -> None:
    text = _program(_COMMENTED).replace("    # if verbose:", "# if verbose:")
    assert "\n# if verbose:\n" in migrate(text, "TP112").text


_SHOWN = "    print({0})\n    with open(name) as file:\n        print(file.read())\n"


@pytest.mark.parametrize(("shown", "is_small"), [(9, True), (4, False)])
def test_a_long_loop_is_not_indented_for_a_few_lines(shown: int, is_small: bool) -> None:
    loop = "model.eval()\nfor name, x in loader:\n    y = model(x)\n"
    rest = "".join(_SHOWN.format(n) for n in range(shown)) + "    print(y.max(1)[1])\n"
    text = migrate(_program(loop + rest), "TP112").text
    in_loop = "    with torch.no_grad():\n        y = model(x)\n    print(0)\n"
    assert (in_loop in text) is is_small
    assert ("\nwith torch.no_grad():\n    for name" in text) is not is_small


@pytest.mark.parametrize(
    ("below", "is_kept"),
    [
        ("y1 = other(x)", True),
        ("x = x * 2\ny1 = other(x)", False),
        ("y1 = criterion(y, x)", False),
        ("other.eval()\n    y1 = other(x)", False),
    ],
)
def test_one_of_two_modules_that_get_the_same_is_not_evaluated_alone(
    below: str, is_kept: bool
) -> None:
    text = "import torch\nimport torch.nn as nn\ndef f(x, target):\n"
    lines = ["net, other = nn.Linear(3, 4), nn.Linear(3, 4)", "criterion = nn.MSELoss()"]
    lines += ["net.eval()", "x = torch.from_numpy(x)", "y = net(x)", "print(criterion(y, target))"]
    lines += [*below.replace("    ", "").split("\n"), "print(y1.detach().numpy())"]
    text += "".join(f"    {line}\n" for line in lines)
    assert ("no_grad" not in migrate(text, "TP112").text) is is_kept


@pytest.mark.parametrize("line", ["loss.backward()", "learn(loss)"])
def test_what_teaches_a_module_that_is_trained_is_evaluated_alone(line: str) -> None:
    text = f"""import torch
import torch.nn as nn
def learn(loss):
    loss.backward()
def f(batches):
    teacher, student = nn.Linear(3, 4), nn.Linear(3, 4)
    teacher.eval()
    for x in batches:
        x = torch.from_numpy(x)
        y = teacher(x)
        loss = nn.MSELoss()(student(x), y.detach())
        {line}
"""
    after = migrate(text, "TP112").text
    assert "        with torch.no_grad():\n            y = teacher(x)\n        loss" in after


_ABOVE = """
embedding = nn.Embedding(9, 4)
def test(words, target, keep):
    model.eval()
    {0}
    output = model(e)
    print(output.argmax(1) == target)
    {1}
"""
_RUN = "e = embedding(words)"


@pytest.mark.parametrize(
    ("above", "below", "is_inside"),
    [
        (_RUN, "pass", True),
        (_RUN, "keep(e)", False),
        ("e = keep(words)", "pass", False),
        ("keep.e = e = embedding(words)", "pass", False),
    ],
)
def test_what_another_model_makes_for_it_alone_goes_in(
    above: str, below: str, is_inside: bool
) -> None:
    after = migrate(_program(_ABOVE.format(above, below)), "TP112").text
    assert (f"    with torch.no_grad():\n        {above}\n" in after) is is_inside
    assert (f"\n    {above}\n" in after) is not is_inside


_PLOTTED = """
import matplotlib.pyplot as plt
optimizer = torch.optim.Adam(model.parameters(), 0.001)
x = torch.ones(3, 4)
loss = model(x).sum()
loss.backward()
optimizer.step()
model.eval()
out = model(x)

plt.plot([1, 2], color='red')
plt.plot({drawn}.cpu().data, color='blue')
plt.show()
"""


def test_what_only_draws_what_came_out_stands_below_the_block() -> None:
    block = "\nwith torch.no_grad():\n    out = model(x)\n\n"
    after = migrate(_program(_PLOTTED.format(drawn="out")), "TP104", "TP112").text
    assert f"{block}plt.plot([1, 2], color='red')\nplt.plot(out.cpu(), color='blue')\n" in after
    # What is calculated for it with weights has a graph of its own.
    after = migrate(_program(_PLOTTED.format(drawn="(out * model.fc.bias)")), "TP104", "TP112").text
    assert "plt.plot((out * model.fc.bias).cpu().detach(), color='blue')" in after


_LONG_LOOP = """
def validate(x, labels, toy):
    model.train()
    F.nll_loss(model(x), labels).backward()
    model.eval()
    losses = 0
    for i in range(10):
        mean = 0
        print(i)
        if toy:
            a, b, y = \\
                torch.ones(3, 4), \\
                torch.ones(3, 4), \\
                torch.zeros(3, dtype=torch.long)
        else:
            a, b, y = \\
                torch.rand(3, 4), \\
                torch.rand(3, 4), \\
                torch.ones(3, dtype=torch.long)
        output = model(a)
{between}
        mean += F.nll_loss(output, y)
        losses += mean.item()
    print(losses)
"""


@pytest.mark.parametrize("lines", [0, 12])
def test_code_that_was_taken_out_is_none_that_needs_the_block(lines: int) -> None:
    between = "\n".join(["        # act = output.argmax(1)"] * lines)
    text = _program(_LONG_LOOP.format(between=between))
    after = migrate(text, "TP112").text
    assert "        with torch.no_grad():\n            output = model(a)\n" in after
