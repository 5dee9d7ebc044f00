"""Branches for Variables above others for tensors, which ask the same today (TP101)."""

from __future__ import annotations

import re
import textwrap

import pytest
import torch

from tests.support.rules import advice, keeps, migrate, rewrites

test_rewrites = rewrites(
    "TP101",
    {
        "both do the same": (
            """
            import torch
            from torch.autograd import Variable
            def numpy(x):
                if isinstance(x, Variable):
                    return x.data.cpu().numpy()
                elif torch.is_tensor(x):
                    return x.data.cpu().numpy()
                return x
            """,
            """
            import torch
            def numpy(x):
                if isinstance(x, torch.Tensor):
                    return x.data.cpu().numpy()
                return x
            """,
        ),
        "they differ by what a tensor needs not": (
            """
            import torch
            from torch.autograd import Variable
            def add(self, x, y):
                if isinstance(x, Variable):
                    self.n += x.data.numel()
                    self.all.append(x)
                elif isinstance(x, torch.Tensor):
                    self.n += x.numel()
                    self.all.append(Variable(x))
            """,
            """
            import torch
            def add(self, x, y):
                if isinstance(x, torch.Tensor):
                    self.n += x.data.numel()
                    self.all.append(x)
            """,
        ),
        "of one type below": (
            """
            import torch
            from torch.autograd import Variable
            def size(x):
                if isinstance(x, Variable):
                    return x.data.numpy()
                elif isinstance(x, torch.FloatTensor):
                    return x.numpy()
                else:
                    raise ValueError(x)
            """,
            """
            import torch
            def size(x):
                if isinstance(x, torch.Tensor):
                    return x.data.numpy()
                else:
                    raise ValueError(x)
            """,
        ),
        "in a statement of its own": (
            """
            import torch
            from torch.autograd import Variable
            def scalar(x):
                if isinstance(x, Variable):
                    return x.data.cpu().numpy().flatten()[0]
                if torch.is_tensor(x):
                    return x.cpu().numpy().flatten()[0]
                raise TypeError(x)
            """,
            """
            import torch
            def scalar(x):
                if isinstance(x, torch.Tensor):
                    return x.data.cpu().numpy().flatten()[0]
                raise TypeError(x)
            """,
        ),
        "in a statement of its own with others around it": (
            """
            import torch
            from torch.autograd import Variable
            def scalar(x):
                if isinstance(x, list):
                    x = x[0]
                if isinstance(x, Variable):
                    return x.data.norm()
                if isinstance(x, torch.Tensor):
                    return x.norm()
            """,
            """
            import torch
            def scalar(x):
                if isinstance(x, list):
                    x = x[0]
                if isinstance(x, torch.Tensor):
                    return x.data.norm()
            """,
        ),
        "of one type below that does something else": (
            """
            import torch
            from torch.autograd import Variable
            def size(x):
                if isinstance(x, Variable):
                    return x.data.numpy()
                elif isinstance(x, torch.FloatTensor):
                    return x.numpy().T
            """,
            """
            import torch
            def size(x):
                if isinstance(x, torch.Tensor):
                    return x.data.numpy()
                elif isinstance(x, torch.FloatTensor):
                    return x.numpy().T
            """,
        ),
        "more branches below": (
            """
            import torch
            from torch.autograd import Variable
            def size(x):
                if isinstance(x, Variable):
                    n = x.size(0)
                elif isinstance(x, torch.Tensor):
                    n = x.size(0)
                elif isinstance(x, dict):
                    # of its values
                    n = 1
                else:
                    n = 0
                return n
            """,
            """
            import torch
            def size(x):
                if isinstance(x, torch.Tensor):
                    n = x.size(0)
                elif isinstance(x, dict):
                    # of its values
                    n = 1
                else:
                    n = 0
                return n
            """,
        ),
        "branches above": (
            """
            import torch
            from torch.autograd import Variable
            def size(x):
                if isinstance(x, dict):
                    n = 1
                elif x is None:
                    n = 0
                elif isinstance(x, Variable):
                    n = x.size(0)
                elif isinstance(x, torch.Tensor):
                    n = x.size(0)
                return n
            """,
            """
            import torch
            def size(x):
                if isinstance(x, dict):
                    n = 1
                elif x is None:
                    n = 0
                elif isinstance(x, torch.Tensor):
                    n = x.size(0)
                return n
            """,
        ),
        "of something else": (
            """
            import torch
            from torch.autograd import Variable
            def size(x, y):
                if isinstance(x, Variable):
                    return x.size(0)
                elif isinstance(y, torch.Tensor):
                    return y.size(0)
            """,
            """
            import torch
            def size(x, y):
                if isinstance(x, torch.Tensor):
                    return x.size(0)
                elif isinstance(y, torch.Tensor):
                    return y.size(0)
            """,
        ),
        "not asked for alone": (
            """
            import torch
            from torch.autograd import Variable
            def size(x):
                if isinstance(x, Variable):
                    return x.shape
                elif isinstance(x, (list, torch.Tensor)):
                    return x.shape
            """,
            """
            import torch
            def size(x):
                if isinstance(x, torch.Tensor):
                    return x.shape
                elif isinstance(x, (list, torch.Tensor)):
                    return x.shape
            """,
        ),
        "not asked alone": (
            """
            import torch
            from torch.autograd import Variable
            def size(x, deep):
                if isinstance(x, Variable):
                    return x.size(0)
                elif isinstance(x, torch.Tensor) and deep:
                    return x.size(1)
            """,
            """
            import torch
            def size(x, deep):
                if isinstance(x, torch.Tensor):
                    return x.size(0)
                elif isinstance(x, torch.Tensor) and deep:
                    return x.size(1)
            """,
        ),
    },
)

