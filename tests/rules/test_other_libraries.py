from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

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
        "what scipy had of numpy": (
            """
            import numpy as np
            import scipy as sp
            import scipy
            from scipy import array, inf, randn
            a = array([1.0, inf]) + sp.zeros(2) * scipy.pi
            b = scipy.log(a) + sp.sqrt(a) + randn(2) + sp.rand(2)
            """,
            """
            import numpy as np
            a = np.array([1.0, np.inf]) + np.zeros(2) * np.pi
            b = np.emath.log(a) + np.emath.sqrt(a) + np.random.randn(2) + np.random.rand(2)
            """,
        ),
        "letters of Python 2, and the rank of an array": (
            """
            import string
            import numpy as np
            all_letters = string.letters + " .,;'"
            small = [c for c in string.lowercase if c not in string.uppercase]
            dimensions = np.rank(small)
            """,
            """
            import string
            import numpy as np
            all_letters = string.ascii_letters + " .,;'"
            small = [c for c in string.ascii_lowercase if c not in string.ascii_uppercase]
            dimensions = np.ndim(small)
            """,
        ),
        "a mode of files that Python 3 never minded": (
            """
            import codecs
            import io
            a = open("a.txt", "rU").readlines()
            with io.open("a.txt", 'rU', encoding="utf-8") as f:
                b = f.read()
            c = codecs.open("a.txt", "U", "utf-8"), open("a.txt", mode="rbU")
            """,
            """
            import codecs
            import io
            a = open("a.txt", "r").readlines()
            with io.open("a.txt", 'r', encoding="utf-8") as f:
                b = f.read()
            c = codecs.open("a.txt", "r", "utf-8"), open("a.txt", mode="rb")
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
            b = np.pad(a, 1) + numpy.pad(a, 1)
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
            import collections.abc
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
            import collections.abc
            import sys

            def f(x):
                return isinstance(x, collections.abc.Mapping)
            """,
        ),
        "a module beside which its package is read": (
            """
            import os
            import collections
            import sys

            def f(x):
                return isinstance(x, collections.Mapping), collections.deque
            """,
            """
            import os
            import collections
            import collections.abc
            import sys

            def f(x):
                return isinstance(x, collections.abc.Mapping), collections.deque
            """,
        ),
        "a module on the line of others, with a remark": (
            """
            import os, collections, sys  # of Python

            def f(x):
                return isinstance(x, (collections.Mapping, collections.Set)), os, sys
            """,
            """
            import os, collections.abc, sys  # of Python

            def f(x):
                return isinstance(x, (collections.abc.Mapping, collections.abc.Set)), os, sys
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
        "a module that torch imports for itself": (
            """
            import collections
            import torch.nn as nn
            def f(x):
                return isinstance(x, collections.Mapping)
            """,
            """
            import collections.abc
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
        "files that are opened otherwise": """
            def load(path, mode):
                a = open(path), open(path, "r"), open(path, mode), archive.open(path, "rU")
                return a, open("rU"), open(path, "rU+"), open(*path, "rU")
            """,
        "a function of the file's own": """
            def open(path, mode):
                return mode
            a = open(path, "rU")
            """,
        "modern": """
            import numpy as np
            import collections.abc
            a = np.zeros(3, dtype=np.int64)
            b = isinstance(a, collections.abc.Iterable)
            c = collections.OrderedDict()
            """,
        "what scipy has of its own": """
            import scipy
            import scipy as sp
            from scipy import fft, sparse, stats
            a = sp.sparse.diags(fft.fft(x)) + scipy.linalg.inv(x) + stats.norm.mean()
            b = sp.stats.norm.std() + sp.ndimage.mean(x)
            """,
        "a module of the project that is called scipy": """
            from .scipy import array, inf
            from project.scipy import log
            a = array([inf]) + log(x)
            """,
        "letters of today": """
            import string
            from .string import letters
            a = string.ascii_letters + string.printable + letters
            """,
        "an attribute of another string": """
            def f(string, sp):
                return string.letters, sp.array
            """,
        "what is tried": """
            try:
                from scipy import inf
            except ImportError:
                from numpy import inf
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
        x = imresize(imread(y), 2)
        """,
    )
    assert [f.line for f in found] == [3, 3, 4]
    assert "imageio" in found[0].message and "BILINEAR" in found[1].message
    assert "since Python 3.8" in found[2].message


_CALLED = "import numpy as np\nimport scipy.misc\nx = {}\n"
_RESIZED = "np.array(PIL.Image.fromarray(img).resize((w, h), PIL.Image.{}))"


