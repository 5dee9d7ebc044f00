from __future__ import annotations

import textwrap
from typing import Any

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

test_rewrites = rewrites(
    "TP801",
    {
        "iter of a loader": (
            """
            from torch.utils.data import DataLoader
            loader = DataLoader(data)
            images, labels = iter(loader).next()
            """,
            """
            from torch.utils.data import DataLoader
            loader = DataLoader(data)
            images, labels = next(iter(loader))
            """,
        ),
        "enumerated batches": (
            """
            import torch
            def first(loader):
                i, data = enumerate(loader, 0).next()
                return data
            """,
            """
            import torch
            def first(loader):
                i, data = next(enumerate(loader, 0))
                return data
            """,
        ),
        "parameters of a module": (
            """
            import torch.nn as nn
            class Net(nn.Module):
                @property
                def is_cuda(self):
                    return self.parameters().next().is_cuda
            weights = nn.Linear(2, 3).named_parameters()
            name, weight = weights.next()
            """,
            """
            import torch.nn as nn
            class Net(nn.Module):
                @property
                def is_cuda(self):
                    return next(self.parameters()).is_cuda
            weights = nn.Linear(2, 3).named_parameters()
            name, weight = next(weights)
            """,
        ),
        "iterator in a name, in a loop": (
            """
            import torch.utils.data as data
            loader = data.DataLoader(dataset)
            it = iter(loader)
            for step in range(9):
                if step % 3 == 0:
                    it = iter(loader)
                x = it.next()[0].float()
            """,
            """
            import torch.utils.data as data
            loader = data.DataLoader(dataset)
            it = iter(loader)
            for step in range(9):
                if step % 3 == 0:
                    it = iter(loader)
                x = next(it)[0].float()
            """,
        ),
        "attribute that starts as None": (
            """
            import torch
            class Feeder:
                def __init__(self, dataset):
                    self.loader = torch.utils.data.DataLoader(dataset)
                    self.it = None
                def take(self):
                    if self.it is None:
                        self.it = iter(self.loader)
                    return self.it.next()
            """,
            """
            import torch
            class Feeder:
                def __init__(self, dataset):
                    self.loader = torch.utils.data.DataLoader(dataset)
                    self.it = None
                def take(self):
                    if self.it is None:
                        self.it = iter(self.loader)
                    return next(self.it)
            """,
        ),
        "__iter__ called by name": (
            """
            from torch.utils.data import DataLoader
            it = DataLoader(data).__iter__()
            x = it.next()
            """,
            """
            from torch.utils.data import DataLoader
            it = DataLoader(data).__iter__()
            x = next(it)
            """,
        ),
        "the iterator of __iter__ called by name": (
            """
            from torch.utils.data import DataLoader
            x, y = DataLoader(data).__iter__().next()
            """,
            """
            from torch.utils.data import DataLoader
            x, y = next(iter(DataLoader(data)))
            """,
        ),
        "__iter__ called by name beside a function iter": (
            """
            from torch.utils.data import DataLoader
            def iter(loader):
                return Wrapped(loader)
            x, y = DataLoader(data).__iter__().next()
            """,
            """
            from torch.utils.data import DataLoader
            def iter(loader):
                return Wrapped(loader)
            x, y = next(DataLoader(data).__iter__())
            """,
        ),
        "loader of the callers": (
            """
            from torch.utils.data import DataLoader
            def train(loader):
                it = iter(loader)
                return it.next()
            train(DataLoader(data))
            """,
            """
            from torch.utils.data import DataLoader
            def train(loader):
                it = iter(loader)
                return next(it)
            train(DataLoader(data))
            """,
        ),
        "iter of something unknown": (
            """
            import torch
            class Trainer:
                def __init__(self, loader):
                    self.it = iter(loader)
                def step(self):
                    return self.it.next()
            def first(loader, other):
                a, b = iter(loader), iter(other)
                if a is None:
                    a, b = iter(other), iter(loader)
                return a.next(), b.next()[0], iter(loader).next()
            """,
            """
            import torch
            class Trainer:
                def __init__(self, loader):
                    self.it = iter(loader)
                def step(self):
                    return next(self.it)
            def first(loader, other):
                a, b = iter(loader), iter(other)
                if a is None:
                    a, b = iter(other), iter(loader)
                return next(a), next(b)[0], next(iter(loader))
            """,
        ),
        "subclass with an iterator of its own": (
            """
            from torch.utils.data import DataLoader
            class Loader(DataLoader):
                def __iter__(self):
                    return Batches(self)
            iter(Loader(data)).next()
            """,
            """
            from torch.utils.data import DataLoader
            class Loader(DataLoader):
                def __iter__(self):
                    return Batches(self)
            next(iter(Loader(data)))
            """,
        ),
        "over lines": (
            """
            from torch.utils.data import DataLoader
            x, y = iter(
                DataLoader(data)  # all
            ).next()
            """,
            """
            from torch.utils.data import DataLoader
            x, y = next(iter(
                DataLoader(data)  # all
            ))
            """,
        ),
    },
)

