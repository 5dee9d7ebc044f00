"""Where code chooses between old and new names by itself, and where it only looks so."""

from __future__ import annotations

from tests.support.rules import advice, keeps, rewrites

test_other_libraries = rewrites(
    "TP907",
    {
        "both branches have the old name": (
            """
            import numpy as np

            def size(w, h, n):
                if h > w:
                    return np.int(w * n / h)
                else:
                    return np.int(h * n / w) if n else np.int(0)
            """,
            """
            def size(w, h, n):
                if h > w:
                    return int(w * n / h)
                else:
                    return int(h * n / w) if n else int(0)
            """,
        ),
        "a branch that speaks of Python's own int": (
            """
            import numpy as np

            def size(n):
                if isinstance(n, str):
                    return np.int(n)
                elif isinstance(n, int):
                    return n
            """,
            """
            def size(n):
                if isinstance(n, str):
                    return int(n)
                elif isinstance(n, int):
                    return n
            """,
        ),
        "a handler of whatever goes wrong": (
            """
            import numpy as np

            def read(text):
                try:
                    return np.float(text)
                except Exception as error:
                    print(error)
            """,
            """
            def read(text):
                try:
                    return float(text)
                except Exception as error:
                    print(error)
            """,
        ),
    },
)

test_removed_functions = rewrites(
    "TP903",
    {
        "both branches call the old function": (
            """
            import torch

            def transformed(is_image):
                x = torch.zeros(4, 4)
                if is_image:
                    return torch.rfft(x, 2)
                else:
                    return torch.rfft(x, 1)
            """,
            """
            import torch

            def transformed(is_image):
                x = torch.zeros(4, 4)
                if is_image:
                    return torch.view_as_real(torch.fft.rfft2(x))
                else:
                    return torch.view_as_real(torch.fft.rfft(x))
            """,
        ),
        "methods in both branches": (
            """
            import torch

            def transformed(is_image):
                x = torch.zeros(4, 4)
                return x.rfft(2) if is_image else x.rfft(1)
            """,
            """
            import torch

            def transformed(is_image):
                x = torch.zeros(4, 4)
                return torch.view_as_real(torch.fft.rfft2(x)) if is_image else torch.view_as_real(torch.fft.rfft(x))
            """,
        ),
        "a tensor that both branches assign": (
            """
            import torch

            def transformed(is_large):
                if is_large:
                    x = torch.zeros(8)
                else:
                    x = torch.zeros(4)
                return x.rfft(1)
            """,
            """
            import torch

            def transformed(is_large):
                if is_large:
                    x = torch.zeros(8)
                else:
                    x = torch.zeros(4)
                return torch.view_as_real(torch.fft.rfft(x))
            """,
        ),
        "a handler of whatever goes wrong": (
            """
            import torch

            def values():
                x = torch.eye(3)
                try:
                    return torch.symeig(x, eigenvectors=True)
                except:
                    return None
            """,
            """
            import torch

            def values():
                x = torch.eye(3)
                try:
                    return torch.linalg.eigh(x, UPLO="U")
                except:
                    return None
            """,
        ),
    },
)

test_chosen = keeps(
    "TP903",
    {
        "a branch with the function of today": """
            import torch

            def transformed(is_new):
                x = torch.zeros(4)
                if is_new:
                    return torch.view_as_real(torch.fft.rfft(x))
                else:
                    return torch.rfft(x, 1)
            """,
        "a branch with the function of today beside a method": """
            import torch

            def transformed(is_new):
                x = torch.zeros(4)
                return torch.fft.rfft(x) if is_new else x.rfft(1)
            """,
        "the function of today in a handler of anything": """
            import torch

            def transformed():
                x = torch.zeros(4)
                try:
                    return torch.rfft(x, 1)
                except Exception:
                    return torch.view_as_real(torch.fft.rfft(x))
            """,
        "the old function in a handler of anything": """
            import torch

            def transformed():
                x = torch.zeros(4)
                try:
                    return torch.view_as_real(torch.fft.rfft(x))
                except:
                    return torch.rfft(x, 1)
            """,
        "a handler for what is missing": """
            import torch

            def transformed():
                x = torch.zeros(4)
                try:
                    return torch.rfft(x, 1)
                except AttributeError:
                    return x
            """,
    },
)


test_flags = rewrites(
    "TP901",
    {
        "a flag that only begins with what torch has": (
            """
            import torch
            HAS_CUDA = hasattr(torch, "cuda") and torch.cuda.is_available()
            if HAS_CUDA:
                outer = torch.ger(u, v)
            """,
            """
            import torch
            HAS_CUDA = hasattr(torch, "cuda") and torch.cuda.is_available()
            if HAS_CUDA:
                outer = torch.outer(u, v)
            """,
        ),
    },
)

