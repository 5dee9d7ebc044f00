from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

test_rewrites = rewrites(
    "TP905",
    {
        "the parameters of a function, read by their names": (
            """
            import inspect
            import torch
            def f(function, wrapped):
                if wrapped is None:
                    signature = inspect.getargspec(function)
                else:
                    signature = inspect.getargspec(wrapped)
                return signature.args[1:], signature.defaults
            """,
            """
            import inspect
            import torch
            def f(function, wrapped):
                if wrapped is None:
                    signature = inspect.getfullargspec(function)
                else:
                    signature = inspect.getfullargspec(wrapped)
                return signature.args[1:], signature.defaults
            """,
        ),
        "casts of numpy": (
            """
            import numpy as np
            import torch
            a = [np.cast['float32'](1),] * n
            b = np.cast[np.int64](x + 1)
            c = np.cast[x.dtype](y)
            """,
            """
            import numpy as np
            import torch
            a = [np.array(1, dtype='float32'),] * n
            b = np.array(x + 1, dtype=np.int64)
            c = np.array(y, dtype=x.dtype)
            """,
        ),
        "which elements are in others, where their shape makes no difference": (
            """
            import numpy as np
            import torch
            names = ["a", "b"]
            assert np.all(np.in1d(names, keys))
            found = np.in1d((1, 2), known)
            mask = np.in1d(labels, list(wanted)).reshape(labels.shape)
            mask = ~np.in1d(labels, wanted).reshape(labels.shape)
            mask = np.in1d(labels, wanted).reshape(others.shape)
            mask = np.in1d(labels, wanted).reshape(labels.shape[0], -1)
            if np.in1d(labels, wanted, invert=True).any() or np.any(np.in1d(labels, wanted)):
                pass
            """,
            """
            import numpy as np
            import torch
            names = ["a", "b"]
            assert np.all(np.isin(names, keys))
            found = np.isin((1, 2), known)
            mask = np.isin(labels, list(wanted))
            mask = ~np.isin(labels, wanted)
            mask = np.isin(labels, wanted).reshape(others.shape)
            mask = np.isin(labels, wanted).reshape(labels.shape[0], -1)
            if np.isin(labels, wanted, invert=True).any() or np.any(np.isin(labels, wanted)):
                pass
            """,
        ),
        "which elements are in others, of any shape": (
            """
            import numpy as np
            import torch
            found = np.in1d(labels, wanted)
            found = np.in1d([labels, more], wanted)
            found = np.all(np.in1d(labels, wanted), axis=0)
            found = np.any(np.in1d(labels, wanted), 0)
            found = np.in1d(labels, wanted).all(0)
            found = np.in1d(labels, wanted).reshape(labels.shape, order="F")
            found = np.in1d(labels, wanted).nonzero()
            found = np.where(np.in1d(labels, wanted))
            """,
            """
            import numpy as np
            import torch
            found = np.isin(labels, wanted).ravel()
            found = np.isin([labels, more], wanted).ravel()
            found = np.all(np.isin(labels, wanted).ravel(), axis=0)
            found = np.any(np.isin(labels, wanted).ravel(), 0)
            found = np.isin(labels, wanted).ravel().all(0)
            found = np.isin(labels, wanted).ravel().reshape(labels.shape, order="F")
            found = np.isin(labels, wanted).ravel().nonzero()
            found = np.where(np.isin(labels, wanted).ravel())
            """,
        ),
        "arrays of objects": (
            """
            import numpy as np
            import torch
            class Data:
                def __init__(self):
                    self.labels = np.load("labels.npy").item()
                def __getitem__(self, key):
                    return self.labels[key]
            def f(path):
                weights = np.load(path, encoding="latin1")
                more = np.load(path, encoding='bytes').item()
                for name, weight in np.load(path)[()].items():
                    print(name)
                stats = np.load(path)
                stats = stats.tolist()
                return stats["mean"], np.load(path).item()["std"], np.load(path).item().get(1)
            """,
            """
            import numpy as np
            import torch
            class Data:
                def __init__(self):
                    self.labels = np.load("labels.npy", allow_pickle=True).item()
                def __getitem__(self, key):
                    return self.labels[key]
            def f(path):
                weights = np.load(path, encoding="latin1", allow_pickle=True)
                more = np.load(path, encoding='bytes', allow_pickle=True).item()
                for name, weight in np.load(path, allow_pickle=True)[()].items():
                    print(name)
                stats = np.load(path, allow_pickle=True)
                stats = stats.tolist()
                return stats["mean"], np.load(path, allow_pickle=True).item()["std"], np.load(path, allow_pickle=True).item().get(1)
            """,
        ),
        "truth of what is compared, and of arrays": (
            """
            import numpy as np
            import torch
            def f(costs, others, x: torch.Tensor):
                assert np.alltrue(costs < others)
                return np.sometrue(x), np.alltrue(costs, 1), np.sometrue(costs[0])
            """,
            """
            import numpy as np
            import torch
            def f(costs, others, x: torch.Tensor):
                assert (costs < others).all()
                return x.any(), np.all(costs, 1), np.any(costs[0])
            """,
        ),
        "truth of what one object is": (
            """
            import numpy as np
            import torch
            y = np.alltrue(x is z), np.alltrue(a < b < c), np.sometrue(a > b, 0)
            """,
            """
            import numpy as np
            import torch
            y = np.all(x is z), np.all(a < b < c), np.any(a > b, 0)
            """,
        ),
        "places that became keywords": (
            """
            from torch.autograd import gradcheck
            import torch.autograd as autograd
            a = gradcheck(f, (x,), 1e-6, 1e-4)
            b = autograd.gradcheck(f, (x,), 1e-6, atol=1e-4)
            """,
            """
            from torch.autograd import gradcheck
            import torch.autograd as autograd
            a = gradcheck(f, (x,), eps=1e-6, atol=1e-4)
            b = autograd.gradcheck(f, (x,), eps=1e-6, atol=1e-4)
            """,
        ),
        "what was not given": (
            """
            import torch
            a = torch.linspace(-1, 1)
            b = torch.meshgrid(
                a,  # columns
                a,
            )
            c = torch.meshgrid(*grids)
            """,
            """
            import torch
            a = torch.linspace(-1, 1, steps=100)
            b = torch.meshgrid(
                a,  # columns
                a,
                indexing="ij",
            )
            c = torch.meshgrid(*grids, indexing="ij")
            """,
        ),
        "a dimension at the fourth place": (
            """
            import torch
            u, i = torch.unique(x, True, True, 0)
            """,
            """
            import torch
            u, i = torch.unique(x, True, True, dim=0)
            """,
        ),
        "one draw": (
            """
            import torch
            p = torch.ones(3)
            a = p.multinomial()
            b = torch.multinomial(p, replacement=True)
            """,
            """
            import torch
            p = torch.ones(3)
            a = p.multinomial(1)
            b = torch.multinomial(p, 1, replacement=True)
            """,
        ),
        "YAML without a loader": (
            """
            import torch
            import yaml as y
            with open("config.yml") as f:
                a = y.load(f)
            b = dict(y.load(stream=f))
            """,
            """
            import torch
            import yaml as y
            with open("config.yml") as f:
                a = y.load(f, Loader=y.FullLoader)
            b = dict(y.load(stream=f, Loader=y.FullLoader))
            """,
        ),
        "YAML that the project writes itself, with objects of Python": (
            """
            import torch, yaml
            with open("models.yml", "w") as f:
                yaml.dump({"name": names[0]}, f)
            a = yaml.load(f)
            """,
            """
            import torch, yaml
            with open("models.yml", "w") as f:
                yaml.dump({"name": names[0]}, f)
            a = yaml.load(f, Loader=yaml.UnsafeLoader)
            """,
        ),
        "YAML beside what an object of the same name's method loads": (
            """
            import pickle, torch, yaml
            if exists:
                a = yaml.load(f)
            else:
                u = pickle.Unpickler(f)
                a = u.load()
            """,
            """
            import pickle, torch, yaml
            if exists:
                a = yaml.load(f, Loader=yaml.FullLoader)
            else:
                u = pickle.Unpickler(f)
                a = u.load()
            """,
        ),
        "YAML that is written without objects of Python": (
            """
            import torch, yaml
            yaml.safe_dump({"name": 1}, f)
            a = yaml.load(f)
            """,
            """
            import torch, yaml
            yaml.safe_dump({"name": 1}, f)
            a = yaml.load(f, Loader=yaml.FullLoader)
            """,
        ),
        "arrays of bytes": (
            """
            import numpy as np
            a = np.fromstring(canvas.tostring_rgb(), dtype=np.uint8, sep='').reshape(h, w, 3)
            b = cv2.imdecode(np.fromstring(data, np.uint8), 1)
            """,
            """
            import numpy as np
            a = np.frombuffer(canvas.tostring_rgb(), dtype=np.uint8).copy().reshape(h, w, 3)
            b = cv2.imdecode(np.frombuffer(data, np.uint8).copy(), 1)
            """,
        ),
        "elements of an array of bytes": (
            """
            import numpy as np
            def f(data):
                r = np.fromstring(data, np.float32)
                return r[0] + r[1]
            def g(data):
                return np.fromstring(data, np.float32)[0]
            """,
            """
            import numpy as np
            def f(data):
                r = np.frombuffer(data, np.float32)
                return r[0] + r[1]
            def g(data):
                return np.frombuffer(data, np.float32)[0]
            """,
        ),
        "more than elements of an array of bytes, and elements that are read later": (
            """
            import numpy as np
            def f(data):
                r = np.fromstring(data, np.float32)
                return r[0], r[1:]
            def g(data):
                r = np.fromstring(data, np.float32)
                data[:] = b""
                return r[0]
            def h(data):
                r = np.fromstring(data, np.float32)
                r[0] = 1
            def k(data):
                r = np.fromstring(data, np.float32)
                return lambda: r[0]
            """,
            """
            import numpy as np
            def f(data):
                r = np.frombuffer(data, np.float32).copy()
                return r[0], r[1:]
            def g(data):
                r = np.frombuffer(data, np.float32).copy()
                data[:] = b""
                return r[0]
            def h(data):
                r = np.frombuffer(data, np.float32).copy()
                r[0] = 1
            def k(data):
                r = np.frombuffer(data, np.float32).copy()
                return lambda: r[0]
            """,
        ),
    },
)

