from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.rules import matching
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

test_rewrites = rewrites(
    "TP901",
    {
        "an attribute, an alias and an import": (
            """
            import torch as t
            from torch import ger as g
            from torch import ger

            a = t.ger(x, y) + g(x, y) + ger(x, y)
            """,
            """
            import torch as t
            from torch import outer as g
            from torch import outer

            a = t.outer(x, y) + g(x, y) + outer(x, y)
            """,
        ),
        "numpy, as torch had imported it": (
            """
            import torch
            from torch import nn, np  # numpy
            from torch import np as numpy
            import numpy as n

            a = np.ones(2) + numpy.ones(2) + torch.np.ones(2)
            """,
            """
            from torch import nn  # numpy
            import numpy as np
            import numpy
            import numpy as n

            a = np.ones(2) + numpy.ones(2) + n.ones(2)
            """,
        ),
        "numpy that the next import brings under that name, too": (
            """
            from torch import np, nn
            import random
            import numpy as np

            a = np.ones(2), nn, random
            """,
            """
            from torch import nn
            import random
            import numpy as np

            a = np.ones(2), nn, random
            """,
        ),
        "numpy that an import above brings under that name": (
            """
            import numpy as np
            from torch import np

            a = np.ones(2)
            """,
            """
            import numpy as np

            a = np.ones(2)
            """,
        ),
        "numpy that an import brings which runs later": (
            """
            from torch import np

            a = np.ones(2)
            import numpy as np
            b = np.ones(2)
            """,
            """
            import numpy as np

            a = np.ones(2)
            import numpy as np
            b = np.ones(2)
            """,
        ),
        "numpy of a name that means another module below": (
            """
            from torch import np
            a = np.ones(2)
            import nonpositive as np
            """,
            """
            import numpy as np
            a = np.ones(2)
            import nonpositive as np
            """,
        ),
        "the name that the file tries to import": (
            """
            import torch
            from torch.utils import model_zoo
            try:
                from torch.hub import load_state_dict_from_url
            except ImportError:
                from torch.utils.model_zoo import load_url as load_state_dict_from_url

            a = load_state_dict_from_url(url), model_zoo.load_url(url)
            """,
            """
            import torch
            try:
                from torch.hub import load_state_dict_from_url
            except ImportError:
                from torch.utils.model_zoo import load_url as load_state_dict_from_url

            a = load_state_dict_from_url(url), load_state_dict_from_url(url)
            """,
        ),
        "a name that the file has from elsewhere, or where that fails": (
            """
            import torch
            from torch.utils import model_zoo
            try:
                from loading import load_state_dict_from_url
            except ImportError:
                from torch.hub import load_state_dict_from_url

            a = load_state_dict_from_url(url), model_zoo.load_url(url)
            """,
            """
            import torch
            try:
                from loading import load_state_dict_from_url
            except ImportError:
                from torch.hub import load_state_dict_from_url

            a = load_state_dict_from_url(url), torch.hub.load_state_dict_from_url(url)
            """,
        ),
        "a name that the file tries to import with others": (
            """
            import torch
            from torch.utils import model_zoo
            try:
                from torch.hub import load_state_dict_from_url
                import loading
            except ImportError:
                from offline import load_state_dict_from_url

            a = model_zoo.load_url(url)
            """,
            """
            import torch
            try:
                from torch.hub import load_state_dict_from_url
                import loading
            except ImportError:
                from offline import load_state_dict_from_url

            a = torch.hub.load_state_dict_from_url(url)
            """,
        ),
        "a name that the file tries to import and replaces": (
            """
            import torch
            from torch.utils import model_zoo
            try:
                from torch.hub import load_state_dict_from_url
                from loading import load_state_dict_from_url
            except ImportError:
                load_state_dict_from_url = None

            a = model_zoo.load_url(url)
            """,
            """
            import torch
            try:
                from torch.hub import load_state_dict_from_url
                from loading import load_state_dict_from_url
            except ImportError:
                load_state_dict_from_url = None

            a = torch.hub.load_state_dict_from_url(url)
            """,
        ),
        "a value": (
            """
            import functools
            import torch
            f = functools.partial(torch.ger, torch.ones(2))
            products = list(map(torch.ger, xs, ys))
            """,
            """
            import functools
            import torch
            f = functools.partial(torch.outer, torch.ones(2))
            products = list(map(torch.outer, xs, ys))
            """,
        ),
        "what is gone and nothing reads": (
            """
            import torch
            from torch._utils import _accumulate
            from torch._utils import _accumulate as sums, _flatten_dense_tensors as flat

            x = flat([torch.ones(2)])
            """,
            """
            import torch
            from torch._utils import _flatten_dense_tensors as flat

            x = flat([torch.ones(2)])
            """,
        ),
        "methods of tensors": (
            """
            import torch
            x = torch.ones(3)
            y = x.ger(x, out=z)
            f = x.ger
            u = torch.Tensor.ger(x, x)
            """,
            """
            import torch
            x = torch.ones(3)
            y = x.outer(x, out=z)
            f = x.outer
            u = torch.Tensor.outer(x, x)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP901",
    {
        "what is still there and nothing reads": """
            from torch import ger
            from torch.nn.utils import clip_grad_norm
            """,
        "another library's numpy": """
            from mytorch import np
            from . import np as numpy
            a = np.ones(2), numpy
            """,
        "numpy where there may be none": """
            try:
                from torch import np
            except ImportError:
                import numpy as np
            a = np.ones(2)
            """,
        "what is gone and may be missing": """
            try:
                from torch._utils import _accumulate
            except ImportError:
                from itertools import accumulate as _accumulate
            """,
        "modern": """
            import torch
            a = torch.outer(torch.ones(2), torch.ones(2))
            """,
        "another library": """
            from scipy.linalg.blas import ger
            a = ger(1.0, x, y)
            """,
        "a method of something unknown": """
            import torch
            def f(x):
                return x.ger(x)
            """,
        "a shadowed name": """
            import torch
            def f(torch):
                return torch.ger(x, y)
            """,
        "a choice": """
            import torch
            outer = torch.outer if hasattr(torch, "outer") else torch.ger
            try:
                from torch import outer as product
            except ImportError:
                from torch import ger as product
            """,
        "the user's class": """
            import torch
            class Blas(object):
                def ger(self, x, y):
                    return x
            z = Blas().ger(torch.ones(2), torch.ones(2))
            """,
    },
)


@pytest.mark.parametrize(
    "text",
    [
        "from torch._utils import _accumulate  # for utils.py\n",
        "from torch._utils import _accumulate\n__all__ = ['_accumulate']\n",
        "def f():\n    from torch._utils import _accumulate\n",
        "from torch._utils import _accumulate\ndef accumulate(x):\n    return _accumulate(x)\n",
        "import torch\nitertools = 1\nx = torch._utils._accumulate([1])\n",
    ],
)
def test_what_is_gone_and_stays_is_said(text: str) -> None:
    (found,) = advice("TP901", text)
    assert found.message.endswith("is gone since torch 2.3: it is itertools.accumulate today")


def test_an_older_target_leaves_rows_out() -> None:
    (rule,) = matching("TP901")
    older = rule.for_target((1, 5))
    assert older is not None
    assert "torch.ger" in rule.renames and "torch.ger" not in older.renames  # type: ignore[attr-defined]


def test_the_claim_is_that_of_the_row() -> None:
    (found,) = migrate("import torch\na = torch.ger(x, y)\n", "TP901").findings
    assert found.fixed and found.numerics.value == "identical"


_KINDS = """
import torch.optim as optim
from torch.optim.lr_scheduler import ReduceLROnPlateau, _LRScheduler

def step(s, loss):
    {}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "if isinstance(s, _LRScheduler): s.step()",
            "if isinstance(s, LRScheduler) and not isinstance(s, ReduceLROnPlateau): s.step()",
        ),
        (
            "x = issubclass(type(s), (int, optim.lr_scheduler._LRScheduler))",
            "x = issubclass(type(s), (int, optim.lr_scheduler.LRScheduler))"
            " and not issubclass(type(s), ReduceLROnPlateau)",
        ),
        (
            "x = not isinstance(s.a, _LRScheduler)",
            "x = not (isinstance(s.a, LRScheduler) and not isinstance(s.a, ReduceLROnPlateau))",
        ),
        (
            "assert isinstance(s, (_LRScheduler, ReduceLROnPlateau))",
            "assert isinstance(s, (LRScheduler, ReduceLROnPlateau))",
        ),
        (
            "x = isinstance(s, ReduceLROnPlateau) or isinstance(s, _LRScheduler)",
            "x = isinstance(s, ReduceLROnPlateau) or isinstance(s, LRScheduler)",
        ),
        (
            "if isinstance(s, ReduceLROnPlateau): return\n    x = isinstance(s, _LRScheduler)",
            "if isinstance(s, ReduceLROnPlateau): return\n    x = isinstance(s, LRScheduler)",
        ),
        (
            "if isinstance(s, ReduceLROnPlateau): s.step(loss)\n"
            "    elif isinstance(s, _LRScheduler): s.step()",
            "if isinstance(s, ReduceLROnPlateau): s.step(loss)\n"
            "    elif isinstance(s, LRScheduler): s.step()",
        ),
        (
            "if isinstance(loss, ReduceLROnPlateau): return\n    x = isinstance(s, _LRScheduler)",
            "if isinstance(loss, ReduceLROnPlateau): return\n"
            "    x = isinstance(s, LRScheduler) and not isinstance(s, ReduceLROnPlateau)",
        ),
    ],
)
def test_what_asks_for_the_old_class_leaves_out_what_came_below_it(before: str, after: str) -> None:
    text = migrate(_KINDS.format(before), "TP901").text.replace("_LRScheduler", "LRScheduler")
    assert text == _KINDS.format(after).replace("_LRScheduler", "LRScheduler")


