from __future__ import annotations

import ast
import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.losses.questions.shown_inputs import shown_ndims

test_rewrites = rewrites(
    "TP302",
    {
        "two of one tensor, of which one is drawn from": (
            """
            import torch
            import torch.nn.functional as F
            def sample(net, x):
                scores = net(x)
                probs = F.softmax(scores)
                log_prob = F.log_softmax(scores)
                action = probs.multinomial(1)
                return action[:, 0], log_prob.gather(1, action)[:, 0]
            """,
            """
            import torch
            import torch.nn.functional as F
            def sample(net, x):
                scores = net(x)
                probs = F.softmax(scores, dim=1)
                log_prob = F.log_softmax(scores, dim=1)
                action = probs.multinomial(1)
                return action[:, 0], log_prob.gather(1, action)[:, 0]
            """,
        ),
        "functions": (
            """
            import torch
            import torch.nn.functional as F
            from torch.nn.functional import log_softmax as lsm
            x = torch.randn(2, 3)
            F.softmax(x)
            torch.nn.functional.softmin(x[0])
            lsm(x.unsqueeze(0))
            """,
            """
            import torch
            import torch.nn.functional as F
            from torch.nn.functional import log_softmax as lsm
            x = torch.randn(2, 3)
            F.softmax(x, dim=1)
            torch.nn.functional.softmin(x[0], dim=0)
            lsm(x.unsqueeze(0), dim=0)
            """,
        ),
        "further arguments": (
            """
            import torch
            import torch.nn.functional as F
            x = torch.randn(2, 3)
            F.softmax(x, dtype=torch.double)
            F.softmax(input=x)
            F.softmax(x, _stacklevel=5)
            F.softmax(x, None, 5)
            F.softmax(x, None)
            F.softmax(x, dim=None, dtype=torch.double)
            """,
            """
            import torch
            import torch.nn.functional as F
            x = torch.randn(2, 3)
            F.softmax(x, dim=1, dtype=torch.double)
            F.softmax(input=x, dim=1)
            F.softmax(x, dim=1, _stacklevel=5)
            F.softmax(x, 1, 5)
            F.softmax(x, dim=1)
            F.softmax(x, dim=1, dtype=torch.double)
            """,
        ),
        "several lines and a comment": (
            """
            import torch
            import torch.nn.functional as F
            x = torch.randn(2, 3)
            F.softmax(
                x,  # the scores
            )
            F.softmax(
                x
            )
            F.softmax(x,)
            F.softmax(
                x,
                dtype=torch.double,
            )
            """,
            """
            import torch
            import torch.nn.functional as F
            x = torch.randn(2, 3)
            F.softmax(
                x,  # the scores
                dim=1,
            )
            F.softmax(
                x,
                dim=1
            )
            F.softmax(x, dim=1,)
            F.softmax(
                x,
                dim=1,
                dtype=torch.double,
            )
            """,
        ),
        "inputs of 2 or 4 dimensions": (
            """
            import torch
            import torch.nn.functional as F
            def f(flat):
                x = torch.zeros(2, 3, 4, 5)
                if flat:
                    x = x.view(2, -1)
                return F.softmax(x), F.softmax(x if flat else x.view(2, -1))
            """,
            """
            import torch
            import torch.nn.functional as F
            def f(flat):
                x = torch.zeros(2, 3, 4, 5)
                if flat:
                    x = x.view(2, -1)
                return F.softmax(x, dim=1), F.softmax(x if flat else x.view(2, -1), dim=1)
            """,
        ),
        "a layer of a module, by all of its calls": (
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(4, 2)
                    self.softmax = nn.Softmax()
                    for m in self.modules():
                        if isinstance(m, nn.Linear):
                            m.bias.data.zero_()
                def forward(self, x):
                    x = self.fc(x.view(-1, 4))
                    if self.training:
                        return F.log_softmax(x, 1)
                    return self.softmax(x)
                def grid(self, x):
                    return self.softmax(x.view(-1, 2, 3, 4))
            class Other:
                def __init__(self):
                    self.softmax = torch.nn.Softmax(0)
                def __call__(self, x):
                    return self.softmax(x)
            """,
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(4, 2)
                    self.softmax = nn.Softmax(dim=1)
                    for m in self.modules():
                        if isinstance(m, nn.Linear):
                            m.bias.data.zero_()
                def forward(self, x):
                    x = self.fc(x.view(-1, 4))
                    if self.training:
                        return F.log_softmax(x, 1)
                    return self.softmax(x)
                def grid(self, x):
                    return self.softmax(x.view(-1, 2, 3, 4))
            class Other:
                def __init__(self):
                    self.softmax = torch.nn.Softmax(0)
                def __call__(self, x):
                    return self.softmax(x)
            """,
        ),
        "a layer in a variable": (
            """
            import torch
            import torch.nn as nn
            m = nn.LogSoftmax().cuda()
            m = m.eval()
            print(m(torch.zeros(3)))
            def f():
                return m(torch.zeros(()))
            nn.Softmax()(torch.zeros(2, 3))
            nn.Softmax(None)(torch.zeros(2, 3))
            """,
            """
            import torch
            import torch.nn as nn
            m = nn.LogSoftmax(dim=0).cuda()
            m = m.eval()
            print(m(torch.zeros(3)))
            def f():
                return m(torch.zeros(()))
            nn.Softmax(dim=1)(torch.zeros(2, 3))
            nn.Softmax(dim=1)(torch.zeros(2, 3))
            """,
        ),
        "a sequence in a sequence": (
            """
            import torch, torch.nn as nn
            rows = nn.Sequential(nn.Sequential(nn.Linear(2, 3)), nn.Softmax())
            rows(torch.ones(4, 2))
            row = nn.Sequential(nn.Sequential(nn.Linear(2, 3), nn.ReLU()), nn.Softmax())
            row(torch.ones(2))
            """,
            """
            import torch, torch.nn as nn
            rows = nn.Sequential(nn.Sequential(nn.Linear(2, 3)), nn.Softmax(dim=1))
            rows(torch.ones(4, 2))
            row = nn.Sequential(nn.Sequential(nn.Linear(2, 3), nn.ReLU()), nn.Softmax(dim=0))
            row(torch.ones(2))
            """,
        ),
        "a layer in a sequence": (
            """
            import torch
            import torch.nn as nn
            class Flatten(nn.Module):
                def forward(self, x):
                    return x.view(x.size(0), -1)
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.head = nn.Sequential(
                        nn.Linear(4, 2),
                        nn.Softmax(),
                    )
                    self.mask = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Softmax())
                    self.flat = nn.Sequential(nn.Sequential(Flatten()), nn.Sequential(nn.Softmax()))
                def forward(self, x):
                    return self.head(x.view(-1, 4)), self.mask(x), self.flat(x)
            """,
            """
            import torch
            import torch.nn as nn
            class Flatten(nn.Module):
                def forward(self, x):
                    return x.view(x.size(0), -1)
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.head = nn.Sequential(
                        nn.Linear(4, 2),
                        nn.Softmax(dim=1),
                    )
                    self.mask = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Softmax(dim=1))
                    self.flat = nn.Sequential(nn.Sequential(Flatten()), nn.Sequential(nn.Softmax(dim=1)))
                def forward(self, x):
                    return self.head(x.view(-1, 4)), self.mask(x), self.flat(x)
            """,
        ),
        "an attribute of the class": (
            """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                softmax = nn.Softmax()
                def forward(self, x):
                    return self.softmax(x.view(-1, 4))
            """,
            """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                softmax = nn.Softmax(dim=1)
                def forward(self, x):
                    return self.softmax(x.view(-1, 4))
            """,
        ),
        "the parameter of a forward whose calls are known": (
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            class Head(nn.Module):
                def __init__(self):
                    super(Head, self).__init__()
                    self.fc = nn.Linear(4, 2)
                def forward(self, x, scale=None):
                    return F.softmax(self.fc(x))
                def predict(self, x):
                    return self(x.view(-1, 4))
            def main():
                head = Head().cuda()
                head.train()
                optimizer = torch.optim.SGD(head.parameters(), 0.1)
                return head(torch.zeros(2, 4)), head.forward(torch.zeros(1, 4))
            """,
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            class Head(nn.Module):
                def __init__(self):
                    super(Head, self).__init__()
                    self.fc = nn.Linear(4, 2)
                def forward(self, x, scale=None):
                    return F.softmax(self.fc(x), dim=1)
                def predict(self, x):
                    return self(x.view(-1, 4))
            def main():
                head = Head().cuda()
                head.train()
                optimizer = torch.optim.SGD(head.parameters(), 0.1)
                return head(torch.zeros(2, 4)), head.forward(torch.zeros(1, 4))
            """,
        ),
        "the whole file": (
            """
            import torch
            import torch.nn.functional as F
            from torch.autograd import Variable
            class Net(torch.nn.Module):
                def __init__(self):
                    super(Net, self).__init__()
                    self.fc1 = torch.nn.Linear(320, 50)
                    self.fc2 = torch.nn.Linear(50, 10)
                def forward(self, x):
                    x = x.view(-1, 320)
                    x = F.relu(self.fc1(x))
                    x = F.dropout(x, training=self.training)
                    x = self.fc2(x)
                    return F.log_softmax(x)
            """,
            """
            import torch
            import torch.nn.functional as F
            from torch.autograd import Variable
            class Net(torch.nn.Module):
                def __init__(self):
                    super(Net, self).__init__()
                    self.fc1 = torch.nn.Linear(320, 50)
                    self.fc2 = torch.nn.Linear(50, 10)
                def forward(self, x):
                    x = x.view(-1, 320)
                    x = F.relu(self.fc1(x))
                    x = F.dropout(x, training=self.training)
                    x = self.fc2(x)
                    return F.log_softmax(x, dim=1)
            """,
        ),
    },
)

