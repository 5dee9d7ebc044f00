"""``x.data[0]`` of the terms of what is differentiated, in files for torch 0.3."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

_HEAD = """
            import torch
            from torch.autograd import Variable
            def step(model, x, f):
                x = Variable(x, volatile=False)
"""

_TERMS = {
    "a sum": """
                kl, nll = model(x)
                loss = kl + 0.1 * nll
                loss.backward()
                print(kl.data[0], nll.data[0])
            """,
    "a sum that is named nowhere": """
                kl, nll = model(x)
                (nll - kl / 2).backward(retain_graph=True)
                print(kl.data[0], nll.data[0])
            """,
    "a sum below": """
                kl = model(x)
                print(kl.data[0])
                loss = -kl
                loss.backward()
            """,
    "what something is added to": """
                loss = model(x)
                print(loss.data[0])
                for layer in f:
                    loss += layer(x)
                loss.backward()
            """,
    "what something is added to at once": """
                loss = model(x)
                print(loss.data[0])
                loss += 0.1 * model(x)
                loss *= 2
                loss.backward()
            """,
    "a term of what something is added to": """
                kl, nll = model(x)
                loss = kl + 0.1 * nll
                for layer in f:
                    loss += layer(x)
                loss.backward()
                print(kl.data.cpu().numpy()[0], nll.data.cpu().numpy()[0], loss.data[0])
            """,
    "what is added to something": """
                loss, kl = model(x)
                loss += 0.1 * kl
                loss.backward()
                print(kl.data[0])
            """,
    "what is divided by a method": """
                loss = model(x)
                print(loss.data[0])
                loss.div(f).backward()
            """,
    "a sum that a method divides": """
                kl, nll = model(x)
                loss = (kl + nll).mul(2).neg()
                print(kl.data[0], nll.data[0])
                loss.backward()
            """,
    "in one pass of two": """
                kl = model(x)
                loss = kl + f.weight * model(kl)
                if f:
                    loss.backward()
                print(kl.data[0], loss.data[0])
            """,
    "a sum over steps, in one pass of two": """
                kl = 0
                for part in x:
                    kl += model(part)
                kl /= f.steps
                loss = model(x) + f.weight * kl
                if f.train:
                    loss.backward()
                print(kl.data[0])
            """,
    "another name": """
                kl = model(x)
                print(kl.data[0])
                loss = kl
                loss.backward()
            """,
    "a term on either way": """
                kl = model(x)
                if f.more:
                    loss = kl + f(x)
                else:
                    loss = kl
                loss.backward()
                print(kl.data[0])
            """,
    "a term, twice": """
                kl = model(x)
                loss = kl + 1
                loss.backward(retain_graph=True)
                loss = kl * 2
                loss.backward()
                print(kl.data[0])
            """,
    "a sum that more is added to": """
                kl, nll = model(x)
                loss = kl + 0.1 * nll
                if f.l1:
                    loss = loss + f.l1 * x.abs().mean()
                if f.more:
                    loss = f.more - loss / 2
                loss.backward()
                print(kl.data[0], nll.data[0])
            """,
    "a sum that is named again": """
                kl = model(x)
                full = kl
                if f.more:
                    full = full + f.more
                whole = full * 2
                whole.backward()
                print(kl.data[0])
            """,
    "a sum over a loop": """
                kl = model(x)
                loss = kl * 2
                for part in f:
                    loss = loss + part
                loss.backward()
                print(kl.data[0])
            """,
    "a part of each": """
                kl = model(x)
                if f:
                    print(kl.data[0])
                loss = kl * 2
                loss.backward()
            """,
}

test_rewrites = rewrites(
    "TP103",
    {
        name: (
            _HEAD + text,
            (_HEAD + text)
            .replace(".data.cpu().numpy()[0]", ".item()")
            .replace(".data[0]", ".item()"),
        )
        for name, text in _TERMS.items()
    },
)

_NO_TERMS = {
    "no sum": """
                kl, nll = model(x)
                nll.backward()
                print(kl.data[0])
            """,
    "what is given to a function": """
                kl, nll = model(x)
                loss = f(kl) + nll
                loss.backward()
                print(kl.data[0])
            """,
    "an attribute": """
                kl = model(x)
                loss = kl.mean() + 1
                loss.backward()
                print(kl.data[0])
            """,
    "another attribute": """
                loss = model(x)
                print(loss.data[0])
                loss.div.backward()
            """,
    "what a method divides by": """
                kl = model(x)
                print(kl.data[0])
                x.sum().div(f(kl)).backward()
            """,
    "with a gradient": """
                kl = model(x)
                loss = kl + 1
                loss.backward(f)
                print(kl.data[0])
            """,
    "another one sometimes": """
                loss = model(x)
                if f:
                    loss = loss.mean()
                    loss.backward()
                print(loss.data[0])
            """,
    "another loss": """
                kl = model(x)
                loss = kl + 1
                loss = model(loss)
                loss.backward()
                print(kl.data[0])
            """,
    "a product of matrices": """
                kl = model(x)
                loss = kl @ x
                loss.backward()
                print(kl.data[0])
            """,
    "a sum that a product of matrices changes": """
                kl = model(x)
                loss = kl + 1
                for layer in f:
                    loss @= layer
                loss.backward()
                print(kl.data[0])
            """,
    "what is added to something that is reduced": """
                loss, kl = model(x)
                loss += kl
                loss = loss.mean()
                loss.backward()
                print(kl.data[0])
            """,
    "what is added to something on a way": """
                loss, kl = model(x)
                if f:
                    loss += kl
                loss.backward()
                print(kl.data[0])
            """,
    "another value by then": """
                kl = model(x)
                print(kl.data[0])
                kl = f(kl)
                loss = kl + 1
                loss.backward()
            """,
    "something else is put there": """
                loss = model(x)
                print(loss.data[0])
                for layer in f:
                    loss = layer(loss)
                loss.backward()
            """,
    "a term on one way alone": """
                kl = model(x)
                if f.more:
                    loss = kl + f(x)
                else:
                    loss = kl.sum()
                loss.backward()
                print(kl.data[0])
            """,
    "a term where it was something else": """
                kl, loss = model(x)
                if f.more:
                    loss = kl
                loss.backward()
                print(kl.data[0])
            """,
    "a sum that is reduced sometimes": """
                kl = model(x)
                loss = kl * 2
                if f.more:
                    loss = loss.mean() + 1
                loss.backward()
                print(kl.data[0])
            """,
    "a sum beside something else": """
                kl = model(x)
                loss = kl * 2
                if f.more:
                    loss = f(x)
                    loss = loss + 1
                loss.backward()
                print(kl.data[0])
            """,
    "a sum of something else": """
                kl = model(x)
                loss = kl * 2
                if f.more:
                    loss = loss @ x
                loss = loss + 1
                loss.backward()
                print(kl.data[0])
            """,
    "what is multiplied in place": """
                loss = model(x)
                print(loss.data[0])
                loss @= x
                loss.backward()
            """,
    "what something is added to, sometimes": """
                loss = model(x)
                print(loss.data[0])
                loss += x.mean()
                if f:
                    loss.backward()
            """,
    "what is added to something else, sometimes": """
                loss = model(x)
                print(loss.data[0])
                if f:
                    loss = model(x)
                loss += x.mean()
                loss.backward()
            """,
}

test_keeps = keeps("TP103", {name: _HEAD + text for name, text in _NO_TERMS.items()})


@pytest.mark.parametrize("text", _NO_TERMS.values(), ids=_NO_TERMS)
def test_what_may_be_no_term_is_told(text: str) -> None:
    assert len(advice("TP103", _HEAD + text)) == 1


def test_without_data_the_graph_may_be_wanted() -> None:
    text = _HEAD + _TERMS["a sum below"].replace("kl.data[0]", "f(kl[0])")
    assert not advice("TP103", text)


def test_a_file_that_may_be_younger_is_left() -> None:
    text = (_HEAD + _TERMS["a sum"]).replace(", volatile=False", "")
    assert len(advice("TP103", text)) == 2


_GONE_THROUGH = """import torch
from torch.autograd import Variable
def train(net, other, w, batches):
    for a, b in batches:
        losses, made = net(Variable(a), Variable(b))
        {total}
        total.backward({gradient})
        print([x.data[0] for x in {of}])
