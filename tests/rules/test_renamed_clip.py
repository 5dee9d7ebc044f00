from __future__ import annotations

import textwrap

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options

test_rewrites = rewrites(
    "TP605",
    {
        "attribute paths": (
            """
            import torch
            import torch.nn as nn
            from torch.nn import utils
            torch.nn.utils.clip_grad_norm(model.parameters(), 5)
            nn.utils.clip_grad_norm(model.parameters(),
                                    max_norm=5)
            utils.clip_grad_norm(ps, 1)
            """,
            """
            import torch
            import torch.nn as nn
            from torch.nn import utils
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5)
            nn.utils.clip_grad_norm_(model.parameters(),
                                     max_norm=5)
            utils.clip_grad_norm_(ps, 1)
            """,
        ),
        "from import with all its uses": (
            """
            from torch.nn.utils import (
                clip_grad_norm,  # explodes without
                parameters_to_vector,
            )
            def step(ps):
                clip_grad_norm(ps, 5)
                return map(clip_grad_norm, [ps], [1])
            """,
            """
            from torch.nn.utils import (
                clip_grad_norm_,  # explodes without
                parameters_to_vector,
            )
            def step(ps):
                clip_grad_norm_(ps, 5)
                return map(clip_grad_norm_, [ps], [1])
            """,
        ),
        "import inside a function": (
            """
            import torch
            def step(ps):
                from torch.nn.utils.clip_grad import clip_grad_norm
                clip_grad_norm(ps, 5)
            def other(clip_grad_norm):
                clip_grad_norm(1)
            """,
            """
            import torch
            def step(ps):
                from torch.nn.utils.clip_grad import clip_grad_norm_
                clip_grad_norm_(ps, 5)
            def other(clip_grad_norm):
                clip_grad_norm(1)
            """,
        ),
        "alias: only the import": (
            """
            from torch.nn.utils import clip_grad_norm as clip
            clip(ps, 5)
            """,
            """
            from torch.nn.utils import clip_grad_norm_ as clip
            clip(ps, 5)
            """,
        ),
        "alias that is the new name": (
            """
            from torch.nn.utils import clip_grad_norm as clip_grad_norm_
            clip_grad_norm_(ps, 5)
            """,
            """
            from torch.nn.utils import clip_grad_norm_
            clip_grad_norm_(ps, 5)
            """,
        ),
        "alias in a variable": (
            """
            import torch.nn as nn
            clip = nn.utils.clip_grad_norm
            clip(ps, 5)
            """,
            """
            import torch.nn as nn
            clip = nn.utils.clip_grad_norm_
            clip(ps, 5)
            """,
        ),
        "module alias": (
            """
            import torch.nn.utils.clip_grad as c
            c.clip_grad_norm(ps, 5)
            """,
            """
            import torch.nn.utils.clip_grad as c
            c.clip_grad_norm_(ps, 5)
            """,
        ),
        "star import": (
            """
            from torch.nn.utils import *
            clip_grad_norm(ps, 5)
            """,
            """
            from torch.nn.utils import *
            clip_grad_norm_(ps, 5)
            """,
        ),
        "mock.patch": (
            """
            import torch
            from unittest import mock
            @mock.patch("torch.nn.utils.clip_grad_norm")
            def test_step(clip):
                pass
            """,
            """
            import torch
            from unittest import mock
            @mock.patch("torch.nn.utils.clip_grad_norm_")
            def test_step(clip):
                pass
            """,
        ),
        "inside another finding's call": (
            """
            import torch
            from torch.nn.utils import clip_grad_norm
            print(f"{clip_grad_norm(ps, 5):.2f} {torch.nn.utils.clip_grad_norm(ps, 5)}")
            """,
            """
            import torch
            from torch.nn.utils import clip_grad_norm_
            print(f"{clip_grad_norm_(ps, 5):.2f} {torch.nn.utils.clip_grad_norm_(ps, 5)}")
            """,
        ),
        "shares its line with another import": (
            """
            import torch; import torch.nn as nn
            nn.utils.clip_grad_norm(ps, 5); print(ps)
            """,
            """
            import torch; import torch.nn as nn
            nn.utils.clip_grad_norm_(ps, 5); print(ps)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP605",
    {
        "already modern": """
            from torch.nn.utils import clip_grad_norm_
            clip_grad_norm_(ps, 5)
            """,
        "user function of the same name": """
            import torch
            def clip_grad_norm(ps, limit):
                return ps
            clip_grad_norm(ps, 5)
            """,
        "another library's": """
            import torch
            from apex.utils import clip_grad_norm
            clip_grad_norm(ps, 5)
            """,
        "method of the user's own": """
            import torch
            optimizer.clip_grad_norm(5)
            """,
        "shadowed module": """
            import torch.nn as nn
            def f(nn):
                nn.utils.clip_grad_norm(ps, 5)
            """,
        "new name taken by something else": """
            from torch.nn.utils import clip_grad_norm
            def clip_grad_norm_(ps):
                return clip_grad_norm(ps, 5)
            """,
        "new name taken where it is used": """
            from torch.nn.utils import clip_grad_norm
            def step(ps, clip_grad_norm_):
                clip_grad_norm(ps, 5)
            """,
        "new name taken elsewhere in a class": """
            from torch.nn.utils import clip_grad_norm
            class Trainer:
                clip_grad_norm_ = 5
                clip_grad_norm(ps, 1)
            """,
        "rebound": """
            from torch.nn.utils import clip_grad_norm
            if fast:
                clip_grad_norm = fast_clip
            clip_grad_norm(ps, 5)
            """,
        "both names handled by try": """
            import torch
            try:
                from torch.nn.utils import clip_grad_norm_ as clip
            except ImportError:
                from torch.nn.utils import clip_grad_norm as clip
            clip(ps, 5)
            """,
        "both names handled by try, same local name": """
            import torch
            try:
                from torch.nn.utils import clip_grad_norm_
            except ImportError:
                from torch.nn.utils import clip_grad_norm
                clip_grad_norm_ = clip_grad_norm
            """,
        "call under try": """
            import torch.nn as nn
            try:
                nn.utils.clip_grad_norm_(ps, 5)
            except AttributeError:
                nn.utils.clip_grad_norm(ps, 5)
            """,
        "call under a bare except": """
            import torch.nn as nn
            try:
                nn.utils.clip_grad_norm_(ps, 5)
            except:
                nn.utils.clip_grad_norm(ps, 5)
            """,
        "test of the version": """
            import torch
            from torch import nn
            if torch.__version__ < "0.4":
                nn.utils.clip_grad_norm(ps, 5)
            else:
                clip(ps)
            """,
        "test of what torch has": """
            import torch.nn as nn
            clip = nn.utils.clip_grad_norm_ if NEW else nn.utils.clip_grad_norm
            if hasattr(nn.utils, "clip_grad_norm_"):
                nn.utils.clip_grad_norm_(ps, 5)
            else:
                nn.utils.clip_grad_norm(ps, 5)
            """,
        "monkey-patched": """
            import torch.nn as nn
            nn.utils.clip_grad_norm = mine
            nn.utils.clip_grad_norm(ps, 5)
            """,
        "monkey-patched by name": """
            import torch.nn as nn
            monkeypatch.setattr(nn.utils, "clip_grad_norm", mine)
            nn.utils.clip_grad_norm(ps, 5)
            """,
        "test of the version, asked before": """
            import torch
            version = tuple(map(int, torch.__version__.split(".")[:2]))
            if version < (0, 4):
                torch.nn.utils.clip_grad_norm(ps, 5)
            """,
        "exported": """
            from torch.nn.utils import clip_grad_norm
            __all__ = ["clip_grad_norm"]
            clip_grad_norm(ps, 5)
            """,
        "re-exported": """
            from torch.nn.utils import clip_grad_norm
            """,
        "global": """
            import torch
            def load():
                global clip_grad_norm
                from torch.nn.utils import clip_grad_norm
            def step(ps):
                clip_grad_norm(ps, 5)
            """,
        "nonlocal": """
            def trainer():
                from torch.nn.utils import clip_grad_norm
                def step(ps):
                    nonlocal clip_grad_norm
                    clip_grad_norm(ps, 5)
                return step
            """,
        "one use suppressed keeps the import and all uses": """
            from torch.nn.utils import clip_grad_norm
            clip_grad_norm(ps, 1)
            clip_grad_norm(ps, 2)  # noqa: TP605
            """,
        "import suppressed": """
            from torch.nn.utils import clip_grad_norm  # noqa
            clip_grad_norm(ps, 1)
            """,
        "import that shares its line": """
            import torch; from torch.nn.utils import clip_grad_norm
            clip_grad_norm(ps, 1)
            """,
        "string that is no patch": """
            import torch
            print("torch.nn.utils.clip_grad_norm")
            """,
    },
)


def test_hasattr_of_something_else_is_no_guard() -> None:
    text = textwrap.dedent(
        """
        import torch.nn as nn
        for m in model.modules():
            if hasattr(m, "weight") and model_version == 2:
                nn.utils.clip_grad_norm(m.parameters(), 1)
        try:
            nn.utils.clip_grad_norm(ps, 1)
        except Exception:
            raise
        """
    )
    assert migrate(text, "TP605").text == text.replace("norm(", "norm_(")


def test_a_patched_name_keeps_its_quotes() -> None:
    text = "import torch\nx = 'a' + 'b'\nmock.patch(\"torch.nn.utils.clip_grad_norm\")\n"
    assert migrate(text, "TP605").text == text.replace("norm", "norm_")


def test_windows_line_ends_and_tabs_stay() -> None:
    text = (
        "from torch.nn.utils import clip_grad_norm\r\n"
        "def f(ps):\r\n\tclip_grad_norm(ps, 5) # bounded\r\n"
    )
    assert migrate(text, "TP605").text == text.replace("norm", "norm_")


IMPORTED = """\
from torch.nn.utils import clip_grad_norm
clip_grad_norm(ps, 5)
"""


def test_a_name_that_another_file_may_take_from_here_stays() -> None:
    options = Options(used_elsewhere=lambda name: name == "clip_grad_norm")
    assert migrate(IMPORTED, "TP605", options=options).text == IMPORTED
    inside = "def f(ps):\n" + textwrap.indent(IMPORTED, "    ")
    assert migrate(inside, "TP605", options=options).text == inside.replace("norm", "norm_")


def test_where_the_new_name_is_imported_already_the_old_import_goes_with_its_last_use() -> None:
    text = IMPORTED.replace("norm\n", "norm, clip_grad_norm_\n")
    script = Options(imported_elsewhere=lambda: False)
    modern = IMPORTED.replace("norm", "norm_")
    assert migrate(text, "TP605", options=script).text == modern
    partly = text + "clip_grad_norm(ps, 1)  # noqa\n"
    assert migrate(partly, "TP605", options=script).text == partly.replace(
        "norm(ps, 5", "norm_(ps, 5"
    )
