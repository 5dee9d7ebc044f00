from __future__ import annotations

import textwrap
import warnings
from typing import Any

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

_DOUBLE = """
            from torch.autograd import Function
            class Double(Function):
                @staticmethod
                def forward(ctx, x):
                    return x * 2
                @staticmethod
                def backward(ctx, grad):
                    return grad * 2
"""

_LEGACY_DOUBLE = """
            from torch.autograd import Function
            class Double(Function):
                def forward(self, x):
                    return x * 2
                def backward(self, grad):
                    return grad * 2
"""

test_rewrites = rewrites(
    "TP107",
    {
        "called at once": (
            _LEGACY_DOUBLE + "            y = Double()(x)\n",
            _DOUBLE + "            y = Double.apply(x)\n",
        ),
        "decorators that were taken out are back, and other comments stay": (
            """
            from torch.autograd import Function
            class Double(Function):
                # Twice of it.
                # @staticmethod
                def forward(self, x):
                    return x * 2

                #@staticmethod
                # @profile
                def backward(self, grad):
                    return grad * 2
            y = Double()(x)
            """,
            """
            from torch.autograd import Function
            class Double(Function):
                # Twice of it.
                @staticmethod
                def forward(ctx, x):
                    return x * 2

                #@staticmethod
                # @profile
                @staticmethod
                def backward(ctx, grad):
                    return grad * 2
            y = Double.apply(x)
            """,
        ),
        "kept in a name": (
            _LEGACY_DOUBLE
            + """
            double = Double()
            y = double(double(x))
            """,
            _DOUBLE
            + """
            double = Double.apply
            y = double(double(x))
            """,
        ),
        "kept among modules": (
            _LEGACY_DOUBLE + "            model.features._modules['3'] = Double()\n",
            _DOUBLE + "            model.features._modules['3'] = Double.apply\n",
        ),
        "kept in a module": (
            _LEGACY_DOUBLE
            + """
            class Net(nn.Module):
                def __init__(self):
                    self.double = Double()
                def forward(self, x):
                    return self.double(x)
            """,
            _DOUBLE
            + """
            class Net(nn.Module):
                def __init__(self):
                    self.double = Double.apply
                def forward(self, x):
                    return self.double(x)
            """,
        ),
        "one in another": (
            _LEGACY_DOUBLE + "            y = Double()(Double()(x))\n",
            _DOUBLE + "            y = Double.apply(Double.apply(x))\n",
        ),
        "constructor, docstring and comments": (
            """
            from torch.autograd import Function

            class Mix(Function):
                '''Mixes two tensors.'''

                def __init__(self, share, other=None):
                    super(Mix, self).__init__()
                    # how much of the first
                    self.share = share
                    self.other = other
                    # self.unused = 1

                def forward(self, a, b):
                    '''The mix.'''
                    # here it is
                    return a * self.share + b * (1 - self.share)

                def backward(self, grad):
                    return (grad * self.share, grad * (1 - self.share))

            def mix(a, b, share):
                return Mix(share)(
                    a,
                    b,
                )
            """,
            """
            from torch.autograd import Function

            class Mix(Function):
                '''Mixes two tensors.'''

                @staticmethod
                def forward(ctx, a, b, share, other=None):
                    '''The mix.'''
                    # how much of the first
                    ctx.share = share
                    ctx.other = other
                    # self.unused = 1
                    # here it is
                    return a * ctx.share + b * (1 - ctx.share)

                @staticmethod
                def backward(ctx, grad):
                    return (grad * ctx.share, grad * (1 - ctx.share), None, None)

            def mix(a, b, share):
                return Mix.apply(
                    a,
                    b,
                    share,
                )
            """,
        ),
        "comments that close methods": (
            """
            import torch
            class Scale(torch.autograd.Function):
            \tdef __init__(self, factor):
            \t\tself.factor = factor
            \t# end

            \tdef forward(self, x):
            \t\treturn x * self.factor
            \t# end

            \tdef backward(self, grad):
            \t\treturn grad * self.factor
            \t# end
            # end
            y = Scale(2)(x)
            """,
            """
            import torch
            class Scale(torch.autograd.Function):
            \t@staticmethod
            \tdef forward(ctx, x, factor):
            \t\tctx.factor = factor
            \t\treturn x * ctx.factor
            \t# end

            \t@staticmethod
            \tdef backward(ctx, grad):
            \t\treturn grad * ctx.factor, None
            \t# end
            # end
            y = Scale.apply(x, 2)
            """,
        ),
        "comments that close methods around the constructor": (
            """
            import torch
            class Scale(torch.autograd.Function):
                def forward(self, x):
                    return x * self.factor
                # end

                def __init__(self, factor):
                    self.factor = factor
                    # end def
                # end def

                # the other way
                def backward(self, grad):
                    return grad * self.factor
                # END
            class Shift(torch.autograd.Function):
                def forward(self, x):
                    return x + self.by
                # end
                def backward(self, grad):
                    return grad
                #end method
                def __init__(self, by):
                    self.by = by
                # end __init__()
            y = Scale(2)(Shift(3)(x))
            """,
            """
            import torch
            class Scale(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, factor):
                    ctx.factor = factor
                    return x * ctx.factor
                # end

                # the other way
                @staticmethod
                def backward(ctx, grad):
                    return grad * ctx.factor, None
                # END
            class Shift(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, by):
                    ctx.by = by
                    return x + ctx.by
                # end
                @staticmethod
                def backward(ctx, grad):
                    return grad, None
                #end method
            y = Scale.apply(Shift.apply(x, 3), 2)
            """,
        ),
        "comments below a constructor that say more": (
            """
            import torch
            class Scale(torch.autograd.Function):
                def __init__(self, factor):
                    self.factor = factor
                # ends with a gradient

                def forward(self, x):
                    return x * self.factor
                def backward(self, grad):
                    return grad * self.factor
            y = Scale(2)(x)
            """,
            """
            import torch
            class Scale(torch.autograd.Function):
                # ends with a gradient

                @staticmethod
                def forward(ctx, x, factor):
                    ctx.factor = factor
                    return x * ctx.factor
                @staticmethod
                def backward(ctx, grad):
                    return grad * ctx.factor, None
            y = Scale.apply(x, 2)
            """,
        ),
        "gradients by other ways to calculate": (
            """
            from torch.autograd import Function
            class Scale(Function):
                def __init__(self, factor=2, bias=None):
                    pass
                    self.factor, self.bias = factor, bias
                def forward(self, x):
                    return x * self.factor
                def backward(self, grad):
                    def doubled(g):
                        return g * 2
                    halved = lambda g: g / 2
                    if self.bias:
                        return -grad
                    if doubled(1) > halved(2):
                        grad = grad.clone()
                        return grad
                    return grad.mul(self.factor)
            y = Scale()(x) + Scale(bias=1)(x) + Scale(3)(x)
            """,
            """
            from torch.autograd import Function
            class Scale(Function):
                @staticmethod
                def forward(ctx, x, factor=2, bias=None):
                    ctx.factor, ctx.bias = factor, bias
                    return x * ctx.factor
                @staticmethod
                def backward(ctx, grad):
                    def doubled(g):
                        return g * 2
                    halved = lambda g: g / 2
                    if ctx.bias:
                        return -grad, None, None
                    if doubled(1) > halved(2):
                        grad = grad.clone()
                        return grad, None, None
                    return grad.mul(ctx.factor), None, None
            y = Scale.apply(x) + Scale.apply(x, 2, 1) + Scale.apply(x, 3)
            """,
        ),
        "gradients that have a name": (
            """
            from torch.autograd import Function
            class Mix(Function):
                def __init__(self, share, eps=1e-6):
                    self.share = share
                    self.eps = eps
                def forward(self, a, b):
                    return a * self.share + b + self.eps
                def backward(self, grad):
                    if grad is None:
                        return None, None
                    da, db = grad * self.share, grad
                    grads = (da, db)
                    return grads
            y = Mix(0.5)(a, b)
            """,
            """
            from torch.autograd import Function
            class Mix(Function):
                @staticmethod
                def forward(ctx, a, b, share, eps=1e-6):
                    ctx.share = share
                    ctx.eps = eps
                    return a * ctx.share + b + ctx.eps
                @staticmethod
                def backward(ctx, grad):
                    if grad is None:
                        return None, None, None, None
                    da, db = grad * ctx.share, grad
                    grads = (da, db)
                    return (*grads, None, None)
            y = Mix.apply(a, b, 0.5)
            """,
        ),
        "optional inputs in front of what the constructor needs": (
            """
            import torch
            class Add(torch.autograd.Function):
                def __init__(self, alpha, scale=1):
                    self.alpha, self.scale = alpha, scale
                def forward(self, x, y=None):
                    return x if y is None else x + y * self.alpha
                def backward(self, grad):
                    return grad, grad * self.alpha
            a = Add(2)(x)
            b = Add(alpha=3, scale=4)(x, y)
            """,
            """
            import torch
            class Add(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, y, alpha, scale=1):
                    ctx.alpha, ctx.scale = alpha, scale
                    return x if y is None else x + y * ctx.alpha
                @staticmethod
                def backward(ctx, grad):
                    return grad, grad * ctx.alpha, None, None
            a = Add.apply(x, None, 2)
            b = Add.apply(x, y, 3, 4)
            """,
        ),
        "saved variables, and another name for self": (
            """
            from torch import autograd
            class Square(autograd.Function):
                def forward(function, x):
                    function.save_for_backward(x)
                    return x * x
                def backward(function, grad):
                    x, = function.saved_variables
                    return grad * x * 2
            y = Square()(x)
            """,
            """
            from torch import autograd
            class Square(autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x * x
                @staticmethod
                def backward(ctx, grad):
                    x, = ctx.saved_tensors
                    return grad * x * 2
            y = Square.apply(x)
            """,
        ),
        "saved variables of static methods": (
            """
            from torch import autograd
            class Square(autograd.Function):
                @staticmethod
                def backward(context, grad):
                    x, = context.saved_variables
                    return grad * x * 2
            """,
            """
            from torch import autograd
            class Square(autograd.Function):
                @staticmethod
                def backward(context, grad):
                    x, = context.saved_tensors
                    return grad * x * 2
            """,
        ),
        "a gradient that is expanded, and a parameter that forward binds again": (
            """
            from torch.autograd import Function
            class Consensus(Function):
                def __init__(self, dim, scale='1'):
                    self.dim = int(dim)
                    self.scale = float(scale)
                    self.shape = None
                def forward(self, x):
                    self.shape = x.size()
                    dim = self.dim
                    return x.mean(dim, keepdim=True) * self.scale
                def backward(self, grad):
                    if self.dim > 0:
                        given = grad.expand(self.shape) / float(self.shape[self.dim])
                    else:
                        given = None
                    return given
            y = Consensus('1')(x)
            """,
            """
            from torch.autograd import Function
            class Consensus(Function):
                @staticmethod
                def forward(ctx, x, dim, scale='1'):
                    ctx.dim = int(dim)
                    ctx.scale = float(scale)
                    ctx.shape = x.size()
                    dim = ctx.dim
                    return x.mean(dim, keepdim=True) * ctx.scale
                @staticmethod
                def backward(ctx, grad):
                    if ctx.dim > 0:
                        given = grad.expand(ctx.shape) / float(ctx.shape[ctx.dim])
                    else:
                        given = None
                    return given, None, None
            y = Consensus.apply(x, '1')
            """,
        ),
        "constants of the constructor that forward does not always set": (
            """
            from torch.autograd import Function
            class Count(Function):
                def __init__(self, n):
                    self.n = n
                    self.read = None
                    self.may = None  # set be
                    self.maybe = None
                    self.late = None
                    self.often = 0
                def forward(self, x):
                    self.may = 3
                    if x.dim() == 2:
                        self.maybe = 1
                    self.read = self.read or 1
                    self.often += 1
                    if x.dim() == 3:
                        return x
                    self.late = 4
                    return x * self.n
            y = Count(3)(x)
            """,
            """
            from torch.autograd import Function
            class Count(Function):
                @staticmethod
                def forward(ctx, x, n):
                    ctx.n = n
                    ctx.read = None
                    ctx.may = None  # set be
                    ctx.maybe = None
                    ctx.late = None
                    ctx.often = 0
                    ctx.may = 3
                    if x.dim() == 2:
                        ctx.maybe = 1
                    ctx.read = ctx.read or 1
                    ctx.often += 1
                    if x.dim() == 3:
                        return x
                    ctx.late = 4
                    return x * ctx.n
            y = Count.apply(x, 3)
            """,
        ),
        "arguments on several lines": (
            """
            from torch.autograd import Function
            class Scale(Function):
                def __init__(self, factor, offset):
                    self.factor, self.offset = factor, offset
                def forward(self, x):
                    return x * self.factor + self.offset
            class Add(Function):
                def __init__(self, factor, offset):
                    self.factor, self.offset = factor, offset
                def forward(self, x, y):
                    return x * self.factor + y + self.offset
            y = Scale(3,
                      4)(x)
            z = Scale(3, 4)(first(x,
                                  y))
            w = Add(3,
                    4)(
                x, y
            )
            """,
            """
            from torch.autograd import Function
            class Scale(Function):
                @staticmethod
                def forward(ctx, x, factor, offset):
                    ctx.factor, ctx.offset = factor, offset
                    return x * ctx.factor + ctx.offset
            class Add(Function):
                @staticmethod
                def forward(ctx, x, y, factor, offset):
                    ctx.factor, ctx.offset = factor, offset
                    return x * ctx.factor + y + ctx.offset
            y = Scale.apply(x, 3,
                            4)
            z = Scale.apply(first(x,
                                  y), 3, 4)
            w = Add.apply(
                x, y, 3, 4
            )
            """,
        ),
        "a function without backward": (
            """
            from torch.autograd import Function
            class Sign(Function):
                def __init__(self, eps):
                    super().__init__()
                    self.eps = eps
                def forward(self, x):
                    return (x > self.eps).float()
            y = Sign(1e-3)(x)
            """,
            """
            from torch.autograd import Function
            class Sign(Function):
                @staticmethod
                def forward(ctx, x, eps):
                    ctx.eps = eps
                    return (x > ctx.eps).float()
            y = Sign.apply(x, 1e-3)
            """,
        ),
    },
)

