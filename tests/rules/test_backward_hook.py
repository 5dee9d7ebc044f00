from __future__ import annotations

import pytest
import torch

from tests.support.rules import advice, keeps, rewrites

NET = """
            import torch.nn as nn
            import torch.nn.functional as F
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(3, 4)
                    self.out = nn.Linear(4, 2)
                def forward(self, x):
                    return self.out(F.relu(self.fc(x)))
            net = Net()"""

test_rewrites = rewrites(
    "TP702",
    {
        "output gradient only": (
            f"""{NET}
            grads = []
            def hook(module, grad_input, grad_output):
                grads.append(grad_output[0].norm())
            handle = net.fc.register_backward_hook(hook)
            """,
            f"""{NET}
            grads = []
            def hook(module, grad_input, grad_output):
                grads.append(grad_output[0].norm())
            handle = net.fc.register_full_backward_hook(hook)
            """,
        ),
        "kept and printed": (
            f"""{NET}
            def hook(module, grad_input, grad_output):
                print('grad_input', grad_input)
                inputs.append(grad_input)
                first = grad_input[0]
                return None
            for name, module in net.named_children():
                module.register_backward_hook(hook)
            """,
            f"""{NET}
            def hook(module, grad_input, grad_output):
                print('grad_input', grad_input)
                inputs.append(grad_input)
                first = grad_input[0]
                return None
            for name, module in net.named_children():
                module.register_full_backward_hook(hook)
            """,
        ),
        "lambda": (
            f"""{NET}
            net.fc.register_backward_hook(lambda m, gi, go: seen.append(go[0]))
            """,
            f"""{NET}
            net.fc.register_full_backward_hook(lambda m, gi, go: seen.append(go[0]))
            """,
        ),
        "method of the module": (
            """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(3, 4)
                    self.steps = 0
                    self.fc.register_backward_hook(self.keep)
                def keep(self, module, grad_input, grad_output):
                    self.steps += 1
                    self.grad = grad_output[0]
                def forward(self, x):
                    return self.fc(x)
            """,
            """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(3, 4)
                    self.steps = 0
                    self.fc.register_full_backward_hook(self.keep)
                def keep(self, module, grad_input, grad_output):
                    self.steps += 1
                    self.grad = grad_output[0]
                def forward(self, x):
                    return self.fc(x)
            """,
        ),
    },
)

HOOK = """
            def hook(module, grad_input, grad_output):
                seen.append(grad_input[0])"""

LEFT = {
    "hook returns": f"""{NET}
            def guided(module, grad_input, grad_output):
                return (grad_input[0].clamp(min=0),)
            net.fc.register_backward_hook(guided)
            """,
    "lambda may return": f"""{NET}
            net.fc.register_backward_hook(lambda m, gi, go: (gi[0] * 2,))
            """,
    "picks the weight": f"""{NET}
            def hook(module, grad_input, grad_output):
                seen.append(grad_input[2])
            net.fc.register_backward_hook(hook)
            """,
    "unpacks": f"""{NET}
            def hook(module, grad_input, grad_output):
                bias, x, weight = grad_input
            net.fc.register_backward_hook(hook)
            """,
    "hook of another file": f"""{NET}
            from hooks import hook
            net.fc.register_backward_hook(hook)
            """,
    "hook of another signature": f"""{NET}
            def hook(*args):
                print(args)
            net.fc.register_backward_hook(hook)
            """,
    "in place after it": f"""{NET}{HOOK}
            net.fc.register_backward_hook(hook)
            head = nn.Sequential(net, nn.ReLU(inplace=True))
            """,
    "in place by position": f"""{NET}{HOOK}
            net.fc.register_backward_hook(hook)
            head = nn.Sequential(net, nn.ReLU(True))
            """,
    "in place in forward": f"""
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(3, 3)
                def forward(self, x):
                    y = self.fc(x)
                    y += x
                    return y
            net = Net(){HOOK}
            net.fc.register_backward_hook(hook)
            """,
    "in place by a method": f"""
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(3, 3)
                def forward(self, x):
                    return self.fc(x).clamp_(min=0)
            net = Net(){HOOK}
            net.fc.register_backward_hook(hook)
            """,
    "model of another library": f"""
            import torch.nn as nn
            from torchvision import models
            net = models.vgg16()
            layer = nn.Linear(3, 4){HOOK}
            net.features[28].register_backward_hook(hook)
            layer.register_backward_hook(hook)
            """,
    "module that is not known": f"""{HOOK}
            def watch(model):
                for module in model.modules():
                    module.register_backward_hook(hook)
            """,
}

