from __future__ import annotations

from tests.support.rules import keeps, rewrites

_FORMS = {
    "x[[i, j]]": "x[i, j]",
    "x[[i, 0]]": "x[i, 0]",
    "x[[slice(0, 1), slice(1, 2)]]": "x[slice(0, 1), slice(1, 2)]",
    "x[[[0, 1], [1, 2]]]": "x[[0, 1], [1, 2]]",
    "x[[0, None]]": "x[0, None]",
    "x[[..., 0]]": "x[..., 0]",
    "x[[i]]": "x[i]",
    "x[[[0, 1]]]": "x[[0, 1]]",
    "(x + 1)[[i, j]].sum()": "(x + 1)[i, j].sum()",
}

test_rewrites_forms = rewrites(
    "TP416",
    {
        before: (
            f"import torch\nx, i, j = torch.ones(3, 4), torch.tensor([1]), torch.tensor([2])\n"
            f"y = {before}\n",
            f"import torch\nx, i, j = torch.ones(3, 4), torch.tensor([1]), torch.tensor([2])\n"
            f"y = {after}\n",
        )
        for before, after in _FORMS.items()
    },
)

test_rewrites = rewrites(
    "TP416",
    {
        "a list of slices": (
            """
            import torch
            def flip(dim):
                x = torch.ones(2, 3)
                index = [slice(None)] * x.dim()
                index[dim] = torch.arange(x.size(dim) - 1, -1, -1)
                return x[index]
            """,
            """
            import torch
            def flip(dim):
                x = torch.ones(2, 3)
                index = [slice(None)] * x.dim()
                index[dim] = torch.arange(x.size(dim) - 1, -1, -1)
                return x[tuple(index)]
            """,
        ),
        "what is assigned": (
            """
            import torch
            x = torch.ones(3, 4)
            x[[torch.tensor([0]), torch.tensor([1])]] = 0
            """,
            """
            import torch
            x = torch.ones(3, 4)
            x[torch.tensor([0]), torch.tensor([1])] = 0
            """,
        ),
        "both sides": (
            """
            import torch
            x, y = torch.ones(3, 4), torch.zeros(3, 4)
            index = [slice(0, 2), slice(1, 3)]
            x[index] = y[index]
            """,
            """
            import torch
            x, y = torch.ones(3, 4), torch.zeros(3, 4)
            index = [slice(0, 2), slice(1, 3)]
            x[tuple(index)] = y[tuple(index)]
            """,
        ),
        "over lines": (
            """
            import torch
            x, i = torch.ones(3, 4), torch.tensor([1])
            y = x[[
                i,  # rows
                i,
            ]]
            """,
            """
            import torch
            x, i = torch.ones(3, 4), torch.tensor([1])
            y = x[
                i,  # rows
                i,
            ]
            """,
        ),
        "slices of an array": (
            """
            import numpy as np
            import torch
            a = np.ones((2, 3))[[slice(0, 1), slice(0, 2)]]
            b = np.ones((2, 3))[[slice(0, 1)] * 2]
            index = [slice(None)] * 2
            c = a[index]
            """,
            """
            import numpy as np
            import torch
            a = np.ones((2, 3))[slice(0, 1), slice(0, 2)]
            b = np.ones((2, 3))[tuple([slice(0, 1)] * 2)]
            index = [slice(None)] * 2
            c = a[tuple(index)]
            """,
        ),
    },
)

test_keeps = keeps(
    "TP416",
    {
        "one index": """
            import torch
            x = torch.ones(3, 4)
            a = x[[0, 2]]
            b = x[[True, False, True]]
            c = x[[n, m]]
            d = x[[]]
            """,
        "modern": """
            import torch
            x, i = torch.ones(3, 4), torch.tensor([1])
            a = x[i, i]
            b = x[(i, i)]
            c = x[tuple([slice(None), i])]
            """,
        "what may be no tensor": """
            import numpy as np
            import torch
            def f(x, i):
                return x[[i, torch.tensor([1])]]
            a = np.ones((2, 3))[[np.array([0, 1]), np.array([0, 2])]]
            b = f(1)[[slice(0, 1), slice(0, 2)]]
            table = frame[["a", "b"]]
            """,
        "a list that loses its slices": """
            import torch
            def f(dim, n):
                x = torch.ones(3)
                index = [slice(None)] * x.dim()
                index[dim] = n
                return x[index]
            """,
        "a list that goes elsewhere": """
            import torch
            def f(dim, n):
                x = torch.ones(3)
                index = [slice(None)] * x.dim()
                fill(index)
                return x[index]
            """,
        "a list from elsewhere": """
            import torch
            def f(index):
                x = torch.ones(3)
                return x[index]
            """,
        "a tuple of the file's own": """
            import torch
            def f(tuple):
                x = torch.ones(3)
                index = [slice(None)]
                return x[index]
            """,
        "many indices": f"""
            import torch
            x = torch.ones(3)
            a = x[[None, {"0, " * 31}]]
            """,
        "elements that are unpacked": """
            import torch
            x = torch.ones(3)
            a = x[[*index, slice(None)]]
            """,
    },
)
