from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

_HEAD = """
            import torch
            from torch.utils.data import DataLoader
            loader = DataLoader(data, 4)
            losses = torch.nn.functional.mse_loss(net(x), y, reduction="none")
"""


def _script(*lines: str) -> str:
    return _HEAD + "".join(" " * 12 + line + "\n" for line in lines)


_ADVISED = {
    "a cache for each batch": (
        _script("for x, y in loader:", "    train(x, y)", "    torch.cuda.empty_cache()"),
        "empty_cache() for each batch",
    ),
    "a cache for each batch with a number": (
        _script("for i, (x, y) in enumerate(loader):", "    torch.cuda.empty_cache()"),
        "empty_cache() for each batch",
    ),
    "losses one by one": (
        _script(
            "for loss in losses:", "    g = torch.autograd.grad(loss, w, retain_graph=True)[0]"
        ),
        "torch.func.vmap",
    ),
    "losses by their index": (
        _script("for i in range(3):", "    losses[i].backward(retain_graph=True)"),
        "torch.func.vmap",
    ),
    "losses of a criterion": (
        _script(
            'criterion = torch.nn.MSELoss(reduction="none")',
            "each = criterion(net(x), y)",
            "for i in range(3):",
            "    each[i].backward(retain_graph=True)",
        ),
        "torch.func.vmap",
    ),
    "a data set in one batch": (
        _script(
            "net = torch.nn.Linear(2, 1)",
            "test_loader = DataLoader(test, batch_size=len(test), shuffle=False)",
            "for i, (x, y) in enumerate(test_loader):",
            "    print(net(x).sum())",
        ),
        "one batch of the whole data set, which needs memory for all of it at once",
    ),
    "a data set in one batch beside training on others": (
        _script(
            "net, opt = torch.nn.Linear(2, 1), torch.optim.SGD(net.parameters(), lr=0.1)",
            "for x, y in loader:",
            "    net(x).sum().backward()",
            "for x, y in DataLoader(test, batch_size=len(test)):",
            "    print(net(x).sum())",
        ),
        "one batch of the whole data set, which needs memory for all of it at once",
    ),
    "a cache for each batch, each as large as another set": (
        _script(
            "for x, y in DataLoader(data, batch_size=len(test)):", "    torch.cuda.empty_cache()"
        ),
        "empty_cache() for each batch",
    ),
}

_QUIET = {
    "a cache for the one batch": _script(
        "whole = DataLoader(data, batch_size=len(data))",
        "for x, y in whole:",
        "    train(x, y)",
        "    torch.cuda.empty_cache()",
    ),
    "a cache for the one batch with a number": _script(
        "for i, (x, y) in enumerate(DataLoader(data, len(data), shuffle=True)):",
        "    torch.cuda.empty_cache()",
    ),
    "training on everything in order": _script(
        "net, loss = torch.nn.Linear(2, 1), torch.nn.MSELoss()",
        "for x, y in DataLoader(data, batch_size=len(data)):",
        "    error = loss(net(x), y)",
        "    error.backward()",
    ),
    "a cache for each epoch": _script(
        "for epoch in range(3):", "    train(loader)", "    torch.cuda.empty_cache()"
    ),
    "a cache now and then": _script(
        "for i, x in enumerate(loader):", "    if i % 100 == 0:", "        torch.cuda.empty_cache()"
    ),
    "a cache after out of memory": _script(
        "for x in loader:",
        "    try:",
        "        train(x)",
        "    except RuntimeError:",
        "        torch.cuda.empty_cache()",
    ),
    "a cache of one's own": _script("for x in loader:", "    cache.empty_cache()"),
    "a cache in something unknown": _script("for x in files:", "    torch.cuda.empty_cache()"),
    "losses of several models": _script(
        "for loss in [first, second]:", "    loss.backward(retain_graph=True)"
    ),
    "one loss in each round": _script(
        "for x in loader:", "    losses.sum().backward(retain_graph=True)"
    ),
    "a penalty": _script("for x in loader:", "    torch.autograd.grad(y, x, retain_graph=True)"),
    "a Hessian": _script(
        "slope = torch.cat([g.view(-1) for g in torch.autograd.grad(y, x, create_graph=True)])",
        "for s in slope:",
        "    rows.append(torch.autograd.grad(s, x, retain_graph=True))",
    ),
    "a Jacobian": _script(
        "y = torch.tanh(net(x))", "for i in range(3):", "    y[i].backward(retain_graph=True)"
    ),
    "a batch that no module runs on": _script(
        "whole = next(iter(DataLoader(test, batch_size=len(test))))",
        "mean = whole[0].mean()",
    ),
    "a sampler": _script(
        "net = torch.nn.Linear(2, 1)",
        "for x in DataLoader(test, batch_size=len(test), sampler=chosen):",
        "    net(x)",
    ),
    "only whole batches": _script(
        "net = torch.nn.Linear(2, 1)",
        "for x in DataLoader(test, batch_size=len(test), drop_last=True):",
        "    net(x)",
    ),
    "training on everything": _script("l = DataLoader(t, batch_size=len(t), shuffle=True)"),
    "as many as another set": _script("l = DataLoader(t, batch_size=len(other))"),
    "a fixed size": _script("l = DataLoader(t, batch_size=64)"),
    "another DataLoader": "import torch\nfrom dgl import DataLoader\nDataLoader(t, len(t))\n",
    "suppressed": _script("for x in loader:", "    torch.cuda.empty_cache()  # noqa: TP607"),
}

test_keeps = keeps("TP607", {**{n: text for n, (text, _) in _ADVISED.items()}, **_QUIET})


@pytest.mark.parametrize(
    ("text", "words"), [pytest.param(*pair, id=name) for name, pair in _ADVISED.items()]
)
def test_says_what_there_is(text: str, words: str) -> None:
    (finding,) = advice("TP607", text)
    assert words in finding.message


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in _QUIET.items()])
def test_says_nothing(text: str) -> None:
    assert not advice("TP607", text)