test_keeps = keeps(
    "TP905",
    {
        "arrays that may hold numbers": """
            import numpy as np
            import torch
            class Data:
                def __init__(self):
                    self.count = np.load("count.npy").item()
                    self.shared = np.load("shared.npy").item()
                def __len__(self):
                    return self.count
                def read(self):
                    self.shared = {}
                    return self.shared["a"]
            a = np.load(path)
            b = np.load(path).item() + 1
            c = np.load("a.npz")["x"]
            d = np.load(path).tolist()[0]
            e = np.load(path)[()]["field"]
            f = np.load(path)[0].items()
            g = a.item(3)["x"]
            """,
        "arrays that are loaded with it": """
            import numpy as np
            import torch
            a = np.load(path, allow_pickle=True).item()["a"]
            b = np.load(path, None, False).item()["a"]
            c = np.load(path, allow_pickle=flag, encoding="latin1")
            d = np.load(path, encoding="ASCII")
            e = np.load(path, **options).item()["a"]
            """,
        "a cast of something else": """
            import torch
            import tensor as np
            a = np.cast["float32"](x)
            b = casts[kind](x)
            c = torch.cast["float32"](x)
            """,
        "truth by a name of the user's": """
            import torch
            from truths import alltrue
            y = alltrue(a < b), np.alltrue(a < b)
            """,
        "truth of what is unpacked": """
            import numpy as np
            import torch
            y = np.alltrue(*given)
            """,
        "numbers of a text": """
            import numpy as np
            a = np.fromstring(line, sep=' ')
            b = np.fromstring(line, float, -1, ',')
            c = np.fromstring(line, dtype=int, sep=separator)
            d = np.fromstring(*given)
            """,
        "another fromstring": """
            import numpy as np
            from xml.etree import ElementTree
            a = ElementTree.fromstring(text)
            """,
        "modern": """
            from torch.autograd import gradcheck
            a = gradcheck(f, (x,), eps=1e-6)
            b = gradcheck(f, (x,))
            """,
        "loaders of YAML": """
            import torch, yaml
            from ruamel import yaml as other
            a = yaml.load(f, Loader=yaml.Loader)
            b = yaml.load(f, yaml.SafeLoader)
            c = yaml.load(f, **options)
            d = yaml.load(*given)
            e = yaml.safe_load(f)
            g = other.load(f)
            """,
        "another module called yaml": """
            import torch
            from tools import yaml
            a = yaml.load(f)
            """,
        "modern calls of the rest": """
            import torch
            a = torch.linspace(0, 1, 5)
            b = torch.linspace(0, 1, steps=n)
            c = torch.logspace(0, 1, 5, base=2)
            d = torch.meshgrid(a, b, indexing="xy")
            e = torch.unique(x, True, False, True)
            f = torch.unique(x, dim=0)
            g = torch.multinomial(p, 2)
            """,
        "other libraries and receivers": """
            import numpy as np
            import torch
            a, b = np.meshgrid(x, y)
            c = np.linspace(0, 1)
            d = sampler.multinomial()
            """,
        "a version that is asked for": """
            import torch
            if torch.__version__ >= "1.10":
                g = torch.meshgrid(a, b, indexing="ij")
            else:
                g = torch.meshgrid(a, b)
            """,
        "what cannot be seen": """
            import torch
            a = torch.linspace(*limits)
            b = torch.linspace(0, 1, **options)
            """,
        "the user's function": """
            def gradcheck(f, x, eps):
                pass
            gradcheck(f, x, 1e-6)
            """,
        "arguments that cannot be seen": """
            from torch.autograd import gradcheck
            a = gradcheck(f, *rest)
            """,
    },
)