test_keeps = keeps(
    "TP702",
    {
        **LEFT,
        "modern": f"""{NET}{HOOK}
            net.fc.register_full_backward_hook(hook)
            """,
        "code for both": f"""{NET}{HOOK}
            if hasattr(net, "register_full_backward_hook"):
                net.register_full_backward_hook(hook)
            else:
                net.register_backward_hook(hook)
            """,
        "user's own method": f"""{HOOK}
            class Recorder:
                def register_backward_hook(self, hook):
                    pass
            Recorder().register_backward_hook(hook)
            """,
        "method of a module of the user": f"""{NET}{HOOK}
            class Watched(nn.Linear):
                def register_backward_hook(self, hook):
                    pass
            Watched(2, 2).register_backward_hook(hook)
            """,
        "number": """
            x = 3
            x.register_backward_hook(hook)
            """,
    },
)


@pytest.mark.parametrize("name", LEFT)
def test_advice(name: str) -> None:
    found = advice("TP702", LEFT[name])
    assert found
    assert all("register_full_backward_hook" in f.message for f in found)


def test_a_hook_that_ignores_the_gradients_of_inputs_is_left_in_peace() -> None:
    text = LEFT["module that is not known"]
    assert advice("TP702", text)
    assert not advice("TP702", text.replace("grad_input[0]", "grad_output[0]"))
    assert advice("TP702", LEFT["hook returns"].replace("grad_input[0].clamp(min=0)", "None"))


@pytest.mark.parametrize(("body", "count"), [("x.grad = None", 0), ("x.grad = grads[0]", 1)])
def test_a_hook_that_takes_whatever_comes(body: str, count: int) -> None:
    text = f"""import torch
class Net(torch.nn.Module):
    def __init__(self, x):
        super().__init__()
        self.register_backward_hook(self.clear)
    def clear(self, *grads):
        {body}
"""
    assert len(advice("TP702", text)) == count


def test_advice_names_the_line_to_write() -> None:
    (found,) = advice("TP702", LEFT["picks the weight"])
    assert "write net.fc.register_full_backward_hook(hook): grad_input has one" in found.message


@pytest.mark.parametrize(
    ("name", "is_in_sight"),
    [
        ("picks the weight", True),
        ("hook returns", True),
        ("module that is not known", False),
        ("in place after it", False),
        ("model of another library", False),
    ],
)
def test_nothing_is_to_be_written_where_something_may_work_in_place(
    name: str, is_in_sight: bool
) -> None:
    """The new hook makes torch refuse that."""
    for found in advice("TP702", LEFT[name]):
        assert ("write " in found.message) is is_in_sight
        end = "gives that of its inputs, where nothing changes its input or its output in place"
        assert found.message.endswith(end) is not is_in_sight


def test_of_a_module_out_of_sight_nothing_is_to_be_written_for_what_a_hook_returns() -> None:
    text = LEFT["module that is not known"].replace(
        "seen.append(grad_input[0])", "return grad_input"
    )
    (found,) = advice("TP702", text)
    assert "write " not in found.message