_NET = """
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax()
    def forward(self, x):
        return self.softmax(x.view(-1, 4))
"""

_HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
class Head(nn.Module):
    def forward(self, x):
        return F.softmax(x)
"""

test_keeps = keeps(
    "TP302",
    {
        "already modern": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x = torch.zeros(2, 3)
            F.softmax(x, dim=-1)
            F.softmax(x, 0)
            nn.Softmax(dim=1)(x)
            nn.LogSoftmax(-1)(x)
            torch.softmax(x, 1)
            x.softmax(1).log_softmax(dim=0)
            """,
        "dim in a variable": """
            import torch
            import torch.nn.functional as F
            def f(dim=None):
                return F.softmax(torch.zeros(2, 3), dim)
            """,
        "a keyword that nothing takes": """
            import torch
            import torch.nn.functional as F
            y = F.softmax(torch.ones(2, 3), dims=-1)
            """,
        "unknown number of dimensions": """
            import torch.nn.functional as F
            def f(x):
                return F.softmax(x)
            """,
        "inputs of 2 or 3 dimensions": """
            import torch
            import torch.nn.functional as F
            def f(flat):
                x = torch.zeros(2, 3, 4)
                if flat:
                    x = x.view(2, -1)
                return F.softmax(x)
            """,
        "reshaped in place": """
            import torch
            import torch.nn.functional as F
            x = torch.zeros(2, 3)
            x.unsqueeze_(0)
            F.softmax(x)
            y = torch.zeros(2, 3)
            if deep:
                y = torch.zeros(2, 3, 4, 5)
            y.unsqueeze_(0)
            F.softmax(y)
            """,
        "arguments of unknown content": """
            import torch
            import torch.nn.functional as F
            F.softmax(torch.zeros(2, 3), *args)
            F.softmax(torch.zeros(2, 3), **options)
            torch.nn.Softmax(**options)(torch.zeros(2, 3))
            """,
        "no argument at all": """
            import torch.nn.functional as F
            F.softmax()
            """,
        "functions and layers with a dim of their own": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x = torch.zeros(1, 2, 3, 4)
            F.gumbel_softmax(x)
            nn.Softmax2d()(x)
            """,
        "methods, which never went without": """
            import torch
            x = torch.zeros(2, 3)
            x.softmax()
            torch.softmax(x)
            """,
        "user function and class": """
            import torch
            import torch.nn as nn
            def softmax(x):
                return x
            class Softmax(nn.Module):
                def forward(self, x):
                    return x
            softmax(torch.zeros(2, 3))
            Softmax()(torch.zeros(2, 3))
            """,
        "shadowed module": """
            import torch
            import torch.nn.functional as F
            def f(F):
                return F.softmax(torch.zeros(2, 3))
            """,
        "another library's": """
            import torch
            from scipy.special import softmax
            softmax(torch.zeros(2, 3).numpy())
            """,
        "a class that is passed on": """
            import torch.nn as nn
            layers = dict(softmax=nn.Softmax)
            """,
        "the fallback for arguments that old torch does not take": """
            import torch
            import torch.nn.functional as F
            x = torch.zeros(2, 3)
            try:
                y = F.softmax(x, 1)
            except TypeError:
                y = F.softmax(x)
            """,
        "test of the version": """
            import torch
            import torch.nn.functional as F
            x = torch.zeros(2, 3)
            y = F.softmax(x) if torch.__version__ < "0.3" else F.softmax(x, 1)
            """,
        "suppressed": """
            import torch
            import torch.nn.functional as F
            F.softmax(torch.zeros(2, 3))  # noqa: TP302
            """,
        "a layer that is given away": """
            import torch
            import torch.nn as nn
            def make():
                return nn.Softmax()
            heads = [nn.Softmax(), nn.ModuleList([nn.Softmax()])]
            run(nn.Softmax())
            m = nn.Softmax()
            m(torch.zeros(2, 3))
            other = m
            n = nn.Softmax()
            n(torch.zeros(2, 3))
            k = n.eval()
            l = nn.Softmax()
            l(torch.zeros(2, 3))
            run(l.cuda())
            """,
        "a layer that is never called here": """
            import torch.nn as nn
            m = nn.Softmax()
            """,
        "a layer given inputs for which torch chooses differently": """
            import torch
            import torch.nn as nn
            m = nn.Softmax()
            m(torch.zeros(2, 3))
            m(torch.zeros(2, 3, 4))
            """,
        "a layer given something unknown once": """
            import torch
            import torch.nn as nn
            m = nn.Softmax()
            m(torch.zeros(2, 3))
            m.forward(x)
            n = nn.Softmax()
            n(torch.zeros(2, 3))
            n()
            """,
        "a layer in a sequence of which a part is taken": """
            import torch
            import torch.nn as nn
            m = nn.Sequential(nn.Linear(2, 3), nn.Softmax())
            m(torch.zeros(2, 2))
            m[1](torch.zeros(3))
            """,
        "a layer in a sequence after something unknown": """
            import torch
            import torch.nn as nn
            m = nn.Sequential(nn.Linear(2, 3), Head(), nn.Softmax())
            m(torch.zeros(2, 2))
            n = nn.Sequential(nn.Linear(2, 3), nn.Softmax())
            n(x)
            """,
        "a layer in a sequence that grows": """
            import torch
            import torch.nn as nn
            m = nn.Sequential(nn.Linear(2, 3), nn.Softmax())
            m.add_module("more", nn.Linear(3, 2))
            m(torch.zeros(2, 2))
            """,
        "a layer that a class below uses": _NET
        + """
class Vector(Net):
    def forward(self, x):
        return self.softmax(x.view(4, 1, 1))
            """,
        "a layer that is called from outside": _NET
        + """
def f(net, x):
    return net.softmax(x)
            """,
        "a layer whose module gives its parts away": _NET
        + """
net = Net()
parts = nn.Sequential(*net.children())
            """,
        "a layer of another object": """
            import torch
            import torch.nn as nn
            class Trainer:
                def __init__(self, net):
                    net.softmax = nn.Softmax()
                def run(self, x):
                    return self.softmax(x.view(-1, 4))
            """,
        "a layer with a second name": _NET
        + """
    def alias(self):
        f = self.softmax
        return f(torch.zeros(4))
            """,
        "the parameter of a forward of which any caller is out of sight": _HEAD
        + """
class Below(Head):
    pass
Head()(torch.zeros(2, 4))
            """,
        "the parameter of a forward whose module is passed on": _HEAD
        + """
head = Head()
head(torch.zeros(2, 4))
train(head)
            """,
        "the parameter of a forward whose module calls itself": _HEAD
        + """
    def both(self, x):
        return self(x), self.forward(x)
Head()(torch.zeros(2, 4))
            """,
        "the parameter of a forward whose module hands itself out": _HEAD
        + """
    def register(self):
        REGISTRY.append(lambda: self)
Head()(torch.zeros(2, 4))
            """,
        "the parameter of a forward with calls of different dimensions": _HEAD
        + """
Head()(torch.zeros(2, 4))
Head()(torch.zeros(2, 4, 4))
            """,
        "the parameter of a forward with a call of unknown arguments": _HEAD
        + """
Head()(torch.zeros(2, 4))
Head()(*batch)
            """,
        "the parameter of a forward of a class that is defined twice": _HEAD
        + """
if MODERN:
    class Head(nn.Module):
        pass
Head()(torch.zeros(2, 4))
            """,
        "the parameter of a forward that is never called": _HEAD,
    },
)


def test_names_that_other_files_may_use_are_called_with_anything() -> None:
    used = Options(used_elsewhere=lambda name: name in ("m", "Head"))
    layer = "import torch\nm = torch.nn.Softmax()\nm(torch.zeros(2, 3))\n"
    module = _HEAD + "Head()(torch.zeros(2, 4))\n"
    for text in (layer, module):
        assert migrate(text, "TP302").text == text.replace("ax()", "ax(dim=1)").replace(
            "ax(x)", "ax(x, dim=1)"
        )
        assert migrate(text, "TP302", options=used).text == text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "F.softmax(scores.squeeze())",
            "without dim, which is deprecated, torch takes dim=1 if scores.squeeze() has two, "
            "four or more dimensions, dim=0 if it has one or three, as its sizes of 1 decide: write "
            "dim=-1 if the last one is meant",
        ),
        (
            "F.softmax(scores)",
            "without dim, which is deprecated, torch takes dim=1 if scores has two, four or more "
            "dimensions, dim=0 if it has one or three: write dim=… with that one",
        ),
        (
            "torch.nn.LogSoftmax()",
            "without dim, which is deprecated, torch takes dim=1 if what it is given has two, "
            "four or more dimensions",
        ),
    ],
)
def test_what_is_not_certain_is_left_to_a_person(line: str, message: str) -> None:
    text = f"import torch\nimport torch.nn.functional as F\n{line}\n"
    findings = advice("TP302", text)
    assert [f.line for f in findings] == [3]
    assert message in findings[0].message


@pytest.mark.parametrize("given", ["", "net(x).numpy()", "net(x).data.cpu().numpy()"])
def test_a_call_without_a_tensor_says_nothing(given: str) -> None:
    assert not advice("TP302", f"import torch\ntorch.nn.functional.softmax({given})\n")


def test_the_batch_as_dim_is_pointed_out() -> None:
    text = textwrap.dedent(
        """
        import torch
        torch.nn.functional.softmax(torch.zeros(2, 3, 4))
        """
    )
    finding = migrate(text, "TP302").findings[0]
    assert finding.fixed
    assert "was dim=-1 meant?" in finding.message


@pytest.mark.parametrize("ndim", range(6))
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin"])
@pytest.mark.filterwarnings("ignore:Implicit dimension choice")
def test_the_dim_is_the_one_that_torch_chooses(name: str, ndim: int) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    x = torch.randn(*[3] * ndim) if ndim else torch.randn(())
    function = f"torch.nn.functional.{name}"
    text = f"import torch\n{function}(torch.zeros({', '.join('3' * ndim) if ndim else '()'}))\n"
    new = migrate(text, "TP302").text.splitlines()[1]
    dim = int(new.removesuffix(")").rpartition("=")[2])
    old = getattr(torch.nn.functional, name)
    assert torch.equal(old(x), old(x, dim=dim))


LOSS = """
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
class Loss(nn.Module):
    def __init__(self, weight=None):
        super().__init__()
        self.loss = nn.{kind}(weight)
        self.other = nn.{other}()
    def forward(self, scores, y, ahead=False):
        {body}
