from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

test_rewrites = rewrites(
    "TP903",
    {
        "arguments by place and by keyword": (
            """
            import torch
            e, v = torch.symeig(a, True)
            e, v = torch.symeig(upper=False, input=a, eigenvectors=True)
            """,
            """
            import torch
            e, v = torch.linalg.eigh(a, UPLO="U")
            e, v = torch.linalg.eigh(a)
            """,
        ),
        "the names that a file has": (
            """
            import torch as t
            from torch import symeig as se, linalg
            e, v = se(a, True)
            e, v = t.symeig(a, eigenvectors=True)
            """,
            """
            from torch import linalg
            e, v = linalg.eigh(a, UPLO="U")
            e, v = linalg.eigh(a, UPLO="U")
            """,
        ),
        "quotes of the file": (
            """
            import torch
            e, v = torch.symeig(load('a'), True)
            """,
            """
            import torch
            e, v = torch.linalg.eigh(load('a'), UPLO='U')
            """,
        ),
        "the part that is used": (
            """
            import torch
            x, _ = torch.solve(b, a)
            y = torch.solve(b, a)[0] + torch.solve(b, a).solution
            z, lu = torch.solve(b, a)
            print(x, z)
            """,
            """
            import torch
            x = torch.linalg.solve(a, b)
            y = torch.linalg.solve(a, b) + torch.linalg.solve(a, b)
            z = torch.linalg.solve(a, b)
            print(x, z)
            """,
        ),
        "methods of tensors": (
            """
            import torch
            a = torch.eye(2)
            e, v = (a + 1).symeig(eigenvectors=True)
            x, _ = a.solve(a * 2)
            """,
            """
            import torch
            a = torch.eye(2)
            e, v = torch.linalg.eigh(a + 1, UPLO="U")
            x = torch.linalg.solve(a * 2, a)
            """,
        ),
        "line breaks and comments": (
            """
            import torch
            e, v = torch.symeig(
                a,  # the covariance
                eigenvectors=True,
            )
            m = torch.chain_matmul(a,
                                   b)
            f, w = torch.symeig(
                a[m], eigenvectors=True)
            """,
            """
            import torch
            e, v = torch.linalg.eigh(
                a,  # the covariance
                UPLO="U",
            )
            m = torch.linalg.multi_dot([a, b])
            f, w = torch.linalg.eigh(
                a[m], UPLO="U")
            """,
        ),
        "arguments that share a line": (
            """
            import torch
            e, v = torch.symeig(
                self.covariance, eigenvectors=True)
            """,
            """
            import torch
            e, v = torch.linalg.eigh(
                self.covariance, UPLO="U")
            """,
        ),
        "arguments of any number": (
            """
            import torch
            m = torch.chain_matmul(*matrices)
            n = torch.chain_matmul(a, *rest)
            """,
            """
            import torch
            m = torch.linalg.multi_dot([*matrices])
            n = torch.linalg.multi_dot([a, *rest])
            """,
        ),
        "an argument that binds loosely": (
            """
            import torch
            m = torch.chain_matmul(a if flag else b, lambda: c)
            """,
            """
            import torch
            m = torch.linalg.multi_dot([a if flag else b, lambda: c])
            """,
        ),
        "an argument that is a part of another": (
            """
            import torch
            q, r = torch.qr(a, thin)
            q, r = torch.qr(a, some=thin or wide)
            x = torch.gesv(torch.arange(3.0), a)[0]
            """,
            """
            import torch
            q, r = torch.linalg.qr(a, mode="reduced" if thin else "complete")
            q, r = torch.linalg.qr(a, mode="reduced" if thin or wide else "complete")
            x = torch.linalg.solve(a, torch.arange(3.0).unsqueeze(1))
            """,
        ),
        "results that methods gave to another tensor": (
            """
            import torch
            x, y = torch.ones(3), torch.ones(3)
            x.mul(2, out=y)
            x.sign()\\
                .mul(y.expand(3), out=y)
            (x + y).clamp(-1, 1, out=x)
            x.clamp(max=1, out=y)
            x.clamp(-1, out=y)
            x.add(y, alpha=2, out=y)
            """,
            """
            import torch
            x, y = torch.ones(3), torch.ones(3)
            torch.mul(x, 2, out=y)
            torch.mul(x.sign(), y.expand(3), out=y)
            torch.clamp(x + y, -1, 1, out=x)
            torch.clamp(x, max=1, out=y)
            torch.clamp(x, -1, out=y)
            torch.add(x, y, alpha=2, out=y)
            """,
        ),
        "losses of torch 0.3 in a list": (
            """
            import torch
            losses = []
            for x in torch.ones(3, 2):
                losses.append(x.sum())
            total = torch.cat(losses).sum()
            """,
            """
            import torch
            losses = []
            for x in torch.ones(3, 2):
                losses.append(x.sum())
            total = torch.stack(losses).sum()
            """,
        ),
        "elements of what an array of numpy gave": (
            """
            import numpy as np
            import torch
            x = torch.from_numpy(np.arange(-10, 10, 1.5).astype("float32"))
            z = torch.cat((x[2 * 3], x[-1])).view(1, 2)
            """,
            """
            import numpy as np
            import torch
            x = torch.from_numpy(np.arange(-10, 10, 1.5).astype("float32"))
            z = torch.stack((x[2 * 3], x[-1])).view(1, 2)
            """,
        ),
        "losses of torch 0.3 in two lists": (
            """
            import torch
            near, far, n = [], [], 0
            for x in torch.ones(3, 2):
                near.append(x.min())
                far.append(x)
            losses = torch.cat(near), torch.cat(far)
            """,
            """
            import torch
            near, far, n = [], [], 0
            for x in torch.ones(3, 2):
                near.append(x.min())
                far.append(x)
            losses = torch.stack(near), torch.cat(far)
            """,
        ),
        "losses in a list whose name is used again": (
            """
            import torch
            losses = []
            for x in torch.ones(3, 2):
                losses.append(x.sum())
            losses = torch.cat(losses)
            print(losses.size())
            """,
            """
            import torch
            losses = []
            for x in torch.ones(3, 2):
                losses.append(x.sum())
            losses = torch.stack(losses)
            print(losses.size())
            """,
        ),
        "sparse tensors": (
            """
            import torch
            a = torch.sparse.FloatTensor(i, v, torch.Size([2, 3]))
            b = torch.sparse.FloatTensor(i, torch.ones(3))
            """,
            """
            import torch
            a = torch.sparse_coo_tensor(i, v, torch.Size([2, 3]))
            b = torch.sparse_coo_tensor(i, torch.ones(3))
            """,
        ),
        "keywords in another order than torch's": (
            """
            import torch
            with torch.autograd.profiler.profile(
                with_stack=False, use_cuda=True, profile_memory=True
            ) as prof:
                y = f(x)
            """,
            """
            import torch
            with torch.autograd.profiler.profile(
                with_stack=False, use_device="cuda", profile_memory=True
            ) as prof:
                y = f(x)
            """,
        ),
        "keywords with spaces": (
            """
            import torch
            from torch.cuda.amp import autocast
            with autocast(enabled = amp), autocast(amp):
                y = f(x)
            """,
            """
            import torch
            with torch.amp.autocast("cuda", enabled = amp), torch.amp.autocast("cuda", enabled=amp):
                y = f(x)
            """,
        ),
        "a copy of another kind": (
            """
            import torch
            x, t = torch.ones(3), torch.mv(a, b)
            y = x.new_tensor(t)
            z = x.new_tensor(t + 1), x.new_tensor(torch.rand(3))
            """,
            """
            import torch
            x, t = torch.ones(3), torch.mv(a, b)
            y = t.detach().to(x, copy=True)
            z = (t + 1).detach().to(x, copy=True), torch.rand(3).to(x, copy=True)
            """,
        ),
        "where the memory lies": (
            """
            import torch
            x = torch.ones(3)
            same = x.storage().data_ptr() == x[0].storage().data_ptr()
            """,
            """
            import torch
            x = torch.ones(3)
            same = x.untyped_storage().data_ptr() == x[0].untyped_storage().data_ptr()
            """,
        ),
        "a literal that chooses": (
            """
            import torch
            y = torch.rfft(x, 1, normalized=True)
            z = torch.rfft(x, 1, normalized=flag)
            w = torch.rfft(x, 1, False)
            """,
            """
            import torch
            y = torch.view_as_real(torch.fft.rfft(x, norm="ortho"))
            z = torch.view_as_real(torch.fft.rfft(x, norm="ortho" if flag else None))
            w = torch.view_as_real(torch.fft.rfft(x))
            """,
        ),
        "pairs that may not lie side by side": (
            """
            import torch
            y = torch.fft(x, 1)
            z = torch.fft(torch.ones(4, 2), 1)
            """,
            """
            import torch
            y = torch.view_as_real(torch.fft.fft(torch.view_as_complex(x.contiguous())))
            z = torch.view_as_real(torch.fft.fft(torch.view_as_complex(torch.ones(4, 2))))
            """,
        ),
        "an argument that a call has already": (
            """
            import torch
            s = torch.stft(
                x, 512,
                return_complex=False,  # pairs
                hop_length=128,
            )
            """,
            """
            import torch
            s = torch.view_as_real(torch.stft(
                x, 512,
                return_complex=True,  # pairs
                hop_length=128,
            ))
            """,
        ),
        "a keyword that torch 0.3 did not have, in a file with volatile=": (
            """
            import torch
            from torch.autograd import Variable
            x = Variable(torch.randn(1, 64), volatile=True)
            s = torch.stft(x, 8, hop_length=2)
            """,
            """
            import torch
            from torch.autograd import Variable
            x = Variable(torch.randn(1, 64), volatile=True)
            s = torch.view_as_real(torch.stft(x, 8, hop_length=2, return_complex=True))
            """,
        ),
        "the private home of a function": (
            """
            import torch
            from torch.functional import btrifact
            lu, pivots = btrifact(a)
            lu, pivots = torch.functional.lu(a)
            """,
            """
            import torch
            lu, pivots = torch.linalg.lu_factor(a)
            lu, pivots = torch.linalg.lu_factor(a)
            """,
        ),
        "calls in the arguments that only compute": (
            """
            import torch
            x, _ = torch.solve(torch.eye(2), torch.ones(2, 2).t())
            """,
            """
            import torch
            x = torch.linalg.solve(torch.ones(2, 2).t(), torch.eye(2))
            """,
        ),
    },
)