_DETECT = """
            import torch
            from torch.autograd import Function
            class Detect(Function):
                def __init__(self, top_k, nms=0.5):
                    if nms <= 0:
                        raise ValueError(nms)
                    self.top_k, self.nms = top_k, nms
                def forward(self, x):
                    return x[:self.top_k] * self.nms
"""

_OBJECT = """
            import torch
            class Detect:
                def __init__(self, top_k, nms=0.5):
                    if nms <= 0:
                        raise ValueError(nms)
                    self.top_k, self.nms = top_k, nms
                @torch.no_grad()
                def __call__(self, x):
                    return x[:self.top_k] * self.nms
"""

_KEPT = """
            class Net(nn.Module):
                def __init__(self):
                    super(Net, self).__init__()
                    self.detect = Detect(200, nms=0.3)
                def forward(self, x):
                    return self.detect(super(Net, self).forward(x))
"""

test_rewrites_objects = rewrites(
    "TP107",
    {
        "kept in a module": (_DETECT + _KEPT, _OBJECT + _KEPT),
        "methods, attributes of the class, super and no import of torch": (
            """
            from torch.autograd import Function
            class Pool( Function ):
                size = 2
                def __init__(self, kernel):
                    super(Pool, self).__init__()
                    self.kernel = load(kernel)

                # What is called.
                def forward(self, x):
                    return self.halve(self.kernel(x))
                def halve(self, x):
                    return x / self.size
            pool = Pool("fast")
            y = pool(x)
            """,
            """
            import torch
            class Pool:
                size = 2
                def __init__(self, kernel):
                    super(Pool, self).__init__()
                    self.kernel = load(kernel)

                # What is called.
                @torch.no_grad()
                def __call__(self, x):
                    return self.halve(self.kernel(x))
                def halve(self, x):
                    return x / self.size
            pool = Pool("fast")
            y = pool(x)
            """,
        ),
        "beside an object of another class": (
            _DETECT
            + """
            class Prior:
                def forward(self):
                    return torch.zeros(3)
            y = Detect(200)(Prior().forward())
            """,
            _OBJECT
            + """
            class Prior:
                def forward(self):
                    return torch.zeros(3)
            y = Detect(200)(Prior().forward())
            """,
        ),
        "beside another forward": (
            _DETECT
            + "            a = Detect(3)\n            b = torch.nn.Linear(2, 3).forward(a(x))\n",
            _OBJECT
            + "            a = Detect(3)\n            b = torch.nn.Linear(2, 3).forward(a(x))\n",
        ),
    },
)