def leave(x):
    return Variable(x, {flag}requires_grad=False)
"""


def loss(body: str, kind: str = "NLLLoss2d", flag: str = "volatile=True, ") -> str:
    return LOSS.format(kind=kind, other="KLDivLoss", body=body, flag=flag)


test_what_goes_into_nll_loss_has_two_or_four_dimensions_until_torch_0_3 = rewrites(
    "TP302",
    {
        "object of a module": (
            loss("return self.loss(F.log_softmax(scores), y)"),
            loss("return self.loss(F.log_softmax(scores, dim=1), y)"),
        ),
        "of either": (
            loss("return 2 * self.loss(F.log_softmax(-scores), y)", "NLLLoss"),
            loss("return 2 * self.loss(F.log_softmax(-scores, dim=1), y)", "NLLLoss"),
        ),
        "function": (
            loss("return F.nll_loss(F.log_softmax(scores), y)"),
            loss("return F.nll_loss(F.log_softmax(scores, dim=1), y)"),
        ),
        "keyword": (
            loss("return F.nll_loss(target=y, input=F.log_softmax(scores))"),
            loss("return F.nll_loss(target=y, input=F.log_softmax(scores, dim=1))"),
        ),
        "not called yet": (
            loss("return nn.NLLLoss()(F.log_softmax(scores), y)"),
            loss("return nn.NLLLoss()(F.log_softmax(scores, dim=1), y)"),
        ),
    },
)

test_keeps_what_goes_elsewhere = keeps(
    "TP302",
    {
        "of any age": loss("return self.loss(F.log_softmax(scores), y)", flag=""),
        "other loss": loss("return self.other(F.log_softmax(scores), y)"),
        "target": loss("return self.loss(scores, F.log_softmax(y))"),
        "picked by another": loss("return self.loss(F.log_softmax(scores)[y], y)"),
        "unknown loss": loss("return criterion(F.log_softmax(scores), y)"),
        "loss of the user": loss(
            "return self.loss(F.log_softmax(scores), y)\n"
            "    def loss(self, scores, y):\n        return scores[y]",
        ).replace("self.loss = nn", "self.inner = nn"),
        "in a list": loss("return self.loss([F.log_softmax(scores)], y)"),
        "star": loss("return self.loss(*[F.log_softmax(scores)], y)"),
    },
)


def _shown(text: str) -> str:
    """The numbers of dimensions a softmax without dim can have, of those of which torch takes the first."""
    text = textwrap.dedent(text)
    facts = WholeFacts(ast.parse(text), text)
    calls = (c for c in ast.walk(facts.tree) if isinstance(c, ast.Call) and not c.keywords)
    softmaxes = {(facts.name(c.func) or "").rpartition(".")[2]: c for c in calls if len(c.args) < 2}
    call = softmaxes.get("softmax", softmaxes.get("Softmax"))
    assert call is not None
    tensor = call.args[0] if call.args else None
    return " ".join(map(str, sorted(shown_ndims(facts, call, tensor) & {1, 3})))


_SHOWN = """import torch
import torch.nn.functional as F
def attention(x, y, dims):
    {}
