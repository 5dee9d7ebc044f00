from __future__ import annotations

from tests.support.rules import keeps, rewrites

test_rewrites = rewrites(
    "TP202",
    {
        "on one line": (
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(x):
                # move
                if use_cuda: x = x.to(device)  # input
                return x
            """,
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(x):
                # move
                x = x.to(device)  # input
                return x
            """,
        ),
        "several moves": (
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(x, y):
                # move
                if use_cuda:
                    x = x.to(device)  # input
                    y = y.to(device)
                return x, y
            """,
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(x, y):
                # move
                x = x.to(device)  # input
                y = y.to(device)
                return x, y
            """,
        ),
        "the tensor at hand is the flag": (
            """
            import torch
            def f(x, y):
                if x.is_cuda:
                    y = y.to(x.device)
                return x.unsqueeze(0) + y
            """,
            """
            import torch
            def f(x, y):
                y = y.to(x.device)
                return x.unsqueeze(0) + y
            """,
        ),
        "a flag of what has a size": (
            """
            import torch
            def f(x, y):
                if len(y) > 2:
                    print(x.size())
                if x.is_cuda:
                    y = y.to(x.device)
                return y
            def g(options, y):
                if options.is_cuda:
                    y = y.to(options.device)
                return y
            """,
            """
            import torch
            def f(x, y):
                if len(y) > 2:
                    print(x.size())
                y = y.to(x.device)
                return y
            def g(options, y):
                if options.is_cuda:
                    y = y.to(options.device)
                return y
            """,
        ),
        "the flag by another name": (
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            def f(x):
                return x.to(device) if use_cuda else x
            """,
            """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            def f(x):
                return x.to(device)
            """,
        ),
        "else without the move": (
            """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            if torch.cuda.is_available():
                x = f(1).to(device)
            else:
                x = f(1)
            """,
            """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            x = f(1).to(device)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP202",
    {
        "another flag": """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            def f(x, use_cuda):
                if use_cuda:
                    x = x.to(device)
                return x
            """,
        "more than moves": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            if use_cuda:
                torch.cuda.manual_seed(1)
                x = x.to(device)
            """,
        "a flag that changes": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            use_cuda = False
            if use_cuda:
                x = x.to(device)
            """,
        "a flag that the command line sets later": """
            import torch
            class Config:
                gpu = True
            opt = Config()
            device = torch.device("cuda" if opt.gpu else "cpu")
            def train(net, **given):
                for key, value in given.items():
                    setattr(opt, key, value)
                if opt.gpu:
                    net.to(device)
            """,
        "a new name": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            if use_cuda:
                y = x.to(device)
            """,
        "a statement whose result is lost may be a module's move or nothing": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            def f(x):
                if use_cuda:
                    x.to(device)
            """,
        "else that does something else": """
            import torch
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            if torch.cuda.is_available():
                x = f(1).to(device)
            else:
                x = f(2)
            """,
        "comment on the line of the guard": """
            import torch
            use_cuda = torch.cuda.is_available()
            device = torch.device("cuda" if use_cuda else "cpu")
            if use_cuda:  # only there
                x = x.to(device)
            """,
    },
)
