from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options

test_rewrites = rewrites(
    "TP504",
    {
        "loaded in the loop that trains": (
            """
            import copy
            def fit(model, loader, criterion, optimizer):
                start = model.state_dict()
                for x, y in loader:
                    loss = criterion(model(x), y)
                    loss.backward()
                    optimizer.step()
                    if loss > 10:
                        model.load_state_dict(start)
            """,
            """
            import copy
            def fit(model, loader, criterion, optimizer):
                start = copy.deepcopy(model.state_dict())
                for x, y in loader:
                    loss = criterion(model(x), y)
                    loss.backward()
                    optimizer.step()
                    if loss > 10:
                        model.load_state_dict(start)
            """,
        ),
        "best of a function": (
            """
            import copy
            def train_model(model, loader, criterion, optimizer):
                best = model.state_dict()  # to begin with
                best_acc = 0.0
                for epoch in range(25):
                    for x, y in loader:
                        optimizer.zero_grad()
                        criterion(model(x), y).backward()
                        optimizer.step()
                    acc = evaluate(model)
                    if acc > best_acc:
                        best_acc, best = acc, None
                        best = model.state_dict()
                model.load_state_dict(best)
                return model
            """,
            """
            import copy
            def train_model(model, loader, criterion, optimizer):
                best = copy.deepcopy(model.state_dict())  # to begin with
                best_acc = 0.0
                for epoch in range(25):
                    for x, y in loader:
                        optimizer.zero_grad()
                        criterion(model(x), y).backward()
                        optimizer.step()
                    acc = evaluate(model)
                    if acc > best_acc:
                        best_acc, best = acc, None
                        best = copy.deepcopy(model.state_dict())
                model.load_state_dict(best)
                return model
            """,
        ),
        "training by a function, its import": (
            """
            import torch.nn as nn
            from copy import deepcopy
            model = nn.Linear(3, 2)
            def train():
                loss(model(x)).backward()
                optimizer.step()
            while epoch < 3:
                train()
                if evaluate() > best:
                    weights = model.state_dict()
            model.load_state_dict(weights)
            """,
            """
            import torch.nn as nn
            from copy import deepcopy
            model = nn.Linear(3, 2)
            def train():
                loss(model(x)).backward()
                optimizer.step()
            while epoch < 3:
                train()
                if evaluate() > best:
                    weights = deepcopy(model.state_dict())
            model.load_state_dict(weights)
            """,
        ),
        "no import, saved as well": (
            """
            import torch
            start = self.model.state_dict()
            torch.save(start, "start.pt")
            for x in loader:
                criterion(self.model(x)).backward()
                optimizer.step()
                self.model.load_state_dict(start)
            """,
            """
            import copy
            import torch
            start = copy.deepcopy(self.model.state_dict())
            torch.save(start, "start.pt")
            for x in loader:
                criterion(self.model(x)).backward()
                optimizer.step()
                self.model.load_state_dict(start)
            """,
        ),
        "loaded in the loop": (
            """
            import copy
            import torch
            for epoch in range(9):
                loss.backward()
                optimizer.step()
                if evaluate() > best:
                    state = net.state_dict()
                else:
                    net.load_state_dict(state)
            """,
            """
            import copy
            import torch
            for epoch in range(9):
                loss.backward()
                optimizer.step()
                if evaluate() > best:
                    state = copy.deepcopy(net.state_dict())
                else:
                    net.load_state_dict(state)
            """,
        ),
        "the optimizer's step in between": (
            """
            import copy
            import torch
            for x in loader:
                if quantizes:
                    state = net.state_dict()
                criterion(net(x)).backward()
                optimizer.step()
                if quantizes:
                    net.load_state_dict(state)
            """,
            """
            import copy
            import torch
            for x in loader:
                if quantizes:
                    state = copy.deepcopy(net.state_dict())
                criterion(net(x)).backward()
                optimizer.step()
                if quantizes:
                    net.load_state_dict(state)
            """,
        ),
        "kept by a handler of any round": (
            """
            import copy
            import torch
            for x in loader:
                try:
                    check(x)
                except ValueError:
                    state = net.state_dict()
                criterion(net(x)).backward()
                net.load_state_dict(state)
                optimizer.step()
            """,
            """
            import copy
            import torch
            for x in loader:
                try:
                    check(x)
                except ValueError:
                    state = copy.deepcopy(net.state_dict())
                criterion(net(x)).backward()
                net.load_state_dict(state)
                optimizer.step()
            """,
        ),
        "swapped": (
            """
            import copy
            import torch
            def evaluate(model, average):
                own = model.state_dict()
                model.load_state_dict(average.state_dict())
                print(model(x))
                model.load_state_dict(own)
            """,
            """
            import copy
            import torch
            def evaluate(model, average):
                own = copy.deepcopy(model.state_dict())
                model.load_state_dict(average.state_dict())
                print(model(x))
                model.load_state_dict(own)
            """,
        ),
        "copied as a dict, asked for": (
            """
            import copy
            import torch
            best = None
            for epoch in range(3):
                loss.backward()
                optimizer.step()
                if evaluate() > best_score:
                    best = model.state_dict().copy()
            if best and not done:
                model.load_state_dict(best)
            """,
            """
            import copy
            import torch
            best = None
            for epoch in range(3):
                loss.backward()
                optimizer.step()
                if evaluate() > best_score:
                    best = copy.deepcopy(model.state_dict())
            if best and not done:
                model.load_state_dict(best)
            """,
        ),
        "attribute": (
            """
            import copy
            import torch
            class Trainer:
                def __init__(self, model):
                    self.model = model
                    self.best = None
                def keep(self):
                    self.best = self.model.state_dict()
                def restore(self):
                    if self.best is not None:
                        self.model.load_state_dict(self.best)
            """,
            """
            import copy
            import torch
            class Trainer:
                def __init__(self, model):
                    self.model = model
                    self.best = None
                def keep(self):
                    self.best = copy.deepcopy(self.model.state_dict())
                def restore(self):
                    if self.best is not None:
                        self.model.load_state_dict(self.best)
            """,
        ),
        "attribute of one method": (
            """
            import copy
            import torch
            class Trainer:
                def run(self):
                    for epoch in range(3):
                        loss.backward()
                        self.optimizer.step()
                        self.best = self.model.state_dict()
                    self.model.load_state_dict(self.best)
            """,
            """
            import copy
            import torch
            class Trainer:
                def run(self):
                    for epoch in range(3):
                        loss.backward()
                        self.optimizer.step()
                        self.best = copy.deepcopy(self.model.state_dict())
                    self.model.load_state_dict(self.best)
            """,
        ),
    },
)

