"""The numbers that Python's standard library gives: the table is held against what it returns."""

from __future__ import annotations

import importlib
import random

import pytest

from tests.facts.test_values import value_of
from torchfix_codemods.facts.values import standard_library
from torchfix_codemods.facts.values.lattice import Foreign, Number, Tensor, Text

_ARGUMENTS: dict[str, tuple[object, ...]] = {
    "math.dist": ([0.0], [1.0]),
    "math.fsum": ([1.0, 2.0],),
    "math.acosh": (2.0,),
    "math.ldexp": (1.0, 2),
    **dict.fromkeys(
        ("math.factorial", "math.isqrt", "random.getrandbits", "random.randrange"), (4,)
    ),
    **dict.fromkeys(("math.comb", "math.perm", "math.gcd", "math.lcm", "random.randint"), (1, 4)),
    **dict.fromkeys(
        """math.atan2 math.copysign math.fmod math.hypot math.pow math.remainder math.isclose
        random.betavariate random.gammavariate random.gauss random.lognormvariate
        random.normalvariate random.triangular random.uniform random.vonmisesvariate
        random.weibullvariate""".split(),
        (1.0, 2.0),
    ),
    **dict.fromkeys(
        """random.random time.monotonic time.perf_counter time.process_time time.time
        timeit.default_timer time.time_ns os.getpid""".split(),
        (),
    ),
}


@pytest.mark.parametrize("name", standard_library._FUNCTIONS)
def test_functions_return_what_the_table_says(name: str) -> None:
    random.seed(0)
    module, _, function = name.rpartition(".")
    result = getattr(importlib.import_module(module), function)(*_ARGUMENTS.get(name, (0.5,)))
    assert type(result).__name__ == standard_library._FUNCTIONS[name]


@pytest.mark.parametrize("name", sorted(standard_library._TEXTS))
def test_constants_that_the_table_calls_texts_are_none_else(name: str) -> None:
    module, _, constant = name.rpartition(".")
    # Python 2 had three more in string.
    found = getattr(importlib.import_module(module), constant, "")
    assert isinstance(found, str) and (found or name.startswith("string."))


def test_what_is_made_of_constant_texts_is_known() -> None:
    text = "import string\nletters = string.ascii_letters + '.'\n"
    assert isinstance(value_of(f"{text}look(letters)"), Text)
    assert value_of(f"{text}look(letters.find('a'))") == Number("int")
    assert not isinstance(value_of(f"{text}look(string.capwords)"), Text)


def test_numbers_are_known_by_all_their_names() -> None:
    assert value_of("import math\nlook(math.pi)") == Number("float")
    assert value_of("from math import pi as p\nlook(2 * p)") == Number("float")
    assert value_of("look(np.pi / 2)") == Number("float")
    assert value_of("from math import floor\nlook(floor(x))") == Number("int")
    assert value_of("import random\nlook(random.random())") == Number("float")


def test_a_tensor_times_a_number_stays_outside_of_any_graph() -> None:
    value = value_of("import math\nlook(torch.zeros(3) * math.sqrt(2 * math.pi))")
    assert isinstance(value, Tensor) and value.grad is False and value.ndim == 1


@pytest.mark.parametrize(
    "text",
    [
        "def pi(): return x\nlook(pi)",
        "from mymath import pi\nlook(pi)",
        "import mymath as math\nlook(math.pi)",
        "import math\nmath = x\nlook(math.pi)",
        "look(math.pi)",
        "import math\nlook(math.inf(3))",
        "class math:\n    pi = x\nlook(math.pi)",
    ],
)
def test_what_is_called_so_and_may_be_no_number(text: str) -> None:
    assert not isinstance(value_of(text), Number)


def test_other_functions_give_other_objects() -> None:
    assert value_of("import math\nlook(math.frexp(2.0))") == Foreign("math.frexp")
    assert value_of("import random\nlook(random.getstate())") == Foreign("random.getstate")