_SHARE = (
    "np.array(PIL.Image.fromarray(img).resize((int(img.shape[1] * {0}), int(img.shape[0] * {0}))"
)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("imresize(img, [h, w])", _RESIZED.format("BILINEAR")),
        ("imresize(arr=img, size=(h, w), interp='nearest')", _RESIZED.format("NEAREST")),
        (
            "imresize(img, (h, w), 'nearest', mode='F')",
            "np.array(PIL.Image.fromarray(np.asarray(img, np.float32)).resize((w, h), PIL.Image.NEA",
        ),
        ("imresize(img, (h, w), mode='RGB')", _RESIZED.format("BILINEAR")),
        ("imresize(img, 0.5, interp='cubic')", _SHARE.format("0.5") + ", PIL.Image.BICUBIC))"),
        ("imresize(img, 50)", _SHARE.format("(50 / 100)") + ", PIL.Image.BILINEAR))"),
        ("imresize(img, (h, w, 3))", ".resize((w, h), PIL.Image.BILINEAR)) does the same"),
        ("imresize(img, 1 / n)", "int(img.shape[1] * (1 / n)), int(img.shape[0] * (1 / n))"),
        ("imresize(img, info[:3] / info[2])", "that size is for a pair, which imresize took as"),
        ("imresize(img, info[1:2] / info[2])", "that size is for a pair, which imresize took as"),
        (
            "imresize(img, info[:2] / info[2])",
            ".resize([int(side) for side in reversed(info[:2] / info[2])], PIL.Image.BILINEAR)) does",
        ),
        ("imresize(img, 2 * x.shape[0:2])", "for side in reversed(2 * x.shape[0:2])], PIL"),
        ("imresize(img, size)", ".resize((size[1], size[0]), PIL.Image.BILINEAR)) does the same"),
        (
            "imresize(img, size)",
            "; that size is for a pair, which imresize took as (height, width)",
        ),
        ("imresize(img, [h, *w])", ".resize((([h, *w])[1], ([h, *w])[0]), PIL.Image.BILINEAR))"),
        # One product is rounded, another is not: 49 * (1 / 49) is less than 1.
        (
            "imresize(img, 1.0 / n)",
            "(int(img.shape[1] * (1.0 / n)), int(img.shape[0] * (1.0 / n)))",
        ),
        (
            "toimage(img, mode='F')",
            "PIL.Image.fromarray(np.asarray(img, np.float32)) does the same",
        ),
        (
            "toimage(img)",
            "PIL.Image.fromarray(img) does the same for uint8 with channels last; oth",
        ),
        ("toimage(img, cmin=-1, cmax=a + b)", "(img - (-1)) * (255 / ((a + b) - (-1)))"),
        (
            "toimage(img, cmin=0.0, cmax=top)",
            "fromarray(np.uint8(np.clip((img - 0.0) * (255 / (top - 0.0)), 0, 255) + 0.5)) does the"
            " same for floats where channels, if any, are last",
        ),
        (
            "toimage(img, high=255 * top, channel_axis=0)",
            "(float(255 * top) / (np.ptp(img) or 1)) + 0.5).transpose(1, 2, 0))",
        ),
        (
            "imsave('a.png', img)",
            ": PIL.Image.fromarray(img).save('a.png') does the same for uint8; other types were stre",
        ),
        (f"imsave({'directory + ' * 5}name, img)", "fromarray(img).save(...) does"),
        ("imsave(buffer, img, format='png')", "fromarray(img).save(buffer, 'png') does"),
        ("fromimage(img.open(p), True)", "np.array(img.open(p).convert('F')) does the same"),
        ("fromimage(img, mode='L')", "np.array(img.convert('L')) does the same"),
        ("fromimage(img)", "np.array(img) does the same unless the image's mode is 'P' or '1'"),
        ("imfilter(img, 'blur')", "np.array(PIL.Image.fromarray(a).filter(...)) does the same"),
        (
            "imrotate(img, 30)",
            "fromarray(img).rotate(30, PIL.Image.BILINEAR)) does",
        ),
        ("imshow(img)", "PIL.Image.fromarray(img).show() does"),
    ],
)
def test_a_call_is_said_with_its_arguments(call: str, said: str) -> None:
    (found,) = advice("TP907", _CALLED.format(f"scipy.misc.{call}"))
    assert said in found.message
    assert "low to high" not in found.message and "..., (height" not in found.message


_BYTES = "img = (load() * 255).astype(np.uint8)\n"


@pytest.mark.parametrize("made", [_BYTES, _BYTES.replace("np.uint8", "'uint8'")])
@pytest.mark.parametrize(
    ("call", "end"),
    [
        ("imsave('a.png', img)", "PIL.Image.fromarray(img).save('a.png') does the same"),
        (
            "imsave('a.png', np.asarray(img, dtype=np.uint8))",
            "dtype=np.uint8)).save('a.png') does the same",
        ),
        ("imsave('a.png', np.uint8(img))", "fromarray(np.uint8(img)).save('a.png') does the same"),
        ("toimage(img, mode='L')", "PIL.Image.fromarray(img) does the same"),
        (
            "toimage(img)",
            " does the same where channels, if any, are last; np.transpose(img, (1, 2, 0)) moves them there from the front",
        ),
        ("imresize(img, (h, w), mode='L')", _RESIZED.format("BILINEAR") + " does the same"),
        (
            "imresize(img, size)",
            "; that size is for a pair, which imresize took as (height, width)",
        ),
    ],
)
def test_bytes_were_not_stretched(made: str, call: str, end: str) -> None:
    head, line = _CALLED.format(f"scipy.misc.{call}").rstrip().rsplit("\n", 1)
    (found,) = advice("TP907", f"{head}\n{made}{line}\n")
    assert found.message.endswith(end)


_READ = "scipy.misc.imread(path, mode='RGB')"


@pytest.mark.parametrize(
    ("read", "is_known"),
    [
        (_READ, True),
        (_READ.replace("RGB", "L"), True),
        (_READ.replace("mode=", "False, "), True),
        (_READ.replace("RGB", "F"), False),
        (_READ.replace("mode=", "True, "), False),
        ("scipy.misc.imread(path)", False),
        ("scipy.misc.imread(path, mode=mode)", False),
        (f"{_READ} / 2", False),
        (f"{_READ} if h else load()", False),
    ],
)
@pytest.mark.parametrize("call", ["imresize(img, (h, w))", "toimage(img)", "imsave(path, img)"])
def test_an_image_that_was_read_has_its_channels_last(read: str, is_known: bool, call: str) -> None:
    text = f"import scipy.misc\nimg = {read}\nscipy.misc.{call}\n"
    *_, found = advice("TP907", text)
    assert found.message.endswith(" does the same") is is_known


