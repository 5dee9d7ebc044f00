from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

test_rewrites = rewrites(
    "TP904",
    {
        "names from a private module": (
            """
            import torch
            from torch._six import inf, string_classes as strings

            def norm(x, kind=inf):
                return x if isinstance(kind, strings) or kind == -inf else None
            """,
            """
            import math
            import torch

            def norm(x, kind=math.inf):
                return x if isinstance(kind, (str, bytes)) or kind == -math.inf else None
            """,
        ),
        "what nothing reads": (
            """
            import torch
            from torch._six import container_abcs, int_classes, string_classes
            from torch._six import inf
            print(isinstance(x, string_classes))
            """,
            """
            import torch
            print(isinstance(x, (str, bytes)))
            """,
        ),
        "what nothing reads and nothing replaces": (
            """
            import torch
            from torch.utils.ffi import create_extension
            from torch.utils.serialization import load_lua
            from torch.nn.utils import clip_grad_norm_, weight_norm
            print(torch.ones(2))
            """,
            """
            import torch
            from torch.nn.utils import clip_grad_norm_, weight_norm
            print(torch.ones(2))
            """,
        ),
        "the module itself": (
            """
            import math
            import torch._six
            x = torch.ones(2) * torch._six.inf
            """,
            """
            import math
            import torch
            x = torch.ones(2) * math.inf
            """,
        ),
    },
)

test_keeps = keeps(
    "TP904",
    {
        "modern": """
            from math import inf
            x = inf
            """,
        "what the workers of a loader still have": """
            from torch._C import _remove_worker_pids, _set_worker_pids
            from torch.utils.data._utils.signal_handling import _set_SIGCHLD_handler
            from torch.utils.data._utils.worker import ManagerWatchdog, _worker_loop
            from torch.utils.data.dataloader import ExceptionWrapper, default_collate
            """,
        "names of a loader of one's own": """
            import torch
            from project.dataloader import _worker_manager_loop
            def _pin_memory_loop(queue):
                return _worker_manager_loop(queue)
            """,
        "an older loader where there is one": """
            try:
                from torch.utils.data.dataloader import _worker_manager_loop
            except ImportError:
                _worker_manager_loop = None
            """,
        "a choice without another import": """
            try:
                from torch._six import inf
            except ImportError:
                pass
            x = inf
            """,
        "a choice": """
            try:
                from torch._six import container_abcs
            except ImportError:
                import collections.abc as container_abcs
            x = isinstance(y, container_abcs.Sequence)
            """,
        "what nothing reads, of another library": """
            from mylib.utils.ffi import create_extension
            from torchtext.vocab import GloVe
            """,
        "what nothing reads where there may be none": """
            try:
                from torch.utils.serialization import load_lua
            except ImportError:
                print("no files of Lua")
            """,
        "another library": """
            from six import string_types
            from mylib._six import inf
            x = inf
            """,
        "a name that is taken": """
            from torch._six import int_classes
            def f(x, int):
                return isinstance(x, int_classes)
            """,
    },
)


def test_says_what_to_use_instead() -> None:
    found = advice(
        "TP904",
        """
        from torch.utils.ffi import create_extension
        import torch.utils.ffi
        ffi = create_extension("x")
        print(torch.utils.ffi)
        """,
    )
    # Of what a module is used for its import tells, which fails above it.
    assert [f.line for f in found] == [1, 2]
    assert all("torch.utils.cpp_extension" in f.message for f in found)


@pytest.mark.parametrize(
    "head",
    [
        "import torch\n",
        "import torch, torch.utils.data\n",
        "import torch.utils.ffi as ffi\nimport torch\n",
    ],
)
def test_a_module_that_is_not_imported_is_told_where_it_is_used(head: str) -> None:
    found = advice("TP904", f"{head}torch.utils.ffi.create_extension('x')\n")
    assert f"{head}x".count("\n") + 1 in [f.line for f in found]


def test_what_was_generated_goes_with_what_generated_it() -> None:
    text = """
        from torch.utils.ffi import _wrap_function
        from ._pooling import lib as _lib, ffi as _ffi
        forward = _wrap_function(_lib.forward, _ffi)
        """
    (found,) = advice("TP904", text)
    assert "create_extension wrote" in found.message


def test_plugins_of_the_trainer_are_copied() -> None:
    for module in ("torch.utils.trainer.plugins", "torch.utils.trainer.plugins.plugin"):
        (found,) = advice("TP904", f"from {module} import Plugin\nclass Own(Plugin):\n    pass\n")
        assert "copy those that are used from torch 0.4" in found.message
    (found,) = advice("TP904", "from torch.utils.trainer import Trainer\nTrainer(model)\n")
    assert "loop over the batches" in found.message


def test_each_kind_of_torchtext_has_its_own_place() -> None:
    text = """
        from torchtext.data import BPTTIterator, BucketIterator, Field, NestedField, TabularDataset
        from torchtext.data import Batch, Dataset, Iterator
        print(BPTTIterator, BucketIterator, Field, NestedField, TabularDataset)
        print(Batch, Dataset, Iterator)
        """
    found = [f.message for f in advice("TP904", text)]
    assert len(found) == 7
    assert "text[:-1], with those of text[1:]" in found[0]
    assert "DataLoader makes the batches" in found[1]
    assert found[2].startswith("torchtext.data.Field, NestedField are gone")
    assert "it read files of CSV" in found[3]
    assert not any("batch_sampler" in each for each in found)


_FIELD = "from torchtext import data\nfield = data.Field({})\n"