def test_a_question_that_cannot_be_asked_twice_stays_with_all_that_hangs_on_it() -> None:
    text = (
        "from torch.optim.lr_scheduler import _LRScheduler\nclass Own(_LRScheduler): pass\n"
        "a = isinstance(s, _LRScheduler)\nb = isinstance(make(), _LRScheduler)\n"
    )
    (found,) = advice("TP901", text)
    assert found.line == 4
    message = "ReduceLROnPlateau was no _LRScheduler and is a LRScheduler: ask for both"
    assert found.message == message
    assert migrate(text, "TP901").text == text


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ntable = {torch.ger: 2}\n",
        "import torch\n@implements(torch.ger)\ndef own(a, b):\n    return a\n",
        "from torch import ger\nprint(table[ger], f is ger)\n",
    ],
)
def test_a_function_that_is_told_apart_keeps_its_name(text: str) -> None:
    assert migrate(text, "TP901").text == text
    called = f"{text}torch.ger(a, b)\n" if "import torch\n" in text else f"{text}print(a)\n"
    assert migrate(called, "TP901").text == called.replace("torch.ger(a", "torch.outer(a")


def test_what_another_file_imports_is_not_asked_for_the_class_below(tmp_path: Path) -> None:
    head = "from torch.optim.lr_scheduler import ReduceLROnPlateau, _LRScheduler\n"
    path = tmp_path / "policies.py"
    path.write_text(f"{head}assert isinstance(s, _LRScheduler)\n")
    settings = Settings(select=("TP901",))
    (tmp_path / "use.py").write_text("import policies\n")
    assert "LRScheduler) and not" in (migrate_file(path, settings, write=False).after or "")
    (tmp_path / "use.py").write_text("from policies import _LRScheduler\n")
    assert migrate_file(path, settings, write=False).after is None
