from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

test_rewrites = rewrites(
    "TP907",
    {
        "types of numpy": (
            """
            import numpy as np
            a = np.zeros(3, dtype=np.int)
            b = a.astype(np.float).astype(np.bool)
            c = np.float(a[0]) + np.NINF * np.Inf
            """,
            """
            import numpy as np
            a = np.zeros(3, dtype=int)
            b = a.astype(float).astype(bool)
            c = float(a[0]) + -np.inf * np.inf
            """,
        ),
        "the name of the file's own that holds it stays": (
            """
            import numpy as np
            from numpy import Inf
            whole = np.long
            def f(x):
                kind = np.float
                return x.astype(kind), x.astype(whole), Inf
            """,
            """
            import numpy as np
            whole = int
            def f(x):
                kind = float
                return x.astype(kind), x.astype(whole), np.inf
            """,
        ),
        "what numpy.lib gave to numpy": (
            """
            import numpy as np
            import numpy.lib
            from numpy.lib import pad
            a = np.lib.pad(x, ((0, 0), (top, 0)), mode='constant', constant_values=0)
            b = pad(a, 1) + numpy.lib.pad(a, 1)
            """,
            """
            import numpy as np
            import numpy.lib
            a = np.pad(x, ((0, 0), (top, 0)), mode='constant', constant_values=0)
            b = np.pad(a, 1) + np.pad(a, 1)
            """,
        ),
        "a sign in front of a power": (
            """
            import numpy
            a = numpy.NINF ** 2
            """,
            """
            import numpy
            a = (-numpy.inf) ** 2
            """,
        ),
        "classes of collections": (
            """
            import collections
            import torch
            from collections import Iterable, OrderedDict

            def f(x):
                if isinstance(x, (collections.Mapping, Iterable)):
                    return OrderedDict(x)
            """,
            """
            import collections
            import torch
            from collections import OrderedDict
            from collections.abc import Iterable

            def f(x):
                if isinstance(x, (collections.abc.Mapping, Iterable)):
                    return OrderedDict(x)
            """,
        ),
        "a module that the import of its package does not promise": (
            """
            import os
            import collections
            import sys

            def f(x):
                return isinstance(x, collections.Mapping)
            """,
            """
            import os
            import collections
            import collections.abc
            import sys

            def f(x):
                return isinstance(x, collections.abc.Mapping)
            """,
        ),
        "a module that is imported below what comes from it": (
            """
            from collections import defaultdict
            import collections
            def f(x):
                return isinstance(x, collections.Mapping), defaultdict
            """,
            """
            from collections import defaultdict
            import collections
            import collections.abc
            def f(x):
                return isinstance(x, collections.abc.Mapping), defaultdict
            """,
        ),
        "a module that is imported by another name": (
            """
            import collections as c
            def f(x):
                return c.OrderedDict(x) if isinstance(x, c.Mapping) else x
            """,
            """
            import collections as c
            import collections.abc
            def f(x):
                return c.OrderedDict(x) if isinstance(x, c.abc.Mapping) else x
            """,
        ),
        "a module that is there": (
            """
            import collections.abc
            def f(x):
                return isinstance(x, collections.Mapping)
            """,
            """
            import collections.abc
            def f(x):
                return isinstance(x, collections.abc.Mapping)
            """,
        ),
        "a module that another import loads": (
            """
            import collections
            from collections.abc import Iterable
            def f(x):
                return isinstance(x, (collections.OrderedDict, collections.Set, Iterable))
            """,
            """
            import collections
            from collections.abc import Iterable
            def f(x):
                return isinstance(x, (collections.OrderedDict, collections.abc.Set, Iterable))
            """,
        ),
        "a module that the import of torch loads": (
            """
            import collections
            import torch.nn as nn
            def f(x):
                return isinstance(x, collections.Mapping)
            """,
            """
            import collections
            import torch.nn as nn
            def f(x):
                return isinstance(x, collections.abc.Mapping)
            """,
        ),
        "an import of such a class": (
            """
            import torch
            # What can be gone through.
            from collections import Iterable as It, Sequence  # see below
            class A(Sequence):
                it = It
            """,
            """
            import torch
            # What can be gone through.
            from collections.abc import Iterable as It, Sequence  # see below
            class A(Sequence):
                it = It
            """,
        ),
        "images that nothing reads": (
            """
            import torch
            from scipy.misc import imsave, imread
            from time import clock, sleep
            sleep(1)
            """,
            """
            import torch
            from time import sleep
            sleep(1)
            """,
        ),
        "filters of images": (
            """
            import torch
            from PIL import Image
            small = image.resize((8, 8), Image.ANTIALIAS)
            """,
            """
            import torch
            from PIL import Image
            small = image.resize((8, 8), Image.LANCZOS)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP907",
    {
        "what numpy.lib still has": """
            import numpy as np
            from project import lib
            a = np.lib.stride_tricks.as_strided(np.pad(x, 1), (2, 2)) + lib.pad(x, 1)
            """,
        "modern": """
            import numpy as np
            import collections.abc
            a = np.zeros(3, dtype=np.int64)
            b = isinstance(a, collections.abc.Iterable)
            c = collections.OrderedDict()
            """,
        "what numpy brought back": """
            import numpy as np
            a = np.bool(x)
            b = isinstance(x, (int, np.bool))
            """,
        "a name that is taken": """
            import numpy as np
            def f(x, int):
                return x.astype(np.int)
            """,
        "a choice": """
            import torch
            try:
                from collections.abc import Iterable
            except ImportError:
                from collections import Iterable
            x = isinstance(y, Iterable)
            """,
        "a choice that is made by the version": """
            import sys, torch
            if sys.version_info[0] > 2:
                from collections.abc import Iterable
            else:
                from collections import Iterable
            x = isinstance(y, Iterable)
            """,
        "the same name of another module": """
            import torch
            from .collections import Iterable
            from mine.collections import Sequence
            x = isinstance(y, (Iterable, Sequence))
            """,
        "an attribute of something else": """
            import torch
            a = self.np.int
            b = clock.clock()
            """,
    },
)


def test_says_what_to_use_instead() -> None:
    found = advice(
        "TP907",
        """
        import time
        import numpy as np
        from scipy.misc import imread, imresize
        start = time.clock()
        x = np.asscalar(imresize(imread(y), 2))
        """,
    )
    assert [f.line for f in found] == [3, 3, 4, 5]
    assert "imageio" in found[0].message and "BILINEAR" in found[1].message
    assert "since Python 3.8" in found[2].message


_CALLED = "import numpy as np\nimport scipy.misc\nx = {}\n"
_RESIZED = "np.array(PIL.Image.fromarray(img).resize((w, h), PIL.Image.{}))"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("np.asscalar(noise)", "write noise.item()"),
        ("np.asscalar(x + y)", "write (x + y).item()"),
        ("scipy.misc.imresize(img, [h, w])", _RESIZED.format("BILINEAR")),
        ("scipy.misc.imresize(arr=img, size=(h, w), interp='nearest')", _RESIZED.format("NEAREST")),
        (
            "scipy.misc.imresize(img, (h, w), 'nearest', mode='F')",
            "np.array(PIL.Image.fromarray(np.asarray(img, np.float32)).resize((w, h), PIL.Image.NEA",
        ),
        ("scipy.misc.imresize(img, (h, w), mode='RGB')", _RESIZED.format("BILINEAR")),
        ("scipy.misc.imresize(img, 0.5, interp='cubic')", "resize((width, height), PIL.Image.BICU"),
        ("scipy.misc.imresize(img, size)", "where it took (height, width), a fraction"),
        ("scipy.misc.toimage(img, mode='F')", "PIL.Image.fromarray(np.asarray(img, np.float32))"),
        ("scipy.misc.toimage(img)", "PIL.Image.fromarray(img); what is not uint8 was stretched"),
        ("scipy.misc.toimage(img, cmin=0.0, cmax=top)", "first, from 0.0 and top to 0 and 255"),
        ("scipy.misc.toimage(img)", "(3, height, width) was taken with .transpose(1, 2, 0)"),
        ("scipy.misc.imsave('a.png', img)", "imageio.imwrite('a.png', img)"),
    ],
)
def test_a_call_is_said_with_its_arguments(call: str, said: str) -> None:
    (found,) = advice("TP907", _CALLED.format(call))
    assert said in found.message
    assert "or cmin" not in found.message and "or the filter" not in found.message


def test_nothing_is_said_that_cannot_be_of_this_call() -> None:
    def of(call: str) -> str:
        (found,) = advice("TP907", _CALLED.format(call))
        return found.message

    for name in ("imresize(img, (h, w), mode='F')", "imresize(img, 0.5, mode='F')"):
        assert "stretched" not in of(f"scipy.misc.{name}")
    assert of("scipy.misc.toimage(img, mode='F')").endswith("np.float32))")
    for call in (
        "imresize(img, (h, w), mode='L')",
        "toimage(img, mode='L')",
        "imsave(path, img)",
        "imsave(path, img, 'png')",
    ):
        said = of(f"scipy.misc.{call}")
        assert said.endswith("from its least and largest value to 0 and 255")
    assert "(height, width)," not in of("scipy.misc.imresize(img, [h, w])")
    assert "(height, width)," in of("scipy.misc.imresize(img, [h, *w])")


_BYTES = "img = (img * 255).astype(np.uint8)\n"


@pytest.mark.parametrize("made", [_BYTES, _BYTES.replace("np.uint8", "'uint8'")])
@pytest.mark.parametrize(
    ("call", "end"),
    [
        ("imsave('a.png', img)", "imageio.imwrite('a.png', img)"),
        ("imsave('a.png', np.asarray(img, dtype=np.uint8))", "dtype=np.uint8))"),
        ("toimage(img, mode='L')", "PIL.Image.fromarray(img)"),
        ("toimage(img)", "fromarray(img); (3, height, width) was taken with .transpose(1, 2, 0)"),
        ("imresize(img, (h, w), mode='L')", _RESIZED.format("BILINEAR")),
    ],
)
def test_bytes_were_not_stretched(made: str, call: str, end: str) -> None:
    head, line = _CALLED.format(f"scipy.misc.{call}").rstrip().rsplit("\n", 1)
    (found,) = advice("TP907", f"{head}\n{made}{line}\n")
    assert found.message.endswith(end)


@pytest.mark.parametrize(
    "made",
    [
        "img = img.astype(np.float32)\n",
        "img = np.array(img)\n",
        "img = np.array(img, **how)\n",
        "img = other\n",
        "if h:\n    img = img.astype(np.uint8)\n",
        f"{_BYTES}img = img / 2\n",
    ],
)
def test_what_may_be_no_bytes_may_have_been_stretched(made: str) -> None:
    text = f"import numpy as np\nimport scipy.misc\nimg = load()\n{made}"
    for call in ("imsave(path, img)", "toimage(img)", "imresize(img, 0.5)"):
        (found,) = advice("TP907", f"{text}scipy.misc.{call}\n")
        assert "what is not uint8 was stretched" in found.message


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("np.asscalar", "write a.item()"),
        ("np.asscalar(*x)", "write a.item()"),
        ("scipy.misc.imresize(*img)", "or the filter that interp says"),
        ("scipy.misc.imresize(img, [h, w], **how)", "with mode='F' of np.asarray(a, np.float32)"),
        ("scipy.misc.imresize(img, [h, w], interp=how)", "or the filter that interp says"),
        ("scipy.misc.imresize(img, [h, w], mode=how)", "or the filter that interp says"),
        ("scipy.misc.toimage(img, high=9)", "(or low and high)"),
        ("scipy.misc.toimage(img, mode='P')", "(or low and high)"),
        ("scipy.misc.imsave('a.png', img, 'png')", "imageio.imwrite(name, a)"),
    ],
)
def test_other_calls_are_said_in_general(call: str, said: str) -> None:
    (found,) = advice("TP907", _CALLED.format(call))
    assert said in found.message


@pytest.mark.parametrize(
    ("imported", "said"),
    [
        ("from scipy.misc import imrotate, imfilter", "scipy.misc.imrotate, imfilter are gone"),
        ("from scipy.misc import imread", "scipy.misc.imread is gone"),
    ],
)
def test_one_import_is_told_once(imported: str, said: str) -> None:
    (finding,) = advice(
        "TP907", f"import torch\n{imported}\n__all__ = ['imread', 'imrotate', 'imfilter']\n"
    )
    assert finding.message.startswith(f"{said} since SciPy 1.3: ")


def test_pairs_that_scikit_learn_assigned() -> None:
    text = "from sklearn.utils.linear_assignment_ import linear_assignment\nlinear_assignment(x)\n"
    (found,) = advice("TP907", text)
    assert "scipy.optimize.linear_sum_assignment" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "import collections\nprint(isinstance({}, collections.Mapping))\n",
        "import collections as c\nprint(isinstance({}, c.Mapping))\n",
        "def f():\n    import collections\n    print(isinstance({}, collections.Mapping))\nf()\n",
    ],
)
def test_a_module_is_there_in_a_python_that_loaded_nothing(text: str) -> None:
    command = [sys.executable, "-I", "-S", "-c", migrate(text, "TP907").text]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "True\n"


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        (["imread(path)"], "imageio.v2.imread(path) takes its place"),
        (["imread(a)", "imread(b.c)"], "imageio.v2.imread(name) takes its place"),
        (["imread(a, mode='RGB')"], "imageio.v2.imread(a, mode='RGB') takes its place"),
        (["imread(a, mode='RGB')", "imread(b, 0, 'RGB')"], "else with the mode given"),
        (["imread(a, False, 'L')", "imread(b, mode='L')"], "imread(name, mode='L')"),
        (["imread(a, mode='L')", "imread(a, mode='F')"], "imread(a, mode=mode)"),
        (["imread(a, flatten=True)"], "imageio.v2.imread(a, mode='F') takes its place"),
        (
            ["imread(a, True)", "imread(b)"],
            "with mode='F' for flatten=True, else with the mode given",
        ),
        (["imread(*a)"], "with mode='F' for flatten=True, else with the mode given"),
        (["map(imread, a)"], "with mode='F' for flatten=True, else with the mode given"),
    ],
)
@pytest.mark.parametrize("module", ["misc", "ndimage"])
def test_an_import_says_what_its_calls_ask_for(calls: list[str], told: str, module: str) -> None:
    text = f"import torch\nfrom scipy.{module} import imread\n" + "\n".join(calls) + "\n"
    (found,) = advice("TP907", text)
    assert found.line == 2
    assert told in found.message


def test_an_import_says_of_sizes_what_its_calls_give() -> None:
    text = "import torch\nfrom scipy.misc import imresize\nimresize(a, (h, w))\n"
    (found,) = advice("TP907", text)
    assert "PIL.Image.fromarray(a).resize((w, h), PIL.Image.BILINEAR)" in found.message
    (found,) = advice("TP907", text + "imresize(a, (h, 3))\n")
    assert "PIL.Image.fromarray(a).resize((size[1], size[0]), PIL" in found.message
