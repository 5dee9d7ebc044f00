"""Nothing is won by ``.to(device)`` where a GPU is needed all the same (TP201)."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.finding import Finding
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TEXT = """import cupy
import torch
from numba import cuda as kernels
{above}
def wait():
    {waits}
def move(x):
    {beside}
    return unheard(made().cuda())
"""

_NEEDS_GPU = {
    "beside": ("", "pass", "torch.cuda.synchronize()"),
    "in what it calls": ("", "torch.cuda.synchronize()", "wait()"),
    "at the module level": ("torch.cuda.set_device(args.gpu)", "pass", "pass"),
    "of another library": ("", "cupy.zeros(3)", "wait()"),
    "kernels": ("", "pass", "kernels.to_device(x)"),
    "a kernel of the file": ("@kernels.jit('f4[:]')\ndef fill(x):\n    x[0] = 1", "pass", "pass"),
    "times the number of GPUs": (
        "n = torch.cuda.device_count()\nsize = args.size * n",
        "pass",
        "pass",
    ),
    "of a type of the GPU": ("", "pass", "x = x.type(torch.cuda.ByteTensor)"),
    "by the number of GPUs": ("", "pass", "size = 64 // torch.cuda.device_count()"),
}
_NEEDS_NONE = {
    "nothing": ("", "pass", "pass"),
    "in a function that is not called": ("", "torch.cuda.synchronize()", "pass"),
    "under a test": ("", "pass", "if torch.cuda.is_available(): torch.cuda.synchronize()"),
    "called under a test": ("", "torch.cuda.synchronize()", "if args.cuda: wait()"),
    "compiled for the CPU": ("@numba.jit('f4[:]')\ndef fill(x):\n    x[0] = 1", "pass", "pass"),
    "seeds": ("torch.cuda.manual_seed_all(1)", "pass", "torch.cuda.empty_cache()"),
    "at least one": (
        "n = max(1, torch.cuda.device_count())\nsize = args.size * n",
        "pass",
        "pass",
    ),
    "a type of the GPU that is asked for": ("", "pass", "isinstance(x, torch.cuda.ByteTensor)"),
    "several GPUs": ("", "pass", "several = torch.cuda.device_count() > 1"),
}

test_keeps = keeps(
    "TP201",
    {
        name: _TEXT.format(above=above, waits=waits, beside=beside)
        for name, (above, waits, beside) in _NEEDS_GPU.items()
    },
)


@pytest.mark.parametrize("name", _NEEDS_GPU)
def test_nothing_is_said_where_a_gpu_is_needed_anyway(name: str) -> None:
    above, waits, beside = _NEEDS_GPU[name]
    assert not advice("TP201", _TEXT.format(above=above, waits=waits, beside=beside))


@pytest.mark.parametrize("name", _NEEDS_NONE)
def test_it_is_said_where_the_rest_runs_without_one(name: str) -> None:
    above, waits, beside = _NEEDS_NONE[name]
    (found,) = advice("TP201", _TEXT.format(above=above, waits=waits, beside=beside))
    assert found.message.startswith(".cuda() needs a GPU")


_LOST = """import torch
{above}
net = torch.nn.Linear(2, 2)
net.cuda()
"""


@pytest.mark.parametrize(
    "above",
    [
        "torch.cuda.set_device(0)",
        "print(torch.cuda.get_device_name(0))",
        "torch.set_default_tensor_type('torch.cuda.FloatTensor')",
        "torch.set_default_tensor_type(torch.cuda.DoubleTensor)",
    ],
)
def test_no_device_is_made_where_the_module_level_needs_a_gpu(above: str) -> None:
    text = _LOST.format(above=above)
    assert migrate(text, "TP201").text == text
    assert not migrate(text, "TP201").findings


@pytest.mark.parametrize(
    "above",
    [
        "if torch.cuda.is_available():\n    torch.cuda.set_device(0)",
        "torch.cuda.manual_seed(1)",
        "def main():\n    torch.cuda.set_device(0)",
        "torch.set_default_tensor_type('torch.DoubleTensor')",
        "if torch.cuda.is_available():\n"
        "    torch.set_default_tensor_type('torch.cuda.FloatTensor')",
    ],
)
def test_a_device_is_made_where_it_needs_none(above: str) -> None:
    assert "net.to(device)" in migrate(_LOST.format(above=above), "TP201").text


def test_a_switch_of_the_program_makes_a_device_beside_what_needs_a_gpu() -> None:
    text = _LOST.format(above="torch.cuda.set_device(0)\nuse_cuda = True")
    text = text.replace("net.cuda()", "if use_cuda:\n    net.cuda()")
    assert 'torch.device("cuda" if use_cuda else "cpu")' in migrate(text, "TP201").text


def test_a_type_of_the_gpu_is_one_of_cuda_where_the_module_level_needs_a_gpu() -> None:
    text = "import torch\n{}\nx = torch.cuda.FloatTensor(3, 2).zero_()\n"
    after = migrate(text.format("torch.cuda.set_device(0)"), "TP203").text
    assert after.endswith('x = torch.zeros(3, 2, device="cuda")\n')
    after = migrate(text.format("torch.cuda.manual_seed(1)"), "TP203").text
    assert after.endswith("x = torch.zeros(3, 2, device=device)\n")


_KERNEL = "from ._ext import roi\ndef pool(x):\n    return roi.forward(x)\n"


def _findings(folder: Path, build: str, imported: str, kernel: str = _KERNEL) -> list[Finding]:
    files = {
        "build.py": build,
        "kernel.py": kernel,
        "model.py": f"from {imported} import pool\n",
        "other.py": "def pool(x):\n    return x\n",
        "train.py": "import torch\nfrom model import pool\nunheard(pool, made().cuda())\n",
        "asks.py": "import train\nif use_gpu:\n    net.cuda()\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    settings = Settings(select=("TP201",))
    return migrate_file(folder / "train.py", settings, write=False).findings


_BUILT = "ffi = create_extension('_ext.roi', with_cuda={cuda})\n"


@pytest.mark.parametrize(
    ("cuda", "imported", "is_said"),
    [
        ("True", "kernel", False),
        ("True", "other", True),
        ("torch.cuda.is_available()", "kernel", True),
    ],
)
def test_a_kernel_that_was_built_for_cuda_needs_one(
    tmp_path: Path, cuda: str, imported: str, is_said: bool
) -> None:
    for kernel in (_KERNEL, _KERNEL.replace("._ext import roi", ". import _ext as roi")):
        found = _findings(tmp_path, _BUILT.format(cuda=cuda), imported, kernel)
        assert bool(found) is is_said


def test_a_kernel_that_numba_compiles_is_imported_as_well(tmp_path: Path) -> None:
    kernels = "from numba import cuda\n@cuda.jit('f4[:]')\ndef pool(x):\n    x[0] = 1\n"
    assert _findings(tmp_path, kernels, "other")
    assert not _findings(tmp_path, kernels, "build")


_EXTENSION = """from torch.utils.cpp_extension import CUDAExtension, CppExtension
{made}
"""


@pytest.mark.parametrize(
    ("made", "taken", "imported", "is_said"),
    [
        ("CUDAExtension('roi', ['roi.cu'])", "import roi", "kernel", False),
        ("CUDAExtension(name='pkg.roi', sources=[])", "from pkg import roi", "kernel", False),
        ("CUDAExtension('roi', ['roi.cu'])", "import roi", "other", True),
        ("CUDAExtension('roi', ['roi.cu'])", "import roi_pool", "kernel", True),
        ("CUDAExtension('roi', ['roi.cu'])", "try:\n    import roi\nexcept E: 0", "kernel", True),
        ("CppExtension('roi', ['roi.cpp'])", "import roi", "kernel", True),
        ("CUDAExtension('roi', []), CppExtension('roi', [])", "import roi", "kernel", True),
        ("if torch.cuda.is_available(): CUDAExtension('roi', [])", "import roi", "kernel", True),
        ("CUDAExtension(name, ['roi.cu'])", "import roi", "kernel", True),
    ],
)
def test_an_extension_that_is_built_for_cuda_alone_needs_one(
    tmp_path: Path, made: str, taken: str, imported: str, is_said: bool
) -> None:
    kernel = f"{taken}\ndef pool(x):\n    return roi.forward(x)\n"
    (tmp_path / "setup.py").write_text(_EXTENSION.format(made=made))
    assert bool(_findings(tmp_path, "", imported, kernel)) is is_said


_COMPILED = """{above}
import torch
class Relu:
    def compile(self, text):
        self.module = {made}