_NO_OBJECTS = {
    "its forward is asked for": _DETECT + "            y = Detect(3).forward(x)\n",
    "forward of who knows what": _DETECT + _KEPT + "            y = net.detect.forward(x)\n",
    "a class below it": _DETECT + "            class Two(Detect):\n                pass\n",
    "an object that is checked": _DETECT + "            print(isinstance(given, Detect))\n",
    "a class that is given away": _DETECT + "            run(Detect)\n",
    "itself is given away": _DETECT.replace("* self.nms", "* run(self)"),
    "what a function has": _DETECT.replace("* self.nms", "* self.needs_input_grad"),
    "what is not its own": _DETECT.replace("* self.nms", "* self.other"),
    "its own forward": _DETECT.replace("* self.nms", "* self.forward(x)"),
    "the constructor of Function": _DETECT.replace(
        "if nms <= 0:", "Function.__init__(self)\n                    if nms <= 0:"
    ),
    "a decorator": _DETECT.replace("def forward", "@timed\n                def forward"),
    "a call of its own": _DETECT
    + "                def __call__(self, x):\n                    return x\n",
    "a class of another kind": _DETECT.replace("(Function)", "(Function, metaclass=Kind)"),
    "a class inside": _DETECT + "                class Inner:\n                    pass\n",
}

