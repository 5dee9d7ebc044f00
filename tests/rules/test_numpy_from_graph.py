from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
cpu = torch.device("cpu")

class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.fc = nn.Linear(3, 2)
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        x = F.relu(self.fc(x))
        return x * self.scale

net = Net()
"""


def _lines(text: str) -> str:
    return _HEAD.lstrip("\n") + textwrap.dedent(text).strip() + "\n"


_TRAINING = """
def train(model, loader, criterion=nn.MSELoss()):
    for x in loader:
        x, y = x.to(device), torch.zeros(3, 2)
        output = model(x)
        loss = criterion(output, y)
        loss.backward()
        {}
"""

test_with_devices = rewrites(
    "TP111",
    {
        "what is calculated with what may lie on a GPU": (
            """
            import torch
            import torch.nn.functional as F
            def grid_of(n, use_cuda=False):
                grid = torch.ones(1, n, n, 2)
                if use_cuda:
                    grid = grid.cuda()
                return grid
            def scaled(n):
                return torch.mul(torch.tensor(n), grid_of(n)).numpy()
            def moved(image, n, gpu):
                image = torch.ones(1, 3, n, n)
                if gpu:
                    image = image.cuda()
                return F.grid_sample(image, grid_of(n, gpu)).numpy()
            """,
            """
            import torch
            import torch.nn.functional as F
            def grid_of(n, use_cuda=False):
                grid = torch.ones(1, n, n, 2)
                if use_cuda:
                    grid = grid.cuda()
                return grid
            def scaled(n):
                return torch.mul(torch.tensor(n), grid_of(n)).cpu().numpy()
            def moved(image, n, gpu):
                image = torch.ones(1, 3, n, n)
                if gpu:
                    image = image.cuda()
                return F.grid_sample(image, grid_of(n, gpu)).cpu().numpy()
            """,
        ),
    },
)

test_with_devices_keeps = keeps(
    "TP111",
    {
        "what is calculated with what lies on the CPU": """
            import torch
            import torch.nn.functional as F
            def grid_of(n, use_cuda=False):
                grid = torch.ones(1, n, n, 2)
                if use_cuda:
                    grid = grid.cuda()
                return grid
            def warp(n):
                out = F.grid_sample(torch.ones(1, 3, n, n), grid_of(n))
                return out.squeeze(0).numpy()
            """,
    },
)

test_rewrites = rewrites(
    "TP111",
    {
        name: (_lines(before), _lines(after))
        for name, (before, after) in {
            "a leaf": (
                "w = torch.ones(2, requires_grad=True)\na = w.numpy()",
                "w = torch.ones(2, requires_grad=True)\na = w.detach().numpy()",
            ),
            "a leaf made so": (
                "w = torch.ones(2).requires_grad_()\na = w.numpy()",
                "w = torch.ones(2).requires_grad_()\na = w.detach().numpy()",
            ),
            "a Variable": (
                "w = Variable(torch.ones(2), requires_grad=True)\na = w.numpy()",
                "w = Variable(torch.ones(2), requires_grad=True)\na = w.detach().numpy()",
            ),
            "a leaf, under no_grad too": (
                "w = torch.ones(2, requires_grad=True)\nwith torch.no_grad():\n    a = w.numpy()",
                "w = torch.ones(2, requires_grad=True)\n"
                "with torch.no_grad():\n    a = w.detach().numpy()",
            ),
            "computed from a leaf": (
                "w = torch.ones(2, requires_grad=True)\nplot((w ** 2 + 1).numpy(), (-w)[0].numpy())",
                "w = torch.ones(2, requires_grad=True)\n"
                "plot((w ** 2 + 1).detach().numpy(), (-w)[0].detach().numpy())",
            ),
            "weights in a function": (
                "def show():\n    return net.fc.weight.numpy(), net.scale.numpy().tolist()",
                "def show():\n"
                "    return net.fc.weight.detach().numpy(), net.scale.detach().numpy().tolist()",
            ),
            "the output of a layer": (
                "layer = nn.Linear(3, 2)\na = layer(torch.rand(1, 3)).numpy()",
                "layer = nn.Linear(3, 2)\na = layer(torch.rand(1, 3)).detach().numpy()",
            ),
            "the output of several layers": (
                "model = nn.Sequential(nn.ReLU(), nn.Linear(3, 2))\n"
                "a = model(torch.rand(1, 3)).numpy()",
                "model = nn.Sequential(nn.ReLU(), nn.Linear(3, 2))\n"
                "a = model(torch.rand(1, 3)).detach().numpy()",
            ),
            "the output of a network": (
                "out = net(torch.rand(1, 3))\nprint(out.numpy(), out.view(-1).numpy())",
                "out = net(torch.rand(1, 3))\n"
                "print(out.detach().numpy(), out.view(-1).detach().numpy())",
            ),
            "detach comes before cpu": (
                "out = net(torch.rand(1, 3))\nprint(out.mean(0).cpu().numpy())",
                "out = net(torch.rand(1, 3))\nprint(out.mean(0).detach().cpu().numpy())",
            ),
            "a loss that is back-propagated": (
                _TRAINING.format("losses.append(loss.numpy())"),
                _TRAINING.format("losses.append(loss.detach().numpy())"),
            ),
            "what a loss was computed from": (
                _TRAINING.format("outputs.append(output.numpy())"),
                _TRAINING.format("outputs.append(output.detach().numpy())"),
            ),
            "moved to a device": (
                "x = torch.rand(2).to(device)\nprint(x.numpy(), (x > 0.5).numpy())",
                "x = torch.rand(2).to(device)\nprint(x.cpu().numpy(), (x > 0.5).cpu().numpy())",
            ),
            "moved by cuda()": (
                "x, y = torch.rand(2).cuda(), torch.rand(2)\nprint((x * 2).numpy(), y.numpy())",
                "x, y = torch.rand(2).cuda(), torch.rand(2)\nprint((x * 2).cpu().numpy(), y.numpy())",
            ),
            "moved where there is a GPU": (
                "x = torch.rand(2)\nif torch.cuda.is_available():\n    x = x.cuda()\na = x.numpy()",
                "x = torch.rand(2)\nif torch.cuda.is_available():\n    x = x.cuda()\n"
                "a = x.cpu().numpy()",
            ),
            "moved in a choice": (
                "x = torch.rand(2)\nx = x.cuda() if torch.cuda.is_available() else x\na = x.numpy()",
                "x = torch.rand(2)\nx = x.cuda() if torch.cuda.is_available() else x\n"
                "a = x.cpu().numpy()",
            ),
            "made on a device": (
                "x = torch.zeros(2, device=device)\ny = torch.cuda.LongTensor(2)\n"
                "print(x.numpy(), y.numpy(), torch.rand(2).to('cuda:1').sum().numpy())",
                "x = torch.zeros(2, device=device)\ny = torch.cuda.LongTensor(2)\n"
                "print(x.cpu().numpy(), y.cpu().numpy(), "
                "torch.rand(2).to('cuda:1').sum().cpu().numpy())",
            ),
            "the best of what a network gave": (
                """
                def predict(loader):
                    net.to(device)
                    with torch.no_grad():
                        for x in loader:
                            scores = net(x.to(device))
                            best = torch.argmax(scores, 1)
                            print(best.numpy(), scores.numpy())
                """,
                """
                def predict(loader):
                    net.to(device)
                    with torch.no_grad():
                        for x in loader:
                            scores = net(x.to(device))
                            best = torch.argmax(scores, 1)
                            print(best.cpu().numpy(), scores.cpu().numpy())
                """,
            ),
            "a network on the GPU": (
                "out = net.cuda()(torch.rand(1, 3).cuda())\nprint(out.numpy())",
                "out = net.cuda()(torch.rand(1, 3).cuda())\nprint(out.detach().cpu().numpy())",
            ),
            ".data on the GPU": (
                "x = torch.rand(2).to(device)\na = x.data.numpy()",
                "x = torch.rand(2).to(device)\na = x.data.cpu().numpy()",
            ),
            "in a chain, with a comment": (
                "out = net(torch.rand(1, 3))\na = out.numpy()[0].tolist()  # the first",
                "out = net(torch.rand(1, 3))\na = out.detach().numpy()[0].tolist()  # the first",
            ),
            "over two lines": (
                "out = net(torch.rand(1, 3))\nshow(out\n     .numpy())",
                "out = net(torch.rand(1, 3))\nshow(out.detach()\n     .numpy())",
            ),
            "in an f-string": (
                "out = net(torch.rand(1, 3))\nprint(f'{out.numpy()}')",
                "out = net(torch.rand(1, 3))\nprint(f'{out.detach().numpy()}')",
            ),
        }.items()
    },
)

test_with_data_attribute = rewrites(
    "TP111",
    {
        ".data.cpu().numpy()": (
            _lines("out = net(torch.rand(1, 3))\nprint(out.data.cpu().numpy(), out.data.numpy())"),
            _lines(
                "out = net(torch.rand(1, 3))\n"
                "print(out.detach().cpu().numpy(), out.detach().numpy())"
            ),
        ),
        "with what is missing": (
            _lines("out = net(torch.rand(1, 3).to(device))\nprint(out.data.numpy())"),
            _lines("out = net(torch.rand(1, 3).to(device))\nprint(out.detach().cpu().numpy())"),
        ),
    },
    with_rules=("TP104",),
)

test_keeps = keeps(
    "TP111",
    {
        name: _lines(text)
        for name, text in {
            "new tensors": "print(torch.rand(2).numpy(), torch.arange(3).numpy())",
            "sizes of what is on a GPU": """
                x = torch.rand(2, 3).to(device)
                print(torch.ones(x.size(0)).numpy(), torch.zeros(x.dim(), x.numel()).numpy())
                """,
            "brought back by a device": """
                x = torch.rand(2, 3).to(device)
                print(x.to(torch.device("cpu")).numpy(), x.t().to(cpu).numpy())
                """,
            "detached already": "out = net(torch.rand(1, 3))\nprint(out.detach().numpy())",
            "detached before": "out = net(torch.rand(1, 3)).detach()\nprint(out.numpy())",
            ".data": "out = net(torch.rand(1, 3))\nprint(out.data.numpy())",
            "indices and comparisons": """
                out = net(torch.rand(1, 3))
                print(out.argmax(1).numpy(), (out > 0).numpy(), out.max(1)[1].numpy())
                """,
            "whole numbers": "out = net(torch.rand(1, 3))\nprint(out.long().numpy())",
            "under no_grad": "with torch.no_grad():\n    print(net(torch.rand(1, 3)).numpy())",
            "gradients switched off": """
                torch.set_grad_enabled(False)
                print(net(torch.rand(1, 3)).numpy())
                """,
            "a function that may run under no_grad": """
                def predict(x):
                    return net(x).numpy()
                """,
            "a decorated function": """
                @torch.no_grad()
                def predict(x):
                    return net(x).numpy()
                """,
            "frozen weights": """
                for p in net.parameters():
                    p.requires_grad = False
                print(net.fc.weight.numpy(), net(torch.rand(1, 3)).numpy())
                """,
            "frozen by a flag": """
                for p in net.parameters():
                    p.requires_grad = args.finetune
                print(net.fc.weight.numpy(), net(torch.rand(1, 3)).numpy())
                """,
            "frozen by the method": """
                net.requires_grad_(False)
                print(net.fc.weight.numpy(), net(torch.rand(1, 3)).numpy())
                """,
            "a parameter without gradients": """
                table = nn.Parameter(torch.ones(2), requires_grad=False)
                print(table.numpy())
                """,
            "a parameter that may be without": """
                table = nn.Parameter(torch.ones(2), requires_grad=args.train_table)
                print(table.numpy())
                """,
            "a leaf that is detached in place": """
                w = torch.ones(2, requires_grad=True)
                w.detach_()
                print(w.numpy())
                """,
            "a leaf only sometimes": """
                w = torch.ones(2, requires_grad=True)
                if flag:
                    w = torch.ones(2)
                print(w.numpy())
                """,
            "a flag that may be False": """
                w = torch.ones(2, requires_grad=flag)
                print(w.numpy())
                """,
            "batches of a loader": """
                from torch.utils.data import DataLoader
                for x, y in DataLoader(dataset):
                    print(x.numpy(), y.numpy())
                """,
            "from numpy": "x = torch.from_numpy(np.ones(2))\nprint(x.numpy())",
            "labels of a training step": _TRAINING.format("labels.append(y.numpy())"),
            "parts of a loss": _TRAINING.format("penalty = model.penalty()\npenalty.numpy()"),
            "a student of a network that may be in training": """
                criterion = nn.MSELoss()
                def distil(student, teacher, loader):
                    for x in loader:
                        output, wanted = student(x), teacher(x)
                        loss = criterion(output, wanted)
                        loss.backward()
                        print(output.numpy())
                """,
            "a tensor or something else": """
                x = torch.rand(2).cuda()
                if args.table:
                    x = args.table.lookup(x)
                print(x.numpy())
                """,
            "back on the CPU": "x = torch.rand(2).to(device)\nprint(x.cpu().numpy())",
            "back on the CPU by its name": """
                x = torch.rand(2).to(device)
                x = x.to("cpu")
                print(x.numpy())
                """,
            "brought back where it was moved": """
                x = torch.rand(2).to(device)
                if torch.cuda.is_available():
                    x = x.cpu()
                print(x.numpy())
                """,
            "a device that is the CPU": """
                x, y = torch.rand(2).to(cpu), torch.zeros(2, device="cpu")
                print(x.numpy(), y.numpy())
                """,
            "another type, not another device": """
                x = torch.rand(2).to(torch.float64)
                print(x.numpy())
                """,
            "asked first": """
                x = torch.rand(2).to(device)
                if x.is_cuda:
                    x = x.clone()
                    a = x.cpu().numpy()
                else:
                    a = x.numpy()
                b = x.cpu().numpy() if x.is_cuda else x.numpy()
                """,
            "prepared for the error": """
                w = torch.ones(2, requires_grad=True)
                try:
                    a = w.numpy()
                except RuntimeError:
                    a = w.detach().numpy()
                """,
            "asked for its gradient": """
                w = torch.ones(2, requires_grad=True)
                a = w.detach().numpy() if w.requires_grad else w.numpy()
                """,
            "forced": "w = torch.ones(2, requires_grad=True)\nprint(w.numpy(force=True))",
            "another library's tensor": "import tensorflow as tf\nprint(tf.ones(2).numpy())",
            "a class of the file": """
                class Image(object):
                    def cuda(self):
                        return self
                    def numpy(self):
                        return np.ones(2)
                image = Image().cuda()
                print(image.numpy())
                """,
            "an unknown object": "def show(x):\n    x = x.cuda()\n    return x.numpy()",
            "not called": "w = torch.ones(2, requires_grad=True)\nread = w.numpy",
        }.items()
    },
)


def test_another_librarys_loss() -> None:
    text = textwrap.dedent(
        """
        import paddle  # not torch
        def train(net, criterion, loader):
            for x, y in loader:
                loss = criterion(net(x), y)
                loss.backward()
                print(loss.numpy())
        """
    )
    assert migrate(text, "TP111").text == text


@pytest.mark.parametrize(
    ("line", "numerics", "message"),
    [
        (
            "net(torch.rand(1, 3)).numpy()",
            Numerics.RESTORED,
            "numpy() refuses a tensor that requires grad: add .detach()",
        ),
        (
            "net(torch.rand(1, 3).cuda()).numpy()",
            Numerics.RESTORED,
            "numpy() refuses a tensor of the graph on a GPU: add .detach().cpu()",
        ),
        (
            "torch.rand(1, 3).cuda().numpy()",
            Numerics.IDENTICAL,
            "numpy() refuses a tensor on a GPU: add .cpu()",
        ),
    ],
)
def test_claims(line: str, numerics: Numerics, message: str) -> None:
    (found,) = migrate(_lines(line), "TP111").findings
    assert (found.numerics, found.message) == (numerics, message)


_CLIPPED = """
import math
import numpy as np
import torch
def clip_gradient(model, max_norm, other):
    total = 0
    norms = []
    for p in model.parameters():
        norm = p.grad.data.norm()
        total += norm ** 2
        norms.append(norm)
        other += 2
    {line}