test_keeps = keeps(
    "TP801",
    {
        "an enumerate of one's own": """
            import torch
            from batches import enumerate
            i, data = enumerate(loader, 0).next()
            """,
        "parameters of something else, or their own": """
            import torch.nn as nn
            class Net(nn.Module):
                def parameters(self):
                    return Weights(self)
            x = Net().parameters().next(), net.parameters().next(), Net().forward().next()
            """,
        "already modern": """
            from torch.utils.data import DataLoader
            next(iter(DataLoader(data)))
            """,
        "unknown receiver": """
            import torch
            def f(generator):
                return generator.next()
            """,
        "iter of something unknown, or another thing": """
            import torch
            def f(loader, reader, flag):
                it = iter(loader) if flag else reader
                a, b = iter(loader), reader
                for c in iter(loader):
                    c.next()
                d, e = iter(loader)
                return it.next(), b.next(), d.next()
            """,
        "iterator of the user's own": """
            import torch
            class Batches:
                def __iter__(self):
                    return self
                def next(self):
                    return torch.ones(1)
            iter(Batches()).next()
            """,
        "__iter__ of the class above": """
            from torch.utils.data import DataLoader
            class Loader(DataLoader):
                def first(self):
                    return super().__iter__().next()
            """,
        "iter of the user's own": """
            from torch.utils.data import DataLoader
            def iter(loader):
                return Wrapped(loader)
            iter(DataLoader(data)).next()
            """,
        "iterators of unknown objects": """
            import torch
            def f(state, table, make):
                a = state.it.next()
                b = table[0].next()
                c = make(iter(a)).next()
                return torch.ones(1), a, b, c
            """,
        "next with arguments": """
            from torch.utils.data import DataLoader
            iter(DataLoader(data)).next(2)
            """,
        "not called": """
            from torch.utils.data import DataLoader
            take = iter(DataLoader(data)).next
            """,
        "the loader itself": """
            from torch.utils.data import DataLoader
            DataLoader(data).next()
            """,
        "either of two iterators": """
            from torch.utils.data import DataLoader
            it = iter(DataLoader(data)) if flag else Reader()
            it.next()
            """,
        "comment that would be lost": """
            from torch.utils.data import DataLoader
            it = iter(DataLoader(data))
            x = (it  # first
                 .next())
            """,
    },
)


def test_what_may_come_from_iter_is_left_to_a_person() -> None:
    findings = advice(
        "TP801",
        """
        import torch
        class Trainer:
            def __init__(self, loader, reader):
                self.it = iter(loader)
                if reader:
                    self.it = reader
            def step(self):
                return self.it.next()
        """,
    )
    assert [f.line for f in findings] == [8]
    assert findings[0].message.endswith("write next(self.it)")


@pytest.mark.parametrize(
    ("receiver", "is_reported"),
    [
        ("model.net.parameters()", True),
        ("model.children()", True),
        ("model.batches()", False),
        ("model.parameters", False),
        ("{}.children()", False),
    ],
)
def test_what_may_be_a_module_that_gives_its_parts_is_left_to_a_person(
    receiver: str, is_reported: bool
) -> None:
    text = f"import torch\ndef norm(model):\n    print({receiver}.next())\n"
    assert bool(advice("TP801", text)) is is_reported
    own = "class Net:\n    def parameters(self):\n        return self\n"
    assert ".parameters()" not in receiver or not advice("TP801", text + own)


def test_a_class_with_its_own_next_is_not_spoken_about() -> None:
    text = """
        import torch
        class Batches:
            def next(self):
                return 1
        def f(batches):
            return iter(batches).next()
        """
    assert advice("TP801", text) == []


_OWN_NEXT = """
    import torch
    def next(loader):
        return loader.next()[0]
    def train(loader, other, net):
        batches = iter(loader)
        net(next({given}))
        net(next(batches))
"""


def _own_next(given: str) -> str:
    return textwrap.dedent(_OWN_NEXT).lstrip("\n").format(given=given)


def test_a_function_of_that_name_asks_the_iterator_itself() -> None:
    text = _own_next("iter(other)")
    migrated = migrate(text, "TP801").text
    assert migrated == text.replace("loader.next()[0]", "loader.__next__()[0]")
    assert migrate(migrated, "TP801").text == migrated