test_keeps_objects = keeps("TP107", _NO_OBJECTS)


def test_advises_where_objects_stay() -> None:
    for name, text in _NO_OBJECTS.items():
        # Whose forward alone is asked for works unless the constructor of Function ran.
        said = [] if name == "its forward is asked for" else ["TP107"]
        assert [f.code for f in advice("TP107", text)] == said, text


def test_a_call_of_forward_is_not_said_to_fail() -> None:
    for use in ("y = Detect(3).forward(x)", "d = Detect(3); y = d.forward(x)"):
        assert not advice("TP107", _DETECT + f"            {use}\n")
        (finding,) = advice("TP107", _WITH_SUPER + f"            {use}\n")
        assert "write `class Detect:`" in finding.message
        assert "took away" not in finding.message
    others = ("Detect(3)(x)", "d = Detect(3); d(x)", "net.d = Detect(3); net.d(x)", "run(Detect)")
    for use in others:
        text = f"{_DETECT}            y = Detect(2).forward(x)\n            {use}\n"
        (finding,) = advice("TP107", text)
        assert "`class Detect:`, with a __call__" in finding.message
        assert "warns" not in finding.message
        (finding,) = advice("TP107", text.replace(*_SUPER))
        assert (
            "and warns of such objects: write `class Detect:`, with a __call__" in finding.message
        )
    (finding,) = advice("TP107", _WITH_CONSTRUCTOR + "            y = Scale(3).forward(x)\n")
    assert "calls of objects" not in finding.message


_SUPER = ("if nms <= 0:", "super(Detect, self).__init__()\n                    if nms <= 0:")
_WITH_SUPER = _DETECT.replace(*_SUPER)


def test_torch_warns_of_objects_where_the_constructor_of_function_runs() -> None:
    plain = "class F(Function):\n    def __init__(self):\n        self.n = 2\n{}" + (
        "    def forward(self, x):\n        return x * self.n\n"
    )
    for above, warns in (("", False), ("        super().__init__()\n", True)):
        names: dict[str, Any] = {}
        exec("from torch.autograd import Function\n" + plain.format(above), names)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            assert names["F"]().forward(2) == 4
        assert bool(said) is warns


_WITH_CONSTRUCTOR = """
            from torch.autograd import Function
            class Scale(Function):
                def __init__(self, factor):
                    self.factor = factor
                def forward(self, x):
                    return x * self.factor
                def backward(self, grad):
                    return grad * self.factor
"""