"""


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("total = np.sqrt(total)", "since torch 0.4: write np.sqrt(float(total))"),
        ("check(np.isnan(total))", "since torch 0.4: write np.isnan(float(total))"),
        ("np.log(torch.rand(3).cuda().sum())", "write torch.rand(3).cuda().sum().item()"),
        ("np.exp((other.cuda() + 1).mean() / 2)", None),
    ],
)
def test_numpy_reads_no_number_on_a_gpu(line: str, written: str | None) -> None:
    text = _CLIPPED.format(line=line)
    assert migrate(text, "TP111").text == text
    findings = advice("TP111", text)
    assert [f.message.endswith(written) for f in findings] == [True] if written else not findings


@pytest.mark.parametrize(
    "line",
    [
        "total = math.sqrt(total)",
        "total = total ** 0.5",
        "np.sqrt(other)",
        "np.sqrt(norms)",
        "np.sqrt(len(norms))",
        "np.sqrt(torch.rand(3).sum())",
        "np.sqrt(torch.rand(3).cuda().sum().item())",
        "np.sqrt(total, out=other)",
        "np.sqrt(*norms)",
        "other.sqrt(total)",
        "if not torch.cuda.is_available(): np.sqrt(total)",
    ],
)
def test_numbers_that_numpy_can_read_are_no_finding(line: str) -> None:
    assert not advice("TP111", _CLIPPED.format(line=line))


@pytest.mark.parametrize(
    ("other", "is_told"),
    [
        ("import torch\n", False),
        ("from clip import clip_gradient\nclip_gradient(net, 1, 0)\n", True),
        ("import clip\nclip.clip_gradient(net, 1, 0)\n", True),
    ],
)
def test_a_function_that_nothing_names_is_no_finding(
    tmp_path: Path, other: str, is_told: bool
) -> None:
    text = _CLIPPED.format(line="np.sqrt(total)")
    for name, content in {"clip.py": text, "train.py": other}.items():
        (tmp_path / name).write_text(content)
    settings = Settings(select=("TP111",))
    assert bool(migrate_file(tmp_path / "clip.py", settings, write=False).findings) is is_told
    method = textwrap.indent(text.partition("import torch")[2], "    ")
    tests = text.replace("clip_gradient", "test_clip_gradient")
    for name, used, is_told_then in (
        ("clip.py", f"{text}\nclip_gradient(net, 1, 0)\n", True),
        ("test_clip.py", tests, True),
        ("clip.py", tests, False),
        ("clip.py", f"import numpy as np\nimport torch\nclass Clip:{method}", True),
    ):
        (tmp_path / name).write_text(used)
        found = migrate_file(tmp_path / name, settings, write=False).findings
        assert bool(found) is is_told_then


def test_a_sum_that_has_nothing_to_do_with_gradients_may_lie_anywhere() -> None:
    text = _CLIPPED.format(line="np.sqrt(total)").replace("p.grad.data.norm()", "p.norm()")
    assert not advice("TP111", text)
    begun = _CLIPPED.format(line="np.sqrt(total)").replace("total = 0", "total = begin()")
    assert not advice("TP111", begun)


_SUMMED = """
import numpy as np
import torch
import torch.nn as nn
class Loss(nn.Module):
    def forward(self, x, y, others):
        losses = {begun}
        for i in range(3):
            losses.append({added})
        loss = {summed}
        {used}
        return loss
