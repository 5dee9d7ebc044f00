from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, rewrites

test_keywords = rewrites(
    "TP902",
    {
        "verbose of schedulers and of their base class": (
            """
            from torch.optim.lr_scheduler import OneCycleLR, StepLR, _LRScheduler

            class Warmup(_LRScheduler):
                def __init__(self, optimizer, last_epoch=-1, verbose=False):
                    super(Warmup, self).__init__(optimizer, last_epoch, verbose)

            a = StepLR(optimizer, 30, 0.1, -1, True)
            b = OneCycleLR(
                optimizer,
                max_lr=0.1,
                verbose=args.verbose,  # say it
            )
            """,
            """
            from torch.optim.lr_scheduler import OneCycleLR, StepLR, _LRScheduler

            class Warmup(_LRScheduler):
                def __init__(self, optimizer, last_epoch=-1, verbose=False):
                    super(Warmup, self).__init__(optimizer, last_epoch)

            a = StepLR(optimizer, 30, 0.1, -1)
            b = OneCycleLR(
                optimizer,
                max_lr=0.1,
                verbose=args.verbose,  # say it
            )
            """,
        ),
        "a line that ends with what goes": (
            """
            from torch.optim.lr_scheduler import ReduceLROnPlateau
            a = ReduceLROnPlateau(optimizer, patience=10, verbose=True,
                                  threshold=1e-3)
            b = ReduceLROnPlateau(
                optimizer,
                patience=10,
                verbose=True,
            )
            c = ReduceLROnPlateau(optimizer,
                                  verbose=True)
            """,
            """
            from torch.optim.lr_scheduler import ReduceLROnPlateau
            a = ReduceLROnPlateau(optimizer, patience=10,
                                  threshold=1e-3)
            b = ReduceLROnPlateau(
                optimizer,
                patience=10,
            )
            c = ReduceLROnPlateau(optimizer)
            """,
        ),
        "a sampler of its own": (
            """
            import torch.utils.data as data
            from torch.utils.data.sampler import Sampler

            class Backwards(Sampler[int]):
                def __init__(self, source):
                    super(Backwards, self).__init__(source)

            class Forwards(data.Sampler):
                def __init__(self, source):
                    super().__init__(data_source=source)
            """,
            """
            import torch.utils.data as data
            from torch.utils.data.sampler import Sampler

            class Backwards(Sampler[int]):
                def __init__(self, source):
                    super(Backwards, self).__init__()

            class Forwards(data.Sampler):
                def __init__(self, source):
                    super().__init__()
            """,
        ),
    },
)

test_keeps_keywords = keeps(
    "TP902",
    {
        "a base class of the user": """
            from torch.optim.lr_scheduler import StepLR
            class Base:
                def __init__(self, optimizer, last_epoch, verbose):
                    pass
            class Warmup(Base):
                def __init__(self, optimizer):
                    super().__init__(optimizer, -1, verbose=True)
            """,
        "several base classes": """
            from torch.optim.lr_scheduler import LRScheduler
            class Warmup(Mixin, LRScheduler):
                def __init__(self, optimizer):
                    super().__init__(optimizer, -1, True)
            """,
        "the constructor above another class": """
            from torch.optim.lr_scheduler import LRScheduler
            class Warmup(LRScheduler):
                def __init__(self, optimizer):
                    super(Other, self).__init__(optimizer, -1, True)
            """,
        "what verbose does when it is computed": """
            from torch.optim.lr_scheduler import StepLR
            a = StepLR(optimizer, 30, verbose=next(answers))
            """,
        "verbose of something else": """
            import torch.onnx
            from tqdm import trange
            trange(10, verbose=True)
            """,
        "a sampler that takes something": """
            from torch.utils.data import RandomSampler
            class Mine(RandomSampler):
                def __init__(self, source):
                    super().__init__(source)
            """,
    },
)