_ADVISED = {
    "an object with arguments that is kept": _WITH_CONSTRUCTOR
    + """
            scale = Scale(3)
            y = scale(x)
            """,
    "an object that is kept among others": _LEGACY_DOUBLE + "            layers[3] = Double()\n",
    "an object that is given away": _LEGACY_DOUBLE + "            y = run(Double())\n",
    "an object whose state is read": _LEGACY_DOUBLE
    + """
            double = Double()
            y = double(x)
            print(double.saved_tensors)
            """,
    "the class is given away": _LEGACY_DOUBLE + "            functions = [Double]\n",
    "a class below it": _LEGACY_DOUBLE
    + """
            class Twice(Double):
                pass
            """,
    "inputs of unknown number": _WITH_CONSTRUCTOR + "            y = Scale(3)(*xs)\n",
    "arguments of unknown number": _WITH_CONSTRUCTOR + "            y = Scale(*args)(x)\n",
    "arguments with effects change places": _WITH_CONSTRUCTOR
    + "            y = Scale(read())(read())\n",
    "a constructor that does more": """
            from torch.autograd import Function
            class Pool(Function):
                def __init__(self, size):
                    self.kernel = load_kernel(size)
                def backward(self, grad):
                    return grad
                def forward(self, x):
                    return self.kernel(x)
            """,
    "a method of its own": """
            from torch.autograd import Function
            class Pool(Function):
                def backward(self, grad):
                    return grad
                def forward(self, x):
                    return self.halve(x)
                def halve(self, x):
                    return x / 2
            """,
    "an attribute of the class": """
            from torch.autograd import Function
            class Pool(Function):
                size = 2
                def backward(self, grad):
                    return grad
                def forward(self, x):
                    return x / self.size
            """,
    "an attribute that nobody sets": """
            from torch.autograd import Function
            class Pool(Function):
                def forward(self, x):
                    return x / self.size
            """,
    "itself": """
            from torch.autograd import Function
            class Pool(Function):
                def forward(self, x):
                    return pool(self, x)
            """,
    "named gradients of unknown number": """
            from torch.autograd import Function
            class Mix(Function):
                def __init__(self, share):
                    self.share = share
                def forward(self, a, b):
                    return a * self.share + b
                def backward(self, grad):
                    grads = (*parts(grad), grad)
                    return grads
            y = Mix(0.5)(a, b)
            """,
    "named gradients that are added to": """
            from torch.autograd import Function
            class Mix(Function):
                def __init__(self, share):
                    self.share = share
                def forward(self, a, b):
                    return a * self.share + b
                def backward(self, grad):
                    grads = (grad,)
                    grads += (grad,)
                    return grads
            y = Mix(0.5)(a, b)
            """,
    "named gradients, or others": """
            from torch.autograd import Function
            class Mix(Function):
                def __init__(self, share):
                    self.share = share
                def forward(self, a, b):
                    return a * self.share + b
                def backward(self, grad):
                    grads = (grad, grad)
                    if self.share:
                        grads = all_of(grad)
                    return grads
            y = Mix(0.5)(a, b)
            """,
    "named gradients in a list": """
            from torch.autograd import Function
            class Mix(Function):
                def __init__(self, share):
                    self.share = share
                def forward(self, a, b):
                    return a * self.share + b
                def backward(self, grad):
                    grads = [grad, grad]
                    return grads
            y = Mix(0.5)(a, b)
            """,
    "gradients of unknown number": """
            from torch.autograd import Function
            class Pool(Function):
                def __init__(self, size):
                    self.size = size
                def forward(self, x):
                    return x * self.size
                def backward(self, grad):
                    return gradients(grad)
            y = Pool(2)(x)
            """,
    "a constructor that calls what is not Python's int": """
            from torch.autograd import Function
            def int(x):
                return seen.append(x)
            class Pool(Function):
                def __init__(self, size):
                    self.size = int(size)
                def backward(self, grad):
                    return grad
                def forward(self, x):
                    return x / self.size
            y = Pool(2)(x)
            """,
    "a parameter that forward finds outside": """
            from torch.autograd import Function
            size = 3
            class Pool(Function):
                def __init__(self, size):
                    self.other = size
                def backward(self, grad):
                    return grad
                def forward(self, x):
                    return x / self.other + size
            y = Pool(2)(x)
            """,
    "a parameter that is one of a function inside of forward": """
            from torch.autograd import Function
            class Pool(Function):
                def __init__(self, size):
                    self.size = size
                def backward(self, grad):
                    return grad
                def forward(self, x):
                    size = 3
                    return apply(x, lambda size: size + 1) / self.size
            y = Pool(2)(x)
            """,
    "a gradient that may be more than one": """
            from torch.autograd import Function
            class Pool(Function):
                def __init__(self, size):
                    self.size = size
                def forward(self, x):
                    return x * self.size
                def backward(self, grad):
                    return grad.split(1)
            y = Pool(2)(x)
            """,
    "a parameter that is a name of forward, too": """
            from torch.autograd import Function
            class Pool(Function):
                def __init__(self, x):
                    self.offset = x
                def backward(self, grad):
                    return grad
                def forward(self, x):
                    return x + self.offset
            y = Pool(2)(x)
            """,
    "ctx is something else": """
            from torch.autograd import Function
            class Pool(Function):
                def backward(self, grad):
                    return grad
                def forward(self, ctx):
                    self.size = 1
                    return ctx * 2
            """,
    "a lambda with a self of its own": """
            from torch.autograd import Function
            class Pool(Function):
                def forward(self, x):
                    self.f = lambda self: self
                    return x * 2
            """,
    "a decorated class": _LEGACY_DOUBLE.replace("class", "@register\n            class"),
    "a decorated method": _LEGACY_DOUBLE.replace(
        "def forward", "@timed\n                def forward"
    ),
    "inputs by keyword alone": _LEGACY_DOUBLE.replace("(self, x)", "(self, *, x)"),
    "a method on one line": _LEGACY_DOUBLE.replace(":\n                    return x", ": return x"),
    "a method on the last line of its header": _LEGACY_DOUBLE.replace(
        "(self, x):\n                    return x", "(self,\n                    x): return x"
    ),
    "a constructor that chooses": _WITH_CONSTRUCTOR.replace(
        "self.factor = factor", "if factor: self.factor = factor"
    )
    + "            y = Scale(2)(x)\n",
    "a constructor that changes something else": _WITH_CONSTRUCTOR.replace(
        "self.factor = factor", "self.factor = factor.last = factor"
    )
    + "            y = Scale(2)(x)\n",
    "a constructor that reads something else": _WITH_CONSTRUCTOR.replace(
        "self.factor = factor", "self.factor = factor * LIMIT"
    )
    + "            y = Scale(2)(x)\n",
    "ctx is a name of the module": _LEGACY_DOUBLE.replace("return x", "return ctx + x"),
    "a class under two names": _LEGACY_DOUBLE + "            Double = 3\n",
    "an object under two names": _LEGACY_DOUBLE + "            a = b = Double()\n",
    "an object in a list": _LEGACY_DOUBLE + "            a[0] = Double()\n",
    "an object or another": _LEGACY_DOUBLE + "            f = Double()\n            f = g\n",
    "gradients in a tuple of unknown length": _WITH_CONSTRUCTOR.replace(
        "return grad * self.factor", "return (*grads(self.factor),)"
    )
    + "            y = Scale(2)(x)\n",
    "a keyword that the constructor does not take": _WITH_CONSTRUCTOR
    + "            y = Scale(size=3)(x)\n",
    "keywords of unknown names": _WITH_CONSTRUCTOR + "            y = Scale(**options)(x)\n",
    "too few arguments": _WITH_CONSTRUCTOR + "            y = Scale()(x)\n",
    "too many arguments": _WITH_CONSTRUCTOR + "            y = Scale(1, 2)(x)\n",
    "too many inputs": _WITH_CONSTRUCTOR + "            y = Scale(1)(x, x)\n",
    "a default of the constructor that is calculated": _WITH_CONSTRUCTOR.replace(
        "self, factor", "self, size=N * 2, factor=1"
    ).replace("self.factor = factor", "self.factor, self.size = factor, size")
    + "            y = Scale(factor=3)(x)\n",
    "a default of forward that is calculated": _WITH_CONSTRUCTOR.replace(
        "forward(self, x", "forward(self, x, y=N * 2"
    )
    + "            y = Scale(3)(x)\n",
    "keywords for forward": _LEGACY_DOUBLE + "            y = Double()(x=x)\n",
}

_COUNTING = """
from torch.autograd import Function
class Reverse(Function):
    def __init__(self):
        self.steps = 0
    def forward(self, x):
        self.steps += 1
        return x * 1
    def backward(self, gradient):
        return -self.steps * gradient
"""


