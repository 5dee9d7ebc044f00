from __future__ import annotations

import pytest
import torch

from tests.support.rules import keeps, rewrites
from torchfix_codemods.rules.devices.renamed_cuda_api import RenamedCudaApi

test_rewrites = rewrites(
    "TP208",
    {
        "attributes": (
            """
            import torch
            torch.cuda.reset_max_memory_cached()
            torch.cuda.reset_max_memory_allocated(0)
            print(torch.cuda.memory_cached(), torch.cuda.max_memory_cached(device=1))
            """,
            """
            import torch
            torch.cuda.reset_peak_memory_stats()
            torch.cuda.reset_peak_memory_stats(0)
            print(torch.cuda.memory_reserved(), torch.cuda.max_memory_reserved(device=1))
            """,
        ),
        "from import": (
            """
            from torch.cuda import memory_allocated, memory_cached
            print(memory_allocated() / memory_cached())
            """,
            """
            from torch.cuda import memory_allocated, memory_reserved
            print(memory_allocated() / memory_reserved())
            """,
        ),
        "alias of the module": (
            """
            import torch.cuda as cuda
            print(cuda.memory_cached())
            """,
            """
            import torch.cuda as cuda
            print(cuda.memory_reserved())
            """,
        ),
    },
)

test_keeps = keeps(
    "TP208",
    {
        "already modern": "import torch\nprint(torch.cuda.memory_reserved())\n",
        "a user's object": "import torch\nprint(profiler.memory_cached())\n",
        "a user's function": """
            import torch
            def memory_cached():
                return 0
            print(memory_cached())
            """,
        "another library": "import torch\nfrom cupy.cuda import memory_cached\nmemory_cached()\n",
        "both names": """
            import torch
            try:
                print(torch.cuda.memory_reserved())
            except AttributeError:
                print(torch.cuda.memory_cached())
            """,
        "a choice by hasattr": """
            import torch
            if hasattr(torch.cuda, "memory_reserved"):
                print(torch.cuda.memory_reserved())
            else:
                print(torch.cuda.memory_cached())
            """,
        "what is not renamed": "import torch\nprint(torch.cuda.max_memory_allocated())\n",
        "suppressed": "import torch\nprint(torch.cuda.memory_cached())  # noqa: TP208\n",
    },
)


@pytest.mark.parametrize("new", sorted(set(RenamedCudaApi.renames.values())))
def test_new_names_exist(new: str) -> None:
    assert hasattr(torch.cuda, new.rpartition(".")[2])