_OTHERS = {
    "something else": """
        import torch
        from torch.autograd import Variable
        def numpy(x):
            if isinstance(x, Variable):
                return x.data.cpu().numpy()
            elif isinstance(x, torch.Tensor):
                return x.numpy()
        """,
    "data of something else": """
        import torch
        from torch.autograd import Variable
        def numpy(x, y):
            if isinstance(x, Variable):
                return x.size(0), y.data
            elif isinstance(x, torch.Tensor):
                return x.size(0), y
        """,
    "further below": """
        import torch
        from torch.autograd import Variable
        def size(x):
            if isinstance(x, Variable):
                return x.size(0)
            elif x is None:
                return 0
            elif torch.is_tensor(x):
                return x.size(0)
        """,
    "a comment": """
        import torch
        from torch.autograd import Variable
        def size(x):
            if isinstance(x, Variable):
                return x.size(0)
            elif isinstance(x, torch.Tensor):
                # one of the loader's
                return x.size(0)
        """,
    "below an else": """
        import torch
        from torch.autograd import Variable
        def size(x):
            if isinstance(x, Variable):
                return x.size(0)
            else:
                if torch.is_tensor(x):
                    return x.size(0)
        """,
}

test_keeps = keeps("TP101", _OTHERS)


@pytest.mark.parametrize("name", _OTHERS)
def test_says_that_one_never_runs(name: str) -> None:
    (finding,) = advice("TP101", _OTHERS[name])
    assert re.search(r"none the one in line [678]: ", finding.message)
    assert finding.line == 4


_PASSED_BY = {
    "a type above": (
        """
        import torch
        from torch.autograd import Variable
        def run(x, model):
            if isinstance(x, torch.FloatTensor):
                return model(x).data
            elif isinstance(x, Variable):
                return model(x)
        """,
        "every tensor of that type takes the branch of line 4 today",
    ),
    "types above what is no Variable": (
        """
        import torch
        from torch.autograd import Variable
        def run(x, model):
            if isinstance(x, (torch.LongTensor, torch.cuda.LongTensor)):
                is_tensor = True
            elif x is not None and not isinstance(x, Variable):
                x = torch.from_numpy(x)
            return model(x)
        """,
        "every tensor of that type takes the branch of line 4 today",
    ),
    "every tensor above what is no Variable": (
        """
        import torch
        from torch.autograd import Variable
        def run(x, model):
            if torch.is_tensor(x):
                return model(x).data
            elif not isinstance(x, Variable):
                return model(torch.from_numpy(x))
            return model(x)
        """,
        "every tensor takes the branch of line 4 today",
    ),
    "a way out above": (
        """
        import torch
        from torch.autograd import Variable
        def run(x, model):
            if x is None or isinstance(x, torch.cuda.HalfTensor):
                return 0
            if model is None:
                return 1
            if isinstance(x, (list, Variable)):
                return model(x)
        """,
        "every tensor of that type takes the branch of line 4 today",
    ),
}