test_keeps = keeps(
    "TP903",
    {
        "numbers of a storage": """
            import torch
            x = torch.ones(3)
            first, last = x.storage()[0], x.storage()[-1]
            x.storage()[0] = 5
            (only,) = torch.ones(1).storage()
            [one] = torch.ones(1).storage()
            """,
        "index of what is no tensor": """
            import torch
            def f(names, x):
                y = x.view(-1, 2)
                at = [names.index(y), "abc".index("a"), y.tolist().index(2), y.size().index(3)]
                return at, (3, 4).index(3)
            """,
        "index of a list that is annotated as a tensor": """
            import torch
            def at(names: torch.Tensor, name):
                return names.index(name)
            """,
        "index of first-class dimensions": """
            import torch
            x = torch.zeros(2, 3)
            a, b = x.index(0, i), x.index(*positions)
            """,
        "modern": """
            import torch
            e, v = torch.linalg.eigh(a, UPLO="U")
            x = torch.linalg.solve(a, b)
            """,
        "what goes with *args and **kwargs": """
            import torch
            e, v = torch.symeig(*args)
            e, v = torch.symeig(a, **options)
            """,
        "an argument that is no literal": """
            import torch
            e, v = torch.symeig(a, eigenvectors=flag)
            """,
        "both parts are used": """
            import torch
            x, lu = torch.solve(b, a)
            print(x, lu)
            """,
        "a tuple that goes on": """
            import torch
            result = torch.solve(b, a)
            """,
        "another order of evaluation": """
            import torch
            x, _ = torch.solve(next(it), next(it))
            y, _ = torch.solve(torch.rand(2, 2), torch.rand(2, 2))
            z, _ = torch.rand(2, 2).solve(torch.rand(2, 2))
            """,
        "out": """
            import torch
            torch.symeig(a, True, out=(e, v))
            """,
        "an argument that is no tensor of one dimension": """
            import torch
            n = torch.cross(a, b)
            n = torch.cross(torch.ones(3, 3), torch.eye(3))
            n = torch.cross(torch.ones(3), torch.ones(3), dim=0)
            """,
        "a part of the result that nothing gives": """
            import torch
            x, m = torch.triangular_solve(b, a)
            print(x, m)
            """,
        "tensors that are joined": """
            import torch
            a = torch.cat([x, y])
            b = torch.cat([torch.ones(2), torch.ones(3)])
            c = torch.cat([], 0)
            d = torch.cat([torch.ones(2).sum(), y])
            e = torch.from_numpy(np.zeros(shape))
            f = torch.cat((e[0], e[1]))
            """,
        "methods that give their results to nobody, or are not those of tensors": """
            import numpy as np
            import torch
            x, y, a = torch.ones(3), torch.ones(3), np.ones(3)
            z = x.mul(2), x.clamp(-1, 1), x.abs()
            a.clip(-1, 1, out=a)
            a.sum(out=a)
            n.mul(2, out=y)
            x.mul(*n, out=y)
            x.mul(2, **n)
            torch.mul(x, 2, out=y)
            """,
        "a list that others fill before it is joined": """
            import torch
            losses = []
            for x in torch.ones(3, 2):
                losses.append(x.sum())
            fill(losses)
            losses = torch.cat(losses)
            print(losses.size())
            """,
        "a list of two names": """
            import torch
            a = b = []
            c, d = e = [], []
            f, *g = [], []
            for x in torch.ones(3, 2):
                a.append(x.sum())
                c.append(x.sum())
                g.append(x.sum())
            b.append(torch.ones(2))
            e[0].append(torch.ones(2))
            losses = torch.cat(a), torch.cat(c), torch.cat(g)
            """,
        "sizes of a sparse tensor": """
            import torch
            a = torch.sparse.FloatTensor(2, 3)
            b = torch.sparse.FloatTensor(n, m)
            c = isinstance(x, torch.sparse.FloatTensor)
            d = torch.cuda.sparse.FloatTensor(i, v, torch.Size([2, 3]))
            """,
        "new tensors of what is no tensor": """
            import torch
            x = torch.ones(3)
            a = x.new_tensor([1, 2])
            b = x.new_tensor(values)
            c = x.new_tensor(torch.ones(3), requires_grad=True)
            """,
        "new tensors of what is only declared to be a tensor": """
            import torch
            def like(x: torch.Tensor, values: torch.Tensor):
                return x.new_tensor(values)
            """,
        "other uses of a storage": """
            import torch
            x = torch.ones(3)
            n = x.storage().size()
            s = x.storage()
            p = cloud.storage().data_ptr()
            """,
        "names of what is no tensor": """
            import torch
            import pandas
            table = pandas.DataFrame(rows).rename(columns=names)
            os.rename(a, b)
            """,
        "transforms of today": """
            import torch
            import torch.fft
            from torch import fft
            y = torch.fft.fft(x)
            z = fft.rfft(x, 1)
            f = torch.fft
            s = torch.stft(x, 512, return_complex=True)
            """,
        "a transform of what may be complex": """
            import torch
            def f(x):
                z = torch.complex(x, x)
                return torch.stft(x, 512)
            """,
        "an inverse transform of what may be complex": """
            import torch
            y = torch.istft(x, 512)
            """,
        "a transform of torch 0.3": """
            import torch
            from torch.autograd import Variable
            x = Variable(x, volatile=True)
            s = torch.stft(x, 512, 128)
            print(loss.data[0])
            """,
        "a size that would be asked of a call": """
            import torch
            y = torch.irfft(next(spectra), 1)
            """,
        "a transform of another library": """
            import numpy as np
            from scipy.fftpack import rfft, ifft
            y = np.fft.fft(x, 1)
            z = ifft(rfft(x, 1), 1)
            """,
        "a value": """
            import torch
            f = torch.symeig
            parts = list(map(torch.symeig, matrices))
            """,
        "a choice": """
            import torch
            if torch.__version__ >= "1.9":
                e, v = torch.linalg.eigh(a)
            else:
                e, v = torch.symeig(a, eigenvectors=True)
            try:
                e, v = torch.linalg.eigh(a)
            except AttributeError:
                e, v = torch.symeig(a, eigenvectors=True)
            """,
        "another library": """
            import numpy as np
            from sympy import solve
            x, _ = solve(b, a)
            y, _ = np.linalg.solve(b, a)
            """,
        "a method of something unknown": """
            import torch
            def f(solver, b):
                x, _ = solver.solve(b)
                return x
            """,
        "a comment that would be lost": """
            import torch
            m = torch.chain_matmul(
                a,  # first
                b,  # second
            )
            """,
    },
)


