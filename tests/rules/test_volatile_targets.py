"""``volatile=True`` of targets: where a loss is differentiated, and where it is measured."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

_HEAD = """
            import torch
            from torch.autograd import Variable
            def train(model, teacher, criterion, batches):
"""

test_rewrites = rewrites(
    "TP102",
    {
        "a list of them": (
            _HEAD
            + """
                for images, targets in batches:
                    targets = [Variable(target, volatile=True) for target in targets]
                    out = model(Variable(images))
                    loss_l, loss_c = criterion(out, targets)
                    print(loss_l.data)
                    loss = loss_l + loss_c
                    loss.backward()
            """,
            _HEAD
            + """
                for images, targets in batches:
                    targets = [Variable(target) for target in targets]
                    out = model(Variable(images))
                    loss_l, loss_c = criterion(out, targets)
                    print(loss_l.data)
                    loss = loss_l + loss_c
                    loss.backward()
            """,
        ),
        "one, moved": (
            _HEAD
            + """
                for x, y in batches:
                    y = Variable(y, volatile=True)
                    y = y.cuda()
                    criterion(model(x), y).backward()
            """,
            _HEAD
            + """
                for x, y in batches:
                    y = Variable(y)
                    y = y.cuda()
                    criterion(model(x), y).backward()
            """,
        ),
        "what a second network makes of it": (
            _HEAD
            + """
                for x, y in batches:
                    y = Variable(y, volatile=True)
                    known = teacher(y).data
                    loss = criterion(model(x), y, known)
                    loss.backward()
            """,
            _HEAD
            + """
                for x, y in batches:
                    y = Variable(y)
                    with torch.no_grad():
                        known = teacher(y).data
                    loss = criterion(model(x), y, known)
                    loss.backward()
            """,
        ),
        "of which numbers are printed later": (
            _HEAD
            + """
                total = 0
                for images, targets in batches:
                    if images.is_cuda:
                        targets = [Variable(target.cuda(), volatile=True) for target in targets]
                    else:
                        targets = [Variable(target, volatile=True) for target in targets]
                    boxes, scores = model(Variable(images))
                    loss_l, loss_c = criterion((boxes, scores), targets)
                    total += loss_l.item()
                    loss = loss_l + loss_c
                    loss.backward()
                    print("%.4f" % (total / 10) + repr(total))
            """,
            _HEAD
            + """
                total = 0
                for images, targets in batches:
                    if images.is_cuda:
                        targets = [Variable(target.cuda()) for target in targets]
                    else:
                        targets = [Variable(target) for target in targets]
                    boxes, scores = model(Variable(images))
                    loss_l, loss_c = criterion((boxes, scores), targets)
                    total += loss_l.item()
                    loss = loss_l + loss_c
                    loss.backward()
                    print("%.4f" % (total / 10) + repr(total))
            """,
        ),
    },
)

test_keeps = keeps(
    "TP102",
    {
        "what is kept on an object": _HEAD
        + """
                for x, y in batches:
                    model.y = Variable(y, volatile=True)
                    loss = criterion(model(x), model.y)
                    loss.backward()
            """,
    },
)


def test_inputs_of_a_model_whose_loss_is_differentiated_are_told() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def train(net, optimizer, batches, losses, has_control):\n"
        "    for x, changed in batches:\n"
        "        x = Variable(x, volatile=True)\n"
        "        changed = Variable(changed, volatile=True)\n"
        "        if has_control:\n"
        "            l, control = net(x, changed, True)\n"
        "        else:\n"
        "            l = net(x, changed)\n"
        "        loss = l[0].mean()\n"
        "        optimizer.zero_grad()\n"
        "        loss.backward()\n"
        "        losses.append(loss.data.cpu().numpy())\n"
        "        if has_control:\n"
        "            losses.append(control[0].mean().item())\n"
    )
    assert migrate(text, "TP102").text == text
    (found,) = advice("TP102", text)
    assert "keep its uses out of torch.no_grad()" in found.message


def test_what_is_not_differentiated_comes_under_no_grad() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def test(model, criterion, x, y):\n"
        "    y = Variable(y, volatile=True)\n"
        "    loss = criterion(model(x), y)\n"
        "    print(loss.data)\n"
    )
    assert "    with torch.no_grad():\n" in migrate(text, "TP102").text
    assert not advice("TP102", text)


@pytest.mark.parametrize("read", ["y.cpu().data", "y.data.cpu()", "y.cuda().data", "y.to(0).data"])
def test_what_is_moved_and_cut_from_its_graph_can_stand_in_the_block(read: str) -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def accuracy(x, y):\n    return sum(x == y) / x.size(0)\n"
        "def test(model, batches):\n"
        "    for x, y in batches:\n"
        "        out = model(Variable(x, volatile=True))\n"
        f"        print(accuracy(out.cpu().data, {read}))\n"
        "        print(model(out))\n"
    )
    assert "    with torch.no_grad():\n        for x, y" in migrate(text, "TP102").text


@pytest.mark.parametrize(
    "term", ["len(x) * {}.data", "{}.detach() / 3 - 1", "-{0}.data * {0}.data"]
)
def test_sums_of_what_is_cut_from_its_graph_can_stand_in_the_block(term: str) -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def test(model, criterion, batches, hidden, total):\n"
        "    for x, y in batches:\n"
        "        x = Variable(x, volatile=True)\n"
        "        out, hidden = model(x, hidden)\n"
        f"        total += {term.format('criterion(model.weight, out, y)')}\n"
        "        print(model(out))\n"
        "    return total\n"
    )
    assert "    with torch.no_grad():\n        for x, y" in migrate(text, "TP102").text
    kept = text.replace(".data", "").replace(".detach()", "")
    assert "        with torch.no_grad():\n" not in migrate(kept, "TP102").text


_MEASURED = """import torch
from torch.autograd import Variable
def test(model, criterion, batches, weight, part, log):
    total = 0
    {}for x, y in batches:
        {}x, y = Variable(x{flag}), Variable(y{flag})
        {}loss = criterion(model(x), y)
        {}total += loss
    model.train()
    {after}
    log(mean.data)