_STRETCHED = "np.uint8((img - img.min()) * (255 / (np.ptp(img) or 1)) + 0.5)"


@pytest.mark.parametrize(
    "made",
    [
        "img = img.astype(np.float32)\n",
        "img = img.astype(float)\n",
        "img = np.zeros((h, w, 3))\nimg[0] = other\n",
        f"{_BYTES}img = img / 2.0\n",
        "img = img - 0.5\nif h:\n    img = np.float64(img)\n",
    ],
)
@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("imsave(path, img)", f"PIL.Image.fromarray({_STRETCHED}).save(path) does the same"),
        ("toimage(img)", f"PIL.Image.fromarray({_STRETCHED}) does the same"),
        ("imresize(img, (h, w))", _RESIZED.format("BILINEAR").replace("(img)", f"({_STRETCHED})")),
    ],
)
def test_floats_were_stretched(made: str, call: str, said: str) -> None:
    text = f"import numpy as np\nimport scipy.misc\nimg = load()\n{made}scipy.misc.{call}\n"
    (found,) = advice("TP907", text)
    assert said in found.message
    is_clear = call.startswith("imsave") or "(h, w, 3)" in made
    moved = "" if is_clear else "; np.transpose(img, (1, 2, 0)) moves them there from the front"
    last = " where channels, if any, are last" if moved else ""
    assert found.message.endswith(f"does the same for floats{last}{moved}")

    # What is no name is written once.
    text = f"{text.rpartition('scipy')[0]}scipy.misc.{call.replace('img', 'img / 2.0')}\n"
    (found,) = advice("TP907", text)
    assert said.replace("img", "arr") in found.message
    end = f"{last}, with arr = img / 2.0{moved.replace('img', 'arr')}"
    assert found.message.endswith(f"does the same for floats{end}")


def test_what_is_written_for_floats_is_what_scipy_did() -> None:
    """``scipy.misc.bytescale`` of SciPy 1.2, with its defaults."""

    def bytescale(data: np.ndarray) -> np.ndarray:
        cmin, cmax = data.min(), data.max()
        scale = float(255) / ((cmax - cmin) or 1)
        return (((data - cmin) * scale).clip(0, 255) + 0.5).astype(np.uint8)

    rng = np.random.default_rng(0)
    for img in (rng.normal(size=(5, 7, 3)), rng.random((4, 4)).astype("float32"), np.ones((2, 2))):
        assert (eval(_STRETCHED, {"np": np, "img": img}) == bytescale(img)).all()


@pytest.mark.parametrize(
    "made",
    [
        "img = np.array(img)\n",
        "img = np.array(img, **how)\n",
        "img = np.zeros((h, w), **how)\n",
        "img = other\n",
        "if h:\n    img = img.astype(np.uint8)\n",
        "if h:\n    img = img / 2.0\n",
        f"{_BYTES}img = img / 2\n",
    ],
)
def test_of_what_may_be_bytes_both_ways_are_told(made: str) -> None:
    text = f"import numpy as np\nimport scipy.misc\nimg = load()\n{made}"
    for call in ("imsave(path, img)", "toimage(img)", "imresize(img, (h, w))"):
        (found,) = advice("TP907", f"{text}scipy.misc.{call}\n")
        is_clear = call.startswith("imsave") or "np.zeros((h, w))" in made
        last = "" if is_clear else " with channels last"
        end = f"for uint8{last}; other types were stretched to 0 to 255, as by {_STRETCHED}"
        assert found.message.endswith(end)
        assert "fromarray(img)" in found.message and "write " not in found.message


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            "imresize(*img)",
            "to 0 to 255; imresize took (height, width), a fraction or a percentage",
        ),
        (
            "imresize(img, [h, w], **how)",
            "1.3: np.array(PIL.Image.fromarray(a).resize((width, height), ...)) does the same",
        ),
        (
            "imresize(img, [h, w], interp=how)",
            "1.3: np.array(PIL.Image.fromarray(a).resize((width, height), ...)) does the same",
        ),
        (
            "imresize(img, [h, w], mode=how)",
            "1.3: np.array(PIL.Image.fromarray(a).resize((width, height), ...)) does the same",
        ),
        ("toimage(img, high=9)", "(or low to high)"),
        ("toimage(img, mode='P')", "(or low to high)"),
        ("imrotate(*img)", "1.3: np.array(PIL.Image.fromarray(a).rotate(angle, ...)) does the"),
        ("imsave('a.png', *img)", "PIL.Image.fromarray(a).save(name) does"),
        ("fromimage(img, True, 'L')", "np.array(image.convert(mode)) where a mode is given, which"),
        (
            "bytescale",
            "it gave np.uint8((a - a.min()) * (255 / (np.ptp(a) or 1)) + 0.5) of numbers",
        ),
    ],
)
def test_other_calls_are_said_in_general(call: str, said: str) -> None:
    (found,) = advice("TP907", _CALLED.format(f"scipy.misc.{call}"))
    assert said in found.message


_COMPARED = "from skimage import measure\nx = measure.{}\n"
_ASKED = ", which asks for data_range of floats, where compare_ssim took 2"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("compare_ssim(a, b)", f"structural_similarity(a, b){_ASKED}"),
        ("compare_ssim(a, b, data_range=1.0)", "structural_similarity(a, b, data_range=1.0)"),
        (
            "compare_ssim(X=a, Y=b, multichannel=True, full=True, data_range=r)",
            "structural_similarity(a, b, data_range=r, ..., channel_axis=-1)",
        ),
        (
            "compare_ssim(a, b, multichannel=True)",
            f"structural_similarity(a, b, channel_axis=-1){_ASKED}",
        ),
        ("compare_ssim(*pair)", f"structural_similarity(im1, im2){_ASKED}"),
        ("compare_psnr(a, b)", "peak_signal_noise_ratio(a, b)"),
        ("compare_psnr(a, b, 255)", "peak_signal_noise_ratio(a, b, data_range=255)"),
        ("compare_mse(a, b)", "mean_squared_error(a, b)"),
        ("compare_nrmse(a, b)", "normalized_root_mse(a, b)"),
        ("compare_nrmse(a, b, 'Euclidean')", "where 'Euclidean' is 'euclidean'"),
    ],
)
def test_a_comparison_is_said_with_its_arguments(call: str, said: str) -> None:
    (found,) = advice("TP907", _COMPARED.format(call))
    assert found.message.endswith(said)