@pytest.mark.parametrize(
    "call",
    [
        "torch.unsqueeze(v, 0)",
        "torch.unsqueeze(v, dim=1)",
        "torch.unsqueeze(x, *args)",
        "torch.cat([v, v])",
        "torch.cat([v, v], dim=-1)",
        "torch.cat([v.view(1, 3), v.view(1, 3)], 1)",
        "torch.cat([v, x], 1)",
        "torch.dot(v, v)",
        "torch.dot(x, v)",
        "v.dot(x)",
        "v.topk(1)",
        "v.gather(0, x)",
        "torch.conv_tbc(x, v, v)",
        "x.gather(0, v)",
    ],
)
def test_what_torch_takes_as_it_did_stays(call: str) -> None:
    text = f"import torch\nv = torch.ones(3)\ndef f(x, *args):\n    return {call}\n"
    migrated = migrate(text, "TP903")
    assert (migrated.text, migrated.findings) == (text, ())


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("torch.dot(m, x)", "torch.dot(m.flatten(), x.flatten())"),
        ("torch.dot(x, volume)", "torch.dot(x.flatten(), volume.flatten())"),
        ("volume.dot(x)", "torch.dot(volume.flatten(), x.flatten())"),
        ("torch.dot(m.sum(), v[:1])", "torch.dot(m.sum().flatten(), v[:1].flatten())"),
        ("torch.dot(m[0], m[1])", "torch.dot(m[0], m[1])"),
        ("torch.dot(m[x], m[x])", "torch.dot(m[x], m[x])"),
        ("array.dot(array)", "array.dot(array)"),
        ("torch.dot(*args)", "torch.dot(*args)"),
    ],
)
def test_the_dot_of_what_is_no_vector(call: str, written: str) -> None:
    text = (
        "import numpy as np\nimport torch\nv = torch.ones(3)\nm = torch.ones(3, 3)\n"
        "volume = torch.ones(3, 3, 3)\narray = np.ones((3, 3))\ndef f(x, *args):\n    return {}\n"
    )
    assert migrate(text.format(call), "TP903").text == text.format(written)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("torch.unsqueeze(v, 0, out=x)", "use what it returns"),
        ("torch.cat([v, v], 1)", "vectors have no dim 1, and torch.stack(..., 1) makes columns"),
        ("torch.cat(v.view(3, 1), dim=0)", "tuple(v.view(3, 1)) holds the parts along dim 0"),
        ("x['sum']._sparse_mask(v)", "write x['sum'].sparse_mask(v) if x['sum'] is a tensor"),
        ("x.conv_tbc(v, v, 0)", "write torch.conv_tbc(x, v, v, 0) if x is a tensor"),
    ],
)
def test_what_raises_is_told(call: str, said: str) -> None:
    text = f"import torch\nv = torch.ones(3)\ndef f(x):\n    return {call}\n"
    (finding,) = advice("TP903", text)
    assert said in finding.message