"""


@pytest.mark.parametrize(
    ("lines", "dim"),
    [
        ("return F.softmax(x.permute(0, 2, 1))", 0),
        ("return F.softmax(torch.permute(x, (0, 2, 3, 1)).contiguous())", 1),
        ("assert x.dim() == 3\n    return F.softmax(-2 * x)", 0),
        ("assert len(x.size()) == 2 and y\n    return F.softmax(x)", 1),
        ("if x.ndim != 4:\n        raise ValueError\n    return F.softmax(x.exp())", 1),
        ("return F.softmax(x.transpose(1, 3))", 1),
        (
            "y = x.unsqueeze(0).unsqueeze(0).transpose(0, 2)\n    return F.softmax(y.unsqueeze(1))",
            1,
        ),
        ("n = x.size(3)\n    return F.softmax(x)", 1),
        ("y = x[:, :, 0, :]\n    return F.softmax(x)", 1),
        ("assert x.dim() == 3\n    x = x[0]\n    return F.softmax(x)", 1),
        ("assert x.dim() == 3\n    return F.softmax(x[:, -1])", 1),
        ("return F.softmax(x.mm(y))", 1),
        ("return F.softmax(x.bmm(y.unsqueeze(2)).squeeze(2))", 1),
        ("return F.softmax(x.unsqueeze(1).bmm(y).squeeze(1))", 1),
        ("return F.softmax(torch.nn.Linear(3, 1)(torch.tanh(x.bmm(y))).squeeze(2))", 1),
        ("return F.softmax(torch.cat([y, x.mm(x)], 1))", 1),
        ("return F.softmax(torch.stack([x.mm(x), y], 1))", 0),
        ("return F.softmax(F.dropout(x.mm(x), training=y))", 1),
        ("return F.softmax(x.mm(x).add_(y))", 1),
        ("x = x.mm(x)\n    x += y\n    return F.softmax(x)", 1),
        (
            "x = x.mm(x)\n    for i in dims:\n        x += y\n        p = F.softmax(x)\n        x += i",
            1,
        ),
        ("return F.softmax(x).unsqueeze(1).bmm(y)", 1),
        ("p = F.softmax(x)\n    p = p.unsqueeze(1)\n    return p.bmm(y)", 1),
        ("return torch.mm(F.softmax(-x), y)", 1),
        ("p = F.softmax(x.transpose(0, 1)) * y\n    return p.unsqueeze(1).bmm(dims)", 1),
        ("p = 2 * F.softmax(x)\n    return p.unsqueeze(1).bmm(dims)", 1),
        ("up = torch.nn.Upsample(size=dims, mode='bilinear')\n    return F.softmax(up(x))", 1),
        ("return F.softmax(F.interpolate(x, None, 2, 'linear'))", 0),
        ("return F.softmax(F.normalize(x.mm(x).mul(y).view(-1, 1, 2, 3).sum(3).squeeze()))", 1),
        (
            "x = x.view(-1, 1, 2, 3).sum(3, keepdim=True)\n    F.softmax(F.normalize(x.squeeze()))",
            1,
        ),
        ("x = x.view(y, 2, 1, 3).mean(1)\n    return F.softmax(F.normalize(torch.squeeze(x)))", 1),
        ("p = F.softmax(x)\n    torch.multinomial(p, 1)\n    return p.gather(1, y)", 1),
        ("return torch.bmm(y, F.softmax(x / 2).contiguous())", 0),
        ("y = y.view(-1, 1)\n    return -F.softmax(x).gather(1, y)", 1),
        ("return torch.gather(F.softmax(x), 2, y.mm(y).unsqueeze(0))", 0),
        (
            "x = torch.zeros(1, 2, 3, 1)\n    for i in dims:\n        p = F.softmax(x)\n"
            "        x = x + y.mean(dim=0)",
            1,
        ),
    ],
)
def test_what_is_done_with_a_tensor_shows_its_dimensions(lines: str, dim: int) -> None:
    text = _SHOWN.format(lines)
    written = migrate(text, "TP302").text
    assert written.count(f", dim={dim})") == 1
    assert migrate(written, "TP302").text == written


@pytest.mark.parametrize(
    ("lines", "zero"),
    [
        ("return F.softmax(x.transpose(0, 2))", "3"),
        ("return F.softmax(x.transpose(-1, -3) + y)", "3"),
        ("y = x[:, :, 0]\n    return F.softmax(x)", "3"),
        ("return F.softmax(x.transpose(0, 1))", "3"),
        ("if x.dim() > 2:\n        return F.softmax(x)", "3"),
        ("if x.dim() > 2 and x.dim() != 4:\n        return F.softmax(x)", "3"),
        ("if x.dim() < 3:\n        return 0\n    return F.softmax(x.mul(y))", "3"),
        ("return F.softmax(x.transpose(0, 1) @ y)", "1 3"),
        ("return F.softmax(x.permute(*dims))", "1 3"),
        ("return F.softmax(x.permute(dims))", "1 3"),
        ("x.unsqueeze_(0)\n    assert x.dim() == 3\n    return F.softmax(x)", "1 3"),
        ("assert x.dim() == 3\n    x = x[y]\n    return F.softmax(x)", "1 3"),
        ("assert x.dim() == 3\n    x.data = y\n    return F.softmax(x)", "1 3"),
        ("assert y.dim() == 3\n    return F.softmax(x)", "1 3"),
        (
            "for i in y:\n        assert x.dim() == 3\n        if i:\n            x = g(x)"
            "\n        F.softmax(x)",
            "1 3",
        ),
        ("assert y or x.dim() == 3\n    return F.softmax(x)", "1 3"),
        ("if y:\n        n = x.size(2)\n    return F.softmax(x)", "1 3"),
        ("y = F.softmax(x)\n    return y, x.size(2)", "3"),
        ("return F.softmax(x.transpose(0, 2).sum(1))", "3"),
        ("return F.softmax(x.sum(1).squeeze(2))", "3"),
        ("return F.softmax(x.bmm(y).squeeze(2))", "3"),
        ("return F.softmax(x.bmm(y.unsqueeze(1)).squeeze(2))", "3"),
        ("return F.softmax(x.squeeze(y))", "1 3"),
        ("return F.softmax(torch.cat([x, y.mm(y)]) + dims)", "3"),
        ("for i in y:\n        x = x.unsqueeze(i)\n        F.softmax(x)", "1 3"),
        (
            "while y:\n        x = x.mm(x).unsqueeze(0)[0].view(dims)\n        F.softmax(x)",
            "1 3",
        ),
        ("return F.softmax(x) + y.unsqueeze(1).bmm(dims)", "1 3"),
        ("return y(F.softmax(x).unsqueeze(1)).bmm(dims)", "1 3"),
        ("p = F.softmax(x.transpose(0, 1)) * y\n    return p.bmm(dims)", "3"),
        ("up = torch.nn.Upsample(size=dims, mode=y)\n    return F.softmax(up(x))", "1 3"),
        ("up = torch.nn.Upsample(size=dims)\n    return F.softmax(up(x))", "1 3"),
        ("return F.softmax(F.interpolate(x, dims, mode='nearest'))", "1 3"),
        ("return F.softmax(F.interpolate(x, *y, mode='linear'))", "1 3"),
        ("return F.softmax(F.normalize(x))", "3"),
        ("return F.softmax(F.normalize(x, dim=0))", "1 3"),
        ("return F.softmax(F.normalize(x, 2, 0))", "1 3"),
        ("x = x.view(-1, y, 2, 3).sum(3)\n    return F.softmax(F.normalize(x.squeeze()))", "3"),
        ("x = x.view(-1, 1, 2, 3).sum(1)\n    return F.softmax(F.normalize(x.squeeze()))", "3"),
        ("x = x.view(-1, 1, 2, 3).sum(y)\n    return F.softmax(F.normalize(x.squeeze()))", "3"),
        ("return F.softmax(x.transpose(0, 2).view(y))", "1 3"),
        ("n = x.size()[1]\n    return F.softmax(x)", "3"),
        ("n = torch.zeros(y, x.shape[-2])\n    return F.softmax(x)", "3"),
        ("n = x.size()[0]\n    return F.softmax(x)", "1 3"),
        ("n = x.size()[1:]\n    return F.softmax(x)", "1 3"),
        ("n = y.size()[1]\n    return F.softmax(x)", "1 3"),
        ("return F.softmax(x).gather(dims, y.view(dims))", "1 3"),
        ("return y.view(-1, 1).gather(1, F.softmax(x))", "1 3"),
    ],
)
def test_what_is_not_certain_is_left_open(lines: str, zero: str) -> None:
    text = _SHOWN.format(lines)
    (finding,) = advice("TP302", text)
    if "write dim=1, if line" not in finding.message:
        assert finding.message.endswith("write dim=… with that one")
        first = {"1": "one", "3": "three", "1 3": "one or three"}[zero]
        assert f"dim=0 if it has {first}: " in finding.message
    assert _shown(text) == zero


@pytest.mark.parametrize(
    "lines",
    [
        "p = F.softmax(x)\n    return torch.multinomial(p, 1), p.gather(y, dims)",
        "return F.softmax(x).t()",
        "return F.softmax(x.mm(y).squeeze())",
        "conv = torch.nn.Conv2d(3, 4, 2)\n    return F.softmax(conv(x).mean(3).mean(2).squeeze())",
        "scores = x.mm(y)\n    return F.softmax(scores[0].squeeze() if dims else scores)",
    ],
)
def test_of_two_dimensions_at_most_torch_takes_the_last(lines: str) -> None:
    text = _SHOWN.format(lines)
    after = migrate(text, "TP302").text
    assert after.count(", dim=-1)") == 1
    assert migrate(after, "TP302").text == after


def test_a_layer_given_vectors_and_matrices_gets_the_last_dim() -> None:
    text = "import torch\nm = torch.nn.Softmax()\nm(torch.zeros(2, 3))\nm(torch.zeros(2))\n"
    assert migrate(text, "TP302").text == text.replace("Softmax()", "Softmax(dim=-1)")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            "z = torch.zeros(2, 3)\n    if y:\n        z = torch.zeros(2, 3, 4)\n    return F.softmax(z)",
            "dim=1 if z has two dimensions, dim=0 if it has three: write dim=… with that one",
        ),
        (
            "z = torch.zeros(2)\n    if y:\n        z = torch.zeros(2, 3, 4, 5)\n    return F.softmax(z)",
            "dim=1 if z has four dimensions, dim=0 if it has one: write dim=… with that one",
        ),
    ],
)
def test_numbers_of_dimensions_that_are_all_in_sight_are_named(lines: str, said: str) -> None:
    (finding,) = advice("TP302", _SHOWN.format(lines))
    assert said in finding.message


_LAYERED = """
    import torch, torch.nn as nn, torch.nn.functional as F
    class Own(nn.Module):
        def forward(self, x):
            if x.size(0) > 3:
                return x
            return x * 2
    class Net(nn.Module):
        def __init__(self, n, norm):
            super().__init__()
            self.norm, self.fc = nn.BatchNorm1d(n), nn.Linear(n, n)
            self.own, self.soft = Own(), nn.Softmax()
        def forward(self, x, y):
            {line}
    """


@pytest.mark.parametrize(
    "line",
    [
        "n, k = x.size()\n            return F.softmax(x)",
        "n, k, h, w = x.shape\n            return F.softmax(x)",
        "n, k = x.size()\n            x = self.own(self.fc(x))\n            return F.softmax(x)",
        "return F.softmax(x)[:, :, 0, 0]",
    ],
)
def test_sizes_that_are_unpacked_say_the_number(line: str) -> None:
    text = textwrap.dedent(_LAYERED.format(line=line)).replace("nn.Softmax()", "nn.Softmax(dim=1)")
    after = migrate(text, "TP302").text
    assert after.count(", dim=1)") == 1


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("return F.softmax(x)[:, 0]", "3"),
        (
            "p = F.softmax(x)\n            return p[:, 0].sum()",
            "3",
        ),
        ("return F.softmax(x).max(1)[1]", "3"),
        ("return F.softmax(x[2:, :])", "3"),
        (
            "return F.softmax(self.fc(self.norm(x)))",
            "3",
        ),
        (
            "return F.softmax(self.own(self.norm(x)))",
            "3",
        ),
        ("return F.softmax(x).topk(y, 1)", "3"),
        ("return torch.max(F.softmax(x), -2)", "3"),
        (
            "p = F.softmax(x)\n            return F.softmax(p, 1)",
            "3",
        ),
        (
            "p = F.softmax(x).data.cpu().numpy()\n            return p[:, 1]",
            "3",
        ),
        (
            "with torch.no_grad():\n                p = F.softmax(x)\n            return p[:, 1]",
            "3",
        ),
        ("return F.softmax(torch.cat((x, y), 1))", "3"),
        (
            "self.p = y\n            self.p = x.bmm(y).squeeze(2)\n            return F.softmax(self.p)",
            "3",
        ),
        (
            "p = F.softmax(x)\n            n = x.max(1)[1]\n            return p, n",
            "3",
        ),
        (
            "p = F.softmax(x)\n            if y:\n                y += 1\n            return p[:, 1]",
            "3",
        ),
        ("return F.softmax(x).topk(y, 0)", "1 3"),
        ("p = F.softmax(x)\n            x = y\n            return p, x.max(1)", "1 3"),
        (
            "if F.softmax(x):\n                return y\n            n = x.max(1)",
            "1 3",
        ),
        (
            "p = F.softmax(x)\n            while y:\n                n = p[:, 1]\n            return p",
            "1 3",
        ),
        ("p = lambda: F.softmax(x)\n            n = x.max(1)\n            return p", "1 3"),
        ("return F.softmax(x).topk(1)", "1 3"),
        ("return y.topk(F.softmax(x), 1)", "1 3"),
        ("return torch.max(F.softmax(x), y)", "1 3"),
        ("return torch.unsqueeze(F.softmax(x), 1)", "1 3"),
        ("return torch.cosine_similarity(F.softmax(x), y.view(2, 2), dim=1)", "1 3"),
        ("return F.softmax(x).data.cpu().numpy().dot(y)", "1 3"),
        ("return F.softmax(x).data.cpu().numpy()[None, :]", "1 3"),
        (
            "with torch.no_grad():\n                p = F.softmax(x)\n"
            "                if y:\n                    return p\n            return p[:, 1]",
            "1 3",
        ),
        ("return F.softmax(torch.cat((x, y), 0))", "1 3"),
        ("return F.softmax(torch.cat((x, y), n))", "1 3"),
        (
            "self.p = y\n            self.p = x.bmm(y)\n            self.own(x)\n            return F.softmax(self.p)",
            "1 3",
        ),
        (
            "self.p = y\n            self.p = x.bmm(y)\n            return y(), F.softmax(self.p)",
            "1 3",
        ),
        ("y.p = x.bmm(y)\n            return F.softmax(y.p)", "1 3"),
        ("self.own = x.bmm(y)\n            return F.softmax(self.p)", "1 3"),
        ("return F.softmax(x).max(0)[1]", "1 3"),
        ("return F.softmax(self.fc(x))", "1 3"),
        ("return F.softmax(x[2, y])", "1 3"),
        ("return F.softmax(y(self.norm(x)))", "1 3"),
        ("n, *k = x.size()\n            return F.softmax(x)", "1 3"),
        ("n, k = y.size()\n            return F.softmax(x)", "1 3"),
        (
            "p = F.softmax(x)\n            if y:\n                return p\n"
            "            return p[:, :, :, 0]",
            "1 3",
        ),
        ("p = F.softmax(x)\n            p = y\n            return p[:, 0]", "1 3"),
    ],
)
def test_what_is_done_with_a_tensor_narrows_what_it_can_have(line: str, told: str) -> None:
    text = _LAYERED.format(line=line).replace("nn.Softmax()", "nn.Softmax(dim=1)")
    assert _shown(text) == told


@pytest.mark.parametrize(
    ("layer", "told"),
    [
        (
            "nn.Sequential(Unheard(), nn.BatchNorm1d(3), nn.Softmax())",
            "3",
        ),
        (
            "nn.Sequential(*[nn.BatchNorm1d(3), nn.Softmax()])",
            "3",
        ),
        ("nn.Sequential(nn.BatchNorm1d(3), Unheard(), nn.Softmax())", "1 3"),
        ("nn.Sequential(nn.Linear(3, 3), nn.Softmax())", "1 3"),
        ("nn.Sequential(*[nn.BatchNorm1d(3), nn.Softmax()], more)", "3"),
        ("nn.Sequential(nn.BatchNorm1d(3), *more, nn.Softmax())", "1 3"),
        ("nn.ModuleList([nn.BatchNorm1d(3), nn.Softmax()])", "1 3"),
    ],
)
def test_the_layers_before_a_layer_narrow_what_it_can_have(layer: str, told: str) -> None:
    assert _shown(f"import torch.nn as nn\nhead = {layer}\nuse(head)\n") == told


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("def f(x):\n    softmax = nn.Softmax()\n    return x\n", 0),
        ("def f(x):\n    softmax = nn.Softmax()\n    return softmax\n", 1),
        ("def f(x):\n    softmax = nn.Softmax()\n    return lambda: softmax(x)\n", 1),
        ("softmax = nn.Softmax()\n", 1),
        ("def f(x):\n    global softmax\n    softmax = nn.Softmax()\n", 1),
    ],
)
def test_nothing_is_said_of_a_layer_that_nothing_reads(text: str, count: int) -> None:
    assert len(advice("TP302", f"import torch.nn as nn\n{text}")) == count


_PAIR = """
import torch.nn.functional as F
def act(net, x):
    logits, hidden = net(x)
    probs = F.softmax(logits)
    {}log_prob = F.log_softmax(logits)
    action = probs.multinomial(1)
    print(log_prob.gather(1, action))