def test_an_object_that_counts_its_calls_stays_one() -> None:
    kept = _COUNTING + "reverse = Reverse()\ny = reverse(reverse(x))\n"
    (finding,) = advice("TP107", kept)
    assert finding.line == 2
    assert migrate(kept, "TP107").text == kept
    assert "y = Reverse.apply(x)" in migrate(_COUNTING + "y = Reverse()(x)\n", "TP107").text


test_keeps = keeps(
    "TP107",
    {
        **_ADVISED,
        "already modern": _DOUBLE + "            y = Double.apply(x)\n",
        "saved variables of other contexts": """
            from torch.autograd import Function
            class Square(Function):
                @staticmethod
                def backward(ctx, grad, other):
                    def inner(ctx):
                        return ctx.saved_variables
                    return other.saved_variables, inner(grad)
                def show(ctx):
                    return ctx.saved_variables
            class Other:
                @staticmethod
                def backward(ctx, grad):
                    return ctx.saved_variables
            def backward(ctx, grad):
                return ctx.saved_variables
            """,
        "applied without @staticmethod": _LEGACY_DOUBLE + "            y = Double.apply(x)\n",
        "another Function": """
            import torch
            from chainer import Function
            class Double(Function):
                def forward(self, x):
                    return x * 2
            y = Double()(x)
            """,
        "a user's Function": """
            import torch
            class Function:
                pass
            class Double(Function):
                def forward(self, x):
                    return x * 2
            y = Double()(x)
            """,
        "a module": """
            import torch
            from torch.autograd import Function
            class Double(torch.nn.Module):
                def forward(self, x):
                    return x * 2
            y = Double()(x)
            """,
        "without forward": """
            from torch.autograd import Function
            class Base(Function):
                '''What all have.'''
            """,
        "comment that would be lost": """
            from torch.autograd import Function
            class Scale(Function):
                def __init__(self, factor):
                    # as the paper says
                    super(Scale, self).__init__()
                    self.factor = factor
                def forward(self, x):
                    return x * self.factor
            y = Scale(3)(x)
            """,
        "suppressed": """
            from torch.autograd import Function
            class Double(Function):  # noqa: TP107
                def forward(self, x):
                    return x * 2
            """,
    },
)


def test_advises_where_it_cannot_rewrite() -> None:
    for name, text in _ADVISED.items():
        (finding,) = advice("TP107", text)
        assert "@staticmethod" in finding.message and ".apply" in finding.message, name


@pytest.mark.parametrize(
    ("taken", "said"), [("", "Scale.apply for Scale()"), ("factor", "Scale.apply(...)")]
)
def test_what_is_told_of_calls_holds_of_objects_that_are_kept(taken: str, said: str) -> None:
    text = f"""
        import torch
        class Scale(torch.autograd.Function):
            def __init__(self{taken and ", "}{taken}):
                self.factor = draw({taken})
            def forward(self, x):
                return unclear(self, x)
            def backward(self, grad):
                return grad
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.f = Scale({"2" if taken else ""})
            def forward(self, x):
                return self.f(x)
        """
    (finding,) = advice("TP107", text)
    assert f"write {said}, with @staticmethod above" in finding.message
    assert "(...)(...)" not in finding.message


def test_says_nothing_of_what_runs() -> None:
    assert not advice("TP107", _DOUBLE + "            y = Double.apply(x)\n")
    assert not advice("TP107", _LEGACY_DOUBLE + "            y = Double.apply(x)\n")


@pytest.mark.parametrize(
    ("own", "said"), [("self", "forward and backward and ctx for self"), ("ctx", "and backward")]
)
def test_advice_does_not_say_ctx_for_ctx(own: str, said: str) -> None:
    text = f"""import torch
class Scale(torch.autograd.Function):
    def forward({own}, x):
        return unclear({own}, x)
    def backward({own}, grad):
        return grad
y = [Scale][0]()(x)
"""
    (finding,) = advice("TP107", text)
    assert finding.message.endswith(said)


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("Broadcast(ids)(*x)", "Broadcast.apply(ids, *x)"),
        ("functions.Gather(0, dim=1)(a, b)", "Gather.apply(0, 1, a, b)"),
        ("functions.Gather(0)(a, b)", "Gather.apply(0, 0, a, b)"),
        ("Scatter(ids)(x)", "Scatter.apply(ids, None, 0, x)"),
        ("Scatter(dim=1, target_gpus=ids)(x)", "Scatter.apply(ids, None, 1, x)"),
        # What is not in sight cannot be written.
        ("Scatter(*ids)(x)", "Scatter.apply(...), and give it what Scatter(...)(...) gets"),
        ("Broadcast()(x)", "Broadcast.apply(...), and give it what"),
    ],
)
def test_a_function_of_torch_that_is_made_first_is_reported(call: str, written: str) -> None:
    head = (
        "import torch.nn.parallel._functions as functions\n"
        "from torch.nn.parallel._functions import Broadcast, Scatter\n"
    )
    (finding,) = advice("TP107", f"{head}def f(x, ids, a, b):\n    return {call}\n")
    assert finding.line == 4
    assert f": write {written}" in finding.message


@pytest.mark.parametrize("call", ["Broadcast.apply(ids, *x)", "Broadcast(ids)", "f(Broadcast)(x)"])
def test_a_function_of_torch_that_is_applied_is_not(call: str) -> None:
    text = f"from torch.nn.parallel._functions import Broadcast\ny = {call}\n"
    assert not advice("TP107", text)
    own = "def Broadcast(ids):\n    return sum\nimport torch\ny = Broadcast([0])(x)\n"
    assert not advice("TP107", own)


def _moved(
    constructor: str, forward: str, *, body: str = "return x", gradient: str = "grad"
) -> str:
    """What is said of a function with a constructor that no rewrite moves."""
    text = f"""
        from torch.autograd import Function
        class F(Function):
            def __init__({constructor}):
                self.drawn = draw()
            def forward({forward}):
                {body}
            def backward(self, grad):
                return {gradient}
        f = F(3)
        """
    (finding,) = advice("TP107", text)
    return finding.message.partition("; ")[2]