_HEAD = """
            import copy
            import torch
            """
_TRAIN = """
            loss.backward()
            optimizer.step()
            """


_KEPT = {
    "copied": f"s = copy.deepcopy(net.state_dict()){_TRAIN}net.load_state_dict(s)",
    "clones": "s = {k: v.clone() for k, v in net.state_dict().items()}"
    f"{_TRAIN}net.load_state_dict(s)",
    "kept in a loop that does not train": """
            for i in range(3):
                s = net.state_dict()
                show(i)
            net.load_state_dict(s)""",
    "kept in a function that is made in a loop": """
            for x in loader:
                loss.backward()
                optimizer.step()
                def keep():
                    s = net.state_dict()
                    net.load_state_dict(s)""",
    "copy that is not called": f"s = net.state_dict().copy{_TRAIN}net.load_state_dict(s)",
    "kept in a dict": f'best["s"] = net.state_dict(){_TRAIN}net.load_state_dict(best["s"])',
    "two names": f"s = t = net.state_dict(){_TRAIN}net.load_state_dict(s)",
    "another method of the model": f"s = net.state_dict(){_TRAIN}net.compare(s)",
    "another method as well": (
        f"s = net.state_dict(){_TRAIN}net.load_state_dict(s)\n            states.append(s)"
    ),
    "another model is loaded between": (
        "s = net.state_dict()\n            other.load_state_dict(w)\n"
        "            net.load_state_dict(s)"
    ),
    "copied otherwise": f"s = net.state_dict().copy(1){_TRAIN}net.load_state_dict(s)",
    "part of it": f's = net.state_dict()["w"]{_TRAIN}net.load_state_dict(s)',
    "no training": "s = net.state_dict()\n            net.load_state_dict(s)",
    "no training that is known": (
        "s = net.state_dict()\n            fit(net)\n            net.load_state_dict(s)"
    ),
    "no training but before": f"{_TRAIN}s = net.state_dict()\n            net.load_state_dict(s)",
    "training afterwards": (
        f"s = net.state_dict()\n            if again:\n                net.load_state_dict(s){_TRAIN}"
    ),
    "another model": f"s = net.state_dict(){_TRAIN}target.load_state_dict(s)",
    "only saved": f's = net.state_dict(){_TRAIN}torch.save(s, "net.pt")',
    "changed": f's = net.state_dict(){_TRAIN}s["w"] = 1\n            net.load_state_dict(s)',
    "handed on": f"s = net.state_dict()\n            filled(s){_TRAIN}net.load_state_dict(s)",
    "taken anew": (
        f"s = net.state_dict(){_TRAIN}s = net.state_dict()\n            net.load_state_dict(s)"
    ),
    "taken and loaded in each round": """
            for x in loader:
                loss.backward()
                optimizer.step()
                state = net.state_dict()
                state_of_the_art(net)
                net.load_state_dict(state)""",
    "put back around forward and backward": """
            for x in loader:
                state = net.state_dict()
                for p in net.parameters():
                    p.data = quantized(p.data)
                criterion(net(x)).backward()
                net.load_state_dict(state)
                optimizer.step()""",
    "put back around batches without a step": """
            for group in groups:
                state = net.state_dict()
                for x in group:
                    criterion(net(x)).backward()
                    show(x)
                net.load_state_dict(state)
                optimizer.step()""",
    "put back where the same test holds": """
            for x in loader:
                if quantizes:
                    if age >= every:
                        state = net.state_dict()
                        quantize(net)
                criterion(net(x)).backward()
                if quantizes:
                    if age >= every:
                        net.load_state_dict(state)
                        del state
                optimizer.step()
                age += 1""",
    "only a scheduler steps": """
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
            state = net.state_dict()
            scheduler.step()
            net.load_state_dict(state)""",
    "the loop ends there": """
            for x in loader:
                loss.backward()
                optimizer.step()
                if loss < 1e-3:
                    state = net.state_dict()
                    break
            net.load_state_dict(state)""",
    "arguments": f"s = net.state_dict(keep_vars=True){_TRAIN}net.load_state_dict(s)",
    "method of this file": """
            class Table:
                def state_dict(self):
                    return dict(self.table)
            s = table.state_dict()
            loss.backward()
            optimizer.step()
            table.load_state_dict(s)""",
    "another library": f"import paddle\n            s = paddle.state_dict(){_TRAIN}"
    "paddle.load_state_dict(s)",
    "another function": """
            def keep():
                global s
                s = net.state_dict()
            loss.backward()
            optimizer.step()
            net.load_state_dict(s)""",
    "attribute of a model from outside": """
            class Stopping:
                def keep(self, model):
                    self.best = model.state_dict()
                def restore(self, model):
                    model.load_state_dict(self.best)""",
    "attribute, and a model that is built anew": """
            class Trainer:
                def __init__(self):
                    self.model = build()
                def keep(self):
                    self.state = self.model.state_dict()
                def rebuild(self):
                    self.model = build()
                def restore(self):
                    self.model.load_state_dict(self.state)""",
    "attribute that others read": """
            class Trainer:
                def __init__(self):
                    self.model = build()
                def keep(self):
                    self.state = self.model.state_dict()
                def best(self):
                    return self.state
                def restore(self):
                    self.model.load_state_dict(self.state)""",
    "attribute for another model": """
            class Trainer:
                def __init__(self):
                    self.model, self.target = build(), build()
                def keep(self):
                    self.state = self.model.state_dict()
                def restore(self):
                    self.target.load_state_dict(self.state)""",
    "attribute that code outside reads": """
            class Trainer:
                def __init__(self):
                    self.model = build()
                def keep(self):
                    self.state = self.model.state_dict()
                def restore(self):
                    self.model.load_state_dict(self.state)
            state = trainer.state""",
    "copy is another name": (
        f"copy = 1\n            s = net.state_dict(){_TRAIN}net.load_state_dict(s)"
    ),
    "suppressed": f"s = net.state_dict()  # noqa: TP504{_TRAIN}net.load_state_dict(s)",
}