"""


_TRIED = "try:\n            loss = np.sum(losses)\n            loss.backward()\n        {}"


def _summed(
    begun: str = "list()",
    added: str = "2 * nn.MSELoss()(x[i], y[i])",
    summed: str = "np.sum(losses)",
    used: str = "print(loss.data[0])",
) -> list[str]:
    text = _SUMMED.format(begun=begun, added=added, summed=summed, used=used)
    return [found.message for found in advice("TP111", text)]


def test_a_list_of_losses_that_numpy_sums_is_told() -> None:
    told = ["np.sum refuses tensors that require grad: write sum(losses)"]
    assert _summed() == told
    assert _summed(begun="[nn.MSELoss()(x, y)]") == told
    assert _summed(used="loss.backward()") == told
    assert _summed(summed="0", used=_TRIED.format("").replace("try", "if y")) == told
    assert _summed(used="both = loss + 1; both.backward()") == told


@pytest.mark.parametrize(
    "parts",
    [
        {"begun": "others"},
        {"begun": "[others]"},
        {"added": "nn.MSELoss()(x[i], y[i]).item()"},
        {"added": "nn.MSELoss()(x[i], y[i]).data"},
        {"added": "nn.MSELoss(reduction='none')(x[i], y[i])"},
        {"added": "others"},
        {"summed": "np.sum(losses, 0)"},
        {"summed": "np.sum(losses, axis=0)"},
        {"summed": "np.sum(*losses)"},
        {"summed": "np.prod(losses)"},
        {"summed": "sum(losses)"},
        {"summed": "max(losses)"},
        {"used": "print(loss)"},
        {"used": "sum = others; loss.backward()"},
        {"summed": "0", "used": _TRIED.format("except: pass")},
    ],
)
def test_what_numpy_can_sum_is_not(parts: dict[str, str]) -> None:
    assert not _summed(**parts)


_PREDICTING = """
import numpy as np
import torch
def predict(model, x, device=None):
    y = model(x.to(device))
    {}
