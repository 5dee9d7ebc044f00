import numpy as np
import pytest
import torch
from torch.autograd import Variable

from layers import Attention, StackedCell, focal_loss, gumbel_softmax, masked_softmax, one_hot


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(73)


def test_one_hot():
    assert one_hot(torch.LongTensor([2, 0]), 3).tolist() == [[0, 0, 1], [1, 0, 0]]


def test_masked_softmax():
    mask = torch.ByteTensor([[1, 1, 0], [1, 0, 0]])
    result = masked_softmax(Variable(torch.FloatTensor([[1, 2, 3], [1, 2, 3]])), mask)
    np.testing.assert_almost_equal(result.data.numpy(), [[0.268941, 0.731059, 0], [1, 0, 0]], 5)


def test_softmax_without_mask():
    result = masked_softmax(Variable(torch.ones(2, 4)), None)
    assert result.sum(1).data.tolist() == [1, 1]


@pytest.mark.parametrize('masked', [False, True])
def test_attention(masked):
    attention = Attention(3)
    mask = torch.ByteTensor([[1, 1, 1, 0], [1, 1, 0, 0]]) if masked else None
    out, weights = attention(Variable(torch.randn(2, 3)), Variable(torch.randn(2, 4, 3)), mask)
    out.pow(2).sum().backward()
    assert out.size() == (2, 3)
    assert attention.weight.grad.data.norm() > 0
    assert float(weights.sum()) == pytest.approx(2)


@pytest.mark.parametrize('gamma', [0.0, 2.0])
def test_focal_loss(gamma):
    logits = Variable(torch.randn(5, 3), requires_grad=True)
    labels = Variable(torch.LongTensor([0, 1, 2, 1, 0]))
    loss = focal_loss(logits, labels, gamma)
    loss.backward()
    assert 0 < loss.item() < 3
    assert focal_loss(logits, labels, gamma, size_average=False).item() == pytest.approx(5 * loss.item())


def test_gumbel_softmax():
    logits = Variable(torch.randn(4, 3), requires_grad=True)
    y = gumbel_softmax(logits, 0.5, hard=True)
    (y * y.size(1)).pow(2).sum().backward()
    assert y.data.sum(1).tolist() == pytest.approx([1, 1, 1, 1])
    print('soft', gumbel_softmax(logits, 0.5).data[0])


def test_stacked_cell():
    cell = StackedCell(3, 2, dropout=0.5)
    state = cell.zero_state(2)
    for _ in range(3):
        out, state = cell(Variable(torch.randn(2, 3)), state)
    out.sum().backward()
    assert len(state) == 2
    cell.eval()
    first, _ = cell(torch.ones(1, 3), cell.zero_state(1))
    again, _ = cell(torch.ones(1, 3), cell.zero_state(1))
    assert first.data.equal(again.data)