@pytest.mark.parametrize(
    "given",
    [
        "sequential=flag",
        "sequential=False, use_vocab=flag",
        "use_vocab=flag",
        "lower=flag",
        "**given",
        "a=1",
    ],
)
def test_only_what_all_fields_did_is_said_of_one(given: str) -> None:
    (found,) = advice("TP904", _FIELD.format(given))
    assert ": as its arguments asked, it split strings (not lists) into tokens" in found.message


def test_no_argument_asked_for_anything_of_a_field_that_is_given_none() -> None:
    (found,) = advice("TP904", _FIELD.format(""))
    assert (
        ": it split strings (not lists) into tokens; a function of your own does so today"
        in found.message
    )
    (found,) = advice("TP904", _FIELD.format("") + "field.build_vocab(x)\nfield.pad(x)\n")
    assert (
        ": it split strings (not lists) into tokens, numbered them (build_vocab) and padded"
        in found.message
    )


@pytest.mark.parametrize("is_filtered", [True, False])
def test_a_dataset_is_said_to_filter_where_the_project_does(is_filtered: bool) -> None:
    text = "from torchtext import data\nclass Pairs(data.Dataset):\n    pass\n"
    found = advice("TP904", f"{text}Pairs(x, y, {'filter_pred' if is_filtered else 'keep'}=z)\n")
    told = "those for which filter_pred(example) was true; torch.utils.data.Dataset takes neither"
    assert (told in found[0].message) is is_filtered


_MAKES_BATCHES = "print(data.Iterator(a, 4))\n"


@pytest.mark.parametrize(
    ("given", "below", "said"),
    [
        ("lower=True", "", "; lower=True made them lower case"),
        ("tokenize=str.split", "", "; tokenize said how to split"),
        ("tokenize=None, lower=False", "", "does so today"),
        ("init_token='<s>', batch_first=True", "", "does so today"),
        (
            "init_token='<s>', eos_token=None, batch_first=True",
            _MAKES_BATCHES,
            "made; init_token was put before each sample; batch_first=True put the samples of a"
            " batch first",
        ),
        (
            "eos_token=END, use_vocab=False, include_lengths=True, pad_token=0",
            _MAKES_BATCHES,
            "numbered nothing (use_vocab=False); functions of your own do so today, a collate_fn"
            " where batches are made; eos_token was put behind each sample; pad_token was what it"
            " padded with; include_lengths=True gave the lengths with a batch",
        ),
        ("sequential=False, lower=True, init_token=0", _MAKES_BATCHES, "into a tensor today"),
    ],
)
def test_what_the_arguments_of_a_field_asked_for_is_named(
    given: str, below: str, said: str
) -> None:
    found = advice("TP904", _FIELD.format(given) + below)[0].message
    assert "as its arguments asked" not in found and found.endswith(said)


def test_arguments_that_some_fields_have_are_told_with_their_lines() -> None:
    text = (
        "from torchtext.data import Field, Iterator\nsource = Field(lower=True, init_token=None)\n"
        "target = Field(lower=True, init_token=START)\nprint(Iterator(source, target))\n"
    )
    found = advice("TP904", text)[0].message
    asked = "lower=True made them lower case; init_token was put before each sample (line 3)"
    assert "Field is gone since torchtext 0.9, used in lines 2 and 3: it split" in found
    assert found.endswith(f"where batches are made; {asked}")


@pytest.mark.parametrize(
    ("made", "has_numbers"),
    [
        ("Field(sequential=False)", True),
        ("Field(False, True)", True),
        ("Field(sequential=False, use_vocab=False, batch_first=True)", False),
        ("LabelField()", True),
        ("LabelField(use_vocab=False)", False),
    ],
)
def test_a_field_of_single_values_splits_and_pads_nothing(made: str, has_numbers: bool) -> None:
    text = f"from torchtext import data\nfield = data.{made}\n"
    for beside, has_batches in (
        ("field.build_vocab(a)\n", False),
        ("for batch in data.Iterator(a, 4):\n    print(field.vocab)\n", True),
    ):
        found = advice("TP904", text + beside)[0].message
        assert ": it took each value whole, and neither split nor padded" in found
        assert ("but numbered them (build_vocab)" in found) is has_numbers
        assert ("; a collate_fn of your own puts those of a batch" in found) is has_batches


@pytest.mark.parametrize("made", ["Field(sequential=False)", "LabelField()", "Field(False, False)"])
def test_a_field_that_nothing_else_is_asked_of_kept_the_values(made: str) -> None:
    text = f"from torchtext import data\nfield = data.{made}\nwords = net.vocab.words\n"
    (found,) = advice("TP904", text)
    assert found.message.endswith(
        ": it took each value whole, and neither split nor padded (sequential=False): examples"
        " of your own just hold it"
    )


@pytest.mark.parametrize(
    ("path", "text", "has_numbers"),
    [
        ("other.py", "def build_vocab(words):\n    return set(words)\n", False),
        ("other.py", "import main\nclass A:\n    pass\n", False),
        ("apart.py", "from other import *\ndef build_vocab(words):\n    pass\n", False),
        ("tools.py", "def number(field):\n    field.build_vocab([])\n", True),
        ("other.py", "import main\nmain.field.build_vocab([])\n", True),
        ("other.py", "import main, apart\napart.number(main.field)\n", True),
    ],
)
def test_only_what_the_files_around_a_field_ask_of_it_is_said(
    tmp_path: Path, path: str, text: str, has_numbers: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "tools.py").write_text("def number(field):\n    pass\n")
    (tmp_path / "apart.py").write_text("def number(field):\n    field.build_vocab([])\n")
    (tmp_path / path).write_text(text)
    script = tmp_path / "main.py"
    script.write_text(
        "import tools\nfrom torchtext import data\nfield = data.Field(sequential=False)\n"
        "tools.number(field)\n"
    )
    found = migrate_file(script, Settings(select=("TP904",)), write=False).findings
    assert any("it took each value whole" in each.message for each in found)
    assert any("numbered" in each.message for each in found) is has_numbers