def test_bytes_have_a_range_of_their_own() -> None:
    made = "from skimage import measure\nimport numpy as np\na = np.zeros(n, dtype=np.uint8)\n"
    (found,) = advice("TP907", f"{made}measure.compare_ssim(a, b)\n")
    assert found.message.endswith("structural_similarity(a, b)")


@pytest.mark.parametrize(
    ("imported", "said"),
    [
        ("from scipy.misc import imfilter", "scipy.misc.imfilter is gone"),
        ("from scipy.misc import imread", "scipy.misc.imread is gone"),
    ],
)
def test_one_import_is_told_once(imported: str, said: str) -> None:
    (finding,) = advice(
        "TP907", f"import torch\n{imported}\n__all__ = ['imread', 'imrotate', 'imfilter']\n"
    )
    assert finding.message.startswith(f"{said} since SciPy 1.3: ")


@pytest.mark.parametrize(
    ("imported", "end"),
    [
        ("from sklearn.cross_validation import train_test_split", "n.train_test_split"),
        ("from sklearn.cross_validation import cross_val_score", "takes its place"),
        ("from sklearn.cross_validation import KFold", "pairs of indices by split(X, y)"),
        (
            "from sklearn.cross_validation import StratifiedKFold as KFold",
            "place; its StratifiedKFold takes n_splits, and gives the pairs of indices by split(X, y)",
        ),
        ("from sklearn.cross_validation import LeaveOneOut as KFold", "takes its place"),
    ],
)
def test_what_came_for_cross_validation(imported: str, end: str) -> None:
    name = imported.rpartition(" ")[2]
    (found,) = advice("TP907", f"import torch\n{imported}\n{name}(x, y)\n")
    assert found.message.endswith(end)
    assert "sklearn.model_selection" in found.message


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
        (
            ["imread(a, mode='RGB')"],
            "line 3: np.array(PIL.Image.open(a).convert('RGB')) does the same",
        ),
        (["imread(a, mode='RGB')", "imread(b, 0, 'RGB')"], "where a mode is given"),
        (
            ["imread(a, False, 'L')", "imread(b, mode='L')"],
            "for imread(name, mode='L'), np.array(PIL.Image.open(name).convert('L')) does the same",
        ),
        (
            ["imread(a, mode='L')", "imread(a, mode='F')"],
            "for imread(a, mode=mode), np.array(PIL.Image.open(a).convert(mode)) does",
        ),
        (["imread(a, flatten=True)"], "np.array(PIL.Image.open(a).convert('F')) does the same"),
        (
            ["imread(a, True)", "imread(b)"],
            "where a mode is given, 'F' for flatten=True",
        ),
        (["imread(*a)"], "where a mode is given, 'F' for flatten=True"),
        (["b = map(imread, a)"], "where a mode is given, 'F' for flatten=True"),
    ],
)
@pytest.mark.parametrize("module", ["misc", "ndimage"])
def test_an_import_says_what_its_calls_ask_for(calls: list[str], told: str, module: str) -> None:
    text = f"import torch\nfrom scipy.{module} import imread\n" + "\n".join(calls) + "\n"
    (found,) = advice("TP907", text)
    assert found.line == 2
    assert told in found.message


@pytest.mark.parametrize(
    ("given", "is_told"), [("path", True), ("path, mode='L'", False), ("path, True", False)]
)
def test_images_of_one_bit_are_told_where_imageio_reads_them(given: str, is_told: bool) -> None:
    (found,) = advice(
        "TP907", f"import torch\nfrom scipy.misc import imread\nx = imread({given})\n"
    )
    assert found.message.endswith("but gives bool for images of one bit") is is_told


def test_the_first_call_tells_of_those_that_ask_the_same() -> None:
    text = (
        "import torch\nimport scipy.misc as m\na = m.imread(p + '.png')\nb = m.imread(q)\n"
        "c = m.imresize(a, (4, 3))\nd = m.imresize(b, (6, 8))\n"
    )
    read, resized = (f.message for f in advice("TP907", text))
    assert "1.3, here and in line 4: for imread(name), imageio.v2.imread(name) takes" in read
    assert "1.3, here and in line 6: " in resized and "imresize(arr, size)" in resized
    assert "fromarray(arr).resize((size[1], size[0]), PIL.Image.BILINEAR)" in resized
    unlike = advice("TP907", text + "e = m.imread(q, mode='L')\n")
    assert [f.line for f in unlike] == [3, 4, 5, 7]
    assert "imread(q) takes its place" in unlike[1].message


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("(h, w)", "size[::-1]"),
        ("[h, w]", "(size[1], size[0])"),
        ("(h, w) if x else (w, h)", "size[::-1]"),
        ("(h, w, 3)", "(size[1], size[0])"),
        ("0.5 if x else (h, w)", "(size[1], size[0])"),
        ("read()", "(size[1], size[0])"),
    ],
)
def test_a_size_of_two_is_turned_round_by_its_name(size: str, said: str) -> None:
    text = f"import torch\nimport scipy.misc\ndef f(x, h, w):\n    size = {size}\n"
    (found,) = advice("TP907", f"{text}    return scipy.misc.imresize(x, size)\n")
    assert f".resize({said}, PIL.Image.BILINEAR)" in found.message
    assert ("a pair, which imresize took" in found.message) is (size[0] in "0r")


