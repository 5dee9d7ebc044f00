"""When names and keywords of torch came, and when they went."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from torchfix_codemods.facts.age.era import Version, parse_version
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.text.words import words_in


def _by_name(versions: Mapping[str, str]) -> dict[str, Version]:
    return {name: parse_version(v) for v, names in versions.items() for name in names.split()}


#: Names that did not exist before a version: a file that uses one was written for it or later.
SINCE = _by_name(
    {
        "0.4": """
            torch.no_grad torch.enable_grad torch.set_grad_enabled torch.device torch.tensor
            torch.nn.functional.interpolate torch.rand_like torch.randn_like torch.randint
            torch.randint_like torch.full_like""",
        "1.1": """
            torch.utils.tensorboard torch.nn.Identity torch.nn.MultiheadAttention
            torch.nn.SyncBatchNorm torch.nn.functional.one_hot torch.repeat_interleave
            torch.cdist torch.triangular_solve torch.cholesky_solve
            torch.optim.lr_scheduler.CyclicLR
            torch.optim.lr_scheduler.CosineAnnealingWarmRestarts""",
        "1.2": """
            torch.bool torch.nn.Transformer torch.nn.TransformerEncoder
            torch.nn.TransformerEncoderLayer torch.nn.Flatten torch.nn.functional.gelu
            torch.utils.data.IterableDataset torch.optim.AdamW""",
        "1.3": "torch.logical_not torch.logical_xor torch.optim.lr_scheduler.OneCycleLR",
        "1.4": "torch.nn.GELU torch.nn.utils.prune torch.distributed.rpc",
        "1.5": """
            torch.logical_and torch.logical_or torch.floor_divide torch.true_divide torch.square
            torch.autograd.functional torch.cuda.amp""",
        "1.6": "torch.cuda.amp.autocast torch.optim.swa_utils torch.searchsorted torch.bucketize",
        "1.7": """
            torch.maximum torch.minimum torch.amax torch.amin torch.hstack torch.vstack
            torch.count_nonzero torch.nn.SiLU torch.nn.functional.silu torch.linalg
            torch.fft.fft torch.fft.ifft torch.fft.rfft torch.fft.irfft torch.fft.fftn
            torch.fft.ifftn torch.fft.rfftn torch.fft.irfftn torch.set_deterministic""",
        "1.8": """
            torch.linalg.solve torch.linalg.eigh torch.linalg.svd torch.linalg.qr torch.linalg.inv
            torch.linalg.cholesky torch.linalg.pinv torch.linalg.slogdet torch.fft.fft2
            torch.fft.fftshift torch.kron torch.tile torch.nan_to_num torch.fx torch.profiler
            torch.use_deterministic_algorithms""",
        "1.9": """
            torch.inference_mode torch.linalg.eig torch.linalg.lstsq torch.linalg.vector_norm
            torch.linalg.matrix_norm torch.special torch.nn.Mish torch.nn.HuberLoss
            torch.nn.utils.parametrize""",
        "1.10": "torch.autocast torch.isin torch.concat torch.optim.lr_scheduler.LinearLR",
        "1.11": "torch.argwhere torch.asarray torch.linalg.lu_factor torch.distributed.fsdp",
        "2.0": """
            torch.compile torch.vmap torch.func torch.set_default_device torch._dynamo
            torch.nn.functional.scaled_dot_product_attention""",
    }
)

#: Names that came with a version for others that work to this day: they do not date a file, whose
#: old names would have to stay for its date, but without them nothing of it ran.
RENAMED_IN = _by_name(
    {
        "0.4": """
            torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_value_
            torch.nn.init.uniform_ torch.nn.init.normal_ torch.nn.init.constant_
            torch.nn.init.eye_ torch.nn.init.dirac_ torch.nn.init.xavier_uniform_
            torch.nn.init.xavier_normal_ torch.nn.init.kaiming_uniform_
            torch.nn.init.kaiming_normal_ torch.nn.init.orthogonal_ torch.nn.init.sparse_"""
    }
)

#: Methods that came with a version for others that work to this day; of modules it is ``to``.
METHODS_IN = _by_name(
    {
        "0.4": """
            torch.Tensor.item torch.Tensor.to torch.Tensor.requires_grad_ torch.Tensor.new_full
            torch.Tensor.new_ones torch.Tensor.new_tensor torch.Tensor.new_zeros"""
    }
)

#: Names that were gone, or raised, after a version: a file that uses one was written before.
UNTIL = _by_name(
    {
        "0.4": """
            torch.legacy torch.utils.ffi torch.utils.serialization.load_lua
            torch.nn.modules.loss._assert_no_grad""",
        "1.1": """
            torch.gesv torch.potrf torch.potri torch.potrs torch.pstrf torch.trtrs torch.btrifact
            torch.btrifact_with_info torch.btrisolve torch.btriunpack
            torch.distributed.deprecated torch.utils.data.dataloader._DataLoaderIter""",
        "1.2": "torch.gels torch.nn.backends.thnn",
        "1.3": "torch.jit.get_trace_graph",
        "1.7": "torch.rfft torch.irfft torch.ifft",
        "1.8": "torch.autograd.gradcheck.zero_gradients torch.nn.modules.linear._LinearWithBias",
        "1.9": "torch.set_deterministic torch.is_deterministic",
        "1.11": "torch.solve",
        "1.12": "torch.eig torch.lstsq torch.matrix_rank",
        "1.13": "torch.symeig torch._six",
    }
)

#: Keywords that did not exist before a version, of certain callables or of any of torch's.
SINCE_KEYWORD = _by_name(
    {
        "0.4": "dtype= device= requires_grad= align_corners=",
        "0.4.1": "reduction=",
        "1.3": """
            torch.nn.functional.grid_sample(align_corners=)
            torch.nn.functional.affine_grid(align_corners=)""",
        "1.7": """
            torch.utils.data.DataLoader(persistent_workers=)
            torch.utils.data.DataLoader(prefetch_factor=) torch.stft(return_complex=)""",
        "1.8": "torch.div(rounding_mode=)",
        "1.10": """
            torch.meshgrid(indexing=) torch.nn.CrossEntropyLoss(label_smoothing=)
            torch.nn.functional.cross_entropy(label_smoothing=)""",
        "1.13": "torch.load(weights_only=)",
    }
)

#: Callables that took such keywords from the beginning.
ALWAYS_TOOK = {
    "requires_grad": ("torch.autograd.Variable", "torch.nn.Parameter"),
    "device": ("torch.cuda.",),
}

#: Keywords that were gone after a version, or had no effect any more.
UNTIL_KEYWORD = _by_name(
    {
        "0.3": """
            torch.autograd.Variable(volatile=) torch.utils.data.TensorDataset(data_tensor=)
            torch.utils.data.TensorDataset(target_tensor=)""",
        "1.10": "torch.onnx.export(example_outputs=)",
    }
)


def _newest_by_word() -> dict[bytes, Version]:
    found: dict[bytes, Version] = {}
    for name, version in (*SINCE.items(), *RENAMED_IN.items(), *SINCE_KEYWORD.items()):
        word = re.split(r"[.(]", name.rstrip("=)"))[-1].encode()
        found[word] = max(found.get(word, version), version)
    return found


#: By word, the newest torch that a file with it may need.
_NEWEST = _newest_by_word()
_NEW_KEYWORDS = frozenset(key.rpartition("(")[2].rstrip("=)").encode() for key in SINCE_KEYWORD)

#: What may make names of torch names of the file.
_TAKES_NAMES = lazy_pattern(rb"from[ \t]+torch|import[ \t(]*\*")
LAST_WORDS = frozenset(name.rpartition(".")[2] for name in (*SINCE, *RENAMED_IN, *UNTIL))
KEYWORDS = frozenset(
    key.rpartition("(")[2].rstrip("=)") for key in (*SINCE_KEYWORD, *UNTIL_KEYWORD)
) | {"retain_variables"}


def may_need(data: bytes) -> Version | None:
    """The newest torch that a file can need by the words in it; a doubt counts as yes.

    None where it holds no word that some torch was the first to know.
    """
    words = [(version, word) for word in words_in(data) if (version := _NEWEST.get(word))]
    found = (version for version, word in sorted(words, reverse=True) if _is_torchs(word, data))
    return next(found, None)


def _is_torchs(word: bytes, data: bytes) -> bool:
    """Whether a word may be torch's: not in ``re.compile``, ``self.func`` and ``def f(func)``."""
    is_bare = word in _NEW_KEYWORDS or _TAKES_NAMES.search(data) is not None
    return _pattern_of(word, is_bare).search(data) is not None


@functools.lru_cache(maxsize=2 * len(_NEWEST))
def _pattern_of(word: bytes, is_bare: bool) -> re.Pattern[bytes]:
    if is_bare:
        return re.compile(rb"%s(?<=\b%s)(?<!\bre\.%s)(?<!\bself\.%s)\b" % ((word,) * 4))
    return re.compile(rb"\.(?<!\bre\.)(?<!\bself\.)\s*%s\b" % word)