@pytest.mark.parametrize(
    ("given", "has_numbers"),
    [
        ("use_vocab=False, pad_token=0", False),
        ("True, False", False),
        ("use_vocab=flag", True),
        ("use_vocab=True", True),
        ("**options", True),
    ],
)
def test_a_field_without_a_vocabulary_numbers_nothing(given: str, has_numbers: bool) -> None:
    text = _FIELD.format(given) + "for batch in data.Iterator(a, 4):\n    print(field.vocab)\n"
    found = advice("TP904", text)[0].message
    assert "split strings" in found and "padded" in found
    assert ("numbered them (build_vocab)" in found) is has_numbers


@pytest.mark.parametrize(
    ("given", "is_by_length"),
    [
        ("a, sort_key=lambda x: len(x.text)", True),
        ("data.TabularDataset('a', 'tsv', ())", False),
        ("a, train=False", False),
        ("datasets.SNLI.splits(text, label)[0]", True),
    ],
)
def test_samples_came_together_by_a_key_alone(given: str, is_by_length: bool) -> None:
    text = (
        f"from torchtext import data, datasets\nrows = data.BucketIterator({given})\nprint(rows)\n"
    )
    found = next(f.message for f in advice("TP904", text) if "BucketIterator" in f.message)
    assert ("like length" in found) is is_by_length
    assert "torch.utils.data.DataLoader" in found


def test_another_file_may_give_the_key() -> None:
    text = "from torchtext import data\nrows = data.BucketIterator(a, 4)\nprint(rows)\n"
    elsewhere = Options(mentioned_elsewhere=lambda name: name == "sort_key")
    assert "like length" in advice("TP904", text, options=elsewhere)[0].message


_ITERATORS = """
from torchtext import data
train, valid = data.BucketIterator.splits((a, b), batch_size=4)
one = data.Iterator(a, 4)
{}
"""


@pytest.mark.parametrize(
    ("below", "said"),
    [
        ("print(train.epoch)", "line 4 reads train.epoch: a DataLoader has none, and ends after"),
        ("for it in (valid, train):\n    print(it.iterations)", "line 5 reads it.iterations: a D"),
        ("def f(it):\n    return it.epoch\nf(valid)", "line 5 reads it.epoch: a DataLoader has"),
        ("valid.init_epoch()", "line 4 reads valid.init_epoch: a DataLoader has none, and begins"),
    ],
)
def test_what_a_loader_has_not_is_told_where_it_is_read(below: str, said: str) -> None:
    of_several, of_one = (f.message for f in advice("TP904", _ITERATORS.format(below)))
    assert said in of_several and "a DataLoader has" not in of_one


@pytest.mark.parametrize(
    "below",
    [
        "print(args.epoch)",
        "train.repeat = False\ntrain.epoch = 3",
        "for batch in train:\n    print(batch.epoch)",
        "other = net(train)\nprint(other.epoch)",
        "train = Trainer()\nprint(train.epoch)",
        "print(len(train), train.batch_size, train.dataset)",
    ],
)
def test_nothing_is_said_of_attributes_of_something_else(below: str) -> None:
    found = advice("TP904", _ITERATORS.format(below))
    assert len(found) == 2 and not any("a DataLoader has" in each.message for each in found)


def test_an_iterator_of_its_own_class_method_is_one() -> None:
    found = advice("TP904", _ITERATORS.format("print(one.epoch)"))
    assert ["reads one.epoch" in each.message for each in found] == [False, True]


@pytest.mark.parametrize(
    "text",
    ["class Own(data.Field):\n    pass", "make(data.Field)", "def f(x: data.Field):\n    pass"],
)
def test_of_a_field_that_is_not_made_the_same_is_said(text: str) -> None:
    (found,) = advice("TP904", f"from torchtext import data\n{text}\n")
    assert ": as its arguments asked, it split strings (not lists) into tokens" in found.message


def test_nobody_is_sent_to_a_torchtext_for_an_old_torch() -> None:
    text = "from torchtext import data\na = data.Example.fromlist(x, y)\nb = data.Pipeline(f)\n"
    sample, pipeline = (f.message for f in advice("TP904", text))
    assert "legacy" not in sample + pipeline
    assert "types.SimpleNamespace" in sample and "[f(token) for token in tokens]" in pipeline


def test_a_class_below_an_example_is_not_told_of_fields_alone() -> None:
    text = "from torchtext import data\nclass Own(data.Example):\n    pass\n"
    (found,) = advice("TP904", text)
    assert "it held the values of a sample as attributes" in found.message


def test_what_torch_1_0_still_has_went_later() -> None:
    (found,) = advice("TP904", "import torch.nn._functions as f\nprint(f.thnn)\n")
    assert "is gone since torch 1.3" in found.message


def test_an_import_goes_with_the_calls() -> None:
    text = "from torch.nn.modules.loss import _assert_no_grad\n_assert_no_grad(target)\n"
    (found,) = advice("TP904", text)
    assert "take its calls out" in found.message and "out of the import" in found.message
    text = "import torch\ntorch.nn.modules.loss._assert_no_grad(y)\n"
    (found,) = advice("TP904", text)
    assert found.message.endswith("take the call out, or write `assert not y.requires_grad` for it")