def test_the_mask_of_sparse_gradients_has_no_underscore() -> None:
    text = (
        "import torch\nx = torch.ones(2, 2)\ndef f(own, g):\n    own._sparse_mask\n    return {}\n"
    )
    before, after = "x._sparse_mask(g)._values()", "x.sparse_mask(g)._values()"
    assert migrate(text.format(before), "TP903").text == text.format(after)


@pytest.mark.parametrize("joined", ["x", "list(v)", "v.split(1)", "v.unbind(0)", "[v, v]"])
def test_what_may_hold_tensors_is_joined(joined: str) -> None:
    text = f"import torch\nv = torch.ones(3)\ndef f(x):\n    return torch.cat({joined}, 0)\n"
    assert not advice("TP903", text)


def test_what_is_left_is_said() -> None:
    found = advice(
        "TP903",
        """
        import torch
        from torch import pstrf
        result = torch.solve(b, a)
        f = torch.symeig
        e = torch.symeig(*args)
        """,
    )
    assert [f.line for f in found] == [2, 3, 4, 5]
    assert found[0].message.endswith("nothing in this file reads it: delete the import")
    assert "torch.solve raises since torch 1.13: torch.linalg.solve(A, " in found[1].message


@pytest.mark.parametrize(
    "line",
    [
        "from torch.autograd import variable",
        "from torch.autograd import Variable, variable",
        "from torch import symeig, eig, solve, lstsq, matrix_rank",
    ],
)
def test_what_raises_only_when_it_is_called_can_be_imported(line: str) -> None:
    exec(line)
    assert not advice("TP903", f"{line}\nimport torch\n")


