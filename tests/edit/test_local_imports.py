"""An import that a rewrite needs stands where the file imports that package."""

from __future__ import annotations

import pytest

from tests.support.rules import keeps, migrate, rewrites

_NEW = "torch.hub.load_state_dict_from_url"

test_rewrites = rewrites(
    "TP901",
    {
        "for one function": (
            """
            def load(url):
                from torch.utils import model_zoo
                return model_zoo.load_url(url)
            """,
            f"""
            def load(url):
                import torch
                return {_NEW}(url)
            """,
        ),
        "for two": (
            """
            import os
            def load(url):
                if os.environ:
                    from torch.utils import model_zoo
                    import numpy
                    return model_zoo.load_url(url)
            def load_another(url):
                from torch.utils import model_zoo
                model_zoo.load_url(url)
                return model_zoo.load_url(url)
            """,
            f"""
            import os
            def load(url):
                if os.environ:
                    import torch
                    import numpy
                    return {_NEW}(url)
            def load_another(url):
                import torch
                {_NEW}(url)
                return {_NEW}(url)
            """,
        ),
        "in a method, below its docstring, for a function inside": (
            """
            class Net:
                def load(self, url):
                    '''Loads.'''
                    from torch.utils import model_zoo
                    def inner():
                        return model_zoo.load_url(url)
                    return inner()
            """,
            f"""
            class Net:
                def load(self, url):
                    '''Loads.'''
                    import torch
                    def inner():
                        return {_NEW}(url)
                    return inner()
            """,
        ),
        "below an import of the file's own package": (
            """
            def load(url):
                from .torch import net
                from torch.utils import model_zoo
                return net, model_zoo.load_url(url)
            """,
            f"""
            def load(url):
                from .torch import net
                import torch
                return net, {_NEW}(url)
            """,
        ),
        "where something else of it is used": (
            """
            def load(url):
                from torch.utils import data, model_zoo
                return data, model_zoo.load_url(url)
            """,
            f"""
            def load(url):
                import torch
                from torch.utils import data
                return data, {_NEW}(url)
            """,
        ),
    },
)

test_rewrites_with_blocks = rewrites(
    "TP102",
    {
        "a block below the import": (
            """
            def f(net, x):
                from torch.autograd import Variable
                y = net(Variable(x, volatile=True))
                print(y.data)
            """,
            """
            def f(net, x):
                import torch
                from torch.autograd import Variable
                with torch.no_grad():
                    y = net(Variable(x))
                print(y.data)
            """,
        ),
        "a block around the import": (
            """
            def f(net, loader):
                for x in loader:
                    from torch.autograd import Variable
                    print(net(Variable(x, volatile=True)).data)
            """,
            """
            import torch
            def f(net, loader):
                with torch.no_grad():
                    for x in loader:
                        from torch.autograd import Variable
                        print(net(Variable(x)).data)
            """,
        ),
    },
)

_AT_TOP = {
    "the module imports torch": """
        from torch import nn
        def load(url):
            from torch.utils import model_zoo
            return model_zoo.load_url(url)
        """,
    "the module imports what moved": """
        from torch.utils import model_zoo
        def load(url):
            return model_zoo.load_url(url)
        """,
    "on one line": """
        def load(url):
            x = 3; from torch.utils import model_zoo
            return model_zoo.load_url(url)
        """,
    "in another block": """
        def load(url):
            if url:
                from torch.utils import model_zoo
            return model_zoo.load_url(url)
        """,
    "one of two functions has no place for it": """
        def load(url):
            from torch.utils import model_zoo
            return model_zoo.load_url(url)
        def load_another(url):
            x = 3; from torch.utils import model_zoo
            return model_zoo.load_url(url)
        """,
}


@pytest.mark.parametrize("name", _AT_TOP)
def test_else_it_stands_at_the_head_of_the_module(name: str) -> None:
    text = "\n".join(line[8:] for line in _AT_TOP[name].strip("\n").splitlines()) + "\n"
    after = migrate(text, "TP901").text
    assert f"{_NEW}(url)" in after
    assert after.startswith("import torch\n")
    assert after.count("import torch\n") == 1


test_keeps = keeps(
    "TP901",
    {
        "another name is torch": """
            def load(url, torch):
                from torch.utils import model_zoo
                return model_zoo.load_url(url)
            """,
        "a user's": """
            def load(url):
                from mine.utils import model_zoo
                return model_zoo.load_url(url)
            """,
        "modern": f"""
            def load(url):
                import torch
                return {_NEW}(url)
            """,
        "beside the package": """
            def load(url):
                from .torch.utils import model_zoo
                return model_zoo.load_url(url)
            """,
    },
)
