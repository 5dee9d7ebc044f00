"""Where a format takes a number, `.item()` stands for `.data`."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_HEAD = """import torch.nn.functional as F


def train(net, opt, xs, ys):
    for i, (x, y) in enumerate(zip(xs, ys)):
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        print({})
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'%.4f' % loss.data", "'%.4f' % loss.item()"),
        ("'%.4f' % (loss.data)", "'%.4f' % (loss.item())"),
        ("'%.4f' % loss.cpu().data", "'%.4f' % loss.item()"),
        ("'%.4f' % (loss + 1).data", "'%.4f' % (loss + 1).item()"),
        ("'%d: %.4f' % (i, loss.data)", "'%d: %.4f' % (i, loss.item())"),
        ("'{}: {:.4f}'.format(i, loss.data)", "'{}: {:.4f}'.format(i, loss.item())"),
        ("f'{i}: {loss.data:.3f}'", "f'{i}: {loss.item():.3f}'"),
    ],
)
def test_a_number_is_written(before: str, after: str) -> None:
    assert migrate(_HEAD.format(before), "TP104").text == _HEAD.format(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'%s' % loss.data", "'%s' % loss.detach()"),
        ("'%d: %s' % (i, loss.data)", "'%d: %s' % (i, loss.detach())"),
        ("'{}'.format(loss.data)", "'{}'.format(loss.detach())"),
        ("'{0:.3f} {0}'.format(loss.data)", "'{0:.3f} {0}'.format(loss.detach())"),
        ("f'{loss.data!r:>9}'", "f'{loss.detach()!r:>9}'"),
    ],
)
def test_a_text_of_the_tensor_is_written(before: str, after: str) -> None:
    assert migrate(_HEAD.format(before), "TP104").text == _HEAD.format(after)