unheard(made().cuda())
"""


@pytest.mark.parametrize(
    ("above", "made", "is_said"),
    [
        ("from pynvrtc.compiler import Program", "Program(text, 'relu.cu')", False),
        ("from cupy.cuda import function", "function.Module()", False),
        ("import cupy.cuda", "cupy.cuda.function.Module()", False),
        ("import pycuda.compiler as c", "c.SourceModule(text)", False),
        ("from pynvrtc.compiler import Program", "text", True),
        ("import cupy", "cupy.zeros(3)", True),
        ("from mine.compiler import Program", "Program(text, 'relu.cu')", True),
        (
            "try:\n    from pynvrtc.compiler import Program\nexcept ImportError: Program = None",
            "Program(text, 'relu.cu')",
            True,
        ),
    ],
)
def test_a_file_that_compiles_kernels_needs_a_gpu(above: str, made: str, is_said: bool) -> None:
    assert bool(advice("TP201", _COMPILED.format(above=above, made=made))) is is_said


_CHOSEN = """import argparse
import torch
args = argparse.ArgumentParser().parse_args()
net = torch.nn.Linear(2, 2)
if args.gpu:
    {chosen}
net.cuda()
"""


@pytest.mark.parametrize(
    ("chosen", "is_proposed"),
    [
        ("torch.cuda.set_device(args.gpu)", False),
        ("torch.cuda.set_device(1)", False),
        ("torch.cuda.manual_seed(1)", True),
    ],
)
def test_the_number_of_a_gpu_is_no_switch(chosen: str, is_proposed: bool) -> None:
    (found,) = advice("TP201", _CHOSEN.format(chosen=chosen))
    proposed = 'torch.device("cuda" if args.gpu else "cpu")' in found.message
    assert proposed is is_proposed


_ASKING = textwrap.dedent(
    """
    import torch
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(2, 2)
        def sample(self, size):
            noise = torch.randn(size, 2)
            if {asked}:
                noise = noise.cuda()
            return self.fc(noise)
    """
)


def test_a_move_that_is_asked_is_always_true() -> None:
    text = _ASKING.format(asked="self.cuda()")
    (found,) = advice("TP201", text)
    assert found.line == 8
    assert found.message.endswith("to ask where it is, write next(self.parameters()).is_cuda")
    assert migrate(text, "TP201").text == text


@pytest.mark.parametrize(
    "asked", ["self.on_gpu", "next(self.parameters()).is_cuda", "made.cuda()", "self.fc.cuda(0)"]
)
def test_other_tests_are_left_as_they_are(asked: str) -> None:
    findings = advice("TP201", _ASKING.format(asked=asked))
    assert not any("always true" in finding.message for finding in findings)


_RUNS = """import torch
{taken}
def backward(x, grad):
    grad_x = torch.zeros(x.size()).cuda()
    {call}
    return grad_x