def test_what_raises_when_it_is_called_is_not_said_to_be_gone() -> None:
    (found,) = advice("TP903", "from torch.autograd import variable\nx = variable(*given)\n")
    assert found.line == 2
    assert "torch.autograd.variable raises since torch 1.12: torch.tensor" in found.message


def test_what_others_may_import_is_told_with_what_to_write() -> None:
    (found,) = advice("TP903", "from torch import symeig\n__all__ = ['symeig']\n")
    assert "torch.linalg.eigh" in found.message


_ALL = "torch.linalg.cholesky(a, upper=upper) (upper=True unless given)"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("net.m.potrf()", "write torch.linalg.cholesky(net.m, upper=True) if net.m is a tensor"),
        ("net.m._all_buffers()", "write net.m.buffers() if net.m is a module"),
        ("m.potrf(False)", "write torch.linalg.cholesky(m) if m is a tensor"),
        ("m.potrf(flag)", "write torch.linalg.cholesky(m, upper=flag) if m is a tensor"),
        ("m.symeig(True, False)", "write torch.linalg.eigh(m) if m is a tensor"),
        ("m.potrs(u, False)", "write torch.cholesky_solve(m, u) if m is a tensor"),
        ("torch.potrf(a, *options)", _ALL),
        ("run(torch.potrf)", _ALL),
        ("torch.btrifact(*a)", "torch.linalg.lu_factor(A, pivot=pivot) (pivot only where given)"),
        ("torch.potrs(*a)", "torch.cholesky_solve(b, u, upper=upper), where upper=True unless"),
        ("torch.trtrs(*a)", "torch.linalg.solve_triangular(A, b, upper=upper) is the solution"),
    ],
)
def test_advice_has_all_arguments_that_decide(code: str, said: str) -> None:
    (finding,) = advice(
        "TP903", f"import torch\ndef f(net, m, u, a, flag, options, run):\n    {code}\n"
    )
    assert f": {said}" in finding.message


def test_buffers_of_a_class_that_lists_them_itself_are_its_own() -> None:
    text = "class Net(torch.nn.Module):\n    def _all_buffers(self): return []\n"
    assert not advice("TP903", f"import torch\n{text}def f(m): return m._all_buffers()\n")


def test_methods_that_only_tensors_had() -> None:
    text = """
        import torch
        class Solver:
            def gesv(self, b):
                return b
        def f(a, b, solver: Solver):
            x, _ = b.trtrs(a)
            y = solver.gesv(b)
            z = solver.solve(b)
            return a.potrf()
        """
    found = advice("TP903", text)
    assert [f.line for f in found] == [6, 9]
    assert "solve_triangular" in found[0].message


def test_a_call_that_stays_is_named_once() -> None:
    (found,) = migrate("import torch\ne, v = torch.symeig(*args)\n", "TP903").findings
    assert not found.fixed