@pytest.mark.parametrize(
    ("above", "size", "is_known"),
    [
        ("x = np.zeros(size + (3,))", "size", True),
        ("x = np.zeros((9, config.SIZE[0], config.SIZE[1]))", "config.SIZE", True),
        ("x = size + 3", "size", False),
        ("x = size + h", "size", False),
        ("x = config.SIZES[0]", "config.SIZE", False),
        ("x = config.SIZE[0]; config.SIZE = h", "config.SIZE", False),
        ("x = config.SIZE[0]; config = h", "config.SIZE", False),
        ("if h: x = config.SIZE[0]", "config.SIZE", False),
        ("x = config.SIZE.value[0]", "config.SIZE", False),
    ],
)
def test_what_was_a_sequence_above_is_no_number(above: str, size: str, is_known: bool) -> None:
    text = "import numpy as np\nimport scipy.misc\nimport torch\ndef f(x, h, size, config):\n"
    (found,) = advice("TP907", f"{text}    {above}\n    return scipy.misc.imresize(x, {size})\n")
    assert ("a pair, which imresize took" in found.message) is not is_known


def test_an_import_tells_of_its_calls() -> None:
    text = (
        "import torch\nfrom scipy.misc import imresize\nimresize(a, (h, w))\nimresize(a, (w, h))\n"
    )
    (found,) = advice("TP907", text)
    assert (
        ": for imresize(a, size), np.array(PIL.Image.fromarray(a).resize((size[1]," in found.message
    )


def test_calls_that_ask_for_unlike_things_tell_of_themselves() -> None:
    text = "import torch\nfrom scipy.misc import imresize\nimresize(a, (h, w))\n"
    found = advice("TP907", text + "imresize(b, (h, w), interp='nearest')\n")
    assert [f.line for f in found] == [3, 4]
    assert "BILINEAR" in found[0].message and "NEAREST" in found[1].message
    assert all("since SciPy 1.3" in f.message for f in found)
    # What fits no sentence is told in general, once.
    (one,) = advice("TP907", text + "imresize(b, (h, w), interp=how)\n")
    assert one.line == 2 and "resize((width, height), ...)" in one.message


def test_calls_of_what_is_tried_say_nothing() -> None:
    text = (
        "import torch\ntry:\n    from scipy.misc import imresize\nexcept ImportError:\n"
        "    imresize = None\nimresize(a, (h, w))\nimresize(b, (h, w), interp='nearest')\n"
    )
    assert not advice("TP907", text)


def test_an_import_says_of_sizes_what_its_calls_give() -> None:
    text = "import torch\nfrom scipy.misc import imresize\nimresize(a, (h, w))\n"
    (found,) = advice("TP907", text)
    assert "PIL.Image.fromarray(a).resize((w, h), PIL.Image.BILINEAR)" in found.message
    (found,) = advice("TP907", text + "imresize(a, (h, 3))\n")
    assert "PIL.Image.fromarray(a).resize((size[1], size[0]), PIL" in found.message


_TIMER = """import os, platform, sys, time as t
{test}
    timer = t.clock
"""
_ON_WINDOWS = ["sys.platform == 'win32'", "os.name == 'nt'", "platform.system() == 'Windows'"]
_NOT_THERE = ["sys.platform.startswith('linux')", "platform.system() == 'Darwin'"]


@pytest.mark.parametrize("asked", [*_ON_WINDOWS, "sys.platform.startswith('win')"])
def test_a_clock_of_windows_alone_is_one_function(asked: str) -> None:
    (found,) = advice("TP907", _TIMER.format(test=f"if {asked}:"))
    assert found.message.endswith(": write t.perf_counter")
    (found,) = advice("TP907", _TIMER.format(test=f"if {asked}: pass\nelse:"))
    assert found.message.endswith(": write t.process_time")


@pytest.mark.parametrize("asked", _NOT_THERE)
def test_a_clock_of_other_systems_is_another_function(asked: str) -> None:
    (found,) = advice("TP907", _TIMER.format(test=f"if {asked}:"))
    assert found.message.endswith(": write t.process_time")


@pytest.mark.parametrize(
    "test",
    [
        "if sys.version == 'win32':",
        "if sys.platform != other:",
        "if os.path.startswith('win'):",
        "if sys.platform == 'linux': pass\nelse:",
        "def f():",
    ],
)
def test_a_clock_of_any_system_has_both_functions(test: str) -> None:
    (found,) = advice("TP907", _TIMER.format(test=test))
    assert "t.process_time() counts the same seconds on Linux and macOS, t.perf_" in found.message


_TABLE = """import torch
import pandas as pd
class Faces(torch.utils.data.Dataset):
    def __init__(self, path, other):
        self.table, self.other, self.ix = pd.read_csv(path), other, {{}}
    def __getitem__(self, i):
        table = pd.DataFrame(self.other)
        table = table[table.x > 3].dropna()
        return {}
"""


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("self.table.as_matrix()", "self.table.values"),
        (
            "self.table.ix[i, 1:].as_matrix().astype('float')",
            "self.table.ix[i, 1:].values.astype('float')",
        ),
        ("(table.as_matrix())[0]", "(table.values)[0]"),
        ("pd.read_csv(i, header=None).as_matrix()", "pd.read_csv(i, header=None).values"),
    ],
)
def test_the_array_of_a_table_is_its_values(body: str, written: str) -> None:
    after = migrate(_TABLE.format(body), "TP907").text
    assert after == _TABLE.format(written)
    assert migrate(after, "TP907").text == after


