import pytest
import torch

from measure import losses


def test_total():
    torch.manual_seed(1)
    output = torch.randn(4, 3)
    loss = losses.total_loss(output, torch.LongTensor([0, 1, 2, 0]))
    assert 4 < loss.item() < 20


def test_weights_of_rows():
    assert losses.weights(torch.ones(2, 4)).sum(1).tolist() == [1, 1]


@pytest.mark.parametrize('n', [2, 4])
def test_weights_of_blocks(n):
    torch.manual_seed(2)
    model = torch.nn.Linear(3, 3)
    out = losses.weights(model(torch.randn(n, 2, 3)))
    out[0].sum().backward()
    print(out.detach().sum(0))


def test_centred():
    assert losses.centred(torch.arange(6.0).view(3, 2)).sum().item() == 0


def test_halves():
    assert losses.halves(torch.arange(8)).size() == (4, 2)


def test_fails_before():
    assert losses.halves(torch.arange(8)).size() == (1, 1)