"""
_SHOWING = """
import torch
from predicting import predict
device = torch.device("cuda")
def show(model, x, y):
    return [p{}.numpy() for p in predict(model, x, device=device).detach()]
"""


@pytest.mark.parametrize(
    ("returned", "is_moved"),
    [
        ("return torch.Tensor(np.array([each.sum().item() for each in y]))", False),
        ("y = (y > 0).cpu()\n    return y", False),
        ("return torch.zeros(2, 3)", False),
        ("return torch.zeros(2, 3, device=device)", True),
        ("return torch.zeros(2, 3).to(device)", True),
        ("return y.cpu() if len(y) else y", True),
    ],
)
def test_a_function_that_is_given_a_device_may_bring_its_result_back(
    tmp_path: Path, returned: str, is_moved: bool
) -> None:
    (tmp_path / "predicting.py").write_text(_PREDICTING.format(returned))
    (tmp_path / "show.py").write_text(_SHOWING.format(""))
    settings = Settings(select=("TP111",))
    migrated = migrate_file(tmp_path / "show.py", settings, write=False)
    assert (migrated.after or _SHOWING.format("")) == _SHOWING.format(".cpu()" if is_moved else "")


@pytest.mark.parametrize(
    ("returned", "is_moved"),
    [("net(x.cuda()).sum(1)", True), ("net(x.cuda()).sum(1).cpu()", False), ("net(x)", False)],
)
def test_what_another_file_gives_may_lie_on_a_gpu(
    tmp_path: Path, returned: str, is_moved: bool
) -> None:
    made = f"import torch\nnet = torch.nn.Linear(2, 2)\ndef predict(x):\n    return {returned}\n"
    (tmp_path / "predicting.py").write_text(made)
    text = "import torch\nfrom predicting import predict\ndef f(x):\n    return {}.numpy()\n"
    (tmp_path / "show.py").write_text(text.format("predict(x).detach()"))
    settings = Settings(select=("TP111",))
    after = migrate_file(tmp_path / "show.py", settings, write=False).after
    assert after == (text.format("predict(x).detach().cpu()") if is_moved else None)


_LISTED = """
import matplotlib.pyplot as plt
import numpy as np
import torch
def losses_of(net, loader, use_cuda):
    losses, criterion = [], torch.nn.MSELoss()
    for x, y in loader:
        loss = criterion(net(x), y{moved})
        losses.append({kept})
        loss.backward()
    {line}