@pytest.mark.parametrize(
    "body",
    [
        "table.ix[i]",
        "table.ix[0]",
        "table.ix[1:, 'a']",
        "table.ix[i, 'a']",
        "table.ix[table.x.idxmin(), 0]",
        "table.ix[table.x.min()]",
        "self.table.ix[table, 0]",
        "self.table.ix[i, table]",
        "self.table.ix[:3, 0]",
        "self.table.ix[table.x > 3, 0]",
        "self.table.set_index('a', inplace=True), self.table.ix[i, 0]",
        "pd.read_csv(i, index_col=0).ix[0]",
        "pd.read_csv(i).dropna().ix[0]",
        "pd.read_csv(i, header=None).ix[0, 1:3]",
        "table.groupby('a').sum().ix[i, 0]",
        "table.groupby('a').sum().ix[:3]",
        "table.groupby('a', as_index=False).sum().ix[i]",
        "table.groupby(['a', 'b']).sum().ix[i]",
        "table.groupby(i).sum().ix[i]",
        "table.groupby('a').head().ix[i]",
    ],
)
def test_places_of_a_table_are_reported(body: str) -> None:
    (finding,) = advice("TP907", _TABLE.format(body))
    assert finding.message == (
        "pandas.DataFrame.ix is gone since pandas 1.0: write .iloc for positions, .loc for labels"
    )


@pytest.mark.parametrize(
    ("body", "way"),
    [
        ("self.table.ix[i, 0]", "iloc"),
        ("self.table.ix[i, 1:]", "iloc"),
        ("self.table.ix[i, 1:3]", "iloc"),
        ("self.table.ix[i, :]", "iloc"),
        ("self.table.ix[i]", "iloc"),
        ("pd.read_csv(i, header=None).ix[0, 1:]", "iloc"),
        ("self.table.ix[i, 'a']", "loc"),
        ("self.table.ix[i, ['a', 'b']]", "loc"),
        ("table.ix[table.x.idxmin()]", "loc"),
        ("table.ix[table.x.idxmax(), 'a']", "loc"),
        ("table.ix['a']", "loc"),
        ("table.ix[table.x > 3]", "loc"),
        ("table.ix[table.x > 3, 'a']", "loc"),
    ],
)
def test_places_of_a_table_are_positions_or_labels(body: str, way: str) -> None:
    (finding,) = advice("TP907", _TABLE.format(body))
    assert finding.message.endswith(f"write .{way} instead")


@pytest.mark.parametrize("body", ["table.groupby('fold').sum().ix[i]", "rows.ix[i]"])
def test_a_row_of_groups_is_named_by_what_they_have_in_common(body: str) -> None:
    text = _TABLE.format(body)
    text = text.replace(
        "        return", "        rows = table.groupby('fold').sum()\n        return"
    )
    (finding,) = advice("TP907", text)
    assert finding.message.endswith(
        "write .loc for a value of 'fold', by which the rows are grouped"
    )


@pytest.mark.parametrize(
    ("columns", "written"),
    [
        ("columns=names", "[names].values"),
        ("names", "[names].values"),
        ("columns=['a', 'b']", "['a', 'b']].values"),
        ("columns=None", ".values, of the columns that are meant"),
        ("columns=i", ".values, of the columns that are meant"),
        ("*names", ".values, of the columns that are meant"),
        ("columns=self.names", ".values, of the columns that are meant"),
    ],
)
def test_the_columns_of_an_array_are_those_that_are_given(columns: str, written: str) -> None:
    text = _TABLE.format(f"table.as_matrix({columns})")
    text = text.replace("        return", "        names = self.other()\n        return")
    (finding,) = advice("TP907", text)
    assert finding.message.endswith(written)


@pytest.mark.parametrize("otherwise", ["table.x.min()", "table.x.idxmax()"])
def test_a_row_comes_from_all_that_its_name_is(otherwise: str) -> None:
    text = _TABLE.format("table.ix[row]").replace(
        "        return",
        "        row = table.x.idxmin()\n"
        f"        if self.other:\n            row = {otherwise}\n        return",
    )
    (finding,) = advice("TP907", text)
    assert ("positions" in finding.message) is (otherwise == "table.x.min()")


def test_what_no_loader_asks_may_be_asked_for_several_rows() -> None:
    text = _TABLE.format("self.table.ix[i, 0]").replace("(torch.utils.data.Dataset)", "")
    (finding,) = advice("TP907", text)
    assert finding.message.endswith("write .iloc for positions, .loc for labels")
    counted = "    def __len__(self):\n        return len(self.table)\n"
    (finding,) = advice("TP907", text + counted)
    assert finding.message.endswith("write .iloc instead")


@pytest.mark.parametrize(
    "body",
    [
        "self.ix[i]",
        "self.other.ix[i]",
        "self.other.as_matrix()",
        "i.ix, i.as_matrix()",
        "self.table.iloc[i], self.table.values",
        "len(self.table).ix",
        "[self.table][0].x, torch.ones(3).ix",
    ],
)
def test_what_pandas_did_not_make_stays(body: str) -> None:
    text = _TABLE.format(body)
    migration = migrate(text, "TP907")
    assert migration.text == text and not migration.findings


def test_a_table_that_chooses_by_itself_stays() -> None:
    body = "None\n        try:\n            return table.loc[i]\n        except AttributeError:\n            return table.ix[i]"
    assert not advice("TP907", _TABLE.format(body))