"""
_ALONE = "corr.corr_cuda_backward(x, grad, grad_x)"


@pytest.mark.parametrize(
    ("taken", "call", "stays"),
    [
        pytest.param("from ._ext import corr", _ALONE, True, id="kernels"),
        pytest.param("import corr_cuda as corr", _ALONE, True, id="a module of kernels"),
        pytest.param("from ._ext import corr", f"if x.is_cuda: {_ALONE}", False, id="under a test"),
        pytest.param(
            "from ._ext import corr",
            f"if x.is_cuda: {_ALONE}\n    else: corr.corr_backward(x, grad, grad_x)",
            False,
            id="beside one for the CPU",
        ),
        pytest.param("from ._ext import corr", "corr.corr_cuda(x)", False, id="one argument"),
        pytest.param("from ._ext import corr", "corr.backward(x, grad)", False, id="any device"),
        pytest.param("corr = made()", _ALONE, False, id="no import"),
        pytest.param("from ._ext import corr", "torch.cuda.manual_seed(1)", False, id="torch"),
        pytest.param("from tools import to_cuda", "to_cuda(x, grad)", False, id="Python"),
    ],
)
def test_what_runs_kernels_of_a_gpu_gets_no_device(
    tmp_path: Path, taken: str, call: str, stays: bool
) -> None:
    (tmp_path / "tools.py").write_text("def to_cuda(x, y):\n    return x, y\n")
    text = _RUNS.format(taken=taken, call=call)
    (tmp_path / "corr.py").write_text(text)
    migration = migrate_file(tmp_path / "corr.py", Settings(select=("TP201",)), write=False)
    assert not migration.findings or not stays
    assert (not migration.changed) is stays


@pytest.mark.parametrize(
    ("build", "imported", "stays"),
    [
        ("'round', sources=['src/round_cuda.c'], with_cuda=True", "round", True),
        ("'_ext.round', sources=['round_cuda.c'], with_cuda=True", "_ext.round", True),
        ("'round', sources=['round.c', 'round_cuda.c'], with_cuda=True", "round", False),
        ("'round', sources=['src/round_cuda.c'], with_cuda=False", "round", False),
        ("'round', sources=[*sources], with_cuda=True", "round", False),
        ("'round', sources=['src/round_cuda.c'], with_cuda=True", "rounding", False),
    ],
)
def test_what_imports_kernels_of_a_gpu_gets_no_device(
    tmp_path: Path, build: str, imported: str, stays: bool
) -> None:
    text = f"import torch\nfrom {imported} import forward\nx = forward(torch.rand(2, 2).cuda())\n"
    (tmp_path / "build.py").write_text(f"ffi = create_extension({build})\n")
    (tmp_path / "test.py").write_text(text)
    settings = Settings(select=("TP201",))
    assert (not migrate_file(tmp_path / "test.py", settings, write=False).changed) is stays


@pytest.mark.parametrize(("imported", "stays"), [("kernel", True), ("model", False)])
def test_what_imports_a_file_of_kernels_gets_no_device(
    tmp_path: Path, imported: str, stays: bool
) -> None:
    text = f"import torch\nfrom {imported} import run\ny = run(torch.rand(2).cuda())\n"
    (tmp_path / "kernel.py").write_text(
        "import ext, torch\ndef run(x):\n    ext.run_cuda_forward(x, x)\n"
    )
    (tmp_path / "model.py").write_text("from kernel import run\n")
    (tmp_path / "test.py").write_text(text)
    settings = Settings(select=("TP201",))
    assert (not migrate_file(tmp_path / "test.py", settings, write=False).changed) is stays
