from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_HEAD = "import numpy as np\nimport torch\nx, y = torch.ones(3), torch.ones(1)\nxs = [x, y]\n"
_OLD = Options(era=Era((0, 4), (1, 4)))

_TOLD = {
    "np.array([y, y])": "write torch.stack([y, y]).numpy() for all numbers, np.array([y, y]).re",
    "np.array((y, x))": "write torch.stack((y, x)).numpy() for all",
    "np.asarray(xs)": "write torch.stack(xs).numpy() for all numbers, np.asarray(xs).reshape(-1) for",
    "np.array([row for row in torch.ones(4, 2)])": "write torch.stack(",
    "np.array(torch.ones(4, 2).split(1))": "write torch.stack(torch.ones(4, 2).split(1)).numpy()",
    "np.array(xs, dtype=None)": "write torch.stack(xs).numpy() for all",
    "np.array(xs, dtype=float)": "write np.array(xs, dtype=float).reshape(-1) for one number each",
    "np.array(xs, np.float32)": "write np.array(xs, np.float32).reshape(-1) for one number each",
    "np.array(xs, dtype=object)": "write objects = np.empty(len(xs), dtype=object), and objects[:]",
    "np.array(xs, np.object)": "write objects = np.empty(len(xs), dtype=object)",
    "np.array(xs, 'O')": "write objects = np.empty(len(xs), dtype=object)",
    "np.array(xs).reshape(2, -1)": "write torch.stack(xs).numpy()",
    "np.array(xs).argsort()": "write torch.stack(xs).numpy()",
    "np.array(xs).mean(0)": "write torch.stack(xs).numpy()",
    "np.array(xs).shape": "write torch.stack(xs).numpy()",
}


@pytest.mark.parametrize(("code", "write"), _TOLD.items())
def test_an_array_of_tensors_is_told(code: str, write: str) -> None:
    (finding,) = advice("TP426", _HEAD + code, options=_OLD)
    assert write in finding.message
    assert not advice("TP426", _HEAD + code)
    assert not advice("TP426", _HEAD + code, options=Options(era=Era((0, 4), (2, 0))))


def test_what_a_list_gets_in_a_loop_is_seen() -> None:
    code = "zs = []\nfor row in torch.ones(4, 2):\n    zs.append(row)\nz = np.array(zs)\n"
    assert len(advice("TP426", _HEAD + code, options=_OLD)) == 1
    assert not advice("TP426", _HEAD + code.replace("append(row)", "append(3)"), options=_OLD)


@pytest.mark.parametrize(
    "code",
    [
        "np.array([x.sum(), y.mean()])",
        "np.array([x, y.sum()])",
        "np.array([x, 3.0])",
        "np.array([x, None])",
        "np.array([])",
        "np.array([[x], [y]])",
        "np.array([x.numpy(), y.numpy()])",
        "np.array([x.item() for x in xs])",
        "np.array(x)",
        "np.array()",
        "np.array([torch.ones(2, requires_grad=True), x])",
        "np.stack(xs)",
        "np.concatenate(xs)",
        "torch.stack(xs).numpy()",
        "np.array(xs).reshape(-1)",
        "np.array(xs).ravel()",
        "np.array(xs).mean()",
        "def f(zs): return np.array(zs)",
        "def f(z): return np.array([z, z])",
        "def f(np): return np.array(xs)",
        "class np:\n    array = list\nnp.array(xs)",
        "import jax.numpy as jnp\njnp.array(xs)",
    ],
)
def test_other_arrays_are_not(code: str) -> None:
    assert not advice("TP426", _HEAD + code, options=_OLD)


def test_the_name_of_numpy_is_that_of_the_file() -> None:
    head = "import numpy\nimport torch\nxs = [torch.ones(2)]\n"
    (finding,) = advice("TP426", f"{head}z = numpy.array(xs, dtype=object)\n", options=_OLD)
    assert "write objects = numpy.empty(len(xs), dtype=object)" in finding.message


test_keeps = keeps("TP426", {"told": f"{_HEAD}z = np.array(xs)\n"})


def test_nothing_is_rewritten() -> None:
    assert migrate(f"{_HEAD}z = np.array(xs)\n", "TP426", options=_OLD).text.endswith("array(xs)\n")