@pytest.mark.parametrize(
    ("constructor", "forward", "said"),
    [
        (
            "self, factor",
            "self, x",
            "what __init__ takes goes to apply behind the inputs, what it does into forward, and "
            "backward returns None for each such argument",
        ),
        (
            "self, factor",
            "self, *inputs",
            "what __init__ takes goes to apply in front, as forward takes *inputs, what it does "
            "into forward, and backward returns None in front for each such argument",
        ),
        (
            "self, factor, scale=1",
            "self, x, *inputs",
            "what __init__ takes goes to apply in front, as forward takes *inputs, what it does "
            "into forward, each call gives all of that, and backward returns None in front for "
            "each such argument",
        ),
        (
            "self, *sizes",
            "self, *inputs",
            "what __init__ takes goes to apply in front, as forward takes *inputs (sizes as one "
            "tuple), what it does into forward, and backward returns None in front for each such "
            "argument",
        ),
        (
            "self, *sizes",
            "self, x",
            "what __init__ takes goes to apply behind the inputs, what it does into forward, and "
            "backward returns None for each such argument",
        ),
        (
            "self, **options",
            "self, x",
            "what __init__ takes goes to apply behind the inputs (options as one dict), what it "
            "does into forward, and backward returns None for each such argument",
        ),
        (
            "self, x",
            "self, x",
            "what __init__ takes goes to apply behind the inputs, what it does into forward (with "
            "another name for x, which forward has already), and backward returns None for each "
            "such argument",
        ),
        (
            "self, x, y",
            "self, x, y",
            "what __init__ takes goes to apply behind the inputs, what it does into forward (with "
            "other names for x and y, which forward has already), and backward returns None for "
            "each such argument",
        ),
        (
            "self, factor",
            "self, x, y=None",
            "what __init__ takes goes to apply behind the inputs, what it does into forward, each "
            "call gives all inputs, whose defaults go, and backward returns None for each such "
            "argument",
        ),
        (
            "self, factor=1",
            "self, x, y=None",
            "what __init__ takes goes to apply behind the inputs, what it does into forward, each "
            "call that gives some of that gives all inputs, and backward returns None for each such "
            "argument",
        ),
        ("self", "self, x, *inputs", "what __init__ does moves into forward"),
    ],
)
def test_what_a_constructor_takes_goes_where_it_can_stand(
    constructor: str, forward: str, said: str
) -> None:
    assert _moved(constructor, forward) == said


def test_what_goes_in_front_comes_first_among_the_flags() -> None:
    asked = "grad if self.needs_input_grad[0] else None"
    flags = "whose flags come first in needs_input_grad"
    assert _moved("self, factor", "self, *inputs", gradient=asked).endswith(flags)
    assert flags not in _moved("self, factor", "self, *inputs")
    assert flags not in _moved("self, factor", "self, x", gradient=asked)


def test_a_name_that_forward_reads_is_taken() -> None:
    said = _moved("self, factor", "self, x", body="return x * factor")
    assert "another name for factor" in said
    # What forward assigns first, nothing can have read.
    assert "another name" not in _moved("self, n", "self, x", body="n = 3; return x * n")


_SOLVER = """
    from torch.autograd import Function
    class Solve(Function):
        def __init__(self, n):
            self.n = n
        def forward(self, x):
            self.costs = x.sum()
            return x * self.n
        def backward(self, grad):
            return grad * self.n
    def run(x, other):
        solve = Solve(3)
        y = solve(x)
        return y, {read}
    """


@pytest.mark.parametrize(
    ("read", "is_said"),
    [("solve.costs", True), ("solve.n", False), ("other().costs", False), ("solve", False)],
)
def test_what_is_read_of_an_object_is_told(read: str, is_said: bool) -> None:
    (finding,) = advice("TP107", _SOLVER.format(read=read))
    said = "; line 13 cannot read costs of it then"
    assert finding.message.endswith(said) is is_said
    assert ("cannot read" in finding.message) is is_said


_KEPT_ON = """
    from torch.autograd import Function
    class F(Function):
        def __init__(self, faces):
            self.faces, self.L = list(faces), None
        def forward(self, x):
            if {test}:
                {sets} = make(self.faces)
            return x * self.L
        def backward(self, grad):
            return grad * self.L
    f = F(3)
    """


@pytest.mark.parametrize(
    ("test", "sets", "is_kept"),
    [
        ("self.L is None", "self.L", True),
        ("not self.L", "self.L", True),
        ("self.L", "self.L", False),
        ("self.L is None", "L", False),
        ("x is None", "self.L", False),
        ("self.L is x", "self.L", False),
    ],
)
def test_what_the_first_call_sets_for_later_ones_is_told(
    test: str, sets: str, is_kept: bool
) -> None:
    (found,) = advice("TP107", _KEPT_ON.format(test=test, sets=sets))
    kept = "keep self.L outside, as ctx is new in each call"
    assert (kept in found.message) is is_kept
    assert ("what it does into forward" in found.message) is not is_kept


@pytest.mark.parametrize(
    ("used", "is_kept"),
    [
        ("y = F(3)(x)", False),
        ("y = F(3)(x)\n    z = F(4)(x)", False),
        ("f = F(3)\n    y = F(3)(x)", True),
        ("fs = map(F, x)\n    y = F(3)(x)", True),
        ("y = other.F(3)\n    y = F(3)(x)", True),
    ],
)
def test_what_objects_that_are_called_once_hold_is_not_kept_outside(
    used: str, is_kept: bool
) -> None:
    text = _KEPT_ON.format(test="self.L is None", sets="self.L").replace("f = F(3)", used)
    (found,) = advice("TP107", text)
    assert ("keep self.L outside" in found.message) is is_kept