def test_a_line_that_only_names_what_is_gone_is_to_be_dropped() -> None:
    (found,) = advice("TP907", "import scipy.misc\nscipy.misc.imsave\n")
    assert found.message.endswith(": drop the line, which only names it")
    (found,) = advice("TP907", "import scipy.misc\nsave = scipy.misc.imsave\n")
    assert "drop the line" not in found.message


@pytest.mark.parametrize(
    ("path", "is_told"),
    [
        ("'a.jpg'", False),
        ("join('faces', n + '.jpg')", False),
        ("'%s.JPEG' % n", False),
        ("'{}.jpg'.format(n)", False),
        ("f'{n}.jpg'", False),
        ("f'{n}.jpg' if n else 'b.jpeg'", False),
        ("n", True),
        ("'a.png'", True),
        ("'.jpg' + n", True),
        ("f'.jpg{n}'", True),
        ("join(n, '.jpg', n)", True),
        ("n.replace('.png', '.jpg')", True),
        ("'a.jpg' if n else n", True),
        ("'a.jpg' * n", True),
    ],
)
def test_jpeg_has_no_images_of_one_bit(path: str, is_told: bool) -> None:
    text = "from os.path import join\nfrom scipy.misc import imread\ndef read(n):\n"
    (found,) = advice("TP907", f"{text}    path = {path}\n    return imread(path)\n")
    end = "imageio.v2.imread(path) takes its place"
    assert found.message.endswith(
        f"{end}, but gives bool for images of one bit" if is_told else end
    )


@pytest.mark.parametrize(
    ("names", "is_told"),
    [
        ("glob.glob(join(folder, '*.jpg'))", False),
        ("sorted(glob.glob(join(folder, '*.jpg'))[:-1])", False),
        ("paths", False),
        ("sorted(glob.glob(join(folder, '*')))[1:]", True),
        ("glob.glob(join(folder, '*.png'))", True),
        ("glob.glob(pattern)", True),
        ("sorted(folder)[:3]", True),
    ],
)
def test_what_is_found_ends_as_the_pattern_does(names: str, is_told: bool) -> None:
    text = "import glob\nfrom os.path import join\nfrom scipy.misc import imread\n"
    text += "def read(folder, pattern):\n    paths = sorted(glob.glob(join(folder, '*.jpg')))\n"
    walked = f"    for path in {names}:\n        yield imread(path)\n"
    (found,) = advice("TP907", text + walked)
    assert ("images of one bit" in found.message) is is_told
    (found,) = advice("TP907", f"{text}    paths.extend(pattern)\n{walked}")
    assert ("images of one bit" in found.message) is (is_told or "paths" in names)


_PICTURES = """
import os
from scipy.misc import imread
def means(root, n):
    for name in os.listdir(root):
        for i in range(n):
            x = imread(root + "/" + name + "/%d.png" % i)
            print(x.mean())
    {loop}
        for i in range(n):
            {line}
            print(x[:, :, 0])
"""


@pytest.mark.parametrize(
    ("loop", "line", "is_told"),
    [
        ("for name in os.listdir(root):", 'x = imread(root + "/" + name + "/%d.png" % i)', False),
        ("for name in os.listdir(root):", 'x = imread(root + "/" + name + "/%d.jpg" % i)', True),
        ("for name in others(root):", 'x = imread(root + "/" + name + "/%d.png" % i)', True),
        (
            "for name in os.listdir(root):",
            'if i: x = imread(root + "/" + name + "/%d.png" % i)',
            True,
        ),
        ("root = n\n    if n:", 'x = imread(root + "/" + name + "/%d.png" % i)', True),
    ],
)
def test_what_reads_the_same_files_shows_their_channels(
    loop: str, line: str, is_told: bool
) -> None:
    found, *_ = advice("TP907", _PICTURES.format(loop=loop, line=line))
    assert ("images of one bit" in found.message) is is_told


@pytest.mark.parametrize(
    ("uses", "is_told"),
    [
        (
            "h, w = x.shape[:2]\n    return [x[r, c, :] for r in range(h) for c in range(w) if r]",
            False,
        ),
        ("return x[:, :, 0] + x[:, :, 1]", False),
        ("return x[:, :, ::-1]", False),
        ("return x", True),
        ("return x[0], x[:, :, 0]", False),
        ("assert len(x.shape) == 3\n    return x", False),
        ("assert x.ndim == 3\n    return x", False),
        ("h, w, c = x.shape\n    return x", False),
        ("return x, x.shape[2]", False),
        ("return x.transpose((2, 0, 1))", False),
        ("return np.transpose(x, (2, 0, 1))", False),
        ("y = x.transpose(2, 0, 1)\n    return x", False),
        ("assert len(x.shape) == 2\n    return x", True),
        ("assert x.ndim >= 2\n    return x", True),
        ("h, w, *c = x.shape\n    return x", True),
        ("h, w = x.shape[:2]\n    return x", True),
        ("return x.transpose(1, 0)", True),
        ("return np.transpose(x)", True),
        ("if n:\n        x.shape[2]\n    return x", True),
        ("if n:\n        assert x.ndim == 3\n    return x", True),
        ("if x.ndim == 2:\n        return x\n    return x.transpose(2, 0, 1)", True),
        ("if n:\n        x = n\n    return x.transpose(2, 0, 1)", True),
        ("if len(x.shape) == 2:\n        x = np.dstack([x] * 3)\n    return x[:, :, ::-1]", True),
        ("return x[:, :, 0] if x.ndim == 3 else 0", True),
        ("return x[:, :, 0] if len(x.shape) == 3 else 0", True),
        ("return x[:, :, 0] if n else x", True),
        ("return x[:, :, None]", True),
        ("return x[..., 0, 0]", True),
        ("return x[:, :, np.newaxis]", True),
        ("return x.shape[0]", True),
        ("pass", True),
    ],
)
def test_what_is_taken_by_channel_is_of_more_than_one_bit(uses: str, is_told: bool) -> None:
    text = "import numpy as np\nfrom scipy.misc import imread\ndef read(path, n):\n"
    (found,) = advice("TP907", f"{text}    x = imread(path)\n    {uses}\n")
    assert ("images of one bit" in found.message) is is_told


