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