def test_an_iterator_beside_a_function_of_that_name() -> None:
    text = (
        "from torch.utils.data import DataLoader\ndef next(iterator):\n    return 1\n"
        "iter(DataLoader(data)).next()\n"
    )
    assert migrate(text, "TP801").text == text.replace(".next()", ".__next__()")


def test_what_all_calls_give_a_function_is_an_iterator() -> None:
    text = _own_next("batches").replace("next(", "take(").replace(".take(", ".next(")
    after = text.replace("loader.next()", "next(loader)")
    assert migrate(text, "TP801").text == after


@pytest.mark.parametrize("given", ["other", "*other", "loader=other"])
def test_what_one_call_gives_may_be_something_else(given: str) -> None:
    text = _own_next(given)
    assert migrate(text, "TP801").text == text
    assert len(advice("TP801", text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ndef take(loader):\n    return loader.next()\n",
        "import torch\ndef take(loader):\n    return loader.next()\nprint(map(take, x), take(iter(x)))\n",
        "import torch\nclass A:\n    def take(self, loader):\n        return loader.next()\n"
        "A().take(iter(x))\n",
        "import torch\ndef take(loader):\n    return take(loader).next() or loader.next()\n",
    ],
)
def test_what_is_not_seen_to_be_called_stays(text: str) -> None:
    assert migrate(text, "TP801").text == text


@pytest.mark.parametrize(
    "made",
    [
        "its = [iter(d[i]) for i in range(3)]",
        "its = [iter(d), iter(e)]",
        "its = {k: iter(d[k]) for k in d}",
        "its = {'train': iter(d), 'test': iter(e)}",
        "its = {}\n    for k in d:\n        its[k] = iter(d[k])",
        "its = []\n    for k in d:\n        its.append(iter(d[k]))",
    ],
)
def test_iterators_kept_in_a_list_or_a_dict(made: str) -> None:
    text = f"import torch\ndef crops(d, e, keys):\n    {made}\n    return [its[k].next() for k in keys]\n"
    assert migrate(text, "TP801").text == text.replace("its[k].next()", "next(its[k])")


def test_iterators_of_a_list_gone_through() -> None:
    text = (
        "import torch\ndef first(loaders):\n    its = [iter(x) for x in loaders]\n"
        "    for i, it in enumerate(its):\n        print(i, it.next())\n"
    )
    assert migrate(text, "TP801").text == text.replace("it.next()", "next(it)")


@pytest.mark.parametrize(
    "made",
    ["its = {}\n    its.update(e)", "its = [d[0], e]", "its = [iter(d)]\n    fill(its)", "its = d"],
)
def test_what_is_kept_may_be_something_else(made: str) -> None:
    text = f"import torch\ndef crops(d, e, k):\n    {made}\n    return its[k].next()\n"
    assert migrate(text, "TP801").text == text
    assert advice("TP801", text) == []


def test_some_of_what_is_kept_is_an_iterator() -> None:
    text = "import torch\ndef crops(d, e, k):\n    its = [iter(d), e]\n    return its[k].next()\n"
    assert migrate(text, "TP801").text == text
    assert len(advice("TP801", text)) == 1


_ASKED = """\
from torch.utils.data import DataLoader
class Batches:
    def __init__(self, data, batch_size):
        self.batch_size = batch_size
        self.loader = DataLoader(data, batch_size)
        self.batches = iter(self.loader)
    def first(self, x):
        return {}
"""


@pytest.mark.parametrize(
    "asked", ["self.batches.batch_size", "self.batches.dataset", "iter(self.loader).num_workers"]
)
def test_what_an_iterator_had_of_its_loader_is_left_to_a_person(asked: str) -> None:
    (found,) = advice("TP801", _ASKED.format(asked))
    name = asked.rpartition(".")[2]
    assert (found.line, found.message) == (
        8,
        f"iterators of DataLoader have no {name} today, so that {asked} raises: ask the loader for "
        "its own",
    )
    given: dict[str, Any] = {}
    exec(_ASKED.format(asked), given)
    with pytest.raises(AttributeError, match=name):
        given["Batches"]([1], 1).first(1)


@pytest.mark.parametrize(
    "asked",
    [
        "self.loader.batch_size",
        "self.batch_size",
        "x.batch_size",
        "iter(x).batch_size",
        "self.batches._dataset",
        "setattr(self.batches, 'x', 3)\n    def set(self):\n        self.batches.dataset = 1\n"
        "        return self.batches.dataset",
    ],
)
def test_what_a_loader_or_another_object_has_is_not_spoken_about(asked: str) -> None:
    assert advice("TP801", _ASKED.format(asked)) == []