def test_a_part_that_there_is_not() -> None:
    text = "import torch\nx = torch.symeig(a, True)[5]\n"
    assert "torch.linalg.eigh(a" in migrate(text, "TP903").text


def test_a_function_that_a_file_replaces() -> None:
    assert not migrate("import torch\ntorch.symeig = mine\n", "TP903").findings


def test_actions_that_were_told_their_reward() -> None:
    findings = advice(
        "TP903",
        """
        import torch
        def finish(policy, rewards):
            for action, r in zip(policy.actions, rewards):
                action.reinforce(r)
            policy.reinforce()
        """,
    )
    assert [f.line for f in findings] == [4]
    assert "a torch.distributions m of the same parameters" in findings[0].message


@pytest.mark.parametrize(
    "other",
    [
        "class Agent:\n    def reinforce(self, r):\n        return r\n",
        "device = torch.device('cpu')\n",
        "import agents as action\naction.reinforce(1)\n",
    ],
)
def test_others_may_reinforce_as_they_like(other: str) -> None:
    told = "def finish(action):\n    action.reinforce(1)\n"
    assert len(advice("TP903", f"import torch\n{told}")) == 1
    assert advice("TP903", f"import torch\n{other}{'' if 'agents' in other else told}") == []


@pytest.mark.parametrize(
    ("drawn", "named"),
    [
        ("probs.multinomial()", ["Categorical"]),
        ("torch.bernoulli(probs)", ["Bernoulli"]),
        ("torch.normal(mean, std)", ["Normal"]),
        ("a.bernoulli() if b else a.multinomial()", []),
        ("policy(x)", []),
        ("policy(x)  # no torch.bernoulli(probs)", []),
    ],
)
def test_the_distribution_that_was_drawn_from_is_named(drawn: str, named: list[str]) -> None:
    text = f"import torch\ndef f(r, *a):\n    action = {drawn}\n    keep(action)\n"
    (found,) = advice("TP903", f"{text}def g(action):\n    action.reinforce(1)\n")
    every = ("Categorical", "Bernoulli", "Normal")
    assert all(name in found.message for name in named)
    assert sum(name in found.message for name in every) == len(named)


@pytest.mark.parametrize(
    ("reward", "is_dropped"),
    [("0.", True), ("0", True), ("r", False), ("1.", False)],
)
def test_of_a_reward_of_zero_nothing_is_left(reward: str, is_dropped: bool) -> None:
    text = (
        f"import torch\ndef f(r, probs):\n    a = probs.multinomial()\n    a.reinforce({reward})\n"
    )
    (found,) = advice("TP903", text)
    assert ("drop the call" in found.message) is is_dropped
    assert ("log_prob" in found.message) is not is_dropped


def test_what_is_unpacked_for_a_method_is_told_of() -> None:
    text = "import torch\ndef solve(b, lu):\n    return b.btrisolve(*lu)\n"
    (found,) = advice("TP903", text)
    assert "torch.linalg.lu_solve(LU, pivots, B)" in found.message
    assert "unsqueeze" not in found.message
    others = (
        "import torch\ndef play(agent, lu):\n    return agent.reinforce(*lu)\n",
        "import torch\nimport scipy as b\nb.btrisolve(*lu)\n",
        "import torch\nclass Own:\n    def btrisolve(self, *a):\n        pass\nb.btrisolve(*lu)\n",
    )
    assert not any(advice("TP903", other) for other in others)


def test_an_attribute_of_a_name_that_is_there_is_none_of_a_call() -> None:
    """``torch.autograd.variable`` is a function, and has the class as an attribute."""
    text = "from torch.autograd import variable\nx = variable.Variable(y)\n"
    exec("from torch.autograd import variable; variable.Variable")
    assert not advice("TP903", text)
    assert len(advice("TP903", "from torch.autograd import variable\nmake(variable)\n")) == 1


def test_what_was_drawn_is_told_of_once() -> None:
    text = """
        import torch
        def finish(probs, reward):
            action = torch.exp(probs).multinomial(1)
            action.reinforce(reward)
        """
    assert len(advice("TP903", text)) == 1
    assert advice("TP408", text) == []


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("x.rfft(1)", "torch.view_as_real(torch.fft.rfft(x))"),
        ("x.rfft(signal_ndim=1)", "torch.view_as_real(torch.fft.rfft(x))"),
        (
            "x.ifft(2)",
            "torch.view_as_real(torch.fft.ifft2(torch.view_as_complex(x.contiguous())))",
        ),
        ("x.fft(y)", "x.fft(y)"),
        ("x.ifft(n)", "x.ifft(n)"),
        ("x.rfft()", "x.rfft()"),
        ("x.rfft(512)", "x.rfft(512)"),
    ],
)
def test_transforms_of_what_only_tensors_have(call: str, after: str) -> None:
    text = f"import torch\ndef f(x, y, n):\n    return {call}\n"
    assert migrate(text, "TP903").text == text.replace(call, after)


