"""What a call of torch does, as it is seen: whose memory the result is, what is written, and so on.

Version counters, addresses of memory, histories and the errors of backward tell it; and of what
becomes of numbers, calls with other numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from benchmarks import torch_table
from benchmarks.torch_table import _SIZE, Case, Form, Spec, _own, _tensor

#: The order in which the words stand.
_WORDS = (
    "makes tells leaves samples compares elementwise keeps casts cuts moves reshapes repeats "
    "selects chooses reduces mixes fits resizes autograd"
).split()

#: In one of which each method that converts finds nothing to do.
_DTYPES = "float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool".split()
#: An address is no number that a tensor holds.
_TELLS = frozenset("data_ptr const_data_ptr storage untyped_storage".split())
#: What asks or changes what autograd does, and computes nothing.
_AUTOGRAD = frozenset(
    "backward retain_grad register_hook requires_grad_ detach_ grad grad_fn requires_grad is_leaf "
    "output_nr retains_grad volatile".split()
)
#: Where the tensor itself gets another size, and perhaps other memory.
_RESIZES = frozenset("resize_ resize_as_ set_".split())
#: Where the words cannot be seen on one CPU.
_MOVES = frozenset("to type share_memory_".split())
#: What has the sizes of its tensors in any case, or nothing that could have them.
_KNOWN_TO_FIT = frozenset({"elementwise", "makes", "tells", "leaves", "autograd", "resizes"})
#: What backward is told here belongs to another call.
_NO_BACKWARD = frozenset("backward set_ resize_ resize_as_ apply_ map_".split())


@dataclass(frozen=True)
class Effects:
    """What a form of a callable does."""

    does: frozenset[str] = frozenset()
    shares: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    records: frozenset[str] = frozenset()
    saves: frozenset[str] = frozenset()

    def cells(self) -> list[str]:
        words = " ".join(word for word in _WORDS if word in self.does)
        others = (self.shares, self.writes, self.records, self.saves)
        return [words, *(" ".join(sorted(cell)) for cell in others)]


@dataclass
class Count:
    """How much was done to make the table."""

    forms: int = 0
    calls: int = 0
    declared: int = 0
    contradictions: list[str] = field(default_factory=list)


COUNT = Count()


def taken(form: Form) -> str:
    return " ".join(
        p.name if p.kind == "T" else f"{p.name}:{p.kind}" for p in form if p.default is None
    )


class Seen:
    """Calls a form and looks at what becomes of its tensors."""

    def __init__(self, name: str, function: Any, form: Form, cases: list[Case]) -> None:
        self.name = name
        self.bare = name.rpartition(".")[2]
        self.function = function
        self.form = form
        self.cases = cases
        self.tensors = list(cases[0].tensors()) if cases else []

    def effects(self) -> Effects:
        COUNT.forms += 1
        shares, writes = self._memory()
        records = self._records()
        saves = self._saves() if records else frozenset()
        does = self._does()
        # How long a layer's result is, its construction tells.
        is_asked = len(self.tensors) == 1 and not self.bare[0].isupper()
        if is_asked and not does & _KNOWN_TO_FIT and self._fits():
            does |= {"fits"}
        return Effects(does, shares, writes | self._out(), records, saves)

    # Memory

    def _variants(self) -> Iterator[tuple[Case, str]]:
        """Cases, and after each the option that it is given."""
        for case in self.cases:
            yield case, ""
        for case in self.cases:
            for layout in ("swapped", "every second", "expanded"):
                yield case.with_tensors(lambda n, s, at=layout: replace(s, layout=at)), ""
        for case, dtype in itertools.product(self.cases[:1], _DTYPES):
            yield case.with_tensors(lambda n, s, d=dtype: replace(s, dtype=d)), ""
        for case in self.cases[:2]:
            yield case.with_tensors(lambda n, s: torch_table._with_ones(s, "all")), ""
            yield case.with_tensors(lambda n, s: torch_table._with_ones(s, "last")), ""
            for parameter in self.form:
                if parameter.default is not None:
                    for value in torch_table._option_values(parameter, 2):
                        yield Case({**case.values, parameter.name: value}), parameter.name

    def _memory(self) -> tuple[frozenset[str], frozenset[str]]:
        views: dict[str, list[bool]] = {}
        same: dict[str, list[bool]] = {}
        writes: dict[str, set[str]] = {}
        plain: set[str] = set()
        for case, option in self._variants():
            run = self._run(case, option)
            if run is None:
                continue
            result, given, changed = run
            for name in changed:
                writes.setdefault(name, set()).add(option)
                if not option:
                    plain.add(name)
            results = [r for r in _memory_of(result) if _is_plain(r)]
            results = [r for r in results if r.numel()]
            if not results or option == "inplace":
                continue
            for name, tensors in given.items():
                if not all(t.numel() for t in tensors):
                    continue
                shares = [_shares(r, t) for r in results for t in tensors]
                is_it = [r is t for r in results for t in tensors]
                views.setdefault(name, []).append(any(shares))
                same.setdefault(name, []).append(any(is_it))
        tokens: set[str] = set()
        for name in views:
            tokens |= _certainty(same[name], "=" + name)
            if not all(same[name]) and any(
                v and not s for v, s in zip(views[name], same[name], strict=True)
            ):
                tokens |= _certainty(views[name], name)
        written = {
            name if name in plain else f"{name}?{'+'.join(sorted(options))}"
            for name, options in writes.items()
        }
        if any(w.endswith("?inplace") for w in written):
            tokens |= {"=" + w for w in written if w.endswith("?inplace")}
        return frozenset(tokens), frozenset(written)

    def _out(self) -> frozenset[str]:
        """Whether it takes ``out=``, and writes there."""
        if not self.cases or self.name.startswith("torch.Tensor.") or self.bare[0].isupper():
            # Not of methods and layers.
            return frozenset()
        run = self._run(self.cases[0], "")
        if run is None:
            return frozenset()
        results = _flat(run[0])
        if not results:
            return frozenset()
        places = [torch.zeros_like(r, memory_format=torch.contiguous_format) for r in results]
        before = [p._version for p in places]
        out = places[0] if isinstance(run[0], torch.Tensor) else tuple(places)
        if self._run(self.cases[0], "", out=out) is None:
            return frozenset()
        return frozenset({"out"} if [p._version for p in places] != before else ())

    def _run(
        self, case: Case, option: str, wanted: tuple[str, ...] = (), seed: int = 0, **more: Any
    ) -> tuple[Any, dict[str, list[torch.Tensor]], list[str]] | None:
        """The result, the tensors that were given, and those that were written into."""
        COUNT.calls += 1
        given: dict[str, list[torch.Tensor]] = {}
        positional: list[Any] = []
        keywords: dict[str, Any] = dict(more)
        gap = False
        for parameter in self.form:
            name = parameter.name
            if name not in case.values:
                gap = True
                continue
            value = case.values[name]
            specs = value if _is_specs(value) else (value,) if isinstance(value, Spec) else ()
            made = [_own(_tensor(replace(s, requires_grad=name in wanted))) for s in specs]
            if specs:
                given[name] = made
                value = made[0] if isinstance(value, Spec) else made
            elif isinstance(value, list):
                value = list(value)
            if parameter.kind in "VW":
                positional += value
            elif gap or parameter.keyword_only or (name == option and name not in ("input",)):
                keywords[name] = value
            else:
                positional.append(value)
        before = {n: [(t._version, t.detach().clone()) for t in ts] for n, ts in given.items()}
        torch.manual_seed(seed)
        try:
            if self.bare in ("to", "type") and "device" in case.values:
                result = self.function(*positional)
            else:
                result = self.function(*positional, **keywords)
        except Exception:
            return None
        changed = [
            n
            for n, ts in given.items()
            if any(
                t._version != version or (t.shape == old.shape and not is_same(t.detach(), old))
                for t, (version, old) in zip(ts, before[n], strict=True)
            )
        ]
        return result, given, changed

    # Histories

    def _floats(self, case: Case) -> list[str]:
        return [n for n, s in case.tensors().items() if s.dtype.startswith("float")]

    def _records(self) -> frozenset[str]:
        reached: dict[str, set[int]] = {}
        count = 0
        for case in itertools.chain(self.cases[:5], self._with_targets_of_floats()):
            for name in self._floats(case):
                run = self._run(case, "", (name,))
                if run is None:
                    continue
                results = _flat(run[0])
                count = max(count, len(results))
                hit = {index for index, r in enumerate(results) if r.requires_grad}
                if hit:
                    reached.setdefault(name, set()).update(hit)
        return frozenset(
            name if len(hit) == count or count > 4 else f"{name}>{'+'.join(map(str, sorted(hit)))}"
            for name, hit in reached.items()
        )

    def _with_targets_of_floats(self) -> Iterator[Case]:
        """Cases whose whole numbers are floats, as most losses take their targets."""
        for case in self.cases[:5]:
            first = case.tensors().get(self.tensors[0]) if self.tensors else None
            if first is not None and first.dtype.startswith("float"):
                for like in ({"dtype": first.dtype}, vars(first)):
                    yield case.with_tensors(
                        lambda n, s, at=like: s if s.dtype.startswith("float") else replace(s, **at)
                    )

    def _saves(self) -> frozenset[str]:
        """What must not be written into between the call and backward."""
        if self.bare in _NO_BACKWARD:
            return frozenset()
        found: set[str] = set()
        options: list[tuple[Case, str]] = [(case, "") for case in self.cases[:4]]
        options += [
            (Case({**case.values, p.name: value}), p.name)
            for case in self.cases[:1]
            for p in self.form
            if p.default is not None and p.kind in "bsTn" and p.name != "inplace"
            for value in torch_table._option_values(p, 2)
        ]
        for case, option in options:
            floats = self._floats(case)
            alone = [(name,) for name in floats] if len(floats) > 1 else []
            for wanted in (tuple(floats), *alone):
                found |= self._kept(case, option, wanted)
        return frozenset(found)

    def _kept(self, case: Case, option: str, wanted: tuple[str, ...]) -> Iterator[str] | set[str]:
        found: set[str] = set()
        run = self._run(case, option, wanted)
        if run is None or not self._backward(run[0]):
            return found
        count = len(_flat(run[0]))
        is_own = any(r is t for r in _flat(run[0]) for ts in run[1].values() for t in ts)
        for name in run[1]:
            if is_own and any(r is t for r in _flat(run[0]) for t in run[1][name]):
                continue
            again = self._run(case, option, wanted)
            assert again is not None
            for tensor in again[1][name]:
                _write(tensor)
            if not self._backward(again[0]):
                found.add(name)
        for index in range(min(count, 4)):
            again = self._run(case, option, wanted)
            assert again is not None
            result = _flat(again[0])[index]
            if any(_shares(result, t) and result is not t for ts in again[1].values() for t in ts):
                continue
            _write(result)
            if not self._backward(again[0]):
                found.add("result" if count == 1 else f"result{index}")
        return found

    def _backward(self, result: Any) -> bool:
        results = [r for r in _flat(result) if r.requires_grad]
        try:
            for r in results:
                total = r.abs().sum() if r.is_complex() else None
                if total is None:
                    torch.autograd.backward(r, torch.ones_like(r), retain_graph=True)
                else:
                    total.backward(retain_graph=True)
        except RuntimeError as error:
            return "modified by an inplace" not in str(error)
        except Exception:
            return True
        return True

    # What it does

    def _does(self) -> frozenset[str]:
        if self.bare in _TELLS:
            return frozenset({"tells"})
        if self.bare in _AUTOGRAD:
            return frozenset({"autograd"})
        if self.bare in _RESIZES:
            return frozenset({"resizes"})
        words = {"moves"} if self.bare in _MOVES else set()
        if not self.tensors:
            runs = [[self._run(case, "", seed=n) for n in range(4)] for case in self.cases[:4]]
            results = [[run[0] for run in drawn if run is not None] for drawn in runs]
            if not any(_flat(result) for drawn in results for result in drawn):
                return frozenset(words | {"tells"})
            if not self._is_unset and any(
                not _same(drawn[0], d) for drawn in results for d in drawn
            ):
                words.add("samples")
            return frozenset(words | {"makes"})
        verdicts = [v for case in self._told() if (v := self._verdict(case)) is not None]
        if not verdicts:
            return frozenset(words)
        some = frozenset.union(*verdicts)
        words |= frozenset.intersection(*verdicts) & {"tells", "makes"}
        words |= some & {"casts", "samples", "leaves"}
        if "leaves" in words:
            words.discard("tells")
        for word in ("elementwise", "compares", "cuts"):
            if word in some and not any("not " + word in v for v in verdicts):
                words.add(word)
        ways = ("keeps", "reshapes", "repeats", "selects", "chooses")
        weakest = next((w for w in reversed(ways) if w in some), "")
        if weakest and all(v & set(ways) for v in verdicts):
            words.add(weakest)
        if "reduces" in some and all(v & {"reduces", "keeps", "reshapes"} for v in verdicts):
            words.add("reduces")
        if "casts" in words:
            words -= {"keeps", "compares"}
        if "compares" in words:
            words.discard("makes")
        if "samples" in words:
            words -= {"casts", "cuts"}
        if not words - {"samples", "moves"} and "samples" not in words:
            words.add("mixes")
        return frozenset(words)

    def _fits(self) -> bool:
        """Whether the result is as long as the only tensor in each dimension."""
        found = []
        for case, start in itertools.product(self.cases, (_SIZE, 1, 5)):
            rank = case.tensors()[self.tensors[0]].rank
            sizes = tuple(range(start, start + rank)) if start != _SIZE else (_SIZE,) * rank
            run = self._run(case.with_tensors(lambda n, s, at=sizes: replace(s, sizes=at)), "")
            if run is not None and rank:
                result = run[0]
                found.append(isinstance(result, torch.Tensor) and tuple(result.shape) == sizes)
        return bool(found) and all(found)

    @property
    def _is_unset(self) -> bool:
        """Whether the numbers are those that the memory held before."""
        return self.bare.startswith(("empty", "new", "resize"))

    def _told(self) -> Iterator[Case]:
        for case in self.cases:
            specs = list(case.tensors().values())
            if specs[0].rank or all(c.tensors()[self.tensors[0]].rank == 0 for c in self.cases):
                yield case
                if specs[0].rank == 2:
                    yield case.with_tensors(
                        lambda n, s: replace(s, dtype="float64") if s.dtype == "float32" else s
                    )
                    if len({(s.rank, s.sizes) for s in specs}) == 1:
                        yield case.with_tensors(lambda n, s: torch_table._with_ones(s, "last"))

    def _verdict(self, case: Case) -> frozenset[str] | None:
        """The words that one case allows; None where it says nothing."""
        values = [v for k in ("one", "two") if (v := self._valued(case, k)) is not None]
        if len(values) < 2 or not all(_finite(v[0]) for v in values):
            kinds = ("positive", "positive two")
            values = [v for k in kinds if (v := self._valued(case, k)) is not None]
        if len(values) < 2:
            return None
        (result, given), (other, given_other) = values
        results = _flat(result)
        if not results:
            more = [v[0] for k in ("same", "zeros") if (v := self._valued(case, k)) is not None]
            is_still = all(_same(result, another) for another in [other, *more])
            return frozenset({"tells" if is_still else "leaves"})
        if not _is_plain(results[0]) or not results[0].numel():
            return None
        words: set[str] = set()
        first, own = results[0], given[self.tensors[0]][0]
        drawn = [r[0] for seed in (0, 1) if (r := self._valued(case, "positive", seed))]
        if not self._is_unset and any(not _same(drawn[0], d) for d in drawn[1:]):
            words.add("samples")
        # Some of these end the process where they are given what is no number.
        kinds = [k for k in _MORE_KINDS if k != "nan" or ".linalg." not in self.name]
        more = [v for kind in kinds if (v := self._valued(case, kind)) is not None]
        is_chosen = torch_table._IS_MASK.search(self.tensors[0])
        if self._is_unset or (
            not is_chosen and all(_same(result, v[0]) for v in [(other, given_other), *more])
        ):
            words.add("makes")
        elif "samples" not in words:
            words |= _placed((first, given), [(other, given_other), *more])
        local = self._is_elementwise(case, "samples" in words)
        if local is not None:
            words.add("elementwise" if local else "not elementwise")
            is_told = first.dtype is torch.bool and own.is_floating_point()
            words.add("compares" if local and is_told else "not compares")
        told = [(result, given), *(v for k in _WITH_ZEROS if (v := self._valued(case, k)))]
        is_cast = all(_cast(r, g[self.tensors[0]]) for r, g in told)
        if is_cast and "samples" not in words:
            words.add("casts")
            if own.is_floating_point():
                words.add("not cuts" if _close(first, own, 0.01) else "cuts")
        is_moved = words & {"elementwise", "keeps", "reshapes", "repeats", "selects"}
        if not is_moved and _is_reduced(first, own):
            words.add("reduces")
        return frozenset(words)

    def _valued(
        self, case: Case, kind: str, seed: int = 0, place: int | None = None, order: Any = None
    ) -> tuple[Any, dict[str, list[torch.Tensor]]] | None:
        """The result for tensors of the given kind of values, and these tensors as they were."""
        given: dict[str, list[torch.Tensor]] = {}
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        gap = False
        for parameter in self.form:
            name = parameter.name
            if name not in case.values:
                gap = True
                continue
            value = case.values[name]
            specs = value if _is_specs(value) else (value,) if isinstance(value, Spec) else ()
            made = [
                _values(name, spec, kind, 7 * len(given) + at, place, order)
                for at, spec in enumerate(specs)
            ]
            if specs:
                given[name] = [t.clone() for t in made]
                value = made[0] if isinstance(value, Spec) else made
            elif isinstance(value, list):
                value = list(value)
            if parameter.kind in "VW":
                positional += value
            elif gap or parameter.keyword_only:
                keywords[name] = value
            else:
                positional.append(value)
        COUNT.calls += 1
        torch.manual_seed(seed)
        try:
            return self.function(*positional, **keywords), given
        except Exception:
            return None

    def _is_elementwise(self, case: Case, is_drawn: bool) -> bool | None:
        """Whether each number of the result comes from the numbers at its place, and only these.

        None where the case does not show it: of one dimension, of several sizes.
        """
        specs = list(case.tensors().values())
        if specs[0].rank < 2 or len({(s.rank, s.sizes) for s in specs}) > 1:
            return None
        kind = "one"
        plain = self._valued(case, kind)
        if plain is None or not _finite(plain[0]):
            kind = "positive"
            plain = self._valued(case, kind)
        if plain is None or not _flat(plain[0]):
            return None
        result = _flat(plain[0])[0]
        given = next(iter(plain[1].values()))[0]
        if result.shape != given.shape or len(_flat(plain[0])) > 1:
            return False
        count = given.numel()
        order = torch.randperm(count, generator=torch.Generator().manual_seed(3))
        moved = self._valued(case, kind, order=order)
        if not is_drawn:
            expected = result.reshape(-1)[order].reshape(result.shape)
            if moved is None or not _close(_flat(moved[0])[0], expected):
                return False
        for place in (0, count // 2, count - 1):
            changed = self._valued(case, kind, place=place)
            if changed is None:
                return False
            differs = _numbers(_flat(changed[0])[0]) != _numbers(result)
            differs = differs.reshape(count, -1).any(1)
            differs[place] = False
            if differs.any():
                return False
        return True


#: Kinds of numbers, each of another seed; those of which each has ever to hold come last.
_SEEDS = ("one", "positive", "same", "zeros", "nan", "two", "three", "four")
_MORE_KINDS = ("zeros", "nan", "three", "four")
#: Those with zeros in the first tensor, and in the others.
_WITH_ZEROS = ("zeros", "three")


def _values(
    name: str, spec: Spec, kind: str, number: int, place: int | None, order: Any
) -> torch.Tensor:
    """A tensor of distinct numbers; of integers and masks, those that fit as indices.

    Args:
        name: the parameter that it is for.
        spec: its sizes and dtype.
        kind: of the numbers, one of `_SEEDS`, perhaps after ``positive``.
        number: of the tensor among those that are given.
        place: of a number that is another one.
        order: in which the numbers stand, if not as they are drawn.
    """
    base = _own(_tensor(replace(spec, requires_grad=False)))
    if not base.dtype.is_floating_point:
        # Indices and masks stay as they are: what is chosen by them is so whatever the numbers.
        chooses = torch_table._IS_INDEX.search(name) or torch_table._IS_MASK.search(name)
        if number == 0 and not chooses and kind in ("zeros", "two", "positive two", "four"):
            base = base.reshape(-1).flip(0).reshape(base.shape)
            if kind == "four" and base.dtype is not torch.bool:
                base = base // 2
        if order is not None:
            return base.reshape(-1)[order].reshape(base.shape)
        return base
    seed = 0 if kind == "same" else number + 100 * _SEEDS.index(kind.rpartition(" ")[2])
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.rand(base.numel(), generator=generator, dtype=torch.float64)
    numbers = numbers * 0.8 + 0.1 if kind.startswith("positive") else numbers * 5.2 - 2.6
    if kind == "zeros" and number == 0:
        numbers[::2], numbers[1::4] = 0.0, 2.0
    if kind == "three" and number:
        numbers[::3] = 0.0
    if kind == "nan":
        numbers[0], numbers[-1] = torch.nan, torch.inf
    if place is not None:
        numbers[place] = 0.5 if kind.startswith("positive") else -numbers[place] + 0.3
    if order is not None:
        numbers = numbers[order]
    base.copy_(numbers.reshape(base.shape))
    return base


Valued = tuple[Any, dict[str, list[torch.Tensor]]]
"""A result, and what was given for it."""


def _placed(first: Valued, others: list[Valued]) -> set[str]:
    """Whether the numbers of the result are numbers that were given, and which."""
    result, given = first
    if not result.is_floating_point():
        return set()
    for only_first in (True, False):
        have = _pool(result.dtype, given, only_first)
        hits = result.reshape(-1)[:, None] == have[None] if have is not None else None
        if have is not None and hits is not None and hits.any(1).all():
            break
    else:
        return set()
    places = hits.int().argmax(1)
    for other, given_other in others:
        found = _flat(other)
        pool = _pool(result.dtype, given_other, only_first)
        if not found or pool is None or found[0].shape != result.shape:
            return {"chooses"}
        numbers, expected = found[0].reshape(-1), pool[places]
        if not is_same(numbers, expected) or not torch.equal(numbers.isnan(), expected.isnan()):
            return {"chooses"} if torch.isin(_finite_of(numbers), pool).all() else set()
    input_ = next(iter(given.values()))[0]
    if result.shape == input_.shape and torch.equal(places, torch.arange(input_.numel())):
        return {"keeps"}
    if len(set(places.tolist())) == len(have):
        return {"reshapes" if len(places) == len(have) else "repeats"}
    return {"selects"}


def _pool(
    dtype: torch.dtype, given: dict[str, list[torch.Tensor]], only_first: bool
) -> torch.Tensor | None:
    """The numbers that were given in tensors of a dtype."""
    named = list(given.values())[:1] if only_first else given.values()
    found = [t.reshape(-1) for tensors in named for t in tensors if t.dtype == dtype]
    return torch.cat(found) if found else None


def _finite_of(numbers: torch.Tensor) -> torch.Tensor:
    return numbers[torch.isfinite(numbers)]


def _is_reduced(result: torch.Tensor, own: torch.Tensor) -> bool:
    if own.dim() == 0 or result.dim() >= own.dim():
        return False
    if result.dim() == 0:
        return True
    return any(
        tuple(result.shape) == tuple(s for i, s in enumerate(own.shape) if i not in dims)
        for count in range(1, own.dim())
        for dims in itertools.combinations(range(own.dim()), count)
    )


def _cast(result: Any, given: list[torch.Tensor]) -> bool:
    """Whether a result is what was given, in another dtype."""
    found, own = _flat(result), given[0]
    if len(found) != 1 or found[0].dtype == own.dtype or found[0].shape != own.shape:
        return False
    return is_same(found[0], own.to(found[0].dtype))


def _flat(result: Any) -> list[torch.Tensor]:
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (tuple, list)) and all(isinstance(r, torch.Tensor) for r in result):
        return list(result)
    return []


def _memory_of(result: Any) -> list[torch.Tensor]:
    """The tensors of a result; tensors on the memory of an array of numpy, and of a storage."""
    if type(result).__module__ == "numpy":
        return [torch.from_numpy(result)]
    if isinstance(result, (torch.UntypedStorage, torch.TypedStorage)):
        storage = getattr(result, "_untyped_storage", result)
        return [torch.empty(0, dtype=torch.uint8).set_(storage)]
    return _flat(result)


def _is_plain(tensor: torch.Tensor) -> bool:
    return torch_table._is_plain(tensor) and tensor.device.type == "cpu"


def _is_tensors(words: frozenset[str]) -> bool:
    return not words & {"tells", "leaves"}


def _is_specs(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], Spec)


def _shares(left: torch.Tensor, right: torch.Tensor) -> bool:
    if not (_is_plain(left) and _is_plain(right)):
        return False
    address = left.untyped_storage().data_ptr()
    return address != 0 and address == right.untyped_storage().data_ptr()


def _certainty(seen: list[bool], token: str) -> set[str]:
    return {token} if all(seen) else {token + "?"} if any(seen) else set()


def _write(tensor: torch.Tensor) -> None:
    with torch.no_grad():
        try:
            tensor.zero_()
        except RuntimeError:
            return


def is_same(left: torch.Tensor, right: torch.Tensor) -> bool:
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    if not (_is_plain(left) and _is_plain(right)):
        return True
    return torch.equal(_numbers(left), _numbers(right))


def _close(left: torch.Tensor, right: torch.Tensor, rtol: float = 1e-5) -> bool:
    if left.shape != right.shape or left.is_complex() is not right.is_complex():
        return False
    return torch.allclose(_numbers(left), _numbers(right), rtol=rtol)


def _numbers(tensor: torch.Tensor) -> torch.Tensor:
    """What can be compared number by number."""
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.to(torch.complex128).resolve_conj())
    return torch.nan_to_num(tensor.detach().to(torch.float64))


def _same(left: Any, right: Any) -> bool:
    lefts, rights = _flat(left), _flat(right)
    if lefts or rights:
        return len(lefts) == len(rights) and all(map(is_same, lefts, rights))
    if type(left).__module__ == "numpy" or isinstance(left, list):
        return str(left) == str(right)
    try:
        return bool(left == right) or left is right
    except Exception:
        return True


def _finite(result: Any) -> bool:
    return all(bool(torch.isfinite(r).all()) for r in _flat(result) if _is_plain(r))