def test_the_old_hook_is_right_for_an_activation_in_place() -> None:
    def gradient(register: str, inplace: bool) -> torch.Tensor:
        layer, seen = torch.nn.ReLU(inplace=inplace), []
        getattr(layer, register)(lambda module, inputs, outputs: seen.append(inputs[0]))
        numbers = torch.tensor([-1.0, 2.0], requires_grad=True)
        layer(3 * numbers).sum().backward()
        return seen[0]

    right = gradient("register_full_backward_hook", False)
    assert torch.equal(gradient("register_backward_hook", True), right)
    with pytest.raises(RuntimeError, match="inplace"):
        gradient("register_full_backward_hook", True)


def test_the_old_hook_is_right_for_a_convolution_before_what_works_in_place() -> None:
    def gradient(register: str, inplace: bool) -> torch.Tensor:
        torch.manual_seed(0)
        layer, seen = torch.nn.Conv2d(1, 2, 3), []
        getattr(layer, register)(lambda module, inputs, outputs: seen.append(inputs[0]))
        image = torch.randn(1, 1, 5, 5, requires_grad=True)
        torch.nn.ReLU(inplace=inplace)(layer(image)).sum().backward()
        return seen[0]

    right = gradient("register_full_backward_hook", False)
    assert torch.equal(gradient("register_backward_hook", False), right)
    assert torch.equal(gradient("register_backward_hook", True), right)
    with pytest.raises(RuntimeError, match="inplace"):
        gradient("register_full_backward_hook", True)


@pytest.mark.parametrize(
    ("module", "is_told"),
    [("nn.ReLU", False), ("nn.Conv2d", False), ("nn.Linear", True), ("other.ReLU", True)],
)
@pytest.mark.parametrize("test", ["isinstance(module, {})", "type(module) == {}"])
def test_a_module_of_one_operation_has_no_other_last_one(
    module: str, is_told: bool, test: str
) -> None:
    """Guided back-propagation: today's hook refuses what works in place, as VGG of torchvision."""
    text = f"""
        import other
        import torch.nn as nn
        def hook(module, grad_input, grad_output):
            return (grad_input[0].clamp(min=0.0),)
        def guide(model):
            for module in model.features.modules():
                if {test.format(module)}:
                    module.register_backward_hook(hook)
        """
    assert bool(advice("TP702", text)) is (is_told or test.startswith("type"))


_BY_NUMBER = {
    "item": "seen.append(grad_input[1])",
    "last": "seen.append(grad_input[-1])",
    "unpacked": "bias, x, weight = grad_input",
    "length": "assert len(grad_input) == 3",
}


@pytest.mark.parametrize("body", _BY_NUMBER.values(), ids=_BY_NUMBER)
@pytest.mark.parametrize("name", ["module that is not known", "hook returns"])
def test_advice_names_the_lines_that_go_by_the_number_of_gradients(name: str, body: str) -> None:
    """A linear layer gives three with the old hook, and one with the new."""
    text = LEFT[name].replace("seen.append(grad_input[0])", body)
    text = text.replace("return (grad_input[0].clamp(min=0),)", body)
    (found,) = advice("TP702", text)
    written = text.strip("\n").split("\n")
    line = next(n for n, one in enumerate(written, 1) if one.strip() == body)
    end = f": look at line {line}"
    assert found.message.endswith(f"one for each of them{end}") or (
        found.message.endswith(f"one gradient for each input of the module then{end}")
    )


@pytest.mark.parametrize(
    "body", ["seen.append(grad_input[0])", "seen.append(grad_input)", "x = list(grad_input)"]
)
def test_other_lines_of_a_hook_are_not_named(body: str) -> None:
    text = LEFT["module that is not known"].replace("seen.append(grad_input[0])", body)
    (found,) = advice("TP702", text)
    assert "look at" not in found.message
    assert "for each of them" not in found.message