test_places = rewrites(
    "TP906",
    {
        "verbose stood where the threshold stands": (
            """
            from torch.autograd import Variable
            from torch.optim.lr_scheduler import ReduceLROnPlateau
            a = ReduceLROnPlateau(optimizer, "min", 0.1, 10, True)
            b = ReduceLROnPlateau(optimizer, "min", 0.1, 10, False, 1e-3, "abs")
            x = Variable(x, volatile=True)
            """,
            """
            from torch.autograd import Variable
            from torch.optim.lr_scheduler import ReduceLROnPlateau
            a = ReduceLROnPlateau(optimizer, "min", 0.1, 10)
            b = ReduceLROnPlateau(optimizer, "min", 0.1, 10, threshold=1e-3, threshold_mode="abs")
            x = Variable(x, volatile=True)
            """,
        ),
    },
)

test_keeps_places = keeps(
    "TP906",
    {
        "a flag in a file of any age": """
            from torch.optim.lr_scheduler import ReduceLROnPlateau
            a = ReduceLROnPlateau(optimizer, "min", 0.1, 10, True)
            """,
        "a threshold": """
            from torch.optim.lr_scheduler import ReduceLROnPlateau
            a = ReduceLROnPlateau(optimizer, "min", 0.1, 10, 1e-3, "abs")
            b = ReduceLROnPlateau(optimizer, "min", 0.1, 10, value)
            """,
    },
)

test_rates = rewrites(
    "TP906",
    {
        "the rate that is set": (
            """
            import torch
            from torch.autograd import Variable
            def run(net):
                optimizer = torch.optim.SGD(net.parameters(), 0.1)
                scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
                print(scheduler.get_lr()[0])
                x = Variable(x, volatile=True)
            """,
            """
            import torch
            from torch.autograd import Variable
            def run(net):
                optimizer = torch.optim.SGD(net.parameters(), 0.1)
                scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
                print(scheduler.get_last_lr()[0])
                x = Variable(x, volatile=True)
            """,
        ),
    },
)

_OF_NO_AGE = """
    import torch
    def run(net):
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        scheduler = torch.optim.lr_scheduler.{}
        print(scheduler.{}()[0])
    """

test_rates_of_formulas = rewrites(
    "TP906",
    {
        kind: (_OF_NO_AGE.format(kind, "get_lr"), _OF_NO_AGE.format(kind, "get_last_lr"))
        for kind in ("LambdaLR(optimizer, f)", "CosineAnnealingWarmRestarts(optimizer, 3)")
    },
)


@pytest.mark.parametrize("kind", ["StepLR(optimizer, 3)", "CosineAnnealingLR(optimizer, 3)"])
def test_of_other_rates_it_is_told_that_they_may_differ(kind: str) -> None:
    (found,) = advice("TP906", _OF_NO_AGE.format(kind, "get_lr"))
    assert "may give another rate" in found.message


test_keeps_rates = keeps(
    "TP906",
    {
        "torch 1.4 and later, in which the next rate may be meant": """
            import torch
            def run(net):
                optimizer = torch.optim.SGD(net.parameters(), 0.1)
                scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
                mask = torch.zeros(3, dtype=torch.bool)
                print(scheduler.get_lr()[0])
            """,
        "a scheduler of the file's own": """
            import torch
            class Warmup(torch.optim.lr_scheduler.LRScheduler):
                def get_lr(self):
                    return [0.1]
            scheduler = Warmup(torch.optim.SGD(net.parameters(), 0.1))
            print(scheduler.get_lr())
            """,
        "a scheduler that nobody knows": """
            import torch
            def run(scheduler):
                return scheduler.get_lr()
            """,
    },
)


def test_tells_what_may_be_another_rate() -> None:
    text = """
        import torch
        def run(net):
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
            print(scheduler.get_lr()[0])
            return scheduler.get_last_lr()
        """
    (found,) = advice("TP906", text)
    assert found.line == 5
    assert "get_last_lr() for the rate in use" in found.message


def test_tells_of_a_flag_that_may_be_a_threshold() -> None:
    text = """
        from torch.optim.lr_scheduler import ReduceLROnPlateau
        a = ReduceLROnPlateau(optimizer, "min", 0.1, 10, True)
        b = ReduceLROnPlateau(optimizer, "min", 0.1, 10, 0.01)
        """
    (found,) = advice("TP906", text)
    assert found.line == 2
    assert "leave it out" in found.message