def test_an_import_that_may_be_for_others_is_named_and_stays() -> None:
    for text in (
        "from torch._six import inf  # for utils.py\n",
        "from torch._six import inf\n__all__ = ['inf']\n",
        "def f():\n    from torch._six import inf\n",
    ):
        (found,) = advice("TP904", text)
        assert "math.inf" in found.message


def test_what_is_said_of_an_import_that_nothing_reads() -> None:
    idle = "and nothing in this file reads it:"
    for text in (
        "from torch.utils.serialization import load_lua  # files of Lua\n",
        "def f():\n    from torch.utils.serialization import load_lua\n",
    ):
        (found,) = advice("TP904", text)
        state = "torch.utils.serialization.load_lua is gone since torch 1.0"
        assert found.message == f"{state}, {idle} delete the import"
    (found,) = advice("TP904", "from torch.nn.utils import clip_grad_norm_, weight_norm\n")
    state = "torch.nn.utils.weight_norm is deprecated"
    assert found.message == f"{state}, {idle} take it out of the import"


@pytest.mark.parametrize(
    ("below", "is_idle"),
    [("", True), ("legacy.optim.sgd", False), ("__all__ = ['legacy']", False)],
)
def test_a_module_that_is_imported_and_not_read_is_taken_out(below: str, is_idle: bool) -> None:
    found, *_ = advice("TP904", f"import torch.legacy as legacy\n{below}\n")
    assert found.message.endswith("delete the import") is is_idle


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "import torch.legacy.optim as lua\nx, _ = lua.adam(f, x, config)\n",
            "torch.legacy.optim is gone since torch 1.0, used in line 2: it held the optimizers of"
            " Lua Torch, functions of one step; those of torch.optim are classes: made once of the"
            " tensors, whose .grad their step() reads; for adam(...) there is torch.optim.Adam",
        ),
        (
            "from torch.legacy import optim\nx, _ = optim.nag(f, x, config)\n",
            "for nag(...) there is torch.optim.SGD with nesterov=True",
        ),
        (
            "import torch.legacy.optim as lua\nx, _ = lua.cg(f, x, config)\n",
            ".grad their step() reads",
        ),
        (
            "import torch.legacy.nn as lua\nnet = lua.Sequential()\n",
            "torch.legacy.nn is gone since torch 1.0, used in line 2: it held the modules of Lua"
            " Torch; torch.nn has those of today",
        ),
        (
            "from torch import legacy\nprint(legacy)\n",
            "it held the modules and optimizers of Lua Torch; torch.nn and torch.optim have those of"
            " today",
        ),
    ],
)
def test_each_part_of_the_modules_of_lua_has_its_own_successor(text: str, told: str) -> None:
    (found,) = advice("TP904", text)
    assert found.message.endswith(told)


def test_what_is_said_of_an_import_that_others_may_read() -> None:
    text = "from torch.utils.serialization import load_lua\n__all__ = ['load_lua']\n"
    (found,) = advice("TP904", text)
    assert "torchfile" in found.message
    text = "from torch.nn.utils import weight_norm\n__all__ = ['weight_norm']\n"
    (found,) = advice("TP904", text)
    assert "torch.nn.utils.parametrizations.weight_norm" in found.message


_NORMED = """
import torch
from torch import nn
from torch.nn.utils import remove_weight_norm, weight_norm
net = nn.Sequential(weight_norm(nn.Linear(2, 3)))
"""


@pytest.mark.parametrize(
    "saves",
    [
        "torch.save(net.state_dict(), path)",
        "torch.save({'net': net.state_dict(), 'epoch': 3}, path)",
        "kept = copy.deepcopy(net.state_dict())\nnet.load_state_dict(kept)",
        "def state():\n    return net.state_dict()\nother.load_state_dict(state())",
        "net.load_state_dict(torch.load(path))\nassert net.state_dict()",
        "states = [net.state_dict()]\nnet.load_state_dict(states[0])",
        "torch.save([1], path)",
        "import pickle\npickle.dump(losses, open(path, 'wb'))",
        "torch.save({'net': net.state_dict(), 'epoch': epoch}, path)",
        "state = {'net': net.state_dict()}\ntorch.save(state, path)",
        "save(net, path)",
    ],
)
def test_other_keys_are_told_where_nothing_reads_them(saves: str) -> None:
    found = advice("TP904", _NORMED + saves + "\n")
    assert [f.line for f in found] == [4]
    assert "parametrizations.weight.original0 for weight_g" in found[0].message
    assert "remove_weight_norm(layer) is" not in found[0].message
    (first, *_) = advice("TP904", _NORMED + saves + "\nremove_weight_norm(net[0])\n")
    assert first.message.endswith("remove_parametrizations(layer, 'weight')")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("rnn", "weight"),
        ("rnn, 'weight'", "weight"),
        ("rnn, 'weight_hh_l0'", "weight_hh_l0"),
        ("rnn, name='weight_hh_l0', dim=None", "weight_hh_l0"),
        ("rnn, f'weight_hh_l{i}'", "NAME"),
        ("rnn, name=name", "NAME"),
        ("rnn, **given", "NAME"),
        ("*given", "NAME"),
    ],
)
def test_the_other_keys_are_those_of_the_parameter(given: str, name: str) -> None:
    text = f"from torch import nn\nnn.utils.weight_norm({given})\n"
    found, *_ = advice("TP904", text)
    keys = f"parametrizations.{name}.original0 for {name}_g"
    assert found.message.endswith(f"new ones have other keys, as {keys}")
    (found,) = advice("TP904", text + "nn.utils.remove_weight_norm(rnn)\n")
    assert keys in found.message
    assert found.message.endswith("remove_parametrizations(layer, 'weight')")