@pytest.mark.parametrize("name", _PASSED_BY)
def test_says_that_variables_take_a_branch_that_they_passed_by(name: str) -> None:
    text, said = _PASSED_BY[name]
    (finding,) = advice("TP101", text)
    assert finding.message.startswith(said)
    assert "isinstance(x, torch.Tensor)" not in migrate(textwrap.dedent(text), "TP101").text


def test_what_was_a_variable_is_of_a_type_today() -> None:
    assert isinstance(torch.ones(2, requires_grad=True), torch.FloatTensor)


_NOT_TAKEN = {
    "of something else": "if isinstance(y, torch.FloatTensor):\n    z = 1\nelif not {}: z = 2",
    "of some of them": "if isinstance(x, torch.FloatTensor) and y:\n    z = 1\nelif {}: z = 2",
    "of a class of the user": "if isinstance(x, FloatTensor):\n    z = 1\nelif {}: z = 2",
    "of an array": "if isinstance(x, np.ndarray):\n    z = 1\nelif not {}: z = 2",
    "of its data": "if isinstance(x.data, torch.FloatTensor):\n    z = 1\nelif {}: z = 2",
    "goes on below": "if isinstance(x, torch.FloatTensor):\n    z = 1\nif {}: z = 2",
    "is another below": "if isinstance(x, torch.FloatTensor):\n    return\nx = y\nif {}: z = 2",
    "is below": "if {}:\n    z = 1\nelif isinstance(x, np.ndarray): z = 2",
    "is no branch": "if isinstance(x, torch.FloatTensor):\n    return\nz = {}",
}


@pytest.mark.parametrize("name", _NOT_TAKEN)
def test_what_variables_still_pass_by(name: str) -> None:
    head = "import numpy as np\nimport torch\nfrom torch.autograd import Variable\n"
    body = "\n    ".join(_NOT_TAKEN[name].split("\n"))
    text = head + "class FloatTensor: pass\ndef f(x, y):\n    " + body + "\n    return z\n"
    after = migrate(text.format("isinstance(x, Variable)"), "TP101").text
    assert after == text.replace(head.splitlines()[2] + "\n", "").format(
        "isinstance(x, torch.Tensor)"
    )
    assert not advice("TP101", text.format("isinstance(x, Variable)"))


@pytest.mark.parametrize(
    ("kind", "does"),
    [
        ("torch.FloatTensor", "detaches these tensors"),
        ("(torch.LongTensor, torch.cuda.HalfTensor)", "detaches these tensors"),
        ("(torch.LongTensor, torch.cuda.LongTensor)", "does nothing to these whole numbers"),
    ],
)
def test_a_branch_that_only_wrapped_is_said_to_go(kind: str, does: str) -> None:
    text = """
        import torch
        from torch.autograd import Variable
        def run(x, model):
            if isinstance(x, KIND):
                x = Variable(x)
            elif not isinstance(x, Variable):
                raise ValueError(x)
            return model(x)
        """.replace("KIND", kind)
    (finding,) = advice("TP101", text)
    assert finding.line == 5
    assert finding.message.endswith(f"today it {does}: drop the call")
    assert "elif not isinstance(x, torch.Tensor):" in migrate(textwrap.dedent(text), "TP101").text


_ONLY_PLAIN = {
    "one of two": "if isinstance(x, Variable) or isinstance(y, Variable):\n    raise TypeError",
    "alone": "if isinstance(x, Variable):\n    print(x)\n    raise TypeError",
    "among others": "if isinstance(x, (str, Variable)):\n    raise TypeError",
    "behind others": "if y:\n    y = 1\nelif isinstance(x, Variable):\n    raise TypeError",
    "an assertion": "assert not isinstance(x, Variable), y",
    "behind one for both": """if isinstance(x, Variable) and isinstance(y, Variable):
    return x.data, y.data
elif isinstance(x, Variable) or isinstance(y, Variable):
    raise TypeError""",
}


@pytest.mark.parametrize("name", _ONLY_PLAIN)
def test_what_raises_for_variables_let_plain_tensors_pass(name: str) -> None:
    head = "import torch\nfrom torch.autograd import Variable\ndef f(x, y):\n    "
    text = head + _ONLY_PLAIN[name].replace("\n", "\n    ") + "\n    return x, y\n"
    assert migrate(text, "TP101").text == text
    (finding,) = advice("TP101", text)
    assert finding.message.endswith(
        "today every tensor that comes here raises: drop the test if those are to pass"
    )
    lines = text.splitlines()
    assert "raise" in "".join(lines[finding.line - 1 :]) or "assert" in lines[finding.line - 1]
    assert "and" not in lines[finding.line - 1]


