from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics

test_rewrites = rewrites(
    "TP304",
    {
        "softmax twice": (
            """
            import torch
            import torch.nn.functional as F
            F.cross_entropy(F.softmax(net(x), dim=1), target, reduction="sum")
            F.cross_entropy(torch.softmax(net(x), 1), target)
            F.cross_entropy(input=F.softmax(net(x), 1), target=target)
            """,
            """
            import torch.nn.functional as F
            F.cross_entropy(net(x), target, reduction="sum")
            F.cross_entropy(net(x), target)
            F.cross_entropy(input=net(x), target=target)
            """,
        ),
        "softmax along the last of two dimensions": (
            """
            import torch
            import torch.nn.functional as F
            x = torch.zeros(4, 3)
            F.cross_entropy(F.softmax(x, dim=-1), target)
            """,
            """
            import torch
            import torch.nn.functional as F
            x = torch.zeros(4, 3)
            F.cross_entropy(x, target)
            """,
        ),
        "log_softmax twice": (
            """
            import torch.nn.functional as F
            F.cross_entropy(F.log_softmax(x, 1), target)
            """,
            """
            import torch.nn.functional as F
            F.cross_entropy(x, target)
            """,
        ),
        "sigmoid twice": (
            """
            import torch
            import torch.nn.functional as F
            loss = torch.nn.BCEWithLogitsLoss()
            loss(torch.sigmoid(a + b), y)
            loss((a + b).sigmoid(), y)
            x = torch.zeros(2)
            F.binary_cross_entropy_with_logits(x.sigmoid(), y)
            """,
            """
            import torch
            import torch.nn.functional as F
            loss = torch.nn.BCEWithLogitsLoss()
            loss(a + b, y)
            loss((a + b).sigmoid(), y)
            x = torch.zeros(2)
            F.binary_cross_entropy_with_logits(x, y)
            """,
        ),
        "no logarithm": (
            """
            import torch
            import torch.nn.functional as F
            from torch.nn.functional import softmax
            F.nll_loss(F.softmax(x, dim=1), y)
            criterion = torch.nn.NLLLoss()
            criterion(softmax(x, 1), y)
            z = torch.zeros(2, 3)
            criterion(z.softmax(1), y)
            """,
            """
            import torch
            import torch.nn.functional as F
            F.cross_entropy(x, y)
            criterion = torch.nn.NLLLoss()
            criterion(F.log_softmax(x, 1), y)
            z = torch.zeros(2, 3)
            criterion(z.log_softmax(1), y)
            """,
        ),
        "both ends": (
            """
            import torch.nn.functional as F
            F.nll_loss(F.log_softmax(net(x), dim=1), y, w, size_average=False)
            F.nll_loss(
                F.log_softmax(x, 1),  # scores
                y,
            )
            """,
            """
            import torch.nn.functional as F
            F.cross_entropy(net(x), y, w, size_average=False)
            F.cross_entropy(
                x,  # scores
                y,
            )
            """,
        ),
        "imported names": (
            """
            from torch.nn.functional import nll_loss, log_softmax, cross_entropy
            nll_loss(log_softmax(x, 1), y)
            """,
            """
            from torch.nn.functional import cross_entropy
            cross_entropy(x, y)
            """,
        ),
        "scores for probabilities": (
            """
            import torch.nn as nn
            import torch.nn.functional as F
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(2, 1)
                def forward(self, x):
                    return self.fc(x).squeeze(1)
            net = Net()
            criterion = nn.BCELoss(weight=w)
            def step(x, y):
                return criterion(net(x), y), F.binary_cross_entropy(net(x), y, w)
            """,
            """
            import torch.nn as nn
            import torch.nn.functional as F
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(2, 1)
                def forward(self, x):
                    return self.fc(x).squeeze(1)
            net = Net()
            criterion = nn.BCEWithLogitsLoss(weight=w)
            def step(x, y):
                return criterion(net(x), y), F.binary_cross_entropy_with_logits(net(x), y, w)
            """,
        ),
        "scores of a sequence": (
            """
            import torch.nn as nn
            net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 1)))
            loss = nn.BCELoss()(net(x), y)
            """,
            """
            import torch.nn as nn
            net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 1)))
            loss = nn.BCEWithLogitsLoss()(net(x), y)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP304",
    {
        "right losses": """
            import torch
            import torch.nn.functional as F
            F.cross_entropy(net(x), y)
            F.nll_loss(net(x), y)
            F.binary_cross_entropy(torch.sigmoid(x), y)
            F.binary_cross_entropy_with_logits(net(x), y)
            F.nll_loss(torch.log(p), y)
            F.mse_loss(F.softmax(x, 1), y)
            """,
        "softmax along another dimension": """
            import torch
            import torch.nn.functional as F
            F.cross_entropy(F.softmax(x, 0), y)
            F.cross_entropy(F.softmax(x, -1), y)
            F.nll_loss(F.log_softmax(x, -1), y)
            x = torch.zeros(2, 3, 4)
            F.cross_entropy(F.softmax(x, -1), y)
            """,
        "softmax of unknown dimension": """
            import torch.nn.functional as F
            F.cross_entropy(F.softmax(x), y)
            F.nll_loss(F.log_softmax(x, dim), y)
            """,
        "in double precision": """
            import torch
            import torch.nn.functional as F
            F.nll_loss(F.log_softmax(x, 1, dtype=torch.double), y)
            """,
        "unknown arguments": """
            import torch.nn.functional as F
            F.cross_entropy(F.softmax(x, 1), *args)
            F.nll_loss(F.log_softmax(x, 1), **options)
            F.cross_entropy(F.softmax(x, *dims), y)
            """,
        "user functions": """
            import torch
            def softmax(x, dim):
                return x
            def nll_loss(x, y):
                return x
            torch.nn.functional.cross_entropy(softmax(x, 1), y)
            nll_loss(torch.log_softmax(x, 1), y)
            """,
        "user loss": """
            import torch
            import torch.nn.functional as F
            class CrossEntropyLoss(torch.nn.Module):
                def forward(self, p, y):
                    return F.nll_loss(torch.log(p), y)
            criterion = CrossEntropyLoss()
            criterion(F.softmax(x, 1), y)
            """,
        "loss object that others may call": """
            import torch.nn as nn
            net = nn.Linear(2, 1)
            criterion = nn.BCELoss()
            criterion(net(x), y)
            train(criterion)
            """,
        "loss object that is called with other things, too": """
            import torch.nn as nn
            net = nn.Linear(2, 1)
            criterion = nn.BCELoss()
            criterion(net(x), y)
            criterion(other(x), y)
            """,
        "clamped scores": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            net = nn.Linear(2, 1)
            F.binary_cross_entropy(torch.clamp(net(x), 0, 1), y)
            out = net(x)
            out.clamp_(0, 1)
            F.binary_cross_entropy(out, y)
            """,
        "tensor of unknown kind": """
            import torch.nn.functional as F
            F.cross_entropy(policy.softmax(1), y)
            """,
        "comment that would be lost": """
            import torch.nn.functional as F
            F.cross_entropy(F.softmax(
                x,  # scores
                dim=1), y)
            """,
    },
)

_NET = """
import torch.nn as nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
    def forward(self, x):
        return {}
net = Net().cuda()
"""


@pytest.mark.parametrize(
    ("output", "loss", "message"),
    [
        (
            "F.softmax(self.fc(x), dim=1)",
            "F.cross_entropy(net(x), y)",
            "cross_entropy applies softmax itself, and F.softmax(self.fc(x), dim=1) has applied it "
            "before: leave it out there if nothing else takes what it gives, or else write nll_loss "
            "with net(x).log()",
        ),
        (
            "F.softmax(self.fc(x), dim=1)",
            "nn.CrossEntropyLoss()(net(x), y)",
            "CrossEntropyLoss applies softmax itself, and F.softmax(self.fc(x), dim=1) has applied "
            "it before: leave it out there if nothing else takes what it gives, or else return the "
            "scores as well",
        ),
        (
            "F.log_softmax(self.fc(x), dim=1)",
            "nn.CrossEntropyLoss()(net(x), y)",
            "CrossEntropyLoss applies log_softmax itself, and F.log_softmax(self.fc(x), dim=1) has "
            "applied it before, which changes no value: write NLLLoss",
        ),
        (
            "self.fc(x).sigmoid()",
            "nn.BCEWithLogitsLoss()(net(x)[:, 0], y)",
            "BCEWithLogitsLoss applies the sigmoid itself, and self.fc(x).sigmoid() has applied it "
            "before: write BCELoss",
        ),
        (
            "F.softmax(self.fc(x), dim=1)",
            "nn.NLLLoss()(net(x), y)",
            "NLLLoss takes log-probabilities, and F.softmax(self.fc(x), dim=1) gives "
            "probabilities: write net(x).log()",
        ),
        (
            "self.fc(x)",
            "F.nll_loss(net(x), y)",
            "nll_loss takes log-probabilities, and self.fc(x) gives scores: write cross_entropy",
        ),
        (
            "self.fc(x), x",
            "out, h = net(x)\nF.nll_loss(out, y)",
            "nll_loss takes log-probabilities, and self.fc(x) gives scores: write cross_entropy",
        ),
    ],
)
def test_what_a_model_gives_is_left_to_a_person(output: str, loss: str, message: str) -> None:
    findings = advice("TP304", _NET.format(output) + loss)
    assert [f.message for f in findings] == [message]


@pytest.mark.parametrize(
    ("output", "loss"),
    [
        ("F.log_softmax(self.fc(x), dim=1)", "F.nll_loss(net(x), y)"),
        ("self.fc(x)", "F.cross_entropy(net(x), y)"),
        ("self.fc(x).sigmoid()", "nn.BCELoss()(net(x), y)"),
        ("self.fc(x) if self.training else F.softmax(self.fc(x), 1)", "F.cross_entropy(net(x), y)"),
        ("F.softmax(self.fc(x), 1) if self.p else self.fc(x)", "F.cross_entropy(net(x), y)"),
        ("F.softmax(self.fc(x), 1), self.fc(x)", "p, out = net(x)\nF.cross_entropy(out, y)"),
        ("F.softmax(self.fc(x), 1)", "out = net(x)\nout += 1\nF.cross_entropy(out, y)"),
    ],
)
def test_a_right_model_is_no_finding(output: str, loss: str) -> None:
    assert not advice("TP304", _NET.format(output) + loss)


def test_code_that_is_too_long_for_a_message_is_named_by_its_line() -> None:
    text = _NET.format("F.softmax(self.fc(x) + self.another_layer(x), dim=1)")
    findings = advice("TP304", text + "F.cross_entropy(net(x), y)")
    assert "line 8 has applied it before" in findings[0].message


_CRITERION = """
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.last = nn.LogSoftmax({dim})
        self.other = nn.Linear(3, 2)
    def forward(self, x):
        return {output}
net = Net()
other = nn.Linear(3, 2)
criterion = nn.{loss}
def train(x, y):
    return criterion(net(x), y)
def test(x, y):
    return criterion({tested}(x), y)
"""


@pytest.mark.parametrize(
    ("output", "dim", "loss", "message"),
    [
        (
            "F.log_softmax(self.fc(x), 1)",
            "1",
            "CrossEntropyLoss(ignore_index=0)",
            "no value: write NLL",
        ),
        ("self.last(self.fc(x))", "1", "CrossEntropyLoss()", "no value: write NLL"),
        ("self.last(self.fc(x))", "", "CrossEntropyLoss()", "before: write NLLLoss"),
        ("F.log_softmax(self.fc(x), 0)", "1", "CrossEntropyLoss()", "before: write NLLLoss"),
        ("self.last(self.fc(x))", "dim=0", "CrossEntropyLoss()", "before: write NLLLoss"),
        ("F.sigmoid(self.fc(x))", "1", "BCEWithLogitsLoss()", "before: write BCELoss"),
        ("self.fc(x)", "1", "NLLLoss()", "gives scores: write CrossEntropyLoss"),
    ],
)
def test_a_criterion_is_told_of_once_where_it_is_built(
    output: str, dim: str, loss: str, message: str
) -> None:
    text = _CRITERION.format(output=output, dim=dim, loss=loss, tested="net")
    (found,) = advice("TP304", text)
    assert message in found.message
    assert text.lstrip().split("\n")[found.line - 1].startswith("criterion = ")


def test_of_a_criterion_that_gets_other_inputs_too_one_call_is_told_of() -> None:
    text = _CRITERION.format(
        output="F.log_softmax(self.fc(x), 1)", dim="1", loss="CrossEntropyLoss()", tested="other"
    )
    (found,) = advice("TP304", text)
    assert found.message.endswith("which changes no value: write NLLLoss for this call")
    assert "net(x)" in text.lstrip().split("\n")[found.line - 1]


@pytest.mark.parametrize(
    ("loss", "given", "left"),
    [
        ("CrossEntropyLoss", "F.log_softmax(net(x), dim=1)", "net(x)"),
        ("BCEWithLogitsLoss", "F.sigmoid(net(x))", "net(x)"),
    ],
)
def test_a_criterion_whose_calls_apply_it_themselves_stays(
    loss: str, given: str, left: str
) -> None:
    text = (
        "import torch.nn as nn\nimport torch.nn.functional as F\n"
        f"criterion = nn.{loss}()\ndef f(net, x, y):\n    return criterion({given}, y)\n"
    )
    migration = migrate(text, "TP304")
    assert f"criterion = nn.{loss}()" in migration.text
    assert f"return criterion({left}, y)" in migration.text
    assert all(finding.fixed for finding in migration.findings)


def test_a_criterion_of_what_only_the_loss_can_do_is_not_replaced() -> None:
    text = _CRITERION.format(
        output="F.log_softmax(self.fc(x), 1)",
        dim="1",
        loss="CrossEntropyLoss(label_smoothing=0.1)",
        tested="net",
    )
    (found,) = advice("TP304", text)
    assert found.message.endswith("which changes no value")


_LATER = """
import torch.nn as nn
import torch.nn.functional as F
criterion = nn.CrossEntropyLoss()
out = F.softmax(model(x), dim=1)
{}
"""


def test_what_the_probabilities_are_read_for_makes_no_difference() -> None:
    text = _LATER.format("loss = criterion(out, y)\ncorrect = out.argmax(1) == y")
    (found,) = advice("TP304", text)
    assert found.message.endswith("pass it the scores that went in there")
    text = _LATER.format("loss = F.nll_loss(out, y)\nprint(out)")
    (found,) = advice("TP304", text)
    assert found.message.endswith(": write out.log()")


def test_what_is_long_is_not_written_again() -> None:
    given = "model(a_rather_long_name, another_rather_long_name)"
    (found,) = advice(
        "TP304", _NET.format("F.softmax(self.fc(x), 1)") + f"F.nll_loss(net({given}), y)"
    )
    assert found.message.endswith("write .log() behind its input")


def test_nothing_is_said_of_logarithms() -> None:
    assert not advice("TP304", _LATER.format("loss = F.nll_loss(out.log(), y)"))


_CHOSEN = """
import torch
import torch.nn as nn
import torch.nn.functional as F
criterion = nn.CrossEntropyLoss()
def step(x, y, n, twice):
    scores = model(x)
    p = F.softmax(scores, dim=1)
{}
    return loss
"""


@pytest.mark.parametrize(
    ("given", "otherwise"),
    [
        ("criterion(p, y)", "criterion(scores, y)"),
        ("criterion(p[:n], y)", "criterion(scores[:n], y)"),
        ("criterion(F.softmax(scores, dim=1), y)", "criterion(scores.view(n, 3), y)"),
        ("criterion(nn.Softmax(dim=1)(scores), y)", "criterion(scores, y)"),
        ("F.cross_entropy(p, y)", "F.cross_entropy(input=scores, target=y)"),
        (
            "F.binary_cross_entropy_with_logits(scores.relu().sigmoid(), y)",
            "F.binary_cross_entropy_with_logits(scores.relu(), y)",
        ),
    ],
)
def test_a_test_that_chooses_between_both_means_both(given: str, otherwise: str) -> None:
    for written in (
        f"if twice:\n    loss = {given}\nelse:\n    loss = {otherwise}",
        f"if not twice:\n    return {otherwise}\nloss = {given}",
        f"loss = {given} if twice else {otherwise}",
    ):
        text = _CHOSEN.format(textwrap.indent(written, "    "))
        assert not migrate(text, "TP304").findings


@pytest.mark.parametrize(
    ("given", "otherwise"),
    [
        ("criterion(p, y)", "criterion(p, z)"),
        ("criterion(p, y)", "criterion(model(z), y)"),
        ("criterion(p, y)", "criterion(F.softmax(scores, dim=1), y)"),
        ("criterion(p, y)", "F.mse_loss(scores, y)"),
        ("criterion(p, y)", "criterion(*scores)"),
        ("F.nll_loss(p, y)", "F.nll_loss(scores, y)"),
    ],
)
def test_a_choice_of_something_else_is_told(given: str, otherwise: str) -> None:
    written = f"if twice:\n    loss = {given}\nelse:\n    loss = {otherwise}"
    assert advice("TP304", _CHOSEN.format(textwrap.indent(written, "    ")))


def test_one_loss_after_the_other_is_no_choice() -> None:
    written = "if twice:\n    loss = criterion(p, y)\nloss += criterion(scores, y)"
    assert advice("TP304", _CHOSEN.format(textwrap.indent(written, "    ")))


def test_a_method_that_a_class_below_may_replace_is_not_followed() -> None:
    text = """
        import torch.nn as nn
        import torch.nn.functional as F
        class Base(nn.Module):
            def scores(self, x):
                return F.softmax(x, 1)
            def loss(self, x, y):
                return F.cross_entropy(self.scores(x), y)
        """
    assert not advice("TP304", text)


@pytest.mark.parametrize(
    "change",
    [
        "net.fc = nn.Sequential(nn.Linear(2, 3), nn.Sigmoid())",
        "setattr(net, 'fc', nn.Sigmoid())",
        "net.add_module('fc', nn.Sigmoid())",
        "class Sub(Net):\n    def set(self):\n        self.fc = nn.Sigmoid()",
    ],
)
def test_a_layer_that_may_be_replaced_is_not_trusted(change: str) -> None:
    text = _NET.format("self.fc(x)") + change + "\nF.binary_cross_entropy(net(x), y)\n"
    assert migrate(text, "TP304").text == text
    other = text.replace(change, "other.fc2 = nn.Sigmoid()")
    assert "with_logits" in migrate(other, "TP304").text


def test_a_class_below_may_have_another_forward_and_other_layers() -> None:
    text = _NET.format("self.fc(x)") + textwrap.dedent(
        """
        class Base(nn.Module):
            def forward(self, x):
                return F.log_softmax(x, 1)
            def loss(self, x, y):
                return F.cross_entropy(self(x), y)
        class Wide(Net):
            pass
        F.binary_cross_entropy(Wide()(x), y)
        """
    )
    migration = migrate(text, "TP304")
    assert migration.text == text
    assert not migration.findings


def test_a_sequence_whose_last_layer_is_replaced_is_not_trusted() -> None:
    text = textwrap.dedent(
        """
        import torch.nn as nn
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        net[1] = nn.Sigmoid()
        nn.BCELoss()(net(x), y)
        """
    )
    assert migrate(text, "TP304").text == text


def test_a_loss_that_may_be_replaced_is_not_trusted() -> None:
    text = """
        import torch.nn as nn
        import torch.nn.functional as F
        class Trainer:
            def __init__(self):
                self.criterion = nn.CrossEntropyLoss()
            def loss(self, x, y):
                return self.criterion(F.softmax(x, 0), y)
        Trainer().criterion = nn.MSELoss()
        """
    assert not advice("TP304", text)
    assert advice("TP304", text.replace("criterion = nn.MSE", "other = nn.MSE"))


def test_cross_entropy_for_both_ends_is_identical() -> None:
    text = textwrap.dedent(
        """
        import torch.nn.functional as F
        F.nll_loss(F.log_softmax(x, 1), y)
        """
    )
    assert [f.numerics for f in migrate(text, "TP304").findings] == [Numerics.IDENTICAL]


_WEIGHTED = """
import torch
import torch.nn.functional as F
def focal(x, t, alpha=0.25):
    {}
    return F.binary_cross_entropy{}
"""


@pytest.mark.parametrize(
    ("before", "call"),
    [
        ("w = (1 - x.sigmoid()).pow(2)", "_with_logits(x, t, w)"),
        ("w = (1 - torch.sigmoid(x)) ** 2", "_with_logits(x, t, weight=w)"),
        ("p = torch.sigmoid(x); w = alpha * t; w = w * -p[0]", "_with_logits(x, t, w, False)"),
        ("pass", "(x, t, (1 - x) ** 2)"),
    ],
)
def test_a_weight_that_is_computed_from_the_input_is_reported(before: str, call: str) -> None:
    findings = advice("TP304", _WEIGHTED.format(before, call))
    assert len(findings) == 1
    text = findings[0].message
    assert "raises where its weight requires a gradient, as " in text
    assert text.endswith('detach it, or multiply what reduction="none" gives by it')


@pytest.mark.parametrize(
    ("before", "call"),
    [
        ("w = (1 - x.detach()) ** 2", "(x, t, w)"),
        ("w = (1 - x.sigmoid()).data", "_with_logits(x, t, w)"),
        ("w = (x > 0).float() * t", "_with_logits(x, t, w)"),
        ("w = torch.zeros_like(x) + x.size(0)", "_with_logits(x, t, w)"),
        ("w = alpha * t", "_with_logits(x, t, w)"),
        ("w = torch.ones(3) if t else x", "_with_logits(x, t, w)"),
        ("w = x if t else 0\n    if alpha: w = t", "_with_logits(x, t, w)"),
        ("w = torch.sigmoid(x); x = torch.ones(3)", "_with_logits(x, t, w)"),
        ("x = torch.zeros(3); w = torch.sigmoid(x)", "_with_logits(x, t, w)"),
        ("with torch.no_grad(): w = torch.sigmoid(x)", "_with_logits(x, t, w)"),
        ("w, b = torch.sigmoid(x), 0", "_with_logits(x, t, w)"),
        ("w = mine(x)", "_with_logits(x, t, w)"),
        ("w = torch.sigmoid(x)", "_with_logits(*t, x, w)"),
        ("w = torch.sigmoid(x)", "_with_logits(x.detach(), t, w)"),
    ],
)
def test_other_weights_are_not_reported(before: str, call: str) -> None:
    assert not advice("TP304", _WEIGHTED.format(before, call))


def test_no_choice_is_made_by_a_rewrite() -> None:
    nested = "criterion(F.softmax(scores, dim=1), y)"
    written = f"if twice:\n    loss = criterion(p, y)\nelse:\n    loss = {nested}"
    found = migrate(_CHOSEN.format(textwrap.indent(written, "    ")), "TP304").findings
    assert [each.numerics for each in found] == [Numerics.ADVICE, Numerics.ADVICE]
    found = migrate(_CHOSEN.format(f"    loss = {nested} if twice else {nested}"), "TP304").findings
    assert [each.numerics for each in found] == [Numerics.CHANGED, Numerics.CHANGED]