@pytest.mark.parametrize(
    "reads",
    [
        "own = net.state_dict()\nnew = {k: v for k, v in old.items() if k in own}",
        "own = net.state_dict()\nfor name, value in old.items():\n    own[name].copy_(value)",
        "own = net.state_dict()\nown.update(old)\nnet.load_state_dict(own)",
        "print(net.state_dict().keys())",
        "print(net.state_dict()['0.weight_g'])",
        "def own():\n    return net.state_dict()\nprint(sorted(own()))",
        "for name in net.state_dict():\n    print(name)",
        "torch.save(net, path)",
        "torch.save(net, path, pickle_module=dill)",
        "torch.save({'net': net, 'epoch': 3}, path)",
        "def keep(model):\n    torch.save(model, path, pickle_module=dill)",
        "import pickle\npickle.dump(net, open(path, 'wb'))",
        "import dill\ndill.dumps([1, net])",
    ],
)
def test_other_keys_are_not_proposed_where_something_reads_them(reads: str) -> None:
    assert advice("TP904", _NORMED + reads + "\n") == []


def test_the_first_use_of_what_still_works_names_the_others() -> None:
    text = """
        import torch
        a = torch.nn.utils.weight_norm(x)
        b = torch.nn.utils.weight_norm(y)
        c = torch.nn.utils.weight_norm(z, 'w')
        d = torch.nn.utils.weight_norm(x)
        """
    said = [(f.line, f.message.partition(":")[0]) for f in advice("TP904", text)]
    state = "torch.nn.utils.weight_norm is deprecated"
    assert said == [(2, f"{state}, here and in lines 3 and 5"), (4, state)]


def test_so_does_that_of_an_imported_name_that_still_works() -> None:
    text = """
        from torch.nn.utils import weight_norm as normed
        a = normed(x)
        b = normed(y)
        def f(normed):
            return normed(a)
        """
    (found,) = advice("TP904", text)
    assert found.line == 2
    assert "is deprecated, here and in line 3: " in found.message


def test_a_module_with_the_name_of_its_function() -> None:
    text = (
        "from torch.nn.utils.weight_norm import weight_norm, WeightNorm\na = weight_norm(x, {})\n"
    )
    found = advice("TP904", text.format("'x'"))
    assert [f.line for f in found] == [1, 2]
    assert found[1].message.endswith("parametrizations.x.original0 for x_g")


def test_of_an_import_that_fails_only_the_import_is_named() -> None:
    text = "from torchtext.data import Field\na = Field()\n"
    assert [f.line for f in advice("TP904", text)] == [1]


def test_what_a_line_is_told_of_already_is_not_repeated() -> None:
    text = "import torch\na = [torch.nn.utils.weight_norm(x), torch.nn.utils.weight_norm(y)]\n"
    assert [(f.line, f.column) for f in advice("TP904", text)] == [(2, 6)]


def test_what_is_said_of_a_rewrite() -> None:
    text = "import torch\nfrom torch._six import inf\na = inf\nb = torch.has_mps\n"
    found = {f.line: f.message for f in migrate(text, "TP904").findings}
    assert found[3].startswith("torch._six.inf is gone since torch")
    assert found[4] == "torch.has_mps is torch.backends.mps.is_built() today"


def test_a_copy_of_the_loader_names_what_is_gone() -> None:
    text = """
from torch._C import _set_worker_signal_handlers, _update_worker_pids
from torch.utils.data import dataloader
from torch.utils.data.dataloader import _worker_manager_loop, DataLoader
dataloader._set_SIGCHLD_handler()
_set_worker_signal_handlers(_update_worker_pids, _worker_manager_loop)
"""
    found = advice("TP904", text)
    assert [finding.line for finding in found] == [1, 3, 4]
    assert all("put what this file adds to it into collate_fn" in f.message for f in found)
    assert "torch._C._update_worker_pids is gone since torch 1.1" in found[0].message


def test_the_private_functions_of_cudnn_are_gone() -> None:
    text = "import torch\ntorch._C._cudnn_batch_norm_forward(x, y)\n"
    (found,) = advice("TP904", text)
    assert "torch.nn.functional.batch_norm" in found.message
    for other in (
        "import torch\ntorch._C._get_cudnn_enabled()\n",
        "import torch\ntorch.cudnn_convolution(x, w, p, s, d, 1, False, False, True)\n",
        "import torch\nlibrary._C._cudnn_batch_norm_forward(x, y)\n",
        "import torch\ndef f(torch):\n    torch._C._cudnn_batch_norm_forward(x, y)\n",
    ):
        assert not advice("TP904", other)


def test_a_deprecated_class_may_be_asked_for() -> None:
    text = "import torch.nn as nn\nKINDS = [nn.Container, nn.ReLU]\nnn.Sequential() in KINDS\n"
    assert not advice("TP904", f"{text}isinstance(m, (nn.Container, nn.ReLU))\n")
    (found,) = advice("TP904", f"{text}class A(nn.Container):\n    pass\n")
    assert found.line == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("create_extension('_ext.nms', sources=[])", ["nms"]),
        ("create_extension('roi_align', sources=['src/nms.c'])", ["nms", "roi_align"]),
        ("create_extension('_ext.lgamma', sources=['src/lgamma.c'])", []),
        ("create_extension('x')  # not nms", []),
    ],
)
def test_operations_are_named_where_the_extension_has_one(text: str, told: list[str]) -> None:
    head = "from torch.utils.ffi import create_extension\n"
    (found,) = advice("TP904", head + text + "\n")
    named = [
        n
        for n in ("nms", "roi_align", "roi_pool")
        if f"torchvision.ops has its own {n}" in found.message
    ]
    assert named == told