"""


def test_what_shows_the_dimensions_of_one_softmax_shows_those_of_the_other() -> None:
    written = migrate(_PAIR.format(""), "TP302").text
    assert written.count("(logits, dim=1)") == 2
    written = migrate(_PAIR.format("logits = x; "), "TP302").text
    # What is drawn from has one or two dimensions; nothing tells of the other one.
    assert written.count("dim=-1)") == 1 and written.count("_softmax(logits)") == 1


def test_no_line_is_named_that_gets_its_dim_by_this_run() -> None:
    text = _PAIR.replace("    {}log", "    log").replace(
        "    probs", "    if x is not None:\n        probs"
    )
    text = text.replace(
        "logits)\n    log", "logits)\n        print(probs[:, 0], probs.multinomial(1))\n    log"
    )
    text = text.replace("gather(1, action)", "sum()")
    migration = migrate(text, "TP302")
    (told,) = [finding for finding in migration.findings if not finding.fixed]
    assert "softmax(logits, dim=1)" in migration.text and "does for" not in told.message
    assert told.message.endswith("write dim=1, along which line 7 picks from the result of line 6")


_OPEN = "write dim=… with that one"
_OF_SCORES = "write dim=1, along which line 4 takes {}() of the same tensor"
_IN_LOSS = "write dim=1, along which line 4 takes cross_entropy of the same tensor"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("if d:\n p = F.softmax(x)\nelse:\n q = x.topk(5, 1)\n", _OPEN),
        ("if d:\n if y:\n  p = F.softmax(x)\nelse:\n q = x.max(1)\n", _OPEN),
        ("p = F.softmax(x) if d else x.max(1)\n", _OPEN),
        ("if d:\n q = x.topk(5, 1)\n p = F.softmax(x)\n", "write dim=1, along which line 4 takes"),
        ("if d:\n q = x.topk(5, 1)\nif y:\n p = F.softmax(x)\n", "write dim=1, along which line 4"),
        (
            "if d:\n p = F.softmax(x)\nelse:\n q = F.log_softmax(x, 1)\n",
            "write dim=1, as line 6 does for the same tensor",
        ),
    ],
)
def test_what_is_done_only_where_no_softmax_is_taken_shows_nothing(text: str, said: str) -> None:
    head = "import torch.nn.functional as F\ndef f(x, y, d):\n"
    (found,) = advice("TP302", head + textwrap.indent(text, "    "))
    assert f": {said}" in found.message


@pytest.mark.parametrize(
    ("below", "said"),
    [
        ("q = F.log_softmax(x, dim=1)", "write dim=1, as line 4 does for the same tensor"),
        ("q = F.log_softmax(x, -1)", "write dim=-1, as line 4 does for the same tensor"),
        ("q = F.log_softmax(x, dim=d)", _OPEN),
        ("q = F.log_softmax(y, dim=1)", _OPEN),
        ("q = x.max(1)", _OF_SCORES.format("max")),
        ("if d: q = torch.max(x, dim=1)[1]", _OF_SCORES.format("max")),
        ("q = x.argmax(1)", _OF_SCORES.format("argmax")),
        ("q = x.topk(d, 1)", _OF_SCORES.format("topk")),
        ("q = x.max(0)", _OPEN),
        ("q = x.max(d)", _OPEN),
        ("q = x.sum(1)", _OPEN),
        ("q = torch.max(y, 1)", _OPEN),
        ("q = y.scatter(1, x)", _OPEN),
        ("x = y\n    q = x.max(1)", _OPEN),
        ("x = y\n    q = F.log_softmax(x, dim=1)", _OPEN),
        ("if d: q = F.cross_entropy(x, y)", _IN_LOSS),
        ("if d: q = nn.CrossEntropyLoss()(x, y)", _IN_LOSS),
        (
            "if d: q = F.cross_entropy(p, y)",
            "write dim=1, along which line 4 takes cross_entropy of the result",
        ),
        ("if d: q = F.cross_entropy(y, x)", _OPEN),
        ("if d: q = F.mse_loss(x, y)", _OPEN),
        ("x = y\n    if d: q = F.cross_entropy(x, y)", _OPEN),
    ],
)
def test_the_dim_of_the_same_tensor_elsewhere_is_named(below: str, said: str) -> None:
    head = "import torch, torch.nn as nn, torch.nn.functional as F\n"
    text = head + "def f(x, y, d):\n    p = F.softmax(x)\n    {}\n"
    (found,) = advice("TP302", text.format(below))
    assert found.message.endswith(f": {said}")


_SUMS = "write dim=1, along which line 4 takes sum() of the result"
_LAST = "write dim=-1, along which line 4 takes topk() of the result"
_ALONG = "write dim=1, along which line 4 takes topk() of the result"
_SORTS = "write dim=1, along which line 4 takes sort() of the result"
_DRAWS = "write dim=-1, along which line 4 takes multinomial() of the result"
_MOST = "write dim=1, along which line 4 takes max() of the result"
_PICKS = "write dim=1, along which line 4 picks from the result"
_GATHERS = "write dim=1, along which line 4 takes gather() of the result"
_BEST = "write dim=1, along which line 4 takes argmax() of the result"


@pytest.mark.parametrize(
    ("below", "zero", "said"),
    [
        ("return -(p * p.log()).sum(1)", "3", _SUMS),
        ("return (2 * p).clamp(min=y).sum(dim=1)", "1 3", _OPEN),
        ("return (2 * p).exp().sum(dim=1)", "3", _SUMS),
        ("return torch.sum(p, 1)", "3", _SUMS),
        ("return p[0, k]", "1 3", _PICKS),
        ("return p.gather(1, y)", "3", _GATHERS),
        ("return -p.gather(dim=-1, index=y).squeeze(-1)", "1 3", _GATHERS.replace("=1", "=-1")),
        ("return y.gather(1, p)", "1 3", _OPEN),
        ("return p[:, 1].mean()", "3", _PICKS),
        ("return p.data.clone()[:, k]", "1 3", _PICKS),
        ("return p.topk(k)", "1 3", _LAST),
        ("return p.topk(k, 1)", "3", _ALONG),
        ("best, at = torch.topk(p, k, dim=1); return best", "3", _ALONG),
        ("best, at = torch.sort(p, 1, True); return best", "3", _SORTS),
        ("best, at = p.sort(dim=1); return best", "3", _SORTS),
        ("best, at = p.sort(0); return best", "1 3", _OPEN),
        ("return p.topk(k, dim=-1)", "1 3", _LAST),
        ("q = p.data[0][k]\n    while y > q: k()", "1 3", _PICKS),
        ("q = 0\n    while y > q: q = p[0][k]", "1 3", _PICKS.replace("4", "5")),
        ("q = -p[0][k]; q.backward()", "1 3", _PICKS),
        ("return p[0][y[0]].item()", "1 3", _PICKS),
        ("return float(p.cpu().numpy()[y, k])", "1 3", _PICKS),
        ("return k if p[y][k] > 0.5 and y else 0", "1 3", _PICKS),
        ("y.append(p); return torch.multinomial(y[-1].data.exp(), 1)", "1 3", _DRAWS),
        ("y.append(p)\n    for q in y: k(q.max(1))", "1 3", _MOST.replace("4", "5")),
        ("return p[0][k]", "1 3", _OPEN),
        ("return p[0][k] > 0.5", "1 3", _OPEN),
        ("return p[0][1:].item()", "1 3", _OPEN),
        ("return p[0][None].item()", "1 3", _OPEN),
        ("return p[0].item()", "1 3", _OPEN),
        ("return p[y, 1:].item()", "1 3", _OPEN),
        ("return p[0][k][y].item()", "1 3", _OPEN),
        ("return p[0][k].sum().item()", "1 3", _OPEN),
        ("return (p[0][k] @ y).item()", "1 3", _OPEN),
        ("return p[0][k].backward(y)", "1 3", _OPEN),
        ("k.q = p[0][k]; return y.q.item()", "1 3", _OPEN),
        ("q = p[0][k]; q = y; return q.item()", "1 3", _OPEN),
        ("return y.multinomial(p)", "1 3", _OPEN),
        ("return torch.poisson(p)", "1 3", _OPEN),
        ("return torch.bernoulli(p)", "1 3", _OPEN),
        ("return p.topk(k, 2)", "3", _OPEN),
        ("return p.topk(k, dim=y)", "1 3", _OPEN),
        ("y.append(p); return y[1:].max(1)", "1 3", _OPEN),
        ("y.append(p); return y[-1].max(0)", "1 3", _OPEN),
        ("y.append(p); return y.max(1)", "1 3", _OPEN),
        ("y.extend(p); return y[-1].max(1)", "1 3", _OPEN),
        ("q, best = torch.topk(p, k); return best[:, 0]", "3", _LAST),
        ("return p.data.cpu().numpy()[:, 1]", "3", _PICKS),
        ("q = p.cuda(); return q[0, k]", "1 3", _PICKS),
        ("return np.argmax(p.data.cpu().numpy(), axis=1)", "1 3", _BEST),
        ("return np.argmax(p.data.cpu().numpy(), 1)", "1 3", _BEST),
        ("return np.max(p.numpy(), axis=1)", "1 3", _BEST.replace("arg", "")),
        ("return p.argmax(1)", "3", _BEST),
        ("return p.cpu().argmax(dim=1)", "3", _BEST),
        ("return torch.argmax(p, dim=1)", "3", _BEST),
        ("return p.max(1) if k else p.max(0)", "1 3", _OPEN),
        ("return p.max(1) if k else p.cpu().numpy().argmax(0)", "1 3", _OPEN),
        ("return p[:, k], np.max(p.cpu().numpy(), axis=0)", "1 3", _OPEN),
        ("return p.max(1), y.max(0), k(p).max(0)", "3", _MOST),
        ("return p[:, k], p.mean(0), np.mean(p.numpy(), axis=0), p[0].max(0)", "1 3", _PICKS),
        ("return p[torch.arange(k), y]", "1 3", _PICKS),
        (
            "rows = torch.arange(0, k).long().view(-1, 1); return p[rows.cuda(), y.data]",
            "1 3",
            _PICKS,
        ),
        ("return p[np.arange(k), y]", "1 3", _PICKS),
        ("return p[range(k), y]", "1 3", _PICKS),
        ("return p[list(range(k)), y]", "1 3", _PICKS),
        ("return p[[i for i in range(k)], y]", "1 3", _PICKS),
        (
            "rows = torch.Tensor([i for i in range(k)]).long().cuda(); return p[rows, y.data]",
            "1 3",
            _PICKS,
        ),
        ("return p[torch.LongTensor([i for i in y]), y]", "1 3", _OPEN),
        ("return p[torch.LongTensor([2 * i for i in range(k)]), y]", "1 3", _OPEN),
        ("return p[torch.LongTensor([i for i in range(k) if i]), y]", "1 3", _OPEN),
        ("return p[torch.LongTensor(k), y]", "1 3", _OPEN),
        ("return p[y, k]", "1 3", _OPEN),
        ("return p[y, torch.arange(k)]", "1 3", _OPEN),
        ("return p[torch.arange(k), torch.arange(k)]", "1 3", _OPEN),
        ("return p[torch.arange(k), :]", "1 3", _OPEN),
        ("return p[torch.arange(k)]", "1 3", _OPEN),
        ("return p.tolist()[k]", "1 3", _OPEN),
        ("return np.argmax(p.numpy())", "1 3", _OPEN),
        ("return np.argmax(p.numpy(), axis=0)", "1 3", _OPEN),
        ("return np.argmax(y, p)", "1 3", _OPEN),
        ("return np.moveaxis(p.numpy(), 1, 0)", "1 3", _OPEN),
        ("return unheard.argmax(p, axis=1)", "1 3", _OPEN),
        ("return p.argmax()", "1 3", _OPEN),
        ("return p.topk(k, 0)", "1 3", _OPEN),
        ("return torch.topk(y, p)", "1 3", _OPEN),
        ("return y.topk(p)", "1 3", _OPEN),
        ("return unheard.topk(p, k)", "1 3", _OPEN),
        ("return p.median()", "1 3", _OPEN),
        ("return p.shape[:, 1]", "1 3", _OPEN),
        ("return p[:, k - 1]", "3", _PICKS),
        ("return p[:, k.last]", "1 3", _PICKS),
        ("return p[0, k - 1]", "3", _PICKS),
        ("return p[k - 1]", "1 3", _OPEN),
        ("return p[:, :k - 1]", "3", _OPEN),
        ("return p[k, k - 1]", "1 3", _OPEN),
        ("return p[k - 1, k - 1]", "3", _OPEN),
        ("return p[:, :k]", "3", _OPEN),
        ("return p[0, 1:]", "3", _OPEN),
        ("return p[k]", "1 3", _OPEN),
        ("return p[:, 1:].max(1)", "3", _MOST),
        ("return p[:, 1:].data.max(1)[1]", "3", _MOST),
        ("q = p[:k]; return q[:, 1]", "3", _PICKS),
        ("return p[:, 1:].max(0)", "3", _OPEN),
        ("return p[0, 1:].max(1)", "3", _OPEN),
        ("return p[None, 1:].max(1)", "1 3", _OPEN),
        ("return p[:, k].max(0)", "1 3", _PICKS),
        ("return p[0, None]", "1 3", _OPEN),
        ("return p[0, ..., k]", "1 3", _OPEN),
        ("return p.sum(0)", "1 3", _OPEN),
        ("return p.sum(-1)", "1 3", _SUMS.replace("=1", "=-1")),
        ("return (p * y).sum(1)", "1 3", _OPEN),
        ("return (p * p.view(-1)).sum(1)", "1 3", _OPEN),
        ("return p.unsqueeze(2).sum(1)", "1 3", _SUMS),
        ("return (p.unsqueeze(2) * y).sum(1)", "1 3", _SUMS),
        ("return torch.sum(y * p.unsqueeze(dim=2).expand_as(y), 1)", "1 3", _SUMS),
        ("w = torch.unsqueeze(p, 2); return (w * y).sum(dim=1)", "1 3", _SUMS),
        ("return (p.unsqueeze(2) * y).sum(2)", "1 3", _OPEN),
        ("return (p.unsqueeze(1) * y).sum(1)", "1 3", _OPEN),
        ("return (p.unsqueeze(-1) * y).sum(1)", "1 3", _OPEN),
        ("return (p.unsqueeze(k) * y).sum(1)", "1 3", _OPEN),
        ("return (p.expand_as(y) * y).sum(1)", "1 3", _OPEN),
        ("return (y.unsqueeze(2) * p).sum(1)", "1 3", _OPEN),
        ("return y.unsqueeze(2, p).sum(1)", "1 3", _OPEN),
        ("return y.unsqueeze(2).expand_as(p).sum(1)", "1 3", _OPEN),
        ("q = p; p = y; return (q * p.log()).sum(1)", "1 3", _OPEN),
        ("y.extend(p); return y[:, 1]", "1 3", _OPEN),
    ],
)
def test_what_is_done_with_the_result_names_its_dim(below: str, zero: str, said: str) -> None:
    head = "import numpy as np, torch, torch.nn.functional as F\n"
    text = head + f"def f(x, y, k):\n    p = F.softmax(x)\n    {below}\n"
    (found,) = advice("TP302", text)
    assert found.message.endswith(f": {said}")
    assert _shown(text) == zero


@pytest.mark.parametrize(
    ("looks", "given", "line"),
    [
        ("q.max(1)", "p, y", "takes max() of"),
        ("q.max(0)", "p, y", ""),
        ("q[0].max(1)", "p, y", ""),
        ("z.max(1)", "p, y", ""),
        ("q.max(1)", "y, p", ""),
        ("q.max(1)", "*p", ""),
    ],
)
def test_what_a_function_does_with_the_result_names_its_dim(
    looks: str, given: str, line: str
) -> None:
    text = (
        f"import torch.nn.functional as F\ndef best(q, z):\n    return {looks}\n"
        f"def f(x, y):\n    p = F.softmax(x)\n    return best({given})\n"
    )
    (found,) = advice("TP302", text)
    told = f"write dim=1, along which line 3 {line} the result" if line else _OPEN
    assert found.message.endswith(f": {told}")


@pytest.mark.parametrize(
    ("returned", "outside", "is_told"),
    [
        ("p", "f(x, y)[:, k]", True),
        ("p.data", "q = f(x, y)\nq[:, k]", True),
        ("p", "f(x, y)[k]", False),
        ("p", "f(x, y)[:, k], f(x, y).max(0)", False),
        ("y", "f(x, y)[:, k]", False),
        ("p, y", "f(x, y)[:, k]", False),
        ("(p.data, y)", "q, r = f(x, y)\nq[:, k]", True),
        ("(p, y)", "f(x, y)[0][:, k]", True),
        ("[p, y]", "q, r = f(x, y)\nq[:, k]", True),
        ("(p, y)", "q, r = f(x, y)\nr[:, k]", False),
        ("(p, y, k)", "q, r = f(x, y)[:2]\nq[:, k]", True),
        ("(y, (p, k))", "q, r = f(x, y)\nz, w = r[:2]\nz[:, k]", True),
        ("(y, (p, k))", "q, r = f(x, y)\nz, w = r[:2]\nw[:, k]", False),
        ("(p, y, k)", "q, r = f(x, y)[:2]\nr[:, k]", False),
        ("(p, y, k)", "q, r = f(x, y)[1:]\nq[:, k]", False),
        ("(p, y, k)", "q, r = f(x, y)[::-2]\nq[:, k]", False),
        ("(p, y)", "f(x, y)[1][:, k]", False),
        ("torch.stack([p, y])", "f(x, y)[:, k]", False),
        ("p.sum(0)", "f(x, y)[:, k]", False),
    ],
)
def test_what_is_done_with_what_a_function_returns_names_its_dim(
    returned: str, outside: str, is_told: bool
) -> None:
    text = (
        "import torch, torch.nn.functional as F\nfrom nets import k, x, y\n"
        f"def f(x, y):\n    p = F.softmax(x)\n    return {returned}\n{outside}\n"
    )
    (found,) = advice("TP302", text)
    last = len(text.splitlines())
    told = f"write dim=1, along which line {last} picks from the result" if is_told else _OPEN
    assert found.message.endswith(f": {told}")


@pytest.mark.parametrize(
    ("run", "is_told"),
    [
        ("p, q = self(x)\n        return p[:, k]", True),
        ("p, q = self(x)\n        return q[:, k]", False),
        ("p, q = k(x)\n        return p[:, k]", False),
    ],
)
def test_what_is_done_with_what_a_model_gives_names_its_dim(run: str, is_told: bool) -> None:
    text = (
        "import torch.nn as nn, torch.nn.functional as F\nclass Net(nn.Module):\n"
        "    def forward(self, x):\n        return F.softmax(x), x\n"
        f"    def run(self, x, k):\n        {run}\n"
    )
    (found,) = advice("TP302", text)
    told = "write dim=1, along which line 7 picks from the result" if is_told else _OPEN
    assert found.message.endswith(f": {told}")


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("return f(y)[:, k]", "", "write dim=1, along which line 5 picks from the result"),
        ("return f(y)[:, k[0]]", "", "write dim=1, along which line 5 picks from the result"),
        ("return f(y)[k[0], k[1]]", "", "write dim=… with that one"),
        ("z = f(y)[:, k]", "return f(x).topk(k)", "write dim=… with that one"),
        ("z = f(y)[:, k]", "return f(x)", "write dim=… with that one"),
        ("return f", "", "write dim=… with that one"),
    ],
)
def test_all_that_a_layer_gives_names_its_dim(first: str, second: str, said: str) -> None:
    text = "import torch\n\ndef g(x, y, k):\n    f = torch.nn.Softmax()\n"
    (found,) = advice("TP302", f"{text}    {first}\n    {second}\n")
    assert found.message.endswith(said)


_ALIKE = "write dim=1, as line 7 takes of another output of model"
_SHOWN_ALIKE = (
    "write dim=1, along which line 7 picks from the result of line 7, "
    "which is that of another output of model"
)
_LAYER = "y, dim=1), nn.Softmax()(model(y)"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, _ALIKE),
        ({"known": "p = F.softmax(model(x), dim=1)"}, _ALIKE),
        ({"known": "p = F.softmax(model(x))[:, 1]"}, _SHOWN_ALIKE),
        ({"known": "p = F.softmax(other(x))[:, 1]"}, _OPEN),
        ({"known": "p = F.softmax(model(x))[1]"}, _OPEN),
        ({"known": "p = F.softmax(model(x), dim=d)[:, 1]"}, _OPEN),
        ({"known": "p = F.softmax(model(x))[:, 1], F.softmax(model(x), dim=2)"}, _OPEN),
        ({"known": "p = F.softmax(model(x))[:, 1], F.softmax(model(x)).sum(-1)"}, _OPEN),
        ({"known": "p = F.softmax(model(x), dim=1)", "open": _LAYER}, _ALIKE),
        ({"known": "p = F.softmax(other(x), dim=1)", "open": _LAYER}, _OPEN),
        ({"known": "p = F.log_softmax(other(x))\n    F.nll_loss(p, y)"}, _OPEN),
        ({"known": "p = F.log_softmax(x)\n    F.nll_loss(p, y)"}, _OPEN),
        ({"known": "p = F.softmax(model(x), dim=d)"}, _OPEN),
        ({"known": "model = y\n    p = F.softmax(model(x), dim=1)"}, _OPEN),
        ({"known": "p = F.softmax(model(x), dim=1), F.softmax(model(x), dim=2)"}, _OPEN),
        ({"known": "q = model(x)\n    F.nll_loss(F.log_softmax(q), y)"}, _ALIKE.replace("7", "8")),
        ({"known": "q = other(x)\n    F.nll_loss(F.log_softmax(q), y)"}, _OPEN),
        ({"known": "q = model(x)[0]\n    F.nll_loss(F.log_softmax(q), y)"}, _OPEN),
        ({"known": "p = F.softmax(Variable(x), dim=1)", "open": "Variable(y)"}, _OPEN),
        ({"known": "p = F.softmax(h(x), dim=1)", "open": "h(y)"}, _OPEN),
        ({"open": "other(y)"}, _OPEN),
        ({"open": "y"}, _OPEN),
        ({"open": "model(y), dim=d"}, None),
    ],
)
def test_the_dim_of_what_the_same_model_gives_elsewhere_is_named(
    changed: dict[str, str], said: str | None
) -> None:
    parts = {"known": "p = F.log_softmax(model(x))\n    F.nll_loss(p, y)", "open": "model(y)"}
    parts |= changed
    text = (
        "import torch.nn as nn, torch.nn.functional as F\nfrom torch.autograd import Variable\n"
        "from nets import make\nmodel, other = make(), make()\n"
        "def f(x, y, d):\n    x = Variable(x, volatile=True)\n"
        f"    {parts['known']}\ndef g(y, d):\n    return F.softmax({parts['open']})\n"
        "def h(x):\n    return x * x\n"
    )
    told = [f.message for f in advice("TP302", text) if f.line > 7 and "dim" in f.message]
    assert [message.partition(": ")[2] for message in told] == ([said] if said else [])


def test_another_way_through_the_function_shows_nothing_of_the_dimensions() -> None:
    text = textwrap.dedent(
        """
        import torch
        import torch.nn.functional as F
        def sample(net, x, draws):
            scores = net(x)
            if draws:
                probs = F.softmax(scores)
                action = probs.multinomial(1)
                return action[:, 0], probs.gather(1, action)[:, 0]
            return F.log_softmax(scores)
        """
    )
    assert "return F.log_softmax(scores)\n" in migrate(text, "TP302").text


def test_what_two_sums_of_a_loop_make_of_each_other_is_read_once() -> None:
    text = (
        "import torch.nn.functional as F\n\n\ndef f(x, ys, zs):\n    x = [x]\n    x += ys\n"
        "    for i in range(3):\n        p = F.softmax(x[i])\n        for z in zs:\n"
        "            x += [z]\n        x += [p]\n    return p\n"
    )
    (found,) = advice("TP302", text)
    assert found.line == 8


_DRAWN = """
import torch
import torch.nn.functional as F
def play(x, trains, row):
    probs = F.softmax(x)
    drawn = torch.multinomial(probs, 3)
    {}