"""


def _measured(after: str, *, migrated: bool) -> str:
    if not migrated:
        return _MEASURED.format("", "", "", "", flag=", volatile=True", after=after)
    inner = ["with torch.no_grad():\n        ", *(["    "] * 3)]
    return _MEASURED.format(*inner, flag="", after=after)


@pytest.mark.parametrize(
    "after",
    [
        "mean = total / 3",
        "mean = -total[part]",
        "mean = total\n    mean /= 3",
        "mean = total * (total > 2)",
    ],
)
def test_what_is_calculated_behind_the_block_needs_none(after: str) -> None:
    migrated = migrate(_measured(after, migrated=False), "TP102").text
    assert migrated == _measured(after, migrated=True)
    assert migrate(migrated, "TP102").text == migrated


@pytest.mark.parametrize("after", ["mean = total / weight", "mean = model(total)"])
def test_what_may_take_in_a_graph_behind_the_block_has_one_too(after: str) -> None:
    migrated = migrate(_measured(after, migrated=False), "TP102").text
    assert migrated.endswith(
        f"    model.train()\n    with torch.no_grad():\n        {after}\n    log(mean.data)\n"
    )


_COMMENTED = """import torch
from torch.autograd import Variable
def test(model, batches):
    for x in batches:
        x = Variable(x, volatile=True)
        if model(x).data:
            print(x)
            # print(model)
        # print(x)

        # the last
    # behind
    return model
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_at_the_end_of_a_block_move_with_it(end: str) -> None:
    moved = """import torch
from torch.autograd import Variable
def test(model, batches):
    with torch.no_grad():
        for x in batches:
            x = Variable(x)
            if model(x).data:
                print(x)
                # print(model)
            # print(x)

            # the last
    # behind
    return model
"""
    assert migrate(_COMMENTED.replace("\n", end), "TP102").text == moved.replace("\n", end)


def test_comments_at_the_end_of_a_file_move_with_it() -> None:
    text = _COMMENTED.partition("    # behind")[0].rstrip("\n")
    assert migrate(text, "TP102").text.endswith("            # print(x)\n\n            # the last")
    deeper = text.replace("        # the last", "  # the last")
    assert migrate(deeper, "TP102").text.endswith("            # print(x)\n\n  # the last")


_TAUGHT = """import torch
from torch.autograd import Variable

def train(model, teacher, loader, mse, optimizer):
    for data, _ in loader:
        x = Variable(data)
        given = Variable(data, volatile=True)
        if torch.cuda.is_available():
            x, given = x.cuda(), given.cuda()
        optimizer.zero_grad()
        first, second = model(x)
        {taught}
        loss = mse(first, wanted) + mse(second, other)
        loss.backward()
        optimizer.step()
"""


def test_what_makes_the_target_of_what_trains_goes_under_a_block() -> None:
    made = "wanted, other = teacher(given)"
    text = migrate(_TAUGHT.format(taught=made), "TP102").text
    assert f"        with torch.no_grad():\n            {made}\n        loss = mse(" in text
    assert migrate(text, "TP102").text == text


@pytest.mark.parametrize("taught", ["wanted, other = given, given", "wanted = other = given * 2"])
def test_what_is_the_target_as_it_comes_needs_no_block(taught: str) -> None:
    text = migrate(_TAUGHT.format(taught=taught), "TP102").text
    assert "volatile" not in text and "no_grad" not in text