@pytest.mark.parametrize("module", ["padding", "rnn"])
def test_private_functions_say_what_took_their_place(module: str) -> None:
    (found,) = advice("TP904", f"from torch.nn._functions.{module} import x\ny = x(1)\n")
    assert {"padding": "functional.pad", "rnn": "in a loop"}[module] in found.message


def test_the_module_torch_tensor() -> None:
    text = "import torch\nx = torch.tensor.torch.ones(2)\n"
    assert migrate(text, "TP904").text == "import torch\nx = torch.ones(2)\n"
    text = "import torch as th\nx = th.tensor.torch.ones(2)\n"
    assert migrate(text, "TP904").text == "import torch as th\nx = th.ones(2)\n"
    text = "import torch\nx = torch.tensor.ones(2), torch.tensor([1]), y.tensor.torch.ones(2)\n"
    assert migrate(text, "TP904").text == text


@pytest.mark.parametrize(
    ("imports", "written"),
    [
        ("import torch.tensor\n", "import torch\n"),
        ("import torch\nimport os\nimport torch.tensor\n", "import torch\nimport os\n"),
        ("import torch\nimport torch.tensor, os\n", "import torch\nimport os\n"),
        ("import torch\nimport torch.utils.ffi\n", "import torch\n"),
        ("import torch as th\nimport torch.tensor\n", "import torch as th\nimport torch\n"),
    ],
)
def test_the_import_of_a_module_gives_the_package(imports: str, written: str) -> None:
    text = "{}x = torch.tensor([1])\n"
    assert migrate(text.format(imports), "TP904").text == text.format(written)


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nx = torch.tensor([1]), torch.tensor\n",
        "from torch import tensor\nx = tensor([1])\n",
        "from torch import tensor as t\nx = t([1])\n",
        "try:\n    import torch.tensor\nexcept ImportError:\n    pass\n",
        "import torch.tensors\n",
    ],
)
def test_the_function_torch_tensor_is_no_module(text: str) -> None:
    assert migrate(text, "TP904").text == text and not advice("TP904", text)


def test_the_module_torch_tensor_by_another_name_is_told() -> None:
    text = "import torch.tensor as t\nx = t.y(2)\n"
    (found,) = advice("TP904", text)
    assert "torch.tensor is gone since torch 1.9" in found.message
    assert migrate(text, "TP904").text == text


def test_the_paths_of_cudnn_are_gone() -> None:
    text = "import torch\n{}torch.backends.cudnn.libpaths.append('/usr/lib')\n"
    (found,) = advice("TP904", text.format(""))
    assert "libpaths is gone" in found.message and "drop the line" in found.message
    (found,) = advice("TP904", text.format("if linux:\n    "))
    assert found.message.endswith(
        "drop the if of line 2, torch finds the cuDNN that it was built with"
    )
    (found,) = advice("TP904", text.format("if find():\n    "))
    assert "leave pass in its place, torch finds" in found.message
    (found,) = advice("TP904", text.format("if linux:\n    find()\n    "))
    assert "drop the line" in found.message
    guard = "if hasattr(torch.backends.cudnn, 'libpaths'):\n    "
    assert not advice("TP904", text.format(guard))
    assert not advice("TP904", "import torch\nself.libpaths.append('/usr/lib')\n")


def test_each_call_of_what_still_works_has_its_own_keys() -> None:
    text = "from torch.nn.utils import weight_norm\nweight_norm(a, 'x')\nweight_norm(b, {})\n"
    for other, name in (("'y'", "y"), ("z", "NAME")):
        first, second = advice("TP904", text.format(other))
        assert "parametrizations.x.original0 for x_g" in first.message
        assert f"parametrizations.{name}.original0 for {name}_g" in second.message


_FIELDS = """
from torchtext import data
def setup(path):
    words, kinds = data.Field(), None
    kinds = data.Field(sequential=False)
    {line}
"""


@pytest.mark.parametrize(
    ("line", "has_numbers", "has_batches"),
    [
        ("return words.preprocess(path)", False, False),
        ("words.build_vocab(path)", True, False),
        ("return words.build_vocab(path), BatchNorm1d(2)", True, False),
        ("return [len(words.vocab), *words.preprocess(path)]", True, False),
        ("return data.BucketIterator(path, 32), words", True, True),
        ("return words.process([path])", True, True),
        ("return data.Batch(path), words", True, True),
        ("return words.numericalize(path)", True, True),
    ],
)
def test_a_field_is_said_to_do_what_the_project_asks_of_it(
    line: str, has_numbers: bool, has_batches: bool
) -> None:
    (found,) = (f for f in advice("TP904", _FIELDS.format(line=line)) if f.line == 3)
    assert "it split strings (not lists) into tokens" in found.message
    assert ("numbered them" in found.message) is has_numbers
    assert ("padded batches" in found.message) is has_batches


def test_batches_that_another_file_makes_are_padded_by_the_field() -> None:
    text = _FIELDS.format(line="words.build_vocab(path)")
    elsewhere = Options(mentioned_elsewhere=lambda name: name == "BucketIterator")
    found = advice("TP904", text, options=elsewhere)
    assert "padded batches" in found[0].message