test_keeps_what_a_flag_chooses = keeps(
    "TP901",
    {
        "a flag of what torch has": """
            import torch
            HAS_OUTER = hasattr(torch, "outer")

            def product(u, v):
                if not HAS_OUTER:
                    return torch.ger(u, v)
                return u[:, None] * v
            """,
    },
)


def test_a_flag_of_what_torch_has_is_a_choice_by_version() -> None:
    code = (
        "import torch\nHAS_NAMES = hasattr(torch.Tensor, 'rename')\n"
        "def named(x: torch.Tensor, *names):\n"
    )
    assert advice("TP903", code + "    return x.rename(*names)\n")
    assert not advice("TP903", code + "    return x.rename(*names) if HAS_NAMES else x\n")


def test_what_only_tensors_without_item_reach_is_a_choice_by_version() -> None:
    code = "import torch\ndef number(x: torch.Tensor):\n    if hasattr(x, '{}'):\n        return x.item()\n"
    assert not advice("TP103", code.format("item") + "    else:\n        return x.data[0]\n")
    assert advice("TP103", code.format("name") + "    else:\n        return x.data[0]\n")


test_of_one_version_by_a_return_above = keeps(
    "TP101",
    {
        "a function says which torch it is": """
            import torch
            from distutils.version import LooseVersion
            from torch.autograd import Variable

            def torch_is():
                return LooseVersion(torch.__version__)

            def wrapped(x):
                if torch_is() >= LooseVersion("0.4"):
                    return x
                return Variable(x)
            """,
        "the version itself": """
            import torch
            from torch.autograd import Variable

            def wrapped(x):
                if torch.__version__ >= "0.4":
                    y = x
                    return y
                else:
                    print("old")
                x = x + 1
                return Variable(x)
            """,
        "a function that says whether it is new": """
            import torch
            from torch.autograd import Variable

            def is_new():
                return torch.__version__ >= "0.4"

            def wrapped(x):
                if not is_new():
                    return Variable(x)
                return x
            """,
    },
)

test_not_of_one_version = rewrites(
    "TP101",
    {
        "a version that has to be there": (
            """
            import torch
            from torch.autograd import Variable

            def wrapped():
                if torch.__version__ < "0.2":
                    raise RuntimeError
                return Variable(torch.ones(2))
            """,
            """
            import torch

            def wrapped():
                if torch.__version__ < "0.2":
                    raise RuntimeError
                return torch.ones(2)
            """,
        ),
        "a version that is printed": (
            """
            import torch
            from torch.autograd import Variable

            def shown(names):
                if names:
                    return torch.__version__
                return Variable(torch.ones(2))
            """,
            """
            import torch

            def shown(names):
                if names:
                    return torch.__version__
                return torch.ones(2)
            """,
        ),
        "a return above in another function": (
            """
            import torch
            from torch.autograd import Variable

            def version():
                if torch.__version__ >= "0.4":
                    return 4
                return 3

            def wrapped():
                return Variable(torch.ones(2))
            """,
            """
            import torch

            def version():
                if torch.__version__ >= "0.4":
                    return 4
                return 3

            def wrapped():
                return torch.ones(2)
            """,
        ),
    },
)

test_what_cannot_run = keeps(
    "TP101",
    {
        "if 0": """
            import torch
            from torch.autograd import Variable

            def wrapped():
                if 0:
                    return Variable(torch.ones(2))
            """,
        "if False, below a return of a constant": """
            import torch
            from torch.autograd import Variable

            def wrapped():
                if True:
                    return None
                return Variable(torch.ones(2))
            """,
    },
)

test_what_may_run = rewrites(
    "TP101",
    {
        "else of if 0": (
            """
            import torch
            from torch.autograd import Variable

            def wrapped(debug):
                if 0:
                    return None
                elif debug:
                    return Variable(torch.ones(2))
            """,
            """
            import torch

            def wrapped(debug):
                if 0:
                    return None
                elif debug:
                    return torch.ones(2)
            """,
        ),
        "while 1": (
            """
            import torch
            from torch.autograd import Variable

            def wrapped():
                while 1:
                    yield Variable(torch.ones(2))
            """,
            """
            import torch

            def wrapped():
                while 1:
                    yield torch.ones(2)
            """,
        ),
    },
)


