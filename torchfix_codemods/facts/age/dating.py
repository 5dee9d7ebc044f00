"""What shows which torch versions a file can have been written for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from torchfix_codemods.facts.age.era import LATER, Era, Version, dotted, last_release, parse_version
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.record import record

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.age.wrapped_variables import volatile_passed_on

IsNumber = Callable[[ast.Subscript], bool]
IsOptional = Callable[[ast.AST], bool]
IsOurs = Callable[[int], bool]


def _by_name(versions: Mapping[str, str]) -> dict[str, Version]:
    return {name: parse_version(v) for v, names in versions.items() for name in names.split()}


#: Names that did not exist before a version: a file that uses one was written for it or later.
_SINCE = _by_name(
    {
        "0.4": """
            torch.no_grad torch.enable_grad torch.set_grad_enabled torch.device torch.tensor
            torch.nn.functional.interpolate""",
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

#: Names that were gone, or raised, after a version: a file that uses one was written before.
_UNTIL = _by_name(
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
_SINCE_KEYWORD = _by_name(
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
_ALWAYS_TOOK = {
    "requires_grad": ("torch.autograd.Variable", "torch.nn.Parameter"),
    "device": ("torch.cuda.",),
}

#: Keywords that were gone after a version, or had no effect any more.
_UNTIL_KEYWORD = _by_name(
    {
        "0.3": """
            torch.autograd.Variable(volatile=) torch.utils.data.TensorDataset(data_tensor=)
            torch.utils.data.TensorDataset(target_tensor=)""",
        "1.10": "torch.onnx.export(example_outputs=)",
    }
)

_V0_3: Version = (0, 3)

_LAST_WORDS = frozenset(name.rpartition(".")[2] for name in (*_SINCE, *_UNTIL))
_KEYWORDS = frozenset(
    key.rpartition("(")[2].rstrip("=)") for key in (*_SINCE_KEYWORD, *_UNTIL_KEYWORD)
) | {"retain_variables"}


@record
class Clue:
    """One use of an API: in ``since`` it was new, after ``until`` it was gone."""

    node: ast.AST
    what: str
    since: Version = ()
    until: Version = ()

    @property
    def word(self) -> str:
        """The name or the keyword alone; empty where it is neither."""
        return "" if " " in self.what else self.what.rpartition(".")[2].rstrip("=")

    @property
    def line(self) -> int:
        return int(getattr(self.node, "lineno", 0))

    def __str__(self) -> str:
        return self.at(f"line {self.line}")

    def at(self, place: str) -> str:
        """What it shows, and where: ``"line 12: volatile= (0.3 at most)"``."""
        bound = f"since {dotted(self.since)}" if self.since else f"{dotted(self.until)} at most"
        return f"{place}: {self.what} ({bound})"


@record
class Clues:
    """What decides how old a module is."""

    newer: Clue | None
    """The API that came last."""
    older: Clue | None
    """The API that was gone first."""
    outdated: Clue | None
    """What was gone before ``newer`` came: a module that was brought up to date by half."""


def find_era(names: Names, is_number: IsNumber, is_optional: IsOptional, is_ours: IsOurs) -> Era:
    """Date a module by the API that it uses, as :func:`find_clues` says."""
    clues = find_clues(names, is_number, is_optional, is_ours)
    evidence = [str(clue) for clue in (clues.newer, clues.older) if clue is not None]
    if clues.outdated is not None:
        evidence.append(f"{clues.outdated} (not counted: {LATER})")
    oldest = None if clues.newer is None else clues.newer.since
    newest = None if clues.older is None else clues.older.until
    has_variables = _has_variables(names)
    return Era(oldest, newest, tuple(evidence), oldest, has_variables=has_variables)


def _has_variables(names: Names) -> bool:
    """Whether a module imports ``torch.autograd.Variable``, or spells it out."""
    imported = names.module.bindings.values()
    return any(b.qualified == VARIABLE for bindings in imported for b in bindings) or any(
        isinstance(node, ast.Attribute) and node.attr == "Variable" and names.name(node) == VARIABLE
        for node in names.nodes.get(ast.Attribute, ())
    )


def find_clues(
    names: Names, is_number: IsNumber, is_optional: IsOptional, is_ours: IsOurs
) -> Clues:
    """What dates a module.

    Only what is certain counts: ``volatile=`` lost its meaning in 0.4, and so did ``.data[0]`` of
    what holds one number, while ``torch.device`` did not exist before. In a file that was brought
    up to date by half the newer API decides, because the file ran there last.

    Args:
        names: the scopes of the module.
        is_number: tells of ``x[0]``, ``x.data[0]`` and the like whether x certainly holds just one
            number.
        is_optional: tells of a node whether the file also works without it, because it stands
            where the code chooses between old and new torch.
        is_ours: tells of a line whether an earlier run wrote it: that it uses what is newer does
            not make the code around it newer.
    """

    def first(clues: Iterable[Clue]) -> Clue | None:
        return next((clue for clue in clues if not is_optional(clue.node)), None)

    found = (*_names(names), *_keywords(names), *_left_out(names))
    clues = sorted(found, key=lambda clue: clue.line)
    newest_first = sorted((c for c in clues if c.since), key=lambda c: c.since, reverse=True)
    newer = first(clue for clue in newest_first if not is_ours(clue.line))
    relics = sorted((c for c in clues if c.until), key=lambda clue: clue.until)
    outdated: Clue | None = None
    if newer is not None:
        outdated = first(c for c in relics if last_release(c.until) < newer.since)
        relics = [c for c in relics if not last_release(c.until) < newer.since]
    older = first(relics)
    if newer is None and (older is None or older.until > _V0_3):
        # Asked last, because it takes values, and not at all of a file that is newer.
        older = first(_indexed_numbers(names, is_number)) or older
    return Clues(newer, older, outdated)


def uses_until(names: Names, is_optional: IsOptional, is_older: IsOurs) -> Version | None:
    """The torch that certain lines of a module need.

    Args:
        names: the scopes of the module.
        is_optional: as for :func:`find_clues`.
        is_older: tells which lines count.
    """
    clues = (*_names(names), *_keywords(names))
    return max(
        (c.since for c in clues if c.since and is_older(c.line) and not is_optional(c.node)),
        default=None,
    )


def words_after(names: Names, version: Version) -> set[str]:
    """The names and keywords of a module that came after a version."""
    clues = (*_names(names), *_keywords(names))
    return {clue.word for clue in clues if clue.since and last_release(version) < clue.since}


def _names(names: Names) -> Iterator[Clue]:
    """Names of torch that came or went, where they are read and where they are imported."""
    read: list[Any] = names.nodes.get(ast.Attribute, [])
    named: list[Any] = names.nodes.get(ast.Name, [])
    for node in (
        *[node for node in read if node.attr in _LAST_WORDS],
        *[node for node in named if node.id in _LAST_WORDS],
    ):
        yield from _clues(node, names.name(node) or "")
    for node in (*names.nodes.get(ast.Import, ()), *names.nodes.get(ast.ImportFrom, ())):
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        if names.imports_own(node):
            continue
        module = "" if isinstance(node, ast.Import) else f"{'.' * node.level}{node.module}."
        for alias in node.names:
            parts = f"{module}{alias.name}".split(".")
            if parts[0] == "torch":
                for end in range(2, len(parts) + 1):
                    yield from _clues(node, ".".join(parts[:end]))


def _clues(node: ast.AST, name: str) -> Iterator[Clue]:
    if name in _SINCE:
        yield Clue(node, name, since=_SINCE[name])
    if name in _UNTIL:
        yield Clue(node, name, until=_UNTIL[name])


def _keywords(names: Names) -> Iterator[Clue]:
    """Keywords of torch's functions that came or went."""
    for node in names.nodes.get(ast.Call, ()):
        assert isinstance(node, ast.Call)
        for keyword in node.keywords:
            if keyword.arg not in _KEYWORDS:
                continue
            if keyword.arg == "retain_variables":
                if isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
                    yield Clue(keyword, "retain_variables=", until=_V0_3)
                continue
            if keyword.arg == "volatile" and volatile_passed_on(node, names) is not None:
                yield Clue(keyword, "volatile=", until=_V0_3)
                continue
            name = names.name(node.func) or ""
            if not name.startswith("torch."):
                continue
            what = f"{keyword.arg}="
            key = f"{name}({what})"
            if key in _UNTIL_KEYWORD:
                yield Clue(keyword, what, until=_UNTIL_KEYWORD[key])
            elif not name.startswith(_ALWAYS_TOOK.get(keyword.arg, ("-",))):
                since = _SINCE_KEYWORD.get(key) or _SINCE_KEYWORD.get(what)
                if since is not None:
                    yield Clue(keyword, what, since=since)


def _left_out(names: Names) -> Iterator[Clue]:
    """``torch.multinomial(p)``, which raises since 0.4."""
    for call in names.method_calls("multinomial"):
        is_alone = len(call.args) == 1 and not isinstance(call.args[0], ast.Starred)
        if is_alone and not call.keywords and names.name(call.func) == "torch.multinomial":
            yield Clue(call, "multinomial without num_samples", until=_V0_3)


def _indexed_numbers(names: Names, is_number: IsNumber) -> Iterator[Clue]:
    """Index 0 of what holds one number, which had a dimension until 0.3."""
    for node in names.nodes.get(ast.Subscript, ()):
        assert isinstance(node, ast.Subscript)
        if isinstance(node.slice, ast.Constant) and node.slice.value == 0 and is_number(node):
            yield Clue(node, "index 0 of a number", until=_V0_3)