def test_transforms_of_a_class_of_the_file() -> None:
    text = (
        "import torch\nclass Plan:\n    def rfft(self, x):\n        return x\n"
        "def f(plan):\n    return plan.rfft(1)\n"
    )
    assert migrate(text, "TP903").text == text


@pytest.mark.parametrize("sizes", ["None", "sizes", "self.sizes"])
def test_an_inverse_transform_that_may_get_no_sizes(sizes: str) -> None:
    text = f"import torch\ndef back(self, z, sizes=None):\n    return torch.irfft(z, 2, signal_sizes={sizes})\n"
    (found,) = advice("TP903", text)
    assert "without signal_sizes the last one was 2 * n - 1" in found.message


@pytest.mark.parametrize("sizes", ["sizes", "z.shape[1:3]", "(5, 7)", "sizes.long().tolist()"])
def test_an_inverse_transform_with_sizes(sizes: str) -> None:
    text = (
        f"import torch\ndef back(z, sizes):\n    return torch.irfft(z, 2, signal_sizes={sizes})\n"
    )
    assert f"torch.fft.irfftn(torch.view_as_complex(z.contiguous()), s={sizes}, dim=(-2, -1))" in (
        migrate(text, "TP903").text
    )


_PAIRS = "import torch\nz = torch.ones(4, 2)\n"


@pytest.mark.parametrize(
    "code",
    [
        "print(callable(torch.fft))",
        "g = functools.partial(torch.fft, signal_ndim=1)",
        "from torch import fft\ng = map(fft, [z])",
        "f = torch.fft\nf(z, 1)\ng = map(f, [z])",
        "kinds = {'there': torch.fft}",
        "def f(z, transform=torch.fft): return transform(z, 1)",
        "f = torch.fft if z.dim() else None",
    ],
)
def test_a_function_that_is_a_module_today_is_told_where_it_is_handed_on(code: str) -> None:
    since = Options(era=Era((1, 0), (1, 7)))
    (finding,) = advice("TP903", _PAIRS + code, options=since)
    assert finding.message.startswith("torch.fft is a module since torch 1.8, and no function")
    assert not advice("TP903", _PAIRS + code)
    assert not advice("TP903", _PAIRS + code, options=Options(era=Era((1, 0), (1, 8))))


@pytest.mark.parametrize(
    "code",
    [
        "f = torch.fft\nf(z, 1)",
        "torch.fft(z, 1)",
        "import torch.fft\nprint(torch.fft)",
        "from torch.fft import rfft\nprint(torch.fft)",
        "y = torch.fft.rfft(z)",
        "def f(torch): return map(torch.fft, [z])",
        "class Own: fft = 1\nprint(Own.fft)",
        "import numpy as np\nprint(np.fft, callable(np.fft))",
        "try:\n    f = torch.fft\nexcept AttributeError:\n    f = None",
    ],
)
def test_nothing_is_told_of_what_is_no_such_function(code: str) -> None:
    assert not advice("TP903", _PAIRS + code, options=Options(era=Era((1, 0), (1, 7))))


def test_a_function_that_is_gone_is_told_where_it_is_handed_on() -> None:
    (finding,) = advice("TP903", _PAIRS + "g = map(torch.ifft, [z])")
    assert finding.message.startswith(
        "torch.ifft is gone since torch 1.8: write torch.view_as_real("
    )


_TRIED = """import torch
def factor(x):
    try:
        return x.btrifact(pivot=not x.is_cuda)
    except {error}:
        return x.{other}()
"""


def test_a_method_that_is_gone_is_not_chosen_by_its_arguments() -> None:
    first, second = advice("TP903", _TRIED.format(error="TypeError", other="btrifact"))
    assert "write torch.linalg.lu_factor(x, pivot=not x.is_cuda) if x is a" in first.message
    assert "write torch.linalg.lu_factor(x) if x is a" in second.message


@pytest.mark.parametrize(
    ("error", "other"),
    [
        ("AttributeError", "btrifact"),
        ("(TypeError, AttributeError)", "btrifact"),
        ("AttributeError", "lu_factor"),
    ],
)
def test_a_method_that_is_missed_is_chosen(error: str, other: str) -> None:
    assert not advice("TP903", _TRIED.format(error=error, other=other))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            "torch.irfft(product(a, b), signal_ndim=2)",
            "write torch.fft.irfft2(torch.view_as_complex(input.contiguous()),"
            " s=(input.size(-3), 2 * input.size(-2) - 1)), with input = product(a, b)",
        ),
        (
            "torch.irfft(product(a, b), 1, onesided=False)",
            "write torch.fft.irfft(torch.view_as_complex(input.contiguous()),"
            " n=input.size(-2)), with input = product(a, b)",
        ),
        (
            "torch.irfft(product(a, b), 3, True)",
            ", dim=(-3, -2, -1), norm='ortho'), with input = product(a, b)",
        ),
    ],
)
def test_what_would_run_twice_gets_a_name(call: str, said: str) -> None:
    (found,) = advice("TP903", f"import torch\ndef back(a, b, product):\n    return {call}\n")
    assert found.message.endswith(said)