"""
_WHOLE = "total = w * losses[0] + losses[1]"


def test_what_terms_are_gone_through_are_told() -> None:
    (found,) = advice("TP103", _GONE_THROUGH.format(total=_WHOLE, gradient="", of="losses"))
    assert found.message.startswith("x.data[0] raises where x has no dimensions")


@pytest.mark.parametrize(
    ("total", "gradient", "of"),
    [
        (_WHOLE, "w", "losses"),
        (_WHOLE, "", "made"),
        (_WHOLE, "", "other"),
        (f"{_WHOLE}; losses = net(w)", "", "losses"),
        ("total = net(losses[0])", "", "losses"),
        ("total = losses[0].sum()", "", "losses"),
        ("total = losses[w] + 1", "", "losses"),
        (_WHOLE, "", "zip(losses)"),
    ],
)
def test_what_may_be_no_term_is_not(total: str, gradient: str, of: str) -> None:
    assert not advice("TP103", _GONE_THROUGH.format(total=total, gradient=gradient, of=of))


_SUMMED_BESIDE = """import torch
from torch.autograd import Variable
def step(model, x, n):
    x = Variable(x, volatile=False)
    kl, nll = model(x)
    total = {total}
    mean = kl / n + nll / 2
    mean.backward()
    return kl.data[0], nll.data[0], total.data[0]
"""


@pytest.mark.parametrize("total", ["kl + nll", "kl - 2 * nll", "(kl + nll) / x.size(0)"])
def test_what_is_made_of_terms_has_one_element(total: str) -> None:
    text = _SUMMED_BESIDE.format(total=total)
    assert "return kl.item(), nll.item(), total.item()" in migrate(text, "TP103").text


@pytest.mark.parametrize("total", ["kl + x", "kl * x[0]", "kl + model(x)", "kl @ nll"])
def test_what_is_made_of_something_else_may_have_several(total: str) -> None:
    text = _SUMMED_BESIDE.format(total=total)
    assert "return kl.item(), nll.item(), total.data[0]" in migrate(text, "TP103").text