_COUNTS = """
    from torch.autograd import Function
    class F(Function):
        def __init__(self):
            self.steps = 0
        def forward(self, x):
            self.steps {set} 1
            return x * self.steps
        def backward(self, grad):
            return grad * self.steps
    """


def test_objects_that_count_their_calls_are_left_where_nothing_in_sight_makes_them() -> None:
    (found,) = advice("TP107", _COUNTS.format(set="+="))
    assert "keep self.steps outside, as ctx is new in each call" in found.message
    assert "what it does into forward" not in found.message
    assert not advice("TP107", _COUNTS.format(set="="))
    for text in (_COUNTS.format(set="="), _COUNTS.format(set="+=") + "y = F()(x)\n"):
        assert "@staticmethod" in migrate(textwrap.dedent(text), "TP107").text


_OWN_METHOD = """
    from torch.autograd import Function
    class F(Function):
        def double(self, x):
            return x * 2
        def forward(self, x):
            self.save_for_backward(x)
            return {called}
        def backward(self, grad):
            return grad * 2 + self.saved_tensors[0] * self.n
    """


@pytest.mark.parametrize(
    ("called", "is_told"),
    [("self.double(x)", True), ("other.double(x)", False), ("self.forward(x)", False)],
)
def test_a_method_of_its_own_has_to_be_a_function(called: str, is_told: bool) -> None:
    (found,) = advice("TP107", _OWN_METHOD.format(called=called))
    assert ("; make double a function, as ctx has no such method" in found.message) is is_told


_OF_CLASS = """
import torch
from torch.autograd import Function
class F(Function):
    kernel = None
    {held}

    def __init__(self, factor):
        self.factor = factor
        {made}

    def build(self):
        {built}

    def log(self):
        print({logged})

    def forward(self, x):
        {run}
        return x * self.factor

    def backward(self, grad):
        return grad * self.factor

def call(x, functions):
    functions.append(F(2))
    return functions[0](x)
"""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"made": "self.build()"}, "; make build a function, as ctx has no such method"),
        (
            {"run": "self.build()", "built": "self.log()"},
            "; make build and log functions, as ctx has no such methods",
        ),
        (
            {"run": "print(self.kernel)"},
            "; write F.kernel for self.kernel, as ctx has nothing of the class",
        ),
        (
            {"run": "self.log()", "logged": "self.kernel, self.cache", "held": "cache = {}"},
            "; write F.cache for self.cache and F.kernel for self.kernel, as ctx has nothing of",
        ),
        ({"built": "print(self.kernel)", "logged": "self.kernel"}, ""),
        ({"made": "self.kernel = 1", "run": "print(self.kernel)"}, ""),
        ({"run": "print(F.kernel)"}, ""),
    ],
)
def test_what_ctx_has_not_is_told_where_it_runs(given: dict[str, str], said: str) -> None:
    parts = dict.fromkeys(("held", "made", "built", "run"), "pass") | {"logged": "1"}
    (found,) = advice("TP107", _OF_CLASS.format(**{**parts, **given}))
    assert said in found.message
    assert said or "as ctx has no" not in found.message


def test_the_line_that_calls_by_hand_is_named() -> None:
    text = _OWN_METHOD.format(called="x * 2") + "f = F()\n    y = f.forward(x)\n    f.backward(y)\n"
    (found,) = advice("TP107", text)
    assert found.message.endswith("then line 11 cannot call forward and backward by hand")


_OF_LUA = """
import torch
from torch.autograd import Function
from torch.legacy.nn import {imported}
class Across(Function):
    def __init__(self, size):
        self.size = size
    def forward(self, x):
        self.save_for_backward(x)
        {kept} = {made}(self.size)
        self.lrn.type(x.type())
        return {forward}
    def backward(self, grad):
        x, = self.saved_tensors
        return {backward}
"""


def _of_lua(**other: str) -> str:
    parts = {
        "imported": "SpatialCrossMapLRN as Old",
        "made": "Old",
        "kept": "self.lrn",
        "forward": "self.lrn.forward(x)",
        "backward": "self.lrn.backward(x, grad)",
    }
    return _OF_LUA.format(**{**parts, **other})


def test_a_function_around_a_module_of_lua_is_told_the_module_of_today() -> None:
    (finding,) = advice("TP107", _of_lua())
    assert finding.message == (
        "Across only runs torch.legacy.nn.SpatialCrossMapLRN, which is gone since torch 1.0: write "
        "torch.nn.CrossMapLRN2d(...) for Across(...)"
    )


@pytest.mark.parametrize(
    "other",
    [
        {"forward": "self.lrn.forward(x) * 2"},
        {"forward": "x"},
        {"forward": "other.forward(x)"},
        {"backward": "grad"},
        {"backward": "self.lrn.forward(x)"},
        {"kept": "self.lrn = self.old"},
        {"imported": "SpatialSoftMax as Old"},
        {"backward": "grad * Old(3).forward(x)"},
    ],
)
def test_a_function_that_does_more_than_to_run_one_is_not(other: dict[str, str]) -> None:
    findings = migrate(_of_lua(**other), "TP107").findings
    assert findings and not any("CrossMapLRN2d" in f.message for f in findings)


_BELOW = """
            from torch.autograd import Function
            class Detect(Function):
                def __init__(self):
                    super(Detect, self).__init__()
                def forward(self, x):
                    return x + 1
            class Own(Detect):
                def {method}(self, x):
                    return x * 2
            y = Own()(x)
            run(Own, Detect)
"""


@pytest.mark.parametrize(("method", "loses_base"), [("forward", True), ("backward", False)])
def test_a_base_of_what_has_a_gradient_is_not_told_to_lose_its_own(
    method: str, loses_base: bool
) -> None:
    said = [found.message for found in advice("TP107", _BELOW.format(method=method))]
    assert any("write `class Detect:`" in message for message in said) is loses_base
    assert any("Detect and what derives from it" in message for message in said) is not loses_base