"""


@pytest.mark.parametrize(
    ("below", "count"),
    [
        ("if trains:\n        return F.log_softmax(x)[row, drawn]", 2),
        ("for k in row:\n        if k in trains:\n            print(F.log_softmax(x))", 2),
        ("if trains:\n        q = F.softmax(row); print(q.multinomial(1), F.log_softmax(row))", 3),
        ("if trains:\n        x = row\n        return F.log_softmax(x)", 1),
        ("for k in row:\n        print(F.log_softmax(x))\n        x = k", 1),
        ("return lambda x: F.log_softmax(x)", 1),
    ],
)
def test_a_softmax_above_shows_the_dimensions_of_one_in_a_branch(below: str, count: int) -> None:
    assert migrate(_DRAWN.format(below), "TP302").text.count("dim=-1)") == count


@pytest.mark.parametrize(
    ("drawn", "said"),
    [
        (
            "i = p.multinomial(1)",
            "write dim=-1, along which line 5 takes multinomial() of the result",
        ),
        ("i = p[:, d]", "write dim=1, along which line 5 picks from the result"),
        ("i = p.sum()", None),
        ("p = d\n        i = p.multinomial(1)", None),
    ],
)
def test_what_is_done_with_another_softmax_of_the_same_tensor_names_the_dim(
    drawn: str, said: str | None
) -> None:
    text = (
        "import torch.nn.functional as F\ndef f(x, d):\n    p = F.softmax(x)\n    if d:\n"
        f"        {drawn}\n        return F.log_softmax(x).mean(), i\n    return p\n"
    )
    *_, last = advice("TP302", text)
    assert last.message.endswith(_OPEN if said is None else f"{said} of line 3")


def test_no_softmax_in_a_branch_shows_the_dimensions_of_one_below() -> None:
    text = "import torch.nn.functional as F\ndef f(x, d):\n    if d:\n"
    text += "        return F.softmax(x).multinomial(1)\n    return F.log_softmax(x)\n"
    assert migrate(text, "TP302").text.endswith("F.log_softmax(x)\n")


_SCORED = """
import torch
import torch.nn as nn
import torch.nn.functional as F
class Attention(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.score = nn.Linear(n, 1)
    def forward(self, h, x, mask=None):
        alpha = F.softmax(self.score(h).squeeze(2))
        {}
        return torch.bmm(alpha.unsqueeze(1), x)
"""


@pytest.mark.parametrize(
    ("between", "is_shown"),
    [
        ("print(x)", True),
        ("if mask is not None: alpha = alpha * mask", True),
        (
            "if mask is not None:\n            alpha = alpha * mask.float()\n"
            "            alpha = alpha / alpha.sum(1, keepdim=True)",
            True,
        ),
        ("if mask is not None: alpha = mask", False),
        ("if mask is not None: alpha = mask(alpha)", False),
        ("if mask is not None: alpha = alpha * mask\n        else: alpha = mask", False),
        ("if mask is not None: return alpha", False),
        ("if mask is not None: alpha = mask and alpha * mask", False),
        ("for m in mask: alpha = alpha * m", False),
        ("if mask is not None: alpha = alpha.view(mask)", False),
    ],
)
def test_what_is_asked_behind_a_choice_shows_the_dimensions(between: str, is_shown: bool) -> None:
    written = migrate(_SCORED.format(between), "TP302").text
    assert ("squeeze(2), dim=1)" in written) is is_shown


_SQUEEZED = """
import torch
import torch.nn as nn
class Attention(nn.Module):
    def __init__(self, n, kind):
        super().__init__()
        self.query, self.kind = nn.Linear(n, n), kind
        self.act = {}
        self.softmax = nn.Softmax()
    def forward(self, h, x):
        q = self.query(h).unsqueeze(2)
        if self.kind:
            q = self.act(q)
        return self.softmax(torch.bmm(x, q).squeeze(2))
"""


@pytest.mark.parametrize(
    ("layer", "is_one"),
    [
        ("nn.Tanh()", True),
        ("nn.Dropout(0.5)", True),
        ("nn.Linear(n, 1)", True),
        ("nn.Linear(1, n)", False),
        ("nn.Upsample(n)", False),
        ("kind(n)", False),
    ],
)
def test_a_layer_that_keeps_sizes_keeps_those_of_one_element(layer: str, is_one: bool) -> None:
    assert ("Softmax(dim=1)" in migrate(_SQUEEZED.format(layer), "TP302").text) is is_one


def test_a_copy_that_was_filled_had_the_dimensions_of_the_tensor() -> None:
    text = (
        "import torch.nn.functional as F\nfrom torch.autograd import Variable\n"
        "def f(x, mask, n):\n    {}\n"
        "    return F.softmax(x.view(n, -1).masked_fill(mask, -1e9))\n"
    )
    old, new = "mask = Variable(mask, volatile=True)", "mask = mask.to(x.device)"
    assert "-1e9), dim=1)" in migrate(text.format(old), "TP302").text
    assert "-1e9))" in migrate(text.format(new), "TP302").text


_TWO = "self.p = nn.Softmax(); self.a = nn.Linear(n, 9); self.b = "
_FEATURES = "write dim=-1 for the features of {}, if these are meant"


@pytest.mark.parametrize(
    ("made", "used", "said"),
    [
        ("self.out = nn.Linear(n, 10)", "F.log_softmax(self.out(x))", "self.out"),
        ("self.out = nn.Linear(n, 10)", "F.log_softmax(self.out(x) / 2)", "self.out"),
        ("self.out = nn.Linear(n, 9); self.t = n", "F.softmax(self.out(x) / self.t)", "self.out"),
        ("self.out = nn.Linear(n, 9); self.t = n", "F.softmax(self.t * self.out(x))", None),
        ("self.out = nn.Linear(n, 9); self.t = n", "F.softmax(self.out(x) + self.t)", None),
        ("self.out = nn.Linear(n, 9); self.t = n", "F.softmax(self.out(x) / self.t())", None),
        ("self.out = nn.Linear(n, 10)", "F.log_softmax(self.out.forward(x))", "self.out"),
        ("self.out = nn.Linear(n, 10)", "F.log_softmax(self.out.backward(x))", None),
        ("self.out = nn.Linear(n, 10)", "F.log_softmax(self.out(x).transpose(0, 2))", None),
        ("self.out = nn.Linear(n, 1)", "F.softmax(self.out(x))", None),
        ("self.out = nn.LayerNorm(n)", "F.softmax(self.out(x))", None),
        ("self.out = n", "F.softmax(self.out(x))", None),
        ("self.out = nn.Linear(n, 9); self.p = nn.Softmax()", "self.p(self.out(x))", "self.out"),
        (f"{_TWO}nn.Linear(n, 8)", "self.p(self.a(x)), self.p(self.b(x))", "self.a and self.b"),
        (f"{_TWO}nn.Linear(n, 1)", "self.p(self.a(x)), self.p(self.b(x))", None),
        (f"{_TWO}nn.Linear(n, 8)", "self.p(self.a(x)), self.p(n(x))", None),
        (f"{_TWO}nn.Linear(n, 8)", "self.p(self.a(x)), self.p(self.b(x).sum(1))", None),
        (
            "self.out = nn.Sequential(nn.Dropout(), nn.Linear(n, n), nn.Softmax())",
            "self.out(x)",
            "nn.Linear(n, n)",
        ),
        ("self.out = nn.Sequential(nn.Linear(n, n), nn.ReLU(), nn.Softmax())", "self.out(x)", None),
        ("self.out = nn.Sequential(nn.Softmax())", "self.out(x)", None),
    ],
)
def test_the_features_of_a_linear_layer_are_the_last_dimension(
    made: str, used: str, said: str | None
) -> None:
    text = (
        "import torch.nn as nn, torch.nn.functional as F\nclass Net(nn.Module):\n"
        f"    def __init__(self, n):\n        super().__init__()\n        {made}\n"
        f"    def forward(self, x, n):\n        return {used}\n"
    )
    (found,) = advice("TP302", text)
    assert found.message.endswith(_OPEN if said is None else _FEATURES.format(said))


@pytest.mark.parametrize(
    ("product", "is_one"),
    [
        ("torch.matmul(x, y.view(2, 4, 1))", True),
        ("x.matmul(y.view(2, 4, 1))", True),
        ("(x @ y.view(2, 4, 1))", True),
        ("torch.matmul(x, y.view(2, 1, 4))", False),
        ("(x @ y.view(2, 4, n))", False),
        ("torch.matmul(y.view(2, 4, 1), x)", False),
    ],
)
def test_a_product_has_the_columns_of_what_is_multiplied_with(product: str, is_one: bool) -> None:
    text = (
        "import torch\nimport torch.nn.functional as F\ndef f(x, y, n):\n"
        f"    x, y = torch.zeros(n, 3, 4), torch.zeros(n, 8)\n    return F.softmax({product}.squeeze(2))\n"
    )
    assert ("squeeze(2), dim=1)" in migrate(text, "TP302").text) is is_one


@pytest.mark.parametrize(
    ("read", "is_in_sight"),
    [
        ("self.fc[0].weight.data.normal_(0, 0.1)", True),
        ("self.fc[0].bias.data.fill_(0)", True),
        ("print(self.fc[0])", False),
        ("self.fc[1](x)", False),
        ("self.fc[1].forward(x)", False),
        ("x.weight = self.fc", False),
        ("print(self.fc[:1])", False),
    ],
)
def test_what_reads_a_weight_applies_no_layer(read: str, is_in_sight: bool) -> None:
    text = (
        "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self, n):\n"
        "        super().__init__()\n"
        "        self.fc = nn.Sequential(nn.Linear(n, n), nn.LogSoftmax())\n"
        f"    def start(self, x):\n        {read}\n"
        "    def forward(self, x):\n        return self.fc(x.view(x.size(0), -1))\n"
    )
    assert ("LogSoftmax(dim=1)" in migrate(text, "TP302").text) is is_in_sight