def test_a_field_that_nothing_reads_goes() -> None:
    found = advice("TP904", _FIELDS.format(line="return Dataset.splits(path, words)"))
    assert [f.line for f in found] == [3, 4]
    assert "split strings (not lists) into tokens" in found[0].message
    assert found[1].message.endswith("0.9: nothing reads kinds, delete it")


_BATCHES = """from torchtext import data
from loading import load
train = data.Iterator(load(1), 32)
test = data.Iterator(load(2), 32)
{}
"""


def _told_of_batches(path: Path, line: str, other: str = "") -> list[str]:
    """What is said of batches in a file of a project, beside which there may be another one."""
    (path / "sets.py").write_text(_BATCHES.format(line))
    (path / "run.py").write_text("import torch\n" + other)
    found = migrate_file(path / "sets.py", Settings(), write=False).findings
    return [f.message for f in found if f.code == "TP904"]


def test_batches_that_nothing_reads_go(tmp_path: Path) -> None:
    of_train, of_test = _told_of_batches(tmp_path, "print(len(train))")
    assert "a torch.utils.data.DataLoader makes the batches" in of_train
    assert of_test.endswith("0.9: nothing reads test, delete it")


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("def f(given=test): return given", ""),
        ("globals()", ""),
        ("__all__ = ['test']", ""),
        ("test.shuffle = True", ""),
        ("", "from sets import test\n"),
        ("", "import sets\nprint(sets.test)\n"),
        ("", "from sets import *\nprint(test)\n"),
    ],
)
def test_batches_that_something_may_read_are_told_of(line: str, other: str, tmp_path: Path) -> None:
    said = _told_of_batches(tmp_path, f"print(train)\n{line}", other)
    assert said and not any("nothing reads" in message for message in said)


def test_batches_in_a_text_without_files_are_told_of() -> None:
    (found,) = advice("TP904", _BATCHES.format(""))
    assert "nothing reads" not in found.message


def test_what_pads_in_another_file_is_called_there(tmp_path: Path) -> None:
    """A ``padding=`` of a layer pads no batches."""
    (tmp_path / "sets.py").write_text(_FIELDS.format(line="words.build_vocab(net(path))"))
    for called, is_told in (("Conv2d(1, 2, 3, padding=1)", False), ("f.pad([x])", True)):
        (tmp_path / "run.py").write_text(f"import torch, sets\ny = {called}\n")
        found = migrate_file(tmp_path / "sets.py", Settings(), write=False).findings
        assert any("padded batches" in f.message for f in found) is is_told


def test_single_values_are_put_into_tensors_where_batches_are_made() -> None:
    line = "kinds.build_vocab(path); return words.pad([path]){}"
    of_texts, of_values = advice("TP904", _FIELDS.format(line=line.format("")))
    assert "padded batches" in of_texts.message
    assert of_values.message.endswith("a function of your own does so today")
    line = line.format(", data.Iterator(path, 3)")
    found = advice("TP904", _FIELDS.format(line=line))
    assert any("a collate_fn of your own puts those" in f.message for f in found)


@pytest.mark.parametrize("written", ["made = {}", "made = {}\n    return made", "{}"])
def test_a_function_that_is_gone_is_told_even_where_nothing_reads_what_it_returns(
    written: str,
) -> None:
    call = written.format("torch.onnx._export(net, x, 'net.onnx')")
    (found,) = advice("TP904", f"import torch\ndef write(net, x):\n    {call}\n")
    assert "since torch 2.5: call torch.onnx.export, which does not return" in found.message


@pytest.mark.parametrize(
    "line",
    [
        "return kinds",
        "kinds.build_vocab(path)",
        "return lambda: kinds",
        "return locals()",
        "del kinds",
        "words = kinds",
    ],
)
def test_a_field_that_something_reads_is_told_of(line: str) -> None:
    of_texts, of_values = advice("TP904", _FIELDS.format(line=line))
    assert "0.9: it split strings (not lists) into tokens" in of_texts.message
    assert of_values.line == 4 and "it took each value whole" in of_values.message


@pytest.mark.parametrize("holder", ["global kinds", "pass", "self.kinds = kinds = 0"])
def test_a_field_that_others_may_read_is_told_of(holder: str) -> None:
    text = f"from torchtext import data\ndef setup(self):\n    {holder}\n    {{}} = data.Field()\n"
    for target in ("kinds", "self.kinds", "kinds = self.other"):
        (found,) = advice("TP904", text.format(target))
        is_own = target == "kinds" and holder != "global kinds"
        assert ("nothing reads kinds" in found.message) is is_own


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("roi_pooling", "torchvision.ops has its own roi_pool"),
        ("psroi_pooling", "torchvision.ops has its own ps_roi_pool"),
        ("my_roi_align", "torchvision.ops has its own roi_align"),
        ("rroi_align", ""),
    ],
)
def test_torchvision_has_the_very_operation(name: str, said: str) -> None:
    head = "from torch.utils.ffi import create_extension\n"
    (found,) = advice("TP904", f"{head}ffi = create_extension('_ext.{name}', sources=[])\n")
    assert found.message.partition("; ")[2] == said


@pytest.mark.parametrize(
    ("name", "said"),
    [("CudnnRNN", "pack their weights themselves"), ("AutogradRNN", "in a loop of your own")],
)
def test_what_packed_weights_is_no_loop(name: str, said: str) -> None:
    (found,) = advice("TP904", f"from torch.nn._functions.rnn import {name}\nx = {name}()\n")
    assert said in found.message