test_keeps = keeps("TP504", {name: f"{_HEAD}{text}\n" for name, text in _KEPT.items()})


def test_a_state_that_another_file_reads_stays() -> None:
    text = textwrap.dedent(
        """
        class Trainer:
            def __init__(self):
                self.model = build()
            def keep(self):
                self.state = self.model.state_dict()
            def restore(self):
                self.model.load_state_dict(self.state)
        """
    )
    assert "copy.deepcopy(self.model.state_dict())" in migrate(text, "TP504").text
    elsewhere = Options(used_elsewhere=lambda name: name == "state")
    assert migrate(text, "TP504", options=elsewhere).text == text


_ONCE = """
    import torch
    def fit(model, loader, criterion, optimizer):
        best = None
        best = model.state_dict()
        for epoch in range(9):
            for x, y in loader:
                optimizer.zero_grad()
                criterion(model(x), y).backward()
                optimizer.step()
        model.load_state_dict(best)
        return model
    """
_BY_METHODS = """
    import torch
    class Trainer:
        def __init__(self, model):
            self.model = model
            self.best = self.model.state_dict()
        def finish(self):
            self.model.load_state_dict(self.best)
    """


@pytest.mark.parametrize(("text", "name"), [(_ONCE, "best"), (_BY_METHODS, "self.best")])
def test_a_state_that_is_never_set_again_is_told(text: str, name: str) -> None:
    """A copy would bring the first weights back: all training would be thrown away."""
    (finding,) = advice("TP504", text)
    assert finding.message.startswith(f"{name} is never set again")
    text = textwrap.dedent(text)
    assert migrate(text, "TP504").text == text


def test_a_state_that_another_method_sets_again_is_copied() -> None:
    again = "        def keep(self):\n            self.best = self.model.state_dict()\n"
    text = textwrap.dedent(_BY_METHODS.rstrip(" ") + again)
    assert migrate(text, "TP504").text.count("copy.deepcopy(self.model.state_dict())") == 2