def test_what_holds_for_several_lines_of_a_table_is_told_once() -> None:
    text = "import pandas as pd\ntable = pd.read_csv(path)\nfor i in range(len(table)):\n"
    text += "    name, rest = table.ix[i, 0], 1\n    rest = table.ix[i, 1:]\n"
    found = advice("TP907", f"{text}    last = table.ix[unknown, 'a']\n")
    assert [f.line for f in found] == [4, 6]
    assert found[0].message.endswith(": write .iloc instead, here and in line 5")
    assert ".loc for labels" in found[1].message


_LOADED = (
    "import importlib.util instead of imp, which raises; spec = "
    "importlib.util.spec_from_file_location({}) and module = importlib.util.module_from_spec(spec) "
    "make the module, and spec.loader.exec_module(module) runs it"
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "import imp\nconfig = imp.load_source('', path).config\n",
            ": " + _LOADED.format("'', path"),
        ),
        (
            "from imp import load_source\na = load_source('a', p)\nb = load_source('b', q)\n",
            ", used in lines 2 and 3: for load_source(name, pathname), "
            + _LOADED.format("name, pathname"),
        ),
    ],
)
def test_a_module_of_a_path_is_loaded_with_what_the_call_is_given(text: str, says: str) -> None:
    told = [found.message for found in advice("TP907", text)]
    assert told == [f"imp.load_source is gone since Python 3.12{says}"]


test_what_importlib_loads_stays = keeps(
    "TP907",
    {
        "a path": (
            "import importlib.util\nspec = importlib.util.spec_from_file_location('', path)\n"
            "module = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(module)\n"
        ),
    },
)


_CANVAS = """\
import numpy as np
import scipy.misc
img = scipy.misc.imread(path, mode="RGB")
canvas = np.zeros(sizes)
{put}
scipy.misc.imresize(canvas, (h, w))
"""


@pytest.mark.parametrize(
    ("put", "is_known"),
    [
        ("canvas[y:y + a, x:x + b] = img[:a, :b]", True),
        ("canvas[y:y + a, x:x + b] = load()", False),
        ("canvas[:3, x:x + b] = img", False),
        ("canvas[y:y + a, x:x + b] = img.transpose(2, 0, 1)", False),
        ("canvas[y] = img", False),
    ],
)
def test_what_a_picture_is_put_into_has_its_axes(put: str, is_known: bool) -> None:
    *_, found = advice("TP907", _CANVAS.format(put=put))
    assert found.message.endswith(" for floats") is is_known
    assert ("np.transpose" in found.message) is not is_known


@pytest.mark.parametrize(
    ("name", "is_known"), [("n + '.jpg'", True), ("n + '.png'", False), ("n", False)]
)
def test_what_pillow_opens_of_jpeg_is_of_bytes(name: str, is_known: bool) -> None:
    text = (
        "import numpy as np\nimport scipy.misc\nfrom PIL import Image\n"
        f"img = np.asarray(Image.open({name}))\nscipy.misc.imresize(img, (h, w))\n"
    )
    (found,) = advice("TP907", text)
    assert found.message.endswith(" does the same") is is_known


_FRAMES = {
    "features.py": "import pandas as pd\n"
    "def features(base):\n"
    "    more = pd.DataFrame([1])\n"
    "    rows = base[['a', 'b']]\n"
    "    return rows.merge(more, on='a')\n",
    "main.py": "import torch\nimport pandas as pd\nimport features\n"
    "def predict(base):\n"
    "    table = features.features(base)\n"
    "    return table['a'].as_matrix()\n"
    "def run(path):\n"
    "    return predict(pd.read_csv(path))\n",
}


def _array_of_frame(folder: Path, changed: dict[str, tuple[str, str]]) -> str:
    """The second file of a project in which a table comes through functions of the first."""
    for name, text in _FRAMES.items():
        old, new = changed.get(name, ("", ""))
        assert old in text
        (folder / name).write_text(text.replace(old, new) if old else text)
    (folder / "setup.py").touch()
    return migrate_file(folder / "main.py", Settings(select=("TP907",)), write=False).after or ""


def test_a_table_that_another_file_makes_of_one_that_is_handed_in(tmp_path: Path) -> None:
    assert "    return table['a'].values\n" in _array_of_frame(tmp_path, {})


@pytest.mark.parametrize(
    "changed",
    [
        {"main.py": ("pd.read_csv(path)", "path")},
        {"main.py": ("predict(pd", "predict(path), predict(pd")},
        {
            "features.py": (
                "    return",
                "    if foreign(base):\n        return foreign(base)\n    return",
            )
        },
        {"features.py": ("rows.merge", "foreign.merge")},
    ],
)
def test_what_may_be_no_table_keeps_its_method(
    changed: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    assert ".values" not in _array_of_frame(tmp_path, changed)


def test_a_file_that_does_without_torch_is_opened_by_a_mode_of_today(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text("import torch\nimport read\n")
    (tmp_path / "read.py").write_text("rows = open('a.txt', 'rU').readlines()\n")
    result = migrate_file(tmp_path / "read.py", Settings(select=("TP907",)), write=False)
    assert result.after == "rows = open('a.txt', 'r').readlines()\n"