def test_nothing_is_told_of_what_cannot_run() -> None:
    text = (
        "import torch\n\ndef f(x, y):\n    if {}:\n        x = torch.IntTensor([1]) > 0\n"
        "        return x.numpy() - x.numpy()\n"
    )
    assert advice("TP405", text.format("y"))
    assert advice("TP405", text.format("1"))
    assert not advice("TP405", text.format("0"))
    assert not advice("TP405", text.format("False and y"))


test_branches_by_a_name = rewrites(
    "TP805",
    {
        "a data set": (
            """
            from torchvision import transforms

            def sized(args):
                if args.dataset == "mnist":
                    return transforms.Scale(32)
                elif args.dataset in ("cifar", "stl10"):
                    return transforms.Resize(32)
            """,
            """
            from torchvision import transforms

            def sized(args):
                if args.dataset == "mnist":
                    return transforms.Resize(32)
                elif args.dataset in ("cifar", "stl10"):
                    return transforms.Resize(32)
            """,
        ),
        "the other branch": (
            """
            from torchvision import transforms

            def sized(kind):
                return transforms.Resize(32) if kind != "small" else transforms.Scale(16)
            """,
            """
            from torchvision import transforms

            def sized(kind):
                return transforms.Resize(32) if kind != "small" else transforms.Resize(16)
            """,
        ),
    },
)

test_branches_by_what_may_be_a_version = keeps(
    "TP805",
    {
        "a flag": """
            from torchvision import transforms

            def sized(is_old):
                return transforms.Scale(32) if is_old else transforms.Resize(32)
            """,
        "numbers as text": """
            from torchvision import transforms

            def sized(release):
                if release in ("0.1", "0.2"):
                    return transforms.Scale(32)
                else:
                    return transforms.Resize(32) if release != "v0.3" else transforms.Scale(16)
            """,
        "a name that is not known": """
            from torchvision import transforms

            def sized(given, old):
                return transforms.Scale(32) if given == old else transforms.Resize(32)
            """,
        "a version by a word": """
            import torchvision
            from torchvision import transforms

            def sized():
                if torchvision.__version__ == "old":
                    return transforms.Scale(32)
                else:
                    return transforms.Resize(32)
            """,
    },
)


test_branches_that_speak_of_numpy = rewrites(
    "TP403",
    {
        "what numpy calls so is no newer name of torch's": (
            """
            import numpy as np
            import torch
            def f(n, flag):
                if flag:
                    return torch.FloatTensor([n, 2]), torch.FloatTensor(2, 3).fill_(0)
                else:
                    return np.zeros(2)
            """,
            """
            import numpy as np
            import torch
            def f(n, flag):
                if flag:
                    return torch.tensor([n, 2], dtype=torch.float), torch.zeros(2, 3)
                else:
                    return np.zeros(2)
            """,
        ),
    },
)
test_what_stands_in_for_it = keeps(
    "TP403",
    {
        "torch's own": """
            import torch
            def f(flag):
                return torch.FloatTensor(2, 3).fill_(0) if flag else torch.zeros(2, 3)
            """,
        "a name of the project's": """
            import torch
            from compat import zeros
            def f(flag):
                return torch.FloatTensor(2, 3).fill_(0) if flag else zeros(2, 3)
            """,
        "numpy's, where anything goes wrong": """
            import numpy as np
            import torch
            def f(flag):
                try:
                    return torch.FloatTensor(2, 3).fill_(0)
                except Exception:
                    return torch.from_numpy(np.zeros((2, 3)))
            """,
    },
)

test_halves_of_a_choice_of_the_device = rewrites(
    "TP403",
    {
        "what says that it is made on the GPU": (
            """
            import torch

            def ids_of(words, use_cuda):
                ids = [word.id for word in words]
                return torch.tensor(ids, dtype=torch.long, device="cuda:0") if use_cuda else torch.LongTensor(ids)
            """,
            """
            import torch

            def ids_of(words, use_cuda):
                ids = [word.id for word in words]
                return torch.tensor(ids, dtype=torch.long, device="cuda:0") if use_cuda else torch.tensor(ids, dtype=torch.long)
            """,
        ),
    },
)

test_halves_of_a_choice_of_the_version = keeps(
    "TP403",
    {
        "what says no device, or any": """
            import torch

            def ids_of(words, device, is_new):
                ids = [word.id for word in words]
                if is_new:
                    return torch.tensor(ids, dtype=torch.long, device=device)
                return torch.tensor(ids, dtype=torch.long) if device else torch.LongTensor(ids)
            """,
    },
)