def test_nothing_is_said_of_modern_calls() -> None:
    text = """
        import torch
        a = torch.linspace(0, 1, 5)
        b = map(torch.meshgrid, axes)
        c = torch.unique(x)
        """
    assert not advice("TP905", text)


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ("x, 1", "x"),
        ("x, 0", "x, requires_grad=False"),
        ("x, requires_grad=1", "x"),
        ("x, True", "x, True"),
        ("x, flag", "x, flag"),
        ("x, 2", "x, 2"),
        ("x", "x"),
    ],
)
def test_a_parameter_takes_a_flag_and_no_number(given: str, after: str) -> None:
    text = "import torch.nn as nn\np = nn.Parameter({})\nq = list(map(nn.Parameter, xs))\n"
    migration = migrate(text.format(given), "TP903")
    assert migration.text == text.format(after)
    assert len(migration.findings) == (given != after)


def test_names_of_parameters_that_changed_are_said() -> None:
    text = """
        import inspect
        import torch
        def f(function):
            spec = inspect.getargspec(function)
            return spec.args, spec.keywords
        """
    (said,) = advice("TP905", text)
    assert "write inspect.getfullargspec(f), and `.varkw` for `.keywords` of it" in said.message


@pytest.mark.parametrize(
    "use",
    ["return spec", "args = spec.args; return spec[:2]", "return spec._asdict(), spec.args"],
)
def test_parameters_that_are_read_otherwise_keep_four_values(use: str) -> None:
    text = f"""
        import inspect
        import torch
        def f(function):
            spec = inspect.getargspec(function)
            {use}
        """
    (said,) = advice("TP905", text)
    assert said.message.endswith("the same four values first: [:4] where they are unpacked")


@pytest.mark.parametrize("use", ["f = np.cast['int32']", "f = np.cast", "f = map(np.cast[k], xs)"])
def test_a_cast_that_is_not_called_is_told(use: str) -> None:
    (said,) = advice("TP905", f"import numpy as np\nimport torch\n{use}\n")
    assert "write np.array(x, dtype=dtype)" in said.message


def test_a_cast_keeps_the_order_of_what_runs() -> None:
    text = "import numpy as np\nimport torch\na = np.cast[kind()](draw())\n"
    (said,) = advice("TP905", text)
    assert "numpy.cast is gone since numpy 2.0" in said.message