_OWN_HOOK = """
import torch.nn as nn
import torch.nn.functional as F
class Layer(nn.Linear):
    def __init__(self):
        super().__init__(3, 4)
        self.register_backward_hook(self.keep)
    def keep(self, module, grad_input, grad_output):
        self.grad = grad_input[1]
    def forward(self, {inputs}):
        return F.relu_(F.linear(x, self.weight, self.bias))
"""


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ("x", "one for each of them, grad_input[0] alone: look at line 8"),
        ("*x", "one for each of them: look at line 8"),
        ("x, *more", "one for each of them: look at line 8"),
        ("x, scale", None),
    ],
)
def test_the_number_of_inputs_is_that_of_forward(inputs: str, told: str | None) -> None:
    (found,) = advice("TP702", _OWN_HOOK.format(inputs=inputs))
    assert found.message.endswith(told) if told else "look at" not in found.message


@pytest.mark.parametrize(
    ("body", "is_said"),
    [("seen.append(grad_input[0])", True), ("seen.append(grad_input[1])", False)],
)
def test_it_is_said_of_which_modules_both_hooks_give_the_same(body: str, is_said: bool) -> None:
    """What is hooked is often the first convolution of a model that a function is given.

    Where the number of gradients matters, a convolution's weight has one in the old hook alone.
    """
    text = f"""
            class Shown:
                def __init__(self, model):
                    first = list(model.features._modules.items())[0][1]
                    first.register_backward_hook(self.keep)
                def keep(self, module, grad_input, grad_output):
                    {body}
            """
    (found,) = advice("TP702", text)
    assert ("which is all of a convolution or an activation; of others" in found.message) is is_said


def test_the_new_hook_gives_one_gradient_where_the_old_one_gave_three() -> None:
    def number(register: str) -> int:
        layer, seen = torch.nn.Linear(3, 4), []
        getattr(layer, register)(lambda module, inputs, outputs: seen.append(len(inputs)))
        layer(torch.randn(2, 3, requires_grad=True)).sum().backward()
        return seen[0]

    assert number("register_backward_hook") == 3
    assert number("register_full_backward_hook") == 1


_WITH_DATA = f"""{NET}
            def hook(module, grad_input, grad_output):
                norms.append(grad_input[0].norm())
            net.fc.register_backward_hook(hook)
            """


def test_a_hook_that_calculates_with_the_gradient_of_data_is_not_moved() -> None:
    """Of data there is no gradient, and the new hook gives None."""
    (found,) = advice("TP702", _WITH_DATA)
    assert found.message.endswith(
        "; for an input that needs none, such as data, it is None, and line 12 raises"
    )


def test_the_line_that_raises_for_data_is_told_of_a_module_out_of_sight_too() -> None:
    text = LEFT["module that is not known"].replace("grad_input[0]", "grad_input[0] * 2")
    (found,) = advice("TP702", text)
    assert found.message.endswith("it is None, and line 2 raises")


@pytest.mark.parametrize(
    "body",
    [
        "seen.append(grad_input[0])",
        "seen.append(grad_output[0].norm() if grad_input[0] is None else grad_input[0].norm())",
        "seen.append(grad_input[0] and grad_input[0].norm())",
    ],
)
def test_no_line_is_told_that_takes_none_or_asks_first(body: str) -> None:
    text = LEFT["module that is not known"].replace("seen.append(grad_input[0])", body)
    (found,) = advice("TP702", text)
    assert "raises" not in found.message


test_rewrites_where_none_is_asked_for = rewrites(
    "TP702",
    {
        "asks first": (
            f"""{NET}
            def hook(module, grad_input, grad_output):
                if grad_input[0] is not None:
                    norms.append(grad_input[0].norm())
            net.fc.register_backward_hook(hook)
            """,
            f"""{NET}
            def hook(module, grad_input, grad_output):
                if grad_input[0] is not None:
                    norms.append(grad_input[0].norm())
            net.fc.register_full_backward_hook(hook)
            """,
        )
    },
)


def test_the_new_hook_gives_none_for_data() -> None:
    def given(register: str) -> object:
        layer, seen = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh()), []
        getattr(layer, register)(lambda module, inputs, outputs: seen.append(inputs[0]))
        layer(torch.randn(2, 3)).sum().backward()
        return seen[0]

    assert isinstance(given("register_backward_hook"), torch.Tensor)
    assert given("register_full_backward_hook") is None
