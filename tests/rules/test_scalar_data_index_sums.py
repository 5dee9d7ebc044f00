"""``accuracy.data[0]`` of what is calculated from sums that a loop adds to."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, rewrites

_HEAD = """
            import torch
            from torch.autograd import Variable
            def test(model, loader, weight, scale=1):
                correct, seen = 0, 0
                loss = 0.
                for x, y in loader:
                    right = torch.eq(model(x), Variable(y))
                    correct += right.float().sum()
                    loss = loss + torch.mean(right.float())
                    seen += y.size(0)
"""

_NUMBERS = {
    "a quotient": "                accuracy = correct / seen\n                print(accuracy.data[0])\n",
    "a part of one": "                accuracy = 100. * correct / seen\n"
    "                print(1 - accuracy.data[0])\n",
    "where the model is": "                accuracy = -loss / len(loader)\n"
    "                print(accuracy.data.cpu()[0])\n",
    "one of two": "                accuracy, _ = correct / seen, 1\n                print(accuracy.data[0])\n",
    "one of two by a test": "                accuracy = correct / seen if seen else -loss\n"
    "                print(accuracy.data[0])\n",
    "added to what was chosen": "                accuracy = loss\n"
    "                accuracy += correct / seen if seen else 0\n"
    "                print(accuracy.data[0])\n",
    "divided in place": "                correct /= seen\n                print(correct.data[0])\n",
    "as an array": "                accuracy = correct / seen\n"
    "                print(accuracy.data.numpy()[0])\n",
}

_ITEM = (".data.cpu()[0]", ".data.numpy()[0]", ".data[0]")


def _today(text: str) -> str:
    for old in _ITEM:
        text = text.replace(old, ".item()")
    return text


test_rewrites = rewrites(
    "TP103", {name: (_HEAD + text, _HEAD + _today(text)) for name, text in _NUMBERS.items()}
)

_OTHERS = {
    "a tensor of who knows what size": "                accuracy = correct / seen * weight\n",
    "a parameter that may be a tensor": "                accuracy = correct / scale\n",
    "a product of matrices": "                accuracy = correct @ loss\n",
    "what gets a dimension": "                accuracy = correct / seen\n"
    "                accuracy.unsqueeze_(0)\n",
    "what may be something else": "                accuracy = correct / seen\n"
    "                if weight:\n"
    "                    accuracy = model.accuracy\n",
    "one of two by a test that is not": "                accuracy = correct / seen if seen else weight\n",
    "a sum along a dimension": "                accuracy = correct / right.float().sum(0)\n",
    "a loop's own name": "                for accuracy in correct:\n                    pass\n",
    "one of two that something gives": "                accuracy, _ = model(correct / seen)\n",
}
_OTHERS = {
    name: text + "                print(accuracy.data[0])\n" for name, text in _OTHERS.items()
}

test_keeps = keeps("TP103", {name: _HEAD + text for name, text in _OTHERS.items()})


@pytest.mark.parametrize("text", [*_OTHERS.values()][:3], ids=[*_OTHERS][:3])
def test_what_may_be_no_number_is_told(text: str) -> None:
    assert len(advice("TP103", _HEAD + text)) == 1


def test_a_part_of_an_array_stays() -> None:
    text = _HEAD + "                accuracy = numpy.array([correct, seen])\n"
    assert not advice("TP103", text + "                print(accuracy.tolist()[0], accuracy[0])\n")
