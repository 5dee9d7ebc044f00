"""Where the line of the device goes if what it depends on stands above ``import torch``."""

from __future__ import annotations

from tests.support.rules import rewrites

test_rewrites = rewrites(
    "TP201",
    {
        "the GPU is chosen above the imports": (
            """
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"

            import torch
            from torch import nn

            net = nn.Linear(3, 3)
            net.cuda()
            """,
            """
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"

            import torch
            from torch import nn

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            net = nn.Linear(3, 3)
            net.to(device)
            """,
        ),
        "so does a flag": (
            """
            use_cuda = True

            import torch
            import time

            x = torch.ones(2)
            if use_cuda:
                x = x.cuda()
                time.sleep(1)
            """,
            """
            use_cuda = True

            import torch
            import time

            device = torch.device("cuda" if use_cuda else "cpu")

            x = torch.ones(2)
            if use_cuda:
                x = x.to(device)
                time.sleep(1)
            """,
        ),
        "torch between two choices": (
            """
            import torch
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            import time
            x = torch.ones(2).cuda()
            """,
            """
            import torch
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            import time
            x = torch.ones(2, device=device)
            """,
        ),
        "torch itself is imported last": (
            """
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            import torch.nn as nn
            import time
            import torch
            time.sleep(1)
            x = torch.ones(2).cuda()
            """,
            """
            import os
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            import torch.nn as nn
            import time
            import torch

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            time.sleep(1)
            x = torch.ones(2, device=device)
            """,
        ),
    },
)