"""


@pytest.mark.parametrize(
    ("moved", "kept", "line", "is_told"),
    [
        (".cuda()", "loss.data", "return np.mean(losses)", True),
        (".cuda()", "loss.detach()", "losses = np.array(losses)", True),
        (".cuda()", "loss.data > 1", "return np.std(losses, ddof=1)", True),
        (".cuda()", "loss.data", "plt.plot(losses)", True),
        (".cuda()", "loss.data", "plt.plot(range(3), losses, label='loss')", True),
        (".cuda()", "loss.data", "plt.close()\n    return np.mean(losses)", True),
        ("", "loss.data", "return np.mean(losses)", False),
        ("", "loss.data", "plt.plot(losses)", False),
        (".cuda()", "loss.item()", "plt.plot(losses)", False),
        (".cuda()", "loss.data", "losses.append(y)\n    plt.plot(losses)", False),
        (".cuda()", "loss.data", "other.plot(losses)", False),
        (".cuda()", "loss.data.cpu()", "return np.mean(losses)", False),
        (".cuda()", "loss.item()", "return np.mean(losses)", False),
        (".cuda()", "loss.data", "return np.mean([each.item() for each in losses])", False),
        (".cuda()", "loss.data", "return mean(losses)", False),
        (".cuda()", "loss.data", "if not use_cuda: np.mean(losses)", False),
        (".cuda()", "loss.data", "losses.append(y)\n    np.mean(losses)", False),
        (".cuda()", "loss.data", "losses = load()\n    np.mean(losses)", False),
    ],
)
def test_numpy_makes_no_array_of_numbers_on_a_gpu(
    moved: str, kept: str, line: str, is_told: bool
) -> None:
    text = _LISTED.format(moved=moved, kept=kept, line=line)
    assert migrate(text, "TP111").text == text
    told = "refuses tensors on a GPU, as losses may hold: write [each.item() for each in losses]"
    assert [told in f.message for f in advice("TP111", text)] == [True] * is_told


def test_lists_that_are_drawn_are_told_each_and_hide_no_numbers() -> None:
    lines = "plt.plot(losses, losses)\n    pickle.dump(losses, use_cuda)\n    np.mean(losses)"
    text = _LISTED.format(moved=".cuda()", kept="loss.data", line=lines)
    drawn, mean = (f.message for f in advice("TP111", f"import pickle\n{text}"))
    each = "[each.item() for each in losses]"
    assert drawn == (f"plt.plot refuses tensors on a GPU, as losses may hold: write {each}")
    assert mean.startswith("np.mean refuses tensors on a GPU")