def test_a_name_in_a_module_that_is_gone_is_told_once() -> None:
    text = "import torch\nx = torch.nn._functions.thnn.rnnFusedPointwise.GRUFused\n"
    (found,) = advice("TP904", text)
    assert "fused gates" in found.message
    text = "import torch\nimport sklearn\nx = sklearn.cross_validation.train_test_split(a, b)\n"
    (found,) = advice("TP907", text)
    assert found.message.endswith("it is sklearn.model_selection.train_test_split")


def test_data_sets_of_fields_are_told() -> None:
    text = "from torchtext import datasets\na = datasets.{}(text, label)\n"
    (found,) = advice("TP904", text.format("SST.splits"))
    assert found.message.startswith(
        "torchtext.datasets.SST is gone since torchtext 0.9: splits() downloaded nlp.stanford.edu/"
    )
    assert "subclass torch.utils.data.Dataset and read its files yourself" in found.message
    (found,) = advice("TP904", text.format("IMDB.splits"))
    assert found.message.endswith("ended with 0.18, which does not load with torch 2.4 or newer")
    assert "split=" not in found.message
    assert not advice("TP904", text.format("IMDB"))


@pytest.mark.parametrize(
    ("name", "did"),
    [
        ("TranslationDataset", "made an example of each pair of lines"),
        ("LanguageModelingDataset", "made one example of all its words"),
        ("SequenceTaggingDataset", "made an example of each sentence"),
    ],
)
def test_data_sets_of_given_files_say_what_they_read(name: str, did: str) -> None:
    text = f"from torchtext import datasets\nclass Pairs(datasets.{name}):\n    pass\n"
    (found,) = advice("TP904", text)
    assert did in found.message
    assert "subclass torch.utils.data.Dataset and read" in found.message


def test_a_data_set_that_had_no_fields_is_not_said_to_have_had_some() -> None:
    text = "from torchtext import datasets\na = datasets.TextClassificationDataset(v, d, l)\n"
    (found,) = advice("TP904", text)
    assert "fields" not in found.message
    assert "pairs of a label and a tensor" in found.message


@pytest.mark.parametrize(
    ("called", "end"),
    [
        ("GRUFused_updateOutput", "no public function for its fused gates"),
        ("LSTMFused_updateGradInput", "no public function for its fused gates"),
        ("SpatialDilatedConvolution_updateOutput", "has what it held for layers"),
    ],
)
def test_fused_gates_are_no_layers(called: str, end: str) -> None:
    text = "from torch._thnn import type2backend\ndef f(x):\n    type2backend[x.type()].{}(x)\n"
    (found,) = advice("TP904", text.format(called))
    assert end in found.message and "torch.gru_cell" not in found.message


_PLUGINS = """\
import torch
from torch.utils.trainer.plugins.plugin import Plugin
from torch.utils.trainer.plugins.monitor import Monitor
from torch.utils.trainer.plugins import LossMonitor

class Saver(Plugin): pass
class Time(Monitor): pass
class Loss(LossMonitor): pass
"""


def test_what_holds_for_several_imports_is_told_at_the_first() -> None:
    (found,) = advice("TP904", _PLUGINS)
    assert found.line == 2
    assert found.message.startswith(
        "torch.utils.trainer.plugins is gone since torch 1.0, here and in lines 3 and 4, used in"
        " lines 6, 7 and 8: its classes are plain Python"
    )


def test_imports_of_which_other_things_hold_tell_of_themselves() -> None:
    other = "from torch.utils.serialization import load_lua\n"
    text = _PLUGINS.replace("\nclass", f"{other}\nnet = load_lua(path)\nclass", 1)
    first, second = advice("TP904", text)
    assert (first.line, second.line) == (2, 5)
    assert "gone since torch 1.0, used in line 7: " in second.message


def test_an_import_that_no_run_comes_to_tells_nothing_for_the_others() -> None:
    text = _PLUGINS.replace("from torch.utils.trainer.plugins.plugin", "if False:\n    from {}")
    text = text.format("torch.utils.trainer.plugins.plugin")
    (found,) = advice("TP904", text)
    assert found.line == 4
    assert "here and in line 5, used in lines 8 and 9: " in found.message


@pytest.mark.parametrize(
    ("batches", "line", "told"),
    [
        ("batches = iter(BucketIterator(data))\nx = next(batches)", 4, True),
        ("batches = BucketIterator(data)\nfor x in batches: pass", 4, False),
        ("batches = iter(data)\nx = next(batches), BucketIterator", 4, False),
        (
            "def next(x): return x\nbatches = iter(BucketIterator(data))\nx = next(batches)",
            5,
            False,
        ),
    ],
)
def test_batches_that_are_asked_for_by_next_end_after_one_pass(
    batches: str, line: int, told: bool
) -> None:
    (found,) = advice(
        "TP904", f"import torch\nfrom torchtext.data import BucketIterator\n{batches}\n"
    )
    said = f"line {line} asks for batches by next(), and the iter() of a DataLoader ends after one pass"
    assert found.message.endswith(said) is told


def test_the_weights_of_a_network_of_ones_own_need_no_packing() -> None:
    text = """\
    import torch
    class Own(torch.nn.Module):
        def {}(self):
            from torch.nn._functions.rnn import CudnnRNN
            self.fn = CudnnRNN(self.mode)
    """
    (found,) = advice("TP904", text.format("flatten_parameters"))
    assert "a flatten_parameters() of your own can go, with its calls" in found.message
    (found,) = advice("TP904", text.format("made"))
    assert found.message.endswith("torch.nn.LSTM, GRU and RNN pack their weights themselves")
