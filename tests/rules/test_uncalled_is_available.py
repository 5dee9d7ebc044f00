from __future__ import annotations

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options

test_rewrites = rewrites(
    "TP802",
    {
        "pin_memory of a loader": (
            """
            import torch
            from torch.utils.data import DataLoader
            loader = DataLoader(data, batch_size=4, pin_memory=torch.cuda.is_available)
            """,
            """
            import torch
            from torch.utils.data import DataLoader
            loader = DataLoader(data, batch_size=4, pin_memory=torch.cuda.is_available())
            """,
        ),
        "condition": (
            """
            import torch
            if torch.cuda.is_available and not args.cpu:
                net.cuda()
            assert torch.distributed.is_initialized
            names = [n for n in names if torch.backends.mps.is_available]
            """,
            """
            import torch
            if torch.cuda.is_available() and not args.cpu:
                net.cuda()
            assert torch.distributed.is_initialized()
            names = [n for n in names if torch.backends.mps.is_available()]
            """,
        ),
        "choice": (
            """
            from torch import cuda
            device = "cuda" if cuda.is_available else "cpu"
            """,
            """
            from torch import cuda
            device = "cuda" if cuda.is_available() else "cpu"
            """,
        ),
        "not, bool and comparison": (
            """
            from torch.cuda import is_available
            if not is_available or bool(is_available) or is_available == False:
                pass
            """,
            """
            from torch.cuda import is_available
            if not is_available() or bool(is_available()) or is_available() == False:
                pass
            """,
        ),
        "what told of the default type until torch 0.4": (
            """
            import torch
            from torch import Tensor
            class Subsample(object):
                def __init__(self, use_cuda=None):
                    self.use_cuda = torch.Tensor.is_cuda if use_cuda is None else use_cuda
                def log_prob(self):
                    return Tensor.is_cuda and self.use_cuda
            LongTensor = torch.cuda.LongTensor if torch.Tensor.is_cuda else torch.LongTensor
            """,
            """
            import torch
            from torch import Tensor
            class Subsample(object):
                def __init__(self, use_cuda=None):
                    self.use_cuda = torch.Tensor().is_cuda if use_cuda is None else use_cuda
                def log_prob(self):
                    return Tensor().is_cuda and self.use_cuda
            LongTensor = torch.cuda.LongTensor if torch.Tensor().is_cuda else torch.LongTensor
            """,
        ),
        "first of `and` is never the value": (
            """
            import torch
            model = torch.cuda.is_available and build()
            """,
            """
            import torch
            model = torch.cuda.is_available() and build()
            """,
        ),
        "flag that is only asked": (
            """
            import torch
            use_cuda = not args.no_cuda and torch.cuda.is_available
            def train(x):
                if use_cuda:
                    x = x.cuda()
                return x if not use_cuda else x
            """,
            """
            import torch
            use_cuda = not args.no_cuda and torch.cuda.is_available()
            def train(x):
                if use_cuda:
                    x = x.cuda()
                return x if not use_cuda else x
            """,
        ),
        "flag that becomes part of itself": (
            """
            import torch
            cuda = torch.cuda.is_available
            for name in names:
                cuda = ok(name) and cuda
                if cuda:
                    run(name)
            """,
            """
            import torch
            cuda = torch.cuda.is_available()
            for name in names:
                cuda = ok(name) and cuda
                if cuda:
                    run(name)
            """,
        ),
        "over lines": (
            """
            import torch
            if (args.cuda and
                    torch.cuda.is_available):  # GPU
                net.cuda()
            """,
            """
            import torch
            if (args.cuda and
                    torch.cuda.is_available()):  # GPU
                net.cuda()
            """,
        ),
    },
)

test_keeps = keeps(
    "TP802",
    {
        "called": """
            import torch
            device = "cuda" if torch.cuda.is_available() else "cpu"
            """,
        "alias that is called": """
            import torch
            has_cuda = torch.cuda.is_available
            if has_cuda():
                net.cuda()
            """,
        "alias that is asked and called": """
            import torch
            has_cuda = torch.cuda.is_available
            if has_cuda and has_cuda():
                net.cuda()
            """,
        "alias that nothing uses here": """
            import torch
            has_cuda = torch.cuda.is_available
            """,
        "passed on": """
            import torch
            check(torch.cuda.is_available)
            check(condition=torch.cuda.is_available, pin_memory=torch.cuda.is_available)
            """,
        "default that is called later": """
            import torch
            predicate = predicate or torch.cuda.is_available
            print(predicate())
            """,
        "fallback that `or` may give": """
            import torch
            predicate = torch.cuda.is_available or other
            print(predicate())
            """,
        "returned": """
            import torch
            def check():
                return torch.cuda.is_available
            """,
        "flag with another value": """
            import torch
            has_cuda = torch.cuda.is_available
            def use():
                global has_cuda
                has_cuda = other
                return has_cuda()
            """,
        "attribute": """
            import torch
            class Trainer:
                def __init__(self):
                    self.has_cuda = torch.cuda.is_available
            """,
        "compared with something else": """
            import torch
            if torch.cuda.is_available is saved or torch.cuda.is_available is not None:
                pass
            """,
        "replaced": """
            import torch
            torch.cuda.is_available = lambda: False
            """,
        "method of the user": """
            if printer.is_available and self.is_initialized:
                pass
            """,
        "name that is shadowed": """
            from torch.cuda import is_available
            def run(is_available):
                if is_available:
                    pass
            """,
        "other library": """
            import tensorflow as torch
            if torch.cuda.is_available:
                pass
            """,
        "attribute of the class as the object that it is": """
            import torch
            class Wrapped(object):
                is_cuda = torch.Tensor.is_cuda
                flags = torch.Tensor.is_cuda or None
            flag = torch.Tensor.is_cuda.__get__(x)
            names = {torch.Tensor.is_cuda: "is_cuda"}
            override(torch.Tensor.is_cuda)
            torch.Tensor.is_cuda = True
            """,
        "attribute of a tensor, or of another class": """
            import torch
            from mine import Tensor
            def f(x: torch.Tensor):
                if x.is_cuda and torch.ones(1).is_cuda or torch.Tensor().is_cuda:
                    return Tensor.is_cuda
            """,
        "user's bool": """
            import torch
            def bool(function):
                return function()
            print(bool(torch.cuda.is_available))
            """,
    },
)


def test_keeps_a_flag_that_another_file_may_call() -> None:
    text = "import torch\nhas_cuda = torch.cuda.is_available\nprint(not has_cuda)\n"
    options = Options(used_elsewhere=lambda name: name == "has_cuda")
    assert migrate(text, "TP802", options=options).text == text
    assert "is_available()" in migrate(text, "TP802").text


def test_a_flag_of_the_class_is_told_where_it_never_told_of_the_default_type() -> None:
    text = """
    import torch
    @torch.no_grad()
    def f(x):
        return x.cuda() if torch.Tensor.is_cuda else x
    """
    assert [found.message for found in advice("TP802", text)] == [
        "torch.Tensor.is_cuda is true on every machine: write torch.Tensor().is_cuda for whether"
        " new tensors are on the GPU, or torch.cuda.is_available() for whether there is one"
    ]