@pytest.mark.parametrize(
    "call",
    [
        "torch.irfft(product(a, b), count)",
        "torch.irfft(product(a, b), 2, onesided=half)",
        "torch.irfft(product(input), 2)",
        "torch.irfft(*product(a, b))",
    ],
)
def test_what_else_the_function_was_is_said_in_general(call: str) -> None:
    text = f"import torch\ndef back(a, b, input, product, count, half):\n    return {call}\n"
    (found,) = advice("TP903", text)
    assert "with input =" not in found.message and "signal_ndim" in found.message


_LABELLED = """import torch
import torch.nn.functional as F
x = torch.ones(1)
def f(y, weight, average, reduce, *given):
    return {}
"""


@pytest.mark.parametrize("function", ["nll_loss", "nll_loss2d"])
def test_a_copy_of_the_loss_of_torch_0_3(function: str) -> None:
    given = "(x, y, weight, average, -100, reduce)"
    after = migrate(_LABELLED.format(f"torch._C._nn.{function}{given}"), "TP903").text
    assert after == _LABELLED.format(f"F.nll_loss{given}")


@pytest.mark.parametrize(
    "call",
    [
        # Since 0.4.1 a number says how it is reduced, and nothing comes behind ignore_index.
        "torch._C._nn.nll_loss(x, y, weight, 1, -100)",
        "torch._C._nn.nll_loss2d(x, y, weight, average, -100)",
        "torch._C._nn.nll_loss(x, y)",
        "torch._C._nn.nll_loss(x, y, *given)",
        "torch._C._nn.nll_loss",
        "F.nll_loss(x, y, weight, average, -100, reduce)",
    ],
)
def test_what_losses_take_today_stays(call: str) -> None:
    text = _LABELLED.format(call)
    migration = migrate(text, "TP903")
    assert migration.text == text
    assert migration.findings == ()


_REDUCED = """import numpy
import torch
from torch.autograd import Variable
def count(given, d, kept):
    targets = Variable(torch.LongTensor(3, 4))
    pos = targets > 0
    return {}
"""


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("pos.sum(keepdim=True)", "pos.sum()"),
        ("torch.max(targets, keepdim=kept)", "targets.max()"),
        # Arrays have keepdims.
        ("given.sum(keepdim=True)", "given.sum()"),
        ("torch.mean(input=pos.float(), keepdim=True)", "pos.float().mean()"),
    ],
)
def test_a_dimension_that_is_kept_has_to_be_named(call: str, written: str) -> None:
    (found,) = advice("TP903", _REDUCED.format(call))
    assert f": write {written} for that, or name the dimension, too" in found.message


@pytest.mark.parametrize(
    "call",
    [
        "pos.sum(1, keepdim=True)",
        "pos.sum(dim=1, keepdim=True)",
        "pos.sum(dim=None, keepdim=True)",
        "torch.sum(pos, 1, keepdim=True)",
        "torch.sum(pos, 1, True)",
        "pos.sum()",
        "torch.max(targets, targets)",
        "pos.sum(keepdim=True, **d)",
        "pos.sum(*d, keepdim=True)",
        # These take it alone.
        "pos.float().std(keepdim=True)",
        "pos.float().norm(keepdim=True)",
        "pos.any(keepdim=True)",
        "targets.mode(keepdim=True)",
        # Something else may take it.
        "sum(pos, keepdim=True)",
        "d.total(keepdim=True)",
        "numpy.sum(given, keepdims=True)",
    ],
)
def test_what_may_keep_its_dimensions_stays(call: str) -> None:
    assert not advice("TP903", _REDUCED.format(call))


_DRAWS = """import torch
def first(w):
    torch.nn.init.uniform_(w, 1.0, 0.02)
def second(w):
    torch.nn.init.uniform_(w, 1.0, 0.02)
    torch.nn.init.uniform_(w, 1.0, {})
    return
    torch.nn.init.uniform_(w, 1.0, 0.02)
"""


@pytest.mark.parametrize(
    ("bound", "ends"),
    [
        ("0.02", [", here and in lines 5 and 6"]),
        ("0.01", [", here and in line 5", "if 1.0 and 0.01 are a mean and a deviation"]),
        ("2.0", [", here and in line 5"]),
    ],
)
def test_what_is_said_of_several_calls_is_said_once(bound: str, ends: list[str]) -> None:
    found = advice("TP903", _DRAWS.format(bound))
    assert [f.line for f in found] == [3, 6][: len(ends)]
    assert all(f.message.endswith(end) for f, end in zip(found, ends, strict=True))


def test_a_line_that_is_told_of_alone_names_no_others() -> None:
    (found,) = advice("TP903", "import torch\ntorch.nn.init.uniform_(w, 1.0, 0.02)\n")
    assert "here and" not in found.message