_ALL_ALIKE = {
    "of what is none": "if not isinstance(x, Variable):\n    raise TypeError",
    "an assertion that it is one": "assert isinstance(x, Variable)",
    "plain ones raised, too": "if isinstance(x, (Variable, torch.Tensor)):\n    raise TypeError",
    "asked for as well": "if isinstance(x, Variable) or torch.is_tensor(x):\n    raise TypeError",
    "of some of them": "if isinstance(x, Variable) and x.requires_grad:\n    raise TypeError",
    "something else raises": "if isinstance(x, Variable):\n    return\nif y:\n    raise TypeError",
    "raises behind it": "if isinstance(x, Variable):\n    return\nelse:\n    raise TypeError",
    "for a file of a later torch": "torch.set_grad_enabled(True)\nif isinstance(x, Variable):\n    raise TypeError",
}


@pytest.mark.parametrize("name", _ALL_ALIKE)
def test_what_raises_for_no_tensor_that_passed(name: str) -> None:
    head = "import torch\nfrom torch.autograd import Variable\ndef f(x, y):\n    "
    text = head + _ALL_ALIKE[name].replace("\n", "\n    ") + "\n    return x, y\n"
    assert not advice("TP101", text)
    assert "Variable" not in migrate(text, "TP101").text


_AGAIN = """
import torch
from torch.autograd import Variable
def turned(x):
    {above}if isinstance(x, Variable):
        {does}
    return x.index_select(0, torch.LongTensor([1, 0]))
"""


@pytest.mark.parametrize("above", ["", "if isinstance(x, list):\n        return x\n    el"])
@pytest.mark.parametrize(
    ("does", "is_put_back"),
    [
        ("x.data = turned(x.data)\n        return x", True),
        ("other = x\n        other.data = turned(other.data)\n        return other", True),
        ("return Variable(turned(x.data))", False),
        ("x = turned(x.data)\n        return x", False),
    ],
)
def test_what_gets_other_data_keeps_its_graph(above: str, does: str, is_put_back: bool) -> None:
    (found,) = (f for f in advice("TP101", _AGAIN.format(above=above, does=does)) if f.line < 8)
    said = "put what the function does with the data into one of its own, and call that here"
    assert found.message.endswith(said) is is_put_back
    assert is_put_back or "x = x.detach()" in found.message or "no_grad" in found.message


@pytest.mark.parametrize(
    ("first", "between", "second"),
    [
        pytest.param("return x.data.norm()", "", "return x", id="does something else"),
        pytest.param("print(x)", "", "print(x)", id="goes on"),
        pytest.param("return 1", "x = x[0]", "return 1", id="asks for something else"),
        pytest.param("return 1", "print(x)", "return 1", id="something between"),
        pytest.param("return 1", "", "return 1  # as above", id="a comment"),
        pytest.param("return 1", "# of tensors", "return 1", id="a comment between"),
        pytest.param("return 1", "", "return 1\n    else:\n        return 2", id="with an else"),
        pytest.param("return 1\n    else:\n        x = 2", "", "return 1", id="an else above"),
    ],
)
def test_a_statement_below_that_may_run_stays(first: str, between: str, second: str) -> None:
    head = "import torch\nfrom torch.autograd import Variable\ndef f(x):\n"
    asked = "    if torch.is_tensor(x):\n"
    text = f"{head}    if isinstance(x, Variable):\n        {first}\n    {between}\n{asked}        {second}\n"
    assert asked in migrate(text, "TP101").text


@pytest.mark.parametrize(
    ("lines", "dropped"),
    [
        ("    if torch.is_tensor(x):\n        x = Variable(x)", "branch"),
        (
            "    if model is None:\n        pass\n    elif torch.is_tensor(x):\n        x = Variable(x)",
            "branch",
        ),
        (
            "    if torch.is_tensor(x):\n        x = Variable(x)\n    else:\n        print(x)",
            "call",
        ),
        ("    if torch.is_tensor(x):\n        x = Variable(x)\n        print(x)", "call"),
    ],
)
def test_a_branch_that_does_nothing_else_goes_whole(lines: str, dropped: str) -> None:
    head = "import torch\nfrom torch.autograd import Variable\ndef run(x, model):\n"
    (finding,) = advice("TP101", f"{head}{lines}\n    return model(x)\n")
    assert finding.message.endswith(f"today it detaches every tensor: drop the {dropped}")
